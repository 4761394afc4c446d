//! Functions of texts that count characters: parts, padding, searching, replacing.

use error::sqlstate;

use super::compare::trimmed;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::memory::{Claim, claim};
use crate::sql::*;

pub const FUNCTIONS: &[&[Function]] = &[LENGTHS, PARTS, TRIMS, CHANGES, CHARACTERS, NUMBERS];

const LENGTHS: &[Function] = functions! {
    length(text) -> int4 = |a| Result::Ok(characters(a));
    textlen(text) -> int4 = |a| Result::Ok(characters(a));
    char_length(text) -> int4 = |a| Result::Ok(characters(a));
    character_length(text) -> int4 = |a| Result::Ok(characters(a));
    length(bpchar) -> int4 = |a| Result::Ok(characters(trimmed(a)));
    char_length(bpchar) -> int4 = |a| Result::Ok(characters(trimmed(a)));
    character_length(bpchar) -> int4 = |a| Result::Ok(characters(trimmed(a)));
    octet_length(text) -> int4 = |a: &str| Result::Ok(a.len() as i32);
    octet_length(bpchar) -> int4 = |a: &str| Result::Ok(a.len() as i32);
    bit_length(text) -> int4 =
        |a: &str| i32::try_from(a.len() * 8).map_err(|_| Error::out_of_range("integer"));
};

const PARTS: &[Function] = functions! {
    substring(text, int4, int4) -> text = |a, from, length| substring(a, from, Some(length));
    substr(text, int4, int4) -> text = |a, from, length| substring(a, from, Some(length));
    substring(text, int4) -> text = |a, from| substring(a, from, None);
    substr(text, int4) -> text = |a, from| substring(a, from, None);
    left(text, int4) -> text = |a, count| Result::Ok(split_at(a, count).0);
    right(text, int4) -> text = right;
    position(text, text) -> int4 = |a, b| Result::Ok(position(a, b));
    strpos(text, text) -> int4 = |a, b| Result::Ok(position(a, b));
    overlay(text, text, int4, int4) -> text = overlay;
    overlay(text, text, int4) -> text = |a, b, from| overlay(a, b, from, characters(b));
    split_part(text, text, int4) -> text = split_part;
};

const TRIMS: &[Function] = functions! {
    btrim(text) -> text = |a: &str| Result::Ok(a.trim_matches(' ').to_string());
    ltrim(text) -> text = |a: &str| Result::Ok(a.trim_start_matches(' ').to_string());
    rtrim(text) -> text = |a: &str| Result::Ok(a.trim_end_matches(' ').to_string());
    btrim(text, text) -> text = |a: &str, set: &str| Result::Ok(a.trim_matches(|c| set.contains(c)).to_string());
    ltrim(text, text) -> text =
        |a: &str, set: &str| Result::Ok(a.trim_start_matches(|c| set.contains(c)).to_string());
    rtrim(text, text) -> text = |a: &str, set: &str| Result::Ok(a.trim_end_matches(|c| set.contains(c)).to_string());
    lpad(text, int4, text) -> text = |a, length, fill| padded(a, length, fill, true);
    rpad(text, int4, text) -> text = |a, length, fill| padded(a, length, fill, false);
    lpad(text, int4) -> text = |a, length| padded(a, length, " ", true);
    rpad(text, int4) -> text = |a, length| padded(a, length, " ", false);
};

const CHANGES: &[Function] = functions! {
    textcat(text, text) -> text = |a: &str, b: &str| concat(&[a, b]);
    repeat(text, int4) -> text = repeat;
    replace(text, text, text) -> text = replace;
    translate(text, text, text) -> text = translate;
    reverse(text) -> text = |a: &str| Result::Ok(a.chars().rev().collect::<String>());
};

const CHARACTERS: &[Function] = functions! {
    ascii(text) -> int4 = |a: &str| Result::Ok(a.chars().next().map_or(0, |c| c as i32));
    chr(int4) -> text = chr;
};

const NUMBERS: &[Function] = functions! {
    to_hex(int4) -> text = |a: i32| Result::Ok(format!("{a:x}"));
    to_hex(int8) -> text = |a: i64| Result::Ok(format!("{a:x}"));
    to_oct(int4) -> text = |a: i32| Result::Ok(format!("{a:o}"));
    to_oct(int8) -> text = |a: i64| Result::Ok(format!("{a:o}"));
    to_bin(int4) -> text = |a: i32| Result::Ok(format!("{a:b}"));
    to_bin(int8) -> text = |a: i64| Result::Ok(format!("{a:b}"));
};

/// Bytes of a text at most (PostgreSQL's `MaxAllocSize`, less its header).
pub const MOST: usize = 0x3fff_ffff - 4;

pub fn too_long() -> Error {
    Error::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, "requested length too large")
}

/// Asks for room for a text of so many bytes, if it is one.
pub fn room(bytes: usize) -> Result<Claim> {
    if bytes > MOST { Err(too_long()) } else { claim(bytes) }
}

fn concat(parts: &[&str]) -> Result<String> {
    let _room = room(parts.iter().map(|part| part.len()).sum())?;
    Ok(parts.concat())
}

/// How many characters there are.
pub fn characters(text: &str) -> i32 {
    // A text is shorter than 1 GiB.
    if text.is_ascii() { text.len() as i32 } else { text.chars().count() as i32 }
}

/// Where a character begins, from 0; the end if there are not as many.
fn offset(text: &str, character: usize) -> usize {
    if text.is_ascii() {
        return character.min(text.len());
    }
    text.char_indices().nth(character).map_or(text.len(), |(at, _)| at)
}

