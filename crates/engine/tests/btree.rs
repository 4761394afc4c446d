//! B-trees against a sorted set, by inserting and by building, and after crashes.

mod common;

use std::collections::BTreeSet;
use std::os::unix::fs::DirBuilderExt;
use std::sync::Arc;

use access::Tid;
use access::index::key::{put_tid, tuple_of};
use access::index::{Builder, Index, IndexScan, KeyShape, Method};
use aio::{IoMethod, block_on};
use engine::*;
use storage::RelationId;

fn open(root: &std::path::Path) -> Database {
    let options = OpenOptions {
        root: root.into(),
        overrides: vec![("shared_buffers".into(), "16MB".into()), ("io_max_concurrency".into(), "16".into())],
        method: Some(IoMethod::Sync),
        wal_segment_size: None,
        skip_checkpoint_flushes: false,
    };
    common::without_waits(Database::open(options)).unwrap()
}

/// A B-tree of bare keys.
fn open_index(db: &Database, relation: Arc<storage::Relation>) -> Index {
    Index::open(Method::BTree, db.store(), relation, &KeyShape::default())
}

fn keys(count: usize, seed: u64) -> Vec<Vec<u8>> {
    let mut state = seed | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..count)
        .map(|_| {
            let len = if next() % 50 == 0 { next() % 2000 } else { 6 + next() % 20 } as usize;
            (0..len.max(6)).map(|i| if i < 8 { (next() >> 20) as u8 % 5 } else { b'x' }).collect()
        })
        .collect()
}

/// All entries in some ranges, read in one of the ways.
async fn read(tree: &Index, io: &aio::Session, ranges: &[KeyRange], backward: bool, ahead: bool) -> Vec<Vec<u8>> {
    let mut scan = IndexScan::new(tree, io, ranges.to_vec(), backward);
    let mut found = vec![];
    if ahead {
        // In the middle, and some entries are loaded before they are asked for.
        found.extend(scan.next().await.unwrap().map(<[u8]>::to_vec));
        scan.read_ahead(storage::Concurrency::Auto);
    }
    while let Some(entry) = scan.next().await.unwrap() {
        found.push(entry.to_vec());
        if ahead && found.len() % 7 == 0 {
            scan.load_more().await.unwrap();
        }
    }
    found
}

fn entries(db: &Database, tree: &Index, from: &[u8], to: Option<&[u8]>) -> Vec<Vec<u8>> {
    let backend = db.activity().enter(aio::BackendKind::Client, None, None, None, None).unwrap();
    block_on(db.engine(), async {
        let range = KeyRange::new(from.to_vec(), to.map(<[u8]>::to_vec));
        let found = read(tree, &backend.io, std::slice::from_ref(&range), false, false).await;
        // The same in three ranges, in the middle of which nothing is.
        let cut = |at: usize| found.get(at).cloned().unwrap_or_else(|| from.to_vec());
        let (first, second) = (cut(found.len() / 3), cut(found.len() / 2));
        let parts = [
            KeyRange::new(range.from.clone(), Some(first.clone())),
            KeyRange::new(first.clone(), Some(first.clone())),
            KeyRange::new(first, Some(second.clone())),
            KeyRange::new(second, range.to.clone()),
        ];
        for ranges in [std::slice::from_ref(&range), &parts] {
            for ahead in [false, true] {
                assert_eq!(read(tree, &backend.io, ranges, false, ahead).await, found);
                let mut backward = read(tree, &backend.io, ranges, true, ahead).await;
                backward.reverse();
                assert_eq!(backward, found, "backward, ahead {ahead}");
            }
        }
        found
    })
}

fn check(db: &Database, tree: &Index, expected: &BTreeSet<Vec<u8>>) {
    assert!(entries(db, tree, &[], None).iter().eq(expected.iter()));
    for key in expected.iter().step_by(expected.len() / 20 + 1) {
        let to = [&key[..], &[9]].concat();
        let some: Vec<_> = expected.range(key.clone()..to.clone()).cloned().collect();
        assert_eq!(entries(db, tree, key, Some(&to)), some);
    }
}

/// Makes the files of a relation that a crash does not take away: an index of a table.
fn index_files(db: &Database, backend: &Arc<Backend>) -> RelationId {
    let id = RelationId { database: 5, file: db.new_oid() };
    let mut transaction = Transaction::new(db, backend);
    transaction.create_files(id).unwrap();
    let oid = db.new_oid();
    transaction.create_files(RelationId { database: 5, file: oid }).unwrap();
    let mut table = TableDef::new(oid, (catalog::PUBLIC, &format!("t{oid}")), 10, vec![]);
    table.indexes.push(IndexDef::new(id.file, "i", vec![]));
    transaction.alter_table(5, None, table);
    block_on(db.engine(), transaction.commit(Durability::default())).unwrap();
    id
}

