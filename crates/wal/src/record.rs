//! A log record, to the byte.
//!
//! ```text
//! offset  bytes  field
//!      0      4  length, header included, without padding
//!      4      4  CRC-32C of bytes 8..length, continued over the record's LSN
//!      8      8  transaction id, 0 if none
//!     16      1  resource manager
//!     17      1  kind, the manager's own
//!     18      2  epoch: how often the log was opened for writing, modulo 2^16
//!     20      4  how far behind the record the last durable record ended when it was inserted
//!     24         payload, then zeros up to a multiple of 8
//! ```
//!
//! A filler takes the rest of a block that a write has sealed; the next record starts the next block:
//!
//! ```text
//!      0      4  bit 31 set, bits 16..26 the length in units of 8 bytes, bits 0..16 the epoch
//!      4      4  CRC-32C of bytes 0..4, continued over the filler's LSN
//!      8         zeros
//! ```
//!
//! The epoch ends the log where a write was lost before others that had been under way with it: what the disk has of those
//! is of an older epoch than what was inserted since. The durable position proves that a bad record is damage, not the
//! log's end: nothing before it can have been lost in a crash.

use crate::{BLOCK, Lsn};

pub const HEADER_LEN: usize = 24;
/// No record is longer. A full page image with its header takes an eighth of it.
pub const MAX_RECORD: usize = 1 << 20;
pub(crate) const FILLER: u32 = 1 << 31;
pub(crate) const FILLER_LEN: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordHeader {
    pub xid: u64,
    pub manager: u8,
    pub kind: u8,
}

/// A record read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub header: RecordHeader,
    pub start: Lsn,
    /// The LSN that pages changed by it carry: where the next record starts.
    pub end: Lsn,
    pub payload: Vec<u8>,
    pub(crate) epoch: u16,
    /// All records before this were durable when the record was inserted.
    pub(crate) durable: Lsn,
}

pub(crate) fn padded(len: usize) -> usize {
    len.next_multiple_of(8)
}

fn checksum(bytes: &[u8], lsn: Lsn) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(bytes), &lsn.to_le_bytes())
}

/// Appends a record that starts at `lsn` to `out`, padding included.
pub(crate) fn encode(out: &mut Vec<u8>, lsn: Lsn, durable: Lsn, epoch: u16, header: RecordHeader, payload: &[&[u8]]) {
    let start = out.len();
    let len = HEADER_LEN + payload.iter().map(|p| p.len()).sum::<usize>();
    let behind = u32::try_from(lsn - durable).unwrap_or(u32::MAX);
    out.extend_from_slice(&(len as u32).to_le_bytes());
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&header.xid.to_le_bytes());
    out.extend_from_slice(&[header.manager, header.kind]);
    out.extend_from_slice(&epoch.to_le_bytes());
    out.extend_from_slice(&behind.to_le_bytes());
    payload.iter().for_each(|p| out.extend_from_slice(p));
    let crc = checksum(&out[start + 8..], lsn);
    out[start + 4..start + 8].copy_from_slice(&crc.to_le_bytes());
    out.resize(start + padded(len), 0);
}

/// The beginning of a filler of `len` bytes at `lsn`.
pub(crate) fn filler(lsn: Lsn, len: u64, epoch: u16) -> [u8; FILLER_LEN] {
    debug_assert!(len.is_multiple_of(8) && (1..=BLOCK).contains(&len));
    let word = (FILLER | ((len as u32 / 8) << 16) | u32::from(epoch)).to_le_bytes();
    let crc = checksum(&word, lsn).to_le_bytes();
    [word[0], word[1], word[2], word[3], crc[0], crc[1], crc[2], crc[3]]
}

/// What `bytes` claim to begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    Record(usize),
    Filler { len: u64, epoch: u16 },
}

pub(crate) fn claim(bytes: &[u8], lsn: Lsn) -> Option<Claim> {
    let word = u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?);
    if word & FILLER == 0 {
        return (HEADER_LEN..=MAX_RECORD).contains(&(word as usize)).then_some(Claim::Record(word as usize));
    }
    let (len, epoch) = (u64::from((word & !FILLER) >> 16) * 8, word as u16);
    ((1..=BLOCK).contains(&len) && bytes.get(..FILLER_LEN)? == filler(lsn, len, epoch))
        .then_some(Claim::Filler { len, epoch })
}

/// The epoch that the record at the start of `bytes` claims, before anything is checked.
pub(crate) fn claimed_epoch(bytes: &[u8]) -> u16 {
    u16::from_le_bytes([bytes[18], bytes[19]])
}

/// Is `epoch` the same as `than`, or later?
pub(crate) fn not_older(epoch: u16, than: u16) -> bool {
    epoch.wrapping_sub(than) < 1 << 15
}

/// Decodes the record of `len` bytes at the start of `bytes`, if its checksum says it belongs at `lsn`.
pub(crate) fn decode(bytes: &[u8], len: usize, lsn: Lsn) -> Option<Record> {
    let bytes = bytes.get(..len)?;
    let stored = u32::from_le_bytes(bytes[4..8].try_into().ok()?);
    if checksum(&bytes[8..], lsn) != stored {
        return None;
    }
    let header =
        RecordHeader { xid: u64::from_le_bytes(bytes[8..16].try_into().ok()?), manager: bytes[16], kind: bytes[17] };
    let behind = u32::from_le_bytes(bytes[20..24].try_into().ok()?);
    Some(Record {
        header,
        start: lsn,
        end: lsn + padded(len) as u64,
        payload: bytes[HEADER_LEN..].to_vec(),
        epoch: claimed_epoch(bytes),
        durable: lsn.saturating_sub(u64::from(behind)),
    })
}
