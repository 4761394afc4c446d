//! `inflight serve`: opens the data directory, starts the background tasks, accepts connections, stops cleanly.

use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use std::time::Duration;

use ::error::sqlstate;
use aio::Engine;
use aio::descriptors::{close_idle_files, complain_of, is_out_of_files};
use engine::{Database, EngineError, OpenOptions, Result};
use nix::sys::stat::{Mode, umask};
use nix::unistd::geteuid;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::ServeArgs;
use crate::connection;
use crate::descriptors::{self, Division};
use crate::lanes;
use crate::listen::{self, Listeners};
use crate::login::Server;
use crate::pending_connections;
use crate::stream::Stream;

/// How long sessions may take to notice that the server stops.
const GRACE: Duration = Duration::from_secs(10);
/// How long clients may take to hear that the server has failed.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// Files that are closed for the sake of a connection that could not be accepted.
const FOR_A_CLIENT: usize = 4;

struct Watched(RawFd);

impl AsRawFd for Watched {
    fn as_raw_fd(&self) -> RawFd {
        self.0
    }
}

/// Lets the runtime's event loop complete the engine's I/O.
pub fn drive(engine: &Engine) -> Result<()> {
    for fd in engine.driver_fds() {
        // The task below holds the engine, and with it the ring that the descriptor belongs to.
        #[allow(deprecated)]
        let watched = AsyncFd::with_interest(Watched(fd), Interest::READABLE)
            .map_err(|e| EngineError::new(sqlstate::SYSTEM_ERROR, format!("could not watch the I/O ring: {e}")))?;
        let engine = engine.clone();
        tokio::spawn(async move {
            while let Ok(mut ready) = watched.readable().await {
                // First forget, then look: a completion that comes in between makes it ready again.
                ready.clear_ready();
                engine.poll();
            }
        });
    }
    Ok(())
}

pub fn open_options(args: &ServeArgs) -> Result<OpenOptions> {
    let mut overrides = Vec::new();
    if let Some(listen) = &args.listen {
        let (address, port) = listen.rsplit_once(':').ok_or_else(|| {
            EngineError::new(sqlstate::INVALID_PARAMETER_VALUE, format!("--listen \"{listen}\" is not ADDR:PORT"))
        })?;
        overrides.push(("listen_addresses".into(), address.into()));
        overrides.push(("port".into(), port.into()));
    }
    // What is set by name wins.
    for set in &args.set {
        let (name, value) = set.split_once('=').ok_or_else(|| {
            EngineError::new(sqlstate::INVALID_PARAMETER_VALUE, format!("--set \"{set}\" is not NAME=VALUE"))
        })?;
        overrides.push((name.trim().to_string(), value.trim().to_string()));
    }
    if let Some(volume) = &args.simulate_volume {
        overrides.push(("simulate_volume".into(), volume.clone()));
    }
    Ok(OpenOptions { root: args.data_dir.clone(), overrides, ..OpenOptions::default() })
}

/// Opens the database with its I/O driven by the runtime. Says also what may have how many descriptors.
pub async fn open(options: OpenOptions) -> Result<(Database, Division)> {
    let (mut settings, directory) = Database::prepare(&options)?;
    let pending = pending_connections::wanted(settings.integer("max_connections") as usize);
    let division = descriptors::divide(&settings, pending)?;
    listen::choose_directory(&mut settings)?;
    let (engine, note) = Database::start_engine(&settings, options.method)?;
    drive(&engine)?;
    Ok((Database::open_with(options, settings, engine, note, directory).await?, division))
}

/// An attacker with a way into a server of root's has the whole machine.
fn check_user(args: &ServeArgs) -> Result<()> {
    if !geteuid().is_root() || args.allow_root {
        return Ok(());
    }
    Err(EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, "\"root\" execution of the server is not permitted")
        .detail(
            "The server must be started under an unprivileged user ID to prevent possible system security compromise.",
        )
        .hint("Start it as another user; or, in a container that has no other, with: inflight serve --allow-root"))
}

/// No other user can read what this process writes, but for the group where the data directory has it so.
fn keep_to_oneself(args: &ServeArgs) {
    let mode = std::fs::metadata(&args.data_dir).map_or(0o700, |directory| directory.mode());
    umask(Mode::from_bits_truncate(engine::data_directory::file_mask(mode)));
}

