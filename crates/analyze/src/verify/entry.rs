//! Range tables, join trees and columns.

use types::{Oid, oid};

use super::node::of_type;
use super::{Checked, Level, Stage, Thorough, holds};
use crate::query::*;
use crate::relations::{Relation, RelationKind};
use crate::transform::SYSTEM_COLUMNS;

/// Is it a column of the relation, with its type? Columns of the system and the whole row are not looked at.
pub(super) fn is_column_of(var: &Var, relation: &Relation) -> bool {
    let Ok(number) = usize::try_from(var.attribute) else { return true };
    let Some(place) = number.checked_sub(1) else { return true };
    relation.columns.get(place).is_some_and(|column| !column.dropped && column.ty.oid == var.ty.oid)
}

pub(super) fn has_entry(query: &Query, relation: RangeTableIndex) -> bool {
    (1..=query.range_table.len()).contains(&(relation.0 as usize))
}

/// Fails unless the entries that a query names outside of expressions are there, each once in its trees.
pub(super) fn named_entries(level: &Level<'_>) -> Checked {
    let query = level.query;
    let (old, new) = (query.returning_rows.old, query.returning_rows.new);
    let others = query.row_marks.iter().map(|mark| mark.relation).chain(query.result_relation).chain(old).chain(new);
    let mut named = level.joined.iter().copied().chain(others).chain(excluded(query));
    if let Some(relation) = named.find(|relation| !has_entry(query, *relation)) {
        return Err(format!("no entry {}", relation.0));
    }
    let mut seen = vec![false; query.range_table.len()];
    level.joined.iter().try_for_each(|relation| {
        let before = std::mem::replace(&mut seen[relation.index()], true);
        holds(!before, || format!("entry {} is joined twice", relation.0))
    })
}

/// The entry that `excluded` is.
fn excluded(query: &Query) -> Option<RangeTableIndex> {
    match query.on_conflict.as_ref()?.action {
        ConflictAction::Update { excluded, .. } => Some(excluded),
        ConflictAction::Nothing => None,
    }
}

/// The entries of a query's join tree and of its set operations.
pub(super) fn entries_of_trees(query: &Query) -> Vec<RangeTableIndex> {
    let mut named = Vec::new();
    let mut trees: Vec<&JoinTree> = query.join_tree.from.iter().collect();
    while let Some(tree) = trees.pop() {
        match tree {
            JoinTree::Relation(relation) => named.push(*relation),
            JoinTree::From(from) => trees.extend(&from.from),
            JoinTree::Join(join) => {
                // A join of the planner's has no entry.
                named.extend((join.relation.0 != 0).then_some(join.relation));
                trees.extend([&join.left, &join.right]);
            }
        }
    }
    let mut operations: Vec<&SetOperation> = query.set_operations.iter().collect();
    while let Some(operation) = operations.pop() {
        match operation {
            SetOperation::Leaf(relation) => named.push(*relation),
            SetOperation::Node { left, right, .. } => operations.extend([&**left, &**right]),
        }
    }
    named
}

/// The query without what its preparation leaves in entries that no path reads any more.
pub(super) fn without_unread(query: &Query) -> Query {
    let mut read = query.clone();
    let joined = entries_of_trees(query);
    for (entry, number) in read.range_table.iter_mut().zip(1..) {
        let is_read = joined.contains(&RangeTableIndex(number)) || query.result_relation.is_some_and(|r| r.0 == number);
        match &mut entry.kind {
            RangeTableKind::Join { columns, .. } => columns.clear(),
            RangeTableKind::Subquery(subquery) => **subquery = Query::new(CommandType::Select),
            RangeTableKind::Function { functions, .. } if !is_read => functions.clear(),
            RangeTableKind::Values { rows } if !is_read => rows.clear(),
            _ => {}
        }
    }
    read
}

/// What entries say of themselves.
pub(super) fn entries(thorough: &Thorough<'_>, level: &Level<'_>) -> Checked {
    for (entry, number) in level.query.range_table.iter().zip(1..) {
        let relation = RangeTableIndex(number);
        entry_itself(thorough, level, relation)
            .map_err(|finding| format!("entry {number}, {}: {finding}", entry.name))?;
    }
    if thorough.stage != Stage::Preparation {
        joins(level.query)?;
    }
    Ok(())
}

fn entry_itself(thorough: &Thorough<'_>, level: &Level<'_>, number: RangeTableIndex) -> Checked {
    let entry = level.query.entry(number);
    let prepared = thorough.stage == Stage::Preparation;
    match &entry.kind {
        RangeTableKind::Relation { oid, .. } => relation(thorough, level, number, *oid),
        RangeTableKind::Subquery(_) | RangeTableKind::Join { .. } if prepared => Ok(()),
        RangeTableKind::Subquery(query) => {
            same_types(&entry.columns, query.visible_targets().map(|target| target.expr.ty()))
        }
        RangeTableKind::Join { merged, columns, .. } => {
            holds(*merged <= columns.len(), || "it merges more columns than it has")?;
            let shown = if thorough.stage == Stage::Analysis { entry.columns.len() } else { columns.len() };
            let shown = entry.columns.get(..shown).ok_or("it has more columns than are seen")?;
            same_types(shown, columns.iter().map(Expr::ty))
        }
        RangeTableKind::Function { functions, ordinality } => {
            let columns = functions.iter().map(|function| function.columns).sum::<usize>() + usize::from(*ordinality);
            let unread = prepared && functions.is_empty();
            holds(unread || columns == entry.columns.len(), || format!("its functions have {columns} columns"))?;
            let last = entry.columns.last().map(|column| column.ty.oid);
            holds(!ordinality || last == Some(oid::INT8), || "its rows are numbered by another type")
        }
        RangeTableKind::Values { rows } => rows.iter().try_for_each(|row| {
            holds(row.len() == entry.columns.len(), || format!("a row of {} values", row.len()))?;
            row.iter().zip(entry.columns.iter()).try_for_each(|(value, column)| match value {
                Expr::SetToDefault(_) => Ok(()),
                value => of_type(value, column.ty.oid, "a value"),
            })
        }),
        RangeTableKind::Cte { .. } if prepared => Ok(()),
        RangeTableKind::Cte { name, levels_up, self_reference } => {
            let found = level.up(*levels_up).and_then(|level| level.query.ctes.iter().find(|cte| cte.name == *name));
            let cte = found.ok_or_else(|| format!("no WITH query {name} {levels_up} queries further out"))?;
            holds(cte.recursive || !self_reference, || "it reads itself")?;
            same_types(&entry.columns, cte.columns.iter().map(|column| column.ty))
        }
        RangeTableKind::Result => Ok(()),
    }
}

