//! Where a value lies among those of an index's column, whose type may be another: int8 values among int4 ones.

use types::datetime::{place_of_date, place_of_local};
use types::decimal::NAN;
use types::numeric::bytes::{from_bytes, small_bytes, with_bytes};
use types::numeric::value::Numeric;
use types::numeric::whole::Whole;
use types::{Context, Datum, Repr};

/// Microseconds of a day.
const DAY: i64 = 86_400_000_000;

/// Where a value lies.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// The column may have it, in these bytes.
    At(Vec<u8>),
    /// Right after these, the greatest that the column may have below it.
    After(Vec<u8>),
    /// Below and above everything that the column may have.
    Below,
    Above,
    /// That is not known here.
    Unknown,
}

/// Whether [`place`] knows where values of one representation lie among those of another.
pub fn is_comparable(from: Repr, to: Repr) -> bool {
    use Repr::*;
    match to {
        Int2 | Int4 | Int8 => matches!(from, Int2 | Int4 | Int8),
        Float4 | Float8 => matches!(from, Float4 | Float8),
        Numeric | Decimal { .. } => matches!(from, Numeric | Decimal { .. }),
        Text | Bpchar => matches!(from, Text | Bpchar),
        _ => from == to,
    }
}

/// Of a value that is not NULL.
pub fn place(value: &Datum, from: Repr, to: Repr) -> Place {
    match (to, value) {
        (Repr::Int2, value) => integer(value, |v| i16::try_from(v).ok().map(|v| v.to_le_bytes().to_vec())),
        (Repr::Int4, value) => integer(value, |v| i32::try_from(v).ok().map(|v| v.to_le_bytes().to_vec())),
        (Repr::Int8, value) => integer(value, |v| Some(v.to_le_bytes().to_vec())),
        (Repr::Float8, Datum::F64(v)) => Place::At(v.to_le_bytes().to_vec()),
        (Repr::Float8, Datum::F32(v)) => Place::At(f64::from(*v).to_le_bytes().to_vec()),
        (Repr::Float4, Datum::F32(v)) => Place::At(v.to_le_bytes().to_vec()),
        (Repr::Float4, Datum::F64(v)) => single(*v),
        (Repr::Decimal { precision, scale }, value) => decimal(value, from, precision, scale),
        (Repr::Text, Datum::Text(text)) => Place::At(text.as_bytes().to_vec()),
        (Repr::Bpchar, Datum::Text(text)) => Place::At(text.trim_end_matches(' ').as_bytes().to_vec()),
        (Repr::Bool, Datum::Bool(v)) => Place::At(vec![u8::from(*v)]),
        (Repr::Date, Datum::I32(v)) if from == Repr::Date => Place::At(v.to_le_bytes().to_vec()),
        (Repr::Date, Datum::I64(v)) if from == Repr::Timestamp => date(*v),
        (Repr::Timestamp | Repr::TimestampTz | Repr::Time, Datum::I64(v)) if from == to => {
            Place::At(v.to_le_bytes().to_vec())
        }
        (Repr::Numeric, Datum::I128(units)) => match from {
            Repr::Decimal { .. } if *units == NAN => with_bytes(&Numeric::NaN, |bytes| Place::At(bytes.to_vec())),
            Repr::Decimal { scale, .. } => small_bytes(*units, scale.into(), |bytes| Place::At(bytes.to_vec())),
            _ => Place::Unknown,
        },
        (Repr::Char, Datum::U8(v)) => Place::At(vec![*v]),
        (Repr::Oid, Datum::U32(v)) => Place::At(v.to_le_bytes().to_vec()),
        (Repr::Xid8, Datum::U64(v)) => Place::At(v.to_le_bytes().to_vec()),
        (_, Datum::Bytes(bytes)) if from == to => Place::At(bytes.to_vec()),
        _ => Place::Unknown,
    }
}

/// The same where the session's time zone is known, in which dates and local times are instants.
pub fn place_in_zone(context: &Context, value: &Datum, from: Repr, to: Repr) -> Place {
    match (to, from, value) {
        (Repr::TimestampTz, Repr::Date, Datum::I32(days)) => time(place_of_date(context, *days, true)),
        (Repr::TimestampTz, Repr::Timestamp, Datum::I64(local)) => time(place_of_local(context, *local)),
        (Repr::Timestamp, Repr::Date, Datum::I32(days)) => time(place_of_date(context, *days, false)),
        _ => place(value, from, to),
    }
}

fn integer(value: &Datum, bytes: impl Fn(i64) -> Option<Vec<u8>>) -> Place {
    let value = match *value {
        Datum::I16(v) => i64::from(v),
        Datum::I32(v) => i64::from(v),
        Datum::I64(v) => v,
        _ => return Place::Unknown,
    };
    match bytes(value) {
        Some(bytes) => Place::At(bytes),
        None if value < 0 => Place::Below,
        None => Place::Above,
    }
}

