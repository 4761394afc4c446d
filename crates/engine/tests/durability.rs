//! What a finished statement reported is there after a crash; what was not finished is not.

mod common;

use std::sync::Arc;

use aio::{Fault, IoMethod, OpKind, block_on};
use arrow_array::{ArrayRef, Int32Array, RecordBatch, StringArray, cast::AsArray};
use catalog::PUBLIC;
use catalog::catalogs::PgNamespace;
use engine::*;
use txn::{LockMode, LockTag};
use types::acl::AclItem;

fn open(root: &std::path::Path) -> Database {
    let options = OpenOptions {
        root: root.into(),
        overrides: vec![("shared_buffers".into(), "4MB".into()), ("io_max_concurrency".into(), "16".into())],
        method: Some(IoMethod::Sync),
        wal_segment_size: None,
        skip_checkpoint_flushes: false,
    };
    // With `sync` no operation is ever pending, so any executor will do to open.
    let mut future = Box::pin(Database::open(options));
    let waker = std::task::Waker::noop();
    loop {
        if let std::task::Poll::Ready(db) = future.as_mut().poll(&mut std::task::Context::from_waker(waker)) {
            return db.unwrap();
        }
    }
}

fn columns() -> Vec<ColumnDef> {
    let id = ColumnDef { not_null: true, ..ColumnDef::new("id", ColumnType::of(types::oid::INT4)) };
    vec![id, ColumnDef::new("note", ColumnType::of(types::oid::TEXT))]
}

fn rows(range: std::ops::Range<i32>) -> RecordBatch {
    let ids: ArrayRef = Arc::new(Int32Array::from_iter_values(range.clone()));
    let notes: ArrayRef = Arc::new(StringArray::from_iter(range.map(|i| (i % 3 != 0).then(|| format!("note {i}")))));
    let schema = TableDef::new(0, (0, ""), 0, columns()).arrow_schema().unwrap();
    RecordBatch::try_new(schema, vec![ids, notes]).unwrap()
}

struct Client {
    db: Database,
    backend: Arc<Backend>,
}

impl Client {
    fn new(root: &std::path::Path) -> Client {
        let db = open(root);
        let backend =
            db.activity().enter(aio::BackendKind::Client, Some((5, "postgres".into())), None, None, None).unwrap();
        Client { db, backend }
    }

    fn run<F: Future>(&self, future: F) -> F::Output {
        block_on(self.db.engine(), future)
    }

    fn transaction(&self) -> Box<Transaction> {
        Transaction::new(&self.db, &self.backend)
    }

    fn create(&self, name: &str) -> Arc<Table> {
        let table = self.create_in("public", name);
        self.db.table(5, &table).unwrap()
    }

    fn create_in(&self, schema: &str, name: &str) -> Arc<TableDef> {
        let mut transaction = self.transaction();
        let oid = self.db.new_oid();
        transaction.create_files(storage::RelationId { database: 5, file: oid }).unwrap();
        let namespace = transaction.catalog().database_by_oid(5).unwrap().namespace_oid(schema).unwrap();
        let table = transaction.alter_table(5, None, TableDef::new(oid, (namespace, name), 10, columns()));
        self.run(transaction.commit(Durability::default())).unwrap();
        table
    }

    fn drop_table(&self, def: &Arc<TableDef>) {
        let mut transaction = self.transaction();
        transaction.forget_relation(5, Named::Table(def.oid));
        transaction.drop_files(storage::RelationId { database: 5, file: def.file });
        self.run(transaction.commit(Durability::default())).unwrap();
    }

    fn truncate(&self, def: &Arc<TableDef>) {
        let mut transaction = self.transaction();
        let file = self.db.new_oid();
        transaction.create_files(storage::RelationId { database: 5, file }).unwrap();
        transaction.alter_table(5, Some(def), TableDef { file, analyzed: None, ..TableDef::clone(def) });
        transaction.drop_files(storage::RelationId { database: 5, file: def.file });
        self.run(transaction.commit(Durability::default())).unwrap();
    }

    fn def(&self, name: &str) -> Option<Arc<TableDef>> {
        self.db.catalog().database_by_oid(5).unwrap().table("public", name).cloned()
    }

