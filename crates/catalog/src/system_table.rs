//! The catalogs as tables: what `select … from pg_catalog.pg_type` reads.
//!
//! A table shows what is here. A function that the room of types does not declare is none of PostgreSQL's for a client that
//! looks into `pg_proc`, and neither is an operator or a cast that needs it.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::ops::Bound;
use std::sync::{LazyLock, OnceLock};

use arrow_array::ArrayRef;
use types::compare::append_nullable_key;
use types::error::{Error, Result};
use types::scalar::Scalar;
use types::{ColumnBuilder, Datum, Oid, Repr, oid};

use crate::catalogs::*;
use crate::index::NameRange;
use crate::syscache::{Catalog, PG_CATALOG, Scan};

/// A relation whose rows are made here.
pub trait SystemTable: Sync {
    /// As in `pg_class`.
    fn oid(&self) -> Oid;

    fn name(&self) -> &'static str;

    /// PostgreSQL's columns, in their order.
    fn columns(&self) -> &[&'static PgAttribute];

    /// How many rows it has, more or less: of those that are built in some may not be here.
    fn estimated_rows(&self, catalog: Catalog<'_>) -> usize;

    /// A column's values in some of the rows, evenly spread: no more than these.
    fn sample(&self, catalog: Catalog<'_>, column: usize, most: usize) -> Result<ArrayRef>;

    /// The values in some columns of the rows that searches find, one search's behind the other's, until there are `most` or
    /// more. Rows that an index leads to come in the `order` of its columns. Fails with 0A000 for a column whose type has no
    /// values here.
    fn rows(
        &self,
        catalog: Catalog<'_>,
        searches: &Searches<'_>,
        most: usize,
        columns: &[usize],
        order: &[usize],
    ) -> Result<Found>;
}

/// Searches for rows that have given values in some columns, by their places.
pub struct Searches<'a> {
    pub columns: &'a [usize],
    /// For each search the values of all columns. One with a NULL finds nothing.
    pub values: &'a [Datum],
    /// How many there are.
    pub count: usize,
    /// What rows have to meet besides, whichever search finds them.
    pub conditions: &'a [Condition],
}

/// What is asked of a column of rows before anything is made of them. No row with NULL there meets it.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    pub column: usize,
    pub accepts: Accepts,
}

/// Values of the column's type, or of one that it compares with: texts for a name, any integers for an integer.
#[derive(Clone, Debug, PartialEq)]
pub enum Accepts {
    Between(Bound<Datum>, Bound<Datum>),
    OneOf(Vec<Datum>),
}

/// May a condition be asked of columns of a type here?
pub fn is_compared(ty: Oid) -> bool {
    matches!(ty, oid::BOOL | oid::CHAR | oid::NAME | oid::TEXT | oid::OID | oid::INT2 | oid::INT4 | oid::INT8)
}

impl Condition {
    fn is_met_by<R: Scan>(&self, row: &R) -> bool {
        let compare = |value: &Datum| (R::FIELDS[self.column].compare)(row, value);
        match &self.accepts {
            Accepts::OneOf(values) => values.iter().any(|value| compare(value) == Some(Ordering::Equal)),
            Accepts::Between(from, to) => {
                let is_behind = match from {
                    Bound::Unbounded => true,
                    Bound::Included(value) => compare(value).is_some_and(Ordering::is_ge),
                    Bound::Excluded(value) => compare(value).is_some_and(Ordering::is_gt),
                };
                is_behind
                    && match to {
                        Bound::Unbounded => true,
                        Bound::Included(value) => compare(value).is_some_and(Ordering::is_le),
                        Bound::Excluded(value) => compare(value).is_some_and(Ordering::is_lt),
                    }
            }
        }
    }
}

/// Between which values of a column of names rows have to be, if conditions say so.
fn name_range<'c, R: Scan>(name: &str, conditions: &'c [Condition]) -> Option<NameRange<'c>> {
    let of_name = conditions.iter().filter(|condition| R::COLUMNS[condition.column] == name);
    let mut range: NameRange<'c> = (None, None);
    for condition in of_name {
        let Accepts::Between(from, to) = &condition.accepts else { continue };
        range = (range.0.or(text_of(from)), range.1.or(text_of(to)));
    }
    (range != (None, None)).then_some(range)
}

