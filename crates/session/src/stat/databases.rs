//! What happened in a database: `pg_stat_database` and `pg_stat_database_conflicts`.

use engine::DatabaseCount;
use types::{Datum, Result};

use super::{Answer, Server, count, oid_argument};

pub const ANSWERS: &[(&str, Answer)] = &[
    ("pg_stat_get_db_numbackends", |server, arguments| {
        let sessions = server.db.activity().sessions_in(oid_argument(arguments));
        Ok(i32::try_from(sessions).unwrap_or(i32::MAX).into())
    }),
    ("pg_stat_get_db_xact_commit", |server, of| counted(server, of, &[DatabaseCount::Commits])),
    ("pg_stat_get_db_xact_rollback", |server, of| counted(server, of, &[DatabaseCount::Rollbacks])),
    ("pg_stat_get_db_blocks_fetched", |server, of| counted(server, of, &[DatabaseCount::Hits, DatabaseCount::Reads])),
    ("pg_stat_get_db_blocks_hit", |server, of| counted(server, of, &[DatabaseCount::Hits])),
    ("pg_stat_get_db_tuples_returned", |server, of| counted(server, of, &[DatabaseCount::Returned])),
    ("pg_stat_get_db_tuples_fetched", |server, of| counted(server, of, &[DatabaseCount::Fetched])),
    ("pg_stat_get_db_tuples_inserted", |server, of| counted(server, of, &[DatabaseCount::Inserted])),
    ("pg_stat_get_db_tuples_updated", |server, of| counted(server, of, &[DatabaseCount::Updated])),
    ("pg_stat_get_db_tuples_deleted", |server, of| counted(server, of, &[DatabaseCount::Deleted])),
    ("pg_stat_get_db_conflict_all", none),
    ("pg_stat_get_db_conflict_bufferpin", none),
    ("pg_stat_get_db_conflict_lock", none),
    ("pg_stat_get_db_conflict_logicalslot", none),
    ("pg_stat_get_db_conflict_snapshot", none),
    ("pg_stat_get_db_conflict_startup_deadlock", none),
    ("pg_stat_get_db_conflict_tablespace", none),
    ("pg_stat_get_db_temp_files", none),
    ("pg_stat_get_db_temp_bytes", none),
    ("pg_stat_get_db_deadlocks", |server, of| counted(server, of, &[DatabaseCount::Deadlocks])),
    ("pg_stat_get_db_checksum_failures", checksum_failures),
    ("pg_stat_get_db_sessions", |server, of| counted(server, of, &[DatabaseCount::Sessions])),
    ("pg_stat_get_db_sessions_abandoned", |server, of| counted(server, of, &[DatabaseCount::Abandoned])),
    ("pg_stat_get_db_sessions_fatal", |server, of| counted(server, of, &[DatabaseCount::Fatal])),
    ("pg_stat_get_db_sessions_killed", |server, of| counted(server, of, &[DatabaseCount::Killed])),
    ("pg_stat_get_db_parallel_workers_to_launch", none),
    ("pg_stat_get_db_parallel_workers_launched", none),
    ("pg_stat_get_db_blk_read_time", no_time),
    ("pg_stat_get_db_blk_write_time", no_time),
    ("pg_stat_get_db_session_time", |server, of| timed(server, of, DatabaseCount::SessionTime)),
    ("pg_stat_get_db_active_time", |server, of| timed(server, of, DatabaseCount::ActiveTime)),
    ("pg_stat_get_db_idle_in_transaction_time", |server, of| timed(server, of, DatabaseCount::IdleInTransactionTime)),
    ("pg_stat_get_db_stat_reset_time", never),
    ("pg_stat_get_db_checksum_last_failure", never),
];

fn counted(server: &Server<'_>, arguments: &[Datum], of: &[DatabaseCount]) -> Result<Datum> {
    let counts = server.database_entry(oid_argument(arguments));
    Ok(count(of.iter().map(|one| counts.get(*one)).sum()))
}

/// In milliseconds.
fn timed(server: &Server<'_>, arguments: &[Datum], of: DatabaseCount) -> Result<Datum> {
    Ok(Datum::F64(server.database_entry(oid_argument(arguments)).get(of) as f64 / 1000.0))
}

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
