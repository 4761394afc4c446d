//! Pages to Arrow batches: visible rows, wanted columns, copied in runs.

use std::ops::Range;
use std::sync::Arc;

use aio::{IoContext, Session, Turn};
use arrow_array::{ArrayRef, BooleanArray, Int64Array, RecordBatch, RecordBatchOptions};
use arrow_buffer::{BooleanBufferBuilder, NullBuffer};
use arrow_schema::{DataType, SchemaRef};
use storage::{BlockNumber, Page, PinnedPage, ReadStream};
use txn::Snapshot;

use crate::heap::row::ColumnBuilder;
use crate::heap::scan_key::ScanKey;
use crate::heap::{Heap, Newest, owned};
use crate::page::row_set::RowSet;
use crate::page::{HeapPage, MAX_ROWS, PageRow, Tid};
use crate::shape::{ColumnShape, TableShape};
use crate::toast::batch::{BATCH_BYTES, Detoaster, StoredBatch};
use crate::{AccessError, Result};

pub use crate::array::take_rows;

/// Rows of a batch, about: a page's rows are never split.
pub const BATCH_ROWS: usize = 8192;

/// Rows of a page, about.
const PAGE_ROWS: usize = 64;

/// A page is looked at in parts of so many rows, at least, for a reader that may want no more.
const FEW_ROWS: usize = 16;

/// A column of a batch.
enum Builder {
    /// Of the table, by position.
    Column(usize, ColumnBuilder),
    /// The same where only NULL is told from values.
    NotNull(usize, BooleanBufferBuilder),
    /// The rows' identities, as [`Tid::pack`] gives them.
    Tid(Vec<i64>),
}

impl Builder {
    fn bytes(&self, of_column: fn(&ColumnBuilder) -> usize) -> usize {
        match self {
            Builder::Column(_, column) => of_column(column),
            Builder::NotNull(_, bits) => bits.len() / 8,
            Builder::Tid(tids) => size_of_val(&tids[..]),
        }
    }
}

/// Gathers rows of pages into a batch.
pub struct BatchBuilder {
    schema: SchemaRef,
    shape: Arc<TableShape>,
    columns: Vec<Builder>,
    rows: usize,
    /// Rows that scan keys left out.
    passed_over: usize,
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
struct Hidden {
    row: usize,
    newest: Newest,
}

/// A page as it was, of whose rows the snapshot sees older versions of some: these are looked for when its latch is given back.
/// Its rows are added when all are known, in their order: a transaction that locks rows as they come waits for one before it has those behind
/// it, and LIMIT does not pass it by.
struct Held {
    bytes: Vec<u8>,
    home: Home,
    visible: RowSet,
    hidden: Vec<Hidden>,
}

impl BatchBuilder {
    /// `projection` has the wanted columns in the order wanted; one past the last is the rows' identity, a 64-bit integer.
    /// `schema` is theirs; a Boolean where the table has another type has `true` or NULL in place of its values.
    /// There is room for so many rows; more are taken as well.
    pub fn new(shape: Arc<TableShape>, projection: &[usize], schema: SchemaRef, capacity: usize) -> BatchBuilder {
        BatchBuilder::like(shape, projection, schema, (capacity, &[]))
    }

    /// The same for values that have about so many bytes, by column; fewer rows where they are long.
    fn like(
        shape: Arc<TableShape>,
        projection: &[usize],
        schema: SchemaRef,
        (capacity, usual): (usize, &[usize]),
    ) -> BatchBuilder {
        let most = BATCH_BYTES / usual.iter().sum::<usize>().max(1);
        let capacity = if usual.is_empty() { capacity } else { capacity.min(most) };
        let only_tests = |place: usize, column: &ColumnShape| {
            let wanted = schema.field(place).data_type();
            debug_assert!(*wanted == column.data_type || *wanted == DataType::Boolean, "{wanted} of {column:?}");
            *wanted == DataType::Boolean && column.data_type != DataType::Boolean
        };
        let builder = |(place, &index): (usize, &usize)| match shape.columns.get(index) {
            Some(column) if only_tests(place, column) => Builder::NotNull(index, BooleanBufferBuilder::new(capacity)),
            Some(column) => Builder::Column(
                index,
                match usual.get(place) {
                    Some(&usual) => ColumnBuilder::like(column, capacity, usual),
                    None => ColumnBuilder::new(column, capacity),
                },
            ),
            None => Builder::Tid(Vec::with_capacity(capacity)),
        };
        let columns = projection.iter().enumerate().map(builder).collect();
        BatchBuilder { schema, shape, columns, rows: 0, passed_over: 0 }
    }

