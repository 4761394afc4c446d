//! Conversions between types: which there are, and the type that several expressions have in common (PostgreSQL's
//! `parse_coerce.c`).
//!
//! Tables do not inherit from one another and have no types of their own here, so no row type is another's.

use ::error::sqlstate;
use catalog::{Catalog, TYPCATEGORY_STRING};
use types::error::{Error, Result};
use types::{Oid, oid};

use crate::Operand;
use crate::polymorphic;

/// Where a conversion is asked for: each place allows what those before it do, and more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CoercionContext {
    /// In an expression, where no cast is written.
    Implicit,
    /// To store a value in a column.
    Assignment,
    /// By a cast.
    Explicit,
}

/// How a value is converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoercionPath {
    /// It is a value of the other type as it is. A domain's conditions are still to be checked.
    Relabel,
    /// By this function.
    Function(Oid),
    /// Each element of an array is converted.
    Array,
    /// Through its text.
    ViaIo,
}

/// How a value of type `source` becomes one of type `target` (`find_coercion_pathway`); `None`: not at all. Polymorphic
/// types and rows are not looked at.
pub fn find_coercion_pathway(
    catalog: Catalog<'_>,
    target: Oid,
    source: Oid,
    context: CoercionContext,
) -> Option<CoercionPath> {
    let (source, target) = (catalog.base_type(source), catalog.base_type(target));
    if source == target {
        return Some(CoercionPath::Relabel);
    }
    if source == oid::INTERNAL || target == oid::INTERNAL {
        return None;
    }
    if let Some(cast) = catalog.cast((source, target)) {
        let allowed = match cast.castcontext {
            b'i' => CoercionContext::Implicit,
            b'a' => CoercionContext::Assignment,
            _ => CoercionContext::Explicit,
        };
        let path = match cast.castmethod {
            b'f' => CoercionPath::Function(cast.castfunc),
            b'b' => CoercionPath::Relabel,
            _ => CoercionPath::ViaIo,
        };
        return (context >= allowed).then_some(path);
    }
    // Casts to vectors are not made of their elements': they would take what is meant for real arrays.
    if target != oid::OIDVECTOR
        && target != oid::INT2VECTOR
        && let (Some(target), Some(source)) = (catalog.element_type(target), catalog.element_type(source))
        && find_coercion_pathway(catalog, target, source, context).is_some()
    {
        return Some(CoercionPath::Array);
    }
    let is_string = |ty| catalog.category(ty).0 == TYPCATEGORY_STRING;
    let to_string = context >= CoercionContext::Assignment && is_string(target);
    let from_string = context >= CoercionContext::Explicit && is_string(source);
    (to_string || from_string).then_some(CoercionPath::ViaIo)
}

/// How a value is made to fit a type modifier (`find_typmod_coercion_function`): by a function of the value, the modifier
/// and whether the cast is explicit, for an array on each element. `None`: the type needs none.
pub fn find_typmod_coercion_function(catalog: Catalog<'_>, ty: Oid) -> Option<CoercionPath> {
    let element = catalog.element_type(ty);
    let ty = element.unwrap_or(ty);
    let function = catalog.cast((ty, ty)).map(|cast| cast.castfunc).filter(|&function| function != oid::INVALID)?;
    Some(if element.is_some() { CoercionPath::Array } else { CoercionPath::Function(function) })
}

/// Whether values of the types `inputs` can become values of the types `targets`, one by one and together where these are
/// polymorphic (`can_coerce_type`).
pub fn can_coerce_type(catalog: Catalog<'_>, inputs: &[Oid], targets: &[Oid], context: CoercionContext) -> bool {
    let mut generic = false;
    for (&input, &target) in inputs.iter().zip(targets) {
        if input == target {
            continue;
        }
        if input == oid::INTERNAL || target == oid::INTERNAL {
            return false;
        }
        if polymorphic::is_polymorphic(target) {
            generic = true;
            continue;
        }
        let can = target == oid::ANY
            || input == oid::UNKNOWN
            || find_coercion_pathway(catalog, target, input, context).is_some()
            || (input == oid::RECORD && catalog.is_complex(target))
            || (target == oid::RECORD && catalog.is_complex(input))
            || (target == oid::RECORDARRAY && catalog.is_complex_array(input));
        if !can {
            return false;
        }
    }
    !generic || polymorphic::check_generic_type_consistency(catalog, inputs, targets)
}

pub(crate) fn can_coerce_implicitly(catalog: Catalog<'_>, input: Oid, target: Oid) -> bool {
    can_coerce_type(catalog, &[input], &[target], CoercionContext::Implicit)
}

