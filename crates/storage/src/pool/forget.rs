//! Pages that leave the pool with their relation, or with its end.

use std::ops::Range;
use std::sync::Arc;

use super::frames::{Meta, ReadState, Tag};
use super::map::remove_frame;
use super::pin::Lookup;
use super::{BufferPool, WALKED};
use crate::error::Result;
use crate::page::BlockNumber;
use crate::smgr::{Relation, RelationId};

impl BufferPool {
    /// Drops a relation's pages, written or not: it is being dropped or truncated. The caller keeps others from using the
    /// relation. Waits for I/O alone, never for a pin: a session that has a page pinned (it may be the caller's own session)
    /// keeps it as it is, without a name, until the pin is dropped. `blocks` are those it has, where that is known, or those
    /// that are to go: few blocks are looked for one by one.
    pub async fn forget(self: &Arc<Self>, relation: RelationId, blocks: Option<Range<BlockNumber>>) {
        let used = self.frames.used() as u32;
        match blocks {
            Some(blocks) if blocks.len() < used as usize / 4 => {
                for block in blocks {
                    let tag = (relation, block);
                    if let Some(frame) = self.map.frame_of(&tag) {
                        self.forget_in(frame, relation, &(block..block + 1)).await;
                    }
                }
            }
            blocks => {
                let blocks = blocks.unwrap_or(0..BlockNumber::MAX);
                for frame in 0..used {
                    self.forget_in(frame, relation, &blocks).await;
                    if frame % WALKED == WALKED - 1 {
                        aio::yield_once().await;
                    }
                }
            }
        }
    }

    /// Empties a frame if it holds one of these blocks of the relation.
    async fn forget_in(self: &Arc<Self>, frame: u32, relation: RelationId, blocks: &Range<BlockNumber>) {
        loop {
            let (tag, reading) = {
                let meta = self.frames[frame].meta.lock();
                match meta.tag {
                    Some(tag) if tag.0 == relation && blocks.contains(&tag.1) => {
                        (tag, matches!(meta.read, ReadState::Reading(_)))
                    }
                    _ => return,
                }
            };
            if reading {
                // An abandoned read: it owns the frame's memory until it ends.
                if let Lookup::Reading(page) = self.lookup(tag.0, tag.1) {
                    let _ = page.wait_read().await;
                }
                continue;
            }
            if self.forget_frame(frame, tag) {
                return;
            }
            // A write of the page is under way; it ends by itself.
            aio::yield_once().await;
        }
    }

    /// Takes its name from a frame, unless its page is being read or written. `true` when it no longer holds `tag`.
    fn forget_frame(&self, frame: u32, tag: Tag) -> bool {
        let mut shard = self.map.shard(&tag).lock();
        let mut meta = self.frames[frame].meta.lock();
        if meta.tag != Some(tag) {
            return true;
        }
        if meta.writes > 0 || matches!(meta.read, ReadState::Reading(_)) {
            return false;
        }
        remove_frame(&mut shard, &tag, frame);
        *meta = Meta { pins: meta.pins, ..Meta::default() };
        if meta.pins == 0 {
            self.frames.note_empty(frame);
        }
        true
    }

    /// Cuts a relation after its first `blocks` blocks. The caller keeps all sessions away from those behind, and knows that recovery
    /// needs none of them. Given up half-way, the relation is as long as before.
    pub async fn truncate(self: &Arc<Self>, relation: &Relation, blocks: BlockNumber) -> Result<()> {
        let end = relation.blocks();
        assert!(blocks <= end, "a cut makes nothing longer");
        // Blocks that are in the pool alone could not be read when the cut is given up.
        relation.materialise()?;
        self.forget(relation.id(), Some(blocks..end)).await;
        debug_assert!(
            (blocks..end).all(|block| !self.map.has(&(relation.id(), block))),
            "what is cut off has been read"
        );
        relation.truncate(blocks)
    }
}
