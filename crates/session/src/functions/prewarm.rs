//! `pg_prewarm()`: its arguments, and what it says about them.

use catalog::Catalog;
use catalog::acl::{How, Roles, denied};
use catalog::object::ObjectAddress;
use error::sqlstate;
use storage::RelationId;
use types::acl::mode::SELECT;
use types::names::PG_CLASS;
use types::session::Prewarm as Asked;
use types::{Error, Oid, Result};

use engine::Prewarm;

use crate::errors::report;
use crate::functions::sizes;
use crate::session::shared::Shared;

fn invalid(message: impl Into<String>) -> Error {
    Error::new(sqlstate::INVALID_PARAMETER_VALUE, message)
}

/// What is brought into memory may be read: of an index, its table.
fn require_select(shared: &Shared, relation: Oid) -> Result<()> {
    let asked = |roles: Roles<'_>, role| {
        let table = roles.catalog.index(relation).map_or(relation, |row| row.indrelid);
        let table = ObjectAddress { class: PG_CLASS, oid: table, column: 0 };
        match roles.mask(role, table, SELECT, How::Any) {
            Some(0) => Err(denied(roles.catalog, ObjectAddress { oid: relation, ..table })),
            // That there is none, the caller tells.
            _ => Ok(()),
        }
    };
    shared.with_roles(asked).map_err(report)?
}

/// Brings blocks of a relation into memory; gives how many.
pub async fn prewarm(shared: &Shared, asked: Asked<'_>) -> Result<i64> {
    let oid = asked.relation.ok_or_else(|| invalid("relation cannot be null"))?;
    let how = match asked.mode.ok_or_else(|| invalid("prewarm type cannot be null"))? {
        "prefetch" => Prewarm::Prefetch,
        "read" => Prewarm::Read,
        "buffer" => Prewarm::Buffer,
        _ => {
            let hint = "Valid prewarm types are \"prefetch\", \"read\", and \"buffer\".";
            return Err(invalid("invalid prewarm type").hint(hint));
        }
    };
    require_select(shared, oid)?;
    let fork = asked.fork.ok_or_else(|| invalid("relation fork cannot be null"))?;
    let (catalog, database) = (shared.catalog(), shared.database.0);
    let id = match catalog.database_by_oid(database).and_then(|database| sizes::file_of(database, oid)) {
        Some(file) => RelationId { database, file },
        None => {
            let found = catalog.database_by_oid(database).map_or(Catalog::BUILT_IN, |database| database.catalog());
            let Some(relation) = found.relation(oid) else {
                return Err(Error::new(sqlstate::UNDEFINED_TABLE, format!("could not open relation with OID {oid}")));
            };
            let message = format!("relation \"{}\" does not have storage", relation.relname);
            return Err(Error::new(sqlstate::WRONG_OBJECT_TYPE, message));
        }
    };
    let found = match fork {
        "main" => Some(shared.db.relation(id).map_err(report)?),
        "toast" => shared.db.relation_if_exists(id.toast()).map_err(report)?,
        "fsm" | "vm" | "init" => None,
        _ => {
            let hint = "Valid fork names are \"main\", \"fsm\", \"vm\", \"init\", and \"toast\".";
            return Err(invalid("invalid fork name").hint(hint));
        }
    };
    let relation = found.ok_or_else(|| invalid(format!("fork \"{fork}\" does not exist for this relation")))?;
    let last_block = i64::from(relation.blocks()) - 1;
    let within = |which: &str, block: Option<i64>, default: i64| match block {
        None => Ok(default),
        Some(block) if (0..=last_block).contains(&block) => Ok(block),
        Some(_) => Err(invalid(format!("{which} block number must be between 0 and {last_block}"))),
    };
    let first = within("starting", asked.first, 0)?;
    let last = within("ending", asked.last, last_block)?;
    if last < first {
        return Ok(0);
    }
    let blocks = first as u32..last as u32 + 1;
    let count = shared.db.prewarm(&shared.backend.io, &relation, how, blocks).await.map_err(report)?;
    Ok(count as i64)
}
