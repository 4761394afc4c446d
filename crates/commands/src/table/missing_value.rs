//! The value of rows that were there before their column (PostgreSQL's `StoreAttrMissingVal`): a default that is the same for all of
//! them is computed once and kept with the column, and no row is written.

use std::sync::Arc;

use access::row::value_bytes;
use access::toast::stored::{escaped, is_extended};
use analyze::query::Expr;
use engine::{ColumnDef, EngineError, MissingValue, Result};
use error::sqlstate;
use executor::convert::fit;
use expression::clauses::contain_volatile_functions;
use session::errors::{raised, reported};
use session::{Output, Session};
use types::{Datum, Repr};

/// Bytes of the longest value that is kept with a column. Pages that get places for the column do not repeat it, but undo records do.
const MAX_KEPT: usize = 1024;

/// What rows get that have no value of a new column.
pub enum Missing {
    Null,
    Value(MissingValue),
    /// Each row has one of its own, or one that is too long to be kept with the column: they are written anew.
    EachItsOwn,
}

/// Computes a default for rows that are there.
pub fn of_default(session: &mut Session, column: &ColumnDef, default: &Expr, text: &Arc<str>) -> Result<Missing> {
    let environment = session.environment();
    let is_volatile = contain_volatile_functions(environment.catalog(), default);
    if is_volatile {
        return Ok(Missing::EachItsOwn);
    }
    let value = session.evaluate(text, default, &[])?;
    if matches!(value, Datum::Null) {
        return Ok(Missing::Null);
    }
    let (ty, repr) = (column.ty, column.repr()?);
    let failed = |error: types::Error| reported(error, text);
    let general = Repr::of(ty.value.0, -1)
        .ok_or_else(|| EngineError::new(sqlstate::INTERNAL_ERROR, "a column of a type without values"))?;
    let value = fit(&value.to_array(general), general, repr).map_err(|error| raised(error, text))?;
    let context = session.context(&environment, text);
    let mut written = Vec::new();
    let output =
        Output::new(&*context.names, ty.oid, repr).and_then(|output| output.text(&context, &value, 0, &mut written));
    output.map_err(failed)?;
    let width = engine::TableDef::new(0, (0, ""), 0, vec![column.clone()]).shape()?.columns[0].width;
    let mut bytes = value_bytes(&value, width, 0).expect("it is not NULL").to_vec();
    if ty.padding().is_some() {
        // Blanks are not stored.
        bytes.truncate(bytes.len() - bytes.iter().rev().take_while(|byte| **byte == b' ').count());
    }
    if width.is_none() && is_extended(&bytes) {
        bytes = escaped(&bytes);
    }
    if bytes.len() > MAX_KEPT {
        return Ok(Missing::EachItsOwn);
    }
    Ok(Missing::Value(MissingValue { bytes, text: String::from_utf8_lossy(&written).into_owned() }))
}
