//! Operators (`parse_oper.c`, and comparisons of rows of `parse_expr.c`).

use ::error::sqlstate;
use catalog::strategy;
use types::{Oid, Result, oid};

use super::coerce::Coercion;
use super::expr::joined;
use super::state::ParseState;
use super::{error, placed, unsupported};
use crate::parse_oper;
use crate::query::*;

impl ParseState<'_> {
    /// A call of an operator (`make_op`); without a left side it is a prefix operator.
    pub fn make_operator(&mut self, name: &[&str], left: Option<Expr>, right: Expr, location: i32) -> Result<Expr> {
        self.make_op(name, left, right, location).map(Expr::OpExpr)
    }

    fn make_op(&mut self, name: &[&str], left: Option<Expr>, right: Expr, location: i32) -> Result<OpExpr> {
        let name = self.qualified_name(name, location)?;
        let types = (left.as_ref().map(|left| left.ty().oid), right.ty().oid);
        let found = parse_oper::make_op(self.catalog(), name, types.0, types.1).map_err(|e| placed(e, location))?;
        let mut arguments: Vec<Expr> = left.into_iter().chain([right]).collect();
        for (argument, ty) in arguments.iter_mut().zip(&found.operands) {
            self.coerce_argument(argument, *ty)?;
        }
        if self.catalog().function(found.operator.oprcode).is_some_and(|function| function.proretset) {
            return Err(unsupported("an operator that returns a set", location));
        }
        let (operator, function) = (found.operator.oid, found.operator.oprcode);
        let (collation, location) = (oid::INVALID, Location(location));
        Ok(OpExpr { operator, function, result: found.result, collation, arguments, location })
    }

    /// Makes an argument of a call one of the type that the call wants.
    pub(crate) fn coerce_argument(&mut self, argument: &mut Expr, ty: Oid) -> Result<()> {
        if argument.ty().oid == ty {
            return Ok(());
        }
        let value = std::mem::replace(argument, Expr::MergeAction);
        *argument = self.coerce_type(value, TypeRef::of(ty), Coercion::IMPLICIT)?;
        Ok(())
    }

    /// `a op ANY (array)` (`make_scalar_array_op`).
    pub fn make_scalar_array_operator(
        &mut self,
        name: &[&str],
        any: bool,
        scalar: Expr,
        array: Expr,
        location: i32,
    ) -> Result<Expr> {
        let name = self.qualified_name(name, location)?;
        let (left, right) = (scalar.ty().oid, array.ty().oid);
        let found = parse_oper::make_scalar_array_op(self.catalog(), name, left, right);
        let found = found.map_err(|e| placed(e, location))?;
        let (mut scalar, mut array) = (scalar, array);
        self.coerce_argument(&mut scalar, found.operands[0])?;
        self.coerce_argument(&mut array, found.operands[1])?;
        Ok(Expr::ScalarArrayOpExpr(ScalarArrayOpExpr {
            operator: found.operator.oid,
            function: found.operator.oprcode,
            collation: oid::INVALID,
            any,
            scalar: Box::new(scalar),
            array: Box::new(array),
            location: Location(location),
        }))
    }

    /// `IS DISTINCT FROM` (`make_distinct_op`).
    pub(crate) fn make_distinct(&mut self, name: &[&str], left: Expr, right: Expr, location: i32) -> Result<Expr> {
        let equal = self.make_op(name, Some(left), right, location)?;
        if equal.result != oid::BOOL {
            let message = "IS DISTINCT FROM requires = operator to yield boolean";
            return Err(error(sqlstate::DATATYPE_MISMATCH, message, location));
        }
        Ok(Expr::DistinctExpr(equal))
    }

    /// `make_row_distinct_op`: one of the pairs is.
    pub(crate) fn distinct_rows(&mut self, left: Vec<Expr>, right: Vec<Expr>, location: i32) -> Result<Expr> {
        if left.len() != right.len() {
            return Err(error(sqlstate::SYNTAX_ERROR, "unequal number of entries in row expressions", location));
        }
        let mut tests = Vec::with_capacity(left.len());
        for (left, right) in left.into_iter().zip(right) {
            tests.push(self.make_distinct(&["="], left, right, location)?);
        }
        if tests.is_empty() {
            return Ok(super::coerce::literal(oid::BOOL, types::Datum::Bool(false)));
        }
        Ok(joined(BoolOperator::Or, tests, Location(location)))
    }

    /// A comparison of rows (`make_row_comparison_op`). Equality is an AND, `<>` an OR; an ordering goes by the first pair
    /// that differs.
    pub(crate) fn compare_rows(
        &mut self,
        name: &[&str],
        left: Vec<Expr>,
        right: Vec<Expr>,
        location: i32,
    ) -> Result<Expr> {
        let place = location;
        if left.len() != right.len() {
            return Err(error(sqlstate::SYNTAX_ERROR, "unequal number of entries in row expressions", place));
        }
        if left.is_empty() {
            return Err(error(sqlstate::FEATURE_NOT_SUPPORTED, "cannot compare rows of zero length", place));
        }
        let mut pairs = Vec::with_capacity(left.len());
        for (left, right) in left.into_iter().zip(right) {
            let pair = self.make_op(name, Some(left), right, location)?;
            if pair.result != oid::BOOL {
                let found = self.type_text(pair.result);
                let message = format!("row comparison operator must yield type boolean, not type {found}");
                return Err(error(sqlstate::DATATYPE_MISMATCH, message, place));
            }
            pairs.push(pair);
        }
        if pairs.len() == 1 {
            return Ok(Expr::OpExpr(pairs.remove(0)));
        }
        let undetermined = || {
            let last = name.last().copied().unwrap_or_default();
            let message = format!("could not determine interpretation of row comparison operator {last}");
            error(sqlstate::FEATURE_NOT_SUPPORTED, message, place)
                .hint("Row comparison operators must be associated with btree operator families.")
        };
        let operators: Vec<Oid> = pairs.iter().map(|pair| pair.operator).collect();
        let compare = self.row_comparison(&operators).ok_or_else(undetermined)?;
        let all = |pairs: Vec<OpExpr>| pairs.into_iter().map(Expr::OpExpr).collect();
        match compare {
            CompareType::Equal => Ok(joined(BoolOperator::And, all(pairs), Location(location))),
            CompareType::NotEqual => Ok(joined(BoolOperator::Or, all(pairs), Location(location))),
            compare => {
                let (mut left, mut right) = (Vec::new(), Vec::new());
                for pair in pairs {
                    let mut sides = pair.arguments.into_iter();
                    left.extend(sides.next());
                    right.extend(sides.next());
                }
                let collations = vec![oid::INVALID; operators.len()];
                Ok(Expr::RowCompare(RowCompareExpr { compare, operators, collations, left, right }))
            }
        }
    }

    /// What all of several operators mean in families that order: the least that they have in common.
    fn row_comparison(&self, operators: &[Oid]) -> Option<CompareType> {
        let meanings = |operator: &Oid| -> Vec<i16> {
            let all = self.catalog().operator_interpretations(*operator);
            all.iter().map(|one| one.strategy.unwrap_or(NOT_EQUAL)).collect()
        };
        let (first, rest) = operators.split_first()?;
        let mut common = meanings(first);
        for operator in rest {
            let others = meanings(operator);
            common.retain(|meaning| others.contains(meaning));
        }
        Some(match common.into_iter().min()? {
            strategy::LESS => CompareType::Less,
            strategy::LESS_EQUAL => CompareType::LessEqual,
            strategy::EQUAL => CompareType::Equal,
            strategy::GREATER_EQUAL => CompareType::GreaterEqual,
            strategy::GREATER => CompareType::Greater,
            _ => CompareType::NotEqual,
        })
    }

    /// The order that `USING operator` says: the operator, its equality, whether that hashes, whether it is `>`.
    pub(crate) fn ordering_operator(&self, names: &[&str], ty: Oid, place: i32) -> Result<(Oid, Oid, bool, bool)> {
        let name = self.qualified_name(names, place)?;
        let operator = parse_oper::compatible_oper(self.catalog(), name, ty, ty).map_err(|e| placed(e, place))?;
        let order = self.catalog().ordering_properties(operator.oid);
        let equality = self.catalog().equality_of_ordering(operator.oid);
        let (Some(order), Some(equality)) = (order, equality) else {
            let message = format!("operator {} is not a valid ordering operator", name.name);
            let hint = "Ordering operators must be \"<\" or \">\" members of btree operator families.";
            return Err(error(sqlstate::WRONG_OBJECT_TYPE, message, place).hint(hint));
        };
        Ok((operator.oid, equality, self.catalog().is_hashjoinable(equality, ty), order.descending))
    }
}

/// Behind the strategies of `btree`.
const NOT_EQUAL: i16 = i16::MAX;
