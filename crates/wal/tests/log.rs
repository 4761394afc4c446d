//! Writing the log, losing the machine, reading the log back.

use aio::*;
use wal::*;

const FIRST_LSN: Lsn = first_lsn(SEGMENT_SIZE);

fn config(epoch: u16) -> LogConfig {
    LogConfig { buffers: 4 << 20, segment_size: SEGMENT_SIZE, direct: true, sync: SyncMethod::Fdatasync, epoch }
}

struct World {
    engine: Engine,
    session: Session,
    dir: tempfile::TempDir,
}

impl World {
    fn sim(seed: u64) -> World {
        let sim = SimConfig { seed, ..SimConfig::default() };
        let engine = Engine::new(Config { method: IoMethod::Sim, sim, ..Config::default() }).unwrap();
        World { session: engine.session(1, BackendKind::Client).unwrap(), engine, dir: tempfile::tempdir().unwrap() }
    }

    fn run<F: Future>(&self, future: F) -> F::Output {
        block_on(&self.engine, future)
    }

    fn open(&self, epoch: u16, end: Lsn, tail: &[u8]) -> Log {
        Log::open(&self.engine, self.dir.path(), &config(epoch), end, tail).unwrap()
    }

    /// Reads everything and gives the payloads, the end and the tail.
    fn read(&self) -> (Vec<Record>, Lsn, Vec<u8>) {
        let mut reader = LogReader::new(self.dir.path(), SEGMENT_SIZE, true, FIRST_LSN, 0, false).unwrap();
        let mut records = vec![];
        while let Some(record) = self.run(reader.next(&self.session)).unwrap() {
            records.push(record);
        }
        (records, reader.position(), reader.tail().unwrap().to_vec())
    }
}

const HEADER: RecordHeader = RecordHeader { xid: 7, manager: 1, kind: 2 };

fn payload(i: usize) -> Vec<u8> {
    vec![i as u8; 10 + i * 977 % 9000]
}

#[test]
fn what_was_flushed_is_read_back_over_segments_and_restarts() {
    for seed in 0..3 {
        let w = World::sim(seed);
        let mut log = w.open(1, FIRST_LSN, &[]);
        for i in 0..6000 {
            let bytes = payload(i);
            let end = w.run(async {
                log.reserve(&w.session, bytes.len() + 64).await.unwrap();
                let end = log.insert(HEADER, &[&bytes[..3], &bytes[3..]]);
                if i % 50 == 0 {
                    log.flush_to(&w.session, end).await.unwrap();
                }
                end
            });
            if i % 2000 == 1999 {
                // A restart in the middle: the log goes on where the reader found its end.
                w.run(log.flush_to(&w.session, end)).unwrap();
                let (records, found, tail) = w.read();
                assert_eq!((records.len(), found), (i + 1, end));
                log = w.open(2 + i as u16 / 2000, found, &tail);
            }
        }
        w.run(log.flush_to(&w.session, log.insert_position())).unwrap();
        let (records, _, _) = w.read();
        assert_eq!(records.len(), 6000);
        for (i, record) in records.iter().enumerate() {
            assert_eq!((record.header, &record.payload), (HEADER, &payload(i)));
        }
        assert!(records.last().unwrap().end > FIRST_LSN + SEGMENT_SIZE, "more than one segment was used");
    }
}

#[test]
fn what_was_not_flushed_is_not_there_and_a_torn_record_ends_the_log() {
    let w = World::sim(1);
    let log = w.open(1, FIRST_LSN, &[]);
    w.run(log.reserve(&w.session, 1 << 16)).unwrap();
    let first = log.insert(HEADER, &[b"one"]);
    w.run(log.flush_to(&w.session, first)).unwrap();
    log.insert(HEADER, &[b"two"]);
    assert_eq!(w.read().0.len(), 1);
    let third = log.insert(HEADER, &[&[3; 5000]]);
    w.run(log.flush_to(&w.session, third)).unwrap();
    assert_eq!(w.read().0.len(), 3);
    let path = w.dir.path().join(segment_name(1, SEGMENT_SIZE));
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[4500] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    assert_eq!(w.read().0.len(), 2);
}

