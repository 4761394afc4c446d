//! Which command does what: PostgreSQL's `utility.c`.

use std::sync::Arc;

use engine::{EngineError, Result};
use syntax::nodes::Node;

use crate::commands::{
    alter_table, cluster, comment, copy, create_table, create_table_as, dbcommands, discard, drop, explain, extension,
    index, lock, owner, portals, prepare, reindex, rename, schema, sequence, set_constraints, set_schema, tablespace,
    truncate, user, vacuum, variable, view,
};
use crate::parse::ParsedStatement;
use crate::plan_cache::Column;
use crate::postgres::is_query;
use crate::query::Parameter;
use crate::session::{Reply, Session, done};
use crate::unbroken::unbroken;

/// Runs a command.
pub(crate) async fn run(session: &mut Session, statement: &ParsedStatement, parameters: &[Parameter]) -> Result<Reply> {
    match statement.node() {
        Node::TransactionStmt(transaction) => session.transaction_statement(transaction).await,
        Node::VariableSetStmt(set) => variable::set(session, set),
        Node::VariableShowStmt(show) => variable::show(session, show.name.as_deref().unwrap_or_default()),
        Node::AlterSystemStmt(alter) => variable::alter_system(session, alter),
        Node::DiscardStmt(discard) => discard::run(session, discard).await,
        Node::PrepareStmt(prepare) => prepare::prepare(session, statement, prepare).await,
        Node::ExecuteStmt(execute) => prepare::execute(session, statement, execute, parameters).await,
        Node::DeallocateStmt(deallocate) => prepare::deallocate(session, deallocate),
        Node::ExplainStmt(explain) => explain::run(session, statement, explain, parameters).await,
        Node::CopyStmt(copy) => copy::run(session, statement, copy).await,
        Node::DeclareCursorStmt(declare) => portals::declare(session, statement, declare, parameters).await,
        Node::FetchStmt(fetch) => portals::fetch(session, fetch).await,
        Node::ClosePortalStmt(close) => portals::close(session, close),
        // Nobody listens to anything.
        Node::UnlistenStmt(_) => Ok(done("UNLISTEN")),
        Node::ConstraintsSetStmt(set) => set_constraints::set(session, set),
        Node::LockStmt(lock) => lock::run(session, lock).await,
        Node::CheckPointStmt(_) => checkpoint(session).await,
        Node::VacuumStmt(vacuum) => vacuum::run(session, statement, vacuum).await,
        Node::ClusterStmt(cluster) => cluster::run(session, statement, cluster).await,
        Node::CreateRoleStmt(create) => user::create(session, statement, create).await,
        Node::AlterRoleStmt(alter) => user::alter(session, statement, alter).await,
        Node::DropRoleStmt(drop) => user::drop(session, drop).await,
        Node::CreateStmt(create) => create_table::create(session, statement, create).await,
        Node::CreateTableAsStmt(create) => create_table_as::create(session, statement, create, parameters).await,
        Node::SelectStmt(select) => create_table_as::select_into(session, statement, select, parameters).await,
        Node::AlterTableStmt(alter) => alter_table::run(session, statement, alter).await,
        Node::IndexStmt(create) => index::create(session, statement, create).await,
        Node::DropStmt(drop) => drop::run(session, statement, drop).await,
        Node::ReindexStmt(reindex) => reindex::run(session, statement, reindex).await,
        Node::TruncateStmt(truncate) => truncate::run(session, truncate).await,
        Node::CreateSeqStmt(create) => sequence::create(session, statement, create).await,
        Node::AlterSeqStmt(alter) => sequence::alter(session, statement, alter).await,
        Node::CreatedbStmt(create) => dbcommands::create(session, statement, create).await,
        Node::CreateTableSpaceStmt(create) => tablespace::create(session, create).await,
        Node::AlterTableSpaceOptionsStmt(alter) => tablespace::set_options(session, alter).await,
        Node::AlterTableMoveAllStmt(alter) => tablespace::move_all(session, alter).await,
        Node::DropTableSpaceStmt(drop) => tablespace::drop(session, drop).await,
        Node::DropdbStmt(drop) => dbcommands::drop(session, drop).await,
        Node::RenameStmt(rename) => rename::run(session, rename).await,
        Node::CreateExtensionStmt(create) => extension::create(session, create).await,
        Node::CreateSchemaStmt(create) => schema::create(session, statement, create).await,
        Node::ViewStmt(create) => view::create(session, statement, create).await,
        Node::CommentStmt(comment) => comment::run(session, comment).await,
        Node::AlterObjectSchemaStmt(alter) => set_schema::run(session, alter).await,
        Node::AlterOwnerStmt(alter) => owner::run(session, alter).await,
        other => Err(EngineError::unsupported(name(other))),
    }
}

