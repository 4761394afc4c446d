//! What the server takes of the machine's memory: idle connections, a pool that is not full, statements.

use std::io::{Read, Write};
use std::net::TcpStream;

use testkit::{Group, Server, command, free_port};

/// As many as tests have descriptors for, and no more than this.
const CONNECTIONS: usize = 2000;
/// An idle connection takes half of this in a release build.
const EACH: usize = 96 << 10;

/// Bytes of memory that the process has to itself.
fn private(server: &Server) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.trim().strip_suffix("kB").unwrap().trim().parse::<usize>().unwrap() << 10
}

fn descriptors() -> usize {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files")).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap_or(usize::MAX)
}

/// A client that takes nothing to speak of.
struct Raw(TcpStream);

impl Raw {
    fn connect(server: &Server) -> Raw {
        let mut client = Raw(TcpStream::connect(("127.0.0.1", server.port)).unwrap());
        let words = b"user\0postgres\0database\0postgres\0\0";
        let mut packet = Vec::new();
        packet.extend((words.len() as u32 + 8).to_be_bytes());
        packet.extend((3u32 << 16).to_be_bytes());
        packet.extend(words);
        client.0.write_all(&packet).unwrap();
        client.answers();
        client
    }

    fn send(&mut self, text: &str) {
        let mut packet = vec![b'Q'];
        packet.extend((text.len() as u32 + 5).to_be_bytes());
        packet.extend(text.as_bytes());
        packet.push(0);
        self.0.write_all(&packet).unwrap();
    }

    fn query(&mut self, text: &str) -> Vec<u8> {
        self.send(text);
        self.answers()
    }

    /// The kinds of the messages up to ReadyForQuery.
    fn answers(&mut self) -> Vec<u8> {
        let mut kinds = Vec::new();
        loop {
            let mut head = [0; 5];
            self.0.read_exact(&mut head).unwrap();
            let mut body = vec![0; u32::from_be_bytes(head[1..].try_into().unwrap()) as usize - 4];
            self.0.read_exact(&mut body).unwrap();
            kinds.push(head[0]);
            if head[0] == b'Z' {
                return kinds;
            }
        }
    }
}

#[test]
fn idle_connections_take_little_and_work_when_they_wake() {
    let count = CONNECTIONS.min(descriptors().saturating_sub(100));
    let server = Server::start(&["--set", "max_connections=2100"]);
    let mut first = Raw::connect(&server);
    first.query("CREATE TABLE t(id int PRIMARY KEY, v int)");
    first.query("INSERT INTO t SELECT g, g FROM generate_series(1, 1000) g");
    let before = private(&server);
    let mut clients: Vec<Raw> = (0..count).map(|_| Raw::connect(&server)).collect();
    let connected = (private(&server).saturating_sub(before)) / count;
    assert!(connected < EACH, "a connection takes {connected} bytes");
    // Prepared statements stay, and what was only remembered is made again.
    for client in clients.iter_mut().step_by(50) {
        assert!(!client.query("PREPARE p AS SELECT v FROM t WHERE id = $1").contains(&b'E'));
        assert_eq!(client.query("SELECT count(*) FROM t WHERE v > 990"), b"TDCZ");
        assert_eq!(client.query("SELECT v FROM t WHERE id = 7"), b"TDCZ");
    }
    // They rest after five seconds.
    std::thread::sleep(std::time::Duration::from_secs(7));
    for client in clients.iter_mut().step_by(50) {
        assert_eq!(client.query("EXECUTE p(7)"), b"TDCZ");
        assert_eq!(client.query("SELECT count(*) FROM t WHERE v > 990"), b"TDCZ");
        assert_eq!(client.query("SELECT v FROM t WHERE id = 7"), b"TDCZ");
        assert_eq!(client.query("SELECT 1"), b"TDCZ");
    }
    assert_eq!(first.query("SELECT v FROM t WHERE id = 8"), b"TDCZ");
}

/// A client that asks again and again has a thread until it rests, and statements that work for long another place.
#[test]
fn sessions_go_on_wherever_they_are() {
    let server = Server::start(&[]);
    let mut client = Raw::connect(&server);
    let is_asked_often = |client: &mut Raw| {
        (0..40).for_each(|_| assert_eq!(client.query("SELECT 1"), b"TDCZ"));
    };
    is_asked_often(&mut client);
    assert_eq!(client.query("SELECT count(*) FROM generate_series(1, 300000)"), b"TDCZ");
    is_asked_often(&mut client);
    // It ends when the session's rest is due, in the place for long statements.
    assert_eq!(client.query("SELECT count(*), pg_sleep(6) FROM generate_series(1, 300000)"), b"TDCZ");
    is_asked_often(&mut client);
    std::thread::sleep(std::time::Duration::from_secs(7));
    is_asked_often(&mut client);
}

