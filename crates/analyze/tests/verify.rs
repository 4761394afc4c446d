//! Damage that is done to trees is found, each by what is wrong with it; trees of all statements of these tests have none.

#[allow(dead_code)]
mod statements;

use analyze::Analyzed;
use analyze::query::*;
use analyze::verify::{Checked, Known, Stage, verified};
use statements::{Tables, analyzed, rewritten};
use types::{Datum, oid};

fn found(tables: &Tables, stage: Stage, analyzed: &Analyzed) -> Checked {
    let catalog = tables.catalog();
    let known = Known {
        catalog,
        relations: &catalog,
        external: Some(&analyzed.parameters),
        exec: &[TypeRef::of(oid::INT4)],
        plans: 1,
    };
    verified(stage, &analyzed.query, &known)
}

/// What analysis makes of a statement, damaged, is found so.
fn finds(sql: &str, expected: &str, damage: impl FnOnce(&mut Query)) {
    let tables = Tables::new();
    let mut analyzed = analyzed(&tables, sql).unwrap();
    assert_eq!(found(&tables, Stage::Analysis, &analyzed), Ok(()), "{sql}");
    damage(&mut analyzed.query);
    let finding = found(&tables, Stage::Analysis, &analyzed).expect_err(sql);
    assert!(finding.contains(expected), "{sql}: {finding}, not {expected}");
}

fn var(query: &mut Query, target: usize) -> &mut Var {
    match &mut query.targets[target].expr {
        Expr::Var(var) => var,
        other => panic!("{other:?}"),
    }
}

fn operator(query: &mut Query) -> &mut OpExpr {
    match query.join_tree.condition.as_mut() {
        Some(Expr::OpExpr(operator)) => operator,
        other => panic!("{other:?}"),
    }
}

fn call(query: &mut Query) -> &mut FuncExpr {
    match &mut query.targets[0].expr {
        Expr::FuncExpr(call) => call,
        other => panic!("{other:?}"),
    }
}

fn number(value: i32) -> Expr {
    Expr::Const(Const { ty: TypeRef::of(oid::INT4), value: Datum::I32(value), location: Location::NONE })
}

#[test]
fn columns_that_are_not_there() {
    finds("select a, b from t", "no column 10 of entry 1", |query| var(query, 0).attribute = 10);
    finds("select a, b from t", "no column 1 of entry 1", |query| var(query, 0).ty.oid = oid::INT8);
    finds("select c from t", "it is of type", |query| var(query, 0).ty.typmod = -1);
    finds("select a from t", "no column 1 of entry 2", |query| var(query, 0).relation = RangeTableIndex(2));
    finds("select a from t", "no column 1 of entry 1", |query| var(query, 0).levels_up = 1);
    finds("select ctid from t", "no column -1 of type 23", |query| var(query, 0).ty.oid = oid::INT4);
    finds("select x from (select a as x from t) s", "it is of type", |query| var(query, 0).ty.oid = oid::TEXT);
    finds("select a from t", "an entry that is not joined", |query| query.join_tree.from.clear());
    finds("select t.a from t join u on t.a = u.a", "is joined twice", |query| {
        let again = query.join_tree.from[0].clone();
        query.join_tree.from.push(again);
    });
    finds("select t.a from t join u on t.a = u.a", "is not the join", |query| match &mut query.join_tree.from[0] {
        JoinTree::Join(join) => join.kind = JoinType::Left,
        other => panic!("{other:?}"),
    });
}

