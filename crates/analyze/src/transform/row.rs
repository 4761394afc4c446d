//! Rows as values: their columns, a column of one (`ParseComplexProjection` of `parse_func.c`, `ExpandRowReference` of
//! `parse_target.c`, `get_expr_result_tupdesc` of `funcapi.c`).

use ::error::sqlstate;
use types::{Oid, Result, oid};

use super::coerce::Coercion;
use super::state::ParseState;
use super::target::push;
use super::{error, unsupported};
use crate::Operand;
use crate::call_kind::Decoration;
use crate::funcapi::result_columns;
use crate::parse_func::{FuncCall, FuncDetail, func_get_detail};
use crate::query::*;
use crate::relations::Attribute;

impl ParseState<'_> {
    /// `row.name`: a column of a row, or a function of a value; `None`: neither.
    pub(crate) fn field_or_function(&mut self, value: Expr, name: &str, place: i32) -> Result<Option<Expr>> {
        let ty = value.ty().oid;
        if self.is_row_type(ty)
            && let Some(field) = self.select_field(&value, name)?
        {
            return Ok(Some(field));
        }
        let arguments = [Operand::of(ty)];
        let decoration = Decoration::default();
        let call = FuncCall { name: name.into(), arguments: &arguments, names: &[], variadic: false, decoration };
        match func_get_detail(self.catalog(), &call) {
            Ok(FuncDetail::Function(function, _)) if function.prokind == b'f' => {
                self.call_by_name(name, vec![value], place).map(Some)
            }
            Ok(FuncDetail::Coercion(target)) => {
                let how = Coercion::explicit(CoercionForm::ExplicitCall, Location(place));
                self.coerce_type(value, TypeRef::of(target), how).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// A column of a row, if it has one of the name (`ParseComplexProjection`).
    pub(crate) fn select_field(&self, row: &Expr, name: &str) -> Result<Option<Expr>> {
        // A whole row of this query's tables: its column.
        if let Expr::Var(Var { relation, attribute: 0, levels_up, location, .. }) = row {
            let state = self.at_level(*levels_up);
            let columns = &state.entry(*relation).columns;
            let mut named = (1..).zip(columns.iter()).filter(|(_, column)| column.name == name);
            return match (named.next(), named.next()) {
                (Some((attribute, column)), None) => {
                    let (relation, levels_up, location) = (*relation, *levels_up, *location);
                    let Column { ty, collation, .. } = *column;
                    Ok(Some(Expr::Var(Var { relation, attribute, ty, collation, levels_up, location })))
                }
                (Some(_), Some(_)) => Err(error(
                    sqlstate::AMBIGUOUS_COLUMN,
                    format!("column reference \"{name}\" is ambiguous"),
                    location.0,
                )),
                _ => Ok(None),
            };
        }
        let Some(columns) = self.row_columns(row) else { return Ok(None) };
        let found = (1..).zip(columns).find(|(_, column)| column.name == name && !name.is_empty());
        Ok(found.map(|(field, column)| {
            let Column { ty: result, collation, .. } = column;
            Expr::FieldSelect(Box::new(FieldSelect { row: row.clone(), field, result, collation }))
        }))
    }

    /// The columns of a row's value, if they are known; dropped ones have no name.
    pub(crate) fn row_columns(&self, row: &Expr) -> Option<Vec<Column>> {
        match row {
            Expr::Var(Var { relation, attribute: 0, levels_up, .. }) => {
                return Some(self.at_level(*levels_up).entry(*relation).columns.to_vec());
            }
            Expr::Var(Var { relation, attribute, levels_up, ty, .. }) if ty.oid == oid::RECORD => {
                return self.computed_row_columns(self.at_level(*levels_up).entry(*relation), *attribute);
            }
            Expr::Row(row) if row.ty == oid::RECORD => return Some(self.row_expr_columns(row)),
            Expr::FuncExpr(call) if call.result.oid == oid::RECORD => return result_columns(self.catalog(), call),
            _ => {}
        }
        self.type_columns(row.ty().oid)
    }

    /// The columns of a row that a subquery computes (`expandRecordVariable`).
    fn computed_row_columns(&self, entry: &RangeTableEntry, attribute: i16) -> Option<Vec<Column>> {
        let RangeTableKind::Subquery(query) = &entry.kind else { return None };
        let place = usize::try_from(attribute).ok()?.checked_sub(1)?;
        match &query.visible_targets().nth(place)?.expr {
            Expr::Row(row) => Some(self.row_expr_columns(row)),
            Expr::FuncExpr(call) => result_columns(self.catalog(), call),
            Expr::Var(Var { relation, attribute: 0, levels_up: 0, .. }) => {
                Some(query.entry(*relation).columns.to_vec())
            }
            Expr::Var(Var { relation, attribute, levels_up: 0, .. }) => {
                self.computed_row_columns(query.entry(*relation), *attribute)
            }
            _ => None,
        }
    }

    /// The columns of a row type.
    pub(super) fn type_columns(&self, ty: Oid) -> Option<Vec<Column>> {
        let relation = self.catalog().type_relation(ty)?;
        let relation = self.statement.relations.relation_by_oid(relation)?;
        Some(relation.columns.iter().map(Attribute::column).collect())
    }

    /// `(row).*` as targets (`ExpandRowReference`).
    pub(crate) fn expand_row(&mut self, row: Expr, place: i32, targets: &mut Vec<TargetEntry>) -> Result<()> {
        if let Expr::Var(Var { relation, attribute: 0, levels_up, location, .. }) = row {
            let columns = self.at_level(levels_up).entry(relation).columns.clone();
            for (attribute, column) in (1..).zip(columns.iter()).filter(|(_, column)| !column.name.is_empty()) {
                let Column { ty, collation, .. } = *column;
                let var = Var { relation, attribute, ty, collation, levels_up, location };
                push(targets, Expr::Var(var), column.name.clone());
            }
            return Ok(());
        }
        let Some(columns) = self.row_columns(&row) else {
            if row.ty().oid == oid::RECORD {
                return Err(unsupported("the columns of this record", place));
            }
            let message = format!("type {} is not composite", self.type_text(row.ty().oid));
            return Err(error(sqlstate::WRONG_OBJECT_TYPE, message, place));
        };
        for (field, column) in (1..).zip(columns).filter(|(_, column)| !column.name.is_empty()) {
            let Column { ty: result, collation, .. } = column;
            let select = FieldSelect { row: row.clone(), field, result, collation };
            push(targets, Expr::FieldSelect(Box::new(select)), column.name);
        }
        Ok(())
    }

    /// The columns of a row that is written. What is no column has the collation of its type.
    fn row_expr_columns(&self, row: &RowExpr) -> Vec<Column> {
        let column = |(name, field): (&String, &Expr)| {
            let ty = field.ty();
            let collation = match field {
                Expr::Var(var) => var.collation,
                _ => self.collation_of_type(ty.oid),
            };
            Column { name: name.clone(), ty, collation }
        };
        row.names.iter().zip(&row.fields).map(column).collect()
    }
}
