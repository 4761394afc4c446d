//! What the pool has, for statistics and the planner.

use super::BufferPool;
use super::frames::Meta;
use crate::page::BlockNumber;
use crate::smgr::RelationId;

/// A buffer of the pool at some moment.
#[derive(Clone, Copy, Debug)]
pub struct BufferView {
    /// Its number, from 0.
    pub buffer: u32,
    /// The page in it.
    pub tag: Option<(RelationId, BlockNumber)>,
    pub pins: u32,
    pub usage: u8,
    pub dirty: bool,
}

impl BufferPool {
    /// The buffers there are, as they are now, one after the other.
    pub fn buffers(&self) -> impl Iterator<Item = BufferView> {
        self.frames.iter().filter_map(|(buffer, frame)| {
            let meta = frame.meta.lock();
            let Meta { tag, pins, usage, dirty, retired, .. } = *meta;
            (!retired).then_some(BufferView { buffer, tag, pins, usage, dirty })
        })
    }

    /// How many of the relation's pages are in memory.
    pub fn cached_pages(&self, relation: RelationId) -> usize {
        self.frames.iter().filter(|(_, f)| f.meta.lock().tag.is_some_and(|t| t.0 == relation)).count()
    }

    /// The part of a relation's first `blocks` blocks that is in memory, as a few of them say, which are spread over it. 0 to 1.
    pub fn resident_part(&self, relation: RelationId, blocks: BlockNumber) -> f64 {
        const LOOKED_AT: u32 = 8;
        let looked_at = blocks.min(LOOKED_AT);
        let place = |at: u32| (u64::from(at) * u64::from(blocks) / u64::from(looked_at)) as BlockNumber;
        let is_resident = |block: BlockNumber| self.map.has(&(relation, block));
        let found = (0..looked_at).filter(|&at| is_resident(place(at))).count();
        if looked_at == 0 { 1.0 } else { found as f64 / f64::from(looked_at) }
    }
}
