//! What the search for paths knows: PostgreSQL's `pathnodes.h`. Relations, conditions, equivalence classes and paths of one
//! query; relations and classes are named by their positions, conditions and paths are shared.

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

use analyze::query::*;
use foldhash::fast::FixedState;
use smallvec::SmallVec;
use types::Oid;

use super::estimate::common_values::CommonValues;
use super::relset::Rels;
use crate::plan::{AggStrategy, JoinKind, ScanDirection};
use crate::plancat::{IndexInfo, PageCosts, RelationInfo};
use crate::planner_info::{PlanParameter, PlannerInfo};

/// A position in [`PathInfo::rels`].
pub type RelId = usize;
/// A position in [`PathInfo::classes`].
pub type ClassId = usize;
/// A position in [`PathInfo::pathkeys`]: equal orders have equal numbers.
pub type PathKeyId = u32;
pub type PathKeys = SmallVec<[PathKeyId; 4]>;
pub type P = Rc<Path>;
pub type R = Rc<RestrictInfo>;

/// What is known about a query's relations and paths (the rest of `PlannerInfo`).
#[derive(Default)]
pub struct PathInfo<'a> {
    pub rels: Vec<RelOptInfo<'a>>,
    /// By range table index.
    pub base: Vec<Option<RelId>>,
    pub joins: HashMap<Rels, RelId, FixedState>,
    pub all: Rels,
    pub join_info: Vec<SpecialJoinInfo>,
    pub classes: Vec<EquivalenceClass>,
    pub pathkeys: Vec<PathKey>,
    /// Outer joins' clauses that may pass on constants.
    pub left_clauses: Vec<OuterJoinClause>,
    pub right_clauses: Vec<OuterJoinClause>,
    pub full_clauses: Vec<OuterJoinClause>,
    pub query_keys: PathKeys,
    pub group_keys: PathKeys,
    pub presort: Presort,
    pub window_keys: PathKeys,
    pub distinct_keys: PathKeys,
    pub sort_keys: PathKeys,
    pub tuple_fraction: f64,
    /// Below 0: no limit.
    pub limit_tuples: f64,
    /// Pages of all tables: they share the cache.
    pub total_pages: f64,
    pub has_pseudoconstants: bool,
    /// That of the query's own conditions: security conditions have lower ones (`qual_security_level`).
    pub security_level: u32,
    pub has_eclass_joins: bool,
    /// The paths of the whole query.
    pub result: Vec<P>,
    /// While a plan is made: the relations to the left of nested loops around, and what they give to their right sides.
    pub outer_rels: Rels,
    pub outer_params: Vec<(u32, Var)>,
    /// `Exec` parameters of nested loops by column, so that a column has one.
    pub nestloop_params: Vec<(Var, u32)>,
    /// Of the columns that were compared so far.
    pub common_values: CommonValues,
}

/// A table, another entry in FROM, or a join of several (`RelOptInfo`).
pub struct RelOptInfo<'a> {
    pub relids: Rels,
    /// Of a base relation.
    pub relation: RangeTableIndex,
    pub is_join: bool,
    pub rows: f64,
    pub target: Rc<PathTarget>,
    /// Conditions on it alone.
    pub conditions: Vec<R>,
    /// No condition on it has a lower security level (`baserestrict_min_security`).
    pub least_security: u32,
    pub condition_cost: QualCost,
    /// Conditions with others.
    pub join_clauses: Vec<R>,
    pub has_eclass_joins: bool,
    pub paths: Vec<P>,
    pub cheapest_startup: Option<P>,
    pub cheapest_total: Option<P>,
    pub cheapest_unique: Option<Option<P>>,
    /// The best of each parameterization, the one without first.
    pub cheapest_parameterized: Vec<P>,
    pub param_infos: Vec<Rc<ParamInfo>>,
    /// It gives no rows.
    pub dummy: bool,
    pub consider_startup: bool,
    pub consider_param_startup: bool,
    pub direct_lateral: Rels,
    pub lateral: Rels,
    pub lateral_referencers: Rels,
    pub lateral_vars: Vec<Var>,
    /// What needs its columns: by attribute number plus [`FIRST_ATTRIBUTE`].
    pub needed: Vec<Rels>,
    pub table: Option<Rc<RelationInfo>>,
    pub pages: f64,
    pub tuples: f64,
    pub all_visible: f64,
    pub page_costs: PageCosts,
    pub indexes: Vec<Rc<IndexOptInfo>>,
    pub subroot: Option<Box<PlannerInfo<'a>>>,
    /// What the subquery takes of this level.
    pub sub_params: Vec<PlanParameter>,
    /// A CTE's plan, or a work table's number.
    pub cte: usize,
    /// Relations for which this one was found to be unique, or not.
    pub unique_for: Vec<Rels>,
    pub non_unique_for: Vec<Rels>,
}

