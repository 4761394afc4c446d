//! A server's data on a volume, and the server running on it.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::cgroup::Cgroup;
use super::client::Client;
use super::{Home, Software, bin_in};
use crate::error::{Context, Error, Result};
use crate::program::{self, check_interrupt, run};

/// `name = value`, given to the server when it starts.
pub type Settings = Vec<(String, String)>;

pub struct Cluster {
    pub software: Software,
    dir: PathBuf,
    log: PathBuf,
    port: u16,
}

/// A server that runs; dropping it stops it.
pub struct Running {
    child: Child,
    stop: i32,
    pub client: Client,
    _group: Option<Cgroup>,
}

/// Made once, in a mount namespace of its own: nothing of it stays when the program ends.
const IN_ROOT: &str = r#"set -e
mount --rbind /proc "$ROOT/proc"; mount --rbind /dev "$ROOT/dev"
mount -t tmpfs none "$ROOT/mnt"; mkdir "$ROOT/mnt/data"; mount --bind "$DIR" "$ROOT/mnt/data"
ulimit -l unlimited 2>/dev/null || true; ulimit -n 65536 2>/dev/null || true
cd /; exec chroot --userspec=postgres:postgres "$ROOT" "$@""#;
const AS_USER: &str = r#"ulimit -l unlimited 2>/dev/null || true; ulimit -n 65536 2>/dev/null || true
cd /; if [ "$(id -u)" = 0 ]; then exec setpriv --reuid="$OWNER" --regid="$OWNER" --clear-groups "$@"; else exec "$@"; fi"#;

