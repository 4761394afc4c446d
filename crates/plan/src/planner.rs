//! The planner's entry: PostgreSQL's `planner.c`.
//!
//! A query is prepared ([`crate::prep`]), then paths are made for it ([`crate::path`]), of which the cheapest becomes a plan.
//! Queries below it go the same way while it is under way, through [`PlannerGlobal::plan_subquery`]: what makes paths and what
//! prepares queries stands below this file and does not name it.

use analyze::query::*;
use types::Result;

use crate::path::upper::grouping::grouping_planner;
use crate::plan::PlannedStmt;
use crate::plan::create_plan::create_plan;
use crate::planner_info::{Level, Planner, PlannerGlobal, PlannerInfo, SubqueryOptions, in_stack};
use crate::prep::min_max::by_index;
use crate::prep::prepare;
use crate::verify;

/// The plan of a statement (`standard_planner`).
pub fn planner(query: Query, planner: &Planner) -> Result<PlannedStmt> {
    in_stack(planner, || {
        let command = query.command;
        let has_rows = command == CommandType::Select || !query.returning.is_empty();
        let mut global = PlannerGlobal::new(planner, subquery_planner);
        let tuple_fraction = planner.tuple_fraction;
        let mut root = subquery_planner(&mut global, query, SubqueryOptions { tuple_fraction, ..Default::default() })?;
        let plan = create_plan(&mut global, &mut root, tuple_fraction)?;
        let planned = PlannedStmt {
            command,
            plan,
            sub_plans: global.sub_plans,
            parameters: global.parameters,
            range_table: global.range_table,
            has_rows,
            modifying: global.modifying,
            relations: global.relations,
            named: global.named,
            custom: planner.parameters.is_some(),
        };
        verify::planned(&planned, planner.catalog);
        Ok(planned)
    })
}

/// Prepares a query and makes its paths (`subquery_planner`). The level above is under way.
pub fn subquery_planner<'a>(
    global: &mut PlannerGlobal<'a>,
    mut query: Query,
    options: SubqueryOptions,
) -> Result<PlannerInfo<'a>> {
    in_stack(global.planner, || {
        global.levels.push(Level { merges: query.command == CommandType::Merge, ..Level::default() });
        // Columns of queries around may have become sublinks.
        query.has_sublinks |= global.levels.len() > 1;
        let by_index = by_index(global.planner, &query);
        let mut root = PlannerInfo::new(global.planner, query, global.levels.len());
        if options.recursive {
            root.work_table = Some(global.work_tables);
            global.work_tables += 1;
        }
        root.run_conditions = options.run_conditions;
        prepare(global, &mut root)?;
        verify::prepared(global, &root);
        grouping_planner(global, &mut root, options.tuple_fraction)?;
        if let Some(query) = by_index {
            let mut other = PlannerInfo::new(global.planner, query, root.level);
            prepare(global, &mut other)?;
            grouping_planner(global, &mut other, options.tuple_fraction)?;
            if other.cheapest_cost() < root.cheapest_cost() {
                root = other;
            }
        }
        global.levels.pop();
        Ok(root)
    })
}
