//! Which relations a query names, and which views it reads with those that these read. Plans keep their views
//! ([`crate::plan_cache`]), and LOCK TABLE locks what a view's query names.

use std::cell::RefCell;

use analyze::query::{Expr, Query, RangeTableKind, Walk, walk_query};
use analyze::relations::Relations;
use syntax::with_stack_for;
use types::Oid;

use crate::environment::Environment;

/// The users' views that a query reads, with those that these read. `depth`: levels of the query.
pub fn views_of(environment: &Environment, query: &Query, depth: usize) -> types::Result<Vec<Oid>> {
    let database = environment.engine.database_by_oid(environment.database.0);
    let Some(database) = database.filter(|database| database.has_views()) else { return Ok(vec![]) };
    let (mut named, mut views) = (Vec::new(), Vec::new());
    with_stack_for(depth, || in_query(query, &mut named));
    let mut at = 0;
    while let Some(&oid) = named.get(at) {
        at += 1;
        if !database.has_view(oid) || views.contains(&oid) {
            continue;
        }
        views.push(oid);
        let stored = environment.relations().view_query(oid)?;
        with_stack_for(stored.depth, || in_query(&stored.query, &mut named));
    }
    Ok(views)
}

/// The relations that a query names, at all levels.
pub fn in_query(query: &Query, oids: &mut Vec<u32>) -> Walk {
    oids.extend(query.range_table.iter().filter_map(|entry| match entry.kind {
        RangeTableKind::Relation { oid, .. } => Some(oid),
        _ => None,
    }));
    let oids = RefCell::new(oids);
    let part = |query: &Query| in_query(query, &mut oids.borrow_mut());
    walk_query(query, &mut |expr| in_expr(expr, &part), &mut |query| part(query))
}

fn in_expr(expr: &Expr, part: &dyn Fn(&Query) -> Walk) -> Walk {
    expr.walk(&mut |child| in_expr(child, part), &mut |query| part(query))
}
