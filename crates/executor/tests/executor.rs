//! Nodes, by plans made by hand over a database of their own.

mod support;

use analyze::query::*;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use plan::plan::*;
use support::*;
use types::{Oid, oid};

const T: RangeTableIndex = RangeTableIndex(1);
const U: RangeTableIndex = RangeTableIndex(2);

fn insert(fixture: &Fixture, table: Oid, rows: Vec<Vec<Expr>>) -> Plan {
    let _ = fixture;
    let modify = ModifyTable {
        command: CommandType::Insert,
        scan: Scan { relation: T, table },
        child: values(rows),
        columns: vec![],
        row: 0,
        marks: vec![],
        returning: vec![],
        returning_rows: ReturningRows::default(),
        on_conflict: None,
        merge: vec![],
        given: vec![],
        checks: vec![],
    };
    node(Node::ModifyTable(Box::new(modify)), vec![])
}

/// t has `rows` rows (id, id % 3 or NULL, a text); u has two for each even id, and one with NULL.
fn fill(fixture: &Fixture, rows: i32) {
    let text = |id: i32| string(if id % 2 == 0 { "e" } else { "odd" }, oid::BPCHAR);
    let null =
        || Expr::Const(Const { ty: TypeRef::of(oid::INT4), value: types::Datum::Null, location: Location::NONE });
    let g = |id: i32| if id % 10 == 9 { null() } else { int(id % 3) };
    let t = (0..rows).map(|id| vec![int(id), g(id), text(id)]).collect();
    assert_eq!(fixture.change(insert(fixture, fixture.t.oid, t)).unwrap().1, rows as u64);
    let n = |units: i64| {
        let value = types::numeric::text::parse(&format!("{}.{:02}", units / 100, units % 100)).unwrap();
        let value = types::numeric::datum(&value);
        Expr::Const(Const { ty: TypeRef::of(oid::NUMERIC), value, location: Location::NONE })
    };
    let even = (0..rows).filter(|id| id % 2 == 0);
    let mut u: Vec<Vec<Expr>> =
        even.flat_map(|id| [0, 1].map(|k| vec![int(2 * id + k), int(id), n(i64::from(id) * 50 + 1)])).collect();
    u.push(vec![int(-1), null(), n(7)]);
    let count = u.len() as u64;
    assert_eq!(fixture.change(insert(fixture, fixture.u.oid, u)).unwrap().1, count);
}

fn scan_t(fixture: &Fixture) -> Plan {
    let scan = Scan { relation: T, table: fixture.t.oid };
    node(Node::SeqScan(scan), vec![column(T, 1, oid::INT4), column(T, 2, oid::INT4), column(T, 3, oid::BPCHAR)])
}

fn scan_u(fixture: &Fixture) -> Plan {
    let scan = Scan { relation: U, table: fixture.u.oid };
    let n = column(U, 3, oid::NUMERIC);
    node(Node::SeqScan(scan), vec![column(U, 1, oid::INT4), column(U, 2, oid::INT4), n])
}

fn index_scan(table: &engine::TableDef, relation: RangeTableIndex, ranges: Vec<Vec<IndexCondition>>) -> IndexScan {
    IndexScan {
        scan: Scan { relation, table: table.oid },
        index: table.indexes[0].oid,
        ranges,
        index_conditions: vec![],
        direction: None,
    }
}

fn compare(strategy: i16, value: Expr) -> IndexCondition {
    IndexCondition::Compare { column: 0, operator: 0, strategy, value }
}

#[test]
fn scans_conditions_and_targets() {
    let fixture = Fixture::new();
    fill(&fixture, 20);
    let mut plan = scan_t(&fixture);
    plan.conditions = vec![op(INT4_LT, column(T, 1, oid::INT4), int(4)), op(INT4_GT, column(T, 1, oid::INT4), int(1))];
    plan.targets[1].expr = op(INT4_PLUS, column(T, 1, oid::INT4), int(10));
    assert_eq!(fixture.rows(plan), ["2|12|e  ", "3|13|odd"]);
    let result = node(Node::Result { child: None, one_time: vec![] }, vec![int(1), op(INT4_PLUS, int(1), int(2))]);
    assert_eq!(fixture.rows(result), ["1|3"]);
    let mut never = node(Node::Result { child: Some(Box::new(scan_t(&fixture))), one_time: vec![] }, vec![outer(1)]);
    let Node::Result { one_time, .. } = &mut never.node else { unreachable!() };
    one_time.push(op(INT4_LT, int(2), int(1)));
    assert_eq!(fixture.rows(never), [""; 0]);
}

