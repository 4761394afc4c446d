//! What exists: databases, roles, tables. Kept in memory; every change is a log record, and a checkpoint keeps the whole.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_schema::{Field, Schema, SchemaRef};
use serde::{Deserialize, Serialize};

use crate::types::PgType;

/// OIDs below are PostgreSQL's own.
pub const FIRST_USER_OID: u32 = 16384;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnDef {
    pub name: String,
    pub ty: PgType,
    pub not_null: bool,
    /// The DEFAULT expression, as SQL.
    pub default: Option<String>,
    #[serde(default)]
    pub identity: Option<Identity>,
}

/// `GENERATED … AS IDENTITY`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Identity {
    Always,
    ByDefault,
}

/// A column of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexColumn {
    /// Position in the table.
    pub column: usize,
    pub descending: bool,
    pub nulls_first: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IndexDef {
    pub oid: u32,
    pub file: u32,
    pub name: String,
    pub columns: Vec<IndexColumn>,
    pub unique: bool,
    /// NULLs are equal.
    pub nulls_not_distinct: bool,
    pub primary: bool,
    /// It belongs to a constraint of the same name.
    pub constraint: bool,
    /// The transaction that made it: snapshots that do not see it must not use it, for it lacks rows that were gone.
    pub made_by: u64,
}

