//! Every command of README.md is run. One that is neither in [`COMMANDS`] nor cargo's alone nor a script of `.ci` fails
//! this test, and so does one of [`COMMANDS`] that the README has no more.
//!
//! What is done instead where a command would take too long:
//! * `cargo …`: cargo itself runs this test, out of a build of its own. Its options, packages and targets are looked up in
//!   `cargo metadata`, and of what stands before it (`INFLIGHT_FUZZ_SECONDS=…`) the sources of the target must know the name.
//!   The programs that `cargo run` would start are run as they were built: `inflight` and `sim` with less to do; `bench`
//!   measures Inflight alone, for a second, over a hundredth of the data, without what needs a program that is not here.
//! * `.ci/…`: bash reads the script and finds it well formed; CI itself runs `run`, which runs `features` and `sanitize`.
//! * The session in psql has 100,000 rows instead of 10 and 100 million, in which figures of the README are not compared.
//! * Ports are those that are free, and servers listen on 127.0.0.1 alone.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use testkit::{Server, free_port, skip};

const README: &str = include_str!("../../../README.md");

/// A command, and what runs it.
type Run = (&'static str, fn(&str));

/// How the commands are run that are not cargo's alone or scripts.
const COMMANDS: &[Run] = &[
    ("cargo run --release --bin inflight -- serve", serve),
    ("inflight demo", demo),
    ("psql postgres", socket),
    ("cargo run --release -p bench -- doctor", bench),
    ("cargo run --release -p bench -- run e1 load --profile io2", bench),
    ("cargo run --release -p bench -- run sysbench statements tpch", bench),
    ("cargo run --release -p sim -- --seeds 1000", simulate),
];

/// A block between fences: what kind it says it is, and its lines.
struct Block {
    kind: String,
    text: String,
}

fn blocks() -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = README.lines();
    while let Some(line) = lines.next() {
        if let Some(kind) = line.strip_prefix("```") {
            let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push(Block { kind: kind.to_string(), text: text.join("\n") });
        }
    }
    blocks
}

/// The one block that has this text.
fn block(text: &str) -> String {
    let found: Vec<Block> = blocks().into_iter().filter(|block| block.text.contains(text)).collect();
    assert_eq!(found.len(), 1, "{text}");
    found.into_iter().next().unwrap().text
}

/// The lines of shell blocks without their comments, and the code within sentences that begins as a command does.
fn commands() -> BTreeSet<String> {
    let mut commands = BTreeSet::new();
    for block in blocks().iter().filter(|block| block.kind == "sh") {
        let lines = block.text.lines().map(|line| line.split(" #").next().unwrap_or_default().trim());
        commands.extend(lines.filter(|line| !line.is_empty()).map(str::to_string));
    }
    let mut fenced = false;
    let prose: Vec<&str> = README
        .lines()
        .filter(|line| {
            let fence = line.starts_with("```");
            fenced ^= fence;
            !fenced && !fence
        })
        .collect();
    for code in prose.join("\n").split('`').skip(1).step_by(2) {
        let words = words(code);
        let mut command = words.iter().skip_while(|word| is_assignment(word)).map(String::as_str);
        let first = command.next().unwrap_or_default();
        let is_program = ["cargo", "inflight", "psql"].contains(&first) && command.next().is_some();
        if is_program || first.starts_with(".ci/") {
            commands.insert(words.join(" "));
        }
    }
    commands
}

