//! What may be written around a call, by the kind of what is called: aggregates, window functions, procedures (the checks of
//! PostgreSQL's `ParseFuncOrColumn`).

use catalog::Catalog;
use catalog::catalogs::PgProc;
use error::sqlstate;
use types::error::{Error, Result};
use types::{Oid, oid};

use crate::parse_coerce::select_common_type;
use crate::parse_func::{FUNC_MAX_ARGS, FuncCall};

/// What is written around a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decoration {
    /// `name(*)`.
    pub star: bool,
    pub distinct: bool,
    pub within_group: bool,
    pub filter: bool,
    pub over: bool,
    /// The expressions of ORDER BY, in the call or in WITHIN GROUP.
    pub order_by: usize,
    /// CALL.
    pub procedure: bool,
}

fn wrong_object(message: String) -> Error {
    Error::new(sqlstate::WRONG_OBJECT_TYPE, message)
}

pub(crate) fn not_found(call: &FuncCall<'_>, signature: String) -> Error {
    let (what, hint) = match call.decoration {
        Decoration { order_by: 2.., within_group: false, .. } => (
            "function",
            "No aggregate function matches the given name and argument types. Perhaps you misplaced ORDER BY; ORDER BY \
             must appear after all regular arguments of the aggregate.",
        ),
        Decoration { procedure: true, .. } => (
            "procedure",
            "No procedure matches the given name and argument types. You might need to add explicit type casts.",
        ),
        _ => (
            "function",
            "No function matches the given name and argument types. You might need to add explicit type casts.",
        ),
    };
    Error::new(sqlstate::UNDEFINED_FUNCTION, format!("{what} {signature} does not exist")).hint(hint)
}

pub(crate) fn ambiguous(call: &FuncCall<'_>, signature: String) -> Error {
    let what = if call.decoration.procedure { "procedure" } else { "function" };
    Error::new(sqlstate::AMBIGUOUS_FUNCTION, format!("{what} {signature} is not unique"))
        .hint(format!("Could not choose a best candidate {what}. You might need to add explicit type casts."))
}

fn no_procedure(signature: String) -> Error {
    wrong_object(format!("{signature} is not a procedure")).hint("To call a function, use SELECT.")
}

/// A conversion that is written as a call has nothing around it.
pub(crate) fn check_coercion(call: &FuncCall<'_>, signature: impl Fn() -> String) -> Result<()> {
    if call.decoration.procedure {
        return Err(no_procedure(signature()));
    }
    check_plain(call)
}

/// What is called is neither an aggregate nor a window function.
fn check_plain(call: &FuncCall<'_>) -> Result<()> {
    let (name, decoration) = (call.name, call.decoration);
    let clause = match decoration {
        Decoration { star: true, .. } => {
            return Err(wrong_object(format!("{name}(*) specified, but {name} is not an aggregate function")));
        }
        Decoration { distinct: true, .. } => "DISTINCT",
        Decoration { within_group: true, .. } => "WITHIN GROUP",
        Decoration { order_by: 1.., .. } => "ORDER BY",
        Decoration { filter: true, .. } => "FILTER",
        Decoration { over: true, .. } => {
            let message = format!("OVER specified, but {name} is not a window function nor an aggregate function");
            return Err(wrong_object(message));
        }
        _ => return Ok(()),
    };
    Err(wrong_object(format!("{clause} specified, but {name} is not an aggregate function")))
}

/// The arguments of a hypothetical-set aggregate that are compared: the place of the first of the rows' and how many there
/// are; those that are aggregated follow them.
pub(crate) struct HypotheticalPairs {
    first: usize,
    count: usize,
}

impl HypotheticalPairs {
    /// Gives both arguments of each pair their common type.
    pub fn unify(&self, catalog: Catalog<'_>, call: &FuncCall<'_>, actual: &mut [Oid], declared: &[Oid]) -> Result<()> {
        for direct in self.first..self.first + self.count {
            let aggregated = direct + self.count;
            // What is declared otherwise is converted to that.
            if declared[direct] != oid::ANY {
                continue;
            }
            let pair = [call.arguments[aggregated], call.arguments[direct]];
            let (common, _) = select_common_type(catalog, &pair, "WITHIN GROUP")?;
            (actual[direct], actual[aggregated]) = (common, common);
        }
        Ok(())
    }
}

/// Whether what is called may be called so. `expanded` is the number of arguments that a variadic one stands for.
pub(crate) fn check_kind(
    catalog: Catalog<'_>,
    call: &FuncCall<'_>,
    function: &PgProc,
    expanded: usize,
    signature: impl Fn() -> String,
) -> Result<Option<HypotheticalPairs>> {
    let (name, decoration) = (call.name, call.decoration);
    match (function.prokind, decoration.procedure) {
        (b'p', false) => {
            let error = wrong_object(format!("{} is a procedure", signature()));
            return Err(error.hint("To call a procedure, use CALL."));
        }
        (b'f' | b'a' | b'w', true) => return Err(no_procedure(signature())),
        _ => {}
    }
    match function.prokind {
        b'a' => check_aggregate(catalog, call, function, expanded, signature),
        b'w' if !decoration.over => Err(wrong_object(format!("window function {name} requires an OVER clause"))),
        b'w' if decoration.within_group => {
            Err(wrong_object(format!("window function {name} cannot have WITHIN GROUP")))
        }
        b'w' => Ok(None),
        _ => check_plain(call).map(|()| None),
    }
}