#[test]
fn index_scans_forward_and_backward() {
    let fixture = Fixture::new();
    fill(&fixture, 3000);
    let run = |ranges: Vec<Vec<IndexCondition>>, direction| {
        let scan = IndexScan { direction: Some(direction), ..index_scan(&fixture.t, T, ranges) };
        fixture.rows(node(Node::IndexScan(Box::new(scan)), vec![column(T, 1, oid::INT4)]))
    };
    use ScanDirection::{Backward, Forward};
    let numbers = |of: &mut dyn Iterator<Item = i32>| of.map(|id| id.to_string()).collect::<Vec<_>>();
    assert_eq!(run(vec![vec![]], Forward), numbers(&mut (0..3000)));
    assert_eq!(run(vec![vec![]], Backward), numbers(&mut (0..3000).rev()));
    let (five, ten) = (compare(5, int(5)), compare(1, int(10)));
    assert_eq!(run(vec![vec![five.clone(), ten.clone()]], Forward), numbers(&mut (6..10)));
    assert_eq!(run(vec![vec![five, ten]], Backward), numbers(&mut (6..10).rev()));
    assert_eq!(run(vec![vec![compare(3, int(77))]], Forward), ["77"]);
    let overlapping = vec![vec![compare(1, int(3))], vec![compare(2, int(1))], vec![compare(4, int(2998))]];
    assert_eq!(run(overlapping.clone(), Forward), ["0", "1", "2", "2998", "2999"]);
    assert_eq!(run(overlapping, Backward), ["2999", "2998", "2", "1", "0"]);
    let big = Const { ty: TypeRef::of(oid::INT8), value: types::Datum::I64(1 << 40), location: Location::NONE };
    assert_eq!(run(vec![vec![compare(5, Expr::Const(big.clone()))]], Forward), [""; 0]);
    assert_eq!(run(vec![vec![compare(1, Expr::Const(big))]], Forward).len(), 3000);
    let null = Const { ty: TypeRef::of(oid::INT4), value: types::Datum::Null, location: Location::NONE };
    assert_eq!(run(vec![vec![compare(3, Expr::Const(null))]], Forward), [""; 0]);
}

fn join(kind: JoinKind, outer_side: Plan, inner_side: Plan) -> Join {
    Join { kind, outer: outer_side, inner: inner_side, conditions: vec![], inner_unique: false }
}

fn hash_join(kind: JoinKind, a: Plan, b: Plan, targets: Vec<Expr>) -> Plan {
    let clause = HashClause { operator: 96, outer: outer(1), inner: inner(2) };
    let clauses = vec![clause];
    node(Node::HashJoin(Box::new(HashJoin { join: join(kind, a, b), clauses })), targets)
}

#[test]
fn hash_joins_of_every_kind() {
    let fixture = Fixture::new();
    fill(&fixture, 5);
    let run = |kind, targets| {
        let mut rows = fixture.rows(hash_join(kind, scan_t(&fixture), scan_u(&fixture), targets));
        rows.sort();
        rows
    };
    let both = || vec![outer(1), inner(1)];
    let pairs = ["0|0", "0|1", "2|4", "2|5", "4|8", "4|9"];
    assert_eq!(run(JoinKind::Inner, both()), pairs);
    assert_eq!(run(JoinKind::Left, both()), ["0|0", "0|1", "1|", "2|4", "2|5", "3|", "4|8", "4|9"]);
    assert_eq!(run(JoinKind::Right, both()), ["0|0", "0|1", "2|4", "2|5", "4|8", "4|9", "|-1"]);
    assert_eq!(run(JoinKind::Full, both()), ["0|0", "0|1", "1|", "2|4", "2|5", "3|", "4|8", "4|9", "|-1"]);
    assert_eq!(run(JoinKind::Semi, vec![outer(1)]), ["0", "2", "4"]);
    assert_eq!(run(JoinKind::Anti, vec![outer(1)]), ["1", "3"]);
    assert_eq!(run(JoinKind::RightAnti, vec![inner(1)]), ["-1"]);
    assert_eq!(run(JoinKind::RightSemi, vec![inner(1)]), ["0", "1", "4", "5", "8", "9"]);
    // The join's own condition decides who has a partner, the node's which rows are left.
    let mut plan = hash_join(JoinKind::Left, scan_t(&fixture), scan_u(&fixture), both());
    let Node::HashJoin(hash) = &mut plan.node else { unreachable!() };
    hash.join.conditions.push(op(INT4_GT, inner(1), int(4)));
    let mut rows = fixture.rows(plan.clone());
    rows.sort();
    assert_eq!(rows, ["0|", "1|", "2|5", "3|", "4|8", "4|9"]);
    plan.conditions.push(op(INT4_GT, inner(1), int(5)));
    assert_eq!(fixture.rows(plan), ["4|8", "4|9"]);
}

/// The outer side is not asked again after its end.
#[test]
fn a_hash_join_over_a_condition_that_does_not_hold() {
    let fixture = Fixture::new();
    fill(&fixture, 10);
    let never = op(INT4_LT, int(1), int(0));
    let child = Some(Box::new(scan_t(&fixture)));
    let none = node(Node::Result { child, one_time: vec![never] }, vec![outer(1), outer(2)]);
    let rows = fixture.rows(hash_join(JoinKind::Full, none, scan_t(&fixture), vec![outer(1), inner(1)]));
    assert_eq!(rows.len(), 10);
    assert!(rows.iter().all(|row| row.starts_with('|')), "{rows:?}");
}

