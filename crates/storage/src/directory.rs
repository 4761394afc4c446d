//! Directories in which files are made and removed.
//!
//! Nobody waits for an entry when a file is made. A checkpoint, and a load whose pages the log does not have, flush directories
//! with what they rely on (`flush.rs`); a file that came after the last checkpoint and is gone after a crash is made again
//! by recovery, from the log.
//!
//! # Invariants
//! * An entry is noted when it is there: a flush that begins later has it.
//! * After a flush that failed nobody is told any more that entries are durable.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use aio::{File, Handle, Io, IoContext, IoError, IoObject, OpenMode, Target};

use crate::error::{Result, StorageError};
use crate::flush::{Flushed, Flushing};

#[derive(Debug)]
pub(crate) struct Directory {
    file: File,
    flushing: Flushing,
    /// The system's error number of a flush that failed, or 0.
    failed: AtomicI32,
}

impl Directory {
    /// `name`: below the data directory.
    pub fn open(root: &Path, name: &str) -> Result<Directory> {
        let file = File::open(&root.join(name), name, OpenMode::default());
        let file = file.map_err(|e| StorageError::file("open", name, &e))?;
        Ok(Directory { file, flushing: Flushing::default(), failed: AtomicI32::new(0) })
    }

    /// A file was made in it, or removed.
    pub fn note_entry(&self) {
        self.file.note_written();
    }

    pub fn is_broken(&self) -> bool {
        self.failed.load(Ordering::Acquire) != 0
    }
}

impl Flushed for Directory {
    fn flushing(&self) -> &Flushing {
        &self.flushing
    }

    fn files(&self) -> Vec<File> {
        vec![self.file.clone()]
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
            errno => Err(StorageError::File { action: "fsync", file: self.file.name().clone(), errno }),
        }
    }
}