#[test]
fn inserted_entries_are_found_in_order_and_survive_crashes() {
    let dir = tempfile::tempdir().unwrap();
    let mut db = open(dir.path());
    let mut backend = db.activity().enter(aio::BackendKind::Client, None, None, None, None).unwrap();
    let id = index_files(&db, &backend);
    let relation = db.relation(id).unwrap();
    block_on(db.engine(), Builder::new(Method::BTree, db.store(), &relation, &backend.io).finish()).unwrap();
    let mut expected = BTreeSet::new();
    for round in 0..5 {
        let tree = open_index(&db, db.relation(id).unwrap());
        check(&db, &tree, &expected);
        for key in keys(4000, 77 + round) {
            block_on(db.engine(), tree.insert(&backend.io, &[&key], storage::Concurrency::Auto)).unwrap();
            expected.insert(key);
        }
        // Many at once, some of which are there.
        for (part, count) in [(0, 1), (1, 50), (2, 3000)] {
            let mut several = keys(count, 99 + 10 * round + part);
            several.extend(keys(count / 10, 77 + round));
            several.sort();
            let several: Vec<&[u8]> = several.iter().map(Vec::as_slice).collect();
            block_on(db.engine(), tree.insert(&backend.io, &several, storage::Concurrency::Auto)).unwrap();
            expected.extend(several.iter().map(|key| key.to_vec()));
        }
        // Ever-growing ones, too.
        for number in 0..2000u32 {
            let key = [&[200, round as u8][..], &number.to_be_bytes()].concat();
            block_on(db.engine(), tree.insert(&backend.io, &[&key], storage::Concurrency::Auto)).unwrap();
            expected.insert(key);
        }
        check(&db, &tree, &expected);
        let position = db.log().insert_position();
        block_on(db.engine(), db.log().flush_to(&backend.io, position)).unwrap();
        if round == 2 {
            block_on(db.engine(), db.checkpoint()).unwrap();
        }
        drop((tree, backend, db));
        db = open(dir.path());
        backend = db.activity().enter(aio::BackendKind::Client, None, None, None, None).unwrap();
    }
}

#[test]
fn a_built_tree_is_like_an_inserted_one() {
    let dir = tempfile::tempdir().unwrap();
    let db = open(dir.path());
    let backend = db.activity().enter(aio::BackendKind::Client, None, None, None, None).unwrap();
    for count in [0, 1, 300, 30_000] {
        let id = index_files(&db, &backend);
        let relation = db.relation(id).unwrap();
        let mut expected: BTreeSet<Vec<u8>> = keys(count, 5).into_iter().collect();
        block_on(db.engine(), async {
            let mut builder = Builder::new(Method::BTree, db.store(), &relation, &backend.io);
            for key in &expected {
                builder.add(key).await.unwrap();
            }
            builder.finish().await.unwrap();
        });
        let tree = open_index(&db, relation);
        check(&db, &tree, &expected);
        for key in keys(3000, 6) {
            block_on(db.engine(), tree.insert(&backend.io, &[&key], storage::Concurrency::Auto)).unwrap();
            expected.insert(key);
        }
        check(&db, &tree, &expected);
    }
}

/// Leaves keep what their entries have in common once. Beside one that is unlike them they take more room, more than two leaves have.
#[test]
fn entries_unlike_those_beside_them_find_room() {
    let dir = tempfile::tempdir().unwrap();
    let db = open(dir.path());
    let backend = db.activity().enter(aio::BackendKind::Client, None, None, None, None).unwrap();
    let entry = |key: &[u8], number: u32| {
        let mut entry = key.to_vec();
        put_tid(&mut entry, Tid { block: 5 + number / 300, row: (number % 300) as u16 });
        entry
    };
    let counted = |n: u32| entry(&[&[1][..], &n.to_be_bytes()].concat(), n);
    let of_many = |n: u32| entry(b"of many", n);
    let long = |n: u32| entry(&[&[b'x'; 300][..], &n.to_be_bytes()].concat(), n);
    let alike: [&dyn Fn(u32) -> Vec<u8>; 3] = [&counted, &of_many, &long];
    for (alike, count) in alike.into_iter().zip([20_000, 20_000, 1_000]) {
        let id = index_files(&db, &backend);
        let relation = db.relation(id).unwrap();
        let mut expected: BTreeSet<Vec<u8>> = (0..count).map(alike).collect();
        block_on(db.engine(), async {
            let mut builder = Builder::new(Method::BTree, db.store(), &relation, &backend.io);
            for key in &expected {
                builder.add(key).await.unwrap();
            }
            builder.finish().await.unwrap();
        });
        let leaves = relation.blocks();
        let tree = open_index(&db, relation);
        for n in (0..count).step_by(97) {
            let near = alike(n);
            let key = tuple_of(&near);
            let mut far = key.to_vec();
            put_tid(&mut far, Tid { block: u32::MAX - n, row: u16::MAX });
            for unlike in [far, entry(&key[..key.len() / 2], n), entry(&[key, &[7; 9]].concat(), n), entry(b"", n)] {
                block_on(db.engine(), tree.insert(&backend.io, &[&unlike], storage::Concurrency::Auto)).unwrap();
                expected.insert(unlike);
            }
        }
        check(&db, &tree, &expected);
        assert!(tree.blocks() < 20 * leaves, "{} of {leaves}", tree.blocks());
    }
}