#[test]
fn nested_loops_kept_and_anew() {
    let fixture = Fixture::new();
    fill(&fixture, 5);
    let looked_up = |rows: f64| {
        let scan = index_scan(&fixture.u, U, vec![vec![compare(3, param(0))]]);
        let mut plan = node(Node::IndexScan(Box::new(scan)), vec![column(U, 1, oid::INT4), column(U, 2, oid::INT4)]);
        plan.cost.rows = rows;
        plan
    };
    let Expr::Var(var) = column(OUTER, 1, oid::INT4) else { panic!("a column") };
    let run = |kind, inner_side: Plan, parameters: Vec<(u32, Var)>, conditions: Vec<Expr>| {
        let mut loops = NestLoop { join: join(kind, scan_t(&fixture), inner_side), parameters };
        loops.join.conditions = conditions;
        let targets =
            if kind == JoinKind::Semi || kind == JoinKind::Anti { vec![outer(1)] } else { vec![outer(1), inner(1)] };
        let plan = node(Node::NestLoop(Box::new(loops)), targets);
        let transaction = fixture.begin();
        let prepared = fixture.prepare(plan, vec![], vec![TypeRef::of(oid::INT4)]);
        let rows = fixture.run_in(&transaction, &prepared).unwrap().0;
        fixture.commit(&transaction);
        rows
    };
    let expected = |kind| match kind {
        JoinKind::Inner => vec!["0|0", "0|1", "2|4", "2|5", "4|8", "4|9"],
        JoinKind::Left => vec!["0|0", "0|1", "1|", "2|4", "2|5", "3|", "4|8", "4|9"],
        JoinKind::Semi => vec!["0", "2", "4"],
        _ => vec!["1", "3"],
    };
    for kind in [JoinKind::Inner, JoinKind::Left, JoinKind::Semi, JoinKind::Anti] {
        let equal = || vec![op(INT4_EQ, outer(1), inner(2))];
        assert_eq!(run(kind, scan_u(&fixture), vec![], equal()), expected(kind), "{kind:?} kept");
        assert_eq!(run(kind, looked_up(2.0), vec![(0, var)], vec![]), expected(kind), "{kind:?} looked up");
        assert_eq!(run(kind, looked_up(1e6), vec![(0, var)], equal()), expected(kind), "{kind:?} anew");
    }
}

#[test]
fn sorts_and_limits() {
    let fixture = Fixture::new();
    fill(&fixture, 20_000);
    let all = fixture.rows(sort(scan_t(&fixture), &[(2, false), (1, true)]));
    assert_eq!((all[0].as_str(), all.len()), ("19998|0|e  ", 20_000));
    assert_eq!(all[19_999], "9||odd");
    let limit = |offset, count| {
        let child = Box::new(sort(scan_t(&fixture), &[(1, true)]));
        let (offset, count) = (Some(bigint(offset)), Some(bigint(count)));
        fixture.rows(node(Node::Limit { child, offset, count, with_ties: None }, vec![outer(1)]))
    };
    assert_eq!(limit(2, 3), ["19997", "19996", "19995"]);
    assert_eq!(limit(19_999, 3), ["0"]);
    let ties = vec![GroupKey { column: 2, equality: 96 }];
    let child = Box::new(sort(scan_t(&fixture), &[(2, false)]));
    let plan = node(Node::Limit { child, offset: None, count: Some(bigint(1)), with_ties: Some(ties) }, vec![outer(2)]);
    let rows = fixture.rows(plan);
    assert!(rows.iter().all(|row| row == "0"));
    assert_eq!(rows.len(), all.iter().filter(|row| row.split('|').nth(1) == Some("0")).count());
}

#[test]
fn sorts_of_rows_that_are_sorted_in_part() {
    let fixture = Fixture::new();
    fill(&fixture, 20_000);
    let keys = [(2, false), (1, true)];
    let by_g = || sort(scan_t(&fixture), &[(2, false)]);
    let in_part = |child: Plan| {
        let mut plan = sort(child, &keys);
        if let Node::Sort { child, keys } = plan.node {
            plan.node = Node::IncrementalSort { child, keys, presorted: 1 };
        }
        plan
    };
    assert_eq!(fixture.rows(in_part(by_g())), fixture.rows(sort(scan_t(&fixture), &keys)));
    // The sum fails for g = 2, which the first rows do not need.
    let sum = op(INT4_PLUS, outer(2), int(i32::MAX - 1));
    let result = Node::Result { child: Some(Box::new(by_g())), one_time: vec![] };
    let child = Box::new(in_part(node(result, vec![outer(1), outer(2), sum])));
    let (offset, count) = (Some(bigint(1)), Some(bigint(2)));
    let limit = node(Node::Limit { child, offset, count, with_ties: None }, vec![outer(1), outer(2)]);
    assert_eq!(fixture.rows(limit), ["19995|0", "19992|0"]);
}

fn bigint(value: i64) -> Box<Expr> {
    let ty = TypeRef::of(oid::INT8);
    Box::new(Expr::Const(Const { ty, value: types::Datum::I64(value), location: Location::NONE }))
}

#[test]
fn aggregates_in_groups_and_sets() {
    let fixture = Fixture::new();
    fill(&fixture, 1000);
    let count = || Expr::Aggref(Box::new(aggregate(COUNT, oid::INT8, vec![])));
    let sum = || Expr::Aggref(Box::new(aggregate(SUM_INT4, oid::INT8, vec![outer(1)])));
    let agg = |strategy, keys: Vec<GroupKey>, sets: Vec<Vec<usize>>, child: Plan, targets| {
        let agg = Agg { child, strategy, keys, grouping_sets: sets, presorted: false };
        fixture.rows(node(Node::Agg(Box::new(agg)), targets))
    };
    let key = || vec![GroupKey { column: 2, equality: 96 }];
    let expected = ["0|300|148500", "1|300|149700", "2|300|150900", "|100|50400"];
    let mut hashed = agg(AggStrategy::Hashed, key(), vec![], scan_t(&fixture), vec![outer(2), count(), sum()]);
    hashed.sort();
    let total: i64 = (0..1000).sum();
    let sums: Vec<i64> = hashed.iter().map(|row| row.rsplit('|').next().unwrap().parse().unwrap()).collect();
    assert_eq!(sums.iter().sum::<i64>(), total);
    assert_eq!(hashed.iter().map(|row| row.split('|').next().unwrap()).collect::<Vec<_>>(), ["0", "1", "2", ""]);
    let child = sort(scan_t(&fixture), &[(2, false)]);
    let sorted = agg(AggStrategy::Sorted, key(), vec![], child, vec![outer(2), count(), sum()]);
    assert_eq!(sorted, hashed);
    assert_eq!(sorted.len(), expected.len());
    let mut empty = scan_t(&fixture);
    empty.conditions = vec![op(INT4_LT, outer_of_t(), int(0))];
    assert_eq!(agg(AggStrategy::Plain, vec![], vec![], empty.clone(), vec![count(), sum()]), ["0|"]);
    assert_eq!(agg(AggStrategy::Hashed, key(), vec![], empty, vec![outer(2), count()]), [""; 0]);
    let sets = vec![vec![0], vec![]];
    let mut rolled = agg(AggStrategy::Hashed, key(), sets, scan_t(&fixture), vec![outer(2), sum()]);
    rolled.sort();
    assert_eq!(rolled.len(), 5);
    assert!(rolled.contains(&format!("|{total}")));
    let mut distinct = aggregate(COUNT, oid::INT8, vec![outer(2)]);
    (distinct.function, distinct.distinct) = (2147, true);
    let distinct = Expr::Aggref(Box::new(distinct));
    assert_eq!(agg(AggStrategy::Plain, vec![], vec![], scan_t(&fixture), vec![distinct]), ["3"]);
}

