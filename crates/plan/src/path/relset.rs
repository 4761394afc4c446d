//! Sets of range table entries of one query, as joins are searched for: small, copied freely. [`crate::relids::Relids`] is
//! the one for any number of entries.

use std::ops::{BitAnd, BitOr, BitOrAssign, Sub};

use analyze::query::{Expr, RangeTableIndex, Walk};

/// Entries have numbers from 1; 0 stands for the query's result, which needs columns too. The second word goes on where the
/// first one ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rels(u128, u128);

impl Rels {
    pub const EMPTY: Rels = Rels(0, 0);
    /// The query's result.
    pub const RESULT: Rels = Rels(1, 0);
    /// Entries beyond cannot be in a set.
    pub const MOST: u32 = 255;

    /// Empty for an entry that cannot be in a set.
    pub fn of(relation: RangeTableIndex) -> Rels {
        let bit = |from: u32| relation.0.checked_sub(from).and_then(|at| 1u128.checked_shl(at)).unwrap_or(0);
        Rels(bit(0), bit(u128::BITS))
    }

    pub fn is_empty(self) -> bool {
        self == Rels::EMPTY
    }

    pub fn contains(self, relation: RangeTableIndex) -> bool {
        self.overlaps(Rels::of(relation))
    }

    pub fn is_subset(self, of: Rels) -> bool {
        (self - of).is_empty()
    }

    pub fn overlaps(self, other: Rels) -> bool {
        !(self & other).is_empty()
    }

    pub fn len(self) -> u32 {
        self.0.count_ones() + self.1.count_ones()
    }

    /// The member, if there is one only.
    pub fn singleton(self) -> Option<RangeTableIndex> {
        (self.len() == 1).then(|| self.first())
    }

    pub fn iter(self) -> impl Iterator<Item = RangeTableIndex> {
        let mut rest = self;
        std::iter::from_fn(move || {
            (!rest.is_empty()).then(|| {
                let first = rest.first();
                rest = rest - Rels::of(first);
                first
            })
        })
    }

    /// The least number of those that are not empty.
    fn first(self) -> RangeTableIndex {
        RangeTableIndex(match self.0 {
            0 => u128::BITS + self.1.trailing_zeros(),
            low => low.trailing_zeros(),
        })
    }
}

impl BitOr for Rels {
    type Output = Rels;
    fn bitor(self, other: Rels) -> Rels {
        Rels(self.0 | other.0, self.1 | other.1)
    }
}

impl BitOrAssign for Rels {
    fn bitor_assign(&mut self, other: Rels) {
        *self = *self | other;
    }
}

impl BitAnd for Rels {
    type Output = Rels;
    fn bitand(self, other: Rels) -> Rels {
        Rels(self.0 & other.0, self.1 & other.1)
    }
}

impl Sub for Rels {
    type Output = Rels;
    fn sub(self, other: Rels) -> Rels {
        Rels(self.0 & !other.0, self.1 & !other.1)
    }
}

/// The entries whose columns are in an expression (`pull_varnos`).
pub fn rels_of(expr: &Expr) -> Rels {
    fn add(expr: &Expr, found: &mut Rels) {
        if let Expr::Var(var) = expr {
            if var.levels_up == 0 && var.relation.0 <= Rels::MOST {
                *found |= Rels::of(var.relation);
            }
            return;
        }
        expr.walk(
            &mut |child| {
                add(child, found);
                Walk::On
            },
            &mut |_| Walk::On,
        );
    }
    let mut found = Rels::EMPTY;
    add(expr, &mut found);
    found
}
