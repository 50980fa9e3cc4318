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

/// The first bytes of generation `number`, which adopts the older ones up to the given lengths in bytes, as
/// `(number, length)`.
pub fn encode_generation_header(number: u64, adopted: &[(u64, u64)]) -> Vec<u8> {
    let mut payload = Vec::with_capacity(adopted.len() * 16);
    for (older, length) in adopted {
        payload.extend_from_slice(&older.to_le_bytes());
        payload.extend_from_slice(&length.to_le_bytes());
    }
    encode_frame(FrameKind::GenerationHeader, number, &payload)
}

/// The records of all generations as one log, and what a next generation adopts: `(number, length)` of each that
/// counts. The newest generation with a whole header decides; a newer one whose header was not finished held nothing
/// and does not count. Torn tails are left out.
///
/// # Errors
/// `LAKELET_LOG_DAMAGED` when an adopted file is missing or too short, `LAKELET_LOG_TOO_NEW`.
pub fn assemble_generations(mut generations: Vec<Generation>) -> Result<(Vec<u8>, Vec<(u64, u64)>)> {
    generations.sort_by_key(|generation| generation.number);
    for newest in generations.iter().rev() {
        let frames = decode_frames(&newest.bytes)?;
        let Some(header) = frames.frames.first().filter(|frame| frame.kind == FrameKind::GenerationHeader) else {
            continue;
        };
        let mut adopted: Vec<(u64, u64)> = payload(&newest.bytes[header.range.clone()])
            .chunks_exact(16)
            .map(|pair| {
                let (mut number, mut length) = ([0; 8], [0; 8]);
                number.copy_from_slice(&pair[..8]);
                length.copy_from_slice(&pair[8..]);
                (u64::from_le_bytes(number), u64::from_le_bytes(length))
            })
            .collect();
        adopted.push((newest.number, frames.n_valid_bytes as u64));
        let mut log = Vec::new();
        for (number, length) in &adopted {
            let older = generations.iter().find(|generation| generation.number == *number);
            let part = usize::try_from(*length).ok().and_then(|length| older?.bytes.get(..length));
            let part = part.ok_or_else(|| damaged(format!("its part log.{number} is missing or too short")))?;
            for frame in decode_frames(part)?.frames {
                if frame.kind == FrameKind::Record {
                    log.extend_from_slice(&part[frame.range]);
                }
            }
        }
        return Ok((log, adopted));
    }
    Ok((Vec::new(), Vec::new()))
}
