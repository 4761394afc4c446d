//! A session's tables, views and sequences: their definitions as the transaction sees and changes them, their locks, and with
//! what they are written. Commands are its callers.

use std::sync::Arc;

use ::error::sqlstate;
use analyze::relations::{Relation, Relations};
use catalog::{CatalogKey, Keyed};
use engine::{EngineError, Result, SequenceDef, Table, TableDef, ViewDef, WriteOptions};
use storage::Concurrency;
use txn::{LockMode, LockTag};
use types::names::{PG_DATABASE, PG_TABLESPACE};

use crate::environment::search_path;
use crate::session::Session;

impl Session {
    /// Takes a lock until the transaction ends.
    pub async fn lock(&mut self, tag: LockTag, mode: LockMode) -> Result<()> {
        self.transaction();
        self.shared.lock(tag, mode).await
    }

    /// Locks a table until the transaction ends; gives it as it is then, because whoever was waited for may have changed
    /// or dropped it.
    pub async fn lock_table(&mut self, schema: &str, name: &str, mode: LockMode) -> Result<Option<Arc<Table>>> {
        loop {
            let Some(table) = self.shared.find_table(schema, name)? else { return Ok(None) };
            self.lock(self.shared.table_tag(&table.def), mode).await?;
            self.show_changes();
            match self.shared.find_table(schema, name)? {
                Some(now) if now.def.oid == table.def.oid => return Ok(Some(now)),
                _ => continue,
            }
        }
    }

    /// A table's definition as it is for the session.
    pub fn table_def(&self, oid: u32) -> Option<Arc<TableDef>> {
        let catalog = self.shared.catalog();
        catalog.database_by_oid(self.shared.database.0)?.table_by_oid(oid).cloned()
    }

    pub fn sequence_def(&self, oid: u32) -> Option<Arc<SequenceDef>> {
        let catalog = self.shared.catalog();
        catalog.database_by_oid(self.shared.database.0)?.sequence_by_oid(oid).cloned()
    }

    pub fn view_def(&self, oid: u32) -> Option<Arc<ViewDef>> {
        let catalog = self.shared.catalog();
        catalog.database_by_oid(self.shared.database.0)?.view_by_oid(oid).cloned()
    }

    /// A table as it is for the session.
    pub fn table_of(&self, oid: u32) -> Result<Arc<Table>> {
        let missing = || EngineError::new(sqlstate::UNDEFINED_TABLE, format!("relation {oid} does not exist"));
        self.db().table(self.shared.database.0, &self.table_def(oid).ok_or_else(missing)?)
    }

    /// A table as analysis sees it.
    pub fn relation(&mut self, oid: u32) -> Result<Arc<Relation>> {
        let missing = || EngineError::new(sqlstate::INTERNAL_ERROR, format!("could not open relation with OID {oid}"));
        self.environment().relations().relation_by_oid(oid).ok_or_else(missing)
    }

    pub fn is_temporary(&self, table: u32) -> bool {
        let catalog = self.shared.catalog();
        let table = catalog.database_by_oid(self.shared.database.0).and_then(|d| d.table_by_oid(table));
        table.is_some_and(|table| table.temporary)
    }

    /// The name of a schema.
    pub fn schema_name(&self, namespace: u32) -> String {
        let catalog = self.shared.catalog();
        let database = catalog.database_by_oid(self.shared.database.0);
        database.map_or("", |database| database.namespace_name(namespace)).to_string()
    }

    /// The oid of a schema that there is.
    pub fn schema_oid(&self, name: &str) -> Result<u32> {
        let catalog = self.shared.catalog();
        let database = catalog.database_by_oid(self.shared.database.0);
        let found = database.and_then(|database| database.namespace_oid(name));
        found.ok_or_else(|| search_path::missing_schema(name))
    }

    /// Records who owns an object that is no relation (`recordDependencyOnOwner`, `changeDependencyOnOwner`): `owners` are the one
    /// before, if the object was there, and the one now.
    pub fn change_owner(&mut self, (class, oid): (u32, u32), (before, now): (Option<u32>, u32)) {
        if before == Some(now) {
            return;
        }
        let shared = matches!(class, PG_DATABASE | PG_TABLESPACE);
        let dbid = if shared { 0 } else { self.shared.database.0 };
        let row = |owner| engine::owner_dependency(dbid, (class, oid), owner);
        if let Some(gone) = before.and_then(row) {
            self.transaction().delete(dbid, CatalogKey::PgShdepend(gone.key()));
        }
        if let Some(row) = row(now) {
            self.transaction().put(dbid, row);
        }
        self.show_changes();
    }

    /// Makes a table.
    pub fn put_new_table(&mut self, def: TableDef) {
        let database = self.shared.database.0;
        self.transaction().alter_table(database, None, def);
        self.show_changes();
    }

    /// Changes a table's definition, which was made from `before`; gives it. What others change of the table at the same time stays.
    pub fn put_table(&mut self, before: &Arc<TableDef>, def: TableDef) -> Arc<TableDef> {
        let database = self.shared.database.0;
        let def = self.transaction().alter_table(database, Some(before), def);
        self.show_changes();
        def
    }

    pub fn write_options(&self) -> WriteOptions {
        let settings = self.shared.settings.read().each_statement();
        WriteOptions {
            lock_timeout: settings.lock_timeout,
            maintenance_work_mem: settings.maintenance_work_mem,
            maintenance_workers: settings.max_parallel_maintenance_workers,
            concurrency: settings.maintenance_io_concurrency.map_or(Concurrency::Auto, Concurrency::Fixed),
            context: self.environment.as_ref().map_or_else(Arc::default, |environment| environment.context.clone()),
            temporary: self.shared.temporary.with_limit(settings.temp_file_limit),
        }
    }

    /// How deep what is in a tablespace is read for maintenance.
    pub fn maintenance_concurrency(&self, tablespace: u32) -> Concurrency {
        let said = self.shared.catalog().concurrency(tablespace, "maintenance_io_concurrency");
        said.unwrap_or_else(|| self.write_options().concurrency)
    }

    /// With what an index on a table in a tablespace is built.
    pub fn maintenance_options(&self, tablespace: u32) -> WriteOptions {
        WriteOptions { concurrency: self.maintenance_concurrency(tablespace), ..self.write_options() }
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.shared.settings.read().each_statement().transaction_read_only
    }

    /// Refuses to write where that is not allowed.
    pub fn require_writable(&self, what: &str) -> Result<()> {
        if self.is_read_only() {
            return Err(EngineError::new(
                sqlstate::READ_ONLY_SQL_TRANSACTION,
                format!("cannot execute {what} in a read-only transaction"),
            ));
        }
        Ok(())
    }
}
