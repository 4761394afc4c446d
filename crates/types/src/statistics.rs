//! Functions that put values in the place of what ANALYZE has found: PostgreSQL's `relation_stats.c` and `attribute_stats.c`.
//! The session does it; here are the arguments, which come as pairs of names and values of any type.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray};
use error::sqlstate;

use crate::asynchronous::WaitingFunction;
use crate::column::Argument;
use crate::error::{Error, Result};
use crate::function::Call;
use crate::oid::{self, Oid};
use crate::session::{Statistics, Wait};
use crate::text::any::Texts;

pub const FUNCTIONS: &[WaitingFunction] = &[
    WaitingFunction {
        name: "pg_restore_relation_stats",
        arguments: &[oid::ANY],
        result: oid::BOOL,
        strict: false,
        kernel: |call, arguments| restore(call, arguments, Statistics::Relation),
    },
    WaitingFunction {
        name: "pg_restore_attribute_stats",
        arguments: &[oid::ANY],
        result: oid::BOOL,
        strict: false,
        kernel: |call, arguments| restore(call, arguments, Statistics::Column),
    },
];

/// A value that is not NULL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedValue {
    pub name: String,
    pub ty: Oid,
    /// As its type writes it.
    pub text: String,
}

fn restore<'a>(call: &'a Call<'a>, arguments: &'a [Argument], what: Statistics) -> Wait<'a, ArrayRef> {
    Box::pin(async move {
        if call.variadic {
            return Err(Error::unsupported("VARIADIC with an array of statistics"));
        }
        let columns = (0..arguments.len()).map(|number| Texts::of(call, arguments, number));
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let mut out = Vec::with_capacity(call.rows);
        for row in 0..call.rows {
            let given = pairs(&columns, row)?;
            out.push(call.context.session.restore_statistics(what, given).await?);
        }
        Ok(Arc::new(BooleanArray::from(out)) as ArrayRef)
    })
}

/// `stats_fill_fcinfo_from_arg_pairs`.
fn pairs(columns: &[Texts<'_>], row: usize) -> Result<Vec<NamedValue>> {
    // PostgreSQL gives them no code.
    let wrong = |message: String| Error::new(sqlstate::INTERNAL_ERROR, message);
    let (pairs, rest) = columns.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(wrong("variadic arguments must be name/value pairs".into())
            .hint("Provide an even number of variadic arguments that can be divided into pairs."));
    }
    let mut given = Vec::with_capacity(pairs.len());
    for (at, [name, value]) in pairs.iter().enumerate() {
        let position = 2 * at + 1;
        if name.is_null(row) {
            return Err(wrong(format!("name at variadic position {position} is null")));
        }
        if !matches!(name.ty, oid::TEXT | oid::UNKNOWN) {
            return Err(wrong(format!("name at variadic position {position} is no text")));
        }
        if !value.is_null(row) {
            let ty = if value.ty == oid::UNKNOWN { oid::TEXT } else { value.ty };
            given.push(NamedValue { name: name.text(row)?, ty, text: value.text(row)? });
        }
    }
    Ok(given)
}