    fn insert(&self, table: &Arc<Table>, batches: Vec<RecordBatch>, commit: bool) -> Result<()> {
        self.run(async {
            let mut transaction = self.transaction();
            let mut insertion = Insertion::new(
                table,
                WriteOptions {
                    lock_timeout: 0,
                    maintenance_work_mem: 64 << 10,
                    maintenance_workers: 0,
                    concurrency: storage::Concurrency::Auto,
                    context: Arc::default(),
                    temporary: Default::default(),
                },
            );
            let mut inserted = Ok(());
            for batch in batches {
                inserted = insertion.add(&mut transaction, batch).await;
                if inserted.is_err() {
                    break;
                }
            }
            let inserted = match inserted {
                Ok(()) => insertion.finish(&mut transaction).await.map(drop),
                error => {
                    drop(insertion);
                    error
                }
            };
            match inserted {
                Ok(()) if commit => transaction.commit(Durability::default()).await,
                // Left open: what a crash interrupts.
                Ok(()) => {
                    drop(transaction);
                    Ok(())
                }
                Err(error) => {
                    transaction.rollback().await;
                    Err(error)
                }
            }
        })
    }

    fn ids(&self, name: &str) -> Vec<i32> {
        self.run(async {
            let table = self.db.table(5, &self.def(name).unwrap()).unwrap();
            let scan = TableScan::new(&table, self.db.snapshot(), Arc::new([1, 0]));
            let mut part = scan.participant(&self.backend.io, storage::Concurrency::Auto, 1);
            let mut ids = vec![];
            while let Some(batch) = part.next().await.unwrap() {
                let notes = batch.column(0).as_string::<i32>();
                let values = batch.column(1).as_primitive::<arrow_array::types::Int32Type>();
                for (note, id) in notes.iter().zip(values.iter()) {
                    let id = id.unwrap();
                    let expected = (id % 3 != 0).then(|| format!("note {id}"));
                    assert_eq!(note.map(str::to_string), expected);
                    ids.push(id);
                }
            }
            ids.sort();
            ids
        })
    }
}

fn expect(range: std::ops::Range<i32>) -> Vec<i32> {
    range.collect()
}

#[test]
fn committed_rows_survive_a_crash_and_uncommitted_ones_do_not() {
    let dir = tempfile::tempdir().unwrap();
    for round in 0..4 {
        let client = Client::new(dir.path());
        let table = match client.def("t") {
            Some(def) => client.db.table(5, &def).unwrap(),
            None => client.create("t"),
        };
        assert_eq!(client.ids("t"), expect(0..round * 3100));
        let base = round * 3100;
        client.insert(&table, vec![rows(base..base + 100)], true).unwrap();
        if round == 2 {
            client.run(client.db.checkpoint()).unwrap();
        }
        client.insert(&table, vec![rows(base + 100..base + 1100), rows(base + 1100..base + 3100)], true).unwrap();
        client.insert(&table, vec![rows(100_000..100_010)], false).unwrap();
        client.insert(&table, vec![rows(200_000..205_000)], false).unwrap();
        assert_eq!(client.ids("t"), expect(0..base + 3100), "the unfinished are not seen");
        // No close: the pool's pages and everything not flushed are lost.
    }
    assert_eq!(Client::new(dir.path()).ids("t"), expect(0..4 * 3100));
}

#[test]
fn a_clean_stop_replays_nothing_and_keeps_everything() {
    let dir = tempfile::tempdir().unwrap();
    let client = Client::new(dir.path());
    let table = client.create("t");
    for i in 0..50 {
        client.insert(&table, vec![rows(i..i + 1)], true).unwrap();
    }
    client.run(client.db.close()).unwrap();
    drop(client);
    drop(table);
    let client = Client::new(dir.path());
    assert_eq!(client.ids("t"), expect(0..50));
}

#[test]
fn tables_dropped_and_truncated_stay_so() {
    let dir = tempfile::tempdir().unwrap();
    {
        let client = Client::new(dir.path());
        for name in ["kept", "dropped", "emptied"] {
            let table = client.create(name);
            client.insert(&table, vec![rows(0..5000)], true).unwrap();
            client.insert(&table, vec![rows(5000..5010)], true).unwrap();
        }
        let (dropped, emptied) = (client.def("dropped").unwrap(), client.def("emptied").unwrap());
        client.drop_table(&dropped);
        client.truncate(&emptied);
        assert!(!dir.path().join(format!("base/5/{}", dropped.file)).exists());
        let again = client.db.table(5, &client.def("emptied").unwrap()).unwrap();
        client.insert(&again, vec![rows(7..8)], true).unwrap();
    }
    let client = Client::new(dir.path());
    assert_eq!(client.ids("kept"), expect(0..5010));
    assert!(client.def("dropped").is_none());
    assert_eq!(client.ids("emptied"), vec![7]);
}

