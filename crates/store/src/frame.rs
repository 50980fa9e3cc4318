//! Records as bytes in a log: a header with checksums, then the payload.
//!
//! | bytes | what |
//! |---|---|
//! | 0–3 | `LKLT` |
//! | 4–5 | [`FORMAT_VERSION`] |
//! | 6–7 | kind: 1 a record, 2 the header of a generation |
//! | 8–15 | length of the payload |
//! | 16–23 | number of the record |
//! | 24–27 | CRC-32 of the payload |
//! | 28–31 | CRC-32 of bytes 0–27 |
//!
//! All numbers are little-endian. A log is records one after the other; nothing stands between them.

use std::ops::Range;

use lakelet_base::{Diagnostic, Result};

use crate::error::{classes, error};

/// Version of the form of records. A log with a newer one is refused.
pub const FORMAT_VERSION: u16 = 1;

pub(crate) const HEADER_LEN: usize = 32;
const MAGIC: [u8; 4] = *b"LKLT";

/// What a frame holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FrameKind {
    Record = 1,
    GenerationHeader = 2,
}

/// A frame found in a log.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    pub(crate) kind: FrameKind,
    pub(crate) sequence: u64,
    /// All of it, header included.
    pub(crate) range: Range<usize>,
}

/// Frames of a log, and what is left of it after the last whole one.
#[derive(Debug)]
pub(crate) struct Frames {
    pub(crate) frames: Vec<Frame>,
    /// Bytes of the whole frames.
    pub(crate) n_valid_bytes: usize,
}

/// The header for a payload.
pub(crate) fn header(kind: FrameKind, sequence: u64, payload: &[u8]) -> [u8; HEADER_LEN] {
    let mut header = [0; HEADER_LEN];
    header[0..4].copy_from_slice(&MAGIC);
    header[4..6].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
    header[6..8].copy_from_slice(&(kind as u16).to_le_bytes());
    header[8..16].copy_from_slice(&(payload.len() as u64).to_le_bytes());
    header[16..24].copy_from_slice(&sequence.to_le_bytes());
    header[24..28].copy_from_slice(&crc32fast::hash(payload).to_le_bytes());
    let checksum = crc32fast::hash(&header[..28]);
    header[28..32].copy_from_slice(&checksum.to_le_bytes());
    header
}

/// The frame of record number `sequence` around a payload.
pub fn encode_record(sequence: u64, payload: &[u8]) -> Vec<u8> {
    encode_frame(FrameKind::Record, sequence, payload)
}

pub(crate) fn encode_frame(kind: FrameKind, sequence: u64, payload: &[u8]) -> Vec<u8> {
    let mut bytes = header(kind, sequence, payload).to_vec();
    bytes.extend_from_slice(payload);
    bytes
}

/// The whole records of a log, each with its frame, as numbers and ranges of bytes. A torn tail (what a crash while
/// appending leaves) is ignored.
///
/// # Errors
/// `LAKELET_LOG_DAMAGED` when something is wrong and whole records follow it, `LAKELET_LOG_TOO_NEW`.
pub fn decode_records(log: &[u8]) -> Result<Vec<(u64, Range<usize>)>> {
    let frames = decode_frames(log)?.frames.into_iter();
    Ok(frames.filter(|frame| frame.kind == FrameKind::Record).map(|frame| (frame.sequence, frame.range)).collect())
}

pub(crate) fn decode_frames(log: &[u8]) -> Result<Frames> {
    let mut frames = Vec::new();
    let mut start = 0;
    while start < log.len() {
        match frame_at(log, start)? {
            Some(frame) => {
                start = frame.range.end;
                frames.push(frame);
            }
            None => {
                // A crash while appending damages the end only. Whole records after the damage mean something else.
                if let Some(next) = next_frame(log, start + 1) {
                    return Err(damaged(format!(
                        "it is unreadable from byte {start} on, and whole records follow at byte {next}"
                    )));
                }
                break;
            }
        }
    }
    Ok(Frames { frames, n_valid_bytes: start })
}

/// The payload of a frame.
pub(crate) fn payload(frame: &[u8]) -> &[u8] {
    frame.get(HEADER_LEN..).unwrap_or_default()
}

pub(crate) fn damaged(why: impl std::fmt::Display) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::new(classes::LOG_DAMAGED, format!("The workspace's log is damaged: {why}."))
            .hint("Nothing was changed. Open a copy of the workspace that was exported or backed up before."),
    )
}

/// A whole frame at `start`; `None` for anything else.
fn frame_at(log: &[u8], start: usize) -> Result<Option<Frame>> {
    let Some(header) = log.get(start..start.saturating_add(HEADER_LEN)) else { return Ok(None) };
    let checksum = u32::from_le_bytes(bytes(header, 28));
    if header[0..4] != MAGIC || crc32fast::hash(&header[..28]) != checksum {
        return Ok(None);
    }
    let format = u16::from_le_bytes(bytes(header, 4));
    let kind = match u16::from_le_bytes(bytes(header, 6)) {
        1 => FrameKind::Record,
        2 => FrameKind::GenerationHeader,
        _ => return Err(too_new(format)),
    };
    if format > FORMAT_VERSION {
        return Err(too_new(format));
    }
    let payload_start = start + HEADER_LEN;
    let end = usize::try_from(u64::from_le_bytes(bytes(header, 8))).ok().and_then(|len| payload_start.checked_add(len));
    let Some(payload) = end.and_then(|end| log.get(payload_start..end)) else { return Ok(None) };
    if crc32fast::hash(payload) != u32::from_le_bytes(bytes(header, 24)) {
        return Ok(None);
    }
    let sequence = u64::from_le_bytes(bytes(header, 16));
    Ok(Some(Frame { kind, sequence, range: start..payload_start + payload.len() }))
}

/// Where the next whole frame at or after `from` begins.
fn next_frame(log: &[u8], from: usize) -> Option<usize> {
    let mut start = from;
    while let Some(found) = log.get(start..)?.windows(MAGIC.len()).position(|window| window == MAGIC) {
        start += found;
        if !matches!(frame_at(log, start), Ok(None)) {
            return Some(start);
        }
        start += 1;
    }
    None
}

fn bytes<const N: usize>(header: &[u8], start: usize) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(&header[start..start + N]);
    array
}

fn too_new(format: u16) -> Box<Diagnostic> {
    error(
        classes::LOG_TOO_NEW,
        format!(
            "This workspace was made with a newer version of Lakelet (log format {format}, known {FORMAT_VERSION})."
        ),
    )
}
