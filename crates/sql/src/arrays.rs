//! Arrays: constructors, subscripts, and the functions and operators over them. An array of several dimensions is a list of
//! lists; all subscripts begin with 1.

use std::cmp::Ordering;
use std::sync::Arc;

use datafusion::arrow::array::*;
use datafusion::arrow::buffer::{NullBuffer, OffsetBuffer};
use datafusion::arrow::compute::{concat, take};
use datafusion::arrow::datatypes::*;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{ColumnarValue, Expr, Operator, Volatility};
use engine::{EngineError, Result};

use crate::function::{Call, Function};
use crate::numeric::NUMERIC;
use crate::output::type_name;

pub fn list_of(element: &DataType) -> DataType {
    DataType::List(Arc::new(Field::new_list_field(element.clone(), true)))
}

/// The element type of an array, however many dimensions it has.
pub fn element_of(ty: &DataType) -> Option<&DataType> {
    match ty {
        DataType::List(field) => Some(element_of(field.data_type()).unwrap_or(field.data_type())),
        _ => None,
    }
}

fn internal(error: datafusion::arrow::error::ArrowError) -> EngineError {
    EngineError::new("XX000", error.to_string())
}

/// How two values of a type compare; NULL is greater than everything and equals itself, as inside of PostgreSQL's arrays.
pub fn compare(left: &dyn Array, l: usize, right: &dyn Array, r: usize) -> Result<Ordering> {
    match (left.is_null(l), right.is_null(r)) {
        (true, true) => return Ok(Ordering::Equal),
        (true, false) => return Ok(Ordering::Greater),
        (false, true) => return Ok(Ordering::Less),
        (false, false) => {}
    }
    if left.data_type() != right.data_type() {
        let message =
            format!("operator does not exist: {} = {}", type_name(left.data_type()), type_name(right.data_type()));
        return Err(EngineError::new("42883", message));
    }
    let float = |a: f64, b: f64| a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()));
    Ok(match left.data_type() {
        DataType::LargeBinary => {
            let number =
                |array: &dyn Array, row: usize| crate::numeric::from_bytes(array.as_binary::<i64>().value(row));
            number(left, l)?.cmp(&number(right, r)?)
        }
        DataType::Float32 => float(
            left.as_primitive::<Float32Type>().value(l).into(),
            right.as_primitive::<Float32Type>().value(r).into(),
        ),
        DataType::Float64 => {
            float(left.as_primitive::<Float64Type>().value(l), right.as_primitive::<Float64Type>().value(r))
        }
        DataType::Interval(IntervalUnit::MonthDayNano) => {
            let key = |array: &dyn Array, row: usize| {
                crate::interval::length(array.as_primitive::<IntervalMonthDayNanoType>().value(row))
            };
            key(left, l).cmp(&key(right, r))
        }
        DataType::List(_) => {
            let (left, right) = (left.as_list::<i32>().value(l), right.as_list::<i32>().value(r));
            compare_lists(&left, &right)?
        }
        _ => {
            let comparator =
                datafusion::arrow::array::make_comparator(left, right, Default::default()).map_err(internal)?;
            comparator(l, r)
        }
    })
}

/// Element by element; then the shorter one comes first (`array_cmp`).
fn compare_lists(left: &ArrayRef, right: &ArrayRef) -> Result<Ordering> {
    let (left, right) = (flat(left), flat(right));
    for at in 0..left.len().min(right.len()) {
        let order = compare(&left, at, &right, at)?;
        if order.is_ne() {
            return Ok(order);
        }
    }
    Ok(left.len().cmp(&right.len()))
}

fn same_array(left: &ArrayRef, right: &ArrayRef) -> Result<bool> {
    Ok(compare_lists(left, right)?.is_eq() && dimensions(left) == dimensions(right))
}

/// The elements of a row's list, of all dimensions.
pub fn flat(list: &ArrayRef) -> ArrayRef {
    match list.as_list_opt::<i32>() {
        None => list.clone(),
        Some(lists) => {
            let offsets = lists.value_offsets();
            let (from, to) = (offsets[0] as usize, offsets[lists.len()] as usize);
            flat(&lists.values().slice(from, to - from))
        }
    }
}

/// The lengths of a row's dimensions; none of an empty array.
fn dimensions(list: &ArrayRef) -> Vec<usize> {
    if flat(list).is_empty() {
        return vec![];
    }
    let mut lengths = vec![list.len()];
    let mut inner = list.clone();
    while let Some(lists) = inner.as_list_opt::<i32>().cloned() {
        inner = lists.value(0);
        lengths.push(inner.len());
    }
    lengths
}

/// The list in a row.
fn list(array: &ArrayRef, row: usize) -> Option<ArrayRef> {
    let lists = array.as_list_opt::<i32>()?;
    lists.is_valid(row).then(|| lists.value(row))
}

fn require_list(name: &str, array: &ArrayRef) -> Result<()> {
    match array.data_type() {
        DataType::List(_) | DataType::Null => Ok(()),
        other => Err(EngineError::new("42883", format!("function {name}({}) does not exist", type_name(other)))),
    }
}

fn integers(array: &ArrayRef) -> Result<Int64Array> {
    let array = datafusion::arrow::compute::cast(array, &DataType::Int64)
        .map_err(|e| EngineError::new("42883", e.to_string()))?;
    Ok(array.as_primitive::<Int64Type>().clone())
}

