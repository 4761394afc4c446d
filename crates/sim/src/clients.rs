//! What the clients do: random statements on a table with a key, transfers between accounts, pgbench's transaction, tables
//! made and dropped, commits that do not wait for the disk; and the server's own work beside them. Every answer is compared
//! with the model.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use ::error::sqlstate;
use access::progress::{Command, Progress};
use access::vacuum::{CostDelay, Vacuum};
use aio::{BackendKind, Random};
use engine::{Backend, Database, Durability, EngineError, Result, Savepoint, Table, Transaction, VacuumOptions};
use txn::{LockMode, LockTag, Snapshot, Xid};
use wal::CommitDelay;

use crate::definitions::{DEFINED, INDEXES};
use crate::draws;
use crate::model::{Changes, Doubt, Model, Row, Rows, compare, with_own};
use crate::table;

pub const KEYED: &str = "kv";
pub const BANK: &str = "bank";
pub const BANK_ACCOUNTS: i32 = 8;
pub const BANK_BALANCE: i32 = 1000;
pub const JOURNAL: &str = "journal";
pub const LOADS: &str = "loads";
const KEYS: i64 = 40;

/// pgbench's tables, and how many rows they begin with.
pub const PGBENCH: [(&str, i32); 4] = [("branches", 1), ("tellers", 3), ("accounts", 20), ("history", 0)];

/// What the tasks of one life share.
pub struct World {
    pub db: Database,
    pub random: Rc<Random>,
    pub model: Rc<RefCell<Model>>,
    /// Errors of the disk are to be expected.
    pub faulty: Cell<bool>,
    /// Commits are called durable that are not: a planted bug.
    pub early_ack: bool,
    /// Readers are told what is not durable: another.
    pub early_tell: bool,
    /// Blocks count as all-visible that are not: another.
    pub early_visible: bool,
    /// VACUUM gives slots of rows free that a transaction needs: another.
    pub early_reuse: bool,
    /// Blocks at a table's end go that recovery needs: another.
    pub early_cut: bool,
    /// A definition is put as the session saw it, whatever others have made of it meanwhile: another.
    pub stale_definitions: bool,
    /// Added columns are known by numbers that others had, which a rollback took back: another.
    pub reused_numbers: bool,
    /// Files of tables go before the transaction that drops these has committed: another.
    pub early_removal: bool,
    pub stopping: Cell<bool>,
    pub clients: Cell<usize>,
    pub problem: RefCell<Option<String>>,
    pub next: Rc<Cell<i32>>,
    /// The greatest value of the sequence that a client was told.
    pub told: Rc<Cell<i64>>,
}

impl World {
    /// Something is as it must not be.
    pub fn object(&self, problem: String) {
        self.problem.borrow_mut().get_or_insert(problem);
    }

    pub fn is_over(&self) -> bool {
        self.stopping.get() || self.problem.borrow().is_some() || self.db.failure().is_some()
    }

    pub fn fresh(&self) -> i32 {
        self.next.set(self.next.get() + 1);
        self.next.get()
    }

    fn note(&self) -> Option<Rc<str>> {
        match self.random.below(20) {
            0 | 1 => None,
            2 => Some("n".repeat(self.random.below(30_000) as usize).into()),
            // Out of line, and in several levels at times.
            3 => Some(self.incompressible(self.random.below(9000)).into()),
            4 if self.random.below(5) == 0 => Some(self.incompressible(self.random.below(200_000)).into()),
            // In line, and more than a page takes of all keys: pages are split, and put together again.
            5..=8 => Some(self.incompressible(self.random.below(1500)).into()),
            _ => Some("m".repeat(self.random.below(30) as usize).into()),
        }
    }

    fn incompressible(&self, bytes: u64) -> String {
        const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        let mut text = String::with_capacity(bytes as usize + 10);
        while (text.len() as u64) < bytes {
            let chosen = self.random.below(1 << 60);
            text.extend((0..10).map(|at| char::from(LETTERS[(chosen >> (6 * at)) as usize & 63])));
        }
        text
    }

