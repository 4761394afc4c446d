//! What subqueries have given, so that the same parameters do not make one run again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use foldhash::fast::RandomState;
use types::Datum;

use super::Batch;
use super::hashed::HashedRows;

/// Bytes of results that are kept.
pub(crate) const ROOM: usize = 4 << 20;

/// The results of an execution's subqueries, by plan.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    results: HashMap<(usize, Box<[Datum]>), Datum, RandomState>,
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
        self.kept().results.get(key).cloned()
    }

    /// Keeps a result while there is room.
    pub fn keep(&self, key: (usize, Box<[Datum]>), result: Datum) {
        let bytes = 64 + key.1.iter().map(size).sum::<usize>() + size(&result);
        let mut kept = self.kept();
        if kept.bytes + bytes <= ROOM {
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
