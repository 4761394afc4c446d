//! A database with two tables, and plans made by hand.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use aio::{IoMethod, block_on};
use analyze::query::*;
use arrow_array::Array;
use catalog::Catalog;
use engine::{Backend, ColumnDef, ColumnType, Database, IndexColumn, IndexDef, OpenOptions, TableDef, Transaction};
use executor::{Batch, EngineTables, Environment, ExecPlan, Settings, SharedTransaction};
use expression::Execution;
use plan::plan::*;
use types::{Datum, Oid, oid};

pub const INT4_EQ: (Oid, Oid) = (96, 65);
pub const INT4_LT: (Oid, Oid) = (97, 66);
pub const INT4_GT: (Oid, Oid) = (521, 147);
pub const INT4_PLUS: (Oid, Oid) = (551, 177);
pub const COUNT: Oid = 2803;
pub const SUM_INT4: Oid = 2108;

pub struct Fixture {
    _dir: tempfile::TempDir,
    pub db: Database,
    pub backend: Arc<Backend>,
    /// `t(id int4 primary key, g int4, s char(3))` and `u(id int4, t_id int4, n numeric(8,2))` with an index on t_id.
    pub t: Arc<TableDef>,
    pub u: Arc<TableDef>,
    /// `v(id int4, t_id int4, s text)` without an index: it can be loaded in bulk.
    pub v: Arc<TableDef>,
}

fn without_waits<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    for _ in 0..1 << 20 {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return output;
        }
    }
    panic!("the synchronous method waits")
}

const INT4: ColumnType = ColumnType::of(oid::INT4);

fn table(db: &Database, name: &str, columns: &[(&str, ColumnType, bool)], key: usize, unique: bool) -> TableDef {
    let column = |&(name, ty, not_null): &(&str, ColumnType, bool)| ColumnDef { not_null, ..ColumnDef::new(name, ty) };
    let key = vec![IndexColumn::of(key)];
    let index = IndexDef {
        unique,
        primary: unique,
        constraint: unique,
        ..IndexDef::new(db.new_oid(), &format!("{name}_key"), key)
    };
    let columns = columns.iter().map(column).collect();
    TableDef { indexes: vec![index], ..TableDef::new(db.new_oid(), (catalog::PUBLIC, name), 10, columns) }
}

impl Fixture {
    pub fn new() -> Fixture {
        let dir = tempfile::tempdir().unwrap();
        let options = OpenOptions {
            root: dir.path().into(),
            overrides: vec![("shared_buffers".into(), "16MB".into()), ("io_max_concurrency".into(), "16".into())],
            method: Some(IoMethod::Sync),
            wal_segment_size: None,
            skip_checkpoint_flushes: false,
        };
        let db = without_waits(Database::open(options)).unwrap();
        let backend = db.activity().enter(aio::BackendKind::Client, None, None, None, None).unwrap();
        let t = [("id", INT4, true), ("g", INT4, false), ("s", ColumnType::built_in(oid::BPCHAR, 4 + 3), false)];
        let u = [
            ("id", INT4, false),
            ("t_id", INT4, false),
            ("n", ColumnType::built_in(oid::NUMERIC, 4 + (8 << 16 | 2)), false),
        ];
        let (t, u) = (Arc::new(table(&db, "t", &t, 0, true)), Arc::new(table(&db, "u", &u, 1, false)));
        let v = [("id", INT4, false), ("t_id", INT4, false), ("s", ColumnType::of(oid::TEXT), false)];
        let v = Arc::new(TableDef { indexes: vec![], ..table(&db, "v", &v, 0, false) });
        let mut transaction = Transaction::new(&db, &backend);
        block_on(db.engine(), async {
            let id = storage::RelationId { database: 5, file: v.file };
            transaction.create_files(id).unwrap();
            transaction.alter_table(5, None, TableDef::clone(&v));
            for def in [&t, &u] {
                let id = storage::RelationId { database: 5, file: def.file };
                transaction.create_files(id).unwrap();
                let bare = TableDef { indexes: vec![], ..TableDef::clone(def) };
                let bare = db.table(5, &Arc::new(bare)).unwrap();
                let options = write_options();
                bare.build_index(&mut transaction, &def.indexes[0], &options).await.unwrap();
                transaction.alter_table(5, None, TableDef::clone(def));
            }
            transaction.commit(engine::Durability::Asynchronous).await.unwrap();
        });
        Fixture { _dir: dir, db, backend, t, u, v }
    }

