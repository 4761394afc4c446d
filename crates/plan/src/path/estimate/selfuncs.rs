//! How many rows a comparison lets through (PostgreSQL's `selfuncs.c`): from a column's statistics where there are any, else
//! PostgreSQL's defaults.

use std::cmp::Ordering;
use std::sync::Arc;

use analyze::query::*;
use types::{Datum, Oid, oid};

use crate::path::arrays;
use crate::path::clauses::strip_relabel;
use crate::path::estimate::values;
use crate::path::relset::{Rels, rels_of};
use crate::path::state::*;
use crate::plan::JoinKind;
use crate::plancat::ColumnStatistics;
use crate::planner_info::PlannerInfo;

pub const DEFAULT_EQ: f64 = 0.005;
pub const DEFAULT_INEQ: f64 = 0.333_333_333_333_333_3;
pub const DEFAULT_RANGE: f64 = 0.005;
pub const DEFAULT_MATCH: f64 = 0.005;
pub const DEFAULT_UNKNOWN: f64 = 0.005;
pub const DEFAULT_NOT_UNKNOWN: f64 = 1.0 - DEFAULT_UNKNOWN;
pub const DEFAULT_DISTINCT: f64 = 200.0;

pub fn clamp(selectivity: f64) -> f64 {
    selectivity.clamp(0.0, 1.0)
}

/// What is known of an expression's values (`VariableStatData`).
#[derive(Clone, Default)]
pub struct VariableStats {
    pub rel: Option<RelId>,
    pub statistics: Option<Arc<ColumnStatistics>>,
    /// All are different.
    pub unique: bool,
    /// The rows of its relation.
    pub tuples: f64,
    pub ty: Oid,
    pub is_ctid: bool,
    /// Each value is in one row of VALUES.
    pub is_values: bool,
    /// Its statistics tell of rows that the role may not see.
    pub is_guarded: bool,
}

impl VariableStats {
    /// What an operator may be tried on: a leaky one is not tried on values of rows that are hidden (`statistic_proc_security_check`).
    pub fn shown_to(self, root: &PlannerInfo, operator: Oid) -> VariableStats {
        if !self.is_guarded || is_leakproof(root, operator) {
            return self;
        }
        let hidden = |known: &Arc<ColumnStatistics>| {
            Arc::new(ColumnStatistics { most_common: Vec::new(), histogram: Vec::new(), ..(**known).clone() })
        };
        VariableStats { statistics: self.statistics.as_ref().map(hidden), ..self }
    }
}

fn is_leakproof(root: &PlannerInfo, operator: Oid) -> bool {
    let catalog = root.planner.catalog;
    let function = catalog.operator(operator).and_then(|row| catalog.function(row.oprcode));
    function.is_some_and(|row| row.proleakproof)
}

/// `examine_variable`.
pub fn examine_variable(root: &PlannerInfo, expr: &Expr) -> VariableStats {
    let expr = strip_relabel(expr);
    let ty = expr.ty().oid;
    if let Expr::Var(var) = expr
        && var.levels_up == 0
    {
        return VariableStats { ty, ..examine_simple_variable(root, var) };
    }
    let rels = rels_of(expr);
    let Some(one) = rels.singleton() else { return VariableStats { ty, ..Default::default() } };
    let Some(rel) = root.paths.base.get(one.0 as usize).copied().flatten() else {
        return VariableStats { ty, ..Default::default() };
    };
    let known = &root.paths.rels[rel];
    let is_guarded = !root.query.entry(one).security_conditions.is_empty();
    let mut found = VariableStats { rel: Some(rel), tuples: known.tuples, ty, is_guarded, ..Default::default() };
    for index in &known.indexes {
        for (position, column) in index.columns.iter().enumerate() {
            if index.info.columns[position].attribute == 0 && strip_relabel(column) == expr {
                found.unique |= index.info.unique && index.columns.len() == 1 && index.predicate.is_empty();
                found.statistics = root.planner.statistics.column(index.info.oid, position as i16 + 1);
                if found.statistics.is_some() {
                    return found;
                }
            }
        }
    }
    found
}

