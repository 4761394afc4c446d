//! VACUUM: entries and deleted rows that no snapshot needs go from pages, index entries that lead to nothing go from leaves. There
//! is nothing else to do: old versions live in the undo log, which cleans itself, and identifiers do not wrap.
//!
//! Blocks that it finds at rest are proposed for the visibility map. The caller sets them when all indexes are done
//! ([`storage::VisibilityMap`] has the rules). What room it finds and makes goes to the free-space map.
//!
//! An index is read leaf after leaf, ahead of the look at its entries. Most entries lead to rows that are known to be right from the
//! pass over the heap ([`RowsSeen`]), or to rows that were gone then: these are removed at once where no session has changed their block
//! since, which is what the visibility map's proposals say. Of the others so many are gathered as there is room for, and the pages of
//! their rows are read in order.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use aio::{IoContext, Session, Turn};
use storage::{BlockChange, BlockNumber, Concurrency, Lsn, Page, PinnedPage, ReadAhead, ReadStream, Staleness};
use txn::Xid;

use crate::Result;
use crate::edit::{Edit, PAGE_RECORD, commit};
use crate::heap::Heap;
use crate::index::key::tid_of;
use crate::index::{HasTuple, Index, IndexScan, KeyRange};
use crate::page::{ENTRY, HeapPage, SPARE_ENTRIES, Version};
use crate::progress::{Progress, vacuum as report};
use crate::shape::TableShape;

/// What a pass over a heap found and did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VacuumStats {
    /// Pages looked at, and those passed by because they are at rest.
    pub pages: u64,
    pub skipped: u64,
    /// Rows on the pages looked at: those that stay, those that went, and those of the first that only old snapshots see.
    pub rows: u64,
    pub removed: u64,
    pub kept: u64,
    pub pages_pruned: u64,
}

/// Cost-based delay: a VACUUM that has done so much rests for so long (`vacuum_cost_limit`, `vacuum_cost_delay`).
#[derive(Clone, Debug, Default)]
pub struct CostDelay {
    /// `None`: it goes on without a rest.
    pub delay: Option<Duration>,
    pub limit: u32,
    /// What a page costs: one that may have to be read, and one that is changed.
    pub page: u32,
    pub dirty: u32,
    pub balance: u32,
}

/// A VACUUM under way.
pub struct Vacuum {
    pub session: Session,
    pub concurrency: Concurrency,
    pub cost: CostDelay,
    /// Pages that its scans keep in memory.
    pub ring: Option<usize>,
    /// Bytes for the keys of rows that it has looked at (`maintenance_work_mem`).
    pub memory: usize,
    /// Versions that older transactions made are not wanted any more; `None`: what the snapshots leave.
    pub horizon: Option<Xid>,
    pub progress: Arc<Progress>,
}

/// What remembers rows that a pass over a heap has looked at.
pub trait RowsSeen: Send {
    /// A page as it stays, under its latch; `staleness`: of the entries that lead there. Blocks come in order.
    fn page(&mut self, block: BlockNumber, page: &HeapPage<'_>, shape: &TableShape, staleness: Staleness);

    /// A page without a heap's structure, which may have had rows.
    fn new_page(&mut self, block: BlockNumber, staleness: Staleness);
}

/// They are not remembered.
impl RowsSeen for () {
    fn page(&mut self, _: BlockNumber, _: &HeapPage<'_>, _: &TableShape, _: Staleness) {}
    fn new_page(&mut self, _: BlockNumber, _: Staleness) {}
}

/// What is known of an index entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leads {
    /// It led to a row with its key when the row was looked at, or its block is not the caller's to be looked at. If it leads to no
    /// such row, its block does not come to be at rest by this pass either.
    ToItsRow,
    /// There was no row, or one with another key. If it was at rest, and no session has changed its block since, there is none now.
    Nowhere,
    /// The row is to be looked at.
    Unknown,
}

/// Pages whose continuations are read ahead.
const LOOK_AHEAD: usize = 64;
/// Blocks that are looked at together, on the way back from a table's end.
const BACK_AT_ONCE: BlockNumber = 128;

/// Where the first rows are that a page has no room for.
fn first_continuation(heap: &Heap, pinned: &PinnedPage) -> Result<Option<BlockNumber>> {
    let latched = pinned.read();
    let page = HeapPage::parse(&latched, &heap.shape).map_err(|reason| heap.bad(pinned.block(), reason))?;
    Ok(page.filter(|page| page.continuations > 0).map(|page| page.continuation(0).1))
}

/// A page without rows, for any snapshot; nor are there rows of it elsewhere.
fn is_empty(page: &HeapPage<'_>) -> bool {
    page.rows == page.free && page.entries == 0 && page.stands_alone()
}

/// A page whose rows all snapshots see alike, and of which all are there. That they were inserted by a transaction that all see may
/// stay written: it takes nothing from them, and a page that was loaded need not be written once more.
fn is_at_rest(page: &HeapPage<'_>, horizon: Xid) -> bool {
    page.stands_alone() && page.entries().all(|entry| is_insertion(&entry.version) && entry.version.xid < horizon)
}

fn is_insertion(version: &Version) -> bool {
    version.inserted && !version.deleted
}

/// Is there something on a page that is in the way, and that no snapshot needs? A few insertions do not count.
fn is_worth_pruning(page: &HeapPage<'_>, horizon: Xid) -> bool {
    let is_plain = page.stands_alone()
        && page.entries_len <= SPARE_ENTRIES * ENTRY
        && page.entries().all(|entry| is_insertion(&entry.version));
    !is_plain && crate::page::modify::can_prune(page, horizon)
}

impl Vacuum {
    async fn spend(&mut self, cost: u32) {
        let Some(delay) = self.cost.delay else { return };
        self.cost.balance += cost;
        if self.cost.balance >= self.cost.limit {
            let rest = delay.mul_f64(f64::from(self.cost.balance) / f64::from(self.cost.limit.max(1)));
            self.cost.balance = 0;
            self.session.engine().sleep(rest).await;
            self.progress.add(report::DELAY_TIME, rest.as_nanos() as u64);
        }
    }

