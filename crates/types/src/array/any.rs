//! `value operator ANY (array)` and `ALL`: for whole columns, through the operator's function.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::builder::BooleanBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, BinaryArray, BooleanArray};
use foldhash::fast::RandomState;

use crate::column::Argument;
use crate::compare;
use crate::datum::ColumnBuilder;
use crate::error::Result;
use crate::function::{Call, Kernel};
use crate::repr::Repr;
use crate::scalar::{self, Scalar};

use super::column::{flatten, plain, rows_within, to_column};
use super::value::anyarray;
use super::view::ArrayView;

/// Whether one element suffices, or all must do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    Any,
    All,
}

impl Quantifier {
    /// What one element decides for all.
    fn deciding(self) -> bool {
        self == Quantifier::Any
    }

    /// What is true so far of what some elements gave, and another gives.
    fn with(self, so_far: Option<bool>, next: Option<bool>) -> Option<bool> {
        if so_far == Some(self.deciding()) || next == Some(!self.deciding()) { so_far } else { next }
    }
}

/// Elements that are looked at together.
const MOST_AT_ONCE: usize = 8192;

/// For each row of the call whether the operator holds. The call's arguments are the types of the value and of the elements,
/// which are represented so; `operator` gives truth values.
pub fn scalar_array_op(
    call: &Call<'_>,
    operator: Kernel,
    quantifier: Quantifier,
    (value, value_repr): (&Argument, Repr),
    (array, element_repr): (&Argument, Repr),
) -> Result<ArrayRef> {
    let plain_value = match value.is_constant() {
        true => Argument::constant(plain(value.array())),
        false => Argument::column(plain(value.array())),
    };
    match (array.is_constant(), value.is_constant()) {
        (true, false) => with_constant(call, operator, quantifier, &plain_value, array),
        (true, true) => {
            let once = Call { rows: 1, ..*call };
            let once = with_columns(&once, operator, quantifier, (&plain_value, value_repr), (array, element_repr))?;
            let once = once.as_boolean();
            let same = (!once.is_null(0)).then(|| once.value(0));
            Ok(Arc::new(BooleanArray::from(vec![same; call.rows])))
        }
        (false, _) => with_columns(call, operator, quantifier, (&plain_value, value_repr), (array, element_repr)),
    }
}

/// Each element of one array with all values.
fn with_constant(
    call: &Call<'_>,
    operator: Kernel,
    quantifier: Quantifier,
    value: &Argument,
    array: &Argument,
) -> Result<ArrayRef> {
    let array = array.of::<anyarray>();
    if array.is_null(0) {
        return Ok(Arc::new(BooleanArray::new_null(call.rows)));
    }
    let array = ArrayView::new(array.value(0));
    let elements = to_column(&array)?;
    let mut state = vec![Some(!quantifier.deciding()); call.rows];
    for index in 0..array.len() {
        let element = Argument::constant(elements.slice(index, 1));
        let holds = operator(call, &[value.clone(), element])?;
        let mut open = false;
        for (so_far, next) in state.iter_mut().zip(holds.as_boolean().iter()) {
            *so_far = quantifier.with(*so_far, next);
            open |= *so_far != Some(quantifier.deciding());
        }
        if !open {
            break;
        }
    }
    Ok(Arc::new(BooleanArray::from(state)))
}

/// The arrays of some rows at a time, all their elements with the rows' values.
fn with_columns(
    call: &Call<'_>,
    operator: Kernel,
    quantifier: Quantifier,
    (value, value_repr): (&Argument, Repr),
    (array, element_repr): (&Argument, Repr),
) -> Result<ArrayRef> {
    let arrays: &BinaryArray = array.of::<anyarray>();
    let mut out = BooleanBuilder::with_capacity(call.rows);
    let mut begin = 0;
    while begin < call.rows {
        let rows = rows_within(arrays, begin, MOST_AT_ONCE);
        let elements = flatten(element_repr, &arrays.slice(begin, rows))?;
        let count = elements.column.len();
        let values = match value.is_constant() {
            true => value.clone(),
            false => {
                let mut values = ColumnBuilder::new(value_repr, count);
                for (row, bounds) in elements.offsets.windows(2).enumerate() {
                    let value = Scalar::of(value.array(), begin + row);
                    (bounds[0]..bounds[1]).for_each(|_| scalar::append(&mut values, value));
                }
                Argument::column(values.finish())
            }
        };
        let holds = operator(&Call { rows: count, ..*call }, &[values, Argument::column(elements.column)])?;
        let holds = holds.as_boolean();
        for (row, bounds) in elements.offsets.windows(2).enumerate() {
            if arrays.is_null(begin + row) {
                out.append_null();
                continue;
            }
            let mut so_far = Some(!quantifier.deciding());
            for index in bounds[0]..bounds[1] {
                so_far = quantifier.with(so_far, holds.is_valid(index).then(|| holds.value(index)));
            }
            out.append_option(so_far);
        }
        begin += rows;
    }
    Ok(Arc::new(out.finish()))
}