/// Long keys that have nearly all in common: a page's prefix and its high key are as long as it is.
#[test]
fn long_keys_that_grow_find_room() {
    let dir = tempfile::tempdir().unwrap();
    let db = open(dir.path());
    let backend = db.activity().enter(aio::BackendKind::Client, None, None, None, None).unwrap();
    for (shared, run, count) in [(2500, 1, 300), (2500, 50, 300), (2000, 1, 300), (1200, 100, 600), (30, 1000, 4000)] {
        let id = index_files(&db, &backend);
        let relation = db.relation(id).unwrap();
        block_on(db.engine(), Builder::new(Method::BTree, db.store(), &relation, &backend.io).finish()).unwrap();
        let tree = open_index(&db, relation);
        let entry = |number: u32| {
            let mut entry = [&vec![b'x'; shared][..], &number.to_be_bytes()].concat();
            put_tid(&mut entry, Tid { block: number / 200, row: (number % 200) as u16 });
            entry
        };
        // Up, and down again between what is there.
        let up: Vec<Vec<u8>> = (0..count).map(|number| entry(number * 2)).collect();
        let down: Vec<Vec<u8>> = (0..count).rev().map(|number| entry(number * 2 + 1)).collect();
        for some in up.chunks(run).chain(down.chunks(run)) {
            let mut some: Vec<&[u8]> = some.iter().map(Vec::as_slice).collect();
            some.sort_unstable();
            block_on(db.engine(), tree.insert(&backend.io, &some, storage::Concurrency::Auto)).unwrap();
        }
        check(&db, &tree, &up.into_iter().chain(down).collect());
    }
}

/// Separators of leaves that have long keys are longer than all that their parent has had before.
#[test]
fn long_keys_behind_short_ones_are_built() {
    let dir = tempfile::tempdir().unwrap();
    let db = open(dir.path());
    let backend = db.activity().enter(aio::BackendKind::Client, None, None, None, None).unwrap();
    for short in (440_000..560_000).step_by(8_000) {
        let id = index_files(&db, &backend);
        let relation = db.relation(id).unwrap();
        let entry = |number: u32| {
            let mut entry = if number < short {
                number.to_be_bytes().to_vec()
            } else {
                [&[0xff; 2400][..], &number.to_be_bytes()].concat()
            };
            put_tid(&mut entry, Tid { block: number / 200, row: (number % 200) as u16 });
            entry
        };
        block_on(db.engine(), async {
            let mut builder = Builder::new(Method::BTree, db.store(), &relation, &backend.io);
            for number in 0..short + 100 {
                builder.add(&entry(number)).await.unwrap();
            }
            builder.finish().await.unwrap();
        });
        let tree = open_index(&db, relation);
        let last: Vec<_> = (short - 1000..short + 100).map(entry).collect();
        assert!(entries(&db, &tree, &last[0], None) == last);
    }
}

fn copy_directory(from: &std::path::Path, to: &std::path::Path) {
    // A data directory is its owner's alone.
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(|entry| entry.unwrap()) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_directory(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), &target).unwrap();
        }
    }
}

