//! Functions and operators of dates, timestamps and intervals that depend on the calendar or on the session's zone.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Date32Array, Decimal128Array, IntervalMonthDayNanoArray, TimestampMicrosecondArray,
};
use datafusion::arrow::datatypes::{
    DataType, Date32Type, DurationMicrosecondType, IntervalMonthDayNano, IntervalMonthDayNanoType, IntervalUnit,
    TimeUnit,
};
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{ColumnarValue, Expr, Operator, Volatility};
use engine::{EngineError, Result, Zone};

use crate::calendar::{add_months, date_of, days_of, iso_week, iso_year_start, weekday};
use crate::datetime_input::{DATE_INFINITY, DAY, END_TIMESTAMP, FIRST_TIMESTAMP, INFINITY, zone};
use crate::function::{Call, Function};
use crate::output::{timestamp_micros, type_name};
use crate::style::current;

const INTERVAL: DataType = DataType::Interval(IntervalUnit::MonthDayNano);

fn timestamp_type(zoned: bool) -> DataType {
    DataType::Timestamp(TimeUnit::Microsecond, zoned.then(|| "UTC".into()))
}

fn out_of_range() -> EngineError {
    EngineError::new("22008", "timestamp out of range")
}

fn is_infinite(micros: i64) -> bool {
    micros == INFINITY || micros == -INFINITY - 1
}

fn in_range(micros: i128) -> Result<i64> {
    let range = i128::from(FIRST_TIMESTAMP)..i128::from(END_TIMESTAMP);
    if range.contains(&micros) { Ok(micros as i64) } else { Err(out_of_range()) }
}

/// What the clocks of a zone show at a time.
pub fn local_of(utc: i64, zone: &Zone) -> i64 {
    utc + i64::from(zone.offset_at(utc.div_euclid(1_000_000))) * 1_000_000
}

/// When the clocks of a zone show a time.
pub fn utc_of(local: i64, zone: &Zone) -> i64 {
    local - i64::from(zone.offset_of_local(local.div_euclid(1_000_000))) * 1_000_000
}

/// Casts among dates and timestamps.
pub fn cast(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    if array.data_type() == to {
        return Ok(array.clone());
    }
    let zone = &current().style.zone;
    let zoned = |ty: &DataType| matches!(ty, DataType::Timestamp(_, Some(_)));
    let (from, target) = (array.data_type(), zoned(to));
    // As the clocks of the session show them.
    let local = |row: usize| -> Option<i64> {
        if array.is_null(row) {
            return None;
        }
        Some(match from {
            DataType::Date32 => match array.as_primitive::<Date32Type>().value(row) {
                DATE_INFINITY => INFINITY,
                days if days == -DATE_INFINITY - 1 => -INFINITY - 1,
                days => i64::from(days).saturating_mul(DAY),
            },
            _ => {
                let micros = timestamp_micros(array, row);
                if zoned(from) && !is_infinite(micros) { local_of(micros, zone) } else { micros }
            }
        })
    };
    if zoned(from) && target || *from == *to {
        let same: TimestampMicrosecondArray =
            (0..array.len()).map(|row| array.is_valid(row).then(|| timestamp_micros(array, row))).collect();
        return Ok(Arc::new(same.with_timezone_opt(target.then_some("UTC"))));
    }
    if *to == DataType::Date32 {
        let day = |micros: i64| match micros {
            INFINITY => DATE_INFINITY,
            micros if is_infinite(micros) => -DATE_INFINITY - 1,
            micros => micros.div_euclid(DAY) as i32,
        };
        return Ok(Arc::new((0..array.len()).map(|row| local(row).map(day)).collect::<Date32Array>()));
    }
    let range = || EngineError::new("22008", "date out of range for timestamp");
    let times = (0..array.len()).map(|row| match local(row) {
        Some(micros) if is_infinite(micros) && *from != DataType::Date32 => Ok(Some(micros)),
        Some(micros) if is_infinite(micros) => Ok(Some(micros)),
        Some(micros) if !(FIRST_TIMESTAMP..END_TIMESTAMP).contains(&micros) => Err(range()),
        Some(micros) => Ok(Some(if target { utc_of(micros, zone) } else { micros })),
        None => Ok(None),
    });
    let times = times.collect::<Result<TimestampMicrosecondArray>>()?;
    Ok(Arc::new(times.with_timezone_opt(target.then_some("UTC"))))
}

