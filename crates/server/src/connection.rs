//! One client's connection once it is let in: the simple and the extended protocol, cancel.
//!
//! pgwire has the messages; the order of things is here, because it decides what a driver sees: errors in a pipeline skip
//! to the next Sync, rows are streamed as they come with back-pressure from the socket, a cancel request or a vanished
//! client ends a running statement.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use bytes::{BufMut, BytesMut};
use engine::{Backend, EngineError};
use futures::{FutureExt, SinkExt, StreamExt};
use pgwire::messages::copy::{CopyData, CopyDone, CopyInResponse, CopyOutResponse};
use pgwire::messages::data::{DataRow, FieldDescription, NoData, ParameterDescription, RowDescription};
use pgwire::messages::extendedquery::{
    Bind, BindComplete, CloseComplete, Describe, Execute, Parse, ParseComplete, PortalSuspended,
};
use pgwire::messages::response::{CommandComplete, EmptyQueryResponse, ErrorResponse, NoticeResponse, ReadyForQuery};
use pgwire::messages::startup::{Authentication, BackendKeyData, ParameterStatus, SecretKey};
use pgwire::messages::{PgWireBackendMessage as Message, PgWireFrontendMessage as Request};
use sql::{Column, Format, Parsed, Prepared, Reply, RowsReply, Session, Stamp, TransactionStatus};
use tokio::sync::watch;
use tokio_util::codec::{Decoder, Framed};

use crate::codec::Codec;
use crate::login::Server;
use crate::report::info;
use crate::stream::Stream;

/// Bytes gathered before they are sent.
const WRITE_BUFFER: usize = 64 * 1024;
/// Messages of COPY FROM that are taken one after the other without a look at cancellations and timeouts.
const UNWATCHED: u64 = 256;
/// Query strings a connection remembers parsed, and planned, and how long they may be.
const REMEMBERED: usize = 64;
const REMEMBERED_TEXT: usize = 64;
const REMEMBERED_PLAN: usize = 4096;

type Wire = Framed<Stream, Codec>;

/// By name, or by text.
type Map<V> = HashMap<String, V, foldhash::fast::RandomState>;

/// Why a connection ends.
enum End {
    /// The client said goodbye, or is gone.
    Closed,
    /// It is told why.
    Fatal(EngineError),
}

impl From<std::io::Error> for End {
    fn from(error: std::io::Error) -> End {
        if error.kind() == std::io::ErrorKind::InvalidData {
            return End::Fatal(EngineError::new("08P01", format!("invalid message from the client: {error}")));
        }
        End::Closed
    }
}

type Step<T = ()> = Result<T, End>;

pub async fn run(server: Arc<Server>, stream: Stream, address: Option<SocketAddr>, stopping: watch::Receiver<bool>) {
    let Some(client) = server.admit(stream, address, stopping.clone()).await else { return };
    // Until the session is gone.
    let _place = client.place;
    let mut wire = Framed::new(client.stream, Codec::new());
    wire.set_backpressure_boundary(WRITE_BUFFER);
    let end = serve(&mut wire, client.session, client.backend, client.key, stopping).await;
    if let Err(End::Fatal(error)) = end {
        let _ = wire.send(Message::ErrorResponse(ErrorResponse::from(info("FATAL", &error)))).await;
    }
    let _ = wire.close().await;
}

async fn serve(
    wire: &mut Wire,
    client: Session,
    backend: Arc<Backend>,
    key: Vec<u8>,
    stopping: watch::Receiver<bool>,
) -> Step {
    let mut connection = Connection {
        wire,
        backend,
        session: client,
        stopping,
        unnamed: None,
        portals: Map::default(),
        reported: HashMap::new(),
        reported_version: None,
        parsed: Map::default(),
        planned: Map::default(),
        skip_to_sync: false,
    };
    connection.welcome(key).await?;
    // Whatever goes wrong in a session, its transaction must not stay in progress.
    let work = std::panic::AssertUnwindSafe(connection.work());
    let end = futures::FutureExt::catch_unwind(work).await.unwrap_or_else(|_| {
        Err(End::Fatal(EngineError::new(
            "XX000",
            "internal error: the session ended unexpectedly, see the server's log",
        )))
    });
    connection.backend.update(|s| s.state = "idle");
    // Whatever the client left open is undone.
    let _ = connection.session.end_implicit(false).await;
    connection.session.abandon().await;
    end
}

