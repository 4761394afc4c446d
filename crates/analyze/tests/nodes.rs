//! Trees as text: what is written is read as the same, all kinds of nodes and values; damage is XX001.

#[allow(dead_code)]
mod statements;

use analyze::nodes;
use analyze::query::{Const, Expr, Location, Query, TypeRef};
use statements::{Tables, analyzed};
use syntax::with_stack_for;
use types::{Datum, oid};

const QUERIES: &str = include_str!("queries.sql");
const EXPRESSIONS: &str = include_str!("deparse.sql");

fn trees() -> Vec<String> {
    let tables = Tables::new();
    let expressions = EXPRESSIONS.lines().map(|expression| format!("select {expression} as x from t"));
    let texts = QUERIES.lines().map(String::from).chain(expressions);
    let trees = texts.filter_map(|text| analyzed(&tables, &text).ok());
    trees.map(|tree| nodes::write(&tree.query).unwrap()).collect()
}

#[test]
fn queries_are_read_as_they_were() {
    let tables = Tables::new();
    let mut count = 0;
    for text in QUERIES.lines() {
        let Ok(tree) = analyzed(&tables, text) else { continue };
        let written = nodes::write(&tree.query).unwrap();
        let read: Query = nodes::read(&written).unwrap();
        assert!(read == tree.query, "{text}");
        // What comparisons pass over (collations, how a call was written) is there, too.
        assert_eq!(nodes::write(&read).unwrap(), written, "{text}");
        count += 1;
    }
    assert!(count > 250, "{count}");
}

#[test]
fn values_are_read_as_they_were() {
    let floats = [0.0, -0.0, 1.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE, f64::EPSILON];
    let mut values: Vec<Datum> = floats.iter().flat_map(|&v| [Datum::F64(v), Datum::F32(v as f32)]).collect();
    values.extend([i64::MIN, -1, 0, 1, i64::MAX].map(Datum::I64));
    values.extend([i32::MIN, -1, 0, i32::MAX].map(Datum::I32));
    values.extend([i16::MIN, i16::MAX].map(Datum::I16));
    values.extend([i128::MIN, -1, i128::MAX].map(Datum::I128));
    values.extend([Datum::Null, Datum::Bool(true), Datum::Bool(false), Datum::U8(255), Datum::U32(u32::MAX)]);
    values.push(Datum::U64(u64::MAX));
    values.extend(["", "a \"b\" \\ 'c'", "{ ( } )", "ä\n\t\u{1F600}\\"].map(Datum::text));
    values.extend([vec![], vec![0, 255, 34, 92], (0..=255).collect()].map(|bytes: Vec<u8>| Datum::bytes(bytes)));
    for value in values {
        let constant = Const { ty: TypeRef { oid: oid::TEXT, typmod: -1 }, value, location: Location(7) };
        let written = nodes::write(&Expr::Const(constant.clone())).unwrap();
        let Expr::Const(read) = nodes::read(&written).unwrap() else { panic!("{written}") };
        let bits = |value: &Datum| match value {
            Datum::F64(value) => value.to_bits(),
            Datum::F32(value) => u64::from(value.to_bits()),
            _ => 0,
        };
        assert_eq!(bits(&read.value), bits(&constant.value), "{written}");
        assert_eq!(format!("{:?}", read.value), format!("{:?}", constant.value), "{written}");
    }
}

#[test]
fn damage_is_told() {
    let trees = trees();
    let told = |text: &str| match nodes::read::<Query>(text) {
        Ok(_) => {}
        Err(error) => assert_eq!(error.0.code, "XX001", "{text}"),
    };
    for tree in trees.iter().step_by(23) {
        for end in (0..tree.len()).step_by(97).filter(|end| tree.is_char_boundary(*end)) {
            told(&tree[..end]);
            // A byte of it is another one.
            for other in ["(", "}", "\"", "9", "-", "x", "\\"] {
                let rest = tree[end..].chars().next().map_or("", |c| &tree[end + c.len_utf8()..]);
                told(&format!("{}{other}{rest}", &tree[..end]));
            }
        }
    }
    for text in ["", "{", "{{}}", "{{command Select}}", "{(}", "select 1", "{\"", "{{command Select x"] {
        assert_eq!(nodes::read::<Query>(text).map(|_| ()).unwrap_err().0.code, "XX001", "{text}");
    }
    told(&"{(".repeat(100_000));
    told(&format!("{{{{nothing {}", "(".repeat(100_000)));
}

#[test]
fn deep_trees_are_read() {
    let tables = Tables::new();
    let tree = analyzed(&tables, &format!("select {}1", "1 + ".repeat(2000))).unwrap();
    let written = nodes::write(&tree.query).unwrap();
    let depth = nodes::depth(&written);
    assert!(depth > 2000);
    with_stack_for(depth, || assert!(nodes::read::<Query>(&written).unwrap() == tree.query));
}

#[test]
fn fields_that_are_not_known_are_passed_over() {
    let known = "{Const:{ty {oid 23 typmod -1} value I32:5}}";
    let more = "{Const:{ty {oid 23 later (1 {a Some:\"x\\\"\"} -) typmod -1} new Kind:{x 1} value I32:5}}";
    assert_eq!(nodes::read::<Expr>(more).unwrap(), nodes::read::<Expr>(known).unwrap());
    assert_eq!(nodes::write(&nodes::read::<Expr>(known).unwrap()).unwrap(), known);
}
