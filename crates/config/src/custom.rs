//! Parameters that users make up: two or more names with dots between, as `app.tenant`.

use std::collections::BTreeMap;

use error::{Error, Result, sqlstate};

use crate::definition::unknown;
use crate::source::Source;

/// A session's made-up parameters; PostgreSQL is bounded by memory alone.
const MOST: usize = 10_000;

/// A made-up parameter. Once it has been set it stays until the session ends, empty at the least.
#[derive(Clone, Debug, PartialEq)]
pub struct Custom {
    /// As it was first written.
    pub name: String,
    pub value: String,
    pub source: Source,
}

/// By the name in lower case.
pub type Customs = BTreeMap<String, Custom>;

/// May a parameter have this name, which is none of PostgreSQL's or ours?
pub fn check_name(name: &str) -> Result<()> {
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_' || !c.is_ascii();
    let identifier =
        |part: &str| part.starts_with(letter) && part.chars().all(|c| letter(c) || c.is_ascii_digit() || c == '$');
    if !name.contains('.') {
        return Err(unknown(name));
    }
    if !name.split('.').all(identifier) {
        return Err(Error::new(sqlstate::INVALID_NAME, format!("invalid configuration parameter name \"{name}\""))
            .detail("Custom parameter names must be two or more simple identifiers separated by dots."));
    }
    Ok(())
}

pub fn set(customs: &mut Customs, name: &str, value: &str, source: Source) -> Result<()> {
    check_name(name)?;
    let key = name.to_ascii_lowercase();
    if customs.len() >= MOST && !customs.contains_key(&key) {
        return Err(Error::new(sqlstate::OUT_OF_MEMORY, "too many custom parameters")
            .hint(format!("A session may have {MOST}.")));
    }
    let custom = customs.entry(key).or_insert_with(|| Custom { name: name.into(), value: String::new(), source });
    (custom.value, custom.source) = (value.into(), source);
    Ok(())
}
