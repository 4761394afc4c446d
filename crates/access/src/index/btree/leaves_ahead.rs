//! The leaves that many entries or keys belong to, which are in order, are read ahead.

use aio::Session;
use storage::{Concurrency, ReadAhead};

use crate::Result;
use crate::index::btree::BTree;

pub(super) struct LeavesAhead {
    ahead: ReadAhead,
    /// The leaves of so many of the entries that are left are planned.
    planned: usize,
}

impl LeavesAhead {
    pub fn new(tree: &BTree, session: &Session, concurrency: Concurrency) -> LeavesAhead {
        let ahead = ReadAhead::new(&tree.store.pool, session, &tree.relation, concurrency);
        LeavesAhead { ahead, planned: 0 }
    }

    /// Waits for the leaf of the first of the entries that are left, with those behind it under way. It stays in memory until
    /// the next call.
    pub async fn wait(&mut self, tree: &BTree, session: &Session, entries: &[&[u8]]) -> Result<()> {
        while self.planned < entries.len() && self.ahead.wants_more() {
            let (leaves, count) = tree.leaves_of(session, &entries[self.planned..]).await?;
            leaves.into_iter().for_each(|block| self.ahead.plan(block));
            self.planned += count;
        }
        let leaf = tree.leaf_for(session, entries[0]).await?;
        self.ahead.page(leaf).await?;
        Ok(())
    }

    /// So many of the entries are no longer left.
    pub fn pass(&mut self, entries: usize) {
        self.planned = self.planned.saturating_sub(entries);
    }
}
