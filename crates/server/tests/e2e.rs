//! The server as its users meet it: drivers, psql, kill -9, bad input.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use testkit::{Server, code, command, free_port};

async fn count(client: &tokio_postgres::Client, table: &str) -> i64 {
    client.query_one(&format!("SELECT count(*) FROM {table}"), &[]).await.unwrap().get(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_survive_kill_nine_and_a_clean_stop() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("data");
    let mut server = Server::start_in(&root, &[]);
    let client = server.connect().await;
    client
        .batch_execute("CREATE TABLE test(id int); CREATE TABLE one(id int not null, t text default 'x')")
        .await
        .unwrap();
    client.batch_execute("INSERT INTO test SELECT * FROM generate_series(1, 200000)").await.unwrap();
    for i in 0..20 {
        client.execute("INSERT INTO one(id) VALUES ($1)", &[&i]).await.unwrap();
    }
    server.kill();
    let mut server = Server::start_in(&root, &[]);
    let client = server.connect().await;
    assert_eq!((count(&client, "test").await, count(&client, "one").await), (200_000, 20));
    client.batch_execute("INSERT INTO one VALUES (100, 'y')").await.unwrap();
    assert!(server.stop(), "{}", server.log.lock().unwrap());
    let server = Server::start_in(&root, &[]);
    let client = server.connect().await;
    assert_eq!(count(&client, "one").await, 21);
    let sum: i64 = client.query_one("SELECT sum(id) FROM test", &[]).await.unwrap().get(0);
    assert_eq!(sum, 200_000 * 200_001 / 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_type_goes_in_and_comes_out_in_both_protocols() {
    let server = Server::start(&[]);
    let client = server.connect().await;
    client
        .batch_execute(
            "CREATE TABLE t(a smallint, b integer, c bigint, d real, e double precision, f numeric(10,2), g boolean, h text, \
             i varchar(5), j char(3), k date, l timestamp, m timestamptz, n bytea, o uuid)",
        )
        .await
        .unwrap();
    client
        .execute(
            "INSERT INTO t(a, b, c, d, e, g, h, i, n) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            &[&1i16, &2i32, &3i64, &1.5f32, &2.5f64, &true, &"text", &"var", &&b"\x00\xff"[..]],
        )
        .await
        .unwrap();
    client
        .batch_execute(
            "INSERT INTO t(f, j, k, l, m, o) VALUES (12.345, 'x', '2026-11-21', '2026-11-21 01:02:03.5', \
             '2026-11-21 01:02:03+02', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11')",
        )
        .await
        .unwrap();
    let row = client.query_one("SELECT a, b, c, d, e, g, h, i, n FROM t WHERE a = 1", &[]).await.unwrap();
    assert_eq!((row.get::<_, i16>(0), row.get::<_, i32>(1), row.get::<_, i64>(2)), (1, 2, 3));
    assert_eq!((row.get::<_, f32>(3), row.get::<_, f64>(4), row.get::<_, bool>(5)), (1.5, 2.5, true));
    assert_eq!(
        (row.get::<_, &str>(6), row.get::<_, &str>(7), row.get::<_, &[u8]>(8)),
        ("text", "var", &b"\x00\xff"[..])
    );
    let messages = client.simple_query("SELECT f, j, k, l, m, o FROM t WHERE f IS NOT NULL").await.unwrap();
    let values: Vec<_> = messages
        .iter()
        .filter_map(|m| match m {
            tokio_postgres::SimpleQueryMessage::Row(row) => Some((0..6).map(|i| row.get(i).unwrap().to_string())),
            _ => None,
        })
        .flatten()
        .collect();
    assert_eq!(
        values,
        [
            "12.35",
            "x  ",
            "2026-11-21",
            "2026-11-21 01:02:03.5",
            "2026-11-20 23:02:03+00",
            "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_is_all_or_nothing() {
    let server = Server::start(&[]);
    let mut client = server.connect().await;
    let other = server.connect().await;
    client.batch_execute("CREATE TABLE t(id int)").await.unwrap();
    let transaction = client.transaction().await.unwrap();
    transaction.batch_execute("INSERT INTO t VALUES (1), (2)").await.unwrap();
    assert_eq!(transaction.query_one("SELECT count(*) FROM t", &[]).await.unwrap().get::<_, i64>(0), 2);
    assert_eq!(count(&other, "t").await, 0);
    transaction.rollback().await.unwrap();
    assert_eq!(count(&client, "t").await, 0);
    client.batch_execute("BEGIN; INSERT INTO t SELECT * FROM generate_series(1, 5000); COMMIT").await.unwrap();
    assert_eq!(count(&other, "t").await, 5000);
    // The second row fails: the first is not there either.
    let error = client.batch_execute("INSERT INTO t VALUES (1), (99999999999)").await.unwrap_err();
    assert_eq!(code(&error), "22003");
    client.batch_execute("BEGIN").await.unwrap();
    assert_eq!(code(&client.batch_execute("SELECT nosuch").await.unwrap_err()), "42703");
    assert_eq!(code(&client.batch_execute("SELECT 1").await.unwrap_err()), "25P02");
    client.batch_execute("ROLLBACK").await.unwrap();
    assert_eq!(count(&client, "t").await, 5000);
    // One string, one transaction.
    client.batch_execute("INSERT INTO t VALUES (1); INSERT INTO t VALUES ('x')").await.unwrap_err();
    assert_eq!(count(&client, "t").await, 5000);
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_in_flight_are_shown() {
    let server = Server::start(&["--simulate-volume", "latency=20ms", "--set", "max_parallel_workers_per_gather=0"]);
    let client = server.connect().await;
    client
        .batch_execute("CREATE TABLE test(id int); INSERT INTO test SELECT * FROM generate_series(1, 10000000)")
        .await
        .unwrap();
    let watcher = server.connect().await;
    let scan = tokio::spawn(async move {
        let row = client.query_one("SELECT count(*) FROM test", &[]).await.unwrap();
        row.get::<_, i64>(0)
    });
    let (mut most, mut waits) = (0, std::collections::BTreeSet::new());
    let mut example = None;
    let (mut timed, mut deepest, mut under_way) = (0, 0, 0);
    while !scan.is_finished() {
        let rows = watcher
            .query("SELECT target_desc, length, state, operation, target, handle_data_len FROM pg_aios WHERE state = 'SUBMITTED'", &[])
            .await
            .unwrap();
        most = most.max(rows.len());
        let full = rows.iter().find(|r| r.get::<_, i64>(1) == 131_072);
        example = full
            .map(|r| (r.get::<_, String>(0), r.get::<_, String>(3), r.get::<_, String>(4), r.get::<_, i16>(5)))
            .or(example);
        for row in watcher.query("SELECT wait_event_type || '/' || wait_event FROM pg_stat_activity WHERE state = 'active' AND wait_event IS NOT NULL", &[]).await.unwrap() {
            waits.insert(row.get::<_, String>(0));
        }
        let times = "SELECT coalesce(bool_and(prepared <= submitted), true), count(submitted) FROM pg_stat_aios WHERE state = 'SUBMITTED'";
        let row = watcher.query_one(times, &[]).await.unwrap();
        assert!(row.get::<_, bool>(0), "an operation is prepared before it is submitted");
        timed = timed.max(row.get::<_, i64>(1));
        let sessions = "SELECT coalesce(max(max_in_flight), 0), coalesce(sum(issued - completed), 0)::bigint
                          FROM pg_stat_aio_backends WHERE backend_type IN ('client backend', 'parallel worker')";
        let row = watcher.query_one(sessions, &[]).await.unwrap();
        deepest = deepest.max(row.get::<_, i32>(0));
        under_way = under_way.max(row.get::<_, i64>(1));
    }
    assert!(
        timed >= 4 && deepest >= 4 && under_way >= 4,
        "{timed} operations with times, {deepest} deep, {under_way} under way"
    );
    let device = "SELECT operations, bytes::bigint, latency_p50 <= latency_p99 AND latency_p99 <= latency_max, max_bandwidth > 0, in_flight
                    FROM inflight_devices WHERE operation = 'read' ORDER BY operations DESC LIMIT 1";
    let device = watcher.query_one(device, &[]).await.unwrap();
    assert!(device.get::<_, i64>(0) > 100 && device.get::<_, i64>(1) > 30_000_000, "{device:?}");
    assert!(device.get::<_, bool>(2) && device.get::<_, bool>(3) && device.get::<_, i32>(4) >= 0, "{device:?}");
    assert_eq!(scan.await.unwrap(), 10_000_000);
    assert!(most >= 4, "{most} reads at once at the most");
    let (description, operation, target, pages) = example.expect("reads of 128 KiB");
    assert!(description.starts_with("blocks ") && description.contains("in file \"base/5/"), "{description}");
    assert_eq!((operation.as_str(), target.as_str(), pages), ("readv", "smgr", 16));
    assert!(waits.iter().any(|w| w == "IO/AioUringCompletion" || w == "IO/AioIoCompletion"), "{waits:?}");
    let reads: i64 = watcher
        .query_one(
            "SELECT sum(reads)::bigint FROM pg_stat_io WHERE context = 'bulkread' AND backend_type = 'client backend'",
            &[],
        )
        .await
        .unwrap()
        .get(0);
    assert!(reads > 100, "{reads}");
}

/// Index pages and rows that a statement's many rows need are read together, not each when its row's turn has come.
#[tokio::test(flavor = "multi_thread")]
async fn changes_of_many_rows_read_their_pages_together() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("data");
    let options = ["--simulate-volume", "latency=2ms"];
    let mut server = Server::start_in(&root, &options);
    let tables = "CREATE TABLE t (id int, k int, v int, pad text);
                  INSERT INTO t SELECT g, g * 7919 % 40000, 0, repeat('x', 300) FROM generate_series(0, 39999) g;
                  CREATE UNIQUE INDEX t_id ON t (id) INCLUDE (pad);
                  CREATE INDEX t_k ON t (k, pad);
                  CREATE TABLE new (id int);
                  INSERT INTO new SELECT g * 199 % 50000 FROM generate_series(1, 300) g";
    server.connect().await.batch_execute(tables).await.unwrap();
    let statements = [
        ("INSERT INTO t SELECT id, -1, 1, 'new' FROM new ON CONFLICT (id) DO UPDATE SET v = t.v + excluded.v", 300),
        ("INSERT INTO t SELECT id + 100000, id, 2, 'more' FROM new", 300),
    ];
    for (statement, rows) in statements {
        assert!(server.stop());
        server = Server::start_in(&root, &options);
        let client = server.connect().await;
        let changed = client.execute(statement, &[]).await.unwrap();
        assert_eq!(changed, rows, "{statement}");
        let depth = "SELECT max_in_flight FROM pg_stat_aio_backends WHERE pid = pg_backend_pid()";
        let deepest: i32 = client.query_one(depth, &[]).await.unwrap().get(0);
        assert!(deepest >= 8, "{statement}: {deepest} reads at once");
    }
    let client = server.connect().await;
    let found = "SELECT count(*), sum(v),
                        (SELECT count(*) FROM new n WHERE NOT EXISTS (SELECT FROM t WHERE t.id = n.id AND t.v = 1))
                   FROM t";
    let row = client.query_one(found, &[]).await.unwrap();
    let fresh: i64 = client.query_one("SELECT count(*) FROM new WHERE id >= 40000", &[]).await.unwrap().get(0);
    assert_eq!((row.get::<_, i64>(0), row.get::<_, i64>(1), row.get::<_, i64>(2)), (40_300 + fresh, 900, 0));
}

/// Long values are read of the rows that a statement gives, not of those that it sorts or joins.
#[tokio::test(flavor = "multi_thread")]
async fn long_values_are_read_of_rows_that_are_given() {
    let server = Server::start(&[]);
    let client = server.connect().await;
    let tables = "CREATE TABLE docs (id int, author int, body text);
                  INSERT INTO docs SELECT g, g % 100, (SELECT string_agg(md5((g * 1000 + i)::text), '')
                                                         FROM generate_series(1, 250) i)
                    FROM generate_series(1, 500) g;
                  CREATE TABLE authors (id int, name text);
                  INSERT INTO authors SELECT g, 'author ' || g FROM generate_series(0, 99) g;
                  ANALYZE docs";
    client.batch_execute(tables).await.unwrap();
    let blocks = "SELECT (pg_table_size('docs') / 8192)::int";
    let all: i32 = client.query_one(blocks, &[]).await.unwrap().get(0);
    assert!(all > 500, "{all}");
    for (statement, rows) in [
        ("SELECT * FROM docs ORDER BY author, id LIMIT 5", 5),
        ("SELECT * FROM docs d JOIN authors a ON a.id = d.author WHERE a.name = 'author 7'", 5),
        (
            "SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY author % 5 ORDER BY id DESC) AS n FROM docs) s WHERE n = 1",
            5,
        ),
        ("SELECT DISTINCT ON (author % 5) author % 5, body FROM docs ORDER BY author % 5, id", 5),
        ("SELECT * FROM docs ORDER BY id", 500),
    ] {
        let plan = client.query(&format!("EXPLAIN (ANALYZE, BUFFERS) {statement}"), &[]).await.unwrap();
        let lines: Vec<String> = plan.iter().map(|row| row.get(0)).collect();
        let hit = lines.iter().find_map(|line| line.split("shared hit=").nth(1)).expect("pages were read");
        let hit: i32 = hit.split(' ').next().unwrap().parse().unwrap();
        assert!((hit < all / 5) == (rows < 500), "{statement}: {hit} of {all} pages\n{}", lines.join("\n"));
        let given = client.query(statement, &[]).await.unwrap();
        assert_eq!(given.len(), rows, "{statement}");
        let whole = given.iter().all(|row| row.get::<_, String>("body").len() == 8000);
        assert!(whole, "{statement}");
    }
}

/// Of a column that is only tested for NULL no value is read, whatever the way to its rows.
#[tokio::test(flavor = "multi_thread")]
async fn columns_that_are_only_tested_for_null_are_not_read() {
    let server = Server::start(&[]);
    let client = server.connect().await;
    // `none` says where there is no body.
    let tables = "CREATE TABLE docs (id int PRIMARY KEY, author int, none bool, body text);
                  INSERT INTO docs SELECT g, g % 100, g % 7 = 0, CASE WHEN g % 7 > 0 THEN
                         (SELECT string_agg(md5((g * 1000 + i)::text), '') FROM generate_series(1, 250) i) END
                    FROM generate_series(1, 700) g;
                  CREATE INDEX ON docs (author);
                  CREATE INDEX ON docs ((author + 1));
                  CREATE INDEX docs_without ON docs (id) WHERE body IS NULL;
                  CREATE TABLE authors (id int, name text);
                  INSERT INTO authors SELECT g, 'author ' || g FROM generate_series(0, 99) g;
                  ANALYZE";
    client.batch_execute(tables).await.unwrap();
    let all: i32 = client.query_one("SELECT (pg_table_size('docs') / 8192)::int", &[]).await.unwrap().get(0);
    let rows = async |statement: &str| -> Vec<String> {
        let rows = client.query(&format!("SELECT s::text FROM ({statement}) s"), &[]).await.unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    };
    let ways = ["", "SET enable_seqscan = off", "SET enable_bitmapscan = off", "SET enable_hashjoin = off"];
    for way in ways.iter().chain(&["SET enable_mergejoin = off", "SET work_mem = '64kB'"]) {
        client.batch_execute(way).await.unwrap();
        for (tested, told) in [
            ("SELECT id FROM docs WHERE body IS NULL", "SELECT id FROM docs WHERE none"),
            ("SELECT count(body) AS n FROM docs", "SELECT count(*) FILTER (WHERE NOT none) AS n FROM docs"),
            (
                "SELECT author % 10 AS a, count(body) AS n FROM docs GROUP BY 1 ORDER BY 1",
                "SELECT author % 10 AS a, sum((NOT none)::int) AS n FROM docs GROUP BY 1 ORDER BY 1",
            ),
            (
                "SELECT id, body IS NULL AS b FROM docs WHERE author < 9 ORDER BY id",
                "SELECT id, none AS b FROM docs WHERE author < 9 ORDER BY id",
            ),
            (
                "SELECT id FROM docs WHERE author + 1 = 8 AND body IS NOT NULL ORDER BY id",
                "SELECT id FROM docs WHERE author + 1 = 8 AND NOT none ORDER BY id",
            ),
            (
                "SELECT a.id, count(d.body) AS n FROM authors a LEFT JOIN docs d ON d.author = a.id AND d.id > 300 GROUP BY a.id ORDER BY 1",
                "SELECT a.id, count(d.id) FILTER (WHERE NOT d.none) AS n FROM authors a LEFT JOIN docs d ON d.author = a.id AND d.id > 300 GROUP BY a.id ORDER BY 1",
            ),
            (
                "SELECT count(*) AS n FROM (SELECT body FROM docs ORDER BY author LIMIT 50) s WHERE body IS NULL",
                "SELECT count(*) AS n FROM (SELECT none FROM docs ORDER BY author LIMIT 50) s WHERE none",
            ),
            (
                "SELECT a.id, (SELECT count(d.body) FROM docs d WHERE d.author = a.id) AS n FROM authors a ORDER BY 1",
                "SELECT a.id, (SELECT count(*) FROM docs d WHERE d.author = a.id AND NOT none) AS n FROM authors a ORDER BY 1",
            ),
        ] {
            let expected = rows(told).await;
            assert!(!expected.is_empty(), "{told}");
            assert_eq!(rows(tested).await, expected, "{way}: {tested}");
            let plan = client.query(&format!("EXPLAIN (ANALYZE, BUFFERS) {tested}"), &[]).await.unwrap();
            let lines: Vec<String> = plan.iter().map(|row| row.get(0)).collect();
            let hit = lines.iter().find_map(|line| line.split("shared hit=").nth(1)).expect("pages were read");
            let hit: i32 = hit.split(' ').next().unwrap().parse().unwrap();
            assert!(hit < all, "{way}: {tested}: {hit} of {all} pages\n{}", lines.join("\n"));
        }
    }
    // Values that are asked for are there, beside tests.
    let beside =
        "SELECT sum(length(body))::int8, count(body), count(DISTINCT body), count(body) FILTER (WHERE body < 'zz'),
                         count(*) FILTER (WHERE body IS NULL AND body IS NOT DISTINCT FROM NULL) FROM docs";
    let row = client.query_one(beside, &[]).await.unwrap();
    let all: Vec<i64> = (0..5).map(|at| row.get(at)).collect();
    assert_eq!(all, [600 * 8000, 600, 600, 600, 100]);
    // Rows that are changed and locked, and older versions of them.
    let other = server.connect().await;
    other.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM docs LIMIT 1").await.unwrap();
    let changed = client.execute("UPDATE docs SET body = 'x', none = false WHERE body IS NULL", &[]).await.unwrap();
    assert_eq!(changed, 100);
    let older = "SELECT count(body), count(*) FILTER (WHERE body IS NULL) FROM docs";
    let row = other.query_one(older, &[]).await.unwrap();
    assert_eq!((row.get::<_, i64>(0), row.get::<_, i64>(1)), (600, 100));
    let row = client.query_one(older, &[]).await.unwrap();
    assert_eq!((row.get::<_, i64>(0), row.get::<_, i64>(1)), (700, 0));
    let locked =
        client.query("SELECT id FROM docs WHERE body IS NOT NULL AND author = 7 FOR UPDATE", &[]).await.unwrap();
    assert_eq!(locked.len(), 7);
    assert_eq!(client.execute("DELETE FROM docs WHERE body IS NULL", &[]).await.unwrap(), 0);
}

/// What FETCH gives depends on the cursor that has the name now, whatever the same text gave before.
#[tokio::test(flavor = "multi_thread")]
async fn a_cursor_of_the_same_name_may_have_other_columns() {
    let server = Server::start(&[]);
    let client = server.connect().await;
    let mut widths = Vec::new();
    for query in ["SELECT 1 a, 2 b", "SELECT 'x'::text", "SELECT 1 a, 2 b"] {
        client.batch_execute(&format!("BEGIN; DECLARE c CURSOR FOR {query}")).await.unwrap();
        let rows = client.query("FETCH ALL FROM c", &[]).await.unwrap();
        widths.extend(rows.iter().map(|row| row.len()));
        client.batch_execute("COMMIT").await.unwrap();
    }
    assert_eq!(widths, [2, 1, 2]);
}

/// What is said of a row that breaks a rule shows all of it, however few of its columns a change needs.
#[tokio::test(flavor = "multi_thread")]
async fn failing_rows_are_shown_whole() {
    let server = Server::start(&[]);
    let client = server.connect().await;
    let table = "CREATE TABLE t (a int PRIMARY KEY, b int CHECK (b > 0), c text, d int NOT NULL);
                 INSERT INTO t SELECT i, i, 'row ' || i, i FROM generate_series(1, 9) i";
    client.batch_execute(table).await.unwrap();
    for (statement, detail) in [
        ("UPDATE t SET b = b - 5 WHERE a > 3", "Failing row contains (4, -1, row 4, 4)."),
        ("UPDATE t SET d = NULL WHERE a = 7", "Failing row contains (7, 7, row 7, null)."),
        (
            "INSERT INTO t VALUES (5, 1, 'x', 1) ON CONFLICT (a) DO UPDATE SET b = -t.b",
            "Failing row contains (5, -5, row 5, 5).",
        ),
        (
            "MERGE INTO t USING (VALUES (6)) s(a) ON s.a = t.a WHEN MATCHED THEN UPDATE SET b = 0",
            "Failing row contains (6, 0, row 6, 6).",
        ),
    ] {
        let error = client.batch_execute(statement).await.unwrap_err();
        let error = error.as_db_error().unwrap();
        assert_eq!(error.detail(), Some(detail), "{statement}: {}", error.message());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancel_request_ends_a_statement() {
    let server = Server::start(&["--simulate-volume", "latency=50ms", "--set", "effective_io_concurrency=0"]);
    let client = server.connect().await;
    client
        .batch_execute("CREATE TABLE t(id int); INSERT INTO t SELECT * FROM generate_series(1, 2000000)")
        .await
        .unwrap();
    let token = client.cancel_token();
    let cancel = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        token.cancel_query(tokio_postgres::NoTls).await.unwrap();
    };
    let (result, ()) = tokio::join!(client.batch_execute("SELECT count(*) FROM t a, t b WHERE a.id = b.id"), cancel);
    assert_eq!(code(&result.unwrap_err()), "57014");
    assert_eq!(client.query_one("SELECT 1", &[]).await.unwrap().get::<_, i32>(0), 1);
    client.batch_execute("SET statement_timeout = '200ms'").await.unwrap();
    let error = client.batch_execute("SELECT count(*) FROM t a, t b WHERE a.id = b.id").await.unwrap_err();
    assert_eq!(code(&error), "57014");
}

#[tokio::test(flavor = "multi_thread")]
async fn garbage_on_the_port_hurts_nobody() {
    let server = Server::start(&[]);
    let client = server.connect().await;
    let mut state = 1u64;
    for round in 0..200 {
        let mut socket = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
        let mut bytes = Vec::new();
        if round % 2 == 0 {
            // A proper start, and then nonsense.
            let body = b"user\0postgres\0database\0postgres\0\0";
            bytes.extend_from_slice(&(body.len() as u32 + 8).to_be_bytes());
            bytes.extend_from_slice(&196_608u32.to_be_bytes());
            bytes.extend_from_slice(body);
            let kinds = b"QPBEDCSHXdcfp\x00\xff";
            bytes.push(kinds[round / 2 % kinds.len()]);
            bytes.extend_from_slice(&(4 + (round as u32 % 40)).to_be_bytes());
        }
        for _ in 0..round {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            bytes.push((state >> 33) as u8);
        }
        let _ = socket.write_all(&bytes);
        let _ = socket.shutdown(std::net::Shutdown::Write);
        socket.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        let _ = socket.read(&mut [0; 512]);
    }
    assert_eq!(client.query_one("SELECT 1", &[]).await.unwrap().get::<_, i32>(0), 1);
    assert!(!server.log.lock().unwrap().contains("panicked at crates/"), "{}", server.log.lock().unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_at_the_door() {
    let server = Server::start(&["--set", "max_connections=3", "--set", "superuser_reserved_connections=0"]);
    let error = server.connect_to("nosuch").await.err().unwrap();
    assert_eq!(
        (code(&error).as_str(), error.as_db_error().unwrap().message()),
        ("3D000", "database \"nosuch\" does not exist")
    );
    let config = format!("host=127.0.0.1 port={} user=nobody dbname=postgres", server.port);
    let error = tokio_postgres::connect(&config, tokio_postgres::NoTls).await.err().unwrap();
    assert_eq!(code(&error), "28000");
    let mut clients = vec![];
    for _ in 0..3 {
        clients.push(server.connect().await);
    }
    assert_eq!(code(&server.connect_to("postgres").await.err().unwrap()), "53300");
    clients.pop();
    tokio::time::sleep(Duration::from_millis(300)).await;
    server.connect().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn databases_are_separate() {
    let server = Server::start(&[]);
    let client = server.connect().await;
    client.batch_execute("CREATE DATABASE other").await.unwrap();
    client.batch_execute("CREATE TABLE t(id int)").await.unwrap();
    let other = server.connect_to("other").await.unwrap();
    assert_eq!(code(&other.batch_execute("SELECT * FROM t").await.unwrap_err()), "42P01");
    other.batch_execute("CREATE TABLE t(name text); INSERT INTO t VALUES ('here')").await.unwrap();
    assert_eq!(code(&client.batch_execute("DROP DATABASE other").await.unwrap_err()), "55006");
    drop(other);
    tokio::time::sleep(Duration::from_millis(300)).await;
    client.batch_execute("DROP DATABASE other").await.unwrap();
    assert_eq!(code(&server.connect_to("other").await.err().unwrap()), "3D000");
}

#[tokio::test]
async fn settings_are_reloaded_while_the_server_runs() {
    let server = Server::start(&["--set", "lock_timeout=5s"]);
    let client = server.connect().await;
    let show = async |name: &str| -> String {
        let rows = client.simple_query(&format!("SHOW {name}")).await.unwrap();
        rows.iter()
            .find_map(|row| match row {
                tokio_postgres::SimpleQueryMessage::Row(row) => Some(row.get(0).unwrap().to_string()),
                _ => None,
            })
            .unwrap()
    };
    for set in ["checkpoint_timeout = '45s'", "work_mem = '9MB'", "lock_timeout = '7s'", "statement_timeout = '8s'"] {
        client.batch_execute(&format!("ALTER SYSTEM SET {set}")).await.unwrap();
    }
    client.batch_execute("SET statement_timeout = '1min'").await.unwrap();
    assert_eq!(show("checkpoint_timeout").await, "5min");
    client.batch_execute("SELECT pg_reload_conf()").await.unwrap();
    assert_eq!(show("checkpoint_timeout").await, "45s");
    assert_eq!(show("work_mem").await, "9MB");
    // The command line and the session are nearer than the files.
    assert_eq!(show("lock_timeout").await, "5s");
    assert_eq!(show("statement_timeout").await, "1min");
    client.batch_execute("RESET statement_timeout").await.unwrap();
    assert_eq!(show("statement_timeout").await, "8s");
    client.batch_execute("ALTER SYSTEM RESET work_mem").await.unwrap();
    assert!(std::process::Command::new("kill").args(["-HUP", &server.pid().to_string()]).status().unwrap().success());
    for _ in 0..100 {
        if show("work_mem").await == "4MB" {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("SIGHUP was not followed: work_mem is {}", show("work_mem").await);
}

#[tokio::test]
async fn statements_that_are_too_deep_or_too_long_end_nothing() {
    let server = Server::start(&[]);
    let client = server.connect().await;
    for (sql, expected) in [
        (format!("SELECT 1{}", "+1".repeat(200_000)), "54001"),
        // PostgreSQL's grammar says that its memory is exhausted.
        (format!("SELECT {}1{}", "(".repeat(200_000), ")".repeat(200_000)), "42601"),
        (format!("SELECT {}1{}", "(SELECT ".repeat(3000), ")".repeat(3000)), "54001"),
    ] {
        assert_eq!(code(&client.batch_execute(&sql).await.unwrap_err()), expected, "{}", &sql[..40]);
        client.batch_execute("SELECT 1").await.unwrap();
    }
    for sql in
        [format!("SELECT {}1{}", "(SELECT ".repeat(40), ")".repeat(40)), format!("SELECT '{}'", "x".repeat(33 << 20))]
    {
        client.batch_execute(&sql).await.unwrap();
    }
    let any = format!("SELECT 1 WHERE 1 = 2{}", " OR 3 = 4 AND 5 = 6".repeat(5000));
    client.batch_execute(&any).await.unwrap();
}

#[tokio::test]
async fn rows_that_many_sessions_insert_share_pages() {
    let server = Server::start(&[]);
    let client = server.connect().await;
    client.batch_execute("CREATE TABLE t(id int, note text)").await.unwrap();
    let mut sessions = tokio::task::JoinSet::new();
    for session in 0..8 {
        let client = server.connect().await;
        sessions.spawn(async move {
            for row in 0..400 {
                client.batch_execute(&format!("INSERT INTO t VALUES ({row}, 'of {session}')")).await.unwrap();
            }
        });
    }
    sessions.join_all().await;
    assert_eq!(count(&client, "t").await, 3200);
    let pages: i64 = client.query_one("SELECT pg_relation_size('t') / 8192", &[]).await.unwrap().get(0);
    client.batch_execute("CREATE INDEX i ON t(id)").await.unwrap();
    let sizes =
        "SELECT pg_relation_size('t'), pg_relation_size('i'), pg_indexes_size('t'), pg_total_relation_size('t')";
    let sizes = client.query_one(sizes, &[]).await.unwrap();
    let [table, index, indexes, total]: [i64; 4] = std::array::from_fn(|i| sizes.get(i));
    assert!(table == pages * 8192 && index >= 16384 && indexes == index && total == table + index, "{sizes:?}");
    // A page takes more than 100 of them, and each session may bring one that is not full yet.
    assert!(pages <= 60, "{pages} pages");
    // A snapshot that sees none of them keeps every row's version: an entry in the page for each.
    let old = server.connect().await;
    old.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM t").await.unwrap();
    client.batch_execute("CREATE TABLE u(id int, note text)").await.unwrap();
    for row in 0..1000 {
        client.batch_execute(&format!("INSERT INTO u VALUES ({row}, 'alone')")).await.unwrap();
    }
    assert_eq!(count(&old, "t").await, 3200);
    let pages: i64 = client.query_one("SELECT pg_relation_size('u') / 8192", &[]).await.unwrap().get(0);
    assert!(pages <= 25, "{pages} pages");
}

#[tokio::test]
async fn analyze_counts_rows() {
    let server = Server::start(&[]);
    let client = server.connect().await;
    let known = async || -> f32 {
        client.query_one("SELECT reltuples FROM pg_class WHERE relname = 't'", &[]).await.unwrap().get(0)
    };
    client.batch_execute("CREATE TABLE t(id int); INSERT INTO t SELECT generate_series(1, 20000)").await.unwrap();
    assert_eq!(known().await, -1.0);
    client.batch_execute("VACUUM t").await.unwrap();
    assert_eq!(known().await, 20000.0);
    client.batch_execute("VACUUM (ANALYZE) t").await.unwrap();
    assert_eq!(known().await, 20000.0);
    client.batch_execute("DELETE FROM t WHERE id % 4 = 0").await.unwrap();
    client.batch_execute("BEGIN; ANALYZE t; ROLLBACK").await.unwrap();
    assert_eq!(known().await, 20000.0);
    client.batch_execute("ANALYZE").await.unwrap();
    assert_eq!(known().await, 15000.0);
    let plan: String = client.query_one("EXPLAIN SELECT * FROM t", &[]).await.unwrap().get(0);
    assert!(plan.contains("rows=15000 "), "{plan}");
    client.batch_execute("TRUNCATE t").await.unwrap();
    assert_eq!(known().await, -1.0);
    let error = client.batch_execute("ANALYZE nowhere").await.unwrap_err();
    assert_eq!(error.code().unwrap().code(), "42P01");
}

/// The plans are PostgreSQL 18.6's.
#[tokio::test]
async fn bitmaps_put_indexes_together() {
    let server = Server::start(&[]);
    let client = server.connect().await;
    let make =
        "CREATE TABLE t AS SELECT i, (i * 7919) % 1000 AS a, (i * 104729) % 500 AS b, i % 50 AS n, md5(i::text) AS p
                FROM generate_series(1::bigint, 20000) i;
                CREATE INDEX ON t (a); CREATE INDEX ON t (b); ANALYZE t";
    client.batch_execute(make).await.unwrap();
    let lines = async |sql: &str| -> Vec<String> {
        client.query(sql, &[]).await.unwrap().iter().map(|row| row.get::<_, &str>(0).trim_start().to_string()).collect()
    };
    let or = "SELECT count(*) FROM t WHERE (a = 5 OR b = 17) AND n > 3";
    let expected = [
        "Aggregate",
        "->  Bitmap Heap Scan on t",
        "Recheck Cond: ((a = 5) OR (b = 17))",
        "Filter: (n > 3)",
        "->  BitmapOr",
        "->  Bitmap Index Scan on t_a_idx",
        "Index Cond: (a = 5)",
        "->  Bitmap Index Scan on t_b_idx",
        "Index Cond: (b = 17)",
    ];
    assert_eq!(lines(&format!("EXPLAIN (COSTS OFF) {or}")).await, expected);
    let and = "SELECT count(*) FROM t WHERE a BETWEEN 100 AND 200 AND b BETWEEN 50 AND 60";
    let plan = lines(&format!("EXPLAIN (COSTS OFF) {and}")).await;
    assert!(plan.contains(&"->  BitmapAnd".to_string()), "{plan:?}");

    // Rows that have changed, and are seen as they were.
    let reader = server.connect().await;
    let count =
        async |reader: &tokio_postgres::Client, sql: &str| -> i64 { reader.query_one(sql, &[]).await.unwrap().get(0) };
    reader.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ").await.unwrap();
    let before = [count(&reader, or).await, count(&reader, and).await];
    client.batch_execute("UPDATE t SET a = 5 WHERE i % 97 = 0; DELETE FROM t WHERE b = 55").await.unwrap();
    for settings in ["SET work_mem = '64kB'", "SET enable_bitmapscan = off", "RESET work_mem"] {
        reader.batch_execute(settings).await.unwrap();
        client.batch_execute(settings).await.unwrap();
        assert_eq!([count(&reader, or).await, count(&reader, and).await], before, "{settings}");
        assert_eq!([count(&client, or).await, count(&client, and).await], [249, 38], "{settings}");
    }

    client
        .batch_execute("SET enable_seqscan = off; SET enable_indexscan = off; SET enable_bitmapscan = on")
        .await
        .unwrap();
    let wide = "CREATE TABLE w AS SELECT i, i % 10 AS a, repeat('x', 200) FROM generate_series(1, 50000) i;
                CREATE INDEX ON w (a); ANALYZE w; SET work_mem = '64kB'";
    client.batch_execute(wide).await.unwrap();
    assert_eq!(count(&client, "SELECT sum(i) FROM w WHERE a < 9").await, 1_125_005_000);
    let many = "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) SELECT sum(i) FROM w WHERE a < 9";
    let plan = lines(many).await;
    let has = |what: &str| plan.iter().any(|line| line.contains(what));
    assert!(has("Rows Removed by Index Recheck: ") && has("Heap Blocks: ") && has(" lossy="), "{plan:?}");
}

/// The answers are PostgreSQL 18.6's.
#[tokio::test]
async fn pg_stats_has_what_analyze_found() {
    let server = Server::start(&[]);
    let client = server.connect().await;
    let make = "CREATE TABLE t AS SELECT i, nullif(i % 10, 0) AS g, 'v' || i % 5 AS t, i / 7.0 AS n FROM generate_series(1, 1000) i;
                CREATE INDEX x ON t ((t || 'w')); ANALYZE t";
    client.batch_execute(make).await.unwrap();
    let rows = async |relation: &str| -> Vec<String> {
        let ask = format!(
            "SELECT concat_ws(' ', attname, null_frac, n_distinct, most_common_vals, most_common_freqs,
                histogram_bounds::text::text[] IS NOT NULL, correlation)
             FROM pg_stats WHERE tablename = '{relation}' ORDER BY attname"
        );
        client.query(&ask, &[]).await.unwrap().iter().map(|row| row.get(0)).collect()
    };
    let expected = [
        "g 0.1 9 {1,2,3,4,5,6,7,8,9} {0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1} f 0.120976694",
        "i 0 -1 t 1",
        "n 0 -1 t 1",
        "t 0 5 {v0,v1,v2,v3,v4} {0.2,0.2,0.2,0.2,0.2} f 0.1999952",
    ];
    assert_eq!(rows("t").await, expected);
    assert_eq!(rows("x").await, ["expr 0 5 {v0w,v1w,v2w,v3w,v4w} {0.2,0.2,0.2,0.2,0.2} f 0.1999952"]);
    let slots = "SELECT string_agg(concat_ws(' ', staattnum, stakind1, staop1::regoperator, stakind2, stacoll2), '; '
                 ORDER BY staattnum) FROM pg_statistic WHERE starelid = 't'::regclass";
    let slots: String = client.query_one(slots, &[]).await.unwrap().get(0);
    let expected =
        "1 2 <(integer,integer) 3 0; 2 1 =(integer,integer) 3 0; 3 1 =(text,text) 3 100; 4 2 <(numeric,numeric) 3 0";
    assert_eq!(slots, expected);
}

#[tokio::test]
async fn the_log_and_checkpoints_are_told_of() {
    let server = Server::start(&[]);
    let client = server.connect().await;
    let text = async |sql: &str| -> String { client.query_one(sql, &[]).await.unwrap().get(0) };
    let before = text("SELECT pg_current_wal_insert_lsn()::text").await;
    client.batch_execute("CREATE TABLE t(id int); INSERT INTO t SELECT generate_series(1, 100)").await.unwrap();
    let grown = text(&format!("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '{before}')::text")).await;
    assert!(grown.parse::<i64>().unwrap() > 100, "{grown}");
    assert_eq!(text("SELECT pg_wal_lsn_diff('1/0', '1/100')::text").await, "-256");
    assert_eq!(text("SELECT pg_walfile_name('0/1000001')").await, "000000010000000000000001");
    assert_eq!(text("SELECT pg_walfile_name('0/2000000')").await, "000000010000000000000001");
    let error = client.query("SELECT pg_wal_lsn_diff('0/0', 'nonsense')", &[]).await.unwrap_err();
    assert_eq!(error.code().unwrap().code(), "22P02");
    let checkpoints = "SELECT num_timed, num_requested, num_done, buffers_written FROM pg_stat_checkpointer";
    let counts = async || -> [i64; 4] {
        let row = client.query_one(checkpoints, &[]).await.unwrap();
        std::array::from_fn(|i| row.get(i))
    };
    let before = counts().await;
    client.batch_execute("CHECKPOINT").await.unwrap();
    let after = counts().await;
    assert_eq!(after[1..3], [before[1] + 1, before[2] + 1]);
    assert!(after[3] > before[3], "{after:?}");
}

#[tokio::test]
async fn explain_shows_changes() {
    let server = Server::start(&[]);
    let client = server.connect().await;
    client.batch_execute("CREATE TABLE t(id int, n int); INSERT INTO t VALUES (1, 1), (2, 2)").await.unwrap();
    let first = async |sql: &str| -> String { client.query(sql, &[]).await.unwrap()[0].get(0) };
    for (sql, line) in [
        ("EXPLAIN (COSTS OFF) UPDATE t SET n = 5 WHERE id = 1", "Update on t"),
        ("EXPLAIN (COSTS OFF) DELETE FROM t", "Delete on t"),
        ("EXPLAIN (COSTS OFF, VERBOSE) INSERT INTO t VALUES (3, 3)", "Insert on public.t"),
    ] {
        assert_eq!(first(sql).await, line);
    }
    assert_eq!(count(&client, "t").await, 2);
    assert!(first("EXPLAIN ANALYZE UPDATE t SET n = 5 WHERE id = 1").await.starts_with("Update on t"));
    assert!(first("EXPLAIN ANALYZE DELETE FROM t WHERE n = 2").await.starts_with("Delete on t"));
    let n: i32 = client.query_one("SELECT n FROM t", &[]).await.unwrap().get(0);
    assert_eq!(n, 5);
}

#[tokio::test]
async fn explain_counts_pages_and_what_conditions_keep_back() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("data");
    let mut server = Server::start_in(&root, &[]);
    let client = server.connect().await;
    let make = "CREATE TABLE t AS SELECT i AS id, i % 10 AS n FROM generate_series(1, 50000) i; CREATE INDEX ON t (id); ANALYZE t";
    client.batch_execute(make).await.unwrap();
    assert!(server.stop(), "{}", server.log.lock().unwrap());
    let server = Server::start_in(&root, &[]);
    let client = server.connect().await;
    let explain = async |sql: &str| -> Vec<String> {
        client.query(sql, &[]).await.unwrap().iter().map(|row| row.get::<_, &str>(0).trim().to_string()).collect()
    };
    let pages: i64 = client.query_one("SELECT pg_relation_size('t') / 8192", &[]).await.unwrap().get(0);
    let scan = "EXPLAIN (ANALYZE, COSTS OFF) SELECT count(*) FROM t WHERE n = 3";
    // Nothing is in memory: the scan reads all pages, in fewer operations.
    let cold = explain(scan).await;
    assert!(cold.contains(&"Rows Removed by Filter: 45000".to_string()), "{cold:?}");
    let read = cold.iter().filter_map(|line| {
        line.strip_prefix("Buffers: shared ")?.split(' ').find_map(|part| part.strip_prefix("read="))
    });
    let read: Vec<i64> = read.map(|count| count.parse().unwrap()).collect();
    // What a node shows includes what is below it.
    assert!(read.len() == 2 && read[0] == read[1] && read[0] > pages / 2 && read[0] <= pages, "{cold:?}");
    let operations = cold.iter().find_map(|line| line.strip_prefix("I/O: count=")?.split(' ').next()).unwrap();
    assert!(operations.parse::<i64>().unwrap() < read[0], "{cold:?}");
    let warm = explain(scan).await;
    assert!(warm.contains(&format!("Buffers: shared hit={pages}")), "{warm:?}");
    assert!(!warm.iter().any(|line| line.starts_with("I/O")), "{warm:?}");
    let few = explain("EXPLAIN (ANALYZE, COSTS OFF) SELECT * FROM t WHERE id = 77").await;
    assert!(few[0].starts_with("Index Scan") && few.iter().any(|line| line.starts_with("Buffers: shared ")), "{few:?}");
    let off = explain("EXPLAIN (ANALYZE, BUFFERS OFF) SELECT * FROM t WHERE id = 77").await;
    assert!(!off.iter().any(|line| line.starts_with("Buffers")), "{off:?}");
    let changed = explain("EXPLAIN (ANALYZE, COSTS OFF) UPDATE t SET n = 0 WHERE id <= 1000").await;
    assert!(changed[0].starts_with("Update on t") && changed[1].starts_with("Buffers: shared hit="), "{changed:?}");
}

#[test]
fn starting_is_refused_with_a_reason() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("data");
    let server = Server::start_in(&root, &[]);
    let run = |root: &std::path::Path, port, arguments: &[&str]| {
        let output = command(root, port, arguments).output().unwrap();
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let text = run(&root, free_port(), &[]);
    assert!(text.contains("already exists") && text.contains(&server.pid().to_string()), "{text}");
    let text = run(&dir.path().join("other"), server.port, &[]);
    assert!(text.contains("could not bind"), "{text}");
    let text = run(&dir.path().join("third"), free_port(), &["--set", "nosuch=1"]);
    assert!(text.contains("unrecognized configuration parameter \"nosuch\""), "{text}");
    let text = run(&dir.path().join("fourth"), free_port(), &["--set", "work_mem=1kB"]);
    assert!(text.contains("outside the valid range"), "{text}");
    let text = run(&dir.path().join("fifth"), free_port(), &["--simulate-volume", "depth=3"]);
    assert!(text.contains("simulate_volume"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_page_is_named_and_other_tables_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("data");
    let mut server = Server::start_in(&root, &[]);
    let client = server.connect().await;
    for table in ["good", "bad", "short", "gone"] {
        let sql = format!("CREATE TABLE {table}(id int); INSERT INTO {table} SELECT * FROM generate_series(1, 100000)");
        client.batch_execute(&sql).await.unwrap();
    }
    let file = |name: &str| {
        let client = &client;
        let sql = format!("SELECT relfilenode::bigint FROM pg_class WHERE relname = '{name}'");
        async move { client.query_one(&sql, &[]).await.unwrap().get::<_, i64>(0) }
    };
    let (bad, short, gone) = (file("bad").await, file("short").await, file("gone").await);
    assert!(server.stop());
    let path = |file: i64| root.join(format!("base/5/{file}"));
    let mut bytes = std::fs::read(path(bad)).unwrap();
    bytes[3 * 8192 + 4000] ^= 1;
    std::fs::write(path(bad), bytes).unwrap();
    let handle = std::fs::File::options().write(true).open(path(short)).unwrap();
    let length = handle.metadata().unwrap().len();
    handle.set_len(length - 4096).unwrap();
    std::fs::remove_file(path(gone)).unwrap();
    let server = Server::start_in(&root, &[]);
    let client = server.connect().await;
    let error = client.batch_execute("SELECT count(*) FROM bad").await.unwrap_err();
    let message = error.as_db_error().unwrap().message().to_string();
    assert_eq!(code(&error), "XX001");
    assert!(message.contains("block 3") && message.contains(&format!("base/5/{bad}")), "{message}");
    let error = client.batch_execute("SELECT count(*) FROM gone").await.unwrap_err();
    assert_eq!(code(&error), "58P01");
    assert_eq!(count(&client, "good").await, 100_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_index_is_mended_by_reindex() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("data");
    let mut server = Server::start_in(&root, &[]);
    let client = server.connect().await;
    let table =
        "CREATE TABLE t(id int PRIMARY KEY, v text); INSERT INTO t SELECT i, 'v' || i FROM generate_series(1, 20000) i;
                 CREATE INDEX by_v ON t(v); ANALYZE t";
    client.batch_execute(table).await.unwrap();
    let file = "SELECT relfilenode::bigint FROM pg_class WHERE relname = 'by_v'";
    let before: i64 = client.query_one(file, &[]).await.unwrap().get(0);
    assert!(server.stop());
    let path = root.join(format!("base/5/{before}"));
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.chunks_mut(8192).skip(1).for_each(|page| page[4000] ^= 1);
    std::fs::write(path, bytes).unwrap();
    let server = Server::start_in(&root, &[]);
    let client = server.connect().await;
    let by_index = "SELECT id FROM t WHERE v = 'v777'";
    assert_eq!(code(&client.query(by_index, &[]).await.unwrap_err()), "XX001");
    client.batch_execute("REINDEX INDEX by_v").await.unwrap();
    assert_eq!(client.query_one(by_index, &[]).await.unwrap().get::<_, i32>(0), 777);
    let after: i64 = client.query_one(file, &[]).await.unwrap().get(0);
    assert_ne!(after, before);
    // It is rolled back with its transaction, and makes sure of uniqueness.
    client.batch_execute("BEGIN; REINDEX TABLE t; ROLLBACK").await.unwrap();
    assert_eq!(client.query_one(file, &[]).await.unwrap().get::<_, i64>(0), after);
    for others in ["REINDEX (VERBOSE) TABLE t", "REINDEX SCHEMA public", "REINDEX DATABASE CONCURRENTLY postgres"] {
        client.batch_execute(others).await.unwrap();
    }
    let twice = client.batch_execute("INSERT INTO t VALUES (777, 'again')").await.unwrap_err();
    assert_eq!(code(&twice), "23505");
    assert_eq!(code(&client.batch_execute("REINDEX INDEX t").await.unwrap_err()), "42809");
    assert_eq!(code(&client.batch_execute("REINDEX TABLE by_v").await.unwrap_err()), "42809");
    assert_eq!(code(&client.batch_execute("BEGIN; REINDEX SCHEMA public").await.unwrap_err()), "25001");
}

/// How the threads of busy sessions are scheduled: the policy's number in `/proc`.
fn policies(server: &Server) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", server.pid())).unwrap();
    let stat = tasks.filter_map(|task| std::fs::read_to_string(task.unwrap().path().join("stat")).ok());
    let sessions = stat.filter(|line| line.contains("(inflight-sessio"));
    sessions.map(|line| line.rsplit(')').next().unwrap().split_whitespace().nth(38).unwrap().parse().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn busy_sessions_wait_for_turns_unless_somebody_works_for_long() {
    const NORMAL: u32 = 0;
    const BATCH: u32 = 3;
    let server = Server::start(&[]);
    let (client, other) = (server.connect().await, server.connect().await);
    for _ in 0..10 {
        client.query_one("SELECT 1", &[]).await.unwrap();
    }
    assert_eq!(policies(&server), [BATCH]);
    let long = "SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 100000) b WHERE a + b = 3";
    let cancel = other.cancel_token();
    let working = tokio::spawn(async move { other.batch_execute(long).await });
    // As soon as it works for long; nothing else ends this.
    while policies(&server) != [NORMAL] {
        client.query_one("SELECT 1", &[]).await.unwrap();
    }
    cancel.cancel_query(tokio_postgres::NoTls).await.unwrap();
    assert_eq!(code(&working.await.unwrap().unwrap_err()), "57014");
    while policies(&server) != [BATCH] {
        client.query_one("SELECT 1", &[]).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn entries_of_rows_that_are_gone_make_room_for_others() {
    let server = Server::start(&[]);
    let (client, other) = (server.connect().await, server.connect().await);
    client.batch_execute("CREATE TABLE t(id int PRIMARY KEY, v int); SET enable_seqscan = off").await.unwrap();
    let ids = "SELECT count(*) FROM t WHERE id BETWEEN 1 AND 200";
    let size = "SELECT pg_relation_size('t_pkey')";
    for round in 0..150 {
        let fill = format!("DELETE FROM t; INSERT INTO t SELECT i, {round} FROM generate_series(1, 200) i");
        client.batch_execute(&fill).await.unwrap();
        assert_eq!(client.query_one(ids, &[]).await.unwrap().get::<_, i64>(0), 200);
    }
    // Of 30,000 entries 200 are left; each takes some ten bytes.
    let bytes: i64 = client.query_one(size, &[]).await.unwrap().get(0);
    assert!(bytes <= 8 * 8192, "{bytes} bytes");
    // No client's rows are taken away.
    other.batch_execute("SET enable_seqscan = off; BEGIN ISOLATION LEVEL REPEATABLE READ").await.unwrap();
    assert_eq!(other.query_one(ids, &[]).await.unwrap().get::<_, i64>(0), 200);
    for _ in 0..3 {
        client.batch_execute("UPDATE t SET id = id + 1000; DELETE FROM t WHERE id % 2 = 0").await.unwrap();
        assert_eq!(client.query_one(ids, &[]).await.unwrap().get::<_, i64>(0), 0);
        assert_eq!(other.query_one(ids, &[]).await.unwrap().get::<_, i64>(0), 200);
    }
    other.batch_execute("COMMIT").await.unwrap();
    assert_eq!(other.query_one(ids, &[]).await.unwrap().get::<_, i64>(0), 0);
}

#[test]
fn psql_finds_its_way() {
    let server = Server::start(&[]);
    let Some((_, errors)) = server.psql(&[
        "-c",
        "CREATE TABLE test(id int)",
        "-c",
        "CREATE TABLE all_types(a smallint not null, b integer default 7, h text default 'x')",
    ]) else {
        return;
    };
    assert_eq!(errors, "");
    let run = |command: &str| {
        let (output, errors) = server.psql(&["-c", command]).unwrap();
        assert_eq!(errors, "", "{command}");
        output
    };
    // What PostgreSQL 15's psql printed for the same tables.
    assert_eq!(
        run("\\d test"),
        "                Table \"public.test\"\n Column |  Type   | Collation | Nullable | Default \n\
         --------+---------+-----------+----------+---------\n id     | integer |           |          | \n\n"
    );
    let types = run("\\d all_types");
    assert!(types.contains(" a      | smallint |           | not null | \n"), "{types}");
    assert!(types.contains(" b      | integer  |           |          | 7\n"), "{types}");
    assert!(types.contains(" h      | text     |           |          | 'x'::text\n"), "{types}");
    run(
        "CREATE TABLE keyed(a int PRIMARY KEY, b int CHECK (b > 0), c text UNIQUE, \"order\" int, CONSTRAINT two UNIQUE (b, \"order\"))",
    );
    run("CREATE INDEX keyed_b ON keyed(b DESC, c NULLS FIRST)");
    run("CREATE UNIQUE INDEX odd ON keyed(\"order\") NULLS NOT DISTINCT");
    let keyed = run("\\d keyed");
    let (_, keys) = keyed.split_once("Indexes:").unwrap_or_else(|| panic!("{keyed}"));
    assert_eq!(
        keys,
        "\n    \"keyed_pkey\" PRIMARY KEY, btree (a)\n    \"keyed_b\" btree (b DESC, c NULLS FIRST)\n    \
         \"keyed_c_key\" UNIQUE CONSTRAINT, btree (c)\n    \"odd\" UNIQUE, btree (\"order\") NULLS NOT DISTINCT\n    \
         \"two\" UNIQUE CONSTRAINT, btree (b, \"order\")\nCheck constraints:\n    \
         \"keyed_b_check\" CHECK (b > 0)\n\n"
    );
    assert!(run("\\di").contains(" public | keyed_b     | index | postgres | keyed\n"));
    assert!(run("\\d keyed_b").contains(" b      | integer | yes  | b\n"));
    let definitions =
        run("SELECT pg_get_indexdef('keyed_b'::regclass) || '; ' || pg_get_constraintdef(oid) FROM pg_constraint \
         WHERE conname = 'keyed_b_check'");
    let wanted = "CREATE INDEX keyed_b ON public.keyed USING btree (b DESC, c NULLS FIRST); CHECK ((b > 0))";
    assert!(definitions.contains(wanted), "{definitions}");
    let (locks, errors) = server
        .psql(&[
            "-Atc",
            "BEGIN; LOCK TABLE keyed IN EXCLUSIVE MODE; SELECT locktype, mode, granted FROM pg_locks WHERE \
                         relation = 'keyed'::regclass; COMMIT",
        ])
        .unwrap();
    assert_eq!((locks.as_str(), errors.as_str()), ("BEGIN\nLOCK TABLE\nrelation|ExclusiveLock|t\nCOMMIT\n", ""));
    assert!(run("\\d+ test").contains("Table \"public.test\""));
    assert!(run("\\dt+").contains("test"));
    assert!(run("\\d").contains(" public | test      | table | postgres\n"));
    assert!(run("\\du").contains("postgres"));
    assert!(run("\\conninfo").contains("You are connected"));
    let (output, _) = server.psql(&["-c", "\\x", "-c", "\\timing", "-c", "SELECT 1 AS one"]).unwrap();
    assert!(output.contains("Expanded display is on.") && output.contains("one | 1"), "{output}");
    assert!(output.contains("Time: "), "{output}");
    let (_, errors) = server.psql(&["-c", "SELECT * FROM nosuch"]).unwrap();
    assert!(errors.contains("relation \"nosuch\" does not exist"), "{errors}");
}

#[tokio::test(flavor = "multi_thread")]
async fn copy_takes_and_gives_rows() {
    let server = Server::start(&[]);
    let client = server.connect().await;
    client.batch_execute("CREATE TABLE c(id int, t text, n numeric(6,2) DEFAULT 1.5)").await.unwrap();
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| dir.path().join(name).display().to_string();
    std::fs::write(file("text"), "1\tone\\ttab\t1.00\n2\t\\N\t\\N\n3\t\t-2.5\n").unwrap();
    std::fs::write(file("csv"), "id,t\n4,\"a,\"\"b\"\"\nc\"\n5,\n6,\"\"\n").unwrap();
    let copy = |command: String| server.psql(&["-A", "-t", "-c", &command]);
    let Some((out, errors)) = copy(format!("\\copy c from '{}'", file("text"))) else { return };
    assert_eq!((out.trim(), errors.as_str()), ("COPY 3", ""));
    let (out, errors) = copy(format!("\\copy c(id, t) from '{}' with (format csv, header)", file("csv"))).unwrap();
    assert_eq!((out.trim(), errors.as_str()), ("COPY 3", ""));
    let rows = server.psql(&["-A", "-t", "-c", "SELECT id, replace(t, chr(10), '/'), n FROM c ORDER BY id"]).unwrap().0;
    assert_eq!(rows, "1|one\ttab|1.00\n2||\n3||-2.50\n4|a,\"b\"/c|1.50\n5||1.50\n6||1.50\n");
    // And out again, as they came.
    let (out, _) = server.psql(&["-c", "COPY c TO STDOUT"]).unwrap();
    assert!(out.starts_with("1\tone\\ttab\t1.00\n2\t\\N\t\\N\n3\t\t-2.50\n"), "{out}");
    let (out, _) =
        server.psql(&["-c", "COPY (SELECT id, t FROM c WHERE id > 3 ORDER BY id) TO STDOUT CSV HEADER"]).unwrap();
    assert_eq!(out, "id,t\n4,\"a,\"\"b\"\"\nc\"\n5,\n6,\"\"\n");
    // Wrong rows are named, and none of their statement stays.
    for (data, code) in [
        ("7\tx\n", "missing data for column \"n\""),
        ("7\tx\t1\t2\n", "extra data"),
        ("x\ty\t1\n", "invalid input syntax"),
    ] {
        std::fs::write(file("bad"), format!("7\tx\t1\n{data}")).unwrap();
        let (_, errors) = copy(format!("\\copy c from '{}'", file("bad"))).unwrap();
        assert!(errors.contains(code) && errors.contains("CONTEXT:  COPY c"), "{errors}");
    }
    // The server's own files, which are superusers' to name.
    let (out, errors) = copy(format!("COPY c TO '{}'", file("own"))).unwrap();
    assert_eq!((out.trim(), errors.as_str()), ("COPY 6", ""));
    let again = format!("BEGIN; TRUNCATE c; COPY c FROM '{}'; COMMIT", file("own"));
    client.batch_execute(&again).await.unwrap();
    for (command, message) in [
        ("COPY c FROM '/etc/passwd'", "invalid input syntax"),
        ("COPY c FROM '/nowhere'", "could not open file \"/nowhere\" for reading: No such file or directory"),
        ("COPY c FROM '/etc'", "\"/etc\" is a directory"),
        ("COPY c TO 'here'", "relative path not allowed"),
        ("COPY c TO PROGRAM 'cat'", "not supported yet"),
        ("CREATE ROLE other; SET ROLE other; COPY c FROM '/etc/passwd'", "permission denied to COPY from a file"),
    ] {
        let (_, errors) = copy(command.into()).unwrap();
        assert!(errors.contains(message), "{command}: {errors}");
    }
    assert_eq!(count(&client, "c").await, 6);
    // Many rows, through a driver, in one stream.
    let sink = client.copy_in("COPY c(id, t) FROM STDIN").await.unwrap();
    let mut sink = Box::pin(sink);
    for block in 0..50 {
        let lines: String = (0..1000).map(|i| format!("{}\trow {i}\n", 1000 + block * 1000 + i)).collect();
        futures::SinkExt::send(&mut sink, bytes::Bytes::from(lines)).await.unwrap();
    }
    assert_eq!(sink.as_mut().finish().await.unwrap(), 50_000);
    assert_eq!(count(&client, "c").await, 50_006);
    let total: i64 = client.query_one("SELECT sum(id) FROM c WHERE id >= 1000", &[]).await.unwrap().get(0);
    assert_eq!(total, (1000..51_000).sum::<i64>());
    // A client that vanishes in the middle leaves nothing.
    let mut sink = Box::pin(server.connect().await.copy_in("COPY c(id) FROM STDIN").await.unwrap());
    futures::SinkExt::send(&mut sink, bytes::Bytes::from("1\n2\n")).await.unwrap();
    drop(sink);
    assert_eq!(count(&client, "c").await, 50_006);
}

/// Several tasks may take the rows of a join; an aggregate that shows their order gets them in the subquery's.
#[tokio::test(flavor = "multi_thread")]
async fn aggregates_that_show_an_order_get_it() {
    let server = Server::start(&[]);
    let client = server.connect().await;
    client
        .batch_execute(
            "CREATE TABLE a (id int PRIMARY KEY);
             CREATE TABLE b (aid int, v int);
             INSERT INTO a SELECT generate_series(1, 400);
             INSERT INTO b SELECT i % 400 + 1, i FROM generate_series(1, 40000) i;
             CREATE INDEX ON b (aid);
             ANALYZE;
             SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_sort = off; SET enable_bitmapscan = off",
        )
        .await
        .unwrap();
    let sql = "SELECT array_agg(x) = (SELECT array_agg(x ORDER BY x) FROM (SELECT aid x FROM b) o)
                 FROM (SELECT a.id x FROM a JOIN b ON b.aid = a.id ORDER BY a.id) s";
    for _ in 0..5 {
        let in_order: bool = client.query_one(sql, &[]).await.unwrap().get(0);
        assert!(in_order);
    }
    let count: i64 = client.query_one("SELECT count(*) FROM a JOIN b ON b.aid = a.id", &[]).await.unwrap().get(0);
    assert_eq!(count, 40_000);
}