/// Months, days and microseconds of an interval, or of a difference of timestamps.
fn interval_at(array: &ArrayRef, row: usize) -> Option<(i64, i64, i64)> {
    if array.is_null(row) {
        return None;
    }
    Some(match array.data_type() {
        DataType::Duration(TimeUnit::Microsecond) => {
            let micros = array.as_primitive::<DurationMicrosecondType>().value(row);
            (0, micros / DAY, micros % DAY)
        }
        _ => {
            let value = array.as_primitive::<IntervalMonthDayNanoType>().value(row);
            (value.months.into(), value.days.into(), value.nanoseconds / 1000)
        }
    })
}

/// The time that much later: months, then days as the clocks of `zone` count them, then the rest as it passes.
pub fn later(micros: i64, (months, days, rest): (i64, i64, i64), zone: Option<&Zone>) -> Result<i64> {
    if is_infinite(micros) {
        return Ok(micros);
    }
    let mut time = i128::from(micros);
    if months != 0 || days != 0 {
        let local = zone.map_or(micros, |zone| local_of(micros, zone));
        let day = add_months(local.div_euclid(DAY), months) + days;
        let local = in_range(i128::from(day) * i128::from(DAY) + i128::from(local.rem_euclid(DAY)))?;
        time = i128::from(zone.map_or(local, |zone| utc_of(local, zone)));
    }
    in_range(time + i128::from(rest))
}

/// `timestamp ± interval`.
fn add_interval(op: Operator) -> Function {
    let function = Function::new("pg_add_interval", 2, DataType::Null, Volatility::Stable, move |call| {
        let zoned = matches!(call.args[0].data_type(), DataType::Timestamp(_, Some(_)));
        let zone = current().style.zone.clone();
        let sums = (0..call.rows).map(|row| {
            let Some((months, days, rest)) = interval_at(&call.args[1], row).filter(|_| call.args[0].is_valid(row))
            else {
                return Ok(None);
            };
            let by = if op == Operator::Minus { (-months, -days, -rest) } else { (months, days, rest) };
            later(timestamp_micros(&call.args[0], row), by, zoned.then_some(&zone)).map(Some)
        });
        let sums = sums.collect::<Result<TimestampMicrosecondArray>>()?;
        Ok(Arc::new(sums.with_timezone_opt(zoned.then_some("UTC"))))
    });
    function
        .variant(op)
        .returning(|args| Ok(timestamp_type(matches!(args.arg_fields[0].data_type(), DataType::Timestamp(_, Some(_))))))
}

/// `timestamp - timestamp`: days of 24 hours, and the rest.
fn difference() -> Function {
    Function::new("pg_timestamp_difference", 2, INTERVAL, Volatility::Immutable, |call| {
        let differences = (0..call.rows).map(|row| {
            if call.args[0].is_null(row) || call.args[1].is_null(row) {
                return Ok(None);
            }
            let (left, right) = (timestamp_micros(&call.args[0], row), timestamp_micros(&call.args[1], row));
            if is_infinite(left) || is_infinite(right) {
                return Err(EngineError::unsupported("a difference of infinite timestamps"));
            }
            let micros = left.checked_sub(right).ok_or_else(|| EngineError::new("22008", "interval out of range"))?;
            Ok(Some(IntervalMonthDayNano::new(0, (micros / DAY) as i32, micros % DAY * 1000)))
        });
        Ok(Arc::new(differences.collect::<Result<IntervalMonthDayNanoArray>>()?))
    })
}

/// `date ± integer`.
pub fn add_days(op: Operator) -> Function {
    let function = Function::new("pg_add_days", 2, DataType::Date32, Volatility::Immutable, move |call| {
        let dates = call.args[0].as_primitive::<Date32Type>();
        let days = datafusion::arrow::compute::cast(&call.args[1], &DataType::Int64)
            .map_err(|e| EngineError::new("22003", e.to_string()))?;
        let days = days.as_primitive::<datafusion::arrow::datatypes::Int64Type>();
        let sums = (0..call.rows).map(|row| {
            if dates.is_null(row) || days.is_null(row) {
                return Ok(None);
            }
            let date = dates.value(row);
            if date == DATE_INFINITY || date == -DATE_INFINITY - 1 {
                return Ok(Some(date));
            }
            let by = if op == Operator::Minus { -i128::from(days.value(row)) } else { i128::from(days.value(row)) };
            let sum = i128::from(date) + by;
            let range = i128::from(crate::datetime_input::FIRST_DATE)..i128::from(crate::datetime_input::END_DATE);
            if range.contains(&sum) {
                Ok(Some(sum as i32))
            } else {
                Err(EngineError::new("22008", "date out of range"))
            }
        });
        Ok(Arc::new(sums.collect::<Result<Date32Array>>()?) as ArrayRef)
    });
    function.variant(op)
}

