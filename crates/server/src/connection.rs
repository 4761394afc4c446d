//! One client's connection once it is let in: the simple and the extended protocol, cancel.
//!
//! pgwire has the messages; the order of things is here, because it decides what a driver sees: errors in a pipeline skip
//! to the next Sync, rows are streamed as they come with back-pressure from the socket, a cancel request or a vanished
//! client ends a running statement.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use ::error::sqlstate;
use engine::{Backend, DatabaseCount, EngineError};
use futures::{FutureExt, SinkExt, StreamExt};
use pgwire::messages::PgWireBackendMessage as Message;
use pgwire::messages::data::{FieldDescription, RowDescription};
use pgwire::messages::response::{CommandComplete, EmptyQueryResponse, ErrorResponse, NoticeResponse, ReadyForQuery};
use pgwire::messages::startup::{Authentication, BackendKeyData, ParameterStatus, SecretKey};
use session::{Batch, Column, Format, Portal, Prepared, Reply, Session, TransactionStatus};
use tokio::sync::watch;
use tokio_util::codec::{Decoder, Framed};
use types::encoding::Encoding;
use types::memory::{LONG, claim};

use crate::codec::{Broken, Codec, Packet};
use crate::frontend::{self, Request};
use crate::interrupts::{Interrupts, killed, statement_timeout, terminated, transaction_timeout, until};
use crate::lanes::Lane;
use crate::login::Server;
use crate::report::info;
use crate::rest::{self, Rest};
use crate::stream::Stream;
use crate::threads;

mod copy;
mod extended;
mod fastpath;

use extended::{Bound, Planned};

/// How long a client may take to read why its session ends.
const FAREWELL: Duration = Duration::from_secs(1);
/// Bytes of a statement that takes long to parse and plan.
const LONG_TEXT: usize = 16 * 1024;
/// Bytes gathered before they are sent.
const WRITE_BUFFER: usize = 64 * 1024;

pub(crate) type Wire = Framed<Stream, Codec>;

/// By name, or by text.
type Map<V> = HashMap<String, V, foldhash::fast::RandomState>;

/// Why a connection ends.
pub(crate) enum End {
    /// The client is gone.
    Closed,
    /// What it sent cannot be read.
    Broken(Broken),
    /// It is told why.
    Fatal(EngineError),
    /// The log has failed, and the server stops: whether what the client has done takes place, only recovery can tell.
    Panic(EngineError),
}

impl End {
    /// As what `pg_stat_database` counts a session that ends so.
    fn counted_as(&self) -> DatabaseCount {
        match self {
            End::Closed => DatabaseCount::Abandoned,
            End::Fatal(error) if error.code == sqlstate::ADMIN_SHUTDOWN => DatabaseCount::Killed,
            End::Broken(_) | End::Fatal(_) | End::Panic(_) => DatabaseCount::Fatal,
        }
    }
}

impl From<std::io::Error> for End {
    fn from(_: std::io::Error) -> End {
        End::Closed
    }
}

impl From<Broken> for End {
    fn from(broken: Broken) -> End {
        End::Broken(broken)
    }
}

pub(crate) type Step<T = ()> = Result<T, End>;

