//! Reads of pages: begun here, ended by their shared completion, which verifies them.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use aio::{Handle, IoBuf, IoContext, IoError, IoObject, OpInfo, Target};

use super::clock::ScanRing;
use super::frames::ReadState;
use super::pinned_page::PinnedPage;
use super::{BufferPool, Inner};
use crate::error::{Result, StorageError};
use crate::page::{BlockNumber, PAGE_SIZE, verify};
use crate::smgr::{Relation, SEGMENT_BLOCKS, blocks_of, describe};

/// What became of the attempt to start a read.
pub(crate) enum Started {
    Reading(Vec<PinnedPage>),
    /// The first block is in the pool by now.
    Present,
    NoCleanBuffer,
}

/// The completion of page reads: verifies, and gives the frames their memory back.
impl Target for Inner {
    fn name(&self) -> &'static str {
        "smgr"
    }

    fn complete(&self, op: &OpInfo, result: &std::result::Result<u64, IoError>, bufs: &mut Vec<IoBuf>, data: &[u32]) {
        let (first, _, _) = blocks_of(op);
        for (index, (buf, &frame)) in bufs.drain(..).zip(data).enumerate() {
            let block = first + index as u32;
            let frame = &self.frames[frame];
            let relation = frame.meta.lock().tag.expect("a frame being read has an identity").0;
            let outcome = match result {
                Err(error) => Err(StorageError::Io(error.clone())),
                Ok(bytes) => {
                    let got = bytes.saturating_sub((index * PAGE_SIZE) as u64);
                    if got < PAGE_SIZE as u64 {
                        Err(StorageError::Truncated { file: op.file.clone(), block, got })
                    } else {
                        verify(&buf, relation, block).map_err(|reason| StorageError::Corrupt {
                            file: op.file.clone(),
                            block,
                            reason,
                        })
                    }
                }
            };
            let before = frame.page.write().replace(buf);
            debug_assert!(before.is_none(), "a frame that is being read has no memory");
            let mut meta = frame.meta.lock();
            debug_assert!(matches!(meta.read, ReadState::Reading(_)), "a read that ends was under way");
            meta.device_time = op.device_time;
            meta.read = match outcome {
                Ok(()) => ReadState::Idle,
                Err(error) => ReadState::Failed(error),
            };
        }
    }

    fn describe(&self, op: &OpInfo) -> String {
        describe(op)
    }
}

impl BufferPool {
    /// Starts one read of up to `count` blocks from `first` that are not in the pool.
    pub(crate) fn start_read(
        self: &Arc<Self>,
        mut handle: Handle,
        relation: &Relation,
        first: BlockNumber,
        count: u32,
        mut ring: Option<&mut ScanRing>,
        context: IoContext,
    ) -> Result<Started> {
        let (file, offset) = relation.locate(first, false)?;
        let count = count.min(SEGMENT_BLOCKS - first % SEGMENT_BLOCKS);
        let mut pages: Vec<PinnedPage> = Vec::with_capacity(count as usize);
        for block in first..first + count {
            let Some(frame) = self.victim(ring.as_deref_mut()) else {
                if pages.is_empty() {
                    return Ok(Started::NoCleanBuffer);
                }
                break;
            };
            let tag = (relation.id(), block);
            let mut shard = self.map.shard(&tag).lock();
            if shard.contains_key(&tag) {
                // Another session was faster.
                drop(shard);
                self.give_back(frame);
                if pages.is_empty() {
                    return Ok(Started::Present);
                }
                break;
            }
            let mut meta = self.frames[frame].meta.lock();
            shard.insert(tag, frame);
            meta.tag = Some(tag);
            // One read is no sign of a second use: once round the clock, and it may go.
            meta.usage = 0;
            meta.period = self.period();
            meta.read = ReadState::Reading(None);
            drop(meta);
            drop(shard);
            if let Some(ring) = ring.as_deref_mut() {
                ring.frames.push_back(frame);
            }
            pages.push(PinnedPage { pool: self.handle(), frame });
        }
        self.counters.reads.fetch_add(pages.len() as u64, Ordering::Relaxed);
        if let Some(counters) = relation.counters() {
            counters.note_reads(pages.len() as u64);
        }
        handle.set_data(pages.iter().map(|p| p.frame));
        // A frame being read owns no memory: the operation does.
        let bufs = pages
            .iter()
            .map(|p| self.frames[p.frame].page.write().take().expect("a frame that is not read has its memory"));
        let target: Arc<dyn Target> = self.inner.clone();
        let io = handle.read(&file, offset, bufs, &target, (IoObject::Relation, context));
        let reference = io.reference();
        for page in &pages {
            let mut meta = self.frames[page.frame].meta.lock();
            if let ReadState::Reading(unknown) = &mut meta.read {
                *unknown = Some(reference);
            }
        }
        // The shared completion finishes the pages; the outcome is in their frames.
        io.detach();
        Ok(Started::Reading(pages))
    }
}
