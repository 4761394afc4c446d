//! Pages to Arrow batches: visible rows, wanted columns, copied in runs.

use std::sync::Arc;

use aio::{IoContext, Session};
use arrow_array::{ArrayRef, Int64Array, RecordBatch, RecordBatchOptions};
use arrow_schema::SchemaRef;
use storage::{BlockNumber, PinnedPage, ReadStream};
use txn::Snapshot;

use crate::heap::{Heap, Newest, owned};
use crate::page::{HeapPage, PageRow, Tid};
use crate::row::ColumnBuilder;
use crate::shape::TableShape;
use crate::{AccessError, Result};

/// Rows of a batch, about: a page's rows are never split.
pub const BATCH_ROWS: usize = 8192;

/// A column of a batch.
enum Builder {
    /// Of the table, by position.
    Column(usize, ColumnBuilder),
    /// The rows' identities, as [`Tid::pack`] gives them.
    Tid(Vec<i64>),
}

/// Gathers rows of pages into a batch.
pub struct BatchBuilder {
    schema: SchemaRef,
    shape: Arc<TableShape>,
    projection: Arc<[usize]>,
    columns: Vec<Builder>,
    rows: usize,
}

/// Where the identities of a page's rows begin.
#[derive(Clone, Copy)]
struct Home {
    block: BlockNumber,
    first: usize,
}

impl Home {
    fn tid(self, row: usize) -> Tid {
        Tid { block: self.block, row: (self.first + row) as u16 }
    }
}

/// A row whose newest version the snapshot does not see, and which had one before.
pub(crate) struct Hidden {
    tid: Tid,
    newest: Newest,
}

impl BatchBuilder {
    /// `projection` has the wanted columns in the order wanted; one past the last is the rows' identity, a 64-bit integer.
    /// `schema` is theirs.
    pub fn new(shape: Arc<TableShape>, projection: Arc<[usize]>, schema: SchemaRef) -> BatchBuilder {
        let columns = Self::builders(&shape, &projection, BATCH_ROWS);
        BatchBuilder { schema, shape, projection, columns, rows: 0 }
    }

    /// For batches of few rows.
    pub fn small(shape: Arc<TableShape>, projection: Arc<[usize]>, schema: SchemaRef) -> BatchBuilder {
        let columns = Self::builders(&shape, &projection, 1);
        BatchBuilder { schema, shape, projection, columns, rows: 0 }
    }

    fn builders(shape: &TableShape, projection: &[usize], rows: usize) -> Vec<Builder> {
        let builder = |&index: &usize| match shape.columns.get(index) {
            Some(column) => Builder::Column(index, ColumnBuilder::new(column, rows)),
            None => Builder::Tid(Vec::new()),
        };
        projection.iter().map(builder).collect()
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Adds the rows of a page that `snapshot` sees. Rows that it sees an older version of go to `hidden`. `block` is the
    /// page's own.
    fn add_page(
        &mut self,
        page: &HeapPage<'_>,
        block: BlockNumber,
        snapshot: &Snapshot,
        hidden: &mut Vec<Hidden>,
    ) -> std::result::Result<(), &'static str> {
        let home = if page.is_continuation() {
            Home { block: page.home(), first: page.first() }
        } else {
            Home { block, first: 0 }
        };
        let mut start = 0;
        for entry in page.entries() {
            let (row, end) = (entry.row.min(page.rows), entry.end().min(page.rows));
            let seen = snapshot.sees(entry.version.xid, entry.version.command);
            if seen && !entry.version.deleted {
                continue;
            }
            self.add_slots(page, home, start, row)?;
            start = end;
            if seen || entry.version.inserted {
                continue;
            }
            for row in (row..end).filter(|&row| !page.is_free(row)) {
                let values = page.row(&self.shape, row)?;
                let tid = home.tid(row);
                hidden.push(Hidden { tid, newest: Newest { version: entry.version, values: owned(&values) } });
            }
        }
        self.add_slots(page, home, start, page.rows)
    }