#[test]
fn entries_whose_columns_are_others() {
    let column = |query: &mut Query, ty| {
        query.range_table[0].columns = vec![Column { ty, ..query.range_table[0].columns[0].clone() }].into()
    };
    finds("select x from (select 1 as x) s", "column 1 is of type", |query| column(query, TypeRef::of(oid::TEXT)));
    finds("values (1), (2)", "a value is of type 23, not 20", |query| column(query, TypeRef::of(oid::INT8)));
    finds("select a from t", "its columns are not the relation's", |query| {
        let mut columns = query.range_table[0].columns.to_vec();
        columns[1].ty.oid = oid::INT4;
        query.range_table[0].columns = columns.into();
    });
    finds("with x as (select 1 as a) select a from x", "no WITH query y", |query| {
        query.ctes[0].name = "y".to_string();
        query.range_table[0].kind = RangeTableKind::Cte { name: "x".to_string(), levels_up: 0, self_reference: false };
        query.ctes[0].name = "z".to_string();
        query.range_table[0].kind = RangeTableKind::Cte { name: "y".to_string(), levels_up: 0, self_reference: false };
    });
    finds("select * from generate_series(1, 2) with ordinality", "its functions have 3 columns", |query| {
        match &mut query.range_table[0].kind {
            RangeTableKind::Function { functions, .. } => functions[0].columns = 2,
            other => panic!("{other:?}"),
        }
    });
}

#[test]
fn calls_of_what_is_not_declared_so() {
    finds("select a from t where a = 1", "arguments of types [23, 25]", |query| {
        operator(query).arguments[1] =
            Expr::Const(Const { ty: TypeRef::of(oid::TEXT), value: Datum::text("1"), location: Location::NONE });
    });
    finds("select a + 1 from t", "a result of type 20", |query| match &mut query.targets[0].expr {
        Expr::OpExpr(operator) => operator.result = oid::INT8,
        other => panic!("{other:?}"),
    });
    finds("select a from t where a = 1", "does not call function", |query| operator(query).function = 1);
    finds("select a from t where a = 1", "1 arguments where 2", |query| drop(operator(query).arguments.pop()));
    finds("select a from t where a = 1", "operator 1 does not call", |query| operator(query).operator = 1);
    finds("select lower(b) from t", "arguments of types [23]", |query| call(query).arguments[0] = number(1));
    finds("select lower(b) from t", "a result of type 20", |query| call(query).result.oid = oid::INT8);
    finds("select lower(b) from t", "2 arguments where 1", |query| call(query).arguments.push(number(1)));
    finds("select lower(b) from t", "returns a set", |query| call(query).returns_set = true);
    finds("select array_append(arr, 1) from t", "function array_append", |query| {
        call(query).arguments[1] =
            Expr::Const(Const { ty: TypeRef::of(oid::TEXT), value: Datum::text("1"), location: Location::NONE });
    });
    finds("select sum(a) from t", "is no aggregate", |query| match &mut query.targets[0].expr {
        Expr::Aggref(call) => call.function = 870,
        other => panic!("{other:?}"),
    });
    finds("select sum(a) from t", "said to have none", |query| query.has_aggregates = false);
    finds("select count(*) over () from t", "no window 1", |query| match &mut query.targets[0].expr {
        Expr::WindowFunc(call) => call.window = WindowIndex(1),
        other => panic!("{other:?}"),
    });
}

#[test]
fn nodes_of_the_wrong_type() {
    let target = |expr: Expr| move |query: &mut Query| query.targets[0].expr = expr;
    finds(
        "select 1",
        "is no value of type 25",
        target(Expr::Const(Const { ty: TypeRef::of(oid::TEXT), value: Datum::I32(1), location: Location::NONE })),
    );
    finds("select 1", "the value of a CASE", target(Expr::CaseTest(TypeRef::of(oid::INT4))));
    finds("select a from t where h", "a condition is of type 23", |query| query.join_tree.condition = Some(number(1)));
    finds("select a from t where h and not h", "an argument of AND", |query| {
        match query.join_tree.condition.as_mut() {
            Some(Expr::BoolExpr(junction)) => junction.arguments[0] = number(1),
            other => panic!("{other:?}"),
        }
    });
    finds("select case a when 1 then 'x' else 'y' end from t", "the result of a CASE", |query| {
        match &mut query.targets[0].expr {
            Expr::Case(case) => case.otherwise = Some(number(1)),
            other => panic!("{other:?}"),
        }
    });
    finds("select case a when 1 then 'x' else 'y' end from t", "the value of a CASE", |query| {
        match &mut query.targets[0].expr {
            Expr::Case(case) => case.argument = None,
            other => panic!("{other:?}"),
        }
    });
    finds("select coalesce(a, 1) from t", "COALESCE is of type 23, not 20", |query| match &mut query.targets[0].expr {
        Expr::Coalesce(coalesce) => coalesce.ty.oid = oid::INT8,
        other => panic!("{other:?}"),
    });
    finds("select arr[1] from t", "a part of type 23 is of type 20", |query| match &mut query.targets[0].expr {
        Expr::SubscriptingRef(part) => part.result.oid = oid::INT8,
        other => panic!("{other:?}"),
    });
    finds("select array[1, 2]", "an element of an array", |query| match &mut query.targets[0].expr {
        Expr::Array(array) => {
            array.elements[0] =
                Expr::Const(Const { ty: TypeRef::of(oid::INT8), value: Datum::I64(1), location: Location::NONE })
        }
        other => panic!("{other:?}"),
    });
}

