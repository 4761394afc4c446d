//! Rows: comparisons and tests.

use std::cmp::Ordering;

use analyze::query::{BoolOperator, CompareType, Expr, NullTest, RowCompareExpr, TypeRef};
use catalog::strategy;
use types::{Error, Repr, Result, oid};

use super::{Compiler, junction};
use crate::node::{CallNode, Kind, Node, RowColumn};

impl Compiler<'_> {
    pub(super) fn row_compare(&mut self, e: &RowCompareExpr) -> Result<Node> {
        let (wanted, accept): (i16, fn(Ordering) -> bool) = match e.compare {
            CompareType::Less => (strategy::LESS, Ordering::is_lt),
            CompareType::LessEqual => (strategy::LESS_EQUAL, Ordering::is_le),
            CompareType::GreaterEqual => (strategy::GREATER_EQUAL, Ordering::is_ge),
            CompareType::Greater => (strategy::GREATER, Ordering::is_gt),
            CompareType::Equal | CompareType::NotEqual => {
                return Err(Error::new("XX000", "unexpected comparison of rows"));
            }
        };
        let (mut columns, mut children) = (Vec::new(), Vec::new());
        for ((operator, left), right) in e.operators.iter().zip(&e.left).zip(&e.right) {
            columns.push(RowColumn { compare: self.row_column(*operator, wanted)? });
            children.extend(self.functions_arguments(&[left.clone(), right.clone()])?);
        }
        Ok(Node::new(Kind::RowCompare { columns, accept }, children, Repr::Bool))
    }

    /// What compares a pair of columns: the order in which an operator is `<`, `<=`, `>=` or `>`.
    fn row_column(&self, operator: types::Oid, wanted: i16) -> Result<CallNode> {
        let orders = self.catalog.operator_interpretations(operator);
        let order = orders.into_iter().find(|order| order.strategy == Some(wanted));
        let compare = order.and_then(|order| {
            let function = self.catalog.opfamily_proc(order.family, order.left, order.right, 1)?;
            Some((function, [order.left, order.right]))
        });
        let (function, types) = compare.ok_or_else(|| Error::new("XX000", "an operator without an order"))?;
        self.call_node(function, &types, TypeRef::of(oid::INT4))
    }

    /// `ROW(a, b) IS NULL`: all fields are. Fields that are rows count as values.
    pub(super) fn row_test(&mut self, e: &NullTest) -> Result<Node> {
        let Expr::Row(row) = &e.argument else { return Err(Error::unsupported("a row")) };
        let tests = row.fields.iter().map(|field| {
            let children = vec![self.node(field)?];
            Ok(Node::new(Kind::NullTest { is_null: e.is_null }, children, Repr::Bool))
        });
        let tests = tests.collect::<Result<_>>()?;
        Ok(Node::new(junction(BoolOperator::And), tests, Repr::Bool))
    }
}
