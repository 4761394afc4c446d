//! What exists: databases, roles, schemas, tables, views, sequences. Kept in memory; every change is a log record, and a
//! checkpoint keeps the whole.
//!
//! Definitions are immutable and shared, by the versions of the catalog too: its maps are persistent, so that a copy costs nothing
//! and a change what it changes. Commands change them in a transaction: CREATE puts one with an oid of
//! [`crate::Database::new_oid`] and DROP drops it ([`crate::Transaction::change`]), ALTER puts it again with the same oid and says
//! what it was made from ([`crate::Transaction::alter`]), so that what others have changed of it meanwhile stays (`merge`). What has files is
//! made and dropped with them ([`crate::Transaction::create_files`] and `drop_files`); [`crate::Transaction::drop_relation`] does
//! all that for a whole relation. COMMENT changes the definition that the comment is on. What depends on what, `session` finds
//! out from the definitions as rows of `pg_depend`; nothing here looks whether a change leaves something behind.
//!
//! * `relation`: tables with what belongs to them, sequences. `view`: views. `database`: a database, its schemas, and what
//!   names stand for. `role`: roles. `tablespace`: tablespaces.
//!
//! # What is temporary
//! lies in a schema `pg_temp_…` that belongs to one session ([`crate::Transaction::temporary_schema`]). It is like the rest
//! but that it goes with the session ([`crate::Database::drop_temporary`]), or when the database is opened after a crash.

mod database;
mod merge;
mod names;
mod relation;
mod role;
mod shared;
mod tablespace;
mod view;

use std::ops::Deref;
use std::sync::Arc;

use imbl::OrdMap;
use serde::{Deserialize, Serialize};
use storage::Concurrency;

use database::change_all;
pub use database::{CommentDef, DatabaseDef, Definitions, ExtensionDef, NamespaceDef, is_temporary};
pub(crate) use merge::Pending;
pub use names::Named;
pub use relation::{
    Analyzed, AnalyzedColumn, AnalyzedIndex, CheckDef, ColumnDef, Computed, Identity, IndexColumn, IndexDef,
    IndexExpression, IndexKey, Lies, MAX_COLUMNS, MissingValue, SequenceDef, TableDef,
};
pub use role::{RoleDef, RoleSettings};
pub use shared::Shared;
pub use tablespace::TablespaceDef;
pub use types::names::ObjectAddress;
pub use view::{NodeTree, ViewColumn, ViewDef};

/// OIDs below are PostgreSQL's own.
pub const FIRST_USER_OID: u32 = 16384;

/// Everything that exists.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Catalog {
    pub next_oid: u32,
    pub databases: OrdMap<String, DatabaseDef>,
    pub roles: OrdMap<String, RoleDef>,
    /// By their oids: those beside the built-in ones.
    #[serde(default)]
    pub tablespaces: Definitions<TablespaceDef>,
    #[serde(default)]
    pub role_settings: Vec<RoleSettings>,
}

/// A change of the catalog, as the log has it. Replaying one twice changes nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Change {
    PutDatabase(Box<DatabaseDef>),
    DropDatabase(String),
    /// COMMENT ON DATABASE.
    CommentOnDatabase {
        database: u32,
        comment: Option<String>,
    },
    PutTable {
        database: u32,
        table: Arc<TableDef>,
    },
    DropTable {
        database: u32,
        oid: u32,
    },
    PutSequence {
        database: u32,
        sequence: Arc<SequenceDef>,
    },
    DropSequence {
        database: u32,
        oid: u32,
    },
    PutView {
        database: u32,
        view: Arc<ViewDef>,
    },
    DropView {
        database: u32,
        oid: u32,
    },
    PutNamespace {
        database: u32,
        namespace: Arc<NamespaceDef>,
    },
    DropNamespace {
        database: u32,
        oid: u32,
    },
    PutExtension {
        database: u32,
        extension: Arc<ExtensionDef>,
    },
    DropExtension {
        database: u32,
        oid: u32,
    },
    PutRole(Arc<RoleDef>),
    DropRole {
        oid: u32,
    },
    PutTablespace(Arc<TablespaceDef>),
    DropTablespace {
        oid: u32,
    },
    PutComment {
        database: u32,
        comment: CommentDef,
    },
    /// The built-in one holds again.
    DropComment {
        database: u32,
        comment: CommentDef,
    },
    /// Without any: there are none.
    PutRoleSettings(RoleSettings),
}