    fn durability(&self) -> Durability {
        if self.early_ack {
            return Durability::Asynchronous;
        }
        let delay = match self.random.below(4) {
            0 => CommitDelay::Fixed(self.random.below(500_000)),
            _ => CommitDelay::Auto,
        };
        Durability::Durable { delay, siblings: 1 }
    }

    pub async fn pause(&self, most_us: u64) {
        let time = Duration::from_micros(self.random.below(most_us + 1));
        self.db.engine().sleep(time).await;
    }

    pub fn backend(&self, kind: BackendKind) -> Arc<Backend> {
        self.db.activity().enter(kind, None, None, None, None).expect("there are sessions for all tasks")
    }
}

/// A transaction and what the model must know of it.
pub struct Work<'a> {
    pub world: &'a World,
    backend: &'a Arc<Backend>,
    pub t: Box<Transaction>,
    pub own: Changes,
    doubt: Doubt,
    /// REPEATABLE READ: everything as it was when the transaction began.
    kept: Option<std::collections::BTreeMap<String, Rc<Rows>>>,
    savepoints: Vec<(Savepoint, Changes)>,
    /// Transactions that had ended when it began, if it is to see no others.
    began: u64,
    /// What the client learns from the transaction's end: the keys it has tried to change, and how many had ended by then.
    tried: Vec<(String, i32, u64)>,
}

