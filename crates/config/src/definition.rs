//! What a setting is: the values that it takes, which roles may change it and when, and what SHOW makes of a value.

use std::collections::HashMap;
use std::sync::LazyLock;

use error::{Error, Result, sqlstate};
use types::datetime::Zone;
use types::encoding::Encoding;

use crate::declared::{self, Facts};
use crate::unit::{MEMORY_UNITS, TIME_UNITS, Unit, general, general_or_whole, leading_number, parse_bool};
use crate::{date_style, strings};

/// What values a setting takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Bool,
    Integer {
        min: i64,
        max: i64,
        unit: Option<Unit>,
    },
    /// An integer, or `auto`.
    AutoInteger {
        min: i64,
        max: i64,
    },
    /// Pages of 8 KiB; or `auto`, which a server replaces by their number when it starts.
    AutoBlocks {
        min: i64,
        max: i64,
    },
    Real {
        min: f64,
        max: f64,
        unit: Option<Unit>,
    },
    Enum(&'static [&'static str]),
    String,
}

/// Which roles may change a setting, and when (`GucContext`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    Internal,
    Restart,
    Reload,
    /// When a connection starts, by superusers.
    SuperuserBackend,
    /// When a connection starts.
    Backend,
    Superuser,
    User,
}

impl Context {
    pub const ALL: [Context; 7] = [
        Context::Internal,
        Context::Restart,
        Context::Reload,
        Context::SuperuserBackend,
        Context::Backend,
        Context::Superuser,
        Context::User,
    ];

    /// `pg_settings.context`.
    pub fn name(self) -> &'static str {
        match self {
            Context::Internal => "internal",
            Context::Restart => "postmaster",
            Context::Reload => "sighup",
            Context::SuperuserBackend => "superuser-backend",
            Context::Backend => "backend",
            Context::Superuser => "superuser",
            Context::User => "user",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Definition {
    pub name: &'static str,
    pub kind: Kind,
    pub context: Context,
    pub default: &'static str,
    pub category: &'static str,
    pub description: &'static str,
}

/// Every setting, in the order of their names.
pub fn all() -> &'static [Definition] {
    &declared::ALL.0
}

/// Finds a setting; names are case-insensitive.
pub fn find(name: &str) -> Option<&'static Definition> {
    number(name).map(|n| &all()[n])
}

/// Names that settings had once.
const OLD_NAMES: &[(&str, &str)] =
    &[("sort_mem", "work_mem"), ("vacuum_mem", "maintenance_work_mem"), ("ssl_ecdh_curve", "ssl_groups")];

/// A setting's place among the definitions. Sessions ask for some with every statement.
pub fn number(name: &str) -> Option<usize> {
    static NUMBERS: LazyLock<HashMap<&'static str, usize, foldhash::fast::RandomState>> =
        LazyLock::new(|| all().iter().enumerate().map(|(n, d)| (d.name, n)).collect());
    NUMBERS.get(name).copied().or_else(|| {
        let now = OLD_NAMES.iter().find(|(old, _)| old.eq_ignore_ascii_case(name)).map_or(name, |(_, now)| now);
        all().iter().position(|d| d.name.eq_ignore_ascii_case(now))
    })
}

pub fn unknown(name: &str) -> Error {
    Error::new(sqlstate::UNDEFINED_OBJECT, format!("unrecognized configuration parameter \"{name}\""))
}

