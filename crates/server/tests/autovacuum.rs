//! Tables are vacuumed and analyzed by themselves, and no session waits for that.

use std::time::Duration;

use testkit::Server;
use tokio_postgres::Client;

async fn row(client: &Client, sql: &str) -> String {
    let row = client.query_one(sql, &[]).await.unwrap();
    row.get(0)
}

/// Asks until the answer is yes.
async fn until(client: &Client, sql: &str) {
    for _ in 0..300 {
        if row(client, &format!("SELECT ({sql})::text")).await == "true" {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let state = row(client, "SELECT string_agg(concat_ws(' ', relname, n_live_tup, n_dead_tup, n_mod_since_analyze, n_ins_since_vacuum, autovacuum_count, autoanalyze_count), E'\\n') FROM pg_stat_user_tables").await;
    panic!("it never comes to be: {sql}\n{state}");
}

const ON: [&str; 4] = ["--set", "autovacuum=on", "--set", "autovacuum_naptime=1"];

#[tokio::test(flavor = "multi_thread")]
async fn tables_with_changes_are_vacuumed_and_analyzed() {
    let server = Server::start(&ON);
    let client = server.connect().await;
    client
        .batch_execute(
            "CREATE TABLE t (id int PRIMARY KEY, k int);
             CREATE TABLE left_alone (id int) WITH (autovacuum_enabled = off);
             INSERT INTO t SELECT i, i % 100 FROM generate_series(1, 5000) i;
             INSERT INTO left_alone SELECT generate_series(1, 5000)",
        )
        .await
        .unwrap();
    until(
        &client,
        "SELECT autovacuum_count > 0 AND autoanalyze_count > 0 FROM pg_stat_user_tables WHERE relname = 't'",
    )
    .await;
    until(&client, "SELECT reltuples = 5000 AND relallvisible = relpages FROM pg_class WHERE relname = 't'").await;
    until(&client, "SELECT count(*) = 2 FROM pg_stats WHERE tablename = 't'").await;
    client.batch_execute("UPDATE t SET k = k + 1; DELETE FROM t WHERE id > 3000").await.unwrap();
    assert_eq!(
        row(&client, "SELECT (n_tup_ins, n_tup_upd, n_tup_del)::text FROM pg_stat_user_tables WHERE relname = 't'")
            .await,
        "(5000,5000,2000)"
    );
    until(&client, "SELECT n_dead_tup = 0 AND n_mod_since_analyze = 0 FROM pg_stat_user_tables WHERE relname = 't'")
        .await;
    until(&client, "SELECT reltuples = 3000 FROM pg_class WHERE relname = 't'").await;
    let alone = "SELECT autovacuum_count + autoanalyze_count = 0 AND n_tup_ins = 5000 AND last_autovacuum IS NULL
                   FROM pg_stat_user_tables WHERE relname = 'left_alone'";
    until(&client, alone).await;
    // The blocks at the end go after a checkpoint: recovery needs them until then.
    client.batch_execute("DELETE FROM t WHERE id > 100").await.unwrap();
    until(&client, "SELECT n_dead_tup = 0 FROM pg_stat_user_tables WHERE relname = 't'").await;
    let mut tries = 0;
    while row(&client, "SELECT (pg_relation_size('t') <= 3 * 8192)::text").await != "true" {
        client.batch_execute("CHECKPOINT").await.unwrap();
        tokio::time::sleep(Duration::from_millis(300)).await;
        tries += 1;
        assert!(tries < 100, "the blocks at the end stay");
    }
    assert_eq!(row(&client, "SELECT count(*)::text FROM t WHERE id > 0").await, "100");
}

/// A VACUUM that rests for most of its time ends as soon as a session wants the table.
#[tokio::test(flavor = "multi_thread")]
async fn nobody_waits_for_an_autovacuum() {
    let slow = ["--set", "autovacuum_vacuum_cost_delay=100", "--set", "autovacuum_vacuum_cost_limit=1"];
    let mut server = Server::start(&[&ON[..], &slow[..]].concat());
    let client = server.connect().await;
    client
        .batch_execute(
            "CREATE TABLE t (v text); INSERT INTO t SELECT repeat('x', 500) FROM generate_series(1, 20000) i",
        )
        .await
        .unwrap();
    let at_work = "SELECT count(*) > 0 FROM pg_stat_activity
                    WHERE backend_type = 'autovacuum worker' AND query LIKE 'autovacuum: VACUUM%public.t'";
    until(&client, at_work).await;
    let alter = client.batch_execute("ALTER TABLE t ADD COLUMN n int");
    tokio::time::timeout(Duration::from_secs(20), alter).await.expect("it waits").unwrap();
    until(&client, at_work).await;
    drop(client);
    assert!(server.stop(), "the server waits for it");
}

/// A database goes though a worker is at work in it, and leaves nothing that a checkpoint would look for.
#[tokio::test(flavor = "multi_thread")]
async fn databases_are_dropped_under_an_autovacuum() {
    let slow = ["--set", "autovacuum_vacuum_cost_delay=100", "--set", "autovacuum_vacuum_cost_limit=1"];
    let mut server = Server::start(&[&ON[..], &slow[..]].concat());
    let client = server.connect().await;
    client.batch_execute("CREATE DATABASE d").await.unwrap();
    let inside = server.connect_to("d").await.unwrap();
    inside
        .batch_execute(
            "CREATE TABLE t (v text); INSERT INTO t SELECT repeat('x', 500) FROM generate_series(1, 20000) i",
        )
        .await
        .unwrap();
    drop(inside);
    let at_work = "SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'autovacuum worker' AND datname = 'd'
                      AND (SELECT count(*) FROM pg_stat_activity WHERE datname = 'd') = 1";
    until(&client, at_work).await;
    client.batch_execute("DROP DATABASE d").await.unwrap();
    client.batch_execute("CHECKPOINT").await.unwrap();
    until(&client, "SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'autovacuum worker'").await;
    drop(client);
    assert!(server.stop());
}

/// What was counted outlives the server, and the table's file; after a crash it is as of the last checkpoint.
#[tokio::test(flavor = "multi_thread")]
async fn counters_outlive_the_server() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("data");
    let mut server = Server::start_in(&root, &[]);
    let client = server.connect().await;
    client
        .batch_execute(
            "CREATE TABLE t (id int PRIMARY KEY, k int);
             INSERT INTO t SELECT i, i FROM generate_series(1, 500) i;
             CREATE TABLE quiet (id int)",
        )
        .await
        .unwrap();
    client.batch_execute("VACUUM ANALYZE t").await.unwrap();
    client.batch_execute("UPDATE t SET k = 0 WHERE id <= 100; DELETE FROM t WHERE id > 450").await.unwrap();
    let counted =
        "SELECT (n_tup_ins, n_tup_upd, n_tup_del, n_dead_tup, n_mod_since_analyze, vacuum_count, analyze_count,
                           last_vacuum > now() - interval '1 day', last_autovacuum)::text
                     FROM pg_stat_user_tables WHERE relname = 't'";
    let expected = "(500,100,50,150,150,1,1,t,)";
    assert_eq!(row(&client, counted).await, expected);
    assert!(server.stop());
    let mut server = Server::start_in(&root, &[]);
    let client = server.connect().await;
    assert_eq!(row(&client, counted).await, expected);
    client.batch_execute("DELETE FROM t WHERE id <= 10").await.unwrap();
    client.batch_execute("CHECKPOINT").await.unwrap();
    client.batch_execute("DELETE FROM t WHERE id <= 20").await.unwrap();
    server.kill();
    let server = Server::start_in(&root, &["--set", "autovacuum=on", "--set", "autovacuum_naptime=1"]);
    let client = server.connect().await;
    // 160 are more than 50 and a fifth of 500: no session has to change anything once more.
    until(&client, "SELECT autovacuum_count > 0 FROM pg_stat_user_tables WHERE relname = 't'").await;
    client.batch_execute("TRUNCATE t").await.unwrap();
    let emptied =
        "SELECT (n_tup_ins, n_tup_del, n_dead_tup, vacuum_count)::text FROM pg_stat_user_tables WHERE relname = 't'";
    client.batch_execute("INSERT INTO t VALUES (1, 1)").await.unwrap();
    assert_eq!(row(&client, emptied).await, "(501,60,0,1)");
    let quiet = "SELECT (n_tup_ins, vacuum_count, last_vacuum)::text FROM pg_stat_user_tables WHERE relname = 'quiet'";
    assert_eq!(row(&client, quiet).await, "(0,0,)");
}
