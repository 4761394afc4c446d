//! The sessions and processes that are connected or at work, and what they do: the source of `pg_stat_activity`.

pub(crate) mod exported_snapshots;
pub(crate) mod worker_places;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use access::progress::{Command, Progress};
use aio::lwlock::Mutex;
use aio::{BackendKind, Engine, Session};
use error::sqlstate;
use tokio::sync::Notify;

use crate::activity::worker_places::{WorkerPlace, WorkerPlaces};
use crate::statistics::Statistics;
use crate::statistics::database_counters::{DatabaseCount, DatabaseCounters};
use crate::{EngineError, Result};

/// What changes while a backend works.
#[derive(Clone, Debug)]
pub struct ActivityState {
    /// `active`, `idle`, `idle in transaction`, `idle in transaction (aborted)`.
    pub state: &'static str,
    pub query: String,
    /// Of the query, once it is known (`compute_query_id`).
    pub query_id: Option<i64>,
    pub application_name: String,
    pub transaction_start: Option<SystemTime>,
    pub query_start: Option<SystemTime>,
    pub state_change: SystemTime,
}

/// Where a client is connected from, and how.
#[derive(Clone, Debug, Default)]
pub struct Client {
    /// `None`: over a Unix-domain socket.
    pub address: Option<std::net::SocketAddr>,
    pub tls: Option<Arc<Tls>>,
}

/// What `pg_stat_ssl` shows of an encrypted connection.
#[derive(Clone, Debug)]
pub struct Tls {
    pub version: &'static str,
    pub cipher: String,
    /// Of the cipher's key.
    pub bits: u16,
    /// The client's certificate, if it has shown one.
    pub certificate: Option<Certificate>,
}

/// The names in a client's certificate.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// As `/C=DE/O=Example/CN=alice`.
    pub subject: String,
    pub issuer: String,
    /// In decimal.
    pub serial: String,
    /// The subject as RFC 2253 writes it: `CN=alice,O=Example,C=DE`.
    pub distinguished_name: String,
    pub common_name: Option<String>,
}

/// A session, worker or auxiliary task. It leaves the list when the last reference is gone.
pub struct Backend {
    pub pid: i32,
    pub kind: BackendKind,
    pub database: Option<(u32, String)>,
    pub user: Option<String>,
    pub client: Option<Client>,
    pub started: SystemTime,
    /// Of a parallel worker: its leader.
    pub leader: Option<i32>,
    pub io: Session,
    /// What happens in its database is counted there.
    counters: Option<Arc<DatabaseCounters>>,
    /// What must be durable before its client is told anything
    /// ([`Database::flush_before_reply`](crate::Database::flush_before_reply)), and what its snapshots hold up.
    pub proc: Arc<txn::Proc>,
    state: Mutex<ActivityState>,
    wait: Mutex<Option<(&'static str, &'static str)>>,
    /// The owner of its locks, in the current transaction.
    owner: AtomicU64,
    cancelled: AtomicBool,
    terminated: AtomicBool,
    /// Why another session has it stopped, if not for a user's request.
    conflict: Mutex<Option<EngineError>>,
    /// What its command tells of how far it is.
    progress: Mutex<Option<Arc<Progress>>>,
    /// What it does takes place whatever comes.
    committing: AtomicBool,
    cancel: Notify,
    terminate: Notify,
    registry: Arc<Registry>,
    /// Of a worker.
    _place: Option<WorkerPlace>,
}

type Registry = Mutex<BTreeMap<i32, std::sync::Weak<Backend>>>;

/// All backends.
pub struct Activity {
    engine: Engine,
    statistics: Arc<Statistics>,
    next_pid: AtomicI32,
    registry: Arc<Registry>,
    workers: Arc<WorkerPlaces>,
}

/// One row of `pg_stat_activity`.
#[derive(Clone, Debug)]
pub struct ActivityView {
    pub pid: i32,
    pub kind: BackendKind,
    pub database: Option<(u32, String)>,
    pub user: Option<String>,
    pub client: Option<Client>,
    pub started: Option<SystemTime>,
    pub leader: Option<i32>,
    /// Of its snapshots: see [`txn::Proc::xmin`].
    pub xmin: Option<txn::Xid>,
    pub state: Option<ActivityState>,
    pub wait_event_type: Option<&'static str>,
    pub wait_event: Option<&'static str>,
}

impl Activity {
    /// With places for so many workers.
    pub(crate) fn new(engine: &Engine, statistics: Arc<Statistics>, workers: usize) -> Activity {
        // PostgreSQL's pids are its processes'; ours count on from our one process.
        let first = std::process::id() as i32 + 1;
        let workers = WorkerPlaces::new(workers);
        Activity {
            engine: engine.clone(),
            statistics,
            next_pid: AtomicI32::new(first),
            registry: Arc::default(),
            workers,
        }
    }

