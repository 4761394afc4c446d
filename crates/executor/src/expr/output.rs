//! What every node does at its end: conditions that its rows have to meet, and its targets (`ExecQual`, `ExecProject`).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use analyze::query::{Expr, TargetEntry};
use arrow_array::{BooleanArray, new_null_array};
use expression::clauses::{Felt, contain_volatile_functions, felt_calls};
use expression::{ExprState, Selection};
use types::Repr;

use crate::batch::Batch;
use crate::compile::{Compiler, Layout};
use crate::error::{Error, Result};
use crate::expr::evaluate::{evaluate, select};
use crate::expr::multi_expr::MultiExpr;
use crate::expr::wait::filter_waiting;
use crate::run::estate::Run;
use crate::run::instrument::Instrumentation;

/// Conditions, all of which have to hold.
#[derive(Default)]
pub struct Filter {
    conditions: Vec<ExprState>,
    /// How many of the first ones do not wait.
    quick: usize,
    /// Asking them of a row is felt.
    is_volatile: bool,
}

impl Filter {
    pub fn new(conditions: Vec<ExprState>, is_volatile: bool) -> Filter {
        let quick = conditions.iter().take_while(|condition| !condition.waits()).count();
        Filter { conditions, quick, is_volatile }
    }

    pub fn is_empty(&self) -> bool {
        self.conditions.is_empty()
    }

    pub fn cost(&self) -> Cost {
        Cost::of(self.is_volatile, self.quick < self.conditions.len())
    }

    /// The rows for which they hold.
    pub async fn select(&self, batch: &Batch, run: &Run) -> Result<Selection> {
        let (quick, slow) = self.conditions.split_at(self.quick);
        if slow.is_empty() {
            return select(quick, batch, run).await;
        }
        filter_waiting(&self.conditions, batch, run).await
    }

    /// Which rows these are; `None`: all.
    pub async fn mask(&self, batch: &Batch, run: &Run) -> Result<Option<BooleanArray>> {
        if self.is_empty() {
            return Ok(None);
        }
        Ok(match self.select(batch, run).await? {
            Selection::All => None,
            Selection::None => Some(BooleanArray::from(vec![false; batch.rows])),
            Selection::Some(rows) => Some(rows),
        })
    }

    /// The rows for which they will hold, if asking them twice makes no difference. Errors are left for the second time.
    pub async fn preview(&self, batch: &Batch, run: &Run) -> Option<Selection> {
        let repeatable = !self.is_empty() && !self.is_volatile && self.quick == self.conditions.len();
        if repeatable { self.select(batch, run).await.ok() } else { None }
    }

    /// The batch without the other rows; `None`: none is left.
    pub async fn apply(&self, batch: Batch, run: &Run) -> Result<Option<Batch>> {
        self.apply_counted(batch, run, |counters| &mut counters.removed_by_filter).await
    }

    /// The same; the other rows are counted where `removed` says.
    pub async fn apply_counted(
        &self,
        batch: Batch,
        run: &Run,
        removed: fn(&mut Instrumentation) -> &mut u64,
    ) -> Result<Option<Batch>> {
        if batch.rows == 0 {
            return Ok(None);
        }
        if self.conditions.is_empty() {
            return Ok(Some(batch));
        }
        let asked = batch.rows;
        let left = match self.select(&batch, run).await? {
            Selection::All => Some(batch),
            Selection::None => None,
            Selection::Some(keep) => Some(batch.filter(&keep)?),
        };
        if let Some(watched) = &run.watched {
            let others = asked - left.as_ref().map_or(0, |batch| batch.rows);
            watched.note(|counters| *removed(counters) += others as u64);
        }
        Ok(left)
    }

    /// The first rows for which they hold, `wanted` of them; what comes behind these is not asked.
    async fn first(&self, batch: Batch, wanted: usize, run: &Run) -> Result<Option<Batch>> {
        let (mut found, mut at) = (Vec::new(), 0);
        let mut count = 0;
        while at < batch.rows && count < wanted {
            let rows = (wanted - count).min(batch.rows - at);
            if let Some(some) = self.apply(batch.slice(at, rows), run).await? {
                count += some.rows;
                found.push(some);
            }
            at += rows;
        }
        match &found[..] {
            [] => Ok(None),
            some => Batch::concat(some, &[]).map(Some),
        }
    }

    /// Whether they hold for one row without columns.
    pub async fn holds(&self, run: &Run) -> Result<bool> {
        Ok(self.conditions.is_empty() || self.select(&Batch::one_row(), run).await? == Selection::All)
    }
}

