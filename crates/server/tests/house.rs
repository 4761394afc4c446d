//! The house: the data directory and what the system gives the process. Which users may look into it, which server has it,
//! what is lost and does not come back by itself, descriptors, workers' places, and a log that is gone or takes nothing more.

use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use testkit::{Server, code, skip};
use tokio_postgres::{Client, NoTls};

/// A server that was stopped, with three rows in it.
fn stopped(parent: &Path) -> PathBuf {
    let root = parent.join("data");
    let mut server = Server::start_in(&root, &[]);
    runtime().block_on(async {
        let client = server.connect().await;
        client.batch_execute("create table t(a int); insert into t values (1), (2), (3)").await.unwrap();
    });
    assert!(server.stop());
    root
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Runtime::new().unwrap()
}

/// Starts a server that is to be refused; gives what it says.
fn refused(root: &Path) -> String {
    let output = testkit::command(root, testkit::free_port(), &[]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && output.status.code().is_some() && !text.contains("panicked"), "{text}");
    text
}

fn rows(root: &Path) -> i64 {
    let mut server = Server::start_in(root, &[]);
    let count = runtime().block_on(async {
        let client = server.connect().await;
        client.query_one("select count(*) from t", &[]).await.unwrap().get(0)
    });
    assert!(server.stop());
    count
}

fn mode_of(path: &Path) -> u32 {
    std::fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// What others than the owner could do with anything in a directory; sockets have a setting for that.
fn for_others(directory: &Path, found: &mut Vec<(PathBuf, u32)>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let kind = std::fs::symlink_metadata(&path).unwrap().file_type();
        if kind.is_dir() {
            for_others(&path, found);
        }
        if !kind.is_socket() && !kind.is_symlink() && mode_of(&path) & 0o077 != 0 {
            found.push((path.clone(), mode_of(&path)));
        }
    }
}

#[test]
fn root_is_asked_twice() {
    let output = Command::new("id").arg("-u").output().unwrap();
    if output.stdout != b"0\n" {
        return skip("only root is refused");
    }
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("data");
    let mut command = Command::new(env!("CARGO_BIN_EXE_inflight"));
    let output = command.args(["serve", "--listen", "127.0.0.1:0", "--data-dir"]).arg(&root).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && text.contains("\"root\" execution of the server is not permitted"), "{text}");
    assert!(text.contains("inflight serve --allow-root") && !root.exists(), "{text}");
}

#[test]
fn nobody_else_reads_the_directory() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("data");
    let outside = dir.path().join("outside.csv");
    let mut server = Server::start_in(&root, &[]);
    runtime().block_on(async {
        let client = server.connect().await;
        let text =
            "create table t(a int, b text); insert into t select i, repeat('x', 9000) from generate_series(1, 9) i;
             create index on t(a); vacuum analyze t; create database d; alter system set work_mem = '8MB'; checkpoint";
        for statement in text.split(';') {
            client.batch_execute(statement).await.unwrap();
        }
        client.batch_execute(&format!("copy t to '{}'", outside.display())).await.unwrap();
    });
    assert_eq!(mode_of(&root), 0o700);
    let mut found = Vec::new();
    for_others(&root, &mut found);
    assert_eq!(found, [], "the server works");
    // What is written for others is for others.
    assert_eq!(mode_of(&outside), 0o644);
    assert!(server.stop());
    for_others(&root, &mut found);
    assert_eq!(found, [], "it has stopped");
    for mode in [0o755, 0o770, 0o701] {
        set_mode(&root, mode);
        let text = refused(&root);
        assert!(text.contains("has invalid permissions"), "{text}");
        assert!(text.contains("Permissions should be u=rwx (0700) or u=rwx,g=rx (0750)."), "{text}");
        assert_eq!(mode_of(&root), mode);
    }
    // The group may make backups.
    set_mode(&root, 0o750);
    let mut server = Server::start_in(&root, &[]);
    runtime().block_on(async {
        let client = server.connect().await;
        client.batch_execute("create table u(a int); insert into u values (1)").await.unwrap();
        client.batch_execute("checkpoint").await.unwrap();
        let text = "select current_setting('data_directory_mode'), 'base/' || (select oid from pg_database where datname = 'postgres') || '/' || relfilenode from pg_class where relname = 'u'";
        let row = client.query_one(text, &[]).await.unwrap();
        assert_eq!(row.get::<_, String>(0), "0750");
        assert_eq!(mode_of(&root.join(row.get::<_, String>(1))), 0o640);
    });
    assert!(server.stop());
    assert_eq!(mode_of(&root), 0o750);
}

