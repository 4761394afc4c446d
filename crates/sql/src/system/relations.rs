//! Tables, indexes and sequences as the catalog has them: `pg_class`, `pg_attribute`, `pg_index` and what goes with these.

use engine::{Catalog, ColumnDef, Identity, IndexDef, PgType, SequenceDef, TableDef};

use super::{Cell, Rows, format_type, pages, sequences, types};
use crate::operator_classes::{self, OperatorClass};
use crate::session::Shared;

pub fn class(shared: &Shared) -> (&'static str, Rows) {
    let spec = "oid oid, relname name, relnamespace oid, reltype oid, reloftype oid, relowner oid, relam oid, relfilenode oid, \
                reltablespace oid, relpages int4, reltuples float4, relallvisible int4, reltoastrelid oid, relhasindex bool, \
                relisshared bool, relpersistence char, relkind char, relnatts int2, relchecks int2, relhasrules bool, \
                relhastriggers bool, relhassubclass bool, relrowsecurity bool, relforcerowsecurity bool, relispopulated bool, \
                relreplident char, relispartition bool, reloptions text[], relacl text[], relpartbound text";
    let catalog = shared.catalog();
    let mut rows = Rows::new();
    let Some(database) = catalog.database_by_oid(shared.database.0) else { return (spec, rows) };
    for t in database.tables.values() {
        let owner = catalog.roles.get(&t.owner).map_or(10, |r| r.oid);
        let options = |kept: &[(String, String)]| crate::storage_parameters::shown(kept);
        let mut add = |oid: u32,
                       name: &str,
                       file: u32,
                       columns: usize,
                       (kind, method, identity): (&str, u32, &str),
                       options: Option<Vec<String>>| {
            let table = kind == "r";
            rows.push(row![
                oid,
                name,
                2200,
                0,
                0,
                owner,
                method,
                file,
                0,
                pages(shared, file).unwrap_or(0),
                // An index has an entry for each row.
                t.analyzed.as_ref().map_or(-1.0, |a| a.rows),
                0,
                0,
                table && !t.indexes.is_empty(),
                false,
                "p",
                kind,
                columns,
                if table { t.checks.len() } else { 0 },
                false,
                false,
                false,
                false,
                false,
                true,
                identity,
                false,
                options,
                Cell::Null,
                Cell::Null,
            ]);
        };
        add(t.oid, &t.name, t.file, t.columns.len(), ("r", 2, "d"), options(&t.options));
        for i in &t.indexes {
            add(i.oid, &i.name, i.file, i.columns.len(), ("i", 403, "n"), options(&i.options));
        }
    }
    for s in database.sequences.values() {
        rows.push(sequence_row(&catalog, s));
    }
    (spec, rows)
}

/// A sequence is a relation of one row.
fn sequence_row(catalog: &Catalog, s: &SequenceDef) -> Vec<Cell> {
    let owner = catalog.roles.get(&s.owner).map_or(10, |r| r.oid);
    let null = || Cell::Null;
    row![
        s.oid,
        s.name.as_str(),
        2200,
        0,
        0,
        owner,
        0,
        s.file,
        0,
        1,
        1.0,
        0,
        0,
        false,
        false,
        "p",
        "S",
        sequences::COLUMNS.len(),
        0,
        false,
        false,
        false,
        false,
        false,
        true,
        "n",
        false,
        null(),
        null(),
        null(),
    ]
}

/// As the text of an `int2vector` or `oidvector`.
fn vector<T: ToString>(numbers: impl Iterator<Item = T>) -> String {
    numbers.map(|n| n.to_string()).collect::<Vec<_>>().join(" ")
}

/// The collation of a type: the database's, or none.
fn collation(ty: PgType) -> u32 {
    if matches!(ty, PgType::Text | PgType::Varchar(_) | PgType::Char(_)) { 100 } else { 0 }
}

