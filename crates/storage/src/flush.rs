//! Flushing relations: for checkpoints, and for whoever has written pages that the log does not have.
//!
//! # Invariants
//! * A relation has one flush at a time. The system tells a failure once, to one of several that flush a file, and takes the pages
//!   for clean then: the others would call durable what is lost.
//! * Whoever flushes next knows of the failure: it is noted before the flush counts as ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use aio::{File, IoBuf, IoContext, IoError, IoObject, OpInfo, Session, Target};

use crate::error::{Result, StorageError};
use crate::pool::Event;
use crate::relation::{Relation, describe};

/// Is somebody flushing a relation's files?
#[derive(Debug, Default)]
pub(crate) struct Flushing {
    under_way: AtomicBool,
    ended: Event,
}

/// A flush of a relation's files. It ends when the system has answered, whoever waits for that.
struct Flush {
    relation: Arc<Relation>,
    files: Vec<File>,
    /// Files whose flush has not ended.
    left: AtomicUsize,
}

impl Flush {
    /// `None`: somebody else's is under way.
    fn begin(relation: &Arc<Relation>) -> Option<Flush> {
        if relation.flushing.under_way.swap(true, Ordering::AcqRel) {
            return None;
        }
        let mut files = relation.open_segments();
        files.retain(File::is_unflushed);
        Some(Flush { relation: relation.clone(), left: files.len().into(), files })
    }

    fn end(&self) {
        self.relation.flushing.under_way.store(false, Ordering::Release);
        self.relation.flushing.ended.notify();
    }
}

impl Drop for Flush {
    /// There was nothing to do, or it was given up before everything was begun.
    fn drop(&mut self) {
        if self.files.is_empty() || *self.left.get_mut() > 0 {
            self.end();
        }
    }
}

impl Target for Flush {
    fn name(&self) -> &'static str {
        "smgr"
    }

    /// Here, not where it is waited for: whoever began it may have been cancelled.
    fn complete(&self, _: &OpInfo, result: &std::result::Result<u64, IoError>, _: &mut Vec<IoBuf>, _: &[u32]) {
        if let Err(error) = result {
            self.relation.note_flush(error);
        }
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.end();
        }
    }

    fn describe(&self, op: &OpInfo) -> String {
        describe(op)
    }
}

impl Relation {
    /// Flushes the data of everything written to these relations so far, by anybody; as many at once as nobody else is flushing.
    /// Every one of them that cannot be flushed is broken.
    pub async fn sync(session: &Session, relations: &[Arc<Relation>]) -> Result<()> {
        let mut left: Vec<&Arc<Relation>> = relations.iter().collect();
        let mut outcome = Ok(());
        while let Some(&next) = left.first() {
            // Whoever waits for one keeps nobody from another.
            let mut first = Some(next.flushing.ended.wait_until(|| Flush::begin(next)).await);
            let (mut flushes, mut busy) = (Vec::new(), Vec::new());
            for relation in left {
                let Some(flush) = first.take().or_else(|| Flush::begin(relation)) else {
                    busy.push(relation);
                    continue;
                };
                // The flush before may have failed.
                relation.check_flushed()?;
                let flush = Arc::new(flush);
                let target: Arc<dyn Target> = flush.clone();
                for file in &flush.files {
                    let handle = session.get().await;
                    flushes.push(handle.fdatasync(file, &target, (IoObject::Relation, IoContext::Normal)));
                }
            }
            session.submit();
            for flush in flushes {
                outcome = outcome.and(flush.await.result.map(drop).map_err(StorageError::from));
            }
            left = busy;
        }
        outcome
    }
}
