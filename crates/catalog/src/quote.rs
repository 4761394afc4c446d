//! Identifiers as SQL has to write them, and the words that the grammar knows.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use foldhash::fast::FixedState;

use crate::facts::{Char, Name, catalog};

catalog! {
    /// A word of the grammar, as `pg_get_keywords()` says.
    pub struct Keyword in "keywords" {
        pub word: Name,
        /// `U` unreserved, `C` no function or type, `T` a function or a type, `R` reserved.
        pub catcode: Char,
        /// It may be a column's label without AS.
        pub barelabel: bool,
    }
}

/// What a word is to the grammar; `None`: an identifier like any other.
pub fn keyword(word: &str) -> Option<&'static Keyword> {
    static KEYWORDS: LazyLock<HashMap<&'static str, &'static Keyword, FixedState>> =
        LazyLock::new(|| crate::facts::rows::<Keyword>().iter().map(|keyword| (&*keyword.word, keyword)).collect());
    KEYWORDS.get(word).copied()
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
