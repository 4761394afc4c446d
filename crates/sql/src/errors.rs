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
        DataFusionError::NotImplemented(what) => EngineError { code: "0A000", ..from_plan(what) },
        DataFusionError::ResourcesExhausted(what) => {
            EngineError::new("53200", format!("out of memory: {}", clean(what)))
        }
        DataFusionError::Plan(message) => from_plan(message),
        DataFusionError::Diagnostic(_, inner) => from_plan(&inner.strip_backtrace()),
        other => from_plan(&other.strip_backtrace()),
    }
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
        ArrowError::ComputeError(message) if message.contains("Regular expression did not compile") => {
            EngineError::new("2201B", "invalid regular expression")
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

const SYSTEM_COLUMNS: &[&str] = &["ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"];

fn from_schema(error: &SchemaError) -> EngineError {
    match error {
        SchemaError::FieldNotFound { field, valid_fields } => match &field.relation {
            // A name of DataFusion's own, for what it could not join.
            Some(relation) if relation.table().starts_with("__correlated") => {
                EngineError::unsupported("this form of subquery")
            }
            Some(relation)
                if !valid_fields.iter().any(|f| f.relation.as_ref().is_some_and(|r| r.table() == relation.table())) =>
            {
                EngineError::new("42P01", format!("missing FROM-clause entry for table \"{}\"", relation.table()))
            }
            Some(relation) => {
                EngineError::new("42703", format!("column {}.{} does not exist", relation.table(), field.name))
            }
            None if valid_fields
                .iter()
                .any(|f| f.name != field.name && crate::rewrite::visible(&f.name) == field.name) =>
            {
                EngineError::new("42702", format!("column reference \"{}\" is ambiguous", field.name))
            }
            None if SYSTEM_COLUMNS.contains(&field.name.as_str()) => EngineError::unsupported("system columns"),
            None => EngineError::new("42703", format!("column \"{}\" does not exist", field.name)),
        },
        SchemaError::AmbiguousReference { field } => {
            EngineError::new("42702", format!("column reference \"{}\" is ambiguous", field.name))
        }
        SchemaError::DuplicateQualifiedField { qualifier, .. } => {
            EngineError::new("42712", format!("table name \"{}\" specified more than once", qualifier.table()))
        }
        SchemaError::DuplicateUnqualifiedField { name } => {
            EngineError::new("42701", format!("column \"{name}\" specified more than once"))
        }
    }
}

/// Part of a message in lower case, PostgreSQL's code, and its message where DataFusion's would puzzle.
const KNOWN: &[(&str, &str, &str)] = &[
    ("negative count not allowed", "22011", "negative substring length not allowed"),
    ("overlay start position must be at least 1", "22011", "negative substring length not allowed"),
    ("field position must not be zero", "22023", "field position must not be zero"),
    (
        "distinct on expressions must match",
        "42P10",
        "SELECT DISTINCT ON expressions must match initial ORDER BY expressions",
    ),
    ("for select distinct, order by", "42P10", "for SELECT DISTINCT, ORDER BY expressions must appear in select list"),
    ("order by column out of bounds", "42P10", "ORDER BY position is not in select list"),
    ("limit must be >= 0", "2201W", "LIMIT must not be negative"),
    ("offset must be >=0", "2201X", "OFFSET must not be negative"),
    ("expected limit to be an integer", "22P02", "invalid input syntax for type bigint"),
    ("cannot create filter with non-boolean", "42804", "argument of WHERE must be type boolean"),
    (
        "scalar subquery returned more than one row",
        "21000",
        "more than one row returned by a subquery used as an expression",
    ),
    ("subquery should only return one column", "42601", "subquery must return only one column"),
    ("functions are not allowed in the where clause", "42803", "aggregate functions are not allowed in WHERE"),
    ("does not support logical expression", "0A000", "this form of subquery is not supported yet"),
    ("with query name", "42712", ""),
    ("incompatible inputs for union", "42804", "UNION types cannot be matched"),
    ("unary operator 'not'", "42804", "argument of NOT must be type boolean"),
    ("unary operator '-'", "42883", "operator does not exist: - of this type"),
    ("cannot infer common type for bitwise", "42883", ""),
    ("infer common string type", "42883", ""),
    ("logical boolean operation", "42804", ""),
    ("invalid input syntax for type interval", "22007", ""),
    ("result type for temporal operation", "0A000", "this arithmetic with intervals is not supported yet"),
    ("duplicate table", "42712", ""),
];

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
    if let Some((code, message)) = KNOWN.iter().find(|k| lower.contains(k.0)).map(|k| (k.1, k.2)) {
        return EngineError::new(code, if message.is_empty() { &text } else { message });
    }
    if lower.contains("invalid function '") || lower.contains("table function '") || lower.contains("function '") {
        let name = quoted();
        return crate::function_names::missing(&name.to_lowercase());
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
