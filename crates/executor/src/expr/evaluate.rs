//! The values of expressions, and the rows for which conditions hold (`ExecEvalExpr`, `ExecQual`).

use arrow_array::{Array, ArrayRef};
use arrow_select::concat::concat;
use error::sqlstate;
use expression::{ExprState, Selection, to_column};
use types::Argument;
use types::memory::claim;

use crate::batch::Batch;
use crate::error::Result;
use crate::expr::wait::evaluate_waiting;
use crate::run::estate::Run;

/// An expression's values as a column.
pub async fn evaluate(state: &ExprState, batch: &Batch, run: &Run) -> Result<ArrayRef> {
    Ok(to_column(&evaluate_argument(state, batch, run).await?, batch.rows)?)
}

/// An expression's values.
pub async fn evaluate_argument(state: &ExprState, batch: &Batch, run: &Run) -> Result<Argument> {
    if state.waits() {
        return Ok(Argument::column(evaluate_waiting(state, batch, run).await?));
    }
    match state.evaluate(&batch.columns, batch.rows, &run.execution) {
        Err(error) if error.0.code == OUT_OF_MEMORY && batch.rows > 1 => {
            let mut parts = Vec::with_capacity(2);
            for part in halves(batch) {
                tokio::task::yield_now().await;
                parts.push(Box::pin(evaluate(state, &part, run)).await?);
            }
            let _room = claim(parts.iter().map(|part| part.get_buffer_memory_size()).sum())?;
            Ok(Argument::column(concat(&[&*parts[0], &*parts[1]])?))
        }
        value => Ok(value?),
    }
}

/// Values that are too long for all rows at once may not be for fewer.
const OUT_OF_MEMORY: &str = sqlstate::OUT_OF_MEMORY;

fn halves(batch: &Batch) -> [Batch; 2] {
    let middle = batch.rows / 2;
    [batch.slice(0, middle), batch.slice(middle, batch.rows - middle)]
}

/// [`expression::filter`], for fewer rows at once where their values are too long.
pub async fn select(conditions: &[ExprState], batch: &Batch, run: &Run) -> Result<Selection> {
    match expression::filter(conditions, &batch.columns, batch.rows, &run.execution) {
        Err(error) if error.0.code == OUT_OF_MEMORY && batch.rows > 1 => {
            let mut rows = Vec::with_capacity(batch.rows);
            for part in halves(batch) {
                tokio::task::yield_now().await;
                match Box::pin(select(conditions, &part, run)).await? {
                    Selection::Some(some) => rows.extend(some.values()),
                    selection => rows.extend(std::iter::repeat_n(selection == Selection::All, part.rows)),
                }
            }
            Ok(Selection::Some(rows.into()))
        }
        selection => Ok(selection?),
    }
}

/// The value of an expression without columns, as an array of one.
pub async fn evaluate_one(state: &ExprState, run: &Run) -> Result<ArrayRef> {
    evaluate(state, &Batch::one_row(), run).await
}
