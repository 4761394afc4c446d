//! What `pg_stat_*` and `pg_statio_*` count of tables, indexes and databases.

use testkit::{Server, code};
use tokio_postgres::Client;

async fn row(client: &Client, sql: &str) -> String {
    let row = client.query_one(&format!("SELECT t::text FROM (SELECT {sql}) t"), &[]).await.unwrap();
    row.get(0)
}

async fn must(client: &Client, sql: &str) {
    client.batch_execute(sql).await.unwrap();
}

const OF_TABLE: &str = "seq_scan, seq_tup_read, idx_scan, idx_tup_fetch FROM pg_stat_user_tables WHERE relname = 't'";
const OF_INDEXES: &str = "string_agg(concat_ws(' ', indexrelname, idx_scan, idx_tup_read, idx_tup_fetch), ', '
    ORDER BY indexrelname) FROM pg_stat_user_indexes";

#[tokio::test(flavor = "multi_thread")]
async fn scans_pages_transactions_and_sessions_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("data");
    let options = ["--set", "autovacuum=off"];
    let mut server = Server::start_in(&root, &options);
    let client = server.connect().await;
    must(&client, "CREATE TABLE t (id int PRIMARY KEY, k int, v text); CREATE INDEX t_k ON t (k)").await;
    must(&client, "INSERT INTO t SELECT i, i % 100, 'x' || i FROM generate_series(1, 20000) i").await;
    must(&client, "VACUUM ANALYZE t").await;
    let before = row(&client, OF_TABLE).await;
    assert!(before.ends_with(",0,0)"), "{before}");
    // Two sequential scans.
    must(&client, "SELECT count(v) FROM t WHERE v LIKE '%9'; SELECT count(v) FROM t").await;
    let [scans, read] = ["seq_scan", "seq_tup_read"].map(|column| format!("{column} FROM pg_stat_user_tables"));
    assert_eq!((row(&client, &scans).await, row(&client, &read).await), ("(2)".into(), "(40000)".into()));
    // Look-ups by key, prepared and not; a range; the index alone; a bitmap; a join.
    let look_up = client.prepare("SELECT v FROM t WHERE id = $1").await.unwrap();
    for id in 1..=3 {
        client.query(&look_up, &[&id]).await.unwrap();
    }
    must(&client, "SELECT v FROM t WHERE id = 7").await;
    must(&client, "SET enable_bitmapscan = off; SELECT count(v) FROM t WHERE id BETWEEN 100 AND 199").await;
    must(&client, "SELECT count(id) FROM t WHERE id < 500").await;
    must(&client, "SET enable_hashjoin = off; SET enable_mergejoin = off").await;
    must(&client, "SELECT count(t.v) FROM (VALUES (1), (2), (3)) x(a) JOIN t ON t.id = x.a; RESET ALL").await;
    must(
        &client,
        "SET enable_seqscan = off; SET enable_indexscan = off; SELECT count(v) FROM t WHERE k = 3; RESET ALL",
    )
    .await;
    assert_eq!(row(&client, OF_INDEXES).await, "(\"t_k 1 200 0, t_pkey 9 606 107\")");
    assert_eq!(row(&client, OF_TABLE).await, "(2,40000,10,307)");
    let seen = "last_seq_scan > now() - interval '1 hour', last_idx_scan >= last_seq_scan FROM pg_stat_user_tables";
    assert_eq!(row(&client, seen).await, "(t,t)");
    let pages =
        "heap_blks_hit > 100, heap_blks_hit + heap_blks_read > 100, idx_blks_hit > 10 FROM pg_statio_user_tables";
    assert_eq!(row(&client, pages).await, "(t,t,t)");

    // Transactions, sessions and what their relations count.
    let [done, back] = ["xact_commit", "xact_rollback"]
        .map(|column| format!("{column} FROM pg_stat_database WHERE datname = 'postgres'"));
    let number = |text: String| text.trim_matches(['(', ')']).parse::<u64>().unwrap();
    let (commits, rollbacks) = (number(row(&client, &done).await), number(row(&client, &back).await));
    must(&client, "BEGIN; SELECT 1; ROLLBACK").await;
    assert_eq!(code(&client.batch_execute("SELECT 1 / 0").await.unwrap_err()), "22012");
    must(&client, "UPDATE t SET v = 'y' WHERE id = 1").await;
    must(&client, "BEGIN; DELETE FROM t WHERE id = 2; COMMIT").await;
    assert_eq!(number(row(&client, &back).await) - rollbacks, 2);
    assert!(number(row(&client, &done).await) - commits >= 4);
    let database =
        "tup_inserted, tup_updated, tup_deleted, tup_returned > 40000, tup_fetched >= 307, blks_hit > 100, sessions,
        session_time > 0, active_time > 0 FROM pg_stat_database WHERE datname = 'postgres'";
    assert_eq!(row(&client, database).await, "(20000,1,1,t,t,t,1,t,t)");

    // What they count outlives the table's files, the table, and the server.
    must(&client, "VACUUM FULL t").await;
    must(&client, "REINDEX INDEX CONCURRENTLY t_k").await;
    let counted = row(&client, OF_INDEXES).await;
    assert!(counted.starts_with("(\"t_k 1 200 0, t_pkey 11"), "{counted}");
    let before = number(row(&client, &scans).await);
    must(&client, "SET enable_seqscan = off; SELECT count(k) FROM t WHERE k = 4; RESET ALL; SELECT count(v) FROM t")
        .await;
    must(&client, "UPDATE t SET v = 'z' WHERE id = 3").await;
    let kept = row(&client, OF_INDEXES).await;
    assert!(kept.starts_with("(\"t_k 2 400"), "{kept}");
    assert_eq!(number(row(&client, &scans).await) - before, 1);
    assert_eq!(row(&client, "n_tup_upd, n_tup_ins FROM pg_stat_user_tables").await, "(2,20000)");
    must(&client, "CREATE TABLE gone AS SELECT generate_series(1, 50) a; DROP TABLE gone").await;
    drop(client);
    assert!(server.stop());
    let server = Server::start_in(&root, &options);
    let client = server.connect().await;
    assert_eq!(row(&client, OF_INDEXES).await, kept);
    let database = "tup_inserted >= 20050, sessions FROM pg_stat_database WHERE datname = 'postgres'";
    assert_eq!(row(&client, database).await, "(t,2)");
}
