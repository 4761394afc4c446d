//! The scripts that change definitions, and those that look at them.

/// What is asked many times, alone on a connection.
pub struct Case {
    pub name: String,
    /// Before each time, with the clock off.
    pub before: String,
    pub measured: String,
    /// After each time, with the clock off.
    pub after: String,
}

/// Made once in an empty database: the schema that the scripts and queries look at, and a table of many rows.
pub fn fixture(rows: u64) -> String {
    let tables: String = (1..=super::FEW).map(|number| table("app", number)).collect();
    format!(
        "CREATE SCHEMA app;\n{tables}\
         CREATE TABLE app.big (id bigint PRIMARY KEY, v int);\n\
         INSERT INTO app.big SELECT i, i % 1000 FROM generate_series(1, {rows}) AS i;\n\
         VACUUM ANALYZE app.big;\n"
    )
}

/// More tables, in schemas of a thousand each: of those from `from` to `to` in all.
pub fn more_tables(from: u32, to: u32) -> String {
    let mut text = String::new();
    for number in from..to {
        let schema = format!("more_{}", number / 1000);
        if number == from || number % 1000 == 0 {
            text.push_str(&format!("CREATE SCHEMA IF NOT EXISTS {schema};\n"));
        }
        text.push_str(&table(&schema, number));
    }
    text
}

fn table(schema: &str, number: u32) -> String {
    let name = format!("{schema}.t{number}");
    format!(
        "CREATE TABLE {name} (id bigint PRIMARY KEY, name varchar(50) NOT NULL, note text DEFAULT 'none', \
         made timestamptz DEFAULT now());\n\
         CREATE INDEX ON {name} (name);\n\
         INSERT INTO {name} (id, name) VALUES ({number}, 'a');\n"
    )
}

fn case(name: &str, before: &str, measured: &str, after: &str) -> Case {
    Case { name: name.into(), before: before.into(), measured: measured.into(), after: after.into() }
}

/// Each leaves things as they were.
pub fn all() -> Vec<Case> {
    let ten: String = (1..=10).map(|n| format!("CREATE TABLE ten.t{n} (id int PRIMARY KEY, name text);\n")).collect();
    let ten = format!("CREATE SCHEMA ten;\n{ten}");
    let columns: Vec<String> = (1..=400).map(|n| format!("ADD COLUMN c{n} int")).collect();
    let columns = format!("ALTER TABLE app.wide {};\n", columns.join(", "));
    let new = table("app", 0);
    vec![
        case("CREATE TABLE with a key, an index and a row", "", &new, "DROP TABLE app.t0;\n"),
        case("CREATE and DROP TABLE", "", "CREATE TABLE app.n (id int);\nDROP TABLE app.n;\n", ""),
        case(
            "ADD COLUMN with a default, many rows",
            "",
            "ALTER TABLE app.big ADD COLUMN added int DEFAULT 7;\n",
            "ALTER TABLE app.big DROP COLUMN added;\n",
        ),
        case(
            "DROP COLUMN, many rows",
            "ALTER TABLE app.big ADD COLUMN added int;\n",
            "ALTER TABLE app.big DROP COLUMN added;\n",
            "",
        ),
        case(
            "SET NOT NULL, many rows",
            "",
            "ALTER TABLE app.big ALTER v SET NOT NULL;\n",
            "ALTER TABLE app.big ALTER v DROP NOT NULL;\n",
        ),
        case("RENAME of a table", "", "ALTER TABLE app.t2 RENAME TO other;\n", "ALTER TABLE app.other RENAME TO t2;\n"),
        case(
            "RENAME of a column",
            "",
            "ALTER TABLE app.t2 RENAME note TO other;\n",
            "ALTER TABLE app.t2 RENAME other TO note;\n",
        ),
        case("COMMENT ON TABLE", "", "COMMENT ON TABLE app.t2 IS 'a table';\n", "COMMENT ON TABLE app.t2 IS NULL;\n"),
        case("CREATE VIEW", "", "CREATE VIEW app.v AS SELECT id, name FROM app.t2;\n", "DROP VIEW app.v;\n"),
        case("DROP VIEW", "CREATE VIEW app.v AS SELECT id, name FROM app.t2;\n", "DROP VIEW app.v;\n", ""),
        case("CREATE SCHEMA with 10 tables", "", &ten, "DROP SCHEMA ten CASCADE;\n"),
        case("DROP SCHEMA CASCADE with 10 tables", &ten, "DROP SCHEMA ten CASCADE;\n", ""),
        case(
            "one ALTER TABLE that adds 400 columns",
            "CREATE TABLE app.wide (id int);\n",
            &columns,
            "DROP TABLE app.wide;\n",
        ),
        case("a temporary table", "", "CREATE TEMP TABLE x (id int, name text);\nDROP TABLE x;\n", ""),
        case("pg_class by name", "", "SELECT relname FROM pg_class WHERE relname = 't1';\n", ""),
        case(
            "information_schema.columns of a table",
            "",
            "SELECT * FROM information_schema.columns WHERE table_schema = 'app' AND table_name = 't1';\n",
            "",
        ),
        case(
            "table_constraints with key_column_usage",
            "",
            "SELECT k.column_name FROM information_schema.table_constraints c \
             JOIN information_schema.key_column_usage k USING (constraint_schema, constraint_name) \
             WHERE c.table_schema = 'app' AND c.table_name = 't1' AND c.constraint_type = 'PRIMARY KEY';\n",
            "",
        ),
    ]
}
