//! Dates, times and intervals as text, cut into fields as PostgreSQL's `ParseDateTime` cuts them.

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
pub struct Field {
    pub kind: Kind,
    pub text: String,
}

/// More fields than this no date, time or interval has.
const MAX_FIELDS: usize = 25;

/// `None` where something else stands. `known` says whether a word followed by digits or a plus ends there.
pub fn split(text: &str, known: impl Fn(&str) -> bool) -> Option<Vec<Field>> {
    let bytes = text.as_bytes();
    let mut fields = Vec::new();
    let mut at = 0;
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let alpha = |at: usize| bytes.get(at).is_some_and(|b| b.is_ascii_alphabetic() || !b.is_ascii());
    let run = |mut at: usize, belongs: &dyn Fn(u8) -> bool| {
        while bytes.get(at).is_some_and(|b| belongs(*b)) {
            at += 1;
        }
        at
    };
    while at < bytes.len() {
        let start = at;
        let byte = bytes[at];
        let kind = if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        } else if byte.is_ascii_digit() {
            at = run(at, &|b| b.is_ascii_digit());
            match bytes.get(at) {
                Some(b':') => {
                    at = run(at, &|b| b.is_ascii_digit() || b == b':' || b == b'.');
                    Kind::Time
                }
                Some(&separator @ (b'-' | b'/' | b'.')) => {
                    at += 1;
                    if digit(at) {
                        at = run(at, &|b| b.is_ascii_digit());
                        if bytes.get(at) == Some(&separator) {
                            at = run(at, &|b| b.is_ascii_digit() || b == separator);
                            Kind::Date
                        } else if separator == b'.' {
                            Kind::Number
                        } else {
                            Kind::Date
                        }
                    } else {
                        at = run(at, &|b| b.is_ascii_alphanumeric() || b == separator);
                        if separator == b'.' && at == run(start, &|b| b.is_ascii_digit()) + 1 {
                            Kind::Number
                        } else {
                            Kind::Date
                        }
                    }
                }
                _ => Kind::Number,
            }
        } else if byte == b'.' {
            at = run(at + 1, &|b| b.is_ascii_digit());
            Kind::Number
        } else if alpha(at) {
            at = run(at, &|b| b.is_ascii_alphabetic() || !b.is_ascii());
            let embedded = match bytes.get(at) {
                Some(b'-' | b'/' | b'.') => true,
                Some(b'+' | b'0'..=b'9') => !known(&text[start..at].to_lowercase()),
                _ => false,
            };
            if embedded {
                at = run(at, &|b| b.is_ascii_alphanumeric() || b"+-/_.:".contains(&b));
                Kind::Date
            } else {
                Kind::Word
            }
        } else if byte == b'+' || byte == b'-' {
            let next = run(at + 1, &|b| b.is_ascii_whitespace());
            let (kind, end) = if digit(next) {
                (Kind::Signed, run(next, &|b| b.is_ascii_digit() || b":.-".contains(&b)))
            } else if alpha(next) {
                (Kind::SignedWord, run(next, &|b| b.is_ascii_alphabetic()))
            } else {
                return None;
            };
            fields.push(Field { kind, text: format!("{}{}", char::from(byte), &text[next..end]).to_lowercase() });
            at = end;
            continue;
        } else if byte.is_ascii_punctuation() {
            at += 1;
            continue;
        } else {
            return None;
        };
        fields.push(Field { kind, text: text[start..at].to_lowercase() });
        if fields.len() > MAX_FIELDS {
            return None;
        }
    }
    Some(fields)
}

/// Microseconds from a fraction's digits, rounded.
pub fn micros_of_fraction(digits: &str) -> Option<i64> {
    if digits.is_empty() {
        return Some(0);
    }
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let fraction: f64 = format!("0.{digits}").parse().ok()?;
    Some((fraction * 1e6).round_ties_even() as i64)
}
