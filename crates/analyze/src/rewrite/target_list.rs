//! The targets of INSERT and UPDATE: defaults, identity columns, the columns' order (`rewriteTargetListIU` and
//! `rewriteValuesRTE`).

use error::sqlstate;
use types::{Datum, Error, Result, oid};

use super::Rewriter;
use crate::query::*;
use crate::relations::{Attribute, Identity, Relation, RelationKind};

/// The rows of INSERT … VALUES.
struct Values {
    entry: RangeTableIndex,
    /// By columns: every row has DEFAULT.
    only_defaults: Vec<bool>,
    /// By columns: a default has come instead, and nothing reads them.
    unused: Vec<bool>,
}

impl Rewriter<'_> {
    pub(super) fn rewrite_targets(&mut self, query: &mut Query, relation: &Relation) -> Result<()> {
        let overriding = query.overriding;
        match query.command {
            CommandType::Insert => {
                let mut values = find_values(query);
                let targets = std::mem::take(&mut query.targets);
                query.targets = self.insert_targets(targets, overriding, relation, values.as_mut())?;
                if let Some(values) = values {
                    self.values_defaults(query, relation, &values)?;
                }
                if let Some(OnConflict { action: ConflictAction::Update { targets, .. }, .. }) = &mut query.on_conflict
                {
                    *targets = self.update_targets(std::mem::take(targets), relation)?;
                }
            }
            CommandType::Update => {
                query.targets = self.update_targets(std::mem::take(&mut query.targets), relation)?;
            }
            CommandType::Merge => {
                for action in &mut query.merge_actions {
                    match &mut action.action {
                        MergeCommand::Insert { targets, overriding } => {
                            *targets = self.insert_targets(std::mem::take(targets), *overriding, relation, None)?;
                        }
                        MergeCommand::Update { targets } => {
                            *targets = self.update_targets(std::mem::take(targets), relation)?;
                        }
                        MergeCommand::Delete | MergeCommand::Nothing => {}
                    }
                }
            }
            CommandType::Select | CommandType::Delete => {}
        }
        Ok(())
    }

    /// A target for each column. A view lacks those that its table is to give defaults.
    fn insert_targets(
        &mut self,
        targets: Vec<TargetEntry>,
        overriding: Overriding,
        relation: &Relation,
        mut values: Option<&mut Values>,
    ) -> Result<Vec<TargetEntry>> {
        let mut given = by_column(targets, relation)?;
        let mut all = Vec::with_capacity(relation.columns.len());
        for (number, column) in (1..).zip(&relation.columns) {
            if column.dropped {
                all.push(TargetEntry::new(null(TypeRef::of(oid::INT4)), number, String::new()));
                continue;
            }
            let target = given.columns[number as usize - 1].take();
            let of_values =
                target.as_ref().and_then(|target| values.as_ref().and_then(|values| values.column(&target.expr)));
            let mut default = target.as_ref().is_none_or(|target| matches!(target.expr, Expr::SetToDefault(_)));
            let all_default = of_values.zip(values.as_ref()).is_some_and(|(at, values)| values.only_defaults[at]);
            default |= match (column.identity, overriding) {
                _ if default => false,
                (Some(_), Overriding::UserValue) => true,
                (Some(Identity::Always), Overriding::NotSet) if !all_default => {
                    return Err(not_default(column, "an identity column defined as GENERATED ALWAYS")
                        .hint("Use OVERRIDING SYSTEM VALUE to override."));
                }
                (Some(Identity::Always), Overriding::NotSet) => true,
                _ if column.generated && !all_default => return Err(not_default(column, "a generated column")),
                _ => column.generated,
            };
            if default && let (Some(at), Some(values)) = (of_values, values.as_mut()) {
                values.unused[at] = true;
            }
            let new = match default {
                false => target,
                true => self.default_target(relation, number)?,
            };
            match new {
                Some(target) => all.push(target),
                None if relation.kind == RelationKind::View => {}
                None => all.push(TargetEntry::new(null(column.ty), number, column.name.clone())),
            }
        }
        all.extend(given.junk);
        Ok(all)
    }

    fn default_target(&mut self, relation: &Relation, number: i16) -> Result<Option<TargetEntry>> {
        let default = self.relations.column_default(relation.oid, number)?;
        let name = || relation.columns[number as usize - 1].name.clone();
        Ok(default.map(|expr| TargetEntry::new((*expr).clone(), number, name())))
    }

    /// The targets that there are, in the columns' order.
    fn update_targets(&mut self, targets: Vec<TargetEntry>, relation: &Relation) -> Result<Vec<TargetEntry>> {
        let given = by_column(targets, relation)?;
        let mut all = Vec::new();
        for target in given.columns.into_iter().flatten() {
            let column = &relation.columns[target.number as usize - 1];
            let default = matches!(target.expr, Expr::SetToDefault(_));
            let what = match column.identity {
                Some(Identity::Always) => "an identity column defined as GENERATED ALWAYS",
                _ => "a generated column",
            };
            if !default && (column.identity == Some(Identity::Always) || column.generated) {
                let message = format!("column \"{}\" can only be updated to DEFAULT", column.name);
                return Err(Error::new(sqlstate::GENERATED_ALWAYS, message)
                    .detail(format!("Column \"{}\" is {what}.", column.name)));
            }
            if column.generated {
                continue;
            }
            if !default {
                all.push(target);
                continue;
            }
            let new = self.default_target(relation, target.number)?;
            all.push(new.unwrap_or_else(|| TargetEntry { expr: null(column.ty), ..target }));
        }
        all.extend(given.junk);
        Ok(all)
    }

    /// DEFAULT in the rows of VALUES (`rewriteValuesRTE`). What has none in a view, its table may have.
    fn values_defaults(&mut self, query: &mut Query, relation: &Relation, values: &Values) -> Result<()> {
        let mut columns: Vec<Option<i16>> = vec![None; values.unused.len()];
        for target in &query.targets {
            if let Some(at) = values.column(&target.expr) {
                columns[at] = Some(target.number);
            }
        }
        let mut defaults = Vec::with_capacity(columns.len());
        for number in &columns {
            defaults.push(match number {
                Some(number) => self.relations.column_default(relation.oid, *number)?,
                None => None,
            });
        }
        let RangeTableKind::Values { rows } = &mut query.range_table[values.entry.index()].kind else { return Ok(()) };
        for row in rows {
            for (at, value) in row.iter_mut().enumerate() {
                let Expr::SetToDefault(default) = value else { continue };
                if let Some(expr) = &defaults[at] {
                    *value = (**expr).clone();
                } else if relation.kind != RelationKind::View || values.unused[at] {
                    let ty = columns[at].map_or(default.ty, |number| relation.columns[number as usize - 1].ty);
                    *value = null(ty);
                }
            }
        }
        Ok(())
    }
}

