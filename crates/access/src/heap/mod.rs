//! A table's rows: where they are, and fetching them by their identity. [`crate::heap::insert`] puts them in, [`crate::heap::change`] changes and
//! deletes them.
//!
//! # Long values
//! What is given to be stored is what values are; [`crate::toast`] makes them short enough before the row is touched, and
//! deletes what they replaced after. What is fetched is as it is stored, but where it says otherwise.
//!
//! # Invariants
//! * Latches: home page, continuation, empty page, in this order; an undo page is latched before the heap page it is
//!   written with, and only by its session. Nothing is awaited under a latch.
//! * A row's newest version is in its page; what it replaced is in the undo log for as long as a snapshot may want it.

pub mod activity;
pub mod bulk;
pub mod change;
mod insert;
pub mod pages;
pub mod rekeyed;
mod room;
pub mod row;
pub mod scan;
pub mod scan_key;
mod targets;
pub mod vacuum;
mod variable;

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use aio::lwlock::Mutex;
use aio::{IoContext, Session};
use storage::{BlockNumber, BufferPool, Concurrency, FileSet, Page, PinnedPage, ReadAhead, Relation};
use txn::{LockManager, LockTag, Snapshot, Transaction, Transactions, UndoPtr};
use wal::Log;

use crate::heap::activity::Activity;
use crate::heap::targets::Targets;
use crate::page::*;
use crate::shape::TableShape;
use crate::toast::stored::is_extended;
use crate::undo::xact_status::XactStatus;
use crate::undo::{UndoLog, UndoRecord, UndoWriter};
use crate::{AccessError, Result};

/// What all relations of a server share.
pub struct Store {
    pub files: FileSet,
    pub pool: Arc<BufferPool>,
    pub log: Log,
    pub undo: Arc<UndoLog>,
    pub transactions: Arc<Transactions>,
    pub locks: Arc<LockManager>,
}

impl Store {
    /// Before pages of a relation are changed: fails while they cannot be written.
    pub(crate) async fn check_writable(&self, session: &Session, relation: &Relation) -> Result<()> {
        if relation.check_writable().is_ok() {
            return Ok(());
        }
        Ok(Box::pin(self.pool.check_writable(session, &self.files, relation)).await?)
    }
}

/// A transaction's hand.
pub struct Writer {
    pub transaction: Arc<Transaction>,
    pub session: Session,
    pub undo: UndoWriter,
    /// The number of the current command.
    pub command: u32,
    /// Values out of line that changes have replaced, by what leads to them.
    pub(crate) replaced: Vec<Vec<u8>>,
    /// What it has done to tables, for their statistics.
    pub status: XactStatus,
}

impl Writer {
    /// In a subtransaction at this level; the transaction's own is 1.
    pub fn new(
        transaction: Arc<Transaction>,
        session: Session,
        undo: UndoWriter,
        command: u32,
        nest_level: usize,
    ) -> Writer {
        let status = XactStatus::new(nest_level);
        Writer { transaction, session, undo, command, replaced: Vec::new(), status }
    }
}

/// A heap that can be written to.
#[derive(Clone)]
pub struct Heap {
    pub store: Arc<Store>,
    pub relation: Arc<Relation>,
    pub shape: Arc<TableShape>,
    pub(crate) targets: Arc<Targets>,
    pub(crate) fork: Arc<Fork>,
    pub(crate) activity: Arc<Activity>,
}

/// The chunks of long values.
#[derive(Default)]
pub(crate) struct Fork {
    /// Looked for when it is first wanted; `Some(None)`: there is none yet.
    pub heap: Mutex<Option<Option<Heap>>>,
    /// The last identity that a value was given.
    pub last_value: AtomicU32,
}

/// A row's newest version, seen without a snapshot.
#[derive(Clone, Debug)]
pub struct Newest {
    pub version: Version,
    pub values: Vec<Option<Vec<u8>>>,
}

/// Has a row's own page no such row, nor had it one that moved? A continuation is no row's own page.
pub(crate) fn is_nowhere(page: &HeapPage<'_>, block: BlockNumber, tid: Tid, row: usize) -> bool {
    block == tid.block && (page.is_continuation() || page.stands_alone() && row >= page.rows)
}

/// A copy of a row's values.
pub(crate) fn owned(values: &[Option<&[u8]>]) -> Vec<Option<Vec<u8>>> {
    values.iter().map(|value| value.map(<[u8]>::to_vec)).collect()
}

impl Heap {
    pub fn new(store: &Arc<Store>, relation: Arc<Relation>, shape: Arc<TableShape>) -> Heap {
        let targets = Arc::new(Targets::new());
        Heap { store: store.clone(), relation, shape, targets, fork: Arc::default(), activity: Arc::default() }
    }

