//! The FUSE file. Requests are admitted by token buckets and answered when they are due: any number are under way
//! together, up to the caps. The threads that answer sleep; none is held by a request.
//!
//! Writes are in memory ([`Contents`]) before they are admitted, reads leave it when they are answered. Both are legal:
//! a read of what is being written gets either.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, UNIX_EPOCH};

use fuser::{
    BackgroundSession, Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo,
    InitFlags, KernelConfig, LockOwner, MountOption, OpenFlags, ReplyAttr, ReplyData, ReplyEmpty, ReplyEntry,
    ReplyOpen, ReplyWrite, Request, WriteFlags,
};
use parking_lot::{Condvar, Mutex};

use super::contents::Contents;
use super::profile::Limits;
use crate::error::{Context, Result};

/// The kernel keeps at most this many requests under way.
const MAX_BACKGROUND: u16 = 1024;
/// Threads that take requests from the kernel, and threads that answer them.
const READERS: usize = 2;
const ANSWERERS: usize = 2;
const FILE: INodeNo = INodeNo(2);
const FOREVER: Duration = Duration::from_secs(3600);

/// What the device saw since it was last asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Observed {
    pub reads: u64,
    pub writes: u64,
    pub flushes: u64,
    pub read_bytes: u64,
    pub write_bytes: u64,
    /// Operations under way, averaged over the time in which there were any.
    pub mean_depth: f64,
    pub peak_depth: u64,
}

/// One token bucket: the time at which the next unit may pass.
struct Bucket {
    /// Seconds a unit.
    cost: f64,
    /// In seconds since the device began.
    next: f64,
}

impl Bucket {
    fn new(rate: f64) -> Bucket {
        Bucket { cost: 1.0 / rate, next: 0.0 }
    }

    /// When `units` asked for at `now` have passed. Half a millisecond's worth may pass at once: enough for the jitter of
    /// timers, too little to help a short scan past the cap.
    fn admit(&mut self, now: f64, units: f64) -> f64 {
        self.next = self.next.max(now - 0.0005) + units * self.cost;
        self.next
    }
}

struct Queue {
    due: BinaryHeap<Reverse<(Instant, u64)>>,
    answers: std::collections::HashMap<u64, Answer>,
    serial: u64,
    reads: Bucket,
    writes: Bucket,
    bytes: Bucket,
    random: u64,
    observed: Observed,
    under_way: u64,
    /// Since when `under_way` has been what it is, and the integral of it over busy time.
    since: Instant,
    integral: f64,
    busy: f64,
    closed: bool,
}

enum Answer {
    Data(ReplyData, Extent),
    Written(ReplyWrite, u32),
    Flushed(ReplyEmpty),
}

/// Of the contents, in bytes.
struct Extent {
    offset: u64,
    len: usize,
}

impl Answer {
    /// `buffer` is the calling thread's own.
    fn send(self, failing: bool, contents: &Contents, buffer: &mut Vec<u8>) {
        match self {
            Answer::Data(reply, _) if failing => reply.error(Errno::EIO),
            Answer::Written(reply, _) if failing => reply.error(Errno::EIO),
            Answer::Flushed(reply) if failing => reply.error(Errno::EIO),
            Answer::Data(reply, extent) => {
                contents.read(extent.offset, extent.len, buffer, |data| reply.data(data));
            }
            Answer::Written(reply, bytes) => reply.written(bytes),
            Answer::Flushed(reply) => reply.ok(),
        }
    }
}

struct Shared {
    limits: Limits,
    contents: Contents,
    epoch: Instant,
    queue: Mutex<Queue>,
    wake: Condvar,
    /// Every operation fails with EIO.
    failing: AtomicBool,
    /// Nothing is delayed: while a file system is made.
    unlimited: AtomicBool,
}

enum Kind {
    Read,
    Write,
    Flush,
}

impl Queue {
    /// Accounts for the depth so far, before it changes.
    fn depth_changes(&mut self, now: Instant) {
        let elapsed = now.saturating_duration_since(self.since).as_secs_f64();
        if self.under_way > 0 {
            self.integral += elapsed * self.under_way as f64;
            self.busy += elapsed;
        }
        self.since = now;
    }
}

impl Shared {
    /// Takes the tokens for an operation; says when it ends.
    fn due(&self, queue: &mut Queue, now: Instant, kind: &Kind, bytes: u64) -> Instant {
        let at = now.duration_since(self.epoch).as_secs_f64();
        let admitted = match kind {
            Kind::Read => queue.reads.admit(at, 1.0),
            Kind::Write => queue.writes.admit(at, 1.0),
            // Providers count no flushes.
            Kind::Flush => at,
        };
        let admitted = admitted.max(queue.bytes.admit(at, bytes as f64));
        queue.random ^= queue.random << 13;
        queue.random ^= queue.random >> 7;
        queue.random ^= queue.random << 17;
        let latency = if queue.random.is_multiple_of(100) { self.limits.tail } else { self.limits.latency };
        // The latency runs while the operation waits for its turn.
        self.epoch + Duration::from_secs_f64(admitted.max(at + latency.as_secs_f64()))
    }

