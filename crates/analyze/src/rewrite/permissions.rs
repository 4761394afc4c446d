//! What a role needs to run a query: a row for each relation that it names, PostgreSQL's `RTEPermissionInfo`. Analysis and rewriting
//! gather that there, here it is read off a query as it was written.
//!
//! What a view reads is its owner's to read, or the session's role's where the view says so (`security_invoker`). A view that is
//! changed needs what its table needs, of both.

use std::cell::RefCell;
use std::collections::BTreeSet;

use catalog::catalogs::PgClass;
use catalog::{Catalog, FIRST_NORMAL_OBJECT_ID};
use syntax::with_stack_for;
use types::acl::{AclMode, mode::*};
use types::{Oid, Result};

use super::updatable::{base_column, columns_over, updatable_base};
use crate::query::*;
use crate::relations::Relations;
use crate::transform::{Analyzed, STACK_OF_LEVEL};

/// What is done with a relation. Columns are numbers; 0 is the whole row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RelationPermissions {
    pub relation: Oid,
    pub required: AclMode,
    /// The statement changes it.
    pub is_target: bool,
    /// Who needs it; `None`: the role that runs the query.
    pub check_as: Option<Oid>,
    pub selected: BTreeSet<i16>,
    pub inserted: BTreeSet<i16>,
    pub updated: BTreeSet<i16>,
}

/// What a query that is not rewritten yet needs.
pub fn relation_permissions(
    catalog: Catalog<'_>,
    relations: &dyn Relations,
    analyzed: &Analyzed,
) -> Result<Vec<RelationPermissions>> {
    let gathering = Gathering { catalog, relations, found: RefCell::default(), views: RefCell::default() };
    with_stack_for(analyzed.depth * STACK_OF_LEVEL, || gathering.query(&analyzed.query, None, Asked::default()))?;
    Ok(gathering.found.into_inner())
}

/// What the queries in a policy need. Its own table is the business of the query that the policy is put into.
pub(super) fn policy_permissions(
    catalog: Catalog<'_>,
    relations: &dyn Relations,
    expr: &Expr,
    check_as: Option<Oid>,
) -> Result<Vec<RelationPermissions>> {
    let gathering = Gathering { catalog, relations, found: RefCell::default(), views: RefCell::default() };
    let level = Level { query: &Query::new(CommandType::Select), places: Vec::new(), outer: None };
    let failed = RefCell::new(Ok(()));
    let subquery = |inner: &Query| gathering.subquery(inner, &level, check_as, &failed);
    gathering.expr(expr, &level, &subquery);
    failed.into_inner().map(|()| gathering.found.into_inner())
}

/// Does a statement read columns of the table that it changes (`ACL_SELECT` among its `requiredPerms`)?
pub(super) fn reads_result(query: &Query, result: RangeTableIndex) -> bool {
    let ReturningRows { old, new } = query.returning_rows;
    let rows = [Some(result), old, new];
    let names_arbiter = query.on_conflict.as_ref().is_some_and(|conflict| conflict.arbiters.is_some());
    if names_arbiter || query.command == CommandType::Merge && changes(query) & SELECT != 0 {
        return true;
    }
    let query = query.without_columns_of_sides();
    walk_query(&query, &mut |expr| reads(expr, &rows, 0), &mut |inner| query_reads(inner, &rows, 1)) == Walk::Stop
}

fn query_reads(query: &Query, rows: &[Option<RangeTableIndex>], depth: u32) -> Walk {
    walk_query(query, &mut |expr| reads(expr, rows, depth), &mut |inner| query_reads(inner, rows, depth + 1))
}

fn reads(expr: &Expr, rows: &[Option<RangeTableIndex>], depth: u32) -> Walk {
    if let Expr::Var(var) = expr
        && var.levels_up == depth
        && rows.contains(&Some(var.relation))
    {
        return Walk::Stop;
    }
    if let Some(parts) = assigned_parts(expr) {
        let found = parts.into_iter().any(|part| reads(part, rows, depth) == Walk::Stop);
        return if found { Walk::Stop } else { Walk::On };
    }
    expr.walk(&mut |child| reads(child, rows, depth), &mut |query| query_reads(query, rows, depth + 1))
}