/// System columns have numbers from -7.
pub const FIRST_ATTRIBUTE: i16 = 8;

/// An index of a query's table.
#[derive(Debug)]
pub struct IndexOptInfo {
    pub info: std::sync::Arc<IndexInfo>,
    /// What its columns are over the query's entry.
    pub columns: Vec<Expr>,
    pub predicate: Vec<Expr>,
    /// The predicate follows from the query's conditions.
    pub usable: bool,
    /// The table's conditions without those that the predicate says.
    pub conditions: Vec<R>,
    /// Of its own pages.
    pub random_page_cost: f64,
}

/// Expressions that a path gives, and what they cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PathTarget {
    pub exprs: Vec<Expr>,
    /// `SortGroupClause::reference`s; empty: none has one.
    pub references: Vec<u32>,
    pub cost: QualCost,
    pub width: i32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct QualCost {
    pub startup: f64,
    pub per_tuple: f64,
}

/// A condition (`RestrictInfo`).
#[derive(Debug)]
pub struct RestrictInfo {
    pub clause: Expr,
    /// The entries in it, and those that must be joined before it is asked.
    pub clause_rels: Rels,
    pub required: Rels,
    /// If it is an outer join's: the side that is kept.
    pub outer: Rels,
    pub nullable: Rels,
    pub left: Rels,
    pub right: Rels,
    /// WHERE's, not an outer join's own.
    pub pushed_down: bool,
    pub delayed: bool,
    /// `left operator right`, of different relations.
    pub can_join: bool,
    pub pseudoconstant: bool,
    pub has_volatile: bool,
    /// Conditions of lower levels come first (`security_level`), but for those that tell nothing of the rows they are asked of.
    pub security_level: u32,
    pub leakproof: bool,
    pub merge_families: SmallVec<[Oid; 2]>,
    pub hash_operator: Option<Oid>,
    pub left_class: Cell<Option<ClassId>>,
    pub right_class: Cell<Option<ClassId>>,
    pub parent_class: Option<ClassId>,
    pub selectivity: Cell<f64>,
    pub outer_selectivity: Cell<f64>,
    /// Of a merge by it (`scansel_cache`).
    pub merge_scan: Cell<Option<MergeScan>>,
    pub cost: Cell<Option<QualCost>>,
}

/// How much of each side of a merge is read before its first match, and in all.
#[derive(Clone, Copy, Debug)]
pub struct MergeScan {
    pub left_start: f64,
    pub left_end: f64,
    pub right_start: f64,
    pub right_end: f64,
}

/// Expressions that are equal (`EquivalenceClass`).
#[derive(Clone, Debug, Default)]
pub struct EquivalenceClass {
    pub families: SmallVec<[Oid; 2]>,
    pub members: Vec<ClassMember>,
    pub sources: Vec<R>,
    /// What was made of it: the members' positions and the condition.
    pub derived: Vec<(usize, usize, Option<ClassId>, R)>,
    pub rels: Rels,
    pub has_const: bool,
    /// Its expression is not the same whenever it is written: volatile, or a key of grouping sets that is there twice.
    pub has_volatile: bool,
    pub below_outer_join: bool,
    pub broken: bool,
    /// Of a volatile one: the reference that it is for.
    pub reference: u32,
    /// Of an order above grouping sets: what is equal below them may not be any more.
    pub above_sets: bool,
    pub merged: Option<ClassId>,
    /// The least and the greatest security level of its sources.
    pub least_security: u32,
    pub most_security: u32,
}

#[derive(Clone, Debug)]
pub struct ClassMember {
    pub expr: Expr,
    pub rels: Rels,
    pub nullable: Rels,
    pub is_const: bool,
    /// The type by which it is compared.
    pub ty: Oid,
}

/// An order by one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathKey {
    pub class: ClassId,
    pub family: Oid,
    pub descending: bool,
    pub nulls_first: bool,
}

