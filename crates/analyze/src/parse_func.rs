//! Which function a call means (PostgreSQL's `parse_func.c`).

use ::error::sqlstate;
use catalog::catalogs::PgProc;
use catalog::{CallShape, Candidate, Catalog, QualifiedName, TYPCATEGORY_STRING};
use smallvec::SmallVec;
use types::error::{Error, Result};
use types::{Oid, oid};

use crate::Operand;
use crate::call_kind::{self, Decoration};
use crate::parse_coerce::{CoercionContext, CoercionPath, can_coerce_type, find_coercion_pathway, located};
use crate::polymorphic::{coerced_type, enforce_generic_type_consistency};

/// As many arguments as a call may have.
pub const FUNC_MAX_ARGS: usize = 100;

/// A call, as far as it decides what is called.
#[derive(Clone, Copy, Debug)]
pub struct FuncCall<'a> {
    pub name: QualifiedName<'a>,
    /// Those of WITHIN GROUP (ORDER BY …) follow the others.
    pub arguments: &'a [Operand],
    /// The names of the last arguments: `name => value`.
    pub names: &'a [&'a str],
    /// The last argument is written VARIADIC: it is the array.
    pub variadic: bool,
    pub decoration: Decoration,
}

/// What a call means.
#[derive(Clone, Debug)]
pub enum FuncDetail<'a> {
    /// A function of any kind: [`PgProc::prokind`].
    Function(&'a PgProc, Candidate),
    /// The name is a type's: the argument is converted to it.
    Coercion(Oid),
    Ambiguous,
    NotFound,
}

/// A call of a function, an aggregate or a procedure that is known.
#[derive(Clone, Debug)]
pub struct ResolvedCall<'a> {
    pub function: &'a PgProc,
    /// What each given argument has to be converted to, in the order of the call.
    pub arguments: SmallVec<[Oid; 4]>,
    /// The place in the declaration of each given argument, where the call has names.
    pub numbers: Option<SmallVec<[usize; 4]>>,
    /// The places in the declaration of the arguments that take their defaults: the last ones of
    /// [`PgProc::proargdefaults`] belong to the last arguments.
    pub defaults: SmallVec<[usize; 4]>,
    /// How many of the last arguments are to be put into an array, of this type.
    pub into_array: Option<(usize, Oid)>,
    /// The function gets the arguments of its variadic one as an array.
    pub variadic: bool,
    pub result: Oid,
}

/// What [`resolve_call`] finds.
#[derive(Clone, Debug)]
pub enum Resolved<'a> {
    Call(ResolvedCall<'a>),
    /// The one argument is converted, as by a cast, to this type.
    Coercion(Oid),
}

/// The candidates that take values of the types, converted if need be (`func_match_argtypes`).
pub fn func_match_argtypes(catalog: Catalog<'_>, types: &[Oid], candidates: Vec<Candidate>) -> Vec<Candidate> {
    let fits = |candidate: &Candidate| can_coerce_type(catalog, types, &candidate.arguments, CoercionContext::Implicit);
    candidates.into_iter().filter(fits).collect()
}

/// Keeps the candidates for which most of the arguments are counted; all where none is for any.
fn keep_best(candidates: &mut Vec<Candidate>, counts: impl Fn(usize, Oid) -> bool, arguments: usize) {
    let score = |candidate: &Candidate| {
        candidate.arguments[..arguments].iter().enumerate().filter(|(place, ty)| counts(*place, **ty)).count()
    };
    let best = candidates.iter().map(score).max().unwrap_or(0);
    candidates.retain(|candidate| score(candidate) == best);
}

/// The best of several candidates, all of which take values of the types (`func_select_candidate`); `None`: none is better
/// than all others.
pub fn func_select_candidate(catalog: Catalog<'_>, types: &[Oid], mut candidates: Vec<Candidate>) -> Option<Candidate> {
    let arguments = types.len();
    let types: SmallVec<[Oid; 8]> = types.iter().map(|&ty| catalog.base_type(ty)).collect();
    let known = |place: usize| types[place] != oid::UNKNOWN;
    // Most types that are exactly the same.
    keep_best(&mut candidates, |place, ty| known(place) && ty == types[place], arguments);
    if candidates.len() == 1 {
        return candidates.pop();
    }
    // Most types that are the same, or preferred ones of the same category.
    let categories: SmallVec<[u8; 8]> = types.iter().map(|&ty| catalog.category(ty).0).collect();
    let same_or_preferred =
        |place: usize, ty| known(place) && (ty == types[place] || catalog.is_preferred(categories[place], ty));
    keep_best(&mut candidates, same_or_preferred, arguments);
    if candidates.len() == 1 {
        return candidates.pop();
    }
    if (0..arguments).all(known) {
        return None;
    }
    let slots: Option<SmallVec<[(usize, u8, bool); 4]>> =
        (0..arguments).filter(|&place| !known(place)).map(|place| literal_slot(catalog, &candidates, place)).collect();
    if let Some(slots) = slots {
        let fits = |candidate: &Candidate| {
            slots.iter().all(|&(place, category, preferred)| {
                let (its_category, its_preferred) = catalog.category(candidate.arguments[place]);
                its_category == category && (its_preferred || !preferred)
            })
        };
        if candidates.iter().any(fits) {
            candidates.retain(fits);
        }
        if candidates.len() == 1 {
            return candidates.pop();
        }
    }
    // Literals are taken for what all other arguments are.
    let mut known_types = types.iter().copied().filter(|&ty| ty != oid::UNKNOWN);
    let first = known_types.next()?;
    if !known_types.all(|ty| ty == first) {
        return None;
    }
    let alike = vec![first; arguments];
    let fits =
        |candidate: &Candidate| can_coerce_type(catalog, &alike, &candidate.arguments, CoercionContext::Implicit);
    candidates.retain(fits);
    if candidates.len() == 1 { candidates.pop() } else { None }
}

