//! Do trees say what the next stage takes them to say? What they name is there, with the type that they take it for.
//!
//! * [`stored_query`], [`stored_expression`]: what the catalogs keep fits the relations that there are, or it is XX001.
//! * [`between_stages`]: debug builds look at everything in a query whenever a stage hands it on: after analysis, after the
//!   rewriting, and when the planner has made it ready. What is found is a bug of the stage before, and panics.
//! * `tree` goes through expressions, `node` looks at one node of them: the planner's verification of plans asks both.
//!   `entry` is about range tables, join trees and columns; `clause` about targets and what names them.
//!
//! # Invariants
//! * Nothing is changed, and the same is found in whatever order: verifying can be left out.
//! * A finding names what does not fit, by oids and numbers as the tree has them.

mod clause;
mod entry;
mod node;
mod tree;

use std::sync::Arc;

use catalog::Catalog;
use types::{Oid, Result, oid};

pub use node::{comparison, node, operator};
pub use tree::{Around, tree};

use crate::nodes::damaged;
use crate::query::*;
use crate::relations::{Relation, Relations};

/// What does not fit, if something does not.
pub type Checked = std::result::Result<(), String>;

/// Fails with a finding unless something holds.
pub fn holds<S: Into<String>>(holds: bool, finding: impl FnOnce() -> S) -> Checked {
    if holds { Ok(()) } else { Err(finding().into()) }
}

/// A stored expression over the columns of a relation, which is entry 1. `relations`: those of the queries in it are looked at.
pub(crate) fn stored_expression(
    expr: &Expr,
    relation: Option<&Relation>,
    relations: Option<&dyn Relations>,
) -> Result<()> {
    let verifier = Verifier { relations, of_entry_1: relation, thorough: None };
    verifier.expr(expr, None, Around::default()).map_err(|finding| damaged(&finding))
}

/// A stored query.
pub(crate) fn stored_query(query: &Query, relations: &dyn Relations) -> Result<()> {
    let verifier = Verifier { relations: Some(relations), of_entry_1: None, thorough: None };
    verifier.query(query, None).map_err(|finding| damaged(&finding))
}

/// The stage that hands a query on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Analysis,
    Rewriting,
    /// The planner's: the expressions of the query itself are ready for paths, its subqueries are still to be planned.
    Preparation,
}

/// What a query of a stage may name beside itself.
pub struct Known<'a> {
    pub catalog: Catalog<'a>,
    pub relations: &'a dyn Relations,
    /// The types of `$1`, …; 0 where nothing says. `None`: they are not looked at.
    pub external: Option<&'a [Oid]>,
    /// The types of `Exec` parameters, and how many plans of subqueries there are: the planner's.
    pub exec: &'a [TypeRef],
    pub plans: usize,
}

/// In debug builds looks at all of a query that a stage hands on; panics where something does not fit.
pub fn between_stages(stage: Stage, query: &Query, known: &Known<'_>) {
    if cfg!(debug_assertions)
        && let Err(finding) = verified(stage, query, known)
    {
        panic!("after {stage:?}: {finding}");
    }
}

/// Looks at all of a query.
pub fn verified(stage: Stage, query: &Query, known: &Known<'_>) -> Checked {
    let verifier =
        Verifier { relations: Some(known.relations), of_entry_1: None, thorough: Some(Thorough { stage, known }) };
    match stage {
        Stage::Analysis | Stage::Rewriting => verifier.query(query, None),
        Stage::Preparation => verifier.query(&entry::without_unread(query), None),
    }
}

struct Verifier<'a> {
    relations: Option<&'a dyn Relations>,
    /// The relation that entry 1 is, for expressions outside of queries.
    of_entry_1: Option<&'a Relation>,
    /// `None`: columns and entries alone are looked at.
    thorough: Option<Thorough<'a>>,
}

struct Thorough<'a> {
    stage: Stage,
    known: &'a Known<'a>,
}

