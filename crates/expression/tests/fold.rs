//! What is simplified, as two expressions that are one afterwards; and what the planner asks about expressions.

use std::sync::Arc;

use analyze::query::*;
use analyze::{Parameters, Statement, analyze};
use catalog::Catalog;
use expression::clauses::*;
use expression::{Execution, Folding, fold};
use types::{Context, Datum, Repr, Result};

const CATALOG: Catalog<'static> = Catalog::BUILT_IN;

/// Columns 1 to 5.
const FROM: &str =
    "(values (1, 2, true, 'x'::text, 1.5::numeric(10,2)), (2, 3, false, 'y', 2::numeric(10,2))) t(a, b, f, s, n)";

fn expression(text: &str) -> Expr {
    let text = format!("select {text} from {FROM}");
    let parsed = syntax::parse(&text).unwrap_or_else(|e| panic!("{text}: {}", e.message));
    let context = Context::default();
    let statement = Statement::new(CATALOG, &CATALOG, &context, "postgres", Parameters::variable(&[]));
    let analyzed = analyze(&statement, &parsed[0]).unwrap_or_else(|e| panic!("{text}: {e}"));
    analyzed.query.targets[0].expr.clone()
}

fn folded(expr: Expr, bound: bool, estimate: bool) -> Result<Expr> {
    let values = [(Repr::Int4, &Datum::I32(7))];
    let execution = Execution::new(Arc::new(Context::default())).with_external(values.into_iter());
    fold(expr, &Folding { catalog: CATALOG, execution: &execution, bound, estimate })
}