#[test]
fn most_of_the_memory_is_for_buffers_and_little_of_it_is_taken_at_once() {
    let server = Server::start(&["--set", "shared_buffers=auto"]);
    let log = server.log.lock().unwrap().clone();
    assert!(log.contains("shared_buffers = auto: "), "{log}");
    let asked = "SELECT setting, current_setting(name), unit, boot_val, source, extra_desc IS NOT NULL FROM pg_settings \
                 WHERE name = 'shared_buffers'";
    let Some((shown, errors)) = server.psql(&["-Atc", asked]) else { return };
    let shown: Vec<&str> = shown.trim().split('|').collect();
    let [pages, size, "8kB", "auto", "command line", "t"] = shown[..] else { panic!("{shown:?} {errors}") };
    let megabytes = (pages.parse::<usize>().unwrap() * 8192) >> 20;
    let sizes = [(1, "MB"), (1024, "GB")].map(|(unit, name)| format!("{}{name}", megabytes / unit));
    assert!(megabytes >= 4 && sizes.iter().any(|s| s == size), "{pages} pages are {size}");
    assert!(private(&server) < 100 << 20, "{} bytes of {size}", private(&server));
}

#[test]
fn statements_that_need_more_memory_than_there_is_spill_or_fail() {
    let server = Server::start(&["--set", "work_mem=64kB"]);
    let mut client = Raw::connect(&server);
    client.query("CREATE TABLE t(id int, v text)");
    client.query("INSERT INTO t SELECT g, md5(g::text) FROM generate_series(1, 1500000) g");
    // A statement may have 64 MB: less than these rows take. Sorting and joining write the rest to disk.
    for _ in 0..2 {
        assert_eq!(client.query("SELECT v FROM t ORDER BY v, id OFFSET 1499999"), b"TDCZ");
        assert_eq!(client.query("SELECT count(*) FROM t a JOIN t b ON a.v = b.v"), b"TDCZ");
    }
    // What cannot be divided: rows without a key, and many with few keys.
    for text in [
        "SELECT count(*) FROM t a JOIN (SELECT nullif(id, id) AS id, v FROM t OFFSET 0) b ON a.id = b.id",
        "SELECT count(*) FROM t a FULL JOIN (SELECT nullif(id, id) AS id, v FROM t OFFSET 0) b ON a.id = b.id",
        "SELECT count(*) FROM t WHERE id % 3 IN (SELECT id % 3 FROM t)",
    ] {
        assert_eq!(client.outcome(text), None, "{text}");
    }
    assert_eq!(client.query("SELECT v FROM t WHERE id = 1 LIMIT 1"), b"TDCZ");
    assert!(left_over(&server).is_empty(), "{:?}", left_over(&server));
}