fn outer_of_t() -> Expr {
    column(T, 1, oid::INT4)
}

#[test]
fn set_operations_and_unions() {
    let fixture = Fixture::new();
    let list = |of: &[i32]| values(of.iter().map(|&v| vec![int(v)]).collect());
    let set = |operator, all| {
        let (left, right) = (list(&[1, 1, 2, 3, 3]), list(&[1, 3, 3, 3, 4]));
        let columns = vec![GroupKey { column: 1, equality: 96 }];
        let operation = SetOp { operator, all, hashed: true, left, right, columns };
        fixture.rows(node(Node::SetOp(Box::new(operation)), vec![outer(1)]))
    };
    assert_eq!(set(SetOperator::Intersect, false), ["1", "3"]);
    assert_eq!(set(SetOperator::Intersect, true), ["1", "3", "3"]);
    assert_eq!(set(SetOperator::Except, false), ["2"]);
    assert_eq!(set(SetOperator::Except, true), ["1", "2"]);
    let children = vec![list(&[1, 2]), list(&[3])];
    assert_eq!(fixture.rows(node(Node::Append { children: children.clone() }, vec![outer(1)])), ["1", "2", "3"]);
    let keys = vec![SortKey { column: 1, operator: 97, descending: false, nulls_first: false }];
    let children = vec![list(&[1, 4, 6]), list(&[2, 3, 9])];
    let merged = node(Node::MergeAppend { children, keys }, vec![outer(1)]);
    assert_eq!(fixture.rows(merged), ["1", "2", "3", "4", "6", "9"]);
    let columns = vec![GroupKey { column: 1, equality: 96 }];
    let unique = Node::Unique { child: Box::new(list(&[1, 1, 2, 2, 2, 5])), columns };
    assert_eq!(fixture.rows(node(unique, vec![outer(1)])), ["1", "2", "5"]);
    let work = RangeTableIndex(3);
    let mut right = node(
        Node::WorkTableScan { relation: work, work_table: 7 },
        vec![op(INT4_PLUS, column(work, 1, oid::INT4), int(1))],
    );
    right.conditions = vec![op(INT4_LT, column(work, 1, oid::INT4), int(5))];
    let union = RecursiveUnion { left: list(&[1]), right, work_table: 7, distinct: vec![] };
    let plan = node(Node::RecursiveUnion(Box::new(union)), vec![outer(1)]);
    assert_eq!(fixture.rows(plan), ["1", "2", "3", "4", "5"]);
}

fn change_t(fixture: &Fixture, command: CommandType, child: Plan, columns: Vec<i16>, row: i16) -> Plan {
    let returning = vec![column(T, 1, oid::INT4), column(T, 2, oid::INT4)];
    let entry = |(expr, number): (Expr, i16)| TargetEntry::new(expr, number, String::new());
    let modify = ModifyTable {
        command,
        scan: Scan { relation: T, table: fixture.t.oid },
        child,
        columns,
        row,
        marks: vec![],
        returning: returning.into_iter().zip(1..).map(entry).collect(),
        returning_rows: ReturningRows::default(),
        on_conflict: None,
        merge: vec![],
        given: vec![],
        checks: vec![],
    };
    node(Node::ModifyTable(Box::new(modify)), vec![column(T, 1, oid::INT4), column(T, 2, oid::INT4)])
}

