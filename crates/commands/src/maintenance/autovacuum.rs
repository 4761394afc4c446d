//! VACUUM and ANALYZE by themselves: PostgreSQL's `autovacuum.c`. A launcher looks at all tables every `autovacuum_naptime` and has
//! workers, `autovacuum_max_workers` at once, run the commands over those with enough changes. A table's storage parameters stand
//! before the settings.
//!
//! # Invariants
//! * A worker gives way: it ends as soon as somebody waits for its table or drops its database, and tables that are locked are
//!   passed over.
//! * It rests as `autovacuum_vacuum_cost_limit` says; the workers share one limit, but for tables that have their own.
//! * What failed is logged, and tried again the next time.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use access::activity::TableEntry;
use aio::BackendKind;
use config::{Settings, Source, parse_bool};
use engine::{Database, EngineError, Result, TableDef};
use error::sqlstate;
use futures::StreamExt;
use session::Session;
use tokio::sync::watch;
use txn::LockTag;
use types::quote::quote_identifier;

use crate::Commands;

/// Whether somebody waits for a worker's table is asked so often.
const LOOK: Duration = Duration::from_millis(200);

/// A table with what is to be done with it.
struct Due {
    database: (u32, String),
    table: Arc<TableDef>,
    vacuum: bool,
    analyze: bool,
}

/// The launcher: runs until the server stops.
pub async fn run(db: Database, mut stopping: watch::Receiver<bool>) {
    let mut slept = Duration::ZERO;
    while !*stopping.borrow() {
        let second = Duration::from_secs(1);
        tokio::select! {
            _ = stopping.changed() => return,
            () = db.engine().sleep(second) => slept += second,
        }
        let settings = db.settings();
        if !settings.bool("autovacuum") || slept < Duration::from_secs(settings.integer("autovacuum_naptime") as u64) {
            continue;
        }
        slept = Duration::ZERO;
        let due = due(&db, &settings);
        let workers = (settings.integer("autovacuum_max_workers") as usize).clamp(1, due.len().max(1));
        let stopping = &stopping;
        let work = |due| {
            let (db, stopping) = (&db, stopping.clone());
            async move {
                if let Err(error) = worker(db, &due, workers, stopping).await {
                    let Due { table, database, .. } = &due;
                    tracing::warn!(table = table.name, database = database.1, %error, "autovacuum failed");
                }
            }
        };
        futures::stream::iter(due).for_each_concurrent(workers, work).await;
    }
}

/// The tables with enough changes (`relation_needs_vacanalyze`).
fn due(db: &Database, settings: &Settings) -> Vec<Due> {
    let catalog = db.catalog();
    let mut found = Vec::new();
    for database in catalog.databases().filter(|database| database.datallowconn) {
        for row in database.relations(b'r').filter(|row| row.relpersistence != b't') {
            // Nothing was ever changed in the others.
            let Some(activity) = db.table_activity(database.oid, row.oid).map(|activity| activity.entry()) else {
                continue;
            };
            let Some(def) = database.table_by_oid(row.oid) else { continue };
            let blocks = db.open_table(database.oid, def).map_or(0, |table| table.blocks());
            let (mut vacuum, analyze) = needs(def, &activity, f64::from(blocks), settings);
            let may = def.option("autovacuum_enabled").and_then(parse_bool) != Some(false);
            vacuum |= may && activity.has_cut(db.redo_position());
            if vacuum || analyze {
                let database = (database.oid, database.name().to_string());
                found.push(Due { database, table: def.clone(), vacuum, analyze });
            }
        }
    }
    found
}

