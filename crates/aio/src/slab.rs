//! The handles' places: a few at a time are made, when a session first has so many operations under way. A server may
//! allow many sessions of which most never have more than one.

use std::sync::OnceLock;

use crate::slot::Slot;
use crate::stats::StatKey;

/// Places that are made together.
const CHUNK: usize = 4;

pub(crate) struct Slab {
    chunks: Box<[OnceLock<Box<[Slot]>>]>,
    idle: StatKey,
    vectors: usize,
}

impl std::ops::Index<usize> for Slab {
    type Output = Slot;

    fn index(&self, index: usize) -> &Slot {
        &self.chunks[index / CHUNK].get().expect("a handle that was handed out has its place")[index % CHUNK]
    }
}

impl Slab {
    /// `vectors` is for how many buffers each operation has room at once.
    pub(crate) fn new(handles: usize, idle: StatKey, vectors: usize) -> Slab {
        Slab { chunks: (0..handles.div_ceil(CHUNK)).map(|_| OnceLock::new()).collect(), idle, vectors }
    }

    /// Before a handle is handed out: its place is there.
    pub(crate) fn make(&self, index: usize) -> &Slot {
        let make = || (0..CHUNK).map(|_| Slot::new(self.idle, self.vectors)).collect();
        &self.chunks[index / CHUNK].get_or_init(make)[index % CHUNK]
    }

    /// Those there are of `indexes`.
    pub(crate) fn within(&self, indexes: std::ops::Range<usize>) -> impl Iterator<Item = (usize, &Slot)> {
        indexes.filter_map(|index| Some((index, &self.chunks[index / CHUNK].get()?[index % CHUNK])))
    }

    /// All there are.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &Slot)> {
        let made = self.chunks.iter().enumerate().filter_map(|(at, chunk)| Some((at * CHUNK, chunk.get()?)));
        made.flat_map(|(first, chunk)| (first..).zip(chunk))
    }
}

/// The handles that a session is not using.
#[derive(Default)]
pub(crate) struct Unused {
    /// Used before, the latest last.
    returned: Vec<u32>,
    /// How many were ever taken.
    taken: u32,
}

impl Unused {
    /// One of the `count` handles from `first` on.
    pub(crate) fn take(&mut self, first: usize, count: usize) -> Option<u32> {
        self.returned.pop().or_else(|| {
            let fresh = ((self.taken as usize) < count).then(|| first as u32 + self.taken)?;
            self.taken += 1;
            Some(fresh)
        })
    }

    pub(crate) fn give_back(&mut self, index: u32) {
        debug_assert!(self.returned.len() < self.taken as usize, "a handle is given back twice");
        self.returned.push(index);
    }

    /// None is in use.
    pub(crate) fn is_all(&self) -> bool {
        self.returned.len() == self.taken as usize
    }
}
