//! COPY (PostgreSQL's `copy.c`): which relation and which columns. [`from`] takes rows, [`to`] gives them.

mod binary;
mod fields;
mod file;
mod format;
mod from;
mod lines;
mod rows;
mod to;

use std::sync::Arc;

use ::error::sqlstate;
use analyze::relations::{Relation, RelationKind};
use engine::{EngineError, Result};
use session::{ParsedStatement, Reply, Session};
use syntax::nodes::{CopyStmt, Node, RangeVar};
use txn::{LockMode, LockTag};
use types::encoding::Encoding;

use crate::copy::format::Columns;

pub async fn run(session: &mut Session, statement: &ParsedStatement, copy: &CopyStmt) -> Result<Reply> {
    if copy.is_program || copy.filename.is_some() {
        file::check(session, copy)?;
    }
    if let (true, Some(relation)) = (copy.is_from, &copy.relation) {
        let rows = from::begin(session, statement, copy, relation).await?;
        return match copy.filename.as_deref() {
            Some(name) => file::read(session, name, rows).await,
            None => Ok(Reply::CopyIn(Box::new(rows))),
        };
    }
    let rows = to::begin(session, statement, copy).await?;
    match copy.filename.as_deref() {
        Some(name) => file::write(session, name, rows).await,
        None => Ok(Reply::CopyOut(Box::new(rows))),
    }
}

/// The relation of this name, locked.
pub async fn open(
    session: &mut Session,
    statement: &ParsedStatement,
    name: &RangeVar,
    mode: LockMode,
) -> Result<Arc<Relation>> {
    loop {
        let relation = find(session, statement, name)?;
        if relation.oid < catalog::FIRST_NORMAL_OBJECT_ID {
            return Ok(relation);
        }
        let tag = LockTag::Relation { database: session.shared.database.0, oid: relation.oid };
        session.lock(tag, mode).await?;
        // Whoever was waited for may have changed or dropped it.
        if find(session, statement, name)? == relation {
            return Ok(relation);
        }
    }
}

/// The relation of this name.
pub fn find(session: &mut Session, statement: &ParsedStatement, name: &RangeVar) -> Result<Arc<Relation>> {
    let (schema, relation) = (name.schemaname.as_deref(), name.relname.as_deref().unwrap_or_default());
    if let Some(database) = name.catalogname.as_deref().filter(|database| *database != session.shared.database.1) {
        let schema = schema.unwrap_or_default();
        let message = format!("cross-database references are not implemented: \"{database}.{schema}.{relation}\"");
        return Err(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, message));
    }
    let found = session.analyze(&statement.text, &[], |with| {
        if let Some(schema) = schema {
            with.catalog.namespace_oid(schema)?;
        }
        with.relations.relation(schema, relation)
    })?;
    let qualified = schema.map_or_else(|| relation.to_string(), |schema| format!("{schema}.{relation}"));
    found.ok_or_else(|| EngineError::new(sqlstate::UNDEFINED_TABLE, format!("relation \"{qualified}\" does not exist")))
}

/// The positions of the columns of a list of names; of all but generated ones where there is none (`CopyGetAttnums`).
pub fn columns(relation: &Relation, names: &[Node]) -> Result<Vec<usize>> {
    if names.is_empty() {
        let all = relation.columns.iter().enumerate();
        return Ok(all.filter(|(_, column)| !column.dropped && !column.generated).map(|(at, _)| at).collect());
    }
    let mut columns = Vec::with_capacity(names.len());
    for name in names {
        let Node::String(name) = name else { continue };
        columns.push(column(relation, name, &columns)?);
    }
    Ok(columns)
}

