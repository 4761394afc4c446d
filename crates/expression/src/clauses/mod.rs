//! What the planner asks about expressions (PostgreSQL's `clauses.c` and parts of `var.c`).

mod contain;
mod leak;
mod nonnullable;

pub use contain::*;
pub use leak::*;
pub use nonnullable::*;
