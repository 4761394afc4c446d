//! Rows as values: `(a, b) < (1, 2)`, `ROW(a, b) IS NULL`, `(a, b) IN (SELECT …)`.
//!
//! DataFusion would compare them as structs, to which NULL is a value like others. PostgreSQL compares element by element
//! with SQL's logic of three values, and so do the expressions that replace them here. Rows that are left are somebody's
//! value, which [`crate::rewrite`] refuses.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::helpers::attached_token::AttachedToken;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, CaseWhen, DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments,
    GroupByExpr, Ident, OrderByExpr, OrderByKind, Query, SetExpr, Statement, TableAliasColumnDef, TableFactor,
    UnaryOperator, Value, VisitMut, VisitorMut,
};
use engine::{EngineError, Result};

use crate::ddl::ident;
use crate::volatile::Volatile;

/// Spells out what a statement does with rows.
pub fn spell_out(statement: &mut Statement, volatile: &Volatile) -> Result<()> {
    match statement.visit(&mut Rows { volatile }) {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(()),
    }
}

struct Rows<'a> {
    volatile: &'a Volatile<'a>,
}

impl VisitorMut for Rows<'_> {
    type Break = EngineError;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<EngineError> {
        // To sort or group by a row is to do so by its elements.
        if let Some(order) = &mut query.order_by
            && let OrderByKind::Expressions(keys) = &mut order.kind
        {
            *keys = std::mem::take(keys).into_iter().flat_map(sort_keys).collect();
        }
        if let SetExpr::Select(select) = &mut *query.body {
            if let GroupByExpr::Expressions(keys, _) = &mut select.group_by {
                let flat = std::mem::take(keys).into_iter().flat_map(|key| match row_of(&key) {
                    Some(elements) => elements,
                    None => vec![key],
                });
                *keys = flat.collect();
            }
            for condition in select.selection.iter_mut().chain(&mut select.having) {
                if let Err(error) = in_condition(condition, true) {
                    return ControlFlow::Break(error);
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<EngineError> {
        // A row is no NULL, whatever its elements are.
        if let Expr::Function(function) = expr
            && function.name.0.last().and_then(|p| p.as_ident()).map(ident).as_deref() == Some("count")
            && let FunctionArguments::List(list) = &mut function.args
            && list.duplicate_treatment != Some(DuplicateTreatment::Distinct)
            && let [FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))] = list.args.as_mut_slice()
            && row_of(argument).is_some()
        {
            *argument = Expr::value(Value::Boolean(true));
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<EngineError> {
        match self.replacement(expr) {
            Ok(None) => ControlFlow::Continue(()),
            Ok(Some(new)) => {
                *expr = new;
                ControlFlow::Continue(())
            }
            Err(error) => ControlFlow::Break(error),
        }
    }
}

impl Rows<'_> {
    /// What an expression over rows becomes.
    fn replacement(&self, expr: &Expr) -> Result<Option<Expr>> {
        Ok(match expr {
            Expr::BinaryOp { left, op, right } if is_comparison(op) => match (row_of(left), row_of(right)) {
                (None, None) => None,
                (Some(left), Some(right)) => Some(self.compare(left, op, right)?),
                (row, _) => return Err(one_row(if row.is_some() { right } else { left })),
            },
            Expr::IsDistinctFrom(left, right) | Expr::IsNotDistinctFrom(left, right) => {
                let (left, right) = match (row_of(left), row_of(right)) {
                    (None, None) => return Ok(None),
                    (Some(left), Some(right)) => (left, right),
                    (row, _) => return Err(one_row(if row.is_some() { right } else { left })),
                };
                let negated = matches!(expr, Expr::IsDistinctFrom(..));
                let equal = |l, r| {
                    let same = Expr::IsNotDistinctFrom(Box::new(l), Box::new(r));
                    self.replacement(&same).map(|rows| rows.unwrap_or(same))
                };
                let all = pairs(left, right)?.map(|(l, r)| equal(l, r)).collect::<Result<Vec<_>>>()?;
                Some(not_if(negated, joined(all, BinaryOperator::And)))
            }
            Expr::IsNull(inner) => row_of(inner).map(|row| nulls(row, |e| Expr::IsNull(Box::new(e)))),
            Expr::IsNotNull(inner) => row_of(inner).map(|row| nulls(row, |e| Expr::IsNotNull(Box::new(e)))),
            Expr::InList { expr: left, list, negated } => match row_of(left) {
                None => match list.iter().find(|item| row_of(item).is_some()) {
                    Some(_) => return Err(one_row(left)),
                    None => None,
                },
                Some(row) => {
                    if list.len() > 1 && self.volatile.is_in(&**left) {
                        return Err(EngineError::unsupported("a row of volatile expressions before IN"));
                    }
                    let equal = |item: &Expr| match row_of(item) {
                        Some(other) => self.compare(row.clone(), &BinaryOperator::Eq, other),
                        None => Err(one_row(item)),
                    };
                    let any = list.iter().map(equal).collect::<Result<Vec<_>>>()?;
                    Some(not_if(*negated, joined(any, BinaryOperator::Or)))
                }
            },
            Expr::InSubquery { expr: left, subquery, negated } => match row_of(left) {
                Some(row) => Some(not_if(*negated, truth(row, subquery)?)),
                None => None,
            },
            Expr::AnyOp { left, compare_op: BinaryOperator::Eq, right, .. } => match (row_of(left), &**right) {
                (Some(row), Expr::Subquery(subquery)) => Some(truth(row, subquery)?),
                _ => None,
            },
            Expr::AllOp { left, compare_op: BinaryOperator::NotEq, right } => match (row_of(left), &**right) {
                (Some(row), Expr::Subquery(subquery)) => Some(not_if(true, truth(row, subquery)?)),
                _ => None,
            },
            _ => None,
        })
    }

    /// `left op right`: the first elements that differ decide, and a NULL before them makes it unknown.
    fn compare(&self, left: Vec<Expr>, op: &BinaryOperator, right: Vec<Expr>) -> Result<Expr> {
        let element = |l: Expr, op: &BinaryOperator, r: Expr| -> Result<Expr> {
            let plain = binary(l, op.clone(), r);
            Ok(self.replacement(&plain)?.unwrap_or(plain))
        };
        let mut elements: Vec<(Expr, Expr)> = pairs(left, right)?.collect();
        let strict = match op {
            BinaryOperator::Eq | BinaryOperator::NotEq => {
                let all = elements.into_iter().map(|(l, r)| element(l, op, r)).collect::<Result<Vec<_>>>()?;
                let and = if *op == BinaryOperator::Eq { BinaryOperator::And } else { BinaryOperator::Or };
                return Ok(joined(all, and));
            }
            BinaryOperator::Lt | BinaryOperator::LtEq => BinaryOperator::Lt,
            _ => BinaryOperator::Gt,
        };
        let (last_left, last_right) = elements.pop().expect("rows of no elements were refused");
        let twice = elements.iter().any(|(l, r)| self.volatile.is_in(l) || self.volatile.is_in(r));
        if twice {
            return Err(EngineError::unsupported("the order of rows of volatile expressions"));
        }
        let mut result = element(last_left, op, last_right)?;
        for (l, r) in elements.into_iter().rev() {
            let before = element(l.clone(), &strict, r.clone())?;
            let same = element(l, &BinaryOperator::Eq, r)?;
            result = nested(binary(before, BinaryOperator::Or, binary(same, BinaryOperator::And, result)));
        }
        Ok(result)
    }
}

/// The elements of `(a, b)` or `ROW(a, b)`.
fn row_of(expr: &Expr) -> Option<Vec<Expr>> {
    match expr {
        Expr::Tuple(elements) => Some(elements.clone()),
        Expr::Nested(inner) => row_of(inner),
        Expr::Function(Function { name, args: FunctionArguments::List(list), over: None, .. }) => {
            let [name] = name.0.as_slice() else { return None };
            let name = name.as_ident().filter(|name| name.quote_style.is_none())?;
            let element = |argument: &FunctionArg| match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(element)) => Some(element.clone()),
                _ => None,
            };
            if ident(name) == "row" { list.args.iter().map(element).collect() } else { None }
        }
        _ => None,
    }
}

