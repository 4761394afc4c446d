//! `unnest`, `generate_subscripts`, `string_to_table`: the elements of arrays, their numbers, and the parts of texts.

use super::{Given, Set, SetCall, SetFunction};
use crate::array::ArrayView;
use crate::array::text::split;
use crate::array::value::anyarray;
use crate::datum::ColumnBuilder;
use crate::error::Result;
use crate::memory::claim_once;
use crate::oid::{self, Oid};
use crate::scalar;
use crate::sql::*;

pub const FUNCTIONS: &[SetFunction] = &[
    function("unnest", &[oid::ANYARRAY], oid::ANYELEMENT, true, unnest),
    function("_pg_expandarray", &[oid::ANYARRAY], oid::RECORD, true, expand_array),
    function("generate_subscripts", &[oid::ANYARRAY, oid::INT4], oid::INT4, true, generate_subscripts),
    function("generate_subscripts", &[oid::ANYARRAY, oid::INT4, oid::BOOL], oid::INT4, true, generate_subscripts),
    function("string_to_table", &[oid::TEXT, oid::TEXT], oid::TEXT, false, string_to_table),
    function("string_to_table", &[oid::TEXT, oid::TEXT, oid::TEXT], oid::TEXT, false, string_to_table),
];

type Start = fn(&SetCall<'_>) -> Result<Box<dyn Set>>;

const fn function(
    name: &'static str,
    arguments: &'static [Oid],
    result: Oid,
    strict: bool,
    start: Start,
) -> SetFunction {
    SetFunction { name, arguments, result, strict, start }
}

/// The elements of an array, from one on.
struct Elements {
    array: Vec<u8>,
    next: usize,
}

impl Elements {
    fn of(call: &SetCall<'_>) -> Result<Elements> {
        let bytes = call.get::<anyarray>(0).bytes();
        let _room = claim_once(bytes.len())?;
        Ok(Elements { array: bytes.to_vec(), next: 0 })
    }
}

impl Set for Elements {
    fn fill(&mut self, most: usize, out: &mut [ColumnBuilder]) -> Result<usize> {
        let array = ArrayView::new(&self.array);
        let end = array.len().min(self.next.saturating_add(most));
        let filled = end - self.next;
        (self.next..end).for_each(|index| scalar::append(&mut out[0], array.get(index)));
        self.next = end;
        Ok(filled)
    }
}

fn unnest(call: &SetCall<'_>) -> Result<Box<dyn Set>> {
    Ok(Box::new(Elements::of(call)?))
}

/// Elements with their numbers, which count from 1 whatever the subscripts are.
struct Numbered(Elements);

impl Set for Numbered {
    fn fill(&mut self, most: usize, out: &mut [ColumnBuilder]) -> Result<usize> {
        let before = self.0.next;
        let filled = self.0.fill(most, out)?;
        (before + 1..=before + filled).for_each(|number| out[1].put::<int4, _>(Some(number as i32)));
        Ok(filled)
    }
}

fn expand_array(call: &SetCall<'_>) -> Result<Box<dyn Set>> {
    Ok(Box::new(Numbered(Elements::of(call)?)))
}

fn string_to_table(call: &SetCall<'_>) -> Result<Box<dyn Set>> {
    let Some(string) = call.get_optional::<text>(0) else { return Ok(Given::rows(Vec::new())) };
    let null = if call.arguments.len() > 2 { call.get_optional::<text>(2) } else { None };
    Ok(Box::new(Elements { array: split(string, call.get_optional::<text>(1), null)?, next: 0 }))
}

/// Numbers one after the other.
struct Subscripts {
    next: i64,
    step: i64,
    left: usize,
}

impl Set for Subscripts {
    fn fill(&mut self, most: usize, out: &mut [ColumnBuilder]) -> Result<usize> {
        let filled = most.min(self.left);
        for _ in 0..filled {
            out[0].put::<int4, _>(Some(self.next as i32));
            self.next += self.step;
        }
        self.left -= filled;
        Ok(filled)
    }
}

fn generate_subscripts(call: &SetCall<'_>) -> Result<Box<dyn Set>> {
    let array = call.get::<anyarray>(0);
    let shape = array.shape();
    let dimension = usize::try_from(call.get::<int4>(1)).ok().and_then(|number| number.checked_sub(1));
    let Some(dimension) = dimension.filter(|&dimension| dimension < shape.dimensions()) else {
        return Ok(Given::rows(Vec::new()));
    };
    let (lower, length) = (i64::from(shape.lower()[dimension]), i64::from(shape.lengths()[dimension]));
    let reverse = call.arguments.len() > 2 && call.get::<boolean>(2);
    let (next, step) = if reverse { (lower + length - 1, -1) } else { (lower, 1) };
    Ok(Box::new(Subscripts { next, step, left: length as usize }))
}
