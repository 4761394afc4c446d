//! The functions that a table's checks and indexes call of rows that are stored. As in PostgreSQL, whether the role may call them is told
//! when there is a row.

use expression::clauses::require_execute;
use types::{Oid, Result};

use super::Made;
use crate::compile::Compiler;
use crate::compile::facts::{Check, ComputedKeys};

/// Whether the role may call what is called of a row.
pub struct StoredCalls {
    pub checks: Result<()>,
    indexes: Result<()>,
    /// The columns without a change of which nothing is called for the indexes.
    inputs: Vec<usize>,
}

impl StoredCalls {
    pub fn new(compiler: &Compiler<'_>, table: Oid, checks: &[Check]) -> Result<StoredCalls> {
        let ComputedKeys { exprs, inputs } = compiler.facts.computed_keys(table)?;
        let require = |expr| require_execute(compiler.catalog, expr);
        Ok(StoredCalls {
            checks: checks.iter().map(|check| &check.condition).try_for_each(require),
            indexes: exprs.iter().try_for_each(require),
            inputs,
        })
    }

    /// Of rows that are made so.
    pub fn of_indexes(&self, made: Made<'_>) -> Result<()> {
        if self.inputs.iter().any(|&column| made.concerns(column)) { self.indexes.clone() } else { Ok(()) }
    }
}
