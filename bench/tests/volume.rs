//! The simulated volume against fio, and what is left of it afterwards. Needs root, FUSE, loop devices and fio; says so where
//! it is skipped. The bounds are wide: they tell a volume that works in parallel and keeps its caps from one that does not.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const BENCH: &str = env!("CARGO_BIN_EXE_bench");

fn usable() -> bool {
    let root = Command::new("id").arg("-u").output().is_ok_and(|o| o.stdout.starts_with(b"0\n"));
    let fio = Command::new("fio").arg("--version").output().is_ok();
    let missing = match () {
        () if !root => "root",
        () if !std::path::Path::new("/dev/fuse").exists() => "/dev/fuse",
        () if Command::new("losetup").arg("--find").output().is_ok_and(|o| !o.status.success()) => "loop devices",
        () if !fio => "fio",
        () => return true,
    };
    assert!(std::env::var_os("INFLIGHT_NO_SKIP").is_none(), "skipped for want of {missing}");
    println!("skipped: needs {missing}");
    false
}

/// A running `bench volume`.
struct Volume {
    child: Child,
    dir: PathBuf,
}

impl Volume {
    fn open(profile: &str) -> Volume {
        let mut child = Command::new(BENCH)
            .args(["volume", "--size", "1", "--profile", profile])
            .stdout(Stdio::piped())
            .spawn()
            .expect("bench starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
        let dir = line.split(' ').next().expect("a folder").into();
        Volume { child, dir }
    }

    fn signal(&self, signal: i32) {
        let done = Command::new("kill").args([format!("-{signal}"), self.child.id().to_string()]).status();
        assert!(done.is_ok_and(|s| s.success()));
    }

    fn end(&mut self) {
        let start = Instant::now();
        while self.child.try_wait().expect("our child").is_none() {
            assert!(start.elapsed() < Duration::from_secs(30), "it does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn fio(&self, rw: &str, block: &str, depth: u32) -> Fio {
        let output = Command::new("fio")
            .args(["--name=x", "--direct=1", "--ioengine=io_uring", "--size=256M", "--time_based", "--runtime=3"])
            .args(["--output-format=json", "--norandommap"])
            .arg(format!("--filename={}", self.dir.join("f").display()))
            .args([format!("--rw={rw}"), format!("--bs={block}"), format!("--iodepth={depth}")])
            .output()
            .expect("fio runs");
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("fio prints JSON");
        let side = if rw.contains("write") { "write" } else { "read" };
        let figure = |path: &str| json.pointer(&format!("/jobs/0/{side}/{path}")).and_then(|v| v.as_f64()).expect(path);
        Fio {
            iops: figure("iops"),
            bandwidth: figure("bw_bytes"),
            median_us: figure("clat_ns/percentile/50.000000") / 1e3,
        }
    }
}

impl Drop for Volume {
    fn drop(&mut self) {
        if self.child.try_wait().is_ok_and(|s| s.is_none()) {
            self.signal(15);
            let _ = self.child.wait();
        }
    }
}

#[derive(Debug)]
struct Fio {
    iops: f64,
    bandwidth: f64,
    median_us: f64,
}

fn traces(pid: u32) -> Vec<String> {
    let mounts = std::fs::read_to_string("/proc/mounts").expect("mounts");
    let loops = Command::new("losetup").arg("--list").output().expect("losetup runs").stdout;
    let name = format!("inflight-bench.{pid}");
    let mut found: Vec<String> = mounts.lines().filter(|l| l.contains(&name)).map(String::from).collect();
    found.extend(String::from_utf8_lossy(&loops).lines().filter(|l| l.contains(&name)).map(String::from));
    for dir in ["/tmp", "/dev/shm"] {
        let file = PathBuf::from(dir).join(&name);
        found.extend(file.exists().then(|| file.display().to_string()));
    }
    found
}

/// One test, so that volumes do not disturb each other's timing.
#[test]
fn a_volume_keeps_its_promises_and_leaves_nothing_behind() {
    if !usable() {
        return;
    }
    let mut volume = Volume::open("gp3");
    let pid = volume.child.id();
    let alone = volume.fio("randread", "8k", 1);
    assert!((1000.0..4000.0).contains(&alone.median_us), "1 ms latency: {alone:?}");
    // Sixteen at once take no longer than one: they are under way together, below the cap.
    let few = volume.fio("randread", "8k", 2);
    assert!(few.iops > 1.4 * alone.iops, "parallel reads: {alone:?} {few:?}");
    let many = volume.fio("randread", "8k", 64);
    assert!((1800.0..3300.0).contains(&many.iops), "the cap of 3,000 IOPS: {many:?}");
    let wide = volume.fio("read", "128k", 16);
    assert!((80e6..140e6).contains(&wide.bandwidth), "the cap of 125 MB/s: {wide:?}");
    let written = volume.fio("randwrite", "8k", 64);
    assert!((1800.0..3300.0).contains(&written.iops), "the cap of 3,000 IOPS: {written:?}");
    assert!(!traces(pid).is_empty());
    // Ctrl-C.
    volume.signal(2);
    volume.end();
    assert_eq!(traces(pid), Vec::<String>::new());

    // Killed, it cannot tidy up; the next does.
    let mut killed = Volume::open("io2");
    let pid = killed.child.id();
    killed.signal(9);
    killed.end();
    assert!(!traces(pid).is_empty());
    let mut next = Volume::open("io2");
    assert_eq!(traces(pid), Vec::<String>::new());
    let pid = next.child.id();
    next.signal(15);
    next.end();
    assert_eq!(traces(pid), Vec::<String>::new());
}

/// Wrong questions are answered in a line, by everybody.
#[test]
fn mistakes_are_named() {
    let run = |args: &[&str]| {
        let output = Command::new(BENCH).args(args).output().expect("bench starts");
        assert!(!output.status.success(), "{args:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(run(&["run", "e99"]).contains("no experiment \"e99\""));
    assert!(run(&["run", "e1", "--profile", "floppy"]).contains("no profile \"floppy\""));
    assert!(run(&["run", "e1", "--scale", "0"]).contains("scale"));
    assert!(run(&["run", "e1", "--only", "oracle"]).contains("no system \"oracle\""));
    assert!(run(&["report", "/nowhere"]).contains("/nowhere"));
    assert!(run(&["doctor", "--postgres18", "/nowhere"]).contains("has no postgres"));
    let output = Command::new(BENCH).arg("list").output().expect("bench starts");
    assert!(String::from_utf8_lossy(&output.stdout).contains("e11"));
}
