//! Reading ahead for a reader that learns little by little which pages of a relation come next, such as a scan of an index:
//! it plans blocks as it meets them, and takes their pages in that order, or leaves some out.
//!
//! A plan is advice and nothing else: a block that was not planned is pinned as any other, and one that was planned is read
//! even if it is not taken.

use std::collections::VecDeque;
use std::sync::Arc;

use aio::Session;

use crate::error::Result;
use crate::page::BlockNumber;
use crate::pool::{BufferPool, PinnedPage};
use crate::read_stream::{Concurrency, ReadStream};
use crate::smgr::Relation;

pub struct ReadAhead {
    stream: ReadStream,
    /// The blocks whose pages the stream has not given yet.
    planned: VecDeque<BlockNumber>,
    /// The page that was taken last; it stays pinned, for it may be asked for again.
    current: Option<(BlockNumber, PinnedPage)>,
}

impl ReadAhead {
    pub fn new(
        pool: &Arc<BufferPool>,
        session: &Session,
        relation: &Arc<Relation>,
        concurrency: Concurrency,
    ) -> ReadAhead {
        let stream = ReadStream::planned(pool, session, relation, concurrency);
        ReadAhead { stream, planned: VecDeque::new(), current: None }
    }

    /// So many blocks will be planned and all of their pages taken: nothing is read in vain, however deep it begins.
    pub fn of_certain(mut self, blocks: usize) -> ReadAhead {
        self.stream.begin_deep(blocks);
        self
    }

    /// Is it worth planning more blocks now?
    pub fn wants_more(&self) -> bool {
        self.stream.room_in_plan() > 0
    }

    /// A block that will be asked for. The same one in a row is one.
    pub fn plan(&mut self, block: BlockNumber) {
        if self.planned.back() != Some(&block) {
            self.planned.push_back(block);
            self.stream.plan(block);
        }
    }

    /// The page of a block, if it is the current one or was planned. Blocks that were planned before it are given up.
    pub async fn page(&mut self, block: BlockNumber) -> Result<Option<PinnedPage>> {
        if self.current.as_ref().is_none_or(|(current, _)| *current != block) {
            self.current = None;
            let Some(before) = self.planned.iter().position(|planned| *planned == block) else { return Ok(None) };
            for _ in 0..before {
                self.planned.pop_front();
                // It is not asked for, nor is its error.
                let _ = self.stream.next().await;
            }
            self.planned.pop_front();
            let page = self.stream.next().await?;
            self.current = page.map(|page| (block, page));
        }
        debug_assert!(self.current.as_ref().is_none_or(|(_, page)| page.block() == block));
        Ok(self.current.as_ref().map(|(_, page)| page.clone()))
    }
}
