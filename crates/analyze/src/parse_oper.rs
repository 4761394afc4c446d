//! Which operator an expression means (PostgreSQL's `parse_oper.c`).

use catalog::catalogs::PgOperator;
use catalog::{Candidate, Catalog, QualifiedName};
use error::sqlstate;
use smallvec::SmallVec;
use types::error::{Error, Result};
use types::{Oid, oid};

use crate::parse_func::{func_match_argtypes, func_select_candidate, reject_internal};
use crate::polymorphic::{coerced_type, enforce_generic_type_consistency, is_polymorphic};

/// An operator with its operands' types.
#[derive(Clone, Debug)]
pub struct ResolvedOperator<'a> {
    pub operator: &'a PgOperator,
    /// What each operand has to be converted to.
    pub operands: SmallVec<[Oid; 2]>,
    pub result: Oid,
}

/// Why no operator was chosen.
enum Failure {
    NotFound,
    Ambiguous,
}

/// The best of several operators for operands of the types (`oper_select_candidate`).
fn select(catalog: Catalog<'_>, types: &[Oid], candidates: Vec<Candidate>) -> std::result::Result<Oid, Failure> {
    let candidates = func_match_argtypes(catalog, types, candidates);
    match candidates.as_slice() {
        [] => Err(Failure::NotFound),
        [only] => Ok(only.oid),
        _ => func_select_candidate(catalog, types, candidates).map(|best| best.oid).ok_or(Failure::Ambiguous),
    }
}

/// An operator for exactly these operands; a literal of unknown type is taken for one of the other operand's
/// (`binary_oper_exact`).
fn exact(catalog: Catalog<'_>, name: QualifiedName<'_>, left: Oid, right: Oid) -> Result<Option<Oid>> {
    let (left, right, guessed) = match (left, right) {
        (oid::UNKNOWN, right) => (right, right, true),
        (left, oid::UNKNOWN) => (left, left, true),
        (left, right) => (left, right, false),
    };
    let found = catalog.operator_exact(name, left, right)?;
    let base = catalog.base_type(left);
    if found.is_none() && guessed && base != left {
        return catalog.operator_exact(name, base, base);
    }
    Ok(found)
}

/// The infix operator for operands of these types, which still have to be converted to its own (`oper`). Fails with 42883,
/// or 42725 where several fit equally well, or 3F000 for a schema that does not exist.
pub fn oper<'a>(catalog: Catalog<'a>, name: QualifiedName<'_>, left: Oid, right: Oid) -> Result<&'a PgOperator> {
    let found = match exact(catalog, name, left, right)? {
        Some(operator) => Ok(operator),
        None => select(catalog, &[left, right], catalog.operator_candidates(name, false)?),
    };
    row(catalog, name, left, right, found)
}

/// The prefix operator for an operand of the type (`left_oper`). Fails as [`oper`] does.
pub fn left_oper<'a>(catalog: Catalog<'a>, name: QualifiedName<'_>, operand: Oid) -> Result<&'a PgOperator> {
    let found = match catalog.operator_exact(name, oid::INVALID, operand)? {
        Some(operator) => Ok(operator),
        None => select(catalog, &[operand], catalog.operator_candidates(name, true)?),
    };
    row(catalog, name, oid::INVALID, operand, found)
}

fn row<'a>(
    catalog: Catalog<'a>,
    name: QualifiedName<'_>,
    left: Oid,
    right: Oid,
    found: std::result::Result<Oid, Failure>,
) -> Result<&'a PgOperator> {
    let found = found.and_then(|operator| catalog.operator(operator).ok_or(Failure::NotFound));
    found.map_err(|failure| {
        let signature = op_signature_string(catalog, name, left, right);
        match failure {
            Failure::Ambiguous => {
                Error::new(sqlstate::AMBIGUOUS_FUNCTION, format!("operator is not unique: {signature}"))
                    .hint("Could not choose a best candidate operator. You might need to add explicit type casts.")
            }
            Failure::NotFound => Error::new(
                sqlstate::UNDEFINED_FUNCTION,
                format!("operator does not exist: {signature}"),
            )
            .hint(match left {
                oid::INVALID => {
                    "No operator matches the given name and argument type. You might need to add an explicit type cast."
                }
                _ => {
                    "No operator matches the given name and argument types. You might need to add explicit type casts."
                }
            }),
        }
    })
}

