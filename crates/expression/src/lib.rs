//! Expressions made ready to run, and run over batches of rows: PostgreSQL's `execExpr.c` and `execExprInterp.c`. The planner
//! asks it what constant expressions are, the executor runs everything else. It knows no plan.
//!
//! # Representations
//! A column of type `numeric` is [`types::Repr::Decimal`] where every value shows the same digits after the point, else
//! [`types::Repr::Numeric`]; which one, whoever makes the rows says. Sums, products and comparisons of decimals stay
//! decimals; a function that is declared on `numeric` gets the binary form. All else has the representation of its type.
