//! Cuts what a client sends into packets, and writes pgwire's messages.
//!
//! pgwire's decoders are not used: they trust lengths and counts inside of a message (a malformed one makes them panic) and
//! read texts lossily. Here nothing is read beyond a packet's length; [`crate::frontend`] reads what is in it.

use std::io;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use engine::EngineError;
use error::sqlstate;
use pgwire::messages::PgWireBackendMessage;
use pgwire::messages::data::RowDescription;
use tokio_util::codec::{Decoder, Encoder};
use types::encoding::{self, Encoding as ClientEncoding};

/// A message as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    pub kind: u8,
    pub body: Bytes,
    /// It had so many bytes for which there was no memory; the body is empty.
    pub dropped: u32,
}

/// Why nothing more can be read from a client.
#[derive(Debug)]
pub enum Broken {
    /// The client is gone, most likely.
    Io,
    /// A length that no such packet has. As PostgreSQL does, the connection is closed without a word: the client that sent it
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
            Broken::Kind(kind) => {
                Some(EngineError::new(sqlstate::PROTOCOL_VIOLATION, format!("invalid frontend message type {kind}")))
            }
            Broken::TooLong(length) => {
                let text = format!("a message of {length} bytes is longer than {MAX_MESSAGE} bytes");
                Some(EngineError::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, text))
            }
        }
    }
}

/// Bytes of a message that carries no data (`PQ_SMALL_MESSAGE_LIMIT`).
const SMALL: u32 = 10_000;
/// Bytes of the others (`PQ_LARGE_MESSAGE_LIMIT`).
const LARGE: u32 = 0x3fff_fffe;
/// Bytes of a message for which memory is asked for before it comes.
const LONG: u32 = 4 << 20;
/// Bytes of a message that is taken, 256 MiB: it is held in memory as a whole.
const MAX_MESSAGE: u32 = 256 << 20;

/// For what comes after the start-up messages.
pub struct Codec {
    skipping: Option<Skipped>,
    /// The client's, in which names and messages are written; values come in it.
    pub encoding: &'static ClientEncoding,
}

/// A message that is dropped as it comes.
#[derive(Clone, Copy)]
struct Skipped {
    /// What is still to come of it.
    left: u32,
    length: u32,
    /// Its kind, where the client may go on: there was no memory for it.
    kind: Option<u8>,
}

impl Default for Codec {
    fn default() -> Codec {
        Codec { skipping: None, encoding: &encoding::UTF8 }
    }
}

/// Do the messages that begin with `bytes`, the last that a client has sent, ask for anything to be done? Not where it says
/// that it goes, nor behind that. `all`: there are no more bytes; a message of which the end is missing will not come.
pub fn asks_for_more(mut bytes: &[u8], all: bool) -> bool {
    loop {
        let Some((head, rest)) = bytes.split_first_chunk::<5>() else { return !all && bytes.first() != Some(&b'X') };
        let body = u32::from_be_bytes([head[1], head[2], head[3], head[4]]).saturating_sub(4) as usize;
        match head[0] {
            b'X' => return false,
            // Their answers alone are asked for, or that something be forgotten.
            b'S' | b'H' | b'C' if body <= rest.len() => bytes = &rest[body..],
            _ => return !all || body <= rest.len(),
        }
    }
}

/// The greatest length that a message of this kind may have.
fn limit(kind: u8) -> Result<u32, Broken> {
    match kind {
        b'Q' | b'P' | b'B' | b'F' | b'd' => Ok(LARGE),
        b'C' | b'D' | b'E' | b'H' | b'S' | b'X' | b'c' | b'f' => Ok(SMALL),
        _ => Err(Broken::Kind(kind)),
    }
}

/// How often what is in a long message is in memory before anything is done with it: a statement's text is kept, and read by a
/// scanner that has a copy of its own.
fn times(kind: u8) -> usize {
    match kind {
        b'Q' | b'P' => 5,
        b'B' => 3,
        _ => 2,
    }
}

impl Codec {
    /// Takes the bytes of a message that is dropped as they come. Says so when the last one is there: the client has
    /// stopped sending by then, and reads why, if it is sent away.
    fn skip(&mut self, bytes: &mut BytesMut, skipped: Skipped) -> Result<Option<Packet>, Broken> {
        let now = bytes.len().min(skipped.left as usize);
        bytes.advance(now);
        let left = skipped.left - now as u32;
        self.skipping = (left > 0).then_some(Skipped { left, ..skipped });
        match skipped.kind {
            _ if left > 0 => Ok(None),
            Some(kind) => Ok(Some(Packet { kind, body: Bytes::new(), dropped: skipped.length })),
            None => Err(Broken::TooLong(skipped.length)),
        }
    }
}