fn is_comparison(op: &BinaryOperator) -> bool {
    use BinaryOperator as B;
    matches!(op, B::Eq | B::NotEq | B::Lt | B::LtEq | B::Gt | B::GtEq)
}

/// Only one side is a row.
fn one_row(other: &Expr) -> EngineError {
    match other {
        Expr::Value(value) if !matches!(value.value, Value::Null | Value::SingleQuotedString(_)) => {
            EngineError::new("42883", "operator does not exist: a row compared with a value that is no row")
        }
        _ => EngineError::unsupported("comparing a row with anything but a row"),
    }
}

fn pairs(left: Vec<Expr>, right: Vec<Expr>) -> Result<impl Iterator<Item = (Expr, Expr)>> {
    if left.len() != right.len() {
        return Err(EngineError::new("42601", "unequal number of entries in row expressions"));
    }
    if left.is_empty() {
        return Err(EngineError::new("0A000", "cannot compare rows of zero length"));
    }
    Ok(left.into_iter().zip(right))
}

fn binary(left: Expr, op: BinaryOperator, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(left), op, right: Box::new(right) }
}

fn nested(expr: Expr) -> Expr {
    Expr::Nested(Box::new(expr))
}

fn joined(parts: Vec<Expr>, op: BinaryOperator) -> Expr {
    let all = parts.into_iter().reduce(|left, right| binary(left, op.clone(), right));
    nested(all.expect("rows of no elements were refused"))
}

