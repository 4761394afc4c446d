//! What happened in a database: `pg_stat_database` and `pg_stat_database_conflicts`.

use types::{Datum, Result};

use super::{Answer, Server, count, oid_argument};

pub const ANSWERS: &[(&str, Answer)] = &[
    ("pg_stat_get_db_numbackends", |server, arguments| {
        let sessions = server.db.activity().sessions_in(oid_argument(arguments));
        Ok(i32::try_from(sessions).unwrap_or(i32::MAX).into())
    }),
    ("pg_stat_get_db_xact_commit", none),
    ("pg_stat_get_db_xact_rollback", none),
    ("pg_stat_get_db_blocks_fetched", none),
    ("pg_stat_get_db_blocks_hit", none),
    ("pg_stat_get_db_tuples_returned", none),
    ("pg_stat_get_db_tuples_fetched", none),
    ("pg_stat_get_db_tuples_inserted", none),
    ("pg_stat_get_db_tuples_updated", none),
    ("pg_stat_get_db_tuples_deleted", none),
    ("pg_stat_get_db_conflict_all", none),
    ("pg_stat_get_db_conflict_bufferpin", none),
    ("pg_stat_get_db_conflict_lock", none),
    ("pg_stat_get_db_conflict_logicalslot", none),
    ("pg_stat_get_db_conflict_snapshot", none),
    ("pg_stat_get_db_conflict_startup_deadlock", none),
    ("pg_stat_get_db_conflict_tablespace", none),
    ("pg_stat_get_db_temp_files", none),
    ("pg_stat_get_db_temp_bytes", none),
    ("pg_stat_get_db_deadlocks", none),
    ("pg_stat_get_db_checksum_failures", checksum_failures),
    ("pg_stat_get_db_sessions", none),
    ("pg_stat_get_db_sessions_abandoned", none),
    ("pg_stat_get_db_sessions_fatal", none),
    ("pg_stat_get_db_sessions_killed", none),
    ("pg_stat_get_db_parallel_workers_to_launch", none),
    ("pg_stat_get_db_parallel_workers_launched", none),
    ("pg_stat_get_db_blk_read_time", no_time),
    ("pg_stat_get_db_blk_write_time", no_time),
    ("pg_stat_get_db_session_time", no_time),
    ("pg_stat_get_db_active_time", no_time),
    ("pg_stat_get_db_idle_in_transaction_time", no_time),
    ("pg_stat_get_db_stat_reset_time", never),
    ("pg_stat_get_db_checksum_last_failure", never),
];

fn none(_: &Server<'_>, _: &[Datum]) -> Result<Datum> {
    Ok(count(0))
}

fn no_time(_: &Server<'_>, _: &[Datum]) -> Result<Datum> {
    Ok(Datum::F64(0.0))
}

fn never(_: &Server<'_>, _: &[Datum]) -> Result<Datum> {
    Ok(Datum::Null)
}

/// NULL where pages have no checksums.
fn checksum_failures(server: &Server<'_>, _: &[Datum]) -> Result<Datum> {
    Ok(if server.settings.bool("data_checksums") { count(0) } else { Datum::Null })
}
