//! CREATE VIEW: PostgreSQL's `view.c`. The query is kept as a tree.

use std::sync::Arc;

use ::error::sqlstate;
use analyze::query::{CommandType, Query};
use analyze::rewrite::check_auto_updatable;
use analyze::{analyze_node, has_into};
use engine::{ColumnType, EngineError, ObjectAddress, Result, ViewColumn, ViewDef};
use session::errors::reported;
use session::ownership::{self, ObjectKind};
use session::{ParsedStatement, Reply, Session, def_elem, done};
use syntax::nodes::{Node, ViewCheckOption, ViewStmt};
use syntax::with_stack_for;
use txn::{LockMode, LockTag};
use types::names::PG_CLASS;
use types::oid;

use crate::acl;
use crate::object::{dependency, names, namespace, stored};
use crate::role::user;
use crate::table::{column, create_table};
use crate::r#type::name as type_name;

pub async fn create(session: &mut Session, statement: &ParsedStatement, create: &ViewStmt) -> Result<Reply> {
    session.require_writable("CREATE VIEW")?;
    let (Some(relation), Some(node)) = (&create.view, &create.query) else {
        return Err(EngineError::unsupported("this form of CREATE VIEW"));
    };
    let query = analyzed(session, statement, node).await?;
    if relation.relpersistence == 'u' {
        return Err(EngineError::new(
            sqlstate::SYNTAX_ERROR,
            "views cannot be unlogged because they do not have storage",
        ));
    }
    let options = options(create)?;
    let columns = columns(session, &query, &create.aliases)?;
    require_checkable(session, &query, &options)?;
    let mut relation = relation.clone();
    let environment = session.environment();
    let depth = statement.raw.depth;
    let tree = with_stack_for(depth * 2, || stored::query(environment.catalog(), &query));
    with_stack_for(depth, || drop(query));
    let tree = tree.map_err(|error| reported(error, ""))?;
    if relation.relpersistence == 'p' && uses_temporary(session, &tree.references) {
        relation.relpersistence = 't';
        let name = relation.relname.as_deref().unwrap_or_default();
        session.notice(
            "NOTICE",
            EngineError::new(sqlstate::SUCCESSFUL_COMPLETION, format!("view \"{name}\" will be a temporary view")),
        );
    }
    let (schema, name) = namespace::creation(session, &relation).await?;
    column::require_usage(session, columns.iter().map(|column| column.ty.oid)).await?;
    let replaced = replaced(session, &schema, &name, create.replace, &columns).await?;
    let def = match replaced {
        Some(old) => ViewDef { columns: replacing(&old, columns), query: tree, options, ..old },
        None => {
            let namespace = session.schema_oid(&schema)?;
            type_name::claim_of_rows(session, namespace, &name).await?;
            let oid = || session.db().new_oid();
            ViewDef {
                oid: oid(),
                rule: oid(),
                row_type: oid(),
                array_type: oid(),
                namespace,
                schema,
                temporary: false,
                name,
                owner: user::current(&session.shared)?.oid,
                columns,
                query: tree,
                options,
            }
        }
    };
    let (oid, is_new) = (def.oid, session.view_def(def.oid).is_none());
    put(session, def);
    if is_new {
        acl::rights_of_new(session, ObjectAddress { class: PG_CLASS, oid, column: 0 });
    }
    Ok(done("CREATE VIEW"))
}

/// A view that is to be changed by its owner, locked against all other sessions; `None`: there is none of this name.
pub async fn lock_owned(session: &mut Session, schema: &str, name: &str) -> Result<Option<ViewDef>> {
    let database = session.shared.database.0;
    let find = |session: &Session| {
        let catalog = session.shared.catalog();
        catalog.database_by_oid(database).and_then(|found| found.view(schema, name)).cloned()
    };
    loop {
        let Some(found) = find(session) else { return Ok(None) };
        ownership::require_owner(&session.shared, ObjectKind::View, name, found.owner)?;
        session.lock(LockTag::Relation { database, oid: found.oid }, LockMode::AccessExclusive).await?;
        session.show_changes();
        if let Some(now) = find(session).filter(|now| now.oid == found.oid) {
            return Ok(Some(ViewDef::clone(&now)));
        }
    }
}

/// Changes a view's definition.
pub fn put(session: &mut Session, view: ViewDef) {
    let database = session.shared.database.0;
    let before = session.view_def(view.oid);
    session.transaction().alter_view(database, before.as_deref(), view);
    session.show_changes();
}

