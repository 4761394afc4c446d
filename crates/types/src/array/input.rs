//! The text of an array: `{1,2,NULL}`, `[0:1]={{a},{"b c"}}`.

use error::sqlstate;

use crate::context::Context;
use crate::datum::Datum;
use crate::error::{Error, Result};
use crate::made_of::Reader;
use crate::oid::Oid;

use super::builder::{ArrayBuilder, empty};
use super::shape::{MOST_DIMENSIONS, Shape, too_many_elements};
use super::types::element_repr;

/// `array_in`: the array of a built-in type's elements that a text means.
pub fn input(context: &Context, element: Oid, text: &str, typmod: i32) -> Result<Datum> {
    let builder = ArrayBuilder::new(element, element_repr(element)?);
    read(context, Reader::of(element), builder, text, typmod)
}

/// The array that a text means, of elements that `element` reads into `builder`, which is empty.
pub fn read(context: &Context, element: Reader, builder: ArrayBuilder, text: &str, typmod: i32) -> Result<Datum> {
    let mut scanner = Scanner { text, at: 0 };
    let given = scanner.dimensions()?;
    match given {
        None if scanner.peek() != Some(b'{') => {
            return Err(scanner.malformed("Array value must start with \"{\" or dimension information."));
        }
        None => {}
        Some(_) => {
            if scanner.peek() != Some(b'=') {
                return Err(scanner.malformed("Missing \"=\" after array dimensions."));
            }
            scanner.at += 1;
            scanner.skip_space();
            if scanner.peek() != Some(b'{') {
                return Err(scanner.malformed("Array contents must start with \"{\"."));
            }
        }
    }
    let (element_oid, repr) = (builder.element(), builder.repr());
    let mut contents = Contents::new(builder, given);
    let mut unquoted = String::new();
    loop {
        match scanner.token(&mut unquoted)? {
            Token::Open => contents.open(&scanner)?,
            Token::Close => contents.close(&scanner)?,
            Token::Delimiter => contents.delimiter(&scanner)?,
            Token::Null => contents.element(&scanner, None)?,
            Token::Element => {
                contents.expect_element(&scanner)?;
                let value = element.input(context, &unquoted, typmod)?;
                contents.element(&scanner, Some(value))?;
            }
        }
        if contents.depth == 0 {
            break;
        }
    }
    scanner.skip_space();
    if scanner.peek().is_some() {
        return Err(scanner.malformed("Junk after closing right brace."));
    }
    if contents.builder.is_empty() {
        return Ok(Datum::bytes(empty(element_oid, repr)));
    }
    let dimensions = contents.dimensions;
    let shape = Shape::trusted(&contents.lengths[..dimensions], &contents.lower[..dimensions]);
    Ok(Datum::bytes(contents.builder.finish(&shape)?))
}

/// What has been read between the braces.
struct Contents {
    builder: ArrayBuilder,
    dimensions: usize,
    /// -1: not known yet.
    lengths: [i32; MOST_DIMENSIONS],
    lower: [i32; MOST_DIMENSIONS],
    /// The text says what the dimensions are.
    given: bool,
    /// There can be no more dimensions.
    frozen: bool,
    depth: usize,
    /// Members so far, at each depth.
    members: [i32; MOST_DIMENSIONS],
    expect_delimiter: bool,
}

impl Contents {
    fn new(builder: ArrayBuilder, given: Option<Given>) -> Contents {
        let mut contents = Contents {
            builder,
            dimensions: 0,
            lengths: [-1; MOST_DIMENSIONS],
            lower: [1; MOST_DIMENSIONS],
            given: given.is_some(),
            frozen: given.is_some(),
            depth: 0,
            members: [0; MOST_DIMENSIONS],
            expect_delimiter: false,
        };
        for (length, lower) in given.into_iter().flatten() {
            contents.lengths[contents.dimensions] = length;
            contents.lower[contents.dimensions] = lower;
            contents.dimensions += 1;
        }
        contents
    }

