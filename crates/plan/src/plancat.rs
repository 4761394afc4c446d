//! What the planner asks about a table: its size, its indexes, and how the values of its columns are spread (PostgreSQL's
//! `plancat.c`, and `pg_statistic`). A catalog that knows less than that answers `None`, and PostgreSQL's defaults are taken.

use std::sync::Arc;

use access::index::Method;
use analyze::query::Expr;
use analyze::relations::Relations;
use catalog::Catalog;
use catalog::catalogs::{PgAttribute, PgIndex};
use types::{Datum, Oid, Result, oid};

/// Bytes of a page, and of what it has beside rows (`BLCKSZ`, `SizeOfPageHeaderData`).
const PAGE: f64 = 8192.0;
const PAGE_HEADER: f64 = 24.0;
/// Bytes of a row beside its values, with its place in the page.
const ROW_HEADER: f64 = 24.0;
const LINE_POINTER: f64 = 4.0;
/// A table that was never looked at has at least so many pages: it will grow.
const FEWEST_PAGES: f64 = 10.0;
/// Rows of an index page: more than of a table's, as its rows are narrower.
const INDEX_FILL: f64 = 0.9;

/// What is known of the rows of tables. Numbers are estimates of how things are now.
pub trait Statistics {
    /// Of a table, or of an index.
    fn relation(&self, relation: Oid) -> Option<RelationSize>;

    /// Of a column of a table, or of an index's expression.
    fn column(&self, relation: Oid, attribute: i16) -> Option<Arc<ColumnStatistics>>;

    /// May plans have an index? Not one that is younger than what the statement sees (`indcheckxmin`).
    fn is_usable(&self, _index: Oid) -> bool {
        true
    }

    /// What a page of a table or an index costs, where that is another than the settings say (`get_tablespace_page_costs`).
    fn page_costs(&self, _relation: Oid, settings: PageCosts) -> PageCosts {
        settings
    }
}

/// What reading a page costs, behind the one before it and anywhere.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PageCosts {
    pub sequential: f64,
    pub random: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RelationSize {
    pub pages: f64,
    /// `None`: never counted.
    pub rows: Option<f64>,
    /// The part of the pages whose rows all can see, 0 to 1.
    pub all_visible: f64,
    /// Levels of a tree below its root.
    pub height: Option<u32>,
}

/// How a column's values are spread: a row of `pg_statistic`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColumnStatistics {
    /// The part of the rows that have NULL, 0 to 1.
    pub null_fraction: f64,
    /// Bytes.
    pub average_width: i32,
    /// How many different values: their number, or below 0 the part of the rows (-1: all are different); 0: unknown.
    pub distinct: f64,
    /// The most common values, each with its part of all rows, most common first.
    pub most_common: Vec<(Datum, f64)>,
    /// Values that divide the rest into parts with equally many rows, in order.
    pub histogram: Vec<Datum>,
    /// How much the rows' order is the values' order, -1 to 1.
    pub correlation: Option<f64>,
}

/// Knows nothing.
pub struct NoStatistics;

impl Statistics for NoStatistics {
    fn relation(&self, _: Oid) -> Option<RelationSize> {
        None
    }

    fn column(&self, _: Oid, _: i16) -> Option<Arc<ColumnStatistics>> {
        None
    }
}

/// A table as the planner sees it.
#[derive(Clone, Debug, Default)]
pub struct RelationInfo {
    pub pages: f64,
    pub rows: f64,
    pub all_visible: f64,
    /// Last made first.
    pub indexes: Vec<Arc<IndexInfo>>,
    /// Columns, by number from 1.
    pub not_null: Vec<bool>,
}

/// An index as the planner sees it.
#[derive(Clone, Debug)]
pub struct IndexInfo {
    pub oid: Oid,
    pub table: Oid,
    pub method: Method,
    pub pages: f64,
    pub rows: f64,
    /// Levels of its tree below the root.
    pub height: u32,
    pub unique: bool,
    /// Uniqueness is checked with each row, not at the end.
    pub immediate: bool,
    pub nulls_not_distinct: bool,
    /// The key's.
    pub columns: Vec<IndexColumn>,
    /// Columns behind the key's (INCLUDE).
    pub included: Vec<i16>,
    /// Only rows for which this holds are in it.
    pub predicate: Option<Expr>,
}

#[derive(Clone, Debug)]
pub struct IndexColumn {
    /// The table's column; 0: an expression.
    pub attribute: i16,
    /// Over entry 1; of a column none.
    pub expr: Option<Expr>,
    /// Entries have all of its values, so that the table need not be looked at for them.
    pub whole: bool,
    pub family: Oid,
    /// The type that the operator class is for.
    pub class_type: Oid,
    pub collation: Oid,
    pub descending: bool,
    pub nulls_first: bool,
}

/// `indoption`.
const DESCENDING: i16 = 1;
const NULLS_FIRST: i16 = 2;

/// A table and its indexes (`get_relation_info`).
pub fn relation_info(
    catalog: Catalog<'_>,
    statistics: &dyn Statistics,
    relations: &dyn Relations,
    table: Oid,
) -> Result<RelationInfo> {
    let mut columns: Vec<&PgAttribute> = catalog.attributes(table).filter(|row| row.attnum > 0).collect();
    columns.sort_unstable_by_key(|row| row.attnum);
    let not_null = columns.iter().map(|row| row.attnotnull).collect();
    let size = relation_size(catalog, statistics, table, &columns);
    let mut info = RelationInfo { pages: size.0, rows: size.1, all_visible: size.2, indexes: Vec::new(), not_null };
    for row in catalog.indexes_of_relation(table).filter(|row| row.indisvalid && row.indislive) {
        if !statistics.is_usable(row.indexrelid) {
            continue;
        }
        if let Some(index) = index_info(catalog, statistics, relations, row, (&info, &columns))? {
            info.indexes.push(Arc::new(index));
        }
    }
    info.indexes.sort_unstable_by_key(|index| std::cmp::Reverse(index.oid));
    Ok(info)
}

