//! Which command does what: PostgreSQL's `utility.c`, but for what is the session's own.

use std::future::ready;
use std::sync::Arc;

use catalog::acl::role::PG_CHECKPOINT;
use engine::{EngineError, Result};
use error::sqlstate;
use futures::future::BoxFuture;
use session::{Column, Parameter, ParsedStatement, Reply, Session, Utility, done, uninterrupted};
use syntax::nodes::{Node, ObjectType};

use crate::index::reindex;
use crate::maintenance::{cluster, vacuum};
use crate::object::{comment, drop, owner, rename, set_schema};
use crate::role::{db_role_setting, user};
use crate::table::{alter_table, create_table, create_table_as, lock, on_commit, set_constraints, truncate};
use crate::r#type::{composite, domain, r#enum};
use crate::{acl, copy, dbcommands, explain, extension, index, policy, schema, sequence, tablespace, view};

/// All commands of this crate, for [`Session::new`].
pub struct Commands;

impl Utility for Commands {
    /// Each in a box of its own size: the largest are a hundred times larger than CHECKPOINT.
    fn run<'a>(
        &self,
        session: &'a mut Session,
        statement: &'a ParsedStatement,
        parameters: &'a [Parameter],
    ) -> BoxFuture<'a, Result<Reply>> {
        match statement.node() {
            Node::ExplainStmt(explain) => Box::pin(explain::run(session, statement, explain, parameters)),
            Node::CopyStmt(copy) => Box::pin(copy::run(session, statement, copy)),
            // There is no LISTEN: no session listens to anything.
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
            Node::CreateTableAsStmt(create) => {
                Box::pin(create_table_as::create(session, statement, create, parameters))
            }
            Node::SelectStmt(select) => Box::pin(create_table_as::select_into(session, statement, select, parameters)),
            Node::AlterTableStmt(alter) if alter.objtype == ObjectType::OBJECT_TYPE => {
                Box::pin(composite::alter(session, statement, alter))
            }
            Node::AlterTableStmt(alter) => Box::pin(alter_table::run(session, statement, alter)),
            Node::IndexStmt(create) => Box::pin(index::create(session, statement, create)),
            Node::DropStmt(drop) => Box::pin(drop::run(session, statement, drop)),
            Node::ReindexStmt(reindex) => Box::pin(reindex::run(session, statement, reindex)),
            Node::TruncateStmt(truncate) => Box::pin(truncate::run(session, truncate)),
            Node::CreateSeqStmt(create) => Box::pin(sequence::create(session, statement, create)),
            Node::AlterSeqStmt(alter) => Box::pin(sequence::alter(session, statement, alter)),
            Node::AlterDatabaseStmt(alter) => Box::pin(dbcommands::alter(session, statement, alter)),
            Node::CreatedbStmt(create) => Box::pin(dbcommands::create(session, statement, create)),
            Node::CreateTableSpaceStmt(create) => Box::pin(tablespace::create(session, create)),
            Node::AlterTableSpaceOptionsStmt(alter) => Box::pin(tablespace::set_options(session, alter)),
            Node::AlterTableMoveAllStmt(alter) => Box::pin(tablespace::move_all(session, alter)),
            Node::DropTableSpaceStmt(drop) => Box::pin(tablespace::drop(session, drop)),
            Node::DropdbStmt(drop) => Box::pin(dbcommands::drop(session, drop)),
            Node::RenameStmt(rename) => Box::pin(rename::run(session, statement, rename)),
            Node::CreateExtensionStmt(create) => Box::pin(extension::create(session, create)),
            Node::CreateSchemaStmt(create) => Box::pin(schema::create(session, statement, create)),
            Node::CompositeTypeStmt(create) => Box::pin(composite::create(session, statement, create)),
            Node::CreateDomainStmt(create) => Box::pin(domain::create(session, statement, create)),
            Node::AlterDomainStmt(alter) => Box::pin(domain::alter(session, statement, alter)),
            Node::CreateEnumStmt(create) => Box::pin(r#enum::create(session, create)),
            Node::AlterEnumStmt(alter) => Box::pin(r#enum::alter(session, statement, alter)),
            Node::ViewStmt(create) => Box::pin(view::create(session, statement, create)),
            Node::CreatePolicyStmt(create) => Box::pin(policy::create(session, statement, create)),
            Node::AlterPolicyStmt(alter) => Box::pin(policy::alter(session, statement, alter)),
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

    fn result_columns(&self, statement: &ParsedStatement) -> Result<Option<Arc<[Column]>>> {
        match statement.node() {
            Node::ExplainStmt(explain) => explain::result_columns(explain).map(|columns| Some(columns.into())),
            _ => Ok(None),
        }
    }

    fn before_commit<'a>(&self, session: &'a mut Session) -> BoxFuture<'a, Result<()>> {
        Box::pin(on_commit::before_commit(session))
    }
}

async fn checkpoint(session: &mut Session) -> Result<Reply> {
    if !session.shared.with_roles(|roles, own| roles.has_privileges_of(own, PG_CHECKPOINT))? {
        let detail = "Only roles with privileges of the \"pg_checkpoint\" role may execute this command.";
        let message = "permission denied to execute CHECKPOINT command";
        return Err(EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, message).detail(detail));
    }
    // Given up half-way, its last writes would race with the next ones of the same pages.
    let db = session.db().clone();
    uninterrupted(async move { db.checkpoint().await }).await?;
    Ok(done("CHECKPOINT"))
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
        Node::CreateRangeStmt(_) => "CREATE TYPE",
        Node::DefineStmt(_) => "CREATE",
        Node::ListenStmt(_) => "LISTEN",
        Node::NotifyStmt(_) => "NOTIFY",
        Node::DoStmt(_) => "DO",
        Node::CallStmt(_) => "CALL",
        Node::RefreshMatViewStmt(_) => "REFRESH MATERIALIZED VIEW",
        Node::CreatePublicationStmt(_) => "CREATE PUBLICATION",
        Node::CreateSubscriptionStmt(_) => "CREATE SUBSCRIPTION",
        Node::CreateStatsStmt(_) => "CREATE STATISTICS",
        Node::AlterOwnerStmt(_) => "ALTER … OWNER",
        Node::AlterObjectSchemaStmt(_) => "ALTER … SET SCHEMA",
        Node::LoadStmt(_) => "LOAD",
        Node::SecLabelStmt(_) => "SECURITY LABEL",
        _ => "this command",
    }
}
