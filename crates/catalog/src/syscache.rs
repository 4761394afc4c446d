//! The rows of the catalogs and the keys that find them (PostgreSQL's `syscache.c`). A built-in catalog is read when it is
//! first asked for something. Users' rows are in persistent maps: versions share what did not change.
//!
//! Look-ups are methods of [`Catalog`]: what a statement sees, built in or a user's, so that no caller has to know.
//!
//! # Invariants
//! * A row that is put under the key of a built-in one takes its place, and a built-in row can be deleted: [`Objects`] keeps
//!   which are replaced, and no look-up and no scan gives those.
//! * No two rows of a catalog have the same key.

use std::fmt::Debug;
use std::panic::resume_unwind;
use std::sync::{Arc, LazyLock};

use imbl::{OrdMap, OrdSet};
use types::{Datum, Oid};

use crate::acl::Viewer;
use crate::catalogs::*;
use crate::facts::{self, Char, Row};
use crate::index::{Index, NameIndex, NameRange, hash};
use crate::row_change::RowChange;
use crate::stored_row::Stored;

/// The catalogs as a statement sees them, and its search path.
#[derive(Clone, Copy, Debug)]
pub struct Catalog<'a> {
    /// Where names without a schema are looked for: namespaces' oids, `pg_catalog` among them.
    pub search_path: &'a [Oid],
    /// The objects of users; `None`: there are none.
    pub objects: Option<&'a Objects>,
    /// The role that names schemas, where it has to be allowed to; `None`: all may be named.
    pub viewer: Option<&'a Viewer>,
}

pub const PG_CATALOG: Oid = 11;
pub const PUBLIC: Oid = 2200;

/// The oids of users' objects begin here.
pub const FIRST_NORMAL_OBJECT_ID: Oid = 16384;

impl Catalog<'static> {
    /// What is built in, seen by a session that has set no search path.
    pub const BUILT_IN: Catalog<'static> = Catalog { search_path: &[PG_CATALOG, PUBLIC], objects: None, viewer: None };
}

/// Changes of a catalog that are worth a thread.
const MANY: usize = 20_000;

/// A catalog that can be looked into.
pub trait Scan: Row + Sized + Clone + PartialEq {
    /// The built-in rows.
    fn all() -> &'static [Self];

    /// The rows of users' objects, in the order of their keys.
    fn of_users(objects: &Objects) -> impl Iterator<Item = &Self>;

    fn count(objects: &Objects) -> usize;

    /// The rows that a statement sees: built-in ones first.
    fn visible(catalog: Catalog<'_>) -> impl Iterator<Item = &Self>;

    /// The rows that have values in columns, where a key of the catalog finds them; they may have others than wanted among them.
    fn found_by<'a, 'v>(catalog: Catalog<'a>, value: &dyn Fn(&str) -> Option<&'v Datum>) -> Option<Vec<&'a Self>>;

    /// The rows with names in a range, where the catalog has them by name; they may have others among them.
    fn named_between<'a, 'n>(
        catalog: Catalog<'a>,
        range: &dyn Fn(&str) -> Option<NameRange<'n>>,
    ) -> Option<Vec<&'a Self>>;
}

/// A catalog whose rows are put one by one.
pub trait Keyed: Scan {
    /// The catalog's oid.
    const CATALOG: Oid;
    /// All databases have the same rows (`relisshared`).
    const SHARED: bool;

    /// Which row it is: no two rows of a catalog have the same.
    type Key: Ord + Copy + Debug + Send + Sync;

    fn key(&self) -> Self::Key;

    /// The row that has a key, built in or not.
    fn by_key(catalog: Catalog<'_>, key: Self::Key) -> Option<&Self>;

    fn user_row(objects: &Objects, key: Self::Key) -> Option<&Arc<Self>>;

    fn put(objects: &mut Objects, row: Arc<Self>);

    fn delete(objects: &mut Objects, key: Self::Key);

    /// The row as one of any catalog.
    fn any(row: Arc<Self>) -> CatalogRow;
}

impl Objects {
    /// With these rows.
    pub fn with<R: Keyed>(mut self, rows: Vec<R>) -> Objects {
        rows.into_iter().for_each(|row| self.put(row));
        self
    }

