//! The table whose rows are changed: how new rows are stored, and what they have to satisfy.

use std::sync::Arc;

use access::Tid;
use analyze::query::{CheckKind, CommandType, Expr, RangeTableIndex, ReturningRows, TargetEntry, WithCheckOption};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, UInt32Array, new_null_array};
use arrow_schema::{Field, Schema, SchemaRef};
use engine::{EngineError, Table, TableScan};
use error::sqlstate;
use plan::plan::{CTID, ModifyTable, OUTER, Scan, TABLE_OID, XMAX, XMIN};
use txn::Snapshot;
use types::names::ShownColumns;
use types::{Oid, Repr};

use super::check_option::{CheckOption, CheckOptions, failed};
use super::stored_calls::StoredCalls;
use crate::batch::Batch;
use crate::compile::facts::{Check, TableColumn};
use crate::compile::walk::attributes_of;
use crate::compile::{Compiler, Layout};
use crate::convert::fit;
use crate::convert::{padded, without_padding};
use crate::error::Result;
use crate::expr::output::{Filter, Projection};
use crate::run::estate::Run;
use crate::run::node::Compiled;

pub struct Target {
    pub table: Oid,
    pub relation: RangeTableIndex,
    pub columns: Vec<TableColumn>,
    pub reprs: Arc<[Repr]>,
    /// A row of NULLs.
    null_row: Batch,
    /// Any of its columns may be NULL: what the rules are is asked here.
    schema: SchemaRef,
    /// None, where the role may not call what they call.
    checks: Vec<(String, Filter)>,
    calls: StoredCalls,
    /// What policies and views ask.
    pub options: CheckOptions,
    /// The columns that the statement gives values: errors may show them.
    pub given: Vec<usize>,
    pub returning: Option<Projection>,
    /// RETURNING names the rows before the change and after it.
    returned_rows: ReturningRows,
    /// RETURNING names the rows' places.
    pub returns_place: bool,
    /// RETURNING names the transactions of rows: these of [`XMIN`] and [`XMAX`].
    transactions: Vec<i16>,
    /// The columns of the table that checks and RETURNING name.
    pub named: Vec<usize>,
    /// The columns of the row before the change that RETURNING names.
    pub named_before: Vec<usize>,
}

/// Rows that were changed, as RETURNING sees them.
pub struct Returned<'t> {
    /// What is meant by a column's name alone.
    pub rows: Batch,
    /// Where the rows are; empty: it is not asked.
    pub tids: &'t [Tid],
    /// As they were and as they are; `None`: there were or are none.
    pub old: Option<Batch>,
    pub new: Option<Batch>,
    /// The child's rows that the change comes from.
    pub child: Batch,
    /// The transaction has deleted the rows, or had locked them before it changed them.
    pub ended: bool,
}

impl Target {
    /// The table of a node.
    pub fn compile(compiler: &Compiler<'_>, modify: &ModifyTable, child: &Compiled) -> types::Result<Target> {
        let returning = (&modify.returning[..], modify.returning_rows);
        let mut target = Self::new(compiler, modify.scan, &modify.checks, returning, &child.reprs)?;
        target.given = modify.given.iter().filter_map(|number| usize::try_from(number - 1).ok()).collect();
        // Which transaction made rows that were deleted is not known any more, once all snapshots see them.
        let knows_xmin = matches!(modify.command, CommandType::Insert | CommandType::Update);
        if target.transactions.contains(&XMIN) && !knows_xmin {
            return Err(types::Error::unsupported("xmin of rows that are deleted or merged"));
        }
        Ok(target)
    }

