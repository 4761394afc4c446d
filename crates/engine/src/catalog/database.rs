//! A database: its schemas and what is in them, as rows of the catalogs and as definitions derived from these.

use std::ops::Deref;
use std::sync::Arc;

use catalog::catalogs::{InflightIndex, PgClass, PgDatabase, PgExtension, PgNamespace};
use catalog::{CatalogKey, FIRST_NORMAL_OBJECT_ID, Objects, RowChange};
use imbl::OrdMap;
use types::Oid;
use types::names::PG_CLASS;

use super::relcache::{self, Entry};
use super::{IndexDef, SequenceDef, TableDef, ViewDef};

/// The schema that relations are in where nothing else is said, and those that long values are in.
const PG_TOAST: Oid = 99;

/// The rows of relations that have definitions and files: not those of built-in ones on which something was granted.
fn users_relations(objects: &Objects) -> impl Iterator<Item = &PgClass> {
    <PgClass as catalog::Scan>::of_users(objects).filter(|row| row.oid >= FIRST_NORMAL_OBJECT_ID)
}

/// Whether a schema is some session's own: what is in it goes with the session.
pub fn is_temporary(schema: &str) -> bool {
    schema.starts_with("pg_temp_")
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    Table(Oid),
    View(Oid),
    Sequence(Oid),
    /// An index of a table.
    Index {
        table: Oid,
        index: Oid,
    },
}

/// One version of a database. A copy shares all that neither changes: it costs nothing, and a change what it changes.
#[derive(Clone, Debug)]
pub struct DatabaseDef {
    row: Arc<PgDatabase>,
    /// The rows of all catalogs, those that databases share among them.
    objects: Arc<Objects>,
    tables: OrdMap<Oid, Entry<TableDef>>,
    views: OrdMap<Oid, Entry<ViewDef>>,
    sequences: OrdMap<Oid, Entry<SequenceDef>>,
    /// No index has a greater [`IndexDef::made_after`].
    youngest_index: u64,
}

impl Deref for DatabaseDef {
    type Target = PgDatabase;

    fn deref(&self) -> &PgDatabase {
        &self.row
    }
}

impl DatabaseDef {
    /// A database in which there is nothing yet.
    pub(super) fn new(row: Arc<PgDatabase>, shared: &Objects) -> DatabaseDef {
        DatabaseDef {
            row,
            objects: Arc::new(shared.clone()),
            tables: OrdMap::new(),
            views: OrdMap::new(),
            sequences: OrdMap::new(),
            youngest_index: 0,
        }
    }

    pub fn name(&self) -> &str {
        &self.row.datname
    }

    /// The rows of its catalogs.
    pub fn objects(&self) -> &Arc<Objects> {
        &self.objects
    }

