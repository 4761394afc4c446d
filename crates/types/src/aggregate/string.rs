//! `string_agg` of texts and of bytes.

use arrow_array::ArrayRef;
use error::sqlstate;

use super::states::{BytesColumn, Row, State, States, Take, part};
use super::{Aggregate, AggregateCall, GroupStates};
use crate::column::Argument;
use crate::datum::ColumnBuilder;
use crate::error::{Error, Result};
use crate::memory::{claim, claim_once};
use crate::oid::{self, Oid};
use crate::repr::Repr;
use crate::sql::int8;

pub const AGGREGATES: &[Aggregate] =
    &[string_agg(&[oid::TEXT, oid::TEXT], oid::TEXT), string_agg(&[oid::BYTEA, oid::BYTEA], oid::BYTEA)];

const fn string_agg(arguments: &'static [Oid], result: Oid) -> Aggregate {
    Aggregate { name: "string_agg", arguments, result, decimals: false, start }
}

fn start(call: &AggregateCall<'_>) -> Result<Box<dyn GroupStates>> {
    States::<Joined, Pieces>::with_parts(&[call.reprs[0], Repr::Int8], Joined::default(), |state, out| {
        out.put_bytes(state.bytes.as_ref().map(|bytes| &bytes[state.first..]));
        Ok(())
    })
}

/// Bytes that a string has at most.
const MOST: usize = 0x3fff_ffff;

/// A value that is not NULL, and what stands in front of it.
struct Pieces;

impl Row for Pieces {
    type Columns<'a> = [(BytesColumn<'a>, &'a Argument); 2];
    type Value<'a> = (&'a [u8], &'a [u8]);

    fn columns(arguments: &[Argument]) -> Self::Columns<'_> {
        [0, 1].map(|number| (BytesColumn::of(arguments[number].array()), &arguments[number]))
    }

    #[inline]
    fn get<'a>(columns: &Self::Columns<'a>, row: usize) -> Option<Self::Value<'a>> {
        let [value, delimiter] = columns.each_ref().map(|(column, argument)| column.get(argument.index(row)));
        Some((value?, delimiter.unwrap_or_default()))
    }
}

/// Every value with the delimiter in front of it, the first one too: where two parts meet it is needed.
#[derive(Clone, Default)]
struct Joined {
    bytes: Option<Vec<u8>>,
    /// Bytes of the first delimiter.
    first: usize,
}

impl Joined {
    fn append(&mut self, more: &[u8]) -> Result<()> {
        let bytes = self.bytes.get_or_insert_default();
        if more.len() >= MOST - bytes.len() {
            let message = format!("string buffer exceeds maximum allowed length ({MOST} bytes)");
            let detail =
                format!("Cannot enlarge string buffer containing {} bytes by {} more bytes.", bytes.len(), more.len());
            return Err(Error::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, message).detail(detail));
        }
        // It grows to twice its size, and what there was is copied.
        let _room =
            if bytes.capacity() - bytes.len() < more.len() { claim(bytes.len() + more.len())? } else { claim(0)? };
        bytes.extend_from_slice(more);
        Ok(())
    }
}

impl State for Joined {
    // The value's and this: `start` gives them.
    const PARTS: &'static [Repr] = &[];
    const HEAP: bool = true;

    fn save(&self, parts: &mut [ColumnBuilder]) -> Result<()> {
        let _room = claim_once(self.bytes.as_ref().map_or(0, Vec::len))?;
        parts[0].put_bytes(self.bytes.as_deref());
        parts[1].put::<int8, _>(Some(self.first as i64));
        Ok(())
    }

    fn merge(&mut self, parts: &[ArrayRef], row: usize) -> Result<()> {
        let Some(bytes) = BytesColumn::of(&parts[0]).get(row) else { return Ok(()) };
        if self.bytes.is_none() {
            self.first = part::<int8>(parts, 1, row) as usize;
        }
        self.append(bytes)
    }

    fn heap(&self) -> usize {
        self.bytes.as_ref().map_or(0, Vec::capacity)
    }
}

impl Take<Pieces> for Joined {
    #[inline]
    fn add(&mut self, (value, delimiter): (&[u8], &[u8])) -> Result<()> {
        if self.bytes.is_none() {
            self.first = delimiter.len();
        }
        self.append(delimiter)?;
        self.append(value)
    }
}
