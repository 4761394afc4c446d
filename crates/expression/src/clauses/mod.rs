//! What the planner asks about expressions (PostgreSQL's `clauses.c` and parts of `var.c`).

mod contain;
mod leak;
mod nonnullable;
mod rights;

pub use contain::*;
pub use leak::*;
pub use nonnullable::*;
pub(crate) use rights::called_function;
pub use rights::require_execute;
