//! The buffer pool and the streams over real files, with the methods that matter to them.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use aio::*;
use storage::*;

struct World {
    engine: Engine,
    session: Session,
    pool: Arc<BufferPool>,
    files: FileSet,
    dir: tempfile::TempDir,
}

impl World {
    fn new(config: Config, pages: usize) -> World {
        let engine = Engine::new(config).unwrap();
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("base")).unwrap();
        let files = FileSet::new(dir.path(), true);
        files.create_database(5).unwrap();
        World {
            session: engine.session(1, BackendKind::Client).unwrap(),
            pool: BufferPool::new(&engine, pages).unwrap(),
            engine,
            files,
            dir,
        }
    }

    fn sim(seed: u64, pages: usize) -> World {
        let sim = SimConfig { seed, ..SimConfig::default() };
        World::new(Config { method: IoMethod::Sim, sim, ..Config::default() }, pages)
    }

    /// A relation whose page `i` says `i`.
    fn numbered(&self, file: u32, blocks: u32) -> Arc<Relation> {
        let relation = self.files.create(RelationId { database: 5, file }).unwrap();
        self.run(async {
            let mut stream = WriteStream::new(&self.pool, &self.session, IoContext::BulkWrite);
            let first = relation.reserve(blocks);
            for block in first..first + blocks {
                let mut buf = stream.buffer().await.unwrap();
                buf.init(PageKind::Heap, 1);
                buf[100..104].copy_from_slice(&block.to_le_bytes());
                stream.put(&relation, block, buf).await.unwrap();
            }
            stream.finish().await.unwrap();
            Relation::sync(&self.session, std::slice::from_ref(&relation)).await.unwrap();
        });
        relation
    }

    fn run<F: Future>(&self, future: F) -> F::Output {
        block_on(&self.engine, future)
    }

    fn stream(&self, relation: &Arc<Relation>, concurrency: Concurrency, blocks: Vec<u32>) -> ReadStream {
        let mut blocks = blocks.into_iter();
        let next = Box::new(move || blocks.next());
        ReadStream::new(&self.pool, &self.session, relation, concurrency, IoContext::BulkRead, None, next)
    }

    fn path(&self, file: u32) -> std::path::PathBuf {
        self.dir.path().join(format!("base/5/{file}"))
    }
}

fn number(page: &PinnedPage) -> u32 {
    u32::from_le_bytes(page.read()[100..104].try_into().unwrap())
}

async fn dirty(w: &World) -> usize {
    w.pool.dirty_pages().await.len()
}

async fn drain(stream: &mut ReadStream) -> Vec<u32> {
    let mut seen = vec![];
    while let Some(page) = stream.next().await.unwrap() {
        seen.push(number(&page));
    }
    seen
}

#[test]
fn a_stream_hands_pages_over_in_order_whatever_the_device_does() {
    for seed in 0..20 {
        let w = World::sim(seed, 256);
        let relation = w.numbered(16384, 300);
        for concurrency in [Concurrency::Auto, Concurrency::Fixed(0), Concurrency::Fixed(1), Concurrency::Fixed(64)] {
            let blocks: Vec<_> = (0..300).filter(|b| seed % 2 == 0 || b % 7 != 3).collect();
            let mut stream = w.stream(&relation, concurrency, blocks.clone());
            assert_eq!(w.run(drain(&mut stream)), blocks, "seed {seed} {concurrency:?}");
        }
    }
}

#[test]
fn neighbours_are_read_together() {
    let w = World::sim(1, 1024);
    let relation = w.numbered(16384, 512);
    let mut stream = w.stream(&relation, Concurrency::Fixed(8), (0..512).collect());
    w.run(drain(&mut stream));
    assert_eq!(stream.usage().operations, 512 / 16);
    assert_eq!(stream.usage().reads, 512);
    assert!(stream.usage().max_depth <= 8);
    let mut again = w.stream(&relation, Concurrency::Auto, (0..512).collect());
    w.run(drain(&mut again));
    assert_eq!((again.usage().hits, again.usage().operations), (512, 0));
}