fn examine_simple_variable(root: &PlannerInfo, var: &Var) -> VariableStats {
    let mut found = VariableStats::default();
    let Some(rel) = root.paths.base.get(var.relation.0 as usize).copied().flatten() else { return found };
    let known = &root.paths.rels[rel];
    found.rel = Some(rel);
    found.tuples = known.tuples;
    let entry = root.query.entry(var.relation);
    found.is_guarded = !entry.security_conditions.is_empty();
    match &entry.kind {
        RangeTableKind::Relation { oid, .. } => {
            found.is_ctid = var.attribute == crate::plan::CTID;
            found.unique = found.is_ctid || has_unique_index(known, var.attribute);
            found.statistics = root.planner.statistics.column(*oid, var.attribute);
        }
        RangeTableKind::Values { .. } => found.is_values = true,
        RangeTableKind::Subquery(_) => {
            if let Some(sub) = &known.subroot
                && var.attribute > 0
                && sub.query.set_operations.is_none()
                && sub.query.grouping_sets.is_empty()
                && let Some(target) =
                    sub.query.targets.iter().filter(|target| !target.junk).nth(var.attribute as usize - 1)
            {
                let only = |clauses: &[SortGroupClause]| clauses.len() == 1 && clauses[0].reference == target.reference;
                let distinct = match &sub.query.distinct {
                    Distinct::All(list) | Distinct::On(list) => Some(only(list)),
                    Distinct::None => None,
                };
                if let Some(only) = distinct {
                    found.unique = only;
                    return found;
                }
                if !sub.query.group_clause.is_empty() {
                    found.unique = only(&sub.query.group_clause);
                    return found;
                }
                // What is behind a barrier is not told.
                if let Expr::Var(inner) = strip_relabel(&target.expr)
                    && inner.levels_up == 0
                    && !entry.security_barrier
                {
                    let below = examine_simple_variable(sub, inner);
                    found.statistics = below.statistics;
                    found.is_guarded = below.is_guarded;
                    found.is_values = false;
                }
            }
        }
        _ => {}
    }
    found
}

/// Is there a unique index on the column alone (`has_unique_index`)?
fn has_unique_index(rel: &RelOptInfo, attribute: i16) -> bool {
    rel.indexes.iter().any(|index| {
        let info = &index.info;
        info.unique
            && info.columns.len() == 1
            && info.columns[0].attribute == attribute
            && (index.predicate.is_empty() || index.usable)
    })
}

/// How many different values there are; the second: it is a guess (`get_variable_numdistinct`).
pub fn num_distinct(found: &VariableStats) -> (f64, bool) {
    let mut null_fraction = 0.0;
    let mut distinct = match &found.statistics {
        Some(statistics) => {
            null_fraction = statistics.null_fraction;
            statistics.distinct
        }
        None if found.ty == oid::BOOL => 2.0,
        None if found.is_values || found.is_ctid => -1.0,
        None => 0.0,
    };
    if found.unique {
        distinct = null_fraction - 1.0;
    }
    if distinct > 0.0 {
        return (clamp_rows(distinct), false);
    }
    if found.tuples <= 0.0 {
        return (DEFAULT_DISTINCT, true);
    }
    if distinct < 0.0 {
        return (clamp_rows(-distinct * found.tuples), false);
    }
    if found.tuples < DEFAULT_DISTINCT { (clamp_rows(found.tuples), false) } else { (DEFAULT_DISTINCT, true) }
}

/// A number of rows: whole, at least one (`clamp_row_est`).
pub fn clamp_rows(rows: f64) -> f64 {
    if rows.is_nan() || rows > 1e100 {
        1e100
    } else if rows <= 1.0 {
        1.0
    } else {
        rows.round_ties_even()
    }
}

fn mcv_sum(statistics: &ColumnStatistics) -> f64 {
    statistics.most_common.iter().map(|(_, frequency)| frequency).sum()
}

