//! Constants of dates and times in a column's DEFAULT are read when the column is defined: `DEFAULT 'now'` is for ever the
//! time of CREATE TABLE, and one without a zone means the zone that was set then.

use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, StringArray};
use datafusion::sql::sqlparser::ast::{self, Expr, Value};
use engine::{EngineError, PgType, Result, Style};

use crate::cast::{Purpose, cast};

/// The default of a column of type `ty`, with the values of its constants.
pub fn read(ty: PgType, default: &Expr) -> Result<Expr> {
    let mut default = default.clone();
    if let Some(text) = text(&default) {
        let value = value(ty, text)?;
        return Ok(value.map_or(default, Expr::value));
    }
    let failed = ast::visit_expressions_mut(&mut default, |expr| match read_typed(expr) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => ControlFlow::Break(error),
    });
    match failed {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(default),
    }
}

/// `'now'::date` and `date 'now'`.
fn read_typed(expr: &mut Expr) -> Result<()> {
    match expr {
        Expr::Cast { expr, data_type, .. } => {
            if let (Some(text), Ok(ty)) = (text(expr), crate::ddl::pg_type(data_type))
                && let Some(value) = value(ty, text)?
            {
                **expr = Expr::value(value);
            }
        }
        Expr::TypedString(constant) => {
            if let (Value::SingleQuotedString(text), Ok(ty)) =
                (&constant.value.value, crate::ddl::pg_type(&constant.data_type))
                && let Some(value) = value(ty, text)?
            {
                constant.value = value.into();
            }
        }
        _ => {}
    }
    Ok(())
}

fn text(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Nested(inner) => text(inner),
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(text) => Some(text),
            _ => None,
        },
        _ => None,
    }
}

/// The constant as it is kept, if it is a date or a time.
fn value(ty: PgType, text: &str) -> Result<Option<Value>> {
    if !matches!(ty, PgType::Date | PgType::Timestamp | PgType::Timestamptz) {
        return Ok(None);
    }
    let constant: ArrayRef = Arc::new(StringArray::from(vec![text]));
    let mut kept = Vec::new();
    crate::output::encode_value(&mut kept, &cast(&constant, ty, Purpose::Explicit)?, 0, &Style::default())?;
    let kept = String::from_utf8(kept).map_err(|e| EngineError::new("XX000", e.to_string()))?;
    Ok(Some(Value::SingleQuotedString(kept)))
}