#[test]
fn lost_rules_do_not_come_back() {
    let dir = tempfile::tempdir().unwrap();
    let root = stopped(dir.path());
    let (rules, settings) = (root.join("pg_hba.conf"), root.join("inflight.conf"));
    let kept = std::fs::read(&rules).unwrap();
    // Under a running server they hold until it ends.
    let mut server = Server::start_in(&root, &[]);
    std::fs::remove_file(&rules).unwrap();
    runtime().block_on(async {
        let client = server.connect().await;
        client.batch_execute("select pg_reload_conf()").await.unwrap();
        server.connect().await;
    });
    assert!(server.stop() && !rules.exists());
    let text = refused(&root);
    assert!(
        text.contains(&format!("could not load {}", rules.canonicalize().unwrap_or(rules.clone()).display())),
        "{text}"
    );
    assert!(text.contains("could not open file") && !rules.exists(), "{text}");
    std::fs::write(&rules, kept).unwrap();
    assert_eq!(rows(&root), 3);
    // The settings say where the rules are.
    std::fs::remove_file(&settings).unwrap();
    let text = refused(&root);
    assert!(text.contains("could not access the server configuration file") && !settings.exists(), "{text}");
    std::fs::write(&settings, "").unwrap();
    assert_eq!(rows(&root), 3);
    // Whose maps are lost lets fewer in.
    std::fs::remove_file(root.join("pg_ident.conf")).unwrap();
    assert_eq!(rows(&root), 3);
}

fn signal(server: &Server, name: &str) {
    assert!(Command::new("kill").args([name, &server.pid().to_string()]).status().unwrap().success());
}

#[test]
fn one_server_has_the_directory() {
    let dir = tempfile::tempdir().unwrap();
    let root = stopped(dir.path());
    let mut server = Server::start_in(&root, &[]);
    // It cannot notice anything before the second one was refused.
    signal(&server, "-STOP");
    std::fs::remove_file(root.join("inflight.pid")).unwrap();
    let text = refused(&root);
    assert!(text.contains("is in use by another server"), "{text}");
    signal(&server, "-CONT");
    assert_eq!(server.ended(), Some(1));
    let log = server.log.lock().unwrap().clone();
    assert!(log.contains("inflight.pid\" is gone"), "{log}");
    drop(server);
    assert_eq!(rows(&root), 3);
}

/// The log's files, the first of which has the last checkpoint's record.
fn segments(root: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root.join("pg_wal")).unwrap().map(|entry| entry.unwrap().path());
    let mut segments: Vec<PathBuf> = entries.filter(|path| path.extension().is_none()).collect();
    segments.sort();
    segments
}

