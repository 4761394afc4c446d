//! What a query needs of relations, and whether the role that runs it may (PostgreSQL's `ExecCheckPermissions`).
//!
//! What it needs is found when it is understood ([`analyze::rewrite::relation_permissions`]), and asked for before it is planned: where
//! it is refused, a plan may show that it is not needed. A query is understood with a version of the catalogs and a role ([`Environment`]), so it is asked once as long as both are
//! the same: a repeated statement asks nothing.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use analyze::rewrite::RelationPermissions;
use catalog::acl::{ColumnsOf, How, Roles, denied};
use catalog::object::ObjectAddress;
use engine::EngineError;
use plan::plan::{NamedRelation, PlannedStmt};
use types::acl::{AclMode, mode::*};
use types::names::PG_CLASS;
use types::{Oid, Result};

use crate::environment::Environment;
use crate::errors::reported;
use crate::session::Session;

/// What a query needs of relations, and the answer.
#[derive(Debug, Default)]
pub struct Permissions {
    pub relations: Vec<RelationPermissions>,
    checked: OnceLock<Result<()>>,
}

impl Permissions {
    pub fn new(relations: Vec<RelationPermissions>) -> Permissions {
        Permissions { relations, checked: OnceLock::new() }
    }

    /// Fails with 42501 where the role of the environment, with which the query was understood, may not run it.
    pub fn check(&self, environment: &Environment) -> Result<()> {
        self.checked.get_or_init(|| self.ask(environment.roles(), environment.role())).clone()
    }

    fn ask(&self, roles: Roles<'_>, role: Oid) -> Result<()> {
        let mut needed = self.relations.iter().filter(|needed| needed.required != 0);
        needed.try_for_each(|needed| check_relation(roles, role, needed))
    }

    /// May the role run a plan of the query? What is only read, and was left out before it was planned, needs no right.
    pub fn allow(&self, environment: &Environment, planned: &PlannedStmt) -> bool {
        let is_named = |needed: &RelationPermissions| {
            let named = NamedRelation { oid: needed.relation, check_as: needed.check_as };
            needed.is_target || planned.named.contains(&named)
        };
        let mut needed = self.relations.iter().filter(|needed| needed.required != 0 && is_named(needed));
        needed.all(|needed| check_relation(environment.roles(), environment.role(), needed).is_ok())
    }
}

/// Fails where a role may not do with a relation what is needed (`ExecCheckOneRelPerms`).
fn check_relation(roles: Roles<'_>, role: Oid, needed: &RelationPermissions) -> Result<()> {
    let role = needed.check_as.unwrap_or(role);
    let object = ObjectAddress { class: PG_CLASS, oid: needed.relation, column: 0 };
    // What is gone is told by others.
    let Some(found) = roles.mask(role, object, needed.required, How::All) else { return Ok(()) };
    let missing = needed.required & !found;
    if missing == 0 {
        return Ok(());
    }
    let by_columns = |mode: AclMode, columns: &BTreeSet<i16>| {
        let of = |columns| roles.may_by_columns(role, needed.relation, columns, mode);
        // A query that names no column needs any.
        missing & mode == 0
            || match columns.is_empty() {
                true => of(ColumnsOf::Any),
                false => {
                    columns.iter().all(|&number| of(if number == 0 { ColumnsOf::All } else { ColumnsOf::One(number) }))
                }
            }
    };
    let may = missing & !(SELECT | INSERT | UPDATE) == 0
        && by_columns(SELECT, &needed.selected)
        && by_columns(INSERT, &needed.inserted)
        && by_columns(UPDATE, &needed.updated);
    if may { Ok(()) } else { Err(denied(roles.catalog, object)) }
}

impl Session {
    /// Fails where the session may not do with a relation what a command needs.
    pub fn require_permissions(&mut self, needed: &RelationPermissions) -> engine::Result<()> {
        let environment = self.environment();
        check_relation(environment.roles(), environment.role(), needed).map_err(|error| reported(error, ""))
    }

    /// Fails where a role other than the session's may do none of this with a relation.
    pub fn require_of(&mut self, role: Oid, relation: Oid, mode: AclMode) -> engine::Result<()> {
        let environment = self.environment();
        let object = ObjectAddress { class: PG_CLASS, oid: relation, column: 0 };
        let may: Result<()> = environment.roles().require(role, object, mode);
        may.map_err(|error| EngineError { position: None, ..reported(error, "") })
    }
}
