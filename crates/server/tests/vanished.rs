//! A client whose machine vanishes says nothing more, not even goodbye: TCP finds out (`tcp_keepalives_*`,
//! `tcp_user_timeout`), whatever the session waits for. The other machine is a network namespace, whose link is cut.
//!
//! A client that leaves is noticed by what it left, whatever way it took, whatever its session does, and over whichever kind
//! of connection. Times only tell a hang.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use testkit::{Server, skip};
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

/// What takes longer hangs; the settings below are a few seconds.
const HANGS: Duration = Duration::from_secs(30);

/// A machine with a link to this one.
struct Machine {
    name: String,
    /// Of its addresses; this machine's end of the link has the first.
    net: String,
}

fn ip(arguments: &str) -> bool {
    let mut command = Command::new("ip");
    command.args(arguments.split(' ')).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

impl Machine {
    /// `None` where this process may not make one.
    fn new() -> Option<Machine> {
        let id = std::process::id();
        let machine = Machine { name: format!("ift{id}"), net: format!("10.{}.{}", 64 + id / 256 % 128, id % 256) };
        let Machine { name, net } = &machine;
        let made = ip(&format!("netns add {name}"))
            && ip(&format!("link add {name} type veth peer name eth0 netns {name}"))
            && ip(&format!("addr add {net}.1/24 dev {name}"))
            && ip(&format!("link set {name} up"))
            && ip(&format!("-n {name} addr add {net}.2/24 dev eth0"))
            && ip(&format!("-n {name} link set eth0 up"));
        if !made {
            skip("a network namespace cannot be made");
            return None;
        }
        Some(machine)
    }

    /// psql on that machine; its standard input stays open.
    fn psql(&self, port: u16, arguments: &[&str]) -> Child {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.name, "psql", "-X", "-h", &format!("{}.1", self.net)]);
        command.args(["-p", &port.to_string(), "-U", "guest", "-d", "postgres"]).args(arguments);
        command.env("PGPASSWORD", "guest").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        command.spawn().unwrap()
    }

    fn vanish(&self) {
        assert!(ip(&format!("link set {} down", self.name)));
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        ip(&format!("link del {}", self.name));
        ip(&format!("netns del {}", self.name));
    }
}

#[test]
fn sessions_of_a_machine_that_vanishes_end() {
    let Some(machine) = Machine::new() else { return };
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("data");
    std::fs::create_dir(&root).unwrap();
    let rules = format!("host all all 127.0.0.1/32 trust\nhost all all {}.0/24 scram-sha-256\n", machine.net);
    std::fs::write(root.join("pg_hba.conf"), rules).unwrap();
    let addresses = format!("listen_addresses=127.0.0.1,{}.1", machine.net);
    let settings = [
        &addresses,
        "tcp_keepalives_idle=2",
        "tcp_keepalives_interval=1",
        "tcp_keepalives_count=2",
        "tcp_user_timeout=4s",
    ];
    let settings: Vec<&str> = settings.into_iter().flat_map(|setting| ["--set", setting]).collect();
    let server = Server::start_in(&root, &settings);
    let Some((_, errors)) = server.psql(&["-c", "create role guest login superuser password 'guest'"]) else { return };
    assert_eq!(errors, "");
    let sessions = || {
        let (count, errors) =
            server.psql(&["-Atc", "select count(*) from pg_stat_activity where usename = 'guest'"]).unwrap();
        assert_eq!(errors, "");
        count.trim().parse::<usize>().unwrap()
    };
    let wait_for = |wanted: usize| {
        let since = Instant::now();
        while sessions() != wanted {
            assert!(since.elapsed() < HANGS, "{} sessions, not {wanted}", sessions());
            std::thread::sleep(Duration::from_millis(200));
        }
    };
    let mut clients = vec![
        // Silent; in a statement that waits; in one that works; not reading what it gets.
        machine.psql(server.port, &[]),
        machine.psql(server.port, &["-c", "select pg_sleep(1000)"]),
        machine.psql(server.port, &["-c", "select count(*) from generate_series(1, 1000000000000)"]),
        machine
            .psql(server.port, &["-c", "copy (select repeat('x', 1000) from generate_series(1, 100000000)) to stdout"]),
    ];
    wait_for(clients.len());
    // All are in what they do.
    std::thread::sleep(Duration::from_secs(1));
    machine.vanish();
    wait_for(0);
    for client in &mut clients {
        client.kill().unwrap();
        client.wait().unwrap();
    }
}