/// The elements of an array that does not change, for `value = ANY (array)` and `value <> ALL (array)` where `=` is the
/// equality of one type: found by their keys, so it does not matter how many they are.
#[derive(Clone, Debug)]
pub struct Members {
    repr: Repr,
    keys: Keys,
    has_null: bool,
    is_empty: bool,
}

#[derive(Clone, Debug)]
enum Keys {
    Numbers(HashSet<u64, RandomState>),
    Bytes(HashSet<Box<[u8]>, RandomState>),
}

impl Members {
    pub fn new(array: &ArrayView<'_>) -> Members {
        let repr = array.repr();
        let mut buffer = Vec::new();
        let mut keys = match array.iter().flatten().next() {
            Some(Scalar::Bytes(_)) => Keys::Bytes(HashSet::default()),
            _ => Keys::Numbers(HashSet::default()),
        };
        for element in array.iter().flatten() {
            match (&mut keys, element) {
                (Keys::Bytes(keys), Scalar::Bytes(bytes)) => {
                    keys.insert(compare::equality_key(repr, bytes, &mut buffer).into());
                }
                (Keys::Numbers(keys), number) => {
                    keys.insert(compare::number_key(number));
                }
                (Keys::Bytes(_), _) => {}
            }
        }
        Members { repr, keys, has_null: array.has_nulls(), is_empty: array.is_empty() }
    }

    /// The values of each row that are members ([`Quantifier::Any`]), or that are none ([`Quantifier::All`]); NULL where
    /// that is not known.
    pub fn find(&self, rows: usize, values: &Argument, quantifier: Quantifier) -> BooleanArray {
        let column = plain(values.array());
        if self.is_empty {
            return BooleanArray::from(vec![!quantifier.deciding(); rows]);
        }
        let missing = (!self.has_null).then_some(!quantifier.deciding());
        let answer = |found: bool| if found { Some(quantifier.deciding()) } else { missing };
        macro_rules! numbers {
            ($keys:expr, $($ty:ty),*) => {
                match column.data_type() {
                    $(ty if *ty == <$ty as ArrowPrimitiveType>::DATA_TYPE => {
                        let column = column.as_primitive::<$ty>();
                        let one = |row: usize| {
                            let index = values.index(row);
                            (!column.is_null(index)).then(|| answer($keys.contains(&(column.value(index) as i64 as u64))))?
                        };
                        return (0..rows).map(one).collect();
                    })*
                    _ => {}
                }
            };
        }
        if let Keys::Numbers(keys) = &self.keys {
            numbers!(keys, Int32Type, Int64Type, Int16Type);
        }
        let mut buffer = Vec::new();
        let mut has = |value: Scalar<'_>| match (&self.keys, value) {
            (Keys::Bytes(keys), Scalar::Bytes(bytes)) => {
                keys.contains(compare::equality_key(self.repr, bytes, &mut buffer))
            }
            (Keys::Numbers(keys), number) => keys.contains(&compare::number_key(number)),
            (Keys::Bytes(_), _) => false,
        };
        let one = |row: usize| Scalar::of(&column, values.index(row)).and_then(|value| answer(has(value)));
        (0..rows).map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::ArrayBuilder;
    use crate::context::Context;
    use crate::datum::Datum;
    use crate::oid;

    fn list(values: &[Option<i32>]) -> Datum {
        let mut builder = ArrayBuilder::new(oid::INT4, Repr::Int4);
        values.iter().for_each(|v| builder.push(v.map(|v| Scalar::Int(v.into()))).unwrap());
        Datum::bytes(builder.finish_list().unwrap())
    }

    fn column(values: &[Datum], repr: Repr) -> Argument {
        let mut builder = ColumnBuilder::new(repr, values.len());
        values.iter().for_each(|value| builder.push(value));
        Argument::column(builder.finish())
    }

    fn operator(name: &str) -> Kernel {
        let mut all = crate::BUILT_IN.iter().copied().flatten().copied().flatten();
        all.find(|function| function.name == name).unwrap().kernel
    }

