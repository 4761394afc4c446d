//! Statements as they come from clients: PostgreSQL's `postgres.c`.

use std::sync::Arc;

use engine::Result;
use syntax::nodes::Node;

use crate::session::{Notice, Reply, Session, done};
use crate::statement::parameter::Parameter;
use crate::statement::parse::{ParsedStatement, is_query, parse_raw};
use crate::statement::query::QueryText;
use crate::statement::statement_cache::{Statement, plain};
use crate::utility;

impl Session {
    /// The statements of a query string that is to be prepared.
    pub fn parse(&self, text: &str) -> Result<Vec<Arc<ParsedStatement>>> {
        let mut notices = Vec::new();
        let raw = parse_raw(text, &mut notices);
        self.tell(&notices);
        let (whole, notices): (Arc<str>, Box<[Notice]>) = (text.into(), notices.into());
        let statement = |raw| ParsedStatement { notices: notices.clone(), ..ParsedStatement::new(whole.clone(), raw) };
        Ok(raw?.into_iter().map(|raw| Arc::new(statement(raw))).collect())
    }

    /// A query string has come again that was read before.
    pub fn tell_again(&self, statement: &ParsedStatement) {
        self.tell(&statement.notices);
    }

    pub(crate) fn tell(&self, notices: &[Notice]) {
        if !notices.is_empty() {
            self.shared.notices.lock().extend_from_slice(notices);
        }
    }

    /// The statements of a query string.
    pub fn statements(&mut self, text: &str) -> Result<Vec<Statement>> {
        let mut notices = Vec::new();
        let statements = self.statement_cache.statements(text, &mut notices);
        self.tell(&notices);
        statements
    }

    /// Runs a statement of a query string. After an error the caller calls [`Session::statement_failed`].
    pub async fn run(&mut self, statement: &Statement) -> Result<Reply> {
        let Statement { parsed, text, parameters } = statement;
        self.begin_implicit();
        self.require_live(Some(parsed.node()))?;
        if parsed.shaped {
            self.new_command();
            let query = QueryText::of_shape(parsed, text);
            if let Ok(planned) = self.plan_query(query, parameters).await {
                let ready = self.lock_planned(query, parameters, planned).await?;
                return self.run_ready(&ready, text, None, None).await;
            }
            // It may mean something as it is written; if not, that is what the error is about.
            let plain = plain(text, &mut Vec::new())?;
            let Some(plain) = plain.first() else { return Ok(done("")) };
            return self.run_statement(&plain.parsed, &[], None).await;
        }
        self.run_statement(parsed, parameters, None).await
    }

    /// Runs a statement that was prepared, with the values of `$1` and so on. `wanted`: so many of its rows are asked for, and
    /// perhaps no others.
    pub async fn run_prepared(
        &mut self,
        statement: &ParsedStatement,
        parameters: &[Parameter],
        wanted: Option<usize>,
    ) -> Result<Reply> {
        self.begin_implicit();
        self.require_live(Some(statement.node()))?;
        self.run_statement(statement, parameters, wanted).await
    }

    pub(crate) async fn run_statement(
        &mut self,
        statement: &ParsedStatement,
        parameters: &[Parameter],
        wanted: Option<usize>,
    ) -> Result<Reply> {
        if self.looks(statement.node()) {
            self.new_command();
        }
        if !is_query(statement.node()) {
            return utility::run(self, statement, parameters).await;
        }
        let ready = self.ready(QueryText::of(statement), parameters).await?;
        self.run_ready(&ready, &statement.text, None, wanted).await
    }

    /// Does it look at anything (`PlannedStmtRequiresSnapshot`)? What does not, leaves it open what REPEATABLE READ sees: LOCK
    /// TABLE waits before, not after.
    fn looks(&self, node: &Node) -> bool {
        match node {
            Node::TransactionStmt(_)
            | Node::LockStmt(_)
            | Node::VariableSetStmt(_)
            | Node::VariableShowStmt(_)
            | Node::ConstraintsSetStmt(_)
            | Node::ListenStmt(_)
            | Node::NotifyStmt(_)
            | Node::UnlistenStmt(_)
            | Node::CheckPointStmt(_) => false,
            // A cursor that runs has looked before.
            Node::FetchStmt(fetch) => self.cursors.runs(fetch.portalname.as_deref().unwrap_or_default()),
            _ => true,
        }
    }
}
