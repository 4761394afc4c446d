//! How memory is divided: `shared_buffers = auto`, and what statements may use together.
//!
//! Pages are read and written past the system's cache, so the buffer pool is the only cache there is, and gets most of
//! the memory. Of what the machine (or the control group that the server runs in) has beyond the server's own needs, a
//! fifth is left to the system and to other programs, a fifth is for statements' work in memory (more if one statement
//! may take more, up to two fifths), some is for sessions; the rest, about 60 per cent, is for the pool. Memory is taken page by
//! page, as the database fills it. When it has filled that, the pool may grow into what is free ([`crate::memory::pool_size`]).
//!
//! Statements count what they take for sorting, hashing and the like, and stop (write to disk, or fail) at two thirds of
//! their share: what they do not count, and memory that the allocator has not given back yet, was half as much again.

pub(crate) mod pool_size;
pub(crate) mod undo_limit;
pub(crate) mod work_memory;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use error::sqlstate;
use storage::PAGE_SIZE;

pub use crate::memory::work_memory::{Grant, Share, WorkMemory};
use crate::{EngineError, Result};
use config::{Settings, Source, find};

/// Operators of one query that may use `work_mem` at once; together they bound its memory.
pub const OPERATORS: usize = 16;
/// The server itself, `wal_buffers` left out: 25 MB with an empty database and no sessions, and the program's text, buffers
/// for writes, COPY's and the parser's memory beside that.
const OWN: u64 = 64 << 20;
/// A session that has run statements and is idle: measured with 10,000 of them.
const SESSION: u64 = 64 << 10;
/// What finding a page in the pool takes beside the page: its frame and its place in the map.
const FRAME: u64 = 192;
/// The pool is no smaller than this, in bytes.
pub(crate) const LEAST_POOL: u64 = 4 << 20;
/// Nor is what statements may take.
const LEAST_STATEMENTS: u64 = 8 << 20;
/// With less than this for itself the server is killed sooner or later: in use with one session that works, 10 MB beside
/// the statement's own memory, the allocator's losses, and a part of the program's text that is always needed.
const LEAST_OWN: u64 = 24 << 20;
/// The log's buffer is no smaller than this.
const LEAST_LOG: u64 = 2 << 20;
/// Of the memory there is, the log's buffer gets this part at most, if `wal_buffers` is not set.
const LOG_PART: u64 = 32;
/// Where nothing says how much memory there is: PostgreSQL's default, in bytes.
const UNKNOWN_POOL: u64 = 128 << 20;
/// Of a machine's memory this part stays with others, and this part of a control group's with what grows quickly. The machine
/// that a group is on keeps that, too.
const OTHERS: u64 = 5;
const SPARE: u64 = 16;
const UNKNOWN_STATEMENTS: u64 = 1 << 30;

/// Whose memory bounds the server's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    Machine,
    Group,
}

/// Memory that the process may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Memory {
    bytes: u64,
    bound: Bound,
}

/// What could be taken at some moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Left {
    /// Bytes, of what the server may use; negative where it has more.
    pub bytes: i64,
    /// Hundredths of the last ten seconds in which a task waited for memory.
    pub pressure: f64,
}

impl Memory {
    /// Below `root`, which is `/` outside of tests. `None` where the system does not say.
    fn find(root: &Path) -> Option<Memory> {
        // What others hold cannot be had.
        let machine = machine(root).map(|machine| Memory { bytes: machine.available, bound: Bound::Machine });
        let group = groups(root).into_iter().map(|group| group.limit).min();
        let group = group.map(|bytes| Memory { bytes, bound: Bound::Group });
        machine.into_iter().chain(group).min_by_key(|memory| memory.bytes)
    }
}

/// A machine's memory, in bytes.
struct Machine {
    total: u64,
    available: u64,
}

fn machine(root: &Path) -> Option<Machine> {
    let meminfo = fs::read_to_string(root.join("proc/meminfo")).unwrap_or_default();
    let field = |name: &str| {
        let value = meminfo.lines().find_map(|line| line.strip_prefix(name))?;
        value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kb| kb << 10)
    };
    let total = field("MemTotal:")?;
    Some(Machine { total, available: field("MemAvailable:").unwrap_or(total) })
}

/// A control group that limits memory.
struct Group {
    directory: PathBuf,
    limit: u64,
}

