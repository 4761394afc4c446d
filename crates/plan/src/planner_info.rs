//! What the planner knows while it works: the structs of PostgreSQL's `pathnodes.h` that are not about paths. What a query gives
//! those below it stands in its [`Level`].

use analyze::query::*;
use analyze::relations::Relations;
use catalog::Catalog;
use error::sqlstate;
use expression::{Execution, Folding, estimate, fold, fold_columns};
use types::{Context, Error, Oid, Result, oid};

use crate::manip::{make_var, take};
use crate::path::settings::PlannerSettings;
use crate::path::state::{PathInfo, RunCondition};
use crate::plan::{CTID, NamedRelation, Plan, PlannedRelation};
use crate::plancat::Statistics;

/// What a statement is planned with.
#[derive(Clone, Copy)]
pub struct Planner<'a> {
    pub catalog: Catalog<'a>,
    pub relations: &'a dyn Relations,
    pub statistics: &'a dyn Statistics,
    pub context: &'a Context,
    /// What constant expressions are computed with.
    pub execution: &'a Execution,
    pub settings: &'a PlannerSettings,
    /// The values of `$1`, …, if the plan is made for these alone.
    pub parameters: Option<&'a [Const]>,
    /// How much of the result will be fetched: 0 all of it, below 1 a fraction, else rows.
    pub tuple_fraction: f64,
    /// Levels of nodes in the statement's text; what walks trees gets a stack for them.
    pub depth: usize,
}

impl Planner<'_> {
    /// The same, with all that is constant computed (`eval_const_expressions`).
    pub fn fold(&self, expr: &mut Expr) -> Result<()> {
        *expr = fold(take(expr), &self.folding())?;
        Ok(())
    }

    /// Computes what is constant of many rows alike; [`Planner::fold`] has the rest.
    pub fn fold_columns(&self, rows: &mut [Vec<Expr>]) {
        fold_columns(rows, &self.folding());
    }

    fn folding(&self) -> Folding<'_> {
        let bound = self.parameters.is_some();
        Folding { catalog: self.catalog, execution: self.execution, bound, estimate: false }
    }

    /// The value that an expression has now, if it does not depend on rows.
    pub fn estimate(&self, expr: &Expr) -> Option<Const> {
        estimate(expr, self.catalog, self.execution)
    }
}

/// Prepares a query and makes its paths; the planner's entry says with what.
pub type SubqueryPlanner = for<'a> fn(&mut PlannerGlobal<'a>, Query, SubqueryOptions) -> Result<PlannerInfo<'a>>;

/// What all queries of a statement share (`PlannerGlobal`).
pub struct PlannerGlobal<'a> {
    pub planner: &'a Planner<'a>,
    subquery_planner: SubqueryPlanner,
    /// The plans of sublinks and CTEs, finished: positions in it are [`SubPlan::plan`].
    pub sub_plans: Vec<Plan>,
    /// The entries of all queries whose plans are finished.
    pub range_table: Vec<RangeTableEntry>,
    pub relations: Vec<PlannedRelation>,
    pub named: Vec<NamedRelation>,
    /// The types of `Exec` parameters.
    pub parameters: Vec<TypeRef>,
    /// The queries that are being planned, the outermost first.
    pub levels: Vec<Level>,
    /// How many work tables there are: each recursive query has a number.
    pub work_tables: u32,
    /// Data-modifying CTEs: positions in `sub_plans`.
    pub modifying: Vec<usize>,
}

/// What a query that is being planned gives the queries below it.
#[derive(Default)]
pub struct Level {
    /// Its values that they use.
    pub plan_params: Vec<PlanParameter>,
    /// Its WITH list: name and plan.
    pub ctes: Vec<CtePlan>,
    /// The recursive term's own rows, if it is one.
    pub work_table: Option<WorkTable>,
    /// It is a MERGE, whose action queries in its RETURNING may ask for.
    pub merges: bool,
}

/// A value that a query gives one below it (`PlannerParamItem`).
#[derive(Clone, Debug, PartialEq)]
pub struct PlanParameter {
    /// Over the level that gives it: its Vars are of level 0.
    pub item: Expr,
    pub parameter: u32,
}

/// A WITH query that is computed once.
#[derive(Clone, Debug, PartialEq)]
pub struct CtePlan {
    pub name: String,
    /// A position in [`PlannerGlobal::sub_plans`]; none if it is not read, or it became a part of its readers.
    pub plan: Option<usize>,
}

/// What is known of a recursive query's own rows when its recursive term is planned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorkTable {
    pub number: u32,
    /// Rows and their bytes, of the term that is not recursive.
    pub rows: f64,
    pub width: i32,
}

