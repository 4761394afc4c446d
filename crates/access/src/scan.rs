//! Pages to Arrow batches: visible rows, wanted columns, copied in runs.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions, make_array};
use arrow_buffer::{BooleanBufferBuilder, MutableBuffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, SchemaRef};
use storage::{PinnedPage, ReadStream, RelationId, StreamStats};
use txn::Snapshot;

use crate::page::HeapPage;
use crate::shape::TableShape;
use crate::{AccessError, Result};

/// Rows of a batch, about: a page's rows are never split.
pub const BATCH_ROWS: usize = 8192;

enum Values {
    Fixed(MutableBuffer),
    Boolean(BooleanBufferBuilder),
    Variable { offsets: MutableBuffer, data: MutableBuffer },
}

struct ColumnBuilder {
    /// Position in the table.
    column: usize,
    data_type: DataType,
    width: Option<usize>,
    values: Values,
    valid: BooleanBufferBuilder,
    nulls: bool,
}

impl ColumnBuilder {
    fn new(column: usize, shape: &TableShape) -> ColumnBuilder {
        let width = shape.columns[column].width;
        let data_type = shape.columns[column].data_type.clone();
        let values = match (width, &data_type) {
            (_, DataType::Boolean) => Values::Boolean(BooleanBufferBuilder::new(BATCH_ROWS)),
            (Some(width), _) => Values::Fixed(MutableBuffer::new(BATCH_ROWS * width)),
            (None, _) => {
                let mut offsets = MutableBuffer::new((BATCH_ROWS + 1) * 4);
                offsets.push(0i32);
                Values::Variable { offsets, data: MutableBuffer::new(BATCH_ROWS * 16) }
            }
        };
        ColumnBuilder { column, data_type, width, values, valid: BooleanBufferBuilder::new(BATCH_ROWS), nulls: false }
    }

    fn append(&mut self, page: &HeapPage<'_>, from: usize, count: usize) -> std::result::Result<(), &'static str> {
        let place = page.places[self.column];
        match place.nulls {
            None => self.valid.append_n(count, true),
            Some(_) => {
                for row in from..from + count {
                    let null = page.is_null(self.column, row);
                    self.nulls |= null;
                    self.valid.append(!null);
                }
            }
        }
        match &mut self.values {
            Values::Fixed(buffer) => {
                let width = self.width.expect("fixed");
                buffer.extend_from_slice(&page.bytes[place.values + from * width..][..count * width]);
            }
            Values::Boolean(bits) => {
                page.bytes[place.values + from..][..count].iter().for_each(|&b| bits.append(b != 0));
            }
            Values::Variable { offsets, data } => {
                for row in from..from + count {
                    if !page.is_null(self.column, row) {
                        data.extend_from_slice(page.variable(self.column, row)?);
                    }
                    offsets.push(data.len() as i32);
                }
            }
        }
        Ok(())
    }

    fn finish(mut self, rows: usize) -> std::result::Result<ArrayRef, String> {
        let nulls: Option<NullBuffer> = self.nulls.then(|| NullBuffer::new(self.valid.finish()));
        let builder = ArrayData::builder(self.data_type.clone()).len(rows).nulls(nulls.clone());
        let builder = match self.values {
            Values::Boolean(mut bits) => return Ok(Arc::new(BooleanArray::new(bits.finish(), nulls))),
            Values::Fixed(buffer) => builder.add_buffer(buffer.into()),
            Values::Variable { offsets, data } => builder.add_buffer(offsets.into()).add_buffer(data.into()),
        };
        Ok(make_array(builder.build().map_err(|e| e.to_string())?))
    }
}

/// Gathers rows of pages into a batch.
pub struct BatchBuilder {
    schema: SchemaRef,
    shape: Arc<TableShape>,
    projection: Arc<[usize]>,
    columns: Vec<ColumnBuilder>,
    rows: usize,
}

impl BatchBuilder {
    /// `projection` has the wanted columns in the order wanted; `schema` is theirs.
    pub fn new(shape: Arc<TableShape>, projection: Arc<[usize]>, schema: SchemaRef) -> BatchBuilder {
        let columns = projection.iter().map(|&c| ColumnBuilder::new(c, &shape)).collect();
        BatchBuilder { schema, shape, projection, columns, rows: 0 }
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Adds the rows of a page that `snapshot` sees.
    pub fn add_page(&mut self, bytes: &[u8], snapshot: &Snapshot) -> std::result::Result<(), &'static str> {
        let Some(page) = HeapPage::parse(bytes, &self.shape)? else { return Ok(()) };
        if !page.ids {
            if snapshot.sees(page.base) {
                self.add_run(&page, 0, page.rows)?;
            }
            return Ok(());
        }
        let mut start = 0;
        for row in 0..page.rows {
            let visible =
                snapshot.sees(page.inserted_by(row)) && !page.deleted_by(row).is_some_and(|x| snapshot.sees(x));
            if !visible {
                self.add_run(&page, start, row)?;
                start = row + 1;
            }
        }
        self.add_run(&page, start, page.rows)
    }

    fn add_run(&mut self, page: &HeapPage<'_>, from: usize, to: usize) -> std::result::Result<(), &'static str> {
        if from < to {
            for column in &mut self.columns {
                column.append(page, from, to - from)?;
            }
            self.rows += to - from;
        }
        Ok(())
    }

    /// The batch so far; the builder starts anew.
    pub fn take(&mut self) -> std::result::Result<RecordBatch, String> {
        let fresh = self.projection.iter().map(|&c| ColumnBuilder::new(c, &self.shape)).collect();
        let columns = std::mem::replace(&mut self.columns, fresh);
        let rows = std::mem::take(&mut self.rows);
        let arrays = columns.into_iter().map(|c| c.finish(rows)).collect::<std::result::Result<Vec<_>, _>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(self.schema.clone(), arrays, &options).map_err(|e| e.to_string())
    }
}

/// A scan of the blocks that its stream gives.
pub struct HeapScan {
    relation: RelationId,
    stream: ReadStream,
    builder: BatchBuilder,
    snapshot: Snapshot,
    /// A page at a time at first, so that `LIMIT` gets its rows early.
    target_rows: usize,
    ended: bool,
}

impl HeapScan {
    pub fn new(relation: RelationId, stream: ReadStream, builder: BatchBuilder, snapshot: Snapshot) -> HeapScan {
        HeapScan { relation, stream, builder, snapshot, target_rows: 1, ended: false }
    }

    /// The next rows, or `None` at the end. Never an empty batch.
    pub async fn next(&mut self) -> Result<Option<RecordBatch>> {
        while !self.ended && self.builder.rows() < self.target_rows {
            match self.stream.next().await? {
                None => self.ended = true,
                Some(page) => self.add(&page)?,
            }
        }
        if self.builder.rows() == 0 {
            return Ok(None);
        }
        self.target_rows = BATCH_ROWS;
        Ok(Some(self.builder.take().map_err(|reason| {
            // Checked bytes that Arrow refuses: a string that is not UTF-8.
            AccessError::Storage(storage::StorageError::Corrupt {
                file: self.relation.to_string().into(),
                block: 0,
                reason,
            })
        })?))
    }

    fn add(&mut self, page: &PinnedPage) -> Result<()> {
        let latched = page.read();
        self.builder.add_page(&latched, &self.snapshot).map_err(|reason| AccessError::BadHeapPage {
            relation: self.relation,
            block: page.block(),
            reason,
        })
    }

    /// What the scan's stream did so far.
    pub fn stats(&self) -> StreamStats {
        self.stream.stats()
    }
}