/// What is read to assign a part of a column: the column itself is not, as far as rights go.
fn assigned_parts(expr: &Expr) -> Option<Vec<&Expr>> {
    if !matches!(expr.assigned_into(), Some(Expr::Var(_))) {
        return None;
    }
    match expr {
        Expr::SubscriptingRef(part) => {
            Some(part.lower.iter().chain(&part.upper).flatten().chain(&part.assigned).collect())
        }
        Expr::FieldStore(part) => Some(vec![&part.value]),
        _ => None,
    }
}

struct Gathering<'a> {
    catalog: Catalog<'a>,
    relations: &'a dyn Relations,
    found: RefCell<Vec<RelationPermissions>>,
    /// The views that were looked into, and for which roles.
    views: RefCell<BTreeSet<(Oid, Option<Oid>, bool)>>,
}

/// How a query is looked at.
#[derive(Clone, Copy, Debug, Default)]
struct Asked {
    /// The role that needs what it needs.
    check_as: Option<Oid>,
    /// It is a view's, whose rows a query around it locks.
    locks: bool,
    /// Its table is changed in the view's place: what that needs is seen to elsewhere.
    changes: Option<RangeTableIndex>,
}

/// A query around others: which of what was found its entries are.
struct Level<'a> {
    query: &'a Query,
    places: Vec<Option<usize>>,
    outer: Option<&'a Level<'a>>,
}

