//! Composite types: CREATE TYPE … AS, and ALTER TYPE with attributes (`DefineCompositeType`, `ATExecAddColumn` and its like).
//!
//! # Invariants
//! * A type whose values are stored keeps its attributes: a row's bytes have those that it was made with. PostgreSQL adds and drops
//!   attributes then; here that is refused.

use catalog::catalogs::{PgAttribute, PgClass, PgDepend};
use catalog::facts::Name;
use catalog::object::address::{Lookup, ObjectName};
use catalog::{Catalog, CatalogKey, CatalogRow, Keyed, QualifiedName};
use engine::{CompositeColumn, CompositeDef, EngineError, ObjectAddress, Result};
use error::sqlstate;
use session::ownership::{self, ObjectKind};
use session::{ParsedStatement, Reply, Session, done};
use syntax::nodes::{
    AlterTableCmd, AlterTableStmt, AlterTableType, ColumnDef as RawColumn, CompositeTypeStmt, Node, RangeVar,
};
use txn::LockMode;
use types::names::{PG_ATTRDEF, PG_CLASS, PG_CONSTRAINT, PG_POLICY, PG_REWRITE, PG_TYPE};
use types::{Oid, oid};

use super::name::{self, TypeName};
use crate::acl;
use crate::object::alter::{of_class, of_type};
use crate::object::{deletion, names, object_address};
use crate::role::user;
use crate::table::{column, create_table};

pub async fn create(session: &mut Session, statement: &ParsedStatement, create: &CompositeTypeStmt) -> Result<Reply> {
    session.require_writable("CREATE TYPE")?;
    let Some(relation) = &create.typevar else { return Err(EngineError::unsupported("a type without a name")) };
    let TypeName { namespace, name } = name::claim_relation(session, relation).await?;
    names::claim_in(session, namespace, &name).await?;
    let raw =
        create.coldeflist.iter().filter_map(|node| if let Node::ColumnDef(raw) = node { Some(raw) } else { None });
    let columns = raw.map(|raw| attribute(session, statement, raw)).collect::<Result<Vec<_>>>()?;
    create_table::check_columns(columns.iter().map(|column| &*column.name))?;
    column::require_usage(session, columns.iter().map(|column| column.ty.oid)).await?;
    let array_name = name::of_array(session, namespace, &name).await?;
    let owner = user::current(&session.shared)?.oid;
    let [oid, row_type, array_type] = std::array::from_fn(|_| session.db().new_oid());
    let def = CompositeDef { oid, row_type, array_type, namespace, name, array_name, owner, columns };
    put(session, def.rows(session.shared.database.0));
    acl::rights_of_new(session, of_type(row_type));
    Ok(done("CREATE TYPE"))
}

fn put(session: &mut Session, rows: Vec<CatalogRow>) {
    let database = session.shared.database.0;
    rows.into_iter().for_each(|row| session.transaction().put_row(database, row));
    session.show_changes();
}

/// An attribute as it is written.
fn attribute(session: &mut Session, statement: &ParsedStatement, raw: &RawColumn) -> Result<CompositeColumn> {
    let name = raw.colname.as_deref().unwrap_or_default();
    let Some(ty) = &raw.type_name else { return Err(EngineError::unsupported("an attribute without a type")) };
    // Errors do not say where an attribute is.
    let nowhere = |error: EngineError| EngineError { position: None, ..error };
    let ty = column::type_of(session, statement, name, ty).map_err(nowhere)?;
    let collation = column::collation_of(session, statement, raw, ty).map_err(nowhere)?;
    Ok(CompositeColumn { name: name.to_string(), ty, collation })
}

/// Fails where a name that is to be a table's is a composite type's.
pub fn refuse_alter_table(session: &mut Session, relation: &RangeVar) -> Result<()> {
    let environment = session.environment();
    let (schema, name) = (relation.schemaname.as_deref(), relation.relname.as_deref().unwrap_or_default());
    let found = environment.catalog().relation_by_name(QualifiedName { schema, name }).ok().flatten();
    match found.filter(|row| row.relkind == b'c') {
        None => Ok(()),
        Some(row) => {
            let message = format!("\"{}\" is a composite type", row.relname);
            Err(EngineError::new(sqlstate::WRONG_OBJECT_TYPE, message).hint("Use ALTER TYPE instead."))
        }
    }
}

/// ALTER TYPE … ADD, DROP and ALTER ATTRIBUTE.
pub async fn alter(session: &mut Session, statement: &ParsedStatement, alter: &AlterTableStmt) -> Result<Reply> {
    session.require_writable("ALTER TYPE")?;
    let Some(relation) = &alter.relation else { return Err(EngineError::unsupported("this form of ALTER TYPE")) };
    let relation = lock(session, object_address::of_relation(relation, None)).await?;
    for node in &alter.cmds {
        let Node::AlterTableCmd(command) = node else { continue };
        apply(session, statement, relation, command).await?;
    }
    Ok(done("ALTER TYPE"))
}

