//! Sessions that define on one table at the same time: none of what was acknowledged is lost.
//!
//! * Every pair of commands that get on with each other's locks, or wait for them, one in a transaction that ends while the other one
//!   works or waits: the catalog has what both were told.
//! * Two to eight sessions with commands drawn from a seed. `INFLIGHT_DEFINITION_ROUNDS` says how many rounds (20);
//!   `INFLIGHT_DEFINITION_SEED` replays one.

use std::time::Duration;

use testkit::{Server, code};
use tokio_postgres::Client;

/// A command on `t`, which may be named a second time with `#` for another number.
struct Command {
    sql: &'static str,
    /// PostgreSQL refuses it in a transaction block.
    alone: bool,
    /// True once the command has taken place.
    holds: &'static str,
}

const fn command(sql: &'static str, holds: &'static str) -> Command {
    Command { sql, alone: false, holds }
}

const fn alone(sql: &'static str, holds: &'static str) -> Command {
    Command { sql, alone: true, holds }
}

/// SHARE, SHARE UPDATE EXCLUSIVE, ROW EXCLUSIVE and ACCESS SHARE; two that keep all others away for comparison.
const COMMANDS: [Command; 22] = [
    command(
        "create index i# on t(b)",
        "exists(select from pg_index where indexrelid = to_regclass('i#') and indisvalid)",
    ),
    command(
        "create unique index u# on t((a + 1))",
        "exists(select from pg_index where indexrelid = to_regclass('u#') and indisunique)",
    ),
    alone(
        "create index concurrently c# on t(b, a)",
        "exists(select from pg_index where indexrelid = to_regclass('c#') and indisvalid)",
    ),
    alone("drop index concurrently doomed#", "to_regclass('doomed#') is null"),
    alone("reindex index concurrently t_b", "(select indisvalid from pg_index where indexrelid = to_regclass('t_b'))"),
    command("reindex index t_b", "(select indisvalid from pg_index where indexrelid = to_regclass('t_b'))"),
    command("comment on table t is 'table #'", "obj_description('t'::regclass) like 'table %'"),
    command("comment on column t.b is 'column #'", "col_description('t'::regclass, 2) like 'column %'"),
    command("comment on index t_b is 'index #'", "obj_description('t_b'::regclass) like 'index %'"),
    command(
        "comment on constraint t_pkey on t is 'key #'",
        "(select obj_description(oid, 'pg_constraint') from pg_constraint where conname = 't_pkey') like 'key %'",
    ),
    command("alter index old# rename to new#", "to_regclass('new#') is not null and to_regclass('old#') is null"),
    command(
        "alter index t_b set (fillfactor = 7#)",
        "(select reloptions::text from pg_class where relname = 't_b') like '{fillfactor=7%}'",
    ),
    command(
        "alter table t set (fillfactor = 7#)",
        "(select reloptions::text from pg_class where oid = 't'::regclass) like '%fillfactor=7%'",
    ),
    command(
        "alter table t set (autovacuum_enabled = false)",
        "(select reloptions::text from pg_class where oid = 't'::regclass) like '%autovacuum_enabled=false%'",
    ),
    command("alter table t cluster on t_b", "(select indisclustered from pg_index where indexrelid = 't_b'::regclass)"),
    command("analyze t", "(select count(*) >= 3 from pg_stats where tablename = 't')"),
    alone("vacuum t", "(select relpages > 0 from pg_class where oid = 't'::regclass)"),
    command("insert into t values (1000#, 1, 'new')", "exists(select from t where a = 1000#)"),
    command("create view v# as select a, b from t", "to_regclass('v#') is not null"),
    command("create sequence s# owned by t.a", "pg_get_serial_sequence('t', 'a') is not null"),
    command(
        "alter table t add constraint k# check (a > -#)",
        "exists(select from pg_constraint where conname = 'k#' and conrelid = 't'::regclass)",
    ),
    command(
        "alter table t add column x# int default #",
        "exists(select from pg_attribute where attrelid = 't'::regclass and attname = 'x#')",
    ),
];

impl Command {
    fn sql(&self, number: usize) -> String {
        self.sql.replace('#', &number.to_string())
    }