pub async fn run(
    server: Arc<Server>,
    stream: Stream,
    address: Option<SocketAddr>,
    stopping: watch::Receiver<bool>,
    lane: Arc<Lane>,
) {
    let Some(client) = server.admit(stream, address, stopping.clone()).await else { return };
    // Until the session is gone.
    let _place = client.place;
    let mut wire = Framed::new(client.stream, Codec::default());
    wire.set_backpressure_boundary(WRITE_BUFFER);
    let (db, backend) = (client.session.shared.db.clone(), client.backend.clone());
    let end = serve(&mut wire, client.session, client.backend, client.key, stopping, lane).await;
    if let Err(end) = &end {
        backend.count(|counters| counters.note(end.counted_as()));
    }
    let (severity, error) = match end {
        Ok(()) | Err(End::Closed) => ("FATAL", None),
        Err(End::Broken(broken)) => {
            if let Some(reason) = broken.reason() {
                server.protocol_violations.log(address, &reason);
            }
            ("FATAL", broken.error())
        }
        Err(End::Fatal(error)) => ("FATAL", Some(if db.failure().is_some() { stopped() } else { error })),
        Err(End::Panic(error)) => ("PANIC", Some(error)),
    };
    let farewell = async {
        // What is still to be sent goes with it.
        if db.flush_before_reply(&backend).await.is_err() && !wire.write_buffer().is_empty() {
            return;
        }
        if let Some(error) = error {
            let _ = wire.send(Message::ErrorResponse(ErrorResponse::from(info(severity, &error)))).await;
        }
        let _ = wire.close().await;
    };
    let _ = tokio::time::timeout(FAREWELL, farewell).await;
}

/// What clients are told, whatever they were doing, when the server stops because it has failed.
fn stopped() -> EngineError {
    EngineError::new(sqlstate::CRASH_SHUTDOWN, "terminating connection because the server must stop")
        .detail("What was not committed is rolled back when it starts again.")
        .hint("In a moment you should be able to reconnect to the database and repeat your command.")
}

async fn serve(
    wire: &mut Wire,
    client: Session,
    backend: Arc<Backend>,
    key: Vec<u8>,
    stopping: watch::Receiver<bool>,
    lane: Arc<Lane>,
) -> Step {
    let mut connection = Connection {
        wire,
        interrupts: Interrupts::new(backend.clone(), stopping.clone()),
        lane,
        backend: backend.clone(),
        session: client,
        unnamed: None,
        portals: Map::default(),
        reported: HashMap::new(),
        reported_version: None,
        followed_version: None,
        planned: Map::default(),
        skip_to_sync: false,
        is_ready: false,
    };
    connection.follow_settings();
    // Whatever goes wrong in a session, its transaction must not stay in progress.
    let work = std::panic::AssertUnwindSafe(connection.work(key)).catch_unwind();
    let end = tokio::select! {
        biased;
        end = work => end.unwrap_or_else(|_| {
            let message = "internal error: the session ended unexpectedly, see the server's log";
            Err(End::Fatal(EngineError::new(sqlstate::INTERNAL_ERROR, message)))
        }),
        end = killed(backend.clone(), stopping.clone()) => Err(end),
    };
    backend.enter_state("idle", SystemTime::now(), |_| {});
    connection.portals.clear();
    // Whatever the client left open is undone; where that takes long (the disk hangs), no session waits for it.
    tokio::select! {
        biased;
        () = connection.session.abandon() => {}
        _ = killed(backend, stopping) => {}
    }
    end
}

/// Rows under way.
struct Running {
    portal: Box<Portal>,
    /// As the client was told that they are.
    columns: Arc<[Column]>,
    /// The batch being sent, and its next row.
    batch: Option<(Batch, usize)>,
}

impl Running {
    fn new(portal: Box<Portal>) -> Running {
        let columns = portal.columns.clone().unwrap_or_default();
        Running { portal, columns, batch: None }
    }

    /// The formats that its rows have where the client says none: a cursor may be binary.
    fn own_formats(&self) -> Vec<i16> {
        if self.portal.is_binary { vec![1; self.columns.len()] } else { Vec::new() }
    }

    /// The tag of an answer with so many rows.
    fn tag(&self, rows: u64) -> String {
        self.portal.tag(rows)
    }
}

