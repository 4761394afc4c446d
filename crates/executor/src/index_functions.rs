//! What indexes compute of rows: keys that are expressions, and the predicates of partial indexes (PostgreSQL's
//! `FormIndexDatum`). The engine calls it wherever entries come and go; nothing in it depends on a session.

use std::sync::Arc;

use analyze::query::{Expr, Var};
use analyze::relations::IndexExpressions;
use arrow_array::{ArrayRef, UInt32Array};
use arrow_select::take::take;
use catalog::Catalog;
use engine::{IndexDef, TableDef};
use error::sqlstate;
use expression::{Execution, ExprState, Folding, Input, Selection, filter, fold};
use types::{Error, Repr, Result};

use crate::compile::facts::{TableColumn, columns_of};
use crate::convert::padded;

pub struct IndexFunctions {
    predicate: Vec<ExprState>,
    keys: Vec<ExprState>,
    /// By input: the length that values of `character(n)` have, whose blanks pages do not have.
    padding: Vec<Option<usize>>,
    names: Vec<String>,
    execution: Execution,
}

impl IndexFunctions {
    /// `inputs` are the columns of the table that there will be, by position; `names` is how messages show the keys.
    pub fn compile(
        catalog: Catalog<'_>,
        (table, index): (&TableDef, &IndexDef),
        expressions: &IndexExpressions,
        inputs: &[usize],
        names: Vec<String>,
    ) -> Result<IndexFunctions> {
        let columns = columns_of(table)?;
        let execution = Execution::default();
        let folding = Folding { catalog, execution: &execution, bound: false, estimate: false };
        let input = Columns { columns: &columns, inputs };
        let compile = |expr: &Expr| {
            // A constant part that fails does so for rows that need it.
            let expr = fold(expr.clone(), &folding).unwrap_or_else(|_| expr.clone());
            let state = expression::compile(&expr, &input, catalog)?;
            if state.waits() {
                return Err(Error::unsupported("an index on an expression that waits for something"));
            }
            Ok(state)
        };
        let key = |(expr, of): (&Expr, &engine::IndexExpression)| {
            let repr = of.repr().map_err(|error| Error::new(error.code, error.message))?;
            compile(expr)?.into_repr(repr)
        };
        Ok(IndexFunctions {
            predicate: expressions.predicate.iter().map(compile).collect::<Result<_>>()?,
            keys: expressions.keys.iter().zip(index.expressions()).map(key).collect::<Result<_>>()?,
            padding: inputs.iter().map(|&input| columns[input].padded).collect(),
            names,
            execution,
        })
    }
}

impl engine::IndexFunctions for IndexFunctions {
    fn compute(&self, inputs: &[ArrayRef], rows: usize) -> Result<(Option<UInt32Array>, Vec<ArrayRef>)> {
        let whole = |(values, padding): (&ArrayRef, &Option<usize>)| match padding {
            Some(length) => padded(values, *length),
            None => values.clone(),
        };
        let mut columns: Vec<ArrayRef> = inputs.iter().zip(&self.padding).map(whole).collect();
        let mut kept = None;
        let mut count = rows;
        if !self.predicate.is_empty() {
            match filter(&self.predicate, &columns, rows, &self.execution)? {
                Selection::All => {}
                Selection::None => return Ok((Some(UInt32Array::from_iter_values([])), self.of_no_rows())),
                Selection::Some(holds) => {
                    let chosen = UInt32Array::from_iter_values(holds.values().set_indices().map(|row| row as u32));
                    let taken = columns.iter().map(|values| take(values, &chosen, None));
                    columns = taken.collect::<std::result::Result<_, _>>().map_err(failed)?;
                    count = chosen.len();
                    kept = Some(chosen);
                }
            }
        }
        let keys = self.keys.iter().map(|key| key.evaluate_column(&columns, count, &self.execution));
        Ok((kept, keys.collect::<Result<_>>()?))
    }

    fn names(&self) -> &[String] {
        &self.names
    }
}

impl IndexFunctions {
    fn of_no_rows(&self) -> Vec<ArrayRef> {
        self.keys.iter().map(|key| arrow_array::new_empty_array(&key.repr().arrow())).collect()
    }
}

fn failed(error: arrow_schema::ArrowError) -> Error {
    Error::new(sqlstate::INTERNAL_ERROR, error.to_string())
}

/// Columns of the index's table.
struct Columns<'a> {
    columns: &'a [TableColumn],
    inputs: &'a [usize],
}

impl Input for Columns<'_> {
    fn variable(&self, var: &Var) -> Result<(usize, Repr)> {
        let column = usize::try_from(var.attribute).ok().and_then(|number| number.checked_sub(1));
        let place = column.and_then(|column| self.inputs.iter().position(|input| *input == column));
        match (column, place) {
            (Some(column), Some(place)) => Ok((place, self.columns[column].repr)),
            _ => Err(Error::new(sqlstate::INTERNAL_ERROR, "an index on a column that it does not know")),
        }
    }
}

const fn shared<T: Send + Sync>() {}
const _: () = shared::<Arc<IndexFunctions>>();
