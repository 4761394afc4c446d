//! How the values of the catalogs' columns are spread. PostgreSQL has statistics of its catalogs as of any table; here their rows
//! are in memory, and some of them are looked at when a plan asks.
//!
//! # Invariants
//! * What was found counts until a catalog has a tenth more or fewer rows, and 50: as autovacuum's ANALYZE has it.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use catalog::system_table::{SystemTable, system_table};
use engine::AnalyzedColumn;
use parking_lot::Mutex;
use plan::plancat::{ColumnStatistics, RelationSize};
use types::{Oid, Repr};

use crate::environment::Environment;
use crate::environment::spread::spread;

/// Rows of a catalog that PostgreSQL has on a page.
const ROWS_OF_PAGE: f64 = 40.0;
/// Rows that are looked at.
const SAMPLE: usize = 3000;
/// PostgreSQL's `default_statistics_target`.
const TARGET: u16 = 100;
/// `autovacuum_analyze_scale_factor` and `autovacuum_analyze_threshold`.
const SCALE: f64 = 0.1;
const THRESHOLD: f64 = 50.0;

/// A column of a catalog in a database.
type Column = (Oid, Oid, i16);

/// What was found, and how many rows there were.
type Found = (usize, Option<Arc<ColumnStatistics>>);

/// Bounded by the columns of the catalogs in each database that was planned in; those of one that is gone stay until [`MOST`].
static FOUND: LazyLock<Mutex<HashMap<Column, Found>>> = LazyLock::new(Mutex::default);
const MOST: usize = 10_000;

pub fn size(environment: &Environment, relation: Oid) -> Option<RelationSize> {
    let rows = system_table(relation)?.estimated_rows(environment.catalog()) as f64;
    Some(RelationSize { pages: (rows / ROWS_OF_PAGE).ceil(), rows: Some(rows), all_visible: 1.0, height: None })
}

pub fn column(environment: &Environment, relation: Oid, attribute: i16) -> Option<Arc<ColumnStatistics>> {
    let table = system_table(relation)?;
    let rows = table.estimated_rows(environment.catalog());
    let key = (environment.database.0, relation, attribute);
    let is_good = |then: usize| (then as f64 - rows as f64).abs() <= THRESHOLD + SCALE * then as f64;
    if let Some((then, found)) = FOUND.lock().get(&key)
        && is_good(*then)
    {
        return found.clone();
    }
    let found = look(environment, table, attribute, rows).map(Arc::new);
    let mut all = FOUND.lock();
    if all.len() >= MOST {
        all.clear();
    }
    all.insert(key, (rows, found.clone()));
    found
}

fn look(environment: &Environment, table: &dyn SystemTable, attribute: i16, rows: usize) -> Option<ColumnStatistics> {
    let place = usize::try_from(attribute).ok()?.checked_sub(1)?;
    let ty = table.columns().get(place)?.atttypid;
    let values = table.sample(environment.catalog(), place, SAMPLE).ok()?;
    let spread: Option<AnalyzedColumn> =
        spread(&[values], (ty, Repr::of(ty, -1)?), (rows as f64, TARGET), &environment.stored).ok()?;
    environment.read_statistics(&spread?, ty)
}