impl Catalog {
    /// A new cluster's: the databases and the role that PostgreSQL starts with, and the role of who made it.
    pub(crate) fn new(system_user: &str) -> Catalog {
        let database = |oid, name: &str, comment: &str, is_template, allow_connections| DatabaseDef {
            is_template,
            allow_connections,
            comment: Some(comment.to_string()),
            ..DatabaseDef::new(oid, name, "postgres")
        };
        let databases = [
            database(1, "template1", "default template for new databases", true, true),
            database(4, "template0", "unmodifiable empty database", true, false),
            database(5, "postgres", "default administrative connection database", false, true),
        ];
        let mut roles = OrdMap::new();
        roles.insert("postgres".to_string(), RoleDef::almighty(10, "postgres"));
        let mut next_oid = FIRST_USER_OID;
        if system_user != "postgres" {
            roles.insert(system_user.into(), RoleDef::almighty(next_oid, system_user));
            next_oid += 1;
        }
        let databases = databases.into_iter().map(|d| (d.name.clone(), d)).collect();
        Catalog { next_oid, databases, roles, ..Catalog::empty() }
    }

    /// Nothing exists.
    pub fn empty() -> Catalog {
        Catalog {
            next_oid: FIRST_USER_OID,
            databases: OrdMap::new(),
            roles: OrdMap::new(),
            tablespaces: OrdMap::new(),
            role_settings: Vec::new(),
        }
    }

    /// What a checkpoint has kept.
    pub(crate) fn restored(mut self) -> Catalog {
        self.each_database(DatabaseDef::name_all);
        self
    }

    /// Nobody is connected: what belonged to sessions is gone.
    pub(crate) fn drop_temporary(&mut self) {
        self.each_database(DatabaseDef::drop_temporary);
    }

    pub fn database_by_oid(&self, oid: u32) -> Option<&DatabaseDef> {
        self.databases.values().find(|d| d.oid == oid)
    }

    pub fn apply(&mut self, change: Change) {
        self.next_oid = self.next_oid.max(change.last_oid().saturating_add(1));
        match change {
            Change::PutDatabase(database) => {
                self.databases.entry(database.name.clone()).or_insert(*database);
            }
            Change::DropDatabase(name) => {
                if let Some(gone) = self.databases.remove(&name) {
                    self.role_settings.retain(|known| known.database != gone.oid);
                }
            }
            Change::CommentOnDatabase { database, comment } => {
                self.within(database, |database| database.comment = comment);
            }
            Change::PutTable { database, table } => self.within(database, |database| database.put_table(table)),
            Change::DropTable { database, oid } => self.within(database, |database| database.drop_table(oid)),
            Change::PutSequence { database, sequence } => {
                self.within(database, |database| database.put_sequence(sequence));
            }
            Change::DropSequence { database, oid } => self.within(database, |database| database.drop_sequence(oid)),
            Change::PutView { database, view } => self.within(database, |database| database.put_view(view)),
            Change::DropView { database, oid } => self.within(database, |database| database.drop_view(oid)),
            Change::PutNamespace { database, namespace } => {
                self.within(database, |database| database.put_namespace(namespace));
            }
            Change::DropNamespace { database, oid } => self.within(database, |database| database.drop_namespace(oid)),
            Change::PutExtension { database, extension } => {
                self.within(database, |database| drop(database.extensions.insert(extension.oid, extension.into())));
            }
            Change::DropExtension { database, oid } => {
                self.within(database, |database| drop(database.extensions.remove(&oid)));
            }
            Change::PutRole(role) => {
                let before = self.role_by_oid(role.oid).map(|role| role.name.clone());
                if let Some(before) = before.filter(|before| *before != role.name) {
                    self.roles.remove(&before);
                    self.each_database(|database| database.rename_owner(&before, &role.name));
                    let theirs = |tablespace: &TablespaceDef| tablespace.owner == before;
                    change_all(&mut self.tablespaces, theirs, |tablespace| tablespace.owner.clone_from(&role.name));
                }
                self.roles.insert(role.name.clone(), RoleDef::clone(&role));
            }
            Change::DropRole { oid } => {
                if let Some(name) = self.role_by_oid(oid).map(|role| role.name.clone()) {
                    self.roles.remove(&name);
                }
                self.role_settings.retain(|known| known.role != oid);
            }
            Change::PutTablespace(tablespace) => drop(self.tablespaces.insert(tablespace.oid, tablespace.into())),
            Change::DropTablespace { oid } => drop(self.tablespaces.remove(&oid)),
            Change::PutComment { database, comment } => self.within(database, |database| database.put_comment(comment)),
            Change::DropComment { database, comment } => {
                self.within(database, |database| database.drop_comment(&comment));
            }
            Change::PutRoleSettings(settings) => {
                let of = |known: &RoleSettings| (known.database, known.role);
                self.role_settings.retain(|known| of(known) != of(&settings));
                if !settings.settings.is_empty() {
                    self.role_settings.push(settings);
                }
            }
        }
    }

