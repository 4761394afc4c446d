//! Damage that is done to plans is found, each by what is wrong with it. (What is planned in debug builds has none, or panics.)

#[path = "../../analyze/tests/statements/mod.rs"]
#[allow(dead_code)]
mod statements;

use analyze::query::*;
use plan::plan::*;
use plan::plancat::NoStatistics;
use plan::verify::verified;
use plan::{Planner, planner};
use statements::{Tables, rewritten};
use types::oid;

fn planned(tables: &Tables, text: &str) -> PlannedStmt {
    let mut rewritten = rewritten(tables, text).expect(text);
    let query = std::mem::replace(&mut rewritten.query, Query::new(CommandType::Select));
    let catalog = tables.catalog();
    let with = Planner {
        catalog,
        relations: &catalog,
        statistics: &NoStatistics,
        context: &types::Context::default(),
        execution: &expression::Execution::default(),
        settings: &plan::path::PlannerSettings::default(),
        parameters: None,
        tuple_fraction: 0.0,
        depth: 100,
    };
    planner(query, &with).expect(text)
}

fn finds(sql: &str, expected: &str, damage: impl FnOnce(&mut PlannedStmt)) {
    let tables = Tables::new();
    let mut planned = planned(&tables, sql);
    assert_eq!(verified(&planned, tables.catalog()), Ok(()), "{sql}");
    damage(&mut planned);
    let finding = verified(&planned, tables.catalog()).expect_err(sql);
    assert!(finding.contains(expected), "{sql}: {finding}, not {expected}");
}

/// The first node for which `is` gives something, the top one first.
fn node<'p, T>(plan: &'p mut Plan, is: &dyn Fn(&Plan) -> bool, get: impl FnOnce(&'p mut Plan) -> T) -> T {
    let mut at = plan;
    while !is(at) {
        at = match &mut at.node {
            Node::Sort { child, .. } | Node::Limit { child, .. } | Node::Unique { child, .. } => child,
            Node::Material { child } | Node::SubqueryScan { child, .. } => child,
            Node::Result { child: Some(child), .. } => child,
            Node::Agg(agg) => &mut agg.child,
            Node::WindowAgg(window) => &mut window.child,
            Node::ModifyTable(modify) => &mut modify.child,
            other => panic!("{other:?}"),
        };
    }
    get(at)
}

fn var(expr: &mut Expr) -> &mut Var {
    match expr {
        Expr::Var(var) => var,
        other => panic!("{other:?}"),
    }
}

#[test]
fn columns_that_a_child_does_not_give() {
    let top = |planned: &mut PlannedStmt, change: fn(&mut Var)| change(var(&mut planned.plan.targets[0].expr));
    finds("select a from t order by b", "column 9 of the outer side", |planned| top(planned, |var| var.attribute = 9));
    finds("select a from t order by b", "it is of type 23", |planned| top(planned, |var| var.ty.oid = oid::TEXT));
    finds("select a from t order by b", "the inner side", |planned| top(planned, |var| var.relation = INNER));
    finds("select a from t", "column 10 of entry 1", |planned| top(planned, |var| var.attribute = 10));
    finds("select a from t", "column 1 of entry 2", |planned| top(planned, |var| var.relation = RangeTableIndex(2)));
    finds("select a from t", "it is a query's further out", |planned| top(planned, |var| var.levels_up = 1));
    finds("select a from t order by b", "the child has no column 2", |planned| match &mut planned.plan.node {
        Node::Sort { child, .. } => drop(child.targets.pop()),
        other => panic!("{other:?}"),
    });
}

#[test]
fn keys_that_are_not_there() {
    let key = |planned: &mut PlannedStmt, change: fn(&mut SortKey)| match &mut planned.plan.node {
        Node::Sort { keys, .. } => change(&mut keys[0]),
        other => panic!("{other:?}"),
    };
    finds("select a from t order by b", "the child has no column 5", |planned| key(planned, |key| key.column = 5));
    finds("select a from t order by b", "does not compare values of type 25", |planned| {
        key(planned, |key| key.operator = 97)
    });
    finds("select a, count(*) from t group by a", "the child has no column 0", |planned| {
        node(&mut planned.plan, &|plan| matches!(plan.node, Node::Agg(_)), |plan| match &mut plan.node {
            Node::Agg(agg) => agg.keys[0].column = 0,
            other => panic!("{other:?}"),
        });
    });
    finds(
        "select a, count(*) from t group by grouping sets ((a), ())",
        "a grouping set of what is no key",
        |planned| {
            node(&mut planned.plan, &|plan| matches!(plan.node, Node::Agg(_)), |plan| match &mut plan.node {
                Node::Agg(agg) => agg.grouping_sets[0] = vec![7],
                other => panic!("{other:?}"),
            });
        },
    );
}

