//! A text without its constants, in one pass.

use std::borrow::Cow;
use std::ops::Range;

/// What a constant is to PostgreSQL, as far as its token says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// An integer that is an `int4`.
    Int4 = 1,
    /// An integer that is an `int8` and no `int4`.
    Int8 = 2,
    /// A number with a point or an exponent.
    Numeric = 3,
    /// `'…'`, whose type is unknown.
    String = 4,
}

/// A constant of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    /// What it is.
    pub kind: Kind,
    /// Its token's bytes in the text, with quotes.
    pub range: Range<usize>,
}

impl Literal {
    /// A number as it is written, a string without its quotes.
    pub fn value<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let token = &text[self.range.clone()];
        if self.kind != Kind::String {
            return token.into();
        }
        let inner = &token[1..token.len() - 1];
        if inner.contains('\'') { inner.replace("''", "'").into() } else { inner.into() }
    }
}

/// A text's skeleton and constants. To be used again and again: it keeps its memory.
#[derive(Clone, Debug, Default)]
pub struct Cut {
    skeleton: String,
    literals: Vec<Literal>,
}

/// Bytes of a text that is cut; most of the time of longer ones goes elsewhere.
const LONGEST: usize = 16 << 10;

impl Cut {
    /// Cuts a text; false if it has something that is not cut: a parameter, a name with a dollar sign, a string in several
    /// parts, an integer that is no `int8`, what is not a token at all, or more than 16 KiB.
    pub fn read(&mut self, text: &str) -> bool {
        self.skeleton.clear();
        self.literals.clear();
        text.len() <= LONGEST && self.cut(text).is_some()
    }

    /// The text with `$1` to `$4` (the constant's kind) for each constant, which stand nowhere else outside of quotes.
    pub fn skeleton(&self) -> &str {
        &self.skeleton
    }

    /// The constants, from left to right.
    pub fn literals(&self) -> &[Literal] {
        &self.literals
    }

    fn cut(&mut self, text: &str) -> Option<()> {
        let bytes = text.as_bytes();
        let (mut at, mut copied) = (0, 0);
        while let Some(&byte) = bytes.get(at) {
            let next = bytes.get(at + 1).copied().unwrap_or(0);
            let literal = match byte {
                b'\'' => Some((Kind::String, string_end(bytes, at)?)),
                b'0'..=b'9' => number(bytes, at)?,
                b'.' if next.is_ascii_digit() => number(bytes, at)?,
                _ => None,
            };
            if let Some((kind, end)) = literal {
                self.skeleton.push_str(&text[copied..at]);
                self.skeleton.push_str(["$1", "$2", "$3", "$4"][kind as usize - 1]);
                self.literals.push(Literal { kind, range: at..end });
                (at, copied) = (end, end);
                continue;
            }
            at = match byte {
                b'0'..=b'9' => number_end(bytes, at),
                b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => word_end(bytes, at)?,
                b'"' => quoted_end(bytes, at, b'"')?,
                b'$' => dollar_end(bytes, at)?,
                b'-' if next == b'-' => line_end(bytes, at),
                b'/' if next == b'*' => comment_end(bytes, at)?,
                _ => at + 1,
            };
        }
        self.skeleton.push_str(&text[copied..]);
        Some(())
    }
}

fn in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn digits_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|b| !b.is_ascii_digit()).map_or(bytes.len(), |n| at + n)
}

/// Where a number that is not cut out ends (`0x1f`, `1_000`): at any rate within its token.
fn number_end(bytes: &[u8], at: usize) -> usize {
    bytes[at + 1..].iter().position(|b| !in_word(*b)).map_or(bytes.len(), |n| at + 1 + n)
}

/// A number's kind and end; no kind if it is left where it is; `None` if it is none.
fn number(bytes: &[u8], at: usize) -> Option<Option<(Kind, usize)>> {
    let mut end = digits_end(bytes, at);
    let mut kind = integer_kind(&bytes[at..end]);
    // `1..10` is a range of PL/pgSQL's.
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1) != Some(&b'.') {
        end = digits_end(bytes, end + 1);
        kind = Some(Kind::Numeric);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let digits = digits_end(bytes, end + 1 + sign);
        // An exponent without digits is junk.
        if digits == end + 1 + sign {
            return None;
        }
        end = digits;
        kind = Some(Kind::Numeric);
    }
    match bytes.get(end) {
        // Of other bases or with underscores, or junk.
        Some(&b) if in_word(b) => {
            if bytes[at] == b'.' || kind == Some(Kind::Numeric) {
                None
            } else {
                Some(None)
            }
        }
        _ => kind.map(|kind| Some((kind, end))),
    }
}