#[test]
fn a_consumer_that_stops_early_has_read_little() {
    let w = World::sim(1, 1024);
    let relation = w.numbered(16384, 512);
    let mut stream = w.stream(&relation, Concurrency::Auto, (0..512).collect());
    w.run(async { assert_eq!(number(&stream.next().await.unwrap().unwrap()), 0) });
    assert!(stream.usage().reads <= 4, "{:?}", stream.usage());
}

/// On a volume of 1 ms and 1 GB/s a stream fills the volume without being told how.
#[test]
fn depth_is_found_on_a_slow_volume() {
    let volume = Some("latency=1ms,iops=20000,bandwidth=1GB".parse().unwrap());
    let sim = SimConfig { latency: (0, 0), short_permille: 0, interrupt_permille: 0, ..SimConfig::default() };
    let w = World::new(Config { method: IoMethod::Sim, sim, volume, ..Config::default() }, 8192);
    let relation = w.numbered(16384, 8000);
    let start = w.engine.clock().now();
    let mut stream = w.stream(&relation, Concurrency::Auto, (0..8000).collect());
    w.run(drain(&mut stream));
    let took = (w.engine.clock().now() - start) as f64 / 1e9;
    let share = 8000.0 * 8192.0 / 1e9 / took;
    // Virtual time: this is arithmetic, not a measurement.
    assert!(share > 0.85, "{share:.2} of the bandwidth, {:?}", stream.usage());
    assert!(stream.usage().max_depth <= 64, "it stops where more depth does not pay: {:?}", stream.usage());
}

/// What streams leave behind for the planner: pages a second one behind the other and anywhere. A stream over neighbours that
/// was told they lie anywhere leaves nothing.
#[test]
fn a_volume_remembers_how_fast_it_was() {
    let volume = Some("latency=1ms,iops=20000,bandwidth=1GB".parse().unwrap());
    let sim = SimConfig { latency: (0, 0), short_permille: 0, interrupt_permille: 0, ..SimConfig::default() };
    let w = World::new(Config { method: IoMethod::Sim, sim, volume, ..Config::default() }, 65536);
    let relation = w.numbered(16384, 60_000);
    let device = w.engine.device(relation.device_number());
    let speed = |pattern| device.read_speed(pattern);
    w.run(drain(&mut w.stream(&relation, Concurrency::Auto, (0..10_000).collect())));
    let in_order = speed(Pattern::Sequential).rate;
    assert!((90_000.0..130_000.0).contains(&in_order), "{in_order} pages a second");
    w.run(drain(&mut w.stream(&relation, Concurrency::Auto, (10_000..20_000).collect()).scattered()));
    assert_eq!(speed(Pattern::Scattered), ReadSpeed::default());
    let anywhere = (0..20_000u32).map(|at| 20_000 + at * 2 * 79 % 40_000).collect();
    w.run(drain(&mut w.stream(&relation, Concurrency::Auto, anywhere).scattered()));
    let anywhere = speed(Pattern::Scattered).rate;
    assert!((15_000.0..22_000.0).contains(&anywhere), "{anywhere} pages a second");
}

#[test]
fn it_is_known_how_much_of_a_relation_is_in_memory() {
    let w = World::sim(1, 1024);
    let relation = w.numbered(16384, 512);
    assert_eq!(w.pool.resident_part(relation.id(), 512), 0.0);
    w.run(drain(&mut w.stream(&relation, Concurrency::Auto, (0..256).collect())));
    assert_eq!(w.pool.resident_part(relation.id(), 512), 0.5);
    w.run(drain(&mut w.stream(&relation, Concurrency::Auto, (256..512).collect())));
    assert_eq!(w.pool.resident_part(relation.id(), 512), 1.0);
    assert_eq!(w.pool.resident_part(relation.id(), 0), 1.0, "there is nothing to be read");
}

#[test]
fn readers_of_the_same_page_share_one_read() {
    let w = World::new(Config::default(), 256);
    let relation = w.numbered(16384, 8);
    std::thread::scope(|scope| {
        for pid in 10..13 {
            let (w, relation) = (&w, &relation);
            scope.spawn(move || {
                let session = w.engine.session(pid, BackendKind::Client).unwrap();
                for block in 0..8 {
                    let page = w.run(w.pool.pin(&session, relation, block, IoContext::Normal)).unwrap();
                    assert_eq!(number(&page), block);
                }
            });
        }
    });
    assert_eq!(w.pool.counters().reads.load(Ordering::Relaxed), 8);
}

