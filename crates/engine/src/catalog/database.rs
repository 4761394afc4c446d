//! A database: its schemas and what is in them, found by oid and by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::names::{Named, Names};
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
    pub tables: BTreeMap<u32, Arc<TableDef>>,
    pub sequences: BTreeMap<u32, Arc<SequenceDef>>,
    pub namespaces: BTreeMap<u32, Arc<NamespaceDef>>,
    pub views: BTreeMap<u32, Arc<ViewDef>>,
    #[serde(default)]
    pub extensions: BTreeMap<u32, Arc<ExtensionDef>>,
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
            tables: BTreeMap::new(),
            sequences: BTreeMap::new(),
            namespaces: BTreeMap::new(),
            views: BTreeMap::new(),
            extensions: BTreeMap::new(),
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

    pub fn table(&self, schema: &str, name: &str) -> Option<&Arc<TableDef>> {
        match self.relation(schema, name)? {
            Named::Table(oid) => self.tables.get(&oid),
            _ => None,
        }
    }

    pub fn view(&self, schema: &str, name: &str) -> Option<&Arc<ViewDef>> {
        match self.relation(schema, name)? {
            Named::View(oid) => self.views.get(&oid),
            _ => None,
        }
    }

    pub fn sequence(&self, schema: &str, name: &str) -> Option<&Arc<SequenceDef>> {
        match self.relation(schema, name)? {
            Named::Sequence(oid) => self.sequences.get(&oid),
            _ => None,
        }
    }

    /// The sequence of an identity column: that which is marked so. Where older definitions mark none, the youngest is it.
    pub fn identity_sequence(&self, table: u32, column: &str) -> Option<&Arc<SequenceDef>> {
        let is_owned = |sequence: &&Arc<SequenceDef>| {
            sequence.owned_by.as_ref().is_some_and(|(owner, name)| *owner == table && name == column)
        };
        self.sequences.values().filter(is_owned).max_by_key(|sequence| (sequence.identity, sequence.oid))
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
        self.namespaces.values().find(|namespace| namespace.name == name)
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
        for sequence in self.sequences.values() {
            names.put(&sequence.schema, &sequence.name, Named::Sequence(sequence.oid));
        }
        self.names = names;
    }

    pub(super) fn put_table(&mut self, table: Arc<TableDef>) {
        self.drop_table(table.oid);
        name_table(&mut self.names, &table);
        self.tables.insert(table.oid, table);
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
        self.views.insert(view.oid, view);
    }

    pub(super) fn drop_view(&mut self, oid: u32) {
        if let Some(view) = self.views.remove(&oid) {
            self.names.remove(&view.schema, &view.name, Named::View(oid));
        }
    }

    pub(super) fn put_sequence(&mut self, sequence: Arc<SequenceDef>) {
        self.drop_sequence(sequence.oid);
        self.names.put(&sequence.schema, &sequence.name, Named::Sequence(sequence.oid));
        self.sequences.insert(sequence.oid, sequence);
    }

    pub(super) fn drop_sequence(&mut self, oid: u32) {
        if let Some(sequence) = self.sequences.remove(&oid) {
            self.names.remove(&sequence.schema, &sequence.name, Named::Sequence(oid));
        }
    }

    /// What is in a schema follows its name.
    pub(super) fn put_namespace(&mut self, namespace: Arc<NamespaceDef>) {
        let before = self.namespaces.insert(namespace.oid, namespace.clone());
        let Some(before) = before.filter(|before| before.name != namespace.name) else { return };
        let (before, now) = (&before.name, &namespace.name);
        let tables = self.tables.values_mut().filter(|table| table.schema == *before);
        tables.for_each(|table| Arc::make_mut(table).schema.clone_from(now));
        let views = self.views.values_mut().filter(|view| view.schema == *before);
        views.for_each(|view| Arc::make_mut(view).schema.clone_from(now));
        let sequences = self.sequences.values_mut().filter(|sequence| sequence.schema == *before);
        sequences.for_each(|sequence| Arc::make_mut(sequence).schema.clone_from(now));
        let extensions = self.extensions.values_mut().filter(|extension| extension.schema == *before);
        extensions.for_each(|extension| Arc::make_mut(extension).schema.clone_from(now));
        self.name_all();
    }

    pub fn extension(&self, name: &str) -> Option<&Arc<ExtensionDef>> {
        self.extensions.values().find(|extension| extension.name == name)
    }

    pub(super) fn put_comment(&mut self, comment: CommentDef) {
        self.drop_comment(&comment);
        self.comments.push(comment);
    }

    pub(super) fn drop_comment(&mut self, comment: &CommentDef) {
        self.comments.retain(|known| !known.is_on_same(comment));
    }

    pub(super) fn drop_namespace(&mut self, oid: u32) {
        self.namespaces.remove(&oid);
    }

    /// Sessions are gone, and what was theirs.
    pub(super) fn drop_temporary(&mut self) {
        self.tables.retain(|_, table| !is_temporary(&table.schema));
        self.views.retain(|_, view| !is_temporary(&view.schema));
        self.sequences.retain(|_, sequence| !is_temporary(&sequence.schema));
        self.namespaces.retain(|_, namespace| !is_temporary(&namespace.name));
        self.name_all();
    }

    pub(super) fn rename_owner(&mut self, before: &str, now: &str) {
        let rename = |owner: &mut String| {
            if owner == before {
                *owner = now.into();
            }
        };
        rename(&mut self.owner);
        let tables = self.tables.values_mut().filter(|table| table.owner == before);
        tables.for_each(|table| rename(&mut Arc::make_mut(table).owner));
        let views = self.views.values_mut().filter(|view| view.owner == before);
        views.for_each(|view| rename(&mut Arc::make_mut(view).owner));
        let sequences = self.sequences.values_mut().filter(|sequence| sequence.owner == before);
        sequences.for_each(|sequence| rename(&mut Arc::make_mut(sequence).owner));
        let namespaces = self.namespaces.values_mut().filter(|namespace| namespace.owner == before);
        namespaces.for_each(|namespace| rename(&mut Arc::make_mut(namespace).owner));
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
    }
}
