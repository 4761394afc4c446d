//! A disk without room: a session that asks for more is told, all others go on, and the server stops and starts.

use std::path::{Path, PathBuf};
use std::process::Command;

use testkit::{Server, code};

/// A small file system.
struct Small {
    at: PathBuf,
}

fn run(program: &str, arguments: &[&str]) -> bool {
    Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
}

impl Small {
    /// `None` where this process may not mount one.
    fn mount(directory: &Path) -> Option<Small> {
        let (image, at) = (directory.join("image"), directory.join("small"));
        std::fs::create_dir(&at).unwrap();
        std::fs::File::create(&image).unwrap().set_len(120 << 20).unwrap();
        let image = image.to_str()?;
        let mounted = run("mkfs.ext4", &["-q", "-m0", image]) && run("mount", &["-o", "loop", image, at.to_str()?]);
        mounted.then_some(Small { at })
    }

    /// Leaves so many bytes of room.
    fn fill(&self, left: u64) {
        let at = self.at.to_str().unwrap();
        let output = Command::new("df").args(["--output=avail", "-B1", at]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let room: u64 = text.lines().last().unwrap().trim().parse().unwrap();
        let filler = self.at.join("filler");
        let bytes = room.checked_sub(left).expect("there is more room").to_string();
        // It takes what there is, and fails if that is less than was said.
        let filled = run("fallocate", &["-l", &bytes, filler.to_str().unwrap()]);
        assert!(filled || left == 0);
    }

    fn empty(&self) {
        std::fs::remove_file(self.at.join("filler")).unwrap();
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        run("umount", &[self.at.to_str().unwrap()]);
    }
}

/// Deleting rows needs next to no room: the log's segments are there, and the undo log's first pages. PostgreSQL deletes as
/// much as these segments have room for.
#[tokio::test(flavor = "multi_thread")]
async fn rows_are_deleted_on_a_full_disk_after_a_restart() {
    let parent = tempfile::tempdir().unwrap();
    let Some(disk) = Small::mount(parent.path()) else {
        return testkit::skip("mounting a file system needs root and e2fsprogs");
    };
    let root = disk.at.join("data");
    // The socket's lock file would have no room either.
    let socket = format!("unix_socket_directories={}", parent.path().display());
    let options =
        ["--set", "shared_buffers=8MB", "--set", "max_wal_size=48MB", "--set", "autovacuum=off", "--set", &socket];
    let mut server = Server::start_in(&root, &options);
    let client = server.connect().await;
    let set_up = "CREATE TABLE t (id int PRIMARY KEY, v text);
        INSERT INTO t SELECT i, md5(i::text) FROM generate_series(1, 60000) i;
        CREATE TABLE emptied0 AS SELECT * FROM t; CREATE TABLE emptied1 AS SELECT * FROM t;
        CREATE TABLE dropped0 AS SELECT * FROM t; CREATE TABLE dropped1 AS SELECT * FROM t";
    for statements in [set_up, "VACUUM t", "CHECKPOINT"] {
        client.batch_execute(statements).await.unwrap();
    }
    for (killed, which, left) in [(false, "id % 2 = 0", 30000), (true, "id % 4 = 1", 15000)] {
        if killed {
            server.kill();
        } else {
            assert!(server.stop());
        }
        disk.fill(0);
        server = Server::start_in(&root, &options);
        let client = server.connect().await;
        let delete = format!("DELETE FROM t WHERE {which}");
        client.batch_execute(&format!("BEGIN; {delete}; ROLLBACK; {delete}")).await.unwrap();
        let count: i64 = client.query_one("SELECT count(*) FROM t", &[]).await.unwrap().get(0);
        assert_eq!(count, left);
        // What makes room needs none; after the first that does there is some.
        client.batch_execute("VACUUM t").await.unwrap();
        let number = u8::from(killed);
        for statement in
            [format!("TRUNCATE emptied{number}"), format!("DROP TABLE dropped{number}"), "CHECKPOINT".into()]
        {
            client.batch_execute(&statement).await.unwrap_or_else(|error| panic!("{statement}: {error}"));
        }
        disk.empty();
    }
    drop(client);
    assert!(server.stop());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_load_that_finds_no_room_is_nobody_elses_trouble() {
    let parent = tempfile::tempdir().unwrap();
    let Some(disk) = Small::mount(parent.path()) else {
        return testkit::skip("mounting a file system needs root and e2fsprogs");
    };
    let root = disk.at.join("data");
    let options = ["--set", "shared_buffers=8MB", "--set", "max_wal_size=48MB", "--set", "autovacuum=off"];
    let mut server = Server::start_in(&root, &options);
    let client = server.connect().await;
    let set_up =
        "CREATE TABLE t (id int, v text); INSERT INTO t SELECT i, md5(i::text) FROM generate_series(1, 60000) i;
        CREATE TABLE big (id int, v text); CHECKPOINT";
    client.batch_execute(set_up).await.unwrap();
    disk.fill(20 << 20);
    let load =
        "INSERT INTO big SELECT i, (SELECT string_agg(md5((i * 100 + j)::text), '') FROM generate_series(1, 30) j)
        FROM generate_series(1, 40000) i";
    for _ in 0..2 {
        assert_eq!(code(&client.batch_execute(load).await.unwrap_err()), "53100");
        for sql in ["SELECT count(*) FROM t", "SELECT 60000 + count(*) FROM big"] {
            let count: i64 = client.query_one(sql, &[]).await.unwrap().get(0);
            assert_eq!(count, 60000);
        }
    }
    // Also without a clean stop.
    server.kill();
    let mut server = Server::start_in(&root, &options);
    let client = server.connect().await;
    client.batch_execute("SET lock_timeout = '10s'; DROP TABLE big").await.unwrap();
    client.batch_execute("CREATE INDEX t_v ON t (v); UPDATE t SET v = 'x' WHERE id <= 1000; CHECKPOINT").await.unwrap();
    disk.empty();
    disk.fill(64 << 10);
    // Entries of keys that are no more are known of, whatever there is no room for.
    client.batch_execute("UPDATE t SET v = 'y' WHERE id <= 100").await.unwrap();
    drop(client);
    assert!(server.stop());
    let mut server = Server::start_in(&root, &options);
    let client = server.connect().await;
    drop(client);
    assert!(server.stop());
    disk.empty();
    let mut server = Server::start_in(&root, &options);
    let client = server.connect().await;
    client.batch_execute("CREATE TABLE big AS SELECT i FROM generate_series(1, 10000) i").await.unwrap();
    client.batch_execute("VACUUM t").await.unwrap();
    client.batch_execute("SET enable_seqscan = off; SET enable_bitmapscan = off").await.unwrap();
    for (v, rows) in [("x", 900), ("y", 100)] {
        let count: i64 = client.query_one("SELECT count(*) FROM t WHERE v = $1", &[&v]).await.unwrap().get(0);
        assert_eq!(count, rows, "{v}");
    }
    drop(client);
    assert!(server.stop());
}