/// Lists of these rows, each an array of elements.
fn lists(rows: Vec<Option<ArrayRef>>, element: &DataType) -> Result<ArrayRef> {
    let valid: Vec<bool> = rows.iter().map(Option::is_some).collect();
    let offsets = OffsetBuffer::from_lengths(rows.iter().map(|row| row.as_ref().map_or(0, |r| r.len())));
    let parts: Vec<&dyn Array> = rows.iter().flatten().map(|row| &**row).filter(|row| !row.is_empty()).collect();
    let values = if parts.is_empty() { new_empty_array(element) } else { concat(&parts).map_err(internal)? };
    let field = Arc::new(Field::new_list_field(element.clone(), true));
    Ok(Arc::new(ListArray::try_new(field, offsets, values, Some(NullBuffer::from(valid))).map_err(internal)?))
}

/// The common type of values that PostgreSQL mixes by itself.
pub fn common(types: &[DataType]) -> Option<DataType> {
    let known: Vec<&DataType> = types.iter().filter(|ty| **ty != DataType::Null).collect();
    let Some((first, rest)) = known.split_first() else { return Some(DataType::Utf8) };
    let mut common = (*first).clone();
    for ty in rest {
        common = match (&common, *ty) {
            (a, b) if a == b => common,
            (a, b) if a.is_integer() && b.is_integer() => {
                if *a == DataType::Int64 || *b == DataType::Int64 {
                    DataType::Int64
                } else {
                    DataType::Int32
                }
            }
            (a, b) if crate::semantics::category(a) == 'N' && crate::semantics::category(b) == 'N' => {
                // Every number becomes real by itself; double precision is preferred.
                if *a == DataType::Float64 || *b == DataType::Float64 {
                    DataType::Float64
                } else if a.is_floating() || b.is_floating() {
                    DataType::Float32
                } else {
                    NUMERIC
                }
            }
            (DataType::Date32, b @ DataType::Timestamp(_, _)) => b.clone(),
            (DataType::Timestamp(_, _), DataType::Date32) => common,
            (DataType::Timestamp(_, a), DataType::Timestamp(_, b)) => {
                let zone = a.clone().or(b.clone());
                DataType::Timestamp(TimeUnit::Microsecond, zone)
            }
            (DataType::Utf8, DataType::Utf8View | DataType::LargeUtf8) => common,
            (DataType::List(a), DataType::List(b)) => {
                list_of(&self::common(&[a.data_type().clone(), b.data_type().clone()])?)
            }
            _ => return None,
        };
    }
    Some(common)
}

/// `ARRAY[…]`, of elements of one type.
fn constructor() -> Function {
    let function = Function::new("pg_array", usize::MAX, DataType::Null, Volatility::Immutable, |call| {
        let first = call.args[0].data_type();
        let nested = matches!(first, DataType::List(_));
        let mut rows = Vec::with_capacity(call.rows);
        for row in 0..call.rows {
            let parts: Vec<ArrayRef> = call.args.iter().map(|arg| arg.slice(row, 1)).collect();
            if nested {
                let shapes: Vec<_> =
                    parts.iter().map(|part| list(part, 0).map(|l| dimensions(&l)).unwrap_or_default()).collect();
                if shapes.windows(2).any(|pair| pair[0] != pair[1]) {
                    let message = "multidimensional arrays must have array expressions with matching dimensions";
                    return Err(EngineError::new("2202E", message));
                }
                if shapes.first().is_some_and(Vec::is_empty) {
                    rows.push(Some(new_empty_array(first)));
                    continue;
                }
            }
            let parts: Vec<&dyn Array> = parts.iter().map(|part| &**part).collect();
            rows.push(Some(concat(&parts).map_err(internal)?));
        }
        lists(rows, first)
    });
    function.returning(|args| {
        let types: Vec<DataType> = args.arg_fields.iter().map(|f| f.data_type().clone()).collect();
        Ok(list_of(&common(&types).unwrap_or_else(|| types[0].clone())))
    })
}

/// `a[i][j]`: NULL outside of the array, and where a subscript is missing.
fn subscript() -> Function {
    let function = Function::new("pg_subscript", usize::MAX, DataType::Null, Volatility::Immutable, |call| {
        let vector = vector_of(&call.given.arg_fields[0]);
        let first = i64::from(vector.is_none());
        let element = vector.or_else(|| element_of(call.args[0].data_type()).cloned()).unwrap_or(DataType::Null);
        let subscripts = call.args[1..].iter().map(integers).collect::<Result<Vec<_>>>()?;
        let mut values = Vec::with_capacity(call.rows);
        for row in 0..call.rows {
            let mut found = if first == 0 { elements(call, row)? } else { list(&call.args[0], row) };
            for (at, subscript) in subscripts.iter().enumerate() {
                let Some(items) = found.take() else { break };
                let index = if subscript.is_null(row) { -1 } else { subscript.value(row) - first };
                let Some(index) = usize::try_from(index).ok().filter(|i| *i < items.len()) else { break };
                let last = at + 1 == subscripts.len();
                found = match (last, items.as_list_opt::<i32>()) {
                    (true, None) => Some(items.slice(index, 1)),
                    (false, Some(lists)) => Some(lists.value(index)),
                    _ => None,
                };
            }
            values.push(
                found
                    .filter(|f| f.data_type() == &element && f.len() == 1)
                    .unwrap_or_else(|| new_null_array(&element, 1)),
            );
        }
        let parts: Vec<&dyn Array> = values.iter().map(|v| &**v).collect();
        if parts.is_empty() { Ok(new_empty_array(&element)) } else { concat(&parts).map_err(internal) }
    });
    function.returning(|args| match args.arg_fields[0].data_type() {
        _ if vector_of(&args.arg_fields[0]).is_some() => Ok(vector_of(&args.arg_fields[0]).expect("it is one")),
        ty @ DataType::List(_) => Ok(element_of(ty).expect("a list has elements").clone()),
        DataType::Null => Ok(DataType::Null),
        other => Err(EngineError::new(
            "42804",
            format!("cannot subscript type {} because it does not support subscripting", type_name(other)),
        )),
    })
}