/// `interval * number` and `interval / number`: fractions go to the next smaller unit (`interval_mul`, `interval_div`).
fn scale(op: Operator) -> Function {
    const DAY_SECONDS: f64 = 86_400.0;
    let function = Function::new("pg_interval_scale", 2, INTERVAL, Volatility::Immutable, move |call| {
        let range = || EngineError::new("22008", "interval out of range");
        let factors = crate::cast::cast(&call.args[1], engine::PgType::Float8, crate::cast::Purpose::Explicit)?;
        let factors = factors.as_primitive::<datafusion::arrow::datatypes::Float64Type>();
        let results = (0..call.rows).map(|row| {
            let Some((months, days, micros)) = interval_at(&call.args[0], row).filter(|_| factors.is_valid(row)) else {
                return Ok(None);
            };
            let factor = factors.value(row);
            if op == Operator::Divide && factor == 0.0 {
                return Err(EngineError::new("22012", "division by zero"));
            }
            let times = |value: i64| if op == Operator::Divide { value as f64 / factor } else { value as f64 * factor };
            let rounded = |seconds: f64| (seconds * 1e6).round_ties_even() / 1e6;
            let (all_months, all_days) = (times(months), times(days));
            if !(all_months.abs() <= f64::from(i32::MAX) && all_days.abs() <= f64::from(i32::MAX)) {
                return Err(range());
            }
            let month_days = rounded((all_months - all_months.trunc()) * 30.0);
            let mut seconds = rounded((all_days - all_days.trunc() + month_days - month_days.trunc()) * DAY_SECONDS);
            let mut whole_days = all_days.trunc() as i64 + month_days.trunc() as i64;
            if seconds.abs() >= DAY_SECONDS {
                whole_days += (seconds / DAY_SECONDS).trunc() as i64;
                seconds -= (seconds / DAY_SECONDS).trunc() * DAY_SECONDS;
            }
            let micros = (times(micros) + seconds * 1e6).round_ties_even();
            let days = i32::try_from(whole_days).map_err(|_| range())?;
            if micros.abs() >= 9.2e15 {
                return Err(EngineError::unsupported("an interval of so many hours"));
            }
            Ok(Some(IntervalMonthDayNano::new(all_months.trunc() as i32, days, micros as i64 * 1000)))
        });
        Ok(Arc::new(results.collect::<Result<IntervalMonthDayNanoArray>>()?))
    });
    function.variant(op)
}

/// `date - date` in days.
fn days_between() -> Function {
    Function::new("pg_days_between", 2, DataType::Int32, Volatility::Immutable, |call| {
        let (left, right) = (call.args[0].as_primitive::<Date32Type>(), call.args[1].as_primitive::<Date32Type>());
        let infinite = |days: i32| days == DATE_INFINITY || days == -DATE_INFINITY - 1;
        let days = left.iter().zip(right.iter()).map(|pair| match pair {
            (Some(left), Some(right)) if infinite(left) || infinite(right) => {
                Err(EngineError::new("22008", "cannot subtract infinite dates"))
            }
            (Some(left), Some(right)) => Ok(Some(left - right)),
            _ => Ok(None),
        });
        Ok(Arc::new(days.collect::<Result<datafusion::arrow::array::Int32Array>>()?) as ArrayRef)
    })
}

