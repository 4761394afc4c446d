//! The tokens of JSON, and whether a text is JSON.

use std::borrow::Cow;

use error::sqlstate;

use crate::error::{Error, Result};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    ObjectStart,
    ObjectEnd,
    ArrayStart,
    ArrayEnd,
    Comma,
    Colon,
    String,
    Number,
    True,
    False,
    Null,
    End,
}

#[derive(Clone, Copy, Debug)]
pub struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
    /// Where it begins.
    pub start: usize,
}

pub struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

/// `text` is not JSON.
pub fn invalid(detail: impl Into<String>) -> Error {
    Error::new(sqlstate::INVALID_TEXT_REPRESENTATION, "invalid input syntax for type json").detail(detail)
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str) -> Lexer<'a> {
        Lexer::at(text, 0)
    }

    /// From a place between two tokens on.
    pub fn at(text: &'a str, at: usize) -> Lexer<'a> {
        Lexer { text, at }
    }

    pub fn place(&self) -> usize {
        self.at
    }

    pub fn token(&mut self) -> Result<Token<'a>> {
        let bytes = self.text.as_bytes();
        while matches!(bytes.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
        let start = self.at;
        let (kind, length) = match bytes.get(start) {
            None => (Kind::End, 0),
            Some(b'{') => (Kind::ObjectStart, 1),
            Some(b'}') => (Kind::ObjectEnd, 1),
            Some(b'[') => (Kind::ArrayStart, 1),
            Some(b']') => (Kind::ArrayEnd, 1),
            Some(b',') => (Kind::Comma, 1),
            Some(b':') => (Kind::Colon, 1),
            Some(b'"') => (Kind::String, string_length(&self.text[start..])?),
            Some(b'-' | b'0'..=b'9') => (Kind::Number, number_length(&self.text[start..])?),
            Some(_) => self.word(start)?,
        };
        self.at = start + length;
        Ok(Token { kind, text: &self.text[start..self.at], start })
    }

    fn word(&self, start: usize) -> Result<(Kind, usize)> {
        let rest = &self.text[start..];
        let word = word_at(rest);
        let kind = match word {
            "true" => Kind::True,
            "false" => Kind::False,
            "null" => Kind::Null,
            // What is no word is a token of one character.
            "" => return Err(invalid_token(&rest[..rest.chars().next().map_or(0, char::len_utf8)])),
            _ => return Err(invalid_token(word)),
        };
        Ok((kind, word.len()))
    }
}

fn invalid_token(token: &str) -> Error {
    invalid(format!("Token \"{token}\" is invalid."))
}

/// Letters, digits, underscores and all that is not ASCII.
fn word_at(text: &str) -> &str {
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_' || !b.is_ascii();
    &text[..text.bytes().position(|b| !is_word(&b)).unwrap_or(text.len())]
}

fn string_length(text: &str) -> Result<usize> {
    let bytes = text.as_bytes();
    let token = |end: usize| &text[..text.floor_char_boundary(end)];
    let mut at = 1;
    loop {
        match bytes.get(at) {
            None => return Err(invalid_token(token(at))),
            Some(b'"') => return Ok(at + 1),
            Some(&control @ 0..=31) => {
                return Err(invalid(format!("Character with value 0x{control:02x} must be escaped.")));
            }
            Some(b'\\') => match bytes.get(at + 1) {
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => at += 2,
                Some(b'u') => {
                    let digits = bytes.get(at + 2..at + 6);
                    if !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
                        return Err(invalid("\"\\u\" must be followed by four hexadecimal digits."));
                    }
                    at += 6;
                }
                None => return Err(invalid_token(token(at + 1))),
                Some(_) => {
                    let end = at + 1 + text[at + 1..].chars().next().map_or(1, char::len_utf8);
                    return Err(invalid(format!("Escape sequence \"{}\" is invalid.", &text[at..end])));
                }
            },
            Some(_) => at += 1,
        }
    }
}

fn number_length(text: &str) -> Result<usize> {
    let bytes = text.as_bytes();
    let digits = |at: usize| bytes[at.min(bytes.len())..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut at = usize::from(bytes[0] == b'-');
    let mut valid = match bytes.get(at) {
        Some(b'0') => {
            at += 1;
            true
        }
        _ => {
            let count = digits(at);
            at += count;
            count > 0
        }
    };
    if valid && bytes.get(at) == Some(&b'.') {
        let count = digits(at + 1);
        at += 1 + count;
        valid = count > 0;
    }
    if valid && matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let count = digits(at);
        at += count;
        valid = count > 0;
    }
    let more = word_at(&text[at..]).len();
    if valid && more == 0 { Ok(at) } else { Err(invalid_token(&text[..at + more])) }
}

/// What is done with the parts of JSON while it is read.
pub trait Sink {
    fn begin(&mut self, _object: bool) -> Result<()> {
        Ok(())
    }

    /// The array or the object ends that was begun last.
    fn end(&mut self) {}

    /// A key's token.
    fn key(&mut self, _token: &str) -> Result<()> {
        Ok(())
    }

