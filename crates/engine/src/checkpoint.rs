//! Checkpoints, and the background tasks that write pages.
//!
//! # Invariants
//! * A checkpoint's redo position is taken first, together with the transactions in progress and the catalog; everything
//!   logged before it is on disk, flushed, when the control file says so.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use aio::{BackendKind, IoContext, Session};
use storage::{PAGE_SIZE, WriteStream};
use wal::{SEGMENT_SIZE, format_lsn};

use crate::activity::Backend;
use crate::catalog::Catalog;
use crate::control::{Control, FORMAT};
use crate::database::Database;
use crate::error::Result;

impl Database {
    /// Writes everything that is dirty, flushes it, and moves the redo position up.
    pub async fn checkpoint(&self) -> Result<()> {
        self.checkpoint_as(&self.inner.io, false).await
    }

    pub(crate) async fn checkpoint_as(&self, io: &Session, clean: bool) -> Result<()> {
        let _one = self.inner.checkpoint.lock().await;
        let inner = &self.inner;
        let store = &inner.store;
        let mut state = None;
        let redo = store.log.begin_checkpoint(|| {
            let committing = inner.committing.lock().clone();
            let (next_xid, unfinished) = store.transactions.for_checkpoint();
            let reserved = inner.reserved.lock().clone();
            state = Some((committing, next_xid, unfinished, reserved, inner.catalog.read().clone()));
        });
        let (committing, next_xid, unfinished, reserved, catalog) = state.expect("the closure ran");
        // Their commit records are before the redo position: recovery will not see them.
        let unfinished = unfinished.into_iter().filter(|(xid, _)| !committing.contains(xid));
        let unfinished = unfinished.map(|(xid, undo)| (xid, undo.0)).collect();
        let open = reserved.iter().filter(|(xid, _)| !committing.contains(xid));
        let reserved = open
            .flat_map(|(xid, ranges)| ranges.iter().map(|(r, b)| (*xid, (r.database, r.file, b.start, b.end))))
            .collect();
        let pages = store.pool.dirty_pages();
        let count = pages.len();
        store.log.flush_to(io, redo).await.inspect_err(|e| self.fail(e.to_string()))?;
        store.pool.write_dirty(io, &inner.files, pages, IoContext::Normal).await?;
        for relation in inner.files.open_relations() {
            if let Err(error) = WriteStream::sync(io, &relation).await {
                // After a failed flush the kernel may call the pages clean; only the log still has them.
                self.fail(error.to_string());
                return Err(error.into());
            }
        }
        let control = Control {
            format: FORMAT,
            page_size: PAGE_SIZE,
            system_identifier: inner.system_identifier,
            redo,
            clean,
            next_xid,
            unfinished,
            reserved,
            catalog: Catalog { next_oid: inner.next_oid.load(Ordering::Relaxed), ..Catalog::clone(&catalog) },
            read_depth: store.pool.read_depth(),
        };
        control.write(&inner.root)?;
        inner.last_redo.store(redo, Ordering::Release);
        let keep = (inner.settings.read().integer("max_wal_size") as u64 * (1 << 20) / SEGMENT_SIZE / 4).min(16);
        store.log.recycle_before(redo, keep as usize)?;
        tracing::debug!(pages = count, redo = format_lsn(redo), "checkpoint complete");
        Ok(())
    }

    /// The checkpointer: runs until the database is closed.
    pub async fn run_checkpointer(&self, mut sleep: impl FnMut(Duration) -> Pin<Box<dyn Future<Output = ()> + Send>>) {
        let Ok(backend) = self.auxiliary(BackendKind::Checkpointer) else { return };
        let mut last = self.inner.engine.clock().now();
        loop {
            sleep(Duration::from_secs(1)).await;
            if self.inner.closed.load(Ordering::Acquire) {
                return;
            }
            let (timeout, max_wal) = {
                let settings = self.inner.settings.read();
                (settings.integer("checkpoint_timeout") as u64, settings.bytes("max_wal_size") as u64)
            };
            let position = self.inner.store.log.insert_position();
            let redo = self.inner.last_redo.load(Ordering::Acquire);
            let now = self.inner.engine.clock().now();
            let due = now - last > timeout * 1_000_000_000 && position > redo;
            if due || position - redo > max_wal / 2 {
                last = now;
                if let Err(error) = self.checkpoint_as(&backend.io, false).await {
                    tracing::error!(%error, "checkpoint failed");
                }
            }
        }
    }

    /// The background writer: cleans pages when somebody needs them.
    pub async fn run_background_writer(&self) {
        let Ok(backend) = self.auxiliary(BackendKind::BackgroundWriter) else { return };
        let pool = &self.inner.store.pool;
        let limit = (pool.len() / 8).clamp(16, 1024);
        loop {
            pool.cleaning_wanted().await;
            if self.inner.closed.load(Ordering::Acquire) {
                return;
            }
            if let Err(error) = pool.clean(&backend.io, &self.inner.files, limit).await {
                tracing::error!(%error, "could not write dirty pages");
            }
        }
    }

    fn auxiliary(&self, kind: BackendKind) -> Result<Arc<Backend>> {
        self.inner.activity.enter(kind, None, None, None, 0, None)
    }
}
