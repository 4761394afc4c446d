//! ANALYZE's look at a table: its rows counted, and some of them kept.
//!
//! # Invariants
//! * It reads so many pages at most, and keeps so many rows, whatever the table's size is; fewer where they are long.
//! * What it keeps counts as memory of a statement.

use std::sync::Arc;

use access::StoredBatch;
use access::scan::take_rows;
use aio::{Session, Turn};
use arrow_array::{RecordBatch, RecordBatchOptions, UInt32Array};
use arrow_schema::ArrowError;
use arrow_select::concat::concat_batches;
use error::sqlstate;
use storage::{BlockNumber, Concurrency};
use txn::Snapshot;
use types::random::Generator;
use types::{jsonb, oid};

use crate::memory::{Grant, WorkMemory};
use crate::table::{CHUNK_BLOCKS, Table, TableScan};
use crate::{EngineError, Result};

/// For each unit of the greatest statistics target of a column so many pages are looked at, at most, and so many rows, twice.
const SAMPLE_OF_UNIT: u32 = 300;
/// Smaller targets have a sample as this one has.
const LEAST_TARGET: u16 = 1;
/// Longer values are not sampled (`WIDTH_THRESHOLD`), in bytes.
const WIDE_VALUE: usize = 1024;
/// Rows take so many bytes at most, and this part of what all statements have, unless there are no more than these of them.
const SAMPLE_BYTES: usize = 256 << 20;
const SAMPLE_PART: usize = 4;
const FEWEST_ROWS: usize = 100;
/// So many batches become one, or those that have so many bytes: in small ones there is more that describes rows than rows.
const SMALL_BATCHES: usize = 256;
const SMALL_BYTES: usize = 1 << 20;

/// What ANALYZE has seen of a table.
pub struct Sample {
    pub pages: u32,
    /// An estimate of the rows on them.
    pub rows: f64,
    /// Some of the rows, with all columns.
    pub sample: Vec<RecordBatch>,
    /// What they take.
    _memory: Grant,
}

impl Table {
    /// ANALYZE: counts the rows that a snapshot sees, on a sample of the pages where there are many, and gives some of them,
    /// evenly spread and in their order: as many as columns with this statistics target need.
    pub async fn analyze(
        self: &Arc<Self>,
        session: &Session,
        snapshot: Snapshot,
        concurrency: Concurrency,
        memory: &Arc<WorkMemory>,
        target: u16,
    ) -> Result<Sample> {
        let wanted = SAMPLE_OF_UNIT * u32::from(target.max(LEAST_TARGET));
        let all: Arc<[usize]> = (0..self.def.columns.len()).collect();
        let scan = TableScan::new(self, snapshot, all);
        let (end, settled) = (scan.settled.end, scan.settled.clone());
        let sampled = sample(end, wanted);
        let chosen = move |block: BlockNumber| sampled(block) && settled.contains(block);
        let blocks = (0..end).filter(|&block| chosen(block)).count();
        let mut next = (0..end).filter(move |&block| chosen(block));
        let mut rows = scan.over(session, concurrency, Box::new(move || next.next()));
        let mut sample = Thinned::new(memory, wanted as usize);
        let mut turn = Turn::new(self.heap.store.pool.engine());
        while let Some(stored) = rows.next_stored().await? {
            sample.add(&self.narrowed(&stored)).map_err(failed)?;
            turn.pass().await;
        }
        let rows = (sample.seen as f64 * f64::from(end) / blocks.max(1) as f64).round();
        let (sample, memory) = sample.finish().map_err(failed)?;
        Ok(Sample { pages: end, rows, sample, _memory: memory })
    }

    /// Rows without their long values: statistics take no notice of them but that they are there. Texts and bytes have something
    /// short in their place, which is the same for the same value in line; others are NULL.
    fn narrowed(&self, stored: &StoredBatch) -> RecordBatch {
        let short = |column: usize, number: u64| match self.def.columns[column].ty.value.0 {
            oid::TEXT | oid::VARCHAR | oid::BPCHAR | oid::BYTEA | oid::JSON => {
                Some(format!("{number:016x}").into_bytes())
            }
            oid::JSONB => Some(jsonb::of_string(&format!("{number:016x}"))),
            _ => None,
        };
        stored.narrowed(WIDE_VALUE, short)
    }
}

fn failed(error: ArrowError) -> EngineError {
    EngineError::new(sqlstate::INTERNAL_ERROR, error.to_string())
}

/// Keeps rows by chance, one of `step`; when these become too many, about half of them. Rows at even distances would be the
/// wrong ones of a table whose rows have a rhythm. The numbers are the same each time: so is what ANALYZE says.
struct Thinned {
    step: u64,
    chance: Generator,
    seen: usize,
    rows: usize,
    kept: Vec<RecordBatch>,
    /// The last ones, as they came, and their bytes.
    small: Vec<RecordBatch>,
    small_bytes: usize,
    /// Twice as many rows are too many.
    wanted: usize,
    /// More bytes are too many.
    most: usize,
    memory: Grant,
}

