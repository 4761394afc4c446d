//! Just enough of an executor to run SELECT over VALUES: every expression in it goes through this room.

mod sub_links;

use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};

use analyze::query::*;
use analyze::{Parameters, Statement, analyze};
use arrow_array::{Array, ArrayRef};
use catalog::Catalog;
use expression::wait::{self, Batch, Lasting, Rows, filter_async};
use expression::{Execution, ExprState, Folding, Input, Selection, compile, fold, representation};
use sub_links::Plans;
use types::base_type::base_type;
use types::session::Wait;
use types::{ColumnBuilder, Context, Datum, Error, Oid, Repr, Result};

pub struct Runner {
    /// Expressions are simplified before they are compiled.
    pub folded: bool,
    plans: Mutex<Plans>,
}

const CATALOG: Catalog<'static> = Catalog::BUILT_IN;

/// Parameters of a statement at most.
const PARAMETERS: usize = 200;

/// The rows of one entry of a range table.
struct Entry<'a> {
    runner: &'a Runner,
    relation: RangeTableIndex,
    reprs: Vec<Repr>,
}

impl Input for Entry<'_> {
    fn variable(&self, var: &Var) -> Result<(usize, Repr)> {
        assert!(var.relation == self.relation && var.levels_up == 0, "{var:?}");
        let column = var.attribute as usize - 1;
        Ok((column, self.reprs[column]))
    }

    fn sub_plan_type(&self, plan: usize) -> Result<TypeRef> {
        let plans = self.runner.plans.lock().unwrap();
        let first = plans.queries[plan].visible_targets().next().map(|target| target.expr.ty());
        Ok(first.unwrap())
    }
}

#[derive(Clone, Default)]
pub struct Table {
    pub columns: Vec<ArrayRef>,
    pub reprs: Vec<Repr>,
    pub types: Vec<Oid>,
    pub rows: usize,
}

/// All rows in one batch.
struct Once(Option<Batch>);

impl Rows for Once {
    fn next(&mut self) -> Wait<'_, Option<Batch>> {
        Box::pin(std::future::ready(Ok(self.0.take())))
    }
}

impl wait::Runner for Runner {
    fn run<'a>(&'a self, plan: &'a SubPlan, execution: Execution) -> Wait<'a, Box<dyn Rows + 'a>> {
        let query = self.plans.lock().unwrap().queries[plan.plan].clone();
        let table = self.run(&query, &execution);
        let rows = table.map(|table| {
            let batch = Batch { columns: table.columns, rows: table.rows };
            Box::new(Once(Some(batch))) as Box<dyn Rows>
        });
        Box::pin(std::future::ready(rows))
    }

    fn lasting(&self, _: &SubPlan) -> Lasting {
        Lasting::Parameters
    }

    fn looks_up(&self, _: &SubPlan) -> bool {
        true
    }

    fn looks_up_together(&self, plan: &SubPlan) -> bool {
        matches!(plan.kind, SubLinkKind::Scalar | SubLinkKind::Exists)
    }

    fn look_up<'a>(
        &'a self,
        plan: &'a SubPlan,
        execution: &'a Execution,
        values: Vec<ArrayRef>,
        rows: usize,
    ) -> Wait<'a, Option<Vec<wait::LookedUp>>> {
        let query = self.plans.lock().unwrap().queries[plan.plan].clone();
        let find = |row: usize| {
            let parameters = values.iter().map(|column| column.slice(row, 1));
            let table = self.run(&query, &execution.with(plan.parameters.iter().copied().zip(parameters))).ok()?;
            let owners = vec![row as u32; table.rows];
            Some(wait::LookedUp { batch: Batch { columns: table.columns, rows: table.rows }, owners })
        };
        Box::pin(std::future::ready(Ok((0..rows).map(find).collect())))
    }

    fn init_plan<'a>(&'a self, parameter: u32, _: &'a Execution) -> Wait<'a, ()> {
        panic!("no init plan {parameter}")
    }
}

/// Nothing here waits for anything.
fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut std::task::Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("it waits"),
    }
}

/// The user that has run the statements that are recorded.
#[derive(Debug)]
struct Superuser;

impl types::session::Session for Superuser {
    fn database(&self) -> Result<String> {
        Ok("postgres".into())
    }

    fn search_path(&self, _: bool) -> Result<Vec<String>> {
        Ok(vec!["public".into()])
    }

    fn current_user(&self) -> Result<String> {
        Ok("postgres".into())
    }

    fn current_role(&self) -> Result<Oid> {
        Ok(10)
    }

    fn session_user(&self) -> Result<String> {
        Ok("postgres".into())
    }
}

pub fn execution() -> Execution {
    let context = Context { session: Arc::new(Superuser), ..Context::default() };
    Execution::new(Arc::new(context)).with_parameters(PARAMETERS)
}

impl Runner {
    pub fn new(folded: bool) -> Runner {
        Runner { folded, plans: Mutex::default() }
    }

    fn compile(&self, expr: &Expr, input: &dyn Input, execution: &Execution) -> Result<ExprState> {
        let folding = Folding { catalog: CATALOG, execution, bound: false, estimate: false };
        let mut expr = if self.folded { fold(expr.clone(), &folding)? } else { expr.clone() };
        self.plans.lock().unwrap().plan(&mut expr);
        compile(&expr, input, CATALOG)
    }

