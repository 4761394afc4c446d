//! Row security (PostgreSQL's `rowsecurity.c`): which rows of a table the policies let a role read and make.
//!
//! USING becomes conditions that a table's rows have to pass before the query's own are asked
//! ([`RangeTableEntry::security_conditions`]), WITH CHECK what new rows have to satisfy ([`Query::with_check_options`]). Permissive
//! policies give rows, each of them; restrictive ones take rows, each of them. Where no permissive one applies there is no row.
//!
//! # Invariants
//! * Each query has been expanded when its tables' policies are put into it, and nothing expands them again: queries in policies are
//!   expanded here.
//! * A policy is asked for the role that needs rights on its table ([`RangeTableEntry::check_as`]), and so is what its queries read.

use catalog::acl::Roles;
use catalog::catalogs::PgClass;
use catalog::{Catalog, FIRST_NORMAL_OBJECT_ID};
use error::sqlstate;
use types::{Datum, Error, Oid, Result, oid};

use super::Rewriter;
use super::manip::{change_relation, set_check_as};
use super::permissions::policy_permissions;
use super::view::{expand_in_sublinks_of, update_in_expr};
use crate::query::*;
use crate::relations::Policy;

/// What policies are for (`polcmd`).
const SELECT: u8 = b'r';
const INSERT: u8 = b'a';
const UPDATE: u8 = b'w';
const DELETE: u8 = b'd';
const ALL: u8 = b'*';

impl Rewriter<'_> {
    /// Puts the policies of a query's tables into it, but for entries of which nothing but columns is asked.
    pub(super) fn add_row_security(&mut self, query: &mut Query, ignored: &[Option<RangeTableIndex>]) -> Result<()> {
        for number in 1..=query.range_table.len() as u32 {
            let relation = RangeTableIndex(number);
            let RangeTableKind::Relation { oid, .. } = query.entry(relation).kind else { continue };
            if oid < FIRST_NORMAL_OBJECT_ID || ignored.contains(&Some(relation)) {
                continue;
            }
            let catalog = self.statement.catalog;
            let Some(row) = catalog.relation(oid).filter(|row| row.relrowsecurity) else { continue };
            if self.is_under_row_security(row, query.entry(relation).check_as)? {
                self.add_policies(query, relation, row)?;
            }
        }
        Ok(())
    }

    /// Do policies count for the role that needs rights on a table? Fails where the session does not want them to.
    fn is_under_row_security(&self, row: &PgClass, check_as: Option<Oid>) -> Result<bool> {
        let Some((roles, role)) = reader(self.statement.catalog, check_as) else { return Ok(true) };
        roles.applies_row_security(role, row, self.statement.row_security)
    }

    fn add_policies(&mut self, query: &mut Query, relation: RangeTableIndex, row: &PgClass) -> Result<()> {
        let policies = self.relations.policies(row.oid)?;
        let check_as = query.entry(relation).check_as;
        let reader = reader(self.statement.catalog, check_as);
        let applies = |policy: &&Policy| {
            let has = |wanted: &Oid| reader.is_some_and(|(roles, role)| roles.has_privileges_of(role, *wanted));
            policy.roles.first() == Some(&oid::INVALID) || policy.roles.iter().any(has)
        };
        let policies: Vec<&Policy> = policies.iter().filter(applies).collect();
        let (conditions, checks) = (Vec::new(), Vec::new());
        let mut added = Added { policies: &policies, relation, table: &row.relname, conditions, checks };
        added.of_query(query);
        let Added { mut conditions, mut checks, .. } = added;
        self.depth += policies.iter().map(|policy| policy.depth).max().unwrap_or(0);
        let exprs = conditions.iter_mut().chain(checks.iter_mut().map(|check| &mut check.condition));
        query.has_sublinks |= self.expand_policies(exprs.collect(), row, check_as)?;
        let entry = &mut query.range_table[relation.index()];
        entry.security_conditions.splice(0..0, conditions);
        query.with_check_options.splice(0..0, checks);
        Ok(())
    }

    /// Expands the queries in policies of a table; are there any?
    fn expand_policies(&mut self, mut exprs: Vec<&mut Expr>, row: &PgClass, check_as: Option<Oid>) -> Result<bool> {
        let has_sublink = |expr: &Expr| expr.contains(&mut |inner| matches!(inner, Expr::SubLink(_)));
        if !exprs.iter().any(|expr| has_sublink(expr)) {
            return Ok(false);
        }
        if self.active.contains(&row.oid) {
            let message = format!("infinite recursion detected in policy for relation \"{}\"", row.relname);
            return Err(Error::new(sqlstate::INVALID_OBJECT_DEFINITION, message));
        }
        self.active.push(row.oid);
        for expr in &mut exprs {
            self.statement.count_expression()?;
            update_in_expr(expr, self.relations);
            set_check_as(expr, check_as);
            self.policies.extend(policy_permissions(self.statement.catalog, self.relations, expr, check_as)?);
            expand_in_sublinks_of(expr, self)?;
        }
        self.active.pop();
        Ok(true)
    }
}

/// The role that needs rights, with what is known of roles; `None`: there is no session.
fn reader(catalog: Catalog<'_>, check_as: Option<Oid>) -> Option<(Roles<'_>, Oid)> {
    let viewer = catalog.viewer?;
    Some((viewer.roles(catalog), check_as.unwrap_or(viewer.role)))
}

