//! Where clients come in: TCP addresses and Unix-domain sockets.
//!
//! A socket `DIR/.s.PGSQL.PORT` belongs to the process that holds the lock on `DIR/.s.PGSQL.PORT.lock`, which says which
//! process that is, as PostgreSQL's does. What a killed server left is taken over; both files go when the server stops.

use std::fs::{self, File, Permissions, TryLockError};
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::{Path, PathBuf};
use std::task::{Context, Poll};
use std::time::{SystemTime, UNIX_EPOCH};

use ::error::sqlstate;
use config::{Settings, Source};
use engine::{EngineError, Result};
use nix::unistd::Group;
use socket2::{Domain, Socket, Type};
use tokio::net::{TcpListener, UnixListener};

use crate::stream::Stream;

/// Connections that wait to be accepted.
const BACKLOG: i32 = 1024;
/// `sockaddr_un.sun_path` without its final NUL.
const MAX_PATH: usize = 107;

pub struct Listeners {
    tcp: Vec<TcpListener>,
    unix: Vec<UnixSocket>,
}

struct UnixSocket {
    listener: UnixListener,
    _lock: SocketLock,
}

impl Listeners {
    pub async fn open(settings: &Settings) -> Result<Listeners> {
        let mut port = settings.integer("port") as u16;
        let tcp = listen_tcp(settings.get("listen_addresses"), &mut port).await?;
        let unix = listen_unix(settings, port)?;
        if tcp.is_empty() && unix.is_empty() {
            return Err(EngineError::new(sqlstate::CONFIG_FILE_ERROR, "no socket created for listening"));
        }
        Ok(Listeners { tcp, unix })
    }

    /// Where TCP clients connect to, if anywhere; the first of several.
    pub fn address(&self) -> Option<SocketAddr> {
        self.tcp.first().and_then(|listener| listener.local_addr().ok())
    }

    /// Can other machines reach it?
    pub fn exposed(&self) -> bool {
        let mut addresses = self.tcp.iter().filter_map(|listener| listener.local_addr().ok());
        addresses.any(|address| !address.ip().is_loopback())
    }

    /// The next client, and its address if it came by TCP.
    pub async fn accept(&self) -> io::Result<(Stream, Option<SocketAddr>)> {
        std::future::poll_fn(|cx| self.poll_accept(cx)).await
    }

    fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<io::Result<(Stream, Option<SocketAddr>)>> {
        for listener in &self.tcp {
            if let Poll::Ready(accepted) = listener.poll_accept(cx) {
                return Poll::Ready(accepted.map(|(stream, address)| (Stream::Tcp(stream), Some(address))));
            }
        }
        for socket in &self.unix {
            if let Poll::Ready(accepted) = socket.listener.poll_accept(cx) {
                return Poll::Ready(accepted.map(|(stream, _)| (Stream::Unix(stream), None)));
            }
        }
        Poll::Pending
    }
}

/// Where PostgreSQL's own source has the socket. Debian, Fedora and others have it elsewhere, and so does the setting's default.
const OTHER_DIRECTORY: &str = "/tmp";

/// `unix_socket_directories`, if it is not set, is where this system's clients look: a system without that directory, or with one
/// that is others', has no such clients.
pub fn choose_directory(settings: &mut Settings) -> Result<()> {
    let definition = config::find("unix_socket_directories").expect("a setting of ours");
    if settings.source(definition) == Source::Default && !is_usable(Path::new(settings.get(definition.name))) {
        settings.set(definition.name, OTHER_DIRECTORY, Source::Override)?;
    }
    Ok(())
}

fn is_usable(directory: &Path) -> bool {
    use nix::unistd::{AccessFlags, access};
    directory.is_dir() && access(directory, AccessFlags::W_OK | AccessFlags::X_OK).is_ok()
}

/// The names in a list separated by commas.
fn list(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(|name| name.trim().trim_matches('"')).filter(|name| !name.is_empty())
}

