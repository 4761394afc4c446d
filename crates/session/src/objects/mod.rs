//! The objects of users as rows of the catalogs: what engine's catalog has of a database, one version of it.
//!
//! Engine's catalog keeps schemas, tables, views and sequences as definitions; here they become PostgreSQL's rows. A version is
//! made from nothing, some microseconds a column, whenever definitions have changed. What definitions have no oids for has oids
//! of its relation: a key its index's, a default and NOT NULL a number made of its table's and its column's.
//!
//! * This file: tables and what belongs to them, sequences. `view`: views. `index`: indexes. `statistic`: what ANALYZE found. `cluster`: databases, roles, tablespaces. `rows`: what rows of
//!   one catalog have in common.
//!
//! `pg_depend` says what DROP has to look at: relations depend on their schemas, views on what their queries refer to
//! ([`crate::dependency`]).

mod cluster;
mod index;
mod rows;
mod statistic;
mod view;

use std::collections::BTreeMap;
use std::sync::Arc;

use access::Storage;
use access::shape::TOAST_TUPLE_TARGET;
use catalog::catalogs::*;
use catalog::facts::Char;
use catalog::{Catalog, Objects, PUBLIC};
use engine::{
    CheckDef, ColumnDef, DatabaseDef, ExtensionDef, Identity, IndexDef, NamespaceDef, NodeTree, ObjectAddress, RoleDef,
    SequenceDef, TableDef,
};
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

/// What there is in a database of the engine's catalog, and in the cluster.
pub fn objects(catalog: &engine::Catalog, database: &DatabaseDef) -> Objects {
    let mut rows = Rows { roles: Some(&catalog.roles), ..Rows::default() };
    database.namespaces.values().for_each(|namespace| rows.namespace(namespace));
    database.tables.values().for_each(|table| rows.table(table));
    database.views.values().for_each(|view| rows.view(view));
    database.extensions.values().for_each(|extension| rows.extension(extension));
    database.sequences.values().for_each(|sequence| rows.sequence(sequence, database));
    for changed in &database.comments {
        rows.describe((changed.class, changed.oid, changed.column), &changed.comment);
    }
    let databases = catalog.databases.values().map(|database| rows.database(database)).collect::<Vec<_>>();
    let tablespaces = catalog.tablespaces.values().map(|tablespace| rows.tablespace(tablespace)).collect::<Vec<_>>();
    let roles = catalog.roles.values().map(cluster::role).collect::<Vec<_>>();
    let shared_descriptions = cluster::descriptions(catalog);
    let others = Objects::default()
        .with(rows.namespaces)
        .with(rows.extensions)
        .with(rows.relations)
        .with(rows.columns)
        .with(rows.indexes)
        .with(rows.constraints)
        .with(rows.depends)
        .with(rows.defaults)
        .with(rows.sequences)
        .with(rows.rules)
        .with(rows.types)
        .with(rows.descriptions)
        .with(databases)
        .with(cluster::role_settings(catalog))
        .with(roles)
        .with(shared_descriptions)
        .with(tablespaces);
    let others = database.comments.iter().fold(others, |others, changed| {
        others.with_comment((changed.oid, changed.class, changed.column), changed.comment.as_deref())
    });
    let analyzed: Vec<Arc<TableDef>> =
        database.tables.values().filter(|table| table.analyzed.is_some()).cloned().collect();
    others.with_statistics(move || {
        let mut statistics = Vec::new();
        analyzed.iter().for_each(|table| statistic::rows(table, &mut statistics));
        statistics
    })
}

/// What is known of an index that is being opened: itself and its table.
pub fn objects_of_index(table: &TableDef, index: &IndexDef) -> Objects {
    let mut rows = Rows::default();
    rows.table(&TableDef { indexes: vec![index.clone()], checks: vec![], ..table.clone() });
    Objects::default().with(rows.relations).with(rows.columns).with(rows.indexes).with(rows.types)
}

#[derive(Default)]
struct Rows<'a> {
    roles: Option<&'a BTreeMap<String, RoleDef>>,
    /// The oids of schemas that somebody has made.
    schemas: BTreeMap<&'a str, Oid>,
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
    for column in &table.columns {
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

impl<'a> Rows<'a> {
    fn owner(&self, name: &str) -> Oid {
        self.roles.and_then(|roles| roles.get(name)).map_or(BOOTSTRAP_SUPERUSER, |role| role.oid)
    }

    fn schema(&self, name: &str) -> Oid {
        let own = self.schemas.get(name).copied();
        own.or_else(|| Catalog::BUILT_IN.namespace_oid(name).ok()).unwrap_or(PUBLIC)
    }

    fn namespace(&mut self, namespace: &'a NamespaceDef) {
        self.schemas.insert(&namespace.name, namespace.oid);
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
        let Some(comment) = comment else { return };
        let (classoid, objoid, objsubid) = object;
        self.descriptions.push(PgDescription { objoid, classoid, objsubid, description: owned(comment) });
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

    fn sequence(&mut self, sequence: &SequenceDef, database: &DatabaseDef) {
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
        let found = self.columns.iter().find(|row| row.attrelid == *table && row.attname == *column);
        if let Some((number, identity)) = found.map(|row| (row.attnum, row.attidentity)) {
            let of_identity = || database.identity_sequence(*table, column).map(|found| found.oid);
            let is_part = identity != 0 && (sequence.identity || of_identity() == Some(sequence.oid));
            let kind = if is_part { b'i' } else { b'a' };
            self.depend((PG_CLASS, sequence.oid, 0), (PG_CLASS, *table, i32::from(number)), kind);
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