/// What is to be run.
enum Work<'a> {
    Statement(&'a sql::Parsed, &'a [Option<(String, u32)>]),
    /// A query string that may be one for the short path.
    Point(&'a str),
    /// A prepared statement that may.
    PreparedPoint(&'a Prepared, &'a [Option<(String, u32)>]),
}

/// A statement that was prepared before, to be used again when its text comes again.
struct Planned {
    /// As the client declared them.
    parameters: Vec<u32>,
    stamp: Stamp,
    prepared: Arc<Prepared>,
}

/// A bound statement, and its rows if it was executed in part.
struct Portal {
    prepared: Arc<Prepared>,
    parameters: Vec<Option<(String, u32)>>,
    formats: Vec<Format>,
    running: Option<Running>,
    finished: bool,
}

/// Rows under way.
struct Running {
    reply: RowsReply,
    /// The batch being sent, and its next row.
    batch: Option<(sql::Batch, usize)>,
    sent: u64,
}

struct Connection<'a> {
    wire: &'a mut Wire,
    backend: Arc<Backend>,
    session: Session,
    stopping: watch::Receiver<bool>,
    /// The prepared statement without a name; the session has the others.
    unnamed: Option<Arc<Prepared>>,
    portals: Map<Portal>,
    /// Settings that the client was told, to tell it of changes.
    reported: HashMap<&'static str, String>,
    reported_version: Option<u64>,
    /// Short query strings that come again and again, BEGIN and END above all.
    parsed: Map<Arc<[Parsed]>>,
    /// Statements that are prepared again and again.
    planned: Map<Planned>,
    /// After an error in the extended protocol.
    skip_to_sync: bool,
}

/// Settings that clients are told of, as in PostgreSQL.
const REPORTED: &[&str] = &[
    "application_name",
    "client_encoding",
    "DateStyle",
    "default_transaction_read_only",
    "integer_datetimes",
    "IntervalStyle",
    "is_superuser",
    "search_path",
    "server_encoding",
    "server_version",
    "session_authorization",
    "standard_conforming_strings",
    "TimeZone",
];