    /// `options` and `returning` are [`ModifyTable`]'s; `child` are the representations of the rows that it gets.
    pub fn new(
        compiler: &Compiler<'_>,
        scan: Scan,
        options: &[WithCheckOption],
        (returning, returned_rows): (&[TargetEntry], ReturningRows),
        child: &Arc<[Repr]>,
    ) -> types::Result<Target> {
        let Scan { table, relation } = scan;
        let columns = compiler.facts.columns(table)?;
        let reprs: Arc<[Repr]> = columns.iter().map(|column| column.repr).collect();
        let field = |column: &TableColumn| Field::new(&column.name, column.repr.arrow(), true);
        let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
        let own = Layout::default().with(relation, &reprs);
        let mut attributes = Vec::new();
        let conditions = compiler.facts.checks(table, relation)?;
        let calls = StoredCalls::new(compiler, table, &conditions)?;
        let checks = match &calls.checks {
            Ok(()) => checks_of(compiler, conditions, (relation, &own), &mut attributes)?,
            Err(_) => Vec::new(),
        };
        for option in options.iter().filter(|option| option.kind.is_of_new_rows()) {
            attributes_of(&option.condition, relation, &mut attributes);
        }
        let options = CheckOptions::compile(compiler, options, relation, &own)?;
        let mut before = Vec::new();
        let ReturningRows { old, new } = returned_rows;
        for target in returning {
            attributes_of(&target.expr, relation, &mut attributes);
            new.iter().for_each(|new| attributes_of(&target.expr, *new, &mut attributes));
            old.iter().for_each(|old| attributes_of(&target.expr, *old, &mut before));
        }
        // The row, its place and its table, the rows before and after, then the child's row.
        let mut layout = own.with_column(relation, CTID, Repr::Tid).with_column(relation, TABLE_OID, Repr::Oid);
        let transactions: Vec<i16> = [XMIN, XMAX].into_iter().filter(|xid| attributes.contains(xid)).collect();
        for &xid in &transactions {
            layout = layout.with_column(relation, xid, Repr::Oid);
        }
        for row in [old, new].into_iter().flatten() {
            layout = layout.with(row, &reprs).with_column(row, CTID, Repr::Tid).with_column(row, TABLE_OID, Repr::Oid);
        }
        let layout = layout.with(OUTER, child).with_computed(Expr::MergeAction, Repr::Text);
        let returning = match returning.is_empty() {
            true => None,
            false => Some(compiler.projection(returning, &layout)?),
        };
        Ok(Target {
            table,
            relation,
            returns_place: attributes.contains(&CTID) || before.contains(&CTID),
            named: places_of(&attributes, columns.len()),
            named_before: places_of(&before, columns.len()),
            columns,
            null_row: Batch::nulls(&reprs, 1),
            transactions,
            reprs,
            schema,
            checks,
            calls,
            options,
            given: Vec::new(),
            returning,
            returned_rows,
        })
    }

    /// Rows of NULLs.
    pub fn nulls(&self, rows: usize) -> Batch {
        if rows == 1 { self.null_row.clone() } else { Batch::nulls(&self.reprs, rows) }
    }

    /// RETURNING asks for rows as they were.
    pub fn returns_old(&self) -> bool {
        self.returned_rows.old.is_some()
    }

    /// A value for a column in the representation that the column has.
    pub fn column(&self, column: usize, values: &ArrayRef, from: Repr) -> Result<ArrayRef> {
        let column = &self.columns[column];
        match column.dropped {
            true => Ok(new_null_array(&column.repr.arrow(), values.len())),
            false => fit(values, from, column.repr),
        }
    }

    /// Rows as the table stores them.
    pub fn stored(&self, rows: &Batch) -> Result<RecordBatch> {
        let columns = self.columns.iter().zip(&rows.columns).map(|(column, values)| match column.padded {
            Some(_) => without_padding(values),
            None => values.clone(),
        });
        let options = RecordBatchOptions::new().with_row_count(Some(rows.rows));
        Ok(RecordBatch::try_new_with_options(self.schema.clone(), columns.collect(), &options)?)
    }

    /// Refuses rows that are not to be. Where that is a view's to say, it is said once the rows up to the one that is given are
    /// there.
    pub async fn check(&self, table: &Table, rows: &Batch, made: Made<'_>, run: &Run) -> Result<Option<Refusal>> {
        match self.violation(table, rows, made, run).await? {
            Some(refusal) if !refusal.is_late => Err(refusal.error.into()),
            refusal => Ok(refusal),
        }
    }

