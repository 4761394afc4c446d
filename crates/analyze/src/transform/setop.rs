//! UNION, INTERSECT, EXCEPT and VALUES (`transformSetOperationStmt` and `transformValuesClause` of `analyze.c`).

use std::sync::Arc;

use ::error::sqlstate;
use syntax::nodes as raw;
use syntax::nodes::Node;
use types::{Error, Oid, Result, oid};

use super::locking::first_locking;
use super::raw::{location_of_into, location_of_list};
use super::state::{ExprKind, NamespaceColumn, ParseState};
use super::{error, required, unexpected};
use crate::query::*;

/// What an arm or an operation gives.
type Columns = Vec<ArmColumn>;

struct ArmColumn {
    /// Of an operation only its type and place.
    expr: Expr,
    collation: Collation,
}

impl ParseState<'_> {
    /// VALUES as a query of its own.
    pub(crate) fn transform_values(&mut self, select: &raw::SelectStmt) -> Result<Query> {
        let recursive = self.transform_with(select.with_clause.as_deref())?;
        let mut rows: Vec<Vec<Expr>> = Vec::with_capacity(select.values_lists.len());
        for list in &select.values_lists {
            let Node::List(list) = list else { return Err(unexpected()) };
            let row = self.transform_expression_list(list, ExprKind::Values)?;
            if rows.first().is_some_and(|first: &Vec<Expr>| first.len() != row.len()) {
                let place = location_of_list(list);
                return Err(error(sqlstate::SYNTAX_ERROR, "VALUES lists must all be the same length", place));
            }
            rows.push(row);
        }
        // Each column has one type, whichever row says what it is.
        let columns = rows[0].len();
        let mut names = Vec::with_capacity(columns);
        for index in 0..columns {
            let ty = self.common_type(&rows.iter().map(|row| &row[index]).collect::<Vec<_>>(), "VALUES")?;
            for row in &mut rows {
                let value = std::mem::replace(&mut row[index], Expr::MergeAction);
                row[index] = self.coerce_to_common(value, ty, "VALUES")?;
            }
            let typmod = self.common_typmod(rows.iter().map(|row| &row[index]), ty.oid);
            let collation = self.common_collation(rows.iter_mut().map(|row| &mut row[index]), true)?;
            let (name, ty) = (format!("column{}", index + 1), TypeRef { oid: ty.oid, typmod });
            names.push(Column { name, ty, collation });
        }
        let item = self.add_entry(RangeTableKind::Values { rows }, "*VALUES*".to_string(), None, names, false);
        let relation = item.relation;
        let mut targets: Vec<TargetEntry> = Vec::with_capacity(columns);
        for column in item.columns.iter() {
            targets.push(TargetEntry::new(column.var(0, -1), column.attribute, column.name.clone()));
        }
        self.namespace.push(item);
        let sort_clause = self.transform_sort_clause(&select.sort_clause, &mut targets, ExprKind::OrderBy, false)?;
        let (offset, limit, with_ties) = self.transform_limits(select)?;
        if let Some(name) = first_locking(&select.locking_clause) {
            return Err(Error::new(sqlstate::FEATURE_NOT_SUPPORTED, format!("{name} cannot be applied to VALUES")));
        }
        let from = vec![JoinTree::Relation(relation)];
        let mut query = Query {
            targets,
            join_tree: FromExpr { from, condition: None },
            sort_clause,
            offset,
            limit,
            with_ties,
            recursive,
            ..self.query(CommandType::Select)
        };
        self.assign_query_collations(&mut query)?;
        Ok(query)
    }

    /// A tree of set operations; ORDER BY and LIMIT of the whole (`transformSetOperationStmt`).
    pub(crate) fn transform_set_operations(&mut self, select: &raw::SelectStmt) -> Result<Query> {
        let recursive = self.transform_with(select.with_clause.as_deref())?;
        if let Some(name) = first_locking(&select.locking_clause) {
            return Err(Error::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                format!("{name} is not allowed with UNION/INTERSECT/EXCEPT"),
            ));
        }
        let (tree, shown) = self.transform_operation(select, true)?;
        let leftmost = tree.leftmost();
        let SetOperation::Node { columns, .. } = &tree else { return Err(unexpected()) };
        let entry = self.entry(leftmost);
        let RangeTableKind::Subquery(query) = &entry.kind else { return Err(unexpected()) };
        let places = query.visible_targets().map(|target| target.expr.location());
        let mut targets: Vec<TargetEntry> = Vec::with_capacity(columns.len());
        let collations = shown.iter().map(|shown| shown.collation);
        let columns = columns.iter().zip(collations).zip(entry.columns.iter());
        for ((((ty, collation), column), location), number) in columns.zip(places).zip(1..) {
            let var = Var { relation: leftmost, attribute: number, ty: *ty, collation, levels_up: 0, location };
            targets.push(TargetEntry::new(Expr::Var(var), number, column.name.clone()));
        }
        // ORDER BY knows the result's columns, and nothing else.
        let visible = targets.len();
        let column = |(target, shown): (&TargetEntry, &ArmColumn)| Column {
            name: target.name.clone(),
            ty: target.expr.ty(),
            collation: shown.collation,
        };
        let own: Arc<[Column]> = targets.iter().zip(&shown).map(column).collect();
        let mut item = self.add_entry(RangeTableKind::Result, String::new(), None, own, false);
        self.range_table.pop();
        (item.relation, item.relation_visible) = (leftmost, false);
        item.columns = item.columns.iter().map(|c| NamespaceColumn { relation: leftmost, ..c.clone() }).collect();
        let before = std::mem::replace(&mut self.namespace, vec![item]);
        let sort_clause = self.transform_sort_clause(&select.sort_clause, &mut targets, ExprKind::OrderBy, false);
        self.namespace = before;
        let sort_clause = sort_clause?;
        if let Some(junk) = targets.get(visible) {
            let message = "invalid UNION/INTERSECT/EXCEPT ORDER BY clause";
            return Err(error(sqlstate::FEATURE_NOT_SUPPORTED, message, junk.expr.location().0)
                .detail("Only result column names can be used, not expressions or functions.")
                .hint("Add the expression/function to every SELECT, or move the UNION into a FROM clause."));
        }
        let (offset, limit, with_ties) = self.transform_limits(select)?;
        let mut query = Query {
            targets,
            sort_clause,
            offset,
            limit,
            with_ties,
            recursive,
            set_operations: Some(tree),
            ..self.query(CommandType::Select)
        };
        self.assign_query_collations(&mut query)?;
        Ok(query)
    }

    /// An arm or an operation, with its columns (`transformSetOperationTree`).
    fn transform_arm_or_operation(&mut self, select: &raw::SelectStmt) -> Result<(SetOperation, Columns)> {
        if let Some(into) = &select.into_clause {
            let message = "INTO is only allowed on first SELECT of UNION/INTERSECT/EXCEPT";
            return Err(error(sqlstate::SYNTAX_ERROR, message, location_of_into(into)));
        }
        if let Some(name) = first_locking(&select.locking_clause) {
            return Err(Error::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                format!("{name} is not allowed with UNION/INTERSECT/EXCEPT"),
            ));
        }
        let own = !select.sort_clause.is_empty()
            || select.limit_offset.is_some()
            || select.limit_count.is_some()
            || select.with_clause.is_some();
        match select.op == raw::SetOperation::SETOP_NONE || own {
            true => self.transform_arm(select),
            false => self.transform_operation(select, false),
        }
    }

    fn transform_operation(&mut self, select: &raw::SelectStmt, top: bool) -> Result<(SetOperation, Columns)> {
        let (operator, name) = match select.op {
            raw::SetOperation::SETOP_UNION => (SetOperator::Union, "UNION"),
            raw::SetOperation::SETOP_INTERSECT => (SetOperator::Intersect, "INTERSECT"),
            raw::SetOperation::SETOP_EXCEPT => (SetOperator::Except, "EXCEPT"),
            raw::SetOperation::SETOP_NONE => return Err(unexpected()),
        };
        let (left, left_columns) = self.transform_arm_or_operation(required(&select.larg)?)?;
        if top && self.is_open_cte {
            let names = self.entry(left.leftmost()).columns.iter().map(|column| column.name.clone());
            let column = |(name, column): (String, &ArmColumn)| Column {
                name,
                ty: column.expr.ty(),
                collation: column.collation,
            };
            let own = names.zip(&left_columns).map(column).collect();
            self.determine_recursive_columns(own)?;
        }
        let (right, right_columns) = self.transform_arm_or_operation(required(&select.rarg)?)?;
        if left_columns.len() != right_columns.len() {
            let mut places = right_columns.iter().map(|column| column.expr.location().0);
            let place = places.find(|place| *place >= 0).unwrap_or(-1);
            return Err(error(
                sqlstate::SYNTAX_ERROR,
                format!("each {name} query must have the same number of columns"),
                place,
            ));
        }
        let compared = !(operator == SetOperator::Union && select.all);
        let (mut columns, mut group_clauses, mut shown) = (Vec::new(), Vec::new(), Vec::new());
        for (number, (left_column, right_column)) in left_columns.into_iter().zip(right_columns).enumerate() {
            let (left_value, right_value) = (left_column.expr, right_column.expr);
            let (ty, location) = self.common_arm_type(&left_value, &right_value, name)?;
            let mut left_value = self.coerce_arm_column(&left, number, left_value, ty, name)?;
            let mut right_value = self.coerce_arm_column(&right, number, right_value, ty, name)?;
            let ty = TypeRef { oid: ty, typmod: self.common_typmod([&left_value, &right_value], ty) };
            let collation = self.common_collation([&mut left_value, &mut right_value], !compared)?;
            if compared {
                let operators = self.sort_group_operators(ty.oid, false, location.0)?;
                group_clauses.push(SortGroupClause {
                    reference: 0,
                    equality: operators.equal.unwrap_or(oid::INVALID),
                    sort: operators.less.unwrap_or(oid::INVALID),
                    nulls_first: false,
                    hashable: operators.hashable,
                });
            }
            columns.push(ty);
            let expr = Expr::SetToDefault(SetToDefault { ty, collation, location });
            shown.push(ArmColumn { expr, collation });
        }
        let (left, right) = (Box::new(left), Box::new(right));
        let node = SetOperation::Node { operator, all: select.all, left, right, columns, group_clauses };
        Ok((node, shown))
    }

    /// The common type of a column, and where what it comes from stands.
    fn common_arm_type(&self, left: &Expr, right: &Expr, name: &str) -> Result<(Oid, Location)> {
        let both = [left, right];
        let operands = both.map(super::coerce::operand);
        let (ty, chosen) = crate::parse_coerce::select_common_type(self.catalog(), &operands, name)?;
        Ok((ty, both[chosen].location()))
    }

    fn transform_arm(&mut self, select: &raw::SelectStmt) -> Result<(SetOperation, Columns)> {
        let mut state = ParseState::new(self.statement, Some(self));
        state.resolve_unknowns = false;
        let query = state.transform_select_statement(select)?;
        if !self.namespace.is_empty()
            && let Some(place) = super::level::column_in_query(&query, 1)
        {
            let message = "UNION/INTERSECT/EXCEPT member statement cannot refer to other relations of same query level";
            return Err(error(sqlstate::INVALID_COLUMN_REFERENCE, message, place.0));
        }
        let column = |target: &TargetEntry| ArmColumn { expr: target.expr.clone(), collation: target.collation };
        let columns: Columns = query.visible_targets().map(column).collect();
        let own = query.visible_columns();
        let name = format!("*SELECT* {}", self.range_table.len() + 1);
        let item = self.add_entry(RangeTableKind::Subquery(Box::new(query)), name, None, own, false);
        self.range_table[item.relation.index()].in_from = false;
        Ok((SetOperation::Leaf(item.relation), columns))
    }

    /// That a column can become one of the type. A literal or a parameter of unknown type does, inside of the arm's query;
    /// all else is converted where the operation reads it.
    fn coerce_arm_column(
        &mut self,
        arm: &SetOperation,
        number: usize,
        value: Expr,
        ty: Oid,
        name: &str,
    ) -> Result<Expr> {
        let unknown = value.ty().oid == oid::UNKNOWN;
        if unknown && !is_literal(&value) {
            return Ok(value);
        }
        let mut value = self.coerce_to_common(value, TypeRef::of(ty), name)?;
        let collation = self.assign_collations(&mut value)?;
        if unknown && let SetOperation::Leaf(relation) = arm {
            let entry = &mut self.range_table[relation.index()];
            let RangeTableKind::Subquery(query) = &mut entry.kind else { return Err(unexpected()) };
            if let Some(target) = query.targets.iter_mut().filter(|target| !target.junk).nth(number) {
                (target.expr, target.collation) = (value.clone(), collation);
            }
            let column = &mut Arc::make_mut(&mut entry.columns)[number];
            (column.ty, column.collation) = (value.ty(), collation);
        }
        Ok(value)
    }
}

/// A literal or a parameter, perhaps with a COLLATE.
fn is_literal(value: &Expr) -> bool {
    match value {
        Expr::Const(_) | Expr::Param(_) => true,
        Expr::RelabelType(label) => label.collation.is_some() && is_literal(&label.argument),
        _ => false,
    }
}

impl SetOperation {
    /// The arm that names the columns.
    pub fn leftmost(&self) -> RangeTableIndex {
        let mut tree = self;
        loop {
            match tree {
                SetOperation::Leaf(relation) => return *relation,
                SetOperation::Node { left, .. } => tree = left,
            }
        }
    }
}
