//! The object that a command names, whatever its kind: from the grammar's nodes to PostgreSQL's `get_object_address`
//! ([`catalog::object::address`]). Commands that change an object of any kind ask here.

use analyze::analyze_type_name;
use catalog::object::address::{Lookup, NamedType, ObjectName};
use catalog::object::{ObjectAddress, ObjectKind};
use engine::{EngineError, Result};
use std::hash::{DefaultHasher, Hash, Hasher};

use session::{ParsedStatement, Session};
use syntax::nodes::{Node, ObjectType, RangeVar, TypeName};
use txn::{LockMode, LockTag};
use types::names::{PG_AUTHID, PG_CLASS, PG_NAMESPACE, PG_TABLESPACE, PG_TYPE};
use types::oid;

use crate::object::names;
use crate::role::user;

/// The kind that the grammar names.
pub fn kind(ty: ObjectType) -> Result<ObjectKind> {
    use ObjectType::*;
    Ok(match ty {
        OBJECT_ACCESS_METHOD => ObjectKind::AccessMethod,
        OBJECT_AGGREGATE => ObjectKind::Aggregate,
        OBJECT_CAST => ObjectKind::Cast,
        OBJECT_COLLATION => ObjectKind::Collation,
        OBJECT_COLUMN => ObjectKind::Column,
        OBJECT_CONVERSION => ObjectKind::Conversion,
        OBJECT_DATABASE => ObjectKind::Database,
        OBJECT_DOMAIN => ObjectKind::Domain,
        OBJECT_DOMCONSTRAINT => ObjectKind::DomainConstraint,
        OBJECT_EVENT_TRIGGER => ObjectKind::EventTrigger,
        OBJECT_EXTENSION => ObjectKind::Extension,
        OBJECT_FDW => ObjectKind::ForeignDataWrapper,
        OBJECT_FOREIGN_SERVER => ObjectKind::ForeignServer,
        OBJECT_FOREIGN_TABLE => ObjectKind::ForeignTable,
        OBJECT_FUNCTION => ObjectKind::Function,
        OBJECT_INDEX => ObjectKind::Index,
        OBJECT_LANGUAGE => ObjectKind::Language,
        OBJECT_LARGEOBJECT => ObjectKind::LargeObject,
        OBJECT_MATVIEW => ObjectKind::MaterializedView,
        OBJECT_OPCLASS => ObjectKind::OperatorClass,
        OBJECT_OPERATOR => ObjectKind::Operator,
        OBJECT_OPFAMILY => ObjectKind::OperatorFamily,
        OBJECT_POLICY => ObjectKind::Policy,
        OBJECT_PROCEDURE => ObjectKind::Procedure,
        OBJECT_PUBLICATION => ObjectKind::Publication,
        OBJECT_ROLE => ObjectKind::Role,
        OBJECT_ROUTINE => ObjectKind::Routine,
        OBJECT_RULE => ObjectKind::Rule,
        OBJECT_SCHEMA => ObjectKind::Schema,
        OBJECT_SEQUENCE => ObjectKind::Sequence,
        OBJECT_STATISTIC_EXT => ObjectKind::Statistics,
        OBJECT_SUBSCRIPTION => ObjectKind::Subscription,
        OBJECT_TABCONSTRAINT => ObjectKind::TableConstraint,
        OBJECT_TABLE => ObjectKind::Table,
        OBJECT_TABLESPACE => ObjectKind::Tablespace,
        OBJECT_TRANSFORM => ObjectKind::Transform,
        OBJECT_TRIGGER => ObjectKind::Trigger,
        OBJECT_TSCONFIGURATION => ObjectKind::TextSearchConfiguration,
        OBJECT_TSDICTIONARY => ObjectKind::TextSearchDictionary,
        OBJECT_TSPARSER => ObjectKind::TextSearchParser,
        OBJECT_TSTEMPLATE => ObjectKind::TextSearchTemplate,
        OBJECT_TYPE => ObjectKind::Type,
        OBJECT_VIEW => ObjectKind::View,
        _ => return Err(EngineError::unsupported("this kind of object")),
    })
}

