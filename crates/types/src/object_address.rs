//! What identifies an object, and the object that has an identity: `pg_identify_object`, `pg_identify_object_as_address`,
//! `pg_get_object_address` (PostgreSQL's `objectaddress.c`). The catalog answers ([`crate::names::Names`]); here are the rows.

use crate::array::value::text_array;
use crate::array::{ArrayBuilder, ArrayView};
use crate::datum::Datum;
use crate::error::Result;
use crate::names::{ObjectAddress, ObjectIdentity};
use crate::oid;
use crate::repr::Repr;
use crate::scalar::Scalar;
use crate::set_returning::{Given, Set, SetCall, SetFunction};
use crate::sql::*;

pub const SET_FUNCTIONS: &[SetFunction] = &[
    SetFunction {
        name: "pg_identify_object",
        arguments: &[oid::OID, oid::OID, oid::INT4],
        result: oid::RECORD,
        strict: true,
        start: identify_object,
    },
    SetFunction {
        name: "pg_identify_object_as_address",
        arguments: &[oid::OID, oid::OID, oid::INT4],
        result: oid::RECORD,
        strict: true,
        start: identify_object_as_address,
    },
    SetFunction {
        name: "pg_get_object_address",
        arguments: &[oid::TEXT, oid::TEXT_ARRAY, oid::TEXT_ARRAY],
        result: oid::RECORD,
        strict: true,
        start: object_address,
    },
];

fn identity(call: &SetCall<'_>) -> Result<ObjectIdentity> {
    let object = ObjectAddress { class: call.get::<oid_>(0), oid: call.get::<oid_>(1), column: call.get::<int4>(2) };
    call.context.names.identify_object(object)
}

fn or_null(text: Option<String>) -> Datum {
    text.map_or(Datum::Null, Datum::text)
}

fn identify_object(call: &SetCall<'_>) -> Result<Box<dyn Set>> {
    let ObjectIdentity { kind, schema, name, identity, .. } = identity(call)?;
    Ok(Given::rows(vec![[kind, schema, name, identity].map(or_null).into()]))
}

/// The names and arguments of what does not exist are NULL.
fn identify_object_as_address(call: &SetCall<'_>) -> Result<Box<dyn Set>> {
    let found = identity(call)?;
    let parts = |parts: &[String]| match &found.identity {
        Some(_) => texts(parts).map(Datum::bytes),
        None => Ok(Datum::Null),
    };
    let (names, arguments) = (parts(&found.names)?, parts(&found.arguments)?);
    Ok(Given::rows(vec![vec![or_null(found.kind), names, arguments]]))
}

fn texts(parts: &[String]) -> Result<Vec<u8>> {
    let mut array = ArrayBuilder::new(oid::TEXT, Repr::Text);
    for part in parts {
        array.push(Some(Scalar::Bytes(part.as_bytes())))?;
    }
    array.finish_list()
}

fn object_address(call: &SetCall<'_>) -> Result<Box<dyn Set>> {
    let (names, arguments) = (call.get::<text_array>(1), call.get::<text_array>(2));
    let texts = |array: &ArrayView<'_>| -> Vec<Option<String>> {
        array.iter().map(|item| item.map(|item| item.text().to_string())).collect()
    };
    let found = call.context.names.object_address(call.get::<text>(0), &texts(&names), &texts(&arguments))?;
    Ok(Given::rows(vec![vec![Datum::U32(found.class), Datum::U32(found.oid), Datum::I32(found.column)]]))
}