struct Connection<'a> {
    wire: &'a mut Wire,
    interrupts: Interrupts,
    lane: Arc<Lane>,
    backend: Arc<Backend>,
    session: Session,
    /// The prepared statement without a name; the session has the others.
    unnamed: Option<Arc<Prepared>>,
    portals: Map<Box<Bound>>,
    /// Settings that the client was told, to tell it of changes.
    reported: HashMap<&'static str, String>,
    reported_version: Option<u64>,
    /// The settings that the codec's encoding and the socket's options are from.
    followed_version: Option<u64>,
    /// Statements that are prepared again and again.
    planned: Map<Planned>,
    /// After an error in the extended protocol.
    skip_to_sync: bool,
    /// The client knows that everything is done, and has asked for nothing since.
    is_ready: bool,
}

/// A session that its client has asked so often without a rest gets a thread.
const BUSY: u64 = 4;
/// If there was none, it asks again after so many messages.
const ASK_AGAIN: u64 = 4096;
/// After so many messages a session's thread looks where its client is.
const FOLLOW: u64 = 256;

/// Settings that clients are told of, as in PostgreSQL.
const REPORTED: &[&str] = &[
    "application_name",
    "client_encoding",
    "DateStyle",
    "default_transaction_read_only",
    "in_hot_standby",
    "integer_datetimes",
    "IntervalStyle",
    "is_superuser",
    "scram_iterations",
    "search_path",
    "server_encoding",
    "server_version",
    "session_authorization",
    "standard_conforming_strings",
    "TimeZone",
];

