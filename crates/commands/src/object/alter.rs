//! What new names, owners and schemas have in common, for objects of all kinds: PostgreSQL's `alter.c`. [`super::rename`],
//! [`super::owner`] and [`super::set_schema`] are the commands; what a kind has to say besides is a function of that kind, which
//! they name.
//!
//! # Invariants
//! * The row of an object is put as the properties of its kind say ([`catalog::object::property`]). A relation's indexes, the
//!   types of its rows and the sequences that it owns follow it ([`Parts`]).
//! * `pg_depend` and `pg_shdepend` say whose and where an object is as its row does.

use catalog::Catalog;
use catalog::catalogs::PgDepend;
use catalog::object::address::{Lookup, ObjectName};
use catalog::object::{ObjectChange, ObjectProperty};
use catalog::{CatalogKey, Keyed, PUBLIC};
use engine::{EngineError, ObjectAddress, Result};
use error::sqlstate;
use session::Session;
use session::ownership::{self, ObjectKind};
use types::names::{PG_CLASS, PG_NAMESPACE, PG_TYPE};
use types::{Oid, oid};

use crate::object::object_address;

/// Puts the row of an object with a change, if it has something of the sort.
pub fn change(session: &mut Session, object: ObjectAddress, change: ObjectChange<'_>) {
    let environment = session.environment();
    let property = ObjectProperty::of(object.class);
    let row = property.and_then(|property| property.with(environment.catalog(), object.oid, change));
    if let Some(row) = row {
        let database = session.shared.database.0;
        session.transaction().put_row(database, row);
        session.show_changes();
    }
}

/// Puts the owner into the row of an object, and into `pg_shdepend` (`changeDependencyOnOwner`).
pub fn change_owner(session: &mut Session, object: ObjectAddress, owner: Oid) {
    let environment = session.environment();
    let before = environment.catalog().object(object).and_then(|object| object.owner);
    change(session, object, ObjectChange::Owner(owner));
    session.change_owner((object.class, object.oid), (before, owner));
}

/// Puts the schema into the row of an object, and into `pg_depend` (`changeDependencyFor`).
pub fn change_namespace(session: &mut Session, object: ObjectAddress, namespace: Oid) {
    let environment = session.environment();
    let database = session.shared.database.0;
    change(session, object, ObjectChange::Namespace(namespace));
    let rows = environment.catalog().depends_on((object.class, object.oid));
    let of_schema = |row: &&PgDepend| row.refclassid == PG_NAMESPACE && row.deptype == b'n' && row.objsubid == 0;
    for row in rows.filter(of_schema) {
        session.transaction().delete(database, CatalogKey::PgDepend(row.key()));
        session.transaction().put(database, PgDepend { refobjid: namespace, ..row.clone() });
    }
    session.show_changes();
}

/// Fails for what is built in, which the program itself relies on; the schema `public` is nothing special.
pub fn refuse_built_in(object: ObjectAddress) -> Result<()> {
    let is_public = (object.class, object.oid) == (PG_NAMESPACE, PUBLIC);
    match object.oid < catalog::FIRST_NORMAL_OBJECT_ID && !is_public {
        true => Err(EngineError::unsupported("a change of a built-in object")),
        false => Ok(()),
    }
}

/// Fails where another object of the kind has a name, in no schema (`report_name_conflict`).
pub fn require_free(session: &mut Session, kind: ObjectKind, name: &str) -> Result<()> {
    let wanted = ObjectName { names: vec![name.into()], ..ObjectName::default() };
    if object_address::find(session, kind, &wanted).is_err() {
        return Ok(());
    }
    let code = match kind {
        ObjectKind::Schema => sqlstate::DUPLICATE_SCHEMA,
        ObjectKind::Database => sqlstate::DUPLICATE_DATABASE,
        _ => sqlstate::DUPLICATE_OBJECT,
    };
    Err(EngineError::new(code, format!("{} \"{name}\" already exists", kind.name())))
}

