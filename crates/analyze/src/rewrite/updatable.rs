//! Changes of views that are changes of their table (`rewriteTargetView`).

use error::sqlstate;
use types::{Error, Result};

use super::Rewriter;
use super::manip::{Replacement, change_relation, set_check_as_in_query};
use crate::query::*;
use crate::relations::{Attribute, CheckOption, Relation, RelationKind, Relations};

const NO_SINGLE_TABLE: &str = "Views that do not select from a single table or view are not automatically updatable.";

impl Rewriter<'_> {
    /// Puts the view's table in its place. `cascaded`: the views around check what those in them show.
    pub(super) fn update_view(
        &mut self,
        query: &mut Query,
        view: &Relation,
        given: &[i16],
        cascaded: &mut bool,
    ) -> Result<()> {
        let stored = self.relations.view_query(view.oid)?;
        self.depth += stored.depth;
        let mut definition = stored.query.clone();
        set_check_as_in_query(&mut definition, self.reader_in(view.oid));
        let definition = &definition;
        let stores = stores_values(query);
        let base = updatable_base(self.relations, definition, stores).map_err(|why| not_updatable(query, view, why))?;
        if stores {
            check_columns(query, definition, base, view, given)?;
        }
        let Some(result) = query.result_relation else { return Ok(()) };
        let columns = columns_over(definition, base, result);
        Replacement { relation: result, columns: &columns, may_lack: false }.in_query(query);
        for targets in changed_targets(query) {
            for target in targets.iter_mut().filter(|target| !target.junk) {
                if let Some(number) = base_column(&columns, target.number) {
                    target.number = number;
                }
            }
        }
        let given_columns = query.given_columns.iter();
        query.given_columns = given_columns.filter_map(|number| base_column(&columns, *number)).collect();
        let table = self.result_of(definition, base)?;
        self.replace_rows(query, definition, base, &table);
        // What the views above ask comes after what this one asks.
        let entry = &mut query.range_table[result.index()];
        let (mut security_conditions, is_read) = (std::mem::take(&mut entry.security_conditions), entry.is_read);
        if query.command != CommandType::Insert
            && let Some(condition) = &definition.join_tree.condition
        {
            let mut condition = condition.clone();
            change_relation(&mut condition, base, result);
            match view.security_barrier {
                true => security_conditions.insert(0, condition),
                false => add_condition(&mut query.join_tree.condition, condition),
            }
        }
        if stores {
            add_check_option(query, definition, base, view, cascaded);
        }
        query.has_sublinks |= definition.has_sublinks;
        let entry = &mut query.range_table[result.index()];
        let in_from = entry.in_from;
        *entry = RangeTableEntry { in_from, security_conditions, is_read, ..definition.entry(base).clone() };
        if query.command == CommandType::Insert
            && let RangeTableKind::Relation { inherited, .. } = &mut entry.kind
        {
            *inherited = false;
        }
        Ok(())
    }

    fn result_of(&self, definition: &Query, base: RangeTableIndex) -> Result<std::sync::Arc<Relation>> {
        match definition.entry(base).kind {
            RangeTableKind::Relation { oid, .. } => self.relation(oid),
            _ => Err(Error::new(sqlstate::INTERNAL_ERROR, "a view is of no table")),
        }
    }

    /// `excluded`, `old` and `new` have the table's columns.
    fn replace_rows(&self, query: &mut Query, definition: &Query, base: RangeTableIndex, table: &Relation) {
        let excluded = match query.on_conflict {
            Some(OnConflict { action: ConflictAction::Update { excluded, .. }, .. }) => Some(excluded),
            _ => None,
        };
        let ReturningRows { old, new } = query.returning_rows;
        for (row, may_lack) in [(excluded, false), (old, true), (new, true)] {
            let Some(row) = row else { continue };
            let columns = columns_over(definition, base, row);
            Replacement { relation: row, columns: &columns, may_lack }.in_query(query);
            let entry = &mut query.range_table[row.index()];
            entry.kind = RangeTableKind::Relation { oid: table.oid, inherited: false, sample: None };
            entry.columns = table.columns.iter().map(Attribute::column).collect();
        }
    }
}

