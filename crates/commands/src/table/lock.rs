//! LOCK TABLE: PostgreSQL's `lockcmds.c`. A view is locked with what its query reads, as its owner may lock that.

use std::sync::Arc;

use ::error::sqlstate;
use analyze::relations::{Relation, RelationKind, Relations};
use analyze::rewrite::reader_in;
use engine::{EngineError, Result};
use session::errors::reported;
use session::{ParsedStatement, Reply, Session, done, views};
use syntax::nodes::{LockStmt, Node, RangeVar};
use syntax::with_stack_for;
use txn::{LockMode, LockTag};
use types::Oid;
use types::acl::mode::*;

use crate::copy;

/// PostgreSQL's numbers of lock modes.
const MODES: [LockMode; 8] = [
    LockMode::AccessShare,
    LockMode::RowShare,
    LockMode::RowExclusive,
    LockMode::ShareUpdateExclusive,
    LockMode::Share,
    LockMode::ShareRowExclusive,
    LockMode::Exclusive,
    LockMode::AccessExclusive,
];

/// How relations are to be locked.
#[derive(Clone, Copy)]
struct Wanted {
    mode: LockMode,
    nowait: bool,
}

pub async fn run(session: &mut Session, statement: &ParsedStatement, lock: &LockStmt) -> Result<Reply> {
    session.require_block("LOCK TABLE")?;
    let number = usize::try_from(lock.mode - 1).ok();
    let mode = *number.and_then(|number| MODES.get(number)).unwrap_or(&LockMode::AccessExclusive);
    let wanted = Wanted { mode, nowait: lock.nowait };
    for relation in &lock.relations {
        let Node::RangeVar(name) = relation else { continue };
        let found = named(session, statement, name, wanted).await?;
        if found.kind == RelationKind::View {
            lock_in_view(session, &found, wanted).await?;
        }
    }
    Ok(done("LOCK TABLE"))
}

/// Locks what a name means, also after the wait for the lock.
async fn named(
    session: &mut Session,
    statement: &ParsedStatement,
    name: &RangeVar,
    wanted: Wanted,
) -> Result<Arc<Relation>> {
    let shown = match (name.schemaname.as_deref(), name.relname.as_deref().unwrap_or_default()) {
        (Some(schema), relation) => format!("{schema}.{relation}"),
        (None, relation) => relation.to_string(),
    };
    loop {
        let found = copy::find(session, statement, name)?;
        refuse_others(&found)?;
        check_permission(session, &found, None, wanted.mode)?;
        lock(session, &found, &shown, wanted).await?;
        session.show_changes();
        if copy::find(session, statement, name)?.oid == found.oid {
            return Ok(found);
        }
    }
}

/// Only tables and views are locked (`RangeVarCallbackForLockTable`).
fn refuse_others(relation: &Relation) -> Result<()> {
    let kind = match relation.kind {
        RelationKind::Table | RelationKind::View => return Ok(()),
        RelationKind::Sequence => "sequences",
        RelationKind::Index => "indexes",
        RelationKind::CompositeType => "composite types",
    };
    Err(EngineError::new(sqlstate::WRONG_OBJECT_TYPE, format!("cannot lock relation \"{}\"", relation.name))
        .detail(format!("This operation is not supported for {kind}.")))
}

/// Fails for a role that may not lock the relation (`LockTableAclCheck`); `None`: the session's.
fn check_permission(session: &mut Session, relation: &Relation, role: Option<Oid>, mode: LockMode) -> Result<()> {
    let mut privileges = UPDATE | DELETE | TRUNCATE | MAINTAIN;
    if mode == LockMode::AccessShare {
        privileges |= SELECT;
    }
    if mode.is_weak() {
        privileges |= INSERT;
    }
    let role = role.unwrap_or_else(|| session.environment().role());
    session.require_of(role, relation.oid, privileges)
}

/// Takes the lock; `shown` is what the statement calls the relation.
async fn lock(session: &mut Session, relation: &Relation, shown: &str, wanted: Wanted) -> Result<()> {
    let is_shared = session.environment().catalog().relation(relation.oid).is_some_and(|row| row.relisshared);
    let database = if is_shared { 0 } else { session.shared.database.0 };
    let tag = LockTag::Relation { database, oid: relation.oid };
    if !wanted.nowait {
        return session.lock(tag, wanted.mode).await;
    }
    match session.transaction().try_lock(tag, wanted.mode)? {
        true => Ok(()),
        false => Err(EngineError::new(
            sqlstate::LOCK_NOT_AVAILABLE,
            format!("could not obtain lock on relation \"{shown}\""),
        )),
    }
}

/// Locks the tables and views of a view that is locked, and what is in those views (`LockViewRecurse`). Each is the turn of the
/// view's owner.
async fn lock_in_view(session: &mut Session, view: &Arc<Relation>, wanted: Wanted) -> Result<()> {
    let mut locked = vec![view.oid];
    let mut to_lock = in_view(session, view)?;
    while let Some((relation, owner)) = to_lock.pop() {
        check_permission(session, &relation, owner, wanted.mode)?;
        if locked.contains(&relation.oid) {
            continue;
        }
        lock(session, &relation, &relation.name, wanted).await?;
        session.show_changes();
        locked.push(relation.oid);
        if relation.kind == RelationKind::View {
            to_lock.extend(in_view(session, &relation)?);
        }
    }
    Ok(())
}

/// The tables and views that a view's query names, the last one first, with the role that locks them: the view's owner, or the
/// session's (`None`).
fn in_view(session: &mut Session, view: &Relation) -> Result<Vec<(Arc<Relation>, Option<Oid>)>> {
    let environment = session.environment();
    let relations = environment.relations();
    let stored = relations.view_query(view.oid).map_err(|error| reported(error, ""))?;
    let mut oids = Vec::new();
    with_stack_for(stored.depth, || views::in_query(&stored.query, &mut oids));
    let owner = environment.catalog().relation(view.oid).and_then(reader_in);
    let found = oids.into_iter().rev().filter_map(|oid| relations.relation_by_oid(oid));
    let lockable = found.filter(|found| matches!(found.kind, RelationKind::Table | RelationKind::View));
    Ok(lockable.map(|relation| (relation, owner)).collect())
}
