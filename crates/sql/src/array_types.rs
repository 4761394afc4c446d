//! The types of arrays in a plan: what the operands of array functions and operators are converted to.

use datafusion::arrow::datatypes::{DataType, Field};
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::{InList, ScalarFunction};
use datafusion::logical_expr::{Expr, ExprSchemable, Operator};
use engine::EngineError;

use crate::arrays::{common, concatenation, conversion, element_of, flattened, from_text, operator, vector_of};
use crate::errors::wrap;
use crate::output::type_name;
use crate::semantics::{literal_text, typed_literal};

/// Up to so many constants, `= ANY (array)` is an IN, which tables filter by.
const MAX_LIST: usize = 10_000;

/// The constant in quotes as an array of such elements.
pub fn constant(text: &str, element: &Field) -> Result<Expr> {
    let list = crate::array_text::read(text, element).map_err(wrap)?;
    Ok(Expr::Literal(ScalarValue::List(std::sync::Arc::new(list)), None))
}

/// A cast to an array.
pub fn cast(expr: Expr, from: &DataType, element: &Field) -> Result<Expr> {
    match &expr {
        Expr::Literal(ScalarValue::Utf8(Some(text)), _) => constant(text, element),
        Expr::Literal(ScalarValue::Null | ScalarValue::Utf8(None), _) => Ok(conversion(element).call(vec![null()])),
        _ => match from {
            DataType::List(_) | DataType::Null => Ok(conversion(element).call(vec![expr])),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Ok(from_text(element).call(vec![expr])),
            other => {
                let message = format!("cannot cast type {} to {}[]", type_name(other), type_name(element.data_type()));
                Err(wrap(EngineError::new("42846", message)))
            }
        },
    }
}

fn null() -> Expr {
    Expr::Literal(ScalarValue::Null, None)
}

fn missing(message: String) -> datafusion::error::DataFusionError {
    wrap(
        EngineError::new("42883", message)
            .hint("No operator matches the given name and argument types. You might need to add explicit type casts."),
    )
}

/// An element or an array as one of such elements; constants in quotes are read so.
fn adapted(expr: Expr, ty: &DataType, element: &DataType) -> Result<Expr> {
    let field = Field::new_list_field(element.clone(), true);
    match ty {
        DataType::List(_) if element_of(ty) != Some(element) => Ok(conversion(&field).call(vec![expr])),
        DataType::List(_) => Ok(expr),
        _ if literal_text(&expr) => typed_literal(expr, element),
        ty if ty == element => Ok(expr),
        DataType::Null => Ok(crate::semantics::to_known(null(), element)),
        _ => Ok(crate::semantics::to_known(expr, element)),
    }
}

/// An array operand: a constant in quotes is one.
fn array(expr: Expr, ty: &DataType, element: &DataType) -> Result<Expr> {
    let field = Field::new_list_field(element.clone(), true);
    match &expr {
        Expr::Literal(ScalarValue::Utf8(Some(text)), _) if literal_text(&expr) => constant(text, &field),
        Expr::Literal(value, _) if value.is_null() => Ok(conversion(&field).call(vec![null()])),
        _ => adapted(expr, ty, element),
    }
}

/// The element type of which all operands can be; constants in quotes and NULL can be of any.
fn element_type(operands: &[(&Expr, &DataType)]) -> Option<DataType> {
    let known = operands.iter().filter(|(expr, _)| !literal_text(expr));
    let types: Vec<DataType> = known.map(|(_, ty)| element_of(ty).unwrap_or(ty).clone()).collect();
    common(&types)
}

