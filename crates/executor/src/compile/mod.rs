//! What nodes are made ready with, once for a plan and not for each execution: expressions, conditions and targets compiled for where
//! their columns are.

pub mod deep;
pub mod facts;
pub mod lasting;
pub mod late_detoast;
pub mod rights;
pub mod walk;

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use analyze::query::{
    Column, CommandType, Expr, Param, ParamKind, RangeTableIndex, RowExpr, TargetEntry, TypeRef, Var,
};
use catalog::Catalog;
use error::sqlstate;
use expression::clauses::{Felt, contain_volatile_functions, felt_calls};
use expression::{ExprState, Place};
use plan::plan::{INNER, Node, OUTER, Plan, PlannedStmt};
use types::{Error, Oid, Repr, Result};

use crate::compile::facts::Facts;
use crate::compile::late_detoast::LateDetoast;
use crate::expr::output::{Filter, Output, Projection};
use crate::run::node::Compiled;

/// What compiling a plan needs to know.
pub struct Compiler<'a> {
    pub catalog: Catalog<'a>,
    pub planned: &'a PlannedStmt,
    pub facts: &'a dyn Facts,
    /// Rows may be looked at again: scans need their whole conditions.
    pub rechecks: bool,
    /// The entries whose rows are carried along for that.
    pub copied: HashSet<RangeTableIndex>,
    /// The representations of `Exec` parameters.
    pub parameters: Arc<[Repr]>,
    /// Those of them that init plans give.
    pub init_parameters: HashSet<u32>,
    /// Makes a node ready, and those below it: [`crate::nodes::init_node`], which knows all nodes and which none of them knows.
    pub init_node: fn(&Compiler<'_>, &Plan) -> Result<Compiled>,
    /// The statement's, as far as they are compiled.
    pub sub_plans: RefCell<Vec<Option<Compiled>>>,
    /// The representations of work tables' columns, by number.
    pub work_tables: RefCell<Vec<(u32, Arc<[Repr]>)>>,
    /// The columns that are passed on as they are stored.
    pub late: LateDetoast,
    /// How many nodes keep something while a statement runs.
    pub slots: Cell<usize>,
    /// The numbers of nodes, if they are watched.
    pub numbers: Option<HashMap<*const Plan, usize>>,
    /// The node above may count on the order of the rows of the node that is being compiled.
    pub ordered: Cell<bool>,
}

/// Where the columns of expressions are.
#[derive(Clone, Default)]
pub struct Layout {
    /// Entries whose attributes follow each other from 1: where the first is.
    entries: Vec<(RangeTableIndex, usize, Arc<[Repr]>)>,
    /// Single columns.
    columns: Vec<(RangeTableIndex, i16, usize, Repr)>,
    /// What a node computes before its targets: aggregates and the like.
    computed: Vec<(Expr, usize, Repr)>,
    /// `Exec` parameters that have a value in each row.
    parameters: Vec<(u32, usize, Repr)>,
    width: usize,
}

impl Layout {
    /// The rows of one child.
    pub fn outer(reprs: &Arc<[Repr]>) -> Layout {
        Layout::default().with(OUTER, reprs)
    }

    /// The rows of two children, side by side.
    pub fn both(outer: &Arc<[Repr]>, inner: &Arc<[Repr]>) -> Layout {
        Layout::outer(outer).with(INNER, inner)
    }

    /// With the columns of an entry behind what is there.
    pub fn with(mut self, entry: RangeTableIndex, reprs: &Arc<[Repr]>) -> Layout {
        self.entries.push((entry, self.width, reprs.clone()));
        self.width += reprs.len();
        self
    }

    pub fn with_column(mut self, entry: RangeTableIndex, attribute: i16, repr: Repr) -> Layout {
        self.columns.push((entry, attribute, self.width, repr));
        self.width += 1;
        self
    }

    pub fn with_computed(mut self, expr: Expr, repr: Repr) -> Layout {
        self.computed.push((expr, self.width, repr));
        self.width += 1;
        self
    }

    /// With a column that is the value of an `Exec` parameter.
    pub fn with_parameter(mut self, number: u32, repr: Repr) -> Layout {
        self.parameters.push((number, self.width, repr));
        self.width += 1;
        self
    }

