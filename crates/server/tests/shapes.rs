//! Statements that share a plan with others of their shape answer as those that are analyzed and planned for themselves: the
//! same statements both ways, on two databases.

use aio::Random;
use testkit::Server;
use tokio_postgres::{NoTls, SimpleQueryMessage};

fn pick<'a>(random: &Random, from: &[&'a str]) -> &'a str {
    from[random.below(from.len() as u64) as usize]
}

fn show(result: Result<Vec<SimpleQueryMessage>, tokio_postgres::Error>) -> String {
    match result {
        Err(error) => match error.as_db_error() {
            Some(e) => format!("{} {} {:?}\n", e.code().code(), e.message(), e.detail()),
            None => format!("{error}\n"),
        },
        Ok(messages) => {
            let mut out = String::new();
            for message in messages {
                match message {
                    SimpleQueryMessage::RowDescription(columns) => {
                        columns.iter().for_each(|c| out.push_str(&format!("{} ", c.name())));
                    }
                    SimpleQueryMessage::Row(row) => {
                        out.push_str(&format!("{:?}\n", (0..row.len()).map(|i| row.get(i)).collect::<Vec<_>>()));
                    }
                    SimpleQueryMessage::CommandComplete(rows) => out.push_str(&format!("done {rows}\n")),
                    _ => {}
                }
            }
            out
        }
    }
}

const SETUP: &str = "
    CREATE TABLE t(id int PRIMARY KEY, small smallint, big bigint, name text, short varchar(5), flag boolean, day date,
                   amount numeric(10,2), need int NOT NULL DEFAULT 7, at timestamptz);
    CREATE TABLE u(a bigint, b text, n int, PRIMARY KEY (a, b));
    CREATE TABLE plain(x int, y text, z double precision);
    CREATE TABLE uid(id uuid PRIMARY KEY, v text)";

fn statement(random: &Random) -> String {
    let id = random.below(12);
    let value =
        pick(random, &["0", "1", "-1", "7", "32768", "2147483647", "2147483648", "9223372036854775807", "NULL"]);
    let text = pick(
        random,
        &["''", "'a'", "'it''s'", "'much too long'", "NULL", "'Ünï'", "'5'", "'2020-02-30'", "'2020-02-03'"],
    );
    let column = pick(random, &["small", "big", "need", "name", "short", "flag", "day", "amount", "id", "nothing"]);
    let integer = pick(random, &["small", "big", "need", "id"]);
    let operator = pick(random, &["+", "-", "*"]);
    let compare = pick(random, &["=", "<", ">=", "<>", ">"]);
    match random.below(22) {
        0 => format!("SELECT * FROM t WHERE id = {id}"),
        1 => format!("SELECT {column}, id AS x FROM t WHERE id = {id} AND {integer} {compare} {value}"),
        2 => format!("SELECT t.name FROM t WHERE t.id = {id} AND name {compare} {text}"),
        3 => format!("SELECT q.id FROM t q WHERE {id} = q.id;"),
        4 => format!("UPDATE t SET {column} = {value} WHERE id = {id}"),
        5 => format!("UPDATE t SET {column} = {text} WHERE id = {id}"),
        6 => format!("UPDATE t SET {integer} = {integer} {operator} {value} WHERE id = {id}"),
        7 => format!("UPDATE t SET need = need + 1, name = {text} WHERE id = {id} AND small {compare} {value}"),
        8 => format!("DELETE FROM t WHERE id = {id} AND big {compare} {value}"),
        9 => format!("INSERT INTO t(id, small, name) VALUES ({id}, {value}, {text})"),
        10 => format!("INSERT INTO t VALUES ({id}, 1, {value}, {text}, 'abc', 'true', '2024-01-01', 1.5, {id})"),
        11 => format!("INSERT INTO t(id, {column}) VALUES ({id}, {text})"),
        12 => format!("INSERT INTO u VALUES ({id}, {text}, {value})"),
        13 => format!("SELECT n FROM u WHERE a = {id} AND b = {text}"),
        14 => format!("UPDATE u SET n = n * 2 + a WHERE b = {text} AND a = {id}"),
        15 => format!("INSERT INTO plain VALUES ({value}, {text}, {id})"),
        16 => format!("SELECT * FROM t WHERE id = {value}"),
        17 => format!("SELECT * FROM t WHERE id = {id}.0"),
        18 => format!("INSERT INTO uid VALUES ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a{:02}', {text})", id),
        19 => format!("SELECT v FROM uid WHERE id = 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A{:02}'", id),
        20 => format!("UPDATE t SET amount = {id}, flag = {text}, at = '2024-05-06 07:08:09+02' WHERE id = {id}"),
        _ => pick(random, &["BEGIN", "COMMIT", "ROLLBACK", "SELECT * FROM t WHERE id = 1 ORDER BY 1", "SAVEPOINT s"])
            .into(),
    }
}

