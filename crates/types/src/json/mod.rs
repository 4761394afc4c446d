//! `json`: text that is JSON, as it was written.
//!
//! * [`lexer`]: its tokens; whether a text is JSON. [`access`]: what is in it. [`write`]: values as JSON; `build`: functions
//!   that make it; `change`: that make it of other JSON.

pub mod access;
pub mod build;
mod change;
pub mod lexer;
pub mod write;

use crate::base_type::{BaseType, value};
use crate::datum::Datum;
use crate::error::Result;
use crate::function::Function;
use crate::oid;
use crate::sql::json;
use crate::text::utf8;

pub const FUNCTIONS: &[&[Function]] = &[access::FUNCTIONS, build::FUNCTIONS, build::OF_TEXTS, change::FUNCTIONS];

pub const TYPES: &[BaseType] = &[BaseType {
    oid: oid::JSON,
    input: |_, text, _| checked(text),
    output: |_, array, index, out| {
        out.extend_from_slice(value::<json>(array, index).as_bytes());
        Ok(())
    },
    receive: |_, bytes, _| checked(utf8(bytes)?),
    send: |_, array, index, out| {
        out.extend_from_slice(value::<json>(array, index).as_bytes());
        Ok(())
    },
}];

fn checked(text: &str) -> Result<Datum> {
    lexer::check(text)?;
    Ok(Datum::text(text))
}
