//! Snapshots that transactions have exported, for others to see what they see (`pg_export_snapshot`, SET TRANSACTION SNAPSHOT).
//!
//! One is there until its transaction ends. Whoever has imported it keeps it, and holds up the horizon himself.

use std::collections::HashMap;
use std::sync::Arc;

use aio::lwlock::Mutex;
use txn::Snapshot;

use crate::error::{EngineError, Result};

/// Of one transaction, which keeps each for as long as it is in progress.
const MOST: usize = 1000;

/// All of them by their names, with the databases they are of.
#[derive(Debug, Default)]
pub(crate) struct ExportedSnapshots(Mutex<HashMap<String, (u32, Snapshot)>>);

impl ExportedSnapshots {
    /// The snapshot of a name, for a session in a database (`ImportSnapshot`).
    pub fn find(&self, name: &str, database: u32) -> Result<Snapshot> {
        let is_of_name = |c: char| matches!(c, '0'..='9' | 'A'..='F' | '-');
        if name.is_empty() || !name.chars().all(is_of_name) {
            return Err(EngineError::new("22023", format!("invalid snapshot identifier: \"{name}\"")));
        }
        let missing = || EngineError::new("42704", format!("snapshot \"{name}\" does not exist"));
        let (of, snapshot) = self.0.lock().get(name).cloned().ok_or_else(missing)?;
        if of != database {
            return Err(EngineError::new("0A000", "cannot import a snapshot from a different database"));
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

    /// Exports a snapshot of a session and a transaction of these numbers; gives its name.
    pub fn export(&mut self, snapshot: Snapshot, database: u32, pid: i32, owner: u64) -> Result<String> {
        if self.names.len() >= MOST {
            return Err(EngineError::new("54000", "too many snapshots exported in one transaction"));
        }
        let name = format!("{pid:08X}-{owner:08X}-{}", self.names.len() + 1);
        self.all.0.lock().insert(name.clone(), (database, snapshot));
        self.names.push(name.clone());
        Ok(name)
    }

    /// The transaction has ended.
    pub fn clear(&mut self) {
        if self.names.is_empty() {
            return;
        }
        // A snapshot may be the last of the horizon's: it is given up outside the lock.
        let mut all = self.all.0.lock();
        let gone: Vec<_> = self.names.drain(..).map(|name| all.remove(&name)).collect();
        drop(all);
        drop(gone);
    }
}

impl Drop for Exports {
    fn drop(&mut self) {
        self.clear();
    }
}
