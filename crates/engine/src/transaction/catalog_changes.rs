//! What a transaction changes of the catalog, and what that makes of it.

use super::{Savepoint, Transaction};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use catalog::{CatalogKey, CatalogRow, Keyed, Pending, RowChange};
use storage::RelationId;
use types::Oid;

use crate::Result;
use crate::catalog::file;
use crate::catalog::rows::{Defined, difference};
use crate::catalog::{Catalog, DatabaseChange, Named, SequenceDef, TableDef, ViewDef};

/// A change in a database; 0: of what all databases share.
pub(super) type PendingChange = (Oid, Pending);

/// A catalog, and what the first of a transaction's changes make of it.
pub(super) struct ChangedCatalog {
    base: Arc<Catalog>,
    /// So many of them were put onto it.
    put: usize,
    /// The last change of each row, as it was put.
    changes: BTreeMap<(Oid, CatalogKey), RowChange>,
    pub(super) result: Arc<Catalog>,
}

impl ChangedCatalog {
    fn new(base: Arc<Catalog>) -> ChangedCatalog {
        ChangedCatalog { result: base.clone(), base, put: 0, changes: BTreeMap::new() }
    }

    /// Puts those of all changes that are new. What was seen of the catalog before stays as it was: others have it.
    fn put(&mut self, all: &[PendingChange]) {
        if self.put == all.len() {
            return;
        }
        let mut result = Catalog::clone(&self.result);
        let mut rest = &all[self.put..];
        while !rest.is_empty() {
            // Those of different rows are made at once.
            let mut keys = BTreeSet::new();
            let count = rest.iter().take_while(|(database, pending)| keys.insert((*database, pending.key()))).count();
            let (now, later) = rest.split_at(count);
            let onto = |(database, pending): &PendingChange| Some((*database, pending.onto(result.rows(*database))?));
            let changes: Vec<DatabaseChange> = now.iter().filter_map(onto).collect();
            result.apply(&changes);
            self.changes.extend(changes.into_iter().map(|(database, change)| ((database, change.key()), change)));
            rest = later;
        }
        self.put = all.len();
        self.result = Arc::new(result);
    }

    /// As the log has them.
    pub(super) fn to_log(&self) -> Vec<u8> {
        file::encode(self.changes.iter().map(|((database, _), change)| (*database, change)))
    }
}

impl Transaction {
    /// What exists, as far as this transaction is concerned.
    pub fn catalog(&mut self) -> Arc<Catalog> {
        match self.changes.is_empty() {
            true => self.db.catalog(),
            false => self.changed().result.clone(),
        }
    }

    /// What the transaction's changes make of the catalog of now.
    pub(super) fn changed(&mut self) -> &ChangedCatalog {
        let base = self.db.catalog();
        let known = self.catalog.take().filter(|known| Arc::ptr_eq(&known.base, &base));
        let changed = self.catalog.insert(known.unwrap_or_else(|| ChangedCatalog::new(base)));
        changed.put(&self.changes);
        changed
    }

    /// Puts a row, new or in place of the one that the transaction sees, for this transaction now and for all when it commits.
    /// The caller holds the locks that keep others from changing the same; what others change of the row's other fields until the
    /// commit stays. `database` is passed over for what all databases share.
    pub fn put<R: Keyed>(&mut self, database: Oid, row: R) {
        let catalog = self.catalog();
        let before = R::by_key(catalog.rows(database), row.key()).cloned();
        self.note(database, [Pending::put(before.as_ref(), row)]);
    }

    /// The same with a row of any catalog.
    pub fn put_row(&mut self, database: Oid, row: CatalogRow) {
        let before = row.key().row(self.catalog().rows(database));
        self.note(database, Pending::new(before, Some(row)));
    }

    /// Deletes the row of a key, if there is one, in the same way.
    pub fn delete(&mut self, database: Oid, key: CatalogKey) {
        let row = key.row(self.catalog().rows(database));
        self.note(database, row.and_then(|row| Pending::new(Some(row), None)));
    }

