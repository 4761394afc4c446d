//! A client whose machine vanishes says nothing more, not even goodbye: TCP finds out (`tcp_keepalives_*`,
//! `tcp_user_timeout`), whatever the session waits for. The other machine is a network namespace, whose link is cut.

mod common;

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::{Server, skip};

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
