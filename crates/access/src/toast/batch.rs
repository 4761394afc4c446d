//! Long values in Arrow batches. A batch of rows as they are stored has nothing yet where a value is out of line; a reader that wants
//! the values has them fetched, all of a batch through one read-ahead, and as many rows at once as fit a bounded memory.
//! A node that only passes a column on takes its values with pointers among them, as bytes ([`StoredBatch::with_pointers`]), until
//! they are wanted ([`Heap::without_pointers`]).

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use aio::Session;
use arrow_array::builder::BinaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryArray, RecordBatch, RecordBatchOptions, StringArray, UInt32Array};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use arrow_select::concat::concat_batches;
use types::memory::{Claim, claim};

use crate::array::{take_rows, value_bytes};
use crate::heap::Heap;
use crate::toast::detoast::finish;
use crate::toast::stored::{Pointer, Stored, escaped, in_line, is_extended};
use crate::{AccessError, Result};

/// Bytes of values that a batch is filled up with, unless one row has more.
pub(crate) const BATCH_BYTES: usize = 1 << 20;
/// Rows that wait for their long values, at most, but for those of one batch; and batches that they wait for.
const MOST_ROWS: usize = 1024;
const MOST_BATCHES: usize = 64;

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

/// Bytes of the value that a pointer leads to.
fn size_of_value(pointer: &[u8]) -> usize {
    Pointer::of(pointer).map_or(0, |pointer| pointer.size)
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
        Ok(StoredBatch::new(take_rows(&self.batch, rows)?, out_of_line))
    }

    /// The rows without values that are longer than `most` bytes or out of line: what `stand_in` gives for a column and a
    /// number that is the same for the same value if it was in line (ASCII, of a text), or NULL.
    pub fn narrowed(&self, most: usize, stand_in: impl Fn(usize, u64) -> Option<Vec<u8>>) -> RecordBatch {
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
                    Some(number) => out.append_option(stand_in(at, number)),
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

    /// The same rows with all values of these columns, of texts or bytes, as they may lie in a row: bytes, among them pointers to
    /// the values that are out of line.
    pub fn with_pointers(self, columns: &[usize]) -> StoredBatch {
        let StoredBatch { batch, mut out_of_line } = self;
        let (rows, mut arrays) = (batch.num_rows(), batch.columns().to_vec());
        for &column in columns {
            let elsewhere = out_of_line.iter().position(|(own, _)| *own == column);
            let pointers = elsewhere.map(|at| out_of_line.swap_remove(at).1).unwrap_or_default();
            arrays[column] = Arc::new(put_in(&arrays[column], &pointers));
        }
        StoredBatch { batch: unnamed(arrays, rows), out_of_line }
    }

    /// The rows of all of them, one batch's after the other's.
    fn concat(batches: &[StoredBatch]) -> Result<StoredBatch> {
        let all = concat_batches(&batches[0].batch.schema(), batches.iter().map(|stored| &stored.batch));
        let batch = all.map_err(|error| AccessError::Unsupported(error.to_string()))?;
        let mut out_of_line: Vec<(usize, OutOfLine)> = Vec::new();
        let mut before = 0;
        for stored in batches {
            for (column, values) in &stored.out_of_line {
                let at = out_of_line.iter().position(|(own, _)| own == column).unwrap_or_else(|| {
                    out_of_line.push((*column, OutOfLine::default()));
                    out_of_line.len() - 1
                });
                values.iter().for_each(|(row, pointer)| out_of_line[at].1.push(before + row, pointer));
            }
            before += stored.rows() as u32;
        }
        Ok(StoredBatch { batch, out_of_line })
    }

    /// Cuts the first rows off, as many as fit a batch with their long values; there is at least one.
    fn split(self) -> (StoredBatch, Option<StoredBatch>) {
        if self.is_whole() {
            return (self, None);
        }
        let mut sizes: Vec<(u32, usize)> = Vec::new();
        for (row, bytes) in self.out_of_line.iter().flat_map(|(_, values)| values.iter()) {
            sizes.push((row, size_of_value(bytes)));
        }
        sizes.sort_unstable();
        let mut total = 0;
        let first_beyond = sizes.iter().find(|(row, size)| {
            total += size;
            total > BATCH_BYTES && *row > 0
        });
        let Some(&(cut, _)) = first_beyond else { return (self, None) };
        let (first, rest) = self.cut(cut as usize);
        (first, Some(rest))
    }

    /// The first rows, so many, and the others. No value is copied that is here.
    pub fn cut(self, rows: usize) -> (StoredBatch, StoredBatch) {
        let (first, rest) = (self.batch.slice(0, rows), self.batch.slice(rows, self.batch.num_rows() - rows));
        let (mut first_values, mut rest_values) = (Vec::new(), Vec::new());
        let cut = rows as u32;
        for (column, values) in self.out_of_line {
            first_values.push((column, values.iter().take_while(|(row, _)| *row < cut).collect()));
            let behind = values.iter().skip_while(|(row, _)| *row < cut);
            rest_values.push((column, behind.map(|(row, bytes)| (row - cut, bytes)).collect()));
        }
        (StoredBatch::new(first, first_values), StoredBatch::new(rest, rest_values))
    }
}

