//! Which clients get in: passwords, rules, sockets, encryption, and clients that never say who they are. psql is the
//! client, as far as there is one; certificates are made with openssl.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use testkit::{Server, skip};
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

/// What stands in the tests' statements and must stand nowhere else.
const SECRET: &str = "correct-horse-7";

/// A server whose pg_hba.conf has these lines.
fn serve(hba: &str, arguments: &[&str]) -> (tempfile::TempDir, Server) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("data");
    std::fs::create_dir(&root).unwrap();
    std::fs::write(root.join("pg_hba.conf"), hba).unwrap();
    let server = Server::start_in(&root, arguments);
    (dir, server)
}

/// The user that runs the tests comes in over the socket, others show their passwords.
const RULES: &str = "local all postgres trust\nlocal all all peer\nhost all all 127.0.0.1/32 scram-sha-256\n";

/// Runs a statement with psql; gives whether it went well, and all that it printed. `None` where there is no psql.
fn psql(connection: &str, password: Option<&str>, statement: &str) -> Option<(bool, String)> {
    let mut command = Command::new("psql");
    command.args(["-X", "-w", "-A", "-t", "-d", connection, "-c", statement]).stdin(Stdio::null());
    command.env("PGPASSFILE", "/nonexistent").env_remove("PGPASSWORD");
    if let Some(password) = password {
        command.env("PGPASSWORD", password);
    }
    match command.output() {
        Ok(output) => {
            let text = [output.stdout, output.stderr].concat();
            Some((output.status.success(), String::from_utf8(text).unwrap().trim().to_string()))
        }
        Err(error) => {
            skip(&format!("psql: {error}"));
            None
        }
    }
}

/// As the superuser, over the socket.
trait Superuser {
    fn must(&self, statement: &str) -> Option<String>;
}

impl Superuser for Server {
    fn must(&self, statement: &str) -> Option<String> {
        let (well, text) = psql(&self.local(), None, statement)?;
        assert!(well, "{statement}: {text}");
        Some(text)
    }
}

#[test]
fn passwords_are_asked_for_and_checked() {
    let (_dir, server) = serve(RULES, &[]);
    let Some(_) = server.must(&format!("create role anna login password '{SECRET}'")) else { return };
    let refused = |user: &str, password, why: &str| {
        let (well, text) = psql(&server.tcp(user, ""), password, "select 1").unwrap();
        assert!(!well && text.contains(why), "{user}: {text}");
    };
    let (well, text) = psql(&server.tcp("anna", ""), Some(SECRET), "select current_user").unwrap();
    assert!(well && text == "anna", "{text}");
    refused("anna", Some("wrong"), "password authentication failed for user \"anna\"");
    refused("nobody", Some("wrong"), "password authentication failed for user \"nobody\"");
    refused("anna", None, "no password supplied");
    refused("postgres", Some(""), "no password supplied");
    // Attributes.
    server.must("alter role anna nologin");
    refused("anna", Some(SECRET), "role \"anna\" is not permitted to log in");
    server.must("alter role anna login valid until '2001-01-01'");
    refused("anna", Some(SECRET), "password authentication failed");
    server.must("alter role anna valid until '2101-01-01' connection limit 0");
    refused("anna", Some(SECRET), "too many connections for role \"anna\"");
    server.must("alter role anna connection limit -1");
    let (well, text) = psql(&server.tcp("anna", ""), Some(SECRET), "create role other").unwrap();
    assert!(!well && text.contains("permission denied to create role"), "{text}");
    let (well, text) = psql(&server.tcp("anna", ""), Some(SECRET), "select * from pg_authid").unwrap();
    assert!(!well && text.contains("permission denied for table pg_authid"), "{text}");
    let kept = server.must("select rolpassword from pg_authid where rolname = 'anna'").unwrap();
    assert!(kept.starts_with("SCRAM-SHA-256$4096:"), "{kept}");
    assert_eq!(server.must("select rolpassword from pg_roles where rolname = 'anna'").unwrap(), "********");
    // Every role may change its own password; a verifier is taken as it is.
    let (well, text) = psql(&server.tcp("anna", ""), Some(SECRET), "alter role anna password 'another'").unwrap();
    assert!(well, "{text}");
    refused("anna", Some(SECRET), "password authentication failed");
    server.must(&format!("alter role anna password '{kept}'"));
    assert!(psql(&server.tcp("anna", ""), Some(SECRET), "select 1").unwrap().0);
    server.must("alter role anna rename to berta");
    assert!(psql(&server.tcp("berta", ""), Some(SECRET), "select 1").unwrap().0);
    let (well, text) = psql(&server.local(), None, &format!("create role c password md5 '{SECRET}'")).unwrap();
    assert!(!well && text.contains("syntax error"), "{text}");
    let log = server.log.lock().unwrap().clone();
    assert!(log.contains("password authentication failed") && !log.contains(SECRET) && !log.contains("SCRAM-SHA-256$"));
}

