//! Is a plan for any values of the parameters as good as one for these values? PostgreSQL's `choose_custom_plan` compares
//! costs alone. But a generic plan's costs are those of ranges of a usual size, as the values are not known, and seem high
//! beside those of plans for small ranges, though the nodes are the same and do the same work. So where plans for
//! particular values keep having the generic plan's nodes, making them gives nothing: the generic plan is as good for all
//! values with which no index range has more rows than it counts on, and conditions that decide how much else is read
//! leave about as many as it counts on.

use analyze::query::{Expr, OpExpr, ParamKind, Var};
use catalog::{Catalog, strategy};
use expression::is_of_rows;
use types::{Datum, Oid};

use crate::path::estimate::clausesel::{EQSEL, SCALARGESEL, SCALARGTSEL, SCALARLESEL, SCALARLTSEL};
use crate::path::estimate::selfuncs;
use crate::path::estimate::selfuncs::{DEFAULT_INEQ, DEFAULT_RANGE, VariableStats};
use crate::plan::{AggStrategy, INDEX, IndexCondition, IndexScan, Join, JoinKind, Node, Plan, PlannedStmt};
use crate::plancat::Statistics;

/// Do two plans of a statement read the same tables and indexes by the same nodes, in their subqueries too?
pub fn are_alike(one: &PlannedStmt, other: &PlannedStmt) -> bool {
    have_same_nodes(&one.plan, &other.plan)
        && one.sub_plans.len() == other.sub_plans.len()
        && one.sub_plans.iter().zip(&other.sub_plans).all(|(one, other)| have_same_nodes(one, other))
}

fn have_same_nodes(one: &Plan, other: &Plan) -> bool {
    let same = match (&one.node, &other.node) {
        (Node::IndexScan(a), Node::IndexScan(b))
        | (Node::IndexOnlyScan(a), Node::IndexOnlyScan(b))
        | (Node::BitmapIndexScan(a), Node::BitmapIndexScan(b)) => {
            a.index == b.index && a.direction == b.direction && a.scan == b.scan
        }
        (Node::NestLoop(a), Node::NestLoop(b)) => a.join.kind == b.join.kind,
        (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b) && one.scanned() == other.scanned(),
    };
    let (mut below, mut others) = (one.children(), other.children());
    same && loop {
        match (below.next(), others.next()) {
            (None, None) => break true,
            (Some(a), Some(b)) if have_same_nodes(a, b) => {}
            _ => break false,
        }
    }
}

/// What of a generic plan depends on the values: ranges of indexes, and conditions on rows.
pub struct ParameterRanges {
    columns: Vec<ColumnRange>,
    conditions: Vec<RowCondition>,
}

/// A condition on a column with parameters in it that is asked of rows when they have been read.
struct RowCondition {
    range: ColumnRange,
    above: Above,
}

/// What there is above a node that does more or less the more of its rows there are.
#[derive(Clone, Copy, Default)]
struct Above {
    /// It stops when it has enough: fewer rows make it read on.
    limit: bool,
    /// More rows make it do more.
    join: bool,
}

impl Above {
    fn counts_rows(self) -> bool {
        self.limit || self.join
    }
}

/// The conditions on one column of an index, of which one at least has parameters in it, by their strategies.
struct ColumnRange {
    statistics: VariableStats,
    bounds: Vec<(i16, Expr)>,
}

/// The values that the statement is to run with.
pub trait Values {
    fn parameter(&self, position: usize) -> Option<(Oid, &Datum)>;

    /// The value of an expression of parameters and constants; `None`: there is none.
    fn compute(&self, expr: &Expr) -> Option<(Oid, Datum)>;
}

/// Longer expressions are not computed to find out whether a plan is good.
const MOST_NODES: usize = 16;

/// No index makes a sequential scan much better that costs so little.
const CHEAP: f64 = 10.0;

/// What is known of tables.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    pub catalog: Catalog<'a>,
    pub statistics: &'a dyn Statistics,
}

impl ParameterRanges {
    /// `None`: what else depends on the values may make another plan better.
    pub fn of(planned: &PlannedStmt, with: Known<'_>) -> Option<ParameterRanges> {
        let mut ranges = ParameterRanges { columns: Vec::new(), conditions: Vec::new() };
        // Sub plans run for rows of others, and EXISTS stops at the first row.
        let join = !planned.sub_plans.is_empty();
        ranges.add(&planned.plan, Above { limit: false, join }, with)?;
        let above = Above { limit: true, join };
        planned.sub_plans.iter().try_for_each(|plan| ranges.add(plan, above, with))?;
        Some(ranges)
    }