    /// What SQL says, value by value.
    fn expected(value: Option<i32>, array: Option<&[Option<i32>]>, quantifier: Quantifier) -> Option<bool> {
        let holds = |e: &Option<i32>| match quantifier {
            Quantifier::Any => Some((*e)? == value?),
            Quantifier::All => Some((*e)? != value?),
        };
        let all: Vec<Option<bool>> = array?.iter().map(holds).collect();
        match quantifier {
            Quantifier::Any if all.contains(&Some(true)) => Some(true),
            Quantifier::All if all.contains(&Some(false)) => Some(false),
            _ if all.contains(&None) => None,
            Quantifier::Any => Some(false),
            Quantifier::All => Some(true),
        }
    }

    #[test]
    fn columns_constants_and_members_agree() {
        let arrays: [Option<&[Option<i32>]>; 6] =
            [Some(&[]), Some(&[Some(1), Some(2)]), Some(&[Some(3), None]), None, Some(&[None]), Some(&[Some(2)])];
        let values = [Some(1), Some(2), None, Some(3), Some(4)];
        let context = Context::default();
        for (quantifier, name) in [(Quantifier::Any, "int4eq"), (Quantifier::All, "int4ne")] {
            let pairs: Vec<_> = values.iter().flat_map(|v| arrays.iter().map(move |a| (*v, *a))).collect();
            let datum = |v: &Option<i32>| v.map_or(Datum::Null, Datum::I32);
            let array = |a: &Option<&[Option<i32>]>| a.map_or(Datum::Null, list);
            let left: Vec<_> = pairs.iter().map(|(v, _)| datum(v)).collect();
            let right: Vec<_> = pairs.iter().map(|(_, a)| array(a)).collect();
            let call = Call {
                context: &context,
                rows: pairs.len(),
                arguments: &[oid::INT4, oid::INT4],
                result: oid::BOOL,
                variadic: false,
            };
            let answers = |call: &Call<'_>, value: &Argument, array: &Argument| -> Vec<Option<bool>> {
                let result =
                    scalar_array_op(call, operator(name), quantifier, (value, Repr::Int4), (array, Repr::Int4));
                result.unwrap().as_boolean().iter().collect()
            };
            let wanted: Vec<_> = pairs.iter().map(|(v, a)| expected(*v, *a, quantifier)).collect();
            let (left, right) = (column(&left, Repr::Int4), column(&right, Repr::Array));
            assert_eq!(answers(&call, &left, &right), wanted);
            let all_values = column(&values.iter().map(datum).collect::<Vec<_>>(), Repr::Int4);
            let call = Call { rows: values.len(), ..call };
            for a in arrays {
                let constant = Argument::constant(array(&a).to_array(Repr::Array));
                let wanted: Vec<_> = values.iter().map(|v| expected(*v, a, quantifier)).collect();
                assert_eq!(answers(&call, &all_values, &constant), wanted);
                if let Datum::Bytes(bytes) = array(&a) {
                    let members = Members::new(&ArrayView::new(&bytes));
                    let found: Vec<_> = members.find(values.len(), &all_values, quantifier).iter().collect();
                    assert_eq!(found, wanted, "{a:?}");
                }
                for value in values {
                    let one = Argument::constant(datum(&value).to_array(Repr::Int4));
                    let wanted = vec![expected(value, a, quantifier); 5];
                    assert_eq!(answers(&call, &one, &constant), wanted);
                }
            }
        }
    }

    #[test]
    fn members_are_equal_as_their_type_says() {
        let numeric = |text: &str| crate::numeric::datum(&crate::numeric::text::parse(text).unwrap());
        let mut builder = ArrayBuilder::new(oid::NUMERIC, Repr::Numeric);
        builder.push_datum(&numeric("1.0")).unwrap();
        builder.push_datum(&numeric("NaN")).unwrap();
        let bytes = builder.finish_list().unwrap();
        let values = column(&[numeric("1"), numeric("NaN"), numeric("2")], Repr::Numeric);
        let found = Members::new(&ArrayView::new(&bytes)).find(3, &values, Quantifier::Any);
        assert_eq!(found, BooleanArray::from(vec![true, true, false]));
        let mut builder = ArrayBuilder::new(oid::FLOAT8, Repr::Float8);
        builder.push(Some(Scalar::Float(0.0))).unwrap();
        let bytes = builder.finish_list().unwrap();
        let values = column(&[Datum::F64(-0.0), Datum::F64(f64::NAN)], Repr::Float8);
        let found = Members::new(&ArrayView::new(&bytes)).find(2, &values, Quantifier::Any);
        assert_eq!(found, BooleanArray::from(vec![true, false]));
    }
}