    /// Puts a row in place of the one that has its key, if there is one.
    pub fn put<R: Keyed>(&mut self, row: R) {
        // A session that keeps a row knows by its address that it has not changed.
        if R::user_row(self, row.key()).is_none_or(|known| **known != row) {
            R::put(self, Arc::new(row));
        }
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
    bool, false, Bool;
}

/// Users' rows behind the hashes of values that they are found by.
type Hashed<R> = OrdMap<(u64, <R as Keyed>::Key), Arc<R>>;

/// Those behind a hash. `least`: no key is less.
fn behind<R: Keyed>(rows: &Hashed<R>, hash: u64, least: R::Key) -> impl Iterator<Item = &R> {
    let from = rows.range((hash, least)..);
    from.take_while(move |((of, _), _)| *of == hash).map(|(_, row)| &**row)
}

/// Rows behind the hashes of their values.
fn hashed<R: Keyed>(rows: &[(R::Key, Arc<R>)], hash: impl Fn(&R) -> u64) -> Hashed<R> {
    let mut hashed: Vec<_> = rows.iter().map(|(key, row)| ((hash(row), *key), row.clone())).collect();
    hashed.sort_unstable_by_key(|(key, _)| *key);
    hashed.into_iter().collect()
}

/// Users' rows by the first bytes of their names, so that those between two names are found, and by the names' hashes.
type ByName<R> = OrdMap<(u64, u64, <R as Keyed>::Key), Arc<R>>;

/// Where a name is among others: by its first bytes, and by its hash.
fn place_of(name: &str) -> (u64, u64) {
    (first_bytes(name), hash(&name))
}

/// They are in the order of the names.
fn first_bytes(name: &str) -> u64 {
    let mut bytes = [0; 8];
    let known = name.len().min(8);
    bytes[..known].copy_from_slice(&name.as_bytes()[..known]);
    u64::from_be_bytes(bytes)
}

/// The rows that may be at a name's place. `least`: no key is less.
fn of_name<R: Keyed>(rows: &ByName<R>, (first, hash): (u64, u64), least: R::Key) -> impl Iterator<Item = &R> {
    let from = rows.range((first, hash, least)..);
    from.take_while(move |((a, b, _), _)| (*a, *b) == (first, hash)).map(|(_, row)| &**row)
}

/// The rows whose names may be between two, in no order.
fn of_names<'a, R: Keyed>(
    rows: &'a ByName<R>,
    (from, to): NameRange<'_>,
    least: R::Key,
) -> impl Iterator<Item = &'a R> + use<'a, R> {
    let to = to.map_or(u64::MAX, first_bytes);
    let behind = rows.range((from.map_or(0, first_bytes), 0, least)..);
    behind.take_while(move |((first, ..), _)| *first <= to).map(|(_, row)| &**row)
}

/// Rows by their names.
fn by_name<R: Keyed>(rows: &[(R::Key, Arc<R>)], name: impl Fn(&R) -> &str) -> ByName<R> {
    let place = |(key, row): &(R::Key, Arc<R>)| {
        let (first, hash) = place_of(name(row));
        ((first, hash, *key), row.clone())
    };
    let mut named: Vec<_> = rows.iter().map(place).collect();
    named.sort_unstable_by_key(|(key, _)| *key);
    named.into_iter().collect()
}

/// Declares how the rows of catalogs are found, each by its key's columns, and by others: `row name` gives the one that has
/// a key, `rows name(columns)` those that have values in columns, `first name(columns)` those whose keys begin with values,
/// `named name(column)` those of a name.
macro_rules! syscache {
    (@shared shared) => {};
    (@is_shared shared) => { true };
    (@is_shared) => { false };
    ($(
        $set:ident: $ty:ident = $oid:literal $($shared:ident)? ($($key:ident: $key_ty:ty),+) {
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
            $($set: users::$set,)*
        }

        impl Objects {
            /// Takes the rows of the catalogs that all databases share.
            pub fn share(&mut self, shared: &Objects) {
                $($(syscache!(@shared $shared); self.$set = shared.$set.clone();)?)*
            }

            /// Calls `each` with every row, and with the key of every built-in row that is deleted, catalog by catalog.
            pub fn each_change(&self, mut each: impl FnMut(RowChange)) {
                $(
                    self.$set.rows.values().for_each(|row| each(RowChange::Put(CatalogRow::$ty(row.clone()))));
                    let deleted = self.$set.replaced.iter().filter(|key| !self.$set.rows.contains_key(*key));
                    deleted.for_each(|key| each(RowChange::Delete(CatalogKey::$ty(*key))));
                )*
            }
        }

        /// Many changes that are made at once, as a start does: sorted first, which takes a part of the time that one after the
        /// other takes.
        #[derive(Debug, Default)]
        pub struct Gathered {
            $($set: Vec<users::Change<$ty>>,)*
        }

        impl Gathered {
            pub fn add(&mut self, change: RowChange) {
                match change {
                    $(
                        RowChange::Put(CatalogRow::$ty(row)) => self.$set.push((row.key(), Some(row))),
                        RowChange::Delete(CatalogKey::$ty(key)) => self.$set.push((key, None)),
                    )*
                }
            }

            /// Adds changes that come later.
            pub fn append(&mut self, mut later: Gathered) {
                $(self.$set.append(&mut later.$set);)*
            }

            /// What the changes make of the built-in rows alone. Catalogs with many rows have a thread each.
            pub fn into_objects(self) -> Objects {
                std::thread::scope(|scope| {
                    $(
                        let changes = self.$set;
                        let $set = match changes.len() {
                            0..MANY => Ok(users::$set::of(changes)),
                            _ => Err(scope.spawn(|| users::$set::of(changes))),
                        };
                    )*
                    Objects {
                        $($set: $set.unwrap_or_else(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))),)*
                    }
                })
            }
        }

        /// A row of any catalog.
        #[derive(Clone, Debug, PartialEq)]
        pub enum CatalogRow {
            $($ty(Arc<$ty>),)*
        }

        /// The key of a row of any catalog.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum CatalogKey {
            $($ty(<$ty as Keyed>::Key),)*
        }

