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

    /// `a[1]`, `a[1:2]` of a column (`transformAssignmentSubscripts`): the column with other elements.
    fn assignment_to_part(
        &mut self,
        column: &Attribute,
        attribute: i16,
        indirection: &[Node],
        value: Expr,
        place: i32,
    ) -> Result<Expr> {
        let subscripts: Option<Vec<_>> = indirection
            .iter()
            .map(|step| if let Node::A_Indices(indices) = step { Some(&**indices) } else { None })
            .collect();
        let subscripts = subscripts.ok_or_else(|| unsupported("assignment to a field of a column", place))?;
        if self.catalog().base_type(column.ty.oid) != column.ty.oid {
            return Err(unsupported("assignment to a part of a domain", place));
        }
        let location = Location(place);
        let whole = match self.inserting {
            true => Expr::Const(Const { ty: column.ty, value: Datum::Null, location }),
            false => {
                let relation = RangeTableIndex(1);
                let (ty, collation) = (column.ty, Collation(column.collation));
                Expr::Var(Var { relation, attribute, ty, collation, levels_up: 0, location })
            }
        };
        let Expr::SubscriptingRef(mut part) = self.subscript(whole, &subscripts)? else { return Err(unexpected()) };
        let source = value.ty().oid;
        let converted = self.coerce_to_target_type(value, part.result, Coercion::ASSIGNMENT)?;
        part.assigned = Some(converted.ok_or_else(|| {
            let (needed, given) = (self.type_text(part.result.oid), self.type_text(source));
            let name = &column.name;
            let message = format!(
                "subscripted assignment to \"{name}\" requires type {needed} but expression is of type {given}"
            );
            error(sqlstate::DATATYPE_MISMATCH, message, place).hint("You will need to rewrite or cast the expression.")
        })?);
        part.result = column.ty;
        Ok(Expr::SubscriptingRef(part))
    }
}
