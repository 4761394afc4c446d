//! Raw trees to queries (PostgreSQL's `parse_analyze` and `parser/*.c`): names become objects, expressions get types.
//!
//! A file for each part of a statement, under PostgreSQL's names of functions; [`state`] is what is known on the way.
//!
//! # Invariants
//! * Messages, SQLSTATEs, details, hints and positions are PostgreSQL's. What is not done is 0A000, with a position.
//! * Nothing is written: a failed analysis leaves nothing behind but types of parameters that were found.

mod agg;
mod assignment;
mod clause;
mod coerce;
mod collate;
mod column;
mod cte;
mod expr;
mod from;
mod func;
mod grouping;
mod insert;
mod level;
mod locking;
mod merge;
mod missing;
mod oper;
mod range_function;
mod raw;
mod recursion;
mod relation;
mod returning;
mod row;
mod setop;
mod state;
mod statement;
mod sublink;
mod target;
mod type_name;
mod typmod;
mod update;
mod utility;
mod window;

pub use collate::expr_collation;
pub use locking::check_select_locking;
pub(crate) use locking::push_lock_down;
pub(crate) use relation::SYSTEM_COLUMNS;
pub use state::{ExprKind, Parameters, Statement};
pub(crate) use statement::STACK_OF_LEVEL;
pub use statement::{
    Analyzed, analyze, analyze_argument, analyze_collation, analyze_condition, analyze_default, analyze_expression,
    analyze_node, analyze_type_name, coerce_for_assignment, parse_type_string,
};
pub use target::figure_index_name;
pub use utility::{has_into, query_of_utility, take_into};

use ::error::sqlstate;
use types::{Error, Result};

/// An error at a place of the text, if there is one.
pub(crate) fn error(code: &'static str, message: impl Into<String>, location: i32) -> Error {
    placed(Error::new(code, message), location)
}

pub(crate) fn placed(error: Error, location: i32) -> Error {
    match usize::try_from(location) {
        Ok(location) => error.at(location),
        Err(_) => error,
    }
}

pub(crate) fn unsupported(what: impl std::fmt::Display, location: i32) -> Error {
    placed(Error::unsupported(what), location)
}

/// A part of a raw tree that the grammar always makes.
pub(crate) fn required<T>(part: &Option<T>) -> Result<&T> {
    part.as_ref().ok_or_else(unexpected)
}

/// A raw tree that the grammar does not make.
pub(crate) fn unexpected() -> Error {
    Error::new(sqlstate::INTERNAL_ERROR, "unexpected raw tree")
}
