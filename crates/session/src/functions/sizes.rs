//! How large relations and databases are on disk: PostgreSQL's `dbsize.c`.

use std::path::PathBuf;

use catalog::Catalog;
use engine::{DatabaseDef, TableDef};
use storage::{Relation, RelationId};

use crate::session::shared::Shared;

/// The table whose long values are in this relation.
fn toast_of(database: &DatabaseDef, relation: u32) -> Option<&TableDef> {
    let id = RelationId { database: 0, file: relation };
    let table = id.is_toast().then(|| database.table_by_oid(id.main().file))?;
    table.map(|table| &**table)
}

/// How many bytes a relation has.
#[derive(Clone, Copy, Debug, Default)]
pub struct RelationBytes {
    /// In its own file.
    pub main: i64,
    /// Of its long values.
    pub toast: i64,
    pub indexes: i64,
}

/// The bytes of a relation; `None`: there is no such relation.
pub fn relation_bytes(shared: &Shared, relation: u32) -> Option<RelationBytes> {
    let id = |file| RelationId { database: shared.database.0, file };
    let bytes_of = |relation: &Relation| i64::from(relation.blocks()) * storage::PAGE_SIZE as i64;
    let bytes = |file| Some(bytes_of(&*shared.db.relation(id(file)).ok()?));
    let catalog = shared.catalog();
    let database = catalog.database_by_oid(shared.database.0)?;
    let toast_bytes = |table: &TableDef| {
        let toast = shared.db.relation_if_exists(id(table.file).toast()).ok()?;
        Some(toast.map_or(0, |toast| bytes_of(&toast)))
    };
    if let Some(table) = toast_of(database, relation) {
        return Some(RelationBytes { main: toast_bytes(table)?, ..RelationBytes::default() });
    }
    if let Some(table) = database.table_by_oid(relation) {
        let indexes = table.indexes.iter().map(|index| bytes(index.file)).sum::<Option<i64>>()?;
        return Some(RelationBytes { main: bytes(table.file)?, toast: toast_bytes(table)?, indexes });
    }
    // Views and the system's own relations have no file.
    if database.has_view(relation) || Catalog::BUILT_IN.relation(relation).is_some() {
        return Some(RelationBytes::default());
    }
    Some(RelationBytes { main: bytes(file_of(database, relation)?)?, ..RelationBytes::default() })
}

/// A relation's own file; `None`: it has none, or there is no such relation.
pub fn file_of(database: &DatabaseDef, relation: u32) -> Option<u32> {
    let table = database.table_by_oid(relation).map(|table| table.file);
    let sequence = || database.sequence_by_oid(relation).map(|sequence| sequence.file);
    let index = || {
        let mut indexes = database.tables().flat_map(|table| &table.indexes);
        Some(indexes.find(|index| index.oid == relation)?.file)
    };
    table.or_else(sequence).or_else(index)
}

/// The bytes of a database's files, and of its definitions in the control file: where PostgreSQL has files for each database's
/// catalogs, there are none here. `None`: there is no such database.
pub fn database_bytes(shared: &Shared, database: u32) -> Option<i64> {
    let bytes = |directory: PathBuf| -> Option<i64> {
        let entries = std::fs::read_dir(directory).ok()?;
        Some(entries.flatten().filter_map(|entry| entry.metadata().ok()).map(|found| found.len() as i64).sum())
    };
    let catalog = shared.catalog();
    let definitions = catalog.database_by_oid(database)?.stored_bytes() as i64;
    // It has no directory before it has a relation.
    let home = bytes(shared.db.root().join(format!("base/{database}"))).unwrap_or_default();
    let elsewhere = catalog
        .tablespaces()
        .filter_map(|row| bytes(shared.db.files().tablespace_directory(row.oid).join(database.to_string())));
    Some(definitions + home + elsewhere.sum::<i64>())
}
