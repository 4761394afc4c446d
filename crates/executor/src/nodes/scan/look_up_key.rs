//! The key of an index look-up: a value for each of the index's first columns, which they are equal to.

use access::index::KeyShape;
use access::index::key::after_prefix;
use access::row::value_bytes;
use arrow_array::{Array, ArrayRef};
use engine::{EngineError, KeyRange};
use error::sqlstate;
use expression::ExprState;
use plan::plan::IndexCondition;
use types::{Argument, Datum, Repr};

use crate::compile::facts::IndexFacts;
use crate::compile::{Compiler, Layout};
use crate::error::Result;
use crate::nodes::scan::place::{Place, is_comparable, place};
use crate::run::estate::Run;

pub struct LookUpKey {
    pub values: Vec<KeyValue>,
}

/// The value of one column of the key.
pub struct KeyValue {
    pub state: ExprState,
    /// How the column lies.
    repr: Repr,
    /// Bytes of each value where they lie in the column as they are.
    width: Option<usize>,
}

impl LookUpKey {
    /// `None`: the conditions are not one equality for each of the index's first columns and nothing besides.
    pub fn compile(
        compiler: &Compiler<'_>,
        facts: &IndexFacts,
        conditions: &[IndexCondition],
        layout: &Layout,
    ) -> types::Result<Option<LookUpKey>> {
        let mut values = Vec::with_capacity(conditions.len());
        for (at, &repr) in facts.keys.iter().enumerate().take(conditions.len()) {
            let equal = |condition: &&IndexCondition| {
                matches!(condition, IndexCondition::Compare { column, strategy, .. }
                    if *column == at && *strategy == catalog::strategy::EQUAL)
            };
            let Some(IndexCondition::Compare { value, .. }) = conditions.iter().find(equal) else { return Ok(None) };
            let state = compiler.expr(value, layout)?;
            if state.waits() || !is_comparable(state.repr(), repr) {
                return Ok(None);
            }
            let width = repr.arrow().primitive_width().filter(|_| state.repr() == repr);
            values.push(KeyValue { state, repr, width });
        }
        Ok((!values.is_empty() && values.len() == conditions.len()).then_some(LookUpKey { values }))
    }

    /// The values for each of so many rows, which give the key these columns.
    pub fn values(&self, columns: &[ArrayRef], rows: usize, run: &Run) -> types::Result<Vec<Argument>> {
        self.values.iter().map(|value| value.state.evaluate(columns, rows, &run.execution)).collect()
    }

    /// Where the index has the entries with a row's key; `None`: no row of the table has it.
    pub fn range(&self, keys: &KeyShape, values: &[Argument], row: usize) -> Result<Option<KeyRange>> {
        let mut from = Vec::with_capacity(16);
        for (at, (value, column)) in self.values.iter().zip(values).enumerate() {
            if !value.encode(keys, at, column, row, &mut from)? {
                return Ok(None);
            }
        }
        let to = after_prefix(&from);
        Ok(Some(KeyRange::new(from, to)))
    }
}

impl KeyValue {
    /// Appends a row's value to a key, as the key's column at this place; `false`: no row of the table has it.
    pub fn encode(
        &self,
        keys: &KeyShape,
        column: usize,
        values: &Argument,
        row: usize,
        key: &mut Vec<u8>,
    ) -> Result<bool> {
        let (array, at) = (values.array(), values.index(row));
        if array.is_null(at) {
            return Ok(false);
        }
        if self.width.is_some() {
            keys.columns[column].encode(key, value_bytes(array, self.width, at));
            return Ok(true);
        }
        match place(&Datum::of(array, at), self.state.repr(), self.repr) {
            Place::At(bytes) => keys.columns[column].encode(key, Some(&bytes)),
            Place::Unknown => return Err(EngineError::new(sqlstate::INTERNAL_ERROR, "a key has another type").into()),
            Place::After(_) | Place::Below | Place::Above => return Ok(false),
        }
        Ok(true)
    }
}