    /// The first row that a policy refuses, that has NULL in a column that has none, that a CHECK constraint says no to, or that
    /// a view would not show.
    pub async fn violation(&self, table: &Table, rows: &Batch, made: Made<'_>, run: &Run) -> Result<Option<Refusal>> {
        let policies = self.options.refused(made.kind(), rows, run).await?;
        let most = policies.as_ref().map_or(rows.rows, |(row, _)| *row);
        let mut first = None;
        for (at, (column, values)) in self.columns.iter().zip(&rows.columns).enumerate() {
            if !column.not_null || values.null_count() == 0 || !made.concerns(at) {
                continue;
            }
            let before = first.as_ref().map_or(most, |(row, _)| *row);
            if let Some(row) = (0..before).find(|&row| values.is_null(row)) {
                first = Some((row, Violated::NotNull(column)));
            }
        }
        if most > 0 && first.as_ref().is_none_or(|(row, _)| *row > 0) {
            self.calls.checks.clone()?;
        }
        let checks = self.checks.iter().map(|(name, condition)| (Violated::Check(name), condition));
        let views = self.options.of(CheckKind::View).filter(|_| made.are_there());
        let views = views.map(|option| (Violated::View(option), &option.condition));
        for (violated, condition) in checks.chain(views) {
            let before = first.as_ref().map_or(most, |(row, _)| *row);
            if let Some(row) = failed(condition, &rows.slice(0, before), run).await? {
                first = Some((row, violated));
            }
        }
        // The first row comes to the indexes before it comes to views.
        let is_stored = |(row, violated): &(usize, Violated<'_>)| *row > 0 || matches!(violated, Violated::View(_));
        if most > 0 && first.as_ref().is_none_or(is_stored) {
            self.calls.of_indexes(made)?;
        }
        let Some((row, violated)) = first else {
            return Ok(policies.map(|(row, error)| Refusal { row, error, is_late: false }));
        };
        let mut error = violated.error(table);
        error.detail = self.failing(table, rows, row, run)?;
        Ok(Some(Refusal { row, error, is_late: matches!(violated, Violated::View(_)) }))
    }

    /// Refuses rows that are there and that a view would not show.
    pub async fn check_shown(&self, table: &Table, rows: &Batch, run: &Run) -> Result<()> {
        match self.options.refused(CheckKind::View, rows, run).await? {
            Some((row, mut error)) => {
                error.detail = self.failing(table, rows, row, run)?;
                Err(error.into())
            }
            None => Ok(()),
        }
    }

    /// Refuses rows as they are that must not be changed.
    pub async fn check_existing(&self, kind: CheckKind, rows: &Batch, run: &Run) -> Result<()> {
        match self.options.refused(kind, rows, run).await? {
            Some((_, error)) => Err(error.into()),
            None => Ok(()),
        }
    }

    /// What the session's role may see of a row (`ExecBuildSlotValueDescription`).
    fn failing(&self, table: &Table, rows: &Batch, row: usize, run: &Run) -> Result<Option<String>> {
        let context = &run.environment().settings.write.context;
        let role = context.names.shown_columns(self.table);
        let is_shown = |at: &usize| match &role {
            ShownColumns::All => true,
            ShownColumns::Some(columns) => columns.contains(&(*at as i16 + 1)) || self.given.contains(at),
            ShownColumns::None => false,
        };
        let live = (0..self.columns.len()).filter(|&at| !self.columns[at].dropped);
        let shown: Vec<usize> = live.filter(is_shown).collect();
        if shown.is_empty() {
            return Ok(None);
        }
        let mut values = table.def.values_text(context, &self.stored(rows)?, row, &shown)?;
        values.iter_mut().for_each(clip);
        let names: Vec<&str> = shown.iter().map(|&at| &*self.columns[at].name).collect();
        let values = values.join(", ");
        Ok(Some(match role {
            ShownColumns::All => format!("Failing row contains ({values})."),
            _ => format!("Failing row contains ({}) = ({values}).", names.join(", ")),
        }))
    }

    /// Some columns of rows as a snapshot sees them; NULL in the others. Rows that it does not see are left out.
    pub async fn fetch(
        &self,
        table: &Arc<Table>,
        tids: &[Tid],
        columns: &[usize],
        snapshot: &Snapshot,
        run: &Run,
    ) -> Result<Batch> {
        let scan = TableScan::new(table, snapshot.clone(), columns.into());
        let read = Batch::from(scan.fetch(run.session(), tids, run.concurrency(table)).await?);
        let mut all = self.nulls(read.rows);
        for (&column, values) in columns.iter().zip(&read.columns) {
            all.columns[column] = match self.columns[column].padded {
                Some(length) => padded(values, length),
                None => values.clone(),
            };
        }
        Ok(all)
    }

    /// RETURNING's rows.
    pub async fn return_rows(&self, returned: Returned<'_>, run: &Run) -> Result<Option<Batch>> {
        let Some(returning) = &self.returning else { return Ok(None) };
        let count = returned.rows.rows;
        if count == 0 {
            return Ok(None);
        }
        let place: ArrayRef = match returned.tids.len() == count {
            true => crate::nodes::scan::tids_to_column(returned.tids.iter().copied()),
            false => arrow_array::new_null_array(&Repr::Tid.arrow(), count),
        };
        let table: ArrayRef = Arc::new(UInt32Array::from_value(self.table, count));
        let where_it_is = Batch::new(vec![place, table], count);
        let mut all = returned.rows.beside(where_it_is.clone());
        if !self.transactions.is_empty() {
            // Their lower halves, as PostgreSQL's are.
            let own = run.transaction().await.writer().transaction.xid as u32;
            let xid = |&attribute: &i16| if attribute == XMIN || returned.ended { own } else { 0 };
            let column = |attribute| Arc::new(UInt32Array::from_value(xid(attribute), count)) as ArrayRef;
            all = all.beside(Batch::new(self.transactions.iter().map(column).collect(), count));
        }
        let ReturningRows { old, new } = self.returned_rows;
        for row in [old.map(|_| returned.old), new.map(|_| returned.new)].into_iter().flatten() {
            all = match row {
                Some(row) => all.beside(row).beside(where_it_is.clone()),
                None => all.beside(self.nulls(count)).beside(Batch::nulls(&[Repr::Tid, Repr::Oid], count)),
            };
        }
        // MERGE's child has the action behind its own columns; no other command's expressions name it.
        returning.apply(all.beside(returned.child), run).await.map(Some)
    }
}

/// A row that is not to be.
#[derive(Clone)]
pub struct Refusal {
    pub row: usize,
    pub error: EngineError,
    /// A view says so, which is asked once the row is there.
    pub is_late: bool,
}

/// Rows that are to be.
#[derive(Clone, Copy)]
pub enum Made<'a> {
    Inserted,
    /// Whether they are inserted is not known yet (ON CONFLICT).
    Proposed,
    /// The other columns are as they were.
    Updated(&'a [usize]),
}

impl Made<'_> {
    /// What policies ask of them.
    fn kind(self) -> CheckKind {
        if let Made::Updated(_) = self { CheckKind::Update } else { CheckKind::Insert }
    }

