//! Rows found through an index.
//!
//! An entry says nothing about versions: the row that a snapshot sees may have another key by now, or be in a partial index no
//! more. Keys of columns are compared while the page is at hand; what is computed is computed for many rows at once.

use std::sync::Arc;

use access::btree::IndexScan;
use access::btree::key::{TID, tid_of};
use access::{BatchBuilder, Tid};
use aio::{Session, Turn};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, UInt32Array};
use arrow_schema::SchemaRef;
use arrow_select::take::take_record_batch;

use crate::error::{EngineError, Result};
use crate::index_keys::IndexKeys;
use crate::table::{Table, TableScan};

/// So many entries that seem dead are removed before the next leaf is read.
const SUSPECTS: usize = 64;

/// Rows of the first batch, if nobody says that fewer are enough, and of the largest.
const FIRST_ROWS: usize = 32;
const MOST_ROWS: usize = 4096;

/// A range of an index's keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRange {
    pub from: Vec<u8>,
    /// Exclusive; `None`: to the end.
    pub to: Option<Vec<u8>>,
}

/// Rows found through an index, in its order or its opposite.
pub struct IndexRows {
    scan: Arc<TableScan>,
    session: Session,
    index: usize,
    /// Those that are still to be read, the next one last.
    ranges: Vec<KeyRange>,
    entries: Option<IndexScan>,
    backward: bool,
    /// Of the next batch: few at first, so that `LIMIT` gets its rows early.
    target_rows: usize,
    check: Option<Check>,
    /// Where the entries lead that are looked at together, and the key of a row of theirs.
    tids: Vec<Tid>,
    key: Vec<u8>,
    /// Entries that seem to lead to no row with their key; they are removed together.
    suspects: Vec<Vec<u8>>,
}

/// What is read of rows whose keys have to be computed.
struct Check {
    /// What is asked for, then the columns that keys are computed of.
    projection: Arc<[usize]>,
    schema: SchemaRef,
}

/// The keys of the entries that led to the rows of a batch.
#[derive(Default)]
struct Found {
    keys: Vec<u8>,
    ends: Vec<usize>,
}

impl TableScan {
    /// The rows that an index (by position) leads to, with keys from `from` on and before `to`.
    pub fn through_index(
        self: &Arc<Self>,
        session: &Session,
        index: usize,
        from: Vec<u8>,
        to: Option<Vec<u8>>,
    ) -> IndexRows {
        self.through_ranges(session, index, vec![KeyRange { from, to }], false)
    }

    /// The same for several ranges, which are in order and have no entry in common; `backward`: the last one first.
    pub fn through_ranges(
        self: &Arc<Self>,
        session: &Session,
        index: usize,
        mut ranges: Vec<KeyRange>,
        backward: bool,
    ) -> IndexRows {
        if !backward {
            ranges.reverse();
        }
        let inputs = self.table.indexes[index].keys.inputs();
        let check = (self.table.indexes[index].def.is_computed()).then(|| {
            let projection: Arc<[usize]> = self.projection.iter().chain(inputs).copied().collect();
            Check { schema: self.table.projected_schema(&projection), projection }
        });
        let (scan, session, target_rows) = (self.clone(), session.clone(), FIRST_ROWS);
        let (entries, tids, key, suspects) = Default::default();
        IndexRows { scan, session, index, ranges, entries, backward, target_rows, check, tids, key, suspects }
    }
}

/// Rows that were looked up, and whose each is.
pub struct LookedUp {
    pub rows: RecordBatch,
    pub owners: Vec<u32>,
}

impl TableScan {
    /// The rows that an index of columns alone (by position) leads to in each of these ranges, which belong to somebody; at most
    /// one of each, if one is enough.
    pub async fn look_up(
        self: &Arc<Self>,
        session: &Session,
        index: usize,
        ranges: Vec<(u32, KeyRange)>,
        first_only: bool,
    ) -> Result<LookedUp> {
        let mut rows = self.through_ranges(session, index, Vec::new(), false);
        assert!(rows.check.is_none(), "keys are compared where rows are");
        let table = &self.table;
        let mut builder = self.batch_builder(1);
        let mut owners = Vec::with_capacity(ranges.len());
        let mut turn = Turn::new(table.heap.store.pool.engine());
        let mut entries = None;
        for (owner, KeyRange { from, to }) in ranges {
            turn.pass().await;
            rows.entries = Some(match entries.take() {
                None => IndexScan::new(&table.indexes[index].tree, session, from, to),
                Some(before) => IndexScan::again(before, from, to),
            });
            let target = if first_only { builder.rows() + 1 } else { usize::MAX };
            while builder.rows() < target && rows.has_more().await? {
                rows.add_run(table, &mut builder, target, &mut Found::default()).await?;
            }
            entries = rows.entries.take();
            owners.resize(builder.rows(), owner);
        }
        rows.kill_suspects().await?;
        let rows = builder.finish().map_err(|reason| EngineError::new("XX001", reason))?;
        Ok(LookedUp { rows, owners })
    }
}

impl IndexRows {
    /// The same for somebody to whom so many of the first rows may be enough.
    pub fn at_first(mut self, rows: usize) -> IndexRows {
        self.target_rows = rows.clamp(1, FIRST_ROWS);
        self
    }