    /// The change that would put the same object as it is now; `None`: there is none.
    pub(crate) fn put_again(&self, change: &Change) -> Option<Change> {
        let within = |database: u32| self.database_by_oid(database);
        Some(match change {
            Change::PutDatabase(database) => Change::PutDatabase(self.databases.get(&database.name)?.clone().into()),
            Change::PutTable { database, table } => {
                Change::PutTable { database: *database, table: within(*database)?.tables.get(&table.oid)?.0.clone() }
            }
            Change::PutSequence { database, sequence } => {
                let sequence = within(*database)?.sequences.get(&sequence.oid)?.0.clone();
                Change::PutSequence { database: *database, sequence }
            }
            Change::PutView { database, view } => {
                Change::PutView { database: *database, view: within(*database)?.views.get(&view.oid)?.0.clone() }
            }
            Change::PutNamespace { database, namespace } => {
                let namespace = within(*database)?.namespaces.get(&namespace.oid)?.0.clone();
                Change::PutNamespace { database: *database, namespace }
            }
            Change::PutExtension { database, extension } => {
                let extension = within(*database)?.extensions.get(&extension.oid)?.0.clone();
                Change::PutExtension { database: *database, extension }
            }
            Change::PutRole(role) => Change::PutRole(Arc::new(self.role_by_oid(role.oid)?.clone())),
            Change::PutTablespace(tablespace) => {
                Change::PutTablespace(self.tablespaces.get(&tablespace.oid)?.0.clone())
            }
            Change::PutRoleSettings(RoleSettings { database, role, .. }) => {
                let settings = self.settings_of(*database, *role).to_vec();
                Change::PutRoleSettings(RoleSettings { database: *database, role: *role, settings })
            }
            // One value, with nothing to be put together.
            Change::PutComment { .. } => return None,
            // It puts nothing.
            _ => return None,
        })
    }

    fn within(&mut self, database: u32, change: impl FnOnce(&mut DatabaseDef)) {
        let name = self.database_by_oid(database).map(|database| database.name.clone());
        if let Some(database) = name.and_then(|name| self.databases.get_mut(&name)) {
            change(database);
        }
    }

    fn each_database(&mut self, change: impl Fn(&mut DatabaseDef)) {
        let names: Vec<String> = self.databases.keys().cloned().collect();
        for name in names {
            change(self.databases.get_mut(&name).expect("it was just there"));
        }
    }

    pub fn role_by_oid(&self, oid: u32) -> Option<&RoleDef> {
        self.roles.values().find(|role| role.oid == oid)
    }

    /// What is set for the sessions of a role in a database; 0 is any.
    pub fn settings_of(&self, database: u32, role: u32) -> &[(String, String)] {
        let known = self.role_settings.iter().find(|known| (known.database, known.role) == (database, role));
        known.map_or(&[], |known| &known.settings)
    }

    /// A tablespace that somebody made.
    pub fn tablespace(&self, name: &str) -> Option<&Arc<TablespaceDef>> {
        self.tablespaces.values().map(Deref::deref).find(|tablespace| tablespace.name == name)
    }

    /// What a tablespace says of how deep it is read, if anything: `effective_io_concurrency`, `maintenance_io_concurrency`.
    pub fn concurrency(&self, tablespace: u32, name: &str) -> Option<Concurrency> {
        self.tablespaces.get(&tablespace)?.concurrency(name)
    }

    /// The latest [`IndexDef::made_after`].
    pub fn youngest_index(&self) -> u64 {
        let tables = self.databases.values().flat_map(|database| database.tables.values());
        tables.flat_map(|table| &table.indexes).map(|index| index.made_after).max().unwrap_or(0)
    }

