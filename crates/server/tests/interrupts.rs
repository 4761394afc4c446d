//! Whatever a session waits for or works on: a cancel request, `statement_timeout`, `lock_timeout`,
//! `pg_terminate_backend`, the client's death and SIGTERM end it in bounded time, and its locks are free.
//!
//! [`KINDS`] is the list of waits, and [`SLOW_KINDS`] of those for the disk; a new one is one line. Everything is tried with
//! each. Times only tell a hang.
//!
//! Not walked over:
//! * all buffers pinned: that is no wait, the statement fails (`storage`'s tests);
//! * rollback: it waits for the disk alone, and goes on when its session has gone; cancel requests do not end it;
//! * the last checkpoint of a server that stops: nothing but the system can end it;
//! * a disk that never answers: what is simulated is slow;
//! * parsing and planning: `planning.rs`.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use testkit::Server;

/// What takes longer hangs.
const HANGS: Duration = Duration::from_secs(30);

/// A client that speaks the protocol by hand: it can stop reading, and vanish.
struct Client {
    stream: TcpStream,
    pid: i32,
    secret: i32,
}

impl Client {
    fn socket(port: u16) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(HANGS)).unwrap();
        stream.set_write_timeout(Some(HANGS)).unwrap();
        stream
    }

    fn connect(port: u16) -> Client {
        Client::connect_to(port, "postgres")
    }

    /// A client that has said who it is.
    fn begin(port: u16, database: &str) -> Client {
        let mut client = Client { stream: Client::socket(port), pid: 0, secret: 0 };
        let mut startup = 196_608i32.to_be_bytes().to_vec();
        startup.extend_from_slice(format!("user\0postgres\0database\0{database}\0\0").as_bytes());
        client.stream.write_all(&(startup.len() as i32 + 4).to_be_bytes()).unwrap();
        client.stream.write_all(&startup).unwrap();
        client
    }

    fn connect_to(port: u16, database: &str) -> Client {
        let mut client = Client::begin(port, database);
        let answer = client.answer();
        assert_eq!(answer.code, None);
        client
    }

    fn send(&mut self, kind: u8, body: &[u8]) {
        let mut message = vec![kind];
        message.extend_from_slice(&(body.len() as i32 + 4).to_be_bytes());
        message.extend_from_slice(body);
        self.stream.write_all(&message).unwrap();
    }

    fn start(&mut self, sql: &str) {
        self.send(b'Q', format!("{sql}\0").as_bytes());
    }

    fn message(&mut self) -> std::io::Result<(u8, Vec<u8>)> {
        let mut head = [0; 5];
        self.stream.read_exact(&mut head)?;
        let mut body = vec![0; i32::from_be_bytes(head[1..].try_into().unwrap()) as usize - 4];
        self.stream.read_exact(&mut body)?;
        Ok((head[0], body))
    }

    /// Reads until the server is ready for more, or has closed.
    fn answer(&mut self) -> Answer {
        let mut answer = Answer::default();
        loop {
            let (kind, body) = match self.message() {
                Ok(message) => message,
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => panic!("no answer: it hangs"),
                Err(_) => {
                    answer.closed = true;
                    return answer;
                }
            };
            match kind {
                b'E' => {
                    let code = body.split(|b| *b == 0).find(|field| field.first() == Some(&b'C'));
                    answer.code = code.map(|code| String::from_utf8_lossy(&code[1..]).into_owned());
                }
                b'K' => {
                    self.pid = i32::from_be_bytes(body[..4].try_into().unwrap());
                    self.secret = i32::from_be_bytes(body[4..8].try_into().unwrap());
                }
                b'D' => answer.rows.push(body),
                b'Z' | b'G' => return answer,
                _ => {}
            }
        }
    }

    fn run(&mut self, sql: &str) -> Answer {
        self.start(sql);
        self.answer()
    }

    /// Asks for the cancellation of what `self` runs, on a connection of its own.
    fn cancel(&self) {
        let mut stream = Client::socket(self.stream.peer_addr().unwrap().port());
        let numbers = [16, 80_877_102, self.pid, self.secret];
        stream.write_all(&numbers.map(i32::to_be_bytes).concat()).unwrap();
        let _ = stream.read(&mut [0]);
    }
}

#[derive(Debug, Default)]
struct Answer {
    /// Of the last error.
    code: Option<String>,
    rows: Vec<Vec<u8>>,
    closed: bool,
}