    pub fn concerns(self, column: usize) -> bool {
        if let Made::Updated(columns) = self { columns.contains(&column) } else { true }
    }

    /// Will they be there, so that views are asked?
    fn are_there(self) -> bool {
        !matches!(self, Made::Proposed)
    }
}

/// What a row does not satisfy.
enum Violated<'a> {
    NotNull(&'a TableColumn),
    Check(&'a str),
    /// The check option of a view.
    View(&'a CheckOption),
}

impl Violated<'_> {
    fn error(&self, table: &Table) -> EngineError {
        let relation = &table.def.name;
        match self {
            Violated::NotNull(TableColumn { name, .. }) => {
                let message =
                    format!("null value in column \"{name}\" of relation \"{relation}\" violates not-null constraint");
                EngineError::new(sqlstate::NOT_NULL_VIOLATION, message).column(&table.def.schema, &table.def.name, name)
            }
            Violated::Check(name) => {
                let message = format!("new row for relation \"{relation}\" violates check constraint \"{name}\"");
                EngineError::new(sqlstate::CHECK_VIOLATION, message).constraint(
                    &table.def.schema,
                    &table.def.name,
                    name,
                )
            }
            Violated::View(option) => option.error(),
        }
    }
}

/// Long values are shown in part (`ExecBuildSlotValueDescription`).
fn clip(value: &mut String) {
    const MOST: usize = 64;
    if value.len() > MOST {
        value.truncate(value.floor_char_boundary(MOST));
        value.push_str("...");
    }
}

/// The columns that attributes are; the whole row is all.
pub fn places_of(attributes: &[i16], width: usize) -> Vec<usize> {
    if attributes.contains(&0) {
        return (0..width).collect();
    }
    attributes.iter().filter_map(|&at| usize::try_from(at - 1).ok()).collect()
}

/// The conditions of CHECK constraints, and the attributes that they name.
fn checks_of(
    compiler: &Compiler<'_>,
    checks: Vec<Check>,
    (relation, own): (RangeTableIndex, &Layout),
    attributes: &mut Vec<i16>,
) -> types::Result<Vec<(String, Filter)>> {
    let compile = |check: Check| {
        attributes_of(&check.condition, relation, attributes);
        Ok((check.name, compiler.filter(&[not_false(check.condition)], own)?))
    };
    checks.into_iter().map(compile).collect()
}

/// CHECK: unknown is no no.
fn not_false(condition: Expr) -> Expr {
    use analyze::query::{BooleanTest, BooleanTestKind, Location};
    let kind = BooleanTestKind::IsNotFalse;
    Expr::BooleanTest(Box::new(BooleanTest { argument: condition, kind, location: Location::NONE }))
}
