//! Which files of relations are open. A process may have only so many ([`aio::descriptors`]): those that are not in use just now are
//! closed when others need theirs, the least recently used first, and opened again when they are asked for.
//!
//! # Invariants
//! * What was written to a file that is closed is known to be unflushed until it is flushed ([`aio::Writes`] stay): a checkpoint opens
//!   it again.
//! * A file that was there is never made again by being opened again: its relation may be gone.

use std::sync::{Arc, Weak};

use aio::descriptors::Keeper;
use aio::lwlock::Mutex;

use super::relation::Relation;

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
            // The session that opens a segment of it has it locked.
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
