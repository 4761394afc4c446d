//! CREATE TABLE (LIKE …): columns of another table, and what else INCLUDING names (`transformTableLikeClause` and
//! `expandTableLikeClause` of PostgreSQL's `parse_utilcmd.c`).

use std::sync::Arc;

use ::error::sqlstate;
use analyze::nodes;
use analyze::query::{Collation, Expr};
use catalog::QualifiedName;
use engine::{
    CheckDef, ColumnDef, EngineError, IndexDef, Lies, NodeTree, ObjectAddress, Result, SequenceDef, TableDef,
};
use session::errors::{self, reported};
use session::{ParsedStatement, Session};
use syntax::nodes::{RangeVar, TableLikeClause};
use txn::{LockMode, LockTag};
use types::acl::mode::SELECT;
use types::names::{PG_CLASS, PG_CONSTRAINT};

// Bits of INCLUDING. Statistics and generated columns are not there to be copied.

use crate::object::stored;
use crate::object::{comment, names, namespace};
use crate::sequence::{self, Options};
use crate::table::column::{self, NewColumn};

const COMMENTS: u32 = 1 << 0;
const COMPRESSION: u32 = 1 << 1;
const CONSTRAINTS: u32 = 1 << 2;
const DEFAULTS: u32 = 1 << 3;
const IDENTITY: u32 = 1 << 5;
const INDEXES: u32 = 1 << 6;
const STORAGE: u32 = 1 << 8;

/// What is made when the table is there.
#[derive(Default)]
pub struct Like {
    /// Columns, and the sequences that they get.
    pub identities: Vec<(String, Options)>,
    pub checks: Vec<LikeCheck>,
    pub indexes: Vec<LikeIndex>,
    /// Columns, and the comments on them.
    comments: Vec<(String, String)>,
}

impl Like {
    /// The new table is there: its columns get the comments that the other table's have.
    pub fn comment_on_columns(&self, session: &mut Session, table: u32) -> Result<()> {
        if self.comments.is_empty() {
            return Ok(());
        }
        let def = session.table_of(table)?.def.clone();
        for (column, text) in &self.comments {
            if let Some(position) = def.column(column) {
                let column = ObjectAddress { class: PG_CLASS, oid: table, column: position as i32 + 1 };
                comment::set(session, column, Some(text));
            }
        }
        Ok(())
    }
}

/// A check of the other table.
pub struct LikeCheck {
    check: CheckDef,
    comment: Option<String>,
    source: Arc<Source>,
}

/// An index of the other table.
pub struct LikeIndex {
    pub index: IndexDef,
    pub source: Arc<Source>,
}

/// The other table, whose columns are in the new one under their names.
pub struct Source {
    table: String,
    columns: Vec<String>,
}

impl Source {
    fn of(def: &TableDef) -> Source {
        Source { table: def.name.clone(), columns: def.columns.iter().map(|column| column.name.clone()).collect() }
    }

    /// Where a column of it is in the new table.
    pub fn position(&self, new: &TableDef, column: usize) -> Result<usize> {
        let name = &self.columns[column];
        new.column(name)
            .ok_or_else(|| EngineError::new(sqlstate::UNDEFINED_COLUMN, format!("column \"{name}\" does not exist")))
    }

    /// An expression over its columns as one over the new table's (`map_variable_attnos`). `what` it is of.
    pub fn mapped(&self, new: &TableDef, tree: &NodeTree, what: &str) -> Result<Expr> {
        let mut expr: Expr = nodes::read(&tree.text).map_err(|error| reported(error, ""))?;
        let mut result = Ok(());
        self.map_columns(new, &mut expr, what, &mut result);
        result.map(|()| expr)
    }

    fn map_columns(&self, new: &TableDef, expr: &mut Expr, what: &str, result: &mut Result<()>) {
        if let Expr::Var(var) = expr {
            let mapped = match usize::try_from(var.attribute) {
                Ok(0) => {
                    let detail = format!("{what} contains a whole-row reference to table \"{}\".", self.table);
                    Err(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, "cannot convert whole-row table reference")
                        .detail(detail))
                }
                Ok(number) => self.position(new, number - 1).map(|place| place as i16 + 1),
                // Every table has the columns of the system.
                Err(_) => Ok(var.attribute),
            };
            match mapped {
                Ok(number) => var.attribute = number,
                Err(error) => *result = Err(error),
            }
        }
        expr.mutate(&mut |child| self.map_columns(new, child, what, result), &mut |_| {});
    }
}

