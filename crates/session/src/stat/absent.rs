//! Features that are not here: nothing of them is there, and nothing has happened.

use types::{Datum, Result};

use super::{Answer, AnswerRows, Row, Server};

pub const ANSWERS: &[(&str, Answer)] = &[
    // Extended statistics.
    ("pg_get_statisticsobjdef_columns", null),
    ("pg_get_statisticsobjdef_expressions", null),
    // Replication.
    ("pg_stat_get_wal_receiver", null),
    ("pg_stat_get_subscription_stats", null),
    // Partitions.
    ("pg_partition_root", null),
    // A server has many addresses; which of them a client has reached is not known.
    ("inet_server_addr", null),
    ("inet_server_port", null),
];

pub const ROWS: &[(&str, AnswerRows)] = &[
    ("pg_prepared_xact", none),
    ("pg_stat_get_wal_senders", none),
    ("pg_get_replication_slots", none),
    ("pg_show_replication_origin_status", none),
    ("pg_stat_get_recovery_prefetch", none),
    ("pg_stat_get_subscription", none),
    ("pg_partition_ancestors", none),
    ("pg_partition_tree", none),
    // LISTEN.
    ("pg_listening_channels", none),
];

fn null(_: &Server<'_>, _: &[Datum]) -> Result<Datum> {
    Ok(Datum::Null)
}

fn none(_: &Server<'_>, _: &[Datum]) -> Result<Vec<Row>> {
    Ok(Vec::new())
}
