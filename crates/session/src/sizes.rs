//! How large relations and databases are on disk: PostgreSQL's `dbsize.c`.

use catalog::Catalog;
use storage::RelationId;

use crate::session::Shared;

/// The bytes of a relation's own file, and of its indexes'; `None`: there is no such relation.
pub fn relation_bytes(shared: &Shared, relation: u32) -> Option<(i64, i64)> {
    let bytes = |file| {
        let found = shared.db.relation(RelationId { database: shared.database.0, file }).ok()?;
        Some(i64::from(found.blocks()) * storage::PAGE_SIZE as i64)
    };
    let catalog = shared.catalog();
    let database = catalog.database_by_oid(shared.database.0)?;
    if let Some(table) = database.tables.get(&relation) {
        let indexes = table.indexes.iter().map(|index| bytes(index.file)).sum::<Option<i64>>()?;
        return Some((bytes(table.file)?, indexes));
    }
    if let Some(sequence) = database.sequences.get(&relation) {
        return Some((bytes(sequence.file)?, 0));
    }
    // Views and the system's own relations have no file.
    if database.views.contains_key(&relation) || Catalog::BUILT_IN.relation(relation).is_some() {
        return Some((0, 0));
    }
    let mut indexes = database.tables.values().flat_map(|table| &table.indexes);
    Some((bytes(indexes.find(|index| index.oid == relation)?.file)?, 0))
}

/// The bytes of a database's files.
pub fn database_bytes(shared: &Shared, database: u32) -> Option<i64> {
    let directory = shared.db.root().join(format!("base/{database}"));
    let entries = std::fs::read_dir(directory).ok()?;
    Some(entries.flatten().filter_map(|entry| entry.metadata().ok()).map(|found| found.len() as i64).sum())
}