    /// About how many bytes a value has, by column, of those that are here.
    fn usual(&self) -> Vec<usize> {
        let bytes = self.columns.iter().map(|column| column.bytes(ColumnBuilder::bytes_here));
        bytes.map(|bytes| (bytes * 17 / 16).div_ceil(self.rows.max(1))).collect()
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Are there so many rows, or as many as may be because they are long?
    pub fn is_full(&self, target: usize) -> bool {
        let bytes = || self.columns.iter().map(|column| column.bytes(ColumnBuilder::bytes)).sum::<usize>();
        self.rows >= target || bytes() >= BATCH_BYTES
    }

    /// Adds those of some rows of a page that `snapshot` sees, without some that `keys` say are not wanted; gives the page
    /// instead where it sees older versions of some. `block` is the page's own.
    fn add_page(
        &mut self,
        page: &HeapPage<'_>,
        block: BlockNumber,
        wanted: Range<usize>,
        (snapshot, keys): (&Snapshot, &[ScanKey]),
    ) -> std::result::Result<Option<Held>, &'static str> {
        let home = if page.is_continuation() {
            Home { block: page.home(), first: page.first() }
        } else {
            Home { block, first: 0 }
        };
        let (mut unseen, mut entries, mut hidden) = (RowSet::EMPTY, 0, Vec::new());
        let (from, to) = (wanted.start, wanted.end.min(page.rows));
        for entry in page.entries() {
            entries += 1;
            let seen = snapshot.sees(entry.version.xid, entry.version.command);
            if seen && !entry.version.deleted || entry.end() <= from {
                continue;
            }
            let rows = entry.rows();
            unseen.union(&rows);
            if seen || entry.version.inserted {
                continue;
            }
            for row in rows.iter().filter(|&row| row >= from && row < to && !page.is_free(row)) {
                let values = page.row(&self.shape, row)?;
                hidden.push(Hidden { row, newest: Newest { version: entry.version, values: owned(&values) } });
            }
        }
        if entries != page.entries {
            return Err("its entries make no sense");
        }
        if keys.is_empty() && page.free == 0 && unseen.is_empty() {
            return self.add_run(page, home, from, to).map(|()| None);
        }
        let mut visible = page.present();
        visible.subtract(&unseen);
        visible.remove_range(0..from.min(page.rows));
        visible.remove_range(to..page.rows);
        if !keys.is_empty() {
            self.narrow(page, keys, &mut visible)?;
        }
        if !hidden.is_empty() {
            return Ok(Some(Held { bytes: page.bytes.to_vec(), home, visible, hidden }));
        }
        for run in visible.runs() {
            self.add_run(page, home, run.start, run.end)?;
        }
        Ok(None)
    }

    /// Leaves rows out that keys say are not wanted, if they are many: to copy rows here and there takes longer than to copy all,
    /// much longer where all values are copied at once.
    fn narrow(
        &mut self,
        page: &HeapPage<'_>,
        keys: &[ScanKey],
        rows: &mut RowSet,
    ) -> std::result::Result<(), &'static str> {
        let mut wanted = *rows;
        for key in keys {
            key.narrow(page, &self.shape, &mut wanted)?;
        }
        let (all, some) = (rows.len(), wanted.len());
        let one_by_one = |column: &Builder| matches!(column, Builder::Column(_, builder) if builder.is_variable());
        let most = if self.columns.iter().any(one_by_one) { all / 2 } else { all / 8 };
        if some <= most {
            self.passed_over += all - some;
            *rows = wanted;
        }
        Ok(())
    }