    pub fn tables(&self) -> EngineTables {
        EngineTables { database: self.db.clone(), oid: 5, catalog: self.db.catalog() }
    }

    /// A transaction for statements.
    pub fn begin(&self) -> SharedTransaction {
        self.begin_as(&self.backend)
    }

    pub fn begin_as(&self, backend: &Arc<Backend>) -> SharedTransaction {
        let transaction = SharedTransaction::default();
        transaction.lend(Transaction::new(&self.db, backend));
        transaction
    }

    pub fn commit(&self, transaction: &SharedTransaction) {
        block_on(self.db.engine(), async {
            let transaction = transaction.reclaim().expect("it is open");
            transaction.commit(engine::Durability::Asynchronous).await.unwrap();
        });
    }

    pub fn environment(&self, transaction: &SharedTransaction) -> Environment {
        let snapshot = block_on(self.db.engine(), async {
            let mut transaction = transaction.lock().await;
            transaction.next_command();
            transaction.snapshot()
        });
        Environment {
            database: self.db.clone(),
            backend: self.backend.clone(),
            transaction: transaction.clone(),
            snapshot,
            tables: Arc::new(self.tables()),
            objects: None,
            search_path: Arc::from([11, 2200]),
            execution: Execution::default(),
            settings: Settings {
                work_mem: 4 << 20,
                participants: 1,
                parallel_workers: 0,
                concurrency: storage::Concurrency::Auto,
                write: write_options(),
            },
            first_rows: None,
        }
    }

    pub fn prepare(&self, plan: Plan, sub_plans: Vec<Plan>, parameters: Vec<TypeRef>) -> Arc<ExecPlan> {
        self.prepare_modifying(plan, sub_plans, parameters, vec![])
    }

    /// Some of the sub plans change rows.
    pub fn prepare_modifying(
        &self,
        plan: Plan,
        sub_plans: Vec<Plan>,
        parameters: Vec<TypeRef>,
        modifying: Vec<usize>,
    ) -> Arc<ExecPlan> {
        let planned = PlannedStmt {
            command: CommandType::Select,
            plan,
            sub_plans,
            parameters,
            range_table: vec![],
            has_rows: true,
            modifying,
            relations: vec![],
            named: vec![],
            custom: false,
        };
        Arc::new(ExecPlan::prepare(&planned, Catalog::BUILT_IN, &self.tables()).unwrap())
    }

    /// Runs a plan in a transaction: its rows as texts, and how many rows it has changed.
    pub fn run_in(
        &self,
        transaction: &SharedTransaction,
        plan: &Arc<ExecPlan>,
    ) -> executor::Result<(Vec<String>, u64)> {
        let environment = self.environment(transaction);
        block_on(self.db.engine(), async {
            let mut query = plan.start(environment)?;
            let mut rows = Vec::new();
            while let Some(batch) = query.next().await? {
                assert!(batch.rows > 0);
                rows.extend((0..batch.rows).map(|row| text(&batch, row)));
            }
            Ok((rows, query.processed()))
        })
    }

    /// The rows of a plan that has no sub plans.
    pub fn rows(&self, plan: Plan) -> Vec<String> {
        let transaction = self.begin();
        let rows = self.run_in(&transaction, &self.prepare(plan, vec![], vec![])).unwrap().0;
        self.commit(&transaction);
        rows
    }

    /// Runs a plan that changes rows, and commits.
    pub fn change(&self, plan: Plan) -> executor::Result<(Vec<String>, u64)> {
        let transaction = self.begin();
        let result = self.run_in(&transaction, &self.prepare(plan, vec![], vec![]));
        block_on(self.db.engine(), async {
            let transaction = transaction.reclaim().expect("it is open");
            match result.is_ok() {
                true => transaction.commit(engine::Durability::Asynchronous).await.unwrap(),
                false => transaction.rollback().await,
            }
        });
        result
    }
}

pub async fn run(plan: &Arc<ExecPlan>, environment: Environment) -> executor::Result<(Vec<String>, u64)> {
    let mut query = plan.start(environment)?;
    let mut rows = Vec::new();
    while let Some(batch) = query.next().await? {
        assert!(batch.rows > 0);
        rows.extend((0..batch.rows).map(|row| text(&batch, row)));
    }
    Ok((rows, query.processed()))
}

