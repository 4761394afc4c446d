//! Taking entries out. Which ones may go is [`crate::index::kill`].

use aio::Session;

use crate::Result;
use crate::edit::{Edit, PAGE_RECORD, commit};
use crate::index::btree::{BTree, page as leaf};

impl BTree {
    /// Removes those of these entries, which are in order, of which `is_dead` says so under the latch of their leaf; gives how many
    /// these were. What `is_dead` looks at is latched after the leaf.
    pub(super) async fn remove_leaf_by_leaf<E: Sync>(
        &self,
        session: &Session,
        mut dead: &[E],
        entry_of: impl Fn(&E) -> &[u8],
        is_dead: impl Fn(&E) -> Result<bool>,
    ) -> Result<u64> {
        let mut killed = 0;
        while let Some(first) = dead.first().map(&entry_of) {
            self.store.log.reserve(session, PAGE_RECORD).await?;
            let (block, pinned) = self.descend(session, first, 0, &mut None).await?;
            let mut latched = pinned.latch();
            let mut edit = Edit::new(&self.relation, block, &pinned, &mut latched);
            let node = self.parse(&edit, block)?;
            let here = dead.iter().take_while(|dead| !node.is_beyond(entry_of(dead))).count();
            if here == 0 {
                // A split came before the latch, and took it to the right.
                continue;
            }
            // Looked at again, now that no other task can come to the leaf. What may fail comes before the page is changed.
            let mut positions = Vec::with_capacity(here);
            for dead in &dead[..here] {
                let entry = entry_of(dead);
                let at = node.lower_bound(entry);
                if node.is_at(at, entry) && is_dead(dead)? {
                    positions.push(at);
                }
            }
            // The last one first: the others keep their positions.
            positions.sort_unstable();
            positions.dedup();
            for at in positions.iter().rev() {
                leaf::remove(&mut edit, *at);
            }
            if !positions.is_empty() {
                commit(&self.store.log, None, &mut [&mut edit]);
            }
            killed += positions.len() as u64;
            dead = &dead[here..];
        }
        Ok(killed)
    }
}
