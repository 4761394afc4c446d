//! Values for a table's columns (`transformAssignedExpr` of `parse_target.c`).

use ::error::sqlstate;
use syntax::nodes::Node;
use types::{Datum, Result};

use super::coerce::Coercion;
use super::state::ParseState;
use super::{error, unexpected, unsupported};
use crate::query::*;
use crate::relations::{Attribute, Relation};

impl ParseState<'_> {
    /// A value as the column wants it. DEFAULT stays what it is.
    pub(crate) fn assignment(
        &mut self,
        relation: &Relation,
        attribute: i16,
        indirection: &[Node],
        value: Expr,
        place: i32,
    ) -> Result<Expr> {
        let column = &relation.columns[attribute as usize - 1];
        if let Expr::SetToDefault(default) = value {
            if indirection.is_empty() {
                let collation = Collation(column.collation);
                return Ok(Expr::SetToDefault(SetToDefault { ty: column.ty, collation, ..default }));
            }
            let what = if matches!(indirection[0], Node::A_Indices(_)) { "an array element" } else { "a subfield" };
            return Err(error(sqlstate::FEATURE_NOT_SUPPORTED, format!("cannot set {what} to DEFAULT"), place));
        }
        if !indirection.is_empty() {
            return self.assignment_to_part(column, attribute, indirection, value, place);
        }
        let source = value.ty();
        let at = value.location().0;
        let converted = self.coerce_to_target_type(value, column.ty, Coercion::ASSIGNMENT)?;
        let converted = converted.ok_or_else(|| {
            let message = format!(
                "column \"{}\" is of type {} but expression is of type {}",
                column.name,
                self.type_text(column.ty.oid),
                self.type_text(source.oid)
            );
            error(sqlstate::DATATYPE_MISMATCH, message, at).hint("You will need to rewrite or cast the expression.")
        })?;
        Ok(converted)
    }

    /// `a[1]`, `a.f`, `a[1].f` of a column: the column with other elements or fields.
    fn assignment_to_part(
        &mut self,
        column: &Attribute,
        attribute: i16,
        indirection: &[Node],
        value: Expr,
        place: i32,
    ) -> Result<Expr> {
        let location = Location(place);
        let whole = match self.inserting {
            true => Expr::Const(Const { ty: column.ty, value: Datum::Null, location }),
            false => {
                let relation = RangeTableIndex(1);
                let (ty, collation) = (column.ty, Collation(column.collation));
                Expr::Var(Var { relation, attribute, ty, collation, levels_up: 0, location })
            }
        };
        self.assign_into(whole, &column.name, indirection, value, place)
    }

    /// A value with another part, which the steps of an indirection lead to (`transformAssignmentIndirection`). `name`: the column,
    /// or the field, that it is.
    fn assign_into(&mut self, whole: Expr, name: &str, indirection: &[Node], value: Expr, place: i32) -> Result<Expr> {
        if self.catalog().base_type(whole.ty().oid) != whole.ty().oid {
            return Err(unsupported("assignment to a part of a domain", place));
        }
        match indirection.first() {
            Some(Node::A_Indices(_)) => self.assign_element(whole, name, indirection, value, place),
            Some(Node::String(field)) => self.assign_field(whole, (name, field), &indirection[1..], value, place),
            _ => {
                let message = "row expansion via \"*\" is not supported here";
                Err(error(sqlstate::FEATURE_NOT_SUPPORTED, message, place))
            }
        }
    }

    /// `transformAssignmentSubscripts`.
    fn assign_element(
        &mut self,
        whole: Expr,
        name: &str,
        indirection: &[Node],
        value: Expr,
        place: i32,
    ) -> Result<Expr> {
        let subscripts: Vec<_> = indirection
            .iter()
            .map_while(|step| if let Node::A_Indices(indices) = step { Some(&**indices) } else { None })
            .collect();
        let (ty, rest) = (whole.ty(), &indirection[subscripts.len()..]);
        let Expr::SubscriptingRef(mut part) = self.subscript(whole, &subscripts)? else { return Err(unexpected()) };
        part.assigned = Some(if rest.is_empty() {
            let source = value.ty().oid;
            let converted = self.coerce_to_target_type(value, part.result, Coercion::ASSIGNMENT)?;
            converted.ok_or_else(|| {
                let (needed, given) = (self.type_text(part.result.oid), self.type_text(source));
                let message = format!(
                    "subscripted assignment to \"{name}\" requires type {needed} but expression is of type {given}"
                );
                error(sqlstate::DATATYPE_MISMATCH, message, place)
                    .hint("You will need to rewrite or cast the expression.")
            })?
        } else {
            self.assign_into(Expr::SubscriptingRef(part.clone()), name, rest, value, place)?
        });
        part.result = ty;
        Ok(Expr::SubscriptingRef(part))
    }

    /// The branch of `transformAssignmentIndirection` for fields.
    fn assign_field(
        &mut self,
        whole: Expr,
        (name, field): (&str, &str),
        rest: &[Node],
        value: Expr,
        place: i32,
    ) -> Result<Expr> {
        let ty = whole.ty();
        let cannot = |state: &Self, code, why: &str| {
            let shown = state.type_text(ty.oid);
            error(code, format!("cannot assign to field \"{field}\" of column \"{name}\" because {why} {shown}"), place)
        };
        let Some(columns) = self.type_columns(ty.oid) else {
            let shown = self.type_text(ty.oid);
            let message = format!(
                "cannot assign to field \"{field}\" of column \"{name}\" because its type {shown} is not a composite type"
            );
            return Err(error(sqlstate::DATATYPE_MISMATCH, message, place));
        };
        let found = (1..).zip(columns).find(|(_, column)| column.name == field && !field.is_empty());
        let Some((number, column)) = found else {
            return Err(cannot(self, sqlstate::UNDEFINED_COLUMN, "there is no such column in data type"));
        };
        let value = if rest.is_empty() {
            let (source, at) = (value.ty().oid, value.location().0);
            self.coerce_to_target_type(value, column.ty, Coercion::ASSIGNMENT)?.ok_or_else(|| {
                let (needed, given) = (self.type_text(column.ty.oid), self.type_text(source));
                let message = format!("subfield \"{field}\" is of type {needed} but expression is of type {given}");
                error(sqlstate::DATATYPE_MISMATCH, message, at).hint("You will need to rewrite or cast the expression.")
            })?
        } else {
            let (result, collation) = (column.ty, column.collation);
            let part = FieldSelect { row: whole.clone(), field: number, result, collation };
            self.assign_into(Expr::FieldSelect(Box::new(part)), field, rest, value, place)?
        };
        Ok(Expr::FieldStore(Box::new(FieldStore { row: whole, field: number, value, result: ty })))
    }
}
