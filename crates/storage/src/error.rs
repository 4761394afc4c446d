//! What can go wrong with a page.

use std::sync::Arc;

use aio::IoError;
use error::sqlstate;

use crate::page::BlockNumber;

pub type Result<T> = std::result::Result<T, StorageError>;

#[derive(Clone, Debug, thiserror::Error)]
pub enum StorageError {
    /// The device failed. The text has file, offset and length.
    #[error(transparent)]
    Io(#[from] IoError),
    /// The file ends before the page.
    #[error("could not read block {block} in file \"{file}\": read only {got} of {} bytes", crate::PAGE_SIZE)]
    Truncated { file: Arc<str>, block: BlockNumber, got: u64 },
    /// The bytes are not what was written.
    #[error("invalid page in block {block} of relation \"{file}\": {reason}")]
    Corrupt { file: Arc<str>, block: BlockNumber, reason: String },
    /// A file could not be opened, created, listed or removed.
    #[error("could not {action} file \"{file}\": {}", std::io::Error::from_raw_os_error(*.errno))]
    File { action: &'static str, file: Arc<str>, errno: i32 },
    /// Every buffer is pinned.
    #[error("no unpinned buffers available")]
    NoBuffers,
    /// The log could not be made durable, so the page cannot be written.
    #[error("could not write the log ahead of a page: {0}")]
    Log(Arc<str>),
}

impl StorageError {
    /// PostgreSQL's error code.
    pub fn sqlstate(&self) -> &'static str {
        match self {
            StorageError::Io(e) if e.is_out_of_space() => sqlstate::DISK_FULL,
            StorageError::Io(_) | StorageError::Log(_) => sqlstate::IO_ERROR,
            StorageError::Truncated { .. } | StorageError::Corrupt { .. } => sqlstate::DATA_CORRUPTED,
            StorageError::File { errno, .. } => match *errno {
                libc::ENOSPC | libc::EDQUOT => sqlstate::DISK_FULL,
                libc::ENOENT => sqlstate::UNDEFINED_FILE,
                libc::EMFILE | libc::ENFILE => sqlstate::INSUFFICIENT_RESOURCES,
                _ => sqlstate::IO_ERROR,
            },
            StorageError::NoBuffers => sqlstate::OUT_OF_MEMORY,
        }
    }

    pub fn is_out_of_space(&self) -> bool {
        self.sqlstate() == sqlstate::DISK_FULL
    }

    /// An operation on a file that is no transfer failed.
    pub fn file(action: &'static str, file: &str, error: &std::io::Error) -> StorageError {
        StorageError::File { action, file: file.into(), errno: error.raw_os_error().unwrap_or(libc::EIO) }
    }
}

impl From<StorageError> for error::Error {
    fn from(e: StorageError) -> error::Error {
        error::Error::new(e.sqlstate(), e.to_string())
    }
}
