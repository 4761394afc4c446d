//! The sequences that a session draws from: what is open, and what `currval` and `lastval` give. Commands for sequences are in
//! the crate `commands`.

use std::sync::Arc;

use engine::{EngineError, Result, Sequence, SequenceDef};
use error::sqlstate;
use txn::{LockMode, LockTag};

use crate::session::shared::Shared;

/// The value that the session has drawn last from a sequence.
pub fn currval(shared: &Shared, oid: u32) -> Result<i64> {
    let def = find_by_oid(shared, oid)?;
    shared.sequences.currval(oid, &def.name)
}

/// Keeps a sequence as it is until the transaction ends.
async fn lock(shared: &Shared, def: &SequenceDef) -> Result<()> {
    shared.lock(LockTag::Relation { database: shared.database.0, oid: def.oid }, LockMode::AccessShare).await
}

/// A sequence as it is now that it is locked: whoever was waited for may have changed or dropped it.
pub fn newest(shared: &Shared, def: &SequenceDef) -> Result<Arc<SequenceDef>> {
    let catalog = shared.catalog();
    let found = catalog.database_by_oid(shared.database.0).and_then(|d| d.sequence_by_oid(def.oid)).cloned();
    found
        .ok_or_else(|| EngineError::new(sqlstate::UNDEFINED_TABLE, format!("relation \"{}\" does not exist", def.name)))
}

/// Opens a sequence, which nobody may drop or change until the transaction ends.
pub async fn open(shared: &Shared, oid: u32) -> Result<Arc<Sequence>> {
    let def = find_by_oid(shared, oid)?;
    if let Some(open) = shared.sequences.opened(&def) {
        return Ok(open);
    }
    lock(shared, &def).await?;
    let def = newest(shared, &def)?;
    let sequence = Arc::new(Sequence::open(&shared.db, &shared.backend.io, shared.database.0, &def).await?);
    shared.sequences.keep_open(&sequence);
    Ok(sequence)
}

fn find_by_oid(shared: &Shared, oid: u32) -> Result<Arc<SequenceDef>> {
    let catalog = shared.catalog();
    let database = catalog.database_by_oid(shared.database.0);
    if let Some(found) = database.and_then(|database| database.sequence_by_oid(oid)) {
        return Ok(found.clone());
    }
    let table = database.and_then(|database| database.table_by_oid(oid));
    Err(match table {
        Some(table) => EngineError::new(sqlstate::WRONG_OBJECT_TYPE, format!("\"{}\" is not a sequence", table.name)),
        None => EngineError::new(sqlstate::UNDEFINED_TABLE, format!("relation with OID {oid} does not exist")),
    })
}
