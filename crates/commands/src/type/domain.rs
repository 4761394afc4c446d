//! Domains: CREATE DOMAIN, and ALTER DOMAIN … SET and DROP DEFAULT (`DefineDomain`, `AlterDomainDefault`).
//!
//! Values of a domain are values of the type under it. What would have to be checked of each (CHECK, NOT NULL) is refused.

use analyze::query::{Const, Expr, TypeRef};
use analyze::{analyze_collation, analyze_default, analyze_type_name};
use catalog::catalogs::PgType;
use catalog::facts::Name;
use catalog::{Catalog, FIRST_NORMAL_OBJECT_ID};
use engine::{EngineError, NodeTree, ObjectAddress, Result};
use error::sqlstate;
use session::errors::at;
use session::ownership::{self, ObjectKind};
use session::{ParsedStatement, Reply, Session, done};
use syntax::nodes::{AlterDomainStmt, ConstrType, Constraint, CreateDomainStmt, Node};
use txn::LockMode;
use types::names::PG_TYPE;
use types::{Datum, Oid, oid};

use super::{NewType, depend, function, name};
use crate::object::alter::of_type;
use crate::object::{deletion, dependency, object_address, stored};
use crate::role::user;
use crate::table::column;

pub async fn create(session: &mut Session, statement: &ParsedStatement, create: &CreateDomainStmt) -> Result<Reply> {
    session.require_writable("CREATE DOMAIN")?;
    let name = name::claim(session, &create.domainname).await?;
    let Some(ty) = &create.type_name else { return Err(EngineError::unsupported("a domain without a type")) };
    let base = session.analyze(&statement.text, &[], |with| analyze_type_name(with, ty))?;
    let environment = session.environment();
    let Some(of_base) = environment.catalog().pg_type(base.oid) else { return Ok(done("CREATE DOMAIN")) };
    if of_base.typtype == b'p' {
        let written: Vec<String> = ty.names.iter().filter_map(object_address::string).collect();
        let message = format!("\"{}\" is not a valid base type for a domain", written.join("."));
        return Err(at(EngineError::new(sqlstate::DATATYPE_MISMATCH, message), &statement.text, ty.location));
    }
    refuse_decimal(environment.catalog(), base)?;
    column::require_usage(session, [base.oid]).await?;
    let collation = match &create.coll_clause {
        Some(clause) => session.analyze(&statement.text, &[], |with| analyze_collation(with, clause, base.oid))?,
        None => of_base.typcollation,
    };
    let constraints = create.constraints.iter().filter_map(|node| match node {
        Node::Constraint(given) => Some(&**given),
        _ => None,
    });
    let given = read(statement, constraints)?;
    let default = match given.and_then(|given| given.raw_expr.as_ref()) {
        Some(node) => default_of(session, statement, node, (&name.name, base))?,
        None => None,
    };
    let owner = user::current(&session.shared)?.oid;
    let new = NewType { name: &name, owner, like: (oid::RECORD, oid::RECORDARRAY) };
    let dimensions = ty.array_bounds.len() as i32;
    let made = super::create(session, new, |row| PgType {
        typbasetype: base.oid,
        typtypmod: base.typmod,
        typndims: dimensions,
        typcollation: collation,
        // Of a domain over a domain it is that one's where it has none of its own.
        typdefaultbin: of_base.typdefaultbin.clone().filter(|_| given.is_none()),
        typdefault: of_base.typdefault.clone().filter(|_| given.is_none()),
        ..domain_like(row, of_base)
    })
    .await?;
    if base.oid >= FIRST_NORMAL_OBJECT_ID {
        depend(session, of_type(made), of_type(base.oid), b'n');
    }
    if let Some(row) = session.environment().catalog().pg_type(made).filter(|_| given.is_some()) {
        let database = session.shared.database.0;
        session.transaction().put(database, with_default(row.clone(), default.as_ref()));
        session.show_changes();
    }
    refer(session, made, default.as_ref()).await?;
    Ok(done("CREATE DOMAIN"))
}

