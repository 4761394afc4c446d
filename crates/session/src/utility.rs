//! Which statement does what: PostgreSQL's `utility.c`. Transactions, prepared statements, cursors and settings are the
//! session's own. All other commands are above it, in the crate `commands`, which needs all of a session: a session is given
//! them as a [`Utility`] when it is made, and calls them from nowhere but here and the end of a transaction.

use std::future::ready;
use std::sync::Arc;

use engine::Result;
use futures::future::BoxFuture;
use syntax::nodes::Node;

use crate::plan_cache::Column;
use crate::portal::portals;
use crate::session::{Reply, Session};
use crate::setting::{discard, variable};
use crate::statement::parameter::Parameter;
use crate::statement::parse::ParsedStatement;
use crate::statement::parse::is_query;
use crate::statement::prepare;

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
        Node::DeclareCursorStmt(declare) => Box::pin(portals::declare(session, statement, declare, parameters)),
        Node::FetchStmt(fetch) => Box::pin(portals::fetch(session, fetch)),
        Node::ClosePortalStmt(close) => Box::pin(ready(portals::close(session, close))),
        _ => session.utility.run(session, statement, parameters),
    }
}

/// The columns of what a command gives; `None`: it gives no rows.
pub(crate) fn result_columns(session: &mut Session, statement: &ParsedStatement) -> Result<Option<Arc<[Column]>>> {
    match statement.node() {
        Node::VariableShowStmt(show) => {
            let name = show.name.as_deref().unwrap_or_default();
            variable::show_columns(&session.shared, name).map(|columns| Some(columns.into()))
        }
        Node::FetchStmt(fetch) => Ok(portals::result_columns(session, fetch)),
        Node::ExecuteStmt(execute) => prepare::result_columns(session, execute),
        _ => session.utility.result_columns(statement),
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
