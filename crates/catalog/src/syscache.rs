//! The rows of the catalogs and the keys that find them (PostgreSQL's `syscache.c`). A built-in catalog is read when it is
//! first asked for something.
//!
//! Look-ups are methods of [`Catalog`]: what a statement sees, built in or a user's, so that nobody who looks something up
//! has to know.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, OnceLock};

use types::Oid;

use crate::catalogs::*;
use crate::facts::{self, Name, Row};
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
pub trait Scan: Row + Sized + Clone {
    /// The built-in rows.
    fn all() -> &'static [Self];

    /// The rows of users' objects.
    fn of_users(objects: &Objects) -> &[Self];

    fn put(objects: &mut Objects, rows: Vec<Self>);
}

impl Objects {
    /// With these rows in place of all that their catalog had.
    pub fn with<R: Scan>(mut self, rows: Vec<R>) -> Objects {
        R::put(&mut self, rows);
        self
    }
}

/// Rows that are many, and seldom asked for: they are made when somebody does.
#[derive(Clone)]
struct LazyRows<R> {
    make: Arc<dyn Fn() -> Vec<R> + Send + Sync>,
    rows: OnceLock<Vec<R>>,
}

impl<R: 'static> Default for LazyRows<R> {
    fn default() -> LazyRows<R> {
        LazyRows { make: Arc::new(Vec::new), rows: OnceLock::new() }
    }
}

impl<R> std::fmt::Debug for LazyRows<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LazyRows").field("made", &self.rows.get().is_some()).finish_non_exhaustive()
    }
}

/// What ANALYZE has found out is not looked up by key: the planner has it from elsewhere.
impl Scan for PgStatistic {
    fn all() -> &'static [PgStatistic] {
        &[]
    }

    fn of_users(objects: &Objects) -> &[PgStatistic] {
        objects.statistics.rows.get_or_init(|| (objects.statistics.make)())
    }

    fn put(objects: &mut Objects, rows: Vec<PgStatistic>) {
        objects.statistics.rows = OnceLock::from(rows);
    }
}

impl Objects {
    /// With statistics that are made when they are asked for.
    pub fn with_statistics(mut self, make: impl Fn() -> Vec<PgStatistic> + Send + Sync + 'static) -> Objects {
        self.statistics = LazyRows { make: Arc::new(make), rows: OnceLock::new() };
        self
    }
}

impl Objects {
    /// With a comment in place of that of a built-in object; `None`: without it. What it is to be must differ from what is built in.
    pub fn with_comment(mut self, key: (Oid, Oid, i32), comment: Option<&str>) -> Objects {
        self.comments.insert(key, comment.map(|comment| Name::Owned(comment.into())));
        self
    }
}

impl<'a> Catalog<'a> {
    /// The comment on an object of a catalog, and on its column or 0.
    pub fn description(self, key: (Oid, Oid, i32)) -> Option<&'a PgDescription> {
        self.stored_description(key).filter(|row| !self.is_replaced(row)).or_else(|| {
            let rows = PgDescription::of_users(self.objects?);
            rows.iter().find(|row| (row.objoid, row.classoid, row.objsubid) == key)
        })
    }

    /// Has a built-in comment been changed?
    pub(crate) fn is_replaced(self, row: &PgDescription) -> bool {
        let key = (row.objoid, row.classoid, row.objsubid);
        let now = self.objects.and_then(|objects| objects.comments.get(&key));
        now.is_some_and(|now| now.as_ref() != Some(&row.description))
    }
}