/// Arrays with operators between them; `None` if neither operand is one.
pub fn binary(left: Expr, lt: &DataType, op: Operator, right: Expr, rt: &DataType) -> Result<Option<Expr>> {
    let lists = (matches!(lt, DataType::List(_)), matches!(rt, DataType::List(_)));
    let contains = matches!(op, Operator::AtArrow | Operator::ArrowAt | Operator::And);
    let comparison = op.supports_propagation() || op == Operator::NotEq || contains;
    if lists == (false, false) || !(comparison || op == Operator::StringConcat) {
        return Ok(None);
    }
    let refused = || missing(format!("operator does not exist: {} {op} {}", type_name(lt), type_name(rt)));
    let element = element_type(&[(&left, lt), (&right, rt)]).ok_or_else(refused)?;
    let constants = (literal_text(&left) || *lt == DataType::Null, literal_text(&right) || *rt == DataType::Null);
    if op == Operator::StringConcat {
        let (l, r) = match (lists, constants) {
            ((true, true), _) => (adapted(left, lt, &element)?, adapted(right, rt, &element)?),
            // A constant in quotes is taken for an array.
            ((true, false), (_, true)) => (adapted(left, lt, &element)?, array(right, rt, &element)?),
            ((false, true), (true, _)) => (array(left, lt, &element)?, adapted(right, rt, &element)?),
            _ => {
                return Ok(Some(concatenation(adapted(left, lt, &element)?, adapted(right, rt, &element)?, lists)));
            }
        };
        return Ok(Some(concatenation(l, r, (true, true))));
    }
    if lists != (true, true) && !constants.0 && !constants.1 {
        return Err(refused());
    }
    // Narrowing compares the types: integers may still become smaller.
    let left = if constants.0 { array(left, lt, &element)? } else { left };
    let right = if constants.1 { array(right, rt, &element)? } else { right };
    Ok(Some(operator(left, op, right)))
}

/// Operators of arrays take arrays of one type. What was planned as bigint may have become integer since, and a constant
/// was read as what the other one was planned as.
pub fn same_elements(op: Operator, left: (&Expr, &DataType), right: (&Expr, &DataType)) -> Result<()> {
    let constant = |expr: &Expr| matches!(expr, Expr::Literal(..));
    let (Some(l), Some(r)) = (element_of(left.1), element_of(right.1)) else { return Ok(()) };
    let planned = l.is_integer() && r.is_integer() && (constant(left.0) || constant(right.0));
    if op == Operator::StringConcat || planned || type_name(l) == type_name(r) {
        return Ok(());
    }
    Err(missing(format!("operator does not exist: {} {op} {}", type_name(left.1), type_name(right.1))))
}

/// The functions of [`operator`].
const OPERATORS: &[(&str, &str)] = &[
    ("pg_array_eq", "="),
    ("pg_array_ne", "<>"),
    ("pg_array_lt", "<"),
    ("pg_array_le", "<="),
    ("pg_array_gt", ">"),
    ("pg_array_ge", ">="),
    ("pg_array_contains", "@>"),
    ("pg_array_contained", "<@"),
    ("pg_array_overlap", "&&"),
    ("pg_array_distinct", "IS DISTINCT FROM"),
    ("pg_array_not_distinct", "IS NOT DISTINCT FROM"),
];

/// Gives the arguments of an array function one element type. `None` if the function is none of them.
pub fn function(mut call: ScalarFunction, schema: &DFSchema) -> Result<Option<Expr>> {
    let name = call.name().to_string();
    if matches!(name.as_str(), "pg_any" | "pg_all") {
        for argument in &mut call.args {
            if vector_of(&argument.to_field(schema)?.1).is_some() {
                *argument = flattened().call(vec![std::mem::replace(argument, null())]);
            }
        }
    }
    let types: Vec<DataType> = call.args.iter().map(|a| a.get_type(schema)).collect::<Result<_>>()?;
    // Which arguments are arrays, and which are elements of theirs.
    let (arrays, elements): (&[usize], &[usize]) = match name.as_str() {
        "pg_array" => return constructor(call, &types).map(Some),
        "pg_any" | "pg_all" => return quantified(call, &types).map(Some),
        "pg_array_cat" => (&[0, 1], &[]),
        name if OPERATORS.iter().any(|(function, _)| *function == name) => {
            let op = OPERATORS.iter().find(|(function, _)| *function == name).map_or("=", |(_, op)| op);
            // Arrays of different types are not compared.
            if let (Some(left), Some(right)) = (element_of(&types[0]), element_of(&types[1]))
                && type_name(left) != type_name(right)
                // What was planned as bigint may have become integer since.
                && !(left.is_integer()
                    && right.is_integer()
                    && call.args.iter().any(|arg| matches!(arg, Expr::Literal(..) | Expr::ScalarFunction(_))))
            {
                let message =
                    format!("operator does not exist: {} {op} {}", type_name(&types[0]), type_name(&types[1]));
                return Err(missing(message));
            }
            (&[0, 1], &[])
        }
        "pg_array_append" | "pg_array_position" | "pg_array_positions" | "pg_array_remove" => (&[0], &[1]),
        "pg_array_prepend" => (&[1], &[0]),
        "pg_array_replace" => (&[0], &[1, 2]),
        _ => return Ok(None),
    };
    let used: Vec<usize> = arrays.iter().chain(elements).copied().filter(|at| *at < call.args.len()).collect();
    let operands: Vec<_> = used.iter().map(|at| (&call.args[*at], &types[*at])).collect();
    let written: Vec<String> = types.iter().map(type_name).collect();
    let refused = || missing(format!("function {}({}) does not exist", &name[3..], written.join(", ")));
    if arrays
        .iter()
        .any(|at| !matches!(types[*at], DataType::List(_) | DataType::Null) && !literal_text(&call.args[*at]))
    {
        return Err(refused());
    }
    let element = element_type(&operands).ok_or_else(refused)?;
    for at in used {
        let argument = std::mem::replace(&mut call.args[at], null());
        call.args[at] = if arrays.contains(&at) {
            array(argument, &types[at], &element)?
        } else {
            adapted(argument, &types[at], &element)?
        };
    }
    Ok(Some(Expr::ScalarFunction(call)))
}