#[test]
fn a_lost_log_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let root = stopped(dir.path());
    let other = tempfile::tempdir().unwrap();
    let foreign = std::fs::read(&segments(&stopped(other.path()))[0]).unwrap();
    let killed = |root: &Path| {
        let mut server = Server::start_in(root, &[]);
        server.kill();
    };
    for clean in [true, false] {
        if !clean {
            killed(&root);
        }
        let path = segments(&root)[0].clone();
        let whole = std::fs::read(&path).unwrap();
        let wal = root.join("pg_wal");
        let control = std::fs::read(root.join("global/inflight_control")).unwrap();
        let check = |what: &str| {
            let text = refused(&root);
            let said = text.contains("could not locate a valid checkpoint record at 0/");
            assert!(said && text.contains("DETAIL:"), "clean: {clean}, {what}: {text}");
            assert_eq!(std::fs::read(root.join("global/inflight_control")).unwrap(), control, "{what}");
        };
        for length in [0, 100, 4096, whole.len() - 1] {
            std::fs::write(&path, &whole[..length]).unwrap();
            check(&format!("cut to {length} bytes"));
        }
        let noise: Vec<u8> = (0..whole.len()).map(|i| (i * i / 7 % 251) as u8).collect();
        for (bytes, what) in
            [(vec![0; whole.len()], "zeros"), (noise, "other bytes"), (foreign.clone(), "another's log")]
        {
            std::fs::write(&path, bytes).unwrap();
            check(what);
        }
        std::fs::remove_file(&path).unwrap();
        check("gone");
        std::fs::rename(&wal, root.join("elsewhere")).unwrap();
        assert!(refused(&root).contains("\"pg_wal\" does not exist"));
        std::fs::rename(root.join("elsewhere"), &wal).unwrap();
        std::fs::write(&path, &whole).unwrap();
        assert_eq!(rows(&root), 3);
    }
}

/// When the log takes nothing more, a client that commits is told so by a severity after which it knows that it does not
/// know.
#[test]
fn a_commit_that_the_log_does_not_take_is_a_panic() {
    if !Command::new("prlimit").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return skip("prlimit is not installed");
    }
    let texts = ["insert into t values (4)", "begin; insert into t values (4); commit", "create table u(a int)"];
    for (round, text) in texts.into_iter().enumerate() {
        let dir = tempfile::tempdir().unwrap();
        let root = stopped(dir.path());
        // The limit to come answers writes beyond it with an error, and kills no process.
        let mut server = Server::start_by(&root, |command| {
            let mut patient = Command::new("sh");
            patient.args(["-c", "trap '' XFSZ; exec \"$@\"", "sh"]).arg(command.get_program()).args(command.get_args());
            patient
        });
        runtime().block_on(async {
            let (client, other) = (server.connect().await, server.connect().await);
            client.batch_execute("insert into t values (5)").await.unwrap();
            let pid = server.pid().to_string();
            assert!(Command::new("prlimit").args(["--pid", &pid, "--fsize=64"]).status().unwrap().success());
            let error = client.batch_execute(text).await.unwrap_err();
            let told = error.as_db_error().unwrap_or_else(|| panic!("{text}: {error:?}"));
            assert_eq!((told.severity(), told.code().code()), ("PANIC", "58030"), "{text}: {told:?}");
            // The connection is gone, and so are all others.
            assert!(client.batch_execute("select 1").await.is_err());
            let error = loop {
                if let Err(error) = other.batch_execute("select 1").await {
                    break error;
                }
            };
            assert!(error.is_closed() || ["57P02", "58030"].contains(&code(&error).as_str()), "{error:?}");
        });
        assert_eq!(server.ended(), Some(1));
        drop(server);
        let count = rows(&root);
        assert!(if round < 2 { count == 4 || count == 5 } else { count == 4 }, "{text}: {count} rows");
    }
}

/// Starts a server with so many descriptors.
fn with_descriptors(root: &Path, count: usize) -> Server {
    Server::start_by(root, by_descriptors(count))
}

fn by_descriptors(count: usize) -> impl Fn(&Command) -> Command {
    move |command| {
        let mut limited = Command::new("sh");
        limited.args(["-c", &format!("ulimit -n {count}; exec \"$@\""), "sh"]);
        limited.arg(command.get_program()).args(command.get_args());
        limited
    }
}

