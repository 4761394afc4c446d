//! The object that a command names, whatever its kind: from the grammar's nodes to PostgreSQL's `get_object_address`
//! ([`catalog::object::address`]). Commands that change an object of any kind ask here.

use analyze::analyze_type_name;
use catalog::object::address::{Lookup, NamedType, ObjectName};
use catalog::object::{ObjectAddress, ObjectKind};
use engine::{EngineError, Result};
use syntax::nodes::{Node, ObjectType, TypeName};
use types::oid;

use crate::commands::drop::string;
use crate::parse::ParsedStatement;
use crate::session::Session;

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

/// Fails where there is no such object.
pub fn find(session: &mut Session, kind: ObjectKind, name: &ObjectName) -> Result<ObjectAddress> {
    let environment = session.environment();
    let lookup = Lookup { catalog: environment.catalog(), database: &environment.database.1 };
    lookup.address(kind, name).map_err(|error| crate::errors::reported(error, ""))
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
