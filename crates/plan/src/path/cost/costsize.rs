//! What paths cost (PostgreSQL's `costsize.c`), in units of a page read in order. Its formulas and its names.

use std::borrow::Cow;
use std::rc::Rc;

use analyze::query::*;
use catalog::FIRST_NORMAL_OBJECT_ID;
use types::Oid;

use crate::manip;
use crate::path::base::indexcover::{clauses_of_key, is_read_alone};
use crate::path::estimate::clausesel;
use crate::path::estimate::clausesel::For;
use crate::path::estimate::selfuncs;
use crate::path::estimate::selfuncs::clamp_rows;
use crate::path::predtest;
use crate::path::settings::PlannerSettings;
use crate::path::state::*;
use crate::plan::{AggStrategy, JoinKind};
use crate::plancat::PageCosts;
use crate::planner_info::PlannerInfo;

/// Before the first row, and in all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Costs {
    pub startup: f64,
    pub total: f64,
    pub disabled: u32,
}

impl Costs {
    pub fn of(path: &Path) -> Costs {
        Costs { startup: path.startup, total: path.total, disabled: path.disabled }
    }
}

const PAGE: f64 = 8192.0;
const TUPLE_HEADER: f64 = 24.0;

fn align(bytes: f64) -> f64 {
    (bytes / 8.0).ceil() * 8.0
}

/// Bytes of rows in memory (`relation_byte_size`).
pub fn relation_bytes(rows: f64, width: i32) -> f64 {
    rows * (align(f64::from(width)) + TUPLE_HEADER)
}

pub fn page_size(rows: f64, width: i32) -> f64 {
    (relation_bytes(rows, width) / PAGE).ceil()
}

fn work_mem(settings: &PlannerSettings) -> f64 {
    settings.work_mem * 1024.0
}

/// Bytes that a hash table may have.
pub fn hash_mem(settings: &PlannerSettings) -> f64 {
    settings.work_mem * settings.hash_mem_multiplier * 1024.0
}

/// What conditions cost for each row (`cost_qual_eval`).
pub fn qual_cost<'e>(root: &PlannerInfo, exprs: impl IntoIterator<Item = &'e Expr>) -> QualCost {
    let mut cost = QualCost::default();
    exprs.into_iter().for_each(|expr| add_expr_cost(root, expr, &mut cost));
    cost
}

pub fn restrict_cost<'e>(root: &PlannerInfo, clauses: impl IntoIterator<Item = &'e R>) -> QualCost {
    let mut all = QualCost::default();
    for clause in clauses {
        let one = clause.cost.get().unwrap_or_else(|| {
            let mut one = qual_cost(root, [&clause.clause]);
            if clause.pseudoconstant {
                one = QualCost { startup: one.startup + one.per_tuple, per_tuple: 0.0 };
            }
            clause.cost.set(Some(one));
            one
        });
        all.startup += one.startup;
        all.per_tuple += one.per_tuple;
    }
    all
}

fn function_cost(root: &PlannerInfo, function: Oid) -> f64 {
    let cost = root.planner.catalog.function(function).map_or(1.0, |row| f64::from(row.procost));
    cost * root.planner.settings.cpu_operator_cost
}

fn add_expr_cost(root: &PlannerInfo, expr: &Expr, cost: &mut QualCost) {
    let operator_cost = root.planner.settings.cpu_operator_cost;
    let mut add = |per_tuple: f64| cost.per_tuple += per_tuple;
    match expr {
        Expr::Var(_) | Expr::Const(_) | Expr::Param(_) | Expr::RelabelType(_) | Expr::BoolExpr(_) => {}
        Expr::FuncExpr(call) => add(function_cost(root, call.function)),
        Expr::OpExpr(op) | Expr::DistinctExpr(op) | Expr::NullIfExpr(op) => add(function_cost(root, op.function)),
        Expr::ScalarArrayOpExpr(op) => {
            let elements = selfuncs::array_length(root, &op.array);
            let one = function_cost(root, op.function);
            if elements >= LEAST_HASHED && is_hashed(root, op) {
                // A hash and a comparison.
                cost.startup += one * elements;
                cost.per_tuple += 2.0 * one;
            } else {
                add(one * elements * 0.5);
            }
        }
        Expr::Aggref(_) | Expr::WindowFunc(_) | Expr::GroupingFunc(_) => return,
        Expr::CoerceViaIo(e) => {
            let output = root.planner.catalog.pg_type(e.argument.ty().oid).map_or(0, |ty| ty.typoutput);
            let input = root.planner.catalog.pg_type(e.result).map_or(0, |ty| ty.typinput);
            add(function_cost(root, output) + function_cost(root, input));
        }
        Expr::ArrayCoerce(e) => {
            let element = qual_cost(root, [&e.element]);
            cost.startup += element.startup;
            cost.per_tuple += element.per_tuple * selfuncs::array_length(root, &e.argument);
            add_expr_cost(root, &e.argument, cost);
            return;
        }
        Expr::RowCompare(e) => {
            let operators = e.operators.iter().filter_map(|operator| root.planner.catalog.operator(*operator));
            let all: f64 = operators.map(|row| function_cost(root, row.oprcode)).sum();
            add(all);
        }
        Expr::MinMax(_) | Expr::SqlValue(_) | Expr::NextValue { .. } => add(operator_cost),
        Expr::SubPlan(plan) => {
            cost.startup += plan.startup_cost;
            cost.per_tuple += plan.per_call_cost;
            if plan.hashed {
                return;
            }
            plan.arguments.iter().for_each(|argument| add_expr_cost(root, argument, cost));
            return;
        }
        _ => {}
    }
    let cell = std::cell::RefCell::new(cost);
    expr.walk(
        &mut |child| {
            add_expr_cost(root, child, &mut cell.borrow_mut());
            Walk::On
        },
        &mut |_| Walk::On,
    );
}