impl Group {
    /// Bytes that its processes have taken, less cached files: these go when they must.
    fn used(&self) -> Option<u64> {
        let read = |file: &str| fs::read_to_string(self.directory.join(file)).ok();
        let number = |file: &str| read(file)?.trim().parse::<u64>().ok();
        let used = number("memory.current").or_else(|| number("memory.usage_in_bytes"))?;
        let stat = read("memory.stat").unwrap_or_default();
        let field = |name: &str| stat.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok());
        // Of the groups below, too: version 1 says so by name.
        let cached = |name: &str| field(&format!("total_{name} ")).or_else(|| field(&format!("{name} "))).unwrap_or(0);
        Some(used.saturating_sub(cached("inactive_file") + cached("active_file")))
    }
}

/// `some avg10` of a file of the kernel's pressure stall information.
fn pressure(file: &Path) -> Option<f64> {
    let text = fs::read_to_string(file).ok()?;
    let some = text.lines().find_map(|line| line.strip_prefix("some "))?;
    some.split(' ').find_map(|field| field.strip_prefix("avg10="))?.parse().ok()
}

/// The process's control group for memory and the groups around it, as far as they have limits.
fn groups(root: &Path) -> Vec<Group> {
    let read = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_default();
    let (groups, mounts) = (read("proc/self/cgroup"), read("proc/self/mountinfo"));
    let mut found = Vec::new();
    for line in groups.lines() {
        // hierarchy : controllers : path; version 2 names no controllers.
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let (system, files): (&str, &[&str]) = match controllers {
            "" => ("cgroup2", &["memory.max", "memory.high"]),
            list if list.split(',').any(|c| c == "memory") => ("cgroup", &["memory.limit_in_bytes"]),
            _ => continue,
        };
        for directory in mounts.lines().flat_map(|mount| directories(mount, system, path)) {
            let directory = root.join(directory.strip_prefix("/").unwrap_or(&directory));
            // `max` is no number.
            let limit = |file| fs::read_to_string(directory.join(file)).ok()?.trim().parse::<u64>().ok();
            let limit = files.iter().filter_map(limit).min();
            found.extend(limit.map(|limit| Group { directory, limit }));
        }
    }
    found
}

/// Where a line of mountinfo has the group `path`, and the groups around it.
fn directories(mount: &str, system: &str, path: &str) -> Vec<PathBuf> {
    let Some((place, kind)) = mount.split_once(" - ") else { return vec![] };
    let mut kind = kind.split(' ');
    let (fields, is_it): (Vec<&str>, bool) = (place.split(' ').collect(), kind.next() == Some(system));
    let with_memory = system == "cgroup2" || kind.nth(1).is_some_and(|o| o.split(',').any(|o| o == "memory"));
    let (Some(top), Some(point)) = (fields.get(3), fields.get(4)) else { return vec![] };
    if !is_it || !with_memory {
        return vec![];
    }
    let point = Path::new(point);
    // In a container the mount may begin at the container's group, or the path be of outside.
    let inside = Path::new(path).strip_prefix(top).unwrap_or(Path::new(""));
    let group = point.join(inside);
    group.ancestors().take_while(|directory| directory.starts_with(point)).map(Path::to_path_buf).collect()
}

/// Bytes of memory that the process may use; `None` where the system does not say.
pub fn available() -> Option<u64> {
    Memory::find(Path::new("/")).map(|memory| memory.bytes)
}

/// Bytes that the process could take now, but for some that stay free for what grows quickly. Where the system does not say,
/// all that there are.
pub fn left() -> usize {
    let root = Path::new("/");
    let mut left = machine(root).map_or(u64::MAX, |machine| machine.available.saturating_sub(machine.total / SPARE));
    for group in groups(root) {
        if let Some(used) = group.used() {
            left = left.min((group.limit - group.limit / SPARE).saturating_sub(used));
        }
    }
    usize::try_from(left).unwrap_or(usize::MAX)
}

/// Statements that make long values ask for room from now on.
pub(crate) fn watch_long_values() {
    types::memory::follow(left, available().map_or(usize::MAX, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX)));
}

/// What goes where, in bytes.
#[derive(Clone, Debug)]
pub struct Division {
    memory: Option<Memory>,
    own: u64,
    /// Of `wal_buffers`: its default, or less.
    pub log: u64,
    sessions: u64,
    max_connections: u64,
    /// What statements may take together.
    statements: u64,
    /// Of the buffer pool, if `auto`: at first, and at most.
    pub pool: u64,
    pub most_pool: u64,
    /// `shared_buffers` does not say otherwise.
    pub auto: bool,
}

