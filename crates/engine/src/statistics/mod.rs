//! Cumulative statistics (PostgreSQL's `pgstat`): what was done to tables, what scans did with them and their indexes, and what
//! happened in databases. Views show it, and autovacuum decides by it. They outlive a table's files (TRUNCATE makes others),
//! and the server: every checkpoint writes them to `global/statistics`, as JSON. After a crash they are as of the last one;
//! what cannot be read begins anew.

pub(crate) mod database_counters;
pub(crate) mod sample;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use access::activity::{Activity, COUNTERS, TableEntry};
use aio::lwlock::Mutex;
use serde::{Deserialize, Serialize};
use storage::{RELATION_COUNTS, RelationCounters, RelationCounts, RelationId};

use crate::catalog::{Catalog, TableDef};
use crate::data_directory::files::replace_file;
use crate::statistics::database_counters::{DATABASE_COUNTS, DatabaseCount, DatabaseCounters, DatabaseCounts};

const FILE: &str = "global/statistics";
/// Relations that are gone are looked for when there are twice as many as there were after the last time, and at least so many.
const LEAST: usize = 1000;

/// A database and a relation in it, by oid.
type Key = (u32, u32);

/// The counters of a table or an index, and what was done to the table, with the file that it had when it was last opened.
#[derive(Debug, Default)]
struct Relation {
    counters: Arc<RelationCounters>,
    table: Option<(u32, Arc<Activity>)>,
}

#[derive(Debug, Default)]
struct State {
    relations: HashMap<Key, Relation>,
    databases: HashMap<u32, Arc<DatabaseCounters>>,
    kept: usize,
}

/// As they are written.
#[derive(Default, Serialize, Deserialize)]
struct Written {
    relations: Vec<WrittenRelation>,
    databases: Vec<(u32, [u64; DATABASE_COUNTS])>,
}

#[derive(Serialize, Deserialize)]
struct WrittenRelation {
    database: u32,
    oid: u32,
    counts: [u64; RELATION_COUNTS],
    rows: Option<(u32, [u64; COUNTERS])>,
}

/// The statistics of all databases and of relations to which something was done.
#[derive(Debug)]
pub(crate) struct Statistics {
    path: PathBuf,
    state: Mutex<State>,
}

impl Statistics {
    /// Those that were written in a data directory, if there are any.
    pub(crate) fn load(root: &Path) -> Statistics {
        let path = root.join(FILE);
        let written: Written = match std::fs::read(&path).map(|text| serde_json::from_slice(&text)) {
            Ok(Ok(written)) => written,
            Ok(Err(error)) => {
                tracing::warn!(%error, "the statistics cannot be read: they begin anew");
                Written::default()
            }
            Err(_) => Written::default(),
        };
        let relation = |written: WrittenRelation| {
            let table = written.rows.map(|(file, counters)| (file, Arc::new(Activity::of(counters))));
            let counters = Arc::new(RelationCounters::of(RelationCounts::of(written.counts)));
            ((written.database, written.oid), Relation { counters, table })
        };
        let database = |(oid, counts)| (oid, Arc::new(DatabaseCounters::of(DatabaseCounts(counts))));
        let relations = written.relations.into_iter().map(relation).collect();
        let databases = written.databases.into_iter().map(database).collect();
        Statistics { path, state: Mutex::new(State { relations, databases, kept: 0 }) }
    }

    /// Those of a table, which is being opened; its files count in them.
    pub(crate) fn open_table(
        &self,
        database: u32,
        def: &TableDef,
        files: &storage::Relation,
        catalog: impl FnOnce() -> Arc<Catalog>,
    ) -> Arc<Activity> {
        let mut state = self.state.lock();
        if state.relations.len() >= (2 * state.kept).max(LEAST) {
            state.forget_gone(&catalog());
        }
        let relation = state.count(files, (database, def.oid));
        let (file, activity) = relation.table.get_or_insert_with(|| (def.file, Arc::default()));
        if *file != def.file {
            // It was written anew, or emptied: what VACUUM would look for is gone.
            *file = def.file;
            activity.note_rewritten(0);
        }
        activity.clone()
    }

    /// What is done to a table's long values, which have an oid of their own.
    pub(crate) fn of_toast(&self, database: u32, oid: u32) -> Arc<Activity> {
        let mut state = self.state.lock();
        let relation = state.relations.entry((database, oid)).or_default();
        relation.table.get_or_insert_with(|| (oid, Arc::default())).1.clone()
    }

    /// The files of an index, which is being opened, count in its statistics.
    pub(crate) fn open_index(&self, database: u32, oid: u32, files: &storage::Relation) {
        self.state.lock().count(files, (database, oid));
    }

    /// What was done to a table, if anything was.
    pub(crate) fn activity(&self, database: u32, oid: u32) -> Option<Arc<Activity>> {
        let state = self.state.lock();
        state.relations.get(&(database, oid))?.table.as_ref().map(|(_, activity)| activity.clone())
    }

