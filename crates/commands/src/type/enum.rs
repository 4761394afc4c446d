//! Enums: CREATE TYPE … AS ENUM, ALTER TYPE … ADD VALUE and RENAME VALUE (`DefineEnum`, `AlterEnum`, PostgreSQL's `pg_enum.c`).
//!
//! # Invariants
//! * A label has two numbers for its place among the others. `enumsortorder` is PostgreSQL's, and may be another one when there
//!   is no room between two. The one that values have ([`types::r#enum`]) never changes.

use catalog::catalogs::{InflightEnum, PgEnum, PgType};
use catalog::facts::Name;
use catalog::object_name::MAX_NAME;
use catalog::{Catalog, CatalogKey, Keyed};
use engine::{EngineError, ObjectAddress, Result};
use error::sqlstate;
use session::ownership::{self, ObjectKind};
use session::{ParsedStatement, Reply, Session, done};
use syntax::nodes::{AlterEnumStmt, CreateEnumStmt, Node};
use txn::LockMode;
use types::r#enum::{Neighbours, between, initial};
use types::{Oid, oid};

use super::{NewType, function, name};
use crate::object::object_address;
use crate::role::user;

pub async fn create(session: &mut Session, create: &CreateEnumStmt) -> Result<Reply> {
    session.require_writable("CREATE TYPE")?;
    let name = name::claim(session, &create.type_name).await?;
    let owner = user::current(&session.shared)?.oid;
    let labels: Vec<String> = create.vals.iter().filter_map(object_address::string).collect();
    let new = NewType { name: &name, owner, like: (oid::ANYENUM, oid::RECORDARRAY) };
    let ty = super::create(session, new, |row| PgType {
        typtype: b'e',
        typcategory: b'E',
        typinput: function("enum_in"),
        typoutput: function("enum_out"),
        typreceive: function("enum_recv"),
        typsend: function("enum_send"),
        ..row
    })
    .await?;
    for (number, label) in labels.iter().enumerate() {
        check_label(label)?;
        if labels[..number].contains(label) {
            let index = "pg_enum_typid_label_index";
            let message = format!("duplicate key value violates unique constraint \"{index}\"");
            return Err(EngineError::new(sqlstate::UNIQUE_VIOLATION, message)
                .detail(format!("Key (enumtypid, enumlabel)=({ty}, {label}) already exists."))
                .constraint("pg_catalog", "pg_enum", index));
        }
        put(session, ty, label, (number + 1) as f32, initial(number));
    }
    session.show_changes();
    Ok(done("CREATE TYPE"))
}

/// ALTER TYPE … ADD VALUE and RENAME VALUE.
pub async fn alter(session: &mut Session, statement: &ParsedStatement, alter: &AlterEnumStmt) -> Result<Reply> {
    session.require_writable("ALTER TYPE")?;
    let node = Node::List(alter.type_name.clone().into());
    let name = object_address::name(session, statement, ObjectKind::Type, &node)?;
    let find = |session: &mut Session| {
        let object = object_address::find(session, ObjectKind::Type, &name)?;
        let environment = session.environment();
        if !environment.catalog().is_enum(object.oid) {
            let message = format!("{} is not an enum", environment.catalog().format_type(object.oid));
            return Err(EngineError::new(sqlstate::WRONG_OBJECT_TYPE, message));
        }
        ownership::require_owner_of(session, ObjectKind::Type, &name, object)?;
        Ok(object)
    };
    let label = alter.new_val.as_deref().unwrap_or_default();
    let object = find(session)?;
    check_label(label)?;
    // Sessions that use the type need not be waited for.
    let locked = object_address::lock(session, LockMode::Exclusive, find).await?;
    debug_assert_eq!(locked.class, object.class);
    match alter.old_val.as_deref() {
        Some(old) => rename(session, locked.oid, (old, label))?,
        None => add(session, locked.oid, label, alter)?,
    }
    session.show_changes();
    Ok(done("ALTER TYPE"))
}

fn check_label(label: &str) -> Result<()> {
    if label.len() <= MAX_NAME {
        return Ok(());
    }
    Err(EngineError::new(sqlstate::INVALID_NAME, format!("invalid enum label \"{label}\""))
        .detail(format!("Labels must be {MAX_NAME} bytes or less.")))
}

fn put(session: &mut Session, ty: Oid, label: &str, enumsortorder: f32, place: u128) {
    let (oid, database) = (session.db().new_oid(), session.shared.database.0);
    let row = PgEnum { oid, enumtypid: ty, enumsortorder, enumlabel: Name::Owned(label.into()) };
    session.transaction().put(database, row);
    session.transaction().put(database, InflightEnum::new(oid, place));
}

