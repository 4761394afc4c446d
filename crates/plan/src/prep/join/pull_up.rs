//! Subqueries in FROM that are simple become parts of the query around: PostgreSQL's `pull_up_subqueries`.
//!
//! PostgreSQL has PlaceHolderVars for what a subquery computes and an outer join may make NULL. There are none here: such a
//! subquery stays, unless all that is used of it is NULL anyway when its columns are.

use analyze::query::*;
use expression::clauses::{contain_nonstrict_functions, contain_volatile_functions};
use types::Result;

use crate::manip::*;
use crate::planner_info::Planner;
use crate::prep::join::join_alias;
use crate::prep::sublink::sublinks;
use crate::relids::Relids;

/// Makes a query's FROM as flat as it can be: its sublinks joins, its subqueries parts of it.
pub fn flatten_from(planner: &Planner, query: &mut Query) -> Result<()> {
    replace_empty_join_tree(query);
    join_alias::flatten(query);
    if query.has_sublinks {
        sublinks::pull_up_sublinks(planner, query)?;
    }
    for entry in &mut query.range_table {
        if let RangeTableKind::Function { functions, .. } = &mut entry.kind {
            functions.iter_mut().try_for_each(|function| planner.fold(&mut function.call))?;
        }
    }
    pull_up_subqueries(planner, query)
}

/// A query without FROM has one row (`replace_empty_jointree`).
pub fn replace_empty_join_tree(query: &mut Query) {
    if !query.join_tree.from.is_empty() || query.set_operations.is_some() {
        return;
    }
    query.range_table.push(RangeTableEntry {
        kind: RangeTableKind::Result,
        name: "*RESULT*".to_string(),
        aliased: false,
        columns: Default::default(),
        aliased_columns: 0,
        lateral: false,
        in_from: true,
        ..Default::default()
    });
    query.join_tree.from.push(JoinTree::Relation(RangeTableIndex(query.range_table.len() as u32)));
}

/// Where an entry of FROM stands.
struct Place {
    relation: RangeTableIndex,
    /// An outer join may make its columns NULL.
    nullable: bool,
    /// What is below the lowest outer join around.
    outer_join: Option<Relids>,
}

/// What comes in the place of an entry.
struct Replacement {
    tree: JoinTree,
    /// Its columns.
    targets: Vec<Expr>,
}

fn pull_up_subqueries(planner: &Planner, query: &mut Query) -> Result<()> {
    let movable = |entry: &RangeTableEntry| match &entry.kind {
        RangeTableKind::Subquery(_) => true,
        RangeTableKind::Values { rows } => rows.len() == 1,
        RangeTableKind::Function { .. } => true,
        _ => false,
    };
    if !query.range_table.iter().any(movable) {
        return Ok(());
    }
    let mut places = Vec::new();
    for tree in &query.join_tree.from {
        find_places(tree, false, None, &mut places);
    }
    let mut work = Replace { replacements: Vec::new(), names: Vec::new() };
    for place in places {
        let replacement = match &query.entry(place.relation).kind {
            RangeTableKind::Subquery(_) => subquery(planner, query, &place)?,
            RangeTableKind::Values { rows } if rows.len() == 1 => one_row(planner, query, &place),
            RangeTableKind::Function { .. } => constant_function(query, &place),
            _ => None,
        };
        if let Some(replacement) = replacement {
            let index = place.relation.index();
            if work.replacements.len() <= index {
                work.replacements.resize_with(index + 1, || None);
            }
            work.replacements[index] = Some(replacement);
        }
    }
    if work.replacements.is_empty() {
        return Ok(());
    }
    work.names = query.range_table.iter().map(|entry| entry.columns.iter().map(|c| c.name.clone()).collect()).collect();
    work.trees(&mut query.join_tree.from);
    mutate_whole(&mut work, query, 0);
    Ok(())
}

fn find_places(tree: &JoinTree, nullable: bool, outer_join: Option<&Relids>, places: &mut Vec<Place>) {
    match tree {
        JoinTree::Relation(relation) => {
            places.push(Place { relation: *relation, nullable, outer_join: outer_join.cloned() });
        }
        JoinTree::From(from) => from.from.iter().for_each(|part| find_places(part, nullable, outer_join, places)),
        JoinTree::Join(join) => {
            let own = (join.kind != JoinType::Inner).then(|| relations_in_tree(tree, true));
            let outer_join = own.as_ref().or(outer_join);
            let left_nullable = nullable || matches!(join.kind, JoinType::Right | JoinType::Full);
            let right_nullable = nullable || matches!(join.kind, JoinType::Left | JoinType::Full);
            find_places(&join.left, left_nullable, outer_join, places);
            find_places(&join.right, right_nullable, outer_join, places);
        }
    }
}

