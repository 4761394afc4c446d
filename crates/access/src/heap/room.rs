//! Making room on a heap page that has none for a change.

use aio::{IoContext, Session};
use storage::{BlockNumber, Lsn, Page, PinnedPage};

use crate::Result;
use crate::edit::{Edit, PAGE_RECORD, commit};
use crate::heap::Heap;
use crate::page::modify;
use crate::page::modify::NoRoom;
use crate::page::*;
use crate::shape::Lying;

impl Heap {
    /// Drops what no snapshot needs from a page that is full, and lays it out for as many rows as it can take.
    pub(crate) fn tidy(&self, edit: &mut Edit<'_>) {
        let shape = &self.shape;
        let horizon = self.store.transactions.horizon();
        modify::prune(edit, shape, horizon);
        let page = modify::parse(edit, shape);
        let (rows, layout) = (page.rows, page.without_dropped(shape, horizon));
        let capacity = self.capacity_of(&page, &layout);
        let garbage = storage::PAGE_SIZE - page.low > page.variable_bytes(shape) || layout != page.layout();
        let more_entries = capacity < page.capacity;
        let more_rows = capacity > page.capacity && page.free == 0;
        if !garbage && !more_rows && !more_entries {
            return;
        }
        // Without room for more rows, at least without the garbage.
        if modify::lay_out(edit, shape, &layout, capacity).is_err() && garbage {
            let _ = modify::lay_out(edit, shape, &layout, rows);
        }
    }

    /// How many rows a page could have that is laid out anew like this.
    fn capacity_of(&self, page: &HeapPage<'_>, layout: &[Lying]) -> usize {
        if !page.stands_alone() {
            return page.rows;
        }
        let average = page.variable_bytes_of(&self.shape, layout).div_ceil((page.rows - page.free).max(1));
        capacity_for(&self.shape, layout, average, page.entries_len).max(page.rows)
    }

    /// Gives a page places for all values of a row to come, if it lacks some and has room for that.
    pub(crate) fn widen_for(&self, edit: &mut Edit<'_>, row: &[Option<&[u8]>]) {
        let shape = &self.shape;
        let page = modify::parse(edit, shape);
        if row.iter().enumerate().any(|(column, value)| page.lacks_place_for(shape, column, *value)) {
            let (capacity, rows) = (self.capacity_of(&page, &page.widened(shape)), page.rows);
            // Without room the row goes to another page.
            let _ = modify::widen(edit, shape, capacity).or_else(|NoRoom| modify::widen(edit, shape, rows));
        }
    }

    /// [`modify::update`] on a page that has no room for it as it is: with what no snapshot needs out of the way, at last the
    /// values that are to be replaced.
    pub(crate) fn update_tidied(
        &self,
        edit: &mut Edit<'_>,
        row: usize,
        values: &[(usize, Option<&[u8]>)],
        entries: usize,
    ) -> std::result::Result<(), NoRoom> {
        self.tidy(edit);
        if modify::lacks_place(edit, &self.shape, values) {
            let rows = modify::parse(edit, &self.shape).rows;
            modify::widen(edit, &self.shape, rows)?;
        }
        if modify::update(edit, &self.shape, row, values, entries).is_ok() {
            return Ok(());
        }
        let before: [u8; storage::PAGE_SIZE] = edit[..].try_into().expect("a page");
        modify::drop_values(edit, &self.shape, row, values.iter().map(|(column, _)| *column));
        let rows = modify::parse(edit, &self.shape).rows;
        let updated = modify::compact(edit, &self.shape, rows);
        let updated = updated.and_then(|()| modify::update(edit, &self.shape, row, values, entries));
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
                // Another session was told of it, and has put rows there: the caller tries again.
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
}
