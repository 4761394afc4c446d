//! DROP of kinds of objects that nobody can make here yet: what is named is built in, and the system requires it, or does not exist
//! (`get_object_address` and `does_not_exist_skipping` of PostgreSQL's `objectaddress.c` and `dropcmds.c`).

use std::sync::Arc;

use ::error::sqlstate;
use analyze::analyze_type_name;
use catalog::{Catalog, QualifiedName};
use engine::{EngineError, Result};
use syntax::nodes::{DropStmt, Node, ObjectType, ObjectWithArgs, TypeName};
use types::Oid;

use crate::commands::drop::string;
use crate::environment::Environment;
use crate::namespace;
use crate::parse::ParsedStatement;
use crate::session::{Reply, Session, done};

/// What is not there: the error, and what IF EXISTS says of it.
struct Missing {
    error: Box<EngineError>,
    /// `None`: it is an error all the same.
    notice: Option<String>,
}

impl Missing {
    fn new(code: &'static str, message: String) -> Missing {
        Missing { notice: Some(message.clone()), error: EngineError::new(code, message).into() }
    }

    fn noted(self, notice: String) -> Missing {
        Missing { notice: Some(notice), ..self }
    }
}

impl From<EngineError> for Missing {
    /// DROP says nothing of where a name is.
    fn from(error: EngineError) -> Missing {
        let notice = is_absence(error.code).then(|| error.message.clone());
        Missing { notice, error: EngineError { position: None, ..error }.into() }
    }
}

/// How an object that is there is called.
type Found = std::result::Result<String, Missing>;

/// `None`: objects of this kind can be made.
pub fn command(kind: ObjectType) -> Option<&'static str> {
    use ObjectType::*;
    Some(match kind {
        OBJECT_ACCESS_METHOD => "DROP ACCESS METHOD",
        OBJECT_AGGREGATE => "DROP AGGREGATE",
        OBJECT_CAST => "DROP CAST",
        OBJECT_COLLATION => "DROP COLLATION",
        OBJECT_CONVERSION => "DROP CONVERSION",
        OBJECT_DOMAIN => "DROP DOMAIN",
        OBJECT_EVENT_TRIGGER => "DROP EVENT TRIGGER",
        OBJECT_FDW => "DROP FOREIGN DATA WRAPPER",
        OBJECT_FOREIGN_SERVER => "DROP SERVER",
        OBJECT_FUNCTION => "DROP FUNCTION",
        OBJECT_LANGUAGE => "DROP LANGUAGE",
        OBJECT_OPCLASS => "DROP OPERATOR CLASS",
        OBJECT_OPERATOR => "DROP OPERATOR",
        OBJECT_OPFAMILY => "DROP OPERATOR FAMILY",
        OBJECT_POLICY => "DROP POLICY",
        OBJECT_PROCEDURE => "DROP PROCEDURE",
        OBJECT_PUBLICATION => "DROP PUBLICATION",
        OBJECT_ROUTINE => "DROP ROUTINE",
        OBJECT_RULE => "DROP RULE",
        OBJECT_STATISTIC_EXT => "DROP STATISTICS",
        OBJECT_TRIGGER => "DROP TRIGGER",
        OBJECT_TSCONFIGURATION => "DROP TEXT SEARCH CONFIGURATION",
        OBJECT_TSDICTIONARY => "DROP TEXT SEARCH DICTIONARY",
        OBJECT_TSPARSER => "DROP TEXT SEARCH PARSER",
        OBJECT_TSTEMPLATE => "DROP TEXT SEARCH TEMPLATE",
        OBJECT_TYPE => "DROP TYPE",
        _ => return None,
    })
}

/// The kind as messages name it.
fn noun(kind: ObjectType) -> String {
    use ObjectType::*;
    match kind {
        OBJECT_FDW => "foreign-data wrapper".into(),
        OBJECT_STATISTIC_EXT => "statistics object".into(),
        other => command(other).unwrap_or_default().trim_start_matches("DROP ").to_lowercase(),
    }
}

pub fn run(
    session: &mut Session,
    statement: &ParsedStatement,
    drop: &DropStmt,
    command: &'static str,
) -> Result<Reply> {
    session.require_writable(command)?;
    for object in &drop.objects {
        match find(session, statement, drop.remove_type, object) {
            Ok(found) => {
                let message = format!("cannot drop {found} because it is required by the database system");
                return Err(EngineError::new(sqlstate::DEPENDENT_OBJECTS_STILL_EXIST, message));
            }
            Err(Missing { notice: Some(notice), .. }) if drop.missing_ok => {
                session.notice("NOTICE", EngineError::new(sqlstate::SUCCESSFUL_COMPLETION, notice + ", skipping"));
            }
            Err(missing) => return Err(*missing.error),
        }
    }
    Ok(done(command))
}