impl Decoder for Codec {
    type Item = Packet;
    type Error = Broken;

    fn decode(&mut self, bytes: &mut BytesMut) -> Result<Option<Packet>, Broken> {
        if let Some(skipped) = self.skipping {
            return self.skip(bytes, skipped);
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
            return self.skip(bytes, Skipped { left: length, length, kind: None });
        }
        let end = 1 + length as usize;
        if bytes.len() < end {
            // The first time that it is looked at.
            if length >= LONG && bytes.capacity() < end {
                if engine::memory::left() / times(kind) < length as usize {
                    bytes.advance(1);
                    return self.skip(bytes, Skipped { left: length, length, kind: Some(kind) });
                }
                bytes.reserve(end - bytes.len());
            }
            return Ok(None);
        }
        let body = bytes.split_to(end).freeze().slice(5..);
        Ok(Some(Packet { kind, body, dropped: 0 }))
    }

    /// A client that goes away in the middle of a packet is as gone as others.
    fn decode_eof(&mut self, bytes: &mut BytesMut) -> Result<Option<Packet>, Broken> {
        self.decode(bytes)
    }
}

impl Encoder<PgWireBackendMessage> for Codec {
    type Error = io::Error;

    fn encode(&mut self, message: PgWireBackendMessage, bytes: &mut BytesMut) -> io::Result<()> {
        if self.encoding.is_utf8() {
            return message.encode(bytes).map_err(io::Error::other);
        }
        match message {
            PgWireBackendMessage::RowDescription(description) => self.describe(&description, bytes),
            PgWireBackendMessage::ErrorResponse(_)
            | PgWireBackendMessage::NoticeResponse(_)
            | PgWireBackendMessage::ParameterStatus(_) => {
                let mut plain = BytesMut::new();
                message.encode(&mut plain).map_err(io::Error::other)?;
                // Strings and ASCII between them.
                let text = std::str::from_utf8(&plain[5..]).map_err(io::Error::other)?;
                put(bytes, plain[0], &self.encoding.encode_anyway(text));
            }
            message => message.encode(bytes).map_err(io::Error::other)?,
        }
        Ok(())
    }
}

impl Codec {
    fn describe(&self, description: &RowDescription, bytes: &mut BytesMut) {
        let mut body = BytesMut::new();
        body.put_u16(description.fields.len() as u16);
        for field in &description.fields {
            body.put_slice(&self.encoding.encode_anyway(&field.name));
            body.put_u8(0);
            body.put_i32(field.table_id);
            body.put_i16(field.column_id);
            body.put_u32(field.type_id);
            body.put_i16(field.type_size);
            body.put_i32(field.type_modifier);
            body.put_i16(field.format_code);
        }
        put(bytes, b'T', &body);
    }
}

fn put(bytes: &mut BytesMut, kind: u8, body: &[u8]) {
    bytes.put_u8(kind);
    bytes.put_i32(body.len() as i32 + 4);
    bytes.put_slice(body);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_to_do_is_found_among_the_last_messages() {
        let message = |kind: u8, body: &[u8]| {
            let mut bytes = BytesMut::new();
            put(&mut bytes, kind, body);
            bytes.to_vec()
        };
        let (sync, close, bye) = (message(b'S', b""), message(b'C', b"Sname\0"), message(b'X', b""));
        let query = message(b'Q', b"select 1\0");
        for (bytes, asks) in [
            (vec![], false),
            (bye.clone(), false),
            ([&sync[..], &close, &bye, &query].concat(), false),
            ([&sync[..], &sync].concat(), false),
            ([&sync[..], &query, &bye].concat(), true),
            (query.clone(), true),
            // They end within a message.
            (query[..10].to_vec(), false),
            (query[..3].to_vec(), false),
            ([&sync[..], &close[..7]].concat(), false),
            // Of a kind that there is not, and a length that there is not: its reader will see.
            (vec![b'?', 0, 0, 0, 4], true),
            (vec![b'Q', 0, 0, 0, 0], true),
        ] {
            assert_eq!(asks_for_more(&bytes, true), asks, "{bytes:?}");
        }
        for bytes in [&query[..10], &query[..3], &close[..7], &[]] {
            assert!(asks_for_more(bytes, false), "{bytes:?}");
        }
        assert!(!asks_for_more(&bye[..2], false));
    }
}