/// `left op right`, if it is arithmetic of dates and times; the casts that it needs are the caller's.
pub fn operator(left: Expr, lt: &DataType, op: Operator, right: Expr, rt: &DataType) -> Option<Expr> {
    let day = |ty: &DataType| *ty == DataType::Date32;
    let time = |ty: &DataType| matches!(ty, DataType::Timestamp(_, _));
    let interval = |ty: &DataType| matches!(ty, DataType::Interval(_) | DataType::Duration(TimeUnit::Microsecond));
    let zoned = |ty: &DataType| matches!(ty, DataType::Timestamp(_, Some(_)));
    let number = |ty: &DataType| crate::semantics::category(ty) == 'N';
    let stamped =
        |expr: Expr, ty: &DataType, to: DataType| if *ty == to { expr } else { crate::semantics::to(expr, to) };
    match op {
        Operator::Plus | Operator::Minus if (day(lt) || time(lt)) && interval(rt) => {
            Some(add_interval(op).call(vec![stamped(left, lt, timestamp_type(zoned(lt))), right]))
        }
        Operator::Plus if (day(rt) || time(rt)) && interval(lt) => operator(right, rt, op, left, lt),
        Operator::Minus if day(lt) && day(rt) => Some(days_between().call(vec![left, right])),
        Operator::Minus if (day(lt) || time(lt)) && (day(rt) || time(rt)) => {
            let to = timestamp_type(zoned(lt) || zoned(rt));
            Some(difference().call(vec![stamped(left, lt, to.clone()), stamped(right, rt, to)]))
        }
        Operator::Multiply | Operator::Divide if interval(lt) && number(rt) => Some(scale(op).call(vec![left, right])),
        Operator::Multiply if number(lt) && interval(rt) => Some(scale(op).call(vec![right, left])),
        Operator::Plus | Operator::Minus if day(lt) && rt.is_integer() => Some(add_days(op).call(vec![left, right])),
        Operator::Plus if day(rt) && lt.is_integer() => Some(add_days(op).call(vec![right, left])),
        _ => None,
    }
}

/// A date and the microseconds of its day.
struct Instant {
    days: i64,
    micros: i64,
}

impl Instant {
    fn of(local: i64) -> Instant {
        Instant { days: local.div_euclid(DAY), micros: local.rem_euclid(DAY) }
    }
}

fn unknown_unit(unit: &str, ty: &DataType) -> EngineError {
    EngineError::new("22023", format!("unit \"{unit}\" not recognized for type {}", type_name(ty)))
}

fn no_unit(unit: &str, ty: &DataType) -> EngineError {
    EngineError::new("0A000", format!("unit \"{unit}\" not supported for type {}", type_name(ty)))
}

/// PostgreSQL's names of fields, by one each.
fn canonical(unit: &str) -> Option<&'static str> {
    let lower = unit.to_lowercase();
    Some(match lower.as_str() {
        "microseconds" | "microsecond" | "us" | "usec" | "usecs" | "useconds" => "microseconds",
        "milliseconds" | "millisecond" | "ms" | "msec" | "msecs" | "mseconds" => "milliseconds",
        "second" | "seconds" | "s" | "sec" | "secs" => "second",
        "minute" | "minutes" | "m" | "min" | "mins" => "minute",
        "hour" | "hours" | "h" | "hr" | "hrs" => "hour",
        "day" | "days" | "d" => "day",
        "week" | "weeks" | "w" => "week",
        "month" | "months" | "mon" | "mons" => "month",
        "quarter" | "qtr" => "quarter",
        "year" | "years" | "y" | "yr" | "yrs" => "year",
        "decade" | "decades" | "dec" | "decs" => "decade",
        "century" | "centuries" | "c" | "cent" => "century",
        "millennium" | "millennia" | "mil" | "mils" => "millennium",
        "epoch" => "epoch",
        "dow" => "dow",
        "isodow" => "isodow",
        "doy" => "doy",
        "isoyear" => "isoyear",
        "julian" | "j" | "jd" => "julian",
        "timezone" => "timezone",
        "timezone_h" | "timezone_hour" => "timezone_hour",
        "timezone_m" | "timezone_minute" => "timezone_minute",
        _ => return None,
    })
}

fn scale_of(unit: &str, ty: &DataType) -> i8 {
    match canonical(unit) {
        Some("second") => 6,
        Some("epoch") if *ty != DataType::Date32 => 6,
        Some("milliseconds") => 3,
        _ => 0,
    }
}

/// A field of a date, in units of its scale; `None` for an unknown one.
fn date_field(unit: &str, days: i64) -> Option<i128> {
    let (year, month, day) = date_of(days);
    // Years before the first have no zero among them.
    let counted = if year > 0 { year } else { year - 1 };
    Some(i128::from(match unit {
        "day" => day,
        "month" => month,
        "quarter" => (month - 1) / 3 + 1,
        "week" => iso_week(days).1,
        "year" => counted,
        "isoyear" => {
            let (year, _) = iso_week(days);
            if year > 0 { year } else { year - 1 }
        }
        "decade" => year.div_euclid(10),
        "century" => {
            if year > 0 {
                (year + 99) / 100
            } else {
                -((99 - (year - 1)) / 100)
            }
        }
        "millennium" => {
            if year > 0 {
                (year + 999) / 1000
            } else {
                -((999 - (year - 1)) / 1000)
            }
        }
        "dow" => weekday(days),
        "isodow" => (weekday(days) + 6) % 7 + 1,
        "doy" => days - days_of(year, 1, 1) + 1,
        _ => return None,
    }))
}

