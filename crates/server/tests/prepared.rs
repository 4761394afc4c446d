//! Prepared statements that are executed again and again: nothing of one execution is in another one, whether it is open beside it, was
//! left half-read, failed, was cancelled, or had another plan. What single messages are answered is in `wire`.

#[path = "prepared/client.rs"]
mod client;
#[path = "prepared/play.rs"]
mod play;
#[path = "generated_joins/random.rs"]
#[allow(dead_code)] // It is generated_joins'.
mod random;
#[path = "prepared/statements.rs"]
mod statements;

use client::{Client, Rows};
use play::{Play, WAYS};
use random::Random;
use statements::{STATEMENTS, TABLES};
use testkit::Server;

const SEED: u64 = 56;

fn sorted(mut rows: Vec<String>) -> Vec<String> {
    rows.sort();
    rows
}

/// What fresh statements answer with each set of parameters.
fn answers(client: &mut Client) -> Vec<[Vec<String>; 3]> {
    STATEMENTS.iter().map(|statement| [0, 1, 2].map(|set| client.rows(&statement.text(set)))).collect()
}

#[test]
fn portals_are_read_by_turns() {
    let server = Server::start(&[]);
    Client::connect(server.port).rows(TABLES);
    let answers = answers(&mut Client::connect(server.port));
    for (number, way) in WAYS.iter().enumerate() {
        let mut client = Client::connect(server.port);
        if !way.is_empty() {
            client.rows(way);
        }
        for (number, statement) in STATEMENTS.iter().enumerate() {
            client.prepare(&Play::name(number), statement.sql);
        }
        let random = &mut Random::of(SEED, number as u64);
        let mut play = Play { client: &mut client, random, answers: &answers, way };
        // Executed before, and not.
        play.all();
        play.all();
    }
}

/// Statements that change rows, with a key and a small number.
const CHANGES: &[&str] = &[
    "insert into x values ($1::int, $2::int, 'i') returning id, n",
    "insert into x values ($1::int, $2::int, 'a'), ($1::int + 100, $2::int, 'b'), ($1::int + 200, 5, 'c') returning id",
    "insert into x select id + $1::int, n, v from x where n = $2::int and id < 40 returning id, v",
    "insert into x values ($1::int, $2::int, 'n') on conflict do nothing returning id",
    "insert into x as o values ($1::int, $2::int, 'u') on conflict (id) do update set n = o.n + excluded.n where o.n < 40 \
     returning id, n, v",
    "update x set n = n + $2::int where id = $1::int returning id, n",
    "update x set n = n - $2::int where id between $1::int and $1::int + 5",
    "update x set id = id + $2::int where id = $1::int returning id",
    "update x set v = s.v || '!' from (select id, v from x where id = $1::int) s where x.id = s.id + $2::int \
     and length(x.v) < 30 returning x.id, x.v",
    "update x set n = 60 / (id - $1::int) where n = $2::int returning id, n",
    "delete from x where id = $1::int and n <> $2::int returning *",
    "delete from x where id > $1::int + 100 and n = $2::int",
    "delete from x using (values ($1::int), ($1::int + 1)) w(i) where x.id = w.i and x.n > $2::int returning x.id",
    "with d as (delete from x where id = $1::int returning id, n) insert into x select id + 500, n + $2::int, 'm' from d \
     returning id, n",
    "select id, n from x where n = $2::int and id > $1::int order by id limit 3 for update",
    "select count(*), sum(n), sum(length(v)) from x where id <> $1::int and n <> $2::int",
];

/// Prepared statements change one table, fresh ones another: both answer alike, errors included, and have the same rows at last.
#[test]
fn prepared_changes_are_those_of_fresh_statements() {
    let server = Server::start(&[]);
    let mut sessions = ["one", "two"].map(|schema| {
        let mut client = Client::connect(server.port);
        client.rows(&format!("create schema {schema}; set search_path = {schema}"));
        client.rows("create table x(id int primary key, n int not null check (n > -20), v text); create index on x(n)");
        client.rows("insert into x select i, i % 9, 'v' || i from generate_series(1, 60, 2) i; analyze x");
        client
    });
    let [prepared, fresh] = &mut sessions;
    CHANGES.iter().enumerate().for_each(|(number, sql)| prepared.prepare(&number.to_string(), sql));
    let mut random = Random::of(SEED, 0);
    let mut failed = 0;
    for _ in 0..1500 {
        let (number, key, n) = (random.below(CHANGES.len()), random.below(60).to_string(), random.below(9).to_string());
        let text = CHANGES[number].replace("$1", &format!("'{key}'")).replace("$2", &format!("'{n}'"));
        let [found, known] = [prepared.run(&number.to_string(), &[&key, &n]), fresh.query(&text)];
        failed += usize::from(known.is_err());
        assert_eq!(found.map(|found| sorted(found.rows)), known.map(|known| sorted(known.rows)), "{text}");
    }
    assert!((50..750).contains(&failed), "{failed} errors");
    let [found, known] = sessions.each_mut().map(|session| session.rows("select * from x order by id"));
    assert_eq!(found, known);
}