impl Connection<'_> {
    async fn welcome(&mut self, key: Vec<u8>) -> Step {
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

    async fn ready(&mut self) -> Step {
        use pgwire::messages::response::TransactionStatus as Wired;
        let (status, state) = match self.session.status() {
            TransactionStatus::Idle => (Wired::Idle, "idle"),
            TransactionStatus::Active => (Wired::Transaction, "idle in transaction"),
            TransactionStatus::Failed => (Wired::Error, "idle in transaction (aborted)"),
        };
        let now = SystemTime::now();
        self.backend.update(|s| {
            s.state = state;
            s.state_change = now;
        });
        self.report_settings().await?;
        self.wire.send(Message::ReadyForQuery(ReadyForQuery::new(status))).await?;
        Ok(())
    }

    async fn work(&mut self) -> Step {
        // One future for all messages: to wait for it anew would cost more than many a statement.
        let mut called = std::pin::pin!(called_off(self.backend.clone(), self.stopping.clone()));
        loop {
            if self.backend.is_terminated() || self.stopping.has_changed().unwrap_or(true) {
                let message = "terminating connection due to administrator command";
                return Err(End::Fatal(EngineError::new("57P01", message)));
            }
            if let Some(message) = self.buffered()? {
                if self.handle(message).await?.is_break() {
                    return Ok(());
                }
                continue;
            }
            let idle = match self.session.status() {
                TransactionStatus::Idle => 0,
                _ => self.session.shared.settings.read().each_statement().idle_in_transaction_session_timeout,
            };
            let message = tokio::select! {
                biased;
                message = self.wire.next() => message.ok_or(End::Closed)??,
                () = &mut called => {
                    // A cancel request came when nothing was running, if nothing else is the matter.
                    self.backend.clear_cancel();
                    called.set(called_off(self.backend.clone(), self.stopping.clone()));
                    continue;
                }
                // As a block: the timer is not even made while there is no limit.
                () = async { tokio::time::sleep(Duration::from_millis(idle)).await }, if idle > 0 => {
                    let message = "terminating connection due to idle-in-transaction timeout";
                    return Err(End::Fatal(EngineError::new("25P03", message)));
                }
            };
            if self.handle(message).await?.is_break() {
                return Ok(());
            }
        }
    }

    /// The next message, if it has arrived as a whole with the one before.
    fn buffered(&mut self) -> Step<Option<Request>> {
        let mut bytes = std::mem::take(self.wire.read_buffer_mut());
        let message = if bytes.is_empty() { Ok(None) } else { self.wire.codec_mut().decode(&mut bytes) };
        *self.wire.read_buffer_mut() = bytes;
        Ok(message?)
    }

    /// Does what a message asks for. `Break`: the client is done.
    async fn handle(&mut self, message: Request) -> Step<ControlFlow<()>> {
        match message {
            Request::Terminate(_) => return Ok(ControlFlow::Break(())),
            Request::Query(query) => {
                self.skip_to_sync = false;
                self.portals.clear();
                self.simple(&query.query).await?;
                self.ready().await?;
            }
            Request::Sync(_) => {
                self.skip_to_sync = false;
                // What was executed since the last Sync is one transaction.
                if let Err(error) = self.session.end_implicit(true).await {
                    self.fail(&error).await?;
                }
                if self.session.status() == TransactionStatus::Idle {
                    self.portals.clear();
                }
                self.ready().await?;
            }
            Request::Flush(_) => self.wire.flush().await?,
            _ if self.skip_to_sync => {}
            Request::CopyData(_) | Request::CopyDone(_) | Request::CopyFail(_) => {}
            message => {
                if let Err(error) = self.extended(message).await? {
                    self.fail(&error).await?;
                    self.skip_to_sync = true;
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    async fn send_notices(&mut self) -> Step {
        for notice in self.session.take_notices() {
            self.wire.feed(Message::NoticeResponse(NoticeResponse::from(info(notice.severity, &notice.error)))).await?;
        }
        Ok(())
    }

    /// Tells the client of an error, and the session.
    async fn fail(&mut self, error: &EngineError) -> Step {
        self.session.statement_failed().await;
        self.send_notices().await?;
        self.wire.feed(Message::ErrorResponse(ErrorResponse::from(info("ERROR", error)))).await?;
        Ok(())
    }

    /// Marks the backend as working on `query`.
    fn begin_work(&mut self, query: &str) {
        self.backend.clear_cancel();
        let now = SystemTime::now();
        self.session.received(now);
        // PostgreSQL's track_activity_query_size.
        let shown = &query[..query.floor_char_boundary(1024)];
        self.backend.update(|s| {
            s.state = "active";
            s.state_change = now;
            s.query.clear();
            s.query.push_str(shown);
            s.query_start = Some(now);
        });
    }

    fn parse_text(&mut self, text: &str) -> Result<Arc<[Parsed]>, EngineError> {
        if let Some(statements) = self.parsed.get(text) {
            return Ok(statements.clone());
        }
        let statements: Arc<[Parsed]> = sql::parse(text)?.into();
        if text.len() <= REMEMBERED_TEXT {
            if self.parsed.len() >= REMEMBERED {
                self.parsed.clear();
            }
            self.parsed.insert(text.to_string(), statements.clone());
        }
        Ok(statements)
    }

    async fn simple(&mut self, text: &str) -> Step {
        self.begin_work(text);
        self.session.begin_implicit();
        match self.interruptible(Work::Point(text)).await? {
            Ok(Some(reply)) => return self.answer(reply, true).await.map(drop),
            Ok(None) => {}
            Err(error) => return self.fail(&error).await,
        }
        let statements = match self.parse_text(text) {
            Ok(statements) => statements,
            Err(error) => return self.fail(&error).await,
        };
        if statements.is_empty() {
            let _ = self.session.end_implicit(true).await;
            self.wire.feed(Message::EmptyQueryResponse(EmptyQueryResponse::new())).await?;
            return Ok(());
        }
        let last = statements.len() - 1;
        for (index, statement) in statements.iter().enumerate() {
            self.session.begin_implicit();
            let reply = match self.interruptible(Work::Statement(statement, &[])).await? {
                Ok(reply) => reply.expect("a statement answers"),
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
        self.send_notices().await?;
        let done = match reply {
            Reply::Empty => Ok(None),
            Reply::Done { tag } => Ok(Some(tag)),
            Reply::Rows(reply) => {
                let description = describe(&reply.columns, &[]);
                self.wire.feed(Message::RowDescription(description)).await?;
                let mut running = Running { reply, batch: None, sent: 0 };
                self.send_rows(&mut running, &[], None).await?
            }
            Reply::Row(columns, row) => {
                self.wire.feed(Message::RowDescription(describe(&columns, &[]))).await?;
                Ok(Some(self.send_row(row, &[]).await?.into()))
            }
            Reply::CopyIn(copy) => self.copy_in(*copy).await?,
            Reply::CopyOut(reply, format) => self.copy_out(reply, &format).await?,
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

    /// Tells of a statement's end, if it ended well.
    async fn tell(&mut self, outcome: Result<Option<String>, EngineError>) -> Step<Result<(), EngineError>> {
        match outcome {
            Ok(Some(tag)) => Ok(Ok(self.complete(&tag).await?)),
            Ok(None) => Ok(Ok(())),
            Err(error) => Ok(Err(error)),
        }
    }

    async fn complete(&mut self, tag: &str) -> Step {
        self.wire.feed(Message::CommandComplete(CommandComplete::new(tag.to_string()))).await?;
        Ok(())
    }

    /// Runs a statement until it ends, is cancelled, takes too long, or nobody is there to hear of it.
    async fn interruptible(&mut self, work: Work<'_>) -> Step<Result<Option<Reply>, EngineError>> {
        let timeout = self.session.shared.settings.read().each_statement().statement_timeout;
        let (session, backend, stream) = (&mut self.session, &self.backend, self.wire.get_ref());
        let stopping = &mut self.stopping;
        let run = async {
            match work {
                // Boxed: the short path's future is small, and moved about.
                Work::Statement(statement, parameters) => Box::pin(session.run(statement, parameters)).await.map(Some),
                Work::Point(text) => session.run_point(text).await,
                Work::PreparedPoint(prepared, parameters) => session.run_prepared_point(prepared, parameters).await,
            }
        };
        tokio::select! {
            biased;
            result = run => Ok(result),
            interruption = interrupted(backend, Some(stream), stopping, timeout) => interruption.map(Err),
        }
    }

    /// Sends a single row, or none. Gives the statement's tag.
    async fn send_row(&mut self, row: Option<Vec<sql::Plain>>, formats: &[Format]) -> Step<&'static str> {
        let Some(row) = row else { return Ok("SELECT 0") };
        let (mut bytes, mut value) = (BytesMut::with_capacity(16 * row.len()), Vec::new());
        for (index, plain) in row.iter().enumerate() {
            value.clear();
            match plain.encode(&mut value, formats.get(index).copied().unwrap_or(Format::Text)) {
                true => {
                    bytes.put_i32(value.len() as i32);
                    bytes.put_slice(&value);
                }
                false => bytes.put_i32(-1),
            }
        }
        self.wire.feed(Message::DataRow(DataRow::new(bytes, row.len() as i16))).await?;
        Ok("SELECT 1")
    }

    /// Sends rows, up to `limit`. Gives the statement's tag when all were sent.
    async fn send_rows(
        &mut self,
        running: &mut Running,
        formats: &[Format],
        limit: Option<u64>,
    ) -> Step<Result<Option<String>, EngineError>> {
        let timeout = self.session.shared.settings.read().each_statement().statement_timeout;
        let columns = running.reply.columns.len();
        let mut bytes = BytesMut::new();
        let mut value = Vec::new();
        let mut sent_now = 0;
        loop {
            if running.batch.is_none() {
                let next = tokio::select! {
                    biased;
                    next = running.reply.batches.next() => next,
                    interruption = interrupted(&self.backend, Some(self.wire.get_ref()), &mut self.stopping, timeout) => {
                        return interruption.map(Err);
                    }
                };
                match next {
                    None => break,
                    Some(Ok(batch)) => running.batch = Some((batch, 0)),
                    Some(Err(error)) => return Ok(Err(sql::translate(error))),
                }
            }
            let (batch, row) = running.batch.as_mut().expect("it was just fetched");
            while *row < batch.num_rows() {
                if limit.is_some_and(|l| sent_now >= l) {
                    return Ok(Ok(None));
                }
                for (index, array) in batch.columns().iter().take(columns).enumerate() {
                    value.clear();
                    let format = formats.get(index).copied().unwrap_or(Format::Text);
                    match sql::encode_value(&mut value, array, *row, format) {
                        Ok(true) => {
                            bytes.put_i32(value.len() as i32);
                            bytes.put_slice(&value);
                        }
                        Ok(false) => bytes.put_i32(-1),
                        Err(error) => return Ok(Err(error)),
                    }
                }
                self.wire.feed(Message::DataRow(DataRow::new(bytes.split(), columns as i16))).await?;
                *row += 1;
                running.sent += 1;
                sent_now += 1;
            }
            running.batch = None;
        }
        let tag = if running.reply.counted {
            format!("{} {}", running.reply.tag, running.sent)
        } else {
            running.reply.tag.to_string()
        };
        Ok(Ok(Some(tag)))
    }

    /// Takes the rows of COPY FROM STDIN.
    async fn copy_in(&mut self, mut copy: sql::CopyIn) -> Step<Result<Option<String>, EngineError>> {
        let columns = copy.width();
        self.wire.send(Message::CopyInResponse(CopyInResponse::new(0, columns as i16, vec![0; columns]))).await?;
        let timeout = self.session.shared.settings.read().each_statement().statement_timeout;
        let started = Instant::now();
        let mut taken = 0u64;
        loop {
            taken += 1;
            // Rows come one a message: what has arrived is taken without asking what else might have happened.
            let arrived = if taken % UNWATCHED == 0 { None } else { self.wire.next().now_or_never() };
            let message = match arrived {
                Some(message) => message.ok_or(End::Closed)??,
                None => {
                    let left = timeout.saturating_sub(started.elapsed().as_millis() as u64).max(timeout.min(1));
                    tokio::select! {
                        biased;
                        interruption = interrupted(&self.backend, None, &mut self.stopping, left) => {
                            return interruption.map(Err);
                        }
                        message = self.wire.next() => message.ok_or(End::Closed)??,
                    }
                }
            };
            match message {
                Request::CopyData(data) => {
                    // What the client sends on after an error is dropped where messages are read.
                    if let Err(error) = copy.feed(&mut self.session, &data.data).await {
                        return Ok(Err(error));
                    }
                }
                Request::CopyDone(_) => {
                    return match copy.finish(&mut self.session).await {
                        Ok(rows) => Ok(Ok(Some(format!("COPY {rows}")))),
                        Err(error) => Ok(Err(error)),
                    };
                }
                Request::CopyFail(fail) => {
                    let message = format!("COPY from stdin failed: {}", fail.message);
                    return Ok(Err(EngineError::new("57014", message)));
                }
                Request::Flush(_) | Request::Sync(_) => {}
                _ => return Err(End::Fatal(EngineError::new("08P01", "unexpected message during COPY from stdin"))),
            }
        }
    }

    /// Sends the rows of COPY TO STDOUT.
    async fn copy_out(
        &mut self,
        mut reply: RowsReply,
        format: &sql::CopyFormat,
    ) -> Step<Result<Option<String>, EngineError>> {
        let columns = reply.columns.len();
        let response = CopyOutResponse::new(0, columns as i16, vec![0; columns]);
        self.wire.feed(Message::CopyOutResponse(response)).await?;
        let timeout = self.session.shared.settings.read().each_statement().statement_timeout;
        let mut line = Vec::new();
        if format.has_header() {
            format.put_row(&mut line, reply.columns.iter().map(|c| Some(c.name.as_bytes())));
            self.wire.feed(Message::CopyData(CopyData::new(line.clone().into()))).await?;
        }
        let (mut values, mut ends) = (Vec::new(), Vec::new());
        let mut rows = 0u64;
        loop {
            let next = tokio::select! {
                biased;
                next = reply.batches.next() => next,
                interruption = interrupted(&self.backend, Some(self.wire.get_ref()), &mut self.stopping, timeout) => {
                    return interruption.map(Err);
                }
            };
            let batch = match next {
                None => break,
                Some(Ok(batch)) => batch,
                Some(Err(error)) => return Ok(Err(sql::translate(error))),
            };
            for row in 0..batch.num_rows() {
                values.clear();
                ends.clear();
                for array in batch.columns().iter().take(columns) {
                    let start = values.len();
                    match sql::encode_value(&mut values, array, row, Format::Text) {
                        Ok(some) => ends.push(some.then_some(start..values.len())),
                        Err(error) => return Ok(Err(error)),
                    }
                }
                line.clear();
                format.put_row(&mut line, ends.iter().map(|range| range.clone().map(|r| &values[r])));
                self.wire.feed(Message::CopyData(CopyData::new(line.clone().into()))).await?;
                rows += 1;
            }
        }
        self.wire.feed(Message::CopyDone(CopyDone::new())).await?;
        Ok(Ok(Some(format!("COPY {rows}"))))
    }

    // The extended protocol.

    async fn extended(&mut self, message: Request) -> Step<Result<(), EngineError>> {
        match message {
            Request::Parse(parse) => self.parse(parse).await,
            Request::Bind(bind) => self.bind(bind).await,
            Request::Describe(describe) => self.describe(describe).await,
            Request::Execute(execute) => self.execute(execute).await,
            Request::Close(close) => {
                let name = close.name.unwrap_or_default();
                if close.target_type == b'S' {
                    if name.is_empty() {
                        self.unnamed = None;
                    } else {
                        self.session.named.remove(&name);
                    }
                } else {
                    self.portals.remove(&name);
                }
                self.wire.feed(Message::CloseComplete(CloseComplete::new())).await?;
                Ok(Ok(()))
            }
            other => Err(End::Fatal(EngineError::new("08P01", format!("unexpected message {other:?}")))),
        }
    }

    async fn parse(&mut self, parse: Parse) -> Step<Result<(), EngineError>> {
        self.begin_work(&parse.query);
        let name = parse.name.unwrap_or_default();
        if !name.is_empty()
            && let Err(error) = sql::may_add(&self.session.named, &name)
        {
            return Ok(Err(error));
        }
        let known = self.planned.get(&parse.query).filter(|p| p.parameters == parse.type_oids);
        if let Some(prepared) = known.and_then(|p| self.session.is_current(&p.stamp).then(|| p.prepared.clone())) {
            self.session.begin_implicit();
            self.keep(name, prepared);
            self.wire.feed(Message::ParseComplete(ParseComplete::new())).await?;
            return Ok(Ok(()));
        }
        let stamp = self.session.stamp();
        let mut statements = match sql::parse(&parse.query) {
            Ok(statements) => statements,
            Err(error) => return Ok(Err(error)),
        };
        if statements.len() > 1 {
            return Ok(Err(EngineError::new("42601", "cannot insert multiple commands into a prepared statement")));
        }
        match self.session.prepare(statements.pop(), &parse.type_oids).await {
            Err(error) => Ok(Err(error)),
            Ok(prepared) => {
                let prepared = Arc::new(prepared);
                if let Some(stamp) = stamp.filter(|_| parse.query.len() <= REMEMBERED_PLAN) {
                    if self.planned.len() >= REMEMBERED {
                        self.planned.clear();
                    }
                    let planned = Planned { parameters: parse.type_oids, stamp, prepared: prepared.clone() };
                    self.planned.insert(parse.query, planned);
                }
                self.keep(name, prepared);
                self.wire.feed(Message::ParseComplete(ParseComplete::new())).await?;
                Ok(Ok(()))
            }
        }
    }

    fn keep(&mut self, name: String, prepared: Arc<Prepared>) {
        if name.is_empty() {
            self.unnamed = Some(prepared);
        } else {
            self.session.named.insert(name, prepared);
        }
    }

    fn statement(&self, name: &str) -> Result<Arc<Prepared>, EngineError> {
        let found = if name.is_empty() { self.unnamed.as_ref() } else { self.session.named.get(name) };
        found.cloned().ok_or_else(|| {
            EngineError::new(
                "26000",
                if name.is_empty() {
                    "unnamed prepared statement does not exist".to_string()
                } else {
                    format!("prepared statement \"{name}\" does not exist")
                },
            )
        })
    }

    async fn bind(&mut self, bind: Bind) -> Step<Result<(), EngineError>> {
        match self.make_portal(&bind) {
            Err(error) => Ok(Err(error)),
            Ok(portal) => {
                self.portals.insert(bind.portal_name.unwrap_or_default(), portal);
                self.wire.feed(Message::BindComplete(BindComplete::new())).await?;
                Ok(Ok(()))
            }
        }
    }

    fn make_portal(&self, bind: &Bind) -> Result<Portal, EngineError> {
        let name = bind.statement_name.as_deref().unwrap_or_default();
        let prepared = self.statement(name)?;
        let (given, wanted) = (bind.parameters.len(), prepared.parameters.len());
        if given != wanted {
            return Err(EngineError::new(
                "08P01",
                format!(
                    "bind message supplies {given} parameters, but prepared statement \"{name}\" requires {wanted}"
                ),
            ));
        }
        let formats = formats(&bind.parameter_format_codes, wanted, "parameter")?;
        let mut parameters = Vec::with_capacity(wanted);
        for ((value, &oid), format) in bind.parameters.iter().zip(&prepared.parameters).zip(formats) {
            parameters.push(sql::decode_parameter(value.as_deref(), oid, format)?.map(|text| (text, oid)));
        }
        let columns = prepared.columns.as_ref().map_or(0, |columns| columns.len());
        let formats = formats_or_all(&bind.result_column_format_codes, columns)?;
        Ok(Portal { prepared, parameters, formats, running: None, finished: false })
    }

    async fn describe(&mut self, target: Describe) -> Step<Result<(), EngineError>> {
        let name = target.name.unwrap_or_default();
        let (prepared, formats) = if target.target_type == b'S' {
            match self.statement(&name) {
                Err(error) => return Ok(Err(error)),
                Ok(prepared) => (prepared, vec![]),
            }
        } else {
            match self.portals.get(&name) {
                None => return Ok(Err(EngineError::new("34000", format!("portal \"{name}\" does not exist")))),
                Some(portal) => (portal.prepared.clone(), portal.formats.clone()),
            }
        };
        if target.target_type == b'S' {
            let types = prepared.parameters.clone();
            self.wire.feed(Message::ParameterDescription(ParameterDescription::new(types))).await?;
        }
        match &prepared.columns {
            Some(columns) => self.wire.feed(Message::RowDescription(describe(columns, &formats))).await?,
            None => self.wire.feed(Message::NoData(NoData::new())).await?,
        }
        Ok(Ok(()))
    }

    async fn execute(&mut self, execute: Execute) -> Step<Result<(), EngineError>> {
        let name = execute.name.unwrap_or_default();
        let Some(mut portal) = self.portals.remove(&name) else {
            return Ok(Err(EngineError::new("34000", format!("portal \"{name}\" does not exist"))));
        };
        let outcome = self.execute_portal(&mut portal, execute.max_rows).await?;
        if outcome.is_ok() {
            self.portals.insert(name, portal);
        }
        Ok(outcome)
    }

    async fn execute_portal(&mut self, portal: &mut Portal, max_rows: i32) -> Step<Result<(), EngineError>> {
        let Some(statement) = portal.prepared.statement.clone() else {
            self.wire.feed(Message::EmptyQueryResponse(EmptyQueryResponse::new())).await?;
            return Ok(Ok(()));
        };
        if portal.finished {
            return Ok(Err(EngineError::new("55000", "portal cannot be run")));
        }
        if portal.running.is_none() {
            self.begin_work(&statement.text);
            self.session.begin_implicit();
            let parameters = &portal.parameters;
            let short = match self.interruptible(Work::PreparedPoint(&portal.prepared, parameters)).await? {
                Ok(None) => self.interruptible(Work::Statement(&statement, parameters)).await?,
                other => other,
            };
            let reply = match short {
                Ok(reply) => reply.expect("a statement answers"),
                Err(error) => return Ok(Err(error)),
            };
            self.send_notices().await?;
            match reply {
                Reply::Rows(reply) => portal.running = Some(Running { reply, batch: None, sent: 0 }),
                Reply::Done { tag } => {
                    portal.finished = true;
                    self.complete(&tag).await?;
                    return Ok(Ok(()));
                }
                Reply::Row(_, row) => {
                    portal.finished = true;
                    let tag = self.send_row(row, &portal.formats).await?;
                    self.complete(tag).await?;
                    return Ok(Ok(()));
                }
                Reply::Empty => return Ok(Ok(())),
                Reply::CopyIn(copy) => {
                    portal.finished = true;
                    let copied = self.copy_in(*copy).await?;
                    return self.tell(copied).await;
                }
                Reply::CopyOut(reply, format) => {
                    portal.finished = true;
                    let copied = self.copy_out(reply, &format).await?;
                    return self.tell(copied).await;
                }
            }
        }
        let running = portal.running.as_mut().expect("it was just started");
        // Zero and less mean all rows.
        let limit = u64::try_from(max_rows).ok().filter(|&n| n > 0);
        let formats = portal.formats.clone();
        match self.send_rows(running, &formats, limit).await? {
            Err(error) => return Ok(Err(error)),
            Ok(Some(tag)) => {
                portal.running = None;
                portal.finished = true;
                self.complete(&tag).await?;
            }
            Ok(None) => self.wire.feed(Message::PortalSuspended(PortalSuspended::new())).await?,
        }
        Ok(Ok(()))
    }
}

/// Resolves when a session that waits for its client is to stop, or to forget a cancel request.
async fn called_off(backend: Arc<Backend>, mut stopping: watch::Receiver<bool>) {
    tokio::select! {
        () = backend.cancelled() => {}
        _ = stopping.wait_for(|stop| *stop) => {}
    }
}

/// Resolves when the running statement is to end before it is done. `stream` is watched for the client's going away, by
/// whoever does not read it anyway.
async fn interrupted(
    backend: &Backend,
    stream: Option<&Stream>,
    stopping: &mut watch::Receiver<bool>,
    timeout: u64,
) -> Step<EngineError> {
    let gone = async {
        match stream {
            Some(stream) => stream.closed().await,
            None => std::future::pending().await,
        }
    };
    let late = async {
        if timeout == 0 {
            std::future::pending::<()>().await;
        }
        tokio::time::sleep(Duration::from_millis(timeout)).await;
    };
    tokio::select! {
        () = backend.cancelled() => {
            if backend.is_terminated() {
                return Err(End::Fatal(EngineError::new("57P01", "terminating connection due to administrator command")));
            }
            Ok(EngineError::new("57014", "canceling statement due to user request"))
        }
        () = gone => Err(End::Closed),
        () = late => Ok(EngineError::new("57014", "canceling statement due to statement timeout")),
        _ = stopping.wait_for(|stop| *stop) => {
            Err(End::Fatal(EngineError::new("57P01", "terminating connection due to administrator command")))
        }
    }
}

fn describe(columns: &[Column], formats: &[Format]) -> RowDescription {
    let fields = columns.iter().enumerate().map(|(index, c)| {
        let binary = formats.get(index) == Some(&Format::Binary);
        let name = c.name.replace('\0', "");
        FieldDescription::new(name, 0, 0, c.oid, c.len, c.typmod, i16::from(binary))
    });
    RowDescription::new(fields.collect())
}

fn format_code(code: i16) -> Result<Format, EngineError> {
    match code {
        0 => Ok(Format::Text),
        1 => Ok(Format::Binary),
        other => Err(EngineError::new("22023", format!("unsupported format code: {other}"))),
    }
}

fn formats(codes: &[i16], count: usize, what: &str) -> Result<Vec<Format>, EngineError> {
    match codes {
        [] => Ok(vec![Format::Text; count]),
        [code] => Ok(vec![format_code(*code)?; count]),
        codes if codes.len() == count => codes.iter().map(|c| format_code(*c)).collect(),
        codes => {
            let mut message = String::new();
            let _ = write!(message, "bind message has {} {what} formats but {count} {what}s", codes.len());
            Err(EngineError::new("08P01", message))
        }
    }
}

fn formats_or_all(codes: &[i16], columns: usize) -> Result<Vec<Format>, EngineError> {
    // A statement without rows may be bound with a format for them.
    if columns == 0 { Ok(vec![]) } else { formats(codes, columns, "result") }
}
