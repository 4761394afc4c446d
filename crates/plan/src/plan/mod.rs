//! Plans: PostgreSQL's `plannodes.h`. A tree of nodes, each of which gives rows of its targets; what it takes from a child is a
//! [`Var`](analyze::query::Var) of one of the entries [`OUTER`], [`INNER`], [`INDEX`], whose attribute is the position in the child's targets (or among the
//! index's columns). A Var of any other entry is a column of the table that the node itself scans.
//!
//! # Invariants
//! * A plan can be kept: it has no state, no snapshot, no table that is open; what is known when it runs only is a
//!   parameter. [`PlannedStmt::relations`] says what it depends on.
//! * Conditions are lists, all of which must hold. Expressions have no `SubLink`, no [`Var`](analyze::query::Var) of a query around, no named
//!   argument, no join alias: [`SubPlan`](analyze::query::SubPlan)s and parameters stand in their places.
//! * Rows are compared by the operators that the nodes name; types whose equal values look different are compared by keys,
//!   and the executor makes those.

mod arbiter;
pub mod create_plan;
mod join_plan;
mod named;
mod node;
mod scan_plan;
mod setrefs;
mod walk;

use analyze::query::{CommandType, RangeTableEntry, RangeTableIndex, TypeRef};
use types::Oid;

pub use node::*;

/// The rows of the left, or only, child.
pub const OUTER: RangeTableIndex = RangeTableIndex(u32::MAX);
/// The rows of the right child.
pub const INNER: RangeTableIndex = RangeTableIndex(u32::MAX - 1);
/// The columns of the index that the node scans, from 1.
pub const INDEX: RangeTableIndex = RangeTableIndex(u32::MAX - 2);

/// The attribute of a row's identity, block and row (`SelfItemPointerAttributeNumber`).
pub const CTID: i16 = -1;
/// Of the transaction that has made a row as it is, and of the one that has deleted or locked it.
pub const XMIN: i16 = -2;
pub const XMAX: i16 = -4;
/// The attribute of the oid of a row's table.
pub const TABLE_OID: i16 = -6;

/// A statement's plan.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedStmt {
    pub command: CommandType,
    /// Its rows are the statement's: all targets of the top node that are not junk.
    pub plan: Plan,
    /// The plans of [`SubPlan`](analyze::query::SubPlan)s and CTEs.
    pub sub_plans: Vec<Plan>,
    /// The types of `Exec` parameters, by number.
    pub parameters: Vec<TypeRef>,
    /// The entries of all its queries in one list; those of subqueries have no query any more.
    pub range_table: Vec<RangeTableEntry>,
    /// The caller that runs it gets rows back: a query, or RETURNING.
    pub has_rows: bool,
    /// Data-modifying CTEs, which run to their ends whether they are read or not: positions in `sub_plans`.
    pub modifying: Vec<usize>,
    /// The relations that it reads and changes, with the lock that each needs: a change of one makes the plan stale.
    pub relations: Vec<PlannedRelation>,
    /// The relations and views that its queries name: rights on them are asked for.
    pub named: Vec<NamedRelation>,
    /// It was made for the values of the parameters at hand.
    pub custom: bool,
}

/// A relation or a view that a statement names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedRelation {
    pub oid: Oid,
    /// As [`analyze::query::RangeTableEntry::check_as`].
    pub check_as: Option<Oid>,
}

/// What a statement does with a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedRelation {
    pub oid: Oid,
    pub lock: RelationLock,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RelationLock {
    AccessShare,
    RowShare,
    RowExclusive,
}
