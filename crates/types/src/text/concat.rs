//! `concat`, `concat_ws`, `||` with values of other types, and quoting.

use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{Array, ArrayRef};

use super::any::{Texts, Values, Variadic, into_text};
use super::functions::{MOST, room, too_long};
use crate::column::{Argument, SqlType};
use crate::error::Result;
use crate::function::{Call, Function, Kernel};
use crate::functions;
use crate::memory::{Claim, claim_once};
use crate::oid;
use crate::quote::{quote_identifier, quote_literal};
use crate::sql::*;

pub const FUNCTIONS: &[Function] = functions! {
    quote_ident(text) -> text = |a| room_for_quoted(a).map(|_| quote_identifier(a));
    quote_literal(text) -> text = |a| room_for_quoted(a).map(|_| quote_literal(a));
    quote_nullable(Option<text>) -> text = |a: Option<&str>| room_for_quoted(a.unwrap_or("")).map(|_| nullable(a));
};

const fn of_any(name: &'static str, arguments: &'static [oid::Oid], strict: bool, kernel: Kernel) -> Function {
    Function { name, arguments, result: oid::TEXT, strict, kernel }
}

pub const OF_ANY: &[Function] = &[
    of_any("concat", &[oid::ANY], false, concat),
    of_any("concat_ws", &[oid::TEXT, oid::ANY], false, concat_ws),
    of_any("textanycat", &[oid::TEXT, oid::ANYNONARRAY], true, cat),
    of_any("anytextcat", &[oid::ANYNONARRAY, oid::TEXT], true, cat),
    of_any("quote_literal", &[oid::ANYELEMENT], true, |call, arguments| {
        one(call, arguments, |text| text.map(quote_literal))
    }),
    of_any("quote_nullable", &[oid::ANYELEMENT], false, |call, arguments| {
        one(call, arguments, |text| Some(nullable(text)))
    }),
];

/// Asks for room for a text with quotes, which may have twice as many bytes, and for the copy in its column.
fn room_for_quoted(text: &str) -> Result<Claim> {
    claim_once(4 * text.len())
}

fn nullable(text: Option<&str>) -> String {
    text.map_or("NULL".to_string(), quote_literal)
}

/// A column of texts, made row by row.
pub fn texts(rows: usize, mut f: impl FnMut(usize) -> Result<Option<String>>) -> Result<ArrayRef> {
    let mut out = StringBuilder::with_capacity(rows, rows * 8);
    for row in 0..rows {
        match f(row)? {
            Some(value) if value.len() > MOST => return Err(too_long()),
            Some(value) => out.append_value(value),
            None => out.append_null(),
        }
        text::check(&out)?;
    }
    Ok(Arc::new(out.finish()))
}

fn one(call: &Call<'_>, arguments: &[Argument], f: fn(Option<&str>) -> Option<String>) -> Result<ArrayRef> {
    let column = Texts::of(call, arguments, 0)?;
    texts(call.rows, |row| match column.is_null(row) {
        true => Ok(f(None)),
        false => Ok(f(Some(&column.cast(row)?))),
    })
}

fn cat(call: &Call<'_>, arguments: &[Argument]) -> Result<ArrayRef> {
    let (a, b) = (Texts::of(call, arguments, 0)?, Texts::of(call, arguments, 1)?);
    texts(call.rows, |row| match a.is_null(row) || b.is_null(row) {
        true => Ok(None),
        false => Ok(Some([a.cast(row)?, b.cast(row)?].concat())),
    })
}

/// The texts of values, but for NULLs, with a separator between them.
fn joined(values: &dyn Values, separator: &str) -> Result<String> {
    let mut out = Vec::new();
    let mut first = true;
    for number in 0..values.count() {
        let (column, row) = values.get(number);
        if column.is_null(row) {
            continue;
        }
        if !first {
            out.extend_from_slice(separator.as_bytes());
        }
        first = false;
        column.write(row, &mut out)?;
        let _room = room(out.len())?;
    }
    into_text(out)
}

fn concat(call: &Call<'_>, arguments: &[Argument]) -> Result<ArrayRef> {
    let values = Variadic::of(call, arguments, 0)?;
    texts(call.rows, |row| values.row(row, |values| joined(values, "")))
}

fn concat_ws(call: &Call<'_>, arguments: &[Argument]) -> Result<ArrayRef> {
    let values = Variadic::of(call, arguments, 1)?;
    let separators = arguments[0].of::<text>();
    texts(call.rows, |row| {
        let index = arguments[0].index(row);
        match separators.is_null(index) {
            true => Ok(None),
            false => values.row(row, |values| joined(values, separators.value(index))),
        }
    })
}
