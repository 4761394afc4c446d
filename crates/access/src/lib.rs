//! Access methods. The heap keeps rows column by column within each page (PAX: Ailamaki et al., VLDB 2001), so that a page
//! turns into Arrow arrays by copying runs, and `count(*)` touches no column at all.
//!
//! * [`shape`]: how a table's columns are laid out.
//! * [`page`]: one heap page, to the byte.
//! * [`heap`]: inserting rows, with their log records, and bulk loading around the log.
//! * [`scan`]: pages to Arrow batches.
//! * [`redo`]: replaying the heap's log records.

pub mod heap;
pub mod page;
pub mod redo;
pub mod row;
pub mod scan;
pub mod shape;

pub use heap::{BulkLoad, Heap, insert_batch};
pub use scan::{BatchBuilder, HeapScan};
pub use shape::{ColumnShape, TableShape};

/// What can go wrong with rows.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AccessError {
    #[error(transparent)]
    Storage(#[from] storage::StorageError),
    #[error(transparent)]
    Log(#[from] wal::LogError),
    /// PostgreSQL moves long values out of line; we do not yet.
    #[error("row is too big: size {size}, maximum size {max}")]
    RowTooBig { size: usize, max: usize },
    /// A page's bytes passed the checksum and yet make no sense.
    #[error("invalid heap page in block {block} of relation \"{relation}\": {reason}")]
    BadHeapPage { relation: storage::RelationId, block: u32, reason: &'static str },
    #[error("a type cannot be stored: {0}")]
    Unsupported(String),
}

impl AccessError {
    /// PostgreSQL's error code.
    pub fn sqlstate(&self) -> &'static str {
        match self {
            AccessError::Storage(e) => e.sqlstate(),
            AccessError::Log(e) if e.is_out_of_space() => "53100",
            AccessError::Log(_) => "58030",
            AccessError::RowTooBig { .. } => "54000",
            AccessError::BadHeapPage { .. } => "XX001",
            AccessError::Unsupported(_) => "0A000",
        }
    }
}

pub type Result<T> = std::result::Result<T, AccessError>;
