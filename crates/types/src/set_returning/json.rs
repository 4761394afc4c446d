//! `json_each`, `json_array_elements`, `json_object_keys`: what is in JSON, a row each.

use error::sqlstate;

use super::{Set, SetCall, SetFunction};
use crate::datum::ColumnBuilder;
use crate::error::{Error, Result};
use crate::json::access::{Items, as_text, readable};
use crate::json::lexer::unescape;
use crate::memory::claim_once;
use crate::oid::{self, Oid};
use crate::sql::{json, text};

pub const FUNCTIONS: &[SetFunction] = &[
    function("json_array_elements", oid::JSON, |call| elements(call, "json_array_elements", false)),
    function("json_array_elements_text", oid::TEXT, |call| elements(call, "json_array_elements_text", true)),
    function("json_each", oid::RECORD, |call| pairs(call, Columns { keys: true, values: true, texts: false })),
    function("json_each_text", oid::RECORD, |call| pairs(call, Columns { keys: true, values: true, texts: true })),
    function("json_object_keys", oid::TEXT, keys),
];

const fn function(name: &'static str, result: Oid, start: fn(&SetCall<'_>) -> Result<Box<dyn Set>>) -> SetFunction {
    SetFunction { name, arguments: &[oid::JSON], result, strict: true, start }
}

fn refused(message: impl Into<String>) -> Error {
    Error::new(sqlstate::INVALID_PARAMETER_VALUE, message)
}

/// What is given of each item.
#[derive(Clone, Copy)]
struct Columns {
    keys: bool,
    values: bool,
    texts: bool,
}

/// The items of an array or an object, from one on.
struct Rest {
    json: String,
    object: bool,
    /// `None` behind the last.
    next: Option<usize>,
    columns: Columns,
}

impl Rest {
    fn boxed(json: &str, items: &Items<'_>, columns: Columns) -> Result<Box<dyn Set>> {
        let _room = claim_once(json.len())?;
        let (object, next) = (items.is_object(), items.place());
        Ok(Box::new(Rest { json: json.to_string(), object, next, columns }))
    }
}

impl Set for Rest {
    fn fill(&mut self, most: usize, out: &mut [ColumnBuilder]) -> Result<usize> {
        let Some(next) = self.next else { return Ok(0) };
        let mut items = Items::resume(&self.json, self.object, next);
        let mut filled = 0;
        while filled < most
            && let Some((key, value)) = items.item()?
        {
            if self.columns.keys {
                out[0].put::<text, _>(key.map(unescape).transpose()?);
                out[0].check()?;
            }
            if self.columns.values {
                let column = &mut out[usize::from(self.columns.keys)];
                match self.columns.texts {
                    true => column.put::<text, _>(as_text(Some(value))?),
                    false => column.put::<json, _>(Some(value)),
                }
                column.check()?;
            }
            filled += 1;
        }
        self.next = items.place();
        Ok(filled)
    }
}

fn elements(call: &SetCall<'_>, name: &str, texts: bool) -> Result<Box<dyn Set>> {
    let json = call.get::<json>(0);
    match Items::of(json)? {
        None => Err(refused(format!("cannot call {name} on a scalar"))),
        Some(items) if items.is_object() => Err(refused(format!("cannot call {name} on a non-array"))),
        Some(items) => {
            let json = if texts { readable(json)? } else { json };
            Rest::boxed(json, &items, Columns { keys: false, values: true, texts })
        }
    }
}

fn pairs(call: &SetCall<'_>, columns: Columns) -> Result<Box<dyn Set>> {
    let json = call.get::<json>(0);
    match Items::of(json)? {
        None => Err(refused("cannot deconstruct a scalar")),
        Some(items) if items.is_object() => Rest::boxed(readable(json)?, &items, columns),
        Some(_) => Err(refused("cannot deconstruct an array as an object")),
    }
}

fn keys(call: &SetCall<'_>) -> Result<Box<dyn Set>> {
    let json = call.get::<json>(0);
    match Items::of(json)? {
        None => Err(refused("cannot call json_object_keys on a scalar")),
        Some(items) if items.is_object() => {
            Rest::boxed(readable(json)?, &items, Columns { keys: true, values: false, texts: false })
        }
        Some(_) => Err(refused("cannot call json_object_keys on an array")),
    }
}
