//! CREATE INDEX, REINDEX and DROP INDEX CONCURRENTLY: while others read and write (`DefineIndex`, `ReindexRelationConcurrently` and
//! `index_drop` of PostgreSQL's `indexcmds.c` and `index.c`).
//!
//! An index is built over the rows that are there, while those who write know nothing of it. Then it enters the catalog, not
//! valid: nobody looks into it, but everybody who writes from then on puts his rows into it. Once all are gone who wrote without
//! it, a second pass puts in what they have written, and the index is valid.
//!
//! # Invariant
//! The table is locked over all of these transactions, so that nobody changes its definition or tidies it (SHARE UPDATE EXCLUSIVE).
//! What fails before the index is in the catalog leaves nothing behind; what fails later leaves it there, not valid, to be dropped
//! or built anew.

use std::sync::Arc;

use access::progress::{Command, create_index as report};
use engine::{IndexDef, Result, Table, TableDef};
use storage::RelationId;
use txn::{LockMode, LockTag, Until};

use crate::commands::index::NewIndex;
use crate::commands::{index, names, tablespace};
use crate::session::{Session, Shared};

/// What the table is locked with.
pub const MODE: LockMode = LockMode::ShareUpdateExclusive;

/// A table's lock that outlives transactions, as long as the command.
struct KeptLock {
    shared: Arc<Shared>,
    tag: LockTag,
}

impl KeptLock {
    /// The transaction has the lock already.
    async fn take(session: &mut Session, table: &TableDef) -> Result<KeptLock> {
        let (shared, tag) = (session.shared.clone(), session.shared.table_tag(table));
        shared.lock_until(tag, MODE, Until::SessionEnd).await?;
        Ok(KeptLock { shared, tag })
    }
}

impl Drop for KeptLock {
    fn drop(&mut self) {
        self.shared.db.unlock_kept(&self.shared.backend, self.tag, MODE);
    }
}

/// Makes an index on a table that the transaction has locked in [`MODE`].
pub async fn create(session: &mut Session, table: &Arc<Table>, new: NewIndex) -> Result<()> {
    let _kept = KeptLock::take(session, &table.def).await?;
    let telling = session.shared.backend.tell(Command::CreateIndex, table.def.oid);
    telling.progress.set(report::COMMAND, report::CREATE_INDEX_CONCURRENTLY);
    let index = index::definition(session, &table.def, new).await?;
    let table = build(session, table, index.clone()).await?;
    let made_after = session.transaction().mark();
    let mut def = TableDef::clone(&table.def);
    let built = def.indexes.iter_mut().filter(|built| built.oid == index.oid);
    built.for_each(|built| (built.valid, built.made_after) = (true, made_after));
    session.put_table(table.database, def);
    Ok(())
}

/// Builds an index of a table that the transaction has locked in [`MODE`] anew.
pub async fn rebuild(session: &mut Session, table: &Arc<Table>, oid: u32, tablespace: Option<&str>) -> Result<()> {
    let _kept = KeptLock::take(session, &table.def).await?;
    let telling = session.shared.backend.tell(Command::CreateIndex, table.def.oid);
    telling.progress.set(report::COMMAND, report::REINDEX_CONCURRENTLY);
    let Some(old) = table.def.indexes.iter().find(|index| index.oid == oid).cloned() else { return Ok(()) };
    let tablespace = match tablespace {
        Some(name) => tablespace::of_new(session, Some(name)).await?,
        None => old.tablespace,
    };
    let number = session.db().new_oid();
    let new = IndexDef {
        oid: number,
        file: number,
        tablespace,
        name: names::choose(session, &table.def.schema, &old.name, "", "ccnew").await?,
        primary: false,
        constraint: false,
        clustered: false,
        comment: None,
        constraint_comment: None,
        ..old.clone()
    };
    let table = build(session, table, new).await?;
    // The index goes on with the new files.
    let made_after = session.transaction().mark();
    let mut def = TableDef::clone(&table.def);
    def.indexes.retain(|index| index.oid != number);
    let rebuilt = def.indexes.iter_mut().filter(|index| index.oid == oid);
    rebuilt.for_each(|index| {
        (index.file, index.tablespace, index.valid, index.made_after) = (number, tablespace, true, made_after);
    });
    session.put_table(table.database, def);
    session.commit_between().await?;
    remove_files(session, &table.def, old.file).await
}