/// Temporary files that are there.
fn left_over(server: &Server) -> Vec<std::path::PathBuf> {
    let directory = server.root().join("base/pgsql_tmp");
    std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// Each kind of join of 1,200,000 rows with as many others, of which a third are the same, and rows without a key on both sides;
/// and rows that several read.
#[test]
fn joins_and_ctes_that_are_larger_than_memory_are_right() {
    let server = Server::start(&["--set", "work_mem=64kB"]);
    if server.psql(&["-c", "SELECT 1"]).is_none() {
        return;
    }
    let load = "CREATE TABLE a AS SELECT nullif(g, 7) AS id, md5(g::text) AS v FROM generate_series(1, 1200000) g; \
                CREATE TABLE b AS SELECT nullif(g, 900007) AS id, md5(g::text) AS v FROM generate_series(800001, 2000000) g; \
                ANALYZE a; ANALYZE b";
    server.psql(&["-c", load]);
    let same = 400_000 - 1;
    let sum: i64 = (800_001..=1_200_000).sum::<i64>() - 900_007;
    for (query, expected) in [
        ("SELECT count(*), sum(a.id) FROM a JOIN b ON a.id = b.id AND a.v = b.v", format!("{same}|{sum}")),
        ("SELECT count(*), sum(a.id) FROM a JOIN b USING (v) WHERE a.id < b.id + 1", format!("{same}|{sum}")),
        ("SELECT count(*), count(b.v), count(a.v) FROM a LEFT JOIN b USING (id)", format!("1200000|{same}|1200000")),
        ("SELECT count(*), count(b.v), count(a.v) FROM a RIGHT JOIN b USING (id)", format!("1200000|1200000|{same}")),
        ("SELECT count(*), count(b.v), count(a.v) FROM a FULL JOIN b USING (id)", "2000001|1200000|1200000".into()),
        (
            "SELECT count(*), max(v) > '' FROM a WHERE EXISTS (SELECT FROM b WHERE b.id = a.id AND b.v >= a.v)",
            format!("{same}|t"),
        ),
        ("SELECT count(*) FROM a WHERE NOT EXISTS (SELECT FROM b WHERE b.id = a.id)", (1_200_000 - same).to_string()),
        ("SELECT count(*), sum(b.id) FROM a JOIN b USING (v) JOIN a c USING (v)", format!("400000|{sum}")),
        ("SELECT count(*) FROM (SELECT a.v FROM a JOIN b USING (v) ORDER BY a.v, b.id OFFSET 100) s", "399900".into()),
        (
            "WITH c AS MATERIALIZED (SELECT * FROM a) SELECT count(*), sum(id), max(v) > '' FROM c",
            "1200000|720000599993|t".into(),
        ),
        (
            "WITH c AS MATERIALIZED (SELECT * FROM a) SELECT count(*), sum(x.id) FROM c x JOIN c y USING (v)",
            "1200000|720000599993".into(),
        ),
        (
            "WITH c AS MATERIALIZED (SELECT * FROM a) SELECT (SELECT count(*) FROM c), (SELECT max(id) FROM c), (SELECT v FROM c LIMIT 1) > ''",
            "1200000|1200000|t".into(),
        ),
    ] {
        for settings in ["", "SET max_parallel_workers_per_gather = 0;"] {
            let (answer, errors) = server.psql(&["-Atqc", &format!("{settings}{query}")]).unwrap();
            assert_eq!(answer.trim(), expected, "{query}: {errors}");
        }
    }
    // Where the node above counts on the order, the inner side is read along.
    for (query, count) in [
        ("SELECT a.id FROM a JOIN b ON a.id = b.id AND a.v = b.v ORDER BY a.id", same),
        ("SELECT a.id FROM a LEFT JOIN b ON a.id = b.id AND a.v <= b.v ORDER BY a.id DESC", 1_200_000),
        (
            "SELECT a.id FROM a LEFT JOIN (SELECT id, v FROM b UNION ALL SELECT id, v FROM b) b USING (id) ORDER BY 1",
            1_200_000 + same,
        ),
        ("SELECT a.id FROM a WHERE EXISTS (SELECT FROM b WHERE a.id = b.id AND a.v <= b.v) ORDER BY a.id", same),
        (
            "SELECT a.id FROM a WHERE NOT EXISTS (SELECT FROM b WHERE a.id = b.id AND a.v <= b.v) ORDER BY a.id",
            1_200_000 - same,
        ),
    ] {
        let run = |text: &str| {
            let (answer, errors) = server.psql(&["-Atqc", &format!("SET enable_hashjoin = off; {text}")]).unwrap();
            assert!(errors.is_empty(), "{text}: {errors}");
            answer
        };
        assert!(run(&format!("EXPLAIN {query}")).contains("Merge "), "{query}");
        let mut rows: Vec<i64> = run(query).lines().map(|line| line.parse().unwrap_or(i64::MAX)).collect();
        if query.contains("DESC") {
            rows.reverse();
        }
        assert!(rows.is_sorted() && rows.len() as i64 == count, "{query}: {} rows", rows.len());
    }
    assert!(left_over(&server).is_empty(), "{:?}", left_over(&server));
}

/// Look-ups that find far more rows than were expected give them in parts: the partners of one row are in several.
#[test]
fn rows_with_more_partners_than_expected_are_joined_in_parts() {
    let server = Server::start(&["--set", "autovacuum=off"]);
    if server.psql(&["-c", "SELECT 1"]).is_none() {
        return;
    }
    let load = "CREATE TABLE a AS SELECT g AS id, repeat('a', 100) AS v FROM generate_series(1, 40) g; \
                CREATE TABLE b AS SELECT g AS id, 0 AS n, '' AS v FROM generate_series(1, 100000) g; \
                CREATE INDEX ON b(id); CREATE INDEX ON b((id + 0)); ANALYZE a; ANALYZE b; \
                INSERT INTO b SELECT CASE WHEN g <= 30000 THEN 7 ELSE 8 + g % 3 END, g, repeat('b', 200) \
                FROM generate_series(1, 60000) g; DELETE FROM b WHERE id IN (1, 12, 40)";
    server.psql(&["-c", load]);
    for query in [
        "SELECT count(*), count(DISTINCT a.id), sum(n), sum(length(a.v || b.v)) FROM a JOIN b USING (id)",
        "SELECT count(*), count(b.id), sum(n), sum(length(b.v)) FROM a LEFT JOIN b USING (id)",
        "SELECT count(*), count(b.id), sum(n) FROM a LEFT JOIN b ON a.id = b.id AND n + a.id > 40000",
        // Each row's are looked up for themselves.
        "SELECT count(*), count(DISTINCT a.id), sum(n), sum(length(a.v || b.v)) FROM a JOIN b ON b.id + 0 = a.id",
        "SELECT count(*), count(b.id), sum(n) FROM a LEFT JOIN b ON b.id + 0 = a.id AND n + a.id > 30005",
        "SELECT count(*), sum(id) FROM a WHERE NOT EXISTS (SELECT FROM b WHERE b.id + 0 = a.id AND n + a.id > 30005)",
        "SELECT count(*), sum(id) FROM a WHERE EXISTS (SELECT FROM b WHERE b.id = a.id)",
        "SELECT count(*), sum(id) FROM a WHERE EXISTS (SELECT FROM b WHERE b.id = a.id AND n + a.id > 30005)",
        "SELECT count(*), sum(id) FROM a WHERE NOT EXISTS (SELECT FROM b WHERE b.id = a.id)",
        "SELECT count(*), sum(id) FROM a WHERE NOT EXISTS (SELECT FROM b WHERE b.id = a.id AND n + a.id > 30005)",
        "SELECT array_agg(id) FROM (SELECT a.id FROM a JOIN b USING (id) ORDER BY a.id LIMIT 30010) s",
    ] {
        let run = |settings: &str, text: &str| {
            let (answer, errors) = server.psql(&["-Atqc", &format!("{settings}; {text}")]).unwrap();
            assert!(errors.is_empty(), "{text}: {errors}");
            answer
        };
        let looked_up = "SET enable_hashjoin = off; SET enable_mergejoin = off";
        let plan = run(looked_up, &format!("EXPLAIN {query}"));
        assert!(plan.contains("Nested Loop") && plan.contains(" = a.id)"), "{query}: {plan}");
        assert_eq!(run(looked_up, query), run("SET enable_nestloop = off", query), "{query}");
    }
}

/// The server's own settings, not the tests': memory is divided by what the group has.
const AUTO: &[&str] = &["--set", "shared_buffers=auto", "--set", "max_connections=100"];

impl Raw {
    /// Runs a statement that may need more memory than there is; gives the SQLSTATE of its error.
    fn outcome(&mut self, text: &str) -> Option<String> {
        // Shown where the test fails.
        println!("{}", &text[..text.floor_char_boundary(200)]);
        self.send(text);
        self.code()
    }

    /// Reads to the end of a statement; gives the SQLSTATE of its error.
    fn code(&mut self) -> Option<String> {
        let mut code = None;
        loop {
            let mut head = [0; 5];
            self.0.read_exact(&mut head).unwrap_or_else(|error| panic!("the server is gone: {error}"));
            let mut body = vec![0; u32::from_be_bytes(head[1..].try_into().unwrap()) as usize - 4];
            self.0.read_exact(&mut body).unwrap();
            match head[0] {
                b'E' => {
                    let field = body.split(|b| *b == 0).find(|field| field.first() == Some(&b'C')).unwrap();
                    code = Some(String::from_utf8_lossy(&field[1..]).into_owned());
                    println!("{}", String::from_utf8_lossy(&body));
                }
                b'Z' => return code,
                _ => {}
            }
        }
    }

    /// The statement does its work, or fails for want of memory; nothing else.
    fn fits_or_fails(&mut self, text: &str) {
        let code = self.outcome(text);
        assert!(code.is_none() || code.as_deref() == Some("53200"), "{text}: {code:?}");
    }
}

const ROWS: &str = "INSERT INTO t SELECT g, md5(g::text) FROM generate_series(1, 500000) g";

/// What takes memory, over [`ROWS`].
const HUNGRY: &[&str] = &[
    "SELECT v FROM t ORDER BY v, id OFFSET 499999",
    "SELECT count(*) FROM t a JOIN t b ON a.v = b.v",
    "SELECT count(*) FROM (SELECT v, count(*) FROM t GROUP BY v) s",
    "SELECT count(DISTINCT v) FROM t",
    "SELECT max(r) FROM (SELECT row_number() OVER (ORDER BY v) r FROM t) s",
    "SELECT max(c) FROM (SELECT count(*) OVER (PARTITION BY id % 10) c FROM t) s",
    "SELECT length(string_agg(v, ',')) FROM t",
    "SELECT count(*) FROM t WHERE v NOT IN (SELECT v FROM t WHERE id % 2 = 0)",
    "WITH s AS (SELECT v FROM t UNION SELECT v || 'x' FROM t) SELECT count(*) FROM s",
];

#[test]
fn a_small_group_is_not_outgrown() {
    let Some(group) = Group::new(64) else { return };
    let server = Server::start_inside(&group, AUTO);
    let mut client = Raw::connect(&server);
    for must in [
        "CREATE TABLE t(id int, v text)",
        ROWS,
        "CREATE INDEX ON t(v)",
        "CREATE UNIQUE INDEX ON t(id)",
        "SELECT v FROM t ORDER BY v, id OFFSET 499999",
        "SELECT count(*) FROM (SELECT v, count(*) FROM t GROUP BY v) s",
    ] {
        assert_eq!(client.outcome(must), None, "{must}");
    }
    for _ in 0..2 {
        HUNGRY.iter().for_each(|text| client.fits_or_fails(text));
    }
    for must in [
        "UPDATE t SET v = v || 'x' WHERE id % 100 = 0",
        "DELETE FROM t WHERE id % 10 = 1",
        "VACUUM t",
        "CREATE TABLE c AS SELECT * FROM t",
        "INSERT INTO t SELECT g, md5(g::text) FROM generate_series(500001, 510000) g",
        "SELECT count(*) FROM t",
    ] {
        assert_eq!(client.outcome(must), None, "{must}");
    }
}

/// Few of these rows are a batch.
#[test]
fn wide_rows_do_not_outgrow_a_small_group() {
    let Some(group) = Group::new(72) else { return };
    let server = Server::start_inside(&group, &[AUTO, &["--set", "work_mem=64kB"]].concat());
    let mut client = Raw::connect(&server);
    let column =
        |number: usize| format!("(SELECT string_agg(md5((g * {number} + i)::text), '') FROM generate_series(1, 14) i)");
    let columns: Vec<String> = (1..=4).map(column).collect();
    for must in [
        "CREATE TABLE w(id int, k int, a text, b text, c text, d text)",
        &format!("INSERT INTO w SELECT g, g * 7919 % 20011, {} FROM generate_series(1, 40000) g", columns.join(", ")),
        "CREATE INDEX ON w(id)",
        "ANALYZE w",
        "SELECT * FROM w",
        "SELECT * FROM w ORDER BY k, id",
        "SELECT * FROM w ORDER BY a DESC, b LIMIT 5000",
        "WITH z AS MATERIALIZED (SELECT * FROM w ORDER BY k) SELECT count(*), max(d) FROM z",
        "SELECT x.*, y.* FROM w x JOIN w y USING (id)",
        "SELECT DISTINCT a, b, c, d FROM w",
        "SELECT *, row_number() OVER (PARTITION BY k % 100 ORDER BY id) FROM w",
        "CREATE TABLE other AS SELECT * FROM w ORDER BY d",
    ] {
        assert_eq!(client.outcome(must), None, "{must}");
    }
}

#[test]
fn many_clients_do_not_outgrow_a_group() {
    let Some(group) = Group::new(256) else { return };
    let server = Server::start_inside(&group, AUTO);
    let mut client = Raw::connect(&server);
    assert_eq!(client.outcome("CREATE TABLE t(id int, v text)"), None);
    assert_eq!(client.outcome(ROWS), None);
    std::thread::scope(|scope| {
        for number in 0..20 {
            let server = &server;
            scope.spawn(move || {
                let mut client = Raw::connect(server);
                (0..3).for_each(|round| client.fits_or_fails(HUNGRY[(number + round) % HUNGRY.len()]));
            });
        }
    });
    assert_eq!(client.outcome("CREATE INDEX ON t(v)"), None);
}

/// What can go to disk waits for the memory that it needs for that, or has it; here it is a few megabytes for all.
#[test]
fn many_sessions_that_sort_wait_for_memory_and_none_fails() {
    let Some(group) = Group::new(512) else { return };
    let server = Server::start_inside(&group, &["--set", "shared_buffers=auto", "--set", "max_connections=220"]);
    let mut client = Raw::connect(&server);
    assert_eq!(client.outcome("CREATE TABLE t(id int, v text)"), None);
    let rows = "INSERT INTO t SELECT g, md5(g::text) FROM generate_series(1, 60000) g";
    assert_eq!(client.outcome(rows), None);
    let sorts = [
        "SELECT v FROM t ORDER BY v, id OFFSET 59999",
        "SELECT id FROM t ORDER BY md5(v) OFFSET 59999",
        "SELECT count(*) FROM (SELECT v, count(*) FROM t GROUP BY v) s",
        "SELECT count(*) FROM t a JOIN t b ON a.v = b.v",
        "SELECT count(*) FROM (SELECT DISTINCT v, id FROM t) s",
        "SELECT a.v FROM t a JOIN t b USING (v) ORDER BY a.v, b.id OFFSET 59999",
        "SELECT count(*) FROM (SELECT v FROM t EXCEPT SELECT v || 'x' FROM t) s",
        // Several sorts and tables at once.
        "SELECT count(*) FROM (SELECT DISTINCT v FROM t UNION SELECT v FROM t ORDER BY 1) s",
        "SELECT count(DISTINCT v), count(DISTINCT id) FROM t",
        "SELECT count(*) FROM (SELECT v, array_agg(id ORDER BY v) FROM t GROUP BY v ORDER BY v) s",
        "WITH c AS MATERIALIZED (SELECT * FROM t) SELECT count(*) FROM c x JOIN c y USING (v)",
    ];
    std::thread::scope(|scope| {
        for number in 0..200 {
            let (server, text) = (&server, sorts[number % sorts.len()]);
            scope.spawn(move || assert_eq!(Raw::connect(server).outcome(text), None, "{text}"));
        }
    });
    assert_eq!(client.outcome("SELECT count(*) FROM t"), None);
    assert!(left_over(&server).is_empty(), "{:?}", left_over(&server));
}

/// A session that waits for memory ends by what ends others that wait, and has its memory when there is some.
#[test]
fn who_waits_for_memory_can_be_cancelled_and_goes_on_when_others_end() {
    let Some(group) = Group::new(96) else { return };
    let server = Server::start_inside(&group, AUTO);
    let mut client = Raw::connect(&server);
    assert_eq!(client.outcome("CREATE TABLE t(id int, v text)"), None);
    assert_eq!(client.outcome("INSERT INTO t SELECT g, md5(g::text) FROM generate_series(1, 100000) g"), None);
    // They have read the first rows of a sort, and keep what they need for the others.
    let open = "BEGIN; DECLARE c CURSOR FOR SELECT v FROM t ORDER BY v, id; FETCH 1 FROM c";
    let mut others: Vec<Raw> = Vec::new();
    let sort = "SET statement_timeout = '3s'; SELECT v FROM t ORDER BY v, id OFFSET 99999";
    for _ in 0..50 {
        let mut other = Raw::connect(&server);
        other.send(&format!("SET statement_timeout = '60s'; {open}"));
        other.answers();
        others.push(other);
        if client.outcome(sort).is_some() {
            break;
        }
    }
    assert_eq!(client.outcome(sort).as_deref(), Some("57014"), "{} sessions", others.len());
    client.send("SET statement_timeout = 0; SELECT v FROM t ORDER BY v, id OFFSET 99999");
    drop(others);
    assert!(!client.answers().contains(&b'E'));
}

/// Long values, and texts of statements: there is no memory for them, and no process is killed for that.
#[test]
fn values_and_statements_that_are_too_long_for_a_group_are_refused() {
    let Some(group) = Group::new(256) else { return };
    let server = Server::start_inside(&group, AUTO);
    let mut client = Raw::connect(&server);
    let out_of_memory = Some("53200".to_string());
    for text in [
        "SELECT length(repeat('x', 150000000))",
        "SELECT length(rpad('x', 150000000))",
        "SELECT length(repeat('x', 70000000) || repeat('y', 70000000))",
        "SELECT length(string_agg(repeat('x', 10000000), '')) FROM generate_series(1, 30)",
        "SELECT length(array_fill(1.5, array[20000000])::text)",
        "SELECT length(replace(repeat('x', 20000000), 'x', 'xxxxxxxxxx'))",
        "SELECT length(encode(convert_to(repeat('x', 60000000), 'UTF8'), 'hex'))",
    ] {
        assert_eq!(client.outcome(text), out_of_memory, "{text}");
    }
    // These may be there, or not.
    assert_eq!(client.outcome("CREATE TABLE long(v text)"), None);
    for text in [
        "SELECT repeat('x', 50000000)",
        "SELECT repeat('x', 20000000) FROM generate_series(1, 3)",
        "INSERT INTO long SELECT repeat(md5(g::text), 1000000) FROM generate_series(1, 3) g",
        "SELECT v || v FROM long",
        "SELECT length(v), upper(v) FROM long ORDER BY v",
    ] {
        client.fits_or_fails(text);
    }
    // A statement of 200 MB, one whose tree is large, and the session goes on.
    assert_eq!(client.outcome(&format!("SELECT '{}'", "x".repeat(200_000_000))), out_of_memory);
    client.fits_or_fails(&format!("SELECT length('{}')", "x".repeat(20_000_000)));
    client.fits_or_fails(&format!("SELECT 1 WHERE 1 IN ({})", vec!["1"; 3_000_000].join(",")));
    assert_eq!(client.outcome("SELECT length(repeat('x', 1000000))"), None);
}

/// What makes long values, of each kind: a group of 128 MB has no room for most of these.
const LONG_VALUES: &[&str] = &[
    "SELECT length(array_to_string(string_to_array(repeat('x,', 10000000), ','), ','))",
    "SELECT cardinality(string_to_array(repeat('x', 10000000), NULL))",
    "SELECT cardinality(('{' || repeat('1,', 10000000) || '1}')::int[])",
    "SELECT cardinality(('{' || repeat('a,', 5000000) || '1}')::text[])",
    "SELECT cardinality(array_fill(1, array[8000000]) || array_fill(2, array[8000000]))",
    "SELECT cardinality(array_fill(1, array[8000000])::text[])",
    "SELECT cardinality(array_append(array_fill(1, array[10000000]), 5))",
    "SELECT cardinality(array_positions(array_fill(1, array[10000000]), 1))",
    "SELECT length(array_fill(1, array[8000000])::text)",
    "SELECT cardinality(array_agg(g)) FROM generate_series(1, 5000000) g",
    "SELECT cardinality(array_agg(md5(g::text))) FROM generate_series(1, 500000) g",
    "SELECT cardinality(ARRAY(SELECT g FROM generate_series(1, 5000000) g))",
    "SELECT cardinality(array_agg(a)) FROM (SELECT array_fill(1, array[100000]) a FROM generate_series(1, 200)) s",
    "SELECT cardinality(array_agg(repeat('x', 100000)) OVER (ORDER BY g)) FROM generate_series(1, 200) g",
    "SELECT length(string_agg(repeat('x', 10000), '') OVER (ORDER BY g)) FROM generate_series(1, 1500) g",
    "SELECT count(*) FROM unnest(string_to_array(repeat('x,', 4000000), ','))",
    "SELECT count(*) FROM string_to_table(repeat('x,', 8000000), ',')",
    "SELECT cardinality(regexp_split_to_array(repeat('x,', 1000000), ','))",
    "SELECT length(regexp_replace(repeat('x', 1000000), 'x', repeat('y', 200), 'g'))",
    r#"SELECT length(regexp_replace(repeat('x', 2000000), '(.*)', repeat('\1', 20)))"#,
    "SELECT regexp_count(repeat('x', 25000000), 'y')",
    "SELECT repeat('x', 25000000) ~ 'y'",
    "SELECT length(regexp_substr(repeat('x', 10000000), '(x)*'))",
    "SELECT (regexp_match(repeat('x', 25000000), '(x*)'))[1] > ''",
    r#"SELECT length(format('%L %I', repeat('''', 20000000), repeat('"', 20000000)))"#,
    "SELECT length(quote_literal(repeat('''', 40000000)))",
    "SELECT length(concat_ws(',', repeat('x', 20000000), repeat('x', 40000000)))",
    "SELECT length(string_agg(md5(g::text), ',')) FROM generate_series(1, 2000000) g",
    "SELECT length(json_agg(repeat('x', 1000000))::text) FROM generate_series(1, 60) g",
    "SELECT length(json_object_agg(g, md5(g::text))::text) FROM generate_series(1, 700000) g",
    "SELECT length(json_object_agg_unique(g, md5(g::text))::text) FROM generate_series(1, 300000) g",
    "SELECT length(to_json(array_fill('x'::text, array[3000000]))::text)",
    "SELECT length(to_json(repeat(chr(1), 10000000))::text)",
    r#"SELECT length(row_to_json(row(repeat('"', 15000000), repeat('"', 15000000)))::text)"#,
    "SELECT length(json_build_array(repeat('x', 20000000), repeat('x', 20000000))::text)",
    r#"SELECT length(row(repeat('"', 15000000), repeat('"', 15000000))::text)"#,
    "SELECT length((repeat('x', 30000000)::bytea)::text)",
    r#"SELECT length(encode(repeat('\', 20000000)::bytea, 'escape'))"#,
    "SELECT length(decode(repeat('abcd', 10000000), 'base64'))",
    "SELECT length(convert_to(repeat('é', 20000000), 'LATIN1'))",
    "SELECT repeat('x', 15000000)::bytea",
    "SELECT array_fill(1, array[6000000])",
    "SELECT length(to_char(now(), repeat('YYYY', 1000000)))",
    "SELECT length(to_char(5, repeat('9', 5000000)))",
    "SELECT cardinality(parse_ident(repeat('a.', 2000000) || 'a'))",
    "SELECT repeat('x', 1000000) FROM generate_series(1, 500)",
    "SELECT count(*) FROM (SELECT repeat('x', 1000000) v, g FROM generate_series(1, 500) g OFFSET 0) s WHERE g > 5 AND v > ''",
    "SELECT count(*) FROM (SELECT CASE WHEN g % 2 = 0 THEN repeat('x', 5000000) ELSE 'y' END v FROM generate_series(1, 500) g OFFSET 0) s WHERE v > 'a'",
    "SELECT max(length((array[repeat('x', 5000000), 'y'])[g % 2 + 1])) FROM generate_series(1, 500) g",
    "SELECT count(row(repeat('x', 2500000), g)) FROM generate_series(1, 200) g",
    "SELECT length(normalize(repeat('é', 5000000), NFD))",
    "SELECT length(repeat('9', 131000)::numeric::text)",
];

#[test]
fn functions_ask_for_the_room_that_their_values_take() {
    let Some(group) = Group::new(128) else { return };
    let server = Server::start_inside(&group, AUTO);
    let mut client = Raw::connect(&server);
    LONG_VALUES.iter().for_each(|text| client.fits_or_fails(text));
    // What there is room for is made, also after all that.
    for must in [
        "SELECT cardinality(string_to_array(repeat('x,', 1000000), ','))",
        "SELECT length(regexp_replace(repeat('x', 500000), 'x', 'yy', 'g'))",
        "SELECT length(json_agg(g)::text) FROM generate_series(1, 500000) g",
        "SELECT length(array_fill(1, array[1000000])::text)",
        "SELECT repeat('x', 5000000)",
    ] {
        assert_eq!(client.outcome(must), None, "{must}");
    }
}

impl Raw {
    /// Sends a row of so many bytes to COPY FROM STDIN; gives the SQLSTATE of its error.
    fn copy_row(&mut self, table: &str, megabytes: usize) -> Option<String> {
        let piece = vec![b'x'; 1 << 20];
        self.send(&format!("COPY {table} FROM STDIN"));
        let data = |bytes: &[u8]| [&b"d"[..], &(bytes.len() as u32 + 4).to_be_bytes(), bytes].concat();
        // What is refused in the middle is read to its end all the same.
        for _ in 0..megabytes {
            self.0.write_all(&data(&piece)).unwrap();
        }
        self.0.write_all(&[data(b"\n"), b"c\0\0\0\x04".to_vec()].concat()).unwrap();
        self.code()
    }
}

#[test]
fn rows_of_copy_that_are_too_long_for_a_group_are_refused() {
    let Some(group) = Group::new(128) else { return };
    let server = Server::start_inside(&group, AUTO);
    let mut client = Raw::connect(&server);
    assert_eq!(client.outcome("CREATE TABLE c(v text)"), None);
    for megabytes in [10, 40, 80, 120, 200] {
        let code = client.copy_row("c", megabytes);
        assert!(code.is_none() || code.as_deref() == Some("53200"), "{megabytes} MB: {code:?}");
        assert!(megabytes > 10 || code.is_none(), "{code:?}");
    }
    for text in ["SELECT v FROM c", "COPY c TO STDOUT", "SELECT length(v) FROM c ORDER BY v"] {
        client.fits_or_fails(text);
    }
    assert_eq!(client.outcome("SELECT count(*) FROM c"), None);
}

/// What a long statement has taken is back within two seconds, whichever thread has freed it.
#[test]
fn a_long_statement_leaves_no_memory_behind() {
    let server = Server::start(&["--set", "max_wal_size=2GB"]);
    let mut client = Raw::connect(&server);
    // Temporary tables: no log, no pages in the pool that were not there before.
    for text in ["CREATE TEMP TABLE l(v text)", "CREATE TEMP TABLE m(v text)", "SELECT 1"] {
        assert_eq!(client.outcome(text), None);
    }
    let before = private(&server);
    let check = |what: &str| {
        let after = || private(&server).saturating_sub(before) >> 20;
        let is_back = (0..20).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(100));
            after() < 50
        });
        assert!(is_back, "{} MB are left of {what}", after());
    };
    for text in [
        format!("SELECT length('{}')", "x".repeat(100_000_000)),
        format!("SELECT '{}'", "x".repeat(50_000_000)),
        "SELECT repeat('x', 100000000)".into(),
        format!("INSERT INTO l VALUES ('{}')", "x".repeat(100_000_000)),
        "SELECT v FROM l".into(),
    ] {
        assert_eq!(client.outcome(&text), None, "{}", &text[..30.min(text.len())]);
        check(&text[..30.min(text.len())]);
    }
    // Its tree may take more than one may.
    client.fits_or_fails(&format!("INSERT INTO l VALUES ('{}')", "x".repeat(200_000_000)));
    check("INSERT of 200 MB");
    assert_eq!(client.copy_row("m", 190), None);
    check("COPY FROM");
    for text in ["COPY m TO STDOUT", "SELECT length(v) FROM (SELECT v FROM l UNION ALL SELECT v FROM m ORDER BY 1) s"] {
        assert_eq!(client.outcome(text), None, "{text}");
        check(text);
    }
}

