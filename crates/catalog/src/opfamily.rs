//! What the access methods say that operators mean: `=`, `<`, `>` of a type, which order a value has, what can be hashed and
//! merged (the operators' part of PostgreSQL's `lsyscache.c`). Names of operators say nothing.

use types::{Oid, oid};

use crate::catalogs::PgAmop;
use crate::syscache::Catalog;
use crate::typcache::{BTREE, strategy};

/// Equality of what is made of parts: whether it can be hashed or sorted depends on them.
const ARRAY_EQ: Oid = 1070;
const RECORD_EQ: Oid = 2988;
const RANGE_EQ: Oid = 3882;
const MULTIRANGE_EQ: Oid = 2860;

/// An operator as the order of a type: [`Catalog::ordering_properties`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ordering {
    pub family: Oid,
    pub ty: Oid,
    /// It is `>`: largest first.
    pub descending: bool,
}

/// What an operator means in a family: [`Catalog::operator_interpretations`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interpretation {
    pub family: Oid,
    /// `None`: not equal.
    pub strategy: Option<i16>,
    pub left: Oid,
    pub right: Oid,
}

impl<'a> Catalog<'a> {
    /// Where an operator is a member of families that order, by the families' oids.
    fn btree_members(self, operator: Oid) -> Vec<&'a PgAmop> {
        let mut members: Vec<_> = self.amops_of_operator(operator).filter(|row| row.amopmethod == BTREE).collect();
        members.sort_by_key(|row| row.amopfamily);
        members
    }

    /// The order that an operator sorts by, if it is `<` or `>` of a type (`get_ordering_op_properties`).
    pub fn ordering_properties(self, operator: Oid) -> Option<Ordering> {
        self.btree_members(operator).into_iter().find_map(|row| {
            let descending = match row.amopstrategy {
                strategy::LESS => false,
                strategy::GREATER => true,
                _ => return None,
            };
            let ty = row.amoplefttype;
            (ty == row.amoprighttype).then_some(Ordering { family: row.amopfamily, ty, descending })
        })
    }

    /// The `=` that goes with a `<` or a `>` (`get_equality_op_for_ordering_op`).
    pub fn equality_of_ordering(self, operator: Oid) -> Option<Oid> {
        let Ordering { family, ty, .. } = self.ordering_properties(operator)?;
        self.opfamily_member(family, ty, ty, strategy::EQUAL)
    }

    /// The `<` of the type to the left or to the right of an `=` (`get_ordering_op_for_equality_op`).
    pub fn ordering_of_equality(self, operator: Oid, of_left: bool) -> Option<Oid> {
        let members = self.btree_members(operator).into_iter().filter(|row| row.amopstrategy == strategy::EQUAL);
        let mut less = members.filter_map(|row| {
            let ty = if of_left { row.amoplefttype } else { row.amoprighttype };
            self.opfamily_member(row.amopfamily, ty, ty, strategy::LESS)
        });
        less.next()
    }

    /// The families by whose order an `=` can be merged (`get_mergejoin_opfamilies`).
    pub fn mergejoin_opfamilies(self, operator: Oid) -> Vec<Oid> {
        let members = self.btree_members(operator).into_iter().filter(|row| row.amopstrategy == strategy::EQUAL);
        members.map(|row| row.amopfamily).collect()
    }

    /// Whether rows can be joined by sorting both sides; `ty` is the type to the left (`op_mergejoinable`).
    pub fn is_mergejoinable(self, operator: Oid, ty: Oid) -> bool {
        match operator {
            ARRAY_EQ | RECORD_EQ => self.comparison(ty).compare.is_some(),
            _ => self.operator(operator).is_some_and(|row| row.oprcanmerge),
        }
    }

    /// Whether rows can be joined by hashing both sides; `ty` is the type to the left (`op_hashjoinable`).
    pub fn is_hashjoinable(self, operator: Oid, ty: Oid) -> bool {
        match operator {
            ARRAY_EQ | RECORD_EQ | RANGE_EQ | MULTIRANGE_EQ => self.comparison(ty).hash.is_some(),
            _ => self.operator(operator).is_some_and(|row| row.oprcanhash),
        }
    }

    /// All that an operator means in families that order; `<>` is in none and means the negation of its negator
    /// (`get_op_index_interpretation`).
    pub fn operator_interpretations(self, operator: Oid) -> Vec<Interpretation> {
        let interpretation = |row: &PgAmop, strategy| Interpretation {
            family: row.amopfamily,
            strategy,
            left: row.amoplefttype,
            right: row.amoprighttype,
        };
        let members = self.btree_members(operator);
        if !members.is_empty() {
            return members.into_iter().map(|row| interpretation(row, Some(row.amopstrategy))).collect();
        }
        let negator = self.negator(operator).unwrap_or(oid::INVALID);
        let equal = self.btree_members(negator).into_iter().filter(|row| row.amopstrategy == strategy::EQUAL);
        equal.map(|row| interpretation(row, None)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CATALOG: Catalog<'static> = Catalog::BUILT_IN;

    #[test]
    fn operators_of_an_order_belong_together() {
        // int4 < and >, and int4 < int8, which is no order of one type.
        let ordering = Ordering { family: 1976, ty: oid::INT4, descending: false };
        assert_eq!(CATALOG.ordering_properties(97), Some(ordering));
        assert_eq!(CATALOG.ordering_properties(521), Some(Ordering { descending: true, ..ordering }));
        assert_eq!(CATALOG.ordering_properties(37), None);
        assert_eq!(CATALOG.equality_of_ordering(97), Some(96));
        assert_eq!(CATALOG.ordering_of_equality(96, true), Some(97));
        // int4 = int8, by the order of bigint.
        assert_eq!(CATALOG.ordering_of_equality(15, false), Some(412));
        // text = is in the family of LIKE's patterns too.
        assert_eq!(CATALOG.mergejoin_opfamilies(98), [1994, 2095]);
        assert_eq!(CATALOG.ordering_of_equality(98, true), Some(664));
        // int4 <>
        let unequal = Interpretation { family: 1976, strategy: None, left: oid::INT4, right: oid::INT4 };
        assert_eq!(CATALOG.operator_interpretations(518), [unequal]);
    }

    #[test]
    fn parts_decide_what_can_be_hashed() {
        assert!(CATALOG.is_hashjoinable(96, oid::INT4) && CATALOG.is_mergejoinable(96, oid::INT4));
        assert!(CATALOG.is_hashjoinable(ARRAY_EQ, oid::TEXT_ARRAY));
        // money[] has an order and no hash; json[] has neither.
        let array = |ty| CATALOG.array_type(ty).unwrap();
        assert!(!CATALOG.is_hashjoinable(ARRAY_EQ, array(oid::MONEY)));
        assert!(CATALOG.is_mergejoinable(ARRAY_EQ, array(oid::MONEY)));
        assert!(!CATALOG.is_mergejoinable(ARRAY_EQ, array(oid::JSON)));
        assert!(!CATALOG.is_hashjoinable(RECORD_EQ, oid::RECORD) && CATALOG.is_mergejoinable(RECORD_EQ, oid::RECORD));
    }
}
