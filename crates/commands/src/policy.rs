//! CREATE and ALTER POLICY, and what ALTER TABLE says of row security: PostgreSQL's `policy.c`. Expressions are kept as trees.
//!
//! # Invariants
//! * A policy is changed by a session that has locked its table against all others.
//! * What its expressions refer to, `pg_depend` says, and which roles it names, `pg_shdepend` (deptype `r`).

use std::sync::Arc;

use ::error::sqlstate;
use analyze::query::Expr;
use analyze::relations::Relation;
use analyze::rewrite::stored::expression_of_policy;
use analyze::{ExprKind, analyze_condition};
use catalog::catalogs::{PgClass, PgDepend, PgPolicy, PgShdepend};
use catalog::facts::Name;
use catalog::object::ObjectChange;
use catalog::{Catalog, CatalogKey, FIRST_NORMAL_OBJECT_ID, Keyed};
use engine::{EngineError, NodeTree, ObjectAddress, Result};
use session::errors::reported;
use session::ownership::ObjectKind;
use session::{ParsedStatement, Reply, Session, done};
use syntax::nodes::{AlterPolicyStmt, AlterTableType, CreatePolicyStmt, Node, RangeVar, RoleSpecType};
use syntax::with_stack_for;
use txn::LockMode;
use types::names::{PG_CLASS, PG_POLICY};
use types::{Oid, oid};

use crate::acl;
use crate::object::{alter, deletion, dependency, object_address, stored};

/// What policies are for (`polcmd`).
const SELECT: u8 = b'r';
const INSERT: u8 = b'a';
const DELETE: u8 = b'd';

pub async fn create(session: &mut Session, statement: &ParsedStatement, create: &CreatePolicyStmt) -> Result<Reply> {
    const TAG: &str = "CREATE POLICY";
    session.require_writable(TAG)?;
    let name = create.policy_name.as_deref().unwrap_or_default();
    let Some(table) = &create.table else { return Err(EngineError::unsupported("this form of CREATE POLICY")) };
    let polcmd = command(create.cmd_name.as_deref().unwrap_or_default())?;
    if matches!(polcmd, SELECT | DELETE) && create.with_check.is_some() {
        return Err(syntax_error("WITH CHECK cannot be applied to SELECT or DELETE"));
    }
    refuse_using_of_insert(polcmd, create.qual.is_some())?;
    let polroles = roles(session, &create.roles).await?;
    let relation = lock_table(session, table).await?;
    let qual = condition(session, statement, &relation, create.qual.as_ref()).await?;
    let with_check = condition(session, statement, &relation, create.with_check.as_ref()).await?;
    refuse_taken(session, &relation, name)?;
    let row = PgPolicy {
        oid: session.db().new_oid(),
        polname: Name::Owned(name.into()),
        polrelid: relation.oid,
        polcmd,
        polpermissive: create.permissive,
        polroles,
        polqual: text_of(&qual),
        polwithcheck: text_of(&with_check),
    };
    put(session, row, [qual, with_check]);
    Ok(done(TAG))
}

/// What is not given stays.
pub async fn alter(session: &mut Session, statement: &ParsedStatement, alter: &AlterPolicyStmt) -> Result<Reply> {
    const TAG: &str = "ALTER POLICY";
    session.require_writable(TAG)?;
    let name = alter.policy_name.as_deref().unwrap_or_default();
    let Some(table) = &alter.table else { return Err(EngineError::unsupported("this form of ALTER POLICY")) };
    let polroles = match alter.roles.is_empty() {
        true => None,
        false => Some(roles(session, &alter.roles).await?),
    };
    let relation = lock_table(session, table).await?;
    let qual = condition(session, statement, &relation, alter.qual.as_ref()).await?;
    let with_check = condition(session, statement, &relation, alter.with_check.as_ref()).await?;
    let environment = session.environment();
    let row = find(environment.catalog(), &relation, name).ok_or_else(|| missing(&relation, name))?;
    if matches!(row.polcmd, SELECT | DELETE) && alter.with_check.is_some() {
        return Err(syntax_error("only USING expression allowed for SELECT, DELETE"));
    }
    refuse_using_of_insert(row.polcmd, alter.qual.is_some())?;
    let mut row = row.clone();
    let qual = qual.map_or_else(|| kept(session, &relation, &row.polqual), |tree| Ok(Some(tree)))?;
    let with_check = with_check.map_or_else(|| kept(session, &relation, &row.polwithcheck), |tree| Ok(Some(tree)))?;
    row.polroles = polroles.unwrap_or(row.polroles);
    (row.polqual, row.polwithcheck) = (text_of(&qual), text_of(&with_check));
    deletion::forget_references(session, address(row.oid));
    put(session, row, [qual, with_check]);
    Ok(done(TAG))
}