    /// The databases that have something in a tablespace.
    pub fn databases_in(&self, tablespace: u32) -> impl Iterator<Item = &DatabaseDef> {
        let is_in = move |table: &Shared<TableDef>| {
            table.tablespace == tablespace || table.indexes.iter().any(|index| index.tablespace == tablespace)
        };
        self.databases.values().filter(move |database| database.tables.values().any(is_in))
    }

    /// What a role owns: databases, and how many things in each.
    pub fn owned_by(&self, role: &str) -> impl Iterator<Item = (&DatabaseDef, usize)> {
        self.databases.values().map(move |database| (database, database.owned_by(role)))
    }
}

/// What a change is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Object<'a> {
    Database(&'a str),
    DatabaseComment(u32),
    Table(u32),
    Sequence(u32),
    View(u32),
    Namespace(u32),
    Extension(u32),
    Role(u32),
    Tablespace(u32),
    /// Of a catalog's object, or of a column of it.
    Comment(u32, u32, i32),
    /// In a database, of a role.
    RoleSettings(u32, u32),
}

impl Change {
    pub(crate) fn object(&self) -> Object<'_> {
        match self {
            Change::PutDatabase(database) => Object::Database(&database.name),
            Change::DropDatabase(name) => Object::Database(name),
            Change::CommentOnDatabase { database, .. } => Object::DatabaseComment(*database),
            Change::PutTable { table, .. } => Object::Table(table.oid),
            Change::DropTable { oid, .. } => Object::Table(*oid),
            Change::PutSequence { sequence, .. } => Object::Sequence(sequence.oid),
            Change::DropSequence { oid, .. } => Object::Sequence(*oid),
            Change::PutView { view, .. } => Object::View(view.oid),
            Change::DropView { oid, .. } => Object::View(*oid),
            Change::PutNamespace { namespace, .. } => Object::Namespace(namespace.oid),
            Change::DropNamespace { oid, .. } => Object::Namespace(*oid),
            Change::PutExtension { extension, .. } => Object::Extension(extension.oid),
            Change::DropExtension { oid, .. } => Object::Extension(*oid),
            Change::PutRole(role) => Object::Role(role.oid),
            Change::DropRole { oid } => Object::Role(*oid),
            Change::PutTablespace(tablespace) => Object::Tablespace(tablespace.oid),
            Change::DropTablespace { oid } => Object::Tablespace(*oid),
            Change::PutComment { comment, .. } | Change::DropComment { comment, .. } => {
                Object::Comment(comment.class, comment.oid, comment.column)
            }
            Change::PutRoleSettings(settings) => Object::RoleSettings(settings.database, settings.role),
        }
    }

    /// Do both put the very same definition? (Equal ones may be others in memory.)
    pub(crate) fn is_same(&self, other: &Change) -> bool {
        match (self, other) {
            (Change::PutTable { table: a, .. }, Change::PutTable { table: b, .. }) => Arc::ptr_eq(a, b),
            (Change::PutSequence { sequence: a, .. }, Change::PutSequence { sequence: b, .. }) => Arc::ptr_eq(a, b),
            (Change::PutView { view: a, .. }, Change::PutView { view: b, .. }) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// The greatest of the oids and the numbers of files that it uses.
    fn last_oid(&self) -> u32 {
        match self {
            Change::PutDatabase(database) => database.oid,
            Change::PutTable { table, .. } => {
                let indexes = table.indexes.iter().flat_map(|i| [i.oid, i.file]);
                let own = [table.oid, table.file, table.row_type, table.array_type];
                indexes.chain(table.checks.iter().map(|c| c.oid)).chain(own).max().unwrap_or(0)
            }
            Change::PutSequence { sequence, .. } => sequence.oid.max(sequence.file),
            Change::PutView { view, .. } => view.oid.max(view.rule).max(view.row_type).max(view.array_type),
            Change::PutNamespace { namespace, .. } => namespace.oid,
            Change::PutExtension { extension, .. } => extension.oid,
            Change::PutRole(role) => role.oid,
            Change::PutTablespace(tablespace) => tablespace.oid,
            Change::DropDatabase(_)
            | Change::CommentOnDatabase { .. }
            | Change::DropTable { .. }
            | Change::DropSequence { .. }
            | Change::DropView { .. }
            | Change::DropNamespace { .. }
            | Change::DropExtension { .. }
            | Change::DropRole { .. }
            | Change::DropTablespace { .. }
            | Change::PutComment { .. }
            | Change::DropComment { .. }
            | Change::PutRoleSettings(_) => 0,
        }
    }
}
