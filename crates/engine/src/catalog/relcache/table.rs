//! Tables, their columns and checks.

use std::collections::BTreeMap;

use access::Storage;
use catalog::Catalog;
use catalog::catalogs::{InflightAttribute, PgAttribute, PgClass, PgConstraint};
use catalog::facts::Char;
use types::Oid;
use types::names::{PG_ATTRDEF, PG_CONSTRAINT};

use super::{array_type, index, is_temporary, schema, statistic, tree};
use crate::catalog::reloptions;
use crate::catalog::rows::collation;
use crate::catalog::{CheckDef, ColumnDef, Identity, Lies, MissingValue, TableDef};
use crate::column_type::ColumnType;

pub fn table(catalog: Catalog<'_>, oid: Oid) -> Option<TableDef> {
    let relation = catalog.relation(oid)?;
    let not_nulls: BTreeMap<i16, &PgConstraint> =
        constraints(catalog, oid, b'n').filter_map(|row| Some((*row.conkey.as_ref()?.first()?, row))).collect();
    let own = catalog.attributes(oid).filter(|column| column.attnum > 0);
    let columns: Vec<ColumnDef> =
        own.map(|row| column(catalog, row, not_nulls.get(&row.attnum).copied())).collect::<Option<_>>()?;
    let mut indexes: Vec<Oid> = catalog.indexes_of_relation(oid).map(|row| row.indexrelid).collect();
    indexes.sort_unstable();
    let mut checks: Vec<CheckDef> = constraints(catalog, oid, b'c').filter_map(|row| check(catalog, row)).collect();
    checks.sort_unstable_by_key(|check| check.oid);
    let indexes = indexes.into_iter().map(|oid| index::index(catalog, oid, &columns)).collect::<Option<_>>()?;
    let mut table = TableDef {
        moved_by: catalog.relation_storage_of(oid).map_or(0, |row| row.moved_by as u64),
        unlogged: relation.relpersistence == b'u',
        schema: schema(catalog, relation),
        temporary: is_temporary(relation),
        row_type: relation.reltype,
        array_type: array_type(catalog, relation),
        columns,
        indexes,
        checks,
        options: reloptions::given(relation.reloptions.as_deref()),
        file: relation.relfilenode,
        tablespace: relation.reltablespace,
        ..of_class(relation)
    };
    table.analyzed = statistic::analyzed(catalog, relation, &table);
    Some(table)
}

fn of_class(relation: &PgClass) -> TableDef {
    TableDef::new(relation.oid, (relation.relnamespace, &relation.relname), relation.relowner, vec![])
}

fn constraints(catalog: Catalog<'_>, table: Oid, kind: Char) -> impl Iterator<Item = &PgConstraint> {
    catalog.constraints_of_relation(table).filter(move |row| row.contype == kind)
}

fn check(catalog: Catalog<'_>, row: &PgConstraint) -> Option<CheckDef> {
    let condition = tree(catalog, row.conbin.as_ref()?, (PG_CONSTRAINT, row.oid));
    Some(CheckDef { oid: row.oid, name: row.conname.to_string(), condition })
}

fn column(catalog: Catalog<'_>, row: &PgAttribute, not_null: Option<&PgConstraint>) -> Option<ColumnDef> {
    let stored = catalog.column_storage_of((row.attrelid, row.attnum));
    let ty = match stored.map(|stored| stored.droppedtype).filter(|_| row.attisdropped) {
        Some(dropped) => ColumnType::built_in(dropped, row.atttypmod),
        None => ColumnType::new(catalog, row.atttypid, row.atttypmod),
    };
    let storage = match row.attstorage {
        b'p' => Storage::Plain,
        b'e' => Storage::External,
        b'm' => Storage::Main,
        _ => Storage::Extended,
    };
    let identity = match row.attidentity {
        b'a' => Some(Identity::Always),
        b'd' => Some(Identity::ByDefault),
        _ => None,
    };
    let default = catalog.defaults_of((row.attrelid, row.attnum)).next();
    let missing = || {
        let text = row.attmissingval.as_ref()?.values.first()?;
        Some(MissingValue { bytes: stored?.missing.as_ref()?.to_vec(), text: text.to_string() })
    };
    Some(ColumnDef {
        not_null: row.attnotnull,
        not_null_constraint: not_null.map_or(Default::default(), |row| (row.oid, row.conname.to_string())),
        default: default.map(|row| tree(catalog, &row.adbin, (PG_ATTRDEF, row.oid))),
        default_oid: default.map_or(0, |row| row.oid),
        identity,
        storage: Some(storage).filter(|own| *own != ty.storage()),
        compression: row.attcompression == b'l',
        statistics_target: row.attstattarget.map(|target| target as u16),
        collation: Some(row.attcollation).filter(|own| *own != collation(ty.value.0)),
        options: reloptions::given(row.attoptions.as_deref()),
        dropped: row.attisdropped,
        dropped_by: stored.map_or(0, |stored| stored.dropped_by as u64),
        lies: lies(stored)?,
        missing: missing(),
        ..ColumnDef::new(&row.attname, ty)
    })
}

fn lies(stored: Option<&InflightAttribute>) -> Option<Lies> {
    let Some(stored) = stored else { return Some(Lies::AsDeclared) };
    Some(match stored.lies {
        0 => Lies::AsDeclared,
        b'n' => Lies::First { nullable: true },
        b'v' => Lies::First { nullable: false },
        b'a' => Lies::Added(stored.added as u32),
        b'x' => Lies::Nowhere,
        _ => return None,
    })
}