#[test]
fn clauses_that_name_nothing() {
    finds("select a from t order by a", "no target has reference 7", |query| query.sort_clause[0].reference = 7);
    finds("select a from t order by a", "does not compare values of type 23", |query| query.sort_clause[0].sort = 664);
    finds("select a from t group by a", "no operator 1", |query| query.group_clause[0].equality = 1);
    finds("select distinct a from t", "no target has reference 0", |query| match &mut query.distinct {
        Distinct::All(clauses) => clauses[0].reference = 0,
        other => panic!("{other:?}"),
    });
    finds("select a, b from t order by a, b", "two targets have reference 1", |query| query.targets[1].reference = 1);
    finds("select a from t group by rollup (a)", "a grouping set of what", |query| {
        query.grouping_sets = vec![GroupingSet::Simple(vec![9])];
    });
    finds("select a from t limit 1", "LIMIT or OFFSET is of type 23", |query| query.limit = Some(number(1)));
}

#[test]
fn set_operations_of_other_columns() {
    let columns = |query: &mut Query| match query.set_operations.as_mut() {
        Some(SetOperation::Node { columns, .. }) => std::mem::take(columns),
        other => panic!("{other:?}"),
    };
    finds("select a from t union select a from u", "does not give the query's columns", |query| drop(columns(query)));
    finds("select a from t union all select g from t", "of an arm, where it is 16", |query| {
        var(query, 0).ty.oid = oid::BOOL;
        match query.set_operations.as_mut() {
            Some(SetOperation::Node { columns, .. }) => columns[0].oid = oid::BOOL,
            other => panic!("{other:?}"),
        }
    });
    finds("select a from t union select a from u", "no entry 9", |query| match query.set_operations.as_mut() {
        Some(SetOperation::Node { left, .. }) => **left = SetOperation::Leaf(RangeTableIndex(9)),
        other => panic!("{other:?}"),
    });
}