/// What new rows have to satisfy so that a view shows them, if it or a view around it says so. What is in it comes first.
fn add_check_option(
    query: &mut Query,
    definition: &Query,
    base: RangeTableIndex,
    view: &Relation,
    cascaded: &mut bool,
) {
    let is_checked = *cascaded || view.check_option.is_some();
    *cascaded |= view.check_option == Some(CheckOption::Cascaded);
    let (Some(condition), Some(result)) = (&definition.join_tree.condition, query.result_relation) else { return };
    if is_checked {
        let mut condition = condition.clone();
        change_relation(&mut condition, base, result);
        let (kind, relation, policy) = (CheckKind::View, view.name.clone(), None);
        query.with_check_options.insert(0, WithCheckOption { kind, relation, policy, condition });
    }
}

/// The only table of a view that can be changed through it; or why not (`view_query_is_auto_updatable`).
pub(super) fn updatable_base(
    relations: &dyn Relations,
    view: &Query,
    stores: bool,
) -> std::result::Result<RangeTableIndex, &'static str> {
    if view.distinct != Distinct::None {
        return Err("Views containing DISTINCT are not automatically updatable.");
    }
    if !view.group_clause.is_empty() || !view.grouping_sets.is_empty() {
        return Err("Views containing GROUP BY are not automatically updatable.");
    }
    if view.having.is_some() {
        return Err("Views containing HAVING are not automatically updatable.");
    }
    if view.set_operations.is_some() {
        return Err("Views containing UNION, INTERSECT, or EXCEPT are not automatically updatable.");
    }
    if !view.ctes.is_empty() {
        return Err("Views containing WITH are not automatically updatable.");
    }
    if view.limit.is_some() || view.offset.is_some() {
        return Err("Views containing LIMIT or OFFSET are not automatically updatable.");
    }
    if view.has_aggregates {
        return Err("Views that return aggregate functions are not automatically updatable.");
    }
    if view.has_window_functions {
        return Err("Views that return window functions are not automatically updatable.");
    }
    if view.has_target_sets {
        return Err("Views that return set-returning functions are not automatically updatable.");
    }
    let [JoinTree::Relation(base)] = view.join_tree.from[..] else { return Err(NO_SINGLE_TABLE) };
    let RangeTableKind::Relation { oid, sample, .. } = &view.entry(base).kind else { return Err(NO_SINGLE_TABLE) };
    let kind = relations.relation_by_oid(*oid).map(|relation| relation.kind);
    if !matches!(kind, Some(RelationKind::Table | RelationKind::View)) {
        return Err(NO_SINGLE_TABLE);
    }
    if sample.is_some() {
        return Err("Views containing TABLESAMPLE are not automatically updatable.");
    }
    if stores && view.targets.iter().all(|target| column_not_updatable(target, base).is_some()) {
        return Err("Views that have no updatable columns are not automatically updatable.");
    }
    Ok(base)
}

/// The view's columns over its table's entry.
pub(super) fn columns_over(definition: &Query, base: RangeTableIndex, entry: RangeTableIndex) -> Vec<TargetEntry> {
    let mut columns = definition.targets.clone();
    columns.iter_mut().for_each(|target| change_relation(&mut target.expr, base, entry));
    columns
}

/// Does it give columns values?
fn stores_values(query: &Query) -> bool {
    match query.command {
        CommandType::Insert | CommandType::Update => true,
        CommandType::Merge => query
            .merge_actions
            .iter()
            .any(|action| matches!(action.action, MergeCommand::Insert { .. } | MergeCommand::Update { .. })),
        CommandType::Select | CommandType::Delete => false,
    }
}

/// The lists of what is stored.
fn changed_targets(query: &mut Query) -> Vec<&mut Vec<TargetEntry>> {
    let mut lists = Vec::new();
    if query.command != CommandType::Delete && query.command != CommandType::Merge {
        lists.push(&mut query.targets);
    }
    if let Some(OnConflict { action: ConflictAction::Update { targets, .. }, .. }) = &mut query.on_conflict {
        lists.push(targets);
    }
    for action in &mut query.merge_actions {
        if let MergeCommand::Insert { targets, .. } | MergeCommand::Update { targets } = &mut action.action {
            lists.push(targets);
        }
    }
    lists
}

