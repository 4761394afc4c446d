//! Views become subqueries (`fireRIRrules` and `ApplyRetrieveRule`).

use std::cell::RefCell;

use catalog::FIRST_NORMAL_OBJECT_ID;
use syntax::with_stack_for;
use types::{Oid, Result};

use super::manip::set_check_as_in_query;
use super::permissions::reader_in;
use super::{Rewriter, infinite_recursion};
use crate::query::*;
use crate::relations::{Attribute, RelationKind, Relations};
use crate::transform::{STACK_OF_LEVEL, push_lock_down};

impl Rewriter<'_> {
    /// Expands the views of a query and of all in it.
    pub(super) fn expand_views(&mut self, query: &mut Query) -> Result<()> {
        let excluded = match &query.on_conflict {
            Some(OnConflict { action: ConflictAction::Update { excluded, .. }, .. }) => Some(*excluded),
            _ => None,
        };
        let ReturningRows { old, new } = query.returning_rows;
        let columns_alone = [excluded, old, new];
        for index in 0..query.range_table.len() {
            match &mut query.range_table[index].kind {
                RangeTableKind::Subquery(inner) => self.expand_views(inner)?,
                // Its columns alone are asked for.
                RangeTableKind::Relation { .. } if columns_alone.contains(&Some(RangeTableIndex(index as u32 + 1))) => {
                }
                RangeTableKind::Relation { oid, .. } => {
                    let relation = self.relation(*oid)?;
                    if relation.kind == RelationKind::View {
                        self.expand_view(query, index, &relation)?;
                    }
                }
                _ => {}
            }
        }
        for cte in &mut query.ctes {
            self.expand_views(&mut cte.query)?;
        }
        if query.has_sublinks {
            self.expand_in_sublinks(query)?;
        }
        self.add_row_security(query, &columns_alone)
    }

    /// An entry becomes the view's query.
    fn expand_view(&mut self, query: &mut Query, index: usize, view: &crate::relations::Relation) -> Result<()> {
        if self.active.contains(&view.oid) {
            return Err(infinite_recursion(view));
        }
        self.statement.count_expression()?;
        let stored = self.relations.view_query(view.oid)?;
        self.active.push(view.oid);
        let relation = RangeTableIndex(index as u32 + 1);
        let mark = query.row_marks.iter().find(|mark| mark.relation == relation);
        let expanded = with_stack_for(stored.depth * STACK_OF_LEVEL, || {
            let mut expanded = stored.query.clone();
            update_columns(&mut expanded, self.relations);
            set_check_as_in_query(&mut expanded, self.reader_in(view.oid));
            mark.iter().for_each(|mark| push_lock_down(&mut expanded, mark));
            let done = self.expand_views(&mut expanded);
            done.map(|()| expanded)
        });
        self.active.pop();
        let expanded = expanded?;
        self.depth += stored.depth;
        let entry = &mut query.range_table[index];
        entry.kind = RangeTableKind::Subquery(Box::new(expanded));
        entry.security_barrier = view.security_barrier;
        entry.view = Some(view.oid);
        Ok(())
    }

    /// The role that reads what a view reads; `None`: the one that runs the query.
    pub(super) fn reader_in(&self, view: Oid) -> Option<Oid> {
        // What comes with PostgreSQL is read for the session's role.
        self.statement.catalog.relation(view).filter(|row| row.oid >= FIRST_NORMAL_OBJECT_ID).and_then(reader_in)
    }

    /// Subqueries of expressions: those of the range table and of WITH have been seen to.
    fn expand_in_sublinks(&mut self, query: &mut Query) -> Result<()> {
        let mut failed = None;
        let state = RefCell::new((self, &mut failed));
        mutate_query(query, &mut |expr| expand_in_expr(expr, &state), &mut |_| {});
        failed.map_or(Ok(()), Err)
    }
}

/// Relations that a stored query reads may have got and lost columns since, and columns that it does not name may have other
/// types: so have their whole rows. A dropped column has no name; others keep the names that the query gives them.
fn update_columns(query: &mut Query, relations: &dyn Relations) {
    for entry in &mut query.range_table {
        match &mut entry.kind {
            RangeTableKind::Relation { oid, .. } => {
                let Some(relation) = relations.relation_by_oid(*oid) else { continue };
                let names = entry.columns.iter().map(|known| Some(&known.name)).chain(std::iter::repeat(None));
                let column = |(now, name): (&Attribute, Option<&String>)| match name {
                    Some(name) if !now.dropped => Column { name: name.clone(), ..now.column() },
                    _ => now.column(),
                };
                entry.columns = relation.columns.iter().zip(names).map(column).collect();
            }
            RangeTableKind::Subquery(inner) => update_columns(inner, relations),
            _ => {}
        }
    }
    query.ctes.iter_mut().for_each(|cte| update_columns(&mut cte.query, relations));
    mutate_query(query, &mut |expr| update_in_expr(expr, relations), &mut |_| {});
}

/// The same for the queries in an expression.
pub(super) fn update_in_expr(expr: &mut Expr, relations: &dyn Relations) {
    expr.mutate(&mut |child| update_in_expr(child, relations), &mut |query| update_columns(query, relations));
}

/// Expands the views in the queries of an expression.
pub(super) fn expand_in_sublinks_of(expr: &mut Expr, rewriter: &mut Rewriter<'_>) -> Result<()> {
    let mut failed = None;
    expand_in_expr(expr, &RefCell::new((rewriter, &mut failed)));
    failed.map_or(Ok(()), Err)
}

type Expanding<'s, 'r, 'a> = RefCell<(&'s mut Rewriter<'a>, &'r mut Option<types::Error>)>;

fn expand_in_expr(expr: &mut Expr, state: &Expanding<'_, '_, '_>) {
    expr.mutate(&mut |child| expand_in_expr(child, state), &mut |query| {
        let (rewriter, failed) = &mut *state.borrow_mut();
        if let Err(error) = rewriter.expand_views(query) {
            failed.get_or_insert(error);
        }
    });
}
