//! Cuts what a client sends into packets, and writes pgwire's messages.
//!
//! pgwire's decoders are not used: they trust lengths and counts inside of a message (a malformed one makes them panic) and
//! read texts lossily. Here nothing is read beyond a packet's length; [`crate::frontend`] reads what is in it.

use std::io;

use bytes::{Buf, Bytes, BytesMut};
use engine::EngineError;
use pgwire::messages::PgWireBackendMessage;
use tokio_util::codec::{Decoder, Encoder};

/// A message as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    pub kind: u8,
    pub body: Bytes,
}

/// Why nothing more can be read from a client.
#[derive(Debug)]
pub enum Broken {
    /// The client is gone, most likely.
    Io,
    /// A length that no such packet has. As PostgreSQL does, the connection is closed without a word: whoever sent it
    /// speaks another protocol.
    Length(u32),
    /// A message of no known kind.
    Kind(u8),
    /// It was taken, and dropped: more bytes than [`MAX_MESSAGE`].
    TooLong(u32),
}

impl From<io::Error> for Broken {
    fn from(_: io::Error) -> Broken {
        Broken::Io
    }
}

impl Broken {
    /// What the log is told, if anything.
    pub fn reason(&self) -> Option<String> {
        match self {
            Broken::Io => None,
            Broken::Length(length) => Some(format!("no such message is {length} bytes long")),
            _ => self.error().map(|error| error.message),
        }
    }

    /// What the client is told, if it is told anything.
    pub fn error(&self) -> Option<EngineError> {
        match self {
            Broken::Io | Broken::Length(_) => None,
            Broken::Kind(kind) => Some(EngineError::new("08P01", format!("invalid frontend message type {kind}"))),
            Broken::TooLong(length) => {
                let text = format!("a message of {length} bytes is longer than {MAX_MESSAGE} bytes");
                Some(EngineError::new("54000", text))
            }
        }
    }
}

/// Bytes of a message that carries no data (`PQ_SMALL_MESSAGE_LIMIT`).
const SMALL: u32 = 10_000;
/// Bytes of the others (`PQ_LARGE_MESSAGE_LIMIT`).
const LARGE: u32 = 0x3fff_fffe;
/// Bytes of a message that is taken, 256 MiB: it is held in memory as a whole.
const MAX_MESSAGE: u32 = 256 << 20;

/// For what comes after the start-up messages.
#[derive(Default)]
pub struct Codec {
    /// What is still to come of a message that is too long, and its length.
    skipping: Option<(u32, u32)>,
}

/// The greatest length that a message of this kind may have.
fn limit(kind: u8) -> Result<u32, Broken> {
    match kind {
        b'Q' | b'P' | b'B' | b'F' | b'd' => Ok(LARGE),
        b'C' | b'D' | b'E' | b'H' | b'S' | b'X' | b'c' | b'f' => Ok(SMALL),
        _ => Err(Broken::Kind(kind)),
    }
}

impl Codec {
    /// Takes the bytes of a message that is too long as they come. Fails when the last one is there: the client has
    /// stopped sending by then, and reads why it is sent away.
    fn skip(&mut self, bytes: &mut BytesMut, left: u32, length: u32) -> Result<Option<Packet>, Broken> {
        let now = bytes.len().min(left as usize);
        bytes.advance(now);
        match left - now as u32 {
            0 => Err(Broken::TooLong(length)),
            left => {
                self.skipping = Some((left, length));
                Ok(None)
            }
        }
    }
}

impl Decoder for Codec {
    type Item = Packet;
    type Error = Broken;

    fn decode(&mut self, bytes: &mut BytesMut) -> Result<Option<Packet>, Broken> {
        if let Some((left, length)) = self.skipping {
            return self.skip(bytes, left, length);
        }
        // A kind, and the length of the rest with itself.
        let Some(&kind) = bytes.first() else { return Ok(None) };
        let limit = limit(kind)?;
        let Some(word) = bytes.get(1..5) else { return Ok(None) };
        let length = u32::from_be_bytes(word.try_into().expect("4 bytes"));
        if !(4..=limit).contains(&length) {
            return Err(Broken::Length(length));
        }
        if length > MAX_MESSAGE {
            bytes.advance(1);
            return self.skip(bytes, length, length);
        }
        let end = 1 + length as usize;
        if bytes.len() < end {
            return Ok(None);
        }
        let body = bytes.split_to(end).freeze().slice(5..);
        Ok(Some(Packet { kind, body }))
    }

    /// Whoever goes away in the middle of a packet is as gone as others.
    fn decode_eof(&mut self, bytes: &mut BytesMut) -> Result<Option<Packet>, Broken> {
        self.decode(bytes)
    }
}

impl Encoder<PgWireBackendMessage> for Codec {
    type Error = io::Error;

    fn encode(&mut self, message: PgWireBackendMessage, bytes: &mut BytesMut) -> io::Result<()> {
        message.encode(bytes).map_err(io::Error::other)
    }
}
