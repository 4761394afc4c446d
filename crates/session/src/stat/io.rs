//! What was read and written: `pg_stat_io`, and what is under way: `pg_aios`.

use aio::{IoContext, IoObject, StatOp, StatRow};
use types::{Datum, Result};

use super::{AnswerRows, Row, Server, count, milliseconds, numeric, row, time};

pub const ROWS: &[(&str, AnswerRows)] = &[("pg_stat_get_io", stat_io), ("pg_get_aios", aios)];

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
    let row = |handle: aio::HandleView| {
        let defined = handle.operation.is_some();
        let result = match &handle.result {
            None => "UNKNOWN",
            Some(Ok(true)) => "OK",
            Some(Ok(false)) => "PARTIAL",
            Some(Err(_)) => "ERROR",
        };
        row![
            handle.pid,
            handle.io_id as i32,
            count(handle.generation),
            handle.state.name(),
            handle.operation.map(|operation| operation.name()),
            defined.then(|| count(handle.offset)),
            defined.then(|| count(handle.len)),
            handle.target,
            i16::try_from(handle.data_len).unwrap_or(i16::MAX),
            handle.raw_result.map(|result| result as i32),
            result,
            handle.target_desc,
            handle.sync,
            false,
            handle.buffered,
        ]
    };
    Ok(handles.map(row).collect())
}
