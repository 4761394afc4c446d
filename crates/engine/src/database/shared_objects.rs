//! What all databases share and no transaction makes: databases and tablespaces come and go here, one at a time.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ::error::sqlstate;
use aio::Session;
use catalog::RowChange;
use catalog::catalogs::PgTablespace;
use storage::StorageError;
use types::names::{PG_DATABASE, PG_TABLESPACE};
use wal::RecordHeader;

use super::Database;
use crate::catalog::file::{self};
use crate::catalog::{Catalog, DatabaseChange, new_database, owner_dependency, put_shared, without_shared};
use crate::recovery::CATALOG;
use crate::{EngineError, Result};

impl Database {
    /// Changes what exists at once, outside of any transaction.
    async fn change(&self, session: &Session, changes: Vec<DatabaseChange>) -> Result<()> {
        let bytes = file::encode(changes.iter().map(|(database, change)| (*database, change)));
        let log = &self.inner.store.log;
        let turn = self.inner.catalog_turn.lock().await;
        log.reserve(session, bytes.len() + 64).await?;
        let header = RecordHeader { xid: 0, manager: CATALOG, kind: 1 };
        let mut changed = Catalog::clone(&self.catalog());
        changed.apply(&changes);
        // Logged and applied in one step, so that a checkpoint has either both or neither.
        let lsn = log.insert_with(header, &[&bytes], |end| {
            self.inner.catalog_lsn.store(end, Ordering::Release);
            self.inner.catalog.replace(Arc::new(changed));
            self.inner.catalog_changes.lock().push(bytes.clone());
        });
        drop(turn);
        log.flush_to(session, lsn).await.inspect_err(|e| self.fail(e.to_string()))?;
        Ok(())
    }

    /// Makes a database; `owner` is a role's oid.
    pub async fn create_database(&self, session: &Session, name: &str, owner: u32) -> Result<()> {
        let _ddl = self.inner.ddl.lock().await;
        if self.catalog().database(name).is_some() {
            return Err(EngineError::new(sqlstate::DUPLICATE_DATABASE, format!("database \"{name}\" already exists")));
        }
        let oid = self.new_oid();
        self.inner.files.create_database(oid)?;
        let row = new_database(oid, name, owner);
        let mut changes = vec![put_shared(row)];
        changes.extend(owner_dependency(0, (PG_DATABASE, oid), owner).map(put_shared));
        self.change(session, changes).await
    }

    pub async fn drop_database(&self, session: &Session, name: &str) -> Result<()> {
        let _ddl = self.inner.ddl.lock().await;
        let catalog = self.catalog();
        let database = catalog.database(name).ok_or_else(|| {
            EngineError::new(sqlstate::UNDEFINED_DATABASE, format!("database \"{name}\" does not exist"))
        })?;
        if database.datistemplate {
            return Err(EngineError::new(sqlstate::WRONG_OBJECT_TYPE, "cannot drop a template database"));
        }
        let others = self.inner.activity.sessions_in(database.oid);
        if others > 0 {
            return Err(database_in_use(name, others));
        }
        self.change(session, gone(&catalog, PG_DATABASE, database.oid)).await?;
        // From here on no worker begins with it.
        while self.inner.activity.end_autovacuum_in(database.oid) {
            self.inner.engine.sleep(Duration::from_millis(10)).await;
        }
        self.inner.tables.write().retain(|id, _| id.database != database.oid);
        self.inner.open_indexes.lock().retain(|id, _| id.database != database.oid);
        // All that has been opened, and not only what the catalog names: a page that stayed could never be written.
        let opened = self.inner.files.open_relations();
        for relation in opened.iter().filter(|relation| relation.id().database == database.oid) {
            self.inner.store.pool.forget(relation.id(), Some(0..relation.blocks())).await;
        }
        Ok(self.inner.files.remove_database(database.oid)?)
    }

    /// Makes a tablespace at `location`, a directory that is there; an empty one stands for a directory of the server's own.
    pub async fn create_tablespace(&self, session: &Session, row: PgTablespace, location: &str) -> Result<()> {
        let _ddl = self.inner.ddl.lock().await;
        if self.catalog().tablespace(&row.spcname).is_some() {
            return Err(EngineError::new(
                sqlstate::DUPLICATE_OBJECT,
                format!("tablespace \"{}\" already exists", row.spcname),
            ));
        }
        self.inner.files.create_tablespace(row.oid, location).map_err(|error| match error {
            StorageError::File { errno: libc::EEXIST, .. } => EngineError::new(
                sqlstate::OBJECT_IN_USE,
                format!("directory \"{location}\" already in use as a tablespace"),
            ),
            StorageError::File { errno: libc::ENOENT, .. } => {
                EngineError::new(sqlstate::UNDEFINED_FILE, format!("directory \"{location}\" does not exist"))
            }
            error => error.into(),
        })?;
        let owner = owner_dependency(0, (PG_TABLESPACE, row.oid), row.spcowner);
        self.change(session, [put_shared(row)].into_iter().chain(owner.map(put_shared)).collect()).await
    }

    /// Drops a tablespace, in which there is nothing.
    pub async fn drop_tablespace(&self, session: &Session, oid: u32) -> Result<()> {
        let _ddl = self.inner.ddl.lock().await;
        let catalog = self.catalog();
        let Some(tablespace) = catalog.tablespace_by_oid(oid) else { return Ok(()) };
        if catalog.databases_in(oid).next().is_some() {
            let message = format!("tablespace \"{}\" is not empty", tablespace.spcname);
            return Err(EngineError::new(sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE, message));
        }
        // Files that are still being removed, or that no catalog knows, keep it.
        self.inner.files.empty_tablespace(oid).map_err(|error| match error {
            StorageError::File { errno: libc::ENOTEMPTY | libc::EEXIST, .. } => EngineError::new(
                sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE,
                format!("tablespace \"{}\" is not empty", tablespace.spcname),
            ),
            error => error.into(),
        })?;
        self.change(session, gone(&catalog, PG_TABLESPACE, oid)).await?;
        Ok(self.inner.files.remove_tablespace(oid)?)
    }
}

/// The changes that delete an object that all databases share.
fn gone(catalog: &Catalog, class: u32, oid: u32) -> Vec<DatabaseChange> {
    without_shared(catalog, class, oid).into_iter().map(|key| (0, RowChange::Delete(key))).collect()
}
/// What is not done to a database while there are sessions in it.
pub fn database_in_use(name: &str, others: usize) -> EngineError {
    let detail = match others {
        1 => "There is 1 other session using the database.".to_string(),
        n => format!("There are {n} other sessions using the database."),
    };
    let message = format!("database \"{name}\" is being accessed by other users");
    EngineError::new(sqlstate::OBJECT_IN_USE, message).detail(detail)
}