    pub fn width(&self) -> usize {
        self.width
    }

    pub fn find(&self, var: &Var) -> Option<(usize, Repr)> {
        if let Some(&(_, _, at, repr)) =
            self.columns.iter().find(|(entry, attribute, ..)| *entry == var.relation && *attribute == var.attribute)
        {
            return Some((at, repr));
        }
        let (_, first, reprs) = self.entries.iter().find(|(entry, ..)| *entry == var.relation)?;
        let at = usize::try_from(var.attribute).ok()?.checked_sub(1)?;
        Some((first + at, *reprs.get(at)?))
    }
}

impl Compiler<'_> {
    pub fn expr(&self, expr: &Expr, layout: &Layout) -> Result<ExprState> {
        let places = Places { compiler: self, layout };
        if expr.contains(&mut |e| self.whole_row(e, layout).is_some()) {
            let mut expr = expr.clone();
            self.spread_rows(&mut expr, layout);
            return expression::compile(&expr, &places, self.catalog);
        }
        expression::compile(expr, &places, self.catalog)
    }

    /// The columns of a whole row that is none of the layout's columns; its entry tells their types.
    fn whole_row(&self, expr: &Expr, layout: &Layout) -> Option<Expr> {
        let Expr::Var(var) = expr else { return None };
        if var.attribute != 0 || layout.find(var).is_some() {
            return None;
        }
        let entry = self.planned.range_table.get((var.relation.0 as usize).checked_sub(1)?)?;
        let field = |(column, attribute): (&Column, i16)| Expr::Var(Var { attribute, ty: column.ty, ..*var });
        Some(Expr::Row(RowExpr {
            fields: entry.columns.iter().zip(1..).map(field).collect(),
            ty: var.ty.oid,
            names: entry.columns.iter().map(|column| column.name.clone()).collect(),
            location: var.location,
        }))
    }

    fn spread_rows(&self, expr: &mut Expr, layout: &Layout) {
        match self.whole_row(expr, layout) {
            Some(row) => *expr = row,
            None => expr.mutate(&mut |child| self.spread_rows(child, layout), &mut |_| {}),
        }
    }

    pub fn exprs<'e>(&self, exprs: impl IntoIterator<Item = &'e Expr>, layout: &Layout) -> Result<Vec<ExprState>> {
        exprs.into_iter().map(|expr| self.expr(expr, layout)).collect()
    }

    pub fn filter(&self, conditions: &[Expr], layout: &Layout) -> Result<Filter> {
        let volatile = conditions.iter().any(|e| contain_volatile_functions(self.catalog, e));
        Ok(Filter::new(self.exprs(conditions, layout)?, volatile))
    }

    pub fn projection(&self, targets: &[TargetEntry], layout: &Layout) -> Result<Projection> {
        Projection::compile(self, targets, layout)
    }

    /// What a node does with the rows that it has made, which lie as `layout` says: its conditions, then its targets.
    pub fn output(&self, plan: &Plan, layout: &Layout) -> Result<Output> {
        self.changed_output(plan, plan, layout)
    }

    /// The same, but with the conditions and targets of `changed`, which say the same otherwise.
    pub fn changed_output(&self, of: &Plan, changed: &Plan, layout: &Layout) -> Result<Output> {
        let Plan { targets, conditions, .. } = changed;
        let is_volatile = |expr: &Expr| contain_volatile_functions(self.catalog, expr);
        let exprs = || targets.iter().map(|target| &target.expr).chain(conditions);
        let is_felt = exprs().any(is_volatile);
        Ok(Output {
            filter: self.filter(conditions, layout)?,
            projection: self.projection(targets, layout)?,
            is_result: !is_felt && self.gives_result(of),
            in_order: is_felt && !conditions.is_empty() && felt_calls(self.catalog, exprs()) == Felt::Order,
        })
    }

    /// Are a node's rows those of a SELECT, or the first of them?
    fn gives_result(&self, plan: &Plan) -> bool {
        let mut tops = vec![&self.planned.plan];
        while let Some(top) = tops.pop() {
            if std::ptr::eq(top, plan) {
                return self.planned.command == CommandType::Select && !self.rechecks;
            }
            match &top.node {
                Node::Limit { child, .. } | Node::SubqueryScan { child, .. } => tops.push(child),
                Node::Result { child: Some(child), .. } => tops.push(child),
                Node::Append { children } => tops.extend(children),
                _ => {}
            }
        }
        false
    }

    /// How a value of a type lies where nothing is known of the digits that it shows.
    pub fn repr(&self, ty: Oid) -> Result<Repr> {
        expression::representation(self.catalog, TypeRef::of(ty))
    }

    /// A place for what a node keeps while a statement runs.
    pub fn slot(&self) -> usize {
        self.slots.replace(self.slots.get() + 1)
    }

    /// A plan of the statement's list.
    pub fn sub_plan(&self, number: usize) -> Result<Compiled> {
        if let Some(compiled) = &self.sub_plans.borrow()[number] {
            return Ok(compiled.clone());
        }
        let compiled = self.plan(&self.planned.sub_plans[number])?;
        self.sub_plans.borrow_mut()[number] = Some(compiled.clone());
        Ok(compiled)
    }

    /// The number of a node that is watched.
    pub fn number(&self, plan: &Plan) -> Option<usize> {
        self.numbers.as_ref()?.get(&std::ptr::from_ref(plan)).copied()
    }

    /// A node and those below it.
    pub fn plan(&self, plan: &Plan) -> Result<Compiled> {
        self.plan_for(plan, true)
    }

    /// The same for a node that takes rows in any order.
    pub fn plan_unordered(&self, plan: &Plan) -> Result<Compiled> {
        self.plan_for(plan, false)
    }

    /// The same for a node that gives rows in the order of this child's.
    pub fn plan_in_order_of_mine(&self, plan: &Plan) -> Result<Compiled> {
        self.plan_for(plan, self.ordered.get())
    }

    fn plan_for(&self, plan: &Plan, ordered: bool) -> Result<Compiled> {
        let above = self.ordered.replace(ordered);
        let compiled = syntax::with_stack_for(8, || (self.init_node)(self, plan));
        self.ordered.set(above);
        compiled
    }
}