/// Two types of different categories, and where the second one is among those looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unmatched {
    pub first: Oid,
    pub second: Oid,
    pub place: usize,
}

/// The common type of values of the types, and the place of the one that it comes from. That all of them can become it is
/// not said.
pub(crate) fn common_type(catalog: Catalog<'_>, types: &[Oid]) -> std::result::Result<(Oid, usize), Unmatched> {
    // Only a domain that all have stays one.
    if types[0] != oid::UNKNOWN && types.iter().all(|&ty| ty == types[0]) {
        return Ok((types[0], 0));
    }
    let mut chosen = (catalog.base_type(types[0]), 0);
    let (mut category, mut preferred) = catalog.category(chosen.0);
    for (place, &ty) in types.iter().enumerate().skip(1) {
        let ty = catalog.base_type(ty);
        if ty == oid::UNKNOWN || ty == chosen.0 {
            continue;
        }
        let (its_category, its_preferred) = catalog.category(ty);
        let take = if chosen.0 == oid::UNKNOWN {
            true
        } else if its_category != category {
            return Err(Unmatched { first: chosen.0, second: ty, place });
        } else {
            !preferred && can_coerce_implicitly(catalog, chosen.0, ty) && !can_coerce_implicitly(catalog, ty, chosen.0)
        };
        if take {
            chosen = (ty, place);
            (category, preferred) = (its_category, its_preferred);
        }
    }
    // Literals alone are texts.
    if chosen.0 == oid::UNKNOWN {
        chosen.0 = oid::TEXT;
    }
    Ok(chosen)
}

/// The common type of the arms of a CASE, of the columns of a UNION and the like, and the place of the expression that it
/// comes from (`select_common_type`). `context` is what messages call the construct. Earlier expressions are preferred;
/// each has still to be converted: [`coerce_to_common_type`]. `expressions` is not empty.
pub fn select_common_type(catalog: Catalog<'_>, expressions: &[Operand], context: &str) -> Result<(Oid, usize)> {
    let types: Vec<Oid> = expressions.iter().map(|expression| expression.ty).collect();
    common_type(catalog, &types).map_err(|Unmatched { first, second, place }| {
        let (first, second) = (catalog.format_type(first), catalog.format_type(second));
        let error =
            Error::new(sqlstate::DATATYPE_MISMATCH, format!("{context} types {first} and {second} cannot be matched"));
        located(error, expressions[place].location)
    })
}

/// The type modifier of expressions that get a common type: theirs if all are of that type and have the same; else -1
/// (`select_common_typmod`). `expressions` has their types and modifiers.
pub fn select_common_typmod(common: Oid, expressions: &[(Oid, i32)]) -> i32 {
    let typmod = expressions.first().map_or(-1, |(_, typmod)| *typmod);
    if expressions.iter().all(|&expression| expression == (common, typmod)) { typmod } else { -1 }
}

/// Whether all expressions can become values of a common type (`verify_common_type`).
pub fn verify_common_type(catalog: Catalog<'_>, common: Oid, types: &[Oid]) -> bool {
    types.iter().all(|&ty| can_coerce_implicitly(catalog, ty, common))
}

/// Fails with 42846 where an expression cannot become a value of the common type (`coerce_to_common_type`).
pub fn coerce_to_common_type(catalog: Catalog<'_>, expression: Operand, common: Oid, context: &str) -> Result<()> {
    if can_coerce_implicitly(catalog, expression.ty, common) {
        return Ok(());
    }
    let (ty, common) = (catalog.format_type(expression.ty), catalog.format_type(common));
    let error = Error::new(sqlstate::CANNOT_COERCE, format!("{context} could not convert type {ty} to {common}"));
    Err(located(error, expression.location))
}

/// Fails with 42804 where an expression is not of the type that a construct wants and cannot become one
/// (`coerce_to_specific_type`, and for `boolean` `coerce_to_boolean`).
pub fn coerce_to_specific_type(catalog: Catalog<'_>, expression: Operand, target: Oid, construct: &str) -> Result<()> {
    if can_coerce_type(catalog, &[expression.ty], &[target], CoercionContext::Assignment) {
        return Ok(());
    }
    let (wanted, found) = (catalog.format_type(target), catalog.format_type(expression.ty));
    let error = Error::new(
        sqlstate::DATATYPE_MISMATCH,
        format!("argument of {construct} must be type {wanted}, not type {found}"),
    );
    Err(located(error, expression.location))
}

pub(crate) fn located(error: Error, location: Option<usize>) -> Error {
    match location {
        Some(location) => error.at(location),
        None => error,
    }
}
