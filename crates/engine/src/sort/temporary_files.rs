//! `temp_file_limit`: the bytes of temporary files that a session has at once, as PostgreSQL's `fd.c` counts them. What a file has
//! grown to counts as long as it is there; what workers write for the session counts with it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use error::sqlstate;

use crate::{EngineError, Result};

/// A session's temporary files. Copies count together.
#[derive(Clone, Debug, Default)]
pub struct TemporaryFiles {
    used: Arc<AtomicU64>,
    /// In bytes; `None`: they may have any size.
    limit: Option<u64>,
}

impl TemporaryFiles {
    /// The same files, from now on with this limit.
    pub fn with_limit(&self, limit: Option<u64>) -> TemporaryFiles {
        TemporaryFiles { used: self.used.clone(), limit }
    }

    /// A file with nothing in it yet.
    pub fn file(&self) -> TemporaryFile {
        TemporaryFile { files: self.clone(), size: 0 }
    }
}

/// What a file has of a session's limit, until it is gone.
#[derive(Debug)]
pub struct TemporaryFile {
    files: TemporaryFiles,
    size: u64,
}

impl TemporaryFile {
    /// It is to become longer. Fails with 53400 where the session's files would be too large.
    pub fn grow(&mut self, bytes: u64) -> Result<()> {
        let TemporaryFiles { used, limit } = &self.files;
        let before = used.fetch_add(bytes, Ordering::Relaxed);
        self.size += bytes;
        match limit {
            Some(limit) if before.saturating_add(bytes) > *limit => {
                let message = format!("temporary file size exceeds \"temp_file_limit\" ({}kB)", limit >> 10);
                Err(EngineError::new(sqlstate::CONFIGURATION_LIMIT_EXCEEDED, message))
            }
            _ => Ok(()),
        }
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        self.files.used.fetch_sub(self.size, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_at_once_counts() {
        let files = TemporaryFiles::default();
        let limited = files.with_limit(Some(10 << 10));
        let (mut a, mut b) = (files.file(), limited.file());
        a.grow(9 << 10).unwrap();
        b.grow(1 << 10).unwrap();
        assert_eq!(b.grow(1).unwrap_err().message, "temporary file size exceeds \"temp_file_limit\" (10kB)");
        drop(a);
        b.grow(1 << 10).unwrap();
        drop(b);
        assert_eq!(files.used.load(Ordering::Relaxed), 0);
    }
}
