//! The allocator, and how long it keeps memory that nobody uses.

use std::os::unix::process::CommandExt;
use std::process::Command;

/// Messages are made by one thread and freed by another, a few of them for every statement: with the C library's allocator
/// pgbench had 9 (tpcb-like) to 11 per cent (select-only) fewer transactions.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// mimalloc's option for how many milliseconds freed memory is kept, to be used again.
const DELAY: &str = "MIMALLOC_PURGE_DELAY";
/// With less memory than this the server has none to keep, in bytes.
const LITTLE: u64 = 2 << 30;

/// Where there is little memory, starts the program anew with an allocator that gives memory back at once: it keeps it for
/// a second, and a server in a control group of 64 MB was killed after a COPY. The allocator reads its options from the
/// environment when the process begins.
pub fn spare_memory() {
    if std::env::var_os(DELAY).is_some() || engine::memory::available().is_none_or(|bytes| bytes >= LITTLE) {
        return;
    }
    let Ok(program) = std::env::current_exe() else { return };
    let mut arguments = std::env::args_os();
    let name = arguments.next().unwrap_or_default();
    let error = Command::new(program).arg0(name).args(arguments).env(DELAY, "0").exec();
    // It only comes back when that failed: the server needs more memory, and runs.
    tracing::warn!("could not start anew with {DELAY}=0: {error}");
}
