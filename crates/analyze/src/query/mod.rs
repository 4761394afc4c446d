//! What analysis makes of a statement: PostgreSQL's `Query` (`parsenodes.h`). Nothing in it is a name that is still to be
//! looked up, and nothing has a type that is still to be found.
//!
//! A query's rows come from its join tree, whose leaves are entries of its range table; columns are positions in entries.
//! The rewriting changes queries into queries (views, row security, defaults), the planner makes plans of them, and views
//! are stored as them.
//!
//! # What the rewriting and the planner rely on, or have to do
//! * Every cast is a node. A constant of type `unknown` is left only as an argument of `any` and `anyelement`, and in the
//!   query of INSERT … SELECT, where nothing reads it.
//! * A join's columns are [`Var`]s of its sides; only computed ones of USING (FULL, or converted) are of the join's entry,
//!   and [`RangeTableKind::Join`] has what they are. Which joins may make a column NULL, the join tree says.
//! * What is grouped by stays an expression in targets and HAVING; `reference` finds it. Grouping sets are not expanded.
//! * OVER (…) written twice alike is one window; a WINDOW without a call over it is there too.
//! * Arms of set operations are subqueries of the range table with `in_from` false; but for unknown literals their columns
//!   may still need converting to the operation's. Its `group_clauses` have reference 0.
//! * Attribute 0 is the whole row, negative ones are system columns. CASE has an ELSE; [`Expr::CaseTest`] is of the nearest
//!   CASE or [`ArrayCoerce`] around.
//! * Arguments are in the order of the declaration, with defaults, and those of a variadic one in an array.
//! * The table that is changed is entry 1. DEFAULT is [`Expr::SetToDefault`], and INSERT may lack columns, until the
//!   rewriting. UPDATE's `(a, b) = (SELECT …)` is a junk target, and its columns are [`ParamKind::MultiExpr`].
//! * Trees have up to 5,000 levels: what walks them does so within `syntax::with_stack_for`.

mod expr;
mod identifier;
mod walk;

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use types::Oid;

pub use expr::*;
pub use identifier::query_identifier;
pub use walk::{Walk, mutate_query, walk_query};

/// A range table entry, by its position from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RangeTableIndex(pub u32);

impl RangeTableIndex {
    /// Its position in [`Query::range_table`].
    pub fn index(self) -> usize {
        self.0 as usize - 1
    }
}

/// A window, by its position in [`Query::windows`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct WindowIndex(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CommandType {
    Select,
    Insert,
    Update,
    Delete,
    Merge,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Query {
    pub command: CommandType,
    pub range_table: Vec<RangeTableEntry>,
    /// FROM and WHERE.
    pub join_tree: FromExpr,
    pub targets: Vec<TargetEntry>,
    pub ctes: Vec<CommonTableExpr>,
    /// WITH RECURSIVE.
    pub recursive: bool,
    /// The table that is changed.
    pub result_relation: Option<RangeTableIndex>,
    pub overriding: Overriding,
    pub on_conflict: Option<OnConflict>,
    pub merge_actions: Vec<MergeAction>,
    pub merge_condition: Option<Expr>,
    pub returning: Vec<TargetEntry>,
    pub returning_rows: ReturningRows,
    pub group_clause: Vec<SortGroupClause>,
    pub group_distinct: bool,
    /// Empty for a plain GROUP BY.
    pub grouping_sets: Vec<GroupingSet>,
    pub having: Option<Expr>,
    /// The primary keys, by their constraints, without which columns would have to be grouped by (`constraintDeps`).
    pub keys_grouped_by: Vec<Oid>,
    pub windows: Vec<WindowClause>,
    pub distinct: Distinct,
    pub sort_clause: Vec<SortGroupClause>,
    pub offset: Option<Expr>,
    pub limit: Option<Expr>,
    /// FETCH FIRST … WITH TIES.
    pub with_ties: bool,
    pub row_marks: Vec<RowMark>,
    /// UNION, INTERSECT, EXCEPT: the range table has their arms.
    pub set_operations: Option<SetOperation>,
    pub has_aggregates: bool,
    pub has_window_functions: bool,
    pub has_target_sets: bool,
    pub has_sublinks: bool,
    pub has_modifying_cte: bool,
    /// The columns of the table that is changed that get values which the statement gives: the rewriting's.
    #[serde(skip)]
    pub given_columns: Vec<i16>,
    /// What rows of the table that is changed have to satisfy, in the order in which it is asked: the rewriting's.
    #[serde(skip)]
    pub with_check_options: Vec<WithCheckOption>,
}

