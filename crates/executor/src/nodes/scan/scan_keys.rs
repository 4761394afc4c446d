//! From a sequential scan's first conditions to what is asked of rows on their pages. Conditions behind one that may fail, or whose
//! asking is felt, are left to the node's filter: rows that it would have been asked of must not be gone by then.

use std::sync::Arc;

use access::{Accepts, ScanKey};
use analyze::query::{BoolExpr, BoolOperator, Expr, ParamKind, RangeTableIndex, Var};
use arrow_array::Array;
use arrow_array::cast::AsArray;
use catalog::{Catalog, strategy};
use expression::ExprState;
use expression::clauses::contain_volatile_functions;
use plan::plan::Scan;
use plan::prep::failing::may_fail;
use types::array::ArrayView;
use types::array::column::to_column;
use types::{Datum, Repr, oid};

use crate::compile::facts::TableColumn;
use crate::compile::{Compiler, Layout};
use crate::nodes::scan::place::{Place, place_in_zone};
use crate::run::estate::Run;

/// Of longer lists only the least and the greatest are compared with.
const MOST_VALUES: usize = 8;

pub struct ScanKeys(Vec<Key>);

enum Key {
    Fixed(ScanKey),
    Compare { column: usize, repr: Repr, strategy: i16, value: ExprState },
    Any { column: usize, repr: Repr, array: ExprState },
}

impl ScanKeys {
    pub fn compile(compiler: &Compiler<'_>, conditions: &[Expr], scan: &Scan) -> types::Result<ScanKeys> {
        let mut keys = Vec::new();
        if conditions.is_empty() {
            return Ok(ScanKeys(keys));
        }
        let columns = compiler.facts.columns(scan.table)?;
        for condition in conditions {
            if let Some(key) = Key::compile(compiler, condition, scan.relation, &columns)? {
                keys.push(key);
            } else if is_felt(compiler.catalog, condition) {
                break;
            }
        }
        Ok(ScanKeys(keys))
    }

    /// As far as the values are there and compare with the columns': what fails is left to the filter.
    pub fn evaluate(&self, run: &Run) -> Arc<[ScanKey]> {
        let mut keys = Vec::new();
        for key in &self.0 {
            match key.evaluate(run) {
                Ok(key) => keys.extend(key),
                Err(_) => break,
            }
        }
        keys.into()
    }
}

impl Key {
    fn compile(
        compiler: &Compiler<'_>,
        condition: &Expr,
        relation: RangeTableIndex,
        columns: &[TableColumn],
    ) -> types::Result<Option<Key>> {
        let catalog = compiler.catalog;
        // Without a length char(n) is stored with its blanks, which do not count.
        let is_known = |at: &usize| columns.get(*at).is_some_and(|c| c.repr != Repr::Bpchar || c.padded.is_some());
        let column = |expr: &Expr| own_column(expr, relation).filter(is_known);
        let value = |expr: &Expr| -> types::Result<Option<ExprState>> {
            let varies = expr.contains(&mut |e| matches!(e, Expr::Var(_))) || contain_volatile_functions(catalog, expr);
            let state = if varies { None } else { Some(compiler.expr(expr, &Layout::default())?) };
            Ok(state.filter(|state| !state.waits()))
        };
        Ok(match condition {
            condition if condition.is_indeterminate() => None,
            Expr::OpExpr(op) => {
                let [left, right] = &op.arguments[..] else { return Ok(None) };
                let (at, other, commuted) = match (column(left), column(right)) {
                    (Some(at), None) => (at, right, false),
                    (None, Some(at)) => (at, left, true),
                    _ => return Ok(None),
                };
                let repr = columns[at].repr;
                let Some(strategy) = strategy_of(catalog, op.operator, repr, commuted) else { return Ok(None) };
                value(other)?.map(|value| Key::Compare { column: at, repr, strategy, value })
            }
            Expr::ScalarArrayOpExpr(op) if op.any => {
                let Some(at) = column(&op.scalar) else { return Ok(None) };
                let repr = columns[at].repr;
                match strategy_of(catalog, op.operator, repr, false) {
                    Some(strategy::EQUAL) => value(&op.array)?.map(|array| Key::Any { column: at, repr, array }),
                    _ => None,
                }
            }
            Expr::NullTest(test) if !test.row => column(&test.argument).map(|column| {
                let accepts = if test.is_null { Accepts::Null } else { Accepts::NotNull };
                Key::Fixed(ScanKey { column, accepts })
            }),
            expr => truth(expr).and_then(|(var, wanted)| {
                let column = column(var).filter(|&at| columns[at].repr == Repr::Bool)?;
                let wanted = i128::from(wanted);
                Some(Key::Fixed(ScanKey { column, accepts: Accepts::Between(wanted, wanted) }))
            }),
        })
    }