/// What a client is connected by.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Link {
    Tcp,
    Unix,
    Tls,
}

/// How a client leaves whose statement has not ended.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// Without a word.
    Closes,
    /// With a reset, where the connection knows one.
    Resets,
    /// As libpq's `PQfinish`.
    SaysGoodbye,
    /// The same, where the statement's Sync came with it.
    SaysGoodbyeAfterSync,
    /// Having asked for more.
    AskedForMore,
    /// In the middle of asking.
    WithinAWord,
    /// Its process is killed.
    IsKilled,
}

const WAYS: [Way; 7] = [
    Way::Closes,
    Way::Resets,
    Way::SaysGoodbye,
    Way::SaysGoodbyeAfterSync,
    Way::AskedForMore,
    Way::WithinAWord,
    Way::IsKilled,
];

trait Connection: Read + Write {
    /// What is below TLS.
    fn socket(&self) -> &dyn AsFd;
    fn shut_down(&mut self);
}

impl Connection for TcpStream {
    fn socket(&self) -> &dyn AsFd {
        self
    }

    fn shut_down(&mut self) {
        self.shutdown(Shutdown::Write).unwrap();
    }
}

impl Connection for UnixStream {
    fn socket(&self) -> &dyn AsFd {
        self
    }

    fn shut_down(&mut self) {
        self.shutdown(Shutdown::Write).unwrap();
    }
}

impl Connection for StreamOwned<ClientConnection, TcpStream> {
    fn socket(&self) -> &dyn AsFd {
        &self.sock
    }

    fn shut_down(&mut self) {
        self.conn.send_close_notify();
        self.flush().unwrap();
        self.sock.shutdown(Shutdown::Write).unwrap();
    }
}

/// A client that speaks the protocol by hand.
struct Client {
    stream: Box<dyn Connection>,
    pid: i32,
}

fn tls(port: u16, certificate: &Path) -> StreamOwned<ClientConnection, TcpStream> {
    let mut tcp = TcpStream::connect(("127.0.0.1", port)).unwrap();
    tcp.write_all(&[8, 80_877_103].map(i32::to_be_bytes).concat()).unwrap();
    let mut answer = [0];
    tcp.read_exact(&mut answer).unwrap();
    assert_eq!(answer, *b"S");
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(certificate).unwrap()).unwrap();
    let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    let connection = ClientConnection::new(Arc::new(config), "localhost".try_into().unwrap()).unwrap();
    StreamOwned::new(connection, tcp)
}

impl Client {
    fn connect(server: &Server, link: Link) -> Client {
        let port = server.port;
        let stream: Box<dyn Connection> = match link {
            Link::Tcp => Box::new(TcpStream::connect(("127.0.0.1", port)).unwrap()),
            Link::Unix => Box::new(UnixStream::connect(server.root().join(format!(".s.PGSQL.{port}"))).unwrap()),
            Link::Tls => Box::new(tls(port, &server.root().join("server.crt"))),
        };
        let mut client = Client { stream, pid: 0 };
        let words = b"user\0postgres\0database\0postgres\0\0";
        let head = [words.len() as i32 + 8, 3 << 16].map(i32::to_be_bytes).concat();
        client.stream.write_all(&[&head[..], &words[..]].concat()).unwrap();
        client.answers();
        client
    }

