//! Authentication: the rule of `pg_hba.conf` that decides, and what it asks the client for.

use std::net::{IpAddr, SocketAddr};
use std::time::SystemTime;

use auth::hba::{Address, ClientCert, ClientName, Method, Port, Rule};
use auth::password::Verifier;
use engine::{Certificate, Database, EngineError};
use error::sqlstate;
use nix::unistd::{Uid, User};
use pgwire::messages::PgWireBackendMessage as Message;
use pgwire::messages::startup::Authentication;

use crate::access_rules::Access;
use crate::scram::{self, Exchange};
use crate::startup::{Refusal, Startup, answer, send};
use crate::stream::Stream;
use crate::tls::Secured;

/// A client that wants to connect.
pub struct ClientAuthentication<'a> {
    pub db: &'a Database,
    pub access: &'a Access,
    pub stream: &'a mut Stream,
    pub startup: &'a Startup,
    /// `None`: over a Unix-domain socket.
    pub address: Option<SocketAddr>,
    pub secured: Option<&'a Secured>,
}

/// Why a client was not let in.
pub enum AuthFailed {
    /// What was to be shown was not the right thing: answered late.
    Wrong(EngineError),
    Other(Refusal),
}

impl From<Refusal> for AuthFailed {
    fn from(refusal: Refusal) -> AuthFailed {
        AuthFailed::Other(refusal)
    }
}

impl From<EngineError> for AuthFailed {
    fn from(error: EngineError) -> AuthFailed {
        AuthFailed::Other(error.into())
    }
}

impl From<std::io::Error> for AuthFailed {
    fn from(error: std::io::Error) -> AuthFailed {
        AuthFailed::Other(error.into())
    }
}

fn error(code: &'static str, message: impl Into<String>) -> AuthFailed {
    AuthFailed::Other(EngineError::new(code, message).into())
}

/// The server's own addresses, with the masks of their networks.
fn own_addresses() -> Vec<(IpAddr, IpAddr)> {
    let ip = |storage: Option<nix::sys::socket::SockaddrStorage>| {
        let storage = storage?;
        let v4 = storage.as_sockaddr_in().map(|a| IpAddr::V4(a.ip()));
        v4.or_else(|| storage.as_sockaddr_in6().map(|a| IpAddr::V6(a.ip())))
    };
    let found = nix::ifaddrs::getifaddrs().into_iter().flatten();
    found.filter_map(|interface| Some((ip(interface.address)?, ip(interface.netmask)?))).collect()
}

