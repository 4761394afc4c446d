//! Writing the log, losing the machine, reading the log back.

use aio::*;
use wal::*;

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

    fn open(&self, end: Lsn, tail: &[u8]) -> Log {
        Log::open(self.dir.path(), &LogConfig { buffers: 4 << 20, direct: true }, end, tail).unwrap()
    }

    /// Reads everything and gives the payloads, the end and the tail.
    fn read(&self) -> (Vec<Record>, Lsn, Vec<u8>) {
        let mut reader = LogReader::new(self.dir.path(), true, FIRST_LSN).unwrap();
        let mut records = vec![];
        while let Some(record) = self.run(reader.next(&self.session)).unwrap() {
            records.push(record);
        }
        (records, reader.position(), reader.tail().to_vec())
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
        let mut log = w.open(FIRST_LSN, &[]);
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
                log = w.open(found, &tail);
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
    let log = w.open(FIRST_LSN, &[]);
    w.run(log.reserve(&w.session, 1 << 16)).unwrap();
    let first = log.insert(HEADER, &[b"one"]);
    w.run(log.flush_to(&w.session, first)).unwrap();
    log.insert(HEADER, &[b"two"]);
    assert_eq!(w.read().0.len(), 1);
    let third = log.insert(HEADER, &[&[3; 5000]]);
    w.run(log.flush_to(&w.session, third)).unwrap();
    assert_eq!(w.read().0.len(), 3);
    let path = w.dir.path().join(segment_name(1));
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[4500] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    assert_eq!(w.read().0.len(), 2);
}

#[test]
fn a_recycled_segment_shows_no_old_records() {
    let w = World::sim(1);
    let log = w.open(FIRST_LSN, &[]);
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
    let mut reader = LogReader::new(w.dir.path(), true, redo).unwrap();
    while w.run(reader.next(&w.session)).unwrap().is_some() {}
    assert_eq!(reader.position(), log.insert_position());
}

#[test]
fn a_failed_flush_is_final() {
    let w = World::sim(1);
    let log = w.open(FIRST_LSN, &[]);
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
    let log = w.open(FIRST_LSN, &[]);
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
    let log = Log::open(dir.path(), &LogConfig { buffers: 4 << 20, direct: true }, FIRST_LSN, &[]).unwrap();
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
    let mut reader = LogReader::new(dir.path(), true, FIRST_LSN).unwrap();
    let mut count = 0;
    while block_on(&engine, reader.next(&session)).unwrap().is_some() {
        count += 1;
    }
    assert_eq!(count, 200);
}
