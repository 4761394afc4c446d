//! From names and types to objects: which operator, function or cast a statement means (PostgreSQL's `parse_oper.c`,
//! `parse_func.c`, `parse_coerce.c`; chapter 10 of its documentation). Pure functions over the catalog: they see the types
//! of expressions and no expression.
//!
//! * [`parse_oper`]: operators. * [`parse_func`]: function calls; [`call_kind`]: what may be written around one.
//! * [`parse_coerce`]: which conversions there are, and the common type of several expressions; [`polymorphic`]: what
//!   `anyelement` and its like stand for in a call.
//!
//! # Invariants
//! * Answers, messages, details, hints and SQLSTATEs are PostgreSQL's; `tests/` has thousands of them, recorded.
//! * What is resolved says the type that each argument has to be converted to; nothing is left to be guessed later.
//! * No recursion but through element types of arrays, which have no arrays as elements.

pub mod call_kind;
pub mod parse_coerce;
pub mod parse_func;
pub mod parse_oper;
pub mod polymorphic;

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
