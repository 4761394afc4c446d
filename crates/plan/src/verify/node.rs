//! What each node says of its children, tables and indexes.

use analyze::query::*;
use analyze::verify::{Checked, comparison, holds, operator};
use types::{Oid, oid};

use super::Verifier;
use super::columns::Rows;
use crate::plan::*;

/// A node's name, without what is in it.
pub fn name(plan: &Plan) -> &'static str {
    match &plan.node {
        Node::Result { .. } => "Result",
        Node::ProjectSet { .. } => "ProjectSet",
        Node::ModifyTable(_) => "ModifyTable",
        Node::Append { .. } => "Append",
        Node::MergeAppend { .. } => "MergeAppend",
        Node::RecursiveUnion(_) => "RecursiveUnion",
        Node::SeqScan(_) => "SeqScan",
        Node::IndexScan(_) => "IndexScan",
        Node::IndexOnlyScan(_) => "IndexOnlyScan",
        Node::BitmapHeapScan { .. } => "BitmapHeapScan",
        Node::BitmapIndexScan(_) => "BitmapIndexScan",
        Node::BitmapAnd { .. } => "BitmapAnd",
        Node::BitmapOr { .. } => "BitmapOr",
        Node::TidScan { .. } => "TidScan",
        Node::SubqueryScan { .. } => "SubqueryScan",
        Node::FunctionScan { .. } => "FunctionScan",
        Node::ValuesScan { .. } => "ValuesScan",
        Node::CteScan { .. } => "CteScan",
        Node::WorkTableScan { .. } => "WorkTableScan",
        Node::NestLoop(_) => "NestLoop",
        Node::MergeJoin(_) => "MergeJoin",
        Node::HashJoin(_) => "HashJoin",
        Node::Material { .. } => "Material",
        Node::Memoize { .. } => "Memoize",
        Node::Sort { .. } => "Sort",
        Node::IncrementalSort { .. } => "IncrementalSort",
        Node::Agg(_) => "Agg",
        Node::WindowAgg(_) => "WindowAgg",
        Node::Unique { .. } => "Unique",
        Node::SetOp(_) => "SetOp",
        Node::LockRows { .. } => "LockRows",
        Node::Limit { .. } => "Limit",
    }
}

