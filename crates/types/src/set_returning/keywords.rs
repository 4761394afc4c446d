//! `pg_get_keywords`: the words that the grammar knows.

use super::{Given, Set, SetCall, SetFunction};
use crate::error::Result;
use crate::oid;
use crate::quote::{Keyword, keywords};

pub const FUNCTIONS: &[SetFunction] =
    &[SetFunction { name: "pg_get_keywords", arguments: &[], result: oid::RECORD, strict: true, start: get_keywords }];

fn get_keywords(_: &SetCall<'_>) -> Result<Box<dyn Set>> {
    let row = |keyword: &Keyword| {
        let category = match keyword.catcode {
            b'U' => "unreserved",
            b'C' => "unreserved (cannot be function or type name)",
            b'T' => "reserved (can be function or type name)",
            _ => "reserved",
        };
        let label = if keyword.barelabel { "can be bare label" } else { "requires AS" };
        let code = crate::Datum::U8(keyword.catcode);
        vec![keyword.word.into(), code, keyword.barelabel.into(), category.into(), label.into()]
    };
    Ok(Given::rows(keywords().iter().map(row).collect()))
}
