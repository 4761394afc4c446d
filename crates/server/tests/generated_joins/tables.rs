//! The tables: few rows, so that joins are quick, with NULLs and values that are there twice; keys, indexes of several columns,
//! of expressions and of a part of the rows. They are there twice: in `known`, vacuumed and analyzed, and in `bare`, of which
//! the planner knows nothing.

/// All have the columns `id int, a int, b bigint, c text`.
pub const TABLES: &[&str] = &["none", "few", "several", "more", "many"];

/// Those that statements change.
pub const CHANGED: &[&str] = &["few", "several", "more"];

pub const SCHEMAS: &[&str] = &["known", "bare"];

/// What makes them. Every statement is one of simple SQL that PostgreSQL has too.
pub fn setup() -> Vec<String> {
    let mut made = Vec::new();
    for schema in SCHEMAS {
        made.push(format!("CREATE SCHEMA {schema}"));
        made.push(format!("SET search_path = {schema}"));
        made.extend(FILL.iter().map(|sql| (*sql).to_string()));
        if *schema == "known" {
            made.extend(TABLES.iter().map(|table| format!("VACUUM ANALYZE {table}")));
        }
    }
    made
}

const FILL: &[&str] = &[
    "CREATE TABLE none (id int, a int, b bigint, c text)",
    "CREATE INDEX ON none (a)",
    "CREATE TABLE few (id int PRIMARY KEY, a int, b bigint, c text)",
    "INSERT INTO few VALUES (1, 1, 1, 'a'), (2, 2, NULL, 'b'), (3, NULL, 3, 'a'), (4, 2, 0, NULL), (5, 7, 5, 'e')",
    "CREATE TABLE several (id int NOT NULL, a int NOT NULL, b bigint, c text)",
    "INSERT INTO several SELECT i % 19, i * 7 % 11, nullif(i * 5 % 7, 2), CASE WHEN i % 6 > 0 THEN chr(97 + i * 3 % 5) END
         FROM generate_series(1, 40) i",
    "CREATE INDEX ON several (a, b)",
    "CREATE INDEX ON several (coalesce(b, 0))",
    "CREATE TABLE more (id int PRIMARY KEY, a int, b bigint, c text)",
    "INSERT INTO more SELECT i, nullif(i * 3 % 13, 3), nullif(i * 11 % 9, 4), CASE WHEN i % 5 > 0 THEN chr(97 + i % 6) END
         FROM generate_series(1, 80) i",
    "CREATE INDEX ON more (a)",
    "CREATE INDEX ON more (b, c)",
    "CREATE INDEX ON more (upper(c))",
    "CREATE INDEX ON more (id) WHERE a > 4",
    "CREATE TABLE many (id int, a int, b bigint, c text)",
    "INSERT INTO many SELECT i, nullif(i % 300, 7), i * 17 % 60, CASE WHEN i % 9 > 0 THEN chr(97 + i * 5 % 23) END
         FROM generate_series(1, 3000) i",
    "CREATE UNIQUE INDEX ON many (id)",
    "CREATE INDEX ON many (a, b)",
    "CREATE INDEX ON many (b DESC, id)",
    "CREATE INDEX ON many (c)",
];