#[test]
fn a_bad_page_is_named_and_the_others_are_read() {
    let w = World::sim(3, 256);
    let relation = w.numbered(16384, 64);
    let mut bytes = std::fs::read(w.path(16384)).unwrap();
    bytes[20 * PAGE_SIZE + 5000] ^= 4;
    std::fs::write(w.path(16384), bytes).unwrap();
    w.run(async {
        for _ in 0..2 {
            let mut stream = w.stream(&relation, Concurrency::Auto, (0..64).collect());
            let (mut good, mut errors) = (0, vec![]);
            loop {
                match stream.next().await {
                    Ok(Some(_)) => good += 1,
                    Ok(None) => break,
                    Err(error) => errors.push(error),
                }
            }
            assert_eq!((good, errors.len()), (63, 1));
            let text = errors[0].to_string();
            assert!(text.contains("block 20") && text.contains("base/5/16384"), "{text}");
            assert_eq!(errors[0].sqlstate(), "XX001");
        }
    });
    // Mended on disk, it is read again.
    let mut bytes = std::fs::read(w.path(16384)).unwrap();
    bytes[20 * PAGE_SIZE + 5000] ^= 4;
    std::fs::write(w.path(16384), bytes).unwrap();
    let page = w.run(w.pool.pin(&w.session, &relation, 20, IoContext::Normal)).unwrap();
    assert_eq!(number(&page), 20);
}

#[test]
fn a_truncated_file_is_an_error_for_the_missing_pages() {
    let w = World::sim(3, 256);
    let relation = w.numbered(16384, 10);
    let file = std::fs::File::options().write(true).open(w.path(16384)).unwrap();
    file.set_len(7 * PAGE_SIZE as u64 + 100).unwrap();
    w.run(async {
        assert!(w.pool.pin(&w.session, &relation, 6, IoContext::Normal).await.is_ok());
        for block in 7..10 {
            let error = w.pool.pin(&w.session, &relation, block, IoContext::Normal).await.err().unwrap();
            assert!(matches!(error, StorageError::Truncated { .. }), "{error}");
        }
    });
}

#[test]
fn changes_are_written_by_the_cleaner_and_survive_eviction() {
    let w = World::sim(5, 64);
    let relation = w.numbered(16384, 200);
    w.run(async {
        for block in 0..50 {
            let page = w.pool.pin(&w.session, &relation, block, IoContext::Normal).await.unwrap();
            page.write()[200] = 77;
        }
        assert_eq!(dirty(&w).await, 50);
        while w.pool.clean(&w.session, &w.files, 20).await.unwrap() > 0 {}
        // Everything else is read: the changed pages are evicted.
        for block in 50..200 {
            w.pool.pin(&w.session, &relation, block, IoContext::Normal).await.unwrap();
        }
        for block in 0..50 {
            let page = w.pool.pin(&w.session, &relation, block, IoContext::Normal).await.unwrap();
            assert_eq!((number(&page), page.read()[200]), (block, 77));
        }
    });
}

#[test]
fn pages_are_written_while_loads_keep_all_their_buffers() {
    let w = World::sim(6, 64);
    let relation = w.numbered(16384, 4);
    w.run(async {
        let mut load = WriteStream::new(&w.pool, &w.session, IoContext::BulkWrite);
        let mut kept = Vec::new();
        for _ in 0..64 {
            kept.push(load.buffer().await.unwrap());
        }
        w.pool.pin(&w.session, &relation, 1, IoContext::Normal).await.unwrap().write()[200] = 1;
        assert_eq!(w.pool.clean(&w.session, &w.files, 64).await.unwrap(), 1);
        drop(kept);
    });
}