#[test]
fn a_recycled_segment_shows_no_old_records() {
    let w = World::sim(1);
    let log = w.open(1, FIRST_LSN, &[]);
    let big = vec![9; 100_000];
    while log.insert_position() < FIRST_LSN + 3 * SEGMENT_SIZE {
        w.run(async {
            log.reserve(&w.session, big.len() + 64).await.unwrap();
            let end = log.insert(HEADER, &[&big]);
            log.flush_to(&w.session, end).await.unwrap();
        });
    }
    let redo = log.insert_position();
    log.recycle_before(redo, 10).unwrap();
    while log.insert_position() < redo + 4 * SEGMENT_SIZE + 12345 {
        w.run(async {
            log.reserve(&w.session, big.len() + 64).await.unwrap();
            log.insert(HEADER, &[&big]);
        });
    }
    w.run(log.flush_to(&w.session, log.insert_position())).unwrap();
    let mut reader = LogReader::new(w.dir.path(), SEGMENT_SIZE, true, redo, 0, false).unwrap();
    while w.run(reader.next(&w.session)).unwrap().is_some() {}
    assert_eq!(reader.position(), log.insert_position());
}

#[test]
fn a_failed_flush_is_final() {
    let w = World::sim(1);
    let log = w.open(1, FIRST_LSN, &[]);
    w.run(log.reserve(&w.session, 1000)).unwrap();
    let end = log.insert(HEADER, &[b"x"]);
    let kind = OpKind::WriteFlush;
    w.engine.inject(Fault { kind, file: "pg_wal".into(), skip: 0, count: 1, errno: Some(libc::EIO) });
    assert!(w.run(log.flush_to(&w.session, end)).is_err());
    // The fault is gone, and still nothing is called durable.
    assert!(w.run(log.flush_to(&w.session, end)).is_err());
    assert!(w.run(log.reserve(&w.session, 1000)).is_err());
    assert!(log.failure().unwrap().contains("pg_wal"));
}

#[test]
fn a_full_disk_is_noticed_before_anything_is_promised() {
    let w = World::sim(1);
    let log = w.open(1, FIRST_LSN, &[]);
    let fault = Fault { kind: OpKind::Write, file: "new.tmp".into(), skip: 3, count: 1, errno: Some(libc::ENOSPC) };
    w.engine.inject(fault);
    let error = w.run(log.reserve(&w.session, 1000)).unwrap_err();
    assert!(error.is_out_of_space(), "{error}");
    // There is room again: the log goes on.
    w.run(log.reserve(&w.session, 1000)).unwrap();
    let end = log.insert(HEADER, &[b"x"]);
    w.run(log.flush_to(&w.session, end)).unwrap();
    assert_eq!(w.read().0.len(), 1);
}

#[test]
fn committers_share_flushes() {
    let engine = Engine::new(Config { max_sessions: 8, ..Config::default() }).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let log = Log::open(&engine, dir.path(), &config(1), FIRST_LSN, &[]).unwrap();
    std::thread::scope(|scope| {
        for pid in 0..4 {
            let (engine, log) = (engine.clone(), log.clone());
            scope.spawn(move || {
                let session = engine.session(pid, BackendKind::Client).unwrap();
                for i in 0..50u32 {
                    block_on(&engine, async {
                        log.reserve(&session, 200).await.unwrap();
                        let end = log.insert(HEADER, &[&i.to_le_bytes()]);
                        log.flush_to(&session, end).await.unwrap();
                        assert!(log.durable() >= end);
                    });
                }
            });
        }
    });
    let session = engine.session(9, BackendKind::Startup).unwrap();
    let mut reader = LogReader::new(dir.path(), SEGMENT_SIZE, true, FIRST_LSN, 0, false).unwrap();
    let mut count = 0;
    while block_on(&engine, reader.next(&session)).unwrap().is_some() {
        count += 1;
    }
    assert_eq!(count, 200);
}

