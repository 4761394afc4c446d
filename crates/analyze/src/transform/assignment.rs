//! Values for a table's columns (`transformAssignedExpr` of `parse_target.c`).

use syntax::nodes::Node;
use types::Result;

use super::coerce::Coercion;
use super::state::ParseState;
use super::{error, unsupported};
use crate::query::*;
use crate::relations::Relation;

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
                return Ok(Expr::SetToDefault(SetToDefault { ty: column.ty, ..default }));
            }
            let what = if matches!(indirection[0], Node::A_Indices(_)) { "an array element" } else { "a subfield" };
            return Err(error("0A000", format!("cannot set {what} to DEFAULT"), place));
        }
        if !indirection.is_empty() {
            return Err(unsupported("assignment to a part of a column", place));
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
            error("42804", message, at).hint("You will need to rewrite or cast the expression.")
        })?;
        Ok(converted)
    }
}
