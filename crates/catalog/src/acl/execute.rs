//! Whether functions may be called by the role that a statement is run for (what `ExecInitFunc` and `ExecInitAgg` ask).

use error::sqlstate;
use types::acl::mode::EXECUTE;
use types::names::{ObjectAddress, PG_PROC};
use types::{Error, Oid, Result};

use crate::syscache::Catalog;

impl Catalog<'_> {
    /// Fails with 42501 where the role that sees the catalog may not call a function.
    pub fn require_execute(self, function: Oid) -> Result<()> {
        self.require_execute_as("function", function)
    }

    /// The same for an aggregate that groups rows: over a window it is a function.
    pub fn require_execute_of_aggregate(self, aggregate: Oid) -> Result<()> {
        self.require_execute_as("aggregate", aggregate)
    }

    fn require_execute_as(self, kind: &str, function: Oid) -> Result<()> {
        // What has no rights of its own is for all.
        let guarded = self.function(function).filter(|row| row.proacl.is_some());
        let (Some(row), Some(viewer)) = (guarded, self.viewer) else { return Ok(()) };
        let object = ObjectAddress { class: PG_PROC, oid: function, column: 0 };
        if viewer.roles(self).may(viewer.role, object, EXECUTE) {
            return Ok(());
        }
        let message = format!("permission denied for {kind} {}", row.proname);
        Err(Error::new(sqlstate::INSUFFICIENT_PRIVILEGE, message))
    }
}