/// The relation of a composite type, locked, whose owner the session's role is.
async fn lock(session: &mut Session, name: ObjectName) -> Result<Oid> {
    let find = |session: &mut Session| {
        let environment = session.environment();
        let lookup = Lookup { catalog: environment.catalog(), database: &environment.database.1 };
        let row = lookup.relation(&name.names)?;
        if row.relkind != b'c' {
            let message = format!("\"{}\" is not a composite type", row.relname);
            return Err(EngineError::new(sqlstate::WRONG_OBJECT_TYPE, message));
        }
        ownership::require_owner_of(session, ObjectKind::Type, &name, of_type(row.reltype))?;
        Ok(of_class(row.oid))
    };
    Ok(object_address::lock(session, LockMode::AccessExclusive, find).await?.oid)
}

async fn apply(
    session: &mut Session,
    statement: &ParsedStatement,
    relation: Oid,
    command: &AlterTableCmd,
) -> Result<()> {
    use AlterTableType::*;
    let environment = session.environment();
    let catalog = environment.catalog();
    let Some(class) = catalog.relation(relation) else { return Ok(()) };
    let name = command.name.as_deref().unwrap_or_default();
    let found = catalog.attributes(relation).find(|row| row.attname == name && !row.attisdropped);
    let missing = || format!("column \"{name}\" of relation \"{}\" does not exist", class.relname);
    match (command.subtype, &command.def, found) {
        (AT_AddColumn, Some(Node::ColumnDef(raw)), _) => add(session, statement, class, raw).await,
        (AT_DropColumn, _, None) if command.missing_ok => {
            session.notice("NOTICE", EngineError::new(sqlstate::SUCCESSFUL_COMPLETION, missing() + ", skipping"));
            Ok(())
        }
        (AT_DropColumn | AT_AlterColumnType, _, None) => Err(EngineError::new(sqlstate::UNDEFINED_COLUMN, missing())),
        (AT_DropColumn, _, Some(row)) => {
            refuse_stored(catalog, class)?;
            let object = ObjectAddress { class: PG_CLASS, oid: relation, column: row.attnum.into() };
            deletion::drop_all(session, &[object], command.behavior).await
        }
        (AT_AlterColumnType, Some(Node::ColumnDef(raw)), Some(row)) => {
            refuse_used(catalog, class)?;
            refuse_stored(catalog, class)?;
            let written = attribute(session, statement, raw)?;
            column::require_usage(session, [written.ty.oid]).await?;
            let object = ObjectAddress { class: PG_CLASS, oid: relation, column: row.attnum.into() };
            deletion::forget_references(session, object);
            put(session, CompositeColumn { name: name.to_string(), ..written }.rows(relation, row.attnum));
            Ok(())
        }
        _ => Err(EngineError::unsupported("this form of ALTER TYPE")),
    }
}

async fn add(session: &mut Session, statement: &ParsedStatement, class: &PgClass, raw: &RawColumn) -> Result<()> {
    let environment = session.environment();
    let catalog = environment.catalog();
    let written = attribute(session, statement, raw)?;
    column::check_name(&written.name)?;
    if catalog.attributes(class.oid).any(|row| row.attname == written.name && !row.attisdropped) {
        let message = format!("column \"{}\" of relation \"{}\" already exists", written.name, class.relname);
        return Err(EngineError::new(sqlstate::DUPLICATE_COLUMN, message));
    }
    refuse_itself(session, written.ty.oid, (class.reltype, &class.relname))?;
    refuse_stored(catalog, class)?;
    column::require_usage(session, [written.ty.oid]).await?;
    let number = class.relnatts + 1;
    let mut rows = written.rows(class.oid, number);
    rows.push(Keyed::any(std::sync::Arc::new(PgClass { relnatts: number, ..class.clone() })));
    put(session, rows);
    Ok(())
}

/// Fails where a row type would have a column of its own type.
pub fn refuse_itself(session: &mut Session, ty: Oid, (row_type, name): (Oid, &str)) -> Result<()> {
    if !is_made_of(session.environment().catalog(), ty, row_type) {
        return Ok(());
    }
    let message = format!("composite type {name} cannot be made a member of itself");
    Err(EngineError::new(sqlstate::INVALID_TABLE_DEFINITION, message))
}

