//! Whether something is in an expression.

use std::cell::RefCell;

use analyze::query::*;
use catalog::Catalog;
use types::array::ArrayView;
use types::{Datum, Oid};

use crate::compile::ROOM;

/// Whether an expression, its subqueries included, has a node that `is` of interest.
fn anywhere(expr: &Expr, is: &dyn Fn(&Expr) -> bool) -> bool {
    let stop = |found: bool| if found { Walk::Stop } else { Walk::On };
    is(expr)
        || syntax::with_stack_for(ROOM, || {
            expr.walk(&mut |child| stop(anywhere(child, is)), &mut |query| stop(in_query(query, is))) == Walk::Stop
        })
}

fn in_query(query: &Query, is: &dyn Fn(&Expr) -> bool) -> bool {
    let stop = |found: bool| if found { Walk::Stop } else { Walk::On };
    syntax::with_stack_for(ROOM, || {
        walk_query(query, &mut |child| stop(anywhere(child, is)), &mut |query| stop(in_query(query, is))) == Walk::Stop
    })
}

/// Whether an expression, but for subqueries, has a node that `is` of interest.
fn outside_queries(expr: &Expr, is: &dyn Fn(&Expr) -> bool) -> bool {
    let stop = |found: bool| if found { Walk::Stop } else { Walk::On };
    is(expr)
        || syntax::with_stack_for(ROOM, || {
            expr.walk(&mut |child| stop(outside_queries(child, is)), &mut |_| Walk::On) == Walk::Stop
        })
}

/// Whether a node itself calls a function that `is` of interest (`check_functions_in_node`).
pub(super) fn calls(catalog: Catalog<'_>, expr: &Expr, is: impl Fn(Oid) -> bool) -> bool {
    match expr {
        Expr::Aggref(e) => is(e.function),
        Expr::WindowFunc(e) => is(e.function),
        Expr::FuncExpr(e) => is(e.function),
        Expr::OpExpr(e) | Expr::DistinctExpr(e) | Expr::NullIfExpr(e) => is(e.function),
        Expr::ScalarArrayOpExpr(e) => is(e.function),
        Expr::CoerceViaIo(e) => {
            let output = catalog.pg_type(e.argument.ty().oid).map(|row| row.typoutput);
            let input = catalog.pg_type(e.result).map(|row| row.typinput);
            output.into_iter().chain(input).any(is)
        }
        Expr::RowCompare(e) => {
            let functions = e.operators.iter().filter_map(|operator| catalog.operator(*operator));
            functions.map(|row| row.oprcode).any(is)
        }
        _ => false,
    }
}

/// `i` immutable, `s` stable, `v` volatile; of what does not exist, volatile.
pub fn function_volatility(catalog: Catalog<'_>, function: Oid) -> u8 {
    catalog.function(function).map_or(b'v', |row| row.provolatile)
}

/// NULL for any argument makes the function's result NULL.
pub fn function_is_strict(catalog: Catalog<'_>, function: Oid) -> bool {
    catalog.function(function).is_some_and(|row| row.proisstrict)
}

/// Whether its value may change within a statement, or computing it changes something; subqueries included.
pub fn contain_volatile_functions(catalog: Catalog<'_>, expr: &Expr) -> bool {
    anywhere(expr, &|e| is_volatile(catalog, e))
}

/// As [`contain_volatile_functions`].
pub fn query_contains_volatile_functions(catalog: Catalog<'_>, query: &Query) -> bool {
    in_query(query, &|e| is_volatile(catalog, e))
}

/// What can be told of the calls in expressions from what they give, and from what they leave behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Felt {
    Nothing,
    /// How many there were.
    Number,
    /// And in which order.
    Order,
}

/// Volatile functions of which nothing can be told; of random numbers only once they have a seed.
const UNFELT: [&str; 10] = [
    "clock_timestamp",
    "gen_random_uuid",
    "pg_sleep",
    "pg_sleep_for",
    "pg_sleep_until",
    "random",
    "random_normal",
    "timeofday",
    "uuidv4",
    "uuidv7",
];

/// What is felt of the calls in these expressions, some of which are volatile.
pub fn felt_calls<'e>(catalog: Catalog<'_>, exprs: impl IntoIterator<Item = &'e Expr>) -> Felt {
    // The sequence that each call takes a number of; `None`: it may look at what the others do.
    let calls = RefCell::new(Vec::new());
    let note = |expr: &Expr| {
        if let Some(sequence) = felt_call(catalog, expr) {
            calls.borrow_mut().push(sequence);
        }
        false
    };
    exprs.into_iter().for_each(|expr| {
        anywhere(expr, &note);
    });
    let calls = calls.into_inner();
    let apart = |(at, call): (usize, &Option<Oid>)| call.is_some() && !calls[..at].contains(call);
    match calls.len() {
        0 => Felt::Nothing,
        1 => Felt::Number,
        _ if calls.iter().enumerate().all(apart) => Felt::Number,
        _ => Felt::Order,
    }
}

