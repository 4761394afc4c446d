//! Plans of statements over the tables of analyze's tests.

#[path = "../../analyze/tests/statements/mod.rs"]
#[allow(dead_code)]
mod statements;

use analyze::query::{CommandType, Query};
use plan::plan::PlannedStmt;
use plan::plancat::NoStatistics;
use plan::{Planner, planner};
use statements::{Tables, rewritten};

fn planned(tables: &Tables, text: &str) -> types::Result<PlannedStmt> {
    let mut rewritten = rewritten(tables, text)?;
    let query = std::mem::replace(&mut rewritten.query, Query::new(CommandType::Select));
    let catalog = tables.catalog();
    let context = types::Context::default();
    let execution = expression::Execution::default();
    let settings = plan::path::PlannerSettings::default();
    let with = Planner {
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
    planner(query, &with)
}

/// Every statement that is analyzed in analyze's tests gets a plan, or is refused as what is not done yet.
#[test]
fn statements_have_plans() {
    let tables = Tables::new();
    let mut wrong = Vec::new();
    let (mut plans, mut refused) = (0, 0);
    for text in include_str!("../../analyze/tests/queries.sql").lines() {
        if rewritten(&tables, text).is_err() {
            continue;
        }
        let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| planned(&tables, text)));
        match made {
            Ok(Ok(_)) => plans += 1,
            Ok(Err(e)) if e.0.code != "XX000" => {
                refused += 1;
                println!("{}: {}: {text}", e.0.code, e.0.message);
            }
            Ok(Err(e)) => wrong.push(format!("{}: {text}", e.0.message)),
            Err(_) => wrong.push(format!("panic: {text}")),
        }
    }
    println!("{plans} plans, {refused} refused");
    assert!(wrong.is_empty(), "{} without a plan:\n{}", wrong.len(), wrong.join("\n"));
}

/// How long planning takes, analysis apart: `cargo test --release -p plan --test plans -- --ignored --nocapture`.
#[test]
#[ignore = "prints times"]
fn planning_times() {
    let tables = Tables::new();
    for text in ["select 1", "select b from t where a = 7", "select t.b from t join u on u.a = t.a where t.a = 7"] {
        let begun = std::time::Instant::now();
        let rounds = 1000;
        for _ in 0..rounds {
            planned(&tables, text).unwrap();
        }
        let both = begun.elapsed();
        let begun = std::time::Instant::now();
        for _ in 0..rounds {
            rewritten(&tables, text).unwrap();
        }
        println!("{:?}: {text}", (both - begun.elapsed()) / rounds);
    }
}