    /// The next rows; `None` at the end.
    pub async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if self.entries.is_none() && self.ranges.is_empty() {
                return Ok(None);
            }
            let mut found = Found::default();
            let rows = self.read(&mut found).await?;
            if rows.num_rows() == 0 {
                return Ok(None);
            }
            if self.check.is_none() {
                return Ok(Some(rows));
            }
            let rows = self.checked(&rows, &found)?;
            if rows.num_rows() > 0 {
                return Ok(Some(rows));
            }
        }
    }

    /// Rows that entries lead to. If their keys have to be computed, they go to `found`; else they are right.
    async fn read(&mut self, found: &mut Found) -> Result<RecordBatch> {
        let table = self.scan.table.clone();
        let heap = &table.heap;
        let mut builder = match &self.check {
            None => self.scan.batch_builder(1),
            Some(check) => BatchBuilder::new(heap.shape.clone(), &check.projection, check.schema.clone(), 1),
        };
        let target = self.target_rows;
        self.target_rows = (target * 8).min(MOST_ROWS);
        let mut turn = Turn::new(heap.store.pool.engine());
        while builder.rows() < target {
            turn.pass().await;
            if self.entries.is_none() && !self.begin_range() {
                break;
            }
            if !self.has_more().await? {
                self.entries = None;
                continue;
            }
            self.add_run(&table, &mut builder, target, found).await?;
        }
        self.kill_suspects().await?;
        builder.finish().map_err(|reason| EngineError::new("XX001", reason))
    }

    /// `false`: there is no further range.
    fn begin_range(&mut self) -> bool {
        let Some(KeyRange { from, to }) = self.ranges.pop() else { return false };
        let tree = &self.scan.table.indexes[self.index].tree;
        self.entries = Some(match self.backward {
            false => IndexScan::new(tree, &self.session, from, to),
            true => IndexScan::backward(tree, &self.session, from, to),
        });
        true
    }

    /// Is there another entry in the range?
    async fn has_more(&mut self) -> Result<bool> {
        if self.suspects.len() >= SUSPECTS {
            self.kill_suspects().await?;
        }
        match &mut self.entries {
            Some(entries) => Ok(entries.load_as_needed().await?),
            None => Ok(false),
        }
    }

    /// Adds the rows of the next entries that lead into the same block.
    async fn add_run(
        &mut self,
        table: &Table,
        builder: &mut BatchBuilder,
        target: usize,
        found: &mut Found,
    ) -> Result<()> {
        let Some(entries) = &mut self.entries else { return Ok(()) };
        let (heap, shape) = (&table.heap, &table.indexes[self.index].keys.shape);
        self.tids.clear();
        while self.tids.len() < target - builder.rows()
            && let Some(tid) = entries.upcoming(self.tids.len()).map(tid_of)
            && self.tids.first().is_none_or(|first| first.block == tid.block)
        {
            self.tids.push(tid);
        }
        let (tids, key, snapshot) = (&self.tids, &mut self.key, &self.scan.snapshot);
        let (computed, suspects) = (self.check.is_some(), &mut self.suspects);
        let looked = heap.look_at_run(&self.session, tids, snapshot, |at, row| {
            let entry = entries.upcoming(at).unwrap_or_default();
            let Some(row) = row else {
                suspects.push(entry.to_vec());
                return Ok(());
            };
            if computed {
                found.push(entry);
            } else if !shape.leads_to(entry, row, key)? {
                if snapshot.is_past(row.xid()) {
                    suspects.push(entry.to_vec());
                }
                return Ok(());
            }
            builder.add_page_row(tids[at], row)
        });
        let looked = looked.await?;
        let Some(&tid) = tids.get(looked) else {
            entries.advance(looked);
            return Ok(());
        };
        let entry = entries.upcoming(looked).unwrap_or_default();
        let take = |values: &[Option<&[u8]>]| -> Result<bool> {
            if computed {
                found.push(entry);
            } else {
                shape.encode(key, |column| values[column])?;
                if entry[..entry.len() - TID] != key[..] {
                    return Ok(false);
                }
            }
            builder.add_row(tid, values);
            Ok(true)
        };
        if !heap.look(&self.session, tid, snapshot, take).await?.transpose()?.unwrap_or(false) {
            suspects.push(entry.to_vec());
        }
        entries.advance(looked + 1);
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
            keyed.encode(place, column, &mut key)?;
            if found.of(row) == &key[..] {
                kept.push(row as u32);
            }
        }
        let failed = |error: arrow_schema::ArrowError| EngineError::new("XX000", error.to_string());
        let options = RecordBatchOptions::new().with_row_count(Some(rows.num_rows()));
        let columns = rows.columns()[..wanted].to_vec();
        let all = RecordBatch::try_new_with_options(self.scan.schema.clone(), columns, &options).map_err(failed)?;
        if kept.len() == rows.num_rows() {
            return Ok(all);
        }
        take_record_batch(&all, &UInt32Array::from(kept)).map_err(failed)
    }
}

impl Found {
    fn push(&mut self, entry: &[u8]) {
        self.keys.extend_from_slice(&entry[..entry.len() - TID]);
        self.ends.push(self.keys.len());
    }

    /// The key of the entry that led to a row.
    fn of(&self, row: usize) -> &[u8] {
        let from = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.keys[from..self.ends[row]]
    }
}