    /// The same heap, of which is counted elsewhere what is done to it.
    pub fn counted_in(self, activity: Arc<Activity>) -> Heap {
        Heap { activity, ..self }
    }

    /// The same heap, whose columns are declared otherwise: its file began with the same.
    pub fn with_shape(&self, shape: TableShape) -> Heap {
        assert!(shape.begins_as(&self.shape), "a file has one first layout");
        Heap { shape: Arc::new(shape), ..self.clone() }
    }

    pub(crate) fn bad(&self, block: BlockNumber, reason: &'static str) -> AccessError {
        AccessError::BadHeapPage { relation: self.relation.id(), block, reason }
    }

    pub(crate) fn parse<'a>(&'a self, bytes: &'a [u8], block: BlockNumber) -> Result<HeapPage<'a>> {
        let page = HeapPage::parse(bytes, &self.shape).map_err(|reason| self.bad(block, reason))?;
        page.ok_or_else(|| self.bad(block, "the page is empty"))
    }

    pub async fn pin(&self, session: &Session, block: BlockNumber) -> Result<PinnedPage> {
        Ok(self.store.pool.pin(session, &self.relation, block, IoContext::Normal).await?)
    }

    /// The same for a page that is in memory; `None`: it is not.
    pub fn pin_cached(&self, session: &Session, block: BlockNumber) -> Option<PinnedPage> {
        self.store.pool.pin_cached(session, &self.relation, block, IoContext::Normal)
    }

    /// Reads pages ahead for a caller that plans which.
    pub fn read_ahead(&self, session: &Session, concurrency: Concurrency) -> ReadAhead {
        ReadAhead::new(&self.store.pool, session, &self.relation, concurrency)
    }

    /// What was done to its rows.
    pub fn activity(&self) -> &Arc<Activity> {
        &self.activity
    }

    /// The lock tag of a row.
    pub fn row_tag(&self, tid: Tid) -> LockTag {
        let id = self.relation.id();
        LockTag::Row { database: id.database, file: id.file, block: tid.block, row: tid.row }
    }

    /// The lock tag of the first place in the queue for a row.
    pub fn tuple_tag(&self, tid: Tid) -> LockTag {
        let id = self.relation.id();
        LockTag::Tuple { database: id.database, file: id.file, block: tid.block, row: tid.row }
    }

    /// Notes what room a page has.
    pub(crate) fn note_room(&self, block: BlockNumber, page: &HeapPage<'_>) {
        self.relation.free_space().note(block, page.room_for_row(&self.shape));
    }

    /// Notes a page that was made and not used.
    pub(crate) fn note_new(&self, block: BlockNumber) {
        self.relation.free_space().note(block, Some(MAX_ROW));
    }

    /// Reads what is known of the pages' room, if no session has.
    pub(crate) async fn load_free_space(&self, session: &Session) -> Result<()> {
        let Store { files, pool, .. } = &*self.store;
        Ok(self.relation.free_space().load(&self.relation, files, pool, session).await?)
    }

    /// Pins the page that a row is in, its own or a continuation. Gives its block, too, and the row's number there.
    pub(crate) async fn pin_row(
        &self,
        session: &Session,
        tid: Tid,
    ) -> Result<Option<(PinnedPage, BlockNumber, usize)>> {
        if tid.block >= self.relation.blocks() {
            return Ok(None);
        }
        let home = self.pin(session, tid.block).await?;
        loop {
            let continuation = {
                let latched = home.read();
                if latched.is_new() {
                    return Ok(None);
                }
                // Hardly ever; then the page need not be looked at in full twice.
                match HeapPage::is_continued(&latched) {
                    true => self.parse(&latched, tid.block)?.continuation_of(usize::from(tid.row)),
                    false => None,
                }
            };
            let Some(block) = continuation else { return Ok(Some((home, tid.block, usize::from(tid.row)))) };
            let page = self.pin(session, block).await?;
            // Both at once: a split in between would have moved the row on.
            let home_latched = home.read();
            if home_latched.is_new() {
                return Ok(None);
            }
            if self.parse(&home_latched, tid.block)?.continuation_of(usize::from(tid.row)) != Some(block) {
                continue;
            }
            let first = {
                let latched = page.read();
                let parsed = self.parse(&latched, block)?;
                if !parsed.is_continuation() || parsed.home() != tid.block {
                    return Err(self.bad(block, "it is not the continuation that its home page says"));
                }
                if usize::from(tid.row) >= parsed.first() + parsed.rows {
                    return Ok(None);
                }
                parsed.first()
            };
            drop(home_latched);
            return Ok(Some((page, block, usize::from(tid.row) - first)));
        }
    }

