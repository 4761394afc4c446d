//! VACUUM: the room of deleted rows is used again, by any session and after restarts and crashes, and VACUUM FULL leaves nothing
//! behind.

use bytes::Bytes;
use futures::SinkExt;
use testkit::{Server, code};
use tokio_postgres::Client;

async fn number(client: &Client, query: &str) -> i64 {
    client.query_one(query, &[]).await.unwrap().get(0)
}

async fn size(client: &Client) -> i64 {
    number(client, "SELECT pg_relation_size('t')").await
}

const INSERT: &str = "INSERT INTO t SELECT i, repeat(md5(i::text), 3) FROM generate_series(1, 20000) i";

async fn fill(client: &Client) {
    client
        .batch_execute("CREATE TABLE t (id int, v text); CREATE INDEX t_id ON t (id); BEGIN; DELETE FROM t")
        .await
        .unwrap();
    client.batch_execute(INSERT).await.unwrap();
    client.batch_execute("COMMIT").await.unwrap();
}

/// Rows by the table and by its index.
async fn check(client: &Client, of_each: i64, ids: i64) {
    assert_eq!(number(client, "SELECT count(*) FROM t").await, of_each * ids);
    client.batch_execute("SET enable_seqscan = off").await.unwrap();
    assert_eq!(number(client, "SELECT count(*) FROM t WHERE id BETWEEN 1 AND 20000").await, of_each * ids);
    assert_eq!(number(client, "SELECT count(*) FROM t WHERE id = 10000 AND v LIKE md5('10000') || '%'").await, of_each);
    client.batch_execute("RESET enable_seqscan").await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn room_is_used_again_after_restarts_and_crashes() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("data");
    let mut server = Server::start_in(&root, &[]);
    let client = server.connect().await;
    fill(&client).await;
    let full = size(&client).await;
    for stop in ["not at all", "in good order", "by a crash"] {
        // Every other row goes, so that no page is empty.
        let client = server.connect().await;
        client.batch_execute("DELETE FROM t WHERE id % 2 = 1").await.unwrap();
        client.batch_execute("VACUUM t").await.unwrap();
        let emptied = size(&client).await;
        if stop == "not at all" {
            // All pages were looked at: rows that were moved on for want of room, and back, are counted once.
            assert_eq!(number(&client, "SELECT reltuples::bigint FROM pg_class WHERE relname = 't'").await, 10_000);
        }
        client.batch_execute("CHECKPOINT").await.unwrap();
        drop(client);
        match stop {
            "in good order" => assert!(server.stop()),
            "by a crash" => server.kill(),
            _ => {}
        }
        if stop != "not at all" {
            server = Server::start_in(&root, &[]);
        }
        let clients = [server.connect().await, server.connect().await, server.connect().await];
        for (at, client) in clients.iter().enumerate() {
            let insert = format!("{INSERT} WHERE i % 2 = 1 AND i / 2 % 3 = {at}");
            client.batch_execute(&insert).await.unwrap();
        }
        check(&clients[0], 1, 20_000).await;
        let now = size(&clients[0]).await;
        // Rows that come one by one take some room for the transaction that made them.
        assert!(now <= emptied + emptied / 6, "{now} bytes, {emptied} before ({stop})");
        assert!(now <= full + full / 10, "{now} bytes, {full} at first ({stop})");
    }
}

