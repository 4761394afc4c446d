//! What a transaction keeps of the cumulative statistics (`stats_fetch_consistency`): nothing, what it has looked at, or all as
//! it was when it first looked. PostgreSQL's `pgStatLocal.snapshot`.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::SystemTime;

use access::activity::TableEntry;
use config::Settings;
use engine::DatabaseCounts;
use parking_lot::Mutex;
use storage::{RelationCounts, RelationId};
use types::{Oid, Result};

use super::{Row, Server};

/// The statistics of which there is one of each kind, by the functions that show them.
const FIXED: &[&[&str]] = &[
    &[
        "pg_stat_get_bgwriter_buf_written_clean",
        "pg_stat_get_bgwriter_maxwritten_clean",
        "pg_stat_get_buf_alloc",
        "pg_stat_get_bgwriter_stat_reset_time",
    ],
    &[
        "pg_stat_get_checkpointer_num_timed",
        "pg_stat_get_checkpointer_num_requested",
        "pg_stat_get_checkpointer_num_performed",
        "pg_stat_get_checkpointer_buffers_written",
        "pg_stat_get_checkpointer_write_time",
        "pg_stat_get_checkpointer_sync_time",
        "pg_stat_get_checkpointer_stat_reset_time",
        "pg_stat_get_checkpointer_restartpoints_timed",
        "pg_stat_get_checkpointer_restartpoints_requested",
        "pg_stat_get_checkpointer_restartpoints_performed",
        "pg_stat_get_checkpointer_slru_written",
    ],
    &["pg_stat_get_archiver"],
    &["pg_stat_get_wal"],
    &["pg_stat_get_io"],
    &["pg_stat_get_slru"],
];

/// The functions that show the same as this one, if it shows something of which there is one.
pub(super) fn fixed_kind(function: &str) -> Option<&'static [&'static str]> {
    FIXED.iter().copied().find(|kind| kind.contains(&function))
}

/// `stats_fetch_consistency`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum FetchConsistency {
    None,
    #[default]
    Cache,
    Snapshot,
}

impl FetchConsistency {
    fn of(settings: &Settings) -> FetchConsistency {
        match settings.get("stats_fetch_consistency") {
            "none" => FetchConsistency::None,
            "snapshot" => FetchConsistency::Snapshot,
            _ => FetchConsistency::Cache,
        }
    }
}

/// What is known of a table or an index.
#[derive(Clone, Copy, Debug, Default)]
pub struct RelationEntry {
    pub rows: TableEntry,
    pub counts: RelationCounts,
}

/// What was looked at.
#[derive(Debug, Default)]
struct Fetched {
    consistency: FetchConsistency,
    /// When all was kept.
    taken: Option<SystemTime>,
    relations: HashMap<Oid, RelationEntry>,
    databases: HashMap<Oid, DatabaseCounts>,
    fixed: HashMap<&'static str, Vec<Row>>,
}

/// A session's place for it, until its transaction ends.
#[derive(Debug, Default)]
pub struct StatsSnapshot(Mutex<Option<Fetched>>);

impl StatsSnapshot {
    /// What is looked at next is as it is then.
    pub fn clear(&self) {
        *self.0.lock() = None;
    }
}

impl Server<'_> {
    /// What is known of a table or an index.
    pub(super) fn relation_entry(&self, oid: Oid) -> RelationEntry {
        let now = || match self.is_relation(oid) {
            true => {
                let activity = self.db.table_activity(self.database, oid);
                let rows = activity.map(|activity| activity.entry()).unwrap_or_default();
                RelationEntry { rows, counts: self.db.relation_counts(self.database, oid) }
            }
            false => RelationEntry::default(),
        };
        self.fetch(|fetched| &mut fetched.relations, oid, now)
    }

    /// What was counted in a database.
    pub(super) fn database_entry(&self, oid: Oid) -> DatabaseCounts {
        self.fetch(|fetched| &mut fetched.databases, oid, || self.db.database_counts(oid))
    }

    /// What a function of such a kind shows.
    pub(super) fn fixed(&self, kind: &[&'static str], function: &str) -> Result<Vec<Row>> {
        let kept = self.fetched(FetchConsistency::of(self.settings), |fetched| {
            if !fetched.fixed.contains_key(function) {
                for function in kind {
                    fetched.fixed.insert(*function, super::ask(self, function)?);
                }
            }
            Ok(fetched.fixed[function].clone())
        });
        kept.unwrap_or_else(|| super::ask(self, function))
    }

    /// When all statistics were kept that are looked at.
    pub(super) fn snapshot_timestamp(&self) -> Option<SystemTime> {
        let place = self.snapshot?.0.lock();
        let consistency = FetchConsistency::of(self.settings);
        place.as_ref().filter(|fetched| fetched.consistency == consistency)?.taken
    }

    /// Something is looked at of which there is nothing.
    pub(super) fn fetch_nothing(&self) {
        self.fetched(FetchConsistency::of(self.settings), |_| ());
    }

    /// Is there such a table or index? What the own transaction drops is there until that ends.
    fn is_relation(&self, oid: Oid) -> bool {
        let has = |catalog: &engine::Catalog| {
            // That of long values says which table's they are.
            let table = RelationId { database: self.database, file: oid }.main().file;
            let database = catalog.database_by_oid(self.database);
            database.is_some_and(|database| database.has_table(table) || database.has_index(oid))
        };
        has(&self.catalog) || has(&self.db.catalog())
    }

    fn fetch<K: Eq + Hash, T: Copy + Default>(
        &self,
        kept: impl Fn(&mut Fetched) -> &mut HashMap<K, T>,
        key: K,
        now: impl Fn() -> T,
    ) -> T {
        let consistency = FetchConsistency::of(self.settings);
        let found = self.fetched(consistency, |fetched| match consistency {
            // All that there was is there.
            FetchConsistency::Snapshot => kept(fetched).get(&key).copied().unwrap_or_default(),
            _ => *kept(fetched).entry(key).or_insert_with(&now),
        });
        found.unwrap_or_else(now)
    }

    /// Looks at what the transaction keeps. `None`: it keeps nothing.
    fn fetched<T>(&self, consistency: FetchConsistency, look: impl FnOnce(&mut Fetched) -> T) -> Option<T> {
        let snapshot = self.snapshot?;
        if consistency == FetchConsistency::None {
            snapshot.clear();
            return None;
        }
        let mut place = snapshot.0.lock();
        // What was kept under another setting is forgotten.
        if place.as_ref().is_none_or(|fetched| fetched.consistency != consistency) {
            *place = Some(match consistency {
                FetchConsistency::Snapshot => self.take_snapshot(),
                _ => Fetched { consistency, ..Fetched::default() },
            });
        }
        place.as_mut().map(look)
    }

    /// All that there is.
    fn take_snapshot(&self) -> Fetched {
        let relations = self.db.relation_statistics(self.database).into_iter();
        let relations = relations.filter(|(oid, ..)| self.is_relation(*oid));
        let relations = relations.map(|(oid, rows, counts)| (oid, RelationEntry { rows, counts }));
        let databases = self.catalog.databases().map(|found| (found.oid, self.db.database_counts(found.oid)));
        let functions = FIXED.iter().copied().flatten();
        let fixed = functions.filter_map(|function| Some((*function, super::ask(self, function).ok()?)));
        Fetched {
            consistency: FetchConsistency::Snapshot,
            taken: Some(SystemTime::now()),
            relations: relations.collect(),
            databases: databases.collect(),
            fixed: fixed.collect(),
        }
    }
}
