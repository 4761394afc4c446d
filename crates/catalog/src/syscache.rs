//! The rows of the catalogs and the keys that find them (PostgreSQL's `syscache.c`). A built-in catalog is read when it is
//! first asked for something. Users' rows are in persistent maps: versions share what did not change.
//!
//! Look-ups are methods of [`Catalog`]: what a statement sees, built in or a user's, so that nobody who looks something up
//! has to know.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::{Arc, LazyLock, OnceLock};

use imbl::OrdMap;
use types::{Datum, Oid};

use crate::catalogs::*;
use crate::facts::{self, Char, Name, Row};
use crate::index::{Index, hash};

/// The catalogs as a statement sees them, and its search path.
#[derive(Clone, Copy, Debug)]
pub struct Catalog<'a> {
    /// Where names without a schema are looked for: namespaces' oids, `pg_catalog` among them.
    pub search_path: &'a [Oid],
    /// The objects of users; `None`: there are none.
    pub objects: Option<&'a Objects>,
}

pub const PG_CATALOG: Oid = 11;
pub const PUBLIC: Oid = 2200;

/// The oids of users' objects begin here.
pub const FIRST_NORMAL_OBJECT_ID: Oid = 16384;

impl Catalog<'static> {
    /// What is built in, seen by a session that has set no search path.
    pub const BUILT_IN: Catalog<'static> = Catalog { search_path: &[PG_CATALOG, PUBLIC], objects: None };
}

/// A catalog that can be looked into.
pub trait Scan: Row + Sized + Clone + PartialEq {
    /// The built-in rows.
    fn all() -> &'static [Self];

    /// The rows of users' objects, in the order of their keys.
    fn of_users(objects: &Objects) -> impl Iterator<Item = &Self>;

    fn count(objects: &Objects) -> usize;

    /// The rows that have values in columns, where a key of the catalog finds them; they may have others than wanted among them.
    fn found_by<'a, 'v>(catalog: Catalog<'a>, value: &dyn Fn(&str) -> Option<&'v Datum>) -> Option<Vec<&'a Self>>;
}

/// A catalog whose rows are put one by one.
pub trait Keyed: Scan {
    /// Which row it is: no two rows of a catalog have the same.
    type Key: Ord + Copy + Debug + Send + Sync;

    fn key(&self) -> Self::Key;

    fn user_row(objects: &Objects, key: Self::Key) -> Option<&Arc<Self>>;

    fn put(objects: &mut Objects, row: Arc<Self>);

    fn delete(objects: &mut Objects, key: Self::Key);
}

impl Objects {
    /// With these rows.
    pub fn with<R: Keyed>(mut self, rows: Vec<R>) -> Objects {
        rows.into_iter().for_each(|row| self.put(row));
        self
    }

    /// Puts a row in place of the one that has its key, if there is one.
    pub fn put<R: Keyed>(&mut self, row: R) {
        // Who keeps a row knows by its address that it has not changed.
        if R::user_row(self, row.key()).is_none_or(|known| **known != row) {
            R::put(self, Arc::new(row));
        }
    }

    /// Puts the rows that an object is now in place of those that it was.
    pub fn replace<R: Keyed>(&mut self, before: &[R], after: Vec<R>) {
        let kept: BTreeSet<R::Key> = after.iter().map(R::key).collect();
        let gone = before.iter().map(R::key).filter(|key| !kept.contains(key));
        gone.for_each(|key| R::delete(self, key));
        after.into_iter().for_each(|row| self.put(row));
    }
}

/// What a column that is a part of a key has.
trait KeyPart: Sized {
    const LEAST: Self;

    /// Of a value of the column's type.
    fn of(value: &Datum) -> Option<Self>;
}

macro_rules! key_parts {
    ($($ty:ty, $least:expr, $datum:ident;)*) => {$(
        impl KeyPart for $ty {
            const LEAST: $ty = $least;

            fn of(value: &Datum) -> Option<$ty> {
                match value {
                    Datum::$datum(value) => Some(*value),
                    _ => None,
                }
            }
        }
    )*};
}