/// What a lost write leaves behind it is not taken for the log's continuation when the log has grown there again.
#[test]
fn writes_that_outlived_a_lost_one_are_of_an_older_epoch() {
    let w = World::sim(1);
    let log = w.open(1, FIRST_LSN, &[]);
    let path = w.dir.path().join(segment_name(1, SEGMENT_SIZE));
    w.run(log.reserve(&w.session, 1 << 16)).unwrap();
    let first = log.insert(HEADER, &[&[1; 100]]);
    w.run(log.flush_to(&w.session, first)).unwrap();
    let kept = std::fs::read(&path).unwrap();
    log.insert(HEADER, &[&[2; 4100]]);
    let third = log.insert(HEADER, &[&[3; 100]]);
    w.run(log.flush_to(&w.session, third)).unwrap();
    // The disk has the second block, but not what the first one had become.
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[..4096].copy_from_slice(&kept[..4096]);
    std::fs::write(&path, bytes).unwrap();
    let (records, end, tail) = w.read();
    assert_eq!((records.len(), end), (1, first));
    let log = w.open(2, end, &tail);
    w.run(log.reserve(&w.session, 1 << 16)).unwrap();
    // As long as the lost one: the third record's bytes follow, valid at their place.
    let second = log.insert(HEADER, &[&[4; 4100]]);
    w.run(log.flush_to(&w.session, second)).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let lost = second as usize % SEGMENT_SIZE as usize;
    let mut old = vec![];
    old.extend_from_slice(&bytes[lost..4096 * 2]);
    assert!(old.iter().all(|b| *b == 0), "the write ends with zeros");
    let older = World::sim(2);
    let log = older.open(1, second, &bytes[lost / 4096 * 4096..lost]);
    older.run(log.reserve(&older.session, 1 << 16)).unwrap();
    let end = log.insert(HEADER, &[&[3; 100]]);
    older.run(log.flush_to(&older.session, end)).unwrap();
    let stale = std::fs::read(older.dir.path().join(segment_name(1, SEGMENT_SIZE))).unwrap();
    bytes[4096..8192].copy_from_slice(&stale[4096..8192]);
    std::fs::write(&path, bytes).unwrap();
    let (records, end, _) = w.read();
    assert_eq!((records.len(), end), (2, second));
    assert_eq!(records[1].payload, vec![4; 4100]);
    // Nor where the log was closed right before it.
    let from_second = |epoch| {
        let mut reader = LogReader::new(w.dir.path(), SEGMENT_SIZE, true, second, epoch, false).unwrap();
        w.run(reader.next(&w.session)).unwrap()
    };
    assert!(from_second(1).is_some());
    assert_eq!(from_second(2), None);
}

#[test]
fn damage_in_the_middle_is_told_from_the_end() {
    let w = World::sim(1);
    let log = w.open(1, FIRST_LSN, &[]);
    w.run(log.reserve(&w.session, 1 << 16)).unwrap();
    let mut ends = vec![];
    for i in 0..20u8 {
        let end = log.insert(HEADER, &[&[i; 500]]);
        w.run(log.flush_to(&w.session, end)).unwrap();
        ends.push(end);
    }
    let path = w.dir.path().join(segment_name(1, SEGMENT_SIZE));
    let whole = std::fs::read(&path).unwrap();
    for (index, end) in ends.iter().enumerate() {
        let mut bytes = whole.clone();
        bytes[(end % SEGMENT_SIZE) as usize - 100] ^= 4;
        std::fs::write(&path, bytes).unwrap();
        let mut reader = LogReader::new(w.dir.path(), SEGMENT_SIZE, true, FIRST_LSN, 1, true).unwrap();
        let last = loop {
            match w.run(reader.next(&w.session)) {
                Ok(Some(_)) => {}
                other => break other,
            }
        };
        match last {
            // Nothing says that the last one was ever durable, nor the one before: they may have been lost together.
            Ok(_) => assert!(index == ends.len() - 1, "record {index}"),
            Err(LogError::Damaged { at, durable }) => {
                assert_eq!(at, if index == 0 { FIRST_LSN } else { ends[index - 1] });
                assert!(durable > at);
            }
            Err(other) => panic!("{other}"),
        }
    }
}