#[test]
fn two_thousand_tables_in_a_thousand_descriptors() {
    const TABLES: usize = 2000;
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("data");
    let open = |server: &Server| std::fs::read_dir(format!("/proc/{}/fd", server.pid())).unwrap().count();
    let mut server = with_descriptors(&root, 1024);
    runtime().block_on(async {
        let client = server.connect().await;
        for first in (0..TABLES).step_by(100) {
            let tables = first..first + 100;
            let text: String =
                tables.map(|i| format!("create table t{i}(a int); insert into t{i} values ({i});")).collect();
            client.batch_execute(&text).await.unwrap();
        }
        assert!(open(&server) < 1024, "{} descriptors", open(&server));
        client.batch_execute("checkpoint").await.unwrap();
        check_tables(&client, TABLES).await;
        // Others get in, and the log and the control file are written.
        let more: Vec<Client> = futures::future::join_all((0..15).map(|_| server.connect())).await;
        for (i, client) in more.iter().enumerate() {
            client.batch_execute(&format!("insert into t{i} values (0)")).await.unwrap();
        }
        client.batch_execute("checkpoint").await.unwrap();
        drop(more);
    });
    server.kill();
    let mut server = with_descriptors(&root, 1024);
    runtime().block_on(async {
        let client = server.connect().await;
        check_tables(&client, TABLES).await;
        client.batch_execute("checkpoint").await.unwrap();
    });
    let log = server.log.lock().unwrap().clone();
    assert!(!log.contains("out of file descriptors") && !log.contains("Too many open files"), "{log}");
    assert!(server.stop());
}

async fn check_tables(client: &Client, tables: usize) {
    for first in (0..tables).step_by(100) {
        let parts: Vec<String> = (first..first + 100).map(|i| format!("select a from t{i}")).collect();
        let sum: i64 = client
            .query_one(&format!("select sum(a) from ({}) u", parts.join(" union all ")), &[])
            .await
            .unwrap()
            .get(0);
        assert_eq!(sum as usize, (first..first + 100).sum::<usize>());
    }
}

/// A client for which no descriptor is left is told, and does not wait for ever.
#[test]
fn clients_are_as_many_as_there_are_descriptors_for() {
    let dir = tempfile::tempdir().unwrap();
    let text = {
        let output = by_descriptors(80)(&testkit::command(&dir.path().join("few"), testkit::free_port(), &[])).output();
        String::from_utf8_lossy(&output.unwrap().stderr).into_owned()
    };
    assert!(text.contains("insufficient file descriptors available to start server process"), "{text}");
    let server = with_descriptors(&dir.path().join("data"), 128);
    runtime().block_on(async {
        let mut clients = Vec::new();
        let error = loop {
            match server.connect_to("postgres").await {
                Ok(client) => clients.push(client),
                Err(error) => break error,
            }
        };
        assert_eq!((code(&error).as_str(), message(&error)), ("53300", "sorry, too many clients already"));
        // Fewer than max_connections.
        assert!((4..20).contains(&clients.len()), "{} clients", clients.len());
        for (i, client) in clients.iter().enumerate() {
            client
                .batch_execute(&format!("create table t{i}(a int primary key); insert into t{i} values (1)"))
                .await
                .unwrap();
        }
        clients[0].batch_execute("checkpoint").await.unwrap();
        // Operators that write to disk have what files there is room for, or are told.
        clients[0]
            .batch_execute("create table s as select md5(g::text) v from generate_series(1, 300000) g")
            .await
            .unwrap();
        let sort = "set work_mem = '64kB'; select count(*) from (select v from s order by v offset 1) o";
        let sorts = futures::future::join_all(clients.iter().map(|client| client.batch_execute(sort))).await;
        for error in sorts.into_iter().filter_map(Result::err) {
            assert_eq!(code(&error), "53000", "{error:?}");
        }
        drop(clients);
        // Their places are free once the server has seen them go.
        let client = loop {
            match server.connect_to("postgres").await {
                Ok(client) => break client,
                Err(error) => assert_eq!(code(&error), "53300", "{error:?}"),
            }
        };
        client.batch_execute(sort).await.unwrap();
    });
    assert!(!server.log.lock().unwrap().contains("panicked"));
    assert!(server.log.lock().unwrap().contains("may connect: this process may have only 128 files"));
}

#[test]
fn files_are_as_many_as_the_setting_says() {
    let server = Server::start(&["--set", "max_files_per_process=64"]);
    runtime().block_on(async {
        let client = server.connect().await;
        let text: String =
            (0..300).map(|i| format!("create table t{i}(a int); insert into t{i} values ({i});")).collect();
        client.batch_execute(&text).await.unwrap();
        check_tables(&client, 300).await;
        client.batch_execute("checkpoint").await.unwrap();
        check_tables(&client, 300).await;
    });
    let links = std::fs::read_dir(format!("/proc/{}/fd", server.pid())).unwrap();
    let files = links.filter_map(|link| std::fs::read_link(link.unwrap().path()).ok());
    let count = files.filter(|file| file.to_string_lossy().contains("/base/")).count();
    assert!(count <= 64, "{count} files are open");
}

