//! Storage parameters, `WITH (fillfactor = 70, …)`, of tables and indexes, and parameters of columns and tablespaces: PostgreSQL's
//! `reloptions.c`. They are checked as PostgreSQL does, kept, and shown in `pg_class.reloptions` and its like. Those of VACUUM and autovacuum and `toast_tuple_target` are
//! followed; the others change nothing here: rows are updated in place.

use access::index::{Method, ParameterValues};
use config::parse_bool;
pub use engine::reloptions::{given, stored};
use engine::{EngineError, Result};
use error::sqlstate;
use session::def_elem;
use syntax::nodes::{DefElem, Node};

/// What values a parameter takes.
#[derive(Clone, Copy)]
enum Takes {
    Bool,
    Integer(i64, i64),
    Real(f64, f64),
    Cleanup,
    /// Operations in flight, or `auto`.
    Concurrency,
}

const MOST: i64 = i32::MAX as i64;
/// Of `effective_io_concurrency`.
const MAX_IO_CONCURRENCY: i64 = 1000;

/// Parameters of tables; those with `true` are their TOAST tables', too.
const TABLE: &[(&str, Takes, bool)] = &[
    ("autovacuum_enabled", Takes::Bool, true),
    ("user_catalog_table", Takes::Bool, false),
    ("vacuum_truncate", Takes::Bool, true),
    ("vacuum_index_cleanup", Takes::Cleanup, true),
    ("fillfactor", Takes::Integer(10, 100), false),
    ("toast_tuple_target", Takes::Integer(128, 8160), false),
    ("parallel_workers", Takes::Integer(0, 1024), false),
    ("autovacuum_vacuum_threshold", Takes::Integer(0, MOST), true),
    ("autovacuum_vacuum_max_threshold", Takes::Integer(-1, MOST), true),
    ("autovacuum_vacuum_insert_threshold", Takes::Integer(-1, MOST), true),
    ("autovacuum_analyze_threshold", Takes::Integer(0, MOST), false),
    ("autovacuum_vacuum_cost_limit", Takes::Integer(1, 10_000), true),
    ("autovacuum_freeze_min_age", Takes::Integer(0, 1_000_000_000), true),
    ("autovacuum_freeze_max_age", Takes::Integer(100_000, 2_000_000_000), true),
    ("autovacuum_freeze_table_age", Takes::Integer(0, 2_000_000_000), true),
    ("autovacuum_multixact_freeze_min_age", Takes::Integer(0, 1_000_000_000), true),
    ("autovacuum_multixact_freeze_max_age", Takes::Integer(10_000, 2_000_000_000), true),
    ("autovacuum_multixact_freeze_table_age", Takes::Integer(0, 2_000_000_000), true),
    ("log_autovacuum_min_duration", Takes::Integer(-1, MOST), true),
    ("autovacuum_vacuum_cost_delay", Takes::Real(0.0, 100.0), true),
    ("autovacuum_vacuum_scale_factor", Takes::Real(0.0, 100.0), true),
    ("autovacuum_vacuum_insert_scale_factor", Takes::Real(0.0, 100.0), true),
    ("autovacuum_analyze_scale_factor", Takes::Real(0.0, 100.0), false),
    ("vacuum_max_eager_freeze_failure_rate", Takes::Real(0.0, 1.0), true),
];

/// Parameters of columns: what ANALYZE says of their values, whatever it has found.
const ATTRIBUTE: &[(&str, Takes, bool)] =
    &[("n_distinct", Takes::Real(-1.0, f64::MAX), false), ("n_distinct_inherited", Takes::Real(-1.0, f64::MAX), false)];

/// Parameters of tablespaces. Ours is `auto`, as of the settings of these names.
const TABLESPACE: &[(&str, Takes, bool)] = &[
    ("seq_page_cost", Takes::Real(0.0, f64::MAX), false),
    ("random_page_cost", Takes::Real(0.0, f64::MAX), false),
    ("effective_io_concurrency", Takes::Concurrency, false),
    ("maintenance_io_concurrency", Takes::Concurrency, false),
];

/// A parameter as it is kept: its name and its value's text.
pub type Parameter = (String, String);

/// Whose parameters they are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Of {
    Table,
    /// What they are, the access method says.
    Index(Method),
    Attribute,
    Tablespace,
}

/// What CREATE says, checked. `oids = false` is no parameter any more, and allowed.
pub fn read(of: Of, options: &[Node]) -> Result<Vec<Parameter>> {
    let mut read: Vec<Parameter> = Vec::new();
    for option in elements(options) {
        let (name, value) = (full_name(of, option)?, value_of(option)?);
        if of == Of::Table && name == "oids" {
            match parse_bool(&value) {
                Some(false) => continue,
                _ => {
                    return Err(EngineError::new(
                        sqlstate::FEATURE_NOT_SUPPORTED,
                        "tables declared WITH OIDS are not supported",
                    ));
                }
            }
        }
        check(of, &name, &value)?;
        check_once(&read, &name, option)?;
        read.push((name, value));
    }
    Ok(read)
}