/// `a[i:j][k:l]`: what lies within the bounds. Where fewer are given, the other dimensions are whole.
fn slice() -> Function {
    let function = Function::new("pg_slice", usize::MAX, DataType::Null, Volatility::Immutable, |call| {
        let bounds = call.args[1..].iter().map(integers).collect::<Result<Vec<_>>>()?;
        let element = match call.args[0].data_type() {
            DataType::List(field) => field.data_type().clone(),
            _ => DataType::Null,
        };
        let mut rows = Vec::with_capacity(call.rows);
        for row in 0..call.rows {
            let null = bounds.iter().any(|b| b.is_null(row));
            let items = list(&call.args[0], row).filter(|_| !null);
            let bounds: Vec<(i64, i64)> = bounds.chunks(2).map(|b| (b[0].value(row), b[1].value(row))).collect();
            rows.push(items.map(|items| cut(&items, &bounds)).transpose()?);
        }
        lists(rows, &element)
    });
    function.returning(|args| match args.arg_fields[0].data_type() {
        ty @ (DataType::List(_) | DataType::Null) => Ok(ty.clone()),
        other => Err(EngineError::new(
            "42804",
            format!("cannot subscript type {} because it does not support subscripting", type_name(other)),
        )),
    })
}

fn cut(items: &ArrayRef, bounds: &[(i64, i64)]) -> Result<ArrayRef> {
    let Some(((from, to), rest)) = bounds.split_first() else { return Ok(items.clone()) };
    let from = (*from).max(1) as usize - 1;
    let to = (*to).clamp(0, items.len() as i64) as usize;
    if from >= to {
        return Ok(new_empty_array(items.data_type()));
    }
    let items = items.slice(from, to - from);
    match items.as_list_opt::<i32>() {
        Some(inner) if !rest.is_empty() => {
            let element = match inner.data_type() {
                DataType::List(field) => field.data_type().clone(),
                _ => DataType::Null,
            };
            let rows =
                (0..inner.len()).map(|row| cut(&inner.value(row), rest).map(Some)).collect::<Result<Vec<_>>>()?;
            let empty = rows.iter().flatten().all(|row| row.is_empty());
            if empty { Ok(new_empty_array(items.data_type())) } else { lists(rows, &element) }
        }
        // More subscripts than dimensions find nothing.
        None if !rest.is_empty() => Ok(new_empty_array(items.data_type())),
        _ => Ok(items),
    }
}

/// A function of an array that gives an integer or NULL; the second argument is a dimension.
fn measure(name: &'static str, arguments: usize, f: fn(&[usize], i64) -> Option<i64>) -> Function {
    Function::new(name, arguments, DataType::Int32, Volatility::Immutable, move |call| {
        require_list(&name[3..], &call.args[0])?;
        let at = call.args.get(1).map(integers).transpose()?;
        let value = |row: usize| {
            let items = list(&call.args[0], row)?;
            let dimension = match &at {
                Some(at) if at.is_null(row) => return None,
                Some(at) => at.value(row),
                None => 1,
            };
            f(&dimensions(&items), dimension).map(|v| v as i32)
        };
        Ok(Arc::new((0..call.rows).map(value).collect::<Int32Array>()))
    })
}

fn length_of(lengths: &[usize], dimension: i64) -> Option<i64> {
    let dimension = usize::try_from(dimension - 1).ok()?;
    lengths.get(dimension).map(|length| *length as i64)
}

fn array_dims() -> Function {
    Function::new("pg_array_dims", 1, DataType::Utf8, Volatility::Immutable, |call| {
        require_list("array_dims", &call.args[0])?;
        let text = |row: usize| {
            let lengths = dimensions(&list(&call.args[0], row)?);
            (!lengths.is_empty()).then(|| lengths.iter().map(|length| format!("[1:{length}]")).collect::<String>())
        };
        Ok(Arc::new((0..call.rows).map(text).collect::<StringArray>()))
    })
}

fn no_dimensions(items: &ArrayRef, what: &str) -> Result<()> {
    if matches!(items.data_type(), DataType::List(_)) && !flat(items).is_empty() {
        return Err(EngineError::new("0A000", what));
    }
    Ok(())
}

/// A function that makes a new list of each row's. The result has the type of the first list among the arguments.
fn remake(
    name: &'static str,
    arguments: usize,
    f: impl Fn(&[ArrayRef], usize) -> Result<Option<ArrayRef>> + Send + Sync + 'static,
) -> Function {
    let function = Function::new(name, arguments, DataType::Null, Volatility::Immutable, move |call| {
        let found = call.args.iter().find_map(|arg| match arg.data_type() {
            DataType::List(field) => Some(field.data_type().clone()),
            _ => None,
        });
        let Some(element) = found else { return Ok(new_null_array(&DataType::Null, call.rows)) };
        let rows = (0..call.rows).map(|row| f(&call.args, row)).collect::<Result<Vec<_>>>()?;
        // An array of no elements has no dimensions either.
        let rows = rows
            .into_iter()
            .map(|row| row.map(|items| if items.data_type() == &element { items } else { new_empty_array(&element) }));
        lists(rows.collect(), &element)
    });
    function.returning(move |args| {
        let found = args.arg_fields.iter().map(|f| f.data_type()).find(|ty| matches!(ty, DataType::List(_)));
        match found {
            Some(ty) => Ok(ty.clone()),
            None if args.arg_fields.iter().any(|f| *f.data_type() == DataType::Null) => Ok(DataType::Null),
            None => {
                let types: Vec<_> = args.arg_fields.iter().map(|f| type_name(f.data_type())).collect();
                Err(EngineError::new("42883", format!("function {}({}) does not exist", &name[3..], types.join(", "))))
            }
        }
    })
}