    fn stream(&self, heap: &Heap, blocks: Box<dyn FnMut() -> Option<BlockNumber> + Send>) -> ReadStream {
        let pool = &heap.store.pool;
        let ring = self.ring.or(Some((pool.len() / 8).clamp(64, 2048)));
        ReadStream::new(pool, &self.session, &heap.relation, self.concurrency, IoContext::Vacuum, ring, blocks)
    }

    /// Tidies these pages of a heap, which are in order; `all`: those at rest, too.
    pub async fn heap(
        &mut self,
        heap: &Heap,
        mut blocks: impl Iterator<Item = BlockNumber> + Send + 'static,
        all: bool,
        seen: &mut impl RowsSeen,
    ) -> Result<VacuumStats> {
        heap.load_free_space(&self.session).await?;
        // How many were passed by.
        let passed = Arc::new(AtomicU64::new(0));
        let (relation, noted) = (heap.relation.clone(), passed.clone());
        let mut stream = self.stream(
            heap,
            Box::new(move || {
                blocks.find(|block| {
                    let passes = !all && relation.visibility().is_set(*block);
                    if passes {
                        noted.fetch_add(1, Ordering::Relaxed);
                    }
                    !passes
                })
            }),
        );
        let mut stats = VacuumStats::default();
        let mut turn = Turn::new(heap.store.pool.engine());
        // Pages wait for their turn while their continuations are read.
        let pool = &heap.store.pool;
        let most = self.ring.unwrap_or(usize::MAX).min(pool.len() / 4).div_ceil(4).min(LOOK_AHEAD);
        let mut continuations = ReadAhead::new(pool, &self.session, &heap.relation, self.concurrency);
        let mut waiting: VecDeque<(PinnedPage, Option<BlockNumber>)> = VecDeque::new();
        let mut more = true;
        loop {
            while more && waiting.len() < most {
                let Some(pinned) = stream.next().await? else {
                    more = false;
                    break;
                };
                let continued = first_continuation(heap, &pinned)?;
                continued.into_iter().for_each(|from| continuations.plan(from));
                waiting.push_back((pinned, continued));
            }
            let Some((pinned, continued)) = waiting.pop_front() else { break };
            let _continuation = match continued {
                Some(from) => continuations.page(from).await?,
                None => None,
            };
            turn.pass().await;
            self.spend(self.cost.page).await;
            stats.pages += 1;
            let horizon = self.horizon.unwrap_or_else(|| heap.store.transactions.horizon());
            let (prunable, is_continued) = {
                let latched = pinned.read();
                match HeapPage::parse(&latched, &heap.shape).map_err(|reason| heap.bad(pinned.block(), reason))? {
                    // A session may be about to use it, or to empty it once more.
                    None => {
                        seen.new_page(pinned.block(), heap.relation.visibility().staleness(pinned.block()));
                        continue;
                    }
                    Some(page) => (is_worth_pruning(&page, horizon), page.continuations > 0),
                }
            };
            if prunable {
                self.prune(heap, &pinned, horizon, &mut stats).await?;
            }
            if is_continued {
                self.unsplit(heap, &pinned, horizon, &mut stats).await?;
            }
            // As it stays: rows that came from a continuation are counted here, where they are now.
            let latched = pinned.read();
            if latched.is_new() {
                // A load was rolled back meanwhile.
                seen.new_page(pinned.block(), heap.relation.visibility().staleness(pinned.block()));
                continue;
            }
            let page = heap.parse(&latched, pinned.block())?;
            stats.note(heap, pinned.block(), &page, horizon);
            seen.page(pinned.block(), &page, &heap.shape, heap.relation.visibility().staleness(pinned.block()));
            drop(latched);
            let done = 1 + passed.swap(0, Ordering::Relaxed);
            stats.skipped += done - 1;
            self.progress.add(report::HEAP_BLOCKS_SCANNED, done);
            self.progress.add(report::HEAP_BLOCKS_VACUUMED, done);
        }
        stats.skipped += passed.load(Ordering::Relaxed);
        Ok(stats)
    }

