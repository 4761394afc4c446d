//! What analysis asks about relations: their columns, keys and unique indexes. What there is beside them (types, functions,
//! operators, casts) it asks the catalog directly.

use std::sync::Arc;

use catalog::catalogs::PgAttribute;
use catalog::{Catalog, FIRST_NORMAL_OBJECT_ID};
use error::sqlstate;
use types::{Context, Oid, Result, oid};

use crate::query::{Collation, Column, Expr, TypeRef};
use crate::rewrite::recorded;
use crate::rewrite::stored::{self, StoredTrees};
use crate::transform::Analyzed;

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
    /// Unless it is deferrable.
    pub primary_key: Option<PrimaryKey>,
    pub unique_indexes: Vec<UniqueIndex>,
    /// A view with that option (`RelationIsSecurityView`).
    pub security_barrier: bool,
    /// Of a view.
    pub check_option: Option<CheckOption>,
}

/// WITH CHECK OPTION: rows that are made through a view have to be shown by it, and with CASCADED by those that it is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckOption {
    Local,
    Cascaded,
}

/// A policy of a table ([`crate::rewrite`] puts it into queries). Its table is entry 1.
#[derive(Debug)]
pub struct Policy {
    pub name: String,
    /// `pg_policy.polcmd`.
    pub command: u8,
    pub permissive: bool,
    /// 0 is PUBLIC.
    pub roles: Box<[Oid]>,
    pub using: Option<Expr>,
    pub with_check: Option<Expr>,
    /// Levels of the deeper tree.
    pub depth: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PrimaryKey {
    pub constraint: Oid,
    pub columns: Vec<i16>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    pub name: String,
    pub ty: TypeRef,
    /// 0: its values have none.
    pub collation: Oid,
    pub not_null: bool,
    pub dropped: bool,
    pub identity: Option<Identity>,
    pub generated: bool,
}

impl Attribute {
    /// As an entry of a range table has it: a dropped one has its place, and no name.
    pub fn column(&self) -> Column {
        let name = if self.dropped { String::new() } else { self.name.clone() };
        Column { name, ty: self.ty, collation: Collation(self.collation) }
    }
}

/// `GENERATED … AS IDENTITY`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    Always,
    ByDefault,
}

/// An index that ON CONFLICT may mean.
#[derive(Clone, Debug, PartialEq)]
pub struct UniqueIndex {
    pub oid: Oid,
    /// The constraint that it is for.
    pub constraint: Option<String>,
    /// Its key; 0 is an expression.
    pub columns: Vec<i16>,
    pub collations: Vec<Oid>,
    pub partial: bool,
}

impl Relation {
    /// The number of a column.
    pub fn attribute(&self, name: &str) -> Option<i16> {
        let found = self.columns.iter().position(|column| !column.dropped && column.name == name);
        found.map(|index| index as i16 + 1)
    }
}

/// What analysis asks about relations.
pub trait Relations {
    /// The relation of this name in a schema, or in the first schema of the search path that has one. `None` also where the
    /// schema does not exist.
    fn relation(&self, schema: Option<&str>, name: &str) -> Result<Option<Arc<Relation>>>;

    fn relation_by_oid(&self, oid: Oid) -> Option<Arc<Relation>>;

    /// What a column gets where nothing is given, as a value of its type; `None`: NULL.
    fn column_default(&self, relation: Oid, attribute: i16) -> Result<Option<Arc<Expr>>>;

    /// The query of a view. Views in it are not expanded.
    fn view_query(&self, view: Oid) -> Result<Arc<Analyzed>>;

    /// What an index has beside columns.
    fn index_expressions(&self, index: Oid) -> Result<Arc<IndexExpressions>>;

    /// The policies of a table, in the order in which they are asked.
    fn policies(&self, table: Oid) -> Result<Arc<[Policy]>>;
}

/// The expressions of an index. Its table is entry 1.
#[derive(Debug, Default)]
pub struct IndexExpressions {
    /// Those of its key, which has column 0 for each.
    pub keys: Vec<Expr>,
    /// That of a partial index.
    pub predicate: Option<Expr>,
}

/// What the catalogs say. Trees are read each time.
impl Relations for Catalog<'_> {
    fn relation(&self, schema: Option<&str>, name: &str) -> Result<Option<Arc<Relation>>> {
        Ok(relation_named(*self, schema, name)?.and_then(|found| relation_of(*self, found)))
    }

    fn relation_by_oid(&self, relation: Oid) -> Option<Arc<Relation>> {
        relation_of(*self, relation)
    }

    fn column_default(&self, relation: Oid, attribute: i16) -> Result<Option<Arc<Expr>>> {
        stored::column_default(*self, &Context::default(), relation, attribute)
    }

    fn view_query(&self, view: Oid) -> Result<Arc<Analyzed>> {
        if view < FIRST_NORMAL_OBJECT_ID {
            return recorded::built_in_view(&Context::default(), view);
        }
        stored::view_query(*self, self, view).map(Arc::new)
    }

    fn index_expressions(&self, index: Oid) -> Result<Arc<IndexExpressions>> {
        stored::index_expressions(*self, self, index).map(Arc::new)
    }

    fn policies(&self, table: Oid) -> Result<Arc<[Policy]>> {
        stored::policies(*self, self, table)
    }
}

