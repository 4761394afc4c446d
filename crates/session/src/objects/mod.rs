//! The objects of users as rows of the catalogs: what engine's catalog has of a database, one version of it.
//!
//! Engine's catalog keeps schemas, tables, views and sequences as definitions; here they become PostgreSQL's rows. A version is
//! made from the one before: the rows of the definitions that are others, some microseconds a column. What definitions have no
//! oids for has oids of its relation: a key its index's, a default and NOT NULL a number made of its table's and its column's.
//!
//! * This file: tables and what belongs to them, sequences. `view`: views. `index`: indexes. `statistic`: what ANALYZE found.
//!   `cluster`: databases, roles, tablespaces. `rows`: what rows of one catalog have in common. `versions`: the versions that
//!   sessions share.
//!
//! `pg_depend` says what DROP has to look at: relations depend on their schemas, views on what their queries refer to
//! ([`crate::dependency`]).

mod cluster;
mod index;
mod rows;
mod statistic;
mod versions;
mod view;

pub use versions::objects_of;

use std::collections::BTreeSet;

use access::Storage;
use access::shape::TOAST_TUPLE_TARGET;
use catalog::catalogs::*;
use catalog::facts::Char;
use catalog::{Catalog, Keyed, Objects, PUBLIC};
use engine::{
    CheckDef, ColumnDef, CommentDef, DatabaseDef, ExtensionDef, Identity, IndexDef, NamespaceDef, NodeTree,
    ObjectAddress, SequenceDef, Shared, TableDef,
};
use imbl::OrdMap;
use imbl::ordmap::DiffItem;
use storage::RelationId;
use types::names::{PG_ATTRDEF, PG_CLASS, PG_CONSTRAINT, PG_EXTENSION, PG_NAMESPACE, PG_TYPE};
use types::{Oid, oid};

use crate::object_name::object_name;
use rows::*;

/// Rows of `pg_am`.
const HEAP: Oid = 2;
/// The namespace of relations with long values.
const PG_TOAST: Oid = 99;

/// The role that owns what its owner has left.
const BOOTSTRAP_SUPERUSER: Oid = 10;

/// A version of a database in engine's catalog, which names of roles and schemas in definitions are looked up in.
#[derive(Clone, Copy)]
struct Version<'a> {
    catalog: &'a engine::Catalog,
    database: &'a DatabaseDef,
}

/// What there is in a database of the engine's catalog, and in the cluster.
pub fn objects(catalog: &engine::Catalog, database: &DatabaseDef) -> Objects {
    let nothing = (engine::Catalog::empty(), DatabaseDef::new(database.oid, &database.name, &database.owner));
    changed(Objects::default(), (&nothing.0, &nothing.1), (catalog, database))
}

/// `objects`, which were made of the version `before`, as they are in the version `now`: only what differs is made anew.
pub fn changed(
    mut objects: Objects,
    before: (&engine::Catalog, &DatabaseDef),
    now: (&engine::Catalog, &DatabaseDef),
) -> Objects {
    let [before, now] = [before, now].map(|(catalog, database)| Version { catalog, database });
    let (mut gone, mut made) = (Rows::of(before), Rows::of(now));
    let (was, is) = (before.database, now.database);
    each(&was.namespaces, &is.namespaces, |old, new| {
        old.into_iter().for_each(|namespace| gone.namespace(namespace));
        new.into_iter().for_each(|namespace| made.namespace(namespace));
    });
    let mut sequences = BTreeSet::new();
    each(&was.sequences, &is.sequences, |old, new| sequences.extend(old.or(new).map(|sequence| sequence.oid)));
    each(&was.tables, &is.tables, |old, new| {
        old.into_iter().for_each(|table| gone.table(table));
        new.into_iter().for_each(|table| made.table(table));
        put_statistics(&mut objects, old, new);
        // They depend on a column, which may have another number now.
        let Some(table) = old.or(new).map(|table| table.oid) else { return };
        sequences.extend(was.owned_sequences(table).chain(is.owned_sequences(table)).map(|sequence| sequence.oid));
    });
    each(&was.views, &is.views, |old, new| {
        old.into_iter().for_each(|view| gone.view(view));
        new.into_iter().for_each(|view| made.view(view));
    });
    each(&was.extensions, &is.extensions, |old, new| {
        old.into_iter().for_each(|extension| gone.extension(extension));
        new.into_iter().for_each(|extension| made.extension(extension));
    });
    for oid in sequences {
        was.sequences.get(&oid).into_iter().for_each(|sequence| gone.sequence(sequence));
        is.sequences.get(&oid).into_iter().for_each(|sequence| made.sequence(sequence));
    }
    if was.comments != is.comments {
        replace_comments(&mut objects, &was.comments, &is.comments);
    }
    cluster::replace(&mut objects, before, now);
    replace(objects, gone, made)
}

