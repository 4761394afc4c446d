//! A row for each kind of object: PostgreSQL's `ObjectProperty`. Catalogs that have no rows here (`system_table`'s empty ones)
//! have theirs too: of their objects nothing is found.

use std::sync::Arc;

use types::Oid;
use types::acl::AclItem;
use types::names::*;

use crate::facts::Name;
use crate::syscache::{Catalog, CatalogRow, Keyed};

/// What a catalog has of all its objects.
#[derive(Debug)]
pub struct ObjectProperty {
    /// The catalog.
    pub class: Oid,
    /// How `pg_identify_object` calls an object of the catalog of which no more is known.
    pub kind: &'static str,
    /// A name is that of one object, in a schema if the kind has schemas.
    pub is_name_unique: bool,
    find: for<'a> fn(Catalog<'a>, Oid) -> Option<Object<'a>>,
    change: fn(Catalog<'_>, Oid, Option<ObjectChange<'_>>) -> Option<CatalogRow>,
}

/// What commands change of objects of all kinds.
#[derive(Clone, Copy, Debug)]
pub enum ObjectChange<'a> {
    Name(&'a str),
    Namespace(Oid),
    Owner(Oid),
    /// `None`: those that an object of its kind has by default.
    Acl(Option<&'a [AclItem]>),
}

/// What the row of an object says that rows of all kinds may say.
#[derive(Clone, Copy, Debug, Default)]
pub struct Object<'a> {
    pub name: Option<&'a str>,
    pub namespace: Option<Oid>,
    pub owner: Option<Oid>,
    /// `None`: rights that have not been changed, or a kind without rights.
    pub acl: Option<&'a [AclItem]>,
}

impl ObjectProperty {
    /// The kind of a catalog's objects; `None`: it has none.
    pub fn of(class: Oid) -> Option<&'static ObjectProperty> {
        OBJECT_PROPERTIES.iter().find(|property| property.class == class)
    }

    /// `None`: there is no such object.
    pub fn object<'a>(&self, catalog: Catalog<'a>, oid: Oid) -> Option<Object<'a>> {
        (self.find)(catalog, oid)
    }

    /// The row of an object.
    pub fn row(&self, catalog: Catalog<'_>, oid: Oid) -> Option<CatalogRow> {
        (self.change)(catalog, oid, None)
    }

    /// The row of an object with a change. `None`: there is no such object, or its kind has nothing of the sort.
    pub fn with(&self, catalog: Catalog<'_>, oid: Oid, change: ObjectChange<'_>) -> Option<CatalogRow> {
        (self.change)(catalog, oid, Some(change))
    }
}

fn any<R: Keyed>(row: R) -> CatalogRow {
    R::any(Arc::new(row))
}

impl<'a> Catalog<'a> {
    /// What an object is called, where it is, whose it is and what may be done with it (a column: what its relation has).
    pub fn object(self, address: ObjectAddress) -> Option<Object<'a>> {
        ObjectProperty::of(address.class)?.object(self, address.oid)
    }
}