/// Fails for types that go with others: of a relation's rows, and of arrays.
pub fn refuse_row_type(catalog: Catalog<'_>, ty: Oid) -> Result<()> {
    let wrong = |message: String| EngineError::new(sqlstate::WRONG_OBJECT_TYPE, message);
    let Some(row) = catalog.pg_type(ty) else { return Ok(()) };
    let shown = catalog.format_type(ty);
    if row.typtype == b'c' && catalog.relation(row.typrelid).is_some_and(|relation| relation.relkind != b'c') {
        return Err(wrong(format!("{shown} is a table's row type")).hint("Use ALTER TABLE instead."));
    }
    if let Some(element) = catalog.element_type(ty) {
        let element = catalog.format_type(element);
        let hint = format!("You can alter type {element}, which will alter the array type as well.");
        return Err(wrong(format!("cannot alter array type {shown}")).hint(hint));
    }
    Ok(())
}

/// Built-in relations stay as they are.
pub fn system_catalog(name: &str) -> EngineError {
    let message = format!("permission denied: \"{name}\" is a system catalog");
    EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, message)
}

/// The relation of a name, which its owner alters (`RangeVarCallbackForAlterRelation`). ALTER TABLE and INDEX take relations of
/// other kinds.
pub fn relation(session: &mut Session, kind: ObjectKind, name: &ObjectName) -> Result<ObjectAddress> {
    let environment = session.environment();
    let lookup = Lookup { catalog: environment.catalog(), database: &environment.database.1 };
    let row = lookup.relation(&name.names)?;
    let address = ObjectAddress { class: PG_CLASS, oid: row.oid, column: 0 };
    let is = ObjectKind::of_relation(row.relkind);
    ownership::require_owner_of(session, is.unwrap_or(kind), name, address)?;
    if row.oid < catalog::FIRST_NORMAL_OBJECT_ID {
        return Err(system_catalog(&row.relname));
    }
    if is != Some(kind) && !matches!(kind, ObjectKind::Table | ObjectKind::Index) {
        let message = format!("\"{}\" is not {}", row.relname, kind.with_article());
        return Err(EngineError::new(sqlstate::WRONG_OBJECT_TYPE, message));
    }
    Ok(address)
}

/// What belongs to whom, and is where, a relation is.
pub struct Parts {
    /// Its indexes.
    pub indexes: Vec<Oid>,
    /// The table of its long values.
    pub toast: Option<Oid>,
    /// The type of its rows, and that of arrays of them.
    pub types: Vec<Oid>,
    pub constraints: Vec<Oid>,
    /// The sequences that its columns own.
    pub sequences: Vec<Oid>,
}

impl Parts {
    pub fn of(catalog: Catalog<'_>, relation: Oid) -> Parts {
        let row = catalog.relation(relation);
        let valid = |oid: &Oid| *oid != oid::INVALID;
        let row_type = row.map(|row| row.reltype).filter(valid);
        let array_type = row_type.and_then(|ty| catalog.pg_type(ty)).map(|row| row.typarray).filter(valid);
        let dependents = catalog.dependents((PG_CLASS, relation));
        let owned = dependents.filter(|row| row.classid == PG_CLASS && matches!(row.deptype, b'a' | b'i'));
        let is_sequence = |oid: &Oid| catalog.relation(*oid).is_some_and(|row| row.relkind == b'S');
        Parts {
            indexes: catalog.indexes_of_relation(relation).map(|row| row.indexrelid).collect(),
            toast: row.map(|row| row.reltoastrelid).filter(valid),
            types: row_type.into_iter().chain(array_type).collect(),
            constraints: catalog.constraints_of_relation(relation).map(|row| row.oid).collect(),
            sequences: owned.map(|row| row.objid).filter(is_sequence).collect(),
        }
    }
}

/// The relation of a column that owns a sequence.
pub fn owner_of_sequence(catalog: Catalog<'_>, sequence: Oid) -> Option<Oid> {
    let mut rows = catalog.depends_on((PG_CLASS, sequence));
    rows.find(|row| row.refclassid == PG_CLASS && matches!(row.deptype, b'a' | b'i')).map(|row| row.refobjid)
}

pub fn of_class(oid: Oid) -> ObjectAddress {
    ObjectAddress { class: PG_CLASS, oid, column: 0 }
}

pub fn of_type(oid: Oid) -> ObjectAddress {
    ObjectAddress { class: PG_TYPE, oid, column: 0 }
}