/// A leaf becomes several pages at once, which are noted above one by one: wherever the log ends between, others note the rest.
#[test]
fn a_run_that_a_crash_ends_leaves_a_tree() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("data");
    let db = open(&root);
    let backend = db.activity().enter(aio::BackendKind::Client, None, None, None, None).unwrap();
    let entry = |number: u32| {
        let mut entry = number.to_be_bytes().to_vec();
        put_tid(&mut entry, Tid { block: number / 200, row: (number % 200) as u16 });
        entry
    };
    let run: Vec<Vec<u8>> = (0..10_000).map(|number| entry(number * 2)).collect();
    let run: Vec<&[u8]> = run.iter().map(Vec::as_slice).collect();
    let singles: Vec<Vec<u8>> = (0..10_000).rev().step_by(3).map(|number| entry(number * 2 + 1)).collect();
    let expected: BTreeSet<Vec<u8>> = run.iter().map(|entry| entry.to_vec()).chain(singles.iter().cloned()).collect();
    let id = index_files(&db, &backend);
    let relation = db.relation(id).unwrap();
    block_on(db.engine(), Builder::new(Method::BTree, db.store(), &relation, &backend.io).finish()).unwrap();
    let begin = db.log().insert_position();
    let tree = open_index(&db, relation);
    block_on(db.engine(), tree.insert(&backend.io, &run, storage::Concurrency::Auto)).unwrap();
    let end = db.log().insert_position();
    block_on(db.engine(), db.log().flush_to(&backend.io, end)).unwrap();
    drop((tree, backend, db));
    let mut leaves = BTreeSet::new();
    // The pages are one record; what notes them above is short.
    for cut in (end - 2500..=end).step_by(61) {
        let copy = dir.path().join("copy");
        copy_directory(&root, &copy);
        let segments = std::fs::read_dir(copy.join("pg_wal")).unwrap().map(|file| file.unwrap().path());
        let first = segments.filter(|path| path.is_file()).min().unwrap();
        let mut bytes = std::fs::read(&first).unwrap();
        let size = bytes.len() as u64;
        assert_eq!(begin / size, end / size, "it is in one segment, the first that is there");
        bytes[(cut % size) as usize..].fill(0);
        std::fs::write(&first, bytes).unwrap();
        let db = open(&copy);
        let backend = db.activity().enter(aio::BackendKind::Client, None, None, None, None).unwrap();
        let tree = open_index(&db, db.relation(id).unwrap());
        leaves.insert(tree.blocks());
        for single in &singles {
            block_on(db.engine(), tree.insert(&backend.io, &[single], storage::Concurrency::Auto)).unwrap();
        }
        block_on(db.engine(), tree.insert(&backend.io, &run, storage::Concurrency::Auto)).unwrap();
        assert!(entries(&db, &tree, &[], None).iter().eq(expected.iter()), "cut at {cut}");
        drop((tree, backend, db));
        std::fs::remove_dir_all(&copy).unwrap();
    }
    assert!(leaves.len() > 2, "states of the log with one and with several leaves: {leaves:?}");
}

#[test]
fn of_many_who_bring_an_absent_key_one_puts_it_in() {
    const KEYS: u64 = 12_000;
    let dir = tempfile::tempdir().unwrap();
    let db = open(dir.path());
    let backend = db.activity().enter(aio::BackendKind::Client, None, None, None, None).unwrap();
    let id = index_files(&db, &backend);
    let relation = db.relation(id).unwrap();
    block_on(db.engine(), Builder::new(Method::BTree, db.store(), &relation, &backend.io).finish()).unwrap();
    let tree = open_index(&db, relation);
    // Each thread brings all keys, in an order of its own, one by one and many together.
    let put = |thread: u64| {
        let backend = db.activity().enter(aio::BackendKind::Client, None, None, None, None).unwrap();
        let step = [1, 7, 1009, 2003][thread as usize];
        let order: Vec<u64> = (0..KEYS).map(|number| number * step % KEYS).collect();
        let mut won = 0;
        for (number, keys) in order.chunks([17, 200, 1000, 60][thread as usize]).enumerate() {
            let entry = |key: &u64| [&key.to_be_bytes()[..], &[0, 0, 0, thread as u8, 0, 1]].concat();
            let mut entries: Vec<Vec<u8>> = keys.iter().map(entry).collect();
            entries.sort();
            let entries: Vec<&[u8]> = entries.iter().map(Vec::as_slice).collect();
            let size = if number % 2 == 0 { 1 } else { entries.len() };
            for some in entries.chunks(size) {
                let mut rest = some;
                while !rest.is_empty() {
                    let put = tree.insert_absent(&backend.io, rest, storage::Concurrency::Auto);
                    let done = block_on(db.engine(), put).unwrap();
                    won += done;
                    // The next one is there already.
                    rest = &rest[(done + 1).min(rest.len())..];
                }
            }
        }
        won
    };
    let won: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|thread| scope.spawn(move || put(thread))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(won, KEYS as usize);
    let found = entries(&db, &tree, &[], None);
    let keys: Vec<u64> = found.iter().map(|entry| u64::from_be_bytes(entry[..8].try_into().unwrap())).collect();
    assert!(keys.into_iter().eq(0..KEYS));
}