/// Listens on all of `names`. As PostgreSQL, it goes on while at least one of them can be listened on. A port of 0 becomes
/// the one that was free.
async fn listen_tcp(names: &str, port: &mut u16) -> Result<Vec<TcpListener>> {
    let mut listeners: Vec<TcpListener> = Vec::new();
    let mut failure = None;
    for name in list(names) {
        let failed = |e: io::Error, port: u16| {
            EngineError::new(sqlstate::SYSTEM_ERROR, format!("could not bind to address {name}:{port}: {e}"))
                .hint("Is another server running on this port?")
        };
        let addresses: Vec<IpAddr> = match name {
            "*" => vec![Ipv4Addr::UNSPECIFIED.into(), Ipv6Addr::UNSPECIFIED.into()],
            name => match tokio::net::lookup_host((name.trim_matches(['[', ']']), *port)).await {
                Ok(found) => found.map(|address| address.ip()).collect(),
                Err(error) => {
                    failure = Some(failed(error, *port));
                    continue;
                }
            },
        };
        for address in addresses {
            let address = SocketAddr::new(address, *port);
            match bind(address) {
                Ok(listener) => {
                    *port = listener.local_addr().map_or(*port, |bound| bound.port());
                    listeners.push(listener);
                }
                // A machine without IPv6.
                Err(e) if name == "*" && address.is_ipv6() && e.raw_os_error() == Some(libc::EAFNOSUPPORT) => {}
                Err(e) => failure = Some(failed(e, *port)),
            }
        }
    }
    match failure {
        Some(error) if listeners.is_empty() => Err(error),
        Some(error) => {
            tracing::warn!("{error}");
            Ok(listeners)
        }
        None => Ok(listeners),
    }
}

fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    // The port of a server that was just stopped can be had at once.
    socket.set_reuse_address(true)?;
    if address.is_ipv6() {
        // IPv4 has a socket of its own.
        socket.set_only_v6(true)?;
    }
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    TcpListener::from_std(socket.into())
}

fn listen_unix(settings: &Settings, port: u16) -> Result<Vec<UnixSocket>> {
    let mut sockets = Vec::new();
    let mut failure = None;
    for directory in list(settings.get("unix_socket_directories")) {
        match UnixSocket::open(Path::new(directory), port, settings) {
            Ok(socket) => sockets.push(socket),
            // Another server has it: to go on would hide one of the two.
            Err(error) if error.code == sqlstate::LOCK_FILE_EXISTS => return Err(error),
            Err(error) => failure = Some(error),
        }
    }
    match failure {
        Some(error) if sockets.is_empty() => Err(error),
        Some(error) => {
            tracing::warn!("{error}");
            Ok(sockets)
        }
        None => Ok(sockets),
    }
}

impl UnixSocket {
    fn open(directory: &Path, port: u16, settings: &Settings) -> Result<UnixSocket> {
        if directory.as_os_str().as_encoded_bytes().starts_with(b"@") {
            return Err(EngineError::unsupported("a Unix-domain socket in the abstract namespace"));
        }
        let path = directory.join(format!(".s.PGSQL.{port}"));
        let shown = path.display().to_string();
        if path.as_os_str().len() > MAX_PATH {
            let message = format!("Unix-domain socket path \"{shown}\" is too long (maximum {MAX_PATH} bytes)");
            return Err(EngineError::new(sqlstate::INVALID_PARAMETER_VALUE, message));
        }
        let data_directory = settings.get("data_directory");
        let lock = SocketLock::take(directory, &path, port, data_directory)?;
        let failed = |action: &str, e: io::Error| {
            EngineError::new(sqlstate::SYSTEM_ERROR, format!("could not {action} Unix-domain socket \"{shown}\": {e}"))
        };
        let listener = std::os::unix::net::UnixListener::bind(&path).map_err(|e| failed("create", e))?;
        let group = settings.get("unix_socket_group");
        if !group.is_empty() {
            let found = match group.parse::<u32>() {
                Ok(number) => Some(number),
                Err(_) => Group::from_name(group).ok().flatten().map(|found| found.gid.as_raw()),
            };
            let number = found.ok_or_else(|| {
                EngineError::new(sqlstate::INVALID_PARAMETER_VALUE, format!("group \"{group}\" does not exist"))
            })?;
            std::os::unix::fs::chown(&path, None, Some(number)).map_err(|e| failed("set the group of", e))?;
        }
        let mode = settings.integer("unix_socket_permissions") as u32;
        fs::set_permissions(&path, Permissions::from_mode(mode)).map_err(|e| failed("set permissions of", e))?;
        listener.set_nonblocking(true).map_err(|e| failed("use", e))?;
        let listener = UnixListener::from_std(listener).map_err(|e| failed("use", e))?;
        Ok(UnixSocket { listener, _lock: lock })
    }
}

