//! The data of COPY in binary, as drivers load rows in bulk: a signature, then of each row the number of its fields and each
//! field's length and bytes (`CopyFromBinaryOneRow` in PostgreSQL's `copyfromparse.c`). A message may end anywhere.

use std::ops::Range;

use engine::{EngineError, Result};

use super::copy_lines::MAX_ROW;

pub const SIGNATURE: &[u8; 11] = b"PGCOPY\n\xff\r\n\0";
/// Signature, flags, and the length of what is to be skipped.
const HEADER: usize = SIGNATURE.len() + 8;
/// A flag of old: rows have OIDs.
const WITH_OIDS: u32 = 1 << 16;
/// Flags that must be understood, of which there are none.
const CRITICAL: u32 = 0xffff_0000;

/// What has come of the data.
#[derive(Default)]
pub struct BinaryRows {
    buffer: Vec<u8>,
    /// Where the next row begins.
    start: usize,
    begun: bool,
    ended: bool,
    /// The number of the row that is read.
    pub number: u64,
}

fn wrong(message: impl Into<String>) -> EngineError {
    EngineError::new("22P04", message)
}

/// The next bytes of what is left.
fn bytes<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (first, behind) = rest.split_first_chunk::<N>()?;
    *rest = behind;
    Some(*first)
}

/// The fields of a row, one after the other.
pub struct BinaryFields<'a>(&'a [u8]);

impl<'a> Iterator for BinaryFields<'a> {
    type Item = Result<Option<&'a [u8]>>;

    fn next(&mut self) -> Option<Self::Item> {
        let ended = || Err(wrong("unexpected EOF in COPY data"));
        let Some(length) = bytes(&mut self.0).map(i32::from_be_bytes) else { return Some(ended()) };
        if length == -1 {
            return Some(Ok(None));
        }
        let Ok(length) = usize::try_from(length) else { return Some(Err(wrong("invalid field size"))) };
        let Some((field, behind)) = self.0.split_at_checked(length) else { return Some(ended()) };
        self.0 = behind;
        Some(Ok(Some(field)))
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
            return Err(EngineError::new("54000", format!("a row of COPY is longer than {MAX_ROW} bytes")));
        }
        self.buffer.extend_from_slice(data);
        Ok(())
    }

    /// The next row, which has so many fields; `None`: it is not complete. `at_end`: nothing comes any more.
    pub fn next(&mut self, width: usize, at_end: bool) -> Result<Option<BinaryFields<'_>>> {
        if !self.begun && !self.begin(at_end)? {
            return Ok(None);
        }
        let place = self.find(width, at_end)?;
        Ok(place.map(|place| BinaryFields(&self.buffer[place])))
    }

    /// Where the fields of the next row are.
    fn find(&mut self, width: usize, at_end: bool) -> Result<Option<Range<usize>>> {
        let mut rest = self.buffer.get(self.start..).unwrap_or_default();
        if !self.ended {
            let Some(count) = bytes(&mut rest).map(i16::from_be_bytes) else { return Ok(None) };
            self.ended = count == -1;
            let fields = self.start + 2;
            if !self.ended {
                self.number += 1;
                if usize::try_from(count) != Ok(width) {
                    return Err(wrong(format!("row field count is {count}, expected {width}")));
                }
                let Some(length) = length_of(rest, width).or(at_end.then_some(rest.len())) else {
                    self.number -= 1;
                    return Ok(None);
                };
                self.start = fields + length;
                return Ok(Some(fields..self.start));
            }
            self.start = fields;
        }
        match rest.is_empty() {
            true => Ok(None),
            false => Err(wrong("received copy data after EOF marker")),
        }
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

/// How many bytes the fields of a row take, as far as they can be read; `None`: they are not all there.
fn length_of(data: &[u8], width: usize) -> Option<usize> {
    let mut rest = data;
    for _ in 0..width {
        let length = i32::from_be_bytes(bytes(&mut rest)?);
        match usize::try_from(length) {
            Ok(length) => rest = rest.get(length..)?,
            Err(_) if length == -1 => {}
            // Whoever reads it says so.
            Err(_) => break,
        }
    }
    Some(data.len() - rest.len())
}