/// Keys of three columns, and what their ranges and filters leave of them.
#[test]
fn entries_that_fail_a_filter_are_left_out() {
    use access::index::key::after_prefix;
    use access::index::{KeyColumn, KeyFilter, PartCondition};
    use types::Repr;

    let dir = tempfile::tempdir().unwrap();
    let db = open(dir.path());
    let backend = db.activity().enter(aio::BackendKind::Client, None, None, None, None).unwrap();
    let relation = db.relation(index_files(&db, &backend)).unwrap();
    block_on(db.engine(), Builder::new(Method::BTree, db.store(), &relation, &backend.io).finish()).unwrap();
    let tree = open_index(&db, relation);
    let column =
        |column, repr, descending| KeyColumn { column, repr, descending, nulls_first: descending, compressed: false };
    let columns = vec![column(0, Repr::Int4, false), column(1, Repr::Text, true), column(2, Repr::Int4, false)];
    let shape = KeyShape { columns, included: Vec::new() };
    let part = |at: usize, value: Option<i32>| {
        let mut key = Vec::new();
        let text = value.map(|value| "a\0".repeat(value as usize % 40));
        let number = value.map(i32::to_le_bytes);
        shape.columns[at].encode(
            &mut key,
            if at == 1 { text.as_ref().map(|t| t.as_bytes()) } else { number.as_ref().map(|n| &n[..]) },
        );
        key
    };
    let mut state = 4711u64;
    let mut chance = move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below) as i32
    };
    // Few different values, many and one; some are NULL.
    let mut all = BTreeSet::new();
    for row in 0..6000u32 {
        let mut values = [chance(40), chance(30), chance(300)].map(Some);
        if chance(20) == 0 {
            values[chance(3) as usize] = None;
        }
        let mut entry: Vec<u8> = (0..3).flat_map(|at| part(at, values[at])).collect();
        put_tid(&mut entry, access::Tid { block: row, row: 0 });
        block_on(db.engine(), tree.insert(&backend.io, &[&entry], storage::Concurrency::Auto)).unwrap();
        all.insert((entry, values));
    }
    for round in 0..300 {
        // The values that each column may have; all of the first one's are in the range.
        let mut wanted: Vec<Option<BTreeSet<Option<i32>>>> = vec![None; 3];
        let mut conditions = Vec::new();
        for at in [1, 2, 2, 0].into_iter().take(1 + round % 4) {
            if chance(3) == 0 {
                continue;
            }
            let most = if at == 2 { 300 } else { 30 };
            let values: BTreeSet<Option<i32>> = match chance(3) {
                0 => [Some(chance(most))].into(),
                1 => {
                    let null = (chance(4) == 0).then_some(None);
                    let count = chance(8);
                    (0..count).map(|_| Some(chance(most))).chain(null).collect()
                }
                _ => (chance(most)..most as i32).map(Some).collect(),
            };
            let parts: BTreeSet<Vec<u8>> = values.iter().map(|value| part(at, *value)).collect();
            let ranges = parts.into_iter().map(|part| (part.clone(), after_prefix(&part).unwrap())).collect();
            conditions.push(PartCondition { column: at, ranges });
            wanted[at] = Some(match wanted[at].take() {
                Some(before) => before.intersection(&values).copied().collect(),
                None => values,
            });
        }
        let (from, to) = (chance(40), chance(60));
        let mut range = KeyRange::new(part(0, Some(from)), (to < 50).then(|| part(0, Some(to))));
        range.filter = KeyFilter::new(&shape, conditions).map(Arc::new);
        let passes = |(entry, values): &&(Vec<u8>, [Option<i32>; 3])| {
            let within = *entry >= range.from && range.to.as_ref().is_none_or(|to| entry < to);
            within && wanted.iter().zip(values).all(|(wanted, value)| wanted.as_ref().is_none_or(|w| w.contains(value)))
        };
        let expected: Vec<Vec<u8>> = all.iter().filter(passes).map(|(entry, _)| entry.clone()).collect();
        for (backward, ahead) in [(false, false), (false, true), (true, false), (true, true)] {
            let ranges = std::slice::from_ref(&range);
            let mut found = block_on(db.engine(), read(&tree, &backend.io, ranges, backward, ahead));
            if backward {
                found.reverse();
            }
            assert_eq!(found, expected, "round {round}, backward {backward}, ahead {ahead}: {wanted:?}");
        }
    }
}
