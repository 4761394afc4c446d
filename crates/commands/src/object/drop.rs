//! DROP of objects that lie in a database, whatever their kind: PostgreSQL's `RemoveRelations` and `RemoveObjects`. What
//! differs is how what is not there is told of.

use ::error::sqlstate;
use catalog::Catalog;
use catalog::object::address::{Lookup, NamedType, ObjectName};
use catalog::object::{ObjectAddress, ObjectKind};
use engine::{EngineError, Result};
use session::{ParsedStatement, Reply, Session, done, ownership};
use syntax::nodes::{DropBehavior, DropStmt, Node};
use txn::LockMode;
use types::names::PG_PROC;

use crate::index::concurrently;
use crate::object::{alter, deletion, object_address};

/// What is not dropped: the error, and what IF EXISTS says of it.
struct Missing {
    error: Box<EngineError>,
    /// `None`: it is an error all the same.
    notice: Option<String>,
}

impl From<EngineError> for Missing {
    fn from(error: EngineError) -> Missing {
        Missing { error: error.into(), notice: None }
    }
}

impl From<types::Error> for Missing {
    fn from(error: types::Error) -> Missing {
        EngineError::from(error).into()
    }
}

type Found = std::result::Result<ObjectAddress, Missing>;

pub async fn run(session: &mut Session, statement: &ParsedStatement, drop: &DropStmt) -> Result<Reply> {
    let kind = object_address::kind(drop.remove_type)?;
    let tag = format!("DROP {}", kind.of_command());
    session.require_writable(&tag)?;
    if drop.concurrent {
        refuse_concurrently(session, drop)?;
    }
    let mut objects = Vec::new();
    for node in &drop.objects {
        match find(session, statement, kind, node, drop.concurrent).await {
            Ok(found) => objects.push(found),
            Err(Missing { notice: Some(notice), .. }) if drop.missing_ok => {
                session.notice("NOTICE", EngineError::new(sqlstate::SUCCESSFUL_COMPLETION, notice + ", skipping"));
            }
            Err(missing) => return Err(*missing.error),
        }
    }
    match objects[..] {
        [index] if drop.concurrent && !is_temporary(session, index) => {
            deletion::check_unused(session, index)?;
            concurrently::drop(session, index.oid).await?;
        }
        _ => deletion::drop_all(session, &objects, drop.behavior).await?,
    }
    Ok(done(&tag))
}

fn refuse_concurrently(session: &mut Session, drop: &DropStmt) -> Result<()> {
    session.refuse_in_block("DROP INDEX CONCURRENTLY")?;
    let refused = |what| {
        let message = format!("DROP INDEX CONCURRENTLY does not support {what}");
        Err(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, message))
    };
    match drop.behavior {
        _ if drop.objects.len() > 1 => refused("dropping multiple objects"),
        DropBehavior::DROP_CASCADE => refused("CASCADE"),
        DropBehavior::DROP_RESTRICT => Ok(()),
    }
}

/// A temporary table is no other session's.
fn is_temporary(session: &mut Session, relation: ObjectAddress) -> bool {
    let environment = session.environment();
    environment.catalog().relation(relation.oid).is_some_and(|row| row.relpersistence == b't')
}

/// The object of a name, locked, which the session's role may drop.
async fn find(
    session: &mut Session,
    statement: &ParsedStatement,
    kind: ObjectKind,
    node: &Node,
    concurrent: bool,
) -> Found {
    let name = object_address::name(session, statement, kind, node);
    let name = name
        .map_err(|error| Missing { notice: is_absence(&error).then(|| error.message.clone()), error: error.into() })?;
    let address = |session: &mut Session| match kind.is_relation() {
        true => relation(session, kind, &name),
        false => other(session, kind, &name),
    };
    let mut mode = LockMode::AccessExclusive;
    if concurrent {
        let found = address(session)?;
        if !is_temporary(session, found) {
            mode = concurrently::MODE;
        }
    }
    object_address::lock(session, mode, address).await
}

/// Nothing is wrong but that something is not there.
fn is_absence(error: &EngineError) -> bool {
    matches!(
        error.code,
        sqlstate::UNDEFINED_OBJECT
            | sqlstate::UNDEFINED_FUNCTION
            | sqlstate::UNDEFINED_TABLE
            | sqlstate::UNDEFINED_SCHEMA
    )
}