    fn add(&mut self, plan: &Plan, above: Above, with: Known<'_>) -> Option<()> {
        let mut below = above;
        match &plan.node {
            Node::IndexScan(scan) | Node::IndexOnlyScan(scan) | Node::BitmapIndexScan(scan) => {
                self.add_scan(scan, with)?
            }
            Node::SeqScan(_) if plan.cost.total > CHEAP && plan.conditions.iter().any(has_parameter) => return None,
            Node::Limit { offset, count, .. } => {
                if offset.iter().chain(count).any(|expr| has_parameter(expr)) {
                    return None;
                }
                below.limit = true;
            }
            // They read all rows at once.
            Node::Sort { .. } => below.limit = false,
            Node::Agg(agg) if agg.strategy != AggStrategy::Sorted => below.limit = false,
            _ => {}
        }
        if let Some(Join { kind, conditions, .. }) = plan.join() {
            if conditions.iter().any(has_parameter) {
                return None;
            }
            below.join = true;
            below.limit |= matches!(kind, JoinKind::Semi | JoinKind::Anti);
        }
        if above.counts_rows() {
            self.add_conditions(plan, above, with)?;
        }
        plan.children().try_for_each(|child| self.add(child, below, with))
    }

    /// What conditions say of each column.
    fn add_conditions(&mut self, plan: &Plan, above: Above, with: Known<'_>) -> Option<()> {
        let mut columns: Vec<((Oid, i16), ColumnRange)> = Vec::new();
        for condition in plan.conditions.iter().filter(|condition| has_parameter(condition)) {
            let (column, bound) = comparison(plan, condition, with)?;
            match columns.iter_mut().find(|(known, _)| *known == column) {
                Some((_, range)) => range.bounds.push(bound),
                None => {
                    let statistics = statistics(column.0, column.1, with)?;
                    columns.push((column, ColumnRange { statistics, bounds: vec![bound] }));
                }
            }
        }
        self.conditions.extend(columns.into_iter().map(|(_, range)| RowCondition { range, above }));
        Some(())
    }

    fn add_scan(&mut self, scan: &IndexScan, with: Known<'_>) -> Option<()> {
        scan.ranges.iter().try_for_each(|conditions| self.add_range(scan, conditions, with))
    }

    /// What the conditions of one range say of each of its columns.
    fn add_range(&mut self, scan: &IndexScan, conditions: &[IndexCondition], with: Known<'_>) -> Option<()> {
        let mut known: Vec<(usize, i16, &Expr)> = Vec::new();
        for condition in conditions {
            match condition {
                IndexCondition::Compare { column, strategy, value, .. } => known.push((*column, *strategy, value)),
                IndexCondition::Any { column, strategy, array, .. } if has_parameter(array) => {
                    self.add_elements(scan, *column, elements_equal(*strategy, array)?, with)?;
                }
                IndexCondition::Row { values, .. } if values.iter().any(has_parameter) => return None,
                _ => {}
            }
        }
        let columns = known.iter().map(|(column, ..)| *column).max().map_or(0, |last| last + 1);
        for column in 0..columns {
            let of_column = || known.iter().filter(|(of, ..)| *of == column);
            if of_column().any(|(.., value)| has_parameter(value)) {
                if of_column().any(|(.., value)| is_of_rows(value) || is_long(value)) {
                    return None;
                }
                let bounds = of_column().map(|(_, strategy, value)| (*strategy, (*value).clone())).collect();
                self.columns.push(ColumnRange { statistics: index_statistics(scan, column, with)?, bounds });
            }
        }
        Some(())
    }

    /// A column has one of several values: a range for each.
    fn add_elements(&mut self, scan: &IndexScan, column: usize, values: &[Expr], with: Known<'_>) -> Option<()> {
        for value in values.iter().filter(|value| has_parameter(value)) {
            if is_of_rows(value) || is_long(value) {
                return None;
            }
            let statistics = index_statistics(scan, column, with)?;
            self.columns.push(ColumnRange { statistics, bounds: vec![(strategy::EQUAL, value.clone())] });
        }
        Some(())
    }

    /// Does no range have more rows with these values than the plan counts on, and does none of the other conditions leave
    /// more, or much fewer, where that matters?
    pub fn are_usual(&self, values: &dyn Values) -> bool {
        self.columns.iter().all(|range| range.share(values).is_some_and(|(share, usual)| share <= usual))
            && self.conditions.iter().all(|condition| condition.is_usual(values))
    }
}

impl RowCondition {
    fn is_usual(&self, values: &dyn Values) -> bool {
        let Some((share, usual)) = self.range.share(values) else { return false };
        (!self.above.join || share <= usual) && (!self.above.limit || share >= usual / 2.0)
    }
}