/// Columns of such a domain would have another representation than its values elsewhere.
fn refuse_decimal(catalog: Catalog<'_>, base: TypeRef) -> Result<()> {
    let (ty, typmod) = catalog.base_type_and_typmod(base.oid, base.typmod);
    match ty == oid::NUMERIC && typmod >= 0 {
        true => Err(EngineError::unsupported("a domain over numeric with a precision")),
        false => Ok(()),
    }
}

/// A domain's row: a new type's, and otherwise that of its base type.
fn domain_like(new: PgType, base: &PgType) -> PgType {
    PgType {
        oid: new.oid,
        typname: new.typname,
        typnamespace: new.typnamespace,
        typowner: new.typowner,
        typarray: new.typarray,
        typacl: None,
        typtype: b'd',
        typispreferred: false,
        typrelid: oid::INVALID,
        typsubscript: oid::INVALID,
        typelem: oid::INVALID,
        typinput: function("domain_in"),
        typreceive: function("domain_recv"),
        typmodin: oid::INVALID,
        typmodout: oid::INVALID,
        ..base.clone()
    }
}

/// The DEFAULT among a domain's constraints. Fails for those that are none of a domain's, and refuses those that are checked.
fn read<'n>(
    statement: &ParsedStatement,
    constraints: impl Iterator<Item = &'n Constraint>,
) -> Result<Option<&'n Constraint>> {
    use ConstrType::*;
    let mut default = None;
    for given in constraints {
        let told =
            |message: &str| Err(at(EngineError::new(sqlstate::SYNTAX_ERROR, message), &statement.text, given.location));
        match given.contype {
            CONSTR_DEFAULT if default.replace(given).is_some() => return told("multiple default expressions"),
            CONSTR_DEFAULT | CONSTR_NULL => {}
            CONSTR_NOTNULL | CONSTR_CHECK => return Err(EngineError::unsupported("a domain with constraints")),
            CONSTR_UNIQUE => return told("unique constraints not possible for domains"),
            CONSTR_PRIMARY => return told("primary key constraints not possible for domains"),
            CONSTR_EXCLUSION => return told("exclusion constraints not possible for domains"),
            CONSTR_FOREIGN => return told("foreign key constraints not possible for domains"),
            CONSTR_ATTR_DEFERRABLE | CONSTR_ATTR_NOT_DEFERRABLE | CONSTR_ATTR_DEFERRED | CONSTR_ATTR_IMMEDIATE => {
                return told("specifying constraint deferrability not supported for domains");
            }
            _ => return Err(EngineError::unsupported("this constraint of a domain")),
        }
    }
    Ok(default)
}

/// A default: the tree, and its text. `None`: it is NULL.
struct Default {
    tree: NodeTree,
    text: String,
}

fn default_of(
    session: &mut Session,
    statement: &ParsedStatement,
    node: &Node,
    (name, base): (&str, TypeRef),
) -> Result<Option<Default>> {
    let value = session.analyze_kept(statement, |with| analyze_default(with, node, name, base))?;
    if matches!(&value, Expr::Const(Const { value: Datum::Null, .. })) {
        return Ok(None);
    }
    let tree = stored::kept(session, &value, oid::INVALID)?;
    let text = stored::shown(session, &value)?;
    Ok(Some(Default { tree, text }))
}

fn with_default(row: PgType, default: Option<&Default>) -> PgType {
    PgType {
        typdefaultbin: default.map(|default| Name::Owned(default.tree.text.to_string())),
        typdefault: default.map(|default| Name::Owned(default.text.clone())),
        ..row
    }
}

