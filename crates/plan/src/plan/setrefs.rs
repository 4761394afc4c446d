//! Expressions of a finished plan are over what its nodes get (PostgreSQL's `setrefs.c`): columns of children, of an index, or
//! of the scanned table, whose entry has its number in the statement's one range table.

use std::cell::Cell;

use analyze::query::*;
use error::sqlstate;
use types::{Datum, Error, Result};

use super::*;
use crate::manip;
use crate::planner_info::{PlannerGlobal, PlannerInfo};

/// The entries of a query get places in the statement's list: how many are before them.
pub fn flatten_range_table(global: &mut PlannerGlobal, root: &PlannerInfo) -> u32 {
    let offset = global.range_table.len() as u32;
    named::of_level(root, &mut global.named);
    for (at, entry) in root.query.range_table.iter().enumerate() {
        let relation = RangeTableIndex(at as u32 + 1);
        let kind = match &entry.kind {
            RangeTableKind::Relation { oid, .. } => {
                add_relation(global, root, relation, *oid);
                entry.kind.clone()
            }
            RangeTableKind::Subquery(_) => RangeTableKind::Subquery(Box::new(Query::new(CommandType::Select))),
            RangeTableKind::Join { kind, merged, .. } => {
                RangeTableKind::Join { kind: *kind, merged: *merged, columns: Vec::new(), using_alias: None }
            }
            // Their plans have the expressions.
            RangeTableKind::Function { ordinality, .. } => {
                RangeTableKind::Function { functions: Vec::new(), ordinality: *ordinality }
            }
            RangeTableKind::Values { .. } => RangeTableKind::Values { rows: Vec::new() },
            other => other.clone(),
        };
        global.range_table.push(RangeTableEntry {
            kind,
            name: entry.name.clone(),
            columns: entry.columns.clone(),
            aliased_columns: entry.aliased_columns,
            aliased: entry.aliased,
            lateral: entry.lateral,
            in_from: entry.in_from,
            ..Default::default()
        });
    }
    offset
}

/// The plan of one query; plans of queries below it are finished.
pub fn set_plan_references(root: &PlannerInfo, plan: &mut Plan, offset: u32) -> Result<()> {
    References { root, offset, calls: Cell::new(0.0) }.plan(plan)
}

fn add_relation(global: &mut PlannerGlobal, root: &PlannerInfo, relation: RangeTableIndex, oid: types::Oid) {
    let marked = root.query.row_marks.iter().any(|mark| mark.relation == relation);
    let lock = if root.query.result_relation == Some(relation) {
        RelationLock::RowExclusive
    } else if marked {
        RelationLock::RowShare
    } else {
        RelationLock::AccessShare
    };
    match global.relations.iter_mut().find(|known| known.oid == oid) {
        Some(known) => known.lock = known.lock.max(lock),
        None => global.relations.push(PlannedRelation { oid, lock }),
    }
}

struct References<'r, 'a> {
    root: &'r PlannerInfo<'a>,
    offset: u32,
    /// How often the node that is looked at asks its conditions: PostgreSQL believes twice for each row that it gives.
    calls: Cell<f64>,
}