/// Each definition that is another one in one of two versions than in the other.
fn each<'a, K: Ord, V: PartialEq>(
    before: &'a OrdMap<K, V>,
    now: &'a OrdMap<K, V>,
    mut one: impl FnMut(Option<&'a V>, Option<&'a V>),
) {
    for difference in before.diff(now) {
        match difference {
            DiffItem::Add(_, new) => one(None, Some(new)),
            DiffItem::Update { old: (_, old), new: (_, new) } => one(Some(old), Some(new)),
            DiffItem::Remove(_, old) => one(Some(old), None),
        }
    }
}

fn put_statistics(objects: &mut Objects, old: Option<&Shared<TableDef>>, new: Option<&Shared<TableDef>>) {
    match new.filter(|table| table.analyzed.is_some()).cloned() {
        Some(table) => objects.put_statistics(table.oid, move || statistic::rows(&table)),
        None => old.into_iter().chain(new).for_each(|table| objects.delete_statistics(table.oid)),
    }
}

/// The comments on what is built in.
fn replace_comments(objects: &mut Objects, before: &[CommentDef], now: &[CommentDef]) {
    let key = |comment: &CommentDef| (comment.oid, comment.class, comment.column);
    for comment in before {
        objects.restore_comment(key(comment));
        PgDescription::delete(objects, key(comment));
    }
    for comment in now {
        objects.replace_comment(key(comment), comment.comment.as_deref());
        let now = description((comment.class, comment.oid, comment.column), &comment.comment);
        now.into_iter().for_each(|row| objects.put(row));
    }
}

/// Puts rows in place of those that are gone.
fn replace(mut objects: Objects, gone: Rows<'_>, made: Rows<'_>) -> Objects {
    objects.replace(&gone.namespaces, made.namespaces);
    objects.replace(&gone.extensions, made.extensions);
    objects.replace(&gone.relations, made.relations);
    objects.replace(&gone.columns, made.columns);
    objects.replace(&gone.indexes, made.indexes);
    objects.replace(&gone.constraints, made.constraints);
    objects.replace(&gone.defaults, made.defaults);
    objects.replace(&gone.sequences, made.sequences);
    objects.replace(&gone.rules, made.rules);
    objects.replace(&gone.types, made.types);
    objects.replace(&gone.depends, made.depends);
    objects.replace(&gone.descriptions, made.descriptions);
    objects
}

/// What is known of an index that is being opened: itself and its table.
pub fn objects_of_index(table: &TableDef, index: &IndexDef) -> Objects {
    let nothing = (engine::Catalog::empty(), DatabaseDef::new(0, "", ""));
    let mut rows = Rows::of(Version { catalog: &nothing.0, database: &nothing.1 });
    rows.table(&TableDef { indexes: vec![index.clone()], checks: vec![], ..table.clone() });
    Objects::default().with(rows.relations).with(rows.columns).with(rows.indexes).with(rows.types)
}

/// The rows of some objects.
struct Rows<'a> {
    version: Version<'a>,
    namespaces: Vec<PgNamespace>,
    extensions: Vec<PgExtension>,
    relations: Vec<PgClass>,
    columns: Vec<PgAttribute>,
    indexes: Vec<PgIndex>,
    constraints: Vec<PgConstraint>,
    defaults: Vec<PgAttrdef>,
    sequences: Vec<PgSequence>,
    rules: Vec<PgRewrite>,
    types: Vec<PgType>,
    depends: Vec<PgDepend>,
    descriptions: Vec<PgDescription>,
}

/// The oid of the relation with a table's long values: the fork of its files, which other relations' oids are below.
pub fn toast_table(table: Oid) -> Oid {
    RelationId { database: 0, file: table }.toast().file
}

