//! From a connection to a session: the startup messages, who it is, whether there is room.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ::error::sqlstate;
use aio::BackendKind;
use auth::password::random;
use commands::Commands;
use config::{Settings, Source};
use engine::{Backend, Client, Database, EngineError};
use parking_lot::Mutex;
use pgwire::messages::PgWireBackendMessage as Message;
use pgwire::messages::response::{ErrorResponse, SslResponse};
use session::Session;
use subtle::ConstantTimeEq;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use crate::access_rules::{Access, AccessRules};
use crate::auth::{AuthFailed, ClientAuthentication};
use crate::auth_delay::AuthDelays;
use crate::descriptors::Division;
use crate::pending_connections::PendingConnections;
use crate::protocol_violations::ProtocolViolations;
use crate::report::info;
use crate::startup::{Packet, Refusal, Startup, send};
use crate::stream::Stream;
use crate::tls::Secured;

/// The first byte of a client that begins with TLS.
const TLS_HANDSHAKE: u8 = 0x16;

/// What all connections share.
pub struct Server {
    pub db: Database,
    access_rules: AccessRules,
    pending_connections: PendingConnections,
    auth_delays: AuthDelays,
    pub protocol_violations: ProtocolViolations,
    /// Clients that there are descriptors for.
    most: usize,
    clients: AtomicUsize,
    /// What cancel requests must know, by process number.
    keys: Mutex<HashMap<i32, Vec<u8>>>,
}

/// A client that may work.
pub struct Admitted {
    pub stream: Stream,
    pub backend: Arc<Backend>,
    pub session: Session,
    /// For its cancel requests.
    pub key: Vec<u8>,
    pub place: Place,
}

/// A place among `max_connections`, and the session's cancel key, while it lives.
pub struct Place {
    server: Arc<Server>,
    pid: Option<i32>,
}

impl Place {
    /// Takes one, unless the last ones are kept for superusers, or for a role that there is not here.
    fn take(server: &Arc<Server>, superuser: bool, settings: &Settings) -> Result<Place, EngineError> {
        let place = Place { server: server.clone(), pid: None };
        let taken = server.clients.fetch_add(1, Ordering::Relaxed) as i64;
        let limit = settings.integer("max_connections").min(server.most as i64);
        if taken >= limit {
            return Err(fatal(sqlstate::TOO_MANY_CONNECTIONS, "sorry, too many clients already"));
        }
        let for_superusers = limit - settings.integer("superuser_reserved_connections");
        if !superuser && taken >= for_superusers {
            let message = "remaining connection slots are reserved for roles with the SUPERUSER attribute";
            return Err(fatal(sqlstate::TOO_MANY_CONNECTIONS, message));
        }
        if !superuser && taken >= for_superusers - settings.integer("reserved_connections") {
            let message = "remaining connection slots are reserved for roles with privileges of the \
                           \"pg_use_reserved_connections\" role";
            return Err(fatal(sqlstate::TOO_MANY_CONNECTIONS, message));
        }
        Ok(place)
    }

    /// It is a session's now.
    fn keep(mut self, pid: i32, key: &[u8]) -> Place {
        self.pid = Some(pid);
        self.server.keys.lock().insert(pid, key.to_vec());
        self
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.server.clients.fetch_sub(1, Ordering::Relaxed);
        if let Some(pid) = self.pid {
            self.server.keys.lock().remove(&pid);
        }
    }
}

fn fatal(code: &'static str, message: impl Into<String>) -> EngineError {
    EngineError::new(code, message)
}

impl Server {
    /// `exposed`: other machines can reach it.
    pub fn new(db: Database, exposed: bool, division: &Division) -> Result<Server, EngineError> {
        let access_rules = AccessRules::open(&db, exposed)?;
        let (pending_connections, auth_delays, protocol_violations) =
            (PendingConnections::new(division.pending), AuthDelays::default(), ProtocolViolations::default());
        Ok(Server {
            db,
            access_rules,
            pending_connections,
            auth_delays,
            protocol_violations,
            most: division.sessions,
            clients: AtomicUsize::new(0),
            keys: Mutex::default(),
        })
    }

