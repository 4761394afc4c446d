//! Casts that are no functions.

use analyze::query::*;
use types::{Datum, Result};

use super::{Folder, is_const, is_null_const, null};
use crate::clauses::{contain_mutable_functions, function_is_strict};

/// A value under another type (`applyRelabelType`): labels on labels are one, those of constants are their types.
pub(crate) fn relabel(mut argument: Expr, result: TypeRef, form: CoercionForm, location: Location) -> Expr {
    while let Expr::RelabelType(inner) = argument {
        argument = inner.argument;
    }
    match argument {
        Expr::Const(constant) => {
            let value = in_type(constant.value, result);
            Expr::Const(Const { ty: result, value, location: constant.location })
        }
        argument if argument.ty() == result => argument,
        argument => Expr::RelabelType(Box::new(RelabelType { argument, result, collation: None, form, location })),
    }
}

/// Integers and oids have the same bits under other types.
fn in_type(value: Datum, ty: TypeRef) -> Datum {
    match (value, types::Repr::of(ty.oid, -1)) {
        (Datum::I32(value), Some(types::Repr::Oid)) => Datum::U32(value as u32),
        (Datum::U32(value), Some(types::Repr::Int4)) => Datum::I32(value as i32),
        (value, _) => value,
    }
}

impl Folder<'_> {
    pub(super) fn fold_through_text(&mut self, e: CoerceViaIo) -> Result<Expr> {
        let argument = self.fold(e.argument)?;
        let catalog = self.catalog();
        let (source, target) = (catalog.pg_type(argument.ty().oid), catalog.pg_type(e.result));
        let (Some(source), Some(target)) = (source, target) else {
            return Ok(Expr::CoerceViaIo(Box::new(CoerceViaIo { argument, ..e })));
        };
        if is_null_const(&argument) && function_is_strict(catalog, target.typinput) {
            return Ok(null(TypeRef::of(e.result)));
        }
        let safe = is_const(&argument) && self.is_safe(source.typoutput) && self.is_safe(target.typinput);
        let expr = Expr::CoerceViaIo(Box::new(CoerceViaIo { argument, ..e }));
        if safe { self.computed(expr) } else { Ok(expr) }
    }

    pub(super) fn fold_array_coerce(&mut self, e: ArrayCoerce) -> Result<Expr> {
        let argument = self.fold(e.argument)?;
        // The element is no CASE's argument.
        let outer = self.case_value.take();
        let element = self.fold(e.element);
        self.case_value = outer;
        let element = element?;
        let safe = is_const(&argument) && !contain_mutable_functions(self.catalog(), &element);
        let expr = Expr::ArrayCoerce(Box::new(ArrayCoerce { argument, element, ..e }));
        if safe { self.computed(expr) } else { Ok(expr) }
    }
}
