//! Constraints of tables: NOT NULL, CHECK, and what keys say (their indexes are [`crate::index`]'s).

use std::sync::Arc;

use ::error::sqlstate;
use access::index::Method;
use analyze::query::{BooleanTest, BooleanTestKind, Expr, Location, NullTest};
use analyze::relations::Relation;
use analyze::{ExprKind, analyze_condition};
use engine::{CheckDef, EngineError, Result, TableDef};
use session::errors::at;
use session::{ParsedStatement, Session, spi};
use syntax::nodes::{ConstrType, Constraint, Node};

use crate::object::stored;
use crate::object::{names, reloptions};

fn refuse(given: bool, what: &str) -> Result<()> {
    if given { Err(EngineError::unsupported(what)) } else { Ok(()) }
}

/// Refuses what NOT NULL may have and columns do not keep.
pub fn check_not_null(given: &Constraint, table: &str, column: &str) -> Result<()> {
    let own = format!("{table}_{column}_not_null");
    refuse(given.conname.as_deref().is_some_and(|name| name != own), "a name for a NOT NULL constraint")?;
    refuse(given.is_no_inherit, "NO INHERIT")?;
    refuse(given.skip_validation, "NOT VALID")
}

/// DEFERRABLE and its like, which stand behind the constraint that they are about (`transformConstraintAttrs`).
pub fn check_attribute(attribute: ConstrType, before: &[Node]) -> Result<()> {
    use ConstrType::*;
    let is_attribute = |ty: &ConstrType| *ty as i32 >= CONSTR_ATTR_DEFERRABLE as i32;
    let types = before.iter().rev().filter_map(|node| match node {
        Node::Constraint(constraint) => Some(constraint.contype),
        _ => None,
    });
    let about = types.into_iter().find(|ty| !is_attribute(ty));
    let key = matches!(about, Some(CONSTR_PRIMARY | CONSTR_UNIQUE | CONSTR_EXCLUSION | CONSTR_FOREIGN));
    let check = matches!(about, Some(CONSTR_CHECK | CONSTR_FOREIGN));
    let (name, allowed, done) = match attribute {
        CONSTR_ATTR_DEFERRABLE => ("DEFERRABLE", key, false),
        CONSTR_ATTR_NOT_DEFERRABLE => ("NOT DEFERRABLE", key, true),
        CONSTR_ATTR_DEFERRED => ("INITIALLY DEFERRED", key, false),
        CONSTR_ATTR_IMMEDIATE => ("INITIALLY IMMEDIATE", key, true),
        CONSTR_ATTR_ENFORCED => ("ENFORCED", check, true),
        _ => ("NOT ENFORCED", check, false),
    };
    if !allowed {
        return Err(EngineError::new(sqlstate::SYNTAX_ERROR, format!("misplaced {name} clause")));
    }
    refuse(!done, &format!("{name} constraints"))
}

/// PRIMARY KEY or UNIQUE.
pub struct Key {
    pub name: Option<String>,
    /// Positions in the table.
    pub columns: Vec<usize>,
    /// INCLUDE: also positions.
    pub included: Vec<usize>,
    pub primary: bool,
    pub nulls_not_distinct: bool,
    pub options: Vec<reloptions::Parameter>,
    /// USING INDEX TABLESPACE.
    pub tablespace: Option<String>,
}

/// What a constraint says of a key of a table; `column`: the one that it stands behind.
pub fn key(def: &TableDef, given: &Constraint, column: Option<&str>, text: &str) -> Result<Key> {
    refuse(given.deferrable || given.initdeferred, "DEFERRABLE constraints")?;
    refuse(given.without_overlaps, "WITHOUT OVERLAPS")?;
    refuse(given.indexname.is_some(), "USING INDEX")?;
    let primary = given.contype == ConstrType::CONSTR_PRIMARY;
    let place = |error| at(error, text, given.location);
    let position = |name: &str| {
        let missing =
            || EngineError::new(sqlstate::UNDEFINED_COLUMN, format!("column \"{name}\" named in key does not exist"));
        def.column(name).ok_or_else(|| place(missing()))
    };
    let mut columns = Vec::new();
    for name in strings(&given.keys).chain(column) {
        let position = position(name)?;
        if columns.contains(&position) {
            let kind = if primary { "primary key" } else { "unique" };
            let message = format!("column \"{name}\" appears twice in {kind} constraint");
            return Err(place(EngineError::new(sqlstate::DUPLICATE_COLUMN, message)));
        }
        columns.push(position);
    }
    Ok(Key {
        name: given.conname.as_deref().map(str::to_string),
        columns,
        included: strings(&given.including).map(position).collect::<Result<_>>()?,
        primary,
        nulls_not_distinct: given.nulls_not_distinct,
        options: reloptions::read(reloptions::Of::Index(Method::DEFAULT), &given.options)?,
        tablespace: given.indexspace.as_deref().map(str::to_string),
    })
}