#[test]
fn rows_are_inserted_updated_and_deleted() {
    let fixture = Fixture::new();
    fill(&fixture, 10);
    let mut child = scan_t(&fixture);
    child.conditions = vec![op(INT4_LT, outer_of_t(), int(3))];
    child.targets.truncate(2);
    child.targets[0].expr = op(INT4_PLUS, column(T, 2, oid::INT4), int(100));
    child.targets[1].expr = column(T, CTID, oid::TID);
    let update = change_t(&fixture, CommandType::Update, child.clone(), vec![2], 2);
    assert_eq!(fixture.change(update).unwrap(), (vec!["0|100".into(), "1|101".into(), "2|102".into()], 3));
    // The key is another: the index follows.
    child.targets[0].expr = op(INT4_PLUS, column(T, 1, oid::INT4), int(1000));
    let update = change_t(&fixture, CommandType::Update, child.clone(), vec![1], 2);
    assert_eq!(fixture.change(update).unwrap().1, 3);
    let scan = index_scan(&fixture.t, T, vec![vec![compare(5, int(999))]]);
    let by_key = node(Node::IndexScan(Box::new(scan)), vec![column(T, 1, oid::INT4), column(T, 2, oid::INT4)]);
    assert_eq!(fixture.rows(by_key.clone()), ["1000|100", "1001|101", "1002|102"]);
    child.conditions = vec![op(INT4_GT, outer_of_t(), int(1000))];
    let delete = change_t(&fixture, CommandType::Delete, child, vec![], 2);
    assert_eq!(fixture.change(delete).unwrap(), (vec!["1001|101".into(), "1002|102".into()], 2));
    assert_eq!(fixture.rows(by_key), ["1000|100"]);
    let twice = fixture.change(insert(&fixture, fixture.t.oid, vec![vec![int(5), int(0), string("x", oid::BPCHAR)]]));
    assert_eq!(twice.unwrap_err().code(), "23505");
    let null = Expr::Const(Const { ty: TypeRef::of(oid::INT4), value: types::Datum::Null, location: Location::NONE });
    let none = fixture.change(insert(&fixture, fixture.t.oid, vec![vec![null, int(0), string("x", oid::BPCHAR)]]));
    assert_eq!(none.unwrap_err().code(), "23502");
}

fn sub_plan(kind: SubLinkKind, plan: usize) -> SubPlan {
    SubPlan {
        kind,
        test: None,
        columns: vec![],
        plan,
        name: String::new(),
        result: TypeRef::of(oid::INT4),
        hashed: false,
        set_parameters: vec![],
        parameters: vec![],
        arguments: vec![],
        startup_cost: 0.0,
        per_call_cost: 0.0,
        alternative: None,
    }
}

fn run_all(
    fixture: &Fixture,
    plan: Plan,
    sub_plans: Vec<Plan>,
    parameters: usize,
    modifying: Vec<usize>,
) -> Vec<String> {
    let parameters = vec![TypeRef::of(oid::INT4); parameters];
    let prepared = fixture.prepare_modifying(plan, sub_plans, parameters, modifying);
    let transaction = fixture.begin();
    let rows = fixture.run_in(&transaction, &prepared);
    fixture.commit(&transaction);
    rows.map_or_else(|error| vec![error.code().to_string()], |(rows, _)| rows)
}

#[test]
fn subqueries_and_ctes() {
    let fixture = Fixture::new();
    fill(&fixture, 6);
    // (select max) as an init plan, asked for by a condition.
    let of = |low: i32, high: i32| values((low..=high).map(|v| vec![int(v)]).collect());
    let mut plan = scan_t(&fixture);
    plan.conditions = vec![op(INT4_GT, outer_of_t(), param(0))];
    plan.targets.truncate(1);
    let init = SubPlan { set_parameters: vec![0], ..sub_plan(SubLinkKind::Scalar, 0) };
    plan.init_plans = vec![init];
    assert_eq!(run_all(&fixture, plan.clone(), vec![of(3, 3)], 1, vec![]), ["4", "5"]);
    assert_eq!(run_all(&fixture, plan, vec![of(3, 4)], 1, vec![]), ["21000"]);
    // A correlated one: how many rows of u a row of t has.
    let mut below = scan_u(&fixture);
    below.conditions = vec![op(INT4_EQ, column(U, 2, oid::INT4), param(0))];
    let count = Expr::Aggref(Box::new(aggregate(COUNT, oid::INT8, vec![])));
    let agg = Agg { child: below, strategy: AggStrategy::Plain, keys: vec![], grouping_sets: vec![], presorted: false };
    let counted = node(Node::Agg(Box::new(agg)), vec![count]);
    let sub = SubPlan {
        parameters: vec![0],
        arguments: vec![outer_of_t()],
        result: TypeRef::of(oid::INT8),
        ..sub_plan(SubLinkKind::Scalar, 0)
    };
    let mut plan = scan_t(&fixture);
    plan.targets.truncate(2);
    plan.targets[1].expr = Expr::SubPlan(Box::new(sub));
    let expected = ["0|2", "1|0", "2|2", "3|0", "4|2", "5|0"];
    assert_eq!(run_all(&fixture, plan, vec![counted], 1, vec![]), expected);
    // A CTE that two read.
    let scan = || node(Node::CteScan { relation: U, plan: 0 }, vec![column(U, 1, oid::INT4)]);
    let mut both = node(Node::Append { children: vec![scan(), scan()] }, vec![outer(1)]);
    both.init_plans = vec![sub_plan(SubLinkKind::Cte, 0)];
    assert_eq!(run_all(&fixture, both, vec![of(7, 8)], 0, vec![]), ["7", "8", "7", "8"]);
    // One that changes rows runs to its end though it is not read, and no query sees what it does.
    let mut child = scan_t(&fixture);
    child.conditions = vec![op(INT4_GT, outer_of_t(), int(3))];
    child.targets = vec![TargetEntry::new(column(T, CTID, oid::TID), 1, String::new())];
    let delete = change_t(&fixture, CommandType::Delete, child, vec![], 1);
    let mut plan = scan_t(&fixture);
    plan.targets.truncate(1);
    assert_eq!(run_all(&fixture, plan.clone(), vec![delete], 0, vec![0]), ["0", "1", "2", "3", "4", "5"]);
    assert_eq!(run_all(&fixture, plan, vec![], 0, vec![]), ["0", "1", "2", "3"]);
}

