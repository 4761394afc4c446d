//! What subqueries have given, so that the same parameters do not make one run again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use foldhash::fast::RandomState;
use types::Datum;

use super::Batch;
use super::hashed::HashedRows;

/// Bytes of results that are kept.
pub(crate) const ROOM: usize = 4 << 20;

/// After so many questions fewer than one of [`RARE`] answered by what is kept say that keeping is of no use.
const ENOUGH: u64 = 1024;
const RARE: u64 = 16;

/// The results of an execution's subqueries, by plan.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    results: HashMap<(usize, Box<[Datum]>), Datum, RandomState>,
    /// How often a result was asked for, and was there.
    asked: u64,
    answered: u64,
    hashed: HashMap<usize, Arc<HashedRows>, RandomState>,
    /// All rows of subqueries that take nothing from a row; `None`: they are too many.
    rows: HashMap<usize, Option<Arc<[Batch]>>, RandomState>,
    bytes: usize,
}

impl Memo {
    fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub fn result(&self, key: &(usize, Box<[Datum]>)) -> Option<Datum> {
        let mut kept = self.kept();
        let found = kept.results.get(key).cloned();
        kept.asked += 1;
        kept.answered += u64::from(found.is_some());
        found
    }

    /// Keeps a result while there is room, and as long as what is kept is asked for.
    pub fn keep(&self, key: (usize, Box<[Datum]>), result: Datum) {
        let bytes = 64 + key.1.iter().map(size).sum::<usize>() + size(&result);
        let mut kept = self.kept();
        let is_of_use = kept.asked < ENOUGH || kept.answered >= kept.asked / RARE;
        if is_of_use && kept.bytes + bytes <= ROOM {
            kept.bytes += bytes;
            kept.results.insert(key, result);
        }
    }

    pub fn rows(&self, plan: usize) -> Option<Option<Arc<[Batch]>>> {
        self.kept().rows.get(&plan).cloned()
    }

    pub fn keep_rows(&self, plan: usize, rows: Option<Arc<[Batch]>>) {
        self.kept().rows.insert(plan, rows);
    }

    pub fn hashed(&self, plan: usize) -> Option<Arc<HashedRows>> {
        self.kept().hashed.get(&plan).cloned()
    }

    pub fn keep_hashed(&self, plan: usize, rows: Arc<HashedRows>) {
        self.kept().hashed.insert(plan, rows);
    }
}

/// Bytes of a value.
pub(crate) fn size(value: &Datum) -> usize {
    size_of::<Datum>()
        + match value {
            Datum::Text(text) => text.len(),
            Datum::Bytes(bytes) => bytes.len(),
            _ => 0,
        }
}