/// `column = constant` (`var_eq_const`).
pub fn eq_const(found: &VariableStats, value: (Oid, &Datum), negate: bool) -> f64 {
    if value.1.is_null() {
        return 0.0;
    }
    let null_fraction = found.statistics.as_ref().map_or(0.0, |statistics| statistics.null_fraction);
    let selectivity = if found.unique && found.tuples >= 1.0 {
        1.0 / found.tuples
    } else if let Some(statistics) = &found.statistics {
        let same = |(common, _): &&(Datum, f64)| values::compare((found.ty, common), value) == Some(Ordering::Equal);
        match statistics.most_common.iter().find(same) {
            Some((_, frequency)) => *frequency,
            None => {
                let rest = clamp(1.0 - mcv_sum(statistics) - null_fraction);
                let others = num_distinct(found).0 - statistics.most_common.len() as f64;
                let each = if others > 1.0 { rest / others } else { rest };
                statistics.most_common.last().map_or(each, |(_, least)| each.min(*least))
            }
        }
    } else {
        1.0 / num_distinct(found).0
    };
    clamp(if negate { 1.0 - selectivity - null_fraction } else { selectivity })
}

/// `column = something` (`var_eq_non_const`).
pub fn eq_non_const(found: &VariableStats, negate: bool) -> f64 {
    let null_fraction = found.statistics.as_ref().map_or(0.0, |statistics| statistics.null_fraction);
    let selectivity = if found.unique && found.tuples >= 1.0 {
        1.0 / found.tuples
    } else if let Some(statistics) = &found.statistics {
        let distinct = num_distinct(found).0;
        let each = (1.0 - null_fraction) / if distinct > 1.0 { distinct } else { 1.0 };
        statistics.most_common.first().map_or(each, |(_, most)| each.min(*most))
    } else {
        1.0 / num_distinct(found).0
    };
    clamp(if negate { 1.0 - selectivity - null_fraction } else { selectivity })
}

/// `column < constant` and its like (`scalarineqsel`).
pub fn inequality(found: &VariableStats, value: (Oid, &Datum), greater: bool, or_equal: bool) -> f64 {
    if value.1.is_null() {
        return 0.0;
    }
    let Some(statistics) = &found.statistics else { return DEFAULT_INEQ };
    let satisfied = |ordering: Ordering| match ordering {
        Ordering::Equal => or_equal,
        Ordering::Less => !greater,
        Ordering::Greater => greater,
    };
    let common: f64 = statistics
        .most_common
        .iter()
        .filter(|(common, _)| values::compare((found.ty, common), value).is_some_and(satisfied))
        .map(|(_, frequency)| frequency)
        .sum();
    let rest = 1.0 - statistics.null_fraction - mcv_sum(statistics);
    let part = match histogram_inequality(found, statistics, value, greater, or_equal) {
        Some(part) => part * rest,
        None => 0.5 * rest,
    };
    clamp(common + part)
}

/// The part of a histogram that satisfies an inequality (`ineq_histogram_selectivity`).
fn histogram_inequality(
    found: &VariableStats,
    statistics: &ColumnStatistics,
    value: (Oid, &Datum),
    greater: bool,
    or_equal: bool,
) -> Option<f64> {
    let histogram = &statistics.histogram;
    if histogram.len() < 2 {
        return None;
    }
    // How many bounds are below the value (or at it, for <= and >).
    let at_too = or_equal != greater;
    let mut unknown = false;
    let below = histogram.partition_point(|bound| match values::compare((found.ty, bound), value) {
        Some(Ordering::Less) => true,
        Some(Ordering::Equal) => at_too,
        Some(Ordering::Greater) => false,
        None => {
            unknown = true;
            false
        }
    });
    if unknown {
        return None;
    }
    let bins = (histogram.len() - 1) as f64;
    let mut fraction = if below == 0 {
        0.0
    } else if below >= histogram.len() {
        1.0
    } else {
        let within = values::position(found.ty, value, &histogram[below - 1], &histogram[below]).unwrap_or(0.5);
        let mut fraction = ((below - 1) as f64 + within) / bins;
        let others = num_distinct(found).0 - statistics.most_common.len() as f64;
        let equal = if others > 1.0 { 1.0 / others } else { 0.0 };
        // The bounds are the last values of their bins; the first one is the first of its bin.
        if below == 1 {
            fraction += equal * (1.0 - within);
        }
        if !at_too {
            fraction -= equal;
        }
        fraction
    };
    fraction = clamp(fraction);
    let part = if greater { 1.0 - fraction } else { fraction };
    // The histogram is a sample: nothing is quite impossible.
    let cutoff = 0.01 / bins;
    Some(part.clamp(cutoff, 1.0 - cutoff))
}

