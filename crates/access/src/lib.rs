//! Access methods. The heap keeps rows column by column within each page (PAX: Ailamaki et al., VLDB 2001), so that a page
//! turns into Arrow arrays by copying runs, and `count(*)` touches no column at all. Rows are updated in place; what they
//! were before is in the undo log.
//!
//! * [`shape`]: how a table's columns are laid out.
//! * [`edit`]: changing pages, with one log record for all that belongs together, and replaying it.
//! * [`page`]: one heap page, to the byte; `entries`: who made the versions of its rows; [`row_set`]: some of them; [`modify`]:
//!   changes within one.
//! * [`undo`]: what rows were before; [`rollback`]: putting them back.
//! * [`heap`]: finding and fetching rows; `insert`, [`change`]: putting them in and changing them; `room`: for that; [`pages`]: reading ahead for it; [`bulk`]: loading many around the log; [`vacuum`]: tidying up.
//! * [`scan`]: pages to Arrow batches.
//! * [`xact_status`]: what a transaction has done to rows, [`activity`]: what is known of that of a heap.
//! * [`toast`]: values that are too long for their row.
//! * [`index`]: indexes, of whatever access method.

use error::sqlstate;

pub mod activity;
pub mod bulk;
pub mod change;
pub mod edit;
mod entries;
pub mod heap;
pub mod index;
mod insert;
pub mod modify;
pub mod page;
pub mod pages;
pub mod progress;
pub mod redo;
pub mod rekeyed;
pub mod rollback;
mod room;
pub mod row;
pub mod row_set;
pub mod scan;
pub mod scan_key;
pub mod shape;
mod targets;
pub mod toast;
pub mod undo;
pub mod vacuum;
mod variable;
pub mod xact_status;

pub use bulk::BulkLoad;
pub use change::{Outcome, RowChange};
pub use heap::{Heap, Newest, Store, Writer};
pub use page::{PageRow, Tid};
pub use pages::Pages;
pub use scan::{BatchBuilder, HeapScan};
pub use scan_key::{Accepts, ScanKey};
pub use shape::{ColumnShape, Lying, Since, Storage, TableShape};
pub use toast::batch::{Detoaster, StoredBatch};
pub use undo::{UNDO, UndoLog, UndoWriter};

/// What can go wrong with rows.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AccessError {
    #[error(transparent)]
    Storage(#[from] storage::StorageError),
    #[error(transparent)]
    Log(#[from] wal::LogError),
    /// Even with its long values out of line.
    #[error("row is too big: size {size}, maximum size {max}")]
    RowTooBig { size: usize, max: usize },
    #[error("value is too long: size {size}, maximum size {max}")]
    ValueTooLong { size: usize, max: usize },
    #[error("missing chunk number {chunk} for toast value {value} in relation \"{relation}\"")]
    MissingChunk { chunk: u32, value: u64, relation: storage::RelationId },
    #[error("undo log size exceeds \"max_undo_size\" ({limit}kB)")]
    UndoFull { limit: u64 },
    /// A page's bytes passed the checksum and yet make no sense.
    #[error("invalid heap page in block {block} of relation \"{relation}\": {reason}")]
    BadHeapPage { relation: storage::RelationId, block: u32, reason: &'static str },
    #[error("invalid B-tree page in block {block} of relation \"{relation}\": {reason}")]
    BadIndexPage { relation: storage::RelationId, block: u32, reason: &'static str },
    #[error("index row size {size} exceeds maximum {max}")]
    KeyTooLong { size: usize, max: usize },
    #[error("a type cannot be stored: {0}")]
    Unsupported(String),
    /// There is no room for a value of so many bytes.
    #[error("out of memory")]
    NoRoom { size: usize },
}

impl AccessError {
    /// PostgreSQL's error code.
    pub fn sqlstate(&self) -> &'static str {
        match self {
            AccessError::Storage(e) => e.sqlstate(),
            AccessError::Log(e) => e.sqlstate(),
            AccessError::RowTooBig { .. } => sqlstate::PROGRAM_LIMIT_EXCEEDED,
            AccessError::KeyTooLong { .. } | AccessError::ValueTooLong { .. } => sqlstate::PROGRAM_LIMIT_EXCEEDED,
            AccessError::UndoFull { .. } => sqlstate::CONFIGURATION_LIMIT_EXCEEDED,
            AccessError::BadHeapPage { .. } | AccessError::MissingChunk { .. } => sqlstate::DATA_CORRUPTED,
            AccessError::BadIndexPage { .. } => sqlstate::INDEX_CORRUPTED,
            AccessError::Unsupported(_) => sqlstate::FEATURE_NOT_SUPPORTED,
            AccessError::NoRoom { .. } => sqlstate::OUT_OF_MEMORY,
        }
    }
}

impl From<AccessError> for error::Error {
    fn from(e: AccessError) -> error::Error {
        let error = error::Error::new(e.sqlstate(), e.to_string());
        match e {
            AccessError::NoRoom { size } => error.detail(format!("Failed on request of size {size}.")),
            _ => error,
        }
    }
}

pub type Result<T> = std::result::Result<T, AccessError>;
