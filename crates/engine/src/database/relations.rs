//! Relations of a database: opened ones, their files, and what was done to them.

use crate::catalog::IndexDef;
use access::edit::{self, Edit};
use std::sync::Arc;
use std::time::Duration;
use storage::PageKind;

use access::Heap;
use access::index::Index as IndexEntries;
use aio::lwlock::Mutex;
use storage::{BlockNumber, RelationId};

use super::Database;
use crate::Result;
use crate::catalog::{Catalog, TableDef};
use crate::index::Index;
use crate::index::keys::{IndexKeys, KeyCompiler};
use crate::statistics::database_counters::{DatabaseCount, DatabaseCounts};
use crate::table::{Loading, Table};

impl Database {
    /// Drops what is in memory of a relation.
    async fn forget(&self, id: RelationId) {
        let (files, pool) = (&self.inner.files, &self.inner.store.pool);
        if let Ok(Some(fork)) = files.open_if_exists(id.toast()) {
            pool.forget(id.toast(), Some(0..fork.blocks())).await;
        }
        let blocks = files.open(id).map(|relation| 0..relation.blocks());
        pool.forget(id, blocks.ok()).await;
    }

    /// Removes a relation's files, and what is in memory of it.
    pub async fn remove_files(&self, id: RelationId) -> Result<()> {
        self.inner.tables.write().remove(&id);
        self.inner.open_indexes.lock().remove(&id);
        self.forget(id).await;
        self.inner.reserved.lock().values_mut().for_each(|ranges| ranges.retain(|(relation, _)| relation.main() != id));
        Ok(self.inner.files.remove(id)?)
    }

    /// A relation's files.
    pub fn relation(&self, id: RelationId) -> Result<Arc<storage::Relation>> {
        Ok(self.inner.files.open(id)?)
    }

    /// The same, if there are any.
    pub fn relation_if_exists(&self, id: RelationId) -> Result<Option<Arc<storage::Relation>>> {
        Ok(self.inner.files.open_if_exists(id)?)
    }

    /// Opens a table.
    pub fn table(&self, database: u32, def: &Arc<TableDef>) -> Result<Arc<Table>> {
        let id = RelationId { database, file: def.file };
        let is_open = |table: &&Arc<Table>| Arc::ptr_eq(&table.def, def);
        if let Some(table) = self.inner.tables.read().get(&id).filter(is_open) {
            return Ok(table.clone());
        }
        let mut tables = self.inner.tables.write();
        let open = tables.get(&id);
        // Another session may have opened it meanwhile.
        if let Some(table) = open.filter(is_open) {
            return Ok(table.clone());
        }
        let schema = def.arrow_schema()?;
        let files = self.inner.files.open(id)?;
        let activity = self.inner.statistics.open_table(database, def, &files, || self.catalog());
        let (heap, loading) = match open {
            // Its definition has changed, its files have not; or they were made under another oid.
            Some(table) => (table.heap.with_shape(def.shape()?).counted_in(activity), table.loading.clone()),
            None => {
                let heap = Heap::new(&self.inner.store, files, Arc::new(def.shape()?));
                (heap.counted_in(activity), Arc::default())
            }
        };
        let mut indexes = Vec::with_capacity(def.indexes.len());
        for index in &def.indexes {
            let id = RelationId { database, file: index.file };
            let files = self.inner.files.open(id)?;
            self.inner.statistics.open_index(database, index.oid, &files);
            let keys = self.index_keys(def, index)?;
            let made = || IndexEntries::open(keys.method, &self.inner.store, files, &keys.shape);
            let entries = self.inner.open_indexes.lock().entry(id).or_insert_with(made).clone();
            indexes.push(Index { def: index.clone(), keys, entries });
        }
        let table = Arc::new(Table { def: def.clone(), schema, database, indexes, heap, loading });
        tables.insert(id, table.clone());
        Ok(table)
    }

    /// What was done to a table's rows, if anything was.
    pub fn table_activity(&self, database: u32, oid: u32) -> Option<Arc<access::activity::Activity>> {
        self.inner.statistics.activity(database, oid)
    }

    /// What was done to a table's long values; `oid` is theirs.
    pub fn toast_activity(&self, database: u32, oid: u32) -> Arc<access::activity::Activity> {
        self.inner.statistics.of_toast(database, oid)
    }

    /// What was done to and with the tables and indexes of a database.
    pub fn relation_statistics(
        &self,
        database: u32,
    ) -> Vec<(u32, access::activity::TableEntry, storage::RelationCounts)> {
        self.inner.statistics.of_relations(database)
    }

    /// What was done with a table or an index.
    pub fn relation_counts(&self, database: u32, oid: u32) -> storage::RelationCounts {
        self.inner.statistics.counts(database, oid)
    }

    /// What happened in a database, sessions that are there included.
    pub fn database_counts(&self, oid: u32) -> DatabaseCounts {
        let mut counts = self.inner.statistics.database_counts(oid);
        let time: Duration = self.inner.activity.session_times(oid).sum();
        counts.add(DatabaseCount::SessionTime, time.as_micros() as u64);
        counts
    }

    /// A table that is open already.
    pub fn open_table(&self, database: u32, def: &TableDef) -> Option<Arc<Table>> {
        self.inner.tables.read().get(&RelationId { database, file: def.file }).cloned()
    }

    /// The loads under way into a relation.
    pub(crate) fn loading(&self, id: RelationId) -> Option<Arc<Mutex<Loading>>> {
        self.inner.tables.read().get(&id.main()).map(|table| table.loading.clone())
    }

    /// Makes the blocks of a load that does not count empty again.
    pub(crate) async fn empty_blocks(
        &self,
        io: &aio::Session,
        id: RelationId,
        range: std::ops::Range<BlockNumber>,
    ) -> Result<()> {
        let store = &self.inner.store;
        let relation = self.inner.files.open(id)?;
        for block in range.start..range.end.min(relation.blocks()) {
            store.log.reserve_to_end(io, edit::PAGE_RECORD).await?;
            let page = store.pool.pin_for_overwrite(&relation, block).await?;
            let mut latched = page.latch();
            let mut edit = Edit::new(&relation, block, &page, &mut latched);
            edit.init(PageKind::New, 0);
            edit::commit(&store.log, None, &mut [&mut edit]);
        }
        Ok(())
    }

    /// The heap with these files, if the catalog has it. Its indexes are not needed, and may be where nothing can be read.
    pub(crate) fn heap_of(&self, catalog: &Catalog, id: RelationId) -> Result<Option<Heap>> {
        if id.is_toast() {
            let Some(heap) = self.heap_of(catalog, id.main())? else { return Ok(None) };
            return Ok(heap.toast()?);
        }
        if let Some(table) = self.inner.tables.read().get(&id) {
            return Ok(Some(table.heap.clone()));
        }
        let database = catalog.database_by_oid(id.database);
        let Some(def) = database.and_then(|database| database.table_of_file(id.file)) else { return Ok(None) };
        let shape = Arc::new(def.shape()?);
        Ok(Some(Heap::new(&self.inner.store, self.inner.files.open(id)?, shape)))
    }

    /// Says who makes the functions of indexes; only the first one counts.
    pub fn compile_keys_with(&self, compiler: Arc<dyn KeyCompiler>) {
        self.inner.key_compiler.get_or_init(|| compiler);
    }

    /// How the keys of an index come from a table's rows.
    pub(crate) fn index_keys(&self, table: &TableDef, index: &IndexDef) -> Result<Arc<IndexKeys>> {
        IndexKeys::new(table, index, self.inner.key_compiler.get().map(Arc::as_ref)).map(Arc::new)
    }
}
