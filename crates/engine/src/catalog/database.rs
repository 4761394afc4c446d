//! A database: its schemas and what is in them, found by oid and by name.

use std::ops::Deref;
use std::sync::Arc;

use imbl::OrdMap;
use serde::{Deserialize, Serialize};

use super::names::{Named, Names};
use super::shared::Shared;
use super::{IndexDef, SequenceDef, TableDef, ViewDef};

/// A schema that somebody has made. `pg_catalog`, `public` and `information_schema` are there without one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamespaceDef {
    pub oid: u32,
    pub name: String,
    pub owner: String,
    pub comment: Option<String>,
}

/// An extension that somebody has made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExtensionDef {
    pub oid: u32,
    pub name: String,
    pub owner: String,
    pub schema: String,
    pub version: String,
    /// Its views.
    pub views: Vec<u32>,
    pub comment: Option<String>,
}

/// A comment on an object that is built in, in place of the one that it comes with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommentDef {
    /// The oids of the catalog and of the object in it.
    pub class: u32,
    pub oid: u32,
    pub column: i32,
    pub comment: Option<String>,
}

impl CommentDef {
    fn is_on_same(&self, other: &CommentDef) -> bool {
        (self.class, self.oid, self.column) == (other.class, other.oid, other.column)
    }
}

/// Whether a schema is some session's own: what is in it goes with the session.
pub fn is_temporary(schema: &str) -> bool {
    schema.starts_with("pg_temp_")
}

/// Definitions by their oids. A copy shares all that neither changes.
pub type Definitions<T> = OrdMap<u32, Shared<T>>;

/// Its maps are changed by [`super::Change`]s only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DatabaseDef {
    pub oid: u32,
    pub name: String,
    pub owner: String,
    pub is_template: bool,
    pub allow_connections: bool,
    #[serde(default)]
    pub comment: Option<String>,
    /// By OID, as everything in it.
    pub tables: Definitions<TableDef>,
    pub sequences: Definitions<SequenceDef>,
    pub namespaces: Definitions<NamespaceDef>,
    pub views: Definitions<ViewDef>,
    #[serde(default)]
    pub extensions: Definitions<ExtensionDef>,
    #[serde(default)]
    pub comments: Vec<CommentDef>,
    #[serde(skip)]
    pub(super) names: Names,
}

impl DatabaseDef {
    pub fn new(oid: u32, name: &str, owner: &str) -> DatabaseDef {
        DatabaseDef {
            oid,
            name: name.into(),
            owner: owner.into(),
            is_template: false,
            allow_connections: true,
            comment: None,
            tables: OrdMap::new(),
            sequences: OrdMap::new(),
            namespaces: OrdMap::new(),
            views: OrdMap::new(),
            extensions: OrdMap::new(),
            comments: Vec::new(),
            names: Names::default(),
        }
    }

    /// How many bytes it has in the control file.
    pub fn control_bytes(&self) -> u64 {
        struct Count(u64);
        impl std::io::Write for Count {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                self.0 += bytes.len() as u64;
                Ok(bytes.len())
            }

            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let mut count = Count(0);
        serde_json::to_writer(&mut count, self).expect("definitions are plain data");
        count.0
    }