    /// Reads the files of the rules again if that was asked for.
    pub fn follow_reload(&self) {
        self.access_rules.access();
    }

    /// Lets a client in. `None`: it is not, and has been told why if it can be.
    pub async fn admit(
        self: &Arc<Server>,
        stream: Stream,
        address: Option<SocketAddr>,
        mut stopping: watch::Receiver<bool>,
    ) -> Option<Admitted> {
        let settings = self.db.settings();
        let pending = self.pending_connections.enter();
        let deadline = Instant::now() + Duration::from_secs(settings.integer("authentication_timeout") as u64);
        tokio::select! {
            biased;
            () = pending.sent_away() => None,
            _ = stopping.wait_for(|stop| *stop) => None,
            admitted = self.greet(stream, address, deadline) => admitted,
        }
    }

    async fn greet(
        self: &Arc<Server>,
        stream: Stream,
        address: Option<SocketAddr>,
        deadline: Instant,
    ) -> Option<Admitted> {
        let access = self.access_rules.access();
        let (mut stream, startup, secured) = timeout_at(deadline, self.hear(stream, address, &access)).await.ok()??;
        let identified = match timeout_at(deadline, self.identify(&access, &mut stream, &startup, address, &secured))
            .await
        {
            Ok(identified) => identified,
            Err(_) => Err(Refusal::Fatal(fatal(sqlstate::QUERY_CANCELED, "canceling authentication due to timeout"))),
        };
        let client = Client { address, tls: secured.map(|secured| secured.shown) };
        match identified.and_then(|()| Ok(self.session(&startup, client)?)) {
            Ok((backend, session, key, place)) => Some(Admitted { stream, backend, session, key, place }),
            Err(Refusal::Gone) => None,
            Err(Refusal::Fatal(error)) => {
                refuse(&mut stream, &error).await;
                None
            }
        }
    }

    /// Lets the client show who it is. A client that shows the wrong thing hears of it late.
    async fn identify(
        &self,
        access: &Access,
        stream: &mut Stream,
        startup: &Startup,
        address: Option<SocketAddr>,
        secured: &Option<Secured>,
    ) -> Result<(), Refusal> {
        let secured = secured.as_ref();
        let mut authentication = ClientAuthentication { db: &self.db, access, stream, startup, address, secured };
        let from = address.map(|address| address.ip());
        match authentication.authenticate().await {
            Ok(()) => {
                self.auth_delays.succeeded(from);
                Ok(())
            }
            Err(AuthFailed::Wrong(error)) => {
                tokio::time::sleep(self.auth_delays.failed(from)).await;
                Err(Refusal::Fatal(error))
            }
            Err(AuthFailed::Other(refusal)) => Err(refusal),
        }
    }

    /// The messages until the client has said who it is. `None`: it wanted something else, or is gone.
    async fn hear(
        &self,
        mut stream: Stream,
        address: Option<SocketAddr>,
        access: &Access,
    ) -> Option<(Stream, Startup, Option<Secured>)> {
        let mut secured = None;
        if let Stream::Tcp(tcp) = stream {
            let mut first = [0];
            tcp.peek(&mut first).await.ok()?;
            if first == [TLS_HANDSHAKE] {
                let (encrypted, how) = self.encrypt(tcp, address, access, true).await?;
                (stream, secured) = (encrypted, Some(how));
            } else {
                stream = Stream::Tcp(tcp);
            }
        }
        loop {
            let heard = match Packet::read(&mut stream).await {
                Ok(Packet::Ssl) => match stream {
                    Stream::Tcp(mut tcp) if access.tls.is_some() => {
                        tcp.write_all(b"S").await.ok()?;
                        let (encrypted, how) = self.encrypt(tcp, address, access, false).await?;
                        (stream, secured) = (encrypted, Some(how));
                        Ok(())
                    }
                    other => {
                        stream = other;
                        send(&mut stream, Message::SslResponse(SslResponse::Refuse)).await.map_err(Refusal::from)
                    }
                },
                Ok(Packet::Gss) => {
                    send(&mut stream, Message::SslResponse(SslResponse::Refuse)).await.map_err(Refusal::from)
                }
                Ok(Packet::Cancel { pid, key }) => {
                    self.cancel(pid, &key);
                    // Over TLS the client waits for a proper end.
                    let _ = stream.shutdown().await;
                    return None;
                }
                Ok(Packet::Startup(mut startup)) => match startup.negotiate(&mut stream).await {
                    Ok(()) => return Some((stream, startup, secured)),
                    Err(refusal) => Err(refusal),
                },
                Err(refusal) => Err(refusal),
            };
            match heard {
                Ok(()) => {}
                Err(Refusal::Gone) => return None,
                Err(Refusal::Fatal(error)) => {
                    refuse(&mut stream, &error).await;
                    return None;
                }
            }
        }
    }

