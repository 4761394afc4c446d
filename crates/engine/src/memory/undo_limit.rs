//! `max_undo_size`: how large the undo log may grow beside snapshots and transactions that need it.
//!
//! The log keeps what rows were before for snapshots that do not see what they are now. So one old snapshot, or one transaction
//! that is never ended, makes it grow with every change that others make. At the limit a writer stops the session that holds it
//! up longest, with 72000 (a statement) or by ending it (one that is idle in a transaction), and waits for that. The writer's own
//! snapshot may be as old as that: so the log may become twice as large while it is the writer's transaction that holds it up, and
//! beyond that the writer's statement fails (53400). The file keeps the size that it once had until the server starts anew.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use access::AccessError;
use access::undo::UndoRoom;
use error::sqlstate;
use storage::{BlockNumber, PAGE_SIZE};
use txn::Xid;

use crate::EngineError;
use crate::activity::Backend;
use crate::database::{Database, Inner};

/// Between looks at whether those who were stopped have let go.
const LOOK: Duration = Duration::from_millis(10);
/// They are stopped after so many: commits that are being made durable, and short statements, end by themselves.
const GRACE: u32 = 20;
/// After so many looks a writer waits no more: what holds the log up cannot be stopped (a transaction that is taken back, say).
const PATIENCE: u32 = 500;

/// What holds the undo log up.
pub struct UndoUse {
    /// Bytes of it, and those of them that a snapshot or a rollback may still need.
    pub size: u64,
    pub kept: u64,
    /// `max_undo_size` in bytes.
    pub limit: Option<u64>,
    /// The oldest transaction that a snapshot does not see, and the session that has this snapshot or is in that transaction.
    pub horizon: Xid,
    pub holder: Option<Arc<Backend>>,
}

impl Database {
    /// How much there is of the undo log, and why: `inflight_undo`.
    pub fn undo_use(&self) -> UndoUse {
        let store = &self.inner.store;
        let horizon = store.transactions.horizon();
        UndoUse {
            size: bytes(store.undo.blocks()),
            kept: bytes(store.undo.kept(horizon)),
            limit: self.undo_limit(),
            horizon,
            holder: self.oldest(None).map(|(_, backend)| backend),
        }
    }

    fn undo_limit(&self) -> Option<u64> {
        let megabytes = self.inner.settings.read().integer("max_undo_size");
        (megabytes > 0).then_some((megabytes as u64) << 20)
    }

    /// The session that is in the transaction at the horizon, or does not see it, with its own transaction; the last of them is
    /// the one in `asking`. While a transaction is in progress no snapshot sees it: it is the reason then, and not they. `None`:
    /// no session could be stopped, as while a transaction is taken back whose session has ended.
    fn oldest(&self, asking: Option<Xid>) -> Option<(Option<Xid>, Arc<Backend>)> {
        let transactions = &self.inner.store.transactions;
        let horizon = transactions.horizon();
        let holds = |backend: Arc<Backend>| {
            let own = transactions.id_of(backend.owner());
            let oldest = backend.proc.xmin().into_iter().chain(own).min().filter(|oldest| *oldest <= horizon)?;
            Some(((oldest, own != Some(oldest), own.is_some() && own == asking), own, backend))
        };
        let all = self.inner.activity.backends().into_iter().filter_map(holds);
        all.min_by_key(|(order, ..)| *order).map(|(_, own, backend)| (own, backend))
    }
}

fn bytes(blocks: BlockNumber) -> u64 {
    u64::from(blocks) * PAGE_SIZE as u64
}

/// The undo log's way to the database.
pub(crate) struct Limit {
    inner: Weak<Inner>,
    /// A horizon that was waited for in vain: no writer waits for the same again.
    stuck: AtomicU64,
}

impl Limit {
    pub(crate) fn of(inner: &Arc<Inner>) -> Arc<Limit> {
        Arc::new(Limit { inner: Arc::downgrade(inner), stuck: AtomicU64::new(0) })
    }

    fn database(&self) -> Option<Database> {
        self.inner.upgrade().map(|inner| Database { inner })
    }
}

impl UndoRoom for Limit {
    fn may_grow(&self, blocks: BlockNumber) -> bool {
        let limit = self.database().and_then(|database| database.undo_limit());
        limit.is_none_or(|limit| bytes(blocks + 1) <= limit)
    }

    fn make<'a>(&'a self, own: Xid) -> Pin<Box<dyn Future<Output = access::Result<bool>> + Send + 'a>> {
        Box::pin(async move {
            let Some(database) = self.database() else { return Ok(true) };
            let transactions = &database.inner.store.transactions;
            let before = transactions.horizon();
            let patience = if self.stuck.load(Ordering::Relaxed) == before { 0 } else { PATIENCE };
            for look in 0..patience {
                if transactions.horizon() > before {
                    return Ok(false);
                }
                match database.oldest(Some(own)) {
                    Some((of, _)) if of != Some(own) && look < GRACE => {}
                    Some((of, backend)) if of != Some(own) => {
                        tracing::debug!(pid = backend.pid, "max_undo_size: a session is in the way");
                        backend.request_conflict(too_old());
                    }
                    Some(_) => break,
                    None => {}
                }
                database.inner.engine.sleep(LOOK).await;
                if look + 1 == PATIENCE {
                    self.stuck.store(before, Ordering::Relaxed);
                }
            }
            let limit = database.undo_limit().unwrap_or(u64::MAX / 2);
            match bytes(database.inner.store.undo.blocks() + 1) <= 2 * limit {
                true => Ok(true),
                false => Err(AccessError::UndoFull { limit: limit >> 10 }),
            }
        })
    }
}

/// PostgreSQL's words when it had `old_snapshot_threshold`.
fn too_old() -> EngineError {
    EngineError::new(sqlstate::SNAPSHOT_TOO_OLD, "snapshot too old")
        .detail("The undo log has grown to \"max_undo_size\", and this transaction is the oldest that needs it.")
}
