//! The nodes, by PostgreSQL's names.

use analyze::query::{CommandType, Var, WithCheckOption};
use analyze::query::{
    ConflictAction, Expr, FunctionColumns, JoinType, LockStrength, LockWait, MergeMatch, RangeTableIndex,
    ReturningRows, SetOperator, TargetEntry, TypeRef, WindowFrame,
};
use types::Oid;

/// A node: what it does, and what all nodes have.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub node: Node,
    /// Its rows.
    pub targets: Vec<TargetEntry>,
    /// Which rows it gives on; for joins after the join's own conditions.
    pub conditions: Vec<Expr>,
    pub cost: Cost,
    /// Init plans that are to be ready before it gives rows: those below may ask for their parameters.
    pub init_plans: Vec<analyze::query::SubPlan>,
}

/// What the planner believes. Costs are in PostgreSQL's units: reading a page in order is 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Before the first row.
    pub startup: f64,
    pub total: f64,
    pub rows: f64,
    /// Bytes of a row.
    pub width: i32,
    /// How many nodes that a setting disables (`enable_seqscan` and its like) there are, with those below.
    pub disabled: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// One row, or the child's, if `one_time` holds.
    Result {
        child: Option<Box<Plan>>,
        one_time: Vec<Expr>,
    },
    /// Targets that give sets, each on a level of its own: their arguments have none.
    ProjectSet {
        child: Box<Plan>,
    },
    ModifyTable(Box<ModifyTable>),
    Append {
        children: Vec<Plan>,
    },
    /// The children's rows are sorted already.
    MergeAppend {
        children: Vec<Plan>,
        keys: Vec<SortKey>,
    },
    RecursiveUnion(Box<RecursiveUnion>),
    SeqScan(Scan),
    IndexScan(Box<IndexScan>),
    /// All columns are the index's, or the row's visibility is looked at and no more.
    IndexOnlyScan(Box<IndexScan>),
    /// The rows of a bitmap, in the table's order. Its child is one of the three nodes that follow, which give no rows.
    BitmapHeapScan {
        scan: Scan,
        child: Box<Plan>,
        /// What the bitmap says: it may have too many rows.
        recheck: Vec<Expr>,
    },
    BitmapIndexScan(Box<IndexScan>),
    BitmapAnd {
        children: Vec<Plan>,
    },
    BitmapOr {
        children: Vec<Plan>,
    },
    TidScan {
        scan: Scan,
        conditions: Vec<Expr>,
    },
    SubqueryScan {
        relation: RangeTableIndex,
        child: Box<Plan>,
    },
    FunctionScan {
        relation: RangeTableIndex,
        functions: Vec<FunctionColumns>,
        ordinality: bool,
    },
    ValuesScan {
        relation: RangeTableIndex,
        rows: Vec<Vec<Expr>>,
    },
    /// The rows of a CTE, which is computed once: a position in the statement's `sub_plans`.
    CteScan {
        relation: RangeTableIndex,
        plan: usize,
    },
    /// The rows of the last round of the [`RecursiveUnion`] around with this number.
    WorkTableScan {
        relation: RangeTableIndex,
        work_table: u32,
    },
    NestLoop(Box<NestLoop>),
    MergeJoin(Box<MergeJoin>),
    HashJoin(Box<HashJoin>),
    /// Keeps the child's rows for another pass.
    Material {
        child: Box<Plan>,
    },
    /// Keeps the child's rows for each value of these expressions.
    Memoize {
        child: Box<Plan>,
        keys: Vec<Expr>,
    },
    Sort {
        child: Box<Plan>,
        keys: Vec<SortKey>,
    },
    /// The child's rows are sorted by the first `presorted` keys.
    IncrementalSort {
        child: Box<Plan>,
        keys: Vec<SortKey>,
        presorted: usize,
    },
    Agg(Box<Agg>),
    WindowAgg(Box<WindowAgg>),
    /// Of sorted rows.
    Unique {
        child: Box<Plan>,
        columns: Vec<GroupKey>,
    },
    SetOp(Box<SetOp>),
    LockRows {
        child: Box<Plan>,
        marks: Vec<PlanRowMark>,
    },
    Limit {
        child: Box<Plan>,
        offset: Option<Box<Expr>>,
        count: Option<Box<Expr>>,
        with_ties: Option<Vec<GroupKey>>,
    },
}

