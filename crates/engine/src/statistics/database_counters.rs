//! What happened in a database (PostgreSQL's `PgStat_StatDBEntry`): `pg_stat_database` shows it, with what its relations count.

use std::time::Duration;

use aio::Striped;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum DatabaseCount {
    /// Transactions that ended, whether they changed anything or not.
    Commits,
    Rollbacks,
    Deadlocks,
    Sessions,
    /// Sessions whose client was gone without a word, that a fatal error ended, and that an administrator terminated.
    Abandoned,
    Fatal,
    Killed,
    /// Microseconds: of sessions that have ended, in statements, and in transactions between statements.
    SessionTime,
    ActiveTime,
    IdleInTransactionTime,
    /// What relations had counted that are gone.
    Returned,
    Fetched,
    Inserted,
    Updated,
    Deleted,
    Hits,
    Reads,
}

pub(crate) const DATABASE_COUNTS: usize = DatabaseCount::Reads as usize + 1;

/// The numbers of a database, by [`DatabaseCount`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DatabaseCounts(pub(crate) [u64; DATABASE_COUNTS]);

impl DatabaseCounts {
    pub fn get(&self, count: DatabaseCount) -> u64 {
        self.0[count as usize]
    }

    pub(crate) fn add(&mut self, count: DatabaseCount, more: u64) {
        self.0[count as usize] += more;
    }
}

#[derive(Debug, Default)]
pub struct DatabaseCounters(Striped<DATABASE_COUNTS>);

impl DatabaseCounters {
    /// Those that go on from there.
    pub(crate) fn of(counts: DatabaseCounts) -> DatabaseCounters {
        DatabaseCounters(Striped::of(counts.0))
    }

    pub fn note(&self, count: DatabaseCount) {
        self.add(count, 1);
    }

    pub(crate) fn add(&self, count: DatabaseCount, more: u64) {
        self.0.add(count as usize, more);
    }

    pub(crate) fn add_time(&self, count: DatabaseCount, time: Duration) {
        self.add(count, time.as_micros() as u64);
    }

    pub(crate) fn counts(&self) -> DatabaseCounts {
        DatabaseCounts(self.0.sums())
    }
}