/// A query around what is looked at.
struct Level<'a> {
    query: &'a Query,
    /// By entry.
    relations: Vec<Option<Arc<Relation>>>,
    /// The entries of its join tree and set operations.
    joined: Vec<RangeTableIndex>,
    outer: Option<&'a Level<'a>>,
}

impl<'a> Level<'a> {
    /// The query so many levels further out.
    fn up(&'a self, levels: u32) -> Option<&'a Level<'a>> {
        (0..levels).try_fold(self, |level, _| level.outer)
    }
}

impl Verifier<'_> {
    fn query(&self, query: &Query, outer: Option<&Level<'_>>) -> Checked {
        let named;
        let query = match &self.thorough {
            Some(Thorough { stage: Stage::Analysis, .. }) => query,
            // What is stored may have joins' columns that no expression names, of columns that are gone.
            _ => {
                named = query.without_columns_of_sides();
                &named
            }
        };
        let relation = |entry: &RangeTableEntry| match entry.kind {
            RangeTableKind::Relation { oid, .. } => self.relations?.relation_by_oid(oid),
            _ => None,
        };
        let relations = query.range_table.iter().map(relation).collect();
        let joined = entry::entries_of_trees(query);
        let level = Level { query, relations, joined, outer };
        entry::named_entries(&level)?;
        if let Some(thorough) = &self.thorough {
            entry::entries(thorough, &level)?;
            clause::clauses(thorough, &level)?;
        }
        let mut result = Ok(());
        let mut each = |expr: &Expr| {
            result = self.expr(expr, Some(&level), Around::default());
            if result.is_ok() { Walk::On } else { Walk::Stop }
        };
        walk_query(query, &mut each, &mut |_| Walk::On);
        result?;
        query.subqueries().try_for_each(|inner| self.query(inner, Some(&level)))
    }

    fn expr(&self, expr: &Expr, level: Option<&Level<'_>>, around: Around<'_>) -> Checked {
        let catalog = self.thorough.as_ref().map(|thorough| thorough.known.catalog);
        let mut each = |expr: &Expr, around: Around<'_>| {
            if let Expr::Var(var) = expr {
                self.var(var, level)?;
            }
            match (&self.thorough, level) {
                (Some(thorough), Some(level)) => thorough.expr(expr, level, around),
                _ => Ok(()),
            }
        };
        tree(catalog, expr, around, &mut each, &mut |query| self.query(query, level))
    }

    fn var(&self, var: &Var, level: Option<&Level<'_>>) -> Checked {
        let missing = || format!("no column {} of entry {}", var.attribute, var.relation.0);
        let outermost = std::iter::successors(level, |level| level.outer).count();
        if let Some(relation) = self.of_entry_1
            && var.levels_up as usize == outermost
        {
            return holds(var.relation.0 == 1 && entry::is_column_of(var, relation), missing);
        }
        let level = level.and_then(|level| level.up(var.levels_up)).ok_or_else(missing)?;
        holds(entry::has_entry(level.query, var.relation), missing)?;
        if let Some(relation) = &level.relations[var.relation.index()] {
            holds(entry::is_column_of(var, relation), missing)?;
        }
        self.thorough.as_ref().map_or(Ok(()), |thorough| thorough.column(var, level))
    }
}

