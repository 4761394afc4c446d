//! DECLARE, FETCH, MOVE and CLOSE (PostgreSQL's `portalcmds.c`), and the session's cursors. Portals over queries that a client has
//! named in the protocol are cursors too: all have their names in one place, and are read in either way.

use std::sync::Arc;

use analyze::query::LockStrength;
use engine::{EngineError, Result};
use error::sqlstate;
use plan::plan::{Node as PlanNode, Plan};
use syntax::nodes::{ClosePortalStmt, DeclareCursorStmt, FetchDirection, FetchStmt, Node};

use crate::plan_cache::Column;
use crate::portal::cursor::{Cursor, Fetched, Scroll};
use crate::portal::{Portal, changed_result_type};
use crate::session::{Reply, Session, done};
use crate::statement::parameter::Parameter;
use crate::statement::parse::ParsedStatement;
use crate::statement::parse::is_query;
use crate::statement::prepared::Prepared;
use crate::statement::query::QueryText;

/// The bits of [`DeclareCursorStmt::options`].
mod option {
    pub const BINARY: i32 = 0x1;
    pub const SCROLL: i32 = 0x2;
    pub const NO_SCROLL: i32 = 0x4;
    pub const INSENSITIVE: i32 = 0x8;
    pub const ASENSITIVE: i32 = 0x10;
    pub const HOLD: i32 = 0x20;
}

/// FETCH ALL.
const ALL: i64 = i64::MAX;

impl Session {
    /// Reads the rows of cursors WITH HOLD before their transaction ends.
    pub(crate) async fn hold_cursors(&mut self) -> Result<()> {
        let holds =
            |(name, cursor): (&String, &Cursor)| (cursor.holdable && cursor.place.is_some()).then(|| name.clone());
        let names: Vec<String> = self.cursors.cursors.iter().filter_map(holds).collect();
        for name in names {
            let Some(mut cursor) = self.cursors.cursors.remove(&name) else { continue };
            let held = cursor.hold(self).await;
            self.cursors.cursors.insert(name, cursor);
            held?;
        }
        Ok(())
    }
}

impl Session {
    /// Fails where a cursor has a table or an index open, which a command is to change (`CheckTableNotInUse`).
    pub fn check_not_in_use(&self, relation: u32, name: &str, command: &str) -> Result<()> {
        if !self.cursors.open(relation) {
            return Ok(());
        }
        let message = format!("cannot {command} \"{name}\" because it is being used by active queries in this session");
        Err(EngineError::new(sqlstate::OBJECT_IN_USE, message))
    }
}

/// Named portals, as the protocol asks for them.
impl Session {
    /// Opens a portal over a statement that was prepared; `false`: it is no query, whose rows could be fetched.
    pub async fn open_portal(&mut self, name: &str, prepared: &Prepared, parameters: &[Parameter]) -> Result<bool> {
        let Some(statement) = prepared.statement.as_deref() else { return Ok(false) };
        if !matches!(statement.node(), Node::SelectStmt(_)) || !is_query(statement.node()) {
            return Ok(false);
        }
        self.cursors.may_add(name)?;
        self.begin_implicit();
        self.new_command();
        let ready = self.ready(QueryText::of(statement), parameters).await?;
        if !ready.plan.planned.modifying.is_empty() {
            return Ok(false);
        }
        let portal = self.start_leaving(&ready, &statement.text, 1)?;
        if !portal.gives(prepared.columns.as_deref()) {
            return Err(changed_result_type());
        }
        let cursor = Cursor::new(portal, ready.plan, Scroll::Forward, false, self.place())?;
        self.cursors.add(name, cursor, statement);
        Ok(true)
    }

    /// Whether there is such a cursor.
    pub fn has_portal(&self, name: &str) -> bool {
        self.cursors.cursors.contains_key(name)
    }

    /// The columns of a cursor; `None`: it is not there.
    pub fn describe_portal(&self, name: &str) -> Option<Arc<[Column]>> {
        self.cursors.cursors.get(name)?.columns()
    }

    /// The statement that made a cursor; `None`: it is not there.
    pub fn portal_text(&self, name: &str) -> Option<String> {
        self.cursors.facts.lock().get(name).map(|facts| facts.statement.clone())
    }