impl<'a> Work<'a> {
    pub fn begin(world: &'a World, backend: &'a Arc<Backend>, repeatable: bool) -> Work<'a> {
        let mut t = Transaction::new(&world.db, backend);
        let kept = repeatable.then(|| {
            t.set_repeatable(true);
            t.next_command();
            world.model.borrow().tables.clone()
        });
        let (own, doubt, began) = (Changes::new(), Doubt::default(), world.model.borrow().position());
        Work { world, backend, t, own, doubt, kept, savepoints: vec![], began, tried: vec![] }
    }

    /// How many transactions have ended that a statement sees which begins now.
    fn position(&self) -> u64 {
        if self.kept.is_some() { self.began } else { self.world.model.borrow().position() }
    }

    /// Tells the client what a table has, or one key of it, as it was when so many had ended.
    async fn tell(&self, name: &str, key: Option<i32>, position: u64) -> Result<()> {
        if !self.world.early_tell {
            self.world.db.flush_before_reply(self.backend).await?;
        }
        self.world.model.borrow_mut().told_of(name, key, position);
        Ok(())
    }

    /// What was committed for a statement that begins now.
    pub fn visible(&self, name: &str) -> Rc<Rows> {
        match &self.kept {
            Some(kept) => kept.get(name).cloned().unwrap_or_default(),
            None => self.world.model.borrow().rows(name),
        }
    }

    /// A snapshot for a statement that only reads, what it sees of a table, and how many have ended by that.
    fn look(&mut self, name: &str) -> (Snapshot, Rc<Rows>, u64) {
        let (visible, position) = (self.visible(name), self.position());
        if self.world.random.percent(50) {
            return (self.t.snapshot(), visible, position);
        }
        let snapshot = self.t.read_snapshot();
        let (visible, position) = match snapshot.limit() {
            Some(limit) => self.world.model.borrow().durable_rows(name, limit),
            None => (visible, position),
        };
        (snapshot, visible, position)
    }

    fn own(&self, rows: &Rows, name: &str, key: i32) -> Option<Row> {
        self.own.get(&(name.to_string(), key)).cloned().unwrap_or_else(|| rows.get(&key).cloned())
    }

    /// What a statement that begins now must see of a key.
    fn expected(&self, name: &str, key: i32) -> Option<Row> {
        self.own(&self.visible(name), name, key)
    }

    /// What is there now, this transaction's own changes included.
    fn now(&self, name: &str, key: i32) -> Option<Row> {
        self.own(&self.world.model.borrow().rows(name), name, key)
    }

    pub async fn open(&mut self, name: &str, mode: LockMode) -> Result<Arc<Table>> {
        let table = table::open(&mut self.t, name, mode).await?;
        table.ok_or_else(|| EngineError::new(sqlstate::UNDEFINED_TABLE, format!("relation \"{name}\" does not exist")))
    }

    async fn check_all(&mut self, name: &str) -> Result<()> {
        let table = self.open(name, LockMode::AccessShare).await?;
        self.t.next_command();
        let (snapshot, visible, position) = self.look(name);
        let expected = with_own(&visible, name, &self.own);
        let random = &self.world.random;
        if !table.indexes.is_empty() && random.percent(20) {
            let rows = table::select_covered(self.backend, &table, snapshot, random.percent(50)).await?;
            if !table::is_covered(&rows, &expected) {
                let (have, wanted) = (rows.len(), expected.len());
                self.world.object(format!("an index-only scan of {name}: {have} rows, expected {wanted}, or others"));
            }
            return self.tell(name, None, position).await;
        }
        let (found, how) = if table.indexes.is_empty() || random.percent(50) {
            (table::select_all(self.backend, &table, snapshot).await?, "a scan")
        } else if random.percent(40) {
            let bytes = random.below(4000) as usize;
            (table::select_bitmap(self.backend, &table, snapshot, bytes).await?, "a bitmap")
        } else {
            let mut cuts: Vec<i32> = (0..random.below(5)).map(|_| random.range(0, KEYS) as i32).collect();
            cuts.sort_unstable();
            let backward = random.percent(50);
            (table::select_ranges(self.backend, &table, snapshot, &cuts, backward).await?, "an index scan")
        };
        if let Err(problem) = compare(name, &expected, &found) {
            self.world.object(format!("{how}: {problem}"));
        }
        self.tell(name, None, position).await
    }

    async fn check_key(&mut self, name: &str, key: i32) -> Result<()> {
        let table = self.open(name, LockMode::AccessShare).await?;
        self.t.next_command();
        let (snapshot, visible, position) = self.look(name);
        let expected = self.own(&visible, name, key);
        let found = table::select_key(self.backend, &table, snapshot, key).await?;
        if found.as_ref().map(|(_, row)| row) != expected.as_ref() {
            self.world.object(format!("a look at key {key}: {found:?}, expected {expected:?}"));
        }
        self.tell(name, Some(key), position).await
    }

    /// INSERT of a key that may be there: then the error is taken back, and the transaction goes on.
    async fn insert(&mut self, name: &str, key: i32, row: Row) -> Result<()> {
        let table = self.open(name, LockMode::RowExclusive).await?;
        let savepoint = self.t.savepoint();
        match table::insert(&mut self.t, &table, &[(key, row.clone())]).await {
            Ok(()) => {
                if self.now(name, key).is_some() {
                    self.world.object(format!("table {name}: key {key} could be inserted twice"));
                }
                if self.kept.is_some() && self.expected(name, key).is_some() {
                    // Another transaction has deleted the key since: this transaction would see both rows, in PostgreSQL too.
                    return self.t.roll_back_to(&savepoint).await;
                }
                self.own.insert((name.into(), key), Some(row));
                Ok(())
            }
            Err(error) if error.code == sqlstate::UNIQUE_VIOLATION => {
                if self.now(name, key).is_none() {
                    self.world.object(format!("table {name}: key {key} is called a duplicate and is not there"));
                }
                let position = self.world.model.borrow().position();
                self.t.roll_back_to(&savepoint).await?;
                self.tell(name, Some(key), position).await
            }
            Err(error) => Err(error),
        }
    }

    pub async fn change(&mut self, name: &str, key: i32, change: impl Fn(&Row) -> Option<Row>) -> Result<bool> {
        let table = self.open(name, LockMode::RowExclusive).await?;
        let (expected, position) = (self.expected(name, key), self.position());
        match table::change_key(&mut self.t, self.backend, &table, key, change).await? {
            Some((seen, new)) => {
                let now = self.now(name, key);
                if now.as_ref() != Some(&seen) || (self.kept.is_some() && expected.as_ref() != Some(&seen)) {
                    self.world.object(format!("table {name}, key {key}: changed {seen:?}, which is {now:?} now"));
                }
                self.own.insert((name.into(), key), new);
                self.tried.push((name.into(), key, self.world.model.borrow().position()));
                Ok(true)
            }
            None => {
                self.tried.push((name.into(), key, position));
                if expected.is_some() && self.kept.is_some() {
                    self.world.object(format!("table {name}: key {key} was not found"));
                }
                Ok(false)
            }
        }
    }

    /// Ends the transaction as its statements went; gives whether it committed.
    pub async fn end(self, outcome: Result<()>, commit: bool) -> bool {
        let Work { world, t, own, mut doubt, backend, tried, .. } = self;
        let tell_tried = || {
            let mut model = world.model.borrow_mut();
            tried.iter().for_each(|(name, key, position)| model.told_of(name, Some(*key), *position));
        };
        match outcome {
            Err(error) => {
                let expected =
                    matches!(error.code, sqlstate::T_R_SERIALIZATION_FAILURE | sqlstate::T_R_DEADLOCK_DETECTED)
                        || world.db.failure().is_some()
                        || (world.faulty.get()
                            && matches!(error.code, sqlstate::IO_ERROR | sqlstate::DISK_FULL | sqlstate::SYSTEM_ERROR));
                if !expected {
                    world.object(format!("a statement failed: {} {error}", error.code));
                }
                t.rollback().await;
                false
            }
            Ok(()) if !commit => {
                t.rollback().await;
                if world.db.flush_before_reply(backend).await.is_ok() {
                    tell_tried();
                }
                false
            }
            Ok(()) => {
                doubt.changes = own;
                let committed = Self::commit(world, t, doubt).await;
                if committed.is_ok() {
                    tell_tried();
                }
                if let Err(error) = &committed
                    && world.db.failure().is_none()
                    && !world.faulty.get()
                {
                    world.object(format!("COMMIT failed: {} {error}", error.code));
                }
                committed.is_ok()
            }
        }
    }

    async fn commit(world: &World, t: Box<Transaction>, doubt: Doubt) -> Result<()> {
        if t.xid().is_none() {
            return t.commit(world.durability()).await;
        }
        let number = world.model.borrow_mut().doubt(doubt);
        let committing = match t.precommit(world.durability()).await {
            Ok(committing) => committing,
            Err(error) => {
                if world.db.failure().is_none() {
                    world.model.borrow_mut().record_outcome(number, false);
                }
                return Err(error);
            }
        };
        let has_ended = committing.has_ended();
        world.model.borrow_mut().logged(number, has_ended, committing.lsn());
        let position = world.model.borrow().position();
        let committed = committing.finish().await;
        let mut model = world.model.borrow_mut();
        match has_ended {
            true if committed.is_ok() => {
                model.commits += 1;
                model.told(position);
            }
            false if world.db.failure().is_none() || committed.is_ok() => {
                model.record_outcome(number, committed.is_ok())
            }
            _ => {}
        }
        committed
    }
}