    async fn assert_held(&self, client: &Client, number: usize, beside: &str) {
        let query = format!("select coalesce(({}), false)", self.holds.replace('#', &number.to_string()));
        let holds: bool = client.query_one(&query, &[]).await.unwrap().get(0);
        assert!(holds, "{} was acknowledged and is not there; beside it: {beside}", self.sql(number));
    }
}

async fn make_table(client: &Client) {
    client
        .batch_execute(
            "drop table if exists t cascade;
             create table t(a int primary key, b int, c text);
             insert into t select i, i % 10, 'value ' || i from generate_series(1, 200) i;
             create index t_b on t(b);
             create index doomed1 on t(c); create index doomed2 on t(c);
             create index old1 on t(c, a); create index old2 on t(c, b)",
        )
        .await
        .unwrap();
}

/// Waits until the session with this number of a process waits for a lock, or its statement has ended.
async fn wait_for_lock(watch: &Client, pid: i32, ended: impl Fn() -> bool) {
    while !ended() {
        let query = "select exists(select from pg_locks where pid = $1 and not granted)";
        if watch.query_one(query, &[&pid]).await.unwrap().get(0) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_pair_of_commands_loses_a_definition() {
    let server = Server::start(&[]);
    let (first, watch) = (server.connect().await, server.connect().await);
    let second = std::sync::Arc::new(server.connect().await);
    let pid: i32 = second.query_one("select pg_backend_pid()", &[]).await.unwrap().get(0);
    for a in COMMANDS.iter().filter(|a| !a.alone) {
        for b in &COMMANDS {
            make_table(&watch).await;
            first.batch_execute("begin").await.unwrap();
            first.batch_execute(&a.sql(1)).await.unwrap();
            let (client, sql) = (second.clone(), b.sql(2));
            let beside = tokio::spawn(async move { client.batch_execute(&sql).await });
            wait_for_lock(&watch, pid, || beside.is_finished()).await;
            first.batch_execute("commit").await.unwrap();
            beside.await.unwrap().unwrap_or_else(|error| panic!("{} beside {}: {error:?}", b.sql(2), a.sql(1)));
            a.assert_held(&watch, 1, &b.sql(2)).await;
            b.assert_held(&watch, 2, &a.sql(1)).await;
        }
    }
}

/// What takes SHARE gets on with itself alone; here both have read the definition before either commits.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_unique_key_made_beside_another_index_keeps_duplicates_out() {
    let server = Server::start(&[]);
    let (first, second) = (server.connect().await, server.connect().await);
    make_table(&first).await;
    for client in [&first, &second] {
        client.batch_execute("begin").await.unwrap();
    }
    first.batch_execute("create unique index u1 on t((a + 1))").await.unwrap();
    second.batch_execute("create index i2 on t(b)").await.unwrap();
    second
        .batch_execute("savepoint s; create index gone on t(c); rollback to s; create index i3 on t(c)")
        .await
        .unwrap();
    first.batch_execute("commit").await.unwrap();
    // The session in its transaction sees what the other one has made.
    let query =
        "select count(*) from pg_index where indexrelid in (to_regclass('u1'), to_regclass('i2'), to_regclass('i3'))";
    assert_eq!(second.query_one(query, &[]).await.unwrap().get::<_, i64>(0), 3);
    second.batch_execute("commit").await.unwrap();
    for client in [&first, &second] {
        assert_eq!(client.query_one(query, &[]).await.unwrap().get::<_, i64>(0), 3);
        let error = client.batch_execute("insert into t select 1000 + i, 1, '' from unnest(array[1, 1]) i").await;
        assert_eq!(code(&error.unwrap_err()), "23505");
    }
    first.batch_execute("checkpoint").await.unwrap();
}

/// xorshift: the same commands for the same seed, whatever the machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }
}

