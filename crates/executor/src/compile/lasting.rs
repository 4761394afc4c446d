//! How long the rows of subqueries' plans are true: what they depend on, with the plans that they run themselves.

use std::collections::HashSet;

use analyze::query::{Expr, ParamKind, Walk};
use catalog::Catalog;
use expression::clauses::contain_volatile_functions;
use expression::wait::Lasting;
use plan::plan::{Node, PlannedStmt};

use crate::compile::walk;

/// Of each of a statement's subqueries, CTEs and init plans.
pub fn of_sub_plans(planned: &PlannedStmt, catalog: Catalog<'_>) -> Vec<Lasting> {
    let own: Vec<Depends> = (0..planned.sub_plans.len()).map(|at| Depends::of(planned, at, catalog)).collect();
    let lasting = |at: usize| {
        let (mut all, mut seen, mut pending) = (Depends::default(), HashSet::from([at]), vec![at]);
        while let Some(next) = pending.pop() {
            let Some(depends) = own.get(next) else { continue };
            all.volatile |= depends.volatile;
            all.of_run |= depends.of_run;
            all.takes.extend(&depends.takes);
            all.gives.extend(&depends.gives);
            pending.extend(depends.plans.iter().filter(|plan| seen.insert(**plan)));
        }
        match (all.volatile, all.of_run || !all.takes.is_subset(&all.gives)) {
            (true, _) => Lasting::Never,
            (_, true) => Lasting::Parameters,
            _ => Lasting::Statement,
        }
    };
    (0..own.len()).map(lasting).collect()
}

#[derive(Default)]
struct Depends {
    volatile: bool,
    /// It reads rows that another node keeps.
    of_run: bool,
    /// `Exec` parameters that it uses, and those that get their values in it.
    takes: HashSet<u32>,
    gives: HashSet<u32>,
    /// Plans that it runs.
    plans: Vec<usize>,
}

impl Depends {
    fn of(planned: &PlannedStmt, at: usize, catalog: Catalog<'_>) -> Depends {
        let (plan, mut found) = (&planned.sub_plans[at], Depends::default());
        walk::visit(plan, &mut |plan| {
            for init in &plan.init_plans {
                found.plans.push(init.plan);
                found.gives.extend(&init.set_parameters);
            }
            match &plan.node {
                Node::CteScan { .. } | Node::WorkTableScan { .. } => found.of_run = true,
                Node::NestLoop(node) => found.gives.extend(node.parameters.iter().map(|(number, _)| *number)),
                _ => {}
            }
        });
        walk::exprs_of(plan, &mut |expr| {
            found.volatile |= contain_volatile_functions(catalog, expr);
            found.look(expr);
            Walk::On
        });
        found.volatile |= walk::changes_rows(plan);
        found
    }

    fn look(&mut self, expr: &Expr) {
        match expr {
            Expr::Param(param) if param.kind == ParamKind::Exec => {
                self.takes.insert(param.number);
            }
            Expr::SubPlan(plan) => {
                self.plans.push(plan.plan);
                self.gives.extend(plan.columns.iter().chain(&plan.parameters));
            }
            _ => {}
        }
        expr.walk(
            &mut |child| {
                self.look(child);
                Walk::On
            },
            &mut |_| Walk::On,
        );
    }
}