    /// Enters a backend. Fails with PostgreSQL's "too many clients" when the limit is reached.
    pub fn enter(
        &self,
        kind: BackendKind,
        database: Option<(u32, String)>,
        user: Option<String>,
        client: Option<Client>,
        leader: Option<i32>,
    ) -> Result<Arc<Backend>> {
        let backend = self.backend(kind, database, user, client, leader, None)?;
        if let Some(counters) = backend.counters.as_ref().filter(|_| kind == BackendKind::Client) {
            counters.note(DatabaseCount::Sessions);
        }
        Ok(self.register(backend))
    }

    /// From here on the backend is seen.
    fn register(&self, backend: Backend) -> Arc<Backend> {
        let backend = Arc::new(backend);
        self.registry.lock().insert(backend.pid, Arc::downgrade(&backend));
        backend
    }

    /// Enters a worker of a session, with what that one does; `None`: there is no place for one, as there are `most` parallel workers
    /// already, or all of `max_worker_processes`.
    pub fn enter_parallel(&self, leader: &Backend, most: usize) -> Option<Arc<Backend>> {
        let place = self.workers.take_parallel(most)?;
        Some(self.register(self.hand_of(leader, Some(place))?))
    }

    /// What a session takes part by in the work that it shares with its workers: no view shows it, and it takes no place.
    pub fn own_hand(&self, leader: &Backend) -> Option<Arc<Backend>> {
        self.hand_of(leader, None).map(Arc::new)
    }

    fn hand_of(&self, leader: &Backend, place: Option<WorkerPlace>) -> Option<Backend> {
        let (database, user) = (leader.database.clone(), leader.user.clone());
        let hand = self.backend(BackendKind::ParallelWorker, database, user, None, Some(leader.pid), place).ok()?;
        let query = leader.activity().query;
        hand.update(|state| state.query = query);
        Some(hand)
    }

    /// Enters a worker that is no session's; `None`: there is no place for one.
    pub fn enter_worker(&self) -> Option<Arc<Backend>> {
        let place = self.workers.take_other()?;
        Some(self.register(self.backend(BackendKind::ParallelWorker, None, None, None, None, Some(place)).ok()?))
    }

    fn backend(
        &self,
        kind: BackendKind,
        database: Option<(u32, String)>,
        user: Option<String>,
        client: Option<Client>,
        leader: Option<i32>,
        place: Option<WorkerPlace>,
    ) -> Result<Backend> {
        let pid = self.next_pid.fetch_add(1, Ordering::Relaxed);
        let io = self
            .engine
            .session(pid, kind)
            .map_err(|_| EngineError::new(sqlstate::TOO_MANY_CONNECTIONS, "sorry, too many clients already"))?;
        let now = SystemTime::now();
        let counters = database.as_ref().map(|(oid, _)| self.statistics.of_database(*oid));
        Ok(Backend {
            pid,
            kind,
            database,
            user,
            client,
            started: now,
            leader,
            io,
            counters,
            proc: Arc::default(),
            state: Mutex::new(ActivityState {
                state: if kind == BackendKind::Client { "idle" } else { "active" },
                query: String::new(),
                query_id: None,
                application_name: String::new(),
                transaction_start: None,
                query_start: None,
                state_change: now,
            }),
            wait: Mutex::new(None),
            progress: Mutex::default(),
            owner: AtomicU64::new(0),
            cancelled: AtomicBool::new(false),
            terminated: AtomicBool::new(false),
            conflict: Mutex::default(),
            committing: AtomicBool::new(false),
            cancel: Notify::new(),
            terminate: Notify::new(),
            registry: self.registry.clone(),
            _place: place,
        })
    }

    /// All backends. None of them is let go while the registry is locked: the last reference takes its backend out of it.
    pub(crate) fn backends(&self) -> Vec<Arc<Backend>> {
        self.registry.lock().values().filter_map(std::sync::Weak::upgrade).collect()
    }

    /// How many there are of a kind.
    pub fn count(&self, kind: BackendKind) -> usize {
        self.backends().iter().filter(|backend| backend.kind == kind).count()
    }

    pub fn get(&self, pid: i32) -> Option<Arc<Backend>> {
        self.registry.lock().get(&pid)?.upgrade()
    }

    /// The session that a lock's owner is of.
    pub(crate) fn client_of(&self, owner: txn::Owner) -> Option<Arc<Backend>> {
        self.clients().find(|client| client.owner() == owner)
    }

    /// Its process number.
    pub fn pid_of(&self, owner: txn::Owner) -> Option<i32> {
        self.client_of(owner).map(|client| client.pid)
    }

