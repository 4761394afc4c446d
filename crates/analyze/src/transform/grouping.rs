//! What a grouped query may show (`parseCheckAggregates` and `check_ungrouped_columns` of `parse_agg.c`): what it is grouped
//! by, what depends on that, and aggregates.

use std::cell::RefCell;
use std::collections::BTreeSet;

use ::error::sqlstate;
use types::{Error, Oid, Result};

use super::error;
use super::relation::SYSTEM_COLUMNS;
use super::state::ParseState;
use crate::query::*;

/// Grouping sets of one query at most.
const MAX_SETS: usize = 4096;

/// Fails for a column that is neither grouped by nor inside of an aggregate; says of each GROUPING what its arguments are.
pub(crate) fn check(state: &ParseState<'_>, query: &mut Query) -> Result<()> {
    check_recursive_term(query)?;
    let sets = expand_grouping_sets(&query.grouping_sets, MAX_SETS);
    let too_many =
        || Error::new(sqlstate::STATEMENT_TOO_COMPLEX, format!("too many grouping sets present (maximum {MAX_SETS})"));
    let sets = sets.ok_or_else(too_many)?;
    // What is in all sets is there for functional dependencies; with one empty set nothing is.
    let common: Vec<u32> = match sets.split_first() {
        None => query.group_clause.iter().map(|clause| clause.reference).collect(),
        Some((first, rest)) => {
            first.iter().copied().filter(|reference| rest.iter().all(|set| set.contains(reference))).collect()
        }
    };
    let mut grouped: Vec<(u32, Expr)> = Vec::new();
    for clause in &query.group_clause {
        if let Some(target) = query.target_of(clause.reference) {
            grouped.push((clause.reference, without_join_columns(query, target.expr.clone())));
        }
    }
    let mut targets = std::mem::take(&mut query.targets);
    let mut having = query.having.take();
    let mut result = Ok(());
    for expr in targets.iter_mut().map(|target| &mut target.expr).chain(&mut having) {
        result = result.and_then(|()| finish_groupings(query, expr, &grouped));
    }
    let keys = RefCell::default();
    let check = Ungrouped { state, query, grouped: &grouped, common: &common, keys: &keys };
    for expr in targets.iter().map(|target| &target.expr).chain(&having) {
        result = result.and_then(|()| match has_merged_columns(query) {
            true => check.expr(&without_join_columns(query, expr.clone()), 0, false),
            false => check.expr(expr, 0, false),
        });
    }
    query.keys_grouped_by = keys.into_inner().into_iter().collect();
    (query.targets, query.having) = (targets, having);
    result
}

/// What a recursive query gives is not complete until its end, so it is not aggregated.
fn check_recursive_term(query: &Query) -> Result<()> {
    let itself = |entry: &RangeTableEntry| matches!(entry.kind, RangeTableKind::Cte { self_reference: true, .. });
    if !query.has_aggregates || !query.range_table.iter().any(itself) {
        return Ok(());
    }
    let all = query.targets.iter().map(|target| &target.expr).chain(&query.having);
    let place = all.into_iter().find_map(|expr| super::level::aggregate_of_level(expr, 0));
    let message = "aggregate functions are not allowed in a recursive query's recursive term";
    Err(error(sqlstate::INVALID_RECURSION, message, place.unwrap_or(Location::NONE).0))
}

/// Are there columns of joins that are no column of a side?
fn has_merged_columns(query: &Query) -> bool {
    let merged = |entry: &RangeTableEntry| match &entry.kind {
        RangeTableKind::Join { columns, .. } => columns.iter().any(|column| !matches!(column, Expr::Var(_))),
        _ => false,
    };
    query.range_table.iter().any(merged)
}

/// An expression in which columns of joins are what they are made of (`flatten_join_alias_vars`).
fn without_join_columns(query: &Query, mut expr: Expr) -> Expr {
    fn replace(query: &Query, expr: &mut Expr) {
        while let Expr::Var(var) = &*expr
            && var.levels_up == 0
            && var.attribute > 0
            && let RangeTableKind::Join { columns, .. } = &query.entry(var.relation).kind
            && let Some(column) = columns.get(var.attribute as usize - 1)
        {
            *expr = column.clone();
        }
        expr.mutate(&mut |child| replace(query, child), &mut |_| {});
    }
    if has_merged_columns(query) {
        replace(query, &mut expr);
    }
    expr
}

