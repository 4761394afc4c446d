//! Columns behind one that is dropped have other numbers in stored trees. (It goes as soon as columns keep their numbers.)

use std::sync::Arc;

use analyze::nodes;
use analyze::query::{Const, Expr, Location, Query, RangeTableKind, TargetEntry, Var, mutate_query};
use engine::{NodeTree, ObjectAddress, Result, TableDef, ViewDef};
use syntax::with_stack_for;
use txn::{LockMode, LockTag};
use types::names::PG_CLASS;
use types::{Datum, Oid};

use crate::commands::view;
use crate::errors::reported;
use crate::session::Session;

/// A column of a table, from 1, and the type of the table's rows.
#[derive(Clone, Copy)]
struct Gone {
    table: Oid,
    row_type: Oid,
    number: i16,
}

/// In a table's own definition, from whose columns the one at `position` has been taken.
pub fn table(session: &mut Session, def: &mut TableDef, position: usize) -> Result<()> {
    def.indexes.iter_mut().for_each(|index| index.renumber(position));
    let gone = Gone { table: def.oid, row_type: def.row_type, number: position as i16 + 1 };
    let of_indexes = def.indexes.iter_mut().flat_map(|index| index.computed_mut()).map(|computed| &mut computed.tree);
    for tree in def.checks.iter_mut().map(|check| &mut check.condition).chain(of_indexes) {
        let mut expr: Expr = nodes::read(&tree.text).map_err(|error| reported(error, ""))?;
        gone.expr(&mut expr, &[vec![true]]);
        *tree = session.kept(&expr, def.oid)?;
    }
    Ok(())
}

/// In the views that refer to the table.
pub async fn views(session: &mut Session, def: &TableDef, position: usize) -> Result<()> {
    let gone = Gone { table: def.oid, row_type: def.row_type, number: position as i16 + 1 };
    let database = session.shared.database.0;
    let refers =
        |view: &ViewDef| view.query.references.iter().any(|object| (object.class, object.oid) == (PG_CLASS, def.oid));
    let catalog = session.shared.catalog();
    let views = catalog.database_by_oid(database).into_iter().flat_map(|database| database.views.values());
    let views: Vec<Oid> = views.filter(|view| refers(view)).map(|view| view.oid).collect();
    for oid in views {
        session.lock(LockTag::Relation { database, oid }, LockMode::ShareUpdateExclusive).await?;
        session.show_changes();
        let catalog = session.shared.catalog();
        let now = catalog.database_by_oid(database).and_then(|database| database.views.get(&oid));
        let Some(now) = now.filter(|view| refers(view)) else { continue };
        let query = gone.tree(&now.query).map_err(|error| reported(error, ""))?;
        view::put(session, ViewDef { query, ..ViewDef::clone(now) });
    }
    Ok(())
}

impl Gone {
    fn tree(self, tree: &NodeTree) -> types::Result<NodeTree> {
        let mut query: Query = nodes::read(&tree.text)?;
        let text = with_stack_for(2 * nodes::depth(&tree.text), || {
            self.query(&mut query, &[]);
            let text = nodes::write(&query);
            drop(query);
            text
        })?;
        let references = tree.references.iter().map(|object| self.reference(*object)).collect();
        Ok(NodeTree { text: Arc::from(text), references })
    }

    fn reference(self, object: ObjectAddress) -> ObjectAddress {
        let behind = (object.class, object.oid) == (PG_CLASS, self.table) && object.column > i32::from(self.number);
        ObjectAddress { column: object.column - i32::from(behind), ..object }
    }

    fn shift(self, number: &mut i16) {
        *number -= i16::from(*number > self.number);
    }

    /// `outer`: by query, the outermost first, which entries are the table.
    fn query(self, query: &mut Query, outer: &[Vec<bool>]) {
        let mut is_table = Vec::new();
        for entry in &mut query.range_table {
            is_table.push(matches!(entry.kind, RangeTableKind::Relation { oid, .. } if oid == self.table));
            if is_table.last() == Some(&true) {
                let place = self.number as usize - 1;
                let columns = entry.columns.iter().enumerate().filter(|(at, _)| *at != place);
                entry.aliased_columns -= usize::from(place < entry.aliased_columns);
                entry.columns = columns.map(|(_, column)| column.clone()).collect();
            }
        }
        let levels = [outer, &[is_table]].concat();
        for entry in &mut query.range_table {
            // A join keeps its columns' places: what is gone becomes NULL.
            let RangeTableKind::Join { columns, .. } = &mut entry.kind else { continue };
            for column in columns.iter_mut() {
                if let Expr::Var(Var { relation, attribute, ty, levels_up: 0, .. }) = *column
                    && attribute == self.number
                    && levels.last().is_some_and(|level| level[relation.index()])
                {
                    *column = Expr::Const(Const { ty, value: Datum::Null, location: Location::NONE });
                }
            }
        }
        let origin = |target: &mut TargetEntry| {
            if let Some((relation, number)) = &mut target.origin
                && *relation == self.table
            {
                self.shift(number);
            }
        };
        query.targets.iter_mut().for_each(origin);
        mutate_query(query, &mut |expr| self.expr(expr, &levels), &mut |inner| self.query(inner, &levels));
    }

    fn expr(self, expr: &mut Expr, levels: &[Vec<bool>]) {
        match expr {
            Expr::Var(var) => {
                let level = levels.len().checked_sub(1 + var.levels_up as usize).map(|level| &levels[level]);
                if level.is_some_and(|level| level.get(var.relation.index()) == Some(&true)) {
                    self.shift(&mut var.attribute);
                }
            }
            Expr::FieldSelect(e) if e.row.ty().oid == self.row_type => self.shift(&mut e.field),
            _ => {}
        }
        expr.mutate(&mut |child| self.expr(child, levels), &mut |query| self.query(query, levels));
    }
}