#[test]
fn a_group_that_is_too_small_is_refused() {
    let Some(group) = Group::new(40) else { return };
    let dir = tempfile::tempdir().unwrap();
    let output = group.inside(&command(&dir.path().join("data"), free_port(), AUTO)).output().unwrap();
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && log.contains("MB of memory are too little, at least"), "{log}");
}

/// Asks something that gives one number.
fn number(server: &Server, text: &str) -> Option<i64> {
    let (answer, errors) = server.psql(&["-Atqc", text])?;
    Some(answer.trim().parse().unwrap_or_else(|_| panic!("{text}: {answer}{errors}")))
}

/// A process in the group that takes so many megabytes, and keeps them.
fn ballast(group: &Group, megabytes: usize) -> std::process::Child {
    let keep = format!("(head -c {megabytes}M /dev/zero; sleep 600) | tail -c {megabytes}M > /dev/null");
    let mut sh = std::process::Command::new("sh");
    let mut command = group.inside(sh.args(["-c", &keep]));
    std::os::unix::process::CommandExt::process_group(&mut command, 0).spawn().unwrap()
}

fn end(mut process: std::process::Child) {
    std::process::Command::new("kill").args(["-9", "--", &format!("-{}", process.id())]).status().unwrap();
    process.wait().unwrap();
}

