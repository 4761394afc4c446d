//! All matches in a text, and what functions make of them.

use error::sqlstate;

use super::flags::Syntax;
use super::{Captures, Options, Regex, compiled};
use crate::array::ArrayBuilder;
use crate::error::{Error, Result};
use crate::memory::{claim_once, reserve_text};
use crate::oid;
use crate::repr::Repr;
use crate::scalar::Scalar;
use crate::text::{MOST, characters as characters_of, too_long};

/// What a function's flags say.
#[derive(Clone, Copy, Debug)]
pub struct Flags {
    pub options: Options,
    /// All matches, not the first one only.
    pub global: bool,
}

/// A function's flags, over those of its collation.
pub fn flags(letters: &str, base: Options) -> Result<Flags> {
    let mut flags = Flags { options: base, global: false };
    for letter in letters.chars() {
        if letter == 'g' {
            flags.global = true;
        } else if letter == 'e' {
            // PostgreSQL's `parse_re_flags` clears REG_ADVANCED here, of which REG_EXTENDED is a part.
            flags.options.syntax = Syntax::Basic;
        } else if !flags.options.letter(letter) {
            return Err(Error::new(
                sqlstate::INVALID_PARAMETER_VALUE,
                format!("invalid regular expression option: \"{letter}\""),
            ));
        }
    }
    Ok(flags)
}

impl Flags {
    /// Of a function that looks at one match, or at all: `g` says nothing there.
    pub fn without_global(self, function: &str) -> Result<Options> {
        match self.global {
            true => Err(Error::new(
                sqlstate::INVALID_PARAMETER_VALUE,
                format!("{function} does not support the \"global\" option"),
            )),
            false => Ok(self.options),
        }
    }
}

pub fn flags_without_global(letters: &str, function: &str, base: Options) -> Result<Options> {
    flags(letters, base)?.without_global(function)
}

/// The matches of an expression in a text, from left to right.
pub struct Matches<'a> {
    regex: &'a Regex,
    text: &'a [char],
    from: usize,
    /// Empty matches at the text's begin and end and directly behind another match do not count: those would split nothing.
    splitting: bool,
    last_end: usize,
}

impl<'a> Matches<'a> {
    pub fn new(regex: &'a Regex, text: &'a [char], from: usize, splitting: bool) -> Matches<'a> {
        regex.begin();
        Matches { regex, text, from, splitting, last_end: 0 }
    }
}

impl Iterator for Matches<'_> {
    type Item = Result<Captures>;

    fn next(&mut self) -> Option<Result<Captures>> {
        while self.from <= self.text.len() {
            let captures = match self.regex.find(self.text, self.from).transpose()? {
                Ok(captures) => captures,
                Err(error) => return Some(Err(error)),
            };
            let (begin, end) = captures[0].expect("the match itself");
            let counts = !self.splitting || (begin < self.text.len() && end > self.last_end);
            self.last_end = end;
            self.from = if begin == end { end + 1 } else { end };
            if counts {
                return Some(Ok(captures));
            }
        }
        self.from = usize::MAX;
        None
    }
}

/// A text's characters, as it is searched.
pub fn characters(text: &str) -> Result<Vec<char>> {
    let count = characters_of(text) as usize;
    let _room = claim_once(count * size_of::<char>())?;
    let mut chars = Vec::with_capacity(count);
    chars.extend(text.chars());
    Ok(chars)
}

/// Characters of a text.
pub fn part(text: &[char], (begin, end): (usize, usize)) -> String {
    text[begin..end].iter().collect()
}

/// The groups of a match as an array of texts; the match itself where there is no group.
pub fn groups(text: &[char], captures: &Captures) -> Result<Vec<u8>> {
    let groups = if captures.len() > 1 { &captures[1..] } else { &captures[..] };
    let mut array = ArrayBuilder::new(oid::TEXT, Repr::Text);
    for group in groups {
        let group = group.map(|group| part(text, group));
        array.push(group.as_ref().map(|group| Scalar::Bytes(group.as_bytes())))?;
    }
    array.finish_list()
}

/// The parts of a text that are between matches, as an array of texts.
pub fn split(text: &str, pattern: &str, options: Options) -> Result<Vec<u8>> {
    let regex = compiled(pattern, options)?;
    let chars = characters(text)?;
    let mut parts = ArrayBuilder::new(oid::TEXT, Repr::Text);
    let mut put = |place| parts.push(Some(Scalar::Bytes(part(&chars, place).as_bytes())));
    let mut begin = 0;
    for captures in Matches::new(&regex, &chars, 0, true) {
        let (from, to) = captures?[0].expect("the match itself");
        put((begin, from))?;
        begin = to;
    }
    put((begin, chars.len()))?;
    parts.finish_list()
}

/// The text with matches replaced: the one of a number, or all (0).
pub fn replace(text: &str, pattern: &str, new: &str, options: Options, start: usize, number: usize) -> Result<String> {
    let regex = compiled(pattern, options)?;
    let chars = characters(text)?;
    let mut out = String::new();
    reserve_text(&mut out, text.len())?;
    // Bytes of a character, and groups in the replacement, at most.
    let width = if chars.len() == text.len() { 1 } else { 4 };
    let references = new.matches('\\').count();
    let mut copied = 0;
    for (count, captures) in Matches::new(&regex, &chars, start, false).enumerate() {
        let captures = captures?;
        if number > 0 && count + 1 < number {
            continue;
        }
        let (begin, end) = captures[0].expect("the match itself");
        reserve_text(&mut out, width * (begin - copied + references * (end - begin)) + new.len())?;
        out.extend(&chars[copied..begin]);
        substitute(&mut out, new, &chars, &captures);
        copied = end;
        if out.len() > MOST {
            return Err(too_long());
        }
        if number > 0 {
            break;
        }
    }
    reserve_text(&mut out, width * (chars.len() - copied))?;
    out.extend(&chars[copied..]);
    if out.len() > MOST {
        return Err(too_long());
    }
    // Of the value in its column.
    drop(claim_once(out.len())?);
    Ok(out)
}

/// Appends a replacement: `\1` is a group, `\&` the match, `\\` a backslash.
fn substitute(out: &mut String, new: &str, text: &[char], captures: &Captures) {
    let mut rest = new;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let group = match rest.bytes().next() {
            Some(b'&') => 0,
            Some(digit @ b'1'..=b'9') => usize::from(digit - b'0'),
            Some(b'\\') => {
                out.push('\\');
                rest = &rest[1..];
                continue;
            }
            _ => {
                out.push('\\');
                continue;
            }
        };
        rest = &rest[1..];
        if let Some((begin, end)) = captures.get(group).copied().flatten() {
            out.extend(&text[begin..end]);
        }
    }
    out.push_str(rest);
}
