//! Recovery: the log from the last checkpoint on, then taking back what had not committed.
//!
//! Replaying brings every page to where it was, changes of unfinished transactions and their undo records included. Then
//! those transactions are rolled back like any other, blocks of unfinished bulk loads are emptied, and files that no
//! table has any more are removed.
//!
//! The log is replayed in stretches: the pages that a stretch needs are read first, in the order of the files and through
//! read streams, so that the device is kept busy; then nothing waits while it is replayed.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use access::bulk::{self, Reservations};
use access::edit::{self, PAGES};
use access::rekeyed;
use aio::{IoContext, Session};
use storage::{BlockNumber, BufferPool, Concurrency, FileSet, PinnedPage, ReadStream, RelationId};
use txn::{UndoPtr, Xid};
use wal::{LogReader, Record, RecordHeader, format_lsn};

use crate::catalog::{Catalog, Change};
use crate::control::Control;
use crate::error::{EngineError, Result};

/// The catalog's and the transactions' numbers among the log's resource managers.
pub(crate) const CATALOG: u8 = 2;
pub(crate) const TRANSACTION: u8 = 3;
pub(crate) const COMMIT: u8 = 1;
pub(crate) const ABORT: u8 = 2;

/// Log replayed at once, in bytes: it is in memory as a whole.
const STRETCH: usize = 8 << 20;
/// Progress is told of after this long.
const TOLD_EVERY: Duration = Duration::from_secs(10);

/// Replays the log up to its end.
pub(crate) async fn redo(
    recovery: &mut Recovery,
    reader: &mut LogReader,
    pool: &Arc<BufferPool>,
    files: &FileSet,
    io: &Session,
) -> Result<()> {
    let (started, start) = (Instant::now(), reader.position());
    let mut told = started;
    // Pages that are kept in memory for a stretch; the rest is for what its changes make.
    let most = pool.len() / 4;
    let mut ended = false;
    while !ended {
        let (mut stretch, mut bytes) = (Vec::new(), 0);
        // By page: is it read, or made anew by what comes first?
        let mut pages: BTreeMap<(RelationId, BlockNumber), bool> = BTreeMap::new();
        while bytes < STRETCH && pages.len() < most {
            let Some(record) = reader.next(io).await? else {
                ended = true;
                break;
            };
            if (record.header.manager, record.header.kind) == (PAGES, edit::CHANGE) {
                edit::pages(&record).for_each(|(id, block, read)| {
                    pages.entry((id, block)).or_insert(read);
                });
            }
            bytes += record.payload.len();
            stretch.push(record);
        }
        if recovery.records == 0
            && let Some(first) = stretch.first()
        {
            let at = format_lsn(first.start);
            tracing::info!("database system was not properly shut down; redo starts at {at}");
        }
        let wanted = pages.into_iter().filter(|(_, read)| *read).map(|(page, _)| page).collect();
        let kept = read_ahead(wanted, pool, files, io).await;
        for record in stretch {
            recovery.replay(&record, pool, files, io).await?;
            if told.elapsed() >= TOLD_EVERY {
                told = Instant::now();
                tracing::info!(
                    "redo in progress, elapsed time: {:.2} s, current LSN: {}",
                    started.elapsed().as_secs_f64(),
                    format_lsn(record.end)
                );
            }
        }
        drop(kept);
    }
    if recovery.records > 0 {
        let elapsed = started.elapsed().as_secs_f64();
        let (records, end) = (recovery.records, reader.position());
        tracing::info!(
            "redo done at {}: {records} records, {} bytes of log in {elapsed:.2} s",
            format_lsn(end),
            end - start
        );
    }
    Ok(())
}

/// Reads pages, given in order, and keeps them in memory for as long as what this gives lives. What cannot be read is left
/// out: replaying will say so, unless it makes the page anew.
async fn read_ahead(
    pages: Vec<(RelationId, BlockNumber)>,
    pool: &Arc<BufferPool>,
    files: &FileSet,
    io: &Session,
) -> Vec<PinnedPage> {
    let mut kept = Vec::with_capacity(pages.len());
    for of_one in pages.chunk_by(|a, b| a.0 == b.0) {
        let Ok(relation) = files.open(of_one[0].0) else { continue };
        let end = relation.blocks();
        let blocks: Vec<BlockNumber> = of_one.iter().map(|(_, block)| *block).filter(|block| *block < end).collect();
        let count = blocks.len();
        let mut blocks = blocks.into_iter();
        let next = Box::new(move || blocks.next());
        let mut stream = ReadStream::new(pool, io, &relation, Concurrency::Auto, IoContext::Normal, None, next);
        for _ in 0..count {
            if let Ok(Some(page)) = stream.next().await {
                kept.push(page);
            }
        }
    }
    kept
}

