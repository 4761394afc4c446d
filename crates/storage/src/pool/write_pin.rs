//! The pin of a page that is being written to the disk.

use aio::lwlock::MappedRwLockReadGuard;

use super::pinned_page::PinnedPage;

/// A pinned page that is being written to the disk: until this is dropped, the relation's files stay, and
/// checkpoints wait. Unless the write has ended well the page must be written again.
pub(crate) struct WritePin {
    pub(super) page: PinnedPage,
    pub(super) done: bool,
}

impl WritePin {
    pub(crate) fn read(&self) -> MappedRwLockReadGuard<'_, [u8]> {
        self.page.read()
    }

    pub(crate) fn done(mut self) {
        self.done = true;
    }
}

impl Drop for WritePin {
    fn drop(&mut self) {
        let mut meta = self.page.frame().meta.lock();
        debug_assert!(meta.writes > 0 && meta.pins >= meta.writes, "a page that is being written is pinned for it");
        meta.writes -= 1;
        // A page without a name was forgotten: there is nowhere to write it.
        if !self.done && meta.tag.is_some() {
            meta.dirty = true;
        }
        drop(meta);
        self.page.pool.written.notify();
    }
}