    pub fn run(&self, query: &Query, execution: &Execution) -> Result<Table> {
        let one = Table { rows: 1, ..Table::default() };
        let (relation, from) = match query.join_tree.from.as_slice() {
            [] => (RangeTableIndex(1), one),
            [JoinTree::Relation(relation)] => match &query.entry(*relation).kind {
                RangeTableKind::Subquery(inner) => (*relation, self.run(inner, execution)?),
                RangeTableKind::Values { rows } => (*relation, self.values(rows, query, *relation, execution)?),
                RangeTableKind::Result => (*relation, one),
                other => panic!("{other:?}"),
            },
            _ => panic!("one table at most"),
        };
        let input = Entry { runner: self, relation, reprs: from.reprs.clone() };
        let from = self.filtered(query, from, &input, execution)?;
        let mut table = Table { rows: from.rows, ..Table::default() };
        for target in query.visible_targets() {
            let state = self.compile(&target.expr, &input, execution)?;
            // As a column of a table: numeric(p,s) is a decimal.
            let state = state.into_repr(representation(CATALOG, target.expr.ty())?)?;
            let values = ready(state.evaluate_async(&from.columns, from.rows, execution, self))?;
            table.columns.push(expression::to_column(&values, from.rows)?);
            table.reprs.push(state.repr());
            table.types.push(target.expr.ty().oid);
        }
        Ok(table)
    }

    /// Conditions that AND combines, one by one.
    fn filtered(&self, query: &Query, from: Table, input: &Entry<'_>, execution: &Execution) -> Result<Table> {
        let Some(condition) = &query.join_tree.condition else { return Ok(from) };
        let conditions = match condition {
            Expr::BoolExpr(e) if e.operator == BoolOperator::And => e.arguments.as_slice(),
            condition => std::slice::from_ref(condition),
        };
        let states = conditions.iter().map(|condition| self.compile(condition, input, execution));
        let states = states.collect::<Result<Vec<_>>>()?;
        Ok(match ready(filter_async(&states, &from.columns, from.rows, execution, self))? {
            Selection::All => from,
            Selection::None => Table { columns: from.columns.iter().map(|c| c.slice(0, 0)).collect(), rows: 0, ..from },
            Selection::Some(rows) => {
                let columns = from.columns.iter().map(|column| arrow_select::filter::filter(column, &rows).unwrap());
                Table { columns: columns.collect(), rows: rows.true_count(), ..from }
            }
        })
    }

    fn values(
        &self,
        rows: &[Vec<Expr>],
        query: &Query,
        relation: RangeTableIndex,
        execution: &Execution,
    ) -> Result<Table> {
        let types: Vec<TypeRef> = query.entry(relation).columns.iter().map(|column| column.ty).collect();
        let reprs = types.iter().map(|ty| representation(CATALOG, *ty)).collect::<Result<Vec<_>>>()?;
        let mut builders: Vec<_> = reprs.iter().map(|repr| ColumnBuilder::new(*repr, rows.len())).collect();
        let input = Entry { runner: self, relation, reprs: Vec::new() };
        for row in rows {
            for ((value, builder), repr) in row.iter().zip(&mut builders).zip(&reprs) {
                let state = self.compile(value, &input, execution)?.into_repr(*repr)?;
                builder.push(&Datum::of(&state.evaluate_column(&[], 1, execution)?, 0));
            }
        }
        Ok(Table {
            columns: builders.into_iter().map(ColumnBuilder::finish).collect(),
            types: types.iter().map(|ty| ty.oid).collect(),
            reprs,
            rows: rows.len(),
        })
    }
}

pub fn analyzed(text: &str) -> Result<Query> {
    let parsed = syntax::parse(text).map_err(|report| Error::new("42601", report.message.to_string()))?;
    let context = Context::default();
    let statement = Statement::new(CATALOG, &CATALOG, &context, "postgres", Parameters::variable(&[]));
    let mut analyzed = analyze(&statement, &parsed[0])?;
    Ok(std::mem::replace(&mut analyzed.query, Query::new(CommandType::Select)))
}

/// The rows of a statement, as texts of records.
pub fn rows(text: &str, runner: &Runner) -> Result<Vec<String>> {
    let (query, execution) = (analyzed(text)?, execution());
    let table = runner.run(&query, &execution)?;
    (0..table.rows).map(|row| record(&table, row)).collect()
}

fn record(table: &Table, row: usize) -> Result<String> {
    let mut fields = Vec::new();
    for ((column, repr), ty) in table.columns.iter().zip(&table.reprs).zip(&table.types) {
        if column.is_null(row) {
            fields.push(String::new());
            continue;
        }
        let column: ArrayRef = match repr {
            Repr::Decimal { .. } => {
                let decimals = column.as_any().downcast_ref().unwrap();
                Arc::new(types::decimal::to_numeric(decimals))
            }
            _ => column.clone(),
        };
        let mut text = Vec::new();
        let base = base_type(*ty).ok_or_else(|| Error::unsupported(format_args!("type {ty}")))?;
        (base.output)(&Context::default(), &column, row, &mut text)?;
        let text = String::from_utf8(text).unwrap();
        let quoted = text.is_empty() || text.contains(|c: char| "\"\\(),".contains(c) || c.is_ascii_whitespace());
        fields.push(match quoted {
            true => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\"\"")),
            false => text,
        });
    }
    Ok(format!("({})", fields.join(",")))
}