    fn open(&mut self, scanner: &Scanner<'_>) -> Result<()> {
        if self.expect_delimiter {
            return Err(scanner.malformed("Unexpected \"{\" character."));
        }
        if self.depth >= MOST_DIMENSIONS {
            return Err(too_deep());
        }
        self.members[self.depth] = 0;
        self.depth += 1;
        if self.depth > self.dimensions {
            if self.frozen {
                return Err(self.ragged(scanner));
            }
            self.dimensions = self.depth;
        }
        Ok(())
    }

    fn close(&mut self, scanner: &Scanner<'_>) -> Result<()> {
        let members = self.members[self.depth - 1];
        if members > 0 && !self.expect_delimiter {
            return Err(scanner.malformed("Unexpected \"}\" character."));
        }
        self.depth -= 1;
        if self.depth > 0 {
            self.members[self.depth - 1] += 1;
        }
        let length = &mut self.lengths[self.depth];
        if *length < 0 {
            *length = members;
        } else if *length != members {
            return Err(self.ragged(scanner));
        }
        self.expect_delimiter = true;
        Ok(())
    }

    fn delimiter(&mut self, scanner: &Scanner<'_>) -> Result<()> {
        if !self.expect_delimiter {
            return Err(scanner.malformed("Unexpected \",\" character."));
        }
        self.expect_delimiter = false;
        Ok(())
    }

    fn expect_element(&self, scanner: &Scanner<'_>) -> Result<()> {
        if self.expect_delimiter {
            return Err(scanner.malformed("Unexpected array element."));
        }
        Ok(())
    }

    fn element(&mut self, scanner: &Scanner<'_>, value: Option<Datum>) -> Result<()> {
        self.expect_element(scanner)?;
        self.builder.push_datum(&value.unwrap_or(Datum::Null))?;
        self.frozen = true;
        if self.depth != self.dimensions {
            return Err(self.ragged(scanner));
        }
        self.members[self.depth - 1] += 1;
        self.expect_delimiter = true;
        Ok(())
    }

    fn ragged(&self, scanner: &Scanner<'_>) -> Error {
        scanner.malformed(match self.given {
            true => "Specified array dimensions do not match array contents.",
            false => "Multidimensional arrays must have sub-arrays with matching dimensions.",
        })
    }
}

fn too_deep() -> Error {
    Error::new(
        sqlstate::PROGRAM_LIMIT_EXCEEDED,
        format!("number of array dimensions exceeds the maximum allowed ({MOST_DIMENSIONS})"),
    )
}

/// The length and the first subscript of each dimension, as the text begins with them.
type Given = Vec<(i32, i32)>;

enum Token {
    Open,
    Close,
    Delimiter,
    Element,
    Null,
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl Scanner<'_> {
    fn malformed(&self, detail: &str) -> Error {
        Error::new(sqlstate::INVALID_TEXT_REPRESENTATION, format!("malformed array literal: \"{}\"", self.text))
            .detail(detail)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(is_space) {
            self.at += 1;
        }
    }

    /// `[2][0:1]`
    fn dimensions(&mut self) -> Result<Option<Given>> {
        let mut given = Given::new();
        loop {
            self.skip_space();
            if self.peek() != Some(b'[') {
                return Ok((!given.is_empty()).then_some(given));
            }
            self.at += 1;
            if given.len() >= MOST_DIMENSIONS {
                return Err(too_deep());
            }
            let missing = "\"[\" must introduce explicitly-specified array dimensions.";
            let first = self.bound()?.ok_or_else(|| self.malformed(missing))?;
            let (lower, upper) = if self.peek() == Some(b':') {
                self.at += 1;
                (first, self.bound()?.ok_or_else(|| self.malformed("Missing array dimension value."))?)
            } else {
                (1, first)
            };
            if self.peek() != Some(b']') {
                return Err(self.malformed("Missing \"]\" after array dimensions."));
            }
            self.at += 1;
            if upper < lower {
                return Err(Error::new(sqlstate::ARRAY_SUBSCRIPT_ERROR, "upper bound cannot be less than lower bound"));
            }
            if upper == i32::MAX {
                return Err(Error::new(
                    sqlstate::PROGRAM_LIMIT_EXCEEDED,
                    format!("array upper bound is too large: {upper}"),
                ));
            }
            let length = upper.checked_sub(lower).and_then(|span| span.checked_add(1)).ok_or_else(too_many_elements)?;
            given.push((length, lower));
        }
    }