fn text_of(bound: &Bound<Datum>) -> Option<&str> {
    match bound {
        Bound::Included(Datum::Text(text)) | Bound::Excluded(Datum::Text(text)) => Some(text),
        _ => None,
    }
}

impl<'a> Searches<'a> {
    /// One for all rows.
    pub const ALL: Searches<'static> = Searches { columns: &[], values: &[], count: 1, conditions: &[] };

    fn values(&self, search: usize) -> &'a [Datum] {
        debug_assert_eq!(self.values.len(), self.columns.len() * self.count, "a value for each column of each search");
        &self.values[search * self.columns.len()..][..self.columns.len()]
    }
}

/// What searches have found.
pub struct Found {
    pub columns: Vec<ArrayRef>,
    /// For each row the search that has found it.
    pub searches: Vec<u32>,
    /// So many searches were made.
    pub done: usize,
    /// So many rows did not meet the conditions.
    pub removed: usize,
}

/// A table of structs.
struct Table<R> {
    columns: OnceLock<(Oid, Vec<&'static PgAttribute>)>,
    rows: PhantomData<fn() -> R>,
}

impl<R: Scan> Table<R> {
    const fn new() -> Table<R> {
        Table { columns: OnceLock::new(), rows: PhantomData }
    }

    fn facts(&self) -> &(Oid, Vec<&'static PgAttribute>) {
        self.columns.get_or_init(|| relation(R::RELATION))
    }

    /// Bytes that compare as the values in columns of an index do.
    fn index_key(&self, row: &R, columns: &[usize]) -> Vec<u8> {
        let mut key = Vec::new();
        for &column in columns {
            let ty = self.facts().1[column].atttypid;
            let value = (R::FIELDS[column].datum)(row, ty);
            if let (Some(repr), Some(value)) = (Repr::of(ty, -1), value) {
                append_nullable_key(repr, Scalar::of_datum(&value), &mut key);
            }
        }
        key
    }

    fn values(&self, rows: &[&R], column: usize) -> Result<ArrayRef> {
        let attribute = self.facts().1[column];
        let unsupported = || Error::unsupported(format_args!("column {}.{}", R::RELATION, attribute.attname));
        let repr = Repr::of(attribute.atttypid, -1).ok_or_else(unsupported)?;
        let (mut values, put) = (ColumnBuilder::new(repr, rows.len()), R::FIELDS[column].put);
        for row in rows {
            put(row, attribute.atttypid, &mut values).ok_or_else(unsupported)?;
        }
        Ok(values.finish())
    }
}

impl<R: Scan + Here> Table<R> {
    /// Appends the rows that a search finds; how many did not meet the conditions.
    fn search<'a>(&self, catalog: Catalog<'a>, searches: &Searches<'_>, search: usize, rows: &mut Vec<&'a R>) -> usize {
        let (columns, values) = (searches.columns, searches.values(search));
        let wanted = || columns.iter().zip(values);
        if values.iter().any(Datum::is_null) {
            return 0;
        }
        let ty = |column: usize| self.facts().1[column].atttypid;
        let value = |name: &str| wanted().find(|(column, _)| R::COLUMNS[**column] == name).map(|(_, value)| value);
        let is_wanted = |row: &R| wanted().all(|(&column, value)| (R::FIELDS[column].is)(row, ty(column), value));
        let mut removed = 0;
        let mut add = |row: &'a R| {
            if !is_wanted(row) {
                return;
            }
            if !searches.conditions.iter().all(|condition| condition.is_met_by(row)) {
                removed += 1;
            } else if row.is_here(catalog) {
                rows.push(row);
            }
        };
        let conditions = searches.conditions;
        let range = |name: &str| name_range::<R>(name, conditions);
        match R::found_by(catalog, &value).or_else(|| R::named_between(catalog, &range)) {
            Some(found) => found.into_iter().for_each(&mut add),
            None => R::visible(catalog).for_each(&mut add),
        }
        removed
    }
}

