//! Trees as text, which is how the catalogs keep them (`pg_node_tree`): PostgreSQL's `outfuncs.c` and `readfuncs.c`.
//!
//! Every field stands behind its name and every variant is named, so a text tells what it is made of, and fields that come
//! later may have `#[serde(default)]`. The grammar:
//!
//! ```text
//! value   := integer | t | f | - | "text" | ( value … ) | { name value … } | Variant | Variant:value
//! ```
//!
//! `-` is an absent value. In a text `"` and `\` stand behind a `\`. A whole text stands in braces, as no SQL does:
//! [`is_tree`] tells them apart.
//!
//! # Invariants
//! * What is written is read as the same: `read(write(tree))` writes the same text (`analyze/tests/nodes.rs`). Positions in
//!   the statement's text are left out.
//! * A damaged text is XX001 and never a panic, however deep it is. That a tree fits the relations is
//!   [`crate::rewrite::stored`]'s to say, which is all that reads them.

pub(crate) mod constant;
mod read;
mod write;

use ::error::sqlstate;
use serde::Serialize;
use serde::de::DeserializeOwned;
use syntax::with_stack_for;
use types::{Error, Result};

/// More levels of stack than a level of a text takes to be read or written.
const LEVELS: usize = 32;

/// A tree as text. What only plans have cannot be written.
pub fn write<T: Serialize>(tree: &T) -> Result<String> {
    let mut out = String::from("{");
    tree.serialize(write::Writer { out: &mut out })
        .map_err(|error| Error::new(sqlstate::INTERNAL_ERROR, format!("a tree cannot be stored: {error}")))?;
    out.push('}');
    Ok(out)
}

/// The tree of a text. It has at most [`depth`] levels.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T> {
    // What has been read of a damaged text is dropped, too.
    with_stack_for(depth(text), || read::whole(text)).map_err(|error| damaged(&error.to_string()))
}

/// What is no tree, or one of something else.
pub(crate) fn damaged(what: &str) -> Error {
    Error::new(sqlstate::DATA_CORRUPTED, format!("invalid stored expression: {what}"))
}

/// Is it a tree, or else SQL, which is what PostgreSQL's own objects are recorded with?
pub fn is_tree(text: &str) -> bool {
    text.starts_with('{')
}

/// What a text is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One of several kinds of nodes: an expression.
    Node,
    List,
    /// A query.
    Structure,
}

pub fn kind(text: &str) -> Kind {
    match text.as_bytes().get(1) {
        Some(b'(') => Kind::List,
        Some(b'{') => Kind::Structure,
        _ => Kind::Node,
    }
}

/// The levels of a text.
pub fn depth(text: &str) -> usize {
    let (mut level, mut deepest, mut in_text, mut escaped) = (0usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'{' | b'(' if !in_text => level += 1,
            b'}' | b')' if !in_text => level = level.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(level);
    }
    deepest
}

/// Why a text is no tree, or a tree no text.
#[derive(Debug)]
pub(crate) struct Damage(String);

impl std::fmt::Display for Damage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Damage {}

impl serde::ser::Error for Damage {
    fn custom<T: std::fmt::Display>(message: T) -> Damage {
        Damage(message.to_string())
    }
}

impl serde::de::Error for Damage {
    fn custom<T: std::fmt::Display>(message: T) -> Damage {
        Damage(message.to_string())
    }
}