/// The state that replaying builds up.
pub(crate) struct Recovery {
    pub catalog: Catalog,
    pub next_xid: Xid,
    /// Transactions in progress, and their latest undo records.
    pub unfinished: BTreeMap<Xid, UndoPtr>,
    pub reserved: Reservations,
    pub records: u64,
}

impl Recovery {
    pub fn new(control: &Control) -> Recovery {
        let mut reserved = Reservations::new();
        for &(xid, (database, file, first, end)) in &control.reserved {
            reserved.entry(xid).or_default().push((RelationId { database, file }, first..end));
        }
        Recovery {
            catalog: control.catalog.clone().restored(),
            next_xid: control.next_xid,
            unfinished: control.unfinished.iter().map(|&(xid, undo)| (xid, UndoPtr(undo))).collect(),
            reserved,
            records: 0,
        }
    }

    pub async fn replay(
        &mut self,
        record: &Record,
        pool: &Arc<BufferPool>,
        files: &FileSet,
        io: &Session,
    ) -> Result<()> {
        self.records += 1;
        let RecordHeader { xid, manager, kind } = record.header;
        self.next_xid = self.next_xid.max(xid + 1);
        match (manager, kind) {
            (TRANSACTION, COMMIT) => {
                self.unfinished.remove(&xid);
                self.reserved.remove(&xid);
                if !record.payload.is_empty() {
                    for change in self.changes(record)? {
                        self.catalog.apply(change);
                    }
                }
            }
            (TRANSACTION, ABORT) => {
                self.unfinished.remove(&xid);
                self.reserved.remove(&xid);
            }
            (CATALOG, _) => {
                for change in self.changes(record)? {
                    if let Change::PutDatabase(database) = &change {
                        files.create_database(database.oid)?;
                    }
                    self.catalog.apply(change);
                }
            }
            (PAGES, edit::CHANGE) => {
                let undo = edit::replay(record, pool, files, io).await?;
                if xid != 0 {
                    self.unfinished.insert(xid, undo);
                }
            }
            (PAGES, edit::RESERVE) => bulk::replay(record, files, &mut self.reserved)?,
            (PAGES, edit::RELEASE) => bulk::replay_release(record, &mut self.reserved)?,
            (PAGES, edit::REKEYED) => rekeyed::replay(record, files)?,
            _ => {
                return Err(EngineError::new(
                    "XX001",
                    format!("unknown record {manager}/{kind} at {} in the log", format_lsn(record.start)),
                ));
            }
        }
        Ok(())
    }

    fn changes(&self, record: &Record) -> Result<Vec<Change>> {
        serde_json::from_slice(&record.payload).map_err(|e| {
            EngineError::new("XX001", format!("invalid catalog record at {}: {e}", format_lsn(record.start)))
        })
    }
}

/// What cannot be removed now, on a volume that is read-only, say, is tried again at the next start.
fn warn_of(removed: storage::Result<()>) {
    if let Err(error) = removed {
        tracing::warn!(%error, "what nobody needs could not be removed");
    }
}

/// Removes the files that nothing in the catalog has: of tables that were dropped, or made by transactions that did not
/// commit.
pub(crate) async fn remove_orphans(catalog: &Catalog, files: &FileSet, pool: &Arc<BufferPool>) -> Result<()> {
    for oid in files.databases()? {
        let known: Option<HashSet<u32>> = match oid {
            0 => Some(HashSet::from([access::UNDO.file])),
            _ => catalog.database_by_oid(oid).map(|d| d.files().collect()),
        };
        for id in files.list(oid)? {
            if !known.as_ref().is_some_and(|known| known.contains(&id.main().file)) {
                tracing::info!(relation = %id, "removing a file that no table has");
                pool.forget(id, None).await;
                warn_of(files.remove(id));
            }
        }
        if known.is_none() {
            warn_of(files.remove_database(oid));
        }
    }
    for tablespace in files.tablespaces()?.into_iter().filter(|oid| !catalog.tablespaces.contains_key(oid)) {
        tracing::info!(tablespace, "removing a tablespace that is not in the catalog");
        warn_of(files.remove_tablespace(tablespace));
    }
    for &tablespace in catalog.tablespaces.keys() {
        let known = |id: RelationId| {
            let database = catalog.database_by_oid(id.database);
            database.is_some_and(|database| database.files().any(|file| file == id.main().file))
        };
        warn_of(files.remove_unknown(tablespace, known));
    }
    Ok(())
}
