//! WITH: a query that is read once becomes a subquery of its reader; the others are planned and their rows kept
//! (`SS_process_ctes`).

use analyze::query::*;
use expression::clauses::query_contains_volatile_functions;
use types::Result;

use crate::manip::{Mutator, increment_levels_in_query, mutate_whole};
use crate::plan::create_plan::create_plan;
use crate::planner_info::{CtePlan, PlannerGlobal, PlannerInfo, SubqueryOptions};

/// Plans a query's WITH list.
pub fn process_ctes<'a>(global: &mut PlannerGlobal<'a>, root: &mut PlannerInfo<'a>) -> Result<()> {
    let ctes = std::mem::take(&mut root.query.ctes);
    let mut rest = ctes.into_iter().collect::<std::collections::VecDeque<_>>();
    while let Some(cte) = rest.pop_front() {
        let plan = if cte.query.command == CommandType::Select && cte.references == 0 {
            None
        } else if may_inline(root, &cte) {
            let mut inline = Inline { cte };
            for later in &mut rest {
                mutate_whole(&mut inline, &mut later.query, 1);
            }
            mutate_whole(&mut inline, &mut root.query, 0);
            root.query.has_sublinks |= inline.cte.query.has_sublinks;
            global.levels[root.level - 1].ctes.push(CtePlan { name: inline.cte.name, plan: None });
            continue;
        } else {
            Some(plan_cte(global, root, &cte.name, cte.query, cte.recursive)?)
        };
        global.levels[root.level - 1].ctes.push(CtePlan { name: cte.name, plan });
    }
    Ok(())
}

fn may_inline(root: &PlannerInfo, cte: &CommonTableExpr) -> bool {
    let wanted = match cte.materialized {
        Materialized::Never => true,
        Materialized::Default => cte.references == 1,
        Materialized::Always => false,
    };
    wanted
        && !cte.recursive
        && cte.query.command == CommandType::Select
        && !changes_data(&cte.query)
        && (cte.references <= 1 || !reads_itself_outside(&cte.query, 1))
        && !query_contains_volatile_functions(root.planner.catalog, &cte.query)
}

/// `contain_dml`, with row locks.
fn changes_data(query: &Query) -> bool {
    query.command != CommandType::Select
        || !query.row_marks.is_empty()
        || query.has_modifying_cte
        || query.subqueries().any(changes_data)
}

/// Does it read the rows of a recursive query around it (`contain_outer_selfref`)?
fn reads_itself_outside(query: &Query, depth: u32) -> bool {
    let outside = |entry: &RangeTableEntry| match &entry.kind {
        RangeTableKind::Cte { self_reference, levels_up, .. } => *self_reference && *levels_up >= depth,
        _ => false,
    };
    query.range_table.iter().any(outside) || query.subqueries().any(|inner| reads_itself_outside(inner, depth + 1))
}

/// Puts the query in the places of its readers (`inline_cte`).
struct Inline {
    cte: CommonTableExpr,
}

impl Mutator for Inline {
    fn expr(&mut self, _: &mut Expr, _: u32) -> bool {
        true
    }

    fn query(&mut self, query: &mut Query, depth: u32) {
        for entry in &mut query.range_table {
            if let RangeTableKind::Cte { name, levels_up, .. } = &entry.kind
                && *levels_up == depth
                && *name == self.cte.name
            {
                let mut inlined = self.cte.query.clone();
                if depth > 0 {
                    increment_levels_in_query(&mut inlined, depth as i32, 1);
                }
                entry.kind = RangeTableKind::Subquery(Box::new(inlined));
            }
        }
    }
}

fn plan_cte<'a>(
    global: &mut PlannerGlobal<'a>,
    root: &mut PlannerInfo<'a>,
    name: &str,
    query: Query,
    recursive: bool,
) -> Result<usize> {
    let command = query.command;
    let mut below = global.plan_subquery(query, SubqueryOptions { recursive, ..Default::default() })?;
    let plan = create_plan(global, &mut below, 0.0)?;
    let (startup_cost, total) = (plan.cost.startup, plan.cost.total);
    global.sub_plans.push(plan);
    let number = global.sub_plans.len() - 1;
    if command != CommandType::Select {
        global.modifying.push(number);
    }
    root.init_plans.push(SubPlan {
        kind: SubLinkKind::Cte,
        test: None,
        columns: Vec::new(),
        plan: number,
        name: format!("CTE {name}"),
        result: TypeRef::of(types::oid::VOID),
        hashed: false,
        set_parameters: Vec::new(),
        parameters: Vec::new(),
        arguments: Vec::new(),
        startup_cost,
        per_call_cost: total - startup_cost,
        alternative: None,
    });
    Ok(number)
}