pub fn operator_classes() -> (&'static str, Rows) {
    let row = |c: &OperatorClass| row![c.oid, 403, c.name, 11, 10, c.family, c.ty, c.default, c.key];
    (
        "oid oid, opcmethod oid, opcname name, opcnamespace oid, opcowner oid, opcfamily oid, opcintype oid, \
         opcdefault bool, opckeytype oid",
        operator_classes::EACH.iter().map(row).collect(),
    )
}

pub fn index(shared: &Shared) -> (&'static str, Rows) {
    let spec = "indexrelid oid, indrelid oid, indnatts int2, indnkeyatts int2, indisunique bool, indnullsnotdistinct bool, \
                indisprimary bool, indisexclusion bool, indimmediate bool, indisclustered bool, indisvalid bool, \
                indcheckxmin bool, indisready bool, indislive bool, indisreplident bool, indkey int2vector, \
                indcollation oidvector, indclass oidvector, indoption int2vector, indexprs text, indpred text";
    let catalog = shared.catalog();
    let tables = catalog.database_by_oid(shared.database.0).into_iter().flat_map(|d| d.tables.values());
    let row = |t: &TableDef, i: &IndexDef| {
        let types = |i: &IndexDef| i.columns.iter().map(|c| t.columns[c.column].ty).collect::<Vec<_>>().into_iter();
        let options = i.columns.iter().map(|c| i32::from(c.descending) | i32::from(c.nulls_first) << 1);
        row![
            i.oid,
            t.oid,
            i.columns.len(),
            i.columns.len(),
            i.unique,
            i.nulls_not_distinct,
            i.primary,
            false,
            true,
            false,
            true,
            false,
            true,
            true,
            false,
            vector(i.columns.iter().map(|c| c.column + 1)),
            vector(types(i).map(collation)),
            vector(operator_classes::of_index(t, i).into_iter()),
            vector(options),
            Cell::Null,
            Cell::Null,
        ]
    };
    (spec, tables.flat_map(|t| t.indexes.iter().map(move |i| row(t, i))).collect())
}

/// Keys and checks. A key's constraint has the OID of its index.
pub fn constraint(shared: &Shared) -> (&'static str, Rows) {
    let spec = "oid oid, conname name, connamespace oid, contype char, condeferrable bool, condeferred bool, \
                conenforced bool, convalidated bool, conrelid oid, contypid oid, conindid oid, conparentid oid, \
                confrelid oid, confupdtype char, confdeltype char, confmatchtype char, conislocal bool, \
                coninhcount int2, connoinherit bool, conperiod bool, conkey int2[], confkey int2[], \
                conpfeqop oid[], conppeqop oid[], conffeqop oid[], confdelsetcols int2[], conexclop oid[], conbin text";
    let catalog = shared.catalog();
    let mut rows = Rows::new();
    let tables = catalog.database_by_oid(shared.database.0).into_iter().flat_map(|d| d.tables.values());
    for t in tables {
        let mut add = |oid: u32, name: &str, kind: &str, index: u32, columns: Vec<usize>, condition: Cell| {
            let columns = columns.into_iter().map(|column| column as i64 + 1).collect();
            // What concerns foreign keys, exclusion and periods.
            let none = || Cell::Null;
            rows.push(row![
                oid,
                name,
                2200,
                kind,
                false,
                false,
                true,
                true,
                t.oid,
                0,
                index,
                0,
                0,
                " ",
                " ",
                " ",
                true,
                0,
                kind != "c",
                false,
                Cell::Ints(columns),
                none(),
                none(),
                none(),
                none(),
                none(),
                none(),
                condition,
            ]);
        };
        for i in t.indexes.iter().filter(|i| i.constraint) {
            let columns = i.columns.iter().map(|c| c.column).collect();
            add(i.oid, &i.name, if i.primary { "p" } else { "u" }, i.oid, columns, Cell::Null);
        }
        for check in &t.checks {
            let columns = crate::definition::columns_of(t, check);
            add(check.oid, &check.name, "c", 0, columns, check.condition.as_str().into());
        }
    }
    (spec, rows)
}

