//! Columns, parameters and subplans in the expressions of a plan's nodes.

use analyze::query::*;
use analyze::verify::{Around, Checked, holds, tree};
use types::{Oid, oid};

use super::Verifier;
use crate::plan::{CTID, INDEX, INNER, IndexScan, OUTER, TABLE_OID, XMAX, XMIN};

/// Commands' numbers in a transaction: the executor refuses them.
const CMIN: i16 = -3;
const CMAX: i16 = -5;

/// Where an expression's columns come from, and what beside columns it may have.
#[derive(Clone, Copy, Default)]
pub struct Rows<'p> {
    pub outer: Option<&'p [TargetEntry]>,
    pub inner: Option<&'p [TargetEntry]>,
    /// Columns of an index.
    pub index: Option<&'p IndexScan>,
    /// Entries whose rows the node has itself.
    pub entries: &'p [RangeTableIndex],
    /// Aggregates of the node, window functions of it, calls that give sets.
    pub aggregates: bool,
    pub window_functions: bool,
    pub sets: bool,
}

impl<'p> Rows<'p> {
    /// Those of no table and no child: there are parameters and constants only.
    pub fn none() -> Rows<'p> {
        Rows::default()
    }

    pub fn outer(targets: &'p [TargetEntry]) -> Rows<'p> {
        Rows { outer: Some(targets), ..Rows::default() }
    }

    pub fn both(outer: &'p [TargetEntry], inner: &'p [TargetEntry]) -> Rows<'p> {
        Rows { outer: Some(outer), inner: Some(inner), ..Rows::default() }
    }

    pub fn entries(entries: &'p [RangeTableIndex]) -> Rows<'p> {
        Rows { entries, ..Rows::default() }
    }

    pub fn index(scan: &'p IndexScan) -> Rows<'p> {
        Rows { index: Some(scan), ..Rows::default() }
    }
}

impl Verifier<'_> {
    pub fn exprs<'e>(&self, exprs: impl IntoIterator<Item = &'e Expr>, rows: Rows<'_>) -> Checked {
        exprs.into_iter().try_for_each(|expr| self.expr(expr, rows))
    }

    pub fn targets(&self, targets: &[TargetEntry], rows: Rows<'_>) -> Checked {
        self.exprs(targets.iter().map(|target| &target.expr), rows)
    }

    /// Conditions of an index, as EXPLAIN prints them: an operand may be the column without a conversion that changes its
    /// type's name alone.
    pub fn shown_conditions(&self, conditions: &[Expr], rows: Rows<'_>) -> Checked {
        let mut each = |expr: &Expr, _: Around<'_>| self.one(expr, rows);
        let mut query = |_: &Query| Err("a sublink without a plan".to_string());
        conditions.iter().try_for_each(|expr| tree(None, expr, Around::default(), &mut each, &mut query))
    }

    /// Fails unless conditions are such, and their columns there.
    pub fn conditions(&self, conditions: &[Expr], rows: Rows<'_>) -> Checked {
        let boolean = |expr: &Expr| expr.ty().oid == oid::BOOL;
        holds(conditions.iter().all(boolean), || "a condition is not boolean")?;
        self.exprs(conditions, rows)
    }

    pub fn expr(&self, expr: &Expr, rows: Rows<'_>) -> Checked {
        let mut each = |expr: &Expr, _: Around<'_>| self.one(expr, rows);
        let mut query = |_: &Query| Err("a sublink without a plan".to_string());
        tree(Some(self.catalog), expr, Around::default(), &mut each, &mut query)
    }

    fn one(&self, expr: &Expr, rows: Rows<'_>) -> Checked {
        match expr {
            Expr::Var(var) => self.column(var, rows),
            Expr::Param(param) => self.param(param),
            Expr::Aggref(call) => {
                holds(rows.aggregates && call.levels_up == 0, || "an aggregate where none is computed")
            }
            Expr::GroupingFunc(_) => holds(rows.aggregates, || "GROUPING where nothing is grouped"),
            Expr::WindowFunc(call) => {
                let computed = rows.window_functions && call.window == WindowIndex(0);
                holds(computed, || "a window function where none is computed")
            }
            Expr::FuncExpr(call) => {
                holds(rows.sets || !call.returns_set, || "a call that returns a set, where a row gives one value")
            }
            Expr::SetToDefault(_) => Err("DEFAULT in a plan".to_string()),
            Expr::SubPlan(plan) => self.sub_plan(plan),
            _ => Ok(()),
        }
    }

    fn column(&self, var: &Var, rows: Rows<'_>) -> Checked {
        let name = || format!("column {} of {}, type {:?}", var.attribute, entry_name(var.relation), var.ty);
        holds(var.levels_up == 0, || format!("{}: it is a query's further out", name()))?;
        let of_targets = |targets: Option<&[TargetEntry]>| {
            let target = usize::try_from(var.attribute - 1).ok().and_then(|at| targets?.get(at));
            target.map(|target| target.expr.ty().oid)
        };
        let found = match var.relation {
            OUTER => of_targets(rows.outer),
            INNER => of_targets(rows.inner),
            INDEX => rows.index.and_then(|scan| self.index_column(scan, var)),
            relation if rows.entries.contains(&relation) => self.entry_column(var),
            _ => None,
        };
        let found = found.ok_or_else(|| format!("{}: it is not here", name()))?;
        // A row that is carried along to be looked at again is a record, as which row type it may be named.
        let same = found == var.ty.oid || found == oid::RECORD && self.catalog.is_complex(var.ty.oid);
        holds(same, || format!("{}: it is of type {found}", name()))
    }

    /// The type of a column of an entry of the statement's list.
    fn entry_column(&self, var: &Var) -> Option<Oid> {
        let entry = self.planned.range_table.get(var.relation.index())?;
        match var.attribute {
            CTID => Some(oid::TID),
            XMIN | XMAX => Some(oid::XID),
            CMIN | CMAX => Some(oid::CID),
            TABLE_OID => Some(oid::OID),
            // The whole row: of the table's type, or a record.
            0 => Some(var.ty.oid).filter(|&ty| ty == oid::RECORD || self.catalog.is_complex(ty)),
            attribute => entry.columns.get(usize::try_from(attribute).ok()? - 1).map(|column| column.ty.oid),
        }
    }

    /// The type of a column of an index; that of an expression is what is asked for.
    fn index_column(&self, scan: &IndexScan, var: &Var) -> Option<Oid> {
        let keys = &self.catalog.index(scan.index)?.indkey;
        match *keys.get(usize::try_from(var.attribute - 1).ok()?)? {
            0 => Some(var.ty.oid),
            attribute => self.entry_column(&Var { relation: scan.scan.relation, attribute, ..*var }),
        }
    }

    /// The type of an `Exec` parameter.
    pub fn param_type(&self, number: u32) -> std::result::Result<Oid, String> {
        let found = self.planned.parameters.get(number as usize).map(|ty| ty.oid);
        found.ok_or_else(|| format!("no parameter Exec {number}"))
    }

    fn param(&self, param: &Param) -> Checked {
        match param.kind {
            ParamKind::External => Ok(()),
            ParamKind::Exec => {
                let ty = self.param_type(param.number)?;
                holds(ty == param.ty.oid, || format!("parameter Exec {} is of type {ty}", param.number))
            }
            ParamKind::SubLink | ParamKind::MultiExpr => Err("a parameter of a sublink in a plan".to_string()),
        }
    }

    /// Fails unless a subplan's parameters are of the types of what is put into them.
    pub fn sub_plan(&self, plan: &SubPlan) -> Checked {
        holds(plan.alternative.is_none(), || format!("{} has an alternative still", plan.name))?;
        let columns = self.shown_types(plan.plan)?;
        let same = |number: u32, ty: Oid| {
            let found = self.param_type(number)?;
            holds(found == ty, || format!("parameter Exec {number} of {} is of type {found}, not {ty}", plan.name))
        };
        let mut given = plan.parameters.iter().zip(&plan.arguments);
        given.try_for_each(|(number, argument)| same(*number, argument.ty().oid))?;
        let of_columns: &[u32] = match plan.kind {
            SubLinkKind::Exists | SubLinkKind::Array => {
                plan.set_parameters.iter().try_for_each(|number| same(*number, plan.result.oid))?;
                &[]
            }
            _ => &plan.set_parameters,
        };
        for numbers in [of_columns, &plan.columns] {
            holds(numbers.is_empty() || numbers.len() <= columns.len(), || {
                format!("{} has not these columns", plan.name)
            })?;
            numbers.iter().zip(&columns).try_for_each(|(number, column)| same(*number, column.oid))?;
        }
        Ok(())
    }
}

fn entry_name(relation: RangeTableIndex) -> String {
    match relation {
        OUTER => "the outer side".to_string(),
        INNER => "the inner side".to_string(),
        INDEX => "the index".to_string(),
        RangeTableIndex(number) => format!("entry {number}"),
    }
}
