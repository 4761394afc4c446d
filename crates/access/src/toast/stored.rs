//! How a value of variable length lies in a row, in its undo records, and in a row's values wherever they are bytes.
//!
//! Most lie as they are. Others begin with [`MARK`], a byte that no UTF-8 text begins with, and one that says how:
//!
//! ```text
//! offset  bytes  field
//!      0      1  0xff
//!      1      1  0 = as it is, behind these two: a binary value that happens to begin with 0xff
//!                1 = compressed (LZ4 block)
//!                2 = out of line, 3 = out of line and compressed
//!      2      4  1, 2, 3: bytes of the value itself
//!      6         1: the compressed bytes
//!      6      4  2, 3: bytes out of line
//!     10      8  2, 3: the value's identity, which each of its chunks has
//!     18      1  2, 3: levels: 0 = the runs are of the value's chunks, n = of chunks with the runs of level n - 1
//!     19         2, 3: runs of chunks, 8 bytes each: block (4), first row (2), rows (2)
//! ```

use std::borrow::Cow;

use crate::page::{Tid, get_u16, get_u32, get_u64};

pub const MARK: u8 = 0xff;
const AS_IT_IS: u8 = 0;
const COMPRESSED: u8 = 1;
const OUT_OF_LINE: u8 = 2;

const HEADER: usize = 6;
const POINTER: usize = 19;
const RUN: usize = 8;
/// Runs that a pointer has itself, at most.
pub(crate) const MAX_RUNS: usize = 6;
/// The longest value, as in PostgreSQL.
pub const MAX_VALUE: usize = 0x3fff_ffff;

/// A value that is not as it lies there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored<'a> {
    AsItIs(&'a [u8]),
    Compressed { size: usize, bytes: &'a [u8] },
    OutOfLine(Pointer<'a>),
}

/// Where a value's chunks are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointer<'a> {
    pub compressed: bool,
    /// Bytes of the value.
    pub size: usize,
    /// Bytes out of line.
    pub stored: usize,
    pub id: u64,
    pub levels: u8,
    runs: &'a [u8],
}

/// Chunks that are rows side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    pub block: u32,
    pub row: u16,
    pub rows: u16,
}

const NO_SENSE: &str = "a long value's bytes make no sense";

/// Does a value of variable length lie otherwise than as it is?
#[inline]
pub fn is_extended(value: &[u8]) -> bool {
    value.first() == Some(&MARK)
}

impl<'a> Stored<'a> {
    /// What the bytes of a value of variable length say. The reason if they make no sense.
    pub fn of(bytes: &'a [u8]) -> Result<Stored<'a>, &'static str> {
        if !is_extended(bytes) {
            return Ok(Stored::AsItIs(bytes));
        }
        let kind = *bytes.get(1).ok_or(NO_SENSE)?;
        if kind == AS_IT_IS {
            return Ok(Stored::AsItIs(&bytes[2..]));
        }
        let least = if kind == COMPRESSED { HEADER } else { POINTER };
        if kind > (OUT_OF_LINE | COMPRESSED) || bytes.len() < least || get_u32(bytes, 2) as usize > MAX_VALUE {
            return Err(NO_SENSE);
        }
        let size = get_u32(bytes, 2) as usize;
        if kind == COMPRESSED {
            return Ok(Stored::Compressed { size, bytes: &bytes[HEADER..] });
        }
        let runs = &bytes[POINTER..];
        if !runs.len().is_multiple_of(RUN) {
            return Err(NO_SENSE);
        }
        Ok(Stored::OutOfLine(Pointer {
            compressed: kind & COMPRESSED != 0,
            size,
            stored: get_u32(bytes, 6) as usize,
            id: get_u64(bytes, 10),
            levels: bytes[18],
            runs,
        }))
    }
}

impl<'a> Pointer<'a> {
    /// What leads to a value out of line. The reason if the bytes are none, or make no sense.
    pub fn of(bytes: &'a [u8]) -> Result<Pointer<'a>, &'static str> {
        match Stored::of(bytes)? {
            Stored::OutOfLine(pointer) => Ok(pointer),
            _ => Err("a value is not out of line"),
        }
    }

    pub fn runs(&self) -> impl Iterator<Item = Run> + use<'a> {
        runs(self.runs)
    }

    /// `runs`: at most [`MAX_RUNS`].
    pub(crate) fn encode(compressed: bool, size: usize, stored: usize, id: u64, levels: u8, runs: &[Run]) -> Vec<u8> {
        let mut out = vec![MARK, OUT_OF_LINE | u8::from(compressed)];
        out.extend_from_slice(&(size as u32).to_le_bytes());
        out.extend_from_slice(&(stored as u32).to_le_bytes());
        out.extend_from_slice(&id.to_le_bytes());
        out.push(levels);
        put_runs(runs, &mut out);
        out
    }
}

