//! Casts that are no calls of functions.

use analyze::query::{CoerceViaIo, RelabelType, TypeRef};
use catalog::Catalog;
use types::{BaseType, Error, Oid, Reader, Repr, Result, oid};

use super::{Compiler, representation};
use crate::node::{Kind, Node};

/// How the values of a type are read and written. Fails with 0A000 where they are not here.
pub(crate) fn base_type(catalog: Catalog<'_>, ty: Oid) -> Result<&'static BaseType> {
    let missing = || Error::unsupported(format_args!("type {}", catalog.format_type(ty)));
    types::base_type::base_type(catalog.value_type(ty)).ok_or_else(missing)
}

impl Compiler<'_> {
    pub(super) fn relabel(&mut self, e: &RelabelType) -> Result<Node> {
        let node = self.node(&e.argument)?;
        match node.repr {
            // The digits that it has are not the modifier's.
            Repr::Numeric | Repr::Decimal { .. } => Ok(node),
            // `anyarray` and its like are what they stand for.
            repr => {
                let wanted = super::representation(self.catalog, TypeRef::of(e.result.oid)).unwrap_or(repr);
                representation::convert(node, wanted)
            }
        }
    }

    pub(super) fn through_text(&mut self, e: &CoerceViaIo) -> Result<Node> {
        let source = e.argument.ty().oid;
        let repr = super::representation(self.catalog, TypeRef::of(e.result))?;
        let node = self.functions_arguments(std::slice::from_ref(&e.argument))?.remove(0);
        let text = |ty: Oid| {
            matches!(self.catalog.base_type(ty), oid::TEXT | oid::VARCHAR | oid::BPCHAR | oid::CSTRING | oid::UNKNOWN)
        };
        let output = match node.repr {
            Repr::Text | Repr::Bpchar => None,
            _ => Some(base_type(self.catalog, source)?),
        };
        let input = (!text(e.result)).then(|| Reader::of(self.catalog.base_type(e.result)));
        Ok(Node::new(Kind::ThroughText { output, input }, vec![node], repr))
    }
}