/// The right to a socket's name.
struct SocketLock {
    socket: PathBuf,
    path: PathBuf,
    /// Locked, so that no other process takes a server for dead because its number is hidden (in another container, say).
    _file: File,
}

impl SocketLock {
    fn take(directory: &Path, socket: &Path, port: u16, data_directory: &str) -> Result<SocketLock> {
        let path = PathBuf::from(format!("{}.lock", socket.display()));
        let failed = |e: io::Error| {
            EngineError::new(sqlstate::SYSTEM_ERROR, format!("could not create lock file \"{}\": {e}", path.display()))
        };
        let file = loop {
            let file =
                File::options().read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
            let owner = fs::read_to_string(&path).unwrap_or_default();
            let owner = owner.lines().next().and_then(|line| line.trim().parse::<u32>().ok());
            let taken = || {
                let owner = owner.map_or("?".to_string(), |pid| pid.to_string());
                EngineError::new(sqlstate::LOCK_FILE_EXISTS, format!("lock file \"{}\" already exists", path.display()))
                    .hint(format!("Is another server (PID {owner}) using socket file \"{}\"?", socket.display()))
            };
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(taken()),
                Err(TryLockError::Error(e)) => return Err(failed(e)),
            }
            // A PostgreSQL does not lock its file: it lives if its process does and answers.
            let alive =
                owner.is_some_and(|pid| pid != std::process::id() && Path::new(&format!("/proc/{pid}")).exists());
            if alive && StdUnixStream::connect(socket).is_ok() {
                return Err(taken());
            }
            // The process that had it may have removed it while it was being opened.
            let same = |a: fs::Metadata, b: fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
            let there = file.metadata().and_then(|own| fs::metadata(&path).map(|now| same(own, now)));
            if there.unwrap_or(false) {
                break file;
            }
        };
        let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let lines = format!("{}\n{data_directory}\n{started}\n{port}\n{}\n", std::process::id(), directory.display());
        file.set_len(0).and_then(|()| (&file).write_all(lines.as_bytes())).map_err(failed)?;
        match fs::remove_file(socket) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(failed(e)),
            _ => Ok(SocketLock { socket: socket.into(), path, _file: file }),
        }
    }
}

impl Drop for SocketLock {
    fn drop(&mut self) {
        // The lock last: until then the name is ours.
        let _ = fs::remove_file(&self.socket);
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_are_where_they_can_be_made() {
        assert!(!is_usable(Path::new("/no/such/directory")) && !is_usable(Path::new("/dev/null")));
        assert!(is_usable(Path::new(OTHER_DIRECTORY)));
        let mut settings = Settings::default();
        choose_directory(&mut settings).unwrap();
        assert!(is_usable(Path::new(settings.get("unix_socket_directories"))));
        settings.set("unix_socket_directories", "/no/such/directory", Source::File).unwrap();
        choose_directory(&mut settings).unwrap();
        assert_eq!(settings.get("unix_socket_directories"), "/no/such/directory", "a value that was set stays");
    }
}