    /// What was done to and with the tables and indexes of a database.
    pub(crate) fn of_relations(&self, database: u32) -> Vec<(u32, TableEntry, RelationCounts)> {
        let state = self.state.lock();
        let own = state.relations.iter().filter(|((of, _), _)| *of == database);
        let known = own.map(|((_, oid), relation)| {
            let rows = relation.table.as_ref().map(|(_, activity)| activity.entry()).unwrap_or_default();
            (*oid, rows, relation.counters.counts())
        });
        known.collect()
    }

    /// What was done with a table or an index.
    pub(crate) fn counts(&self, database: u32, oid: u32) -> RelationCounts {
        let state = self.state.lock();
        state.relations.get(&(database, oid)).map(|relation| relation.counters.counts()).unwrap_or_default()
    }

    /// Where is counted what happens in a database.
    pub(crate) fn of_database(&self, oid: u32) -> Arc<DatabaseCounters> {
        self.state.lock().databases.entry(oid).or_default().clone()
    }

    /// What happened in a database, with what its relations have counted.
    pub(crate) fn database_counts(&self, oid: u32) -> DatabaseCounts {
        let state = self.state.lock();
        let mut counts = state.databases.get(&oid).map(|counters| counters.counts()).unwrap_or_default();
        let relations = state.relations.iter().filter(|((database, _), _)| *database == oid);
        relations.for_each(|(_, relation)| relation.add_to(|count, more| counts.add(count, more)));
        counts
    }

    /// Writes them. Nothing but themselves depends on it.
    pub(crate) fn write(&self, catalog: &Catalog) {
        let (mut relations, mut databases) = (Vec::new(), HashMap::new());
        {
            let state = self.state.lock();
            let there = state.databases.iter().filter(|(oid, _)| catalog.database_by_oid(**oid).is_some());
            databases.extend(there.map(|(oid, counters)| (*oid, counters.counts())));
            for (key @ &(database, oid), relation) in &state.relations {
                if is_there(catalog, key) {
                    let rows = relation.table.as_ref().map(|(file, activity)| (*file, activity.counters()));
                    let counts = relation.counters.counts().numbers();
                    relations.push(WrittenRelation { database, oid, counts, rows });
                } else if let Some(counts) = databases.get_mut(&database) {
                    relation.add_to(|count, more| counts.add(count, more));
                }
            }
        }
        let databases = databases.into_iter().map(|(oid, counts)| (oid, counts.0)).collect();
        let written = Written { relations, databases };
        let text = serde_json::to_string(&written).expect("numbers can be written");
        if let Err(error) = replace_file(&self.path, &text) {
            tracing::warn!(%error, "the statistics could not be written");
        }
    }
}

impl State {
    /// Lets a relation's files count in its statistics. Files that others had before, as those that a rewriting command has made
    /// under another oid, count where they do, and that becomes the relation's.
    fn count(&mut self, files: &storage::Relation, key: Key) -> &mut Relation {
        let own = self.relations.entry(key).or_default().counters.clone();
        let counters = files.count_in(own.clone());
        if !Arc::ptr_eq(&counters, &own) {
            counters.take(&own);
            for (_, before) in self.relations.iter_mut().filter(|(other, _)| **other != key) {
                if Arc::ptr_eq(&before.counters, &counters) {
                    before.counters = Arc::default();
                }
            }
        }
        let relation = self.relations.entry(key).or_default();
        relation.counters = counters;
        relation
    }

    /// What relations that are gone have counted stays with their database. Those that are open may be there for a transaction.
    fn forget_gone(&mut self, catalog: &Catalog) {
        let State { relations, databases, .. } = self;
        relations.retain(|key, relation| {
            let stays = is_there(catalog, key) || Arc::strong_count(&relation.counters) > 1;
            if !stays && let Some(database) = databases.get(&key.0) {
                relation.add_to(|count, more| database.add(count, more));
            }
            stays
        });
        databases.retain(|oid, _| catalog.database_by_oid(*oid).is_some());
        self.kept = self.relations.len();
    }
}

fn is_there(catalog: &Catalog, (database, oid): &Key) -> bool {
    // That of long values says which table's they are.
    let table = RelationId { database: *database, file: *oid }.main().file;
    let database = catalog.database_by_oid(*database);
    database.is_some_and(|database| database.has_table(table) || database.has_index(*oid))
}

impl Relation {
    /// Adds what it has counted to its database's counts.
    fn add_to(&self, mut add: impl FnMut(DatabaseCount, u64)) {
        let RelationCounts { returned, fetched, hits, reads, .. } = self.counters.counts();
        add(DatabaseCount::Returned, returned);
        add(DatabaseCount::Fetched, fetched);
        add(DatabaseCount::Hits, hits);
        add(DatabaseCount::Reads, reads);
        if let Some((_, activity)) = &self.table {
            let changes = activity.entry().changes;
            add(DatabaseCount::Inserted, changes.inserted);
            add(DatabaseCount::Updated, changes.updated);
            add(DatabaseCount::Deleted, changes.deleted);
        }
    }
}
