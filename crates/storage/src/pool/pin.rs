//! Finding pages and pinning them, reading them if need be.

use std::sync::Arc;

use aio::{IoContext, IoObject, Session, StatKey, StatOp};

use super::BufferPool;
use super::frames::ReadState;
use super::pinned_page::PinnedPage;
use super::read::Started;
use crate::error::Result;
use crate::page::BlockNumber;
use crate::smgr::{Relation, RelationId};

/// What a look into the map gave.
pub(crate) enum Lookup {
    Cached(PinnedPage),
    /// Being read, by the session that was first.
    Reading(PinnedPage),
    Absent,
}

impl BufferPool {
    /// Looks for a page and pins it.
    pub(crate) fn lookup(self: &Arc<Self>, relation: RelationId, block: BlockNumber) -> Lookup {
        let tag = (relation, block);
        let shard = self.map.shard(&tag).lock();
        let Some(&frame) = shard.get(&tag) else { return Lookup::Absent };
        let mut meta = self.frames[frame].meta.lock();
        debug_assert_eq!(meta.tag, Some(tag));
        meta.pins += 1;
        self.note_use(&mut meta);
        let cached = matches!(meta.read, ReadState::Idle);
        drop(meta);
        drop(shard);
        let page = PinnedPage { pool: self.handle(), frame };
        if cached { Lookup::Cached(page) } else { Lookup::Reading(page) }
    }

    /// Pins a page that is in the pool; `None`: it is not, or still being read.
    pub fn pin_cached(
        self: &Arc<Self>,
        session: &Session,
        relation: &Relation,
        block: BlockNumber,
        context: IoContext,
    ) -> Option<PinnedPage> {
        let Lookup::Cached(page) = self.lookup(relation.id(), block) else { return None };
        self.count_hit(session, relation, context);
        Some(page)
    }

    /// A page was in the pool.
    pub(crate) fn count_hit(&self, session: &Session, relation: &Relation, context: IoContext) {
        if let Some(counters) = relation.counters() {
            counters.note_hit();
        }
        let key = StatKey::new(session.backend(), IoObject::Relation, context);
        self.engine.stats().count(key, StatOp::Hit, 1, 0, 0);
        session.note_usage(|usage| usage.hits += 1);
    }

    /// Pins a page, reading it if need be. `ring` keeps a large scan from evicting other sessions' pages.
    pub async fn pin(
        self: &Arc<Self>,
        session: &Session,
        relation: &Relation,
        block: BlockNumber,
        context: IoContext,
    ) -> Result<PinnedPage> {
        loop {
            match self.lookup(relation.id(), block) {
                Lookup::Cached(page) => {
                    self.count_hit(session, relation, context);
                    return Ok(page);
                }
                Lookup::Reading(page) => {
                    session.note_usage(|usage| usage.hits += 1);
                    page.wait_read().await?;
                    return Ok(page);
                }
                Lookup::Absent => {
                    let handle = session.get().await;
                    let started = self.start_read(handle, relation, block, 1, None, context)?;
                    match started {
                        Started::Reading(mut pages) => {
                            let page = pages.pop().expect("one page was asked for");
                            self.wait_watched(session, &page).await?;
                            return Ok(page);
                        }
                        Started::Present => {}
                        Started::NoCleanBuffer => self.wait_for_cleaner().await?,
                    }
                }
            }
        }
    }

    /// Waits for a page that the session has begun to read.
    async fn wait_watched(&self, session: &Session, page: &PinnedPage) -> Result<()> {
        let begun = self.engine.clock().now();
        let _waiting = session.waiting();
        session.note_usage(|usage| usage.read_started(1, u64::from(session.waiters())));
        page.wait_read().await?;
        session.note_usage(|usage| usage.read_ended(page.device_time(), self.engine.clock().now() - begun));
        Ok(())
    }
}
