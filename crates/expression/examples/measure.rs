//! What evaluating takes: nanoseconds a node for batches of 1, 20 and 8,192 rows.
//!
//! `cargo run -p expression --example measure --config 'profile.dev.package.expression.opt-level=3' --config
//! 'profile.dev.package.types.opt-level=3'`

use std::sync::Arc;
use std::time::Instant;

use analyze::query::*;
use analyze::{Parameters, Statement, analyze};
use arrow_array::{ArrayRef, BooleanArray, Decimal128Array, Int32Array, Int64Array, StringArray};
use arrow_schema::DataType;
use catalog::Catalog;
use expression::{Execution, Folding, Input, compile, fold};
use types::{Context, Repr, Result};

const CATALOG: Catalog<'static> = Catalog::BUILT_IN;

struct Columns;

const REPRS: [Repr; 5] = [Repr::Int4, Repr::Int8, Repr::Decimal { precision: 12, scale: 2 }, Repr::Text, Repr::Bool];

impl Input for Columns {
    fn variable(&self, var: &Var) -> Result<(usize, Repr)> {
        let column = var.attribute as usize - 1;
        Ok((column, REPRS[column]))
    }
}

fn columns(rows: usize) -> Vec<ArrayRef> {
    let decimals = Decimal128Array::from_iter_values((0..rows).map(|row| row as i128 * 37 % 100_000));
    vec![
        Arc::new((0..rows).map(|row| (row % 11 != 3).then_some(row as i32 % 1000)).collect::<Int32Array>()),
        Arc::new(Int64Array::from_iter_values((0..rows).map(|row| row as i64 * 7919))),
        Arc::new(decimals.with_data_type(DataType::Decimal128(12, 2))),
        Arc::new(StringArray::from_iter_values((0..rows).map(|row| format!("name {}", row % 100)))),
        Arc::new((0..rows).map(|row| Some(row % 3 == 0)).collect::<BooleanArray>()),
    ]
}

fn expression(text: &str) -> Expr {
    let from = "from (values (1::int4, 2::int8, 1.5::numeric(12,2), 'x'::text, true)) t(a, b, n, s, f)";
    let parsed = syntax::parse(&format!("select {text} {from}")).expect("it parses");
    let context = Context::default();
    let statement = Statement::new(CATALOG, &CATALOG, &context, "q", Parameters::variable(&[]));
    let analyzed = analyze(&statement, &parsed[0]).expect("it is analyzed");
    analyzed.query.targets[0].expr.clone()
}

fn main() {
    let execution = Execution::new(Arc::new(Context::default()));
    let folding = Folding { catalog: CATALOG, execution: &execution, bound: false, estimate: false };
    let texts = [
        "a",
        "a = 77",
        "a + 1",
        "a + b",
        "b * 3 + 1",
        "a > 10 and b < 500000",
        "a > 10 and b / a > 500",
        "a = 5 or a = 7 or a = 9",
        "a in (5, 7, 9)",
        "a in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)",
        "n * (1 - n)",
        "n > 500.5",
        "n / 2",
        "s = 'name 7'",
        "s || 'x'",
        "case when f then a else b end",
        "case when a > 500 then 'many' else 'few' end",
        "coalesce(a, 0)",
        "a is null",
        "not f",
        "a::text",
        "nullif(a, 5)",
        "greatest(a, 5)",
    ];
    println!("{:48} {:>9} {:>9} {:>9} {:>9} {:>9}", "", "fold ns", "compile", "1 row", "20 rows", "8192/row");
    for text in texts {
        let expr = expression(text);
        let folded = time(|| drop(fold(expr.clone(), &folding).expect("it folds")));
        let expr = fold(expr, &folding).expect("it folds");
        let compiled = time(|| drop(compile(&expr, &Columns, CATALOG).expect("it compiles")));
        let state = compile(&expr, &Columns, CATALOG).expect("it compiles");
        let evaluated = [1, 20, 8192].map(|rows| {
            let columns = columns(rows);
            // A division by zero is no measure.
            let result = state.evaluate(&columns, rows, &execution);
            if result.is_err() { f64::NAN } else { time(|| drop(state.evaluate(&columns, rows, &execution))) }
        });
        let [one, twenty, many] = evaluated;
        println!("{text:48} {folded:9.0} {compiled:9.0} {one:9.0} {twenty:9.0} {:9.2}", many / 8192.0);
    }
}

/// Nanoseconds of a call.
fn time(mut call: impl FnMut()) -> f64 {
    let (mut calls, mut least) = (1, f64::MAX);
    for _ in 0..12 {
        let start = Instant::now();
        (0..calls).for_each(|_| call());
        let elapsed = start.elapsed().as_nanos() as f64;
        least = least.min(elapsed / f64::from(calls));
        if elapsed < 2e6 {
            calls *= 4;
        }
    }
    least
}