impl Division {
    pub fn new(settings: &Settings) -> Division {
        Division::of(Memory::find(Path::new("/")), settings)
    }

    fn of(memory: Option<Memory>, settings: &Settings) -> Division {
        let bytes = memory.map_or(u64::MAX, |memory| memory.bytes);
        let set = settings.bytes("wal_buffers") as u64;
        let by_default = find("wal_buffers").is_some_and(|buffers| settings.source(buffers) == Source::Default);
        let log = if by_default { set.min((bytes / LOG_PART).max(LEAST_LOG)) } else { set };
        // A small group gets a small server: not all of it is used at once.
        let own = (OWN + log).min(bytes / 2);
        let max_connections = settings.integer("max_connections") as u64;
        let sessions = max_connections * SESSION;
        let auto = settings.get("shared_buffers") == "auto";
        let (statements, pool) = match memory {
            None => (UNKNOWN_STATEMENTS, UNKNOWN_POOL),
            Some(memory) => {
                let shared = memory.bytes.saturating_sub(own);
                let one = (settings.bytes("work_mem") * OPERATORS) as u64;
                let statements = (one + one / 2).clamp(shared / 5, shared / 5 * 2);
                let pool = (shared / 5 * 4).saturating_sub(statements + sessions);
                (statements, pool / (PAGE_SIZE as u64 + FRAME) * PAGE_SIZE as u64)
            }
        };
        let (statements, pool) = if auto {
            // Whole megabytes are easier to read.
            (statements, pool.max(LEAST_POOL) >> 20 << 20)
        } else {
            let pool = settings.integer("shared_buffers") as u64 * PAGE_SIZE as u64;
            (statements.min(bytes.saturating_sub(own + pool + sessions)).max(LEAST_STATEMENTS), pool)
        };
        let most_pool = match memory {
            Some(Memory { bytes, .. }) if auto => pool.max((bytes - bytes / SPARE).saturating_sub(LEAST_OWN + log)),
            _ => pool,
        };
        Division { memory, own, log, sessions, max_connections, statements, pool, most_pool, auto }
    }

    /// What could be taken now, of what the server may use; `None` where the system does not say. Below `root`, which is `/` outside
    /// of tests.
    pub(crate) fn left(&self, root: &Path) -> Option<Left> {
        let bound = self.memory?.bound;
        let machine = machine(root)?;
        let kept = machine.total / if bound == Bound::Machine { OTHERS } else { SPARE };
        let mut left = Left { bytes: machine.available as i64 - kept as i64, pressure: 0.0 };
        for group in groups(root) {
            let bytes = group.limit - group.limit / SPARE;
            left.bytes = left.bytes.min(bytes as i64 - group.used()? as i64);
            left.pressure = left.pressure.max(pressure(&group.directory.join("memory.pressure")).unwrap_or(0.0));
        }
        if bound == Bound::Machine {
            left.pressure = left.pressure.max(pressure(&root.join("proc/pressure/memory")).unwrap_or(0.0));
        }
        Some(left)
    }

    /// What others may take besides the pool, of which statements count `counted` bytes now and so many sessions are there.
    pub(crate) fn promised(&self, counted: u64, sessions: u64) -> u64 {
        let taken = (counted + counted / 2).min(self.statements);
        self.statements - taken + self.max_connections.saturating_sub(sessions) * SESSION
    }

    /// Refuses settings that ask for more memory than a control group allows: the server would be killed later. How much
    /// a machine's other programs give back is not known; there it is a warning.
    pub fn check(&self) -> Result<()> {
        let Some(memory) = self.memory else { return Ok(()) };
        let least = LEAST_OWN + LEAST_STATEMENTS + self.log + self.sessions + self.pool;
        if least <= memory.bytes {
            return Ok(());
        }
        let mb = |bytes: u64| bytes.div_ceil(1 << 20);
        let message =
            format!("{} MB of memory are too little, at least {} MB are needed", memory.bytes >> 20, mb(least));
        let detail = format!(
            "The server itself and its statements need {} MB, shared_buffers {} MB, wal_buffers {} MB, {} sessions {} MB.",
            mb(LEAST_OWN + LEAST_STATEMENTS),
            mb(self.pool),
            mb(self.log),
            self.max_connections,
            mb(self.sessions)
        );
        if memory.bound == Bound::Machine {
            tracing::warn!("{message}. {detail}");
            return Ok(());
        }
        Err(EngineError::new(sqlstate::OUT_OF_MEMORY, message)
            .detail(detail)
            .hint("Give the control group more memory, or lower shared_buffers or max_connections."))
    }

