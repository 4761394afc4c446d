//! What belongs to a session and goes with it: tables, views and sequences in a schema of its own, as PostgreSQL's
//! `pg_temp_1`, `pg_temp_2` ….
//!
//! They are made like others, in the schema that [`Transaction::temporary_schema`] gives. The session ends with
//! [`Database::drop_temporary`], DISCARD TEMP does [`Transaction::drop_temporary`]; what a crash leaves is dropped before the
//! database is open again.

use std::sync::Arc;

use catalog::CatalogKey;
use catalog::catalogs::PgNamespace;
use catalog::facts::Name;
use storage::RelationId;
use txn::{LockMode, LockTag};

use crate::Result;
use crate::activity::Backend;
use crate::catalog::{BOOTSTRAP_SUPERUSER, DatabaseDef, Named};
use crate::database::Database;
use crate::transaction::{Durability, Transaction};

impl Backend {
    /// The name of the schema with what is temporary, whether it is there or not.
    pub fn temporary_schema(&self) -> String {
        format!("pg_temp_{}", self.pid)
    }
}

impl Transaction {
    /// The name of the session's own schema, which is made if it is not there.
    pub fn temporary_schema(&mut self) -> String {
        let name = self.backend.temporary_schema();
        let database = self.backend.database_oid();
        let catalog = self.catalog();
        if catalog.database_by_oid(database).is_some_and(|database| database.namespace(&name).is_none()) {
            let oid = self.db.new_oid();
            let nspname = Name::Owned(name.clone());
            self.put(database, PgNamespace { oid, nspname, nspowner: BOOTSTRAP_SUPERUSER, nspacl: None });
        }
        name
    }

    /// Drops all that is temporary of the session, as [`Database::drop_temporary`].
    pub async fn drop_temporary(&mut self, timeout: u64) -> Result<()> {
        let catalog = self.catalog();
        let database = self.backend.database.as_ref().and_then(|database| catalog.database_by_oid(database.0));
        let name = self.backend.temporary_schema();
        let Some((database, namespace)) = database.and_then(|found| Some((found, found.namespace(&name)?))) else {
            return Ok(());
        };
        for relation in database.in_schema(namespace.oid) {
            if let Named::Table(oid) | Named::View(oid) | Named::Sequence(oid) = relation {
                let tag = LockTag::Relation { database: database.oid, oid };
                self.lock(tag, LockMode::AccessExclusive, timeout).await?;
                self.drop_relation(database, relation);
            }
        }
        self.delete(database.oid, CatalogKey::PgNamespace(namespace.oid));
        Ok(())
    }

    /// Drops a table, view or sequence with all that is part of it, its files too. Its lock and what depends on it are the
    /// caller's affair.
    pub fn drop_relation(&mut self, database: &DatabaseDef, relation: Named) {
        let id = |file| RelationId { database: database.oid, file };
        self.forget_relation(database.oid, relation);
        match relation {
            Named::Table(oid) => {
                if let Some(activity) = self.db.table_activity(database.oid, oid) {
                    self.writer().status.drop_relation(&activity);
                }
                let Some(table) = database.table_by_oid(oid) else { return };
                table.indexes.iter().for_each(|index| self.drop_files(id(index.file)));
                self.drop_files(id(table.file));
            }
            Named::Sequence(oid) => {
                if let Some(sequence) = database.sequence_by_oid(oid) {
                    self.drop_files(id(sequence.file));
                }
            }
            Named::View(_) | Named::Index { .. } => {}
        }
    }
}

impl Database {
    /// The end of a session, which is in no transaction: drops all that is temporary of it. `timeout`: milliseconds that each
    /// lock is waited for; 0 is for ever.
    pub async fn drop_temporary(&self, backend: &Arc<Backend>, timeout: u64) -> Result<()> {
        let mut transaction = Transaction::new(self, backend);
        match transaction.drop_temporary(timeout).await {
            Ok(()) => transaction.commit(Durability::Asynchronous).await,
            Err(error) => {
                transaction.rollback().await;
                Err(error)
            }
        }
    }
}
