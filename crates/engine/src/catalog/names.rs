//! The names of a database's relations: tables, views, sequences and indexes share them within a schema.
//!
//! It follows the definitions: whatever is put into a database or removed from it is put here and removed.

use std::collections::BTreeMap;
use std::sync::Arc;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    Table(u32),
    View(u32),
    Sequence(u32),
    /// An index of a table.
    Index {
        table: u32,
        index: u32,
    },
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Names {
    by_schema: BTreeMap<Arc<str>, BTreeMap<Arc<str>, Named>>,
    /// The tables of indexes.
    tables: BTreeMap<u32, u32>,
}

impl Names {
    pub fn get(&self, schema: &str, name: &str) -> Option<Named> {
        self.by_schema.get(schema)?.get(name).copied()
    }

    /// The table of an index.
    pub fn table_of(&self, index: u32) -> Option<u32> {
        self.tables.get(&index).copied()
    }

    pub fn in_schema(&self, schema: &str) -> impl Iterator<Item = Named> + '_ {
        self.by_schema.get(schema).into_iter().flat_map(|names| names.values().copied())
    }

    pub fn put(&mut self, schema: &str, name: &str, named: Named) {
        if let Named::Index { table, index } = named {
            self.tables.insert(index, table);
        }
        match self.by_schema.get_mut(schema) {
            Some(names) => names.insert(name.into(), named),
            None => self.by_schema.entry(schema.into()).or_default().insert(name.into(), named),
        };
    }

    /// Another relation may have got the name meanwhile: it keeps it.
    pub fn remove(&mut self, schema: &str, name: &str, named: Named) {
        if let Named::Index { index, .. } = named {
            self.tables.remove(&index);
        }
        let Some(names) = self.by_schema.get_mut(schema) else { return };
        if names.get(name) == Some(&named) {
            names.remove(name);
        }
        if names.is_empty() {
            self.by_schema.remove(schema);
        }
    }
}