/// Whether a table has enough changes for VACUUM and for ANALYZE.
fn needs(def: &TableDef, activity: &TableEntry, blocks: f64, settings: &Settings) -> (bool, bool) {
    if def.option("autovacuum_enabled").and_then(parse_bool) == Some(false) {
        return (false, false);
    }
    let number = |name: &str| {
        let own = def.option(name).and_then(|value| value.parse().ok());
        own.unwrap_or_else(|| settings.get(name).parse::<f64>().unwrap_or_default())
    };
    let known = def.analyzed.as_ref();
    let rows = known.map_or(0.0, |analyzed| analyzed.rows);
    let unseen = known
        .filter(|analyzed| analyzed.pages > 0)
        .map_or(1.0, |analyzed| (1.0 - f64::from(analyzed.all_visible) / f64::from(analyzed.pages)).clamp(0.0, 1.0));
    let mut threshold = number("autovacuum_vacuum_threshold") + number("autovacuum_vacuum_scale_factor") * rows;
    let most = number("autovacuum_vacuum_max_threshold");
    if most >= 0.0 {
        threshold = threshold.min(most);
    }
    let inserts = number("autovacuum_vacuum_insert_threshold");
    let inserted = activity.unseen_by_vacuum() as f64;
    let scale = number("autovacuum_vacuum_insert_scale_factor");
    let vacuum = activity.dead as f64 > threshold || inserts >= 0.0 && inserted > inserts + scale * rows * unseen;
    let changes = number("autovacuum_analyze_threshold") + number("autovacuum_analyze_scale_factor") * rows;
    // Counters begin anew with the server: a table that nobody has looked at is looked at.
    let is_new = known.is_none_or(|analyzed| analyzed.columns.is_empty()) && blocks > 0.0;
    let analyze = activity.changed_since_analyze as f64 > changes || is_new && activity.runs_of_analyze() == 0;
    (vacuum, analyze)
}

/// How often a worker rests: its `vacuum_cost_limit` and `vacuum_cost_delay`.
#[derive(Debug, PartialEq)]
struct Cost {
    limit: i64,
    delay: f64,
}

/// The workers share the limit of the settings; a table that says anything of it has its own (`AutoVacuumUpdateCostLimit`).
fn cost(def: &TableDef, settings: &Settings, workers: usize) -> Cost {
    let own = |name: &str| def.option(name).and_then(|value| value.parse::<f64>().ok());
    let own_limit = own("autovacuum_vacuum_cost_limit").map(|limit| limit.round_ties_even() as i64);
    let own_delay = own("autovacuum_vacuum_cost_delay");
    let limit = match settings.integer("autovacuum_vacuum_cost_limit") {
        ..=0 => settings.integer("vacuum_cost_limit"),
        limit => limit,
    };
    let shared = if own_delay.is_some() { limit } else { (limit / workers as i64).max(1) };
    let delay = match settings.real("autovacuum_vacuum_cost_delay") {
        delay if delay >= 0.0 => delay,
        _ => settings.real("vacuum_cost_delay"),
    };
    Cost { limit: own_limit.unwrap_or(shared), delay: own_delay.unwrap_or(delay) }
}

/// Does what is due with a table, unless somebody needs it or the server stops.
async fn worker(db: &Database, due: &Due, workers: usize, mut stopping: watch::Receiver<bool>) -> Result<()> {
    let backend = db.activity().enter(BackendKind::Autovacuum, Some(due.database.clone()), None, None, None)?;
    if db.catalog().database_by_oid(due.database.0).is_none() {
        return Ok(());
    }
    let mut settings = db.settings();
    let cost = cost(&due.table, &settings, workers);
    settings.set("vacuum_cost_limit", &cost.limit.to_string(), Source::Session)?;
    settings.set("vacuum_cost_delay", &cost.delay.to_string(), Source::Session)?;
    let mut session = Session::of_server(db, backend.clone(), due.database.clone(), settings, &Commands)?;
    let (schema, name) = (quote_identifier(&due.table.schema), quote_identifier(&due.table.name));
    let text = match (due.vacuum, due.analyze) {
        (true, analyze) => format!("VACUUM (SKIP_LOCKED{}) {schema}.{name}", if analyze { ", ANALYZE" } else { "" }),
        (false, _) => format!("ANALYZE (SKIP_LOCKED) {schema}.{name}"),
    };
    backend.update(|state| {
        state.query = format!("autovacuum: {text}");
        state.transaction_start = Some(SystemTime::now());
    });
    let work = async {
        for statement in session.statements(&text)? {
            session.run(&statement).await?;
        }
        session.end_implicit(true).await
    };
    let tag = LockTag::Relation { database: due.database.0, oid: due.table.oid };
    let outcome = tokio::select! {
        outcome = work => outcome,
        () = is_waited_for(db, tag) => Err(EngineError::new(sqlstate::QUERY_CANCELED, "canceling autovacuum task")),
        () = backend.cancelled() => Err(EngineError::new(sqlstate::QUERY_CANCELED, "canceling statement due to user request")),
        _ = stopping.changed() => Ok(()),
    };
    session.end_implicit(false).await?;
    outcome
}