/// `finalize_grouping_exprs`.
fn finish_groupings(query: &Query, expr: &mut Expr, grouped: &[(u32, Expr)]) -> Result<()> {
    fn go(query: &Query, expr: &mut Expr, grouped: &[(u32, Expr)], depth: u32, failed: &mut Option<Error>) {
        if let Expr::GroupingFunc(grouping) = expr
            && grouping.levels_up == depth
        {
            grouping.references.clear();
            for argument in &grouping.arguments {
                let plain = if depth == 0 { without_join_columns(query, argument.clone()) } else { argument.clone() };
                let is = |(_, group): &&(u32, Expr)| match depth {
                    0 => *group == plain,
                    _ => is_outer(&plain, group, depth),
                };
                match grouped.iter().find(is) {
                    Some((reference, _)) => grouping.references.push(*reference),
                    None => {
                        let message =
                            "arguments to GROUPING must be grouping expressions of the associated query level";
                        failed.get_or_insert(error(sqlstate::GROUPING_ERROR, message, argument.location().0));
                    }
                }
            }
            return;
        }
        let failed = RefCell::new(failed);
        expr.mutate(&mut |child| go(query, child, grouped, depth, &mut failed.borrow_mut()), &mut |inner| {
            go_query(query, inner, grouped, depth + 1, &mut failed.borrow_mut())
        });
    }
    fn go_query(query: &Query, inner: &mut Query, grouped: &[(u32, Expr)], depth: u32, failed: &mut Option<Error>) {
        let failed = RefCell::new(failed);
        mutate_query(inner, &mut |expr| go(query, expr, grouped, depth, &mut failed.borrow_mut()), &mut |inner| {
            go_query(query, inner, grouped, depth + 1, &mut failed.borrow_mut())
        });
    }
    let mut failed = None;
    go(query, expr, grouped, 0, &mut failed);
    failed.map_or(Ok(()), Err)
}

/// GROUPING SETS, ROLLUP and CUBE written out: each set's references (`expand_grouping_sets`). `None`: too many.
pub fn expand_grouping_sets(sets: &[GroupingSet], most: usize) -> Option<Vec<Vec<u32>>> {
    let mut all: Vec<Vec<u32>> = Vec::new();
    for (index, set) in sets.iter().enumerate() {
        let each = expand(set, most)?;
        if index == 0 {
            all = each;
            continue;
        }
        if all.len() * each.len() > most {
            return None;
        }
        all = all.iter().flat_map(|left| each.iter().map(move |right| union(left, right))).collect();
    }
    Some(all)
}

fn union(left: &[u32], right: &[u32]) -> Vec<u32> {
    let mut all = left.to_vec();
    all.extend(right.iter().filter(|reference| !left.contains(reference)));
    all
}

fn expand(set: &GroupingSet, most: usize) -> Option<Vec<Vec<u32>>> {
    let parts = |content: &[GroupingSet]| -> Vec<Vec<u32>> {
        content
            .iter()
            .map(|part| if let GroupingSet::Simple(references) = part { references.clone() } else { vec![] })
            .collect()
    };
    let sets = match set {
        GroupingSet::Empty => vec![vec![]],
        GroupingSet::Simple(references) => vec![references.clone()],
        GroupingSet::Rollup(content) => {
            let parts = parts(content);
            let first = |count: usize| parts[..count].iter().fold(vec![], |all: Vec<u32>, part| union(&all, part));
            (0..=parts.len()).rev().map(first).collect()
        }
        GroupingSet::Cube(content) => {
            let parts = parts(content);
            let some = |bits: u32| {
                let chosen = parts.iter().enumerate().filter(|(index, _)| bits & (1 << index) != 0);
                chosen.fold(vec![], |all: Vec<u32>, (_, part)| union(&all, part))
            };
            (0..1u32 << parts.len()).rev().map(some).collect()
        }
        GroupingSet::Sets(content) => {
            let mut all = Vec::new();
            for part in content {
                all.extend(expand(part, most)?);
                if all.len() > most {
                    return None;
                }
            }
            all
        }
    };
    (sets.len() <= most).then_some(sets)
}

struct Ungrouped<'a> {
    state: &'a ParseState<'a>,
    query: &'a Query,
    /// By their references.
    grouped: &'a [(u32, Expr)],
    /// Those that are in every grouping set.
    common: &'a [u32],
    /// The primary keys by which columns depend on what is grouped by.
    keys: &'a RefCell<BTreeSet<Oid>>,
}

