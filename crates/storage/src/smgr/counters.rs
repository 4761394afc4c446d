//! What scans and the pool did with a relation (PostgreSQL's `PgStat_TableCounts`): `pg_stat_all_tables`, `pg_stat_all_indexes` and
//! the `pg_statio` views show it. They are the table's or index's, whatever files it has: the engine says to each relation
//! that it opens where it is counted ([`crate::Relation::count_in`]), and keeps them.

use std::time::{SystemTime, UNIX_EPOCH};

use aio::Striped;

/// What was counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RelationCounts {
    /// Sequential scans of a table; searches in an index.
    pub scans: u64,
    /// When the last of them began, in microseconds since 1970; 0: never.
    pub last_scan: u64,
    /// Rows that sequential scans gave; entries that scans of an index gave.
    pub returned: u64,
    /// Rows of a table that bitmaps led to; rows that the entries of an index led to.
    pub fetched: u64,
    /// Pages that were in the pool, and pages that were read.
    pub hits: u64,
    pub reads: u64,
}

/// How many numbers [`RelationCounts::numbers`] gives.
pub const RELATION_COUNTS: usize = 6;

const SCANS: usize = 0;
const LAST_SCAN: usize = 1;
const RETURNED: usize = 2;
const FETCHED: usize = 3;
const HITS: usize = 4;
const READS: usize = 5;

impl RelationCounts {
    /// In the order of the constants above.
    pub fn numbers(self) -> [u64; RELATION_COUNTS] {
        [self.scans, self.last_scan, self.returned, self.fetched, self.hits, self.reads]
    }

    pub fn of([scans, last_scan, returned, fetched, hits, reads]: [u64; RELATION_COUNTS]) -> RelationCounts {
        RelationCounts { scans, last_scan, returned, fetched, hits, reads }
    }
}

#[derive(Debug, Default)]
pub struct RelationCounters(Striped<RELATION_COUNTS>);

impl RelationCounters {
    /// Those that go on from there.
    pub fn of(counts: RelationCounts) -> RelationCounters {
        RelationCounters(Striped::of(counts.numbers()))
    }

    /// Scans of a table or searches in an index begin.
    pub fn note_scans(&self, scans: u64) {
        if scans > 0 {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros() as u64;
            self.0.add(SCANS, scans);
            self.0.raise(LAST_SCAN, now);
        }
    }

    pub fn note_returned(&self, rows: u64) {
        self.0.add(RETURNED, rows);
    }

    pub fn note_fetched(&self, rows: u64) {
        self.0.add(FETCHED, rows);
    }

    pub(crate) fn note_hit(&self) {
        self.0.add(HITS, 1);
    }

    pub(crate) fn note_reads(&self, pages: u64) {
        self.0.add(READS, pages);
    }

    /// Takes over what others have counted, which begin anew.
    pub fn take(&self, others: &RelationCounters) {
        let RelationCounts { scans, last_scan, returned, fetched, hits, reads } = others.counts();
        others.0.reset();
        self.0.raise(LAST_SCAN, last_scan);
        for (counter, more) in [(SCANS, scans), (RETURNED, returned), (FETCHED, fetched), (HITS, hits), (READS, reads)]
        {
            self.0.add(counter, more);
        }
    }

    pub fn counts(&self) -> RelationCounts {
        RelationCounts { last_scan: self.0.largest(LAST_SCAN), ..RelationCounts::of(self.0.sums()) }
    }
}
