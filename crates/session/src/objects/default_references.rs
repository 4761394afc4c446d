//! What the defaults of columns refer to, a serial's sequence for one (`pg_depend`), which only their analysis tells.

use std::sync::Arc;

use analyze::relations::{CatalogRelations, Relations};
use analyze::rewrite::stored::StoredTrees;
use catalog::catalogs::{PgAttrdef, PgDepend};
use catalog::{Catalog, Objects, PG_CATALOG, PUBLIC};
use types::Oid;
use types::names::{PG_ATTRDEF, PG_CLASS};

use crate::dependency;
use crate::environment::stored_context;

/// Adds what some defaults refer to. `others` are all other objects of the database.
pub fn add(depends: &mut Vec<PgDepend>, defaults: &[PgAttrdef], others: &Arc<Objects>, database: &(Oid, String)) {
    // What is no name of an object refers to none: most defaults are spared the analysis.
    let naming = defaults.iter().filter(|default| default.adbin.contains("::reg")).collect::<Vec<_>>();
    if naming.is_empty() {
        return;
    }
    let trees = StoredTrees::new(stored_context(others, database));
    let catalog = Catalog { search_path: &[PG_CATALOG, PUBLIC], objects: Some(others) };
    let relations = CatalogRelations { catalog, trees: &trees };
    for default in naming {
        // One that cannot be read says so where it is used.
        let Ok(Some(expr)) = relations.column_default(default.adrelid, default.adnum) else { continue };
        let references = dependency::of_expression(&expr, default.adrelid).into_iter();
        let others = references.filter(|object| (object.class, object.oid) != (PG_CLASS, default.adrelid));
        depends.extend(others.map(|object| PgDepend {
            classid: PG_ATTRDEF,
            objid: default.oid,
            objsubid: 0,
            refclassid: object.class,
            refobjid: object.oid,
            refobjsubid: object.column,
            deptype: b'n',
        }));
    }
}
