//! The types' texts and bytes. PostgreSQL's bytes count from 2000, values here from 1970.

use error::sqlstate;

use crate::base_type::{BaseType, fixed, value};
use crate::column::SqlType;
use crate::datum::Datum;
use crate::error::{Error, Result};

use super::interval::Interval;
use super::interval_output::put_interval;
use super::interval_typmod::adjust;
use super::values::*;
use super::{input, interval_input, output};

pub const TYPES: &[BaseType] = &[
    BaseType {
        oid: date::OID,
        input: |context, text, _| Ok(Datum::I32(input::parse_date(context, text)?)),
        output: |context, array, index, out| {
            output::put_date(out, value::<date>(array, index), context);
            Ok(())
        },
        receive: |_, bytes, _| Ok(Datum::I32(received_date(i32::from_be_bytes(fixed(bytes)?))?)),
        send: |_, array, index, out| {
            let days = value::<date>(array, index);
            let days = if is_infinite_date(days) { days } else { days - EPOCH_DAYS };
            out.extend(days.to_be_bytes());
            Ok(())
        },
    },
    BaseType {
        oid: time::OID,
        input: |context, text, typmod| Ok(Datum::I64(input::parse_time(context, text, typmod)?)),
        output: |_, array, index, out| {
            output::put_time(out, value::<time>(array, index));
            Ok(())
        },
        receive: |_, bytes, typmod| Ok(Datum::I64(received_time(i64::from_be_bytes(fixed(bytes)?), typmod)?)),
        send: |_, array, index, out| {
            out.extend(value::<time>(array, index).to_be_bytes());
            Ok(())
        },
    },
    BaseType {
        oid: timetz::OID,
        input: |context, text, typmod| Ok(Datum::bytes(input::parse_timetz(context, text, typmod)?.to_bytes())),
        output: |_, array, index, out| {
            output::put_timetz(out, value::<timetz>(array, index));
            Ok(())
        },
        receive: |_, bytes, typmod| {
            let mut received = TimeTz::from_bytes(&fixed(bytes)?);
            received.micros = received_time(received.micros, typmod)?;
            // Less than 16 hours, as in texts.
            if received.west.unsigned_abs() >= 16 * 3600 {
                return Err(Error::new(
                    sqlstate::INVALID_TIME_ZONE_DISPLACEMENT_VALUE,
                    "time zone displacement out of range",
                ));
            }
            Ok(Datum::bytes(received.to_bytes()))
        },
        send: |_, array, index, out| {
            out.extend(value::<timetz>(array, index).to_bytes());
            Ok(())
        },
    },
    BaseType {
        oid: timestamp::OID,
        input: |context, text, typmod| Ok(Datum::I64(input::parse_timestamp(context, text, typmod)?)),
        output: |context, array, index, out| {
            output::put_timestamp(out, value::<timestamp>(array, index), false, context);
            Ok(())
        },
        receive: |_, bytes, typmod| received_timestamp(bytes, typmod),
        send: |_, array, index, out| {
            send_timestamp(value::<timestamp>(array, index), out);
            Ok(())
        },
    },
    BaseType {
        oid: timestamptz::OID,
        input: |context, text, typmod| Ok(Datum::I64(input::parse_timestamptz(context, text, typmod)?)),
        output: |context, array, index, out| {
            output::put_timestamp(out, value::<timestamptz>(array, index), true, context);
            Ok(())
        },
        receive: |_, bytes, typmod| received_timestamp(bytes, typmod),
        send: |_, array, index, out| {
            send_timestamp(value::<timestamptz>(array, index), out);
            Ok(())
        },
    },
    BaseType {
        oid: interval::OID,
        input: |context, text, typmod| Ok(Datum::bytes(interval_input::parse(context, text, typmod)?.to_bytes())),
        output: |context, array, index, out| {
            put_interval(out, value::<interval>(array, index), context.interval_style);
            Ok(())
        },
        receive: |_, bytes, typmod| Ok(Datum::bytes(adjust(Interval::from_bytes(&fixed(bytes)?), typmod)?.to_bytes())),
        send: |_, array, index, out| {
            out.extend(value::<interval>(array, index).to_bytes());
            Ok(())
        },
    },
];

fn received_date(days: i32) -> Result<i32> {
    if is_infinite_date(days) {
        return Ok(days);
    }
    to_date(i64::from(days) + i64::from(EPOCH_DAYS)).ok_or_else(date_out_of_range)
}

fn received_time(micros: i64, typmod: i32) -> Result<i64> {
    if !(0..=DAY).contains(&micros) {
        return Err(Error::new(sqlstate::DATETIME_VALUE_OUT_OF_RANGE, "time out of range"));
    }
    Ok(if typmod < 0 { micros } else { round(micros, typmod, 0) })
}

fn received_timestamp(bytes: &[u8], typmod: i32) -> Result<Datum> {
    let micros = i64::from_be_bytes(fixed(bytes)?);
    if is_infinite(micros) {
        return Ok(Datum::I64(micros));
    }
    let micros = to_timestamp(i128::from(micros) + i128::from(EPOCH_MICROS))?;
    Ok(Datum::I64(input::rounded(micros, typmod)?))
}

fn send_timestamp(micros: i64, out: &mut Vec<u8>) {
    let micros = if is_infinite(micros) { micros } else { micros - EPOCH_MICROS };
    out.extend(micros.to_be_bytes());
}
