//! Expressions that were compiled, each thread's own: what an expression learns of texts it keeps, without locks. An
//! expression that is the same for all rows is found first.

use std::cell::RefCell;
use std::rc::Rc;

use super::{Options, Regex};
use crate::error::Result;

/// As many as PostgreSQL keeps.
const MOST: usize = 32;

thread_local! {
    /// The one that was used last is first.
    static CACHE: RefCell<Vec<Rc<Entry>>> = const { RefCell::new(Vec::new()) };
}

struct Entry {
    pattern: String,
    options: Options,
    regex: Rc<Regex>,
}

/// An expression, compiled if it is not yet.
pub fn compiled(pattern: &str, options: Options) -> Result<Rc<Regex>> {
    let known = CACHE.with_borrow_mut(|entries| {
        let at = entries.iter().position(|entry| entry.options == options && entry.pattern == pattern)?;
        entries[..=at].rotate_right(1);
        Some(entries[0].regex.clone())
    });
    if let Some(regex) = known {
        return Ok(regex);
    }
    let regex = Rc::new(Regex::new(pattern, options)?);
    CACHE.with_borrow_mut(|entries| {
        entries.truncate(MOST - 1);
        entries.insert(0, Rc::new(Entry { pattern: pattern.to_string(), options, regex: regex.clone() }));
    });
    Ok(regex)
}