/// Nothing is wrong but that something is not there.
fn is_absence(code: &str) -> bool {
    matches!(
        code,
        sqlstate::UNDEFINED_OBJECT
            | sqlstate::UNDEFINED_FUNCTION
            | sqlstate::UNDEFINED_TABLE
            | sqlstate::UNDEFINED_SCHEMA
    )
}

fn find(session: &mut Session, statement: &ParsedStatement, kind: ObjectType, object: &Node) -> Found {
    use ObjectType::*;
    let environment = session.environment();
    let catalog = environment.catalog();
    match (kind, object) {
        (OBJECT_TYPE | OBJECT_DOMAIN, Node::TypeName(name)) => of_type(session, statement, kind, name),
        (OBJECT_FUNCTION | OBJECT_PROCEDURE | OBJECT_ROUTINE | OBJECT_AGGREGATE, Node::ObjectWithArgs(function)) => {
            of_function(session, statement, kind, function)
        }
        (OBJECT_OPERATOR, Node::ObjectWithArgs(operator)) => of_operator(session, statement, operator),
        (OBJECT_CAST, Node::List(types)) => of_cast(session, statement, types),
        (OBJECT_TRIGGER | OBJECT_RULE | OBJECT_POLICY, Node::List(parts)) => {
            of_relation(session, kind, &parts.iter().filter_map(string).collect::<Vec<_>>())
        }
        (OBJECT_OPCLASS | OBJECT_OPFAMILY, Node::List(parts)) => {
            of_access_method(catalog, kind, &parts.iter().filter_map(string).collect::<Vec<_>>())
        }
        (_, Node::List(parts)) => in_schema(catalog, kind, &parts.iter().filter_map(string).collect::<Vec<_>>()),
        (_, Node::String(name)) => by_name(catalog, kind, name),
        _ => Err(EngineError::unsupported("this form of DROP").into()),
    }
}

/// What is in no schema.
fn by_name(catalog: Catalog<'_>, kind: ObjectType, name: &str) -> Found {
    let there = match kind {
        ObjectType::OBJECT_ACCESS_METHOD => catalog.access_methods_named(name).next().is_some(),
        ObjectType::OBJECT_LANGUAGE => catalog.languages_named(name).next().is_some(),
        _ => false,
    };
    match there {
        true => Ok(format!("{} {name}", noun(kind))),
        false => Err(Missing::new(sqlstate::UNDEFINED_OBJECT, format!("{} \"{name}\" does not exist", noun(kind)))),
    }
}

/// A name, whose schema is there.
fn qualified<'a>(catalog: Catalog<'_>, parts: &'a [String]) -> std::result::Result<QualifiedName<'a>, Missing> {
    let schema = parts.iter().rev().nth(1).map(String::as_str);
    if let Some(schema) = schema {
        catalog.namespace_oid(schema).map_err(refused)?;
    }
    Ok(QualifiedName { schema, name: parts.last().map_or("", String::as_str) })
}

fn refused(error: types::Error) -> Missing {
    crate::errors::reported(error, "").into()
}

fn in_schema(catalog: Catalog<'_>, kind: ObjectType, parts: &[String]) -> Found {
    let name = qualified(catalog, parts)?;
    let shown = parts.join(".");
    if kind == ObjectType::OBJECT_COLLATION {
        if catalog.collation_by_name(name).map_err(refused)?.is_some() {
            return Ok(format!("collation {}", name.name));
        }
        let missing = Missing::new(
            sqlstate::UNDEFINED_OBJECT,
            format!("collation \"{shown}\" for encoding \"UTF8\" does not exist"),
        );
        return Err(missing.noted(format!("collation \"{shown}\" does not exist")));
    }
    Err(Missing::new(sqlstate::UNDEFINED_OBJECT, format!("{} \"{shown}\" does not exist", noun(kind))))
}

/// The type of a name, as it is written.
fn type_oid(session: &mut Session, statement: &ParsedStatement, name: &TypeName) -> std::result::Result<Oid, Missing> {
    let found = session.analyze(&statement.text, &[], |with| analyze_type_name(with, name));
    found.map(|ty| ty.oid).map_err(Missing::from)
}

/// A type's name as it is written (`TypeNameToString`).
fn written(name: &TypeName) -> String {
    let parts: Vec<String> = name.names.iter().filter_map(string).collect();
    parts.join(".") + if name.array_bounds.is_empty() { "" } else { "[]" }
}