/// Runs that are one after the other; what is left over is none.
pub(crate) fn runs(bytes: &[u8]) -> impl Iterator<Item = Run> + use<'_> {
    bytes.chunks_exact(RUN).map(|bytes| Run {
        block: get_u32(bytes, 0),
        row: get_u16(bytes, 4) as u16,
        rows: get_u16(bytes, 6) as u16,
    })
}

pub(crate) fn put_runs(runs: &[Run], out: &mut Vec<u8>) {
    for run in runs {
        out.extend_from_slice(&run.block.to_le_bytes());
        out.extend_from_slice(&run.row.to_le_bytes());
        out.extend_from_slice(&run.rows.to_le_bytes());
    }
}

impl Run {
    pub fn tids(self) -> impl Iterator<Item = Tid> {
        (self.row..self.row.saturating_add(self.rows)).map(move |row| Tid { block: self.block, row })
    }

    /// Adds a chunk behind the last, as part of its run where that is possible.
    pub(crate) fn push(runs: &mut Vec<Run>, tid: Tid) {
        match runs.last_mut() {
            Some(last) if last.block == tid.block && last.row + last.rows == tid.row => last.rows += 1,
            _ => runs.push(Run { block: tid.block, row: tid.row, rows: 1 }),
        }
    }
}

/// A value that is in line, as it is; `None`: it is out of line.
pub fn in_line(bytes: &[u8]) -> Result<Option<Cow<'_, [u8]>>, &'static str> {
    Ok(match Stored::of(bytes)? {
        Stored::AsItIs(bytes) => Some(bytes.into()),
        Stored::Compressed { size, bytes } => {
            let mut out = Vec::new();
            decompress(bytes, size, &mut out)?;
            Some(out.into())
        }
        Stored::OutOfLine(_) => None,
    })
}

/// A value that begins with [`MARK`] and is to be as it is.
pub fn escaped(value: &[u8]) -> Vec<u8> {
    [&[MARK, AS_IT_IS], value].concat()
}

/// A value compressed, if that makes it shorter.
pub(crate) fn compressed(value: &[u8]) -> Option<Vec<u8>> {
    let mut out = vec![0; HEADER + lz4_flex::block::get_maximum_output_size(value.len())];
    out[..2].copy_from_slice(&[MARK, COMPRESSED]);
    out[2..HEADER].copy_from_slice(&(value.len() as u32).to_le_bytes());
    let size = HEADER + lz4_flex::block::compress_into(value, &mut out[HEADER..]).ok()?;
    out.truncate(size);
    (size < value.len()).then_some(out)
}

/// The compressed bytes of what [`compressed`] gave.
pub(crate) fn body(compressed: &[u8]) -> &[u8] {
    &compressed[HEADER..]
}

/// Appends a value of so many bytes that is compressed.
pub(crate) fn decompress(bytes: &[u8], size: usize, out: &mut Vec<u8>) -> Result<(), &'static str> {
    let at = out.len();
    out.resize(at + size, 0);
    match lz4_flex::block::decompress_into(bytes, &mut out[at..]) {
        Ok(written) if written == size => Ok(()),
        _ => Err("compressed data is corrupted"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn values_are_what_they_were(value in proptest::collection::vec(prop_oneof![Just(0xffu8), any::<u8>()], 0..300)) {
            let bytes = escaped(&value);
            prop_assert_eq!(Stored::of(&bytes), Ok(Stored::AsItIs(&value[..])));
            let long = value.repeat(20);
            if let Some(bytes) = compressed(&long) {
                let Ok(Stored::Compressed { size, bytes }) = Stored::of(&bytes) else { panic!("it is compressed") };
                let mut out = vec![7];
                prop_assert_eq!(decompress(bytes, size, &mut out), Ok(()));
                prop_assert_eq!(&out[1..], &long[..]);
            }
        }

        #[test]
        fn no_bytes_are_too_strange(mut bytes in proptest::collection::vec(any::<u8>(), 0..40), kind in 0u8..5) {
            bytes.insert(0, MARK);
            bytes.insert(1, kind);
            if let Ok(Stored::Compressed { size, bytes }) = Stored::of(&bytes) && size < 1 << 20 {
                let _ = decompress(bytes, size, &mut Vec::new());
            }
        }
    }

    #[test]
    fn pointers_keep_runs() {
        let mut list = Vec::new();
        for (block, row) in [(7, 0), (7, 1), (7, 2), (8, 0), (9, 5), (9, 7)] {
            Run::push(&mut list, Tid { block, row });
        }
        assert_eq!(list.len(), 4);
        let bytes = Pointer::encode(true, 9000, 7000, 42, 0, &list);
        let Ok(Stored::OutOfLine(pointer)) = Stored::of(&bytes) else { panic!("it is out of line") };
        assert_eq!((pointer.compressed, pointer.size, pointer.stored, pointer.id), (true, 9000, 7000, 42));
        assert_eq!(pointer.runs().collect::<Vec<_>>(), list);
        let tids: Vec<Tid> = pointer.runs().flat_map(Run::tids).collect();
        assert_eq!((tids.len(), tids[2]), (6, Tid { block: 7, row: 2 }));
    }
}
