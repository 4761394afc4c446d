//! Which of two columns' most common values are the same: what the estimate of an equijoin asks first (PostgreSQL's
//! `eqjoinsel_find_matches`). Many joins of a query ask it of the same columns, so the answers are kept while it is planned.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use foldhash::fast::FixedState;
use types::{Datum, Oid};

use crate::path::estimate::values;
use crate::plancat::ColumnStatistics;

/// The places of a value in the one list and in the other one.
pub type Match = (usize, usize);

/// What was found. Statistics are known by where they are: they stay there, as an entry keeps them.
#[derive(Default)]
pub struct CommonValues(RefCell<HashMap<[Column; 2], Entry, FixedState>>);

/// The type of a column, and where its statistics are.
type Column = (Oid, *const ColumnStatistics);

struct Entry {
    _kept: [Arc<ColumnStatistics>; 2],
    matches: Rc<[Match]>,
}

impl CommonValues {
    /// The most common values that two columns of these types have in common, in the order of the first one's list.
    pub fn matches(&self, one: (Oid, &Arc<ColumnStatistics>), other: (Oid, &Arc<ColumnStatistics>)) -> Rc<[Match]> {
        let key = [one, other].map(|(ty, statistics)| (ty, Arc::as_ptr(statistics)));
        let mut found = self.0.borrow_mut();
        let entry = found.entry(key).or_insert_with(|| Entry {
            _kept: [one.1.clone(), other.1.clone()],
            matches: matches((one.0, &one.1.most_common), (other.0, &other.1.most_common)).into(),
        });
        entry.matches.clone()
    }
}

type List<'a> = (Oid, &'a [(Datum, f64)]);

/// No value is taken twice: equal ones in a list (of numbers that estimates do not tell apart) have a partner each.
fn matches((ty, list): List<'_>, (other_ty, others): List<'_>) -> Vec<Match> {
    // What compares with nothing, not with itself either, has no place in the order.
    let order = |a: usize, b: usize| values::compare((other_ty, &others[a].0), (other_ty, &others[b].0));
    let mut sorted: Vec<usize> = (0..others.len()).filter(|&at| order(at, at) == Some(Ordering::Equal)).collect();
    sorted.sort_by(|&a, &b| order(a, b).unwrap_or(Ordering::Equal));
    let mut taken = vec![false; others.len()];
    let mut found = Vec::new();
    for (at, (value, _)) in list.iter().enumerate() {
        let side = |place: usize| values::compare((other_ty, &others[place].0), (ty, value));
        let first = sorted.partition_point(|&place| side(place) == Some(Ordering::Less));
        let equal = sorted[first..].iter().take_while(|place| side(**place) == Some(Ordering::Equal));
        if let Some(&place) = equal.into_iter().find(|place| !taken[**place]) {
            taken[place] = true;
            found.push((at, place));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use types::oid;

    use super::*;

    fn list(values: impl IntoIterator<Item = Datum>) -> Vec<(Datum, f64)> {
        values.into_iter().map(|value| (value, 0.01)).collect()
    }

    /// Each with each.
    fn slowly((ty, list): List<'_>, (other_ty, others): List<'_>) -> Vec<Match> {
        let mut taken = vec![false; others.len()];
        let mut found = Vec::new();
        for (at, (value, _)) in list.iter().enumerate() {
            let is =
                |place: &usize| values::compare((ty, value), (other_ty, &others[*place].0)) == Some(Ordering::Equal);
            if let Some(place) = (0..others.len()).find(|place| !taken[*place] && is(place)) {
                taken[place] = true;
                found.push((at, place));
            }
        }
        found
    }

    #[test]
    fn they_are_found_as_each_with_each() {
        let numbers = |step: u32| list((0..100).map(|i| Datum::U32(i * step * 7919 % 101)));
        let texts = |step: u32| list((0..100).map(|i| Datum::text(format!("t{}", i * step * 7919 % 101))));
        let doubles =
            list((0..50).map(|i| if i % 7 == 0 { Datum::F64(f64::NAN) } else { Datum::F64(f64::from(i % 20)) }));
        let whole = list((0..30).map(Datum::I32));
        let arrays = list([Datum::Bytes(vec![1u8].into()), Datum::Bytes(vec![2u8].into())]);
        let cases = [
            ((oid::OID, numbers(3)), (oid::OID, numbers(5))),
            ((oid::NAME, texts(1)), (oid::TEXT, texts(2))),
            ((oid::FLOAT8, doubles), (oid::INT4, whole)),
            ((oid::OIDVECTOR, arrays.clone()), (oid::OIDVECTOR, arrays)),
        ];
        for ((ty, one), (other_ty, other)) in &cases {
            for (a, b) in [((*ty, &one[..]), (*other_ty, &other[..])), ((*other_ty, &other[..]), (*ty, &one[..]))] {
                assert_eq!(matches(a, b), slowly(a, b), "{ty} {other_ty}");
            }
        }
        assert!(!matches((oid::OID, &cases[0].0.1), (oid::OID, &cases[0].1.1)).is_empty());
    }

    #[test]
    fn what_was_found_is_kept_with_the_statistics() {
        let with = |values| Arc::new(ColumnStatistics { most_common: list(values), ..Default::default() });
        let (one, other) = (with(vec![Datum::I32(1), Datum::I32(2)]), with(vec![Datum::I32(2)]));
        let common = CommonValues::default();
        let first = common.matches((oid::INT4, &one), (oid::INT4, &other));
        assert_eq!(*first, [(1, 0)]);
        assert!(Rc::ptr_eq(&first, &common.matches((oid::INT4, &one), (oid::INT4, &other))));
        assert_eq!(*common.matches((oid::INT4, &other), (oid::INT4, &one)), [(0, 1)]);
        assert_eq!(Arc::strong_count(&one), 3, "no other statistics come to lie there");
    }
}
