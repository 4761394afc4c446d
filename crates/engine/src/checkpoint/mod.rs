//! Checkpoints, and the background tasks that write pages.
//!
//! # Invariants
//! * A checkpoint's redo position is taken first, together with the transactions in progress and the catalog; everything
//!   logged before it is on disk, flushed, when the control file says so.

pub(crate) mod counters;

use crate::checkpoint::counters::{BackgroundWriterCounters, CheckpointCounters};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use aio::{BackendKind, Session};
use storage::{BufferPool, DirtyPage, FileSet, PAGE_SIZE, WritePriority, write_free_space_maps, write_visibility_maps};
use wal::{Lsn, RecordHeader, format_lsn};

use crate::Result;
use crate::activity::Backend;
use crate::data_directory::control::{Control, FORMAT, known_read_speeds};
use crate::database::Database;
use crate::recovery::{CHECKPOINT, TRANSACTION, checkpoint_record};

/// Cleans pages when sessions need clean ones, until `ended`.
pub(crate) async fn clean_as_needed(
    pool: &Arc<BufferPool>,
    files: &FileSet,
    io: &Session,
    counters: &BackgroundWriterCounters,
    ended: impl Fn() -> bool,
) {
    loop {
        pool.cleaning_wanted().await;
        if ended() {
            return;
        }
        let limit = (pool.len() / CLEANED).clamp(16, MOST_CLEANED);
        match pool.clean(io, files, limit).await {
            Ok(pages) => {
                counters.pages.fetch_add(pages as u64, Ordering::Relaxed);
                counters.full_rounds.fetch_add(u64::from(pages >= limit), Ordering::Relaxed);
            }
            Err(error) => tracing::error!(%error, "could not write dirty pages"),
        }
    }
}

/// The part of the pool that is cleaned in one round, and at most so many pages. A session that needs one waits for the round: on
/// a metered volume of 3,000 IOPS one of 128 pages takes 40 ms.
const CLEANED: usize = 32;
const MOST_CLEANED: usize = 128;

/// Written before a paced checkpoint looks at the clock: 1 MiB.
const PACED_PAGES: usize = 128;

/// Bytes of log that a checkpoint's record takes, at most.
const RECORD: usize = 64;

/// Until the next attempt at a checkpoint that failed.
const AFTER_FAILURE: Duration = Duration::from_secs(10);

/// How much a checkpoint may take its time, so that others have the device too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// `checkpoint_timeout`: the time until the next one.
    time: Duration,
    /// Bytes of log until the next one.
    log: u64,
    /// `checkpoint_completion_target`: the share of either that may pass.
    target: f64,
}

impl Database {
    /// Writes everything that is dirty, flushes it, and moves the redo position up.
    pub async fn checkpoint(&self) -> Result<()> {
        self.inner.checkpoints.requested.fetch_add(1, Ordering::Relaxed);
        self.checkpoint_as(&self.inner.io, false, None).await
    }

    pub fn background_writer(&self) -> &BackgroundWriterCounters {
        &self.inner.background_writer
    }

    pub fn checkpoints(&self) -> &CheckpointCounters {
        &self.inner.checkpoints
    }