fn check_aggregate(
    catalog: Catalog<'_>,
    call: &FuncCall<'_>,
    function: &PgProc,
    expanded: usize,
    signature: impl Fn() -> String,
) -> Result<Option<HypotheticalPairs>> {
    let (name, decoration) = (call.name, call.decoration);
    let Some(aggregate) = catalog.aggregate(function.oid) else {
        return Err(Error::new(
            sqlstate::INTERNAL_ERROR,
            format!("cache lookup failed for aggregate {}", function.oid),
        ));
    };
    if aggregate.aggkind == b'n' {
        return match decoration.within_group {
            true => {
                Err(wrong_object(format!("{name} is not an ordered-set aggregate, so it cannot have WITHIN GROUP")))
            }
            false => Ok(None),
        };
    }
    if !decoration.within_group {
        return Err(wrong_object(format!("WITHIN GROUP is required for ordered-set aggregate {name}")));
    }
    if decoration.over {
        return Err(Error::new(
            sqlstate::FEATURE_NOT_SUPPORTED,
            format!("OVER is not supported for ordered-set aggregate {name}"),
        ));
    }
    let plural = |count: usize| if count == 1 { "argument" } else { "arguments" };
    let undefined = |hint: String| {
        Err(Error::new(sqlstate::UNDEFINED_FUNCTION, format!("function {} does not exist", signature())).hint(hint))
    };
    let (given, aggregated) = (call.arguments.len(), decoration.order_by);
    let direct = given - aggregated;
    let declared_direct = aggregate.aggnumdirectargs as usize;
    let declared = given - expanded.saturating_sub(1);
    let both_variadic = function.provariadic != oid::INVALID && declared_direct >= declared;
    let hypothetical = aggregate.aggkind == b'h';
    if !both_variadic {
        if direct != declared_direct {
            return undefined(format!(
                "There is an ordered-set aggregate {name}, but it requires {declared_direct} direct {}, not {direct}.",
                plural(declared_direct)
            ));
        }
    } else if hypothetical {
        if expanded != 2 * aggregated {
            return undefined(format!(
                "To use the hypothetical-set aggregate {name}, the number of hypothetical direct arguments (here {}) must \
                 match the number of ordering columns (here {aggregated}).",
                expanded as i64 - aggregated as i64
            ));
        }
    } else if expanded <= aggregated {
        return undefined(format!(
            "There is an ordered-set aggregate {name}, but it requires at least {declared_direct} direct {}.",
            plural(declared_direct)
        ));
    }
    Ok(match direct.checked_sub(aggregated) {
        Some(first) if hypothetical => Some(HypotheticalPairs { first, count: aggregated }),
        _ => None,
    })
}

/// Whether an aggregate or a window function may have what is written around it, once its arguments are known to fit.
pub(crate) fn check_placement(call: &FuncCall<'_>, function: &PgProc) -> Result<()> {
    let (name, decoration) = (call.name, call.decoration);
    let is_aggregate = function.prokind == b'a';
    if !is_aggregate && function.prokind != b'w' {
        return Ok(());
    }
    let unsupported = |message: &str| Err(Error::new(sqlstate::FEATURE_NOT_SUPPORTED, message));
    let kind = if decoration.over { "window functions" } else { "aggregates" };
    if decoration.over && decoration.distinct {
        return unsupported("DISTINCT is not implemented for window functions");
    }
    if is_aggregate && call.arguments.len() > FUNC_MAX_ARGS - 1 {
        let message = format!("aggregates cannot have more than {} arguments", FUNC_MAX_ARGS - 1);
        return Err(Error::new(sqlstate::TOO_MANY_ARGUMENTS, message));
    }
    if is_aggregate && call.arguments.is_empty() && !decoration.star && !decoration.within_group {
        return Err(wrong_object(format!("{name}(*) must be used to call a parameterless aggregate function")));
    }
    if decoration.over && decoration.order_by > 0 {
        return unsupported("aggregate ORDER BY is not implemented for window functions");
    }
    if !is_aggregate && decoration.filter {
        return unsupported("FILTER is not implemented for non-aggregate window functions");
    }
    if function.proretset {
        return Err(Error::new(sqlstate::INVALID_FUNCTION_DEFINITION, format!("{kind} cannot return sets")));
    }
    if !decoration.over && !call.names.is_empty() {
        return unsupported("aggregates cannot use named arguments");
    }
    Ok(())
}
