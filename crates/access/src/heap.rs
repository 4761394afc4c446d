//! A table's rows: putting them in, changing and deleting them, fetching them by their identity.
//!
//! # How a change is made
//! Everything that may wait comes first: the page and the undo page are pinned, room in the log is reserved. Then both
//! pages are latched, the newest version is checked against the transaction's snapshot, and undo record and change go into
//! one log record. Whatever stands in the way (another transaction's change, a row lock, no room) is an [`Outcome`] or
//! makes room; nothing is waited for here, because what to do about a conflict is a matter of isolation levels.
//!
//! # Long values
//! What is given to be stored is what values are; [`crate::toast`] makes them short enough before the row is touched, and
//! deletes what they replaced after. What is fetched is as it is stored, but where it says otherwise.
//!
//! # Invariants
//! * Latches: home page, continuation, empty page, in this order; an undo page is latched before the heap page it is
//!   written with, and only by its session. Nothing is awaited under a latch.
//! * A row's newest version is in its page; what it replaced is in the undo log for as long as a snapshot may want it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use aio::{IoContext, Session};
use arrow_array::RecordBatch;
use parking_lot::Mutex;
use storage::{BlockChange, BlockNumber, BufferPool, Concurrency, FileSet, Lsn, Page, PinnedPage, ReadAhead, Relation};
use txn::{LockManager, LockMode, LockTag, Snapshot, Transaction, Transactions, UndoPtr, Xid};
use wal::Log;

use crate::activity::Activity;
use crate::edit::{Edit, PAGE_RECORD, commit};
use crate::modify::{self, NoRoom};
use crate::page::*;
use crate::row::{check_bytes, check_size, row_values};
use crate::shape::TableShape;
use crate::toast::save::{Values, is_wanted};
use crate::toast::stored::{Pointer, is_extended};
use crate::undo::{COMFORTABLE, MAX_RECORD, RecordBuilder, UndoHeader, UndoKind, UndoLog, UndoWriter, record_size};
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
    replaced: Vec<Vec<u8>>,
}

impl Writer {
    pub fn new(transaction: Arc<Transaction>, session: Session, undo: UndoWriter, command: u32) -> Writer {
        Writer { transaction, session, undo, command, replaced: Vec::new() }
    }
}

/// A heap that can be written to.
#[derive(Clone)]
pub struct Heap {
    pub store: Arc<Store>,
    pub relation: Arc<Relation>,
    pub shape: Arc<TableShape>,
    /// Where the last row found room; `u32::MAX` when unknown.
    target: Arc<AtomicU32>,
    pub(crate) fork: Arc<Fork>,
    activity: Arc<Activity>,
}

/// The chunks of long values.
#[derive(Default)]
pub(crate) struct Fork {
    /// Looked for when it is first wanted; `Some(None)`: there is none yet.
    pub heap: Mutex<Option<Option<Heap>>>,
    /// The last identity that a value was given.
    pub last_value: AtomicU32,
}

/// What is to become of a row.
#[derive(Clone, Copy, Debug)]
pub enum RowChange<'a> {
    Delete,
    /// New values of some columns, in ascending order. `key` says that a column of a unique index is among them, `indexed` that one
    /// is on which entries of an index depend.
    Update {
        values: &'a [(usize, Option<&'a [u8]>)],
        key: bool,
        indexed: bool,
    },
}

impl RowChange<'_> {
    /// The strength of row lock that the change needs.
    pub fn lock_mode(&self) -> LockMode {
        match self {
            RowChange::Update { key: false, .. } => LockMode::Exclusive,
            _ => LockMode::AccessExclusive,
        }
    }
}

/// What became of a change, or of a look at a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Done,
    /// The current command has changed the row before.
    Mine,
    /// Somebody else has changed it, and committed after the snapshot was taken.
    Changed,
    /// Somebody has deleted it; or there is no such row.
    Gone,
    /// A transaction in progress has changed it.
    Busy(Xid),
    /// A row lock stands in the way.
    Locked,
}

