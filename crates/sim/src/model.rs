//! What the database must contain: the truth that every read, and every recovery, is compared with.
//!
//! Tasks share a thread, and a transaction's end is one step of its task: so at every moment the committed state here is
//! exactly what a snapshot taken in the database at that moment sees. Only a crash leaves a question: a transaction whose
//! COMMIT was under way is there as a whole, or not at all.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A row besides its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub value: i32,
    pub note: Option<Rc<str>>,
}

/// A table's rows by key.
pub type Rows = BTreeMap<i32, Row>;
/// What a transaction has changed: `None` is deleted.
pub type Changes = BTreeMap<(String, i32), Option<Row>>;

/// Rows as a transaction sees them: with its own changes.
pub fn with_own(rows: &Rows, table: &str, own: &Changes) -> Rows {
    let mut rows = rows.clone();
    for ((of, key), row) in own {
        if of == table {
            match row {
                Some(row) => rows.insert(*key, row.clone()),
                None => rows.remove(key),
            };
        }
    }
    rows
}

/// A COMMIT under way.
#[derive(Clone, Debug, Default)]
pub struct Doubt {
    pub changes: Changes,
    /// Tables that the transaction makes and drops.
    pub created: BTreeSet<String>,
    pub dropped: BTreeSet<String>,
}

#[derive(Default)]
pub struct Model {
    pub tables: BTreeMap<String, Rc<Rows>>,
    doubts: BTreeMap<u64, Doubt>,
    last: u64,
    /// Commits that were reported, of all lives.
    pub commits: u64,
    /// What `synchronous_commit = off` has reported, in order, and how many of these are known to be durable.
    pub journal: Vec<i32>,
    pub journal_durable: usize,
}

impl Model {
    pub fn rows(&self, table: &str) -> Rc<Rows> {
        self.tables.get(table).cloned().unwrap_or_default()
    }

    /// A COMMIT begins.
    pub fn doubt(&mut self, doubt: Doubt) -> u64 {
        self.last += 1;
        self.doubts.insert(self.last, doubt);
        self.last
    }

    /// It was reported: `committed` or not. Never called for one that a crash has cut off.
    pub fn settle(&mut self, number: u64, committed: bool) {
        let doubt = self.doubts.remove(&number).expect("it was under way");
        if committed {
            self.commits += 1;
            self.apply(doubt);
        }
    }

    fn apply(&mut self, doubt: Doubt) {
        for table in doubt.created {
            self.tables.entry(table).or_default();
        }
        for ((table, key), row) in doubt.changes {
            let rows = Rc::make_mut(self.tables.get_mut(&table).expect("a table of the model"));
            match row {
                Some(row) => rows.insert(key, row),
                None => rows.remove(&key),
            };
        }
        for table in doubt.dropped {
            self.tables.remove(&table);
        }
    }

    /// After a crash: what was found, table by table, decides about the commits that were under way. Everything else must
    /// be as it was.
    pub fn recover(&mut self, found: &BTreeMap<String, Rows>) -> Result<(), String> {
        for (number, doubt) in std::mem::take(&mut self.doubts) {
            let mut new = 0;
            let mut old = 0;
            let mut count = |is_new: bool, is_old: bool| match (is_new, is_old) {
                (true, true) => {}
                (true, false) => new += 1,
                (false, true) => old += 1,
                (false, false) => {
                    new += 1;
                    old += 1;
                }
            };
            for table in &doubt.created {
                count(found.contains_key(table), !found.contains_key(table));
            }
            for table in &doubt.dropped {
                count(!found.contains_key(table), found.contains_key(table));
            }
            for ((table, key), row) in &doubt.changes {
                if doubt.dropped.contains(table) || doubt.created.contains(table) {
                    continue;
                }
                let before = self.tables.get(table).and_then(|rows| rows.get(key));
                let now = found.get(table).and_then(|rows| rows.get(key));
                count(now == row.as_ref(), now == before);
            }
            if new > 0 && old > 0 {
                return Err(format!("of commit {number}, which was under way, only a part is there: {doubt:?}"));
            }
            if new > 0 {
                self.apply(doubt);
            }
        }
        let (expected, found_names): (Vec<_>, Vec<_>) = (self.tables.keys().collect(), found.keys().collect());
        if expected != found_names {
            return Err(format!("tables {found_names:?} where there should be {expected:?}"));
        }
        for (name, rows) in &self.tables {
            compare(name, rows, &found[name])?;
        }
        Ok(())
    }
}

/// The first difference between what should be there and what is.
pub fn compare(table: &str, expected: &Rows, found: &Rows) -> Result<(), String> {
    if expected == found {
        return Ok(());
    }
    let keys: BTreeSet<_> = expected.keys().chain(found.keys()).collect();
    let key = keys.into_iter().find(|key| expected.get(key) != found.get(key)).expect("they differ");
    let shorten = |row: Option<&Row>| match row {
        None => "nothing".to_string(),
        Some(row) => format!("{} with a note of {:?} bytes", row.value, row.note.as_ref().map(|note| note.len())),
    };
    Err(format!(
        "table {table}, key {key}: {} where there should be {}",
        shorten(found.get(key)),
        shorten(expected.get(key))
    ))
}
