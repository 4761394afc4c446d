//! The catalogs as tables: what `select … from pg_catalog.pg_type` reads.
//!
//! A table shows what is here. A function that the room of types does not declare is none of PostgreSQL's for whoever looks
//! into `pg_proc`, and neither is an operator or a cast that needs it.

use std::marker::PhantomData;
use std::sync::OnceLock;

use arrow_array::ArrayRef;
use types::error::{Error, Result};
use types::{ColumnBuilder, Datum, Oid, Repr, oid};

use crate::catalogs::*;
use crate::syscache::{Catalog, PG_CATALOG, Scan};

/// A relation whose rows are made here.
pub trait SystemTable: Sync {
    /// As in `pg_class`.
    fn oid(&self) -> Oid;

    fn name(&self) -> &'static str;

    /// PostgreSQL's columns, in their order.
    fn columns(&self) -> &[&'static PgAttribute];

    /// The values in some columns of the rows that meet all conditions: a column (by its place) is equal to a value that is
    /// not NULL. Fails with 0A000 for a column of arrays.
    fn rows(&self, catalog: Catalog<'_>, conditions: &[(usize, Datum)], columns: &[usize]) -> Result<Vec<ArrayRef>>;
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
        self.columns.get_or_init(|| {
            let catalog = Catalog::BUILT_IN;
            let mut relations = catalog.relations_named(R::RELATION);
            let relation = relations.find(|row| row.relnamespace == PG_CATALOG).expect("a catalog is a relation");
            let mut columns: Vec<_> = catalog.attributes(relation.oid).filter(|column| column.attnum > 0).collect();
            columns.sort_by_key(|column| column.attnum);
            (relation.oid, columns)
        })
    }
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

    fn rows(&self, catalog: Catalog<'_>, conditions: &[(usize, Datum)], columns: &[usize]) -> Result<Vec<ArrayRef>> {
        let meets = |row: &&R| {
            conditions.iter().all(|(column, value)| (R::FIELDS[*column].is)(row, value)) && row.is_here(catalog)
        };
        let of_users = catalog.objects.map_or(&[][..], R::of_users);
        let rows: Vec<&R> = R::all().iter().chain(of_users).filter(meets).collect();
        let column = |&column: &usize| {
            let ty = self.columns()[column].atttypid;
            let unsupported =
                || Error::unsupported(format_args!("column {}.{}", R::RELATION, self.columns()[column].attname));
            let repr = Repr::of(ty, -1).filter(|repr| *repr != Repr::Array).ok_or_else(unsupported)?;
            let mut values = ColumnBuilder::new(repr, rows.len());
            for row in &rows {
                values.push(&(R::FIELDS[column].datum)(row).ok_or_else(unsupported)?);
            }
            Ok(values.finish())
        };
        columns.iter().map(column).collect()
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
    PgAm PgAttrdef PgAttribute PgClass PgCollation PgConstraint PgDepend PgDescription PgIndex PgLanguage PgNamespace
    PgOpclass PgOpfamily PgRange PgRewrite PgType
}
