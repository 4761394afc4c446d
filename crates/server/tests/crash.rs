//! Real crashes under real load: pgbench while the server is killed.
//!
//! `.ci/crashes` runs fifty of them on a loop device; `INFLIGHT_CRASHES` says how many, `INFLIGHT_CRASH_DIR` where.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use futures::TryStreamExt;
use testkit::{Server, pgbench, skip};

/// pgbench's own transaction, and a row that says which one it was: what pgbench's log calls done can be looked for.
const SCRIPT: &str = "\
\\set aid random(1, 100000 * :scale)
\\set bid random(1, 1 * :scale)
\\set tid random(1, 10 * :scale)
\\set delta random(-5000, 5000)
\\set number :number + 1
BEGIN;
UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid;
UPDATE pgbench_tellers SET tbalance = tbalance + :delta WHERE tid = :tid;
UPDATE pgbench_branches SET bbalance = bbalance + :delta WHERE bid = :bid;
INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (:tid, :bid, :aid, :delta, CURRENT_TIMESTAMP);
INSERT INTO done (round, client, number) VALUES (:round, :client_id, :number);
END;
";

#[test]
fn what_pgbench_was_told_is_there_after_kill_nine() {
    let Some(pgbench) = pgbench() else { return skip("pgbench is not installed") };
    let rounds: u64 = std::env::var("INFLIGHT_CRASHES").map_or(4, |n| n.parse().expect("a number of crashes"));
    let dir = match std::env::var_os("INFLIGHT_CRASH_DIR") {
        Some(parent) => tempfile::tempdir_in(parent).unwrap(),
        None => tempfile::tempdir().unwrap(),
    };
    let root = dir.path().join("data");
    // Not beside the data, which may have a small volume to itself.
    let logs = tempfile::tempdir().unwrap();
    let script = logs.path().join("script.sql");
    std::fs::write(&script, SCRIPT).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let command = |port: u16| {
        let mut command = std::process::Command::new(&pgbench);
        command.args(["-h", "127.0.0.1", "-p", &port.to_string(), "-U", "postgres"]).current_dir(logs.path());
        command
    };
    let mut server = Server::start_in(&root, &[]);
    let init = command(server.port).args(["-i", "-q", "-s", "1", "postgres"]).output();
    assert!(init.unwrap().status.success());
    runtime.block_on(async {
        let client = server.connect().await;
        client.batch_execute("CREATE TABLE done (round int, client int, number int)").await.unwrap();
    });
    let mut acknowledged = 0;
    for round in 0..rounds {
        let mut load = command(server.port)
            .args(["-n", "-c", "6", "-j", "2", "-T", "60", "-M", if round % 2 == 0 { "simple" } else { "prepared" }])
            .args(["-D", &format!("round={round}"), "-D", "number=0", "-D", "scale=1", "-l"])
            .arg(format!("--log-prefix=round{round}"))
            .arg("-f")
            .arg(&script)
            .arg("postgres")
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        // Any moment, the first ones included: a different one in each round.
        std::thread::sleep(std::time::Duration::from_millis(150 + round.wrapping_mul(0x9E37_79B9) % 1800));
        server.kill();
        // It ends by itself, and has written its log then.
        let _ = load.wait();
        server = Server::start_in(&root, &[]);
        let mut told = Vec::new();
        for entry in std::fs::read_dir(logs.path()).unwrap() {
            let path = entry.unwrap().path();
            if path.file_name().unwrap().to_string_lossy().starts_with(&format!("round{round}.")) {
                let text = std::fs::read_to_string(&path).unwrap();
                told.extend(text.lines().map(|line| {
                    let mut words = line.split(' ').map(|word| word.parse::<i32>().unwrap_or(-1));
                    (words.next().unwrap(), words.next().unwrap())
                }));
                std::fs::remove_file(path).unwrap();
            }
        }
        let (values, there) = runtime.block_on(async {
            let client = server.connect().await;
            let sums = "SELECT (SELECT coalesce(sum(abalance), 0) FROM pgbench_accounts), \
                        (SELECT coalesce(sum(tbalance), 0) FROM pgbench_tellers), \
                        (SELECT coalesce(sum(bbalance), 0) FROM pgbench_branches), \
                        (SELECT coalesce(sum(delta), 0) FROM pgbench_history), \
                        (SELECT count(*) FROM pgbench_history), (SELECT count(*) FROM done)";
            let row = client.query_one(sums, &[]).await.unwrap();
            let values: Vec<i64> = (0..6).map(|i| row.get(i)).collect();
            let query = format!("SELECT client, number FROM done WHERE round = {round}");
            let rows = client.query(&query, &[]).await.unwrap();
            let there: HashSet<(i32, i32)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
            (values, there)
        });
        assert!(values[..4].iter().all(|v| *v == values[0]), "round {round}: {values:?}");
        assert_eq!(values[4], values[5], "round {round}: a transaction is there in part");
        // pgbench counts a client's transactions as the script does.
        let lost: Vec<_> = told.iter().filter(|done| !there.contains(done)).collect();
        assert!(lost.is_empty(), "round {round}: {lost:?} were acknowledged and are gone");
        assert!(there.len() <= told.len() + 6, "round {round}: more than the clients had under way");
        acknowledged += told.len();
    }
    println!("{rounds} crashes, {acknowledged} transactions acknowledged, all there");
    assert!(acknowledged > 0);
}

