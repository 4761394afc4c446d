//! `boolean`.

use crate::base_type::{BaseType, one_byte, value};
use crate::column::SqlType;
use crate::datum::Datum;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::sql::*;

pub const TYPES: &[BaseType] = &[BaseType {
    oid: boolean::OID,
    input: |_, text, _| match parse(text) {
        Some(value) => Ok(Datum::Bool(value)),
        None => Err(Error::invalid_input("boolean", text)),
    },
    output: |_, array, index, out| {
        out.push(if value::<boolean>(array, index) { b't' } else { b'f' });
        Ok(())
    },
    receive: |_, bytes, _| Ok(Datum::Bool(one_byte(bytes)? != 0)),
    send: |_, array, index, out| {
        out.push(value::<boolean>(array, index).into());
        Ok(())
    },
}];

pub const FUNCTIONS: &[Function] = functions! {
    booleq(boolean, boolean) -> boolean = |a, b| Result::Ok(a == b);
    boolne(boolean, boolean) -> boolean = |a, b| Result::Ok(a != b);
    boollt(boolean, boolean) -> boolean = |a: bool, b| Result::Ok(!a & b);
    boolle(boolean, boolean) -> boolean = |a, b| Result::Ok(a <= b);
    boolgt(boolean, boolean) -> boolean = |a, b: bool| Result::Ok(a & !b);
    boolge(boolean, boolean) -> boolean = |a, b| Result::Ok(a >= b);
    btboolcmp(boolean, boolean) -> int4 = |a, b| Result::Ok(i32::from(a) - i32::from(b));
    int4(boolean) -> int4 = |a| Result::Ok(i32::from(a));
    bool(int4) -> boolean = |a| Result::Ok(a != 0);
    text(boolean) -> text = |a| Result::Ok(if a { "true" } else { "false" });
};

/// A truth value in any spelling that PostgreSQL takes: an unambiguous beginning of true, false, yes, no, on, off, 1, 0.
pub fn parse(text: &str) -> Option<bool> {
    let word = text.trim_matches(|c: char| matches!(c, ' ' | '\t'..='\r')).to_ascii_lowercase();
    let begins = |whole: &str, least: usize| word.len() >= least && whole.starts_with(&word);
    match word.as_str() {
        "1" => Some(true),
        "0" => Some(false),
        _ if begins("true", 1) || begins("yes", 1) || begins("on", 2) => Some(true),
        _ if begins("false", 1) || begins("no", 1) || begins("off", 2) => Some(false),
        _ => None,
    }
}
