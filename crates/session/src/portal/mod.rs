//! Statements that run for a client, and the rows that commands give: PostgreSQL's portals (`pquery.c`, `portalmem.c`).

pub mod cursor;
pub mod cursor_facts;
pub mod cursors;
pub mod portals;

use std::collections::VecDeque;
use std::sync::Arc;

use ::error::sqlstate;
use analyze::query::CommandType;
use arrow_array::{ArrayRef, StringArray};
use engine::{EngineError, Result, Table};
use executor::memory::Reservation;
use executor::{Batch, HeapBlocks, Instrumentation, IntoRel, Query, RowStore};
use types::encoding::Encoding;
use types::names::NoNames;
use types::{Context, Repr};

use crate::client::client_encoding::to_client;
use crate::client::output::{Format, Output};
use crate::errors::{raised, reported};
use crate::plan_cache::{CachedPlan, Column};
use crate::session::Session;

/// A statement that runs, and how its rows are written.
pub struct Portal {
    rows: Rows,
    /// Rows that were computed before they are asked for.
    ready: VecDeque<Batch>,
    /// What is told behind the rows that are ready.
    failure: Option<EngineError>,
    /// `None`: it gives no rows.
    pub columns: Option<Arc<[Column]>>,
    /// A client that asks for no format gets its rows in binary.
    pub is_binary: bool,
    outputs: Arc<[Output]>,
    context: Arc<Context>,
    /// The query string, which errors' positions are in.
    text: Arc<str>,
}

enum Rows {
    Of {
        query: Box<Query>,
        command: CommandType,
    },
    /// All that there are are in `ready`: those of a SELECT.
    Found,
    /// The same of a command, with what is told at the end.
    Stored {
        tag: &'static str,
    },
}

impl Portal {
    /// Begins to run a plan.
    pub fn start(
        plan: &CachedPlan,
        command: CommandType,
        columns: Option<Arc<[Column]>>,
        text: &Arc<str>,
        environment: executor::Environment,
    ) -> executor::Result<Portal> {
        let context = environment.execution.context.clone();
        let outputs = plan.outputs.clone();
        let query = Box::new(plan.executable.start(environment)?);
        let rows = Rows::Of { query, command };
        Ok(Portal {
            rows,
            ready: VecDeque::new(),
            failure: None,
            columns,
            is_binary: false,
            outputs,
            context,
            text: text.clone(),
        })
    }

    /// What a plan that looks for one row has found.
    pub fn of_row(
        plan: &CachedPlan,
        row: Option<Batch>,
        columns: Option<Arc<[Column]>>,
        text: &Arc<str>,
        context: Arc<Context>,
    ) -> Portal {
        let rows = Rows::Found;
        Portal {
            rows,
            ready: row.into_iter().collect(),
            failure: None,
            columns,
            is_binary: false,
            outputs: plan.outputs.clone(),
            context,
            text: text.clone(),
        }
    }

    /// Rows that a command has made: texts. `tag` is what the client is told at the end.
    pub fn of_texts(columns: Vec<Column>, rows: &[Vec<Option<String>>], tag: &'static str) -> Result<Portal> {
        let column = |at: usize| {
            let texts: StringArray = rows.iter().map(|row| row[at].as_deref()).collect();
            Arc::new(texts) as ArrayRef
        };
        let batch = Batch::new((0..columns.len()).map(column).collect(), rows.len());
        let outputs = columns.iter().map(|column| Output::new(&NoNames, column.oid, Repr::Text));
        let outputs = outputs.collect::<types::Result<_>>().map_err(|error| reported(error, ""))?;
        Ok(Portal {
            rows: Rows::Stored { tag },
            ready: [batch].into(),
            failure: None,
            columns: Some(columns.into()),
            is_binary: false,
            outputs,
            context: Arc::new(Context::default()),
            text: "".into(),
        })
    }

    /// Rows of this portal that were fetched before, as another's that tells `tag` at its end. They are written as the settings
    /// are now.
    /// `failure`: why there are no more of them.
    pub fn of_batches(
        &self,
        session: &mut Session,
        (batches, failure): (Vec<Batch>, Option<EngineError>),
        tag: &'static str,
    ) -> Portal {
        let environment = session.environment();
        Portal {
            rows: Rows::Stored { tag },
            ready: batches.into(),
            failure,
            columns: self.columns.clone(),
            is_binary: self.is_binary,
            outputs: self.outputs.clone(),
            context: Arc::new(session.context(&environment, &self.text)),
            text: self.text.clone(),
        }
    }

    /// The next rows; `None` at the end, when everything is done.
    pub async fn next(&mut self, session: &mut Session) -> Result<Option<Batch>> {
        if let Some(batch) = self.ready.pop_front() {
            return Ok(Some(batch));
        }
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        match &mut self.rows {
            Rows::Of { query, .. } => {
                session.lend_transaction();
                query.next().await.map_err(|error| raised(error, &self.text))
            }
            Rows::Found | Rows::Stored { .. } => Ok(None),
        }
    }

    /// Says that all rows will be asked for, from now on.
    pub fn want_all(&self) {
        if let Rows::Of { query, .. } = &self.rows {
            query.want_all();
        }
    }

