//! CREATE INDEX, REINDEX and DROP INDEX CONCURRENTLY beside sessions that insert, update keys, delete and roll back all the time:
//! no session is kept waiting, and the indexes have all rows and no others.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use testkit::{Server, code};
use tokio_postgres::Client;

async fn number(client: &Client, query: &str) -> i64 {
    client.query_one(query, &[]).await.unwrap().get(0)
}

/// A session that changes rows of its own until it is told to stop. Every key that it gives is new.
async fn write(client: Client, own: i32, stop: Arc<AtomicBool>, done: Arc<AtomicU64>) {
    let mut next = own;
    while !stop.load(Ordering::Relaxed) {
        let (a, b) = (next, next + 1000);
        next += 2000;
        let end = if next / 2000 % 3 == 0 { "ROLLBACK" } else { "COMMIT" };
        let statements = format!(
            "BEGIN;
             INSERT INTO t VALUES ({a}, {a} % 100, 'new'), ({b}, {b} % 100, 'new');
             UPDATE t SET id = -id, k = k + 1 WHERE id = {b};
             UPDATE t SET k = (k + 7) % 100 WHERE id = {own}0000;
             DELETE FROM t WHERE id = {a} AND k % 2 = 0;
             {end}"
        );
        client.batch_execute(&statements).await.unwrap();
        done.fetch_add(1, Ordering::Relaxed);
    }
}

