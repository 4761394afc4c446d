//! Statements as they come from clients: PostgreSQL's `postgres.c`.

use engine::Result;
use syntax::nodes::Node;

use crate::parse::ParsedStatement;
use crate::query::{Parameter, QueryText};
use crate::session::{Reply, Session};
use crate::utility;

impl Session {
    /// Runs a statement; `parameters` are the values of `$1` and so on. After an error the caller calls
    /// [`Session::statement_failed`].
    pub async fn run(&mut self, statement: &ParsedStatement, parameters: &[Parameter]) -> Result<Reply> {
        self.begin_implicit();
        self.require_live(Some(statement.node()))?;
        self.run_statement(statement, parameters).await
    }

    /// The same within another statement, EXECUTE.
    pub(crate) async fn run_statement(
        &mut self,
        statement: &ParsedStatement,
        parameters: &[Parameter],
    ) -> Result<Reply> {
        if looks(statement.node()) {
            self.new_command();
        }
        // Boxed, as what is rare or large.
        match is_query(statement.node()) {
            true => Box::pin(self.run_query(QueryText::of(statement), parameters)).await,
            false => Box::pin(utility::run(self, statement, parameters)).await,
        }
    }
}

/// Is it planned (or else a command)?
pub fn is_query(node: &Node) -> bool {
    match node {
        Node::SelectStmt(select) => !analyze::has_into(select),
        Node::InsertStmt(_) | Node::UpdateStmt(_) | Node::DeleteStmt(_) | Node::MergeStmt(_) => true,
        _ => false,
    }
}

/// Does it look at anything? What does not, needs no transaction.
fn looks(node: &Node) -> bool {
    !matches!(node, Node::TransactionStmt(_) | Node::VariableSetStmt(_) | Node::VariableShowStmt(_))
}
