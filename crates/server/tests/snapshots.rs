//! Snapshots that one session exports and others import.

use testkit::{Server, code};
use tokio_postgres::Client;

async fn must(client: &Client, sql: &str) {
    client.batch_execute(sql).await.unwrap();
}

async fn text(client: &Client, sql: &str) -> String {
    client.query_one(sql, &[]).await.unwrap().get(0)
}

/// A session in a transaction that begins with `mode` and has imported the snapshot.
async fn importer(server: &Server, mode: &str, name: &str) -> Client {
    let client = server.connect().await;
    must(&client, &format!("BEGIN {mode}; SET TRANSACTION SNAPSHOT '{name}'")).await;
    client
}

const ROWS: &str = "SELECT coalesce(string_agg(id || ':' || n, ' ' ORDER BY id), '') FROM t";

#[tokio::test(flavor = "multi_thread")]
async fn importers_see_what_the_exporter_sees() {
    let server = Server::start(&[]);
    let (exporter, other) = (server.connect().await, server.connect().await);
    must(&other, "CREATE TABLE t (id int PRIMARY KEY, n int); INSERT INTO t VALUES (1, 10), (2, 20), (3, 30)").await;
    must(&exporter, "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1").await;
    must(&other, "UPDATE t SET n = 11 WHERE id = 1; DELETE FROM t WHERE id = 2; INSERT INTO t VALUES (4, 40)").await;
    // What the exporter does itself is no part of it.
    must(&exporter, "UPDATE t SET n = 31 WHERE id = 3").await;
    let name = text(&exporter, "SELECT pg_export_snapshot()").await;
    let second = text(&exporter, "SELECT pg_export_snapshot()").await;
    assert_ne!(name, second);
    let reader = importer(&server, "ISOLATION LEVEL REPEATABLE READ, READ ONLY", &name).await;
    assert_eq!(text(&reader, ROWS).await, "1:10 2:20 3:30");
    must(&other, "DELETE FROM t WHERE id = 4").await;
    must(&other, "VACUUM t").await;
    let again = importer(&server, "ISOLATION LEVEL REPEATABLE READ", &second).await;
    assert_eq!(text(&again, ROWS).await, "1:10 2:20 3:30");
    // A session that writes meets what has happened since.
    let writer = importer(&server, "ISOLATION LEVEL REPEATABLE READ", &name).await;
    let failed = writer.batch_execute("UPDATE t SET n = 0 WHERE id = 1").await.unwrap_err();
    assert_eq!(code(&failed), "40001");

    // The name goes with the transaction, and what was imported stays.
    must(&exporter, "COMMIT").await;
    must(&other, "VACUUM t").await;
    assert_eq!(text(&reader, ROWS).await, "1:10 2:20 3:30");
    must(&writer, "ROLLBACK; BEGIN ISOLATION LEVEL REPEATABLE READ").await;
    let failed = writer.batch_execute(&format!("SET TRANSACTION SNAPSHOT '{name}'")).await.unwrap_err();
    assert_eq!(code(&failed), "42704");
    must(&reader, "COMMIT").await;
    assert_eq!(text(&reader, ROWS).await, "1:11 3:31");

    // No name is given twice, though a session that keeps a lock goes on as the same owner.
    must(&other, "SELECT pg_advisory_lock(1)").await;
    let gone = text(&other, "SELECT pg_export_snapshot()").await;
    must(&other, "BEGIN").await;
    assert_ne!(text(&other, "SELECT pg_export_snapshot()").await, gone);
    must(&other, "COMMIT").await;

    // READ COMMITTED exports what is there now.
    must(&exporter, "BEGIN; INSERT INTO t VALUES (5, 50)").await;
    let name = text(&exporter, "SELECT pg_export_snapshot()").await;
    must(&exporter, "COMMIT; BEGIN").await;
    let failed = exporter.batch_execute(&format!("SET TRANSACTION SNAPSHOT '{name}'")).await.unwrap_err();
    assert_eq!(code(&failed), "0A000");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_imported_or_exported_is_said() {
    let server = Server::start(&[]);
    let (exporter, other) = (server.connect().await, server.connect().await);
    must(&exporter, "CREATE DATABASE elsewhere").await;
    must(&exporter, "BEGIN ISOLATION LEVEL REPEATABLE READ").await;
    let name = text(&exporter, "SELECT pg_export_snapshot()").await;
    let fails = async |client: &Client, begin: &str, name: &str, expected: &str| {
        must(client, begin).await;
        let failed = client.batch_execute(&format!("SET TRANSACTION SNAPSHOT '{name}'")).await.unwrap_err();
        assert_eq!(code(&failed), expected, "{begin}; {name}");
        must(client, "ROLLBACK").await;
    };
    const REPEATABLE: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ";
    fails(&other, "BEGIN", &name, "0A000").await;
    fails(&other, &format!("{REPEATABLE}; SELECT 1"), &name, "25001").await;
    fails(&other, &format!("{REPEATABLE}; SAVEPOINT s"), &name, "25001").await;
    fails(&other, REPEATABLE, "../../etc/passwd", "22023").await;
    fails(&other, REPEATABLE, "", "22023").await;
    fails(&other, REPEATABLE, "00000001-00000001-1", "42704").await;
    fails(&server.connect_to("elsewhere").await.unwrap(), REPEATABLE, &name, "0A000").await;
    must(&exporter, "SAVEPOINT s").await;
    let failed = exporter.batch_execute("SELECT pg_export_snapshot()").await.unwrap_err();
    assert_eq!(code(&failed), "25001");
}
