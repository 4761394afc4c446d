//! A row on its way into a page and into the log: its own bytes, independent of where it will lie.
//!
//! ```text
//! a bit a column that says NULL, then each value that is not NULL: its bytes, or 2 bytes of length and its bytes
//! ```

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use storage::PAGE_SIZE;
use txn::Xid;

use crate::page::{CONTENT, HeapPage, SPACE, capacity_for, get_u16, init, put_u16};
use crate::shape::TableShape;
use crate::{AccessError, Result};

/// A value's bytes in a page, or `None` for NULL.
pub(crate) fn value_bytes(array: &dyn Array, width: Option<usize>, row: usize) -> Option<&[u8]> {
    if array.is_null(row) {
        return None;
    }
    Some(match (array.data_type(), width) {
        (DataType::Utf8, _) => array.as_string::<i32>().value(row).as_bytes(),
        (DataType::Binary, _) => array.as_binary::<i32>().value(row),
        (DataType::Boolean, _) => {
            if array.as_boolean().value(row) {
                &[1]
            } else {
                &[0]
            }
        }
        (DataType::FixedSizeBinary(_), _) => array.as_fixed_size_binary().value(row),
        // A value of a primitive array, straight from its buffer.
        (_, Some(width)) => primitive_values(array, width, row, 1),
        (other, None) => unreachable!("the shape gives {other} a width"),
    })
}

/// `count` values of a primitive array as bytes.
pub(crate) fn primitive_values(array: &dyn Array, width: usize, row: usize, count: usize) -> &[u8] {
    macro_rules! bytes {
        ($($type:ty),+) => {
            $(if let Some(values) = array.as_any().downcast_ref::<arrow_array::PrimitiveArray<$type>>() {
                return &values.values().inner().as_slice()[row * width..(row + count) * width];
            })+
        };
    }
    use arrow_array::types::*;
    bytes!(
        Int32Type,
        Int64Type,
        Int16Type,
        Float32Type,
        Float64Type,
        Decimal128Type,
        Date32Type,
        TimestampMicrosecondType,
        Int8Type,
        UInt32Type,
        UInt64Type,
        Time64MicrosecondType
    );
    unreachable!("no stored type is represented by {}", array.data_type())
}

/// Appends row `row` of `batch` to `out`.
pub fn encode_row(out: &mut Vec<u8>, shape: &TableShape, batch: &RecordBatch, row: usize) -> Result<()> {
    let start = out.len();
    out.resize(start + shape.columns.len().div_ceil(8), 0);
    for (index, column) in shape.columns.iter().enumerate() {
        match value_bytes(batch.column(index), column.width, row) {
            None => out[start + index / 8] |= 1 << (index % 8),
            Some(bytes) => {
                if column.width.is_none() {
                    if bytes.len() > SPACE {
                        return Err(AccessError::RowTooBig { size: bytes.len(), max: SPACE });
                    }
                    out.extend_from_slice(&(bytes.len() as u16).to_le_bytes());
                }
                out.extend_from_slice(bytes);
            }
        }
    }
    Ok(())
}

/// The values of an encoded row, and how many bytes it took. `None` if the bytes end too early.
fn decode_row<'a>(shape: &TableShape, bytes: &'a [u8]) -> Option<(Vec<Option<&'a [u8]>>, usize)> {
    let mut at = shape.columns.len().div_ceil(8);
    let nulls = bytes.get(..at)?;
    let mut values = Vec::with_capacity(shape.columns.len());
    for (index, column) in shape.columns.iter().enumerate() {
        if nulls[index / 8] & (1 << (index % 8)) != 0 {
            values.push(None);
            continue;
        }
        let len = match column.width {
            Some(width) => width,
            None => {
                let len = get_u16(bytes.get(at..at + 2)?, 0);
                at += 2;
                len
            }
        };
        values.push(Some(bytes.get(at..at + len)?));
        at += len;
    }
    Some((values, at))
}

/// Bytes of the row's variable-length values.
fn variable_bytes(shape: &TableShape, values: &[Option<&[u8]>]) -> usize {
    let columns = shape.columns.iter().zip(values);
    columns.filter(|(c, _)| c.width.is_none()).map(|(_, v)| v.map_or(0, <[u8]>::len)).sum()
}

/// Lays out an empty page for rows like the first of `rows`. Fails when that row fits no page.
pub fn init_for(page: &mut [u8], shape: &TableShape, row: &[u8], base: Xid) -> Result<()> {
    let (values, _) = decode_row(shape, row).expect("rows are encoded by this crate");
    let variable = variable_bytes(shape, &values);
    let needed = crate::page::places(shape, true, 1).1 + variable;
    if needed > PAGE_SIZE {
        return Err(AccessError::RowTooBig { size: needed - CONTENT, max: SPACE });
    }
    init(page, shape, capacity_for(shape, true, variable), true, base);
    Ok(())
}

/// Appends one encoded row; `false` when the page has no room for it (or cannot express the transaction id). The page is
/// a heap page with ids. Gives the bytes the row took from `encoded`.
pub fn append(
    page: &mut [u8],
    shape: &TableShape,
    encoded: &[u8],
    xid: Xid,
) -> std::result::Result<Option<usize>, &'static str> {
    let Some(parsed) = HeapPage::parse(page, shape)? else { return Err("not a heap page") };
    let (values, taken) = decode_row(shape, encoded).ok_or("a truncated row")?;
    let (row, capacity, places, base) = (parsed.rows, parsed.capacity, parsed.places, parsed.base);
    let delta = xid.wrapping_sub(base);
    if !parsed.ids || row == capacity || delta == 0 || delta > u64::from(u32::MAX) {
        return Ok(None);
    }
    let mut low = get_u16(page, 32);
    let arrays_end = crate::page::places(shape, true, capacity).1;
    if low - arrays_end < variable_bytes(shape, &values) {
        return Ok(None);
    }
    page[CONTENT + row * 4..CONTENT + row * 4 + 4].copy_from_slice(&(delta as u32).to_le_bytes());
    let deleted = CONTENT + capacity * 4 + row * 4;
    page[deleted..deleted + 4].fill(0);
    for ((column, place), value) in shape.columns.iter().zip(&places).zip(&values) {
        match (value, place.nulls) {
            (None, Some(nulls)) => page[nulls + row / 8] |= 1 << (row % 8),
            (None, None) => return Err("NULL in a column that has none"),
            (Some(value), _) => match column.width {
                Some(width) => page[place.values + row * width..][..width].copy_from_slice(value),
                None => {
                    low -= value.len();
                    page[low..low + value.len()].copy_from_slice(value);
                    put_u16(page, place.values + row * 4, low);
                    put_u16(page, place.values + row * 4 + 2, value.len());
                }
            },
        }
    }
    put_u16(page, 32, low);
    put_u16(page, 16, row + 1);
    Ok(Some(taken))
}
