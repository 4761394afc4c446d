//! Dates, times and intervals as text, cut into fields as PostgreSQL's `ParseDateTime` cuts them.

use std::borrow::Cow;

use super::words;

/// What a field looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Digits, perhaps with one point.
    Number,
    /// Parts between `-`, `/` or points; or a zone's name with such signs in it.
    Date,
    /// Digits with colons.
    Time,
    /// A sign and digits.
    Signed,
    /// A sign and a word.
    SignedWord,
    Word,
}

/// A field, in lower case.
#[derive(Clone, Debug)]
pub struct Field<'a> {
    pub kind: Kind,
    pub text: Cow<'a, str>,
}

/// More fields than this no date, time or interval has (`MAXDATEFIELDS`).
pub const MAX_FIELDS: usize = 25;

/// What C calls a space.
fn is_space(byte: u8) -> bool {
    byte == b' ' || (b'\t'..=b'\r').contains(&byte)
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

/// Cuts a text that is in lower case. `None` where something else stands, and for more than `room` bytes of fields with
/// their ends, which is what PostgreSQL has a buffer for.
pub fn split(text: &str, room: usize) -> Option<Vec<Field<'_>>> {
    let mut fields = Vec::new();
    let mut scanner = Scanner { text, at: 0 };
    let mut used = 0;
    while let Some(byte) = scanner.peek() {
        let start = scanner.at;
        let kind = match byte {
            _ if is_space(byte) => {
                scanner.at += 1;
                continue;
            }
            b'0'..=b'9' => scanner.digits(),
            b'.' => {
                scanner.at += 1;
                scanner.run(|b| b.is_ascii_digit());
                Kind::Number
            }
            b'a'..=b'z' => scanner.word(),
            b'+' | b'-' => {
                let field = scanner.signed(byte)?;
                used += field.text.len() + 1;
                fields.push(field);
                if used >= room || fields.len() > MAX_FIELDS {
                    return None;
                }
                continue;
            }
            // Other signs only separate.
            _ if byte.is_ascii_punctuation() => {
                scanner.at += 1;
                continue;
            }
            _ => return None,
        };
        fields.push(Field { kind, text: Cow::Borrowed(&text[start..scanner.at]) });
        used += scanner.at - start + 1;
        if used >= room || fields.len() > MAX_FIELDS {
            return None;
        }
    }
    Some(fields)
}

impl<'a> Scanner<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn run(&mut self, belongs: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&belongs) {
            self.at += 1;
        }
    }

    fn digits(&mut self) -> Kind {
        self.run(|b| b.is_ascii_digit());
        match self.peek() {
            Some(b':') => {
                self.run(|b| b.is_ascii_digit() || b == b':' || b == b'.');
                Kind::Time
            }
            Some(separator @ (b'-' | b'/' | b'.')) => {
                self.at += 1;
                if !self.peek().is_some_and(|b| b.is_ascii_digit()) {
                    // The month is a word.
                    self.run(|b| b.is_ascii_alphanumeric() || b == separator);
                    return Kind::Date;
                }
                self.run(|b| b.is_ascii_digit());
                if self.peek() == Some(separator) {
                    self.run(|b| b.is_ascii_digit() || b == separator);
                    Kind::Date
                } else if separator == b'.' {
                    Kind::Number
                } else {
                    Kind::Date
                }
            }
            _ => Kind::Number,
        }
    }

    /// A word, or a date that begins with a month, or a zone's name.
    fn word(&mut self) -> Kind {
        let start = self.at;
        self.run(|b| b.is_ascii_alphabetic());
        let goes_on = match self.peek() {
            Some(b'-' | b'/' | b'.') => true,
            Some(b'+' | b'0'..=b'9') => words::date_word(&self.text[start..self.at]).is_none(),
            _ => false,
        };
        if !goes_on {
            return Kind::Word;
        }
        self.at += 1;
        self.run(|b| b.is_ascii_alphanumeric() || b"+-/_.:".contains(&b));
        Kind::Date
    }

    /// The sign may stand apart.
    fn signed(&mut self, sign: u8) -> Option<Field<'a>> {
        let start = self.at;
        self.at += 1;
        self.run(is_space);
        let begin = self.at;
        let kind = match self.peek()? {
            b'0'..=b'9' => {
                self.run(|b| b.is_ascii_digit() || b":.-".contains(&b));
                Kind::Signed
            }
            b'a'..=b'z' => {
                self.run(|b| b.is_ascii_alphabetic());
                Kind::SignedWord
            }
            _ => return None,
        };
        let text = if begin == start + 1 {
            Cow::Borrowed(&self.text[start..self.at])
        } else {
            Cow::Owned(format!("{}{}", char::from(sign), &self.text[begin..self.at]))
        };
        Some(Field { kind, text })
    }
}

/// The number with which a text begins, 0 if there is none, and what stands behind it. `None`: it does not fit.
pub fn leading(text: &str) -> Option<(i32, &str)> {
    let (number, rest) = leading_long(text)?;
    Some((i32::try_from(number).ok()?, rest))
}

/// The same of 64 bits, with a sign.
pub fn leading_long(text: &str) -> Option<(i64, &str)> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let end = unsigned.find(|c: char| !c.is_ascii_digit()).unwrap_or(unsigned.len());
    if end == 0 {
        return Some((0, text));
    }
    let end = end + text.len() - unsigned.len();
    Some((text[..end].parse().ok()?, &text[end..]))
}

/// The value of `.123`; `None` where other things than digits stand behind the point.
pub fn fraction(text: &str) -> Option<f64> {
    let digits = &text[1..];
    if digits.is_empty() {
        return Some(0.0);
    }
    digits.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// The same in microseconds.
pub fn micros_of_fraction(text: &str) -> Option<i64> {
    Some((fraction(text)? * 1e6).round_ties_even() as i64)
}
