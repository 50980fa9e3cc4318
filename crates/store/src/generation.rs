//! A log in several files, one for each worker that wrote to it.
//!
//! A worker that was ended may hold its file locked for a while, and bytes may still reach it. So a new worker never
//! writes to an old file: it reads the old ones, notes in the header of its own how much of each it adopted, and appends
//! there. What an old file holds past the adopted length is ignored for ever.

use lakelet_base::Result;

use crate::frame::{FrameKind, damaged, decode_frames, encode_frame, payload};

/// One file of the log, `log.<number>`.
#[derive(Debug, Clone)]
pub struct Generation {
    /// Its number: the first is 0, and each is larger than those it adopted.
    pub number: u64,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// How much of a generation counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Adopted {
    /// Number of the generation.
    pub number: u64,
    /// Its first bytes that count, header included.
    pub n_bytes: u64,
}

/// What several generations come to.
#[derive(Debug, Clone, Default)]
pub struct AssembledLog {
    /// Their records as one log, for [`crate::MemoryStorage`] and [`crate::Store::recover`].
    pub log: Vec<u8>,
    /// What the next generation adopts.
    pub adopted: Vec<Adopted>,
}

/// The first bytes of generation `number`, which adopts older ones.
pub fn encode_generation_header(number: u64, adopted: &[Adopted]) -> Vec<u8> {
    let mut payload = Vec::with_capacity(adopted.len() * 16);
    for older in adopted {
        payload.extend_from_slice(&older.number.to_le_bytes());
        payload.extend_from_slice(&older.n_bytes.to_le_bytes());
    }
    encode_frame(FrameKind::GenerationHeader, number, &payload)
}

/// The records of all generations as one log. The newest generation with a whole header decides; a newer one whose
/// header was not finished held nothing and does not count. Torn tails are left out.
///
/// # Errors
/// `LAKELET_LOG_DAMAGED` when an adopted file is missing or too short, `LAKELET_LOG_TOO_NEW`.
pub fn assemble_generations(mut generations: Vec<Generation>) -> Result<AssembledLog> {
    generations.sort_by_key(|generation| generation.number);
    for newest in generations.iter().rev() {
        let frames = decode_frames(&newest.bytes)?;
        let Some(header) = frames.frames.first().filter(|frame| frame.kind == FrameKind::GenerationHeader) else {
            continue;
        };
        let mut adopted: Vec<Adopted> =
            payload(&newest.bytes[header.range.clone()]).chunks_exact(16).map(adopted_at).collect();
        adopted.push(Adopted { number: newest.number, n_bytes: frames.n_valid_bytes as u64 });
        let mut log = Vec::new();
        for Adopted { number, n_bytes } in &adopted {
            let older = generations.iter().find(|generation| generation.number == *number);
            let part = usize::try_from(*n_bytes).ok().and_then(|n_bytes| older?.bytes.get(..n_bytes));
            let part = part.ok_or_else(|| damaged(format!("its part log.{number} is missing or too short")))?;
            for frame in decode_frames(part)?.frames {
                if frame.kind == FrameKind::Record {
                    log.extend_from_slice(&part[frame.range]);
                }
            }
        }
        return Ok(AssembledLog { log, adopted });
    }
    Ok(AssembledLog::default())
}

fn adopted_at(pair: &[u8]) -> Adopted {
    let (mut number, mut n_bytes) = ([0; 8], [0; 8]);
    number.copy_from_slice(&pair[..8]);
    n_bytes.copy_from_slice(&pair[8..]);
    Adopted { number: u64::from_le_bytes(number), n_bytes: u64::from_le_bytes(n_bytes) }
}
