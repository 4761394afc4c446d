//! A value with another one at the end of a path (`setPath`): `jsonb_set`, `jsonb_insert`, `#-`, and assignment to a subscript.

use error::sqlstate;

use super::access::index;
use super::change::check_dimensions;
use super::layout::{Shape, Value, View};
use super::value::jsonb;
use super::{Builder, built, invalid_parameter};
use crate::array::ArrayView;
use crate::array::value::text_array;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::scalar::Scalar;
use crate::sql::*;

pub const FUNCTIONS: &[Function] = functions! {
    jsonb_set(jsonb, text_array, jsonb, boolean) -> jsonb = set;
    jsonb_set_lax(Option<jsonb>, Option<text_array>, Option<jsonb>, Option<boolean>, Option<text>) -> Option<jsonb> = set_lax;
    jsonb_insert(jsonb, text_array, jsonb, boolean) -> jsonb = |json, path, new, after| {
        let action = if after { Action::InsertAfter } else { Action::InsertBefore };
        at_path(json, &path, "cannot set path in scalar", Some(new), action)
    };
    jsonb_delete_path(jsonb, text_array) -> jsonb = delete;
};

/// What is done at the end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    /// The value is put there, also where there was none.
    Create,
    Replace,
    InsertBefore,
    InsertAfter,
    Delete,
    /// The value is put there, and what is missing on the way is made.
    Assign,
}

impl Action {
    fn creates(self) -> bool {
        matches!(self, Action::Create | Action::InsertBefore | Action::InsertAfter | Action::Assign)
    }
}

/// Levels of a path at most.
const MOST_LEVELS: usize = 6400;

fn set(json: View<'_>, path: ArrayView<'_>, new: View<'_>, create: bool) -> Result<Vec<u8>> {
    let action = if create { Action::Create } else { Action::Replace };
    at_path(json, &path, "cannot set path in scalar", Some(new), action)
}

fn delete(json: View<'_>, path: ArrayView<'_>) -> Result<Vec<u8>> {
    at_path(json, &path, "cannot delete path in scalar", None, Action::Delete)
}

fn set_lax(
    json: Option<View<'_>>,
    path: Option<ArrayView<'_>>,
    new: Option<View<'_>>,
    create: Option<bool>,
    treatment: Option<&str>,
) -> Result<Option<Vec<u8>>> {
    let (Some(json), Some(path), Some(create)) = (json, path, create) else { return Ok(None) };
    let unknown = || {
        invalid_parameter(
            "null_value_treatment must be \"delete_key\", \"return_target\", \"use_json_null\", or \"raise_exception\"",
        )
    };
    let treatment = treatment.ok_or_else(unknown)?;
    if let Some(new) = new {
        return set(json, path, new, create).map(Some);
    }
    match treatment {
        "raise_exception" => Err(Error::new(sqlstate::NULL_VALUE_NOT_ALLOWED, "JSON value must not be null")
            .detail("Exception was raised because null_value_treatment is \"raise_exception\".")
            .hint(
                "To avoid, either change the null_value_treatment argument or ensure that an SQL NULL is not passed.",
            )),
        "use_json_null" => {
            let null = built(Builder::null)?;
            set(json, path, View::new(&null), create).map(Some)
        }
        "delete_key" => delete(json, path).map(Some),
        "return_target" => Ok(Some(json.bytes().to_vec())),
        _ => Err(unknown()),
    }
}

fn at_path(
    json: View<'_>,
    path: &ArrayView<'_>,
    in_scalar: &str,
    new: Option<View<'_>>,
    action: Action,
) -> Result<Vec<u8>> {
    check_dimensions(path)?;
    if json.shape() == Shape::Scalar {
        return Err(invalid_parameter(in_scalar));
    }
    let nothing_to_change = json.is_empty() && matches!(action, Action::Replace | Action::Delete);
    if nothing_to_change || path.is_empty() {
        return Ok(json.bytes().to_vec());
    }
    let new = new.map_or(Value::Null, |new| new.root());
    let steps: Vec<Option<&str>> = path.iter().map(|step| step.map(Scalar::text)).collect();
    built(|out| Change { path: &steps, new, action, out }.container(json, 0))
}

/// `json[…] = new`. No value is an empty one of the kind that the first subscript is for.
pub fn assign(json: Option<View<'_>>, path: &[&str], first_is_number: bool, new: Value<'_>) -> Result<Vec<u8>> {
    let empty = |out: &mut Builder| {
        if first_is_number {
            out.begin_array()?
        } else {
            out.begin_object()?
        }
        out.end();
        Ok(())
    };
    let none = if json.is_none() { built(empty)? } else { Vec::new() };
    let json = json.unwrap_or_else(|| View::new(&none));
    let steps: Vec<Option<&str>> = path.iter().copied().map(Some).collect();
    built(|out| Change { path: &steps, new, action: Action::Assign, out }.container(json, 0))
}

fn not_composite() -> Error {
    invalid_parameter("cannot replace existing key")
        .detail("The path assumes key is a composite object, but it is a scalar value.")
}

