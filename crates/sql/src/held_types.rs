//! Types that are held as others: `"char"` and `name` as text, `oid`, `xid`, `cid` and `xid8` as bigint. The casts to them
//! read as PostgreSQL's do and mark the result with the type's OID.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Int64Array, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Int64Type};
use datafusion::logical_expr::Volatility;
use engine::{EngineError, PgType, Result};

use crate::cast::{Purpose, cast};
use crate::function::Function;
use crate::output::type_name;
use crate::tables::{TYPE_KEY, tagged};

/// Bytes of a `name` (NAMEDATALEN without the end).
const NAME_BYTES: usize = 63;

pub fn functions() -> Vec<Function> {
    vec![
        oid(),
        transaction("pg_xid", "xid", 28),
        transaction("pg_cid", "cid", 29),
        transaction("pg_xid8", "xid8", XID8),
        quoted_char(),
        name(),
        blank_padded(),
    ]
}

/// The OID of xid8.
const XID8: u32 = 5069;

/// The OID by which a value's field says what the value is.
fn held_oid(field: &Field) -> Option<u32> {
    field.metadata().get(TYPE_KEY)?.split(',').next()?.parse().ok()
}

fn marked(field: &str, ty: DataType, oid: u32) -> Arc<Field> {
    Arc::new(tagged(field, ty, oid))
}

fn cannot(from: &DataType, to: &str) -> EngineError {
    EngineError::new("42846", format!("cannot cast type {} to {to}", type_name(from)))
}

fn is_text(ty: &DataType) -> bool {
    matches!(ty, DataType::Utf8 | DataType::Utf8View | DataType::LargeUtf8)
}

/// `pg_oid(x)`: a cast to oid. Negative integers wrap round, as their bits do.
fn oid() -> Function {
    let function = Function::new("pg_oid", 1, DataType::Int64, Volatility::Immutable, |call| oids(&call.args[0]));
    function.returning_checked(|args| match args.arg_fields[0].data_type() {
        ty if ty.is_integer() || is_text(ty) || *ty == DataType::Null => Ok(marked("pg_oid", DataType::Int64, 26)),
        ty => Err(cannot(ty, "oid")),
    })
}

/// The OIDs that numbers are for a cast to oid, regclass and its sisters.
pub fn oids(array: &ArrayRef) -> Result<ArrayRef> {
    let wraps = !matches!(array.data_type(), DataType::Int64);
    unsigned(array, wraps, || EngineError::new("22003", "OID out of range"))
}

/// The values as numbers of 32 bits.
fn unsigned(array: &ArrayRef, wraps: bool, range: impl Fn() -> EngineError) -> Result<ArrayRef> {
    let values = cast(array, PgType::Int8, Purpose::Explicit)?;
    let values = values.as_primitive::<Int64Type>().iter().map(|value| match value {
        Some(value @ 0..=0xffff_ffff) => Ok(Some(value)),
        Some(value @ -0x8000_0000..0) if wraps => Ok(Some(value + (1 << 32))),
        Some(_) => Err(range()),
        None => Ok(None),
    });
    Ok(Arc::new(values.collect::<Result<Int64Array>>()?))
}

/// A cast to a transaction's or a command's id: from text, and from xid8 to xid.
fn transaction(function: &'static str, ty: &'static str, oid: u32) -> Function {
    let made = Function::new(function, 1, DataType::Int64, Volatility::Immutable, move |call| {
        if oid == XID8 {
            return cast(&call.args[0], PgType::Int8, Purpose::Explicit);
        }
        if call.args[0].data_type() == &DataType::Int64 {
            let ids = call.args[0].as_primitive::<Int64Type>();
            return Ok(Arc::new(ids.unary::<_, Int64Type>(|id| id & 0xffff_ffff)));
        }
        unsigned(&call.args[0], true, || EngineError::new("22003", format!("value is out of range for type {ty}")))
    });
    made.returning_checked(move |args| {
        let from = &args.arg_fields[0];
        let id = held_oid(from).is_some_and(|held| held == oid || held == XID8 && oid == 28);
        if is_text(from.data_type()) || *from.data_type() == DataType::Null || id {
            return Ok(marked(function, DataType::Int64, oid));
        }
        Err(cannot(from.data_type(), ty))
    })
}