    fn begin(&self, kind: Kind, bytes: u64, answer: Answer) {
        let now = Instant::now();
        let mut queue = self.queue.lock();
        let due = if self.unlimited.load(Ordering::Relaxed) { now } else { self.due(&mut queue, now, &kind, bytes) };
        queue.depth_changes(now);
        queue.under_way += 1;
        queue.observed.peak_depth = queue.observed.peak_depth.max(queue.under_way);
        match kind {
            Kind::Read => {
                queue.observed.reads += 1;
                queue.observed.read_bytes += bytes;
            }
            Kind::Write => {
                queue.observed.writes += 1;
                queue.observed.write_bytes += bytes;
            }
            Kind::Flush => queue.observed.flushes += 1,
        }
        let serial = queue.serial;
        queue.serial += 1;
        let earliest = queue.due.peek().is_none_or(|first| due < first.0.0);
        queue.due.push(Reverse((due, serial)));
        queue.answers.insert(serial, answer);
        drop(queue);
        if earliest {
            self.wake.notify_one();
        }
    }

    /// Answers what is due, until the device is closed.
    fn answer(&self) {
        // Sleep to the microsecond: the default slack of 50 would be a tenth of some latencies.
        // SAFETY: changes a property of this thread; no memory is involved.
        #[allow(unsafe_code)]
        unsafe {
            libc::prctl(libc::PR_SET_TIMERSLACK, 1);
        }
        let mut buffer = Vec::new();
        let mut queue = self.queue.lock();
        loop {
            let now = Instant::now();
            match queue.due.peek() {
                Some(&Reverse((due, serial))) if due <= now => {
                    queue.due.pop();
                    queue.depth_changes(now);
                    queue.under_way -= 1;
                    let answer = queue.answers.remove(&serial).expect("every operation has an answer");
                    drop(queue);
                    answer.send(self.failing.load(Ordering::Relaxed), &self.contents, &mut buffer);
                    queue = self.queue.lock();
                }
                Some(&Reverse((due, _))) => {
                    self.wake.wait_until(&mut queue, due);
                }
                None if queue.closed => return,
                None => self.wake.wait(&mut queue),
            }
        }
    }
}

struct Fs(Arc<Shared>);

impl Fs {
    fn attributes(&self, ino: INodeNo) -> FileAttr {
        let file = ino == FILE;
        FileAttr {
            ino,
            size: if file { self.0.contents.size() } else { 0 },
            blocks: if file { self.0.contents.size() / 512 } else { 0 },
            atime: UNIX_EPOCH,
            mtime: UNIX_EPOCH,
            ctime: UNIX_EPOCH,
            crtime: UNIX_EPOCH,
            kind: if file { FileType::RegularFile } else { FileType::Directory },
            perm: if file { 0o600 } else { 0o700 },
            nlink: 1,
            uid: 0,
            gid: 0,
            rdev: 0,
            blksize: 4096,
            flags: 0,
        }
    }
}

impl Filesystem for Fs {
    fn init(&mut self, _: &Request, config: &mut KernelConfig) -> std::io::Result<()> {
        // Without these the kernel sends one direct request after the other.
        for flag in [InitFlags::FUSE_ASYNC_DIO, InitFlags::FUSE_ASYNC_READ, InitFlags::FUSE_MAX_PAGES] {
            let _ = config.add_capabilities(flag);
        }
        let _ = config.set_max_background(MAX_BACKGROUND);
        let _ = config.set_congestion_threshold(MAX_BACKGROUND);
        let _ = config.set_max_write(1 << 20);
        Ok(())
    }

    fn lookup(&self, _: &Request, _: INodeNo, name: &OsStr, reply: ReplyEntry) {
        if name == "volume" {
            reply.entry(&FOREVER, &self.attributes(FILE), Generation(0));
        } else {
            reply.error(Errno::ENOENT);
        }
    }

    fn getattr(&self, _: &Request, ino: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        reply.attr(&FOREVER, &self.attributes(ino));
    }

    fn open(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        reply.opened(FileHandle(0), FopenFlags::FOPEN_DIRECT_IO);
    }

    fn read(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let len = self.0.contents.within(offset, size as usize);
        self.0.begin(Kind::Read, u64::from(size), Answer::Data(reply, Extent { offset, len }));
    }

    fn write(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        if self.0.contents.within(offset, data.len()) < data.len() {
            return reply.error(Errno::ENOSPC);
        }
        self.0.contents.write(offset, data);
        self.0.begin(Kind::Write, data.len() as u64, Answer::Written(reply, data.len() as u32));
    }