fn strings(nodes: &[Node]) -> impl Iterator<Item = &str> {
    nodes.iter().filter_map(|node| match node {
        Node::String(name) => Some(&**name),
        _ => None,
    })
}

pub fn several_primary_keys(table: &str) -> EngineError {
    EngineError::new(
        sqlstate::INVALID_TABLE_DEFINITION,
        format!("multiple primary keys for table \"{table}\" are not allowed"),
    )
}

/// Fails when one of these columns of a table has a NULL.
pub async fn forbid_nulls(session: &mut Session, table: u32, columns: &[usize]) -> Result<()> {
    let relation = session.relation(table)?;
    for &column in columns {
        let argument = spi::column(&relation, column);
        let null = NullTest { argument, is_null: true, row: false, location: Location::NONE };
        if session.has_row(&relation, Expr::NullTest(Box::new(null)), 1, &"".into()).await? {
            let def = &session.table_of(table)?.def;
            return Err(contains_nulls(def, column));
        }
    }
    Ok(())
}

pub fn contains_nulls(def: &TableDef, column: usize) -> EngineError {
    let name = &def.columns[column].name;
    let message = format!("column \"{name}\" of relation \"{}\" contains null values", def.name);
    EngineError::new(sqlstate::NOT_NULL_VIOLATION, message).column(&def.schema, &def.name, name)
}

/// How a name that is taken is refused.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Adding {
    /// With the table.
    Create,
    Alter,
}

/// Adds a CHECK constraint to a table that the transaction has locked, whose rows must satisfy it.
pub async fn add_check(
    session: &mut Session,
    statement: &ParsedStatement,
    table: u32,
    given: &Constraint,
    adding: Adding,
) -> Result<()> {
    refuse(given.is_no_inherit, "NO INHERIT")?;
    refuse(!given.is_enforced, "NOT ENFORCED constraints")?;
    // A new table has no rows that it could be untrue of.
    refuse(given.skip_validation && !given.initially_valid, "NOT VALID")?;
    let Some(node) = &given.raw_expr else { return Err(EngineError::unsupported("CHECK without a condition")) };
    let relation = session.relation(table)?;
    let condition = session
        .analyze_kept(statement, |with| analyze_condition(with, node, &relation, ExprKind::CheckConstraint, "CHECK"))?;
    let before = session.table_of(table)?.def.clone();
    let mut def = TableDef::clone(&before);
    let name = match given.conname.as_deref() {
        Some(name) if adding == Adding::Create && def.checks.iter().any(|check| check.name == name) => {
            return Err(EngineError::new(
                sqlstate::DUPLICATE_OBJECT,
                format!("check constraint \"{name}\" already exists"),
            ));
        }
        Some(name) if names::has_constraint(&def, name) => return Err(already_exists(&def, name)),
        Some(name) => name.to_string(),
        None => match columns_of(&condition)[..] {
            [column] => names::choose_constraint(&def, &def.columns[column].name, "check"),
            _ => names::choose_constraint(&def, "", "check"),
        },
    };
    let kept = stored::kept(session, &condition, table)?;
    if adding == Adding::Alter {
        verify(session, &relation, &def, &name, condition, statement.raw.depth, &statement.text).await?;
    }
    let oid = session.db().new_oid();
    def.checks.push(CheckDef { oid, name, condition: kept });
    session.put_table(&before, def);
    Ok(())
}

pub fn already_exists(def: &TableDef, name: &str) -> EngineError {
    EngineError::new(
        sqlstate::DUPLICATE_OBJECT,
        format!("constraint \"{name}\" for relation \"{}\" already exists", def.name),
    )
}

/// Fails when a row of a table does not satisfy a condition.
pub async fn verify(
    session: &mut Session,
    relation: &Relation,
    def: &TableDef,
    name: &str,
    condition: Expr,
    depth: usize,
    text: &Arc<str>,
) -> Result<()> {
    let test = BooleanTest { argument: condition, kind: BooleanTestKind::IsFalse, location: Location::NONE };
    if session.has_row(relation, Expr::BooleanTest(Box::new(test)), depth, text).await? {
        let message = format!("check constraint \"{name}\" of relation \"{}\" is violated by some row", def.name);
        return Err(EngineError::new(sqlstate::CHECK_VIOLATION, message).constraint(&def.schema, &def.name, name));
    }
    Ok(())
}

/// The positions of the columns that an expression over one table names, in its order.
pub fn columns_of(expr: &Expr) -> Vec<usize> {
    let mut columns = Vec::new();
    collect(expr, &mut columns);
    columns.sort_unstable();
    columns.dedup();
    columns
}

fn collect(expr: &Expr, columns: &mut Vec<usize>) {
    expr.contains(&mut |inner| {
        if let Expr::Var(var) = inner
            && let Some(position) = usize::try_from(var.attribute).ok().and_then(|number| number.checked_sub(1))
        {
            columns.push(position);
        }
        false
    });
}
