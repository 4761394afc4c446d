//! `parse_ident`: the parts of a name.

use error::sqlstate;

use crate::array::ArrayBuilder;
use crate::array::value::text_array;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::oid;
use crate::quote::{is_space, unquoted};
use crate::repr::Repr;
use crate::scalar::Scalar;
use crate::sql::*;

pub const FUNCTIONS: &[Function] = functions! {
    parse_ident(text, boolean) -> text_array = parse_ident;
};

/// Unlike where names are read, parts are not cut to what a name holds. `strict`: nothing may follow.
fn parse_ident(text: &str, strict: bool) -> Result<Vec<u8>> {
    let invalid =
        || Error::new(sqlstate::INVALID_PARAMETER_VALUE, format!("string is not a valid identifier: \"{text}\""));
    let starts = |c: char| c == '_' || c.is_ascii_alphabetic() || !c.is_ascii();
    let continues = |c: char| starts(c) || c == '$' || c.is_ascii_digit();
    let mut parts = ArrayBuilder::new(oid::TEXT, Repr::Text);
    let mut rest = text.trim_start_matches(is_space);
    loop {
        if let Some(quoted) = rest.strip_prefix('"') {
            let unclosed = || invalid().detail("String has unclosed double quotes.");
            let (part, behind) = unquoted(quoted).ok_or_else(unclosed)?;
            if part.is_empty() {
                return Err(invalid().detail("Quoted identifier must not be empty."));
            }
            parts.push(Some(Scalar::Bytes(part.as_bytes())))?;
            rest = behind;
        } else if rest.starts_with(starts) {
            let end = rest.find(|c| !continues(c)).unwrap_or(rest.len());
            parts.push(Some(Scalar::Bytes(rest[..end].to_ascii_lowercase().as_bytes())))?;
            rest = &rest[end..];
        } else if rest.starts_with('.') {
            return Err(invalid().detail("No valid identifier before \".\"."));
        } else if !parts.is_empty() {
            return Err(invalid().detail("No valid identifier after \".\"."));
        } else {
            return Err(invalid());
        }
        rest = rest.trim_start_matches(is_space);
        match rest.strip_prefix('.') {
            Some(behind) => rest = behind.trim_start_matches(is_space),
            None if rest.is_empty() || !strict => break,
            None => return Err(invalid()),
        }
    }
    parts.finish_list()
}
