//! From the text of JSON to a value (`jsonb_in`).

use super::builder::Builder;
use crate::error::Result;
use crate::json::lexer::{self, Kind, Sink, Token, unescape};
use crate::numeric;

impl Sink for Builder {
    fn begin(&mut self, object: bool) -> Result<()> {
        if object { self.begin_object() } else { self.begin_array() }
    }

    fn end(&mut self) {
        Builder::end(self);
    }

    fn key(&mut self, token: &str) -> Result<()> {
        Builder::key(self, unescape(token)?.as_bytes())
    }

    fn scalar(&mut self, token: Token<'_>) -> Result<()> {
        match token.kind {
            Kind::String => self.string(unescape(token.text)?.as_bytes()),
            Kind::Number => self.number(&numeric::text::parse(token.text)?),
            Kind::True => self.bool(true),
            Kind::False => self.bool(false),
            _ => self.null(),
        }
    }
}

/// Adds the value of a text to what is being built.
pub fn append(text: &str, builder: &mut Builder) -> Result<()> {
    lexer::parse(text, builder)
}

/// The value of a text.
pub fn parse(text: &str) -> Result<Vec<u8>> {
    let (mut builder, mut out) = (Builder::default(), Vec::new());
    append(text, &mut builder)?;
    builder.finish(&mut out)?;
    Ok(out)
}