#[test]
fn expressions_become_simpler() {
    let pairs = [
        ("1 + 2 * 3", "7"),
        ("a + (1 + 2)", "a + 3"),
        ("a + null", "null::int"),
        ("f and true", "f"),
        ("f and false", "false"),
        ("f and null", "f and null"),
        ("true and f and (a = 1 and (b = 2 and true))", "f and a = 1 and b = 2"),
        ("f or true or 1 / 0 = 1", "true"),
        ("f or false", "f"),
        ("f or (a = 1 or b = 2)", "f or a = 1 or b = 2"),
        ("not f", "not f"),
        ("not not f", "f"),
        ("not (a = 1)", "a <> 1"),
        ("not (a < 1 or b is null)", "a >= 1 and b is not null"),
        ("not (f is true)", "f is not true"),
        ("not (a in (1, 2))", "a not in (1, 2)"),
        ("not (s like 'x%')", "s not like 'x%'"),
        ("f = true", "f"),
        ("f = false", "not f"),
        ("(a = 1) <> true", "a <> 1"),
        ("true = f", "f"),
        ("case when false then 1 / 0 when f then a else b end", "case when f then a else b end"),
        ("case when f then a when true then b else 1 / 0 end", "case when f then a else b end"),
        ("case when true then a else 1 / 0 end", "a"),
        ("case 1 when 2 then a when 1 then b end", "b"),
        ("case 1 when a then 2 when 1 then 3 end", "case when 1 = a then 2 else 3 end"),
        ("coalesce(null, a, null, 3, b)", "coalesce(a, 3)"),
        ("coalesce(null, 2, a)", "2"),
        ("coalesce(null::int, null)", "null::int"),
        ("nullif(a, null)", "a"),
        ("nullif(2, 2)", "null::int"),
        ("1 is distinct from null", "true"),
        ("null::int is not distinct from null", "true"),
        ("null::int is null", "true"),
        ("1 is null", "false"),
        ("row(a, 1) is not null", "a is not null"),
        ("row(a, b) is null", "a is null and b is null"),
        ("row(a, null) is not null", "false"),
        ("(null::bool) is not true", "true"),
        ("'7'::text::int", "7"),
        ("a::text::varchar::text", "a::text"),
        ("s::varchar::text", "s"),
        ("n::numeric(12,2)::numeric(14,2)", "n::numeric(14,2)"),
        ("s::varchar(5)::varchar(9)::text", "s::varchar(5)::text"),
        ("array[1, 1 + 1]", "'{1,2}'::int[]"),
        ("a = any (array[1, 1 + 1])", "a in (1, 2)"),
        ("greatest(1, 3, 2)", "3"),
        ("now() is null", "now() is null"),
        ("(row(a, b)).f2", "(row(a, b)).f2"),
    ];
    let mut wrong = Vec::new();
    for (before, after) in pairs {
        let wanted = match after {
            // Of a field there is no shorter text.
            "(row(a, b)).f2" => expression("b"),
            after => folded(expression(after), false, false).unwrap(),
        };
        let got = folded(expression(before), false, false).unwrap_or_else(|e| panic!("{before}: {e}"));
        // A cast that is shown otherwise is the same.
        let (got, wanted) = (unshown(got), unshown(wanted));
        let twice = unshown(folded(got.clone(), false, false).unwrap());
        if got != wanted || twice != got {
            wrong.push(format!("{before}:\n    {got:?}\n    {wanted:?}\n    {twice:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// How casts are shown does not matter here.
fn unshown(mut expr: Expr) -> Expr {
    if let Expr::RelabelType(e) = &mut expr {
        e.form = CoercionForm::ImplicitCast;
    }
    if let Expr::FuncExpr(e) = &mut expr {
        e.form = CoercionForm::ImplicitCast;
    }
    expr.mutate(&mut |child| *child = unshown(child.clone()), &mut |_| {});
    expr
}

#[test]
fn constant_errors_are_errors() {
    for (text, code) in [("1 / 0", "22012"), ("f and 1 / 0 = 1", "22012"), ("coalesce(a, 1 / 0)", "22012")] {
        assert_eq!(folded(expression(text), false, false).unwrap_err().0.code, code, "{text}");
    }
    assert!(folded(expression("a / 0"), false, false).is_ok());
}

#[test]
fn parameters_have_values_where_they_may() {
    let is = |bound, estimate, text: &str, wanted: &str| {
        let got = folded(expression(text), bound, estimate).unwrap();
        assert_eq!(got, folded(expression(wanted), false, false).unwrap(), "{text}");
    };
    is(false, false, "$1::int + 1", "$1::int + 1");
    is(true, false, "$1::int + 1", "8");
    is(false, true, "$1::int + a", "7 + a");
    // Stable functions, for estimates only.
    is(true, false, "now() < now()", "now() < now()");
    is(false, true, "now() < now()", "false");
}

#[test]
fn functions_change_or_do_not() {
    for (text, volatile, mutable, nonstrict) in [
        ("a + 1", false, false, false),
        ("now()", false, true, false),
        ("current_date", false, true, false),
        ("random()", true, true, false),
        ("case when f then a end", false, false, true),
        ("coalesce(a, random()::int)", true, true, true),
        ("(select random())", true, true, true),
        ("not f", false, false, false),
        ("f and f", false, false, true),
        ("a in (1, 2)", false, false, false),
        ("a = any (array[]::int[])", false, false, true),
        ("a::text", false, false, false),
        ("a is null", false, false, true),
    ] {
        let expr = folded(expression(text), false, false).unwrap();
        let got = (
            contain_volatile_functions(CATALOG, &expr),
            contain_mutable_functions(CATALOG, &expr),
            contain_nonstrict_functions(CATALOG, &expr),
        );
        assert_eq!(got, (volatile, mutable, nonstrict), "{text}");
    }
}

#[test]
fn conditions_say_what_is_not_null() {
    let conditions: [(&str, &[i16], &[i16]); 16] = [
        ("a = 1", &[1], &[]),
        ("a = b", &[1, 2], &[]),
        ("a = 1 and b = 2", &[1, 2], &[]),
        ("a = 1 or b = 2", &[], &[]),
        ("a = 1 or a = b", &[1], &[]),
        ("not (a = 1 and a = 2)", &[1], &[]),
        ("a is not null", &[1], &[]),
        ("a is null", &[], &[1]),
        ("a is null and b = 1", &[2], &[1]),
        ("f is unknown", &[], &[3]),
        ("f is true", &[3], &[]),
        ("f is not true", &[], &[]),
        ("coalesce(a, 1) = 1", &[], &[]),
        ("a in (1, 2)", &[1], &[]),
        ("a not in (1, 2)", &[1], &[]),
        ("f", &[3], &[]),
    ];
    for (text, not_null, forced_null) in conditions {
        let expr = folded(expression(text), false, false).unwrap();
        let columns = |found: std::collections::BTreeSet<(RangeTableIndex, i16)>| -> Vec<i16> {
            found.into_iter().map(|(_, attribute)| attribute).collect()
        };
        assert_eq!(columns(find_nonnullable_vars(CATALOG, &expr)), not_null, "{text}");
        assert_eq!(columns(find_forced_null_vars(&expr)), forced_null, "{text}");
        let relations = find_nonnullable_rels(CATALOG, &expr).len();
        assert_eq!(relations, usize::from(!not_null.is_empty() || text == "a = 1 or b = 2"), "{text}");
    }
}

#[test]
fn deep_expressions_are_folded_and_compiled() {
    // The test's own copies take stack too.
    syntax::with_stack_for(20_000, || {
        let text = format!("{}1{}", "abs(a + ".repeat(800), ")".repeat(800));
        let expr = folded(expression(&text), false, false).unwrap();
        assert!(!contain_volatile_functions(CATALOG, &expr));
    });
}