/// The statement as one that is read as it is written: what is as long is not cut into shape and constants.
fn alone(sql: &str) -> String {
    format!("{sql}{}", " ".repeat(16 << 10))
}

#[tokio::test(flavor = "multi_thread")]
async fn shared_plans_answer_as_those_of_one_statement() {
    let server = Server::start(&[]);
    let mut clients = Vec::new();
    for (name, mode) in [("shared", "force_generic_plan"), ("alone", "force_custom_plan")] {
        let admin = server.connect().await;
        admin.batch_execute(&format!("CREATE DATABASE {name}")).await.unwrap();
        let config = format!("host=127.0.0.1 port={} user=postgres dbname={name}", server.port);
        let (client, connection) = tokio_postgres::connect(&config, NoTls).await.unwrap();
        tokio::spawn(connection);
        client.batch_execute(SETUP).await.unwrap();
        client.batch_execute(&format!("SET plan_cache_mode = {mode}")).await.unwrap();
        clients.push(client);
    }
    let random = Random::new(0x1234_5678_9abc_def1);
    for step in 0..1500 {
        let sql = statement(&random);
        let shared = show(clients[0].simple_query(&sql).await);
        let own = show(clients[1].simple_query(&alone(&sql)).await);
        assert_eq!(shared, own, "step {step}: {sql}");
        if step % 100 == 0 {
            for sql in
                ["ROLLBACK", "SELECT * FROM t ORDER BY id", "SELECT * FROM u ORDER BY a, b", "SELECT * FROM plain"]
            {
                let shared = show(clients[0].simple_query(sql).await);
                assert_eq!(shared, show(clients[1].simple_query(sql).await), "step {step}: {sql}");
            }
        }
    }
}

/// What is compared may be computed of parameters: ranges of a usual size run with the plan for any values, others with their own.
#[tokio::test(flavor = "multi_thread")]
async fn plans_for_any_values_run_usual_ranges() {
    let server = Server::start(&[]);
    let client = server.connect().await;
    client
        .batch_execute(
            "CREATE TABLE r AS SELECT id, timestamptz '2026-01-01' + id * interval '1 minute' AS at
               FROM generate_series(1, 300000) id;
             CREATE INDEX ON r (id); CREATE INDEX ON r (at); ANALYZE r;
             CREATE TABLE j AS SELECT id, CASE WHEN id % 100 = 0 THEN 'queued' ELSE 'done' END AS status, id % 7 AS priority
               FROM generate_series(1, 50000) id;
             ALTER TABLE j ADD PRIMARY KEY (id); CREATE INDEX ON j (priority, id) WHERE status = 'queued'; ANALYZE j;
             PREPARE claim(text) AS
               UPDATE j SET status = 'running'
               WHERE id = (SELECT id FROM j WHERE status = $1 ORDER BY priority, id LIMIT 1) RETURNING id;
             PREPARE computed(int, int) AS SELECT count(*) FROM r WHERE id BETWEEN $1 AND $2 + 9;
             PREPARE stable(int) AS SELECT count(*) FROM r WHERE id > $1 AND id <= 10 + length(current_user) * 0;
             PREPARE either(int, int, int) AS SELECT count(*) FROM r WHERE id BETWEEN $1 AND $2 OR id BETWEEN $3 AND $3 + 4;
             PREPARE time(timestamptz, int) AS SELECT count(*) FROM r WHERE at >= $1 AND at < $1 + $2 * interval '1 minute'",
        )
        .await
        .unwrap();
    let run = async |statement: &str| {
        let rows = client.simple_query(statement).await.unwrap();
        rows.iter()
            .find_map(|m| if let SimpleQueryMessage::Row(row) = m { row.get(0).map(str::to_owned) } else { None })
            .unwrap()
    };
    let generics = async |name: &str| {
        let sql = format!("SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE name = '{name}'");
        let row = client.query_one(&sql, &[]).await.unwrap();
        (row.get::<_, i64>(0), row.get::<_, i64>(1))
    };
    for at in 0..15 {
        assert_eq!(run(&format!("EXECUTE computed({0}, {0})", at * 100 + 1)).await, "10");
        assert_eq!(run(&format!("EXECUTE stable({})", 10 - at % 5)).await, (at % 5).to_string());
        assert_eq!(run(&format!("EXECUTE either({0}, {0} + 2, {0} * 20)", at + 5)).await, "8");
        assert_eq!(run(&format!("EXECUTE time('2026-01-02', {})", at + 5)).await, (at + 5).to_string());
    }
    // The subquery's plan counts, too: without its constant the index is of no use.
    for claimed in 1..15 {
        assert_eq!(run("EXECUTE claim('queued')").await, (claimed * 700).to_string());
    }
    assert_eq!(generics("claim").await, (0, 14));
    let before =
        [generics("computed").await, generics("either").await, generics("time").await, generics("stable").await];
    assert!(before.iter().all(|(generic, _)| *generic >= 3), "{before:?}");
    // Most of the table: a plan for these values alone.
    assert_eq!(run("EXECUTE computed(1, 290000)").await, "290009");
    assert_eq!(run("EXECUTE either(1, 290000, 295000)").await, "290005");
    assert_eq!(run("EXECUTE time('2026-01-01', 290001)").await, "290000");
    let after = [generics("computed").await, generics("either").await, generics("time").await];
    assert_eq!(after.map(|(generic, _)| generic), [before[0].0, before[1].0, before[2].0]);
    // Plans of their own count on the values that they have.
    for (hours, node) in [(1, "Index Scan"), (4000, "Seq Scan")] {
        let bound = format!("timestamptz '2026-01-01' + interval '{hours} hours'");
        let plan = run(&format!("EXPLAIN SELECT * FROM r WHERE at < {bound}")).await;
        assert!(plan.starts_with(node), "{hours}: {plan}");
    }
}

