//! Is a plan for any values of the parameters as good as one for these values? PostgreSQL's `choose_custom_plan` compares
//! costs alone. But a generic plan's costs are those of ranges of a usual size, as nobody knows the values, and seem high
//! beside those of plans for small ranges, though the nodes are the same and do the same work. So where plans for
//! particular values keep having the generic plan's nodes, making them gives nothing: the generic plan is as good for all
//! values with which no index range has more rows than it counts on.

use analyze::query::{Expr, ParamKind};
use catalog::{Catalog, strategy};
use expression::is_of_rows;
use types::{Datum, Oid};

use crate::path::selfuncs::{self, DEFAULT_INEQ, DEFAULT_RANGE, VariableStats};
use crate::plan::{IndexCondition, IndexScan, Node, Plan, PlannedStmt};
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

/// The index ranges of a generic plan that depend on the values.
pub struct ParameterRanges {
    columns: Vec<ColumnRange>,
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

/// What is known of tables.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    pub catalog: Catalog<'a>,
    pub statistics: &'a dyn Statistics,
}

impl ParameterRanges {
    /// `None`: what else depends on the values may make another plan better.
    pub fn of(planned: &PlannedStmt, with: Known<'_>) -> Option<ParameterRanges> {
        let mut ranges = ParameterRanges { columns: Vec::new() };
        ranges.add(&planned.plan, with)?;
        planned.sub_plans.iter().try_for_each(|plan| ranges.add(plan, with))?;
        Some(ranges)
    }

    fn add(&mut self, plan: &Plan, with: Known<'_>) -> Option<()> {
        match &plan.node {
            Node::IndexScan(scan) | Node::IndexOnlyScan(scan) | Node::BitmapIndexScan(scan) => {
                self.add_scan(scan, with)?
            }
            Node::SeqScan(_) if plan.conditions.iter().any(has_parameter) => return None,
            Node::Limit { offset, count, .. } if offset.iter().chain(count).any(has_parameter) => return None,
            _ => {}
        }
        plan.children().try_for_each(|child| self.add(child, with))
    }

    fn add_scan(&mut self, scan: &IndexScan, with: Known<'_>) -> Option<()> {
        let [conditions] = &scan.ranges[..] else {
            return (!scan.index_conditions.iter().any(has_parameter)).then_some(());
        };
        let mut known = Vec::new();
        for condition in conditions {
            match condition {
                IndexCondition::Compare { column, strategy, value, .. } => known.push((*column, *strategy, value)),
                IndexCondition::Any { array: value, .. } if has_parameter(value) => return None,
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
                self.columns.push(ColumnRange { statistics: statistics(scan, column, with)?, bounds });
            }
        }
        Some(())
    }

    /// Does no range have more rows with these values than the plan counts on?
    pub fn are_usual(&self, values: &dyn Values) -> bool {
        self.columns.iter().all(|range| range.is_usual(values))
    }
}

impl ColumnRange {
    fn is_usual(&self, values: &dyn Values) -> bool {
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
            let Some(value) = known else { return false };
            if strategy == strategy::EQUAL {
                let usual = selfuncs::eq_non_const(&self.statistics, false);
                return selfuncs::eq_const(&self.statistics, value, false) <= usual;
            }
            let greater = matches!(strategy, strategy::GREATER | strategy::GREATER_EQUAL);
            let or_equal = matches!(strategy, strategy::LESS_EQUAL | strategy::GREATER_EQUAL);
            let side = if greater { &mut lower } else { &mut upper };
            *side = side.min(selfuncs::inequality(&self.statistics, value, greater, or_equal));
        }
        let usual = if lower < 1.0 && upper < 1.0 { DEFAULT_RANGE } else { DEFAULT_INEQ };
        lower + upper - 1.0 <= usual
    }
}

/// What is known of an index's column.
fn statistics(scan: &IndexScan, column: usize, with: Known<'_>) -> Option<VariableStats> {
    let row = with.catalog.index(scan.index)?;
    let attribute = *row.indkey.get(column)?;
    let pg_attribute = with.catalog.attributes(scan.scan.table).find(|row| row.attnum == attribute)?;
    Some(VariableStats {
        statistics: with.statistics.column(scan.scan.table, attribute),
        unique: row.indisunique && row.indnkeyatts == 1,
        tuples: with.statistics.relation(scan.scan.table)?.rows.unwrap_or_default(),
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