impl Verifier<'_> {
    /// A node without those below it.
    pub fn node(&self, plan: &Plan) -> Checked {
        plan.init_plans.iter().try_for_each(|init| self.init_plan(init))?;
        match &plan.node {
            Node::SeqScan(scan) => self.scan(plan, scan),
            Node::IndexScan(scan) => {
                self.index_scan(scan)?;
                self.scan(plan, &scan.scan)
            }
            Node::IndexOnlyScan(scan) => {
                self.index_scan(scan)?;
                self.table(&scan.scan)?;
                self.own(plan, Rows::index(scan))
            }
            Node::BitmapIndexScan(scan) => self.index_scan(scan),
            Node::BitmapAnd { children } | Node::BitmapOr { children } => {
                holds(!children.is_empty() && children.iter().all(makes_bitmap), || "a child makes no bitmap")
            }
            Node::BitmapHeapScan { scan, child, recheck } => {
                holds(makes_bitmap(child), || "the child makes no bitmap")?;
                self.conditions(recheck, Rows::entries(&[scan.relation]))?;
                self.scan(plan, scan)
            }
            Node::TidScan { scan, conditions } => {
                self.conditions(conditions, Rows::entries(&[scan.relation]))?;
                self.scan(plan, scan)
            }
            Node::SubqueryScan { .. }
            | Node::FunctionScan { .. }
            | Node::ValuesScan { .. }
            | Node::CteScan { .. }
            | Node::WorkTableScan { .. } => self.entry_scan(plan),
            Node::NestLoop(_) | Node::MergeJoin(_) | Node::HashJoin(_) => self.join(plan),
            Node::ModifyTable(node) => self.modify(plan, node),
            _ => self.upper(plan),
        }
    }

    fn own(&self, plan: &Plan, rows: Rows<'_>) -> Checked {
        self.targets(&plan.targets, rows)?;
        self.conditions(&plan.conditions, rows)
    }

    fn init_plan(&self, init: &SubPlan) -> Checked {
        self.sub_plan(init)?;
        holds(init.parameters.is_empty() && init.test.is_none(), || format!("{} depends on rows", init.name))
    }

    fn entry(&self, relation: RangeTableIndex) -> std::result::Result<&RangeTableEntry, String> {
        let entry = (relation.0 as usize).checked_sub(1).and_then(|at| self.planned.range_table.get(at));
        entry.ok_or_else(|| format!("no entry {}", relation.0))
    }

    /// Fails unless an entry is the table, and the plan is known to read it.
    fn table(&self, scan: &Scan) -> Checked {
        let is_it =
            matches!(self.entry(scan.relation)?.kind, RangeTableKind::Relation { oid, .. } if oid == scan.table);
        holds(is_it, || format!("entry {} is not table {}", scan.relation.0, scan.table))?;
        let known = self.planned.relations.iter().any(|relation| relation.oid == scan.table);
        holds(known, || format!("table {} is none that the plan depends on", scan.table))
    }

    fn scan(&self, plan: &Plan, scan: &Scan) -> Checked {
        self.table(scan)?;
        self.own(plan, Rows::entries(&[scan.relation]))
    }

    fn index_scan(&self, scan: &IndexScan) -> Checked {
        self.table(&scan.scan)?;
        self.shown_conditions(&scan.index_conditions, Rows::entries(&[scan.scan.relation]))?;
        let columns = self.catalog.index(scan.index).map(|row| row.indnkeyatts as usize);
        let has = |column: usize| {
            holds(columns.is_none_or(|columns| column < columns), || format!("the index has no key column {column}"))
        };
        for condition in scan.ranges.iter().flatten() {
            match condition {
                IndexCondition::Compare { column, operator, value, .. } => {
                    has(*column)?;
                    self.expr(value, Rows::none())?;
                    self.takes_right(*operator, value.ty().oid)?;
                }
                IndexCondition::Any { column, operator, array, .. } => {
                    has(*column)?;
                    self.expr(array, Rows::none())?;
                    let element = self.catalog.base_element_type(array.ty().oid).ok_or("ANY of what is no array")?;
                    self.takes_right(*operator, element)?;
                }
                IndexCondition::Row { column, operators, values, .. } => {
                    holds(operators.len() == values.len() && !values.is_empty(), || "a row has other operators")?;
                    has(column + values.len() - 1)?;
                    for (operator, value) in operators.iter().zip(values) {
                        self.expr(value, Rows::none())?;
                        self.takes_right(*operator, value.ty().oid)?;
                    }
                }
                IndexCondition::IsNull { column } | IndexCondition::IsNotNull { column } => has(*column)?,
            }
        }
        Ok(())
    }

    /// Fails unless a value may stand to the right of an operator.
    fn takes_right(&self, operator: Oid, ty: Oid) -> Checked {
        let row = self.catalog.operator(operator).ok_or_else(|| format!("no operator {operator}"))?;
        let takes = self.catalog.is_binary_coercible(ty, row.oprright);
        holds(takes, || format!("operator {operator} compares with no value of type {ty}"))
    }

    /// Scans of what is no table.
    fn entry_scan(&self, plan: &Plan) -> Checked {
        let relation = plan.scanned().ok_or("it scans no entry")?;
        let columns = &self.entry(relation)?.columns;
        match &plan.node {
            Node::SubqueryScan { child, .. } => {
                let shown: Vec<TypeRef> = shown(&child.targets).map(|target| target.expr.ty()).collect();
                same_columns(columns, &shown)?;
            }
            Node::FunctionScan { functions, ordinality, .. } => {
                let given = functions.iter().map(|function| function.columns).sum::<usize>() + usize::from(*ordinality);
                holds(given == columns.len(), || format!("{given} columns of functions, not {}", columns.len()))?;
                let rows = Rows { sets: true, ..Rows::none() };
                self.exprs(functions.iter().map(|function| &function.call), rows)?;
            }
            Node::ValuesScan { rows, .. } => {
                for row in rows {
                    let types: Vec<TypeRef> = row.iter().map(Expr::ty).collect();
                    same_columns(columns, &types)?;
                    self.exprs(row, Rows::none())?;
                }
            }
            Node::CteScan { plan, .. } => same_columns(columns, &self.shown_types(*plan)?)?,
            _ => {}
        }
        self.own(plan, Rows::entries(&[relation]))
    }

    fn join(&self, plan: &Plan) -> Checked {
        let join = plan.join().ok_or("no join")?;
        let (outer, inner) = (&join.outer.targets[..], &join.inner.targets[..]);
        self.conditions(&join.conditions, Rows::both(outer, inner))?;
        let mut clauses: Vec<&HashClause> = Vec::new();
        match &plan.node {
            Node::NestLoop(node) => {
                for (number, var) in &node.parameters {
                    self.expr(&Expr::Var(*var), Rows::outer(outer))?;
                    let ty = self.param_type(*number)?;
                    holds(ty == var.ty.oid, || format!("parameter Exec {number} is of type {ty}"))?;
                }
            }
            Node::MergeJoin(node) => clauses.extend(node.clauses.iter().map(|clause| &clause.clause)),
            Node::HashJoin(node) => clauses.extend(&node.clauses),
            _ => {}
        }
        for clause in clauses {
            self.expr(&clause.outer, Rows::outer(outer))?;
            self.expr(&clause.inner, Rows { inner: Some(inner), ..Rows::none() })?;
            operator(self.catalog, clause.operator, &[clause.outer.ty().oid, clause.inner.ty().oid], oid::BOOL)?;
        }
        self.own(plan, Rows::both(outer, inner))
    }

    fn modify(&self, plan: &Plan, node: &ModifyTable) -> Checked {
        self.table(&node.scan)?;
        let child = &node.child.targets;
        let columns = &self.entry(node.scan.relation)?.columns;
        let gets = |column: usize, target: &TargetEntry| {
            let column = columns.get(column).ok_or_else(|| format!("the table has no column {}", column + 1))?;
            let fits = column.name.is_empty() || column.ty.oid == target.expr.ty().oid;
            holds(fits, || format!("column {} gets a value of type {}", column.name, target.expr.ty().oid))
        };
        match node.command {
            CommandType::Insert => {
                let given: Vec<&TargetEntry> = shown(child).collect();
                holds(given.len() == columns.len(), || {
                    format!("{} values for {} columns", given.len(), columns.len())
                })?;
                given.into_iter().enumerate().try_for_each(|(column, target)| gets(column, target))?;
            }
            CommandType::Update => {
                holds(node.columns.len() <= child.len(), || "the child has no value for a column")?;
                let mut given = node.columns.iter().zip(child);
                given.try_for_each(|(number, target)| gets(*number as usize - 1, target))?;
            }
            _ => {}
        }
        if node.command != CommandType::Insert {
            is_row_identity(child, node.row, node.scan.table)?;
        }
        self.marks(&node.marks, child)?;
        let mut own = vec![node.scan.relation];
        own.extend(node.returning_rows.old);
        own.extend(node.returning_rows.new);
        let rows = Rows { entries: &own, ..Rows::outer(child) };
        self.targets(&node.returning, rows)?;
        self.targets(&plan.targets, rows)?;
        let table = [node.scan.relation];
        let mut checks = node.checks.iter().map(|check| &check.condition);
        checks.try_for_each(|check| self.conditions(std::slice::from_ref(check), Rows::entries(&table)))?;
        for action in &node.merge {
            self.conditions(&action.conditions, rows)?;
            self.targets(&action.targets, rows)?;
            action.targets.iter().try_for_each(|target| match target.junk {
                true => Ok(()),
                false => gets(target.number as usize - 1, target),
            })?;
        }
        if let Some(PlanOnConflict { action: ConflictAction::Update { targets, condition, excluded }, .. }) =
            &node.on_conflict
        {
            let entries = [node.scan.relation, *excluded];
            self.targets(targets, Rows::entries(&entries))?;
            self.conditions(condition.as_slice(), Rows::entries(&entries))?;
            shown(targets).try_for_each(|target| gets(target.number as usize - 1, target))?;
        }
        Ok(())
    }

    fn marks(&self, marks: &[PlanRowMark], targets: &[TargetEntry]) -> Checked {
        marks.iter().try_for_each(|mark| {
            self.entry(mark.relation)?;
            is_row_identity(targets, mark.row, mark.table)
        })
    }

    /// Nodes whose rows are made of a child's.
    fn upper(&self, plan: &Plan) -> Checked {
        match &plan.node {
            Node::Result { child, one_time } => {
                self.conditions(one_time, Rows::none())?;
                let rows = child.as_ref().map_or(Rows::none(), |child| Rows::outer(&child.targets));
                self.own(plan, rows)
            }
            Node::ProjectSet { child } => self.own(plan, Rows { sets: true, ..Rows::outer(&child.targets) }),
            Node::Append { children } => self.append(plan, children),
            Node::MergeAppend { children, keys } => {
                self.sort_keys(keys, &plan.targets)?;
                self.append(plan, children)
            }
            Node::SetOp(node) => {
                self.group_keys(&node.columns, &node.left.targets)?;
                self.group_keys(&node.columns, &node.right.targets)?;
                self.two(plan, &node.left, &node.right)
            }
            Node::RecursiveUnion(node) => {
                self.group_keys(&node.distinct, &node.left.targets)?;
                self.two(plan, &node.left, &node.right)
            }
            Node::Agg(agg) => self.agg(plan, agg),
            Node::WindowAgg(window) => self.window(plan, window),
            Node::Sort { child, keys } | Node::IncrementalSort { child, keys, .. } => {
                self.sort_keys(keys, &child.targets)?;
                self.own(plan, Rows::outer(&child.targets))
            }
            Node::Unique { child, columns } => {
                self.group_keys(columns, &child.targets)?;
                self.own(plan, Rows::outer(&child.targets))
            }
            Node::Memoize { child, keys } => {
                self.exprs(keys, Rows::none())?;
                self.own(plan, Rows::outer(&child.targets))
            }
            Node::LockRows { child, marks } => {
                self.marks(marks, &child.targets)?;
                self.own(plan, Rows::outer(&child.targets))
            }
            Node::Limit { child, offset, count, with_ties } => {
                let mut counts = offset.iter().chain(count);
                counts.try_for_each(|value| {
                    holds(value.ty().oid == oid::INT8, || "a number of rows is no bigint")?;
                    self.expr(value, Rows::none())
                })?;
                self.group_keys(with_ties.as_deref().unwrap_or_default(), &child.targets)?;
                self.own(plan, Rows::outer(&child.targets))
            }
            Node::Material { child } => self.own(plan, Rows::outer(&child.targets)),
            _ => Err("a node that nothing is known of".to_string()),
        }
    }

    /// Fails unless all children give the same columns, and the node these.
    fn append(&self, plan: &Plan, children: &[Plan]) -> Checked {
        let Some(first) = children.first() else { return self.own(plan, Rows::none()) };
        children.iter().try_for_each(|child| same_targets(&first.targets, &child.targets))?;
        self.own(plan, Rows::outer(&first.targets))
    }

    fn two(&self, plan: &Plan, left: &Plan, right: &Plan) -> Checked {
        same_targets(&left.targets, &right.targets)?;
        self.own(plan, Rows::outer(&left.targets))
    }

    fn agg(&self, plan: &Plan, agg: &Agg) -> Checked {
        self.group_keys(&agg.keys, &agg.child.targets)?;
        let has = |position: &usize| *position < agg.keys.len();
        holds(agg.grouping_sets.iter().flatten().all(has), || "a grouping set of what is no key")?;
        self.own(plan, Rows { aggregates: true, ..Rows::outer(&agg.child.targets) })
    }

    fn window(&self, plan: &Plan, window: &WindowAgg) -> Checked {
        let child = &window.child.targets;
        self.group_keys(&window.partition, child)?;
        self.group_keys(&window.peers, child)?;
        self.sort_keys(&window.order, child)?;
        for bound in [&window.frame.start, &window.frame.end] {
            if let FrameBound::Preceding(offset) | FrameBound::Following(offset) = bound {
                self.expr(offset, Rows::none())?;
            }
        }
        let rows = Rows { window_functions: true, ..Rows::outer(child) };
        self.conditions(&window.run_condition, rows)?;
        self.own(plan, rows)
    }

    fn sort_keys(&self, keys: &[SortKey], targets: &[TargetEntry]) -> Checked {
        keys.iter().try_for_each(|key| self.key(key.column, key.operator, targets))
    }

    fn group_keys(&self, keys: &[GroupKey], targets: &[TargetEntry]) -> Checked {
        keys.iter().try_for_each(|key| self.key(key.column, key.equality, targets))
    }

    fn key(&self, column: i16, operator: Oid, targets: &[TargetEntry]) -> Checked {
        let target = usize::try_from(column - 1).ok().and_then(|at| targets.get(at));
        let target = target.ok_or_else(|| format!("the child has no column {column}"))?;
        comparison(self.catalog, operator, target.expr.ty().oid)
    }
}

