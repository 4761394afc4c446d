//! LIKE and ILIKE, and the patterns of SIMILAR TO as regular expressions.

use std::borrow::Cow;

use error::sqlstate;

use super::case::lowered;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::sql::*;

/// A type's LIKE and NOT LIKE, each under two names, with what does it.
macro_rules! likes {
    ($($ty:ident $pattern:ident $matches:ident, $like:ident $other:ident $not:ident $not_other:ident;)*) => {
        &[$(functions! {
            $like($ty, $pattern) -> boolean = $matches;
            $other($ty, $pattern) -> boolean = $matches;
            $not($ty, $pattern) -> boolean = |a, b| Result::Ok(!$matches(a, b)?);
            $not_other($ty, $pattern) -> boolean = |a, b| Result::Ok(!$matches(a, b)?);
        }),*, OTHERS]
    };
}

pub const FUNCTIONS: &[&[Function]] = likes! {
    text text matches, textlike like textnlike notlike;
    name text matches, namelike like namenlike notlike;
    bytea bytea matches_bytes, bytealike like byteanlike notlike;
};

const OTHERS: &[Function] = functions! {
    bpcharlike(bpchar, text) -> boolean = matches;
    bpcharnlike(bpchar, text) -> boolean = |a, b| Result::Ok(!matches(a, b)?);
    texticlike(text, text) -> boolean = matches_any_case;
    texticnlike(text, text) -> boolean = |a, b| Result::Ok(!matches_any_case(a, b)?);
    nameiclike(name, text) -> boolean = matches_any_case;
    nameicnlike(name, text) -> boolean = |a, b| Result::Ok(!matches_any_case(a, b)?);
    bpchariclike(bpchar, text) -> boolean = matches_any_case;
    bpcharicnlike(bpchar, text) -> boolean = |a, b| Result::Ok(!matches_any_case(a, b)?);
    like_escape(text, text) -> text = like_escape;
    like_escape(bytea, bytea) -> bytea = like_escape_bytes;
    similar_escape(Option<text>, Option<text>) -> Option<text> =
        |pattern: Option<&str>, escape| pattern.map(|pattern| similar(pattern, escape)).transpose();
    similar_to_escape(text, text) -> text = |pattern, escape| similar(pattern, Some(escape));
    similar_to_escape(text) -> text = |pattern| similar(pattern, None);
};

fn matches_any_case(text: &str, pattern: &str) -> Result<bool> {
    matches(&lowered(text), &lowered(pattern))
}

/// ILIKE in the collation `C`, in which only ASCII's letters have cases.
pub const FUNCTIONS_IN_C: &[Function] = functions! {
    texticlike(text, text) -> boolean = matches_any_case_in_c;
    texticnlike(text, text) -> boolean = |a, b| Result::Ok(!matches_any_case_in_c(a, b)?);
    nameiclike(name, text) -> boolean = matches_any_case_in_c;
    nameicnlike(name, text) -> boolean = |a, b| Result::Ok(!matches_any_case_in_c(a, b)?);
    bpchariclike(bpchar, text) -> boolean = matches_any_case_in_c;
    bpcharicnlike(bpchar, text) -> boolean = |a, b| Result::Ok(!matches_any_case_in_c(a, b)?);
};

fn matches_any_case_in_c(text: &str, pattern: &str) -> Result<bool> {
    matches(&text.to_ascii_lowercase(), &pattern.to_ascii_lowercase())
}

/// Where the character ends that begins here.
fn next(text: &[u8], at: usize) -> usize {
    let rest = text[at + 1..].iter().take_while(|byte| **byte & 0xc0 == 0x80).count();
    at + 1 + rest
}

fn matches(text: &str, pattern: &str) -> Result<bool> {
    matches_by(text.as_bytes(), pattern.as_bytes(), next)
}

fn matches_bytes(text: &[u8], pattern: &[u8]) -> Result<bool> {
    matches_by(text, pattern, |_, at| at + 1)
}

/// Whether a text is like a pattern; `next` says what `_` takes. Texts are UTF-8, in which no character contains another's bytes: so bytes are
/// compared, and only `_` takes characters. A pattern that ends in its escape character is an error where matching comes to
/// it (`MatchText`).
fn matches_by(text: &[u8], pattern: &[u8], next: fn(&[u8], usize) -> usize) -> Result<bool> {
    let incomplete =
        || Error::new(sqlstate::INVALID_ESCAPE_SEQUENCE, "LIKE pattern must not end with escape character");
    let (mut t, mut p) = (0, 0);
    // Where to go on after the last `%`, when it takes a character more.
    let mut again: Option<(usize, usize)> = None;
    loop {
        if pattern.get(p) == Some(&b'%') {
            while let Some(wild @ (b'%' | b'_')) = pattern.get(p) {
                if *wild == b'_' {
                    if t == text.len() {
                        return Ok(false);
                    }
                    t = next(text, t);
                }
                p += 1;
            }
            match pattern.get(p..) {
                None | Some([]) => return Ok(true),
                Some([b'\\']) => return Err(incomplete()),
                Some(_) => again = Some((t, p)),
            }
            continue;
        }
        let step = match (text.get(t), pattern.get(p)) {
            (None, None) => return Ok(true),
            // The rest of the text is too short for the pattern, and gets only shorter.
            (None, Some(_)) => return Ok(false),
            (Some(_), Some(b'_')) => Some((next(text, t), p + 1)),
            (Some(_), Some(b'\\')) if p + 1 == pattern.len() => return Err(incomplete()),
            (Some(byte), Some(b'\\')) => (pattern[p + 1] == *byte).then_some((t + 1, p + 2)),
            (Some(byte), Some(wanted)) => (wanted == byte).then_some((t + 1, p + 1)),
            (Some(_), None) => None,
        };
        (t, p) = match (step, again) {
            (Some(step), _) => step,
            (None, Some((from, behind))) if from < text.len() => {
                let from = next(text, from);
                again = Some((from, behind));
                (from, behind)
            }
            (None, _) => return Ok(false),
        };
    }
}

