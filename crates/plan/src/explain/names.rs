//! What columns and parameters of a plan are called: columns of children are followed to where they come from.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};

use analyze::query::*;
use analyze::ruleutils::{Referent, VarNames, WindowReferent};
use error::sqlstate;
use types::{Error, Result};

use super::nodes::Shower;
use crate::plan::*;

/// A node, and the nodes around it.
#[derive(Clone, Copy)]
pub struct Frame<'f> {
    pub plan: &'f Plan,
    pub parent: Option<&'f Frame<'f>>,
    /// It is the top of this expression's plan, which stands in the parent.
    pub sub_plan: Option<&'f SubPlan>,
}

impl<'f> Frame<'f> {
    pub fn top(plan: &'f Plan) -> Frame<'f> {
        Frame { plan, parent: None, sub_plan: None }
    }

    pub fn child(&'f self, plan: &'f Plan) -> Frame<'f> {
        Frame { plan, parent: Some(self), sub_plan: None }
    }
}

/// Different names for the entries of a statement, those of its own plan first (`select_rtable_names_for_explain`).
pub fn relation_names(statement: &PlannedStmt) -> Vec<String> {
    let mut names: Vec<String> = statement.range_table.iter().map(|entry| entry.name.clone()).collect();
    let (mut used, mut named) = (HashSet::new(), HashSet::new());
    for plan in std::iter::once(&statement.plan).chain(&statement.sub_plans) {
        for relation in scanned(plan) {
            let Some(entry) = statement.range_table.get(relation.index()).filter(|_| named.insert(relation)) else {
                continue;
            };
            let mut number = 0;
            while !used.insert(names[relation.index()].clone()) {
                number += 1;
                names[relation.index()] = format!("{}_{number}", entry.name);
            }
        }
    }
    names
}

/// The entries that a plan's nodes scan, in their order (`ExplainPreScanNode`).
fn scanned(plan: &Plan) -> BTreeSet<RangeTableIndex> {
    fn add(plan: &Plan, found: &mut BTreeSet<RangeTableIndex>) {
        found.extend(plan.scanned());
        plan.children().for_each(|child| add(child, found));
    }
    let mut found = BTreeSet::new();
    add(plan, &mut found);
    found
}

/// Names as a node's expressions see them.
pub struct Names<'n> {
    pub shower: &'n Shower<'n>,
    pub frame: Frame<'n>,
    /// Columns show their tables.
    pub qualified: bool,
}

impl<'n> Names<'n> {
    fn at(&self, frame: Frame<'n>) -> Box<dyn VarNames + 'n> {
        Box::new(Names { shower: self.shower, frame, qualified: self.qualified })
    }

    /// A target of a child.
    fn of_child(&self, child: Option<&'n Plan>, attribute: i16) -> Result<Referent<'n>> {
        let lost = || Error::new(sqlstate::INTERNAL_ERROR, "a column of a plan has no source");
        let child = child.ok_or_else(lost)?;
        let target = child.targets.get(attribute as usize - 1).ok_or_else(lost)?;
        // Frames of children live as long as what is shown of this one: ancestors are asked for parameters only.
        let frame = Frame { plan: child, parent: self.frame.parent, sub_plan: self.frame.sub_plan };
        Ok(Referent::Expression { expr: &target.expr, names: self.at(frame) })
    }

    fn index_column(&self, attribute: i16) -> Option<(RangeTableIndex, i16)> {
        let Node::IndexOnlyScan(scan) = &self.frame.plan.node else { return None };
        let row = self.shower.explain.catalog.index(scan.index)?;
        Some((scan.scan.relation, *row.indkey.get(attribute as usize - 1)?))
    }

    fn column(&self, relation: RangeTableIndex, attribute: i16) -> Result<Referent<'n>> {
        let statement = self.shower.explain.statement;
        let entry = statement
            .range_table
            .get(relation.index())
            .ok_or_else(|| Error::new(sqlstate::INTERNAL_ERROR, "no such entry"))?;
        let table = self.shower.names.get(relation.index()).map(|name| Cow::Borrowed(name.as_str()));
        let name = match attribute {
            0 => None,
            1.. => {
                Some(Cow::Borrowed(entry.columns.get(attribute as usize - 1).map_or("?column?", |c| c.name.as_str())))
            }
            _ => Some(Cow::Borrowed(system_column(attribute))),
        };
        let qualified = self.qualified || attribute == 0;
        Ok(Referent::Column { relation: table, qualified, name })
    }
}

fn system_column(attribute: i16) -> &'static str {
    match attribute {
        -1 => "ctid",
        -2 => "xmin",
        -3 => "cmin",
        -4 => "xmax",
        -5 => "cmax",
        _ => "tableoid",
    }
}

impl VarNames for Names<'_> {
    fn var(&self, var: &Var) -> Result<Referent<'_>> {
        match var.relation {
            OUTER => self.of_child(self.frame.plan.outer(), var.attribute),
            INNER => self.of_child(self.frame.plan.inner(), var.attribute),
            INDEX => match self.index_column(var.attribute) {
                Some((relation, attribute)) => self.column(relation, attribute),
                None => Err(Error::new(sqlstate::INTERNAL_ERROR, "a column of no index")),
            },
            relation => self.column(relation, var.attribute),
        }
    }

    /// What a nested loop, a subplan or an init plan gives (`find_param_referent`, `find_param_generator`).
    fn param(&self, param: &Param) -> Result<Option<Referent<'_>>> {
        if param.kind != ParamKind::Exec {
            return Ok(None);
        }
        let mut frame = Some(&self.frame);
        let mut below: Option<&Plan> = None;
        while let Some(at) = frame {
            if let Node::NestLoop(node) = &at.plan.node
                && below.is_some_and(|below| std::ptr::eq(below, &node.join.inner))
                && let Some((_, var)) = node.parameters.iter().find(|(number, _)| *number == param.number)
            {
                let names = Names { shower: self.shower, frame: *at, qualified: true };
                let target = node.join.outer.targets.get(var.attribute as usize - 1);
                let target =
                    target.ok_or_else(|| Error::new(sqlstate::INTERNAL_ERROR, "a parameter without a column"))?;
                let frame = Frame { plan: &node.join.outer, parent: at.parent, sub_plan: at.sub_plan };
                return Ok(Some(Referent::Expression { expr: &target.expr, names: names.at(frame) }));
            }
            for init in &at.plan.init_plans {
                if let Some(column) = init.set_parameters.iter().position(|number| *number == param.number) {
                    return Ok(Some(Referent::Text(format!("({}).col{}", init.name, column + 1))));
                }
            }
            if let (Some(sub), Some(parent)) = (at.sub_plan, at.parent)
                && let Some(position) = sub.parameters.iter().position(|number| *number == param.number)
            {
                let names = Names { shower: self.shower, frame: *parent, qualified: true };
                let expr = &sub.arguments[position];
                return Ok(Some(Referent::Expression { expr, names: Box::new(names) }));
            }
            below = Some(at.plan);
            frame = at.parent;
        }
        Ok(None)
    }

    fn window(&self, _: WindowIndex) -> Result<WindowReferent<'_>> {
        match &self.frame.plan.node {
            Node::WindowAgg(window) => Ok(WindowReferent::Name(Cow::Borrowed(&window.name))),
            _ => Ok(WindowReferent::Name(Cow::Borrowed("?"))),
        }
    }
}