/// Runs the server; statements that take long go on in `long`.
pub async fn run(args: ServeArgs, long: tokio::runtime::Handle) -> Result<()> {
    check_user(&args)?;
    keep_to_oneself(&args);
    let options = open_options(&args)?;
    let (db, division) = open(options).await?;
    session::bound_trees();
    let settings = db.settings();
    if let Some(note) = db.method_note() {
        tracing::warn!("{note}");
    }
    if let Some(probe) = db.sync_probe() {
        tracing::info!(
            "wal_sync_method: {} (a durable write took {} us with open_datasync, {} us with fdatasync)",
            probe.best.name(),
            probe.open_datasync.as_micros(),
            probe.fdatasync.as_micros()
        );
    }
    if !settings.get("simulate_volume").is_empty() {
        tracing::warn!("SIMULATED VOLUME: all I/O is delayed to behave like {}", settings.get("simulate_volume"));
    }
    let listeners = match Listeners::open(&settings).await {
        Ok(listeners) => listeners,
        Err(error) => {
            db.close().await?;
            return Err(error);
        }
    };
    let server = match Server::new(db.clone(), listeners.exposed(), &division) {
        Ok(server) => Arc::new(server),
        Err(error) => {
            db.close().await?;
            return Err(error);
        }
    };
    let (stop, stopping) = watch::channel(false);
    let checkpointer = db.clone();
    tokio::spawn(async move {
        checkpointer.run_checkpointer().await;
    });
    let log_writer = db.clone();
    tokio::spawn(async move { log_writer.run_log_writer().await });
    let writer = db.clone();
    tokio::spawn(async move { writer.run_background_writer().await });
    let watch = db.clone();
    tokio::spawn(async move { watch.run_directory_watch().await });
    let sizer = db.clone();
    tokio::spawn(async move { sizer.run_pool_sizer().await });
    if db.has_autoprewarm() {
        let autoprewarm = db.clone();
        tokio::spawn(async move { autoprewarm.run_autoprewarm().await });
    }

    let mut reloads = db.reload_requests();
    // Before any client is told that the server is there: from then on a signal ends it in good order.
    let mut terminate = signal(tokio::signal::unix::SignalKind::terminate())?;
    let mut interrupt = signal(tokio::signal::unix::SignalKind::interrupt())?;
    let mut hangup = signal(tokio::signal::unix::SignalKind::hangup())?;
    announce(&db, &listeners);
    let mut sessions = JoinSet::new();
    sessions.spawn(prepare(db.clone()));
    sessions.spawn(commands::autovacuum::run(db.clone(), stopping.clone()));
    let fatal = loop {
        tokio::select! {
            accepted = listeners.accept() => match accepted {
                Ok((stream, address)) => {
                    if let Stream::Tcp(stream) = &stream {
                        let _ = stream.set_nodelay(true);
                    }
                    let session = |lane| connection::run(server.clone(), stream, address, stopping.clone(), lane);
                    let session = lanes::Session::new(db.engine().clone(), long.clone(), |lane| Box::pin(session(lane)));
                    sessions.spawn(async { drop(session.await) });
                }
                // The client waits.
                Err(error) if is_out_of_files(&error) && close_idle_files(FOR_A_CLIENT) > 0 => {}
                Err(error) => {
                    // The sessions there are go on.
                    match is_out_of_files(&error) {
                        true => complain_of(&error),
                        false => tracing::error!(%error, "could not accept a connection"),
                    }
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            },
            Some(_) = sessions.join_next(), if !sessions.is_empty() => {}
            reason = db.failed() => break Some(reason),
            Ok(()) = reloads.changed() => server.follow_reload(),
            Some(()) = hangup.recv() => {
                db.reload();
            }
            _ = terminate.recv() => break None,
            _ = interrupt.recv() => break None,
        }
    };
    let _ = stop.send(true);
    drop(listeners);
    let ended = async { while sessions.join_next().await.is_some() {} };
    if let Some(reason) = fatal {
        let _ = tokio::time::timeout(LAST_WORDS, ended).await;
        // Recovery starts from the log; a last checkpoint could only do harm.
        return Err(EngineError::new(sqlstate::IO_ERROR, format!("the server stopped: {reason}")));
    }
    if tokio::time::timeout(GRACE, ended).await.is_err() {
        tracing::warn!("some sessions did not end in time");
        if tokio::time::timeout(GRACE, sessions.shutdown()).await.is_err() {
            // One works on and does not give way: nothing is closed under its hands.
            tracing::warn!("some sessions did not end at all: stopped without a last checkpoint");
            return Ok(());
        }
    }
    if db.has_autoprewarm()
        && let Err(error) = db.dump_buffers()
    {
        tracing::warn!(%error, "the pages in memory could not be written down");
    }
    db.close().await?;
    tracing::info!("stopped");
    Ok(())
}

/// Makes the server ready for a client's first statement, which need not wait for that.
async fn prepare(db: Database) {
    if let Err(error) = session::first_statement::run(&db, &commands::Commands).await {
        tracing::warn!(%error, "the server's own first statement failed");
    }
}

/// Says where clients find the server.
fn announce(db: &Database, listeners: &Listeners) {
    let settings = db.settings();
    let own = engine::system_user();
    let user = if db.catalog().role(&own).is_some() { own } else { "postgres".into() };
    let (host, port) = match listeners.address() {
        Some(address) if address.ip().is_unspecified() => ("127.0.0.1".to_string(), address.port()),
        Some(address) => (address.ip().to_string(), address.port()),
        None => {
            let directories = settings.get("unix_socket_directories");
            (directories.split(',').next().unwrap_or_default().trim().to_string(), settings.integer("port") as u16)
        }
    };
    println!(
        "inflight is ready: psql -h {host} -p {port} -U {user} postgres    (io_method = {})",
        settings.get("io_method")
    );
}

fn signal(kind: tokio::signal::unix::SignalKind) -> Result<tokio::signal::unix::Signal> {
    tokio::signal::unix::signal(kind)
        .map_err(|e| EngineError::new(sqlstate::SYSTEM_ERROR, format!("could not handle signals: {e}")))
}