/// A statement that changes rows all over a table's full pages, and what becomes of them: committed, rolled back, lost in a crash,
/// and seen by a snapshot from before.
#[tokio::test(flavor = "multi_thread")]
async fn changes_here_and_there_need_no_more_pages() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("data");
    let mut server = Server::start_in(&root, &[]);
    // Few rows a page, and many.
    for (at, rest) in ["repeat(md5(i::text), 3)", "md5(i::text)", "null::text"].into_iter().enumerate() {
        let client = server.connect().await;
        let table = format!("here_and_there_{at}");
        let of = |query: &str| query.replace(" t", &format!(" {table}"));
        let fill = of("CREATE TABLE t AS SELECT i AS id, 1 AS n, REST AS v FROM generate_series(1, 20000) i; VACUUM t");
        for statement in fill.replace("REST", rest).split("; ") {
            client.batch_execute(statement).await.unwrap();
        }
        let size = format!("SELECT pg_relation_size('{table}')");
        let full = number(&client, &size).await;
        let sums = of("SELECT (sum(id::int8 * n) + 1000000007 * count(*) + coalesce(sum(length(v)), 0))::int8 FROM t");
        let before = number(&client, &sums).await;

        let old = server.connect().await;
        old.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ").await.unwrap();
        assert_eq!(number(&old, &sums).await, before);
        let change = of("DELETE FROM t WHERE id % 5 = 0; UPDATE t SET n = 2 WHERE id % 3 = 0");
        client.batch_execute(&of("BEGIN; UPDATE t SET n = 2 WHERE id % 3 = 0; ROLLBACK")).await.unwrap();
        assert_eq!(number(&client, &size).await, full, "one finds room on all pages");
        client.batch_execute(&format!("BEGIN; {change}; ROLLBACK")).await.unwrap();
        assert_eq!(number(&client, &sums).await, before, "taken back");
        client.batch_execute("BEGIN; SAVEPOINT a").await.unwrap();
        client.batch_execute(&change).await.unwrap();
        let changed = number(&client, &sums).await;
        assert_ne!(changed, before);
        client.batch_execute(&format!("ROLLBACK TO a; {change}; COMMIT")).await.unwrap();
        assert_eq!(number(&client, &sums).await, changed);
        assert_eq!(number(&old, &sums).await, before, "as of then");
        if at < 2 {
            assert_eq!(number(&client, &size).await, full, "two versions in use beside the old ones find room");
        }
        let again = of("UPDATE t SET n = n + 1 WHERE id % 7 < 2");
        client.batch_execute(&again).await.unwrap();
        let changed = number(&client, &sums).await;
        assert_eq!(number(&old, &sums).await, before, "as of then");
        drop(old);

        // Unfinished when the server dies.
        let lost = server.connect().await;
        lost.batch_execute(&format!("BEGIN; {change}; {again}")).await.unwrap();
        client.batch_execute("CHECKPOINT").await.unwrap();
        server.kill();
        server = Server::start_in(&root, &[]);
        let client = server.connect().await;
        assert_eq!(number(&client, &sums).await, changed, "after a crash");
        client.batch_execute(&of("VACUUM t")).await.unwrap();
        let refill = of("INSERT INTO t SELECT i, 1, REST FROM generate_series(5, 20000, 5) i").replace("REST", rest);
        client.batch_execute(&format!("BEGIN; {refill}; ROLLBACK; {refill}")).await.unwrap();
        client.batch_execute(&of("UPDATE t SET n = 1")).await.unwrap();
        assert_eq!(number(&client, &sums).await, before, "as it was at first");
        let now = number(&client, &size).await;
        assert!(now <= full + full / 10, "{now} bytes, {full} at first");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn full_writes_the_table_anew_and_options_are_postgresqls() {
    let server = Server::start(&[]);
    let client = server.connect().await;
    fill(&client).await;
    let full = size(&client).await;
    client.batch_execute("DELETE FROM t WHERE id % 10 < 8").await.unwrap();
    client.batch_execute("VACUUM (FULL, ANALYZE) t").await.unwrap();
    let now = size(&client).await;
    assert!(now < full / 4, "{now} of {full} bytes");
    assert_eq!(number(&client, "SELECT count(*) FROM t WHERE id BETWEEN 1 AND 100").await, 20);
    assert_eq!(number(&client, "SELECT reltuples::bigint FROM pg_class WHERE relname = 't'").await, 4000);
    for accepted in [
        "FREEZE",
        "DISABLE_PAGE_SKIPPING",
        "INDEX_CLEANUP off",
        "INDEX_CLEANUP auto",
        "PROCESS_MAIN off",
        "PROCESS_TOAST off",
        "BUFFER_USAGE_LIMIT '256kB'",
        "BUFFER_USAGE_LIMIT 0",
        "PARALLEL 2",
        "VERBOSE, TRUNCATE",
    ] {
        client.batch_execute(&format!("VACUUM ({accepted}) t")).await.unwrap();
    }
    for (refused, expected) in [
        ("FULL, DISABLE_PAGE_SKIPPING", "0A000"),
        ("FULL, PROCESS_TOAST off", "0A000"),
        ("FULL, BUFFER_USAGE_LIMIT '1MB'", "0A000"),
        ("BUFFER_USAGE_LIMIT '16kB'", "22023"),
        ("BUFFER_USAGE_LIMIT 'much'", "22023"),
        ("NONSENSE", "42601"),
    ] {
        let error = client.batch_execute(&format!("VACUUM ({refused}) t")).await.unwrap_err();
        assert_eq!(code(&error), expected, "{refused}");
    }
    // Pages that are at rest are passed by, and counted all the same.
    client.batch_execute("VACUUM t").await.unwrap();
    client.batch_execute("VACUUM t").await.unwrap();
    assert_eq!(number(&client, "SELECT reltuples::bigint FROM pg_class WHERE relname = 't'").await, 4000);
    assert_eq!(number(&client, "SELECT count(*) FROM pg_stat_progress_vacuum").await, 0);
}

/// A load reserves blocks ahead, and gives back what it does not need: rows that others put there are theirs.
#[tokio::test(flavor = "multi_thread")]
async fn a_load_that_ends_badly_takes_nobody_elses_rows() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("data");
    let mut server = Server::start_in(&root, &[]);
    let (loader, other) = (server.connect().await, server.connect().await);
    loader.batch_execute("CREATE TABLE t (id int, v text)").await.unwrap();
    let load = "INSERT INTO t SELECT -i, repeat(md5(i::text), 3) FROM generate_series(1, 3000) i";
    let insert = "INSERT INTO t SELECT i, repeat('x', 500) FROM generate_series(1, 900) i";
    loader.batch_execute(&format!("BEGIN; {load}")).await.unwrap();
    other.batch_execute(insert).await.unwrap();
    loader.batch_execute("ROLLBACK").await.unwrap();
    assert_eq!(number(&other, "SELECT count(*) FROM t WHERE id > 0").await, 900);
    assert_eq!(number(&other, "SELECT count(*) FROM t").await, 900);

    loader.batch_execute(&format!("BEGIN; {load}")).await.unwrap();
    other.batch_execute(insert).await.unwrap();
    server.kill();
    let server = Server::start_in(&root, &[]);
    let client = server.connect().await;
    assert_eq!(number(&client, "SELECT count(*) FROM t WHERE id > 0").await, 1800);
    assert_eq!(number(&client, "SELECT count(*) FROM t").await, 1800);
}