    /// The kinds of the messages up to ReadyForQuery, or the end.
    fn answers(&mut self) -> Vec<u8> {
        let mut kinds = Vec::new();
        loop {
            let mut head = [0; 5];
            if self.stream.read_exact(&mut head).is_err() {
                return kinds;
            }
            let mut body = vec![0; i32::from_be_bytes(head[1..].try_into().unwrap()) as usize - 4];
            self.stream.read_exact(&mut body).unwrap();
            kinds.push(head[0]);
            match head[0] {
                b'K' => self.pid = i32::from_be_bytes(body[..4].try_into().unwrap()),
                b'Z' => return kinds,
                _ => {}
            }
        }
    }

    fn say(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
        self.stream.flush().unwrap();
    }

    fn run(&mut self, sql: &str) -> Vec<u8> {
        self.say(&query(sql));
        self.answers()
    }
}

fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    [&[kind][..], &(body.len() as i32 + 4).to_be_bytes()[..], body].concat()
}

fn query(sql: &str) -> Vec<u8> {
    message(b'Q', format!("{sql}\0").as_bytes())
}

/// The messages that run a statement in the extended protocol.
fn extended(sql: &str) -> Vec<u8> {
    let parse = message(b'P', format!("\0{sql}\0\0\0").as_bytes());
    let bind = message(b'B', &[0; 8]);
    [parse, bind, message(b'E', &[0; 5]), message(b'S', b"")].concat()
}

/// A certificate for `localhost`, by openssl. `false` where there is none.
fn certificate(directory: &Path) -> bool {
    let script = "openssl req -x509 -newkey rsa:2048 -nodes -keyout server.key -out server.crt -subj /CN=localhost \
                  -addext subjectAltName=DNS:localhost -addext basicConstraints=critical,CA:FALSE -days 30 && chmod 600 server.key";
    let made = Command::new("sh").args(["-c", script]).current_dir(directory).output();
    let made = made.is_ok_and(|output| output.status.success());
    if !made {
        skip("openssl");
    }
    made
}

/// A server that clients reach over every kind of link, and a session to look at others from.
struct Scene {
    server: Server,
    watcher: Client,
    links: Vec<Link>,
    _directory: tempfile::TempDir,
}

impl Scene {
    fn new(settings: &[&str]) -> Scene {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("data");
        // It makes its directory.
        drop(Server::start_in(&root, &[]));
        let mut links = vec![Link::Tcp, Link::Unix];
        let mut arguments = settings.to_vec();
        if certificate(&root) {
            links.push(Link::Tls);
            let tls = "--set ssl=on --set ssl_cert_file=server.crt --set ssl_key_file=server.key";
            arguments.extend(tls.split(' '));
        }
        let server = Server::start_in(&root, &arguments);
        let mut watcher = Client::connect(&server, Link::Tcp);
        watcher.run("create table t(id int primary key, v int); insert into t values (1, 1), (2, 2)");
        watcher.run("create table said(link text)");
        Scene { server, watcher, links, _directory: directory }
    }

    fn has(&mut self, condition: &str) -> bool {
        self.watcher.run(&format!("select 1 where {condition}")).contains(&b'D')
    }

