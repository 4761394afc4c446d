//! COPY FROM: rows that a client sends into their table, from where they are read on: PostgreSQL's `copyfrom.c`. They are
//! given in batches, by the session that reads them; defaults, constraints and the insertion are those of INSERT.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::sync::Arc;

use analyze::query::{CommandType, Expr, RangeTableEntry, RangeTableIndex, ReturningRows};
use arrow_array::{ArrayRef, BooleanArray, UInt32Array, new_null_array};
use arrow_schema::ArrowError;
use arrow_select::{take::take, zip::zip};
use catalog::Catalog;
use engine::{EngineError, Insertion, Table};
use expression::{ExprState, Selection};
use plan::plan::{Cost, Node, Plan, PlannedStmt, Scan};
use types::{Oid, Repr};

use crate::batch::Batch;
use crate::compile::facts::Facts;
use crate::compile::late_detoast::LateDetoast;
use crate::compile::{Compiler, Layout};
use crate::error::{Error, Result};
use crate::expr::evaluate::evaluate;
use crate::expr::output::Filter;
use crate::modify_table::{Made, Target};
use crate::nodes::init_node::init_node;
use crate::prepared::ExecPlan;
use crate::run::estate::{EState, Environment, Run, RunState};

/// What is to be done with the rows.
pub struct CopyInto {
    pub table: Oid,
    /// The table, as the only entry of the range table.
    pub entry: RangeTableEntry,
    /// The columns that the rows have: positions in the table, and how their values lie.
    pub given: Vec<(usize, Repr)>,
    /// By the table's columns: what they get where nothing is given.
    pub defaults: Vec<Option<Expr>>,
    /// WHERE: over the table's columns, as those of entry 1.
    pub conditions: Vec<Expr>,
    /// All that see the table see the rows.
    pub freeze: bool,
}

/// Rows on their way.
pub struct CopiedRows {
    /// The columns that are given.
    pub given: Batch,
    /// For columns that are given, by their position among those: rows that say DEFAULT. They are NULL in `given`.
    pub defaults: Vec<(usize, BooleanArray)>,
    /// The rows to insert; `None`: all. The defaults of the others are computed.
    pub wanted: Option<BooleanArray>,
}

/// What went wrong.
pub struct CopyError {
    /// In which of the rows that were given, where that is known.
    pub row: Option<usize>,
    /// In which line, if it was found in rows that had been given before.
    pub line: Option<u64>,
    pub error: Error,
}

impl From<Error> for CopyError {
    fn from(error: Error) -> CopyError {
        CopyError { row: None, line: None, error }
    }
}

/// A COPY FROM that runs.
pub struct CopyFrom {
    target: Target,
    given: Vec<(usize, Repr)>,
    defaults: Vec<Option<ExprState>>,
    condition: Filter,
    run: Run,
    table: Arc<Table>,
    insertion: Insertion,
    /// The lines of the first rows that were inserted: of these errors say which row they are about.
    lines: Vec<u64>,
}

/// Of more rows the lines are not kept: entries of indexes are put in when all have come.
const MOST_LINES: usize = 16384;

/// The table's entry.
const TABLE: RangeTableIndex = RangeTableIndex(1);

impl CopyFrom {
    /// Fails with 0A000 for what is not here.
    pub fn start(
        copy: CopyInto,
        catalog: Catalog<'_>,
        facts: &dyn Facts,
        environment: Environment,
    ) -> Result<CopyFrom> {
        let planned = no_plan(copy.entry);
        let compiler = Compiler {
            catalog,
            planned: &planned,
            facts,
            rechecks: false,
            copied: HashSet::new(),
            parameters: Arc::from([]),
            init_parameters: HashSet::new(),
            init_node,
            sub_plans: RefCell::default(),
            work_tables: RefCell::default(),
            late: LateDetoast::default(),
            slots: Cell::new(0),
            numbers: None,
            ordered: Cell::new(true),
        };
        let scan = Scan { relation: TABLE, table: copy.table };
        let mut target = Target::new(&compiler, scan, &[], (&[], ReturningRows::default()), &Arc::from([]))?;
        target.given = copy.given.iter().map(|(column, _)| *column).collect();
        let nothing = Layout::default();
        let default = |expr: &Option<Expr>| expr.as_ref().map(|expr| compiler.expr(expr, &nothing)).transpose();
        let defaults = copy.defaults.iter().map(default).collect::<types::Result<_>>()?;
        let condition = compiler.filter(&copy.conditions, &Layout::default().with(TABLE, &target.reprs))?;
        let plan = ExecPlan::prepare(&planned, catalog, facts)?;
        let run = RunState::new(&Arc::new(EState::new(environment, plan.tree)));
        let table = run.estate.table(copy.table)?;
        let insertion = Insertion::new(&table, run.environment().settings.write.clone());
        let insertion = if copy.freeze { insertion.frozen() } else { insertion };
        Ok(CopyFrom { target, given: copy.given, defaults, condition, run, table, insertion, lines: Vec::new() })
    }

