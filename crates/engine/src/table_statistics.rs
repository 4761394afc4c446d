//! What was done to tables, by table (PostgreSQL's cumulative statistics, `pgstat_relation.c`): views show it, and autovacuum decides
//! by it. They outlive a table's files (TRUNCATE makes others), and the server: every checkpoint writes them to
//! `global/table_statistics`, one line of JSON. After a crash they are as of the last one; what cannot be read begins anew.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use access::activity::{Activity, COUNTERS};
use aio::lwlock::Mutex;

use crate::catalog::{Catalog, TableDef};
use crate::database::replace_file;

const FILE: &str = "global/table_statistics";
/// Tables that are gone are looked for when there are twice as many as there were after the last time, and at least so many.
const LEAST: usize = 1000;

/// A database and a table in it, by oid.
type Key = (u32, u32);
/// A table's database, oid, file and counters, as they are written.
type Written = (u32, u32, u32, [u64; COUNTERS]);

#[derive(Debug, Default)]
struct State {
    /// With the file that the table had when it was last opened.
    tables: HashMap<Key, (u32, Arc<Activity>)>,
    kept: usize,
}

/// The statistics of all tables to which something was done.
#[derive(Debug)]
pub(crate) struct TableStatistics {
    path: PathBuf,
    state: Mutex<State>,
}

impl TableStatistics {
    /// Those that were written in a data directory, if there are any.
    pub(crate) fn load(root: &Path) -> TableStatistics {
        let path = root.join(FILE);
        let written: Vec<Written> = match std::fs::read(&path).map(|text| serde_json::from_slice(&text)) {
            Ok(Ok(written)) => written,
            Ok(Err(error)) => {
                tracing::warn!(%error, "the tables' statistics cannot be read: they begin anew");
                Vec::new()
            }
            Err(_) => Vec::new(),
        };
        let table = |(database, oid, file, counters)| ((database, oid), (file, Arc::new(Activity::of(counters))));
        let tables = written.into_iter().map(table).collect();
        TableStatistics { path, state: Mutex::new(State { tables, kept: 0 }) }
    }

    /// Those of a table, which is being opened.
    pub(crate) fn open(&self, database: u32, def: &TableDef, catalog: impl FnOnce() -> Arc<Catalog>) -> Arc<Activity> {
        let mut state = self.state.lock();
        if state.tables.len() >= (2 * state.kept).max(LEAST) {
            let catalog = catalog();
            state.tables.retain(|key, _| is_there(&catalog, key));
            state.kept = state.tables.len();
        }
        let (file, activity) = state.tables.entry((database, def.oid)).or_insert_with(|| (def.file, Arc::default()));
        if *file != def.file {
            // It was written anew, or emptied: what VACUUM would look for is gone.
            *file = def.file;
            activity.note_rewritten();
        }
        activity.clone()
    }

    /// Those of a table, if there are any.
    pub(crate) fn get(&self, database: u32, oid: u32) -> Option<Arc<Activity>> {
        self.state.lock().tables.get(&(database, oid)).map(|(_, activity)| activity.clone())
    }

    /// Writes them. Nothing but themselves depends on it.
    pub(crate) fn write(&self, catalog: &Catalog) {
        let tables: Vec<Written> = {
            let state = self.state.lock();
            let there = state.tables.iter().filter(|(key, _)| is_there(catalog, key));
            there.map(|(&(database, oid), (file, activity))| (database, oid, *file, activity.counters())).collect()
        };
        let text = serde_json::to_string(&tables).expect("numbers can be written");
        if let Err(error) = replace_file(&self.path, &text) {
            tracing::warn!(%error, "the tables' statistics could not be written");
        }
    }
}

fn is_there(catalog: &Catalog, (database, oid): &Key) -> bool {
    catalog.database_by_oid(*database).is_some_and(|database| database.tables.contains_key(oid))
}