/// What the query of a view means. What it refers to is locked as for any query, so that no session drops it before others see
/// the view.
async fn analyzed(session: &mut Session, statement: &ParsedStatement, node: &Node) -> Result<Query> {
    let depth = statement.raw.depth;
    loop {
        let environment = session.environment();
        let query = meaning(session, statement, node)?;
        let references = with_stack_for(depth, || dependency::of_query(environment.catalog(), &query));
        dependency::hold(session, &references).await?;
        if Arc::ptr_eq(&session.environment(), &environment) {
            return Ok(query);
        }
        // A transaction that was waited for may have changed what it means.
        with_stack_for(depth, || drop(query));
    }
}

fn meaning(session: &mut Session, statement: &ParsedStatement, node: &Node) -> Result<Query> {
    if matches!(node, Node::SelectStmt(select) if has_into(select)) {
        return Err(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, "views must not contain SELECT INTO"));
    }
    let depth = statement.raw.depth;
    let analyzed = session.analyze(&statement.text, &[], |with| analyze_node(with, node, depth))?;
    let query = with_stack_for(depth, || analyzed.into_query());
    if query.command != CommandType::Select {
        return Err(EngineError::unsupported("this form of CREATE VIEW"));
    }
    if query.has_modifying_cte {
        let message = "views must not contain data-modifying statements in WITH";
        return Err(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, message));
    }
    Ok(query)
}

/// The columns of a view; the first get other names.
fn columns(session: &mut Session, query: &Query, aliases: &[Node]) -> Result<Vec<ViewColumn>> {
    let shown = query.visible_columns();
    if aliases.len() > shown.len() {
        return Err(EngineError::new(sqlstate::SYNTAX_ERROR, "CREATE VIEW specifies more column names than columns"));
    }
    let environment = session.environment();
    let catalog = environment.catalog();
    let mut columns = Vec::with_capacity(shown.len());
    for (position, column) in shown.into_iter().enumerate() {
        let name = match aliases.get(position) {
            Some(Node::String(name)) => name.to_string(),
            _ => column.name,
        };
        let mut ty = ColumnType::new(catalog, column.ty.oid, column.ty.typmod);
        if ty.oid == oid::UNKNOWN {
            ty = ColumnType::of(oid::TEXT);
        }
        if catalog.pg_type(ty.oid).is_some_and(|row| row.typtype == b'p') {
            let text = catalog.format_type(ty.oid);
            return Err(EngineError::new(
                sqlstate::INVALID_TABLE_DEFINITION,
                format!("column \"{name}\" has pseudo-type {text}"),
            ));
        }
        let collation = column::collation_of_result(catalog, (column.ty.oid, column.collation)).ok_or_else(|| {
            let message = format!("could not determine which collation to use for view column \"{name}\"");
            EngineError::new(sqlstate::INDETERMINATE_COLLATION, message)
                .hint("Use the COLLATE clause to set the collation explicitly.")
        })?;
        columns.push(ViewColumn { name, ty, default: None, default_oid: 0, collation });
    }
    // Unlike tables, views may have columns that are called like those of the system.
    create_table::check_distinct(columns.iter().map(|column| column.name.as_str()))?;
    Ok(columns)
}

/// WITH (…) and WITH CHECK OPTION.
fn options(create: &ViewStmt) -> Result<Vec<(String, String)>> {
    let mut options = Vec::new();
    set_options(&mut options, &create.options)?;
    let check = match create.with_check_option {
        ViewCheckOption::NO_CHECK_OPTION => return Ok(options),
        ViewCheckOption::LOCAL_CHECK_OPTION => "local",
        ViewCheckOption::CASCADED_CHECK_OPTION => "cascaded",
    };
    if options.iter().any(|(name, _)| name == "check_option") {
        return Err(EngineError::new(
            sqlstate::INVALID_PARAMETER_VALUE,
            "parameter \"check_option\" specified more than once",
        ));
    }
    options.push(("check_option".into(), check.into()));
    Ok(options)
}

/// Adds options of views to those that there are, checked.
pub fn set_options(kept: &mut Vec<(String, String)>, given: &[Node]) -> Result<()> {
    let wrong = |message: String| EngineError::new(sqlstate::INVALID_PARAMETER_VALUE, message);
    for node in given {
        let Node::DefElem(option) = node else { continue };
        let name = def_elem::name(option);
        let value = def_elem::text(option)?.unwrap_or_else(|| "true".into());
        match name {
            "check_option" if matches!(&*value, "local" | "cascaded") => {}
            "check_option" => {
                return Err(wrong(format!("invalid value for enum option \"check_option\": {value}"))
                    .detail("Valid values are \"local\" and \"cascaded\"."));
            }
            "security_barrier" | "security_invoker" if config::parse_bool(&value).is_some() => {}
            "security_barrier" | "security_invoker" => {
                return Err(wrong(format!("invalid value for boolean option \"{name}\": {value}")));
            }
            _ => return Err(wrong(format!("unrecognized parameter \"{name}\""))),
        }
        kept.retain(|(known, _)| known != name);
        kept.push((name.into(), value));
    }
    Ok(())
}

