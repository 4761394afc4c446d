//! Pages that are pinned without being read: new ones at a relation's end, and those that recovery overwrites.

use std::ops::Range;
use std::sync::Arc;

use aio::{IoContext, IoObject, Session, Target};

use super::BufferPool;
use super::frames::Tag;
use super::pin::Lookup;
use super::pinned_page::PinnedPage;
use crate::error::Result;
use crate::page::{BlockNumber, PAGE_SIZE};
use crate::smgr::{Relation, SEGMENT_BLOCKS};

impl BufferPool {
    /// Adds a block at the end of the relation and pins its page, new and dirty, without reading. The block has space on
    /// the disk: when there is none, this fails, and not the write of a page that a client was told is there.
    pub async fn extend(
        self: &Arc<Self>,
        session: &Session,
        relation: &Relation,
        context: IoContext,
    ) -> Result<(BlockNumber, PinnedPage)> {
        loop {
            self.find_space(session, relation, context).await?;
            // Nothing is awaited from here on: a frame or a block would be lost with a statement that is given up.
            let Some(frame) = self.victim(None) else {
                self.wait_for_cleaner().await?;
                continue;
            };
            self.blank(frame);
            while relation.space_wanted().is_none() {
                let block = relation.blocks();
                if let Some(page) = self.name_if(frame, (relation.id(), block), || relation.reserve_allocated(block)) {
                    session.note_usage(|usage| usage.written += 1);
                    return Ok((block, page));
                }
            }
            self.give_back(frame);
        }
    }

    /// Sees to it that the next block has space on the disk. Several sessions may look for the same space; nothing is
    /// lost by that.
    async fn find_space(&self, session: &Session, relation: &Relation, context: IoContext) -> Result<()> {
        match relation.space_wanted() {
            Some(space) => self.allocate(session, relation, space, context).await,
            None => Ok(()),
        }
    }

    /// Finds space on the disk for blocks at or beyond the relation's end, which stays where it is.
    pub async fn allocate(
        &self,
        session: &Session,
        relation: &Relation,
        space: Range<BlockNumber>,
        context: IoContext,
    ) -> Result<()> {
        let mut next = space.start;
        while next < space.end {
            let end = space.end.min((next / SEGMENT_BLOCKS + 1) * SEGMENT_BLOCKS);
            let (file, offset) = relation.locate(next, true)?;
            let len = u64::from(end - next) * PAGE_SIZE as u64;
            let target: Arc<dyn Target> = self.inner.clone();
            let handle = session.get().await;
            match handle.allocate(&file, offset, len, &target, (IoObject::Relation, context)).await.result {
                Ok(_) => {}
                // A file system that cannot: space is found when the page is written.
                Err(error) if error.errno == libc::EOPNOTSUPP => {}
                Err(error) => return Err(error.into()),
            }
            next = end;
        }
        relation.has_space(&space);
        Ok(())
    }

    /// For recovery: pins a page that a full image is about to replace, without reading it.
    pub async fn pin_for_overwrite(self: &Arc<Self>, relation: &Relation, block: BlockNumber) -> Result<PinnedPage> {
        loop {
            match self.lookup(relation.id(), block) {
                Lookup::Cached(page) => return Ok(page),
                Lookup::Reading(page) => {
                    // Whether that read finds a good page does not matter here; the image makes it one.
                    match page.wait_read().await {
                        Ok(()) => return Ok(page),
                        Err(_) => drop(page),
                    }
                }
                Lookup::Absent => match self.victim(None) {
                    Some(frame) => return Ok(self.install(frame, (relation.id(), block))),
                    None => self.wait_for_cleaner().await?,
                },
            }
        }
    }

    /// Gives a victim a new identity, with a page of zeros. The caller knows that no other session reads this page.
    fn install(self: &Arc<Self>, frame: u32, tag: Tag) -> PinnedPage {
        self.blank(frame);
        self.name_if(frame, tag, || true).expect("it is wanted")
    }

    fn blank(&self, frame: u32) {
        self.frames[frame].page.write().as_mut().expect("a victim has its memory").fill(0);
    }

    /// Gives a blank victim a new identity if `wanted` says so, at a moment when no session can look for the page: one that learns from
    /// it that there is such a block finds it in the pool.
    fn name_if(self: &Arc<Self>, frame: u32, tag: Tag, wanted: impl FnOnce() -> bool) -> Option<PinnedPage> {
        let mut shard = self.map.shard(&tag).lock();
        if !wanted() {
            return None;
        }
        let page = PinnedPage { pool: self.handle(), frame };
        let mut meta = page.frame().meta.lock();
        let previous = shard.insert(tag, frame);
        debug_assert!(previous.is_none(), "{tag:?} is in the pool already");
        meta.tag = Some(tag);
        meta.usage = 1;
        meta.period = self.period();
        meta.dirty = true;
        drop(meta);
        drop(shard);
        Some(page)
    }
}
