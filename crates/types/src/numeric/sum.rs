//! What `sum` and `avg` over `numeric` gather (`NumericSumAccum`).

use super::value::{Decimal, Numeric};
use super::whole::small_power;
use crate::error::Result;

/// The sum of values, shown with as many digits as the one that shows most.
#[derive(Clone, Debug)]
pub struct Sum {
    /// Values there were, NULL not among them.
    count: i64,
    /// Units of `10^-scale`, taken into `total` before they overflow.
    units: i128,
    scale: i32,
    total: Decimal,
    /// The sum of those that are not finite.
    special: Option<Numeric>,
}

impl Default for Sum {
    fn default() -> Sum {
        Sum { count: 0, units: 0, scale: 0, total: Decimal::ZERO, special: None }
    }
}

impl Sum {
    /// Takes a value as it lies in a column.
    #[inline]
    pub fn add_bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.add(super::bytes::from_bytes(bytes))
    }

    #[inline]
    pub fn add(&mut self, value: Numeric) -> Result<()> {
        self.count += 1;
        match value {
            Numeric::Finite(Decimal { value: super::whole::Whole::Small(units), scale }) => {
                self.add_units(units, scale)
            }
            Numeric::Finite(decimal) => self.total = self.total.add(&decimal),
            special => {
                self.special = Some(match self.special.take() {
                    Some(sum) => sum.add(&special)?,
                    None => special,
                });
            }
        }
        Ok(())
    }

    /// Takes values that are units of `10^-scale`.
    pub fn add_small(&mut self, units: impl Iterator<Item = i128>, scale: i32) {
        for units in units {
            self.count += 1;
            self.add_units(units, scale);
        }
    }

    #[inline]
    fn add_units(&mut self, units: i128, scale: i32) {
        if scale == self.scale
            && let Some(sum) = self.units.checked_add(units)
        {
            self.units = sum;
            return;
        }
        if scale < self.scale
            && let Some(sum) = small_power((self.scale - scale) as u32)
                .and_then(|power| units.checked_mul(power))
                .and_then(|units| self.units.checked_add(units))
        {
            self.units = sum;
            return;
        }
        self.flush();
        if scale > self.scale {
            (self.units, self.scale) = (units, scale);
        } else {
            self.total = self.total.add(&Decimal { value: super::whole::Whole::Small(units), scale });
        }
    }

    /// Takes the units into the total.
    fn flush(&mut self) {
        let units = Decimal { value: super::whole::Whole::Small(self.units), scale: self.scale };
        self.total = self.total.add(&units);
        self.units = 0;
    }

    /// Takes what another one has gathered.
    pub fn merge(&mut self, other: &Sum) -> Result<()> {
        self.count += other.count;
        let mut other = other.clone();
        other.flush();
        self.total = self.total.add(&other.total);
        if let Some(special) = other.special {
            self.special = Some(match self.special.take() {
                Some(sum) => sum.add(&special)?,
                None => special,
            });
        }
        Ok(())
    }

    pub fn count(&self) -> i64 {
        self.count
    }

    /// `None`: there was no value.
    pub fn sum(&self) -> Result<Option<Numeric>> {
        if self.count == 0 {
            return Ok(None);
        }
        let mut gathered = self.clone();
        gathered.flush();
        match gathered.special {
            Some(special) => Ok(Some(special)),
            None => Numeric::finite(gathered.total).map(Some),
        }
    }

    /// The arithmetic mean.
    pub fn average(&self) -> Result<Option<Numeric>> {
        self.sum()?.map(|sum| sum.divide(&Numeric::from(self.count))).transpose()
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
                parts[usize::from(i >= part)].add(value.clone()).unwrap();
                expected = expected.add(value).unwrap();
            }
            let [mut sum, rest] = parts;
            sum.merge(&rest).unwrap();
            prop_assert_eq!(sum.count() as usize, values.len());
            let got = sum.sum().unwrap().map(|s| s.to_string());
            prop_assert_eq!(got, (!values.is_empty()).then(|| expected.to_string()));
        }
    }

    #[test]
    fn what_is_not_finite() {
        let sum = |texts: &[&str]| {
            let mut sum = Sum::default();
            texts.iter().for_each(|t| sum.add(text::parse(t).unwrap()).unwrap());
            (sum.sum().unwrap().unwrap().to_string(), sum.average().unwrap().unwrap().to_string())
        };
        assert_eq!(sum(&["1", "Infinity", "2"]), ("Infinity".to_string(), "Infinity".to_string()));
        assert_eq!(sum(&["-Infinity", "Infinity"]), ("NaN".to_string(), "NaN".to_string()));
        assert_eq!(sum(&["1", "2.0"]), ("3.0".to_string(), "1.5000000000000000".to_string()));
    }
}