fn relation(thorough: &Thorough<'_>, level: &Level<'_>, number: RangeTableIndex, oid: Oid) -> Checked {
    let relation = level.relations[number.index()].as_ref().ok_or_else(|| format!("no relation {oid}"))?;
    let is_view = relation.kind == RelationKind::View;
    holds(thorough.stage == Stage::Analysis || !is_view, || "a view after the rewriting")?;
    let columns = &level.query.entry(number).columns;
    holds(columns.len() == relation.columns.len(), || {
        format!("{} columns where the relation has others", columns.len())
    })?;
    let mut both = columns.iter().zip(&relation.columns).filter(|(_, column)| !column.dropped);
    let same = both.all(|(own, column)| own.ty == column.ty && own.collation.0 == column.collation);
    holds(same, || "its columns are not the relation's")
}

/// Fails unless columns have these types.
fn same_types(columns: &[Column], types: impl Iterator<Item = TypeRef>) -> Checked {
    let types: Vec<TypeRef> = types.collect();
    holds(columns.len() == types.len(), || format!("{} columns of {} values", columns.len(), types.len()))?;
    columns.iter().zip(types).zip(1..).try_for_each(|((column, ty), number)| {
        holds(column.ty == ty || column.ty.oid == oid::UNKNOWN, || {
            format!("column {number} is of type {:?}, its values of {ty:?}", column.ty)
        })
    })
}

/// Fails unless joins and their entries say the same.
fn joins(query: &Query) -> Checked {
    let mut trees: Vec<&JoinTree> = query.join_tree.from.iter().collect();
    while let Some(tree) = trees.pop() {
        match tree {
            JoinTree::Relation(relation) => {
                let is_join = matches!(query.entry(*relation).kind, RangeTableKind::Join { .. });
                holds(!is_join, || format!("entry {} is a join, and read as none", relation.0))?;
            }
            JoinTree::From(from) => trees.extend(&from.from),
            JoinTree::Join(join) => {
                let same = has_entry(query, join.relation)
                    && matches!(query.entry(join.relation).kind, RangeTableKind::Join { kind, .. } if kind == join.kind);
                holds(same, || format!("entry {} is not the join that it stands for", join.relation.0))?;
                trees.extend([&join.left, &join.right]);
            }
        }
    }
    Ok(())
}

impl Thorough<'_> {
    /// Fails unless a column is one of the entry of this query, with its type and collation.
    pub(super) fn column(&self, var: &Var, level: &Level<'_>) -> Checked {
        let entry = level.query.entry(var.relation);
        self.read(var, level).map_err(|finding| format!("entry {}, {}: {finding}", var.relation.0, entry.name))?;
        let missing = || format!("no column {} of type {} of entry {}", var.attribute, var.ty.oid, var.relation.0);
        if var.attribute < 0 {
            let mut system = SYSTEM_COLUMNS.iter();
            return holds(system.any(|(_, number, ty)| (*number, *ty) == (var.attribute, var.ty.oid)), missing);
        }
        let Some(place) = (var.attribute as usize).checked_sub(1) else {
            // What was a view has its row type still.
            let fits = match &level.relations[var.relation.index()] {
                Some(relation) => var.ty.oid == relation.row_type,
                None => self.known.catalog.is_complex(var.ty.oid),
            };
            return holds(fits || var.ty.oid == oid::RECORD, missing);
        };
        let ty = match &level.query.set_operations {
            // What reads a set operation reads its leftmost arm's columns, as the operation makes them.
            Some(SetOperation::Node { columns, .. }) => columns.get(place).copied(),
            _ => entry.columns.get(place).map(|column| column.ty),
        };
        let ty = ty.ok_or_else(missing)?;
        holds(ty == var.ty, || format!("{}: it is of type {ty:?}", missing()))
    }

    /// Fails where no row of an entry is read.
    fn read(&self, var: &Var, level: &Level<'_>) -> Checked {
        let query = level.query;
        let RangeTableEntry { kind, .. } = query.entry(var.relation);
        let is_join = matches!(kind, RangeTableKind::Join { .. });
        holds(!is_join || self.stage != Stage::Preparation, || "a join's column after its preparation")?;
        let rows = [query.result_relation, query.returning_rows.old, query.returning_rows.new, excluded(query)];
        let read = rows.contains(&Some(var.relation)) || level.joined.contains(&var.relation);
        holds(read, || "a column of an entry that is not joined")
    }
}