/// Pages, rows, and the part that is visible to all (`estimate_rel_size`).
fn relation_size(
    catalog: Catalog<'_>,
    statistics: &dyn Statistics,
    table: Oid,
    columns: &[&PgAttribute],
) -> (f64, f64, f64) {
    let known = statistics.relation(table);
    let pages = match known {
        Some(RelationSize { pages, rows: Some(_), .. }) => pages,
        Some(size) => size.pages.max(FEWEST_PAGES),
        None => FEWEST_PAGES,
    };
    let rows = known.and_then(|size| size.rows).unwrap_or_else(|| {
        let width = |row: &&&PgAttribute| !row.attisdropped;
        let width: i32 = columns.iter().filter(width).map(|row| column_width(catalog, statistics, table, row)).sum();
        let row = f64::from((width + 7) & !7) + ROW_HEADER + LINE_POINTER;
        (pages * ((PAGE - PAGE_HEADER) / row).floor()).round()
    });
    (pages, rows, known.map_or(0.0, |size| size.all_visible))
}

fn column_width(catalog: Catalog<'_>, statistics: &dyn Statistics, table: Oid, row: &PgAttribute) -> i32 {
    let known = statistics.column(table, row.attnum).map(|column| column.average_width);
    known.filter(|width| *width > 0).unwrap_or_else(|| type_width(catalog, row.atttypid, row.atttypmod))
}

/// How many bytes a value has where ANALYZE has not counted (`get_typavgwidth`).
pub fn type_width(catalog: Catalog<'_>, ty: Oid, typmod: i32) -> i32 {
    let length = catalog.pg_type(ty).map_or(-1, |row| row.typlen);
    if length > 0 {
        return i32::from(length);
    }
    let most = match ty {
        oid::BPCHAR if typmod > 4 => return typmod,
        oid::VARCHAR if typmod > 4 => typmod,
        // A digit takes half a byte.
        oid::NUMERIC if typmod > 4 => return ((((typmod - 4) >> 16) & 0xffff) + 7) / 4 * 2 + 8,
        _ => return 32,
    };
    match most {
        ..=32 => most,
        33..1000 => 32 + (most - 32) / 2,
        _ => 32 + (1000 - 32) / 2,
    }
}

fn index_info(
    catalog: Catalog<'_>,
    statistics: &dyn Statistics,
    relations: &dyn Relations,
    row: &PgIndex,
    (table, table_columns): (&RelationInfo, &[&PgAttribute]),
) -> Result<Option<IndexInfo>> {
    let (mut exprs, predicate) = match (&row.indexprs, &row.indpred) {
        (None, None) => (Vec::new(), None),
        _ => {
            let found = relations.index_expressions(row.indexrelid)?;
            (found.keys.clone(), found.predicate.clone())
        }
    };
    exprs.reverse();
    let keys = row.indnkeyatts as usize;
    let mut columns = Vec::with_capacity(keys);
    for (position, &attribute) in row.indkey.iter().take(keys).enumerate() {
        let Some(class) = row.indclass.get(position).and_then(|&class| catalog.opclass(class)) else { return Ok(None) };
        let option = row.indoption.get(position).copied().unwrap_or(0);
        columns.push(IndexColumn {
            attribute,
            expr: if attribute == 0 { exprs.pop() } else { None },
            whole: table_columns
                .iter()
                .find(|column| column.attnum == attribute)
                .is_some_and(|column| types::compare::key_is_whole(column.atttypid, column.atttypmod)),
            family: class.opcfamily,
            class_type: class.opcintype,
            collation: row.indcollation.get(position).copied().unwrap_or(oid::INVALID),
            descending: option & DESCENDING != 0,
            nulls_first: option & NULLS_FIRST != 0,
        });
    }
    let method = catalog.relation(row.indexrelid).map_or(Some(Method::DEFAULT), |relation| Method::of(relation.relam));
    // An index of a method that is not here cannot be read.
    let Some(method) = method else { return Ok(None) };
    let known = statistics.relation(row.indexrelid);
    let rows = known.and_then(|size| size.rows).unwrap_or(table.rows);
    let rows = if predicate.is_some() { rows } else { table.rows };
    // An entry has some 16 bytes where ANALYZE has not counted.
    let guessed = (rows * 16.0 / ((PAGE - PAGE_HEADER) * INDEX_FILL)).ceil() + 1.0;
    let pages = known.map_or(guessed, |size| size.pages);
    let height = known.and_then(|size| size.height).unwrap_or_else(|| {
        // Some 256 entries point from a page to those below.
        (0..).find(|level| 256f64.powi(*level) >= pages).unwrap_or(0) as u32
    });
    Ok(Some(IndexInfo {
        oid: row.indexrelid,
        table: row.indrelid,
        method,
        pages,
        rows,
        height,
        unique: row.indisunique,
        immediate: row.indimmediate,
        nulls_not_distinct: row.indnullsnotdistinct,
        columns,
        included: row.indkey.iter().skip(keys).copied().collect(),
        predicate,
    }))
}