async fn checkpoint(session: &mut Session) -> Result<Reply> {
    let denied = |error: EngineError| {
        error.detail("Only roles with privileges of the \"pg_checkpoint\" role may execute this command.")
    };
    user::require_superuser(&session.shared, "to execute CHECKPOINT command").map_err(denied)?;
    // Given up half-way, its last writes would race with the next ones of the same pages.
    let db = session.db().clone();
    unbroken(async move { db.checkpoint().await }).await?;
    Ok(done("CHECKPOINT"))
}

/// The columns of what a command gives; `None`: it gives no rows.
pub(crate) fn result_columns(session: &mut Session, statement: &ParsedStatement) -> Result<Option<Arc<[Column]>>> {
    match statement.node() {
        Node::ExplainStmt(explain) => explain::result_columns(explain).map(|columns| Some(columns.into())),
        Node::VariableShowStmt(show) => {
            let name = show.name.as_deref().unwrap_or_default();
            variable::show_columns(&session.shared, name).map(|columns| Some(columns.into()))
        }
        Node::FetchStmt(fetch) => Ok(portals::result_columns(session, fetch)),
        Node::ExecuteStmt(execute) => prepare::result_columns(session, execute),
        _ => Ok(None),
    }
}

/// The query in a command, which may have parameters (`transformOptionalSelectInto` and its neighbours).
pub(crate) fn contained_query(node: &Node) -> Option<&Node> {
    match node {
        Node::ExplainStmt(explain) => explain.query.as_ref().map(|query| contained_query(query).unwrap_or(query)),
        Node::DeclareCursorStmt(declare) => declare.query.as_ref(),
        Node::CreateTableAsStmt(create) => create.query.as_ref(),
        _ => None,
    }
    .filter(|query| is_query(query))
}

/// What a command is called.
fn name(node: &Node) -> &'static str {
    match node {
        Node::CreateStmt(_) => "CREATE TABLE",
        Node::AlterTableStmt(_) => "ALTER TABLE",
        Node::IndexStmt(_) => "CREATE INDEX",
        Node::DropStmt(_) => "DROP",
        Node::TruncateStmt(_) => "TRUNCATE TABLE",
        Node::CreateSeqStmt(_) => "CREATE SEQUENCE",
        Node::AlterSeqStmt(_) => "ALTER SEQUENCE",
        Node::CreateSchemaStmt(_) => "CREATE SCHEMA",
        Node::ViewStmt(_) => "CREATE VIEW",
        Node::CommentStmt(_) => "COMMENT",
        Node::CreateTableAsStmt(_) => "CREATE TABLE AS",
        Node::SelectStmt(_) => "SELECT INTO",
        Node::CreatedbStmt(_) => "CREATE DATABASE",
        Node::DropdbStmt(_) => "DROP DATABASE",
        Node::GrantStmt(_) => "GRANT",
        Node::GrantRoleStmt(_) => "GRANT ROLE",
        Node::CreateFunctionStmt(_) => "CREATE FUNCTION",
        Node::CreateTrigStmt(_) => "CREATE TRIGGER",
        Node::RuleStmt(_) => "CREATE RULE",
        Node::CreateDomainStmt(_) => "CREATE DOMAIN",
        Node::CreateEnumStmt(_) => "CREATE TYPE",
        Node::CompositeTypeStmt(_) => "CREATE TYPE",
        Node::CreateRangeStmt(_) => "CREATE TYPE",
        Node::DefineStmt(_) => "CREATE",
        Node::ListenStmt(_) => "LISTEN",
        Node::NotifyStmt(_) => "NOTIFY",
        Node::DoStmt(_) => "DO",
        Node::CallStmt(_) => "CALL",
        Node::RefreshMatViewStmt(_) => "REFRESH MATERIALIZED VIEW",
        Node::CreatePolicyStmt(_) => "CREATE POLICY",
        Node::CreatePublicationStmt(_) => "CREATE PUBLICATION",
        Node::CreateSubscriptionStmt(_) => "CREATE SUBSCRIPTION",
        Node::CreateStatsStmt(_) => "CREATE STATISTICS",
        Node::AlterOwnerStmt(_) => "ALTER … OWNER",
        Node::AlterObjectSchemaStmt(_) => "ALTER … SET SCHEMA",
        Node::AlterRoleSetStmt(_) => "ALTER ROLE … SET",
        Node::AlterDatabaseStmt(_) => "ALTER DATABASE",
        Node::AlterDatabaseSetStmt(_) => "ALTER DATABASE … SET",
        Node::DropOwnedStmt(_) => "DROP OWNED",
        Node::ReassignOwnedStmt(_) => "REASSIGN OWNED",
        Node::AlterDefaultPrivilegesStmt(_) => "ALTER DEFAULT PRIVILEGES",
        Node::LoadStmt(_) => "LOAD",
        Node::SecLabelStmt(_) => "SECURITY LABEL",
        Node::AlterEnumStmt(_) => "ALTER TYPE",
        Node::AlterDomainStmt(_) => "ALTER DOMAIN",
        _ => "this command",
    }
}