/// A domain cannot be without what its default refers to.
async fn refer(session: &mut Session, domain: Oid, default: Option<&Default>) -> Result<()> {
    let Some(default) = default else { return Ok(()) };
    dependency::hold(session, &default.tree.references).await?;
    let environment = session.environment();
    let base = environment.catalog().pg_type(domain).map_or(oid::INVALID, |row| row.typbasetype);
    for object in default.tree.references.iter().filter(|object| **object != of_type(base)) {
        depend(session, of_type(domain), *object, b'n');
    }
    Ok(())
}

/// ALTER DOMAIN, but for names, owners and schemas.
pub async fn alter(session: &mut Session, statement: &ParsedStatement, alter: &AlterDomainStmt) -> Result<Reply> {
    session.require_writable("ALTER DOMAIN")?;
    let node = Node::List(alter.type_name.clone().into());
    let name = object_address::name(session, statement, ObjectKind::Type, &node)?;
    let find = |session: &mut Session| {
        let object = object_address::find(session, ObjectKind::Type, &name)?;
        let environment = session.environment();
        if environment.catalog().pg_type(object.oid).is_none_or(|row| row.typtype != b'd') {
            let message = format!("{} is not a domain", environment.catalog().format_type(object.oid));
            return Err(EngineError::new(sqlstate::WRONG_OBJECT_TYPE, message));
        }
        ownership::require_owner_of(session, ObjectKind::Type, &name, object)?;
        Ok(object)
    };
    let domain = object_address::lock(session, LockMode::AccessExclusive, find).await?;
    match alter.subtype {
        'T' => set_default(session, statement, domain, alter.def.as_ref()).await?,
        // There is no NOT NULL.
        'N' => {}
        'X' => drop_constraint(session, domain, alter)?,
        _ => return Err(EngineError::unsupported("a domain with constraints")),
    }
    Ok(done("ALTER DOMAIN"))
}

/// SET DEFAULT, and DROP DEFAULT, which has none.
async fn set_default(
    session: &mut Session,
    statement: &ParsedStatement,
    domain: ObjectAddress,
    node: Option<&Node>,
) -> Result<()> {
    let environment = session.environment();
    let Some(row) = environment.catalog().pg_type(domain.oid) else { return Ok(()) };
    let base = TypeRef { oid: row.typbasetype, typmod: row.typtypmod };
    let default = match node {
        Some(node) => default_of(session, statement, node, (&row.typname, base))?,
        None => None,
    };
    let database = session.shared.database.0;
    session.transaction().put(database, with_default(row.clone(), default.as_ref()));
    session.show_changes();
    forget_default(session, domain, row.typbasetype);
    refer(session, domain.oid, default.as_ref()).await
}

/// Deletes what says what the default of before referred to: all that a domain depends on but its schema and its base type.
fn forget_default(session: &mut Session, domain: ObjectAddress, base: Oid) {
    let environment = session.environment();
    let schema = environment.catalog().object(domain).and_then(|object| object.namespace);
    let owner = environment.catalog().object(domain).and_then(|object| object.owner);
    deletion::forget_references(session, domain);
    if let Some(oid) = schema {
        depend(session, domain, ObjectAddress { class: types::names::PG_NAMESPACE, oid, column: 0 }, b'n');
    }
    if base >= FIRST_NORMAL_OBJECT_ID {
        depend(session, domain, of_type(base), b'n');
    }
    if let Some(owner) = owner {
        session.change_owner((PG_TYPE, domain.oid), (None, owner));
    }
}

fn drop_constraint(session: &mut Session, domain: ObjectAddress, alter: &AlterDomainStmt) -> Result<()> {
    let environment = session.environment();
    let (name, ty) = (alter.name.as_deref().unwrap_or_default(), environment.catalog().format_type(domain.oid));
    let message = format!("constraint \"{name}\" of domain \"{ty}\" does not exist");
    if !alter.missing_ok {
        return Err(EngineError::new(sqlstate::UNDEFINED_OBJECT, message));
    }
    session.notice("NOTICE", EngineError::new(sqlstate::SUCCESSFUL_COMPLETION, message + ", skipping"));
    Ok(())
}
