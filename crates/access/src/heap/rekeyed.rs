//! Taking what index entries lead to for as stale as can be, of a whole table: an index was built beside writers who knew nothing of
//! it, and took changes of its columns for ones that no entry depends on ([`storage::Staleness`]).
//!
//! # Invariants
//! * No page changes with it, so it has a record of its own: what is said in the map must come through a crash before the index is
//!   used, as everything that makes entries stale.

use aio::{Session, Turn};
use storage::{BlockChange, BlockNumber, FileSet, Relation};
use wal::{Record, RecordHeader};

use crate::edit::{PAGES, REKEYED};
use crate::heap::Heap;
use crate::heap::bulk::{about, blocks_of};
use crate::{AccessError, Result};

/// Notes it, and logs that. The caller keeps VACUUM away: blocks that are set are as the index was built.
pub async fn note(heap: &Heap, session: &Session) -> Result<()> {
    let (log, relation) = (&heap.store.log, &heap.relation);
    let end = relation.blocks();
    let mut turn = Turn::new(heap.store.pool.engine());
    for block in 0..end {
        note_block(relation, block);
        turn.pass().await;
    }
    log.reserve(session, 64).await.map_err(AccessError::Log)?;
    let header = RecordHeader { xid: 0, manager: PAGES, kind: REKEYED };
    log.insert(header, &[&about(relation.id(), &(0..end))]);
    Ok(())
}

/// What is not set as the record comes was not set when it was written, or is of a map that is older.
pub fn replay(record: &Record, files: &FileSet) -> Result<()> {
    let (id, blocks) = blocks_of(record)?;
    let relation = files.open_or_create(id)?;
    blocks.for_each(|block| note_block(&relation, block));
    Ok(())
}

fn note_block(relation: &Relation, block: BlockNumber) {
    let map = relation.visibility();
    if !map.is_set(block) {
        map.note(block, BlockChange::Any);
    }
}
