//! The state that DataFusion plans and runs statements with: what is the same for all sessions is made once, a session
//! adds its functions when its first statement needs them (and lets go of them when it rests), and each statement has a
//! copy with its own tables, memory and number of participants.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Weak};

use datafusion::execution::disk_manager::{DiskManager, DiskManagerMode};
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::execution::{SessionState, SessionStateBuilder, SessionStateDefaults};
use datafusion::logical_expr::planner::ExprPlanner;
use datafusion::prelude::SessionConfig;
use engine::{Database, EngineError, Result};
use parking_lot::Mutex;

use crate::errors::translate;
use crate::session::Shared;
use crate::{advisory, fence, functions, semantics, series};

/// What no session changes.
static COMMON: LazyLock<SessionState> = LazyLock::new(|| {
    let mut config = SessionConfig::new()
        .with_create_default_catalog_and_schema(false)
        .with_default_catalog_and_schema("", "public")
        .with_round_robin_repartition(false)
        .with_target_partitions(1);
    let options = config.options_mut();
    options.sql_parser.parse_float_as_decimal = true;
    options.sql_parser.map_string_types_to_utf8view = false;
    options.sql_parser.enable_subquery_sort_elimination = false;
    options.execution.time_zone = Some("UTC".into());
    options.execution.collect_statistics = false;
    // Filters that change while a query runs would be no part of EXPLAIN's plan.
    options.optimizer.enable_dynamic_filter_pushdown = false;
    options.optimizer.enable_topk_dynamic_filter_pushdown = false;
    options.optimizer.enable_join_dynamic_filter_pushdown = false;
    options.optimizer.enable_aggregate_dynamic_filter_pushdown = false;
    // Ours is asked first.
    let mut planners: Vec<Arc<dyn ExprPlanner>> = vec![Arc::new(semantics::Quoted)];
    planners.extend(SessionStateDefaults::default_expr_planners());
    let mut common = SessionStateBuilder::new()
        .with_config(config)
        .with_default_features()
        .with_expr_planners(planners)
        .with_type_planner(Arc::new(semantics::PgTypes))
        .with_query_planner(Arc::new(fence::Planner))
        .with_analyzer_rules(semantics::analyzer_rules())
        .build();
    common.register_udtf("generate_series", Arc::new(series::GenerateSeries));
    common
});

/// A session's state: what its statements begin with.
pub fn of_session(shared: &Arc<Shared>) -> Result<SessionState> {
    let mut state = COMMON.clone();
    functions::register(&mut state, shared).map_err(translate)?;
    advisory::register(&mut state, shared).map_err(translate)?;
    let runtime = runtime(&shared.db)?;
    Ok(SessionStateBuilder::new_from_existing(state).with_runtime_env(runtime).build())
}

/// What the sessions of a database share while statements run: the place for what does not fit into memory.
fn runtime(db: &Database) -> Result<Arc<RuntimeEnv>> {
    static OPEN: Mutex<Vec<(PathBuf, Weak<RuntimeEnv>)>> = Mutex::new(Vec::new());
    let directory = db.temporary_directory();
    let mut open = OPEN.lock();
    open.retain(|(_, runtime)| runtime.strong_count() > 0);
    if let Some(runtime) = open.iter().find(|(of, _)| *of == directory).and_then(|(_, runtime)| runtime.upgrade()) {
        return Ok(runtime);
    }
    let failed = |error: std::io::Error| {
        EngineError::new("58030", format!("could not create \"{}\": {error}", directory.display()))
    };
    std::fs::create_dir_all(&directory).map_err(failed)?;
    let disk = DiskManager::builder().with_mode(DiskManagerMode::Directories(vec![directory.clone()]));
    let runtime = RuntimeEnvBuilder::new().with_disk_manager_builder(disk).build_arc().map_err(translate)?;
    open.push((directory, Arc::downgrade(&runtime)));
    Ok(runtime)
}
