//! pgwire's messages on a stream of bytes. Its decoders trust lengths inside a message; a panic in one becomes an error.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::{Buf, BytesMut};
use pgwire::messages::{DecodeContext, PgWireBackendMessage, PgWireFrontendMessage};
use tokio_util::codec::{Decoder, Encoder};

/// Bytes of a message: 256 MiB. It is held in memory as a whole; PostgreSQL's limit is 1 GiB.
const MAX_MESSAGE: u64 = 256 << 20;

pub struct Codec {
    context: DecodeContext,
    /// What is still to come of a message that is too long, and its length.
    skipping: Option<(u64, u64)>,
}

impl Codec {
    /// For what comes after the startup messages.
    pub fn new() -> Codec {
        let mut context = DecodeContext::default();
        context.awaiting_frontend_ssl = false;
        context.awaiting_frontend_startup = false;
        Codec { context, skipping: None }
    }

    /// Takes the bytes of a message that is too long as they come; `true` while more of it are to come. Fails when the
    /// last one is there: the client has stopped sending by then, and reads why it is sent away.
    fn skip(&mut self, bytes: &mut BytesMut) -> io::Result<bool> {
        if let (None, &[_, a, b, c, d, ..]) = (self.skipping, &bytes[..]) {
            let length = u64::from(u32::from_be_bytes([a, b, c, d])) + 1;
            self.skipping = (length > MAX_MESSAGE).then_some((length, length));
        }
        let Some((left, length)) = &mut self.skipping else { return Ok(false) };
        let now = (*left).min(bytes.len() as u64);
        bytes.advance(now as usize);
        *left -= now;
        if *left > 0 {
            return Ok(true);
        }
        let text = format!("a message of {length} bytes is longer than {MAX_MESSAGE} bytes");
        Err(io::Error::new(io::ErrorKind::InvalidData, text))
    }
}

impl Decoder for Codec {
    type Item = PgWireFrontendMessage;
    type Error = io::Error;

    fn decode(&mut self, bytes: &mut BytesMut) -> io::Result<Option<PgWireFrontendMessage>> {
        if self.skip(bytes)? {
            return Ok(None);
        }
        let context = &self.context;
        let decoded = catch_unwind(AssertUnwindSafe(|| PgWireFrontendMessage::decode(bytes, context)));
        let invalid = |text: String| io::Error::new(io::ErrorKind::InvalidData, text);
        match decoded {
            Ok(Ok(message)) => Ok(message),
            Ok(Err(error)) => Err(invalid(error.to_string())),
            Err(_) => Err(invalid("malformed message".into())),
        }
    }
}

impl Encoder<PgWireBackendMessage> for Codec {
    type Error = io::Error;

    fn encode(&mut self, message: PgWireBackendMessage, bytes: &mut BytesMut) -> io::Result<()> {
        message.encode(bytes).map_err(io::Error::other)
    }
}
