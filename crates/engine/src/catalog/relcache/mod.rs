//! Definitions of relations, derived from rows of the catalogs when they are asked for, and kept (PostgreSQL's relcache).
//!
//! A database has an entry for each table, view and sequence. It is empty until a session wants the definition, and another one
//! takes its place when a row changes that the definition is made of ([`relation_of`]). Versions of the catalog share entries: all
//! in which an entry is have the same rows of the relation, so that any of them may fill it.
//!
//! * `table`, `index`, `sequence`, `view`, `statistic`: the definitions. [`super::rows`] makes the same rows of them again.
//!
//! # Invariants
//! * A definition that is put again is another one: who keeps it knows by its address that it has not changed.

mod index;
mod sequence;
mod statistic;
mod table;
mod view;

use std::sync::{Arc, OnceLock};

use catalog::catalogs::PgClass;
use catalog::facts::Name;
use catalog::{Catalog, CatalogKey, Objects};
use types::names::{PG_ATTRDEF, PG_CLASS, PG_CONSTRAINT, PG_REWRITE};
use types::{Oid, oid};

use super::{NodeTree, ObjectAddress};

pub(super) use sequence::sequence;
pub(super) use table::table;
pub(super) use view::view;

/// The place of a definition.
#[derive(Debug)]
pub(super) struct Entry<T>(Arc<OnceLock<Option<Arc<T>>>>);

impl<T> Clone for Entry<T> {
    fn clone(&self) -> Entry<T> {
        Entry(self.0.clone())
    }
}

impl<T> Entry<T> {
    pub fn empty() -> Entry<T> {
        Entry(Arc::default())
    }

    /// The definition. `None`: the rows are none of a relation, which only a damaged catalog has.
    pub fn get(&self, derive: impl FnOnce() -> Option<T>) -> Option<&Arc<T>> {
        self.0.get_or_init(|| derive().map(Arc::new)).as_ref()
    }
}

/// The table, view or sequence whose definition the row of a key is a part of; that of an index is its table's.
pub(super) fn relation_of(key: CatalogKey, objects: &Objects) -> Option<Oid> {
    let catalog = users(objects);
    let relation = match key {
        CatalogKey::PgClass(oid)
        | CatalogKey::PgAttribute((oid, _))
        | CatalogKey::PgIndex(oid)
        | CatalogKey::PgSequence(oid)
        | CatalogKey::PgStatistic((oid, _, _))
        | CatalogKey::InflightRelation(oid)
        | CatalogKey::InflightAttribute((oid, _))
        | CatalogKey::InflightIndex(oid) => oid,
        CatalogKey::PgAttrdef(oid) => catalog.attribute_default(oid)?.adrelid,
        CatalogKey::PgConstraint(oid) => catalog.constraint(oid)?.conrelid,
        CatalogKey::PgRewrite(oid) => catalog.rule(oid)?.ev_class,
        CatalogKey::PgDepend((class, oid, ..)) => match class {
            PG_CLASS => oid,
            PG_ATTRDEF => catalog.attribute_default(oid)?.adrelid,
            PG_CONSTRAINT => catalog.constraint(oid)?.conrelid,
            PG_REWRITE => catalog.rule(oid)?.ev_class,
            _ => return None,
        },
        _ => return None,
    };
    Some(catalog.index(relation).map_or(relation, |index| index.indrelid))
}

/// The rows as look-ups want them; names are not looked for here.
pub(super) fn users(objects: &Objects) -> Catalog<'_> {
    Catalog { search_path: &[], objects: Some(objects), viewer: None }
}

/// A tree with what its object refers to.
fn tree(catalog: Catalog<'_>, text: &Name, object: (Oid, Oid)) -> NodeTree {
    let referenced = catalog.depends_on(object).filter(|row| row.deptype == b'n');
    let reference =
        referenced.map(|row| ObjectAddress { class: row.refclassid, oid: row.refobjid, column: row.refobjsubid });
    NodeTree { text: (&**text).into(), references: reference.collect() }
}

/// The oid of the type of arrays of a relation's rows.
fn array_type(catalog: Catalog<'_>, relation: &PgClass) -> Oid {
    catalog.pg_type(relation.reltype).map_or(oid::INVALID, |row| row.typarray)
}

fn schema(catalog: Catalog<'_>, relation: &PgClass) -> String {
    catalog.namespace(relation.relnamespace).map_or_else(String::new, |row| row.nspname.to_string())
}

fn is_temporary(relation: &PgClass) -> bool {
    relation.relpersistence == b't'
}