/// The tables that all lives have, made in one transaction.
pub async fn set_up(world: &World) {
    let backend = world.backend(BackendKind::Client);
    if world.model.borrow().tables.contains_key(KEYED) {
        return;
    }
    let mut work = Work::begin(world, &backend, false);
    let outcome = async {
        draws::create(&mut work.t).await?;
        let row = |value| Row { value, note: None };
        for (name, rows, value, indexed) in [
            (KEYED, 0, 0, true),
            (BANK, BANK_ACCOUNTS, BANK_BALANCE, true),
            (JOURNAL, 0, 0, false),
            (DEFINED, 5, 0, false),
            (LOADS, 0, 0, world.random.percent(70)),
        ]
        .into_iter()
        .chain(PGBENCH.map(|(name, rows)| (name, rows, 0, rows > 0)))
        {
            let table = table::create(&mut work.t, name, indexed.then(|| included(world))).await?;
            let rows: Vec<(i32, Row)> = (0..rows).map(|key| (key, row(value))).collect();
            table::insert(&mut work.t, &table, &rows).await?;
            work.doubt.created.insert(name.into());
            work.own.extend(rows.into_iter().map(|(key, row)| ((name.to_string(), key), Some(row))));
        }
        work.doubt.created.insert(INDEXES.into());
        Ok(())
    };
    let outcome = outcome.await;
    work.end(outcome, true).await;
}

