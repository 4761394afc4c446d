//! Chunks: rows of one column in the table's fork: the value's identity (8), the chunk's number (4, the level in its upper bits),
//! and a part of the bytes. Four fill a page.

use std::sync::{Arc, LazyLock};

use arrow_schema::DataType;

use crate::shape::{ColumnShape, Storage, TableShape};

/// Bytes of a value in a chunk.
pub(crate) const CHUNK: usize = 1985;
/// Bytes of a chunk before those.
pub(crate) const CHUNK_HEADER: usize = 12;
/// Bits of a chunk's number that are its place in its level.
const LEVEL_SHIFT: u32 = 29;

/// What the rows of a fork look like.
pub(crate) static CHUNKS: LazyLock<Arc<TableShape>> =
    LazyLock::new(|| Arc::new(TableShape::of(vec![ColumnShape::first(DataType::Binary, false, None, Storage::Plain)])));

/// The first bytes of a chunk.
pub(crate) fn chunk_header(id: u64, level: u8, number: u32) -> [u8; CHUNK_HEADER] {
    debug_assert!(level < 1 << (32 - LEVEL_SHIFT) && number < 1 << LEVEL_SHIFT, "a chunk's number tells its level");
    let mut header = [0; CHUNK_HEADER];
    header[..8].copy_from_slice(&id.to_le_bytes());
    header[8..].copy_from_slice(&(u32::from(level) << LEVEL_SHIFT | number).to_le_bytes());
    header
}
