//! Sequences in the catalog: `pg_sequence`, and whose columns they belong to (`pg_depend`).

use engine::{SequenceDef, TableDef};

use super::{Cell, Rows};
use crate::session::Shared;

/// OIDs of the catalogs that dependencies are between.
const PG_CLASS: u32 = 1259;

/// The columns that every sequence has: name, type, length, alignment.
pub const COLUMNS: [(&str, u32, i16, &str); 3] =
    [("last_value", 20, 8, "d"), ("log_cnt", 20, 8, "d"), ("is_called", 16, 1, "c")];

fn each<'a>(shared: &Shared, catalog: &'a engine::Catalog) -> Vec<&'a SequenceDef> {
    let database = catalog.database_by_oid(shared.database.0);
    database.into_iter().flat_map(|database| database.sequences.values()).map(|sequence| &**sequence).collect()
}

pub fn pg_sequence(shared: &Shared) -> (&'static str, Rows) {
    let catalog = shared.catalog();
    let row = |s: &SequenceDef| row![s.oid, s.ty.oid(), s.start, s.increment, s.max, s.min, s.cache, s.cycle];
    (
        "seqrelid oid, seqtypid oid, seqstart int8, seqincrement int8, seqmax int8, seqmin int8, seqcache int8, \
         seqcycle bool",
        each(shared, &catalog).into_iter().map(row).collect(),
    )
}

/// The column that a sequence belongs to: of identity columns (`i`), and of `serial` and OWNED BY (`a`).
pub fn owner<'a>(catalog: &'a engine::Catalog, database: u32, s: &SequenceDef) -> Option<(&'a TableDef, usize, char)> {
    let (table, column) = s.owned_by.as_ref()?;
    let table = catalog.database_by_oid(database)?.tables.get(table)?;
    let position = table.column(column)?;
    Some((table, position, if table.columns[position].identity.is_some() { 'i' } else { 'a' }))
}

/// The name of the sequence that belongs to a column, as SQL.
pub fn owned_by(shared: &Shared, table: u32, column: &str) -> Option<String> {
    let catalog = shared.catalog();
    let own = |s: &&SequenceDef| s.owned_by.as_ref().is_some_and(|(t, c)| *t == table && c == column);
    let sequence = each(shared, &catalog).into_iter().find(own)?;
    let quoted = crate::definition::quote_ident;
    Some(format!("{}.{}", quoted(&sequence.schema), quoted(&sequence.name)))
}

pub fn pg_depend(shared: &Shared) -> (&'static str, Rows) {
    let catalog = shared.catalog();
    let row = |s: &SequenceDef| {
        let (table, position, kind) = owner(&catalog, shared.database.0, s)?;
        Some(row![PG_CLASS, s.oid, 0, PG_CLASS, table.oid, position + 1, kind.to_string()])
    };
    (
        "classid oid, objid oid, objsubid int4, refclassid oid, refobjid oid, refobjsubid int4, deptype char",
        each(shared, &catalog).into_iter().filter_map(row).collect(),
    )
}