/// `CLASS "kind" unique(is one name's) by(look-up) { field: column, … };`; kinds whose catalogs are empty have no look-up.
macro_rules! properties {
    ($($class:ident $kind:literal $unique:literal $(by($catalog:ident, $oid:ident) $row:expr, {
        $($field:ident: $column:ident),*
    })?;)*) => {
        #[allow(clippy::needless_update, reason = "some kinds have all properties")]
        pub static OBJECT_PROPERTIES: &[ObjectProperty] = &[$(ObjectProperty {
            class: $class,
            kind: $kind,
            is_name_unique: $unique,
            find: properties!(@find $($catalog, $oid, $row, { $($field: $column),* })?),
            change: properties!(@change $($catalog, $oid, $row, { $($field: $column),* })?),
        }),*];
    };
    (@find) => { |_, _| None };
    (@find $catalog:ident, $oid:ident, $row:expr, { $($field:ident: $column:ident),* }) => {
        |$catalog, $oid| $row.map(|_row| Object { $($field: properties!(@$field _row.$column),)* ..Object::default() })
    };
    (@change) => { |_, _, _| None };
    (@change $catalog:ident, $oid:ident, $row:expr, { $($field:ident: $column:ident),* }) => {
        |$catalog, $oid, change| {
            #[allow(unused_mut, reason = "some kinds have nothing that changes")]
            let mut row = $row?.clone();
            let is_done = change.is_none_or(|_change| false $(|| properties!(@set $field row.$column, _change))*);
            is_done.then(|| any(row))
        }
    };
    (@set name $row:ident.$column:ident, $change:ident) => {
        if let ObjectChange::Name(name) = $change { $row.$column = Name::Owned(name.into()); true } else { false }
    };
    (@set namespace $row:ident.$column:ident, $change:ident) => {
        if let ObjectChange::Namespace(namespace) = $change { $row.$column = namespace; true } else { false }
    };
    (@set owner $row:ident.$column:ident, $change:ident) => {
        if let ObjectChange::Owner(owner) = $change { $row.$column = owner; true } else { false }
    };
    (@set acl $row:ident.$column:ident, $change:ident) => {
        if let ObjectChange::Acl(acl) = $change { $row.$column = acl.map(Box::from); true } else { false }
    };
    (@name $row:ident.$column:ident) => { Some(&*$row.$column) };
    (@acl $row:ident.$column:ident) => { $row.$column.as_deref() };
    (@namespace $row:ident.$column:ident) => { Some($row.$column) };
    (@owner $row:ident.$column:ident) => { Some($row.$column) };
}

