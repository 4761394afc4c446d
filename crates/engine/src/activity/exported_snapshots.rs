//! Snapshots that transactions have exported, for others to see what they see (`pg_export_snapshot`, SET TRANSACTION SNAPSHOT).
//!
//! One is there until its transaction ends. A transaction that has imported it keeps it, and holds up the horizon itself.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use aio::lwlock::Mutex;
use error::sqlstate;
use txn::Snapshot;

use crate::{EngineError, Result};

/// Of one transaction, which keeps each for as long as it is in progress.
const MOST: usize = 1000;

/// All of them.
#[derive(Debug, Default)]
pub(crate) struct ExportedSnapshots {
    /// By their names, with the databases they are of.
    by_name: Mutex<HashMap<String, (u32, Snapshot)>>,
    /// Exported so far: no name is given twice.
    count: AtomicU64,
}

impl ExportedSnapshots {
    /// The snapshot of a name, for a session in a database (`ImportSnapshot`).
    pub fn find(&self, name: &str, database: u32) -> Result<Snapshot> {
        let is_of_name = |c: char| matches!(c, '0'..='9' | 'A'..='F' | '-');
        if name.is_empty() || !name.chars().all(is_of_name) {
            return Err(EngineError::new(
                sqlstate::INVALID_PARAMETER_VALUE,
                format!("invalid snapshot identifier: \"{name}\""),
            ));
        }
        let missing = || EngineError::new(sqlstate::UNDEFINED_OBJECT, format!("snapshot \"{name}\" does not exist"));
        let (of, snapshot) = self.by_name.lock().get(name).cloned().ok_or_else(missing)?;
        if of != database {
            return Err(EngineError::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                "cannot import a snapshot from a different database",
            ));
        }
        Ok(snapshot)
    }
}

/// The snapshots that one transaction has exported.
#[derive(Debug)]
pub(crate) struct Exports {
    all: Arc<ExportedSnapshots>,
    names: Vec<String>,
}

impl Exports {
    pub fn new(all: &Arc<ExportedSnapshots>) -> Exports {
        Exports { all: all.clone(), names: Vec::new() }
    }

    /// Exports a snapshot of a session of this number; gives its name.
    pub fn export(&mut self, snapshot: Snapshot, database: u32, pid: i32) -> Result<String> {
        if self.names.len() >= MOST {
            return Err(EngineError::new(
                sqlstate::PROGRAM_LIMIT_EXCEEDED,
                "too many snapshots exported in one transaction",
            ));
        }
        let number = self.all.count.fetch_add(1, Ordering::Relaxed);
        let name = format!("{pid:08X}-{number:08X}-1");
        self.all.by_name.lock().insert(name.clone(), (database, snapshot));
        self.names.push(name.clone());
        Ok(name)
    }
}

/// With its transaction.
impl Drop for Exports {
    fn drop(&mut self) {
        // A snapshot may be the last of the horizon's: it is given up outside the lock.
        let mut all = self.all.by_name.lock();
        let gone: Vec<_> = self.names.drain(..).map(|name| all.remove(&name)).collect();
        drop(all);
        drop(gone);
    }
}
