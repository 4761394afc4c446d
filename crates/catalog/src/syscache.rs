//! The rows of the catalogs and the keys that find them (PostgreSQL's `syscache.c`). A catalog is read when it is first
//! asked for something.
//!
//! Look-ups are methods of [`Catalog`]: what a statement sees. Today that is what is built in; the objects of users join
//! them here, so that nobody who looks something up has to know.

use std::sync::LazyLock;

use types::Oid;

use crate::catalogs::*;
use crate::facts::{self, Row};
use crate::index::Index;

/// The catalogs as a statement sees them, and its search path.
#[derive(Clone, Copy, Debug)]
pub struct Catalog<'a> {
    /// Where names without a schema are looked for: namespaces' oids, `pg_catalog` among them.
    pub search_path: &'a [Oid],
}

pub const PG_CATALOG: Oid = 11;
pub const PUBLIC: Oid = 2200;

impl Catalog<'static> {
    /// What is built in, seen by a session that has set no search path.
    pub const BUILT_IN: Catalog<'static> = Catalog { search_path: &[PG_CATALOG, PUBLIC] };
}

/// A catalog that is read once.
pub trait Scan: Row + Sized {
    /// All its rows.
    fn all() -> &'static [Self];
}

/// Declares how the rows of catalogs are found: `row name(key)` gives the one that has a key, `rows name(key)` those that
/// have it, `named name(column)` those of a name.
macro_rules! syscache {
    ($(
        $ty:ident {
            $(row $row:ident($row_key:ident: $row_ty:ty) = $row_of:expr;)*
            $(rows $rows:ident($rows_key:ident: $rows_ty:ty) = $rows_of:expr;)*
            $(named $named:ident($name:ident);)?
        }
    )*) => {
        mod rows {
            use super::*;
            $(#[allow(non_upper_case_globals)]
            pub static $ty: LazyLock<&[$ty]> = LazyLock::new(facts::rows::<$ty>);)*
        }

        #[allow(non_upper_case_globals)]
        mod index {
            use super::*;
            $(
                $(pub static $row: LazyLock<Index<$row_ty>> =
                    LazyLock::new(|| Index::new(&rows::$ty, $row_of));)*
                $(pub static $rows: LazyLock<Index<$rows_ty>> =
                    LazyLock::new(|| Index::new(&rows::$ty, $rows_of));)*
                $(pub static $named: LazyLock<Index<&'static str>> =
                    LazyLock::new(|| Index::new(&rows::$ty, |row| &*row.$name));)?
            )*
        }

        impl<'a> Catalog<'a> {
            $(
                $(pub fn $row(self, $row_key: $row_ty) -> Option<&'a $ty> {
                    index::$row.get(&$row_key).next().map(|row| &rows::$ty[row])
                })*
                $(pub fn $rows(self, $rows_key: $rows_ty) -> impl Iterator<Item = &'a $ty> {
                    index::$rows.get(&$rows_key).map(|row| &rows::$ty[row])
                })*
                $(pub fn $named(self, name: &str) -> impl Iterator<Item = &'a $ty> + use<'a> {
                    index::$named.get(name).map(|row| &rows::$ty[row])
                })?
            )*
        }

        $(impl Scan for $ty {
            fn all() -> &'static [$ty] {
                &rows::$ty
            }
        })*
    };
}

syscache! {
    PgAggregate {
        row aggregate(aggfnoid: Oid) = |row| row.aggfnoid;
    }
    PgAm {
        row access_method(oid: Oid) = |row| row.oid;
        named access_methods_named(amname);
    }
    PgAmop {
        // The family, the types to the left and to the right, the strategy.
        row amop(key: (Oid, Oid, Oid, i16)) =
            |row| (row.amopfamily, row.amoplefttype, row.amoprighttype, row.amopstrategy);
        rows amops_of_operator(operator: Oid) = |row| row.amopopr;
        rows amops_of_family(family: Oid) = |row| row.amopfamily;
    }
    PgAmproc {
        // The family, the types to the left and to the right, the function's number.
        row amproc(key: (Oid, Oid, Oid, i16)) =
            |row| (row.amprocfamily, row.amproclefttype, row.amprocrighttype, row.amprocnum);
    }
    PgAttribute {
        rows attributes(relation: Oid) = |row| row.attrelid;
    }
    PgCast {
        // From the first type to the second one.
        row cast(key: (Oid, Oid)) = |row| (row.castsource, row.casttarget);
    }
    PgClass {
        row relation(oid: Oid) = |row| row.oid;
        named relations_named(relname);
    }
    PgCollation {
        row collation(oid: Oid) = |row| row.oid;
        named collations_named(collname);
    }
    PgConstraint {
        row constraint(oid: Oid) = |row| row.oid;
        rows constraints_of_relation(relation: Oid) = |row| row.conrelid;
        rows constraints_of_type(domain: Oid) = |row| row.contypid;
    }
    PgDescription {
        // The object, its catalog, and the column or 0.
        row description(key: (Oid, Oid, i32)) = |row| (row.objoid, row.classoid, row.objsubid);
    }
    PgIndex {
        row index(oid: Oid) = |row| row.indexrelid;
        rows indexes_of_relation(relation: Oid) = |row| row.indrelid;
    }
    PgLanguage {
        row language(oid: Oid) = |row| row.oid;
        named languages_named(lanname);
    }
    PgNamespace {
        row namespace(oid: Oid) = |row| row.oid;
        named namespaces_named(nspname);
    }
    PgOpclass {
        row opclass(oid: Oid) = |row| row.oid;
        rows opclasses_of_method(method: Oid) = |row| row.opcmethod;
        named opclasses_named(opcname);
    }
    PgOperator {
        row operator(oid: Oid) = |row| row.oid;
        named operators_named(oprname);
    }
    PgOpfamily {
        row opfamily(oid: Oid) = |row| row.oid;
        named opfamilies_named(opfname);
    }
    PgProc {
        row function(oid: Oid) = |row| row.oid;
        named functions_named(proname);
    }
    PgRange {
        row range(oid: Oid) = |row| row.rngtypid;
        row range_of_multirange(oid: Oid) = |row| row.rngmultitypid;
    }
    PgType {
        row pg_type(oid: Oid) = |row| row.oid;
        named types_named(typname);
    }
}
