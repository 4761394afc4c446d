//! Conversions that the planner adds: the arms of set operations, keys of joins.

use analyze::parse_coerce::{CoercionContext, CoercionPath, find_coercion_pathway};
use analyze::query::*;
use catalog::Catalog;
use types::Oid;

/// The expression as a value of a type, where that is done without being asked for.
pub fn coerce(catalog: Catalog<'_>, expr: Expr, target: TypeRef) -> Option<Expr> {
    let source: Oid = expr.ty().oid;
    if source == target.oid {
        return Some(expr);
    }
    let form = CoercionForm::ImplicitCast;
    let location = Location::NONE;
    Some(match find_coercion_pathway(catalog, target.oid, source, CoercionContext::Implicit)? {
        CoercionPath::Relabel => {
            Expr::RelabelType(Box::new(RelabelType { argument: expr, result: target, collation: None, form, location }))
        }
        CoercionPath::Function(function) => {
            let row = catalog.function(function)?;
            let mut arguments = vec![expr];
            // A length, and whether it is asked for.
            if row.pronargs > 1 {
                arguments.push(int4(-1));
            }
            if row.pronargs > 2 {
                arguments.push(crate::manip::make_bool_const(false));
            }
            Expr::FuncExpr(FuncExpr {
                function,
                result: target,
                returns_set: false,
                variadic: false,
                form,
                collation: types::oid::INVALID,
                arguments,
                location,
            })
        }
        CoercionPath::ViaIo => {
            Expr::CoerceViaIo(Box::new(CoerceViaIo { argument: expr, result: target.oid, form, location }))
        }
        CoercionPath::Array => {
            let element = coerce(
                catalog,
                Expr::CaseTest(TypeRef::of(catalog.element_type(source)?)),
                TypeRef::of(catalog.element_type(target.oid)?),
            )?;
            Expr::ArrayCoerce(Box::new(ArrayCoerce { argument: expr, element, result: target, form, location }))
        }
    })
}

fn int4(value: i32) -> Expr {
    Expr::Const(Const { ty: TypeRef::of(types::oid::INT4), value: types::Datum::I32(value), location: Location::NONE })
}
