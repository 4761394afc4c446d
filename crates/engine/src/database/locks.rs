//! Locks as sessions take them: waited for, within a time, and told of.

use std::sync::Arc;

use ::error::sqlstate;
use txn::{Holder, LockError, LockMode, LockTag, Owner, Until};

use crate::activity::Backend;
use crate::database::Database;
use crate::statistics::database_counters::DatabaseCount;
use crate::{EngineError, Result};

impl Database {
    /// A lock that is not to be had, as PostgreSQL words it.
    pub fn lock_error(&self, error: LockError) -> EngineError {
        match error {
            LockError::TooMany => EngineError::new(sqlstate::OUT_OF_MEMORY, error.to_string())
                .hint("You might need to increase \"max_locks_per_transaction\"."),
            LockError::Deadlock(cycle) => {
                if let Some(one) = cycle.iter().find_map(|(owner, ..)| self.inner.activity.client_of(*owner)) {
                    one.count(|counters| counters.note(DatabaseCount::Deadlocks));
                }
                let pid = |owner| self.inner.activity.pid_of(owner).unwrap_or(0);
                let lines: Vec<String> = cycle
                    .iter()
                    .enumerate()
                    .map(|(index, (owner, tag, mode))| {
                        let next = cycle[(index + 1) % cycle.len()].0;
                        let what = match tag {
                            LockTag::Transaction(xid) => format!("transaction {xid}"),
                            LockTag::VirtualTransaction(owner) => format!("virtual transaction {owner}"),
                            LockTag::Relation { database, oid } => format!("relation {oid} of database {database}"),
                            LockTag::Row { database, file, block, row }
                            | LockTag::Tuple { database, file, block, row } => {
                                format!("tuple ({block},{}) of relation {file} of database {database}", row + 1)
                            }
                            LockTag::Name { .. } => "object name".to_string(),
                            LockTag::Advisory { database, key, pair } => {
                                let (high, low, kind) =
                                    (key >> 32 & 0xffff_ffff, key & 0xffff_ffff, 1 + u8::from(*pair));
                                format!("advisory lock [{database},{high},{low},{kind}]")
                            }
                        };
                        let (pid, by, mode) = (pid(*owner), pid(next), mode.name());
                        format!("Process {pid} waits for {mode} on {what}; blocked by process {by}.")
                    })
                    .collect();
                EngineError::new(sqlstate::T_R_DEADLOCK_DETECTED, "deadlock detected")
                    .detail(lines.join("\n"))
                    .hint("See server log for query details.")
            }
        }
    }

    /// Takes a lock, waiting no longer than `timeout` milliseconds (0: for ever).
    pub async fn lock(
        &self,
        backend: &Arc<Backend>,
        owner: Owner,
        tag: LockTag,
        mode: LockMode,
        timeout: u64,
    ) -> Result<()> {
        self.lock_until(backend, owner, tag, mode, Until::TransactionEnd, timeout).await
    }

    /// As [`Database::lock`], and says how long it is held.
    pub async fn lock_until(
        &self,
        backend: &Arc<Backend>,
        owner: Owner,
        tag: LockTag,
        mode: LockMode,
        until: Until,
        timeout: u64,
    ) -> Result<()> {
        let locks = &self.inner.store.locks;
        if locks.try_lock_until(owner, tag, mode, until).map_err(|e| self.lock_error(e))? {
            self.took_lock(tag, mode);
            return Ok(());
        }
        let event = match tag {
            LockTag::Relation { .. } => "relation",
            LockTag::Row { .. } | LockTag::Tuple { .. } => "tuple",
            LockTag::Transaction(_) => "transactionid",
            LockTag::VirtualTransaction(_) => "virtualxid",
            LockTag::Name { .. } => "object",
            LockTag::Advisory { .. } => "advisory",
        };
        let _waiting = backend.wait_for("Lock", event);
        // Boxed, as what is rare or large: all that may wait for a lock has it within.
        let wait = Box::pin(self.reported(backend, event, locks.lock_until(owner, tag, mode, until)));
        self.within(timeout, wait).await?.map_err(|e| self.lock_error(e))?;
        self.took_lock(tag, mode);
        Ok(())
    }

