//! ORDER BY, GROUP BY, DISTINCT, WINDOW and LIMIT (`parse_clause.c`).
//!
//! What rows are sorted or grouped by is a target: one that is there already, or a junk one that is added.

use ::error::sqlstate;
use catalog::SortGroupOperators;
use syntax::Constant;
use syntax::nodes as raw;
use syntax::nodes::Node;
use types::{Error, Oid, Result, oid};

use super::raw::{location, strings};
use super::state::{ExprKind, ParseState};
use super::{error, placed, required, unexpected};
use crate::query::*;

/// GROUP BY's columns and its sets.
type Grouping = (Vec<SortGroupClause>, Vec<GroupingSet>);

impl ParseState<'_> {
    /// ORDER BY (`transformSortClause`). `sql99`: names are columns of FROM, as in window definitions.
    pub fn transform_sort_clause(
        &mut self,
        list: &[Node],
        targets: &mut Vec<TargetEntry>,
        kind: ExprKind,
        sql99: bool,
    ) -> Result<Vec<SortGroupClause>> {
        let mut clauses = Vec::with_capacity(list.len());
        for node in list {
            let Node::SortBy(by) = node else { return Err(unexpected()) };
            let value = required(&by.node)?;
            let target = match sql99 {
                true => self.find_target_sql99(value, targets, kind)?,
                false => self.find_target_sql92(value, targets, kind)?,
            };
            self.add_to_sort_list(target, &mut clauses, targets, by)?;
        }
        Ok(clauses)
    }

    /// By name or number of a column of the result, or any expression (`findTargetlistEntrySQL92`).
    fn find_target_sql92(&mut self, node: &Node, targets: &mut Vec<TargetEntry>, kind: ExprKind) -> Result<usize> {
        match node {
            Node::ColumnRef(column) if let [Node::String(name)] = &column.fields[..] => {
                // GROUP BY means a column of FROM rather than one of the result.
                let of_from = kind == ExprKind::GroupBy && self.find_column(name, true, column.location)?.is_some();
                if !of_from && let Some(index) = named_target(targets, name, kind, column.location)? {
                    self.check_target_sql92(&targets[index], kind)?;
                    return Ok(index);
                }
            }
            Node::A_Const(constant) => {
                let place = constant.location;
                let Constant::Integer(number) = constant.val else {
                    return Err(error(
                        sqlstate::SYNTAX_ERROR,
                        format!("non-integer constant in {}", kind.name()),
                        place,
                    ));
                };
                let mut visible = (1..).zip(targets.iter().enumerate().filter(|(_, target)| !target.junk));
                let Some((_, (index, target))) = visible.find(|(position, _)| *position == number) else {
                    let message = format!("{} position {number} is not in select list", kind.name());
                    return Err(error(sqlstate::INVALID_COLUMN_REFERENCE, message, place));
                };
                self.check_target_sql92(target, kind)?;
                return Ok(index);
            }
            _ => {}
        }
        self.find_target_sql99(node, targets, kind)
    }

    /// `checkTargetlistEntrySQL92`.
    fn check_target_sql92(&self, target: &TargetEntry, kind: ExprKind) -> Result<()> {
        if kind != ExprKind::GroupBy {
            return Ok(());
        }
        if let Some(place) = super::level::aggregate_of_level(&target.expr, 0) {
            return Err(error(sqlstate::GROUPING_ERROR, "aggregate functions are not allowed in GROUP BY", place.0));
        }
        if let Some(place) = super::level::window_function(&target.expr) {
            return Err(error(sqlstate::WINDOWING_ERROR, "window functions are not allowed in GROUP BY", place.0));
        }
        Ok(())
    }

    /// By an expression (`findTargetlistEntrySQL99`): one that is there already, or a new junk target.
    fn find_target_sql99(&mut self, node: &Node, targets: &mut Vec<TargetEntry>, kind: ExprKind) -> Result<usize> {
        let expr = self.transform_expr(node, kind)?;
        if let Some(index) = targets.iter().position(|target| *without_implicit_cast(&target.expr) == expr) {
            return Ok(index);
        }
        let number = targets.len() as i16 + 1;
        targets.push(TargetEntry { junk: true, ..TargetEntry::new(expr, number, String::new()) });
        Ok(targets.len() - 1)
    }

    /// `addTargetToSortList`.
    fn add_to_sort_list(
        &mut self,
        target: usize,
        clauses: &mut Vec<SortGroupClause>,
        targets: &mut [TargetEntry],
        by: &raw::SortBy,
    ) -> Result<()> {
        let place = if by.location < 0 { by.node.as_ref().map_or(-1, location) } else { by.location };
        self.resolve_unknown(&mut targets[target].expr)?;
        let ty = targets[target].expr.ty().oid;
        let (sort, equality, hashable, descending) = match by.sortby_dir {
            raw::SortByDir::SORTBY_USING => self.ordering_operator(&strings(&by.use_op), ty, place)?,
            direction => {
                let operators = self.sort_group_operators(ty, true, place)?;
                let descending = direction == raw::SortByDir::SORTBY_DESC;
                let sort = if descending { operators.greater } else { operators.less };
                let or_none = |operator: Option<Oid>| operator.unwrap_or(oid::INVALID);
                (or_none(sort), or_none(operators.equal), operators.hashable, descending)
            }
        };
        let known = |clause: &SortGroupClause| {
            clause.reference == targets[target].reference
                && (clause.sort == sort || self.catalog().commutator(clause.sort) == Some(sort))
        };
        // A second time it does not change the order.
        if targets[target].reference != 0 && clauses.iter().any(known) {
            return Ok(());
        }
        let nulls_first = match by.sortby_nulls {
            raw::SortByNulls::SORTBY_NULLS_DEFAULT => descending,
            raw::SortByNulls::SORTBY_NULLS_FIRST => true,
            raw::SortByNulls::SORTBY_NULLS_LAST => false,
        };
        let reference = assign_reference(targets, target);
        clauses.push(SortGroupClause { reference, equality, sort, nulls_first, hashable });
        Ok(())
    }

    /// By the targets as they are: those that WITHIN GROUP gives.
    pub(crate) fn sort_by_targets(
        &mut self,
        list: &[Node],
        targets: &mut [TargetEntry],
    ) -> Result<Vec<SortGroupClause>> {
        let mut clauses = Vec::with_capacity(list.len());
        for (index, node) in list.iter().enumerate().take(targets.len()) {
            let Node::SortBy(by) = node else { return Err(unexpected()) };
            self.add_to_sort_list(index, &mut clauses, targets, by)?;
        }
        Ok(clauses)
    }

    /// The operators that sort and group values of a type.
    pub(crate) fn sort_group_operators(&self, ty: Oid, order: bool, place: i32) -> Result<SortGroupOperators> {
        self.catalog().sort_group_operators(ty, order, true).map_err(|e| placed(e, place))
    }

    /// GROUP BY, or a window's PARTITION BY (`transformGroupClause`).
    pub fn transform_group_clause(
        &mut self,
        list: &[Node],
        targets: &mut Vec<TargetEntry>,
        sort: &[SortGroupClause],
        kind: ExprKind,
    ) -> Result<Grouping> {
        let by = &mut GroupBy { clauses: Vec::new(), targets, sort, kind };
        let mut sets = Vec::new();
        let has_sets = list.iter().any(|node| matches!(node, Node::GroupingSet(_)));
        for node in list {
            match node {
                // GROUP BY () beside other sets changes nothing.
                Node::GroupingSet(set) if set.kind == raw::GroupingSetKind::GROUPING_SET_EMPTY => {}
                Node::GroupingSet(set) => sets.push(self.transform_grouping_set(set, by)?),
                // `GROUP BY (a, b)` is by both.
                Node::RowExpr(row) if row.row_format == raw::CoercionForm::COERCE_IMPLICIT_CAST => {
                    let references = self.group_by_all(&row.args, by)?;
                    sets.extend(references.into_iter().map(|reference| GroupingSet::Simple(vec![reference])));
                }
                node => {
                    let reference = self.group_by(node, by)?;
                    sets.push(GroupingSet::Simple(vec![reference]));
                }
            }
        }
        if has_sets && sets.is_empty() {
            sets.push(GroupingSet::Empty);
        }
        Ok((std::mem::take(&mut by.clauses), if has_sets { sets } else { Vec::new() }))
    }

    fn group_by_all(&mut self, nodes: &[Node], by: &mut GroupBy<'_>) -> Result<Vec<u32>> {
        let mut references = Vec::with_capacity(nodes.len());
        for node in nodes {
            let reference = match node {
                Node::RowExpr(row) if row.row_format == raw::CoercionForm::COERCE_IMPLICIT_CAST => {
                    for reference in self.group_by_all(&row.args, by)? {
                        if !references.contains(&reference) {
                            references.push(reference);
                        }
                    }
                    continue;
                }
                node => self.group_by(node, by)?,
            };
            if !references.contains(&reference) {
                references.push(reference);
            }
        }
        Ok(references)
    }

    /// `transformGroupClauseExpr`.
    fn group_by(&mut self, node: &Node, by: &mut GroupBy<'_>) -> Result<u32> {
        let target = match by.kind {
            ExprKind::GroupBy => self.find_target_sql92(node, by.targets, by.kind)?,
            kind => self.find_target_sql99(node, by.targets, kind)?,
        };
        let reference = by.targets[target].reference;
        if reference != 0 {
            if by.clauses.iter().any(|clause| clause.reference == reference) {
                return Ok(reference);
            }
            // As ORDER BY has it: then a sort may serve both.
            if let Some(clause) = by.sort.iter().find(|clause| clause.reference == reference) {
                by.clauses.push(*clause);
                return Ok(reference);
            }
        }
        let clause = self.group_clause_for(target, by.targets, location(node))?;
        by.clauses.push(clause);
        Ok(clause.reference)
    }

    /// `addTargetToGroupList`.
    fn group_clause_for(&mut self, target: usize, targets: &mut [TargetEntry], place: i32) -> Result<SortGroupClause> {
        self.resolve_unknown(&mut targets[target].expr)?;
        let operators = self.sort_group_operators(targets[target].expr.ty().oid, false, place)?;
        let reference = assign_reference(targets, target);
        let (equality, sort) = (operators.equal.unwrap_or(oid::INVALID), operators.less.unwrap_or(oid::INVALID));
        Ok(SortGroupClause { reference, equality, sort, nulls_first: false, hashable: operators.hashable })
    }

    /// `transformGroupingSet`.
    fn transform_grouping_set(&mut self, set: &raw::GroupingSet, by: &mut GroupBy<'_>) -> Result<GroupingSet> {
        let mut content = Vec::with_capacity(set.content.len());
        for node in &set.content {
            content.push(match node {
                Node::GroupingSet(inner) => self.transform_grouping_set(inner, by)?,
                Node::RowExpr(row) if row.row_format == raw::CoercionForm::COERCE_IMPLICIT_CAST => {
                    GroupingSet::Simple(self.group_by_all(&row.args, by)?)
                }
                node => GroupingSet::Simple(vec![self.group_by(node, by)?]),
            });
        }
        use raw::GroupingSetKind::*;
        if set.kind == GROUPING_SET_CUBE && content.len() > 12 {
            return Err(error(sqlstate::TOO_MANY_COLUMNS, "CUBE is limited to 12 elements", set.location));
        }
        Ok(match set.kind {
            GROUPING_SET_EMPTY => GroupingSet::Empty,
            GROUPING_SET_SIMPLE => return Err(unexpected()),
            GROUPING_SET_ROLLUP => GroupingSet::Rollup(content),
            GROUPING_SET_CUBE => GroupingSet::Cube(content),
            GROUPING_SET_SETS => GroupingSet::Sets(content),
        })
    }

    /// DISTINCT and DISTINCT ON.
    pub fn transform_distinct_clause(
        &mut self,
        list: &[Node],
        targets: &mut Vec<TargetEntry>,
        sort: &[SortGroupClause],
    ) -> Result<Distinct> {
        Ok(match list {
            [] => Distinct::None,
            [Node::Null] => Distinct::All(self.distinct_all(targets, sort, false)?),
            list => Distinct::On(self.distinct_on(list, targets, sort)?),
        })
    }

    /// `transformDistinctClause`.
    pub(crate) fn distinct_all(
        &mut self,
        targets: &mut [TargetEntry],
        sort: &[SortGroupClause],
        aggregate: bool,
    ) -> Result<Vec<SortGroupClause>> {
        let mut clauses: Vec<SortGroupClause> = Vec::new();
        for clause in sort {
            let target = targets.iter().find(|target| target.reference == clause.reference).ok_or_else(unexpected)?;
            if target.junk {
                let message = match aggregate {
                    true => "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list",
                    false => "for SELECT DISTINCT, ORDER BY expressions must appear in select list",
                };
                return Err(error(sqlstate::INVALID_COLUMN_REFERENCE, message, target.expr.location().0));
            }
            clauses.push(*clause);
        }
        for target in 0..targets.len() {
            let reference = targets[target].reference;
            let known = reference != 0 && clauses.iter().any(|clause| clause.reference == reference);
            if targets[target].junk || known {
                continue;
            }
            let place = targets[target].expr.location().0;
            let clause = self.group_clause_for(target, targets, place)?;
            clauses.push(clause);
        }
        if clauses.is_empty() {
            let message = match aggregate {
                true => "an aggregate with DISTINCT must have at least one argument",
                false => "SELECT DISTINCT must have at least one column",
            };
            return Err(Error::new(sqlstate::SYNTAX_ERROR, message));
        }
        Ok(clauses)
    }

    /// `transformDistinctOnClause`.
    fn distinct_on(
        &mut self,
        list: &[Node],
        targets: &mut Vec<TargetEntry>,
        sort: &[SortGroupClause],
    ) -> Result<Vec<SortGroupClause>> {
        let mut wanted = Vec::new();
        for node in list {
            let target = self.find_target_sql92(node, targets, ExprKind::DistinctOn)?;
            wanted.push((target, assign_reference(targets, target), location(node)));
        }
        let mismatch = |place: i32| {
            let message = "SELECT DISTINCT ON expressions must match initial ORDER BY expressions";
            Err(error(sqlstate::INVALID_COLUMN_REFERENCE, message, place))
        };
        let mut clauses: Vec<SortGroupClause> = Vec::new();
        let mut skipped = false;
        for clause in sort {
            match wanted.iter().find(|(_, reference, _)| *reference == clause.reference) {
                Some((_, _, place)) if skipped => return mismatch(*place),
                Some(_) => clauses.push(*clause),
                None => skipped = true,
            }
        }
        for (target, reference, place) in wanted {
            if clauses.iter().any(|clause| clause.reference == reference) {
                continue;
            }
            if skipped {
                return mismatch(place);
            }
            let clause = self.group_clause_for(target, targets, place)?;
            clauses.push(clause);
        }
        Ok(clauses)
    }

    /// LIMIT or OFFSET (`transformLimitClause`).
    pub fn transform_limit(
        &mut self,
        node: Option<&Node>,
        kind: ExprKind,
        name: &str,
        with_ties: bool,
    ) -> Result<Option<Expr>> {
        let Some(node) = node else { return Ok(None) };
        let value = self.transform_expr(node, kind)?;
        let value = self.coerce_to_specific_type(value, oid::INT8, name)?;
        self.check_no_columns(&value, name)?;
        let null = matches!(node, Node::A_Const(constant) if constant.val == Constant::Null);
        if null && with_ties {
            return Err(Error::new(
                sqlstate::INVALID_ROW_COUNT_IN_LIMIT_CLAUSE,
                "row count cannot be null in FETCH FIRST ... WITH TIES clause",
            ));
        }
        Ok(Some(value))
    }

    /// `checkExprIsVarFree`.
    pub(crate) fn check_no_columns(&self, value: &Expr, name: &str) -> Result<()> {
        match super::level::column_of_level(value, 0) {
            Some(place) => Err(error(
                sqlstate::INVALID_COLUMN_REFERENCE,
                format!("argument of {name} must not contain variables"),
                place.0,
            )),
            None => Ok(()),
        }
    }
}

