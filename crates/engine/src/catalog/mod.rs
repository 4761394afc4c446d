//! What exists: databases, roles, schemas, tables, views, sequences, as rows of PostgreSQL's catalogs. They are kept in memory;
//! every change is in a commit's log record, and the catalogs' file has what the log has no more ([`file`]).
//!
//! A version of the catalog never changes, and shares all that did not change with the one before it: its maps are persistent, so
//! that a copy costs nothing and a change what it changes. A change is "put this row" or "delete the row of this key", whatever the
//! kind of object ([`catalog::RowChange`]). Commands make changes in a transaction: of rows ([`crate::Transaction::put`],
//! `delete`), or of a relation, whose definition is derived from rows (`relcache`) and made rows of again (`rows`):
//! [`crate::Transaction::alter_table`] and its like say what a definition was made from, so that what others have changed of it meanwhile
//! stays. What has files is made and dropped with them ([`crate::Transaction::create_files`] and `drop_files`);
//! [`crate::Transaction::drop_relation`] does all that for a whole relation. What depends on what, `session` finds out from
//! `pg_depend`; nothing here looks whether a change leaves something behind.
//!
//! * `relation`, `view`: definitions. `relcache`: how they are derived. `rows`: the rows that they are. `tree_list`: lists of
//!   stored expressions. `reloptions`: parameters in rows. `database`: a database, and what names stand for. `file`: the catalogs' file. `load`: how a start reads it. `bootstrap`: a new
//!   cluster's rows.
//!
//! # What is temporary
//! lies in a schema `pg_temp_…` that belongs to one session ([`crate::Transaction::temporary_schema`]). It is like the rest
//! but that it goes with the session ([`crate::Database::drop_temporary`]), or when the database is opened after a crash.

mod bootstrap;
mod database;
pub(crate) mod file;
mod load;
mod relation;
mod relcache;
pub mod reloptions;
pub(crate) mod rows;
mod shared_object;
#[cfg(test)]
mod tests;
mod tree_list;
mod view;

pub(crate) mod current;

use std::sync::Arc;

use catalog::catalogs::{PgAuthid, PgDatabase, PgDbRoleSetting, PgTablespace};
use catalog::facts::Name;
use catalog::{CatalogKey, CatalogRow, Objects, RowChange};
use imbl::OrdMap;
use storage::Concurrency;
use types::Oid;

pub(crate) use bootstrap::{BOOTSTRAP_SUPERUSER, new_cluster, new_database};
pub use database::{DatabaseDef, Named, is_temporary};
pub use relation::{
    Analyzed, AnalyzedColumn, AnalyzedIndex, CheckDef, ColumnDef, Computed, Identity, IndexColumn, IndexDef,
    IndexExpression, IndexKey, Lies, MAX_COLUMNS, MissingValue, SequenceDef, TableDef, index_column_names,
};
pub use rows::{CompositeColumn, CompositeDef, needs_toast_table, objects_of_index, toast_table};
pub(crate) use shared_object::put_shared;
pub use shared_object::{owner_dependency, without_shared};
pub use types::names::ObjectAddress;
pub use view::{NodeTree, ViewColumn, ViewDef};

/// OIDs below are PostgreSQL's own.
pub const FIRST_USER_OID: u32 = catalog::FIRST_NORMAL_OBJECT_ID;

/// Everything that exists, one version of it.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// No object has this oid or a greater one, no file this number.
    pub next_oid: u32,
    /// The rows that all databases share.
    shared: Objects,
    databases: OrdMap<Oid, DatabaseDef>,
}

/// A change in a database; 0: of what all databases share.
pub type DatabaseChange = (Oid, RowChange);

impl Catalog {
    pub fn databases(&self) -> impl Iterator<Item = &DatabaseDef> {
        self.databases.values()
    }

    pub fn database_by_oid(&self, oid: Oid) -> Option<&DatabaseDef> {
        self.databases.get(&oid)
    }

