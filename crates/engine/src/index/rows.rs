//! Rows found through an index.
//!
//! An entry says nothing about versions: the row that a snapshot sees may have another key by now, or be in a partial index no
//! more. Keys of columns are compared while the page is at hand; what is computed is computed for many rows at once.
//!
//! From the first page on that is not in memory, pages are read ahead in the order in which the entries to come lead to
//! them, and so are the leaves with these entries. A scan that finds everything in memory pays nothing for that.
//!
//! An index-only scan takes rows from their entries where the visibility map says that all snapshots see them. It looks at the
//! others as any scan does.

use std::sync::Arc;

pub use access::index::KeyRange;
use access::index::key::{tid_of, tuple_of};
use access::index::{IndexScan, KeyValues};
use access::page::PageRow;
use access::scan::take_rows;
use access::{BatchBuilder, StoredBatch, Tid};
use aio::{Session, Turn};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, UInt32Array};
use arrow_schema::{Schema, SchemaRef};
use error::sqlstate;
use storage::{BlockNumber, Concurrency, PinnedPage, ReadAhead};

use crate::index::KeyPlaces;
use crate::index::keys::IndexKeys;
use crate::table::{Table, TableScan};
use crate::{EngineError, Result};

/// So many entries that seem dead are removed before the next leaf is read.
const SUSPECTS: usize = 64;

/// Rows of the first batch, if the caller does not say that fewer are enough, and of the largest.
pub(crate) const FIRST_ROWS: usize = 32;
pub(crate) const MOST_ROWS: usize = 4096;

/// Rows found through an index, in its order or its opposite.
pub struct IndexRows {
    scan: Arc<TableScan>,
    session: Session,
    index: usize,
    entries: IndexScan,
    /// Of the next batch: few at first, so that `LIMIT` gets its rows early.
    target_rows: usize,
    /// So many more rows may be enough; 0: all are wanted.
    enough: usize,
    /// So many rows were thought to be enough so far.
    were_enough: usize,
    concurrency: Concurrency,
    /// Pages that upcoming entries lead to.
    ahead: Option<ReadAhead>,
    /// So many upcoming entries are planned.
    planned: usize,
    plan: Plan,
    check: Option<Check>,
    only: Option<IndexOnly>,
    /// Where the entries lead that are looked at together, and the key of a row of theirs.
    tids: Vec<Tid>,
    key: Vec<u8>,
    /// Entries that seem to lead to no row with their tuple; they are removed together.
    suspects: Vec<Vec<u8>>,
}

/// Which upcoming entries' pages are read ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plan {
    All,
    /// Those of so many rows as may be enough, or of the batch.
    Enough,
    /// The first one of each range.
    FirstOfRange,
}

/// What is read of rows whose keys have to be computed.
struct Check {
    /// What is asked for, then the columns that keys are computed of.
    projection: Arc<[usize]>,
    schema: SchemaRef,
}

/// An index-only scan.
struct IndexOnly {
    /// Of the columns that are asked for.
    places: KeyPlaces,
    values: KeyValues,
    /// Entries whose rows were looked at.
    heap_fetches: u64,
}

/// The keys of the entries that led to the rows of a batch.
#[derive(Default)]
struct Found {
    keys: Vec<u8>,
    ends: Vec<usize>,
}

impl TableScan {
    /// The rows that an index (by position) leads to with keys in these ranges, which are in order and have no entry in
    /// common; `backward`: the last one first.
    pub fn through_ranges(
        self: &Arc<Self>,
        session: &Session,
        index: usize,
        ranges: Vec<KeyRange>,
        backward: bool,
    ) -> IndexRows {
        let inputs = self.table.indexes[index].keys.inputs();
        let check = (self.table.indexes[index].def.is_computed()).then(|| {
            let inputs_too = self.table.projected_schema(inputs);
            let fields = self.schema.fields().iter().chain(inputs_too.fields()).cloned();
            Check {
                projection: self.projection.iter().chain(inputs).copied().collect(),
                schema: Arc::new(Schema::new(fields.collect::<Vec<_>>())),
            }
        });
        IndexRows {
            scan: self.clone(),
            session: session.clone(),
            index,
            entries: IndexScan::new(&self.table.indexes[index].entries, session, ranges, backward),
            target_rows: FIRST_ROWS,
            enough: 0,
            were_enough: 0,
            concurrency: Concurrency::Auto,
            ahead: None,
            planned: 0,
            plan: Plan::All,
            check,
            only: None,
            tids: Vec::new(),
            key: Vec::new(),
            suspects: Vec::new(),
        }
    }
}

