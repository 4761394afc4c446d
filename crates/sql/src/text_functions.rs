//! Functions of text that DataFusion means differently. Those whose results may be much longer than their arguments
//! (`lpad`, `rpad`, `repeat`) are bounded as in PostgreSQL, where a value has less than 1 GiB, and bounded for all rows of a
//! batch, which Arrow keeps next to each other.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, Int64Array, StringArray, StringBuilder};
use datafusion::arrow::datatypes::DataType;
use datafusion::logical_expr::Volatility;
use engine::{EngineError, Result};

use crate::function::{Call, Function};
use crate::functions::bigint;
use crate::output::{text_array, type_name};

/// Bytes of a value, and of the values of a batch (`MaxAllocSize`, less a header).
const MOST: usize = 0x3fff_ffff - 4;

/// Bytes that a character may take, by which `lpad` reserves.
const WIDEST: usize = 4;

pub fn functions() -> [Function; 6] {
    [
        padded("pg_lpad", true),
        padded("pg_rpad", false),
        repeat(),
        // Character by character: a sharp s has no capital, and a sigma at the end of a word is none of its own.
        cased("pg_upper", |c| alone(c.to_uppercase()).unwrap_or(c)),
        cased("pg_lower", |c| alone(c.to_lowercase()).unwrap_or(c)),
        plus(),
    ]
}

/// The character, if there is only one.
fn alone(mut characters: impl Iterator<Item = char>) -> Option<char> {
    let first = characters.next();
    if characters.next().is_some() { None } else { first }
}

fn cased(name: &'static str, f: fn(char) -> char) -> Function {
    Function::new(name, 1, DataType::Utf8, Volatility::Immutable, move |call| {
        let texts = text_array(&call.args[0])?;
        let cased = texts.iter().map(|text| text.map(|text| text.chars().map(f).collect::<String>()));
        Ok(Arc::new(cased.collect::<StringArray>()))
    })
}

/// `+ x`, of numbers.
fn plus() -> Function {
    let function = Function::new("pg_plus", 1, DataType::Null, Volatility::Immutable, |call| Ok(call.args[0].clone()));
    function.returning(|args| match args.arg_fields[0].data_type() {
        ty if crate::semantics::category(ty) == 'N' || *ty == DataType::Null => Ok(ty.clone()),
        ty => Err(EngineError::new("42883", format!("operator does not exist: + {}", type_name(ty)))),
    })
}

fn too_long() -> EngineError {
    EngineError::new("54000", "requested length too large")
}

/// Refuses arguments that PostgreSQL would not take for text and a number.
fn with_types(function: Function, name: &'static str, counts: std::ops::RangeInclusive<usize>) -> Function {
    function.returning(move |args| {
        let types: Vec<&DataType> = args.arg_fields.iter().map(|field| field.data_type()).collect();
        let text = |ty: &DataType| matches!(ty, DataType::Utf8 | DataType::Utf8View | DataType::LargeUtf8);
        let fits = types.iter().enumerate().all(|(at, ty)| match at {
            1 => matches!(ty, DataType::Int16 | DataType::Int32 | DataType::Null) || text(ty),
            _ => text(ty) || **ty == DataType::Null,
        });
        // Numbers that are written in a statement are planned as bigint, and become integers later.
        let planned = types.get(1).is_some_and(|ty| **ty == DataType::Int64);
        if counts.contains(&types.len()) && (fits || planned) {
            return Ok(DataType::Utf8);
        }
        let names: Vec<String> = types.iter().map(|ty| type_name(ty)).collect();
        let error = EngineError::new("42883", format!("function {name}({}) does not exist", names.join(", ")));
        Err(error
            .hint("No function matches the given name and argument types. You might need to add explicit type casts."))
    })
}

/// Calls `f` for each row without NULLs with the first and the third text and the number; it appends to the result.
fn rows(call: &Call, fill: &str, f: impl Fn(&mut String, &str, i64, &str) -> Result<()>) -> Result<ArrayRef> {
    let texts = text_array(&call.args[0])?;
    let counts = count(&call.args[1])?;
    let fills = call.args.get(2).map(|fill| text_array(fill)).transpose()?;
    let mut out = StringBuilder::new();
    let (mut value, mut total) = (String::new(), 0);
    for row in 0..call.rows {
        let null = fills.as_ref().is_some_and(|fills| fills.is_null(row));
        if null || texts.is_null(row) || counts.is_null(row) {
            out.append_null();
            continue;
        }
        value.clear();
        let fill = fills.as_ref().map_or(fill, |fills| fills.value(row));
        f(&mut value, texts.value(row), counts.value(row), fill)?;
        total += value.len();
        if total > MOST {
            return Err(EngineError::new("53200", "out of memory").detail("The texts of a batch have more than 1 GiB."));
        }
        out.append_value(&value);
    }
    Ok(Arc::new(out.finish()))
}

/// The number, which may be a constant in quotes.
fn count(array: &ArrayRef) -> Result<Int64Array> {
    match array.data_type() {
        DataType::Utf8 => {
            let integers = crate::cast::cast(array, engine::PgType::Int4, crate::cast::Purpose::Explicit)?;
            bigint(&integers)
        }
        _ => bigint(array),
    }
}

fn padded(name: &'static str, left: bool) -> Function {
    let function = Function::new(name, usize::MAX, DataType::Utf8, Volatility::Immutable, move |call| {
        rows(call, " ", |out, text, length, fill| {
            let length = usize::try_from(length).unwrap_or(0);
            if length > MOST / WIDEST {
                return Err(too_long());
            }
            let have = text.chars().count();
            if have >= length || fill.is_empty() {
                out.extend(text.chars().take(length));
                return Ok(());
            }
            let padding = fill.chars().cycle().take(length - have);
            if left {
                out.extend(padding);
                out.push_str(text);
            } else {
                out.push_str(text);
                out.extend(padding);
            }
            Ok(())
        })
    });
    with_types(function, &name[3..], 2..=3)
}

fn repeat() -> Function {
    let function = Function::new("pg_repeat", 2, DataType::Utf8, Volatility::Immutable, |call| {
        rows(call, "", |out, text, times, _| {
            let times = usize::try_from(times).unwrap_or(0);
            if text.len().checked_mul(times).is_none_or(|bytes| bytes > MOST) {
                return Err(too_long());
            }
            for _ in 0..if text.is_empty() { 0 } else { times } {
                out.push_str(text);
            }
            Ok(())
        })
    });
    with_types(function, "repeat", 2..=2)
}