/// `pull_up_simple_subquery`.
fn subquery(planner: &Planner, query: &mut Query, place: &Place) -> Result<Option<Replacement>> {
    let entry = &mut query.range_table[place.relation.index()];
    let RangeTableKind::Subquery(inner) = &mut entry.kind else {
        return Ok(None);
    };
    if entry.security_barrier || !is_simple(planner, inner, entry.lateral, place) {
        return Ok(None);
    }
    flatten_from(planner, inner)?;
    if !is_simple(planner, inner, entry.lateral, place) {
        return Ok(None);
    }
    let lateral = entry.lateral;
    let RangeTableKind::Subquery(mut inner) = std::mem::replace(&mut entry.kind, RangeTableKind::Result) else {
        return Ok(None);
    };
    let shown = |inner: &Query| -> Vec<Expr> {
        inner.targets.iter().filter(|target| !target.junk).map(|target| target.expr.clone()).collect()
    };
    if !may_replace(planner, query, place, &shown(&inner)) {
        query.range_table[place.relation.index()].kind = RangeTableKind::Subquery(inner);
        return Ok(None);
    }
    let offset = query.range_table.len() as u32;
    mutate_whole(&mut Renumber(|relation: RangeTableIndex| RangeTableIndex(relation.0 + offset)), &mut inner, 0);
    increment_levels_in_query(&mut inner, -1, 1);
    let targets = shown(&inner);
    for mut entry in inner.range_table.drain(..) {
        entry.lateral |= lateral
            && match &entry.kind {
                RangeTableKind::Relation { sample, .. } => sample.is_some(),
                RangeTableKind::Join { .. } | RangeTableKind::Cte { .. } | RangeTableKind::Result => false,
                _ => true,
            };
        query.range_table.push(entry);
    }
    query.row_marks.append(&mut inner.row_marks);
    query.has_sublinks |= inner.has_sublinks;
    let mut from = inner.join_tree;
    let tree = match (from.from.len(), &from.condition) {
        (1, None) => from.from.remove(0),
        _ => JoinTree::From(from),
    };
    Ok(Some(Replacement { tree, targets }))
}

/// `is_simple_subquery`.
fn is_simple(planner: &Planner, inner: &Query, lateral: bool, place: &Place) -> bool {
    is_plain(planner, inner) && (!lateral || lateral_is_simple(inner, place))
}

/// The same wherever it stands.
pub fn is_plain(planner: &Planner, inner: &Query) -> bool {
    let locks = inner.row_marks.iter().any(|mark| !mark.pushed_down);
    let target =
        |target: &TargetEntry| target.expr.returns_set() || contain_volatile_functions(planner.catalog, &target.expr);
    inner.command == CommandType::Select
        && inner.set_operations.is_none()
        && !inner.has_aggregates
        && !inner.has_window_functions
        && inner.group_clause.is_empty()
        && inner.grouping_sets.is_empty()
        && inner.having.is_none()
        && inner.sort_clause.is_empty()
        && inner.distinct == Distinct::None
        && inner.limit.is_none()
        && inner.offset.is_none()
        && inner.ctes.is_empty()
        && !locks
        && !inner.targets.iter().any(target)
}

/// What a lateral subquery takes from its neighbours must not have to be waited for above an outer join.
fn lateral_is_simple(inner: &Query, place: &Place) -> bool {
    fn conditions_are_inside(tree: &JoinTree, allowed: Option<&Relids>) -> bool {
        let inside = |condition: &Option<Expr>, allowed: Option<&Relids>| match (condition, allowed) {
            (Some(condition), Some(allowed)) => relations_of_level(condition, 1).is_subset(allowed),
            _ => true,
        };
        match tree {
            JoinTree::Relation(_) => true,
            JoinTree::From(from) => {
                inside(&from.condition, allowed) && from.from.iter().all(|part| conditions_are_inside(part, allowed))
            }
            JoinTree::Join(join) => {
                let nothing = Relids::new();
                let allowed = if join.kind == JoinType::Inner { allowed } else { Some(&nothing) };
                inside(&join.condition, allowed)
                    && conditions_are_inside(&join.left, allowed)
                    && conditions_are_inside(&join.right, allowed)
            }
        }
    }
    let allowed = place.outer_join.as_ref();
    let from = &inner.join_tree;
    let condition = match (&from.condition, allowed) {
        (Some(condition), Some(allowed)) => relations_of_level(condition, 1).is_subset(allowed),
        _ => true,
    };
    condition
        && from.from.iter().all(|part| conditions_are_inside(part, allowed))
        && allowed.is_none_or(|allowed| {
            inner.targets.iter().all(|target| relations_of_level(&target.expr, 1).is_subset(allowed))
        })
}