#[test]
fn a_failed_write_leaves_the_page_dirty() {
    let w = World::sim(5, 64);
    let relation = w.numbered(16384, 4);
    w.run(async {
        w.pool.pin(&w.session, &relation, 2, IoContext::Normal).await.unwrap().write()[200] = 1;
        let fault = Fault { kind: OpKind::Write, file: "16384".into(), skip: 0, count: 1, errno: Some(libc::EIO) };
        w.engine.inject(fault);
        assert!(w.pool.clean(&w.session, &w.files, 64).await.is_err());
        assert_eq!(dirty(&w).await, 1);
        // Until one succeeds, no session adds to what cannot be written.
        assert_eq!(relation.check_writable().unwrap_err().sqlstate(), "58030");
        assert_eq!(w.files.unwritable(), [relation.id()]);
        assert_eq!(w.pool.clean(&w.session, &w.files, 64).await.unwrap(), 1);
        assert_eq!(dirty(&w).await, 0);
        relation.check_writable().unwrap();
    });
}

#[test]
fn the_cleaner_passes_by_what_cannot_be_written() {
    let w = World::sim(5, 64);
    let (bad, good) = (w.numbered(16384, 30), w.numbered(16385, 4));
    w.run(async {
        for (relation, blocks) in [(&bad, 30), (&good, 4)] {
            for block in 0..blocks {
                w.pool.pin(&w.session, relation, block, IoContext::Normal).await.unwrap().write()[200] = 1;
            }
        }
        let fault = Fault { kind: OpKind::Write, file: "16384".into(), skip: 0, count: 1000, errno: Some(libc::EIO) };
        w.engine.inject(fault);
        assert!(w.pool.clean(&w.session, &w.files, 20).await.is_err());
        assert_eq!(w.pool.clean(&w.session, &w.files, 20).await.unwrap(), 4);
        assert!(w.pool.clean(&w.session, &w.files, 20).await.is_err());
        assert_eq!(dirty(&w).await, 30);
    });
}

#[test]
fn a_relation_that_was_not_flushed_is_left_alone() {
    let w = World::sim(5, 64);
    let (bad, good) = (w.numbered(16384, 4), w.numbered(16385, 4));
    w.run(async {
        for relation in [&bad, &good] {
            w.pool.pin(&w.session, relation, 2, IoContext::Normal).await.unwrap().write()[200] = 1;
        }
        w.pool.clean(&w.session, &w.files, 64).await.unwrap();
        let fault = Fault { kind: OpKind::Fdatasync, file: "16384".into(), skip: 0, count: 1, errno: Some(libc::EIO) };
        w.engine.inject(fault);
        // The kernel may take its pages for clean now: asking again would be told that all is well.
        for _ in 0..2 {
            assert!(Relation::sync(&w.session, &w.files.open_relations()).await.is_err());
        }
        assert!(bad.is_broken() && bad.check_writable().is_err() && !good.is_broken());
        // What is in memory is right; what the disk has cannot be told.
        assert_eq!(w.pool.pin(&w.session, &bad, 2, IoContext::Normal).await.unwrap().read()[200], 1);
        assert!(w.pool.pin(&w.session, &bad, 3, IoContext::Normal).await.is_err());
        w.pool.pin(&w.session, &good, 3, IoContext::Normal).await.unwrap();
    });
}

#[test]
fn a_checkpoint_waits_for_what_the_cleaner_is_writing() {
    checkpoint_beside_cleaner(false);
    // The page is changed once more: two writes under way could come to the disk in either order.
    checkpoint_beside_cleaner(true);
}

fn checkpoint_beside_cleaner(changed: bool) {
    let w = World::sim(5, 64);
    let relation = w.numbered(16384, 4);
    w.run(async {
        let page = w.pool.pin(&w.session, &relation, 2, IoContext::Normal).await.unwrap();
        page.write()[200] = 77;
        drop(page);
        let mut cleaning = pin!(w.pool.clean(&w.session, &w.files, 64));
        assert!(poll_fn(|cx| Poll::Ready(cleaning.as_mut().poll(cx).is_pending())).await);
        if changed {
            w.pool.pin(&w.session, &relation, 2, IoContext::Normal).await.unwrap().write()[200] = 78;
        }
        // The page may be clean, and is not on the disk.
        let pages = w.pool.dirty_pages().await;
        assert_eq!(pages.len(), 1);
        let written =
            w.pool.write_dirty(&w.session, &w.files, pages, storage::WritePriority::Foreground).await.unwrap();
        assert_eq!((written.pages, written.elsewhere.len()), (0, 1));
        let mut waiting = pin!(w.pool.write_elsewhere(&w.session, &w.files, written.elsewhere));
        assert!(poll_fn(|cx| Poll::Ready(waiting.as_mut().poll(cx).is_pending())).await);
        assert_eq!(cleaning.await.unwrap(), 1);
        waiting.await.unwrap();
        assert_eq!(dirty(&w).await, 0);
    });
    assert_eq!(std::fs::read(w.path(16384)).unwrap()[2 * PAGE_SIZE + 200], 77 + u8::from(changed));
}