#[test]
fn roles_outlive_the_server() {
    let (_dir, mut server) = serve(RULES, &[]);
    let Some(_) = server.must(&format!("create role anna login createdb connection limit 3 password '{SECRET}'"))
    else {
        return;
    };
    server.must("begin; create role gone; rollback");
    server.must("create role brief; drop role brief");
    server.kill();
    let server = Server::start_in(server.root(), &[]);
    let roles = "select rolname, rolcreatedb, rolconnlimit from pg_roles where rolname <> current_user and oid > 16384";
    assert!(server.must(roles).unwrap().ends_with("anna|t|3"));
    assert!(psql(&server.tcp("anna", ""), Some(SECRET), "select 1").unwrap().0);
    server.must("create table t (id int)");
    let (_, text) = psql(&server.local(), None, "drop role postgres").unwrap();
    assert!(text.contains("cannot be dropped"), "{text}");
}

/// PostgreSQL checks `role` and `session_authorization` in start-up packets as SET does.
#[test]
fn a_client_does_not_begin_as_whom_it_may_not_become() {
    let (_dir, server) = serve("host all all 127.0.0.1/32 trust\nlocal all all trust\n", &[]);
    let Some(_) = server.must("create role anna login") else { return };
    server.must("create role berta").unwrap();
    server.must("grant berta to anna").unwrap();
    let begin = |options: &str| {
        let connection = server.tcp("anna", &format!("options='{options}'"));
        psql(&connection, None, "select current_user, session_user, current_setting('is_superuser')").unwrap()
    };
    for setting in ["role", "ROLE", "session_authorization"] {
        let (well, text) = begin(&format!("-c {setting}=postgres"));
        assert!(!well && text.contains("permission denied to set"), "{setting}: {text}");
    }
    let (well, text) = begin("-c role=nosuch");
    assert!(!well && text.contains("does not exist"), "{text}");
    assert_eq!(begin("-c role=berta"), (true, "berta|anna|off".into()));
    assert_eq!(begin("-c session_authorization=anna"), (true, "anna|anna|off".into()));
}

/// What superusers set may begin a session of a role that it was granted to.
#[test]
fn a_client_begins_with_settings_that_it_may_set() {
    let (_dir, server) = serve("host all all 127.0.0.1/32 trust\nlocal all all trust\n", &[]);
    let Some(_) = server.must("create role anna login") else { return };
    let begin = |options: &str| {
        let connection = server.tcp("anna", &format!("options='{options}'"));
        psql(&connection, None, "show track_io_timing").unwrap()
    };
    let refused = |options: &str, setting: &str| {
        let (well, text) = begin(options);
        assert!(!well && text.contains(&format!("permission denied to set parameter \"{setting}\"")), "{text}");
    };
    refused("-c track_io_timing=off", "track_io_timing");
    refused("-c log_connections=on", "log_connections");
    server.must("grant set on parameter track_io_timing to anna").unwrap();
    assert_eq!(begin("-c track_io_timing=off"), (true, "off".into()));
    refused("-c log_duration=on", "log_duration");
    server.must("revoke set on parameter track_io_timing from anna").unwrap();
    refused("-c track_io_timing=off", "track_io_timing");
}

#[test]
fn a_database_has_so_many_sessions_as_it_may_have() {
    let (_dir, server) = serve("host all all 127.0.0.1/32 trust\nlocal all all trust\n", &[]);
    let Some(_) = server.must("create role anna login") else { return };
    server.must("create database few").unwrap();
    server.must("alter database few connection limit 0").unwrap();
    let begin = |user: &str| psql(&server.tcp(user, "dbname=few"), None, "select 1").unwrap();
    let (well, text) = begin("anna");
    assert!(!well && text.contains("too many connections for database \"few\""), "{text}");
    assert!(begin("postgres").0);
    server.must("alter database few connection limit 1").unwrap();
    assert!(begin("anna").0);
    server.must("alter database few allow_connections false").unwrap();
    let (well, text) = begin("postgres");
    assert!(!well && text.contains("database \"few\" is not currently accepting connections"), "{text}");
}

