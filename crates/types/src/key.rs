//! What stands for values where they are compared, for the representations in which equal values may look different or
//! whose order is not Arrow's ([`Repr::key`]): equality and order of keys are equality and order of values.

use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, FixedSizeBinaryBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef, BinaryArray, FixedSizeBinaryArray};

use crate::array::ArrayView;
use crate::datetime::{Interval, TimeTz};
use crate::jsonb;
use crate::numeric::bytes;
use crate::record::RecordView;
use crate::repr::Repr;

/// The keys of a column's values; NULL for NULL. The column itself where values are their own keys.
pub fn key(repr: Repr, column: &ArrayRef) -> ArrayRef {
    match repr {
        Repr::Numeric => {
            let values = column.as_binary::<i32>();
            let mut keys = BinaryBuilder::with_capacity(values.len(), values.value_data().len());
            values.iter().for_each(|value| keys.append_option(value.map(bytes::key)));
            Arc::new(keys.finish())
        }
        // Adding zero makes the one zero of both; NaN is greatest if it has no sign.
        Repr::Float4 => {
            let one = |v: f32| if v.is_nan() { f32::NAN } else { v + 0.0 };
            Arc::new(column.as_primitive::<Float32Type>().unary::<_, Float32Type>(one))
        }
        Repr::Float8 => {
            let one = |v: f64| if v.is_nan() { f64::NAN } else { v + 0.0 };
            Arc::new(column.as_primitive::<Float64Type>().unary::<_, Float64Type>(one))
        }
        Repr::Bpchar => {
            let values = column.as_string::<i32>();
            let mut keys = StringBuilder::with_capacity(values.len(), values.value_data().len());
            values.iter().for_each(|value| keys.append_option(value.map(|v| v.trim_end_matches(' '))));
            Arc::new(keys.finish())
        }
        Repr::Interval => fixed(column.as_fixed_size_binary(), interval),
        Repr::TimeTz => fixed(column.as_fixed_size_binary(), time_with_zone),
        Repr::Array => of_bytes(column.as_binary(), |value, out| ArrayView::new(value).append_key(out)),
        Repr::Record => of_bytes(column.as_binary(), |value, out| RecordView::new(value).append_key(out)),
        Repr::Jsonb => of_bytes(column.as_binary(), |value, out| jsonb::append_key(jsonb::View::new(value), out)),
        _ => column.clone(),
    }
}

fn of_bytes(values: &BinaryArray, append: fn(&[u8], &mut Vec<u8>)) -> ArrayRef {
    let mut keys = BinaryBuilder::with_capacity(values.len(), values.value_data().len());
    let mut key = Vec::new();
    for value in values.iter() {
        key.clear();
        keys.append_option(value.map(|value| {
            append(value, &mut key);
            &key
        }));
    }
    Arc::new(keys.finish())
}

fn fixed<const N: usize>(values: &FixedSizeBinaryArray, of: fn(&[u8; N]) -> [u8; N]) -> ArrayRef {
    let mut keys = FixedSizeBinaryBuilder::with_capacity(values.len(), N as i32);
    for value in values.iter() {
        match value {
            Some(value) => {
                keys.append_value(of(value.try_into().expect("the representation's width"))).expect("as wide")
            }
            None => keys.append_null(),
        }
    }
    Arc::new(keys.finish())
}

/// The sign is turned round, so that bytes compare as numbers.
pub(crate) fn interval(value: &[u8; 16]) -> [u8; 16] {
    (Interval::from_bytes(value).span() ^ i128::MIN).to_be_bytes()
}

/// The time in Greenwich, then the zone.
pub(crate) fn time_with_zone(value: &[u8; 12]) -> [u8; 12] {
    let (greenwich, west) = TimeTz::from_bytes(value).rank();
    let mut key = [0; 12];
    key[..8].copy_from_slice(&(greenwich ^ i64::MIN).to_be_bytes());
    key[8..].copy_from_slice(&(west ^ i32::MIN).to_be_bytes());
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datum::{ColumnBuilder, Datum};

    /// Keys of values that are given in order; those that are equal stand together.
    fn check(repr: Repr, sorted: &[&[Datum]]) {
        let mut builder = ColumnBuilder::new(repr, 8);
        sorted.iter().copied().flatten().for_each(|value| builder.push(value));
        builder.push(&Datum::Null);
        let keys = key(repr, &builder.finish());
        assert_eq!(Some(keys.data_type().clone()), repr.key());
        assert!(keys.is_null(keys.len() - 1));
        let groups = sorted.iter().enumerate().flat_map(|(group, values)| values.iter().map(move |_| group));
        let groups: Vec<usize> = groups.collect();
        let bytes = |at: usize| match Datum::of(&keys, at) {
            Datum::Text(text) => text.as_bytes().to_vec(),
            Datum::Bytes(bytes) => bytes.to_vec(),
            // As Arrow compares bits.
            Datum::F64(v) => ((v.to_bits() as i64 >> 63) as u64 >> 1 ^ v.to_bits() ^ 1 << 63).to_be_bytes().to_vec(),
            other => panic!("{other:?}"),
        };
        for (a, group_a) in groups.iter().enumerate() {
            for (b, group_b) in groups.iter().enumerate() {
                assert_eq!(bytes(a).cmp(&bytes(b)), group_a.cmp(group_b), "{repr:?}: {a} {b}");
            }
        }
    }

    #[test]
    fn keys_compare_as_values() {
        let numeric = |text: &str| crate::numeric::datum(&crate::numeric::text::parse(text).unwrap());
        check(
            Repr::Numeric,
            &[&[numeric("-1.5")], &[numeric("0"), numeric("0.00")], &[numeric("1.0"), numeric("1")], &[numeric("NaN")]],
        );
        let (f, nan) = (Datum::F64, f64::NAN);
        check(Repr::Float8, &[&[f(-1.0)], &[f(-0.0), f(0.0)], &[f(f64::INFINITY)], &[f(nan), f(-nan)]]);
        let text = |text: &str| Datum::text(text);
        check(Repr::Bpchar, &[&[text(""), text("  ")], &[text("a "), text("a")], &[text("ab")]]);
        let interval = |time: i64, days: i32, months: i32| {
            Datum::bytes([&time.to_be_bytes()[..], &days.to_be_bytes(), &months.to_be_bytes()].concat())
        };
        let day = 86_400_000_000;
        check(
            Repr::Interval,
            &[
                &[interval(0, 0, -1), interval(-day, -29, 0)],
                &[interval(0, 0, 0), interval(day, -1, 0)],
                &[interval(0, 30, 0), interval(0, 0, 1)],
                &[interval(i64::MAX, i32::MAX, i32::MAX)],
            ],
        );
        let time = |time: i64, zone: i32| Datum::bytes([&time.to_be_bytes()[..], &zone.to_be_bytes()].concat());
        let hour = 3_600_000_000;
        check(Repr::TimeTz, &[&[time(2 * hour, -3600)], &[time(hour, 0)], &[time(0, 3600)], &[time(hour + 1, 0)]]);
    }
}