/// WITH CHECK OPTION is for views whose rows are rows of a table.
fn require_checkable(session: &mut Session, query: &Query, options: &[(String, String)]) -> Result<()> {
    if !options.iter().any(|(name, _)| name == "check_option") {
        return Ok(());
    }
    let possible = session.analyze(&"".into(), &[], |with| Ok(check_auto_updatable(with, query)))?;
    possible.map_err(|reason| {
        let message = "WITH CHECK OPTION is supported only on automatically updatable views";
        EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, message).hint(reason)
    })
}

fn uses_temporary(session: &Session, references: &[ObjectAddress]) -> bool {
    let catalog = session.shared.catalog();
    let Some(database) = catalog.database_by_oid(session.shared.database.0) else { return false };
    let schema = |object: &ObjectAddress| dependency::schema_of(database, object.oid);
    references.iter().any(|object| schema(object).is_some_and(engine::is_temporary))
}

/// Takes the view's name. Gives the view that is there and is to be replaced.
async fn replaced(
    session: &mut Session,
    schema: &str,
    name: &str,
    replace: bool,
    columns: &[ViewColumn],
) -> Result<Option<ViewDef>> {
    match names::claim(session, schema, name).await {
        Err(error) if replace && error.code == sqlstate::DUPLICATE_TABLE => {}
        other => return other.map(|()| None),
    }
    let Some(old) = lock_owned(session, schema, name).await? else {
        return match names::is_taken(session, schema, name) {
            true => Err(EngineError::new(sqlstate::WRONG_OBJECT_TYPE, format!("\"{name}\" is not a view"))),
            // It has been dropped meanwhile, and no other session takes the name.
            false => Ok(None),
        };
    };
    check_replacement(session, &old, columns)?;
    Ok(Some(old))
}

/// A view that is replaced keeps its columns (`checkViewColumns`).
fn check_replacement(session: &mut Session, old: &ViewDef, columns: &[ViewColumn]) -> Result<()> {
    let refused = |message: String| EngineError::new(sqlstate::INVALID_TABLE_DEFINITION, message);
    if columns.len() < old.columns.len() {
        return Err(refused("cannot drop columns from view".into()));
    }
    let environment = session.environment();
    for (old, new) in old.columns.iter().zip(columns) {
        if old.name != new.name {
            let message = format!("cannot change name of view column \"{}\" to \"{}\"", old.name, new.name);
            let hint = "Use ALTER VIEW ... RENAME COLUMN ... to change name of view column instead.";
            return Err(refused(message).hint(hint));
        }
        if old.ty != new.ty {
            let text = |ty: ColumnType| environment.catalog().format_type_with_typmod(ty.oid, ty.typmod);
            let (before, now) = (text(old.ty), text(new.ty));
            let message = format!("cannot change data type of view column \"{}\" from {before} to {now}", old.name);
            return Err(refused(message));
        }
        if old.collation != new.collation {
            let text = |column: &ViewColumn| {
                let own = || environment.catalog().type_collation(column.ty.oid);
                let row = column.collation.or_else(own).and_then(|found| environment.catalog().collation(found));
                row.map_or_else(String::new, |row| row.collname.to_string())
            };
            let (name, before, now) = (&old.name, text(old), text(new));
            let message = format!("cannot change collation of view column \"{name}\" from \"{before}\" to \"{now}\"");
            return Err(refused(message));
        }
    }
    Ok(())
}

/// The options of a view must be good for its query.
pub fn check_options(session: &mut Session, view: &ViewDef) -> Result<()> {
    use analyze::relations::Relations;
    let environment = session.environment();
    let query = environment.relations().view_query(view.oid).map_err(|error| reported(error, ""))?;
    require_checkable(session, &query.query, &view.options)
}

/// SET and DROP DEFAULT of a column: what it gets where rows are inserted through the view.
pub fn set_default(
    session: &mut Session,
    statement: &ParsedStatement,
    view: &mut ViewDef,
    column: &str,
    default: Option<&Node>,
) -> Result<()> {
    let name = view.name.clone();
    let found = view.columns.iter_mut().find(|known| known.name == column).ok_or_else(|| {
        EngineError::new(
            sqlstate::UNDEFINED_COLUMN,
            format!("column \"{column}\" of relation \"{name}\" does not exist"),
        )
    })?;
    let like = engine::ColumnDef::new(column, found.ty);
    let kept = default.map(|node| column::default_of(session, statement, node, &like)).transpose()?;
    found.default = kept.flatten();
    Ok(())
}

/// The columns of a view that is replaced keep what was said of them.
fn replacing(old: &ViewDef, columns: Vec<ViewColumn>) -> Vec<ViewColumn> {
    let added = columns.into_iter().skip(old.columns.len());
    old.columns.iter().cloned().chain(added).collect()
}
