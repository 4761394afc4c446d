//! Trees as SQL: expressions of deparse.sql over tables.sql as `pg_get_viewdef` gives them (`queries.py` records them), and
//! the system views, whose definitions come back as they are.

#[allow(dead_code)]
mod statements;

use analyze::ruleutils::{Deparse, deparse_view};
use catalog::catalogs::PgClass;
use catalog::{Catalog, Scan};
use serde_json::Value;
use statements::{Tables, analyzed};
use types::{Context, Result};

/// What the trees do not have: names of arguments, for those that are not given are there.
const LOST: &[&str] = &["make_interval(days => 10)"];

const EXPRESSIONS: &str = include_str!("deparse.sql");
const ANSWERS: &str = include_str!("deparse.out");

fn deparsed(tables: &Tables, text: &str, columns: &[String], pretty: bool) -> Result<String> {
    let analyzed = analyzed(tables, text)?;
    let catalog = tables.catalog();
    let context = Context { names: std::sync::Arc::new(tables.clone()), ..Context::default() };
    let deparse = Deparse { catalog, relations: &catalog, context: &context, pretty };
    deparse_view(deparse, &analyzed.query, columns, 0)
}

/// Refused, or as PostgreSQL.
#[derive(Default)]
struct Counts {
    same: usize,
    refused: Vec<String>,
    wrong: Vec<String>,
}

impl Counts {
    fn add(&mut self, what: &str, ours: Result<String>, theirs: &str) {
        match ours {
            Ok(ours) if ours == theirs => self.same += 1,
            Ok(ours) => self.wrong.push(format!("{what}\n    ours:   {ours}\n    theirs: {theirs}")),
            Err(error) if error.0.code == "0A000" => self.refused.push(format!("{what}: {}", error.0.message)),
            Err(error) => self.wrong.push(format!("{what}: {} {}", error.0.code, error.0.message)),
        }
    }

    fn report(&self) {
        println!("{} the same, {} not supported yet:\n{}", self.same, self.refused.len(), self.refused.join("\n"));
        assert!(
            self.same > 0 && self.wrong.is_empty(),
            "{} not as PostgreSQL:\n{}",
            self.wrong.len(),
            self.wrong.join("\n")
        );
    }
}

#[test]
fn expressions_are_written_as_by_postgresql() {
    let tables = Tables::new();
    let mut counts = Counts::default();
    for (expression, answer) in EXPRESSIONS.lines().zip(ANSWERS.lines()) {
        let theirs: Value = serde_json::from_str(answer).unwrap();
        // Some are no columns of a view.
        let Some(theirs) = theirs.as_array().filter(|_| !LOST.contains(&expression)) else { continue };
        for (pretty, theirs) in [false, true].into_iter().zip(theirs) {
            let text = format!("select {expression} as x from t");
            counts.add(expression, deparsed(&tables, &text, &["x".to_string()], pretty), theirs.as_str().unwrap());
        }
    }
    counts.report();
}

#[test]
fn system_views_are_written_as_they_are() {
    let tables = Tables::none();
    let mut counts = Counts::default();
    for view in PgClass::all().iter().filter(|row| row.relkind == b'v') {
        let definition = Catalog::BUILT_IN.view_definition(view.oid).unwrap();
        let mut columns: Vec<_> = Catalog::BUILT_IN.attributes(view.oid).filter(|column| column.attnum > 0).collect();
        columns.sort_by_key(|column| column.attnum);
        let columns: Vec<String> = columns.iter().map(|column| column.attname.to_string()).collect();
        counts.add(&view.relname, deparsed(&tables, definition, &columns, false), definition);
    }
    counts.report();
}
