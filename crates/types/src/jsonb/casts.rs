//! Casts of values that are no containers to other types.

use super::access::type_name;
use super::invalid_parameter;
use super::layout::{Value, View, number};
use super::value::jsonb;
use crate::error::Result;
use crate::function::Function;
use crate::functions;
use crate::numeric::functions::{to_float4, to_float8, whole};
use crate::numeric::{Numeric, numeric};
use crate::sql::*;

pub const FUNCTIONS: &[Function] = functions! {
    bool(jsonb) -> Option<boolean> = truth;
    numeric(jsonb) -> Option<numeric> = |json| scalar(json, "numeric");
    int2(jsonb) -> Option<int2> = |json| scalar(json, "smallint")?.map(|n| whole(n, "smallint")).transpose();
    int4(jsonb) -> Option<int4> = |json| scalar(json, "integer")?.map(|n| whole(n, "integer")).transpose();
    int8(jsonb) -> Option<int8> = |json| scalar(json, "bigint")?.map(|n| whole(n, "bigint")).transpose();
    float4(jsonb) -> Option<float4> = |json| scalar(json, "real")?.map(to_float4).transpose();
    float8(jsonb) -> Option<float8> = |json| scalar(json, "double precision")?.map(to_float8).transpose();
};

fn cannot_cast(value: Value<'_>, title: &str) -> crate::error::Error {
    let kind = match value {
        Value::Number(_) => "numeric",
        other => type_name(other),
    };
    invalid_parameter(format!("cannot cast jsonb {kind} to type {title}"))
}

fn truth(json: View<'_>) -> Result<Option<bool>> {
    match json.root() {
        Value::Null => Ok(None),
        Value::Bool(value) => Ok(Some(value)),
        other => Err(cannot_cast(other, "boolean")),
    }
}

fn scalar(json: View<'_>, title: &str) -> Result<Option<Numeric>> {
    match json.root() {
        Value::Null => Ok(None),
        Value::Number(bytes) => Ok(Some(number(bytes))),
        other => Err(cannot_cast(other, title)),
    }
}
