//! The objects of users as rows of the catalogs: what engine's catalog has of a database, one version of it.
//!
//! Engine's catalog keeps tables, indexes and sequences as definitions; here they become PostgreSQL's rows. A version is made
//! from nothing, some microseconds a column, whenever definitions have changed. What definitions have no oids for has oids of
//! its relation: a key its index's, a default a number made of its table's and its column's.

use std::collections::BTreeMap;

use catalog::catalogs::*;
use catalog::facts::{Char, Name};
use catalog::{BTREE, Catalog, Objects, PUBLIC};
use engine::{ColumnDef, DatabaseDef, Identity, IndexDef, RoleDef, SequenceDef, TableDef};
use types::names::{PG_ATTRDEF, PG_CLASS, PG_CONSTRAINT, PG_TYPE};
use types::{Oid, oid};

/// Rows of `pg_am`.
const HEAP: Oid = 2;

/// Rows of `pg_tablespace`.
const DEFAULT_TABLESPACE: Oid = 1663;

/// The role that owns what its owner has left.
const BOOTSTRAP_SUPERUSER: Oid = 10;

/// The encoding's number: UTF8.
const UTF8: i32 = 6;

/// What there is in a database of the engine's catalog, and in the cluster.
pub fn objects(catalog: &engine::Catalog, database: &DatabaseDef) -> Objects {
    let mut rows = Rows { roles: Some(&catalog.roles), ..Rows::default() };
    database.tables.values().for_each(|table| rows.table(table));
    database.sequences.values().for_each(|sequence| rows.sequence(sequence));
    let databases = catalog.databases.values().map(|database| rows.database(database)).collect::<Vec<_>>();
    let roles = catalog.roles.values().map(role).collect::<Vec<_>>();
    Objects::default()
        .with(rows.relations)
        .with(rows.columns)
        .with(rows.indexes)
        .with(rows.constraints)
        .with(rows.defaults)
        .with(rows.sequences)
        .with(rows.types)
        .with(rows.depends)
        .with(databases)
        .with(roles)
}

#[derive(Default)]
struct Rows<'a> {
    roles: Option<&'a BTreeMap<String, RoleDef>>,
    relations: Vec<PgClass>,
    columns: Vec<PgAttribute>,
    indexes: Vec<PgIndex>,
    constraints: Vec<PgConstraint>,
    defaults: Vec<PgAttrdef>,
    sequences: Vec<PgSequence>,
    types: Vec<PgType>,
    depends: Vec<PgDepend>,
}

fn owned(name: &str) -> Name {
    Name::Owned(name.into())
}

/// The schema of a name: engine has no others than the built-in ones.
fn namespace(name: &str) -> Oid {
    Catalog::BUILT_IN.namespace_oid(name).unwrap_or(PUBLIC)
}