    /// An integer; `None` where there is none.
    fn bound(&mut self) -> Result<Option<i32>> {
        let rest = &self.text.as_bytes()[self.at..];
        let sign = rest.iter().take_while(|b| matches!(b, b'+' | b'-')).take(1).count();
        let digits = rest[sign..].iter().take_while(|b| b.is_ascii_digit()).count();
        if digits == 0 {
            return Ok(None);
        }
        let number = &self.text[self.at..self.at + sign + digits];
        self.at += sign + digits;
        let out_of_range = |_| Error::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, "array bound is out of integer range");
        number.parse().map(Some).map_err(out_of_range)
    }

    /// The next part. An element's text is put into `unquoted`.
    fn token(&mut self, unquoted: &mut String) -> Result<Token> {
        unquoted.clear();
        self.skip_space();
        let token = match self.peek() {
            None => return Err(self.ended()),
            Some(b'{') => Token::Open,
            Some(b'}') => Token::Close,
            Some(b',') => Token::Delimiter,
            Some(b'"') => {
                self.at += 1;
                return self.quoted(unquoted);
            }
            Some(_) => return self.bare(unquoted),
        };
        self.at += 1;
        Ok(token)
    }

    fn ended(&self) -> Error {
        self.malformed("Unexpected end of input.")
    }

    /// An element up to its closing quote.
    fn quoted(&mut self, unquoted: &mut String) -> Result<Token> {
        loop {
            let piece = self.until(|b| matches!(b, b'\\' | b'"'))?;
            unquoted.push_str(piece);
            let closed = self.peek() == Some(b'"');
            self.at += 1;
            if closed {
                break;
            }
            unquoted.push(self.escaped()?);
        }
        self.skip_space();
        match self.peek() {
            None => Err(self.ended()),
            Some(b',' | b'{' | b'}') => Ok(Token::Element),
            Some(_) => Err(self.malformed("Incorrectly quoted array element.")),
        }
    }

    /// An element without quotes, and without the space behind it.
    fn bare(&mut self, unquoted: &mut String) -> Result<Token> {
        let mut escapes = false;
        // What is not known to be space at the end.
        let mut kept = 0;
        loop {
            let piece = self.until(|b| matches!(b, b'{' | b'}' | b'"' | b'\\' | b','))?;
            let trimmed = piece.trim_end_matches(|c: char| c.is_ascii() && is_space(c as u8)).len();
            if trimmed > 0 {
                kept = unquoted.len() + trimmed;
            }
            unquoted.push_str(piece);
            match self.peek() {
                Some(b'{') => return Err(self.malformed("Unexpected \"{\" character.")),
                Some(b'"') => return Err(self.malformed("Incorrectly quoted array element.")),
                Some(b'\\') => {
                    self.at += 1;
                    unquoted.push(self.escaped()?);
                    kept = unquoted.len();
                    escapes = true;
                }
                _ => break,
            }
        }
        unquoted.truncate(kept);
        Ok(if !escapes && unquoted.eq_ignore_ascii_case("null") { Token::Null } else { Token::Element })
    }

    /// The text up to a byte of a kind.
    fn until(&mut self, stop: impl Fn(u8) -> bool) -> Result<&str> {
        let rest = &self.text.as_bytes()[self.at..];
        let length = rest.iter().position(|&b| stop(b)).ok_or_else(|| self.ended())?;
        let begin = self.at;
        self.at += length;
        Ok(&self.text[begin..self.at])
    }

    /// The character behind a backslash.
    fn escaped(&mut self) -> Result<char> {
        let character = self.text[self.at..].chars().next().ok_or_else(|| self.ended())?;
        self.at += character.len_utf8();
        Ok(character)
    }
}

/// What PostgreSQL's scanner takes for space.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}