/// `column IS NULL` and `IS NOT NULL` (`nulltestsel`).
pub fn null_test(root: &PlannerInfo, argument: &Expr, is_null: bool) -> f64 {
    let found = examine_variable(root, argument);
    let null_fraction = match &found.statistics {
        Some(statistics) => statistics.null_fraction,
        None if found.is_ctid => 0.0,
        None => return if is_null { DEFAULT_UNKNOWN } else { DEFAULT_NOT_UNKNOWN },
    };
    clamp(if is_null { null_fraction } else { 1.0 - null_fraction })
}

/// `condition IS TRUE` and its like (`booltestsel`); `own`: the condition's selectivity, where there are no statistics.
pub fn boolean_test(root: &PlannerInfo, test: &BooleanTest, own: impl FnOnce() -> f64) -> f64 {
    use BooleanTestKind::*;
    let found = examine_variable(root, &test.argument);
    if let Some(statistics) = &found.statistics
        && let Some((value, frequency)) = statistics.most_common.first()
    {
        let (nulls, trues) = (
            statistics.null_fraction,
            match value {
                Datum::Bool(true) => *frequency,
                _ => 1.0 - frequency - statistics.null_fraction,
            },
        );
        let falses = 1.0 - trues - nulls;
        return clamp(match test.kind {
            IsUnknown => nulls,
            IsNotUnknown => 1.0 - nulls,
            IsTrue => trues,
            IsNotTrue => 1.0 - trues,
            IsFalse => falses,
            IsNotFalse => 1.0 - falses,
        });
    }
    if let Some(statistics) = &found.statistics {
        let nulls = statistics.null_fraction;
        return clamp(match test.kind {
            IsUnknown => nulls,
            IsNotUnknown => 1.0 - nulls,
            IsTrue | IsFalse => (1.0 - nulls) / 2.0,
            IsNotTrue | IsNotFalse => (nulls + 1.0) / 2.0,
        });
    }
    match test.kind {
        IsUnknown => DEFAULT_UNKNOWN,
        IsNotUnknown => DEFAULT_NOT_UNKNOWN,
        IsTrue | IsNotFalse => own(),
        IsFalse | IsNotTrue => 1.0 - own(),
    }
}

/// `left = right` of different relations (`eqjoinsel`). `inner_rows`: the inner side's rows, of a semijoin.
pub fn eq_join(
    root: &PlannerInfo,
    (operator, left, right): (Oid, &Expr, &Expr),
    join: &SpecialJoinInfo,
    inner_rows: f64,
) -> f64 {
    let [a, b] = [left, right].map(|side| examine_variable(root, side).shown_to(root, operator));
    let inner = eq_join_inner(root, &a, &b);
    match join.kind {
        JoinKind::Semi | JoinKind::Anti => {
            let reversed = is_reversed(left, join);
            let semi =
                if reversed { eq_join_semi(root, &b, &a, inner_rows) } else { eq_join_semi(root, &a, &b, inner_rows) };
            clamp(semi.min(inner_rows * inner))
        }
        _ => clamp(inner),
    }
}

/// Is the left operand of a join's condition of its right side?
fn is_reversed(left: &Expr, join: &SpecialJoinInfo) -> bool {
    rels_of(left).is_subset(join.syn_right) && !rels_of(left).is_empty()
}

/// The part of a semijoin's outer rows that have a value in the condition.
pub fn not_null_of_outer(root: &PlannerInfo, left: &Expr, right: &Expr, join: &SpecialJoinInfo) -> f64 {
    let outer = if is_reversed(left, join) { right } else { left };
    clamp(1.0 - null_fraction(&examine_variable(root, outer)))
}

fn null_fraction(found: &VariableStats) -> f64 {
    found.statistics.as_ref().map_or(0.0, |statistics| statistics.null_fraction)
}