/// Waits until somebody waits for a lock.
async fn is_waited_for(db: &Database, tag: LockTag) {
    loop {
        db.engine().sleep(LOOK).await;
        if db.store().locks.is_waited_for(tag) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use access::activity::{Activity, Changes, TableCounts};

    use super::*;

    #[test]
    fn a_table_may_have_its_own_cost_limit_and_delay() {
        let mut settings = Settings::default();
        let mut def = TableDef::new(16384, (catalog::PUBLIC, "t"), 10, vec![]);
        let mut of = |settings: &Settings, options: &[(&str, &str)]| {
            let options = options.iter().map(|(name, value)| (name.to_string(), value.to_string()));
            def.options = options.collect();
            let Cost { limit, delay } = cost(&def, settings, 3);
            (limit, delay)
        };
        let (limit, delay) = ("autovacuum_vacuum_cost_limit", "autovacuum_vacuum_cost_delay");
        assert_eq!(of(&settings, &[]), (66, 2.0), "200 and 2 ms are the defaults");
        assert_eq!(of(&settings, &[(limit, "50")]), (50, 2.0), "not shared");
        assert_eq!(of(&settings, &[(delay, "10.5")]), (200, 10.5), "the limit is not shared either");
        assert_eq!(of(&settings, &[(delay, "0"), (limit, "1000")]), (1000, 0.0));
        settings.set(limit, "30", Source::File).unwrap();
        settings.set(delay, "-1", Source::File).unwrap();
        settings.set("vacuum_cost_delay", "7", Source::File).unwrap();
        assert_eq!(of(&settings, &[]), (10, 7.0));
        assert_eq!(of(&settings, &[(limit, "1")]), (1, 7.0));
        assert_eq!(of(&settings, &[(delay, "1")]), (30, 1.0));
    }

    #[test]
    fn thresholds_are_postgresqls_and_tables_have_their_own() {
        let settings = Settings::default();
        let mut def = TableDef::new(16384, (catalog::PUBLIC, "t"), 10, vec![]);
        let analyzed = |rows, pages, all_visible| {
            Some(engine::Analyzed { pages, rows, all_visible, columns: vec![None], indexes: vec![] })
        };
        def.analyzed = analyzed(1000.0, 10, 10);
        let with = |dead, inserted, def: &TableDef| {
            let activity = Activity::default();
            let changes = Changes { inserted, updated: dead, deleted: 0 };
            activity.add(TableCounts::of_commit(changes, Changes::default(), false));
            needs(def, &activity.entry(), 10.0, &settings)
        };
        assert_eq!(with(150, 0, &def), (false, false));
        assert_eq!(with(151, 0, &def), (false, true));
        assert_eq!(with(250, 0, &def), (false, true));
        assert_eq!(with(251, 0, &def), (true, true));
        assert_eq!(with(0, 1000, &def), (false, true));
        assert_eq!(with(0, 1001, &def), (true, true), "all of it is visible: the scale does not count");
        def.analyzed = analyzed(1000.0, 10, 0);
        assert_eq!(with(0, 1200, &def), (false, true));
        def.options = vec![("autovacuum_vacuum_threshold".into(), "0".into())];
        assert_eq!(with(201, 0, &def), (true, true));
        def.options.push(("autovacuum_vacuum_scale_factor".into(), "0.5".into()));
        assert_eq!(with(201, 0, &def), (false, true));
        for off in ["false", "OFF", "no", "0"] {
            def.options = vec![("autovacuum_enabled".into(), off.into())];
            assert_eq!(with(10_000, 10_000, &def), (false, false), "{off}");
        }
        def.options.clear();
        def.analyzed = None;
        assert_eq!(with(0, 0, &def), (false, true), "nobody has looked at it");
    }
}