/// What it costs to ask for a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cost {
    Low,
    /// It runs subqueries.
    High,
    /// It is felt: by sequences, clocks, and those that a function writes to.
    Felt,
}

impl Cost {
    fn of(is_volatile: bool, waits: bool) -> Cost {
        match (is_volatile, waits) {
            (true, _) => Cost::Felt,
            (false, true) => Cost::High,
            (false, false) => Cost::Low,
        }
    }
}

/// A column of a node's rows.
enum Target {
    /// One of the columns that it is made of.
    Column(usize),
    Computed(Box<ExprState>),
    /// It is not read.
    Nothing,
}

/// The columns of a node's rows.
pub struct Projection {
    targets: Vec<Target>,
    reprs: Arc<[Repr]>,
    /// The columns are those that it is made of, in their order.
    identity: bool,
    /// What is computed before, and stands behind the columns.
    multi: Vec<MultiExpr>,
    is_volatile: bool,
    /// It is felt in which order they are computed: row by row.
    in_order: bool,
}

impl Projection {
    pub fn compile(compiler: &Compiler<'_>, targets: &[TargetEntry], layout: &Layout) -> types::Result<Projection> {
        let (mut multi, mut with_multi) = (Vec::new(), layout.clone());
        for plan in targets.iter().filter_map(|target| MultiExpr::plan_of(&target.expr)) {
            multi.push(MultiExpr::compile(compiler, plan, &mut with_multi)?);
        }
        let compile = |target: &TargetEntry| {
            if MultiExpr::plan_of(&target.expr).is_some() {
                return Ok((Target::Nothing, Repr::Bool));
            }
            if let Expr::Var(var) = &target.expr
                && let Some((at, repr)) = layout.find(var)
            {
                return Ok((Target::Column(at), repr));
            }
            let state = compiler.expr(&target.expr, &with_multi)?;
            let repr = state.repr();
            Ok((Target::Computed(Box::new(state)), repr))
        };
        let exprs = targets.iter().map(|target| &target.expr);
        let is_volatile = exprs.clone().any(|expr| contain_volatile_functions(compiler.catalog, expr));
        let in_order = is_volatile && felt_calls(compiler.catalog, exprs) == Felt::Order;
        let (targets, reprs): (Vec<Target>, Vec<Repr>) =
            targets.iter().map(compile).collect::<types::Result<Vec<_>>>()?.into_iter().unzip();
        let in_place = |(at, target): (usize, &Target)| matches!(target, Target::Column(column) if *column == at);
        let identity = targets.len() == layout.width() && targets.iter().enumerate().all(in_place);
        Ok(Projection { targets, reprs: reprs.into(), identity, multi, is_volatile, in_order })
    }

    pub fn reprs(&self) -> &Arc<[Repr]> {
        &self.reprs
    }

    pub fn is_identity(&self) -> bool {
        self.identity
    }

    fn cost(&self) -> Cost {
        let waits = |target: &Target| matches!(target, Target::Computed(state) if state.waits());
        Cost::of(self.is_volatile, !self.multi.is_empty() || self.targets.iter().any(waits))
    }

    pub async fn apply(&self, batch: Batch, run: &Run) -> Result<Batch> {
        if self.identity {
            return Ok(batch);
        }
        if !self.in_order || batch.rows < 2 {
            return self.compute(batch, run).await;
        }
        let mut rows = Vec::with_capacity(batch.rows);
        for row in 0..batch.rows {
            rows.push(self.compute(batch.slice(row, 1), run).await?);
        }
        Batch::concat(&rows, &self.reprs)
    }

    async fn compute(&self, mut batch: Batch, run: &Run) -> Result<Batch> {
        for multi in &self.multi {
            let more = multi.columns(&batch, run).await?;
            batch.columns.extend(more);
        }
        let mut columns = Vec::with_capacity(self.targets.len());
        for target in &self.targets {
            columns.push(match target {
                Target::Column(at) => batch.columns[*at].clone(),
                Target::Computed(state) => evaluate(state, &batch, run).await?,
                Target::Nothing => new_null_array(&Repr::Bool.arrow(), batch.rows),
            });
        }
        Ok(Batch::new(columns, batch.rows))
    }
}

/// Conditions, then targets.
pub struct Output {
    pub filter: Filter,
    pub projection: Projection,
    /// The rows are the statement's result, and evaluating them twice makes no difference: those before one that fails are given.
    pub is_result: bool,
    /// It is felt in which order both are computed: row by row.
    pub in_order: bool,
}

impl Output {
    pub fn reprs(&self) -> &Arc<[Repr]> {
        self.projection.reprs()
    }

