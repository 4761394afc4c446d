//! DataFusion's errors as PostgreSQL's: code and message.

use datafusion::arrow::error::ArrowError;
use datafusion::common::SchemaError;
use datafusion::error::DataFusionError;
use engine::EngineError;

/// Our error inside DataFusion's.
pub fn wrap(error: EngineError) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

/// Finds what went wrong, however deeply it was wrapped.
pub fn translate(error: DataFusionError) -> EngineError {
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(inner) = source {
        if let Some(ours) = inner.downcast_ref::<EngineError>() {
            return ours.clone();
        }
        if let Some(DataFusionError::External(boxed)) = inner.downcast_ref::<DataFusionError>()
            && let Some(ours) = boxed.downcast_ref::<EngineError>()
        {
            return ours.clone();
        }
        if let Some(arrow) = inner.downcast_ref::<ArrowError>()
            && let Some(known) = from_arrow(arrow)
        {
            return known;
        }
        source = inner.source();
    }
    match error.find_root() {
        DataFusionError::ArrowError(arrow, _) => {
            from_arrow(arrow).unwrap_or_else(|| EngineError::new("XX000", arrow.to_string()))
        }
        DataFusionError::SchemaError(schema, _) => from_schema(schema),
        DataFusionError::NotImplemented(what) => EngineError::new("0A000", clean(what)),
        DataFusionError::ResourcesExhausted(what) => {
            EngineError::new("53200", format!("out of memory: {}", clean(what)))
        }
        DataFusionError::Plan(message) => from_plan(message),
        DataFusionError::Diagnostic(_, inner) => translate_message(&inner.strip_backtrace()),
        other => translate_message(&other.strip_backtrace()),
    }
}

fn translate_message(message: &str) -> EngineError {
    from_plan(message)
}

/// DataFusion's hints ("Did you mean …") take several lines; PostgreSQL's messages are one.
fn clean(message: &str) -> String {
    message.lines().next().unwrap_or_default().trim_end_matches('.').to_string()
}

fn from_arrow(error: &ArrowError) -> Option<EngineError> {
    Some(match error {
        ArrowError::DivideByZero => EngineError::new("22012", "division by zero"),
        ArrowError::ComputeError(message) if message.contains("overflow") => {
            EngineError::new("22003", "integer out of range")
        }
        ArrowError::ArithmeticOverflow(_) => EngineError::new("22003", "value out of range: overflow"),
        ArrowError::CastError(message) => EngineError::new("22P02", clean(message)),
        ArrowError::ParseError(message) => EngineError::new("22P02", clean(message)),
        ArrowError::ExternalError(inner) => inner.downcast_ref::<EngineError>()?.clone(),
        ArrowError::InvalidArgumentError(message) if message.contains("precision") => {
            EngineError::new("22003", "numeric field overflow")
        }
        _ => return None,
    })
}

fn from_schema(error: &SchemaError) -> EngineError {
    match error {
        SchemaError::FieldNotFound { field, .. } => match &field.relation {
            Some(relation) => {
                EngineError::new("42703", format!("column {}.{} does not exist", relation.table(), field.name))
            }
            None => EngineError::new("42703", format!("column \"{}\" does not exist", field.name)),
        },
        SchemaError::AmbiguousReference { field } => {
            EngineError::new("42702", format!("column reference \"{}\" is ambiguous", field.name))
        }
        SchemaError::DuplicateQualifiedField { name, .. } | SchemaError::DuplicateUnqualifiedField { name } => {
            EngineError::new("42701", format!("column \"{name}\" specified more than once"))
        }
    }
}

/// The planner's messages have no codes; these are the ones that users meet.
fn from_plan(message: &str) -> EngineError {
    let text = clean(message);
    let lower = text.to_ascii_lowercase();
    let quoted = || text.split('\'').nth(1).unwrap_or_default().to_string();
    if lower.contains("table '") && lower.contains("not found") {
        let name = quoted();
        let short = name.rsplit('.').next().unwrap_or(&name).to_string();
        return EngineError::new("42P01", format!("relation \"{short}\" does not exist"));
    }
    if lower.contains("invalid function '") || lower.contains("table function '") || lower.contains("function '") {
        let name = quoted();
        return EngineError::new("42883", format!("function {}() does not exist", name.to_lowercase()))
            .hint("No function matches the given name and argument types. You might need to add explicit type casts.");
    }
    if lower.contains("regex parse error") {
        return EngineError::new("2201B", "invalid regular expression");
    }
    if lower.contains("cannot coerce")
        || lower.contains("cannot infer common argument type")
        || lower.contains("no function matches")
        || lower.contains("failed to coerce")
        || lower.contains("could not be coerced")
        || lower.contains("failed to match any signature")
    {
        return EngineError::new("42883", text).hint("You might need to add explicit type casts.");
    }
    if lower.contains("square root of a negative") {
        return EngineError::new("2201F", "cannot take square root of a negative number");
    }
    if lower.contains("aggregate function")
        || lower.contains("must be in the group by clause")
        || lower.contains("could not be resolved from available columns")
        || lower.contains("must appear in the group by")
    {
        return EngineError::new("42803", text);
    }
    if lower.contains("no field named") {
        let name = text.split("No field named ").nth(1).unwrap_or_default();
        let name = name.split(['.', ' ']).next().unwrap_or_default().trim_matches('"').trim_end_matches('.');
        return EngineError::new("42703", format!("column \"{name}\" does not exist"));
    }
    if lower.contains("not supported") || lower.contains("unsupported") || lower.contains("not implemented") {
        return EngineError::new("0A000", text);
    }
    EngineError::new("42601", text)
}