#[test]
fn parameters_and_sublinks_that_are_not_bound() {
    finds("select $1::int4", "no parameter External 2", |query| match &mut query.targets[0].expr {
        Expr::Param(param) => param.number = 2,
        other => panic!("{other:?}"),
    });
    finds("select $1::int4", "parameter External 1 is of type 23", |query| match &mut query.targets[0].expr {
        Expr::Param(param) => param.ty.oid = oid::INT8,
        other => panic!("{other:?}"),
    });
    finds("select a from t where a in (select a from u)", "no parameter SubLink 2", |query| {
        match query.join_tree.condition.as_mut() {
            Some(Expr::SubLink(link)) => match link.test.as_mut() {
                Some(Expr::OpExpr(test)) => match &mut test.arguments[1] {
                    Expr::Param(param) => param.number = 2,
                    other => panic!("{other:?}"),
                },
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    });
    finds("select (select a from u limit 1)", "a sublink is of type 20, not 23", |query| {
        match &mut query.targets[0].expr {
            Expr::SubLink(link) => link.result.oid = oid::INT8,
            other => panic!("{other:?}"),
        }
    });
    finds("select (select t.a) from t", "no column 5 of entry 1", |query| match &mut query.targets[0].expr {
        Expr::SubLink(link) => var(&mut link.query, 0).attribute = 5,
        other => panic!("{other:?}"),
    });
    finds("select exists (select from t)", "said to have none", |query| query.has_sublinks = false);
    finds("select (select 1)", "Scalar of 0 columns", |query| match &mut query.targets[0].expr {
        Expr::SubLink(link) => link.query.targets.clear(),
        other => panic!("{other:?}"),
    });
}

#[test]
fn changes_of_what_a_table_does_not_have() {
    finds("insert into t (a, e) values (1, 'x')", "column 2 of t gets a value of type 23", |query| {
        query.targets[0].number = 2
    });
    finds("update t set a = 1", "t has no column 10", |query| query.targets[0].number = 10);
    finds("delete from t", "no entry 4", |query| query.result_relation = Some(RangeTableIndex(4)));
    let tables = Tables::new();
    let mut analyzed = rewritten(&tables, "insert into t (a, e) values (1, 'x')").unwrap();
    assert_eq!(found(&tables, Stage::Rewriting, &analyzed), Ok(()));
    analyzed.query.targets.pop();
    let finding = found(&tables, Stage::Rewriting, &analyzed).unwrap_err();
    assert!(finding.contains("all columns in their order"), "{finding}");
}

#[test]
fn what_a_stage_has_to_have_done() {
    let tables = Tables::new();
    let left = |sql: &str, stage| found(&tables, stage, &analyzed(&tables, sql).unwrap()).unwrap_err();
    assert!(left("select * from w", Stage::Rewriting).contains("a view after the rewriting"));
    assert!(left("update t set a = default", Stage::Rewriting).contains("DEFAULT after the rewriting"));
    assert!(left("select exists (select from t)", Stage::Preparation).contains("a sublink without a plan"));
    assert!(left("select (select t.a) from t", Stage::Preparation).contains("a sublink without a plan"));
}

#[test]
fn subplans_and_their_parameters() {
    let tables = Tables::new();
    let mut analyzed = analyzed(&tables, "select 1").unwrap();
    let param = |number, ty| {
        Expr::Param(Param { kind: ParamKind::Exec, number, ty: TypeRef::of(ty), location: Location::NONE })
    };
    let mut finding = |expr: Expr| {
        analyzed.query.targets[0].expr = expr;
        found(&tables, Stage::Preparation, &analyzed)
    };
    assert_eq!(finding(param(0, oid::INT4)), Ok(()));
    assert!(finding(param(0, oid::INT8)).unwrap_err().contains("parameter Exec 0 is of type 23"));
    assert!(finding(param(1, oid::INT4)).unwrap_err().contains("no parameter Exec 1"));
    let plan = |plan, parameters: Vec<u32>, arguments| {
        Expr::SubPlan(Box::new(SubPlan {
            kind: SubLinkKind::Scalar,
            test: None,
            columns: vec![],
            plan,
            name: "SubPlan 1".to_string(),
            result: TypeRef::of(oid::INT4),
            hashed: false,
            set_parameters: vec![],
            parameters,
            arguments,
            startup_cost: 0.0,
            per_call_cost: 0.0,
            alternative: None,
        }))
    };
    assert_eq!(finding(plan(0, vec![0], vec![number(1)])), Ok(()));
    assert!(finding(plan(1, vec![], vec![])).unwrap_err().contains("no plan 1"));
    assert!(finding(plan(0, vec![0], vec![])).unwrap_err().contains("parameters without values"));
    let text = Expr::Const(Const { ty: TypeRef::of(oid::TEXT), value: Datum::text("x"), location: Location::NONE });
    assert!(finding(plan(0, vec![0], vec![text])).unwrap_err().contains("is not of its value's type"));
}

/// Analysis and rewriting verify in debug builds what they give, so that these panic where something does not fit.
#[test]
fn statements_have_no_damage() {
    let tables = Tables::new();
    let queries = [include_str!("queries.sql"), include_str!("rewrite.sql")];
    let mut count = 0;
    for sql in queries.iter().flat_map(|queries| queries.lines()) {
        for (stage, tree) in [(Stage::Analysis, analyzed(&tables, sql)), (Stage::Rewriting, rewritten(&tables, sql))] {
            let Ok(tree) = tree else { continue };
            assert_eq!(found(&tables, stage, &tree), Ok(()), "{sql}");
            count += 1;
        }
    }
    assert!(count > 500, "{count}");
}
