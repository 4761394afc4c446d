//! Recovery: the log from the last checkpoint on, then taking back what had not committed.
//!
//! Replaying brings every page to where it was, changes of unfinished transactions and their undo records included. Then
//! those transactions are rolled back like any other, blocks of unfinished bulk loads are emptied, and files that no
//! table has any more are removed.
//!
//! The log is replayed in stretches. The pages that a stretch needs are read first, in the order of the files and through
//! read streams, so that the device is kept busy; then nothing waits while it is replayed, page by page, by several tasks. Meanwhile
//! the next stretch is read. What the log says of catalog, transactions and loads counts as soon as it is read: it is about
//! no page.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ::error::sqlstate;
use access::bulk::{self, Reservations};
use access::edit::{self, PAGES};
use access::redo::{self, Change as PageChange};
use access::rekeyed;
use aio::{IoContext, Session, Turn};
use catalog::{CatalogRow, RowChange};
use futures::StreamExt;
use storage::{BlockNumber, BufferPool, Concurrency, FileSet, PinnedPage, ReadStream, Relation, RelationId};
use tokio::task::JoinSet;
use txn::{UndoPtr, Xid};
use wal::{LogError, LogReader, Record, RecordHeader, format_lsn};

use crate::catalog::file;
use crate::catalog::{Catalog, DatabaseChange};
use crate::data_directory::control::Control;
use crate::{EngineError, Result};

/// The catalog's and the transactions' numbers among the log's resource managers.
pub(crate) const CATALOG: u8 = 2;
pub(crate) const TRANSACTION: u8 = 3;
pub(crate) const COMMIT: u8 = 1;
pub(crate) const ABORT: u8 = 2;
/// A checkpoint's redo begins with it.
pub(crate) const CHECKPOINT: u8 = 3;
/// A number was given out that nothing else may ever have, whatever becomes of the transaction.
pub(crate) const NUMBER: u8 = 4;
/// A part of a transaction's changes of the catalog. The other parts follow, the last one in its commit record.
pub(crate) const CHANGES: u8 = 5;

/// Log replayed at once, in bytes: it is in memory as a whole.
const STRETCH: usize = 8 << 20;
/// Tasks that replay it, at most: one reads the log for all of them.
const TASKS: usize = 8;
/// Relations whose pages are read at once, at most.
const RELATIONS_AT_ONCE: usize = 32;
/// Progress is told of after this long.
const TOLD_EVERY: Duration = Duration::from_secs(10);

/// What a checkpoint's record says: whose log it is.
pub(crate) fn checkpoint_record(system_identifier: u64) -> [u8; 8] {
    system_identifier.to_le_bytes()
}

/// Reads the record that the last checkpoint's redo begins with. Without it the log is lost, or another one.
pub(crate) async fn find_checkpoint(control: &Control, reader: &mut LogReader, io: &Session) -> Result<()> {
    if !control.has_record {
        return Ok(());
    }
    let is_checkpoint = |record: &Record| (record.header.manager, record.header.kind) == (TRANSACTION, CHECKPOINT);
    let detail = match reader.next(io).await {
        Ok(Some(record)) if !is_checkpoint(&record) => "Another record is there.".to_string(),
        Ok(Some(record)) if record.payload != checkpoint_record(control.system_identifier) => {
            "The log is from a different database system.".to_string()
        }
        Ok(Some(_)) => return Ok(()),
        Ok(None) | Err(LogError::Damaged { .. }) => "The log is missing, cut short or overwritten there.".to_string(),
        Err(error) => error.to_string(),
    };
    let error = EngineError::from(LogError::NoCheckpoint { at: control.redo });
    Err(error.detail(detail).hint("Bring pg_wal back as it was, or restore a backup."))
}

