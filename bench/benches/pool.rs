//! A hit in the buffer pool: alone, on two threads, and through a read stream. `cargo bench -p bench --bench pool`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use aio::{BackendKind, Config, Engine, IoContext, Session, block_on};
use criterion::{Criterion, criterion_group, criterion_main};
use storage::{BufferPool, Concurrency, FileSet, PageKind, PageMut, ReadStream, Relation, RelationId, WriteStream};

const BLOCKS: u32 = 1000;

struct World {
    engine: Engine,
    session: Session,
    pool: Arc<BufferPool>,
    relation: Arc<Relation>,
    _dir: tempfile::TempDir,
}

/// A relation whose pages are all in the pool.
fn world() -> World {
    let engine = Engine::new(Config::default()).expect("io_uring can be used");
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::create_dir_all(dir.path().join("base")).expect("a folder");
    let files = FileSet::new(dir.path(), true);
    files.create_database(5).expect("a database");
    let session = engine.session(1, BackendKind::Client).expect("a session");
    let pool = BufferPool::new(&engine, 4 * BLOCKS as usize).expect("memory");
    let relation = files.create(RelationId { database: 5, file: 1 }).expect("a relation");
    block_on(&engine, async {
        let mut stream = WriteStream::new(&pool, &session, IoContext::BulkWrite);
        let first = relation.reserve(BLOCKS);
        for block in first..first + BLOCKS {
            let mut buf = stream.buffer().await.expect("a buffer");
            buf.init(PageKind::Heap, 1);
            stream.put(&relation, block, buf).await.expect("a write");
        }
        stream.finish().await.expect("writes");
        for block in 0..BLOCKS {
            pool.pin(&session, &relation, block, IoContext::Normal).await.expect("a page");
        }
    });
    World { engine, session, pool, relation, _dir: dir }
}

/// Pins `count` cached pages one after the other, beginning anywhere.
async fn pin(world: &World, session: &Session, from: u32, count: u64) {
    for i in 0..count {
        let block = (from + (i as u32).wrapping_mul(7919)) % BLOCKS;
        let page = world.pool.pin(session, &world.relation, block, IoContext::Normal).await.expect("a page");
        std::hint::black_box(&page);
    }
}

fn pool(c: &mut Criterion) {
    let world = world();
    c.bench_function("a hit", |b| {
        b.iter_custom(|count| {
            let start = Instant::now();
            block_on(&world.engine, pin(&world, &world.session, 0, count));
            start.elapsed()
        });
    });
    c.bench_function("a hit, two threads at it", |b| {
        b.iter_custom(|count| {
            let start = Instant::now();
            std::thread::scope(|scope| {
                for thread in 0..2 {
                    let world = &world;
                    let session = world.engine.session(2 + thread, BackendKind::Client).expect("a session");
                    scope.spawn(move || {
                        block_on(&world.engine, pin(world, &session, 500 * thread as u32, count));
                    });
                }
            });
            start.elapsed()
        });
    });
    c.bench_function("a hit through a read stream", |b| {
        b.iter_custom(|count| {
            let mut total = Duration::ZERO;
            for _ in 0..count.div_ceil(u64::from(BLOCKS)) {
                let mut blocks = 0..BLOCKS;
                let next = Box::new(move || blocks.next());
                let mut stream = ReadStream::new(
                    &world.pool,
                    &world.session,
                    &world.relation,
                    Concurrency::Auto,
                    IoContext::Normal,
                    None,
                    next,
                );
                let start = Instant::now();
                block_on(&world.engine, async { while stream.next().await.expect("a page").is_some() {} });
                total += start.elapsed();
            }
            total
        });
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().measurement_time(Duration::from_secs(3)).without_plots();
    targets = pool
}
criterion_main!(benches);