/// `integer + text`.
fn op_signature_string(catalog: Catalog<'_>, name: QualifiedName<'_>, left: Oid, right: Oid) -> String {
    let right = catalog.format_type(right);
    match left {
        oid::INVALID => format!("{name} {right}"),
        left => format!("{} {name} {right}", catalog.format_type(left)),
    }
}

/// As [`oper`], but fails with 42883 for an operator that needs its operands converted by a function (`compatible_oper`).
pub fn compatible_oper<'a>(
    catalog: Catalog<'a>,
    name: QualifiedName<'_>,
    left: Oid,
    right: Oid,
) -> Result<&'a PgOperator> {
    let operator = oper(catalog, name, left, right)?;
    if catalog.is_binary_coercible(left, operator.oprleft) && catalog.is_binary_coercible(right, operator.oprright) {
        return Ok(operator);
    }
    let signature = op_signature_string(catalog, name, left, right);
    Err(Error::new(sqlstate::UNDEFINED_FUNCTION, format!("operator requires run-time type coercion: {signature}")))
}

fn reject_shell(catalog: Catalog<'_>, name: QualifiedName<'_>, operator: &PgOperator) -> Result<()> {
    if operator.oprcode != oid::INVALID {
        return Ok(());
    }
    let signature = op_signature_string(catalog, name, operator.oprleft, operator.oprright);
    Err(Error::new(sqlstate::UNDEFINED_FUNCTION, format!("operator is only a shell: {signature}")))
}

/// The operator that an expression means, with what its operands have to become (`make_op`); `left` is `None` for a prefix
/// operator. Fails with 42883, 42725, 3F000, 42804 or 0A000.
pub fn make_op<'a>(
    catalog: Catalog<'a>,
    name: QualifiedName<'_>,
    left: Option<Oid>,
    right: Oid,
) -> Result<ResolvedOperator<'a>> {
    let operator = match left {
        Some(left) => oper(catalog, name, left, right)?,
        None => left_oper(catalog, name, right)?,
    };
    reject_shell(catalog, name, operator)?;
    let actual: SmallVec<[Oid; 2]> = left.into_iter().chain([right]).collect();
    let mut operands: SmallVec<[Oid; 2]> =
        left.map(|_| operator.oprleft).into_iter().chain([operator.oprright]).collect();
    let result = enforce_generic_type_consistency(catalog, &actual, &mut operands, operator.oprresult)?;
    reject_internal(&operands, result)?;
    for (operand, &actual) in operands.iter_mut().zip(&actual) {
        *operand = coerced_type(catalog, actual, *operand);
    }
    Ok(ResolvedOperator { operator, operands, result })
}

/// The operator of `left op ANY (right)` and `left op ALL (right)`, with what the operands have to become
/// (`make_scalar_array_op`). Fails as [`make_op`] does, and with 42809 or 42704.
pub fn make_scalar_array_op<'a>(
    catalog: Catalog<'a>,
    name: QualifiedName<'_>,
    left: Oid,
    right: Oid,
) -> Result<ResolvedOperator<'a>> {
    let wrong =
        |message: &str| Error::new(sqlstate::WRONG_OBJECT_TYPE, format!("op ANY/ALL (array) requires {message}"));
    let element = match right {
        oid::UNKNOWN => right,
        array => catalog.base_element_type(array).ok_or_else(|| wrong("array on right side"))?,
    };
    let operator = oper(catalog, name, left, element)?;
    reject_shell(catalog, name, operator)?;
    let mut operands = SmallVec::from([operator.oprleft, operator.oprright]);
    let result = enforce_generic_type_consistency(catalog, &[left, element], &mut operands, operator.oprresult)?;
    if result != oid::BOOL {
        return Err(wrong("operator to yield boolean"));
    }
    if catalog.function(operator.oprcode).is_some_and(|function| function.proretset) {
        return Err(wrong("operator not to return a set"));
    }
    // What still is polymorphic takes the array as it is.
    operands[1] = match operands[1] {
        declared if is_polymorphic(declared) => right,
        declared => {
            let name = || catalog.format_type(declared);
            let missing = || {
                Error::new(sqlstate::UNDEFINED_OBJECT, format!("could not find array type for data type {}", name()))
            };
            catalog.array_type(declared).ok_or_else(missing)?
        }
    };
    operands[0] = coerced_type(catalog, left, operands[0]);
    Ok(ResolvedOperator { operator, operands, result })
}
