//! Views.

use catalog::Catalog;
use catalog::catalogs::PgAttribute;
use types::Oid;
use types::names::{PG_ATTRDEF, PG_REWRITE};

use super::{array_type, is_temporary, schema, tree};
use crate::catalog::reloptions;
use crate::catalog::rows::collation;
use crate::catalog::{ViewColumn, ViewDef};
use crate::column_type::ColumnType;

pub fn view(catalog: Catalog<'_>, oid: Oid) -> Option<ViewDef> {
    let relation = catalog.relation(oid)?;
    let rule = catalog.rules_of_relation(oid).find(|rule| rule.rulename == "_RETURN")?;
    let columns = catalog.attributes(oid).filter(|column| column.attnum > 0);
    Some(ViewDef {
        oid,
        rule: rule.oid,
        row_type: relation.reltype,
        array_type: array_type(catalog, relation),
        namespace: relation.relnamespace,
        schema: schema(catalog, relation),
        temporary: is_temporary(relation),
        name: relation.relname.to_string(),
        owner: relation.relowner,
        columns: columns.map(|column| view_column(catalog, column)).collect(),
        query: tree(catalog, &rule.ev_action, (PG_REWRITE, rule.oid)),
        options: reloptions::given(relation.reloptions.as_deref()),
    })
}

fn view_column(catalog: Catalog<'_>, column: &PgAttribute) -> ViewColumn {
    let default = catalog.defaults_of((column.attrelid, column.attnum)).next();
    ViewColumn {
        name: column.attname.to_string(),
        ty: ColumnType::new(catalog, column.atttypid, column.atttypmod),
        default: default.map(|row| tree(catalog, &row.adbin, (PG_ATTRDEF, row.oid))),
        default_oid: default.map_or(0, |row| row.oid),
        collation: Some(column.attcollation).filter(|own| *own != collation(column.atttypid)),
    }
}