impl Cluster {
    /// A new, empty cluster at `volume/<software>`.
    pub fn create(software: &Software, volume: &Path, log_dir: &Path, port: u16) -> Result<Cluster> {
        let dir = volume.join(software.id());
        let log = log_dir.join(format!("{}.log", software.id()));
        let cluster = Cluster { software: software.clone(), dir, log, port };
        std::fs::create_dir_all(&cluster.dir).context(|| format!("making {}", cluster.dir.display()))?;
        if let Software::Postgres { .. } = cluster.software {
            let owner = cluster.owner()?;
            std::os::unix::fs::chown(&cluster.dir, Some(owner), Some(owner))
                .context(|| format!("giving {} to user {owner}", cluster.dir.display()))?;
            let mut initdb = cluster.program("initdb")?;
            initdb.arg("-D").arg(cluster.inner_dir());
            run(initdb.args(["-k", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"]))?;
        }
        Ok(cluster)
    }

    /// The user that PostgreSQL, which refuses to be root, runs as.
    fn owner(&self) -> Result<u32> {
        let me = program::user_id();
        match &self.software {
            Software::Postgres { home: Home::Root(root), .. } => {
                let home = root.join("var/lib/postgresql");
                Ok(std::fs::metadata(&home).context(|| format!("looking at {}", home.display()))?.uid())
            }
            Software::Postgres { .. } if me == 0 => Ok(65534),
            _ => Ok(me),
        }
    }

    /// The data directory as the server's programs see it.
    fn inner_dir(&self) -> &Path {
        match &self.software {
            Software::Postgres { home: Home::Root(_), .. } => Path::new("/mnt/data"),
            _ => &self.dir,
        }
    }

    fn program(&self, name: &str) -> Result<Command> {
        let Software::Postgres { version, home } = &self.software else { unreachable!("only PostgreSQL has programs") };
        let mut command = match home {
            Home::Root(root) => {
                let mut command = Command::new("unshare");
                command.args(["-m", "bash", "-c", IN_ROOT, "bench"]).env("ROOT", root).env("DIR", &self.dir);
                command.arg(bin_in(Path::new("/"), *version).join(name));
                command
            }
            Home::Bin(bin) => {
                let mut command = Command::new("bash");
                command.args(["-c", AS_USER, "bench"]).env("OWNER", self.owner()?.to_string()).arg(bin.join(name));
                command
            }
        };
        command.env("LC_ALL", "C.UTF-8");
        Ok(command)
    }

    /// Starts the server, with no more memory than that if so, and waits until it answers. `inside` is for Inflight's own simulated
    /// volume.
    pub fn start(&self, settings: &Settings, inside: Option<&str>, memory: Option<u64>) -> Result<Running> {
        let log = std::fs::File::options().create(true).append(true).open(&self.log);
        let log = log.context(|| format!("opening {}", self.log.display()))?;
        let client = Client { port: self.port };
        if std::net::TcpStream::connect(("127.0.0.1", self.port)).is_ok() {
            return Err(Error::missing(format!("port {} is taken; choose another with --port", self.port)));
        }
        let (mut command, stop) = match &self.software {
            Software::Inflight { binary } => {
                let mut command = Command::new(binary);
                // Volumes are simulated as root.
                command.args(["serve", "--allow-root"]).arg("--data-dir").arg(&self.dir);
                command.args(["--listen", &format!("127.0.0.1:{}", self.port)]);
                settings.iter().for_each(|(name, value)| {
                    command.args(["--set", &format!("{name}={value}")]);
                });
                inside.iter().for_each(|limits| {
                    command.args(["--simulate-volume", limits]);
                });
                (command, libc::SIGTERM)
            }
            Software::Postgres { .. } => {
                let mut command = self.program("postgres")?;
                command.arg("-D").arg(self.inner_dir());
                let fixed = [("listen_addresses", "127.0.0.1"), ("unix_socket_directories", "")];
                let port = self.port.to_string();
                let fixed = fixed.into_iter().chain([("port", port.as_str())]);
                let given = settings.iter().map(|(n, v)| (n.as_str(), v.as_str()));
                for (name, value) in fixed.chain(given) {
                    command.args(["-c", &format!("{name}={value}")]);
                }
                // Fast shutdown: ends sessions, writes a checkpoint.
                (command, libc::SIGINT)
            }
        };
        let errors = log.try_clone().context(|| "opening the log".into())?;
        let group = memory.map(Cgroup::with_memory).transpose()?;
        if let Some(group) = &group {
            command = group.inside(&command);
        }
        let child = program::spawn(command.stdin(Stdio::null()).stdout(log).stderr(errors))?;
        let mut running = Running { child, stop, client, _group: group };
        crate::volume::mount::note_server(running.pid())?;
        let start = Instant::now();
        while !client.answers() {
            check_interrupt()?;
            let ended = running.child.try_wait().context(|| "waiting for the server".into())?;
            if ended.is_some() || start.elapsed() > Duration::from_secs(120) {
                let log = std::fs::read_to_string(&self.log).unwrap_or_default();
                let tail: Vec<&str> = log.lines().rev().take(8).collect();
                let tail: Vec<&str> = tail.into_iter().rev().collect();
                return Err(Error::program(format!("{} did not start:\n{}", self.software, tail.join("\n"))));
            }
            std::thread::sleep(Duration::from_millis(30));
        }
        Ok(running)
    }
}

impl Running {
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Bytes of memory that the server takes, all its processes together.
    pub fn memory(&self) -> Result<u64> {
        super::memory::of(self.pid())
    }

    /// Stops the server cleanly and waits until it is gone.
    pub fn stop(mut self) -> Result<()> {
        self.end()
    }

    /// `kill -9`.
    pub fn kill(mut self) -> Result<()> {
        program::kill_group(self.child.id());
        self.child.wait().map(drop).context(|| "waiting for the server".into())
    }

    fn end(&mut self) -> Result<()> {
        if self.child.try_wait().context(|| "waiting for the server".into())?.is_some() {
            return Ok(());
        }
        let start = Instant::now();
        // Not interruptible: it is what an interrupt leads to. Told again each second: the first may have met the shell
        // that was about to become the server.
        let mut told = 0;
        while self.child.try_wait().context(|| "waiting for the server".into())?.is_none() {
            if start.elapsed().as_secs() >= told {
                program::signal(self.child.id(), self.stop);
                told += 1;
            }
            if start.elapsed() > Duration::from_secs(120) {
                program::kill_group(self.child.id());
                let _ = self.child.wait();
                return Err(Error::program("the server did not stop and was killed"));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Err(error) = self.end() {
            eprintln!("{error}");
        }
    }
}