struct Change<'a> {
    path: &'a [Option<&'a str>],
    new: Value<'a>,
    action: Action,
    out: &'a mut Builder,
}

impl<'a> Change<'a> {
    /// A step of the path, which is not NULL.
    fn step(&self, level: usize) -> Result<&'a str> {
        let null = || format!("path element at position {} is null", level + 1);
        self.path.get(level).copied().flatten().ok_or_else(|| Error::new(sqlstate::NULL_VALUE_NOT_ALLOWED, null()))
    }

    fn container(&mut self, view: View<'_>, level: usize) -> Result<()> {
        if level > MOST_LEVELS {
            return Err(Error::new(sqlstate::STATEMENT_TOO_COMPLEX, "stack depth limit exceeded"));
        }
        let step = self.step(level)?;
        match view.shape() {
            Shape::Scalar if self.action == Action::Assign => Err(not_composite()),
            Shape::Object => self.object(view, step.as_bytes(), level),
            _ => self.array(view, step, level),
        }
    }

    /// Goes on with what the path leads to.
    fn deeper(&mut self, value: Value<'_>, level: usize) -> Result<()> {
        match value {
            Value::Container(view) => self.container(view, level + 1),
            _ if self.action == Action::Assign => Err(not_composite()),
            scalar => {
                self.step(level + 1)?;
                self.out.value(scalar)
            }
        }
    }

    fn object(&mut self, view: View<'_>, key: &[u8], level: usize) -> Result<()> {
        let last = level + 1 == self.path.len();
        self.out.begin_object()?;
        for (name, value) in view.pairs() {
            let found = name == key;
            if found && last && matches!(self.action, Action::InsertBefore | Action::InsertAfter) {
                return Err(invalid_parameter("cannot replace existing key")
                    .hint("Try using the function jsonb_set to replace key value."));
            }
            if found && last {
                if self.action != Action::Delete {
                    self.out.key(name)?;
                    self.out.value(self.new)?;
                }
                continue;
            }
            self.out.key(name)?;
            match found {
                true => self.deeper(value, level)?,
                false => self.out.value(value)?,
            }
        }
        if view.find(key).is_none() && (last && self.action.creates() || self.action == Action::Assign) {
            self.out.key(key)?;
            self.rest(level)?;
        }
        self.out.end();
        Ok(())
    }

    /// The value behind the steps that follow, of which nothing is there yet (`push_path`).
    fn rest(&mut self, level: usize) -> Result<()> {
        for step in self.path.get(level + 1..).unwrap_or_default().iter().flatten() {
            match index(step) {
                Some(at) => {
                    self.out.begin_array()?;
                    self.nulls(at.into())?;
                }
                None => {
                    self.out.begin_object()?;
                    self.out.key(step.as_bytes())?;
                }
            }
        }
        self.out.value(self.new)?;
        (level + 1..self.path.len()).for_each(|_| self.out.end());
        Ok(())
    }

    fn nulls(&mut self, count: i64) -> Result<()> {
        (0..count).try_for_each(|_| self.out.null())
    }

    fn array(&mut self, view: View<'_>, step: &str, level: usize) -> Result<()> {
        let last = level + 1 == self.path.len();
        let Some(at) = index(step) else {
            let message = format!("path element at position {} is not an integer: \"{step}\"", level + 1);
            return Err(Error::new(sqlstate::INVALID_TEXT_REPRESENTATION, message));
        };
        let (at, count) = (i64::from(at), view.len() as i64);
        let from_begin = if at < 0 { at + count } else { at };
        if self.action == Action::Assign && from_begin < 0 {
            return Err(invalid_parameter(format!("path element at position {} is out of range: {at}", level + 1)));
        }
        // Where there is no such element it is put before the first or behind the last.
        let creates = last && self.action.creates();
        let before = creates && (from_begin < 0 || count == 0) && self.action != Action::Assign;
        let behind = creates && !before && from_begin >= count;
        self.out.begin_array()?;
        if before {
            self.out.value(self.new)?;
        }
        for (number, element) in (0..).zip(view.elements()) {
            match number == from_begin {
                false => self.out.value(element)?,
                true if last => self.element(element)?,
                true => self.deeper(element, level)?,
            }
        }
        if behind || self.action == Action::Assign && from_begin >= count {
            if self.action == Action::Assign {
                self.nulls(from_begin - count)?;
            }
            self.rest(level)?;
        }
        self.out.end();
        Ok(())
    }

    /// What becomes of the element at the end of the path.
    fn element(&mut self, element: Value<'_>) -> Result<()> {
        match self.action {
            Action::Delete => Ok(()),
            Action::Create | Action::Replace | Action::Assign => self.out.value(self.new),
            Action::InsertBefore => {
                self.out.value(self.new)?;
                self.out.value(element)
            }
            Action::InsertAfter => {
                self.out.value(element)?;
                self.out.value(self.new)
            }
        }
    }
}
