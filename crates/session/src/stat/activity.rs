//! Who is connected or at work, and doing what: `pg_stat_activity`, and functions about one of these sessions.

use std::net::SocketAddr;

use aio::BackendKind;
use engine::{ActivityView, Certificate};
use types::inet::Inet;
use types::numeric::Numeric;
use types::{Datum, Result};

use super::{Answer, AnswerRows, Row, Server, int_argument, optional_time, row};

pub const ROWS: &[(&str, AnswerRows)] =
    &[("pg_stat_get_activity", get_activity), ("pg_stat_get_backend_idset", backend_ids)];

pub const ANSWERS: &[(&str, Answer)] = &[
    ("pg_stat_get_backend_pid", |server, arguments| Ok(of(server, arguments).map(|view| view.pid).into())),
    ("pg_stat_get_backend_dbid", |server, arguments| Ok(of(server, arguments).map(|view| database(&view)).into())),
    ("pg_stat_get_backend_userid", |server, arguments| {
        Ok(of(server, arguments).map(|view| user(server, &view).unwrap_or(0)).into())
    }),
    ("pg_stat_get_backend_activity", |server, arguments| {
        Ok(told(server, arguments, |view| view.state.map(|state| state.query).filter(|query| !query.is_empty())))
    }),
    ("pg_stat_get_backend_wait_event_type", |server, arguments| {
        Ok(told(server, arguments, |view| view.wait_event_type.map(str::to_string)))
    }),
    ("pg_stat_get_backend_wait_event", |server, arguments| {
        Ok(told(server, arguments, |view| view.wait_event.map(str::to_string)))
    }),
    ("pg_stat_get_backend_activity_start", |server, arguments| {
        Ok(optional_time(visible(server, arguments).and_then(|view| view.state?.query_start)))
    }),
    ("pg_stat_get_backend_xact_start", |server, arguments| {
        Ok(optional_time(visible(server, arguments).and_then(|view| view.state?.transaction_start)))
    }),
    ("pg_stat_get_backend_start", |server, arguments| {
        Ok(optional_time(visible(server, arguments).and_then(|view| view.started)))
    }),
    ("pg_stat_get_backend_client_addr", |server, arguments| {
        Ok(visible(server, arguments).map_or(Datum::Null, |view| address(&view)))
    }),
    ("pg_stat_get_backend_client_port", |server, arguments| {
        Ok(visible(server, arguments).map_or(Datum::Null, |view| port(&view)))
    }),
    (
        "inet_client_addr",
        |server, _| Ok(client(server).map_or(Datum::Null, |address| Inet::from(address.ip()).datum())),
    ),
    ("inet_client_port", |server, _| Ok(client(server).map(|address| i32::from(address.port())).into())),
];

/// Where the session's own client is.
fn client(server: &Server<'_>) -> Option<SocketAddr> {
    server.backend.client.as_ref()?.address
}

fn list(server: &Server<'_>) -> Vec<ActivityView> {
    server.db.activity().list()
}

/// Sessions are numbered by their process ids.
fn backend_ids(server: &Server<'_>, _: &[Datum]) -> Result<Vec<Row>> {
    Ok(list(server).into_iter().map(|view| row![view.pid]).collect())
}

/// The session of a number.
fn of(server: &Server<'_>, arguments: &[Datum]) -> Option<ActivityView> {
    let number = int_argument(arguments);
    list(server).into_iter().find(|view| Some(view.pid) == number)
}

/// The same, if the one who asks may see what it does.
fn visible(server: &Server<'_>, arguments: &[Datum]) -> Option<ActivityView> {
    of(server, arguments).filter(|view| server.may_see(view.user.as_deref()))
}

/// A text of a session, or why there is none.
fn told(server: &Server<'_>, arguments: &[Datum], text: impl Fn(ActivityView) -> Option<String>) -> Datum {
    match of(server, arguments) {
        None => "<backend information not available>".into(),
        Some(view) if !server.may_see(view.user.as_deref()) => "<insufficient privilege>".into(),
        Some(view) => text(view).into(),
    }
}

