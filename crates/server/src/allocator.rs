//! Which allocator the server has.

use std::os::unix::process::CommandExt;
use std::process::Command;

/// Messages are made by one thread and freed by another, a few of them for every statement: with the C library's allocator
/// pgbench had 9 (tpcb-like) to 11 per cent (select-only) fewer transactions.
#[global_allocator]
static ALLOCATOR: aio::Allocator = aio::Allocator;

/// With less memory than this the server has none to keep, in bytes.
const LITTLE: u64 = 2 << 30;

/// The C library's own settings: few arenas, and what is large goes back to the system when it is freed.
const SETTINGS: [(&str, &str); 3] =
    [("MALLOC_ARENA_MAX", "2"), ("MALLOC_MMAP_THRESHOLD_", "65536"), ("MALLOC_TRIM_THRESHOLD_", "131072")];

/// The variable that says so.
fn sparing() -> &'static str {
    aio::SPARING.to_str().expect("it is ASCII")
}

/// Has the program the allocator that gives memory back?
pub fn is_sparing() -> bool {
    std::env::var_os(sparing()).is_some()
}

/// Where there is little memory, starts the program anew with the allocator that gives memory back, and without huge
/// pages: a server in a control group of 64 MB had 46 MB after an INSERT of 500,000 rows, and has 19.
pub fn spare_memory() {
    if is_sparing() || engine::memory::available().is_none_or(|bytes| bytes >= LITTLE) {
        return;
    }
    // Holds for the program that comes.
    #[cfg(target_os = "linux")]
    if let Err(error) = nix::sys::prctl::set_thp_disable(true) {
        tracing::warn!("could not do without huge pages: {error}");
    }
    let Ok(program) = std::env::current_exe() else { return };
    let mut arguments = std::env::args_os();
    let name = arguments.next().unwrap_or_default();
    let error = Command::new(program).arg0(name).args(arguments).envs(SETTINGS).env(sparing(), "1").exec();
    // It only comes back when that failed: the server needs more memory, and runs.
    tracing::warn!("could not start anew with {}: {error}", sparing());
}