    /// Adds the rows in a range of slots, which all are visible unless they are free.
    fn add_slots(
        &mut self,
        page: &HeapPage<'_>,
        home: Home,
        from: usize,
        to: usize,
    ) -> std::result::Result<(), &'static str> {
        if page.free == 0 {
            return self.add_run(page, home, from, to);
        }
        let mut start = from;
        for row in from..to {
            if page.is_free(row) {
                self.add_run(page, home, start, row)?;
                start = row + 1;
            }
        }
        self.add_run(page, home, start, to)
    }

    fn add_run(
        &mut self,
        page: &HeapPage<'_>,
        home: Home,
        from: usize,
        to: usize,
    ) -> std::result::Result<(), &'static str> {
        if from >= to {
            return Ok(());
        }
        for builder in &mut self.columns {
            match builder {
                Builder::Tid(tids) => {
                    tids.extend((from..to).map(|row| home.tid(row).pack()));
                }
                Builder::Column(column, builder) if builder.is_variable() => {
                    for row in from..to {
                        builder.append(page.value(&self.shape, *column, row)?);
                    }
                }
                Builder::Column(column, builder) => {
                    let place = page.places[*column];
                    let width = self.shape.columns[*column].width.expect("it is not variable");
                    let bytes = &page.bytes[place.values() + from * width..][..(to - from) * width];
                    let nulls = place.nulls().map(|_| |row: usize| page.is_null(*column, from + row));
                    builder.append_fixed(bytes, to - from, nulls);
                }
            }
        }
        self.rows += to - from;
        Ok(())
    }

    /// Adds one row, given by all its values.
    pub fn add_row(&mut self, tid: Tid, values: &[Option<impl AsRef<[u8]>>]) {
        for builder in &mut self.columns {
            match builder {
                Builder::Tid(tids) => tids.push(tid.pack()),
                Builder::Column(column, builder) => builder.append(values[*column].as_ref().map(AsRef::as_ref)),
            }
        }
        self.rows += 1;
    }

    /// Adds one row where it is. The reason if its bytes make no sense.
    pub fn add_page_row(&mut self, tid: Tid, row: PageRow<'_>) -> std::result::Result<(), &'static str> {
        for builder in &mut self.columns {
            match builder {
                Builder::Tid(tids) => tids.push(tid.pack()),
                Builder::Column(column, builder) => builder.append(row.value(*column)?),
            }
        }
        self.rows += 1;
        Ok(())
    }

    /// The batch so far; the builder starts anew.
    pub fn take(&mut self) -> std::result::Result<RecordBatch, String> {
        let fresh = Self::builders(&self.shape, &self.projection, BATCH_ROWS.min(self.rows.max(1)));
        let columns = std::mem::replace(&mut self.columns, fresh);
        let rows = std::mem::take(&mut self.rows);
        let finish = |builder| match builder {
            Builder::Column(_, builder) => builder.finish(),
            Builder::Tid(tids) => Ok(Arc::new(Int64Array::from(tids)) as ArrayRef),
        };
        let arrays = columns.into_iter().map(finish).collect::<std::result::Result<Vec<_>, _>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(self.schema.clone(), arrays, &options).map_err(|e| e.to_string())
    }
}

/// A scan of the blocks that its stream gives.
pub struct HeapScan {
    heap: Heap,
    session: Session,
    stream: ReadStream,
    builder: BatchBuilder,
    snapshot: Snapshot,
    /// A page at a time at first, so that `LIMIT` gets its rows early.
    target_rows: usize,
    ended: bool,
}

impl HeapScan {
    pub fn new(
        heap: &Heap,
        session: &Session,
        stream: ReadStream,
        builder: BatchBuilder,
        snapshot: Snapshot,
    ) -> HeapScan {
        let (heap, session) = (heap.clone(), session.clone());
        HeapScan { heap, session, stream, builder, snapshot, target_rows: 1, ended: false }
    }

    /// The next rows, or `None` at the end. Never an empty batch.
    pub async fn next(&mut self) -> Result<Option<RecordBatch>> {
        while !self.ended && self.builder.rows() < self.target_rows {
            match self.stream.next().await? {
                None => self.ended = true,
                Some(page) => self.add(page).await?,
            }
        }
        if self.builder.rows() == 0 {
            return Ok(None);
        }
        self.target_rows = BATCH_ROWS;
        Ok(Some(self.builder.take().map_err(|reason| {
            // Checked bytes that Arrow refuses: a string that is not UTF-8.
            AccessError::Storage(storage::StorageError::Corrupt {
                file: self.heap.relation.id().to_string().into(),
                block: 0,
                reason,
            })
        })?))
    }

    /// Adds a page and its continuations.
    async fn add(&mut self, home: PinnedPage) -> Result<()> {
        let block = home.block();
        let mut hidden = Vec::new();
        // The number of rows up to the end of the page that was added last.
        let Some(mut rows) = self.add_one(&home, block, false, &mut hidden)? else { return Ok(()) };
        loop {
            for Hidden { tid, newest } in hidden.drain(..) {
                if let Some(values) = self.heap.older(&self.session, tid, newest, &self.snapshot).await? {
                    self.builder.add_row(tid, &values);
                }
            }
            // Asked anew each time: the page that was just read may have been split since.
            let next = {
                let latched = home.read();
                let parsed = self.heap.parse(&latched, block)?;
                parsed.continuation_from(rows)
            };
            let Some(next) = next else { return Ok(()) };
            let pool = &self.heap.store.pool;
            let page = pool.pin(&self.session, &self.heap.relation, next, IoContext::Normal).await?;
            match self.add_one(&page, next, true, &mut hidden)? {
                Some(end) => rows = end,
                None => return Err(self.heap.bad(next, "it is not the continuation that its home page says")),
            }
        }
    }

    /// Adds the rows of one page. Gives the number of rows up to its end; `None` when there is nothing to do: it is empty,
    /// or a continuation, which is read with its home.
    fn add_one(
        &mut self,
        page: &PinnedPage,
        block: BlockNumber,
        continuation: bool,
        hidden: &mut Vec<Hidden>,
    ) -> Result<Option<usize>> {
        let latched = page.read();
        let parsed = HeapPage::parse(&latched, &self.heap.shape).map_err(|reason| self.heap.bad(block, reason))?;
        let Some(parsed) = parsed else { return Ok(None) };
        if parsed.is_continuation() != continuation {
            return Ok(None);
        }
        let added = self.builder.add_page(&parsed, block, &self.snapshot, hidden);
        added.map_err(|reason| self.heap.bad(block, reason))?;
        let first = if continuation { parsed.first() } else { 0 };
        Ok(Some(first + parsed.rows))
    }
}