fn time_field(unit: &str, micros: i64) -> Option<i128> {
    Some(i128::from(match unit {
        "microseconds" | "milliseconds" | "second" => micros % 60_000_000,
        "minute" => micros / 60_000_000 % 60,
        "hour" => micros / 3_600_000_000,
        _ => return None,
    }))
}

/// A field of the value in this row, in units of its scale.
fn field(given: &str, array: &ArrayRef, row: usize, zone: &Zone) -> Result<Option<i128>> {
    let ty = array.data_type();
    let unit = canonical(given).ok_or_else(|| unknown_unit(given, ty))?;
    let refused = || no_unit(given, ty);
    if array.is_null(row) {
        return Ok(None);
    }
    let infinite = |unit: &str| {
        let grows = matches!(unit, "year" | "decade" | "century" | "millennium" | "epoch" | "julian" | "isoyear");
        if grows { Err(EngineError::unsupported(format!("extract({unit}) of infinity"))) } else { Ok(None) }
    };
    match ty {
        DataType::Date32 => match array.as_primitive::<Date32Type>().value(row) {
            days if days == DATE_INFINITY || days == -DATE_INFINITY - 1 => {
                let known = matches!(unit, "epoch" | "julian") || date_field(unit, 0).is_some();
                if known { infinite(unit) } else { Err(refused()) }
            }
            days if unit == "epoch" => Ok(Some(i128::from(days) * 86_400)),
            days if unit == "julian" => Ok(Some(i128::from(days) + 2_440_588)),
            days => date_field(unit, days.into()).map(Some).ok_or_else(refused),
        },
        DataType::Timestamp(_, zoned) => {
            let micros = timestamp_micros(array, row);
            if is_infinite(micros) {
                return infinite(unit);
            }
            let offset = i64::from(zone.offset_at(micros.div_euclid(1_000_000)));
            let local = Instant::of(if zoned.is_some() { micros + offset * 1_000_000 } else { micros });
            match unit {
                "epoch" => Ok(Some(micros.into())),
                "julian" => Err(EngineError::unsupported("extract(julian) of a timestamp")),
                "timezone" if zoned.is_some() => Ok(Some(offset.into())),
                "timezone_hour" if zoned.is_some() => Ok(Some((offset / 3600).into())),
                "timezone_minute" if zoned.is_some() => Ok(Some((offset / 60 % 60).into())),
                unit => time_field(unit, local.micros)
                    .or_else(|| date_field(unit, local.days))
                    .map(Some)
                    .ok_or_else(refused),
            }
        }
        DataType::Interval(IntervalUnit::MonthDayNano) | DataType::Duration(_) => {
            let (months, days, micros) = interval_at(array, row).expect("it is not null");
            let years = months / 12;
            Ok(Some(match unit {
                // A year has 365.25 days here, a month 30.
                "epoch" => {
                    let days = i128::from(years) * 1461 / 4 + i128::from(months % 12) * 30 + i128::from(days);
                    let quarter = i128::from(years) * 1461 % 4 * 21_600;
                    (days * 86_400 + quarter) * 1_000_000 + i128::from(micros)
                }
                "day" => days.into(),
                "week" => (days / 7).into(),
                "month" => (months % 12).into(),
                "quarter" if months >= 0 => (months % 12 / 3 + 1).into(),
                "quarter" => return Err(EngineError::unsupported("extract(quarter) of a negative interval")),
                "year" => years.into(),
                "decade" => (years / 10).into(),
                "century" => (years / 100).into(),
                "millennium" => (years / 1000).into(),
                unit => time_field(unit, micros).ok_or_else(refused)?,
            }))
        }
        other => Err(EngineError::new(
            "42883",
            format!("function pg_catalog.extract(unknown, {}) does not exist", type_name(other)),
        )),
    }
}

/// The constant in the first argument.
fn constant<'a>(call: &'a Call, what: &str) -> Result<&'a str> {
    match &call.given.args[0] {
        ColumnarValue::Scalar(ScalarValue::Utf8(Some(text))) => Ok(text),
        _ => Err(EngineError::unsupported(format!("{what} with a computed field"))),
    }
}

