//! What is locked and waited for: `pg_locks`.

use txn::{LockTag, LockView};
use types::{Datum, Result};

use super::{AnswerRows, Row, Server, row};

pub const ROWS: &[(&str, AnswerRows)] = &[("pg_lock_status", lock_status)];

fn lock_status(server: &Server<'_>, _: &[Datum]) -> Result<Vec<Row>> {
    let store = server.db.store();
    let locks = store.locks.list();
    // A session that is told that a transaction's locks are gone may look for what it did.
    store.transactions.all_must_see();
    Ok(locks.iter().map(|lock| locked(server, lock)).collect())
}

/// What is locked, as far as columns say it.
#[derive(Default)]
struct Place {
    kind: &'static str,
    database: Option<u32>,
    relation: Option<u32>,
    page: Option<i32>,
    tuple: Option<i16>,
    transaction: Option<u32>,
    class: Option<u32>,
    object: Option<u32>,
    sub_object: Option<i16>,
}

/// The lower half of a number.
fn low(number: u64) -> u32 {
    (number & u64::from(u32::MAX)) as u32
}

fn place(server: &Server<'_>, tag: LockTag) -> Place {
    match tag {
        LockTag::Relation { database, oid } => {
            Place { kind: "relation", database: Some(database), relation: Some(oid), ..Place::default() }
        }
        LockTag::Row { database, file, block, row } | LockTag::Tuple { database, file, block, row } => Place {
            kind: "tuple",
            database: Some(database),
            relation: table_of(server, database, file),
            page: Some(block as i32),
            tuple: Some(row.saturating_add(1) as i16),
            ..Place::default()
        },
        LockTag::VirtualTransaction(_) => Place { kind: "virtualxid", ..Place::default() },
        LockTag::Transaction(id) => Place { kind: "transactionid", transaction: Some(low(id)), ..Place::default() },
        LockTag::Name { database, hash } => Place {
            kind: "object",
            database: Some(database),
            class: Some(0),
            object: Some(low(hash)),
            ..Place::default()
        },
        LockTag::Advisory { database, key, pair } => Place {
            kind: "advisory",
            database: Some(database),
            class: Some(low(key as u64 >> 32)),
            object: Some(low(key as u64)),
            sub_object: Some(if pair { 2 } else { 1 }),
            ..Place::default()
        },
    }
}

/// Rows are locked by the number of their table's file.
fn table_of(server: &Server<'_>, database: u32, file: u32) -> Option<u32> {
    server.catalog.database_by_oid(database)?.table_of_file(file).map(|table| table.oid)
}

fn locked(server: &Server<'_>, lock: &LockView) -> Row {
    let place = place(server, lock.tag);
    row![
        place.kind,
        place.database,
        place.relation,
        place.page,
        place.tuple,
        None::<&str>,
        place.transaction,
        place.class,
        place.object,
        place.sub_object,
        format!("0/{}", lock.owner),
        server.db.activity().pid_of(lock.owner),
        lock.mode.name(),
        lock.granted,
        lock.fast,
        Datum::Null,
    ]
}