impl Gathering<'_> {
    /// What a query needs.
    fn query(&self, query: &Query, outer: Option<&Level<'_>>, asked: Asked) -> Result<()> {
        let query = query.without_columns_of_sides();
        let places = self.entries(&query, asked);
        let level = Level { query: &query, places, outer };
        self.changed_columns(&level);
        let failed = RefCell::new(Ok(()));
        let subquery = |inner: &Query| self.subquery(inner, &level, asked.check_as, &failed);
        walk_query(&query, &mut |expr| self.expr(expr, &level, &subquery), &mut |inner| subquery(inner));
        failed.into_inner()?;
        self.views(&level, asked)
    }

    fn subquery(&self, query: &Query, outer: &Level<'_>, check_as: Option<Oid>, failed: &RefCell<Result<()>>) -> Walk {
        match self.query(query, Some(outer), Asked { check_as, ..Asked::default() }) {
            Ok(()) => Walk::On,
            Err(error) => {
                *failed.borrow_mut() = Err(error);
                Walk::Stop
            }
        }
    }

    /// A row for each relation among the entries of a query.
    fn entries(&self, query: &Query, asked: Asked) -> Vec<Option<usize>> {
        let excluded = match &query.on_conflict {
            Some(OnConflict { action: ConflictAction::Update { excluded, .. }, .. }) => Some(*excluded),
            _ => None,
        };
        // Their columns alone are asked for.
        let columns_alone = [excluded, query.returning_rows.old, query.returning_rows.new];
        let mut found = self.found.borrow_mut();
        let place = |(at, entry): (usize, &RangeTableEntry)| {
            let RangeTableKind::Relation { oid, .. } = entry.kind else { return None };
            let index = RangeTableIndex(at as u32 + 1);
            let mut required = match index {
                index if query.result_relation == Some(index) => changes(query),
                index if columns_alone.contains(&Some(index)) => 0,
                _ => SELECT,
            };
            if asked.locks || query.row_marks.iter().any(|mark| mark.relation == index) {
                required |= UPDATE;
            }
            let is_target = [query.result_relation, asked.changes].contains(&Some(index));
            let check_as = asked.check_as;
            found.push(RelationPermissions { relation: oid, required, is_target, check_as, ..Default::default() });
            Some(found.len() - 1)
        };
        query.range_table.iter().enumerate().map(place).collect()
    }

    /// The columns that a query gives values, and those by which ON CONFLICT finds rows.
    fn changed_columns(&self, level: &Level<'_>) {
        let query = level.query;
        let Some(place) = query.result_relation.and_then(|result| level.places[result.index()]) else { return };
        let mut found = self.found.borrow_mut();
        let target = &mut found[place];
        let numbers = |targets: &[TargetEntry]| -> Vec<i16> {
            targets.iter().filter(|target| !target.junk).map(|target| target.number).collect()
        };
        match query.command {
            CommandType::Insert => target.inserted.extend(numbers(&query.targets)),
            CommandType::Update => target.updated.extend(numbers(&query.targets)),
            _ => {}
        }
        for action in &query.merge_actions {
            match &action.action {
                MergeCommand::Insert { targets, .. } => target.inserted.extend(numbers(targets)),
                MergeCommand::Update { targets } => target.updated.extend(numbers(targets)),
                MergeCommand::Delete | MergeCommand::Nothing => {}
            }
        }
        let Some(conflict) = &query.on_conflict else { return };
        if let ConflictAction::Update { targets, .. } = &conflict.action {
            target.updated.extend(numbers(targets));
        }
        let named = conflict.arbiters.iter().flatten().filter_map(|index| self.catalog.index(*index));
        for index in named {
            target.required |= SELECT;
            target.selected.extend(index.indkey.iter().filter(|number| **number != 0));
        }
    }

    fn expr(&self, expr: &Expr, level: &Level<'_>, subquery: &dyn Fn(&Query) -> Walk) -> Walk {
        if let Expr::Var(var) = expr {
            self.select(var, level);
        }
        if let Some(parts) = assigned_parts(expr) {
            let found = parts.into_iter().any(|part| self.expr(part, level, subquery) == Walk::Stop);
            return if found { Walk::Stop } else { Walk::On };
        }
        expr.walk(&mut |child| self.expr(child, level, subquery), &mut |inner| subquery(inner))
    }

    /// A column is read (`markVarForSelectPriv`).
    fn select(&self, var: &Var, level: &Level<'_>) {
        let mut level = level;
        for _ in 0..var.levels_up {
            let Some(outer) = level.outer else { return };
            level = outer;
        }
        match (level.places.get(var.relation.index()), level.query.range_table.get(var.relation.index())) {
            (Some(Some(place)), _) => {
                let mut found = self.found.borrow_mut();
                found[*place].required |= SELECT;
                found[*place].selected.insert(var.attribute);
            }
            // Columns that a join merges are read by its condition, too.
            (_, Some(RangeTableEntry { kind: RangeTableKind::Join { .. }, .. })) if var.attribute == 0 => {
                self.select_sides(var.relation, level);
            }
            _ => {}
        }
    }

    /// The whole row of a join is that of both sides.
    fn select_sides(&self, join: RangeTableIndex, level: &Level<'_>) {
        let mut trees: Vec<&JoinTree> = level.query.join_tree.from.iter().collect();
        let mut sides = Vec::new();
        while let Some(tree) = trees.pop() {
            match tree {
                JoinTree::Join(found) if found.relation == join => sides.extend([&found.left, &found.right]),
                JoinTree::Join(found) => trees.extend([&found.left, &found.right]),
                JoinTree::From(from) => trees.extend(&from.from),
                JoinTree::Relation(_) => {}
            }
        }
        while let Some(tree) = sides.pop() {
            match tree {
                JoinTree::Join(found) => sides.extend([&found.left, &found.right]),
                JoinTree::From(from) => sides.extend(&from.from),
                JoinTree::Relation(index) => {
                    if let Some(place) = level.places[index.index()] {
                        self.found.borrow_mut()[place].selected.insert(0);
                    }
                }
            }
        }
    }

    /// What the views of a query need.
    fn views(&self, level: &Level<'_>, asked: Asked) -> Result<()> {
        for (at, place) in level.places.iter().enumerate() {
            let Some(place) = *place else { continue };
            let RelationPermissions { relation, required, .. } = self.found.borrow()[place];
            let is_users = relation >= FIRST_NORMAL_OBJECT_ID;
            let Some(row) = self.catalog.relation(relation).filter(|row| row.relkind == b'v' && is_users) else {
                continue;
            };
            let owner = reader_in(row);
            let index = RangeTableIndex(at as u32 + 1);
            if level.query.result_relation == Some(index) {
                self.changed_view(place, owner)?;
            } else if required != 0 && asked.changes != Some(index) {
                let marks = required & UPDATE != 0;
                if self.views.borrow_mut().insert((relation, owner, marks)) {
                    self.view(relation, Asked { check_as: owner, locks: marks, changes: None })?;
                }
            }
        }
        Ok(())
    }

    fn view(&self, view: Oid, asked: Asked) -> Result<()> {
        let stored = self.relations.view_query(view)?;
        with_stack_for(stored.depth * STACK_OF_LEVEL, || self.query(&stored.query, None, asked))
    }

    /// What a view needs that is changed: its table is changed by the same columns, and all is read that the view reads
    /// (`rewriteTargetView`).
    fn changed_view(&self, place: usize, owner: Option<Oid>) -> Result<()> {
        let of_view = self.found.borrow()[place].clone();
        let stored = self.relations.view_query(of_view.relation)?;
        // What cannot be changed is refused elsewhere.
        let Ok(base) = updatable_base(self.relations, &stored.query, false) else { return Ok(()) };
        let first = self.found.borrow().len();
        self.view(of_view.relation, Asked { check_as: owner, locks: false, changes: Some(base) })?;
        let columns = columns_over(&stored.query, base, base);
        let mapped = |numbers: &BTreeSet<i16>| -> BTreeSet<i16> {
            numbers.iter().filter_map(|number| base_column(&columns, *number)).collect()
        };
        // The entries of the view's query come first, and its table is the only one in FROM.
        let table = {
            let mut found = self.found.borrow_mut();
            let is_base = |row: &RelationPermissions| match stored.query.entry(base).kind {
                RangeTableKind::Relation { oid, .. } => oid == row.relation,
                _ => false,
            };
            let Some(at) = found[first..].iter().position(is_base) else { return Ok(()) };
            let table = &mut found[first + at];
            table.required = of_view.required;
            table.inserted = mapped(&of_view.inserted);
            table.updated = mapped(&of_view.updated);
            (first + at, table.relation)
        };
        match self.catalog.relation(table.1).filter(|row| row.relkind == b'v' && row.oid >= FIRST_NORMAL_OBJECT_ID) {
            Some(row) => self.changed_view(table.0, reader_in(row)),
            None => Ok(()),
        }
    }
}

/// The role that reads what a view reads; `None`: the one that runs the query, even for a view in another role's view.
pub fn reader_in(view: &PgClass) -> Option<Oid> {
    (!view.is_option_set("security_invoker")).then_some(view.relowner)
}

/// What changing rows needs.
fn changes(query: &Query) -> AclMode {
    let conflict = match &query.on_conflict {
        Some(OnConflict { action: ConflictAction::Update { .. }, .. }) => UPDATE,
        _ => 0,
    };
    let of_actions = query.merge_actions.iter().fold(0, |all, action| {
        all | match action.action {
            MergeCommand::Insert { .. } => INSERT,
            MergeCommand::Update { .. } => UPDATE,
            MergeCommand::Delete => DELETE,
            // It has to find rows.
            MergeCommand::Nothing => SELECT,
        }
    });
    match query.command {
        CommandType::Insert => INSERT | conflict,
        CommandType::Update => UPDATE,
        CommandType::Delete => DELETE,
        CommandType::Merge => of_actions,
        CommandType::Select => SELECT,
    }
}