fn makes_bitmap(plan: &Plan) -> bool {
    matches!(plan.node, Node::BitmapIndexScan(_) | Node::BitmapAnd { .. } | Node::BitmapOr { .. })
}

/// The targets that others see.
fn shown(targets: &[TargetEntry]) -> impl Iterator<Item = &TargetEntry> {
    targets.iter().filter(|target| !target.junk)
}

fn same_columns(columns: &[Column], types: &[TypeRef]) -> Checked {
    let same = columns.len() == types.len() && columns.iter().zip(types).all(|(column, ty)| column.ty.oid == ty.oid);
    let wanted = || columns.iter().map(|column| column.ty.oid).collect::<Vec<_>>();
    holds(same, || format!("columns of types {:?} of rows of types {types:?}", wanted()))
}

fn same_targets(one: &[TargetEntry], other: &[TargetEntry]) -> Checked {
    let types = |targets: &[TargetEntry]| targets.iter().map(|target| target.expr.ty().oid).collect::<Vec<_>>();
    holds(types(one) == types(other), || format!("one child gives {:?}, another {:?}", types(one), types(other)))
}

/// Fails unless a target, from 1, says which row of a table it is; of what is no table it is the row.
fn is_row_identity(targets: &[TargetEntry], row: i16, table: Oid) -> Checked {
    let target = usize::try_from(row - 1).ok().and_then(|at| targets.get(at));
    let ty = target.map(|target| target.expr.ty().oid);
    let wanted = if table == oid::INVALID { oid::RECORD } else { oid::TID };
    holds(ty == Some(wanted), || format!("column {row} of the child is no row of table {table}"))
}
