//! `jsonb_agg` and `jsonb_object_agg`.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef};
use error::sqlstate;

use super::json::{PAIR, Pairs, VALUE, Values};
use super::states::{BytesColumn, State, States, Take};
use super::{Aggregate, AggregateCall, GroupStates};
use crate::context::Context;
use crate::datum::ColumnBuilder;
use crate::error::{Error, Result};
use crate::json::build::key_text;
use crate::jsonb::build::append;
use crate::jsonb::layout::Shape;
use crate::jsonb::{Builder, Rules, View};
use crate::memory::claim;
use crate::oid::{self, Oid};
use crate::repr::Repr;

pub const AGGREGATES: &[Aggregate] = &[
    jsonb("jsonb_agg", VALUE, |call| list(call, false)),
    jsonb("jsonb_agg_strict", VALUE, |call| list(call, true)),
    jsonb("jsonb_object_agg", PAIR, |call| object(call, false, false)),
    jsonb("jsonb_object_agg_strict", PAIR, |call| object(call, true, false)),
    jsonb("jsonb_object_agg_unique", PAIR, |call| object(call, false, true)),
    jsonb("jsonb_object_agg_unique_strict", PAIR, |call| object(call, true, true)),
];

const fn jsonb(name: &'static str, arguments: &'static [Oid], start: super::Start) -> Aggregate {
    Aggregate { name, arguments, result: oid::JSONB, decimals: false, start }
}

/// What is the same for all groups.
struct Call {
    context: Context,
    types: Vec<Oid>,
    /// Values that are NULL do not count.
    strict: bool,
    unique: bool,
}

/// The array or the object so far, which is open.
#[derive(Clone)]
struct Built {
    call: Arc<Call>,
    json: Builder,
}

impl Built {
    fn new(call: &AggregateCall<'_>, strict: bool, unique: bool) -> Built {
        let call = Call { context: call.context.clone(), types: call.arguments.to_vec(), strict, unique };
        Built { call: Arc::new(call), json: Builder::default() }
    }

    /// Appends the value; without nulls that do not count, unless it is to be gone on with.
    fn put(&self, skip_nulls: bool, out: &mut ColumnBuilder) -> Result<()> {
        if self.json.is_empty() {
            out.put_bytes(None);
            return Ok(());
        }
        let _room = claim(self.json.memory())?;
        let mut bytes = Vec::new();
        self.json.finish_with(Rules { unique: self.call.unique, skip_nulls }, &mut bytes)?;
        out.put_bytes(Some(&bytes));
        Ok(())
    }
}

fn list(call: &AggregateCall<'_>, strict: bool) -> Result<Box<dyn GroupStates>> {
    States::<Built, Values>::with_parts(Built::PARTS, Built::new(call, strict, false), |state, out| {
        state.put(false, out)
    })
}

fn object(call: &AggregateCall<'_>, strict: bool, unique: bool) -> Result<Box<dyn GroupStates>> {
    States::<Built, Pairs>::with_parts(Built::PARTS, Built::new(call, strict, unique), |state, out| {
        state.put(state.call.strict, out)
    })
}

impl State for Built {
    const PARTS: &'static [Repr] = &[Repr::Jsonb];
    const HEAP: bool = true;

    fn save(&self, parts: &mut [ColumnBuilder]) -> Result<()> {
        self.put(false, &mut parts[0])
    }

    fn merge(&mut self, parts: &[ArrayRef], row: usize) -> Result<()> {
        let Some(bytes) = BytesColumn::of(&parts[0]).get(row) else { return Ok(()) };
        let view = View::new(bytes);
        match view.shape() {
            Shape::Object => {
                if self.json.is_empty() {
                    self.json.begin_object()?;
                }
                for (key, value) in view.pairs() {
                    self.json.key(key)?;
                    self.json.value(value)?;
                }
            }
            _ => {
                if self.json.is_empty() {
                    self.json.begin_array()?;
                }
                view.elements().try_for_each(|element| self.json.value(element))?;
            }
        }
        Ok(())
    }

    fn heap(&self) -> usize {
        self.json.memory()
    }
}

impl Take<Values> for Built {
    fn add(&mut self, (column, row): (&ArrayRef, usize)) -> Result<()> {
        if self.json.is_empty() {
            self.json.begin_array()?;
        }
        match self.call.strict && column.is_null(row) {
            true => Ok(()),
            false => append(&self.call.context, self.call.types[0], column, row, &mut self.json),
        }
    }
}

impl Take<Pairs> for Built {
    fn add(&mut self, [(keys, key), (values, value)]: [(&ArrayRef, usize); 2]) -> Result<()> {
        if self.json.is_empty() {
            self.json.begin_object()?;
        }
        if keys.is_null(key) {
            return Err(Error::new(sqlstate::INVALID_PARAMETER_VALUE, "field name must not be null"));
        }
        let call = &self.call;
        // The keys of nulls count where keys have to be different.
        if call.strict && !call.unique && values.is_null(value) {
            return Ok(());
        }
        self.json.key(&key_text(&call.context, call.types[0], keys, key)?)?;
        append(&call.context, call.types[1], values, value, &mut self.json)
    }
}
