//! Index-only scans: rows come from the index alone once VACUUM has seen that all snapshots see them, also after a restart, and
//! what a crash takes away is never more than that.

use testkit::Server;
use tokio_postgres::{Client, SimpleQueryMessage};

async fn rows(client: &Client, sql: &str) -> Vec<String> {
    let messages = client.simple_query(sql).await.unwrap();
    let text = |row: &tokio_postgres::SimpleQueryRow| row.get(0).unwrap_or_default().trim().to_string();
    messages
        .iter()
        .filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(text(row)),
            _ => None,
        })
        .collect()
}

const KEYS: &str = "SELECT k FROM t WHERE k < 3000";

/// How many rows an index-only scan looked at.
async fn fetches(client: &Client, sql: &str) -> u32 {
    client.batch_execute("SET enable_seqscan = off; SET enable_bitmapscan = off").await.unwrap();
    let plan = rows(client, &format!("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) {sql}")).await;
    assert!(plan[0].starts_with("Index Only Scan"), "{plan:?}");
    let line = plan.iter().find_map(|line| line.strip_prefix("Heap Fetches: ")).expect("an index-only scan says so");
    line.parse().unwrap()
}

async fn count(client: &Client) -> Vec<String> {
    rows(client, "SELECT count(*)::text || ' ' || sum(k) FROM (SELECT k FROM t WHERE k < 3000) s").await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_everybody_sees_is_known_after_restarts_and_crashes() {
    let mut server = Server::start(&[]);
    let client = server.connect().await;
    client
        .batch_execute(
            "CREATE TABLE t (id int PRIMARY KEY, k int, v text);
             CREATE INDEX t_k ON t (k);
             INSERT INTO t SELECT i, (i * 7) % 10000, 'v' || i FROM generate_series(1, 10000) i",
        )
        .await
        .unwrap();
    assert_eq!(fetches(&client, KEYS).await, 3000);
    client.batch_execute("VACUUM t").await.unwrap();
    assert_eq!(fetches(&client, KEYS).await, 0);
    assert_eq!(fetches(&client, "SELECT id FROM t WHERE id BETWEEN 5 AND 10").await, 0);
    assert_eq!(rows(&client, "SELECT relallvisible = relpages FROM pg_class WHERE relname = 't'").await, ["t"]);
    let before = count(&client).await;
    drop(client);
    assert!(server.stop());

    let root = server.root().to_owned();
    let mut server = Server::start_in(&root, &[]);
    let client = server.connect().await;
    assert_eq!(fetches(&client, KEYS).await, 0, "a clean stop keeps it");
    assert_eq!(count(&client).await, before);
    client.batch_execute("UPDATE t SET k = k + 10000 WHERE k = 7").await.unwrap();
    client.batch_execute("DELETE FROM t WHERE k = 14").await.unwrap();
    let changed = count(&client).await;
    let looked_at = fetches(&client, KEYS).await;
    assert!((1..3000).contains(&looked_at), "{looked_at}");
    server.kill();

    let mut server = Server::start_in(&root, &[]);
    let client = server.connect().await;
    assert_eq!(count(&client).await, changed, "recovery takes back what was seen of changed blocks");
    client.batch_execute("VACUUM t").await.unwrap();
    client.batch_execute("CHECKPOINT").await.unwrap();
    assert_eq!(fetches(&client, KEYS).await, 0);
    assert_eq!(count(&client).await, changed);
    drop(client);
    server.kill();

    // A damaged map is none.
    let maps = std::fs::read_dir(root.join("base/5")).unwrap();
    let maps = maps.map(|entry| entry.unwrap().path()).filter(|path| path.to_string_lossy().ends_with("_vm"));
    let mut damaged = 0;
    for map in maps {
        let mut bytes = std::fs::read(&map).unwrap();
        bytes[20] ^= 1;
        std::fs::write(&map, bytes).unwrap();
        damaged += 1;
    }
    assert!(damaged > 0);
    let mut server = Server::start_in(&root, &[]);
    let client = server.connect().await;
    assert_eq!(count(&client).await, changed);
    assert_eq!(fetches(&client, KEYS).await, 2998);
    client.batch_execute("VACUUM t").await.unwrap();
    assert_eq!(fetches(&client, KEYS).await, 0);
    drop(client);
    assert!(server.stop());
}

/// A partial index has its rows' condition in it; those that are looked at have to be asked for it, in the index's order.
#[tokio::test(flavor = "multi_thread")]
async fn partial_indexes_are_read_alone_too() {
    let server = Server::start(&[]);
    let client = server.connect().await;
    client
        .batch_execute(
            "CREATE TABLE t (id int PRIMARY KEY, k int);
             INSERT INTO t SELECT i, i % 1000 FROM generate_series(1, 20000) i;
             CREATE INDEX t_part ON t (k) WHERE id > 10000",
        )
        .await
        .unwrap();
    client.batch_execute("VACUUM ANALYZE t").await.unwrap();
    let sql = "SELECT k FROM t WHERE id > 10000 AND k < 50";
    assert_eq!(fetches(&client, sql).await, 0);
    // Some leave the index, some change their keys, some stay.
    let changes = "UPDATE t SET id = id + 100000 WHERE id BETWEEN 10001 AND 10020;
                   UPDATE t SET id = -id WHERE id BETWEEN 19990 AND 20000;
                   UPDATE t SET k = 49 WHERE id = 15000;
                   DELETE FROM t WHERE id = 12007";
    client.batch_execute(changes).await.unwrap();
    let looked_at = fetches(&client, sql).await;
    assert!((1..500).contains(&looked_at), "{looked_at}");
    let found = rows(&client, &format!("{sql} ORDER BY k")).await;
    client
        .batch_execute("SET enable_seqscan = on; SET enable_indexscan = off; SET enable_indexonlyscan = off")
        .await
        .unwrap();
    assert_eq!(found, rows(&client, &format!("{sql} ORDER BY k")).await);
    assert_eq!(found.len(), 498);
    client.batch_execute("SET enable_indexonlyscan = on").await.unwrap();
    client.batch_execute("VACUUM t").await.unwrap();
    assert_eq!(fetches(&client, sql).await, 0);
    assert_eq!(found, rows(&client, &format!("{sql} ORDER BY k")).await);
}