    pub fn database(&self, name: &str) -> Option<&DatabaseDef> {
        self.database_by_oid(self.shared().databases_named(name).next()?.oid)
    }

    /// The rows that all databases share, as look-ups want them.
    pub fn shared(&self) -> catalog::Catalog<'_> {
        relcache::users(&self.shared)
    }

    /// The rows of a database, or of what all share.
    pub(crate) fn rows(&self, database: Oid) -> catalog::Catalog<'_> {
        self.database_by_oid(database).map_or(self.shared(), DatabaseDef::catalog)
    }

    pub fn role(&self, name: &str) -> Option<&PgAuthid> {
        self.shared().roles_named(name).next()
    }

    pub fn role_by_oid(&self, oid: Oid) -> Option<&PgAuthid> {
        self.shared().role(oid)
    }

    /// The name of a role; one that is gone has none.
    pub fn role_name(&self, oid: Oid) -> &str {
        self.role_by_oid(oid).map_or("", |role| &role.rolname)
    }

    pub fn is_superuser(&self, role: &str) -> bool {
        self.role(role).is_some_and(|role| role.rolsuper)
    }

    /// The roles of users.
    pub fn roles(&self) -> impl Iterator<Item = &PgAuthid> {
        <PgAuthid as catalog::Scan>::of_users(&self.shared)
    }

    /// The settings of the sessions of a role in a database, as `name=value`; 0 is any.
    pub fn settings_of(&self, database: Oid, role: Oid) -> &[Name] {
        let row = self.shared().role_setting((database, role));
        row.and_then(|row: &PgDbRoleSetting| row.setconfig.as_deref()).unwrap_or_default()
    }

    /// The tablespaces of users.
    pub fn tablespaces(&self) -> impl Iterator<Item = &PgTablespace> {
        <PgTablespace as catalog::Scan>::of_users(&self.shared).filter(|row| row.oid >= FIRST_USER_OID)
    }

    /// A user's tablespace.
    pub fn tablespace_by_oid(&self, oid: Oid) -> Option<&PgTablespace> {
        self.shared().tablespace(oid).filter(|row| row.oid >= FIRST_USER_OID)
    }

    /// A tablespace of a user's.
    pub fn tablespace(&self, name: &str) -> Option<&PgTablespace> {
        self.shared().tablespaces_named(name).find(|row| row.oid >= FIRST_USER_OID)
    }

    /// A parameter of a tablespace, if it is set: `seq_page_cost`, `random_page_cost`.
    pub fn page_cost(&self, tablespace: Oid, name: &str) -> Option<f64> {
        self.tablespace_option(tablespace, name)?.parse().ok()
    }

    /// What a tablespace says of how deep it is read, if anything: `effective_io_concurrency`, `maintenance_io_concurrency`.
    pub fn concurrency(&self, tablespace: Oid, name: &str) -> Option<Concurrency> {
        match self.tablespace_option(tablespace, name)? {
            "auto" => Some(Concurrency::Auto),
            number => Some(Concurrency::Fixed(number.parse::<f64>().ok()?.round_ties_even() as u32)),
        }
    }

    fn tablespace_option(&self, tablespace: Oid, name: &str) -> Option<&str> {
        let options = self.tablespace_by_oid(tablespace)?.spcoptions.as_deref()?;
        options
            .iter()
            .find_map(|option| option.split_once('=').filter(|(known, _)| *known == name))
            .map(|(_, value)| value)
    }

    /// The latest [`IndexDef::made_after`].
    pub fn youngest_index(&self) -> u64 {
        self.databases().map(DatabaseDef::youngest_index).max().unwrap_or(0)
    }

    /// The databases that have something in a tablespace.
    pub fn databases_in(&self, tablespace: Oid) -> impl Iterator<Item = &DatabaseDef> {
        self.databases().filter(move |database| database.is_in(tablespace))
    }

    // Changes.

    /// Makes changes. Making them twice changes nothing.
    pub fn apply(&mut self, changes: &[DatabaseChange]) {
        self.apply_shared(changes.iter().map(|(_, change)| change).filter(|change| change.key().is_shared()));
        let mut own: Vec<&DatabaseChange> = changes.iter().filter(|(_, change)| !change.key().is_shared()).collect();
        own.sort_by_key(|(database, _)| *database);
        for of_one in own.chunk_by(|a, b| a.0 == b.0) {
            if let Some(database) = self.databases.get_mut(&of_one[0].0) {
                database.apply(of_one.iter().map(|(_, change)| change));
            }
        }
        self.note_oids(changes);
    }

    fn apply_shared<'a>(&mut self, changes: impl Iterator<Item = &'a RowChange>) {
        let mut any = false;
        for change in changes {
            any = true;
            change.clone().apply(&mut self.shared);
            match change {
                RowChange::Put(CatalogRow::PgDatabase(row)) => self.put_database(row),
                RowChange::Delete(CatalogKey::PgDatabase(oid)) => drop(self.databases.remove(oid)),
                _ => {}
            }
        }
        if any {
            let oids: Vec<Oid> = self.databases.keys().copied().collect();
            for oid in oids {
                self.databases.get_mut(&oid).expect("it was just there").share(&self.shared);
            }
        }
    }

    fn put_database(&mut self, row: &Arc<PgDatabase>) {
        match self.databases.get_mut(&row.oid) {
            Some(known) => known.describe(row.clone()),
            None => drop(self.databases.insert(row.oid, DatabaseDef::new(row.clone(), &self.shared))),
        }
    }

    /// What has an oid or a file has one that was given out.
    fn note_oids(&mut self, changes: &[DatabaseChange]) {
        let numbers = changes.iter().filter_map(|(_, change)| match change {
            RowChange::Put(row) => Some(row),
            RowChange::Delete(_) => None,
        });
        let last = numbers.map(last_oid).max().unwrap_or(0);
        self.next_oid = self.next_oid.max(last.saturating_add(1));
    }

    /// No session is connected: what belonged to sessions is gone. Gives what that changes.
    pub(crate) fn drop_temporary(&mut self) -> Vec<DatabaseChange> {
        let of = |database: &DatabaseDef| {
            let oid = database.oid;
            database.drop_temporary().into_iter().map(move |change| (oid, change)).collect::<Vec<_>>()
        };
        let changes: Vec<DatabaseChange> = self.databases.values().flat_map(of).collect();
        self.apply(&changes);
        changes
    }
}

/// The greatest of the oids and the numbers of files that a row uses up. Those of tables' long values are not among them.
fn last_oid(row: &CatalogRow) -> Oid {
    match row {
        CatalogRow::PgClass(row) if row.relkind != b't' => row.oid.max(row.relfilenode),
        CatalogRow::PgDatabase(row) => row.oid,
        CatalogRow::PgNamespace(row) => row.oid,
        CatalogRow::PgType(row) => row.oid,
        CatalogRow::PgConstraint(row) => row.oid,
        CatalogRow::PgAttrdef(row) => row.oid,
        CatalogRow::PgRewrite(row) => row.oid,
        CatalogRow::PgExtension(row) => row.oid,
        CatalogRow::PgEnum(row) => row.oid,
        CatalogRow::PgPolicy(row) => row.oid,
        CatalogRow::PgAuthid(row) => row.oid,
        CatalogRow::PgAuthMembers(row) => row.oid,
        CatalogRow::PgTablespace(row) => row.oid,
        _ => 0,
    }
}

/// When an index was made ([`IndexDef::made_after`]), for the row that says it.
fn made_after(row: &CatalogRow) -> u64 {
    match row {
        CatalogRow::InflightIndex(row) => row.made_after as u64,
        _ => 0,
    }
}
