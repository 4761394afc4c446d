//! Real crashes under real load: pgbench while the server is killed.

mod common;

use common::{Server, pgbench, skip};

#[test]
fn what_pgbench_was_told_is_there_after_kill_nine() {
    let Some(pgbench) = pgbench() else { return skip("pgbench is not installed") };
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("data");
    let logs = dir.path().join("logs");
    std::fs::create_dir(&logs).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let arguments = |port: u16, more: &[&str]| {
        let mut all = vec!["-h".to_string(), "127.0.0.1".into(), "-p".into(), port.to_string(), "-U".into()];
        all.push("postgres".into());
        all.extend(more.iter().map(|s| s.to_string()));
        all.push("postgres".into());
        all
    };
    let mut server = Server::start_in(&root, &[]);
    let init = std::process::Command::new(&pgbench).args(arguments(server.port, &["-i", "-q", "-s", "1"])).output();
    assert!(init.unwrap().status.success());
    let mut acknowledged = 0;
    for round in 0..4 {
        let prefix = logs.join(format!("round{round}"));
        let log = format!("--log-prefix={}", prefix.display());
        let mut load = std::process::Command::new(&pgbench)
            .args(arguments(server.port, &["-n", "-c", "6", "-T", "60", "-l", &log]))
            .current_dir(&logs)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(700 + 300 * round));
        server.kill();
        // It ends by itself, and has written its log then.
        let _ = load.wait();
        server = Server::start_in(&root, &[]);
        for entry in std::fs::read_dir(&logs).unwrap() {
            let path = entry.unwrap().path();
            if path.file_name().unwrap().to_string_lossy().starts_with(&format!("round{round}")) {
                acknowledged += std::fs::read_to_string(path).unwrap().lines().count() as i64;
            }
        }
        let sums = "SELECT (SELECT coalesce(sum(abalance), 0) FROM pgbench_accounts), \
                    (SELECT coalesce(sum(tbalance), 0) FROM pgbench_tellers), \
                    (SELECT coalesce(sum(bbalance), 0) FROM pgbench_branches), \
                    (SELECT coalesce(sum(delta), 0) FROM pgbench_history), (SELECT count(*) FROM pgbench_history)";
        let row = runtime.block_on(async { server.connect().await.query_one(sums, &[]).await.unwrap() });
        let values: Vec<i64> = (0..5).map(|i| row.get(i)).collect();
        assert!(values[..4].iter().all(|v| *v == values[0]), "round {round}: {values:?}");
        assert!(values[4] >= acknowledged, "round {round}: {} rows of {acknowledged} acknowledged", values[4]);
    }
    assert!(acknowledged > 0);
}
