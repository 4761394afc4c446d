//! Every expression of a query made ready: constants folded, conditions in their normal form, sublinks with plans, values of
//! the queries around as parameters (PostgreSQL's `preprocess_expression`).

use analyze::query::*;
use types::Result;

use super::qual;
use crate::manip::{and_list, has_sublinks, is_true, make_and, mutate, take};
use crate::planner_info::{PlannerGlobal, PlannerInfo};
use crate::subselect;

/// Prepares all expressions of a query but those of its subqueries.
pub fn preprocess_all<'a>(global: &mut PlannerGlobal<'a>, root: &mut PlannerInfo<'a>) -> Result<()> {
    // The expressions are changed while others of the query's facts are looked at.
    let mut query = std::mem::replace(&mut root.query, Query::new(CommandType::Select));
    let work = &mut Preprocess { global, root, sublinks: query.has_sublinks, same: Vec::new() };
    let result = work.query(&mut query);
    root.query = query;
    result
}

struct Preprocess<'w, 'a> {
    global: &'w mut PlannerGlobal<'a>,
    root: &'w mut PlannerInfo<'a>,
    sublinks: bool,
    /// Sublinks of a grouped query and what came in their places: the same one has to be found among what is grouped by.
    same: Vec<(SubLink, Expr)>,
}

