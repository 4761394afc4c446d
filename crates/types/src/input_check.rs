//! Whether a text is one of a type's values, and if not, why: `pg_input_is_valid`, `pg_input_error_info`. What is wrong with the
//! type itself is an error, and so is what is not supported.

use error::sqlstate;

use crate::context::Context;
use crate::datum::Datum;
use crate::error::{Report, Result};
use crate::function::Function;
use crate::functions;
use crate::made_of::Reader;
use crate::oid;
use crate::reg;
use crate::set_returning::{Given, Set, SetCall, SetFunction};
use crate::sql::*;

pub const FUNCTIONS: &[Function] = functions! {
    pg_input_is_valid[context](text, text) -> boolean =
        |c: &Context, text, ty| Result::Ok(input_error(c, text, ty)?.is_none());
};

pub const SET_FUNCTIONS: &[SetFunction] = &[SetFunction {
    name: "pg_input_error_info",
    arguments: &[oid::TEXT, oid::TEXT],
    result: oid::RECORD,
    strict: true,
    start: error_info,
}];

/// One row: message, detail, hint and SQLSTATE; NULLs where nothing is wrong.
fn error_info(call: &SetCall<'_>) -> Result<Box<dyn Set>> {
    let report = input_error(call.context, call.get::<text>(0), call.get::<text>(1))?;
    let or_null = |text: Option<String>| text.map_or(Datum::Null, Datum::text);
    let row = match report {
        Some(Report { code, message, detail, hint, .. }) => {
            vec![Datum::text(message), or_null(detail), or_null(hint), Datum::text(code)]
        }
        None => vec![Datum::Null; 4],
    };
    Ok(Given::rows(vec![row]))
}

/// What is wrong with a text as a value of a type.
fn input_error(context: &Context, text: &str, ty: &str) -> Result<Option<Report>> {
    let (ty, typmod) = context.names.parse_type(ty)?;
    match Reader::of(ty).input(context, text, typmod) {
        Ok(_) => Ok(None),
        Err(error) if error.0.code == sqlstate::FEATURE_NOT_SUPPORTED || error.0.code.starts_with("XX") => Err(error),
        Err(error) if reg::is_error(ty, &error) => Err(error),
        Err(error) => Ok(Some(*reg::softly(ty, text, error).0)),
    }
}
