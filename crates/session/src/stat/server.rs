//! The server's parts and what they have done: checkpointer, log, background writer, archiver.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use types::{Datum, Result};

use super::{Answer, AnswerRows, Row, Server, count, milliseconds, numeric, optional_time, record, row, time};

pub const ANSWERS: &[(&str, Answer)] = &[
    ("pg_stat_get_checkpointer_num_timed", |server, _| Ok(counted(&server.db.checkpoints().timed))),
    ("pg_stat_get_checkpointer_num_requested", |server, _| Ok(counted(&server.db.checkpoints().requested))),
    ("pg_stat_get_checkpointer_num_performed", |server, _| Ok(counted(&server.db.checkpoints().done))),
    ("pg_stat_get_checkpointer_buffers_written", |server, _| Ok(counted(&server.db.checkpoints().pages))),
    ("pg_stat_get_checkpointer_write_time", |server, _| {
        Ok(milliseconds(server.db.checkpoints().write_time.load(Relaxed)))
    }),
    ("pg_stat_get_checkpointer_sync_time", |server, _| {
        Ok(milliseconds(server.db.checkpoints().sync_time.load(Relaxed)))
    }),
    ("pg_stat_get_checkpointer_stat_reset_time", |server, _| Ok(time(server.db.started()))),
    // There is no standby.
    ("pg_stat_get_checkpointer_restartpoints_timed", |_, _| Ok(count(0))),
    ("pg_stat_get_checkpointer_restartpoints_requested", |_, _| Ok(count(0))),
    ("pg_stat_get_checkpointer_restartpoints_performed", |_, _| Ok(count(0))),
    ("pg_stat_get_checkpointer_slru_written", |_, _| Ok(count(0))),
    ("pg_stat_get_bgwriter_buf_written_clean", |server, _| Ok(counted(&server.db.background_writer().pages))),
    ("pg_stat_get_bgwriter_maxwritten_clean", |server, _| Ok(counted(&server.db.background_writer().full_rounds))),
    ("pg_stat_get_buf_alloc", allocated),
    ("pg_stat_get_bgwriter_stat_reset_time", |server, _| Ok(time(server.db.started()))),
    ("pg_stat_get_archiver", archiver),
    ("pg_stat_get_wal", wal),
    ("pg_reload_conf", |server, _| {
        server.require_superuser("function pg_reload_conf")?;
        Ok(Datum::Bool(server.db.reload()))
    }),
    ("pg_walfile_name", walfile_name),
    ("pg_current_wal_insert_lsn", |server, _| Ok(Datum::U64(server.db.log().insert_position()))),
    ("pg_current_wal_lsn", |server, _| Ok(Datum::U64(server.db.log().durable()))),
    ("pg_current_wal_flush_lsn", |server, _| Ok(Datum::U64(server.db.log().durable()))),
    ("pg_stat_get_snapshot_timestamp", |server, _| Ok(optional_time(server.snapshot_timestamp()))),
    ("pg_stat_clear_snapshot", |server, _| {
        server.snapshot.inspect(|snapshot| snapshot.clear());
        Ok(Datum::from(""))
    }),
    // What transactions have counted is told when they end.
    ("pg_stat_force_next_flush", |_, _| Ok(Datum::from(""))),
];

pub const ROWS: &[(&str, AnswerRows)] = &[("pg_stat_get_slru", slru)];

fn counted(counter: &AtomicU64) -> Datum {
    count(counter.load(Relaxed))
}

/// Pages that came into the buffers.
fn allocated(server: &Server<'_>, _: &[Datum]) -> Result<Datum> {
    let rows = server.db.engine().stats().rows();
    let pages = |row: &aio::StatRow| row.op(aio::StatOp::Read).bytes + row.op(aio::StatOp::Extend).bytes;
    let of_relations = rows.iter().filter(|row| row.key.object == aio::IoObject::Relation);
    Ok(count(of_relations.map(pages).sum::<u64>() / storage::PAGE_SIZE as u64))
}

/// Nothing archives the log.
fn archiver(server: &Server<'_>, _: &[Datum]) -> Result<Datum> {
    let never = || row![0i64, None::<&str>, Datum::Null];
    let row = [never(), never(), vec![time(server.db.started())]].concat();
    record("pg_stat_get_archiver", &row)
}

fn wal(server: &Server<'_>, _: &[Datum]) -> Result<Datum> {
    let counters = server.db.log().counters();
    let row = [
        counted(&counters.records),
        counted(&counters.full_page_images),
        numeric(counters.bytes.load(Relaxed)),
        counted(&counters.buffers_full),
        time(server.db.started()),
    ];
    record("pg_stat_get_wal", &row)
}

/// PostgreSQL's caches of small files. There are none of them here, so nothing happens to any.
fn slru(server: &Server<'_>, _: &[Datum]) -> Result<Vec<Row>> {
    let names = [
        "commit_timestamp",
        "multixact_member",
        "multixact_offset",
        "notify",
        "serializable",
        "subtransaction",
        "transaction",
        "other",
    ];
    let row = |name| {
        let mut row = row![name];
        row.extend(std::iter::repeat_n(count(0), 7));
        row.push(time(server.db.started()));
        row
    };
    Ok(names.into_iter().map(row).collect())
}

/// The log's file that has what was written before a position.
fn walfile_name(server: &Server<'_>, arguments: &[Datum]) -> Result<Datum> {
    let [Datum::U64(position)] = arguments else { return Ok(Datum::Null) };
    let size = server.db.wal_segment_size();
    Ok(Datum::text(wal::segment_name(position.saturating_sub(1) / size, size)))
}