#[test]
fn rules_are_read_again_and_wrong_ones_are_not_taken() {
    let (_dir, server) = serve(RULES, &[]);
    let Some(_) = server.must(&format!("create role anna login password '{SECRET}'")) else { return };
    let hba = server.root().join("pg_hba.conf");
    let write = |text: &str| std::fs::write(&hba, format!("{RULES}{text}")).unwrap();
    let anna = || psql(&server.tcp("anna", ""), Some(SECRET), "select 1").unwrap();
    write("host all all 10.0.0.0/99 trust\nnonsense\n");
    server.must("select pg_reload_conf()");
    assert!(server.log_has("line 4: invalid CIDR mask") && server.log_has("line 5: invalid connection type"));
    assert!(anna().0);
    let shown =
        server.must("select line_number, error from pg_hba_file_rules where error is not null order by 1").unwrap();
    assert!(shown.starts_with("4|invalid CIDR mask in address \"10.0.0.0/99\""), "{shown}");
    std::fs::write(&hba, "local all all trust\nhost all anna 127.0.0.1/32 reject\n").unwrap();
    server.must("select pg_reload_conf()");
    let (well, text) = anna();
    assert!(!well && text.contains("pg_hba.conf rejects connection for host \"127.0.0.1\", user \"anna\""), "{text}");
    std::fs::write(&hba, "local all all trust\n").unwrap();
    Command::new("kill").args(["-HUP", &server.pid().to_string()]).status().unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let (well, text) = anna();
        let wanted = "no pg_hba.conf entry for host \"127.0.0.1\", user \"anna\", database \"postgres\", no encryption";
        if !well && text.contains(wanted) {
            break;
        }
        assert!(Instant::now() < deadline, "{text}");
    }
}

#[test]
fn whoever_says_nothing_is_sent_away() {
    let (_dir, server) =
        serve(RULES, &["--set", "authentication_timeout=2s", "--set", "superuser_reserved_connections=1"]);
    let connect = || TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    let silent: Vec<TcpStream> = (0..40).map(|_| connect()).collect();
    // Half a startup message, a length that the server does not wait for, and a start without an answer to the question.
    let mut half = connect();
    half.write_all(&[0, 0, 0, 100, 0, 3, 0, 0]).unwrap();
    let mut endless = connect();
    endless.write_all(&[0x7f, 0xff, 0xff, 0xff, 0, 3, 0, 0]).unwrap();
    let mut waiting = connect();
    let body = b"\0\x03\0\0user\0anna\0\0";
    waiting.write_all(&[&(body.len() as u32 + 4).to_be_bytes()[..], body].concat()).unwrap();
    server.must("select 1");
    let gone = |mut stream: TcpStream| {
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    };
    assert!(gone(endless).contains("invalid length of startup packet"));
    assert_eq!(gone(half), "");
    assert!(gone(waiting).contains("canceling authentication due to timeout"));
    silent.into_iter().for_each(|stream| assert_eq!(gone(stream), ""));
    server.must("select 1");
}

#[test]
fn the_operating_system_says_who_it_is() {
    let (_dir, mut server) = serve("local all all peer\n", &[]);
    let user = Command::new("id").arg("-un").output().unwrap();
    let user = String::from_utf8(user.stdout).unwrap().trim().to_string();
    let socket = format!("host={} port={} dbname=postgres", server.root().display(), server.port);
    let Some((well, text)) =
        psql(&socket, None, "select current_user, client_port from pg_stat_activity where pid = pg_backend_pid()")
    else {
        return;
    };
    assert!(well && text == format!("{user}|-1"), "{text}");
    let (well, text) = psql(&format!("{socket} user=nobody"), None, "select 1").unwrap();
    assert!(!well && text.contains("Peer authentication failed for user \"nobody\""), "{text}");
    // A map lets users be other roles.
    std::fs::write(server.root().join("pg_hba.conf"), "local all all peer map=m\n").unwrap();
    std::fs::write(server.root().join("pg_ident.conf"), format!("m \"{user}\" all\n")).unwrap();
    psql(&socket, None, "select pg_reload_conf()").unwrap();
    let (well, text) = psql(&format!("{socket} user=postgres"), None, "select current_user").unwrap();
    assert!(well && text == "postgres", "{text}");
    // A second server does not take the socket of the first, and finds what a killed one has left.
    let name = server.root().join(format!(".s.PGSQL.{}", server.port));
    let directories = format!("unix_socket_directories={}", server.root().display());
    let other = tempfile::tempdir().unwrap();
    let mut second = testkit::command(
        &other.path().join("data"),
        server.port,
        &["--set", "listen_addresses=", "--set", &directories],
    );
    let output = second.output().unwrap();
    assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains(".lock\" already exists"));
    server.kill();
    assert!(name.exists());
    let mut server = Server::start_in(server.root(), &[]);
    let name = server.root().join(format!(".s.PGSQL.{}", server.port));
    assert!(name.exists() && server.stop() && !name.exists());
}