    /// The next rows of a cursor, at most so many; fewer where there are no more.
    pub async fn execute_portal(&mut self, name: &str, most: u64) -> Result<Portal> {
        let mut cursor = self.cursors.cursors.remove(name).ok_or_else(|| missing_portal(name))?;
        let rows = match cursor.forward(self, most).await {
            Ok(fetched) => cursor.rows(fetched).await,
            Err(error) => Err(error),
        };
        let rows = rows.map(|rows| cursor.portal_of(self, rows, ""));
        self.cursors.cursors.insert(name.into(), cursor);
        rows
    }

    /// Nothing is wrong if it is not there.
    pub fn close_portal(&mut self, name: &str) {
        self.cursors.remove(name);
    }
}

pub fn missing_portal(name: &str) -> EngineError {
    EngineError::new(sqlstate::UNDEFINED_CURSOR, format!("portal \"{name}\" does not exist"))
}

fn missing(name: &str) -> EngineError {
    EngineError::new(sqlstate::UNDEFINED_CURSOR, format!("cursor \"{name}\" does not exist"))
}

/// DECLARE.
pub(crate) async fn declare(
    session: &mut Session,
    statement: &ParsedStatement,
    declare: &DeclareCursorStmt,
    parameters: &[Parameter],
) -> Result<Reply> {
    let has = |bit| declare.options & bit != 0;
    let name = declare.portalname.as_deref().unwrap_or_default();
    let Some(query @ Node::SelectStmt(_)) = &declare.query else {
        return Err(EngineError::new(
            sqlstate::INVALID_CURSOR_DEFINITION,
            "DECLARE CURSOR must specify a SELECT statement",
        ));
    };
    check_scroll(declare.options)?;
    if !has(option::HOLD) {
        session.require_block("DECLARE CURSOR")?;
    }
    let ready = session.ready(QueryText::within(statement, query), parameters).await?;
    let locks = ready.source.analyzed.query.row_marks.first();
    if let Some(locks) = locks {
        check_locks(declare.options, locks.strength)?;
    }
    if !ready.plan.planned.modifying.is_empty() {
        return Err(EngineError::new(
            sqlstate::FEATURE_NOT_SUPPORTED,
            "DECLARE CURSOR must not contain data-modifying statements in WITH",
        ));
    }
    let scroll = match (has(option::SCROLL), has(option::NO_SCROLL)) {
        (true, _) => Scroll::Wanted,
        (_, true) => Scroll::Forward,
        _ if locks.is_none() && goes_back(&ready.plan.planned.plan) => Scroll::Possible,
        _ => Scroll::Forward,
    };
    session.cursors.may_add(name)?;
    let mut portal = session.start_leaving(&ready, &statement.text, 1)?;
    portal.is_binary = has(option::BINARY);
    let cursor = Cursor::new(portal, ready.plan, scroll, has(option::HOLD), session.place())?;
    session.cursors.add(name, cursor, statement);
    Ok(done("DECLARE CURSOR"))
}

/// Options that exclude each other (`transformDeclareCursorStmt`).
fn check_scroll(options: i32) -> Result<()> {
    let has = |bit| options & bit != 0;
    let both = |a: &str, b: &str| {
        Err(EngineError::new(sqlstate::INVALID_CURSOR_DEFINITION, format!("cannot specify both {a} and {b}")))
    };
    if has(option::SCROLL) && has(option::NO_SCROLL) {
        return both("SCROLL", "NO SCROLL");
    }
    if has(option::ASENSITIVE) && has(option::INSENSITIVE) {
        return both("ASENSITIVE", "INSENSITIVE");
    }
    Ok(())
}

/// Options that exclude FOR UPDATE.
fn check_locks(options: i32, strength: LockStrength) -> Result<()> {
    let has = |bit| options & bit != 0;
    let locks = match strength {
        LockStrength::KeyShare => "FOR KEY SHARE",
        LockStrength::Share => "FOR SHARE",
        LockStrength::NoKeyUpdate => "FOR NO KEY UPDATE",
        LockStrength::Update => "FOR UPDATE",
    };
    let refused = |code, message: String, which: &str| {
        Err(EngineError::new(code, message).detail(format!("{which} cursors must be READ ONLY.")))
    };
    if has(option::HOLD) {
        let message = format!("DECLARE CURSOR WITH HOLD ... {locks} is not supported");
        return refused(sqlstate::FEATURE_NOT_SUPPORTED, message, "Holdable");
    }
    if has(option::SCROLL) {
        return refused(
            sqlstate::FEATURE_NOT_SUPPORTED,
            format!("DECLARE SCROLL CURSOR ... {locks} is not supported"),
            "Scrollable",
        );
    }
    if has(option::INSENSITIVE) {
        let message = format!("DECLARE INSENSITIVE CURSOR ... {locks} is not valid");
        return refused(sqlstate::INVALID_CURSOR_DEFINITION, message, "Insensitive");
    }
    Ok(())
}

