//! What was done to a heap's rows: PostgreSQL's `PgStat_StatTabEntry`. `pg_stat_all_tables` shows it, and autovacuum decides by it.
//! What transactions do counts when they end ([`crate::undo::xact_status`]).
//!
//! The engine keeps it over restarts.

use std::ops::AddAssign;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aio::lwlock::Mutex;

/// A table's entry, to which transactions add when they end.
#[derive(Debug, Default)]
pub struct Activity(Mutex<TableEntry>);

/// What is known of a table at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TableEntry {
    /// What was attempted, whatever became of it.
    pub changes: Changes,
    /// Rows that are there, and versions of rows that are not.
    pub live: u64,
    pub dead: u64,
    pub changed_since_analyze: u64,
    pub inserted_since_vacuum: u64,
    /// Rows that came with files that were written anew, which VACUUM has not seen.
    rewritten: u64,
    runs: [Runs; 4],
    /// A VACUUM could not give the blocks at the end back before a checkpoint that starts from here; 0: there was none.
    cut_after: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Runs {
    count: u64,
    /// Microseconds since 1970; 0: never.
    last: i64,
    /// Nanoseconds, all together.
    time: u64,
}

/// Rows that were inserted, updated and deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    pub inserted: u64,
    pub updated: u64,
    pub deleted: u64,
}

impl AddAssign for Changes {
    fn add_assign(&mut self, more: Changes) {
        self.inserted += more.inserted;
        self.updated += more.updated;
        self.deleted += more.deleted;
    }
}

/// What a transaction adds to a table's entry (`PgStat_TableCounts`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableCounts {
    changes: Changes,
    live: i64,
    dead: u64,
    changed: u64,
    /// Of what was there before nothing is.
    truncdropped: bool,
}

impl TableCounts {
    /// Of a transaction that commits, of which subtransactions have aborted after they `attempted` something.
    pub fn of_commit(committed: Changes, attempted: Changes, truncdropped: bool) -> TableCounts {
        let Changes { inserted, updated, deleted } = committed;
        let mut changes = committed;
        changes += attempted;
        let left = if truncdropped { 0 } else { attempted.inserted + attempted.updated };
        TableCounts {
            changes,
            live: inserted as i64 - deleted as i64,
            dead: left + updated + deleted,
            changed: inserted + updated + deleted,
            truncdropped,
        }
    }

    /// Of one that aborts: what it inserted is dead, what it deleted is not.
    pub fn of_abort(attempted: Changes) -> TableCounts {
        TableCounts { changes: attempted, dead: attempted.inserted + attempted.updated, ..TableCounts::default() }
    }
}

/// What is run over a table from time to time, by a session or by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maintenance {
    Vacuum,
    Autovacuum,
    Analyze,
    Autoanalyze,
}

/// How often something was run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunCounts {
    pub count: u64,
    /// Microseconds since 1970.
    pub last: Option<i64>,
    /// Milliseconds, all together.
    pub time: f64,
}

/// How many numbers [`Activity::counters`] gives.
pub const COUNTERS: usize = 20;

impl TableEntry {
    /// Rows that VACUUM has not seen: autovacuum counts those, too, that came with new files.
    pub fn unseen_by_vacuum(&self) -> u64 {
        self.inserted_since_vacuum + self.rewritten
    }

    /// How often ANALYZE ran, as a command or by itself.
    pub fn runs_of_analyze(&self) -> u64 {
        self.runs(Maintenance::Analyze).count + self.runs(Maintenance::Autoanalyze).count
    }

    pub fn runs(&self, what: Maintenance) -> RunCounts {
        let Runs { count, last, time } = self.runs[what as usize];
        RunCounts { count, last: Some(last).filter(|last| *last != 0), time: time as f64 / 1e6 }
    }

    /// Can blocks be given back that could not be when VACUUM came by, now that recovery begins at `redo`?
    pub fn has_cut(&self, redo: u64) -> bool {
        self.cut_after != 0 && self.cut_after <= redo
    }

    fn ran(&mut self, what: Maintenance, took: Duration) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
        let runs = &mut self.runs[what as usize];
        runs.count += 1;
        runs.last = i64::try_from(now).unwrap_or(i64::MAX);
        runs.time += took.as_nanos() as u64;
    }
}

impl Activity {
    /// With what [`Activity::counters`] has given.
    pub fn of(counters: [u64; COUNTERS]) -> Activity {
        let [inserted, updated, deleted, live, dead, changed, unseen, rewritten, runs @ ..] = counters;
        let mut entry = TableEntry {
            changes: Changes { inserted, updated, deleted },
            live,
            dead,
            changed_since_analyze: changed,
            inserted_since_vacuum: unseen,
            rewritten,
            ..TableEntry::default()
        };
        for (to, from) in entry.runs.iter_mut().zip(runs.as_chunks::<3>().0) {
            let [count, last, time] = *from;
            *to = Runs { count, last: last as i64, time };
        }
        Activity(Mutex::new(entry))
    }