fn of_type(session: &mut Session, statement: &ParsedStatement, kind: ObjectType, name: &TypeName) -> Found {
    let ty = type_oid(session, statement, name)?;
    let environment = session.environment();
    let catalog = environment.catalog();
    let shown = catalog.format_type(ty);
    let row = catalog.pg_type(ty);
    if kind == ObjectType::OBJECT_DOMAIN && row.is_none_or(|row| row.typtype != b'd') {
        return Err(
            EngineError::new(sqlstate::WRONG_OBJECT_TYPE, format!("\"{}\" is not a domain", written(name))).into()
        );
    }
    // A type of a user is that of a table's rows, or an array of them.
    if ty >= catalog::FIRST_NORMAL_OBJECT_ID {
        let element = catalog.element_type(ty).filter(|_| row.is_some_and(|row| row.typrelid == 0));
        let whole = match element {
            Some(element) => format!("type {}", catalog.format_type(element)),
            None => {
                let relation = row.and_then(|row| catalog.relation(row.typrelid));
                let kind = if relation.is_some_and(|relation| relation.relkind == b'v') { "view" } else { "table" };
                format!("{kind} {shown}")
            }
        };
        let error = EngineError::new(
            sqlstate::DEPENDENT_OBJECTS_STILL_EXIST,
            format!("cannot drop type {shown} because {whole} requires it"),
        );
        return Err(error.hint(format!("You can drop {whole} instead.")).into());
    }
    Ok(format!("type {shown}"))
}

/// The types of a list, and how each is called; NULL is no type (`NONE`).
fn type_oids(
    session: &mut Session,
    statement: &ParsedStatement,
    list: &[Node],
) -> std::result::Result<Vec<Oid>, Missing> {
    let one = |node: &Node| match node {
        Node::TypeName(name) => type_oid(session, statement, name),
        _ => Ok(types::oid::INVALID),
    };
    list.iter().map(one).collect()
}

fn of_function(
    session: &mut Session,
    statement: &ParsedStatement,
    kind: ObjectType,
    function: &ObjectWithArgs,
) -> Found {
    use ObjectType::*;
    let parts: Vec<String> = function.objname.iter().filter_map(string).collect();
    let environment = session.environment();
    let (name, shown) = (qualified(environment.catalog(), &parts)?, parts.join("."));
    let arguments = type_oids(session, statement, &function.objargs)?;
    let catalog = environment.catalog();
    let seen = |row: &&catalog::catalogs::PgProc| match name.schema {
        Some(schema) => catalog.namespace(row.pronamespace).is_some_and(|namespace| namespace.nspname == schema),
        None => environment.catalog().search_path.contains(&row.pronamespace),
    };
    let mut rows = catalog.functions_named(name.name).filter(seen);
    let noun = noun(kind);
    let types: Vec<String> = arguments.iter().map(|&ty| catalog.format_type(ty)).collect();
    let as_written: Vec<String> = function
        .objargs
        .iter()
        .map(|node| if let Node::TypeName(name) = node { written(name) } else { String::new() })
        .collect();
    let notice = format!("{noun} {shown}({}) does not exist", as_written.join(","));
    let found = if function.args_unspecified {
        let first = rows.next();
        if first.is_some() && rows.next().is_some() {
            let error =
                EngineError::new(sqlstate::AMBIGUOUS_FUNCTION, format!("{noun} name \"{shown}\" is not unique"));
            let hint = format!("Specify the argument list to select the {noun} unambiguously.");
            return Err(error.hint(hint).into());
        }
        let article = if kind == OBJECT_AGGREGATE { "an" } else { "a" };
        let called = if kind == OBJECT_ROUTINE { "function" } else { &noun };
        let message = format!("could not find {article} {called} named \"{shown}\"");
        first.ok_or_else(|| Missing::new(sqlstate::UNDEFINED_FUNCTION, message).noted(notice))?
    } else {
        let signature = match (kind, types.is_empty()) {
            (OBJECT_AGGREGATE, true) => "*".to_string(),
            _ => types.join(", "),
        };
        let called = if kind == OBJECT_ROUTINE { "function" } else { &noun };
        let message = format!("{called} {shown}({signature}) does not exist");
        let same = rows.find(|row| *row.proargtypes == *arguments);
        same.ok_or_else(|| Missing::new(sqlstate::UNDEFINED_FUNCTION, message).noted(notice))?
    };
    let types: Vec<String> = found.proargtypes.iter().map(|&ty| catalog.format_type(ty)).collect();
    let (listed, signature) = (types.join(","), types.join(", "));
    let wrong = |message: String| Err(EngineError::new(sqlstate::WRONG_OBJECT_TYPE, message).into());
    match (kind, found.prokind) {
        (OBJECT_PROCEDURE, kind) if kind != b'p' => wrong(format!("{shown}({signature}) is not a procedure")),
        (OBJECT_AGGREGATE, kind) if kind != b'a' => wrong(format!("function {shown}({signature}) is not an aggregate")),
        (OBJECT_FUNCTION, b'a') => {
            let error = EngineError::new(sqlstate::WRONG_OBJECT_TYPE, format!("\"{shown}\" is an aggregate function"));
            Err(error.hint("Use DROP AGGREGATE to drop aggregate functions.").into())
        }
        _ => Ok(format!("function {}({listed})", name.name)),
    }
}