    /// Puts a new table, or one in place of `before`, which it was made from: what others change of it until the commit, with
    /// locks that go together with the caller's, stays. Gives the table as it is then for this transaction.
    pub fn alter_table(&mut self, database: Oid, before: Option<&TableDef>, mut after: TableDef) -> Arc<TableDef> {
        if before.is_none() {
            after.forget_oids();
        }
        after.assign_oids(|| self.db.new_oid());
        after.temporary = self.is_temporary(database, after.namespace);
        self.replace(database, before, Some(&after));
        let catalog = self.catalog();
        let table = catalog.database_by_oid(database).and_then(|database| database.table_by_oid(after.oid)).cloned();
        table.unwrap_or_else(|| Arc::new(after))
    }

    /// The same with a view.
    pub fn alter_view(&mut self, database: Oid, before: Option<&ViewDef>, mut after: ViewDef) {
        after.assign_oids(|| self.db.new_oid());
        after.temporary = self.is_temporary(database, after.namespace);
        self.replace(database, before, Some(&after));
    }

    /// The same with a sequence.
    pub fn alter_sequence(&mut self, database: Oid, before: Option<&SequenceDef>, mut after: SequenceDef) {
        after.temporary = self.is_temporary(database, after.namespace);
        self.replace(database, before, Some(&after));
    }

    /// Deletes the rows of a table, view or sequence that the transaction sees; its files and locks are the caller's affair.
    pub fn forget_relation(&mut self, database: Oid, relation: Named) {
        let catalog = self.catalog();
        let Some(of) = catalog.database_by_oid(database) else { return };
        match relation {
            Named::Table(oid) => self.replace(database, of.table_by_oid(oid).map(|def| &**def), None),
            Named::View(oid) => self.replace(database, of.view_by_oid(oid).map(|def| &**def), None),
            Named::Sequence(oid) => self.replace(database, of.sequence_by_oid(oid).map(|def| &**def), None),
            // It goes with its table.
            Named::Index { .. } => {}
        }
    }

    fn replace<D: Defined>(&mut self, database: Oid, before: Option<&D>, after: Option<&D>) {
        let catalog = self.catalog();
        self.note(database, difference(database, before, after, catalog.rows(database)));
    }

    fn is_temporary(&mut self, database: Oid, namespace: Oid) -> bool {
        self.catalog().database_by_oid(database).is_some_and(|database| database.is_temporary_namespace(namespace))
    }

    fn note(&mut self, database: Oid, changes: impl IntoIterator<Item = Pending>) {
        self.writer();
        let of = |pending: Pending| (if pending.key().is_shared() { 0 } else { database }, pending);
        self.changes.extend(changes.into_iter().map(of));
    }

    pub fn changes_catalog(&self) -> bool {
        !self.changes.is_empty()
    }

    /// Makes the files of a new relation, which go if the transaction does not commit.
    pub fn create_files(&mut self, id: RelationId) -> Result<()> {
        self.create_files_in(id, 0)
    }

    /// The same in a tablespace; 0: the default.
    pub fn create_files_in(&mut self, id: RelationId, tablespace: u32) -> Result<()> {
        self.created.push(id);
        match tablespace {
            0 => self.db.inner.files.create(id)?,
            _ => self.db.inner.files.create_in(id, tablespace)?,
        };
        Ok(())
    }

    /// Has the transaction made these files, since a savepoint if there is one?
    pub fn has_created(&self, id: RelationId, since: Option<&Savepoint>) -> bool {
        self.created[since.map_or(0, |savepoint| savepoint.created)..].contains(&id)
    }

    /// Has the transaction replaced these files, which it has made, and taken that back? As in PostgreSQL
    /// (`rd_newRelfilelocatorSubid`) it does not remember then when it made them.
    pub fn has_put_back(&self, id: RelationId) -> bool {
        self.put_back.contains(&id)
    }

    /// Files to be removed when the transaction commits.
    pub fn drop_files(&mut self, id: RelationId) {
        self.dropped.push(id);
    }
}