    /// Memory of the statement that runs, for what is kept of its rows; `None`: none runs.
    pub fn reserve(&self, name: &'static str) -> Option<Reservation> {
        match &self.rows {
            Rows::Of { query, .. } => Some(query.reserve(name)),
            Rows::Found | Rows::Stored { .. } => None,
        }
    }

    /// A place for its rows, if it runs; `behind`: so many were there before.
    pub fn row_store(&self, behind: u64) -> Option<RowStore> {
        match &self.rows {
            Rows::Of { query, .. } => Some(query.row_store(behind)),
            Rows::Found | Rows::Stored { .. } => None,
        }
    }

    pub async fn keep(&mut self, rows: &mut RowStore, batch: Batch) -> Result<()> {
        match &mut self.rows {
            Rows::Of { query, .. } => query.keep(rows, batch).await.map_err(|error| raised(error, &self.text)),
            Rows::Found | Rows::Stored { .. } => Ok(()),
        }
    }

    /// Runs to the end, keeping the rows (`FillPortalStore`): what changes rows changes them all, however many of its own the
    /// client takes, and of what EXECUTE runs nothing is told before all is well.
    pub async fn finish(&mut self, session: &mut Session) -> Result<()> {
        let Rows::Of { query, .. } = &mut self.rows else { return Ok(()) };
        session.lend_transaction();
        query.want_all();
        query.finish().await.map_err(|error| raised(error, &self.text))
    }

    /// Runs to the end without keeping the rows; gives how many there were.
    pub async fn drain(&mut self, session: &mut Session) -> Result<u64> {
        let mut rows = 0;
        self.want_all();
        while let Some(batch) = self.next(session).await? {
            rows += batch.rows as u64;
        }
        Ok(rows)
    }

    /// The same; its rows, whose columns lie as `reprs` says, go into a table.
    pub async fn drain_into(&mut self, session: &mut Session, table: &Arc<Table>, reprs: &[Repr]) -> Result<()> {
        let into = IntoRel::new(table, reprs, session.write_options());
        let mut into = into.map_err(|error| reported(error, &self.text))?;
        self.want_all();
        while let Some(batch) = self.next(session).await? {
            let received = into.receive(session.transaction(), &batch).await;
            received.map_err(|error| raised(error, &self.text))?;
        }
        into.finish(session.transaction()).await.map_err(|error| raised(error, &self.text))
    }

    /// Rows that it has changed so far.
    pub fn processed(&self) -> u64 {
        match &self.rows {
            Rows::Of { query, .. } => query.processed(),
            Rows::Found | Rows::Stored { .. } => 0,
        }
    }

    /// What the client is told at the end, `sent` rows later.
    pub fn tag(&self, sent: u64) -> String {
        let (query, command) = match &self.rows {
            Rows::Of { query, command } => (query, command),
            Rows::Found => return format!("SELECT {sent}"),
            Rows::Stored { tag: tag @ "FETCH" } => return format!("{tag} {sent}"),
            Rows::Stored { tag } => return tag.to_string(),
        };
        // Of what gives rows, those are counted that were asked for this time.
        let processed = if self.columns.is_some() { sent } else { query.processed() };
        match command {
            CommandType::Select => format!("SELECT {sent}"),
            CommandType::Insert => format!("INSERT 0 {processed}"),
            CommandType::Update => format!("UPDATE {processed}"),
            CommandType::Delete => format!("DELETE {processed}"),
            CommandType::Merge => format!("MERGE {processed}"),
        }
    }

    /// Does it give as many columns as its client was told?
    pub fn gives(&self, described: Option<&[Column]>) -> bool {
        self.columns.as_ref().map(|columns| columns.len()) == described.map(<[Column]>::len)
    }

    /// Rows that are there without running on.
    pub fn rows_ready(&self) -> u64 {
        self.ready.iter().map(|batch| batch.rows as u64).sum()
    }

    /// What the nodes of a plan that is watched did so far.
    pub fn instrumentation(&self) -> Vec<(Instrumentation, Vec<HeapBlocks>)> {
        match &self.rows {
            Rows::Of { query, .. } => query.instrumentation(),
            Rows::Found | Rows::Stored { .. } => Vec::new(),
        }
    }

    /// Appends a value of a column; `false` (and nothing appended) for NULL.
    pub fn encode(
        &self,
        out: &mut Vec<u8>,
        format: Format,
        index: usize,
        column: &ArrayRef,
        row: usize,
    ) -> Result<bool> {
        let output = &self.outputs[index];
        let written = match format {
            Format::Text => output.text(&self.context, column, row, out),
            Format::Binary => output.binary(&self.context, column, row, out),
        };
        written.map_err(|error| reported(error, ""))
    }

    /// Puts a value of a column, as it was encoded from a place of `out` on, into the client's encoding.
    pub fn to_client(
        &self,
        encoding: &Encoding,
        format: Format,
        index: usize,
        out: &mut Vec<u8>,
        from: usize,
    ) -> Result<()> {
        if encoding.is_utf8() {
            return Ok(());
        }
        let mut value = out.split_off(from);
        to_client(encoding, self.outputs[index].repr(), format == Format::Text, &mut value)?;
        out.append(&mut value);
        Ok(())
    }
}

/// What a statement is told that was described otherwise. Drivers know it by its routine, and prepare the statement anew.
pub fn changed_result_type() -> EngineError {
    EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, "cached plan must not change result type")
        .routine("RevalidateCachedQuery")
}
