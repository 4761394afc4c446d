//! Bitmaps of rows: what indexes lead to, put together by AND and OR, and read in the order of the table (PostgreSQL's
//! `tidbitmap.c` and the heap's part of `nodeBitmapHeapscan.c`).
//!
//! A bitmap may have rows too many: an index's entry may be of another version of its row, and when there is no more memory,
//! blocks lose their rows (they are *lossy*) and all of their rows count. It never has too few. So the scan that reads it checks
//! each row again.

use std::iter::Peekable;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use access::index::IndexScan;
use access::index::key::tid_of;
use access::page::PageRow;
use access::{StoredBatch, Tid};
use aio::{IoContext, Session, Turn};
use error::sqlstate;
use roaring::{RoaringBitmap, RoaringTreemap};
use storage::{Concurrency, PinnedPage, ReadStream};

use crate::index::rows::{FIRST_ROWS, KeyRange, MOST_ROWS};
use crate::table::TableScan;
use crate::{EngineError, Result};

/// What a block takes beside its rows.
const BLOCK_BYTES: usize = 56;
/// A bit for each row that a block may have.
const BITS_BYTES: usize = 1 << 13;

/// Rows that are added together; then memory is looked at.
const STEP: usize = 64 << 10;

/// Rows of a table.
#[derive(Clone, Debug, Default)]
pub struct TidBitmap {
    /// [`Tid::pack`]ed, of blocks that are not lossy.
    exact: RoaringTreemap,
    lossy: RoaringBitmap,
}

impl TidBitmap {
    /// Adds rows, which are [`Tid::pack`]ed, and leaves none behind. One by one they would cost more than to be sorted first: an
    /// index has them in the order of its keys, and each that is on a block of its own moves all blocks behind it.
    fn insert(&mut self, tids: &mut Vec<u64>) {
        if !self.lossy.is_empty() {
            tids.retain(|packed| !self.lossy.contains(block_of(*packed)));
        }
        tids.sort_unstable();
        tids.dedup();
        self.exact |=
            RoaringTreemap::from_sorted_iter(tids.drain(..)).expect("they are sorted, and each is there once");
    }

    /// Bytes, about.
    pub fn memory(&self) -> usize {
        let of = |rows: &RoaringBitmap| {
            let found = rows.statistics();
            let (arrays, runs) = (found.n_values_array_containers as usize * 2, found.n_bytes_run_containers as usize);
            found.n_containers as usize * BLOCK_BYTES + arrays + found.n_bitset_containers as usize * BITS_BYTES + runs
        };
        self.exact.bitmaps().map(|(_, rows)| of(rows)).sum::<usize>() + of(&self.lossy)
    }

    /// If it takes more than so many bytes, blocks become lossy until it takes no more than half of them, the first ones first.
    pub fn fit(&mut self, bytes: usize) {
        if self.memory() <= bytes {
            return;
        }
        while self.memory() > bytes / 2
            && let Some(middle) = self.exact.select(self.exact.len() / 2)
        {
            let last = middle | u64::from(u16::MAX);
            self.lossy.extend(self.exact.iter().take_while(|packed| *packed <= last).map(block_of));
            self.exact.remove_range(..=last);
        }
    }

    pub fn or(mut self, other: TidBitmap) -> TidBitmap {
        self.exact |= other.exact;
        self.lossy |= other.lossy;
        if !self.lossy.is_empty() {
            let lossy = &self.lossy;
            self.exact = self.exact.into_iter().filter(|packed| !lossy.contains(block_of(*packed))).collect();
        }
        self
    }

    pub fn and(self, other: TidBitmap) -> TidBitmap {
        let of_lossy = |rows: &RoaringTreemap, lossy: &RoaringBitmap| -> RoaringTreemap {
            if lossy.is_empty() {
                return RoaringTreemap::new();
            }
            rows.iter().filter(|packed| lossy.contains(block_of(*packed))).collect()
        };
        let mut exact = of_lossy(&self.exact, &other.lossy) | of_lossy(&other.exact, &self.lossy);
        exact |= self.exact & other.exact;
        // A row of a block that is lossy in both is in neither.
        TidBitmap { exact, lossy: self.lossy & other.lossy }
    }