/// A statement with constants gets the plan for these, whatever plans for other ones cost: by `at` until there are enough
/// rows of a frequent status, by the status where it is rare.
#[tokio::test(flavor = "multi_thread")]
async fn written_constants_have_plans_of_their_own() {
    let server = Server::start(&[]);
    let client = server.connect().await;
    client
        .batch_execute(
            "CREATE TABLE o AS SELECT id, id % 3000 AS at, id % 3 AS kind,
                    CASE WHEN id % 2000 = 1 THEN 'rare' WHEN id % 3 = 0 THEN 'open' WHEN id % 3 = 1 THEN 'sent' ELSE 'done' END AS status
               FROM generate_series(1, 200000) id;
             CREATE INDEX o_at ON o (at); CREATE INDEX o_status ON o (status); ANALYZE o",
        )
        .await
        .unwrap();
    let read = async || {
        let sql = "SELECT idx_tup_read FROM pg_stat_user_indexes WHERE indexrelname = 'o_at'";
        client.query_one(sql, &[]).await.unwrap().get::<_, i64>(0)
    };
    let statement = |status: &str, kind| {
        format!("SELECT id FROM o WHERE status = '{status}' AND kind = {kind} ORDER BY at LIMIT 5")
    };
    let run = async |status: &str, kind| {
        let rows = client.simple_query(&statement(status, kind)).await.unwrap();
        rows.iter().filter(|message| matches!(message, SimpleQueryMessage::Row(_))).count()
    };
    for _ in 0..15 {
        assert_eq!(run("rare", 1).await, 5);
    }
    assert_eq!(read().await, 0, "the rare rows are read by the index on their status");
    for _ in 0..15 {
        assert_eq!(run("open", 0).await, 5);
    }
    let frequent = read().await;
    assert!(frequent > 0, "the frequent ones in the order that is wanted");
    for kind in [1, 0, 1, 2] {
        run("rare", kind).await;
    }
    assert_eq!(read().await, frequent);
}

/// The plan for constants that came before is as good as a new one while tables have about the size that they had.
#[tokio::test(flavor = "multi_thread")]
async fn plans_for_the_same_constants_notice_that_a_table_has_grown() {
    let server = Server::start(&[]);
    let (client, other) = (server.connect().await, server.connect().await);
    client
        .batch_execute(
            "CREATE TABLE g AS SELECT id, id AS k FROM generate_series(1, 10) id; CREATE INDEX g_k ON g (k); ANALYZE g",
        )
        .await
        .unwrap();
    let scans = async || {
        let sql = "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'g_k'";
        client.query_one(sql, &[]).await.unwrap().get::<_, i64>(0)
    };
    let run = async || {
        let rows = client.simple_query("SELECT id FROM g WHERE k = 5 AND id = ANY ('{5,6}')").await.unwrap();
        assert_eq!(rows.iter().filter(|message| matches!(message, SimpleQueryMessage::Row(_))).count(), 1);
    };
    for _ in 0..15 {
        run().await;
    }
    assert_eq!(scans().await, 0, "one page is read as a whole");
    other.batch_execute("INSERT INTO g SELECT id, id FROM generate_series(11, 100000) id").await.unwrap();
    run().await;
    assert!(scans().await > 0, "many are not");
}
