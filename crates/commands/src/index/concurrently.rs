//! CREATE INDEX, REINDEX and DROP INDEX CONCURRENTLY: while others read and write (`DefineIndex`, `ReindexRelationConcurrently` and
//! `index_drop` of PostgreSQL's `indexcmds.c` and `index.c`).
//!
//! An index is built over the rows that are there, while writers know nothing of it. Then it enters the catalog, not valid: no
//! query looks into it, but writers put their rows into it from then on. Once all transactions are gone that wrote without it, a
//! second pass puts in what they have written. Once all are gone that have looked at the table before, the index is valid.
//!
//! # Invariant
//! The table is locked (SHARE UPDATE EXCLUSIVE) over all of these transactions, so that no other session changes its definition
//! or vacuums it. What fails before the index is in the catalog leaves nothing behind; what fails later leaves it there, not
//! valid, to be dropped or built anew.

use std::sync::Arc;

use access::progress::{Command, create_index as report};
use engine::{IndexDef, Result, Table, TableDef};
use session::{Session, Shared, uninterrupted};
use storage::RelationId;
use txn::{LockMode, LockTag, Until};
use types::Oid;

use crate::index::NewIndex;
use crate::object::names;
use crate::{index, tablespace};

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
    let reporting = session.shared.backend.start_progress(Command::CreateIndex, table.def.oid);
    reporting.progress.set(report::COMMAND, report::CREATE_INDEX_CONCURRENTLY);
    let index = index::definition(session, &table.def, new).await?;
    let table = build(session, table, index.clone()).await?;
    let made_after = session.transaction().mark();
    let mut def = TableDef::clone(&table.def);
    let built = def.indexes.iter_mut().filter(|built| built.oid == index.oid);
    built.for_each(|built| (built.valid, built.made_after) = (true, made_after));
    session.put_table(&table.def, def);
    Ok(())
}

/// Builds indexes of a table that the transaction has locked in [`MODE`] anew.
pub async fn rebuild(
    session: &mut Session,
    table: &Arc<Table>,
    indexes: &[u32],
    tablespace: Option<&str>,
) -> Result<()> {
    let _kept = KeptLock::take(session, &table.def).await?;
    for (at, &index) in indexes.iter().enumerate() {
        if at > 0 {
            session.commit_between().await?;
        }
        let table = lock_again(session, table).await?;
        rebuild_one(session, &table, index, tablespace).await?;
    }
    Ok(())
}

async fn rebuild_one(session: &mut Session, table: &Arc<Table>, oid: u32, tablespace: Option<&str>) -> Result<()> {
    let reporting = session.shared.backend.start_progress(Command::CreateIndex, table.def.oid);
    reporting.progress.set(report::COMMAND, report::REINDEX_CONCURRENTLY);
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
        name: names::choose(session, table.def.namespace, &old.name, "", "ccnew").await?,
        primary: false,
        constraint: false,
        clustered: false,
        ..old.clone()
    };
    let table = build(session, table, new).await?;
    // The index goes on with the new files. For those who look into the old ones these are kept up to date.
    let old_name = names::choose(session, table.def.namespace, &old.name, "", "ccold").await?;
    let made_after = session.transaction().mark();
    let mut def = TableDef::clone(&table.def);
    for index in &mut def.indexes {
        if index.oid == oid {
            (index.file, index.tablespace, index.valid, index.made_after) = (number, tablespace, true, made_after);
        } else if index.oid == number {
            (index.file, index.tablespace, index.valid) = (old.file, old.tablespace, false);
            index.name.clone_from(&old_name);
        }
    }
    session.put_table(&table.def, def);
    session.commit_between().await?;
    forget(session, &table, number, old.file).await
}

/// Drops an index of a table that the transaction has locked in [`MODE`].
pub async fn drop(session: &mut Session, index: Oid) -> Result<()> {
    let catalog = session.shared.catalog();
    let database = catalog.database_by_oid(session.shared.database.0);
    let Some((def, index)) = database.and_then(|database| database.index_by_oid(index)) else { return Ok(()) };
    let table = session.table_of(def.oid)?;
    let _kept = KeptLock::take(session, def).await?;
    // No new query looks into it; for those that do it is kept up to date, and unique.
    let mut def = TableDef::clone(&table.def);
    let dropped = def.indexes.iter_mut().filter(|kept| kept.oid == index.oid);
    dropped.for_each(|index| index.valid = false);
    session.put_table(&table.def, def);
    session.commit_between().await?;
    forget(session, &table, index.oid, index.file).await
}