    pub(crate) async fn checkpoint_as(&self, io: &Session, clean: bool, pace: Option<Pace>) -> Result<()> {
        if pace.is_none() {
            self.inner.checkpoint_wanted.store(true, Ordering::Release);
        }
        let mut catalog_file = self.inner.checkpoint.lock().await;
        if pace.is_none() {
            self.inner.checkpoint_wanted.store(false, Ordering::Release);
        }
        let inner = &self.inner;
        let store = &inner.store;
        // For its record. On a full disk it begins without one: it may be what makes room.
        match store.log.reserve_to_end(io, RECORD).await {
            Err(error) if !error.is_out_of_space() => return Err(error.into()),
            _ => {}
        }
        let (mut state, header) = (None, RecordHeader { xid: 0, manager: TRANSACTION, kind: CHECKPOINT });
        let begun = store.log.begin_checkpoint(header, &[&checkpoint_record(inner.system_identifier)], || {
            let committing = inner.committing.lock().clone();
            let (next_xid, unfinished) = store.transactions.for_checkpoint();
            let reserved = inner.reserved.lock().clone();
            let changes = std::mem::take(&mut *inner.catalog_changes.lock());
            state = Some((committing, next_xid, unfinished, reserved, (inner.catalog.get(), changes)));
        });
        let redo = begun.redo;
        let (committing, next_xid, unfinished, reserved, (catalog, changes)) = state.expect("the closure ran");
        catalog_file.take(changes);
        // Their commit records are before the redo position: recovery will not see them.
        let unfinished = unfinished.into_iter().filter(|(xid, _)| !committing.contains(xid));
        let unfinished: Vec<_> = unfinished.map(|(xid, undo)| (xid, undo.0)).collect();
        let open = reserved.iter().filter(|(xid, _)| !committing.contains(xid));
        let reserved = open
            .flat_map(|(xid, ranges)| ranges.iter().map(|(r, b)| (*xid, (r.database, r.file, b.start, b.end))))
            .collect();
        let pages = store.pool.dirty_pages().await;
        let count = pages.len();
        let recorded = begun.record_end.unwrap_or(redo);
        store.log.flush_to(io, recorded).await.inspect_err(|e| self.fail(e.to_string()))?;
        let clock = inner.engine.clock();
        let started = clock.now();
        self.write_paced(io, pages, redo, pace).await?;
        write_visibility_maps(&store.pool, io, &inner.files, || store.log.insert_position()).await?;
        write_free_space_maps(&store.pool, io, &inner.files).await;
        let wrote = clock.now();
        if !inner.skip_checkpoint_flushes {
            self.flush_files(io).await?;
        }
        let synced = clock.now();
        self.check_directory()?;
        catalog_file.write(&catalog)?;
        let control = Control {
            format: FORMAT,
            page_size: PAGE_SIZE,
            system_identifier: inner.system_identifier,
            redo,
            wal_segment_size: inner.wal_segment_size,
            redo_epoch: inner.epoch,
            has_record: begun.record_end.is_some(),
            epoch: inner.epoch,
            // A transaction that could not be taken back is left to the next start.
            clean: clean && unfinished.is_empty(),
            next_xid,
            unfinished,
            reserved,
            catalog: catalog_file.place(),
            next_oid: inner.next_oid.load(Ordering::Relaxed),
            read_speeds: known_read_speeds(&inner.engine, &store.files, &catalog),
            mock_secret: inner.mock_secret.clone(),
        };
        control.write(&inner.root, inner.started_up.load(Ordering::Acquire))?;
        catalog_file.remove_others();
        inner.quiet_since.store(recorded, Ordering::Release);
        inner.statistics.write(&catalog);
        let before = inner.last_redo.swap(redo, Ordering::AcqRel);
        // As much as the next one will take if it is like this one, within the settings.
        let (least, most) = {
            let settings = inner.settings.read();
            (settings.bytes("min_wal_size") as u64, settings.bytes("max_wal_size") as u64)
        };
        let keep = (redo - before).clamp(least, most.max(least)) / inner.wal_segment_size;
        store.log.recycle_before(redo, keep as usize)?;
        let counters = &inner.checkpoints;
        counters.done.fetch_add(1, Ordering::Relaxed);
        counters.pages.fetch_add(count as u64, Ordering::Relaxed);
        counters.write_time.fetch_add(wrote - started, Ordering::Relaxed);
        counters.sync_time.fetch_add(synced - wrote, Ordering::Relaxed);
        tracing::debug!(pages = count, redo = format_lsn(redo), "checkpoint complete");
        Ok(())
    }

    async fn flush_files(&self, io: &Session) -> Result<()> {
        let files = &self.inner.files;
        let flushed = files.sync(io).await;
        // After a failed flush the kernel may call the pages clean; only the log still has them. A tablespace's relations are
        // left alone until the next start, and the log is kept for it.
        if let Err(error) = &flushed
            && files.is_broken()
        {
            self.fail(error.to_string());
        }
        Ok(flushed?)
    }