        impl CatalogRow {
            pub fn key(&self) -> CatalogKey {
                match self {
                    $(CatalogRow::$ty(row) => CatalogKey::$ty(row.key()),)*
                }
            }

            /// Adds the row's bytes ([`crate::stored_row`]).
            pub(crate) fn encode(&self, out: &mut Vec<u8>) {
                match self {
                    $(CatalogRow::$ty(row) => row.encode(out),)*
                }
            }

            /// The row of a catalog that has these bytes.
            pub(crate) fn decode(catalog: Oid, bytes: &[u8]) -> Option<CatalogRow> {
                match catalog {
                    $($oid => Some(CatalogRow::$ty(Arc::new($ty::decode(bytes)?))),)*
                    _ => None,
                }
            }

            pub(crate) fn put(self, objects: &mut Objects) {
                match self {
                    $(CatalogRow::$ty(row) => $ty::put(objects, row),)*
                }
            }

            /// What was made of `before` by another change, done to `now`: the fields that differ. All three have one key.
            pub(crate) fn onto(&self, before: &CatalogRow, now: &CatalogRow) -> CatalogRow {
                match (self, before, now) {
                    $((CatalogRow::$ty(row), CatalogRow::$ty(before), CatalogRow::$ty(now)) => {
                        CatalogRow::$ty(Arc::new(row.onto(before, now)))
                    })*
                    _ => unreachable!("rows of one key are of one catalog"),
                }
            }
        }

        impl CatalogKey {
            /// The oid of its catalog.
            pub fn catalog(self) -> Oid {
                match self {
                    $(CatalogKey::$ty(_) => $oid,)*
                }
            }

            /// Is its catalog the same in all databases?
            pub fn is_shared(self) -> bool {
                match self {
                    $(CatalogKey::$ty(_) => <$ty as Keyed>::SHARED,)*
                }
            }

            pub(crate) fn encode(self, out: &mut Vec<u8>) {
                match self {
                    $(
                        #[allow(unused_parens, reason = "keys of several columns are tuples")]
                        CatalogKey::$ty(($($key),+)) => {
                            $(Stored::put(&$key, out);)+
                        }
                    )*
                }
            }

