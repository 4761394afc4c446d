//! Which command does what: PostgreSQL's `utility.c`.

use std::future::ready;
use std::sync::Arc;

use engine::{EngineError, Result};
use futures::future::BoxFuture;
use syntax::nodes::Node;

use crate::commands::{
    acl, alter_table, cluster, comment, copy, create_table, create_table_as, db_role_setting, dbcommands, discard, drop,
    explain, extension, index, lock, owner, portals, prepare, reindex, rename, schema, sequence, set_constraints,
    set_schema, tablespace, truncate, user, vacuum, variable, view,
};
use crate::parse::ParsedStatement;
use crate::plan_cache::Column;
use crate::postgres::is_query;
use crate::query::Parameter;
use crate::session::{Reply, Session, done};
use crate::uninterrupted::uninterrupted;

/// Runs a command. Each in a box of its own size: the largest are a hundred times larger than BEGIN and COMMIT.
pub(crate) fn run<'a>(
    session: &'a mut Session,
    statement: &'a ParsedStatement,
    parameters: &'a [Parameter],
) -> BoxFuture<'a, Result<Reply>> {
    match statement.node() {
        Node::TransactionStmt(transaction) => Box::pin(session.transaction_statement(transaction)),
        Node::VariableSetStmt(set) => Box::pin(ready(variable::set(session, set))),
        Node::VariableShowStmt(show) => {
            Box::pin(ready(variable::show(session, show.name.as_deref().unwrap_or_default())))
        }
        Node::AlterSystemStmt(alter) => Box::pin(ready(variable::alter_system(session, alter))),
        Node::DiscardStmt(discard) => Box::pin(discard::run(session, discard)),
        Node::PrepareStmt(prepare) => Box::pin(prepare::prepare(session, statement, prepare)),
        Node::ExecuteStmt(execute) => Box::pin(prepare::execute(session, statement, execute, parameters)),
        Node::DeallocateStmt(deallocate) => Box::pin(ready(prepare::deallocate(session, deallocate))),
        Node::ExplainStmt(explain) => Box::pin(explain::run(session, statement, explain, parameters)),
        Node::CopyStmt(copy) => Box::pin(copy::run(session, statement, copy)),
        Node::DeclareCursorStmt(declare) => Box::pin(portals::declare(session, statement, declare, parameters)),
        Node::FetchStmt(fetch) => Box::pin(portals::fetch(session, fetch)),
        Node::ClosePortalStmt(close) => Box::pin(ready(portals::close(session, close))),
        // Nobody listens to anything.
        Node::UnlistenStmt(_) => Box::pin(ready(Ok(done("UNLISTEN")))),
        Node::ConstraintsSetStmt(set) => Box::pin(ready(set_constraints::set(session, set))),
        Node::LockStmt(lock) => Box::pin(lock::run(session, statement, lock)),
        Node::CheckPointStmt(_) => Box::pin(checkpoint(session)),
        Node::VacuumStmt(vacuum) => Box::pin(vacuum::run(session, statement, vacuum)),
        Node::ClusterStmt(cluster) => Box::pin(cluster::run(session, statement, cluster)),
        Node::CreateRoleStmt(create) => Box::pin(user::create(session, statement, create)),
        Node::AlterRoleStmt(alter) => Box::pin(user::alter(session, statement, alter)),
        Node::AlterRoleSetStmt(alter) => Box::pin(db_role_setting::alter_role(session, alter)),
        Node::AlterDatabaseSetStmt(alter) => Box::pin(db_role_setting::alter_database(session, alter)),
        Node::DropRoleStmt(drop) => Box::pin(user::drop(session, drop)),
        Node::CreateStmt(create) => Box::pin(create_table::create(session, statement, create)),
        Node::CreateTableAsStmt(create) => Box::pin(create_table_as::create(session, statement, create, parameters)),
        Node::SelectStmt(select) => Box::pin(create_table_as::select_into(session, statement, select, parameters)),
        Node::AlterTableStmt(alter) => Box::pin(alter_table::run(session, statement, alter)),
        Node::IndexStmt(create) => Box::pin(index::create(session, statement, create)),
        Node::DropStmt(drop) => Box::pin(drop::run(session, statement, drop)),
        Node::ReindexStmt(reindex) => Box::pin(reindex::run(session, statement, reindex)),
        Node::TruncateStmt(truncate) => Box::pin(truncate::run(session, truncate)),
        Node::CreateSeqStmt(create) => Box::pin(sequence::create(session, statement, create)),
        Node::AlterSeqStmt(alter) => Box::pin(sequence::alter(session, statement, alter)),
        Node::CreatedbStmt(create) => Box::pin(dbcommands::create(session, statement, create)),
        Node::CreateTableSpaceStmt(create) => Box::pin(tablespace::create(session, create)),
        Node::AlterTableSpaceOptionsStmt(alter) => Box::pin(tablespace::set_options(session, alter)),
        Node::AlterTableMoveAllStmt(alter) => Box::pin(tablespace::move_all(session, alter)),
        Node::DropTableSpaceStmt(drop) => Box::pin(tablespace::drop(session, drop)),
        Node::DropdbStmt(drop) => Box::pin(dbcommands::drop(session, drop)),
        Node::RenameStmt(rename) => Box::pin(rename::run(session, statement, rename)),
        Node::CreateExtensionStmt(create) => Box::pin(extension::create(session, create)),
        Node::CreateSchemaStmt(create) => Box::pin(schema::create(session, statement, create)),
        Node::ViewStmt(create) => Box::pin(view::create(session, statement, create)),
        Node::CommentStmt(comment) => Box::pin(comment::run(session, statement, comment)),
        Node::AlterObjectSchemaStmt(alter) => Box::pin(set_schema::run(session, statement, alter)),
        Node::AlterOwnerStmt(alter) => Box::pin(owner::run(session, statement, alter)),
        Node::AlterExtensionStmt(alter) => Box::pin(extension::update(session, alter)),
        Node::AlterExtensionContentsStmt(alter) => Box::pin(extension::alter_contents(session, statement, alter)),
        Node::GrantStmt(grant) => Box::pin(acl::grant(session, statement, grant)),
        Node::GrantRoleStmt(grant) => Box::pin(acl::grant_role(session, statement, grant)),
        Node::AlterDefaultPrivilegesStmt(alter) => Box::pin(acl::alter_default_privileges(session, alter)),
        Node::ReassignOwnedStmt(reassign) => Box::pin(acl::reassign_owned(session, reassign)),
        Node::DropOwnedStmt(drop) => Box::pin(acl::drop_owned(session, drop)),
        other => Box::pin(ready(Err(EngineError::unsupported(name(other))))),
    }
}

async fn checkpoint(session: &mut Session) -> Result<Reply> {
    let denied = |error: EngineError| {
        error.detail("Only roles with privileges of the \"pg_checkpoint\" role may execute this command.")
    };
    user::require_superuser(&session.shared, "to execute CHECKPOINT command").map_err(denied)?;
    // Given up half-way, its last writes would race with the next ones of the same pages.
    let db = session.db().clone();
    uninterrupted(async move { db.checkpoint().await }).await?;
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
        Node::AlterDatabaseStmt(_) => "ALTER DATABASE",
        Node::LoadStmt(_) => "LOAD",
        Node::SecLabelStmt(_) => "SECURITY LABEL",
        Node::AlterEnumStmt(_) => "ALTER TYPE",
        Node::AlterDomainStmt(_) => "ALTER DOMAIN",
        _ => "this command",
    }
}
