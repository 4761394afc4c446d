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
}

impl TableDef {
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
}

impl DatabaseDef {
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
pub(crate) enum Change {
    PutDatabase(DatabaseDef),
    DropDatabase(String),
    PutTable { database: u32, table: Arc<TableDef>, next_oid: u32 },
    DropTable { database: u32, oid: u32 },
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

    pub(crate) fn apply(&mut self, change: Change) {
        match change {
            Change::PutDatabase(database) => {
                self.next_oid = self.next_oid.max(database.oid + 1);
                self.databases.entry(database.name.clone()).or_insert(database);
            }
            Change::DropDatabase(name) => {
                self.databases.remove(&name);
            }
            Change::PutTable { database, table, next_oid } => {
                self.next_oid = self.next_oid.max(next_oid);
                if let Some(database) = self.database_by_oid_mut(database) {
                    database.tables.insert(table.oid, table);
                }
            }
            Change::DropTable { database, oid } => {
                if let Some(database) = self.database_by_oid_mut(database) {
                    database.tables.remove(&oid);
                }
            }
        }
    }
}
