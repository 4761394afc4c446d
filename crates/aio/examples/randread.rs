//! Direct reads of one file at a fixed depth, in fio's terms: prints IOPS and CPU time an operation.
//!
//! `randread FILE BLOCK_BYTES DEPTH SECONDS rand|seq [METHOD]`; bench/aio_vs_fio.sh runs it beside fio.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use aio::*;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, file, block, depth, seconds, pattern, rest @ ..] = arguments.as_slice() else {
        eprintln!("usage: randread FILE BLOCK_BYTES DEPTH SECONDS rand|seq [METHOD]");
        std::process::exit(2);
    };
    let (block, depth): (u64, usize) = (block.parse().expect("bytes"), depth.parse().expect("a depth"));
    let time = Duration::from_secs(seconds.parse().expect("seconds"));
    let method = rest.first().map_or(IoMethod::IoUring, |m| m.parse().expect("a method"));
    let mode = OpenMode { direct: true, ..OpenMode::default() };
    let file = File::open(file.as_ref(), file, mode).expect("the file opens");
    let blocks = file.len().expect("a length") / block;
    let config = Config {
        method,
        max_concurrency: depth.max(1),
        max_sessions: 1,
        // Only what is one operation in fio is one here.
        combine_limit: block,
        ..Config::default()
    };
    let engine = Engine::new(config).expect("the method can be used");
    let session = engine.session(1, BackendKind::Client).expect("a session");
    let arena = BufferArena::new(depth, block as usize).expect("memory");
    let target: Arc<dyn Target> = Arc::new(Raw);
    let stat = (IoObject::Relation, IoContext::Normal);
    let mut random = 0x9E37_79B9_7F4A_7C15u64;
    let mut next = 0;
    let sequential = pattern == "seq";
    let mut offset = || {
        if sequential {
            next += 1;
        } else {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            next = random;
        }
        next % blocks * block
    };
    let start = Instant::now();
    let mut done = 0u64;
    block_on(&engine, async {
        let read = |handle: Handle, bufs: Vec<IoBuf>, offset| handle.read(&file, offset, bufs, &target, stat);
        let mut under_way = Vec::with_capacity(depth);
        while under_way.len() < depth {
            let buf = arena.take().expect("a buffer for each");
            under_way.push(read(session.get().await, vec![buf], offset()));
        }
        session.submit();
        let mut ended = Vec::with_capacity(depth);
        while start.elapsed() < time {
            // Wait for any, then replace everything that has ended meanwhile, in one submission.
            poll_fn(|cx| {
                under_way.retain_mut(|io| match Pin::new(io).poll(cx) {
                    Poll::Ready(completed) => {
                        ended.push(completed);
                        false
                    }
                    Poll::Pending => true,
                });
                if ended.is_empty() { Poll::Pending } else { Poll::Ready(()) }
            })
            .await;
            for completed in ended.drain(..) {
                assert_eq!(completed.result.expect("reads succeed"), block);
                done += 1;
                under_way.push(read(session.get().await, completed.bufs, offset()));
            }
            session.submit();
        }
        for io in under_way {
            io.await.result.expect("reads succeed");
        }
    });
    let elapsed = start.elapsed().as_secs_f64();
    let cpu = cpu_seconds();
    println!("{:.0} IOPS, {:.2} us CPU/IO", done as f64 / elapsed, cpu * 1e6 / done as f64);
}

/// User and system time of this process, in seconds, from /proc/self/stat (in ticks of 10 ms).
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |i: usize| fields.get(i).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}