/// A call that is felt, with the sequence that it takes a number of, if that is all it does.
fn felt_call(catalog: Catalog<'_>, expr: &Expr) -> Option<Option<Oid>> {
    if let Expr::NextValue { sequence, .. } = expr {
        return Some(Some(*sequence));
    }
    let is_felt = |function: Oid| {
        let row = catalog.function(function);
        row.is_none_or(|row| match row.provolatile {
            b'v' => !UNFELT.contains(&&*row.proname),
            // It looks at what set_config() does.
            _ => &*row.proname == "current_setting",
        })
    };
    if !calls(catalog, expr, is_felt) {
        return None;
    }
    match expr {
        Expr::FuncExpr(call) if call.function == NEXTVAL => match call.arguments.first() {
            Some(Expr::Const(Const { value: Datum::U32(sequence), .. })) => Some(Some(*sequence)),
            _ => Some(None),
        },
        _ => Some(None),
    }
}

/// `nextval(regclass)`.
const NEXTVAL: Oid = 1574;

fn is_volatile(catalog: Catalog<'_>, expr: &Expr) -> bool {
    matches!(expr, Expr::NextValue { .. }) || calls(catalog, expr, |f| function_volatility(catalog, f) == b'v')
}

/// Whether its value may be another one in another statement; subqueries included.
pub fn contain_mutable_functions(catalog: Catalog<'_>, expr: &Expr) -> bool {
    anywhere(expr, &|e| {
        matches!(e, Expr::NextValue { .. } | Expr::SqlValue(_))
            || calls(catalog, e, |f| function_volatility(catalog, f) != b'i')
    })
}

/// Whether it may have a value though something in it is NULL.
pub fn contain_nonstrict_functions(catalog: Catalog<'_>, expr: &Expr) -> bool {
    let inner = |child: &Expr| {
        if contain_nonstrict_functions(catalog, child) { Walk::Stop } else { Walk::On }
    };
    match expr {
        Expr::Aggref(_) | Expr::GroupingFunc(_) | Expr::WindowFunc(_) => true,
        Expr::SubscriptingRef(e) if e.assigned.is_some() => true,
        Expr::DistinctExpr(_) | Expr::NullIfExpr(_) => true,
        Expr::ScalarArrayOpExpr(e) if !is_strict_scalar_array(catalog, e, false) => true,
        Expr::BoolExpr(e) if e.operator != BoolOperator::Not => true,
        Expr::SubLink(_) | Expr::SubPlan(_) | Expr::MergeAction => true,
        Expr::Case(_) | Expr::Array(_) | Expr::Row(_) | Expr::RowCompare(_) | Expr::FieldStore(_) => true,
        Expr::Coalesce(_) | Expr::MinMax(_) | Expr::NullTest(_) | Expr::BooleanTest(_) => true,
        Expr::ArrayCoerce(e) => contain_nonstrict_functions(catalog, &e.argument),
        // Input and output of values are never called for NULL.
        Expr::CoerceViaIo(e) => contain_nonstrict_functions(catalog, &e.argument),
        _ if calls(catalog, expr, |f| !function_is_strict(catalog, f)) => true,
        _ => syntax::with_stack_for(ROOM, || expr.walk(&mut { inner }, &mut |_| Walk::On) == Walk::Stop),
    }
}

/// Whether a comparison with an array is NULL, or with `false_too` false, for a NULL to its left (`is_strict_saop`).
pub fn is_strict_scalar_array(catalog: Catalog<'_>, e: &ScalarArrayOpExpr, false_too: bool) -> bool {
    if !function_is_strict(catalog, e.function) {
        return false;
    }
    // ANY of no elements is false whatever stands to its left, ALL is true.
    (e.any && false_too)
        || match &*e.array {
            Expr::Const(array) => has_elements(&array.value),
            Expr::Array(array) => !array.elements.is_empty() && !array.multidimensional,
            _ => false,
        }
}

/// Whether an array is known to have elements.
fn has_elements(array: &Datum) -> bool {
    matches!(array, Datum::Bytes(bytes) if !ArrayView::new(bytes).is_empty())
}

pub fn contain_subplans(expr: &Expr) -> bool {
    outside_queries(expr, &|e| matches!(e, Expr::SubPlan(_) | Expr::SubLink(_)))
}

/// Aggregates, and GROUPING, of this query.
pub fn contain_agg_clause(expr: &Expr) -> bool {
    outside_queries(expr, &|e| match e {
        Expr::Aggref(e) => e.levels_up == 0,
        Expr::GroupingFunc(e) => e.levels_up == 0,
        _ => false,
    })
}

pub fn contain_window_function(expr: &Expr) -> bool {
    outside_queries(expr, &|e| matches!(e, Expr::WindowFunc(_)))
}

/// Columns of this query.
pub fn contain_var_clause(expr: &Expr) -> bool {
    outside_queries(expr, &|e| matches!(e, Expr::Var(var) if var.levels_up == 0))
}

/// Whether it has one value while a plan node is scanned: no columns, nothing volatile.
pub fn is_pseudo_constant_clause(catalog: Catalog<'_>, expr: &Expr) -> bool {
    !contain_var_clause(expr) && !contain_volatile_functions(catalog, expr)
}

/// `Exec` parameters among these.
pub fn contain_exec_param(expr: &Expr, numbers: &[u32]) -> bool {
    outside_queries(expr, &|e| matches!(e, Expr::Param(p) if p.kind == ParamKind::Exec && numbers.contains(&p.number)))
}