#[test]
fn one_row_by_its_key_without_batches() {
    let fixture = Fixture::new();
    fill(&fixture, 50);
    let scan = index_scan(&fixture.t, T, vec![vec![compare(3, int(42))]]);
    let plan = node(Node::IndexScan(Box::new(scan)), vec![column(T, 3, oid::BPCHAR), column(T, 1, oid::INT4)]);
    assert_eq!(fixture.rows(plan.clone()), ["e  |42"]);
    let prepared = fixture.prepare(plan, vec![], vec![]);
    let point = prepared.point.as_ref().expect("it is one look-up");
    let transaction = fixture.begin();
    let environment = fixture.environment(&transaction);
    let table = environment.tables.open(point.table).unwrap();
    let found = aio::block_on(fixture.db.engine(), async {
        let (io, execution) = (&environment.backend.io, &environment.execution);
        point.row(&table, io, &environment.snapshot, execution).await.unwrap().expect("it is there")
    });
    assert_eq!(found.columns[0].as_string::<i32>().value(0), "e  ");
    assert_eq!(found.columns[1].as_primitive::<Int32Type>().value(0), 42);
    fixture.commit(&transaction);
}

/// UPDATE t SET g = g + 1 WHERE id = 1 AND g < 10 RETURNING id, g.
fn increment(fixture: &Fixture) -> Plan {
    let mut child = scan_t(fixture);
    child.conditions = vec![op(INT4_EQ, outer_of_t(), int(1)), op(INT4_LT, column(T, 2, oid::INT4), int(10))];
    child.targets.truncate(2);
    child.targets[0].expr = op(INT4_PLUS, column(T, 2, oid::INT4), int(1));
    child.targets[1].expr = column(T, CTID, oid::TID);
    change_t(fixture, CommandType::Update, child, vec![2], 2)
}

/// Runs a plan in one transaction while another one, which has changed the row, commits.
fn beside(fixture: &Fixture, first: Plan, then: Plan) -> executor::Result<(Vec<String>, u64)> {
    let first = fixture.prepare(first, vec![], vec![]);
    let then = fixture.prepare(then, vec![], vec![]);
    let backend = fixture.db.activity().enter(aio::BackendKind::Client, None, None, None, None).unwrap();
    let (a, b) = (fixture.begin(), fixture.begin_as(&backend));
    assert_eq!(fixture.run_in(&a, &first).unwrap().1, 1);
    let environment = executor::Environment { backend, ..fixture.environment(&b) };
    let result = aio::block_on(fixture.db.engine(), async {
        let commit = async {
            for _ in 0..20 {
                aio::yield_once().await;
            }
            a.reclaim().expect("it is open").commit(engine::Durability::Asynchronous).await.unwrap();
        };
        futures::join!(run(&then, environment), commit).0
    });
    fixture.commit(&b);
    result
}

#[test]
fn rows_that_others_change_are_looked_at_again() {
    let fixture = Fixture::new();
    fill(&fixture, 3);
    assert_eq!(beside(&fixture, increment(&fixture), increment(&fixture)).unwrap(), (vec!["1|3".into()], 1));
    // Now it is not wanted any more.
    let mut far = increment(&fixture);
    let Node::ModifyTable(modify) = &mut far.node else { unreachable!() };
    modify.child.targets[0].expr = int(50);
    assert_eq!(beside(&fixture, far, increment(&fixture)).unwrap(), (vec![], 0));
    // FOR UPDATE waits, too, and gives the row as it is now.
    let mut child = scan_t(&fixture);
    child.targets[2].expr = column(T, CTID, oid::TID);
    child.conditions = vec![op(INT4_EQ, outer_of_t(), int(2))];
    let (strength, wait) = (Some(LockStrength::Update), LockWait::Block);
    let marks = vec![PlanRowMark { relation: T, table: fixture.t.oid, strength, wait, row: 3 }];
    let lock = node(Node::LockRows { child: Box::new(child), marks }, vec![outer(1), outer(2)]);
    let mut other = increment(&fixture);
    let Node::ModifyTable(modify) = &mut other.node else { unreachable!() };
    modify.child.conditions = vec![op(INT4_EQ, outer_of_t(), int(2))];
    assert_eq!(beside(&fixture, other, lock).unwrap().0, ["2|3"]);
}

