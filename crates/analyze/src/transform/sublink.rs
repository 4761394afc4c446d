//! Queries within expressions (`transformSubLink` of `parse_expr.c`).

use ::error::sqlstate;
use syntax::nodes as raw;
use types::{Oid, Result, oid};

use super::raw::strings;
use super::state::{ExprKind, ParseState};
use super::{error, required, unexpected};
use crate::query::*;

impl ParseState<'_> {
    pub(crate) fn transform_sublink(&mut self, e: &raw::SubLink) -> Result<Expr> {
        let place = e.location;
        if let Some(what) = self.expr_kind.no_subqueries() {
            return Err(error(sqlstate::FEATURE_NOT_SUPPORTED, format!("cannot use subquery in {what}"), place));
        }
        self.has_sublinks = true;
        let select = required(&e.subselect)?;
        let query = self.analyze_subquery(select)?;
        use raw::SubLinkType::*;
        let (kind, test, result) = match e.sub_link_type {
            EXISTS_SUBLINK => (SubLinkKind::Exists, None, TypeRef::of(oid::BOOL)),
            EXPR_SUBLINK => {
                let result = self.only_column(&query, place)?;
                if let Some(target) = query.visible_targets().next() {
                    self.sublink_names.push((e, target.name.clone()));
                }
                (SubLinkKind::Scalar, None, result)
            }
            ARRAY_SUBLINK => {
                let element = self.only_column(&query, place)?;
                // Arrays become one of more dimensions.
                let promoted = |ty: Oid| self.array_type(ty).or_else(|| self.element_type(ty).map(|_| ty));
                let array = promoted(element.oid).ok_or_else(|| {
                    let message = format!("could not find array type for data type {}", self.type_text(element.oid));
                    error(sqlstate::UNDEFINED_OBJECT, message, place)
                })?;
                (SubLinkKind::Array, None, TypeRef { oid: array, typmod: element.typmod })
            }
            kind @ (ANY_SUBLINK | ALL_SUBLINK | ROWCOMPARE_SUBLINK) => {
                let test = self.sublink_test(e, &query)?;
                let kind = match kind {
                    ANY_SUBLINK => SubLinkKind::Any,
                    ALL_SUBLINK => SubLinkKind::All,
                    _ => SubLinkKind::RowCompare,
                };
                (kind, Some(test), TypeRef::of(oid::BOOL))
            }
            MULTIEXPR_SUBLINK | CTE_SUBLINK => return Err(unexpected()),
        };
        // IN has no operator's name: it is an equality.
        let operator_name = strings(&e.oper_name).last().map_or("=", |name| *name).to_string();
        let link = SubLink { kind, test, operator_name, query, result, location: Location(e.location) };
        Ok(Expr::SubLink(Box::new(link)))
    }

    fn only_column(&self, query: &Query, place: i32) -> Result<TypeRef> {
        let mut shown = query.targets.iter().filter(|target| !target.junk);
        match (shown.next(), shown.next()) {
            (Some(target), None) => Ok(target.expr.ty()),
            _ => Err(error(sqlstate::SYNTAX_ERROR, "subquery must return only one column", place)),
        }
    }

    /// The comparison of the left side with the subquery's columns.
    fn sublink_test(&mut self, e: &raw::SubLink, query: &Query) -> Result<Expr> {
        let place = e.location;
        let left = match self.transform(required(&e.testexpr)?)? {
            Expr::Row(row) => row.fields,
            value => vec![value],
        };
        let shown = query.targets.iter().filter(|target| !target.junk);
        let right: Vec<Expr> = shown
            .zip(1..)
            .map(|(target, number)| {
                let ty = target.expr.ty();
                Expr::Param(Param { kind: ParamKind::SubLink, number, ty, location: Location::NONE })
            })
            .collect();
        if left.len() < right.len() {
            return Err(error(sqlstate::SYNTAX_ERROR, "subquery has too many columns", place));
        }
        if left.len() > right.len() {
            return Err(error(sqlstate::SYNTAX_ERROR, "subquery has too few columns", place));
        }
        let names = strings(&e.oper_name);
        let names = if names.is_empty() { vec!["="] } else { names };
        self.compare_rows(&names, left, right, e.location)
    }
}

impl ExprKind {
    /// What a part of a statement where no subquery may be is called.
    fn no_subqueries(self) -> Option<&'static str> {
        Some(match self {
            ExprKind::CheckConstraint => "check constraint",
            ExprKind::ColumnDefault => "DEFAULT expression",
            ExprKind::IndexExpression => "index expression",
            ExprKind::IndexPredicate => "index predicate",
            ExprKind::Execute => "EXECUTE parameter",
            ExprKind::GeneratedColumn => "column generation expression",
            ExprKind::AlterColumnTransform => "transform expression",
            ExprKind::CallArgument => "CALL argument",
            ExprKind::CopyWhere => "COPY FROM WHERE condition",
            _ => return None,
        })
    }
}
