//! Long values in Arrow batches. A batch of rows as they are stored has nothing yet where a value is out of line; who wants
//! the values has them fetched, all of a batch through one read-ahead, and as many rows at once as fit a bounded memory.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use aio::Session;
use arrow_array::builder::BinaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryArray, RecordBatch, RecordBatchOptions, StringArray, UInt32Array};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Schema};
use arrow_select::take::take_record_batch;

use crate::heap::Heap;
use crate::row::value_bytes;
use crate::toast::detoast::finish;
use crate::toast::stored::Pointer;
use crate::{AccessError, Result};

/// Bytes of long values that a batch is filled up with, unless one row has more.
pub(crate) const BATCH_BYTES: usize = 1 << 20;

/// Values of a column that are out of line: their rows, ascending, and what leads to them.
#[derive(Debug, Default)]
pub struct OutOfLine {
    rows: Vec<u32>,
    /// Where the bytes of each end.
    ends: Vec<u32>,
    bytes: Vec<u8>,
}

impl OutOfLine {
    pub(crate) fn push(&mut self, row: u32, pointer: &[u8]) {
        self.bytes.extend_from_slice(pointer);
        self.rows.push(row);
        self.ends.push(self.bytes.len() as u32);
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn pointer(&self, at: usize) -> &[u8] {
        let from = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[from as usize..self.ends[at] as usize]
    }

    fn iter(&self) -> impl Iterator<Item = (u32, &[u8])> {
        self.rows.iter().enumerate().map(|(at, row)| (*row, self.pointer(at)))
    }
}

impl<'a> FromIterator<(u32, &'a [u8])> for OutOfLine {
    fn from_iter<T: IntoIterator<Item = (u32, &'a [u8])>>(values: T) -> OutOfLine {
        let mut all = OutOfLine::default();
        values.into_iter().for_each(|(row, pointer)| all.push(row, pointer));
        all
    }
}

/// Rows as they are stored: there are NULLs or empty values where values are out of line.
#[derive(Debug)]
pub struct StoredBatch {
    batch: RecordBatch,
    /// By column of the batch, of those that have any.
    out_of_line: Vec<(usize, OutOfLine)>,
}

impl From<RecordBatch> for StoredBatch {
    fn from(batch: RecordBatch) -> StoredBatch {
        StoredBatch { batch, out_of_line: Vec::new() }
    }
}

