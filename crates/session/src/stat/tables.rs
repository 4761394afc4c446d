//! What happened to a table, an index, a function: `pg_stat_all_tables` and the views like it.

use access::activity::{Changes, Maintenance, RunCounts, TableEntry};
use storage::RelationCounts;
use types::{Datum, Error, Result};

use super::{Answer, Server, count, oid_argument};

pub const ANSWERS: &[(&str, Answer)] = &[
    ("pg_stat_get_live_tuples", |server, of| counted(server, of, |entry| entry.live)),
    ("pg_stat_get_dead_tuples", |server, of| counted(server, of, |entry| entry.dead)),
    ("pg_stat_get_numscans", |server, of| counts(server, of, |counts| counts.scans)),
    ("pg_stat_get_tuples_returned", |server, of| counts(server, of, |counts| counts.returned)),
    ("pg_stat_get_tuples_fetched", |server, of| counts(server, of, |counts| counts.fetched)),
    ("pg_stat_get_tuples_inserted", |server, of| counted(server, of, |entry| entry.changes.inserted)),
    ("pg_stat_get_tuples_updated", |server, of| counted(server, of, |entry| entry.changes.updated)),
    ("pg_stat_get_tuples_deleted", |server, of| counted(server, of, |entry| entry.changes.deleted)),
    ("pg_stat_get_tuples_hot_updated", none),
    ("pg_stat_get_tuples_newpage_updated", none),
    ("pg_stat_get_mod_since_analyze", |server, of| counted(server, of, |entry| entry.changed_since_analyze)),
    ("pg_stat_get_ins_since_vacuum", |server, of| counted(server, of, |entry| entry.inserted_since_vacuum)),
    ("pg_stat_get_vacuum_count", |server, of| run_count(server, of, Maintenance::Vacuum)),
    ("pg_stat_get_autovacuum_count", |server, of| run_count(server, of, Maintenance::Autovacuum)),
    ("pg_stat_get_analyze_count", |server, of| run_count(server, of, Maintenance::Analyze)),
    ("pg_stat_get_autoanalyze_count", |server, of| run_count(server, of, Maintenance::Autoanalyze)),
    ("pg_stat_get_blocks_fetched", |server, of| counts(server, of, |counts| counts.hits + counts.reads)),
    ("pg_stat_get_blocks_hit", |server, of| counts(server, of, |counts| counts.hits)),
    ("pg_stat_get_xact_numscans", none),
    ("pg_stat_get_xact_tuples_returned", none),
    ("pg_stat_get_xact_tuples_fetched", none),
    ("pg_stat_get_xact_tuples_inserted", |server, of| xact_counted(server, of, |changes| changes.inserted)),
    ("pg_stat_get_xact_tuples_updated", |server, of| xact_counted(server, of, |changes| changes.updated)),
    ("pg_stat_get_xact_tuples_deleted", |server, of| xact_counted(server, of, |changes| changes.deleted)),
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
    ("pg_stat_get_xact_function_calls", |_, _| Ok(Datum::Null)),
    ("pg_stat_get_xact_function_total_time", |_, _| Ok(Datum::Null)),
    ("pg_stat_get_xact_function_self_time", |_, _| Ok(Datum::Null)),
];

fn counts(server: &Server<'_>, arguments: &[Datum], of: impl Fn(&RelationCounts) -> u64) -> Result<Datum> {
    Ok(count(of(&server.relation_entry(oid_argument(arguments)).counts)))
}

fn last_scan(server: &Server<'_>, arguments: &[Datum]) -> Result<Datum> {
    Ok(match server.relation_entry(oid_argument(arguments)).counts.last_scan {
        0 => Datum::Null,
        last => Datum::I64(last as i64),
    })
}

fn counted(server: &Server<'_>, arguments: &[Datum], of: impl Fn(&TableEntry) -> u64) -> Result<Datum> {
    Ok(count(of(&server.relation_entry(oid_argument(arguments)).rows)))
}

/// What the session's transaction has done to a table so far.
fn xact_counted(server: &Server<'_>, arguments: &[Datum], of: impl Fn(&Changes) -> u64) -> Result<Datum> {
    let activity = server.db.table_activity(server.database, oid_argument(arguments));
    let (Some(activity), Some(transaction)) = (activity, server.transaction) else { return Ok(count(0)) };
    let changes = transaction.with(|transaction| transaction.attempted_changes_of(&activity));
    let changes = changes.ok_or_else(|| Error::unsupported("statistics of a transaction that is writing"))?;
    Ok(count(of(&changes)))
}

fn runs(server: &Server<'_>, arguments: &[Datum], what: Maintenance) -> RunCounts {
    server.relation_entry(oid_argument(arguments)).rows.runs(what)
}

fn run_count(server: &Server<'_>, arguments: &[Datum], what: Maintenance) -> Result<Datum> {
    Ok(count(runs(server, arguments, what).count))
}

fn last_run(server: &Server<'_>, arguments: &[Datum], what: Maintenance) -> Result<Datum> {
    Ok(runs(server, arguments, what).last.map_or(Datum::Null, Datum::I64))
}

fn run_time(server: &Server<'_>, arguments: &[Datum], what: Maintenance) -> Result<Datum> {
    Ok(Datum::F64(runs(server, arguments, what).time))
}

fn none(_: &Server<'_>, _: &[Datum]) -> Result<Datum> {
    Ok(count(0))
}

/// Of a function nothing is known; a snapshot is taken all the same.
fn unknown(server: &Server<'_>, _: &[Datum]) -> Result<Datum> {
    server.fetch_nothing();
    Ok(Datum::Null)
}
