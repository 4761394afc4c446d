//! What aggregates take, over groups and over windows: PostgreSQL knows no `min(boolean)`, no `sum(oid)` and no
//! `string_agg(integer, text)`, where DataFusion would convert or compare something.

use datafusion::arrow::datatypes::{DataType, Field};
use datafusion::common::{DFSchema, Result};
use datafusion::functions::string::expr_fn::rtrim;
use datafusion::logical_expr::expr::Sort;
use datafusion::logical_expr::{Expr, ExprSchemable, WindowFrame, WindowFrameBound, WindowFrameUnits};
use engine::EngineError;

use crate::aggregate::Variance;
use crate::arrays::element_of;
use crate::errors::wrap;
use crate::numeric::NUMERIC;
use crate::output::Column;
use crate::semantics::{category, has_many_forms, is_padded, literal_text, refused, to};

/// The arguments of an aggregate, and what it is told about them.
pub struct Arguments<'a> {
    pub args: &'a mut Vec<Expr>,
    pub order_by: &'a mut Vec<Sort>,
    pub distinct: &'a mut bool,
}

/// Refuses what PostgreSQL's aggregate does not take, and gives others the arguments that it sees.
pub fn prepare(name: &str, given: Arguments, schema: &DFSchema) -> Result<()> {
    let Arguments { args, order_by, distinct } = given;
    let Some(first) = args.first() else { return Ok(()) };
    let field = first.to_field(schema)?.1;
    let ty = field.data_type().clone();
    let typed = ty != DataType::Null && !literal_text(first);
    let minimum = matches!(name, "min" | "max");
    if minimum && (has_many_forms(&ty) && ty != NUMERIC || element_of(&ty).is_some()) {
        return Err(refused(&format!("{name} of {} values", crate::output::type_name(&ty)), "Take part of them."));
    }
    if minimum && matches!(ty, DataType::Boolean | DataType::FixedSizeBinary(16)) || !takes(name, &field) && typed {
        return Err(missing(name, args, schema));
    }
    if name == "string_agg" {
        for argument in args.iter_mut().filter(|argument| is_padded(argument, schema)) {
            *argument = rtrim(vec![argument.clone()]);
        }
    }
    if *distinct && order_by.iter().any(|sort| !args.contains(&sort.expr)) {
        let message = "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list";
        return Err(wrap(EngineError::new("42P10", message)));
    }
    if name == "any_value" && (*distinct || !order_by.is_empty()) {
        return Err(refused("any_value with DISTINCT or ORDER BY", "Use min, max or array_agg."));
    }
    if !order_by.is_empty() && is_sum(name) {
        if ty.is_floating() {
            return Err(refused(&format!("{name} of floating-point values in an order"), "Cast them to numeric."));
        }
        // The order makes no difference.
        order_by.clear();
    }
    if matches!(name, "min" | "max" | "count" | "bool_and" | "bool_or" | "bit_and" | "bit_or" | "bit_xor") {
        order_by.clear();
        *distinct &= matches!(name, "count" | "bit_xor");
    }
    Ok(())
}

fn is_sum(name: &str) -> bool {
    matches!(name, "sum" | "avg" | "mean") || Variance::named(name).is_some()
}

/// Does PostgreSQL have the aggregate for values of this type? Those of `oid` are no numbers there.
fn takes(name: &str, field: &Field) -> bool {
    let ty = field.data_type();
    let number = || category(ty) == 'N' && !matches!(Column::new("", field).oid, 26 | 28 | 29 | 5069 | 2205 | 2206);
    match name {
        "sum" | "avg" | "mean" => number() || matches!(ty, DataType::Interval(_) | DataType::Time64(_)),
        "bit_and" | "bit_or" | "bit_xor" => number() && ty.is_integer(),
        "string_agg" => category(ty) == 'S' || *ty == DataType::Binary,
        name if Variance::named(name).is_some() => number(),
        _ => true,
    }
}

fn missing(name: &str, args: &[Expr], schema: &DFSchema) -> datafusion::error::DataFusionError {
    let name_of = |arg: &Expr| match arg.to_field(schema) {
        Ok((_, field)) if !literal_text(arg) => crate::system::format_type(Column::new("", &field).oid, -1),
        _ => "unknown".to_string(),
    };
    let types: Vec<String> = args.iter().map(name_of).collect();
    let error = EngineError::new("42883", format!("function {name}({}) does not exist", types.join(", ")));
    wrap(
        error.hint("No function matches the given name and argument types. You might need to add explicit type casts."),
    )
}

/// A RANGE frame with distances: only some types have them. Integers are computed with in a wider type, so that nothing
/// overflows where a distance reaches beyond the type's end.
pub fn distances(frame: &WindowFrame, order_by: &mut [Sort], schema: &DFSchema) -> Result<()> {
    let distance = |bound: &WindowFrameBound| match bound {
        WindowFrameBound::Preceding(value) | WindowFrameBound::Following(value) => !value.is_null(),
        WindowFrameBound::CurrentRow => false,
    };
    if frame.units != WindowFrameUnits::Range || !distance(&frame.start_bound) && !distance(&frame.end_bound) {
        return Ok(());
    }
    let [sort] = order_by else { return Ok(()) };
    let field = sort.expr.to_field(schema)?.1;
    let column = Column::new("", &field);
    let wider = match field.data_type() {
        _ if matches!(column.oid, 26 | 28 | 29 | 5069 | 2205 | 2206) => None,
        DataType::Int16 | DataType::Int32 => Some(DataType::Int64),
        DataType::Int64 => Some(DataType::Decimal128(20, 0)),
        DataType::Float32
        | DataType::Float64
        | DataType::Decimal128(_, _)
        | DataType::Date32
        | DataType::Timestamp(_, _) => return Ok(()),
        _ => None,
    };
    let Some(wider) = wider else {
        let ty = crate::system::format_type(column.oid, -1);
        let message = format!("RANGE with offset PRECEDING/FOLLOWING is not supported for column type {ty}");
        return Err(wrap(EngineError::new("0A000", message)));
    };
    sort.expr = to(sort.expr.clone(), wider);
    Ok(())
}