/// A CHECK constraint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckDef {
    pub oid: u32,
    pub name: String,
    /// The condition, as SQL.
    pub condition: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SequenceDef {
    pub oid: u32,
    pub file: u32,
    pub schema: String,
    pub name: String,
    pub owner: String,
    pub ty: PgType,
    pub start: i64,
    pub increment: i64,
    pub min: i64,
    pub max: i64,
    pub cache: i64,
    pub cycle: bool,
    /// The table and the column that it goes with.
    pub owned_by: Option<(u32, String)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableDef {
    pub oid: u32,
    /// The number of its files; TRUNCATE gives a new one.
    pub file: u32,
    pub schema: String,
    pub name: String,
    pub owner: String,
    pub columns: Vec<ColumnDef>,
    #[serde(default)]
    pub indexes: Vec<IndexDef>,
    #[serde(default)]
    pub checks: Vec<CheckDef>,
    /// As ANALYZE found it, if it ever ran since the table was last emptied or written anew.
    #[serde(default)]
    pub analyzed: Option<Analyzed>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Analyzed {
    pub pages: u32,
    /// An estimate of the rows on them.
    pub rows: f64,
}

impl TableDef {
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|c| c.name == name)
    }

    pub fn primary_key(&self) -> Option<&IndexDef> {
        self.indexes.iter().find(|i| i.primary)
    }

    pub fn arrow_schema(&self) -> SchemaRef {
        let fields: Vec<_> = self.columns.iter().map(|c| Field::new(&c.name, c.ty.arrow(), !c.not_null)).collect();
        Arc::new(Schema::new(fields))
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DatabaseDef {
    pub oid: u32,
    pub name: String,
    pub owner: String,
    pub is_template: bool,
    pub allow_connections: bool,
    /// By OID.
    pub tables: BTreeMap<u32, Arc<TableDef>>,
    /// By OID.
    #[serde(default)]
    pub sequences: BTreeMap<u32, Arc<SequenceDef>>,
}

impl DatabaseDef {
    /// The files of everything in it.
    pub fn files(&self) -> impl Iterator<Item = u32> + '_ {
        let tables = self.tables.values().flat_map(|t| t.indexes.iter().map(|i| i.file).chain([t.file]));
        tables.chain(self.sequences.values().map(|s| s.file))
    }

    pub fn sequence(&self, schema: &str, name: &str) -> Option<&Arc<SequenceDef>> {
        self.sequences.values().find(|s| s.name == name && s.schema == schema)
    }

    /// The index of this name, and its table.
    pub fn index(&self, schema: &str, name: &str) -> Option<(&Arc<TableDef>, &IndexDef)> {
        let tables = self.tables.values().filter(|t| t.schema == schema);
        tables.flat_map(|t| t.indexes.iter().map(move |i| (t, i))).find(|(_, i)| i.name == name)
    }

    /// Is there a table, index or sequence of this name? They share their names, as in PostgreSQL.
    pub fn has_relation(&self, schema: &str, name: &str) -> bool {
        self.table(schema, name).is_some()
            || self.sequence(schema, name).is_some()
            || self.index(schema, name).is_some()
    }

    pub fn table(&self, schema: &str, name: &str) -> Option<&Arc<TableDef>> {
        self.tables.values().find(|t| t.name == name && t.schema == schema)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoleDef {
    pub oid: u32,
    pub name: String,
    pub superuser: bool,
}

/// Everything that exists.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Catalog {
    pub next_oid: u32,
    pub databases: BTreeMap<String, DatabaseDef>,
    pub roles: BTreeMap<String, RoleDef>,
}

/// A change of the catalog, as the log has it. Replaying one twice changes nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Change {
    PutDatabase(DatabaseDef),
    DropDatabase(String),
    PutTable { database: u32, table: Arc<TableDef> },
    DropTable { database: u32, oid: u32 },
    PutSequence { database: u32, sequence: Arc<SequenceDef> },
    DropSequence { database: u32, oid: u32 },
}

impl Catalog {
    /// A new cluster's: the databases and the role that PostgreSQL starts with, and the role of who made it.
    pub(crate) fn new(system_user: &str) -> Catalog {
        let database = |oid, name: &str, template, connections| DatabaseDef {
            oid,
            name: name.into(),
            owner: "postgres".into(),
            is_template: template,
            allow_connections: connections,
            tables: BTreeMap::new(),
            sequences: BTreeMap::new(),
        };
        let databases = [
            database(1, "template1", true, true),
            database(4, "template0", true, false),
            database(5, "postgres", false, true),
        ];
        let mut roles = BTreeMap::new();
        roles.insert("postgres".to_string(), RoleDef { oid: 10, name: "postgres".into(), superuser: true });
        let mut next_oid = FIRST_USER_OID;
        if system_user != "postgres" {
            roles.insert(system_user.into(), RoleDef { oid: next_oid, name: system_user.into(), superuser: true });
            next_oid += 1;
        }
        Catalog { next_oid, databases: databases.into_iter().map(|d| (d.name.clone(), d)).collect(), roles }
    }

    pub fn database_by_oid(&self, oid: u32) -> Option<&DatabaseDef> {
        self.databases.values().find(|d| d.oid == oid)
    }

    fn database_by_oid_mut(&mut self, oid: u32) -> Option<&mut DatabaseDef> {
        self.databases.values_mut().find(|d| d.oid == oid)
    }

    pub fn apply(&mut self, change: Change) {
        match change {
            Change::PutDatabase(database) => {
                self.next_oid = self.next_oid.max(database.oid + 1);
                self.databases.entry(database.name.clone()).or_insert(database);
            }
            Change::DropDatabase(name) => {
                self.databases.remove(&name);
            }
            Change::PutTable { database, table } => {
                let oids = table.indexes.iter().flat_map(|i| [i.oid, i.file]);
                let last = oids.chain(table.checks.iter().map(|c| c.oid)).chain([table.oid, table.file]).max();
                self.next_oid = self.next_oid.max(last.unwrap_or(0) + 1);
                if let Some(database) = self.database_by_oid_mut(database) {
                    database.tables.insert(table.oid, table);
                }
            }
            Change::DropTable { database, oid } => {
                if let Some(database) = self.database_by_oid_mut(database) {
                    database.tables.remove(&oid);
                }
            }
            Change::PutSequence { database, sequence } => {
                self.next_oid = self.next_oid.max(sequence.oid.max(sequence.file) + 1);
                if let Some(database) = self.database_by_oid_mut(database) {
                    database.sequences.insert(sequence.oid, sequence);
                }
            }
            Change::DropSequence { database, oid } => {
                if let Some(database) = self.database_by_oid_mut(database) {
                    database.sequences.remove(&oid);
                }
            }
        }
    }
}
