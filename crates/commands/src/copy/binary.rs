//! The data of COPY in binary, as drivers load rows in bulk: a signature, then of each row the number of its fields and each
//! field's length and bytes (`CopyFromBinaryOneRow` in PostgreSQL's `copyfromparse.c`). A message may end anywhere.

use ::error::sqlstate;
use engine::{EngineError, Result};
use types::memory::reserve;

use crate::copy::lines::MAX_ROW;

pub const SIGNATURE: &[u8; 11] = b"PGCOPY\n\xff\r\n\0";
/// Signature, flags, and the length of what is to be skipped.
const HEADER: usize = SIGNATURE.len() + 8;
/// A flag of old: rows have OIDs.
const WITH_OIDS: u32 = 1 << 16;
/// Flags that must be understood, of which there are none.
const CRITICAL: u32 = 0xffff_0000;

/// A field has fewer bytes (`MaxAllocSize`).
const MAX_FIELD: usize = (1 << 30) - 1;

/// What has come of the data.
#[derive(Default)]
pub struct BinaryRows {
    buffer: Vec<u8>,
    /// Where the next row begins.
    start: usize,
    begun: bool,
    ended: bool,
    /// The number of the row that was taken last.
    pub number: u64,
}

fn wrong(message: impl Into<String>) -> EngineError {
    EngineError::new(sqlstate::BAD_COPY_FILE_FORMAT, message)
}

fn too_long(bytes: usize) -> EngineError {
    let message = format!("string buffer exceeds maximum allowed length ({MAX_FIELD} bytes)");
    let detail = format!("Cannot enlarge string buffer containing 0 bytes by {bytes} more bytes.");
    EngineError::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, message).detail(detail)
}

/// The next bytes of what is left.
fn bytes<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (first, behind) = rest.split_first_chunk::<N>()?;
    *rest = behind;
    Some(*first)
}

/// Where a field is in the data, and how long it is; -1: it is NULL.
#[derive(Clone, Copy)]
pub struct Field {
    start: u32,
    length: i32,
}

impl Field {
    pub fn of(self, data: &[u8]) -> Option<&[u8]> {
        let length = usize::try_from(self.length).ok()?;
        Some(&data[self.start as usize..][..length])
    }

    /// Bytes of the data.
    pub fn bytes(self) -> usize {
        self.length.max(0) as usize
    }
}

/// What is wrong with a row.
pub struct Wrong {
    pub error: EngineError,
    /// The field with which it is.
    pub field: Option<usize>,
}

type Taken<T> = std::result::Result<T, Box<Wrong>>;

impl Wrong {
    fn with_row(error: EngineError) -> Box<Wrong> {
        Box::new(Wrong { error, field: None })
    }
}

impl BinaryRows {
    /// Is the header read?
    pub fn has_begun(&self) -> bool {
        self.begun
    }

    /// Takes the next bytes of the data.
    pub fn push(&mut self, data: &[u8]) -> Result<()> {
        self.buffer.drain(..self.start);
        self.start = 0;
        if self.buffer.len() + data.len() > MAX_ROW {
            return Err(EngineError::new(
                sqlstate::PROGRAM_LIMIT_EXCEEDED,
                format!("a row of COPY is longer than {MAX_ROW} bytes"),
            ));
        }
        reserve(&mut self.buffer, data.len())?;
        self.buffer.extend_from_slice(data);
        Ok(())
    }

    /// What has come and is not taken.
    pub fn data(&self) -> &[u8] {
        &self.buffer
    }

    /// Takes rows of so many fields as far as they are complete, `most` at most: their fields, row after row, are in [`Self::data`].
    /// With a row that is wrong the fields before that are given. `at_end`: nothing comes any more.
    pub fn take(&mut self, width: usize, most: usize, at_end: bool, fields: &mut Vec<Field>) -> Taken<()> {
        fields.clear();
        if !self.begun && !self.begin(at_end).map_err(Wrong::with_row)? {
            return Ok(());
        }
        for _ in 0..most {
            if !self.take_row(width, at_end, fields)? {
                break;
            }
        }
        Ok(())
    }

    /// `false`: there is no other row, or it is not complete.
    fn take_row(&mut self, width: usize, at_end: bool, fields: &mut Vec<Field>) -> Taken<bool> {
        let mut rest = self.buffer.get(self.start..).unwrap_or_default();
        if self.ended {
            return match rest.is_empty() {
                true => Ok(false),
                false => Err(Wrong::with_row(wrong("received copy data after EOF marker"))),
            };
        }
        let Some(count) = bytes(&mut rest).map(i16::from_be_bytes) else { return Ok(false) };
        if count == -1 {
            self.ended = true;
            self.start += 2;
            return self.take_row(width, at_end, fields);
        }
        if usize::try_from(count) != Ok(width) {
            let message = format!("row field count is {count}, expected {width}");
            return Err(Wrong::with_row(wrong(message)));
        }
        for at in 0..width {
            let error = match self.field(&mut rest) {
                Some(Ok(field)) => {
                    fields.push(field);
                    continue;
                }
                Some(Err(error)) => error,
                None if at_end => wrong("unexpected EOF in COPY data"),
                None => {
                    fields.truncate(fields.len() - at);
                    return Ok(false);
                }
            };
            return Err(Box::new(Wrong { error, field: Some(at) }));
        }
        self.start = self.buffer.len() - rest.len();
        self.number += 1;
        Ok(true)
    }

    /// Takes a field off the rest of the buffer; `None`: it is not complete.
    fn field(&self, rest: &mut &[u8]) -> Option<Result<Field>> {
        let length = i32::from_be_bytes(bytes(rest)?);
        let start = (self.buffer.len() - rest.len()) as u32;
        match usize::try_from(length) {
            Ok(bytes) if bytes >= MAX_FIELD => return Some(Err(too_long(bytes))),
            Ok(bytes) => *rest = rest.get(bytes..)?,
            Err(_) if length == -1 => {}
            Err(_) => return Some(Err(wrong("invalid field size"))),
        }
        Some(Ok(Field { start, length }))
    }

    /// Takes the header off; `false`: it is not complete.
    fn begin(&mut self, at_end: bool) -> Result<bool> {
        let known = self.buffer.len().min(SIGNATURE.len());
        if self.buffer[..known] != SIGNATURE[..known] || (at_end && known < SIGNATURE.len()) {
            return Err(wrong("COPY file signature not recognized"));
        }
        let mut rest = self.buffer.get(SIGNATURE.len()..).unwrap_or_default();
        let flags = bytes(&mut rest).map(u32::from_be_bytes);
        if flags.is_some_and(|flags| flags & WITH_OIDS != 0) {
            return Err(wrong("invalid COPY file header (WITH OIDS)"));
        }
        if flags.is_some_and(|flags| flags & CRITICAL != 0) {
            return Err(wrong("unrecognized critical flags in COPY file header"));
        }
        let skipped = bytes(&mut rest).map(i32::from_be_bytes);
        let missing = match (flags, skipped) {
            (Some(_), Some(skipped)) => {
                let skipped = usize::try_from(skipped).ok().filter(|&skipped| skipped <= MAX_ROW);
                let skipped = skipped.ok_or_else(|| wrong("invalid COPY file header (missing length)"))?;
                if rest.len() >= skipped {
                    self.start = HEADER + skipped;
                    self.begun = true;
                    return Ok(true);
                }
                "wrong length"
            }
            (None, _) => "missing flags",
            (_, None) => "missing length",
        };
        match at_end {
            true => Err(wrong(format!("invalid COPY file header ({missing})"))),
            false => Ok(false),
        }
    }
}
