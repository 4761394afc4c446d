//! Conversions to a type modifier that cannot change a value (PostgreSQL's `numeric_support`, `varchar_support`,
//! `timestamp_support`, `time_support`).

use analyze::query::{CoercionForm, Expr, FuncExpr, Location, TypeRef};
use types::Oid;
use types::repr::precision_and_scale;

use super::cast::relabel;
use super::function::constant_int;

const NUMERIC: Oid = 1703;
const VARCHAR: Oid = 669;
const TIMESTAMP: Oid = 1961;
const TIMESTAMPTZ: Oid = 1967;
const TIME: Oid = 1968;
const TIMETZ: Oid = 1969;

/// Digits of seconds that times have at most.
const MOST_DIGITS: i32 = 6;

pub(super) fn simplify(mut call: FuncExpr) -> Expr {
    let [value, wanted, ..] = call.arguments.as_slice() else { return Expr::FuncExpr(call) };
    let Some(wanted) = constant_int(wanted) else { return Expr::FuncExpr(call) };
    let has = value.ty();
    let unchanged = match call.function {
        NUMERIC => match (precision_and_scale(has.typmod), precision_and_scale(wanted)) {
            (_, None) => true,
            (Some((precision, scale)), Some((new_precision, new_scale))) => {
                scale == new_scale && precision <= new_precision
            }
            (None, Some(_)) => false,
        },
        VARCHAR => wanted < 4 || (has.typmod >= 4 && has.typmod <= wanted),
        TIMESTAMP | TIMESTAMPTZ | TIME | TIMETZ => {
            wanted < 0 || wanted == MOST_DIGITS || (has.typmod >= 0 && wanted >= has.typmod)
        }
        _ => false,
    };
    match unchanged {
        true => {
            let value = call.arguments.swap_remove(0);
            relabel(value, TypeRef { oid: has.oid, typmod: wanted }, CoercionForm::ExplicitCast, Location::NONE)
        }
        false => Expr::FuncExpr(call),
    }
}