    /// Writes a checkpoint's pages, slowly enough to be done when `pace` says, fast enough not to be late.
    async fn write_paced(&self, io: &Session, pages: Vec<DirtyPage>, redo: Lsn, pace: Option<Pace>) -> Result<()> {
        let (inner, pool) = (&self.inner, &self.inner.store.pool);
        let Some(pace) = pace else {
            let written = pool.write_dirty(io, &inner.files, pages, WritePriority::Foreground).await?;
            return Ok(pool.write_elsewhere(io, &inner.files, written.elsewhere).await?);
        };
        let started = inner.engine.clock().now();
        let (mut written, mut elsewhere) = (0, Vec::new());
        // What part of the checkpoint is written, and what part should be by now.
        let progress = |written: usize| written as f64 / pages.len() as f64 * pace.target;
        let due = || {
            let time = (inner.engine.clock().now() - started) as f64 / pace.time.as_nanos() as f64;
            let logged = (inner.store.log.insert_position() - redo) as f64 / pace.log as f64;
            time.max(logged)
        };
        let hurries = || inner.closed.load(Ordering::Acquire) || inner.checkpoint_wanted.load(Ordering::Acquire);
        for batch in pages.chunks(PACED_PAGES) {
            // Late even with this batch.
            let is_late = progress(written + batch.len()) < due();
            let priority = if is_late || hurries() { WritePriority::Foreground } else { WritePriority::Background };
            elsewhere.extend(pool.write_dirty(io, &inner.files, batch.to_vec(), priority).await?.elsewhere);
            written += batch.len();
            while progress(written) > due() && !hurries() {
                inner.engine.sleep(Duration::from_millis(100)).await;
            }
        }
        Ok(pool.write_elsewhere(io, &inner.files, elsewhere).await?)
    }

    /// The checkpointer: runs until the database is closed.
    pub async fn run_checkpointer(&self) {
        let Ok(backend) = self.auxiliary(BackendKind::Checkpointer) else { return };
        let inner = &self.inner;
        let mut last = inner.engine.clock().now();
        loop {
            inner.engine.sleep(Duration::from_secs(1)).await;
            if inner.closed.load(Ordering::Acquire) {
                return;
            }
            self.take_back_deferred(&backend).await;
            let pace = {
                let settings = inner.settings.read();
                let target = settings.real("checkpoint_completion_target");
                Pace {
                    time: Duration::from_secs(settings.integer("checkpoint_timeout") as u64),
                    // One checkpoint is written while the log for the next one grows: both must fit.
                    log: (settings.bytes("max_wal_size") as f64 / (1.0 + target)) as u64,
                    target,
                }
            };
            let position = inner.store.log.insert_position();
            let redo = inner.last_redo.load(Ordering::Acquire);
            let now = inner.engine.clock().now();
            let quiet_since = inner.quiet_since.load(Ordering::Acquire);
            let due = now - last > pace.time.as_nanos() as u64 && position > quiet_since;
            let full = inner.store.log.ran_full();
            if full {
                tracing::error!("no space for the log; a checkpoint follows, to free some");
            }
            if due || full || position - redo > pace.log {
                last = now;
                let counter = if due { &inner.checkpoints.timed } else { &inner.checkpoints.requested };
                counter.fetch_add(1, Ordering::Relaxed);
                if let Err(error) = self.checkpoint_as(&backend.io, false, (!full).then_some(pace)).await {
                    tracing::error!(%error, "checkpoint failed");
                    inner.engine.sleep(AFTER_FAILURE).await;
                }
            }
        }
    }

    /// The log writer: makes asynchronous commits durable, `wal_writer_delay` later at most.
    pub async fn run_log_writer(&self) {
        let Ok(backend) = self.auxiliary(BackendKind::LogWriter) else { return };
        let inner = &self.inner;
        loop {
            let delay = inner.settings.read().integer("wal_writer_delay") as u64;
            inner.engine.sleep(Duration::from_millis(delay)).await;
            if inner.closed.load(Ordering::Acquire) {
                return;
            }
            let log = &inner.store.log;
            if let Err(error) = log.flush_to(&backend.io, log.insert_position()).await {
                self.fail(error.to_string());
                return;
            }
        }
    }

    /// The background writer: cleans pages when sessions need clean ones.
    pub async fn run_background_writer(&self) {
        let Ok(backend) = self.auxiliary(BackendKind::BackgroundWriter) else { return };
        let inner = &self.inner;
        let ended = || inner.closed.load(Ordering::Acquire);
        clean_as_needed(&inner.store.pool, &inner.files, &backend.io, &inner.background_writer, ended).await;
    }

    fn auxiliary(&self, kind: BackendKind) -> Result<Arc<Backend>> {
        self.inner.activity.enter(kind, None, None, None, None)
    }
}
