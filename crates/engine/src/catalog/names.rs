//! The names of a database's schemas and relations (tables, views, sequences and indexes share them within a schema), and which
//! relation belongs to which.
//!
//! It follows the definitions: whatever is put into a database or removed from it is put here and removed.

use std::sync::Arc;

use imbl::{OrdMap, OrdSet};

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

/// Copies share what neither changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Names {
    by_schema: OrdMap<Arc<str>, OrdMap<Arc<str>, Named>>,
    /// The tables of indexes.
    tables: OrdMap<u32, u32>,
    /// The sequences that tables own.
    owned: OrdSet<(u32, u32)>,
    schemas: OrdMap<Arc<str>, u32>,
    /// No index has a greater [`super::IndexDef::made_after`].
    pub youngest_index: u64,
}

impl Names {
    pub fn get(&self, schema: &str, name: &str) -> Option<Named> {
        self.by_schema.get(schema)?.get(name).copied()
    }

    /// The table of an index.
    pub fn table_of(&self, index: u32) -> Option<u32> {
        self.tables.get(&index).copied()
    }

    /// The sequences that a table owns.
    pub fn owned_by(&self, table: u32) -> impl Iterator<Item = u32> + '_ {
        self.owned.range((table, 0)..=(table, u32::MAX)).map(|(_, sequence)| *sequence)
    }

    /// The oid of a schema of a user's.
    pub fn schema(&self, name: &str) -> Option<u32> {
        self.schemas.get(name).copied()
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

    pub fn own(&mut self, table: u32, sequence: u32) {
        self.owned.insert((table, sequence));
    }

    pub fn disown(&mut self, table: u32, sequence: u32) {
        self.owned.remove(&(table, sequence));
    }

    pub fn put_schema(&mut self, name: &str, oid: u32) {
        self.schemas.insert(name.into(), oid);
    }

    /// Another schema may have got the name meanwhile: it keeps it.
    pub fn remove_schema(&mut self, name: &str, oid: u32) {
        if self.schema(name) == Some(oid) {
            self.schemas.remove(name);
        }
    }
}
