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

/// A fixed one may be some connection's own.
fn free_port() -> String {
    let socket = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    socket.local_addr().expect("it has one").port().to_string()
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
            .stdin(Stdio::piped())
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
    let base = PathBuf::from("/tmp").join(&name);
    found.extend(base.exists().then(|| base.display().to_string()));
    found
}

/// One volume at a time, so that they do not disturb each other's timing.
fn alone() -> std::sync::MutexGuard<'static, ()> {
    static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());
    ALONE.lock().unwrap_or_else(|e| e.into_inner())
}

/// The server that the workspace's tests have built beside this program, where it can be measured.
fn server() -> Option<PathBuf> {
    let server = PathBuf::from(BENCH).with_file_name("inflight");
    if !server.exists() {
        println!("skipped: needs the server at {}", server.display());
        return None;
    }
    usable().then_some(server)
}

#[test]
fn a_volume_keeps_its_promises_and_leaves_nothing_behind() {
    let _alone = alone();
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
    // It fails when it is told to, and no longer.
    let read = || {
        let file = format!("if={}", volume.dir.join("f").display());
        Command::new("dd").args([&file, "of=/dev/null", "bs=8k", "count=1", "iflag=direct"]).output().expect("dd runs")
    };
    let say = |word: &str| {
        use std::io::Write;
        writeln!(volume.child.stdin.as_ref().expect("piped"), "{word}").expect("it listens");
        std::thread::sleep(Duration::from_millis(300));
    };
    assert!(read().status.success());
    say("fail");
    let failed = read();
    assert!(String::from_utf8_lossy(&failed.stderr).contains("Input/output error"), "{failed:?}");
    say("heal");
    assert!(read().status.success());
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

/// Ctrl-C in the middle of a run: servers stop, the volume goes, and what was measured is kept.
#[test]
fn an_interrupted_run_stops_its_servers() {
    let _alone = alone();
    let Some(server) = server() else { return };
    let out = tempfile::tempdir().unwrap();
    let mut child = Command::new(BENCH)
        .args(["run", "e1", "--profile", "gp3", "--scale", "0.02", "--only", "inflight", "--repeat", "50"])
        .args(["--port", &free_port(), "--out"])
        .arg(out.path())
        .arg("--inflight")
        .arg(&server)
        .stderr(Stdio::piped())
        .spawn()
        .expect("bench starts");
    let pid = child.id();
    let lines = BufReader::new(child.stderr.take().expect("piped")).lines().map_while(|l| l.ok());
    let mut seen = String::new();
    for line in lines {
        if line.contains("round 2") {
            assert!(Command::new("kill").args(["-2", &pid.to_string()]).status().is_ok_and(|s| s.success()));
        }
        seen += &line;
    }
    assert!(!child.wait().expect("our child").success() && seen.contains("interrupted"), "{seen}");
    assert_eq!(traces(pid), Vec::<String>::new());
    let name = format!("inflight-bench.{pid}");
    for entry in std::fs::read_dir("/proc").expect("processes").flatten() {
        let command = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&command).contains(&name), "a server is left: {:?}", entry.path());
    }
    let raw = std::fs::read_to_string(out.path().join("raw.jsonl")).expect("measurements");
    assert!(raw.lines().count() >= 2, "{raw}");
}

/// A run that is killed leaves its server; the next one ends it.
#[test]
fn a_killed_run_is_tidied_up_after() {
    let _alone = alone();
    let Some(server) = server() else { return };
    let out = tempfile::tempdir().unwrap();
    let local = tempfile::tempdir().unwrap();
    let port = free_port();
    let run = |rounds: &str| {
        let mut command = Command::new(BENCH);
        command.args(["run", "e1", "--scale", "0.01", "--only", "inflight", "--port", &port, "--repeat", rounds]);
        command.arg("--local").arg(local.path()).arg("--out").arg(out.path()).arg("--inflight").arg(&server);
        command.stderr(Stdio::piped());
        command
    };
    let mut child = run("1000").spawn().expect("bench starts");
    let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines().map_while(|l| l.ok());
    assert!(lines.any(|line| line.contains("round 1")));
    child.kill().expect("our child");
    child.wait().expect("our child");
    let next = run("1").output().expect("bench starts");
    let said = String::from_utf8_lossy(&next.stderr);
    assert!(next.status.success() && said.contains("tidying up"), "{said}");
    assert_eq!(std::fs::read_dir(local.path()).unwrap().count(), 0);
}

/// Wrong questions are answered in a line, by every system.
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