/// Drops an index of a table that the transaction has locked in [`MODE`].
pub async fn drop(session: &mut Session, table: &Arc<Table>, index: &IndexDef) -> Result<()> {
    let _kept = KeptLock::take(session, &table.def).await?;
    // Nobody new looks into it; for those who do it is kept up to date, and unique.
    let mut def = TableDef::clone(&table.def);
    let dropped = def.indexes.iter_mut().filter(|kept| kept.oid == index.oid);
    dropped.for_each(|index| index.valid = false);
    session.put_table(table.database, def);
    session.commit_between().await?;
    wait_for_lockers(session, &table.def, LockMode::AccessExclusive, report::WAIT_4).await?;
    let table = lock_again(session, table).await?;
    let mut def = TableDef::clone(&table.def);
    def.indexes.retain(|kept| kept.oid != index.oid);
    session.put_table(table.database, def);
    session.commit_between().await?;
    remove_files(session, &table.def, index.file).await
}

/// Builds an index and has everybody use it who writes; gives the table as it is then, for a transaction that is to make the
/// index valid.
async fn build(session: &mut Session, table: &Arc<Table>, index: IndexDef) -> Result<Arc<Table>> {
    let options = session.maintenance_options(table.def.tablespace);
    let index = IndexDef { valid: false, ..index };
    table.build_index(session.transaction(), &index, &options).await?;
    let mut def = TableDef::clone(&table.def);
    def.indexes.push(index.clone());
    session.put_table(table.database, def);
    session.commit_between().await?;
    wait_for_lockers(session, &table.def, LockMode::Share, report::WAIT_2).await?;
    let table = lock_again(session, table).await?;
    if let Some(built) = table.indexes.iter().find(|built| built.def.oid == index.oid) {
        tell(session, report::VALIDATE_TABLESCAN);
        table.validate_index(session.transaction(), built, &options).await?;
    }
    Ok(table)
}

/// The table in the command's next transaction, which has the lock too: the kept one ends before it does.
async fn lock_again(session: &mut Session, table: &Table) -> Result<Arc<Table>> {
    let tag = session.shared.table_tag(&table.def);
    session.lock(tag, MODE).await?;
    session.table_of(table.def.oid)
}

/// Removes an index's files that are in the catalog no more, when nobody uses them any more. A server that ends before removes them
/// when it starts.
async fn remove_files(session: &mut Session, table: &TableDef, file: u32) -> Result<()> {
    wait_for_lockers(session, table, LockMode::AccessExclusive, report::WAIT_4).await?;
    let database = session.shared.database.0;
    let transaction = session.transaction();
    transaction.writer();
    transaction.drop_files(RelationId { database, file });
    Ok(())
}

fn tell(session: &Session, phase: u64) {
    session.shared.backend.progress().iter().for_each(|progress| progress.set(report::PHASE, phase));
}

/// Waits for those who use the table, in a mode that conflicts with this one, as it was before.
async fn wait_for_lockers(session: &mut Session, table: &TableDef, mode: LockMode, phase: u64) -> Result<()> {
    tell(session, phase);
    let timeout = session.write_options().lock_timeout;
    let (shared, progress) = (session.shared.clone(), session.shared.backend.progress());
    let told = |all: usize, ended: usize, pid: i32| {
        let Some(progress) = &progress else { return };
        progress.set(report::LOCKERS_TOTAL, all as u64);
        progress.set(report::LOCKERS_DONE, ended as u64);
        progress.set(report::CURRENT_LOCKER_PID, pid as u64);
    };
    shared.db.wait_for_lockers(&shared.backend, (shared.table_tag(table), mode), timeout, told).await
}
