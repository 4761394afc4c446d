//! Values in Arrow arrays, as bytes and as rows.

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, RecordBatch, UInt32Array};
use arrow_schema::{ArrowError, DataType};
use arrow_select::take::take_record_batch;

/// A value's bytes in a page, or `None` for NULL.
pub fn value_bytes(array: &dyn Array, width: Option<usize>, row: usize) -> Option<&[u8]> {
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
    bytes!(
        Int32Type,
        Int64Type,
        Int16Type,
        Float32Type,
        Float64Type,
        Decimal128Type,
        Date32Type,
        TimestampMicrosecondType,
        UInt8Type,
        UInt32Type,
        UInt64Type,
        Time64MicrosecondType
    );
    unreachable!("no stored type is represented by {}", array.data_type())
}

/// Some of a batch's rows, each once. Without columns Arrow would not know how many there are.
pub fn take_rows(batch: &RecordBatch, rows: &UInt32Array) -> std::result::Result<RecordBatch, ArrowError> {
    match batch.num_columns() {
        0 => Ok(batch.slice(0, rows.len())),
        _ => take_record_batch(batch, rows),
    }
}
