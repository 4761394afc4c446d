//! `jsonb_each`, `jsonb_array_elements`, `jsonb_object_keys`: what is in values, a row each.

use error::sqlstate;

use super::{Set, SetCall, SetFunction};
use crate::datum::ColumnBuilder;
use crate::error::{Error, Result};
use crate::jsonb::access::as_text;
use crate::jsonb::layout::{Place, Shape};
use crate::jsonb::{Value, View, jsonb};
use crate::memory::claim_once;
use crate::oid::{self, Oid};
use crate::sql::text;
use crate::text::utf8;

pub const FUNCTIONS: &[SetFunction] = &[
    function("jsonb_array_elements", oid::JSONB, |call| elements(call, false)),
    function("jsonb_array_elements_text", oid::TEXT, |call| elements(call, true)),
    function("jsonb_each", oid::RECORD, |call| pairs(call, "jsonb_each", false)),
    function("jsonb_each_text", oid::RECORD, |call| pairs(call, "jsonb_each_text", true)),
    function("jsonb_object_keys", oid::TEXT, keys),
];

const fn function(name: &'static str, result: Oid, start: fn(&SetCall<'_>) -> Result<Box<dyn Set>>) -> SetFunction {
    SetFunction { name, arguments: &[oid::JSONB], result, strict: true, start }
}

fn refused(message: String) -> Error {
    Error::new(sqlstate::INVALID_PARAMETER_VALUE, message)
}

fn bytes(view: View<'_>) -> Result<Vec<u8>> {
    let _room = claim_once(view.bytes().len())?;
    Ok(view.bytes().to_vec())
}

fn put(column: &mut ColumnBuilder, value: Value<'_>, texts: bool) -> Result<()> {
    match texts {
        true => column.put::<text, _>(as_text(Some(value))?),
        false => column.put::<jsonb, _>(Some(value)),
    }
    column.check()
}

/// The elements of an array, from one on.
struct Elements {
    json: Vec<u8>,
    next: Place,
    texts: bool,
}

impl Set for Elements {
    fn fill(&mut self, most: usize, out: &mut [ColumnBuilder]) -> Result<usize> {
        let mut elements = View::new(&self.json).elements_from(self.next);
        let mut filled = 0;
        for value in elements.by_ref().take(most) {
            put(&mut out[0], value, self.texts)?;
            filled += 1;
        }
        self.next = elements.place();
        Ok(filled)
    }
}

fn elements(call: &SetCall<'_>, texts: bool) -> Result<Box<dyn Set>> {
    let json = call.get::<jsonb>(0);
    match json.shape() {
        Shape::Array => Ok(Box::new(Elements { json: bytes(json)?, next: Place::default(), texts })),
        Shape::Scalar => Err(refused("cannot extract elements from a scalar".into())),
        Shape::Object => Err(refused("cannot extract elements from an object".into())),
    }
}

/// What is given of an object's pairs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Columns {
    Keys,
    Values,
    Texts,
}

/// The pairs of an object, from one on.
struct Pairs {
    json: Vec<u8>,
    next: (Place, Place),
    columns: Columns,
}

impl Pairs {
    fn boxed(json: View<'_>, columns: Columns) -> Result<Box<dyn Set>> {
        Ok(Box::new(Pairs { json: bytes(json)?, next: json.pairs().places(), columns }))
    }
}

impl Set for Pairs {
    fn fill(&mut self, most: usize, out: &mut [ColumnBuilder]) -> Result<usize> {
        let mut pairs = View::new(&self.json).pairs_from(self.next);
        let mut filled = 0;
        for (key, value) in pairs.by_ref().take(most) {
            out[0].put::<text, _>(Some(utf8(key)?));
            out[0].check()?;
            if self.columns != Columns::Keys {
                put(&mut out[1], value, self.columns == Columns::Texts)?;
            }
            filled += 1;
        }
        self.next = pairs.places();
        Ok(filled)
    }
}

fn pairs(call: &SetCall<'_>, name: &str, texts: bool) -> Result<Box<dyn Set>> {
    let json = call.get::<jsonb>(0);
    match json.shape() {
        Shape::Object => Pairs::boxed(json, if texts { Columns::Texts } else { Columns::Values }),
        _ => Err(refused(format!("cannot call {name} on a non-object"))),
    }
}

fn keys(call: &SetCall<'_>) -> Result<Box<dyn Set>> {
    let json = call.get::<jsonb>(0);
    match json.shape() {
        Shape::Object => Pairs::boxed(json, Columns::Keys),
        Shape::Array => Err(refused("cannot call jsonb_object_keys on an array".into())),
        Shape::Scalar => Err(refused("cannot call jsonb_object_keys on a scalar".into())),
    }
}
