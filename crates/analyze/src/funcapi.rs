//! What columns the result of a call has (PostgreSQL's `funcapi.c`).

use catalog::Catalog;
use catalog::catalogs::PgProc;
use types::{Oid, oid};

use crate::polymorphic::{enforce_generic_type_consistency, is_polymorphic};
use crate::query::{Collation, Column, FuncExpr, TypeRef};

/// The columns of a `record` that the function's declaration has OUT parameters for, the polymorphic ones as this call's
/// arguments make them (`build_function_result_tupdesc_t`, `resolve_polymorphic_tupdesc`). `None`: it has one result.
pub fn result_columns(catalog: Catalog<'_>, call: &FuncExpr) -> Option<Vec<Column>> {
    if call.result.oid != oid::RECORD {
        return None;
    }
    let row = catalog.function(call.function)?;
    let resolve = |ty| {
        if !is_polymorphic(ty) {
            return Some(ty);
        }
        let actual: Vec<_> = call.arguments.iter().map(|argument| argument.ty().oid).collect();
        enforce_generic_type_consistency(catalog, &actual, &mut row.proargtypes.to_vec(), ty).ok()
    };
    let column = |(name, ty)| {
        let ty = TypeRef::of(resolve(ty)?);
        Some(Column { name, ty, collation: Collation(catalog.type_collation(ty.oid).unwrap_or(oid::INVALID)) })
    };
    let columns: Vec<Column> = out_parameters(row)?.map(column).collect::<Option<_>>()?;
    (columns.len() > 1).then_some(columns)
}

/// The OUT parameters of a declaration: their names and types. `None`: it tells of none.
pub fn out_parameters(row: &PgProc) -> Option<impl Iterator<Item = (String, Oid)>> {
    let (types, modes) = (row.proallargtypes.as_ref()?, row.proargmodes.as_ref()?);
    let out = types.iter().zip(modes).enumerate().filter(|(_, (_, mode))| matches!(mode, b'o' | b'b' | b't'));
    Some(out.map(|(number, (ty, _))| {
        let name = row.proargnames.as_ref().and_then(|names| names.get(number)).filter(|name| !name.is_empty());
        (name.map_or_else(|| format!("column{}", number + 1), |name| name.to_string()), *ty)
    }))
}