/// The characters from the one with this number on, so many of them; they need not be there.
fn substring(text: &str, from: i32, length: Option<i32>) -> Result<&str> {
    let begin = i64::from(from) - 1;
    let end = match length {
        Some(..0) => return Err(Error::new(sqlstate::SUBSTRING_ERROR, "negative substring length not allowed")),
        Some(length) => Some(begin + i64::from(length)),
        None => None,
    };
    let begin = begin.max(0);
    let rest = &text[offset(text, begin as usize)..];
    Ok(match end {
        Some(end) => &rest[..offset(rest, (end - begin).max(0) as usize)],
        None => rest,
    })
}

/// The first characters and the others; a negative count leaves so many to the others.
fn split_at(text: &str, count: i32) -> (&str, &str) {
    let first =
        if count < 0 { (i64::from(characters(text)) + i64::from(count)).max(0) as usize } else { count as usize };
    text.split_at(offset(text, first))
}

/// The last characters; a negative count leaves so many before them.
fn right(text: &str, count: i32) -> Result<&str> {
    let before = match count {
        // There is no number that is its negative: PostgreSQL leaves nothing out.
        _ if count == i32::MIN => 0,
        ..0 => count.unsigned_abs() as usize,
        _ => (i64::from(characters(text)) - i64::from(count)).max(0) as usize,
    };
    Ok(&text[offset(text, before)..])
}

/// The number of the character where `part` begins; 0: it is not there.
fn position(text: &str, part: &str) -> i32 {
    text.find(part).map_or(0, |at| characters(&text[..at]) + 1)
}

fn overlay(text: &str, new: &str, from: i32, length: i32) -> Result<String> {
    if from <= 0 {
        return Err(Error::new(sqlstate::SUBSTRING_ERROR, "negative substring length not allowed"));
    }
    let behind = from.checked_add(length).ok_or_else(|| Error::out_of_range("integer"))?;
    let (before, after) = (substring(text, 1, Some(from - 1))?, substring(text, behind, None)?);
    concat(&[before, new, after])
}

/// The field of a number, counted from the end if it is negative.
fn split_part<'a>(text: &'a str, separator: &str, field: i32) -> Result<&'a str> {
    if field == 0 {
        return Err(Error::new(sqlstate::INVALID_PARAMETER_VALUE, "field position must not be zero"));
    }
    if separator.is_empty() {
        return Ok(if field.abs() == 1 { text } else { "" });
    }
    let nth = field.unsigned_abs() as usize - 1;
    let found = match field {
        // From the left also here: separators may overlap.
        ..0 => {
            let fields = text.split(separator).count();
            fields.checked_sub(nth + 1).and_then(|nth| text.split(separator).nth(nth))
        }
        _ => text.split(separator).nth(nth),
    };
    Ok(found.unwrap_or(""))
}

fn padded(text: &str, length: i32, fill: &str, left: bool) -> Result<String> {
    let length = usize::try_from(length).unwrap_or(0);
    let have = (characters(text) as usize).min(length);
    // An empty text fills nothing.
    let padding = if fill.is_empty() { 0 } else { length - have };
    // Of the widest characters.
    if have + padding > MOST / 4 {
        return Err(too_long());
    }
    let text = &text[..offset(text, have)];
    let in_fill = characters(fill).max(1) as usize;
    // The filling, and the whole.
    let _room = claim(text.len() + 2 * (padding / in_fill + 1) * fill.len())?;
    let rest = &fill[..offset(fill, padding % in_fill)];
    let padding = [&fill.repeat(padding / in_fill), rest];
    Ok(match left {
        true => [padding[0], padding[1], text].concat(),
        false => [text, padding[0], padding[1]].concat(),
    })
}

fn repeat(text: &str, times: i32) -> Result<String> {
    let times = usize::try_from(times).unwrap_or(0);
    let _room = room(text.len().saturating_mul(times))?;
    Ok(text.repeat(times))
}

fn replace(text: &str, from: &str, to: &str) -> Result<String> {
    if from.is_empty() {
        return Ok(text.to_string());
    }
    let longer = match to.len().saturating_sub(from.len()) {
        0 => 0,
        longer => text.matches(from).count().saturating_mul(longer),
    };
    let _room = room(text.len().saturating_add(longer))?;
    Ok(text.replace(from, to))
}

/// Each character of `from` becomes the one of `to` in the same place, or nothing.
fn translate(text: &str, from: &str, to: &str) -> Result<String> {
    // The widest character for each byte.
    if text.len() > MOST / 4 {
        return Err(too_long());
    }
    let _room = claim(text.len())?;
    let one = |c: char| match from.chars().position(|other| other == c) {
        Some(at) => to.chars().nth(at),
        None => Some(c),
    };
    Ok(text.chars().filter_map(one).collect())
}

fn chr(number: i32) -> Result<String> {
    match number {
        ..0 => Err(Error::new(sqlstate::INVALID_PARAMETER_VALUE, "character number must be positive")),
        0 => Err(Error::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, "null character not permitted")),
        0x11_0000.. => Err(Error::new(
            sqlstate::PROGRAM_LIMIT_EXCEEDED,
            format!("requested character too large for encoding: {number}"),
        )),
        _ => match char::from_u32(number as u32) {
            Some(c) => Ok(c.to_string()),
            None => Err(Error::new(
                sqlstate::PROGRAM_LIMIT_EXCEEDED,
                format!("requested character not valid for encoding: {number}"),
            )),
        },
    }
}