    /// A lock was taken. A strong one of a table tells that the transactions that had weak ones of it have ended: snapshots must
    /// see them from now on. Of other locks that is told when they are given back.
    pub(crate) fn took_lock(&self, tag: LockTag, mode: LockMode) {
        if matches!(tag, LockTag::Relation { .. }) && !mode.is_weak() {
            self.inner.store.transactions.all_must_see();
        }
    }

    /// Takes a lock for the backend's transaction or session, if that needs no waiting.
    pub fn try_lock_until(&self, backend: &Backend, tag: LockTag, mode: LockMode, until: Until) -> Result<bool> {
        let locks = &self.inner.store.locks;
        let taken = locks.try_lock_until(backend.owner(), tag, mode, until).map_err(|e| self.lock_error(e))?;
        self.took_lock(tag, mode);
        Ok(taken)
    }

    /// Gives back one count of a lock that the session holds beyond its transactions.
    pub fn unlock_kept(&self, backend: &Backend, tag: LockTag, mode: LockMode) -> bool {
        self.inner.store.locks.unlock_until(backend.owner(), tag, mode, Until::SessionEnd)
    }

    /// Gives back all that the session holds beyond its transactions.
    pub fn release_kept_locks(&self, backend: &Backend) {
        self.inner.store.locks.release_kept(backend.owner());
    }

    /// Waits for the transactions of all who hold a lock now that conflicts with one of this mode (`WaitForLockers`). `told`
    /// hears how many there are, how many have ended, and who is waited for.
    pub async fn wait_for_lockers(
        &self,
        backend: &Arc<Backend>,
        owner: Owner,
        (tag, mode): (LockTag, LockMode),
        timeout: u64,
        told: impl Fn(usize, usize, i32),
    ) -> Result<()> {
        let locks = &self.inner.store.locks;
        let holders = locks.conflicts(owner, tag, mode);
        for (ended, &holder) in holders.iter().enumerate() {
            told(holders.len(), ended, self.inner.activity.pid_of(holder).unwrap_or(0));
            let _waiting = backend.wait_for("Lock", "virtualxid");
            let wait = locks.wait_for_holder(owner, holder, tag, mode);
            let wait = Box::pin(self.reported(backend, "virtualxid", wait));
            self.within(timeout, wait).await?.map_err(|e| self.lock_error(e))?;
        }
        told(holders.len(), holders.len(), 0);
        Ok(())
    }

    pub(crate) async fn wait_for_transaction(
        &self,
        backend: &Arc<Backend>,
        owner: Owner,
        holder: Holder,
        timeout: u64,
    ) -> Result<()> {
        let transactions = &self.inner.store.transactions;
        let Some(other) = transactions.active(holder.xid) else { return Ok(()) };
        let _waiting = backend.wait_for("Lock", "transactionid");
        let holds = || transactions.holds(holder);
        let wait = self.inner.store.locks.wait_for_transaction(owner, holder.xid, other.owner, holds);
        let wait = Box::pin(self.reported(backend, "transactionid", wait));
        self.within(timeout, wait).await?.map_err(|e| self.lock_error(e))
    }

    /// Runs a wait for a lock; `log_lock_waits` tells of long ones.
    async fn reported<T>(&self, backend: &Backend, what: &str, wait: impl Future<Output = T>) -> T {
        let (report, after) = {
            let settings = self.inner.settings.read();
            (settings.bool("log_lock_waits"), settings.integer("deadlock_timeout") as u64)
        };
        if !report {
            return wait.await;
        }
        let sleep = self.inner.engine.sleep(std::time::Duration::from_millis(after));
        let mut wait = std::pin::pin!(wait);
        tokio::select! {
            biased;
            result = &mut wait => return result,
            () = sleep => tracing::info!("process {} still waiting for a lock ({what}) after {after} ms", backend.pid),
        }
        wait.await
    }

    /// Runs a wait for a lock, for `timeout` milliseconds at most (0: for ever).
    async fn within<T>(&self, timeout: u64, wait: impl Future<Output = T>) -> Result<T> {
        if timeout == 0 {
            return Ok(wait.await);
        }
        let sleep = self.inner.engine.sleep(std::time::Duration::from_millis(timeout));
        tokio::select! {
            biased;
            result = wait => Ok(result),
            () = sleep => Err(EngineError::new(sqlstate::LOCK_NOT_AVAILABLE, "canceling statement due to lock timeout")),
        }
    }
}