impl ClientAuthentication<'_> {
    /// Lets the client show who it is.
    pub async fn authenticate(&mut self) -> Result<(), AuthFailed> {
        let access = self.access;
        let asks = |rule: &Rule| matches!(rule.address, Some(Address::SameHost | Address::SameNet));
        let own = if access.rules().any(|(_, rule)| asks(rule)) { own_addresses() } else { vec![] };
        let port = Port {
            user: &self.startup.user,
            database: &self.startup.database,
            address: self.address.map(|address| address.ip()),
            encrypted: self.secured.is_some(),
            own: &own,
            roles: &session::identity::roles_of(&self.db.catalog(), &self.startup.user),
        };
        let found = access.rules().find(|(_, rule)| rule.matches(&port));
        let Some((line, rule)) = found else {
            let who = self.who();
            return Err(error(
                sqlstate::INVALID_AUTHORIZATION_SPECIFICATION,
                format!("no pg_hba.conf entry for {who}"),
            ));
        };
        let outcome = self.by_rule(rule).await;
        if let Err(AuthFailed::Wrong(wrong)) = &outcome {
            let (file, number) = (line.file.display(), line.number);
            // A name may have line ends in it.
            let wrong = wrong.message.replace(char::is_control, " ");
            let text = line.text.trim();
            tracing::warn!("{wrong} (connection matched file \"{file}\" line {number}: \"{text}\")");
        }
        outcome
    }

    fn who(&self) -> String {
        let host = self.address.map_or("[local]".to_string(), |address| address.ip().to_string());
        let encryption = if self.secured.is_some() { "SSL encryption" } else { "no encryption" };
        let Startup { user, database, .. } = self.startup;
        format!("host \"{host}\", user \"{user}\", database \"{database}\", {encryption}")
    }

    async fn by_rule(&mut self, rule: &Rule) -> Result<(), AuthFailed> {
        let user = &self.startup.user;
        let certificate = self.secured.and_then(|secured| secured.shown.certificate.as_ref());
        if rule.client_cert != ClientCert::No {
            if self.access.tls.as_ref().is_none_or(|tls| !tls.asks_for_certificates) {
                let message = "client certificates can only be checked if a root certificate store is available";
                return Err(error(sqlstate::CONFIG_FILE_ERROR, message));
            }
            if certificate.is_none() {
                return Err(error(
                    sqlstate::INVALID_AUTHORIZATION_SPECIFICATION,
                    "connection requires a valid client certificate",
                ));
            }
        }
        match rule.method {
            Method::Trust => {}
            Method::Reject => {
                return Err(error(
                    sqlstate::INVALID_AUTHORIZATION_SPECIFICATION,
                    format!("pg_hba.conf rejects connection for {}", self.who()),
                ));
            }
            Method::Peer => {
                let name = self.peer();
                if !name.is_some_and(|name| self.is_mapped(rule, &name)) {
                    return Err(AuthFailed::Wrong(EngineError::new(
                        sqlstate::INVALID_AUTHORIZATION_SPECIFICATION,
                        format!("Peer authentication failed for user \"{user}\""),
                    )));
                }
            }
            Method::Password => self.password().await?,
            Method::Md5 | Method::Scram => self.scram().await?,
            // The certificate is looked at below.
            Method::Cert => {}
        }
        if rule.client_cert == ClientCert::VerifyFull
            && !certificate.is_some_and(|certificate| self.is_named(rule, certificate))
        {
            let message = format!("certificate authentication failed for user \"{user}\"");
            return Err(AuthFailed::Wrong(EngineError::new(sqlstate::INVALID_AUTHORIZATION_SPECIFICATION, message)));
        }
        Ok(())
    }

    /// The operating system's name of the user at the other end of a Unix-domain socket.
    fn peer(&self) -> Option<String> {
        let Stream::Unix(stream) = &self.stream else { return None };
        let uid = Uid::from_raw(stream.peer_cred().ok()?.uid());
        User::from_uid(uid).ok().flatten().map(|user| user.name)
    }

    /// May `name`, from outside, be the role that it asks for?
    fn is_mapped(&self, rule: &Rule, name: &str) -> bool {
        let user = &self.startup.user;
        match rule.map.as_deref().filter(|map| !map.is_empty()) {
            None => name == user,
            Some(wanted) => self.access.maps.iter().any(|map| map.map == wanted && map.allows(name, user)),
        }
    }

    fn is_named(&self, rule: &Rule, certificate: &Certificate) -> bool {
        let name = match rule.client_name {
            ClientName::CommonName => certificate.common_name.as_deref(),
            ClientName::DistinguishedName => Some(certificate.distinguished_name.as_str()),
        };
        match rule.method {
            Method::Cert => name.is_some_and(|name| self.is_mapped(rule, name)),
            // Beside another method the name is not mapped, as in PostgreSQL.
            _ => name == Some(&self.startup.user),
        }
    }

    /// What the server knows of the role's password; something that fits no password if there is none, so that no client can
    /// tell roles that are there from others.
    fn verifier(&self) -> Verifier {
        let user = &self.startup.user;
        let catalog = self.db.catalog();
        let role = catalog.role(user).filter(|role| role.rolvaliduntil.is_none_or(|until| now() <= until));
        let kept = role.and_then(|role| Verifier::parse(role.rolpassword.as_deref()?));
        kept.unwrap_or_else(|| self.db.mock_verifier(user))
    }

    fn wrong_password(&self) -> AuthFailed {
        let message = format!("password authentication failed for user \"{}\"", self.startup.user);
        AuthFailed::Wrong(EngineError::new(sqlstate::INVALID_PASSWORD, message))
    }

    async fn ask(&mut self, question: Authentication) -> Result<Vec<u8>, AuthFailed> {
        send(self.stream, Message::Authentication(question)).await?;
        Ok(answer(self.stream).await?)
    }

    async fn password(&mut self) -> Result<(), AuthFailed> {
        let answer = self.ask(Authentication::CleartextPassword).await?;
        let password = answer.strip_suffix(b"\0").and_then(|bytes| std::str::from_utf8(bytes).ok());
        let password = password.ok_or_else(|| error(sqlstate::PROTOCOL_VIOLATION, "invalid password packet size"))?;
        if password.is_empty() {
            return Err(AuthFailed::Wrong(EngineError::new(
                sqlstate::INVALID_PASSWORD,
                "empty password returned by client",
            )));
        }
        if self.verifier().accepts(password) { Ok(()) } else { Err(self.wrong_password()) }
    }

    async fn scram(&mut self) -> Result<(), AuthFailed> {
        let channel = self.secured.and_then(|secured| secured.end_point.as_deref());
        let mut mechanisms = vec![scram::PLAIN.to_string()];
        if channel.is_some() {
            mechanisms.insert(0, scram::PLUS.to_string());
        }
        let first = self.ask(Authentication::SASL(mechanisms)).await?;
        let malformed = || error(sqlstate::PROTOCOL_VIOLATION, "malformed SASL message");
        // The mechanism, and the length of the message, which is the rest.
        let end = first.iter().position(|byte| *byte == 0).ok_or_else(malformed)?;
        let mechanism = std::str::from_utf8(&first[..end]).map_err(|_| malformed())?;
        let (length, message) = first[end + 1..].split_first_chunk().ok_or_else(malformed)?;
        if usize::try_from(i32::from_be_bytes(*length)) != Ok(message.len()) {
            return Err(malformed());
        }
        let exchange = Exchange::begin(mechanism, message, self.verifier(), channel)?;
        let last = self.ask(Authentication::SASLContinue(exchange.server_first.clone().into())).await?;
        match exchange.finish(&last)? {
            Some(message) => {
                Ok(send(self.stream, Message::Authentication(Authentication::SASLFinal(message.into()))).await?)
            }
            None => Err(self.wrong_password()),
        }
    }
}

/// Microseconds since 1970.
fn now() -> i64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_micros() as i64
}