/// The loader's own changes, taken back, and VACUUM make room on its pages, which is no other session's until it has
/// committed.
#[tokio::test(flavor = "multi_thread")]
async fn room_on_the_pages_of_a_load_is_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("data");
    let mut server = Server::start_in(&root, &[]);
    let (loader, other) = (server.connect().await, server.connect().await);
    other.batch_execute("CREATE TABLE t (id int, v text); INSERT INTO t VALUES (0, '')").await.unwrap();
    other.batch_execute("VACUUM t").await.unwrap();
    let load = "BEGIN;
        INSERT INTO t SELECT -i, repeat('a', 100) FROM generate_series(1, 20000) i;
        SAVEPOINT s;
        UPDATE t SET v = 'x' WHERE id % 2 = 0;
        DELETE FROM t WHERE id % 3 = 0;
        ROLLBACK TO s;
        UPDATE t SET v = 'x';
        UPDATE t SET v = repeat('c', 10);
        SAVEPOINT s;
        UPDATE t SET v = 'y';
        ROLLBACK TO s";
    let insert = "INSERT INTO t SELECT i, 'mine' FROM generate_series(1, 100) i";
    loader.batch_execute(load).await.unwrap();
    other.batch_execute("VACUUM t").await.unwrap();
    for _ in 0..20 {
        other.batch_execute(insert).await.unwrap();
    }
    loader.batch_execute("ROLLBACK").await.unwrap();
    assert_eq!(number(&other, "SELECT count(*) FROM t WHERE v = 'mine'").await, 2000);
    assert_eq!(number(&other, "SELECT count(*) FROM t").await, 2001);

    loader.batch_execute(load).await.unwrap();
    other.batch_execute("VACUUM t").await.unwrap();
    for _ in 0..20 {
        other.batch_execute(insert).await.unwrap();
    }
    server.kill();
    let server = Server::start_in(&root, &[]);
    let client = server.connect().await;
    assert_eq!(number(&client, "SELECT count(*) FROM t WHERE v = 'mine'").await, 4000);
    // Where a load has committed, all sessions may use its room.
    client.batch_execute(&load.replace("ROLLBACK TO s", "RELEASE s")).await.unwrap();
    client.batch_execute("COMMIT").await.unwrap();
    client.batch_execute("VACUUM t").await.unwrap();
    let blocks = "SELECT pg_relation_size('t') / 8192";
    let before = number(&client, blocks).await;
    client.batch_execute(insert).await.unwrap();
    assert_eq!(number(&client, blocks).await, before);
}

