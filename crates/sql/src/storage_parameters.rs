//! Storage parameters: `CREATE TABLE … WITH (fillfactor = 70, …)`, ALTER TABLE … SET, and those of indexes. They are
//! checked as PostgreSQL does, kept, and shown in `pg_class.reloptions`; they change nothing here: rows are updated in
//! place, and nothing vacuums by itself.

use datafusion::sql::sqlparser::ast::{BinaryOperator, Expr, SqlOption, UnaryOperator, Value};
use engine::settings::parse_bool;
use engine::{EngineError, Result};

use crate::ddl::ident;

/// What values a parameter takes.
enum Takes {
    Bool,
    Integer(i64, i64),
    Real(f64, f64),
    Cleanup,
}

const MOST: i64 = i32::MAX as i64;

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

/// Parameters of B-trees.
const BTREE: &[(&str, Takes, bool)] =
    &[("fillfactor", Takes::Integer(10, 100), false), ("deduplicate_items", Takes::Bool, false)];

/// A parameter as it is kept: its name and its value's text.
type Parameter = (String, String);

/// Checks parameters and gives them as they are kept. `oids = false` is no parameter any more, and allowed.
pub fn read(options: &[SqlOption]) -> Result<Vec<Parameter>> {
    let mut read: Vec<Parameter> = Vec::new();
    for option in options {
        let (name, value) = match option {
            SqlOption::KeyValue { key, value } => (ident(key), value_of(value)?),
            SqlOption::Ident(key) => (ident(key), "true".to_string()),
            other => return Err(EngineError::unsupported(format!("WITH ({other})"))),
        };
        if name == "oids" {
            match parse_bool(&value) {
                Some(false) => continue,
                _ => return Err(EngineError::new("0A000", "tables declared WITH OIDS are not supported")),
            }
        }
        add(&mut read, TABLE, name, value)?;
    }
    Ok(read)
}

/// Those of CREATE INDEX.
pub fn read_index(options: &[Expr]) -> Result<Vec<Parameter>> {
    let mut read = Vec::new();
    for option in options {
        let (name, value) = match option {
            Expr::BinaryOp { left, op: BinaryOperator::Eq, right } => (&**left, value_of(right)?),
            name => (name, "true".to_string()),
        };
        let Expr::Identifier(name) = name else {
            return Err(EngineError::unsupported(format!("WITH ({option})")));
        };
        add(&mut read, BTREE, ident(name), value)?;
    }
    Ok(read)
}

fn add(read: &mut Vec<Parameter>, known: &[(&str, Takes, bool)], name: String, value: String) -> Result<()> {
    check(known, &name, &value)?;
    if read.iter().any(|(known, _)| *known == name) {
        return Err(wrong(format!("parameter \"{name}\" specified more than once")));
    }
    read.push((name, value));
    Ok(())
}

/// SET: what is given replaces what was.
pub fn set(kept: &mut Vec<Parameter>, options: &[SqlOption]) -> Result<()> {
    let given = read(options)?;
    kept.retain(|(name, _)| !given.iter().any(|(new, _)| new == name));
    kept.extend(given);
    Ok(())
}

/// As the elements of `pg_class.reloptions`; NULL without any.
pub fn shown(kept: &[Parameter]) -> Option<Vec<String>> {
    (!kept.is_empty()).then(|| kept.iter().map(|(name, value)| format!("{name}={value}")).collect())
}

/// As a clause of a definition; nothing without any.
pub fn definition(kept: &[Parameter]) -> String {
    let shown: Vec<String> = kept
        .iter()
        .map(|(name, value)| {
            let plain = !value.is_empty() && value.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
            if plain { format!("{name}={value}") } else { format!("{name}='{}'", value.replace('\'', "''")) }
        })
        .collect();
    if shown.is_empty() { String::new() } else { format!(" WITH ({})", shown.join(", ")) }
}

fn wrong(message: String) -> EngineError {
    EngineError::new("22023", message)
}

fn value_of(value: &Expr) -> Result<String> {
    match value {
        Expr::Identifier(word) => Ok(ident(word)),
        Expr::Value(value) => match &value.value {
            Value::Number(number, _) => Ok(number.to_string()),
            Value::SingleQuotedString(text) => Ok(text.clone()),
            Value::Boolean(value) => Ok(value.to_string()),
            other => Err(EngineError::new("42601", format!("syntax error at or near \"{other}\""))),
        },
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => Ok(format!("-{}", value_of(expr)?)),
        other => Err(EngineError::new("42601", format!("syntax error at or near \"{other}\""))),
    }
}

fn check(known: &[(&str, Takes, bool)], name: &str, value: &str) -> Result<()> {
    let unknown = |name: &str| wrong(format!("unrecognized parameter \"{name}\""));
    let (toast, plain) = match name.split_once('.') {
        Some(("toast", plain)) => (true, plain),
        Some((namespace, _)) => return Err(wrong(format!("unrecognized parameter namespace \"{namespace}\""))),
        None => (false, name),
    };
    let found = known.iter().find(|(known, _, toasts)| *known == plain && (*toasts || !toast));
    let (_, takes, _) = found.ok_or_else(|| unknown(plain))?;
    let invalid = |kind: &str| wrong(format!("invalid value for {kind} option \"{plain}\": {value}"));
    let outside = |least: String, most: String| {
        wrong(format!("value {value} out of bounds for option \"{plain}\""))
            .detail(format!("Valid values are between \"{least}\" and \"{most}\"."))
    };
    match *takes {
        Takes::Bool => parse_bool(value).map(drop).ok_or_else(|| invalid("boolean")),
        Takes::Cleanup if value.eq_ignore_ascii_case("auto") || parse_bool(value).is_some() => Ok(()),
        Takes::Cleanup => Err(wrong(format!("invalid value for enum option \"{plain}\": {value}"))
            .detail("Valid values are \"on\", \"off\", and \"auto\".")),
        Takes::Integer(least, most) => {
            let number: f64 = value.parse().map_err(|_| invalid("integer"))?;
            let within = (least as f64..=most as f64).contains(&number.round_ties_even());
            if within { Ok(()) } else { Err(outside(least.to_string(), most.to_string())) }
        }
        Takes::Real(least, most) => {
            let number: f64 = value.parse().map_err(|_| invalid("floating point"))?;
            let within = (least..=most).contains(&number);
            if within { Ok(()) } else { Err(outside(format!("{least:.6}"), format!("{most:.6}"))) }
        }
    }
}