            pub(crate) fn decode(catalog: Oid, bytes: &mut &[u8]) -> Option<CatalogKey> {
                match catalog {
                    $(
                        #[allow(unused_parens, reason = "keys of several columns are tuples")]
                        $oid => Some(CatalogKey::$ty(($(<$key_ty as Stored>::take(bytes)?),+))),
                    )*
                    _ => None,
                }
            }

            pub(crate) fn delete(self, objects: &mut Objects) {
                match self {
                    $(CatalogKey::$ty(key) => $ty::delete(objects, key),)*
                }
            }

            /// The row that has it, built in or not.
            pub fn row(self, catalog: Catalog<'_>) -> Option<CatalogRow> {
                match self {
                    $(CatalogKey::$ty(key) => {
                        let of_user = catalog.objects.and_then(|objects| objects.$set.rows.get(&key).cloned());
                        let built_in = || $ty::by_key(catalog, key).map(|row| Arc::new(row.clone()));
                        of_user.or_else(built_in).map(CatalogRow::$ty)
                    })*
                }
            }
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
                    $(pub $named: NameIndex,)?
                }

                impl $set {
                    pub fn all() -> &'static $set {
                        static SET: LazyLock<$set> = LazyLock::new(|| {
                            let rows: &'static [$ty] = facts::rows::<$ty>();
                            $set {
                                key: Index::new(rows, |row| ($(row.$key),+)),
                                $($first: Index::new(rows, |row| row.$first_column),)?
                                $($rows: Index::new(rows, |row| ($(row.$rows_column),+)),)*
                                $($named: NameIndex::new(rows, |row| &*row.$name),)?
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

            /// A row that is put, or the key of one that is deleted.
            pub type Change<R> = (<R as Keyed>::Key, Option<Arc<R>>);

            $(
                #[derive(Clone, Debug, Default)]
                pub struct $set {
                    pub rows: OrdMap<<$ty as Keyed>::Key, Arc<$ty>>,
                    /// The keys of the built-in rows that are deleted, or have another in their place.
                    pub replaced: OrdSet<<$ty as Keyed>::Key>,
                    $(pub $rows: Hashed<$ty>,)*
                    $(pub $named: ByName<$ty>,)?
                }

                impl $set {
                    #[allow(dead_code, reason = "some catalogs are found by their keys only")]
                    pub const LEAST: <$ty as Keyed>::Key = ($(<$key_ty as KeyPart>::LEAST),+);

                    /// What changes, made one after the other, make of the built-in rows alone.
                    pub fn of(mut changes: Vec<Change<$ty>>) -> $set {
                        // The sort is stable: of one key the last change counts.
                        changes.sort_by_key(|(key, _)| *key);
                        let last = |of_one: &[Change<$ty>]| of_one.last().expect("a chunk is not empty").clone();
                        let changes: Vec<Change<$ty>> = changes.chunk_by(|a, b| a.0 == b.0).map(last).collect();
                        let mut set = $set::default();
                        let mut rows = Vec::with_capacity(changes.len());
                        for (key, row) in changes {
                            let built_in = built_in::$set::by_key(key);
                            if built_in.is_some_and(|built_in| row.as_deref() == Some(built_in)) {
                                continue;
                            }
                            if built_in.is_some() {
                                set.replaced.insert(key);
                            }
                            rows.extend(row.map(|row| (key, row)));
                        }
                        $(set.$rows = hashed(&rows, |row| hash(&($(row.$rows_column),+)));)*
                        $(set.$named = by_name(&rows, |row| &row.$name);)?
                        set.rows = rows.into_iter().collect();
                        set
                    }

                    pub fn put(&mut self, row: Arc<$ty>) {
                        let key = row.key();
                        self.remove(key);
                        if let Some(built_in) = built_in::$set::by_key(key) {
                            if *built_in == *row {
                                self.replaced.remove(&key);
                                return;
                            }
                            self.replaced.insert(key);
                        }
                        $(self.$rows.insert((hash(&($(row.$rows_column),+)), key), row.clone());)*
                        $(
                            let (first, hash) = place_of(&row.$name);
                            self.$named.insert((first, hash, key), row.clone());
                        )?
                        self.rows.insert(key, row);
                    }

                    pub fn delete(&mut self, key: <$ty as Keyed>::Key) {
                        self.remove(key);
                        if built_in::$set::by_key(key).is_some() {
                            self.replaced.insert(key);
                        }
                    }

                    /// Does the built-in row still hold?
                    pub fn has(&self, built_in: &$ty) -> bool {
                        self.replaced.is_empty() || !self.replaced.contains(&built_in.key())
                    }

                    fn remove(&mut self, key: <$ty as Keyed>::Key) {
                        #[allow(unused_variables, reason = "some catalogs are found by their keys only")]
                        let Some(row) = self.rows.remove(&key) else { return };
                        $(self.$rows.remove(&(hash(&($(row.$rows_column),+)), key));)*
                        $(
                            let (first, hash) = place_of(&row.$name);
                            self.$named.remove(&(first, hash, key));
                        )?
                    }
                }
            )*
        }

        impl<'a> Catalog<'a> {
            $(
                $(pub fn $row(self, key: <$ty as Keyed>::Key) -> Option<&'a $ty> {
                    self.$set(key)
                })?
                fn $set(self, key: <$ty as Keyed>::Key) -> Option<&'a $ty> {
                    let built_in = built_in::$set::by_key(key).filter(|row| self.objects.is_none_or(|objects| objects.$set.has(row)));
                    built_in.or_else(|| self.objects?.$set.rows.get(&key).map(|row| &**row))
                }
                $(pub fn $first(self, $first_column: $first_ty) -> impl Iterator<Item = &'a $ty> {
                    let set = built_in::$set::all();
                    let built_in = set.$first.get(hash(&$first_column)).map(|row| &set.rows[row]).filter(move |row| self.objects.is_none_or(|objects| objects.$set.has(row)));
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
                    let built_in = set.$rows.get(hash).map(|row| &set.rows[row]).filter(move |row| self.objects.is_none_or(|objects| objects.$set.has(row)));
                    let users = self.objects.into_iter();
                    let users = users.flat_map(move |objects| behind(&objects.$set.$rows, hash, users::$set::LEAST));
                    built_in.chain(users).filter(move |row| ($(row.$rows_column),+) == key)
                })*
                $(pub fn $named<'n>(self, name: &'n str) -> impl Iterator<Item = &'a $ty> + use<'a, 'n> {
                    let (set, place) = (built_in::$set::all(), place_of(name));
                    let built_in = set.$named.get(place.1).map(|row| &set.rows[row]).filter(move |row| self.objects.is_none_or(|objects| objects.$set.has(row)));
                    let users = self.objects.into_iter();
                    let users = users.flat_map(move |objects| of_name(&objects.$set.$named, place, users::$set::LEAST));
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

            fn visible(catalog: Catalog<'_>) -> impl Iterator<Item = &$ty> {
                let built_in = Self::all().iter();
                let built_in = built_in.filter(move |row| catalog.objects.is_none_or(|objects| objects.$set.has(row)));
                built_in.chain(catalog.objects.into_iter().flat_map(Self::of_users))
            }

            fn named_between<'a, 'n>(catalog: Catalog<'a>, range: &dyn Fn(&str) -> Option<NameRange<'n>>) -> Option<Vec<&'a $ty>> {
                $(if let Some(range) = range(stringify!($name)) {
                    let set = built_in::$set::all();
                    let found = set.$named.between(set.rows, |row| &row.$name, range);
                    let built_in = found.into_iter().map(|row| &set.rows[row]).filter(move |row| catalog.objects.is_none_or(|objects| objects.$set.has(row)));
                    let users = catalog.objects.into_iter();
                    let users = users.flat_map(move |objects| of_names(&objects.$set.$named, range, users::$set::LEAST));
                    return Some(built_in.chain(users).collect());
                })?
                let _ = (catalog, range);
                None
            }

