//! Rows as bytes: how values come out of Arrow arrays and go back. What comes out is what a value is; what goes in is how it is
//! stored ([`crate::toast::stored`]).

use std::sync::Arc;

use arrow_array::types::*;
use arrow_array::{ArrayRef, BinaryArray, BooleanArray, PrimitiveArray, RecordBatch, StringArray, make_array};
use arrow_buffer::{BooleanBufferBuilder, Buffer, MutableBuffer, NullBuffer, OffsetBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, TimeUnit};

use crate::page::{CONTENT, MAX_ROW, arrays_end};
use crate::shape::{ColumnShape, TableShape};
use crate::toast::batch::OutOfLine;
use crate::toast::stored::{Stored, decompress, is_extended};
use crate::{AccessError, Result};

pub use crate::array::value_bytes;

/// A row of a batch whose columns are the table's.
pub fn row_values<'a>(shape: &TableShape, batch: &'a RecordBatch, row: usize) -> Vec<Option<&'a [u8]>> {
    shape.columns.iter().zip(batch.columns()).map(|(c, a)| value_bytes(a, c.width, row)).collect()
}

/// Fails when a row is too long for a page.
pub fn check_size(shape: &TableShape, values: &[Option<&[u8]>]) -> Result<()> {
    check_bytes(shape, crate::page::modify::variable_bytes(shape, values))
}

/// The same for a row with so many bytes of variable length.
pub(crate) fn check_bytes(shape: &TableShape, variable: usize) -> Result<()> {
    let size = arrays_end(shape, shape.current(), 1) - CONTENT + variable;
    // What it was before has a bit for each column, in an undo record that has room for so many beside the longest row.
    if size + shape.columns.len().saturating_sub(256).div_ceil(8) > MAX_ROW {
        return Err(AccessError::RowTooBig { size, max: MAX_ROW });
    }
    Ok(())
}

enum Values {
    Fixed(MutableBuffer),
    Boolean(BooleanBufferBuilder),
    Variable { offsets: MutableBuffer, data: MutableBuffer },
}

/// Less room behind values is left, in bytes.
const FITTING: usize = 16 << 10;

/// Bytes of a value of variable length, where nothing is known of others.
const USUAL: usize = 16;

/// Gathers values' bytes into an Arrow array.
pub struct ColumnBuilder {
    data_type: DataType,
    width: Option<usize>,
    values: Values,
    /// Which values are not NULL; nothing before the first that is.
    valid: Option<BooleanBufferBuilder>,
    rows: usize,
    /// What there is to say of values that are stored otherwise than they are, if there are any.
    long: Option<Box<Long>>,
}

/// Values that are stored otherwise than they are.
#[derive(Default)]
struct Long {
    /// Those that are elsewhere: empty ones stand for them.
    out_of_line: OutOfLine,
    /// Bytes of those.
    bytes: usize,
    /// Why one makes no sense.
    bad: Option<&'static str>,
}

impl ColumnBuilder {
    /// With room for so many values.
    pub fn new(column: &ColumnShape, rows: usize) -> ColumnBuilder {
        ColumnBuilder::like(column, rows, USUAL)
    }

    /// The same for values that, where they are of variable length, have about so many bytes each.
    pub fn like(column: &ColumnShape, rows: usize, usual: usize) -> ColumnBuilder {
        let values = match (column.width, &column.data_type) {
            (_, DataType::Boolean) => Values::Boolean(BooleanBufferBuilder::new(rows)),
            (Some(width), _) => Values::Fixed(MutableBuffer::new(rows * width)),
            (None, _) => {
                let mut offsets = MutableBuffer::new((rows + 1) * 4);
                offsets.push(0i32);
                Values::Variable { offsets, data: MutableBuffer::new(rows * usual) }
            }
        };
        let (data_type, width) = (column.data_type.clone(), column.width);
        ColumnBuilder { data_type, width, values, valid: None, rows: 0, long: None }
    }

    /// Appends `count` values that lie side by side; `null` says which are NULL.
    pub fn append_fixed(&mut self, bytes: &[u8], count: usize, null: Option<impl Fn(usize) -> bool>) {
        self.append_validity(count, null);
        match &mut self.values {
            Values::Fixed(buffer) => buffer.extend_from_slice(bytes),
            Values::Boolean(bits) => bytes.iter().for_each(|&b| bits.append(b != 0)),
            Values::Variable { .. } => unreachable!("the column has a width"),
        }
    }

    fn append_validity(&mut self, count: usize, null: Option<impl Fn(usize) -> bool>) {
        match (null, &mut self.valid) {
            (None, None) => {}
            (None, Some(valid)) => valid.append_n(count, true),
            (Some(null), _) => {
                let valid = self.valid();
                (0..count).for_each(|row| valid.append(!null(row)));
            }
        }
        self.rows += count;
    }

    fn valid(&mut self) -> &mut BooleanBufferBuilder {
        let rows = self.rows;
        self.valid.get_or_insert_with(|| {
            let mut valid = BooleanBufferBuilder::new(rows + 1);
            valid.append_n(rows, true);
            valid
        })
    }

    pub fn is_variable(&self) -> bool {
        self.width.is_none()
    }

    /// Appends a value as it is stored.
    #[inline]
    pub fn append(&mut self, value: Option<&[u8]>) {
        if value.is_none() || self.valid.is_some() {
            self.valid().append(value.is_some());
        }
        self.rows += 1;
        match &mut self.values {
            Values::Fixed(buffer) => match value {
                Some(bytes) => buffer.extend_from_slice(bytes),
                None => buffer.extend_zeros(self.width.expect("fixed")),
            },
            Values::Boolean(bits) => bits.append(value.is_some_and(|v| v[0] != 0)),
            Values::Variable { offsets, data } => {
                let value = value.unwrap_or(&[]);
                match is_extended(value) {
                    false => data.extend_from_slice(value),
                    true => self.long.get_or_insert_default().put(value, self.rows - 1, data),
                }
                offsets.push(data.len() as i32);
            }
        }
    }