/// What a target costs, and its bytes (`set_pathtarget_cost_width`).
pub fn set_target_cost(root: &PlannerInfo, target: &mut PathTarget) {
    let mut width = 0i64;
    let mut cost = QualCost::default();
    for expr in &target.exprs {
        width += i64::from(expr_width(root, expr));
        if !matches!(expr, Expr::Var(_)) {
            add_expr_cost(root, expr, &mut cost);
        }
    }
    target.cost = cost;
    target.width = width.clamp(0, i64::from(i32::MAX)) as i32;
}

fn expr_width(root: &PlannerInfo, expr: &Expr) -> i32 {
    if let Expr::Var(var) = expr
        && var.levels_up == 0
        && let Some(Some(rel)) = root.paths.base.get(var.relation.0 as usize)
    {
        let rel = &root.paths.rels[*rel];
        match &root.query.entry(var.relation).kind {
            RangeTableKind::Relation { oid, .. } => {
                if let Some(known) = root.planner.statistics.column(*oid, var.attribute)
                    && known.average_width > 0
                {
                    return known.average_width;
                }
            }
            RangeTableKind::Subquery(_) => {
                if let Some(sub) = &rel.subroot
                    && let Some(path) = sub.paths.result.first()
                    && var.attribute > 0
                    && let Some(expr) = path.target.exprs.get(var.attribute as usize - 1)
                    && matches!(expr, Expr::Var(_))
                {
                    return expr_width(sub, expr);
                }
            }
            _ => {}
        }
    }
    let ty = expr.ty();
    crate::plancat::type_width(root.planner.catalog, ty.oid, ty.typmod)
}

/// So many constants of a list are hashed (`MIN_ARRAY_SIZE_FOR_HASHED_SAOP`).
const LEAST_HASHED: f64 = 9.0;

/// Is a value looked up in a list of constants by its hash, if they are many (`convert_saop_to_hashed_saop`)?
fn is_hashed(root: &PlannerInfo, op: &ScalarArrayOpExpr) -> bool {
    let catalog = root.planner.catalog;
    let equality = if op.any { Some(op.operator) } else { catalog.negator(op.operator) };
    matches!(*op.array, Expr::Const(_))
        && equality.and_then(|operator| catalog.operator(operator)).is_some_and(|row| row.oprcanhash)
}

/// `cost_seqscan`.
pub fn cost_seqscan(root: &PlannerInfo, rel: &RelOptInfo, quals: QualCost, target: &PathTarget, rows: f64) -> Costs {
    let settings = root.planner.settings;
    let startup = quals.startup + target.cost.startup;
    let cpu = (settings.cpu_tuple_cost + quals.per_tuple) * rel.tuples + target.cost.per_tuple * rows;
    let total = startup + cpu + rel.page_costs.sequential * rel.pages;
    Costs { startup, total, disabled: u32::from(!settings.enable_seqscan) }
}