/// `pg_extract(field, value)`: numeric, with as many digits as the field has.
pub fn extract() -> Function {
    let function = Function::new("pg_extract", 2, DataType::Null, Volatility::Stable, |call| {
        let unit = constant(call, "extract")?;
        let zone = current().style.zone.clone();
        let values = (0..call.rows).map(|row| field(unit, &call.args[1], row, &zone));
        let values = values.collect::<Result<Decimal128Array>>()?;
        let scale = scale_of(unit, call.args[1].data_type());
        let values =
            values.with_precision_and_scale(24, scale).map_err(|e| EngineError::new("22003", e.to_string()))?;
        Ok(Arc::new(values) as ArrayRef)
    });
    function.returning(|args| match args.scalar_arguments[0] {
        Some(ScalarValue::Utf8(Some(unit))) => {
            let ty = args.arg_fields[1].data_type();
            canonical(unit).ok_or_else(|| unknown_unit(unit, ty))?;
            Ok(DataType::Decimal128(24, scale_of(unit, ty)))
        }
        _ => Err(EngineError::unsupported("extract with a computed field")),
    })
}

/// Whole units of a local time.
fn truncated(unit: &str, given: &str, local: i64, ty: &DataType) -> Result<i64> {
    let Instant { days, micros } = Instant::of(local);
    let (year, month, _) = date_of(days);
    let whole = |unit: i64| Ok(days * DAY + micros / unit * unit);
    let first = |year: i64, month: i64| Ok(days_of(year, month, 1) * DAY);
    match unit {
        "microseconds" => Ok(local),
        "milliseconds" => whole(1000),
        "second" => whole(1_000_000),
        "minute" => whole(60_000_000),
        "hour" => whole(3_600_000_000),
        "day" => whole(DAY),
        "week" => {
            let (year, week) = iso_week(days);
            Ok((iso_year_start(year) + (week - 1) * 7) * DAY)
        }
        "month" => first(year, month),
        "quarter" => first(year, (month - 1) / 3 * 3 + 1),
        "year" => first(year, 1),
        "decade" => first(year.div_euclid(10) * 10, 1),
        "century" => {
            first(if year > 0 { (year + 99) / 100 * 100 - 99 } else { -((99 - (year - 1)) / 100) * 100 + 1 }, 1)
        }
        "millennium" => {
            first(if year > 0 { (year + 999) / 1000 * 1000 - 999 } else { -((999 - (year - 1)) / 1000) * 1000 + 1 }, 1)
        }
        _ => Err(no_unit(given, ty)),
    }
}

fn truncated_interval(unit: &str, given: &str, (months, days, micros): (i64, i64, i64)) -> Result<(i64, i64, i64)> {
    let years = |years: i64| Ok((months / 12 / years * years * 12, 0, 0));
    let time = |unit: i64| Ok((months, days, micros / unit * unit));
    match unit {
        "microseconds" => Ok((months, days, micros)),
        "milliseconds" => time(1000),
        "second" => time(1_000_000),
        "minute" => time(60_000_000),
        "hour" => time(3_600_000_000),
        "day" => Ok((months, days, 0)),
        "month" => Ok((months, 0, 0)),
        "quarter" => Ok((months / 3 * 3, 0, 0)),
        "year" => years(1),
        "decade" => years(10),
        "century" => years(100),
        "millennium" => years(1000),
        _ => Err(no_unit(given, &INTERVAL)),
    }
}