/// Every index gives what the table has.
async fn check(client: &Client) {
    let sums = |what: &str| {
        format!("SELECT count(*) || ' ' || coalesce(sum(id), 0) || ' ' || coalesce(sum(k), 0) FROM t {what}")
    };
    let mut found = Vec::new();
    client.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ").await.unwrap();
    for (on, off, condition) in [
        ("enable_seqscan", "enable_indexscan, enable_indexonlyscan, enable_bitmapscan", "k >= 0"),
        ("enable_indexscan", "enable_seqscan, enable_bitmapscan", "k >= 0"),
        ("enable_bitmapscan", "enable_seqscan, enable_indexscan, enable_indexonlyscan", "k >= 0"),
    ] {
        client.batch_execute(&format!("SET {on} = on")).await.unwrap();
        for off in off.split(", ") {
            client.batch_execute(&format!("SET {off} = off")).await.unwrap();
        }
        let query = sums(&format!("WHERE {condition}"));
        let sum: String = client.query_one(&query, &[]).await.unwrap().get(0);
        found.push(sum);
    }
    assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "{found:?}");
    let by_key =
        number(client, "SELECT count(*) FROM t a WHERE EXISTS (SELECT FROM t b WHERE b.id = a.id AND b.k = a.k)").await;
    assert_eq!(by_key, number(client, "SELECT count(*) FROM t").await);
    assert_eq!(number(client, "SELECT count(*) - count(DISTINCT id) FROM t").await, 0);
    client.batch_execute("ROLLBACK").await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn indexes_come_and_go_beside_writers() {
    let server = Server::start(&[]);
    let client = server.connect().await;
    client
        .batch_execute(
            "CREATE TABLE t (id int, k int, v text);
             INSERT INTO t SELECT i * 10000, i % 100, md5(i::text) FROM generate_series(1, 20000) i",
        )
        .await
        .unwrap();
    let (stop, done) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let mut writers = tokio::task::JoinSet::new();
    for own in 1..=4 {
        writers.spawn(write(server.connect().await, own, stop.clone(), done.clone()));
    }
    for _ in 0..4 {
        client.batch_execute("CREATE UNIQUE INDEX CONCURRENTLY t_id ON t (id)").await.unwrap();
        client.batch_execute("CREATE INDEX CONCURRENTLY t_k ON t (k)").await.unwrap();
        check(&client).await;
        client.batch_execute("REINDEX TABLE CONCURRENTLY t").await.unwrap();
        check(&client).await;
        client.batch_execute("VACUUM t").await.unwrap();
        check(&client).await;
        let before = done.load(Ordering::Relaxed);
        client.batch_execute("REINDEX INDEX CONCURRENTLY t_id").await.unwrap();
        // Writers went on meanwhile, or at once.
        while done.load(Ordering::Relaxed) == before {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        assert_eq!(number(&client, "SELECT count(*) FROM pg_index WHERE NOT indisvalid").await, 0);
        client.batch_execute("DROP INDEX CONCURRENTLY t_id").await.unwrap();
        client.batch_execute("DROP INDEX CONCURRENTLY t_k").await.unwrap();
    }
    stop.store(true, Ordering::Relaxed);
    while let Some(writer) = writers.join_next().await {
        writer.unwrap();
    }
}

/// Waits until a session waits for another one's transaction.
async fn until_waiting(client: &Client) {
    while number(client, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'virtualxid'").await == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_those_write_who_do_not_know_the_index_gets_into_it() {
    let server = Server::start(&[]);
    let (client, writer) = (server.connect().await, server.connect().await);
    client
        .batch_execute("CREATE TABLE t (id int, v text); INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')")
        .await
        .unwrap();
    writer.batch_execute("BEGIN; INSERT INTO t VALUES (4, 'd'); UPDATE t SET id = 20 WHERE id = 2").await.unwrap();
    let builder = server.connect().await;
    let building = tokio::spawn(async move {
        builder.batch_execute("CREATE UNIQUE INDEX CONCURRENTLY t_id ON t (id)").await.map(|()| builder)
    });
    until_waiting(&client).await;
    let phase = "SELECT phase || ' ' || lockers_total || ' ' || lockers_done FROM pg_stat_progress_create_index";
    let phase: String = client.query_one(phase, &[]).await.unwrap().get(0);
    assert_eq!(phase, "waiting for writers before validation 1 0");
    // It is kept up to date, and is not looked into.
    client.batch_execute("INSERT INTO t VALUES (5, 'e')").await.unwrap();
    assert_eq!(code(&client.batch_execute("INSERT INTO t VALUES (1, 'x')").await.unwrap_err()), "23505");
    assert_eq!(
        number(&client, "SELECT count(*) FROM pg_index WHERE indexrelid = 't_id'::regclass AND indisvalid").await,
        0
    );
    writer.batch_execute("UPDATE t SET id = 30 WHERE id = 3; COMMIT").await.unwrap();
    let builder = building.await.unwrap().unwrap();
    client.batch_execute("SET enable_seqscan = off").await.unwrap();
    for (id, rows) in [(1, 1), (2, 0), (3, 0), (4, 1), (5, 1), (20, 1), (30, 1)] {
        assert_eq!(number(&client, &format!("SELECT count(*) FROM t WHERE id = {id}")).await, rows, "{id}");
    }
    for id in [1, 4, 5, 20, 30] {
        let twice = client.batch_execute(&format!("INSERT INTO t VALUES ({id}, 'twice')")).await;
        assert_eq!(code(&twice.unwrap_err()), "23505");
    }
    client.batch_execute("INSERT INTO t VALUES (2, 'b'), (3, 'c')").await.unwrap();

    // A duplicate that comes from a session that does not know the index leaves one that is not valid.
    builder.batch_execute("DROP INDEX CONCURRENTLY t_id").await.unwrap();
    writer.batch_execute("BEGIN; INSERT INTO t VALUES (4, 'again')").await.unwrap();
    let building = tokio::spawn(async move {
        let outcome = builder.batch_execute("CREATE UNIQUE INDEX CONCURRENTLY t_id ON t (id)").await;
        (builder, outcome)
    });
    until_waiting(&client).await;
    writer.batch_execute("COMMIT").await.unwrap();
    let (builder, outcome) = building.await.unwrap();
    assert_eq!(code(&outcome.unwrap_err()), "23505");
    let invalid = "SELECT count(*) FROM pg_index WHERE indexrelid = 't_id'::regclass AND NOT indisvalid";
    assert_eq!(number(&client, invalid).await, 1);
    assert_eq!(number(&client, "SELECT count(*) FROM t WHERE id = 4").await, 2);
    client.batch_execute("DELETE FROM t WHERE v = 'again'; REINDEX INDEX CONCURRENTLY t_id").await.unwrap_err();
    client.batch_execute("DELETE FROM t WHERE v = 'again'").await.unwrap();
    client.batch_execute("REINDEX INDEX CONCURRENTLY t_id").await.unwrap();
    assert_eq!(number(&client, invalid).await, 0);

    // A cancelled one lets the table go, and the session lives on.
    writer.batch_execute("BEGIN; INSERT INTO t VALUES (100, 'x')").await.unwrap();
    let token = builder.cancel_token();
    let building = tokio::spawn(async move {
        let outcome = builder.batch_execute("CREATE INDEX CONCURRENTLY t_v ON t (v)").await;
        (builder, outcome)
    });
    until_waiting(&client).await;
    token.cancel_query(tokio_postgres::NoTls).await.unwrap();
    let (builder, outcome) = building.await.unwrap();
    assert_eq!(code(&outcome.unwrap_err()), "57014");
    writer.batch_execute("COMMIT").await.unwrap();
    client.batch_execute("ALTER TABLE t ADD COLUMN w int; DROP INDEX t_v").await.unwrap();
    client.batch_execute("VACUUM t").await.unwrap();
    builder.batch_execute("CREATE INDEX CONCURRENTLY ON t (v)").await.unwrap();
    assert_eq!(code(&builder.batch_execute("BEGIN; CREATE INDEX CONCURRENTLY ON t (v)").await.unwrap_err()), "25001");
}
