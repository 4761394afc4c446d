//! The extended protocol: Parse, Bind, Describe, Execute, Close.

use std::pin::pin;
use std::sync::Arc;
use std::time::SystemTime;

use engine::EngineError;
use error::sqlstate;
use futures::SinkExt;
use pgwire::messages::PgWireBackendMessage as Message;
use pgwire::messages::data::{NoData, ParameterDescription};
use pgwire::messages::extendedquery::{BindComplete, CloseComplete, ParseComplete, PortalSuspended};
use pgwire::messages::response::EmptyQueryResponse;
use session::{BoundQuery, Column, Parameter, ParsedStatement, Prepared, Reply, missing_portal};

use super::{Connection, LONG_TEXT, Running, Step, describe, format_code};
use crate::frontend::{self, Bind, BoundValues, Object, Parse, Request};

/// Statements a connection remembers planned, and how long they may be.
const REMEMBERED: usize = 64;
const REMEMBERED_TEXT: usize = 4096;

/// Rows of a cursor that are fetched at once.
const CURSOR_ROWS: u64 = 8192;

/// A statement that was prepared before, to be used again when its text comes again.
pub(super) struct Planned {
    /// As the client declared them.
    parameters: Vec<u32>,
    prepared: Arc<Prepared>,
}

/// A bound statement, and its rows if it was executed in part.
pub(super) struct Bound {
    prepared: Arc<Prepared>,
    parameters: Vec<Parameter>,
    /// Codes of the columns' formats. One that there is not is no error before a value is to be sent in it.
    formats: Vec<i16>,
    /// As they are where it was bound; `None`: it gives no rows.
    columns: Option<Arc<[Column]>>,
    state: State,
    /// [`session::Session::place`] where it was bound.
    pub(super) place: u64,
}

enum State {
    /// `None`: a command, or nothing.
    Bound(Option<BoundQuery>),
    Running(Running),
    /// The session has it among its cursors.
    Cursor,
    /// It ended; a query answers this tag if it is executed again.
    Ended(Option<String>),
}

impl Bound {
    /// It cannot be run any more.
    pub(super) fn fail(&mut self) {
        self.state = State::Ended(None);
    }
}

type Outcome<T = ()> = Result<T, EngineError>;

