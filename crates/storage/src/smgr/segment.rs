//! Segments: the files of 1 GiB that a relation is cut into.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use aio::descriptors::files_opened;
use aio::{File, OpInfo, OpKind, Writes};

use crate::page::{BlockNumber, PAGE_SIZE};

/// Blocks in a segment file of 1 GiB.
pub const SEGMENT_BLOCKS: u32 = (1 << 30) / PAGE_SIZE as u32;

/// A segment file of a relation, once it was opened.
#[derive(Debug)]
pub(crate) struct Segment {
    /// `None`: closed for others' sake.
    file: Option<File>,
    writes: Arc<Writes>,
    /// How many files had been opened when it was used last.
    used: AtomicU64,
}

impl Segment {
    pub fn new(file: File) -> Segment {
        Segment { writes: file.writes().clone(), file: Some(file), used: files_opened().into() }
    }

    /// Its file, if that is open, which counts as used now.
    pub fn file(&self) -> Option<File> {
        let now = files_opened();
        // As a rule it is what it was, and no processor's cache has to hear of it.
        if self.used.load(Ordering::Relaxed) != now {
            self.used.store(now, Ordering::Relaxed);
        }
        self.file.clone()
    }

    pub fn writes(&self) -> &Arc<Writes> {
        &self.writes
    }

    /// What says which segments are closed before others; `None`: it is in use, or closed. An error of what the system still has to
    /// write is told to those that have the file open: such files go last.
    pub(super) fn rank(&self) -> Option<(bool, u64)> {
        let file = self.file.as_ref().filter(|file| !file.is_shared())?;
        Some((!file.is_direct() && file.is_unflushed(), self.used.load(Ordering::Relaxed)))
    }

    /// Lets go of its file, if that is not in use.
    pub(super) fn close(&mut self) -> Option<File> {
        self.file.take_if(|file| !file.is_shared())
    }
}

/// Blocks of a segment file's operation, counted from the start of the relation, and the relation's name.
pub(crate) fn blocks_of(op: &OpInfo) -> (BlockNumber, u32, &str) {
    let (name, segment) = match op.file.rsplit_once('.') {
        Some((name, segment)) => (name, segment.parse().unwrap_or(0)),
        None => (&*op.file, 0),
    };
    let first = segment * SEGMENT_BLOCKS + (op.offset / PAGE_SIZE as u64) as u32;
    (first, (op.len / PAGE_SIZE as u64) as u32, name)
}

/// `pg_aios.target_desc` as PostgreSQL words it.
pub(crate) fn describe(op: &OpInfo) -> String {
    if matches!(op.kind, OpKind::Fsync | OpKind::Fdatasync) {
        return format!("file \"{}\"", op.file);
    }
    match blocks_of(op) {
        (first, 1, name) => format!("block {first} in file \"{name}\""),
        (first, count, name) => format!("blocks {first}..{} in file \"{name}\"", first + count.max(1) - 1),
    }
}
