//! Joins whose estimates are other ones than PostgreSQL's, which are far off there (`plan/src/path/costsize.rs`).

use testkit::Server;
use tokio_postgres::{Client, SimpleQueryMessage};

async fn explain(client: &Client, query: &str) -> String {
    let messages = client.simple_query(&format!("EXPLAIN {query}")).await.unwrap();
    let line = |message: &SimpleQueryMessage| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_string),
        _ => None,
    };
    messages.iter().filter_map(line).collect::<Vec<_>>().join("\n")
}

/// The suppliers of a nation are few, but their lines are on most pages.
#[tokio::test(flavor = "multi_thread")]
async fn pages_are_counted_for_as_many_look_ups_as_there_are() {
    let server = Server::start(&[]);
    let client = server.connect().await;
    client
        .batch_execute(
            "CREATE TABLE nation AS SELECT id, 'nation' || id AS name FROM generate_series(1, 25) id;
             CREATE TABLE supplier AS SELECT id, id % 25 + 1 AS nation FROM generate_series(1, 5000) id;
             CREATE TABLE line AS SELECT id, id * 7919 % 5000 + 1 AS supplier, repeat('x', 300) AS note FROM generate_series(1, 60000) id;
             ALTER TABLE supplier ADD PRIMARY KEY (id);
             CREATE INDEX line_supplier ON line (supplier);
             ANALYZE",
        )
        .await
        .unwrap();
    let of = |nations: &str| {
        format!(
            "SELECT count(note) FROM nation n JOIN supplier s ON s.nation = n.id JOIN line l ON l.supplier = s.id WHERE {nations}"
        )
    };
    let plan = explain(&client, &of("n.name IN ('nation1', 'nation2', 'nation3')")).await;
    assert!(plan.contains("Seq Scan on line"), "{plan}");
    // Few look-ups are what they were.
    let plan = explain(&client, &of("n.name = 'nation1' AND s.id < 60")).await;
    assert!(plan.contains("Index Scan using line_supplier on line"), "{plan}");
}

/// A join by both columns of a key finds one row.
#[tokio::test(flavor = "multi_thread")]
async fn columns_of_one_key_are_not_independent() {
    let server = Server::start(&[]);
    let client = server.connect().await;
    client
        .batch_execute(
            "CREATE TABLE part (tenant int, id int, PRIMARY KEY (tenant, id));
             INSERT INTO part SELECT tenant, tenant * 1000 + id FROM generate_series(1, 50) tenant, generate_series(1, 200) id;
             CREATE TABLE sale AS SELECT tenant, id AS part FROM part, generate_series(1, 3);
             ANALYZE",
        )
        .await
        .unwrap();
    let estimate = async |join: &str| {
        let plan =
            explain(&client, &format!("SELECT * FROM sale s {join} part p ON p.tenant = s.tenant AND p.id = s.part"))
                .await;
        let rows = plan.split("rows=").nth(1).and_then(|rest| rest.split(' ').next()).map(str::to_string);
        rows.unwrap().parse::<f64>().unwrap()
    };
    assert_eq!(
        client
            .query_one("SELECT count(*) FROM sale JOIN part p ON p.tenant = sale.tenant AND p.id = part", &[])
            .await
            .unwrap()
            .get::<_, i64>(0),
        30000
    );
    for join in ["JOIN", "LEFT JOIN"] {
        assert_eq!(estimate(join).await, 30000.0, "{join}");
    }
    // One column of it says nothing of rows.
    let plan = explain(&client, "SELECT * FROM sale s JOIN part p ON p.tenant = s.tenant").await;
    assert!(plan.contains("rows=6000000"), "{plan}");
}
