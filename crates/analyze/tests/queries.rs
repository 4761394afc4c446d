//! What PostgreSQL makes of queries.sql over tables.sql: names and types of columns, types of parameters; or the error with
//! its detail, hint and position. `queries.py` records the answers.

#[allow(dead_code)]
mod statements;

use analyze::Analyzed;
use serde_json::{Value, json};
use statements::{Tables, analyzed};
use types::{Error, oid};

const QUERIES: &str = include_str!("queries.sql");
const ANSWERS: &str = include_str!("queries.out");

fn columns(tables: &Tables, analyzed: &Analyzed) -> Value {
    let shown = |ty: analyze::query::TypeRef| tables.catalog().format_type_with_typmod(ty.oid, ty.typmod);
    let column = |target: &analyze::query::TargetEntry| json!([target.name, shown(target.expr.ty())]);
    let columns: Vec<Value> = analyzed.query.visible_targets().map(column).collect();
    let parameters: Vec<String> =
        analyzed.parameters.iter().map(|ty| tables.catalog().format_type_with_typmod(*ty, -1)).collect();
    if let Some(number) = analyzed.parameters.iter().position(|ty| *ty == oid::INVALID) {
        // What Parse says.
        let message = format!("could not determine data type of parameter ${}", number + 1);
        return json!({"error": ["42P18", message, null, null, null]});
    }
    json!({"columns": columns, "parameters": parameters})
}

fn error(error: &Error, text: &str) -> Value {
    let report = &error.0;
    let position = report.location.map(|at| (text[..at].chars().count() + 1).to_string());
    json!({"error": [report.code, report.message, report.detail, report.hint, position]})
}

#[test]
fn queries_are_analyzed_as_by_postgresql() {
    let tables = Tables::new();
    let (mut same, mut refused, mut wrong) = (0, Vec::new(), Vec::new());
    for (query, answer) in QUERIES.lines().zip(ANSWERS.lines()) {
        let theirs: Value = serde_json::from_str(answer).unwrap();
        let ours = match analyzed(&tables, query) {
            Ok(analyzed) => columns(&tables, &analyzed),
            Err(e) => error(&e, query),
        };
        if ours == theirs {
            same += 1;
        } else if ours["error"][0] == "0A000" && ours["error"][1].as_str().unwrap().ends_with("not supported yet") {
            refused.push(format!("{query}: {}", ours["error"][1]));
        } else {
            wrong.push(format!("{query}\n    ours:   {ours}\n    theirs: {theirs}"));
        }
    }
    println!("{same} the same, {} not supported yet:\n{}", refused.len(), refused.join("\n"));
    assert!(same > 0 && wrong.is_empty(), "{} not as PostgreSQL:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn deep_statements_are_analyzed_or_refused() {
    let tables = Tables::new();
    let sum = |terms: usize| format!("select {}1", "1 + ".repeat(terms));
    let calls = |depth: usize| format!("select {}1{}", "abs(".repeat(depth), ")".repeat(depth));
    let queries = |depth: usize| format!("select 1 from {}t{}", "(select * from ".repeat(depth), ") s".repeat(depth));
    let sublinks = |depth: usize| format!("select {}1{}", "(select ".repeat(depth), ")".repeat(depth));
    let unions = |arms: usize| format!("select 1{}", " union all select 1".repeat(arms));
    for text in [sum(2000), calls(1000), queries(200), sublinks(200), unions(1000)] {
        analyzed(&tables, &text).unwrap_or_else(|e| panic!("{e}: {}", &text[..60]));
    }
    for text in [sum(19_000), calls(9_000)] {
        let code = analyzed(&tables, &text).map(|_| "analyzed").unwrap_or_else(|e| e.0.code);
        assert!(matches!(code, "54001" | "42601"), "{code}: {}", &text[..60]);
    }
}