/// Pages that looking up so many rows reads, with a cache (`index_pages_fetched`, Mackert and Lohman).
pub fn index_pages_fetched(root: &PlannerInfo, tuples: f64, pages: f64, index_pages: f64) -> f64 {
    let total = pages.max(1.0);
    let all = (root.paths.total_pages + index_pages).max(1.0);
    let cache = (root.planner.settings.effective_cache_size * total / all).max(1.0).ceil();
    if total <= cache {
        let fetched = (2.0 * total * tuples) / (2.0 * total + tuples);
        if fetched >= total { total } else { fetched.ceil() }
    } else {
        let limit = (2.0 * total * cache) / (2.0 * total - cache);
        let fetched = if tuples <= limit {
            (2.0 * total * tuples) / (2.0 * total + tuples)
        } else {
            cache + (tuples - limit) * (total - cache) / total
        };
        fetched.ceil()
    }
}

/// What reading an index costs (`genericcostestimate`, `btcostestimate`).
pub struct IndexCost {
    pub startup: f64,
    pub total: f64,
    pub selectivity: f64,
    pub correlation: f64,
    pub pages: f64,
}

/// `btcostestimate`; finding the first entry costs what the method says.
pub fn index_cost(root: &PlannerInfo, rel: &RelOptInfo, path: &IndexPath, loops: f64) -> IndexCost {
    let settings = root.planner.settings;
    let index = &path.index.info;
    let quals: Vec<(&IndexClause, &IndexQual)> =
        path.clauses.iter().flat_map(|clause| clause.quals.iter().map(move |qual| (clause, qual))).collect();
    let Bounds { exprs: bound, column, equal_here, all_equal, mut scans, found_array, found_null, found_row } =
        index_bounds(root, &quals);
    let what = For::rel(rel.relation);
    let asked: Vec<&Expr> = quals.iter().map(|(_, qual)| &qual.expr).collect();
    // What the conditions say of the predicate counts once (`add_predicate_to_index_quals`).
    let adds = |part: &&Expr| !predtest::implied_by(root, std::slice::from_ref(*part), &asked);
    let predicate: Vec<&Expr> = path.index.predicate.iter().filter(adds).collect();
    let all_quals = asked.iter().chain(&predicate).copied();
    let selectivity = conditions_selectivity(root, all_quals, what);
    let key_columns = index.columns.len();
    let unique = index.unique
        && !quals.is_empty()
        && column + 1 == key_columns
        && equal_here
        && all_equal
        && !found_array
        && !found_null
        && !found_row;
    let index_tuples = if unique {
        1.0
    } else {
        let bounds = bound.iter().map(|bound| &**bound);
        let bound_selectivity = conditions_selectivity(root, bounds.chain(predicate), what);
        (bound_selectivity * rel.tuples / scans).round_ties_even().max(1.0)
    };
    // As PostgreSQL: no more scans than a third of the leaves.
    scans = scans.min((index.pages * 0.333_333_3).ceil()).max(1.0);
    let index_tuples = index_tuples.min(index.rows.max(1.0));
    let pages =
        if index.pages > 1.0 && index.rows > 1.0 { (index_tuples * index.pages / index.rows).ceil() } else { 1.0 };
    let all_scans = scans * loops;
    let random_page_cost = path.index.random_page_cost;
    let mut total = if all_scans > 1.0 {
        let fetched = index_pages_fetched(root, pages * all_scans, index.pages, index.pages);
        fetched * random_page_cost / loops
    } else {
        pages * random_page_cost
    };
    let others =
        qual_cost(root, quals.iter().map(|(_, qual)| value_of(&qual.kind)).collect::<Vec<_>>().into_iter().flatten());
    let argument_cost = others.startup + others.per_tuple;
    let operator_cost = settings.cpu_operator_cost * quals.len() as f64;
    let mut startup = argument_cost;
    total += argument_cost;
    total += index_tuples * scans * (settings.cpu_index_tuple_cost + operator_cost);
    let descent = index.method.descent_operators(index.rows, index.height) * settings.cpu_operator_cost;
    startup += descent;
    total += scans * descent;
    IndexCost { startup, total, selectivity, correlation: correlation(root, path), pages }
}

/// Conditions that bound the part of an index that is read: equalities on the first columns, and what is on the next.
struct Bounds<'e> {
    exprs: Vec<Cow<'e, Expr>>,
    /// The last column with one.
    column: usize,
    /// It has an equality, and so have all before it.
    equal_here: bool,
    all_equal: bool,
    /// How many parts there are.
    scans: f64,
    found_array: bool,
    found_null: bool,
    found_row: bool,
}

