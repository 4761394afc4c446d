//! Which operands PostgreSQL's operators of bits and of patterns take: DataFusion would convert others by itself.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::logical_expr::expr::{BinaryExpr, Cast};
use datafusion::logical_expr::{Expr, Operator};
use engine::EngineError;

use crate::errors::wrap;
use crate::semantics::{category, literal_text, missing_operator, typed_literal};

/// Does the operator match a text against a pattern?
pub fn is_pattern(op: Operator) -> bool {
    use Operator as O;
    matches!(
        op,
        O::RegexMatch
            | O::RegexIMatch
            | O::RegexNotMatch
            | O::RegexNotIMatch
            | O::LikeMatch
            | O::ILikeMatch
            | O::NotLikeMatch
            | O::NotILikeMatch
    )
}

/// Refuses operands that PostgreSQL has no operator for. An expression if the operands or the result get another type.
pub fn checked(left: &Expr, lt: &DataType, op: Operator, right: &Expr, rt: &DataType) -> Result<Option<Expr>> {
    let unknown = |expr: &Expr, ty: &DataType| literal_text(expr) || *ty == DataType::Null;
    let missing = || Err(missing_operator(op, lt, rt));
    match op {
        op if is_pattern(op) => {
            let text = |expr: &Expr, ty: &DataType| unknown(expr, ty) || category(ty) == 'S';
            if text(left, lt) && text(right, rt) { Ok(None) } else { missing() }
        }
        Operator::BitwiseAnd | Operator::BitwiseOr | Operator::BitwiseXor => {
            let integer = |expr: &Expr, ty: &DataType| unknown(expr, ty) || ty.is_integer();
            if !integer(left, lt) || !integer(right, rt) {
                return missing();
            }
            let (left, right) = match (literal_text(left), literal_text(right)) {
                (true, false) if rt.is_integer() => (typed_literal(left.clone(), rt)?, right.clone()),
                (false, true) if lt.is_integer() => (left.clone(), typed_literal(right.clone(), lt)?),
                _ => return Ok(None),
            };
            Ok(Some(binary(left, op, right)))
        }
        Operator::BitwiseShiftLeft | Operator::BitwiseShiftRight => {
            if !lt.is_integer() || !(unknown(right, rt) || rt.is_integer() && *rt != DataType::Int64) {
                return missing();
            }
            if *lt == DataType::Int16 && op == Operator::BitwiseShiftLeft {
                return Err(wrap(EngineError::unsupported("smallint << integer").hint("Cast to integer.")));
            }
            let right =
                if literal_text(right) { typed_literal(right.clone(), &DataType::Int32)? } else { right.clone() };
            let shifted = binary(left.clone(), op, right);
            Ok(Some(match lt {
                DataType::Int16 => Expr::Cast(Cast::new(Box::new(shifted), DataType::Int16)),
                _ => shifted,
            }))
        }
        _ => Ok(None),
    }
}

fn binary(left: Expr, op: Operator, right: Expr) -> Expr {
    Expr::BinaryExpr(BinaryExpr { left: Box::new(left), op, right: Box::new(right) })
}