/// Can a row of a table be so long that values go out of line (`needs_toast_table`)?
pub fn needs_toast_table(table: &TableDef) -> bool {
    let longest = |column: &ColumnDef| {
        let length = usize::try_from(column.ty.typmod - VARHDRSZ).ok();
        match column.ty.oid {
            oid::BPCHAR | oid::VARCHAR => Some(4 * length? + 4),
            // Two bytes for four digits.
            oid::NUMERIC => Some(length.map(|typmod| typmod >> 16)? / 2 + 12),
            oid::BIT | oid::VARBIT => Some(usize::try_from(column.ty.typmod).ok()? / 8 + 9),
            _ => None,
        }
    };
    let mut bytes = Some(0);
    let mut toastable = false;
    for (_, column) in table.live_columns() {
        let fixed = Catalog::BUILT_IN.pg_type(column.ty.oid).and_then(|row| usize::try_from(row.typlen).ok());
        toastable |= column.storage() != Storage::Plain;
        bytes = bytes.and_then(|bytes| Some(bytes + fixed.or_else(|| longest(column))?));
    }
    toastable && bytes.is_none_or(|bytes| bytes > TOAST_TUPLE_TARGET)
}

/// What a length's modifier is more than the length.
const VARHDRSZ: i32 = 4;

/// An oid for what belongs to a column and has none of its own.
fn part_of(relation: Oid, number: i16) -> Oid {
    relation.wrapping_mul(2048).wrapping_add(number as u32)
}

impl Version<'_> {
    fn owner(&self, name: &str) -> Oid {
        self.catalog.roles.get(name).map_or(BOOTSTRAP_SUPERUSER, |role| role.oid)
    }
}

