//! Operator classes of B-trees. Strings are ordered by bytes here, so the classes of a type differ in name only; the one
//! that was given is kept and shown.

use std::sync::LazyLock;

use datafusion::sql::sqlparser::ast;
use engine::{EngineError, IndexColumn, IndexDef, PgType, Result, TableDef};

use crate::ddl::ident;

/// A row of `pg_opclass`.
pub struct OperatorClass {
    pub oid: u32,
    pub name: &'static str,
    pub family: u32,
    pub ty: u32,
    pub default: bool,
    /// The type of the keys where it is another.
    pub key: u32,
}

/// PostgreSQL 18's.
pub static EACH: LazyLock<Vec<OperatorClass>> =
    LazyLock::new(|| include_str!("operator_classes.tsv").lines().filter_map(parsed).collect());

fn parsed(line: &'static str) -> Option<OperatorClass> {
    let [oid, name, family, ty, default, key] = line.split('\t').collect::<Vec<_>>().try_into().ok()?;
    let number = |text: &str| text.parse().ok();
    Some(OperatorClass {
        oid: number(oid)?,
        name,
        family: number(family)?,
        ty: number(ty)?,
        default: default == "t",
        key: number(key)?,
    })
}

/// The type whose classes a type's columns take: varchar is binary-coercible to text.
fn classed(ty: PgType) -> u32 {
    if matches!(ty, PgType::Varchar(_)) { PgType::Text.oid() } else { ty.oid() }
}

/// That of columns for which none is given.
pub fn default_of(ty: PgType) -> u32 {
    EACH.iter().find(|class| class.default && class.ty == classed(ty)).map_or(0, |class| class.oid)
}

/// Those of an index's columns.
pub fn of_index(table: &TableDef, index: &IndexDef) -> Vec<u32> {
    match index.operator_classes.is_empty() {
        true => index.columns.iter().map(|c| default_of(table.columns[c.column].ty)).collect(),
        false => index.operator_classes.clone(),
    }
}

/// What CREATE INDEX says of them; none where it says nothing.
pub fn read(table: &TableDef, columns: &[IndexColumn], given: &[ast::IndexColumn]) -> Result<Vec<u32>> {
    if given.iter().all(|column| column.operator_class.is_none()) {
        return Ok(vec![]);
    }
    let class = |(column, given): (&IndexColumn, &ast::IndexColumn)| {
        let ty = table.columns[column.column].ty;
        let Some(name) = &given.operator_class else { return Ok(default_of(ty)) };
        let name = name.0.last().and_then(|part| part.as_ident()).map(ident).unwrap_or_default();
        if !EACH.iter().any(|class| class.name == name) {
            let message = format!("operator class \"{name}\" does not exist for access method \"btree\"");
            return Err(EngineError::new("42704", message));
        }
        let found = EACH.iter().find(|class| class.name == name && class.ty == classed(ty));
        found.map(|class| class.oid).ok_or_else(|| {
            let ty = crate::system::format_type(ty.oid(), -1);
            EngineError::new("42804", format!("operator class \"{name}\" does not accept data type {ty}"))
        })
    };
    columns.iter().zip(given).map(class).collect()
}

/// The class of a column as a definition shows it: nothing where it is the type's.
pub fn definition(table: &TableDef, index: &IndexDef, position: usize) -> String {
    let Some(oid) = index.operator_classes.get(position) else { return String::new() };
    if *oid == default_of(table.columns[index.columns[position].column].ty) {
        return String::new();
    }
    EACH.iter().find(|class| class.oid == *oid).map_or(String::new(), |class| format!(" {}", class.name))
}