/// `"char"`: one byte, held as the text that shows it. A byte beyond ASCII shows as a backslash and three octal digits, the
/// byte zero as nothing.
fn quoted_char() -> Function {
    let function = Function::new("pg_char", 1, DataType::Utf8, Volatility::Immutable, |call| {
        let array = &call.args[0];
        let texts: Vec<Option<String>> = match array.data_type() {
            DataType::Int32 | DataType::Int64 => {
                let numbers = cast(array, PgType::Int8, Purpose::Explicit)?;
                let numbers = numbers.as_primitive::<Int64Type>().iter();
                let byte = |n: i64| i8::try_from(n).map_err(|_| EngineError::new("22003", "\"char\" out of range"));
                numbers.map(|n| n.map(|n| byte(n).map(|b| shown(b as u8))).transpose()).collect::<Result<_>>()?
            }
            DataType::Null => vec![None; call.rows],
            _ => crate::output::text_array(array)?.iter().map(|t| t.map(|t| shown(byte_of(t)))).collect(),
        };
        Ok(Arc::new(StringArray::from(texts)))
    });
    function.returning_checked(|args| match args.arg_fields[0].data_type() {
        ty if is_text(ty) || matches!(ty, DataType::Int32 | DataType::Int64 | DataType::Null) => {
            Ok(marked("pg_char", DataType::Utf8, 18))
        }
        ty => Err(cannot(ty, "\"char\"")),
    })
}

/// What `charin` reads.
fn byte_of(text: &str) -> u8 {
    match text.as_bytes() {
        [b'\\', digits @ ..] if digits.len() == 3 && digits.iter().all(|d| (b'0'..=b'7').contains(d)) => {
            digits.iter().fold(0u8, |byte, digit| (byte << 3).wrapping_add(digit - b'0'))
        }
        bytes => bytes.first().copied().unwrap_or(0),
    }
}

/// What `charout` writes.
fn shown(byte: u8) -> String {
    match byte {
        0 => String::new(),
        1..=0x7f => char::from(byte).to_string(),
        _ => format!("\\{byte:03o}"),
    }
}

/// A cast to `name`: as much of the text as a name has room for.
fn name() -> Function {
    let function = Function::new("pg_name", 1, DataType::Utf8, Volatility::Immutable, |call| {
        let texts: ArrayRef = match call.args[0].data_type() {
            // What a boolean shows, not what its cast to text gives.
            DataType::Boolean => {
                let shown = call.args[0].as_boolean().iter().map(|b| b.map(|b| if b { "t" } else { "f" }));
                Arc::new(shown.collect::<StringArray>())
            }
            _ => cast(&call.args[0], PgType::Text, Purpose::Explicit)?,
        };
        let cut = |text: &str| text[..text.floor_char_boundary(NAME_BYTES)].to_string();
        Ok(Arc::new(texts.as_string::<i32>().iter().map(|text| text.map(cut)).collect::<StringArray>()))
    });
    function.returning_checked(|_| Ok(marked("pg_name", DataType::Utf8, 19)))
}

/// A cast to `bpchar`: a text of any length whose trailing blanks mean nothing.
fn blank_padded() -> Function {
    let function = Function::new("pg_bpchar", 1, DataType::Utf8, Volatility::Immutable, |call| {
        cast(&call.args[0], PgType::Text, Purpose::Explicit)
    });
    function.returning_checked(|_| Ok(marked("pg_bpchar", DataType::Utf8, 1042)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_show_as_charout_writes_them() {
        for (text, shows) in [("abc", "a"), ("\\101", "A"), ("\\377", "\\377"), ("\\000", ""), ("", ""), ("\\9", "\\")]
        {
            assert_eq!(shown(byte_of(text)), shows);
        }
    }
}