#[test]
fn databases_come_and_go_durably() {
    let dir = tempfile::tempdir().unwrap();
    {
        let client = Client::new(dir.path());
        let io = &client.backend.io;
        client.run(client.db.create_database(io, "a", 10)).unwrap();
        client.run(client.db.create_database(io, "b", 10)).unwrap();
        assert_eq!(client.run(client.db.create_database(io, "a", 10)).unwrap_err().code, "42P04");
        client.run(client.db.drop_database(io, "b")).unwrap();
        assert_eq!(client.run(client.db.drop_database(io, "b")).unwrap_err().code, "3D000");
    }
    let client = Client::new(dir.path());
    let names: Vec<_> = client.db.catalog().databases().map(|database| database.name().to_string()).collect();
    assert_eq!(names, ["template1", "template0", "postgres", "a"]);
}

#[test]
fn definitions_of_many_log_records_are_committed_as_one() {
    let dir = tempfile::tempdir().unwrap();
    let put = |transaction: &mut Transaction, oid: u32| {
        // Rights of 3,000 roles make a long row.
        let item = |grantee| AclItem { grantee, grantor: 10, privs: 1 };
        let (nspname, nspacl) = (format!("s{oid}").into(), Some((30_000..33_000).map(item).collect()));
        transaction.put(5, PgNamespace { oid, nspname, nspowner: 10, nspacl });
    };
    {
        let client = Client::new(dir.path());
        client.run(async {
            let mut transaction = Transaction::new(&client.db, &client.backend);
            (20_000..21_000).for_each(|oid| put(&mut transaction, oid));
            let (before, savepoint) = (client.db.log().insert_position(), transaction.savepoint());
            (21_000..21_100).for_each(|oid| put(&mut transaction, oid));
            transaction.roll_back_to(&savepoint).await.unwrap();
            transaction.commit(Durability::default()).await.unwrap();
            assert!(client.db.log().insert_position() - before > 8 * wal::MAX_RECORD as u64);
            let mut transaction = Transaction::new(&client.db, &client.backend);
            (22_000..22_100).for_each(|oid| put(&mut transaction, oid));
            transaction.rollback().await;
        });
    }
    let client = Client::new(dir.path());
    let namespaces: Vec<u32> =
        client.db.catalog().database_by_oid(5).unwrap().namespaces().map(|row| row.oid).collect();
    assert_eq!(namespaces, Vec::from_iter(20_000..21_000));
}

/// SQLite's way: fail the n-th write, then the n-th + 1, until the statement succeeds; the server lives on.
#[test]
fn a_full_disk_at_any_write_loses_nothing_acknowledged() {
    let mut succeeded = false;
    for skip in 0..400 {
        let dir = tempfile::tempdir().unwrap();
        let client = Client::new(dir.path());
        let table = client.create("t");
        client.insert(&table, vec![rows(0..2000)], true).unwrap();
        client.db.engine().inject(Fault {
            kind: OpKind::Write,
            file: "base".into(),
            skip,
            count: 1,
            errno: Some(libc::ENOSPC),
        });
        let result = client.insert(&table, vec![rows(2000..9000), rows(9000..30_000)], true);
        client.db.engine().clear_faults();
        succeeded = result.is_ok();
        let expected = match &result {
            Ok(()) => expect(0..30_000),
            Err(error) => {
                assert_eq!(error.code, "53100", "{error}");
                expect(0..2000)
            }
        };
        assert_eq!(client.ids("t"), expected, "after failing write {skip}");
        client.insert(&table, vec![rows(50_000..50_001)], true).unwrap();
        drop((client, table));
        let client = Client::new(dir.path());
        assert_eq!(client.ids("t").len(), expected.len() + 1, "after failing write {skip} and a crash");
        if succeeded {
            break;
        }
    }
    assert!(succeeded);
}

