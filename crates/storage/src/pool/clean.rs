//! Cleaning: the background writer writes pages that the clock takes next, and sessions that find no clean page wait for that.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use aio::{IoContext, Session};

use super::BufferPool;
use super::write::{DirtyPage, WritePriority};
use super::write_stream::WriteStream;
use crate::error::{Result, StorageError};
use crate::page::BlockNumber;
use crate::smgr::{FileSet, RelationId};

/// The cleaner looks at so many frames for each page that it may write, if it has found any.
const LOOKED_AHEAD: usize = 8;

/// Counts a session that waits, until it is dropped.
struct Waiting<'a>(&'a AtomicU64);

impl Waiting<'_> {
    fn new(count: &AtomicU64) -> Waiting<'_> {
        count.fetch_add(1, Ordering::Relaxed);
        Waiting(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl BufferPool {
    /// Asks for cleaning and waits for a round of it. Fails when no page could be written, and when there was nothing to
    /// clean either: all pages are pinned.
    pub(crate) async fn wait_for_cleaner(&self) -> Result<()> {
        let before = self.rounds.load(Ordering::Acquire);
        if !self.frames.iter().any(|(_, f)| f.meta.lock().dirty) {
            // Pins may be gone by now, or go when pages are written: the caller's next attempt tells.
            let free = || self.frames.iter().any(|(_, f)| f.meta.lock().pins == 0);
            let writing = || self.frames.iter().any(|(_, f)| f.meta.lock().writes > 0);
            if !free() && !writing() {
                return Err(StorageError::NoBuffers);
            }
            self.written.wait_until(|| (free() || !writing()).then_some(())).await;
            return Ok(());
        }
        self.ask_for_cleaning();
        let _waiting = Waiting::new(&self.waiting);
        self.cleaned.wait_until(|| (self.rounds.load(Ordering::Acquire) != before).then_some(())).await;
        self.round_failed.lock().clone().map_or(Ok(()), Err)
    }

    /// For the background writer: resolves when a session needs clean pages.
    pub async fn cleaning_wanted(&self) {
        self.cleaning_wanted.wait_until(|| (self.wanted.load(Ordering::Acquire) > 0).then_some(())).await;
    }

    /// Writes up to `limit` dirty, unpinned pages (those that the clock takes next), sorted and combined, and with them neighbours, which
    /// cost no operation of their own. Gives their number.
    pub async fn clean(self: &Arc<Self>, session: &Session, files: &FileSet, limit: usize) -> Result<usize> {
        self.wanted.store(0, Ordering::Release);
        let unwritable = files.unwritable();
        let mut pages = self.dirty_ahead(&unwritable, limit);
        if !self.is_waited_for() {
            self.add_neighbours(&unwritable, &mut pages);
        }
        let frames: Vec<u32> = pages.iter().map(|p| p.frame).collect();
        let result =
            self.write_dirty(session, files, pages, WritePriority::Background).await.map(|written| written.pages);
        let none = || frames.iter().all(|&frame| self.frames[frame].meta.lock().dirty);
        *self.round_failed.lock() = result.as_ref().err().filter(|_| none()).cloned();
        self.rounds.fetch_add(1, Ordering::AcqRel);
        self.cleaned.notify();
        result
    }

    /// Up to `limit` dirty, unpinned pages ahead of the clock's hand: those that were not used since it came by, or else others;
    /// what cannot be written just now only where there is nothing else. Looks no further than it must.
    fn dirty_ahead(&self, unwritable: &[RelationId], limit: usize) -> Vec<DirtyPage> {
        let (start, used) = (self.hand.load(Ordering::Relaxed), self.frames.used());
        let (mut idle, mut others, mut stuck) = (Vec::with_capacity(limit), Vec::new(), Vec::new());
        for step in 0..used {
            let enough = step % (LOOKED_AHEAD * limit) == 0 && (!idle.is_empty() || !others.is_empty());
            if enough || idle.len() == limit {
                break;
            }
            let frame = ((start + step) % used) as u32;
            let meta = self.frames[frame].meta.lock();
            let Some(tag) = meta.tag.filter(|_| meta.dirty && meta.pins == 0) else { continue };
            let group = match (unwritable.contains(&tag.0), meta.usage) {
                (true, _) => &mut stuck,
                (_, 0) => &mut idle,
                _ => &mut others,
            };
            if group.len() < limit {
                group.push(DirtyPage { frame, tag });
            }
        }
        [idle, others, stuck].into_iter().find(|group| !group.is_empty()).unwrap_or_default()
    }

    /// Adds dirty pages that are next to these in what one operation writes and that were not used in this period, so that their log
    /// has mostly been written. Not to what could not be written: it is tried alone.
    fn add_neighbours(&self, unwritable: &[RelationId], pages: &mut Vec<DirtyPage>) {
        // Others' writes need buffers, too.
        let most = self.write_arena.count() / 4 * 3;
        let run = WriteStream::run_limit(self, IoContext::Normal) as BlockNumber;
        let period = self.period();
        let idle = |relation: RelationId, block: BlockNumber| {
            let tag = (relation, block);
            let frame = self.map.frame_of(&tag)?;
            let meta = self.frames[frame].meta.lock();
            let is_idle = meta.tag == Some(tag) && meta.dirty && meta.pins == 0 && meta.period != period;
            is_idle.then_some(DirtyPage { frame, tag })
        };
        for at in 0..pages.len() {
            let (relation, block) = pages[at].tag;
            if pages.len() >= most || unwritable.contains(&relation) {
                continue;
            }
            let first = block - block % run;
            let behind = (block..first + run).skip(1).map_while(|block| idle(relation, block));
            let before = (first..block).rev().map_while(|block| idle(relation, block));
            pages.extend(behind.chain(before));
        }
        pages.sort_unstable_by_key(|page| page.tag);
        pages.dedup_by_key(|page| page.tag);
    }
}
