//! What can go wrong with rows.

use error::sqlstate;

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