    /// A string, a number or a word.
    fn scalar(&mut self, _token: Token<'_>) -> Result<()> {
        Ok(())
    }
}

/// Takes no notice of anything.
struct Ignore;

impl Sink for Ignore {}

/// Fails with 22P02 for what is not JSON. Depth has no limit and needs a byte a level.
pub fn check(text: &str) -> Result<()> {
    parse(text, &mut Ignore)
}

/// Gives the parts of JSON to a sink. Fails with 22P02 for what is not JSON.
pub fn parse(text: &str, sink: &mut impl Sink) -> Result<()> {
    let mut lexer = Lexer::new(text);
    // Whether what is open is an object.
    let mut open: Vec<bool> = Vec::new();
    let mut token = lexer.token()?;
    loop {
        // A value begins here.
        match token.kind {
            Kind::ObjectStart => {
                sink.begin(true)?;
                token = lexer.token()?;
                if token.kind != Kind::ObjectEnd {
                    open.push(true);
                    token = key(&mut lexer, token, "string or \"}\"", sink)?;
                    continue;
                }
                sink.end();
            }
            Kind::ArrayStart => {
                sink.begin(false)?;
                token = lexer.token()?;
                if token.kind != Kind::ArrayEnd {
                    open.push(false);
                    if matches!(token.kind, Kind::ObjectEnd | Kind::Comma | Kind::Colon | Kind::End) {
                        return Err(expected("JSON value", token));
                    }
                    continue;
                }
                sink.end();
            }
            Kind::String | Kind::Number | Kind::True | Kind::False | Kind::Null => sink.scalar(token)?,
            _ => return Err(expected("JSON value", token)),
        }
        // It has ended, and perhaps what it is in.
        loop {
            token = lexer.token()?;
            match (open.last(), token.kind) {
                (None, Kind::End) => return Ok(()),
                (None, _) => return Err(expected("end of input", token)),
                (Some(true), Kind::ObjectEnd) | (Some(false), Kind::ArrayEnd) => {
                    open.pop();
                    sink.end();
                }
                (Some(true), Kind::Comma) => {
                    let next = lexer.token()?;
                    token = key(&mut lexer, next, "string", sink)?;
                    break;
                }
                (Some(false), Kind::Comma) => {
                    token = lexer.token()?;
                    break;
                }
                (Some(true), _) => return Err(expected("\",\" or \"}\"", token)),
                (Some(false), _) => return Err(expected("\",\" or \"]\"", token)),
            }
        }
    }
}

/// The token behind a key and its colon.
fn key<'a>(lexer: &mut Lexer<'a>, key: Token<'a>, what: &str, sink: &mut impl Sink) -> Result<Token<'a>> {
    if key.kind != Kind::String {
        return Err(expected(what, key));
    }
    sink.key(key.text)?;
    let colon = lexer.token()?;
    if colon.kind != Kind::Colon {
        return Err(expected("\":\"", colon));
    }
    lexer.token()
}

fn expected(what: &str, found: Token<'_>) -> Error {
    match found.kind {
        Kind::End => invalid("The input string ended unexpectedly."),
        _ => invalid(format!("Expected {what}, but found \"{}\".", found.text)),
    }
}

/// What a string's token says.
pub fn unescape(token: &str) -> Result<Cow<'_, str>> {
    let inner = &token[1..token.len() - 1];
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Ok(Cow::Borrowed(inner));
    }
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let escape = rest.as_bytes()[at + 1];
        rest = &rest[at + 2..];
        match escape {
            b'b' => out.push('\u{8}'),
            b'f' => out.push('\u{c}'),
            b'n' => out.push('\n'),
            b'r' => out.push('\r'),
            b't' => out.push('\t'),
            b'u' => {
                let (character, used) = unicode(rest)?;
                out.push(character);
                rest = &rest[used..];
            }
            other => out.push(char::from(other)),
        }
    }
    out.push_str(rest);
    Ok(Cow::Owned(out))
}

/// The character of four digits, or of two such for one beyond the first 65536; and how much was used.
fn unicode(digits: &str) -> Result<(char, usize)> {
    let unit = |at: usize| digits.get(at..at + 4).and_then(|four| u32::from_str_radix(four, 16).ok());
    let low_expected = || invalid("Unicode low surrogate must follow a high surrogate.");
    match unit(0).unwrap_or(0) {
        0 => {
            let error = Error::new(sqlstate::UNTRANSLATABLE_CHARACTER, "unsupported Unicode escape sequence");
            Err(error.detail("\\u0000 cannot be converted to text."))
        }
        high @ 0xd800..0xdc00 => match digits.get(4..6).filter(|&next| next == "\\u").and_then(|_| unit(6)) {
            Some(low @ 0xdc00..0xe000) => {
                let code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                Ok((char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 10))
            }
            Some(0xd800..0xdc00) => Err(invalid("Unicode high surrogate must not follow a high surrogate.")),
            _ => Err(low_expected()),
        },
        0xdc00..0xe000 => Err(low_expected()),
        code => Ok((char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 4)),
    }
}
