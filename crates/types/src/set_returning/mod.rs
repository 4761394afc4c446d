//! Set-returning functions: what gives rows for a call and not one value.
//!
//! A [`SetFunction`] is declared as a function is. For a row of its arguments there is a [`Set`], which fills columns with as
//! many rows as it is asked for, so that endless and large sets need no memory. The executor calls it for each row (of the
//! select list, or of what is to the left of LATERAL).

mod elements;
mod json;
mod jsonb;
mod keywords;
mod series;

use crate::column::Argument;
use crate::context::Context;
use crate::datum::{ColumnBuilder, Datum};
use crate::error::Result;
use crate::oid::Oid;
use crate::server;

/// Every set-returning function that is declared in this room.
pub const BUILT_IN_SET_FUNCTIONS: &[&[SetFunction]] = &[
    series::FUNCTIONS,
    elements::FUNCTIONS,
    json::FUNCTIONS,
    jsonb::FUNCTIONS,
    keywords::FUNCTIONS,
    crate::datetime::SET_FUNCTIONS,
    crate::acl::SET_FUNCTIONS,
    crate::input_check::SET_FUNCTIONS,
    crate::jsonpath::SET_FUNCTIONS,
    crate::object_address::SET_FUNCTIONS,
    server::SETS,
];

/// A set-returning function that is here.
#[derive(Clone, Copy, Debug)]
pub struct SetFunction {
    /// As in `pg_proc`.
    pub name: &'static str,
    pub arguments: &'static [Oid],
    /// The type of its rows; for `record` the columns are `pg_proc`'s OUT parameters.
    pub result: Oid,
    /// NULL for any argument: there are no rows. [`SetFunction::rows`] sees to that.
    pub strict: bool,
    pub start: fn(&SetCall<'_>) -> Result<Box<dyn Set>>,
}

/// A call for one row of the arguments.
#[derive(Clone, Copy)]
pub struct SetCall<'a> {
    pub context: &'a Context,
    pub arguments: &'a [Argument],
    /// Which row of the arguments.
    pub row: usize,
    /// The type of the result where the declaration leaves it open (`anyelement`).
    pub result: Oid,
}

/// The rows of a call.
pub trait Set: Send {
    /// Appends up to so many rows (more than 0) and gives how many: 0 when there are no more.
    fn fill(&mut self, most: usize, out: &mut [ColumnBuilder]) -> Result<usize>;
}

/// Rows that are known already.
pub struct Given {
    rows: std::vec::IntoIter<Vec<Datum>>,
}

impl Given {
    pub fn rows(rows: Vec<Vec<Datum>>) -> Box<dyn Set> {
        Box::new(Given { rows: rows.into_iter() })
    }
}

impl Set for Given {
    fn fill(&mut self, most: usize, out: &mut [ColumnBuilder]) -> Result<usize> {
        let mut filled = 0;
        for row in self.rows.by_ref().take(most) {
            debug_assert_eq!(row.len(), out.len(), "a value for each column");
            out.iter_mut().zip(&row).for_each(|(column, value)| column.push(value));
            filled += 1;
        }
        Ok(filled)
    }
}

impl SetFunction {
    /// The rows of a call; `None`: it is strict and an argument is NULL.
    pub fn rows(&self, call: &SetCall<'_>) -> Result<Option<Box<dyn Set>>> {
        let is_null = |argument: &Argument| argument.array().is_null(argument.index(call.row));
        match self.strict && call.arguments.iter().any(is_null) {
            true => Ok(None),
            false => (self.start)(call).map(Some),
        }
    }
}

impl SetCall<'_> {
    /// An argument's value, which is not NULL.
    pub(crate) fn get<T: crate::SqlType>(&self, number: usize) -> T::Value<'_> {
        let argument = &self.arguments[number];
        T::get(argument.of::<T>(), argument.index(self.row))
    }

    pub(crate) fn get_optional<T: crate::SqlType>(&self, number: usize) -> Option<T::Value<'_>> {
        let argument = &self.arguments[number];
        (!argument.array().is_null(argument.index(self.row))).then(|| self.get::<T>(number))
    }
}