fn eq_join_inner(root: &PlannerInfo, a: &VariableStats, b: &VariableStats) -> f64 {
    let ((distinct_a, _), (distinct_b, _)) = (num_distinct(a), num_distinct(b));
    if let (Some(left), Some(right)) = (&a.statistics, &b.statistics)
        && !left.most_common.is_empty()
        && !right.most_common.is_empty()
    {
        let (mut matched, mut matched_a, mut matched_b) = (0.0, 0.0, 0.0);
        let matches = root.paths.common_values.matches((a.ty, left), (b.ty, right));
        for &(one, other) in &*matches {
            let (one, other) = (left.most_common[one].1, right.most_common[other].1);
            matched += one * other;
            matched_a += one;
            matched_b += other;
        }
        let matches = matches.len() as f64;
        let (matched_a, matched_b) = (clamp(matched_a), clamp(matched_b));
        let (unmatched_a, unmatched_b) = (clamp(mcv_sum(left) - matched_a), clamp(mcv_sum(right) - matched_b));
        let other_a = clamp(1.0 - left.null_fraction - matched_a - unmatched_a);
        let other_b = clamp(1.0 - right.null_fraction - matched_b - unmatched_b);
        let (count_a, count_b) = (left.most_common.len() as f64, right.most_common.len() as f64);
        let total = |unmatched: f64, other: f64, their_other: f64, their_rest: f64, count: f64, distinct: f64| {
            let mut total = matched;
            if distinct > count {
                total += unmatched * their_other / (distinct - count);
            }
            if distinct > matches {
                total += other * (their_other + their_rest) / (distinct - matches);
            }
            total
        };
        let one = total(unmatched_a, other_a, other_b, unmatched_b, count_b, distinct_b);
        let two = total(unmatched_b, other_b, other_a, unmatched_a, count_a, distinct_a);
        return one.min(two);
    }
    (1.0 - null_fraction(a)) * (1.0 - null_fraction(b)) / distinct_a.max(distinct_b)
}

/// The part of `a`'s rows that have a partner in `b` (`eqjoinsel_semi`).
fn eq_join_semi(root: &PlannerInfo, a: &VariableStats, b: &VariableStats, inner_rows: f64) -> f64 {
    let (distinct_a, guess_a) = num_distinct(a);
    let (mut distinct_b, mut guess_b) = num_distinct(b);
    if let Some(rel) = b.rel {
        let rows = root.paths.rels[rel].rows;
        if distinct_b >= rows && rows > 0.0 {
            distinct_b = rows;
            guess_b = false;
        }
    }
    if distinct_b >= inner_rows {
        distinct_b = inner_rows;
        guess_b = false;
    }
    let nulls = null_fraction(a);
    if let (Some(left), Some(right)) = (&a.statistics, &b.statistics)
        && !left.most_common.is_empty()
        && !right.most_common.is_empty()
    {
        let known = right.most_common.len().min(distinct_b as usize);
        let matches = root.paths.common_values.matches((a.ty, left), (b.ty, right));
        let matches = || matches.iter().filter(|(_, other)| *other < known);
        let matched: f64 = matches().map(|(one, _)| left.most_common[*one].1).sum();
        let matches = matches().count() as f64;
        let matched = clamp(matched);
        let uncertain = if guess_a || guess_b {
            0.5
        } else {
            let (rest_a, rest_b) = (distinct_a - matches, distinct_b - matches);
            if rest_a <= rest_b || rest_b < 0.0 { 1.0 } else { rest_b / rest_a }
        };
        return matched + uncertain * clamp(1.0 - matched - nulls);
    }
    if guess_a || guess_b {
        0.5 * (1.0 - nulls)
    } else if distinct_a <= distinct_b || distinct_b < 0.0 {
        1.0 - nulls
    } else {
        (distinct_b / distinct_a) * (1.0 - nulls)
    }
}

