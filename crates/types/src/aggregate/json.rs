//! `json_agg` and `json_object_agg`.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef};
use error::sqlstate;

use super::states::{BytesColumn, Row, State, States, Take};
use super::{Aggregate, AggregateCall, GroupStates};
use crate::column::Argument;
use crate::context::Context;
use crate::datum::ColumnBuilder;
use crate::error::{Error, Result};
use crate::json::access::Items;
use crate::json::build::append_key;
use crate::json::write::{self, Category, category};
use crate::memory::{claim, claim_once, reserve};
use crate::oid::{self, Oid};
use crate::repr::Repr;
use crate::text::utf8;

pub(super) const VALUE: &[Oid] = &[oid::ANYELEMENT];
pub(super) const PAIR: &[Oid] = &[oid::ANY, oid::ANY];

pub const AGGREGATES: &[Aggregate] = &[
    json("json_agg", VALUE, |call| list(call, false)),
    json("json_agg_strict", VALUE, |call| list(call, true)),
    json("json_object_agg", PAIR, |call| object(call, false, false)),
    json("json_object_agg_strict", PAIR, |call| object(call, true, false)),
    json("json_object_agg_unique", PAIR, |call| object(call, false, true)),
    json("json_object_agg_unique_strict", PAIR, |call| object(call, true, true)),
];

const fn json(name: &'static str, arguments: &'static [Oid], start: super::Start) -> Aggregate {
    Aggregate { name, arguments, result: oid::JSON, decimals: false, start }
}

/// Bytes of what stands between values and of what is no string; strings ask for their bytes.
const SHORT: usize = 64;

/// What is the same for all groups.
struct Call {
    context: Context,
    types: Vec<Oid>,
    /// Values that are NULL do not count.
    strict: bool,
    unique: bool,
}

impl Call {
    /// Such values are on lines of their own.
    fn is_structured(&self) -> bool {
        matches!(category(&self.context, self.types[0]).0, Category::Array | Category::Composite)
    }
}

/// The text so far, without its end.
#[derive(Clone)]
struct Written {
    call: Arc<Call>,
    text: Vec<u8>,
    /// Keys that there are, where they have to be different.
    keys: HashSet<Vec<u8>>,
    /// What `keys` hold.
    size: usize,
}

impl Written {
    fn new(call: &AggregateCall<'_>, strict: bool, unique: bool) -> Written {
        let call = Call { context: call.context.clone(), types: call.arguments.to_vec(), strict, unique };
        Written { call: Arc::new(call), text: Vec::new(), keys: HashSet::new(), size: 0 }
    }

    fn put(&self, end: &[u8], out: &mut ColumnBuilder) -> Result<()> {
        let _room = claim(self.text.len())?;
        match self.text.is_empty() {
            true => out.put_bytes(None),
            false => out.put_bytes(Some(&[&self.text, end].concat())),
        }
        Ok(())
    }

    fn check_size(&self) -> Result<()> {
        match self.text.len() {
            0x3fff_ffff.. => Err(Error::new(
                sqlstate::PROGRAM_LIMIT_EXCEEDED,
                "string buffer exceeds maximum allowed length (1073741823 bytes)",
            )),
            _ => Ok(()),
        }
    }

    fn add_key(&mut self, key: Vec<u8>) -> Result<()> {
        if self.keys.contains(&key) {
            return Err(Error::new(
                sqlstate::DUPLICATE_JSON_OBJECT_KEY_VALUE,
                format!("duplicate JSON object key value: {}", utf8(&key)?),
            ));
        }
        self.size += key.len() + size_of::<Vec<u8>>();
        self.keys.insert(key);
        Ok(())
    }
}

fn list(call: &AggregateCall<'_>, strict: bool) -> Result<Box<dyn GroupStates>> {
    States::<Written, Values>::with_parts(&[Repr::Text], Written::new(call, strict, false), |state, out| {
        state.put(b"]", out)
    })
}

fn object(call: &AggregateCall<'_>, strict: bool, unique: bool) -> Result<Box<dyn GroupStates>> {
    States::<Written, Pairs>::with_parts(&[Repr::Text], Written::new(call, strict, unique), |state, out| {
        state.put(b" }", out)
    })
}

/// A value, NULL too.
pub(super) struct Values;

