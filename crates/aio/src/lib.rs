//! Asynchronous I/O for a storage engine: handles, staging, merging, submission, completion, the I/O methods
//! and the I/O statistics. It knows files, offsets and buffers; it knows nothing of pages, WAL or SQL.
//!
//! # Why
//! A cloud volume answers a read in a millisecond but takes thousands of them at once. So nothing above this
//! crate may ever wait for one operation before starting the next; it starts operations, goes on, and awaits
//! what it needs. This crate turns "start" into as few system calls as possible and "await" into a future
//! that any thread can complete.
//!
//! # An I/O, step by step
//! 1. [`Session::get`] hands out an unused handle (state `HANDED_OUT`). A session owns `io_max_concurrency` of
//!    them, allocated at start. When all are busy it waits for one of its own to finish; it never fails.
//! 2. [`Handle::read`] and its sisters define the operation (`DEFINED`), stage it (`STAGED`) and return an [`Io`].
//!    The [`Target`] given there is told of the completion.
//! 3. [`Session::submit`], a full batch, or a wait for a staged handle, of any session, sends the session's staged
//!    operations to the kernel in one call, neighbours merged into one (`SUBMITTED`).
//! 4. The method reports the kernel's answer (`COMPLETED_IO`). Interrupted operations are retried and short ones
//!    continued here, so that no caller ever sees one. Then the target's shared completion runs, in whatever
//!    thread noticed (`COMPLETED_SHARED`), and all waiters wake.
//! 5. The owner collects the outcome ([`Io::wait`]), which runs its local completion (`COMPLETED_LOCAL`) and makes
//!    the handle `IDLE` with the next generation. Any other session waits through an [`IoRef`], which recognises a
//!    reused handle by its generation.
//!
//! # Invariants
//! * A buffer belongs to exactly one owner: the session that starts an operation moves the [`IoBuf`] into it, the target
//!   (or the owner) gets it back. The kernel never writes to memory that another owner can see.
//! * Shared completions run without any lock of this crate held, never allocate and never start I/O.
//! * Every queue is bounded by the number of handles; nothing is ever dropped for want of room.

mod activity;
mod allocator;
mod buffer;
mod clock;
mod config;
pub mod descriptors;
mod device;
mod engine;
mod executor;
mod file;
pub mod lwlock;
mod merge;
mod method;
mod op;
mod random;
mod recent_blocks;
mod sim_disk;
mod slab;
mod slot;
mod stats;
mod striped;
mod timer;
mod turn;
mod usage;
mod volume;
mod write_depth;

pub use activity::{DEPTHS, HandleView, SessionView, WorkerView};
pub use allocator::{Allocator, SPARING, give_back, give_back_freed, note_much_freed, was_much_freed};
pub use buffer::{ALIGNMENT, BufferArena, IoBuf};
pub use clock::{Clock, Nanos};
pub use config::{Config, IoMethod, SetupError};
pub use device::{Device, DeviceOp, DeviceView, Pattern, ReadSpeed};
pub use engine::{Engine, Handle, Io, IoRef, LocalCompletion, Session, Waiting};
pub use executor::{block_on, thread_number, yield_once};
pub use file::{File, OpenMode, Writes, exchange_files};
pub use merge::{MergeItem, plan_merge};
pub use method::{Fault, SimConfig, posix_aio_available, probe_uring};
pub use op::{Completed, IoError, OpInfo, OpKind, Raw, Target};
pub use random::Random;
pub use sim_disk::SimDisk;
pub use slot::State;
pub use stats::{BackendKind, IoContext, IoObject, IoStats, OpStats, StatKey, StatOp, StatRow};
pub use striped::Striped;
pub use timer::Sleep;
pub use turn::{TURN, Turn, announce_long_work, lower_thread_priority, set_thread_preempts, was_long_work_announced};
pub use usage::{BufferUsage, SharedUsage};
pub use volume::VolumeSpec;
pub use write_depth::WriteDepth;