/// `pg_date_trunc(unit, value[, zone])`.
pub fn date_trunc() -> Function {
    let function = Function::new("pg_date_trunc", usize::MAX, DataType::Null, Volatility::Stable, |call| {
        let given = constant(call, "date_trunc")?;
        let ty = call.args[1].data_type().clone();
        let unit = canonical(given).ok_or_else(|| unknown_unit(given, &ty))?;
        if matches!(ty, DataType::Interval(_) | DataType::Duration(_)) {
            let values = (0..call.rows).map(|row| match interval_at(&call.args[1], row) {
                None => Ok(None),
                Some(value) => truncated_interval(unit, given, value).map(|(months, days, micros)| {
                    Some(IntervalMonthDayNano::new(months as i32, days as i32, micros * 1000))
                }),
            });
            return Ok(Arc::new(values.collect::<Result<IntervalMonthDayNanoArray>>()?) as ArrayRef);
        }
        let zoned = !matches!(ty, DataType::Timestamp(_, None));
        let stamps = if zoned { cast(&call.args[1], &timestamp_type(true))? } else { call.args[1].clone() };
        let named = call.args.get(2).map(|names| crate::output::text_array(names)).transpose()?;
        let session = current().style.zone.clone();
        let values = (0..call.rows).map(|row| {
            if stamps.is_null(row) || named.as_ref().is_some_and(|names| names.is_null(row)) {
                return Ok(None);
            }
            let micros = timestamp_micros(&stamps, row);
            if is_infinite(micros) {
                return truncated(unit, given, 0, &ty).map(|_| Some(micros));
            }
            if !zoned {
                return truncated(unit, given, micros, &ty).map(Some);
            }
            let zone = match &named {
                Some(names) => zone(names.value(row))?,
                None => session.clone(),
            };
            let local = local_of(micros, &zone);
            let whole = truncated(unit, given, local, &ty)?;
            // Smaller units stay in the hour that there may be twice.
            let small = matches!(unit, "microseconds" | "milliseconds" | "second" | "minute" | "hour");
            Ok(Some(if small { micros - (local - whole) } else { utc_of(whole, &zone) }))
        });
        let values = values.collect::<Result<TimestampMicrosecondArray>>()?;
        Ok(Arc::new(values.with_timezone_opt(zoned.then_some("UTC"))) as ArrayRef)
    });
    function.returning(|args| {
        let zone = args.arg_fields.len() > 2;
        match args.arg_fields.get(1).map(|f| f.data_type()) {
            Some(DataType::Interval(_) | DataType::Duration(_)) if !zone => Ok(INTERVAL),
            Some(DataType::Timestamp(_, None)) if !zone => Ok(timestamp_type(false)),
            Some(DataType::Timestamp(_, _) | DataType::Date32) => Ok(timestamp_type(true)),
            Some(DataType::Utf8 | DataType::Null) => {
                Err(EngineError::new("42725", "function date_trunc(unknown, unknown) is not unique"))
            }
            other => {
                let ty = other.map(type_name).unwrap_or_default();
                Err(EngineError::new("42883", format!("function date_trunc(unknown, {ty}) does not exist")))
            }
        }
    })
}

/// `pg_timezone(zone, value)`: what `value AT TIME ZONE zone` means.
pub fn timezone() -> Function {
    let function = Function::new("pg_timezone", 2, DataType::Null, Volatility::Stable, |call| {
        let zoned = !matches!(call.args[1].data_type(), DataType::Timestamp(_, None));
        let stamps = if zoned { cast(&call.args[1], &timestamp_type(true))? } else { call.args[1].clone() };
        let names = match call.args[0].data_type() {
            DataType::Interval(_) => None,
            _ => Some(crate::output::text_array(&call.args[0])?),
        };
        let values = (0..call.rows).map(|row| {
            if stamps.is_null(row) || call.args[0].is_null(row) {
                return Ok(None);
            }
            let zone = match &names {
                Some(names) => zone(names.value(row))?,
                None => interval_zone(interval_at(&call.args[0], row).expect("it is not null"))?,
            };
            let micros = timestamp_micros(&stamps, row);
            if is_infinite(micros) {
                return Ok(Some(micros));
            }
            Ok(Some(if zoned { local_of(micros, &zone) } else { utc_of(micros, &zone) }))
        });
        let values = values.collect::<Result<TimestampMicrosecondArray>>()?;
        Ok(Arc::new(values.with_timezone_opt((!zoned).then_some("UTC"))) as ArrayRef)
    });
    function.returning(|args| match args.arg_fields[1].data_type() {
        DataType::Timestamp(_, None) => Ok(timestamp_type(true)),
        DataType::Timestamp(_, Some(_)) | DataType::Date32 => Ok(timestamp_type(false)),
        other => Err(EngineError::new(
            "42883",
            format!("function pg_catalog.timezone(unknown, {}) does not exist", type_name(other)),
        )),
    })
}

/// The zone so far east of Greenwich.
fn interval_zone((months, days, micros): (i64, i64, i64)) -> Result<Zone> {
    if months != 0 || days != 0 {
        return Err(EngineError::new("22023", "interval time zone must not include months or days"));
    }
    Ok(Zone::east((micros / 1_000_000) as i32).0)
}