/// The answer to where columns and parameters are.
struct Places<'a> {
    compiler: &'a Compiler<'a>,
    layout: &'a Layout,
}

impl expression::Input for Places<'_> {
    fn variable(&self, var: &Var) -> Result<(usize, Repr)> {
        let missing = || match var.attribute {
            ..0 => Error::unsupported("this system column here"),
            column => {
                Error::new(sqlstate::INTERNAL_ERROR, format!("column {column} of {:?} is not here", var.relation))
            }
        };
        self.layout.find(var).ok_or_else(missing)
    }

    fn computed(&self, expr: &Expr) -> Result<(usize, Repr)> {
        let found = self.layout.computed.iter().find(|(computed, ..)| computed == expr);
        let missing = || Error::new(sqlstate::INTERNAL_ERROR, "a node does not compute what its targets name");
        found.map(|(_, at, repr)| (*at, *repr)).ok_or_else(missing)
    }

    fn parameter(&self, param: &Param, repr: Repr) -> Result<Place> {
        if param.kind != ParamKind::Exec {
            return Ok(Place::Value(repr));
        }
        if let Some(&(_, at, repr)) = self.layout.parameters.iter().find(|(number, ..)| *number == param.number) {
            return Ok(Place::Column(at, repr));
        }
        let missing = || Error::new(sqlstate::INTERNAL_ERROR, format!("parameter {} has no type", param.number));
        let repr = *self.compiler.parameters.get(param.number as usize).ok_or_else(missing)?;
        Ok(match self.compiler.init_parameters.contains(&param.number) {
            true => Place::InitPlan(repr),
            false => Place::Value(repr),
        })
    }
    fn sub_plan_type(&self, plan: usize) -> Result<TypeRef> {
        let missing = || Error::new(sqlstate::INTERNAL_ERROR, format!("no plan {plan} here"));
        self.compiler.planned.sub_plans.get(plan).and_then(|plan| plan.types().next()).ok_or_else(missing)
    }
}
