//! `= ANY` of arrays that are no short lists.

use types::array::ArrayView;
use types::array::any::{Members, Quantifier};
use types::{Datum, Oid, Repr, Result, oid};

use analyze::query::{ScalarArrayOpExpr, TypeRef};
use catalog::INDETERMINATE_COLLATION;

use super::Compiler;
use crate::evaluate::any::{AnyOfArray, AnyOfMembers};
use crate::node::{CallNode, Kind, Node};

impl Compiler<'_> {
    pub(super) fn any_of_array(
        &self,
        e: &ScalarArrayOpExpr,
        compare: CallNode,
        mut children: Vec<Node>,
        array: Node,
        element: Oid,
    ) -> Result<Node> {
        let quantifier = if e.any { Quantifier::Any } else { Quantifier::All };
        let constant = array.constant().map(|value| Datum::of(value.array(), 0));
        if let Some(Datum::Bytes(bytes)) = constant
            && e.collation != INDETERMINATE_COLLATION
            && self.is_equality(e, element)
        {
            let members = AnyOfMembers { members: Members::new(&ArrayView::new(&bytes)), quantifier };
            return Ok(Node::new(Kind::AnyOfMembers(Box::new(members)), children, Repr::Bool));
        }
        let any = AnyOfArray {
            compare,
            quantifier,
            value: children[0].repr,
            element: super::representation(self.catalog, TypeRef::of(element))?,
        };
        children.push(array);
        Ok(Node::new(Kind::AnyOfArray(any), children, Repr::Bool))
    }

    /// Whether it is `= ANY` or `<> ALL`, by the equality of the values' and the elements' one type.
    fn is_equality(&self, e: &ScalarArrayOpExpr, element: Oid) -> bool {
        let equal = self.catalog.comparison(element).equal;
        let operator = if e.any { Some(e.operator) } else { self.catalog.negator(e.operator) };
        let like = |ty: Oid| self.catalog.is_binary_coercible(ty, element);
        equal.is_some() && equal == operator && element != oid::RECORD && like(e.scalar.ty().oid)
    }
}
