//! Queries as SQL (`get_query_def`): what `pg_get_viewdef` shows. `names`: what tables and columns are called. `from`: FROM.

mod from;
mod names;

use error::sqlstate;
use types::{Datum, Error, Result};

pub use names::QueryNames;

use super::{Deparse, Referent, VarNames, Writer};
use crate::query::*;

/// Columns that a clause begins before the lines of the one before.
pub(super) const STEP: i32 = 8;

/// The definition of a view (`pg_get_viewdef`), whose columns have these names. Lines end before column `wrap`, if it is not 0.
pub fn deparse_view(deparse: Deparse<'_>, query: &Query, columns: &[String], wrap: i32) -> Result<String> {
    let mut writer = Writer::new(deparse);
    (writer.indent, writer.wrap) = (Some(0), wrap);
    writer.query(query, None, Some(columns), true)?;
    writer.push(";");
    Ok(writer.out)
}

impl Writer<'_> {
    /// `columns`: the names of the result, if not those of the targets. `shown`: they are in the text.
    pub(super) fn query(
        &mut self,
        query: &Query,
        parent: Option<&dyn VarNames>,
        columns: Option<&[String]>,
        shown: bool,
    ) -> Result<()> {
        if query.command != CommandType::Select {
            return Err(Error::unsupported("writing a data-modifying statement"));
        }
        let names = QueryNames::new(query, parent, self.deparse.relations);
        let (indent, in_group_by) = (self.indent, std::mem::take(&mut self.in_group_by));
        let conflicts = std::mem::take(&mut self.sort_conflicts);
        let result = self.select(query, &names, columns, shown);
        (self.indent, self.in_group_by, self.sort_conflicts) = (indent, in_group_by, conflicts);
        result
    }

    /// `get_select_query_def`.
    fn select(&mut self, query: &Query, names: &QueryNames<'_>, columns: Option<&[String]>, shown: bool) -> Result<()> {
        self.with_clause(query, names)?;
        self.sort_conflicts = names_of_result(query, columns);
        match &query.set_operations {
            Some(operations) => self.set_operation(operations, query, names, columns, shown)?,
            None => self.basic_select(query, names, columns, shown)?,
        }
        if !query.sort_clause.is_empty() {
            self.keyword(" ORDER BY ", -STEP, STEP, 1);
            self.order_by(query, names)?;
        }
        if let Some(offset) = &query.offset {
            self.keyword(" OFFSET ", -STEP, STEP, 0);
            self.expr(offset, names, false)?;
        }
        match &query.limit {
            None => {}
            Some(limit) if query.with_ties => {
                self.keyword(" FETCH FIRST ", -STEP, STEP, 0);
                self.push("(");
                self.expr(limit, names, false)?;
                self.push(") ROWS WITH TIES");
            }
            Some(limit) => {
                self.keyword(" LIMIT ", -STEP, STEP, 0);
                match limit {
                    Expr::Const(Const { value: Datum::Null, .. }) => self.push("ALL"),
                    limit => self.expr(limit, names, false)?,
                }
            }
        }
        self.locking(query, names);
        Ok(())
    }

    fn order_by(&mut self, query: &Query, names: &dyn VarNames) -> Result<()> {
        if query.set_operations.is_none() {
            return self.sort_clauses(&query.sort_clause, &query.targets, names, true);
        }
        // The arms are gone behind them: columns by their numbers.
        for (place, clause) in query.sort_clause.iter().enumerate() {
            if place > 0 {
                self.push(", ");
            }
            let Some(target) = query.target_of(clause.reference) else { continue };
            self.push(&target.number.to_string());
            self.sort_direction(target.expr.ty().oid, clause)?;
        }
        Ok(())
    }

    fn locking(&mut self, query: &Query, names: &QueryNames<'_>) {
        for mark in query.row_marks.iter().filter(|mark| !mark.pushed_down) {
            let clause = match mark.strength {
                LockStrength::KeyShare => " FOR KEY SHARE",
                LockStrength::Share => " FOR SHARE",
                LockStrength::NoKeyUpdate => " FOR NO KEY UPDATE",
                LockStrength::Update => " FOR UPDATE",
            };
            self.keyword(clause, -STEP, STEP, 0);
            self.push(" OF ");
            self.identifier(names.relation_name(mark.relation).unwrap_or_default());
            self.push(match mark.wait {
                LockWait::Block => "",
                LockWait::Skip => " SKIP LOCKED",
                LockWait::Error => " NOWAIT",
            });
        }
    }

    /// `get_with_clause`.
    fn with_clause(&mut self, query: &Query, names: &QueryNames<'_>) -> Result<()> {
        if query.ctes.is_empty() {
            return Ok(());
        }
        if let Some(level) = &mut self.indent {
            *level += STEP;
            self.push(" ");
        }
        for (place, cte) in query.ctes.iter().enumerate() {
            self.push(match (place, query.recursive) {
                (0, true) => "WITH RECURSIVE ",
                (0, false) => "WITH ",
                _ => ", ",
            });
            self.identifier(&cte.name);
            let own = cte.query.visible_targets().map(|target| &target.name);
            if !own.eq(cte.columns.iter().map(|column| &column.name)) {
                self.push("(");
                self.identifiers(cte.columns.iter().map(|column| &*column.name));
                self.push(")");
            }
            self.push(" AS ");
            self.push(match cte.materialized {
                Materialized::Default => "",
                Materialized::Always => "MATERIALIZED ",
                Materialized::Never => "NOT MATERIALIZED ",
            });
            self.push("(");
            self.new_line(0, 0);
            self.query(&cte.query, Some(names), None, true)?;
            self.new_line(0, 0);
            self.push(")");
        }
        match &mut self.indent {
            Some(level) => {
                *level -= STEP;
                self.new_line(0, 0);
            }
            None => self.push(" "),
        }
        Ok(())
    }

    pub(super) fn identifiers<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        for (place, name) in names.enumerate() {
            if place > 0 {
                self.push(", ");
            }
            self.identifier(name);
        }
    }

    /// A new line, where lines are broken.
    fn new_line(&mut self, before: i32, after: i32) {
        if self.indent.is_some() {
            self.keyword("", before, after, 0);
        }
    }

    /// `get_basic_select_query`.
    fn basic_select(
        &mut self,
        query: &Query,
        names: &QueryNames<'_>,
        columns: Option<&[String]>,
        shown: bool,
    ) -> Result<()> {
        if let Some(level) = &mut self.indent {
            *level += STEP;
            self.push(" ");
        }
        if let Some(rows) = only_values(query, columns) {
            return self.values(rows, names);
        }
        self.push("SELECT");
        match &query.distinct {
            Distinct::None => {}
            Distinct::All(_) => self.push(" DISTINCT"),
            Distinct::On(clauses) => {
                self.push(" DISTINCT ON (");
                self.sort_clauses(clauses, &query.targets, names, false)?;
                self.push(")");
            }
        }
        self.targets(query, names, columns, shown)?;
        self.write_from(query, names)?;
        if let Some(condition) = &query.join_tree.condition {
            self.keyword(" WHERE ", -STEP, STEP, 1);
            self.expr(condition, names, false)?;
        }
        if !query.group_clause.is_empty() || !query.grouping_sets.is_empty() {
            self.group_by(query, names)?;
        }
        if let Some(having) = &query.having {
            self.keyword(" HAVING ", -STEP, STEP, 0);
            self.expr(having, names, false)?;
        }
        self.windows(query, names)
    }

    /// The rows of VALUES (`get_values_def`).
    pub(super) fn values(&mut self, rows: &[Vec<Expr>], names: &dyn VarNames) -> Result<()> {
        self.push("VALUES ");
        for (place, row) in rows.iter().enumerate() {
            self.push(if place > 0 { ", (" } else { "(" });
            for (place, value) in row.iter().enumerate() {
                if place > 0 {
                    self.push(",");
                }
                self.top_level(value, names, false)?;
            }
            self.push(")");
        }
        Ok(())
    }

    /// `get_target_list`.
    fn targets(
        &mut self,
        query: &Query,
        names: &QueryNames<'_>,
        columns: Option<&[String]>,
        shown: bool,
    ) -> Result<()> {
        let mut several_lines = false;
        for (place, target) in query.visible_targets().enumerate() {
            self.push(if place > 0 { ", " } else { " " });
            let outer = std::mem::take(&mut self.out);
            let written = self.target(target, place, names, columns, shown);
            let text = std::mem::replace(&mut self.out, outer);
            written?;
            match (place, text.starts_with('\n')) {
                (0, false) => self.push(&text),
                _ => self.wrapped_item(&text, several_lines),
            }
            several_lines = text.trim_start_matches('\n').contains('\n');
        }
        Ok(())
    }

    fn target(
        &mut self,
        target: &TargetEntry,
        place: usize,
        names: &QueryNames<'_>,
        columns: Option<&[String]>,
        shown: bool,
    ) -> Result<()> {
        let mut own = None;
        match &target.expr {
            Expr::Var(var) => {
                self.top_level(&target.expr, names, true)?;
                if let Referent::Column { name: Some(name), .. } = names.var(var)? {
                    own = Some(name.into_owned());
                }
            }
            expr => {
                self.expr(expr, names, true)?;
                own = (!shown).then(|| "?column?".to_string());
            }
        }
        let name = columns.and_then(|columns| columns.get(place)).unwrap_or(&target.name);
        if own.as_ref() != Some(name) {
            self.push(" AS ");
            self.identifier(name);
        }
        Ok(())
    }

    fn group_by(&mut self, query: &Query, names: &dyn VarNames) -> Result<()> {
        self.keyword(" GROUP BY ", -STEP, STEP, 1);
        if query.group_distinct {
            self.push("DISTINCT ");
        }
        let before = std::mem::replace(&mut self.in_group_by, true);
        if query.grouping_sets.is_empty() {
            self.sort_clauses(&query.group_clause, &query.targets, names, false)?;
        }
        for (place, set) in query.grouping_sets.iter().enumerate() {
            if place > 0 {
                self.push(", ");
            }
            self.grouping_set(set, query, names, true)?;
        }
        self.in_group_by = before;
        Ok(())
    }

    /// `get_rule_groupingset`.
    fn grouping_set(&mut self, set: &GroupingSet, query: &Query, names: &dyn VarNames, omit: bool) -> Result<()> {
        let (word, inner, omit_inner) = match set {
            GroupingSet::Empty => {
                self.push("()");
                return Ok(());
            }
            GroupingSet::Simple(references) => {
                return self.wrapped(!omit || references.len() != 1, |writer| {
                    for (place, reference) in references.iter().enumerate() {
                        if place > 0 {
                            writer.push(", ");
                        }
                        let target = query.target_of(*reference);
                        target.map_or(Ok(()), |target| writer.sort_key(&target.expr, names))?;
                    }
                    Ok(())
                });
            }
            GroupingSet::Rollup(inner) => ("ROLLUP(", inner, true),
            GroupingSet::Cube(inner) => ("CUBE(", inner, true),
            GroupingSet::Sets(inner) => ("GROUPING SETS (", inner, false),
        };
        self.push(word);
        for (place, set) in inner.iter().enumerate() {
            if place > 0 {
                self.push(", ");
            }
            self.grouping_set(set, query, names, omit_inner)?;
        }
        self.push(")");
        Ok(())
    }

    /// `get_rule_windowclause`.
    fn windows(&mut self, query: &Query, names: &dyn VarNames) -> Result<()> {
        let mut first = true;
        for window in &query.windows {
            let Some(name) = &window.name else { continue };
            match std::mem::take(&mut first) {
                true => self.keyword(" WINDOW ", -STEP, STEP, 1),
                false => self.push(", "),
            }
            self.identifier(name);
            self.push(" AS ");
            self.window_definition(window, &query.targets, names)?;
        }
        Ok(())
    }

    /// `get_setop_query`.
    fn set_operation(
        &mut self,
        operation: &SetOperation,
        query: &Query,
        names: &QueryNames<'_>,
        columns: Option<&[String]>,
        shown: bool,
    ) -> Result<()> {
        let (operator, all, left, right) = match operation {
            SetOperation::Leaf(entry) => {
                let RangeTableKind::Subquery(arm) = &query.entry(*entry).kind else {
                    return Err(Error::new(sqlstate::INTERNAL_ERROR, "an arm of a set operation is no query"));
                };
                let limited = arm.offset.is_some() || arm.limit.is_some();
                let sorted = !arm.sort_clause.is_empty() || !arm.row_marks.is_empty();
                let needed = !arm.ctes.is_empty() || sorted || limited || arm.set_operations.is_some();
                return self.wrapped(needed, |writer| writer.query(arm, Some(names), columns, shown));
            }
            SetOperation::Node { operator, all, left, right, .. } => (*operator, *all, left, right),
        };
        let same = matches!(&**left, SetOperation::Node { operator: inner, all: inner_all, .. }
            if *inner == operator && *inner_all == all);
        let needed = matches!(**left, SetOperation::Node { .. }) && !same;
        let step = if needed { STEP } else { 0 };
        if needed {
            self.push("(");
            self.keyword("", step, 0, 0);
        }
        self.set_operation(left, query, names, columns, shown)?;
        match needed {
            true => self.keyword(") ", -step, 0, 0),
            false if self.indent.is_some() => self.keyword("", -step, 0, 0),
            false => self.push(" "),
        }
        self.push(match operator {
            SetOperator::Union => "UNION ",
            SetOperator::Intersect => "INTERSECT ",
            SetOperator::Except => "EXCEPT ",
        });
        self.push(if all { "ALL " } else { "" });
        let needed = matches!(**right, SetOperation::Node { .. });
        let step = if needed { STEP } else { 0 };
        self.push(if needed { "(" } else { "" });
        self.keyword("", step, 0, 0);
        // The names of the columns on the right are not seen.
        self.set_operation(right, query, names, columns, false)?;
        if let Some(level) = &mut self.indent {
            *level -= step;
        }
        if needed {
            self.keyword(")", 0, 0, 0);
        }
        Ok(())
    }

    /// `get_sublink_expr`.
    pub(super) fn sublink(&mut self, e: &SubLink, names: &dyn VarNames) -> Result<()> {
        self.push(if e.kind == SubLinkKind::Array { "ARRAY(" } else { "(" });
        let operator = match &e.test {
            Some(test) => self.sublink_test(test, names)?,
            None => String::new(),
        };
        let wrapped = match e.kind {
            SubLinkKind::Exists => {
                self.push("EXISTS ");
                true
            }
            SubLinkKind::Any if operator == "=" => {
                self.push(" IN ");
                true
            }
            SubLinkKind::Any => {
                self.push(&format!(" {operator} ANY "));
                true
            }
            SubLinkKind::All => {
                self.push(&format!(" {operator} ALL "));
                true
            }
            SubLinkKind::RowCompare => {
                self.push(&format!(" {operator} "));
                true
            }
            _ => false,
        };
        self.wrapped(wrapped, |writer| writer.query(&e.query, Some(names), None, false))?;
        self.push(")");
        Ok(())
    }

    /// What is compared with the subquery's rows; gives the operator.
    fn sublink_test(&mut self, test: &Expr, names: &dyn VarNames) -> Result<String> {
        let name = |writer: &Self, e: &OpExpr| match &e.arguments[..] {
            [left, right] => writer.operator_name(e.operator, left.ty().oid, right.ty().oid),
            _ => Err(Error::new(sqlstate::INTERNAL_ERROR, "a subquery is compared by an operator of two sides")),
        };
        match test {
            Expr::OpExpr(e) => {
                self.expr(&e.arguments[0], names, true)?;
                name(self, e)
            }
            Expr::BoolExpr(all) => {
                let mut operator = String::new();
                self.push("(");
                for (place, e) in all.arguments.iter().enumerate() {
                    let Expr::OpExpr(e) = e else { continue };
                    if place > 0 {
                        self.push(", ");
                    }
                    self.expr(&e.arguments[0], names, true)?;
                    if place == 0 {
                        operator = name(self, e)?;
                    }
                }
                self.push(")");
                Ok(operator)
            }
            Expr::RowCompare(e) => {
                self.push("(");
                self.list(&e.left, names, true)?;
                self.push(")");
                self.operator_name(e.operators[0], e.left[0].ty().oid, e.right[0].ty().oid)
            }
            _ => Err(Error::new(sqlstate::INTERNAL_ERROR, "a subquery is compared by operators")),
        }
    }
}

/// `SELECT … FROM (VALUES …)` that was written as VALUES (`get_simple_values_rte`).
fn only_values<'q>(query: &'q Query, columns: Option<&[String]>) -> Option<&'q [Vec<Expr>]> {
    let [entry] = &query.range_table[..] else { return None };
    let RangeTableKind::Values { rows } = &entry.kind else { return None };
    let name = |place: usize| columns.and_then(|c| c.get(place)).unwrap_or(&query.targets[place].name);
    let same = query.targets.len() == entry.columns.len()
        && entry.columns.iter().enumerate().all(|(place, column)| column.name == *name(place))
        && query.targets.iter().all(|target| !target.junk);
    (same && entry.in_from).then_some(&**rows)
}

/// The names that ORDER BY would find in the result, with what they stand for.
fn names_of_result(query: &Query, columns: Option<&[String]>) -> Vec<(String, Expr)> {
    let visible = query.visible_targets().enumerate();
    visible
        .map(|(place, target)| {
            let name = columns.and_then(|columns| columns.get(place)).unwrap_or(&target.name);
            (name.clone(), target.expr.clone())
        })
        .collect()
}