    pub fn cost(&self) -> Cost {
        self.filter.cost().max(self.projection.cost())
    }

    /// It does nothing.
    pub fn is_identity(&self) -> bool {
        self.filter.is_empty() && self.projection.is_identity()
    }

    /// `None`: no row is left.
    pub async fn apply(&self, batch: Batch, run: &Run) -> Result<Option<Batch>> {
        if !self.is_result {
            return self.apply_to_all(batch, run).await;
        }
        // Those behind the row that has failed are not given.
        if let Some((_, failure)) = run.estate.failure.lock().take_if(|(of, _)| *of == self.place()) {
            return Err(failure);
        }
        if batch.rows < 2 {
            return self.apply_to_all(batch, run).await;
        }
        match self.apply_to_all(batch.clone(), run).await {
            Err(error) if is_of_a_row(&error) => self.apply_before_failure(batch, run).await,
            applied => applied,
        }
    }

    /// Which one it is.
    fn place(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// The rows before the first one that fails, by halves; why it fails is told when the statement is asked for more.
    async fn apply_before_failure(&self, batch: Batch, run: &Run) -> Result<Option<Batch>> {
        let (mut given, mut at, mut most) = (Vec::new(), 0, batch.rows / 2);
        while at < batch.rows {
            let rows = most.clamp(1, batch.rows - at);
            tokio::task::yield_now().await;
            match Box::pin(self.apply_to_all(batch.slice(at, rows), run)).await {
                Ok(some) => {
                    given.extend(some);
                    at += rows;
                }
                Err(error) if rows == 1 && given.is_empty() => return Err(error),
                Err(error) if rows == 1 => {
                    *run.estate.failure.lock() = Some((self.place(), error));
                    break;
                }
                Err(_) => {}
            }
            most = rows / 2;
        }
        match &given[..] {
            [] => Ok(None),
            [one] => Ok(Some(one.clone())),
            some => Batch::concat(some, self.reprs()).map(Some),
        }
    }

    async fn apply_to_all(&self, batch: Batch, run: &Run) -> Result<Option<Batch>> {
        match &run.bound {
            Some(left) => self.apply_first(batch, left, run).await,
            None => self.apply_all(batch, run).await,
        }
    }

    async fn apply_all(&self, batch: Batch, run: &Run) -> Result<Option<Batch>> {
        match self.in_order && batch.rows > 1 {
            true => self.compute_in_order(batch, usize::MAX, run).await,
            false => self.compute(batch, run).await,
        }
    }

    /// Row by row, until so many are left.
    async fn compute_in_order(&self, batch: Batch, most: usize, run: &Run) -> Result<Option<Batch>> {
        let mut left = Vec::new();
        for row in 0..batch.rows {
            if left.len() == most {
                break;
            }
            left.extend(self.compute(batch.slice(row, 1), run).await?);
        }
        match &left[..] {
            [] => Ok(None),
            some => Batch::concat(some, self.reprs()).map(Some),
        }
    }

    async fn compute(&self, batch: Batch, run: &Run) -> Result<Option<Batch>> {
        match self.filter.apply(batch, run).await? {
            Some(batch) => Ok(Some(self.projection.apply(batch, run).await?)),
            None => Ok(None),
        }
    }

    /// The same for so many rows that as many are left. Conditions are asked of as few rows as that takes where it matters.
    async fn apply_first(&self, batch: Batch, left: &AtomicUsize, run: &Run) -> Result<Option<Batch>> {
        let wanted = left.load(Ordering::Relaxed);
        let found = match self.filter.is_volatile {
            true if self.in_order => {
                let given = self.compute_in_order(batch, wanted, run).await?;
                left.store(wanted - given.as_ref().map_or(0, |given| given.rows), Ordering::Relaxed);
                return Ok(given);
            }
            true => self.filter.first(batch, wanted, run).await?,
            false => match self.filter.apply(batch.clone(), run).await {
                Ok(found) => found,
                // Perhaps for a row that is not asked for.
                Err(_) => self.filter.first(batch, wanted, run).await?,
            },
        };
        let Some(found) = found.filter(|found| found.rows > 0 && wanted > 0) else { return Ok(None) };
        let found = found.slice(0, found.rows.min(wanted));
        let given = self.projection.apply(found, run).await?;
        left.store(wanted - given.rows, Ordering::Relaxed);
        Ok(Some(given))
    }
}

/// Is it a fault of a value, and not of the server or of the statement's end?
fn is_of_a_row(error: &Error) -> bool {
    !matches!(error.code().get(..2), Some("40" | "53" | "57" | "58" | "XX"))
}