/// The category that a literal of unknown type at a place is taken for, and whether a candidate takes a preferred type of it
/// there: strings if any candidate takes them, else what all agree on.
fn literal_slot(catalog: Catalog<'_>, candidates: &[Candidate], place: usize) -> Option<(usize, u8, bool)> {
    let categories = || candidates.iter().map(|candidate| catalog.category(candidate.arguments[place]));
    let (first, _) = categories().next()?;
    let category = match categories().any(|(category, _)| category == TYPCATEGORY_STRING) {
        true => TYPCATEGORY_STRING,
        false if categories().all(|(category, _)| category == first) => first,
        false => return None,
    };
    Some((place, category, categories().any(|found| found == (category, true))))
}

/// Looks up what a call means (`func_get_detail`). Fails with 3F000 for a schema that does not exist.
pub fn func_get_detail<'a>(catalog: Catalog<'a>, call: &FuncCall<'_>) -> Result<FuncDetail<'a>> {
    let types: SmallVec<[Oid; 8]> = call.arguments.iter().map(|argument| argument.ty).collect();
    let shape = CallShape {
        arguments: types.len(),
        names: call.names,
        expand_variadic: !call.variadic,
        expand_defaults: true,
        with_out_arguments: call.decoration.procedure,
    };
    let mut candidates = catalog.function_candidates(call.name, shape)?;
    let same = |candidate: &Candidate| candidate.arguments[..types.len()] == types[..];
    let best = match candidates.iter().position(same) {
        Some(exact) => candidates.swap_remove(exact),
        None => {
            if let Some(target) = as_coercion(catalog, call)? {
                return Ok(FuncDetail::Coercion(target));
            }
            let mut candidates = func_match_argtypes(catalog, &types, candidates);
            match candidates.len() {
                0 => return Ok(FuncDetail::NotFound),
                1 => candidates.remove(0),
                _ => match func_select_candidate(catalog, &types, candidates) {
                    Some(best) => best,
                    None => return Ok(FuncDetail::Ambiguous),
                },
            }
        }
    };
    // Several functions that cannot be told apart.
    let Some(function) = catalog.function(best.oid) else { return Ok(FuncDetail::Ambiguous) };
    // VARIADIC belongs to the variadic argument.
    let misplaced = |numbers: &SmallVec<[usize; 4]>| numbers[types.len() - 1] != types.len() - 1;
    if call.variadic && best.numbers.as_ref().is_some_and(misplaced) {
        return Ok(FuncDetail::NotFound);
    }
    Ok(FuncDetail::Function(function, best))
}

/// The type to which a call of one argument converts it, if its name is that type's. A conversion by a function is not
/// meant: the function is found by its name.
fn as_coercion(catalog: Catalog<'_>, call: &FuncCall<'_>) -> Result<Option<Oid>> {
    let ([argument], []) = (call.arguments, call.names) else { return Ok(None) };
    // A row type's name is no function.
    let ty = catalog.type_by_name(call.name)?.filter(|row| row.typisdefined && row.typrelid == oid::INVALID);
    let Some(target) = ty.map(|row| row.oid) else { return Ok(None) };
    if argument.ty == oid::UNKNOWN && argument.constant {
        return Ok(Some(target));
    }
    let is_row = argument.ty == oid::RECORD || catalog.is_complex(argument.ty);
    let converts = match find_coercion_pathway(catalog, target, argument.ty, CoercionContext::Explicit) {
        Some(CoercionPath::Relabel) => true,
        Some(CoercionPath::ViaIo) => !(is_row && catalog.category(target).0 == TYPCATEGORY_STRING),
        _ => false,
    };
    Ok(converts.then_some(target))
}

