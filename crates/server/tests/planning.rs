//! Planning takes long where a statement is large, and never waits: what ends a session's waits ends it all the same, and
//! others are served meanwhile. Times only tell a hang.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use testkit::Server;

/// What takes longer hangs. Planning such a statement takes longer still.
const HANGS: Duration = Duration::from_secs(30);

fn large() -> String {
    let mut sql = "SELECT count(*) FROM t WHERE a = 0".to_string();
    (1..200_000).for_each(|number| write!(sql, " OR a = {number}").unwrap());
    sql
}

/// Many joins of a table with many columns.
fn wide() -> String {
    let mut sql = "SELECT count(*) FROM w w0".to_string();
    (1..60).for_each(|number| write!(sql, " JOIN w w{number} ON w{number}.c1 = w{}.c1", number - 1).unwrap());
    sql
}

fn code(outcome: Result<Vec<tokio_postgres::SimpleQueryMessage>, tokio_postgres::Error>) -> Option<String> {
    let error = outcome.expect_err("it was to end before");
    error.code().map(|code| code.code().to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn planning_many_expressions_ends_as_every_wait_does() {
    planning_ends(large()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn planning_many_columns_ends_as_every_wait_does() {
    planning_ends(wide()).await;
}

async fn planning_ends(sql: String) {
    let mut server = Server::start(&[]);
    let (client, control) = (server.connect().await, server.connect().await);
    control.batch_execute("CREATE TABLE t(a int PRIMARY KEY); INSERT INTO t VALUES (1)").await.unwrap();
    let columns: Vec<String> = (0..1000).map(|number| format!("c{number} int")).collect();
    control.batch_execute(&format!("CREATE TABLE w({})", columns.join(", "))).await.unwrap();

    client.batch_execute("SET statement_timeout = '300ms'").await.unwrap();
    let since = Instant::now();
    assert_eq!(code(client.simple_query(&sql).await).as_deref(), Some("57014"));
    assert!(since.elapsed() < HANGS, "statement_timeout was not heard");
    client.batch_execute("SET statement_timeout = 0").await.unwrap();

    let cancel = client.cancel_token();
    let since = Instant::now();
    let meanwhile = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        for _ in 0..20 {
            control.simple_query("SELECT a FROM t WHERE a = 1").await.unwrap();
        }
        assert!(since.elapsed() < HANGS, "others are not served");
        cancel.cancel_query(tokio_postgres::NoTls).await.unwrap();
    };
    let (outcome, ()) = tokio::join!(client.simple_query(&sql), meanwhile);
    assert_eq!(code(outcome).as_deref(), Some("57014"));
    assert!(since.elapsed() < 2 * HANGS, "a cancel request was not heard");

    let since = Instant::now();
    let meanwhile = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        let others =
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()";
        control.simple_query(others).await.unwrap();
    };
    let (outcome, ()) = tokio::join!(client.simple_query(&sql), meanwhile);
    assert_eq!(code(outcome).as_deref(), Some("57P01"));
    assert!(since.elapsed() < HANGS, "a termination was not heard");

    let client = server.connect().await;
    let working = tokio::spawn(async move { client.simple_query(&sql).await });
    tokio::time::sleep(Duration::from_millis(300)).await;
    let since = Instant::now();
    assert!(server.stop() && since.elapsed() < 2 * HANGS, "the server does not stop");
    assert!(working.await.unwrap().is_err());
}