    /// Is the row still where [`Heap::pin_row`] found it? Asked again under the latch: a split may have moved it on, VACUUM back.
    pub(crate) fn is_here(&self, page: &HeapPage<'_>, block: BlockNumber, tid: Tid, row: usize) -> bool {
        let here = if page.is_continuation() {
            page.home() == tid.block && page.first() + row == usize::from(tid.row)
        } else {
            block == tid.block && page.continuation_of(row).is_none()
        };
        here && row < page.rows
    }

    /// The version of a row that a snapshot sees, all columns, as they are.
    pub async fn fetch(
        &self,
        session: &Session,
        tid: Tid,
        snapshot: &Snapshot,
    ) -> Result<Option<Vec<Option<Vec<u8>>>>> {
        self.look(session, tid, snapshot, |_| true, |_, values| owned(values)).await
    }

    /// Looks at the version of a row that a snapshot sees, all columns, where it is: under the page's latch. Values are shown as
    /// they are stored, and again with those of columns that are `wanted` as they are.
    pub async fn look<T>(
        &self,
        session: &Session,
        tid: Tid,
        snapshot: &Snapshot,
        wanted: impl Fn(usize) -> bool,
        look: impl FnOnce(&[Option<&[u8]>], &[Option<&[u8]>]) -> T,
    ) -> Result<Option<T>> {
        let mut look = Some(look);
        let extended = |(column, value): (usize, &Option<&[u8]>)| {
            value.is_some_and(is_extended) && self.shape.is_variable(column) && wanted(column)
        };
        let outcome = self.with_newest(session, tid, |version, values| {
            if !snapshot.sees(version.xid, version.command)
                || !version.deleted && values.iter().enumerate().any(extended)
            {
                return Err(Newest { version, values: owned(values) });
            }
            let look = look.take().expect("a row is looked at once");
            Ok((!version.deleted).then(|| look(values, values)))
        });
        match outcome.await? {
            None => Ok(None),
            Some(Ok(found)) => Ok(found),
            Some(Err(newest)) => {
                let seen = match snapshot.sees(newest.version.xid, newest.version.command) {
                    true => Some(newest.values),
                    false => Box::pin(self.older(session, tid, newest, snapshot, &mut None)).await?,
                };
                let Some(stored) = seen else { return Ok(None) };
                let mut values = stored.clone();
                let columns = (0..values.len()).filter(|column| wanted(*column));
                Box::pin(self.detoast(session, &mut values, columns)).await?;
                let stored: Vec<Option<&[u8]>> = stored.iter().map(Option::as_deref).collect();
                let values: Vec<Option<&[u8]>> = values.iter().map(Option::as_deref).collect();
                Ok(look.take().map(|look| look(&stored, &values)))
            }
        }
    }

