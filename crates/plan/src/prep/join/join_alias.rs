//! Columns of joins become what they are made of: PostgreSQL's `flatten_join_alias_vars`. Afterwards no column is of a join.

use analyze::query::*;

use crate::manip::{Mutator, increment_levels, mutate_whole};

/// Replaces them in a query and in those below it.
pub fn flatten(query: &mut Query) {
    let mut joins: Vec<Option<Join>> = Vec::new();
    let mut found = false;
    for (index, entry) in query.range_table.iter_mut().enumerate() {
        if let RangeTableKind::Join { columns, .. } = &mut entry.kind
            && !columns.is_empty()
        {
            joins.resize_with(index, || None);
            let names = entry.columns.iter().map(|column| column.name.clone()).collect();
            joins.push(Some(Join { columns: std::mem::take(columns), names }));
            found = true;
        }
    }
    if found {
        mutate_whole(&mut Flatten { joins }, query, 0);
    }
}

struct Join {
    columns: Vec<Expr>,
    names: Vec<String>,
}

struct Flatten {
    joins: Vec<Option<Join>>,
}

impl Mutator for Flatten {
    fn expr(&mut self, expr: &mut Expr, depth: u32) -> bool {
        // A join's column may be one of a join below it.
        while let Expr::Var(var) = &*expr
            && var.levels_up == depth
            && let Some(Some(join)) = self.joins.get(var.relation.index())
        {
            let mut column = match var.attribute {
                0 => Expr::Row(RowExpr {
                    fields: join.columns.clone(),
                    ty: var.ty.oid,
                    names: join.names.clone(),
                    location: var.location,
                }),
                attribute => match join.columns.get(attribute as usize - 1) {
                    Some(column) => column.clone(),
                    None => return true,
                },
            };
            increment_levels(&mut column, depth as i32, 0);
            *expr = column;
        }
        true
    }
}
