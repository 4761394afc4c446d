use super::*;
use crate::parse;

/// The key, and the parameters' values with their kinds.
fn shape(text: &str) -> (String, Vec<String>) {
    let mut cut = Cut::default();
    assert!(cut.read(text), "{text}");
    let mut statements = parse(text).expect(text);
    let shape = Shape::of(text, &cut, &mut statements);
    let values: Vec<_> = shape.values(text, &cut).map(|(kind, value)| format!("{kind:?} {value}")).collect();
    assert_eq!(values.len(), shape.parameters());
    // Each parameter is in the tree.
    let tree = format!("{statements:?}");
    for number in 1..=values.len() {
        assert!(tree.contains(&format!("ParamRef {{ number: {number},")), "{text}: {tree}");
    }
    (shape.key(text, &cut).replace('\0', " / "), values)
}

fn check(text: &str, key: &str, values: &[&str]) {
    assert_eq!(shape(text), (key.to_string(), values.iter().map(|v| v.to_string()).collect()), "{text}");
}

#[test]
fn constants_become_parameters() {
    check("select v from k where id = 77", "select v from k where id = $1", &["Int4 77"]);
    check(
        "insert into t values (1, 'it''s', 2.50, 5000000000), (-1, '', .5, 1e3)",
        "insert into t values ($1, $4, $3, $2), (-$1, $4, $3, $3)",
        &[
            "Int4 1",
            "String it's",
            "Numeric 2.50",
            "Int8 5000000000",
            "Int4 -1",
            "String ",
            "Numeric .5",
            "Numeric 1e3",
        ],
    );
    check(
        "select a -5, - 6 from t limit 10 offset 2",
        "select a -$1, - $1 from t limit $1 offset $1 / 10",
        &["Int4 5", "Int4 -6", "Int4 2"],
    );
    check(
        "update t set a = a + 1, (b, c) = (2, 3) where d in (4, 5) returning a + 6",
        "update t set a = a + $1, (b, c) = ($1, $1) where d in ($1, $1) returning a + $1",
        &["Int4 1", "Int4 2", "Int4 3", "Int4 4", "Int4 5", "Int4 6"],
    );
    // A zero does not tell to which number its minus belongs.
    check("select - ( - 0 ), - ( - 1 ), - 0", "select - ( - $1 ), - ( - $1 ), - $1 / 0 / 1", &["Int4 -0"]);
    check("select date '2020-01-01', 'x'::text", "select date $4, $4::text", &["String 2020-01-01", "String x"]);
    check(
        "with c as (select 1) select * from c, lateral f(2) where exists (select 3) and a[4] = 5",
        "with c as (select $1) select * from c, lateral f($1) where exists (select $1) and a[$1] = $1",
        &["Int4 1", "Int4 2", "Int4 3", "Int4 4", "Int4 5"],
    );
    check("select E'\\n' || 'a', 1", "select E'\\n' || $4, $1", &["String a", "Int4 1"]);
    check("select 2147483647, 2147483648", "select $1, $2", &["Int4 2147483647", "Int8 2147483648"]);
}

#[test]
fn constants_that_are_no_values_stay() {
    check("select a from t where b = 1 order by 2", "select a from t where b = $1 order by $1 / 2", &["Int4 1"]);
    check("select a + 1 from t group by a + 1", "select a + $1 from t group by a + $1 / 1 / 1", &[]);
    check("select distinct a + 1 from t where b = 2", "select distinct a + $1 from t where b = $1 / 1", &["Int4 2"]);
    // A constant is cut to its type when it is read.
    check("select 1::numeric(10,2)", "select $1::numeric($1,$1) / 1 / 10 / 2", &[]);
    check(
        "select interval '1' day, interval(3) '2 s'",
        "select interval $4 day, interval($1) $4 / '1' / 3 / '2 s'",
        &[],
    );
    check("create table t (a int default 5)", "create table t (a int default $1) / 5", &[]);
    check("explain select 1", "explain select $1 / 1", &[]);
    check("set work_mem = '4MB'", "set work_mem = $4 / '4MB'", &[]);
    check("select 1 into t", "select $1 into t / 1", &[]);
    check("select count(distinct a + 1) from t", "select count(distinct a + $1) from t / 1", &[]);
    check(
        "insert into t values (1) on conflict (a) where b = 2 do update set c = 3",
        "insert into t values ($1) on conflict (a) where b = $1 do update set c = $1 / 2",
        &["Int4 1", "Int4 3"],
    );
    // The least integers are integers with their minus only.
    check("select -2147483648", "select -$2 / 2147483648", &[]);
}

#[test]
fn other_tokens_stay_in_the_skeleton() {
    for text in [
        "select null, true",
        "select e'x', b'01', X'1f', n'y', U&'z'",
        "select e'a\\n', E'\\\\', E'\\\\''x', E'pg\\\\_%'",
        "select $$a 1 'b'$$, $t$ $$ 2 $t$",
        "select 0x1f, 1_000",
        "select \"a 1 'b'\"\"\", a1, été2",
        "select a -- 1 'x'\nfrom t /* 2 /* 'y */ */",
    ] {
        check(text, text, &[]);
    }
}

#[test]
fn what_is_not_cut() {
    let long = format!("select '{}'", "x".repeat(16 << 10));
    for text in [
        "select $1",
        "select a$1 from t",
        "select 'a'\n'b'",
        "select 'a' -- x\n'b'",
        "select 'a",
        "select \"a",
        "select 1e",
        "select 1.5x",
        "select 99999999999999999999",
        "select $a$ x",
        "select e'\\''",
        "select e'\\\\\\''",
        "select e'x''\\''",
        "/* /* */",
        &long,
    ] {
        assert!(!Cut::default().read(text), "{text}");
    }
}
