//! JSON without nulls: `json_strip_nulls`.

use super::lexer::{Kind, Sink, Token, parse, unescape};
use super::write::append_string;
use crate::error::Result;
use crate::function::Function;
use crate::functions;
use crate::sql::*;
use crate::text::utf8_owned;

pub const FUNCTIONS: &[Function] = functions! {
    json_strip_nulls(json, boolean) -> json = strip_nulls;
};

/// Writes JSON again, without blanks.
struct Stripped {
    in_arrays: bool,
    out: Vec<u8>,
    /// The containers that are open: whether it is an object.
    open: Vec<bool>,
    /// The token of the key whose value is next.
    key: Option<String>,
}

fn strip_nulls(json: &str, in_arrays: bool) -> Result<String> {
    let mut sink = Stripped { in_arrays, out: Vec::with_capacity(json.len()), open: Vec::new(), key: None };
    parse(json, &mut sink)?;
    utf8_owned(sink.out)
}

impl Stripped {
    /// Begins a value: with a comma where it is not the first, and its key.
    fn item(&mut self) -> Result<()> {
        if !matches!(self.out.last(), None | Some(b'{' | b'[')) {
            self.out.push(b',');
        }
        if let Some(key) = self.key.take() {
            append_string(key.as_bytes(), &mut self.out)?;
            self.out.push(b':');
        }
        Ok(())
    }
}

impl Sink for Stripped {
    fn begin(&mut self, object: bool) -> Result<()> {
        self.item()?;
        self.out.push(if object { b'{' } else { b'[' });
        self.open.push(object);
        Ok(())
    }

    fn end(&mut self) {
        self.out.push(if self.open.pop() == Some(true) { b'}' } else { b']' });
    }

    fn key(&mut self, token: &str) -> Result<()> {
        self.key = Some(unescape(token)?.into_owned());
        Ok(())
    }

    fn scalar(&mut self, token: Token<'_>) -> Result<()> {
        let in_array = self.open.last() == Some(&false);
        if token.kind == Kind::Null && (self.key.is_some() || in_array && self.in_arrays) {
            self.key = None;
            return Ok(());
        }
        self.item()?;
        match token.kind {
            Kind::String => append_string(unescape(token.text)?.as_bytes(), &mut self.out),
            _ => {
                self.out.extend_from_slice(token.text.as_bytes());
                Ok(())
            }
        }
    }
}