/// What a new table's index includes.
fn included(world: &World) -> Vec<usize> {
    if world.random.percent(40) { vec![1] } else { vec![] }
}

/// A client.
pub async fn run(world: Rc<World>) {
    let backend = world.backend(BackendKind::Client);
    while !world.is_over() {
        world.pause(300).await;
        match world.random.below(100) {
            0..=49 => keyed(&world, &backend).await,
            50..=69 => transfer(&world, &backend).await,
            70..=86 => pgbench(&world, &backend).await,
            87..=91 => loads(&world, &backend).await,
            _ => tables(&world, &backend).await,
        }
    }
    world.clients.set(world.clients.get() - 1);
}

/// Random statements on the table with a key.
async fn keyed(world: &World, backend: &Arc<Backend>) {
    let random = &world.random;
    let mut work = Work::begin(world, backend, random.percent(40));
    let outcome = async {
        for _ in 0..=random.below(8) {
            let key = random.range(0, KEYS) as i32;
            match random.below(100) {
                0..=7 => work.check_all(KEYED).await?,
                8..=9 => work.check_all(LOADS).await?,
                10..=24 => work.check_key(KEYED, key).await?,
                25..=54 => {
                    let row = Row { value: world.fresh(), note: world.note() };
                    work.insert(KEYED, key, row).await?;
                }
                55..=74 => {
                    let new = Row { value: world.fresh(), note: world.note() };
                    work.change(KEYED, key, |_| Some(new.clone())).await?;
                }
                75..=84 => {
                    work.change(KEYED, key, |_| None).await?;
                }
                85..=88 => {
                    let table = work.open(KEYED, LockMode::RowShare).await?;
                    table::lock_key(&mut work.t, backend, &table, key).await?;
                }
                89..=93 => work.savepoints.push((work.t.savepoint(), work.own.clone())),
                94..=97 if !work.savepoints.is_empty() => {
                    let at = random.below(work.savepoints.len() as u64) as usize;
                    work.savepoints.truncate(at + 1);
                    let (savepoint, own) = work.savepoints[at].clone();
                    work.t.roll_back_to(&savepoint).await?;
                    work.own = own;
                }
                _ => world.pause(500).await,
            }
        }
        Ok(())
    };
    let outcome = outcome.await;
    work.end(outcome, random.percent(80)).await;
}

/// Moves money; the sum stays.
async fn transfer(world: &World, backend: &Arc<Backend>) {
    let random = &world.random;
    let mut work = Work::begin(world, backend, random.percent(30));
    let outcome = async {
        let from = random.below(BANK_ACCOUNTS as u64) as i32;
        let to = (from + 1 + random.below(BANK_ACCOUNTS as u64 - 1) as i32) % BANK_ACCOUNTS;
        let amount = random.range(1, 50) as i32;
        let add = |amount: i32| move |row: &Row| Some(Row { value: row.value + amount, note: row.note.clone() });
        work.change(BANK, from, add(-amount)).await?;
        if random.percent(20) {
            world.pause(300).await;
        }
        work.change(BANK, to, add(amount)).await?;
        if random.percent(20) {
            work.check_all(BANK).await?;
        }
        Ok(())
    };
    let outcome = outcome.await;
    work.end(outcome, random.percent(90)).await;
}

