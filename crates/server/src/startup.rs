//! The messages before a session: what a client wants (a session, a cancel request, encryption), and who it is.
//!
//! They are read one by one, exactly as many bytes as each has: nothing that was sent before encryption began is left to
//! be taken for something sent after it. A client that is not known yet cannot make the server keep more than a few KiB.

use std::collections::BTreeMap;
use std::io;

use bytes::BytesMut;
use engine::EngineError;
use error::sqlstate;
use pgwire::messages::PgWireBackendMessage as Message;
use pgwire::messages::startup::NegotiateProtocolVersion;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use types::encoding::utf8;
use types::text::truncated_name;

use crate::stream::Stream;

/// PostgreSQL's limits for startup packets and for what authentication asks for, in bytes.
const MAX_STARTUP: usize = 10_000;
const MAX_ANSWER: usize = 65_535;
/// Request codes, in place of a protocol version.
const CANCEL: u32 = 80_877_102;
const SSL: u32 = 80_877_103;
const GSS: u32 = 80_877_104;
/// The newest protocol that is spoken here: 3.2.
const NEWEST_MINOR: u16 = 2;

/// Why a client did not get in.
pub enum Refusal {
    /// It is gone, or speaks no PostgreSQL.
    Gone,
    /// It is told why.
    Fatal(EngineError),
}

impl From<io::Error> for Refusal {
    fn from(_: io::Error) -> Refusal {
        Refusal::Gone
    }
}

impl From<EngineError> for Refusal {
    fn from(error: EngineError) -> Refusal {
        Refusal::Fatal(error)
    }
}

/// What a client wants.
pub enum Packet {
    Ssl,
    Gss,
    Cancel { pid: i32, key: Vec<u8> },
    Startup(Startup),
}

/// What a client says it is.
pub struct Startup {
    /// Of protocol 3.
    pub minor: u16,
    pub user: String,
    pub database: String,
    /// Settings, and `options`.
    pub parameters: BTreeMap<String, String>,
    /// Of the protocol, which are not known here.
    unknown: Vec<String>,
}

fn protocol_violation(message: impl Into<String>) -> Refusal {
    Refusal::Fatal(EngineError::new(sqlstate::PROTOCOL_VIOLATION, message))
}

impl Packet {
    pub async fn read(stream: &mut Stream) -> Result<Packet, Refusal> {
        let length = stream.read_u32().await? as usize;
        if !(8..=MAX_STARTUP).contains(&length) {
            return Err(protocol_violation("invalid length of startup packet"));
        }
        let mut body = vec![0; length - 4];
        stream.read_exact(&mut body).await?;
        let (code, rest) = body.split_first_chunk().expect("it has four bytes at least");
        match (u32::from_be_bytes(*code), rest) {
            (SSL, []) => Ok(Packet::Ssl),
            (GSS, []) => Ok(Packet::Gss),
            (CANCEL, [a, b, c, d, key @ ..]) if !key.is_empty() => {
                Ok(Packet::Cancel { pid: i32::from_be_bytes([*a, *b, *c, *d]), key: key.to_vec() })
            }
            (CANCEL | SSL | GSS, _) => Err(protocol_violation("invalid length of startup packet")),
            (version, parameters) => Startup::parse(version, parameters).map(Packet::Startup),
        }
    }
}

/// A word of the startup packet. What is no UTF-8 has no place among names and settings.
fn text(bytes: &[u8]) -> Result<String, Refusal> {
    Ok(utf8(bytes)?.to_string())
}

/// The bytes before the next NUL, which is taken, too.
fn word<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let end = rest.iter().position(|byte| *byte == 0)?;
    let (word, behind) = (&rest[..end], &rest[end + 1..]);
    *rest = behind;
    Some(word)
}

/// A name and its value.
type Pair<'a> = (&'a [u8], &'a [u8]);

/// The names and values in a startup packet, which ends with an empty name.
fn pairs(mut rest: &[u8]) -> Result<Vec<Pair<'_>>, Refusal> {
    let wrong = || protocol_violation("invalid startup packet layout: expected terminator as last byte");
    let mut found = Vec::new();
    loop {
        let name = word(&mut rest).ok_or_else(wrong)?;
        if name.is_empty() {
            return if rest.is_empty() { Ok(found) } else { Err(wrong()) };
        }
        found.push((name, word(&mut rest).ok_or_else(wrong)?));
    }
}

/// Fails for a client that wants the log, and for one that does not say whether it does.
fn check_replication(value: &str) -> Result<(), EngineError> {
    match config::parse_bool(value) {
        Some(false) => Ok(()),
        None if value != "database" => Err(EngineError::new(
            sqlstate::INVALID_PARAMETER_VALUE,
            format!("invalid value for parameter \"replication\": \"{value}\""),
        )),
        _ => Err(EngineError::unsupported("a replication connection")),
    }
}

impl Startup {
    fn parse(version: u32, parameters: &[u8]) -> Result<Startup, Refusal> {
        let (major, minor) = ((version >> 16) as u16, version as u16);
        if major != 3 {
            let message =
                format!("unsupported frontend protocol {major}.{minor}: server supports 3.0 to 3.{NEWEST_MINOR}");
            return Err(Refusal::Fatal(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, message)));
        }
        let (mut found, mut unknown) = (BTreeMap::new(), Vec::new());
        for (name, value) in pairs(parameters)? {
            let (name, value) = (text(name)?, text(value)?);
            if name.starts_with("_pq_.") {
                unknown.push(name);
            } else {
                found.insert(name, value);
            }
        }
        if let Some(value) = found.remove("replication") {
            check_replication(&value)?;
        }
        // Of what is longer the first bytes count.
        let cut = |value: String| truncated_name(&value).to_string();
        let mut take = |name: &str| found.remove(name).filter(|value| !value.is_empty()).map(cut);
        let no_user = || {
            EngineError::new(
                sqlstate::INVALID_AUTHORIZATION_SPECIFICATION,
                "no PostgreSQL user name specified in startup packet",
            )
        };
        let user = take("user").ok_or_else(no_user)?;
        let database = take("database").unwrap_or_else(|| user.clone());
        Ok(Startup { minor, user, database, parameters: found, unknown })
    }

    /// Tells the client what of its protocol is not spoken here, if anything.
    pub async fn negotiate(&mut self, stream: &mut Stream) -> Result<(), Refusal> {
        if self.minor > NEWEST_MINOR || !self.unknown.is_empty() {
            self.minor = self.minor.min(NEWEST_MINOR);
            let version = (3 << 16) | i32::from(self.minor);
            let unknown = std::mem::take(&mut self.unknown);
            let message = NegotiateProtocolVersion::new(version, unknown);
            send(stream, Message::NegotiateProtocolVersion(message)).await?;
        }
        Ok(())
    }
}

pub async fn send(stream: &mut Stream, message: Message) -> io::Result<()> {
    let mut bytes = BytesMut::new();
    message.encode(&mut bytes).map_err(io::Error::other)?;
    stream.write_all(&bytes).await?;
    stream.flush().await
}

/// What a client answers to a question of authentication: the body of a message of type `p`.
pub async fn answer(stream: &mut Stream) -> Result<Vec<u8>, Refusal> {
    let kind = stream.read_u8().await?;
    let length = stream.read_u32().await? as usize;
    if kind != b'p' {
        return Err(protocol_violation(format!("expected password response, got message type {kind}")));
    }
    if !(4..=MAX_ANSWER).contains(&length) {
        return Err(protocol_violation("invalid message length"));
    }
    let mut body = vec![0; length - 4];
    stream.read_exact(&mut body).await?;
    Ok(body)
}
