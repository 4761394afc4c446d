//! Changing and deleting rows, and locking them.
//!
//! # How a change is made
//! Everything that may wait comes first: the page and the undo page are pinned, room in the log is reserved. Then both
//! pages are latched, the newest version is checked against the transaction's snapshot, and undo record and change go into
//! one log record. Whatever stands in the way (another transaction's change, a row lock, no room) is an [`Outcome`] or
//! makes room; nothing is waited for here, because what to do about a conflict is a matter of isolation levels.

use smallvec::{SmallVec, smallvec};
use storage::{BlockChange, BlockNumber, Lsn, Page, PinnedPage};
use txn::{Holder, LockMode, Snapshot, Xid};

use crate::edit::{Edit, PAGE_RECORD, commit};
use crate::heap::row::check_bytes;
use crate::heap::{Heap, Writer, is_nowhere};
use crate::page::entries;
use crate::page::entries::Entry;
use crate::page::modify;
use crate::page::modify::NoRoom;
use crate::page::row_set::RowSet;
use crate::page::*;
use crate::shape::TableShape;
use crate::toast::save::{Values, is_wanted, room_for_values};
use crate::toast::stored::Pointer;
use crate::undo::{COMFORTABLE, MAX_RECORD, RecordBuilder, UndoHeader, UndoKind, record_overhead, values_size};
use crate::{AccessError, Result};

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
    /// Another transaction has changed it, and committed after the snapshot was taken.
    Changed,
    /// Another transaction has deleted it; or there is no such row.
    Gone,
    /// A transaction in progress has changed it.
    Busy(Holder),
    /// A row lock of another transaction stands in the way, or others were first to wait for the row. `own`: the row was changed by
    /// this transaction, which waits in no queue then.
    Locked {
        own: bool,
    },
}

impl Outcome {
    /// Must another transaction be waited for, or the row be looked at again?
    pub fn is_conflict(self) -> bool {
        matches!(self, Outcome::Changed | Outcome::Busy(_) | Outcome::Locked { .. })
    }
}

/// Where a row is: its page, and its number there. Its own page is `home`.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub page: &'a PinnedPage,
    pub block: BlockNumber,
    pub row: usize,
    pub home: BlockNumber,
}

/// A row that is changed: which of those that were asked for, and its number on the page.
#[derive(Clone, Copy)]
struct Changed {
    index: usize,
    row: usize,
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

impl Heap {
    /// What stands in the way of changing a row whose newest version is this one?
    fn check(&self, version: &Version, writer: &Writer, snapshot: &Snapshot) -> Outcome {
        if self.is_toast() {
            // The transaction that may change the row may delete its chunks, those that this command has made too.
            return if version.deleted { Outcome::Gone } else { Outcome::Done };
        }
        let own = version.xid == writer.transaction.xid;
        if own && version.command == writer.command {
            Outcome::Mine
        } else if own || snapshot.sees(version.xid, version.command) {
            if version.deleted { Outcome::Gone } else { Outcome::Done }
        } else if self.store.transactions.is_active(version.xid, snapshot.dependency()) {
            // The page is latched: the row is not put back in between.
            Outcome::Busy(Holder { xid: version.xid, subaborts: self.store.transactions.subaborts() })
        } else if version.deleted {
            Outcome::Gone
        } else {
            Outcome::Changed
        }
    }