    fn clients(&self) -> impl Iterator<Item = Arc<Backend>> {
        self.backends().into_iter().filter(|backend| backend.kind == BackendKind::Client)
    }

    /// Client sessions connected to a database.
    pub fn sessions_in(&self, database: u32) -> usize {
        self.clients().filter(|client| client.is_in(database)).count()
    }

    /// The same ones.
    pub fn clients_in(&self, database: u32) -> impl Iterator<Item = Arc<Backend>> {
        self.clients().filter(move |client| client.is_in(database))
    }

    /// How long each of them has been there.
    pub(crate) fn session_times(&self, database: u32) -> impl Iterator<Item = Duration> {
        self.clients().filter(move |client| client.is_in(database)).map(|client| client.time())
    }

    /// Ends the autovacuum workers of a database; `false`: there are none.
    pub fn end_autovacuum_in(&self, database: u32) -> bool {
        let is_worker = |b: &&Arc<Backend>| b.kind == BackendKind::Autovacuum && b.is_in(database);
        self.backends().iter().filter(is_worker).map(|worker| worker.request_termination()).count() > 0
    }

    /// Client sessions of a role.
    pub fn sessions_of(&self, user: &str) -> usize {
        self.clients().filter(|client| client.user.as_deref() == Some(user)).count()
    }

    /// All backends, and the threads of the worker method.
    pub fn list(&self) -> Vec<ActivityView> {
        let waiting = match self.engine.config().method {
            aio::IoMethod::IoUring => "AioUringCompletion",
            aio::IoMethod::Sync => "DataFileRead",
            _ => "AioIoCompletion",
        };
        let backends = self.backends();
        let mut views: Vec<_> = backends
            .iter()
            .map(|b| {
                let state = b.state.lock().clone();
                let wait = match *b.wait.lock() {
                    Some(wait) => Some(wait),
                    None if b.io.is_waiting() => Some(("IO", waiting)),
                    None if b.kind == BackendKind::Client && state.state.starts_with("idle") => {
                        Some(("Client", "ClientRead"))
                    }
                    None => None,
                };
                ActivityView {
                    pid: b.pid,
                    kind: b.kind,
                    database: b.database.clone(),
                    user: b.user.clone(),
                    client: b.client.clone(),
                    started: Some(b.started),
                    leader: b.leader,
                    xmin: b.proc.xmin(),
                    state: Some(state),
                    wait_event_type: wait.map(|w| w.0),
                    wait_event: wait.map(|w| w.1),
                }
            })
            .collect();
        for worker in self.engine.workers() {
            let event = worker.busy.map(|kind| match kind {
                aio::OpKind::Read => "DataFileRead",
                aio::OpKind::Write => "DataFileWrite",
                aio::OpKind::WriteFlush | aio::OpKind::Fsync | aio::OpKind::Fdatasync => "DataFileSync",
                aio::OpKind::Allocate => "DataFileExtend",
            });
            views.push(ActivityView {
                // The threads have no session and so no pid of their own; theirs are below every backend's.
                pid: -(worker.id as i32) - 1,
                kind: BackendKind::IoWorker,
                database: None,
                user: None,
                client: None,
                started: None,
                leader: None,
                xmin: None,
                state: None,
                wait_event_type: Some(if event.is_some() { "IO" } else { "Activity" }),
                wait_event: Some(event.unwrap_or("IoWorkerMain")),
            });
        }
        views
    }
}

/// Shows a backend as waiting while it lives.
pub struct WaitGuard<'a>(&'a Backend);

impl Drop for WaitGuard<'_> {
    fn drop(&mut self) {
        *self.0.wait.lock() = None;
    }
}

/// While it lives, what the session does takes place.
pub struct Committing<'a>(&'a Backend);

impl Drop for Committing<'_> {
    fn drop(&mut self) {
        self.0.committing.store(false, Ordering::Relaxed);
    }
}

impl Drop for Backend {
    fn drop(&mut self) {
        self.registry.lock().remove(&self.pid);
        if self.kind == BackendKind::Client {
            self.count(|counters| counters.add_time(DatabaseCount::SessionTime, self.time()));
        }
    }
}

/// A command that tells how far it is, until this is dropped.
pub struct ProgressReport {
    backend: Arc<Backend>,
    pub progress: Arc<Progress>,
}

impl Drop for ProgressReport {
    fn drop(&mut self) {
        *self.backend.progress.lock() = None;
    }
}

impl Backend {
    /// A command begins that tells how far it is.
    pub fn start_progress(self: &Arc<Backend>, command: Command, relation: u32) -> ProgressReport {
        let progress = Arc::new(Progress::new(command, relation));
        *self.progress.lock() = Some(progress.clone());
        ProgressReport { backend: self.clone(), progress }
    }