    /// Adds the rows of a page that was given back, with what became of the hidden ones: their values, if there are any.
    fn add_held(
        &mut self,
        held: &Held,
        older: impl Iterator<Item = (usize, Option<Vec<Option<Vec<u8>>>>)>,
    ) -> std::result::Result<(), &'static str> {
        let shape = self.shape.clone();
        let Some(page) = HeapPage::parse(&held.bytes, &shape)? else { return Err("it was never written") };
        let mut runs = held.visible.runs().peekable();
        for (row, values) in older {
            while let Some(run) = runs.next_if(|run| run.start < row) {
                self.add_run(&page, held.home, run.start, run.end)?;
            }
            if let Some(values) = values {
                self.add_row(held.home.tid(row), &values);
            }
        }
        runs.try_for_each(|run| self.add_run(&page, held.home, run.start, run.end))
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
                Builder::NotNull(column, bits) => (from..to).for_each(|row| bits.append(!page.is_null(*column, row))),
                Builder::Column(column, builder) if builder.is_variable() => {
                    for row in from..to {
                        builder.append(page.value(&self.shape, *column, row)?);
                    }
                }
                Builder::Column(column, builder) => {
                    let place = page.places.at(*column);
                    if !place.is_here() {
                        let missing = page.value(&self.shape, *column, from)?;
                        (from..to).for_each(|_| builder.append(missing));
                        continue;
                    }
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

    /// Adds one row, given by all its values as they are stored.
    pub fn add_row(&mut self, tid: Tid, values: &[Option<impl AsRef<[u8]>>]) {
        for builder in &mut self.columns {
            match builder {
                Builder::Tid(tids) => tids.push(tid.pack()),
                Builder::NotNull(column, bits) => bits.append(values[*column].is_some()),
                Builder::Column(column, builder) => builder.append(values[*column].as_ref().map(AsRef::as_ref)),
            }
        }
        self.rows += 1;
    }

    /// Adds one row, given by the values, as they are, of the columns that are wanted, in their order.
    pub fn add_values<'v>(&mut self, tid: Tid, values: impl Iterator<Item = Option<&'v [u8]>>) {
        for (builder, value) in self.columns.iter_mut().zip(values) {
            match builder {
                Builder::Tid(tids) => tids.push(tid.pack()),
                Builder::NotNull(_, bits) => bits.append(value.is_some()),
                Builder::Column(_, builder) => builder.append_plain(value),
            }
        }
        self.rows += 1;
    }

    /// Adds one row where it is. The reason if its bytes make no sense.
    pub fn add_page_row(&mut self, tid: Tid, row: PageRow<'_>) -> std::result::Result<(), &'static str> {
        for builder in &mut self.columns {
            match builder {
                Builder::Tid(tids) => tids.push(tid.pack()),
                Builder::NotNull(column, bits) => bits.append(!row.is_null(*column)),
                Builder::Column(column, builder) => builder.append(row.value(*column)?),
            }
        }
        self.rows += 1;
        Ok(())
    }

    /// The batch. Fails when bytes are no values of their type.
    pub fn finish(self) -> std::result::Result<StoredBatch, String> {
        let mut out_of_line = Vec::new();
        let mut arrays = Vec::with_capacity(self.columns.len());
        for (column, builder) in self.columns.into_iter().enumerate() {
            arrays.push(match builder {
                Builder::Column(_, builder) => {
                    let (array, values) = builder.finish_stored()?;
                    out_of_line.push((column, values));
                    array
                }
                Builder::NotNull(_, mut bits) => {
                    let bits = bits.finish();
                    Arc::new(BooleanArray::new(bits.clone(), Some(NullBuffer::new(bits))))
                }
                Builder::Tid(tids) => Arc::new(Int64Array::from(tids)) as ArrayRef,
            });
        }
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        let batch = RecordBatch::try_new_with_options(self.schema, arrays, &options).map_err(|e| e.to_string())?;
        Ok(StoredBatch::new(batch, out_of_line))
    }
}

/// A scan of the blocks that its stream gives.
pub struct HeapScan {
    heap: Heap,
    session: Session,
    stream: ReadStream,
    projection: Arc<[usize]>,
    /// Of the projection.
    schema: SchemaRef,
    snapshot: Snapshot,
    /// A page at a time at first, so that `LIMIT` gets its rows early.
    target_rows: usize,
    /// A page of which rows from that one on were not looked at.
    partial: Option<(PinnedPage, usize)>,
    /// About how many bytes a value has, by column of the projection; nothing before the first ones.
    usual: Vec<usize>,
    /// Seen so far.
    pages: u64,
    keys: Arc<[ScanKey]>,
    /// Rows that the keys left out.
    passed_over: u64,
    ended: bool,
    detoaster: Detoaster,
}

impl HeapScan {
    pub fn new(
        heap: &Heap,
        session: &Session,
        stream: ReadStream,
        projection: Arc<[usize]>,
        schema: SchemaRef,
        snapshot: Snapshot,
    ) -> HeapScan {
        let (heap, session) = (heap.clone(), session.clone());
        HeapScan {
            heap,
            session,
            stream,
            projection,
            schema,
            snapshot,
            target_rows: 1,
            partial: None,
            usual: Vec::new(),
            pages: 0,
            keys: Arc::default(),
            passed_over: 0,
            ended: false,
            detoaster: Detoaster::default(),
        }
    }

