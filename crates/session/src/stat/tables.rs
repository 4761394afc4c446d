//! What happened to a table, an index, a function: `pg_stat_all_tables` and the views like it.

use std::sync::Arc;

use access::activity::{Activity, Maintenance, RunCounts};
use storage::RelationCounts;
use types::{Datum, Result};

use super::{Answer, Server, count, oid_argument};

pub const ANSWERS: &[(&str, Answer)] = &[
    ("pg_stat_get_live_tuples", live_tuples),
    ("pg_stat_get_dead_tuples", |server, of| counted(server, of, |activity| activity.dead())),
    ("pg_stat_get_numscans", |server, of| counts(server, of, |counts| counts.scans)),
    ("pg_stat_get_tuples_returned", |server, of| counts(server, of, |counts| counts.returned)),
    ("pg_stat_get_tuples_fetched", |server, of| counts(server, of, |counts| counts.fetched)),
    ("pg_stat_get_tuples_inserted", |server, of| counted(server, of, |activity| activity.changes().inserted)),
    ("pg_stat_get_tuples_updated", |server, of| counted(server, of, |activity| activity.changes().updated)),
    ("pg_stat_get_tuples_deleted", |server, of| counted(server, of, |activity| activity.changes().deleted)),
    ("pg_stat_get_tuples_hot_updated", none),
    ("pg_stat_get_tuples_newpage_updated", none),
    ("pg_stat_get_mod_since_analyze", |server, of| counted(server, of, |activity| activity.changed_since_analyze())),
    ("pg_stat_get_ins_since_vacuum", |server, of| counted(server, of, |activity| activity.inserted_since_vacuum())),
    ("pg_stat_get_vacuum_count", |server, of| run_count(server, of, Maintenance::Vacuum)),
    ("pg_stat_get_autovacuum_count", |server, of| run_count(server, of, Maintenance::Autovacuum)),
    ("pg_stat_get_analyze_count", |server, of| run_count(server, of, Maintenance::Analyze)),
    ("pg_stat_get_autoanalyze_count", |server, of| run_count(server, of, Maintenance::Autoanalyze)),
    ("pg_stat_get_blocks_fetched", |server, of| counts(server, of, |counts| counts.hits + counts.reads)),
    ("pg_stat_get_blocks_hit", |server, of| counts(server, of, |counts| counts.hits)),
    ("pg_stat_get_xact_numscans", none),
    ("pg_stat_get_xact_tuples_returned", none),
    ("pg_stat_get_xact_tuples_fetched", none),
    ("pg_stat_get_xact_tuples_inserted", none),
    ("pg_stat_get_xact_tuples_updated", none),
    ("pg_stat_get_xact_tuples_deleted", none),
    ("pg_stat_get_xact_tuples_hot_updated", none),
    ("pg_stat_get_xact_tuples_newpage_updated", none),
    ("pg_stat_get_xact_blocks_fetched", none),
    ("pg_stat_get_xact_blocks_hit", none),
    ("pg_stat_get_lastscan", last_scan),
    ("pg_stat_get_last_vacuum_time", |server, of| last_run(server, of, Maintenance::Vacuum)),
    ("pg_stat_get_last_autovacuum_time", |server, of| last_run(server, of, Maintenance::Autovacuum)),
    ("pg_stat_get_last_analyze_time", |server, of| last_run(server, of, Maintenance::Analyze)),
    ("pg_stat_get_last_autoanalyze_time", |server, of| last_run(server, of, Maintenance::Autoanalyze)),
    ("pg_stat_get_total_vacuum_time", |server, of| run_time(server, of, Maintenance::Vacuum)),
    ("pg_stat_get_total_autovacuum_time", |server, of| run_time(server, of, Maintenance::Autovacuum)),
    ("pg_stat_get_total_analyze_time", |server, of| run_time(server, of, Maintenance::Analyze)),
    ("pg_stat_get_total_autoanalyze_time", |server, of| run_time(server, of, Maintenance::Autoanalyze)),
    // Functions are not tracked, as in PostgreSQL with track_functions = none.
    ("pg_stat_get_function_calls", unknown),
    ("pg_stat_get_function_total_time", unknown),
    ("pg_stat_get_function_self_time", unknown),
    ("pg_stat_get_xact_function_calls", unknown),
    ("pg_stat_get_xact_function_total_time", unknown),
    ("pg_stat_get_xact_function_self_time", unknown),
];

fn none(_: &Server<'_>, _: &[Datum]) -> Result<Datum> {
    Ok(count(0))
}

/// What was done with a table or an index.
fn counted_of(server: &Server<'_>, arguments: &[Datum]) -> RelationCounts {
    server.db.relation_counts(server.database, oid_argument(arguments))
}

fn counts(server: &Server<'_>, arguments: &[Datum], of: impl Fn(&RelationCounts) -> u64) -> Result<Datum> {
    Ok(count(of(&counted_of(server, arguments))))
}

fn last_scan(server: &Server<'_>, arguments: &[Datum]) -> Result<Datum> {
    Ok(match counted_of(server, arguments).last_scan {
        0 => Datum::Null,
        last => Datum::I64(last as i64),
    })
}

/// What was done to the table that is asked for. `None`: there is no such one, or nothing has happened to it.
fn activity_of(server: &Server<'_>, arguments: &[Datum]) -> Option<Arc<Activity>> {
    let def = server.catalog.database_by_oid(server.database)?.tables.get(&oid_argument(arguments))?;
    server.db.table_activity(server.database, def.oid)
}

fn counted(server: &Server<'_>, arguments: &[Datum], of: impl Fn(&Activity) -> u64) -> Result<Datum> {
    Ok(count(activity_of(server, arguments).map_or(0, |activity| of(&activity))))
}

fn runs(server: &Server<'_>, arguments: &[Datum], what: Maintenance) -> Option<RunCounts> {
    Some(activity_of(server, arguments)?.runs(what))
}

fn run_count(server: &Server<'_>, arguments: &[Datum], what: Maintenance) -> Result<Datum> {
    Ok(count(runs(server, arguments, what).map_or(0, |runs| runs.count)))
}

fn last_run(server: &Server<'_>, arguments: &[Datum], what: Maintenance) -> Result<Datum> {
    let last = runs(server, arguments, what).and_then(|runs| runs.last);
    Ok(last.map_or(Datum::Null, Datum::I64))
}

fn run_time(server: &Server<'_>, arguments: &[Datum], what: Maintenance) -> Result<Datum> {
    Ok(Datum::F64(runs(server, arguments, what).map_or(0.0, |runs| runs.time)))
}

fn unknown(_: &Server<'_>, _: &[Datum]) -> Result<Datum> {
    Ok(Datum::Null)
}

/// As far as ANALYZE has made it known, for the size that the table has by now.
fn live_tuples(server: &Server<'_>, arguments: &[Datum]) -> Result<Datum> {
    let database = server.catalog.database_by_oid(server.database);
    let def = database.and_then(|database| database.tables.get(&oid_argument(arguments)));
    let Some(def) = def.filter(|def| def.analyzed.is_some()) else { return Ok(count(0)) };
    let table = server.db.table(server.database, def).map_err(super::report)?;
    Ok(count(table.estimated_rows().max(0.0) as u64))
}