    /// Drops what no snapshot needs from a page.
    async fn prune(&mut self, heap: &Heap, pinned: &PinnedPage, horizon: Xid, stats: &mut VacuumStats) -> Result<()> {
        let (store, block) = (&heap.store, pinned.block());
        self.spend(self.cost.dirty).await;
        store.log.reserve(&self.session, PAGE_RECORD).await?;
        let mut latched = pinned.latch();
        if latched.is_new() {
            return Ok(());
        }
        let mut edit = Edit::new(&heap.relation, block, pinned, &mut latched);
        let free = heap.parse(&edit, block)?.free;
        if crate::page::modify::prune(&mut edit, &heap.shape, horizon) {
            edit.is_just(BlockChange::KeepsEntries);
            commit(&store.log, None, &mut [&mut edit]);
            stats.pages_pruned += 1;
        }
        stats.removed += (heap.parse(&edit, block)?.free - free) as u64;
        Ok(())
    }

    /// Moves the rows of a page's continuations back to it, as far as they fit and no snapshot needs older versions of them.
    async fn unsplit(&mut self, heap: &Heap, home: &PinnedPage, horizon: Xid, stats: &mut VacuumStats) -> Result<()> {
        let (store, shape, block) = (&heap.store, &heap.shape, home.block());
        loop {
            let first = {
                let latched = home.read();
                if latched.is_new() {
                    return Ok(());
                }
                let page = heap.parse(&latched, block)?;
                (page.entries == 0 && page.continuations > 0).then(|| page.continuation(0))
            };
            let Some((row, from)) = first else { return Ok(()) };
            let pinned = heap.pin(&self.session, from).await?;
            self.spend(2 * self.cost.dirty).await;
            store.log.reserve(&self.session, 2 * PAGE_RECORD).await?;
            let mut home_latched = home.latch();
            let mut latched = pinned.latch();
            let mut home_edit = Edit::new(&heap.relation, block, home, &mut home_latched);
            let mut edit = Edit::new(&heap.relation, from, &pinned, &mut latched);
            let page = heap.parse(&home_edit, block)?;
            if page.entries > 0 || page.continuations == 0 || page.continuation(0) != (row, from) || page.rows != row {
                return Ok(());
            }
            let free = heap.parse(&edit, from)?.free;
            crate::page::modify::prune(&mut edit, shape, horizon);
            let page = heap.parse(&edit, from)?;
            stats.removed += (page.free - free) as u64;
            let fits = page.entries == 0 && crate::page::modify::unsplit(&mut home_edit, &mut edit, shape).is_ok();
            if home_edit.is_changed() || edit.is_changed() {
                commit(&store.log, None, &mut [&mut home_edit, &mut edit]);
            }
            if !fits {
                return Ok(());
            }
            heap.note_room(from, &heap.parse(&edit, from)?);
        }
    }

    /// The first of the blocks without rows before `end`, of those that were not changed behind `newest`; `end` where the last one
    /// has rows. Looks no further back when `stop` says so. None of these blocks is being loaded in bulk.
    pub async fn empty_end(
        &mut self,
        heap: &Heap,
        mut end: BlockNumber,
        newest: Lsn,
        stop: impl Fn() -> bool,
    ) -> Result<BlockNumber> {
        let mut count = 1;
        let mut turn = Turn::new(heap.store.pool.engine());
        while end > 0 && !stop() {
            let first = end.saturating_sub(count);
            count = (count * 2).min(BACK_AT_ONCE);
            let mut blocks = first..end;
            let mut stream = self.stream(heap, Box::new(move || blocks.next()));
            let mut empty_from = first;
            while let Some(pinned) = stream.next().await? {
                turn.pass().await;
                let latched = pinned.read();
                let page = HeapPage::parse(&latched, &heap.shape).map_err(|reason| heap.bad(pinned.block(), reason))?;
                // One that was not used yet has no rows either.
                if latched.lsn() > newest || page.is_some_and(|page| !is_empty(&page)) {
                    empty_from = pinned.block() + 1;
                }
            }
            end = empty_from;
            if empty_from > first {
                break;
            }
        }
        Ok(end)
    }