/// Would PostgreSQL run it backwards, though nobody said SCROLL (`ExecSupportsBackwardScan`)?
fn goes_back(plan: &Plan) -> bool {
    match &plan.node {
        PlanNode::Result { child, .. } => child.as_deref().is_some_and(goes_back),
        PlanNode::Append { children } => children.iter().all(goes_back),
        PlanNode::SeqScan(_)
        | PlanNode::IndexScan(_)
        | PlanNode::IndexOnlyScan(_)
        | PlanNode::BitmapHeapScan { .. }
        | PlanNode::TidScan { .. }
        | PlanNode::FunctionScan { .. }
        | PlanNode::ValuesScan { .. }
        | PlanNode::CteScan { .. }
        | PlanNode::Material { .. }
        | PlanNode::Sort { .. } => true,
        PlanNode::SubqueryScan { child, .. } | PlanNode::Limit { child, .. } => goes_back(child),
        _ => false,
    }
}

/// FETCH and MOVE.
pub(crate) async fn fetch(session: &mut Session, fetch: &FetchStmt) -> Result<Reply> {
    let name = fetch.portalname.as_deref().unwrap_or_default();
    // While it runs it is nobody else's.
    let mut cursor = session.cursors.cursors.remove(name).ok_or_else(|| missing(name))?;
    let fetched = run(session, &mut cursor, fetch).await;
    // What it gives is kept until it is done (`FillPortalStore`).
    let fetched = cursor.take_failure().map_or(fetched, Err);
    let reply = match fetched {
        Ok(fetched) if fetch.ismove => Ok(Reply::Done { tag: format!("MOVE {}", fetched.count()) }),
        Ok(fetched) => {
            let rows = cursor.rows(fetched).await;
            rows.map(|rows| Reply::Rows(Box::new(cursor.portal_of(session, rows, "FETCH"))))
        }
        Err(error) => Err(error),
    };
    session.cursors.cursors.insert(name.into(), cursor);
    reply
}

/// Moves to the rows that the client is told of.
async fn run(session: &mut Session, cursor: &mut Cursor, fetch: &FetchStmt) -> Result<Fetched> {
    use FetchDirection::*;
    let many = fetch.how_many;
    let count = if many == ALL { u64::MAX } else { many.unsigned_abs() };
    match fetch.direction {
        // Where nothing is to be fetched, the row that one is on is, again; MOVE only says whether there is one.
        FETCH_FORWARD | FETCH_BACKWARD | FETCH_RELATIVE if many == 0 => match fetch.ismove {
            true => Ok(cursor.here()),
            false => cursor.current(),
        },
        FETCH_FORWARD | FETCH_BACKWARD if (fetch.direction == FETCH_FORWARD) == (many > 0) => match fetch.ismove {
            true => cursor.pass(session, count).await,
            false => cursor.forward(session, count).await,
        },
        FETCH_FORWARD | FETCH_BACKWARD => cursor.backward(count),
        FETCH_ABSOLUTE => cursor.absolute(session, many).await,
        FETCH_RELATIVE => cursor.relative(session, many).await,
    }
}

/// CLOSE.
pub(crate) fn close(session: &mut Session, close: &ClosePortalStmt) -> Result<Reply> {
    let Some(name) = close.portalname.as_deref() else {
        session.cursors.clear();
        return Ok(done("CLOSE CURSOR ALL"));
    };
    session.cursors.remove(name).map(|_| done("CLOSE CURSOR")).ok_or_else(|| missing(name))
}

/// The columns of FETCH; `None` also where the cursor is not there, which is told when it is run.
pub fn result_columns(session: &Session, fetch: &FetchStmt) -> Option<Arc<[Column]>> {
    let name = fetch.portalname.as_deref().unwrap_or_default();
    let cursor = session.cursors.cursors.get(name).filter(|_| !fetch.ismove)?;
    cursor.columns()
}
