//! What `sum` and `avg` over `numeric` gather (`NumericAggState`).

use super::value::{Decimal, Numeric};
use super::whole::{Whole, small_power};
use crate::error::Result;

/// The sum of values, shown with as many digits as the one that shows most.
#[derive(Clone, Debug, Default)]
pub struct Sum {
    /// Units of `10^-scale`.
    units: i128,
    /// What units did not have room for.
    rest: Option<Box<Rest>>,
    /// Finite values there are.
    finite: i64,
    /// Those of them that show `scale` digits.
    longest: i64,
    /// Digits behind the point that are shown.
    scale: i32,
}

#[derive(Clone, Debug)]
struct Rest {
    total: Decimal,
    nans: i64,
    infinities: i64,
    minus_infinities: i64,
}

impl Sum {
    #[inline]
    pub fn add(&mut self, value: Numeric) {
        match value {
            Numeric::Finite(Decimal { value: Whole::Small(units), scale }) => self.add_units(units, scale),
            Numeric::Finite(decimal) => {
                self.count_finite(decimal.scale);
                self.add_large(&decimal);
            }
            special => *self.special(&special) += 1,
        }
    }

    /// Takes a value of so many units of `10^-scale`.
    #[inline]
    pub fn add_units(&mut self, units: i128, scale: i32) {
        self.count_finite(scale);
        let add = || {
            let factor = if scale == self.scale { 1 } else { small_power((self.scale - scale) as u32)? };
            self.units.checked_add(units.checked_mul(factor)?)
        };
        match add() {
            Some(sum) => self.units = sum,
            None => self.add_large(&Decimal { value: Whole::Small(units), scale }),
        }
    }

    /// Takes back a value. `false`: how many digits the others show is not known, so they have to be added anew.
    pub fn remove(&mut self, value: Numeric) -> bool {
        let Numeric::Finite(decimal) = value else {
            *self.special(&value) -= 1;
            return true;
        };
        if decimal.scale == self.scale {
            if self.longest <= 1 && self.scale > 0 && self.finite > 1 {
                return false;
            }
            self.longest -= 1;
        }
        self.finite -= 1;
        if self.finite > 0 {
            self.add_large(&decimal.negate());
            self.carry();
        } else {
            (self.units, self.scale, self.longest) = (0, 0, 0);
            self.rest().total = Decimal::ZERO;
        }
        true
    }

    #[inline]
    fn count_finite(&mut self, scale: i32) {
        self.finite += 1;
        if scale == self.scale {
            self.longest += 1;
        } else if scale > self.scale {
            self.show(scale);
            self.longest = 1;
        }
    }

    /// Counts in smaller units.
    #[cold]
    fn show(&mut self, scale: i32) {
        let rescaled = small_power((scale - self.scale) as u32).and_then(|power| self.units.checked_mul(power));
        if rescaled.is_none() {
            self.flush();
        }
        (self.units, self.scale) = (rescaled.unwrap_or(0), scale);
    }

    #[cold]
    fn add_large(&mut self, value: &Decimal) {
        self.flush();
        let rest = self.rest();
        rest.total = rest.total.add(value);
    }

    /// Takes the units into the rest.
    fn flush(&mut self) {
        let units = Decimal { value: Whole::Small(self.units), scale: self.scale };
        self.units = 0;
        let rest = self.rest();
        rest.total = rest.total.add(&units);
    }

    /// Takes the rest into the units, if there is room for it: most sums are small.
    fn carry(&mut self) {
        let scale = self.scale;
        let total = self.rest().total.round(scale);
        if let Whole::Small(units) = total.value {
            self.units = units;
            self.rest().total = Decimal::ZERO;
        }
    }

    fn rest(&mut self) -> &mut Rest {
        let none = || Box::new(Rest { total: Decimal::ZERO, nans: 0, infinities: 0, minus_infinities: 0 });
        self.rest.get_or_insert_with(none)
    }

    /// How many there are of a value that is not finite.
    fn special(&mut self, value: &Numeric) -> &mut i64 {
        let rest = self.rest();
        match value {
            Numeric::Infinity => &mut rest.infinities,
            Numeric::NegativeInfinity => &mut rest.minus_infinities,
            _ => &mut rest.nans,
        }
    }

    /// Takes what another one has gathered.
    pub fn merge(&mut self, other: &Sum) {
        if other.finite > 0 {
            let (finite, longest) = (self.finite, self.longest);
            self.count_finite(other.scale);
            self.finite = finite + other.finite;
            self.longest = match self.longest > longest {
                true => longest + other.longest,
                false if other.scale == self.scale => other.longest,
                false => longest,
            };
            self.add_large(&other.total());
            self.carry();
        }
        if let Some(other) = &other.rest {
            let rest = self.rest();
            rest.nans += other.nans;
            rest.infinities += other.infinities;
            rest.minus_infinities += other.minus_infinities;
        }
    }