    /// How far the command is that it runs.
    pub fn progress(&self) -> Option<Arc<Progress>> {
        self.progress.lock().clone()
    }

    /// Counts something in its database.
    pub fn count(&self, count: impl FnOnce(&DatabaseCounters)) {
        if let Some(counters) = &self.counters {
            count(counters);
        }
    }

    /// The oid of its database; 0: it has none.
    pub fn database_oid(&self) -> u32 {
        self.database.as_ref().map_or(0, |(oid, _)| *oid)
    }

    fn is_in(&self, database: u32) -> bool {
        self.database.as_ref().is_some_and(|(oid, _)| *oid == database)
    }

    /// Since it began.
    fn time(&self) -> Duration {
        self.started.elapsed().unwrap_or_default()
    }

    /// It is in another state from now on, with what else `change` says.
    pub fn enter_state(&self, entered: &'static str, now: SystemTime, change: impl FnOnce(&mut ActivityState)) {
        let mut state = self.state.lock();
        let time = now.duration_since(state.state_change).unwrap_or_default();
        match state.state {
            "active" => self.count(|counters| counters.add_time(DatabaseCount::ActiveTime, time)),
            "idle" => {}
            _ => self.count(|counters| counters.add_time(DatabaseCount::IdleInTransactionTime, time)),
        }
        (state.state, state.state_change) = (entered, now);
        change(&mut state);
    }

    /// Changes what the views show.
    pub fn update(&self, change: impl FnOnce(&mut ActivityState)) {
        change(&mut self.state.lock());
    }

    /// Waits for something other than I/O: `wait_event_type` and `wait_event`, until the guard is dropped.
    pub fn wait_for(&self, kind: &'static str, event: &'static str) -> WaitGuard<'_> {
        *self.wait.lock() = Some((kind, event));
        WaitGuard(self)
    }

    pub fn activity(&self) -> ActivityState {
        self.state.lock().clone()
    }

    /// The owner of its locks.
    pub fn owner(&self) -> txn::Owner {
        self.owner.load(Ordering::Relaxed)
    }

    pub(crate) fn set_owner(&self, owner: txn::Owner) {
        self.owner.store(owner, Ordering::Relaxed);
    }

    /// Asks the running statement to stop (57014).
    pub fn request_cancel(&self) {
        self.cancelled.store(true, Ordering::Release);
        self.cancel.notify_waiters();
        self.cancel.notify_one();
    }

    /// Asks the session to end (57P01).
    pub fn request_termination(&self) {
        self.terminated.store(true, Ordering::Release);
        self.terminate.notify_waiters();
        self.request_cancel();
    }

    /// Asks the running statement to stop with this error, or the session to end where it has none that would hear of it: it stands
    /// in the way of others (PostgreSQL's recovery conflicts).
    pub fn request_conflict(&self, error: EngineError) {
        let state = self.state.lock().state;
        if state == "idle" {
            // It has ended what it was in the way with.
            return;
        }
        let mut conflict = self.conflict.lock();
        *conflict = Some(error);
        if state.starts_with("idle") { self.request_termination() } else { self.request_cancel() }
    }

    /// Why it was stopped, if not for a user's request.
    pub fn take_conflict(&self) -> Option<EngineError> {
        self.conflict.lock().take()
    }

    /// Resolves when the session is to end.
    pub async fn terminated(&self) {
        let mut notified = std::pin::pin!(self.terminate.notified());
        // From here on no notification is missed.
        notified.as_mut().enable();
        if !self.is_terminated() {
            notified.await;
        }
    }

    pub fn is_terminated(&self) -> bool {
        self.terminated.load(Ordering::Acquire)
    }

    /// The session commits: from here on a cancel request or a timeout must not tell its client that nothing took place.
    pub fn commits(&self) -> Committing<'_> {
        self.committing.store(true, Ordering::Relaxed);
        Committing(self)
    }

    /// Asked by the session itself.
    pub fn is_committing(&self) -> bool {
        self.committing.load(Ordering::Relaxed)
    }

    /// A new statement starts: requests that came too late for the last one are forgotten.
    pub fn clear_cancel(&self) {
        let mut conflict = self.conflict.lock();
        if !self.is_terminated() {
            self.cancelled.store(false, Ordering::Release);
            conflict.take();
        }
    }

    /// Resolves when the running statement is to stop.
    pub async fn cancelled(&self) {
        loop {
            let notified = self.cancel.notified();
            if self.cancelled.load(Ordering::Acquire) {
                return;
            }
            notified.await;
        }
    }
}