/// The labels of an enum in their order, each with its place.
fn labels(catalog: Catalog<'_>, ty: Oid) -> Vec<(&PgEnum, u128)> {
    let place = |row: &PgEnum| catalog.enum_storage_of(row.oid).map_or(0, InflightEnum::place);
    let mut labels: Vec<_> = catalog.enum_labels_of(ty).map(|row| (row, place(row))).collect();
    labels.sort_unstable_by_key(|(_, place)| *place);
    labels
}

fn already_exists(label: &str, end: &str) -> EngineError {
    EngineError::new(sqlstate::DUPLICATE_OBJECT, format!("enum label \"{label}\" already exists{end}"))
}

fn missing(label: &str) -> EngineError {
    let message = format!("\"{label}\" is not an existing enum label");
    EngineError::new(sqlstate::INVALID_PARAMETER_VALUE, message)
}

/// `RenameEnumLabel`.
fn rename(session: &mut Session, ty: Oid, (old, new): (&str, &str)) -> Result<()> {
    let environment = session.environment();
    let labels = labels(environment.catalog(), ty);
    let found = |wanted: &str| labels.iter().find(|(row, _)| row.enumlabel == wanted);
    let Some((row, _)) = found(old) else { return Err(missing(old)) };
    if found(new).is_some() {
        return Err(already_exists(new, ""));
    }
    let (row, database) =
        (PgEnum { enumlabel: Name::Owned(new.into()), ..PgEnum::clone(row) }, session.shared.database.0);
    session.transaction().put(database, row);
    Ok(())
}

/// `AddEnumLabel`.
fn add(session: &mut Session, ty: Oid, label: &str, alter: &AlterEnumStmt) -> Result<()> {
    let environment = session.environment();
    let labels = labels(environment.catalog(), ty);
    if labels.iter().any(|(row, _)| row.enumlabel == label) {
        if alter.skip_if_new_val_exists {
            session.notice("NOTICE", already_exists(label, ", skipping"));
            return Ok(());
        }
        return Err(already_exists(label, ""));
    }
    let at = match alter.new_val_neighbor.as_deref() {
        None => labels.len(),
        Some(neighbor) => {
            let found = labels.iter().position(|(row, _)| row.enumlabel == neighbor);
            found.ok_or_else(|| missing(neighbor))? + usize::from(alter.new_val_is_after)
        }
    };
    let (before, behind) = (at.checked_sub(1).map(|at| labels[at]), labels.get(at).copied());
    let place = between(Neighbours { before: before.map(|b| b.1), behind: behind.map(|b| b.1) }).ok_or_else(|| {
        let message = format!("no room is left for enum label \"{label}\" at this place");
        EngineError::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, message)
    })?;
    let order = order_between(before.map(|b| b.0.enumsortorder), behind.map(|b| b.0.enumsortorder));
    let order = order.unwrap_or_else(|| renumber(session, &labels, at));
    put(session, ty, label, order, place);
    Ok(())
}

/// The sort order of a label between two others; `None`: there is no number between theirs.
fn order_between(before: Option<f32>, behind: Option<f32>) -> Option<f32> {
    match (before, behind) {
        (None, None) => Some(1.0),
        (Some(last), None) => Some(last + 1.0),
        (None, Some(first)) => Some(first - 1.0),
        (Some(before), Some(behind)) => {
            let middle = (before + behind) / 2.0;
            (middle != before && middle != behind).then_some(middle)
        }
    }
}

/// Gives labels the sort orders 1, 2 and so on (`RenumberEnumType`); gives that of one which comes in at a place, not at an end.
fn renumber(session: &mut Session, labels: &[(&PgEnum, u128)], at: usize) -> f32 {
    let database = session.shared.database.0;
    for (number, (row, _)) in (1..).zip(labels) {
        session.transaction().put(database, PgEnum { enumsortorder: number as f32, ..PgEnum::clone(row) });
    }
    at as f32 + 0.5
}

/// Deletes the labels of an enum that is dropped (`EnumValuesDelete`).
pub fn delete_labels(session: &mut Session, ty: ObjectAddress) {
    let environment = session.environment();
    let database = session.shared.database.0;
    for (row, _) in labels(environment.catalog(), ty.oid) {
        session.transaction().delete(database, CatalogKey::PgEnum(row.key()));
        session.transaction().delete(database, CatalogKey::InflightEnum(row.key()));
    }
    session.show_changes();
}
