//! Methods of items that are no arrays: conversions and rounding.

use error::sqlstate;

use super::execute::{Execution, Failure, Followed, soft};
use super::item::Item;
use super::path::{Kind, Method};
use crate::base_type::base_type;
use crate::boolean;
use crate::context::Context;
use crate::datum::Datum;
use crate::error::Error;
use crate::numeric::functions::{from_float, to_float8, whole};
use crate::numeric::value::Decimal;
use crate::numeric::{Numeric, text};
use crate::oid::{self, Oid};
use crate::text::utf8;

/// What a method can be applied to, as messages say it.
const NUMBERS: &str = "a numeric value";
const NUMBERS_AND_STRINGS: &str = "a string or numeric value";
const TRUTHS_TOO: &str = "a boolean, string, or numeric value";
const DATES_TOO: &str = "a boolean, string, numeric, or datetime value";

fn applies<T>(method: &str, to: &str) -> Followed<T> {
    let message = format!("jsonpath item method .{method}() can only be applied to {to}");
    soft(sqlstate::NON_NUMERIC_SQL_JSON_ITEM, message)
}

fn not_a<T>(argument: &str, method: &str, title: &str) -> Followed<T> {
    let message = format!("argument \"{argument}\" of jsonpath item method .{method}() is invalid for type {title}");
    soft(sqlstate::NON_NUMERIC_SQL_JSON_ITEM, message)
}

fn not_finite<T>(method: &str) -> Followed<T> {
    let message = format!("NaN or Infinity is not allowed for jsonpath item method .{method}()");
    soft(sqlstate::NON_NUMERIC_SQL_JSON_ITEM, message)
}

/// The value that a text means as one of a type; `None`: it is none.
fn read(ty: Oid, text: &str) -> Option<Datum> {
    (base_type(ty)?.input)(&Context::default(), text, -1).ok()
}

fn of_integer<'a>(value: i64) -> Item<'a> {
    Item::Number(super::execute::whole(value))
}

impl<'a> Execution<'a> {
    pub fn method(&self, kind: &Kind, item: Item<'a>) -> Followed<Item<'a>> {
        match kind {
            Kind::Method(Method::Abs) => rounded("abs", &item, |decimal| decimal.clone().abs()),
            Kind::Method(Method::Floor) => rounded("floor", &item, Decimal::floor),
            Kind::Method(Method::Ceiling) => rounded("ceiling", &item, Decimal::ceil),
            Kind::Method(Method::Double) => double(item),
            Kind::Method(Method::Bigint) => integer(&item, oid::INT8, "bigint", "bigint"),
            Kind::Method(Method::Integer) => integer(&item, oid::INT4, "integer", "integer"),
            Kind::Method(Method::Boolean) => truth(item),
            Kind::Method(Method::Number) => decimal("number", &item, &[]),
            Kind::Decimal(arguments) => decimal("decimal", &item, arguments),
            Kind::Method(Method::StringFunc) => string(item),
            Kind::Method(method) => {
                Err(Error::unsupported(format_args!("jsonpath method .{}()", method.name())).into())
            }
            Kind::Datetime(method, _) => {
                Err(Error::unsupported(format_args!("jsonpath method .{}()", method.name())).into())
            }
            _ => Err(Error::unsupported("a step of a jsonpath").into()),
        }
    }
}

fn rounded<'a>(method: &str, item: &Item<'a>, round: impl FnOnce(&Decimal) -> Decimal) -> Followed<Item<'a>> {
    match item.number() {
        Some(number) => number.map(round).map(Item::Number).map_err(Failure::Soft),
        None => applies(method, NUMBERS),
    }
}