/// As a shell splits them, the quotes left on.
fn words(code: &str) -> Vec<String> {
    let (mut words, mut quoted) = (vec![String::new()], false);
    for c in code.chars() {
        quoted ^= c == '\'';
        match words.last_mut() {
            Some(word) if quoted || !c.is_whitespace() => word.push(c),
            _ => words.push(String::new()),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_'))
}

#[test]
fn every_command_is_run() {
    let commands = commands();
    assert!(commands.len() > 15, "{commands:?}");
    for (command, _) in COMMANDS {
        assert!(commands.contains(*command), "{command} is not in the README any more");
    }
    for command in &commands {
        println!("{command}");
        match COMMANDS.iter().find(|(known, _)| known == command) {
            Some((_, run)) => run(command),
            None if command.starts_with(".ci/") => script(command),
            None => cargo(command),
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Looks a command of cargo up: see the head.
fn cargo(command: &str) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let arguments = ["metadata", "--offline", "--no-deps", "--format-version", "1"];
    let output = Command::new(cargo).args(arguments).current_dir(root()).output().unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let mut targets: Vec<(&str, &serde_json::Value)> = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap();
        targets.extend(package["targets"].as_array().unwrap().iter().map(|target| (name, target)));
    }
    let words = words(command);
    let words = words.iter().map(String::as_str).take_while(|word| *word != "--");
    let (variables, words): (Vec<&str>, Vec<&str>) = words.partition(|word| is_assignment(word));
    assert_eq!(words[0], "cargo", "{command} is run by no test: see COMMANDS");
    assert!(["run", "test", "build", "check"].contains(&words[1]), "{command}");
    let mut options = words[2..].iter();
    while let Some(option) = options.next() {
        match *option {
            "--release" | "--workspace" | "--no-run" => {}
            "-p" => {
                let name = *options.next().unwrap();
                targets.retain(|(package, _)| words.iter().any(|word| word == package));
                assert!(targets.iter().any(|(package, _)| *package == name), "{command}: no package {name}");
            }
            "--bin" | "--test" | "--example" => {
                let name = *options.next().unwrap();
                let has = |target: &serde_json::Value| {
                    target["name"] == name && target["kind"][0].as_str() == Some(option.trim_start_matches('-'))
                };
                targets.retain(|(_, target)| has(target));
                assert!(!targets.is_empty(), "{command}: no target {name}");
            }
            other => panic!("{command}: {other} is looked up nowhere"),
        }
    }
    for variable in variables {
        let name = variable.split('=').next().unwrap();
        let knows = |(_, target): &(&str, &serde_json::Value)| {
            sources(Path::new(target["src_path"].as_str().unwrap())).iter().any(|text| text.contains(name))
        };
        assert!(targets.iter().any(knows), "{command}: {name} is read nowhere");
    }
}

/// A target's file, and those in the folder of the same name.
fn sources(path: &Path) -> Vec<String> {
    let folder = std::fs::read_dir(path.with_extension("")).into_iter().flatten().flatten().map(|entry| entry.path());
    folder.chain([path.to_path_buf()]).filter_map(|path| std::fs::read_to_string(path).ok()).collect()
}

fn script(command: &str) {
    let path = root().join(command);
    assert!(path.metadata().unwrap().permissions().mode() & 0o111 != 0, "{command} cannot be run");
    let output = Command::new("bash").arg("-n").arg(&path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A program of the workspace that `cargo test --workspace` builds beside the server.
fn program(name: &str) -> Option<Command> {
    let path = Path::new(env!("CARGO_BIN_EXE_inflight")).with_file_name(name);
    if !path.exists() {
        skip(&format!("{} is built by cargo test --workspace", path.display()));
        return None;
    }
    Some(Command::new(path))
}

/// Runs a program to its end; gives what it printed.
fn finish(mut command: Command) -> String {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let (printed, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {printed}\n{errors}");
    printed.into_owned()
}

/// What stands behind `--`.
fn arguments(command: &str) -> Vec<&str> {
    command.split_once(" -- ").unwrap().1.split(' ').collect()
}

/// In an empty folder, as the README has it, but for the port.
fn serve(command: &str) {
    cargo(command);
    let folder = tempfile::tempdir().unwrap();
    let mut inflight = testkit::inflight();
    inflight.args(arguments(command)).current_dir(folder.path());
    // The user that runs the tests in a container is root, which has to say that it is meant.
    if help_of("serve").contains("--allow-root") {
        inflight.arg("--allow-root");
    }
    inflight.args(["--set", &format!("port={}", free_port()), "--set", "unix_socket_directories=."]);
    inflight.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = inflight.spawn().unwrap();
    let mut ready = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut ready).unwrap();
    Command::new("kill").arg(child.id().to_string()).status().unwrap();
    let mut log = String::new();
    child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
    assert!(child.wait().unwrap().success() && ready.starts_with("inflight is ready"), "{ready}{log}");
    assert!(folder.path().join("inflight-data").is_dir());
}

fn help_of(command: &str) -> String {
    let mut inflight = testkit::inflight();
    inflight.args([command, "--help"]);
    finish(inflight)
}

/// It listens on 127.0.0.1:5432 where nothing else is said.
#[test]
fn the_defaults_are_what_the_readme_says() {
    let server = Server::start(&[]);
    let query = "select name, boot_val from pg_settings where name in ('listen_addresses', 'port') order by 1";
    let Some((printed, _)) = server.psql(&["-At", "-c", query]) else { return };
    assert_eq!(printed.trim(), "listen_addresses|127.0.0.1\nport|5432");
}

fn demo(command: &str) {
    assert_eq!(command, "inflight demo");
    let folder = tempfile::tempdir().unwrap();
    let mut inflight = testkit::inflight();
    inflight.args(["demo", "--rows", "200000"]).current_dir(folder.path());
    let printed = finish(inflight);
    assert!(printed.starts_with("SELECT count(*) over 200000 rows, cold"), "{printed}");
    for method in ["io_uring, depth", "worker", "posix_aio", "sync", "io_uring, one read at a time"] {
        assert!(printed.matches(method).count() == 2, "{printed}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "the demo leaves something behind");
}

fn simulate(command: &str) {
    cargo(command);
    assert_eq!(arguments(command), ["--seeds", "1000"]);
    for arguments in [["--seeds", "2"], ["--seed", "1"]] {
        let Some(mut sim) = program("sim") else { return };
        sim.args(arguments);
        finish(sim);
    }
}

/// Each experiment by itself, as small as TPC-H's data can be made.
fn bench(command: &str) {
    cargo(command);
    let given = arguments(command);
    if given == ["doctor"] {
        assert!(measured(&given).is_none_or(|(well, _)| well));
        return;
    }
    let options = given.iter().position(|argument| argument.starts_with("--")).unwrap_or(given.len());
    assert_eq!(given[0], "run");
    for experiment in &given[1..options] {
        let port = free_port().to_string();
        let less: [&str; 8] = ["--only", "inflight", "--repeat", "1", "--seconds", "1", "--port", port.as_str()];
        let mut arguments: Vec<&str> = vec!["run", *experiment];
        arguments.extend_from_slice(&given[options..]);
        arguments.extend_from_slice(&less);
        let Some((well, printed)) = measured(&arguments) else { return };
        // It says which of the others' programs this machine lacks.
        let lacks = printed.contains(&format!("bench: this needs {experiment} (apt-get install {experiment})"));
        assert!(well || lacks, "{command}: {printed}");
    }
}

/// Whether the program ended well, and all that it printed.
fn measured(arguments: &[&str]) -> Option<(bool, String)> {
    let folder = tempfile::tempdir().unwrap();
    let mut bench = program("bench")?;
    bench.current_dir(folder.path()).args(arguments).args(["--scale", "0.01"]);
    let output = bench.stdin(Stdio::null()).output().unwrap();
    let printed = [output.stdout, output.stderr].concat();
    Some((output.status.success(), String::from_utf8_lossy(&printed).into_owned()))
}

/// The operating system says who it is: the user that started the server.
fn socket(command: &str) {
    let server = Server::start(&[]);
    let mut words = command.split(' ');
    let mut psql = Command::new(words.next().unwrap());
    psql.args(words).args(["-X", "-At", "-c", "select current_user = session_user, current_database()"]);
    for name in ["PGUSER", "PGDATABASE", "PGPASSWORD"] {
        psql.env_remove(name);
    }
    psql.env("PGHOST", server.root()).env("PGPORT", server.port.to_string());
    if Command::new("psql").arg("--version").stdout(Stdio::null()).status().is_err() {
        return skip("psql");
    }
    assert_eq!(finish(psql).trim(), "t|postgres");
}

/// Numbers become N, and blanks one blank: what differs from machine to machine.
fn masked(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '0'..='9' if out.ends_with('N') => {}
            '.' if out.ends_with('N') => {}
            '0'..='9' => out.push('N'),
            c if c.is_whitespace() && out.ends_with([' ', '\n']) => {}
            '-' if out.ends_with('-') => {}
            c => out.push(c),
        }
    }
    out.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim().to_string()
}

#[test]
fn the_session_in_psql() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("data");
    let volume = ["--simulate-volume", "latency=1ms,iops=20000,bandwidth=1GB"];
    let mut server = Server::start_in(&root, &volume);
    let big = "create table big(id int); insert into big select * from generate_series(1, 100000); analyze big";
    let Some((_, errors)) = server.psql(&["-c", big]) else { return };
    assert_eq!(errors, "");
    assert!(server.stop());
    // Cold.
    let server = Server::start_in(&root, &volume);
    let text = block("postgres=# CREATE TABLE test");
    for entry in text.split("postgres=# ").skip(1) {
        let (command, expected) = entry.split_once('\n').unwrap();
        let command = command.replace("10000000", "100000");
        // `big` would be in the list.
        let command = if command == "\\dt+" { "\\dt+ test" } else { &command };
        let (printed, errors) = server.psql(&["-c", command]).unwrap();
        assert_eq!(errors, "", "{command}");
        let expected = expected.replace("10000000", "100000").replace(" MB", " kB");
        // The README leaves the heading and the number of rows of a plan out.
        let printed = match command.starts_with("EXPLAIN") {
            true => printed.lines().skip(2).filter(|line| !line.ends_with(" rows)")).collect::<Vec<_>>().join("\n"),
            false => printed,
        };
        assert_eq!(masked(&printed.replace(" MB", " kB")), masked(&expected), "{command}");
    }
}

/// A key and a certificate in the data directory, made with openssl.
fn certificate(root: &Path) -> bool {
    let mut openssl = Command::new("openssl");
    openssl.args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "30"]);
    openssl.args(["-keyout", "server.key", "-out", "server.crt"]).current_dir(root);
    let made = openssl.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success());
    if !made {
        skip("openssl");
        return false;
    }
    let key = root.join("server.key");
    std::fs::set_permissions(key, std::fs::Permissions::from_mode(0o600)).unwrap();
    true
}

#[test]
fn others_are_let_in() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("data");
    let mut server = Server::start_in(&root, &[]);
    let statements = block("CREATE ROLE anna");
    for statement in statements.lines() {
        let Some((_, errors)) = server.psql(&["-c", statement]) else { return };
        assert_eq!(errors, "", "{statement}");
    }
    if !certificate(&root) {
        return;
    }
    // The user is asked for one too from now on.
    server.psql(&["-c", "alter role postgres password 'secret'"]).unwrap();
    std::fs::write(root.join("pg_hba.conf"), block("hostssl")).unwrap();
    assert!(server.stop());
    assert!(std::fs::read_to_string(root.join("inflight.auto.conf")).unwrap().contains("listen_addresses = '*'"));
    let server = Server::start_in(&root, &[]);
    let ask = |user: &str, password: &str, encryption: &str, query: &str| {
        let mut psql = Command::new("psql");
        let to = format!("host=127.0.0.1 port={} user={user} dbname=postgres sslmode={encryption}", server.port);
        psql.args(["-X", "-w", "-At", "-d", &to, "-c", query]).env("PGPASSWORD", password);
        finish(psql).trim().to_string()
    };
    let query = "select ssl, current_user from pg_stat_ssl where pid = pg_backend_pid()";
    assert_eq!(ask("anna", "…", "require", query), "t|anna");
    assert_eq!(ask("anna", "…", "disable", query), "f|anna");
    assert_eq!(ask("postgres", "secret", "require", "select pg_reload_conf()"), "t");
    let rules = "select auth_method, error from pg_hba_file_rules";
    assert_eq!(ask("postgres", "secret", "require", rules), "scram-sha-256|\nscram-sha-256|");
}