#[test]
fn nodes_that_do_not_compute_it() {
    finds("select count(*) from t", "an aggregate where none is computed", |planned| match &mut planned.plan.node {
        Node::Agg(agg) => agg.child.targets.push(planned.plan.targets[0].clone()),
        other => panic!("{other:?}"),
    });
    finds("select generate_series(1, 2)", "a call that returns a set", |planned| {
        let targets = planned.plan.targets.clone();
        match &mut planned.plan.node {
            Node::ProjectSet { child } => child.targets = targets,
            other => panic!("{other:?}"),
        }
    });
    finds("select count(*) over () from t", "a window function where none is computed", |planned| {
        match &mut planned.plan.node {
            Node::WindowAgg(window) => window.child.targets.push(planned.plan.targets[0].clone()),
            other => panic!("{other:?}"),
        }
    });
}

#[test]
fn joins_of_other_types() {
    fn clause(planned: &mut PlannedStmt) -> &mut HashClause {
        match &mut planned.plan.node {
            Node::HashJoin(join) => &mut join.clauses[0],
            Node::MergeJoin(join) => &mut join.clauses[0].clause,
            other => panic!("{other:?}"),
        }
    }
    let sql = "select t.b from t join v on v.t_a = t.a";
    finds(sql, "operator", |planned| clause(planned).operator = 98);
    finds(sql, "the inner side", |planned| var(&mut clause(planned).outer).relation = INNER);
    finds(sql, "it is not here", |planned| var(&mut clause(planned).inner).attribute = 44);
}

#[test]
fn parameters_that_nothing_gives() {
    // A subquery that depends on the row.
    let sql = "select (select max(x) from u where u.a = t.a) from t";
    finds(sql, "nothing gives Param", |planned| match &mut planned.plan.targets[0].expr {
        Expr::SubPlan(plan) => (plan.parameters, plan.arguments) = (vec![], vec![]),
        other => panic!("{other:?}"),
    });
    finds(sql, "is of type 23, not 25", |planned| match &mut planned.plan.targets[0].expr {
        Expr::SubPlan(plan) => {
            plan.arguments[0] =
                Expr::Const(Const { ty: TypeRef::of(oid::TEXT), value: types::Datum::Null, location: Location::NONE })
        }
        other => panic!("{other:?}"),
    });
    finds(sql, "no plan 3", |planned| match &mut planned.plan.targets[0].expr {
        Expr::SubPlan(plan) => plan.plan = 3,
        other => panic!("{other:?}"),
    });
    // One that does not.
    let sql = "select a from t where a = (select max(a) from u)";
    finds(sql, "nothing gives Param", |planned| planned.plan.init_plans.clear());
    finds(sql, "no parameter Exec", |planned| planned.parameters.clear());
    // WITH.
    let sql = "with x as materialized (select a from t) select * from x, x as y";
    finds(sql, "nothing gives Cte", |planned| planned.plan.init_plans.clear());
    let sql = "with recursive x as (select 1 as a union all select a + 1 from x where a < 5) select a from x";
    finds(sql, "nothing gives WorkTable", |planned| match &mut planned.sub_plans[0].node {
        Node::RecursiveUnion(union) => union.work_table += 1,
        other => panic!("{other:?}"),
    });
}

#[test]
fn arms_and_rows_of_other_types() {
    finds("select a from t union all select a from u", "one child gives", |planned| match &mut planned.plan.node {
        Node::Append { children } => drop(children[1].targets.pop()),
        other => panic!("{other:?}"),
    });
    finds("select a from t intersect select a from u", "the child has no column 1", |planned| {
        match &mut planned.plan.node {
            Node::SetOp(operation) => operation.right.targets.clear(),
            other => panic!("{other:?}"),
        }
    });
    finds("insert into t values (1)", "values for 9 columns", |planned| match &mut planned.plan.node {
        Node::ModifyTable(modify) => drop(modify.child.targets.pop()),
        other => panic!("{other:?}"),
    });
    finds("update t set a = 1", "column b gets a value of type 23", |planned| match &mut planned.plan.node {
        Node::ModifyTable(modify) => modify.columns[0] = 2,
        other => panic!("{other:?}"),
    });
    finds("delete from t", "is no row of table", |planned| match &mut planned.plan.node {
        Node::ModifyTable(modify) => modify.row = 7,
        other => panic!("{other:?}"),
    });
    finds("select a from t for update", "is no row of table", |planned| match &mut planned.plan.node {
        Node::LockRows { marks, .. } => marks[0].row = 0,
        other => panic!("{other:?}"),
    });
}

#[test]
fn tables_that_the_plan_does_not_depend_on() {
    finds("select a from t", "none that the plan depends on", |planned| planned.relations.clear());
    finds("select a from t", "is not table 1", |planned| match &mut planned.plan.node {
        Node::SeqScan(scan) => scan.table = 1,
        other => panic!("{other:?}"),
    });
}
