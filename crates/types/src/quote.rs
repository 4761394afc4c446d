//! Identifiers and literals as SQL has to write them, names with several parts as SQL reads them, and the words that the
//! grammar knows.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use error::sqlstate;

use crate::error::{Error, Result};
use crate::text::truncated_name;

/// A word of the grammar, as `pg_get_keywords()` says.
#[derive(Clone, Copy, Debug)]
pub struct Keyword {
    pub word: &'static str,
    /// `U` unreserved, `C` no function or type, `T` a function or a type, `R` reserved.
    pub catcode: u8,
    /// It may be a column's label without AS.
    pub barelabel: bool,
}

/// All words, in their order. `keywords.tsv` is recorded by the catalog's `record.sh`, whose format `catalog::facts`
/// describes: what is most frequent is left out.
pub fn keywords() -> &'static [Keyword] {
    static KEYWORDS: LazyLock<Vec<Keyword>> = LazyLock::new(|| {
        let read = |line: &'static str| {
            let mut cells = line.split('\t');
            let mut cell = || cells.next().expect("three columns");
            let (word, catcode, barelabel) = (cell(), cell(), cell());
            let catcode = catcode.bytes().next().unwrap_or(b'U');
            Keyword { word, catcode, barelabel: barelabel.is_empty() || barelabel == "true" }
        };
        include_str!("keywords.tsv").lines().skip(1).map(read).collect()
    });
    &KEYWORDS
}

/// What a word is to the grammar; `None`: an identifier like any other.
pub fn keyword(word: &str) -> Option<&'static Keyword> {
    static BY_WORD: LazyLock<HashMap<&'static str, &'static Keyword>> =
        LazyLock::new(|| keywords().iter().map(|keyword| (keyword.word, keyword)).collect());
    BY_WORD.get(word).copied()
}

/// An identifier, in quotes where SQL needs them (`quote_identifier`).
pub fn quote_identifier(name: &str) -> Cow<'_, str> {
    let plain = |(at, c): (usize, char)| c == '_' || c.is_ascii_lowercase() || (at > 0 && c.is_ascii_digit());
    let safe = !name.is_empty() && name.char_indices().all(plain);
    match safe && keyword(name).is_none_or(|keyword| keyword.catcode == b'U') {
        true => Cow::Borrowed(name),
        false => Cow::Owned(format!("\"{}\"", name.replace('"', "\"\""))),
    }
}

/// A string constant, which is an `E''` one where it has backslashes (`quote_literal`).
pub fn quote_literal(text: &str) -> String {
    let escape = if text.contains('\\') { "E" } else { "" };
    let mut quoted = String::with_capacity(text.len() + 3);
    quoted.push_str(escape);
    quoted.push('\'');
    for c in text.chars() {
        if matches!(c, '\'' | '\\') {
            quoted.push(c);
        }
        quoted.push(c);
    }
    quoted.push('\'');
    quoted
}

/// What the grammar takes for blank.
pub fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t'..='\r')
}

/// The parts of a name like `schema."Table"`: as they are stored (`SplitIdentifierString`). `None`: it is not one. An empty
/// text has none.
pub fn split_identifiers(text: &str, separator: char) -> Option<Vec<String>> {
    let mut rest = text.trim_start_matches(is_space);
    let mut parts = Vec::new();
    if rest.is_empty() {
        return Some(parts);
    }
    loop {
        let part = match rest.strip_prefix('"') {
            Some(quoted) => {
                let (part, behind) = unquoted(quoted)?;
                rest = behind;
                part
            }
            None => {
                let end = rest.find(|c| c == separator || is_space(c)).unwrap_or(rest.len());
                let (part, behind) = rest.split_at(end);
                rest = behind;
                if part.is_empty() {
                    return None;
                }
                part.to_ascii_lowercase()
            }
        };
        parts.push(truncated_name(&part).to_string());
        rest = rest.trim_start_matches(is_space);
        if rest.is_empty() {
            return Some(parts);
        }
        rest = rest.strip_prefix(separator)?.trim_start_matches(is_space);
    }
}

/// What stands before the closing quote, in which quotes are doubled, and what follows.
pub fn unquoted(text: &str) -> Option<(String, &str)> {
    let mut part = String::new();
    let mut rest = text;
    loop {
        let (before, behind) = rest.split_once('"')?;
        part.push_str(before);
        match behind.strip_prefix('"') {
            Some(behind) => {
                part.push('"');
                rest = behind;
            }
            None => return Some((part, behind)),
        }
    }
}

/// The parts of an object's name. Fails with 42602 for what is none.
pub fn qualified_name(text: &str) -> Result<Vec<String>> {
    let parts = split_identifiers(text, '.').filter(|parts| !parts.is_empty());
    parts.ok_or_else(|| Error::new(sqlstate::INVALID_NAME, "invalid name syntax"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_postgresql_reads_them() {
        let parts = |text| split_identifiers(text, '.');
        let some = |parts: &[&str]| Some(parts.iter().map(|p| p.to_string()).collect::<Vec<_>>());
        assert_eq!(parts(" A . \"B\"\"c\" "), some(&["a", "B\"c"]));
        assert_eq!(parts(""), some(&[]));
        assert_eq!(parts("Ä"), some(&["Ä"]));
        for wrong in [".", "a.", "a b", "\"a", "\"a\"b", "a..b"] {
            assert_eq!(parts(wrong), None, "{wrong}");
        }
    }
}
