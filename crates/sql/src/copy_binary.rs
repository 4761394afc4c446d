//! COPY FROM in binary format, as drivers load rows in bulk (`copyfromparse.c`): a signature, then of each row the number of
//! its fields and each field's length and bytes. A message may end anywhere.

use engine::{EngineError, Result};

use crate::binary::decode_field;
use crate::copy::MAX_ROW;

const SIGNATURE: &[u8; 11] = b"PGCOPY\n\xff\r\n\0";
/// Signature, flags, and the length of what is to be skipped.
const HEADER: usize = SIGNATURE.len() + 8;
/// Flags that must be understood, of which there are none: bit 16 said that rows have OIDs.
const CRITICAL: u32 = 0xffff_0000;

/// What has come of the data.
#[derive(Default)]
pub struct BinaryRows {
    pending: Vec<u8>,
    begun: bool,
    ended: bool,
    row: u64,
}

/// Of a row, as texts.
type Fields = Vec<Option<String>>;

fn wrong(message: impl Into<String>) -> EngineError {
    EngineError::new("22P04", message)
}

impl BinaryRows {
    /// Gives the fields of each complete row, as texts of the columns' types, to `each`.
    pub fn feed(&mut self, data: &[u8], types: &[u32], mut each: impl FnMut(Fields) -> Result<()>) -> Result<()> {
        let mut pending = std::mem::take(&mut self.pending);
        pending.extend_from_slice(data);
        let mut rest = pending.as_slice();
        if !self.begun && !self.begin(&mut rest)? {
            self.pending = pending;
            return Ok(());
        }
        while !self.ended {
            let Some((fields, behind)) = self.row(rest, types)? else { break };
            rest = behind;
            if let Some(fields) = fields {
                each(fields)?;
            }
        }
        if self.ended && !rest.is_empty() {
            return Err(wrong("received copy data after EOF marker"));
        }
        if rest.len() > MAX_ROW {
            return Err(EngineError::new("54000", format!("a row of COPY is longer than {MAX_ROW} bytes")));
        }
        let taken = pending.len() - rest.len();
        pending.drain(..taken);
        self.pending = pending;
        Ok(())
    }

    /// How many have come.
    pub fn rows(&self) -> u64 {
        self.row
    }

    /// The data is complete: it ends with a row, or with the mark of its end.
    pub fn finish(&self) -> Result<()> {
        match (self.begun, self.pending.is_empty()) {
            (false, _) => Err(wrong("COPY file signature not recognized")),
            (true, false) => Err(wrong("unexpected EOF in COPY data")),
            (true, true) => Ok(()),
        }
    }

    /// Takes the header off; `false`: it is not complete.
    fn begin(&mut self, rest: &mut &[u8]) -> Result<bool> {
        let known = rest.len().min(SIGNATURE.len());
        if rest[..known] != SIGNATURE[..known] {
            return Err(wrong("COPY file signature not recognized"));
        }
        let Some(header) = rest.get(SIGNATURE.len()..HEADER) else { return Ok(false) };
        let number = |at: usize| u32::from_be_bytes(header[at..at + 4].try_into().expect("four bytes"));
        if number(0) & CRITICAL != 0 {
            return Err(wrong("unrecognized critical flags in COPY file header"));
        }
        let skipped = number(4) as usize;
        if skipped > MAX_ROW {
            return Err(wrong("invalid COPY file header (wrong length)"));
        }
        let Some(behind) = rest.get(HEADER + skipped..) else { return Ok(false) };
        *rest = behind;
        self.begun = true;
        Ok(true)
    }

    /// The next row, if it is complete, and what comes behind it; the mark of the end is no row.
    fn row<'a>(&mut self, data: &'a [u8], types: &[u32]) -> Result<Option<(Option<Fields>, &'a [u8])>> {
        let Some((count, mut rest)) = data.split_first_chunk::<2>() else { return Ok(None) };
        let count = i16::from_be_bytes(*count);
        if count == -1 {
            self.ended = true;
            return Ok(Some((None, rest)));
        }
        if usize::try_from(count) != Ok(types.len()) {
            return Err(wrong(format!("row field count is {count}, expected {}", types.len())));
        }
        let mut fields = Vec::with_capacity(types.len());
        for _ in types {
            let Some((length, behind)) = rest.split_first_chunk::<4>() else { return Ok(None) };
            let length = i32::from_be_bytes(*length);
            rest = behind;
            fields.push(match length {
                -1 => None,
                length => {
                    let length = usize::try_from(length).map_err(|_| wrong("invalid field size"))?;
                    let Some((field, behind)) = rest.split_at_checked(length) else { return Ok(None) };
                    rest = behind;
                    Some(field)
                }
            });
        }
        self.row += 1;
        let decoded = fields.into_iter().zip(types).map(|(field, ty)| field.map(|f| decode_field(f, *ty)).transpose());
        Ok(Some((Some(decoded.collect::<Result<_>>()?), rest)))
    }
}