#[test]
fn nobody_is_trusted_from_other_machines() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("data");
    std::fs::create_dir(&root).unwrap();
    std::fs::write(root.join("pg_hba.conf"), "local all all trust\nhost all all 0.0.0.0/0 trust\n").unwrap();
    let port = testkit::free_port();
    let mut command = testkit::command(&root, port, &["--set", "listen_addresses=*"]);
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && text.contains("line 2") && text.contains("scram-sha-256"), "{text}");
    // On loopback it is as in PostgreSQL, on several addresses too.
    let server = Server::start_in(&root, &["--set", "listen_addresses=localhost, 127.0.0.2"]);
    let other = server.tcp("postgres", "").replace("127.0.0.1", "127.0.0.2");
    let Some((well, text)) = psql(&other, None, "select 1") else { return };
    assert!(well, "{text}");
}

/// Makes keys and certificates with openssl. `false` where there is none.
fn certificates(dir: &Path) -> bool {
    let script = r#"set -e
        authority() { openssl req -x509 -newkey rsa:2048 -nodes -keyout $1.key -out $1.crt -subj "/CN=$1" -days 30; }
        authority ca; authority foreign
        signed() { # name subject authority days extra
            openssl req -newkey rsa:2048 -nodes -keyout $1.key -out $1.csr -subj "$2"
            printf "$5" > $1.ext
            openssl x509 -req -in $1.csr -CA $3.crt -CAkey $3.key -CAcreateserial -out $1.crt -days $4 -extfile $1.ext
        }
        signed server /CN=localhost ca 30 'subjectAltName=DNS:localhost\n'
        signed second /CN=second ca 30 'subjectAltName=DNS:second\n'
        signed anna /O=Example/CN=anna ca 30 'extendedKeyUsage=clientAuth\n'
        signed strange /CN=anna foreign 30 'extendedKeyUsage=clientAuth\n'
        signed expired /CN=anna ca -1 'extendedKeyUsage=clientAuth\n'
        authority self
        chmod 600 *.key"#;
    match Command::new("sh").args(["-c", script]).current_dir(dir).output() {
        Ok(output) if output.status.success() => true,
        Ok(output) => {
            skip(&format!("openssl: {}", String::from_utf8_lossy(&output.stderr)));
            false
        }
        Err(error) => {
            skip(&format!("openssl: {error}"));
            false
        }
    }
}

/// The first bytes of what the server says to a client that begins with TLS and these names of protocols; `None`: it hangs up.
fn begin_with_tls(port: u16, authority: &str, protocols: &[&[u8]]) -> Option<Vec<u8>> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(authority).unwrap()).unwrap();
    let mut config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
    let tls = ClientConnection::new(Arc::new(config), "localhost".try_into().unwrap()).unwrap();
    let tcp = TcpStream::connect(("127.0.0.1", port)).unwrap();
    tcp.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let mut stream = StreamOwned::new(tls, tcp);
    let words = b"\0\x03\0\0user\0anna\0\0";
    let said = [&(words.len() as u32 + 4).to_be_bytes()[..], &words[..]].concat();
    let mut answer = vec![0; 5];
    stream.write_all(&said).and_then(|()| stream.read_exact(&mut answer)).ok().map(|()| answer)
}

