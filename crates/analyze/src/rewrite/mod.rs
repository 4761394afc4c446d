//! The rewriting (PostgreSQL's `rewriteHandler.c`): what a query says by the names of views, of columns that are not given
//! and by DEFAULT is put into it. The planner gets queries that have been rewritten.
//!
//! * `target_list`: defaults. `view`: views become subqueries. `updatable`: a change of a view becomes one of its table;
//!   [`relation_is_updatable`]: whether it does.
//!   `rowsecurity`: policies. `arbiter`: the indexes of ON CONFLICT. `manip`: changing columns in trees. [`stored`]: what definitions keep as
//!   trees. [`recorded`]: SQL of PostgreSQL's own objects.
//!
//! # What it leaves
//! * No entry is a view. A view that is changed has been
//!   replaced by its table, at the same place of the range table.
//! * INSERT has a target for each of its table's columns, dropped ones too, in their order: NULL where there is no default
//!   and for generated columns. UPDATE's are in the columns' order. [`Expr::SetToDefault`] is gone.
//! * There are no rules but those of views, so a query stays one query.

mod is_updatable;
mod manip;
mod permissions;
pub mod recorded;
mod rowsecurity;
pub mod stored;
mod target_list;
mod updatable;
mod view;

pub use is_updatable::{DELETE_EVENT, INSERT_EVENT, UPDATE_EVENT, relation_is_updatable};
pub use permissions::{RelationPermissions, reader_in, relation_permissions};

use std::sync::Arc;

use error::sqlstate;
use syntax::with_stack_for;
use types::{Error, Oid, Result};

use crate::query::*;
use crate::relations::{Relation, RelationKind, Relations};
use crate::transform::{Analyzed, STACK_OF_LEVEL, Statement};
use crate::verify::Stage;
use permissions::reads_result;

/// What a rewriting knows.
pub(crate) struct Rewriter<'a> {
    relations: &'a dyn Relations,
    statement: &'a Statement<'a>,
    /// The views that are being expanded, and the tables whose policies are, the outermost first: one in itself would never end.
    active: Vec<Oid>,
    /// What queries in policies need.
    policies: Vec<RelationPermissions>,
    /// The most levels that a tree may have by now.
    depth: usize,
}

/// What the rewriting gives.
#[derive(Debug)]
pub struct Rewritten {
    pub analyzed: Analyzed,
    /// What queries in policies need, beside what [`relation_permissions`] says of the query as it was.
    pub policies: Vec<RelationPermissions>,
}

/// A query with its views expanded, its defaults and its tables' policies put in (`QueryRewrite`).
pub fn rewrite(statement: &Statement<'_>, analyzed: Analyzed) -> Result<Rewritten> {
    let (parameters, depth) = (analyzed.parameters.clone(), analyzed.depth);
    let mut query = analyzed.into_query();
    let (active, policies) = (Vec::new(), Vec::new());
    let mut rewriter = Rewriter { relations: statement.relations, statement, active, policies, depth };
    with_stack_for(depth * STACK_OF_LEVEL, || {
        let done = rewriter.rewrite_query(&mut query).and_then(|()| rewriter.expand_views(&mut query));
        let Rewriter { depth, policies, .. } = rewriter;
        let analyzed = Analyzed { query, parameters, depth };
        done.map(|()| {
            statement.verify(Stage::Rewriting, &analyzed);
            Rewritten { analyzed, policies }
        })
    })
}

/// Can rows be changed through a view with this query? Or else why not (`view_query_is_auto_updatable`).
pub fn check_auto_updatable(statement: &Statement<'_>, view: &Query) -> std::result::Result<(), &'static str> {
    updatable::updatable_base(statement.relations, view, true).map(|_| ())
}

impl Rewriter<'_> {
    /// A change gets its defaults and its table (`RewriteQuery`); a query is looked at for changes in WITH.
    fn rewrite_query(&mut self, query: &mut Query) -> Result<()> {
        for cte in &mut query.ctes {
            if cte.query.command != CommandType::Select {
                self.rewrite_query(&mut cte.query)?;
            }
        }
        let Some(result) = query.result_relation else { return Ok(()) };
        query.range_table[result.index()].is_read = reads_result(query, result);
        let (mut seen, mut cascaded): (Vec<Oid>, bool) = (Vec::new(), false);
        loop {
            let relation = self.result_relation(query)?;
            // What DEFAULT is given for counts too, though the target may go.
            let given = updatable::stored_columns(query);
            if seen.is_empty() {
                query.given_columns.clone_from(&given);
            }
            self.rewrite_targets(query, &relation)?;
            if relation.kind != RelationKind::View {
                return Ok(());
            }
            self.update_view(query, &relation, &given, &mut cascaded)?;
            if seen.contains(&relation.oid) {
                return Err(infinite_recursion(&relation));
            }
            seen.push(relation.oid);
        }
    }

    /// The table or view that a query changes.
    fn result_relation(&self, query: &Query) -> Result<Arc<Relation>> {
        match query.result_relation.map(|relation| &query.entry(relation).kind) {
            Some(RangeTableKind::Relation { oid, .. }) => match self.relation(*oid)? {
                sequence if sequence.kind == RelationKind::Sequence => {
                    let message = format!("cannot change sequence \"{}\"", sequence.name);
                    Err(Error::new(sqlstate::WRONG_OBJECT_TYPE, message))
                }
                relation => Ok(relation),
            },
            _ => Err(Error::new(sqlstate::INTERNAL_ERROR, "a change is of no relation")),
        }
    }

    fn relation(&self, oid: Oid) -> Result<Arc<Relation>> {
        let missing = || Error::new(sqlstate::INTERNAL_ERROR, format!("could not open relation with OID {oid}"));
        self.relations.relation_by_oid(oid).ok_or_else(missing)
    }
}

fn infinite_recursion(relation: &Relation) -> Error {
    Error::new(
        sqlstate::INVALID_OBJECT_DEFINITION,
        format!("infinite recursion detected in rules for relation \"{}\"", relation.name),
    )
}
