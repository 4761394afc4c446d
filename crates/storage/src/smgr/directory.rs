//! Directories in which files are made and removed.
//!
//! No session waits for an entry when a file is made. A checkpoint, and a load whose pages the log does not have, flush directories
//! with what they rely on (`flush.rs`); a file that came after the last checkpoint and is gone after a crash is made again
//! by recovery, from the log.
//!
//! # Invariants
//! * An entry is noted when it is there: a flush that begins later has it.
//! * After a flush that failed no session is told any more that entries are durable.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use aio::{File, Handle, Io, IoContext, IoError, IoObject, OpenMode, Target, Writes};

use super::flush::{Flushed, Flushing};
use crate::error::{Result, StorageError};

#[derive(Debug)]
pub(crate) struct Directory {
    path: PathBuf,
    name: Arc<str>,
    /// The entries that were made and removed. It is open while it is flushed.
    entries: Arc<Writes>,
    flushing: Flushing,
    /// The system's error number of a flush that failed, or 0.
    failed: AtomicI32,
}

impl Directory {
    /// `name`: below the data directory.
    pub fn open(root: &Path, name: &str) -> Result<Directory> {
        let directory = Directory {
            path: root.join(name),
            name: name.into(),
            entries: Arc::default(),
            flushing: Flushing::default(),
            failed: AtomicI32::new(0),
        };
        // It is there.
        directory.file()?;
        Ok(directory)
    }

    fn file(&self) -> Result<File> {
        let file = File::open_again(&self.path, &self.name, OpenMode::default(), self.entries.clone());
        file.map_err(|e| StorageError::file("open", &self.name, &e))
    }

    /// A file was made in it, or removed.
    pub fn note_entry(&self) {
        self.entries.note();
    }

    pub fn is_broken(&self) -> bool {
        self.failed.load(Ordering::Acquire) != 0
    }
}

impl Flushed for Directory {
    fn flushing(&self) -> &Flushing {
        &self.flushing
    }

    fn unflushed(&self) -> Result<Vec<File>> {
        if self.entries.are_unflushed() { Ok(vec![self.file()?]) } else { Ok(Vec::new()) }
    }

    fn begin_flush(&self, handle: Handle, file: &File, target: &Arc<dyn Target>) -> Io {
        handle.fsync(file, target, (IoObject::Relation, IoContext::Normal))
    }

    fn note_flush(&self, error: &IoError) {
        self.failed.store(error.errno, Ordering::Release);
    }

    fn check_flushed(&self) -> Result<()> {
        match self.failed.load(Ordering::Acquire) {
            0 => Ok(()),
            errno => Err(StorageError::File { action: "fsync", file: self.name.clone(), errno }),
        }
    }
}