    /// Appends a value of variable length as it is.
    pub fn append_plain(&mut self, value: Option<&[u8]>) {
        match (&mut self.values, value) {
            (Values::Variable { offsets, data }, Some(bytes)) if is_extended(bytes) => {
                data.extend_from_slice(bytes);
                offsets.push(data.len() as i32);
                if let Some(valid) = &mut self.valid {
                    valid.append(true);
                }
                self.rows += 1;
            }
            _ => self.append(value),
        }
    }

    /// Bytes of the values, with those that are elsewhere.
    pub fn bytes(&self) -> usize {
        self.bytes_here() + self.long.as_ref().map_or(0, |long| long.bytes)
    }

    /// Bytes of the values that are not elsewhere.
    pub fn bytes_here(&self) -> usize {
        match &self.values {
            Values::Fixed(buffer) => buffer.len(),
            Values::Boolean(bits) => bits.len() / 8,
            Values::Variable { data, .. } => data.len(),
        }
    }

    /// The array, of values that are all in line; fails when bytes are no values of the type (a string that is not UTF-8).
    pub fn finish(self) -> std::result::Result<ArrayRef, String> {
        let (array, out_of_line) = self.finish_stored()?;
        match out_of_line.is_empty() {
            true => Ok(array),
            false => Err("a value is out of line".into()),
        }
    }

    /// The array, and the values that are out of line.
    pub fn finish_stored(mut self) -> std::result::Result<(ArrayRef, OutOfLine), String> {
        let long = self.long.take().unwrap_or_default();
        match long.bad {
            Some(reason) => Err(reason.into()),
            None => Ok((self.array()?, long.out_of_line)),
        }
    }

    fn array(self) -> std::result::Result<ArrayRef, String> {
        let nulls = self.valid.map(|mut valid| NullBuffer::new(valid.finish())).filter(|nulls| nulls.null_count() > 0);
        match self.values {
            Values::Boolean(mut bits) => Ok(Arc::new(BooleanArray::new(bits.finish(), nulls))),
            Values::Fixed(buffer) => fixed_array(self.data_type, self.rows, fitting(buffer), nulls),
            Values::Variable { offsets, data } => {
                let (offsets, data) = (OffsetBuffer::new(fitting(offsets).into()), fitting(data));
                Ok(match self.data_type {
                    DataType::Utf8 => {
                        let strings = StringArray::try_new(offsets, data, nulls);
                        Arc::new(strings.map_err(|error| error.to_string())?)
                    }
                    _ => Arc::new(BinaryArray::new(offsets, data, nulls)),
                })
            }
        }
    }
}

impl Long {
    /// Appends a value of a row to `data`, if it is not elsewhere.
    #[cold]
    fn put(&mut self, value: &[u8], row: usize, data: &mut MutableBuffer) {
        if let Err(reason) = self.try_put(value, row, data) {
            self.bad = Some(reason);
        }
    }

    fn try_put(&mut self, value: &[u8], row: usize, data: &mut MutableBuffer) -> std::result::Result<(), &'static str> {
        match Stored::of(value)? {
            Stored::AsItIs(bytes) => data.extend_from_slice(bytes),
            Stored::Compressed { size, bytes } => {
                if data.len() + size > i32::MAX as usize {
                    return Err("values are too long for a batch of rows");
                }
                let mut out = Vec::new();
                decompress(bytes, size, &mut out)?;
                data.extend_from_slice(&out);
            }
            Stored::OutOfLine(pointer) => {
                self.out_of_line.push(row as u32, value);
                self.bytes += pointer.size;
            }
        }
        Ok(())
    }
}

/// A buffer without much room behind what is in it: that is not counted as memory.
fn fitting(mut buffer: MutableBuffer) -> Buffer {
    if buffer.capacity() - buffer.len() > FITTING.max(buffer.len() / 4) {
        buffer.shrink_to_fit();
    }
    buffer.into()
}

/// An array of values of one width. The usual types are made straight away, which takes a fifth of the time.
fn fixed_array(
    data_type: DataType,
    rows: usize,
    values: Buffer,
    nulls: Option<NullBuffer>,
) -> std::result::Result<ArrayRef, String> {
    Ok(match data_type {
        DataType::Int16 => Arc::new(PrimitiveArray::<Int16Type>::new(values.into(), nulls)),
        DataType::Int32 => Arc::new(PrimitiveArray::<Int32Type>::new(values.into(), nulls)),
        DataType::Int64 => Arc::new(PrimitiveArray::<Int64Type>::new(values.into(), nulls)),
        DataType::Float64 => Arc::new(PrimitiveArray::<Float64Type>::new(values.into(), nulls)),
        DataType::Date32 => Arc::new(PrimitiveArray::<Date32Type>::new(values.into(), nulls)),
        DataType::Decimal128(..) => {
            let decimals = PrimitiveArray::<Decimal128Type>::new(values.into(), nulls);
            Arc::new(decimals.with_data_type(data_type))
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            let times = PrimitiveArray::<TimestampMicrosecondType>::new(values.into(), nulls);
            Arc::new(times.with_data_type(data_type))
        }
        _ => {
            let builder = ArrayData::builder(data_type).len(rows).nulls(nulls).add_buffer(values);
            make_array(builder.build().map_err(|error| error.to_string())?)
        }
    })
}