/// Declares how the rows of catalogs are found: `row name(key)` gives the one that has a key, `rows name(key)` those that
/// have it, `named name(column)` those of a name.
macro_rules! syscache {
    ($(
        $set:ident: $ty:ident {
            $(row $row:ident($row_key:ident: $row_ty:ty) = $row_of:expr;)*
            $(rows $rows:ident($rows_key:ident: $rows_ty:ty) = $rows_of:expr;)*
            $(named $named:ident($name:ident);)?
        }
    )*) => {
        /// The objects of users: one version of what is in a database, which does not change.
        #[derive(Clone, Debug, Default)]
        pub struct Objects {
            statistics: LazyRows<PgStatistic>,
            /// Comments in place of built-in ones: object, catalog, column; `None`: there is none any more.
            comments: BTreeMap<(Oid, Oid, i32), Option<Name>>,
            $($set: sets::$set,)*
        }

        /// Rows, with the ways to find them.
        #[allow(non_camel_case_types)]
        mod sets {
            use super::*;
            $(
                #[derive(Clone, Debug, Default)]
                pub struct $set {
                    pub rows: Cow<'static, [$ty]>,
                    $(pub $row: Index,)*
                    $(pub $rows: Index,)*
                    $(pub $named: Index,)?
                }

                impl $set {
                    pub fn new(rows: Cow<'static, [$ty]>) -> $set {
                        $(let $row = Index::new(&rows, $row_of);)*
                        $(let $rows = Index::new(&rows, $rows_of);)*
                        $(let $named = Index::new(&rows, |row| &*row.$name);)?
                        $set { rows, $($row,)* $($rows,)* $($named,)? }
                    }

                    pub fn built_in() -> &'static $set {
                        static SET: LazyLock<$set> = LazyLock::new(|| $set::new(facts::rows::<$ty>().into()));
                        &SET
                    }
                }
            )*
        }

        impl<'a> Catalog<'a> {
            $(
                /// The built-in rows and those of users.
                #[allow(dead_code, reason = "some catalogs are only read whole")]
                fn $set(self) -> impl Iterator<Item = &'a sets::$set> {
                    [Some(sets::$set::built_in()), self.objects.map(|objects| &objects.$set)].into_iter().flatten()
                }
                $(pub fn $row(self, $row_key: $row_ty) -> Option<&'a $ty> {
                    let hash = hash(&$row_key);
                    let key: fn(&$ty) -> $row_ty = $row_of;
                    let find = |set: &'a sets::$set| {
                        set.$row.get(hash).map(|row| &set.rows[row]).find(|row| key(row) == $row_key)
                    };
                    find(sets::$set::built_in()).or_else(|| find(&self.objects?.$set))
                })*
                $(pub fn $rows(self, $rows_key: $rows_ty) -> impl Iterator<Item = &'a $ty> {
                    let hash = hash(&$rows_key);
                    let rows = self.$set().flat_map(move |set| set.$rows.get(hash).map(|row| &set.rows[row]));
                    let key: fn(&$ty) -> $rows_ty = $rows_of;
                    rows.filter(move |row| key(row) == $rows_key)
                })*
                $(pub fn $named<'n>(self, name: &'n str) -> impl Iterator<Item = &'a $ty> + use<'a, 'n> {
                    let hash = hash(&name);
                    let rows = self.$set().flat_map(move |set| set.$named.get(hash).map(|row| &set.rows[row]));
                    rows.filter(move |row| row.$name == name)
                })?
            )*
        }

        $(impl Scan for $ty {
            fn all() -> &'static [$ty] {
                &sets::$set::built_in().rows
            }

            fn of_users(objects: &Objects) -> &[$ty] {
                &objects.$set.rows
            }

            fn put(objects: &mut Objects, rows: Vec<$ty>) {
                objects.$set = sets::$set::new(rows.into());
            }
        })*
    };
}

