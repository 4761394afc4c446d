//! Casts that are no calls of functions.

use std::collections::HashMap;
use std::sync::LazyLock;

use analyze::query::{CoerceViaIo, RelabelType, TypeRef};
use catalog::Catalog;
use foldhash::fast::FixedState;
use types::{BASE_TYPES, BaseType, Error, Oid, Repr, Result, oid};

use super::{Compiler, representation};
use crate::node::{Kind, Node};

/// How the values of a type are read and written. Fails with 0A000 where they are not here.
pub(crate) fn base_type(catalog: Catalog<'_>, ty: Oid) -> Result<&'static BaseType> {
    static ALL: LazyLock<HashMap<Oid, &'static BaseType, FixedState>> =
        LazyLock::new(|| BASE_TYPES.iter().copied().flatten().map(|ty| (ty.oid, ty)).collect());
    let missing = || Error::unsupported(format_args!("type {}", catalog.format_type(ty)));
    ALL.get(&catalog.base_type(ty)).copied().ok_or_else(missing)
}

impl Compiler<'_> {
    pub(super) fn relabel(&mut self, e: &RelabelType) -> Result<Node> {
        let node = self.node(&e.argument)?;
        match node.repr {
            // The digits that it has are not the modifier's.
            Repr::Numeric | Repr::Decimal { .. } => Ok(node),
            _ => representation::convert(node, super::representation(self.catalog, TypeRef::of(e.result.oid))?),
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
        let input = if text(e.result) { None } else { Some(base_type(self.catalog, e.result)?) };
        Ok(Node::new(Kind::ThroughText { output, input }, vec![node], repr))
    }
}