/// Where an expression's columns come from.
#[derive(Clone, Copy)]
enum From<'t> {
    /// The scanned table itself.
    Scan,
    Child(&'t [TargetEntry]),
    Join(&'t [TargetEntry], &'t [TargetEntry]),
    /// As `Join`, but above it: of the sides that it makes NULL there are the columns only. What was computed below, to be
    /// sorted or hashed by, is of the row before.
    AboveJoin(&'t [TargetEntry], &'t [TargetEntry], JoinKind),
    /// The columns of an index, by the table's numbers.
    Index(&'t [i16]),
    /// Nothing: rows that never come.
    Nothing,
    /// The entries of the changed table are scanned, the rest is the child's.
    Modify(&'t [TargetEntry]),
}

/// The joins above which a side's rows are there in part, or as NULLs.
const OUTER_IS_NULLED: &[JoinKind] = &[JoinKind::Right, JoinKind::RightSemi, JoinKind::RightAnti, JoinKind::Full];
const INNER_IS_NULLED: &[JoinKind] = &[JoinKind::Left, JoinKind::Semi, JoinKind::Anti, JoinKind::Full];

/// Takes the cheaper of a subquery's two ways for so many calls (`fix_alternative_subplan`).
fn choose_alternative(expr: &mut Expr, calls: f64) {
    let Expr::SubPlan(first) = expr else { return };
    let cost = |plan: &SubPlan| plan.startup_cost + calls * plan.per_call_cost;
    let Some(other) = first.alternative.take() else { return };
    let other_cost = match &other {
        Expr::BooleanTest(test) => {
            if let Expr::SubPlan(plan) = &test.argument {
                cost(plan)
            } else {
                f64::INFINITY
            }
        }
        _ => f64::INFINITY,
    };
    if other_cost < cost(first) {
        *expr = other;
    }
}

/// Which of the targets is the expression?
fn position(targets: &[TargetEntry], expr: &Expr) -> Option<usize> {
    match expr {
        Expr::Var(var) => targets.iter().position(|target| {
            matches!(&target.expr, Expr::Var(other) if other.relation == var.relation
                && other.attribute == var.attribute && other.levels_up == var.levels_up)
        }),
        Expr::Const(_) | Expr::Param(_) => None,
        _ => targets.iter().position(|target| target.expr == *expr),
    }
}

fn column(relation: RangeTableIndex, at: usize, ty: TypeRef) -> Expr {
    Expr::Var(Var {
        relation,
        attribute: at as i16 + 1,
        ty,
        collation: Collation::NONE,
        levels_up: 0,
        location: Location::NONE,
    })
}

/// Columns of the child, in order (`set_dummy_tlist_references`).
fn pass_on(targets: &mut [TargetEntry], child: &[TargetEntry]) {
    for (at, target) in targets.iter_mut().enumerate() {
        let ty = child.get(at).map_or(target.expr.ty(), |below| below.expr.ty());
        target.expr = column(OUTER, at, ty);
    }
}

impl References<'_, '_> {
    fn moved(&self, relation: &mut RangeTableIndex) {
        relation.0 += self.offset;
    }

    fn exprs<'e>(&self, list: impl IntoIterator<Item = &'e mut Expr>, from: From) -> Result<()> {
        list.into_iter().try_for_each(|expr| self.expr(expr, from))
    }

    fn targets(&self, list: &mut [TargetEntry], from: From) -> Result<()> {
        let calls = self.calls.replace(self.calls.get() / 2.0);
        let done = list.iter_mut().try_for_each(|target| {
            // Targets may be grouped by one expression more than once: each is its own column.
            let own = match from {
                From::Child(below) if target.reference != 0 => {
                    below.iter().position(|child| child.reference == target.reference && child.expr == target.expr)
                }
                _ => None,
            };
            match own {
                Some(at) => target.expr = column(OUTER, at, target.expr.ty()),
                None => self.expr(&mut target.expr, from)?,
            }
            Ok(())
        });
        self.calls.set(calls);
        done
    }

    /// `fix_scan_expr`, `fix_upper_expr`, `fix_join_expr`.
    fn expr(&self, expr: &mut Expr, from: From) -> Result<()> {
        let mut failed = Ok(());
        let mut change = |e: &mut Expr, _: u32| match self.one(e, from) {
            Ok(on) => on,
            Err(error) => {
                failed = Err(error);
                false
            }
        };
        manip::mutate(&mut change, expr, 0);
        failed
    }

    /// One expression; false: what is in it is done.
    fn one(&self, expr: &mut Expr, from: From) -> Result<bool> {
        let found = match from {
            From::Child(targets) => position(targets, expr).map(|at| (OUTER, at)),
            From::Join(outer, inner) => {
                position(outer, expr).map(|at| (OUTER, at)).or_else(|| position(inner, expr).map(|at| (INNER, at)))
            }
            From::AboveJoin(outer, inner, kind) => {
                let keeps = |side: &[JoinKind]| matches!(expr, Expr::Var(_)) || !side.contains(&kind);
                let at = |targets, side| if keeps(side) { position(targets, expr) } else { None };
                at(outer, OUTER_IS_NULLED)
                    .map(|at| (OUTER, at))
                    .or_else(|| at(inner, INNER_IS_NULLED).map(|at| (INNER, at)))
            }
            // What is computed below may look like what is asked for here, but is of the row before its change.
            From::Modify(targets) if matches!(expr, Expr::Var(_)) && !self.is_changed(expr) => {
                position(targets, expr).map(|at| (OUTER, at))
            }
            _ => None,
        };
        if let Some((relation, at)) = found {
            *expr = column(relation, at, expr.ty());
            return Ok(false);
        }
        match expr {
            Expr::Var(var) => {
                match from {
                    From::Nothing => {
                        *expr = Expr::Const(Const { ty: var.ty, value: Datum::Null, location: Location::NONE });
                    }
                    From::Index(columns) => {
                        let at = columns.iter().position(|column| *column == var.attribute);
                        let at = at.ok_or_else(|| missing(var))?;
                        *expr = column(INDEX, at, var.ty);
                    }
                    From::Child(_) | From::Join(..) | From::AboveJoin(..) => return Err(missing(var)),
                    From::Scan | From::Modify(_) => self.moved(&mut var.relation),
                }
                Ok(false)
            }
            Expr::SubPlan(_) => {
                choose_alternative(expr, self.calls.get());
                Ok(true)
            }
            Expr::WindowFunc(call) => {
                // It is this node's: those of other windows are columns.
                call.window = WindowIndex(0);
                Ok(true)
            }
            _ => Ok(true),
        }
    }

    /// A column of the table that is changed, as it is, was or would be.
    fn is_changed(&self, expr: &Expr) -> bool {
        let Expr::Var(var) = expr else { return false };
        let query = &self.root.query;
        let excluded = query.on_conflict.as_ref().is_some_and(
            |conflict| matches!(conflict.action, ConflictAction::Update { excluded, .. } if excluded == var.relation),
        );
        let ReturningRows { old, new } = query.returning_rows;
        [query.result_relation, old, new].contains(&Some(var.relation))
            || excluded
            || matches!(query.entry(var.relation).kind, RangeTableKind::Result) && !self.is_in_from(var.relation)
    }

    fn is_in_from(&self, relation: RangeTableIndex) -> bool {
        self.root.paths.base.get(relation.0 as usize).is_some_and(Option::is_some)
    }

    fn plan(&self, plan: &mut Plan) -> Result<()> {
        let calls = self.calls.replace(2.0 * plan.cost.rows);
        let done = self.node(plan);
        self.calls.set(calls);
        done
    }

    fn node(&self, plan: &mut Plan) -> Result<()> {
        match &mut plan.node {
            Node::SeqScan(scan) => {
                self.moved(&mut scan.relation);
                self.own(&mut plan.targets, &mut plan.conditions, From::Scan)
            }
            Node::IndexScan(scan) => {
                self.moved(&mut scan.scan.relation);
                self.index(scan)?;
                self.own(&mut plan.targets, &mut plan.conditions, From::Scan)
            }
            Node::IndexOnlyScan(scan) => {
                let columns = self.index_columns(scan);
                self.moved(&mut scan.scan.relation);
                self.index(scan)?;
                self.own(&mut plan.targets, &mut plan.conditions, From::Index(&columns))
            }
            Node::BitmapHeapScan { scan, child, recheck } => {
                self.moved(&mut scan.relation);
                self.exprs(recheck, From::Scan)?;
                self.plan(child)?;
                self.own(&mut plan.targets, &mut plan.conditions, From::Scan)
            }
            Node::BitmapIndexScan(scan) => {
                self.moved(&mut scan.scan.relation);
                self.index(scan)
            }
            Node::BitmapAnd { children } | Node::BitmapOr { children } => {
                children.iter_mut().try_for_each(|child| self.plan(child))
            }
            Node::TidScan { scan, conditions } => {
                self.moved(&mut scan.relation);
                self.exprs(conditions, From::Scan)?;
                self.own(&mut plan.targets, &mut plan.conditions, From::Scan)
            }
            Node::SubqueryScan { .. } => self.subquery(plan),
            Node::FunctionScan { relation, functions, .. } => {
                self.moved(relation);
                self.exprs(functions.iter_mut().map(|function| &mut function.call), From::Scan)?;
                self.own(&mut plan.targets, &mut plan.conditions, From::Scan)
            }
            Node::ValuesScan { relation, rows } => {
                self.moved(relation);
                self.exprs(rows.iter_mut().flatten(), From::Scan)?;
                self.own(&mut plan.targets, &mut plan.conditions, From::Scan)
            }
            Node::CteScan { relation, .. } | Node::WorkTableScan { relation, .. } => {
                self.moved(relation);
                self.own(&mut plan.targets, &mut plan.conditions, From::Scan)
            }
            Node::NestLoop(_) | Node::MergeJoin(_) | Node::HashJoin(_) => self.join(plan),
            Node::ModifyTable(_) => self.modify(plan),
            _ => self.upper(plan),
        }
    }

    fn own(&self, targets: &mut [TargetEntry], conditions: &mut [Expr], from: From) -> Result<()> {
        self.targets(targets, from)?;
        self.exprs(conditions, from)
    }

    fn index(&self, scan: &mut IndexScan) -> Result<()> {
        self.exprs(&mut scan.index_conditions, From::Scan)?;
        for condition in scan.ranges.iter_mut().flatten() {
            match condition {
                IndexCondition::Compare { value, .. } => self.expr(value, From::Scan)?,
                IndexCondition::Any { array, .. } => self.expr(array, From::Scan)?,
                IndexCondition::Row { values, .. } => self.exprs(values, From::Scan)?,
                IndexCondition::IsNull { .. } | IndexCondition::IsNotNull { .. } => {}
            }
        }
        Ok(())
    }

    /// The table's numbers of an index's columns.
    fn index_columns(&self, scan: &IndexScan) -> Vec<i16> {
        let rel = self.root.paths.base[scan.scan.relation.0 as usize].map(|rel| &self.root.paths.rels[rel]);
        let index = rel.and_then(|rel| rel.indexes.iter().find(|index| index.info.oid == scan.index));
        index.map_or(Vec::new(), |index| {
            index
                .info
                .columns
                .iter()
                .map(|column| column.attribute)
                .chain(index.info.included.iter().copied())
                .collect()
        })
    }

    /// A subquery's scan that does nothing goes (`set_subqueryscan_references`).
    fn subquery(&self, plan: &mut Plan) -> Result<()> {
        let Node::SubqueryScan { relation, child } = &mut plan.node else { return Ok(()) };
        let own = *relation;
        let same = |(at, target): (usize, &TargetEntry)| {
            matches!(&target.expr, Expr::Var(var) if var.relation == own && var.attribute as usize == at + 1)
                && child.targets[at].junk == target.junk
        };
        let trivial = plan.conditions.is_empty()
            && plan.targets.len() == child.targets.len()
            && plan.targets.iter().enumerate().all(same);
        if trivial {
            let mut below = std::mem::replace(&mut **child, empty());
            for (target, above) in below.targets.iter_mut().zip(&plan.targets) {
                if !above.name.is_empty() {
                    target.name.clone_from(&above.name);
                }
                target.reference = above.reference;
                target.origin = above.origin.or(target.origin);
            }
            below.init_plans.append(&mut plan.init_plans);
            *plan = below;
            return Ok(());
        }
        self.moved(relation);
        self.own(&mut plan.targets, &mut plan.conditions, From::Scan)
    }

    fn join(&self, plan: &mut Plan) -> Result<()> {
        let join = match &mut plan.node {
            Node::NestLoop(node) => {
                let outer = &node.join.outer.targets;
                for (_, var) in &mut node.parameters {
                    let at = position(outer, &Expr::Var(*var)).ok_or_else(|| missing(var))?;
                    *var = Var { relation: OUTER, attribute: at as i16 + 1, ..*var };
                }
                &mut node.join
            }
            Node::HashJoin(node) => {
                for clause in &mut node.clauses {
                    self.expr(&mut clause.outer, From::Join(&node.join.outer.targets, &[]))?;
                    self.expr(&mut clause.inner, From::Join(&[], &node.join.inner.targets))?;
                }
                &mut node.join
            }
            Node::MergeJoin(node) => {
                for MergeClause { clause, .. } in &mut node.clauses {
                    self.expr(&mut clause.outer, From::Join(&node.join.outer.targets, &[]))?;
                    self.expr(&mut clause.inner, From::Join(&[], &node.join.inner.targets))?;
                }
                &mut node.join
            }
            _ => return Ok(()),
        };
        self.exprs(&mut join.conditions, From::Join(&join.outer.targets, &join.inner.targets))?;
        let from = From::AboveJoin(&join.outer.targets, &join.inner.targets, join.kind);
        self.targets(&mut plan.targets, from)?;
        self.exprs(&mut plan.conditions, from)?;
        self.plan(&mut join.outer)?;
        self.plan(&mut join.inner)
    }

    fn modify(&self, plan: &mut Plan) -> Result<()> {
        let Node::ModifyTable(node) = &mut plan.node else { return Ok(()) };
        let from = From::Modify(&node.child.targets);
        self.moved(&mut node.scan.relation);
        node.marks.iter_mut().for_each(|mark| self.moved(&mut mark.relation));
        let ReturningRows { old, new } = &mut node.returning_rows;
        [old, new].into_iter().flatten().for_each(|row| self.moved(row));
        self.targets(&mut node.returning, from)?;
        self.targets(&mut plan.targets, from)?;
        if let Some(PlanOnConflict { action: ConflictAction::Update { targets, condition, excluded }, .. }) =
            &mut node.on_conflict
        {
            self.targets(targets, From::Scan)?;
            self.exprs(condition, From::Scan)?;
            self.moved(excluded);
        }
        for action in &mut node.merge {
            self.targets(&mut action.targets, from)?;
            self.exprs(&mut action.conditions, from)?;
        }
        self.exprs(node.checks.iter_mut().map(|check| &mut check.condition), From::Scan)?;
        self.plan(&mut node.child)
    }

    /// Nodes whose rows are made of a child's.
    fn upper(&self, plan: &mut Plan) -> Result<()> {
        match &mut plan.node {
            Node::Result { child: None, one_time } => {
                self.exprs(one_time, From::Nothing)?;
                self.own(&mut plan.targets, &mut plan.conditions, From::Nothing)
            }
            Node::Result { child: Some(child), one_time } => {
                self.exprs(one_time, From::Nothing)?;
                self.own(&mut plan.targets, &mut plan.conditions, From::Child(&child.targets))?;
                self.plan(child)
            }
            Node::ProjectSet { child } => {
                self.own(&mut plan.targets, &mut plan.conditions, From::Child(&child.targets))?;
                self.plan(child)
            }
            Node::Agg(agg) => {
                self.own(&mut plan.targets, &mut plan.conditions, From::Child(&agg.child.targets))?;
                // Those that are left are this node's: what a node below has computed, for DISTINCT, is a column.
                let exprs = plan.targets.iter_mut().map(|target| &mut target.expr).chain(&mut plan.conditions);
                exprs.for_each(|expr| number_groupings(expr, agg));
                self.plan(&mut agg.child)
            }
            Node::WindowAgg(window) => {
                let from = From::Child(&window.child.targets);
                self.own(&mut plan.targets, &mut plan.conditions, from)?;
                self.exprs(&mut window.run_condition, from)?;
                for bound in [&mut window.frame.start, &mut window.frame.end] {
                    if let FrameBound::Preceding(offset) | FrameBound::Following(offset) = bound {
                        self.expr(offset, From::Nothing)?;
                    }
                }
                self.plan(&mut window.child)
            }
            Node::Append { children } | Node::MergeAppend { children, .. } => {
                if let Some(first) = children.first() {
                    pass_on(&mut plan.targets, &first.targets);
                }
                children.iter_mut().try_for_each(|child| self.plan(child))
            }
            Node::SetOp(node) => {
                pass_on(&mut plan.targets, &node.left.targets);
                self.plan(&mut node.left)?;
                self.plan(&mut node.right)
            }
            Node::RecursiveUnion(node) => {
                pass_on(&mut plan.targets, &node.left.targets);
                self.plan(&mut node.left)?;
                self.plan(&mut node.right)
            }
            Node::Material { child }
            | Node::Memoize { child, .. }
            | Node::Sort { child, .. }
            | Node::IncrementalSort { child, .. }
            | Node::Unique { child, .. }
            | Node::Limit { child, .. } => {
                pass_on(&mut plan.targets, &child.targets);
                self.plan(child)
            }
            Node::LockRows { child, marks } => {
                marks.iter_mut().for_each(|mark| self.moved(&mut mark.relation));
                pass_on(&mut plan.targets, &child.targets);
                self.plan(child)
            }
            _ => Ok(()),
        }
    }
}

/// GROUPING's references become positions among the keys, from 1; 0 for what is no key as it depends on others.
fn number_groupings(expr: &mut Expr, agg: &Agg) {
    let key_of = |reference: u32| {
        let is_it = |key: &GroupKey| agg.child.targets[key.column as usize - 1].reference == reference;
        agg.keys.iter().position(is_it).map_or(0, |at| at as u32 + 1)
    };
    let mut number = |expr: &mut Expr, _: u32| {
        if let Expr::GroupingFunc(grouping) = expr {
            grouping.references.iter_mut().for_each(|reference| *reference = key_of(*reference));
        }
        true
    };
    manip::mutate(&mut number, expr, 0);
}

fn missing(var: &Var) -> Error {
    Error::new(
        sqlstate::INTERNAL_ERROR,
        format!("variable {}.{} not found in subplan target lists", var.relation.0, var.attribute),
    )
}

fn empty() -> Plan {
    Plan {
        node: Node::Result { child: None, one_time: Vec::new() },
        targets: Vec::new(),
        conditions: Vec::new(),
        cost: Cost::default(),
        init_plans: Vec::new(),
    }
}
