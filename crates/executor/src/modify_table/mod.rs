//! ModifyTable: INSERT, UPDATE, DELETE and MERGE of the rows that the child gives.
//!
//! Rows are changed as they come; nothing that the statement reads sees what it does itself. A row that another transaction
//! has changed is waited for and looked at again ([`recheck`], PostgreSQL's EvalPlanQual).
//!
//! * [`target`]: the table and its new rows: how they are stored, what they have to satisfy. [`check_option`]: what policies and
//!   views ask of them. [`stored_calls`]: whether the role may call what checks and indexes call.
//! * [`insert`], [`change`]: what becomes of rows. [`conflict`], [`conflict_update`]: ON CONFLICT. [`merge`]: MERGE.

mod change;
mod check_option;
mod conflict;
mod conflict_update;
mod insert;
mod merge;
pub mod recheck;
mod stored_calls;
mod target;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use analyze::query::CommandType;
use async_trait::async_trait;
use engine::{Insertion, Table};
use error::sqlstate;
use plan::plan::{ModifyTable, Plan};

use crate::batch::Batch;
use crate::compile::Compiler;
use crate::error::Result;
use crate::run::estate::Run;
use crate::run::node::{Compiled, ExecNode};
use crate::run::rows::{BoxRows, Rows};

use change::Change;
use conflict::Conflict;
use insert::Insert;
use merge::Merge;
pub(crate) use target::{Made, Target};

pub fn compile(compiler: &Compiler<'_>, plan: &Plan, modify: &ModifyTable) -> types::Result<Compiled> {
    let child = compiler.plan(&modify.child)?;
    let target = Target::compile(compiler, modify, &child)?;
    let command = match modify.command {
        CommandType::Insert => {
            let insert = Insert::compile(&target, &child, &modify.child)?;
            let conflict = modify.on_conflict.as_ref();
            let conflict = conflict.map(|on| Conflict::compile(compiler, modify, on, &target, &child)).transpose()?;
            Command::Insert(insert, conflict.map(Box::new))
        }
        CommandType::Update => Command::Change(Change::update(modify, &target, &child)?),
        CommandType::Delete => Command::Change(Change::delete(modify)),
        CommandType::Merge => Command::Merge(Merge::compile(compiler, modify, &target, &child)?),
        CommandType::Select => return Err(types::Error::new(sqlstate::INTERNAL_ERROR, "a query changes no rows")),
    };
    let reprs = target.returning.as_ref().map_or_else(|| Arc::from([]), |returning| returning.reprs().clone());
    // CTEs are not counted.
    let counts = std::ptr::eq(plan, &compiler.planned.plan);
    Ok(Compiled::new(ModifyNode { child, target, command, counts }, reprs))
}

pub(crate) struct ModifyNode {
    child: Compiled,
    target: Target,
    command: Command,
    /// Its rows are those that the statement reports.
    counts: bool,
}

enum Command {
    Insert(Insert, Option<Box<Conflict>>),
    Change(Change),
    Merge(Merge),
}

impl ExecNode for ModifyNode {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        let table = run.estate.table(self.target.table)?;
        let child = self.child.start(run)?;
        Ok(Box::new(ModifyRows { node: self, run: run.clone(), table, child: Some(child), insertion: None }))
    }
}

struct ModifyRows {
    node: Arc<ModifyNode>,
    run: Run,
    table: Arc<Table>,
    child: Option<BoxRows>,
    insertion: Option<Insertion>,
}

impl ModifyRows {
    /// Does what is to be done about some of the child's rows; gives RETURNING's.
    async fn change(&mut self, batch: Batch) -> Result<Vec<Batch>> {
        let ModifyNode { child, target, command, .. } = &*self.node;
        let (run, table) = (&self.run, &self.table);
        let (rows, returned) = match command {
            Command::Insert(insert, None) => insert.rows(target, table, batch, &mut self.insertion, run).await?,
            Command::Insert(insert, Some(conflict)) => {
                Box::pin(conflict.rows(insert, target, table, batch, run)).await?
            }
            Command::Change(change) => change.rows(child, target, table, batch, run).await?,
            Command::Merge(merge) => Box::pin(merge.rows(child, target, table, batch, run)).await?,
        };
        if self.node.counts {
            run.estate.processed.fetch_add(rows, Ordering::Relaxed);
        }
        Ok(returned)
    }
}

#[async_trait]
impl Rows for ModifyRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        loop {
            let Some(child) = &mut self.child else { return Ok(None) };
            let Some(batch) = child.next().await? else {
                self.child = None;
                if let Some(insertion) = self.insertion.take() {
                    insertion.finish(&mut *self.run.transaction().await).await?;
                }
                return Ok(None);
            };
            let returned = self.change(batch).await?;
            if !returned.is_empty() {
                return Batch::concat(&returned, &self.node.returned_reprs()).map(Some);
            }
        }
    }
}

impl ModifyNode {
    fn returned_reprs(&self) -> Arc<[types::Repr]> {
        self.target.returning.as_ref().map_or_else(|| Arc::from([]), |returning| returning.reprs().clone())
    }
}
