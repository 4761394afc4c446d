//! How a type's values are compared: its default operator classes (PostgreSQL's `typcache.c`).

use error::sqlstate;
use types::error::{Error, Result};
use types::{Oid, oid};

use crate::syscache::Catalog;

pub const BTREE: Oid = 403;
pub const HASH: Oid = 405;

/// The strategies of `btree` operators.
pub mod strategy {
    pub const LESS: i16 = 1;
    pub const LESS_EQUAL: i16 = 2;
    pub const EQUAL: i16 = 3;
    pub const GREATER_EQUAL: i16 = 4;
    pub const GREATER: i16 = 5;

    /// The comparison with its sides exchanged, and that of values which lie in the reverse order.
    pub fn commute(strategy: i16) -> i16 {
        debug_assert!((LESS..=GREATER).contains(&strategy), "{strategy} is no comparison");
        LESS + GREATER - strategy
    }
}

const HASH_EQUAL: i16 = 1;
const BTREE_ORDER_PROC: i16 = 1;
const HASH_PROC: i16 = 1;

/// The operators and functions that compare the values of a type, for sorting, grouping and hashing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    pub less: Option<Oid>,
    pub equal: Option<Oid>,
    pub greater: Option<Oid>,
    /// The function that gives -1, 0 or 1.
    pub compare: Option<Oid>,
    /// The function that gives a hash of 32 bits; values that are equal have the same.
    pub hash: Option<Oid>,
}

/// The operators that sort and group ask for: [`Catalog::sort_group_operators`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortGroupOperators {
    pub less: Option<Oid>,
    pub equal: Option<Oid>,
    pub greater: Option<Oid>,
    pub hashable: bool,
}

/// What is compared through its parts: the operators and functions of arrays, rows and ranges work for some of them only.
enum Parts {
    Array,
    Record,
    Range,
}

impl Catalog<'_> {
    /// The operator class of a type's values in an access method where none is named (`GetDefaultOpClass`).
    pub fn default_opclass(self, ty: Oid, method: Oid) -> Option<Oid> {
        let ty = self.base_type(ty);
        let (category, _) = self.category(ty);
        if let Some(exact) = self.opclasses_for((method, ty)).find(|class| class.opcdefault) {
            return Some(exact.oid);
        }
        let (mut compatible, mut preferred) = (Vec::new(), Vec::new());
        for class in self.opclasses_of_method(method).filter(|class| class.opcdefault) {
            if self.is_binary_coercible(ty, class.opcintype) {
                let list = if self.is_preferred(category, class.opcintype) { &mut preferred } else { &mut compatible };
                list.push(class.oid);
            }
        }
        // One for the preferred type decides; several of them, or several others, do not.
        match (preferred.as_slice(), compatible.as_slice()) {
            ([class], _) | ([], [class]) => Some(*class),
            _ => None,
        }
    }

    /// How the values of a type are compared.
    pub fn comparison(self, ty: Oid) -> Comparison {
        let family = |method| {
            let class = self.opclass(self.default_opclass(ty, method)?)?;
            Some((class.opcfamily, class.opcintype))
        };
        let (btree, hash) = (family(BTREE), family(HASH));
        let member = |family: Option<(Oid, Oid)>, strategy| {
            family.and_then(|(family, ty)| self.opfamily_member(family, ty, ty, strategy))
        };
        let hash_equal = member(hash, HASH_EQUAL);
        let ordered = |operator: Option<Oid>| operator.filter(|_| self.parts_have(ty, |part| part.less.is_some()));
        let equal = member(btree, strategy::EQUAL).or(hash_equal);
        let equal = equal.filter(|_| self.parts_have(ty, |part| part.equal.is_some()));
        let compare = btree.and_then(|(family, ty)| self.opfamily_proc(family, ty, ty, BTREE_ORDER_PROC));
        let hash = hash.and_then(|(family, ty)| self.opfamily_proc(family, ty, ty, HASH_PROC));
        let hashable = (equal.is_none() || equal == hash_equal) && self.parts_have_hash(ty);
        Comparison {
            less: ordered(member(btree, strategy::LESS)),
            equal,
            greater: ordered(member(btree, strategy::GREATER)),
            compare: ordered(compare),
            hash: hash.filter(|_| hashable),
        }
    }

    fn parts(self, ty: Oid) -> Option<(Parts, Vec<Oid>)> {
        let ty = self.base_type(ty);
        // Nothing is known about the elements of a column of `pg_statistic`, an `anyarray`.
        let unknown = (ty == oid::ANYARRAY).then_some(oid::INVALID);
        if let Some(element) = self.element_type(ty).or(unknown) {
            return Some((Parts::Array, vec![element]));
        }
        if let Some(relation) = self.type_relation(ty) {
            let live = self.attributes(relation).filter(|column| column.attnum > 0 && !column.attisdropped);
            return Some((Parts::Record, live.map(|column| column.atttypid).collect()));
        }
        let range = self.multirange_range(ty).unwrap_or(ty);
        self.range_subtype(range).map(|subtype| (Parts::Range, vec![subtype]))
    }

    /// Whether all parts of a type's values have something. Ranges are not asked: they are not made of types without order.
    fn parts_have(self, ty: Oid, has: impl Fn(&Comparison) -> bool) -> bool {
        match self.parts(ty) {
            None | Some((Parts::Range, _)) => true,
            Some((_, parts)) => parts.into_iter().all(|part| has(&self.comparison(part))),
        }
    }

    fn parts_have_hash(self, ty: Oid) -> bool {
        // Nothing is known about the columns of a record.
        self.base_type(ty) != oid::RECORD
            && self
                .parts(ty)
                .is_none_or(|(_, parts)| parts.into_iter().all(|part| self.comparison(part).hash.is_some()))
    }

    /// The operators by which values of a type are sorted and grouped (`get_sort_group_operators`). Fails with 42883 where
    /// one that is needed does not exist.
    pub fn sort_group_operators(self, ty: Oid, need_order: bool, need_equality: bool) -> Result<SortGroupOperators> {
        let Comparison { less, equal, greater, hash, .. } = self.comparison(ty);
        let missing = |what: &str| {
            Error::new(
                sqlstate::UNDEFINED_FUNCTION,
                format!("could not identify {what} operator for type {}", self.format_type(ty)),
            )
        };
        if need_order && (less.is_none() || greater.is_none()) {
            return Err(missing("an ordering").hint("Use an explicit ordering operator or modify the query."));
        }
        if need_equality && equal.is_none() {
            return Err(missing("an equality"));
        }
        Ok(SortGroupOperators { less, equal, greater, hashable: hash.is_some() })
    }
}