/// The rows in many ranges of an index, each of which has an owner: a row that the caller looks up partners of.
pub struct LookUp {
    rows: IndexRows,
    owner_of: Vec<u32>,
    /// One of each range is enough.
    first_only: bool,
}

/// Rows that were looked up, as they are stored, and whose each is.
pub struct LookedUp {
    pub rows: StoredBatch,
    pub owners: Vec<u32>,
}

/// What a scan did, as EXPLAIN ANALYZE shows it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct IndexScanCounters {
    /// Of an index-only scan: the entries whose rows were looked at.
    pub heap_fetches: u64,
    /// How often an entry was looked for.
    pub searches: u64,
}

impl TableScan {
    /// The rows that an index of columns alone (by position) leads to in each of these ranges, given with their owners' numbers;
    /// at most one of each, if one is enough; `only`: from the index alone, as far as it can.
    pub fn look_up(
        self: &Arc<Self>,
        session: &Session,
        (index, only): (usize, bool),
        ranges: Vec<(u32, KeyRange)>,
        concurrency: Concurrency,
        first_only: bool,
    ) -> Result<LookUp> {
        self.table.indexes[index].check_seen(&self.snapshot)?;
        let (owner_of, ranges): (Vec<u32>, Vec<KeyRange>) = ranges.into_iter().unzip();
        let mut rows = self.through_ranges(session, index, ranges, false).with_concurrency(concurrency);
        if only {
            rows = rows.index_only();
        }
        assert!(rows.check.is_none(), "keys are compared where rows are");
        rows.entries = rows.entries.with_ranges_known();
        rows.plan = if first_only { Plan::FirstOfRange } else { Plan::All };
        Ok(LookUp { rows, owner_of, first_only })
    }
}

impl LookUp {
    /// The next rows in the ranges' order, at most so many, fewer where they are long; `None` at the end.
    pub async fn next(&mut self, most: usize) -> Result<Option<LookedUp>> {
        let LookUp { rows, owner_of, first_only } = self;
        let table = rows.scan.table.clone();
        let mut builder = rows.scan.batch_builder(1);
        let mut owners = Vec::new();
        let mut turn = Turn::new(table.heap.store.pool.engine());
        while !builder.is_full(most) && rows.has_more().await? {
            turn.pass().await;
            let (range, of_range) = rows.entries.range_of_next();
            let before = builder.rows();
            let target = if *first_only { before + 1 } else { most };
            rows.add_run(&table, &mut builder, target, of_range, &mut Found::default()).await?;
            owners.resize(builder.rows(), owner_of[range]);
            if *first_only && builder.rows() > before {
                rows.skip_range();
            }
        }
        rows.kill_suspects().await?;
        if owners.is_empty() {
            return Ok(None);
        }
        let rows = builder.finish().map_err(|reason| EngineError::new(sqlstate::DATA_CORRUPTED, reason))?;
        Ok(Some(LookedUp { rows, owners }))
    }

    /// What it has done so far.
    pub fn counters(&self) -> IndexScanCounters {
        self.rows.counters()
    }
}

impl IndexRows {
    /// The same for a caller to whom so many of the first rows may be enough; else twice as many may be, and so on.
    pub fn at_first(mut self, rows: usize) -> IndexRows {
        let rows = rows.max(1);
        (self.enough, self.were_enough) = (rows, rows);
        self.target_rows = rows.min(FIRST_ROWS);
        self.plan = Plan::Enough;
        self.entries = self.entries.at_first(rows);
        self
    }

    pub fn with_concurrency(mut self, concurrency: Concurrency) -> IndexRows {
        self.concurrency = concurrency;
        self
    }