/// Replays the log up to its end.
pub(crate) async fn replay_log(
    recovery: &mut Recovery,
    reader: &mut LogReader,
    pool: &Arc<BufferPool>,
    files: &FileSet,
    io: &Session,
) -> Result<()> {
    let (started, start) = (Instant::now(), reader.position());
    let mut told = started;
    let mut running = None;
    // The pages that the stretch being replayed makes anew, in order.
    let mut fresh: Vec<(RelationId, BlockNumber)> = Vec::new();
    loop {
        let batch = read_log_batch(recovery, reader, &fresh, pool, files, io).await?;
        // While it was read, the one before was replayed.
        if let Some(running) = running.take() {
            LogBatch::end(running).await?;
        }
        let Some(batch) = batch else { break };
        if told.elapsed() >= TOLD_EVERY {
            told = Instant::now();
            tracing::info!(
                "redo in progress, elapsed time: {:.2} s, current LSN: {}",
                started.elapsed().as_secs_f64(),
                format_lsn(reader.position())
            );
        }
        fresh = batch.pages().filter(|(_, is_read)| !is_read).map(|(page, _)| page).collect();
        running = batch.begin(pool, io).await?;
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

/// Log that is replayed together.
struct LogBatch {
    /// Those that change pages.
    records: Vec<Record>,
    changes: Vec<PageChange>,
    relations: BTreeMap<RelationId, Arc<Relation>>,
    /// The pages that were read for it.
    kept: Vec<PinnedPage>,
}

/// Reads the next stretch, of which everything but the changes of pages counts from then on, and the pages that these need, but for
/// `fresh` ones: the stretch before makes these anew, and no other task may read them until then. `None` at the end of the log.
async fn read_log_batch(
    recovery: &mut Recovery,
    reader: &mut LogReader,
    fresh: &[(RelationId, BlockNumber)],
    pool: &Arc<BufferPool>,
    files: &FileSet,
    io: &Session,
) -> Result<Option<LogBatch>> {
    // Two stretches keep pages; the rest is for what their changes make.
    let most = (pool.len() / 8).max(1);
    let (mut records, mut changes, mut bytes, mut any) = (Vec::new(), Vec::new(), 0, false);
    while bytes < STRETCH && changes.len() < most {
        let Some(record) = reader.next(io).await? else { break };
        if recovery.records == 0 {
            let at = format_lsn(record.start);
            tracing::info!("database system was not properly shut down; redo starts at {at}");
        }
        bytes += record.payload.len();
        recovery.replay(&record, records.len(), &mut changes, files)?;
        any = true;
        if (record.header.manager, record.header.kind) == (PAGES, edit::CHANGE) {
            records.push(record);
        }
    }
    if !any {
        return Ok(None);
    }
    changes.sort_unstable();
    let mut relations = BTreeMap::new();
    for of_one in changes.chunk_by(|a, b| a.id == b.id) {
        let relation = files.open_or_create(of_one[0].id)?;
        let end = of_one[of_one.len() - 1].block + 1;
        if end > relation.blocks() {
            relation.extend_to(end);
            relation.materialise_alone()?;
        }
        relations.insert(relation.id(), relation);
    }
    let mut batch = LogBatch { records, changes, relations, kept: Vec::new() };
    let is_wanted =
        |(page, is_read): &((RelationId, BlockNumber), bool)| *is_read && fresh.binary_search(page).is_err();
    let wanted = batch.pages().filter(is_wanted).map(|(page, _)| page).collect();
    batch.kept = read_ahead(wanted, &batch.relations, pool, io).await;
    Ok(Some(batch))
}

impl LogBatch {
    /// Its pages in order, and whether each is read, or made anew by what comes first.
    fn pages(&self) -> impl Iterator<Item = ((RelationId, BlockNumber), bool)> {
        let pages = self.changes.chunk_by(|a, b| a.page() == b.page());
        pages.map(|page| (page[0].page(), page[0].needs_page(&self.records)))
    }

    /// Replays it, by tasks of their own where there are threads for them: those that this gives.
    async fn begin(self, pool: &Arc<BufferPool>, io: &Session) -> Result<Option<JoinSet<Result<()>>>> {
        // The simulator has no threads.
        if tokio::runtime::Handle::try_current().is_err() {
            self.replay(0..self.changes.len(), pool, io).await?;
            return Ok(None);
        }
        // One reads the next stretch.
        let count = (std::thread::available_parallelism().map_or(1, usize::from) - 1).clamp(1, TASKS);
        let batch = Arc::new(self);
        let (mut tasks, mut from) = (JoinSet::new(), 0);
        for number in 1..=count {
            let to = batch.page_end(batch.changes.len() * number / count).max(from);
            let (batch, pool) = (batch.clone(), pool.clone());
            // Handles are one task's.
            let io = io
                .engine()
                .session(0, io.backend())
                .map_err(|error| EngineError::new(sqlstate::TOO_MANY_CONNECTIONS, error.to_string()))?;
            tasks.spawn(async move { batch.replay(from..to, &pool, &io).await });
            from = to;
        }
        Ok(Some(tasks))
    }

    /// Waits until it is replayed.
    async fn end(mut tasks: JoinSet<Result<()>>) -> Result<()> {
        while let Some(ended) = tasks.join_next().await {
            ended.map_err(|error| EngineError::new(sqlstate::INTERNAL_ERROR, error.to_string()))??;
        }
        Ok(())
    }

    /// The first change from `at` on that is of another page than the one before it.
    fn page_end(&self, at: usize) -> usize {
        let is_other = |at: &usize| {
            let pair = self.changes.get(at.wrapping_sub(1)).zip(self.changes.get(*at));
            pair.is_none_or(|(before, change)| before.page() != change.page())
        };
        (at..).find(is_other).expect("the last one has none behind it")
    }

    /// Makes these changes; all of a page's are among them.
    async fn replay(&self, range: Range<usize>, pool: &Arc<BufferPool>, io: &Session) -> Result<()> {
        let mut turn = Turn::new(io.engine());
        for page in self.changes[range].chunk_by(|a, b| a.page() == b.page()) {
            redo::replay(page, &self.records, pool, &self.relations[&page[0].id], io).await?;
            turn.pass().await;
        }
        Ok(())
    }
}

/// Reads pages, given in order, and keeps them in memory for as long as what this gives lives. What cannot be read is left
/// out: replaying will say so, unless it makes the page anew.
async fn read_ahead(
    pages: Vec<(RelationId, BlockNumber)>,
    relations: &BTreeMap<RelationId, Arc<Relation>>,
    pool: &Arc<BufferPool>,
    io: &Session,
) -> Vec<PinnedPage> {
    let read = |of_one: &[(RelationId, BlockNumber)]| {
        let blocks: Vec<BlockNumber> = of_one.iter().map(|(_, block)| *block).collect();
        let (count, mut blocks) = (blocks.len(), blocks.into_iter());
        let next = Box::new(move || blocks.next());
        let relation = &relations[&of_one[0].0];
        let mut stream = ReadStream::new(pool, io, relation, Concurrency::Auto, IoContext::Normal, None, next);
        async move {
            let mut kept = Vec::with_capacity(count);
            for _ in 0..count {
                kept.extend(stream.next().await.ok().flatten());
            }
            kept
        }
    };
    // Of many relations a stretch has a page or two each.
    let reading = futures::stream::iter(pages.chunk_by(|a, b| a.0 == b.0)).map(read);
    reading.buffer_unordered(RELATIONS_AT_ONCE).concat().await
}

/// The state that replaying builds up.
pub(crate) struct Recovery {
    pub catalog: Catalog,
    pub next_xid: Xid,
    /// Transactions in progress, and their latest undo records.
    pub unfinished: BTreeMap<Xid, UndoPtr>,
    pub reserved: Reservations,
    /// The changes of the catalog that the log has, as it has them.
    pub changes: Vec<Vec<u8>>,
    /// The parts of changes whose commit record is still to come.
    parts: BTreeMap<Xid, Vec<u8>>,
    pub records: u64,
}

impl Recovery {
    /// `catalog`: what the last checkpoint has kept.
    pub fn new(control: &Control, mut catalog: Catalog) -> Recovery {
        catalog.next_oid = catalog.next_oid.max(control.next_oid);
        let mut reserved = Reservations::new();
        for &(xid, (database, file, first, end)) in &control.reserved {
            reserved.entry(xid).or_default().push((RelationId { database, file }, first..end));
        }
        Recovery {
            catalog,
            changes: Vec::new(),
            next_xid: control.next_xid,
            unfinished: control.unfinished.iter().map(|&(xid, undo)| (xid, UndoPtr(undo))).collect(),
            reserved,
            parts: BTreeMap::new(),
            records: 0,
        }
    }

    /// Replays all that a record, the stretch's number `number` of those about pages, says but its changes of pages, which it adds to
    /// the others.
    fn replay(&mut self, record: &Record, number: usize, changes: &mut Vec<PageChange>, files: &FileSet) -> Result<()> {
        self.records += 1;
        let RecordHeader { xid, manager, kind } = record.header;
        self.next_xid = self.next_xid.max(xid + 1);
        match (manager, kind) {
            (TRANSACTION, COMMIT) => {
                self.unfinished.remove(&xid);
                self.reserved.remove(&xid);
                let changes = match self.parts.remove(&xid) {
                    Some(parts) => [&parts, &record.payload[..]].concat(),
                    None => record.payload.to_vec(),
                };
                if !changes.is_empty() {
                    self.catalog.apply(&read_changes(&changes, record)?);
                    self.changes.push(changes);
                }
            }
            (TRANSACTION, CHANGES) => self.parts.entry(xid).or_default().extend(&record.payload[..]),
            (TRANSACTION, CHECKPOINT) => {}
            (TRANSACTION, NUMBER) => {
                let number: [u8; 4] = record.payload[..].try_into().map_err(|_| {
                    EngineError::new(
                        sqlstate::DATA_CORRUPTED,
                        format!("a truncated number at {}", format_lsn(record.start)),
                    )
                })?;
                self.catalog.next_oid = self.catalog.next_oid.max(u32::from_le_bytes(number).saturating_add(1));
            }
            (TRANSACTION, ABORT) => {
                self.unfinished.remove(&xid);
                self.reserved.remove(&xid);
            }
            (CATALOG, _) => {
                let changes = read_changes(&record.payload, record)?;
                for (_, change) in &changes {
                    if let RowChange::Put(CatalogRow::PgDatabase(database)) = change {
                        files.create_database(database.oid)?;
                    }
                }
                self.catalog.apply(&changes);
                self.changes.push(record.payload.to_vec());
            }
            (PAGES, edit::CHANGE) => {
                let undo = redo::gather(record, number, changes)?;
                if xid != 0 {
                    self.unfinished.insert(xid, undo);
                }
            }
            (PAGES, edit::RESERVE) => bulk::replay(record, files, &mut self.reserved)?,
            (PAGES, edit::RELEASE) => bulk::replay_release(record, &mut self.reserved)?,
            (PAGES, edit::REKEYED) => rekeyed::replay(record, files)?,
            _ => {
                return Err(EngineError::new(
                    sqlstate::DATA_CORRUPTED,
                    format!("unknown record {manager}/{kind} at {} in the log", format_lsn(record.start)),
                ));
            }
        }
        Ok(())
    }
}

fn read_changes(bytes: &[u8], record: &Record) -> Result<Vec<DatabaseChange>> {
    file::decode(bytes).ok_or_else(|| {
        let at = format_lsn(record.start);
        EngineError::new(sqlstate::DATA_CORRUPTED, format!("invalid catalog record at {at}"))
    })
}

/// What cannot be removed now, on a volume that is read-only, say, is tried again at the next start.
fn warn_of(removed: storage::Result<()>) {
    if let Err(error) = removed {
        tracing::warn!(%error, "what nobody needs could not be removed");
    }
}

/// Opens the visibility maps of what was replayed, so that the next checkpoint flushes them. A checkpoint that a crash has cut off may
/// have written bits that are cleared and not flushed them: replaying found nothing to clear, and an older map has the bits.
pub(crate) fn open_visibility_maps(files: &FileSet) -> Result<()> {
    for relation in files.open_relations().iter().filter(|relation| !relation.id().is_fork()) {
        files.open_if_exists(relation.id().vm())?;
    }
    Ok(())
}

/// Makes the files that came after the checkpoint and that a crash has taken, because no transaction had waited for their
/// directory to be durable and nothing was written to them.
pub(crate) fn create_missing(checkpoint: &Catalog, catalog: &Catalog, files: &FileSet) -> Result<()> {
    for database in catalog.databases() {
        let before = checkpoint.database_by_oid(database.oid);
        let known: HashSet<u32> = before.into_iter().flat_map(|database| database.files()).collect();
        for file in database.files().filter(|file| !known.contains(file)) {
            let id = RelationId { database: database.oid, file };
            // Those in tablespaces, which may be missing, were durable at once.
            if files.tablespace_of(id).is_none() {
                files.open_or_create(id)?;
            }
        }
    }
    Ok(())
}

/// Removes the files that nothing in the catalog has: of tables that were dropped, or made by transactions that did not
/// commit.
pub(crate) async fn remove_orphans(catalog: &Catalog, files: &FileSet, pool: &Arc<BufferPool>) -> Result<()> {
    let mut known: HashMap<u32, HashSet<u32>> =
        catalog.databases().map(|database| (database.oid, database.files().collect())).collect();
    known.insert(0, HashSet::from([access::UNDO.file]));
    let is_known = |id: RelationId| known.get(&id.database).is_some_and(|database| database.contains(&id.main().file));
    for oid in files.databases()? {
        for id in files.list(oid)?.into_iter().filter(|id| !is_known(*id)) {
            tracing::info!(relation = %id, "removing a file that no table has");
            pool.forget(id, None).await;
            warn_of(files.remove(id));
        }
        if !known.contains_key(&oid) {
            warn_of(files.remove_database(oid));
        }
    }
    for tablespace in files.tablespaces()?.into_iter().filter(|oid| catalog.tablespace_by_oid(*oid).is_none()) {
        tracing::info!(tablespace, "removing a tablespace that is not in the catalog");
        warn_of(files.remove_tablespace(tablespace));
    }
    for tablespace in catalog.tablespaces().map(|row| row.oid) {
        warn_of(files.remove_unknown(tablespace, is_known));
    }
    Ok(())
}
