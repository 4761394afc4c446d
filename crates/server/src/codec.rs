//! pgwire's messages on a stream of bytes. Its decoders trust lengths inside a message; a panic in one becomes an error.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::BytesMut;
use pgwire::messages::{DecodeContext, PgWireBackendMessage, PgWireFrontendMessage};
use tokio_util::codec::{Decoder, Encoder};

/// What is expected next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Perhaps a request for encryption, then the startup message.
    Negotiation,
    Startup,
    Session,
}

pub struct Codec {
    context: DecodeContext,
}

impl Codec {
    pub fn new() -> Codec {
        Codec { context: DecodeContext::default() }
    }

    pub fn set_phase(&mut self, phase: Phase) {
        self.context.awaiting_frontend_ssl = phase == Phase::Negotiation;
        self.context.awaiting_frontend_startup = phase != Phase::Session;
    }
}

impl Decoder for Codec {
    type Item = PgWireFrontendMessage;
    type Error = io::Error;

    fn decode(&mut self, bytes: &mut BytesMut) -> io::Result<Option<PgWireFrontendMessage>> {
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