#[test]
fn conflicts_and_merges() {
    let fixture = Fixture::new();
    fill(&fixture, 3);
    let excluded = RangeTableIndex(5);
    let row = |id: i32, g: i32| vec![int(id), int(g), string("new", oid::BPCHAR)];
    let set = |number, expr| TargetEntry::new(expr, number, String::new());
    let upsert = |action| {
        let mut plan = insert(&fixture, fixture.t.oid, vec![row(1, 70), row(9, 90)]);
        let Node::ModifyTable(modify) = &mut plan.node else { unreachable!() };
        modify.on_conflict = Some(PlanOnConflict { arbiters: Some(vec![fixture.t.indexes[0].oid]), action });
        modify.returning = vec![set(1, outer_of_t()), set(2, column(T, 2, oid::INT4))];
        plan.targets = modify.returning.clone();
        fixture.change(plan)
    };
    assert_eq!(upsert(ConflictAction::Nothing).unwrap(), (vec!["9|90".into()], 1));
    let sum = op(INT4_PLUS, column(T, 2, oid::INT4), column(excluded, 2, oid::INT4));
    let update = |condition| ConflictAction::Update { targets: vec![set(2, sum.clone())], condition, excluded };
    assert_eq!(upsert(update(None)).unwrap(), (vec!["1|71".into(), "9|180".into()], 2));
    let small = op(INT4_LT, column(T, 2, oid::INT4), int(100));
    assert_eq!(upsert(update(Some(small))).unwrap(), (vec!["1|141".into()], 1));
    // MERGE: id 1 and 9 are there, 20 is not.
    let source = values(vec![vec![int(1), int(5)], vec![int(9), int(5)], vec![int(20), int(5)]]);
    let mut target = scan_t(&fixture);
    target.targets.truncate(2);
    target.targets[1].expr = column(T, CTID, oid::TID);
    let clause = HashClause { operator: 96, outer: outer(1), inner: inner(1) };
    let join = HashJoin { join: join(JoinKind::Left, source, target), clauses: vec![clause] };
    let child = node(Node::HashJoin(Box::new(join)), vec![outer(1), outer(2), column(INNER, 2, oid::TID)]);
    let mut plan = change_t(&fixture, CommandType::Merge, child, vec![], 3);
    let Node::ModifyTable(modify) = &mut plan.node else { unreachable!() };
    let action = |when, conditions, command, targets| PlanMergeAction { when, conditions, command, targets };
    let big = vec![op(INT4_GT, column(T, 2, oid::INT4), int(150))];
    modify.merge = vec![
        action(MergeMatch::Matched, big, Some(CommandType::Delete), vec![]),
        action(MergeMatch::Matched, vec![], Some(CommandType::Update), vec![set(2, outer(2))]),
        action(
            MergeMatch::NotMatchedByTarget,
            vec![],
            Some(CommandType::Insert),
            vec![set(1, outer(1)), set(2, outer(2)), set(3, string("m", oid::BPCHAR))],
        ),
    ];
    modify.returning.push(set(3, Expr::MergeAction));
    plan.targets = modify.returning.clone();
    let expected: Vec<String> = ["1|5|UPDATE", "9|180|DELETE", "20|5|INSERT"].map(String::from).to_vec();
    assert_eq!(fixture.change(plan).unwrap(), (expected, 3));
}