/// An older snapshot is told, rather than that it sees nothing.
#[tokio::test(flavor = "multi_thread")]
async fn an_older_snapshot_is_told_of_a_table_written_anew() {
    let server = Server::start(&[]);
    let (client, old) = (server.connect().await, server.connect().await);
    client.batch_execute("CREATE TABLE t (id int); INSERT INTO t SELECT generate_series(1, 100)").await.unwrap();
    old.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1").await.unwrap();
    client.batch_execute("VACUUM FULL t").await.unwrap();
    assert_eq!(code(&old.query("SELECT * FROM t", &[]).await.unwrap_err()), "40001");
    old.batch_execute("ROLLBACK").await.unwrap();
    assert_eq!(number(&old, "SELECT count(*) FROM t").await, 100);
}

/// What is at the end of a table and has no rows goes back to the file system, with its indexes and long values right, also after a
/// crash: recovery comes by none of it.
#[tokio::test(flavor = "multi_thread")]
async fn blocks_at_the_end_are_given_back() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("data");
    let mut server = Server::start_in(&root, &[]);
    let client = server.connect().await;
    fill(&client).await;
    // Loaded in bulk, and with long values.
    let load = "SELECT i, (SELECT string_agg(md5((i * j)::text), '') FROM generate_series(1, 150) j) FROM generate_series(1, 2000) i";
    client.batch_execute("CREATE TABLE long (id int, v text STORAGE EXTERNAL)").await.unwrap();
    client.batch_execute(&format!("INSERT INTO long {load}")).await.unwrap();
    let long_size = "SELECT pg_total_relation_size('long')";
    let (full, long) = (size(&client).await, number(&client, long_size).await);
    client.batch_execute("DELETE FROM t WHERE id > 5000; DELETE FROM long").await.unwrap();
    for command in [
        "VACUUM (TRUNCATE off) t",
        "SET vacuum_truncate = off",
        "VACUUM t",
        "RESET vacuum_truncate",
        "ALTER TABLE t SET (vacuum_truncate = off)",
        "VACUUM t",
        "ALTER TABLE t RESET (vacuum_truncate)",
    ] {
        client.batch_execute(command).await.unwrap();
    }
    assert_eq!(size(&client).await, full, "it was told not to");

    // Not while a session uses the table, which waits for nothing.
    let reader = server.connect().await;
    reader.batch_execute("BEGIN; SELECT FROM t LIMIT 1").await.unwrap();
    client.batch_execute("VACUUM t").await.unwrap();
    assert_eq!(size(&client).await, full, "a reader is in the way");
    reader.batch_execute("COMMIT").await.unwrap();
    for table in ["t", "long"] {
        client.batch_execute(&format!("VACUUM {table}")).await.unwrap();
    }
    let (cut, long_cut) = (size(&client).await, number(&client, long_size).await);
    assert!(cut < full / 3, "{cut} of {full} bytes are left");
    assert!(long_cut < long / 20, "{long_cut} of {long} bytes are left");

    // The blocks come back: row by row, and in bulk, of a load that stays and of one that does not.
    client.batch_execute(&format!("{INSERT} WHERE i > 5000")).await.unwrap();
    client.batch_execute(&format!("INSERT INTO long {load}")).await.unwrap();
    let loader = server.connect().await;
    loader.batch_execute(&format!("BEGIN; INSERT INTO long {load}")).await.unwrap();
    server.kill();
    let server = Server::start_in(&root, &[]);
    let client = server.connect().await;
    check(&client, 1, 20_000).await;
    assert_eq!(number(&client, "SELECT count(*) FROM long WHERE length(v) = 4800").await, 2000);
    assert_eq!(number(&client, "SELECT count(*) FROM long").await, 2000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_that_is_loaded_into_and_deleted_from_stays_as_it_is() {
    let server = Server::start(&["--set", "autovacuum=off"]);
    let client = server.connect().await;
    for index in ["", "CREATE INDEX ON t (id)"] {
        client.batch_execute(&format!("CREATE TABLE t (id int, v text); {index}")).await.unwrap();
        let load = |from: i64| {
            format!("INSERT INTO t SELECT i, repeat(md5(i::text), 3) FROM generate_series({from}, {from} + 29999) i")
        };
        let mut sizes = Vec::new();
        for round in 0..8 {
            client.batch_execute(&load(round * 30_000)).await.unwrap();
            // The last three rounds' rows stay.
            client.batch_execute(&format!("DELETE FROM t WHERE id < {}", (round - 2) * 30_000)).await.unwrap();
            client.batch_execute("VACUUM t").await.unwrap();
            sizes.push(size(&client).await);
        }
        assert_eq!(number(&client, "SELECT count(*) FROM t").await, 90_000);
        client.batch_execute("SET enable_seqscan = off").await.unwrap();
        assert_eq!(number(&client, "SELECT count(*) FROM t WHERE id BETWEEN 160000 AND 229999").await, 70_000);
        client.batch_execute("RESET enable_seqscan").await.unwrap();
        assert!(sizes[7] <= sizes[3] * 11 / 10, "{sizes:?} with {index:?}");
        client.batch_execute("DROP TABLE t").await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn frozen_rows_leave_vacuum_nothing_to_do() {
    let server = Server::start(&["--set", "autovacuum=off"]);
    let (client, other) = (server.connect().await, server.connect().await);
    let copy = |freeze: &'static str| {
        let client = &client;
        async move {
            let sink = client.copy_in::<_, Bytes>(&format!("COPY t FROM STDIN ({freeze})")).await.unwrap();
            let rows: String = (0..20_000).map(|number| format!("{number}\t{number}\n")).collect();
            let mut sink = std::pin::pin!(sink);
            sink.send(Bytes::from(rows)).await.unwrap();
            sink.as_mut().finish().await.unwrap();
        }
    };
    let written = "SELECT full_page_images + records FROM (SELECT wal_fpi AS full_page_images, wal_records AS records FROM pg_stat_wal)";
    client.batch_execute("CREATE TABLE u (); BEGIN; CREATE TABLE t (id int PRIMARY KEY, v text)").await.unwrap();
    copy("FREEZE").await;
    assert_eq!(number(&client, "SELECT count(*) FROM t WHERE id = 777").await, 1);
    // What is taken back is gone, though all snapshots would see it.
    client.batch_execute("SAVEPOINT s; TRUNCATE t").await.unwrap();
    copy("FREEZE").await;
    client.batch_execute("ROLLBACK TO s; COMMIT").await.unwrap();
    assert_eq!(number(&other, "SELECT count(*) FROM t").await, 20_000);
    let before = number(&client, written).await;
    client.batch_execute("VACUUM t").await.unwrap();
    let vacuumed = number(&client, written).await - before;
    assert!(vacuumed < 20, "{vacuumed} records and full pages");
    assert_eq!(number(&other, "SELECT count(*) FROM t WHERE v = '19999'").await, 1);
}

/// What an index alone says of a table's rows after VACUUM, and by the table's rows.
async fn alone_and_by_rows(client: &Client) -> [Vec<(i32, i64)>; 2] {
    let mut found = [vec![], vec![]];
    for (found, seqscan) in found.iter_mut().zip(["off", "on"]) {
        client.batch_execute(&format!("SET enable_seqscan = {seqscan}; SET enable_bitmapscan = off")).await.unwrap();
        let rows = client.query("SELECT k, count(*) FROM t WHERE k > 0 GROUP BY k ORDER BY k", &[]).await.unwrap();
        found.extend(rows.iter().map(|row| (row.get::<_, i32>(0), row.get::<_, i64>(1))));
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn the_index_alone_is_right_after_whatever_was_done_to_rows() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("data");
    let options = ["--set", "autovacuum=off", "--set", "maintenance_work_mem=64kB"];
    let mut server = Server::start_in(&root, &options);
    let make = "CREATE TABLE t (id int PRIMARY KEY, k int, v text); CREATE INDEX t_k ON t (k);
        INSERT INTO t SELECT i, i % 5000 + 1, 'v' FROM generate_series(1, 40000) i";
    server.connect().await.batch_execute(make).await.unwrap();
    let steps = [
        "SELECT 1",
        "UPDATE t SET v = v || '.' WHERE id % 7 = 0",
        "DELETE FROM t WHERE id % 11 = 0",
        "UPDATE t SET k = k + 1 WHERE id % 13 = 0",
        // Into the room of those that are gone, before VACUUM and after.
        "DELETE FROM t WHERE id % 17 = 0; INSERT INTO t SELECT i, 77, 'new' FROM generate_series(50000, 52000) i",
        "INSERT INTO t SELECT i, 78, 'new' FROM generate_series(60000, 62000) i",
        "BEGIN; INSERT INTO t SELECT i, 79, 'none' FROM generate_series(70000, 72000) i; ROLLBACK",
        "BEGIN; INSERT INTO t SELECT i, 79, 'none' FROM generate_series(100000, 125000) i; ROLLBACK",
        "BEGIN; UPDATE t SET k = 80 WHERE id % 19 = 0; ROLLBACK",
        "BEGIN; DELETE FROM t WHERE id % 23 = 0; ROLLBACK",
        "UPDATE t SET v = repeat('long', 500) WHERE id % 29 = 0",
        "UPDATE t SET k = k - 1, v = 'short' WHERE id % 29 = 0",
        "BEGIN; DELETE FROM t WHERE id > 20000; INSERT INTO t SELECT i, 81, 'x' FROM generate_series(20001, 40000) i; COMMIT",
        "DELETE FROM t WHERE id > 30000",
        "INSERT INTO t SELECT i, 82, 'end' FROM generate_series(30001, 62000) i",
    ];
    for (at, step) in steps.iter().enumerate() {
        let client = server.connect().await;
        client.batch_execute(step).await.unwrap();
        if at % 4 == 1 {
            // What is known of stale entries comes through a crash.
            client.batch_execute("CHECKPOINT; UPDATE t SET v = 'again' WHERE id < 100").await.unwrap();
            drop(client);
            server.kill();
            server = Server::start_in(&root, &options);
        }
        let client = server.connect().await;
        client.batch_execute("VACUUM t").await.unwrap();
        let [alone, by_rows] = alone_and_by_rows(&client).await;
        assert!(alone == by_rows, "after {step}: {} and {} keys", alone.len(), by_rows.len());
        client.batch_execute("SET enable_seqscan = off").await.unwrap();
        let rows = client.query("EXPLAIN ANALYZE SELECT k FROM t WHERE k > 0", &[]).await.unwrap();
        let plan: String = rows.iter().map(|row| row.get::<_, String>(0) + "\n").collect();
        assert!(plan.contains("Index Only Scan"), "after {step}: {plan}");
        // Rows that have grown out of full pages are looked for.
        assert!(at > 0 || plan.contains("Heap Fetches: 0"), "{plan}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_made_beside_writers_is_right_alone() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("data");
    let options = ["--set", "autovacuum=off"];
    let mut server = Server::start_in(&root, &options);
    let (client, other, third) = (server.connect().await, server.connect().await, server.connect().await);
    let make = "CREATE TABLE t (id int PRIMARY KEY, k int, v text);
        INSERT INTO t SELECT i, i % 5000 + 1, 'v' FROM generate_series(1, 20000) i";
    client.batch_execute(make).await.unwrap();
    client.batch_execute("VACUUM t").await.unwrap();
    // It knows nothing of the index.
    other.batch_execute("BEGIN; UPDATE t SET k = k + 1 WHERE id % 13 = 0").await.unwrap();
    let building = async { client.batch_execute("CREATE INDEX CONCURRENTLY t_k ON t (k)").await };
    let writing = async {
        for step in 0..8 {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            other.batch_execute(&format!("UPDATE t SET k = k + 1 WHERE id % 13 = {step}")).await?;
        }
        // The log from here on has nothing of what was changed.
        third.batch_execute("CHECKPOINT").await?;
        other.batch_execute("COMMIT").await
    };
    tokio::try_join!(building, writing).unwrap();
    server.kill();
    let server = Server::start_in(&root, &options);
    let client = server.connect().await;
    client.batch_execute("VACUUM t").await.unwrap();
    let [alone, by_rows] = alone_and_by_rows(&client).await;
    assert!(alone == by_rows, "{} and {} keys", alone.len(), by_rows.len());
}

/// Nothing scans the index, and VACUUM does not come: what a row included before goes with the statement that looks for its
/// key.
#[tokio::test(flavor = "multi_thread")]
async fn entries_of_what_was_included_before_do_not_pile_up() {
    let server = Server::start(&["--set", "autovacuum=off", "--set", "synchronous_commit=off"]);
    let client = server.connect().await;
    let table = "CREATE TABLE t (id int, hits int, CONSTRAINT one UNIQUE (id) INCLUDE (hits));
                 INSERT INTO t SELECT i, 0 FROM generate_series(1, 3) i";
    client.batch_execute(table).await.unwrap();
    let upsert = "INSERT INTO t VALUES ($1, 1) ON CONFLICT (id) DO UPDATE SET hits = t.hits + excluded.hits";
    let upsert = client.prepare(upsert).await.unwrap();
    let look = client.prepare("SELECT hits FROM t WHERE id = $1").await.unwrap();
    for round in 1..=2000 {
        client.execute(&upsert, &[&(round % 3 + 1)]).await.unwrap();
        if round % 100 == 0 {
            client.query_one(&look, &[&(round % 3 + 1)]).await.unwrap();
        }
    }
    assert_eq!(number(&client, "SELECT sum(hits) FROM t").await, 2000);
    let blocks = number(&client, "SELECT pg_relation_size('one') / 8192").await;
    assert!(blocks <= 3, "{blocks} blocks for 3 rows");
    client.batch_execute("VACUUM t").await.unwrap();
    client.batch_execute("SET enable_seqscan = off; SET enable_bitmapscan = off").await.unwrap();
    assert_eq!(number(&client, "SELECT sum(hits) FROM t WHERE id > 0").await, 2000);
}