/// A query while it is planned (`PlannerInfo`).
pub struct PlannerInfo<'a> {
    pub planner: &'a Planner<'a>,
    /// It is prepared when paths are made.
    pub query: Query,
    /// From 1, the outermost. Its [`Level`] is there until its paths are made.
    pub level: usize,
    /// One for each table that is locked or may have to be read again.
    pub row_marks: Vec<RowMarkInfo>,
    pub init_plans: Vec<SubPlan>,
    /// The parameters of its `(a, b) = (SELECT …)`, in their order.
    pub multi_parameters: Vec<Vec<Param>>,
    /// The number of its work table: it is a recursive union.
    pub work_table: Option<u32>,
    /// Grouping sets, expanded: references of each. Empty for a plain GROUP BY.
    pub grouping_sets: Vec<Vec<u32>>,
    /// UPDATE: the numbers of the columns that the first targets are for.
    pub update_columns: Vec<i16>,
    pub run_conditions: Vec<RunCondition>,
    /// HAVING, even if it became a part of WHERE.
    pub has_having: bool,
    /// The paths and all that is known about them.
    pub paths: PathInfo<'a>,
}

/// `PlanRowMark`, before it is known which target has the row's identity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowMarkInfo {
    pub relation: RangeTableIndex,
    /// The oid of the table; 0 for what is no table: its whole row is carried along.
    pub table: Oid,
    /// `None`: not locked, only read again.
    pub strength: Option<LockStrength>,
    pub wait: LockWait,
}

impl RowMarkInfo {
    /// What says which row it is: its identity, or all of it.
    pub fn var(&self) -> Var {
        match self.table {
            0 => make_var(self.relation, 0, TypeRef::of(oid::RECORD)),
            _ => make_var(self.relation, CTID, TypeRef::of(oid::TID)),
        }
    }
}

/// How a query below another one is planned.
#[derive(Debug, Default)]
pub struct SubqueryOptions {
    /// As [`Planner::tuple_fraction`].
    pub tuple_fraction: f64,
    /// It is the query of a recursive CTE.
    pub recursive: bool,
    /// After which its windows may stop.
    pub run_conditions: Vec<RunCondition>,
}

impl<'a> PlannerGlobal<'a> {
    pub fn new(planner: &'a Planner<'a>, subquery_planner: SubqueryPlanner) -> PlannerGlobal<'a> {
        PlannerGlobal {
            planner,
            subquery_planner,
            sub_plans: Vec::new(),
            range_table: Vec::new(),
            relations: Vec::new(),
            named: Vec::new(),
            parameters: Vec::new(),
            levels: Vec::new(),
            work_tables: 0,
            modifying: Vec::new(),
        }
    }

    /// Prepares a query below the one that is being planned, and makes its paths.
    pub fn plan_subquery(&mut self, query: Query, options: SubqueryOptions) -> Result<PlannerInfo<'a>> {
        (self.subquery_planner)(self, query, options)
    }

    /// A new `Exec` parameter (`generate_new_exec_param`).
    pub fn new_parameter(&mut self, ty: TypeRef) -> Param {
        self.parameters.push(ty);
        let number = self.parameters.len() as u32 - 1;
        Param { kind: ParamKind::Exec, number, ty, location: Location::NONE }
    }

    /// What a query below this level took from it since this was asked for the last time.
    pub fn take_parameters(&mut self, level: usize) -> Vec<PlanParameter> {
        std::mem::take(&mut self.levels[level - 1].plan_params)
    }
}

impl<'a> PlannerInfo<'a> {
    pub fn new(planner: &'a Planner<'a>, query: Query, level: usize) -> PlannerInfo<'a> {
        PlannerInfo {
            planner,
            query,
            level,
            row_marks: Vec::new(),
            init_plans: Vec::new(),
            multi_parameters: Vec::new(),
            work_table: None,
            grouping_sets: Vec::new(),
            update_columns: Vec::new(),
            run_conditions: Vec::new(),
            has_having: false,
            paths: PathInfo::default(),
        }
    }

    /// Of its init plans, each of which runs once.
    pub fn init_cost(&self) -> f64 {
        self.init_plans.iter().map(|plan| plan.startup_cost + plan.per_call_cost).sum()
    }

    /// Of its best path, with its init plans.
    pub fn cheapest_cost(&self) -> f64 {
        self.init_cost() + self.paths.result.iter().map(|path| path.total).fold(f64::INFINITY, f64::min)
    }
}

/// With a stack for trees as deep as the statement's.
pub fn in_stack<T>(planner: &Planner, work: impl FnOnce() -> T) -> T {
    /// Frames of the walks here are larger than those of reading a tree, and preparing makes trees deeper.
    const FRAMES: usize = 4;
    syntax::with_stack_for(planner.depth * FRAMES + 16, work)
}

/// What is not done.
pub fn unsupported(what: &str) -> Error {
    Error::new(sqlstate::FEATURE_NOT_SUPPORTED, format!("{what} is not supported yet"))
}
