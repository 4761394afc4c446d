//! Arrays: `ARRAY[…]`, subscripts, conversions of elements, `= ANY`.

use analyze::query::*;
use error::sqlstate;
use types::array::ArrayView;
use types::array::column::to_column;
use types::{Argument, Datum, Error, Oid, Repr, Result, oid};

use super::{Compiler, representation};
use crate::evaluate::any::AnyOf;
use crate::evaluate::array::{ArrayNode, CoerceNode, SubscriptNode};
use crate::evaluate::compare::Comparison;
use crate::node::{Kind, Node};

impl Compiler<'_> {
    /// How the elements of an array lie in it.
    fn element_repr(&self, element: Oid) -> Result<Repr> {
        super::representation(self.catalog, TypeRef::of(element))
    }

    pub(super) fn array(&mut self, e: &ArrayExpr) -> Result<Node> {
        let node =
            ArrayNode { element: e.element, repr: self.element_repr(e.element)?, multidimensional: e.multidimensional };
        let children = self.functions_arguments(&e.elements)?;
        Ok(Node::new(Kind::Array(node), children, Repr::Array))
    }

    /// The first child is the array; then come the bounds that are written, then what is assigned.
    pub(super) fn subscript(&mut self, e: &SubscriptingRef) -> Result<Node> {
        let mut children = vec![self.node(&e.array)?];
        for bound in e.lower.iter().chain(&e.upper).flatten() {
            children.push(self.node(bound)?);
        }
        if e.container == oid::NAME && e.lower.is_empty() && e.assigned.is_none() {
            return Ok(Node::new(Kind::CharOfName, children, Repr::Char));
        }
        if e.container == oid::JSONB {
            let assigns = e.assigned.is_some();
            if let Some(assigned) = &e.assigned {
                children.push(self.node(assigned)?);
            }
            return Ok(Node::new(Kind::JsonbSubscript { assigns }, children, Repr::Jsonb));
        }
        if children[0].repr != Repr::Array {
            let name = self.catalog.format_type(e.container);
            return Err(Error::unsupported(format_args!("a subscript of type {name}")));
        }
        let given = |bounds: &[Option<Expr>]| bounds.iter().map(Option::is_some).collect();
        if let Some(assigned) = &e.assigned {
            children.extend(self.functions_arguments(std::slice::from_ref(assigned))?);
        }
        let element = (e.element, self.element_repr(e.element)?);
        let node =
            SubscriptNode { lower: given(&e.lower), upper: given(&e.upper), assigns: e.assigned.is_some(), element };
        let whole = e.assigned.is_some() || !e.lower.is_empty();
        Ok(Node::new(Kind::Subscript(node), children, if whole { Repr::Array } else { element.1 }))
    }

    pub(super) fn array_coerce(&mut self, e: &ArrayCoerce) -> Result<Node> {
        let of = |ty: Oid| {
            let name = || self.catalog.format_type(ty);
            let element = self.catalog.base_element_type(ty);
            element.ok_or_else(|| Error::new(sqlstate::INTERNAL_ERROR, format!("type {} is not an array", name())))
        };
        let (from, to) = (of(e.argument.ty().oid)?, of(e.result.oid)?);
        let array = self.node(&e.argument)?;
        let (from_repr, to_repr) = (self.element_repr(from)?, self.element_repr(to)?);
        let outer = (self.case_test.replace((0, from_repr)), std::mem::take(&mut self.locals));
        self.locals = 1;
        let element = self.node(&e.element).and_then(|node| representation::convert(node, to_repr));
        (self.case_test, self.locals) = outer;
        let element = Box::new(element?);
        let node = CoerceNode { element, from: from_repr, to: (to, to_repr) };
        Ok(Node::new(Kind::ArrayCoerce(node), vec![array], Repr::Array))
    }

    /// `= ANY` and its like.
    pub(super) fn scalar_array(&mut self, e: &ScalarArrayOpExpr) -> Result<Node> {
        let element = match self.catalog.base_element_type(e.array.ty().oid) {
            Some(element) => element,
            None => return Err(Error::unsupported("a comparison with this array")),
        };
        let types = [e.scalar.ty().oid, element];
        let compare = self.call_node_in(e.collation, e.function, &types, TypeRef::of(oid::BOOL))?;
        let scalar = self.functions_arguments(std::slice::from_ref(&e.scalar))?.remove(0);
        let mut children = vec![scalar];
        let native = Comparison::of(compare.function.name);
        match &*e.array {
            Expr::Array(array) if !array.multidimensional && !array.elements.is_empty() => {
                children.extend(self.functions_arguments(&array.elements)?);
            }
            array => {
                let array = self.node(array)?;
                match array.constant().map(|value| Datum::of(value.array(), 0)) {
                    Some(Datum::Bytes(bytes)) if (1..=FEW).contains(&ArrayView::new(&bytes).len()) => {
                        let elements = to_column(&ArrayView::new(&bytes))?;
                        let repr = self.element_repr(element)?;
                        let each = (0..elements.len()).map(|at| Argument::constant(elements.slice(at, 1)));
                        children.extend(each.map(|value| Node::leaf(Kind::Constant(value), repr)));
                    }
                    _ => return self.any_of_array(e, compare, children, array, element),
                }
            }
        }
        Ok(Node::new(Kind::AnyOf(AnyOf { compare, native, any: e.any }), children, Repr::Bool))
    }
}

/// Elements that are compared one by one; more are looked up.
const FEW: usize = 8;