impl Thinned {
    fn new(memory: &Arc<WorkMemory>, wanted: usize) -> Thinned {
        let most = SAMPLE_BYTES.min(memory.limit() / SAMPLE_PART);
        let (kept, small, memory) = (Vec::new(), Vec::new(), memory.grant(0, 0));
        let chance = Generator::of(1);
        Thinned { step: 1, chance, seen: 0, rows: 0, kept, small, small_bytes: 0, wanted, most, memory }
    }

    fn add(&mut self, batch: &RecordBatch) -> std::result::Result<(), ArrowError> {
        self.seen += batch.num_rows();
        self.push(batch, self.step)?;
        while self.rows > 2 * self.wanted || self.bytes() > self.most && self.rows > FEWEST_ROWS {
            self.merge()?;
            self.step *= 2;
            self.rows = 0;
            for batch in std::mem::take(&mut self.kept) {
                self.push(&batch, 2)?;
            }
            self.merge()?;
        }
        Ok(())
    }

    /// Keeps one of `step` rows.
    fn push(&mut self, batch: &RecordBatch, step: u64) -> std::result::Result<(), ArrowError> {
        let rows = (0..batch.num_rows() as u32).filter(|_| self.chance.next_u64().is_multiple_of(step));
        let wanted = UInt32Array::from_iter_values(rows);
        if !wanted.is_empty() {
            self.rows += wanted.len();
            let taken = take_rows(batch, &wanted)?;
            self.small_bytes += taken.get_array_memory_size();
            self.small.push(taken);
        }
        let many = self.small.len() == SMALL_BATCHES || self.small_bytes >= SMALL_BYTES;
        if many { self.merge() } else { Ok(()) }
    }

    /// What the rows take.
    fn bytes(&self) -> usize {
        self.small_bytes + self.kept.iter().map(RecordBatch::get_array_memory_size).sum::<usize>()
    }

    /// Makes one batch of the small ones.
    fn merge(&mut self) -> std::result::Result<(), ArrowError> {
        if let Some(first) = self.small.first() {
            // A table without columns has rows all the same, which arrow would not count.
            let rows = self.small.iter().map(RecordBatch::num_rows).sum();
            let merged = match first.num_columns() {
                0 => RecordBatch::try_new_with_options(first.schema(), Vec::new(), &rows_of(rows))?,
                _ => concat_batches(&first.schema(), &self.small)?,
            };
            self.kept.push(merged);
            (self.small, self.small_bytes) = (Vec::new(), 0);
        }
        self.memory.hold(self.bytes());
        Ok(())
    }

    fn finish(mut self) -> std::result::Result<(Vec<RecordBatch>, Grant), ArrowError> {
        self.merge()?;
        Ok((self.kept, self.memory))
    }
}

fn rows_of(rows: usize) -> RecordBatchOptions {
    RecordBatchOptions::new().with_row_count(Some(rows))
}

/// Which of so many blocks ANALYZE looks at: all of them, or evenly spread stretches of as many as are wanted, whose blocks are
/// read together.
fn sample(end: BlockNumber, wanted: u32) -> impl Fn(BlockNumber) -> bool + Copy + Send {
    let stretches = u64::from(end.div_ceil(CHUNK_BLOCKS)).max(1);
    let wanted = stretches.min(u64::from((wanted / CHUNK_BLOCKS).max(1)));
    move |block| {
        let stretch = u64::from(block / CHUNK_BLOCKS);
        stretch * wanted / stretches != (stretch + 1) * wanted / stretches
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_spread_over_the_table() {
        const SAMPLE_BLOCKS: u32 = 100 * SAMPLE_OF_UNIT;
        let sample = |end| super::sample(end, SAMPLE_BLOCKS);
        for small in [1, 63, 64, 65, SAMPLE_BLOCKS / CHUNK_BLOCKS * CHUNK_BLOCKS] {
            assert!((0..small).all(sample(small)), "{small}");
        }
        for large in [SAMPLE_BLOCKS + 1, 100_000, 5_000_000] {
            let chosen: Vec<_> = (0..large).filter(|&block| sample(large)(block)).collect();
            let count = chosen.len() as u32;
            assert!((SAMPLE_BLOCKS - 2 * CHUNK_BLOCKS..=SAMPLE_BLOCKS).contains(&count), "{count} of {large}");
            for quarter in 0..4 {
                let range = large / 4 * quarter..large / 4 * (quarter + 1);
                let part = chosen.iter().filter(|block| range.contains(block)).count() as u32;
                assert!(part.abs_diff(count / 4) < 2 * CHUNK_BLOCKS, "{part} of {count} in {range:?}");
            }
        }
    }
}