impl Connection<'_> {
    /// Does what a message asks for. After an error the caller leaves out everything up to the next Sync.
    pub(super) async fn extended(&mut self, request: Request<'_>) -> Step<Outcome> {
        match request {
            Request::Parse(parse) => pin!(self.parse(parse)).await,
            Request::Bind(bind) => pin!(self.bind(bind)).await,
            Request::Describe(Object::Statement(name)) => pin!(self.describe_statement(&name)).await,
            Request::Describe(Object::Portal(name)) => pin!(self.describe_portal(&name)).await,
            Request::Execute { portal, max_rows } => pin!(self.execute(&portal, max_rows)).await,
            Request::Close(object) => {
                match object {
                    Object::Statement(name) if name.is_empty() => self.unnamed = None,
                    Object::Statement(name) => drop(self.session.prepared.remove(&name)),
                    Object::Portal(name) => {
                        self.portals.remove(&*name);
                        self.session.close_portal(&name);
                    }
                }
                self.wire.feed(Message::CloseComplete(CloseComplete::new())).await?;
                Ok(Ok(()))
            }
            other => unreachable!("{other:?} is no message of the extended protocol"),
        }
    }

    async fn parse(&mut self, parse: Parse<'_>) -> Step<Outcome> {
        self.begin_work(&parse.query);
        if parse.query.len() > LONG_TEXT {
            aio::announce_long_work().await;
        }
        let prepared = match self.prepare(&parse).await? {
            Ok(prepared) => prepared,
            Err(error) => return Ok(Err(error)),
        };
        if parse.name.is_empty() {
            self.unnamed = Some(prepared);
        } else {
            if let Err(error) = self.session.prepared.may_add(&parse.name) {
                return Ok(Err(error));
            }
            self.session.prepared.insert(parse.name.to_string(), prepared);
        }
        self.send_notices().await?;
        self.wire.feed(Message::ParseComplete(ParseComplete::new())).await?;
        Ok(Ok(()))
    }

    async fn prepare(&mut self, parse: &Parse<'_>) -> Step<Outcome<Arc<Prepared>>> {
        let statement = match self.known(parse) {
            Ok(Some(prepared)) => return Ok(Ok(prepared)),
            Ok(None) => self.parse_one(&parse.query),
            Err(error) => return Ok(Err(error)),
        };
        let statement = match statement {
            Ok(statement) => statement,
            Err(error) => return Ok(Err(error)),
        };
        let prepare = Box::pin(self.session.prepare(statement, &parse.types, false));
        let prepared = match self.interrupts.watch(self.wire, prepare).await? {
            Ok(prepared) => Arc::new(prepared),
            Err(error) => return Ok(Err(error)),
        };
        if parse.query.len() <= REMEMBERED_TEXT && !prepared.is_momentary {
            if self.planned.len() >= REMEMBERED {
                self.planned.clear();
            }
            let planned = Planned { parameters: parse.types.clone(), prepared: prepared.clone() };
            self.planned.insert(parse.query.to_string(), planned);
        }
        Ok(Ok(prepared))
    }

    /// A statement that was prepared before, and would be understood alike now.
    fn known(&mut self, parse: &Parse<'_>) -> Outcome<Option<Arc<Prepared>>> {
        let known = self.planned.get(&*parse.query).filter(|p| p.parameters == parse.types);
        let known = known.map(|planned| planned.prepared.clone());
        let Some(prepared) = known.filter(|prepared| self.session.is_alike(prepared)) else { return Ok(None) };
        if let Some(statement) = &prepared.statement {
            self.session.tell_again(statement);
        }
        self.session.require_live(prepared.node())?;
        self.session.begin_implicit();
        Ok(Some(prepared))
    }

    fn parse_one(&self, text: &str) -> Outcome<Option<Arc<ParsedStatement>>> {
        let mut statements = self.session.parse(text)?;
        if statements.len() > 1 {
            return Err(EngineError::new(
                sqlstate::SYNTAX_ERROR,
                "cannot insert multiple commands into a prepared statement",
            ));
        }
        let statement = statements.pop();
        self.session.require_live(statement.as_deref().map(ParsedStatement::node))?;
        Ok(statement)
    }

    fn statement(&self, name: &str) -> Outcome<Arc<Prepared>> {
        let found = if name.is_empty() { self.unnamed.clone() } else { self.session.prepared.get(name) };
        found.ok_or_else(|| {
            EngineError::new(
                sqlstate::UNDEFINED_PSTATEMENT,
                if name.is_empty() {
                    "unnamed prepared statement does not exist".to_string()
                } else {
                    format!("prepared statement \"{name}\" does not exist")
                },
            )
        })
    }

    async fn bind(&mut self, bind: Bind<'_>) -> Step<Outcome> {
        let (prepared, values) = match self.bindable(&bind) {
            Ok(bindable) => bindable,
            Err(error) => return Ok(Err(error)),
        };
        self.start_command(prepared.statement.as_ref().map_or("", |statement| &statement.text));
        if let Err(error) = self.session.revalidate(&prepared).await {
            return Ok(Err(error));
        }
        let mut portal = match self.make_portal(&bind.portal, &values, prepared) {
            Ok(portal) => portal,
            Err(error) => return Ok(Err(error)),
        };
        portal.state = match self.start_portal(&bind.portal, &mut portal).await? {
            Ok(state) => state,
            Err(error) => return Ok(Err(error)),
        };
        self.portals.insert(bind.portal.to_string(), portal);
        self.wire.feed(Message::BindComplete(BindComplete::new())).await?;
        Ok(Ok(()))
    }

    /// Plans what was bound (`PortalStart`).
    async fn start_portal(&mut self, name: &str, portal: &mut Bound) -> Step<Outcome<State>> {
        if !name.is_empty() {
            let open = Box::pin(self.session.open_portal(name, &portal.prepared, &portal.parameters));
            match self.interrupts.watch(self.wire, open).await? {
                Ok(true) => return Ok(Ok(State::Cursor)),
                Ok(false) => {}
                Err(error) => return Ok(Err(error)),
            }
        }
        let Some(statement) = portal.prepared.statement.clone() else { return Ok(Ok(State::Bound(None))) };
        let bind = Box::pin(self.session.bind(&statement, &mut portal.parameters));
        Ok(self.interrupts.watch(self.wire, bind).await?.map(State::Bound))
    }

    /// A message about a statement of this text came, which begins a transaction if there is none (`start_xact_command`).
    fn start_command(&mut self, query: &str) {
        self.begin_work(query);
        self.session.begin_implicit();
    }

    /// The same for Describe. Others are not shown that the session works on it.
    fn start_describe(&mut self) {
        self.begin_statement();
        self.session.received(SystemTime::now());
        self.session.begin_implicit();
    }

    /// The statement and what is bound to it, if that can be.
    fn bindable<'a>(&self, bind: &Bind<'a>) -> Outcome<(Arc<Prepared>, BoundValues<'a>)> {
        let name = &*bind.statement;
        let prepared = self.statement(name)?;
        let values = bind.values(self.wire.codec().encoding)?;
        let (given, wanted) = (values.parameters.len(), prepared.parameters.len());
        if given != wanted && formats(&values.formats, given).is_some() {
            return Err(EngineError::new(
                sqlstate::PROTOCOL_VIOLATION,
                format!(
                    "bind message supplies {given} parameters, but prepared statement \"{name}\" requires {wanted}"
                ),
            ));
        }
        self.session.require_live(prepared.node())?;
        if self
            .portals
            .get(&*bind.portal)
            .is_some_and(|portal| !bind.portal.is_empty() && self.is_open(&bind.portal, portal))
        {
            return Err(EngineError::new(
                sqlstate::DUPLICATE_CURSOR,
                format!("cursor \"{}\" already exists", bind.portal),
            ));
        }
        Ok((prepared, values))
    }

    fn make_portal(&mut self, name: &str, values: &BoundValues<'_>, prepared: Arc<Prepared>) -> Outcome<Box<Bound>> {
        let given = values.parameters.len();
        let codes = formats(&values.formats, given)
            .ok_or_else(|| mismatch(values.formats.len(), &format!("parameter formats but {given} parameters")))?;
        let encoding = self.wire.codec().encoding;
        let mut parameters = Vec::with_capacity(given);
        if given > 0 {
            let text = prepared.statement.as_ref().map_or_else(|| "".into(), |statement| statement.text.clone());
            let input = self.session.parameter_input(&text, encoding, "bind parameter");
            for (index, (value, code)) in values.parameters.iter().zip(codes).enumerate() {
                let (number, ty) = (index + 1, prepared.parameters[index]);
                let parameter = format_code(code).and_then(|format| input.read(number, ty, format, *value));
                parameters.push(parameter.map_err(|error| {
                    // The value itself is not shown, as by PostgreSQL's default; what is no text has none.
                    let shown = match value {
                        _ if code != 0 || error.code == sqlstate::CHARACTER_NOT_IN_REPERTOIRE => "",
                        Some([]) => " = ''",
                        _ => " = '...'",
                    };
                    let about = frontend::about_parameter(name, number);
                    error.context(format!("{about}{shown}"))
                })?);
            }
        }
        let columns = self.session.bound_columns(&prepared)?;
        // A statement without rows may be bound with formats for them.
        let formats = match columns.as_ref().map_or(0, |columns| columns.len()) {
            0 => vec![],
            columns => formats(&values.result_formats, columns).ok_or_else(|| {
                mismatch(values.result_formats.len(), &format!("result formats but query has {columns} columns"))
            })?,
        };
        let place = self.session.place();
        Ok(Box::new(Bound { prepared, parameters, formats, columns, state: State::Bound(None), place }))
    }

    async fn describe_statement(&mut self, name: &str) -> Step<Outcome> {
        self.start_describe();
        let prepared = match self.statement(name).and_then(|prepared| self.describable(prepared)) {
            Ok(prepared) => prepared,
            Err(error) => return Ok(Err(error)),
        };
        let types = prepared.parameters.clone();
        self.wire.feed(Message::ParameterDescription(ParameterDescription::new(types))).await?;
        if let Err(error) = self.session.revalidate(&prepared).await {
            return Ok(Err(error));
        }
        let columns = prepared.columns.clone();
        self.describe_rows(columns.as_deref(), &[]).await
    }

    async fn describe_portal(&mut self, name: &str) -> Step<Outcome> {
        self.start_describe();
        let Some(portal) = self.portals.get(name).filter(|portal| self.is_open(name, portal)) else {
            return self.describe_cursor(name).await;
        };
        let (formats, columns) = (portal.formats.clone(), portal.columns.clone());
        match self.describable(portal.prepared.clone()) {
            Ok(_) => self.describe_rows(columns.as_deref(), &formats).await,
            Err(error) => Ok(Err(error)),
        }
    }

    /// A cursor that DECLARE made.
    async fn describe_cursor(&mut self, name: &str) -> Step<Outcome> {
        let (columns, formats) = match self.declared(name) {
            Ok(declared) => declared,
            Err(error) => return Ok(Err(error)),
        };
        if let Err(error) = self.check_names(&columns) {
            return Ok(Err(error));
        }
        self.wire.feed(Message::RowDescription(describe(&columns, &formats))).await?;
        Ok(Ok(()))
    }

    /// The columns of a cursor that DECLARE made, and their formats.
    fn declared(&self, name: &str) -> Outcome<(Arc<[Column]>, Vec<i16>)> {
        let columns = self.session.describe_portal(name).ok_or_else(|| missing_portal(name))?;
        self.session.require_live_transaction()?;
        // BINARY is for FETCH alone.
        let formats = vec![0; columns.len()];
        Ok((columns, formats))
    }

    /// CLOSE ends portals too.
    fn is_open(&self, name: &str, portal: &Bound) -> bool {
        !matches!(portal.state, State::Cursor) || self.session.has_portal(name)
    }

    /// In a failed transaction, what returns rows cannot be described.
    fn describable(&self, prepared: Arc<Prepared>) -> Outcome<Arc<Prepared>> {
        if prepared.columns.is_some() {
            self.session.require_live(prepared.node())?;
        }
        Ok(prepared)
    }

    async fn describe_rows(&mut self, columns: Option<&[Column]>, formats: &[i16]) -> Step<Outcome> {
        if let Some(columns) = columns
            && let Err(error) = self.check_names(columns)
        {
            return Ok(Err(error));
        }
        match columns {
            Some(columns) => self.wire.feed(Message::RowDescription(describe(columns, formats))).await?,
            None => self.wire.feed(Message::NoData(NoData::new())).await?,
        }
        Ok(Ok(()))
    }

    async fn execute(&mut self, name: &str, max_rows: i32) -> Step<Outcome> {
        let found = self.portals.remove_entry(name).filter(|(_, portal)| self.is_open(name, portal));
        let Some((key, mut portal)) = found else {
            return match self.declared(name) {
                Ok((columns, formats)) => {
                    self.start_command(&self.session.portal_text(name).unwrap_or_default());
                    self.execute_cursor(name, &columns, &formats, max_rows).await
                }
                Err(error) => Ok(Err(error)),
            };
        };
        let mut outcome = self.session.require_live(portal.prepared.node());
        if outcome.is_ok() {
            outcome = self.execute_portal(name, &mut portal, max_rows).await?;
            // A cursor knows by itself.
            if outcome.is_err() && !matches!(portal.state, State::Cursor) {
                portal.fail();
            }
        }
        self.portals.insert(key, portal);
        self.drop_undone_portals();
        Ok(outcome)
    }

    async fn execute_portal(&mut self, name: &str, portal: &mut Bound, max_rows: i32) -> Step<Outcome> {
        let Some(statement) = portal.prepared.statement.clone() else {
            self.wire.feed(Message::EmptyQueryResponse(EmptyQueryResponse::new())).await?;
            return Ok(Ok(()));
        };
        self.start_command(&statement.text);
        match &mut portal.state {
            State::Bound(bound) => {
                let wanted = limit(max_rows).map(|rows| rows as usize);
                let reply = match self.run_portal(bound.take(), &statement, &portal.parameters, wanted).await? {
                    Ok(reply) => reply,
                    Err(error) => return Ok(Err(error)),
                };
                self.follow_settings();
                self.send_notices().await?;
                portal.state = match self.begin_answer(reply, portal.columns.as_ref()).await? {
                    Ok(state) => state,
                    Err(error) => return Ok(Err(error)),
                };
            }
            State::Running(_) => {}
            State::Cursor => {
                let columns = portal.columns.clone().unwrap_or_default();
                return self.execute_cursor(name, &columns, &portal.formats, max_rows).await;
            }
            State::Ended(Some(tag)) => {
                let tag = tag.clone();
                return self.end_execute(Some(&tag)).await;
            }
            State::Ended(None) => {
                return Ok(Err(EngineError::new(
                    sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE,
                    format!("portal \"{name}\" cannot be run"),
                )));
            }
        }
        let State::Running(running) = &mut portal.state else { return Ok(Ok(())) };
        match self.send_rows(running, &portal.formats, limit(max_rows)).await? {
            Err(error) => Ok(Err(error)),
            Ok(tag) => {
                if tag.is_some() {
                    portal.state = State::Ended(Some(running.tag(0)));
                }
                self.end_execute(tag.as_deref()).await
            }
        }
    }

    /// Begins to run a statement.
    async fn run_portal(
        &mut self,
        bound: Option<BoundQuery>,
        statement: &ParsedStatement,
        parameters: &[Parameter],
        wanted: Option<usize>,
    ) -> Step<Outcome<Reply>> {
        match bound {
            Some(bound) => {
                let run = Box::pin(self.session.run_bound(bound, statement, parameters, wanted));
                self.interrupts.watch(self.wire, run).await
            }
            None => {
                let run = Box::pin(self.session.run_prepared(statement, parameters, wanted));
                self.interrupts.watch(self.wire, run).await
            }
        }
    }

    /// Tells the client that an Execute is done: of a statement's end by its tag, or else that there may be more rows.
    async fn end_execute(&mut self, tag: Option<&str>) -> Step<Outcome> {
        if let Err(error) = self.session.end_execute().await {
            return Ok(Err(error));
        }
        match tag {
            Some(tag) => self.complete(tag).await?,
            // Its time goes on, up to Sync.
            None => {
                self.wire.feed(Message::PortalSuspended(PortalSuspended::new())).await?;
            }
        }
        Ok(Ok(()))
    }

    /// Sends rows of a cursor, in pieces: as many as there are may be more than memory has room for.
    async fn execute_cursor(
        &mut self,
        name: &str,
        columns: &Arc<[Column]>,
        formats: &[i16],
        max_rows: i32,
    ) -> Step<Outcome> {
        let limit = limit(max_rows).unwrap_or(u64::MAX);
        let mut sent = 0;
        while sent < limit {
            let wanted = (limit - sent).min(CURSOR_ROWS);
            let fetch = Box::pin(self.session.execute_portal(name, wanted));
            let portal = match self.interrupts.watch(self.wire, fetch).await? {
                Ok(portal) => portal,
                Err(error) => return Ok(Err(error)),
            };
            let fetched = portal.rows_ready();
            let mut running = Running { columns: columns.clone(), ..Running::new(Box::new(portal)) };
            if let Err(error) = self.send_rows(&mut running, formats, None).await? {
                return Ok(Err(error));
            }
            sent += fetched;
            if fetched < wanted {
                self.send_notices().await?;
                return self.end_execute(Some(&format!("SELECT {sent}"))).await;
            }
        }
        self.send_notices().await?;
        self.end_execute(None).await
    }

    /// Sends a statement's answer, unless it is rows that may be asked for in pieces. They are sent as the client was told
    /// that they are.
    async fn begin_answer(&mut self, reply: Reply, described: Option<&Arc<[Column]>>) -> Step<Outcome<State>> {
        let done = match reply {
            Reply::Rows(portal) => {
                let Some(described) = described.filter(|columns| portal.gives(Some(columns))) else {
                    return Ok(Err(session::changed_result_type()));
                };
                let running = Running { columns: described.clone(), ..Running::new(portal) };
                return Ok(Ok(State::Running(running)));
            }
            Reply::Done { tag } => Ok(Some(tag)),
            Reply::CopyIn(copy) => Box::pin(self.copy_in(copy)).await?,
            Reply::CopyOut(copy) => Box::pin(self.copy_out(copy)).await?,
        };
        match done {
            Ok(tag) => Ok(self.end_execute(tag.as_deref()).await?.map(|()| State::Ended(None))),
            Err(error) => Ok(Err(error)),
        }
    }
}

/// Zero and less mean all rows.
fn limit(max_rows: i32) -> Option<u64> {
    u64::try_from(max_rows).ok().filter(|&rows| rows > 0)
}

/// A format for each of `count` values: none means text, one holds for all. `None`: as many as fit neither.
fn formats(codes: &[i16], count: usize) -> Option<Vec<i16>> {
    match codes {
        [] => Some(vec![0; count]),
        [code] => Some(vec![*code; count]),
        codes => (codes.len() == count).then(|| codes.to_vec()),
    }
}

fn mismatch(given: usize, what: &str) -> EngineError {
    EngineError::new(sqlstate::PROTOCOL_VIOLATION, format!("bind message has {given} {what}"))
}
