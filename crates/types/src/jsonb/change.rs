//! Values made of others: `||`, `-`, and without nulls.

use error::sqlstate;

use super::layout::{Shape, Value, View};
use super::value::jsonb;
use super::walk::{Step, Walk};
use super::{Builder, built, invalid_parameter};
use crate::array::ArrayView;
use crate::array::value::text_array;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::sql::*;

pub const FUNCTIONS: &[Function] = functions! {
    jsonb_concat(jsonb, jsonb) -> jsonb = concatenate;
    jsonb_delete(jsonb, text) -> jsonb = |json, key: &str| delete(json, |name| name == key.as_bytes());
    jsonb_delete(jsonb, text_array) -> jsonb = delete_keys;
    jsonb_delete(jsonb, int4) -> jsonb = delete_element;
    jsonb_strip_nulls(jsonb, boolean) -> jsonb = strip_nulls;
};

/// Paths and lists of keys have one dimension.
pub fn check_dimensions(list: &ArrayView<'_>) -> Result<()> {
    match list.shape().dimensions() {
        0 | 1 => Ok(()),
        _ => Err(Error::new(sqlstate::ARRAY_SUBSCRIPT_ERROR, "wrong number of array subscripts")),
    }
}

fn concatenate(a: View<'_>, b: View<'_>) -> Result<Vec<u8>> {
    let is_object = |view: View<'_>| view.shape() == Shape::Object;
    let is_scalar = |view: View<'_>| view.shape() == Shape::Scalar;
    if is_object(a) == is_object(b) {
        if a.is_empty() && !is_scalar(b) {
            return Ok(b.bytes().to_vec());
        }
        if b.is_empty() && !is_scalar(a) {
            return Ok(a.bytes().to_vec());
        }
    }
    built(|out| {
        if is_object(a) && is_object(b) {
            out.begin_object()?;
            for (key, value) in a.pairs().chain(b.pairs()) {
                out.key(key)?;
                out.value(value)?;
            }
        } else {
            out.begin_array()?;
            for part in [a, b] {
                match is_object(part) {
                    true => out.value(Value::Container(part))?,
                    false => part.elements().try_for_each(|element| out.value(element))?,
                }
            }
        }
        out.end();
        Ok(())
    })
}

/// Without the pairs of some keys, or the elements that are such strings.
fn delete(json: View<'_>, is_deleted: impl Fn(&[u8]) -> bool) -> Result<Vec<u8>> {
    if json.shape() == Shape::Scalar {
        return Err(invalid_parameter("cannot delete from scalar"));
    }
    built(|out| {
        if json.shape() == Shape::Object {
            out.begin_object()?;
            for (key, value) in json.pairs().filter(|(key, _)| !is_deleted(key)) {
                out.key(key)?;
                out.value(value)?;
            }
        } else {
            out.begin_array()?;
            for element in json.elements() {
                if !matches!(element, Value::String(text) if is_deleted(text)) {
                    out.value(element)?;
                }
            }
        }
        out.end();
        Ok(())
    })
}

fn delete_keys(json: View<'_>, keys: ArrayView<'_>) -> Result<Vec<u8>> {
    check_dimensions(&keys)?;
    delete(json, |name| keys.iter().flatten().any(|key| key.bytes() == name))
}

fn delete_element(json: View<'_>, at: i32) -> Result<Vec<u8>> {
    match json.shape() {
        Shape::Scalar => return Err(invalid_parameter("cannot delete from scalar")),
        Shape::Object => return Err(invalid_parameter("cannot delete from object using integer index")),
        Shape::Array => {}
    }
    let at = i64::from(at) + if at < 0 { json.len() as i64 } else { 0 };
    let Some(at) = usize::try_from(at).ok().filter(|&at| at < json.len()) else { return Ok(json.bytes().to_vec()) };
    built(|out| {
        out.begin_array()?;
        for (number, element) in json.elements().enumerate() {
            if number != at {
                out.value(element)?;
            }
        }
        out.end();
        Ok(())
    })
}

/// Without the pairs whose values are null, and perhaps without elements that are.
fn strip_nulls(json: View<'_>, in_arrays: bool) -> Result<Vec<u8>> {
    if json.shape() == Shape::Scalar {
        return Ok(json.bytes().to_vec());
    }
    built(|out: &mut Builder| {
        let mut key = None;
        for step in Walk::new(json) {
            if let Step::Key(name) = step {
                key = Some(name);
                continue;
            }
            let name = key.take();
            if matches!(step, Step::Scalar(Value::Null)) && (name.is_some() || in_arrays) {
                continue;
            }
            if let Some(name) = name {
                out.key(name)?;
            }
            match step {
                Step::Begin(Shape::Object, _) => out.begin_object()?,
                Step::Begin(..) => out.begin_array()?,
                Step::Scalar(value) => out.value(value)?,
                _ => out.end(),
            }
        }
        Ok(())
    })
}
