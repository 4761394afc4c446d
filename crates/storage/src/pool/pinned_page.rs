//! A page that is pinned, and may be latched.

use aio::Nanos;
use aio::lwlock::{MappedRwLockReadGuard, MappedRwLockWriteGuard, RwLockReadGuard, RwLockWriteGuard};

use super::frames::{Frame, Meta, ReadState, Tag};
use super::map::remove_frame;
use super::{Inner, PoolHandle};
use crate::error::Result;
use crate::page::{BlockNumber, Lsn, Page};

/// A page that stays where it is until this is dropped.
pub struct PinnedPage {
    pub(super) pool: PoolHandle,
    pub(super) frame: u32,
}

impl Clone for PinnedPage {
    fn clone(&self) -> PinnedPage {
        self.frame().meta.lock().pins += 1;
        PinnedPage { pool: self.pool.clone(), frame: self.frame }
    }
}

impl PinnedPage {
    pub(super) fn frame(&self) -> &Frame {
        &self.pool.frames[self.frame]
    }

    /// Has the read of this page ended?
    pub(crate) fn is_read(&self) -> bool {
        !matches!(self.frame().meta.lock().read, ReadState::Reading(_))
    }

    /// The page's position in its relation.
    pub fn block(&self) -> BlockNumber {
        self.frame().meta.lock().tag.map_or(0, |tag| tag.1)
    }

    /// Is it still a page of a relation, and not what it was before the pool forgot it?
    pub fn is_named(&self) -> bool {
        self.frame().meta.lock().tag.is_some()
    }

    /// How long the device took to bring the page.
    pub(crate) fn device_time(&self) -> Nanos {
        self.frame().meta.lock().device_time
    }

    /// Waits for the read that brings this page. A page whose read failed leaves the pool, so that the next attempt
    /// reads again.
    pub(crate) async fn wait_read(&self) -> Result<()> {
        loop {
            let reference = {
                let mut meta = self.frame().meta.lock();
                match &meta.read {
                    ReadState::Idle => return Ok(()),
                    ReadState::Failed(error) => {
                        let error = error.clone();
                        let tag = meta.tag;
                        meta.usage = 0;
                        drop(meta);
                        if let Some(tag) = tag {
                            self.pool.shed_failed(self.frame, tag);
                        }
                        return Err(error);
                    }
                    ReadState::Reading(reference) => *reference,
                }
            };
            match reference {
                Some(reference) => self.pool.engine.wait(reference).await,
                None => aio::yield_once().await,
            }
        }
    }

    /// Latches the page for reading. Not across an await.
    pub fn read(&self) -> MappedRwLockReadGuard<'_, [u8]> {
        let page = self.frame().page.read();
        RwLockReadGuard::map(page, |p| &**p.as_ref().expect("a pinned, read page has its memory"))
    }

    /// Latches the page for writing and marks it dirty. Not across an await. The caller inserts the log record and sets
    /// the page's LSN before letting go.
    pub fn write(&self) -> MappedRwLockWriteGuard<'_, [u8]> {
        let guard = self.latch();
        self.mark_dirty();
        guard
    }

    /// Latches the page for writing, perhaps: the caller that changes it calls [`PinnedPage::mark_dirty`] before the change is
    /// logged. Not across an await.
    pub fn latch(&self) -> MappedRwLockWriteGuard<'_, [u8]> {
        let page = self.frame().page.write();
        RwLockWriteGuard::map(page, |p| &mut **p.as_mut().expect("a pinned, read page has its memory"))
    }

    /// Has a session latched it for writing?
    pub fn is_being_changed(&self) -> bool {
        self.frame().page.is_locked_exclusive()
    }

    /// The latched page is being changed. Before the log record exists: a checkpoint that starts after the record finds
    /// the page (and waits for the latch to copy it).
    pub fn mark_dirty(&self) {
        let mut meta = self.frame().meta.lock();
        // A page without a name was forgotten: there is nowhere to write it.
        meta.dirty = meta.tag.is_some();
    }

    pub fn lsn(&self) -> Lsn {
        self.read().lsn()
    }
}

impl Drop for PinnedPage {
    fn drop(&mut self) {
        let mut meta = self.frame().meta.lock();
        debug_assert!(meta.pins > 0);
        meta.pins -= 1;
        if meta.pins == 0 && meta.tag.is_none() {
            // It was forgotten while it was pinned.
            drop(meta);
            self.pool.frames.note_empty(self.frame);
            return;
        }
        if meta.pins == 0 && matches!(meta.read, ReadState::Failed(_)) {
            let tag = meta.tag;
            drop(meta);
            let Some(tag) = tag else { return };
            let mut shard = self.pool.map.shard(&tag).lock();
            let mut meta = self.frame().meta.lock();
            if meta.pins == 0 && meta.tag == Some(tag) && matches!(meta.read, ReadState::Failed(_)) {
                remove_frame(&mut shard, &tag, self.frame);
                *meta = Meta::default();
                self.pool.frames.note_empty(self.frame);
            }
        }
    }
}

impl Inner {
    /// Takes a page whose read failed out of the map; later pins read it anew. Those that hold a pin keep the error.
    fn shed_failed(&self, frame: u32, tag: Tag) {
        let mut shard = self.map.shard(&tag).lock();
        let meta = self.frames[frame].meta.lock();
        if meta.tag == Some(tag) && matches!(meta.read, ReadState::Failed(_)) {
            remove_frame(&mut shard, &tag, frame);
        }
    }
}
