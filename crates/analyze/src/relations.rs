//! What analysis asks about relations: their columns, keys and unique indexes. What there is beside them (types, functions,
//! operators, casts) it asks the catalog directly.

use std::sync::Arc;

use catalog::Catalog;
use types::{Oid, Result, oid};

use crate::query::TypeRef;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelationKind {
    Table,
    View,
    Sequence,
    Index,
    CompositeType,
}

/// A table, a view, or another relation with columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Relation {
    pub oid: Oid,
    pub name: String,
    pub kind: RelationKind,
    /// By number from 1.
    pub columns: Vec<Attribute>,
    /// The type of its rows; 0 where there is none.
    pub row_type: Oid,
    /// The columns of the primary key, unless that is deferrable.
    pub primary_key: Option<Vec<i16>>,
    pub unique_indexes: Vec<UniqueIndex>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    pub name: String,
    pub ty: TypeRef,
    pub not_null: bool,
    pub dropped: bool,
}

/// An index that ON CONFLICT may mean.
#[derive(Clone, Debug, PartialEq)]
pub struct UniqueIndex {
    pub oid: Oid,
    /// The constraint that it is for.
    pub constraint: Option<String>,
    /// Its key; 0 is an expression.
    pub columns: Vec<i16>,
    pub partial: bool,
}

impl Relation {
    /// The number of a column.
    pub fn attribute(&self, name: &str) -> Option<i16> {
        let found = self.columns.iter().position(|column| !column.dropped && column.name == name);
        found.map(|index| index as i16 + 1)
    }
}

/// Who knows the relations.
pub trait Relations {
    /// The relation of this name in a schema, or in the first schema of the search path that has one. `None` also where the
    /// schema does not exist.
    fn relation(&self, schema: Option<&str>, name: &str) -> Result<Option<Arc<Relation>>>;

    fn relation_by_oid(&self, oid: Oid) -> Option<Arc<Relation>>;
}

/// What the catalogs say.
impl Relations for Catalog<'_> {
    fn relation(&self, schema: Option<&str>, name: &str) -> Result<Option<Arc<Relation>>> {
        let schema = match schema {
            Some(schema) => match self.namespace_oid(schema) {
                Ok(schema) => Some(schema),
                Err(_) => return Ok(None),
            },
            None => None,
        };
        let position = |namespace: Oid| match schema {
            Some(schema) => (schema == namespace).then_some(0),
            None => self.search_path.iter().position(|&searched| searched == namespace),
        };
        let placed = self.relations_named(name).filter_map(|row| Some((position(row.relnamespace)?, row.oid)));
        Ok(placed.min_by_key(|(position, _)| *position).and_then(|(_, oid)| self.relation_by_oid(oid)))
    }

    fn relation_by_oid(&self, relation: Oid) -> Option<Arc<Relation>> {
        let row = Catalog::relation(*self, relation)?;
        let kind = match row.relkind {
            b'v' => RelationKind::View,
            b'S' => RelationKind::Sequence,
            b'i' | b'I' => RelationKind::Index,
            b'c' => RelationKind::CompositeType,
            _ => RelationKind::Table,
        };
        let mut columns: Vec<_> = self.attributes(relation).filter(|column| column.attnum > 0).collect();
        columns.sort_by_key(|column| column.attnum);
        let columns = columns.into_iter().map(|column| Attribute {
            name: column.attname.to_string(),
            ty: TypeRef { oid: column.atttypid, typmod: column.atttypmod },
            not_null: column.attnotnull,
            dropped: column.attisdropped,
        });
        let key = self.constraints_of_relation(relation).find(|row| row.contype == b'p' && !row.condeferrable);
        let unique = self.indexes_of_relation(relation).filter(|row| row.indisunique && row.indisvalid);
        let unique_indexes = unique.map(|row| UniqueIndex {
            oid: row.indexrelid,
            constraint: self
                .constraints_of_relation(relation)
                .find(|constraint| constraint.conindid == row.indexrelid)
                .map(|constraint| constraint.conname.to_string()),
            columns: row.indkey.iter().take(row.indnkeyatts as usize).copied().collect(),
            partial: row.indpred.is_some(),
        });
        Some(Arc::new(Relation {
            oid: relation,
            name: row.relname.to_string(),
            kind,
            columns: columns.collect(),
            row_type: if kind == RelationKind::Index { oid::INVALID } else { row.reltype },
            primary_key: key.and_then(|row| row.conkey.as_ref()).map(|key| key.to_vec()),
            unique_indexes: unique_indexes.collect(),
        }))
    }
}