/// A statement that is cancelled gives its writes up: until they have ended no other session writes the pages.
#[test]
fn writes_that_were_given_up_keep_their_pages() {
    let w = World::sim(6, 64);
    let relation = w.numbered(16384, 4);
    w.run(async {
        let change = async |to: u8| {
            w.pool.pin(&w.session, &relation, 2, IoContext::Normal).await.unwrap().write()[200] = to;
        };
        change(77).await;
        {
            let pages = w.pool.dirty_pages().await;
            let mut given_up =
                pin!(w.pool.write_dirty(&w.session, &w.files, pages, storage::WritePriority::Foreground));
            assert!(poll_fn(|cx| Poll::Ready(given_up.as_mut().poll(cx).is_pending())).await);
        }
        change(78).await;
        let pages = w.pool.dirty_pages().await;
        let written =
            w.pool.write_dirty(&w.session, &w.files, pages, storage::WritePriority::Foreground).await.unwrap();
        assert_eq!((written.pages, written.elsewhere.len()), (0, 1));
        w.pool.write_elsewhere(&w.session, &w.files, written.elsewhere).await.unwrap();
        assert_eq!(dirty(&w).await, 0);
    });
    assert_eq!(std::fs::read(w.path(16384)).unwrap()[2 * PAGE_SIZE + 200], 78);
}

#[test]
fn a_session_that_needs_room_hears_that_pages_cannot_be_written() {
    let w = World::sim(1, 16);
    let relation = w.numbered(16384, 40);
    w.run(async {
        let fault = Fault { kind: OpKind::Write, file: "16384".into(), skip: 0, count: 1000, errno: Some(libc::EIO) };
        w.engine.inject(fault);
        for block in 0..16 {
            w.pool.pin(&w.session, &relation, block, IoContext::Normal).await.unwrap().write()[200] = 1;
        }
        let asks = async {
            let error = w.pool.pin(&w.session, &relation, 30, IoContext::Normal).await.map(drop).unwrap_err();
            assert_eq!(error.sqlstate(), "58030", "{error}");
            w.engine.clear_faults();
            w.pool.pin(&w.session, &relation, 30, IoContext::Normal).await.map(drop).unwrap();
        };
        let cleaner = async {
            loop {
                w.pool.cleaning_wanted().await;
                let _ = w.pool.clean(&w.session, &w.files, 16).await;
            }
        };
        let (mut asks, mut cleaner) = (pin!(asks), pin!(cleaner));
        poll_fn(|cx| {
            let asked = asks.as_mut().poll(cx);
            let _: Poll<()> = cleaner.as_mut().poll(cx);
            asked
        })
        .await;
    });
}

#[test]
fn a_block_that_has_no_space_on_the_disk_is_not_added() {
    let w = World::sim(1, 64);
    let relation = w.numbered(16384, 4);
    w.run(async {
        let fault =
            Fault { kind: OpKind::Allocate, file: "16384".into(), skip: 1, count: 1, errno: Some(libc::ENOSPC) };
        w.engine.inject(fault);
        assert_eq!(w.pool.extend(&w.session, &relation, IoContext::Normal).await.unwrap().0, 4);
        let error = w.pool.extend(&w.session, &relation, IoContext::Normal).await.map(drop).unwrap_err();
        assert_eq!(error.sqlstate(), "53100", "{error}");
        assert_eq!(relation.blocks(), 5);
        for block in 5..300 {
            assert_eq!(w.pool.extend(&w.session, &relation, IoContext::Normal).await.unwrap().0, block);
            assert!(w.pool.clean(&w.session, &w.files, 64).await.is_ok());
        }
    });
}

