//! The objects that GRANT and REVOKE name (`objectNamesToOids`, `objectsInSchemaToOids`).

use catalog::Catalog;
use catalog::catalogs::PgParameterAcl;
use catalog::facts::Name;
use catalog::object::ObjectKind;
use catalog::object::address::Lookup;
use engine::{EngineError, ObjectAddress, Result};
use error::sqlstate;
use session::errors::reported;
use session::{ParsedStatement, Session};
use syntax::nodes::{GrantStmt, GrantTargetType, Node, ObjectType};
use txn::{LockMode, LockTag};
use types::Oid;
use types::names::{PG_CLASS, PG_PARAMETER_ACL, PG_PROC};

use super::lock_rights;
use crate::object::object_address;

/// The objects, each once, locked: no session drops one or changes its rights before the transaction ends.
pub async fn objects(
    session: &mut Session,
    statement: &ParsedStatement,
    grant: &GrantStmt,
) -> Result<Vec<ObjectAddress>> {
    let found = match (grant.targtype, grant.objtype) {
        (GrantTargetType::ACL_TARGET_ALL_IN_SCHEMA, kind) => in_schemas(session, kind, &grant.objects)?,
        (_, ObjectType::OBJECT_TABLE | ObjectType::OBJECT_SEQUENCE) => relations(session, &grant.objects).await?,
        (_, ObjectType::OBJECT_PARAMETER_ACL) => parameters(session, grant).await?,
        (_, kind) => named(session, statement, kind, &grant.objects).await?,
    };
    let mut locked = Vec::with_capacity(found.len());
    for object in found {
        if !locked.contains(&object) {
            lock_rights(session, object).await?;
            locked.push(object);
        }
    }
    Ok(locked)
}

/// Tables and what else SELECT reads are all named alike.
async fn relations(session: &mut Session, names: &[Node]) -> Result<Vec<ObjectAddress>> {
    let mut found = Vec::with_capacity(names.len());
    for name in names {
        let Node::RangeVar(name) = name else { continue };
        let name = object_address::of_relation(name, None);
        let find = |session: &mut Session| {
            let environment = session.environment();
            let lookup = Lookup { catalog: environment.catalog(), database: &environment.database.1 };
            let row = lookup.relation(&name.names).map_err(|error| reported(error, ""))?;
            Ok::<_, EngineError>(ObjectAddress { class: PG_CLASS, oid: row.oid, column: 0 })
        };
        let object = find(session)?;
        if object.oid < catalog::FIRST_NORMAL_OBJECT_ID {
            found.push(object);
            continue;
        }
        found.push(object_address::lock(session, LockMode::AccessShare, find).await?);
    }
    Ok(found)
}

async fn named(
    session: &mut Session,
    statement: &ParsedStatement,
    kind: ObjectType,
    names: &[Node],
) -> Result<Vec<ObjectAddress>> {
    let kind = object_address::kind(kind)?;
    let mut found = Vec::with_capacity(names.len());
    for node in names {
        let name = object_address::name(session, statement, kind, node)?;
        let find = |session: &mut Session| object_address::find(session, kind, &name);
        found.push(object_address::lock(session, LockMode::AccessShare, find).await?);
    }
    if kind == ObjectKind::LargeObject {
        return Err(EngineError::unsupported("rights on large objects"));
    }
    Ok(found)
}

/// All objects of a kind in schemas.
fn in_schemas(session: &mut Session, kind: ObjectType, schemas: &[Node]) -> Result<Vec<ObjectAddress>> {
    let environment = session.environment();
    let catalog = environment.catalog();
    let mut found = Vec::new();
    for schema in schemas.iter().filter_map(object_address::string) {
        let namespace = catalog.namespace_oid(&schema).map_err(|error| reported(error, ""))?;
        found.extend(in_schema(catalog, kind, namespace)?);
    }
    Ok(found)
}

