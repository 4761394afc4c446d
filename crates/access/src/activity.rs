//! What was done to a heap's rows: PostgreSQL's `PgStat_StatTabEntry`. `pg_stat_all_tables` shows it, and autovacuum decides by it.
//! Changes count when they are made, whatever becomes of their transaction.
//!
//! Counters are relaxed atomics: each is exact, but they are no consistent set. The engine keeps them over restarts.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[derive(Debug, Default)]
pub struct Activity {
    inserted: AtomicU64,
    updated: AtomicU64,
    deleted: AtomicU64,
    /// What had been counted when the last VACUUM and the last ANALYZE began.
    at_vacuum: Mark,
    at_analyze: Mark,
    runs: [Runs; 4],
    /// A VACUUM could not give the blocks at the end back before a checkpoint that starts from here; 0: there was none.
    cut_after: AtomicU64,
}

#[derive(Debug, Default)]
struct Mark {
    inserted: AtomicU64,
    changed: AtomicU64,
}

impl Mark {
    fn set(&self, changes: Changes) {
        self.inserted.store(changes.inserted, Ordering::Relaxed);
        self.changed.store(changes.updated + changes.deleted, Ordering::Relaxed);
    }
}

#[derive(Debug, Default)]
struct Runs {
    count: AtomicU64,
    /// Microseconds since 1970; 0: never.
    last: AtomicI64,
    /// Nanoseconds, all together.
    time: AtomicU64,
}

/// Rows that were inserted, updated and deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    pub inserted: u64,
    pub updated: u64,
    pub deleted: u64,
}

/// What is run over a table from time to time, by somebody or by itself.
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
pub const COUNTERS: usize = 19;

impl Activity {
    /// With what [`Activity::counters`] has given.
    pub fn of(counters: [u64; COUNTERS]) -> Activity {
        let activity = Activity::default();
        for (counter, value) in activity.numbers().into_iter().zip(&counters) {
            counter.store(*value, Ordering::Relaxed);
        }
        for (runs, last) in activity.runs.iter().zip(&counters[COUNTERS - 4..]) {
            runs.last.store(*last as i64, Ordering::Relaxed);
        }
        activity
    }

    /// All of it, to be kept.
    pub fn counters(&self) -> [u64; COUNTERS] {
        let last = self.runs.iter().map(|runs| runs.last.load(Ordering::Relaxed) as u64);
        let numbers = self.numbers().into_iter().map(|counter| counter.load(Ordering::Relaxed)).chain(last);
        let mut counters = [0; COUNTERS];
        counters.iter_mut().zip(numbers).for_each(|(counter, number)| *counter = number);
        counters
    }

    fn numbers(&self) -> [&AtomicU64; COUNTERS - 4] {
        let [a, b, c, d] = &self.runs;
        [
            &self.inserted,
            &self.updated,
            &self.deleted,
            &self.at_vacuum.inserted,
            &self.at_vacuum.changed,
            &self.at_analyze.inserted,
            &self.at_analyze.changed,
            &a.count,
            &a.time,
            &b.count,
            &b.time,
            &c.count,
            &c.time,
            &d.count,
            &d.time,
        ]
    }

    /// The rows are in another file now, without what VACUUM looks for.
    pub fn note_rewritten(&self) {
        self.at_vacuum.set(self.changes());
        self.note_cut(0);
    }

    /// So many rows came with files that were written anew: VACUUM has not seen them.
    pub fn note_new_rows(&self, rows: u64) {
        let inserted = self.inserted.load(Ordering::Relaxed);
        self.at_vacuum.inserted.store(inserted.saturating_sub(rows), Ordering::Relaxed);
    }

    pub fn note_inserted(&self, rows: u64) {
        self.inserted.fetch_add(rows, Ordering::Relaxed);
    }

    pub fn note_updated(&self, rows: u64) {
        self.updated.fetch_add(rows, Ordering::Relaxed);
    }

    pub fn note_deleted(&self, rows: u64) {
        self.deleted.fetch_add(rows, Ordering::Relaxed);
    }

