//! Files of relations under a limit of open files, which is the process's: alone in its binary.

use std::sync::Arc;

use aio::descriptors::{most_files, open_files, set_most_files};
use aio::*;
use storage::*;

const RELATIONS: u32 = 200;
const MOST: usize = 24;

fn id(number: u32) -> RelationId {
    RelationId { database: 5, file: 16384 + number }
}

/// Writes the relation's number to its first page.
async fn write(pool: &Arc<BufferPool>, session: &Session, relation: &Arc<Relation>, number: u32) {
    let mut stream = WriteStream::new(pool, session, IoContext::BulkWrite);
    if relation.blocks() == 0 {
        relation.reserve(1);
    }
    let mut buf = stream.buffer().await.unwrap();
    buf.init(PageKind::Heap, 1);
    buf[100..104].copy_from_slice(&number.to_le_bytes());
    stream.put(relation, 0, buf).await.unwrap();
    stream.finish().await.unwrap();
}

/// Reads relations' first pages, of which few are in memory.
async fn read(pool: &Arc<BufferPool>, session: &Session, files: &FileSet, numbers: std::ops::Range<u32>) {
    for number in numbers {
        let relation = files.open(id(number)).unwrap();
        assert_eq!((relation.blocks(), relation.device_number() != 0), (1, true));
        let page = pool.pin(session, &relation, 0, IoContext::Normal).await.unwrap();
        assert_eq!(u32::from_le_bytes(page.read()[100..104].try_into().unwrap()), number);
        assert!(open_files() <= MOST, "{} open files", open_files());
    }
}

fn flushes(engine: &Engine) -> u64 {
    let rows = engine.stats().rows();
    rows.iter().map(|row| row.op(StatOp::Fsync).count).sum()
}

#[test]
fn what_is_not_used_is_closed_and_opened_again() {
    let engine = Engine::new(Config { method: IoMethod::Worker, ..Config::default() }).unwrap();
    let session = engine.session(1, BackendKind::Client).unwrap();
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join("base")).unwrap();
    let files = FileSet::new(dir.path(), true);
    files.create_database(5).unwrap();
    let pool = BufferPool::new(&engine, 64).unwrap();
    set_most_files(MOST);
    assert_eq!(most_files(), MOST);
    block_on(&engine, async {
        for number in 0..RELATIONS {
            let relation = files.create(id(number)).unwrap();
            write(&pool, &session, &relation, number).await;
            assert!(open_files() <= MOST, "{} open files", open_files());
        }
        // Most of what was written is in files that are closed: they are flushed all the same, each once.
        let before = flushes(&engine);
        files.sync(&session).await.unwrap();
        assert_eq!(flushes(&engine) - before, u64::from(RELATIONS) + 1, "and the directory");
        assert!(open_files() <= MOST, "{} open files", open_files());
        let before = flushes(&engine);
        // Reading opens files, and makes none of them unflushed.
        read(&pool, &session, &files, 0..RELATIONS).await;
        read(&pool, &session, &files, 0..RELATIONS).await;
        files.sync(&session).await.unwrap();
        assert_eq!(flushes(&engine) - before, 0);
        // What was written before a file was closed and opened again is flushed once more.
        write(&pool, &session, &files.open(id(3)).unwrap(), 3).await;
        read(&pool, &session, &files, 100..RELATIONS).await;
        files.sync(&session).await.unwrap();
        assert_eq!(flushes(&engine) - before, 1);
        // A file that is gone is not made again by being opened again.
        let relation = files.open(id(7)).unwrap();
        read(&pool, &session, &files, 8..RELATIONS).await;
        std::fs::remove_file(dir.path().join(id(7).to_string())).unwrap();
        let mut stream = WriteStream::new(&pool, &session, IoContext::BulkWrite);
        let mut buf = stream.buffer().await.unwrap();
        buf.init(PageKind::Heap, 1);
        let put = stream.put(&relation, 0, buf).await;
        let written = match put {
            Ok(()) => stream.finish().await,
            Err(error) => Err(error),
        };
        assert!(written.is_err_and(|error| error.sqlstate() == "58P01"));
        assert!(!dir.path().join(id(7).to_string()).exists());
    });
}
