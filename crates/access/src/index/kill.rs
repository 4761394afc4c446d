//! Removing entries that lead to no row with their key, for any snapshot. A reader that looks for rows through an index and comes upon
//! such entries has them removed (as PostgreSQL's `_bt_killitems` marks them), and so does VACUUM.
//!
//! # Invariant
//! An entry goes while both its page and the page of its row are latched, its own first: a writer that puts a row into a slot that is
//! free, or the key into a row, comes to the entry's page later, and puts the entry back. So what was found missing without a latch is
//! asked for again under that of the entry's page. VACUUM need not see the row's page again where the visibility map says, under that
//! latch, that it is as it was ([`Index::remove_entries`]).

use aio::{Session, Turn};
use storage::{BlockChange, BlockNumber, Lsn, PinnedPage};

use crate::Result;
use crate::heap::{Heap, is_nowhere};
use crate::index::key::{tid_of, tuple_of};
use crate::index::method::Index;
use crate::page::Tid;

/// Does a row, given by its columns' values, have this tuple in an index? `None`: that cannot be told.
pub type HasTuple<'a> = dyn Fn(&[Option<Vec<u8>>], &[u8]) -> Option<bool> + Sync + 'a;

/// Entries that are removed together: their rows' pages are pinned for so long.
const TOGETHER: usize = 8;

/// Where an entry leads.
enum Place {
    /// The row's page, its block and the row's place in it.
    Row(PinnedPage, BlockNumber, usize),
    /// To no row, as long as its own page, which is given with its LSN, is as it was.
    NoRow(PinnedPage, Lsn),
    /// Behind the end of the table.
    NoBlock,
}

impl Index {
    /// Removes those of these entries that lead to no row with their tuple; gives how many these were. Entries may be gone already.
    pub async fn kill_items(
        &self,
        session: &Session,
        heap: &Heap,
        has_tuple: &HasTuple<'_>,
        entries: &[Vec<u8>],
    ) -> Result<u64> {
        let mut turn = Turn::new(heap.store.pool.engine());
        let mut dead: Vec<(&[u8], Place)> = Vec::new();
        let mut killed = 0;
        for (number, entry) in entries.iter().enumerate() {
            turn.pass().await;
            let place = find(session, heap, tid_of(entry)).await?;
            if is_dead(heap, has_tuple, entry, &place)? {
                dead.push((entry, place));
            }
            if dead.len() == TOGETHER || number + 1 == entries.len() {
                dead.sort_unstable_by_key(|(entry, _)| *entry);
                killed += self.remove_dead(session, heap, has_tuple, &dead).await?;
                dead.clear();
            }
        }
        Ok(killed)
    }

    /// Removes entries, in their order, that were dead a moment ago.
    async fn remove_dead(
        &self,
        session: &Session,
        heap: &Heap,
        has_tuple: &HasTuple<'_>,
        dead: &[(&[u8], Place)],
    ) -> Result<u64> {
        let is_dead = |(entry, place): &(&[u8], Place)| is_dead(heap, has_tuple, entry, place);
        self.remove_where(session, dead, |(entry, _)| entry, is_dead).await
    }

    /// Removes those of these entries, which are in order, of which `is_dead` says so under the latch of their page; gives how many
    /// these were.
    pub(crate) async fn remove_entries(
        &self,
        session: &Session,
        entries: &[Vec<u8>],
        is_dead: &(impl Fn(&[u8]) -> bool + Sync),
    ) -> Result<u64> {
        self.remove_where(session, entries, Vec::as_slice, |entry| Ok(is_dead(entry))).await
    }
}

async fn find(session: &Session, heap: &Heap, tid: Tid) -> Result<Place> {
    if let Some((page, block, row)) = heap.pin_row(session, tid).await? {
        return Ok(Place::Row(page, block, row));
    }
    if tid.block >= heap.relation.blocks() {
        return Ok(Place::NoBlock);
    }
    let page = heap.pin(session, tid.block).await?;
    let lsn = page.lsn();
    Ok(match heap.pin_row(session, tid).await? {
        Some((page, block, row)) => Place::Row(page, block, row),
        None => Place::NoRow(page, lsn),
    })
}

/// Is there no version of the row, for any snapshot, that has the entry's tuple?
fn is_dead(heap: &Heap, has_tuple: &HasTuple<'_>, entry: &[u8], place: &Place) -> Result<bool> {
    let (page, block, row) = match place {
        Place::Row(page, block, row) => (page, block, row),
        // Where a load has come around the pool, the page is no longer this relation's.
        Place::NoRow(page, lsn) => return Ok(page.lsn() == *lsn && page.is_named()),
        Place::NoBlock => return Ok(tid_of(entry).block >= heap.relation.blocks()),
    };
    let latched = page.read();
    let parsed = heap.parse(&latched, *block)?;
    if !heap.is_here(&parsed, *block, tid_of(entry), *row) {
        // It is not there, or it has moved: another look will find it.
        return Ok(is_nowhere(&parsed, *block, tid_of(entry), *row));
    }
    if parsed.is_free(*row) {
        return Ok(true);
    }
    // Older versions may still be wanted while not all snapshots see the newest.
    let version = parsed.version(*row);
    if version.xid >= heap.store.transactions.horizon() {
        return Ok(false);
    }
    if version.deleted {
        return Ok(true);
    }
    let has_tuple = has_tuple(&heap.owned_values(&parsed, *block, *row)?, tuple_of(entry));
    if has_tuple.is_none() {
        // The entry stays, and may be wrong: a reader that comes by it has to look.
        heap.relation.visibility().note(tid_of(entry).block, BlockChange::Any);
    }
    Ok(has_tuple == Some(false))
}