pub fn attribute(shared: &Shared) -> (&'static str, Rows) {
    let spec = "attrelid oid, attname name, atttypid oid, attlen int2, attnum int2, atttypmod int4, attndims int2, attbyval bool, \
                attstorage char, attalign char, attnotnull bool, atthasdef bool, attidentity char, attgenerated char, \
                attisdropped bool, attislocal bool, attinhcount int2, attcollation oid, attcompression char, attstattarget int4, \
                attacl text[], attoptions text[], attfdwoptions text[]";
    let catalog = shared.catalog();
    let mut rows = Rows::new();
    let Some(database) = catalog.database_by_oid(shared.database.0) else { return (spec, rows) };
    for t in database.tables.values() {
        let identity = |identity: Identity| match identity {
            Identity::Always => "a",
            Identity::ByDefault => "d",
        };
        let own = t.columns.iter().enumerate().map(|(index, c)| (t.oid, index, c, c.default.is_some(), c.not_null));
        // An index's columns have no defaults and no constraints.
        let keys = t.indexes.iter().flat_map(|i| {
            i.columns.iter().enumerate().map(|(index, key)| (i.oid, index, &t.columns[key.column], false, false))
        });
        for (relation, index, c, default, not_null) in own.chain(keys) {
            let (align, storage) = types::layout(c.ty.oid());
            rows.push(row![
                relation,
                c.name.as_str(),
                c.ty.oid(),
                c.ty.type_len(),
                index + 1,
                c.ty.typmod(),
                0,
                types::by_value(c.ty.oid()),
                storage,
                align,
                not_null,
                default && c.identity.is_none(),
                if relation == t.oid { c.identity.map_or("", identity) } else { "" },
                "",
                false,
                true,
                0,
                collation(c.ty),
                "",
                -1,
                Cell::Null,
                Cell::Null,
                Cell::Null,
            ]);
        }
    }
    rows.extend(database.sequences.values().flat_map(|s| sequence_columns(s.oid)));
    (spec, rows)
}

fn sequence_columns(sequence: u32) -> impl Iterator<Item = Vec<Cell>> {
    let null = || Cell::Null;
    sequences::COLUMNS.iter().enumerate().map(move |(index, (name, ty, len, align))| {
        row![
            sequence,
            *name,
            *ty,
            *len,
            index + 1,
            -1,
            0,
            true,
            "p",
            *align,
            true,
            false,
            "",
            "",
            false,
            true,
            0,
            0,
            "",
            -1,
            null(),
            null(),
            null()
        ]
    })
}

/// A column's default as PostgreSQL prints a stored one: string constants with their type.
pub fn shown_default(column: &ColumnDef) -> Option<String> {
    let default = column.default.as_ref()?;
    Some(match default.starts_with('\'') {
        true => format!("{default}::{}", format_type(column.ty.oid(), -1)),
        false => default.clone(),
    })
}

pub fn attrdef(shared: &Shared) -> (&'static str, Rows) {
    let catalog = shared.catalog();
    let mut rows = Rows::new();
    if let Some(database) = catalog.database_by_oid(shared.database.0) {
        for t in database.tables.values() {
            // What identity columns draw is no default of theirs.
            for (index, c) in t.columns.iter().enumerate().filter(|(_, c)| c.identity.is_none()) {
                if let Some(shown) = shown_default(c) {
                    rows.push(row![t.oid * 1000 + index as u32, t.oid, index + 1, shown]);
                }
            }
        }
    }
    ("oid oid, adrelid oid, adnum int2, adbin text", rows)
}

pub fn tables(shared: &Shared) -> (&'static str, Rows) {
    let catalog = shared.catalog();
    let tables = catalog.database_by_oid(shared.database.0).map(|d| d.tables.clone()).unwrap_or_default();
    let rows = tables
        .values()
        .map(|t| row![t.schema.as_str(), t.name.as_str(), t.owner.as_str(), Cell::Null, false, false, false, false])
        .collect();
    (
        "schemaname name, tablename name, tableowner name, tablespace name, hasindexes bool, hasrules bool, hastriggers bool, rowsecurity bool",
        rows,
    )
}
