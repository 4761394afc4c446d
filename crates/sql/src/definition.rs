//! Indexes and constraints as SQL: `pg_get_indexdef`, `pg_get_constraintdef`, and what psql's `\d` shows of them.

use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::sql::sqlparser::ast::{Expr, visit_expressions};
use engine::{CheckDef, IndexDef, TableDef};

use crate::ddl::ident;
use crate::session::Shared;

/// PostgreSQL's key words that are no names without quotes (all but the unreserved: `kwlist.h`).
const KEYWORDS: &str = "all analyse analyze and any array as asc asymmetric authorization between bigint binary bit \
    boolean both case cast char character check coalesce collate collation column concurrently constraint create cross \
    current_catalog current_date current_role current_schema current_time current_timestamp current_user dec decimal \
    default deferrable desc distinct do else end except exists extract false fetch float for foreign freeze from full \
    grant greatest group grouping having ilike in initially inner inout int integer intersect interval into is isnull \
    join lateral leading least left like limit localtime localtimestamp national natural nchar none normalize not \
    notnull null nullif numeric offset on only or order out outer overlaps overlay placing position precision primary \
    real references returning right row select session_user setof similar smallint some substring symmetric \
    system_user table tablesample then time timestamp to trailing treat trim true union unique user using values \
    varchar variadic verbose when where window with xmlattributes xmlconcat xmlelement xmlexists xmlforest \
    xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable";

/// An identifier as SQL has it: quoted where it must be.
pub fn quote_ident(name: &str) -> String {
    let plain = |(i, b): (usize, u8)| b == b'_' || b.is_ascii_lowercase() || (i > 0 && b.is_ascii_digit());
    let keyword = KEYWORDS.split_ascii_whitespace().any(|word| word == name);
    if !name.is_empty() && !keyword && name.bytes().enumerate().all(plain) {
        return name.to_string();
    }
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The columns that a CHECK constraint is about, in the table's order.
pub fn columns_of(table: &TableDef, check: &CheckDef) -> Vec<usize> {
    let mut columns = Vec::new();
    let Ok(condition) = crate::parse::expression(&check.condition) else { return columns };
    let _ = visit_expressions(&condition, |expr| {
        if let Expr::Identifier(name) = expr {
            columns.extend(table.column(&ident(name)));
        }
        ControlFlow::<()>::Continue(())
    });
    columns.sort_unstable();
    columns.dedup();
    columns
}

/// The index of the session's database with an OID, and its table.
pub fn find_index(shared: &Shared, oid: u32) -> Option<(Arc<TableDef>, IndexDef)> {
    let catalog = shared.catalog();
    let tables = &catalog.database_by_oid(shared.database.0)?.tables;
    tables.values().find_map(|t| t.indexes.iter().find(|i| i.oid == oid).map(|i| (t.clone(), i.clone())))
}

/// The OID of an index by its name.
pub fn index_oid(shared: &Shared, schema: &str, name: &str) -> Option<u32> {
    let catalog = shared.catalog();
    let tables = catalog.database_by_oid(shared.database.0)?.tables.values();
    let mut indexes = tables.filter(|t| t.schema == schema).flat_map(|t| &t.indexes);
    indexes.find(|i| i.name == name).map(|i| i.oid)
}

/// The name of an index by its OID.
pub fn index_name(shared: &Shared, oid: u32) -> Option<String> {
    find_index(shared, oid).map(|(_, index)| index.name)
}

fn column_name(table: &TableDef, index: &IndexDef, position: usize) -> Option<String> {
    index.columns.get(position).map(|c| quote_ident(&table.columns[c.column].name))
}

/// `pg_get_indexdef`: the whole statement for `column` 0, else the name of that column of the index.
pub fn index(shared: &Shared, oid: u32, column: usize) -> Option<String> {
    let (table, index) = find_index(shared, oid)?;
    if column > 0 {
        return column_name(&table, &index, column - 1);
    }
    let keys = index.columns.iter().enumerate().map(|(position, key)| {
        let name = column_name(&table, &index, position).expect("it is a column of the index");
        // NULLs are largest: what that gives is not said.
        let (order, nulls) = match (key.descending, key.nulls_first) {
            (false, false) => ("", ""),
            (false, true) => ("", " NULLS FIRST"),
            (true, true) => (" DESC", ""),
            (true, false) => (" DESC", " NULLS LAST"),
        };
        let class = crate::operator_classes::definition(&table, &index, position);
        format!("{name}{class}{order}{nulls}")
    });
    let options = crate::storage_parameters::definition(&index.options);
    Some(format!(
        "CREATE {}INDEX {} ON {}.{} USING btree ({}){}{options}",
        if index.unique { "UNIQUE " } else { "" },
        quote_ident(&index.name),
        quote_ident(&table.schema),
        quote_ident(&table.name),
        keys.collect::<Vec<_>>().join(", "),
        if index.nulls_not_distinct { " NULLS NOT DISTINCT" } else { "" }
    ))
}

/// `pg_get_constraintdef`. A key's constraint has its index's OID.
pub fn constraint(shared: &Shared, oid: u32, pretty: bool) -> Option<String> {
    if let Some((table, index)) = find_index(shared, oid).filter(|(_, index)| index.constraint) {
        let columns: Option<Vec<String>> = (0..index.columns.len()).map(|i| column_name(&table, &index, i)).collect();
        let nulls = if index.nulls_not_distinct { " NULLS NOT DISTINCT" } else { "" };
        let kind = if index.primary { "PRIMARY KEY".into() } else { format!("UNIQUE{nulls}") };
        return Some(format!("{kind} ({})", columns?.join(", ")));
    }
    let catalog = shared.catalog();
    let mut checks = catalog.database_by_oid(shared.database.0)?.tables.values().flat_map(|t| &t.checks);
    let condition = &checks.find(|check| check.oid == oid)?.condition;
    Some(if pretty { format!("CHECK ({condition})") } else { format!("CHECK (({condition}))") })
}
