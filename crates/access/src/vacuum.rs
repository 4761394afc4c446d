//! VACUUM: entries and deleted rows that no snapshot needs go from pages, and index entries that lead to nothing go from
//! leaves. There is nothing else to do: old versions live in the undo log, which cleans itself, and identifiers do not wrap.
//!
//! Blocks that it finds at rest are proposed for the visibility map. The caller sets them when all indexes are done
//! ([`storage::VisibilityMap`] has the rules).

use std::time::Duration;

use aio::{IoContext, Session, Turn};
use storage::{BlockNumber, Concurrency, Page, ReadStream};

use crate::Result;
use crate::btree::key::tid_of;
use crate::btree::{BTree, HasKey};
use crate::edit::{Edit, PAGE_RECORD, commit};
use crate::heap::Heap;
use crate::page::HeapPage;

/// What a VACUUM found and did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VacuumStats {
    pub pages: u64,
    pub rows: u64,
    pub free_slots: u64,
    pub pages_pruned: u64,
    pub entries_removed: u64,
}

/// Cost-based delay: whoever has done so much rests for so long (`vacuum_cost_limit`, `vacuum_cost_delay`).
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

impl CostDelay {
    async fn spend(&mut self, session: &Session, cost: u32) {
        let Some(delay) = self.delay else { return };
        self.balance += cost;
        if self.balance >= self.limit {
            let rest = delay.mul_f64(f64::from(self.balance) / f64::from(self.limit.max(1)));
            self.balance = 0;
            session.engine().sleep(rest).await;
        }
    }
}

/// Is a page whose rows everybody sees alike, and of which all are there?
fn is_at_rest(page: &HeapPage<'_>) -> bool {
    page.entries == 0 && page.stands_alone()
}

/// Tidies these pages of a heap.
pub async fn vacuum_heap(
    heap: &Heap,
    session: &Session,
    concurrency: Concurrency,
    mut blocks: impl Iterator<Item = BlockNumber> + Send + 'static,
    stats: &mut VacuumStats,
    cost: &mut CostDelay,
) -> Result<()> {
    let store = &heap.store;
    let blocks = Box::new(move || blocks.next());
    let ring = Some((store.pool.len() / 8).clamp(64, 2048));
    let (pool, relation) = (&store.pool, &heap.relation);
    // No index leads to chunks of long values.
    let propose = |block: BlockNumber, page: &HeapPage<'_>| {
        if is_at_rest(page) && !heap.is_toast() {
            relation.visibility().propose(block);
        }
    };
    relation.visibility().forget_proposed();
    let mut stream = ReadStream::new(pool, session, relation, concurrency, IoContext::Vacuum, ring, blocks);
    let mut turn = Turn::new(store.pool.engine());
    while let Some(pinned) = stream.next().await? {
        turn.pass().await;
        cost.spend(session, cost.page).await;
        let block = pinned.block();
        stats.pages += 1;
        let horizon = store.transactions.horizon();
        let prunable = {
            let latched = pinned.read();
            match HeapPage::parse(&latched, &heap.shape).map_err(|reason| heap.bad(block, reason))? {
                None => continue,
                Some(page) => {
                    stats.rows += (page.rows - page.free) as u64;
                    stats.free_slots += page.free as u64;
                    if page.free > 0 && page.stands_alone() {
                        heap.note_room(block);
                    }
                    propose(block, &page);
                    crate::modify::can_prune(&page, horizon)
                }
            }
        };
        if prunable {
            cost.spend(session, cost.dirty).await;
            store.log.reserve(session, PAGE_RECORD).await?;
            let mut latched = pinned.latch();
            if latched.is_new() {
                continue;
            }
            let mut edit = Edit::new(&heap.relation, block, &pinned, &mut latched);
            if crate::modify::prune(&mut edit, &heap.shape, horizon) {
                commit(&store.log, None, &mut [&mut edit]);
                stats.pages_pruned += 1;
                let page = heap.parse(&edit, block)?;
                if page.free > 0 && page.stands_alone() {
                    heap.note_room(block);
                }
                propose(block, &page);
            }
        }
    }
    Ok(())
}

/// Removes the entries of an index that lead to no row with their key. Those into blocks at rest are known not to.
pub async fn vacuum_index(
    tree: &BTree,
    has_key: &HasKey<'_>,
    heap: &Heap,
    session: &Session,
    stats: &mut VacuumStats,
    cost: &mut CostDelay,
) -> Result<()> {
    let (mut block, mut pinned) = tree.descend(session, &[], 0, &mut None).await?;
    loop {
        let (entries, right) = {
            let latched = pinned.read();
            let node = tree.parse(&latched, block)?;
            let at_rest = heap.relation.visibility().bitmap();
            let entries = (0..node.len()).map(|i| node.key(i)).filter(|entry| !at_rest.is_set(tid_of(entry).block));
            (entries.map(<[u8]>::to_vec).collect::<Vec<_>>(), node.right)
        };
        cost.spend(session, cost.page).await;
        let removed = tree.kill_items(session, heap, has_key, &entries).await?;
        if removed > 0 {
            cost.spend(session, cost.dirty).await;
        }
        stats.entries_removed += removed;
        if right == 0 {
            return Ok(());
        }
        block = right;
        pinned = tree.pin(session, block).await?;
    }
}