    /// Removes the entries of an index that lead to no row with their tuple, and gives how many. Those into blocks at rest are known
    /// not to, and so are those of which `leads` says so.
    pub async fn index(
        &mut self,
        index: &Index,
        has_tuple: &HasTuple<'_>,
        leads: &(impl Fn(&[u8]) -> Leads + Sync),
        heap: &Heap,
    ) -> Result<u64> {
        let all = vec![KeyRange::new(Vec::new(), None)];
        let mut scan = IndexScan::new(index, &self.session, all, false);
        scan.read_ahead(self.concurrency);
        let (mut candidates, mut bytes, mut removed) = (Vec::new(), 0, 0);
        let visibility = heap.relation.visibility();
        // Asked under the leaf's latch: a session that puts a row there has changed the block before, or comes to the leaf later.
        let is_unchanged = |entry: &[u8]| visibility.bitmap().is_proposed(tid_of(entry).block);
        let mut turn = Turn::new(heap.store.pool.engine());
        while scan.load_as_needed().await? {
            turn.pass().await;
            self.spend(self.cost.page).await;
            let (mut loaded, mut dead) = (0, Vec::new());
            {
                let map = visibility.bitmap();
                while let Some(entry) = scan.upcoming(loaded) {
                    loaded += 1;
                    let block = tid_of(entry).block;
                    if map.is_set(block) {
                        continue;
                    }
                    match leads(entry) {
                        Leads::ToItsRow => {}
                        Leads::Nowhere if map.is_proposed(block) => dead.push(entry.to_vec()),
                        Leads::Nowhere | Leads::Unknown => {
                            bytes += entry.len() + size_of::<Vec<u8>>();
                            candidates.push(entry.to_vec());
                        }
                    }
                }
            }
            scan.advance(loaded);
            if !dead.is_empty() {
                let gone = index.remove_entries(&self.session, &dead, &is_unchanged).await?;
                // Their blocks have been changed in between.
                if gone < dead.len() as u64 {
                    bytes += dead.iter().map(|entry| entry.len() + size_of::<Vec<u8>>()).sum::<usize>();
                    candidates.append(&mut dead);
                }
                removed += gone;
                self.spend(self.cost.dirty).await;
            }
            if bytes > self.memory {
                removed += self.kill(index, has_tuple, heap, std::mem::take(&mut candidates)).await?;
                bytes = 0;
            }
        }
        Ok(removed + self.kill(index, has_tuple, heap, candidates).await?)
    }

    /// Removes those of these entries that lead to no row with their tuple. The pages of their rows are read in order.
    async fn kill(
        &mut self,
        index: &Index,
        has_tuple: &HasTuple<'_>,
        heap: &Heap,
        mut entries: Vec<Vec<u8>>,
    ) -> Result<u64> {
        entries.sort_unstable_by_key(|entry| tid_of(entry));
        let mut blocks: Vec<BlockNumber> = entries.iter().map(|entry| tid_of(entry).block).collect();
        blocks.dedup();
        let end = heap.relation.blocks();
        let mut ahead = blocks.into_iter().filter(move |block| *block < end);
        let mut stream = self.stream(heap, Box::new(move || ahead.next()));
        let (session, mut removed) = (self.session.clone(), 0);
        let mut turn = Turn::new(heap.store.pool.engine());
        for entries in entries.chunk_by(|a, b| tid_of(a).block == tid_of(b).block) {
            turn.pass().await;
            self.spend(self.cost.page).await;
            // It stays in memory while its rows are looked at.
            let page = match tid_of(&entries[0]).block < end {
                true => stream.next().await?,
                false => None,
            };
            let killed = index.kill_items(&session, heap, has_tuple, entries).await?;
            drop(page);
            if killed > 0 {
                self.spend(self.cost.dirty).await;
            }
            removed += killed;
        }
        Ok(removed)
    }
}

impl std::ops::AddAssign for VacuumStats {
    fn add_assign(&mut self, part: VacuumStats) {
        let VacuumStats { pages, skipped, rows, removed, kept, pages_pruned } = part;
        self.pages += pages;
        self.skipped += skipped;
        self.rows += rows;
        self.removed += removed;
        self.kept += kept;
        self.pages_pruned += pages_pruned;
    }
}

impl VacuumStats {
    /// Counts what a page has, as it stays, and notes it in the maps.
    fn note(&mut self, heap: &Heap, block: BlockNumber, page: &HeapPage<'_>, horizon: Xid) {
        self.rows += (page.rows - page.free) as u64;
        let deleted = page.entries().filter(|entry| entry.version.deleted);
        self.kept += deleted.map(|entry| entry.count() as u64).sum::<u64>();
        heap.note_room(block, page);
        // No index leads to chunks of long values.
        if is_at_rest(page, horizon) && !heap.is_toast() {
            heap.relation.visibility().propose(block);
        }
    }
}