    /// The same, but rows that all snapshots see are taken from the index alone, if its keys have all that is asked for. Said
    /// after how many rows may be enough, and how deep is read.
    pub fn index_only(mut self) -> IndexRows {
        let table = &self.scan.table;
        if let Some(places) = table.indexes[self.index].places_of(&table.def, &self.scan.projection) {
            self.entries = self.entries.with_visibility(&table.heap.relation);
            if self.plan != Plan::Enough {
                self.entries.read_ahead_if_cold(self.concurrency);
            }
            self.only = Some(IndexOnly { places, values: KeyValues::default(), heap_fetches: 0 });
        }
        self
    }

    /// What it has done so far.
    pub fn counters(&self) -> IndexScanCounters {
        let heap_fetches = self.only.as_ref().map_or(0, |only| only.heap_fetches);
        IndexScanCounters { heap_fetches, searches: self.entries.searches() }
    }

    /// The next rows, as they are stored; `None` at the end.
    pub async fn next(&mut self) -> Result<Option<StoredBatch>> {
        self.scan.table.indexes[self.index].check_seen(&self.scan.snapshot)?;
        while self.has_more().await? {
            let mut found = Found::default();
            let visible = self.entries.is_visible(0);
            let rows = self.read(visible, &mut found).await?;
            if rows.rows() == 0 {
                continue;
            }
            if self.check.is_none() || visible {
                return Ok(Some(rows));
            }
            let rows = self.scan.table.heap.detoast_batch(&self.session, rows).await?;
            let rows = self.checked(&rows, &found)?;
            if rows.num_rows() > 0 {
                return Ok(Some(rows.into()));
            }
        }
        Ok(None)
    }

    /// Rows that entries lead to. If their keys have to be computed, they go to `found`, unless the entries are `visible`, as the
    /// next one is or not: then they are right, and others are left for later.
    async fn read(&mut self, visible: bool, found: &mut Found) -> Result<StoredBatch> {
        let table = self.scan.table.clone();
        let heap = &table.heap;
        let mut builder = match &self.check {
            None => self.scan.batch_builder(1),
            Some(_) if visible => self.scan.batch_builder(1),
            Some(check) => BatchBuilder::new(heap.shape.clone(), &check.projection, check.schema.clone(), 1),
        };
        let target = match self.enough {
            0 => self.target_rows,
            enough => self.target_rows.min(enough),
        };
        self.target_rows = (self.target_rows * 8).min(MOST_ROWS);
        let mut turn = Turn::new(heap.store.pool.engine());
        while !builder.is_full(target) && self.has_more().await? {
            if self.check.is_some() && self.entries.is_visible(0) != visible {
                break;
            }
            turn.pass().await;
            self.add_run(&table, &mut builder, target, usize::MAX, found).await?;
        }
        if self.plan == Plan::Enough {
            self.enough = self.enough.saturating_sub(builder.rows());
            if self.enough == 0 {
                self.want_more();
            }
        }
        self.kill_suspects().await?;
        builder.finish().map_err(|reason| EngineError::new(sqlstate::DATA_CORRUPTED, reason))
    }

    /// What may have been enough was not: as many rows again may be. A caller that asks for many may want all.
    fn want_more(&mut self) {
        if self.only.is_some() {
            self.entries.read_ahead_if_cold(self.concurrency);
        }
        if self.were_enough < MOST_ROWS {
            self.enough = self.were_enough;
            self.were_enough *= 2;
        } else {
            self.plan = Plan::All;
        }
    }

    /// Is there another entry?
    async fn has_more(&mut self) -> Result<bool> {
        if self.suspects.len() >= SUSPECTS {
            self.kill_suspects().await?;
        }
        Ok(self.entries.load_as_needed().await?)
    }