/// The name of an object of a kind, with the types in it found.
pub fn name(session: &mut Session, statement: &ParsedStatement, kind: ObjectKind, object: &Node) -> Result<ObjectName> {
    let mut name = ObjectName::default();
    match object {
        Node::String(text) => name.names.push(text.to_string()),
        // The number of a large object.
        Node::Integer(number) => name.names.push(number.to_string()),
        Node::Float(number) => name.names.push(number.to_string()),
        Node::TypeName(ty) => name.types.push(named_type(session, statement, ty)?),
        Node::ObjectWithArgs(function) => {
            name.names = function.objname.iter().filter_map(string).collect();
            name.arguments_unspecified = function.args_unspecified;
            name.types = types(session, statement, &function.objargs)?;
        }
        // ALTER TYPE has the name alone (`makeTypeNameFromNameList`).
        Node::List(parts) if matches!(kind, ObjectKind::Type | ObjectKind::Domain) && parts.iter().all(is_string) => {
            let ty = TypeName {
                names: parts.to_vec(),
                type_oid: oid::INVALID,
                setof: false,
                pct_type: false,
                typmods: vec![],
                typemod: -1,
                array_bounds: vec![],
                location: -1,
            };
            name.types.push(named_type(session, statement, &ty)?);
        }
        Node::List(parts) => {
            let texts = parts.iter().filter_map(string).collect();
            match kind {
                ObjectKind::Transform => name.others = texts,
                _ => name.names = texts,
            }
            let is_type = |part: &&Node| matches!(part, Node::TypeName(_));
            for part in parts.iter().filter(is_type) {
                name.types.extend(types(session, statement, std::slice::from_ref(part))?);
            }
        }
        _ => return Err(EngineError::unsupported("this form of an object's name")),
    }
    Ok(name)
}

fn is_string(node: &Node) -> bool {
    matches!(node, Node::String(_))
}

pub fn string(node: &Node) -> Option<String> {
    match node {
        Node::String(text) => Some(text.to_string()),
        _ => None,
    }
}

/// The name of a relation, or of a part of one.
pub fn of_relation(relation: &RangeVar, part: Option<&str>) -> ObjectName {
    let parts = [&relation.catalogname, &relation.schemaname, &relation.relname];
    let names = parts.into_iter().flatten().map(|name| name.to_string());
    ObjectName { names: names.chain(part.map(str::to_string)).collect(), ..ObjectName::default() }
}

/// The object that `find` gives, locked until the transaction ends: looked for again where another may have taken its name
/// while its lock was waited for. `find` says, too, who may have it: such a role does not wait for the lock.
pub async fn lock<E: From<EngineError>>(
    session: &mut Session,
    mode: LockMode,
    find: impl Fn(&mut Session) -> std::result::Result<ObjectAddress, E>,
) -> std::result::Result<ObjectAddress, E> {
    loop {
        let found = find(session)?;
        lock_object(session, found, mode).await?;
        if find(session)? == found {
            return Ok(found);
        }
    }
}

/// Locks an object; of a part of a relation, the relation.
pub async fn lock_object(session: &mut Session, object: ObjectAddress, mode: LockMode) -> Result<()> {
    let environment = session.environment();
    let (catalog, database) = (environment.catalog(), session.shared.database.0);
    let name = || catalog.object(object).and_then(|object| object.name).unwrap_or_default().to_string();
    let relation = match object.class {
        PG_AUTHID => return user::lock(session, &name(), mode).await,
        PG_NAMESPACE => return names::lock_schema(session, &name(), mode).await,
        PG_TABLESPACE => {
            session.lock(LockTag::Relation { database: 0, oid: object.oid }, mode).await?;
            session.show_changes();
            return Ok(());
        }
        PG_TYPE => None,
        PG_CLASS => Some(catalog.containing_relation(object).unwrap_or(object.oid)),
        _ => catalog.containing_relation(object),
    };
    let tag = match relation {
        Some(oid) => LockTag::Relation { database, oid },
        None => {
            let mut hasher = DefaultHasher::new();
            ("object", object).hash(&mut hasher);
            LockTag::Name { database, hash: hasher.finish() }
        }
    };
    session.lock(tag, mode).await?;
    if object.class == PG_CLASS && mode == LockMode::AccessExclusive {
        // No session draws from a sequence any more, this one does so from what it is then.
        session.shared.sequences.shut(object.oid);
    }
    session.show_changes();
    Ok(())
}

/// Fails where there is no such object.
pub fn find(session: &mut Session, kind: ObjectKind, name: &ObjectName) -> Result<ObjectAddress> {
    let environment = session.environment();
    let lookup = Lookup { catalog: environment.catalog(), database: &environment.database.1 };
    lookup.address(kind, name).map_err(|error| session::errors::reported(error, ""))
}

/// What stands for no operand is no type.
fn types(session: &mut Session, statement: &ParsedStatement, list: &[Node]) -> Result<Vec<NamedType>> {
    let one = |node: &Node| match node {
        Node::TypeName(name) => named_type(session, statement, name),
        _ => Ok(NamedType { oid: oid::INVALID, written: "NONE".into() }),
    };
    list.iter().map(one).collect()
}

fn named_type(session: &mut Session, statement: &ParsedStatement, name: &TypeName) -> Result<NamedType> {
    let found = session.analyze(&statement.text, &[], |with| analyze_type_name(with, name));
    // Errors do not say where the name is.
    let found = found.map_err(|error| EngineError { position: None, ..error })?;
    let parts: Vec<String> = name.names.iter().filter_map(string).collect();
    let array = if name.array_bounds.is_empty() { "" } else { "[]" };
    Ok(NamedType { oid: found.oid, written: parts.join(".") + array })
}