#[test]
fn no_session_takes_for_durable_what_another_could_not_flush() {
    for seed in 0..20 {
        let w = World::sim(seed, 64);
        let relations = [w.numbered(16384, 4), w.numbered(16385, 4)];
        let beside = w.engine.session(2, BackendKind::Client).unwrap();
        w.run(async {
            for relation in &relations {
                let mut stream = WriteStream::new(&w.pool, &w.session, IoContext::BulkWrite);
                let mut buf = stream.buffer().await.unwrap();
                buf.init(PageKind::Heap, 1);
                stream.put(relation, 0, buf).await.unwrap();
                stream.finish().await.unwrap();
            }
            let fault =
                Fault { kind: OpKind::Fdatasync, file: "16384".into(), skip: 0, count: 1, errno: Some(libc::EIO) };
            w.engine.inject(fault);
            // The system tells one of them alone.
            let mut all = pin!(Relation::sync(&w.session, &relations));
            let mut one = pin!(Relation::sync(&beside, &relations[..1]));
            if seed % 2 == 0 {
                let told = poll_fn(|cx| match (all.as_mut().poll(cx), one.as_mut().poll(cx)) {
                    (Poll::Pending, told) => told,
                    (Poll::Ready(told), _) => Poll::Ready(told),
                });
                assert!(told.await.is_err(), "seed {seed}: the first");
            } else {
                // The caller that would hear of it may be gone.
                let mut cancelled = Box::pin(Relation::sync(&beside, &relations[..1]));
                assert!(poll_fn(|cx| Poll::Ready(cancelled.as_mut().poll(cx).is_pending())).await);
            }
            let after = Relation::sync(&beside, &relations[..1]).await.unwrap_err();
            assert_eq!(after.sqlstate(), "58030", "{after}");
            assert!(relations[0].is_broken() && !relations[1].is_broken());
            Relation::sync(&w.session, &relations[1..]).await.unwrap();
        });
    }
}

#[test]
fn when_every_page_is_pinned_it_says_so() {
    let w = World::sim(1, 16);
    let relation = w.numbered(16384, 40);
    w.run(async {
        let mut pins = vec![];
        let error = loop {
            match w.pool.pin(&w.session, &relation, pins.len() as u32, IoContext::Normal).await {
                Ok(page) => pins.push(page),
                Err(error) => break error,
            }
        };
        assert_eq!(pins.len(), 16);
        assert!(matches!(error, StorageError::NoBuffers), "{error}");
        pins.clear();
        assert!(w.pool.pin(&w.session, &relation, 30, IoContext::Normal).await.is_ok());
    });
}

#[test]
fn a_scan_in_a_ring_leaves_other_pages_alone() {
    let w = World::sim(1, 256);
    let hot = w.numbered(16384, 100);
    let big = w.numbered(16385, 1000);
    w.run(async {
        for block in 0..100 {
            w.pool.pin(&w.session, &hot, block, IoContext::Normal).await.unwrap();
        }
        let mut blocks = 0..1000;
        let next = Box::new(move || blocks.next());
        let mut scan =
            ReadStream::new(&w.pool, &w.session, &big, Concurrency::Auto, IoContext::BulkRead, Some(64), next);
        assert_eq!(drain(&mut scan).await.len(), 1000);
        assert_eq!(w.pool.cached_pages(hot.id()), 100);
        assert!(w.pool.cached_pages(big.id()) <= 64 + 16);
    });
}