/// How many groups the expressions make of so many rows (`estimate_num_groups`).
pub fn estimate_num_groups(root: &PlannerInfo, exprs: &[Expr], input_rows: f64) -> f64 {
    struct Group {
        expr: Expr,
        rel: RelId,
        distinct: f64,
    }
    let input_rows = clamp_rows(input_rows);
    let (mut groups, mut distinct) = (Vec::<Group>::new(), 1.0f64);
    let mut add = |expr: &Expr| {
        let found = examine_variable(root, expr);
        let (count, _) = num_distinct(&found);
        if let Some(rel) = found.rel {
            if !groups.iter().any(|group| group.expr == *expr) {
                groups.push(Group { expr: expr.clone(), rel, distinct: count });
            }
            true
        } else {
            false
        }
    };
    let mut sets = 1.0f64;
    for expr in exprs {
        if let Expr::FuncExpr(call) = expr
            && call.returns_set
        {
            sets = sets.max(function_rows(root, expr));
        }
        if expr.ty().oid == oid::BOOL {
            distinct *= 2.0;
            continue;
        }
        let found = examine_variable(root, expr);
        if found.statistics.is_some() || found.unique {
            add(expr);
            continue;
        }
        let mut vars = Vec::new();
        crate::path::clauses::pull_vars(expr, &mut vars, |_| false);
        if vars.is_empty() {
            if crate::path::clauses::contains_volatile(root.planner.catalog, expr) {
                return input_rows;
            }
            continue;
        }
        vars.iter().for_each(|var| {
            add(var);
        });
    }
    while let Some(rel) = groups.first().map(|group| group.rel) {
        let (mine, rest): (Vec<Group>, Vec<Group>) = groups.into_iter().partition(|group| group.rel == rel);
        groups = rest;
        let known = &root.paths.rels[rel];
        let mut product: f64 = mine.iter().map(|group| group.distinct).product();
        let most = mine.iter().map(|group| group.distinct).fold(0.0, f64::max);
        if known.tuples > 0.0 {
            let mut limit = known.tuples;
            if mine.len() > 1 {
                limit *= 0.1;
                if limit < most {
                    limit = most.min(known.tuples);
                }
            }
            product = product.min(limit);
            if product > 0.0 && known.rows < known.tuples {
                let kept = (known.tuples - known.rows) / known.tuples;
                product *= 1.0 - kept.powf(known.tuples / product);
            }
            product = clamp_rows(product);
        }
        distinct *= product;
    }
    (distinct * sets).ceil().clamp(1.0, input_rows)
}

/// How many rows a function gives (`expression_returns_set_rows`).
pub fn function_rows(root: &PlannerInfo, expr: &Expr) -> f64 {
    match expr {
        Expr::FuncExpr(call) if call.returns_set => {
            if let Some(rows) = series_rows(root, call).or_else(|| unnest_rows(root, call)) {
                return rows;
            }
            clamp_rows(root.planner.catalog.function(call.function).map_or(1000.0, |row| f64::from(row.prorows)))
        }
        _ => 1.0,
    }
}

/// `generate_series` of known numbers or times.
fn series_rows(root: &PlannerInfo, call: &FuncExpr) -> Option<f64> {
    const SERIES: [Oid; 9] = [1066, 1067, 1068, 1069, 3259, 3260, 938, 939, 6274];
    if !SERIES.contains(&call.function) {
        return None;
    }
    let number = |at: usize| {
        let (ty, value) = values::known_value(root, call.arguments.get(at)?)?;
        values::scalar(ty, &value)
    };
    let step = if call.arguments.len() > 2 { number(2)? } else { 1.0 };
    let (start, end) = (number(0)?, number(1)?);
    (step != 0.0).then(|| clamp_rows(((end - start + step) / step).floor().max(0.0)))
}

/// `unnest` and its like give a row for each element (`array_unnest_support`).
fn unnest_rows(root: &PlannerInfo, call: &FuncExpr) -> Option<f64> {
    const ARRAY_UNNEST_SUPPORT: Oid = 3996;
    let row = root.planner.catalog.function(call.function)?;
    (row.prosupport == ARRAY_UNNEST_SUPPORT).then(|| clamp_rows(array_length(root, &call.arguments[0])))
}

/// How many elements an array has (`estimate_array_length`).
pub fn array_length(root: &PlannerInfo, array: &Expr) -> f64 {
    match strip_relabel(array) {
        Expr::Array(array) if !array.multidimensional => array.elements.len() as f64,
        Expr::ArrayCoerce(coerce) => array_length(root, &coerce.argument),
        other => match values::known_value(root, other) {
            Some((_, value)) => arrays::length(&value).map_or(10.0, |length| length as f64),
            None => examine_variable(root, other).statistics.and_then(|known| average_length(&known)).unwrap_or(10.0),
        },
    }
}