key_parts! {
    u32, 0, U32;
    i16, i16::MIN, I16;
    i32, i32::MIN, I32;
    Char, 0, U8;
}

/// The statistics of a table, which are many, and seldom asked for: the rows are made when they are.
#[derive(Clone)]
struct TableStatistics {
    make: Arc<dyn Fn() -> Vec<PgStatistic> + Send + Sync>,
    rows: OnceLock<Vec<PgStatistic>>,
}

impl TableStatistics {
    fn rows(&self) -> &[PgStatistic] {
        self.rows.get_or_init(|| (self.make)())
    }
}

impl Debug for TableStatistics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TableStatistics").field("made", &self.rows.get().is_some()).finish_non_exhaustive()
    }
}

/// What ANALYZE has found out: the planner has it from elsewhere.
impl Scan for PgStatistic {
    fn all() -> &'static [PgStatistic] {
        &[]
    }

    fn of_users(objects: &Objects) -> impl Iterator<Item = &PgStatistic> {
        objects.statistics.values().flat_map(|table| table.rows())
    }

    /// A table has some columns.
    fn count(objects: &Objects) -> usize {
        objects.statistics.len() * 8
    }

    fn found_by<'a, 'v>(
        catalog: Catalog<'a>,
        value: &dyn Fn(&str) -> Option<&'v Datum>,
    ) -> Option<Vec<&'a PgStatistic>> {
        let relation = Oid::of(value("starelid")?)?;
        // Those of an index's expressions are its table's.
        let table = catalog.index(relation).map_or(relation, |index| index.indrelid);
        let known = catalog.objects.and_then(|objects| objects.statistics.get(&table));
        Some(known.map_or_else(Vec::new, |table| table.rows().iter().collect()))
    }
}

impl Objects {
    /// The statistics of a table and of its indexes, which are made when they are asked for.
    pub fn put_statistics(&mut self, table: Oid, make: impl Fn() -> Vec<PgStatistic> + Send + Sync + 'static) {
        self.statistics.insert(table, TableStatistics { make: Arc::new(make), rows: OnceLock::new() });
    }

    pub fn delete_statistics(&mut self, table: Oid) {
        self.statistics.remove(&table);
    }

    /// A comment in place of that of a built-in object; `None`: none. What it is to be must differ from what is built in.
    pub fn replace_comment(&mut self, key: (Oid, Oid, i32), comment: Option<&str>) {
        self.comments.insert(key, comment.map(|comment| Name::Owned(comment.into())));
    }

    /// The built-in comment again.
    pub fn restore_comment(&mut self, key: (Oid, Oid, i32)) {
        self.comments.remove(&key);
    }
}

impl<'a> Catalog<'a> {
    /// The comment on an object of a catalog, and on its column or 0.
    pub fn description(self, key: (Oid, Oid, i32)) -> Option<&'a PgDescription> {
        self.stored_description(key)
            .filter(|row| !self.is_replaced(row))
            .or_else(|| self.objects?.descriptions.rows.get(&key).map(|row| &**row))
    }

    /// Has a built-in comment been changed?
    pub(crate) fn is_replaced(self, row: &PgDescription) -> bool {
        let key = (row.objoid, row.classoid, row.objsubid);
        let now = self.objects.and_then(|objects| objects.comments.get(&key));
        now.is_some_and(|now| now.as_ref() != Some(&row.description))
    }
}

/// Users' rows behind the hashes of values that they are found by.
type Hashed<R> = OrdMap<(u64, <R as Keyed>::Key), Arc<R>>;

/// Those behind a hash. `least`: no key is less.
fn behind<R: Keyed>(rows: &Hashed<R>, hash: u64, least: R::Key) -> impl Iterator<Item = &R> {
    let from = rows.range((hash, least)..);
    from.take_while(move |((of, _), _)| *of == hash).map(|(_, row)| &**row)
}

