//! How much of the values of texts and bytes a plan needs.
//!
//! Which columns are passed on as they are stored: sorts, joins, limits give most columns on as they are: those that may have
//! long values go through them as bytes with pointers (PostgreSQL's toast pointers; [`StoredBatch::with_pointers`]), and the
//! values are fetched, through one read-ahead for many rows, where rows leave the last of these nodes
//! ([`nodes::detoast`](crate::nodes::around::detoast)). So `ORDER BY … LIMIT 10` reads ten documents. To the nodes between such a column
//! is one of bytes ([`Repr::Bytea`]).
//!
//! Which columns are only tested for NULL (`w IS NULL`, `count(w)`): their values are not read at all. To the nodes up to the test
//! such a column is a Boolean, `true` or NULL.
//!
//! Found out once for a plan, before it is compiled.
//!
//! # Invariants
//! * No expression but a plain column of a node's targets, or a test for NULL, names such a column, nor is it a key of anything.
//! * Of rows that may be looked at again (FOR UPDATE, changes) none leaves the node that reads it: these are read one by one.
//! * The snapshot by which a row was read keeps what its pointers lead to, for as long as the statement runs.
//!
//! [`StoredBatch::with_pointers`]: access::StoredBatch::with_pointers

use std::collections::HashMap;

use analyze::query::{Aggref, Expr, RangeTableIndex, Walk};
use arrow_schema::DataType;
use plan::plan::{GroupKey, INNER, Join, Node, OUTER, Plan, PlannedStmt, Scan, SortKey};
use types::{Oid, Repr, Result};

use crate::compile::facts::Facts;
use crate::compile::walk;
use crate::compile::walk::attributes_of;

/// A column that leaves a node as it is stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StoredColumn {
    /// Among the node's targets, from 0.
    pub target: usize,
    pub table: Oid,
    /// What it is otherwise.
    pub repr: Repr,
}

/// The attributes that a scan reads otherwise than they are.
#[derive(Default)]
pub struct ReadColumns {
    /// Those that it gives as they are stored.
    pub as_stored: Vec<i16>,
    /// Those that are only tested for NULL.
    pub tested: Vec<i16>,
}

/// `count("any")` in PostgreSQL's `pg_proc`.
const COUNT_ANY: Oid = 2147;

const ALL_AS_THEY_ARE: &ReadColumns = &ReadColumns { as_stored: Vec::new(), tested: Vec::new() };

/// For a statement's plans, by their addresses.
#[derive(Default)]
pub struct LateDetoast {
    /// Rows may be looked at again.
    rechecks: bool,
    scans: HashMap<*const Plan, ReadColumns>,
    /// The columns whose values are fetched when rows leave a node.
    ends: HashMap<*const Plan, Vec<StoredColumn>>,
}

/// What a node says of its columns: the node above may take them as they are stored.
struct Above<'a> {
    passes_on: &'a dyn Fn(usize) -> bool,
    /// The node above asks no more of a column than whether it is NULL.
    tests: &'a dyn Fn(usize) -> bool,
    /// Fewer rows may leave the nodes above than come to them, or in another order: otherwise nothing is won.
    selects: bool,
}

const NOTHING_ABOVE: Above<'static> = Above { passes_on: &|_| false, tests: &|_| false, selects: false };

impl LateDetoast {
    /// `rechecks`: rows may be looked at again.
    pub fn of(planned: &PlannedStmt, facts: &dyn Facts, rechecks: bool) -> Result<LateDetoast> {
        let mut found = LateDetoast { rechecks, ..LateDetoast::default() };
        for plan in planned.sub_plans.iter().chain([&planned.plan]) {
            found.node(plan, facts, &NOTHING_ABOVE)?;
        }
        Ok(found)
    }

    /// What a scan reads otherwise than it is.
    pub fn of_scan(&self, plan: &Plan) -> &ReadColumns {
        self.scans.get(&std::ptr::from_ref(plan)).unwrap_or(ALL_AS_THEY_ARE)
    }

    /// The columns whose values are fetched when rows leave a node.
    pub fn ending_at(&self, plan: &Plan) -> &[StoredColumn] {
        self.ends.get(&std::ptr::from_ref(plan)).map_or(&[], Vec::as_slice)
    }

    /// The columns that leave a node as they are stored.
    fn node(&mut self, plan: &Plan, facts: &dyn Facts, above: &Above<'_>) -> Result<Vec<StoredColumn>> {
        syntax::with_stack_for(8, || self.node_within(plan, facts, above))
    }

