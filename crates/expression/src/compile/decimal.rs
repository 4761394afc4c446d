//! Arithmetic and comparisons of `numeric` that stay decimals, where the operands' digits are known.

use std::cmp::Ordering;

use analyze::query::Expr;
use types::decimal::{Digits, product_type, sum_type};
use types::{Datum, Function, Repr, Result, oid};

use super::{Compiler, representation};
use crate::evaluate::call::decimal_of;
use crate::node::{CallNode, DecimalComparison, DecimalOperator, Kind, Node};

/// What a function does that decimals can do too.
#[derive(Clone, Copy)]
pub(super) enum Operation {
    Arithmetic(DecimalOperator),
    Compare(fn(Ordering) -> bool),
}

impl Operation {
    pub fn of(function: &Function) -> Option<Operation> {
        Some(match function.name {
            "numeric_add" => Operation::Arithmetic(DecimalOperator::Add),
            "numeric_sub" => Operation::Arithmetic(DecimalOperator::Subtract),
            "numeric_mul" => Operation::Arithmetic(DecimalOperator::Multiply),
            "numeric_eq" => Operation::Compare(Ordering::is_eq),
            "numeric_ne" => Operation::Compare(Ordering::is_ne),
            "numeric_lt" => Operation::Compare(Ordering::is_lt),
            "numeric_le" => Operation::Compare(Ordering::is_le),
            "numeric_gt" => Operation::Compare(Ordering::is_gt),
            "numeric_ge" => Operation::Compare(Ordering::is_ge),
            _ => return None,
        })
    }

    /// The digits of the result; `None`: there may be too many.
    fn digits(self, a: Digits, b: Digits) -> Option<Digits> {
        match self {
            Operation::Arithmetic(DecimalOperator::Multiply) => product_type(a, b),
            Operation::Arithmetic(_) => sum_type(a, b),
            Operation::Compare(_) => Some((1, 0)),
        }
    }
}

/// An operand, in the ways in which it can be had.
struct Operand {
    node: Node,
    /// What it has as a decimal.
    digits: Option<Digits>,
    /// The node is an integer, and this makes a `numeric` of it.
    to_numeric: Option<CallNode>,
}

impl Operand {
    fn into_decimal(self, (precision, scale): Digits) -> Result<Node> {
        let repr = Repr::Decimal { precision, scale };
        match self.node.repr {
            Repr::Int2 | Repr::Int4 | Repr::Int8 => {
                Ok(Node::new(Kind::Rescale { precision, scale }, vec![self.node], repr))
            }
            _ => match as_decimal(&self.node) {
                Some((value, _)) => Ok(representation::constant(&value, repr)),
                None => representation::convert(self.node, repr),
            },
        }
    }

    fn into_numeric(self) -> Result<Node> {
        match self.to_numeric {
            Some(call) => Ok(Node::new(Kind::Call(call), vec![self.node], Repr::Numeric)),
            None => representation::convert(self.node, Repr::Numeric),
        }
    }
}

/// A constant's digits, with the type that has room for them.
fn as_decimal(node: &Node) -> Option<(Datum, Digits)> {
    decimal_of(node.constant().filter(|_| node.repr == Repr::Numeric)?)
}

impl Compiler<'_> {
    /// An [`Operation`] of `numeric`: of decimals if both operands can be some, and one is no constant.
    pub(super) fn on_numbers(&mut self, call: CallNode, arguments: &[Expr]) -> Result<Node> {
        let (a, b) = (self.operand(&arguments[0])?, self.operand(&arguments[1])?);
        let operation = Operation::of(call.function).expect("it is one");
        let is_column = |operand: &Operand| super::call::is_decimal(&operand.node);
        if (is_column(&a) || is_column(&b))
            && let (Some(x), Some(y)) = (a.digits, b.digits)
            && let Some((precision, scale)) = operation.digits(x, y)
        {
            let children = vec![a.into_decimal(x)?, b.into_decimal(y)?];
            return Ok(match operation {
                Operation::Compare(accept) => {
                    Node::new(Kind::DecimalCompare(DecimalComparison { accept, call }), children, Repr::Bool)
                }
                Operation::Arithmetic(operator) => {
                    Node::new(Kind::Decimal(operator), children, Repr::Decimal { precision, scale })
                }
            });
        }
        // A parameter's value shows when it runs whether it is a decimal.
        let is_parameter = |operand: &Operand| matches!(operand.node.kind, Kind::External(_) | Kind::Exec(_));
        if let Operation::Compare(accept) = operation
            && ((is_column(&a) && is_parameter(&b)) || (is_parameter(&a) && is_column(&b)))
        {
            let comparison = Kind::DecimalCompare(DecimalComparison { accept, call });
            return Ok(Node::new(comparison, vec![a.node, b.node], Repr::Bool));
        }
        let children = vec![a.into_numeric()?, b.into_numeric()?];
        let repr = if matches!(operation, Operation::Compare(_)) { Repr::Bool } else { Repr::Numeric };
        Ok(Node::new(Kind::Call(call), children, repr))
    }

    fn operand(&mut self, expr: &Expr) -> Result<Operand> {
        if let Expr::FuncExpr(cast) = expr
            && let [argument] = cast.arguments.as_slice()
            && cast.result.oid == oid::NUMERIC
            && let Some(digits) = integer_digits(argument.ty().oid)
        {
            let call = self.call_node(cast.function, &[argument.ty().oid], cast.result)?;
            if call.function.name == "numeric" {
                return Ok(Operand { node: self.node(argument)?, digits: Some(digits), to_numeric: Some(call) });
            }
        }
        let node = self.node(expr)?;
        let digits = match node.repr {
            Repr::Decimal { precision, scale } => Some((precision, scale)),
            _ => as_decimal(&node).map(|(_, digits)| digits),
        };
        Ok(Operand { node, digits, to_numeric: None })
    }
}

/// The digits that integers of a type have at most.
fn integer_digits(ty: types::Oid) -> Option<Digits> {
    match ty {
        oid::INT2 => Some((5, 0)),
        oid::INT4 => Some((10, 0)),
        oid::INT8 => Some((19, 0)),
        _ => None,
    }
}
