//! What was read and written: `pg_stat_io`, what is under way: `pg_aios` and `pg_stat_aios`, and for whom: `pg_stat_aio_backends`.

pub mod buffers;
pub mod devices;
pub mod files;

use std::time::{Duration, SystemTime};

use aio::{HandleView, IoContext, IoObject, Nanos, SessionView, StatOp, StatRow};
use types::array::ArrayBuilder;
use types::{Datum, Repr, Result, Scalar, oid};

use crate::stat::{AnswerRows, Row, Server, count, milliseconds, numeric, optional_time, row, time};

pub const ROWS: &[(&str, AnswerRows)] = &[
    ("pg_stat_get_io", stat_io),
    ("pg_get_aios", aios),
    ("pg_stat_get_aios", stat_aios),
    ("pg_stat_get_aio_backends", backends),
];

fn stat_io(server: &Server<'_>, _: &[Datum]) -> Result<Vec<Row>> {
    let rows = server.db.engine().stats().rows();
    let reset = time(server.db.started());
    Ok(rows.iter().filter(|row| happens(row)).map(|row| operations(row, &reset)).collect())
}

/// Combinations that cannot happen are left out.
fn happens(row: &StatRow) -> bool {
    let init = row.key.context == IoContext::Init;
    match row.key.object {
        IoObject::TempRelation => false,
        IoObject::Wal => init || row.key.context == IoContext::Normal,
        IoObject::Relation => !init,
    }
}

fn operations(row: &StatRow, reset: &Datum) -> Row {
    let mut out = row![row.key.backend.name(), row.key.object.name(), row.key.context.name()];
    let counted = |op| {
        let op = row.op(op);
        [count(op.count), numeric(op.bytes), milliseconds(op.nanos)]
    };
    out.extend(counted(StatOp::Read));
    out.extend(counted(StatOp::Write));
    let (writeback, fsync) = (row.op(StatOp::Writeback), row.op(StatOp::Fsync));
    out.extend([count(writeback.count), milliseconds(writeback.nanos)]);
    out.extend(counted(StatOp::Extend));
    out.extend([StatOp::Hit, StatOp::Evict, StatOp::Reuse].map(|op| count(row.op(op).count)));
    out.extend([count(fsync.count), milliseconds(fsync.nanos), reset.clone()]);
    out
}

fn aios(server: &Server<'_>, _: &[Datum]) -> Result<Vec<Row>> {
    let handles = server.db.engine().handles().into_iter();
    let row = |handle: HandleView| {
        let mut out = operation(&handle);
        out.extend(row![
            i16::try_from(handle.data_len).unwrap_or(i16::MAX),
            handle.raw_result.map(|result| result as i32),
            result(&handle),
            handle.target_desc,
            handle.sync,
            false,
            handle.buffered,
        ]);
        out
    };
    Ok(handles.map(row).collect())
}

/// What both views show of an operation, in front.
fn operation(handle: &HandleView) -> Row {
    let defined = handle.operation.is_some();
    row![
        handle.pid,
        handle.io_id as i32,
        count(handle.generation),
        handle.state.name(),
        handle.operation.map(|operation| operation.name()),
        defined.then(|| count(handle.offset)),
        defined.then(|| count(handle.len)),
        handle.target,
    ]
}

fn result(handle: &HandleView) -> &'static str {
    match &handle.result {
        None => "UNKNOWN",
        Some(Ok(true)) => "OK",
        Some(Ok(false)) => "PARTIAL",
        Some(Err(_)) => "ERROR",
    }
}

/// The same operations with their times.
fn stat_aios(server: &Server<'_>, _: &[Datum]) -> Result<Vec<Row>> {
    let engine = server.db.engine();
    let (now, wall) = (engine.clock().now(), SystemTime::now());
    let at =
        |time: Option<Nanos>| optional_time(time.map(|time| wall - Duration::from_nanos(now.saturating_sub(time))));
    let row = |handle: HandleView| {
        let mut out = operation(&handle);
        out.extend(row![
            handle.target_desc.clone(),
            result(&handle),
            at(handle.prepared),
            at(handle.submitted),
            at(handle.completed),
        ]);
        out
    };
    Ok(engine.handles().into_iter().map(row).collect())
}

fn backends(server: &Server<'_>, _: &[Datum]) -> Result<Vec<Row>> {
    server.db.engine().sessions().iter().map(backend).collect()
}

fn backend(session: &SessionView) -> Result<Row> {
    let mut depths = ArrayBuilder::new(oid::INT8, Repr::Int8);
    session.depths.iter().try_for_each(|operations| depths.push(Some(Scalar::Int(*operations as i64))))?;
    Ok(row![
        session.pid,
        session.backend.name(),
        count(session.issued),
        count(session.merged),
        count(session.completed),
        session.in_flight as i32,
        session.max_in_flight as i32,
        depths.finish_list().map(Datum::bytes)?,
        count(session.waits),
        milliseconds(session.waited),
        milliseconds(session.worked),
    ])
}