fn append(items: Option<ArrayRef>, value: ArrayRef, front: bool) -> Result<Option<ArrayRef>> {
    let Some(items) = items.filter(|items| !items.is_empty()) else { return Ok(Some(value)) };
    if matches!(items.data_type(), DataType::List(_)) {
        return Err(EngineError::new("22000", "argument must be empty or one-dimensional array"));
    }
    let parts: [&dyn Array; 2] = if front { [&*value, &*items] } else { [&*items, &*value] };
    concat(&parts).map(Some).map_err(internal)
}

/// `array_cat`: lists of one shape, or one that is an element of the other.
fn cat(left: Option<ArrayRef>, right: Option<ArrayRef>) -> Result<Option<ArrayRef>> {
    let (left, right) = match (left, right) {
        (Some(left), Some(right)) => (left, right),
        (one, other) => return Ok(one.or(other)),
    };
    match (dimensions(&left).as_slice(), dimensions(&right).as_slice()) {
        ([], _) => return Ok(Some(right)),
        (_, []) => return Ok(Some(left)),
        (a, b) if a.len() == b.len() && a[1..] == b[1..] => {}
        (a, b) if a.len() == b.len() => {
            return Err(EngineError::new("2202E", "cannot concatenate incompatible arrays")
                .detail("Arrays with differing element dimensions are not compatible for concatenation."));
        }
        _ => return Err(EngineError::unsupported("concatenating arrays of different dimensions")),
    }
    concat(&[&*left, &*right]).map(Some).map_err(internal)
}

/// Where a value is among a list's, NULL among NULLs.
fn places(items: &ArrayRef, value: &ArrayRef, row: usize) -> Result<Vec<usize>> {
    let mut found = Vec::new();
    for at in 0..items.len() {
        if compare(items, at, value, row)?.is_eq() {
            found.push(at);
        }
    }
    Ok(found)
}

fn position() -> Function {
    Function::new("pg_array_position", usize::MAX, DataType::Int32, Volatility::Immutable, |call| {
        require_list("array_position", &call.args[0])?;
        let start = call.args.get(2).map(integers).transpose()?;
        let found = (0..call.rows).map(|row| {
            let Some(items) = list(&call.args[0], row) else { return Ok(None) };
            no_dimensions(&items, "searching for elements in multidimensional arrays is not supported")?;
            let start = match &start {
                Some(start) if start.is_null(row) => {
                    return Err(EngineError::new("22004", "initial position must not be null"));
                }
                Some(start) => start.value(row),
                None => 1,
            };
            let places = places(&items, &call.args[1], row)?;
            Ok(places.into_iter().find(|at| *at as i64 + 1 >= start).map(|at| at as i32 + 1))
        });
        Ok(Arc::new(found.collect::<Result<Int32Array>>()?))
    })
}

fn positions() -> Function {
    Function::new("pg_array_positions", 2, list_of(&DataType::Int32), Volatility::Immutable, |call| {
        require_list("array_positions", &call.args[0])?;
        let rows = (0..call.rows).map(|row| {
            let Some(items) = list(&call.args[0], row) else { return Ok(None) };
            no_dimensions(&items, "searching for elements in multidimensional arrays is not supported")?;
            let places = places(&items, &call.args[1], row)?;
            let places = Int32Array::from_iter_values(places.into_iter().map(|at| at as i32 + 1));
            Ok(Some(Arc::new(places) as ArrayRef))
        });
        lists(rows.collect::<Result<Vec<_>>>()?, &DataType::Int32)
    })
}

fn remove(args: &[ArrayRef], row: usize) -> Result<Option<ArrayRef>> {
    let Some(items) = list(&args[0], row) else { return Ok(None) };
    no_dimensions(&items, "removing elements from multidimensional arrays is not supported")?;
    let removed = places(&items, &args[1], row)?;
    let kept = (0..items.len() as u32).filter(|at| !removed.contains(&(*at as usize)));
    take(&items, &UInt32Array::from_iter_values(kept), None).map(Some).map_err(internal)
}

fn replace(args: &[ArrayRef], row: usize) -> Result<Option<ArrayRef>> {
    let Some(items) = list(&args[0], row) else { return Ok(None) };
    let whole = dimensions(&items);
    let all = flat(&items);
    let replaced = places(&all, &args[1], row)?;
    let both = concat(&[&*all, &*args[2].slice(row, 1)]).map_err(internal)?;
    let chosen = (0..all.len()).map(|at| if replaced.contains(&at) { all.len() as u32 } else { at as u32 });
    let values = take(&both, &UInt32Array::from_iter_values(chosen), None).map_err(internal)?;
    if whole.len() < 2 { Ok(Some(values)) } else { Ok(Some(crate::array_text::nested(values, &whole).value(0))) }
}

