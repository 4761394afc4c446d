//! EXPLAIN (COSTS OFF) of explained/queries.sql over explained/tables.sql, whose statistics are PostgreSQL's, compared with what
//! PostgreSQL says. `explained/record.py` records. `explained/different.txt` lists the statements whose plans differ, each
//! with a reason; it may only get shorter (`INFLIGHT_RECORD=1` writes it, keeping the reasons).

use std::collections::HashMap;
use std::sync::Arc;

use analyze::query::{CommandType, Query};
use analyze::{Parameters, Statement, analyze};
use catalog::catalogs::*;
use catalog::{Catalog, Keyed, Objects, PG_CATALOG};
use plan::explain::{Explain, Options, format, show};
use plan::plancat::{ColumnStatistics, RelationSize, Statistics};
use plan::{Planner, planner};
use serde_json::Value;
use types::{Datum, Error, Oid, Result, oid};

#[path = "../../analyze/tests/trees/mod.rs"]
mod trees;

struct Tables {
    objects: Objects,
    path: Vec<Oid>,
    sizes: HashMap<Oid, RelationSize>,
    columns: HashMap<(Oid, i16), Arc<ColumnStatistics>>,
}

impl Statistics for Tables {
    fn relation(&self, relation: Oid) -> Option<RelationSize> {
        self.sizes.get(&relation).copied()
    }

    fn column(&self, relation: Oid, attribute: i16) -> Option<Arc<ColumnStatistics>> {
        self.columns.get(&(relation, attribute)).cloned()
    }
}

/// A value of a type from its text.
fn datum(ty: Oid, text: &str) -> Datum {
    match ty {
        oid::INT4 => Datum::I32(text.parse().unwrap()),
        oid::INT8 => Datum::I64(text.parse().unwrap()),
        oid::FLOAT8 => Datum::F64(text.parse().unwrap()),
        oid::BOOL => Datum::Bool(text == "t" || text == "true"),
        oid::NUMERIC => types::numeric::datum(&types::numeric::text::parse(text).unwrap()),
        oid::DATE | oid::TIMESTAMP => {
            let numbers: Vec<i64> =
                text.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse().unwrap()).collect();
            // Days from 1970, by the civil calendar.
            let (y, m) = if numbers[1] <= 2 { (numbers[0] - 1, numbers[1] + 9) } else { (numbers[0], numbers[1] - 3) };
            let days = 365 * y + y / 4 - y / 100 + y / 400 + (m * 153 + 2) / 5 + numbers[2] - 1 - 719_468;
            if ty == oid::DATE {
                return Datum::I32(days as i32);
            }
            let seconds = numbers[3] * 3600 + numbers[4] * 60 + numbers[5];
            Datum::I64((days * 86_400 + seconds) * 1_000_000)
        }
        _ => Datum::text(text),
    }
}

impl Tables {
    fn new() -> Tables {
        let rows = |name: &str| -> &'static str {
            let (_, rest) =
                include_str!("explained/tables.tsv").split_once(&format!("# {name}\n")).expect("it is there");
            rest.split_once("# ").map_or(rest, |(rows, _)| rows)
        };
        fn put<R: Keyed>(objects: Objects, rows: impl Fn(&str) -> &'static str) -> Objects {
            objects.with::<R>(catalog::facts::read(rows(R::RELATION)))
        }
        let objects = put::<PgAttribute>(Objects::default(), rows);
        let objects = put::<PgClass>(objects, rows);
        let objects = put::<PgConstraint>(objects, rows);
        let objects = put::<PgIndex>(objects, rows);
        let objects = put::<PgNamespace>(objects, rows);
        let objects = put::<PgType>(objects, rows);
        let schema = Catalog { search_path: &[], objects: Some(&objects), viewer: None }.namespace_oid("x").unwrap();
        let objects = trees::as_trees(&objects, &[PG_CATALOG, schema], &types::Context::default());
        let (mut sizes, mut columns) = (HashMap::new(), HashMap::new());
        for line in include_str!("explained/statistics.jsonl").lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            let oid_of = |name: &str| -> Oid { row[name].as_str().unwrap().parse().unwrap() };
            let relation = oid_of("relation");
            let number = |name: &str| row[name].as_f64().unwrap_or(0.0);
            if row["attribute"].is_null() {
                let pages = number("pages");
                let size = RelationSize {
                    pages,
                    rows: Some(number("rows")),
                    all_visible: if pages > 0.0 { number("visible") / pages } else { 0.0 },
                    height: None,
                };
                sizes.insert(relation, size);
                continue;
            }
            let ty = oid_of("type");
            let values = |name: &str| -> Vec<Datum> {
                let list = row[name].as_array().map(Vec::as_slice).unwrap_or_default();
                list.iter().map(|text| datum(ty, text.as_str().unwrap())).collect()
            };
            let frequencies = row["frequencies"].as_array().map(Vec::as_slice).unwrap_or_default();
            let statistics = ColumnStatistics {
                null_fraction: number("nulls"),
                average_width: number("width") as i32,
                distinct: number("distinct"),
                most_common: values("common")
                    .into_iter()
                    .zip(frequencies.iter().map(|f| f.as_f64().unwrap()))
                    .collect(),
                histogram: values("histogram"),
                correlation: row["correlation"].as_f64(),
            };
            columns.insert((relation, row["attribute"].as_i64().unwrap() as i16), Arc::new(statistics));
        }
        Tables { objects, path: vec![PG_CATALOG, schema], sizes, columns }
    }

    fn catalog(&self) -> Catalog<'_> {
        Catalog { search_path: &self.path, objects: Some(&self.objects), viewer: None }
    }
}