/// Declares how the rows of catalogs are found, each by its key's columns, and by others: `row name` gives the one that has
/// a key, `rows name(columns)` those that have values in columns, `first name(columns)` those whose keys begin with values,
/// `named name(column)` those of a name.
macro_rules! syscache {
    ($(
        $set:ident: $ty:ident($($key:ident: $key_ty:ty),+) {
            $(row $row:ident;)?
            $(first $first:ident($first_column:ident: $first_ty:ty);)?
            $(rows $rows:ident($($rows_column:ident: $rows_ty:ty),+);)*
            $(named $named:ident($name:ident);)?
        }
    )*) => {
        /// The objects of users: one version of what is in a database, which does not change. A copy shares all rows that
        /// neither changes: it costs nothing, and a change what it changes.
        #[derive(Clone, Debug, Default)]
        pub struct Objects {
            /// By table.
            statistics: OrdMap<Oid, TableStatistics>,
            /// Comments in place of built-in ones: object, catalog, column; `None`: there is none any more.
            comments: OrdMap<(Oid, Oid, i32), Option<Name>>,
            $($set: users::$set,)*
        }

        /// Rows, with the ways to find them.
        #[allow(non_camel_case_types)]
        mod built_in {
            use super::*;
            $(
                pub struct $set {
                    pub rows: &'static [$ty],
                    /// By key.
                    pub key: Index,
                    $(pub $first: Index,)?
                    $(pub $rows: Index,)*
                    $(pub $named: Index,)?
                }

                impl $set {
                    pub fn all() -> &'static $set {
                        static SET: LazyLock<$set> = LazyLock::new(|| {
                            let rows: &'static [$ty] = facts::rows::<$ty>();
                            $set {
                                key: Index::new(rows, |row| ($(row.$key),+)),
                                $($first: Index::new(rows, |row| row.$first_column),)?
                                $($rows: Index::new(rows, |row| ($(row.$rows_column),+)),)*
                                $($named: Index::new(rows, |row| &*row.$name),)?
                                rows,
                            }
                        });
                        &SET
                    }

                    pub fn by_key(key: <$ty as Keyed>::Key) -> Option<&'static $ty> {
                        let set = $set::all();
                        let mut rows = set.key.get(hash(&key)).map(|row| &set.rows[row]);
                        rows.find(|row| row.key() == key)
                    }
                }
            )*
        }

        /// Users' rows in the order of their keys, and again behind the hashes of what else they are found by.
        #[allow(non_camel_case_types)]
        mod users {
            use super::*;
            $(
                #[derive(Clone, Debug, Default)]
                pub struct $set {
                    pub rows: OrdMap<<$ty as Keyed>::Key, Arc<$ty>>,
                    $(pub $rows: Hashed<$ty>,)*
                    $(pub $named: Hashed<$ty>,)?
                }

                impl $set {
                    #[allow(dead_code, reason = "some catalogs are found by their keys only")]
                    pub const LEAST: <$ty as Keyed>::Key = ($(<$key_ty as KeyPart>::LEAST),+);

                    pub fn put(&mut self, row: Arc<$ty>) {
                        let key = row.key();
                        self.delete(key);
                        $(self.$rows.insert((hash(&($(row.$rows_column),+)), key), row.clone());)*
                        $(self.$named.insert((hash(&&*row.$name), key), row.clone());)?
                        self.rows.insert(key, row);
                    }

                    pub fn delete(&mut self, key: <$ty as Keyed>::Key) {
                        #[allow(unused_variables, reason = "some catalogs are found by their keys only")]
                        let Some(row) = self.rows.remove(&key) else { return };
                        $(self.$rows.remove(&(hash(&($(row.$rows_column),+)), key));)*
                        $(self.$named.remove(&(hash(&&*row.$name), key));)?
                    }
                }
            )*
        }

        impl<'a> Catalog<'a> {
            $(
                $(pub fn $row(self, key: <$ty as Keyed>::Key) -> Option<&'a $ty> {
                    built_in::$set::by_key(key).or_else(|| self.objects?.$set.rows.get(&key).map(|row| &**row))
                })?
                $(pub fn $first(self, $first_column: $first_ty) -> impl Iterator<Item = &'a $ty> {
                    let set = built_in::$set::all();
                    let built_in = set.$first.get(hash(&$first_column)).map(|row| &set.rows[row]);
                    let users = self.objects.into_iter().flat_map(move |objects| {
                        let mut least = users::$set::LEAST;
                        least.0 = $first_column;
                        let behind = objects.$set.rows.range(least..).map(|(_, row)| &**row);
                        behind.take_while(move |row| row.$first_column == $first_column)
                    });
                    built_in.filter(move |row| row.$first_column == $first_column).chain(users)
                })?
                $(#[allow(unused_parens, reason = "keys of several columns are tuples")]
                pub fn $rows(self, key: ($($rows_ty),+)) -> impl Iterator<Item = &'a $ty> {
                    let (set, hash) = (built_in::$set::all(), hash(&key));
                    let built_in = set.$rows.get(hash).map(|row| &set.rows[row]);
                    let users = self.objects.into_iter();
                    let users = users.flat_map(move |objects| behind(&objects.$set.$rows, hash, users::$set::LEAST));
                    built_in.chain(users).filter(move |row| ($(row.$rows_column),+) == key)
                })*
                $(pub fn $named<'n>(self, name: &'n str) -> impl Iterator<Item = &'a $ty> + use<'a, 'n> {
                    let (set, hash) = (built_in::$set::all(), hash(&name));
                    let built_in = set.$named.get(hash).map(|row| &set.rows[row]);
                    let users = self.objects.into_iter();
                    let users = users.flat_map(move |objects| behind(&objects.$set.$named, hash, users::$set::LEAST));
                    built_in.chain(users).filter(move |row| row.$name == name)
                })?
            )*
        }

        $(impl Scan for $ty {
            fn all() -> &'static [$ty] {
                built_in::$set::all().rows
            }

            fn of_users(objects: &Objects) -> impl Iterator<Item = &$ty> {
                objects.$set.rows.values().map(|row| &**row)
            }

            fn count(objects: &Objects) -> usize {
                objects.$set.rows.len()
            }

            #[allow(clippy::needless_question_mark, reason = "keys may have several columns")]
            fn found_by<'a, 'v>(catalog: Catalog<'a>, value: &dyn Fn(&str) -> Option<&'v Datum>) -> Option<Vec<&'a $ty>> {
                let by_key = || {
                    let key = ($(<$key_ty as KeyPart>::of(value(stringify!($key))?)?),+);
                    let users = catalog.objects.and_then(|objects| objects.$set.rows.get(&key)).map(|row| &**row);
                    Some(built_in::$set::by_key(key).into_iter().chain(users).collect())
                };
                if let Some(found) = by_key() {
                    return Some(found);
                }
                $(if let Some(key) = value(stringify!($first_column)).and_then(<$first_ty as KeyPart>::of) {
                    return Some(catalog.$first(key).collect());
                })?
                $(
                    let key = || Some(($(<$rows_ty as KeyPart>::of(value(stringify!($rows_column))?)?),+));
                    if let Some(key) = key() {
                        return Some(catalog.$rows(key).collect());
                    }
                )*
                $(if let Some(Datum::Text(name)) = value(stringify!($name)) {
                    return Some(catalog.$named(name).collect());
                })?
                None
            }
        }

        impl Keyed for $ty {
            #[allow(unused_parens, reason = "keys of several columns are tuples")]
            type Key = ($($key_ty),+);

            fn key(&self) -> Self::Key {
                ($(self.$key),+)
            }

            fn user_row(objects: &Objects, key: Self::Key) -> Option<&Arc<$ty>> {
                objects.$set.rows.get(&key)
            }

            fn put(objects: &mut Objects, row: Arc<$ty>) {
                objects.$set.put(row);
            }

            fn delete(objects: &mut Objects, key: Self::Key) {
                objects.$set.delete(key);
            }
        })*
    };
}

