//! Recovery: the log from the last checkpoint on, then taking back what had not committed.
//!
//! Replaying brings every page to where it was, changes of unfinished transactions and their undo records included. Then
//! those transactions are rolled back like any other, blocks of unfinished bulk loads are emptied, and files that no
//! table has any more are removed.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use access::bulk::{self, Reservations};
use access::edit::{self, PAGES};
use aio::Session;
use storage::{BufferPool, FileSet, RelationId};
use txn::{UndoPtr, Xid};
use wal::{Record, RecordHeader, format_lsn};

use crate::catalog::{Catalog, Change};
use crate::control::Control;
use crate::error::{EngineError, Result};

/// The catalog's and the transactions' numbers among the log's resource managers.
pub(crate) const CATALOG: u8 = 2;
pub(crate) const TRANSACTION: u8 = 3;
pub(crate) const COMMIT: u8 = 1;
pub(crate) const ABORT: u8 = 2;

/// The state that replaying builds up.
pub(crate) struct Recovery {
    pub catalog: Catalog,
    pub next_xid: Xid,
    /// Transactions in progress, and their latest undo records.
    pub unfinished: BTreeMap<Xid, UndoPtr>,
    pub reserved: Reservations,
    pub records: u64,
}

impl Recovery {
    pub fn new(control: &Control) -> Recovery {
        let mut reserved = Reservations::new();
        for &(xid, (database, file, first, end)) in &control.reserved {
            reserved.entry(xid).or_default().push((RelationId { database, file }, first..end));
        }
        Recovery {
            catalog: control.catalog.clone(),
            next_xid: control.next_xid,
            unfinished: control.unfinished.iter().map(|&(xid, undo)| (xid, UndoPtr(undo))).collect(),
            reserved,
            records: 0,
        }
    }

    pub async fn replay(
        &mut self,
        record: &Record,
        pool: &Arc<BufferPool>,
        files: &FileSet,
        io: &Session,
    ) -> Result<()> {
        self.records += 1;
        let RecordHeader { xid, manager, kind } = record.header;
        self.next_xid = self.next_xid.max(xid + 1);
        match (manager, kind) {
            (TRANSACTION, COMMIT) => {
                self.unfinished.remove(&xid);
                self.reserved.remove(&xid);
                if !record.payload.is_empty() {
                    for change in self.changes(record)? {
                        self.catalog.apply(change);
                    }
                }
            }
            (TRANSACTION, ABORT) => {
                self.unfinished.remove(&xid);
                self.reserved.remove(&xid);
            }
            (CATALOG, _) => {
                for change in self.changes(record)? {
                    if let Change::PutDatabase(database) = &change {
                        files.create_database(database.oid)?;
                    }
                    self.catalog.apply(change);
                }
            }
            (PAGES, edit::CHANGE) => {
                let undo = edit::replay(record, pool, files, io).await?;
                if xid != 0 {
                    self.unfinished.insert(xid, undo);
                }
            }
            (PAGES, edit::RESERVE) => bulk::replay(record, files, &mut self.reserved)?,
            _ => {
                return Err(EngineError::new(
                    "XX001",
                    format!("unknown record {manager}/{kind} at {} in the log", format_lsn(record.start)),
                ));
            }
        }
        Ok(())
    }

    fn changes(&self, record: &Record) -> Result<Vec<Change>> {
        serde_json::from_slice(&record.payload).map_err(|e| {
            EngineError::new("XX001", format!("invalid catalog record at {}: {e}", format_lsn(record.start)))
        })
    }
}

/// Removes the files that nothing in the catalog has: of tables that were dropped, or made by transactions that did not
/// commit.
pub(crate) async fn remove_orphans(catalog: &Catalog, files: &FileSet, pool: &Arc<BufferPool>) -> Result<()> {
    for oid in files.databases()? {
        let known: Option<HashSet<u32>> = match oid {
            0 => Some(HashSet::from([access::UNDO.file])),
            _ => catalog.database_by_oid(oid).map(|d| d.files().collect()),
        };
        for id in files.list(oid)? {
            if !known.as_ref().is_some_and(|known| known.contains(&id.file)) {
                tracing::info!(relation = %id, "removing a file that no table has");
                pool.forget(id).await;
                files.remove(id)?;
            }
        }
        if known.is_none() {
            files.remove_database(oid)?;
        }
    }
    Ok(())
}