impl Ungrouped<'_> {
    /// `depth` queries inside of the grouped one.
    fn expr(&self, expr: &Expr, depth: u32, in_direct_arguments: bool) -> Result<()> {
        match expr {
            Expr::Const(_) | Expr::Param(_) => return Ok(()),
            Expr::Aggref(aggregate) if aggregate.levels_up == depth => {
                // Its direct arguments are evaluated for the group, all else for its rows.
                for argument in &aggregate.direct_arguments {
                    self.expr(argument, depth, true)?;
                }
                return Ok(());
            }
            Expr::Aggref(aggregate) if aggregate.levels_up > depth => return Ok(()),
            Expr::GroupingFunc(grouping) if grouping.levels_up >= depth => return Ok(()),
            _ => {}
        }
        if depth == 0 {
            if self.grouped.iter().any(|(_, grouped)| grouped == expr) {
                return Ok(());
            }
        } else if self.grouped.iter().any(|(_, grouped)| is_outer(expr, grouped, depth)) {
            return Ok(());
        }
        if let Expr::Var(var) = expr {
            if var.levels_up != depth || self.depends_on_group(var)? {
                return Ok(());
            }
            return Err(self.ungrouped(var, depth, in_direct_arguments));
        }
        let result = RefCell::new(Ok(()));
        expr.walk(&mut |child| note(&result, self.expr(child, depth, in_direct_arguments)), &mut |query| {
            note(&result, self.subquery(query, depth + 1, in_direct_arguments))
        });
        result.into_inner()
    }

    fn subquery(&self, query: &Query, depth: u32, in_direct_arguments: bool) -> Result<()> {
        let result = RefCell::new(Ok(()));
        walk_query(query, &mut |expr| note(&result, self.expr(expr, depth, in_direct_arguments)), &mut |query| {
            note(&result, self.subquery(query, depth + 1, in_direct_arguments))
        });
        result.into_inner()
    }

    /// All columns of a table depend on its primary key (`check_functional_grouping`).
    fn depends_on_group(&self, var: &Var) -> Result<bool> {
        let RangeTableKind::Relation { oid, .. } = self.query.range_table[var.relation.index()].kind else {
            return Ok(false);
        };
        let Some(relation) = self.state.statement.relations.relation_by_oid(oid) else { return Ok(false) };
        let Some(key) = &relation.primary_key else { return Ok(false) };
        let has = |attribute: &i16| {
            self.grouped.iter().any(|(reference, expr)| {
                let is = |of: &Var| of.relation == var.relation && of.attribute == *attribute && of.levels_up == 0;
                self.common.contains(reference) && matches!(expr, Expr::Var(of) if is(of))
            })
        };
        let depends = key.columns.iter().all(has);
        if depends {
            self.keys.borrow_mut().insert(key.constraint);
        }
        Ok(depends)
    }

    fn ungrouped(&self, var: &Var, depth: u32, in_direct_arguments: bool) -> Error {
        let entry = &self.query.range_table[var.relation.index()];
        let column = match usize::try_from(var.attribute) {
            Ok(0) => "*",
            Ok(number) => entry.columns.get(number - 1).map_or("", |column| &column.name),
            Err(_) => {
                let system = SYSTEM_COLUMNS.iter().find(|(_, number, _)| *number == var.attribute);
                system.map_or("", |(name, ..)| name)
            }
        };
        let name = format!("{}.{column}", entry.name);
        let place = var.location.0;
        if depth > 0 {
            let message = format!("subquery uses ungrouped column \"{name}\" from outer query");
            return error(sqlstate::GROUPING_ERROR, message, place);
        }
        let message =
            format!("column \"{name}\" must appear in the GROUP BY clause or be used in an aggregate function");
        let failed = error(sqlstate::GROUPING_ERROR, message, place);
        match in_direct_arguments {
            true => failed.detail("Direct arguments of an ordered-set aggregate must use only grouped columns."),
            false => failed,
        }
    }
}

/// Keeps the first error.
fn note(place: &RefCell<Result<()>>, result: Result<()>) -> Walk {
    match result {
        Ok(()) => Walk::On,
        Err(error) => {
            *place.borrow_mut() = Err(error);
            Walk::Stop
        }
    }
}

/// Is `expr`, so many queries further in, the column that is grouped by?
fn is_outer(expr: &Expr, grouped: &Expr, depth: u32) -> bool {
    match (expr, grouped) {
        (Expr::Var(inner), Expr::Var(outer)) => {
            inner.relation == outer.relation
                && inner.attribute == outer.attribute
                && inner.levels_up == outer.levels_up + depth
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_written_out() {
        let simple = |references: &[u32]| GroupingSet::Simple(references.to_vec());
        let rollup = GroupingSet::Rollup(vec![simple(&[1]), simple(&[2, 3])]);
        assert_eq!(expand_grouping_sets(std::slice::from_ref(&rollup), 100).unwrap(), [vec![1, 2, 3], vec![1], vec![]]);
        let cube = GroupingSet::Cube(vec![simple(&[1]), simple(&[2])]);
        assert_eq!(
            expand_grouping_sets(std::slice::from_ref(&cube), 100).unwrap(),
            [vec![1, 2], vec![2], vec![1], vec![]]
        );
        let both = expand_grouping_sets(&[rollup, cube.clone()], 100).unwrap();
        assert_eq!(both.len(), 12);
        assert_eq!(both[0], [1, 2, 3]);
        assert!(expand_grouping_sets(&[cube.clone(), cube], 15).is_none());
    }
}