fn trim(args: &[ArrayRef], row: usize) -> Result<Option<ArrayRef>> {
    let count = integers(&args[1])?;
    let Some(items) = list(&args[0], row).filter(|_| count.is_valid(row)) else { return Ok(None) };
    let (count, length) = (count.value(row), items.len() as i64);
    if !(0..=length).contains(&count) {
        return Err(EngineError::new("2202E", format!("number of elements to trim must be between 0 and {length}")));
    }
    Ok(Some(items.slice(0, (length - count) as usize)))
}

/// `array_sort(array [, descending [, nulls_first]])`; NULLs are last, or first where it is descending.
fn sort(args: &[ArrayRef], row: usize) -> Result<Option<ArrayRef>> {
    let mut flags = [false; 2];
    for (at, argument) in args[1..].iter().enumerate() {
        let values = crate::cast::cast(argument, engine::PgType::Bool, crate::cast::Purpose::Explicit)?;
        if at > 1 || values.is_null(row) {
            return Ok(None);
        }
        flags[at] = values.as_boolean().value(row);
    }
    let descending = flags[0];
    let nulls_first = if args.len() > 2 { flags[1] } else { descending };
    let Some(items) = list(&args[0], row) else { return Ok(None) };
    let mut order: Vec<u32> = (0..items.len() as u32).collect();
    let mut failed = None;
    order.sort_by(|&a, &b| {
        let (a, b) = (a as usize, b as usize);
        let nulls = items.is_null(a).cmp(&items.is_null(b));
        if nulls.is_ne() || items.is_null(a) {
            return if nulls_first { nulls.reverse() } else { nulls };
        }
        let order = compare(&items, a, &items, b).unwrap_or_else(|error| {
            failed = Some(error);
            Ordering::Equal
        });
        if descending { order.reverse() } else { order }
    });
    failed.map_or(Ok(()), Err)?;
    take(&items, &UInt32Array::from(order), None).map(Some).map_err(internal)
}

/// `value op ANY (array)` and `value op ALL (array)`, over values of one type.
fn quantified(name: &'static str, all: bool) -> Function {
    Function::new(name, 3, DataType::Boolean, Volatility::Immutable, move |call| {
        let holds = operator_of(call)?;
        let results = (0..call.rows).map(|row| {
            let Some(items) = list(&call.args[2], row) else { return Ok(None) };
            let items = flat(&items);
            let mut unknown = false;
            for at in 0..items.len() {
                if items.is_null(at) || call.args[1].is_null(row) {
                    unknown = true;
                } else if holds(compare(&call.args[1], row, &items, at)?) != all {
                    return Ok(Some(!all));
                }
            }
            Ok(if unknown { None } else { Some(all) })
        });
        Ok(Arc::new(results.collect::<Result<BooleanArray>>()?))
    })
}

fn operator_of(call: &Call) -> Result<fn(Ordering) -> bool> {
    let ColumnarValue::Scalar(ScalarValue::Utf8(Some(op))) = &call.given.args[0] else {
        return Err(EngineError::new("XX000", "ANY without an operator"));
    };
    holds(op).ok_or_else(|| EngineError::unsupported(format!("{op} ANY or ALL (array)")))
}

fn holds(op: &str) -> Option<fn(Ordering) -> bool> {
    Some(match op {
        "=" => Ordering::is_eq,
        "<>" => Ordering::is_ne,
        "<" => Ordering::is_lt,
        "<=" => Ordering::is_le,
        ">" => Ordering::is_gt,
        ">=" => Ordering::is_ge,
        _ => return None,
    })
}

