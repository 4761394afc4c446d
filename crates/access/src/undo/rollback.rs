//! Taking back what a transaction did: at ROLLBACK, ROLLBACK TO, after an error, and in recovery.
//!
//! The transaction's undo records are followed from its latest one backward, each is put back and logged together with the
//! new latest one. So a crash in between continues where it was. Until all is back the transaction counts as in progress,
//! and transactions that want its rows wait.

use std::sync::Arc;

use aio::{Session, Turn};
use storage::{BlockChange, Lsn, Page, RelationId};
use txn::{Transaction, UndoPtr};

use crate::AccessError;
use crate::edit::{Edit, PAGE_RECORD, commit};
use crate::heap::change::Place;
use crate::heap::{Heap, Store, is_nowhere};
use crate::page::entries::Entries;
use crate::page::modify;
use crate::page::modify::NoRoom;
use crate::page::row_set::RowSet;
use crate::page::*;
use crate::undo::{UndoHeader, UndoKind, UndoRecord};

/// Takes back everything after the undo record `until`. `heap_of` gives the relations; changes of one that is gone need
/// not be taken back. Whether it is gone must be known: what is passed over counts as committed.
pub async fn roll_back<E: From<AccessError>>(
    store: &Arc<Store>,
    session: &Session,
    transaction: &Transaction,
    until: UndoPtr,
    heap_of: impl Fn(RelationId) -> Result<Option<Heap>, E>,
) -> Result<(), E> {
    let mut turn = Turn::new(store.pool.engine());
    while transaction.undo() != until {
        turn.pass().await;
        let pointer = transaction.undo();
        let record = store.undo.read(session, pointer).await?;
        assert_eq!(record.header.xid, transaction.xid, "a transaction's undo records are its own");
        match heap_of(record.header.relation)? {
            Some(heap) => heap.undo(session, transaction, &record, pointer).await?,
            None => {
                store.log.reserve_to_end(session, PAGE_RECORD).await.map_err(AccessError::from)?;
                commit(&store.log, Some((transaction, record.header.previous)), &mut []);
            }
        }
    }
    Ok(())
}

impl Heap {
    /// Puts the rows of an undo record, found at `pointer`, back as they were.
    async fn undo(
        &self,
        session: &Session,
        transaction: &Transaction,
        record: &UndoRecord,
        pointer: UndoPtr,
    ) -> crate::Result<()> {
        // Taking back can wait; pages that cannot leave the pool take the room of others.
        self.store.check_writable(session, &self.relation).await?;
        let header = &record.header;
        let mut left = header.rows;
        while let Some(row) = left.first() {
            let tid = Tid { block: header.block, row: row as u16 };
            self.store.log.reserve_to_end(session, PAGE_RECORD).await?;
            let Some((page, block, here)) = self.pin_row(session, tid).await? else { break };
            let place = Place { page: &page, block, row: here, home: header.block };
            let full = self.undo_some(transaction, record, pointer, place, &mut left)?;
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

    /// Puts those of the rows that are left back that are on the page of the first one, which is at `place`; gives the page's LSN
    /// if the next one found no room.
    fn undo_some(
        &self,
        transaction: &Transaction,
        record: &UndoRecord,
        pointer: UndoPtr,
        place: Place<'_>,
        left: &mut RowSet,
    ) -> crate::Result<Option<Lsn>> {
        let Place { page, block, row: here, home } = place;
        let (header, shape) = (&record.header, &*self.shape);
        let Some(row) = left.first() else { return Ok(None) };
        let tid = Tid { block: home, row: row as u16 };
        let mut latched = page.latch();
        let mut edit = Edit::new(&self.relation, block, page, &mut latched);
        let parsed = self.parse(&edit, block)?;
        if !self.is_here(&parsed, block, tid, here) {
            if is_nowhere(&parsed, block, tid, here) {
                *left = RowSet::EMPTY;
            }
            return Ok(None);
        }
        // The numbers of the page's rows.
        let first = row - here;
        let mut end = first + parsed.rows;
        let mut full = false;
        for row in left.iter().take_while(|row| *row < first + parsed.rows) {
            let at = row - first;
            let parsed = self.parse(&edit, block)?;
            let version = parsed.version(at);
            let ours = version.xid == transaction.xid
                && match header.kind {
                    UndoKind::Inserted => version.inserted && version.command == header.command,
                    _ => version.undo == pointer,
                };
            // What a crash has interrupted is half undone.
            if ours && !parsed.is_free(at) {
                let old = record.old_values(shape, row);
                let old = old.ok_or_else(|| self.bad(block, "an undo record makes no sense"))?;
                if self.put_back(&mut edit, header, at, &old).is_err() {
                    (end, full) = (row, true);
                    break;
                }
            }
        }
        left.remove_range(0..end.min(MAX_ROWS));
        if edit.is_changed() {
            edit.is_just(match header.kind {
                UndoKind::Inserted => BlockChange::Removes,
                UndoKind::Deleted => BlockChange::KeepsEntries,
                _ => BlockChange::Any,
            });
            let undo = if left.is_empty() { header.previous } else { pointer };
            commit(&self.store.log, Some((transaction, undo)), &mut [&mut edit]);
        }
        if header.kind == UndoKind::Inserted {
            self.note_room(block, &self.parse(&edit, block)?);
        }
        Ok(full.then(|| edit.lsn()))
    }

    fn put_back(
        &self,
        edit: &mut Edit<'_>,
        header: &UndoHeader,
        row: usize,
        old: &[(usize, Option<&[u8]>)],
    ) -> std::result::Result<(), NoRoom> {
        if header.kind == UndoKind::Inserted {
            return modify::free(edit, &self.shape, &RowSet::of(row)).or_else(|NoRoom| {
                self.tidy(edit);
                modify::free(edit, &self.shape, &RowSet::of(row))
            });
        }
        let before = Some(&header.before).filter(|before| **before != Version::FROZEN);
        // No more than what it takes: a page that was full before is not to be split.
        let page = modify::parse(edit, &self.shape);
        let leave = Entries::with_version(&page, &RowSet::of(row), before).len().saturating_sub(page.entries_len);
        if modify::update(edit, &self.shape, row, old, leave).is_err() {
            self.update_tidied(edit, row, old, leave)?;
        }
        modify::set_version(edit, &self.shape, &RowSet::of(row), before)
    }
}