fn hash(value: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

impl StoredBatch {
    pub(crate) fn new(batch: RecordBatch, mut out_of_line: Vec<(usize, OutOfLine)>) -> StoredBatch {
        out_of_line.retain(|(_, values)| !values.is_empty());
        StoredBatch { batch, out_of_line }
    }

    pub fn rows(&self) -> usize {
        self.batch.num_rows()
    }

    /// What leads to the values out of line.
    pub(crate) fn pointers(&self) -> impl Iterator<Item = &[u8]> {
        self.out_of_line.iter().flat_map(|(_, values)| values.iter()).map(|(_, bytes)| bytes)
    }

    /// The rows, with nothing where values are out of line.
    pub fn batch(&self) -> &RecordBatch {
        &self.batch
    }

    /// Is a column without some of its values?
    pub fn lacks(&self, column: usize) -> bool {
        self.out_of_line.iter().any(|(own, _)| *own == column)
    }

    /// Are all values there?
    pub fn is_whole(&self) -> bool {
        self.out_of_line.is_empty()
    }

    /// The rows, if all values are there.
    pub fn into_whole(self) -> std::result::Result<RecordBatch, StoredBatch> {
        if self.is_whole() { Ok(self.batch) } else { Err(self) }
    }

    /// Some of the rows, in ascending order.
    pub fn take(&self, rows: &UInt32Array) -> std::result::Result<StoredBatch, ArrowError> {
        let kept = |(column, values): &(usize, OutOfLine)| {
            // Both ascend.
            let mut taken = rows.values().iter().zip(0u32..).peekable();
            let kept = values.iter().filter_map(|(row, bytes)| {
                while taken.next_if(|(at, _)| **at < row).is_some() {}
                taken.next_if(|(at, _)| **at == row).map(|(_, at)| (at, bytes))
            });
            (*column, kept.collect())
        };
        let out_of_line = self.out_of_line.iter().map(kept).collect();
        Ok(StoredBatch::new(take_record_batch(&self.batch, rows)?, out_of_line))
    }

    /// The rows without values that are longer than `most` bytes or out of line: where `is_bytes` says that any bytes are a value
    /// of the column (and any ASCII is, of a text) there is something short instead, the same for the same value if it was in
    /// line; elsewhere NULL.
    pub fn narrowed(&self, most: usize, is_bytes: impl Fn(usize) -> bool) -> RecordBatch {
        let is_long = |value: &&[u8]| value.len() > most;
        let has_long = |&at: &usize| {
            let column = self.batch.column(at);
            let variable = matches!(column.data_type(), DataType::Utf8 | DataType::Binary);
            let value = |row| value_bytes(column, None, row);
            variable && (self.lacks(at) || (0..column.len()).filter_map(value).any(|value| is_long(&value)))
        };
        let long: Vec<usize> = (0..self.batch.num_columns()).filter(has_long).collect();
        if long.is_empty() {
            return self.batch.clone();
        }
        let mut columns = self.batch.columns().to_vec();
        let whole = self.batch.schema();
        let fields = whole.fields().iter().map(|field| field.as_ref().clone().with_nullable(true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        for at in long {
            let column = &mut columns[at];
            let elsewhere = self.out_of_line.iter().find(|(own, _)| *own == at);
            let mut elsewhere = elsewhere.into_iter().flat_map(|(_, values)| values.iter()).peekable();
            let mut out = BinaryBuilder::new();
            for row in 0..column.len() {
                let id = elsewhere
                    .next_if(|(own, _)| *own as usize == row)
                    .map(|(_, bytes)| Pointer::of(bytes).map_or(0, |pointer| pointer.id));
                let value = value_bytes(column, None, row);
                let short = id.or_else(|| value.filter(is_long).map(hash));
                match short {
                    None => out.append_option(value),
                    Some(number) if is_bytes(at) => out.append_value(format!("{number:016x}")),
                    Some(_) => out.append_null(),
                }
            }
            let bytes = out.finish();
            *column = match column.data_type() {
                DataType::Utf8 => {
                    let (offsets, data, nulls) = bytes.into_parts();
                    // Each was one before, or is of hexadecimal digits.
                    Arc::new(StringArray::new(offsets, data, nulls))
                }
                _ => Arc::new(bytes),
            };
        }
        let options = RecordBatchOptions::new().with_row_count(Some(self.batch.num_rows()));
        RecordBatch::try_new_with_options(schema, columns, &options).expect("as many rows in each column")
    }

    /// Cuts the first rows off, as many as fit a batch with their long values; there is at least one.
    fn split(self) -> (StoredBatch, Option<StoredBatch>) {
        if self.is_whole() {
            return (self, None);
        }
        let mut sizes: Vec<(u32, usize)> = Vec::new();
        for (row, bytes) in self.out_of_line.iter().flat_map(|(_, values)| values.iter()) {
            sizes.push((row, Pointer::of(bytes).map_or(0, |pointer| pointer.size)));
        }
        sizes.sort_unstable();
        let mut total = 0;
        let first_beyond = sizes.iter().find(|(row, size)| {
            total += size;
            total > BATCH_BYTES && *row > 0
        });
        let Some(&(cut, _)) = first_beyond else { return (self, None) };
        let rest = self.batch.slice(cut as usize, self.batch.num_rows() - cut as usize);
        let (mut first_values, mut rest_values) = (Vec::new(), Vec::new());
        for (column, values) in self.out_of_line {
            first_values.push((column, values.iter().take_while(|(row, _)| *row < cut).collect()));
            let behind = values.iter().skip_while(|(row, _)| *row < cut);
            rest_values.push((column, behind.map(|(row, bytes)| (row - cut, bytes)).collect()));
        }
        let first = StoredBatch::new(self.batch.slice(0, cut as usize), first_values);
        (first, Some(StoredBatch::new(rest, rest_values)))
    }
}

/// Gives rows of stored batches with their long values, a bounded number of bytes at a time.
#[derive(Default)]
pub struct Detoaster {
    rest: Option<StoredBatch>,
}

impl Detoaster {
    /// Takes the next rows, when there are none left.
    pub fn put(&mut self, stored: StoredBatch) {
        debug_assert!(self.rest.is_none(), "the rows before come first");
        self.rest = Some(stored);
    }

    /// The next rows that were put; `None`: there are none left.
    pub async fn next(&mut self, heap: &Heap, session: &Session) -> Result<Option<RecordBatch>> {
        let Some(stored) = self.rest.take() else { return Ok(None) };
        let (first, rest) = stored.split();
        self.rest = rest;
        heap.detoast_batch(session, first).await.map(Some)
    }
}

impl Heap {
    /// Fetches a batch's values from out of line.
    pub async fn detoast_batch(&self, session: &Session, stored: StoredBatch) -> Result<RecordBatch> {
        let StoredBatch { batch, out_of_line } = stored;
        if out_of_line.is_empty() {
            return Ok(batch);
        }
        let mut columns = batch.columns().to_vec();
        for (column, values) in &out_of_line {
            columns[*column] = Box::pin(self.detoast_array(session, &columns[*column], values)).await?;
        }
        let whole = RecordBatch::try_new(batch.schema(), columns);
        whole.map_err(|error| AccessError::Unsupported(error.to_string()))
    }

    /// An array with its values from out of line.
    pub async fn detoast_array(&self, session: &Session, array: &ArrayRef, values: &OutOfLine) -> Result<ArrayRef> {
        let bad = |reason| self.bad(0, reason);
        if values.is_empty() {
            return Ok(array.clone());
        }
        let pointers = values.iter().map(|(_, bytes)| Pointer::of(bytes).map_err(bad));
        let pointers: Vec<Pointer<'_>> = pointers.collect::<Result<_>>()?;
        let fork = self.toast_of(&pointers[0])?;
        let mut whole = Splice::new(array, values, &pointers)?;
        fork.fetch_values(session, &pointers, |at, bytes| whole.add(at, bytes)).await?;
        whole.finish().map_err(|reason| fork.bad(0, reason))
    }
}

/// An array in the making: one that is there, and values for some of its rows.
struct Splice<'a> {
    data_type: DataType,
    nulls: Option<NullBuffer>,
    offsets: ScalarBuffer<i32>,
    data: Buffer,
    values: &'a OutOfLine,
    pointers: &'a [Pointer<'a>],
    /// The value whose bytes are coming, and what has come.
    current: usize,
    coming: Vec<u8>,
    /// Rows that are done with.
    rows: usize,
    out: Vec<u8>,
    out_offsets: Vec<i32>,
    bad: Option<&'static str>,
}

impl<'a> Splice<'a> {
    fn new(array: &ArrayRef, values: &'a OutOfLine, pointers: &'a [Pointer<'a>]) -> Result<Splice<'a>> {
        let (offsets, data) = match array.data_type() {
            DataType::Utf8 => (array.as_string::<i32>().offsets().clone(), array.as_string::<i32>().values().clone()),
            _ => (array.as_binary::<i32>().offsets().clone(), array.as_binary::<i32>().values().clone()),
        };
        let total = data.len() + pointers.iter().map(|pointer| pointer.size).sum::<usize>();
        if total > i32::MAX as usize {
            return Err(AccessError::ValueTooLong { size: total, max: i32::MAX as usize });
        }
        let mut out_offsets = Vec::with_capacity(array.len() + 1);
        out_offsets.push(0);
        Ok(Splice {
            data_type: array.data_type().clone(),
            nulls: array.nulls().cloned(),
            offsets: offsets.into_inner(),
            data,
            values,
            pointers,
            current: 0,
            coming: Vec::new(),
            rows: 0,
            out: Vec::with_capacity(total),
            out_offsets,
            bad: None,
        })
    }

    /// More of a value's bytes.
    fn add(&mut self, value: usize, bytes: &[u8]) {
        while self.current < value {
            self.end_value();
        }
        self.coming.extend_from_slice(bytes);
    }

    /// The current value is there.
    fn end_value(&mut self) {
        let row = self.values.rows[self.current] as usize;
        self.copy_to(row);
        let pointer = &self.pointers[self.current];
        let bytes = std::mem::take(&mut self.coming);
        if let Err(reason) = finish(pointer, bytes, &mut self.out) {
            self.bad = Some(reason);
        }
        self.out_offsets.push(self.out.len() as i32);
        self.rows = row + 1;
        self.current += 1;
    }

    /// Copies what is there up to a row.
    fn copy_to(&mut self, row: usize) {
        let from = self.offsets[self.rows] as usize;
        let shift = self.out.len() as i32 - from as i32;
        self.out.extend_from_slice(&self.data[from..self.offsets[row] as usize]);
        self.out_offsets.extend(self.offsets[self.rows + 1..=row].iter().map(|offset| offset + shift));
        self.rows = row;
    }

    fn finish(mut self) -> std::result::Result<ArrayRef, &'static str> {
        while self.current < self.values.len() {
            self.end_value();
        }
        self.copy_to(self.offsets.len() - 1);
        if let Some(reason) = self.bad {
            return Err(reason);
        }
        let offsets = OffsetBuffer::new(self.out_offsets.into());
        let data = Buffer::from_vec(self.out);
        Ok(match self.data_type {
            DataType::Utf8 => {
                let strings = StringArray::try_new(offsets, data, self.nulls);
                Arc::new(strings.map_err(|_| "a long value is no UTF-8")?)
            }
            _ => Arc::new(BinaryArray::new(offsets, data, self.nulls)),
        })
    }
}
