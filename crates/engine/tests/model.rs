//! Several transactions in turn, random changes, savepoints, rollbacks, checkpoints and crashes, against a model of maps.
//!
//! `INFLIGHT_SEED=n cargo test -p engine --test model` runs one seed.

mod common;

use std::collections::BTreeMap;
use std::sync::Arc;

use access::{Outcome, RowChange, Tid};
use aio::{IoMethod, Random, block_on};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use engine::*;

type Row = (i32, Option<String>);
type Rows = BTreeMap<Tid, Row>;
/// A transaction's own changes: `None` is deleted.
type Own = BTreeMap<Tid, Option<Row>>;

struct Running {
    transaction: Box<Transaction>,
    own: Own,
    /// REPEATABLE READ: what was committed when it began.
    kept: Option<Rows>,
    savepoints: Vec<(Savepoint, Own)>,
}

fn open(root: &std::path::Path) -> Database {
    let options = OpenOptions {
        root: root.into(),
        overrides: vec![("shared_buffers".into(), "8MB".into()), ("io_max_concurrency".into(), "16".into())],
        method: Some(IoMethod::Sync),
        wal_segment_size: None,
        skip_checkpoint_flushes: false,
    };
    common::without_waits(Database::open(options)).unwrap()
}

fn create(db: &Database, backend: &Arc<Backend>) -> Arc<Table> {
    let oid = db.new_oid();
    let id = ColumnDef { not_null: true, ..ColumnDef::new("id", ColumnType::of(types::oid::INT4)) };
    let note = ColumnDef::new("note", ColumnType::of(types::oid::TEXT));
    let def = TableDef::new(oid, (catalog::PUBLIC, "t"), 10, vec![id, note]);
    let mut transaction = Transaction::new(db, backend);
    transaction.create_files(storage::RelationId { database: 5, file: oid }).unwrap();
    transaction.alter_table(5, None, def);
    block_on(db.engine(), transaction.commit(Durability::default())).unwrap();
    table(db)
}

fn table(db: &Database) -> Arc<Table> {
    let catalog = db.catalog();
    db.table(5, catalog.database_by_oid(5).unwrap().table("public", "t").unwrap()).unwrap()
}

fn scan(db: &Database, backend: &Backend, snapshot: txn::Snapshot) -> Rows {
    let table = table(db);
    let scan = TableScan::new(&table, snapshot, Arc::new([1, 2, 0]));
    let mut part = scan.participant(&backend.io, storage::Concurrency::Auto, 1);
    let mut rows = Rows::new();
    block_on(db.engine(), async {
        while let Some(batch) = part.next().await.unwrap() {
            let notes = batch.column(0).as_string::<i32>();
            let tids = batch.column(1).as_primitive::<Int64Type>();
            let ids = batch.column(2).as_primitive::<Int32Type>();
            for row in 0..batch.num_rows() {
                let note = notes.iter().nth(row).flatten().map(str::to_string);
                let before = rows.insert(Tid::unpack(tids.value(row)), (ids.value(row), note));
                assert!(before.is_none(), "a row twice");
            }
        }
    });
    rows
}

fn with_own(mut rows: Rows, own: &Own) -> Rows {
    for (tid, row) in own {
        match row {
            Some(row) => rows.insert(*tid, row.clone()),
            None => rows.remove(tid),
        };
    }
    rows
}

fn note(random: &Random) -> Option<String> {
    match random.below(10) {
        0 => None,
        1 => Some("x".repeat(random.below(3000) as usize)),
        _ => Some("y".repeat(random.below(40) as usize)),
    }
}