fn message(error: &tokio_postgres::Error) -> &str {
    error.as_db_error().expect("the server's own").message()
}

/// Workers take no client's place, and superusers get in to the last.
#[test]
fn workers_and_clients_have_places_of_their_own() {
    let settings =
        ["max_connections=8", "superuser_reserved_connections=2", "reserved_connections=1", "max_worker_processes=3"];
    let settings = settings.into_iter().chain(["max_parallel_workers_per_gather=4", "max_parallel_workers=2"]);
    let settings: Vec<&str> = settings.flat_map(|setting| ["--set", setting]).collect();
    let server = Server::start(&settings);
    runtime().block_on(async {
        let control = server.connect().await;
        let set_up = "create role joe login in role pg_read_all_data; create table big as select i, repeat(md5(i::text), 8) v from generate_series(1, 60000) i";
        for statement in set_up.split(';') {
            control.batch_execute(statement).await.unwrap();
        }
        let as_joe = || {
            let config = format!("host=127.0.0.1 port={} user=joe dbname=postgres", server.port);
            async move {
                let (client, connection) = tokio_postgres::connect(&config, NoTls).await?;
                tokio::spawn(connection);
                Ok::<Client, tokio_postgres::Error>(client)
            }
        };
        // With the superuser's there are five: one place is for a role that there is not, two are superusers'.
        let clients: Vec<Client> = futures::future::try_join_all((0..4).map(|_| as_joe())).await.unwrap();
        let error = as_joe().await.err().unwrap();
        assert_eq!(code(&error), "53300");
        assert!(message(&error).contains("for roles with privileges of the \"pg_use_reserved_connections\" role"));
        static DONE: AtomicBool = AtomicBool::new(false);
        let work = |client: Client| async move {
            while !DONE.load(Ordering::Relaxed) {
                let count: i64 =
                    client.query_one("select count(*) from big where v like '%abc%abd%'", &[]).await.unwrap().get(0);
                assert!(count < 60000);
            }
        };
        let working: Vec<_> = clients.into_iter().map(|client| tokio::spawn(work(client))).collect();
        let count = "select count(*) from pg_stat_activity where backend_type = 'parallel worker'";
        let mut seen = 0;
        let deadline = Instant::now() + Duration::from_secs(60);
        let mut looks = 0;
        while seen == 0 || looks < 200 {
            let workers: i64 = control.query_one(count, &[]).await.unwrap().get(0);
            assert!(workers <= 2, "{workers} workers");
            (seen, looks) = (seen.max(workers), looks + 1);
            assert!(Instant::now() < deadline, "there are no workers");
        }
        // Three more places: the last ones are superusers'.
        let others = [server.connect().await, server.connect().await, server.connect().await];
        let error = server.connect_to("postgres").await.err().unwrap();
        assert_eq!((code(&error).as_str(), message(&error)), ("53300", "sorry, too many clients already"));
        DONE.store(true, Ordering::Relaxed);
        for task in working {
            task.await.unwrap();
        }
        drop(others);
        control.batch_execute("set max_parallel_workers = 0; select count(*) from big").await.unwrap();
    });
}

#[test]
fn reserved_places_leave_some_for_others() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("data");
    let settings =
        ["--set", "max_connections=5", "--set", "superuser_reserved_connections=3", "--set", "reserved_connections=2"];
    let Output { status, stderr, .. } = testkit::command(&root, testkit::free_port(), &settings).output().unwrap();
    let text = String::from_utf8_lossy(&stderr);
    let wanted = "\"superuser_reserved_connections\" (3) plus \"reserved_connections\" (2) must be less than \"max_connections\" (5)";
    assert!(!status.success() && text.contains(wanted), "{text}");
}