/// What grouping goes on with.
struct GroupBy<'t> {
    clauses: Vec<SortGroupClause>,
    targets: &'t mut Vec<TargetEntry>,
    sort: &'t [SortGroupClause],
    kind: ExprKind,
}

/// An expression without the conversions that are not written (`strip_implicit_coercions`).
fn without_implicit_cast(mut expr: &Expr) -> &Expr {
    loop {
        expr = match expr {
            Expr::FuncExpr(e) if e.form == CoercionForm::ImplicitCast && !e.arguments.is_empty() => &e.arguments[0],
            Expr::RelabelType(e) if e.form == CoercionForm::ImplicitCast => &e.argument,
            Expr::CoerceViaIo(e) if e.form == CoercionForm::ImplicitCast => &e.argument,
            Expr::ArrayCoerce(e) if e.form == CoercionForm::ImplicitCast => &e.argument,
            other => return other,
        }
    }
}

/// The target of a name; two that differ are ambiguous.
fn named_target(targets: &[TargetEntry], name: &str, kind: ExprKind, place: i32) -> Result<Option<usize>> {
    let mut found: Option<usize> = None;
    for (index, target) in targets.iter().enumerate().filter(|(_, target)| !target.junk && target.name == name) {
        match found {
            Some(before) if targets[before].expr != target.expr => {
                return Err(error(
                    sqlstate::AMBIGUOUS_COLUMN,
                    format!("{} \"{name}\" is ambiguous", kind.name()),
                    place,
                ));
            }
            Some(_) => {}
            None => found = Some(index),
        }
    }
    Ok(found)
}

/// Gives a target the number that clauses name it by (`assignSortGroupRef`).
pub fn assign_reference(targets: &mut [TargetEntry], target: usize) -> u32 {
    if targets[target].reference == 0 {
        targets[target].reference = targets.iter().map(|target| target.reference).max().unwrap_or(0) + 1;
    }
    targets[target].reference
}