#[test]
fn connections_are_encrypted_and_certificates_are_looked_at() {
    let certs = tempfile::tempdir().unwrap();
    if !certificates(certs.path()) {
        return;
    }
    let path = |name: &str| certs.path().join(name).display().to_string();
    let hba = "local all all trust\n\
               hostssl all anna 127.0.0.1/32 scram-sha-256\n\
               hostssl all berta 127.0.0.1/32 cert map=m\n\
               hostnossl all plain 127.0.0.1/32 scram-sha-256\n";
    let files = ["ssl_cert_file=server.crt", "ssl_key_file=server.key", "ssl_ca_file=ca.crt"];
    let files = files.map(|setting| {
        let (name, file) = setting.split_once('=').unwrap();
        format!("{name}={}", path(file))
    });
    // In the file, so that a reload may change them.
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("data");
    std::fs::create_dir(&root).unwrap();
    std::fs::write(root.join("pg_hba.conf"), hba).unwrap();
    std::fs::write(root.join("pg_ident.conf"), "m anna berta\n").unwrap();
    let configuration = |cert: &str| {
        let lines = files.iter().map(|line| line.replacen('=', " = '", 1).replace("server.crt", cert) + "'\n");
        std::fs::write(root.join("inflight.conf"), format!("ssl = on\n{}", lines.collect::<String>())).unwrap();
    };
    configuration("server.crt");
    let server = Server::start_in(&root, &[]);
    let Some(_) = server.must(&format!(
        "create role anna login password '{SECRET}'; create role berta login; create role plain login password '{SECRET}'"
    )) else {
        return;
    };
    let over = |user: &str, more: &str| {
        let base = server
            .tcp(user, "")
            .replace("sslmode=disable", "")
            .replace("host=127.0.0.1", "host=localhost hostaddr=127.0.0.1");
        psql(
            &format!("{base} sslcert=/nonexistent {more}"),
            Some(SECRET),
            "select ssl from pg_stat_ssl where pid = pg_backend_pid()",
        )
        .unwrap()
    };
    let root_cert = format!("sslrootcert={}", path("ca.crt"));
    for (user, more, expected) in [
        (
            "anna",
            "sslmode=disable",
            "no pg_hba.conf entry for host \"127.0.0.1\", user \"anna\", database \"postgres\", no encryption",
        ),
        ("anna", "sslmode=allow", "t"),
        ("anna", "sslmode=prefer", "t"),
        ("anna", "sslmode=require channel_binding=require", "t"),
        ("plain", "sslmode=disable", "f"),
        (
            "plain",
            "sslmode=require",
            "no pg_hba.conf entry for host \"127.0.0.1\", user \"plain\", database \"postgres\", SSL encryption",
        ),
        ("plain", "sslmode=disable channel_binding=require", "channel binding"),
        ("anna", &format!("sslmode=verify-full {root_cert}"), "t"),
        ("anna", &format!("sslmode=verify-ca sslrootcert={}", path("foreign.crt")), "certificate verify failed"),
        ("berta", "sslmode=require", "connection requires a valid client certificate"),
    ] {
        let (_, text) = over(user, more);
        assert!(text == expected || (expected.len() > 1 && text.contains(expected)), "{user} {more}: {text}");
    }
    let with = |name: &str| {
        over(
            "berta",
            &format!(
                "sslmode=require sslcert={} sslkey={}",
                path(&format!("{name}.crt")),
                path(&format!("{name}.key"))
            ),
        )
    };
    assert_eq!(with("anna"), (true, "t".into()));
    // Not by the map, expired, of another authority, its own authority.
    let (well, text) = with("second");
    assert!(!well && !text.is_empty(), "{text}");
    for name in ["expired", "strange", "self"] {
        assert!(!with(name).0, "{name}");
    }
    // A certificate that cannot be used changes nothing, another one takes effect for new connections.
    std::fs::write(certs.path().join("broken.crt"), "no certificate").unwrap();
    configuration("broken.crt");
    server.must("select pg_reload_conf()");
    assert!(server.log_has("the SSL configuration was not reloaded"));
    assert_eq!(over("anna", &format!("sslmode=verify-full {root_cert}")), (true, "t".into()));
    std::fs::set_permissions(certs.path().join("server.key"), std::fs::Permissions::from_mode(0o644)).unwrap();
    configuration("server.crt");
    server.must("select pg_reload_conf()");
    assert!(server.log_has("has group or world access"));
    // A client that begins with TLS says that it speaks PostgreSQL's protocol.
    let begin = |protocols: &[&[u8]]| begin_with_tls(server.port, &path("ca.crt"), protocols);
    let asked = begin(&[b"http/1.1", b"postgresql"]).expect("it is let in");
    assert_eq!(asked[0], b'R');
    let (none, another): (&[&[u8]], &[&[u8]]) = (&[], &[b"http/1.1"]);
    for protocols in [none, another] {
        assert_eq!(begin(protocols), None, "{protocols:?}");
    }
    // Bytes behind the request for encryption are no part of what is encrypted.
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    let request = [0, 0, 0, 8, 4, 210, 22, 47];
    let body = b"\0\x03\0\0user\0plain\0\0";
    stream.write_all(&[&request[..], &(body.len() as u32 + 4).to_be_bytes(), body].concat()).unwrap();
    let mut answer = Vec::new();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let _ = stream.read_to_end(&mut answer);
    // `S`, and what TLS says of bytes that are none.
    assert!(answer.first() == Some(&b'S') && !answer[1..].starts_with(b"R"), "{answer:?}");
    let log = server.log.lock().unwrap().clone();
    assert!(!log.contains(SECRET), "{log}");
}