fn run(seed: u64) {
    let random = Random::new(seed);
    let dir = tempfile::tempdir().unwrap();
    let mut db = open(dir.path());
    let enter = |db: &Database| db.activity().enter(aio::BackendKind::Client, None, None, None, None).unwrap();
    let mut backend = enter(&db);
    create(&db, &backend);
    let mut committed = Rows::new();
    let mut running: Vec<Running> = vec![];
    let mut next_id = 0;
    for _ in 0..300 {
        let action = random.below(100);
        if running.is_empty() || (action < 5 && running.len() < 4) {
            let mut transaction = Transaction::new(&db, &backend);
            let kept = (random.below(2) == 0).then(|| {
                transaction.set_repeatable(true);
                transaction.next_command();
                committed.clone()
            });
            running.push(Running { transaction, own: Own::new(), kept, savepoints: vec![] });
            continue;
        }
        let index = random.below(running.len() as u64) as usize;
        match action {
            0..=2 => {
                // A crash: whatever was not committed is gone.
                running.clear();
                if random.below(2) == 0 {
                    // Pages that were written ahead of their transactions' ends.
                    block_on(db.engine(), db.checkpoint()).unwrap();
                }
                drop(backend);
                drop(db);
                db = open(dir.path());
                backend = enter(&db);
                assert_eq!(scan(&db, &backend, db.snapshot()), committed, "after a crash");
            }
            3..=5 => block_on(db.engine(), db.checkpoint()).unwrap(),
            6..=14 => {
                let Running { transaction, own, .. } = running.swap_remove(index);
                block_on(db.engine(), transaction.commit(Durability::default())).unwrap();
                committed = with_own(committed, &own);
            }
            15..=19 => {
                let Running { transaction, .. } = running.swap_remove(index);
                block_on(db.engine(), transaction.rollback());
            }
            20..=24 => {
                let r = &mut running[index];
                r.savepoints.push((r.transaction.savepoint(), r.own.clone()));
            }
            25..=28 => {
                let r = &mut running[index];
                if !r.savepoints.is_empty() {
                    let at = random.below(r.savepoints.len() as u64) as usize;
                    r.savepoints.truncate(at + 1);
                    let (savepoint, own) = r.savepoints[at].clone();
                    block_on(db.engine(), r.transaction.roll_back_to(&savepoint)).unwrap();
                    r.own = own;
                }
            }
            29..=40 => {
                let r = &mut running[index];
                r.transaction.next_command();
                let snapshot = r.transaction.snapshot();
                let seen = scan(&db, &backend, snapshot);
                let base = r.kept.clone().unwrap_or_else(|| committed.clone());
                assert_eq!(seen, with_own(base, &r.own));
            }
            41..=60 => {
                let r = &mut running[index];
                r.transaction.next_command();
                let count = if random.below(5) == 0 { 1 + random.below(300) } else { 1 + random.below(5) };
                let rows: Vec<Row> = (0..count)
                    .map(|_| {
                        next_id += 1;
                        (next_id, note(&random))
                    })
                    .collect();
                let ids: Vec<[u8; 4]> = rows.iter().map(|r| r.0.to_le_bytes()).collect();
                let values: Vec<Vec<Option<&[u8]>>> = rows
                    .iter()
                    .zip(&ids)
                    .map(|(row, id)| vec![Some(&id[..]), row.1.as_deref().map(str::as_bytes)])
                    .collect();
                let heap = table(&db).heap().clone();
                let tids = block_on(db.engine(), heap.insert(r.transaction.writer(), &values)).unwrap();
                for (tid, row) in tids.into_iter().zip(rows) {
                    r.own.insert(tid, Some(row));
                }
            }
            _ => {
                // Some rows of one block are updated or deleted.
                let others: Vec<&Own> =
                    running.iter().enumerate().filter(|(i, _)| *i != index).map(|(_, r)| &r.own).collect();
                let busy = |tid: &Tid| others.iter().any(|own| own.contains_key(tid));
                let now = with_own(committed.clone(), &running[index].own);
                if now.is_empty() {
                    continue;
                }
                let block = now.keys().nth(random.below(now.len() as u64) as usize).unwrap().block;
                let in_block: Vec<Tid> = now.keys().filter(|t| t.block == block).copied().collect();
                let take = if random.below(4) == 0 { 100 } else { 15 };
                let chosen: Vec<Tid> = in_block.into_iter().filter(|_| random.below(100) < take).collect();
                let delete = random.below(3) == 0;
                let only_note = random.below(2) == 0;
                let news: Vec<Row> = chosen
                    .iter()
                    .map(|_| {
                        // No two versions of a row are the same.
                        next_id += 1;
                        let note = note(&random);
                        (next_id, if only_note { Some(format!("{next_id}{}", note.unwrap_or_default())) } else { note })
                    })
                    .collect();
                let ids: Vec<[u8; 4]> = news.iter().map(|r| r.0.to_le_bytes()).collect();
                type Values<'a> = Vec<(usize, Option<&'a [u8]>)>;
                let values: Vec<Values<'_>> = news
                    .iter()
                    .zip(&ids)
                    .map(|(row, id)| {
                        let note = (1, row.1.as_deref().map(str::as_bytes));
                        if only_note { vec![note] } else { vec![(0, Some(&id[..])), note] }
                    })
                    .collect();
                let changes: Vec<(u16, RowChange<'_>)> = chosen
                    .iter()
                    .zip(&values)
                    .map(|(tid, values)| {
                        (
                            tid.row,
                            if delete {
                                RowChange::Delete
                            } else {
                                RowChange::Update { values, key: false, indexed: true }
                            },
                        )
                    })
                    .collect();
                let visible = match &running[index].kept {
                    None => now.clone(),
                    Some(kept) => with_own(kept.clone(), &running[index].own),
                };
                let expected: Vec<bool> =
                    chosen.iter().map(|tid| !busy(tid) && visible.get(tid) == now.get(tid)).collect();
                let busy: Vec<bool> = chosen.iter().map(busy).collect();
                let r = &mut running[index];
                r.transaction.next_command();
                let snapshot = r.transaction.snapshot();
                let heap = table(&db).heap().clone();
                let change = heap.change(r.transaction.writer(), &snapshot, block, &changes);
                let outcomes = block_on(db.engine(), change).unwrap();
                let stop = outcomes.iter().position(|o| matches!(o, Some(Outcome::Busy(_) | Outcome::Changed)));
                for (at, (tid, outcome)) in chosen.iter().zip(outcomes).enumerate() {
                    let Some(outcome) = outcome else {
                        assert!(stop.is_some_and(|stop| stop < at), "row {tid} was not tried");
                        continue;
                    };
                    assert!(stop.is_none_or(|stop| at <= stop), "row {tid} was tried behind one that others are at");
                    match outcome {
                        Outcome::Done => {
                            assert!(expected[at] || visible.get(tid) == now.get(tid), "row {tid} was not to be had");
                            assert!(!busy[at]);
                            let new = if only_note { (now[tid].0, news[at].1.clone()) } else { news[at].clone() };
                            r.own.insert(*tid, (!delete).then_some(new));
                        }
                        Outcome::Busy(_) => assert!(busy[at], "row {tid} is nobody's"),
                        Outcome::Changed | Outcome::Gone => {
                            assert!(!expected[at] && !busy[at], "row {tid}: {outcome:?}")
                        }
                        other => panic!("{other:?}"),
                    }
                }
            }
        }
    }
    for r in running {
        block_on(db.engine(), r.transaction.rollback());
    }
    assert_eq!(scan(&db, &backend, db.snapshot()), committed, "at the end");
}

#[test]
fn transactions_agree_with_the_model() {
    if let Ok(seed) = std::env::var("INFLIGHT_SEED") {
        return run(seed.parse().unwrap());
    }
    for seed in 1..=40 {
        let outcome = std::panic::catch_unwind(|| run(seed));
        if let Err(panic) = outcome {
            eprintln!("INFLIGHT_SEED={seed} fails");
            std::panic::resume_unwind(panic);
        }
    }
}