    /// What statements may count before they stop, in bytes.
    pub fn work(&self) -> usize {
        (self.statements / 3 * 2) as usize
    }

    /// Pages of the pool, if `auto`.
    pub fn pages(&self) -> usize {
        self.pool as usize / PAGE_SIZE
    }
}

impl fmt::Display for Division {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mb = |bytes: u64| bytes >> 20;
        let Some(memory) = self.memory else { return write!(f, "the system does not say how much memory there is") };
        let whose = match memory.bound {
            Bound::Machine => "that the machine has available",
            Bound::Group => "that the control group may use",
        };
        write!(
            f,
            "80 % of the {} MB {whose} beyond the server's own {} MB, less {} MB for statements and {} MB for {} sessions; more of it \
             while nobody has taken that",
            mb(memory.bytes),
            mb(self.own),
            mb(self.statements),
            mb(self.sessions),
            self.max_connections
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use config::Source;

    const MB: u64 = 1 << 20;

    /// A system of files.
    fn system(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    const MEMINFO: (&str, &str) =
        ("proc/meminfo", "MemTotal:  24684092 kB\nMemFree: 1 kB\nMemAvailable:  20971520 kB\n");

    fn found(files: &[(&str, &str)]) -> Option<Memory> {
        Memory::find(system(&[&[MEMINFO], files].concat()).path())
    }

    #[test]
    fn the_smallest_limit_on_the_way_to_the_own_group_counts() {
        let machine = Some(Memory { bytes: 20480 * MB, bound: Bound::Machine });
        let group = |mb: u64| Some(Memory { bytes: mb * MB, bound: Bound::Group });
        assert_eq!(Memory::find(system(&[]).path()), None);
        assert_eq!(found(&[]), machine);
        let v1 = [
            ("proc/self/cgroup", "3:cpu:/\n2:memory,hugetlb:/pods/a\n1:name=systemd:/x\n"),
            (
                "proc/self/mountinfo",
                "30 25 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
                 31 25 0:27 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n",
            ),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
        ];
        assert_eq!(found(&v1), machine);
        let inner = ("sys/fs/cgroup/memory/pods/a/memory.limit_in_bytes", "536870912\n");
        assert_eq!(found(&[&v1[..], &[inner]].concat()), group(512));
        let outer = ("sys/fs/cgroup/memory/pods/memory.limit_in_bytes", "268435456\n");
        assert_eq!(found(&[&v1[..], &[inner, outer]].concat()), group(256));
        let v2 = [
            ("proc/self/cgroup", "0::/a/b\n"),
            ("proc/self/mountinfo", "31 25 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n"),
            ("sys/fs/cgroup/a/b/memory.max", "max\n"),
        ];
        assert_eq!(found(&v2), machine);
        let (max, high) =
            (("sys/fs/cgroup/a/memory.max", "1073741824\n"), ("sys/fs/cgroup/a/b/memory.high", "67108864"));
        assert_eq!(found(&[&v2[..], &[max]].concat()), group(1024));
        assert_eq!(found(&[&v2[..], &[max, high]].concat()), group(64));
        // A container sees its own group at the top of the mount.
        let container = [
            ("proc/self/cgroup", "2:memory:/docker/1\n"),
            ("proc/self/mountinfo", "31 25 0:27 /docker/1 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "134217728\n"),
        ];
        assert_eq!(found(&container), group(128));
    }

    #[test]
    fn what_is_left_is_what_group_and_machine_have_less_what_they_keep() {
        let memory = |bound| Division { memory: Some(Memory { bytes: 0, bound }), ..division(1024, &[]) };
        let left = |bound, files: &[(&str, &str)]| {
            let left = memory(bound).left(system(&[&[MEMINFO], files].concat()).path()).unwrap();
            (left.bytes >> 20, left.pressure)
        };
        let total = 24684092 << 10;
        assert_eq!(left(Bound::Machine, &[]), (20480 - ((total / 5) >> 20) - 1, 0.0));
        let psi = |value| format!("some avg10={value} avg60=0.10 avg300=0.00 total=1\nfull avg10=9.00 avg60=0.00\n");
        let (calm, pressed) = (psi("0.50"), psi("12.50"));
        assert_eq!(left(Bound::Machine, &[("proc/pressure/memory", &calm)]).1, 0.5);
        assert_eq!(left(Bound::Group, &[("proc/pressure/memory", &calm)]).1, 0.0, "others' waits are not the group's");
        let v2 = [
            ("proc/self/cgroup", "0::/a\n"),
            ("proc/self/mountinfo", "31 25 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n"),
            ("sys/fs/cgroup/a/memory.max", "167772160\n"),
            ("sys/fs/cgroup/a/memory.current", "104857600\n"),
            ("sys/fs/cgroup/a/memory.stat", "anon 1\ninactive_file 4194304\nactive_file 6291456\n"),
            ("sys/fs/cgroup/a/memory.pressure", &pressed),
        ];
        assert_eq!(left(Bound::Group, &v2), (160 - 10 - 90, 12.5));
        let v1 = [
            ("proc/self/cgroup", "2:memory:/a\n"),
            ("proc/self/mountinfo", "31 25 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"),
            ("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "167772160\n"),
            ("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "167772160\n"),
            (
                "sys/fs/cgroup/memory/a/memory.stat",
                "inactive_file 7\ntotal_inactive_file 4194304\ntotal_active_file 0\n",
            ),
        ];
        assert_eq!(left(Bound::Group, &v1), (4 - 10, 0.0));
    }

    #[test]
    fn what_is_promised_and_not_taken_is_not_the_pools() {
        let d = division(1024, &[]);
        assert_eq!(d.promised(0, 0), d.statements + d.sessions);
        assert_eq!(d.promised(10 * MB, 40), d.statements - 15 * MB + 60 * SESSION);
        assert_eq!(d.promised(u64::MAX / 2, 1000), 0);
        assert!(d.most_pool > d.pool && division(1024, &[("shared_buffers", "128MB")]).most_pool == 128 * MB);
    }

    fn division(mb: u64, set: &[(&str, &str)]) -> Division {
        let mut settings = Settings::default();
        for (name, value) in set {
            settings.set(name, value, Source::CommandLine).unwrap();
        }
        Division::of(Some(Memory { bytes: mb * MB, bound: Bound::Machine }), &settings)
    }

    #[test]
    fn everybody_gets_something_and_all_together_no_more_than_there_is() {
        let large = division(24 << 10, &[]);
        assert!((13 << 10..15 << 10).contains(&(large.pool / MB)), "{} MB", large.pool / MB);
        for mb in [64, 96, 128, 256, 512, 1024, 4096, 65536, 1 << 20] {
            for set in [&[][..], &[("work_mem", "1GB")], &[("max_connections", "1000")]] {
                let d = division(mb, set);
                let frames = d.pages() as u64 * FRAME;
                let least = if d.pool == LEAST_POOL { mb * MB / 5 } else { 0 };
                let all = d.pool + frames + d.statements + d.sessions + d.own;
                assert!(all <= mb * MB + least || set == [("max_connections", "1000")], "{mb} MB {set:?}: {d:?}");
                assert!(d.pool >= LEAST_POOL);
            }
        }
        assert!(division(24 << 10, &[("work_mem", "1GB")]).pool < large.pool);
        assert!(division(24 << 10, &[("max_connections", "10000")]).pool < large.pool);
        // Less than the server itself needs.
        assert_eq!(division(16, &[]).pool, LEAST_POOL);
    }

    #[test]
    fn a_group_that_is_too_small_is_refused() {
        let refused = |mb: u64, set: &[(&str, &str)]| {
            let mut division = division(mb, set);
            // A machine is warned of.
            assert!(division.check().is_ok());
            division.memory.as_mut().unwrap().bound = Bound::Group;
            division.check().is_err()
        };
        assert!(refused(32, &[]) && !refused(64, &[]) && !refused(256, &[]));
        assert!(refused(64, &[("shared_buffers", "128MB")]) && refused(64, &[("max_connections", "1000")]));
        assert!(!refused(256, &[("shared_buffers", "128MB")]));
        assert!(division(256, &[("shared_buffers", "160MB")]).statements < division(256, &[]).statements);
        assert_eq!((division(64, &[]).log, division(64, &[("wal_buffers", "16MB")]).log), (LEAST_LOG, 16 * MB));
        assert_eq!(division(4096, &[]).log, 16 * MB);
    }
}