    fn node_within(&mut self, plan: &Plan, facts: &dyn Facts, above: &Above<'_>) -> Result<Vec<StoredColumn>> {
        match &plan.node {
            Node::SeqScan(scan) => return self.scan(plan, scan, facts, above),
            Node::IndexScan(node) => return self.scan(plan, &node.scan, facts, above),
            // Those below it give no rows.
            Node::BitmapHeapScan { scan, .. } => return self.scan(plan, scan, facts, above),
            _ => {}
        }
        let children = if self.rechecks { Vec::new() } else { passing(plan) };
        for child in plan.children().filter(|child| children.iter().all(|passed| !std::ptr::eq(passed.plan, *child))) {
            self.node(child, facts, &NOTHING_ABOVE)?;
        }
        let selects = above.selects || selects(plan);
        let mut leaving = Vec::new();
        for child in children {
            let asked = asked(plan, child.entry, &child.keys);
            // The targets that are no more than a column of the child.
            let given = |column: usize| {
                let is_it = move |expr: &Expr| plain(expr, child.entry) == Some(column as i16 + 1);
                let targets = plan.targets.iter().enumerate();
                targets.filter(move |(_, target)| is_it(&target.expr)).map(|(target, _)| target)
            };
            let is_not_asked = |column: usize| !asked.contains(&0) && !asked.contains(&(column as i16 + 1));
            let passes_on = |column: usize| child.is_passed_on && is_not_asked(column);
            let tests = |column: usize| is_not_asked(column) && given(column).all(above.tests);
            for column in self.node(child.plan, facts, &Above { passes_on: &passes_on, tests: &tests, selects })? {
                leaving.extend(given(column.target).map(|target| StoredColumn { target, ..column }));
            }
        }
        let (leaving, ending): (Vec<_>, Vec<_>) =
            leaving.into_iter().partition(|column| (above.passes_on)(column.target));
        if !ending.is_empty() {
            self.ends.insert(plan, ending);
        }
        Ok(leaving)
    }

    fn scan(&mut self, plan: &Plan, scan: &Scan, facts: &dyn Facts, above: &Above<'_>) -> Result<Vec<StoredColumn>> {
        let mut asked = asked(plan, scan.relation, &[]);
        if scan.table < catalog::FIRST_NORMAL_OBJECT_ID || asked.contains(&0) {
            return Ok(Vec::new());
        }
        let given = |target: usize| plain(&plan.targets[target].expr, scan.relation);
        let targets = 0..plan.targets.len();
        // Where one is not only tested, none of the same column is.
        let more = targets.clone().filter(|&target| !(above.tests)(target)).filter_map(given);
        let more: Vec<i16> = more.chain(asked.iter().copied()).collect();
        let mut tested: Vec<i16> = targets.clone().filter_map(given).collect();
        exprs(plan, scan.relation).for_each(|expr| attributes_of(expr, scan.relation, &mut tested));
        tested.retain(|attribute| *attribute > 0 && !more.contains(attribute));
        let passes_on = above.selects && facts.has_long_values(scan.table);
        if tested.is_empty() && !passes_on {
            return Ok(Vec::new());
        }
        // What is no table (a sequence) has no such columns.
        let Ok(columns) = facts.columns(scan.table) else { return Ok(Vec::new()) };
        let column = |attribute: i16| &columns[attribute as usize - 1];
        let is_variable = |attribute: i16| matches!(column(attribute).repr.arrow(), DataType::Utf8 | DataType::Binary);
        tested.retain(|&attribute| is_variable(attribute));
        let mut read = ReadColumns { as_stored: Vec::new(), tested };
        let mut leaving = Vec::new();
        if passes_on {
            // Where one is not passed on, none of the same column is.
            asked.extend(targets.clone().filter(|&target| !(above.passes_on)(target)).filter_map(given));
            for target in targets {
                let Some(attribute @ 1..) = given(target) else { continue };
                let may_be_long = is_variable(attribute) && column(attribute).padded.is_none();
                if may_be_long && !asked.contains(&attribute) && !read.tested.contains(&attribute) {
                    read.as_stored.push(attribute);
                    leaving.push(StoredColumn { target, table: scan.table, repr: column(attribute).repr });
                }
            }
        }
        self.scans.insert(plan, read);
        Ok(leaving)
    }
}

/// A node's child whose columns it may pass on, or only test for NULL.
struct Passed<'p> {
    plan: &'p Plan,
    /// What the node's expressions name it by.
    entry: RangeTableIndex,
    /// The columns that the node looks at beside its expressions, from 1.
    keys: Vec<i16>,
    /// The node passes columns on, unless it asks for them.
    is_passed_on: bool,
}

