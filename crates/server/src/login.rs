//! From a connection to a session: the startup messages, who it is, whether there is room.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use aio::BackendKind;
use engine::settings::Source;
use engine::{Backend, Client, Database, EngineError};
use parking_lot::Mutex;
use pgwire::messages::PgWireBackendMessage as Message;
use pgwire::messages::response::{ErrorResponse, SslResponse};
use sql::Session;
use subtle::ConstantTimeEq;
use tokio::io::AsyncWriteExt;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use crate::complaints::Complaints;
use crate::lobby::Lobby;
use crate::report::info;
use crate::startup::{Packet, Refusal, Startup, send};
use crate::stream::Stream;

/// What all connections share.
pub struct Server {
    pub db: Database,
    lobby: Lobby,
    pub complaints: Complaints,
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

impl Drop for Place {
    fn drop(&mut self) {
        self.server.clients.fetch_sub(1, Ordering::Relaxed);
        if let Some(pid) = self.pid {
            self.server.keys.lock().remove(&pid);
        }
    }
}

/// Bytes that nobody can guess.
pub fn random<const N: usize>() -> Result<[u8; N], EngineError> {
    let mut bytes = [0; N];
    let failed = |e| EngineError::new("XX000", format!("could not generate random bytes: {e}"));
    getrandom::fill(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

fn fatal(code: &'static str, message: impl Into<String>) -> EngineError {
    EngineError::new(code, message)
}

impl Server {
    pub fn new(db: Database) -> Server {
        Server {
            db,
            lobby: Lobby::default(),
            complaints: Complaints::default(),
            clients: AtomicUsize::new(0),
            keys: Mutex::default(),
        }
    }

    /// Lets a client in. `None`: it is not, and has been told why if it can be.
    pub async fn admit(
        self: &Arc<Server>,
        stream: Stream,
        address: Option<SocketAddr>,
        mut stopping: watch::Receiver<bool>,
    ) -> Option<Admitted> {
        let settings = self.db.settings();
        let guest = self.lobby.enter(settings.integer("max_connections") as usize);
        let deadline = Instant::now() + Duration::from_secs(settings.integer("authentication_timeout") as u64);
        tokio::select! {
            biased;
            () = guest.sent_away() => None,
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
        let (mut stream, startup) = timeout_at(deadline, self.hear(stream)).await.ok()??;
        let client = Client { address, tls: None };
        match self.session(&startup, client) {
            Ok((backend, session, key, place)) => Some(Admitted { stream, backend, session, key, place }),
            Err(error) => {
                refuse(&mut stream, &error).await;
                None
            }
        }
    }

    /// The messages until the client has said who it is. `None`: it wanted something else, or is gone.
    async fn hear(&self, mut stream: Stream) -> Option<(Stream, Startup)> {
        loop {
            let heard = match Packet::read(&mut stream).await {
                Ok(Packet::Ssl | Packet::Gss) => {
                    send(&mut stream, Message::SslResponse(SslResponse::Refuse)).await.map_err(Refusal::from)
                }
                Ok(Packet::Cancel { pid, key }) => {
                    self.cancel(pid, &key);
                    return None;
                }
                Ok(Packet::Startup(mut startup)) => match startup.negotiate(&mut stream).await {
                    Ok(()) => return Some((stream, startup)),
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
        if !catalog.roles.contains_key(user) {
            return Err(fatal("28000", format!("role \"{user}\" does not exist")));
        }
        let mut settings = db.settings();
        let mut place = Place { server: self.clone(), pid: None };
        let before = self.clients.fetch_add(1, Ordering::Relaxed);
        if before >= settings.integer("max_connections") as usize {
            return Err(fatal("53300", "sorry, too many clients already"));
        }
        let Some(definition) = catalog.databases.get(database) else {
            return Err(fatal("3D000", format!("database \"{database}\" does not exist")));
        };
        if !definition.allow_connections {
            return Err(fatal("55000", format!("database \"{database}\" is not currently accepting connections")));
        }
        let superuser = catalog.roles[user].superuser;
        settings.set("is_superuser", if superuser { "on" } else { "off" }, Source::Override)?;
        let mut initial: Vec<(String, String)> = Vec::new();
        for (name, value) in startup.parameters.iter().filter(|(_, value)| !value.is_empty()) {
            match name.as_str() {
                "options" => initial.extend(options(value)?),
                _ => initial.push((name.clone(), value.clone())),
            }
        }
        for (name, value) in initial {
            settings.set_at_start(&name, &value, superuser)?;
        }
        settings.set("session_authorization", user, Source::Override)?;
        let identity = (definition.oid, database.clone());
        let kind = BackendKind::Client;
        let backend = db.activity().enter(kind, Some(identity.clone()), Some(user.clone()), Some(client), None)?;
        let application = settings.get("application_name").to_string();
        backend.update(|s| s.application_name = application);
        let session = Session::new(db, backend.clone(), identity, user, settings)?;
        // Protocol 3.2 has room for longer ones.
        let key = if startup.minor >= 2 { random::<32>()?.to_vec() } else { random::<4>()?.to_vec() };
        place.pid = Some(backend.pid);
        self.keys.lock().insert(backend.pid, key.clone());
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
    while let Some(word) = words.next() {
        let pair = match word.strip_prefix("-c").or_else(|| word.strip_prefix("--")) {
            Some("") => words.next().unwrap_or_default(),
            Some(pair) => pair.to_string(),
            None => String::new(),
        };
        let (name, value) = pair
            .split_once('=')
            .ok_or_else(|| fatal("42601", format!("invalid command-line argument for server process: {word}")))?;
        found.push((name.replace('-', "_"), value.to_string()));
    }
    Ok(found)
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