    /// The rows as look-ups want them, without a search path.
    pub fn catalog(&self) -> catalog::Catalog<'_> {
        relcache::users(&self.objects)
    }

    // What there is.

    pub fn has_table(&self, oid: Oid) -> bool {
        self.tables.contains_key(&oid)
    }

    pub fn has_view(&self, oid: Oid) -> bool {
        self.views.contains_key(&oid)
    }

    pub fn has_sequence(&self, oid: Oid) -> bool {
        self.sequences.contains_key(&oid)
    }

    pub fn has_views(&self) -> bool {
        !self.views.is_empty()
    }

    /// The oids of its tables, in order.
    pub fn table_oids(&self) -> impl Iterator<Item = Oid> + '_ {
        self.tables.keys().copied()
    }

    /// Its tables. Their definitions are derived: a caller that wants little of many asks for their rows.
    pub fn tables(&self) -> impl Iterator<Item = &Arc<TableDef>> {
        self.tables.keys().filter_map(|oid| self.table_by_oid(*oid))
    }

    /// The rows of users' relations of one kind.
    pub fn relations(&self, kind: u8) -> impl Iterator<Item = &PgClass> {
        users_relations(&self.objects).filter(move |row| row.relkind == kind)
    }

    pub fn table_by_oid(&self, oid: Oid) -> Option<&Arc<TableDef>> {
        self.tables.get(&oid)?.get(|| relcache::table(self.catalog(), oid))
    }

    pub fn view_by_oid(&self, oid: Oid) -> Option<&Arc<ViewDef>> {
        self.views.get(&oid)?.get(|| relcache::view(self.catalog(), oid))
    }

    pub fn sequence_by_oid(&self, oid: Oid) -> Option<&Arc<SequenceDef>> {
        self.sequences.get(&oid)?.get(|| relcache::sequence(self.catalog(), oid))
    }

    /// An index, and its table.
    pub fn index_by_oid(&self, oid: Oid) -> Option<(&Arc<TableDef>, &IndexDef)> {
        let table = self.table_by_oid(self.catalog().index(oid)?.indrelid)?;
        Some((table, table.indexes.iter().find(|index| index.oid == oid)?))
    }

    /// The table that has files of this number.
    pub fn table_of_file(&self, file: u32) -> Option<&Arc<TableDef>> {
        // Most have those that they were made with.
        let first = self.catalog().relation(file).filter(|row| row.relkind == b'r' && row.relfilenode == file);
        let found = first.or_else(|| self.relations(b'r').find(|row| row.relfilenode == file));
        self.table_by_oid(found?.oid)
    }

    pub fn has_index(&self, oid: Oid) -> bool {
        self.catalog().index(oid).is_some_and(|row| self.has_table(row.indrelid))
    }

    /// The files of everything in it.
    pub fn files(&self) -> impl Iterator<Item = u32> + '_ {
        let relations = users_relations(&self.objects);
        relations.filter(|row| matches!(row.relkind, b'r' | b'i' | b'S')).map(|row| row.relfilenode)
    }

    /// Has it something in a tablespace?
    pub fn is_in(&self, tablespace: Oid) -> bool {
        users_relations(&self.objects).any(|row| row.reltablespace == tablespace)
    }

    /// Bytes of its rows, as the catalogs' file has them.
    pub fn stored_bytes(&self) -> u64 {
        let mut bytes = Vec::new();
        catalog::RowChange::Put(<PgDatabase as catalog::Keyed>::any(self.row.clone())).encode(0, &mut bytes);
        let mut all = bytes.len() as u64;
        self.objects.each_change(|change| {
            if !change.key().is_shared() {
                bytes.clear();
                change.encode(self.oid, &mut bytes);
                all += bytes.len() as u64;
            }
        });
        all
    }

    // What there is of a name.

    /// The oid of a schema.
    pub fn namespace_oid(&self, name: &str) -> Option<Oid> {
        self.catalog().namespaces_named(name).next().map(|row| row.oid)
    }

    /// The name of a schema.
    pub fn namespace_name(&self, oid: Oid) -> &str {
        self.catalog().namespace(oid).map_or("", |row| &row.nspname)
    }

    pub fn is_temporary_namespace(&self, oid: Oid) -> bool {
        is_temporary(self.namespace_name(oid))
    }

    /// The schemas of users.
    pub fn namespaces(&self) -> impl Iterator<Item = &PgNamespace> {
        <PgNamespace as catalog::Scan>::of_users(&self.objects)
    }

    /// A user's schema of this name.
    pub fn namespace(&self, name: &str) -> Option<&PgNamespace> {
        self.catalog().namespaces_named(name).find(|row| row.oid >= FIRST_NORMAL_OBJECT_ID)
    }

    pub fn extension(&self, name: &str) -> Option<&PgExtension> {
        self.catalog().extensions_named(name).find(|row| row.oid >= FIRST_NORMAL_OBJECT_ID)
    }

    /// The user's table, view, sequence or index of this name.
    pub fn relation(&self, schema: &str, name: &str) -> Option<Named> {
        self.relation_in(self.namespace_oid(schema)?, name)
    }

    /// The same in a schema of this oid.
    pub fn relation_in(&self, namespace: Oid, name: &str) -> Option<Named> {
        let mut rows = self.catalog().relations_named(name);
        self.named(rows.find(|row| row.relnamespace == namespace && row.oid >= FIRST_NORMAL_OBJECT_ID)?)
    }

    fn named(&self, row: &PgClass) -> Option<Named> {
        Some(match row.relkind {
            b'r' => Named::Table(row.oid),
            b'v' => Named::View(row.oid),
            b'S' => Named::Sequence(row.oid),
            b'i' => Named::Index { table: self.catalog().index(row.oid)?.indrelid, index: row.oid },
            _ => return None,
        })
    }

    /// Also a composite type's.
    pub fn has_relation(&self, schema: &str, name: &str) -> bool {
        let namespace = self.namespace_oid(schema);
        let mut rows = self.catalog().relations_named(name).filter(|row| row.oid >= FIRST_NORMAL_OBJECT_ID);
        rows.any(|row| Some(row.relnamespace) == namespace && row.relkind != b't')
    }

    pub fn table(&self, schema: &str, name: &str) -> Option<&Arc<TableDef>> {
        match self.relation(schema, name)? {
            Named::Table(oid) => self.table_by_oid(oid),
            _ => None,
        }
    }

    pub fn view(&self, schema: &str, name: &str) -> Option<&Arc<ViewDef>> {
        match self.relation(schema, name)? {
            Named::View(oid) => self.view_by_oid(oid),
            _ => None,
        }
    }

    pub fn sequence(&self, schema: &str, name: &str) -> Option<&Arc<SequenceDef>> {
        match self.relation(schema, name)? {
            Named::Sequence(oid) => self.sequence_by_oid(oid),
            _ => None,
        }
    }

    /// The index of this name, and its table.
    pub fn index(&self, schema: &str, name: &str) -> Option<(&Arc<TableDef>, &IndexDef)> {
        match self.relation(schema, name)? {
            Named::Index { index, .. } => self.index_by_oid(index),
            _ => None,
        }
    }

    /// All of users' that is in a schema.
    pub fn in_schema(&self, namespace: Oid) -> impl Iterator<Item = Named> + '_ {
        let rows = self.catalog().relations_in(namespace).filter(|row| row.oid >= FIRST_NORMAL_OBJECT_ID);
        rows.filter(|row| row.relnamespace != PG_TOAST).filter_map(|row| self.named(row))
    }

    /// The sequence of an identity column.
    pub fn identity_sequence(&self, table: Oid, column: i16) -> Option<&Arc<SequenceDef>> {
        let is_of_column = |sequence: &&Arc<SequenceDef>| sequence.owned_by == Some((table, column));
        self.owned_sequences(table).filter(is_of_column).max_by_key(|sequence| (sequence.identity, sequence.oid))
    }

    /// The sequences that a table owns.
    pub fn owned_sequences(&self, table: Oid) -> impl Iterator<Item = &Arc<SequenceDef>> {
        let parts = self.catalog().dependents((PG_CLASS, table));
        let parts = parts.filter(|row| row.classid == PG_CLASS && row.refobjsubid > 0);
        parts.filter_map(|row| self.sequence_by_oid(row.objid))
    }

    /// The indexes that older snapshots must not use, and their [`IndexDef::made_after`].
    pub fn late_indexes(&self) -> impl Iterator<Item = (Oid, u64)> {
        let rows = <InflightIndex as catalog::Scan>::of_users(&self.objects);
        rows.filter(|row| row.made_after > 0).map(|row| (row.indexrelid, row.made_after as u64))
    }

    /// No index has a greater [`IndexDef::made_after`].
    pub fn youngest_index(&self) -> u64 {
        self.youngest_index
    }

    // Changes.

    /// The row that says of it what it is.
    pub(super) fn describe(&mut self, row: Arc<PgDatabase>) {
        self.row = row;
    }

    /// Takes the rows that all databases share.
    pub(super) fn share(&mut self, shared: &Objects) {
        Arc::make_mut(&mut self.objects).share(shared);
    }

    /// Changes rows, and empties the entries of the relations that these are of.
    pub(super) fn apply<'a>(&mut self, changes: impl Iterator<Item = &'a RowChange> + Clone) {
        let relations = |objects: &Objects| -> Vec<Oid> {
            let catalog = relcache::users(objects);
            let own = changes.clone().filter_map(|change| relcache::relation_of(change.key(), objects));
            // Definitions have their schemas' names.
            let schemas = changes.clone().filter_map(|change| match change.key() {
                CatalogKey::PgNamespace(oid) => Some(oid),
                _ => None,
            });
            own.chain(schemas.flat_map(|schema| catalog.relations_in(schema).map(|row| row.oid))).collect()
        };
        let mut touched = relations(&self.objects);
        let objects = Arc::make_mut(&mut self.objects);
        for change in changes.clone() {
            if let RowChange::Put(row) = change {
                self.youngest_index = self.youngest_index.max(super::made_after(row));
            }
            change.clone().apply(objects);
        }
        touched.extend(relations(&self.objects));
        touched.sort_unstable();
        touched.dedup();
        touched.into_iter().for_each(|relation| self.empty_entry(relation));
    }

    fn empty_entry(&mut self, relation: Oid) {
        if relation < FIRST_NORMAL_OBJECT_ID {
            // Built in, with other rights than it had.
            return;
        }
        let kind = relcache::users(&self.objects).relation(relation).map(|row| row.relkind);
        replace(&mut self.tables, relation, kind == Some(b'r'));
        replace(&mut self.views, relation, kind == Some(b'v'));
        replace(&mut self.sequences, relation, kind == Some(b'S'));
    }

    /// Fills a database in which there is nothing with the rows of its own catalogs.
    pub(super) fn fill(&mut self, mut objects: Objects, shared: &Objects, youngest_index: u64) {
        assert!(self.tables.is_empty(), "it is filled once");
        objects.share(shared);
        self.objects = Arc::new(objects);
        self.youngest_index = youngest_index;
        let relations = self.objects.clone();
        for row in users_relations(&relations).filter(|row| row.relkind != b'i') {
            self.empty_entry(row.oid);
        }
    }

    /// The changes that delete all that is temporary: its sessions are gone.
    pub(super) fn drop_temporary(&self) -> Vec<RowChange> {
        let catalog = self.catalog();
        let temporary = self.namespaces().filter(|row| is_temporary(&row.nspname));
        let schemas: Vec<Oid> = temporary.map(|row| row.oid).collect();
        let mut changes = Vec::new();
        for &schema in &schemas {
            for relation in self.in_schema(schema).collect::<Vec<_>>() {
                let gone = match relation {
                    Named::Table(oid) => self.table_by_oid(oid).map(|def| self.without(&**def)),
                    Named::View(oid) => self.view_by_oid(oid).map(|def| self.without(&**def)),
                    Named::Sequence(oid) => self.sequence_by_oid(oid).map(|def| self.without(&**def)),
                    Named::Index { .. } => None,
                };
                changes.extend(gone.into_iter().flatten().filter_map(|pending| pending.onto(catalog)));
            }
            changes.extend(catalog.namespace(schema).and_then(|row| catalog::Pending::delete(row).onto(catalog)));
        }
        changes
    }

    fn without<D: super::rows::Defined>(&self, definition: &D) -> Vec<catalog::Pending> {
        super::rows::difference(self.oid, Some(definition), None, self.catalog())
    }
}

/// Puts an empty entry in the place of a relation's, or none.
fn replace<T>(entries: &mut OrdMap<Oid, Entry<T>>, relation: Oid, is_there: bool) {
    match is_there {
        true => drop(entries.insert(relation, Entry::empty())),
        false => drop(entries.remove(&relation)),
    }
}