/// Segments that were taken away are no end of the log where later ones say that it went on.
#[test]
fn a_segment_that_is_missing_in_the_middle_is_damage() {
    let w = World::sim(1);
    let log = w.open(1, FIRST_LSN, &[]);
    let mut records = 0;
    while log.insert_position() < FIRST_LSN + 3 * SEGMENT_SIZE + 12345 {
        w.run(async {
            log.reserve(&w.session, 1 << 17).await.unwrap();
            let end = log.insert(HEADER, &[&vec![7; 100_000]]);
            log.flush_to(&w.session, end).await.unwrap();
        });
        records += 1;
    }
    assert_eq!(w.read().0.len(), records);
    let path = w.dir.path().join(segment_name(2, SEGMENT_SIZE));
    let check = |what: &str| {
        let mut reader = LogReader::new(w.dir.path(), SEGMENT_SIZE, true, FIRST_LSN, 1, true).unwrap();
        let error = loop {
            match w.run(reader.next(&w.session)) {
                Ok(Some(_)) => {}
                Ok(None) => panic!("{what}: the log ends at {}", reader.position()),
                Err(error) => break error,
            }
        };
        assert!(matches!(error, LogError::Damaged { .. }), "{what}: {error}");
    };
    std::fs::File::options().write(true).open(&path).unwrap().set_len(5000).unwrap();
    check("cut short");
    std::fs::remove_file(&path).unwrap();
    check("gone");
}

/// Where the log's files end before the place that it is to go on from, that is said.
#[test]
fn a_log_that_is_gone_is_nothing_to_go_on_from() {
    let w = World::sim(1);
    let log = w.open(1, FIRST_LSN, &[]);
    w.run(log.reserve(&w.session, 1000)).unwrap();
    let end = log.insert(HEADER, &[&[1; 100]]);
    w.run(log.flush_to(&w.session, end)).unwrap();
    let path = w.dir.path().join(segment_name(1, SEGMENT_SIZE));
    let from = |start| {
        let mut reader = LogReader::new(w.dir.path(), SEGMENT_SIZE, true, start, 0, true).unwrap();
        let found = w.run(reader.next(&w.session)).unwrap().is_some();
        (found, reader.tail().map(<[u8]>::to_vec))
    };
    assert!(from(FIRST_LSN).0 && from(end).1.unwrap().len() == (end % 4096) as usize);
    std::fs::File::options().write(true).open(&path).unwrap().set_len(100).unwrap();
    assert!(matches!(from(end), (false, Err(LogError::NoCheckpoint { at })) if at == end));
    std::fs::remove_file(&path).unwrap();
    assert!(matches!(from(end), (false, Err(LogError::NoCheckpoint { .. }))));
    // One that has not begun yet.
    assert!(matches!(from(FIRST_LSN), (false, Ok(tail)) if tail.is_empty()));
}

/// A checkpoint's record is where its redo begins, unless the disk has no room for it.
#[test]
fn a_checkpoint_begins_with_its_record() {
    let w = World::sim(1);
    let log = w.open(1, FIRST_LSN, &[]);
    let begun = log.begin_checkpoint(HEADER, &[b"checkpoint"], || {});
    assert_eq!((begun.redo, begun.record_end), (FIRST_LSN, None), "there is no segment yet");
    w.run(log.reserve(&w.session, 1000)).unwrap();
    let begun = log.begin_checkpoint(HEADER, &[b"checkpoint"], || {});
    let end = begun.record_end.unwrap();
    assert_eq!((begun.redo, log.redo_position()), (FIRST_LSN, FIRST_LSN));
    w.run(log.flush_to(&w.session, end)).unwrap();
    let mut reader = LogReader::new(w.dir.path(), SEGMENT_SIZE, true, begun.redo, 1, true).unwrap();
    assert_eq!(w.run(reader.next(&w.session)).unwrap().unwrap().payload, b"checkpoint");
}

