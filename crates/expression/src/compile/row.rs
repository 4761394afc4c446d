//! Rows: comparisons and tests.

use std::cmp::Ordering;

use analyze::query::{
    Collation, CompareType, Const, Expr, FieldSelect, FieldStore, Location, NullTest, RowCompareExpr, RowExpr, TypeRef,
};
use catalog::strategy;
use error::sqlstate;
use types::record::{RowNames, RowShape};
use types::{Datum, Error, Repr, Result, oid};

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
        let is_dropped = |at: usize| e.ty != oid::RECORD && e.names.get(at).is_some_and(String::is_empty);
        let column = |(at, (field, node)): (usize, (&Expr, &Node))| match is_dropped(at) {
            true => (oid::INVALID, node.repr),
            false => (field.ty().oid, node.repr),
        };
        let columns = e.fields.iter().zip(&children).enumerate().map(column).collect();
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

    /// A row with another field as its fields: those of the row before are looked at one by one, or were assigned to before.
    pub(super) fn stored_fields(&self, e: &FieldStore) -> Result<RowExpr> {
        let mut made = match &e.row {
            Expr::FieldStore(before) => self.stored_fields(before)?,
            row => self.fields_of(row, e.result)?,
        };
        let place = usize::try_from(e.field - 1).ok().and_then(|at| made.fields.get_mut(at));
        let missing = || Error::new(sqlstate::INTERNAL_ERROR, "a field that a row does not have");
        *place.ok_or_else(missing)? = e.value.clone();
        Ok(made)
    }

    fn fields_of(&self, row: &Expr, ty: TypeRef) -> Result<RowExpr> {
        let relation = self.catalog.type_relation(ty.oid).unwrap_or(oid::INVALID);
        let mut columns: Vec<_> = self.catalog.attributes(relation).filter(|column| column.attnum > 0).collect();
        columns.sort_unstable_by_key(|column| column.attnum);
        let (mut fields, mut names) = (Vec::with_capacity(columns.len()), Vec::with_capacity(columns.len()));
        for column in columns {
            let (result, collation) = (TypeRef { oid: column.atttypid, typmod: column.atttypmod }, column.attcollation);
            let select =
                FieldSelect { row: row.clone(), field: column.attnum, result, collation: Collation(collation) };
            let dropped = Const { ty: TypeRef::of(oid::INT4), value: Datum::Null, location: Location::NONE };
            fields.push(if column.attisdropped { Expr::Const(dropped) } else { Expr::FieldSelect(Box::new(select)) });
            names.push(if column.attisdropped { String::new() } else { column.attname.to_string() });
        }
        Ok(RowExpr { fields, ty: ty.oid, names, location: Location::NONE })
    }

    /// `ROW(a, b) IS NULL`: all fields are.
    pub(super) fn row_test(&mut self, e: &NullTest) -> Result<Node> {
        let row = self.node(&e.argument)?;
        Ok(Node::new(Kind::RowNullTest { is_null: e.is_null }, vec![row], Repr::Bool))
    }
}