    pub fn changes(&self) -> Changes {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Changes { inserted: load(&self.inserted), updated: load(&self.updated), deleted: load(&self.deleted) }
    }

    /// Rows that were inserted since the last VACUUM.
    pub fn inserted_since_vacuum(&self) -> u64 {
        self.changes().inserted.saturating_sub(self.at_vacuum.inserted.load(Ordering::Relaxed))
    }

    /// Versions of rows that were replaced or deleted since the last VACUUM.
    pub fn dead(&self) -> u64 {
        let Changes { updated, deleted, .. } = self.changes();
        (updated + deleted).saturating_sub(self.at_vacuum.changed.load(Ordering::Relaxed))
    }

    /// Rows that were inserted, updated or deleted since the last ANALYZE.
    pub fn changed_since_analyze(&self) -> u64 {
        let Changes { inserted, updated, deleted } = self.changes();
        let before = self.at_analyze.inserted.load(Ordering::Relaxed) + self.at_analyze.changed.load(Ordering::Relaxed);
        (inserted + updated + deleted).saturating_sub(before)
    }

    /// Something was run that began when these changes had been made.
    pub fn ran(&self, what: Maintenance, began: Changes, took: Duration) {
        let mark = match what {
            Maintenance::Vacuum | Maintenance::Autovacuum => &self.at_vacuum,
            Maintenance::Analyze | Maintenance::Autoanalyze => &self.at_analyze,
        };
        mark.set(began);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
        let runs = &self.runs[what as usize];
        runs.count.fetch_add(1, Ordering::Relaxed);
        runs.last.store(i64::try_from(now).unwrap_or(i64::MAX), Ordering::Relaxed);
        runs.time.fetch_add(took.as_nanos() as u64, Ordering::Relaxed);
    }

    /// Blocks at the end can be given back when recovery needs no log before this position; 0: there are none.
    pub fn note_cut(&self, after: u64) {
        self.cut_after.store(after, Ordering::Relaxed);
    }

    /// Can blocks be given back that could not be when VACUUM came by, now that recovery begins at `redo`?
    pub fn has_cut(&self, redo: u64) -> bool {
        let after = self.cut_after.load(Ordering::Relaxed);
        after != 0 && after <= redo
    }

    /// How often ANALYZE ran, by somebody or by itself.
    pub fn runs_of_analyze(&self) -> u64 {
        self.runs(Maintenance::Analyze).count + self.runs(Maintenance::Autoanalyze).count
    }

    pub fn runs(&self, what: Maintenance) -> RunCounts {
        let runs = &self.runs[what as usize];
        let last = Some(runs.last.load(Ordering::Relaxed)).filter(|last| *last != 0);
        let time = runs.time.load(Ordering::Relaxed) as f64 / 1e6;
        RunCounts { count: runs.count.load(Ordering::Relaxed), last, time }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_while_a_vacuum_runs_is_left_for_the_next() {
        let activity = Activity::default();
        activity.note_inserted(100);
        activity.note_updated(10);
        activity.note_deleted(5);
        let began = activity.changes();
        activity.note_inserted(7);
        activity.note_deleted(2);
        activity.ran(Maintenance::Autovacuum, began, Duration::from_millis(5));
        assert_eq!((activity.inserted_since_vacuum(), activity.dead(), activity.changed_since_analyze()), (7, 2, 124));
        activity.ran(Maintenance::Analyze, activity.changes(), Duration::ZERO);
        assert_eq!((activity.dead(), activity.changed_since_analyze()), (2, 0));
        assert_eq!(activity.runs(Maintenance::Vacuum).last, None);
        let runs = activity.runs(Maintenance::Autovacuum);
        assert!(runs.count == 1 && runs.time == 5.0 && runs.last.is_some());
        let kept = Activity::of(activity.counters());
        assert_eq!((kept.changes(), kept.dead(), kept.inserted_since_vacuum()), (activity.changes(), 2, 7));
        assert_eq!(kept.runs(Maintenance::Autovacuum), runs);
        kept.note_rewritten();
        assert_eq!((kept.changes(), kept.dead(), kept.inserted_since_vacuum()), (activity.changes(), 0, 0));
    }
}
