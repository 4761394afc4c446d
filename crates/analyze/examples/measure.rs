//! Microseconds that analyzing a statement takes: `cargo run --release -p analyze --example measure`.

use analyze::{Parameters, Statement, analyze};
use catalog::Catalog;
use std::hint::black_box;
use std::time::Instant;

const STATEMENTS: &[&str] = &[
    "select 1",
    "select relname from pg_class where oid = $1",
    "select c.relname, count(*) from pg_class c join pg_attribute a on a.attrelid = c.oid where c.relpages > 1 \
     group by c.relname order by 2 desc limit 10",
    "select upper(relname::text), case when relpages > 10 then 'big' else 'small' end from pg_class \
     where oid in (1, 2, 3) and relname like 'pg%'",
];

fn main() {
    const ROUNDS: u32 = 2000;
    let context = types::Context::default();
    for text in STATEMENTS {
        let parsed = syntax::parse(text).unwrap();
        let mut best = f64::MAX;
        for _ in 0..5 {
            let start = Instant::now();
            for _ in 0..ROUNDS {
                let catalog = Catalog::BUILT_IN;
                let parameters = Parameters::variable(&[]);
                let statement = Statement::new(catalog, &catalog, &context, "postgres", parameters);
                black_box(analyze(&statement, &parsed[0]).unwrap());
            }
            best = best.min(start.elapsed().as_secs_f64() * 1e6 / f64::from(ROUNDS));
        }
        println!("{best:8.2} us  {text}");
    }
}
