//! Flushing files: for checkpoints, and for loads whose pages the log does not have.
//!
//! # Invariants
//! * A relation has one flush at a time, and so has a directory. The system tells a failure once, to one of several that flush a
//!   file, and takes the pages for clean then: the others would call durable what is lost.
//! * The session that flushes next knows of the failure: it is noted before the flush counts as ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use aio::{File, Handle, Io, IoBuf, IoError, OpInfo, Session, Target};

use super::segment::describe;
use crate::condition_variable::ConditionVariable;
use crate::error::{Result, StorageError};

/// Files that are flushed together: a relation's, or a directory.
pub(crate) trait Flushed: Send + Sync {
    fn flushing(&self) -> &Flushing;

    /// The files to which something was written that is not flushed.
    fn unflushed(&self) -> Result<Vec<File>>;

    fn begin_flush(&self, handle: Handle, file: &File, target: &Arc<dyn Target>) -> Io;

    fn note_flush(&self, error: &IoError);

    /// Fails after a flush that failed.
    fn check_flushed(&self) -> Result<()>;
}

/// Are these files being flushed?
#[derive(Debug, Default)]
pub(crate) struct Flushing {
    under_way: AtomicBool,
    ended: ConditionVariable,
}

/// A flush of files. It ends when the system has answered, whether a session waits for that or not.
struct Flush {
    what: Arc<dyn Flushed>,
    files: Vec<File>,
    /// Files whose flush has not ended.
    left: AtomicUsize,
}

impl Flush {
    /// `None`: another session's is under way. An error: the files could not be opened.
    fn begin(what: &Arc<dyn Flushed>) -> Option<Result<Flush>> {
        if what.flushing().under_way.swap(true, Ordering::AcqRel) {
            return None;
        }
        let mut flush = Flush { what: what.clone(), left: AtomicUsize::new(0), files: Vec::new() };
        Some(what.unflushed().map(|files| {
            flush.left = files.len().into();
            flush.files = files;
            flush
        }))
    }

    fn end(&self) {
        let flushing = self.what.flushing();
        let was_under_way = flushing.under_way.swap(false, Ordering::AcqRel);
        assert!(was_under_way, "files have one flush at a time");
        flushing.ended.notify();
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

    /// Here, not where it is waited for: the session that began it may have been cancelled.
    fn complete(&self, _: &OpInfo, result: &std::result::Result<u64, IoError>, _: &mut Vec<IoBuf>, _: &[u32]) {
        if let Err(error) = result {
            self.what.note_flush(error);
        }
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.end();
        }
    }

    fn describe(&self, op: &OpInfo) -> String {
        describe(op)
    }
}

/// Files that are flushed at once, about: all of them are open then.
fn most_at_once() -> usize {
    (aio::descriptors::most_files() / 4).clamp(8, 1024)
}

/// Flushes as many at once as no other session is flushing. What cannot be flushed is broken from then on.
pub(super) async fn flush(session: &Session, all: &[Arc<dyn Flushed>]) -> Result<()> {
    let mut left: Vec<&Arc<dyn Flushed>> = all.iter().collect();
    let (mut outcome, most) = (Ok(()), most_at_once());
    while let Some(&next) = left.first() {
        // A session that waits for one keeps none from another.
        let mut first = Some(next.flushing().ended.wait_until(|| Flush::begin(next)).await);
        let (mut flushes, mut later) = (Vec::new(), Vec::new());
        for what in left {
            let begun = if flushes.len() >= most { None } else { first.take().or_else(|| Flush::begin(what)) };
            let Some(flush) = begun else {
                later.push(what);
                continue;
            };
            // The flush before may have failed.
            what.check_flushed()?;
            let flush = match flush {
                Ok(flush) => Arc::new(flush),
                Err(error) => {
                    outcome = outcome.and(Err(error));
                    continue;
                }
            };
            let target: Arc<dyn Target> = flush.clone();
            for file in &flush.files {
                flushes.push(what.begin_flush(session.get().await, file, &target));
            }
        }
        session.submit();
        for flush in flushes {
            outcome = outcome.and(flush.await.result.map(drop).map_err(StorageError::from));
        }
        left = later;
    }
    outcome
}
