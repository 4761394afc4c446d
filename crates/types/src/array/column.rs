//! Between arrays and columns of their elements: `unnest`, conversions of each element, `= ANY`.

use std::sync::Arc;

use arrow_array::builder::BinaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, BinaryArray, PrimitiveArray, StringArray};
use arrow_buffer::{ArrowNativeType, NullBuffer, NullBufferBuilder, OffsetBuffer};
use error::sqlstate;

use crate::column::SqlType;
use crate::datum::ColumnBuilder;
use crate::error::{Error, Result};
use crate::memory::{claim, claim_once};
use crate::oid::Oid;
use crate::repr::Repr;
use crate::scalar;
use crate::sql::bytea;

use super::builder::ArrayBuilder;
use super::view::ArrayView;

/// The elements of a column's arrays, one array behind the other.
#[derive(Clone, Debug)]
pub struct Elements {
    pub column: ArrayRef,
    /// Where the elements of each row begin, and where the last one's end. A row without an array has none.
    pub offsets: Vec<usize>,
}

/// The elements of an array, in the order in which they lie.
pub fn to_column(array: &ArrayView<'_>) -> Result<ArrayRef> {
    gather(array.repr(), std::slice::from_ref(array))
}

/// The elements of all arrays of a column, which are represented so. Fails with 54000 where they do not fit a column: give
/// fewer rows ([`rows_within`]).
pub fn flatten(repr: Repr, column: &BinaryArray) -> Result<Elements> {
    let mut arrays = Vec::with_capacity(column.len());
    let mut offsets = Vec::with_capacity(column.len() + 1);
    offsets.push(0);
    let mut count = 0;
    for bytes in column.iter() {
        if let Some(bytes) = bytes {
            let array = ArrayView::new(bytes);
            count += array.len();
            arrays.push(array);
        }
        offsets.push(count);
    }
    Ok(Elements { column: gather(repr, &arrays)?, offsets })
}

/// How many rows from `begin` on have no more than so many elements together; at least one, if there is one.
pub fn rows_within(column: &BinaryArray, begin: usize, most: usize) -> usize {
    let mut elements = 0;
    let fits = |row: &usize| {
        if !column.is_null(*row) {
            elements += ArrayView::new(column.value(*row)).len();
        }
        elements <= most
    };
    let rows = (begin..column.len()).take_while(fits).count();
    rows.max(1).min(column.len() - begin)
}

/// Arrays with the shapes of those of a column and other elements, one behind the other as [`flatten`] gives them.
pub fn rebuild(column: &BinaryArray, elements: &dyn Array, element: Oid, repr: Repr) -> Result<BinaryArray> {
    let _room = claim_once(column.value_data().len())?;
    let mut out = BinaryBuilder::with_capacity(column.len(), column.value_data().len());
    let mut builder = ArrayBuilder::new(element, repr);
    let mut begin = 0;
    for bytes in column.iter() {
        let Some(bytes) = bytes else {
            out.append_null();
            continue;
        };
        let array = ArrayView::new(bytes);
        builder.clear();
        builder.extend_column(elements, begin..begin + array.len())?;
        begin += array.len();
        append(&mut out, &builder.finish(array.shape())?)?;
    }
    Ok(out.finish())
}

/// The same arrays, said to be of another type of elements with the same representation.
pub fn relabel(column: &BinaryArray, element: Oid) -> Result<BinaryArray> {
    let _room = claim(column.value_data().len())?;
    let mut out = BinaryBuilder::with_capacity(column.len(), column.value_data().len());
    for bytes in column.iter() {
        match bytes {
            None => out.append_null(),
            Some(bytes) => {
                let mut bytes = bytes.to_vec();
                if let Some(label) = bytes.get_mut(..4) {
                    label.copy_from_slice(&element.to_le_bytes());
                }
                append(&mut out, &bytes)?;
            }
        }
    }
    Ok(out.finish())
}

/// Appends to a column, which holds 2 GiB at most. Fails with 53200 where its values are too long to be there at once.
pub(crate) fn append(column: &mut BinaryBuilder, bytes: &[u8]) -> Result<()> {
    if column.values_slice().len() + bytes.len() > i32::MAX as usize {
        return Err(too_large());
    }
    let _room = claim_once(bytes.len())?;
    column.append_value(bytes);
    bytea::check(column)
}

fn too_large() -> Error {
    Error::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, "values of a batch exceed the maximum of 2147483647 bytes")
}

/// Bytes of the elements of one width, at most.
const WIDEST: usize = 16;

