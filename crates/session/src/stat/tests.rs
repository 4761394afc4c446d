//! Whatever is declared is answered, by values of the types that PostgreSQL declares.

use std::future::Future;
use std::pin::pin;
use std::task::{Context as Polling, Poll, Waker};

use aio::IoMethod;
use config::Settings;
use engine::{Database, OpenOptions};
use types::ColumnBuilder;
use types::server::{FUNCTIONS, SETS};

use super::*;

fn without_waits<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    for _ in 0..1 << 20 {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Polling::from_waker(Waker::noop())) {
            return output;
        }
    }
    panic!("the synchronous method waits")
}

/// Asks a server that a superuser, or another role, has entered.
fn with_server<T>(role: &str, ask: impl FnOnce(&Server<'_>) -> T) -> T {
    let dir = tempfile::tempdir().unwrap();
    let options = OpenOptions {
        root: dir.path().into(),
        overrides: vec![("shared_buffers".into(), "16MB".into()), ("io_max_concurrency".into(), "16".into())],
        method: Some(IoMethod::Sync),
        wal_segment_size: None,
        skip_checkpoint_flushes: false,
    };
    let db = without_waits(Database::open(options)).unwrap();
    // Each with a line that is right and one that is wrong.
    for (setting, lines) in [("hba_file", "local all all trust\nlocal"), ("ident_file", "m /^(.*)$ \\1\nm")] {
        std::fs::write(db.settings().get(setting), lines).unwrap();
    }
    std::fs::write(dir.path().join("inflight.conf"), "work_mem = 8MB\nwork_mem = none\n=").unwrap();
    let database = db.catalog().databases().find(|database| database.name() == "postgres").map(|found| found.oid);
    let database = database.unwrap();
    let entered = Some((database, "postgres".to_string()));
    let backend = db.activity().enter(aio::BackendKind::Client, entered, Some("postgres".into()), None, None).unwrap();
    let settings = Settings::default();
    let statement = PreparedStatement {
        name: "s".into(),
        text: "select $1::int".into(),
        prepared: SystemTime::now(),
        parameters: vec![oid::INT4],
        results: Some(vec![oid::INT4]),
        from_sql: false,
        generic_plans: 1,
        custom_plans: 0,
    };
    let cursor = Cursor {
        name: "c".into(),
        text: "select 1".into(),
        holdable: false,
        binary: false,
        scrollable: true,
        created: SystemTime::now(),
    };
    let own = Own { statements: vec![statement], cursors: vec![cursor] };
    let server = Server::new((&db, &backend), database, db.catalog(), role, (&settings, &settings));
    ask(&Server { own: Some(&own), ..server })
}

/// A value for each argument.
fn arguments(function: &str, types: &[Oid]) -> Vec<Datum> {
    let value = |ty: &Oid| match *ty {
        oid::INT2 => Datum::I16(1),
        oid::INT4 => Datum::I32(std::process::id() as i32 + 1),
        oid::INT8 => Datum::I64(1),
        oid::BOOL => Datum::Bool(true),
        oid::TEXT => Datum::from("VACUUM"),
        oid::NAME => Datum::from("pg_default"),
        oid::OID if function.contains("tablespace") => Datum::U32(1663),
        oid::OID => Datum::U32(1259),
        oid::REGCLASS => Datum::U32(1259),
        oid::PG_LSN => Datum::U64(1 << 24),
        other => panic!("no value of type {other}"),
    };
    types.iter().map(value).collect()
}

#[test]
fn values_are_of_the_declared_types() {
    with_server("postgres", |server| {
        for function in FUNCTIONS {
            let value = answer(server, function.name, &arguments(function.name, function.arguments));
            let value = value.unwrap_or_else(|error| panic!("{}: {error}", function.name));
            let repr = Repr::of(function.result, -1).unwrap();
            // It takes values that are represented so only.
            ColumnBuilder::new(repr, 1).push(&value);
        }
    });
}

#[test]
fn rows_have_the_declared_columns() {
    with_server("postgres", |server| {
        for function in SETS {
            let facts = catalog::implemented::declared_set_function(function).unwrap();
            let types = match (&facts.proallargtypes, &facts.proargmodes) {
                (Some(types), Some(modes)) => {
                    let out = types.iter().zip(modes).filter(|(_, mode)| **mode == b'o');
                    out.map(|(ty, _)| *ty).collect()
                }
                _ => vec![facts.prorettype],
            };
            let set = answer_set(server, function.name, &arguments(function.name, function.arguments));
            let mut set = set.unwrap_or_else(|error| panic!("{}: {error}", function.name));
            let builder = |ty: &Oid| ColumnBuilder::new(Repr::of(*ty, -1).unwrap(), 1);
            loop {
                // They take values that are represented so only.
                let mut columns: Vec<ColumnBuilder> = types.iter().map(builder).collect();
                let rows = set.fill(1000, &mut columns).unwrap();
                let filled = columns.into_iter().map(|column| column.finish().len());
                assert!(filled.into_iter().all(|filled| filled == rows), "{}", function.name);
                if rows == 0 {
                    break;
                }
            }
        }
    });
}

#[test]
fn others_see_no_more_than_they_may() {
    with_server("nobody", |server| {
        let rows = answer_rows(server, "pg_stat_get_activity", &[Datum::Null]).unwrap();
        let own = rows.iter().find(|row| row[1] == Datum::I32(server.backend.pid)).unwrap();
        assert_eq!(own.len(), 31);
        assert_eq!(own[5], Datum::from("<insufficient privilege>"));
        assert!(own[6..15].iter().chain(&own[16..]).all(Datum::is_null));
        for function in ["pg_hba_file_rules", "pg_ident_file_mappings", "pg_show_all_file_settings"] {
            assert_eq!(answer_rows(server, function, &[]).unwrap_err().0.code, "42501");
        }
    });
}