impl<'a> Rows<'a> {
    fn of(version: Version<'a>) -> Rows<'a> {
        Rows {
            version,
            namespaces: vec![],
            extensions: vec![],
            relations: vec![],
            columns: vec![],
            indexes: vec![],
            constraints: vec![],
            defaults: vec![],
            sequences: vec![],
            rules: vec![],
            types: vec![],
            depends: vec![],
            descriptions: vec![],
        }
    }

    fn owner(&self, name: &str) -> Oid {
        self.version.owner(name)
    }

    fn schema(&self, name: &str) -> Oid {
        let own = self.version.database.namespace(name).map(|namespace| namespace.oid);
        own.or_else(|| Catalog::BUILT_IN.namespace_oid(name).ok()).unwrap_or(PUBLIC)
    }

    fn namespace(&mut self, namespace: &NamespaceDef) {
        self.namespaces.push(PgNamespace {
            oid: namespace.oid,
            nspname: owned(&namespace.name),
            nspowner: self.owner(&namespace.owner),
            nspacl: None,
        });
        self.describe((PG_NAMESPACE, namespace.oid, 0), &namespace.comment);
    }

    fn extension(&mut self, extension: &ExtensionDef) {
        let namespace = self.schema(&extension.schema);
        self.extensions.push(PgExtension {
            oid: extension.oid,
            extname: owned(&extension.name),
            extowner: self.owner(&extension.owner),
            extnamespace: namespace,
            extrelocatable: true,
            extversion: owned(&extension.version),
            extconfig: None,
            extcondition: None,
        });
        self.depend((PG_EXTENSION, extension.oid, 0), (PG_NAMESPACE, namespace, 0), b'n');
        for view in &extension.views {
            self.depend((PG_CLASS, *view, 0), (PG_EXTENSION, extension.oid, 0), b'e');
        }
        self.describe((PG_EXTENSION, extension.oid, 0), &extension.comment);
    }

    /// Adds a table, view or sequence, whose schema is not dropped without it.
    fn relation(&mut self, row: PgClass) {
        self.depend((PG_CLASS, row.oid, 0), (PG_NAMESPACE, row.relnamespace, 0), b'n');
        self.relations.push(row);
    }

    fn describe(&mut self, object: (Oid, Oid, i32), comment: &Option<String>) {
        self.descriptions.extend(description(object, comment));
    }

    fn table(&mut self, table: &TableDef) {
        let has_toast = needs_toast_table(table);
        let row = PgClass {
            reltoastrelid: if has_toast { toast_table(table.oid) } else { oid::INVALID },
            reltype: table.row_type,
            relam: HEAP,
            relfilenode: table.file,
            reltablespace: table.tablespace,
            relpages: table.analyzed.as_ref().map_or(0, |analyzed| analyzed.pages as i32),
            reltuples: table.analyzed.as_ref().map_or(-1.0, |analyzed| analyzed.rows as f32),
            relallvisible: table.analyzed.as_ref().map_or(0, |analyzed| analyzed.all_visible as i32),
            relhasindex: !table.indexes.is_empty(),
            relpersistence: persistence(&table.schema, table.unlogged),
            relkind: b'r',
            relnatts: table.columns.len() as i16,
            relchecks: table.checks.len() as i16,
            relreplident: b'd',
            reloptions: options(&table.options),
            ..relation(table.oid, (&table.schema, &table.name), self.schema(&table.schema), self.owner(&table.owner))
        };
        let namespace = row.relnamespace;
        self.row_type(&row, table.array_type);
        if has_toast {
            let (oid, name) = (toast_table(table.oid), format!("pg_toast_{}", table.oid));
            self.relations.push(PgClass {
                relam: HEAP,
                relfilenode: oid,
                reltablespace: table.tablespace,
                relkind: b't',
                relpersistence: row.relpersistence,
                ..relation(oid, ("pg_toast", &name), PG_TOAST, row.relowner)
            });
            self.depend((PG_CLASS, oid, 0), (PG_CLASS, table.oid, 0), b'i');
        }
        self.relation(row);
        self.describe((PG_CLASS, table.oid, 0), &table.comment);
        for (number, column) in (1..).zip(&table.columns) {
            self.column(table, number, column);
        }
        self.columns.extend(system_columns(table.oid));
        table.indexes.iter().for_each(|index| self.index(table, index));
        for check in &table.checks {
            self.check(table, check, namespace);
        }
    }

    fn check(&mut self, table: &TableDef, check: &CheckDef, namespace: Oid) {
        let references = &check.condition.references;
        let own = references.iter().filter(|object| (object.class, object.oid) == (PG_CLASS, table.oid));
        let key: Box<[i16]> = own.map(|object| object.column as i16).filter(|number| *number != 0).collect();
        let object = (PG_CONSTRAINT, check.oid, 0);
        for &number in &key {
            self.depend(object, (PG_CLASS, table.oid, i32::from(number)), b'a');
        }
        // Without a column it goes with the whole table.
        if key.is_empty() {
            self.depend(object, (PG_CLASS, table.oid, 0), b'a');
        }
        self.refer(object, references);
        self.constraints.push(PgConstraint {
            conbin: Some(owned(&check.condition.text)),
            conkey: (!key.is_empty()).then_some(key),
            ..constraint(check.oid, &check.name, table.oid, namespace)
        });
        self.describe(object, &check.comment);
    }

    /// The type of a table's rows, and that of arrays of them.
    fn row_type(&mut self, relation: &PgClass, array_type: Oid) {
        let Some(record) = Catalog::BUILT_IN.pg_type(oid::RECORD) else { return };
        let Some(array) = Catalog::BUILT_IN.pg_type(oid::RECORDARRAY) else { return };
        if relation.reltype == oid::INVALID {
            return;
        }
        let named = |row: &PgType, oid: Oid, name: String| PgType {
            oid,
            typname: name.into(),
            typnamespace: relation.relnamespace,
            typowner: relation.relowner,
            ..row.clone()
        };
        self.types.push(PgType {
            typtype: b'c',
            typcategory: b'C',
            typrelid: relation.oid,
            typarray: array_type,
            ..named(record, relation.reltype, relation.relname.to_string())
        });
        self.types.push(PgType {
            typtype: b'b',
            typcategory: b'A',
            typelem: relation.reltype,
            ..named(array, array_type, format!("_{}", relation.relname))
        });
        self.depend((PG_TYPE, relation.reltype, 0), (PG_CLASS, relation.oid, 0), b'i');
        self.depend((PG_TYPE, array_type, 0), (PG_TYPE, relation.reltype, 0), b'i');
    }

    fn column(&mut self, table: &TableDef, number: i16, column: &ColumnDef) {
        if column.dropped {
            // What it takes is known without its type.
            let row = attribute(table.oid, &column.name, number, (column.ty.oid, column.ty.typmod));
            self.columns.push(PgAttribute { atttypid: oid::INVALID, attisdropped: true, ..row });
            return;
        }
        let default = column.default.as_ref().filter(|_| column.identity.is_none());
        let identity = column.identity.map_or(0, |identity| match identity {
            Identity::Always => b'a',
            Identity::ByDefault => b'd',
        });
        let ty = (column.ty.oid, column.ty.typmod);
        let row = attribute(table.oid, &column.name, number, ty);
        self.columns.push(PgAttribute {
            attcollation: column.collation.unwrap_or(row.attcollation),
            attnotnull: column.not_null,
            atthasdef: default.is_some(),
            attidentity: identity,
            attstorage: match column.storage() {
                Storage::Plain => b'p',
                Storage::External => b'e',
                Storage::Extended => b'x',
                Storage::Main => b'm',
            },
            attcompression: if column.compression { b'l' } else { 0 },
            attstattarget: column.statistics_target.map(|target| target as i16),
            attoptions: options(&column.options),
            atthasmissing: column.missing.is_some(),
            attmissingval: column
                .missing
                .as_ref()
                .map(|missing| AnyArray { element: column.ty.oid, values: [owned(&missing.text)].into() }),
            ..row
        });
        self.describe((PG_CLASS, table.oid, i32::from(number)), &column.comment);
        if let Some(default) = default {
            self.column_default(table.oid, number, default);
        }
        if column.not_null {
            let (oid, name) = (part_of(table.oid, number), object_name(&table.name, &column.name, "not_null"));
            self.constraints.push(PgConstraint {
                contype: b'n',
                conkey: Some([number].into()),
                ..constraint(oid, &name, table.oid, self.schema(&table.schema))
            });
            self.depend((PG_CONSTRAINT, oid, 0), (PG_CLASS, table.oid, i32::from(number)), b'a');
        }
    }

    fn column_default(&mut self, relation: Oid, number: i16, default: &NodeTree) {
        let oid = part_of(relation, number);
        self.defaults.push(PgAttrdef { oid, adrelid: relation, adnum: number, adbin: owned(&default.text) });
        self.depend((PG_ATTRDEF, oid, 0), (PG_CLASS, relation, i32::from(number)), b'a');
        self.refer((PG_ATTRDEF, oid, 0), &default.references);
    }

    fn sequence(&mut self, sequence: &SequenceDef) {
        self.relation(PgClass {
            relfilenode: sequence.file,
            relpages: 1,
            reltuples: 1.0,
            relkind: b'S',
            relnatts: 3,
            relreplident: b'n',
            ..relation(
                sequence.oid,
                (&sequence.schema, &sequence.name),
                self.schema(&sequence.schema),
                self.owner(&sequence.owner),
            )
        });
        self.describe((PG_CLASS, sequence.oid, 0), &sequence.comment);
        let columns = [("last_value", oid::INT8), ("log_cnt", oid::INT8), ("is_called", oid::BOOL)];
        for (number, (name, ty)) in (1..).zip(columns) {
            self.columns.push(PgAttribute { attnotnull: true, ..attribute(sequence.oid, name, number, (ty, -1)) });
        }
        self.sequences.push(PgSequence {
            seqrelid: sequence.oid,
            seqtypid: sequence.ty,
            seqstart: sequence.start,
            seqincrement: sequence.increment,
            seqmax: sequence.max,
            seqmin: sequence.min,
            seqcache: sequence.cache,
            seqcycle: sequence.cycle,
        });
        // An identity column's sequence is part of it.
        let Some((table, column)) = &sequence.owned_by else { return };
        let database = self.version.database;
        let Some(def) = database.tables.get(table) else { return };
        if let Some(position) = def.column(column) {
            let of_identity = || database.identity_sequence(*table, column).map(|found| found.oid);
            let is_identity = def.columns[position].identity.is_some();
            let is_part = is_identity && (sequence.identity || of_identity() == Some(sequence.oid));
            let kind = if is_part { b'i' } else { b'a' };
            self.depend((PG_CLASS, sequence.oid, 0), (PG_CLASS, *table, position as i32 + 1), kind);
        }
    }

    /// An object cannot be without what its expression refers to.
    fn refer(&mut self, dependent: (Oid, Oid, i32), references: &[ObjectAddress]) {
        for object in references {
            self.depend(dependent, (object.class, object.oid, object.column), b'n');
        }
    }

    /// Who goes with, or keeps, whom: each a catalog, an object in it, and a column or 0.
    fn depend(&mut self, dependent: (Oid, Oid, i32), referenced: (Oid, Oid, i32), kind: Char) {
        self.depends.push(PgDepend {
            classid: dependent.0,
            objid: dependent.1,
            objsubid: dependent.2,
            refclassid: referenced.0,
            refobjid: referenced.1,
            refobjsubid: referenced.2,
            deptype: kind,
        });
    }
}