/// What a table's policies add to a query.
struct Added<'a> {
    /// Those of the role, in the order in which they are asked.
    policies: &'a [&'a Policy],
    relation: RangeTableIndex,
    table: &'a str,
    conditions: Vec<Expr>,
    checks: Vec<WithCheckOption>,
}

/// Which expression of a policy new rows have to satisfy.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    /// WITH CHECK, or USING where there is none.
    Check,
    Using,
}

impl Added<'_> {
    /// `get_row_security_policies`.
    fn of_query(&mut self, query: &Query) {
        let is_result = query.result_relation == Some(self.relation);
        let command = if is_result { query.command } else { CommandType::Select };
        let is_read = query.entry(self.relation).is_read;
        match command {
            CommandType::Select => {
                // Rows that are locked have to be such as may be updated.
                if query.row_marks.iter().any(|mark| mark.relation == self.relation) {
                    self.add_conditions(UPDATE);
                }
                self.add_conditions(SELECT);
            }
            CommandType::Update | CommandType::Delete => {
                self.add_conditions(if command == CommandType::Update { UPDATE } else { DELETE });
                if is_read {
                    self.add_conditions(SELECT);
                }
                if command == CommandType::Update {
                    self.add_new_rows(CheckKind::Update, UPDATE, is_read);
                }
            }
            CommandType::Insert => {
                self.add_new_rows(CheckKind::Insert, INSERT, is_read);
                if let Some(OnConflict { action: ConflictAction::Update { .. }, .. }) = &query.on_conflict {
                    self.add_checks(CheckKind::Conflict, UPDATE, Of::Using);
                    if is_read {
                        self.add_checks(CheckKind::Conflict, SELECT, Of::Using);
                    }
                    self.add_new_rows(CheckKind::Update, UPDATE, is_read);
                }
            }
            CommandType::Merge => {
                if is_read {
                    self.add_conditions(SELECT);
                }
                self.add_checks(CheckKind::MergeUpdate, UPDATE, Of::Using);
                self.add_new_rows(CheckKind::Update, UPDATE, is_read);
                self.add_checks(CheckKind::MergeDelete, DELETE, Of::Using);
                self.add_new_rows(CheckKind::Insert, INSERT, is_read && !query.returning.is_empty());
            }
        }
    }

    /// What new rows have to satisfy; such rows as are read have to be visible, too.
    fn add_new_rows(&mut self, kind: CheckKind, command: u8, is_read: bool) {
        self.add_checks(kind, command, Of::Check);
        if is_read {
            self.add_checks(kind, SELECT, Of::Using);
        }
    }

    /// The policies for a command that are permissive, or restrictive ones (`get_policies_for_relation`).
    fn policies_for(&self, command: u8, permissive: bool) -> impl Iterator<Item = &Policy> {
        let is_for = move |policy: &&&Policy| {
            policy.permissive == permissive && (policy.command == ALL || policy.command == command)
        };
        let mut found: Vec<&Policy> = self.policies.iter().filter(is_for).copied().collect();
        if !permissive {
            found.sort_by(|one, other| one.name.cmp(&other.name));
        }
        found.into_iter()
    }

    /// What rows that are there have to satisfy (`add_security_quals`).
    fn add_conditions(&mut self, command: u8) {
        let permissive: Vec<Expr> =
            self.policies_for(command, true).filter_map(|policy| policy.using.clone()).collect();
        if permissive.is_empty() {
            self.conditions.push(no_row());
            return;
        }
        let restrictive = self.policies_for(command, false).filter_map(|policy| policy.using.clone());
        let all: Vec<Expr> = restrictive.chain([any(permissive)]).collect();
        for mut condition in all {
            change_relation(&mut condition, ENTRY, self.relation);
            if !self.conditions.contains(&condition) {
                self.conditions.push(condition);
            }
        }
    }

    /// `add_with_check_options`.
    fn add_checks(&mut self, kind: CheckKind, command: u8, of: Of) {
        let expr = |policy: &Policy| match of {
            Of::Using => policy.using.clone(),
            Of::Check => policy.with_check.clone().or_else(|| policy.using.clone()),
        };
        let check = |policy: Option<&Policy>, mut condition: Expr| {
            change_relation(&mut condition, ENTRY, self.relation);
            let policy = policy.map(|policy| policy.name.clone());
            WithCheckOption { kind, relation: self.table.to_string(), policy, condition }
        };
        let permissive: Vec<Expr> = self.policies_for(command, true).filter_map(expr).collect();
        if permissive.is_empty() {
            let none = check(None, no_row());
            self.checks.push(none);
            return;
        }
        let restrictive = self.policies_for(command, false);
        let restrictive = restrictive.filter_map(|policy| Some(check(Some(policy), expr(policy)?)));
        let all: Vec<WithCheckOption> = std::iter::once(check(None, any(permissive))).chain(restrictive).collect();
        for check in all {
            if !self.checks.contains(&check) {
                self.checks.push(check);
            }
        }
    }
}

/// The entry that a policy's table is in its expressions.
const ENTRY: RangeTableIndex = RangeTableIndex(1);

fn any(mut conditions: Vec<Expr>) -> Expr {
    match conditions.len() {
        1 => conditions.remove(0),
        _ => {
            let operator = BoolOperator::Or;
            Expr::BoolExpr(BoolExpr { operator, arguments: conditions, location: Location::NONE })
        }
    }
}

fn no_row() -> Expr {
    Expr::Const(Const { ty: TypeRef::of(oid::BOOL), value: Datum::Bool(false), location: Location::NONE })
}