/// What ends the wait.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Cancel,
    StatementTimeout,
    LockTimeout,
    Terminate,
    Death,
    Stop,
}

/// What a session waits for.
#[derive(Clone, Copy)]
struct Kind {
    name: &'static str,
    /// How the server is started.
    server: &'static [&'static str],
    setup: &'static str,
    /// What another session does first and keeps, and where.
    other: &'static str,
    database: &'static str,
    /// What the session does first, in its block.
    before: &'static str,
    wait: Wait,
    /// It runs in a block, which holds a lock.
    block: bool,
    /// Ends that do not apply.
    except: &'static [End],
}

#[derive(Clone, Copy)]
enum Wait {
    /// For this statement's end.
    Statement(&'static str),
    /// For the client, which does not read the rows.
    NotReading(&'static str),
    /// For the client, which does not say anything.
    Client,
    /// For the client, which has begun to say something.
    Half,
}

const PLAIN: Kind = Kind {
    name: "",
    server: &[],
    setup: "select 1",
    other: "",
    database: "postgres",
    before: "select 1",
    wait: Wait::Client,
    block: true,
    except: &[End::LockTimeout],
};

/// The same, out of a block: what may not run in one.
const APART: Kind = Kind { block: false, ..PLAIN };

/// A statement that works and never waits.
const fn work(name: &'static str, sql: &'static str) -> Kind {
    Kind { name, wait: Wait::Statement(sql), ..PLAIN }
}

/// A statement that waits for a lock.
const fn lock(name: &'static str, setup: &'static str, other: &'static str, sql: &'static str) -> Kind {
    Kind { name, setup, other, wait: Wait::Statement(sql), except: &[], ..PLAIN }
}

const TABLE: &str = "create table t(id int primary key, v int unique); insert into t values (1, 1), (2, 2)";

const KINDS: &[Kind] = &[
    lock("row lock", TABLE, "update t set v = 5 where id = 1", "update t set v = 6 where id = 1"),
    lock("row lock, for share", TABLE, "update t set v = 5 where id = 1", "select * from t where id = 1 for share"),
    lock("deleted row", TABLE, "delete from t where id = 1", "delete from t"),
    lock("table lock", TABLE, "lock table t", "select * from t"),
    lock("table lock, drop", TABLE, "select * from t", "drop table t"),
    lock("table lock, create index", TABLE, "insert into t values (3, 3)", "create index on t(v)"),
    lock("table lock, truncate", TABLE, "select * from t", "truncate t"),
    lock("unique index", TABLE, "insert into t values (3, 3)", "insert into t values (3, 4)"),
    lock("on conflict", TABLE, "insert into t values (3, 3)", "insert into t values (3, 4) on conflict do nothing"),
    lock("advisory lock", "select 1", "select pg_advisory_xact_lock(1)", "select pg_advisory_lock(1)"),
    lock(
        "advisory lock, shared",
        "select 1",
        "select pg_advisory_xact_lock(1)",
        "select pg_advisory_xact_lock_shared(1)",
    ),
    lock("advisory lock of a session", "select 1", "select pg_advisory_lock(1)", "select pg_advisory_lock_shared(1)"),
    Kind { block: false, ..lock("table lock, vacuum", TABLE, "lock table t", "vacuum t") },
    lock("table lock, analyze", TABLE, "lock table t", "analyze t"),
    lock("name", "select 1", "create table n(i int)", "create table n(i int)"),
    lock("sequence", "create sequence s", "alter sequence s restart", "select nextval('s')"),
    work("pg_sleep", "select pg_sleep(1000)"),
    work("recursive query", "with recursive x(n) as (select 1 union all select n + 1 from x) select count(*) from x"),
    work(
        "recursive query, distinct",
        "with recursive x(n) as (select 1 union select n + 1 from x) select count(*) from x",
    ),
    work("CTE", "with x as materialized (select pg_sleep(1000)) select count(*) from x a, x b"),
    work("series", "select sum(i) from generate_series(1, 2000000000000) g(i)"),
    work("cross join", "select count(*) from generate_series(1, 1000000) a, generate_series(1, 100000000) b"),
    work(
        "join without rows",
        "select count(*) from generate_series(1, 1000000) a(i) join generate_series(1, 100000000) b(j) on i > j + 1000000000",
    ),
    work(
        "hash join",
        "select count(*) from generate_series(1, 100000) a(i) join generate_series(1, 1000000000000) b(j) on i = j",
    ),
    work(
        "anti join",
        "select count(*) from generate_series(1, 100000) a(i) where i not in (select j from generate_series(1, 1000000000000) b(j))",
    ),
    work("groups", "select i % 1000, count(*) from generate_series(1, 1000000000000) g(i) group by 1 order by 2"),
    work("sort", "select i from generate_series(1, 1000000000000) g(i) order by -i limit 10"),
    work(
        "window",
        "select count(r) from (select row_number() over (order by i) r from generate_series(1, 1000000000000) g(i)) s",
    ),
    work("distinct", "select count(*) from (select distinct i % 1000 from generate_series(1, 1000000000000) g(i)) s"),
    work("long strings", "select sum(length(repeat('x', 1000000 + i % 10))) from generate_series(1, 1000000000) g(i)"),
    work(
        "regular expression",
        "select count(*) from generate_series(1, 1000000000) g(i) where repeat(i::text, 50) ~ '(a|b)*c(1|2)*9{3}'",
    ),
    work("rows sent away", "select i from generate_series(1, 1000000000000) g(i) where i < 0"),
    work("CREATE TABLE AS", "create table n as select i from generate_series(1, 1000000000000) g(i)"),
    Kind {
        name: "INSERT SELECT",
        setup: "create table t(i bigint)",
        wait: Wait::Statement("insert into t select i from generate_series(1, 1000000000000) g(i)"),
        ..PLAIN
    },
    Kind {
        name: "INSERT SELECT, unique index",
        setup: "create table t(i bigint primary key)",
        wait: Wait::Statement("insert into t select i from generate_series(1, 1000000000000) g(i)"),
        ..PLAIN
    },
    Kind { name: "COPY FROM", setup: TABLE, wait: Wait::Statement("copy t from stdin"), ..PLAIN },
    Kind {
        name: "not reading",
        wait: Wait::NotReading("select repeat('x', 1000) from generate_series(1, 1000000)"),
        ..PLAIN
    },
    Kind {
        name: "not reading COPY",
        wait: Wait::NotReading("copy (select repeat('x', 1000) from generate_series(1, 1000000)) to stdout"),
        ..PLAIN
    },
    Kind {
        name: "sessions in a database",
        setup: "create database d",
        other: "select 1",
        database: "d",
        wait: Wait::Statement("drop database d"),
        ..APART
    },
    Kind { name: "idle", except: NO_STATEMENT, ..APART },
    Kind { name: "half a message", wait: Wait::Half, except: NO_STATEMENT, ..PLAIN },
    Kind { name: "idle in transaction", except: NO_STATEMENT, ..PLAIN },
    Kind {
        name: "idle in failed transaction",
        before: "savepoint a; create sequence s; select nextval('s'); select 1/0",
        except: NO_STATEMENT,
        ..PLAIN
    },
];

/// A statement that waits for a volume on which everything takes long.
const fn slow(name: &'static str, setup: &'static str, sql: &'static str) -> Kind {
    Kind { name, server: SLOW, setup, wait: Wait::Statement(sql), ..PLAIN }
}

/// Statements of two operations take longer than `statement_timeout` here.
const SLOW: &[&str] = &["--simulate-volume", "latency=300ms", "--set", "wal_sync_method=fdatasync"];
/// Many operations that take some time, and few buffers for them.
const CRAMPED: &[&str] = &["--simulate-volume", "latency=5ms", "--set", "shared_buffers=1MB"];
/// Loaded past the buffers: a statement that looks reads.
const LOADED: &str = "create table t as select i, repeat('x', 500) as v from generate_series(1, 4000) g(i)";

const SLOW_KINDS: &[Kind] = &[
    slow("CHECKPOINT", "create table t(id int, v int)", "checkpoint"),
    Kind { block: false, ..slow("VACUUM", LOADED, "vacuum t") },
    slow("ANALYZE", LOADED, "analyze t"),
    slow("CREATE INDEX", LOADED, "create index on t(i)"),
    slow("reading", LOADED, "select count(v) from t"),
    Kind {
        except: COMMITTED,
        ..slow("the log, COMMIT", "create table t(id int, v int)", "insert into t values (3, 3); commit")
    },
    Kind {
        except: COMMITTED,
        block: false,
        ..slow("the log", "create table t(id int, v int)", "insert into t values (3, 3)")
    },
    Kind {
        name: "clean buffers",
        server: CRAMPED,
        setup: "create table t as select i, repeat('x', 500) as v from generate_series(1, 20000) g(i)",
        wait: Wait::Statement("update t set v = v || 'y'"),
        ..PLAIN
    },
];

/// A commit that has begun takes place: what does not end the session does not end it.
const COMMITTED: &[End] = &[End::Cancel, End::StatementTimeout, End::LockTimeout];
const NO_STATEMENT: &[End] = &[End::Cancel, End::StatementTimeout, End::LockTimeout];

fn locks_are_free(control: &mut Client) {
    let answer = control.run("begin; set local lock_timeout = '20s'; lock table own; rollback");
    assert_eq!(answer.code, None, "its locks are not free");
}

fn gone(control: &mut Client, pid: i32) {
    let since = Instant::now();
    while !control.run(&format!("select 1 from pg_stat_activity where pid = {pid}")).rows.is_empty() {
        assert!(since.elapsed() < HANGS, "the session is still there");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn try_end(server: &mut Server, kind: &Kind, end: End) {
    let mut control = Client::connect(server.port);
    assert_eq!(control.run("set synchronous_commit = off").code, None);
    assert_eq!(control.run("create table own(i int)").code, None);
    assert_eq!(control.run(kind.setup).code, None);
    let mut other = Client::connect_to(server.port, kind.database);
    if !kind.other.is_empty() {
        assert_eq!(other.run(&format!("begin; {}", kind.other)).code, None);
    }
    let mut session = Client::connect(server.port);
    match end {
        End::StatementTimeout => drop(session.run("set statement_timeout = '300ms'")),
        End::LockTimeout => drop(session.run("set lock_timeout = '300ms'")),
        _ => {}
    }
    if kind.block {
        assert_eq!(session.run("begin; lock table own").code, None);
    }
    session.run(kind.before);
    match kind.wait {
        Wait::Statement(sql) | Wait::NotReading(sql) => session.start(sql),
        Wait::Client => {}
        Wait::Half => session.stream.write_all(b"Q\0\0\0\x20select").unwrap(),
    }
    // It waits by then; if not, it must end all the same.
    std::thread::sleep(Duration::from_millis(300));
    match end {
        End::Cancel => session.cancel(),
        End::StatementTimeout | End::LockTimeout => {}
        End::Terminate => {
            let sql = format!("select pg_terminate_backend({})", session.pid);
            assert_eq!(control.run(&sql).rows.len(), 1);
        }
        // The old socket is closed by that.
        End::Death => session.stream = Client::socket(server.port),
        End::Stop => {
            let since = Instant::now();
            assert!(server.stop() && since.elapsed() < 2 * HANGS, "the server does not stop");
            return;
        }
    }
    locks_are_free(&mut control);
    match end {
        End::Cancel | End::StatementTimeout => assert_eq!(session.answer_of_end(kind).code.as_deref(), Some("57014")),
        End::LockTimeout => assert_eq!(session.answer().code.as_deref(), Some("55P03")),
        End::Terminate => {
            gone(&mut control, session.pid);
            let answer = session.answer_of_end(kind);
            assert!(answer.closed);
            // One that does not read is not told.
            assert!(matches!(kind.wait, Wait::NotReading(_)) || answer.code.as_deref() == Some("57P01"));
        }
        End::Death => gone(&mut control, session.pid),
        End::Stop => unreachable!(),
    }
    assert_eq!(other.run("rollback").code, None);
    drop(other);
    if kind.database != "postgres" {
        assert_eq!(control.run(&format!("drop database {}", kind.database)).code, None);
    }
    for table in ["own", "t", "n"] {
        assert_eq!(control.run(&format!("drop table if exists {table}")).code, None);
    }
    assert_eq!(control.run("drop sequence if exists s").code, None);
}

impl Client {
    /// The answer to a statement that was ended. COPY has answered already that it waits for rows.
    fn answer_of_end(&mut self, kind: &Kind) -> Answer {
        if let Wait::Statement(sql) = kind.wait
            && sql.starts_with("copy")
        {
            self.answer();
        }
        self.answer()
    }
}

fn walk(kinds: &[Kind]) {
    let mut arguments = kinds[0].server;
    let mut server = Server::start(arguments);
    for kind in kinds {
        for end in [End::Cancel, End::StatementTimeout, End::LockTimeout, End::Terminate, End::Death, End::Stop] {
            if kind.except.contains(&end) {
                continue;
            }
            println!("{}: {end:?}", kind.name);
            if arguments != kind.server {
                server = Server::start(kind.server);
                arguments = kind.server;
            }
            try_end(&mut server, kind, end);
            if end == End::Stop {
                server = Server::start(kind.server);
            }
        }
    }
}

#[test]
fn everything_ends_every_wait() {
    walk(KINDS);
}

#[test]
fn everything_ends_every_wait_for_the_disk() {
    // Each has a server of its own: they wait more than they work.
    std::thread::scope(|scope| {
        for kind in SLOW_KINDS.chunks(1) {
            scope.spawn(|| walk(kind));
        }
    });
}

/// A commit cannot be taken back: neither a cancel request nor a timeout makes the server say so.
#[test]
fn a_commit_that_has_begun_takes_place() {
    let server = Server::start(SLOW);
    let mut control = Client::connect(server.port);
    assert_eq!(control.run("create table t(id int, v int); insert into t values (1, 1)").code, None);
    let mut session = Client::connect(server.port);
    let sent = ["insert into t values (3, 3)", "begin; insert into t values (4, 4); commit", "create database d"];
    for (number, sql) in sent.iter().enumerate() {
        session.start(sql);
        std::thread::sleep(Duration::from_millis(150));
        session.cancel();
        assert_eq!(session.answer().code, None, "{sql}");
        assert_eq!(control.run("select 1 from t where id > 2").rows.len(), (number + 1).min(2), "{sql}");
    }
    assert_eq!(session.run("set statement_timeout = '150ms'").code, None);
    assert_eq!(session.run("begin; insert into t values (5, 5); commit").code, None);
    assert_eq!(session.run("drop database d").code, None);
    assert_eq!(
        control.run("select 1 from t where id > 2 union all select 1 from pg_database where datname = 'd'").rows.len(),
        3
    );
}

/// A client that has not said all that it is asked for before it is let in.
fn newcomers(port: u16) -> Vec<TcpStream> {
    let silent = Client::socket(port);
    let mut half = Client::socket(port);
    half.write_all(&[0, 0, 0, 100, 0, 3, 0, 0]).unwrap();
    let asked = || {
        let mut client = Client::begin(port, "postgres");
        assert_eq!(client.message().unwrap().0, b'R');
        client
    };
    let mut scram = asked();
    let first = b"n,,n=,r=rOprNGfwEbeRWgbNEkqO";
    let length = (first.len() as u32).to_be_bytes();
    scram.send(b'p', &[b"SCRAM-SHA-256\0", &length[..], &first[..]].concat());
    assert_eq!(scram.message().unwrap().0, b'R');
    let encrypting = || {
        let mut stream = Client::socket(port);
        stream.write_all(&[8, 80_877_103].map(i32::to_be_bytes).concat()).unwrap();
        let mut answer = [0];
        stream.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"S");
        stream
    };
    let mut handshake = encrypting();
    handshake.write_all(&[0x16, 3, 1, 2, 0, 1]).unwrap();
    vec![silent, half, asked().stream, scram.stream, encrypting(), handshake]
}

/// Clients that never say who they are end with `authentication_timeout`, and hold up the server's end as little.
#[test]
fn authentication_ends() {
    let start = |more: &[&str]| {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("data");
        std::fs::create_dir(&root).unwrap();
        std::fs::write(root.join("pg_hba.conf"), "host all all 127.0.0.1/32 scram-sha-256\n").unwrap();
        let mut openssl = std::process::Command::new("openssl");
        openssl.args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-keyout"]);
        let made = openssl.arg(root.join("server.key")).arg("-out").arg(root.join("server.crt")).output();
        if !made.is_ok_and(|output| output.status.success()) {
            testkit::skip("openssl does not make a certificate");
            return None;
        }
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(root.join("server.key"), mode).unwrap();
        Some((Server::start_in(&root, &[&["--set", "ssl=on"], more].concat()), dir))
    };
    let Some((server, _dir)) = start(&["--set", "authentication_timeout=1s"]) else { return };
    for mut newcomer in newcomers(server.port) {
        let mut answer = Vec::new();
        newcomer.read_to_end(&mut answer).expect("it is sent away");
    }
    let Some((mut server, _dir)) = start(&["--set", "authentication_timeout=10min"]) else { return };
    let newcomers = newcomers(server.port);
    let since = Instant::now();
    assert!(server.stop() && since.elapsed() < HANGS);
    drop(newcomers);
}

/// After a statement was cancelled nothing of it works on: the process is idle within a second.
#[test]
fn nothing_of_a_cancelled_statement_works_on() {
    let server = Server::start(&["--set", "max_parallel_workers_per_gather=2"]);
    let ticks = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", server.pid())).unwrap();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
        // User and system time, in hundredths of a second.
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
    };
    let mut session = Client::connect(server.port);
    let rows = "create table big as select i, i % 7 as j from generate_series(1, 300000) g(i)";
    assert_eq!(session.run(rows).code, None);
    for sql in [
        "select count(*) from generate_series(1, 1000000) a, generate_series(1, 100000000) b",
        "select count(*) from big a, big b where a.i + b.i < 0",
    ] {
        session.start(sql);
        std::thread::sleep(Duration::from_millis(500));
        session.cancel();
        assert_eq!(session.answer().code.as_deref(), Some("57014"), "{sql}");
        std::thread::sleep(Duration::from_secs(1));
        let before = ticks();
        std::thread::sleep(Duration::from_secs(2));
        assert!(ticks() - before < 50, "something works on after {sql}");
    }
}

/// Others are served beside statements that never wait, and a cancel request is heard.
#[test]
fn others_are_served_beside_long_statements() {
    let server = Server::start(&[]);
    let mut control = Client::connect(server.port);
    assert_eq!(control.run(TABLE).code, None);
    let mut long: Vec<Client> = (0..4).map(|_| Client::connect(server.port)).collect();
    for (index, session) in long.iter_mut().enumerate() {
        session.start(match index % 2 {
            0 => "with recursive x(n) as (select 1 union all select n + 1 from x) select count(*) from x",
            _ => "select count(*) from generate_series(1, 1000000) a, generate_series(1, 100000000) b",
        });
    }
    for _ in 0..1000 {
        assert_eq!(control.run("select v from t where id = 2").rows.len(), 1);
    }
    assert_eq!(control.run("select count(*), max(v) from t").rows.len(), 1);
    for session in &mut long {
        session.cancel();
        assert_eq!(session.answer().code.as_deref(), Some("57014"));
    }
}

/// What grows without end fails when it has its share of memory; it does not take the machine's.
#[test]
fn growth_without_end_fails() {
    let server = Server::start(&[]);
    let mut session = Client::connect(server.port);
    for sql in [
        "with recursive x(n, s) as (select 1, repeat('x', 1000) union all select n + 1, s || i::text from x, \
         generate_series(1, 40) g(i)) select count(*) from x",
        "select max(s) from (select ntile(3) over () s from generate_series(1, 100000000000) g(i)) t",
    ] {
        assert_eq!(session.run(sql).code.as_deref(), Some("53200"), "{sql}");
    }
}

#[test]
fn timeouts_of_sessions_and_transactions() {
    let server = Server::start(&[]);
    for (set, wait, code) in [
        ("set idle_session_timeout = '200ms'", "", "57P05"),
        ("set idle_in_transaction_session_timeout = '200ms'; begin", "", "25P03"),
        ("set transaction_timeout = '300ms'; begin", "", "25P04"),
        ("set transaction_timeout = '300ms'", "select pg_sleep(1000)", "25P04"),
        ("set transaction_timeout = '300ms'; begin", "select count(*) from generate_series(1, 100000000000)", "25P04"),
    ] {
        let mut session = Client::connect(server.port);
        session.start(set);
        let answer = session.answer();
        assert_eq!(answer.code, None, "{set}");
        if !wait.is_empty() {
            session.start(wait);
        }
        let answer = session.answer();
        assert_eq!((answer.code.as_deref(), answer.closed), (Some(code), true), "{set}");
    }
}

#[test]
fn a_client_is_not_idle_before_sync() {
    let server = Server::start(&[]);
    for set in
        ["set idle_session_timeout = '200ms'", "set idle_in_transaction_session_timeout = '200ms'; begin; select 1"]
    {
        let mut session = Client::connect(server.port);
        assert_eq!(session.run(set).code, None, "{set}");
        session.send(b'P', b"\0select 1\0\0\0");
        session.send(b'H', b"");
        std::thread::sleep(Duration::from_millis(600));
        session.send(b'S', b"");
        let answer = session.answer();
        assert_eq!((answer.code, answer.closed), (None, false), "{set}");
    }
}