/// The columns that get values.
pub(super) fn stored_columns(query: &mut Query) -> Vec<i16> {
    let targets = changed_targets(query).into_iter().flat_map(|targets| targets.iter());
    targets.filter(|target| !target.junk).map(|target| target.number).collect()
}

/// The table's column that a view's column is.
pub(super) fn base_column(columns: &[TargetEntry], number: i16) -> Option<i16> {
    match columns.iter().find(|target| target.number == number && !target.junk)?.expr {
        Expr::Var(var) => Some(var.attribute),
        _ => None,
    }
}

/// `view_col_is_auto_updatable`.
pub(super) fn column_not_updatable(target: &TargetEntry, base: RangeTableIndex) -> Option<&'static str> {
    if target.junk {
        return Some("Junk view columns are not updatable.");
    }
    match target.expr {
        Expr::Var(var) if var.relation == base && var.levels_up == 0 => match var.attribute {
            ..0 => Some("View columns that refer to system columns are not updatable."),
            0 => Some("View columns that return whole-row references are not updatable."),
            _ => None,
        },
        _ => Some("View columns that are not columns of their base relation are not updatable."),
    }
}

/// What is stored must be in columns of the table (`view_cols_are_auto_updatable`).
fn check_columns(
    query: &mut Query,
    definition: &Query,
    base: RangeTableIndex,
    view: &Relation,
    given: &[i16],
) -> Result<()> {
    let what = match query.command {
        CommandType::Insert => "insert into",
        CommandType::Update => "update",
        _ => "merge into",
    };
    let stored = stored_columns(query);
    let is_stored = |number: i16| stored.contains(&number) || given.contains(&number);
    for target in definition.targets.iter().filter(|target| is_stored(target.number)) {
        if let Some(why) = column_not_updatable(target, base) {
            let name = &view.columns[target.number as usize - 1].name;
            let message = format!("cannot {what} column \"{name}\" of view \"{}\"", view.name);
            return Err(Error::new(sqlstate::FEATURE_NOT_SUPPORTED, message).detail(why));
        }
    }
    Ok(())
}

/// `error_view_not_updatable`.
fn not_updatable(query: &Query, view: &Relation, why: &str) -> Error {
    let first = query.merge_actions.iter().find_map(|action| match action.action {
        MergeCommand::Insert { .. } => Some(CommandType::Insert),
        MergeCommand::Update { .. } => Some(CommandType::Update),
        MergeCommand::Delete => Some(CommandType::Delete),
        MergeCommand::Nothing => None,
    });
    let merge = query.command == CommandType::Merge;
    if merge && first.is_none() {
        return Error::unsupported(format_args!(
            "MERGE into view \"{}\", which is not automatically updatable",
            view.name
        ));
    }
    let (what, doing, trigger) = match first.unwrap_or(query.command) {
        CommandType::Insert => ("insert into", "inserting into", "INSERT"),
        CommandType::Delete => ("delete from", "deleting from", "DELETE"),
        _ => ("update", "updating", "UPDATE"),
    };
    let error = Error::new(sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE, format!("cannot {what} view \"{}\"", view.name))
        .detail(why);
    error.hint(match merge {
        true => format!("To enable {doing} the view using MERGE, provide an INSTEAD OF {trigger} trigger."),
        false => format!(
            "To enable {doing} the view, provide an INSTEAD OF {trigger} trigger or an unconditional ON {trigger} DO \
             INSTEAD rule."
        ),
    })
}

/// Both conditions hold (`AddQual`).
fn add_condition(condition: &mut Option<Expr>, more: Expr) {
    *condition = Some(match condition.take() {
        None => more,
        Some(known) => {
            let arguments = vec![known, more];
            Expr::BoolExpr(BoolExpr { operator: BoolOperator::And, arguments, location: Location::NONE })
        }
    });
}
