//! Statements on the simulator's tables, on top of the engine: what the SQL layer does, without SQL.
//!
//! All tables have the columns `k int4 NOT NULL, v int4, note text`, and what [`crate::columns`] adds; most have a unique index on
//! `k`, some with `INCLUDE (v)`.

use std::sync::Arc;

use access::{Heap, Outcome, RowChange, Tid};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, Int32Array, RecordBatch, StringArray, new_null_array};
use catalog::PUBLIC;
use engine::{
    Backend, ColumnDef, ColumnType, Database, EngineError, IndexColumn, IndexDef, Insertion, KeyRange, Named, Result,
    Table, TableDef, TableScan, Transaction, WriteOptions,
};
use error::sqlstate;
use txn::{LockMode, LockTag, Snapshot};

use crate::columns;
use crate::definitions::{self, DEFINED, INDEXES};
use crate::model::{Row, Rows};

pub const DATABASE: u32 = 5;
/// The role that owns everything.
pub const OWNER: u32 = 10;
/// The columns that UPDATE changes.
const UPDATED: [usize; 2] = [1, 2];

pub fn options() -> WriteOptions {
    WriteOptions {
        lock_timeout: 0,
        maintenance_work_mem: 64 << 10,
        maintenance_workers: 0,
        concurrency: storage::Concurrency::Auto,
        context: Arc::default(),
        temporary: Default::default(),
    }
}

fn tag(oid: u32) -> LockTag {
    LockTag::Relation { database: DATABASE, oid }
}

/// Finds a table and locks it.
pub async fn open(t: &mut Transaction, name: &str, mode: LockMode) -> Result<Option<Arc<Table>>> {
    loop {
        let find = |t: &mut Transaction| {
            let catalog = t.catalog();
            catalog.database_by_oid(DATABASE).and_then(|d| d.table("public", name).cloned())
        };
        let Some(def) = find(t) else { return Ok(None) };
        t.lock(tag(def.oid), mode, 0).await?;
        // While this one waited it may have gone.
        match find(t) {
            Some(now) if now.oid == def.oid => return Ok(Some(t.db.table(DATABASE, &now)?)),
            _ => {}
        }
    }
}

/// `included`: what the index includes, if there is one.
pub async fn create(t: &mut Transaction, name: &str, included: Option<Vec<usize>>) -> Result<Arc<Table>> {
    let oid = t.db.new_oid();
    t.create_files(storage::RelationId { database: DATABASE, file: oid })?;
    let int4 = ColumnType::of(types::oid::INT4);
    let columns = vec![
        ColumnDef { not_null: true, ..ColumnDef::new("k", int4) },
        ColumnDef::new("v", int4),
        ColumnDef::new("note", ColumnType::of(types::oid::TEXT)),
    ];
    let made = t.alter_table(DATABASE, None, TableDef::new(oid, (PUBLIC, name), OWNER, columns));
    let table = t.db.table(DATABASE, &made)?;
    let Some(included) = included else { return Ok(table) };
    let file = t.db.new_oid();
    let key = vec![IndexColumn::of(0)];
    let index = IndexDef {
        unique: true,
        primary: true,
        constraint: true,
        made_after: t.mark(),
        included,
        ..IndexDef::new(file, &format!("{name}_pkey"), key)
    };
    table.build_index(t, &index, &options()).await?;
    let def = TableDef { indexes: vec![index], ..TableDef::clone(&made) };
    let def = t.alter_table(DATABASE, Some(&made), def);
    t.db.table(DATABASE, &def)
}

/// `early`: its files go at once, which is a planted bug.
pub async fn drop_table(t: &mut Transaction, table: &Table, early: bool) -> Result<()> {
    t.forget_relation(DATABASE, Named::Table(table.def.oid));
    for file in table.def.indexes.iter().map(|index| index.file).chain([table.def.file]) {
        let id = storage::RelationId { database: DATABASE, file };
        match early {
            true => t.db.remove_files(id).await?,
            false => t.drop_files(id),
        }
    }
    Ok(())
}

/// Puts rows into the indexes whose entries depend on what an UPDATE has changed.
async fn index_updated(t: &mut Transaction, table: &Arc<Table>, rows: &[(i32, Row)], tids: &[Tid]) -> Result<()> {
    table.index_rows(t, &batch_of(table, rows), tids, Some(&UPDATED), &options()).await
}