/// `=`, `<`, `@>`, `<@`, `&&` between arrays of one type.
fn array_operator(op: Operator) -> Function {
    let contains = |all: &ArrayRef, some: &ArrayRef| -> Result<bool> {
        let (all, some) = (flat(all), flat(some));
        for at in 0..some.len() {
            // NULL is in no array.
            if some.is_null(at) || places(&all, &some, at)?.is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    };
    let overlap = |left: &ArrayRef, right: &ArrayRef| -> Result<bool> {
        let (left, right) = (flat(left), flat(right));
        for at in 0..right.len() {
            if right.is_valid(at) && !places(&left, &right, at)?.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    };
    let name = match op {
        Operator::Eq => "pg_array_eq",
        Operator::NotEq => "pg_array_ne",
        Operator::Lt => "pg_array_lt",
        Operator::LtEq => "pg_array_le",
        Operator::Gt => "pg_array_gt",
        Operator::GtEq => "pg_array_ge",
        Operator::AtArrow => "pg_array_contains",
        Operator::ArrowAt => "pg_array_contained",
        Operator::IsDistinctFrom => "pg_array_distinct",
        Operator::IsNotDistinctFrom => "pg_array_not_distinct",
        _ => "pg_array_overlap",
    };
    let function = Function::new(name, 2, DataType::Boolean, Volatility::Immutable, move |call| {
        let results = (0..call.rows).map(|row| {
            let (Some(left), Some(right)) = (list(&call.args[0], row), list(&call.args[1], row)) else {
                let same = call.args[0].is_null(row) && call.args[1].is_null(row);
                return Ok(match op {
                    Operator::IsDistinctFrom => Some(!same),
                    Operator::IsNotDistinctFrom => Some(same),
                    _ => None,
                });
            };
            Ok(Some(match op {
                Operator::IsDistinctFrom => !same_array(&left, &right)?,
                Operator::IsNotDistinctFrom => same_array(&left, &right)?,
                Operator::AtArrow => contains(&left, &right)?,
                Operator::ArrowAt => contains(&right, &left)?,
                Operator::And => overlap(&left, &right)?,
                op => {
                    let order = compare_lists(&left, &right)?.then_with(|| dimensions(&left).cmp(&dimensions(&right)));
                    holds(&op.to_string()).ok_or_else(|| EngineError::unsupported(format!("{op} of arrays")))?(order)
                }
            }))
        });
        Ok(Arc::new(results.collect::<Result<BooleanArray>>()?))
    });
    function.variant(op)
}

/// A comparison of arrays of one type.
pub fn operator(left: Expr, op: Operator, right: Expr) -> Expr {
    array_operator(op).call(vec![left, right])
}

/// `left || right`, of two arrays, or of an array and an element.
pub fn concatenation(left: Expr, right: Expr, lists: (bool, bool)) -> Expr {
    let function = match lists {
        (true, true) => array_cat(),
        (true, false) => array_append(),
        _ => array_prepend(),
    };
    function.call(vec![left, right])
}

fn array_cat() -> Function {
    remake("pg_array_cat", 2, |args, row| cat(list(&args[0], row), list(&args[1], row)))
}

fn array_append() -> Function {
    remake("pg_array_append", 2, |args, row| append(list(&args[0], row), args[1].slice(row, 1), false))
}

fn array_prepend() -> Function {
    remake("pg_array_prepend", 2, |args, row| append(list(&args[1], row), args[0].slice(row, 1), true))
}

/// The element type changes, the dimensions do not.
pub fn conversion(element: &Field) -> Function {
    let element = element.clone();
    let returned = element.clone();
    let function = Function::new("pg_array_cast", 1, DataType::Null, Volatility::Immutable, move |call| {
        match call.args[0].data_type() {
            DataType::Null => Ok(new_null_array(&list_of(&final_type(&element)), call.rows)),
            _ => convert(&call.args[0], &element),
        }
    });
    function
        .variant((returned.data_type().clone(), returned.metadata().get(crate::tables::TYPE_KEY).cloned()))
        .returning(move |args| {
            let element = final_type(&returned);
            fn within(ty: &DataType, element: &DataType) -> DataType {
                match ty {
                    DataType::List(field) => list_of(&within(field.data_type(), element)),
                    _ => element.clone(),
                }
            }
            match args.arg_fields[0].data_type() {
                ty @ DataType::List(_) => Ok(within(ty, &element)),
                _ => Ok(list_of(&element)),
            }
        })
}

/// How elements that a type's name describes are held.
fn final_type(element: &Field) -> DataType {
    if crate::semantics::is_bare_numeric(element) { NUMERIC } else { element.data_type().clone() }
}

fn convert(array: &ArrayRef, element: &Field) -> Result<ArrayRef> {
    match array.data_type() {
        DataType::List(_) => {
            let lists = array.as_list::<i32>();
            let values = convert(lists.values(), element)?;
            let field = Arc::new(Field::new_list_field(values.data_type().clone(), true));
            Ok(Arc::new(
                ListArray::try_new(field, lists.offsets().clone(), values, lists.nulls().cloned()).map_err(internal)?,
            ))
        }
        DataType::Null => Ok(new_null_array(&final_type(element), array.len())),
        _ if crate::semantics::is_bare_numeric(element) || *element.data_type() == NUMERIC => {
            crate::numeric::to_array((0..array.len()).map(|row| crate::numeric::read(array, row)))
        }
        DataType::Utf8 => crate::array_text::elements(array.as_string::<i32>(), element),
        from => match crate::semantics::target(&DataType::Binary, element) {
            Some(_) if from == element.data_type() && element.metadata().is_empty() => Ok(array.clone()),
            Some(ty) => crate::cast::cast(array, ty, crate::cast::Purpose::Explicit),
            None if from == element.data_type() => Ok(array.clone()),
            None => Err(EngineError::new(
                "42846",
                format!("cannot cast type {}[] to {}[]", type_name(from), type_name(element.data_type())),
            )),
        },
    }
}

/// Texts as arrays, where the plan has no constant: of one dimension.
pub fn from_text(element: &Field) -> Function {
    let (element, returned) = (element.clone(), final_type(element));
    let function = Function::new("pg_array_in", 1, list_of(&returned), Volatility::Immutable, move |call| {
        let texts = crate::output::text_array(&call.args[0])?;
        let rows = texts.iter().map(|text| {
            let Some(text) = text else { return Ok(None) };
            let items = crate::array_text::read(text, &element)?.value(0);
            if matches!(items.data_type(), DataType::List(_)) {
                return Err(EngineError::unsupported("an array of several dimensions that is no constant"));
            }
            Ok(Some(items))
        });
        lists(rows.collect::<Result<Vec<_>>>()?, &final_type(&element))
    });
    function.variant(returned)
}

fn string_to_array() -> Function {
    Function::new("pg_string_to_array", usize::MAX, list_of(&DataType::Utf8), Volatility::Immutable, |call| {
        let [texts, delimiters] = [&call.args[0], &call.args[1]].map(|arg| crate::output::text_array(arg));
        let (texts, delimiters) = (texts?, delimiters?);
        let nulls = call.args.get(2).map(|arg| crate::output::text_array(arg)).transpose()?;
        let rows = (0..call.rows).map(|row| {
            let text = texts.is_valid(row).then(|| texts.value(row))?;
            let parts: Vec<String> = match delimiters.is_valid(row).then(|| delimiters.value(row)) {
                _ if text.is_empty() => vec![],
                None => text.chars().map(String::from).collect(),
                Some("") => vec![text.to_string()],
                Some(delimiter) => text.split(delimiter).map(str::to_string).collect(),
            };
            let null = nulls.as_ref().filter(|n| n.is_valid(row)).map(|n| n.value(row).to_string());
            let parts = parts.into_iter().map(|part| (Some(&part) != null.as_ref()).then_some(part));
            Some(Arc::new(parts.collect::<StringArray>()) as ArrayRef)
        });
        lists(rows.collect(), &DataType::Utf8)
    })
}

fn array_to_string() -> Function {
    Function::new("pg_array_to_string", usize::MAX, DataType::Utf8, Volatility::Stable, |call| {
        require_list("array_to_string", &call.args[0])?;
        let delimiters = crate::output::text_array(&call.args[1])?;
        let nulls = call.args.get(2).map(|n| crate::output::text_array(n)).transpose()?;
        let style = crate::style::current().style;
        let texts = (0..call.rows).map(|row| {
            let Some(items) = list(&call.args[0], row).filter(|_| delimiters.is_valid(row)) else { return Ok(None) };
            let items = flat(&items);
            // NULL elements are left out, unless there is a word for them.
            let null = nulls.as_ref().filter(|n| n.is_valid(row)).map(|n| n.value(row).as_bytes().to_vec());
            let mut words = Vec::with_capacity(items.len());
            for at in 0..items.len() {
                let mut word = Vec::new();
                if crate::output::encode_value(&mut word, &items, at, &style)? {
                    words.push(word);
                } else {
                    words.extend(null.clone());
                }
            }
            let joined = words.join(delimiters.value(row).as_bytes());
            Ok(Some(String::from_utf8(joined).expect("text representations are UTF-8")))
        });
        Ok(Arc::new(texts.collect::<Result<StringArray>>()?))
    })
}

/// The elements' type of an `int2vector` or `oidvector`: held as text, numbers with spaces between them, counted from 0.
pub fn vector_of(field: &Field) -> Option<DataType> {
    match field.metadata().get(crate::tables::TYPE_KEY)?.split_once(',')?.0 {
        "22" => Some(DataType::Int16),
        "30" => Some(DataType::UInt32),
        _ => None,
    }
}

/// An array in a row, as one of one dimension; `None` is NULL.
fn elements(call: &Call, row: usize) -> Result<Option<ArrayRef>> {
    let Some(ty) = vector_of(&call.given.arg_fields[0]) else {
        return Ok(list(&call.args[0], row).map(|l| flat(&l)));
    };
    let text = crate::output::text_array(&call.args[0].slice(row, 1))?;
    let numbers = text.is_valid(0).then(|| text.value(0).split_whitespace().map(|n| n.parse::<i64>().ok()));
    let Some(numbers) = numbers else { return Ok(None) };
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter(numbers));
    datafusion::arrow::compute::cast(&numbers, &ty).map(Some).map_err(internal)
}

/// An array as one of one dimension, for unnest.
pub fn flattened() -> Function {
    let function = Function::new("pg_flat", usize::MAX, DataType::Null, Volatility::Immutable, |call| {
        let element = match vector_of(&call.given.arg_fields[0]) {
            Some(element) => element,
            None => {
                require_list("unnest", &call.args[0])?;
                element_of(call.args[0].data_type()).cloned().unwrap_or(DataType::Null)
            }
        };
        lists((0..call.rows).map(|row| elements(call, row)).collect::<Result<_>>()?, &element)
    });
    function.returning(|args| match (vector_of(&args.arg_fields[0]), args.arg_fields[0].data_type()) {
        (Some(element), _) => Ok(list_of(&element)),
        (None, ty @ DataType::List(_)) => Ok(list_of(element_of(ty).expect("a list has elements"))),
        (None, DataType::Null) => Ok(DataType::Null),
        (None, other) => {
            Err(EngineError::new("42883", format!("function unnest({}) does not exist", type_name(other))))
        }
    })
}

/// The subscripts of a dimension, for generate_subscripts.
fn generate_subscripts() -> Function {
    let ty = list_of(&DataType::Int32);
    Function::new("pg_subscripts", 2, ty, Volatility::Immutable, |call| {
        let vector = vector_of(&call.given.arg_fields[0]).is_some();
        if !vector {
            require_list("generate_subscripts", &call.args[0])?;
        }
        let dimension = integers(&call.args[1])?;
        let of_row = |row: usize| -> Result<Option<ArrayRef>> {
            let length = match vector {
                true => elements(call, row)?.map(|numbers| vec![numbers.len()]),
                false => list(&call.args[0], row).map(|l| dimensions(&l)),
            };
            let at = dimension.is_valid(row).then(|| usize::try_from(dimension.value(row) - 1).ok()).flatten();
            let Some(length) = length.and_then(|lengths| lengths.get(at?).copied()) else { return Ok(None) };
            let first = i32::from(!vector);
            Ok(Some(Arc::new(Int32Array::from_iter_values(first..first + length as i32))))
        };
        lists((0..call.rows).map(of_row).collect::<Result<_>>()?, &DataType::Int32)
    })
}

/// The numbers of an array's elements, from 1, of `information_schema._pg_expandarray`.
fn ordinals() -> Function {
    Function::new("pg_ordinals", 1, list_of(&DataType::Int32), Volatility::Immutable, |call| {
        let numbers = |items: ArrayRef| Arc::new(Int32Array::from_iter_values(1..=items.len() as i32)) as ArrayRef;
        let rows = (0..call.rows).map(|row| Ok(elements(call, row)?.map(numbers)));
        lists(rows.collect::<Result<_>>()?, &DataType::Int32)
    })
}

/// What `information_schema._pg_expandarray` gives: an element and its number.
fn numbered(element: &DataType) -> Fields {
    Fields::from(vec![Field::new("x", element.clone(), true), Field::new("n", DataType::Int32, true)])
}

fn expanded() -> Function {
    let element = |field: &Field| vector_of(field).or_else(|| element_of(field.data_type()).cloned());
    let function = Function::new("pg_expanded", 1, DataType::Null, Volatility::Immutable, move |call| {
        let fields = numbered(&element(&call.given.arg_fields[0]).unwrap_or(DataType::Null));
        let row = |row: usize| {
            let Some(items) = elements(call, row)? else { return Ok(None) };
            let numbers: ArrayRef = Arc::new(Int32Array::from_iter_values(1..=items.len() as i32));
            let rows = StructArray::try_new(fields.clone(), vec![items, numbers], None).map_err(internal)?;
            Ok(Some(Arc::new(rows) as ArrayRef))
        };
        lists((0..call.rows).map(row).collect::<Result<_>>()?, &DataType::Struct(fields.clone()))
    });
    function.returning(move |args| match element(&args.arg_fields[0]) {
        Some(element) => Ok(list_of(&DataType::Struct(numbered(&element)))),
        None => {
            let given = type_name(args.arg_fields[0].data_type());
            Err(EngineError::new("42883", format!("function _pg_expandarray({given}) does not exist")))
        }
    })
}

/// `(column).name`.
fn field() -> Function {
    let name = |value: Option<&ScalarValue>| match value {
        Some(ScalarValue::Utf8(Some(name))) => name.clone(),
        _ => String::new(),
    };
    let function = Function::new("pg_field", 2, DataType::Null, Volatility::Immutable, move |call| {
        let wanted = match &call.given.args[1] {
            ColumnarValue::Scalar(value) => name(Some(value)),
            ColumnarValue::Array(_) => String::new(),
        };
        let column = call.args[0].as_struct_opt().and_then(|rows| rows.column_by_name(&wanted).cloned());
        column.ok_or_else(|| EngineError::new("XX000", "a field that is not there"))
    });
    function.returning(move |args| {
        let wanted = name(args.scalar_arguments[1]);
        let DataType::Struct(fields) = args.arg_fields[0].data_type() else {
            let given = type_name(args.arg_fields[0].data_type());
            let message = format!("column notation .{wanted} applied to type {given}, which is not a composite type");
            return Err(EngineError::new("42809", message));
        };
        let found = fields.iter().find(|field| *field.name() == wanted).map(|field| field.data_type().clone());
        found.ok_or_else(|| EngineError::new("42703", format!("column \"{wanted}\" not found in data type record")))
    })
}

/// What `array_agg` gathered: arrays among it must have one shape (`array_agg_array_transfn`).
fn gathered() -> Function {
    let function = Function::new("pg_gathered", 1, DataType::Null, Volatility::Immutable, |call| {
        for row in 0..call.rows {
            let Some(items) = list(&call.args[0], row) else { continue };
            let Some(arrays) = items.as_list_opt::<i32>() else { break };
            let mut shape = None;
            for at in 0..arrays.len() {
                if arrays.is_null(at) {
                    return Err(EngineError::new("22004", "cannot accumulate null arrays"));
                }
                let lengths = dimensions(&arrays.value(at));
                if lengths.is_empty() {
                    return Err(EngineError::new("2202E", "cannot accumulate empty arrays"));
                }
                if *shape.get_or_insert(lengths.clone()) != lengths {
                    let message = "cannot accumulate arrays of different dimensionality";
                    return Err(EngineError::new("2202E", message));
                }
            }
        }
        Ok(call.args[0].clone())
    });
    function.returning(|args| Ok(args.arg_fields[0].data_type().clone()))
}

/// All that have a name in SQL, behind `pg_`.
pub fn functions() -> Vec<Function> {
    vec![
        constructor(),
        subscript(),
        slice(),
        measure("pg_array_length", 2, length_of),
        measure("pg_array_upper", 2, length_of),
        measure("pg_array_lower", 2, |lengths, at| length_of(lengths, at).map(|_| 1)),
        measure("pg_array_ndims", 1, |lengths, _| (!lengths.is_empty()).then_some(lengths.len() as i64)),
        measure("pg_cardinality", 1, |lengths, _| {
            Some(if lengths.is_empty() { 0 } else { lengths.iter().product::<usize>() as i64 })
        }),
        array_dims(),
        array_cat(),
        array_append(),
        array_prepend(),
        position(),
        positions(),
        remake("pg_array_remove", 2, remove),
        remake("pg_array_replace", 3, replace),
        remake("pg_trim_array", 2, trim),
        remake("pg_array_sort", usize::MAX, sort),
        quantified("pg_any", false),
        quantified("pg_all", true),
        string_to_array(),
        array_to_string(),
        flattened(),
        generate_subscripts(),
        ordinals(),
        expanded(),
        field(),
        Function::new("pg_ancestors", 1, list_of(&DataType::UInt32), Volatility::Stable, |call| {
            lists(vec![Some(new_empty_array(&DataType::UInt32)); call.rows], &DataType::UInt32)
        }),
        gathered(),
    ]
}
