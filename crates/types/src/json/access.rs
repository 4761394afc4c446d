//! What is in JSON: elements of arrays and fields of objects. Texts are JSON already; they were checked as they came.

use error::sqlstate;

use super::lexer::{Kind, Lexer, Token, unescape};
use crate::array::ArrayView;
use crate::array::value::text_array;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::quote::is_space;
use crate::sql::*;

pub const FUNCTIONS: &[Function] = functions! {
    json_typeof(json) -> text = type_name;
    json_array_length(json) -> int4 = array_length;
    json_object_field(json, text) -> Option<json> = |json, key| field(readable(json)?, key).map(owned);
    json_object_field_text(json, text) -> Option<text> = |json, key| as_text(field(readable(json)?, key)?);
    json_array_element(json, int4) -> Option<json> = |json, index| element(readable(json)?, index).map(owned);
    json_array_element_text(json, int4) -> Option<text> = |json, index| as_text(element(readable(json)?, index)?);
    json_extract_path(json, text_array) -> Option<json> = |json, path| at_path(readable(json)?, &path).map(owned);
    json_extract_path_text(json, text_array) -> Option<text> = |json, path| as_text(at_path(readable(json)?, &path)?);
};

fn owned(found: Option<&str>) -> Option<String> {
    found.map(str::to_string)
}

/// The same JSON. Fails for a string anywhere in it that is no text, as PostgreSQL does.
pub fn readable(json: &str) -> Result<&str> {
    if json.contains("\\u") {
        let mut lexer = Lexer::new(json);
        loop {
            let token = lexer.token()?;
            match token.kind {
                Kind::String => drop(unescape(token.text)?),
                Kind::End => break,
                _ => {}
            }
        }
    }
    Ok(json)
}

/// The values in an array or an object, with their keys' tokens.
pub struct Items<'a> {
    json: &'a str,
    lexer: Lexer<'a>,
    object: bool,
    ended: bool,
}

pub fn kind(json: &str) -> Result<Kind> {
    Ok(Lexer::new(json).token()?.kind)
}

impl<'a> Items<'a> {
    /// `None` for what is neither an array nor an object.
    pub fn of(json: &'a str) -> Result<Option<Items<'a>>> {
        let mut lexer = Lexer::new(json);
        let kind = lexer.token()?.kind;
        let open = matches!(kind, Kind::ArrayStart | Kind::ObjectStart);
        Ok(open.then_some(Items { json, lexer, object: kind == Kind::ObjectStart, ended: false }))
    }

    /// The items behind those that were given before `place` was asked.
    pub fn resume(json: &'a str, object: bool, place: usize) -> Items<'a> {
        Items { json, lexer: Lexer::at(json, place), object, ended: false }
    }

    /// Where the next item is; `None` behind the last.
    pub fn place(&self) -> Option<usize> {
        (!self.ended).then(|| self.lexer.place())
    }

    pub fn is_object(&self) -> bool {
        self.object
    }

    /// A key's token, in an object, and a value.
    pub fn item(&mut self) -> Result<Option<(Option<&'a str>, &'a str)>> {
        if self.ended {
            return Ok(None);
        }
        let mut first = self.lexer.token()?;
        if matches!(first.kind, Kind::ArrayEnd | Kind::ObjectEnd | Kind::End) {
            self.ended = true;
            return Ok(None);
        }
        let mut key = None;
        if self.object {
            key = Some(first.text);
            self.lexer.token()?;
            first = self.lexer.token()?;
        }
        let end = self.skip(first)?;
        // A comma, or the end.
        self.ended = self.lexer.token()?.kind != Kind::Comma;
        Ok(Some((key, &self.json[first.start..end])))
    }

    /// Where the value ends that begins with a token.
    fn skip(&mut self, first: Token<'a>) -> Result<usize> {
        let (mut token, mut depth) = (first, 0usize);
        loop {
            match token.kind {
                Kind::ArrayStart | Kind::ObjectStart => depth += 1,
                Kind::ArrayEnd | Kind::ObjectEnd => depth = depth.saturating_sub(1),
                Kind::End => return Ok(token.start),
                _ => {}
            }
            if depth == 0 {
                return Ok(token.start + token.text.len());
            }
            token = self.lexer.token()?;
        }
    }
}

fn type_name(json: &str) -> Result<&'static str> {
    Ok(match kind(json)? {
        Kind::ObjectStart => "object",
        Kind::ArrayStart => "array",
        Kind::String => "string",
        Kind::Number => "number",
        Kind::Null => "null",
        _ => "boolean",
    })
}

fn array_length(json: &str) -> Result<i32> {
    let invalid =
        |what: &str| Error::new(sqlstate::INVALID_PARAMETER_VALUE, format!("cannot get array length of a {what}"));
    let mut items = Items::of(json)?.ok_or_else(|| invalid("scalar"))?;
    if items.is_object() {
        return Err(invalid("non-array"));
    }
    let mut count = 0;
    while items.item()?.is_some() {
        count += 1;
    }
    Ok(count)
}

/// Of several fields of a name the last.
fn field<'a>(json: &'a str, name: &str) -> Result<Option<&'a str>> {
    let Some(mut items) = Items::of(json)?.filter(Items::is_object) else { return Ok(None) };
    let mut found = None;
    while let Some((key, value)) = items.item()? {
        if let Some(key) = key
            && unescape(key)? == name
        {
            found = Some(value);
        }
    }
    Ok(found)
}

/// A negative number counts from the end.
fn element(json: &str, index: i32) -> Result<Option<&str>> {
    let Some(mut items) = Items::of(json)?.filter(|items| !items.is_object()) else { return Ok(None) };
    let mut index = i64::from(index);
    if index < 0 {
        index += i64::from(array_length(json)?);
    }
    let Ok(mut left) = usize::try_from(index) else { return Ok(None) };
    while let Some((_, value)) = items.item()? {
        if left == 0 {
            return Ok(Some(value));
        }
        left -= 1;
    }
    Ok(None)
}

/// All of a text's JSON, as an empty path gives it: blanks before a scalar stay (`get_scalar`).
fn whole(json: &str) -> Result<&str> {
    let json = json.trim_end_matches(is_space);
    match kind(json)? {
        Kind::ObjectStart | Kind::ArrayStart => Ok(json.trim_start_matches(is_space)),
        _ => Ok(json),
    }
}

/// NULL on the way, or what is not there, gives NULL.
fn at_path<'a>(json: &'a str, path: &ArrayView<'_>) -> Result<Option<&'a str>> {
    let mut here = if path.is_empty() { whole(json)? } else { json };
    for step in path.iter() {
        let Some(step) = step else { return Ok(None) };
        let next = match kind(here)? {
            Kind::ObjectStart => field(here, step.text())?,
            Kind::ArrayStart => match step.text().trim_start_matches(is_space).parse::<i32>() {
                Ok(index) => element(here, index)?,
                Err(_) => None,
            },
            _ => None,
        };
        match next {
            Some(next) => here = next,
            None => return Ok(None),
        }
    }
    Ok(Some(here))
}

/// A string without its quotes, NULL for `null`, the JSON itself for all else.
pub fn as_text(json: Option<&str>) -> Result<Option<String>> {
    let Some(json) = json else { return Ok(None) };
    let token = Lexer::new(json).token()?;
    match token.kind {
        Kind::Null => Ok(None),
        Kind::String => unescape(token.text).map(|text| Some(text.into_owned())),
        _ => Ok(Some(json.to_string())),
    }
}
