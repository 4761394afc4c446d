//! What can go wrong with a page.

use std::sync::Arc;

use aio::IoError;

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
            StorageError::Io(e) if e.is_out_of_space() => "53100",
            StorageError::Io(_) | StorageError::Log(_) => "58030",
            StorageError::Truncated { .. } | StorageError::Corrupt { .. } => "XX001",
            StorageError::File { errno, .. } => match *errno {
                libc::ENOSPC | libc::EDQUOT => "53100",
                libc::ENOENT => "58P01",
                libc::EMFILE | libc::ENFILE => "53000",
                _ => "58030",
            },
            StorageError::NoBuffers => "53200",
        }
    }

    pub fn is_out_of_space(&self) -> bool {
        self.sqlstate() == "53100"
    }

    /// An operation on a file that is no transfer failed.
    pub fn file(action: &'static str, file: &str, error: &std::io::Error) -> StorageError {
        StorageError::File { action, file: file.into(), errno: error.raw_os_error().unwrap_or(libc::EIO) }
    }
}