/// Statements that end for 3 and never for a large number, and how they are planned.
const ENDLESS: &[(&str, &str)] = &[
    ("", "select count(*), sum(i) from generate_series(1, $1::bigint) i"),
    ("", "select i from generate_series(1, $1::bigint) i where i < 3 or i < 0"),
    ("", "select i from generate_series(1, $1::bigint) i offset $1::bigint - 1"),
    ("", "select i from generate_series(1, $1::bigint) i order by -i limit 2"),
    ("", "select i % 3, count(*) from generate_series(1, $1::bigint) i group by 1 order by 1"),
    ("set enable_hashagg = off", "select i % 3, count(*) from generate_series(1, $1::bigint) i group by 1 order by 1"),
    ("", "select distinct i % 2 from generate_series(1, $1::bigint) i order by 1"),
    ("", "select distinct on (i % 2) i % 2, i from generate_series(1, $1::bigint) i order by i % 2, i"),
    ("", "select max(r) from (select row_number() over (order by i) r from generate_series(1, $1::bigint) i) s"),
    ("", "select count(*) from t join generate_series(1, $1::bigint) i on i = t.id"),
    ("set enable_hashjoin = off", "select count(*) from t join generate_series(1, $1::bigint) i on i = t.id"),
    ("set enable_mergejoin = off", "select count(*) from generate_series(1, $1::bigint) i left join t on t.id = i % 9"),
    (
        "set enable_hashjoin = off; set enable_mergejoin = off",
        "select count(*) from generate_series(1, $1::bigint) i join t on t.id = i % 9",
    ),
    ("", "select count(*) from t, generate_series(1, $1::bigint) i where t.id + i < 5"),
    ("", "select count(*) from t where -id not in (select i from generate_series(1, $1::bigint) i)"),
    ("", "select count(*) from generate_series(1, $1::bigint) i where not exists (select from t where t.id = i)"),
    (
        "",
        "select id, (select count(*) from generate_series(1, $1::bigint) i where i <> id) from t where id < 4 order by id",
    ),
    (
        "",
        "select id, l.n from t, lateral (select count(*) n from generate_series(id, $1::bigint) i) l where id < 4 order by id",
    ),
    (
        "",
        "with x as materialized (select i from generate_series(1, $1::bigint) i) select count(*), (select max(i) from x) from x",
    ),
    (
        "",
        "with recursive r(n) as (select 1::bigint union all select n + 1 from r where n < $1::bigint) select count(*) from r",
    ),
    (
        "",
        "with recursive r(n) as (select 1::bigint union select n + 1 from r where n < $1::bigint) select max(n) from r",
    ),
    ("", "select count(*) from (select 1 union all select 2 from generate_series(1, $1::bigint)) s"),
    ("", "select i % 2 from generate_series(1, $1::bigint) i union select 7 order by 1"),
    ("", "select i % 2 from generate_series(1, $1::bigint) i except select 1 order by 1"),
    (
        "",
        "select i % 2, i % 3, count(*) from generate_series(1, $1::bigint) i group by grouping sets (1, 2) order by 1, 2",
    ),
    ("", "insert into n select i from generate_series(1, $1::bigint) i where i < 3 or i < 0 returning i"),
    (
        "",
        "update t set v = v + 1 where id < 3 and (select count(*) from generate_series(1, $1::bigint) i) > 0 returning id, v",
    ),
    (
        "",
        "with d as (delete from t where id in (select i % 3 from generate_series(1, $1::bigint) i) returning id) \
         select id from d order by id",
    ),
    ("", "select id from t, generate_series(1, $1::bigint) i where id < 2 and (i < 3 or i < 0) for update of t"),
    ("", "select pg_sleep(($1::bigint - 3)::float8), 'awake'"),
];
const FOR_EVER: &str = "1000000000000";