syscache! {
    aggregates: PgAggregate(aggfnoid: Oid) {
        row aggregate;
    }
    access_methods: PgAm(oid: Oid) {
        row access_method;
        named access_methods_named(amname);
    }
    // The family, the types to the left and to the right, the strategy, and what it is for.
    amops: PgAmop(amopfamily: Oid, amoplefttype: Oid, amoprighttype: Oid, amopstrategy: i16) {
        row amop;
        rows amops_of_oid(oid: Oid);
        rows amops_of_operator(amopopr: Oid);
        rows amops_of_family(amopfamily: Oid);
    }
    // The family, the types to the left and to the right, the function's number.
    amprocs: PgAmproc(amprocfamily: Oid, amproclefttype: Oid, amprocrighttype: Oid, amprocnum: i16) {
        row amproc;
        rows amprocs_of_oid(oid: Oid);
    }
    defaults: PgAttrdef(oid: Oid) {
        row attribute_default;
        // The relation and the column.
        rows defaults_of(adrelid: Oid, adnum: i16);
    }
    columns: PgAttribute(attrelid: Oid, attnum: i16) {
        first attributes(attrelid: Oid);
    }
    authids: PgAuthid(oid: Oid) {
        row role;
        named roles_named(rolname);
    }
    // From the first type to the second one.
    casts: PgCast(castsource: Oid, casttarget: Oid) {
        row cast;
        rows casts_of_oid(oid: Oid);
    }
    relations: PgClass(oid: Oid) {
        row relation;
        rows relations_in(relnamespace: Oid);
        named relations_named(relname);
    }
    collations: PgCollation(oid: Oid) {
        row collation;
        named collations_named(collname);
    }
    constraints: PgConstraint(oid: Oid) {
        row constraint;
        rows constraints_of_relation(conrelid: Oid);
        rows constraints_of_type(contypid: Oid);
        named constraints_named(conname);
    }
    dependencies: PgDepend(
        classid: Oid, objid: Oid, objsubid: i32, refclassid: Oid, refobjid: Oid, refobjsubid: i32, deptype: Char
    ) {
        // The catalog of what depends, and its oid.
        rows depends_on(classid: Oid, objid: Oid);
        // The catalog of what others depend on, and its oid.
        rows dependents(refclassid: Oid, refobjid: Oid);
    }
    databases: PgDatabase(oid: Oid) {
        row database;
        named databases_named(datname);
    }
    role_settings: PgDbRoleSetting(setdatabase: Oid, setrole: Oid) {}
    // The object, its catalog, and the column or 0.
    descriptions: PgDescription(objoid: Oid, classoid: Oid, objsubid: i32) {
        row stored_description;
    }
    extensions: PgExtension(oid: Oid) {
        row extension;
        named extensions_named(extname);
    }
    indexes: PgIndex(indexrelid: Oid) {
        row index;
        rows indexes_of_relation(indrelid: Oid);
    }
    initial_privileges: PgInitPrivs(objoid: Oid, classoid: Oid, objsubid: i32) {}
    languages: PgLanguage(oid: Oid) {
        row language;
        named languages_named(lanname);
    }
    namespaces: PgNamespace(oid: Oid) {
        row namespace;
        named namespaces_named(nspname);
    }
    opclasses: PgOpclass(oid: Oid) {
        row opclass;
        rows opclasses_for(opcmethod: Oid, opcintype: Oid);
        rows opclasses_of_method(opcmethod: Oid);
        named opclasses_named(opcname);
    }
    operators: PgOperator(oid: Oid) {
        row operator;
        // Its operands' types; many operators have the same.
        rows operators_of_types(oprleft: Oid, oprright: Oid);
        named operators_named(oprname);
    }
    opfamilies: PgOpfamily(oid: Oid) {
        row opfamily;
        named opfamilies_named(opfname);
    }
    functions: PgProc(oid: Oid) {
        row function;
        named functions_named(proname);
    }
    ranges: PgRange(rngtypid: Oid) {
        row range;
        rows ranges_of_multirange(rngmultitypid: Oid);
    }
    rules: PgRewrite(oid: Oid) {
        row rule;
        rows rules_of_relation(ev_class: Oid);
    }
    sequences: PgSequence(seqrelid: Oid) {
        row sequence;
    }
    // The object and its catalog.
    shared_descriptions: PgShdescription(objoid: Oid, classoid: Oid) {
        row shared_description;
    }
    tablespaces: PgTablespace(oid: Oid) {
        row tablespace;
        named tablespaces_named(spcname);
    }
    data_types: PgType(oid: Oid) {
        row pg_type;
        named types_named(typname);
    }
}