fn batch_of(table: &Table, rows: &[(i32, Row)]) -> RecordBatch {
    let keys: ArrayRef = Arc::new(Int32Array::from_iter_values(rows.iter().map(|r| r.0)));
    let values: ArrayRef = Arc::new(Int32Array::from_iter_values(rows.iter().map(|r| r.1.value)));
    let notes: ArrayRef = Arc::new(StringArray::from_iter(rows.iter().map(|r| r.1.note.as_deref())));
    let added = |column: &ColumnDef| -> ArrayRef {
        match column.dropped {
            true => new_null_array(&column.repr().expect("an integer").arrow(), rows.len()),
            false => Arc::new(Int32Array::from_iter_values(rows.iter().map(|r| columns::value(&r.1)))),
        }
    };
    let added = table.def.columns[columns::OWN..].iter().map(added);
    let all = [keys, values, notes].into_iter().chain(added).collect();
    RecordBatch::try_new(table.schema.clone(), all).expect("the table's columns")
}

/// INSERT.
pub async fn insert(t: &mut Transaction, table: &Arc<Table>, rows: &[(i32, Row)]) -> Result<()> {
    t.next_command();
    let mut insertion = Insertion::new(table, options()).in_bulk_from(1000);
    insertion.add(t, batch_of(table, rows)).await?;
    insertion.finish(t).await.map(drop)
}

fn rows_of(table: &Table, batch: &RecordBatch, out: &mut Vec<(Tid, i32, Row)>) -> Result<()> {
    let keys = batch.column(0).as_primitive::<Int32Type>();
    let values = batch.column(1).as_primitive::<Int32Type>();
    let notes = batch.column(2).as_string::<i32>();
    let tids = batch.column(3).as_primitive::<Int64Type>();
    for row in 0..batch.num_rows() {
        let note = notes.is_valid(row).then(|| notes.value(row).into());
        let read = Row { value: values.value(row), note };
        for (at, (position, _)) in columns::added(&table.def).enumerate() {
            let column = batch.column(columns::OWN + 1 + at).as_primitive::<Int32Type>();
            let found = column.is_valid(row).then(|| column.value(row));
            columns::check(&table.def, keys.value(row), &read, position, found)?;
        }
        out.push((Tid::unpack(tids.value(row)), keys.value(row), read));
    }
    Ok(())
}

/// What an updated row gets in columns that were added.
fn with_added<'a>(table: &Table, value: &'a Option<[u8; 4]>) -> impl Iterator<Item = (usize, Option<&'a [u8]>)> {
    let positions = columns::added(&table.def).map(|(position, _)| position);
    positions.filter_map(move |position| Some((position, Some(&value.as_ref()?[..]))))
}

fn scan_of(table: &Arc<Table>, snapshot: Snapshot) -> Arc<TableScan> {
    let tid = table.def.columns.len();
    let added = columns::added(&table.def).map(|(position, _)| position);
    Arc::new(TableScan::new(table, snapshot, [0, 1, 2, tid].into_iter().chain(added).collect()))
}

async fn scan(backend: &Backend, table: &Arc<Table>, snapshot: Snapshot) -> Result<Vec<(Tid, i32, Row)>> {
    let scan = scan_of(table, snapshot);
    let mut part = scan.participant(&backend.io, storage::Concurrency::Auto, 1);
    let mut found = Vec::new();
    while let Some(batch) = part.next().await? {
        rows_of(table, &batch, &mut found)?;
    }
    Ok(found)
}