impl Rows<'_> {
    fn owner(&self, name: &str) -> Oid {
        self.roles.and_then(|roles| roles.get(name)).map_or(BOOTSTRAP_SUPERUSER, |role| role.oid)
    }

    fn table(&mut self, table: &TableDef) {
        let row = PgClass {
            reltype: table.row_type,
            relam: HEAP,
            relfilenode: table.file,
            relpages: table.analyzed.as_ref().map_or(0, |analyzed| analyzed.pages as i32),
            reltuples: table.analyzed.as_ref().map_or(-1.0, |analyzed| analyzed.rows as f32),
            relhasindex: !table.indexes.is_empty(),
            relkind: b'r',
            relnatts: table.columns.len() as i16,
            relchecks: table.checks.len() as i16,
            relreplident: b'd',
            reloptions: options(&table.options),
            ..relation(table.oid, &table.name, namespace(&table.schema), self.owner(&table.owner))
        };
        self.row_type(&row, table.array_type);
        self.relations.push(row);
        for (number, column) in (1..).zip(&table.columns) {
            self.column(table, number, column);
        }
        self.columns.extend(system_columns(table.oid));
        self.not_null(table);
        table.indexes.iter().for_each(|index| self.index(table, index));
        for check in &table.checks {
            let row =
                PgConstraint { conbin: Some(owned(&check.condition)), ..constraint(check.oid, &check.name, table) };
            self.constraints.push(row);
            self.depend((PG_CONSTRAINT, check.oid, 0), (PG_CLASS, table.oid, 0), b'a');
        }
    }

    /// What columns say of NULL are constraints, too, under the names that PostgreSQL gives them.
    fn not_null(&mut self, table: &TableDef) {
        let taken: Vec<&str> =
            table.indexes.iter().filter(|index| index.constraint).map(|index| &*index.name).collect();
        let taken: Vec<&str> = taken.into_iter().chain(table.checks.iter().map(|check| &*check.name)).collect();
        for (number, column) in (1..).zip(&table.columns).filter(|(_, column)| column.not_null) {
            let mut names = std::iter::once(String::new()).chain((1..).map(|count: u32| count.to_string()));
            let name = names.find_map(|count| {
                let name = object_name(&table.name, &column.name, &format!("not_null{count}"));
                (!taken.contains(&&*name)).then_some(name)
            });
            let oid = part_oid(table, number);
            self.constraints.push(PgConstraint {
                contype: b'n',
                conkey: Some([number].into()),
                ..constraint(oid, &name.unwrap_or_default(), table)
            });
            self.depend((PG_CONSTRAINT, oid, 0), (PG_CLASS, table.oid, i32::from(number)), b'a');
        }
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
        let ty = (column.ty.oid(), column.ty.typmod());
        self.columns.push(PgAttribute {
            attnotnull: column.not_null,
            atthasdef: default.is_some(),
            attidentity: identity,
            ..attribute(table.oid, &column.name, number, ty)
        });
        if let Some(default) = default {
            let oid = part_oid(table, number);
            self.defaults.push(PgAttrdef { oid, adrelid: table.oid, adnum: number, adbin: owned(default) });
            self.depend((PG_ATTRDEF, oid, 0), (PG_CLASS, table.oid, i32::from(number)), b'a');
        }
    }

    fn index(&mut self, table: &TableDef, index: &IndexDef) {
        let owner = self.owner(&table.owner);
        let types: Vec<_> = index.columns.iter().map(|column| table.columns[column.column].ty).collect();
        self.relations.push(PgClass {
            relam: BTREE,
            relfilenode: index.file,
            reltuples: table.analyzed.as_ref().map_or(-1.0, |analyzed| analyzed.rows as f32),
            relkind: b'i',
            relnatts: index.columns.len() as i16,
            relreplident: b'n',
            reloptions: options(&index.options),
            ..relation(index.oid, &index.name, namespace(&table.schema), owner)
        });
        for ((number, column), ty) in (1..).zip(&index.columns).zip(&types) {
            let name = &table.columns[column.column].name;
            self.columns.push(attribute(index.oid, name, number, (ty.oid(), ty.typmod())));
            self.depend((PG_CLASS, index.oid, 0), (PG_CLASS, table.oid, column.column as i32 + 1), b'a');
        }
        let class = |(position, ty): (usize, &engine::PgType)| {
            let given = index.operator_classes.get(position).copied();
            given.or_else(|| Catalog::BUILT_IN.default_opclass(ty.oid(), BTREE)).unwrap_or(oid::INVALID)
        };
        let key: Box<[i16]> = index.columns.iter().map(|column| column.column as i16 + 1).collect();
        self.indexes.push(PgIndex {
            indexrelid: index.oid,
            indrelid: table.oid,
            indnatts: key.len() as i16,
            indnkeyatts: key.len() as i16,
            indisunique: index.unique,
            indnullsnotdistinct: index.nulls_not_distinct,
            indisprimary: index.primary,
            indisexclusion: false,
            indimmediate: true,
            indisclustered: false,
            indisvalid: true,
            indcheckxmin: false,
            indisready: true,
            indislive: true,
            indisreplident: false,
            indkey: key.clone(),
            indcollation: types.iter().map(|ty| collation(ty.oid())).collect(),
            indclass: types.iter().enumerate().map(class).collect(),
            indoption: index.columns.iter().map(|c| i16::from(c.descending) | i16::from(c.nulls_first) << 1).collect(),
            indexprs: None,
            indpred: None,
        });
        if index.constraint {
            self.constraints.push(PgConstraint {
                contype: if index.primary { b'p' } else { b'u' },
                conindid: index.oid,
                connoinherit: true,
                conkey: Some(key),
                ..constraint(index.oid, &index.name, table)
            });
            self.depend((PG_CLASS, index.oid, 0), (PG_CONSTRAINT, index.oid, 0), b'i');
            self.depend((PG_CONSTRAINT, index.oid, 0), (PG_CLASS, table.oid, 0), b'a');
        }
    }

    fn sequence(&mut self, sequence: &SequenceDef) {
        self.relations.push(PgClass {
            relfilenode: sequence.file,
            relpages: 1,
            reltuples: 1.0,
            relkind: b'S',
            relnatts: 3,
            relreplident: b'n',
            ..relation(sequence.oid, &sequence.name, namespace(&sequence.schema), self.owner(&sequence.owner))
        });
        let columns = [("last_value", oid::INT8), ("log_cnt", oid::INT8), ("is_called", oid::BOOL)];
        for (number, (name, ty)) in (1..).zip(columns) {
            self.columns.push(PgAttribute { attnotnull: true, ..attribute(sequence.oid, name, number, (ty, -1)) });
        }
        self.sequences.push(PgSequence {
            seqrelid: sequence.oid,
            seqtypid: sequence.ty.oid(),
            seqstart: sequence.start,
            seqincrement: sequence.increment,
            seqmax: sequence.max,
            seqmin: sequence.min,
            seqcache: sequence.cache,
            seqcycle: sequence.cycle,
        });
        // An identity column's sequence is part of it.
        let Some((table, column)) = &sequence.owned_by else { return };
        let column = self.columns.iter().find(|row| row.attrelid == *table && row.attname == *column);
        if let Some((number, identity)) = column.map(|row| (row.attnum, row.attidentity)) {
            let kind = if identity == 0 { b'a' } else { b'i' };
            self.depend((PG_CLASS, sequence.oid, 0), (PG_CLASS, *table, i32::from(number)), kind);
        }
    }

    fn database(&self, database: &DatabaseDef) -> PgDatabase {
        PgDatabase {
            oid: database.oid,
            datname: owned(&database.name),
            datdba: self.owner(&database.owner),
            encoding: UTF8,
            datlocprovider: b'c',
            datistemplate: database.is_template,
            datallowconn: database.allow_connections,
            dathasloginevt: false,
            datconnlimit: -1,
            datfrozenxid: 0,
            datminmxid: 1,
            dattablespace: DEFAULT_TABLESPACE,
            datcollate: owned("C.UTF-8"),
            datctype: owned("C.UTF-8"),
            datlocale: None,
            daticurules: None,
            datcollversion: None,
            datacl: None,
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

/// The oid of what a column has and definitions have no oids for.
fn part_oid(table: &TableDef, column: i16) -> Oid {
    table.oid.wrapping_mul(2048).wrapping_add(column as u32)
}

/// `table_column_label`, of which the longer ones of table and column are cut where it is too long (`makeObjectName`).
fn object_name(table: &str, column: &str, label: &str) -> String {
    let room = 63_usize.saturating_sub(label.len() + 2);
    let (mut first, mut second) = (table.len(), column.len());
    while first + second > room {
        if first > second { first -= 1 } else { second -= 1 }
    }
    let cut = |name: &str, length: usize| name[..name.floor_char_boundary(length)].to_string();
    format!("{}_{}_{label}", cut(table, first), cut(column, second))
}

fn role(role: &RoleDef) -> PgAuthid {
    PgAuthid {
        oid: role.oid,
        rolname: owned(&role.name),
        rolsuper: role.superuser,
        rolinherit: role.inherit,
        rolcreaterole: role.create_role,
        rolcreatedb: role.create_db,
        rolcanlogin: role.login,
        rolreplication: role.replication,
        rolbypassrls: role.bypass_rls,
        rolconnlimit: role.connection_limit.map_or(-1, |limit| limit as i32),
        rolpassword: role.password.as_deref().map(owned),
        rolvaliduntil: role.valid_until,
    }
}

/// Storage parameters as `pg_class` has them.
fn options(given: &[(String, String)]) -> Option<Box<[Name]>> {
    (!given.is_empty()).then(|| given.iter().map(|(name, value)| Name::Owned(format!("{name}={value}"))).collect())
}

/// The collation of a type's values.
fn collation(ty: Oid) -> Oid {
    Catalog::BUILT_IN.pg_type(ty).map_or(oid::INVALID, |row| row.typcollation)
}

/// What all relations have.
fn relation(oid: Oid, name: &str, namespace: Oid, owner: Oid) -> PgClass {
    PgClass {
        oid,
        relname: owned(name),
        relnamespace: namespace,
        reltype: 0,
        reloftype: 0,
        relowner: owner,
        relam: 0,
        relfilenode: 0,
        reltablespace: 0,
        relpages: 0,
        reltuples: -1.0,
        relallvisible: 0,
        relallfrozen: 0,
        reltoastrelid: 0,
        relhasindex: false,
        relisshared: false,
        relpersistence: b'p',
        relkind: b'r',
        relnatts: 0,
        relchecks: 0,
        relhasrules: false,
        relhastriggers: false,
        relhassubclass: false,
        relrowsecurity: false,
        relforcerowsecurity: false,
        relispopulated: true,
        relreplident: b'n',
        relispartition: false,
        relrewrite: 0,
        relfrozenxid: 0,
        relminmxid: 0,
        relacl: None,
        reloptions: None,
        relpartbound: None,
    }
}

/// What all columns have.
fn attribute(relation: Oid, name: &str, number: i16, (ty, typmod): (Oid, i32)) -> PgAttribute {
    let facts = Catalog::BUILT_IN.pg_type(ty);
    PgAttribute {
        attrelid: relation,
        attname: owned(name),
        atttypid: ty,
        attlen: facts.map_or(-1, |facts| facts.typlen),
        attnum: number,
        atttypmod: typmod,
        attndims: facts.map_or(0, |facts| i16::from(facts.typcategory == b'A')),
        attbyval: facts.is_some_and(|facts| facts.typbyval),
        attalign: facts.map_or(b'i', |facts| facts.typalign),
        attstorage: facts.map_or(b'x', |facts| facts.typstorage),
        attcompression: 0,
        attnotnull: false,
        atthasdef: false,
        atthasmissing: false,
        attidentity: 0,
        attgenerated: 0,
        attisdropped: false,
        attislocal: true,
        attinhcount: 0,
        attcollation: collation(ty),
        attstattarget: None,
        attacl: None,
        attoptions: None,
        attfdwoptions: None,
        attmissingval: None,
    }
}

/// The columns that every table has before its own.
fn system_columns(table: Oid) -> impl Iterator<Item = PgAttribute> {
    let columns = [
        ("ctid", oid::TID),
        ("xmin", oid::XID),
        ("cmin", oid::CID),
        ("xmax", oid::XID),
        ("cmax", oid::CID),
        ("tableoid", oid::OID),
    ];
    let numbered = (1..).zip(columns);
    numbered
        .map(move |(number, (name, ty))| PgAttribute { attnotnull: true, ..attribute(table, name, -number, (ty, -1)) })
}

/// A check, as far as it is like other constraints.
fn constraint(oid: Oid, name: &str, table: &TableDef) -> PgConstraint {
    PgConstraint {
        oid,
        conname: owned(name),
        connamespace: namespace(&table.schema),
        contype: b'c',
        condeferrable: false,
        condeferred: false,
        conenforced: true,
        convalidated: true,
        conrelid: table.oid,
        contypid: 0,
        conindid: 0,
        conparentid: 0,
        confrelid: 0,
        confupdtype: b' ',
        confdeltype: b' ',
        confmatchtype: b' ',
        conislocal: true,
        coninhcount: 0,
        connoinherit: false,
        conperiod: false,
        conkey: None,
        confkey: None,
        conpfeqop: None,
        conppeqop: None,
        conffeqop: None,
        confdelsetcols: None,
        conexclop: None,
        conbin: None,
    }
}
