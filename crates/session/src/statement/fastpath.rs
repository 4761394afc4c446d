//! Functions that clients call by their numbers, without a statement: PostgreSQL's `fastpath.c`.

use engine::{EngineError, Result};
use error::sqlstate;
use types::Oid;
use types::quote::quote_identifier;

use crate::portal::Portal;
use crate::session::{Reply, Session};
use crate::statement::parameter::Parameter;

/// A function that may be called (`fetch_fp_info`).
pub struct FastpathFunction {
    /// The types of its arguments.
    pub arguments: Vec<Oid>,
    /// A query that calls it.
    query: String,
}

impl Session {
    /// The function of this number.
    pub fn fastpath_function(&mut self, function: Oid) -> Result<FastpathFunction> {
        self.begin_implicit();
        let environment = self.environment();
        let catalog = environment.catalog();
        let missing =
            || EngineError::new(sqlstate::UNDEFINED_FUNCTION, format!("function with OID {function} does not exist"));
        let row = catalog.function(function).ok_or_else(missing)?;
        if row.prokind != b'f' || row.proretset {
            let message = format!("cannot call function \"{}\" via fastpath interface", row.proname);
            return Err(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, message));
        }
        let schema = catalog.namespace(row.pronamespace).map_or("pg_catalog", |schema| &*schema.nspname);
        let arguments: Vec<Oid> = row.proargtypes.to_vec();
        let places: Vec<String> = (1..=arguments.len()).map(|number| format!("${number}")).collect();
        let name = quote_identifier(&row.proname);
        let query = format!("SELECT {}.{name}({})", quote_identifier(schema), places.join(", "));
        Ok(FastpathFunction { arguments, query })
    }

    /// Calls it; the portal gives its result.
    pub async fn call_fastpath(&mut self, function: &FastpathFunction, arguments: &[Parameter]) -> Result<Portal> {
        let statement = self.parse(&function.query)?.pop();
        let prepared = self.prepare(statement, &function.arguments, false).await?;
        let broken = || EngineError::new(sqlstate::INTERNAL_ERROR, "a call of a function gives a row");
        let statement = prepared.statement.ok_or_else(broken)?;
        match self.run_prepared(&statement, arguments, None).await? {
            Reply::Rows(portal) => Ok(*portal),
            _ => Err(broken()),
        }
    }
}