#[test]
fn settings_are_read_and_written_where_the_readme_says() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("data");
    let mut server = Server::start_in(&root, &[]);
    assert!(server.stop());
    std::fs::write(root.join("inflight.conf"), "work_mem = 8MB\nmaintenance_work_mem = 80MB\n").unwrap();
    let server = Server::start_in(&root, &["--set", "work_mem=9MB"]);
    let ask =
        |query: &str| server.psql(&["-At", "-c", query]).map(|(printed, errors)| format!("{}{errors}", printed.trim()));
    let Some(work_mem) = ask("show work_mem") else { return };
    assert_eq!(work_mem, "9MB");
    assert_eq!(ask("show maintenance_work_mem").unwrap(), "80MB");
    assert_eq!(ask("alter system set maintenance_work_mem = '90MB'").unwrap(), "ALTER SYSTEM");
    assert!(std::fs::read_to_string(root.join("inflight.auto.conf")).unwrap().contains("maintenance_work_mem"));
    assert_eq!(ask("select pg_reload_conf()").unwrap(), "t");
    assert_eq!(ask("show maintenance_work_mem").unwrap(), "90MB");
    let all = ask("show all").unwrap().lines().count();
    let shown: usize = ask("select count(*) from pg_settings").unwrap().parse().unwrap();
    assert!(all > 100 && all == shown, "{all} and {shown}");
}