/// SET: what is given replaces what was.
pub fn set(of: Of, kept: &mut Vec<Parameter>, options: &[Node]) -> Result<()> {
    let mut given: Vec<Parameter> = Vec::new();
    for option in elements(options) {
        let (name, value) = (full_name(of, option)?, value_of(option)?);
        check(of, &name, &value)?;
        check_once(&given, &name, option)?;
        given.push((name, value));
    }
    kept.retain(|(known, _)| given.iter().all(|(name, _)| name != known));
    kept.extend(given);
    Ok(())
}

fn check_once(given: &[Parameter], name: &str, option: &DefElem) -> Result<()> {
    match given.iter().any(|(known, _)| known == name) {
        true => Err(wrong(format!("parameter \"{}\" specified more than once", def_elem::name(option)))),
        false => Ok(()),
    }
}

pub fn reset(of: Of, kept: &mut Vec<Parameter>, options: &[Node]) -> Result<()> {
    for option in elements(options) {
        if option.arg.is_some() {
            return Err(EngineError::new(sqlstate::SYNTAX_ERROR, "RESET must not include values for parameters"));
        }
        let name = full_name(of, option)?;
        kept.retain(|(known, _)| *known != name);
    }
    Ok(())
}

fn elements(options: &[Node]) -> impl Iterator<Item = &DefElem> {
    options.iter().filter_map(|option| match option {
        Node::DefElem(option) => Some(&**option),
        _ => None,
    })
}

fn full_name(of: Of, option: &DefElem) -> Result<String> {
    let name = def_elem::name(option);
    match option.defnamespace.as_deref() {
        None => Ok(name.to_string()),
        Some("toast") if of == Of::Table => Ok(format!("toast.{name}")),
        Some(other) => Err(wrong(format!("unrecognized parameter namespace \"{other}\""))),
    }
}

fn value_of(option: &DefElem) -> Result<String> {
    Ok(def_elem::text(option)?.unwrap_or_else(|| "true".into()))
}

fn wrong(message: String) -> EngineError {
    EngineError::new(sqlstate::INVALID_PARAMETER_VALUE, message)
}

/// What a parameter takes, if it is known; `toast`: of a TOAST table.
fn takes(of: Of, name: &str, toast: bool) -> Option<Takes> {
    let known = match of {
        Of::Table => TABLE,
        Of::Attribute => ATTRIBUTE,
        Of::Tablespace => TABLESPACE,
        Of::Index(method) => {
            let parameter = method.parameters().iter().find(|parameter| parameter.name == name && !toast)?;
            return Some(match parameter.takes {
                ParameterValues::Bool => Takes::Bool,
                ParameterValues::Integer(least, most) => Takes::Integer(least, most),
            });
        }
    };
    let found = known.iter().find(|(known, _, toasts)| *known == name && (*toasts || !toast));
    found.map(|(_, takes, _)| *takes)
}

fn check(of: Of, name: &str, value: &str) -> Result<()> {
    let unknown = |name: &str| wrong(format!("unrecognized parameter \"{name}\""));
    let (toast, plain) = match name.strip_prefix("toast.") {
        Some(plain) => (true, plain),
        None => (false, name),
    };
    let takes = takes(of, plain, toast).ok_or_else(|| unknown(plain))?;
    let invalid = |kind: &str| wrong(format!("invalid value for {kind} option \"{plain}\": {value}"));
    let outside = |least: String, most: String| {
        wrong(format!("value {value} out of bounds for option \"{plain}\""))
            .detail(format!("Valid values are between \"{least}\" and \"{most}\"."))
    };
    let within = |least: i64, most: i64| {
        let number: f64 = value.parse().map_err(|_| invalid("integer"))?;
        let within = (least as f64..=most as f64).contains(&number.round_ties_even());
        if within { Ok(()) } else { Err(outside(least.to_string(), most.to_string())) }
    };
    match takes {
        Takes::Bool => parse_bool(value).map(drop).ok_or_else(|| invalid("boolean")),
        Takes::Cleanup if value.eq_ignore_ascii_case("auto") || parse_bool(value).is_some() => Ok(()),
        Takes::Cleanup => Err(wrong(format!("invalid value for enum option \"{plain}\": {value}"))
            .detail("Valid values are \"on\", \"off\", and \"auto\".")),
        Takes::Concurrency if value == "auto" => Ok(()),
        Takes::Concurrency => within(0, MAX_IO_CONCURRENCY),
        Takes::Integer(least, most) => within(least, most),
        Takes::Real(least, most) => {
            let number: f64 = value.parse().map_err(|_| invalid("floating point"))?;
            let within = (least..=most).contains(&number);
            if within { Ok(()) } else { Err(outside(format!("{least:.6}"), format!("{most:.6}"))) }
        }
    }
}