fn xid(xid: Option<u64>) -> Datum {
    xid.map(|xid| xid as u32).into()
}

fn database(view: &ActivityView) -> u32 {
    view.database.as_ref().map_or(0, |(oid, _)| *oid)
}

fn user(server: &Server<'_>, view: &ActivityView) -> Option<u32> {
    Some(server.catalog.role(view.user.as_ref()?)?.oid)
}

fn address(view: &ActivityView) -> Datum {
    let address = view.client.as_ref().and_then(|client| client.address);
    address.map_or(Datum::Null, |address| Inet::from(address.ip()).datum())
}

/// -1 over a Unix-domain socket.
fn port(view: &ActivityView) -> Datum {
    view.client.as_ref().map(|client| client.address.map_or(-1, |address| i32::from(address.port()))).into()
}

/// All sessions, or the one of a process id.
fn get_activity(server: &Server<'_>, arguments: &[Datum]) -> Result<Vec<Row>> {
    let wanted = int_argument(arguments);
    let views = list(server).into_iter().filter(|view| wanted.is_none_or(|pid| view.pid == pid));
    Ok(views.map(|view| activity(server, view)).collect())
}

/// Columns that only those see who may.
const HIDDEN: usize = 10;

fn activity(server: &Server<'_>, view: ActivityView) -> Row {
    let transaction = server.backend_transaction(&view);
    let application = view.state.as_ref().map(|state| state.application_name.clone());
    let mut row = row![view.database.as_ref().map(|(oid, _)| *oid), view.pid, user(server, &view), application];
    if !server.may_see(view.user.as_deref()) {
        row.extend(row![None::<&str>, "<insufficient privilege>"]);
        row.extend(std::iter::repeat_n(Datum::Null, HIDDEN - 1));
        row.extend([transaction, xid(view.xmin)]);
        row.extend(std::iter::repeat_n(Datum::Null, 14));
        return row;
    }
    let state = view.state.as_ref();
    let reports = view.kind == BackendKind::Client || view.leader.is_some();
    row.extend(row![
        state.filter(|_| reports).map(|state| state.state),
        state.map_or("", |state| &state.query),
        view.wait_event_type,
        view.wait_event,
        optional_time(state.and_then(|state| state.transaction_start)),
        optional_time(state.and_then(|state| state.query_start)),
        optional_time(view.started),
        optional_time(state.filter(|_| reports).map(|state| state.state_change)),
        address(&view),
        None::<&str>,
        port(&view),
        transaction,
        xid(view.xmin),
        view.kind.name(),
    ]);
    row.extend(encryption(&view));
    // There is no GSSAPI.
    let identifier = state.and_then(|state| state.query_id);
    row.extend(row![false, None::<&str>, false, false, view.leader, identifier]);
    row
}

/// What `pg_stat_ssl` shows.
fn encryption(view: &ActivityView) -> Row {
    let tls = view.client.as_ref().and_then(|client| client.tls.as_deref());
    let certificate = tls.and_then(|tls| tls.certificate.as_ref());
    row![
        tls.is_some(),
        tls.map(|tls| tls.version),
        tls.map(|tls| tls.cipher.clone()),
        tls.map(|tls| i32::from(tls.bits)),
        certificate.map(|certificate| certificate.subject.clone()),
        certificate.and_then(serial),
        certificate.map(|certificate| certificate.issuer.clone()),
    ]
}

fn serial(certificate: &Certificate) -> Option<Datum> {
    let number: Numeric = types::numeric::text::parse(&certificate.serial).ok()?;
    Some(types::numeric::datum(&number))
}

impl Server<'_> {
    /// The id of a session's transaction, if it has one.
    fn backend_transaction(&self, view: &ActivityView) -> Datum {
        let owner = self.db.activity().get(view.pid).map(|backend| backend.owner());
        let id = owner.and_then(|owner| self.db.store().transactions.id_of(owner));
        xid(id)
    }
}
