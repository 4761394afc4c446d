//! What differs between two definitions of a relation, as changes of rows.

use std::collections::BTreeMap;

use catalog::{Catalog, CatalogKey, CatalogRow, Pending};
use types::Oid;
use types::names::{PG_CLASS, PG_CONSTRAINT};

use super::{Defined, Rows};

/// What puts the rows of `after` in place of those of `before`; `None`: the relation is new, or dropped. What is gone takes its
/// comments along, which `catalog` has.
pub(crate) fn difference<D: Defined>(
    database: Oid,
    before: Option<&D>,
    after: Option<&D>,
    catalog: Catalog<'_>,
) -> Vec<Pending> {
    let [mut before, mut after] = [before, after].map(|definition| rows(database, definition));
    let mut keys: Vec<CatalogKey> = before.keys().chain(after.keys()).copied().collect();
    keys.sort_unstable();
    keys.dedup();
    let mut changes = Vec::new();
    for key in keys {
        let (before, after) = (before.remove(&key), after.remove(&key));
        if before == after {
            continue;
        }
        said_of_gone(database, key, after.as_ref(), catalog, &mut changes);
        changes.extend(Pending::new(before, after));
    }
    changes
}

fn rows<D: Defined>(database: Oid, definition: Option<&D>) -> BTreeMap<CatalogKey, CatalogRow> {
    let mut rows = Rows::new(database);
    definition.into_iter().for_each(|definition| definition.add_to(&mut rows));
    rows.rows.into_iter().map(|row| (row.key(), row)).collect()
}

/// Deletes the comments on an object, or a column, that is there no more, and which roles have rights on it.
fn said_of_gone(
    database: Oid,
    key: CatalogKey,
    after: Option<&CatalogRow>,
    catalog: Catalog<'_>,
    changes: &mut Vec<Pending>,
) {
    let (class, object, column) = match (key, after) {
        (CatalogKey::PgClass(oid), None) => (PG_CLASS, oid, None),
        (CatalogKey::PgConstraint(oid), None) => (PG_CONSTRAINT, oid, None),
        (CatalogKey::PgAttribute((relation, number)), Some(CatalogRow::PgAttribute(row))) if row.attisdropped => {
            (PG_CLASS, relation, Some(i32::from(number)))
        }
        _ => return,
    };
    let is_gone = |column_of: i32| column.is_none_or(|column| column == column_of);
    let comments = catalog.descriptions_of(object).filter(|row| row.classoid == class && is_gone(row.objsubid));
    changes.extend(comments.map(Pending::delete));
    let rights = catalog.shared_depends_on((database, class, object)).filter(|row| row.deptype == b'a');
    changes.extend(rights.filter(|row| is_gone(row.objsubid)).map(Pending::delete));
}