#[derive(Clone, Debug)]
pub struct OuterJoinClause {
    pub clause: R,
    /// What has to be joined before the side that may be NULL is what it is at this join.
    pub inner: Rels,
}

/// A join that is not inner (`SpecialJoinInfo`).
#[derive(Clone, Debug, PartialEq)]
pub struct SpecialJoinInfo {
    pub min_left: Rels,
    pub min_right: Rels,
    pub syn_left: Rels,
    pub syn_right: Rels,
    pub kind: JoinKind,
    pub lhs_strict: bool,
    pub delay_upper: bool,
    /// A semijoin's right side can be made unique by these operators and expressions.
    pub can_btree: bool,
    pub can_hash: bool,
    pub semi_operators: Vec<Oid>,
    pub semi_exprs: Vec<Expr>,
}

/// What a parameterized path of a relation is given (`ParamPathInfo`).
#[derive(Debug)]
pub struct ParamInfo {
    pub required: Rels,
    pub rows: f64,
    pub clauses: Vec<R>,
}

/// A way to get a relation's rows.
#[derive(Debug)]
pub struct Path {
    pub node: PathNode,
    /// `NO_REL`: above joins.
    pub rel: RelId,
    pub target: Rc<PathTarget>,
    pub param: Option<Rc<ParamInfo>>,
    pub rows: f64,
    /// Nodes that settings forbid.
    pub disabled: u32,
    pub startup: f64,
    pub total: f64,
    pub pathkeys: PathKeys,
}

pub const NO_REL: RelId = usize::MAX;

#[derive(Debug)]
pub enum PathNode {
    SeqScan,
    Index(IndexPath),
    BitmapHeap(Rc<BitmapPath>),
    Tid(Vec<R>),
    Subquery(P),
    Function,
    Values,
    Cte,
    WorkTable,
    /// One row, or the child's, if the conditions hold.
    Result {
        child: Option<P>,
        one_time: Vec<Expr>,
    },
    /// No row.
    Dummy,
    Append(Vec<P>),
    MergeAppend(Vec<P>),
    Material(P),
    /// A semijoin's right side without duplicates.
    Unique {
        child: P,
        hashed: bool,
        exprs: Vec<Expr>,
        operators: Vec<Oid>,
    },
    NestLoop(JoinPath),
    MergeJoin(Box<MergePath>),
    HashJoin {
        join: JoinPath,
        clauses: Vec<R>,
    },
    Projection {
        child: P,
        dummy: bool,
    },
    ProjectSet(P),
    Sort(P),
    IncrementalSort {
        child: P,
        presorted: usize,
    },
    UpperUnique {
        child: P,
        clauses: Vec<SortGroupClause>,
    },
    Agg(Box<AggPath>),
    WindowAgg {
        child: P,
        window: usize,
        conditions: Vec<Expr>,
    },
    SetOp {
        left: P,
        right: P,
        operator: SetOperator,
        all: bool,
        hashed: bool,
        clauses: Vec<SortGroupClause>,
    },
    RecursiveUnion {
        left: P,
        right: P,
        clauses: Vec<SortGroupClause>,
        number: u32,
    },
    LockRows(P),
    Limit {
        child: P,
        offset: Option<Expr>,
        count: Option<Expr>,
    },
    ModifyTable(P),
}

#[derive(Debug)]
pub struct AggPath {
    pub child: P,
    pub strategy: AggStrategy,
    pub clauses: Vec<SortGroupClause>,
    /// Positions in `clauses`.
    pub sets: Vec<Vec<usize>>,
    pub conditions: Vec<Expr>,
    /// The child has the order that was found for the aggregates.
    pub presorted: bool,
}

#[derive(Clone, Debug)]
pub struct JoinPath {
    pub kind: JoinKind,
    pub outer: P,
    pub inner: P,
    pub inner_unique: bool,
    pub conditions: Vec<R>,
}

#[derive(Debug)]
pub struct MergePath {
    pub join: JoinPath,
    pub clauses: Vec<R>,
    pub outer_keys: PathKeys,
    pub inner_keys: PathKeys,
    /// Else the children are sorted by these already.
    pub sort_outer: bool,
    pub sort_inner: bool,
    pub materialize: bool,
}

#[derive(Clone, Debug)]
pub struct IndexPath {
    pub index: Rc<IndexOptInfo>,
    pub clauses: Vec<IndexClause>,
    pub direction: Option<ScanDirection>,
    pub only: bool,
    pub index_cost: f64,
    pub selectivity: f64,
    /// What it was counted to read of the table.
    pub reads: HeapReads,
}