fn index_bounds<'e>(root: &PlannerInfo, quals: &[(&'e IndexClause, &'e IndexQual)]) -> Bounds<'e> {
    let mut exprs: Vec<Cow<'e, Expr>> = Vec::new();
    let (mut column, mut equal_here, mut all_equal) = (0, false, true);
    let (mut scans, mut found_array, mut found_null, mut found_row) = (1.0f64, false, false, false);
    for &(clause, qual) in quals {
        if clause.column != column {
            if !equal_here || clause.column != column + 1 {
                break;
            }
            column = clause.column;
            equal_here = false;
        }
        match &qual.kind {
            QualKind::Compare { strategy, .. } => equal_here |= *strategy == catalog::strategy::EQUAL,
            QualKind::Any { strategy, array, .. } => {
                let elements = selfuncs::array_length(root, array);
                found_array = true;
                if *strategy == catalog::strategy::EQUAL {
                    equal_here = true;
                }
                if elements > 1.0 {
                    scans *= elements;
                }
            }
            QualKind::Null { is_null, .. } => {
                if *is_null {
                    found_null = true;
                    equal_here = true;
                }
            }
            QualKind::Row { .. } => found_row = true,
            QualKind::Or(alternatives) => {
                found_array = true;
                scans *= alternatives.len() as f64;
                exprs.push(Cow::Owned(bounds_of_or(alternatives, column)));
                all_equal = false;
                continue;
            }
        }
        exprs.push(Cow::Borrowed(&qual.expr));
        all_equal &= equal_here;
        if found_row {
            break;
        }
    }
    Bounds { exprs, column, equal_here, all_equal, scans, found_array, found_null, found_row }
}

/// What of an OR bounds the parts of the index that are read: in each of its alternatives, what is on a column, and on the
/// next as far as there are equalities.
fn bounds_of_or(alternatives: &[Vec<IndexQual>], first: usize) -> Expr {
    let bounds = |alternative: &Vec<IndexQual>| {
        let (mut bounds, mut column) = (Vec::new(), first);
        loop {
            let mut equal = false;
            for qual in alternative {
                let (at, strategy) = match qual.kind {
                    QualKind::Compare { column, strategy, .. }
                    | QualKind::Any { column, strategy, .. }
                    | QualKind::Row { column, strategy, .. } => (column, strategy),
                    QualKind::Null { column, is_null: true } => (column, catalog::strategy::EQUAL),
                    QualKind::Null { .. } | QualKind::Or(_) => continue,
                };
                if at == column {
                    equal |= strategy == catalog::strategy::EQUAL;
                    bounds.push(qual.expr.clone());
                }
            }
            if !equal {
                return manip::make_and(bounds).unwrap_or_else(|| manip::make_bool_const(true));
            }
            column += 1;
        }
    };
    let each = alternatives.iter().map(bounds).collect();
    manip::make_bool(BoolOperator::Or, each).unwrap_or_else(|| manip::make_bool_const(false))
}

fn value_of(kind: &QualKind) -> Vec<&Expr> {
    match kind {
        QualKind::Compare { value, .. } => vec![value],
        QualKind::Any { array, .. } => vec![array],
        QualKind::Row { values, .. } => values.iter().collect(),
        QualKind::Null { .. } | QualKind::Or(_) => Vec::new(),
    }
}

/// Of expressions that all have to hold.
fn conditions_selectivity<'e>(root: &PlannerInfo, exprs: impl Iterator<Item = &'e Expr>, what: For) -> f64 {
    let all: Vec<Expr> = exprs.cloned().collect();
    match all.len() {
        0 => 1.0,
        1 => clausesel::clause(root, &all[0], what),
        _ => {
            let and =
                Expr::BoolExpr(BoolExpr { operator: BoolOperator::And, arguments: all, location: Location::NONE });
            clausesel::clause(root, &and, what)
        }
    }
}

/// How much the first column's order is the table's.
fn correlation(root: &PlannerInfo, path: &IndexPath) -> f64 {
    let index = &path.index.info;
    if index.table < FIRST_NORMAL_OBJECT_ID {
        // A catalog's rows are in memory, and no page is far from another.
        return 1.0;
    }
    let Some(first) = index.columns.first() else { return 0.0 };
    let known = if first.attribute > 0 {
        root.planner.statistics.column(index.table, first.attribute)
    } else {
        root.planner.statistics.column(index.oid, 1)
    };
    let Some(correlation) = known.and_then(|known| known.correlation) else { return 0.0 };
    let correlation = if first.descending { -correlation } else { correlation };
    if index.columns.len() > 1 { correlation * 0.75 } else { correlation }
}

/// What a row takes that is found by an index, beside one of a sequential scan, in units of `cpu_tuple_cost`: that goes through
/// pages column by column, this looks each row up for itself. Measured: three to four times as long.
const LOOK_UP: f64 = 2.0;

/// What a path's index scan costs.
pub struct IndexScanCost {
    pub costs: Costs,
    /// What it is to read the index.
    pub index_cost: f64,
    pub selectivity: f64,
    pub reads: HeapReads,
}