/// A batch whose columns have no names.
fn unnamed(columns: Vec<ArrayRef>, rows: usize) -> RecordBatch {
    let fields = columns.iter().map(|column| Field::new("", column.data_type().clone(), true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(schema, columns, &options).expect("as many rows in each column")
}

/// A column's bytes, with pointers where its values are out of line.
fn put_in(column: &ArrayRef, pointers: &OutOfLine) -> BinaryArray {
    let bytes = match column.as_string_opt::<i32>() {
        Some(texts) => {
            let (offsets, data, nulls) = texts.clone().into_parts();
            BinaryArray::new(offsets, data, nulls)
        }
        None => column.as_binary::<i32>().clone(),
    };
    // No text begins like a pointer.
    let is_text = *column.data_type() == DataType::Utf8;
    if pointers.is_empty() && (is_text || !bytes.iter().flatten().any(is_extended)) {
        return bytes;
    }
    let mut out = BinaryBuilder::with_capacity(bytes.len(), range_of(&bytes).len() + pointers.bytes.len());
    let mut pointers = pointers.iter().peekable();
    for (row, value) in bytes.iter().enumerate() {
        match (pointers.next_if(|(own, _)| *own as usize == row), value) {
            (Some((_, pointer)), _) => out.append_value(pointer),
            (None, Some(value)) if is_extended(value) => out.append_value(escaped(value)),
            (None, value) => out.append_option(value),
        }
    }
    out.finish()
}

/// Where an array's own values lie among its bytes: it may be a part of another.
fn range_of(bytes: &BinaryArray) -> Range<usize> {
    bytes.value_offsets()[0] as usize..bytes.value_offsets()[bytes.len()] as usize
}

/// The same values without those that lie beside them: texts are checked with all that is in their buffer.
fn alone(bytes: &BinaryArray) -> BinaryArray {
    let range = range_of(bytes);
    let data = bytes.values().slice_with_length(range.start, range.len());
    let offsets: ScalarBuffer<i32> = bytes.value_offsets().iter().map(|offset| offset - range.start as i32).collect();
    BinaryArray::new(OffsetBuffer::new(offsets), data, bytes.nulls().cloned())
}

/// What [`put_in`] has made a column of, apart again. The reason if its bytes make no sense.
fn take_out(bytes: &BinaryArray, data_type: &DataType) -> std::result::Result<(ArrayRef, OutOfLine), &'static str> {
    let mut pointers = OutOfLine::default();
    let whole = if bytes.iter().flatten().any(is_extended) {
        let mut out = BinaryBuilder::with_capacity(bytes.len(), range_of(bytes).len());
        for (row, value) in (0u32..).zip(bytes.iter()) {
            match value.filter(|value| is_extended(value)).map(|value| (value, Stored::of(value))) {
                None => out.append_option(value),
                Some((pointer, Ok(Stored::OutOfLine(_)))) => {
                    pointers.push(row, pointer);
                    out.append_value(b"");
                }
                Some((value, _)) => out.append_option(in_line(value)?),
            }
        }
        out.finish()
    } else {
        alone(bytes)
    };
    if *data_type != DataType::Utf8 {
        return Ok((Arc::new(whole), pointers));
    }
    let (offsets, data, nulls) = whole.into_parts();
    let texts = StringArray::try_new(offsets, data, nulls).map_err(|_| "a stored text is no UTF-8")?;
    Ok((Arc::new(texts), pointers))
}

/// Gives rows of stored batches with their long values, in their order and a bounded number of bytes at a time. The values of
/// several small batches are fetched together: the first one's at once, for no more may be wanted, then those of more and more.
#[derive(Default)]
pub struct Detoaster {
    waiting: Vec<StoredBatch>,
    rows: usize,
    /// Of these rows, with their long values.
    bytes: usize,
    /// Batches that were looked at since the first row waits, and how many shall be.
    looked_at: usize,
    patience: usize,
}

impl Detoaster {
    /// Takes the next rows; gives them back if there is nothing to be waited for.
    #[must_use = "rows that need not wait are not kept"]
    pub fn put(&mut self, stored: StoredBatch) -> Option<RecordBatch> {
        if self.waiting.is_empty() && stored.is_whole() {
            return Some(stored.batch);
        }
        self.keep(stored);
        None
    }

    fn keep(&mut self, stored: StoredBatch) {
        let own = |column: &ArrayRef| column.to_data().get_slice_memory_size().unwrap_or(BATCH_BYTES);
        self.rows += stored.rows();
        self.bytes += stored.batch.columns().iter().map(own).sum::<usize>();
        self.bytes += stored.pointers().map(size_of_value).sum::<usize>();
        self.waiting.push(stored);
    }

    /// One more batch was looked at, whether rows of it were put or not.
    pub fn look(&mut self) {
        self.looked_at += usize::from(self.rows > 0);
    }

    /// The rows that wait.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Have the rows that wait waited for enough others?
    pub fn is_enough(&self) -> bool {
        self.rows > 0 && (self.looked_at >= self.patience || self.bytes >= BATCH_BYTES || self.rows >= MOST_ROWS)
    }

    /// The first rows that wait; `None`: there are none.
    pub async fn next(&mut self, heap: &Heap, session: &Session) -> Result<Option<RecordBatch>> {
        let mut waiting = std::mem::take(&mut self.waiting);
        let all = match waiting.len() {
            0 => return Ok(None),
            1 => waiting.remove(0),
            _ => StoredBatch::concat(&waiting)?,
        };
        (self.rows, self.bytes, self.looked_at) = (0, 0, 0);
        self.patience = (2 * self.patience).clamp(1, MOST_BATCHES);
        let (first, rest) = all.split();
        rest.into_iter().for_each(|rest| self.keep(rest));
        heap.detoast_batch(session, first).await.map(Some)
    }
}

impl Heap {
    /// Rows of which some columns, of these types, are as [`StoredBatch::with_pointers`] gives them.
    pub fn without_pointers(
        &self,
        mut columns: Vec<ArrayRef>,
        rows: usize,
        pointed: &[(usize, DataType)],
    ) -> Result<StoredBatch> {
        let mut out_of_line = Vec::with_capacity(pointed.len());
        for (column, data_type) in pointed {
            let taken = take_out(columns[*column].as_binary::<i32>(), data_type);
            let (values, pointers) = taken.map_err(|reason| self.bad(0, reason))?;
            columns[*column] = values;
            out_of_line.push((*column, pointers));
        }
        Ok(StoredBatch::new(unnamed(columns, rows), out_of_line))
    }

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
        // Rows of a join may lead to the same value: it is fetched once.
        let first: Vec<usize> = (0..pointers.len()).filter(|&at| whole.first[at] == at).collect();
        let fetched: Vec<Pointer<'_>> = first.iter().map(|&at| pointers[at]).collect();
        fork.fetch_values(session, &fetched, |at, bytes| whole.add(first[at], bytes)).await?;
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
    /// For each value the first that is the same.
    first: Vec<usize>,
    /// The value whose bytes are coming, and what has come.
    current: usize,
    coming: Vec<u8>,
    /// Where those before it are.
    done: Vec<Range<usize>>,
    /// Rows that are done with.
    rows: usize,
    out: Vec<u8>,
    out_offsets: Vec<i32>,
    bad: Option<&'static str>,
    _room: Claim,
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
        let room = claim(total).map_err(|_| AccessError::NoRoom { size: total })?;
        let mut seen = HashMap::with_capacity(pointers.len());
        let first = pointers.iter().enumerate().map(|(at, pointer)| *seen.entry(pointer.id).or_insert(at)).collect();
        let mut out_offsets = Vec::with_capacity(array.len() + 1);
        out_offsets.push(0);
        Ok(Splice {
            data_type: array.data_type().clone(),
            nulls: array.nulls().cloned(),
            offsets: offsets.into_inner(),
            data,
            values,
            pointers,
            first,
            current: 0,
            coming: Vec::new(),
            done: Vec::with_capacity(pointers.len()),
            rows: 0,
            out: Vec::with_capacity(total),
            out_offsets,
            bad: None,
            _room: room,
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
        let begin = self.out.len();
        match self.done.get(self.first[self.current]) {
            Some(same) => self.out.extend_from_within(same.clone()),
            None => {
                if let Err(reason) = finish(pointer, bytes, &mut self.out) {
                    self.bad = Some(reason);
                }
            }
        }
        self.done.push(begin..self.out.len());
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toast::stored::Run;

    fn pointer(id: u64) -> Vec<u8> {
        Pointer::encode(false, 5000, 5000, id, 0, &[Run { block: 1, row: 2, rows: 3 }])
    }

    #[test]
    fn pointers_go_into_a_column_and_come_out_again() {
        let (one, two) = (pointer(1), pointer(2));
        let elsewhere: OutOfLine = [(1, &one[..]), (4, &two[..])].into_iter().collect();
        let texts: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), Some(""), None, Some("bc"), Some("")]));
        let stored = put_in(&texts, &elsewhere);
        assert_eq!((stored.value(1), stored.value(3), stored.is_null(2)), (&one[..], &b"bc"[..], true));
        let (back, found) = take_out(&stored, &DataType::Utf8).unwrap();
        assert_eq!((&back, found.iter().collect::<Vec<_>>()), (&texts, elsewhere.iter().collect()));
        // Of a part of it.
        let (back, found) = take_out(&stored.slice(2, 3), &DataType::Utf8).unwrap();
        assert_eq!((&back, found.iter().collect::<Vec<_>>()), (&texts.slice(2, 3), vec![(2, &two[..])]));
        let (back, found) = take_out(&stored.slice(2, 2), &DataType::Utf8).unwrap();
        assert_eq!((&back, found.is_empty()), (&texts.slice(2, 2), true));
    }

    #[test]
    fn bytes_that_look_like_pointers_stay_what_they_are() {
        let like_one = pointer(3);
        let bytes: ArrayRef = Arc::new(BinaryArray::from(vec![&like_one[..], b"\xff", b"", b"\xff\x00"]));
        let stored = put_in(&bytes, &OutOfLine::default());
        let (back, found) = take_out(&stored, &DataType::Binary).unwrap();
        assert_eq!((&back, found.is_empty()), (&bytes, true));
        assert!(take_out(&BinaryArray::from(vec![&b"\xff\x09"[..]]), &DataType::Binary).is_err());
        assert!(take_out(&BinaryArray::from(vec![&b"\xfe"[..]]), &DataType::Utf8).is_err());
    }
}
