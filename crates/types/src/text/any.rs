//! Values of any type as texts, for functions whose arguments are `"any"` or `anyelement`.

use std::borrow::Cow;

use arrow_array::{Array, ArrayRef};
use error::sqlstate;

use crate::array::ArrayView;
use crate::array::column::to_column;
use crate::base_type::{self, BaseType, value};
use crate::column::Argument;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::function::Call;
use crate::oid::{self, Oid};
use crate::sql::*;

/// A column of values that can be written.
pub struct Texts<'a> {
    context: &'a Context,
    pub ty: Oid,
    base: &'static BaseType,
    pub array: ArrayRef,
    stride: usize,
}

impl<'a> Texts<'a> {
    fn new(context: &'a Context, ty: Oid, array: ArrayRef, stride: usize) -> Result<Texts<'a>> {
        let base = base_type::base_type(context.names.value_type(ty));
        let base = base.ok_or_else(|| Error::unsupported(format_args!("the text of a value of type {ty}")))?;
        Ok(Texts { context, ty, base, array, stride })
    }

    /// An argument of a call.
    pub fn of(call: &Call<'a>, arguments: &[Argument], number: usize) -> Result<Texts<'a>> {
        let argument = &arguments[number];
        Texts::new(call.context, call.arguments[number], argument.array().clone(), argument.index(1))
    }

    pub fn index(&self, row: usize) -> usize {
        row * self.stride
    }

    pub fn is_null(&self, row: usize) -> bool {
        self.array.is_null(self.index(row))
    }

    /// Appends what the type's output function gives, which nothing is for NULL.
    pub fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        match self.is_null(row) {
            true => Ok(()),
            false => (self.base.output)(self.context, &self.array, self.index(row), out),
        }
    }

    /// The text of a value that is not NULL.
    pub fn text(&self, row: usize) -> Result<String> {
        let mut out = Vec::new();
        self.write(row, &mut out)?;
        into_text(out)
    }

    /// What a cast to `text` gives, for a value that is not NULL.
    pub fn cast(&self, row: usize) -> Result<Cow<'_, str>> {
        Ok(match self.ty {
            oid::BOOL => Cow::Borrowed(if value::<boolean>(&self.array, self.index(row)) { "true" } else { "false" }),
            oid::BPCHAR => Cow::Borrowed(super::compare::trimmed(value::<bpchar>(&self.array, self.index(row)))),
            oid::TEXT | oid::VARCHAR | oid::NAME | oid::UNKNOWN => {
                Cow::Borrowed(value::<text>(&self.array, self.index(row)))
            }
            _ => Cow::Owned(self.text(row)?),
        })
    }
}

/// The arguments of a `VARIADIC "any"` function.
pub enum Variadic<'a> {
    Each(Vec<Texts<'a>>),
    /// `VARIADIC array`.
    Array {
        context: &'a Context,
        array: Argument,
    },
}

impl<'a> Variadic<'a> {
    /// Those from a number on.
    pub fn of(call: &Call<'a>, arguments: &[Argument], from: usize) -> Result<Variadic<'a>> {
        if call.variadic {
            return Ok(Variadic::Array { context: call.context, array: arguments[from].clone() });
        }
        Ok(Variadic::Each(
            (from..arguments.len()).map(|number| Texts::of(call, arguments, number)).collect::<Result<_>>()?,
        ))
    }

    /// Calls `f` with the values of a row: columns, and where the row is in them. Without it where the array is NULL.
    pub fn row<T>(&self, row: usize, f: impl FnOnce(&dyn Values) -> Result<T>) -> Result<Option<T>> {
        match self {
            Variadic::Each(columns) => f(&Row { columns, row }).map(Some),
            Variadic::Array { context, array } => {
                let (bytes, index) = (array.of::<bytea>(), array.index(row));
                if bytes.is_null(index) {
                    return Ok(None);
                }
                let view = ArrayView::new(bytes.value(index));
                let elements = Texts::new(context, view.element(), to_column(&view)?, 1)?;
                f(&elements).map(Some)
            }
        }
    }
}

/// Values of one row.
pub trait Values {
    fn count(&self) -> usize;
    /// A value: the column and the row of it.
    fn get(&self, number: usize) -> (&Texts<'_>, usize);
}

struct Row<'a> {
    columns: &'a [Texts<'a>],
    row: usize,
}

impl Values for Row<'_> {
    fn count(&self) -> usize {
        self.columns.len()
    }
    fn get(&self, number: usize) -> (&Texts<'_>, usize) {
        (&self.columns[number], self.row)
    }
}

/// The elements of an array.
impl Values for Texts<'_> {
    fn count(&self) -> usize {
        self.array.len()
    }
    fn get(&self, number: usize) -> (&Texts<'_>, usize) {
        (self, number)
    }
}

/// Output functions write UTF-8.
pub fn into_text(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes)
        .map_err(|_| Error::new(sqlstate::CHARACTER_NOT_IN_REPERTOIRE, "invalid byte sequence for encoding \"UTF8\""))
}
