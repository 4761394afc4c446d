//! Expressions made ready to run, and run over batches of rows: PostgreSQL's `execExpr.c` and `execExprInterp.c`. The planner
//! asks it what constant expressions are, the executor runs everything else. It knows no plan.
//!
//! * [`compile`]: from an expression to an [`ExprState`], which is kept with a plan and has no state of an execution.
//!   [`Input`] is what it is compiled for: where columns and parameters are.
//! * [`ExprState::evaluate`]: its values for the rows of a batch; [`filter`]: the rows for which conditions hold;
//!   [`Execution`]: what is known only when a statement runs. [`wait`]: expressions that have to wait, for subqueries and the
//!   like.
//! * [`fold`]: expressions made simpler (`eval_const_expressions`); [`clauses`]: what the planner asks about expressions.
//!
//! # Invariants
//! * What PostgreSQL does not evaluate for a row is not evaluated for it: arguments of AND, OR, CASE and COALESCE are
//!   evaluated, in their order, for the rows that reach them. An error in a row is one of a row that is reached.
//! * What has the same value in all rows is computed once, unless it is volatile.
//! * Everything is looked up once, by [`compile`]; what is not here is 0A000 then.
//!
//! # Representations
//! A column of type `numeric` is [`types::Repr::Decimal`] where every value shows the same digits after the point, else
//! [`types::Repr::Numeric`]; which one, the node that makes the rows says. Sums, products and comparisons of decimals stay
//! decimals; a function that is declared on `numeric` gets the binary form. All else has the representation of its type.

pub mod clauses;
mod compile;
mod evaluate;
mod execution;
mod fold;
mod frame;
mod mask;
mod node;
mod state;
pub mod wait;

pub use compile::{Input, NoInput, Place, compile, constant_repr, representation};
pub use execution::{Execution, Parameter};
pub use fold::{Folding, estimate, fold, fold_columns, is_of_rows, negate};
pub use state::{ExprState, Selection, filter, to_column};
