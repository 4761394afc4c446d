//! Calls of functions and operators.

use analyze::funcapi::result_columns;
use analyze::query::*;
use catalog::INDETERMINATE_COLLATION;
use types::record::{RowNames, RowShape};
use types::{Oid, Repr, Result, oid};

use super::{Compiler, decimal, representation};
use crate::evaluate::compare::Comparison;
use crate::evaluate::row_call::RowCall;
use crate::node::{CallNode, Kind, Node};

impl Compiler<'_> {
    /// A function that is here, to be called with arguments of these types.
    pub fn call_node(&self, function: Oid, arguments: &[Oid], result: TypeRef) -> Result<CallNode> {
        self.call_node_in(oid::INVALID, function, arguments, result)
    }

    /// The same for a collation ([`FuncExpr::collation`]).
    pub fn call_node_in(&self, collation: Oid, function: Oid, arguments: &[Oid], result: TypeRef) -> Result<CallNode> {
        Ok(CallNode {
            function: self.catalog.require_implementation_in(function, collation)?,
            arguments: arguments.into(),
            result: result.oid,
            variadic: false,
            volatile: self.catalog.function(function).is_some_and(|row| row.provolatile == b'v'),
        })
    }

    /// Arguments as declared functions take them: without decimals.
    pub fn functions_arguments(&mut self, arguments: &[Expr]) -> Result<Vec<Node>> {
        let nodes = self.nodes(arguments)?.into_iter();
        nodes
            .map(|node| if is_decimal(&node) { representation::convert(node, Repr::Numeric) } else { Ok(node) })
            .collect()
    }

    pub fn call(&mut self, function: Oid, collation: Oid, arguments: &[Expr], result: TypeRef) -> Result<Node> {
        if let Some(function) = self.catalog.waiting_implementation(function) {
            return self.waiting_call(function, arguments, result);
        }
        let types: Vec<Oid> = arguments.iter().map(|argument| argument.ty().oid).collect();
        let call = self.call_node_in(collation, function, &types, result)?;
        if collation == INDETERMINATE_COLLATION {
            let children = self.functions_arguments(arguments)?;
            let repr = super::representation(self.catalog, TypeRef::of(result.oid))?;
            return Ok(Node::new(Kind::Call(call), children, repr));
        }
        if decimal::Operation::of(call.function).is_some() {
            return self.on_numbers(call, arguments);
        }
        let children = self.functions_arguments(arguments)?;
        if let Some(comparison) = Comparison::of(call.function.name) {
            return Ok(Node::new(Kind::Compare(comparison), children, Repr::Bool));
        }
        // What a function gives is never a decimal, whatever the modifier.
        let repr = super::representation(self.catalog, TypeRef::of(result.oid))?;
        // The casts of int2 to oid and its kin are `int4(int2)`.
        let given = if call.function.result == oid::INT4 { Repr::Int4 } else { repr };
        representation::convert(Node::new(Kind::Call(call), children, given), repr)
    }

    /// A call of a function that gives one row of several columns; `None`: the function is none of these.
    pub fn row_call(&mut self, call: &FuncExpr) -> Result<Option<Node>> {
        let Some(function) = self.catalog.set_implementation(call.function) else { return Ok(None) };
        let Some(columns) = result_columns(self.catalog, call) else { return Ok(None) };
        let children = self.functions_arguments(&call.arguments)?;
        let of_column = |column: &Column| Ok((column.ty.oid, super::representation(self.catalog, column.ty)?));
        let shape = RowShape {
            ty: oid::RECORD,
            names: RowNames::new(columns.iter().map(|column| &*column.name)),
            columns: columns.iter().map(of_column).collect::<Result<_>>()?,
        };
        let volatile = self.catalog.function(call.function).is_some_and(|row| row.provolatile == b'v');
        Ok(Some(Node::new(Kind::RowCall(RowCall { function, shape, volatile }), children, Repr::Record)))
    }

    /// The equality that IS DISTINCT FROM and NULLIF ask, and its arguments.
    pub fn equality(&mut self, e: &OpExpr) -> Result<(CallNode, Vec<Node>)> {
        let children = self.functions_arguments(&e.arguments)?;
        let types: Vec<Oid> = e.arguments.iter().map(|argument| argument.ty().oid).collect();
        Ok((self.call_node_in(e.collation, e.function, &types, TypeRef::of(e.result))?, children))
    }
}

pub(super) fn is_decimal(node: &Node) -> bool {
    matches!(node.repr, Repr::Decimal { .. })
}