fn single(value: f64) -> Place {
    let nearest = value as f32;
    if value.is_nan() || f64::from(nearest) == value {
        return Place::At(nearest.to_le_bytes().to_vec());
    }
    let below = if f64::from(nearest) > value { nearest.next_down() } else { nearest };
    Place::After(below.to_le_bytes().to_vec())
}

fn decimal(value: &Datum, from: Repr, precision: u8, scale: i8) -> Place {
    let limit = 10i128.pow(u32::from(precision));
    // Only NaN is beyond.
    let greatest = || Place::After((limit - 1).to_le_bytes().to_vec());
    let nan = || Place::At(NAN.to_le_bytes().to_vec());
    let number = match (value, from) {
        (Datum::Bytes(bytes), Repr::Numeric) => match from_bytes(bytes) {
            Numeric::Finite(number) => number,
            Numeric::NegativeInfinity => return Place::Below,
            Numeric::Infinity => return greatest(),
            Numeric::NaN => return nan(),
        },
        (Datum::I128(NAN), Repr::Decimal { .. }) => return nan(),
        (Datum::I128(units), Repr::Decimal { scale, .. }) => {
            types::numeric::value::Decimal { value: Whole::Small(*units), scale: i32::from(scale) }
        }
        _ => return Place::Unknown,
    };
    let cut = number.truncate(i32::from(scale));
    let negative = number.value.is_negative();
    let exact = cut == number;
    match cut.value {
        Whole::Small(units) if -limit < units && units < limit => match (exact, negative) {
            (true, _) => Place::At(units.to_le_bytes().to_vec()),
            (false, false) => Place::After(units.to_le_bytes().to_vec()),
            (false, true) if units - 1 > -limit => Place::After((units - 1).to_le_bytes().to_vec()),
            (false, true) => Place::Below,
        },
        _ if negative => Place::Below,
        _ => greatest(),
    }
}

fn date(timestamp: i64) -> Place {
    match timestamp {
        i64::MAX => Place::At(i32::MAX.to_le_bytes().to_vec()),
        i64::MIN => Place::At(i32::MIN.to_le_bytes().to_vec()),
        _ => match (i32::try_from(timestamp.div_euclid(DAY)), timestamp.rem_euclid(DAY)) {
            (Ok(day), 0) => Place::At(day.to_le_bytes().to_vec()),
            (Ok(day), _) => Place::After(day.to_le_bytes().to_vec()),
            (Err(_), _) => Place::Unknown,
        },
    }
}

/// Of microseconds, the infinities at the ends. What is beyond them all is not beyond those.
fn time(micros: i128) -> Place {
    let bytes = |micros: i64| micros.to_le_bytes().to_vec();
    match i64::try_from(micros) {
        Ok(micros) => Place::At(bytes(micros)),
        Err(_) if micros == i128::MAX => Place::At(bytes(i64::MAX)),
        Err(_) if micros == i128::MIN => Place::At(bytes(i64::MIN)),
        Err(_) if micros < 0 => Place::After(bytes(i64::MIN)),
        Err(_) => Place::After(bytes(i64::MAX - 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_other_types_are_clipped() {
        let int4 = |v: i64| place(&Datum::I64(v), Repr::Int8, Repr::Int4);
        assert_eq!(int4(7), Place::At(7i32.to_le_bytes().to_vec()));
        assert_eq!(int4(1 << 40), Place::Above);
        assert_eq!(int4(-1 << 40), Place::Below);
        assert_eq!(place(&Datum::F64(0.1), Repr::Float8, Repr::Float4), {
            let nearest = 0.1f32;
            let below = if f64::from(nearest) > 0.1 { nearest.next_down() } else { nearest };
            Place::After(below.to_le_bytes().to_vec())
        });
        let cents = |units: i128, scale: i8| {
            let from = Repr::Decimal { precision: 20, scale };
            place(&Datum::I128(units), from, Repr::Decimal { precision: 4, scale: 2 })
        };
        assert_eq!(cents(15, 1), Place::At(150i128.to_le_bytes().to_vec()));
        assert_eq!(cents(1501, 3), Place::After(150i128.to_le_bytes().to_vec()));
        assert_eq!(cents(-1501, 3), Place::After((-151i128).to_le_bytes().to_vec()));
        // NaN is still greater.
        assert_eq!(cents(1000, 1), Place::After(9999i128.to_le_bytes().to_vec()));
        assert_eq!(cents(NAN, 1), Place::At(NAN.to_le_bytes().to_vec()));
        assert_eq!(cents(-1000, 1), Place::Below);
        let context = Context::default();
        let days = |days: i32| place_in_zone(&context, &Datum::I32(days), Repr::Date, Repr::TimestampTz);
        assert_eq!(days(2), Place::At((2 * DAY).to_le_bytes().to_vec()));
        assert_eq!(days(i32::MAX), Place::At(i64::MAX.to_le_bytes().to_vec()));
        // Infinity is still greater.
        assert_eq!(days(2_000_000_000), Place::After((i64::MAX - 1).to_le_bytes().to_vec()));
        assert_eq!(place(&Datum::I64(DAY + 1), Repr::Timestamp, Repr::Date), Place::After(1i32.to_le_bytes().to_vec()));
    }
}