/// pgbench's transaction.
async fn pgbench(world: &World, backend: &Arc<Backend>) {
    let random = &world.random;
    let mut work = Work::begin(world, backend, false);
    let outcome = async {
        let delta = random.range(-5000, 5000) as i32;
        for (name, rows) in [PGBENCH[2], PGBENCH[1], PGBENCH[0]] {
            let key = random.below(rows as u64) as i32;
            work.change(name, key, |row| Some(Row { value: row.value + delta, note: row.note.clone() })).await?;
            if name == "accounts" {
                work.check_key(name, key).await?;
            }
        }
        let table = work.open("history", LockMode::RowExclusive).await?;
        let (key, row) = (world.fresh(), Row { value: delta, note: world.note() });
        table::insert(&mut work.t, &table, &[(key, row.clone())]).await?;
        work.own.insert(("history".into(), key), Some(row));
        Ok(())
    };
    let outcome = outcome.await;
    work.end(outcome, true).await;
}

/// Makes a table with rows in it, few or a bulk load, or drops one.
async fn tables(world: &World, backend: &Arc<Backend>) {
    let random = &world.random;
    let mut work = Work::begin(world, backend, false);
    let outcome = async {
        let extra: Vec<String> = world
            .model
            .borrow()
            .tables
            .keys()
            .filter(|name| name.starts_with('t') && *name != "tellers")
            .cloned()
            .collect();
        if extra.len() > 3 || (!extra.is_empty() && random.percent(40)) {
            let name = &extra[random.below(extra.len() as u64) as usize];
            if random.percent(30) {
                return work
                    .check_all(name)
                    .await
                    .or_else(|e| if e.code == sqlstate::UNDEFINED_TABLE { Ok(()) } else { Err(e) });
            }
            // Another may have dropped it first.
            if let Some(table) = table::open(&mut work.t, name, LockMode::AccessExclusive).await? {
                table::drop_table(&mut work.t, &table, world.early_removal).await?;
                work.doubt.dropped.insert(name.clone());
            }
            return Ok(());
        }
        let name = format!("t{}", world.fresh());
        let table = table::create(&mut work.t, &name, random.percent(50).then(|| included(world))).await?;
        let count = if random.percent(10) { 1200 } else { random.below(30) as i32 };
        let rows: Vec<(i32, Row)> = (0..count)
            .map(|key| (key, Row { value: world.fresh(), note: (key % 7 == 0).then(|| world.note()).flatten() }))
            .collect();
        table::insert(&mut work.t, &table, &rows).await?;
        work.doubt.created.insert(name.clone());
        work.own.extend(rows.into_iter().map(|(key, row)| ((name.clone(), key), Some(row))));
        Ok(())
    };
    let outcome = outcome.await;
    work.end(outcome, random.percent(80)).await;
}

/// Loads rows into a table, few or in bulk, or changes or deletes some or all there are: blocks at its end come and go, and a
/// page has rows of several commands here and there.
async fn loads(world: &World, backend: &Arc<Backend>) {
    let random = &world.random;
    let mut work = Work::begin(world, backend, false);
    let outcome = async {
        if random.percent(50) {
            let table = work.open(LOADS, LockMode::Exclusive).await?;
            return change_loads(&mut work, backend, &table, None).await;
        }
        let table = work.open(LOADS, LockMode::RowExclusive).await?;
        let count = if random.percent(50) { 1001 + random.below(1000) } else { random.below(20) };
        let mut rows: Vec<(i32, Row)> =
            (0..count).map(|_| (world.fresh(), Row { value: world.fresh(), note: None })).collect();
        // No other transaction takes a key away while this one has the table.
        let taken = with_own(&work.visible(LOADS), LOADS, &work.own).keys().next_back().copied();
        if let Some(taken) = taken
            && !table.indexes.is_empty()
            && random.percent(15)
        {
            rows.insert(random.below(count + 1) as usize, (taken, Row { value: world.fresh(), note: None }));
            let savepoint = work.t.savepoint();
            match table::insert(&mut work.t, &table, &rows).await {
                Ok(()) => world.object(format!("{LOADS}: key {taken} could be loaded twice")),
                Err(error) if error.code == sqlstate::UNIQUE_VIOLATION => return work.t.roll_back_to(&savepoint).await,
                Err(error) => return Err(error),
            }
        }
        table::insert(&mut work.t, &table, &rows).await?;
        let keys: BTreeSet<i32> = rows.iter().map(|(key, _)| *key).collect();
        work.own.extend(rows.into_iter().map(|(key, row)| ((LOADS.to_string(), key), Some(row))));
        // What makes room on a page that is the load's alone, for a rollback empties it.
        if random.percent(40) {
            change_loads(&mut work, backend, &table, Some(&keys)).await?;
        }
        if random.percent(20) {
            work.check_all(LOADS).await?;
        }
        Ok(())
    };
    let outcome = outcome.await;
    work.end(outcome, random.percent(75)).await;
}

