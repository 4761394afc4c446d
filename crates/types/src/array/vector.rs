//! `int2vector` and `oidvector`: lists without NULLs whose first subscript is 0, with texts of their own (`1 2 3`).

use error::sqlstate;

use crate::base_type::{BaseType, value};
use crate::context::Context;
use crate::datum::Datum;
use crate::digits::put_integer;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::oid::{self, Oid};
use crate::repr::Repr;
use crate::scalar::Scalar;
use crate::sql::*;

use super::builder::ArrayBuilder;
use super::types::known_name;
use super::value::{anyarray, oidvector};
use super::view::ArrayView;
use super::wire;

pub const INT2VECTOR: BaseType = BaseType {
    oid: oid::INT2VECTOR,
    input: |context, text, _| input(context, oid::INT2, Repr::Int2, text),
    output,
    receive: |context, bytes, _| receive(context, oid::INT2, "int2vector", bytes),
    send: wire::send,
};

pub const OIDVECTOR: BaseType = BaseType {
    oid: oid::OIDVECTOR,
    input: |context, text, _| input(context, oid::OID, Repr::Oid, text),
    output,
    receive: |context, bytes, _| receive(context, oid::OID, "oidvector", bytes),
    send: wire::send,
};

pub const FUNCTIONS: &[Function] = functions! {
    oidvectortypes[context](oidvector) -> text = |context, types| Result::Ok(type_names(context, &types));
    oidvectoreq(oidvector, oidvector) -> boolean = |a, b| Result::Ok(compare(a, b).is_eq());
    oidvectorne(oidvector, oidvector) -> boolean = |a, b| Result::Ok(compare(a, b).is_ne());
    oidvectorlt(oidvector, oidvector) -> boolean = |a, b| Result::Ok(compare(a, b).is_lt());
    oidvectorle(oidvector, oidvector) -> boolean = |a, b| Result::Ok(compare(a, b).is_le());
    oidvectorgt(oidvector, oidvector) -> boolean = |a, b| Result::Ok(compare(a, b).is_gt());
    oidvectorge(oidvector, oidvector) -> boolean = |a, b| Result::Ok(compare(a, b).is_ge());
    btoidvectorcmp(oidvector, oidvector) -> int4 = |a: ArrayView<'_>, b: ArrayView<'_>| {
        let longer = a.len() as i32 - b.len() as i32;
        Result::Ok(if longer != 0 { longer } else { a.compare(&b) as i32 })
    };
};

/// The types' names, as those of a function's arguments are written.
fn type_names(context: &Context, types: &ArrayView<'_>) -> String {
    let name = |ty: Scalar<'_>| {
        let ty = ty.unsigned() as Oid;
        context.names.type_name(ty, None).or_else(|| known_name(ty)).unwrap_or_else(|| "???".into())
    };
    types.iter().flatten().map(name).collect::<Vec<_>>().join(", ")
}

/// As `btoidvectorcmp`: the shorter is less.
fn compare(a: ArrayView<'_>, b: ArrayView<'_>) -> std::cmp::Ordering {
    a.len().cmp(&b.len()).then_with(|| a.compare(&b))
}

/// A vector of values.
pub fn vector<'a>(element: Oid, repr: Repr, values: impl IntoIterator<Item = Scalar<'a>>) -> Result<Vec<u8>> {
    let mut builder = ArrayBuilder::new(element, repr);
    values.into_iter().try_for_each(|value| builder.push(Some(value)))?;
    builder.finish_from(0)
}

/// Numbers with spaces between them; what is wrong with one shows all that is left of the text. An oid ends with its digits
/// (`int2vectorin`, `oidvectorin`).
fn input(_: &Context, element: Oid, repr: Repr, text: &str) -> Result<Datum> {
    let is_oid = element == oid::OID;
    let name = if is_oid { "oid" } else { "smallint" };
    let mut values = Vec::new();
    let mut rest = text.trim_start_matches(is_space);
    while !rest.is_empty() {
        let sign = usize::from(rest.starts_with(['+', '-']));
        let digits = rest[sign..].bytes().take_while(u8::is_ascii_digit).count();
        let (word, behind) = rest.split_at(sign + digits);
        if digits == 0 || !(is_oid || behind.is_empty() || behind.starts_with(' ')) {
            return Err(Error::invalid_input(name, rest));
        }
        values.push(match word.parse::<i64>() {
            Ok(number) if is_oid && (i64::from(i32::MIN)..=u32::MAX.into()).contains(&number) => {
                Scalar::Unsigned((number as u32).into())
            }
            Ok(number) if !is_oid && i16::try_from(number).is_ok() => Scalar::Int(number),
            _ => {
                return Err(Error::new(
                    sqlstate::NUMERIC_VALUE_OUT_OF_RANGE,
                    format!("value \"{rest}\" is out of range for type {name}"),
                ));
            }
        });
        rest = behind.trim_start_matches(is_space);
    }
    Ok(Datum::bytes(vector(element, repr, values)?))
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t'..='\r')
}

fn output(_: &Context, column: &dyn arrow_array::Array, index: usize, out: &mut Vec<u8>) -> Result<()> {
    let array = value::<anyarray>(column, index);
    // ARRAY[…] with a cast makes them too.
    if array.shape().dimensions() != 1 || array.has_nulls() {
        let name = if array.element() == oid::OID { "oidvector" } else { "int2vector" };
        return Err(Error::new(sqlstate::DATATYPE_MISMATCH, format!("array is not a valid {name}")));
    }
    for (number, element) in array.iter().enumerate() {
        if number > 0 {
            out.push(b' ');
        }
        match element {
            Some(Scalar::Int(v)) => put_integer(out, v),
            Some(Scalar::Unsigned(v)) => put_integer(out, v),
            _ => {}
        }
    }
    Ok(())
}

fn receive(context: &Context, element: Oid, name: &str, bytes: &[u8]) -> Result<Datum> {
    let datum = wire::receive(context, element, bytes, -1)?;
    let Datum::Bytes(bytes) = &datum else { return Ok(datum) };
    let array = ArrayView::new(bytes);
    let shape = array.shape();
    match shape.dimensions() == 1 && shape.lower() == [0] && !array.has_nulls() {
        true => Ok(datum),
        false => Err(Error::new(sqlstate::INVALID_BINARY_REPRESENTATION, format!("invalid {name} data"))),
    }
}
