//! `jsonpath`: what is looked for in a `jsonb`, as a text in the one spelling that PostgreSQL gives it.
//!
//! * [`lexer`], [`parse`]: from text to a path; [`path`]: what it is, and its text.
//! * [`execute`]: a path is followed in a value; [`item`]: what steps get and give; `method`, `keyvalue`:
//!   `.double()` and its like.
//! * [`functions`]: what is declared.

mod execute;
pub mod functions;
mod item;
mod keyvalue;
mod lexer;
mod method;
mod parse;
mod path;

use error::sqlstate;

use crate::base_type::{BaseType, no_data_left, value};
use crate::context::Context;
use crate::datum::Datum;
use crate::error::{Error, Result};
use crate::oid;
use crate::sql::jsonpath;
use crate::text::{utf8, utf8_owned};

pub use functions::{FUNCTIONS, SET_FUNCTIONS};

/// The version of the bytes that clients write and read: the text behind it.
const VERSION: u8 = 1;

pub const TYPES: &[BaseType] = &[BaseType {
    oid: oid::JSONPATH,
    input: |_: &Context, text, _| in_one_spelling(text),
    output: |_, array, index, out| {
        out.extend_from_slice(value::<jsonpath>(array, index).as_bytes());
        Ok(())
    },
    receive: |_, bytes, _| match bytes {
        [] => Err(no_data_left()),
        [VERSION, text @ ..] => in_one_spelling(utf8(text)?),
        [version, ..] => {
            Err(Error::new(sqlstate::INTERNAL_ERROR, format!("unsupported jsonpath version number: {version}")))
        }
    },
    send: |_, array, index, out| {
        out.push(VERSION);
        out.extend_from_slice(value::<jsonpath>(array, index).as_bytes());
        Ok(())
    },
}];

fn in_one_spelling(text: &str) -> Result<Datum> {
    Ok(Datum::text(utf8_owned(parse::parse(text)?.text()?)?))
}