impl Definition {
    /// What else is known of it.
    pub fn facts(&self) -> &'static Facts {
        &declared::ALL.1[number(self.name).expect("a setting of ours")]
    }

    /// May a session change it: a superuser's, while the connection starts?
    pub fn may_change(&self, superuser: bool, starting: bool) -> Result<()> {
        let name = self.name;
        let refuse = |how: &str| {
            Err(Error::new(sqlstate::CANT_CHANGE_RUNTIME_PARAM, format!("parameter \"{name}\" cannot be {how}")))
        };
        match self.context {
            Context::Internal => refuse("changed"),
            Context::Restart => refuse("changed without restarting the server"),
            Context::Reload => refuse("changed now"),
            Context::Backend | Context::SuperuserBackend if !starting => refuse("set after connection start"),
            Context::Superuser | Context::SuperuserBackend if !superuser => Err(Error::new(
                sqlstate::INSUFFICIENT_PRIVILEGE,
                format!("permission denied to set parameter \"{name}\""),
            )),
            _ => Ok(()),
        }
    }

    /// May a session look at it?
    pub fn may_examine(&self, superuser: bool) -> Result<()> {
        if superuser || !self.facts().superuser_only {
            return Ok(());
        }
        Err(Error::new(sqlstate::INSUFFICIENT_PRIVILEGE, format!("permission denied to examine \"{}\"", self.name))
            .detail("Only roles with privileges of the \"pg_read_all_settings\" role may examine this parameter."))
    }

    pub fn vartype(&self) -> &'static str {
        match self.kind {
            Kind::Bool => "bool",
            Kind::Integer { .. } | Kind::AutoBlocks { .. } => "integer",
            Kind::AutoInteger { .. } | Kind::String => "string",
            Kind::Real { .. } => "real",
            Kind::Enum(_) => "enum",
        }
    }

    /// What its numbers count.
    pub fn unit(&self) -> Option<Unit> {
        match self.kind {
            Kind::Integer { unit, .. } | Kind::Real { unit, .. } => unit,
            Kind::AutoBlocks { .. } => Some(Unit::Blocks),
            _ => None,
        }
    }

    pub fn invalid(&self, value: &str) -> Error {
        Error::new(
            sqlstate::INVALID_PARAMETER_VALUE,
            format!("invalid value for parameter \"{}\": \"{value}\"", self.name),
        )
    }

    /// Checks a value and gives its canonical text: numbers in the setting's unit.
    pub fn parse(&self, value: &str) -> Result<String> {
        self.parse_beside(value, self.default)
    }

    /// The same, where a value may leave open what is as `now`.
    pub fn parse_beside(&self, value: &str, now: &str) -> Result<String> {
        let parsed = self.parse_kind(value, now)?;
        let facts = self.facts();
        if facts.among.as_ref().is_some_and(|among| !among.contains(&parsed.as_str())) {
            return Err(strings::does_not_exist(self.name, &parsed).unwrap_or_else(|| self.invalid(value)));
        }
        match &facts.only {
            Some(only) if !only.contains(&parsed.as_str()) => {
                let only: Vec<_> = only.iter().map(|value| format!("\"{value}\"")).collect();
                Err(Error::unsupported(format!("parameter \"{}\" with the value \"{parsed}\"", self.name))
                    .hint(format!("Supported: {}.", only.join(", "))))
            }
            _ => Ok(parsed),
        }
    }

    fn parse_kind(&self, value: &str, now: &str) -> Result<String> {
        match self.kind {
            Kind::Bool => match parse_bool(value) {
                Some(true) => Ok("on".into()),
                Some(false) => Ok("off".into()),
                None => Err(Error::new(
                    sqlstate::INVALID_PARAMETER_VALUE,
                    format!("parameter \"{}\" requires a Boolean value", self.name),
                )),
            },
            Kind::AutoInteger { .. } | Kind::AutoBlocks { .. } if value.trim().eq_ignore_ascii_case("auto") => {
                Ok("auto".into())
            }
            Kind::Integer { min, max, .. } | Kind::AutoInteger { min, max } | Kind::AutoBlocks { min, max } => {
                self.parse_integer(value, min, max, self.unit())
            }
            Kind::Real { min, max, unit } => {
                let number = self.parse_number(value, unit)?;
                if !(min..=max).contains(&number) {
                    return Err(self.out_of_range(number, min, max, unit));
                }
                Ok(general(number))
            }
            Kind::Enum(values) => {
                let spelled = |spelling: &str| spelling.eq_ignore_ascii_case(value);
                let also = self.facts().also.iter().find(|(spelling, _)| spelled(spelling)).map(|(_, value)| *value);
                let found = also.or_else(|| values.iter().copied().find(|v| spelled(v)));
                found.map(str::to_string).ok_or_else(|| {
                    let values: Vec<_> = values.iter().map(|v| if v.is_empty() { "\"\"" } else { v }).collect();
                    self.invalid(value).hint(format!("Available values: {}.", values.join(", ")))
                })
            }
            Kind::String => self.parse_string(value, now),
        }
    }

    fn parse_string(&self, value: &str, now: &str) -> Result<String> {
        match self.name {
            "client_encoding" => match Encoding::find(value) {
                Some(found) => found.map(|encoding| encoding.name.to_string()),
                None => Err(self.invalid(value)),
            },
            "DateStyle" => date_style::date_style_text(value, now),
            "TimeZone" => Zone::parse(value).map(|zone| zone.name().to_string()).ok_or_else(|| self.invalid(value)),
            _ => strings::check(self, value),
        }
    }

    fn parse_integer(&self, value: &str, min: i64, max: i64, unit: Option<Unit>) -> Result<String> {
        let rounded = self.parse_number(value, unit)?.round_ties_even();
        if !(f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&rounded) {
            return Err(self.invalid(value).hint("Value exceeds integer range."));
        }
        if rounded < min as f64 || rounded > max as f64 {
            return Err(self.out_of_range(rounded, min as f64, max as f64, unit));
        }
        Ok((rounded as i64).to_string())
    }

    /// A number with or without a unit, in the setting's unit.
    fn parse_number(&self, value: &str, unit: Option<Unit>) -> Result<f64> {
        let (number, suffix) = leading_number(value.trim()).ok_or_else(|| self.invalid(value))?;
        match (suffix.trim(), unit) {
            ("", _) => Ok(number),
            (_, None) => Err(self.invalid(value)),
            (suffix, Some(unit)) => {
                let (units, hint) = if unit.is_time() {
                    (TIME_UNITS, "Valid units for this parameter are \"us\", \"ms\", \"s\", \"min\", \"h\", and \"d\".")
                } else {
                    (MEMORY_UNITS, "Valid units for this parameter are \"B\", \"kB\", \"MB\", \"GB\", and \"TB\".")
                };
                let known = units.iter().find(|(name, _)| *name == suffix);
                let factor = known.ok_or_else(|| self.invalid(value).hint(hint))?.1;
                let number = number * factor / unit.factor();
                // A fraction is rounded to the next smaller unit.
                let smaller = units.iter().find(|(_, f)| *f < factor).map(|(_, f)| f / unit.factor());
                Ok(smaller.map_or(number, |smaller| (number / smaller).round_ties_even() * smaller))
            }
        }
    }

    fn out_of_range(&self, value: f64, min: f64, max: f64, unit: Option<Unit>) -> Error {
        let unit = unit.map(|u| format!(" {}", u.name())).unwrap_or_default();
        let text = |number: f64| match self.kind {
            Kind::Real { .. } => general(number),
            _ => format!("{number}"),
        };
        let (value, min, max) = (text(value), text(min), text(max));
        let message = format!(
            "{value}{unit} is outside the valid range for parameter \"{}\" ({min}{unit} .. {max}{unit})",
            self.name
        );
        Error::new(sqlstate::INVALID_PARAMETER_VALUE, message)
    }

    /// What `SHOW` prints: the largest unit that divides the value.
    pub fn show(&self, value: &str) -> String {
        if self.facts().octal {
            return value.parse::<u32>().map_or_else(|_| value.into(), |mode| format!("{mode:04o}"));
        }
        let Some(unit) = self.unit() else { return value.to_string() };
        let number = match value.parse::<f64>() {
            Ok(number) if number > 0.0 => number,
            _ => return value.to_string(),
        };
        let base = number * unit.factor();
        let units = if unit.is_time() { TIME_UNITS } else { MEMORY_UNITS };
        let (name, factor) = units.iter().find(|(_, f)| base % f == 0.0).unwrap_or(&units[units.len() - 1]);
        format!("{}{name}", general_or_whole(base / factor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(name: &str, value: &str) -> std::result::Result<String, String> {
        find(name).unwrap().parse(value).map_err(|e| e.message)
    }

    // The expected messages came from PostgreSQL 18.
    #[test]
    fn units_ranges_and_messages_are_postgresqls() {
        assert_eq!(parse("work_mem", "10MB").unwrap(), "10240");
        assert_eq!(parse("shared_buffers", "128MB").unwrap(), "16384");
        assert_eq!(parse("shared_buffers", "Auto").unwrap(), "auto");
        assert!(parse("shared_buffers", "64kB").is_err());
        assert_eq!(parse("statement_timeout", "1.5s").unwrap(), "1500");
        assert_eq!(
            parse("work_mem", "1kB").unwrap_err(),
            "1 kB is outside the valid range for parameter \"work_mem\" (64 kB .. 2147483647 kB)"
        );
        assert_eq!(parse("work_mem", "abc").unwrap_err(), "invalid value for parameter \"work_mem\": \"abc\"");
        assert!(find("work_mem").unwrap().parse("10mb").unwrap_err().hint.unwrap().starts_with("Valid units"));
        assert_eq!(parse("effective_io_concurrency", "auto").unwrap(), "auto");
        assert!(parse("effective_io_concurrency", "1001").is_err());
        assert_eq!(parse("io_method", "WORKER").unwrap(), "worker");
        assert_eq!(parse("standard_conforming_strings", "tru").unwrap(), "on");
    }

    #[test]
    fn show_uses_the_largest_unit() {
        let show = |name: &str, value: &str| find(name).unwrap().show(value);
        assert_eq!(show("shared_buffers", "16384"), "128MB");
        assert_eq!(show("shared_buffers", "auto"), "auto");
        assert_eq!(show("work_mem", "4096"), "4MB");
        assert_eq!(show("work_mem", "4097"), "4097kB");
        assert_eq!(show("checkpoint_timeout", "300"), "5min");
        assert_eq!(show("statement_timeout", "0"), "0");
    }

    #[test]
    fn every_default_is_valid() {
        for definition in all() {
            assert_eq!(definition.parse(definition.default).unwrap(), definition.default, "{}", definition.name);
        }
    }
}