/// `cost_index`; `rows`: what the path gives.
pub fn cost_index(
    root: &PlannerInfo,
    rel: &RelOptInfo,
    path: &IndexPath,
    clauses: &[R],
    target: &PathTarget,
    rows: f64,
    loops: f64,
) -> IndexScanCost {
    let settings = root.planner.settings;
    let from_index: Vec<*const RestrictInfo> =
        path.clauses.iter().filter(|clause| !clause.lossy).map(|clause| Rc::as_ptr(&clause.clause)).collect();
    let others: Vec<R> = clauses.iter().filter(|clause| !from_index.contains(&Rc::as_ptr(clause))).cloned().collect();
    let cost = index_cost(root, rel, path, loops);
    let tuples = clamp_rows(cost.selectivity * rel.tuples);
    let mut disabled = u32::from(!settings.enable_indexscan);
    if path.only {
        disabled = u32::from(!settings.enable_indexonlyscan);
    }
    let all_visible = if path.only && is_read_alone(rel, &path.index) { rel.all_visible } else { 0.0 };
    let reads = HeapReads { tuples, correlation: cost.correlation * cost.correlation, all_visible, loops };
    let io = heap_io(root, rel, path.index.info.pages, cost.selectivity, &reads);
    let quals = restrict_cost(root, &others);
    let startup = cost.startup + quals.startup + target.cost.startup;
    let look_up = LOOK_UP * (1.0 - all_visible) * settings.cpu_tuple_cost;
    let cpu = (settings.cpu_tuple_cost + look_up + quals.per_tuple) * tuples + target.cost.per_tuple * rows;
    let total = startup + (cost.total - cost.startup) + io + cpu;
    let early = match others.is_empty() || loops > 1.0 {
        true => 0.0,
        false => early_pages(root, rel, path, rows, &reads) * rel.page_costs.random * (1.0 - reads.correlation),
    };
    let costs = Costs { startup: (startup + early).min(total), total, disabled };
    IndexScanCost { costs, index_cost: cost.total, selectivity: cost.selectivity, reads }
}

impl HeapReads {
    /// How many of these pages are looked at.
    fn seen(&self, pages: f64) -> f64 {
        (pages * (1.0 - self.all_visible)).ceil()
    }
}

/// What it costs each time to read the table's pages that an index leads to: the more often it happens, the more of them are in
/// memory.
fn heap_io(root: &PlannerInfo, rel: &RelOptInfo, index_pages: f64, selectivity: f64, reads: &HeapReads) -> f64 {
    let PageCosts { sequential, random } = rel.page_costs;
    let fetched = |tuples: f64| reads.seen(index_pages_fetched(root, tuples, rel.pages, index_pages));
    let loops = reads.loops.max(1.0);
    let max = fetched(reads.tuples * loops) * random / loops;
    let pages = (selectivity * rel.pages).ceil();
    let min = if loops > 1.0 {
        fetched(pages * loops) * random / loops
    } else {
        let pages = reads.seen(pages);
        if pages > 0.0 { random + (pages - 1.0) * sequential } else { 0.0 }
    };
    max + reads.correlation * (min - max)
}

/// Of smaller tables, in pages, all pages are soon in memory.
const MANY_PAGES: f64 = 1024.0;

/// What an index scan costs more each time if it runs less often than was counted: that was how many rows the relation has
/// which it gets its values from (`get_loop_count`), and a join with others may leave few of them. PostgreSQL takes the first
/// count in any case; TPC-H's query 7 reads 140,000 pages anywhere then, where all of them in order would take a third of the time.
pub fn io_of_fewer_loops(root: &PlannerInfo, path: &Path, loops: f64) -> f64 {
    let PathNode::Index(index) = &path.node else { return 0.0 };
    let rel = &root.paths.rels[path.rel];
    if path.param.is_none() || loops >= index.reads.loops || rel.pages < MANY_PAGES {
        return 0.0;
    }
    let io = |reads: &HeapReads| heap_io(root, rel, index.index.info.pages, index.selectivity, reads);
    io(&HeapReads { loops, ..index.reads }) - io(&index.reads)
}

