//! Tablespaces on volumes of their own, as far as a directory stands for one: through crashes, and while one is missing.

use std::path::Path;

use testkit::{Server, code};
use tokio_postgres::Client;

/// Files anywhere below a directory.
fn files(directory: &Path) -> usize {
    let entries = std::fs::read_dir(directory).unwrap().map(Result::unwrap);
    entries.map(|entry| if entry.path().is_dir() { files(&entry.path()) } else { 1 }).sum()
}

async fn number(client: &Client, query: &str) -> i64 {
    client.query_one(query, &[]).await.unwrap().get(0)
}

const MAKE: &str = "CREATE TABLE t (id int PRIMARY KEY, v text) TABLESPACE far;
    ALTER TABLE t ALTER v SET STORAGE EXTERNAL;
    CREATE INDEX t_v ON t (left(v, 10)) TABLESPACE far;
    INSERT INTO t SELECT i, repeat(md5(i::text), CASE WHEN i % 500 = 0 THEN 300 ELSE 2 END) FROM generate_series(1, 20000) i";

/// Counts rows by the table and by its index, and its long values.
async fn check(client: &Client, rows: i64) {
    assert_eq!(number(client, "SELECT count(*) FROM t").await, rows);
    let long = number(client, "SELECT sum(length(v)) FROM t WHERE id % 500 = 0").await;
    assert_eq!(long, rows / 500 * 300 * 32);
    client.batch_execute("SET enable_seqscan = off").await.unwrap();
    assert_eq!(number(client, "SELECT count(*) FROM t WHERE left(v, 10) = left(md5('77'), 10)").await, 1);
    client.batch_execute("RESET enable_seqscan").await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn relations_are_where_they_were_put() {
    let (dir, far) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let root = dir.path().join("data");
    let mut server = Server::start_in(&root, &[]);
    let client = server.connect().await;
    let make = format!("CREATE TABLESPACE far LOCATION '{}'", far.path().display());
    client.batch_execute(&make).await.unwrap();
    assert_eq!(
        code(&client.batch_execute(&make.replace("far LOCATION", "again LOCATION")).await.unwrap_err()),
        "55006"
    );
    client.batch_execute(MAKE).await.unwrap();
    check(&client, 20_000).await;
    // The table, its long values and an index; the primary key's is at home.
    assert_eq!(files(far.path()), 3);
    let path: String = client
        .query_one("SELECT pg_tablespace_location(oid) FROM pg_tablespace WHERE spcname = 'far'", &[])
        .await
        .unwrap()
        .get(0);
    assert_eq!(Path::new(&path), far.path());

    // What was not committed is gone after a crash, what was is there.
    client
        .batch_execute("BEGIN; CREATE TABLE lost (id int) TABLESPACE far; INSERT INTO lost VALUES (1)")
        .await
        .unwrap();
    client.batch_execute("INSERT INTO t SELECT i, repeat('x', 64) FROM generate_series(20001, 30000) i").await.unwrap();
    assert_eq!(files(far.path()), 4);
    server.kill();
    let mut server = Server::start_in(&root, &[]);
    let client = server.connect().await;
    check(&client, 20_000).await;
    // And the visibility map: it says that entries into blocks that the log was about may be stale.
    assert_eq!(files(far.path()), 4);

    // Changes without a checkpoint behind them are replayed there.
    client
        .batch_execute("CHECKPOINT; UPDATE t SET v = repeat('y', 20000) WHERE id = 1; DELETE FROM t WHERE id > 19500")
        .await
        .unwrap();
    server.kill();
    let mut server = Server::start_in(&root, &[]);
    let client = server.connect().await;
    assert_eq!(number(&client, "SELECT length(v)::bigint FROM t WHERE id = 1").await, 20_000);
    check(&client, 19_500).await;
    client.batch_execute("VACUUM ANALYZE t").await.unwrap();
    client.batch_execute("TRUNCATE t").await.unwrap();
    client.batch_execute("INSERT INTO t VALUES (1, 'one')").await.unwrap();
    assert_eq!(code(&client.batch_execute("DROP TABLESPACE far").await.unwrap_err()), "55000");
    client.batch_execute("ALTER TABLE t SET TABLESPACE pg_default").await.unwrap();
    client.batch_execute("ALTER INDEX t_v SET TABLESPACE pg_default").await.unwrap();
    assert_eq!(number(&client, "SELECT count(*) FROM t").await, 1);
    assert_eq!(files(far.path()), 0);
    client.batch_execute("DROP TABLESPACE far").await.unwrap();
    assert_eq!(std::fs::read_dir(far.path()).unwrap().count(), 0, "the location is as it was");
    drop(client);
    assert!(server.stop());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_goes_with_what_it_has_elsewhere() {
    let far = tempfile::tempdir().unwrap();
    let server = Server::start(&[]);
    let client = server.connect().await;
    client.batch_execute(&format!("CREATE TABLESPACE far LOCATION '{}'", far.path().display())).await.unwrap();
    client.batch_execute("CREATE DATABASE other").await.unwrap();
    let other = server.connect_to("other").await.unwrap();
    other.batch_execute(MAKE).await.unwrap();
    client.batch_execute("CHECKPOINT").await.unwrap();
    assert!(number(&client, "SELECT pg_database_size('other')").await > 1_000_000);
    assert_eq!(code(&client.batch_execute("DROP TABLESPACE far").await.unwrap_err()), "55000");
    drop(other);
    client.batch_execute("DROP DATABASE other").await.unwrap();
    assert_eq!(files(far.path()), 0);
    client.batch_execute("DROP TABLESPACE far").await.unwrap();
}

/// A session with an older snapshot does without a new index, and is refused a new table: nothing is left there of what it
/// sees.
#[tokio::test(flavor = "multi_thread")]
async fn an_older_snapshot_is_told_of_a_move() {
    let far = tempfile::tempdir().unwrap();
    let server = Server::start(&[]);
    let client = server.connect().await;
    client.batch_execute(&format!("CREATE TABLESPACE far LOCATION '{}'", far.path().display())).await.unwrap();
    client
        .batch_execute("CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t SELECT generate_series(1, 100)")
        .await
        .unwrap();
    let old = server.connect().await;
    old.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1").await.unwrap();
    client.batch_execute("DELETE FROM t WHERE id = 7").await.unwrap();
    client.batch_execute("ALTER INDEX t_pkey SET TABLESPACE far").await.unwrap();
    // The new index lacks the row that this snapshot sees: its plans do not have it.
    old.batch_execute("SET enable_seqscan = off").await.unwrap();
    assert_eq!(number(&old, "SELECT count(*) FROM t WHERE id = 7").await, 1);
    old.batch_execute("ROLLBACK; BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1").await.unwrap();
    client.batch_execute("ALTER TABLE t SET TABLESPACE far").await.unwrap();
    assert_eq!(code(&old.query("SELECT count(*) FROM t", &[]).await.unwrap_err()), "40001");
    old.batch_execute("ROLLBACK").await.unwrap();
    assert_eq!(number(&old, "SELECT count(*) FROM t").await, 99);
}

/// A small file system of its own, in a file.
struct Volume {
    at: std::path::PathBuf,
}

impl Volume {
    /// `None` where this process may not mount one.
    fn mount(directory: &Path) -> Option<Volume> {
        let (image, at) = (directory.join("image"), directory.join("volume"));
        std::fs::File::create(&image).and_then(|file| file.set_len(128 << 20)).unwrap();
        std::fs::create_dir(&at).unwrap();
        let made = run("mkfs.ext4", &["-q", image.to_str()?]);
        (made && run("mount", &["-o", "loop,errors=remount-ro", image.to_str()?, at.to_str()?]))
            .then_some(Volume { at })
    }

    /// From now on it takes no writes.
    fn abort(&self) {
        assert!(run("mount", &["-o", "remount,abort", self.at.to_str().unwrap()]));
    }

    fn mount_again(&self) {
        assert!(run("umount", &[self.at.to_str().unwrap()]));
        let image = self.at.with_file_name("image");
        assert!(run("mount", &["-o", "loop", image.to_str().unwrap(), self.at.to_str().unwrap()]));
    }
}

impl Drop for Volume {
    fn drop(&mut self) {
        run("umount", &[self.at.to_str().unwrap()]);
    }
}

fn run(program: &str, arguments: &[&str]) -> bool {
    let mut command = std::process::Command::new(program);
    command.args(arguments).stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Its tables take no changes, the others live on; what was committed is there when it is back.
#[tokio::test(flavor = "multi_thread")]
async fn a_volume_that_takes_no_writes_harms_nobody_else() {
    let (dir, parent) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let root = dir.path().join("data");
    let Some(volume) = Volume::mount(parent.path()) else {
        return testkit::skip("mounting a file system needs root and e2fsprogs");
    };
    let far = volume.at.join("far");
    std::fs::create_dir(&far).unwrap();
    let mut server = Server::start_in(&root, &[]);
    let client = server.connect().await;
    client.batch_execute(&format!("CREATE TABLESPACE far LOCATION '{}'", far.display())).await.unwrap();
    client.batch_execute(MAKE).await.unwrap();
    client.batch_execute("CREATE TABLE home (id int); CHECKPOINT").await.unwrap();
    client.batch_execute("UPDATE t SET v = repeat('committed', 1) WHERE id = 19999").await.unwrap();
    let other = server.connect().await;
    other.batch_execute("BEGIN; UPDATE t SET v = 'lost' WHERE id < 5000").await.unwrap();

    volume.abort();
    let error = client.batch_execute("CHECKPOINT").await.unwrap_err();
    assert_eq!(code(&error), "58030");
    for statement in ["INSERT INTO t VALUES (0, 'none')", "UPDATE t SET v = 'none' WHERE id = 7000", "DELETE FROM t"] {
        assert_eq!(code(&client.batch_execute(statement).await.unwrap_err()), "58030", "{statement}");
    }
    client.batch_execute("INSERT INTO home SELECT i FROM generate_series(1, 100000) i").await.unwrap();
    client.batch_execute("UPDATE home SET id = id + 1; CREATE INDEX ON home (id)").await.unwrap();
    client.batch_execute("VACUUM home").await.unwrap();
    assert_eq!(number(&client, "SELECT count(*) FROM home").await, 100_000);
    other.batch_execute("ROLLBACK").await.unwrap();
    check(&client, 20_000).await;
    assert_eq!(code(&client.batch_execute("CHECKPOINT").await.unwrap_err()), "58030");

    // What the last checkpoint could not write is in the log.
    drop((client, other));
    assert!(!server.stop());
    volume.mount_again();
    let mut server = Server::start_in(&root, &[]);
    let client = server.connect().await;
    check(&client, 20_000).await;
    assert_eq!(number(&client, "SELECT count(*) FROM t WHERE v = 'committed' AND id = 19999").await, 1);
    assert_eq!(number(&client, "SELECT count(*) FROM t WHERE v = 'lost'").await, 0);
    assert_eq!(number(&client, "SELECT count(*) FROM home WHERE id BETWEEN 2 AND 100001").await, 100_000);
    client.batch_execute("INSERT INTO t VALUES (0, 'more'); CHECKPOINT").await.unwrap();
    drop(client);
    assert!(server.stop());
}

/// Its tables answer with errors, the others live on; when it is back, everything is there.
#[tokio::test(flavor = "multi_thread")]
async fn a_volume_that_is_missing_harms_nobody_else() {
    let (dir, parent) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (root, far, gone) = (dir.path().join("data"), parent.path().join("far"), parent.path().join("gone"));
    std::fs::create_dir(&far).unwrap();
    let mut server = Server::start_in(&root, &[]);
    let client = server.connect().await;
    client.batch_execute(&format!("CREATE TABLESPACE far LOCATION '{}'", far.display())).await.unwrap();
    client.batch_execute(MAKE).await.unwrap();
    client.batch_execute("CREATE TABLE home (id int); INSERT INTO home VALUES (1)").await.unwrap();
    drop(client);
    assert!(server.stop());

    std::fs::rename(&far, &gone).unwrap();
    // The mount point is still there.
    std::fs::create_dir(&far).unwrap();
    let mut server = Server::start_in(&root, &[]);
    let client = server.connect().await;
    for statement in [
        "SELECT count(*) FROM t",
        "INSERT INTO t VALUES (0, 'none')",
        "UPDATE t SET v = 'none' WHERE id = 7",
        "VACUUM t",
        "CREATE TABLE more (id int) TABLESPACE far",
    ] {
        assert_eq!(code(&client.batch_execute(statement).await.unwrap_err()), "58P01", "{statement}");
    }
    client.batch_execute("INSERT INTO home VALUES (2)").await.unwrap();
    for statement in ["CHECKPOINT", "VACUUM home"] {
        client.batch_execute(statement).await.unwrap();
    }
    assert_eq!(number(&client, "SELECT count(*) FROM home").await, 2);
    assert_eq!(files(&far), 0, "nothing is written into the mount point");

    std::fs::remove_dir(&far).unwrap();
    std::fs::rename(&gone, &far).unwrap();
    check(&client, 20_000).await;

    // A transaction that changed its rows, and was not over when the server died, cannot be taken back without it: the server
    // does not start rather than take it for committed.
    client.batch_execute("BEGIN; UPDATE t SET v = 'lost' WHERE id < 10").await.unwrap();
    let other = server.connect().await;
    other.batch_execute("CHECKPOINT").await.unwrap();
    server.kill();
    std::fs::rename(&far, &gone).unwrap();
    let mut refused = testkit::command(&root, testkit::free_port(), &[]).spawn().unwrap();
    assert!(!refused.wait().unwrap().success());
    std::fs::rename(&gone, &far).unwrap();
    let mut server = Server::start_in(&root, &[]);
    let client = server.connect().await;
    check(&client, 20_000).await;
    assert_eq!(number(&client, "SELECT count(*) FROM t WHERE v = 'lost'").await, 0);

    // What was dropped while it was missing goes when it is back.
    drop(client);
    assert!(server.stop());
    std::fs::rename(&far, &gone).unwrap();
    let mut server = Server::start_in(&root, &[]);
    let client = server.connect().await;
    client.batch_execute("CREATE DATABASE other").await.unwrap();
    drop(client);
    assert!(server.stop());
    std::fs::rename(&gone, &far).unwrap();
    std::fs::write(far.join("INFLIGHT_1/5/99999"), "nobody's").unwrap();
    let mut server = Server::start_in(&root, &[]);
    let client = server.connect().await;
    check(&client, 20_000).await;
    client.batch_execute("DROP TABLE t").await.unwrap();
    assert_eq!(files(&far), 0);
    client.batch_execute("DROP TABLESPACE far").await.unwrap();
    drop(client);
    assert!(server.stop());
}