    /// All of it, to be kept.
    pub fn counters(&self) -> [u64; COUNTERS] {
        let entry = self.entry();
        let Changes { inserted, updated, deleted } = entry.changes;
        let since = [entry.changed_since_analyze, entry.inserted_since_vacuum, entry.rewritten];
        let mut counters = [0; COUNTERS];
        let numbers = [inserted, updated, deleted, entry.live, entry.dead].into_iter().chain(since);
        let runs = entry.runs.into_iter().flat_map(|runs| [runs.count, runs.last as u64, runs.time]);
        counters.iter_mut().zip(numbers.chain(runs)).for_each(|(counter, number)| *counter = number);
        counters
    }

    pub fn entry(&self) -> TableEntry {
        *self.0.lock()
    }

    /// A transaction has ended (`pgstat_relation_flush_cb`).
    pub fn add(&self, counts: TableCounts) {
        let mut entry = self.0.lock();
        if counts.truncdropped {
            (entry.live, entry.dead, entry.inserted_since_vacuum, entry.rewritten) = (0, 0, 0, 0);
        }
        entry.changes += counts.changes;
        entry.live = entry.live.saturating_add_signed(counts.live);
        entry.dead += counts.dead;
        entry.changed_since_analyze += counts.changed;
        entry.inserted_since_vacuum += counts.changes.inserted;
    }

    /// So many rows are in another file now, without what VACUUM looks for, and without what it has noted.
    pub fn note_rewritten(&self, rows: u64) {
        let mut entry = self.0.lock();
        (entry.rewritten, entry.cut_after) = (rows, 0);
    }

    /// A VACUUM ends that began when `began` was known (`pgstat_report_vacuum`), and left so many rows, and so many versions that
    /// a snapshot still sees. What came meanwhile is left for the next.
    pub fn vacuumed(&self, what: Maintenance, began: &TableEntry, (live, dead): (u64, u64), took: Duration) {
        let mut entry = self.0.lock();
        entry.live = live;
        entry.dead = dead + entry.dead.saturating_sub(began.dead);
        entry.inserted_since_vacuum = entry.inserted_since_vacuum.saturating_sub(began.inserted_since_vacuum);
        entry.rewritten = 0;
        entry.ran(what, took);
    }

    /// An ANALYZE ends that began when `began` was known (`pgstat_report_analyze`), and found so many rows; `all`: it was about all
    /// columns.
    pub fn analyzed(&self, what: Maintenance, began: &TableEntry, live: u64, all: bool, took: Duration) {
        let mut entry = self.0.lock();
        entry.live = live;
        if all {
            entry.changed_since_analyze = entry.changed_since_analyze.saturating_sub(began.changed_since_analyze);
        }
        entry.ran(what, took);
    }

    /// Blocks at the end can be given back when recovery needs no log before this position; 0: there are none.
    pub fn note_cut(&self, after: u64) {
        self.0.lock().cut_after = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(activity: &Activity, inserted: u64, updated: u64, deleted: u64) {
        activity.add(TableCounts::of_commit(Changes { inserted, updated, deleted }, Changes::default(), false));
    }

    #[test]
    fn what_comes_while_a_vacuum_runs_is_left_for_the_next() {
        let activity = Activity::default();
        add(&activity, 100, 10, 5);
        let began = activity.entry();
        add(&activity, 7, 0, 2);
        activity.vacuumed(Maintenance::Autovacuum, &began, (100, 1), Duration::from_millis(5));
        let entry = activity.entry();
        assert_eq!((entry.live, entry.dead), (100, 3));
        assert_eq!((entry.inserted_since_vacuum, entry.changed_since_analyze), (7, 124));
        activity.analyzed(Maintenance::Analyze, &entry, 99, false, Duration::ZERO);
        assert_eq!(activity.entry().changed_since_analyze, 124, "of some columns");
        activity.analyzed(Maintenance::Analyze, &entry, 98, true, Duration::ZERO);
        let entry = activity.entry();
        assert_eq!((entry.live, entry.dead, entry.changed_since_analyze), (98, 3, 0));
        assert_eq!(entry.runs(Maintenance::Vacuum).last, None);
        let runs = entry.runs(Maintenance::Autovacuum);
        assert!(runs.count == 1 && runs.time == 5.0 && runs.last.is_some());
        activity.note_rewritten(50);
        assert_eq!(activity.entry().unseen_by_vacuum(), 57);
        assert_eq!(Activity::of(activity.counters()).entry(), activity.entry());
    }

    #[test]
    fn rows_are_never_fewer_than_none() {
        let activity = Activity::default();
        add(&activity, 1, 0, 5);
        assert_eq!((activity.entry().live, activity.entry().dead), (0, 5));
    }
}
