//! How long it takes to read the facts, and to find something in them. Run with `--release`.

use std::hint::black_box;
use std::time::Instant;

use catalog::catalogs::*;
use catalog::{CallShape, Catalog, QualifiedName, Scan};
use types::oid;

fn once(what: &str, action: impl FnOnce() -> usize) {
    let start = Instant::now();
    let rows = action();
    println!("{what}: {rows} in {:.2} ms", start.elapsed().as_secs_f64() * 1e3);
}

/// The mean of many calls, in nanoseconds: the least of several rounds, as others use the machine too.
fn often<T>(what: &str, action: impl Fn() -> T) {
    const CALLS: u32 = 10_000;
    let round = || {
        let start = Instant::now();
        (0..CALLS).for_each(|_| drop(black_box(action())));
        start.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS)
    };
    let least = (0..40).map(|_| round()).fold(f64::MAX, f64::min);
    println!("{what}: {least:.0} ns");
}

fn main() {
    let catalog = Catalog::BUILT_IN;
    let start = Instant::now();
    once("pg_type", || PgType::all().len());
    once("pg_proc", || PgProc::all().len());
    once("pg_operator", || PgOperator::all().len());
    once("pg_class", || PgClass::all().len());
    once("pg_attribute", || PgAttribute::all().len());
    once("pg_description", || PgDescription::all().len());
    once("the others", || {
        PgAggregate::all().len()
            + PgAm::all().len()
            + PgAmop::all().len()
            + PgAmproc::all().len()
            + PgCast::all().len()
            + PgCollation::all().len()
            + PgConstraint::all().len()
            + PgIndex::all().len()
            + PgLanguage::all().len()
            + PgNamespace::all().len()
            + PgOpclass::all().len()
            + PgOpfamily::all().len()
            + PgRange::all().len()
    });
    once("keys", || {
        catalog.functions_named("lower").count()
            + catalog.operators_named("=").count()
            + catalog.types_named("int4").count()
            + usize::from(catalog.function(870).is_some())
            + usize::from(catalog.operator(96).is_some())
            + usize::from(catalog.pg_type(23).is_some())
            + usize::from(catalog.cast((23, 20)).is_some())
    });
    println!("all: {:.2} ms", start.elapsed().as_secs_f64() * 1e3);
    often("function by oid", || catalog.function(black_box(870)));
    often("functions by name (lower)", || catalog.functions_named(black_box("lower")).count());
    often("functions by name (to_char)", || catalog.functions_named(black_box("to_char")).count());
    often("type by name", || catalog.type_by_name(QualifiedName::from(black_box("timestamptz"))));
    often("cast", || catalog.cast(black_box((oid::INT4, oid::INT8))));
    often("operator int4 = int4", || catalog.operator_exact(black_box("=".into()), oid::INT4, oid::INT4));
    let shape = CallShape { arguments: 2, expand_variadic: true, expand_defaults: true, ..CallShape::default() };
    often("candidates of to_char(2)", || catalog.function_candidates(black_box("to_char".into()), shape));
    often("candidates of =", || catalog.operator_candidates(black_box("=".into()), false));
    often("sort_group_operators(int4)", || catalog.sort_group_operators(black_box(oid::INT4), true, true));
    often("format_type(timestamptz)", || catalog.format_type(black_box(oid::TIMESTAMPTZ)));
}
