//! What the database must contain: the truth that every read, and every recovery, is compared with.
//!
//! Tasks share a thread, and a transaction's end is one step of its task: so at every moment the committed state here is
//! exactly what a snapshot taken in the database at that moment sees. Only a crash leaves a question: a transaction whose
//! COMMIT was under way is there as a whole, or not at all. Most have ended by then, before they are durable: of these a crash
//! takes the last ones, in the order of the log, and none that a client was told of, whichever it was and however it saw it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

/// A row besides its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub value: i32,
    pub note: Option<Rc<str>>,
}

impl Row {
    pub fn note_bytes(&self) -> Option<&[u8]> {
        self.note.as_deref().map(str::as_bytes)
    }
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
    /// Of those that have ended, so many were before its record in the log.
    after: u64,
}

type Tables = BTreeMap<String, Rc<Rows>>;

#[derive(Default)]
pub struct Model {
    /// What all snapshots see.
    pub tables: Tables,
    /// The same without what may not be durable.
    durable: Tables,
    /// What may not be: changes of transactions that have ended, and the ends of their commit records, in the order of the log.
    ended: VecDeque<(Changes, u64)>,
    /// Transactions that have ended.
    position: u64,
    doubts: BTreeMap<u64, Doubt>,
    last: u64,
    /// Commits that were reported, of all lives.
    pub commits: u64,
    /// Blocks that VACUUM gave back, of all lives.
    pub blocks_cut: u64,
    /// What `synchronous_commit = off` has reported, in order, and how many of these are known to be durable.
    pub journal: Vec<i32>,
    pub journal_durable: usize,
}

impl Model {
    pub fn rows(&self, table: &str) -> Rc<Rows> {
        self.tables.get(table).cloned().unwrap_or_default()
    }

    /// What a table has without those that have ended and are not durable, if the log is up to `lsn`; and how many that leaves.
    pub fn durable_rows(&self, table: &str, lsn: u64) -> (Rc<Rows>, u64) {
        let rows = self.durable.get(table).cloned().unwrap_or_default();
        let durable = self.ended.iter().take_while(|(_, end)| *end <= lsn);
        let first = self.position - self.ended.len() as u64;
        durable.fold((rows, first), |(rows, count), (changes, _)| (Rc::new(with_own(&rows, table, changes)), count + 1))
    }

    /// A COMMIT begins.
    pub fn doubt(&mut self, doubt: Doubt) -> u64 {
        self.last += 1;
        self.doubts.insert(self.last, doubt);
        self.last
    }

    /// Its record is in the log, and ends at `lsn`. If it `has_ended` all snapshots see what it did.
    pub fn logged(&mut self, number: u64, has_ended: bool, lsn: u64) {
        if has_ended {
            let doubt = self.doubts.remove(&number).expect("it was under way");
            apply(&mut self.tables, &doubt);
            self.ended.push_back((doubt.changes, lsn));
            self.position += 1;
        } else {
            self.doubts.get_mut(&number).expect("it is under way").after = self.position;
        }
    }

    /// Does a COMMIT under way change this key of a table?
    pub fn is_in_doubt(&self, table: &str, key: i32) -> bool {
        self.doubts.values().flat_map(|doubt| doubt.changes.keys()).any(|(of, changed)| of == table && *changed == key)
    }

    /// How many transactions have ended.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// So many of those that have ended are durable, because a client was told of the last of them.
    pub fn told(&mut self, position: u64) {
        while self.position - (self.ended.len() as u64) < position {
            let (changes, _) = self.ended.pop_front().expect("only what has ended is told of");
            apply(&mut self.durable, &Doubt { changes, ..Doubt::default() });
        }
    }

    /// A client was told what a table, or one key of it, had when so many had ended.
    pub fn told_of(&mut self, table: &str, key: Option<i32>, position: u64) {
        let first = self.position - self.ended.len() as u64;
        let concerns = |changes: &Changes| changes.keys().any(|(t, k)| t == table && key.is_none_or(|key| key == *k));
        let known = (position.saturating_sub(first) as usize).min(self.ended.len());
        if let Some(last) = (0..known).rev().find(|at| concerns(&self.ended[*at].0)) {
            self.told(first + last as u64 + 1);
        }
    }

    /// What has not ended was reported: `committed` or not. Never called for one that a crash has cut off.
    pub fn record_outcome(&mut self, number: u64, committed: bool) {
        let doubt = self.doubts.remove(&number).expect("it was under way");
        if committed {
            self.commits += 1;
            self.told(doubt.after);
            apply(&mut self.durable, &doubt);
            apply(&mut self.tables, &doubt);
        }
    }

    /// After a crash: what was found, table by table, decides about the commits that were under way. Everything else must
    /// be as it was.
    pub fn recover(&mut self, found: &BTreeMap<String, Rows>) -> Result<(), String> {
        let doubts = std::mem::take(&mut self.doubts);
        let ended = std::mem::take(&mut self.ended);
        self.position = 0;
        let mut tables = std::mem::take(&mut self.durable);
        let mut outcome = with_doubts(&tables, &doubts, found);
        for (changes, _) in ended {
            if outcome.is_ok() {
                break;
            }
            apply(&mut tables, &Doubt { changes, ..Doubt::default() });
            // The first reason tells what a crash took; with more transactions that had ended there is more to miss.
            outcome = with_doubts(&tables, &doubts, found).map_err(|_| outcome.expect_err("it was just asked"));
        }
        self.tables = outcome?;
        self.durable = self.tables.clone();
        Ok(())
    }
}

fn apply(tables: &mut Tables, doubt: &Doubt) {
    for table in &doubt.created {
        tables.entry(table.clone()).or_default();
    }
    for ((table, key), row) in &doubt.changes {
        let rows = Rc::make_mut(tables.get_mut(table).expect("a table of the model"));
        match row {
            Some(row) => rows.insert(*key, row.clone()),
            None => rows.remove(key),
        };
    }
    for table in &doubt.dropped {
        tables.remove(table);
    }
}

/// Tables with what was found of the commits that had not ended, if the rest is as it must be.
fn with_doubts(
    tables: &Tables,
    doubts: &BTreeMap<u64, Doubt>,
    found: &BTreeMap<String, Rows>,
) -> Result<Tables, String> {
    let mut tables = tables.clone();
    for (number, doubt) in doubts {
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
            let before = tables.get(table).and_then(|rows| rows.get(key));
            let now = found.get(table).and_then(|rows| rows.get(key));
            count(now == row.as_ref(), now == before);
        }
        if new > 0 && old > 0 {
            return Err(format!("of commit {number}, which was under way, only a part is there: {doubt:?}"));
        }
        if new > 0 {
            apply(&mut tables, doubt);
        }
    }
    let (expected, found_names): (Vec<_>, Vec<_>) = (tables.keys().collect(), found.keys().collect());
    if expected != found_names {
        return Err(format!("tables {found_names:?} where there should be {expected:?}"));
    }
    for (name, rows) in &tables {
        compare(name, rows, &found[name])?;
    }
    Ok(tables)
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