/// How many elements a column's arrays have, as far as the values tell that statistics have. (PostgreSQL keeps a histogram of it.)
fn average_length(statistics: &ColumnStatistics) -> Option<f64> {
    let length = |value: &Datum| arrays::length(value).map(|length| length as f64);
    let common = statistics.most_common.iter().filter_map(|(value, part)| Some((length(value)?, *part)));
    let (elements, part) = common.fold((0.0, 0.0), |(sum, parts), (length, part)| (sum + length * part, parts + part));
    let others: Vec<f64> = statistics.histogram.iter().filter_map(length).collect();
    let rest = if others.is_empty() { 0.0 } else { (1.0 - statistics.null_fraction - part).max(0.0) };
    let of_others = others.iter().sum::<f64>() / others.len().max(1) as f64;
    (part + rest > 0.0).then(|| clamp_rows((elements + of_others * rest) / (part + rest)))
}

/// How the rows of a hash table spread over its buckets: the most common value's part, and the part of a bucket
/// (`estimate_hash_bucket_stats`).
pub fn hash_bucket_stats(root: &PlannerInfo, key: &Expr, buckets: f64) -> (f64, f64) {
    let found = examine_variable(root, key);
    let common = found
        .statistics
        .as_ref()
        .and_then(|statistics| statistics.most_common.first())
        .map_or(0.0, |(_, frequency)| *frequency);
    let (mut distinct, guess) = num_distinct(&found);
    if guess {
        return (common, 0.1f64.max(common));
    }
    let nulls = null_fraction(&found);
    let average = (1.0 - nulls) / distinct;
    if let Some(rel) = found.rel {
        let known = &root.paths.rels[rel];
        if known.tuples > 0.0 {
            distinct = clamp_rows(distinct * known.rows / known.tuples);
        }
    }
    let mut estimate = if distinct > buckets { 1.0 / buckets } else { 1.0 / distinct };
    if average > 0.0 && common > average {
        estimate *= common / average;
    }
    (common, estimate.clamp(1.0e-6, 1.0))
}

/// Where one side of a merge ends before the other (`mergejoinscansel`).
pub fn merge_scan(root: &PlannerInfo, left: &Expr, right: &Expr) -> MergeScan {
    let (a, b) = (examine_variable(root, left), examine_variable(root, right));
    let (Some((left_min, left_max)), Some((right_min, right_max))) = (extremes(&a), extremes(&b)) else {
        return MergeScan { left_start: 0.0, left_end: 1.0, right_start: 0.0, right_end: 1.0 };
    };
    let part = |found: &VariableStats, value: (Oid, &Datum), or_equal| {
        if found.statistics.is_some() { inequality(found, value, false, or_equal) } else { DEFAULT_INEQ }
    };
    let mut left_end = part(&a, (b.ty, &right_max), true);
    let mut right_end = part(&b, (a.ty, &left_max), true);
    // One of the two is read to its end.
    if left_end > right_end {
        left_end = 1.0;
    } else if left_end < right_end {
        right_end = 1.0;
    } else {
        (left_end, right_end) = (1.0, 1.0);
    }
    let mut left_start = part(&a, (b.ty, &right_min), false);
    let mut right_start = part(&b, (a.ty, &left_min), false);
    if left_start < right_start {
        left_start = 0.0;
    } else if left_start > right_start {
        right_start = 0.0;
    } else {
        (left_start, right_start) = (0.0, 0.0);
    }
    MergeScan { left_start: left_start.min(left_end), left_end, right_start: right_start.min(right_end), right_end }
}

/// The least and the greatest value (`get_variable_range`).
fn extremes(found: &VariableStats) -> Option<(Datum, Datum)> {
    let statistics = found.statistics.as_ref()?;
    let common = statistics.most_common.iter().map(|(value, _)| value);
    let all: Vec<&Datum> = if statistics.histogram.len() >= 2 {
        common.chain(statistics.histogram.first()).chain(statistics.histogram.last()).collect()
    } else if mcv_sum(statistics) + statistics.null_fraction > 0.99 {
        common.collect()
    } else {
        return None;
    };
    let order = |a: &&&Datum, b: &&&Datum| values::compare((found.ty, a), (found.ty, b)).unwrap_or(Ordering::Equal);
    let least = all.iter().min_by(order)?;
    let most = all.iter().max_by(order)?;
    Some(((*least).clone(), (*most).clone()))
}

/// The relations that a join condition may be asked over: `None` of fewer than two.
pub fn joins(rels: Rels) -> bool {
    rels.len() > 1
}