    /// Looks at the rows of one block, which is pinned, that a snapshot sees, in the order of `tids`, under one latch; `look` is
    /// told a row's place among them, and where there is no row any more, for any snapshot as far as this one knows. Ends at a
    /// row for which the latch on the block does not suffice: it has moved, the snapshot sees an older version of it, or `look`
    /// says so (`false`): a value that it needs is out of line. Gives how many rows are done with.
    pub fn look_at_run(
        &self,
        home: &PinnedPage,
        tids: &[Tid],
        snapshot: &Snapshot,
        mut look: impl FnMut(usize, Option<PageRow<'_>>) -> std::result::Result<bool, &'static str>,
    ) -> Result<usize> {
        let Some(&Tid { block, .. }) = tids.first() else { return Ok(0) };
        debug_assert!(home.block() == block && tids.iter().all(|tid| tid.block == block));
        let latched = home.read();
        if latched.is_new() {
            return Ok(0);
        }
        let page = self.parse(&latched, block)?;
        if !page.stands_alone() {
            return Ok(0);
        }
        for (at, tid) in tids.iter().enumerate() {
            let row = usize::from(tid.row);
            let shown = if row >= page.rows || page.is_free(row) {
                None
            } else {
                let version = page.version(row);
                if !snapshot.sees(version.xid, version.command) {
                    return Ok(at);
                }
                if version.deleted && !snapshot.is_past(version.xid) {
                    continue;
                }
                (!version.deleted).then_some(PageRow { page: &page, shape: &self.shape, row })
            };
            if !look(at, shown).map_err(|reason| self.bad(block, reason))? {
                return Ok(at);
            }
        }
        Ok(tids.len())
    }

    /// So many rows at most have their home on a page.
    pub fn rows_of(&self, home: &PinnedPage) -> Result<u16> {
        let latched = home.read();
        if latched.is_new() {
            return Ok(0);
        }
        let page = self.parse(&latched, home.block())?;
        Ok(match (page.is_continuation(), page.stands_alone()) {
            (true, _) => 0,
            (_, true) => page.rows as u16,
            _ => MAX_ROWS as u16,
        })
    }

    /// A row as it is now, whichever transaction made it so; `None` when there is none.
    pub async fn newest(&self, session: &Session, tid: Tid) -> Result<Option<Newest>> {
        self.with_newest(session, tid, |version, values| Newest { version, values: owned(values) }).await
    }

    /// The same with these columns' values as they are, if there still is a row.
    pub async fn newest_with(&self, session: &Session, tid: Tid, columns: &[usize]) -> Result<Option<Newest>> {
        loop {
            let Some(mut newest) = self.newest(session, tid).await? else { return Ok(None) };
            if newest.version.deleted {
                // Its chunks may be gone.
                return Ok(Some(newest));
            }
            let detoasted = Box::pin(self.detoast(session, &mut newest.values, columns.iter().copied()));
            let Err(error) = detoasted.await else {
                return Ok(Some(newest));
            };
            // Its transaction may have taken it back meanwhile, and the values with it.
            let now = self.newest(session, tid).await?;
            if now.is_some_and(|now| now.version == newest.version) {
                return Err(error);
            }
        }
    }

    /// Shows `look` a row as it is now, under the page's latch.
    pub async fn with_newest<T>(
        &self,
        session: &Session,
        tid: Tid,
        look: impl FnOnce(Version, &[Option<&[u8]>]) -> T,
    ) -> Result<Option<T>> {
        loop {
            let Some((page, block, row)) = self.pin_row(session, tid).await? else { return Ok(None) };
            let latched = page.read();
            if latched.is_new() {
                // The load that the row came with was rolled back a moment ago.
                return Ok(None);
            }
            let parsed = self.parse(&latched, block)?;
            if !self.is_here(&parsed, block, tid, row) {
                if is_nowhere(&parsed, block, tid, row) {
                    return Ok(None);
                }
                continue;
            }
            if parsed.is_free(row) {
                return Ok(None);
            }
            let values = parsed.row(&self.shape, row).map_err(|reason| self.bad(block, reason))?;
            return Ok(Some(look(parsed.version(row), &values)));
        }
    }

    pub(crate) fn owned_values(
        &self,
        page: &HeapPage<'_>,
        block: BlockNumber,
        row: usize,
    ) -> Result<Vec<Option<Vec<u8>>>> {
        page.row(&self.shape, row).map(|values| owned(&values)).map_err(|reason| self.bad(block, reason))
    }

    /// Is there a version of a row that `is` it, among those of the transaction that has changed it last and the one that its rollback
    /// would bring back? Also `true` where values of these columns are not at hand.
    pub async fn may_become(
        &self,
        session: &Session,
        tid: Tid,
        newest: Newest,
        columns: &[usize],
        mut is: impl FnMut(&[Option<Vec<u8>>]) -> bool,
    ) -> Result<bool> {
        let Newest { mut version, mut values } = newest;
        let (by, mut last) = (version.xid, None);
        loop {
            let is_long = |&column: &usize| values[column].as_deref().is_some_and(is_extended);
            if columns.iter().any(is_long) || is(&values) {
                return Ok(true);
            }
            if version.inserted || version.xid != by {
                return Ok(false);
            }
            version = self.step_back(session, tid, version, &mut values, &mut last).await?;
        }
    }

    /// Makes a version's values those of the one before, which it gives. `last` is the undo record that was read last.
    async fn step_back(
        &self,
        session: &Session,
        tid: Tid,
        version: Version,
        values: &mut [Option<Vec<u8>>],
        last: &mut Option<(UndoPtr, UndoRecord)>,
    ) -> Result<Version> {
        let record = match last.take().filter(|(pointer, _)| *pointer == version.undo) {
            Some((_, record)) => record,
            None => self.store.undo.read(session, version.undo).await?,
        };
        let (_, record) = last.insert((version.undo, record));
        let header = &record.header;
        let row = usize::from(tid.row);
        let ours = header.relation == self.relation.id() && header.block == tid.block;
        let old = record.old_values(&self.shape, row);
        let (true, Some(old)) = (ours && header.rows.contains(row), old) else {
            return Err(self.bad(tid.block, "an undo record is about another row"));
        };
        for (column, value) in old {
            values[column] = value.map(<[u8]>::to_vec);
        }
        Ok(header.before)
    }

    /// Follows the undo log from a newest version that the snapshot does not see to one that it sees, if there is one. `last` is the
    /// record that was read last for this snapshot: the next row may want it, too.
    pub(crate) async fn older(
        &self,
        session: &Session,
        tid: Tid,
        newest: Newest,
        snapshot: &Snapshot,
        last: &mut Option<(UndoPtr, UndoRecord)>,
    ) -> Result<Option<Vec<Option<Vec<u8>>>>> {
        let Newest { mut version, mut values } = newest;
        loop {
            if version.inserted {
                return Ok(None);
            }
            version = self.step_back(session, tid, version, &mut values, last).await?;
            if snapshot.sees(version.xid, version.command) {
                return Ok((!version.deleted).then_some(values));
            }
        }
    }
}