    /// `None`: it says nothing.
    fn evaluate(&self, run: &Run) -> types::Result<Option<ScanKey>> {
        let place = |value: &Datum, from: Repr, to: Repr| place_in_zone(&run.execution.context, value, from, to);
        Ok(match self {
            Key::Fixed(key) => Some(key.clone()),
            Key::Compare { column, repr, strategy, value } => {
                let argument = value.evaluate(&[], 1, &run.execution)?;
                let datum = Datum::of(argument.array(), 0);
                let accepts = match datum.is_null() {
                    true => Some(Accepts::OneOf(Vec::new())),
                    false => compared(*repr, *strategy, place(&datum, value.repr(), *repr)),
                };
                accepts.map(|accepts| ScanKey { column: *column, accepts })
            }
            Key::Any { column, repr, array } => {
                let argument = array.evaluate(&[], 1, &run.execution)?;
                let arrays = argument.array().as_binary::<i32>();
                let mut values = Vec::new();
                if arrays.is_valid(0) {
                    let view = ArrayView::new(arrays.value(0));
                    let elements = to_column(&view)?;
                    for at in (0..elements.len()).filter(|&at| elements.is_valid(at)) {
                        match place(&Datum::of(&elements, at), view.repr(), *repr) {
                            Place::At(bytes) => values.push(bytes),
                            Place::Unknown => return Ok(None),
                            Place::After(_) | Place::Below | Place::Above => {}
                        }
                    }
                }
                one_of(*repr, values).map(|accepts| ScanKey { column: *column, accepts })
            }
        })
    }
}

/// May asking a condition fail, or change something? What it waits for may.
pub(super) fn is_felt(catalog: Catalog<'_>, condition: &Expr) -> bool {
    let waits = |e: &Expr| match e {
        Expr::Param(param) => param.kind == ParamKind::Exec,
        e => matches!(e, Expr::SubPlan(_)),
    };
    may_fail(catalog, condition)
        || contain_volatile_functions(catalog, condition)
        || condition.contains(&mut |e| waits(e))
}

/// The position of a column of the scanned table.
fn own_column(expr: &Expr, relation: RangeTableIndex) -> Option<usize> {
    match expr {
        Expr::Var(Var { relation: of, attribute, levels_up: 0, .. }) if *of == relation => {
            usize::try_from(i32::from(*attribute) - 1).ok()
        }
        Expr::RelabelType(relabel) => own_column(&relabel.argument, relation),
        _ => None,
    }
}

/// A column that has to be true, or false.
fn truth(expr: &Expr) -> Option<(&Expr, bool)> {
    match expr {
        Expr::Var(_) => Some((expr, true)),
        Expr::BoolExpr(BoolExpr { operator: BoolOperator::Not, arguments, .. }) => match &arguments[..] {
            [var @ Expr::Var(_)] => Some((var, false)),
            _ => None,
        },
        _ => None,
    }
}

/// Which comparison an operator is, with a column that lies like this on the left, if bytes say what it says.
fn strategy_of(catalog: Catalog<'_>, operator: u32, repr: Repr, commuted: bool) -> Option<i16> {
    let meanings = catalog.operator_interpretations(operator);
    let first = meanings.first()?.strategy;
    if meanings.iter().any(|meaning| meaning.strategy != first) {
        return None;
    }
    let found = if commuted { strategy::commute(first?) } else { first? };
    // A text that is compared as char(n) is another than its bytes say.
    let as_it_is = meanings.iter().all(|meaning| (meaning.left == oid::BPCHAR) == (repr == Repr::Bpchar));
    (as_it_is && (is_integer(repr) || is_its_bytes(repr) && found == strategy::EQUAL)).then_some(found)
}

/// Values are integers, little-endian, in their order.
fn is_integer(repr: Repr) -> bool {
    use Repr::*;
    matches!(repr, Bool | Int2 | Int4 | Int8 | Date | Time | Timestamp | TimestampTz | Decimal { .. })
}

/// Values are equal if their bytes are.
fn is_its_bytes(repr: Repr) -> bool {
    matches!(repr, Repr::Text | Repr::Bpchar | Repr::Uuid)
}

fn integer(bytes: &[u8]) -> i128 {
    let negative = bytes.last().is_some_and(|last| last & 0x80 != 0);
    let mut whole = [if negative { 0xff } else { 0 }; 16];
    whole[..bytes.len()].copy_from_slice(bytes);
    i128::from_le_bytes(whole)
}

/// What a column accepts that is to be less than a value, and so on, which lies there; `None`: that is not known.
fn compared(repr: Repr, strategy: i16, place: Place) -> Option<Accepts> {
    let nothing = || Some(Accepts::OneOf(Vec::new()));
    let (bytes, after) = match place {
        Place::Unknown => return None,
        // Everything is less, or greater.
        Place::Below | Place::Above => {
            let less = matches!(strategy, strategy::LESS | strategy::LESS_EQUAL);
            let all = strategy != strategy::EQUAL && less == (place == Place::Above);
            return if all { Some(Accepts::NotNull) } else { nothing() };
        }
        Place::After(_) if strategy == strategy::EQUAL => return nothing(),
        Place::After(bytes) => (bytes, true),
        Place::At(bytes) => (bytes, false),
    };
    if strategy == strategy::EQUAL {
        return one_of(repr, vec![bytes]);
    }
    let value = integer(&bytes);
    Some(match strategy {
        strategy::LESS | strategy::LESS_EQUAL if after => Accepts::Between(i128::MIN, value),
        strategy::LESS => Accepts::Between(i128::MIN, value.checked_sub(1)?),
        strategy::LESS_EQUAL => Accepts::Between(i128::MIN, value),
        strategy::GREATER_EQUAL if !after => Accepts::Between(value, i128::MAX),
        _ => Accepts::Between(value.checked_add(1)?, i128::MAX),
    })
}

fn one_of(repr: Repr, values: Vec<Vec<u8>>) -> Option<Accepts> {
    if is_integer(repr) && (values.len() == 1 || values.len() > MOST_VALUES) {
        let integers = || values.iter().map(|value| integer(value));
        return Some(Accepts::Between(integers().min()?, integers().max()?));
    }
    (values.len() <= MOST_VALUES).then_some(Accepts::OneOf(values))
}