fn explained(tables: &Tables, text: &str) -> Result<Vec<String>> {
    let parsed = syntax::parse(text).map_err(|report| Error::new("42601", report.message.to_string()))?;
    let catalog = tables.catalog();
    let context = types::Context::default();
    let statement = Statement::new(catalog, &catalog, &context, "x", Parameters::variable(&[]));
    let mut analyzed = analyze::rewrite::rewrite(&statement, analyze(&statement, &parsed[0])?)?.analyzed;
    let query = std::mem::replace(&mut analyzed.query, Query::new(CommandType::Select));
    let execution = expression::Execution::default();
    let settings = plan::path::PlannerSettings { enable_memoize: false, ..Default::default() };
    let with = Planner {
        catalog,
        relations: &catalog,
        statistics: tables,
        context: &context,
        execution: &execution,
        settings: &settings,
        parameters: None,
        tuple_fraction: 0.0,
        depth: 100,
    };
    let planned = planner(query, &with)?;
    let shown = show(Explain {
        statement: &planned,
        catalog,
        relations: &catalog,
        context: &context,
        options: Options { costs: std::env::var_os("INFLIGHT_COSTS").is_some(), ..Options::default() },
        instrumentation: None,
    })?;
    Ok(format::text(&shown, &format::Whole::default()))
}

const DIFFERENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/explained/different.txt");

#[test]
fn plans_are_postgresqls() {
    let tables = Tables::new();
    let queries: Vec<&str> = include_str!("explained/queries.sql").lines().collect();
    let answers: Vec<&str> = include_str!("explained/plans.out").lines().collect();
    assert_eq!(queries.len(), answers.len());
    // A statement, a tab, why its plan differs.
    let listed = std::fs::read_to_string(DIFFERENT).unwrap_or_default();
    let listed: HashMap<&str, &str> = listed.lines().filter_map(|line| line.split_once('\t')).collect();
    let mut different = Vec::new();
    for (query, answer) in queries.iter().zip(&answers) {
        let theirs: Vec<String> = serde_json::from_str(answer).unwrap();
        let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| explained(&tables, query)));
        let ours = match made {
            Ok(Ok(lines)) => lines,
            Ok(Err(e)) => vec![format!("{}: {}", e.0.code, e.0.message)],
            Err(_) => vec!["panic".to_string()],
        };
        if ours != theirs {
            println!(
                "{query}\n    ours:\n      {}\n    theirs:\n      {}",
                ours.join("\n      "),
                theirs.join("\n      ")
            );
            different.push(*query);
        }
    }
    println!("{} of {} plans are PostgreSQL's", queries.len() - different.len(), queries.len());
    if std::env::var_os("INFLIGHT_RECORD").is_some() {
        let line = |query: &&str| format!("{query}\t{}\n", listed.get(query).unwrap_or(&"?"));
        std::fs::write(DIFFERENT, different.iter().map(line).collect::<String>()).unwrap();
        return;
    }
    let new: Vec<&&str> = different.iter().filter(|query| !listed.contains_key(**query)).collect();
    assert!(new.is_empty(), "not as PostgreSQL:\n{new:#?}");
    let gone: Vec<&&str> = listed.keys().filter(|query| !different.contains(query)).collect();
    assert!(gone.is_empty(), "as PostgreSQL now, take them out of the list:\n{gone:#?}");
}