    /// All blocks, in order.
    fn blocks(&self) -> Vec<u32> {
        let mut blocks: RoaringBitmap = self.lossy.clone();
        let mut last = None;
        for block in self.exact.iter().map(block_of) {
            if last.replace(block) != Some(block) {
                blocks.insert(block);
            }
        }
        blocks.iter().collect()
    }
}

fn block_of(packed: u64) -> u32 {
    (packed >> 16) as u32
}

fn first_row(block: u32) -> u64 {
    u64::from(block) << 16
}

/// Rows that are looked up together.
const LOOK_UP: usize = 4096;

impl TableScan {
    /// The rows that an index (by position) leads to in these ranges, in no more than so many bytes; and how many entries do.
    pub async fn bitmap(
        &self,
        session: &Session,
        index: usize,
        ranges: Vec<KeyRange>,
        concurrency: Concurrency,
        bytes: usize,
    ) -> Result<(TidBitmap, u64)> {
        self.table.indexes[index].check_seen(&self.snapshot)?;
        let mut bitmap = TidBitmap::default();
        let index = &self.table.indexes[index].entries;
        let mut entries = IndexScan::new(index, session, ranges, false);
        entries.read_ahead_if_cold(concurrency);
        let mut turn = Turn::new(self.table.heap.store.pool.engine());
        let (mut added, mut tids) = (0, Vec::with_capacity(STEP));
        while entries.load_as_needed().await? {
            let mut count = 0;
            while let Some(entry) = entries.upcoming(count) {
                tids.push(tid_of(entry).pack() as u64);
                count += 1;
            }
            entries.advance(count);
            if tids.len() >= STEP {
                bitmap.insert(&mut tids);
                bitmap.fit(bytes);
            }
            added += count;
            turn.pass().await;
        }
        bitmap.insert(&mut tids);
        bitmap.fit(bytes);
        Ok((bitmap, added as u64))
    }

    /// The rows of a bitmap that no other participant takes, in the table's order; `participants` read it.
    pub fn through_bitmap(
        self: &Arc<Self>,
        session: &Session,
        concurrency: Concurrency,
        bitmap: &SharedBitmap,
        participants: usize,
    ) -> BitmapRows {
        let end = self.table.heap.relation.blocks();
        let size = if participants > 1 { CHUNK_BLOCKS } else { usize::MAX };
        BitmapRows {
            scan: self.clone(),
            session: session.clone(),
            concurrency,
            bitmap: bitmap.bitmap.clone(),
            blocks: Blocks::Listed(BlockList { shared: bitmap.clone(), end, size, chunk: 0..0 }),
            rows: Vec::new().into_iter().peekable(),
            looked_up: 0,
            tids: Vec::new(),
            target_rows: FIRST_ROWS,
            exact_blocks: 0,
            lossy_blocks: 0,
        }
    }
}

/// Blocks that one of several readers takes at a time.
const CHUNK_BLOCKS: usize = 64;

/// A bitmap that one or several read, each some of its blocks (PostgreSQL's `TBMSharedIteratorState`).
#[derive(Clone)]
pub struct SharedBitmap {
    bitmap: Arc<TidBitmap>,
    blocks: Arc<[u32]>,
    /// How many of the blocks were taken.
    taken: Arc<AtomicUsize>,
}

impl From<TidBitmap> for SharedBitmap {
    fn from(bitmap: TidBitmap) -> SharedBitmap {
        let blocks = bitmap.blocks().into();
        SharedBitmap { bitmap: Arc::new(bitmap), blocks, taken: Arc::default() }
    }
}

/// The blocks that a reader takes, in order.
struct BlockList {
    shared: SharedBitmap,
    /// Of the table: what is behind it was not there yet when the scan began.
    end: u32,
    /// How many are taken at a time.
    size: usize,
    chunk: Range<usize>,
}

