//! Queries that were bound to the values of their parameters, and wait to be run: what `exec_bind_message` and `PortalStart` do
//! with them.

use std::borrow::Cow;
use std::sync::Arc;

use engine::Result;
use types::Context;

use crate::plan_cache::{CachedPlan, CachedPlanSource};
use crate::session::{Reply, Session};
use crate::statement::parameter::Parameter;
use crate::statement::parse::ParsedStatement;
use crate::statement::parse::is_query;
use crate::statement::query::{QueryText, Ready};

/// A query that is planned, with locks on what it uses.
pub struct BoundQuery {
    source: Arc<CachedPlanSource>,
    plan: Arc<CachedPlan>,
    context: Arc<Context>,
    /// What a query that only reads sees. What changes rows sees those that are there when it runs.
    snapshot: Option<txn::Snapshot>,
}

impl Session {
    /// Plans a statement for the values that were bound to it; `None`: it is a command, which is not planned.
    pub async fn bind(
        &mut self,
        statement: &ParsedStatement,
        parameters: &mut Vec<Parameter>,
    ) -> Result<Option<BoundQuery>> {
        if !is_query(statement.node()) {
            return Ok(None);
        }
        self.begin_implicit();
        self.new_command();
        let ready = self.ready(QueryText::of(statement), parameters).await?;
        let snapshot = if ready.only_selects() { Some(self.snapshot_of(&ready)?) } else { None };
        let Ready { source, plan, context, parameters: values } = ready;
        let typed = match values {
            Cow::Owned(values) => Some(values),
            Cow::Borrowed(_) => None,
        };
        if let Some(values) = typed {
            *parameters = values;
        }
        Ok(Some(BoundQuery { source, plan, context, snapshot }))
    }

    /// Runs it, with the same values. `wanted`: so many of its rows are asked for, and perhaps no others.
    pub async fn run_bound(
        &mut self,
        bound: BoundQuery,
        statement: &ParsedStatement,
        parameters: &[Parameter],
        wanted: Option<usize>,
    ) -> Result<Reply> {
        let BoundQuery { source, plan, context, snapshot } = bound;
        if !source.is_valid(&self.environment()) {
            // It has come to mean something else.
            return self.run_prepared(statement, parameters, wanted).await;
        }
        if snapshot.is_none() {
            self.new_command();
        }
        let ready = Ready { source, plan, context, parameters: Cow::Borrowed(parameters) };
        self.run_ready(&ready, &statement.text, snapshot, wanted).await
    }
}