    /// The files of everything in it.
    pub fn files(&self) -> impl Iterator<Item = u32> + '_ {
        let tables = self.tables.values().flat_map(|t| t.indexes.iter().map(|i| i.file).chain([t.file]));
        tables.chain(self.sequences.values().map(|s| s.file))
    }

    // What there is of a name.

    /// The table, view, sequence or index of this name.
    pub fn relation(&self, schema: &str, name: &str) -> Option<Named> {
        self.names.get(schema, name)
    }

    pub fn has_relation(&self, schema: &str, name: &str) -> bool {
        self.relation(schema, name).is_some()
    }

    pub fn table_by_oid(&self, oid: u32) -> Option<&Arc<TableDef>> {
        self.tables.get(&oid).map(Deref::deref)
    }

    pub fn view_by_oid(&self, oid: u32) -> Option<&Arc<ViewDef>> {
        self.views.get(&oid).map(Deref::deref)
    }

    pub fn sequence_by_oid(&self, oid: u32) -> Option<&Arc<SequenceDef>> {
        self.sequences.get(&oid).map(Deref::deref)
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

    /// The sequence of an identity column: that which is marked so. Where older definitions mark none, the youngest is it.
    pub fn identity_sequence(&self, table: u32, column: &str) -> Option<&Arc<SequenceDef>> {
        let is_of_column =
            |sequence: &&Arc<SequenceDef>| sequence.owned_by.as_ref().is_some_and(|(_, name)| name == column);
        self.owned_sequences(table).filter(is_of_column).max_by_key(|sequence| (sequence.identity, sequence.oid))
    }

    /// The sequences that a table owns.
    pub fn owned_sequences(&self, table: u32) -> impl Iterator<Item = &Arc<SequenceDef>> {
        self.names.owned_by(table).filter_map(|oid| self.sequence_by_oid(oid))
    }

    /// The index of this name, and its table.
    pub fn index(&self, schema: &str, name: &str) -> Option<(&Arc<TableDef>, &IndexDef)> {
        match self.relation(schema, name)? {
            Named::Index { index, .. } => self.index_by_oid(index),
            _ => None,
        }
    }

    /// An index, and its table.
    pub fn index_by_oid(&self, oid: u32) -> Option<(&Arc<TableDef>, &IndexDef)> {
        let table = self.tables.get(&self.names.table_of(oid)?)?;
        Some((table, table.indexes.iter().find(|index| index.oid == oid)?))
    }

    /// Somebody's schema of this name.
    pub fn namespace(&self, name: &str) -> Option<&Arc<NamespaceDef>> {
        self.namespaces.get(&self.names.schema(name)?).map(Deref::deref)
    }

    /// No index has a greater [`IndexDef::made_after`].
    pub fn youngest_index(&self) -> u64 {
        self.names.youngest_index
    }

    /// All that is in a schema.
    pub fn in_schema(&self, schema: &str) -> impl Iterator<Item = Named> + '_ {
        self.names.in_schema(schema)
    }

    // Changes.

    /// Definitions that were read have no names yet.
    pub(super) fn name_all(&mut self) {
        let mut names = Names::default();
        self.tables.values().for_each(|table| name_table(&mut names, table));
        for view in self.views.values() {
            names.put(&view.schema, &view.name, Named::View(view.oid));
        }
        self.sequences.values().for_each(|sequence| name_sequence(&mut names, sequence));
        self.namespaces.values().for_each(|namespace| names.put_schema(&namespace.name, namespace.oid));
        self.names = names;
    }

    pub(super) fn put_table(&mut self, table: Arc<TableDef>) {
        self.drop_table(table.oid);
        name_table(&mut self.names, &table);
        self.tables.insert(table.oid, table.into());
    }

    pub(super) fn drop_table(&mut self, oid: u32) {
        let Some(table) = self.tables.remove(&oid) else { return };
        self.names.remove(&table.schema, &table.name, Named::Table(oid));
        for index in &table.indexes {
            self.names.remove(&table.schema, &index.name, Named::Index { table: oid, index: index.oid });
        }
    }

    pub(super) fn put_view(&mut self, view: Arc<ViewDef>) {
        self.drop_view(view.oid);
        self.names.put(&view.schema, &view.name, Named::View(view.oid));
        self.views.insert(view.oid, view.into());
    }

    pub(super) fn drop_view(&mut self, oid: u32) {
        if let Some(view) = self.views.remove(&oid) {
            self.names.remove(&view.schema, &view.name, Named::View(oid));
        }
    }

    pub(super) fn put_sequence(&mut self, sequence: Arc<SequenceDef>) {
        self.drop_sequence(sequence.oid);
        name_sequence(&mut self.names, &sequence);
        self.sequences.insert(sequence.oid, sequence.into());
    }

    pub(super) fn drop_sequence(&mut self, oid: u32) {
        if let Some(sequence) = self.sequences.remove(&oid) {
            self.names.remove(&sequence.schema, &sequence.name, Named::Sequence(oid));
            if let Some((table, _)) = sequence.owned_by {
                self.names.disown(table, oid);
            }
        }
    }

    /// What is in a schema follows its name.
    pub(super) fn put_namespace(&mut self, namespace: Arc<NamespaceDef>) {
        self.names.put_schema(&namespace.name, namespace.oid);
        let before = self.namespaces.insert(namespace.oid, namespace.clone().into());
        let Some(before) = before.filter(|before| before.name != namespace.name) else { return };
        let (before, now) = (&before.name, &namespace.name);
        change_all(&mut self.tables, |table| table.schema == *before, |table| table.schema.clone_from(now));
        change_all(&mut self.views, |view| view.schema == *before, |view| view.schema.clone_from(now));
        change_all(&mut self.sequences, |s| s.schema == *before, |sequence| sequence.schema.clone_from(now));
        change_all(&mut self.extensions, |e| e.schema == *before, |extension| extension.schema.clone_from(now));
        self.name_all();
    }

    pub fn extension(&self, name: &str) -> Option<&Arc<ExtensionDef>> {
        self.extensions.values().map(Deref::deref).find(|extension| extension.name == name)
    }

    pub(super) fn put_comment(&mut self, comment: CommentDef) {
        self.drop_comment(&comment);
        self.comments.push(comment);
    }

    pub(super) fn drop_comment(&mut self, comment: &CommentDef) {
        self.comments.retain(|known| !known.is_on_same(comment));
    }

    pub(super) fn drop_namespace(&mut self, oid: u32) {
        if let Some(namespace) = self.namespaces.remove(&oid) {
            self.names.remove_schema(&namespace.name, oid);
        }
    }

    /// Sessions are gone, and what was theirs.
    pub(super) fn drop_temporary(&mut self) {
        remove_all(&mut self.tables, |table| is_temporary(&table.schema));
        remove_all(&mut self.views, |view| is_temporary(&view.schema));
        remove_all(&mut self.sequences, |sequence| is_temporary(&sequence.schema));
        remove_all(&mut self.namespaces, |namespace| is_temporary(&namespace.name));
        self.name_all();
    }

    pub(super) fn rename_owner(&mut self, before: &str, now: &str) {
        let is_theirs = |owner: &str| owner == before;
        if is_theirs(&self.owner) {
            self.owner = now.into();
        }
        change_all(&mut self.tables, |table| is_theirs(&table.owner), |table| table.owner = now.into());
        change_all(&mut self.views, |view| is_theirs(&view.owner), |view| view.owner = now.into());
        change_all(&mut self.sequences, |s| is_theirs(&s.owner), |sequence| sequence.owner = now.into());
        change_all(&mut self.namespaces, |n| is_theirs(&n.owner), |namespace| namespace.owner = now.into());
    }

    /// How many things in it a role owns; those that go with others do not count.
    pub(super) fn owned_by(&self, role: &str) -> usize {
        self.tables.values().filter(|table| table.owner == role).count()
            + self.views.values().filter(|view| view.owner == role).count()
            + self.sequences.values().filter(|s| s.owner == role && s.owned_by.is_none()).count()
            + self.namespaces.values().filter(|namespace| namespace.owner == role).count()
    }
}