/// The columns of another table, which no session changes before the new one is there.
pub async fn read<'n>(
    session: &mut Session,
    statement: &ParsedStatement,
    clause: &TableLikeClause,
    like: &mut Like,
) -> Result<Vec<NewColumn<'n>>> {
    let Some(relation) = &clause.relation else { return Err(EngineError::unsupported("LIKE without a table")) };
    let (schema, name) = namespace::find(session, relation)?;
    let Some(table) = session.lock_table(&schema, &name, LockMode::AccessShare).await? else {
        let columns = of_other(session, relation, clause, like).await;
        let columns = columns.map(|found| found.ok_or_else(|| namespace::missing(session, relation)));
        return columns.flatten().map_err(|error| match error.code {
            sqlstate::INSUFFICIENT_PRIVILEGE => error,
            _ => errors::at(error, &statement.text, relation.location),
        });
    };
    let def = &table.def;
    session.shared.require(ObjectAddress { class: PG_CLASS, oid: def.oid, column: 0 }, SELECT)?;
    let source = Arc::new(Source::of(def));
    let including = |bit: u32| clause.options & bit != 0;
    let environment = session.environment();
    let comment = |class: u32, oid: u32, column: i32| {
        let row = environment.catalog().description((oid, class, column)).filter(|_| including(COMMENTS))?;
        Some(row.description.to_string())
    };
    for (position, column) in def.live_columns() {
        let text = comment(PG_CLASS, def.oid, position as i32 + 1);
        like.comments.extend(text.map(|text| (column.name.clone(), text)));
    }
    if including(CONSTRAINTS) {
        like.checks.extend(def.checks.iter().map(|check| LikeCheck {
            check: check.clone(),
            comment: comment(PG_CONSTRAINT, check.oid, 0),
            source: source.clone(),
        }));
    }
    if including(INDEXES) {
        like.indexes.extend(def.indexes.iter().map(|index| LikeIndex { index: index.clone(), source: source.clone() }));
    }
    if including(IDENTITY) {
        like.identities.extend(identities(session, def));
    }
    let columns = def.live_columns().map(|(_, column)| {
        let mut column = ColumnDef { lies: Lies::AsDeclared, missing: None, ..column.clone() };
        column.default = column.default.filter(|_| including(DEFAULTS) && column.identity.is_none());
        column.identity = column.identity.filter(|_| including(IDENTITY));
        column.compression &= including(COMPRESSION);
        column.storage = column.storage.filter(|_| including(STORAGE));
        (column.statistics_target, column.options) = (None, vec![]);
        NewColumn { column, default: None, constraints: vec![], sequence: None }
    });
    Ok(columns.collect())
}

/// The columns of a view; `None`: there is no relation of this name. No other relation's are taken.
async fn of_other<'n>(
    session: &mut Session,
    relation: &RangeVar,
    clause: &TableLikeClause,
    like: &mut Like,
) -> Result<Option<Vec<NewColumn<'n>>>> {
    let environment = session.environment();
    let catalog = environment.catalog();
    let name = relation.relname.as_deref().unwrap_or_default();
    let named = catalog.relation_by_name(QualifiedName { schema: relation.schemaname.as_deref(), name });
    let Some(row) = named.map_err(|error| reported(error, ""))? else { return Ok(None) };
    if row.relkind == b'r' {
        return Err(EngineError::unsupported("LIKE of a catalog"));
    }
    if row.relkind != b'v' {
        let message = format!("relation \"{name}\" is invalid in LIKE clause");
        let kinds = if row.relkind == b'S' { "sequences" } else { "indexes" };
        let detail = format!("This operation is not supported for {kinds}.");
        return Err(EngineError::new(sqlstate::WRONG_OBJECT_TYPE, message).detail(detail));
    }
    let view = ObjectAddress { class: PG_CLASS, oid: row.oid, column: 0 };
    session
        .lock(LockTag::Relation { database: session.shared.database.0, oid: row.oid }, LockMode::AccessShare)
        .await?;
    session.shared.require(view, SELECT)?;
    let defaults = session.view_def(row.oid).filter(|_| clause.options & DEFAULTS != 0);
    let mut columns = Vec::new();
    for (position, given) in session.relation(row.oid)?.columns.iter().enumerate() {
        let ty = column::column_type(session, &given.name, given.ty)?;
        let collation = column::collation_of_result(catalog, (ty.oid, Collation(given.collation))).flatten();
        let default = defaults.as_ref().and_then(|view| view.columns.get(position)?.default.clone());
        let column = ColumnDef { collation, default, ..ColumnDef::new(&given.name, ty) };
        columns.push(NewColumn { column, default: None, constraints: vec![], sequence: None });
        let comment = catalog.description((row.oid, PG_CLASS, position as i32 + 1));
        let comment = comment.filter(|_| clause.options & COMMENTS != 0);
        like.comments.extend(comment.map(|found| (given.name.clone(), found.description.to_string())));
    }
    Ok(Some(columns))
}

/// Sequences as those of a table's identity columns.
fn identities(session: &Session, def: &TableDef) -> Vec<(String, Options)> {
    let columns = def.columns.iter().enumerate().filter(|(_, column)| column.identity.is_some());
    let with_sequence = columns.filter_map(|(position, column)| {
        let sequence = sequence::of_identity(session, def.oid, position)?;
        Some((column.name.clone(), Options::like(&SequenceDef::clone(&sequence))))
    });
    with_sequence.collect()
}

/// Gives a new table the checks of another one, under their names.
pub fn add_checks(session: &mut Session, table: u32, checks: Vec<LikeCheck>) -> Result<()> {
    if checks.is_empty() {
        return Ok(());
    }
    let before = session.table_of(table)?.def.clone();
    let mut def = TableDef::clone(&before);
    let mut comments = Vec::new();
    for LikeCheck { check, comment, source } in checks {
        if names::has_constraint(&def, &check.name) {
            return Err(EngineError::new(
                sqlstate::DUPLICATE_OBJECT,
                format!("check constraint \"{}\" already exists", check.name),
            ));
        }
        let condition = source.mapped(&def, &check.condition, &format!("Constraint \"{}\"", check.name))?;
        let condition = stored::kept(session, &condition, table)?;
        let oid = session.db().new_oid();
        def.checks.push(CheckDef { oid, condition, ..check });
        comments.extend(comment.map(|text| (ObjectAddress { class: PG_CONSTRAINT, oid, column: 0 }, text)));
    }
    session.put_table(&before, def);
    comments.iter().for_each(|(check, text)| comment::set(session, *check, Some(text)));
    Ok(())
}