#[test]
fn who_only_reads_sees_what_is_durable_unless_there_is_a_sign_of_more() {
    let dir = tempfile::tempdir().unwrap();
    let client = Client::new(dir.path());
    let (db, file) = (&client.db, client.create("t").def.file);
    let advisory = LockTag::Advisory { database: 5, key: 7, pair: false };
    let relation = LockTag::Relation { database: 5, oid: file };
    let reader =
        || Transaction::new(db, &db.activity().enter(aio::BackendKind::Client, None, None, None, None).unwrap());
    // Commits, as far as all but its client are concerned.
    let precommit = |tag, mode| {
        client.run(async {
            let mut writer = reader();
            writer.writer();
            writer.lock(tag, mode, 0).await.unwrap();
            let committing = writer.precommit(Durability::default()).await.unwrap();
            assert!(committing.has_ended() && committing.lsn() > db.log().durable());
            committing
        })
    };
    let first = precommit(relation, LockMode::RowExclusive);
    let sees_all = |reader: &mut Transaction| reader.read_snapshot().limit().is_none();
    let (mut one, mut other) = (reader(), reader());
    assert!(!sees_all(&mut one) && !sees_all(&mut other));
    client.run(one.lock(relation, LockMode::RowExclusive, 0)).unwrap();
    assert!(!sees_all(&mut one), "a weak lock of a table is nobody's who has ended");
    other.writer();
    assert!(sees_all(&mut other), "it may have changed what the first one did");
    client.run(async {
        one.rollback().await;
        other.rollback().await;
    });
    assert!(!sees_all(&mut reader()));
    let strong = reader();
    client.run(strong.lock(relation, LockMode::Share, 0)).unwrap();
    assert!(sees_all(&mut reader()), "the first one had a lock that conflicts");
    client.run(async { (first.finish().await.unwrap(), strong.rollback().await) });
    assert!(!sees_all(&mut reader()), "all is durable");
    let second = precommit(advisory, LockMode::Exclusive);
    assert!(sees_all(&mut reader()), "anybody may get the lock, and tell others");
    client.run(second.finish()).unwrap();
    // A change of the catalog is made with knowledge of what had ended before.
    let third = precommit(relation, LockMode::RowExclusive);
    assert!(!sees_all(&mut reader()));
    client.run(async {
        let mut change = reader();
        let table = client.def("t").unwrap();
        change.alter_table(5, Some(&table), TableDef { unlogged: true, ..TableDef::clone(&table) });
        let change = change.precommit(Durability::default()).await.unwrap();
        assert!(!change.has_ended() && sees_all(&mut reader()));
        third.finish().await.unwrap();
        change.finish().await.unwrap();
    });
}

#[test]
fn a_second_server_on_the_directory_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let client = Client::new(dir.path());
    let error = Database::prepare(&OpenOptions { root: dir.path().into(), ..OpenOptions::default() }).unwrap_err();
    assert!(error.message.contains("already exists") && error.hint.unwrap().contains("PID"));
    drop(client);
    Client::new(dir.path());
}

#[test]
fn foreign_and_damaged_directories_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    drop(Client::new(dir.path()));
    let path = dir.path().join("global/inflight_control");
    let text = std::fs::read_to_string(&path).unwrap();
    let attempt = || {
        let options = OpenOptions { root: dir.path().into(), method: Some(IoMethod::Sync), ..OpenOptions::default() };
        common::without_waits(Database::open(options)).err().unwrap()
    };
    std::fs::write(&path, text.replacen("\"redo\":", "\"redo\": ", 1)).unwrap();
    assert!(attempt().message.contains("checksum"));
    std::fs::write(&path, &text).unwrap();
    let catalogs = std::fs::read_dir(dir.path().join("global")).unwrap().map(|entry| entry.unwrap().path());
    let catalogs = catalogs.into_iter().find(|path| path.to_string_lossy().contains("inflight_catalog")).unwrap();
    let rows = std::fs::read(&catalogs).unwrap();
    let mut damaged = rows.clone();
    damaged[20] ^= 1;
    std::fs::write(&catalogs, &damaged).unwrap();
    let error = attempt();
    assert!(error.code == "XX001" && error.message.contains("its checksum is wrong"), "{}", error.message);
    std::fs::write(&catalogs, &rows[..30]).unwrap();
    assert!(attempt().message.contains("it is cut short"));
    std::fs::write(&catalogs, &rows).unwrap();
    let json = text.split_once('\n').unwrap().1.replacen("\"format\":", "\"format\":99", 1);
    std::fs::write(&path, format!("{:08x}\n{json}", crc32c::crc32c(json.as_bytes()))).unwrap();
    assert_eq!(attempt().message, "database files are incompatible with server");
    std::fs::remove_file(&path).unwrap();
    assert_eq!(attempt().code, "58P01");
}