impl Thorough<'_> {
    /// What an expression says of the queries and nodes around it.
    fn expr(&self, expr: &Expr, level: &Level<'_>, around: Around<'_>) -> Checked {
        let query = level.query;
        let of_level = |levels: u32| level.up(levels).ok_or_else(|| format!("nothing is {levels} queries further out"));
        match expr {
            Expr::Param(param) => self.param(param, query, around),
            Expr::Aggref(call) => {
                let marked = of_level(call.levels_up)?.query.has_aggregates;
                holds(marked, || "an aggregate of a query that is said to have none")
            }
            Expr::GroupingFunc(grouping) => {
                let grouped = of_level(grouping.levels_up)?.query;
                let is_grouped_by =
                    |reference: &u32| grouped.group_clause.iter().any(|clause| clause.reference == *reference);
                holds(grouping.references.iter().all(is_grouped_by), || "GROUPING of what is not grouped by")
            }
            Expr::WindowFunc(call) => {
                holds(query.has_window_functions, || "a window function of a query that is said to have none")?;
                holds((call.window.0 as usize) < query.windows.len(), || format!("no window {}", call.window.0))
            }
            Expr::SubLink(_) => {
                holds(self.stage != Stage::Preparation, || "a sublink without a plan")?;
                holds(query.has_sublinks, || "a sublink of a query that is said to have none")
            }
            Expr::SubPlan(plan) => self.sub_plan(plan),
            Expr::SetToDefault(_) => holds(self.stage == Stage::Analysis, || "DEFAULT after the rewriting"),
            _ => Ok(()),
        }
    }

    fn param(&self, param: &Param, query: &Query, around: Around<'_>) -> Checked {
        let position = param.number as usize;
        let found = match param.kind {
            ParamKind::External => match self.known.external {
                None => return Ok(()),
                // Nothing says what `unknown` ones are.
                Some(types) => match position.checked_sub(1).and_then(|at| types.get(at)) {
                    Some(&oid::INVALID) => Some(oid::UNKNOWN),
                    found => found.copied(),
                },
            },
            ParamKind::SubLink => {
                let columns = around.sublink.map(|query| query.visible_columns());
                columns.and_then(|columns| Some(columns.get(position.checked_sub(1)?)?.ty.oid))
            }
            ParamKind::MultiExpr => multi_expr_type(query, param.number),
            ParamKind::Exec => self.known.exec.get(position).map(|ty| ty.oid),
        };
        let found = found.ok_or_else(|| format!("no parameter {:?} {}", param.kind, param.number))?;
        holds(found == param.ty.oid, || format!("parameter {:?} {} is of type {found}", param.kind, param.number))
    }

    fn sub_plan(&self, plan: &SubPlan) -> Checked {
        holds(plan.plan < self.known.plans, || format!("no plan {}", plan.plan))?;
        for (&parameter, argument) in plan.parameters.iter().zip(&plan.arguments) {
            let ty = self.known.exec.get(parameter as usize);
            let same = ty.is_some_and(|ty| ty.oid == argument.ty().oid);
            holds(same, || format!("parameter {parameter} of {} is not of its value's type", plan.name))?;
        }
        let mut others = plan.columns.iter().chain(&plan.set_parameters);
        others.try_for_each(|&parameter| {
            holds((parameter as usize) < self.known.exec.len(), || format!("no parameter Exec {parameter}"))
        })
    }
}

/// The type of a column of one of the subqueries that give several columns new values.
fn multi_expr_type(query: &Query, number: u32) -> Option<Oid> {
    let (subquery, column) = ((number >> 16) as usize, (number & 0xffff) as usize);
    let conflict = query.on_conflict.as_ref().map(|conflict| &conflict.action);
    let lists = [
        Some(&query.targets),
        match conflict {
            Some(ConflictAction::Update { targets, .. }) => Some(targets),
            _ => None,
        },
    ];
    let merged = query.merge_actions.iter().map(|action| match &action.action {
        MergeCommand::Insert { targets, .. } | MergeCommand::Update { targets } => Some(targets),
        MergeCommand::Delete | MergeCommand::Nothing => None,
    });
    let of_list = |targets: &Vec<TargetEntry>| {
        let mut links = targets.iter().filter_map(|target| match &target.expr {
            Expr::SubLink(link) if link.kind == SubLinkKind::MultiExpr => Some(link),
            _ => None,
        });
        let link = links.nth(subquery.checked_sub(1)?)?;
        link.query.visible_targets().nth(column.checked_sub(1)?).map(|target| target.expr.ty().oid)
    };
    lists.into_iter().chain(merged).flatten().find_map(of_list)
}
