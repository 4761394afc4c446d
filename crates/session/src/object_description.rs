//! What an object is called in messages, and by `pg_describe_object`: PostgreSQL's `getObjectDescription`.

use catalog::Catalog;
use error::sqlstate;
use types::names::{
    Named, Names, PG_AM, PG_ATTRDEF, PG_CLASS, PG_COLLATION, PG_CONSTRAINT, PG_EXTENSION, PG_LANGUAGE, PG_NAMESPACE,
    PG_OPCLASS, PG_OPERATOR, PG_OPFAMILY, PG_PROC, PG_REWRITE, PG_TYPE,
};
use types::{Error, Oid, Result, oid};

use crate::names::CatalogNames;

const PG_AUTHID: Oid = 1260;
const PG_DATABASE: Oid = 1262;
const PG_TABLESPACE: Oid = 1213;

/// Catalogs that have no objects here: triggers, statistics objects, transforms, large objects, rules of row security,
/// event triggers, memberships, default privileges, those of settings, foreign data wrappers, their servers and user mappings,
/// publications with their relations and schemas, subscriptions.
const WITHOUT_OBJECTS: [Oid; 16] =
    [2620, 3381, 3576, 2613, 3256, 3466, 1261, 826, 6243, 2328, 1417, 1418, 6104, 6106, 6237, 6100];

/// Catalogs whose objects are looked up in other ways alone: casts, conversions, members of operator families, text search.
const UNKNOWN: [Oid; 8] = [2605, 2607, 2602, 2603, 3600, 3601, 3602, 3764];

/// `None`: there is no such object.
pub fn object_description(names: &CatalogNames, class: Oid, object: Oid, column: i32) -> Result<Option<String>> {
    let catalog = names.catalog();
    Ok(match class {
        // What pinned objects depend on.
        oid::INVALID if object == oid::INVALID => None,
        PG_CLASS if column != 0 => column_description(names, object, column),
        PG_CLASS => relation_description(names, object),
        PG_ATTRDEF => catalog.attribute_default(object).and_then(|row| {
            let column = column_description(names, row.adrelid, row.adnum.into())?;
            Some(format!("default value for {column}"))
        }),
        PG_CONSTRAINT => catalog.constraint(object).map(|row| match relation_description(names, row.conrelid) {
            Some(relation) => format!("constraint {} on {relation}", row.conname),
            None => format!("constraint {}", row.conname),
        }),
        PG_REWRITE => catalog.rule(object).and_then(|row| {
            let relation = relation_description(names, row.ev_class)?;
            Some(format!("rule {} on {relation}", row.rulename))
        }),
        PG_TYPE => names.type_name(object, None).map(|name| format!("type {name}")),
        PG_PROC => names.signature(Named::Function, object).map(|name| format!("function {name}")),
        PG_OPERATOR => names.signature(Named::Operator, object).map(|name| format!("operator {name}")),
        PG_COLLATION => names.name_of(Named::Collation, object).map(|name| format!("collation {name}")),
        PG_OPCLASS => catalog.opclass(object).and_then(|row| {
            let name = names.shown_as(PG_OPCLASS, object, row.opcnamespace, &row.opcname);
            of_method(catalog, "operator class", &name, row.opcmethod)
        }),
        PG_OPFAMILY => catalog.opfamily(object).and_then(|row| {
            let name = names.shown_as(PG_OPFAMILY, object, row.opfnamespace, &row.opfname);
            of_method(catalog, "operator family", &name, row.opfmethod)
        }),
        PG_AM => catalog.access_method(object).map(|row| format!("access method {}", row.amname)),
        PG_LANGUAGE => catalog.language(object).map(|row| format!("language {}", row.lanname)),
        PG_NAMESPACE => catalog.namespace(object).map(|row| format!("schema {}", row.nspname)),
        PG_EXTENSION => catalog.extension(object).map(|row| format!("extension {}", row.extname)),
        PG_AUTHID => catalog.role(object).map(|row| format!("role {}", row.rolname)),
        PG_DATABASE => catalog.database(object).map(|row| format!("database {}", row.datname)),
        PG_TABLESPACE => catalog.tablespace(object).map(|row| format!("tablespace {}", row.spcname)),
        class if WITHOUT_OBJECTS.contains(&class) => None,
        class if UNKNOWN.contains(&class) => {
            let of = catalog.relation(class).map_or("this", |row| &row.relname);
            return Err(Error::unsupported(format_args!("pg_describe_object() of an object of {of}")));
        }
        class => return Err(Error::new(sqlstate::INTERNAL_ERROR, format!("unsupported object class: {class}"))),
    })
}

fn of_method(catalog: Catalog<'_>, what: &str, name: &str, method: Oid) -> Option<String> {
    Some(format!("{what} {name} for access method {}", catalog.access_method(method)?.amname))
}

fn relation_description(names: &CatalogNames, relation: Oid) -> Option<String> {
    let kind = match names.relation_kind(relation)? {
        b'r' | b'p' => "table",
        b'i' | b'I' => "index",
        b'S' => "sequence",
        b't' => "toast table",
        b'v' => "view",
        b'm' => "materialized view",
        b'c' => "composite type",
        b'f' => "foreign table",
        _ => "relation",
    };
    Some(format!("{kind} {}", names.name_of(Named::Relation, relation)?))
}

fn column_description(names: &CatalogNames, relation: Oid, column: i32) -> Option<String> {
    let catalog = names.catalog();
    let row = catalog.attributes(relation).find(|row| i32::from(row.attnum) == column)?;
    Some(format!("column {} of {}", row.attname, relation_description(names, relation)?))
}