            #[allow(clippy::needless_question_mark, reason = "keys may have several columns")]
            fn found_by<'a, 'v>(catalog: Catalog<'a>, value: &dyn Fn(&str) -> Option<&'v Datum>) -> Option<Vec<&'a $ty>> {
                let by_key = || {
                    let key = ($(<$key_ty as KeyPart>::of(value(stringify!($key))?)?),+);
                    Some(catalog.$set(key).into_iter().collect())
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

            const CATALOG: Oid = $oid;
            const SHARED: bool = syscache!(@is_shared $($shared)?);

            fn key(&self) -> Self::Key {
                ($(self.$key),+)
            }

            fn by_key(catalog: Catalog<'_>, key: Self::Key) -> Option<&$ty> {
                catalog.$set(key)
            }

            fn any(row: Arc<$ty>) -> CatalogRow {
                CatalogRow::$ty(row)
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

impl<'a> Catalog<'a> {
    /// What an object needs: it is the oid of a catalog and its own.
    pub fn depends_on(self, (class, object): (Oid, Oid)) -> impl Iterator<Item = &'a PgDepend> {
        self.depends_on_oid(object).filter(move |row| row.classid == class)
    }

    /// What needs an object.
    pub fn dependents(self, (class, object): (Oid, Oid)) -> impl Iterator<Item = &'a PgDepend> {
        self.dependents_of_oid(object).filter(move |row| row.refclassid == class)
    }
}

syscache! {
    aggregates: PgAggregate = 2600 (aggfnoid: Oid) {
        row aggregate;
    }
    access_methods: PgAm = 2601 (oid: Oid) {
        row access_method;
        named access_methods_named(amname);
    }
    // The family, the types to the left and to the right, the strategy, and what it is for.
    amops: PgAmop = 2602 (amopfamily: Oid, amoplefttype: Oid, amoprighttype: Oid, amopstrategy: i16) {
        row amop;
        rows amops_of_oid(oid: Oid);
        rows amops_of_operator(amopopr: Oid);
        rows amops_of_family(amopfamily: Oid);
    }
    // The family, the types to the left and to the right, the function's number.
    amprocs: PgAmproc = 2603 (amprocfamily: Oid, amproclefttype: Oid, amprocrighttype: Oid, amprocnum: i16) {
        row amproc;
        rows amprocs_of_oid(oid: Oid);
    }
    defaults: PgAttrdef = 2604 (oid: Oid) {
        row attribute_default;
        // The relation and the column.
        rows defaults_of(adrelid: Oid, adnum: i16);
    }
    columns: PgAttribute = 1249 (attrelid: Oid, attnum: i16) {
        first attributes(attrelid: Oid);
    }
    authids: PgAuthid = 1260 shared (oid: Oid) {
        row role;
        named roles_named(rolname);
    }
    // From the first type to the second one.
    casts: PgCast = 2605 (castsource: Oid, casttarget: Oid) {
        row cast;
        rows casts_of_oid(oid: Oid);
    }
    relations: PgClass = 1259 (oid: Oid) {
        row relation;
        rows relations_in(relnamespace: Oid);
        named relations_named(relname);
    }
    collations: PgCollation = 3456 (oid: Oid) {
        row collation;
        named collations_named(collname);
    }
    constraints: PgConstraint = 2606 (oid: Oid) {
        row constraint;
        rows constraints_of_relation(conrelid: Oid);
        rows constraints_of_type(contypid: Oid);
        named constraints_named(conname);
    }
    dependencies: PgDepend = 2608 (
        classid: Oid, objid: Oid, objsubid: i32, refclassid: Oid, refobjid: Oid, refobjsubid: i32, deptype: Char
    ) {
        // The oid of what depends, in whichever catalog.
        rows depends_on_oid(objid: Oid);
        // The oid of what others depend on.
        rows dependents_of_oid(refobjid: Oid);
    }
    databases: PgDatabase = 1262 shared (oid: Oid) {
        row database;
        named databases_named(datname);
    }
    role_settings: PgDbRoleSetting = 2964 shared (setdatabase: Oid, setrole: Oid) {
        row role_setting;
    }
    // The role, the member, and the role that granted it.
    auth_members: PgAuthMembers = 1261 shared (roleid: Oid, member: Oid, grantor: Oid) {
        first members_of(roleid: Oid);
        rows memberships_of(member: Oid);
        rows auth_members_of_oid(oid: Oid);
    }
    default_acls: PgDefaultAcl = 826 (oid: Oid) {
        row default_acl;
        // The role, the schema or 0, and the kind.
        rows default_acls_of(defaclrole: Oid, defaclnamespace: Oid, defaclobjtype: Char);
        rows default_acls_of_role(defaclrole: Oid);
    }
    // The object, its catalog, and the column or 0.
    descriptions: PgDescription = 2609 (objoid: Oid, classoid: Oid, objsubid: i32) {
        row description;
        first descriptions_of(objoid: Oid);
    }
    enums: PgEnum = 3501 (oid: Oid) {
        row enum_label;
        rows enum_labels_of(enumtypid: Oid);
        named enum_labels_named(enumlabel);
    }
    extensions: PgExtension = 3079 (oid: Oid) {
        row extension;
        named extensions_named(extname);
    }
    indexes: PgIndex = 2610 (indexrelid: Oid) {
        row index;
        rows indexes_of_relation(indrelid: Oid);
    }
    initial_privileges: PgInitPrivs = 3394 (objoid: Oid, classoid: Oid, objsubid: i32) {}
    languages: PgLanguage = 2612 (oid: Oid) {
        row language;
        named languages_named(lanname);
    }
    namespaces: PgNamespace = 2615 (oid: Oid) {
        row namespace;
        named namespaces_named(nspname);
    }
    opclasses: PgOpclass = 2616 (oid: Oid) {
        row opclass;
        rows opclasses_for(opcmethod: Oid, opcintype: Oid);
        rows opclasses_of_method(opcmethod: Oid);
        named opclasses_named(opcname);
    }
    operators: PgOperator = 2617 (oid: Oid) {
        row operator;
        // Its operands' types; many operators have the same.
        rows operators_of_types(oprleft: Oid, oprright: Oid);
        named operators_named(oprname);
    }
    opfamilies: PgOpfamily = 2753 (oid: Oid) {
        row opfamily;
        named opfamilies_named(opfname);
    }
    parameter_acls: PgParameterAcl = 6243 shared (oid: Oid) {
        row parameter_acl;
        named parameter_acls_named(parname);
    }
    policies: PgPolicy = 3256 (oid: Oid) {
        row policy;
        rows policies_of_relation(polrelid: Oid);
    }
    functions: PgProc = 1255 (oid: Oid) {
        row function;
        named functions_named(proname);
    }
    ranges: PgRange = 3541 (rngtypid: Oid) {
        row range;
        rows ranges_of_multirange(rngmultitypid: Oid);
    }
    rules: PgRewrite = 2618 (oid: Oid) {
        row rule;
        rows rules_of_relation(ev_class: Oid);
    }
    sequences: PgSequence = 2224 (seqrelid: Oid) {
        row sequence;
    }
    // The object and its catalog.
    shared_descriptions: PgShdescription = 2396 shared (objoid: Oid, classoid: Oid) {
        row shared_description;
        first shared_descriptions_of(objoid: Oid);
    }
    // The database of what depends, or 0; its catalog, its oid and a column or 0; the catalog and the oid of what is shared.
    shared_dependencies: PgShdepend = 1214 shared (
        dbid: Oid, classid: Oid, objid: Oid, objsubid: i32, refclassid: Oid, refobjid: Oid, deptype: Char
    ) {
        rows shared_depends_on(dbid: Oid, classid: Oid, objid: Oid);
        rows shared_dependents(refclassid: Oid, refobjid: Oid);
    }
    statistics: PgStatistic = 2619 (starelid: Oid, staattnum: i16, stainherit: bool) {
        row statistic;
        first statistics_of(starelid: Oid);
    }
    relation_storage: InflightRelation = 15101 (relid: Oid) {
        row relation_storage_of;
    }
    column_storage: InflightAttribute = 15102 (attrelid: Oid, attnum: i16) {
        row column_storage_of;
    }
    index_storage: InflightIndex = 15103 (indexrelid: Oid) {
        row index_storage_of;
    }
    enum_storage: InflightEnum = 15104 (labelid: Oid) {
        row enum_storage_of;
    }
    tablespaces: PgTablespace = 1213 shared (oid: Oid) {
        row tablespace;
        named tablespaces_named(spcname);
    }
    data_types: PgType = 1247 (oid: Oid) {
        row pg_type;
        named types_named(typname);
    }
}
