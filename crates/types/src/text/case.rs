//! Upper and lower case, character by character as C's `towupper` has it: no character becomes two.

use crate::error::Result;
use crate::function::Function;
use crate::functions;
use crate::sql::*;

pub const FUNCTIONS: &[Function] = functions! {
    upper(text) -> text = |a: &str| Result::Ok(a.chars().map(upper).collect::<String>());
    lower(text) -> text = |a: &str| Result::Ok(lowered(a));
    initcap(text) -> text = |a: &str| Result::Ok(initcap(a));
    // A collation of the C library folds as it makes lower.
    casefold(text) -> text = |a: &str| Result::Ok(lowered(a));
};

/// The same in the collation `C`, in which only ASCII's letters have cases.
pub const FUNCTIONS_IN_C: &[Function] = functions! {
    upper(text) -> text = |a: &str| Result::Ok(a.to_ascii_uppercase());
    lower(text) -> text = |a: &str| Result::Ok(a.to_ascii_lowercase());
    initcap(text) -> text = |a: &str| Result::Ok(initcap_in_c(a));
    casefold(text) -> text = |a: &str| Result::Ok(a.to_ascii_lowercase());
};

/// The upper case of a character; itself where there is none of one character.
pub fn upper(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_uppercase();
    }
    let mut upper = c.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(one), None) => one,
        _ => title_greek(c).unwrap_or(c),
    }
}

/// The lower case of a character; itself where there is none of one character.
pub fn lower(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    match c {
        'İ' => 'i',
        _ => c.to_lowercase().next().unwrap_or(c),
    }
}

pub fn lowered(text: &str) -> String {
    text.chars().map(lower).collect()
}

/// Greek letters with iota below, whose capitals of one character have it beside.
fn title_greek(c: char) -> Option<char> {
    let by = match u32::from(c) {
        0x1f80..=0x1f87 | 0x1f90..=0x1f97 | 0x1fa0..=0x1fa7 => 8,
        0x1fb3 | 0x1fc3 | 0x1ff3 => 9,
        _ => return None,
    };
    char::from_u32(u32::from(c) + by)
}

/// Words begin with a capital; they are of letters and digits.
fn initcap(text: &str) -> String {
    let mut within = false;
    let each = |c| {
        let changed = if within { lower(c) } else { upper(c) };
        within = super::classes::is_alnum(changed);
        changed
    };
    text.chars().map(each).collect()
}

fn initcap_in_c(text: &str) -> String {
    let mut within = false;
    let each = |c: char| {
        let changed = if within { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() };
        within = changed.is_ascii_alphanumeric();
        changed
    };
    text.chars().map(each).collect()
}