/// Changes or deletes some rows a few times, and takes some of that back. With `among` only these, which no other client
/// sees; without, all that are there, while others are kept away.
async fn change_loads(
    work: &mut Work<'_>,
    backend: &Arc<Backend>,
    table: &Arc<Table>,
    among: Option<&BTreeSet<i32>>,
) -> Result<()> {
    let (world, random) = (work.world, &work.world.random);
    for _ in 0..=random.below(3) {
        let before = random.percent(25).then(|| (work.t.savepoint(), work.own.clone()));
        let apart = 1 + random.below(9) as i32;
        let is_chosen = |key: i32| key % apart == 0 && among.is_none_or(|among| among.contains(&key));
        let new = random.percent(50).then(|| Row { value: world.fresh(), note: world.note() });
        let expected = with_own(&work.visible(LOADS), LOADS, &work.own);
        let found = table::change_many(&mut work.t, backend, table, is_chosen, new.as_ref()).await?;
        if among.is_none() && found != expected {
            world.object(format!("a change finds {} rows of {LOADS}, not {}", found.len(), expected.len()));
        }
        let chosen = found.into_keys().filter(|key| is_chosen(*key));
        work.own.extend(chosen.map(|key| ((LOADS.to_string(), key), new.clone())));
        if let Some((savepoint, own)) = before {
            work.t.roll_back_to(&savepoint).await?;
            work.own = own;
        }
    }
    Ok(())
}

/// Commits that do not wait for the disk: after a crash the last of them may be gone, but none from among them.
pub async fn journal(world: Rc<World>) {
    let backend = world.backend(BackendKind::Client);
    while !world.is_over() {
        world.pause(2000).await;
        let mut t = Transaction::new(&world.db, &backend);
        let key = world.model.borrow().journal.len() as i32;
        let inserted = async {
            let Some(table) = table::open(&mut t, JOURNAL, LockMode::RowExclusive).await? else {
                return Err(EngineError::new(sqlstate::UNDEFINED_TABLE, "there is no journal"));
            };
            table::insert(&mut t, &table, &[(key, Row { value: key, note: None })]).await
        };
        let outcome = inserted.await;
        let outcome = match outcome {
            Ok(()) => t.commit(Durability::Asynchronous).await,
            Err(error) => {
                t.rollback().await;
                Err(error)
            }
        };
        match outcome {
            Ok(()) => {
                let count = {
                    let mut model = world.model.borrow_mut();
                    model.journal.push(key);
                    model.journal.len()
                };
                if world.random.percent(20) {
                    // From here on it is durable if the log is: a flush that ends tells.
                    let (log, lsn) = (world.db.log().clone(), world.db.log().insert_position());
                    if log.flush_to(&backend.io, lsn).await.is_ok() {
                        let mut model = world.model.borrow_mut();
                        model.journal_durable = model.journal_durable.max(count);
                    }
                }
            }
            Err(_) if world.faulty.get() || world.db.failure().is_some() => {}
            Err(error) => world.object(format!("the journal: {} {error}", error.code)),
        }
    }
    world.clients.set(world.clients.get() - 1);
}