fn not_if(negated: bool, expr: Expr) -> Expr {
    if negated { nested(Expr::UnaryOp { op: UnaryOperator::Not, expr: Box::new(expr) }) } else { expr }
}

/// All elements are NULL, or none. A row among them is neither of them NULL.
fn nulls(row: Vec<Expr>, test: impl Fn(Expr) -> Expr) -> Expr {
    let of = |element: Expr| match (row_of(&element), test(element)) {
        (None, test) => test,
        (Some(_), test) => Expr::value(Value::Boolean(matches!(test, Expr::IsNotNull(_)))),
    };
    let all = row.into_iter().map(of).reduce(|l, r| binary(l, BinaryOperator::And, r));
    nested(all.unwrap_or(Expr::value(Value::Boolean(true))))
}

/// The keys of ORDER BY for each element of a row: to a row's order, NULL is greater than everything.
fn sort_keys(key: OrderByExpr) -> Vec<OrderByExpr> {
    let Some(elements) = row_of(&key.expr) else { return vec![key] };
    let mut options = key.options;
    options.nulls_first = Some(options.asc == Some(false));
    let keyed = |expr| OrderByExpr { expr, options, with_fill: None };
    elements.into_iter().map(keyed).collect()
}

/// Makes `row IN (SELECT …)` in a condition an EXISTS, for which DataFusion has joins. `wanted`: what the condition is to
/// be. There NULL means the same as its opposite, so it may become that.
fn in_condition(condition: &mut Expr, wanted: bool) -> Result<()> {
    match condition {
        Expr::BinaryOp { op: BinaryOperator::And | BinaryOperator::Or, left, right } => {
            in_condition(left, wanted)?;
            in_condition(right, wanted)
        }
        Expr::Nested(inner) => in_condition(inner, wanted),
        Expr::UnaryOp { op: UnaryOperator::Not, expr } => in_condition(expr, !wanted),
        Expr::InSubquery { expr, subquery, negated } => {
            let Some(row) = row_of(expr) else { return Ok(()) };
            let certain = wanted != *negated;
            let test = |equal: Expr| if certain { equal } else { Expr::IsNotFalse(Box::new(equal)) };
            *condition = some_row(row, subquery, *negated, test)?;
            Ok(())
        }
        _ => Ok(()),
    }
}

/// `row IN (SELECT …)`, with NULLs.
fn truth(row: Vec<Expr>, subquery: &Query) -> Result<Expr> {
    let equal = some_row(row.clone(), subquery, false, |equal| equal)?;
    let unknown = some_row(row, subquery, false, |equal| Expr::IsUnknown(Box::new(equal)))?;
    let when = |condition, result| CaseWhen { condition, result: Expr::value(result) };
    Ok(Expr::Case {
        case_token: AttachedToken::empty(),
        end_token: AttachedToken::empty(),
        operand: None,
        conditions: vec![when(equal, Value::Boolean(true)), when(unknown, Value::Null)],
        else_result: Some(Box::new(Expr::value(Value::Boolean(false)))),
    })
}

/// Is there a row in the subquery of which the test of its being equal holds?
fn some_row(row: Vec<Expr>, subquery: &Query, negated: bool, test: impl FnOnce(Expr) -> Expr) -> Result<Expr> {
    if subquery.limit_clause.is_some() || subquery.fetch.is_some() {
        // An EXISTS would lose the limit of a correlated query.
        return Err(EngineError::unsupported("a row IN a subquery with LIMIT"));
    }
    let name = |at: usize| Ident::with_quote('"', format!("?column?{at}"));
    let column = |at: usize| TableAliasColumnDef { name: name(at), data_type: None };
    let columns = (0..row.len()).map(column).collect();
    let equal = row.into_iter().enumerate();
    let equal = equal.map(|(at, value)| binary(value, BinaryOperator::Eq, Expr::Identifier(name(at)))).collect();
    let mut exists = crate::parse::query("SELECT 1 FROM (SELECT 1) AS r")?;
    if let SetExpr::Select(select) = &mut *exists.body {
        select.selection = Some(test(joined(equal, BinaryOperator::And)));
        if let TableFactor::Derived { subquery: derived, alias: Some(alias), .. } = &mut select.from[0].relation {
            **derived = subquery.clone();
            alias.name = Ident::with_quote('"', "?row?");
            alias.columns = columns;
        }
    }
    Ok(Expr::Exists { subquery: Box::new(exists), negated })
}