/// Is it the same when the entry's columns are replaced by what they are made of, wherever they are used?
fn may_replace(planner: &Planner, query: &Query, place: &Place, targets: &[Expr]) -> bool {
    let own = |expr: &Expr| matches!(expr, Expr::Var(var) if var.levels_up == 0);
    let null_with_columns =
        |expr: &Expr| own(expr) || has_vars_of_level(expr, 0) && !contain_nonstrict_functions(planner.catalog, expr);
    let grouped = !query.grouping_sets.is_empty();
    // Grouping sets make a column NULL, and must not be mistaken for another that is computed alike.
    let fits = |expr: &Expr| match grouped {
        true => own(expr) && targets.iter().filter(|other| *other == expr).count() == 1,
        false => !place.nullable || null_with_columns(expr),
    };
    if !place.nullable && !grouped
        || targets.iter().all(fits) && !grouped && !uses(query, place.relation, &|at| at == 0)
    {
        return true;
    }
    !uses(query, place.relation, &|attribute| match attribute {
        0 => true,
        attribute => targets.get(attribute as usize - 1).is_none_or(|target| !fits(target)),
    })
}

/// Does a query use a column of an entry that is such a one?
fn uses(query: &Query, relation: RangeTableIndex, such: &dyn Fn(i16) -> bool) -> bool {
    let mut other = |e: &Expr, depth: u32| match e {
        Expr::Var(var) => var.levels_up != depth || var.relation != relation || !such(var.attribute),
        _ => true,
    };
    !visit_query(&mut other, query, 0)
}

/// `pull_up_simple_values`: one row that is all of FROM.
fn one_row(planner: &Planner, query: &mut Query, place: &Place) -> Option<Replacement> {
    let alone = query.range_table.len() == 1 && !place.nullable && place.outer_join.is_none();
    let entry = &mut query.range_table[place.relation.index()];
    let RangeTableKind::Values { rows } = &mut entry.kind else {
        return None;
    };
    let simple = |value: &Expr| !value.returns_set() && !contain_volatile_functions(planner.catalog, value);
    if !alone || !rows[0].iter().all(simple) || !query.grouping_sets.is_empty() {
        return None;
    }
    let targets = rows.pop()?;
    entry.kind = RangeTableKind::Result;
    Some(Replacement { tree: JoinTree::Relation(place.relation), targets })
}

/// `pull_up_constant_function`.
fn constant_function(query: &mut Query, place: &Place) -> Option<Replacement> {
    let entry = &mut query.range_table[place.relation.index()];
    let RangeTableKind::Function { functions, ordinality: false } = &mut entry.kind else {
        return None;
    };
    let constant = |call: &Expr| match call {
        Expr::Const(constant) => constant.ty.oid != types::oid::RECORD,
        _ => false,
    };
    let simple = functions.len() == 1 && functions[0].columns == 1 && constant(&functions[0].call);
    if !simple || place.nullable || !query.grouping_sets.is_empty() {
        return None;
    }
    let targets = functions.drain(..).map(|function| function.call).collect();
    entry.kind = RangeTableKind::Result;
    entry.lateral = false;
    Some(Replacement { tree: JoinTree::Relation(place.relation), targets })
}

/// Puts the replacements in the places of entries and of their columns.
struct Replace {
    /// By entry.
    replacements: Vec<Option<Replacement>>,
    /// The names of the entries' columns.
    names: Vec<Vec<String>>,
}

impl Replace {
    fn of(&self, relation: RangeTableIndex) -> Option<&Replacement> {
        self.replacements.get(relation.index())?.as_ref()
    }

    fn trees(&mut self, list: &mut [JoinTree]) {
        let mut trees: Vec<&mut JoinTree> = list.iter_mut().collect();
        while let Some(tree) = trees.pop() {
            match tree {
                JoinTree::Relation(relation) => {
                    let index = relation.index();
                    if let Some(Some(replacement)) = self.replacements.get_mut(index) {
                        // What comes in has been gone through already.
                        let moved = std::mem::replace(&mut replacement.tree, JoinTree::From(FromExpr::default()));
                        *tree = moved;
                    }
                }
                JoinTree::Join(join) => {
                    let JoinExpr { left, right, .. } = &mut **join;
                    trees.extend([left, right]);
                }
                JoinTree::From(from) => trees.extend(&mut from.from),
            }
        }
    }
}

impl Mutator for Replace {
    fn expr(&mut self, expr: &mut Expr, depth: u32) -> bool {
        let Expr::Var(var) = &*expr else {
            return true;
        };
        if var.levels_up != depth {
            return true;
        }
        let Some(replacement) = self.of(var.relation) else {
            return true;
        };
        let mut value = match var.attribute {
            0 => Expr::Row(RowExpr {
                fields: replacement.targets.clone(),
                ty: var.ty.oid,
                names: self.names[var.relation.index()].clone(),
                location: var.location,
            }),
            attribute => match replacement.targets.get(attribute as usize - 1) {
                Some(target) => target.clone(),
                None => return true,
            },
        };
        if depth > 0 {
            increment_levels(&mut value, depth as i32, 0);
        }
        *expr = value;
        // A lateral subquery's columns may be made of those of a neighbour that was pulled up too.
        mutate(self, expr, depth);
        false
    }
}
