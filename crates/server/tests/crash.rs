//! Real crashes under real load: pgbench while the server is killed.
//!
//! `.ci/crashes` runs fifty of them on a loop device; `INFLIGHT_CRASHES` says how many, `INFLIGHT_CRASH_DIR` where.

mod common;

use std::collections::HashSet;

use common::{Server, pgbench, skip};

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