/// Takes an index off a table that no new query looks into.
async fn forget(session: &mut Session, table: &Arc<Table>, index: u32, file: u32) -> Result<()> {
    wait_for_lockers(session, &table.def, LockMode::AccessExclusive, report::WAIT_4).await?;
    let table = lock_again(session, table).await?;
    let mut def = TableDef::clone(&table.def);
    def.indexes.retain(|kept| kept.oid != index);
    session.put_table(&table.def, def);
    session.commit_between().await?;
    let unused = UnusedFiles::new(session, &table, file);
    wait_for_lockers(session, &table.def, LockMode::AccessExclusive, report::WAIT_5).await?;
    unused.remove().await
}

/// Builds an index and has all writers put their rows into it; gives the table as it is then, for a transaction that is to
/// make the index valid.
async fn build(session: &mut Session, table: &Arc<Table>, index: IndexDef) -> Result<Arc<Table>> {
    let options = session.maintenance_options(table.def.tablespace);
    let mut index = IndexDef { valid: false, ..index };
    index.pages = super::build::build(session, table, &index).await?;
    let mut def = TableDef::clone(&table.def);
    def.indexes.push(index.clone());
    session.put_table(&table.def, def);
    session.commit_between().await?;
    wait_for_lockers(session, &table.def, LockMode::Share, report::WAIT_2).await?;
    let table = lock_again(session, table).await?;
    if let Some(built) = table.indexes.iter().find(|built| built.def.oid == index.oid) {
        tell(session, report::VALIDATE_TABLESCAN);
        table.validate_index(session.transaction(), built, &options).await?;
    }
    // Those who have looked at the table before may lack rows in it that are gone.
    session.commit_between().await?;
    wait_for_lockers(session, &table.def, LockMode::AccessExclusive, report::WAIT_3).await?;
    lock_again(session, &table).await
}

/// The table in the command's next transaction, which has the lock too: the kept one ends before it does.
async fn lock_again(session: &mut Session, table: &Table) -> Result<Arc<Table>> {
    let tag = session.shared.table_tag(&table.def);
    session.lock(tag, MODE).await?;
    session.table_of(table.def.oid)
}

/// An index's files that are in the catalog no more. They go when no session uses them any more, whatever becomes of the command;
/// a server that ends before removes them when it starts.
struct UnusedFiles {
    shared: Arc<Shared>,
    /// The table's.
    tag: LockTag,
    files: Option<RelationId>,
}

impl UnusedFiles {
    fn new(session: &Session, table: &Table, file: u32) -> UnusedFiles {
        let (shared, tag) = (session.shared.clone(), session.shared.table_tag(&table.def));
        UnusedFiles { shared, tag, files: Some(RelationId { database: table.database, file }) }
    }

    /// No session uses them any more.
    async fn remove(mut self) -> Result<()> {
        match self.files.take() {
            Some(files) => self.shared.db.remove_files(files).await,
            None => Ok(()),
        }
    }
}

impl Drop for UnusedFiles {
    fn drop(&mut self) {
        let Some(files) = self.files.take() else { return };
        let (db, backend, tag) = (self.shared.db.clone(), self.shared.backend.clone(), self.tag);
        // The session goes on with other things: a task waits in its place.
        let removal = uninterrupted(async move {
            let waited =
                db.wait_for_lockers(&backend, db.new_owner(), (tag, LockMode::AccessExclusive), 0, |_, _, _| {});
            if waited.await.is_ok()
                && let Err(error) = db.remove_files(files).await
            {
                tracing::warn!(relation = %files, %error, "files could not be removed");
            }
        });
        std::mem::drop(removal);
    }
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
    let lock = (shared.table_tag(table), mode);
    shared.db.wait_for_lockers(&shared.backend, shared.backend.owner(), lock, timeout, told).await
}