fn write_options() -> engine::WriteOptions {
    engine::WriteOptions {
        lock_timeout: 1000,
        maintenance_work_mem: 1 << 20,
        maintenance_workers: 0,
        concurrency: storage::Concurrency::Auto,
        context: Arc::default(),
        temporary: Default::default(),
    }
}

/// A row as psql shows it without alignment.
fn text(batch: &Batch, row: usize) -> String {
    let value = |column: &arrow_array::ArrayRef| match Datum::of(column, row) {
        Datum::Null => String::new(),
        Datum::Bool(v) => String::from(if v { "t" } else { "f" }),
        Datum::I16(v) => v.to_string(),
        Datum::I32(v) => v.to_string(),
        Datum::I64(v) => v.to_string(),
        Datum::U32(v) => v.to_string(),
        Datum::I128(v) => format!("{v}e"),
        Datum::Text(v) => v.to_string(),
        Datum::Bytes(v) if column.data_type() == &arrow_schema::DataType::Binary => {
            types::numeric::bytes::from_bytes(&v).to_string()
        }
        other => format!("{other:?}"),
    };
    batch.columns.iter().map(value).collect::<Vec<_>>().join("|")
}

pub fn column(relation: RangeTableIndex, attribute: i16, ty: Oid) -> Expr {
    let ty = TypeRef::of(ty);
    Expr::Var(Var { relation, attribute, ty, collation: Collation::NONE, levels_up: 0, location: Location::NONE })
}

pub fn outer(attribute: i16) -> Expr {
    column(OUTER, attribute, oid::INT4)
}

pub fn inner(attribute: i16) -> Expr {
    column(INNER, attribute, oid::INT4)
}

pub fn int(value: i32) -> Expr {
    Expr::Const(Const { ty: TypeRef::of(oid::INT4), value: Datum::I32(value), location: Location::NONE })
}

pub fn string(value: &str, ty: Oid) -> Expr {
    Expr::Const(Const { ty: TypeRef::of(ty), value: Datum::text(value), location: Location::NONE })
}

pub fn op((operator, function): (Oid, Oid), left: Expr, right: Expr) -> Expr {
    let result = if operator == INT4_PLUS.0 { oid::INT4 } else { oid::BOOL };
    let (arguments, location) = (vec![left, right], Location::NONE);
    Expr::OpExpr(OpExpr { operator, function, result, collation: oid::INVALID, arguments, location })
}

pub fn param(number: u32) -> Expr {
    let ty = TypeRef::of(oid::INT4);
    Expr::Param(Param { kind: ParamKind::Exec, number, ty, location: Location::NONE })
}

pub fn aggregate(function: Oid, result: Oid, arguments: Vec<Expr>) -> Aggref {
    Aggref {
        function,
        result: TypeRef::of(result),
        direct_arguments: vec![],
        arguments_shown: arguments.len(),
        star: arguments.is_empty(),
        arguments,
        order: vec![],
        order_written: 0,
        distinct: false,
        presorted: false,
        filter: None,
        variadic: false,
        levels_up: 0,
        location: Location::NONE,
    }
}

pub fn node(node: Node, targets: Vec<Expr>) -> Plan {
    let target = |(expr, number): (Expr, i16)| TargetEntry::new(expr, number, String::new());
    Plan {
        node,
        targets: targets.into_iter().zip(1..).map(target).collect(),
        conditions: vec![],
        cost: Cost { rows: 1.0, ..Cost::default() },
        init_plans: vec![],
    }
}

/// Rows of constants.
pub fn values(rows: Vec<Vec<Expr>>) -> Plan {
    let relation = RangeTableIndex(9);
    let targets = rows[0].iter().zip(1..).map(|(e, at)| column(relation, at, e.ty().oid)).collect();
    node(Node::ValuesScan { relation, rows }, targets)
}

pub fn sort(child: Plan, keys: &[(i16, bool)]) -> Plan {
    let targets = child.types().zip(1..).map(|(ty, at)| column(OUTER, at, ty.oid)).collect();
    let key =
        |&(column, descending): &(i16, bool)| SortKey { column, operator: 0, descending, nulls_first: descending };
    node(Node::Sort { child: Box::new(child), keys: keys.iter().map(key).collect() }, targets)
}
