//! The undo log's size, and who holds it up: `inflight_undo`.

use types::{Datum, Result};

use super::{AnswerRows, Row, Server, count, optional_time, row};

pub const ROWS: &[(&str, AnswerRows)] = &[("pg_stat_get_undo", undo)];

fn undo(server: &Server<'_>, _: &[Datum]) -> Result<Vec<Row>> {
    let now = server.db.undo_use();
    let holder = now.holder.as_ref();
    let since = holder.and_then(|holder| holder.activity().transaction_start);
    Ok(vec![row![
        count(now.size),
        count(now.kept),
        now.limit.map_or(Datum::Null, count),
        now.horizon as u32,
        holder.map(|holder| holder.pid),
        optional_time(since),
    ]])
}
