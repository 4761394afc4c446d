//! `max_undo_size`: old snapshots and open transactions do not make the undo log grow beyond it.

use testkit::{Server, code};
use tokio_postgres::Client;

async fn number(client: &Client, query: &str) -> i64 {
    client.query_one(query, &[]).await.unwrap().get(0)
}

const TABLE: &str = "CREATE TABLE t (id int PRIMARY KEY, v text);
    INSERT INTO t SELECT i, repeat('x', 200) FROM generate_series(1, 2000) i";
/// About half a megabyte of what rows were before.
const UPDATE: &str = "UPDATE t SET v = repeat(chr(97 + ($1 % 26)), 200)";

async fn update(client: &Client, times: std::ops::Range<i32>) {
    for time in times {
        client.batch_execute(&UPDATE.replace("$1", &time.to_string())).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_oldest_snapshots_go_when_the_undo_log_is_full() {
    let server = Server::start(&["--set", "max_undo_size=4MB"]);
    let client = server.connect().await;
    client.batch_execute(TABLE).await.unwrap();
    // One is idle in a transaction, one reads all the time, one has not seen anything yet.
    let [idle, reading, fresh] = [server.connect().await, server.connect().await, server.connect().await];
    idle.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ").await.unwrap();
    assert_eq!(number(&idle, "SELECT count(*) FROM t WHERE v LIKE 'x%'").await, 2000);
    let pid = idle.query_one("SELECT pg_backend_pid()", &[]).await.unwrap().get::<_, i32>(0);
    reading.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM t").await.unwrap();
    let sleep = tokio::spawn(async move { (reading.batch_execute("SELECT pg_sleep(60)").await, reading) });
    fresh.batch_execute("BEGIN; SELECT count(*) FROM t").await.unwrap();

    update(&client, 0..3).await;
    let held = "SELECT (size BETWEEN 1 AND max_size AND kept > 1000000 AND max_size = 4 << 20
                        AND held_since < clock_timestamp())::int::bigint FROM inflight_undo WHERE holder_pid = ";
    assert_eq!(number(&client, &format!("{held}{pid}")).await, 1);
    let begun = "SELECT count(*) FROM pg_stat_activity WHERE xact_start <= query_start";
    assert_eq!(number(&client, begun).await, 4, "the asking one's and three others'");
    let older = "SELECT count(*) FROM pg_stat_activity WHERE backend_xmin::text::int < (SELECT max(backend_xmin::text::int) FROM pg_stat_activity)";
    assert_eq!(number(&client, older).await, 2, "READ COMMITTED holds nothing up between statements");
    assert_eq!(number(&idle, "SELECT count(*) FROM t WHERE v LIKE 'x%'").await, 2000);

    update(&client, 3..40).await;
    assert_eq!(number(&client, "SELECT (size <= 2 * max_size)::int::bigint FROM inflight_undo").await, 1);
    let error = idle.query("SELECT 1", &[]).await.unwrap_err();
    assert!(error.is_closed() || code(&error) == "72000", "{error}");
    let (error, reading) = sleep.await.unwrap();
    assert_eq!(code(&error.unwrap_err()), "72000");
    // Its session goes on.
    reading.batch_execute("ROLLBACK").await.unwrap();
    assert_eq!(number(&reading, "SELECT count(*) FROM t WHERE v LIKE 'n%'").await, 2000);
    assert_eq!(number(&fresh, "SELECT count(*) FROM t WHERE v LIKE 'n%'").await, 2000);
    fresh.batch_execute("COMMIT").await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_that_fills_the_undo_log_alone_fails() {
    let server = Server::start(&["--set", "max_undo_size=4MB"]);
    let (client, other) = (server.connect().await, server.connect().await);
    client.batch_execute(TABLE).await.unwrap();
    other.batch_execute("CREATE TABLE other (n int); INSERT INTO other VALUES (0)").await.unwrap();
    // An open transaction that never ends holds everything up that comes later.
    other.batch_execute("BEGIN; UPDATE other SET n = 1").await.unwrap();
    update(&client, 0..20).await;
    let error = other.query("SELECT 1", &[]).await.unwrap_err();
    assert!(error.is_closed() || code(&error) == "72000", "{error}");
    assert_eq!(number(&client, "SELECT n::bigint FROM other").await, 0);

    client.batch_execute("BEGIN").await.unwrap();
    let mut failed = None;
    for time in 0..30 {
        if let Err(error) = client.batch_execute(&UPDATE.replace("$1", &time.to_string())).await {
            failed = Some(code(&error).to_string());
            break;
        }
    }
    assert_eq!(failed.as_deref(), Some("53400"));
    client.batch_execute("ROLLBACK").await.unwrap();
    assert_eq!(number(&client, "SELECT count(*) FROM t WHERE v LIKE 't%'").await, 2000);
    update(&client, 20..21).await;
    assert_eq!(number(&client, "SELECT count(*) FROM t WHERE v LIKE 'u%'").await, 2000);
}