/// `shared_buffers = auto` takes what no process needs, and gives it back when one does: none is killed, nothing is lost.
#[test]
fn buffers_grow_with_use_and_give_way_to_others() {
    let Some(group) = Group::new(160) else { return };
    let server = Server::start_inside(&group, &["--set", "shared_buffers=auto"]);
    let size = "SELECT setting::bigint FROM pg_settings WHERE name = 'shared_buffers'";
    let Some(first) = number(&server, size) else { return };
    let rows = "SELECT i, repeat(md5(i::text), 4) FROM generate_series(1, 1000000) i";
    server.psql(&["-c", "CREATE TABLE t (id int, v text STORAGE PLAIN)", "-c", &format!("INSERT INTO t {rows}")]);
    server.psql(&["-c", "CREATE EXTENSION pg_prewarm", "-c", "CREATE EXTENSION pg_buffercache"]);
    let used = || number(&server, "SELECT buffers_used FROM pg_buffercache_summary()").unwrap();
    let until = |what: &str, is_so: &dyn Fn(i64) -> bool| {
        for _ in 0..120 {
            let now = used();
            if is_so(now) {
                return now;
            }
            std::thread::sleep(std::time::Duration::from_millis(250));
        }
        panic!("{what}: {} of {} pages, {first} at first", used(), number(&server, size).unwrap());
    };
    let warm = || assert!(number(&server, "SELECT pg_prewarm('t', 'buffer')").unwrap() > 10_000);
    // As far as they can: they are looked at once a second.
    let (last, same) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    let most = until("they do not come to rest", &|now| {
        warm();
        same.set(if last.replace(now) == now { same.get() + 1 } else { 0 });
        same.get() == 8
    });
    assert!(most > first * 2, "{most} pages, {first} at first");
    let one = ballast(&group, 40);
    let less = until("they do not give way", &|now| now < most - 2500);
    let other = ballast(&group, 30);
    until("they give way once", &|now| now < less - 2000);
    assert_eq!(number(&server, "SELECT sum(length(v)) FROM t"), Some(128_000_000));
    end(one);
    end(other);
    until("they do not come back", &|now| {
        warm();
        now > most - 1000
    });
    assert_eq!(number(&server, "SELECT count(*) FROM t WHERE v LIKE md5(id::text) || '%'"), Some(1_000_000));
}
