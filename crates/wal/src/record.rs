//! A log record, to the byte.
//!
//! ```text
//! offset  bytes  field
//!      0      4  length, header included, without padding
//!      4      4  CRC-32C of bytes 8..length, continued over the record's LSN
//!      8      8  transaction id, 0 if none
//!     16      1  resource manager
//!     17      1  kind, the manager's own
//!     18      2  zero
//!     20         payload, then zeros up to a multiple of 8
//! ```

use crate::Lsn;

pub const HEADER_LEN: usize = 20;
/// No record is longer. A full page image with its header takes an eighth of it.
pub const MAX_RECORD: usize = 1 << 20;

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
}

pub(crate) fn padded(len: usize) -> usize {
    len.next_multiple_of(8)
}

fn checksum(after_crc: &[u8], lsn: Lsn) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(after_crc), &lsn.to_le_bytes())
}

/// Appends a record that starts at `lsn` to `out`, padding included.
pub(crate) fn encode(out: &mut Vec<u8>, lsn: Lsn, header: RecordHeader, payload: &[&[u8]]) {
    let start = out.len();
    let len = HEADER_LEN + payload.iter().map(|p| p.len()).sum::<usize>();
    out.extend_from_slice(&(len as u32).to_le_bytes());
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&header.xid.to_le_bytes());
    out.extend_from_slice(&[header.manager, header.kind, 0, 0]);
    payload.iter().for_each(|p| out.extend_from_slice(p));
    let crc = checksum(&out[start + 8..], lsn);
    out[start + 4..start + 8].copy_from_slice(&crc.to_le_bytes());
    out.resize(start + padded(len), 0);
}

/// The length a record at the start of `bytes` claims, if it can be one.
pub(crate) fn claimed_len(bytes: &[u8]) -> Option<usize> {
    let len = u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?) as usize;
    (HEADER_LEN..=MAX_RECORD).contains(&len).then_some(len)
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
    Some(Record { header, start: lsn, end: lsn + padded(len) as u64, payload: bytes[HEADER_LEN..].to_vec() })
}