/// What the catalogs say; what was made of them is kept for a version of them.
#[derive(Clone, Copy)]
pub struct CatalogRelations<'a> {
    pub catalog: Catalog<'a>,
    pub trees: &'a StoredTrees,
}

impl Relations for CatalogRelations<'_> {
    fn relation(&self, schema: Option<&str>, name: &str) -> Result<Option<Arc<Relation>>> {
        Ok(relation_named(self.catalog, schema, name)?.and_then(|found| self.relation_by_oid(found)))
    }

    fn relation_by_oid(&self, relation: Oid) -> Option<Arc<Relation>> {
        self.trees.relations.get(relation, || Ok(relation_of(self.catalog, relation))).ok()?
    }

    fn column_default(&self, relation: Oid, attribute: i16) -> Result<Option<Arc<Expr>>> {
        let make = || stored::column_default(self.catalog, self.trees.context(), relation, attribute);
        self.trees.defaults.get((relation, attribute), make)
    }

    fn view_query(&self, view: Oid) -> Result<Arc<Analyzed>> {
        if view < FIRST_NORMAL_OBJECT_ID {
            return recorded::built_in_view(self.trees.context(), view);
        }
        let make = || stored::view_query(self.catalog, self, view).map(Arc::new);
        self.trees.views.get(view, make)
    }

    fn index_expressions(&self, index: Oid) -> Result<Arc<IndexExpressions>> {
        let make = || stored::index_expressions(self.catalog, self, index).map(Arc::new);
        self.trees.indexes.get(index, make)
    }

    fn policies(&self, table: Oid) -> Result<Arc<[Policy]>> {
        self.trees.policies.get(table, || stored::policies(self.catalog, self, table))
    }
}

impl CatalogRelations<'_> {
    /// The condition of a CHECK constraint, whose table is entry 1.
    pub fn check_condition(&self, constraint: Oid) -> Result<Arc<Expr>> {
        let make = || stored::check_condition(self.catalog, self, constraint).map(Arc::new);
        self.trees.checks.get(constraint, make)
    }
}

/// A relation by its name. Fails where the session's role may not use the schema; one that does not exist has none.
fn relation_named(catalog: Catalog<'_>, schema: Option<&str>, name: &str) -> Result<Option<Oid>> {
    let schema = match schema.map(|schema| catalog.namespace_oid(schema)).transpose() {
        Err(error) if error.0.code != sqlstate::INSUFFICIENT_PRIVILEGE => return Ok(None),
        found => found?,
    };
    let position = |namespace: Oid| match schema {
        Some(schema) => (schema == namespace).then_some(0),
        None => catalog.search_path.iter().position(|&searched| searched == namespace),
    };
    let placed = catalog.relations_named(name).filter_map(|row| Some((position(row.relnamespace)?, row.oid)));
    Ok(placed.min_by_key(|(position, _)| *position).map(|(_, oid)| oid))
}

fn relation_of(catalog: Catalog<'_>, relation: Oid) -> Option<Arc<Relation>> {
    let row = catalog.relation(relation)?;
    let kind = match row.relkind {
        b'v' => RelationKind::View,
        b'S' => RelationKind::Sequence,
        b'i' | b'I' => RelationKind::Index,
        b'c' => RelationKind::CompositeType,
        _ => RelationKind::Table,
    };
    let mut columns: Vec<_> = catalog.attributes(relation).filter(|column| column.attnum > 0).collect();
    columns.sort_by_key(|column| column.attnum);
    let key = catalog.constraints_of_relation(relation).find(|row| row.contype == b'p' && !row.condeferrable);
    let unique = catalog.indexes_of_relation(relation).filter(|row| row.indisunique && row.indisvalid);
    let unique_indexes = unique.map(|row| UniqueIndex {
        oid: row.indexrelid,
        constraint: catalog
            .constraints_of_relation(relation)
            .find(|constraint| constraint.conindid == row.indexrelid)
            .map(|constraint| constraint.conname.to_string()),
        columns: row.indkey.iter().take(row.indnkeyatts as usize).copied().collect(),
        collations: row.indcollation.to_vec(),
        partial: row.indpred.is_some(),
    });
    Some(Arc::new(Relation {
        oid: relation,
        name: row.relname.to_string(),
        kind,
        columns: columns.into_iter().map(attribute_of).collect(),
        row_type: if kind == RelationKind::Index { oid::INVALID } else { row.reltype },
        primary_key: key
            .and_then(|row| Some(PrimaryKey { constraint: row.oid, columns: row.conkey.as_ref()?.to_vec() })),
        unique_indexes: unique_indexes.collect(),
        security_barrier: row.is_option_set("security_barrier"),
        check_option: row.option("check_option").map(|value| match value {
            "local" => CheckOption::Local,
            _ => CheckOption::Cascaded,
        }),
    }))
}

fn attribute_of(column: &PgAttribute) -> Attribute {
    Attribute {
        name: column.attname.to_string(),
        ty: TypeRef { oid: column.atttypid, typmod: column.atttypmod },
        collation: column.attcollation,
        not_null: column.attnotnull,
        dropped: column.attisdropped,
        identity: match column.attidentity {
            b'a' => Some(Identity::Always),
            b'd' => Some(Identity::ByDefault),
            _ => None,
        },
        generated: column.attgenerated != 0,
    }
}
