//! CREATE TABLE AS and SELECT INTO: PostgreSQL's `createas.c`.

use analyze::query::{Query, TypeRef};
use analyze::{Analyzed, take_into};
use engine::{ColumnDef, EngineError, Result, TableDef};
use error::sqlstate;
use session::spi::{self, Sees};
use session::{Parameter, ParsedStatement, QueryText, Reply, Session, done};
use syntax::nodes::{CreateTableAsStmt, IntoClause, Node, ObjectType, SelectStmt};
use syntax::with_stack_for;
use types::{Oid, oid};

use crate::object::{names, namespace, reloptions};
use crate::table::{column, create_table, on_commit};
use crate::tablespace;

pub async fn create(
    session: &mut Session,
    statement: &ParsedStatement,
    create: &CreateTableAsStmt,
    parameters: &[Parameter],
) -> Result<Reply> {
    let (query, into) = parts(create)?;
    run(session, statement, query, into, create.if_not_exists, parameters).await
}

/// The query, and what is made of it.
pub fn parts(create: &CreateTableAsStmt) -> Result<(&Node, &IntoClause)> {
    if create.objtype == ObjectType::OBJECT_MATVIEW {
        return Err(EngineError::unsupported("a materialized view"));
    }
    let (Some(query), Some(into)) = (&create.query, &create.into) else {
        return Err(EngineError::unsupported("this form of CREATE TABLE AS"));
    };
    if matches!(query, Node::ExecuteStmt(_)) {
        return Err(EngineError::unsupported("CREATE TABLE AS EXECUTE"));
    }
    Ok((query, into))
}

/// SELECT … INTO.
pub async fn select_into(
    session: &mut Session,
    statement: &ParsedStatement,
    select: &SelectStmt,
    parameters: &[Parameter],
) -> Result<Reply> {
    let mut query = with_stack_for(statement.raw.depth, || Node::SelectStmt(Box::new(select.clone())));
    let into = take_into(&mut query);
    let reply = match &into {
        Some(into) => run(session, statement, &query, into, false, parameters).await,
        None => Err(EngineError::unsupported("this form of SELECT INTO")),
    };
    with_stack_for(statement.raw.depth, || drop(query));
    reply
}

async fn run(
    session: &mut Session,
    statement: &ParsedStatement,
    query: &Node,
    into: &IntoClause,
    if_not_exists: bool,
    parameters: &[Parameter],
) -> Result<Reply> {
    session.require_writable("CREATE TABLE AS")?;
    let query = QueryText::within(statement, query);
    let Some(place) = claim(session, query, into, if_not_exists, parameters).await? else {
        return Ok(done("CREATE TABLE AS"));
    };
    // What it means is found out before there is a table that it could mean.
    if into.skip_data {
        let source = session.understand(query, &declared(parameters)).await?;
        make(session, place, into, &source.analyzed).await?;
        return Ok(done("CREATE TABLE AS"));
    }
    let ready = session.ready(query, parameters).await?;
    let source = &ready.source.analyzed;
    let oid = make(session, place, into, source).await?;
    let target = session.relation(oid)?;
    let insert = with_stack_for(source.depth, || spi::insert(&target, source.query.clone()));
    let insert = Analyzed { query: insert, parameters: source.parameters.clone(), depth: source.depth };
    let rows = session.run_analyzed(insert, &ready.parameters, &statement.text, Sees::Statement).await?;
    Ok(done(&format!("SELECT {rows}")))
}

/// The schema and the name of a table that is to be made of a query. `None`: it is there, which is no error.
pub(crate) async fn claim(
    session: &mut Session,
    query: QueryText<'_>,
    into: &IntoClause,
    if_not_exists: bool,
    parameters: &[Parameter],
) -> Result<Option<(String, String)>> {
    let Some(relation) = &into.rel else { return Err(EngineError::unsupported("a table without a name")) };
    create_table::check_access_method(into.access_method.as_deref())?;
    create_table::check_on_commit(relation, into.on_commit)?;
    reloptions::read(reloptions::Of::Table, &into.options)?;
    session.understand(query, &declared(parameters)).await?;
    // A table that is there ends it before the query is planned, which computes its constants; rights on what it reads come before
    // those on the schema.
    let (schema, name) = namespace::creation_schema(session, relation)?;
    if !into.skip_data && !names::is_taken(session, &schema, &name) {
        session.ready(query, parameters).await?;
    }
    create_table::claim(session, relation, if_not_exists, |error| error).await
}

fn declared(parameters: &[Parameter]) -> Vec<Oid> {
    parameters.iter().map(Parameter::declared).collect()
}

/// Makes the table, empty; gives its oid.
pub async fn make(
    session: &mut Session,
    (schema, name): (String, String),
    into: &IntoClause,
    source: &Analyzed,
) -> Result<u32> {
    if source.query.has_modifying_cte {
        return Err(EngineError::unsupported("CREATE TABLE AS with a data-modifying WITH"));
    }
    let options = reloptions::read(reloptions::Of::Table, &into.options)?;
    let columns = columns(session, &source.query, &into.col_names)?;
    create_table::check_columns(columns.iter().map(|column| column.name.as_str()))?;
    column::require_usage(session, columns.iter().map(|column| column.ty.oid)).await?;
    let tablespace = tablespace::of_new_in(session, &schema, into.table_space_name.as_deref()).await?;
    let def = TableDef { options, tablespace, ..create_table::new_table(session, &schema, &name, columns)? };
    let oid = def.oid;
    on_commit::register(session, oid, into.on_commit);
    create_table::put_new(session, def).await?;
    Ok(oid)
}

/// The columns of a query as a table has them; the first get other names.
fn columns(session: &mut Session, query: &Query, names: &[Node]) -> Result<Vec<ColumnDef>> {
    let shown = query.visible_columns();
    if names.len() > shown.len() {
        return Err(EngineError::new(sqlstate::SYNTAX_ERROR, "too many column names were specified"));
    }
    let mut columns = Vec::with_capacity(shown.len());
    for (position, shown) in shown.into_iter().enumerate() {
        let name = match names.get(position) {
            Some(Node::String(name)) => name.to_string(),
            _ => shown.name.clone(),
        };
        let ty = if shown.ty.oid == oid::UNKNOWN { TypeRef::of(oid::TEXT) } else { shown.ty };
        let ty = column::column_type(session, &name, ty)?;
        let environment = session.environment();
        let catalog = environment.catalog();
        let collation = column::collation_of_result(catalog, (ty.oid, shown.collation)).ok_or_else(|| {
            let ty = catalog.format_type(ty.oid);
            let message = format!("no collation was derived for column \"{name}\" with collatable type {ty}");
            EngineError::new(sqlstate::INDETERMINATE_COLLATION, message)
                .hint("Use the COLLATE clause to set the collation explicitly.")
        })?;
        columns.push(ColumnDef { collation, ..ColumnDef::new(&name, ty) });
    }
    Ok(columns)
}