/// ALTER POLICY … RENAME TO (`rename_policy`).
pub async fn rename(session: &mut Session, table: &RangeVar, (old, new): (&str, &str)) -> Result<()> {
    let relation = lock_table(session, table).await?;
    refuse_taken(session, &relation, new)?;
    let environment = session.environment();
    let row = find(environment.catalog(), &relation, old).ok_or_else(|| missing(&relation, old))?;
    alter::change(session, address(row.oid), ObjectChange::Name(new));
    Ok(())
}

/// ENABLE, DISABLE, FORCE and NO FORCE ROW LEVEL SECURITY of a table that is locked.
pub fn set_row_security(session: &mut Session, table: Oid, command: AlterTableType) {
    let environment = session.environment();
    let Some(row) = environment.catalog().relation(table) else { return };
    let mut row = PgClass::clone(row);
    match command {
        AlterTableType::AT_EnableRowSecurity => row.relrowsecurity = true,
        AlterTableType::AT_DisableRowSecurity => row.relrowsecurity = false,
        AlterTableType::AT_ForceRowSecurity => row.relforcerowsecurity = true,
        _ => row.relforcerowsecurity = false,
    }
    let database = session.shared.database.0;
    session.transaction().put(database, row);
    session.show_changes();
}

/// A policy names a role no more (`RemoveRoleFromObjectPolicy`). `false`: it names no other, and has to be dropped.
pub async fn remove_role(session: &mut Session, policy: Oid, role: Oid) -> Result<bool> {
    let address = address(policy);
    object_address::lock(session, LockMode::AccessExclusive, |_| Ok::<_, EngineError>(address)).await?;
    let environment = session.environment();
    let Some(row) = environment.catalog().policy(policy) else { return Ok(true) };
    let polroles: Box<[Oid]> = row.polroles.iter().copied().filter(|&named| named != role).collect();
    if polroles.is_empty() {
        return Ok(false);
    }
    let database = session.shared.database.0;
    let transaction = session.transaction();
    transaction.put(database, PgPolicy { polroles, ..row.clone() });
    transaction.delete(database, CatalogKey::PgShdepend(PgShdepend::on_role(database, address, role, b'r').key()));
    session.show_changes();
    Ok(true)
}

fn syntax_error(message: &str) -> EngineError {
    EngineError::new(sqlstate::SYNTAX_ERROR, message)
}

/// `parse_policy_command`.
fn command(name: &str) -> Result<u8> {
    match name {
        "all" => Ok(b'*'),
        "select" => Ok(SELECT),
        "insert" => Ok(INSERT),
        "update" => Ok(b'w'),
        "delete" => Ok(DELETE),
        _ => Err(syntax_error("unrecognized policy command")),
    }
}

fn refuse_using_of_insert(polcmd: u8, has_using: bool) -> Result<()> {
    match polcmd == INSERT && has_using {
        true => Err(syntax_error("only WITH CHECK expression allowed for INSERT")),
        false => Ok(()),
    }
}

/// Whom a policy is for (`policy_role_list_to_array`). They are not dropped before the transaction ends.
async fn roles(session: &mut Session, nodes: &[Node]) -> Result<Box<[Oid]>> {
    let is_public =
        |node: &Node| matches!(node, Node::RoleSpec(role) if role.roletype == RoleSpecType::ROLESPEC_PUBLIC);
    if let Some(at) = nodes.iter().position(is_public) {
        // Names before it have to be there all the same.
        acl::grantees(session, &nodes[..at]).await?;
        if nodes.len() > 1 {
            let warning =
                EngineError::new(sqlstate::INVALID_PARAMETER_VALUE, "ignoring specified roles other than PUBLIC");
            session.notice("WARNING", warning.hint("All roles are members of the PUBLIC role."));
        }
        return Ok(Box::new([oid::INVALID]));
    }
    Ok(acl::grantees(session, nodes).await?.into())
}