/// A cancelled execution leaves nothing to the next one, whichever node it was in, read at once or in a portal.
#[test]
fn cancelled_statements_are_right_afterwards() {
    let server = Server::start(&[]);
    let mut client = Client::connect(server.port);
    client.rows(
        "create table t(id int primary key, v int); insert into t select i, i from generate_series(1, 9) i; analyze t",
    );
    client.rows("create table n(i bigint)");
    for (settings, sql) in ENDLESS {
        let mut client = Client::connect(server.port);
        if !settings.is_empty() {
            client.rows(settings);
        }
        client.prepare("s", sql);
        let small = |client: &mut Client| {
            client.rows("begin");
            let outcome = client.run("s", &["3"]);
            client.rows("rollback");
            outcome.unwrap_or_else(|error| panic!("{settings} {sql}: {error}"))
        };
        let known = small(&mut client);
        assert!(!known.rows.is_empty(), "{sql}");
        for most in [0, 1000] {
            client.rows("begin");
            client.send_bind("p", "s", &[FOR_EVER]);
            client.send_execute("p", most);
            let outcome = client.cancelled();
            assert_eq!(outcome, Err("57014 canceling statement due to user request".to_string()), "{settings} {sql}");
            client.rows("rollback");
            assert_eq!(small(&mut client), known, "{settings} {sql}");
            assert_eq!(small(&mut client), known, "{settings} {sql}");
        }
    }
    assert_eq!(client.rows("select count(*), sum(v) from t"), ["9|45"]);
    assert_eq!(client.rows("select count(*) from n"), ["0"]);
}

/// A wait for a lock that is cancelled is a wait again in the next execution, and ends when the lock is free.
#[test]
fn cancelled_waits_for_locks_are_right_afterwards() {
    let server = Server::start(&[]);
    let (mut client, mut other) = (Client::connect(server.port), Client::connect(server.port));
    client.rows("create table t(id int primary key, v int); insert into t select i, i from generate_series(1, 3) i");
    client.prepare("s", "update t set v = v + $2::int where id = $1::int returning v");
    client.prepare("l", "select v from t where id >= $1::int order by id for update");
    other.rows("begin; update t set v = 20 where id = 2");
    for _ in 0..2 {
        assert_eq!(client.run("s", &["1", "0"]).unwrap().rows, ["1"]);
        client.send_bind("", "s", &["2", "5"]);
        client.send_execute("", 0);
        assert_eq!(client.cancelled(), Err("57014 canceling statement due to user request".to_string()));
        assert_eq!(client.run("l", &["3"]).unwrap().rows, ["3"]);
        client.send_bind("", "l", &["1"]);
        client.send_execute("", 0);
        assert_eq!(client.cancelled(), Err("57014 canceling statement due to user request".to_string()));
    }
    other.rows("commit");
    assert_eq!(client.run("s", &["2", "5"]).unwrap().rows, ["25"]);
    assert_eq!(client.run("l", &["1"]).unwrap().rows, ["1", "25", "3"]);
}

const LOCK_TIMEOUT: &str = "55P03 canceling statement due to lock timeout";
const NINE_ROWS: &str = "create table t(id int primary key, g int, v text); \
                         insert into t select i, i % 3, 'v' || i from generate_series(1, 9) i";

/// Prepares what reads a group of them, and executes it until its plan is kept.
fn prepare_readers(client: &mut Client) {
    client.prepare("s", "select id, v from t where g = $1::int order by id");
    client.prepare("all", "select * from t where g = $1::int order by id");
    for _ in 0..6 {
        assert_eq!(client.run("s", &["1"]).unwrap().rows, ["1|v1", "4|v4", "7|v7"]);
        assert_eq!(client.run("all", &["0"]).unwrap().rows.len(), 3);
    }
}

/// The next row of a portal.
fn read(client: &mut Client, portal: &str) -> String {
    client.fetch(portal, 1).unwrap().rows.concat()
}