/// The position of a column that is not among those before.
fn column(relation: &Relation, name: &str, before: &[usize]) -> Result<usize> {
    let found = relation.columns.iter().position(|column| !column.dropped && column.name == name);
    let table = &relation.name;
    let missing = || {
        EngineError::new(
            sqlstate::UNDEFINED_COLUMN,
            format!("column \"{name}\" of relation \"{table}\" does not exist"),
        )
    };
    let at = found.ok_or_else(missing)?;
    if relation.columns[at].generated {
        return Err(EngineError::new(
            sqlstate::INVALID_COLUMN_REFERENCE,
            format!("column \"{name}\" is a generated column"),
        )
        .detail("Generated columns cannot be used in COPY."));
    }
    if before.contains(&at) {
        return Err(specified_twice(name));
    }
    Ok(at)
}

fn specified_twice(name: &str) -> EngineError {
    EngineError::new(sqlstate::DUPLICATE_COLUMN, format!("column \"{name}\" specified more than once"))
}

/// For each of the columns that are copied, whether an option names it. `relation` has them at `columns`.
pub fn forced(option: &str, named: &Columns, relation: &Relation, columns: &[usize]) -> Result<Vec<bool>> {
    let names = match named {
        Columns::None => return Ok(vec![false; columns.len()]),
        Columns::All => return Ok(vec![true; columns.len()]),
        Columns::Named(names) => names,
    };
    let mut found = Vec::with_capacity(names.len());
    for name in names {
        let at = column(relation, name, &found)?;
        if !columns.contains(&at) {
            return Err(not_referenced(option, name));
        }
        found.push(at);
    }
    Ok(columns.iter().map(|at| found.contains(at)).collect())
}

/// The same where the columns are those of a query.
pub fn forced_results(named: &Columns, columns: &[session::Column]) -> Result<Vec<bool>> {
    let names = match named {
        Columns::None => return Ok(vec![false; columns.len()]),
        Columns::All => return Ok(vec![true; columns.len()]),
        Columns::Named(names) => names,
    };
    let mut forced = vec![false; columns.len()];
    for name in names {
        let at = columns.iter().position(|column| column.name == *name);
        let at = at
            .ok_or_else(|| EngineError::new(sqlstate::UNDEFINED_COLUMN, format!("column \"{name}\" does not exist")))?;
        if std::mem::replace(&mut forced[at], true) {
            return Err(specified_twice(name));
        }
    }
    Ok(forced)
}

fn not_referenced(option: &str, name: &str) -> EngineError {
    EngineError::new(sqlstate::INVALID_COLUMN_REFERENCE, format!("{option} column \"{name}\" not referenced by COPY"))
}

/// What the data is in: what the option says, or the client's encoding.
pub fn encoding(session: &Session, given: Option<&'static Encoding>) -> Result<&'static Encoding> {
    match given {
        Some(encoding) => Ok(encoding),
        None => client_encoding(session),
    }
}

pub fn client_encoding(session: &Session) -> Result<&'static Encoding> {
    let settings = session.shared.settings.read();
    Encoding::find(settings.get("client_encoding")).unwrap_or(Ok(&types::encoding::UTF8))
}

/// Fails for what is no table.
pub fn require_table(relation: &Relation, from: bool) -> Result<()> {
    let (what, hint) = match (relation.kind, from) {
        (RelationKind::Table, _) => return Ok(()),
        (RelationKind::View, true) => {
            ("to view", Some("To enable copying to a view, provide an INSTEAD OF INSERT trigger."))
        }
        (RelationKind::View, false) => ("from view", Some("Try the COPY (SELECT ...) TO variant.")),
        (RelationKind::Sequence, true) => ("to sequence", None),
        (RelationKind::Sequence, false) => ("from sequence", None),
        (RelationKind::Index | RelationKind::CompositeType, true) => ("to non-table relation", None),
        (RelationKind::Index | RelationKind::CompositeType, false) => ("from non-table relation", None),
    };
    let error = EngineError::new(sqlstate::WRONG_OBJECT_TYPE, format!("cannot copy {what} \"{}\"", relation.name));
    Err(match hint {
        Some(hint) => error.hint(hint),
        None => error,
    })
}
