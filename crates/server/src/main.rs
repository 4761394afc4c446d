//! The `inflight` command.

mod access_rules;
mod allocator;
mod auth;
mod auth_delay;
mod codec;
mod connection;
mod demo;
mod descriptors;
mod frontend;
mod interrupts;
mod lanes;
mod listen;
mod login;
mod pending_connections;
mod protocol_violations;
mod report;
mod rest;
mod scram;
mod serve;
mod startup;
mod stream;
mod threads;
mod tls;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

#[derive(Parser)]
#[command(
    name = "inflight",
    version,
    about = "A PostgreSQL-compatible database server with asynchronous I/O everywhere"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the server
    Serve(ServeArgs),
    /// Show what asynchronous I/O is worth, on a simulated cloud volume
    Demo(DemoArgs),
}

#[derive(Args, Clone)]
pub struct ServeArgs {
    /// The data directory, made on first use
    #[arg(long, value_name = "DIR", default_value = "./inflight-data")]
    pub data_dir: PathBuf,
    /// Run as root, too: in a container without another user, say
    #[arg(long)]
    pub allow_root: bool,
    /// Where to listen
    #[arg(long, value_name = "ADDR:PORT")]
    pub listen: Option<String>,
    /// A setting, as in inflight.conf; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// Delay I/O as a volume would: latency=1ms,iops=20000,bandwidth=1GB
    #[arg(long, value_name = "SPEC")]
    pub simulate_volume: Option<String>,
}

#[derive(Args, Clone)]
pub struct DemoArgs {
    /// Rows of the table
    #[arg(long, default_value_t = 10_000_000)]
    pub rows: u64,
    /// Where to put the table; removed at the end
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// The volume
    #[arg(long, value_name = "SPEC", default_value = "latency=1ms,iops=20000,bandwidth=1GB")]
    pub simulate_volume: String,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let filter = tracing_subscriber::EnvFilter::try_from_env("INFLIGHT_LOG").unwrap_or_else(|_| {
        tracing_subscriber::EnvFilter::new(if matches!(cli.command, Command::Demo(_)) { "error" } else { "info" })
    });
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false).init();
    if matches!(cli.command, Command::Serve(_)) {
        allocator::spare_memory();
    }
    let (runtime, long) = match lanes::short().and_then(|short| Ok((short, lanes::long()?))) {
        Ok(runtimes) => runtimes,
        Err(error) => {
            eprintln!("inflight: could not start: {error}");
            return ExitCode::FAILURE;
        }
    };
    let result = match cli.command {
        Command::Serve(args) => runtime.block_on(serve::run(args, long.handle().clone())),
        Command::Demo(args) => runtime.block_on(demo::run(args)),
    };
    // Threads that are still inside a system call end with the process.
    long.shutdown_background();
    runtime.shutdown_background();
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("inflight: {}", error.message);
            if let Some(detail) = &error.detail {
                eprintln!("DETAIL:  {detail}");
            }
            if let Some(hint) = &error.hint {
                eprintln!("HINT:  {hint}");
            }
            ExitCode::FAILURE
        }
    }
}