/// A condition over the table that is changed, which is no constraint: where it is not true, the statement fails.
#[derive(Clone, Debug, PartialEq)]
pub struct WithCheckOption {
    pub kind: CheckKind,
    /// The view, or the table.
    pub relation: String,
    /// The restrictive policy that asks; `None`: the permissive ones together, or a view.
    pub policy: Option<String>,
    pub condition: Expr,
}

/// Of which rows a [`WithCheckOption`] has to be true (`WCOKind`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckKind {
    /// New rows, once they are there: WITH CHECK OPTION of a view.
    View,
    /// New rows of INSERT, before anything else is asked of them; those of UPDATE.
    Insert,
    Update,
    /// Rows as they are that ON CONFLICT DO UPDATE, or a MERGE, is about to change.
    Conflict,
    MergeUpdate,
    MergeDelete,
}

impl CheckKind {
    /// Is it asked of rows as they are to be?
    pub fn is_of_new_rows(self) -> bool {
        matches!(self, CheckKind::View | CheckKind::Insert | CheckKind::Update)
    }
}

/// The entries that RETURNING's `old` and `new` are, if it names them: of the table, and nowhere in FROM. All their columns
/// are NULL where there is no such row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReturningRows {
    pub old: Option<RangeTableIndex>,
    pub new: Option<RangeTableIndex>,
}

/// INSERT's OVERRIDING.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Overriding {
    NotSet,
    UserValue,
    SystemValue,
}

/// How DISTINCT was written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Distinct {
    None,
    All(Vec<SortGroupClause>),
    On(Vec<SortGroupClause>),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TargetEntry {
    pub expr: Expr,
    /// The collation of its values, once the query's are assigned.
    pub collation: Collation,
    /// From 1. For INSERT and UPDATE the column's number.
    pub number: i16,
    pub name: String,
    /// What [`SortGroupClause::reference`] names it by; 0 for none.
    pub reference: u32,
    /// It is not in the result: only sorted or grouped by.
    pub junk: bool,
    /// The table and column that it is, for RowDescription.
    pub origin: Option<(Oid, i16)>,
}

impl TargetEntry {
    pub fn new(expr: Expr, number: i16, name: String) -> TargetEntry {
        let collation = Collation::NONE;
        TargetEntry { expr, collation, number, name, reference: 0, junk: false, origin: None }
    }
}

impl Query {
    /// One with nothing in it.
    pub fn new(command: CommandType) -> Query {
        Query {
            command,
            range_table: Vec::new(),
            join_tree: FromExpr::default(),
            targets: Vec::new(),
            ctes: Vec::new(),
            recursive: false,
            result_relation: None,
            overriding: Overriding::NotSet,
            on_conflict: None,
            merge_actions: Vec::new(),
            merge_condition: None,
            returning: Vec::new(),
            returning_rows: ReturningRows::default(),
            group_clause: Vec::new(),
            group_distinct: false,
            grouping_sets: Vec::new(),
            having: None,
            keys_grouped_by: Vec::new(),
            windows: Vec::new(),
            distinct: Distinct::None,
            sort_clause: Vec::new(),
            offset: None,
            limit: None,
            with_ties: false,
            row_marks: Vec::new(),
            set_operations: None,
            has_aggregates: false,
            has_window_functions: false,
            has_target_sets: false,
            has_sublinks: false,
            has_modifying_cte: false,
            given_columns: Vec::new(),
            with_check_options: Vec::new(),
        }
    }

    /// What others see of it: the targets that are no junk, or RETURNING's.
    pub fn visible_targets(&self) -> impl Iterator<Item = &TargetEntry> {
        let shown = if self.command == CommandType::Select { &self.targets } else { &self.returning };
        shown.iter().filter(|target| !target.junk)
    }