impl<'p> Passed<'p> {
    fn new(plan: &'p Plan, entry: RangeTableIndex, keys: impl IntoIterator<Item = i16>) -> Passed<'p> {
        Passed { plan, entry, keys: keys.into_iter().collect(), is_passed_on: true }
    }
}

/// The children whose columns a node may pass on or only test.
fn passing(plan: &Plan) -> Vec<Passed<'_>> {
    let sorted = |keys: &[SortKey]| keys.iter().map(|key| key.column).collect::<Vec<_>>();
    let grouped = |keys: &[GroupKey]| keys.iter().map(|key| key.column).collect::<Vec<_>>();
    match &plan.node {
        Node::Sort { child, keys } | Node::IncrementalSort { child, keys, .. } => {
            vec![Passed::new(child, OUTER, sorted(keys))]
        }
        Node::Unique { child, columns } => vec![Passed::new(child, OUTER, grouped(columns))],
        Node::Limit { child, with_ties, .. } => {
            vec![Passed::new(child, OUTER, grouped(with_ties.as_deref().unwrap_or_default()))]
        }
        Node::WindowAgg(node) => {
            let keys = [grouped(&node.partition), sorted(&node.order), grouped(&node.peers)].concat();
            vec![Passed::new(&node.child, OUTER, keys)]
        }
        Node::Result { child: Some(child), .. } | Node::Material { child } => vec![Passed::new(child, OUTER, [])],
        Node::SubqueryScan { child, relation } => vec![Passed::new(child, *relation, [])],
        Node::Agg(node) => {
            // Columns of groups are gathered.
            let grouped = grouped(&node.keys).into_iter();
            let gathered = plan.targets.iter().filter_map(|target| plain(&target.expr, OUTER));
            let passed = Passed::new(&node.child, OUTER, grouped.chain(gathered));
            vec![Passed { is_passed_on: false, ..passed }]
        }
        Node::HashJoin(node) => of_join(&node.join),
        Node::MergeJoin(node) => of_join(&node.join),
        Node::NestLoop(node) => {
            let given = node.parameters.iter().map(|(_, var)| var.attribute);
            vec![Passed::new(&node.join.outer, OUTER, given), Passed::new(&node.join.inner, INNER, [])]
        }
        _ => Vec::new(),
    }
}

fn of_join(join: &Join) -> Vec<Passed<'_>> {
    vec![Passed::new(&join.outer, OUTER, []), Passed::new(&join.inner, INNER, [])]
}

/// May fewer rows leave a node than come to it, or in another order?
fn selects(plan: &Plan) -> bool {
    let is_simple = matches!(plan.node, Node::Result { .. } | Node::SubqueryScan { .. } | Node::Material { .. });
    !is_simple || !plan.conditions.is_empty()
}

/// The attribute of an entry that an expression is, if it is nothing else.
fn plain(expr: &Expr, entry: RangeTableIndex) -> Option<i16> {
    match expr {
        Expr::Var(var) if var.relation == entry && var.levels_up == 0 => Some(var.attribute),
        _ => None,
    }
}

/// The expressions of a node but for targets that are no more than a column of an entry.
fn exprs(plan: &Plan, entry: RangeTableIndex) -> impl Iterator<Item = &Expr> {
    let again = match &plan.node {
        Node::IndexScan(node) => node.index_conditions.as_slice(),
        _ => &[],
    };
    let targets = plan.targets.iter().map(|target| &target.expr);
    targets.filter(move |expr| !matches!(plain(expr, entry), Some(1..))).chain(walk::asked_of(plan)).chain(again)
}

/// The attributes of an entry of which a node asks more than whether they are NULL, but for targets that are no more than one;
/// 0: all of them.
fn asked(plan: &Plan, entry: RangeTableIndex, keys: &[i16]) -> Vec<i16> {
    let mut asked = keys.to_vec();
    exprs(plan, entry).for_each(|expr| not_only_tested(expr, entry, &mut asked));
    asked
}

/// The attributes of an entry of which an expression asks more than whether they are NULL.
fn not_only_tested(expr: &Expr, entry: RangeTableIndex, found: &mut Vec<i16>) {
    match expr {
        Expr::NullTest(test) if !test.row && matches!(plain(&test.argument, entry), Some(1..)) => {}
        Expr::Aggref(call) if is_count_of_column(call, entry) => {
            call.filter.iter().for_each(|filter| not_only_tested(filter, entry, found));
        }
        Expr::Var(_) => attributes_of(expr, entry, found),
        _ => {
            let mut each = |child: &Expr| {
                not_only_tested(child, entry, found);
                Walk::On
            };
            expr.walk(&mut each, &mut |_| Walk::On);
        }
    }
}

/// Is it `count(column)`? It counts what is not NULL.
fn is_count_of_column(call: &Aggref, entry: RangeTableIndex) -> bool {
    let is_column = |argument: &Expr| matches!(plain(argument, entry), Some(1..));
    call.function == COUNT_ANY
        && !call.distinct
        && call.order.is_empty()
        && matches!(&call.arguments[..], [only] if is_column(only))
}
