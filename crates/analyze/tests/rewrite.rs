//! What PostgreSQL makes of rewrite.sql over tables.sql: errors as they are. `queries.py` records the answers. And all system
//! views can be asked.

#[allow(dead_code)]
mod statements;

use analyze::query::{CommandType, Expr, Query, RangeTableKind, Walk, walk_query};
use catalog::catalogs::PgClass;
use catalog::{Catalog, Scan};
use serde_json::{Value, json};
use statements::{Tables, rewritten};

const QUERIES: &str = include_str!("rewrite.sql");
const ANSWERS: &str = include_str!("rewrite.out");

/// No view and no DEFAULT is left, anywhere in a query.
fn is_rewritten(catalog: Catalog<'_>, query: &Query) -> bool {
    let view = |oid: u32| catalog.relation(oid).is_some_and(|row| row.relkind == b'v');
    let entries = query.range_table.iter().all(|entry| match entry.kind {
        RangeTableKind::Relation { oid, .. } => !view(oid),
        _ => true,
    });
    let walked = |e: &Expr| {
        let left = e.contains(&mut |e| matches!(e, Expr::SetToDefault(_)));
        if left { Walk::Stop } else { Walk::On }
    };
    let inner = |query: &Query| if is_rewritten(catalog, query) { Walk::On } else { Walk::Stop };
    entries && walk_query(query, &mut { walked }, &mut { inner }) == Walk::On
}

#[test]
fn statements_are_rewritten_as_by_postgresql() {
    let tables = Tables::new();
    let (mut same, mut refused, mut wrong) = (0, 0, Vec::new());
    for (query, answer) in QUERIES.lines().zip(ANSWERS.lines()) {
        let theirs: Value = serde_json::from_str(answer).unwrap();
        let ours = match rewritten(&tables, query) {
            Ok(analyzed) if !is_rewritten(tables.catalog(), &analyzed.query) => json!("something is left"),
            Ok(_) => Value::Null,
            Err(error) => {
                let report = &error.0;
                json!([report.code, report.message, report.detail, report.hint])
            }
        };
        // Which index is meant, the planner says.
        let theirs = &theirs["error"];
        if ours == *theirs || theirs[0] == "42P10" && ours == Value::Null {
            same += 1;
        } else if ours[0] == "0A000" && ours[1].as_str().is_some_and(|message| message.ends_with("not supported yet")) {
            refused += 1;
        } else {
            wrong.push(format!("{query}\n    ours:   {ours}\n    theirs: {theirs}"));
        }
    }
    println!("{same} the same, {refused} not supported yet");
    assert!(same > 0 && wrong.is_empty(), "{} not as PostgreSQL:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn system_views_are_expanded() {
    let tables = Tables::none();
    let catalog = tables.catalog();
    let (mut expanded, mut refused) = (0, Vec::new());
    for view in PgClass::all().iter().filter(|row| row.relkind == b'v') {
        let schema = &catalog.namespace(view.relnamespace).unwrap().nspname;
        match rewritten(&tables, &format!("select * from {schema}.{}", view.relname)) {
            Ok(analyzed) => {
                assert!(is_rewritten(catalog, &analyzed.query), "{}", view.relname);
                assert_eq!(analyzed.query.command, CommandType::Select);
                expanded += 1;
            }
            Err(error) => refused.push(format!("{}: {} {}", view.relname, error.0.code, error.0.message)),
        }
    }
    println!("{expanded} system views, {} not:\n{}", refused.len(), refused.join("\n"));
    assert!(refused.iter().all(|refused| refused.contains(": 0A000 ")), "{}", refused.join("\n"));
}
