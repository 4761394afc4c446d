//! Taking back what a transaction did: at ROLLBACK, ROLLBACK TO, after an error, and in recovery.
//!
//! The transaction's undo records are followed from its latest one backward, each is put back and logged together with the
//! new latest one. So a crash in between continues where it was. Until all is back the transaction counts as in progress,
//! and whoever wants its rows waits.

use std::sync::Arc;

use aio::{Session, Turn};
use storage::RelationId;
use txn::{Transaction, UndoPtr};

use crate::AccessError;
use crate::edit::{PAGE_RECORD, commit};
use crate::heap::{Heap, Store};

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