impl Values {
    /// The column that a target takes as it is.
    fn column(&self, expr: &Expr) -> Option<usize> {
        match expr {
            Expr::Var(var) if var.relation == self.entry && var.levels_up == 0 => Some(var.attribute as usize - 1),
            _ => None,
        }
    }
}

fn find_values(query: &Query) -> Option<Values> {
    query.join_tree.from.iter().find_map(|tree| {
        let JoinTree::Relation(entry) = tree else { return None };
        let RangeTableKind::Values { rows } = &query.entry(*entry).kind else { return None };
        let width = rows.first().map_or(0, Vec::len);
        let default = |at: usize| rows.iter().all(|row| matches!(row[at], Expr::SetToDefault(_)));
        Some(Values { entry: *entry, only_defaults: (0..width).map(default).collect(), unused: vec![false; width] })
    })
}

/// Targets by their columns, and those that are none's.
struct ByColumn {
    columns: Vec<Option<TargetEntry>>,
    junk: Vec<TargetEntry>,
}

fn by_column(targets: Vec<TargetEntry>, relation: &Relation) -> Result<ByColumn> {
    let mut sorted = ByColumn { columns: vec![None; relation.columns.len()], junk: Vec::new() };
    for target in targets {
        if target.junk {
            sorted.junk.push(target);
            continue;
        }
        let place = &mut sorted.columns[target.number as usize - 1];
        *place = Some(match place.take() {
            None => target,
            Some(before) => merged(before, target)?,
        });
    }
    Ok(sorted)
}

/// Assignments to several parts of a column are one, of the later part into the value with the earlier one
/// (`process_matched_tle`).
fn merged(before: TargetEntry, mut after: TargetEntry) -> Result<TargetEntry> {
    let twice =
        || Error::new(sqlstate::SYNTAX_ERROR, format!("multiple assignments to same column \"{}\"", before.name));
    let mut bottom = before.expr.assigned_into().ok_or_else(twice)?;
    while let Some(deeper) = bottom.assigned_into() {
        bottom = deeper;
    }
    if after.expr.assigned_into() != Some(bottom) {
        return Err(twice());
    }
    match &mut after.expr {
        Expr::SubscriptingRef(part) => part.array = before.expr,
        Expr::FieldStore(part) => part.row = before.expr,
        _ => return Err(twice()),
    }
    Ok(after)
}

fn not_default(column: &Attribute, what: &str) -> Error {
    let message = format!("cannot insert a non-DEFAULT value into column \"{}\"", column.name);
    Error::new(sqlstate::GENERATED_ALWAYS, message).detail(format!("Column \"{}\" is {what}.", column.name))
}

fn null(ty: TypeRef) -> Expr {
    Expr::Const(Const { ty, value: Datum::Null, location: Location::NONE })
}