impl BlockList {
    fn peek(&mut self) -> Option<u32> {
        let blocks = &self.shared.blocks;
        if self.chunk.is_empty() {
            let first = self.shared.taken.fetch_add(self.size.min(blocks.len()), Ordering::Relaxed);
            self.chunk = first.min(blocks.len())..first.saturating_add(self.size).min(blocks.len());
        }
        blocks[self.chunk.clone()].first().copied().filter(|block| *block < self.end)
    }

    fn next(&mut self) -> Option<u32> {
        let block = self.peek()?;
        self.chunk.start += 1;
        Some(block)
    }
}

/// The blocks that are still to be read.
enum Blocks {
    /// As long as they are in memory.
    Listed(BlockList),
    /// From the first one on that was not.
    Streamed(Box<ReadStream>),
}

/// A bitmap's rows on their way.
pub struct BitmapRows {
    scan: Arc<TableScan>,
    session: Session,
    concurrency: Concurrency,
    bitmap: Arc<TidBitmap>,
    blocks: Blocks,
    /// Rows that are not of lossy blocks, packed, as far as they were looked up: those before the second.
    rows: Peekable<std::vec::IntoIter<u64>>,
    looked_up: u64,
    /// The wanted rows of the current page.
    tids: Vec<Tid>,
    /// Of the next batch: few at first, so that `LIMIT` gets its rows early.
    target_rows: usize,
    exact_blocks: u64,
    lossy_blocks: u64,
}

impl BitmapRows {
    /// The blocks that were read since the last call, exact and lossy ones.
    pub fn take_blocks(&mut self) -> (u64, u64) {
        (std::mem::take(&mut self.exact_blocks), std::mem::take(&mut self.lossy_blocks))
    }