#[test]
fn what_is_temporary_goes_with_its_session() {
    let dir = tempfile::tempdir().unwrap();
    let files = |client: &Client, def: &TableDef| {
        let id = storage::RelationId { database: 5, file: def.file };
        client.db.relation(id).is_ok_and(|relation| relation.blocks() > 0)
    };
    let (client, lost) = {
        let client = Client::new(dir.path());
        let mut transaction = client.transaction();
        let schema = transaction.temporary_schema();
        assert_eq!(schema, transaction.temporary_schema());
        client.run(transaction.commit(Durability::default())).unwrap();
        let def = client.create_in(&schema, "t");
        let table = client.db.table(5, &def).unwrap();
        client.insert(&table, vec![rows(0..10)], true).unwrap();
        assert!(client.db.catalog().database_by_oid(5).unwrap().has_relation(&schema, "t") && files(&client, &def));
        // The session's end.
        client.run(client.db.drop_temporary(&client.backend, 0)).unwrap();
        let catalog = client.db.catalog();
        let database = catalog.database_by_oid(5).unwrap();
        assert!(
            database.tables().next().is_none()
                && database.namespaces().next().is_none()
                && !database.has_relation(&schema, "t")
        );
        assert!(!files(&client, &def));
        // A crash, after a checkpoint that knows of the table.
        let mut transaction = client.transaction();
        let schema = transaction.temporary_schema();
        client.run(transaction.commit(Durability::default())).unwrap();
        let lost = client.create_in(&schema, "lost");
        let table = client.db.table(5, &lost).unwrap();
        client.insert(&table, vec![rows(0..10)], true).unwrap();
        client.run(client.db.checkpoint()).unwrap();
        client.insert(&table, vec![rows(10..20)], false).unwrap();
        drop((table, client));
        (Client::new(dir.path()), lost)
    };
    let catalog = client.db.catalog();
    let database = catalog.database_by_oid(5).unwrap();
    assert!(database.tables().next().is_none() && database.namespaces().next().is_none() && !files(&client, &lost));
}

#[test]
fn relations_are_found_by_their_names() {
    let dir = tempfile::tempdir().unwrap();
    let client = Client::new(dir.path());
    let table = client.create("t");
    let index = |name: &str, oid| IndexDef::new(oid, name, vec![]);
    let put = |table: TableDef| {
        let mut transaction = client.transaction();
        let before = client.def("t").or_else(|| client.def("u"));
        transaction.alter_table(5, before.as_deref(), table);
        client.run(transaction.commit(Durability::default())).unwrap();
    };
    let (first, second) = (client.db.new_oid(), client.db.new_oid());
    put(TableDef { indexes: vec![index("i", first), index("j", second)], ..TableDef::clone(&table.def) });
    put(TableDef { name: "u".into(), indexes: vec![index("k", first)], ..TableDef::clone(&table.def) });
    drop((table, client));
    let client = Client::new(dir.path());
    let catalog = client.db.catalog();
    let database = catalog.database_by_oid(5).unwrap();
    let there: Vec<&str> =
        ["t", "u", "i", "j", "k"].into_iter().filter(|n| database.has_relation("public", n)).collect();
    assert_eq!(there, ["u", "k"]);
    assert_eq!(database.index("public", "k").map(|(table, index)| (&*table.name, index.oid)), Some(("u", first)));
    assert!(database.index_by_oid(first).is_some() && database.index_by_oid(second).is_none());
    assert!(database.table("public", "k").is_none() && database.table("other", "u").is_none());
}

#[test]
fn a_commit_puts_the_catalog_that_its_transaction_has_seen() {
    let dir = tempfile::tempdir().unwrap();
    let client = Client::new(dir.path());
    let put = |transaction: &mut Transaction, name: &str| {
        transaction.alter_table(5, None, TableDef::new(client.db.new_oid(), (PUBLIC, name), 10, columns()));
    };
    let has = |catalog: &Catalog, name: &str| catalog.database_by_oid(5).unwrap().has_relation("public", name);
    let mut transaction = client.transaction();
    put(&mut transaction, "a");
    let first = transaction.catalog();
    let savepoint = transaction.savepoint();
    put(&mut transaction, "b");
    assert!(has(&transaction.catalog(), "b") && has(&first, "a") && !has(&first, "b"));
    client.run(transaction.roll_back_to(&savepoint)).unwrap();
    assert!(!has(&transaction.catalog(), "b"));
    put(&mut transaction, "c");
    let seen = transaction.catalog();
    client.run(transaction.commit(Durability::default())).unwrap();
    assert!(client.db.is_catalog(&seen) && has(&seen, "a") && has(&seen, "c") && !has(&seen, "b"));
    // What others have committed meanwhile is in it, too.
    let mut transaction = client.transaction();
    put(&mut transaction, "d");
    let seen = transaction.catalog();
    client.create("e");
    client.run(transaction.commit(Durability::default())).unwrap();
    let now = client.db.catalog();
    assert!(!client.db.is_catalog(&seen) && ["a", "c", "d", "e"].iter().all(|name| has(&now, name)));
}