    /// Adds the rows of the next entries, at most so many, that lead into the same block, until there are `target` rows.
    async fn add_run(
        &mut self,
        table: &Table,
        builder: &mut BatchBuilder,
        target: usize,
        most: usize,
        found: &mut Found,
    ) -> Result<()> {
        let wanted = target - builder.rows();
        if self.entries.is_visible(0) {
            return self.add_visible(builder, most.min(wanted));
        }
        self.tids.clear();
        while self.tids.len() < most.min(wanted)
            && let Some(tid) = self.entries.upcoming(self.tids.len()).map(tid_of)
            && self.tids.first().is_none_or(|first| first.block == tid.block)
            && !self.entries.is_visible(self.tids.len())
        {
            self.tids.push(tid);
        }
        let Some(&Tid { block, .. }) = self.tids.first() else { return Ok(()) };
        let page = self.page(table, block, target.max(self.enough) - builder.rows()).await?;
        let (heap, shape) = (&table.heap, &table.indexes[self.index].keys.shape);
        let (entries, tids, key, snapshot) = (&self.entries, &self.tids, &mut self.key, &self.scan.snapshot);
        let (computed, suspects) = (self.check.is_some(), &mut self.suspects);
        let look = |at: usize, row: Option<PageRow<'_>>| {
            let entry = entries.upcoming(at).unwrap_or_default();
            let Some(row) = row else {
                suspects.push(entry.to_vec());
                return Ok(true);
            };
            if computed {
                found.push(entry);
            } else {
                match shape.leads_to(entry, row, key)? {
                    Some(true) => {}
                    Some(false) => {
                        if snapshot.is_past(row.xid()) {
                            suspects.push(entry.to_vec());
                        }
                        return Ok(true);
                    }
                    None => return Ok(false),
                }
            }
            builder.add_page_row(tids[at], row).map(|()| true)
        };
        let looked = match page {
            Some(page) => heap.look_at_run(&page, tids, snapshot, look)?,
            None => 0,
        };
        let Some(&tid) = tids.get(looked) else {
            self.advance_looked(looked);
            return Ok(());
        };
        let entry = entries.upcoming(looked).unwrap_or_default();
        let take = |stored: &[Option<&[u8]>], values: &[Option<&[u8]>]| -> Result<bool> {
            if computed {
                found.push(entry);
            } else {
                shape.encode(key, |column| values[column])?;
                if tuple_of(entry) != &key[..] {
                    return Ok(false);
                }
            }
            builder.add_row(tid, stored);
            Ok(true)
        };
        let keyed = |column: usize| !computed && shape.has(column);
        if !heap.look(&self.session, tid, snapshot, keyed, take).await?.transpose()?.unwrap_or(false) {
            suspects.push(entry.to_vec());
        }
        self.advance_looked(looked + 1);
        Ok(())
    }

    /// Adds the rows of the next entries, at most so many, which all snapshots see.
    fn add_visible(&mut self, builder: &mut BatchBuilder, most: usize) -> Result<()> {
        let index = &self.scan.table.indexes[self.index];
        let only = self.only.as_mut().expect("entries are visible to index-only scans alone");
        let mut added = 0;
        while added < most
            && let Some(entry) = self.entries.upcoming(added).filter(|_| self.entries.is_visible(added))
        {
            index.decode(tuple_of(entry), &only.places, &mut only.values)?;
            if only.values.lacks_some() {
                break;
            }
            builder.add_values(tid_of(entry), only.places.places.iter().map(|at| only.values.get(*at)));
            added += 1;
        }
        let lacks = added < most && only.values.lacks_some();
        self.advance(added);
        if lacks {
            self.entries.look_at_next();
        }
        Ok(())
    }

    /// The rows of so many entries were looked at.
    fn advance_looked(&mut self, entries: usize) {
        if let Some(only) = &mut self.only {
            only.heap_fetches += entries as u64;
        }
        self.advance(entries);
    }

    fn advance(&mut self, entries: usize) {
        self.entries.advance(entries);
        self.planned = self.planned.saturating_sub(entries);
    }

    fn skip_range(&mut self) {
        let skipped = self.entries.skip_range();
        self.planned = self.planned.saturating_sub(skipped);
    }

    /// The page that the next entries lead to, of which so many are wanted; `None`: the table ends before it.
    async fn page(&mut self, table: &Table, block: BlockNumber, wanted: usize) -> Result<Option<PinnedPage>> {
        let heap = &table.heap;
        if block >= heap.relation.blocks() {
            return Ok(None);
        }
        if self.ahead.is_none() {
            if let Some(page) = heap.pin_cached(&self.session, block) {
                return Ok(Some(page));
            }
            let (run, entries) = (self.tids.len(), &self.entries);
            // Of one range the first row may be enough, and there are others.
            let enough = wanted <= run && self.plan != Plan::FirstOfRange;
            if enough || entries.upcoming(run).is_none() && !entries.may_load_more() {
                return Ok(Some(heap.pin(&self.session, block).await?));
            }
            self.ahead = Some(heap.read_ahead(&self.session, self.concurrency));
            self.entries.read_ahead(self.concurrency);
        }
        self.plan_pages(wanted).await?;
        let ahead = self.ahead.as_mut().expect("it was begun");
        match ahead.page(block).await? {
            Some(page) => Ok(Some(page)),
            None => Ok(Some(heap.pin(&self.session, block).await?)),
        }
    }

    /// Plans the pages that upcoming entries lead to, as many as are worth reading ahead.
    async fn plan_pages(&mut self, wanted: usize) -> Result<()> {
        let Some(ahead) = &mut self.ahead else { return Ok(()) };
        let most = if self.plan == Plan::Enough { wanted } else { usize::MAX };
        while self.planned < most && ahead.wants_more() {
            let Some(entry) = self.entries.upcoming(self.planned) else {
                // Of a long range the first row may be enough.
                let goes_on = self.plan == Plan::FirstOfRange && self.planned > 0 && self.entries.is_within_range();
                if goes_on || !self.entries.load_more().await? {
                    break;
                }
                continue;
            };
            let begins = self.planned == 0 || self.entries.begins_range(self.planned);
            if (self.plan != Plan::FirstOfRange || begins) && !self.entries.is_visible(self.planned) {
                ahead.plan(tid_of(entry).block);
            }
            self.planned += 1;
        }
        Ok(())
    }

    async fn kill_suspects(&mut self) -> Result<()> {
        if !self.suspects.is_empty() {
            let table = &self.scan.table;
            Box::pin(table.indexes[self.index].kill_items(&self.session, table, &self.suspects)).await?;
            self.suspects.clear();
        }
        Ok(())
    }

    /// The rows that have the keys of the entries that led to them, without what was read to see that.
    fn checked(&self, rows: &RecordBatch, found: &Found) -> Result<RecordBatch> {
        let keys: &IndexKeys = &self.scan.table.indexes[self.index].keys;
        let wanted = self.scan.projection.len();
        let inputs = keys.inputs();
        let column = |at: usize| -> &ArrayRef {
            let place = inputs.iter().position(|input| *input == at).unwrap_or_default();
            rows.column(wanted + place)
        };
        let keyed = keys.of_batch(column, rows.num_rows())?;
        let mut kept = Vec::with_capacity(keyed.len());
        let mut key = Vec::new();
        for place in 0..keyed.len() {
            let row = keyed.row(place);
            keyed.encode(&keys.shape, place, column, &mut key)?;
            if found.of(row) == &key[..] {
                kept.push(row as u32);
            }
        }
        let failed = |error: arrow_schema::ArrowError| EngineError::new(sqlstate::INTERNAL_ERROR, error.to_string());
        let options = RecordBatchOptions::new().with_row_count(Some(rows.num_rows()));
        let columns = rows.columns()[..wanted].to_vec();
        let all = RecordBatch::try_new_with_options(self.scan.schema.clone(), columns, &options).map_err(failed)?;
        if kept.len() == rows.num_rows() {
            return Ok(all);
        }
        take_rows(&all, &UInt32Array::from(kept)).map_err(failed)
    }
}

impl Found {
    fn push(&mut self, entry: &[u8]) {
        self.keys.extend_from_slice(tuple_of(entry));
        self.ends.push(self.keys.len());
    }

    /// The key of the entry that led to a row.
    fn of(&self, row: usize) -> &[u8] {
        let from = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.keys[from..self.ends[row]]
    }
}