    /// The sum of those that are finite.
    pub fn total(&self) -> Decimal {
        let units = Decimal { value: Whole::Small(self.units), scale: self.scale };
        match &self.rest {
            Some(rest) => rest.total.add(&units),
            None => units,
        }
    }

    /// Finite values, those that show most digits, NaN, the infinities.
    pub fn counts(&self) -> [i64; 5] {
        let special = self.rest.as_ref().map_or([0; 3], |r| [r.nans, r.infinities, r.minus_infinities]);
        [self.finite, self.longest, special[0], special[1], special[2]]
    }

    /// A sum of this total and these counts.
    pub fn restored(total: &Decimal, [finite, longest, nans, infinities, minus_infinities]: [i64; 5]) -> Sum {
        let mut sum = Sum { units: 0, rest: None, finite, longest, scale: total.scale };
        *sum.rest() = Rest { total: total.clone(), nans, infinities, minus_infinities };
        sum.carry();
        sum
    }

    /// Values there were, NULL not among them.
    pub fn count(&self) -> i64 {
        let [finite, _, nans, infinities, minus_infinities] = self.counts();
        finite + nans + infinities + minus_infinities
    }

    /// What the sum is because of values that are not finite.
    pub fn of_special(&self) -> Option<Numeric> {
        let [_, _, nans, infinities, minus_infinities] = self.counts();
        match (nans > 0, infinities > 0, minus_infinities > 0) {
            (true, ..) | (_, true, true) => Some(Numeric::NaN),
            (_, true, _) => Some(Numeric::Infinity),
            (_, _, true) => Some(Numeric::NegativeInfinity),
            _ => None,
        }
    }

    /// `None`: there was no value.
    pub fn sum(&self) -> Result<Option<Numeric>> {
        match self.of_special() {
            Some(special) => Ok(Some(special)),
            None if self.finite == 0 => Ok(None),
            None => Numeric::finite(self.total()).map(Some),
        }
    }

    /// The arithmetic mean.
    pub fn average(&self) -> Result<Option<Numeric>> {
        self.sum()?.map(|sum| sum.divide(&Numeric::from(self.count()))).transpose()
    }

    /// Bytes that are held besides the struct itself.
    pub fn memory(&self) -> usize {
        self.rest.as_ref().map_or(0, |rest| size_of::<Rest>() + rest.total.value.memory())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::numeric::text;

    proptest! {
        /// In any order, of any sizes, and in two parts.
        #[test]
        fn sums_are_sums(texts in prop::collection::vec("-?[0-9]{1,40}(\\.[0-9]{1,20})?", 0..20), part in 0usize..20) {
            let values: Vec<Numeric> = texts.iter().map(|t| text::parse(t).unwrap()).collect();
            let mut parts = [Sum::default(), Sum::default()];
            let mut expected = Numeric::from(0);
            for (i, value) in values.iter().enumerate() {
                parts[usize::from(i >= part)].add(value.clone());
                expected = expected.add(value).unwrap();
            }
            let [mut sum, rest] = parts;
            sum.merge(&rest);
            prop_assert_eq!(sum.count() as usize, values.len());
            let got = sum.sum().unwrap().map(|s| s.to_string());
            prop_assert_eq!(got, (!values.is_empty()).then(|| expected.to_string()));
            // What is taken back was never there, unless that cannot be known.
            let kept: Vec<_> = values.iter().skip(part).collect();
            if values.iter().take(part).all(|value| sum.remove(value.clone())) {
                let mut anew = Sum::default();
                kept.iter().for_each(|value| anew.add((*value).clone()));
                prop_assert_eq!(sum.sum().unwrap().map(|s| s.to_string()), anew.sum().unwrap().map(|s| s.to_string()));
                prop_assert_eq!(sum.counts(), anew.counts());
            }
            let again = Sum::restored(&sum.total(), sum.counts());
            prop_assert_eq!(again.sum().unwrap().map(|s| s.to_string()), sum.sum().unwrap().map(|s| s.to_string()));
        }
    }

    #[test]
    fn what_is_not_finite() {
        let sum = |texts: &[&str]| {
            let mut sum = Sum::default();
            texts.iter().for_each(|t| sum.add(text::parse(t).unwrap()));
            (sum.sum().unwrap().unwrap().to_string(), sum.average().unwrap().unwrap().to_string())
        };
        assert_eq!(sum(&["1", "Infinity", "2"]), ("Infinity".to_string(), "Infinity".to_string()));
        assert_eq!(sum(&["-Infinity", "Infinity"]), ("NaN".to_string(), "NaN".to_string()));
        assert_eq!(sum(&["1", "2.0"]), ("3.0".to_string(), "1.5000000000000000".to_string()));
    }
}