/// Are values of a type part of those of another one?
fn is_made_of(catalog: Catalog<'_>, ty: Oid, part: Oid) -> bool {
    let base = catalog.base_type(ty);
    let element = catalog.element_type(base).map(|element| catalog.base_type(element));
    let ty = element.unwrap_or(base);
    let mut columns = catalog.type_relation(ty).into_iter().flat_map(|relation| catalog.attributes(relation));
    ty == part || columns.any(|column| column.attnum > 0 && is_made_of(catalog, column.atttypid, part))
}

/// A relation's column of a type, or of what is made of it (`find_composite_type_dependencies`).
fn column_of(catalog: Catalog<'_>, ty: Oid) -> Option<(&PgClass, &PgAttribute)> {
    // What is made of arrays was made first.
    let users =
        [catalog.array_type(ty), Some(ty)].into_iter().flatten().flat_map(|ty| catalog.dependents((PG_TYPE, ty)));
    let mut others = Vec::new();
    for row in users.filter(|row| row.deptype == b'n') {
        let column = (row.classid == PG_CLASS && row.objsubid > 0).then(|| catalog.relation(row.objid)).flatten();
        match column {
            Some(class) if class.relkind == b'c' => others.push(class.reltype),
            // A view stores nothing.
            Some(class) if class.relkind == b'v' => {}
            Some(class) => {
                let number = row.objsubid as i16;
                return Some((class, catalog.attributes(class.oid).find(|column| column.attnum == number)?));
            }
            None if row.classid == PG_TYPE => others.push(row.objid),
            None => {}
        }
    }
    others.into_iter().find_map(|ty| column_of(catalog, ty))
}

/// Fails where a column's values would have to be of another type.
fn refuse_used(catalog: Catalog<'_>, class: &PgClass) -> Result<()> {
    let Some((table, column)) = column_of(catalog, class.reltype) else { return Ok(()) };
    let uses = format!("because column \"{}.{}\" uses", table.relname, column.attname);
    let message = format!("cannot alter type \"{}\" {uses} it", class.relname);
    Err(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, message))
}

/// Does an expression that is kept somewhere name a type? It may have rows of the shape that the type has now.
fn is_named(catalog: Catalog<'_>, ty: Oid) -> bool {
    let users =
        [catalog.array_type(ty), Some(ty)].into_iter().flatten().flat_map(|ty| catalog.dependents((PG_TYPE, ty)));
    let is_expression = |row: &PgDepend| {
        matches!(row.classid, PG_ATTRDEF | PG_CONSTRAINT | PG_REWRITE | PG_POLICY)
            || row.classid == PG_CLASS && row.objsubid == 0 && row.deptype == b'n'
    };
    { users }.any(is_expression)
}

/// Refuses another shape of the rows of a type whose values are stored.
pub fn refuse_stored(catalog: Catalog<'_>, class: &PgClass) -> Result<()> {
    match column_of(catalog, class.reltype) {
        None if is_named(catalog, class.reltype) => Err(EngineError::unsupported(format_args!(
            "another shape of the rows of \"{}\", which expressions name,",
            class.relname
        ))),
        None => Ok(()),
        Some((table, column)) => Err(EngineError::unsupported(format_args!(
            "another shape of the rows of \"{}\", which column \"{}.{}\" has,",
            class.relname, table.relname, column.attname
        ))),
    }
}

/// Takes the relation of a composite type away, with the types of its rows.
pub fn remove(session: &mut Session, class: &PgClass) {
    let environment = session.environment();
    let (catalog, database) = (environment.catalog(), session.shared.database.0);
    let types = [Some(class.reltype), catalog.array_type(class.reltype)];
    for ty in types.into_iter().flatten() {
        deletion::forget(session, of_type(ty));
        session.transaction().delete(database, CatalogKey::PgType(ty));
    }
    for column in catalog.attributes(class.oid) {
        session.transaction().delete(database, CatalogKey::PgAttribute(column.key()));
    }
    session.transaction().delete(database, CatalogKey::PgClass(class.oid));
    session.show_changes();
}

/// Takes an attribute away, whose number stays (`RemoveAttributeById`).
pub fn remove_column(session: &mut Session, (relation, number): (Oid, i16)) -> Result<()> {
    let environment = session.environment();
    let (catalog, database) = (environment.catalog(), session.shared.database.0);
    let row = catalog.attributes(relation).find(|row| row.attnum == number);
    let (Some(class), Some(row)) = (catalog.relation(relation), row) else { return Ok(()) };
    refuse_stored(catalog, class)?;
    let attname = Name::Owned(format!("........pg.dropped.{}........", row.attnum));
    let row = PgAttribute { attname, atttypid: oid::INVALID, attisdropped: true, ..row.clone() };
    session.transaction().put(database, row);
    session.show_changes();
    Ok(())
}