impl<'a> Preprocess<'_, 'a> {
    fn query(&mut self, query: &mut Query) -> Result<()> {
        let grouped = self.sublinks && !query.group_clause.is_empty();
        for target in &mut query.targets {
            self.grouped_value(&mut target.expr, grouped)?;
        }
        self.multi_parameters(&mut query.targets);
        self.checks(&mut query.with_check_options)?;
        self.targets(&mut query.returning)?;
        self.tree(&mut query.join_tree)?;
        if let Some(having) = &mut query.having
            && grouped
        {
            self.known_sublinks(having);
        }
        self.condition(&mut query.having)?;
        for window in &mut query.windows {
            for bound in [&mut window.frame.start, &mut window.frame.end] {
                if let FrameBound::Preceding(offset) | FrameBound::Following(offset) = bound {
                    self.value(offset)?;
                }
            }
        }
        for limit in [&mut query.offset, &mut query.limit].into_iter().flatten() {
            self.value(limit)?;
        }
        if let Some(OnConflict { action: ConflictAction::Update { targets, condition, .. }, .. }) =
            &mut query.on_conflict
        {
            self.targets(targets)?;
            self.multi_parameters(targets);
            self.condition(condition)?;
        }
        for action in &mut query.merge_actions {
            self.condition(&mut action.condition)?;
            if let MergeCommand::Insert { targets, .. } | MergeCommand::Update { targets } = &mut action.action {
                self.targets(targets)?;
                self.multi_parameters(targets);
            }
        }
        self.condition(&mut query.merge_condition)?;
        for entry in &mut query.range_table {
            self.conditions(&mut entry.security_conditions)?;
            self.entry(entry)?;
        }
        Ok(())
    }

    /// What is true of all rows is not asked.
    fn checks(&mut self, checks: &mut Vec<WithCheckOption>) -> Result<()> {
        for mut check in std::mem::take(checks) {
            let mut condition = Some(check.condition);
            self.condition(&mut condition)?;
            if let Some(condition) = condition {
                check.condition = condition;
                checks.push(check);
            }
        }
        Ok(())
    }

    /// Each by itself.
    fn conditions(&mut self, conditions: &mut Vec<Expr>) -> Result<()> {
        for condition in std::mem::take(conditions) {
            let mut condition = Some(condition);
            self.condition(&mut condition)?;
            conditions.extend(condition);
        }
        Ok(())
    }

    fn entry(&mut self, entry: &mut RangeTableEntry) -> Result<()> {
        match &mut entry.kind {
            RangeTableKind::Relation { sample: Some(sample), .. } => {
                sample.arguments.iter_mut().chain(&mut sample.repeatable).try_for_each(|value| self.value(value))
            }
            RangeTableKind::Function { functions, .. } => {
                functions.iter_mut().try_for_each(|function| self.value(&mut function.call))
            }
            RangeTableKind::Values { rows } => {
                self.root.planner.fold_columns(rows);
                rows.iter_mut().flatten().try_for_each(|value| self.value(value))
            }
            _ => Ok(()),
        }
    }

    fn targets(&mut self, targets: &mut [TargetEntry]) -> Result<()> {
        targets.iter_mut().try_for_each(|target| self.value(&mut target.expr))
    }

    fn tree(&mut self, from: &mut FromExpr) -> Result<()> {
        for tree in &mut from.from {
            self.part(tree)?;
        }
        self.condition(&mut from.condition)
    }

    fn part(&mut self, tree: &mut JoinTree) -> Result<()> {
        match tree {
            JoinTree::Relation(_) => Ok(()),
            JoinTree::From(from) => self.tree(from),
            JoinTree::Join(join) => {
                self.part(&mut join.left)?;
                self.part(&mut join.right)?;
                self.condition(&mut join.condition)
            }
        }
    }

    /// A list of conditions that have to hold, flat; none where it is true.
    fn condition(&mut self, condition: &mut Option<Expr>) -> Result<()> {
        let Some(mut expr) = condition.take() else {
            return Ok(());
        };
        self.root.planner.fold(&mut expr)?;
        let mut expr = qual::canonicalize(expr);
        self.finish(&mut expr)?;
        *condition = make_and(and_list(expr).into_iter().filter(|part| !is_true(part)).collect());
        Ok(())
    }

    fn value(&mut self, expr: &mut Expr) -> Result<()> {
        match expr {
            Expr::Const(_) => Ok(()),
            Expr::Var(var) if var.levels_up == 0 => Ok(()),
            _ => {
                self.root.planner.fold(expr)?;
                self.finish(expr)
            }
        }
    }

    /// A target, whose sublink may be what is grouped by.
    fn grouped_value(&mut self, expr: &mut Expr, grouped: bool) -> Result<()> {
        if !grouped || !has_sublinks(expr) {
            return self.value(expr);
        }
        self.known_sublinks(expr);
        match expr {
            Expr::SubLink(link) => {
                let link = (**link).clone();
                self.value(expr)?;
                self.same.push((link, expr.clone()));
                Ok(())
            }
            _ => self.value(expr),
        }
    }

    /// Puts what is known of the same sublinks in their places.
    fn known_sublinks(&self, expr: &mut Expr) {
        let mut known = |expr: &mut Expr, depth: u32| {
            if let Expr::SubLink(link) = expr
                && depth == 0
                && let Some((_, made)) = self.same.iter().find(|(same, _)| same == &**link)
            {
                *expr = made.clone();
            }
            depth == 0
        };
        if !self.same.is_empty() {
            mutate(&mut known, expr, 0);
        }
    }

    fn finish(&mut self, expr: &mut Expr) -> Result<()> {
        if self.sublinks && has_sublinks(expr) {
            subselect::process_sublinks(self.global, self.root, expr)?;
        }
        if self.root.level > 1 {
            subselect::replace_correlation_vars(self.global, self.root, expr);
        }
        Ok(())
    }

    /// `(a, b) = (SELECT …)` of UPDATE, ON CONFLICT and MERGE: the columns are the parameters that the subquery, which is among the same
    /// targets, sets.
    fn multi_parameters(&mut self, targets: &mut [TargetEntry]) {
        let made = std::mem::take(&mut self.root.multi_parameters);
        if made.is_empty() {
            return;
        }
        let mut replace = |expr: &mut Expr, _: u32| {
            if let Expr::Param(Param { kind: ParamKind::MultiExpr, number, .. }) = expr
                && let Some(parameters) = made.get((*number >> 16) as usize - 1)
                && let Some(parameter) = parameters.get((*number & 0xffff) as usize - 1)
            {
                *expr = Expr::Param(*parameter);
            }
            true
        };
        for target in targets {
            let mut expr = take(&mut target.expr);
            mutate(&mut replace, &mut expr, 0);
            target.expr = expr;
        }
    }
}