fn double(item: Item<'_>) -> Followed<Item<'_>> {
    if let Some(number) = item.number() {
        return match to_float8(number.clone().into_owned()) {
            Ok(_) => Ok(item),
            Err(_) => not_a(&number.to_string(), "double", "double precision"),
        };
    }
    let Some(text) = item.text() else { return applies("double", NUMBERS_AND_STRINGS) };
    match read(oid::FLOAT8, utf8(text)?) {
        Some(Datum::F64(value)) if value.is_finite() => Ok(Item::Number(from_float(value, 15)?)),
        Some(_) => not_finite("double"),
        None => not_a(utf8(text)?, "double", "double precision"),
    }
}

fn integer<'a>(item: &Item<'a>, ty: Oid, method: &str, title: &str) -> Followed<Item<'a>> {
    if let Some(number) = item.number() {
        let value = match ty {
            oid::INT4 => whole::<i32>(number.clone().into_owned(), title).map(i64::from),
            _ => whole::<i64>(number.clone().into_owned(), title),
        };
        return match value {
            Ok(value) => Ok(of_integer(value)),
            Err(_) => not_a(&number.to_string(), method, title),
        };
    }
    let Some(text) = item.text() else { return applies(method, NUMBERS_AND_STRINGS) };
    match read(ty, utf8(text)?) {
        Some(Datum::I32(value)) => Ok(of_integer(value.into())),
        Some(Datum::I64(value)) => Ok(of_integer(value)),
        _ => not_a(utf8(text)?, method, title),
    }
}

fn truth(item: Item<'_>) -> Followed<Item<'_>> {
    if item.truth().is_some() {
        return Ok(item);
    }
    let (text, value) = if let Some(number) = item.number() {
        let text = number.to_string();
        let value = match read(oid::INT4, &text) {
            Some(Datum::I32(value)) => Some(value != 0),
            _ => None,
        };
        (text, value)
    } else if let Some(text) = item.text() {
        let text = utf8(text)?;
        (text.to_string(), boolean::parse(text))
    } else {
        return applies("boolean", TRUTHS_TOO);
    };
    value.map_or_else(|| not_a(&text, "boolean", "boolean"), |value| Ok(Item::bool(value)))
}

/// `.number()`, and `.decimal()` with its precision and scale.
fn decimal<'a>(method: &str, item: &Item<'a>, arguments: &[Numeric]) -> Followed<Item<'a>> {
    let (text, value) = if let Some(number) = item.number() {
        (number.to_string(), Some(number.into_owned()))
    } else if let Some(text) = item.text() {
        let text = utf8(text)?;
        (text.to_string(), text::parse(text).ok())
    } else {
        return applies(method, NUMBERS_AND_STRINGS);
    };
    let Some(value) = value else { return not_a(&text, method, "numeric") };
    if !matches!(value, Numeric::Finite(_)) {
        return not_finite(method);
    }
    let Some(precision) = arguments.first() else { return Ok(Item::Number(value)) };
    let precision = argument(precision, "precision", method)?;
    let scale = arguments.get(1).map_or(Ok(0), |scale| argument(scale, "scale", method))?;
    check_modifier(precision, scale)?;
    match value.fit(((precision << 16) | (scale & 0x7ff)) + 4) {
        Ok(value) => Ok(Item::Number(value)),
        Err(_) => not_a(&text, method, "numeric"),
    }
}

fn argument(value: &Numeric, what: &str, method: &str) -> Followed<i32> {
    match whole::<i32>(value.clone(), "integer") {
        Ok(value) => Ok(value),
        Err(_) => {
            let message = format!("{what} of jsonpath item method .{method}() is out of range for type integer");
            soft(sqlstate::NON_NUMERIC_SQL_JSON_ITEM, message)
        }
    }
}

fn check_modifier(precision: i32, scale: i32) -> Followed<()> {
    let message = if !(1..=1000).contains(&precision) {
        format!("NUMERIC precision {precision} must be between 1 and 1000")
    } else if !(-1000..=1000).contains(&scale) {
        format!("NUMERIC scale {scale} must be between -1000 and 1000")
    } else {
        return Ok(());
    };
    soft(sqlstate::INVALID_PARAMETER_VALUE, message)
}

fn string(item: Item<'_>) -> Followed<Item<'_>> {
    if item.text().is_some() {
        return Ok(item);
    }
    if let Some(value) = item.truth() {
        return Ok(Item::Text(if value { "true" } else { "false" }.into()));
    }
    match item.number() {
        Some(number) => Ok(Item::Text(number.to_string())),
        None => applies("string", DATES_TOO),
    }
}
