//! Clients that define on one table at the same time: each index that a client was told of is there, with what it is
//! called, after a crash too, and so is the last comment.
//!
//! In the model the table's indexes are rows of a table of their own, by their oids; row 0 is the comment.

use std::rc::Rc;
use std::sync::Arc;

use aio::BackendKind;
use engine::{Backend, IndexColumn, IndexDef, Result, Table, TableDef};
use storage::RelationId;
use txn::LockMode;

use crate::clients::{Work, World};
use crate::model::{Row, Rows, with_own};
use crate::table::{self, DATABASE};

/// The table.
pub const DEFINED: &str = "defined";
/// What the model calls its indexes.
pub const INDEXES: &str = "indexes of defined";
/// From so many on some are dropped.
const MANY: usize = 5;

/// The definition of a table as the model has it.
pub fn rows_of(def: &TableDef) -> Rows {
    let said = def.columns[0].options.first().and_then(|(_, text)| text.parse().ok());
    let comment = said.map(|value| (0, row(value)));
    def.indexes.iter().map(|index| (index.oid as i32, row(index.pages as i32))).chain(comment).collect()
}

fn row(value: i32) -> Row {
    Row { value, note: None }
}

/// A client that defines, one transaction after the other.
pub async fn run(world: Rc<World>) {
    let backend = world.backend(BackendKind::Client);
    while !world.is_over() {
        world.pause(3000).await;
        define(&world, &backend).await;
    }
    world.clients.set(world.clients.get() - 1);
}

async fn define(world: &World, backend: &Arc<Backend>) {
    let random = &world.random;
    let mut work = Work::begin(world, backend, false);
    let outcome = async {
        let many = world.model.borrow().rows(INDEXES).len() > MANY;
        match random.below(10) {
            0..=2 if many => drop_index(&mut work).await,
            0..=6 => create_index(&mut work).await,
            _ => comment(&mut work).await,
        }
    };
    let outcome = outcome.await;
    work.end(outcome, random.percent(80)).await;
}

/// CREATE INDEX: several sessions at once.
async fn create_index(work: &mut Work<'_>) -> Result<()> {
    let table = work.open(DEFINED, LockMode::Share).await?;
    let oid = work.t.db.new_oid();
    let name = format!("i{oid}");
    let made_after = work.t.mark();
    let mut index = IndexDef { made_after, ..IndexDef::new(oid, &name, vec![IndexColumn::of(0)]) };
    index.pages = table.build_index(&mut work.t, &index, &table::options()).await?;
    work.world.pause(2000).await;
    let pages = index.pages as i32;
    let mut def = TableDef::clone(&table.def);
    def.indexes.push(index);
    put(work, &table, def);
    work.own.insert((INDEXES.into(), oid as i32), Some(row(pages)));
    // What others have made meanwhile stays while this one's end is on its way.
    work.world.pause(500).await;
    check(work)
}

/// DROP INDEX, which keeps all others away.
async fn drop_index(work: &mut Work<'_>) -> Result<()> {
    let table = work.open(DEFINED, LockMode::AccessExclusive).await?;
    let mut def = TableDef::clone(&table.def);
    if def.indexes.is_empty() {
        return Ok(());
    }
    let index = def.indexes.remove(work.world.random.below(def.indexes.len() as u64) as usize);
    work.t.drop_files(RelationId { database: DATABASE, file: index.file });
    put(work, &table, def);
    work.own.insert((INDEXES.into(), index.oid as i32), None);
    Ok(())
}

/// COMMENT, of which there is one at a time, beside CREATE INDEX. (Its lock conflicts with SHARE in PostgreSQL; what else gets on
/// with a weaker one is like it.)
async fn comment(work: &mut Work<'_>) -> Result<()> {
    let table = work.open(DEFINED, LockMode::AccessShare).await?;
    let tag = txn::LockTag::Advisory { database: DATABASE, key: 1, pair: false };
    work.t.lock(tag, LockMode::Exclusive, 0).await?;
    work.world.pause(1000).await;
    let value = work.world.fresh();
    let mut def = TableDef::clone(&table.def);
    def.columns[0].options = vec![("n_distinct".into(), value.to_string())];
    put(work, &table, def);
    work.own.insert((INDEXES.into(), 0), Some(row(value)));
    Ok(())
}

fn put(work: &mut Work<'_>, table: &Table, def: TableDef) {
    match work.world.stale_definitions {
        false => drop(work.t.alter_table(DATABASE, Some(&table.def), def)),
        // As if it had been made from what others have changed since.
        true => {
            let catalog = work.t.db.catalog();
            let now = catalog.database_by_oid(DATABASE).and_then(|database| database.table_by_oid(def.oid));
            work.t.alter_table(DATABASE, now.map(|now| &**now), def);
        }
    }
}

/// The transaction sees what was acknowledged, and what it did itself.
fn check(work: &mut Work<'_>) -> Result<()> {
    let catalog = work.t.catalog();
    let def = catalog.database_by_oid(DATABASE).and_then(|database| database.table("public", DEFINED));
    let Some(def) = def else { return Ok(()) };
    let (found, visible) = (rows_of(def), work.visible(INDEXES));
    let expected = with_own(&visible, INDEXES, &work.own);
    let is_lost =
        |oid: &i32| *oid != 0 && !found.contains_key(oid) && !work.world.model.borrow().is_in_doubt(INDEXES, *oid);
    if let Some(missing) = expected.into_keys().find(is_lost) {
        work.world.object(format!("index {missing} was acknowledged, and a transaction does not see it"));
    }
    Ok(())
}