fn of_operator(session: &mut Session, statement: &ParsedStatement, operator: &ObjectWithArgs) -> Found {
    let parts: Vec<String> = operator.objname.iter().filter_map(string).collect();
    let environment = session.environment();
    let catalog = environment.catalog();
    let (name, shown) = (qualified(catalog, &parts)?, parts.join("."));
    let operands = type_oids(session, statement, &operator.objargs)?;
    let [left, right] = operands[..] else { return Err(EngineError::unsupported("this form of DROP").into()) };
    if right == types::oid::INVALID {
        return Err(EngineError::new(sqlstate::SYNTAX_ERROR, "postfix operators are not supported").into());
    }
    let signature = match left {
        types::oid::INVALID => format!("{shown} {}", catalog.format_type(right)),
        left => format!("{} {shown} {}", catalog.format_type(left), catalog.format_type(right)),
    };
    match catalog.operator_exact(name, left, right).map_err(refused)? {
        Some(_) => {
            let operand = |ty: Oid| if ty == types::oid::INVALID { "none".into() } else { catalog.format_type(ty) };
            Ok(format!("operator {}({},{})", name.name, operand(left), operand(right)))
        }
        None => {
            let missing = Missing::new(sqlstate::UNDEFINED_FUNCTION, format!("operator does not exist: {signature}"));
            Err(missing.noted(format!("operator {shown} does not exist")))
        }
    }
}

fn of_cast(session: &mut Session, statement: &ParsedStatement, list: &[Node]) -> Found {
    let types = type_oids(session, statement, list)?;
    let [source, target] = types[..] else { return Err(EngineError::unsupported("this form of DROP").into()) };
    let environment: Arc<Environment> = session.environment();
    let catalog = environment.catalog();
    let (from, to) = (catalog.format_type(source), catalog.format_type(target));
    match catalog.cast((source, target)) {
        Some(_) => Ok(format!("cast from {from} to {to}")),
        None => {
            Err(Missing::new(sqlstate::UNDEFINED_OBJECT, format!("cast from type {from} to type {to} does not exist")))
        }
    }
}

/// Triggers, rules and policies, which have a name in their relation.
fn of_relation(session: &mut Session, kind: ObjectType, parts: &[String]) -> Found {
    use analyze::relations::Relations;
    let Some((name, relation)) = parts.split_last() else { return Err(EngineError::unsupported("DROP").into()) };
    let environment = session.environment();
    let at = qualified(environment.catalog(), relation)?;
    let found = environment.relations().relation(at.schema, at.name).map_err(refused)?;
    let Some(found) = found else { return Err(namespace::missing(&namespace::range_var(relation)).into()) };
    let catalog = environment.catalog();
    if kind == ObjectType::OBJECT_RULE && catalog.rules_of_relation(found.oid).any(|rule| rule.rulename == **name) {
        let whole = format!("view {}", found.name);
        let error = EngineError::new(
            sqlstate::DEPENDENT_OBJECTS_STILL_EXIST,
            format!("cannot drop rule {name} on {whole} because {whole} requires it"),
        );
        return Err(error.hint(format!("You can drop {whole} instead.")).into());
    }
    let what = noun(kind);
    let notice = format!("{what} \"{name}\" for relation \"{}\" does not exist", relation.join("."));
    let called = if kind == ObjectType::OBJECT_RULE { "relation" } else { "table" };
    Err(Missing::new(
        sqlstate::UNDEFINED_OBJECT,
        format!("{what} \"{name}\" for {called} \"{}\" does not exist", found.name),
    )
    .noted(notice))
}

/// Operator classes and families, which have a name for their access method.
fn of_access_method(catalog: Catalog<'_>, kind: ObjectType, parts: &[String]) -> Found {
    let Some((method, name)) = parts.split_first() else { return Err(EngineError::unsupported("DROP").into()) };
    let Some(am) = catalog.access_methods_named(method).next() else {
        let error = EngineError::new(sqlstate::UNDEFINED_OBJECT, format!("access method \"{method}\" does not exist"));
        return Err(Missing { error: error.into(), notice: None });
    };
    let found = qualified(catalog, name)?;
    let there = match kind {
        ObjectType::OBJECT_OPCLASS => catalog.opclasses_named(found.name).any(|row| row.opcmethod == am.oid),
        _ => catalog.opfamilies_named(found.name).any(|row| row.opfmethod == am.oid),
    };
    let what = noun(kind);
    match there {
        true => Ok(format!("{what} {} for access method {method}", found.name)),
        false => {
            let shown = name.join(".");
            Err(Missing::new(
                sqlstate::UNDEFINED_OBJECT,
                format!("{what} \"{shown}\" does not exist for access method \"{method}\""),
            ))
        }
    }
}