/// What a session was told that there is.
async fn define(client: Client, mut random: Random, own: usize) -> Vec<String> {
    let mut told = Vec::new();
    for number in 0..3 {
        let name = format!("x{own}_{number}");
        let sql = match random.below(6) {
            0 => format!("create unique index {name} on t(a)"),
            1 => format!("create index concurrently {name} on t(b)"),
            2 => format!("create view {name} as select * from t"),
            3 => format!("begin; comment on table t is '{name}'; create index {name} on t(c); commit"),
            4 => format!("analyze t; create index {name} on t(b, c)"),
            _ => format!("create index {name} on t(c)"),
        };
        match client.batch_execute(&sql).await {
            Ok(()) => told.push(name),
            // Two that wait for each other's ends; PostgreSQL has these, too.
            Err(error) => {
                assert_eq!(code(&error), "40P01", "{sql}: {error:?}");
                client.batch_execute("rollback").await.unwrap();
                // CREATE INDEX CONCURRENTLY leaves one behind that is not valid.
                client.batch_execute(&format!("drop index if exists {name}")).await.unwrap();
            }
        }
    }
    told
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sessions_that_define_at_once_lose_nothing() {
    let variable = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let rounds = variable("INFLIGHT_DEFINITION_ROUNDS").unwrap_or(20);
    let first = variable("INFLIGHT_DEFINITION_SEED").unwrap_or(1);
    let server = Server::start(&[]);
    for seed in first..first + rounds {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let client = server.connect().await;
        client.batch_execute("drop database if exists round").await.unwrap();
        client.batch_execute("create database round").await.unwrap();
        let watch = server.connect_to("round").await.unwrap();
        make_table(&watch).await;
        let sessions = 2 + random.below(7);
        let mut work = tokio::task::JoinSet::new();
        for own in 0..sessions {
            let client = server.connect_to("round").await.unwrap();
            work.spawn(define(client, Random(seed << 8 | own as u64 | 1 << 40), own));
        }
        let told = work.join_all().await.concat();
        for name in &told {
            let query = format!(
                "select exists(select from pg_class c left join pg_index i on i.indexrelid = c.oid
                 where c.oid = to_regclass('{name}') and (i.indisvalid or c.relkind = 'v'))"
            );
            let exists: bool = watch.query_one(&query, &[]).await.unwrap().get(0);
            assert!(exists, "seed {seed}: {name} was acknowledged and is not there");
        }
        drop(watch);
        client.batch_execute("checkpoint").await.unwrap();
        drop_database(&client).await;
        // What a lost definition left in memory could not be written any more.
        client.batch_execute("checkpoint").await.unwrap();
    }
}

/// Its sessions are on their way out.
async fn drop_database(client: &Client) {
    for _ in 0..500 {
        match client.batch_execute("drop database round").await {
            Ok(()) => return,
            Err(error) => assert_eq!(code(&error), "55006", "{error:?}"),
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("sessions of the dropped database do not end");
}

/// A relation that others do not see yet has the name of its schema in its definition.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_schema_keeps_its_name_while_a_relation_comes_into_it() {
    let server = Server::start(&[]);
    let (first, watch) = (server.connect().await, server.connect().await);
    let second = std::sync::Arc::new(server.connect().await);
    let pid: i32 = second.query_one("select pg_backend_pid()", &[]).await.unwrap().get(0);
    for column in ["b serial", "b int generated always as identity", "b int unique"] {
        first.batch_execute("create schema s1; create table s1.t(a int)").await.unwrap();
        first.batch_execute(&format!("begin; alter table s1.t add column {column}")).await.unwrap();
        let client = second.clone();
        let rename = tokio::spawn(async move { client.batch_execute("alter schema s1 rename to s2").await });
        wait_for_lock(&watch, pid, || rename.is_finished()).await;
        first.batch_execute("commit").await.unwrap();
        rename.await.unwrap().unwrap();
        let query = "select count(*) filter (where relnamespace <> 's2'::regnamespace), count(*) from pg_class
            where relkind in ('r', 'S', 'i') and relname ~ '^t(_b_|$)'";
        let row = watch.query_one(query, &[]).await.unwrap();
        assert_eq!((row.get::<_, i64>(0), row.get::<_, i64>(1)), (0, 2), "{column}");
        watch.batch_execute("drop schema s2 cascade").await.unwrap();
        let query = "select count(*) from pg_depend where pg_describe_object(classid, objid, objsubid) is null";
        assert_eq!(watch.query_one(query, &[]).await.unwrap().get::<_, i64>(0), 0, "{column}");
    }
}
