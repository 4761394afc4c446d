//! UPDATE and DELETE, and RETURNING (`analyze.c`).

use std::sync::Arc;

use ::error::sqlstate;
use syntax::nodes as raw;
use syntax::nodes::Node;
use types::{Error, Result, oid};

use super::insert::unknown_default;
use super::state::{ExprKind, NamespaceItem, ParseState};
use super::{error, required, unexpected};
use crate::query::*;
use crate::relations::Relation;

impl ParseState<'_> {
    pub(crate) fn transform_update(&mut self, update: &raw::UpdateStmt) -> Result<Query> {
        let recursive = self.transform_with(update.with_clause.as_deref())?;
        let (relation, item) = self.open_target(required(&update.relation)?)?;
        let from = self.transform_target_from(&item, &update.from_clause)?;
        let condition = self.transform_condition(update.where_clause.as_ref(), ExprKind::Where, "WHERE")?;
        let clause = update.returning_clause.as_deref();
        let (returning, rows) = self.transform_returning(clause, &item, ExprKind::Returning)?;
        let targets = self.transform_update_targets(&relation, &item.name, &update.target_list)?;
        let mut query = Query {
            targets,
            join_tree: FromExpr { from, condition },
            result_relation: Some(item.relation),
            returning,
            returning_rows: rows,
            recursive,
            ..self.query(CommandType::Update)
        };
        self.assign_query_collations(&mut query)?;
        Ok(query)
    }

    pub(crate) fn transform_delete(&mut self, delete: &raw::DeleteStmt) -> Result<Query> {
        let recursive = self.transform_with(delete.with_clause.as_deref())?;
        let (_, item) = self.open_target(required(&delete.relation)?)?;
        let from = self.transform_target_from(&item, &delete.using_clause)?;
        let condition = self.transform_condition(delete.where_clause.as_ref(), ExprKind::Where, "WHERE")?;
        let clause = delete.returning_clause.as_deref();
        let (returning, rows) = self.transform_returning(clause, &item, ExprKind::Returning)?;
        let mut query = Query {
            join_tree: FromExpr { from, condition },
            result_relation: Some(item.relation),
            returning,
            returning_rows: rows,
            recursive,
            ..self.query(CommandType::Delete)
        };
        self.assign_query_collations(&mut query)?;
        Ok(query)
    }

    /// The table that is changed, and what FROM or USING brings beside it.
    fn transform_target_from(&mut self, item: &NamespaceItem, from: &[Node]) -> Result<Vec<JoinTree>> {
        // A LATERAL part may not refer to the table itself.
        self.namespace.push(NamespaceItem { lateral_only: true, lateral_ok: false, ..item.clone() });
        let mut trees = vec![JoinTree::Relation(item.relation)];
        trees.extend(self.transform_from(from)?);
        Ok(trees)
    }

    /// SET (`transformUpdateTargetList`).
    pub(crate) fn transform_update_targets(
        &mut self,
        relation: &Arc<Relation>,
        target_name: &str,
        list: &[Node],
    ) -> Result<Vec<TargetEntry>> {
        let mut targets: Vec<TargetEntry> = Vec::with_capacity(list.len());
        // `(a, b) = (…)`: the source is looked at once, with the first of its columns.
        let mut sources: Vec<Expr> = Vec::new();
        for node in list {
            let Node::ResTarget(target) = node else { return Err(unexpected()) };
            let name = &**required(&target.name)?;
            let place = target.location;
            let value = match required(&target.val)? {
                Node::MultiAssignRef(part) => {
                    if part.colno == 1 {
                        sources = self.transform_multi_assign(part)?;
                    }
                    sources.get(part.colno as usize - 1).cloned().ok_or_else(unexpected)?
                }
                Node::SetToDefault(e) => unknown_default(e.location),
                value => self.transform_expr(value, ExprKind::UpdateSource)?,
            };
            let Some(attribute) = relation.attribute(name) else {
                if super::relation::SYSTEM_COLUMNS.iter().any(|(system, ..)| *system == name) {
                    return Err(error(
                        sqlstate::FEATURE_NOT_SUPPORTED,
                        format!("cannot assign to system column \"{name}\""),
                        place,
                    ));
                }
                let message = format!("column \"{name}\" of relation \"{}\" does not exist", relation.name);
                let missing = error(sqlstate::UNDEFINED_COLUMN, message, place);
                return Err(match !target.indirection.is_empty() && name == target_name {
                    true => missing.hint("SET target columns cannot be qualified with the relation name."),
                    false => missing,
                });
            };
            // Parts of a column may be assigned to one by one.
            let whole = |known: &TargetEntry| target.indirection.is_empty() || known.expr.assigned_into().is_none();
            if targets.iter().any(|known| known.number == attribute && whole(known)) {
                return Err(Error::new(
                    sqlstate::SYNTAX_ERROR,
                    format!("multiple assignments to same column \"{name}\""),
                ));
            }
            let expr = self.assignment(relation, attribute, &target.indirection, value, place)?;
            targets.push(TargetEntry::new(expr, attribute, name.to_string()));
        }
        // Subqueries for several columns are looked at once for a row.
        for sublink in std::mem::take(&mut self.multi_sublinks) {
            targets.push(TargetEntry { junk: true, ..TargetEntry::new(sublink, 0, String::new()) });
        }
        Ok(targets)
    }

    /// `(a, b) = ROW(…)` or `= (SELECT …)`: a value for each column.
    fn transform_multi_assign(&mut self, part: &raw::MultiAssignRef) -> Result<Vec<Expr>> {
        let columns = part.ncolumns as usize;
        let mismatch =
            |place: i32| error(sqlstate::SYNTAX_ERROR, "number of columns does not match number of values", place);
        match required(&part.source)? {
            Node::RowExpr(row) => {
                let mut values = Vec::with_capacity(columns);
                for node in &row.args {
                    match node {
                        Node::SetToDefault(e) => values.push(unknown_default(e.location)),
                        // `v.*` is all columns of it.
                        node => {
                            let one = std::slice::from_ref(node);
                            values.extend(self.transform_expression_list(one, ExprKind::UpdateSource)?);
                        }
                    }
                }
                if values.len() != columns {
                    return Err(mismatch(row.location));
                }
                Ok(values)
            }
            Node::SubLink(link) if link.sub_link_type == raw::SubLinkType::EXPR_SUBLINK => {
                let query = self.analyze_subquery(required(&link.subselect)?)?;
                let shown: Vec<TypeRef> = query.visible_targets().map(|target| target.expr.ty()).collect();
                if shown.len() != columns {
                    return Err(mismatch(link.location));
                }
                self.has_sublinks = true;
                Ok(self.multi_column_subquery(query, &shown, link.location))
            }
            other => {
                let place = super::raw::location(other);
                let message = "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression";
                Err(error(sqlstate::FEATURE_NOT_SUPPORTED, message, place))
            }
        }
    }

    /// A junk target for the subquery, and a parameter for each of its columns.
    fn multi_column_subquery(&mut self, query: Query, columns: &[TypeRef], place: i32) -> Vec<Expr> {
        let location = Location(place);
        self.multi_sublinks.push(Expr::SubLink(Box::new(SubLink {
            kind: SubLinkKind::MultiExpr,
            test: None,
            operator_name: String::new(),
            query,
            result: TypeRef::of(oid::RECORD),
            location,
        })));
        let subquery = (self.multi_sublinks.len() as u32) << 16;
        let parameter = |(ty, column): (&TypeRef, u32)| {
            Expr::Param(Param { kind: ParamKind::MultiExpr, number: subquery | column, ty: *ty, location })
        };
        columns.iter().zip(1..).map(parameter).collect()
    }
}
