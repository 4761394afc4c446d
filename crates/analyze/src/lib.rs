//! Raw trees to queries: PostgreSQL's parse analysis (its `analyze.c` and `parse_*.c`; chapter 10 of its documentation). After
//! it no stage asks what a name or a type means.
//!
//! * [`analyze`]: a statement's [`query::Query`], in which everything is an oid and every conversion a node. `transform` has a
//!   file for each part of a statement. [`relations`]: what is asked about tables.
//! * [`ruleutils`]: trees as SQL again. [`nodes`]: trees as the text that the catalogs keep.
//! * [`rewrite`]: queries whose views, defaults and the like are put in, which is what the planner gets.
//! * [`verify`]: whether trees fit what they name: stored ones always, those between stages in debug builds.
//! * Which operator, function or cast is meant, decided by pure functions over the catalog that see the types of expressions
//!   and no expression: [`parse_oper`]: operators. [`parse_func`]: function calls; [`call_kind`]: what may be written around
//!   one. [`parse_coerce`]: which conversions there are, and the common type of several expressions; [`polymorphic`]: what
//!   `anyelement` and its like stand for in a call. [`funcapi`]: the columns of a call's result.
//!
//! # Invariants
//! * Answers, messages, details, hints, SQLSTATEs and positions are PostgreSQL's; `tests/` has thousands of them, recorded.
//! * What is resolved says the type that each argument has to be converted to; nothing is left to be guessed later.
//! * What is not done is 0A000. No panic whatever the statement; deep trees are analyzed on a stack for them, or 54001.

pub mod call_kind;
pub mod funcapi;
pub mod nodes;
pub mod parse_coerce;
pub mod parse_func;
pub mod parse_oper;
pub mod polymorphic;
pub mod query;
pub mod relations;
pub mod rewrite;
pub mod ruleutils;
mod transform;
pub mod verify;

pub use rewrite::rewrite;
pub use transform::{
    Analyzed, ExprKind, Parameters, Statement, analyze, analyze_argument, analyze_collation, analyze_condition,
    analyze_default, analyze_expression, analyze_node, analyze_type_name, check_select_locking, coerce_for_assignment,
    expr_collation, figure_index_name, has_into, parse_type_string, query_of_utility, take_into,
};

use types::Oid;

/// An expression, as far as resolution looks at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    pub ty: Oid,
    /// It is a constant. One of type `unknown` can become a value of any type.
    pub constant: bool,
    /// Where it begins in the statement's text, in bytes, if it is there at all.
    pub location: Option<usize>,
}

impl Operand {
    pub fn of(ty: Oid) -> Operand {
        Operand { ty, constant: false, location: None }
    }
}