/// A built-in relation and its columns.
fn relation(name: &str) -> (Oid, Vec<&'static PgAttribute>) {
    let catalog = Catalog::BUILT_IN;
    let mut relations = catalog.relations_named(name);
    let relation = relations.find(|row| row.relnamespace == PG_CATALOG).expect("a catalog is a relation");
    let mut columns: Vec<_> = catalog.attributes(relation.oid).filter(|column| column.attnum > 0).collect();
    columns.sort_by_key(|column| column.attnum);
    (relation.oid, columns)
}

impl<R: Scan + Here> SystemTable for Table<R> {
    fn oid(&self) -> Oid {
        self.facts().0
    }

    fn name(&self) -> &'static str {
        R::RELATION
    }

    fn columns(&self) -> &[&'static PgAttribute] {
        &self.facts().1
    }

    fn estimated_rows(&self, catalog: Catalog<'_>) -> usize {
        R::all().len() + catalog.objects.map_or(0, R::count)
    }

    fn rows(
        &self,
        catalog: Catalog<'_>,
        searches: &Searches<'_>,
        most: usize,
        columns: &[usize],
        order: &[usize],
    ) -> Result<Found> {
        let (mut rows, mut found_by): (Vec<&R>, Vec<u32>) = (Vec::new(), Vec::new());
        let (mut done, mut removed) = (0, 0);
        while done < searches.count && rows.len() < most {
            let first = rows.len();
            removed += self.search(catalog, searches, done, &mut rows);
            if !order.is_empty() && rows.len() > first + 1 {
                rows[first..].sort_by_cached_key(|row| self.index_key(row, order));
            }
            found_by.resize(rows.len(), done as u32);
            done += 1;
        }
        let columns = columns.iter().map(|&column| self.values(&rows, column)).collect::<Result<_>>()?;
        Ok(Found { columns, searches: found_by, done, removed })
    }

    fn sample(&self, catalog: Catalog<'_>, column: usize, most: usize) -> Result<ArrayRef> {
        let step = self.estimated_rows(catalog).div_ceil(most).max(1);
        let some = R::visible(catalog).step_by(step);
        self.values(&some.filter(|row| row.is_here(catalog)).collect::<Vec<&R>>(), column)
    }
}

/// Whether what a row is about is here.
trait Here {
    fn is_here(&self, _: Catalog<'_>) -> bool {
        true
    }
}

impl Here for PgProc {
    fn is_here(&self, catalog: Catalog<'_>) -> bool {
        catalog.has_function(self.oid)
    }
}

impl Here for PgAggregate {
    fn is_here(&self, catalog: Catalog<'_>) -> bool {
        catalog.has_function(self.aggfnoid)
    }
}

impl Here for PgOperator {
    fn is_here(&self, catalog: Catalog<'_>) -> bool {
        catalog.has_function(self.oprcode)
    }
}

impl Here for PgAmop {
    fn is_here(&self, catalog: Catalog<'_>) -> bool {
        catalog.operator(self.amopopr).is_some_and(|operator| operator.is_here(catalog))
    }
}

impl Here for PgAmproc {
    fn is_here(&self, catalog: Catalog<'_>) -> bool {
        catalog.has_function(self.amproc)
    }
}

impl Here for PgCast {
    fn is_here(&self, catalog: Catalog<'_>) -> bool {
        self.castfunc == oid::INVALID || catalog.has_function(self.castfunc)
    }
}

macro_rules! tables {
    ($($here:ident)* ; $($row:ident)*) => {
        $(impl Here for $row {})*

        #[allow(non_upper_case_globals)]
        mod tables {
            use super::*;
            $(pub static $here: Table<$here> = Table::new();)*
            $(pub static $row: Table<$row> = Table::new();)*
        }

        /// All of them.
        pub static SYSTEM_TABLES: &[&dyn SystemTable] = &[$(&tables::$here,)* $(&tables::$row,)*];
    };
}