    /// Puts rows into the table, which come from these lines. Gives how many of those that are wanted the condition leaves out.
    pub async fn add(&mut self, rows: CopiedRows, lines: &[u64]) -> std::result::Result<usize, CopyError> {
        let mut kept = Kept { batch: self.complete(&rows).await?, rows: None };
        if let Some(wanted) = &rows.wanted {
            kept.keep(wanted)?;
        }
        let wanted = kept.batch.rows;
        match self.holding(&kept).await? {
            Selection::All => {}
            Selection::None => return Ok(wanted),
            Selection::Some(holds) => kept.keep(&holds)?,
        }
        let excluded = wanted - kept.batch.rows;
        if let Some(refusal) = self.target.violation(&self.table, &kept.batch, Made::Inserted, &self.run).await? {
            return Err(CopyError { row: Some(kept.row(refusal.row)), line: None, error: refusal.error.into() });
        }
        let stored = self.target.stored(&kept.batch)?;
        if self.lines.len() < MOST_LINES {
            self.lines.extend((0..kept.batch.rows).map(|row| lines[kept.row(row)]));
        }
        let mut transaction = self.run.transaction().await;
        let added = self.insertion.add(&mut transaction, stored).await;
        added.map_err(|error| CopyError::of_insertion(error, &self.lines))?;
        Ok(excluded)
    }

    /// The rows for which the condition holds. Where it fails, the first row for which it does is told.
    async fn holding(&self, kept: &Kept) -> std::result::Result<Selection, CopyError> {
        let error = match self.condition.select(&kept.batch, &self.run).await {
            Ok(selection) => return Ok(selection),
            Err(error) => error,
        };
        for row in 0..kept.batch.rows {
            if let Err(error) = self.condition.select(&kept.batch.slice(row, 1), &self.run).await {
                return Err(CopyError { row: Some(kept.row(row)), line: None, error });
            }
        }
        Err(error.into())
    }

    /// There are no more. Gives how many were inserted.
    pub async fn finish(self) -> std::result::Result<u64, CopyError> {
        let mut transaction = self.run.transaction().await;
        let finished = self.insertion.finish(&mut transaction).await;
        finished.map_err(|error| CopyError::of_insertion(error, &self.lines))
    }

    /// All columns of the table.
    async fn complete(&self, rows: &CopiedRows) -> Result<Batch> {
        let count = rows.given.rows;
        let mut columns = Vec::with_capacity(self.target.columns.len());
        for (at, column) in self.target.columns.iter().enumerate() {
            let given = self.given.iter().position(|(column, _)| *column == at);
            columns.push(match given {
                Some(place) => {
                    let values = self.target.column(at, &rows.given.columns[place], self.given[place].1)?;
                    match rows.defaults.iter().find(|(column, _)| *column == place) {
                        Some((_, marked)) => self.with_defaults(at, &values, marked).await?,
                        None => values,
                    }
                }
                None if self.defaults[at].is_some() => self.default(at, count).await?,
                None => new_null_array(&column.repr.arrow(), count),
            });
        }
        Ok(Batch::new(columns, count))
    }

    /// A column's default, for so many rows.
    async fn default(&self, at: usize, rows: usize) -> Result<ArrayRef> {
        let Some(state) = &self.defaults[at] else {
            return Ok(new_null_array(&self.target.columns[at].repr.arrow(), rows));
        };
        let values = evaluate(state, &Batch::new(Vec::new(), rows), &self.run).await?;
        self.target.column(at, &values, state.repr())
    }

    /// A column with its default in the rows that are marked, computed once for each of them.
    async fn with_defaults(&self, at: usize, values: &ArrayRef, marked: &BooleanArray) -> Result<ArrayRef> {
        let defaults = self.default(at, marked.true_count()).await?;
        let mut next = 0;
        let place = |marked: bool| {
            next += u32::from(marked);
            marked.then(|| next - 1)
        };
        let places: UInt32Array = marked.values().iter().map(place).collect();
        let spread = take(&*defaults, &places, None).map_err(Error::from)?;
        let mixed: std::result::Result<ArrayRef, ArrowError> = zip(marked, &spread, values);
        Ok(mixed?)
    }
}

/// Rows that are left, and which of those that were given they are.
struct Kept {
    batch: Batch,
    /// `None`: all.
    rows: Option<Vec<usize>>,
}

impl Kept {
    fn keep(&mut self, keep: &BooleanArray) -> Result<()> {
        let kept = keep.values().set_indices().map(|row| self.row(row)).collect();
        self.batch = self.batch.filter(keep)?;
        self.rows = Some(kept);
        Ok(())
    }

    fn row(&self, row: usize) -> usize {
        self.rows.as_ref().map_or(row, |rows| rows[row])
    }
}

impl CopyError {
    fn of_insertion(error: EngineError, lines: &[u64]) -> CopyError {
        let line = error.row().and_then(|row| lines.get(row).copied());
        CopyError { row: None, line, error: error.into() }
    }
}

/// A statement without a plan: expressions are compiled and run as parts of one.
fn no_plan(entry: RangeTableEntry) -> PlannedStmt {
    let node = Node::Result { child: None, one_time: Vec::new() };
    let (targets, conditions, init_plans) = (Vec::new(), Vec::new(), Vec::new());
    PlannedStmt {
        command: CommandType::Insert,
        plan: Plan { node, targets, conditions, cost: Cost::default(), init_plans },
        sub_plans: Vec::new(),
        parameters: Vec::new(),
        range_table: vec![entry],
        has_rows: false,
        modifying: Vec::new(),
        relations: Vec::new(),
        named: Vec::new(),
        custom: false,
    }
}