    /// The names, types and collations of [`Query::visible_targets`].
    pub fn visible_columns(&self) -> Vec<Column> {
        let column = |target: &TargetEntry| {
            let (ty, collation) = (target.expr.ty(), target.collation);
            Column { name: target.name.clone(), ty, collation }
        };
        self.visible_targets().map(column).collect()
    }

    pub fn entry(&self, relation: RangeTableIndex) -> &RangeTableEntry {
        &self.range_table[relation.index()]
    }

    /// The target that a clause names.
    pub fn target_of(&self, reference: u32) -> Option<&TargetEntry> {
        self.targets.iter().find(|target| target.reference == reference)
    }
}

/// A target that rows are sorted, grouped or made distinct by.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SortGroupClause {
    pub reference: u32,
    pub equality: Oid,
    /// `<` or `>`, or another that orders; 0 where the type cannot be sorted.
    pub sort: Oid,
    pub nulls_first: bool,
    pub hashable: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum GroupingSet {
    Empty,
    /// References.
    Simple(Vec<u32>),
    Rollup(Vec<GroupingSet>),
    Cube(Vec<GroupingSet>),
    Sets(Vec<GroupingSet>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FrameMode {
    Range,
    Rows,
    Groups,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FrameBound {
    UnboundedPreceding,
    Preceding(Expr),
    CurrentRow,
    Following(Expr),
    UnboundedFollowing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FrameExclusion {
    NoOthers,
    CurrentRow,
    Group,
    Ties,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WindowFrame {
    pub mode: FrameMode,
    pub start: FrameBound,
    pub end: FrameBound,
    pub exclusion: FrameExclusion,
    /// It is not the default.
    pub written: bool,
    /// With BETWEEN: otherwise it ends at the current row.
    pub between: bool,
    /// `in_range` of the sort column's type for the start's and the end's offset of RANGE.
    pub start_in_range: Oid,
    pub end_in_range: Oid,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WindowClause {
    pub name: Option<String>,
    /// The window that it was made from: it has its partition, and its order too if `copied_order`.
    pub base: Option<String>,
    pub copied_order: bool,
    pub partition: Vec<SortGroupClause>,
    pub order: Vec<SortGroupClause>,
    pub frame: WindowFrame,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum JoinType {
    Inner,
    Left,
    Full,
    Right,
    /// Rows of the left side that have a partner: the planner's, as is the next.
    Semi,
    /// Rows of the left side that have none.
    Anti,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum JoinTree {
    Relation(RangeTableIndex),
    Join(Box<JoinExpr>),
    /// A list of its own: a subquery that was pulled up.
    From(FromExpr),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JoinExpr {
    pub kind: JoinType,
    pub left: JoinTree,
    pub right: JoinTree,
    pub condition: Option<Expr>,
    /// The entry of the join itself; 0 for a join of the planner's.
    pub relation: RangeTableIndex,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FromExpr {
    pub from: Vec<JoinTree>,
    pub condition: Option<Expr>,
}

/// A column as a range table entry has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Column {
    pub name: String,
    pub ty: TypeRef,
    pub collation: Collation,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RangeTableEntry {
    pub kind: RangeTableKind,
    /// The name that it is known by: the alias, or its own.
    pub name: String,
    /// Was it given by the statement? EXPLAIN and messages tell them apart.
    pub aliased: bool,
    /// With the names that the alias gives.
    pub columns: Arc<[Column]>,
    /// So many of them have their names from the alias, the first ones.
    pub aliased_columns: usize,
    pub lateral: bool,
    /// It stands in FROM, where columns may be named.
    pub in_from: bool,
    /// A view with `security_barrier`: what could tell of its rows is not asked within it. The rewriting sets it.
    #[serde(skip)]
    pub security_barrier: bool,
    /// Conditions that rows have to pass before those after them, and any of the query's own, are asked: the rewriting's.
    #[serde(skip)]
    pub security_conditions: Vec<Expr>,
    /// The role that needs rights on it, if not the one that runs the query: the owner of the view that it comes from. The
    /// rewriting sets it, and the next.
    #[serde(skip)]
    pub check_as: Option<Oid>,
    /// The view that the subquery is of: the rewriting's.
    #[serde(skip)]
    pub view: Option<Oid>,
    /// It is changed, and the statement reads columns of it as well.
    #[serde(skip)]
    pub is_read: bool,
}

impl Query {
    /// Without the columns of joins that are columns of a side: a query depends on those of them that its expressions name, and
    /// others may be dropped or get other types.
    pub fn without_columns_of_sides(&self) -> Cow<'_, Query> {
        if !self.range_table.iter().any(|entry| matches!(entry.kind, RangeTableKind::Join { .. })) {
            return Cow::Borrowed(self);
        }
        let mut query = self.clone();
        for entry in &mut query.range_table {
            if let RangeTableKind::Join { merged, columns, .. } = &mut entry.kind {
                columns.truncate(*merged);
            }
        }
        Cow::Owned(query)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum RangeTableKind {
    Relation {
        oid: Oid,
        inherited: bool,
        sample: Option<TableSample>,
    },
    Subquery(Box<Query>),
    /// The columns of both sides; those that USING merges are the first `merged`.
    Join {
        kind: JoinType,
        merged: usize,
        columns: Vec<Expr>,
        /// `USING (…) AS name`.
        using_alias: Option<String>,
    },
    Function {
        functions: Vec<FunctionColumns>,
        ordinality: bool,
    },
    Values {
        rows: Vec<Vec<Expr>>,
    },
    Cte {
        name: String,
        levels_up: u32,
        self_reference: bool,
    },
    /// The only row of a query without FROM.
    #[default]
    Result,
}

/// A function in FROM and how many of the entry's columns are its.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FunctionColumns {
    pub call: Expr,
    pub columns: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableSample {
    /// BERNOULLI or SYSTEM, by the function's oid.
    pub method: Oid,
    pub arguments: Vec<Expr>,
    pub repeatable: Option<Expr>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Materialized {
    Default,
    Always,
    Never,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommonTableExpr {
    pub name: String,
    pub materialized: Materialized,
    pub query: Query,
    /// Its columns as others see them.
    pub columns: Vec<Column>,
    pub recursive: bool,
    /// How often it is read.
    pub references: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SetOperator {
    Union,
    Intersect,
    Except,
}

/// A tree of set operations; its leaves are subqueries of the range table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum SetOperation {
    Leaf(RangeTableIndex),
    Node {
        operator: SetOperator,
        all: bool,
        left: Box<SetOperation>,
        right: Box<SetOperation>,
        columns: Vec<TypeRef>,
        /// How the columns are compared; empty for UNION ALL.
        group_clauses: Vec<SortGroupClause>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum LockStrength {
    KeyShare,
    Share,
    NoKeyUpdate,
    Update,
}

impl LockStrength {
    /// As messages call it (`LCS_asString`).
    pub fn name(self) -> &'static str {
        match self {
            LockStrength::KeyShare => "FOR KEY SHARE",
            LockStrength::Share => "FOR SHARE",
            LockStrength::NoKeyUpdate => "FOR NO KEY UPDATE",
            LockStrength::Update => "FOR UPDATE",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LockWait {
    Block,
    Skip,
    Error,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowMark {
    pub relation: RangeTableIndex,
    pub strength: LockStrength,
    pub wait: LockWait,
    /// It came from FOR UPDATE of a query around.
    pub pushed_down: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OnConflict {
    /// How the indexes are described; the planner looks for them.
    pub inference: Option<Inference>,
    /// That of the constraint that is named. With neither any index decides.
    pub arbiters: Option<Vec<Oid>>,
    pub action: ConflictAction,
}

/// What is unique, over the table that is changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Inference {
    /// Columns and expressions.
    pub keys: Vec<InferenceElement>,
    /// For which rows.
    pub predicate: Option<Expr>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InferenceElement {
    pub expr: Expr,
    /// What COLLATE says; 0: whichever the index has.
    pub collation: Oid,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ConflictAction {
    Nothing,
    Update {
        targets: Vec<TargetEntry>,
        condition: Option<Expr>,
        /// The entry that `excluded` is.
        excluded: RangeTableIndex,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MergeMatch {
    Matched,
    NotMatchedBySource,
    NotMatchedByTarget,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MergeAction {
    pub when: MergeMatch,
    pub condition: Option<Expr>,
    pub action: MergeCommand,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum MergeCommand {
    Insert { targets: Vec<TargetEntry>, overriding: Overriding },
    Update { targets: Vec<TargetEntry> },
    Delete,
    Nothing,
}
