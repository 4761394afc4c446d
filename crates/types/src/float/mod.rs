//! `real` and `double precision`.
//!
//! * [`text`]: how clients write and read them. [`arithmetic`]: operators, comparisons and casts. [`math`]: the others.

pub mod arithmetic;
pub mod math;
pub mod text;

use crate::base_type::{BaseType, fixed, value};
use crate::column::SqlType;
use crate::datum::Datum;
use crate::function::Function;
use crate::sql::*;

pub const TYPES: &[BaseType] = &[
    BaseType {
        oid: float4::OID,
        input: |_, input, _| Ok(Datum::F32(text::parse(input)?)),
        output: |context, array, index, out| {
            text::write(value::<float4>(array, index), context.extra_float_digits, out);
            Ok(())
        },
        receive: |_, bytes, _| Ok(Datum::F32(f32::from_be_bytes(fixed(bytes)?))),
        send: |_, array, index, out| {
            out.extend(value::<float4>(array, index).to_be_bytes());
            Ok(())
        },
    },
    BaseType {
        oid: float8::OID,
        input: |_, input, _| Ok(Datum::F64(text::parse(input)?)),
        output: |context, array, index, out| {
            text::write(value::<float8>(array, index), context.extra_float_digits, out);
            Ok(())
        },
        receive: |_, bytes, _| Ok(Datum::F64(f64::from_be_bytes(fixed(bytes)?))),
        send: |_, array, index, out| {
            out.extend(value::<float8>(array, index).to_be_bytes());
            Ok(())
        },
    },
];

pub const FUNCTIONS: &[&[Function]] = &[
    arithmetic::OF_FOUR,
    arithmetic::OF_EIGHT,
    arithmetic::FOUR_AND_EIGHT,
    arithmetic::EIGHT_AND_FOUR,
    arithmetic::CASTS,
    math::FUNCTIONS,
    math::DEGREES,
];
