//! A server for tests: the real binary on a free port, stopped when dropped.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio_postgres::{Client, NoTls};

use crate::skip;

pub struct Server {
    child: Child,
    pub port: u16,
    pub log: Arc<Mutex<String>>,
    root: PathBuf,
    _dir: Option<tempfile::TempDir>,
}

/// A port that no server listens on, below those that the system gives to connections: one of these could take it before the
/// server does. Tests of one process get different ones.
pub fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let free = |port: u16| TcpListener::bind(("127.0.0.1", port)).is_ok();
    let first = std::process::id().wrapping_mul(67);
    let port = || 10_000 + (first.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % 20_000) as u16;
    std::iter::repeat_with(port).take(20_000).find(|port| free(*port)).expect("a free port")
}

/// The program, without arguments: cargo puts it beside the folder that has the tests.
pub fn inflight() -> Command {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).expect("tests lie in a folder of their own");
    Command::new(folder.join("inflight"))
}

pub fn command(root: &Path, port: u16, arguments: &[&str]) -> Command {
    let mut command = inflight();
    command.arg("serve").arg("--data-dir").arg(root).args(["--listen", &format!("127.0.0.1:{port}")]);
    // Tests run as root in containers.
    command.arg("--allow-root");
    // Small, so that tables outgrow it and two cores run many servers.
    command.args(["--set", "shared_buffers=16MB", "--set", "max_connections=20"]);
    // What it finds out, and when, would be in plans and views.
    command.args(["--set", "autovacuum=off"]);
    // What a killed server leaves of its socket goes with its directory.
    command.arg("--set").arg(format!("unix_socket_directories={}", root.display())).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

impl Server {
    pub fn start(arguments: &[&str]) -> Server {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("data");
        let mut server = Server::start_in(&root, arguments);
        server._dir = Some(dir);
        server
    }

    pub fn start_in(root: &Path, arguments: &[&str]) -> Server {
        let port = free_port();
        Server::spawn(root, port, command(root, port, arguments))
    }

    /// A server that is started as `by` has it.
    pub fn start_by(root: &Path, by: impl FnOnce(&Command) -> Command) -> Server {
        let port = free_port();
        let mut command = by(&command(root, port, &[]));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Server::spawn(root, port, command)
    }

    /// How the process has ended, if it has.
    pub fn status(&mut self) -> Option<std::process::ExitStatus> {
        self.child.try_wait().unwrap()
    }

    /// A server in a control group.
    pub fn start_inside(group: &Group, arguments: &[&str]) -> Server {
        let dir = tempfile::tempdir().unwrap();
        let (root, port) = (dir.path().join("data"), free_port());
        let mut server = Server::spawn(&root, port, group.inside(&command(&root, port, arguments)));
        server._dir = Some(dir);
        server
    }

    fn spawn(root: &Path, port: u16, mut command: Command) -> Server {
        let mut child = command.spawn().unwrap();
        let log = Arc::new(Mutex::new(String::new()));
        let (lines, kept) = (BufReader::new(child.stderr.take().unwrap()), log.clone());
        std::thread::spawn(move || {
            for line in lines.lines().map_while(Result::ok) {
                let mut log = kept.lock().unwrap();
                log.push_str(&line);
                log.push('\n');
            }
        });
        let mut ready = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut ready).unwrap();
        assert!(ready.starts_with("inflight is ready"), "{ready:?}, {}", log.lock().unwrap());
        Server { child, port, log, root: root.into(), _dir: None }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// `kill -9`.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// SIGTERM; gives whether the server ended by itself and well.
    pub fn stop(&mut self) -> bool {
        Command::new("kill").arg(self.child.id().to_string()).status().unwrap();
        let deadline = Instant::now() + Duration::from_secs(30);
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.success();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        false
    }

    /// Waits until the process has ended by itself; gives its exit code.
    pub fn ended(&mut self) -> Option<i32> {
        let deadline = Instant::now() + Duration::from_secs(60);
        while Instant::now() < deadline {
            if let Some(status) = self.status() {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("it does not end: {}", self.log.lock().unwrap());
    }

    pub async fn connect(&self) -> Client {
        self.connect_to("postgres").await.unwrap()
    }

    pub async fn connect_to(&self, database: &str) -> Result<Client, tokio_postgres::Error> {
        let config = format!("host=127.0.0.1 port={} user=postgres dbname={database}", self.port);
        let (client, connection) = tokio_postgres::connect(&config, NoTls).await?;
        tokio::spawn(connection);
        Ok(client)
    }

    /// Where psql finds it over its socket.
    pub fn local(&self) -> String {
        format!("host={} port={} user=postgres dbname=postgres", self.root().display(), self.port)
    }

    /// Where psql finds it, without encryption; `more` are settings of the connection.
    pub fn tcp(&self, user: &str, more: &str) -> String {
        format!("host=127.0.0.1 port={} user={user} dbname=postgres sslmode=disable {more}", self.port)
    }

    /// Waits some seconds for this text in its log.
    pub fn log_has(&self, text: &str) -> bool {
        let deadline = Instant::now() + Duration::from_secs(20);
        while Instant::now() < deadline {
            if self.log.lock().unwrap().contains(text) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        false
    }

    /// Runs psql with a script; gives stdout and stderr. `None` where there is no psql.
    pub fn psql(&self, arguments: &[&str]) -> Option<(String, String)> {
        let mut command = Command::new("psql");
        command.args(["-X", "-h", "127.0.0.1", "-p", &self.port.to_string(), "-U", "postgres", "-d", "postgres"]);
        match command.args(arguments).stdin(Stdio::null()).output() {
            Ok(output) => Some((String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())),
            Err(error) => {
                skip(&format!("psql: {error}"));
                None
            }
        }
    }
}

/// A control group of the tests' own, whose memory is limited. The server in it is to be dropped first.
pub struct Group(PathBuf);

impl Group {
    /// `None` where this process may not make one.
    pub fn new(megabytes: usize) -> Option<Group> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("inflight-test-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        // Version 1 has a tree for memory alone.
        let mut failed = String::new();
        for (tree, file) in [("memory", "memory.limit_in_bytes"), ("", "memory.max")] {
            let path = Path::new("/sys/fs/cgroup").join(tree).join(&name);
            let made = std::fs::create_dir(&path).map(|()| Group(path));
            match made
                .and_then(|group| std::fs::write(group.0.join(file), (megabytes << 20).to_string()).map(|()| group))
            {
                Ok(group) => return Some(group),
                Err(error) => failed = error.to_string(),
            }
        }
        skip(&format!("control groups: {failed}"));
        None
    }

    /// The same command in this group.
    pub fn inside(&self, command: &Command) -> Command {
        let mut inside = Command::new("sh");
        inside.args(["-c", "echo $$ > \"$0\" && exec \"$@\""]).arg(self.0.join("cgroup.procs"));
        inside.arg(command.get_program()).args(command.get_args());
        inside.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        inside
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // It is busy for a moment after its last process.
        for _ in 0..100 {
            if std::fs::remove_dir(&self.0).is_ok() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The pgbench that is installed, if one is.
pub fn pgbench() -> Option<PathBuf> {
    let found = Command::new("pgbench").arg("--version").stdout(Stdio::null()).status();
    found.is_ok_and(|status| status.success()).then(|| "pgbench".into())
}

pub fn code(error: &tokio_postgres::Error) -> String {
    error.code().map_or_else(|| format!("{error:?}"), |c| c.code().to_string())
}
