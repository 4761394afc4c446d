//! Rows: comparisons and tests.

use std::cmp::Ordering;

use analyze::query::{CompareType, FieldSelect, NullTest, RowCompareExpr, RowExpr, TypeRef};
use catalog::strategy;
use error::sqlstate;
use types::record::{RowNames, RowShape};
use types::{Error, Repr, Result, oid};

use super::Compiler;
use crate::evaluate::row::RowNode;
use crate::node::{CallNode, Kind, Node, RowColumn};

impl Compiler<'_> {
    pub(super) fn row_compare(&mut self, e: &RowCompareExpr) -> Result<Node> {
        let (wanted, accept): (i16, fn(Ordering) -> bool) = match e.compare {
            CompareType::Less => (strategy::LESS, Ordering::is_lt),
            CompareType::LessEqual => (strategy::LESS_EQUAL, Ordering::is_le),
            CompareType::GreaterEqual => (strategy::GREATER_EQUAL, Ordering::is_ge),
            CompareType::Greater => (strategy::GREATER, Ordering::is_gt),
            CompareType::Equal | CompareType::NotEqual => {
                return Err(Error::new(sqlstate::INTERNAL_ERROR, "unexpected comparison of rows"));
            }
        };
        let (mut columns, mut children) = (Vec::new(), Vec::new());
        let operators = e.operators.iter().zip(&e.collations);
        for (((operator, collation), left), right) in operators.zip(&e.left).zip(&e.right) {
            columns.push(RowColumn { compare: self.row_column(*operator, *collation, wanted)? });
            children.extend(self.functions_arguments(&[left.clone(), right.clone()])?);
        }
        Ok(Node::new(Kind::RowCompare { columns, accept }, children, Repr::Bool))
    }

    /// What compares a pair of columns: the order in which an operator is `<`, `<=`, `>=` or `>`.
    fn row_column(&self, operator: types::Oid, collation: types::Oid, wanted: i16) -> Result<CallNode> {
        let orders = self.catalog.operator_interpretations(operator);
        let order = orders.into_iter().find(|order| order.strategy == Some(wanted));
        let compare = order.and_then(|order| {
            let function = self.catalog.opfamily_proc(order.family, order.left, order.right, 1)?;
            Some((function, [order.left, order.right]))
        });
        let (function, types) =
            compare.ok_or_else(|| Error::new(sqlstate::INTERNAL_ERROR, "an operator without an order"))?;
        self.call_node_in(collation, function, &types, TypeRef::of(oid::INT4))
    }

    pub(super) fn row(&mut self, e: &RowExpr) -> Result<Node> {
        let children = self.functions_arguments(&e.fields)?;
        let columns = e.fields.iter().zip(&children).map(|(field, node)| (field.ty().oid, node.repr)).collect();
        // A composite type's are in the catalog.
        let names = e.names.iter().filter(|_| e.ty == oid::RECORD).map(String::as_str);
        let shape = RowShape { ty: e.ty, names: RowNames::new(names), columns };
        Ok(Node::new(Kind::Row(RowNode { shape }), children, Repr::Record))
    }

    pub(super) fn field(&mut self, e: &FieldSelect) -> Result<Node> {
        let row = self.node(&e.row)?;
        let repr = super::representation(self.catalog, TypeRef::of(e.result.oid))?;
        Ok(Node::new(Kind::Field((e.field as usize).saturating_sub(1)), vec![row], repr))
    }

    /// `ROW(a, b) IS NULL`: all fields are.
    pub(super) fn row_test(&mut self, e: &NullTest) -> Result<Node> {
        let row = self.node(&e.argument)?;
        Ok(Node::new(Kind::RowNullTest { is_null: e.is_null }, vec![row], Repr::Bool))
    }
}
