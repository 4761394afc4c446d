//! Statements that run for a client: PostgreSQL's portals (`pquery.c`, `portalmem.c`).

use std::collections::VecDeque;
use std::sync::Arc;

use analyze::query::CommandType;
use executor::memory::Reservation;
use executor::{Batch, ExecPlan, Query};
use types::{Context, Result};

use crate::output::Output;
use crate::plan_cache::Column;

/// A statement that runs, and how its rows are written.
pub struct Portal {
    query: Query,
    /// Rows that were computed before they are asked for, and their memory.
    ready: VecDeque<Batch>,
    held: Reservation,
    command: CommandType,
    /// `None`: it gives no rows.
    pub columns: Option<Arc<[Column]>>,
    pub outputs: Box<[Output]>,
    pub context: Arc<Context>,
}

impl Portal {
    /// Begins to run a plan.
    pub fn start(
        plan: &Arc<ExecPlan>,
        command: CommandType,
        columns: Option<Arc<[Column]>>,
        environment: executor::Environment,
    ) -> executor::Result<Portal> {
        let context = environment.execution.context.clone();
        let given = columns.as_deref().unwrap_or_default();
        let outputs = given.iter().zip(plan.reprs()).map(|(column, &repr)| Output::new(column.ty.oid, repr));
        let outputs = outputs.collect::<Result<_>>()?;
        let query = plan.start(environment)?;
        let held = query.reserve("rows of a portal");
        Ok(Portal { query, ready: VecDeque::new(), held, command, columns, outputs, context })
    }

    /// The next rows; `None` at the end, when everything is done.
    pub async fn next(&mut self) -> executor::Result<Option<Batch>> {
        match self.ready.pop_front() {
            Some(batch) => Ok(Some(batch)),
            None => self.query.next().await,
        }
    }

    /// Runs to the end, keeping the rows: what changes rows changes them all, however many of its own the client takes.
    pub async fn finish(&mut self) -> executor::Result<()> {
        while let Some(batch) = self.query.next().await? {
            self.held.grow(batch.memory())?;
            self.ready.push_back(batch);
        }
        Ok(())
    }

    /// What the client is told at the end, `sent` rows later.
    pub fn tag(&self, sent: u64) -> String {
        let processed = self.query.processed();
        match self.command {
            CommandType::Select => format!("SELECT {sent}"),
            CommandType::Insert => format!("INSERT 0 {processed}"),
            CommandType::Update => format!("UPDATE {processed}"),
            CommandType::Delete => format!("DELETE {processed}"),
            CommandType::Merge => format!("MERGE {processed}"),
        }
    }
}