    /// The same for a reader that wants no row for which one of these does not hold, and gets some all the same.
    pub fn with_keys(mut self, keys: Arc<[ScanKey]>) -> HeapScan {
        self.keys = keys;
        self
    }

    /// Rows that were left out because of the keys.
    pub fn passed_over(&self) -> u64 {
        self.passed_over
    }

    /// Pages seen so far.
    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// The next rows, or `None` at the end. Never an empty batch.
    pub async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(rows) = self.detoaster.next(&self.heap, &self.session).await? {
                return Ok(Some(rows));
            }
            let Some(stored) = self.next_stored().await? else { return Ok(None) };
            if let Some(rows) = self.detoaster.put(stored) {
                return Ok(Some(rows));
            }
        }
    }

    /// The next rows as they are stored, or `None` at the end. Never an empty batch.
    pub async fn next_stored(&mut self) -> Result<Option<StoredBatch>> {
        self.next_of(usize::MAX).await
    }

    /// The same for a reader that may want no more: once so many rows were looked at, or a few more, those that were found are given.
    pub async fn next_of(&mut self, rows: usize) -> Result<Option<StoredBatch>> {
        let mut batch: Option<BatchBuilder> = None;
        // Many pages may have no row that is wanted.
        let mut turn = (!self.keys.is_empty()).then(|| Turn::new(self.heap.store.pool.engine()));
        let target = self.target_rows.min(rows);
        let is_enough = |batch: &BatchBuilder| {
            batch.is_full(target) || batch.rows() > 0 && batch.rows() + batch.passed_over >= rows
        };
        while !self.ended && !batch.as_ref().is_some_and(is_enough) {
            let (page, from) = match self.partial.take() {
                Some(partial) => partial,
                None => {
                    let Some(page) = self.stream.next().await? else {
                        self.ended = true;
                        break;
                    };
                    self.pages += 1;
                    (page, 0)
                }
            };
            let builder = batch.get_or_insert_with(|| {
                let (shape, schema) = (self.heap.shape.clone(), self.schema.clone());
                let like = (target.max(PAGE_ROWS.min(rows.max(FEW_ROWS))), &self.usual[..]);
                BatchBuilder::like(shape, &self.projection, schema, like)
            });
            let left = rows.saturating_sub(builder.rows() + builder.passed_over);
            self.add(page, from, left.max(FEW_ROWS), builder).await?;
            if let Some(turn) = &mut turn {
                turn.pass().await;
            }
        }
        self.passed_over += batch.as_ref().map_or(0, |batch| batch.passed_over as u64);
        let Some(builder) = batch.filter(|batch| batch.rows() > 0) else { return Ok(None) };
        self.target_rows = (self.target_rows * 8).clamp(8 * PAGE_ROWS, BATCH_ROWS);
        self.usual = builder.usual();
        Ok(Some(builder.finish().map_err(|reason| {
            // Checked bytes that Arrow refuses: a string that is not UTF-8.
            AccessError::Storage(storage::StorageError::Corrupt {
                file: self.heap.relation.id().to_string().into(),
                block: 0,
                reason,
            })
        })?))
    }

    /// Adds the rows of a page and its continuations, from one on; no more than so many where the page has them all.
    async fn add(&mut self, home: PinnedPage, from: usize, most: usize, builder: &mut BatchBuilder) -> Result<()> {
        let block = home.block();
        if most < MAX_ROWS
            && let Some(end) = self.add_part(&home, from, most, builder)?
        {
            self.partial = Some((home, end));
            return Ok(());
        }
        let mut held = None;
        // The number of rows up to the end of the page that was added last, and of those that were added before.
        let Some(rows) = self.add_one(&home, block, (None, from), builder, &mut held)? else { return Ok(()) };
        let mut rows = rows.max(from);
        let (mut missed, mut last) = (None, None);
        loop {
            if let Some(mut held) = held.take() {
                let mut older = Vec::with_capacity(held.hidden.len());
                for Hidden { row, newest } in std::mem::take(&mut held.hidden) {
                    let tid = held.home.tid(row);
                    let seen = self.heap.older(&self.session, tid, newest, &self.snapshot, &mut last).await?;
                    older.push((row, seen));
                }
                // Rows of one version were looked for one after the other: they have one undo record.
                older.sort_unstable_by_key(|(row, _)| *row);
                let added = builder.add_held(&held, older.into_iter());
                added.map_err(|reason| self.heap.bad(block, reason))?;
            }
            // Asked anew each time: the page that was just read may have been split since, or VACUUM may have moved the rows
            // behind those back to their home.
            let next = {
                let latched = home.read();
                if latched.is_new() {
                    // A load that was rolled back meanwhile: none of its rows was seen.
                    return Ok(());
                }
                let parsed = self.heap.parse(&latched, block)?;
                if parsed.rows > rows {
                    let added = builder.add_page(&parsed, block, rows..usize::MAX, (&self.snapshot, &self.keys));
                    held = added.map_err(|reason| self.heap.bad(block, reason))?;
                    rows = parsed.rows;
                    continue;
                }
                parsed.continuation_of(rows)
            };
            let Some(next) = next else { return Ok(()) };
            let pool = &self.heap.store.pool;
            let page = pool.pin(&self.session, &self.heap.relation, next, IoContext::Normal).await?;
            match self.add_one(&page, next, (Some(block), rows), builder, &mut held)? {
                // The last of the family.
                Some(end) if end <= rows => return Ok(()),
                Some(end) => rows = end,
                // It is one no more where VACUUM was faster: the home page will tell.
                None if missed != Some(next) => missed = Some(next),
                None => return Err(self.heap.bad(next, "it is not the continuation that its home page says")),
            }
        }
    }

    /// Adds the next rows of a page that has more than so many left; gives where they end. `None`: nothing was added, because it has
    /// not, or has them not by itself.
    fn add_part(
        &self,
        page: &PinnedPage,
        from: usize,
        most: usize,
        builder: &mut BatchBuilder,
    ) -> Result<Option<usize>> {
        let (latched, block) = (page.read(), page.block());
        let parsed = HeapPage::parse(&latched, &self.heap.shape).map_err(|reason| self.heap.bad(block, reason))?;
        let Some(parsed) = parsed.filter(|page| page.stands_alone() && page.rows.saturating_sub(from) > most) else {
            return Ok(None);
        };
        let added = builder.add_page(&parsed, block, from..from + most, (&self.snapshot, &self.keys));
        let held = added.map_err(|reason| self.heap.bad(block, reason))?;
        Ok(held.is_none().then_some(from + most))
    }

    /// Adds the rows of one page. Gives the number of rows up to its end; `None` when there is nothing to do: it is empty,
    /// or a continuation, which is read with its home; or not this continuation of a home's block. Rows are added from one on,
    /// counted from the home's first.
    fn add_one(
        &self,
        page: &PinnedPage,
        block: BlockNumber,
        (continuation, row): (Option<BlockNumber>, usize),
        builder: &mut BatchBuilder,
        held: &mut Option<Held>,
    ) -> Result<Option<usize>> {
        let latched = page.read();
        let parsed = HeapPage::parse(&latched, &self.heap.shape).map_err(|reason| self.heap.bad(block, reason))?;
        let Some(parsed) = parsed else { return Ok(None) };
        let home = parsed.is_continuation().then(|| parsed.home());
        if home != continuation {
            return Ok(None);
        }
        // Boundaries may have moved: rows before this one were added.
        let (first, from) = match continuation {
            Some(_) if row < parsed.first() => return Ok(None),
            Some(_) => (parsed.first(), row - parsed.first()),
            None => (0, row),
        };
        if from < parsed.rows {
            let added = builder.add_page(&parsed, block, from..usize::MAX, (&self.snapshot, &self.keys));
            *held = added.map_err(|reason| self.heap.bad(block, reason))?;
        }
        Ok(Some(first + parsed.rows))
    }
}