    /// Begins TLS. `None`: it failed, which is logged.
    async fn encrypt(
        &self,
        tcp: TcpStream,
        address: Option<SocketAddr>,
        access: &Access,
        direct: bool,
    ) -> Option<(Stream, Secured)> {
        let encrypted = access.tls.as_ref()?.accept(tcp, direct).await;
        encrypted
            .inspect_err(|error| {
                self.protocol_violations.log(address, &format!("could not accept SSL connection: {error}"))
            })
            .ok()
    }

    fn cancel(&self, pid: i32, key: &[u8]) {
        let known = self.keys.lock().get(&pid).is_some_and(|own| own.as_slice().ct_eq(key).into());
        if let Some(backend) = self.db.activity().get(pid).filter(|_| known) {
            backend.request_cancel();
        }
    }

    /// The session of a client that is who it says.
    fn session(
        self: &Arc<Server>,
        startup: &Startup,
        client: Client,
    ) -> Result<(Arc<Backend>, Session, Vec<u8>, Place), EngineError> {
        let (user, database) = (&startup.user, &startup.database);
        let db = &self.db;
        let catalog = db.catalog();
        let Some(role) = catalog.role(user) else {
            return Err(fatal(
                sqlstate::INVALID_AUTHORIZATION_SPECIFICATION,
                format!("role \"{user}\" does not exist"),
            ));
        };
        if !role.rolcanlogin {
            return Err(fatal(
                sqlstate::INVALID_AUTHORIZATION_SPECIFICATION,
                format!("role \"{user}\" is not permitted to log in"),
            ));
        }
        let mut settings = db.settings();
        let place = Place::take(self, role.rolsuper, &settings)?;
        let Some(definition) = catalog.database(database) else {
            return Err(fatal(sqlstate::UNDEFINED_DATABASE, format!("database \"{database}\" does not exist")));
        };
        if !definition.datallowconn {
            return Err(fatal(
                sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE,
                format!("database \"{database}\" is not currently accepting connections"),
            ));
        }
        if !session::identity::may_connect(definition, role.oid) {
            let message = format!("permission denied for database \"{database}\"");
            return Err(
                fatal(sqlstate::INSUFFICIENT_PRIVILEGE, message).detail("User does not have CONNECT privilege.")
            );
        }
        let superuser = role.rolsuper;
        // Neither is local to a transaction, whose end would put it back.
        settings.set("is_superuser", if superuser { "on" } else { "off" }, Source::Client)?;
        commands::apply_role_settings(&catalog, definition.oid, user, &mut settings);
        let mut initial: Vec<(String, String)> = Vec::new();
        for (name, value) in startup.parameters.iter().filter(|(_, value)| !value.is_empty()) {
            match name.as_str() {
                "options" => initial.extend(options(value)?),
                _ => initial.push((name.clone(), value.clone())),
            }
        }
        for (name, value) in initial {
            let may_set = superuser || session::identity::may_begin_with(definition, role.oid, &name);
            set_at_start(&catalog, (user, superuser, may_set), &mut settings, (&name, &value))?;
        }
        settings.set("session_authorization", user, Source::Client)?;
        let identity = (definition.oid, database.clone());
        let kind = BackendKind::Client;
        let backend = db.activity().enter(kind, Some(identity.clone()), Some(user.clone()), Some(client), None)?;
        // It counts itself.
        // -1 is no limit.
        if let Ok(limit) = usize::try_from(role.rolconnlimit)
            && !superuser
            && db.activity().sessions_of(user) > limit
        {
            return Err(fatal(sqlstate::TOO_MANY_CONNECTIONS, format!("too many connections for role \"{user}\"")));
        }
        if let Ok(limit) = usize::try_from(definition.datconnlimit)
            && !superuser
            && db.activity().sessions_in(definition.oid) > limit
        {
            let message = format!("too many connections for database \"{database}\"");
            return Err(fatal(sqlstate::TOO_MANY_CONNECTIONS, message));
        }
        let application = settings.get("application_name").to_string();
        backend.update(|s| s.application_name = application);
        let session = Session::new(db, backend.clone(), identity, user, settings, &Commands);
        // Protocol 3.2 has room for longer ones.
        let key = if startup.minor >= 2 { random::<32>()?.to_vec() } else { random::<4>()?.to_vec() };
        let place = place.keep(backend.pid, &key);
        Ok((backend, session, key, place))
    }
}