properties! {
    PG_AM "access method" true by(catalog, oid) catalog.access_method(oid), { name: amname };
    PG_AMOP "operator of access method" false by(catalog, oid) catalog.amops_of_oid(oid).next(), {};
    PG_AMPROC "function of access method" false by(catalog, oid) catalog.amprocs_of_oid(oid).next(), {};
    PG_ATTRDEF "default value" false by(catalog, oid) catalog.attribute_default(oid), {};
    PG_AUTHID "role" true by(catalog, oid) catalog.role(oid), { name: rolname };
    PG_AUTH_MEMBERS "role membership" false by(catalog, oid) catalog.auth_members_of_oid(oid).next(), {};
    PG_CAST "cast" false by(catalog, oid) catalog.casts_of_oid(oid).next(), {};
    PG_CLASS "relation" true by(catalog, oid) catalog.relation(oid), {
        name: relname, namespace: relnamespace, owner: relowner, acl: relacl
    };
    PG_COLLATION "collation" true by(catalog, oid) catalog.collation(oid), {
        name: collname, namespace: collnamespace, owner: collowner
    };
    PG_CONSTRAINT "constraint" false by(catalog, oid) catalog.constraint(oid), {
        name: conname, namespace: connamespace
    };
    PG_CONVERSION "conversion" true;
    PG_DATABASE "database" true by(catalog, oid) catalog.database(oid), { name: datname, owner: datdba, acl: datacl };
    PG_DEFAULT_ACL "default acl" false by(catalog, oid) catalog.default_acl(oid), {};
    PG_EVENT_TRIGGER "event trigger" true;
    // The schema of its objects is not one that it is in.
    PG_EXTENSION "extension" true by(catalog, oid) catalog.extension(oid), { name: extname, owner: extowner };
    PG_FOREIGN_DATA_WRAPPER "foreign-data wrapper" true;
    PG_FOREIGN_SERVER "server" true;
    PG_LANGUAGE "language" true by(catalog, oid) catalog.language(oid), {
        name: lanname, owner: lanowner, acl: lanacl
    };
    PG_LARGEOBJECT "large object" false;
    PG_NAMESPACE "schema" true by(catalog, oid) catalog.namespace(oid), {
        name: nspname, owner: nspowner, acl: nspacl
    };
    PG_OPCLASS "operator class" true by(catalog, oid) catalog.opclass(oid), {
        name: opcname, namespace: opcnamespace, owner: opcowner
    };
    PG_OPERATOR "operator" false by(catalog, oid) catalog.operator(oid), {
        name: oprname, namespace: oprnamespace, owner: oprowner
    };
    PG_OPFAMILY "operator family" true by(catalog, oid) catalog.opfamily(oid), {
        name: opfname, namespace: opfnamespace, owner: opfowner
    };
    PG_PARAMETER_ACL "parameter ACL" true by(catalog, oid) catalog.parameter_acl(oid), { name: parname, acl: paracl };
    PG_POLICY "policy" false by(catalog, oid) catalog.policy(oid), { name: polname };
    PG_PROC "routine" false by(catalog, oid) catalog.function(oid), {
        name: proname, namespace: pronamespace, owner: proowner, acl: proacl
    };
    PG_PUBLICATION "publication" true;
    PG_PUBLICATION_NAMESPACE "publication namespace" false;
    PG_PUBLICATION_REL "publication relation" false;
    PG_REWRITE "rule" false by(catalog, oid) catalog.rule(oid), { name: rulename };
    PG_STATISTIC_EXT "statistics object" true;
    PG_SUBSCRIPTION "subscription" true;
    PG_TABLESPACE "tablespace" true by(catalog, oid) catalog.tablespace(oid), {
        name: spcname, owner: spcowner, acl: spcacl
    };
    PG_TRANSFORM "transform" false;
    PG_TRIGGER "trigger" false;
    PG_TS_CONFIG "text search configuration" true;
    PG_TS_DICT "text search dictionary" true;
    PG_TS_PARSER "text search parser" true;
    PG_TS_TEMPLATE "text search template" true;
    PG_TYPE "type" true by(catalog, oid) catalog.pg_type(oid), {
        name: typname, namespace: typnamespace, owner: typowner, acl: typacl
    };
    PG_USER_MAPPING "user mapping" false;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each row is that of the catalog that it says, and its look-up asks no other.
    #[test]
    fn each_catalog_has_one_row() {
        let catalog = Catalog::BUILT_IN;
        for (place, property) in OBJECT_PROPERTIES.iter().enumerate() {
            let relation = catalog.relation(property.class).expect("the class of a property is a catalog");
            assert_eq!(relation.relnamespace, crate::PG_CATALOG, "{}", relation.relname);
            assert!(OBJECT_PROPERTIES[..place].iter().all(|other| other.class != property.class));
        }
        let has = |class, oid| ObjectProperty::of(class).and_then(|property| property.object(catalog, oid));
        assert_eq!(has(PG_CLASS, PG_CLASS).and_then(|object| object.name), Some("pg_class"));
        assert_eq!(has(PG_TYPE, 23).and_then(|object| object.namespace), Some(crate::PG_CATALOG));
        assert_eq!(has(PG_AM, 403).map(|object| object.owner), Some(None));
        assert!(has(PG_TRIGGER, 1).is_none());
    }

    #[test]
    fn rows_are_changed_by_what_they_have() {
        let catalog = Catalog::BUILT_IN;
        let with = |class, oid, change| ObjectProperty::of(class)?.with(catalog, oid, change);
        let renamed = with(PG_NAMESPACE, crate::PUBLIC, ObjectChange::Name("open")).expect("schemas have names");
        let CatalogRow::PgNamespace(renamed) = renamed else { panic!("{renamed:?}") };
        let known = catalog.namespace(crate::PUBLIC).expect("it is built in");
        assert_eq!((&*renamed.nspname, renamed.nspowner), ("open", known.nspowner));
        assert!(with(PG_NAMESPACE, crate::PUBLIC, ObjectChange::Namespace(11)).is_none(), "schemas are in none");
        assert!(with(PG_AM, 403, ObjectChange::Owner(10)).is_none(), "access methods belong to no role");
        assert!(with(PG_CLASS, 1, ObjectChange::Owner(10)).is_none(), "there is no such relation");
        let row = ObjectProperty::of(PG_TYPE).and_then(|property| property.row(catalog, 23));
        assert!(matches!(row, Some(CatalogRow::PgType(row)) if row.typname == "int4"));
    }
}