    fn fsync(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        self.0.begin(Kind::Flush, 0, Answer::Flushed(reply));
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fallocate(&self, _: &Request, _: INodeNo, _: FileHandle, _: u64, _: u64, _: i32, reply: ReplyEmpty) {
        // Discards of the file system above: nothing to give back.
        reply.error(Errno::EOPNOTSUPP);
    }
}

/// A running device. Dropping it unmounts the FUSE file system; nothing may use the file by then.
pub struct Device {
    shared: Arc<Shared>,
    session: Option<BackgroundSession>,
    answerers: Vec<std::thread::JoinHandle<()>>,
    dir: PathBuf,
}

impl Device {
    /// A device of `size` bytes at `dir/volume`.
    pub fn new(limits: Limits, size: u64, dir: &Path) -> Result<Device> {
        std::fs::create_dir_all(dir).context(|| format!("making {}", dir.display()))?;
        let now = Instant::now();
        let queue = Queue {
            due: BinaryHeap::new(),
            answers: Default::default(),
            serial: 0,
            reads: Bucket::new(limits.read_iops),
            writes: Bucket::new(limits.write_iops),
            bytes: Bucket::new(limits.bandwidth),
            random: 0x9E37_79B9_7F4A_7C15,
            observed: Observed::default(),
            under_way: 0,
            since: now,
            integral: 0.0,
            busy: 0.0,
            closed: false,
        };
        let shared = Arc::new(Shared {
            limits,
            contents: Contents::new(size),
            epoch: now,
            queue: Mutex::new(queue),
            wake: Condvar::new(),
            failing: AtomicBool::new(false),
            unlimited: AtomicBool::new(true),
        });
        let answerers = (0..ANSWERERS)
            .map(|_| {
                let shared = shared.clone();
                std::thread::spawn(move || shared.answer())
            })
            .collect();
        let mut device = Device { shared, session: None, answerers, dir: dir.into() };
        let mut config = Config::default();
        config.mount_options = vec![MountOption::FSName("inflight-bench".into()), MountOption::RW];
        config.n_threads = Some(READERS);
        config.clone_fd = true;
        let session = fuser::spawn_mount(Fs(device.shared.clone()), dir, &config);
        device.session = Some(session.context(|| format!("mounting a FUSE file system at {}", dir.display()))?);
        Ok(device)
    }

    pub fn file(&self) -> PathBuf {
        self.dir.join("volume")
    }

    /// Keeps its limits, from the last call with `true` on. A new device does not.
    pub fn set_limited(&self, limited: bool) {
        self.shared.unlimited.store(!limited, Ordering::Relaxed);
    }

    /// Makes every operation fail with EIO, or no longer.
    pub fn set_failing(&self, failing: bool) {
        self.shared.failing.store(failing, Ordering::Relaxed);
    }

    /// What happened since the last call.
    pub fn observe(&self) -> Observed {
        let mut queue = self.shared.queue.lock();
        queue.depth_changes(Instant::now());
        let mut observed = std::mem::take(&mut queue.observed);
        observed.mean_depth = if queue.busy > 0.0 { queue.integral / queue.busy } else { 0.0 };
        (queue.integral, queue.busy) = (0.0, 0.0);
        queue.observed.peak_depth = queue.under_way;
        observed
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        if let Some(session) = self.session.take() {
            // Something may still hold the file for a moment. While it does, requests must be answered.
            let name = self.dir.display().to_string();
            let mounted = || std::fs::read_to_string("/proc/mounts").is_ok_and(|m| m.contains(&name));
            for _ in 0..100 {
                let _ =
                    std::process::Command::new("umount").arg(&self.dir).stderr(std::process::Stdio::null()).status();
                if !mounted() {
                    break;
                }
                std::thread::sleep(Duration::from_millis(50));
            }
            if mounted() {
                let _ = std::process::Command::new("umount").arg("-l").arg(&self.dir).status();
            }
            drop(session);
        }
        self.shared.queue.lock().closed = true;
        self.shared.wake.notify_all();
        self.answerers.drain(..).for_each(|t| {
            let _ = t.join();
        });
        let _ = std::fs::remove_dir(&self.dir);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_passes_its_rate_and_a_small_burst() {
        let mut bucket = Bucket::new(1000.0);
        // Half a millisecond is saved up, then one passes a millisecond; a pause saves no more.
        let times: Vec<f64> = (0..10).map(|_| bucket.admit(1.0, 1.0)).collect();
        assert!((times[0] - 1.0005).abs() < 1e-9 && (times[9] - 1.0095).abs() < 1e-9, "{times:?}");
        assert!((bucket.admit(2.0, 1.0) - 2.0005).abs() < 1e-9);
    }
}