/// Tells a client why it does not get in.
async fn refuse(stream: &mut Stream, error: &EngineError) {
    let response = ErrorResponse::from(info("FATAL", error));
    // It may be gone by now.
    let _ = send(stream, Message::ErrorResponse(response)).await;
    let _ = stream.shutdown().await;
}

/// Sets what a client's start-up packet has; `may_set`: also what superusers set. Who the session is, it may not say otherwise than SET
/// ROLE could.
fn set_at_start(
    catalog: &engine::Catalog,
    (user, superuser, may_set): (&str, bool, bool),
    settings: &mut Settings,
    (name, value): (&str, &str),
) -> Result<(), EngineError> {
    match config::find(name).map(|definition| definition.name) {
        Some("role") => commands::become_role(catalog, user, settings, (value, Source::Client)),
        Some("session_authorization") if value == user => Ok(()),
        Some("session_authorization") if superuser => {
            Err(EngineError::unsupported("session_authorization in a start-up packet"))
        }
        Some("session_authorization") => {
            let message = format!("permission denied to set session authorization \"{value}\"");
            Err(EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, message))
        }
        _ => Ok(settings.set_at_start(name, value, may_set)?),
    }
}

/// `-c name=value` and `--name=value`, as libpq's `options` gives them. A backslash takes the next character as it is.
fn options(text: &str) -> Result<Vec<(String, String)>, EngineError> {
    let mut words: Vec<String> = Vec::new();
    let (mut chars, mut within) = (text.chars(), false);
    while let Some(c) = chars.next() {
        if c.is_ascii_whitespace() {
            within = false;
            continue;
        }
        if !within {
            words.push(String::new());
            within = true;
        }
        let word = words.last_mut().expect("it was just begun");
        word.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    let mut found = Vec::new();
    let mut words = words.into_iter();
    let invalid =
        |word: &str| fatal(sqlstate::SYNTAX_ERROR, format!("invalid command-line argument for server process: {word}"));
    while let Some(word) = words.next() {
        let (switch, pair) = match (word.strip_prefix("-c"), word.strip_prefix("--")) {
            // Behind it there is nothing else.
            (None, Some("")) => break,
            (None, Some(pair)) => ("--", pair.to_string()),
            (Some(""), _) => ("-c ", words.next().ok_or_else(|| invalid("-c"))?),
            (Some(pair), _) => ("-c ", pair.to_string()),
            (None, None) => return Err(invalid(&word)),
        };
        let missing = || fatal(sqlstate::SYNTAX_ERROR, format!("{switch}{pair} requires a value"));
        let (name, value) = pair.split_once('=').ok_or_else(missing)?;
        found.push((name.replace('-', "_"), value.to_string()));
    }
    match words.next() {
        Some(word) => Err(invalid(&word)),
        None => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_as_postgresql_does() {
        let found = options("-c a=1 -cb=2  --c-d=x\\ y\\\\z").unwrap();
        let pair = |name: &str, value: &str| (name.to_string(), value.to_string());
        assert_eq!(found, [pair("a", "1"), pair("b", "2"), pair("c_d", "x y\\z")]);
        assert_eq!(options("-x").unwrap_err().code, "42601");
        assert!(options(" ").unwrap().is_empty());
    }
}