tables! {
    PgProc PgAggregate PgOperator PgAmop PgAmproc PgCast;
    PgAm PgAttrdef PgAttribute PgAuthid PgAuthMembers PgClass PgCollation PgConstraint PgDatabase PgDbRoleSetting PgDefaultAcl PgDepend PgDescription PgEnum PgExtension
    PgIndex PgInitPrivs PgLanguage PgNamespace PgOpclass PgOpfamily PgParameterAcl PgPolicy PgRange PgRewrite PgSequence PgShdepend PgShdescription PgStatistic
    PgTablespace PgType
}

/// A catalog of what does not exist here: it has no rows.
struct Empty {
    relation: &'static PgClass,
    columns: Vec<&'static PgAttribute>,
}

impl SystemTable for Empty {
    fn oid(&self) -> Oid {
        self.relation.oid
    }

    fn name(&self) -> &'static str {
        &self.relation.relname
    }

    fn columns(&self) -> &[&'static PgAttribute] {
        &self.columns
    }

    fn estimated_rows(&self, _: Catalog<'_>) -> usize {
        0
    }

    fn sample(&self, catalog: Catalog<'_>, column: usize, _: usize) -> Result<ArrayRef> {
        self.rows(catalog, &Searches::ALL, 1, &[column], &[]).map(|mut found| found.columns.swap_remove(0))
    }

    fn rows(&self, _: Catalog<'_>, searches: &Searches<'_>, _: usize, columns: &[usize], _: &[usize]) -> Result<Found> {
        // Values that have no representation here are as good as any: there are none.
        let repr = |&column: &usize| Repr::of(self.columns[column].atttypid, -1).unwrap_or(Repr::Bytea);
        let columns = columns.iter().map(|column| arrow_array::new_empty_array(&repr(column).arrow())).collect();
        Ok(Found { columns, searches: Vec::new(), done: searches.count, removed: 0 })
    }
}

/// Catalogs of features that are not here.
const EMPTY: &[&str] = &[
    "pg_conversion",
    "pg_event_trigger",
    "pg_foreign_data_wrapper",
    "pg_foreign_server",
    "pg_foreign_table",
    "pg_inherits",
    "pg_largeobject",
    "pg_largeobject_metadata",
    "pg_partitioned_table",
    "pg_publication",
    "pg_publication_namespace",
    "pg_publication_rel",
    "pg_replication_origin",
    "pg_seclabel",
    "pg_shseclabel",
    "pg_statistic_ext",
    "pg_statistic_ext_data",
    "pg_subscription",
    "pg_subscription_rel",
    "pg_transform",
    "pg_trigger",
    "pg_ts_config",
    "pg_ts_config_map",
    "pg_ts_dict",
    "pg_ts_parser",
    "pg_ts_template",
    "pg_user_mapping",
];

/// The catalog of an oid.
pub fn system_table(oid: Oid) -> Option<&'static dyn SystemTable> {
    static EMPTIES: LazyLock<Vec<Empty>> = LazyLock::new(|| EMPTY.iter().map(|name| empty(name)).collect());
    static BY_OID: LazyLock<HashMap<Oid, &dyn SystemTable>> = LazyLock::new(|| {
        let known = SYSTEM_TABLES.iter().copied();
        debug_assert!(known.clone().all(|table| !EMPTY.contains(&table.name())), "what has rows is not empty");
        known.chain(EMPTIES.iter().map(|table| table as &dyn SystemTable)).map(|table| (table.oid(), table)).collect()
    });
    BY_OID.get(&oid).copied()
}

fn empty(name: &str) -> Empty {
    let (oid, columns) = relation(name);
    Empty { relation: Catalog::BUILT_IN.relation(oid).expect("it was found"), columns }
}