/// The table of a policy, which the session's role owns, locked (`RangeVarCallbackForPolicy`).
async fn lock_table(session: &mut Session, table: &RangeVar) -> Result<Arc<Relation>> {
    let name = object_address::of_relation(table, None);
    let find = |session: &mut Session| {
        let found = alter::relation(session, ObjectKind::Table, &name)?;
        let environment = session.environment();
        match environment.catalog().relation(found.oid) {
            Some(row) if !matches!(row.relkind, b'r' | b'p') => {
                let message = format!("\"{}\" is not a table", row.relname);
                Err(EngineError::new(sqlstate::WRONG_OBJECT_TYPE, message))
            }
            _ => Ok(found),
        }
    };
    let found = object_address::lock(session, LockMode::AccessExclusive, find).await?;
    session.relation(found.oid)
}

/// What an expression of a policy means. What it refers to is locked as for any query, so that no session drops it before others
/// see the policy.
async fn condition(
    session: &mut Session,
    statement: &ParsedStatement,
    relation: &Arc<Relation>,
    node: Option<&Node>,
) -> Result<Option<NodeTree>> {
    let Some(node) = node else { return Ok(None) };
    loop {
        let environment = session.environment();
        let expr = session
            .analyze_kept(statement, |with| analyze_condition(with, node, relation, ExprKind::Policy, "POLICY"))?;
        let depth = statement.raw.depth;
        let tree = with_stack_for(depth * 2, || stored::expression(environment.catalog(), &expr, relation.oid));
        with_stack_for(depth, || drop(expr));
        let tree = tree.map_err(|error| reported(error, ""))?;
        dependency::hold(session, &tree.references).await?;
        if Arc::ptr_eq(&session.environment(), &environment) {
            return Ok(Some(tree));
        }
        // A transaction that was waited for may have changed what it means.
    }
}

/// An expression that a policy has already, with what it refers to.
fn kept(session: &mut Session, relation: &Relation, text: &Option<Name>) -> Result<Option<NodeTree>> {
    let Some(text) = text else { return Ok(None) };
    let environment = session.environment();
    let relations = environment.relations();
    let expr: Expr = expression_of_policy(text, Some(relation), &relations).map_err(|error| reported(error, ""))?;
    let references = dependency::of_expression(environment.catalog(), &expr, relation.oid);
    Ok(Some(NodeTree { text: (**text).into(), references }))
}

fn text_of(tree: &Option<NodeTree>) -> Option<Name> {
    tree.as_ref().map(|tree| Name::Owned((*tree.text).into()))
}

fn find<'a>(catalog: Catalog<'a>, relation: &Relation, name: &str) -> Option<&'a PgPolicy> {
    catalog.policies_of_relation(relation.oid).find(|row| row.polname == name)
}

fn missing(relation: &Relation, name: &str) -> EngineError {
    let message = format!("policy \"{name}\" for table \"{}\" does not exist", relation.name);
    EngineError::new(sqlstate::UNDEFINED_OBJECT, message)
}

fn refuse_taken(session: &mut Session, relation: &Relation, name: &str) -> Result<()> {
    let environment = session.environment();
    if find(environment.catalog(), relation, name).is_none() {
        return Ok(());
    }
    let message = format!("policy \"{name}\" for table \"{}\" already exists", relation.name);
    Err(EngineError::new(sqlstate::DUPLICATE_OBJECT, message))
}

/// Puts a policy, what its expressions refer to and the roles that it names.
fn put(session: &mut Session, policy: PgPolicy, exprs: [Option<NodeTree>; 2]) {
    let database = session.shared.database.0;
    let object = address(policy.oid);
    let table = ObjectAddress { class: PG_CLASS, oid: policy.polrelid, column: 0 };
    let references = exprs.iter().flatten().flat_map(|tree| &tree.references);
    let depends: Vec<PgDepend> = std::iter::once((table, b'a'))
        .chain(references.map(|on| (*on, b'n')))
        .map(|(on, deptype)| PgDepend::new(object, on, deptype))
        .collect();
    // PUBLIC is no role, and built-in roles stay.
    let roles = policy.polroles.iter().filter(|role| **role >= FIRST_NORMAL_OBJECT_ID);
    let shared: Vec<PgShdepend> = roles.map(|&role| PgShdepend::on_role(database, object, role, b'r')).collect();
    let transaction = session.transaction();
    transaction.put(database, policy);
    depends.into_iter().for_each(|row| transaction.put(database, row));
    shared.into_iter().for_each(|row| transaction.put(database, row));
    session.show_changes();
}

fn address(policy: Oid) -> ObjectAddress {
    ObjectAddress { class: PG_POLICY, oid: policy, column: 0 }
}