#[test]
fn a_page_that_is_used_three_times_at_once_makes_way_for_one_that_is_used_now_and_then() {
    let w = World::sim(1, 64);
    let often = w.numbered(16384, 16);
    let once = w.numbered(16385, 2000);
    w.run(async {
        let mut reads = 0;
        for round in 0..2000 {
            // As UPDATE does, which finds a row, locks it and changes it.
            for _ in 0..3 {
                w.pool.pin(&w.session, &once, round, IoContext::Normal).await.unwrap();
            }
            // Each of these comes again when the hand has gone half a round.
            if round % 2 == 0 {
                let before = w.pool.counters().reads.load(Ordering::Relaxed);
                w.pool.pin(&w.session, &often, round / 2 % 16, IoContext::Normal).await.unwrap();
                reads += w.pool.counters().reads.load(Ordering::Relaxed) - before;
            }
        }
        assert!(reads < 32, "{reads} of 1000 uses found the page gone");
        let usage = |id| w.pool.buffers().filter(|b| b.tag.is_some_and(|tag| tag.0 == id)).map(|b| b.usage).max();
        assert_eq!((usage(once.id()), w.pool.cached_pages(often.id())), (Some(0), 16));
    });
}

#[test]
fn what_was_used_while_all_had_room_outlives_what_comes_once() {
    let w = World::sim(1, 64);
    let often = w.numbered(16384, 40);
    let once = w.numbered(16385, 400);
    w.run(async {
        for _ in 0..4 {
            for block in 0..40 {
                w.pool.pin(&w.session, &often, block, IoContext::Normal).await.unwrap();
            }
            w.pool.begin_period();
        }
        for block in 0..60 {
            w.pool.pin(&w.session, &once, block, IoContext::Normal).await.unwrap();
        }
        assert_eq!((w.pool.cached_pages(often.id()), w.pool.cached_pages(once.id())), (40, 24));
    });
}

#[test]
fn idle_neighbours_are_cleaned_in_the_same_operations() {
    let w = World::sim(1, 256);
    let table = w.numbered(16384, 200);
    w.run(async {
        for block in (0..100).chain([150, 152]) {
            w.pool.pin(&w.session, &table, block, IoContext::Normal).await.unwrap().write()[200] = 1;
        }
        let writes = |rows: Vec<StatRow>| rows.iter().map(|row| row.op(StatOp::Write).count).sum::<u64>();
        let before = writes(w.engine.stats().rows());
        assert_eq!(w.pool.clean(&w.session, &w.files, 1).await.unwrap(), 1, "all were used just now");
        w.pool.begin_period();
        assert_eq!(w.pool.clean(&w.session, &w.files, 1).await.unwrap(), 15, "one operation's");
        assert_eq!(writes(w.engine.stats().rows()) - before, 2);
    });
}

#[test]
fn forgetting_a_relation_drops_its_pages_even_under_way() {
    // By a walk over all frames, and block by block where there are many others.
    for (others, blocks) in [(0, None), (500, Some(0..100))] {
        forget_one(others, blocks);
    }
}

fn forget_one(others: u32, blocks: Option<std::ops::Range<BlockNumber>>) {
    let w = World::sim(9, 1024);
    let relation = w.numbered(16384, 100);
    let other = w.numbered(16385, 500);
    w.run(async {
        for block in 0..others {
            w.pool.pin(&w.session, &other, block, IoContext::Normal).await.unwrap();
        }
        let mut stream = w.stream(&relation, Concurrency::Fixed(4), (0..100).collect());
        stream.next().await.unwrap();
        drop(stream);
        w.pool.pin(&w.session, &relation, 99, IoContext::Normal).await.unwrap().write()[300] = 1;
        w.pool.forget(relation.id(), blocks).await;
        assert_eq!(w.pool.cached_pages(relation.id()), 0);
        assert_eq!(w.pool.cached_pages(other.id()), others as usize);
        assert_eq!(dirty(&w).await, 0);
    });
    assert_eq!(w.engine.in_flight(), 0);
}

#[test]
fn forgetting_waits_for_no_pin_and_the_frame_comes_back() {
    let w = World::sim(10, 16);
    let (relation, other) = (w.numbered(16384, 20), w.numbered(16385, 20));
    w.run(async {
        let page = w.pool.pin(&w.session, &relation, 3, IoContext::Normal).await.unwrap();
        page.write()[300] = 1;
        w.pool.forget(relation.id(), None).await;
        assert_eq!(w.pool.cached_pages(relation.id()), 0);
        assert_eq!(number(&page), 3, "a session that has it pinned still reads it");
        page.write()[300] = 2;
        assert_eq!(dirty(&w).await, 0, "there is nowhere to write it");
        drop(page);
        // Every frame is of use again.
        let mut pages = Vec::new();
        for block in 0..16 {
            pages.push(w.pool.pin(&w.session, &other, block, IoContext::Normal).await.unwrap());
        }
    });
}