/// A table that is scanned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scan {
    pub relation: RangeTableIndex,
    pub table: Oid,
}

/// Rows by an index. The node's `conditions` are asked of the rows that it finds.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexScan {
    pub scan: Scan,
    pub index: Oid,
    /// Entries that satisfy all conditions of one of these lists, each entry once; one empty list is all of them.
    pub ranges: Vec<Vec<IndexCondition>>,
    /// What the ranges say, as EXPLAIN prints it: over columns of the table.
    pub index_conditions: Vec<Expr>,
    /// The rows come in the index's order, or in its opposite; `None`: in any.
    pub direction: Option<ScanDirection>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanDirection {
    Forward,
    Backward,
}

/// What entries have to satisfy. Its values have no columns of the table: constants, parameters, what is computed from them.
#[derive(Clone, Debug, PartialEq)]
pub enum IndexCondition {
    /// `column operator value`, by the operator's strategy in the index's family (`catalog::strategy`).
    Compare {
        column: usize,
        operator: Oid,
        strategy: i16,
        value: Expr,
    },
    /// `column = ANY (array)`.
    Any {
        column: usize,
        operator: Oid,
        strategy: i16,
        array: Expr,
    },
    /// `(column, …) < (value, …)`, `<=`, `>` or `>=`: columns that follow each other in the index, ordered alike.
    Row {
        column: usize,
        strategy: i16,
        operators: Vec<Oid>,
        values: Vec<Expr>,
    },
    IsNull {
        column: usize,
    },
    IsNotNull {
        column: usize,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Join {
    pub kind: JoinKind,
    pub outer: Plan,
    pub inner: Plan,
    /// The join's own: a row of an outer join whose partners all fail them has none. The node's `conditions` are WHERE's.
    pub conditions: Vec<Expr>,
    /// A row of the outer side has at most one partner.
    pub inner_unique: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinKind {
    Inner,
    Left,
    Full,
    Right,
    /// Rows of the outer side that have a partner.
    Semi,
    /// Rows of the outer side that have none.
    Anti,
    /// Rows of the inner side that have a partner.
    RightSemi,
    RightAnti,
}

impl From<JoinType> for JoinKind {
    fn from(kind: JoinType) -> JoinKind {
        match kind {
            JoinType::Inner => JoinKind::Inner,
            JoinType::Left => JoinKind::Left,
            JoinType::Full => JoinKind::Full,
            JoinType::Right => JoinKind::Right,
            JoinType::Semi => JoinKind::Semi,
            JoinType::Anti => JoinKind::Anti,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct NestLoop {
    pub join: Join,
    /// What the inner side takes from each row of the outer side: `Exec` parameters, and columns of [`super::OUTER`].
    pub parameters: Vec<(u32, Var)>,
}

/// Both sides are sorted by their part of the clauses.
#[derive(Clone, Debug, PartialEq)]
pub struct MergeJoin {
    pub join: Join,
    pub clauses: Vec<MergeClause>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct MergeClause {
    pub clause: HashClause,
    pub descending: bool,
    pub nulls_first: bool,
}

/// The inner side is hashed.
#[derive(Clone, Debug, PartialEq)]
pub struct HashJoin {
    pub join: Join,
    pub clauses: Vec<HashClause>,
}

/// `outer = inner`: the first over [`super::OUTER`], the second over [`super::INNER`], of one type.
#[derive(Clone, Debug, PartialEq)]
pub struct HashClause {
    pub operator: Oid,
    pub outer: Expr,
    pub inner: Expr,
}

/// By what rows are sorted: a target of the child, from 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SortKey {
    pub column: i16,
    /// `<`, or `>`.
    pub operator: Oid,
    pub descending: bool,
    pub nulls_first: bool,
}

/// What rows are grouped or made distinct by: a target of the child, from 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroupKey {
    pub column: i16,
    pub equality: Oid,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AggStrategy {
    /// One group.
    Plain,
    /// The child's rows come group by group. With grouping sets they come in any order, and are not to be hashed.
    Sorted,
    Hashed,
}

/// Targets and conditions (HAVING) may have `Aggref`s and `GroupingFunc`s; the arguments of these are over the child.
#[derive(Clone, Debug, PartialEq)]
pub struct Agg {
    pub child: Plan,
    pub strategy: AggStrategy,
    pub keys: Vec<GroupKey>,
    /// Which keys each grouping set has, by position; empty: one set with all keys. Of a key that is not in a row's set its
    /// column is NULL. `GroupingFunc::references` are positions in `keys` plus 1, or
    /// 0 for what depends on the keys.
    pub grouping_sets: Vec<Vec<usize>>,
    /// The child's rows come in the order of the aggregates that are marked as `presorted`: group by group, if there are
    /// groups, and sorted in each.
    pub presorted: bool,
}

/// The child's rows are sorted by partition and order. Targets may have `WindowFunc`s of window 0, this one, over the child.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowAgg {
    pub child: Plan,
    /// As EXPLAIN prints it.
    pub name: String,
    pub partition: Vec<GroupKey>,
    pub order: Vec<SortKey>,
    /// Where peers end.
    pub peers: Vec<GroupKey>,
    pub frame: WindowFrame,
    /// Rows after one for which these do not hold are not needed.
    pub run_condition: Vec<Expr>,
}

/// INTERSECT and EXCEPT.
#[derive(Clone, Debug, PartialEq)]
pub struct SetOp {
    pub operator: SetOperator,
    pub all: bool,
    pub hashed: bool,
    pub left: Plan,
    pub right: Plan,
    pub columns: Vec<GroupKey>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RecursiveUnion {
    pub left: Plan,
    pub right: Plan,
    /// What [`Node::WorkTableScan`]s name it by.
    pub work_table: u32,
    /// UNION: rows that were there already are left out. Empty: UNION ALL.
    pub distinct: Vec<GroupKey>,
}

/// An entry of FROM whose rows are locked or, after another transaction changed another one's, looked at again.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanRowMark {
    pub relation: RangeTableIndex,
    /// 0: no table.
    pub table: Oid,
    /// `None`: not locked; only the same row again.
    pub strength: Option<LockStrength>,
    pub wait: LockWait,
    /// The junk target with the row's identity, or the row itself where it is no table's; from 1. NULL: there is no row (an
    /// outer join).
    pub row: i16,
}

impl PlanRowMark {
    /// `ROW_MARK_COPY`: nothing finds the row again, so it is carried along.
    pub fn is_copy(&self) -> bool {
        self.table == 0
    }
}

/// INSERT, UPDATE, DELETE, MERGE. Its targets are RETURNING's.
#[derive(Clone, Debug, PartialEq)]
pub struct ModifyTable {
    pub command: CommandType,
    pub scan: Scan,
    /// INSERT: all columns of the table in their order. UPDATE: the new values of `columns`, then junk. DELETE: junk.
    pub child: Plan,
    /// UPDATE: the numbers of the columns that the child's first targets are for.
    pub columns: Vec<i16>,
    /// UPDATE, DELETE and MERGE: the child's target with the row's identity, from 1. MERGE's is NULL where nothing matched.
    pub row: i16,
    /// Other entries of the statement, whose same rows are looked at when the changed row has to be looked at again.
    pub marks: Vec<PlanRowMark>,
    /// Over columns of the table as the rows are now (Vars of `scan.relation`; of `old`, `new`: their entries) and
    /// [`super::OUTER`], the child's row.
    pub returning: Vec<TargetEntry>,
    pub returning_rows: ReturningRows,
    pub on_conflict: Option<PlanOnConflict>,
    pub merge: Vec<PlanMergeAction>,
    /// The columns that the statement gives values, by number, and not their defaults.
    pub given: Vec<i16>,
    /// What policies and views ask of rows. Conditions are over the table's columns.
    pub checks: Vec<WithCheckOption>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PlanOnConflict {
    /// Indexes; `None`: any.
    pub arbiters: Option<Vec<Oid>>,
    /// Over the table's columns and those of the entry `excluded`.
    pub action: ConflictAction,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PlanMergeAction {
    pub when: MergeMatch,
    /// Over [`super::OUTER`] and the table's columns.
    pub conditions: Vec<Expr>,
    pub command: Option<CommandType>,
    /// INSERT: all columns in their order; UPDATE: those that change, by `number`.
    pub targets: Vec<TargetEntry>,
}

impl Plan {
    /// The types of its rows.
    pub fn types(&self) -> impl Iterator<Item = TypeRef> {
        self.targets.iter().map(|target| target.expr.ty())
    }
}
