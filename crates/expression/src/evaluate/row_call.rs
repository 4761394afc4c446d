//! Calls of functions that give one row of several columns (`pg_identify_object`), where the row is a value. They are declared
//! as those that give many; in FROM the executor takes their columns apart.

use std::sync::Arc;

use arrow_array::builder::BinaryBuilder;
use arrow_array::cast::AsArray;
use error::sqlstate;
use types::record::RowShape;
use types::record::column::row_of;
use types::set_returning::{SetCall, SetFunction};
use types::{Argument, ColumnBuilder, Error, Result};

use crate::frame::Frame;

#[derive(Debug)]
pub(crate) struct RowCall {
    pub function: &'static SetFunction,
    pub shape: RowShape,
    pub volatile: bool,
}

impl RowCall {
    /// NULL where the function is strict and an argument is NULL.
    pub fn evaluate(&self, frame: &Frame<'_>, values: &[Argument]) -> Result<Argument> {
        let constant = !self.volatile && values.iter().all(Argument::is_constant);
        let rows = if constant { 1 } else { frame.rows };
        let mut out = BinaryBuilder::new();
        for row in 0..rows {
            let context = &frame.execution.context;
            let call = SetCall { context, arguments: values, row, result: self.shape.ty };
            let Some(mut set) = self.function.rows(&call)? else {
                out.append_null();
                continue;
            };
            let columns = self.shape.columns.iter();
            let mut columns: Vec<_> = columns.map(|(_, repr)| ColumnBuilder::new(*repr, 1)).collect();
            if set.fill(1, &mut columns)? != 1 {
                let message = format!("function {} gave no row", self.function.name);
                return Err(Error::new(sqlstate::INTERNAL_ERROR, message));
            }
            let columns: Vec<_> = columns.into_iter().map(|column| Argument::column(column.finish())).collect();
            out.append_value(row_of(1, &self.shape, &columns)?.as_binary::<i32>().value(0));
        }
        let array = Arc::new(out.finish());
        Ok(if constant { Argument::constant(array) } else { Argument::column(array) })
    }
}
