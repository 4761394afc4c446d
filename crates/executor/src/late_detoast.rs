//! Which columns are passed on as they are stored. Sorts, joins, limits give most columns on as they are: those that may have
//! long values go through them as bytes with pointers (PostgreSQL's toast pointers; [`StoredBatch::with_pointers`]), and the
//! values are fetched, through one read-ahead for many rows, where rows leave the last of these nodes
//! ([`nodes::detoast`](crate::nodes::detoast)). So `ORDER BY … LIMIT 10` reads ten documents.
//!
//! Found out once for a plan, before it is compiled. To the nodes between such a column is one of bytes
//! ([`Repr::Bytea`]).
//!
//! # Invariants
//! * No expression but a plain column of a node's targets names such a column, nor is it a key of anything.
//! * Rows that may be looked at again (FOR UPDATE, changes) have none: these are read one by one.
//! * The snapshot by which a row was read keeps what its pointers lead to, for as long as the statement runs.
//!
//! [`StoredBatch::with_pointers`]: access::StoredBatch::with_pointers

use std::collections::HashMap;

use analyze::query::{Expr, RangeTableIndex};
use arrow_schema::DataType;
use plan::plan::{GroupKey, INNER, Join, Node, OUTER, Plan, PlannedStmt, Scan, SortKey};
use types::{Oid, Repr, Result};

use crate::facts::Facts;
use crate::nodes::scan::attributes_of;
use crate::walk;

/// A column that leaves a node as it is stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StoredColumn {
    /// Among the node's targets, from 0.
    pub target: usize,
    pub table: Oid,
    /// What it is otherwise.
    pub repr: Repr,
}

/// For a statement's plans, by their addresses.
#[derive(Default)]
pub struct LateDetoast {
    /// The attributes that scans give as they are stored.
    scans: HashMap<*const Plan, Vec<i16>>,
    /// The columns whose values are fetched when rows leave a node.
    ends: HashMap<*const Plan, Vec<StoredColumn>>,
}

/// What a node says of its columns: who is above may take them as they are stored.
struct Above<'a> {
    passes_on: &'a dyn Fn(usize) -> bool,
    /// Fewer rows may leave the nodes above than come to them, or in another order: otherwise nothing is won.
    selects: bool,
}

const NOBODY: Above<'static> = Above { passes_on: &|_| false, selects: false };

impl LateDetoast {
    pub fn of(planned: &PlannedStmt, facts: &dyn Facts) -> Result<LateDetoast> {
        let mut found = LateDetoast::default();
        for plan in planned.sub_plans.iter().chain([&planned.plan]) {
            found.node(plan, facts, &NOBODY)?;
        }
        Ok(found)
    }

    /// The attributes that a scan gives as they are stored.
    pub fn of_scan(&self, plan: &Plan) -> &[i16] {
        self.scans.get(&std::ptr::from_ref(plan)).map_or(&[], Vec::as_slice)
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
        let children = passing(plan);
        for child in plan.children().filter(|child| children.iter().all(|passed| !std::ptr::eq(passed.plan, *child))) {
            self.node(child, facts, &NOBODY)?;
        }
        let selects = above.selects || selects(plan);
        let mut leaving = Vec::new();
        for child in children {
            let asked = asked(plan, child.entry, &child.keys);
            let passes_on = |target: usize| !asked.contains(&0) && !asked.contains(&(target as i16 + 1));
            for column in self.node(child.plan, facts, &Above { passes_on: &passes_on, selects })? {
                let is_it = |expr: &Expr| plain(expr, child.entry) == Some(column.target as i16 + 1);
                let targets = plan.targets.iter().enumerate().filter(|(_, target)| is_it(&target.expr));
                leaving.extend(targets.map(|(target, _)| StoredColumn { target, ..column }));
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
        if !above.selects || scan.table < catalog::FIRST_NORMAL_OBJECT_ID || !facts.has_long_values(scan.table) {
            return Ok(Vec::new());
        }
        let columns = facts.columns(scan.table)?;
        let mut asked = asked(plan, scan.relation, &[]);
        // Where one is not passed on, none of the same column is.
        for (target, entry) in plan.targets.iter().enumerate() {
            asked.extend(plain(&entry.expr, scan.relation).filter(|_| !(above.passes_on)(target)));
        }
        let mut leaving = Vec::new();
        for (target, entry) in plan.targets.iter().enumerate() {
            let Some(attribute @ 1..) = plain(&entry.expr, scan.relation) else { continue };
            let column = &columns[attribute as usize - 1];
            let may_be_long = matches!(column.repr.arrow(), DataType::Utf8 | DataType::Binary);
            if may_be_long && column.padded.is_none() && !asked.contains(&0) && !asked.contains(&attribute) {
                leaving.push((attribute, StoredColumn { target, table: scan.table, repr: column.repr }));
            }
        }
        self.scans.insert(plan, leaving.iter().map(|(attribute, _)| *attribute).collect());
        Ok(leaving.into_iter().map(|(_, column)| column).collect())
    }
}

/// A node's child whose columns it may pass on.
struct Passed<'p> {
    plan: &'p Plan,
    /// What the node's expressions name it by.
    entry: RangeTableIndex,
    /// The columns that the node looks at beside its expressions, from 1.
    keys: Vec<i16>,
}

impl<'p> Passed<'p> {
    fn new(plan: &'p Plan, entry: RangeTableIndex, keys: impl IntoIterator<Item = i16>) -> Passed<'p> {
        Passed { plan, entry, keys: keys.into_iter().collect() }
    }
}

/// The children whose columns a node may pass on.
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

/// The attributes of an entry that a node does something with, but for targets that are no more than one; 0: all of them.
fn asked(plan: &Plan, entry: RangeTableIndex, keys: &[i16]) -> Vec<i16> {
    let mut asked = keys.to_vec();
    let targets =
        plan.targets.iter().map(|target| &target.expr).filter(|expr| !matches!(plain(expr, entry), Some(1..)));
    let again = match &plan.node {
        Node::IndexScan(node) => node.index_conditions.as_slice(),
        _ => &[],
    };
    targets.chain(walk::asked_of(plan)).chain(again).for_each(|expr| attributes_of(expr, entry, &mut asked));
    asked
}