/// What an index scan reads of its table.
#[derive(Clone, Copy, Debug, Default)]
pub struct HeapReads {
    pub tuples: f64,
    /// The square of how much the index's order is the table's.
    pub correlation: f64,
    /// The part of the pages that it need not look at.
    pub all_visible: f64,
    /// How often it runs.
    pub loops: f64,
}

/// A condition that an index looks up (`IndexClause`).
#[derive(Clone, Debug)]
pub struct IndexClause {
    /// The condition that it is from.
    pub clause: R,
    pub quals: Vec<IndexQual>,
    /// The rows found have to be asked again.
    pub lossy: bool,
    /// The first index column.
    pub column: usize,
}

/// What the index is asked: `expr` as EXPLAIN prints it, over the table.
#[derive(Clone, Debug)]
pub struct IndexQual {
    pub expr: Expr,
    pub kind: QualKind,
}

#[derive(Clone, Debug)]
pub enum QualKind {
    Compare {
        column: usize,
        operator: Oid,
        strategy: i16,
        value: Expr,
    },
    Any {
        column: usize,
        operator: Oid,
        strategy: i16,
        array: Expr,
    },
    Row {
        column: usize,
        strategy: i16,
        operators: Vec<Oid>,
        values: Vec<Expr>,
    },
    Null {
        column: usize,
        is_null: bool,
    },
    /// Alternatives: each a list of conditions.
    Or(Vec<Vec<IndexQual>>),
}

impl<'a> PathInfo<'a> {
    /// The relation of an entry in FROM. The entry is in the join tree.
    pub fn base_rel(&self, relation: RangeTableIndex) -> RelId {
        self.base[relation.0 as usize].expect("in the join tree")
    }

    /// The relation of a set, base or join.
    pub fn find_rel(&self, rels: Rels) -> Option<RelId> {
        match rels.singleton() {
            Some(one) => self.base.get(one.0 as usize).copied().flatten(),
            None => self.joins.get(&rels).copied(),
        }
    }

    /// The class that it became a part of.
    pub fn canonical(&self, mut class: ClassId) -> ClassId {
        while let Some(merged) = self.classes[class].merged {
            class = merged;
        }
        class
    }
}

impl Path {
    pub fn required(&self) -> Rels {
        self.param.as_ref().map_or(Rels::EMPTY, |param| param.required)
    }

    pub fn cost(&self) -> crate::plan::Cost {
        let (rows, width) = (self.rows, self.target.width);
        crate::plan::Cost { startup: self.startup, total: self.total, rows, width, disabled: self.disabled }
    }
}

impl PathTarget {
    pub fn reference(&self, position: usize) -> u32 {
        self.references.get(position).copied().unwrap_or(0)
    }

    pub fn push(&mut self, expr: Expr, reference: u32) {
        if reference != 0 && self.references.is_empty() {
            self.references = vec![0; self.exprs.len()];
        }
        if !self.references.is_empty() || reference != 0 {
            self.references.push(reference);
        }
        self.exprs.push(expr);
    }

    /// Adds it unless it is there, without a reference.
    pub fn push_new(&mut self, expr: &Expr) {
        if !self.exprs.contains(expr) {
            self.push(expr.clone(), 0);
        }
    }
}

/// The order that serves most aggregates.
#[derive(Clone, Debug, Default)]
pub struct Presort {
    /// The keys of GROUP BY come first.
    pub keys: PathKeys,
    /// All that it serves want is DISTINCT, for which rows are hashed where they do not come in order anyway.
    pub optional: bool,
}

/// What a bitmap is made of.
#[derive(Debug)]
pub enum BitmapPath {
    Index(IndexPath),
    And(Parts),
    Or(Parts),
}

#[derive(Debug)]
pub struct Parts {
    pub parts: Vec<Rc<BitmapPath>>,
    pub cost: f64,
    pub selectivity: f64,
}

/// A condition that a subquery's window function fulfils up to some row of a partition, and then no more.
#[derive(Clone, Debug)]
pub struct RunCondition {
    /// The function's place among the subquery's visible targets.
    pub column: usize,
    pub operator: Oid,
    /// The other side; it is the same in all rows.
    pub value: Expr,
    /// It stands to the left.
    pub value_first: bool,
}