/// `ARRAY[…]`: elements of one type.
fn constructor(mut call: ScalarFunction, types: &[DataType]) -> Result<Expr> {
    let operands: Vec<_> = call.args.iter().zip(types).collect();
    let nested = types.iter().any(|ty| matches!(ty, DataType::List(_)));
    let element = element_type(&operands).ok_or_else(|| {
        let mut known =
            operands.iter().filter(|(e, ty)| **ty != DataType::Null && !literal_text(e)).map(|(_, ty)| type_name(ty));
        let first = known.next().unwrap_or_default();
        let other = known.find(|ty| *ty != first).unwrap_or_default();
        wrap(EngineError::new("42804", format!("ARRAY types {first} and {other} cannot be matched")))
    })?;
    for (argument, ty) in call.args.iter_mut().zip(types) {
        let taken = std::mem::replace(argument, null());
        *argument = if nested { array(taken, ty, &element)? } else { adapted(taken, ty, &element)? };
    }
    Ok(Expr::ScalarFunction(call))
}

/// `value op ANY (array)`.
fn quantified(mut call: ScalarFunction, types: &[DataType]) -> Result<Expr> {
    let op = match &call.args[0] {
        Expr::Literal(ScalarValue::Utf8(Some(op)), _) => op.clone(),
        _ => return Err(wrap(EngineError::new("XX000", "ANY without an operator"))),
    };
    if !matches!(types[2], DataType::List(_) | DataType::Null) && !literal_text(&call.args[2]) {
        return Err(wrap(EngineError::new("42809", "op ANY/ALL (array) requires array on right side")));
    }
    let refused = || {
        let right = element_of(&types[2]).unwrap_or(&types[2]);
        missing(format!("operator does not exist: {} {op} {}", type_name(&types[1]), type_name(right)))
    };
    if matches!(types[1], DataType::List(_)) {
        return Err(refused());
    }
    let operands = [(&call.args[1], &types[1]), (&call.args[2], &types[2])];
    let element = element_type(&operands).ok_or_else(refused)?;
    let list = array(call.args.pop().expect("three arguments"), &types[2], &element)?;
    let value = adapted(call.args.pop().expect("two arguments"), &types[1], &element)?;
    let any = call.name() == "pg_any";
    if let Some(list) = in_list(&op, any, &value, &list) {
        return Ok(list);
    }
    call.args.extend([value, list]);
    Ok(Expr::ScalarFunction(call))
}

/// `= ANY` and `<> ALL` over constants, where IN means the same.
fn in_list(op: &str, any: bool, value: &Expr, list: &Expr) -> Option<Expr> {
    let negated = match (op, any) {
        ("=", true) => false,
        ("<>", false) => true,
        _ => return None,
    };
    let Expr::Literal(ScalarValue::List(list), _) = list else { return None };
    let items = crate::arrays::flat(&list.value(0));
    let plain = matches!(
        items.data_type(),
        DataType::Int16
            | DataType::Int32
            | DataType::Int64
            | DataType::Utf8
            | DataType::Boolean
            | DataType::Date32
            | DataType::Timestamp(_, _)
            | DataType::FixedSizeBinary(_)
    );
    if !plain || items.is_empty() || items.len() > MAX_LIST {
        return None;
    }
    let values = (0..items.len()).map(|at| ScalarValue::try_from_array(&items, at).map(|v| Expr::Literal(v, None)));
    let list = values.collect::<Result<Vec<_>>>().ok()?;
    Some(Expr::InList(InList { expr: Box::new(value.clone()), list, negated }))
}