/// Of a record that two writes share, the first one's part may be durable and the second's lost: no damage.
#[test]
fn a_record_that_was_lost_in_part_ends_the_log() {
    let w = World::sim(1);
    let log = w.open(1, FIRST_LSN, &[]);
    let second = FIRST_LSN + SEGMENT_SIZE;
    let mut start = FIRST_LSN;
    w.run(async {
        while start + 10_000 < second {
            log.reserve(&w.session, 1 << 16).await.unwrap();
            start = log.insert(HEADER, &[&[1; 5000]]);
        }
        log.flush_to(&w.session, start).await.unwrap();
        start = log.insert_position();
        log.insert(HEADER, &[&vec![2; 30_000]]);
        log.flush_to(&w.session, second).await.unwrap();
        assert_eq!(log.durable(), second);
        let end = log.insert(HEADER, &[&[3; 10]]);
        log.flush_to(&w.session, end).await.unwrap();
    });
    let path = w.dir.path().join(segment_name(second / SEGMENT_SIZE, SEGMENT_SIZE));
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[..4096].fill(0);
    std::fs::write(&path, bytes).unwrap();
    assert_eq!(w.read().1, start);
}

/// Many tasks on one thread, writes that end in any order: whatever was reported durable is read back.
#[test]
fn concurrent_writes_make_a_durable_prefix() {
    for seed in 0..20 {
        let w = World::sim(seed);
        let log = w.open(1, FIRST_LSN, &[]);
        let mut tasks: Vec<std::pin::Pin<Box<dyn Future<Output = ()>>>> = vec![];
        let most = std::rc::Rc::new(std::cell::Cell::new(0));
        for task in 0..12usize {
            let (log, session, engine, most) = (log.clone(), w.session.clone(), w.engine.clone(), most.clone());
            tasks.push(Box::pin(async move {
                for i in 0..40 {
                    engine.sleep(std::time::Duration::from_micros((task * 37 + i * 91) as u64 % 300)).await;
                    let bytes = payload(task * 100 + i);
                    log.reserve(&session, bytes.len() + 64).await.unwrap();
                    let end = log.insert(HEADER, &[&bytes]);
                    let delay = if task % 3 == 0 { CommitDelay::Fixed(20_000) } else { CommitDelay::Auto };
                    log.commit(&session, end, delay).await.unwrap();
                    assert!(log.durable() >= end);
                    most.set(most.get().max(log.flush_view().writes_under_way));
                }
            }));
        }
        w.run(std::future::poll_fn(|cx| {
            tasks.retain_mut(|task| task.as_mut().poll(cx).is_pending());
            if tasks.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
        }));
        assert!(most.get() > 1, "writes overlap");
        let (records, end, _) = w.read();
        assert_eq!((records.len(), end), (480, log.insert_position()));
    }
}

/// Through the system's cache a write's failure is told to one flush of the file: two under way could each hear the other's.
#[test]
fn buffered_writes_go_one_at_a_time() {
    let engine = Engine::new(Config { max_sessions: 8, ..Config::default() }).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let buffered = LogConfig { direct: false, ..config(1) };
    let log = Log::open(&engine, dir.path(), &buffered, FIRST_LSN, &[]).unwrap();
    std::thread::scope(|scope| {
        for pid in 0..4 {
            let (engine, log) = (engine.clone(), log.clone());
            scope.spawn(move || {
                let session = engine.session(pid, BackendKind::Client).unwrap();
                for i in 0..200 {
                    block_on(&engine, async {
                        log.reserve(&session, 20_000).await.unwrap();
                        let end = log.insert(HEADER, &[&payload(i)]);
                        assert!(log.flush_view().writes_under_way <= 1);
                        log.commit(&session, end, CommitDelay::Fixed(0)).await.unwrap();
                    });
                }
            });
        }
    });
}
