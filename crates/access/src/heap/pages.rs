//! Pages of a heap for a caller that knows which ones come.

use aio::Session;
use storage::{BlockNumber, Concurrency, PinnedPage, ReadAhead};

use crate::Result;
use crate::heap::Heap;

/// Pages that are asked for in a known order: they are read ahead from the first one on that is not in memory.
pub struct Pages<'a> {
    heap: &'a Heap,
    session: &'a Session,
    blocks: Vec<BlockNumber>,
    concurrency: Concurrency,
    ahead: Option<ReadAhead>,
    /// So many of the blocks are planned, or need not be.
    planned: usize,
}

impl Pages<'_> {
    pub fn new<'a>(
        heap: &'a Heap,
        session: &'a Session,
        concurrency: Concurrency,
        blocks: Vec<BlockNumber>,
    ) -> Pages<'a> {
        Pages { heap, session, blocks, concurrency, ahead: None, planned: 0 }
    }

    /// The page of the block at this place; `None`: the relation ends before it.
    pub async fn page(&mut self, at: usize) -> Result<Option<PinnedPage>> {
        let (heap, session, end) = (self.heap, self.session, self.heap.relation.blocks());
        let block = self.blocks[at];
        if block >= end {
            return Ok(None);
        }
        if self.ahead.is_none() {
            if let Some(page) = heap.pin_cached(session, block) {
                return Ok(Some(page));
            }
            if at + 1 == self.blocks.len() {
                return heap.pin(session, block).await.map(Some);
            }
        }
        let left = self.blocks.len() - at;
        let ahead = self.ahead.get_or_insert_with(|| heap.read_ahead(session, self.concurrency).of_certain(left));
        self.planned = self.planned.max(at);
        while let Some(&next) = self.blocks.get(self.planned).filter(|_| ahead.wants_more()) {
            if next < end {
                ahead.plan(next);
            }
            self.planned += 1;
        }
        match ahead.page(block).await? {
            Some(page) => Ok(Some(page)),
            None => heap.pin(session, block).await.map(Some),
        }
    }
}
