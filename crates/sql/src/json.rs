//! `json_build_object`. A `json` value is its text; there are no columns of that type.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, StringArray};
use datafusion::arrow::datatypes::{DataType, Field};
use datafusion::logical_expr::Volatility;
use engine::{EngineError, PLAIN, Result};

use crate::function::Function;
use crate::tables::TYPE_KEY;

/// `json`, as fields are tagged with it.
const JSON: &str = "114,-1";

/// Names and values, one after the other.
pub fn build_object() -> Function {
    let field = Field::new("json_build_object", DataType::Utf8, true);
    let field = field.with_metadata([(TYPE_KEY.to_string(), JSON.to_string())].into());
    let function = Function::new("json_build_object", usize::MAX, DataType::Utf8, Volatility::Stable, |call| {
        if call.args.len() % 2 == 1 {
            return Err(EngineError::new("22023", "argument list must have even number of elements")
                .hint("The arguments of json_build_object() must consist of alternating keys and values."));
        }
        let nested = |at: usize| call.given.arg_fields[at].metadata().get(TYPE_KEY).is_some_and(|tag| tag == JSON);
        let object = |row: usize| {
            let mut text = String::from("{");
            for (at, pair) in call.args.chunks(2).enumerate() {
                if pair[0].is_null(row) || pair[0].data_type() == &DataType::Null {
                    return Err(EngineError::new("22004", "null value not allowed for object key"));
                }
                text.push_str(if at == 0 { "" } else { ", " });
                let key = value(&pair[0], row)?;
                text.push_str(&if key.starts_with('"') { key } else { quoted(&key)? });
                text.push_str(" : ");
                text.push_str(&match nested(2 * at + 1) && pair[1].is_valid(row) {
                    true => shown(&pair[1], row)?,
                    false => value(&pair[1], row)?,
                });
            }
            text.push('}');
            Ok(Some(text))
        };
        Ok(Arc::new((0..call.rows).map(object).collect::<Result<StringArray>>()?))
    });
    function.returning_field(field)
}

fn shown(array: &ArrayRef, row: usize) -> Result<String> {
    let mut text = Vec::new();
    crate::output::encode_value(&mut text, array, row, &PLAIN)?;
    String::from_utf8(text).map_err(|e| EngineError::new("XX000", e.to_string()))
}

fn value(array: &ArrayRef, row: usize) -> Result<String> {
    if array.is_null(row) {
        return Ok("null".into());
    }
    match array.data_type() {
        DataType::Null => Ok("null".into()),
        DataType::Boolean => Ok(array.as_boolean().value(row).to_string()),
        // Numbers, but what JSON has no number for.
        ty if ty.is_numeric() || *ty == DataType::LargeBinary => {
            let text = shown(array, row)?;
            if text.ends_with(|c: char| c.is_ascii_digit()) { Ok(text) } else { quoted(&text) }
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::FixedSizeBinary(16) => {
            quoted(&shown(array, row)?)
        }
        DataType::Date32 => quoted(&shown(array, row)?),
        other => Err(EngineError::unsupported(format!("{} in JSON", crate::output::type_name(other)))),
    }
}

/// A string of JSON.
fn quoted(text: &str) -> Result<String> {
    serde_json::to_string(text).map_err(|e| EngineError::new("XX000", e.to_string()))
}