#[test]
fn large_tables_are_read_by_several() {
    let fixture = Fixture::new();
    fill(&fixture, 800);
    // Rows of v: each of t with each of t.
    let loops = NestLoop { join: join(JoinKind::Inner, scan_t(&fixture), scan_t(&fixture)), parameters: vec![] };
    let text = string(&"x".repeat(10), oid::TEXT);
    let child = node(Node::NestLoop(Box::new(loops)), vec![outer(1), inner(1), text]);
    let mut plan = insert(&fixture, fixture.v.oid, vec![vec![int(0)]]);
    let Node::ModifyTable(modify) = &mut plan.node else { unreachable!() };
    modify.child = child;
    assert_eq!(fixture.change(plan).unwrap().1, 640_000);
    let scan_v = || {
        let scan = Scan { relation: U, table: fixture.v.oid };
        node(Node::SeqScan(scan), vec![column(U, 1, oid::INT4), column(U, 2, oid::INT4)])
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let run_parallel = |plan: Plan| {
        let transaction = fixture.begin();
        let mut environment = fixture.environment(&transaction);
        environment.settings.participants = 2;
        let prepared = fixture.prepare(plan, vec![], vec![]);
        let mut rows = runtime.block_on(run(&prepared, environment)).unwrap().0;
        fixture.commit(&transaction);
        rows.sort();
        rows
    };
    let count = || Expr::Aggref(Box::new(aggregate(COUNT, oid::INT8, vec![])));
    let grouped = |child, column, targets| {
        let keys = vec![GroupKey { column, equality: 96 }];
        let agg = Agg { child, strategy: AggStrategy::Hashed, keys, grouping_sets: vec![], presorted: false };
        node(Node::Agg(Box::new(agg)), targets)
    };
    let groups = run_parallel(grouped(scan_v(), 1, vec![outer(1), count()]));
    assert_eq!(groups.len(), 800);
    assert!(groups.iter().all(|row| row.ends_with("|800")), "{:?}", &groups[..5]);
    let pairs = || hash_join(JoinKind::Inner, scan_t(&fixture), scan_u(&fixture), vec![outer(1)]);
    let of_pairs = || {
        let clause = HashClause { operator: 96, outer: outer(2), inner: inner(1) };
        let join = HashJoin { join: join(JoinKind::Inner, scan_v(), pairs()), clauses: vec![clause] };
        node(Node::HashJoin(Box::new(join)), vec![outer(2)])
    };
    // Each even id has two rows in u, and 800 in v.
    let joined = run_parallel(grouped(of_pairs(), 1, vec![outer(1), count()]));
    assert_eq!(joined.len(), 400);
    assert!(joined.iter().all(|row| row.ends_with("|1600")), "{:?}", &joined[..5]);
    let mut scan = scan_v();
    scan.conditions = vec![op(INT4_LT, column(U, 1, oid::INT4), int(2))];
    assert_eq!(run_parallel(scan).len(), 1600);
}

/// What starting a kept plan costs: `cargo test --test executor -- --ignored --nocapture`.
#[test]
#[ignore = "prints times"]
fn time_of_small_plans() {
    let fixture = Fixture::new();
    fill(&fixture, 1000);
    let scan = index_scan(&fixture.t, T, vec![vec![compare(3, int(42))]]);
    let by_key = node(Node::IndexScan(Box::new(scan)), vec![column(T, 2, oid::INT4)]);
    let select_1 = node(Node::Result { child: None, one_time: vec![] }, vec![int(1)]);
    let scan = index_scan(&fixture.t, T, vec![vec![compare(4, int(100)), compare(2, int(120))]]);
    let some = node(Node::IndexScan(Box::new(scan)), vec![column(T, 2, oid::INT4)]);
    let sorted = sort(some.clone(), &[(1, false)]);
    let count = Expr::Aggref(Box::new(aggregate(COUNT, oid::INT8, vec![])));
    let agg = Agg { child: some, strategy: AggStrategy::Plain, keys: vec![], grouping_sets: vec![], presorted: false };
    let counted = node(Node::Agg(Box::new(agg)), vec![count]);
    for (name, plan) in [("select 1", select_1), ("by key", by_key), ("21 rows sorted", sorted), ("count", counted)] {
        let prepared = fixture.prepare(plan, vec![], vec![]);
        let transaction = fixture.begin();
        let environment = fixture.environment(&transaction);
        let mut best = std::time::Duration::MAX;
        for _ in 0..200 {
            let begun = std::time::Instant::now();
            aio::block_on(fixture.db.engine(), async {
                for _ in 0..100 {
                    let mut query = prepared.start(environment.clone()).unwrap();
                    while query.next().await.unwrap().is_some() {}
                }
            });
            best = best.min(begun.elapsed() / 100);
        }
        println!("{name}: {best:?}");
        fixture.commit(&transaction);
    }
}

#[test]
fn windows_over_partitions() {
    let fixture = Fixture::new();
    fill(&fixture, 9);
    let function = |function, arguments, aggregate| {
        Expr::WindowFunc(Box::new(WindowFunc {
            function,
            result: TypeRef::of(oid::INT8),
            arguments,
            filter: None,
            window: WindowIndex(0),
            star: false,
            aggregate,
            ignore_nulls: false,
            location: Location::NONE,
        }))
    };
    let frame = WindowFrame {
        mode: FrameMode::Rows,
        start: FrameBound::Preceding(*bigint(1)),
        end: FrameBound::CurrentRow,
        exclusion: FrameExclusion::NoOthers,
        written: true,
        between: false,
        start_in_range: 0,
        end_in_range: 0,
    };
    let window = WindowAgg {
        child: sort(scan_t(&fixture), &[(2, false), (1, false)]),
        name: "w1".into(),
        partition: vec![GroupKey { column: 2, equality: 96 }],
        order: vec![SortKey { column: 1, operator: 97, descending: false, nulls_first: false }],
        peers: vec![GroupKey { column: 1, equality: 96 }],
        frame,
        run_condition: vec![],
    };
    let sum = function(SUM_INT4, vec![outer(1)], true);
    let plan = node(Node::WindowAgg(Box::new(window)), vec![outer(2), outer(1), function(3100, vec![], false), sum]);
    let expected =
        ["0|0|1|0", "0|3|2|3", "0|6|3|9", "1|1|1|1", "1|4|2|5", "1|7|3|11", "2|2|1|2", "2|5|2|7", "2|8|3|13"];
    assert_eq!(fixture.rows(plan), expected);
}

/// Debug builds look at a plan before it runs: whether tables, indexes and nodes are as it takes them to be.
#[test]
#[cfg(debug_assertions)]
fn plans_that_do_not_fit_are_found() {
    use executor::ExecPlan;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    let fixture = Fixture::new();
    let prepare = |plan: Plan, columns: &[Oid]| {
        let column = |&ty: &Oid| Column { name: "c".to_string(), ty: TypeRef::of(ty), collation: Collation::NONE };
        let entry = RangeTableEntry {
            kind: RangeTableKind::Relation { oid: fixture.t.oid, inherited: true, sample: None },
            name: "t".to_string(),
            aliased: false,
            columns: columns.iter().map(column).collect(),
            aliased_columns: 0,
            lateral: false,
            in_from: true,
            ..Default::default()
        };
        let planned = PlannedStmt {
            command: CommandType::Select,
            plan,
            sub_plans: vec![],
            parameters: vec![],
            range_table: vec![entry],
            has_rows: true,
            modifying: vec![],
            relations: vec![],
            named: vec![],
            custom: false,
        };
        let prepared = || ExecPlan::prepare(&planned, catalog::Catalog::BUILT_IN, &fixture.tables()).map(drop);
        match catch_unwind(AssertUnwindSafe(prepared)) {
            Ok(made) => made.map_err(|error| error.0.message),
            Err(panic) => Err(panic.downcast_ref::<String>().expect("a finding").clone()),
        }
    };
    let finds = |plan: Plan, columns: &[Oid], expected: &str| {
        let finding = prepare(plan, columns).unwrap_err();
        assert!(finding.contains(expected), "{finding}, not {expected}");
    };
    let columns = [oid::INT4, oid::INT4, oid::BPCHAR];
    assert_eq!(prepare(scan_t(&fixture), &columns), Ok(()));
    finds(scan_t(&fixture), &columns[..2], "has 3 columns, not 2");
    finds(scan_t(&fixture), &[oid::INT8, oid::INT4, oid::BPCHAR], "values of type 20 lie as Int8, not as Int4");
    let condition = IndexCondition::IsNull { column: 1 };
    let scan = Node::IndexScan(Box::new(index_scan(&fixture.t, T, vec![vec![condition]])));
    finds(node(scan, vec![column(T, 1, oid::INT4)]), &columns, "1");
    let scan = Scan { relation: T, table: fixture.t.oid };
    finds(node(Node::SeqScan(scan), vec![column(T, 1, oid::INT8)]), &columns, "column 1: values of type 20");
}