impl Connection<'_> {
    async fn welcome(&mut self, key: Vec<u8>) -> Step {
        self.flush_catalog_before_reply().await?;
        self.wire.feed(Message::Authentication(Authentication::Ok)).await?;
        self.report_settings().await?;
        let key = BackendKeyData::new(self.backend.pid, SecretKey::Bytes(key.into()));
        self.wire.feed(Message::BackendKeyData(key)).await?;
        self.ready().await
    }

    async fn report_settings(&mut self) -> Step {
        let version = self.session.shared.settings.read().version();
        if self.reported_version.replace(version) == Some(version) {
            return Ok(());
        }
        for &name in REPORTED {
            let value = self.session.shared.settings.read().get(name).to_string();
            if self.reported.get(name) != Some(&value) {
                self.wire.feed(Message::ParameterStatus(ParameterStatus::new(name.into(), value.clone()))).await?;
                self.reported.insert(name, value);
            }
        }
        Ok(())
    }

    /// What the connection does as settings say, which a statement may have changed: the encoding of names, messages and
    /// values, and how often TCP looks for the client.
    fn follow_settings(&mut self) {
        let settings = self.session.shared.settings.read();
        if self.followed_version.replace(settings.version()) == Some(settings.version()) {
            return;
        }
        if let Some(Ok(encoding)) = Encoding::find(settings.get("client_encoding")) {
            self.wire.codec_mut().encoding = encoding;
        }
        if let Err(error) = self.wire.get_ref().keep_alive(&settings) {
            tracing::debug!(%error, "could not set how TCP looks for the client");
        }
    }

    /// Can the client read the columns' names?
    fn check_names(&self, columns: &[Column]) -> Result<(), EngineError> {
        let encoding = self.wire.codec().encoding;
        columns.iter().try_for_each(|column| encoding.encode(&column.name).map(drop))
    }

    async fn ready(&mut self) -> Step {
        use pgwire::messages::response::TransactionStatus as Wired;
        self.interrupts.statement_ended();
        let (status, state) = match self.session.status() {
            TransactionStatus::Idle => {
                self.interrupts.transaction_ended();
                (Wired::Idle, "idle")
            }
            TransactionStatus::Active => (Wired::Transaction, "idle in transaction"),
            TransactionStatus::Failed => (Wired::Error, "idle in transaction (aborted)"),
        };
        let now = SystemTime::now();
        let begun = || *self.session.shared.transaction_start.lock();
        let transaction_start = matches!(status, Wired::Transaction).then(begun);
        self.backend.enter_state(state, now, |s| s.transaction_start = transaction_start);
        self.report_settings().await?;
        self.flush_catalog_before_reply().await?;
        self.tell_unsettled();
        self.is_ready = true;
        self.wire.send(Message::ReadyForQuery(ReadyForQuery::new(status))).await?;
        Ok(())
    }

    async fn work(&mut self, key: Vec<u8>) -> Step {
        self.welcome(key).await?;
        // One future for all messages: to wait for it anew would cost more than many a statement.
        let backend = self.backend.clone();
        let mut called = pin!(backend.cancelled());
        let mut rest = Rest::new();
        let mut asked = 0_u64;
        let mut silent = None;
        loop {
            if self.interrupts.is_killed() {
                return Err(terminated(&self.backend));
            }
            if let Some(message) = self.buffered()? {
                // A future that is awaited where it is made is not moved, and this one is large.
                if pin!(self.handle(message)).await?.is_break() {
                    return Ok(());
                }
                continue;
            }
            self.lane.statement_ended();
            asked += 1;
            if asked % ASK_AGAIN == BUSY {
                self.move_to(true).await?;
            }
            if asked.is_multiple_of(FOLLOW)
                && let Some(processor) = self.wire.get_ref().processor_of_client()
            {
                threads::move_to_processor(processor);
            }
            let (idle, late) = self.idle_timeout();
            // From when the wait began, whatever else happens in between.
            let deadline = (idle > 0).then(|| *silent.get_or_insert_with(Instant::now) + Duration::from_millis(idle));
            // From the first message about a statement to the end of Execute or to Sync, also while none comes.
            let statement = self.interrupts.statement_deadline();
            let transaction = self.interrupts.transaction_deadline();
            let message = tokio::select! {
                biased;
                message = self.wire.next() => message.ok_or(End::Closed)??,
                () = &mut called => {
                    // Between the messages of a transaction there is nothing that could fail but the session.
                    if self.session.in_transaction()
                        && !backend.is_terminated()
                        && let Some(conflict) = backend.take_conflict()
                    {
                        return Err(End::Fatal(conflict));
                    }
                    // A cancel request came when nothing was running, if nothing else is the matter.
                    backend.clear_cancel();
                    called.set(backend.cancelled());
                    continue;
                }
                () = until(deadline), if idle > 0 => return Err(late()),
                () = until(transaction), if transaction.is_some() => return Err(transaction_timeout()),
                () = until(statement), if statement.is_some() => {
                    self.interrupts.statement_ended();
                    self.fail_to_sync(&statement_timeout()).await?;
                    continue;
                }
                () = rest.due() => {
                    self.rest().await?;
                    asked = 0;
                    continue;
                }
            };
            silent = None;
            if rest.heard() {
                rest::widen(self.wire.read_buffer_mut());
            }
            self.lane.statement_begins();
            if pin!(self.handle(message)).await?.is_break() {
                return Ok(());
            }
        }
    }

    /// How many milliseconds the client may say nothing (0: for ever), and what ends the session then. Before Sync it is not
    /// idle.
    fn idle_timeout(&self) -> (u64, fn() -> End) {
        let settings = self.session.shared.settings.read().each_statement();
        let (timeout, late): (u64, fn() -> End) = match self.session.status() {
            TransactionStatus::Idle => (settings.idle_session_timeout, || {
                let message = "terminating connection due to idle-session timeout";
                End::Fatal(EngineError::new(sqlstate::IDLE_SESSION_TIMEOUT, message))
            }),
            _ => (settings.idle_in_transaction_session_timeout, || {
                let message = "terminating connection due to idle-in-transaction timeout";
                End::Fatal(EngineError::new(sqlstate::IDLE_IN_TRANSACTION_SESSION_TIMEOUT, message))
            }),
        };
        (if self.is_ready { timeout } else { 0 }, late)
    }

    /// Works on in a thread of its own, or in the pool.
    async fn move_to(&mut self, thread: bool) -> Step {
        if self.lane.has_thread() != thread {
            let event_loop = self.lane.move_to(thread).await;
            if self.lane.has_thread() == thread {
                let _in = event_loop.enter();
                self.wire.get_mut().register()?;
            }
        }
        Ok(())
    }

    /// Nothing has come for a while: lets go of what can be made again.
    async fn rest(&mut self) -> Step {
        self.move_to(false).await?;
        self.session.rest();
        self.planned = Map::default();
        rest::shrink(self.wire.read_buffer_mut());
        rest::shrink(self.wire.write_buffer_mut());
        Ok(())
    }

    /// The next message, if it has arrived as a whole with the one before.
    fn buffered(&mut self) -> Step<Option<Packet>> {
        let mut bytes = std::mem::take(self.wire.read_buffer_mut());
        let packet = if bytes.is_empty() { Ok(None) } else { self.wire.codec_mut().decode(&mut bytes) };
        *self.wire.read_buffer_mut() = bytes;
        Ok(packet?)
    }

    /// Does what a message asks for. `Break`: the client is done.
    async fn handle(&mut self, packet: Packet) -> Step<ControlFlow<()>> {
        let is_long = packet.body.len() >= LONG;
        let flow = pin!(self.follow(packet)).await?;
        // What was long is kept by no buffer, nor by the allocator once it was freed.
        if types::memory::was_long_made() || is_long {
            rest::begin_anew(self.wire.read_buffer_mut());
            rest::begin_anew(self.wire.write_buffer_mut());
            self.lane.give_back_soon();
        } else if aio::was_much_freed() {
            self.lane.give_back_soon();
        }
        Ok(flow)
    }

    async fn follow(&mut self, packet: Packet) -> Step<ControlFlow<()>> {
        if self.skip_to_sync && !matches!(packet.kind, b'S' | b'X') {
            return Ok(ControlFlow::Continue(()));
        }
        self.skip_to_sync = false;
        self.is_ready = false;
        self.follow_settings();
        let done = match Request::read(&packet, self.wire.codec().encoding) {
            Err(error) => Err(error),
            Ok(Request::Terminate) => return Ok(ControlFlow::Break(())),
            Ok(Request::Flush) => {
                self.flush_catalog_before_reply().await?;
                self.tell_unsettled();
                return self.wire.flush().await.map(ControlFlow::Continue).map_err(End::from);
            }
            Ok(Request::StrayCopy) => return Ok(ControlFlow::Continue(())),
            Ok(Request::Query(text)) => {
                self.unnamed = None;
                self.portals.remove("");
                self.simple(&text).await?;
                Ok(())
            }
            // What was executed since the last Sync is one transaction.
            Ok(Request::Sync) => self.session.end_implicit(true).await,
            Ok(Request::FunctionCall(call)) => self.function_call(call).await?,
            Ok(request) => pin!(self.extended(request)).await?,
        };
        if let Err(error) = &done {
            self.fail(error).await?;
        }
        if !frontend::is_extended(packet.kind) {
            self.drop_undone_portals();
            if self.session.status() == TransactionStatus::Idle {
                self.portals.clear();
            }
            self.ready().await?;
        } else if done.is_err() {
            self.leave_out_to_sync().await?;
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Tells the client of an error between two messages of the extended protocol.
    async fn fail_to_sync(&mut self, error: &EngineError) -> Step {
        self.fail(error).await?;
        self.leave_out_to_sync().await
    }

    /// After an error in the extended protocol: what comes before the next Sync is left out.
    async fn leave_out_to_sync(&mut self) -> Step {
        self.skip_to_sync = true;
        self.tell_unsettled();
        self.wire.flush().await.map_err(End::from)
    }

    async fn send_notices(&mut self) -> Step {
        for notice in self.session.take_notices() {
            self.wire.feed(Message::NoticeResponse(NoticeResponse::from(info(notice.severity, &notice.error)))).await?;
        }
        Ok(())
    }

    /// Portals end with their transaction, and with the savepoint after which they were bound when that is undone. In a block
    /// that has failed their names are known until it ends.
    fn drop_undone_portals(&mut self) {
        let Some(since) = self.session.take_undone() else { return };
        if self.session.status() == TransactionStatus::Failed {
            self.portals.values_mut().filter(|portal| portal.place >= since).for_each(|portal| portal.fail());
        } else {
            self.portals.retain(|_, portal| portal.place < since);
        }
    }

    /// Tells the client of an error, and the session.
    async fn fail(&mut self, error: &EngineError) -> Step {
        self.session.statement_failed().await;
        self.drop_undone_portals();
        self.send_notices().await?;
        // What is in the way may be a transaction's whose commit is not durable.
        let db = &self.session.shared.db;
        let settled = db.flush_before_reply(&self.backend).await;
        let error = settled.as_ref().err().unwrap_or(error);
        if let Some(reason) = db.failure() {
            return Err(End::Panic(EngineError::new(sqlstate::IO_ERROR, reason)));
        }
        self.wire.feed(Message::ErrorResponse(ErrorResponse::from(info("ERROR", error)))).await?;
        Ok(())
    }

    /// The clocks of a statement and its transaction run from here on, if they do not yet.
    fn begin_statement(&mut self) {
        let settings = self.session.shared.settings.read().each_statement();
        self.interrupts.statement_begins(&settings);
    }

    /// Marks the backend as working on `query`.
    fn begin_work(&mut self, query: &str) {
        self.backend.clear_cancel();
        self.begin_statement();
        let now = SystemTime::now();
        self.session.received(now);
        let begins = !self.session.in_transaction();
        // PostgreSQL's track_activity_query_size.
        let shown = &query[..query.floor_char_boundary(1024)];
        self.backend.enter_state("active", now, |s| {
            s.query.clear();
            s.query.push_str(shown);
            s.query_id = None;
            s.query_start = Some(now);
            if begins || s.transaction_start.is_none() {
                s.transaction_start = Some(now);
            }
        });
    }

    async fn simple(&mut self, text: &str) -> Step {
        self.begin_work(text);
        if text.len() > LONG_TEXT {
            aio::announce_long_work().await;
        }
        self.session.begin_implicit();
        let statements = match self.session.statements(text) {
            Ok(statements) => statements,
            Err(error) => return self.fail(&error).await,
        };
        self.send_notices().await?;
        if statements.is_empty() {
            if let Err(error) = self.session.end_implicit(true).await {
                return self.fail(&error).await;
            }
            self.wire.feed(Message::EmptyQueryResponse(EmptyQueryResponse::new())).await?;
            return Ok(());
        }
        let last = statements.len() - 1;
        for (index, statement) in statements.iter().enumerate() {
            self.session.begin_implicit();
            if last > 0 {
                self.session.begin_implicit_block();
            }
            self.begin_statement();
            let run = Box::pin(self.session.run(statement));
            let reply = match self.interrupts.watch(self.wire, run).await? {
                Ok(reply) => reply,
                Err(error) => return self.fail(&error).await,
            };
            if !self.answer(reply, index == last).await? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Tells a statement's answer; `last` ends the transaction of the query string. `false` after an error.
    async fn answer(&mut self, reply: Reply, last: bool) -> Step<bool> {
        self.follow_settings();
        self.send_notices().await?;
        let done = match reply {
            Reply::Done { tag } => Ok(Some(tag)),
            Reply::CopyIn(copy) => Box::pin(self.copy_in(copy)).await?,
            Reply::CopyOut(copy) => Box::pin(self.copy_out(copy)).await?,
            Reply::Rows(portal) => {
                let mut running = Running::new(portal);
                let formats = running.own_formats();
                match self.check_names(&running.columns) {
                    Ok(()) => {
                        self.wire.feed(Message::RowDescription(describe(&running.columns, &formats))).await?;
                        self.send_rows(&mut running, &formats, None).await?
                    }
                    Err(error) => Err(error),
                }
            }
        };
        // What was done counts before the client is told so.
        let done = match done {
            Ok(tag) if last => self.session.end_implicit(true).await.map(|()| tag),
            done => done,
        };
        match done {
            Ok(Some(tag)) => self.complete(&tag).await?,
            Ok(None) => {}
            Err(error) => {
                self.fail(&error).await?;
                return Ok(false);
            }
        }
        Ok(true)
    }

    async fn complete(&mut self, tag: &str) -> Step {
        self.interrupts.statement_ended();
        if !self.session.in_transaction() {
            self.interrupts.transaction_ended();
        }
        self.wire.feed(Message::CommandComplete(CommandComplete::new(tag.to_string()))).await?;
        Ok(())
    }

    /// Sends a message that is part of a statement's result: one that the client does not read ends as a statement that
    /// waits.
    async fn feed(&mut self, message: Message) -> Step<Result<(), EngineError>> {
        tokio::select! {
            biased;
            fed = self.wire.feed(message) => Ok(Ok(fed?)),
            interruption = self.interrupts.interrupted(None) => interruption.map(Err),
        }
    }

    /// The next rows of a result.
    async fn next_batch(&mut self, portal: &mut Portal) -> Step<Result<Option<Batch>, EngineError>> {
        self.interrupts.watch(self.wire, std::pin::pin!(portal.next(&mut self.session))).await
    }

    /// Waits, as part of a statement, until the client may be told what it has seen.
    async fn flush_before_reply(&mut self) -> Step<Result<(), EngineError>> {
        let db = &self.session.shared.db;
        if db.is_settled(&self.backend) {
            return Ok(Ok(()));
        }
        tokio::select! {
            biased;
            settled = db.flush_before_reply(&self.backend) => Ok(settled),
            interruption = self.interrupts.interrupted(None) => interruption.map(Err),
        }
    }

    /// The client is told how far statements have come whose transaction goes on. If that depends on commits that are not durable
    /// no client it talks to may see less.
    fn tell_unsettled(&self) {
        let db = &self.session.shared.db;
        if !db.is_settled(&self.backend) {
            db.store().transactions.all_must_see();
        }
    }

    /// Waits until the changes of the catalog are durable that all sessions see: of them messages tell that are no rows.
    async fn flush_catalog_before_reply(&mut self) -> Step {
        let db = &self.session.shared.db;
        db.flush_catalog_before_reply(&self.backend).await.map_err(End::Panic)
    }

    /// Sends what has been gathered, as part of a statement's result: what the client does not read ends as a statement
    /// that waits.
    async fn flush_rows(&mut self) -> Step<Result<(), EngineError>> {
        if let Err(error) = self.flush_before_reply().await? {
            return Ok(Err(error));
        }
        tokio::select! {
            biased;
            flushed = self.wire.flush() => Ok(Ok(flushed?)),
            interruption = self.interrupts.interrupted(None) => interruption.map(Err),
        }
    }

    /// Sends rows, up to `limit`, once the client may be told of them. Gives the statement's tag when all were sent.
    async fn send_rows(
        &mut self,
        running: &mut Running,
        codes: &[i16],
        limit: Option<u64>,
    ) -> Step<Result<Option<String>, EngineError>> {
        let sent = self.put_rows(running, codes, limit).await?;
        let settled = self.flush_before_reply().await?;
        Ok(sent.and_then(|tag| settled.map(|()| tag)))
    }

    /// Puts rows, up to `limit`, to what is to be sent.
    async fn put_rows(
        &mut self,
        running: &mut Running,
        codes: &[i16],
        limit: Option<u64>,
    ) -> Step<Result<Option<String>, EngineError>> {
        let mut formats = Vec::new();
        let mut message = Vec::new();
        let mut sent = 0;
        if limit.is_none() {
            running.portal.want_all();
        }
        loop {
            // Whether there are more rows is found out when they are asked for.
            if limit == Some(sent) {
                return Ok(Ok(None));
            }
            if running.batch.is_none() {
                let next = self.next_batch(&mut running.portal).await?;
                // What functions have said comes before the rows that they made.
                self.send_notices().await?;
                match next {
                    Ok(None) => break,
                    Ok(Some(batch)) => running.batch = Some((batch, 0)),
                    Err(error) => return Ok(Err(error)),
                }
            }
            let (batch, row) = running.batch.as_mut().expect("it was just fetched");
            let is_long = batch.may_have(LONG);
            if formats.is_empty() && batch.rows > 0 {
                formats = match known_formats(codes) {
                    Ok(formats) => formats,
                    Err(error) => return Ok(Err(error)),
                };
            }
            while *row < batch.rows {
                if limit == Some(sent) {
                    return Ok(Ok(None));
                }
                // The message, and the copy that is sent.
                let room = if is_long { claim(batch.bytes_of_row(*row)) } else { claim(0) };
                let _room = match room {
                    Ok(room) => room,
                    Err(error) => return Ok(Err(error.into())),
                };
                if let Err(error) = put_row(self.wire, &running.portal, batch, *row, &formats, &mut message) {
                    return Ok(Err(error));
                }
                *row += 1;
                sent += 1;
                if self.wire.write_buffer().len() >= WRITE_BUFFER
                    && let Err(error) = self.flush_rows().await?
                {
                    return Ok(Err(error));
                }
            }
            running.batch = None;
        }
        Ok(Ok(Some(running.tag(sent))))
    }
}

/// Appends a row's message (DataRow) to what is to be sent; nothing if it fails. `message` is room to make it in.
fn put_row(
    wire: &mut Wire,
    portal: &Portal,
    batch: &Batch,
    row: usize,
    formats: &[Format],
    message: &mut Vec<u8>,
) -> Result<(), EngineError> {
    const NULL: [u8; 4] = (-1_i32).to_be_bytes();
    let encoding = wire.codec().encoding;
    message.clear();
    message.extend_from_slice(&[b'D', 0, 0, 0, 0]);
    message.extend_from_slice(&(batch.columns.len() as i16).to_be_bytes());
    for (index, column) in batch.columns.iter().enumerate() {
        let format = formats.get(index).copied().unwrap_or(Format::Text);
        message.extend_from_slice(&NULL);
        let start = message.len();
        if portal.encode(message, format, index, column, row)? {
            portal.to_client(encoding, format, index, message, start)?;
            let length = (message.len() - start) as i32;
            message[start - 4..start].copy_from_slice(&length.to_be_bytes());
        }
    }
    let length = (message.len() - 1) as i32;
    message[1..5].copy_from_slice(&length.to_be_bytes());
    wire.write_buffer_mut().extend_from_slice(message);
    Ok(())
}

fn format_code(code: i16) -> Result<Format, EngineError> {
    match code {
        0 => Ok(Format::Text),
        1 => Ok(Format::Binary),
        other => Err(EngineError::new(sqlstate::INVALID_PARAMETER_VALUE, format!("unsupported format code: {other}"))),
    }
}

fn known_formats(codes: &[i16]) -> Result<Vec<Format>, EngineError> {
    codes.iter().map(|&code| format_code(code)).collect()
}

fn describe(columns: &[Column], formats: &[i16]) -> RowDescription {
    let fields = columns.iter().enumerate().map(|(index, c)| {
        let format = formats.get(index).copied().unwrap_or(0);
        let name = c.name.replace('\0', "");
        let (table, attribute) = c.origin.unwrap_or_default();
        FieldDescription::new(name, table as i32, attribute, c.oid, c.len, c.typmod, format)
    });
    RowDescription::new(fields.collect())
}