/// UPDATE (to this) or DELETE (`None`) of the rows of a table that `is_chosen` picks by their keys; no other client changes
/// it. Gives what was there before, of all rows.
pub async fn change_many(
    t: &mut Transaction,
    backend: &Backend,
    table: &Arc<Table>,
    is_chosen: impl Fn(i32) -> bool,
    new: Option<&Row>,
) -> Result<Rows> {
    t.next_command();
    let snapshot = t.snapshot();
    let mut found = scan(backend, table, snapshot.clone()).await?;
    found.sort_unstable_by_key(|(tid, ..)| *tid);
    let heap: Heap = table.heap().clone();
    let value = new.map(|new| new.value.to_le_bytes());
    let added = new.map(|new| columns::value(new).to_le_bytes());
    let values = value.iter().zip(new).flat_map(|(value, new)| [(1, Some(&value[..])), (2, new.note_bytes())]);
    let values: Vec<(usize, Option<&[u8]>)> = values.chain(with_added(table, &added)).collect();
    let change = match new {
        Some(_) => RowChange::Update { values: &values, key: false, indexed: table.is_indexed_by(&UPDATED) },
        None => RowChange::Delete,
    };
    for rows in found.chunk_by(|a, b| a.0.block == b.0.block) {
        let chosen = rows.iter().filter(|(_, key, _)| is_chosen(*key));
        let changes: Vec<(u16, RowChange<'_>)> = chosen.map(|(tid, ..)| (tid.row, change)).collect();
        let outcomes = heap.change(t.writer(), &snapshot, rows[0].0.block, &changes).await?;
        if let Some(outcome) = outcomes.iter().find(|outcome| !matches!(outcome, Some(Outcome::Done))) {
            return Err(EngineError::new(
                sqlstate::INTERNAL_ERROR,
                format!("a row that no other client changes is {outcome:?}"),
            ));
        }
    }
    if let Some(new) = new {
        let chosen = found.iter().filter(|(_, key, _)| is_chosen(*key));
        let (tids, rows): (Vec<_>, Vec<_>) = chosen.map(|(tid, key, _)| (*tid, (*key, new.clone()))).unzip();
        index_updated(t, table, &rows, &tids).await?;
    }
    Ok(found.into_iter().map(|(_, key, row)| (key, row)).collect())
}

/// SELECT of everything.
pub async fn select_all(backend: &Backend, table: &Arc<Table>, snapshot: Snapshot) -> Result<Rows> {
    let mut found = scan(backend, table, snapshot).await?;
    found.sort_unstable_by_key(|(tid, key, _)| (*key, *tid));
    if let Some(pair) = found.windows(2).find(|pair| pair[0].1 == pair[1].1) {
        let ((first, key, _), (second, ..)) = (&pair[0], &pair[1]);
        let heap = table.heap();
        let (a, b) = (heap.newest(&backend.io, *first).await?, heap.newest(&backend.io, *second).await?);
        let versions = format!("{:?} and {:?}", a.map(|a| a.version), b.map(|b| b.version));
        return Err(EngineError::new(
            sqlstate::INTERNAL_ERROR,
            format!("a scan finds key {key} twice, at {first} and {second}: {versions}"),
        ));
    }
    Ok(found.into_iter().map(|(_, key, row)| (key, row)).collect())
}

/// SELECT of everything through the index, in its order or the opposite, in ranges that end before each of these keys, which
/// are in order, and behind the last of them.
pub async fn select_ranges(
    backend: &Backend,
    table: &Arc<Table>,
    snapshot: Snapshot,
    cuts: &[i32],
    backward: bool,
) -> Result<Rows> {
    let mut ranges = vec![KeyRange::new(Vec::new(), None)];
    for cut in cuts {
        let mut key = Vec::new();
        table.indexes[0].keys.shape.columns[0].encode(&mut key, Some(&cut.to_le_bytes()));
        ranges.last_mut().expect("there is one").to = Some(key.clone());
        ranges.push(KeyRange::new(key, None));
    }
    let mut through = scan_of(table, snapshot).through_ranges(&backend.io, 0, ranges, backward);
    let mut found = Vec::new();
    while let Some(batch) = through.next().await? {
        rows_of(table, &table.heap().detoast_batch(&backend.io, batch).await?, &mut found)?;
    }
    let in_order = |pair: &[(Tid, i32, Row)]| if backward { pair[0].1 > pair[1].1 } else { pair[0].1 < pair[1].1 };
    if let Some(pair) = found.windows(2).find(|pair| !in_order(pair)) {
        let message = format!("through the index key {} comes before {}, backward {backward}", pair[0].1, pair[1].1);
        return Err(EngineError::new(sqlstate::INTERNAL_ERROR, message));
    }
    Ok(found.into_iter().map(|(_, key, row)| (key, row)).collect())
}

/// SELECT of what the index has of everything, from the index alone where all snapshots see the rows: keys, and values if
/// it includes them.
pub async fn select_covered(
    backend: &Backend,
    table: &Arc<Table>,
    snapshot: Snapshot,
    backward: bool,
) -> Result<Vec<(i32, Option<i32>)>> {
    let includes = table.indexes[0].def.included.contains(&1);
    let scan = Arc::new(TableScan::new(table, snapshot, if includes { Arc::new([1, 0]) } else { Arc::new([0]) }));
    let all = vec![KeyRange::new(Vec::new(), None)];
    let mut through = scan.through_ranges(&backend.io, 0, all, backward).index_only();
    let mut found = Vec::new();
    while let Some(batch) = through.next().await? {
        let batch = table.heap().detoast_batch(&backend.io, batch).await?;
        let column = |at: usize| batch.column(at).as_primitive::<Int32Type>().values();
        let keys = column(usize::from(includes)).iter().copied();
        found.extend(keys.enumerate().map(|(row, key)| (key, includes.then(|| column(0)[row]))));
    }
    if backward {
        found.reverse();
    }
    Ok(found)
}

/// Has an index these rows, as far as it has their columns?
pub fn is_covered(found: &[(i32, Option<i32>)], rows: &Rows) -> bool {
    let same = |((key, value), (own, row)): (&(i32, Option<i32>), (&i32, &Row))| {
        key == own && value.is_none_or(|value| value == row.value)
    };
    found.len() == rows.len() && found.iter().zip(rows).all(same)
}

/// SELECT of everything through a bitmap, which has so much memory.
pub async fn select_bitmap(backend: &Backend, table: &Arc<Table>, snapshot: Snapshot, bytes: usize) -> Result<Rows> {
    let (scan, io) = (scan_of(table, snapshot), &backend.io);
    let concurrency = storage::Concurrency::Auto;
    let ranges = vec![KeyRange::new(Vec::new(), None)];
    let (bitmap, _) = scan.bitmap(io, 0, ranges, concurrency, bytes).await?;
    let mut through = scan.through_bitmap(io, concurrency, &bitmap.into(), 1);
    let mut found = Vec::new();
    while let Some(batch) = through.next(usize::MAX).await? {
        rows_of(table, &table.heap().detoast_batch(&backend.io, batch).await?, &mut found)?;
    }
    if let Some(pair) = found.windows(2).find(|pair| pair[0].0 >= pair[1].0) {
        return Err(EngineError::new(
            sqlstate::INTERNAL_ERROR,
            format!("a bitmap gives {} before {}", pair[0].0, pair[1].0),
        ));
    }
    Ok(found.into_iter().map(|(_, key, row)| (key, row)).collect())
}

/// SELECT by key, through the index.
pub async fn select_key(
    backend: &Backend,
    table: &Arc<Table>,
    snapshot: Snapshot,
    key: i32,
) -> Result<Option<(Tid, Row)>> {
    let mut from = Vec::new();
    table.indexes[0].keys.shape.columns[0].encode(&mut from, Some(&key.to_le_bytes()));
    let mut to = Vec::new();
    if key < i32::MAX {
        table.indexes[0].keys.shape.columns[0].encode(&mut to, Some(&(key + 1).to_le_bytes()));
    }
    let range = KeyRange::new(from, (key < i32::MAX).then_some(to));
    let mut through = scan_of(table, snapshot).through_ranges(&backend.io, 0, vec![range], false);
    let mut found = Vec::new();
    while let Some(batch) = through.next().await? {
        rows_of(table, &table.heap().detoast_batch(&backend.io, batch).await?, &mut found)?;
    }
    found.retain(|(_, k, _)| *k == key);
    match found.len() {
        0 => Ok(None),
        1 => Ok(found.pop().map(|(tid, _, row)| (tid, row))),
        _ => Err(EngineError::new(sqlstate::INTERNAL_ERROR, format!("the index has key {key} {} times", found.len()))),
    }
}

/// UPDATE or DELETE (`None`) of the row with a key, whose new content depends on the one it finds. Gives what it found and
/// what it made of it.
pub async fn change_key(
    t: &mut Transaction,
    backend: &Backend,
    table: &Arc<Table>,
    key: i32,
    change: impl Fn(&Row) -> Option<Row>,
) -> Result<Option<(Row, Option<Row>)>> {
    t.next_command();
    let mut snapshot = t.snapshot();
    let Some((tid, mut row)) = select_key(backend, table, snapshot.clone(), key).await? else { return Ok(None) };
    let heap: Heap = table.heap().clone();
    let conflict =
        || EngineError::new(sqlstate::T_R_SERIALIZATION_FAILURE, "could not serialize access due to concurrent update");
    loop {
        let new = change(&row);
        let values = new.as_ref().map(|new| (new.value.to_le_bytes(), new.note_bytes()));
        let added = new.as_ref().map(|new| columns::value(new).to_le_bytes());
        let own = values.iter().flat_map(|(value, note)| [(1, Some(&value[..])), (2, *note)]);
        let columns: Vec<(usize, Option<&[u8]>)> = own.chain(with_added(table, &added)).collect();
        let what = match new {
            Some(_) => RowChange::Update { values: &columns, key: false, indexed: table.is_indexed_by(&UPDATED) },
            None => RowChange::Delete,
        };
        let outcomes = heap.change(t.writer(), &snapshot, tid.block, &[(tid.row, what)]).await?;
        match outcomes[0].expect("the first is tried") {
            Outcome::Done => {
                if let Some(new) = &new {
                    index_updated(t, table, &[(key, new.clone())], &[tid]).await?;
                }
                return Ok(Some((row, new)));
            }
            Outcome::Busy(holder) => t.wait_for(holder, 0).await?,
            Outcome::Locked { .. } => {
                let mode = what.lock_mode();
                t.lock(heap.row_tag(tid), mode, 0).await?;
            }
            Outcome::Changed | Outcome::Gone if t.is_repeatable() => return Err(conflict()),
            Outcome::Gone => return Ok(None),
            Outcome::Changed => {}
            Outcome::Mine => return Err(EngineError::new(sqlstate::INTERNAL_ERROR, "a command met its own change")),
        }
        // READ COMMITTED: what is the row now?
        snapshot = t.snapshot();
        let Some(now) = heap.fetch(&backend.io, tid, &snapshot).await? else { return Ok(None) };
        row = Row {
            value: i32::from_le_bytes(now[1].as_deref().unwrap_or(&[0; 4]).try_into().expect("4 bytes")),
            note: now[2].as_ref().map(|note| String::from_utf8_lossy(note).into()),
        };
    }
}

/// SELECT … FOR UPDATE by key.
pub async fn lock_key(t: &mut Transaction, backend: &Backend, table: &Arc<Table>, key: i32) -> Result<bool> {
    t.next_command();
    let mut snapshot = t.snapshot();
    let Some((tid, _)) = select_key(backend, table, snapshot.clone(), key).await? else { return Ok(false) };
    let heap: Heap = table.heap().clone();
    let mode = LockMode::Exclusive;
    loop {
        t.writer();
        let outcome = heap.lock_row(t.writer(), &snapshot, tid, mode).await?;
        match outcome.map_err(|e| t.db.lock_error(e))? {
            Outcome::Done | Outcome::Mine => return Ok(true),
            Outcome::Busy(holder) => t.wait_for(holder, 0).await?,
            // It is kept: two clients that gave it back before they tried again would pass it to each other for ever.
            Outcome::Locked { .. } => t.lock(heap.row_tag(tid), mode, 0).await?,
            Outcome::Changed | Outcome::Gone if t.is_repeatable() => {
                return Err(EngineError::new(
                    sqlstate::T_R_SERIALIZATION_FAILURE,
                    "could not serialize access due to concurrent update",
                ));
            }
            Outcome::Gone => return Ok(false),
            Outcome::Changed => {}
        }
        snapshot = t.snapshot();
    }
}

/// All tables with all they hold.
pub async fn everything(db: &Database, backend: &Backend) -> Result<std::collections::BTreeMap<String, Rows>> {
    let catalog = db.catalog();
    let tables = catalog.database_by_oid(DATABASE).expect("the database is there").tables();
    let mut all = std::collections::BTreeMap::new();
    for def in tables {
        let table = db.table(DATABASE, def)?;
        let rows = select_all(backend, &table, db.snapshot()).await?;
        if !table.indexes.is_empty() {
            let covered = select_covered(backend, &table, db.snapshot(), false).await?;
            if !is_covered(&covered, &rows) {
                let (have, rows) = (covered.len(), rows.len());
                let message = format!("table {}: the index alone has {have} of {rows} rows, or others", def.name);
                return Err(EngineError::new(sqlstate::INTERNAL_ERROR, message));
            }
            for (key, row) in &rows {
                let through = select_key(backend, &table, db.snapshot(), *key).await?;
                if through.as_ref().map(|(_, row)| row) != Some(row) {
                    let message = format!("table {}: the index does not lead to key {key}", def.name);
                    return Err(EngineError::new(sqlstate::INTERNAL_ERROR, message));
                }
            }
        }
        all.insert(def.name.clone(), rows);
        if def.name == DEFINED {
            all.insert(INDEXES.into(), definitions::rows_of(def));
        }
    }
    Ok(all)
}

/// Every long value has its chunks, and there are no others.
pub async fn check_chunks(db: &Database, backend: &Backend) -> Result<()> {
    let catalog = db.catalog();
    for def in catalog.database_by_oid(DATABASE).expect("the database is there").tables() {
        let table = db.table(DATABASE, def)?;
        let (led_to, there) = access::toast::check::count_chunks(table.heap(), &backend.io, &db.snapshot()).await?;
        if led_to != there {
            let message = format!("the rows of {} lead to {led_to} chunks of long values, there are {there}", def.name);
            return Err(EngineError::new(sqlstate::INTERNAL_ERROR, message));
        }
    }
    Ok(())
}