/// The kept plan goes, and another comes, while a portal of it is open in a session and others change its table.
#[test]
fn plans_change_beside_open_portals() {
    let server = Server::start(&[]);
    let (mut client, mut other) = (Client::connect(server.port), Client::connect(server.port));
    other.rows(NINE_ROWS);
    prepare_readers(&mut client);

    // An index, statistics and rows come: the open portal has its plan and its snapshot, the next one others.
    client.rows("begin");
    client.bind("p", "s", &["1"]).unwrap();
    assert_eq!(read(&mut client, "p"), "1|v1");
    other.rows("create index t_g on t(g)");
    other.rows(
        "insert into t select i, 1 + i % 2, 'w' || i from generate_series(10, 900) i; delete from t where id = 4",
    );
    other.rows("analyze t");
    client.bind("q", "s", &["1"]).unwrap();
    assert_eq!(read(&mut client, "q"), "1|v1");
    assert_eq!(read(&mut client, "p"), "4|v4");
    assert_eq!(read(&mut client, "q"), "7|v7");
    assert_eq!(client.run("s", &["0"]).unwrap().rows, ["3|v3", "6|v6", "9|v9"]);
    assert_eq!(read(&mut client, "p"), "7|v7");
    assert_eq!(client.fetch("p", 1), Ok(Rows::default()));
    assert_eq!(read(&mut client, "q"), "10|w10");
    client.rows("commit");
    other.rows("delete from t where id > 9; insert into t values (4, 1, 'v4')");

    // The index goes, which waits for the portal that may use it.
    client.rows("begin; set local enable_seqscan = off");
    client.bind("p", "s", &["1"]).unwrap();
    assert_eq!(read(&mut client, "p"), "1|v1");
    other.rows("set lock_timeout = '10ms'");
    assert_eq!(other.query("drop index t_g").unwrap_err(), LOCK_TIMEOUT);
    assert_eq!(other.query("alter table t add column w int default 5").unwrap_err(), LOCK_TIMEOUT);
    assert_eq!(read(&mut client, "p"), "4|v4");
    client.rows("commit");
    other.rows("set lock_timeout = 0");
    other.rows("drop index t_g");
    assert_eq!(client.run("s", &["1"]).unwrap().rows, ["1|v1", "4|v4", "7|v7"]);
}

/// The table of a statement is altered, dropped and made anew between its executions.
#[test]
fn plans_change_between_executions() {
    let server = Server::start(&[]);
    let (mut client, mut other) = (Client::connect(server.port), Client::connect(server.port));
    other.rows(NINE_ROWS);
    prepare_readers(&mut client);

    // A column more, and one of another type: only what names its columns goes on.
    other.rows("alter table t add column w int default 5");
    assert_eq!(client.run("s", &["2"]).unwrap().rows, ["2|v2", "5|v5", "8|v8"]);
    assert_eq!(client.run("all", &["2"]).unwrap_err(), "0A000 cached plan must not change result type");
    other.rows("alter table t drop column w; alter table t alter v type varchar(10)");
    assert_eq!(client.run("s", &["2"]).unwrap_err(), "0A000 cached plan must not change result type");
    other.rows("alter table t alter v type text");
    for name in ["s", "all"] {
        assert_eq!(client.run(name, &["2"]).unwrap().rows.len(), 3);
    }

    // The table goes and comes again, first without, then with what the statement needs.
    other.rows("drop table t");
    assert_eq!(client.run("s", &["2"]).unwrap_err(), "42P01 relation \"t\" does not exist");
    other.rows("create table t(id int)");
    assert_eq!(client.run("s", &["2"]).unwrap_err(), "42703 column \"v\" does not exist");
    other.rows(
        "drop table t; create table t(v text, g bigint, id int); insert into t values ('new', 2, 5), ('old', 1, 6)",
    );
    assert_eq!(client.run("s", &["2"]).unwrap().rows, ["5|new"]);
    assert_eq!(client.run("all", &["2"]).unwrap_err(), "0A000 cached plan must not change result type");
    client.rows("begin");
    client.bind("p", "s", &["1"]).unwrap();
    assert_eq!(other.query("set lock_timeout = '10ms'; truncate t").unwrap_err(), LOCK_TIMEOUT);
    assert_eq!(read(&mut client, "p"), "6|old");
    client.rows("commit");
    other.rows("truncate t");
    assert_eq!(client.run("s", &["1"]), Ok(Rows::default()));
}

