//! What every I/O method must do, run against each of them. A method that the machine lacks is reported as skipped.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aio::*;

const PAGE: usize = 8192;
const REL: (IoObject, IoContext) = (IoObject::Relation, IoContext::Normal);

struct Bench {
    engine: Engine,
    session: Session,
    arena: BufferArena,
    dir: tempfile::TempDir,
    raw: Arc<dyn Target>,
}

impl Bench {
    fn new(config: Config) -> Bench {
        let engine = Engine::new(config).unwrap();
        let session = engine.session(1, BackendKind::Client).unwrap();
        Bench {
            engine,
            session,
            arena: BufferArena::new(256, PAGE).unwrap(),
            dir: tempfile::tempdir().unwrap(),
            raw: Arc::new(Raw),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn create(&self, name: &str) -> File {
        let mode = OpenMode { write: true, create: true, direct: true, ..OpenMode::default() };
        File::open(&self.path(name), name, mode).unwrap()
    }

    /// A file whose page `i` is filled with `i` (mod 251).
    fn numbered(&self, name: &str, pages: usize) -> File {
        let bytes: Vec<u8> = (0..pages * PAGE).map(|i| (i / PAGE % 251) as u8).collect();
        std::fs::write(self.path(name), bytes).unwrap();
        self.create(name)
    }

    fn bufs(&self, count: usize, fill: u8) -> Vec<IoBuf> {
        (0..count)
            .map(|_| {
                let mut buf = self.arena.take().expect("the test's arena is large enough");
                buf.fill(fill);
                buf
            })
            .collect()
    }

    fn handle(&self) -> Handle {
        block_on(&self.engine, self.session.get())
    }

    fn read(&self, file: &File, page: usize, count: usize) -> Io {
        self.handle().read(file, (page * PAGE) as u64, self.bufs(count, 0xee), &self.raw, REL)
    }

    fn run(&self, io: Io) -> Completed {
        block_on(&self.engine, io.wait())
    }
}

fn check_pages(done: &Completed, first: usize) {
    assert_eq!(*done.result.as_ref().unwrap(), (done.bufs.len() * PAGE) as u64);
    for (i, buf) in done.bufs.iter().enumerate() {
        let expected = ((first + i) % 251) as u8;
        assert!(buf.iter().all(|&b| b == expected), "page {} has {} instead of {expected}", first + i, buf[0]);
    }
}

fn vectored_reads_and_writes_round_trip(b: Bench) {
    let file = b.create("f");
    let write = b.handle().write(&file, 0, (0..5).flat_map(|i| b.bufs(1, i)), &b.raw, REL);
    assert_eq!(b.run(write).result.unwrap(), 5 * PAGE as u64);
    check_pages(&b.run(b.read(&file, 0, 5)), 0);
    check_pages(&b.run(b.read(&file, 3, 2)), 3);
}

fn neighbours_merge_and_each_gets_its_own_pages(b: Bench) {
    let file = b.numbered("f", 64);
    let order = [3, 1, 2, 0, 7, 5, 6, 4, 40, 42, 41];
    let ios: Vec<_> = order.iter().map(|&p| (p, b.read(&file, p, 1))).collect();
    b.session.submit();
    for (page, io) in ios {
        check_pages(&b.run(io), page);
    }
    let reads: u64 = b.engine.stats().rows().iter().map(|r| r.op(StatOp::Read).count).sum();
    let bytes: u64 = b.engine.stats().rows().iter().map(|r| r.op(StatOp::Read).bytes).sum();
    assert_eq!(reads, 2, "eight neighbours and three neighbours are two operations");
    assert_eq!(bytes, 11 * PAGE as u64);
}

fn merging_respects_the_combine_limit(b: Bench) {
    let file = b.numbered("f", 32);
    let ios: Vec<_> = (0..30).map(|p| b.read(&file, p, 1)).collect();
    b.session.submit();
    for (page, io) in ios.into_iter().enumerate() {
        check_pages(&b.run(io), page);
    }
    let reads: u64 = b.engine.stats().rows().iter().map(|r| r.op(StatOp::Read).count).sum();
    assert_eq!(reads, 2, "30 pages of 8 KiB are two operations of at most 128 KiB");
}

fn the_end_of_the_file_is_a_short_read(b: Bench) {
    let file = b.numbered("f", 3);
    let done = b.run(b.read(&file, 1, 4));
    assert_eq!(done.result.unwrap(), 2 * PAGE as u64);
    let done = b.run(b.read(&file, 3, 1));
    assert_eq!(done.result.unwrap(), 0);
}

fn short_transfers_are_continued(b: Bench) {
    let file = b.numbered("f", 16);
    b.engine.inject(Fault { kind: OpKind::Read, file: "f".into(), skip: 0, count: 3, errno: None });
    check_pages(&b.run(b.read(&file, 0, 16)), 0);
    b.engine.inject(Fault { kind: OpKind::WriteFlush, file: "f".into(), skip: 0, count: 2, errno: None });
    let write = b.handle().write_flush(&file, 0, (0..8).flat_map(|i| b.bufs(1, i + 100)), &b.raw, REL);
    assert_eq!(b.run(write).result.unwrap(), 8 * PAGE as u64);
    check_pages(&b.run(b.read(&file, 0, 8)), 100);
}

fn a_short_transfer_of_a_merged_run_is_continued(b: Bench) {
    let file = b.numbered("f", 8);
    b.engine.inject(Fault { kind: OpKind::Read, file: "f".into(), skip: 0, count: 2, errno: None });
    let ios: Vec<_> = (0..8).map(|p| b.read(&file, p, 1)).collect();
    for (page, io) in ios.into_iter().enumerate() {
        check_pages(&b.run(io), page);
    }
}

fn interrupted_operations_are_retried(b: Bench) {
    let file = b.numbered("f", 4);
    for (kind, errno) in [(OpKind::Read, libc::EINTR), (OpKind::Read, libc::EAGAIN), (OpKind::Fsync, libc::EINTR)] {
        b.engine.inject(Fault { kind, file: "f".into(), skip: 0, count: 5, errno: Some(errno) });
    }
    check_pages(&b.run(b.read(&file, 0, 4)), 0);
    b.run(b.handle().fsync(&file, &b.raw, REL)).result.unwrap();
}

fn errors_name_file_offset_and_length(b: Bench) {
    let file = b.numbered("base/5/1".replace('/', "_").as_str(), 4);
    b.engine.inject(Fault { kind: OpKind::Read, file: "base".into(), skip: 0, count: 1, errno: Some(libc::EIO) });
    let error = b.run(b.read(&file, 1, 2)).result.unwrap_err();
    assert_eq!((error.offset, error.len, error.errno), (PAGE as u64, 2 * PAGE as u64, libc::EIO));
    let text = error.to_string();
    assert!(text.contains("base_5_1") && text.contains("offset 8192") && text.contains("length 16384"), "{text}");
    // The next operation is not affected.
    check_pages(&b.run(b.read(&file, 1, 2)), 1);
}

fn an_error_reaches_every_member_of_a_run(b: Bench) {
    let file = b.numbered("f", 8);
    b.engine.inject(Fault { kind: OpKind::Read, file: "f".into(), skip: 0, count: 1, errno: Some(libc::EIO) });
    let ios: Vec<_> = (0..4).map(|p| (p, b.read(&file, p, 1))).collect();
    for (page, io) in ios {
        let error = b.run(io).result.unwrap_err();
        assert_eq!((error.offset, error.len), ((page * PAGE) as u64, PAGE as u64));
    }
}

fn a_full_disk_is_recognised(b: Bench) {
    let file = b.create("f");
    for kind in [OpKind::Write, OpKind::WriteFlush, OpKind::Allocate] {
        b.engine.inject(Fault { kind, file: "f".into(), skip: 0, count: 1, errno: Some(libc::ENOSPC) });
    }
    let write = b.handle().write(&file, 0, b.bufs(1, 1), &b.raw, REL);
    assert!(b.run(write).result.unwrap_err().is_out_of_space());
    let write = b.handle().write_flush(&file, 0, b.bufs(1, 1), &b.raw, REL);
    assert!(b.run(write).result.unwrap_err().is_out_of_space());
    let allocate = b.handle().allocate(&file, 0, 1 << 20, &b.raw, REL);
    assert!(b.run(allocate).result.unwrap_err().is_out_of_space());
}

fn a_real_kernel_error_is_delivered(b: Bench) {
    std::fs::write(b.path("f"), vec![0u8; PAGE]).unwrap();
    let read_only = File::open(&b.path("f"), "f", OpenMode::default()).unwrap();
    let write = b.handle().write(&read_only, 0, b.bufs(1, 1), &b.raw, REL);
    assert_eq!(b.run(write).result.unwrap_err().errno, libc::EBADF);
    let write = b.handle().write_flush(&read_only, 0, b.bufs(2, 1), &b.raw, REL);
    assert_eq!(b.run(write).result.unwrap_err().errno, libc::EBADF);
    check_first_page_zero(&b, &read_only);
}

fn check_first_page_zero(b: &Bench, file: &File) {
    let done = b.run(b.read(file, 0, 1));
    assert!(done.bufs[0].iter().all(|&x| x == 0));
}

fn flushes_and_allocation_work(b: Bench) {
    let file = b.create("f");
    b.run(b.handle().allocate(&file, 0, 1 << 20, &b.raw, REL)).result.unwrap();
    assert_eq!(file.len().unwrap(), 0, "space is set aside beyond the end");
    let metadata = std::fs::metadata(b.path("f")).unwrap();
    assert!(std::os::unix::fs::MetadataExt::blocks(&metadata) * 512 >= 1 << 20);
    file.set_len(1 << 20).unwrap();
    check_first_page_zero(&b, &file);
    let write = b.handle().write_flush(&file, PAGE as u64, b.bufs(2, 7), &b.raw, REL);
    assert_eq!(b.run(write).result.unwrap(), 2 * PAGE as u64);
    b.run(b.handle().fdatasync(&file, &b.raw, REL)).result.unwrap();
    b.run(b.handle().fsync(&file, &b.raw, REL)).result.unwrap();
    assert!(b.run(b.read(&file, 1, 2)).bufs.iter().all(|p| p.iter().all(|&x| x == 7)));
}

/// Counts shared completions and keeps the buffers, as a buffer pool does.
#[derive(Default)]
struct Counting {
    completions: AtomicUsize,
    pages: Mutex<Vec<(u32, u8)>>,
}

impl Target for Counting {
    fn name(&self) -> &'static str {
        "counting"
    }
    fn complete(&self, _: &OpInfo, result: &Result<u64, IoError>, bufs: &mut Vec<IoBuf>, data: &[u32]) {
        assert!(result.is_ok());
        self.completions.fetch_add(1, Ordering::SeqCst);
        let mut pages = self.pages.lock().unwrap();
        for (buf, &number) in bufs.drain(..).zip(data) {
            pages.push((number, buf[0]));
        }
    }
}

fn shared_then_local_completion(b: Bench) {
    let file = b.numbered("f", 8);
    let counting = Arc::new(Counting::default());
    let target: Arc<dyn Target> = counting.clone();
    let local = Arc::new(AtomicUsize::new(0));
    let (seen, shared) = (local.clone(), counting.clone());
    let mut handle = b.handle();
    handle.set_data([70, 71]);
    handle.on_collected(Box::new(move |result| {
        assert_eq!(*result.as_ref().unwrap(), 2 * PAGE as u64);
        // The shared completion came first.
        assert_eq!(shared.completions.load(Ordering::SeqCst), 1);
        seen.fetch_add(1, Ordering::SeqCst);
    }));
    let io = handle.read(&file, 5 * PAGE as u64, b.bufs(2, 0), &target, REL);
    let done = b.run(io);
    assert!(done.bufs.is_empty(), "the target took the buffers");
    assert_eq!(local.load(Ordering::SeqCst), 1);
    assert_eq!(*counting.pages.lock().unwrap(), vec![(70, 5), (71, 6)]);
}

fn a_reference_outlives_the_handle(b: Bench) {
    let file = b.numbered("f", 4);
    let io = b.read(&file, 0, 1);
    let reference = io.reference();
    b.run(io);
    // The handle is reused many times; the old reference still says "done".
    for _ in 0..200 {
        b.run(b.read(&file, 1, 1));
        block_on(&b.engine, b.engine.wait(reference));
    }
}

fn handles_never_run_out(b: Bench) {
    // More operations than handles, none collected before all are started.
    let file = b.numbered("f", 200);
    let ios: Vec<_> = (0..200).map(|p| b.read(&file, p, 1)).collect();
    for (page, io) in ios.into_iter().enumerate() {
        check_pages(&b.run(io), page);
    }
}

fn abandoned_operations_complete_and_free_their_handles(b: Bench) {
    let file = b.numbered("f", 16);
    let counting = Arc::new(Counting::default());
    let target: Arc<dyn Target> = counting.clone();
    for round in 0..100 {
        let mut handle = b.handle();
        handle.set_data([round]);
        drop(handle.read(&file, 0, b.bufs(1, 0), &target, REL));
    }
    while counting.completions.load(Ordering::SeqCst) < 100 {
        check_pages(&b.run(b.read(&file, 2, 1)), 2);
    }
    drop(b.handle());
    assert!(b.engine.handles().iter().all(|h| h.state != State::HandedOut));
}

fn sessions_come_back_when_dropped(b: Bench) {
    let file = b.numbered("f", 4);
    for pid in 0..50 {
        let session = b.engine.session(pid, BackendKind::Client).unwrap();
        let handle = block_on(&b.engine, session.get());
        let io = handle.read(&file, 0, b.bufs(1, 0), &b.raw, REL);
        drop(session);
        if pid % 2 == 0 {
            check_pages(&b.run(io), 0);
        } else {
            drop(io);
            while b.engine.in_flight() > 0 {
                check_pages(&b.run(b.read(&file, 0, 1)), 0);
            }
        }
    }
    let mut held = vec![];
    let error = loop {
        match b.engine.session(9, BackendKind::Client) {
            Ok(session) => held.push(session),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, SetupError::TooManySessions(4)), "{error}");
    assert_eq!(held.len(), 3);
}

/// The rule of the design: a session that is slow never keeps another from finishing.
fn others_finish_the_io_of_a_stalled_issuer(b: Bench) {
    let file = b.numbered("f", 64);
    for round in 0..20 {
        let (send, receive) = std::sync::mpsc::channel();
        let release = Arc::new(AtomicBool::new(false));
        std::thread::scope(|scope| {
            let issuer_release = release.clone();
            let (b, file) = (&b, &file);
            scope.spawn(move || {
                let staged = b.read(file, round, 1);
                let submitted = b.read(file, 40, 1);
                if round % 2 == 0 {
                    b.session.submit();
                }
                send.send((staged.reference(), submitted.reference())).unwrap();
                // The issuer does nothing at all until the others are through.
                while !issuer_release.load(Ordering::SeqCst) {
                    std::thread::sleep(Duration::from_millis(1));
                }
                check_pages(&b.run(staged), round);
                check_pages(&b.run(submitted), 40);
            });
            let (one, two) = receive.recv().unwrap();
            let waiters: Vec<_> = (0..3)
                .map(|_| {
                    scope.spawn(move || {
                        block_on(&b.engine, b.engine.wait(one));
                        block_on(&b.engine, b.engine.wait(two));
                    })
                })
                .collect();
            for waiter in waiters {
                waiter.join().unwrap();
            }
            release.store(true, Ordering::SeqCst);
        });
    }
}

/// Runs `work` on three threads, each with its number, a session and buffers.
fn on_threads(b: &Bench, work: impl Fn(usize, &Session, &BufferArena) + Sync) {
    std::thread::scope(|scope| {
        for thread in 0..3usize {
            let work = &work;
            scope.spawn(move || {
                let session = b.engine.session(thread as i32, BackendKind::Client).unwrap();
                work(thread, &session, &BufferArena::new(64, PAGE).unwrap());
            });
        }
    });
}

fn many_threads_many_operations(b: Bench) {
    let file = b.numbered("f", 250);
    on_threads(&b, |thread, session, arena| {
        for round in 0..40usize {
            let pages: Vec<_> = (0..8).map(|i| (thread * 31 + round * 17 + i * 7) % 250).collect();
            block_on(&b.engine, async {
                let mut ios = vec![];
                for &page in &pages {
                    let buf = arena.take().unwrap();
                    let handle = session.get().await;
                    ios.push(handle.read(&file, (page * PAGE) as u64, [buf], &b.raw, REL));
                }
                for (io, &page) in ios.into_iter().zip(&pages) {
                    check_pages(&io.await, page);
                }
            });
        }
    });
}

/// Both halves of a write-then-flush belong together, whichever thread takes them from the kernel, and handles are reused
/// at once.
fn many_writes_with_their_flushes(b: Bench) {
    let file = b.numbered("f", 64);
    on_threads(&b, |thread, session, arena| {
        for round in 0..60usize {
            block_on(&b.engine, async {
                let mut ios = vec![];
                for part in 0..2usize {
                    let count = 1 + (round + part * 3) % 7;
                    let bufs = (0..count).map(|_| arena.take().unwrap()).collect::<Vec<_>>();
                    let handle = session.get().await;
                    let at = ((thread * 16 + part * 8) * PAGE) as u64;
                    ios.push((count, handle.write_flush(&file, at, bufs, &b.raw, REL)));
                    session.submit();
                }
                for (count, io) in ios {
                    assert_eq!(io.await.result.unwrap(), (count * PAGE) as u64);
                }
            });
        }
    });
}

/// What a thread began goes on when the thread has ended.
fn operations_outlive_their_thread(b: Bench) {
    let file = b.create("f");
    let begin = |round: usize| {
        let page = (round % 64 * PAGE) as u64;
        let io = match round % 3 {
            0 => b.handle().fdatasync(&file, &b.raw, REL),
            _ => b.handle().write_flush(&file, page, b.bufs(1, round as u8), &b.raw, REL),
        };
        b.session.submit();
        io
    };
    for round in 0..300 {
        let io = std::thread::scope(|scope| scope.spawn(|| begin(round)).join().unwrap());
        b.run(io).result.unwrap();
    }
}

fn views_show_what_is_under_way(b: Bench) {
    let file = b.numbered("f", 8);
    let io = b.read(&file, 2, 2);
    let views = b.engine.handles();
    assert_eq!(views.len(), 1);
    let view = &views[0];
    assert_eq!((view.pid, view.state, view.offset, view.len), (1, State::Staged, 2 * PAGE as u64, 2 * PAGE as u64));
    assert_eq!(view.operation, Some(OpKind::Read));
    assert_eq!(view.target_desc.as_deref(), Some("bytes 16384..32768 in file \"f\""));
    b.session.submit();
    check_pages(&b.run(io), 2);
    assert!(b.engine.handles().is_empty());
}

/// A file needs a flush from its opening, and from each write, until one is complete that began afterwards.
fn files_say_whether_they_need_a_flush(b: Bench) {
    let file = b.create("f");
    assert!(file.is_unflushed(), "another owner may have written");
    let flush = |b: &Bench| b.run(b.handle().fdatasync(&file, &b.raw, REL)).result.unwrap();
    flush(&b);
    assert!(!file.is_unflushed());
    b.run(b.handle().write(&file, 0, b.bufs(1, 7), &b.raw, REL)).result.unwrap();
    assert!(file.is_unflushed());
    // One that began before the write ended does not cover it.
    let early = b.handle().fdatasync(&file, &b.raw, REL);
    b.run(b.handle().write(&file, PAGE as u64, b.bufs(1, 7), &b.raw, REL)).result.unwrap();
    b.run(early).result.unwrap();
    assert!(file.is_unflushed());
    flush(&b);
    check_pages(&b.run(b.read(&file, 0, 1)), 7);
    assert!(!file.is_unflushed(), "reading changes nothing");
    file.set_len(PAGE as u64).unwrap();
    assert!(file.is_unflushed());
    flush(&b);
    file.extend_to(3 * PAGE as u64).unwrap();
    assert!(file.is_unflushed() && file.len().unwrap() == 3 * PAGE as u64);
    file.extend_to(PAGE as u64).unwrap();
    assert_eq!(file.len().unwrap(), 3 * PAGE as u64, "it is never cut");
}

/// What sessions and volumes have done adds up: neighbours count as merged, and nothing stays under way.
fn sessions_and_volumes_are_counted(b: Bench) {
    let file = b.numbered("f", 8);
    let session = || b.engine.sessions().into_iter().find(|session| session.pid == 1).expect("it is open");
    let reads = |b: &Bench| {
        let mut seen =
            b.engine.device(file.device_number()).operations(0).filter(|view| view.operation == DeviceOp::Read);
        seen.next().map_or((0, 0), |view| (view.count, view.bytes))
    };
    let (before, device_before) = (session(), reads(&b));
    let ios = [b.read(&file, 0, 2), b.read(&file, 2, 2), b.read(&file, 6, 1)];
    assert!(b.engine.handles().iter().all(|h| h.prepared.is_some() && h.submitted.is_none() && h.completed.is_none()));
    b.session.submit();
    for (io, first) in ios.into_iter().zip([0, 2, 6]) {
        check_pages(&b.run(io), first);
    }
    let after = session();
    let counts = |view: &SessionView| [view.issued, view.merged, view.completed];
    let [issued, merged, completed] = std::array::from_fn(|at| counts(&after)[at] - counts(&before)[at]);
    assert_eq!((issued, merged, completed), (3, 1, 3));
    assert_eq!(after.depths.iter().sum::<u64>() - before.depths.iter().sum::<u64>(), 2);
    assert!(after.in_flight == 0 && after.max_in_flight >= 1);
    let device = b.engine.device(file.device_number());
    assert_eq!(device.in_flight(), 0);
    let (count, bytes) = reads(&b);
    assert_eq!((count - device_before.0, bytes - device_before.1), (2, 5 * PAGE as u64));
}

macro_rules! conformance {
    ($($test:ident),+ $(,)?) => {
        mod sync { $(#[test] fn $test() { super::with(aio::IoMethod::Sync, super::$test); })+ }
        mod worker { $(#[test] fn $test() { super::with(aio::IoMethod::Worker, super::$test); })+ }
        mod io_uring { $(#[test] fn $test() { super::with(aio::IoMethod::IoUring, super::$test); })+ }
        mod posix_aio { $(#[test] fn $test() { super::with(aio::IoMethod::PosixAio, super::$test); })+ }
        mod sim { $(#[test] fn $test() { super::with(aio::IoMethod::Sim, super::$test); })+ }
        mod io_uring_many_rings { $(#[test] fn $test() { super::with_rings(super::$test); })+ }
        mod simulated_volume { $(#[test] fn $test() { super::with_volume(super::$test); })+ }
    };
}

fn config(method: IoMethod) -> Config {
    // Without random faults: tests that want some inject them.
    let sim = SimConfig { short_permille: 0, interrupt_permille: 0, ..SimConfig::default() };
    Config { method, max_sessions: 4, max_concurrency: 32, sim, ..Config::default() }
}

/// A skip is a failure where INFLIGHT_NO_SKIP is set (CI).
fn skip(reason: &str) {
    assert!(std::env::var_os("INFLIGHT_NO_SKIP").is_none(), "skipped, but INFLIGHT_NO_SKIP is set: {reason}");
    eprintln!("skipped: {reason}");
}

fn usable(method: IoMethod) -> bool {
    match method {
        IoMethod::IoUring => probe_uring().map_err(|e| skip(&e.to_string())).is_ok(),
        IoMethod::PosixAio if !posix_aio_available() => {
            skip("this platform has no POSIX asynchronous I/O");
            false
        }
        _ => true,
    }
}

fn with(method: IoMethod, test: fn(Bench)) {
    if usable(method) {
        test(Bench::new(config(method)));
    }
    if method == IoMethod::Sim {
        for seed in 2..8 {
            let sim = SimConfig { seed, short_permille: 0, interrupt_permille: 0, ..SimConfig::default() };
            test(Bench::new(Config { sim, ..config(method) }));
        }
    }
}

fn with_rings(test: fn(Bench)) {
    if usable(IoMethod::IoUring) {
        test(Bench::new(Config { rings: 3, ..config(IoMethod::IoUring) }));
    }
}

fn with_volume(test: fn(Bench)) {
    if usable(IoMethod::IoUring) {
        let volume = Some("latency=200us,iops=50000,bandwidth=1GB".parse().unwrap());
        test(Bench::new(Config { volume, ..config(IoMethod::IoUring) }));
    }
}

conformance!(
    vectored_reads_and_writes_round_trip,
    neighbours_merge_and_each_gets_its_own_pages,
    merging_respects_the_combine_limit,
    the_end_of_the_file_is_a_short_read,
    short_transfers_are_continued,
    a_short_transfer_of_a_merged_run_is_continued,
    interrupted_operations_are_retried,
    errors_name_file_offset_and_length,
    an_error_reaches_every_member_of_a_run,
    a_full_disk_is_recognised,
    a_real_kernel_error_is_delivered,
    flushes_and_allocation_work,
    shared_then_local_completion,
    a_reference_outlives_the_handle,
    handles_never_run_out,
    abandoned_operations_complete_and_free_their_handles,
    sessions_come_back_when_dropped,
    others_finish_the_io_of_a_stalled_issuer,
    many_threads_many_operations,
    many_writes_with_their_flushes,
    operations_outlive_their_thread,
    views_show_what_is_under_way,
    sessions_and_volumes_are_counted,
    files_say_whether_they_need_a_flush,
);

/// Under the simulated method everything may be interrupted and cut short at random, for any seed.
#[test]
fn seeded_faults_never_show() {
    for seed in 0..60 {
        let sim = SimConfig { seed, short_permille: 400, interrupt_permille: 300, ..SimConfig::default() };
        let b = Bench::new(Config { sim, ..config(IoMethod::Sim) });
        let file = b.numbered("f", 40);
        let ios: Vec<_> = (0..10).map(|i| b.read(&file, i * 4, 4)).collect();
        let write = b.handle().write_flush(&b.create("g"), 0, b.bufs(8, 9), &b.raw, REL);
        for (i, io) in ios.into_iter().enumerate() {
            check_pages(&b.run(io), i * 4);
        }
        assert_eq!(b.run(write).result.unwrap(), 8 * PAGE as u64, "seed {seed}");
    }
}

/// The order of completions depends on the seed and on nothing else.
#[test]
fn the_simulated_order_is_reproducible() {
    #[derive(Default)]
    struct Order(Mutex<Vec<u32>>);
    impl Target for Order {
        fn name(&self) -> &'static str {
            "order"
        }
        fn complete(&self, _: &OpInfo, _: &Result<u64, IoError>, _: &mut Vec<IoBuf>, data: &[u32]) {
            self.0.lock().unwrap().push(data[0]);
        }
    }
    let order = |seed| {
        let b = Bench::new(Config { sim: SimConfig { seed, ..SimConfig::default() }, ..config(IoMethod::Sim) });
        let file = b.numbered("f", 64);
        let target = Arc::new(Order::default());
        let shared: Arc<dyn Target> = target.clone();
        let ios: Vec<_> = (0..20)
            .map(|i| {
                let mut handle = b.handle();
                handle.set_data([i]);
                handle.read(&file, u64::from(i) * 3 * PAGE as u64, b.bufs(1, 0), &shared, REL)
            })
            .collect();
        for io in ios {
            b.run(io);
        }
        let order = target.0.lock().unwrap().clone();
        (order, b.engine.clock().now())
    };
    assert_eq!(order(7), order(7));
    assert_ne!(order(7).0, order(8).0);
    assert_ne!(order(7).0, (0..20).collect::<Vec<_>>(), "completions come out of order");
}