impl Row for Values {
    type Columns<'a> = &'a Argument;
    type Value<'a> = (&'a ArrayRef, usize);

    fn columns(arguments: &[Argument]) -> &Argument {
        &arguments[0]
    }

    fn get<'a>(columns: &Self::Columns<'a>, row: usize) -> Option<Self::Value<'a>> {
        Some((columns.array(), columns.index(row)))
    }
}

/// A key and a value.
pub(super) struct Pairs;

impl Row for Pairs {
    type Columns<'a> = &'a [Argument];
    type Value<'a> = [(&'a ArrayRef, usize); 2];

    fn columns(arguments: &[Argument]) -> &[Argument] {
        arguments
    }

    fn get<'a>(columns: &Self::Columns<'a>, row: usize) -> Option<Self::Value<'a>> {
        let at = |number: usize| (columns[number].array(), columns[number].index(row));
        Some([at(0), at(1)])
    }
}

impl State for Written {
    const PARTS: &'static [Repr] = &[Repr::Text];
    const HEAP: bool = true;

    fn save(&self, parts: &mut [ColumnBuilder]) -> Result<()> {
        let _room = claim_once(self.text.len())?;
        parts[0].put_bytes((!self.text.is_empty()).then_some(&self.text));
        Ok(())
    }

    fn merge(&mut self, parts: &[ArrayRef], row: usize) -> Result<()> {
        let Some(text) = BytesColumn::of(&parts[0]).get(row) else { return Ok(()) };
        if self.call.unique {
            let _room = claim_once(text.len())?;
            let whole = [text, b"}"].concat();
            let Some(mut items) = Items::of(utf8(&whole)?)? else { return Ok(()) };
            while let Some((key, _)) = items.item()? {
                self.add_key(key.unwrap_or_default().as_bytes().to_vec())?;
            }
        }
        // Without what begins a list or an object.
        let begin = if text.starts_with(b"{") { 2 } else { 1 };
        reserve(&mut self.text, text.len() + 4)?;
        let values = text.get(begin..).unwrap_or_default();
        if self.text.len() <= begin {
            self.text.clear();
            self.text.extend_from_slice(text);
        } else if !values.is_empty() {
            self.text.extend_from_slice(b", ");
            if begin == 1 && self.call.is_structured() && !values.starts_with(b"null") {
                self.text.extend_from_slice(b"\n ");
            }
            self.text.extend_from_slice(values);
        }
        self.check_size()
    }

    fn heap(&self) -> usize {
        self.text.capacity() + self.size
    }
}

impl Take<Values> for Written {
    fn add(&mut self, (column, row): (&ArrayRef, usize)) -> Result<()> {
        let null = column.is_null(row);
        if self.call.strict && null {
            // There was a row: the list is empty, and not NULL.
            if self.text.is_empty() {
                self.text.push(b'[');
            }
            return Ok(());
        }
        let call = self.call.clone();
        reserve(&mut self.text, SHORT)?;
        match self.text.as_slice() {
            b"" => self.text.push(b'['),
            b"[" => {}
            _ => {
                self.text.extend_from_slice(b", ");
                if !null && call.is_structured() {
                    self.text.extend_from_slice(b"\n ");
                }
            }
        }
        write::append(&call.context, call.types[0], column, row, &mut self.text)?;
        self.check_size()
    }
}

impl Take<Pairs> for Written {
    fn add(&mut self, [(keys, key), (values, value)]: [(&ArrayRef, usize); 2]) -> Result<()> {
        if keys.is_null(key) {
            return Err(Error::new(sqlstate::NULL_VALUE_NOT_ALLOWED, "null value not allowed for object key"));
        }
        if self.text.is_empty() {
            self.text.extend_from_slice(b"{ ");
        }
        let call = self.call.clone();
        if self.call.strict && values.is_null(value) {
            // Its key is one all the same.
            if call.unique {
                let mut key_text = Vec::new();
                append_key(&call.context, call.types[0], keys, key, &mut key_text)?;
                self.add_key(key_text)?;
            }
            return Ok(());
        }
        if self.text.len() > 2 {
            self.text.extend_from_slice(b", ");
        }
        reserve(&mut self.text, SHORT)?;
        let before = self.text.len();
        append_key(&call.context, call.types[0], keys, key, &mut self.text)?;
        if call.unique {
            self.add_key(self.text[before..].to_vec())?;
        }
        self.text.extend_from_slice(b" : ");
        write::append(&call.context, call.types[1], values, value, &mut self.text)?;
        self.check_size()
    }
}