/// `RangeVarCallbackForDropRelation`, `DropErrorMsgNonExistent`, `DropErrorMsgWrongType`.
fn relation(session: &mut Session, kind: ObjectKind, name: &ObjectName) -> Found {
    let environment = session.environment();
    let lookup = Lookup { catalog: environment.catalog(), database: &environment.database.1 };
    let row = lookup.relation(&name.names).map_err(|error| {
        let code = match (error.0.code, kind) {
            (sqlstate::UNDEFINED_TABLE, ObjectKind::Index | ObjectKind::ForeignTable) => sqlstate::UNDEFINED_OBJECT,
            (code, _) => code,
        };
        let error = match code {
            sqlstate::UNDEFINED_TABLE | sqlstate::UNDEFINED_OBJECT => {
                EngineError::new(code, format!("{} \"{}\" does not exist", kind.name(), name.last()))
            }
            _ => error.into(),
        };
        Missing { notice: is_absence(&error).then(|| error.message.clone()), error: error.into() }
    })?;
    let is = ObjectKind::of_relation(row.relkind);
    if is != Some(kind) {
        let message = format!("\"{}\" is not {}", row.relname, kind.with_article());
        let error = EngineError::new(sqlstate::WRONG_OBJECT_TYPE, message);
        let hint = is.map(|is| format!("Use DROP {} to remove {}.", is.of_command(), is.with_article()));
        let hint = hint.or_else(|| (row.relkind == b'c').then(|| "Use DROP TYPE to remove a type.".into()));
        return Err(EngineError { hint, ..error }.into());
    }
    let address = ObjectAddress { class: kind.class(), oid: row.oid, column: 0 };
    ownership::require_owner_or_schema_owner(session, kind, name, address)?;
    if row.oid < catalog::FIRST_NORMAL_OBJECT_ID {
        return Err(alter::system_catalog(&row.relname).into());
    }
    Ok(address)
}

fn other(session: &mut Session, kind: ObjectKind, name: &ObjectName) -> Found {
    let environment = session.environment();
    let address = object_address::find(session, kind, name)
        .map_err(|error| Missing { notice: absence(environment.catalog(), kind, name, &error), error: error.into() })?;
    let function = (address.class == PG_PROC).then(|| environment.catalog().function(address.oid)).flatten();
    if kind == ObjectKind::Function && function.is_some_and(|row| row.prokind == b'a') {
        let message = format!("\"{}\" is an aggregate function", name.written());
        let error = EngineError::new(sqlstate::WRONG_OBJECT_TYPE, message);
        return Err(error.hint("Use DROP AGGREGATE to drop aggregate functions.").into());
    }
    ownership::require_owner_or_schema_owner(session, kind, name, address)?;
    Ok(address)
}

/// How IF EXISTS tells of what is not there (`does_not_exist_skipping`).
fn absence(catalog: Catalog<'_>, kind: ObjectKind, name: &ObjectName, error: &EngineError) -> Option<String> {
    use ObjectKind::*;
    let noun = kind.name();
    let own = || Some(error.message.clone());
    match kind {
        _ if !is_absence(error) => None,
        // That of what the object would be in.
        _ if matches!(error.code, sqlstate::UNDEFINED_SCHEMA | sqlstate::UNDEFINED_TABLE) => own(),
        Function | Procedure | Routine | Aggregate => {
            let types: Vec<&str> = name.types.iter().map(|ty| &*ty.written).collect();
            Some(format!("{noun} {}({}) does not exist", name.written(), types.join(",")))
        }
        Operator => match &name.names[..] {
            [.., schema, _] if catalog.namespace_oid(schema).is_err() => {
                Some(format!("schema \"{schema}\" does not exist"))
            }
            _ => Some(format!("operator {} does not exist", name.written())),
        },
        Collation => Some(format!("collation \"{}\" does not exist", name.written())),
        Rule | Trigger | Policy => {
            let relation = name.names[..name.names.len() - 1].join(".");
            Some(format!("{noun} \"{}\" for relation \"{relation}\" does not exist", name.last()))
        }
        Cast => match &name.types[..] {
            [NamedType { written: from, .. }, NamedType { written: to, .. }] => {
                Some(format!("cast from type {from} to type {to} does not exist"))
            }
            _ => own(),
        },
        // The access method has to be there.
        OperatorClass | OperatorFamily if !error.message.starts_with(noun) => None,
        _ => own(),
    }
}