/// Bytes of memory that the server has to itself.
fn private(server: &Server) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.trim().strip_suffix("kB").unwrap().trim().parse::<usize>().unwrap() << 10
}

/// The first of 200,000 executions take what memory they need. The server may take more now and then; what an execution left behind
/// would make it do so always.
#[test]
fn executions_leave_no_memory_behind() {
    const PART: usize = 25_000;
    const TOGETHER: usize = 500;
    let server = Server::start(&[]);
    let mut client = Client::connect(server.port);
    client.rows(TABLES);
    let statements = [
        "select v from p where id = $1::int",
        "select p.id, c.id from p join c on c.p_id = p.id where p.id = $1::int order by c.id",
        "select count(*), sum(q) from c where p_id between $1::int and $1::int + 3",
        "select id, (select max(q) from c where p_id = p.id) from p where id = $1::int",
        "select 1 / (60 - $1::int)",
        "update p set n = n + 1 where id = $1::int",
    ];
    statements.iter().enumerate().for_each(|(number, sql)| client.prepare(&number.to_string(), sql));
    let mut executed = 0;
    let mut part = || {
        for _ in 0..PART / TOGETHER {
            for _ in 0..TOGETHER {
                let parameter = (1 + executed % 59).to_string();
                client.send_bind("", &(executed % statements.len()).to_string(), &[&parameter]);
                client.send_execute("", 0);
                executed += 1;
            }
            client.sync().unwrap();
            // One that fails, and a portal that is left half-read.
            client.run("4", &["60"]).unwrap_err();
            client.send_bind("half", "2", &["7"]);
            client.send_execute("half", 1);
            client.sync().unwrap();
        }
        private(&server)
    };
    let taken: Vec<usize> = (0..8).map(|_| part()).collect();
    let still = taken[3..].windows(2).filter(|pair| pair[1] < pair[0] + PART * 4).count();
    assert!(still >= 2, "{taken:?} bytes");
}

/// A session has 10,000 statements; each is its own.
#[test]
fn ten_thousand_prepared_statements_are_all_right() {
    const COUNT: usize = 10_000;
    let server = Server::start(&[]);
    let mut client = Client::connect(server.port);
    client
        .rows("create table t(id int primary key, v int); insert into t select i, i * 2 from generate_series(1, 50) i");
    let prepare = |client: &mut Client, number: usize, more: usize| {
        let sql = match number % 3 {
            0 => format!("select v + {number} + {more} from t where id = $1::int"),
            1 => format!("select sum(v) + {number} + {more} from t where id <= $1::int and id >= $1::int"),
            _ => format!("select $1::int * 2 + {number} + {more}"),
        };
        client.send_parse(&format!("s{number}"), &sql);
    };
    let right = |client: &mut Client, number: usize, more: usize| {
        let id = 1 + number % 50;
        client.send_bind("", &format!("s{number}"), &[&id.to_string()]);
        client.send_execute("", 0);
        (id * 2 + number + more).to_string()
    };
    let mut order: Vec<usize> = (0..COUNT).collect();
    let mut random = Random::of(SEED, 1);
    for at in 0..COUNT {
        order.swap(at, random.below(COUNT));
    }
    let check = |client: &mut Client, numbers: &[usize], more: usize| {
        for some in numbers.chunks(100) {
            let known: Vec<String> = some.iter().map(|number| right(client, *number, more)).collect();
            assert_eq!(client.sync().unwrap().rows, known);
        }
    };
    for some in order.chunks(100) {
        some.iter().for_each(|number| prepare(&mut client, *number, 0));
        client.sync().unwrap();
    }
    assert_eq!(client.rows("select count(*), count(distinct statement) from pg_prepared_statements"), ["10000|10000"]);
    for _ in 0..2 {
        check(&mut client, &order, 0);
        order.reverse();
    }
    // A change of the table makes all plans anew; names that are free again stand for other statements.
    client.rows("create index on t(v); analyze t");
    let (gone, kept) = order.split_at(COUNT / 4);
    gone.iter().for_each(|number| client.close_statement(&format!("s{number}")));
    check(&mut client, kept, 0);
    gone.iter().for_each(|number| prepare(&mut client, *number, 7));
    client.sync().unwrap();
    check(&mut client, gone, 7);
    check(&mut client, kept, 0);
    client.rows("deallocate all");
    assert_eq!(client.rows("select count(*) from pg_prepared_statements"), ["0"]);
}
