//! RETURNING (`transformReturningClause` of `analyze.c`), with the rows before and after as `old` and `new`.

use ::error::sqlstate;
use syntax::nodes as raw;
use syntax::nodes::Node;
use types::Result;

use super::relation::Alias;
use super::state::{ExprKind, NamespaceItem, ParseState};
use super::{error, required, unexpected};
use crate::query::*;

impl ParseState<'_> {
    /// What the namespace has can be seen, and the rows of the table `target`.
    pub(crate) fn transform_returning(
        &mut self,
        clause: Option<&raw::ReturningClause>,
        target: &NamespaceItem,
        kind: ExprKind,
    ) -> Result<(Vec<TargetEntry>, ReturningRows)> {
        let Some(clause) = clause else { return Ok((vec![], ReturningRows::default())) };
        let (entries, names) = (self.range_table.len(), self.namespace.len());
        let mut rows = self.returning_options(&clause.options, target)?;
        // Those that are not named otherwise have these names, unless a table has them.
        for (row, name) in [(&mut rows.old, "old"), (&mut rows.new, "new")] {
            if row.is_none() && self.find_item(None, name, -1)?.is_none() {
                *row = Some(self.add_returning_row(target, name)?);
            }
        }
        let mut targets = self.transform_target_list(&clause.exprs, kind)?;
        if targets.is_empty() {
            let place = super::raw::location_of_list(&clause.exprs);
            return Err(error(sqlstate::SYNTAX_ERROR, "RETURNING must have at least one column", place));
        }
        self.mark_origins(&mut targets);
        self.resolve_unknown_targets(&mut targets)?;
        self.namespace.truncate(names);
        // Entries of rows that RETURNING does not name are not needed.
        for row in [&mut rows.old, &mut rows.new] {
            *row = row.filter(|row| targets.iter().any(|target| is_used(&target.expr, *row)));
        }
        let last = [rows.old, rows.new].into_iter().flatten().map(|row| row.index() + 1).max();
        self.range_table.truncate(last.unwrap_or(entries));
        Ok((targets, rows))
    }

    /// `WITH (OLD AS o, NEW AS n)`.
    fn returning_options(&mut self, options: &[Node], target: &NamespaceItem) -> Result<ReturningRows> {
        let mut rows = ReturningRows::default();
        for option in options {
            let Node::ReturningOption(option) = option else { return Err(unexpected()) };
            let (row, what) = match option.option {
                raw::ReturningOptionKind::RETURNING_OPTION_OLD => (&mut rows.old, "OLD"),
                raw::ReturningOptionKind::RETURNING_OPTION_NEW => (&mut rows.new, "NEW"),
            };
            if row.is_some() {
                let message = format!("{what} cannot be specified multiple times");
                return Err(error(sqlstate::SYNTAX_ERROR, message, option.location));
            }
            let name = &**required(&option.value)?;
            if self.find_item(None, name, -1)?.is_some() {
                let message = format!("table name \"{name}\" specified more than once");
                return Err(error(sqlstate::DUPLICATE_ALIAS, message, option.location));
            }
            *row = Some(self.add_returning_row(target, name)?);
        }
        Ok(rows)
    }

    /// `addNSItemForReturning`: the table's columns under another name, which has to be written.
    fn add_returning_row(&mut self, target: &NamespaceItem, name: &str) -> Result<RangeTableIndex> {
        let entry = self.entry(target.relation);
        let (mut kind, columns) = (entry.kind.clone(), entry.columns.clone());
        if let RangeTableKind::Relation { inherited, .. } = &mut kind {
            *inherited = false;
        }
        let alias = Alias { name: name.to_string(), columns: vec![] };
        let item = self.add_entry(kind, name.to_string(), Some(&alias), columns, false);
        self.range_table[item.relation.index()].in_from = false;
        let relation = item.relation;
        self.namespace.push(NamespaceItem { columns_visible: false, relation_visible: true, ..item });
        Ok(relation)
    }
}

fn is_used(expr: &Expr, relation: RangeTableIndex) -> bool {
    super::level::visit(expr, 0, &mut |e, depth| match e {
        Expr::Var(var) if var.relation == relation && var.levels_up == depth => std::ops::ControlFlow::Break(()),
        _ => std::ops::ControlFlow::Continue(()),
    })
    .is_break()
}
