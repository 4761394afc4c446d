//! Sets of range table entries: PostgreSQL's `Relids`.

use analyze::query::RangeTableIndex;
use smallvec::{SmallVec, smallvec};

const BITS: u32 = u64::BITS;

/// A set of positions in a range table. Sets of the first 63 entries need no allocation.
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Relids {
    /// The last word is not 0.
    words: SmallVec<[u64; 1]>,
}

impl Relids {
    pub fn new() -> Relids {
        Relids::default()
    }

    pub fn of(relation: RangeTableIndex) -> Relids {
        let mut set = Relids::new();
        set.add(relation);
        set
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub fn contains(&self, relation: RangeTableIndex) -> bool {
        let word = self.words.get((relation.0 / BITS) as usize);
        word.is_some_and(|word| word >> (relation.0 % BITS) & 1 == 1)
    }

    pub fn add(&mut self, relation: RangeTableIndex) {
        let word = (relation.0 / BITS) as usize;
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (relation.0 % BITS);
    }

    pub fn remove(&mut self, relation: RangeTableIndex) {
        if let Some(word) = self.words.get_mut((relation.0 / BITS) as usize) {
            *word &= !(1 << (relation.0 % BITS));
        }
        self.trim();
    }

    pub fn add_all(&mut self, other: &Relids) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }

    pub fn remove_all(&mut self, other: &Relids) {
        for (word, less) in self.words.iter_mut().zip(&other.words) {
            *word &= !less;
        }
        self.trim();
    }

    pub fn union(&self, other: &Relids) -> Relids {
        let mut all = self.clone();
        all.add_all(other);
        all
    }

    pub fn intersection(&self, other: &Relids) -> Relids {
        let mut both = Relids { words: self.words.iter().zip(&other.words).map(|(a, b)| a & b).collect() };
        both.trim();
        both
    }

    pub fn difference(&self, other: &Relids) -> Relids {
        let mut rest = self.clone();
        rest.remove_all(other);
        rest
    }

    pub fn is_subset(&self, of: &Relids) -> bool {
        self.words.len() <= of.words.len() && self.words.iter().zip(&of.words).all(|(a, b)| a & !b == 0)
    }

    pub fn overlaps(&self, other: &Relids) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The member, if there is one only.
    pub fn singleton(&self) -> Option<RangeTableIndex> {
        let mut members = self.iter();
        members.next().filter(|_| members.next().is_none())
    }

    /// In order.
    pub fn iter(&self) -> impl Iterator<Item = RangeTableIndex> {
        self.words.iter().enumerate().flat_map(|(at, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros();
                    rest &= rest - 1;
                    RangeTableIndex(at as u32 * BITS + bit)
                })
            })
        })
    }

    fn trim(&mut self) {
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }
}

impl FromIterator<RangeTableIndex> for Relids {
    fn from_iter<I: IntoIterator<Item = RangeTableIndex>>(relations: I) -> Relids {
        let mut set: Relids = Relids { words: smallvec![] };
        relations.into_iter().for_each(|relation| set.add(relation));
        set
    }
}

impl std::fmt::Debug for Relids {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter().map(|relation| relation.0)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_sets() {
        let set: Relids = [1, 70, 3].map(RangeTableIndex).into_iter().collect();
        assert_eq!(set.iter().map(|relation| relation.0).collect::<Vec<_>>(), [1, 3, 70]);
        let small: Relids = [1, 3].map(RangeTableIndex).into_iter().collect();
        assert!(small.is_subset(&set) && !set.is_subset(&small) && set.overlaps(&small));
        assert_eq!(set.intersection(&small), small);
        assert_eq!(set.difference(&small), Relids::of(RangeTableIndex(70)));
        let mut rest = set.clone();
        rest.remove(RangeTableIndex(70));
        assert_eq!(rest, small);
        assert_eq!((set.len(), rest.union(&set) == set, rest.singleton()), (3, true, None));
        assert!(Relids::new().is_subset(&small) && !Relids::new().contains(RangeTableIndex(5)));
    }
}
