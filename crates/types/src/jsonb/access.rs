//! What is in a value: elements of arrays and fields of objects.

use std::borrow::Cow;

use super::layout::{Shape, Value, View};
use super::value::jsonb;
use super::{invalid_parameter, output};
use crate::array::ArrayView;
use crate::array::value::text_array;
use crate::error::Result;
use crate::function::Function;
use crate::functions;
use crate::quote::is_space;
use crate::scalar::Scalar;
use crate::sql::*;
use crate::text::{utf8, utf8_owned};

pub const FUNCTIONS: &[Function] = functions! {
    jsonb_typeof(jsonb) -> text = |json: View<'_>| Result::Ok(type_name(json.root()));
    jsonb_array_length(jsonb) -> int4 = array_length;
    jsonb_object_field(jsonb, text) -> Option<jsonb> = |json, key| Result::Ok(field(json, key));
    jsonb_object_field_text(jsonb, text) -> Option<text> = |json, key| as_text(field(json, key));
    jsonb_array_element(jsonb, int4) -> Option<jsonb> = |json, at| Result::Ok(element(json, at));
    jsonb_array_element_text(jsonb, int4) -> Option<text> = |json, at| as_text(element(json, at));
    jsonb_extract_path(jsonb, text_array) -> Option<jsonb> = |json, path| Result::Ok(at_path(json, &path));
    jsonb_extract_path_text(jsonb, text_array) -> Option<text> = |json, path| as_text(at_path(json, &path));
    jsonb_pretty(jsonb) -> text = |json| {
        let mut out = Vec::new();
        output::append_pretty(json, &mut out)?;
        utf8_owned(out)
    };
};

fn field<'a>(json: View<'a>, key: &str) -> Option<Value<'a>> {
    json.field(key.as_bytes())
}

fn element(json: View<'_>, at: i32) -> Option<Value<'_>> {
    json.element_from(at.into())
}

/// What kind a value is of, as `jsonb_typeof` says it.
pub fn type_name(value: Value<'_>) -> &'static str {
    match value {
        Value::Null => "null",
        Value::String(_) => "string",
        Value::Number(_) => "number",
        Value::Bool(_) => "boolean",
        Value::Container(view) if view.shape() == Shape::Object => "object",
        Value::Container(_) => "array",
    }
}

fn array_length(json: View<'_>) -> Result<i32> {
    match json.shape() {
        Shape::Array => Ok(json.len() as i32),
        Shape::Scalar => Err(invalid_parameter("cannot get array length of a scalar")),
        Shape::Object => Err(invalid_parameter("cannot get array length of a non-array")),
    }
}

/// A number as paths have it, for an element of an array.
pub fn index(step: &str) -> Option<i32> {
    step.trim_start_matches(is_space).parse().ok()
}

/// NULL on the way, or what is not there, gives NULL.
pub fn at_path<'a>(json: View<'a>, path: &ArrayView<'_>) -> Option<Value<'a>> {
    if path.has_nulls() {
        return None;
    }
    follow(json, path.iter().flatten().map(Scalar::text))
}

/// What is at the end of a path.
pub fn follow<'a, 's>(json: View<'a>, path: impl Iterator<Item = &'s str>) -> Option<Value<'a>> {
    let mut here = json.root();
    for step in path {
        let Value::Container(view) = here else { return None };
        here = match view.shape() {
            Shape::Object => view.field(step.as_bytes())?,
            _ => view.element_from(index(step)?.into())?,
        };
    }
    Some(here)
}

/// A string as it is, NULL for null, JSON for all else.
pub fn as_text(value: Option<Value<'_>>) -> Result<Option<Cow<'_, str>>> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(Cow::Borrowed(utf8(text)?))),
        Some(value) => {
            let mut out = Vec::new();
            output::append_scalar(value, &mut out)?;
            Ok(Some(Cow::Owned(utf8_owned(out)?)))
        }
    }
}