    fn wait_until(&mut self, what: &str, condition: &str) {
        let since = Instant::now();
        while !self.has(condition) {
            assert!(since.elapsed() < HANGS, "{what}: not {condition}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// A client leaves while `sql` runs: its session ends.
    fn leave(&mut self, link: Link, way: Way, sql: &str) {
        let what = format!("{link:?} {way:?}: {sql}");
        let marked = format!("{sql} /* {link:?} {way:?} */");
        let active = |of: &str| format!("exists(select from pg_stat_activity where state = 'active' and {of})");
        if way == Way::IsKilled {
            let mut psql = self.psql(link, &marked);
            let query = active(&format!("query = '{}'", marked.replace('\'', "''")));
            self.wait_until(&what, &query);
            psql.kill().unwrap();
            psql.wait().unwrap();
            return self.wait_until(&what, &format!("not {query}"));
        }
        let mut client = Client::connect(&self.server, link);
        let begin = if way == Way::SaysGoodbyeAfterSync { extended(&marked) } else { query(&marked) };
        client.say(&begin);
        let own = format!("pid = {}", client.pid);
        self.wait_until(&what, &active(&own));
        match way {
            Way::Closes | Way::IsKilled => {}
            Way::Resets => {
                let below = client.stream.socket();
                let _ = socket2::SockRef::from(&below).set_linger(Some(Duration::ZERO));
            }
            Way::SaysGoodbye | Way::SaysGoodbyeAfterSync => client.say(&message(b'X', b"")),
            Way::AskedForMore => client.say(&query("select 1").repeat(3)),
            Way::WithinAWord => client.say(&query("select 1")[..9]),
        }
        if way != Way::Resets {
            client.stream.shut_down();
        }
        drop(client);
        self.wait_until(&what, &format!("not exists(select from pg_stat_activity where {own})"));
    }

    fn psql(&self, link: Link, sql: &str) -> Child {
        let host = match link {
            Link::Unix => self.server.root().display().to_string(),
            Link::Tcp | Link::Tls => "127.0.0.1".into(),
        };
        let mut command = Command::new("psql");
        command.args(["-X", "-h", &host, "-p", &self.server.port.to_string(), "-U", "postgres"]);
        command.args(["-d", "postgres", "-c", sql]);
        command.env("PGSSLMODE", if link == Link::Tls { "require" } else { "disable" });
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }
}

fn has_psql() -> bool {
    let found = Command::new("psql").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !found {
        skip("psql");
    }
    found
}

/// Statements that do not end by themselves: one works, two wait. Another session has locked the row.
const ENDLESS: [&str; 3] = [
    "select count(*) from generate_series(1, 1000000000000)",
    "update t set v = 3 where id = 1",
    "select pg_sleep(100000)",
];

fn everybody_leaves(settings: &[&str], ways: &[Way]) {
    if !has_psql() {
        return;
    }
    let mut scene = Scene::new(settings);
    let mut other = Client::connect(&scene.server, Link::Tcp);
    assert_eq!(other.run("begin; update t set v = 2 where id = 1").last(), Some(&b'Z'));
    for link in scene.links.clone() {
        for way in ways {
            ENDLESS.iter().for_each(|sql| scene.leave(link, *way, sql));
        }
    }
    assert_eq!(other.run("rollback"), b"CZ");
    assert!(scene.has("(select sum(v) = 3 from t)"));
}

#[test]
fn clients_that_leave_are_looked_for() {
    everybody_leaves(&["--set", "client_connection_check_interval=100ms"], &WAYS);
}

/// Of a client that has asked for more only its end of the connection says that it does not listen.
#[test]
fn clients_that_leave_and_ask_for_nothing_are_noticed_by_that() {
    let ways: Vec<Way> = WAYS.into_iter().filter(|way| *way != Way::AskedForMore).collect();
    everybody_leaves(&[], &ways);
}

/// A client may close its side when it has asked for everything, and listen on.
#[test]
fn what_was_asked_for_before_the_end_is_done() {
    let mut scene = Scene::new(&[]);
    for link in scene.links.clone() {
        let mut client = Client::connect(&scene.server, link);
        let insert = query(&format!("insert into said values ('{link:?}')"));
        let endless = query("select pg_sleep(100000)");
        let asked = [query("select pg_sleep(0.3)"), insert.clone(), insert.clone(), endless, message(b'X', b"")];
        client.say(&asked.concat());
        client.stream.shut_down();
        let answers: Vec<Vec<u8>> = (0..3).map(|_| client.answers()).collect();
        assert_eq!(answers, [&b"TDCZ"[..], b"CZ", b"CZ"], "{link:?}");
        // Behind that there is nothing to do but to end.
        assert!(!client.answers().contains(&b'Z'), "{link:?}");
        let count = format!("(select count(*) = 2 from said where link = '{link:?}')");
        assert!(scene.has(&count), "{link:?}");
    }
}