/// The escape character; none if it is empty.
fn escape_of(text: &str) -> Result<Option<char>> {
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (first, None) => Ok(first),
        _ => Err(invalid_escape()),
    }
}

fn invalid_escape() -> Error {
    Error::new(sqlstate::INVALID_ESCAPE_SEQUENCE, "invalid escape string")
        .hint("Escape string must be empty or one character.")
}

/// A pattern with another escape character as one with a backslash.
fn like_escape<'a>(pattern: &'a str, escape: &str) -> Result<Cow<'a, str>> {
    let escape = escape_of(escape)?;
    if escape == Some('\\') {
        return Ok(Cow::Borrowed(pattern));
    }
    let mut out = String::with_capacity(pattern.len() + 8);
    let mut escaped = false;
    for c in pattern.chars() {
        let is_escape = Some(c) == escape && !escaped;
        match c {
            _ if is_escape => out.push('\\'),
            '\\' if !escaped => out.push_str("\\\\"),
            _ => out.push(c),
        }
        escaped = is_escape;
    }
    Ok(Cow::Owned(out))
}

fn like_escape_bytes<'a>(pattern: &'a [u8], escape: &[u8]) -> Result<Cow<'a, [u8]>> {
    let escape = match escape {
        [] => None,
        [one] => Some(*one),
        _ => return Err(invalid_escape()),
    };
    if escape == Some(b'\\') {
        return Ok(Cow::Borrowed(pattern));
    }
    let mut out = Vec::with_capacity(pattern.len() + 8);
    let mut escaped = false;
    for &byte in pattern {
        let is_escape = Some(byte) == escape && !escaped;
        match byte {
            _ if is_escape => out.push(b'\\'),
            b'\\' if !escaped => out.extend(b"\\\\"),
            _ => out.push(byte),
        }
        escaped = is_escape;
    }
    Ok(Cow::Owned(out))
}

/// Where a pattern is inside of brackets.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum InClass {
    /// Behind `[`: `^` negates the class, `]` is a character.
    Begin,
    /// Behind `[^`.
    Negated,
    Within,
}

/// The regular expression that SIMILAR TO means by its pattern (`similar_escape_internal`): the whole text has to match; `%`
/// and `_` are wild, `|*+?{}()[]` as in regular expressions. Two separators `\"` mark the part that `substring` gives, which
/// is as long as can be, behind one that is as short as can be.
pub fn similar(pattern: &str, escape: Option<&str>) -> Result<String> {
    let escape = escape.map_or(Ok(Some('\\')), escape_of)?;
    let mut out = String::with_capacity(pattern.len() + 16);
    out.push_str("^(?:");
    let (mut escaped, mut depth, mut class, mut separators) = (false, 0, InClass::Begin, 0);
    for c in pattern.chars() {
        if escaped {
            escaped = false;
            if c == '"' && depth == 0 {
                out.push_str(match separators {
                    0 => "){1,1}?(",
                    1 => "){1,1}(?:",
                    _ => {
                        let message =
                            "SQL regular expression may not contain more than two escape-double-quote separators";
                        return Err(Error::new(sqlstate::INVALID_USE_OF_ESCAPE_CHARACTER, message));
                    }
                });
                separators += 1;
            } else {
                // Any character may be escaped; letters are classes such as `\d`.
                out.extend(['\\', c]);
                class = InClass::Within;
            }
        } else if Some(c) == escape {
            escaped = true;
        } else if depth > 0 {
            if c == '\\' {
                out.push('\\');
            }
            out.push(c);
            class = match (c, class) {
                (']', InClass::Within) => {
                    depth -= 1;
                    InClass::Within
                }
                ('[', _) => {
                    depth += 1;
                    InClass::Within
                }
                ('^', InClass::Begin) => InClass::Negated,
                _ => InClass::Within,
            };
        } else {
            match c {
                '[' => {
                    (depth, class) = (1, InClass::Begin);
                    out.push(c);
                }
                '%' => out.push_str(".*"),
                '_' => out.push('.'),
                '(' => out.push_str("(?:"),
                '\\' | '.' | '^' | '$' => out.extend(['\\', c]),
                _ => out.push(c),
            }
        }
    }
    out.push_str(")$");
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_postgresql() {
        for (text, pattern, answer) in [
            ("abc", "a%", Some(true)),
            ("abc", "%c", Some(true)),
            ("abc", "%b", Some(false)),
            ("abcbc", "%bc", Some(true)),
            ("aXbXc", "a%X_", Some(true)),
            ("äöü", "_ö_", Some(true)),
            ("äöü", "__", Some(false)),
            ("", "%", Some(true)),
            ("", "_", Some(false)),
            ("", "\\", Some(false)),
            ("a", "b\\", Some(false)),
            ("a", "a\\", Some(false)),
            ("ab", "a\\", None),
            ("a%", "a\\%", Some(true)),
            ("ab", "a\\%", Some(false)),
            ("abc", "%\\", None),
            ("abcd", "%_d", Some(true)),
            ("d", "%_d", Some(false)),
            ("", "%_", Some(false)),
        ] {
            assert_eq!(matches(text, pattern).ok(), answer, "{text} {pattern}");
        }
    }
}