syscache! {
    aggregates: PgAggregate {
        row aggregate(aggfnoid: Oid) = |row: &PgAggregate| row.aggfnoid;
    }
    access_methods: PgAm {
        row access_method(oid: Oid) = |row: &PgAm| row.oid;
        named access_methods_named(amname);
    }
    amops: PgAmop {
        // The family, the types to the left and to the right, the strategy.
        row amop(key: (Oid, Oid, Oid, i16)) =
            |row: &PgAmop| (row.amopfamily, row.amoplefttype, row.amoprighttype, row.amopstrategy);
        rows amops_of_operator(operator: Oid) = |row: &PgAmop| row.amopopr;
        rows amops_of_family(family: Oid) = |row: &PgAmop| row.amopfamily;
    }
    amprocs: PgAmproc {
        // The family, the types to the left and to the right, the function's number.
        row amproc(key: (Oid, Oid, Oid, i16)) =
            |row: &PgAmproc| (row.amprocfamily, row.amproclefttype, row.amprocrighttype, row.amprocnum);
    }
    defaults: PgAttrdef {
        row attribute_default(oid: Oid) = |row: &PgAttrdef| row.oid;
        // The relation and the column.
        row default_of(key: (Oid, i16)) = |row: &PgAttrdef| (row.adrelid, row.adnum);
    }
    columns: PgAttribute {
        rows attributes(relation: Oid) = |row: &PgAttribute| row.attrelid;
    }
    authids: PgAuthid {
        row role(oid: Oid) = |row: &PgAuthid| row.oid;
        named roles_named(rolname);
    }
    casts: PgCast {
        // From the first type to the second one.
        row cast(key: (Oid, Oid)) = |row: &PgCast| (row.castsource, row.casttarget);
    }
    relations: PgClass {
        row relation(oid: Oid) = |row: &PgClass| row.oid;
        named relations_named(relname);
    }
    collations: PgCollation {
        row collation(oid: Oid) = |row: &PgCollation| row.oid;
        named collations_named(collname);
    }
    constraints: PgConstraint {
        row constraint(oid: Oid) = |row: &PgConstraint| row.oid;
        rows constraints_of_relation(relation: Oid) = |row: &PgConstraint| row.conrelid;
        rows constraints_of_type(domain: Oid) = |row: &PgConstraint| row.contypid;
    }
    dependencies: PgDepend {
        // The catalog of what depends, and its oid.
        rows depends_on(key: (Oid, Oid)) = |row: &PgDepend| (row.classid, row.objid);
        // The catalog of what others depend on, and its oid.
        rows dependents(key: (Oid, Oid)) = |row: &PgDepend| (row.refclassid, row.refobjid);
    }
    databases: PgDatabase {
        row database(oid: Oid) = |row: &PgDatabase| row.oid;
        named databases_named(datname);
    }
    role_settings: PgDbRoleSetting {}
    descriptions: PgDescription {
        // The object, its catalog, and the column or 0.
        row stored_description(key: (Oid, Oid, i32)) = |row: &PgDescription| (row.objoid, row.classoid, row.objsubid);
    }
    extensions: PgExtension {
        row extension(oid: Oid) = |row: &PgExtension| row.oid;
        named extensions_named(extname);
    }
    indexes: PgIndex {
        row index(oid: Oid) = |row: &PgIndex| row.indexrelid;
        rows indexes_of_relation(relation: Oid) = |row: &PgIndex| row.indrelid;
    }
    initial_privileges: PgInitPrivs {}
    languages: PgLanguage {
        row language(oid: Oid) = |row: &PgLanguage| row.oid;
        named languages_named(lanname);
    }
    namespaces: PgNamespace {
        row namespace(oid: Oid) = |row: &PgNamespace| row.oid;
        named namespaces_named(nspname);
    }
    opclasses: PgOpclass {
        row opclass(oid: Oid) = |row: &PgOpclass| row.oid;
        rows opclasses_for(key: (Oid, Oid)) = |row: &PgOpclass| (row.opcmethod, row.opcintype);
        rows opclasses_of_method(method: Oid) = |row: &PgOpclass| row.opcmethod;
        named opclasses_named(opcname);
    }
    operators: PgOperator {
        row operator(oid: Oid) = |row: &PgOperator| row.oid;
        // Its operands' types; many operators have the same.
        rows operators_of_types(key: (Oid, Oid)) = |row: &PgOperator| (row.oprleft, row.oprright);
        named operators_named(oprname);
    }
    opfamilies: PgOpfamily {
        row opfamily(oid: Oid) = |row: &PgOpfamily| row.oid;
        named opfamilies_named(opfname);
    }
    functions: PgProc {
        row function(oid: Oid) = |row: &PgProc| row.oid;
        named functions_named(proname);
    }
    ranges: PgRange {
        row range(oid: Oid) = |row: &PgRange| row.rngtypid;
        row range_of_multirange(oid: Oid) = |row: &PgRange| row.rngmultitypid;
    }
    rules: PgRewrite {
        row rule(oid: Oid) = |row: &PgRewrite| row.oid;
        rows rules_of_relation(relation: Oid) = |row: &PgRewrite| row.ev_class;
    }
    sequences: PgSequence {
        row sequence(relation: Oid) = |row: &PgSequence| row.seqrelid;
    }
    shared_descriptions: PgShdescription {
        // The object and its catalog.
        row shared_description(key: (Oid, Oid)) = |row: &PgShdescription| (row.objoid, row.classoid);
    }
    tablespaces: PgTablespace {
        row tablespace(oid: Oid) = |row: &PgTablespace| row.oid;
        named tablespaces_named(spcname);
    }
    data_types: PgType {
        row pg_type(oid: Oid) = |row: &PgType| row.oid;
        named types_named(typname);
    }
}