/// Columns that were added, dropped and given values in a transaction that a crash has cut off leave nothing behind, whether its pages
/// were on the disk or not; and another column under the same number has none of their values.
#[tokio::test]
async fn columns_of_a_transaction_that_was_cut_off_are_gone_after_kill_nine() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("data");
    let mut server = Server::start_in(&root, &[]);
    for flushed in [true, false] {
        let (client, other) = (server.connect().await, server.connect().await);
        let made = "DROP TABLE IF EXISTS t; CREATE TABLE t(a int PRIMARY KEY, b text, c int NOT NULL);
                    INSERT INTO t SELECT i, 'b' || i, i FROM generate_series(1, 3000) i;
                    ALTER TABLE t ADD COLUMN d int DEFAULT 5; UPDATE t SET d = 6 WHERE a <= 100;
                    ALTER TABLE t DROP COLUMN d, ADD COLUMN d int DEFAULT 5; UPDATE t SET d = 6 WHERE a <= 100";
        client.batch_execute(made).await.unwrap();
        let cut_off = "BEGIN; ALTER TABLE t ADD COLUMN e text DEFAULT 'not committed', DROP COLUMN b;
                       ALTER TABLE t ALTER c DROP NOT NULL;
                       UPDATE t SET e = e || a, c = NULL, d = 0 WHERE a BETWEEN 50 AND 1500;
                       INSERT INTO t(a, e) SELECT i, 'x' FROM generate_series(4001, 4500) i; SAVEPOINT s;
                       ALTER TABLE t ADD COLUMN f int DEFAULT 9; UPDATE t SET f = 10 WHERE a < 300";
        client.batch_execute(cut_off).await.unwrap();
        if flushed {
            other.batch_execute("CHECKPOINT").await.unwrap();
        } else {
            other.batch_execute("CREATE TABLE IF NOT EXISTS committed()").await.unwrap();
        }
        server.kill();
        server = Server::start_in(&root, &[]);
        let client = server.connect().await;
        let sums = |columns: &str| format!("SELECT concat_ws(' ', count(*), sum(a), sum(c), sum(d), {columns}) FROM t");
        let whole = "count(*) FILTER (WHERE b = 'b' || a)";
        let found: String = client.query_one(&sums(whole), &[]).await.unwrap().get(0);
        assert_eq!(found, "3000 4501500 4501500 15100 3000");
        client
            .batch_execute("ALTER TABLE t ADD COLUMN e int DEFAULT 77; UPDATE t SET e = 1 WHERE a < 1000")
            .await
            .unwrap();
        let found: String = client.query_one(&sums("sum(e), count(b)"), &[]).await.unwrap().get(0);
        assert_eq!(found, "3000 4501500 4501500 15100 155076 3000");
        server.kill();
        server = Server::start_in(&root, &[]);
        let client = server.connect().await;
        client.batch_execute("VACUUM t").await.unwrap();
        let found: String = client.query_one(&sums("sum(e), count(b)"), &[]).await.unwrap().get(0);
        assert_eq!(found, "3000 4501500 4501500 15100 155076 3000");
    }
}

/// A row's locks go on before its commit is durable; a session that has seen it is told only when it is.
#[test]
fn what_readers_were_told_is_there_after_kill_nine() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("data");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut server = Server::start_in(&root, &[]);
    runtime.block_on(async {
        let client = server.connect().await;
        client
            .batch_execute("CREATE TABLE hot (id int PRIMARY KEY, n int); INSERT INTO hot VALUES (1, 0)")
            .await
            .unwrap();
    });
    for round in 0..3 {
        let told = Arc::new(AtomicI32::new(0));
        runtime.block_on(async {
            for _ in 0..4 {
                let writer = server.connect().await;
                // Commits gather in the log's buffer.
                writer.batch_execute("SET commit_delay = 20000; SET commit_siblings = 0").await.unwrap();
                tokio::spawn(async move {
                    while writer.batch_execute("UPDATE hot SET n = n + 1 WHERE id = 1").await.is_ok() {}
                });
            }
            for read in ["SELECT n FROM hot", "BEGIN; SELECT n FROM hot FOR KEY SHARE; ROLLBACK", "COPY hot TO STDOUT"]
            {
                let (reader, told) = (server.connect().await, told.clone());
                tokio::spawn(async move {
                    loop {
                        let n = match read.starts_with("COPY") {
                            true => {
                                let Ok(rows) = reader.copy_out(read).await else { break };
                                let Ok(rows) = rows.try_collect::<Vec<_>>().await else { break };
                                let row = String::from_utf8(rows.concat()).unwrap();
                                row.trim_end().rsplit('\t').next().and_then(|n| n.parse().ok())
                            }
                            false => {
                                let Ok(answers) = reader.simple_query(read).await else { break };
                                answers.iter().find_map(|answer| match answer {
                                    tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0)?.parse().ok(),
                                    _ => None,
                                })
                            }
                        };
                        told.fetch_max(n.expect("there is a row"), Ordering::SeqCst);
                    }
                });
            }
            tokio::time::sleep(std::time::Duration::from_millis(700 + round * 37)).await;
        });
        server.kill();
        let told = told.load(Ordering::SeqCst);
        server = Server::start_in(&root, &[]);
        let there: i32 = runtime.block_on(async {
            let client = server.connect().await;
            client.query_one("SELECT n FROM hot", &[]).await.unwrap().get(0)
        });
        assert!(told > 0 && there >= told, "round {round}: {told} was told, {there} is there");
    }
}