fn gather(repr: Repr, arrays: &[ArrayView<'_>]) -> Result<ArrayRef> {
    let nulls = nulls(arrays);
    Ok(match repr {
        Repr::Int2 => numbers::<Int16Type, 2>(repr, arrays, nulls, i16::from_le_bytes)?,
        Repr::Int4 => numbers::<Int32Type, 4>(repr, arrays, nulls, i32::from_le_bytes)?,
        Repr::Int8 => numbers::<Int64Type, 8>(repr, arrays, nulls, i64::from_le_bytes)?,
        Repr::Char => numbers::<UInt8Type, 1>(repr, arrays, nulls, u8::from_le_bytes)?,
        Repr::Oid => numbers::<UInt32Type, 4>(repr, arrays, nulls, u32::from_le_bytes)?,
        Repr::Xid8 => numbers::<UInt64Type, 8>(repr, arrays, nulls, u64::from_le_bytes)?,
        Repr::Float4 => numbers::<Float32Type, 4>(repr, arrays, nulls, f32::from_le_bytes)?,
        Repr::Float8 => numbers::<Float64Type, 8>(repr, arrays, nulls, f64::from_le_bytes)?,
        Repr::Date => numbers::<Date32Type, 4>(repr, arrays, nulls, i32::from_le_bytes)?,
        Repr::Time => numbers::<Time64MicrosecondType, 8>(repr, arrays, nulls, i64::from_le_bytes)?,
        Repr::Timestamp | Repr::TimestampTz => {
            numbers::<TimestampMicrosecondType, 8>(repr, arrays, nulls, i64::from_le_bytes)?
        }
        Repr::Text | Repr::Bpchar | Repr::Bytea | Repr::Numeric | Repr::Array | Repr::Record | Repr::Jsonb => {
            let (offsets, data) = of_any_width(arrays)?;
            let offsets = OffsetBuffer::new(offsets.into());
            match repr {
                Repr::Text | Repr::Bpchar => {
                    let broken = |_| {
                        Error::new(sqlstate::CHARACTER_NOT_IN_REPERTOIRE, "invalid byte sequence for encoding \"UTF8\"")
                    };
                    Arc::new(StringArray::try_new(offsets, data.into(), nulls).map_err(broken)?)
                }
                _ => Arc::new(BinaryArray::new(offsets, data.into(), nulls)),
            }
        }
        Repr::Bool | Repr::Uuid | Repr::TimeTz | Repr::Interval | Repr::Tid | Repr::Decimal { .. } => {
            let count = arrays.iter().map(ArrayView::len).sum();
            let _room = claim_once(count * WIDEST)?;
            let mut column = ColumnBuilder::new(repr, count);
            arrays.iter().flat_map(ArrayView::iter).for_each(|value| scalar::append(&mut column, value));
            column.finish()
        }
    })
}

fn nulls(arrays: &[ArrayView<'_>]) -> Option<NullBuffer> {
    if !arrays.iter().any(ArrayView::has_nulls) {
        return None;
    }
    let mut nulls = NullBufferBuilder::new(arrays.iter().map(ArrayView::len).sum());
    for array in arrays {
        match array.has_nulls() {
            true => (0..array.len()).for_each(|index| nulls.append(!array.is_null(index))),
            false => nulls.append_n_non_nulls(array.len()),
        }
    }
    nulls.finish()
}

fn numbers<T: ArrowPrimitiveType, const N: usize>(
    repr: Repr,
    arrays: &[ArrayView<'_>],
    nulls: Option<NullBuffer>,
    read: fn([u8; N]) -> T::Native,
) -> Result<ArrayRef>
where
    T::Native: ArrowNativeType,
{
    let count = arrays.iter().map(ArrayView::len).sum::<usize>();
    let _room = claim_once(count * N)?;
    let mut values: Vec<T::Native> = Vec::with_capacity(count);
    for array in arrays {
        values.extend(array.data().chunks_exact(N).map(|bytes| read(bytes.try_into().expect("as many bytes"))));
    }
    Ok(Arc::new(PrimitiveArray::<T>::new(values.into(), nulls).with_data_type(repr.arrow())))
}

fn of_any_width(arrays: &[ArrayView<'_>]) -> Result<(Vec<i32>, Vec<u8>)> {
    let count = arrays.iter().map(ArrayView::len).sum::<usize>();
    let size: usize = arrays.iter().map(|array| array.data().len()).sum();
    if size > i32::MAX as usize {
        return Err(too_large());
    }
    let _room = claim_once(size + 4 * count)?;
    let mut offsets = Vec::with_capacity(1 + count);
    let mut data = Vec::with_capacity(size);
    offsets.push(0);
    for array in arrays {
        let begin = data.len();
        data.extend_from_slice(array.data());
        offsets.extend((0..array.len()).map(|index| (begin + array.end(index)) as i32));
    }
    Ok((offsets, data))
}

/// The columns of elements that a call's arguments have, as elements lie in arrays: numeric in its bytes.
pub(crate) fn plain(column: &ArrayRef) -> ArrayRef {
    match column.as_primitive_opt::<Decimal128Type>() {
        Some(decimals) => Arc::new(crate::decimal::to_numeric(decimals)),
        None => column.clone(),
    }
}
