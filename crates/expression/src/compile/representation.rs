//! How values lie in columns, and nodes that change it.

use analyze::query::{Const, TypeRef};
use catalog::Catalog;
use error::sqlstate;
use types::{Argument, Datum, Error, Repr, Result, oid};

use super::Compiler;
use crate::node::{Kind, Node};

/// The representation of a type: that of columns of tables. Fails with 0A000 where values of the type are not here.
pub fn representation(catalog: Catalog<'_>, ty: TypeRef) -> Result<Repr> {
    let (base, typmod) = catalog.base_type_and_typmod(ty.oid, ty.typmod);
    if let Some(repr) = Repr::of(base, typmod) {
        return Ok(repr);
    }
    match catalog.repr(base, typmod) {
        // The only value of this type shows as nothing.
        _ if base == oid::VOID => Ok(Repr::Text),
        Some(repr) => Ok(repr),
        None if catalog.is_array(base) => Ok(Repr::Array),
        None => Err(Error::unsupported(format_args!("type {}", catalog.format_type(ty.oid)))),
    }
}

/// How the value of a constant is held.
pub fn constant_repr(constant: &Const, catalog: Catalog<'_>) -> Result<Repr> {
    match (&constant.value, catalog.base_type(constant.ty.oid)) {
        // Values of a modified type are `numeric` as all others; decimals are columns.
        (Datum::Bytes(_), oid::NUMERIC) => Ok(Repr::Numeric),
        _ => representation(catalog, constant.ty),
    }
}

/// A constant of a representation.
pub(crate) fn constant(value: &Datum, repr: Repr) -> Node {
    Node::leaf(Kind::Constant(Argument::constant(value.to_array(repr))), repr)
}

impl Compiler<'_> {
    pub fn constant(&self, constant: &Const) -> Result<Node> {
        Ok(self::constant(&constant.value, constant_repr(constant, self.catalog)?))
    }
}

/// The values of a node in another representation of the same type.
pub(crate) fn convert(node: Node, wanted: Repr) -> Result<Node> {
    if node.repr == wanted {
        return Ok(node);
    }
    if node.is_null_constant() {
        return Ok(constant(&Datum::Null, wanted));
    }
    let kind = match (node.repr, wanted) {
        (Repr::Decimal { .. }, Repr::Numeric) => Kind::ToNumeric,
        (Repr::Decimal { precision: p, scale: s }, Repr::Decimal { precision, scale })
            if scale >= s && i16::from(precision) - i16::from(scale) >= i16::from(p) - i16::from(s) =>
        {
            Kind::Rescale { precision, scale }
        }
        (Repr::Decimal { .. } | Repr::Numeric, Repr::Decimal { precision, scale }) => {
            Kind::ToDecimal { precision, scale }
        }
        (from, to) if from.arrow() == to.arrow() => return Ok(Node { repr: wanted, ..node }),
        (Repr::Int4, Repr::Oid) | (Repr::Oid, Repr::Int4) => Kind::Reinterpret,
        (from, to) => {
            return Err(Error::new(sqlstate::INTERNAL_ERROR, format!("no value of {from:?} is one of {to:?}")));
        }
    };
    Ok(Node::new(kind, vec![node], wanted))
}

/// Nodes of one type in one representation: decimals where all show the same digits, else `numeric` as functions have it.
pub(crate) fn unify(nodes: Vec<Node>) -> Result<(Vec<Node>, Repr)> {
    let mut reprs = nodes.iter().filter(|node| !node.is_null_constant()).map(|node| node.repr);
    let first = reprs.next().unwrap_or(nodes[0].repr);
    let common = reprs.fold(first, |common, repr| match (common, repr) {
        (Repr::Decimal { precision, scale }, Repr::Decimal { precision: p, scale: s }) if scale == s => {
            Repr::Decimal { precision: precision.max(p), scale }
        }
        (Repr::Decimal { .. }, Repr::Decimal { .. } | Repr::Numeric) => Repr::Numeric,
        (common, _) => common,
    });
    let nodes = nodes.into_iter().map(|node| convert(node, common)).collect::<Result<_>>()?;
    Ok((nodes, common))
}
