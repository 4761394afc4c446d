//! Which files of relations are open. A process may have only so many ([`aio::descriptors`]): those that nobody uses just now are
//! closed when others need theirs, the least recently used first, and opened again when somebody asks for them.
//!
//! # Invariants
//! * What was written to a file that is closed is known to be unflushed until it is flushed ([`Writes`] stay): a checkpoint opens
//!   it again.
//! * A file that was there is never made again by being opened again: its relation may be gone.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use aio::descriptors::{Keeper, files_opened};
use aio::lwlock::Mutex;
use aio::{File, Writes};

use crate::relation::Relation;

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
        // As a rule it is what it was, and nobody's cache has to hear of it.
        if self.used.load(Ordering::Relaxed) != now {
            self.used.store(now, Ordering::Relaxed);
        }
        self.file.clone()
    }

    pub fn writes(&self) -> &Arc<Writes> {
        &self.writes
    }

    /// What says which segments are closed before others; `None`: it is in use, or closed. An error of what the system still has to
    /// write is told to whoever has the file open: such files go last.
    fn rank(&self) -> Option<(bool, u64)> {
        let file = self.file.as_ref().filter(|file| !file.is_shared())?;
        Some((!file.is_direct() && file.is_unflushed(), self.used.load(Ordering::Relaxed)))
    }

    /// Lets go of its file, if nobody uses that.
    fn close(&mut self) -> Option<File> {
        self.file.take_if(|file| !file.is_shared())
    }
}

/// The relations whose files may be open.
#[derive(Debug, Default)]
pub(crate) struct OpenFiles {
    relations: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    relations: Vec<Weak<Relation>>,
    /// With so many, those that are gone are looked for.
    look_at: usize,
}

impl OpenFiles {
    pub fn add(&self, relation: &Arc<Relation>) {
        let mut known = self.relations.lock();
        if known.relations.len() >= known.look_at {
            known.relations.retain(|relation| relation.strong_count() > 0);
            known.look_at = (2 * known.relations.len()).max(64);
        }
        known.relations.push(Arc::downgrade(relation));
    }

    fn all(&self) -> Vec<Arc<Relation>> {
        self.relations.lock().relations.iter().filter_map(Weak::upgrade).collect()
    }
}

impl Keeper for OpenFiles {
    fn close_idle(&self, count: usize) -> usize {
        let relations = self.all();
        let mut idle = Vec::new();
        for (index, relation) in relations.iter().enumerate() {
            // Whoever opens a segment of it has it locked.
            let Some(segments) = relation.segments.try_read() else { continue };
            let ranks = segments.iter().enumerate().filter_map(|(number, segment)| Some((segment.as_ref()?, number)));
            idle.extend(ranks.filter_map(|(segment, number)| Some((segment.rank()?, index, number))));
        }
        if idle.len() > count && count > 0 {
            idle.select_nth_unstable(count - 1);
            idle.truncate(count);
        }
        let close = |(_, index, number): (_, usize, usize)| {
            let mut segments = relations[index].segments.try_write()?;
            segments.get_mut(number)?.as_mut()?.close()
        };
        idle.into_iter().filter_map(close).count()
    }
}