/// The pages beyond their share that the first rows of a scan lead to, where no more are wanted and others are passed over on the
/// way to them: 2,000 rows of 500,000 lie on almost as many pages, but 0.4 % of all pages would be counted. As a cost before the
/// first row, it makes up for counting the rest by its share. Of a query of one table alone it is known how many rows are wanted.
fn early_pages(root: &PlannerInfo, rel: &RelOptInfo, path: &IndexPath, rows: f64, reads: &HeapReads) -> f64 {
    let query = &root.query;
    let all_are_read = !query.group_clause.is_empty()
        || query.has_aggregates
        || query.has_window_functions
        || !matches!(query.distinct, Distinct::None);
    let wanted = root.paths.tuple_fraction;
    let fraction = if wanted >= 1.0 { wanted / rows } else { wanted };
    if all_are_read || root.paths.all != rel.relids || fraction <= 0.0 || fraction >= 1.0 {
        return 0.0;
    }
    let pages = |tuples: f64| reads.seen(index_pages_fetched(root, tuples, rel.pages, path.index.info.pages));
    (pages(reads.tuples * fraction) - pages(reads.tuples) * fraction).max(0.0) / (1.0 - fraction)
}

/// Sorting (`cost_sort`): beyond its input's cost.
pub fn cost_sort(settings: &PlannerSettings, input: Costs, rows: f64, width: i32, limit: f64) -> Costs {
    let sort = tuplesort(settings, rows, width, limit);
    Costs {
        startup: input.total + sort.0,
        total: input.total + sort.0 + sort.1,
        disabled: input.disabled + u32::from(!settings.enable_sort),
    }
}

/// Before the first row, and for giving them all.
fn tuplesort(settings: &PlannerSettings, rows: f64, width: i32, limit: f64) -> (f64, f64) {
    let rows = rows.max(2.0);
    let input = relation_bytes(rows, width);
    let comparison = 2.0 * settings.cpu_operator_cost;
    let (output_rows, output) =
        if limit > 0.0 && limit < rows { (limit, relation_bytes(limit, width)) } else { (rows, input) };
    let memory = work_mem(settings);
    let startup = if output > memory {
        let pages = (input / PAGE).ceil();
        let runs = input / memory;
        let order = merge_order(memory);
        let passes = if runs > order { (runs.ln() / order.ln()).ceil() } else { 1.0 };
        let accesses = 2.0 * pages * passes;
        comparison * rows * rows.log2() + accesses * (settings.seq_page_cost * 0.75 + settings.random_page_cost * 0.25)
    } else if rows > 2.0 * output_rows || input > memory {
        comparison * rows * (2.0 * output_rows).log2()
    } else {
        comparison * rows * rows.log2()
    };
    (startup, settings.cpu_operator_cost * rows)
}

fn merge_order(memory: f64) -> f64 {
    (memory / (2.0 * PAGE + 32.0 * PAGE)).floor().clamp(6.0, 500.0)
}

/// `cost_incremental_sort`; `groups`: how many rows with the same presorted keys there are.
pub fn cost_incremental_sort(
    settings: &PlannerSettings,
    input: Costs,
    rows: f64,
    groups: f64,
    width: i32,
    limit: f64,
) -> Costs {
    let input_run = input.total - input.startup;
    let rows = rows.max(2.0);
    let group_rows = rows / groups;
    let group_run = input_run / groups;
    let (start, run) = tuplesort(settings, group_rows, width, limit);
    let startup = start + input.startup + group_run;
    let mut total = run + (run + start) * (groups - 1.0) + group_run * (groups - 1.0);
    total += (settings.cpu_tuple_cost + 2.0 * settings.cpu_operator_cost) * rows;
    total += 2.0 * settings.cpu_tuple_cost * groups;
    Costs { startup, total: startup + total, disabled: input.disabled }
}

/// `cost_material`.
pub fn cost_material(settings: &PlannerSettings, input: Costs, rows: f64, width: i32) -> Costs {
    let mut run = input.total - input.startup + 2.0 * settings.cpu_operator_cost * rows;
    let bytes = relation_bytes(rows, width);
    if bytes > work_mem(settings) {
        run += settings.seq_page_cost * (bytes / PAGE).ceil();
    }
    Costs {
        startup: input.startup,
        total: input.startup + run,
        disabled: input.disabled + u32::from(!settings.enable_material),
    }
}

/// Reading a child again that is kept, or is run again (`cost_rescan`): startup, total.
pub fn cost_rescan(root: &PlannerInfo, path: &Path) -> (f64, f64) {
    let settings = root.planner.settings;
    match &path.node {
        PathNode::Function => (0.0, path.total - path.startup),
        PathNode::HashJoin { .. } => (path.startup, path.total),
        PathNode::Cte | PathNode::WorkTable => {
            let mut run = settings.cpu_tuple_cost * path.rows;
            let bytes = relation_bytes(path.rows, path.target.width);
            if bytes > work_mem(settings) {
                run += settings.seq_page_cost * (bytes / PAGE).ceil();
            }
            (0.0, run)
        }
        PathNode::Material(_) | PathNode::Sort(_) => {
            let mut run = settings.cpu_operator_cost * path.rows;
            let bytes = relation_bytes(path.rows, path.target.width);
            if bytes > work_mem(settings) {
                run += settings.seq_page_cost * (bytes / PAGE).ceil();
            }
            (0.0, run)
        }
        _ => (path.startup, path.total),
    }
}