fn name_table(names: &mut Names, table: &TableDef) {
    names.put(&table.schema, &table.name, Named::Table(table.oid));
    for index in &table.indexes {
        names.put(&table.schema, &index.name, Named::Index { table: table.oid, index: index.oid });
        names.youngest_index = names.youngest_index.max(index.made_after);
    }
}

fn name_sequence(names: &mut Names, sequence: &SequenceDef) {
    names.put(&sequence.schema, &sequence.name, Named::Sequence(sequence.oid));
    if let Some((table, _)) = sequence.owned_by {
        names.own(table, sequence.oid);
    }
}

/// Changes the definitions that meet a condition.
pub(super) fn change_all<T: Clone>(all: &mut Definitions<T>, which: impl Fn(&T) -> bool, change: impl Fn(&mut T)) {
    let theirs: Vec<u32> = all.iter().filter(|(_, definition)| which(definition)).map(|(oid, _)| *oid).collect();
    for oid in theirs {
        let definition = all.get_mut(&oid).expect("it was just there");
        change(Arc::make_mut(&mut definition.0));
    }
}

/// Removes the definitions that meet a condition.
fn remove_all<T>(all: &mut Definitions<T>, which: impl Fn(&T) -> bool) {
    let theirs: Vec<u32> = all.iter().filter(|(_, definition)| which(definition)).map(|(oid, _)| *oid).collect();
    theirs.iter().for_each(|oid| drop(all.remove(oid)));
}
