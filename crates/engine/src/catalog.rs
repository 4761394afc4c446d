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
    /// Storage parameters, as they were given.
    #[serde(default)]
    pub options: Vec<(String, String)>,
    /// The columns' operator classes, as OIDs; none where all are their types'. Text is ordered by bytes in each of them.
    #[serde(default)]
    pub operator_classes: Vec<u32>,
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
    /// The OIDs of the type of its rows and of the type of arrays of them; 0 in a table made before there were any.
    #[serde(default)]
    pub row_type: u32,
    #[serde(default)]
    pub array_type: u32,
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
    /// Storage parameters, as they were given.
    #[serde(default)]
    pub options: Vec<(String, String)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Analyzed {
    pub pages: u32,
    /// An estimate of the rows on them.
    pub rows: f64,
    /// By the position of the column; none where nothing was found out.
    #[serde(default)]
    pub columns: Vec<Option<AnalyzedColumn>>,
}

/// How a column's values are spread: a row of `pg_statistic`. Values are texts, as their type reads them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnalyzedColumn {
    /// The part of the rows that have NULL, 0 to 1.
    pub null_fraction: f64,
    /// Bytes of a value.
    pub width: i32,
    /// How many different values: their number, or below 0 the part of the rows (-1: all differ).
    pub distinct: f64,
    /// The most common values with their parts of all rows, most common first.
    pub common: Vec<(String, f64)>,
    /// Values that cut the others into parts with equally many rows, in order.
    pub histogram: Vec<String>,
    /// How much the rows' order is the values' order, -1 to 1.
    pub correlation: Option<f64>,
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

#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct RoleDef {
    pub oid: u32,
    pub name: String,
    pub superuser: bool,
    #[serde(default = "yes")]
    pub inherit: bool,
    #[serde(default)]
    pub create_role: bool,
    #[serde(default)]
    pub create_db: bool,
    #[serde(default = "yes")]
    pub login: bool,
    #[serde(default)]
    pub replication: bool,
    #[serde(default)]
    pub bypass_rls: bool,
    /// Sessions at once; `None` for any number.
    #[serde(default)]
    pub connection_limit: Option<u32>,
    /// The password's verifier ([`crate::password`]).
    #[serde(default)]
    pub password: Option<String>,
    /// Until when the password is good, in microseconds since 1970.
    #[serde(default)]
    pub valid_until: Option<i64>,
    /// The OID of the role that made it, which may change and drop it; `None` if a superuser made it.
    #[serde(default)]
    pub made_by: Option<u32>,
}

fn yes() -> bool {
    true
}

impl std::fmt::Debug for RoleDef {
    /// Without the password: this may get into a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RoleDef").field("oid", &self.oid).field("name", &self.name).finish_non_exhaustive()
    }
}

impl RoleDef {
    /// As CREATE ROLE makes one that says nothing more.
    pub fn new(oid: u32, name: &str) -> RoleDef {
        RoleDef {
            oid,
            name: name.into(),
            superuser: false,
            inherit: true,
            create_role: false,
            create_db: false,
            login: false,
            replication: false,
            bypass_rls: false,
            connection_limit: None,
            password: None,
            valid_until: None,
            made_by: None,
        }
    }

    /// Who may everything.
    fn almighty(oid: u32, name: &str) -> RoleDef {
        let all = RoleDef { superuser: true, create_role: true, create_db: true, ..RoleDef::new(oid, name) };
        RoleDef { login: true, replication: true, bypass_rls: true, ..all }
    }

    /// Is the password still good?
    pub fn is_valid(&self, now: std::time::SystemTime) -> bool {
        let now = now.duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_micros() as i64;
        self.valid_until.is_none_or(|until| now <= until)
    }
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
    PutRole(Arc<RoleDef>),
    DropRole { oid: u32 },
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
        roles.insert("postgres".to_string(), RoleDef::almighty(10, "postgres"));
        let mut next_oid = FIRST_USER_OID;
        if system_user != "postgres" {
            roles.insert(system_user.into(), RoleDef::almighty(next_oid, system_user));
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
                let own = [table.oid, table.file, table.row_type, table.array_type];
                let last = oids.chain(table.checks.iter().map(|c| c.oid)).chain(own).max();
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
            Change::PutRole(role) => {
                self.next_oid = self.next_oid.max(role.oid + 1);
                let before = self.role_by_oid(role.oid).map(|role| role.name.clone());
                if let Some(before) = before.filter(|before| *before != role.name) {
                    self.roles.remove(&before);
                    self.rename_owner(&before, &role.name);
                }
                self.roles.insert(role.name.clone(), RoleDef::clone(&role));
            }
            Change::DropRole { oid } => self.roles.retain(|_, role| role.oid != oid),
        }
    }

    pub fn role_by_oid(&self, oid: u32) -> Option<&RoleDef> {
        self.roles.values().find(|role| role.oid == oid)
    }

    /// What a role owns: databases, and how many things in each.
    pub fn owned_by(&self, role: &str) -> impl Iterator<Item = (&DatabaseDef, usize)> {
        self.databases.values().map(move |database| {
            let tables = database.tables.values().filter(|table| table.owner == role).count();
            let sequences = database.sequences.values().filter(|s| s.owner == role && s.owned_by.is_none()).count();
            (database, tables + sequences)
        })
    }

    fn rename_owner(&mut self, before: &str, now: &str) {
        let rename = |owner: &mut String| {
            if owner == before {
                *owner = now.into();
            }
        };
        for database in self.databases.values_mut() {
            rename(&mut database.owner);
            let tables = database.tables.values_mut().filter(|table| table.owner == before);
            tables.for_each(|table| rename(&mut Arc::make_mut(table).owner));
            let sequences = database.sequences.values_mut().filter(|sequence| sequence.owner == before);
            sequences.for_each(|sequence| rename(&mut Arc::make_mut(sequence).owner));
        }
    }
}