/// What aggregates cost for each row, and for each group (`AggClauseCosts`).
#[derive(Clone, Copy, Debug, Default)]
pub struct AggCosts {
    pub transition: QualCost,
    pub last: QualCost,
    pub count: f64,
    /// Bytes of all states.
    pub space: f64,
}

pub struct AggInput {
    pub strategy: AggStrategy,
    pub costs: AggCosts,
    pub keys: f64,
    pub groups: f64,
    pub input: Costs,
    pub rows: f64,
    pub width: i32,
}

/// `cost_agg`; the rows that it gives too.
pub fn cost_agg(root: &PlannerInfo, agg: AggInput, having: &[Expr]) -> (Costs, f64) {
    let settings = root.planner.settings;
    let AggInput { strategy, costs, keys, groups, input, rows, width } = agg;
    let mut disabled = input.disabled;
    let (mut startup, mut total, mut output) = match strategy {
        AggStrategy::Plain => {
            let startup = input.total
                + costs.transition.startup
                + costs.transition.per_tuple * rows
                + costs.last.startup
                + costs.last.per_tuple;
            (startup, startup + settings.cpu_tuple_cost, 1.0)
        }
        AggStrategy::Sorted => {
            let total = input.total
                + costs.transition.startup
                + costs.transition.per_tuple * rows
                + settings.cpu_operator_cost * keys * rows
                + costs.last.startup
                + costs.last.per_tuple * groups
                + settings.cpu_tuple_cost * groups;
            (input.startup, total, groups)
        }
        AggStrategy::Hashed => {
            disabled += u32::from(!settings.enable_hashagg);
            let startup = input.total
                + costs.transition.startup
                + costs.transition.per_tuple * rows
                + settings.cpu_operator_cost * keys * rows
                + costs.last.startup;
            let total = startup + costs.last.per_tuple * groups + settings.cpu_tuple_cost * groups;
            (startup, total, groups)
        }
    };
    if strategy == AggStrategy::Hashed {
        let entry = hash_entry_size(costs.count, width, costs.space);
        let memory = hash_mem(settings);
        let limit = (memory / entry).max(1.0);
        let batches = ((groups * entry / memory).max(groups / limit)).max(1.0).ceil();
        if batches > 1.0 {
            let partitions = batches.clamp(2.0, 256.0);
            let depth = (batches.ln() / partitions.ln()).ceil();
            let pages = (relation_bytes(rows, width) / PAGE).ceil();
            let written = pages * depth * 2.0;
            startup += written * settings.random_page_cost;
            total += written * settings.random_page_cost + pages * depth * 2.0 * settings.seq_page_cost;
            let spill = depth * rows * 2.0 * settings.cpu_tuple_cost;
            startup += spill;
            total += spill;
        }
    }
    if !having.is_empty() {
        let cost = qual_cost(root, having);
        startup += cost.startup;
        total += cost.startup + output * cost.per_tuple;
        let and = crate::path::clauses::and_of(having.to_vec());
        output = clamp_rows(output * clausesel::clause(root, &and, For::rel(RangeTableIndex(0))));
    }
    (Costs { startup, total, disabled }, output)
}

/// Bytes of a group in a hash table (`hash_agg_entry_size`). The executor's groups lie column by column behind a table of their
/// numbers, so that each takes half of what PostgreSQL's rows do.
pub fn hash_entry_size(aggregates: f64, width: i32, space: f64) -> f64 {
    24.0 + align(f64::from(width)) + 16.0 * aggregates + space
}

/// `cost_windowagg`.
pub fn cost_windowagg(
    root: &PlannerInfo,
    calls: &[&WindowFunc],
    input: Costs,
    rows: f64,
    keys: usize,
    startup_rows: f64,
) -> Costs {
    let settings = root.planner.settings;
    let mut total = input.total;
    for call in calls {
        let arguments = qual_cost(root, call.arguments.iter().chain(&call.filter));
        let function = function_cost(root, call.function);
        total += arguments.startup + rows * (function + arguments.per_tuple);
    }
    total += settings.cpu_operator_cost * keys as f64 * rows + settings.cpu_tuple_cost * rows;
    let mut startup = input.startup;
    if startup_rows > 1.0 {
        startup += (total - startup) / rows * (startup_rows - 1.0);
    }
    Costs { startup, total, disabled: input.disabled }
}