    /// The next rows that the snapshot sees, about so many (a page's at least) or fewer, as they are stored; `None` at the end.
    pub async fn next(&mut self, rows: usize) -> Result<Option<StoredBatch>> {
        let scan = self.scan.clone();
        let heap = &scan.table.heap;
        let target = self.target_rows.min(rows);
        let mut builder = scan.batch_builder(target);
        self.target_rows = (self.target_rows * 8).min(MOST_ROWS);
        let mut turn = Turn::new(heap.store.pool.engine());
        while !builder.is_full(target)
            && let Some(page) = self.page().await?
        {
            turn.pass().await;
            self.find_rows(&page)?;
            let mut done = 0;
            while done < self.tids.len() {
                let tids = &self.tids[done..];
                let add = |at: usize, row: Option<PageRow<'_>>| match row {
                    Some(row) => builder.add_page_row(tids[at], row).map(|()| true),
                    None => Ok(true),
                };
                done += heap.look_at_run(&page, tids, &scan.snapshot, add)?;
                // One that has moved, or has changed since.
                if let Some(&tid) = self.tids.get(done) {
                    let add = |stored: &[Option<&[u8]>], _: &[Option<&[u8]>]| builder.add_row(tid, stored);
                    heap.look(&self.session, tid, &scan.snapshot, |_| false, add).await?;
                    done += 1;
                }
            }
        }
        if builder.rows() == 0 {
            return Ok(None);
        }
        builder.finish().map(Some).map_err(|reason| EngineError::new(sqlstate::DATA_CORRUPTED, reason))
    }

    /// The next block's page.
    async fn page(&mut self) -> Result<Option<PinnedPage>> {
        let heap = &self.scan.table.heap;
        if let Blocks::Listed(blocks) = &mut self.blocks {
            let Some(block) = blocks.peek() else { return Ok(None) };
            if let Some(page) = heap.pin_cached(&self.session, block) {
                blocks.next();
                return Ok(Some(page));
            }
            let mut blocks = BlockList { shared: blocks.shared.clone(), chunk: blocks.chunk.clone(), ..*blocks };
            let (pool, relation, context) = (&heap.store.pool, &heap.relation, IoContext::Normal);
            let next = Box::new(move || blocks.next());
            let stream = ReadStream::new(pool, &self.session, relation, self.concurrency, context, None, next);
            self.blocks = Blocks::Streamed(Box::new(stream.scattered()));
        }
        match &mut self.blocks {
            Blocks::Streamed(stream) => Ok(stream.next().await?),
            Blocks::Listed(_) => unreachable!("the rest is streamed"),
        }
    }

    /// The next rows that the bitmap has, from this one on.
    fn look_up(&mut self, first: u64) {
        let mut rows = self.bitmap.exact.iter();
        rows.advance_to(first.max(self.looked_up));
        let found: Vec<u64> = rows.take(LOOK_UP).collect();
        self.looked_up = if found.len() < LOOK_UP { u64::MAX } else { found[LOOK_UP - 1] + 1 };
        self.rows = found.into_iter().peekable();
    }

    /// The rows of a page that the bitmap has.
    fn find_rows(&mut self, page: &PinnedPage) -> Result<()> {
        self.tids.clear();
        let block = page.block();
        if self.bitmap.lossy.contains(block) {
            self.lossy_blocks += 1;
            let rows = self.scan.table.heap.rows_of(page)?;
            self.tids.extend((0..rows).map(|row| Tid { block, row }));
            return Ok(());
        }
        self.exact_blocks += 1;
        let (first, end) = (first_row(block), first_row(block) + u64::from(u16::MAX));
        loop {
            while let Some(packed) = self.rows.next_if(|packed| *packed <= end) {
                if packed >= first {
                    self.tids.push(Tid::unpack(packed as i64));
                }
            }
            if self.rows.peek().is_some() || self.looked_up > end {
                break;
            }
            self.look_up(first);
        }
        debug_assert!(self.tids.iter().all(|tid| tid.block == block));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn bitmap(rows: &BTreeSet<(u32, u16)>) -> TidBitmap {
        let mut made = TidBitmap::default();
        made.insert(&mut rows.iter().map(|&(block, row)| Tid { block, row }.pack() as u64).collect());
        made
    }

    /// Is each of the rows in it, and no other of a block that is not lossy?
    fn check(made: &TidBitmap, rows: &BTreeSet<(u32, u16)>) {
        for &(block, row) in rows {
            let exact = made.exact.contains(Tid { block, row }.pack() as u64);
            assert!(exact != made.lossy.contains(block), "({block},{row})");
        }
        assert!(made.exact.iter().all(|packed| rows.contains(&(block_of(packed), packed as u16))));
        let blocks: BTreeSet<u32> = made.lossy.iter().chain(made.exact.iter().map(block_of)).collect();
        assert_eq!(made.blocks(), blocks.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn rows_are_never_lost_whatever_memory_there_is() {
        let rows = |step: u32, of: u32| -> BTreeSet<(u32, u16)> {
            (0..60_000u32).filter(|n| n % step < of).map(|n| (n * 7 % 90_000, (n % 600) as u16)).collect()
        };
        let (a, b) = (rows(3, 1), rows(5, 2));
        for (memory_a, memory_b) in [(1 << 30, 1 << 30), (100_000, 1 << 30), (1 << 30, 10_000), (50_000, 1000)] {
            let (mut one, mut other) = (bitmap(&a), bitmap(&b));
            one.fit(memory_a);
            other.fit(memory_b);
            // What is lossy has to be somewhere.
            assert!(
                one.memory() <= memory_a.max(100_000),
                "{} bytes of {memory_a}, {} rows",
                one.memory(),
                one.exact.len()
            );
            check(&one, &a);
            check(&other, &b);
            check(&one.clone().or(other.clone()), &(&a | &b));
            let both = one.clone().and(other.clone());
            for &(block, row) in a.intersection(&b) {
                let exact = both.exact.contains(Tid { block, row }.pack() as u64);
                assert!(exact != both.lossy.contains(block), "({block},{row})");
            }
            if memory_a.min(memory_b) == 1 << 30 {
                check(&both, &(&a & &b));
            }
        }
    }
}
