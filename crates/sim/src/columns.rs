//! Clients that add and drop columns of tables that others read and change: no row is written, and rows have in each column
//! what they were given, or what its missing value says, after a crash too.
//!
//! An added column is an integer, whose missing value is below 0. The client that inserts or updates a row gives it the row's own value there
//! ([`value`]), so that it has one of the two ([`check`]), and never what a column had that was dropped or taken back.

use std::rc::Rc;
use std::sync::Arc;

use aio::BackendKind;
use engine::{Backend, ColumnDef, ColumnType, EngineError, Lies, MissingValue, Result, TableDef};
use error::sqlstate;
use txn::LockMode;

use crate::clients::{KEYED, Work, World};
use crate::model::Row;
use crate::table::DATABASE;

/// The columns that all tables have.
pub const OWN: usize = 3;
/// Tables with so many get no more.
const MANY: usize = 40;

/// What a row has in each column that was added after it was inserted or updated last; by position.
pub fn added(def: &TableDef) -> impl Iterator<Item = (usize, Option<i32>)> {
    let missing = |column: &ColumnDef| {
        let bytes = column.missing.as_ref().map(|missing| missing.bytes.clone());
        bytes.map(|bytes| i32::from_le_bytes(bytes.try_into().expect("an integer")))
    };
    def.live_columns().skip(OWN).map(move |(position, column)| (position, missing(column)))
}

/// What a row gets in each.
pub fn value(row: &Row) -> i32 {
    row.value
}

/// Fails where a row has something else in one of them.
pub fn check(def: &TableDef, key: i32, row: &Row, position: usize, found: Option<i32>) -> Result<()> {
    let missing = added(def).find(|(added, _)| *added == position).and_then(|(_, missing)| missing);
    if found == missing || found == Some(value(row)) {
        return Ok(());
    }
    let message =
        format!("{}: key {key} has {found:?} in column {position}, not {missing:?} or {}", def.name, value(row));
    Err(EngineError::new(sqlstate::INTERNAL_ERROR, message))
}

/// A client that alters, one transaction after the other.
pub async fn run(world: Rc<World>) {
    let backend = world.backend(BackendKind::Client);
    while !world.is_over() {
        world.pause(5000).await;
        alter(&world, &backend).await;
    }
    world.clients.set(world.clients.get() - 1);
}

async fn alter(world: &World, backend: &Arc<Backend>) {
    let random = &world.random;
    let name = [KEYED, "accounts", "history"][random.below(3) as usize];
    let commits = random.percent(60);
    let mut work = Work::begin(world, backend, false);
    let outcome = async {
        for _ in 0..1 + random.below(3) {
            change(&mut work, name).await?;
            // The pages that get other columns with it are to be as they were. (What a transaction that commits does to rows and to
            // definitions the model knows too late: its locks are given back before.)
            if name == KEYED && !commits && random.percent(60) {
                let key = random.range(0, 20) as i32;
                work.change(name, key, |row| Some(row.clone())).await?;
            }
        }
        Ok(())
    };
    let outcome = outcome.await;
    work.end(outcome, commits).await;
}

/// ADD COLUMN, DROP COLUMN, SET or DROP NOT NULL.
async fn change(work: &mut Work<'_>, name: &str) -> Result<()> {
    let table = work.open(name, LockMode::AccessExclusive).await?;
    let random = &work.world.random;
    let mut def = TableDef::clone(&table.def);
    let dropped = added(&def).map(|(position, _)| position).nth(random.below(4) as usize);
    match (random.below(5), dropped) {
        (0, _) => {
            let not_null = def.columns[0].not_null;
            def.columns[0].set_not_null(!not_null);
        }
        (1..=2, Some(position)) => {
            let by = work.t.writer().transaction.xid;
            def.columns[position].drop(position + 1, by);
        }
        _ if def.columns.len() > MANY => return Ok(()),
        _ => {
            let number = match work.world.reused_numbers {
                false => work.t.db.new_lasting_number(&work.t.backend.io).await?,
                true => engine::FIRST_USER_OID + def.columns.len() as u32,
            };
            let missing = -1 - work.world.fresh();
            let mut column = ColumnDef::new(&format!("c{number}"), ColumnType::of(types::oid::INT4));
            column.lies = Lies::Added(number);
            column.missing = work
                .world
                .random
                .percent(70)
                .then(|| MissingValue { bytes: missing.to_le_bytes().to_vec(), text: missing.to_string() });
            def.columns.push(column);
        }
    }
    work.t.alter_table(DATABASE, Some(&table.def), def);
    Ok(())
}