/// What a call means, and what its arguments have to become (`ParseFuncOrColumn`, but for columns of rows that are written
/// as calls: a caller that knows such a column asks [`func_get_detail`] first). `location` is the call's. Fails with 42883,
/// 42725, 42804, 42809, 54023, 3F000 and others.
pub fn resolve_call<'a>(catalog: Catalog<'a>, call: &FuncCall<'_>, location: Option<usize>) -> Result<Resolved<'a>> {
    resolve(catalog, call).map_err(|error| located(error, location))
}

fn resolve<'a>(catalog: Catalog<'a>, call: &FuncCall<'_>) -> Result<Resolved<'a>> {
    if call.arguments.len() > FUNC_MAX_ARGS {
        let message = format!("cannot pass more than {FUNC_MAX_ARGS} arguments to a function");
        return Err(Error::new(sqlstate::TOO_MANY_ARGUMENTS, message));
    }
    check_names(call)?;
    let detail = func_get_detail(catalog, call)?;
    let signature = || func_signature_string(catalog, call);
    let (function, candidate) = match detail {
        FuncDetail::Function(function, candidate) => (function, candidate),
        FuncDetail::Coercion(target) => {
            call_kind::check_coercion(call, signature)?;
            return Ok(Resolved::Coercion(target));
        }
        FuncDetail::Ambiguous => return Err(call_kind::ambiguous(call, signature())),
        FuncDetail::NotFound => return Err(call_kind::not_found(call, signature())),
    };
    let mut actual: SmallVec<[Oid; 8]> = call.arguments.iter().map(|argument| argument.ty).collect();
    let hypothetical = call_kind::check_kind(catalog, call, function, candidate.variadic, signature)?;
    if let Some(pairs) = hypothetical {
        pairs.unify(catalog, call, &mut actual, &candidate.arguments)?;
    }
    let given = actual.len();
    // Defaults are of the types that are declared.
    actual.extend(candidate.arguments[given..].iter().copied());
    let mut arguments = candidate.arguments;
    let result = enforce_generic_type_consistency(catalog, &actual, &mut arguments, function.prorettype)?;
    reject_internal(&arguments, result)?;
    for (argument, &actual) in arguments.iter_mut().zip(&actual) {
        *argument = coerced_type(catalog, actual, *argument);
    }
    arguments.truncate(given);
    let numbers = candidate.numbers;
    let defaults = match &numbers {
        Some(numbers) => numbers[given..].iter().copied().collect(),
        None => (candidate.declared - candidate.defaults..candidate.declared).collect(),
    };
    let is_variadic = function.provariadic != oid::INVALID;
    let mut variadic = call.variadic && is_variadic;
    let mut into_array = None;
    if candidate.variadic > 0 && function.provariadic != oid::ANY {
        let element = arguments[given - candidate.variadic];
        let missing = || {
            let name = catalog.format_type(element);
            Error::new(sqlstate::UNDEFINED_OBJECT, format!("could not find array type for data type {name}"))
        };
        into_array = Some((candidate.variadic, catalog.array_type(element).ok_or_else(missing)?));
        variadic = true;
    }
    if variadic
        && function.provariadic == oid::ANY
        && let Some(last) = actual[..given].last()
        && catalog.base_element_type(*last).is_none()
    {
        let place = call.arguments.last().and_then(|argument| argument.location);
        return Err(located(Error::new(sqlstate::DATATYPE_MISMATCH, "VARIADIC argument must be an array"), place));
    }
    call_kind::check_placement(call, function)?;
    let numbers = numbers.map(|numbers| numbers[..given].into());
    Ok(Resolved::Call(ResolvedCall { function, arguments, numbers, defaults, into_array, variadic, result }))
}

fn check_names(call: &FuncCall<'_>) -> Result<()> {
    for (place, name) in call.names.iter().enumerate() {
        if call.names[..place].contains(name) {
            return Err(Error::new(sqlstate::SYNTAX_ERROR, format!("argument name \"{name}\" used more than once")));
        }
    }
    Ok(())
}

/// Functions that take or give what only the server has are not for statements.
pub(crate) fn reject_internal(arguments: &[Oid], result: Oid) -> Result<()> {
    let what = match () {
        _ if arguments.contains(&oid::INTERNAL) => "accepting",
        _ if result == oid::INTERNAL => "returning",
        _ => return Ok(()),
    };
    Err(Error::new(
        sqlstate::FEATURE_NOT_SUPPORTED,
        format!("functions {what} type \"internal\" cannot be called explicitly"),
    ))
}

/// `name(integer, other => text)`, as messages have it.
fn func_signature_string(catalog: Catalog<'_>, call: &FuncCall<'_>) -> String {
    let positional = call.arguments.len() - call.names.len();
    let arguments = call.arguments.iter().enumerate().map(|(place, argument)| {
        let ty = catalog.format_type(argument.ty);
        match place.checked_sub(positional) {
            Some(named) => format!("{} => {ty}", call.names[named]),
            None => ty,
        }
    });
    format!("{}({})", call.name, arguments.collect::<Vec<_>>().join(", "))
}
