//! `jsonb_path_query` and its like.

use std::cell::RefCell;
use std::rc::Rc;

use error::sqlstate;

use super::execute::{Failure, Followed, execute};
use super::item::Item;
use super::parse::parse;
use super::path::Path;
use crate::datum::Datum;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::jsonb::layout::Shape;
use crate::jsonb::{Builder, View, jsonb};
use crate::oid;
use crate::set_returning::{Given, Set, SetCall, SetFunction};
use crate::sql::*;

pub const FUNCTIONS: &[Function] = functions! {
    jsonb_path_exists(jsonb, jsonpath, jsonb, boolean) -> Option<boolean> = exists;
    jsonb_path_exists_tz(jsonb, jsonpath, jsonb, boolean) -> Option<boolean> = exists;
    jsonb_path_exists_opr(jsonb, jsonpath) -> Option<boolean> = |json, path| follow(json, path, None, None, true);
    jsonb_path_match(jsonb, jsonpath, jsonb, boolean) -> Option<boolean> = matches;
    jsonb_path_match_tz(jsonb, jsonpath, jsonb, boolean) -> Option<boolean> = matches;
    jsonb_path_match_opr(jsonb, jsonpath) -> Option<boolean> = |json, path| matched(json, path, None, true);
    jsonb_path_query_array(jsonb, jsonpath, jsonb, boolean) -> jsonb = query_array;
    jsonb_path_query_array_tz(jsonb, jsonpath, jsonb, boolean) -> jsonb = query_array;
    jsonb_path_query_first(jsonb, jsonpath, jsonb, boolean) -> Option<jsonb> = query_first;
    jsonb_path_query_first_tz(jsonb, jsonpath, jsonb, boolean) -> Option<jsonb> = query_first;
};

const ARGUMENTS: &[oid::Oid] = &[oid::JSONB, oid::JSONPATH, oid::JSONB, oid::BOOL];

pub const SET_FUNCTIONS: &[SetFunction] = &[
    SetFunction { name: "jsonb_path_query", arguments: ARGUMENTS, result: oid::JSONB, strict: true, start: query },
    SetFunction { name: "jsonb_path_query_tz", arguments: ARGUMENTS, result: oid::JSONB, strict: true, start: query },
];

/// Paths that are kept.
const MOST: usize = 32;

thread_local! {
    /// Paths with their texts; the one that was used last is first.
    static CACHE: RefCell<Vec<(String, Rc<Path>)>> = const { RefCell::new(Vec::new()) };
}

/// The path of a text, read if it was not yet: one that is the same for all rows is read once.
fn compiled(text: &str) -> Result<Rc<Path>> {
    let known = CACHE.with_borrow_mut(|paths| {
        let at = paths.iter().position(|(known, _)| known == text)?;
        paths[..=at].rotate_right(1);
        Some(paths[0].1.clone())
    });
    if let Some(path) = known {
        return Ok(path);
    }
    let path = Rc::new(parse(text)?);
    CACHE.with_borrow_mut(|paths| {
        paths.truncate(MOST - 1);
        paths.insert(0, (text.to_string(), path.clone()));
    });
    Ok(path)
}

/// NULL for an error that is silenced.
fn silenced<T>(result: Followed<T>, silent: bool) -> Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(Failure::Soft(_)) if silent => Ok(None),
        Err(Failure::Soft(error) | Failure::Hard(error)) => Err(error),
    }
}

/// Whether a path has a result; with a list, all of them are in it that come before an error.
fn follow<'a>(
    json: View<'a>,
    path: &str,
    variables: Option<View<'a>>,
    found: Option<&mut Vec<Item<'a>>>,
    silent: bool,
) -> Result<Option<bool>> {
    if variables.is_some_and(|variables| variables.shape() != Shape::Object) {
        return Err(Error::new(sqlstate::INVALID_PARAMETER_VALUE, "\"vars\" argument is not an object")
            .detail("Jsonpath parameters should be encoded as key-value pairs of \"vars\" object."));
    }
    silenced(execute(&*compiled(path)?, json, variables, found), silent)
}

fn exists(json: View<'_>, path: &str, variables: View<'_>, silent: bool) -> Result<Option<bool>> {
    follow(json, path, Some(variables), None, silent)
}

fn all<'a>(json: View<'a>, path: &str, variables: View<'a>, silent: bool) -> Result<Vec<Item<'a>>> {
    let mut found = Vec::new();
    follow(json, path, Some(variables), Some(&mut found), silent)?;
    Ok(found)
}

fn matches(json: View<'_>, path: &str, variables: View<'_>, silent: bool) -> Result<Option<bool>> {
    matched(json, path, Some(variables), silent)
}

fn matched<'a>(json: View<'a>, path: &str, variables: Option<View<'a>>, silent: bool) -> Result<Option<bool>> {
    let mut found = Vec::new();
    follow(json, path, variables, Some(&mut found), silent)?;
    match found.as_slice() {
        [one] if one.is_null() => Ok(None),
        [one] if one.truth().is_some() => Ok(one.truth()),
        _ if silent => Ok(None),
        _ => Err(Error::new(sqlstate::SINGLETON_SQL_JSON_ITEM_REQUIRED, "single boolean result is expected")),
    }
}

fn bytes(item: &Item<'_>) -> Result<Vec<u8>> {
    let (mut builder, mut out) = (Builder::default(), Vec::new());
    item.add_to(&mut builder)?;
    builder.finish(&mut out)?;
    Ok(out)
}

fn query_array(json: View<'_>, path: &str, variables: View<'_>, silent: bool) -> Result<Vec<u8>> {
    let (mut builder, mut out) = (Builder::default(), Vec::new());
    builder.begin_array()?;
    all(json, path, variables, silent)?.iter().try_for_each(|item| item.add_to(&mut builder))?;
    builder.end();
    builder.finish(&mut out)?;
    Ok(out)
}

fn query_first(json: View<'_>, path: &str, variables: View<'_>, silent: bool) -> Result<Option<Vec<u8>>> {
    all(json, path, variables, silent)?.first().map(bytes).transpose()
}

fn query(call: &SetCall<'_>) -> Result<Box<dyn Set>> {
    let (json, variables) = (call.get::<jsonb>(0), call.get::<jsonb>(2));
    let found = all(json, call.get::<jsonpath>(1), variables, call.get::<boolean>(3))?;
    let rows = found.iter().map(|item| Ok(vec![Datum::bytes(bytes(item)?)]));
    Ok(Given::rows(rows.collect::<Result<_>>()?))
}