    /// Changes rows of one block, given in ascending order, up to one that others are at: a transaction that waits for a row has none of those
    /// behind it, so that no transaction that takes them in the same order waits for this one. Rows that cannot be changed say why; `None`: not
    /// tried.
    pub async fn change(
        &self,
        writer: &mut Writer,
        snapshot: &Snapshot,
        block: BlockNumber,
        rows: &[(u16, RowChange<'_>)],
    ) -> Result<Vec<Option<Outcome>>> {
        let mut outcomes = vec![None; rows.len()];
        writer.replaced.clear();
        let room = room_for_values(&self.shape);
        let is_long = |(_, change): &(u16, RowChange<'_>)| is_wanted(room, self.assigned(change).map(|(_, v)| v));
        if !rows.iter().any(is_long) {
            match self.change_rows(writer, snapshot, block, rows, &mut outcomes).await {
                // Values that are not long by themselves may be so together with the others of their row.
                Ok(()) | Err(AccessError::RowTooBig { .. }) => self.delete_replaced(writer).await?,
                Err(error) => return Err(error),
            }
        }
        if outcomes.contains(&None) && !outcomes.iter().flatten().any(|outcome| outcome.is_conflict()) {
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

    /// Changes the rows that are left one by one, with long values made short, once more if the row is too long still; up to one
    /// that others are at.
    async fn change_toasted(
        &self,
        writer: &mut Writer,
        snapshot: &Snapshot,
        block: BlockNumber,
        rows: &[(u16, RowChange<'_>)],
        outcomes: &mut [Option<Outcome>],
    ) -> Result<()> {
        let left = rows.iter().zip(outcomes).filter(|(_, outcome)| outcome.is_none());
        for ((row, change), outcome) in left {
            let mut target = self.shape.target;
            let changed = loop {
                let toasted = self.toast_values(writer, self.assigned(change), target).await?;
                let changed = self.change_one(writer, snapshot, Tid { block, row: *row }, change, &toasted).await;
                let done = matches!(changed, Ok(Outcome::Done));
                if !done {
                    // What was written is of no use.
                    let bytes = toasted.into_iter().filter_map(|(_, value)| value);
                    writer.replaced = bytes.filter(|bytes| Pointer::of(bytes).is_ok()).collect();
                }
                self.delete_replaced(writer).await?;
                match changed {
                    Err(AccessError::RowTooBig { .. }) if target > 0 => target = 0,
                    changed => break changed?,
                }
            };
            *outcome = Some(changed);
            if changed.is_conflict() {
                break;
            }
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
        let mut outcome = [None];
        self.change_rows(writer, snapshot, tid.block, &[(tid.row, change)], &mut outcome).await?;
        Ok(outcome[0].expect("the row was dealt with"))
    }

    /// Changes rows to what is to be stored, up to one that others are at; `outcomes` become theirs, as far as it comes.
    pub(crate) async fn change_rows(
        &self,
        writer: &mut Writer,
        snapshot: &Snapshot,
        block: BlockNumber,
        rows: &[(u16, RowChange<'_>)],
        outcomes: &mut [Option<Outcome>],
    ) -> Result<()> {
        self.store.check_writable(&writer.session, &self.relation).await?;
        for next in 0..rows.len() {
            while outcomes[next].is_none() {
                self.change_some(writer, snapshot, block, rows, next, outcomes).await?;
            }
            if outcomes[next].is_some_and(Outcome::is_conflict) {
                break;
            }
        }
        Ok(())
    }

    /// Deals with the next row, and with those behind it on its page that want the same and are in the same state.
    async fn change_some(
        &self,
        writer: &mut Writer,
        snapshot: &Snapshot,
        block: BlockNumber,
        rows: &[(u16, RowChange<'_>)],
        next: usize,
        outcomes: &mut [Option<Outcome>],
    ) -> Result<()> {
        let tid = Tid { block, row: rows[next].0 };
        let store = &self.store;
        store.log.reserve(&writer.session, 2 * PAGE_RECORD).await?;
        let Some((page, actual, row)) = self.pin_row(&writer.session, tid).await? else {
            outcomes[next] = Some(Outcome::Gone);
            return Ok(());
        };
        // How much undo the row takes is known when it is looked at; the room is asked for before the latch.
        let (own, mut wanted) = (writer.transaction.xid, COMFORTABLE);
        loop {
            writer.undo.reserve(&writer.session, own, wanted, || store.transactions.horizon()).await?;
            let place = Place { page: &page, block: actual, row, home: block };
            match self.try_change(writer, snapshot, place, wanted, &rows[next..], &mut outcomes[next..])? {
                Step::Done => return Ok(()),
                Step::MoreUndo(size) => wanted = size,
                Step::NoRoom(seen) => {
                    return Box::pin(self.make_room(&writer.session, tid, &page, actual, seen)).await;
                }
            }
        }
    }

    /// The part of [`Heap::change_some`] that happens under the latches. The first of the rows is at `place`.
    fn try_change(
        &self,
        writer: &mut Writer,
        snapshot: &Snapshot,
        place: Place<'_>,
        reserved: usize,
        rows: &[(u16, RowChange<'_>)],
        outcomes: &mut [Option<Outcome>],
    ) -> Result<Step> {
        let Place { page, block, row, home } = place;
        let (number, change) = rows[0];
        let tid = Tid { block: home, row: number };
        let mut latched = page.latch();
        let mut edit = Edit::new(&self.relation, block, page, &mut latched);
        let parsed = self.parse(&edit, block)?;
        if !self.is_here(&parsed, block, tid, row) {
            if is_nowhere(&parsed, block, tid, row) {
                outcomes[0] = Some(Outcome::Gone);
            }
            return Ok(Step::Done);
        }
        if parsed.is_free(row) {
            outcomes[0] = Some(Outcome::Gone);
            return Ok(Step::Done);
        }
        let version = parsed.version(row);
        let mut outcome = self.check(&version, writer, snapshot);
        let own = version.xid == writer.transaction.xid;
        if outcome == Outcome::Done && self.is_locked(writer, tid, own, change.lock_mode()) {
            outcome = Outcome::Locked { own };
        }
        if outcome != Outcome::Done {
            outcomes[0] = Some(outcome);
            return Ok(Step::Done);
        }
        let mut columns: Vec<usize> = match change {
            RowChange::Delete => vec![],
            RowChange::Update { values, .. } => values.iter().map(|(column, _)| *column).collect(),
        };
        let size_of = |columns: &[usize]| {
            record_overhead(&self.shape, columns, 1) + values_size(&self.shape, &parsed, row, columns)
        };
        let mut size = size_of(&columns);
        if size > MAX_RECORD {
            // Almost all columns take more room than all of them.
            columns = (0..self.shape.columns.len()).collect();
            size = size_of(&columns);
        }
        if size > MAX_RECORD {
            return Err(AccessError::RowTooBig { size, max: MAX_RECORD });
        }
        check_updated(&self.shape, &parsed, row, &change)?;
        if size > reserved {
            return Ok(Step::MoreUndo(size));
        }
        let (before, group) = self.group(writer, snapshot, &parsed, place, &columns, rows, outcomes);
        match self.apply(writer, &mut edit, rows, &group, before, &columns, home) {
            Ok(done) => {
                group[..done].iter().for_each(|changed| outcomes[changed.index] = Some(Outcome::Done));
                Ok(Step::Done)
            }
            Err(NoRoom) => {
                if edit.is_changed() {
                    // It was tidied, in vain.
                    edit.is_just(BlockChange::KeepsEntries);
                    commit(&self.store.log, None, &mut [&mut edit]);
                }
                Ok(Step::NoRoom(edit.lsn()))
            }
        }
    }

    /// Does a row lock of another transaction stand in the way, or a queue, which is for rows that others have changed?
    fn is_locked(&self, writer: &Writer, tid: Tid, own: bool, mode: LockMode) -> bool {
        let queue = (!own).then(|| self.tuple_tag(tid));
        self.store.locks.row_is_held_against(writer.transaction.owner, self.row_tag(tid), queue, mode)
    }

    /// The rows that are changed together with the first one, which is at `place` and may be changed: those on its page, up to
    /// one that others are at, that want the same and are in the same state. One undo record and one version are theirs. Gives
    /// the version before, too.
    #[allow(clippy::too_many_arguments)] // What was found out about the rows.
    fn group(
        &self,
        writer: &Writer,
        snapshot: &Snapshot,
        page: &HeapPage<'_>,
        place: Place<'_>,
        columns: &[usize],
        rows: &[(u16, RowChange<'_>)],
        outcomes: &[Option<Outcome>],
    ) -> (Version, SmallVec<[Changed; 16]>) {
        let Place { row, home, .. } = place;
        let (number, change) = rows[0];
        let mut group: SmallVec<[Changed; 16]> = smallvec![Changed { index: 0, row }];
        let mut before = page.version(row);
        if rows.len() == 1 {
            return (before, group);
        }
        let own = before.xid == writer.transaction.xid;
        let (alike, others) = match page.entries {
            0 => (page.present(), RowSet::EMPTY),
            _ => {
                let horizon = self.store.transactions.horizon();
                if before.xid < horizon {
                    before = Version::FROZEN;
                }
                let is_others = |version: &Version| {
                    version.xid >= horizon && *version != before && self.check(version, writer, snapshot).is_conflict()
                };
                let others = page.entries().filter(|entry| is_others(&entry.version));
                (rows_with_version(page, &before, horizon), union(others))
            }
        };
        let size_of = |row: usize| values_size(&self.shape, page, row, columns);
        let mut size = record_overhead(&self.shape, columns, page.rows) + size_of(row);
        let first = usize::from(number) - row;
        let mut last = number;
        for (index, (number, other)) in rows.iter().enumerate().skip(1) {
            let row = usize::from(*number) - first;
            if row >= page.rows || others.contains(row) {
                break;
            }
            // The same row once more is for its own turn.
            if outcomes[index].is_some() || *number == last {
                continue;
            }
            if self.is_locked(writer, Tid { block: home, row: *number }, own, other.lock_mode()) {
                break;
            }
            if !alike.contains(row)
                || !same_kind(&change, other, columns)
                || check_updated(&self.shape, page, row, other).is_err()
            {
                continue;
            }
            size += size_of(row);
            if size > COMFORTABLE {
                break;
            }
            group.push(Changed { index, row });
            last = *number;
        }
        (before, group)
    }

    /// Changes rows of a latched page, with their undo record; gives how many found room.
    #[allow(clippy::too_many_arguments)] // What was found out about the rows.
    fn apply(
        &self,
        writer: &mut Writer,
        edit: &mut Edit<'_>,
        rows: &[(u16, RowChange<'_>)],
        group: &[Changed],
        before: Version,
        columns: &[usize],
        home: BlockNumber,
    ) -> std::result::Result<usize, NoRoom> {
        let shape = &*self.shape;
        let transaction = writer.transaction.clone();
        let first = usize::from(rows[0].0) - group[0].row;
        let on_page = |group: &[Changed]| group.iter().map(|changed| changed.row).collect::<RowSet>();
        let numbers = |group: &[Changed]| group.iter().map(|changed| first + changed.row).collect::<RowSet>();
        let deleted = matches!(rows[0].1, RowChange::Delete);
        let header = UndoHeader {
            kind: if deleted { UndoKind::Deleted } else { UndoKind::Updated },
            xid: transaction.xid,
            command: writer.command,
            previous: transaction.undo(),
            relation: self.relation.id(),
            block: home,
            rows: numbers(group),
            before,
        };
        let mut changed = on_page(group);
        let wanted = |edit: &Edit<'_>| {
            let page = modify::parse(edit, shape);
            let growth = entries::growth(&page, &changed);
            (page.room() >= growth).then_some(growth)
        };
        // What is tidied away, the record keeps as it was found.
        let leave = wanted(edit).or_else(|| {
            self.tidy(edit);
            wanted(edit)
        });
        let leave = leave.ok_or(NoRoom)?;
        let record = &mut writer.undo.record;
        record.start(&header);
        let mut done = group.len();
        if deleted && !self.is_toast() {
            let page = modify::parse(edit, shape);
            let values = group.iter().flat_map(|changed| shape.variable().map(move |column| (changed.row, column)));
            values.for_each(|(row, column)| {
                note_replaced(&mut writer.replaced, page.value(shape, column, row).ok().flatten())
            });
        }
        if !deleted {
            record.columns(shape, columns);
            for (at, &Changed { index, row }) in group.iter().enumerate() {
                let RowChange::Update { values, .. } = rows[index].1 else {
                    unreachable!("the changes are of one kind")
                };
                let (size, replaced) = (record.size(), writer.replaced.len());
                put_old(record, &mut writer.replaced, shape, edit, row, columns, values);
                let mut updated = modify::update(edit, shape, row, values, leave);
                if updated.is_err() && at == 0 {
                    updated = self.update_tidied(edit, row, values, leave);
                }
                if updated.is_err() {
                    writer.replaced.truncate(replaced);
                    record.truncate(size);
                    done = at;
                    break;
                }
            }
            if done == 0 {
                return Err(NoRoom);
            }
        }
        if done < group.len() {
            record.set_rows(&numbers(&group[..done]));
            changed = on_page(&group[..done]);
        }
        let group = &group[..done];
        let any = |is: fn(&RowChange<'_>) -> bool| group.iter().any(|changed| is(&rows[changed.index].1));
        edit.is_just(match deleted {
            true => BlockChange::Removes,
            false if any(|change| matches!(change, RowChange::Update { indexed: true, .. })) => BlockChange::Any,
            false => BlockChange::KeepsEntries,
        });
        // A key that this transaction has changed before is still not its last.
        let was_changed = before.xid == transaction.xid && before.key_changed;
        let key_changed = was_changed || any(|change| !matches!(change, RowChange::Update { key: false, .. }));
        writer.undo.append(transaction.xid, |pointer, undo| {
            let version = Version {
                xid: transaction.xid,
                command: writer.command,
                inserted: false,
                deleted,
                key_changed,
                undo: pointer,
            };
            modify::set_version(edit, shape, &changed, Some(&version)).expect("room for entries was left");
            commit(&self.store.log, Some((&transaction, pointer)), &mut [undo, edit]);
        });
        match deleted {
            _ if self.is_toast() => {}
            true => writer.status.count_delete(&self.activity, done as u64),
            false => writer.status.count_update(&self.activity, done as u64),
        }
        Ok(done)
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
            let own = version.xid == writer.transaction.xid;
            let outcome = match self.check(&version, writer, snapshot) {
                // By this transaction, since the snapshot was taken: what the statement found is no more (TM_SelfModified).
                _ if own && !snapshot.sees(version.xid, version.command) => Outcome::Mine,
                // A transaction that only shares the key does not mind a change of other columns.
                Outcome::Busy(_) if mode == LockMode::AccessShare && !version.key_changed && !version.inserted => {
                    Outcome::Done
                }
                outcome => outcome,
            };
            if outcome != Outcome::Done {
                return Ok(Ok(outcome));
            }
            if self.is_locked(writer, tid, own, mode) {
                return Ok(Ok(Outcome::Locked { own }));
            }
            return Ok(match self.store.locks.try_lock(writer.transaction.owner, self.row_tag(tid), mode) {
                Ok(true) => {
                    writer.transaction.locked_row();
                    Ok(Outcome::Done)
                }
                Ok(false) => Ok(Outcome::Locked { own }),
                Err(error) => Err(error),
            });
        }
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

/// The rows that are as one is with this version: all snapshots see those that are there without an entry, or with one of a transaction
/// before the horizon.
fn rows_with_version(page: &HeapPage<'_>, version: &Version, horizon: Xid) -> RowSet {
    if *version != Version::FROZEN {
        return union(page.entries().filter(|entry| entry.version == *version));
    }
    let others = page.entries().filter(|entry| entry.version.xid >= horizon || entry.version.deleted);
    others.fold(page.present(), |mut rows, entry| {
        rows.subtract(&entry.rows());
        rows
    })
}

/// The rows of some entries.
fn union<'a>(entries: impl Iterator<Item = Entry<'a>>) -> RowSet {
    entries.fold(RowSet::EMPTY, |mut rows, entry| {
        rows.union(&entry.rows());
        rows
    })
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

/// Keeps the values that a row has in some columns, those among them that an update replaces.
fn put_old(
    record: &mut RecordBuilder,
    replaced: &mut Vec<Vec<u8>>,
    shape: &TableShape,
    edit: &Edit<'_>,
    row: usize,
    columns: &[usize],
    assigned: &[(usize, Option<&[u8]>)],
) {
    let page = modify::parse(edit, shape);
    let is_assigned =
        |column| columns.len() == assigned.len() || assigned.binary_search_by_key(&column, |(other, _)| *other).is_ok();
    record.row(shape, columns, |column| {
        let value = page.value(shape, column, row).ok().flatten();
        if shape.is_variable(column) && is_assigned(column) {
            note_replaced(replaced, value);
        }
        value
    });
}
