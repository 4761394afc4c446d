//! What happened to a table, an index, a function: `pg_stat_all_tables` and the views like it.

use types::{Datum, Result};

use super::{Answer, Server, count, oid_argument};

pub const ANSWERS: &[(&str, Answer)] = &[
    ("pg_stat_get_live_tuples", live_tuples),
    ("pg_stat_get_dead_tuples", none),
    ("pg_stat_get_numscans", none),
    ("pg_stat_get_tuples_returned", none),
    ("pg_stat_get_tuples_fetched", none),
    ("pg_stat_get_tuples_inserted", none),
    ("pg_stat_get_tuples_updated", none),
    ("pg_stat_get_tuples_deleted", none),
    ("pg_stat_get_tuples_hot_updated", none),
    ("pg_stat_get_tuples_newpage_updated", none),
    ("pg_stat_get_mod_since_analyze", none),
    ("pg_stat_get_ins_since_vacuum", none),
    ("pg_stat_get_vacuum_count", none),
    ("pg_stat_get_autovacuum_count", none),
    ("pg_stat_get_analyze_count", none),
    ("pg_stat_get_autoanalyze_count", none),
    ("pg_stat_get_blocks_fetched", none),
    ("pg_stat_get_blocks_hit", none),
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
    ("pg_stat_get_lastscan", unknown),
    ("pg_stat_get_last_vacuum_time", unknown),
    ("pg_stat_get_last_autovacuum_time", unknown),
    ("pg_stat_get_last_analyze_time", unknown),
    ("pg_stat_get_last_autoanalyze_time", unknown),
    ("pg_stat_get_total_vacuum_time", no_time),
    ("pg_stat_get_total_autovacuum_time", no_time),
    ("pg_stat_get_total_analyze_time", no_time),
    ("pg_stat_get_total_autoanalyze_time", no_time),
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

fn no_time(_: &Server<'_>, _: &[Datum]) -> Result<Datum> {
    Ok(Datum::F64(0.0))
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
