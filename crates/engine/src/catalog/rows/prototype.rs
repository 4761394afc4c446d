//! What rows of one catalog have in common.

use catalog::Catalog;
use catalog::catalogs::*;
use catalog::facts::{Char, Name};
use types::{Oid, oid};

use crate::catalog::TableDef;
use crate::column_type::ColumnType;

pub fn owned(name: &str) -> Name {
    Name::Owned(name.into())
}

/// The collation of a type's values.
pub fn collation(ty: Oid) -> Oid {
    Catalog::BUILT_IN.pg_type(ty).map_or(oid::INVALID, |row| row.typcollation)
}

/// Whether a relation outlives its session, and a crash.
pub fn persistence(temporary: bool, unlogged: bool) -> Char {
    match (temporary, unlogged) {
        (true, _) => b't',
        (false, true) => b'u',
        (false, false) => b'p',
    }
}

/// What all relations have.
pub fn relation(oid: Oid, (namespace, name): (Oid, &str), owner: Oid) -> PgClass {
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
        relpersistence: persistence(false, false),
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
pub fn attribute(relation: Oid, name: &str, number: i16, ty: ColumnType) -> PgAttribute {
    let facts = Catalog::BUILT_IN.pg_type(ty.value.0);
    PgAttribute {
        attrelid: relation,
        attname: owned(name),
        atttypid: ty.oid,
        attlen: facts.map_or(-1, |facts| facts.typlen),
        attnum: number,
        atttypmod: ty.typmod,
        attndims: i16::from(ty.is_array()),
        attbyval: facts.is_some_and(|facts| facts.typbyval),
        // Enums' arrays are as narrow as enums.
        attalign: if ty.value.0 == oid::ANYARRAY { b'i' } else { facts.map_or(b'd', |facts| facts.typalign) },
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
        attcollation: collation(ty.value.0),
        attstattarget: None,
        attacl: None,
        attoptions: None,
        attfdwoptions: None,
        attmissingval: None,
    }
}

/// The columns that every table has before its own.
pub fn system_columns(table: Oid) -> impl Iterator<Item = PgAttribute> {
    let columns = [
        ("ctid", oid::TID),
        ("xmin", oid::XID),
        ("cmin", oid::CID),
        ("xmax", oid::XID),
        ("cmax", oid::CID),
        ("tableoid", oid::OID),
    ];
    let numbered = (1..).zip(columns);
    numbered.map(move |(number, (name, ty))| PgAttribute {
        attnotnull: true,
        ..attribute(table, name, -number, ColumnType::of(ty))
    })
}

/// A check, as far as it is like other constraints.
pub fn constraint(oid: Oid, name: &str, table: &TableDef) -> PgConstraint {
    PgConstraint {
        oid,
        conname: owned(name),
        connamespace: table.namespace,
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
