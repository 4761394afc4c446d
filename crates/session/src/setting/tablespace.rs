//! Tablespaces by their names, as settings and commands ask for them.

use catalog::Scan;
use catalog::catalogs::PgTablespace;
use engine::{Catalog, EngineError, Result};
use error::sqlstate;
use types::Oid;

use crate::session::shared::Shared;

/// `pg_global`.
pub const GLOBAL: Oid = 1664;

pub fn missing(name: &str) -> EngineError {
    EngineError::new(sqlstate::UNDEFINED_OBJECT, format!("tablespace \"{name}\" does not exist"))
}

/// A tablespace by its name, built-in or not.
pub fn oid_of(catalog: &Catalog, name: &str) -> Option<Oid> {
    let built_in = PgTablespace::all().iter().find(|row| row.spcname == name).map(|row| row.oid);
    built_in.or_else(|| catalog.tablespace(name).map(|tablespace| tablespace.oid))
}

/// Fails for values of settings that name no tablespace.
pub fn check_setting(shared: &Shared, name: &str, value: &str) -> Result<()> {
    let is_missing = |name: &str| !name.is_empty() && oid_of(&shared.catalog(), name).is_none();
    if name.eq_ignore_ascii_case("default_tablespace") && is_missing(value) {
        let message = format!("invalid value for parameter \"default_tablespace\": \"{value}\"");
        return Err(EngineError::new(sqlstate::INVALID_PARAMETER_VALUE, message)
            .detail(format!("Tablespace \"{value}\" does not exist.")));
    }
    if name.eq_ignore_ascii_case("temp_tablespaces")
        && let Some(name) = value.split(',').map(|name| name.trim().trim_matches('"')).find(|name| is_missing(name))
    {
        return Err(missing(name));
    }
    Ok(())
}