fn in_schema(catalog: Catalog<'_>, kind: ObjectType, namespace: Oid) -> Result<Vec<ObjectAddress>> {
    let relations = |kinds: &'static [u8]| {
        let rows = catalog.relations_in(namespace).filter(|row| kinds.contains(&row.relkind));
        rows.map(|row| ObjectAddress { class: PG_CLASS, oid: row.oid, column: 0 }).collect()
    };
    let functions = |is: fn(u8) -> bool| {
        let rows = <catalog::catalogs::PgProc as catalog::Scan>::visible(catalog);
        let rows = rows.filter(|row| row.pronamespace == namespace && is(row.prokind));
        rows.map(|row| ObjectAddress { class: PG_PROC, oid: row.oid, column: 0 }).collect()
    };
    Ok(match kind {
        // PostgreSQL goes through them kind by kind.
        ObjectType::OBJECT_TABLE => {
            [b"r", b"v", b"m", b"f", b"p"].into_iter().flat_map(|kind| relations(kind) as Vec<_>).collect()
        }
        ObjectType::OBJECT_SEQUENCE => relations(b"S"),
        ObjectType::OBJECT_FUNCTION => functions(|kind| kind != b'p'),
        ObjectType::OBJECT_PROCEDURE => functions(|kind| kind == b'p'),
        ObjectType::OBJECT_ROUTINE => functions(|_| true),
        _ => return Err(EngineError::unsupported("rights on all objects of this kind in a schema")),
    })
}

/// The rows of parameters; GRANT makes those that there are not yet.
async fn parameters(session: &mut Session, grant: &GrantStmt) -> Result<Vec<ObjectAddress>> {
    let mut found = Vec::with_capacity(grant.objects.len());
    for name in grant.objects.iter().filter_map(object_address::string) {
        let name = match config::find(&name) {
            Some(definition) => definition.name.to_ascii_lowercase(),
            None if grant.is_grant => {
                config::check_custom_name(&name)?;
                name.to_ascii_lowercase()
            }
            None => name.to_ascii_lowercase(),
        };
        session.lock(LockTag::Relation { database: 0, oid: PG_PARAMETER_ACL }, LockMode::ShareRowExclusive).await?;
        session.show_changes();
        let environment = session.environment();
        let known = environment.catalog().parameter_acls_named(&name).next().map(|row| row.oid);
        let oid = match known {
            Some(oid) => oid,
            // There is nothing to be revoked.
            None if !grant.is_grant => continue,
            None => {
                let oid = session.db().new_oid();
                let row = PgParameterAcl { oid, parname: Name::Owned(name), paracl: None };
                session.transaction().put(types::oid::INVALID, row);
                session.show_changes();
                oid
            }
        };
        found.push(ObjectAddress { class: PG_PARAMETER_ACL, oid, column: 0 });
    }
    Ok(found)
}

/// Fails for objects that have no rights of their own, or are of another kind than the command says.
pub fn check(catalog: Catalog<'_>, kind: ObjectType, object: ObjectAddress) -> Result<()> {
    let wrong = |message: String| EngineError::new(sqlstate::WRONG_OBJECT_TYPE, message);
    match kind {
        ObjectType::OBJECT_TABLE | ObjectType::OBJECT_SEQUENCE => {
            let Some(row) = catalog.relation(object.oid) else { return Ok(()) };
            match row.relkind {
                b'i' | b'I' => Err(wrong(format!("\"{}\" is an index", row.relname))),
                b'c' => Err(wrong(format!("\"{}\" is a composite type", row.relname))),
                b'S' => Ok(()),
                _ if kind == ObjectType::OBJECT_SEQUENCE => {
                    Err(wrong(format!("\"{}\" is not a sequence", row.relname)))
                }
                _ => Ok(()),
            }
        }
        ObjectType::OBJECT_LANGUAGE => match catalog.language(object.oid) {
            Some(row) if !row.lanpltrusted => {
                let detail = "GRANT and REVOKE are not allowed on untrusted languages, because only superusers can use \
                              untrusted languages.";
                Err(wrong(format!("language \"{}\" is not trusted", row.lanname)).detail(detail))
            }
            _ => Ok(()),
        },
        ObjectType::OBJECT_TYPE | ObjectType::OBJECT_DOMAIN => {
            let Some(row) = catalog.pg_type(object.oid) else { return Ok(()) };
            if catalog.element_type(object.oid).is_some() {
                let hint = "Set the privileges of the element type instead.";
                return Err(EngineError::new(
                    sqlstate::INVALID_GRANT_OPERATION,
                    "cannot set privileges of array types",
                )
                .hint(hint));
            }
            if row.typtype == b'm' {
                let hint = "Set the privileges of the range type instead.";
                let message = "cannot set privileges of multirange types";
                return Err(EngineError::new(sqlstate::INVALID_GRANT_OPERATION, message).hint(hint));
            }
            match kind == ObjectType::OBJECT_DOMAIN && row.typtype != b'd' {
                true => Err(wrong(format!("\"{}\" is not a domain", row.typname))),
                false => Ok(()),
            }
        }
        _ => Ok(()),
    }
}