#[test]
fn a_pool_gives_memory_back_and_takes_it_again() {
    let mut w = World::sim(11, 16);
    w.pool = BufferPool::resizable(&w.engine, 40, 60).unwrap();
    let relation = w.numbered(16384, 100);
    let read = async |blocks: std::ops::Range<u32>| {
        for block in blocks {
            let page = w.pool.pin(&w.session, &relation, block, IoContext::Normal).await.unwrap();
            assert_eq!(number(&page), block);
        }
    };
    w.run(async {
        read(0..100).await;
        assert_eq!((w.pool.len(), w.pool.held(), w.pool.room()), (40, 40, 0));
        // Pinned pages stay, and so do dirty ones until they are written.
        let pinned = w.pool.pin(&w.session, &relation, 99, IoContext::Normal).await.unwrap();
        for block in 80..99 {
            w.pool.pin(&w.session, &relation, block, IoContext::Normal).await.unwrap().write()[300] = 1;
        }
        assert_eq!(w.pool.resize(16).await, 20);
        w.pool.cleaning_wanted().await;
        while w.pool.clean(&w.session, &w.files, 8).await.unwrap() > 0 {}
        assert_eq!(w.pool.resize(16).await, 16);
        assert_eq!((number(&pinned), w.pool.buffers().count(), w.pool.cached_pages(relation.id())), (99, 16, 16));
        read(0..100).await;
        assert_eq!((w.pool.held(), w.pool.buffers().count()), (16, 16));
        w.pool.resize(1000).await;
        read(0..100).await;
        assert_eq!((w.pool.len(), w.pool.held()), (60, 60));
        let page = w.pool.pin(&w.session, &relation, 85, IoContext::Normal).await.unwrap();
        assert_eq!(page.read()[300], 1, "it was written before it went");
    });
}

#[test]
fn many_threads_read_and_change_a_small_pool() {
    let w = World::new(Config { method: IoMethod::Worker, ..Config::default() }, 48);
    let relation = w.numbered(16384, 120);
    let done = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        // It shrinks and grows meanwhile.
        scope.spawn(|| {
            for round in 0.. {
                if done.load(Ordering::Acquire) == 3 {
                    return;
                }
                w.run(w.pool.resize(32 + round % 17));
            }
        });
        for thread in 0..3u32 {
            let (w, relation, done) = (&w, &relation, &done);
            scope.spawn(move || {
                let session = w.engine.session(thread as i32 + 20, BackendKind::Client).unwrap();
                for round in 0..300u32 {
                    let block = (round * 37 + thread * 11) % 120;
                    let page = w.run(w.pool.pin(&session, relation, block, IoContext::Normal)).unwrap();
                    assert_eq!(number(&page), block);
                    let mut latched = page.write();
                    let at = 1000 + thread as usize * 4;
                    let count = u32::from_le_bytes(latched[at..at + 4].try_into().unwrap());
                    latched[at..at + 4].copy_from_slice(&(count + 1).to_le_bytes());
                }
                done.fetch_add(1, Ordering::SeqCst);
            });
        }
        let (w, done) = (&w, &done);
        scope.spawn(move || {
            let session = w.engine.session(30, BackendKind::BackgroundWriter).unwrap();
            while done.load(Ordering::SeqCst) < 3 {
                w.run(w.pool.clean(&session, &w.files, 16)).unwrap();
            }
        });
    });
    let mut totals = [0u32; 3];
    for block in 0..120 {
        let page = w.run(w.pool.pin(&w.session, &relation, block, IoContext::Normal)).unwrap();
        let latched = page.read();
        for (thread, total) in totals.iter_mut().enumerate() {
            let at = 1000 + thread * 4;
            *total += u32::from_le_bytes(latched[at..at + 4].try_into().unwrap());
        }
    }
    assert_eq!(totals, [300; 3]);
}