/// Checkpoints and vacuum, whenever, and a pool that shrinks and grows.
pub async fn maintain(world: Rc<World>) {
    let backend = world.backend(BackendKind::Client);
    let pages = world.db.store().pool.len();
    while !world.is_over() {
        world.pause(20_000).await;
        // The smallest is too small to be made smaller.
        if pages > 64 && world.random.percent(50) {
            let fewer = pages / 2 + world.random.below(pages as u64 / 2 + 1) as usize;
            world.db.store().pool.resize(fewer).await;
        }
        let outcome = match world.random.below(3) {
            0 => world.db.checkpoint().await,
            _ => vacuum(&world, &backend).await,
        };
        if let Err(error) = outcome
            && !world.faulty.get()
            && world.db.failure().is_none()
        {
            world.object(format!("maintenance failed: {} {error}", error.code));
        }
    }
    world.clients.set(world.clients.get() - 1);
}

/// A table and its index alone have the same keys.
async fn check_index(world: &World, backend: &Backend, table: &Arc<Table>, snapshot: Snapshot) -> Result<()> {
    if table.indexes.is_empty() {
        return Ok(());
    }
    let rows = table::select_all(backend, table, snapshot.clone()).await?;
    let covered = table::select_covered(backend, table, snapshot, world.random.percent(50)).await?;
    if !table::is_covered(&covered, &rows) {
        let (name, have, rows) = (&table.def.name, covered.len(), rows.len());
        world.object(format!("after VACUUM of {name} the index alone has {have} of {rows} rows, or others"));
    }
    Ok(())
}

async fn vacuum_table(world: &World, t: &Transaction, table: &Table) -> Result<()> {
    let mut by = Vacuum {
        session: t.backend.io.clone(),
        concurrency: storage::Concurrency::Auto,
        cost: CostDelay::default(),
        ring: None,
        memory: 0,
        horizon: world.early_reuse.then_some(Xid::MAX),
        progress: Arc::new(Progress::new(Command::Vacuum, 0)),
    };
    let options = VacuumOptions { all_pages: world.random.percent(20), ..VacuumOptions::default() };
    table.vacuum(&mut by, options).await?;
    if world.random.percent(40) {
        world.db.checkpoint().await?;
    }
    let tag = LockTag::Relation { database: table.database, oid: table.def.oid };
    if world.random.percent(60) && t.try_lock(tag, LockMode::AccessExclusive)? {
        let newest = if world.early_cut { u64::MAX } else { world.db.redo_position() };
        let removed = world.db.truncate_end(table, &mut by, newest, || world.random.percent(5)).await?;
        world.model.borrow_mut().blocks_cut += u64::from(removed);
        t.unlock(tag, LockMode::AccessExclusive);
    }
    Ok(())
}

async fn vacuum(world: &World, backend: &Arc<Backend>) -> Result<()> {
    let name = [KEYED, BANK, "accounts", "tellers", "history", LOADS, LOADS][world.random.below(7) as usize];
    let mut t = Transaction::new(&world.db, backend);
    let outcome = match table::open(&mut t, name, LockMode::ShareUpdateExclusive).await {
        Ok(Some(table)) => {
            if world.early_visible {
                let visibility = table.heap().relation.visibility();
                (0..table.blocks()).for_each(|block| visibility.propose(block));
                visibility.set_proposed();
            }
            let vacuumed = vacuum_table(world, &t, &table).await;
            world.pause(2_000).await;
            match vacuumed {
                Ok(()) => check_index(world, backend, &table, t.snapshot()).await,
                Err(error) => Err(error),
            }
        }
        Ok(None) => Ok(()),
        Err(error) => Err(error),
    };
    t.rollback().await;
    outcome
}
