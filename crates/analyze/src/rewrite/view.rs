//! Views become subqueries (`fireRIRrules` and `ApplyRetrieveRule`).

use std::cell::RefCell;

use syntax::with_stack_for;
use types::Result;

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
        Ok(())
    }

    /// An entry becomes the view's query.
    fn expand_view(&mut self, query: &mut Query, index: usize, view: &crate::relations::Relation) -> Result<()> {
        if self.active.contains(&view.oid) {
            return Err(infinite_recursion(view));
        }
        self.statement.count_expression()?;
        let stored = self.relations.view_query(view.oid)?;
        self.active.push(view.oid);
        let expanded = with_stack_for(stored.depth * STACK_OF_LEVEL, || {
            let mut expanded = stored.query.clone();
            update_columns(&mut expanded, self.relations);
            let done = self.expand_views(&mut expanded);
            done.map(|()| expanded)
        });
        self.active.pop();
        let mut expanded = expanded?;
        self.depth += stored.depth;
        let relation = RangeTableIndex(index as u32 + 1);
        if let Some(mark) = query.row_marks.iter().find(|mark| mark.relation == relation) {
            push_lock_down(&mut expanded, mark);
        }
        let entry = &mut query.range_table[index];
        entry.kind = RangeTableKind::Subquery(Box::new(expanded));
        entry.security_barrier = view.security_barrier;
        Ok(())
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
    mutate_query(query, &mut |expr| add_in_expr(expr, relations), &mut |_| {});
}

fn add_in_expr(expr: &mut Expr, relations: &dyn Relations) {
    expr.mutate(&mut |child| add_in_expr(child, relations), &mut |query| update_columns(query, relations));
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