/// Rows that a join of relations gives (`calc_joinrel_size_estimate`).
pub fn join_size(
    root: &PlannerInfo,
    outer: f64,
    inner: f64,
    join: &SpecialJoinInfo,
    clauses: &[R],
    relids: crate::path::relset::Rels,
) -> f64 {
    let kind = join.kind;
    let what = For::join(join, kind, inner);
    let pairs = |clauses: &[R]| match kind {
        JoinKind::Inner | JoinKind::Left | JoinKind::Full => {
            let (keys, others) = without_keys(root, clauses, relids);
            keys * clausesel::clauselist(root, &others, what)
        }
        _ => clausesel::clauselist(root, clauses, what),
    };
    let (own, pushed) = if is_outer_join(kind) {
        let (pushed, own): (Vec<R>, Vec<R>) =
            clauses.iter().cloned().partition(|clause| is_pushed_down(clause, relids));
        (pairs(&own), clausesel::clauselist(root, &pushed, what))
    } else {
        (pairs(clauses), 0.0)
    };
    let rows = match kind {
        JoinKind::Inner => outer * inner * own,
        JoinKind::Left => (outer * inner * own).max(outer) * pushed,
        JoinKind::Full => (outer * inner * own).max(outer).max(inner) * pushed,
        JoinKind::Semi => outer * own,
        JoinKind::Anti => outer * (1.0 - own) * pushed,
        _ => outer * inner * own,
    };
    clamp_rows(rows)
}

/// What clauses leave of all pairs that say together what a unique key of several columns is equal to, and the other clauses: who
/// has a key's values has them of a row, as a rule. PostgreSQL thinks so where a foreign key says it, and else takes the columns for
/// independent: TPC-H's query 9 has 96 rows then in place of 319,404.
fn without_keys(root: &PlannerInfo, clauses: &[R], relids: crate::path::relset::Rels) -> (f64, Vec<R>) {
    let (mut part, mut others) = (1.0, clauses.to_vec());
    if clauses.len() < 2 {
        return (part, others);
    }
    let mut keys = Vec::new();
    for relation in relids.iter() {
        let Some(rel) = root.paths.base.get(relation.0 as usize).copied().flatten() else { continue };
        let rel = &root.paths.rels[rel];
        let wide = rel.indexes.iter().filter(|index| index.columns.len() > 1 && rel.tuples >= 1.0);
        keys.extend(wide.filter_map(|index| Some((rel.tuples, clauses_of_key(rel, index, clauses)?))));
    }
    // Where both sides have the key, the larger one has rows for all of the other.
    keys.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    for (tuples, of_key) in keys {
        let is_left = |one: &R| others.iter().any(|clause| Rc::ptr_eq(clause, one));
        if of_key.iter().all(is_left) {
            others.retain(|clause| !of_key.iter().any(|one| Rc::ptr_eq(one, clause)));
            part /= tuples;
        }
    }
    (part, others)
}

pub fn is_outer_join(kind: JoinKind) -> bool {
    matches!(kind, JoinKind::Left | JoinKind::Full | JoinKind::Right | JoinKind::Anti | JoinKind::RightAnti)
}

/// `RINFO_IS_PUSHED_DOWN`.
pub fn is_pushed_down(clause: &R, join: crate::path::relset::Rels) -> bool {
    clause.pushed_down || !clause.required.is_subset(join)
}

/// How large a hash table for rows is: buckets, batches (`ExecChooseHashTableSize`).
pub fn hash_table_size(settings: &PlannerSettings, rows: f64, width: i32) -> (f64, f64) {
    let rows = if rows <= 0.0 { 1000.0 } else { rows };
    let tuple = 16.0 + align(f64::from(width)) + 16.0;
    let bytes = rows * tuple;
    let memory = hash_mem(settings);
    let power = |n: f64| 2f64.powf(n.max(1.0).log2().ceil());
    let most_pointers = 2f64.powf((memory / 8.0).log2().floor());
    let buckets = power(rows.min(most_pointers)).max(1024.0);
    if bytes + buckets * 8.0 <= memory {
        return (buckets, 1.0);
    }
    let bucket_size = tuple + 8.0;
    let buckets = power((memory / bucket_size).min(most_pointers)).max(1024.0);
    let bucket_bytes = buckets * 8.0;
    let batches = power((bytes / (memory - bucket_bytes).max(memory / 2.0)).ceil()).max(2.0);
    (buckets, batches)
}