/// How far an attempt to change rows came.
enum Step {
    /// Some rows were dealt with, or are to be looked for again.
    Done,
    /// The undo record needs this much room.
    MoreUndo(usize),
    /// The page as it was at this LSN has none.
    NoRoom(Lsn),
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
        let target = Arc::new(AtomicU32::new(u32::MAX));
        Heap { store: store.clone(), relation, shape, target, fork: Arc::default(), activity: Arc::default() }
    }

    /// The same heap, of which is counted elsewhere what is done to it.
    pub fn counted_in(self, activity: Arc<Activity>) -> Heap {
        Heap { activity, ..self }
    }

    /// The same heap, whose columns are declared otherwise: where they lie is the same.
    pub fn with_shape(&self, shape: TableShape) -> Heap {
        debug_assert!(shape.columns.iter().zip(&self.shape.columns).all(|(a, b)| a.lies_as(b)));
        debug_assert_eq!(shape.columns.len(), self.shape.columns.len());
        Heap { shape: Arc::new(shape), ..self.clone() }
    }

    pub(crate) fn bad(&self, block: BlockNumber, reason: &'static str) -> AccessError {
        AccessError::BadHeapPage { relation: self.relation.id(), block, reason }
    }

    pub(crate) fn parse<'a>(&self, bytes: &'a [u8], block: BlockNumber) -> Result<HeapPage<'a>> {
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

    /// Reads pages ahead for somebody who plans which.
    pub fn read_ahead(&self, session: &Session, concurrency: Concurrency) -> ReadAhead {
        ReadAhead::new(&self.store.pool, session, &self.relation, concurrency)
    }

    /// What was done to its rows.
    pub fn activity(&self) -> &Activity {
        &self.activity
    }

    /// The lock tag of a row.
    pub fn row_tag(&self, tid: Tid) -> LockTag {
        let id = self.relation.id();
        LockTag::Row { database: id.database, file: id.file, block: tid.block, row: tid.row }
    }

    /// Notes what room a page has.
    pub(crate) fn note_room(&self, block: BlockNumber, page: &HeapPage<'_>) {
        self.relation.free_space().note(block, page.room_for_row(&self.shape));
    }

    /// Notes a page that was made and not used.
    pub(crate) fn note_new(&self, block: BlockNumber) {
        self.relation.free_space().note(block, Some(MAX_ROW));
    }

    /// Reads what is known of the pages' room, if nobody has.
    pub(crate) async fn load_free_space(&self, session: &Session) -> Result<()> {
        let Store { files, pool, .. } = &*self.store;
        Ok(self.relation.free_space().load(&self.relation, files, pool, session).await?)
    }

    // Inserting.

    /// Is there much room for rows like these in the pages that there are? Then a load is to use it, or a table that is loaded into
    /// and deleted from would grow and grow.
    pub async fn has_much_room_for(&self, session: &Session, rows: &RecordBatch) -> Result<bool> {
        const LOOKED_AT: usize = 64;
        // In so many blocks, and in such a part of all.
        const MUCH: (u32, u32) = (16, 16);
        self.load_free_space(session).await?;
        let looked_at = rows.num_rows().clamp(1, LOOKED_AT);
        let len = |column: usize, row| crate::row::value_bytes(rows.column(column), None, row).map_or(0, <[u8]>::len);
        let rows = 0..rows.num_rows().min(looked_at);
        let bytes: usize =
            self.shape.variable().map(|column| rows.clone().map(|row| len(column, row)).sum::<usize>()).sum();
        let found = self.relation.free_space().count((bytes / looked_at).min(MAX_ROW));
        Ok(found >= MUCH.0 && found >= self.relation.blocks() / MUCH.1)
    }

    /// Inserts a batch row by row, for statements that bring few. Gives the rows' identities.
    pub async fn insert_batch(&self, writer: &mut Writer, batch: &RecordBatch) -> Result<Vec<Tid>> {
        let mut rows = Vec::with_capacity(batch.num_rows());
        for row in 0..batch.num_rows() {
            rows.push(row_values(&self.shape, batch, row));
        }
        self.insert(writer, &rows).await
    }

    /// The values of variable length in a row.
    fn variable<'a>(&self, row: &[Option<&'a [u8]>]) -> impl Iterator<Item = (usize, &'a [u8])> {
        self.shape.variable().filter_map(|column| Some((column, row[column]?)))
    }

    /// Inserts rows, each with a value for every column. Gives their identities.
    pub async fn insert(&self, writer: &mut Writer, rows: &[Vec<Option<&[u8]>>]) -> Result<Vec<Tid>> {
        let is_long = |row: &Vec<_>| is_wanted(&self.shape, self.variable(row).map(|(_, value)| value));
        if !rows.iter().any(is_long) {
            return self.insert_rows(writer, rows).await;
        }
        let mut toasted = Vec::with_capacity(rows.len());
        for row in rows {
            toasted.push(Box::pin(self.toast_values(writer, self.variable(row), self.shape.target)).await?);
        }
        let mut short = rows.to_vec();
        for (row, values) in short.iter_mut().zip(&toasted) {
            values.iter().for_each(|(column, value)| row[*column] = value.as_deref());
        }
        self.insert_rows(writer, &short).await
    }

    /// Inserts rows as they are to be stored.
    pub(crate) async fn insert_rows(&self, writer: &mut Writer, rows: &[Vec<Option<&[u8]>>]) -> Result<Vec<Tid>> {
        self.store.check_writable(&writer.session, &self.relation).await?;
        let mut tids = Vec::with_capacity(rows.len());
        for row in rows {
            check_size(&self.shape, row)?;
        }
        let transactions = &self.store.transactions;
        while tids.len() < rows.len() {
            self.store.log.reserve(&writer.session, 2 * PAGE_RECORD).await?;
            let own = writer.transaction.xid;
            writer.undo.reserve(&writer.session, own, COMFORTABLE, || transactions.horizon()).await?;
            let bytes = modify::variable_bytes(&self.shape, &rows[tids.len()]);
            let (block, page) = self.target(&writer.session, bytes).await?;
            match self.fill(writer, block, &page, &rows[tids.len()..])? {
                Some(placed) if !placed.is_empty() => {
                    self.activity.note_inserted(placed.len() as u64);
                    tids.extend(placed.map(|row| Tid { block, row: row as u16 }));
                }
                _ => {
                    self.note_full(block, &page, bytes)?;
                    // Unless somebody has found another target by now.
                    let target = &self.target;
                    let _ = target.compare_exchange(block, u32::MAX, Ordering::Relaxed, Ordering::Relaxed);
                }
            }
        }
        Ok(tids)
    }

    /// A page had no room for a row with so many bytes of variable length.
    fn note_full(&self, block: BlockNumber, page: &PinnedPage, bytes: usize) -> Result<()> {
        let latched = page.read();
        let room = self.parse(&latched, block)?.room_for_row(&self.shape);
        // Less than was asked for, whatever stood in the way: nobody is sent here for the same again.
        self.relation.free_space().note_full(block, room.filter(|room| *room < bytes));
        Ok(())
    }

    /// The page to try for a row with so many bytes of variable length.
    async fn target(&self, session: &Session, bytes: usize) -> Result<(BlockNumber, PinnedPage)> {
        let block = self.target.load(Ordering::Relaxed);
        if block < self.relation.blocks() {
            return Ok((block, self.pin(session, block).await?));
        }
        self.load_free_space(session).await?;
        if let Some(block) = self.relation.free_space().find(bytes, self.relation.blocks()) {
            self.aim_at(block);
            return Ok((block, self.pin(session, block).await?));
        }
        let (block, page) = self.store.pool.extend(session, &self.relation, IoContext::Normal).await?;
        self.aim_at(block);
        Ok((block, page))
    }

    /// The table was cut: what comes at its end later is not where rows went.
    pub fn forget_target(&self) {
        self.target.store(u32::MAX, Ordering::Relaxed);
    }

    /// The next rows go to this page. The one that they went to until now has room still, or it would not be the target:
    /// several sessions found a page full and have each brought another.
    fn aim_at(&self, block: BlockNumber) {
        let before = self.target.swap(block, Ordering::Relaxed);
        if before != block && before < self.relation.blocks() {
            // How much is not known here.
            self.relation.free_space().note(before, Some(0));
        }
    }

    /// Inserts as many of the rows as find room side by side, and logs that. `None`: no room for the first.
    fn fill(
        &self,
        writer: &mut Writer,
        block: BlockNumber,
        page: &PinnedPage,
        rows: &[Vec<Option<&[u8]>>],
    ) -> Result<Option<std::ops::Range<usize>>> {
        let transaction = writer.transaction.clone();
        let version = Version { xid: transaction.xid, command: writer.command, inserted: true, ..Version::FROZEN };
        let mut latched = page.latch();
        let mut edit = Edit::new(&self.relation, block, page, &mut latched);
        if edit.is_new() {
            let capacity = capacity_for(&self.shape, modify::variable_bytes(&self.shape, &rows[0]), 0);
            modify::init(&mut edit, &self.shape, capacity);
        } else {
            let heap_page = self.parse(&edit, block)?;
            if !heap_page.stands_alone() {
                return Ok(None);
            }
        }
        let mut placed: Option<std::ops::Range<usize>> = None;
        let mut tried = false;
        for row in rows {
            let at = match modify::insert(&mut edit, &self.shape, row, version) {
                Ok(at) => at,
                // Only before the first row: what was placed is to be logged as it is.
                Err(NoRoom) if placed.is_none() && !tried => {
                    tried = true;
                    self.tidy(&mut edit);
                    match modify::insert(&mut edit, &self.shape, row, version) {
                        Ok(at) => at,
                        Err(NoRoom) => break,
                    }
                }
                Err(NoRoom) => break,
            };
            match &mut placed {
                None => placed = Some(at..at + 1),
                Some(range) if range.end == at => range.end += 1,
                Some(_) => {
                    // Not side by side: a record of its own, in the next round.
                    let undone = modify::free(&mut edit, &self.shape, at..at + 1);
                    undone.expect("a single row's entry goes as a whole");
                    break;
                }
            }
        }
        let Some(placed) = placed else {
            if edit.is_changed() {
                edit.is_just(BlockChange::KeepsEntries);
                commit(&self.store.log, None, &mut [&mut edit]);
            }
            return Ok(None);
        };
        let header = UndoHeader {
            kind: UndoKind::Inserted,
            xid: transaction.xid,
            command: writer.command,
            previous: transaction.undo(),
            relation: self.relation.id(),
            block,
            row: placed.start,
            count: placed.len(),
            before: Version::FROZEN,
        };
        writer.undo.record.start(&header);
        edit.is_just(BlockChange::Inserts);
        writer.undo.append(transaction.xid, |pointer, undo| {
            commit(&self.store.log, Some((&transaction, pointer)), &mut [undo, &mut edit]);
        });
        Ok(Some(placed))
    }

    /// Drops what nobody needs from a page that is full, and lays it out for as many rows as it can take.
    fn tidy(&self, edit: &mut Edit<'_>) {
        let shape = &self.shape;
        modify::prune(edit, shape, self.store.transactions.horizon());
        let page = modify::parse(edit, shape);
        let rows = page.rows;
        let used = page.variable_bytes(shape);
        let average = used.div_ceil((rows - page.free).max(1));
        let capacity = if page.stands_alone() { capacity_for(shape, average, page.entries).max(rows) } else { rows };
        let garbage = storage::PAGE_SIZE - page.low > used;
        let more_entries = capacity < page.capacity;
        let more_rows = capacity > page.capacity && page.free == 0;
        if !garbage && !more_rows && !more_entries {
            return;
        }
        // Without room for more rows, at least without the garbage.
        if modify::compact(edit, shape, capacity).is_err() && garbage {
            let _ = modify::compact(edit, shape, rows);
        }
    }

    // Finding a row.

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
                    false => Box::pin(self.older(session, tid, newest, snapshot)).await?,
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
    /// told a row's place among them, and where there is no row any more, for anybody as far as this snapshot knows. Ends at a
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

    /// A row as it is now, whoever made it so; `None` when there is none.
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
    pub(crate) async fn with_newest<T>(
        &self,
        session: &Session,
        tid: Tid,
        look: impl FnOnce(Version, &[Option<&[u8]>]) -> T,
    ) -> Result<Option<T>> {
        loop {
            let Some((page, block, row)) = self.pin_row(session, tid).await? else { return Ok(None) };
            let latched = page.read();
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

    /// Follows the undo log from a newest version that the snapshot does not see to one that it sees, if there is one.
    pub(crate) async fn older(
        &self,
        session: &Session,
        tid: Tid,
        newest: Newest,
        snapshot: &Snapshot,
    ) -> Result<Option<Vec<Option<Vec<u8>>>>> {
        let Newest { mut version, mut values } = newest;
        loop {
            if version.inserted {
                return Ok(None);
            }
            let record = self.store.undo.read(session, version.undo).await?;
            let header = &record.header;
            let rows = header.row..header.row + header.count;
            let ours = header.relation == self.relation.id() && header.block == tid.block;
            let old = record.old_values(&self.shape, usize::from(tid.row));
            let (true, Some(old)) = (ours && rows.contains(&usize::from(tid.row)), old) else {
                return Err(self.bad(tid.block, "an undo record is about another row"));
            };
            for (column, value) in old {
                values[column] = value.map(<[u8]>::to_vec);
            }
            version = header.before;
            if snapshot.sees(version.xid, version.command) {
                return Ok((!version.deleted).then_some(values));
            }
        }
    }

    // Changing rows.

    /// What stands in the way of changing a row whose newest version is this one?
    fn check(&self, version: &Version, writer: &Writer, snapshot: &Snapshot) -> Outcome {
        if self.is_toast() {
            // Who may change the row may delete its chunks, those that this command has made too.
            return if version.deleted { Outcome::Gone } else { Outcome::Done };
        }
        let own = version.xid == writer.transaction.xid;
        if own && version.command == writer.command {
            Outcome::Mine
        } else if own || snapshot.sees(version.xid, version.command) {
            if version.deleted { Outcome::Gone } else { Outcome::Done }
        } else if self.store.transactions.is_active(version.xid, snapshot.dependency()) {
            Outcome::Busy(version.xid)
        } else if version.deleted {
            Outcome::Gone
        } else {
            Outcome::Changed
        }
    }

    /// Changes rows of one block, given in ascending order. Rows that cannot be changed say why; the others are.
    pub async fn change(
        &self,
        writer: &mut Writer,
        snapshot: &Snapshot,
        block: BlockNumber,
        rows: &[(u16, RowChange<'_>)],
    ) -> Result<Vec<Outcome>> {
        let mut outcomes = Vec::with_capacity(rows.len());
        writer.replaced.clear();
        let is_long =
            |(_, change): &(u16, RowChange<'_>)| is_wanted(&self.shape, self.assigned(change).map(|(_, v)| v));
        if !rows.iter().any(is_long) {
            match self.change_rows(writer, snapshot, block, rows, &mut outcomes).await {
                // Values that are not long by themselves may be so together with the others of their row.
                Ok(()) | Err(AccessError::RowTooBig { .. }) => self.delete_replaced(writer).await?,
                Err(error) => return Err(error),
            }
        }
        if outcomes.len() < rows.len() {
            Box::pin(self.change_toasted(writer, snapshot, block, rows, &mut outcomes)).await?;
        }
        Ok(outcomes)
    }

    async fn delete_replaced(&self, writer: &mut Writer) -> Result<()> {
        if writer.replaced.is_empty() {
            return Ok(());
        }
        let replaced = std::mem::take(&mut writer.replaced);
        Box::pin(self.delete_values(writer, &replaced)).await
    }

    /// The new values of variable length.
    fn assigned<'a>(&self, change: &RowChange<'a>) -> impl Iterator<Item = (usize, &'a [u8])> {
        let values = match change {
            RowChange::Delete => &[],
            RowChange::Update { values, .. } => *values,
        };
        let variable = values.iter().filter(|(column, _)| self.shape.is_variable(*column));
        variable.filter_map(|(column, value)| Some((*column, (*value)?)))
    }

    /// Changes the next rows one by one, with long values made short, once more if the row is too long still.
    async fn change_toasted(
        &self,
        writer: &mut Writer,
        snapshot: &Snapshot,
        block: BlockNumber,
        rows: &[(u16, RowChange<'_>)],
        outcomes: &mut Vec<Outcome>,
    ) -> Result<()> {
        for (row, change) in &rows[outcomes.len()..] {
            let mut target = self.shape.target;
            let outcome = loop {
                let toasted = self.toast_values(writer, self.assigned(change), target).await?;
                let changed = self.change_one(writer, snapshot, Tid { block, row: *row }, change, &toasted).await;
                let done = matches!(changed, Ok(Outcome::Done));
                if !done {
                    // Nobody has a use for what was written.
                    let bytes = toasted.into_iter().filter_map(|(_, value)| value);
                    writer.replaced = bytes.filter(|bytes| Pointer::of(bytes).is_ok()).collect();
                }
                self.delete_replaced(writer).await?;
                match changed {
                    Err(AccessError::RowTooBig { .. }) if target > 0 => target = 0,
                    changed => break changed?,
                }
            };
            outcomes.push(outcome);
        }
        Ok(())
    }

    /// Changes a row; `toasted`: assigned values that are to be stored otherwise than they are.
    async fn change_one(
        &self,
        writer: &mut Writer,
        snapshot: &Snapshot,
        tid: Tid,
        change: &RowChange<'_>,
        toasted: &Values,
    ) -> Result<Outcome> {
        let mut short: Vec<(usize, Option<&[u8]>)>;
        let change = match change {
            RowChange::Delete => RowChange::Delete,
            RowChange::Update { values, key, indexed } => {
                short = values.to_vec();
                for (column, value) in &mut short {
                    let found = toasted.iter().find(|(toasted, _)| toasted == column);
                    *value = found.map_or(*value, |(_, value)| value.as_deref());
                }
                RowChange::Update { values: &short, key: *key, indexed: *indexed }
            }
        };
        let mut outcomes = Vec::with_capacity(1);
        self.change_rows(writer, snapshot, tid.block, &[(tid.row, change)], &mut outcomes).await?;
        Ok(outcomes[0])
    }

    /// Changes rows to what is to be stored; `outcomes` grows to theirs.
    pub(crate) async fn change_rows(
        &self,
        writer: &mut Writer,
        snapshot: &Snapshot,
        block: BlockNumber,
        rows: &[(u16, RowChange<'_>)],
        outcomes: &mut Vec<Outcome>,
    ) -> Result<()> {
        self.store.check_writable(&writer.session, &self.relation).await?;
        while outcomes.len() < rows.len() {
            self.change_some(writer, snapshot, block, rows, outcomes).await?;
        }
        Ok(())
    }

    /// Deals with the next rows that lie side by side, want the same and are in the same state.
    async fn change_some(
        &self,
        writer: &mut Writer,
        snapshot: &Snapshot,
        block: BlockNumber,
        rows: &[(u16, RowChange<'_>)],
        outcomes: &mut Vec<Outcome>,
    ) -> Result<()> {
        let tid = Tid { block, row: rows[outcomes.len()].0 };
        let store = &self.store;
        store.log.reserve(&writer.session, 2 * PAGE_RECORD).await?;
        let Some((page, actual, row)) = self.pin_row(&writer.session, tid).await? else {
            outcomes.push(Outcome::Gone);
            return Ok(());
        };
        // How much undo the row takes is known when it is looked at; the room is asked for before the latch.
        let (own, mut wanted) = (writer.transaction.xid, COMFORTABLE);
        loop {
            writer.undo.reserve(&writer.session, own, wanted, || store.transactions.horizon()).await?;
            match self.try_change(writer, snapshot, (&page, actual, row), tid, wanted, rows, outcomes)? {
                Step::Done => return Ok(()),
                Step::MoreUndo(size) => wanted = size,
                Step::NoRoom(seen) => {
                    return Box::pin(self.make_room(&writer.session, tid, &page, actual, seen)).await;
                }
            }
        }
    }

    /// The part of [`Heap::change_some`] that happens under the latches. `place`: page, block and number there.
    #[allow(clippy::too_many_arguments)] // What was found out about the row.
    fn try_change(
        &self,
        writer: &mut Writer,
        snapshot: &Snapshot,
        place: (&PinnedPage, BlockNumber, usize),
        tid: Tid,
        reserved: usize,
        rows: &[(u16, RowChange<'_>)],
        outcomes: &mut Vec<Outcome>,
    ) -> Result<Step> {
        let (page, block, row) = place;
        let (number, change) = rows[outcomes.len()];
        let store = &self.store;
        let mut latched = page.latch();
        let mut edit = Edit::new(&self.relation, block, page, &mut latched);
        let parsed = self.parse(&edit, block)?;
        if !self.is_here(&parsed, block, tid, row) {
            if is_nowhere(&parsed, block, tid, row) {
                outcomes.push(Outcome::Gone);
            }
            return Ok(Step::Done);
        }
        if parsed.is_free(row) {
            outcomes.push(Outcome::Gone);
            return Ok(Step::Done);
        }
        let version = parsed.version(row);
        let mut outcome = self.check(&version, writer, snapshot);
        let mode = change.lock_mode();
        let owner = writer.transaction.owner;
        let held = |row: u16| store.locks.row_is_held_against(owner, self.row_tag(Tid { block: tid.block, row }), mode);
        if outcome == Outcome::Done && held(number) {
            outcome = Outcome::Locked;
        }
        if outcome != Outcome::Done {
            outcomes.push(outcome);
            return Ok(Step::Done);
        }
        let columns: Vec<usize> = match change {
            RowChange::Delete => vec![],
            RowChange::Update { values, .. } => values.iter().map(|(column, _)| *column).collect(),
        };
        let size = record_size(&self.shape, &parsed, row, &columns);
        if size > MAX_RECORD {
            return Err(AccessError::RowTooBig { size, max: MAX_RECORD });
        }
        check_updated(&self.shape, &parsed, row, &change)?;
        if size > reserved {
            return Ok(Step::MoreUndo(size));
        }
        // How many of the next rows go along.
        let mut count = 1;
        let mut total = size;
        while let Some((next, other)) = rows.get(outcomes.len() + count) {
            let here = row + count;
            if usize::from(*next) != usize::from(number) + count
                || here >= parsed.rows
                || parsed.is_free(here)
                || parsed.version(here) != version
                || parsed.continuation_of(here).is_some()
                || !same_kind(&change, other, &columns)
                || held(*next)
                || check_updated(&self.shape, &parsed, here, other).is_err()
            {
                break;
            }
            total += record_size(&self.shape, &parsed, here, &columns);
            if total > COMFORTABLE {
                break;
            }
            count += 1;
        }
        let chosen = &rows[outcomes.len()..][..count];
        match self.apply(writer, &mut edit, chosen, row, version, &columns, tid.block) {
            Ok(done) => {
                outcomes.extend(std::iter::repeat_n(Outcome::Done, done));
                Ok(Step::Done)
            }
            Err(NoRoom) => {
                if edit.is_changed() {
                    // It was tidied, in vain.
                    edit.is_just(BlockChange::KeepsEntries);
                    commit(&store.log, None, &mut [&mut edit]);
                }
                Ok(Step::NoRoom(edit.lsn()))
            }
        }
    }

    /// Changes rows of a latched page, with their undo record; gives how many found room.
    #[allow(clippy::too_many_arguments)] // What was found out about the rows.
    fn apply(
        &self,
        writer: &mut Writer,
        edit: &mut Edit<'_>,
        rows: &[(u16, RowChange<'_>)],
        row: usize,
        before: Version,
        columns: &[usize],
        home: BlockNumber,
    ) -> std::result::Result<usize, NoRoom> {
        let shape = &*self.shape;
        let transaction = writer.transaction.clone();
        let deleted = matches!(rows[0].1, RowChange::Delete);
        let key = rows.iter().any(|(_, change)| !matches!(change, RowChange::Update { key: false, .. }));
        let header = UndoHeader {
            kind: if deleted { UndoKind::Deleted } else { UndoKind::Updated },
            xid: transaction.xid,
            command: writer.command,
            previous: transaction.undo(),
            relation: self.relation.id(),
            block: home,
            row: usize::from(rows[0].0),
            count: rows.len(),
            before,
        };
        let page = modify::parse(edit, shape);
        if page.room() < 2 * ENTRY {
            self.tidy(edit);
            let page = modify::parse(edit, shape);
            if page.room() < 2 * ENTRY {
                return Err(NoRoom);
            }
            // The version may have been dropped as one that everybody sees: the record keeps what was found.
        }
        let record = &mut writer.undo.record;
        record.start(&header);
        let mut done = rows.len();
        if deleted && !self.is_toast() {
            let page = modify::parse(edit, shape);
            let values = (row..row + done).flat_map(|row| shape.variable().map(move |column| (row, column)));
            values.for_each(|(row, column)| {
                note_replaced(&mut writer.replaced, page.value(shape, column, row).ok().flatten())
            });
        }
        if !deleted {
            record.columns(shape.columns.len(), columns.iter().copied());
            for (index, (_, change)) in rows.iter().enumerate() {
                let RowChange::Update { values, .. } = change else { unreachable!("the changes are of one kind") };
                let at = record.size();
                let replaced = writer.replaced.len();
                put_old(record, &mut writer.replaced, shape, edit, row + index, columns);
                let mut updated = self.update_leaving_room(edit, row + index, values);
                if updated.is_err() && index == 0 {
                    updated = self.update_tidied(edit, row, values);
                }
                if updated.is_err() {
                    writer.replaced.truncate(replaced);
                    record.truncate(at);
                    done = index;
                    break;
                }
            }
            if done == 0 {
                return Err(NoRoom);
            }
            record.set_count(done);
        }
        let indexed = rows.iter().any(|(_, change)| matches!(change, RowChange::Update { indexed: true, .. }));
        edit.is_just(match deleted {
            true => BlockChange::Removes,
            false if indexed => BlockChange::Any,
            false => BlockChange::KeepsEntries,
        });
        writer.undo.append(transaction.xid, |pointer, undo| {
            let version = Version {
                xid: transaction.xid,
                command: writer.command,
                inserted: false,
                deleted,
                key_changed: key,
                undo: pointer,
            };
            modify::set_version(edit, shape, row..row + done, Some(version)).expect("room for entries was left");
            commit(&self.store.log, Some((&transaction, pointer)), &mut [undo, edit]);
        });
        match deleted {
            true => self.activity.note_deleted(done as u64),
            false => self.activity.note_updated(done as u64),
        }
        Ok(done)
    }

    /// Updates a row if that leaves room for its entry.
    fn update_leaving_room(
        &self,
        edit: &mut Edit<'_>,
        row: usize,
        values: &[(usize, Option<&[u8]>)],
    ) -> std::result::Result<(), NoRoom> {
        let page = modify::parse(edit, &self.shape);
        let mut needed = 2 * ENTRY;
        for &(column, value) in values.iter().filter(|(c, _)| self.shape.columns[*c].width.is_none()) {
            let old = page.value(&self.shape, column, row).ok().flatten().map_or(0, <[u8]>::len);
            let new = value.map_or(0, <[u8]>::len);
            needed += if new <= old { 0 } else { new };
        }
        if page.room() < needed {
            return Err(NoRoom);
        }
        modify::update(edit, &self.shape, row, values)
    }

    /// [`Heap::update_leaving_room`] on a page that has none as it is: with what nobody needs out of the way, at last the
    /// values that are to be replaced.
    fn update_tidied(
        &self,
        edit: &mut Edit<'_>,
        row: usize,
        values: &[(usize, Option<&[u8]>)],
    ) -> std::result::Result<(), NoRoom> {
        self.tidy(edit);
        if self.update_leaving_room(edit, row, values).is_ok() {
            return Ok(());
        }
        let before: [u8; storage::PAGE_SIZE] = edit[..].try_into().expect("a page");
        modify::drop_values(edit, &self.shape, row, values.iter().map(|(column, _)| *column));
        let rows = modify::parse(edit, &self.shape).rows;
        let updated = modify::compact(edit, &self.shape, rows);
        let updated = updated.and_then(|()| self.update_leaving_room(edit, row, values));
        if updated.is_err() {
            edit.replace(&before);
        }
        updated
    }

    /// Moves half of a full page's rows to a continuation, so that the next attempt finds room; does nothing if the page
    /// is no longer as it was `seen`.
    pub(crate) async fn make_room(
        &self,
        session: &Session,
        tid: Tid,
        page: &PinnedPage,
        block: BlockNumber,
        seen: Lsn,
    ) -> Result<()> {
        let store = &self.store;
        store.log.reserve_to_end(session, 3 * PAGE_RECORD).await?;
        let home = self.pin(session, tid.block).await?;
        let (empty_block, empty) = store.pool.extend(session, &self.relation, IoContext::Normal).await?;
        let shape = &*self.shape;
        let mut home_latched = home.latch();
        let mut home_edit = Edit::new(&self.relation, tid.block, &home, &mut home_latched);
        let mut empty_latched;
        if block == tid.block {
            if home_edit.lsn() != seen {
                self.note_new(empty_block);
                return Ok(());
            }
            let parsed = self.parse(&home_edit, block)?;
            let Some(cut) = modify::middle(&parsed, shape) else {
                return Err(self.bad(block, "a single row has no room"));
            };
            empty_latched = empty.latch();
            if !empty_latched.is_new() {
                // Somebody was told of it, and has put rows there: the caller tries again.
                return Ok(());
            }
            let mut empty_edit = Edit::new(&self.relation, empty_block, &empty, &mut empty_latched);
            modify::split(&mut home_edit, &mut empty_edit, shape, cut, block, cut);
            modify::add_continuation(&mut home_edit, shape, cut, empty_block).expect("half of the page is free");
            commit(&store.log, None, &mut [&mut home_edit, &mut empty_edit]);
            return Ok(());
        }
        let mut latched = page.latch();
        let mut edit = Edit::new(&self.relation, block, page, &mut latched);
        if edit.lsn() != seen {
            self.note_new(empty_block);
            return Ok(());
        }
        let parsed = self.parse(&edit, block)?;
        let first = parsed.first();
        let Some(cut) = modify::middle(&parsed, shape) else {
            return Err(self.bad(block, "a single row has no room"));
        };
        empty_latched = empty.latch();
        if !empty_latched.is_new() {
            return Ok(());
        }
        let mut added = modify::add_continuation(&mut home_edit, shape, first + cut, empty_block);
        if added.is_err() {
            self.tidy(&mut home_edit);
            added = modify::add_continuation(&mut home_edit, shape, first + cut, empty_block);
        }
        let mut empty_edit = Edit::new(&self.relation, empty_block, &empty, &mut empty_latched);
        if added.is_err() {
            // The home page itself has no room for the note: its own rows go first, and the caller tries again.
            let parsed = self.parse(&home_edit, tid.block)?;
            let cut = modify::middle(&parsed, shape).ok_or_else(|| self.bad(tid.block, "too many continuations"))?;
            modify::split(&mut home_edit, &mut empty_edit, shape, cut, tid.block, cut);
            modify::add_continuation(&mut home_edit, shape, cut, empty_block).expect("half of the page is free");
            commit(&store.log, None, &mut [&mut home_edit, &mut empty_edit]);
            return Ok(());
        }
        modify::split(&mut edit, &mut empty_edit, shape, cut, tid.block, first + cut);
        commit(&store.log, None, &mut [&mut home_edit, &mut edit, &mut empty_edit]);
        Ok(())
    }

    /// Takes a row lock for `SELECT … FOR`: looks at the row, and takes the lock in the same latched moment, so that no
    /// change slips in between.
    pub async fn lock_row(
        &self,
        writer: &Writer,
        snapshot: &Snapshot,
        tid: Tid,
        mode: LockMode,
    ) -> Result<std::result::Result<Outcome, txn::LockError>> {
        loop {
            let Some((page, block, row)) = self.pin_row(&writer.session, tid).await? else {
                return Ok(Ok(Outcome::Gone));
            };
            let latched = page.latch();
            let parsed = self.parse(&latched, block)?;
            if !self.is_here(&parsed, block, tid, row) {
                if is_nowhere(&parsed, block, tid, row) {
                    return Ok(Ok(Outcome::Gone));
                }
                continue;
            }
            if parsed.is_free(row) {
                return Ok(Ok(Outcome::Gone));
            }
            let version = parsed.version(row);
            let outcome = match self.check(&version, writer, snapshot) {
                Outcome::Mine => Outcome::Done,
                // Who only shares the key does not mind a change of other columns.
                Outcome::Busy(_) if mode == LockMode::AccessShare && !version.key_changed && !version.inserted => {
                    Outcome::Done
                }
                outcome => outcome,
            };
            if outcome != Outcome::Done {
                return Ok(Ok(outcome));
            }
            return Ok(match self.store.locks.try_lock(writer.transaction.owner, self.row_tag(tid), mode) {
                Ok(true) => Ok(Outcome::Done),
                Ok(false) => Ok(Outcome::Locked),
                Err(error) => Err(error),
            });
        }
    }

    // Taking back.

    /// Puts the rows of an undo record, found at `pointer`, back as they were.
    pub(crate) async fn undo(
        &self,
        session: &Session,
        transaction: &Transaction,
        record: &crate::undo::UndoRecord,
        pointer: UndoPtr,
    ) -> Result<()> {
        // Taking back can wait; pages that cannot leave the pool take the room of others.
        self.store.check_writable(session, &self.relation).await?;
        let header = &record.header;
        let mut row = header.row;
        while row < header.row + header.count {
            let tid = Tid { block: header.block, row: row as u16 };
            self.store.log.reserve_to_end(session, PAGE_RECORD).await?;
            let Some((page, block, here)) = self.pin_row(session, tid).await? else { break };
            let (done, full) = self.undo_some(transaction, record, pointer, &page, block, here, row)?;
            row += done;
            if let Some(seen) = full {
                self.make_room(session, tid, &page, block, seen).await?;
            }
        }
        // The last change may have been none at all: the step is logged by itself.
        if transaction.undo() != header.previous {
            self.store.log.reserve_to_end(session, PAGE_RECORD).await?;
            commit(&self.store.log, Some((transaction, header.previous)), &mut []);
        }
        Ok(())
    }

    /// Puts rows of one page back; gives how many were dealt with, and the page's LSN if the next one found no room.
    #[allow(clippy::too_many_arguments)] // A record and a place.
    fn undo_some(
        &self,
        transaction: &Transaction,
        record: &crate::undo::UndoRecord,
        pointer: UndoPtr,
        page: &PinnedPage,
        block: BlockNumber,
        here: usize,
        row: usize,
    ) -> Result<(usize, Option<Lsn>)> {
        let header = &record.header;
        let shape = &*self.shape;
        let mut latched = page.latch();
        let mut edit = Edit::new(&self.relation, block, page, &mut latched);
        let parsed = self.parse(&edit, block)?;
        let tid = Tid { block: header.block, row: row as u16 };
        if !self.is_here(&parsed, block, tid, here) {
            let nowhere = is_nowhere(&parsed, block, tid, here);
            return Ok((if nowhere { header.count } else { 0 }, None));
        }
        let rows = parsed.rows;
        let end = (header.row + header.count - row).min(rows - here);
        let (mut done, mut full) = (0, false);
        while done < end {
            let at = here + done;
            let parsed = self.parse(&edit, block)?;
            let version = parsed.version(at);
            let ours = version.xid == transaction.xid
                && match header.kind {
                    UndoKind::Inserted => version.inserted && version.command == header.command,
                    _ => version.undo == pointer,
                };
            // What a crash has interrupted is half undone.
            if ours && !parsed.is_free(at) {
                let old = record.old_values(shape, row + done);
                let old = old.ok_or_else(|| self.bad(block, "an undo record makes no sense"))?;
                if self.put_back(&mut edit, header, at, &old).is_err() {
                    full = true;
                    break;
                }
            }
            done += 1;
        }
        if edit.is_changed() {
            edit.is_just(match header.kind {
                UndoKind::Inserted => BlockChange::Removes,
                UndoKind::Deleted => BlockChange::KeepsEntries,
                _ => BlockChange::Any,
            });
            let last = row + done == header.row + header.count;
            let undo = if last { header.previous } else { pointer };
            commit(&self.store.log, Some((transaction, undo)), &mut [&mut edit]);
        }
        if header.kind == UndoKind::Inserted {
            self.note_room(block, &self.parse(&edit, block)?);
        }
        Ok((done, full.then(|| edit.lsn())))
    }

    fn put_back(
        &self,
        edit: &mut Edit<'_>,
        header: &UndoHeader,
        row: usize,
        old: &[(usize, Option<&[u8]>)],
    ) -> std::result::Result<(), NoRoom> {
        if header.kind == UndoKind::Inserted {
            return modify::free(edit, &self.shape, row..row + 1).or_else(|NoRoom| {
                self.tidy(edit);
                modify::free(edit, &self.shape, row..row + 1)
            });
        }
        if self.update_leaving_room(edit, row, old).is_err() {
            self.update_tidied(edit, row, old)?;
        }
        let before = (header.before != Version::FROZEN).then_some(header.before);
        modify::set_version(edit, &self.shape, row..row + 1, before)
    }
}

/// Fails when a change makes a row too long for a page.
fn check_updated(shape: &TableShape, page: &HeapPage<'_>, row: usize, change: &RowChange<'_>) -> Result<()> {
    let RowChange::Update { values, .. } = change else { return Ok(()) };
    if !values.iter().any(|(column, _)| shape.is_variable(*column)) {
        return Ok(());
    }
    let length = |value: Option<&[u8]>| value.map_or(0, <[u8]>::len);
    let of_column = |column: usize| match values.iter().find(|(assigned, _)| *assigned == column) {
        Some((_, value)) => length(*value),
        None => length(page.value(shape, column, row).ok().flatten()),
    };
    check_bytes(shape, shape.variable().map(of_column).sum())
}

/// Do two changes go into one undo record?
fn same_kind(a: &RowChange<'_>, b: &RowChange<'_>, columns: &[usize]) -> bool {
    match (a, b) {
        (RowChange::Delete, RowChange::Delete) => true,
        (RowChange::Update { .. }, RowChange::Update { values, .. }) => {
            values.len() == columns.len() && values.iter().zip(columns).all(|((a, _), b)| a == b)
        }
        _ => false,
    }
}

/// Notes a value of variable length, if it is out of line: it is about to be replaced.
fn note_replaced(replaced: &mut Vec<Vec<u8>>, value: Option<&[u8]>) {
    replaced.extend(value.filter(|value| Pointer::of(value).is_ok()).map(<[u8]>::to_vec));
}

/// Keeps the values that an update replaces.
fn put_old(
    record: &mut RecordBuilder,
    replaced: &mut Vec<Vec<u8>>,
    shape: &TableShape,
    edit: &Edit<'_>,
    row: usize,
    columns: &[usize],
) {
    let page = modify::parse(edit, shape);
    for &column in columns {
        let value = page.value(shape, column, row).ok().flatten();
        record.value(value, shape.is_variable(column));
        if shape.is_variable(column) {
            note_replaced(replaced, value);
        }
    }
}
