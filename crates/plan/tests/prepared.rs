//! What preparation makes of queries over the tables of analyze's tests.

#[path = "../../analyze/tests/statements/mod.rs"]
#[allow(dead_code)]
mod statements;

mod show;

use analyze::query::{CommandType, Query};
use plan::plancat::NoStatistics;
use plan::planner::subquery_planner;
use plan::planner_info::Level;
use plan::{Planner, PlannerGlobal, PlannerInfo};
use show::Show;
use statements::{Tables, rewritten};

const QUERIES: &str = include_str!("prepared.sql");
const EXPECTED: &str = include_str!("prepared.out");

fn prepared(tables: &Tables, text: &str) -> String {
    let query = match rewritten(tables, text) {
        Ok(mut rewritten) => std::mem::replace(&mut rewritten.query, Query::new(CommandType::Select)),
        Err(e) => panic!("{e}: {text}"),
    };
    let catalog = tables.catalog();
    let context = types::Context::default();
    let execution = expression::Execution::default();
    let settings = plan::path::PlannerSettings::default();
    let planner = Planner {
        catalog,
        relations: &catalog,
        statistics: &NoStatistics,
        context: &context,
        execution: &execution,
        settings: &settings,
        parameters: None,
        tuple_fraction: 0.0,
        depth: 100,
    };
    let mut global = PlannerGlobal::new(&planner, subquery_planner);
    global.levels.push(Level::default());
    let mut root = PlannerInfo::new(&planner, query, 1);
    match plan::prep::prepare(&mut global, &mut root) {
        Ok(()) => Show { catalog, query: &root.query }.query(),
        Err(e) => format!("{}: {}", e.0.code, e.0.message),
    }
}

/// `INFLIGHT_RECORD=1` writes what is there; read it before you commit it.
#[test]
fn queries_are_prepared() {
    let tables = Tables::new();
    let mut shown = String::new();
    for text in QUERIES.lines() {
        shown += &prepared(&tables, text);
        shown.push('\n');
    }
    if std::env::var_os("INFLIGHT_RECORD").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/prepared.out");
        std::fs::write(path, &shown).unwrap();
        return;
    }
    for ((text, shown), expected) in QUERIES.lines().zip(shown.lines()).zip(EXPECTED.lines()) {
        assert_eq!(shown, expected, "{text}");
    }
    assert_eq!(QUERIES.lines().count(), EXPECTED.lines().count());
}