impl ColumnRange {
    /// Which part of all rows is in it, and as which part it is counted while the values are not known; `None`: it is not known.
    fn share(&self, values: &dyn Values) -> Option<(f64, f64)> {
        let (mut lower, mut upper) = (1.0f64, 1.0f64);
        for &(strategy, ref bound) in &self.bounds {
            let computed;
            let known = match parameter(bound) {
                Some(position) => values.parameter(position),
                None => {
                    computed = values.compute(bound);
                    computed.as_ref().map(|(ty, value)| (*ty, value))
                }
            };
            let value = known?;
            if strategy == strategy::EQUAL {
                let usual = selfuncs::eq_non_const(&self.statistics, false);
                return Some((selfuncs::eq_const(&self.statistics, value, false), usual));
            }
            let greater = matches!(strategy, strategy::GREATER | strategy::GREATER_EQUAL);
            let or_equal = matches!(strategy, strategy::LESS_EQUAL | strategy::GREATER_EQUAL);
            let side = if greater { &mut lower } else { &mut upper };
            *side = side.min(selfuncs::inequality(&self.statistics, value, greater, or_equal));
        }
        let usual = if lower < 1.0 && upper < 1.0 { DEFAULT_RANGE } else { DEFAULT_INEQ };
        Some((lower + upper - 1.0, usual))
    }
}

/// What a condition of a scan compares a column of its table with, if that is all that it says.
fn comparison(plan: &Plan, condition: &Expr, with: Known<'_>) -> Option<((Oid, i16), (i16, Expr))> {
    let Expr::OpExpr(OpExpr { operator, arguments, .. }) = condition else { return None };
    let (value, var, commuted) = match &arguments[..] {
        [Expr::Var(var), value] => (value, var, false),
        [value, Expr::Var(var)] => (value, var, true),
        _ => return None,
    };
    if value.contains(&mut |e| matches!(e, Expr::Var(_))) || is_of_rows(value) || is_long(value) {
        return None;
    }
    let strategy = match (with.catalog.operator(*operator)?.oprrest, commuted) {
        (EQSEL, _) => strategy::EQUAL,
        (SCALARLTSEL, false) | (SCALARGTSEL, true) => strategy::LESS,
        (SCALARLESEL, false) | (SCALARGESEL, true) => strategy::LESS_EQUAL,
        (SCALARGTSEL, false) | (SCALARLTSEL, true) => strategy::GREATER,
        (SCALARGESEL, false) | (SCALARLESEL, true) => strategy::GREATER_EQUAL,
        _ => return None,
    };
    Some((column_of(plan, var, with)?, (strategy, value.clone())))
}

/// The table and the column that a scan's condition names.
fn column_of(plan: &Plan, var: &Var, with: Known<'_>) -> Option<(Oid, i16)> {
    let scan = match &plan.node {
        Node::SeqScan(scan) | Node::TidScan { scan, .. } | Node::BitmapHeapScan { scan, .. } => scan,
        Node::IndexScan(node) | Node::IndexOnlyScan(node) => {
            if var.relation == INDEX {
                let key = &with.catalog.index(node.index)?.indkey;
                let attribute = *key.get(usize::try_from(var.attribute - 1).ok()?)?;
                return Some((node.scan.table, attribute));
            }
            &node.scan
        }
        _ => return None,
    };
    (var.relation == scan.relation && var.levels_up == 0).then_some((scan.table, var.attribute))
}

/// What is known of a column of a scan's index.
fn index_statistics(scan: &IndexScan, column: usize, with: Known<'_>) -> Option<VariableStats> {
    let row = with.catalog.index(scan.index)?;
    let mut statistics = statistics(scan.scan.table, *row.indkey.get(column)?, with)?;
    statistics.unique = row.indisunique && row.indnkeyatts == 1;
    Some(statistics)
}

/// The values one of which a column has, if that is what is asked, and how many there are is known.
fn elements_equal(strategy: i16, array: &Expr) -> Option<&[Expr]> {
    match array {
        Expr::Array(array) if strategy == strategy::EQUAL && !array.multidimensional => Some(&array.elements),
        _ => None,
    }
}

/// What is known of a table's column.
fn statistics(table: Oid, attribute: i16, with: Known<'_>) -> Option<VariableStats> {
    let pg_attribute = with.catalog.attributes(table).find(|row| row.attnum == attribute)?;
    Some(VariableStats {
        statistics: with.statistics.column(table, attribute),
        tuples: with.statistics.relation(table)?.rows.unwrap_or_default(),
        ty: pg_attribute.atttypid,
        ..Default::default()
    })
}

fn is_long(value: &Expr) -> bool {
    let mut nodes = 0;
    value.contains(&mut |_| {
        nodes += 1;
        nodes > MOST_NODES
    })
}

/// The position of a parameter that comes from outside.
fn parameter(value: &Expr) -> Option<usize> {
    match value {
        Expr::Param(param) if param.kind == ParamKind::External => Some(param.number as usize - 1),
        Expr::RelabelType(relabel) => parameter(&relabel.argument),
        _ => None,
    }
}

fn has_parameter(expr: &Expr) -> bool {
    expr.contains(&mut |expr| matches!(expr, Expr::Param(param) if param.kind == ParamKind::External))
}