fn integer_kind(digits: &[u8]) -> Option<Kind> {
    if digits.len() < 10 {
        return Some(Kind::Int4);
    }
    let value: i64 = std::str::from_utf8(digits).ok()?.parse().ok()?;
    Some(if i32::try_from(value).is_ok() { Kind::Int4 } else { Kind::Int8 })
}

/// Where a string ends; none if it does not, or goes on in the next line.
fn string_end(bytes: &[u8], at: usize) -> Option<usize> {
    let end = quoted_end(bytes, at, b'\'')?;
    let mut after = end;
    loop {
        match bytes.get(after) {
            Some(b' ' | b'\t' | b'\n' | b'\r' | b'\x0b' | b'\x0c') => after += 1,
            Some(b'-') if bytes.get(after + 1) == Some(&b'-') => after = line_end(bytes, after),
            Some(b'\'') => return None,
            _ => return Some(end),
        }
    }
}

/// Behind the closing quote; two of them are one within.
fn quoted_end(bytes: &[u8], at: usize, quote: u8) -> Option<usize> {
    let mut at = at + 1;
    loop {
        at += bytes[at..].iter().position(|b| *b == quote)? + 1;
        if bytes.get(at) != Some(&quote) {
            return Some(at);
        }
        at += 1;
    }
}

/// Behind a name, a keyword, or a string with a letter before its quote.
fn word_end(bytes: &[u8], at: usize) -> Option<usize> {
    let end = bytes[at..].iter().position(|b| !in_word(*b)).map_or(bytes.len(), |n| at + n);
    let quote = |at: usize, quote: u8| bytes.get(at) == Some(&quote);
    match &bytes[at..end] {
        b"e" | b"E" if quote(end, b'\'') => {
            let string = string_end(bytes, end)?;
            // Whether a quote behind a backslash ends the string is for the parser.
            if has_escaped_quote(&bytes[end..string]) { None } else { Some(string) }
        }
        b"b" | b"B" | b"x" | b"X" | b"n" | b"N" if quote(end, b'\'') => string_end(bytes, end),
        b"u" | b"U" if quote(end, b'&') && quote(end + 1, b'\'') => string_end(bytes, end + 1),
        _ if quote(end, b'$') => None,
        _ => Some(end),
    }
}

/// Is there a backslash before a quote that is not itself behind one, in what would be a string without backslashes?
fn has_escaped_quote(string: &[u8]) -> bool {
    let mut bytes = string.iter();
    while let Some(byte) = bytes.next() {
        if *byte == b'\\' && bytes.next().is_none_or(|next| *next == b'\'') {
            return true;
        }
    }
    false
}

/// Behind a dollar-quoted string. A parameter is no constant.
fn dollar_end(bytes: &[u8], at: usize) -> Option<usize> {
    let tag = bytes[at + 1..].iter().position(|b| !in_word(*b)).map(|n| at + 1 + n)?;
    if bytes[tag] != b'$' || bytes[at + 1].is_ascii_digit() {
        return None;
    }
    let delimiter = &bytes[at..=tag];
    let mut from = tag + 1;
    loop {
        from += bytes[from..].iter().position(|b| *b == b'$')?;
        if bytes[from..].starts_with(delimiter) {
            return Some(from + delimiter.len());
        }
        from += 1;
    }
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|b| matches!(b, b'\n' | b'\r')).map_or(bytes.len(), |n| at + n)
}

/// Comments may hold comments.
fn comment_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 0;
    loop {
        match (bytes.get(at)?, bytes.get(at + 1)?) {
            (b'/', b'*') => {
                depth += 1;
                at += 2;
            }
            (b'*', b'/') => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => at += 1,
        }
    }
}
