//! Statements (`analyze.c`): SELECT here, the others in files of their own.

use std::sync::Arc;

use ::error::sqlstate;
use syntax::nodes as raw;
use syntax::nodes::Node;
use syntax::{RawStmt, with_stack_for};
use types::{Error, Oid, Result, oid};

use super::coerce::Coercion;
use super::raw::location_of_into;
use super::state::{ExprKind, ParseState, Statement};
use super::{error, grouping, unexpected};
use crate::query::*;
use crate::relations::Relation;
use crate::verify::{self, Stage};

/// A statement's query, with the types of its parameters.
#[derive(Debug)]
pub struct Analyzed {
    pub query: Query,
    /// Of `$1`, `$2` …; 0 where nothing says.
    pub parameters: Vec<Oid>,
    /// Levels of the raw tree: what walks the query gets a stack for as many.
    pub depth: usize,
}

impl Analyzed {
    /// What it has; the caller drops the query on a stack for it.
    pub fn into_query(mut self) -> Query {
        std::mem::replace(&mut self.query, Query::new(CommandType::Select))
    }
}

/// Dropping a deep tree takes as much stack as walking it.
impl Drop for Analyzed {
    fn drop(&mut self) {
        let query = std::mem::replace(&mut self.query, Query::new(CommandType::Select));
        with_stack_for(self.depth, || drop(query));
    }
}

/// Levels of a raw tree that are analyzed; PostgreSQL's `max_stack_depth` lets pass about as many.
const MAX_DEPTH: usize = 8000;

/// Levels of [`with_stack_for`] that analyzing a level of the raw tree takes.
pub(crate) const STACK_OF_LEVEL: usize = 12;

/// The query that a raw statement means (`parse_analyze_varparams` and `_fixedparams`); a utility command is 0A000.
pub fn analyze(statement: &Statement<'_>, raw: &RawStmt) -> Result<Analyzed> {
    analyze_node(statement, &raw.stmt, raw.depth)
}

/// As [`analyze`], for a part of a statement that has so many levels.
pub fn analyze_node(statement: &Statement<'_>, node: &Node, depth: usize) -> Result<Analyzed> {
    if depth > MAX_DEPTH {
        return Err(Error::new(sqlstate::STATEMENT_TOO_COMPLEX, "stack depth limit exceeded"));
    }
    with_stack_for(depth * STACK_OF_LEVEL, || {
        let mut state = ParseState::new(statement, None);
        let mut query = state.transform_statement(node)?;
        check_parameters(statement, &mut query)?;
        let parameters = statement.parameters.types();
        let analyzed = Analyzed { query, parameters, depth };
        statement.verify(Stage::Analysis, &analyzed);
        Ok(analyzed)
    })
}

impl Statement<'_> {
    /// In debug builds panics where a stage has made a query that does not fit what it names.
    pub(crate) fn verify(&self, stage: Stage, analyzed: &Analyzed) {
        let known = verify::Known {
            catalog: self.catalog,
            relations: self.relations,
            external: Some(&analyzed.parameters),
            exec: &[],
            plans: 0,
        };
        verify::between_stages(stage, &analyzed.query, &known);
    }
}

/// The type that a text names, with its modifier: `numeric(10,2)[]` (`parseTypeString`).
pub fn parse_type_string(statement: &Statement<'_>, text: &str) -> Result<TypeRef> {
    let name = syntax::parse_type_name(text).map_err(|report| {
        // A place in this text is none in the statement's.
        let code = if report.sqlstate() == sqlstate::STATEMENT_TOO_COMPLEX {
            sqlstate::STATEMENT_TOO_COMPLEX
        } else {
            sqlstate::SYNTAX_ERROR
        };
        types::Error::new(code, report.message.to_string())
    })?;
    let mut error = ParseState::new(statement, None).type_name(&name);
    if let Err(error) = &mut error {
        error.0.location = None;
    }
    error
}

/// An expression of a definition, over the columns of its table: a default, a condition, what an index is on (`cookDefault`,
/// `transformIndexStmt`). It still has to be converted to what is wanted.
pub fn analyze_expression(
    statement: &Statement<'_>,
    node: &Node,
    relation: Option<&Arc<Relation>>,
    kind: ExprKind,
) -> Result<Expr> {
    let mut state = ParseState::new(statement, None);
    if let Some(relation) = relation {
        let item = state.add_relation(relation, None)?;
        state.namespace.push(item);
    }
    let mut value = state.transform_expr(node, kind)?;
    state.assign_collations(&mut value)?;
    Ok(value)
}

/// A condition over a relation's columns, which it has as entry 1; `what` is what messages call it.
pub fn analyze_condition(
    statement: &Statement<'_>,
    node: &Node,
    relation: &Arc<Relation>,
    kind: ExprKind,
    what: &str,
) -> Result<Expr> {
    let mut state = ParseState::new(statement, None);
    let item = state.add_relation(relation, None)?;
    state.namespace.push(item);
    let mut condition = state.transform_boolean(node, kind, what)?;
    state.assign_collations(&mut condition)?;
    Ok(condition)
}

/// An expression as a value of a type that it is stored as; `None`: it cannot become one.
pub fn coerce_for_assignment(statement: &Statement<'_>, expr: Expr, ty: TypeRef) -> Result<Option<Expr>> {
    ParseState::new(statement, None).coerce_to_target_type(expr, ty, Coercion::ASSIGNMENT)
}

/// The expression that a column has where nothing is given (`cookDefault`).
pub fn analyze_default(statement: &Statement<'_>, node: &Node, column: &str, ty: TypeRef) -> Result<Expr> {
    let mut state = ParseState::new(statement, None);
    let mut value = state.transform_expr(node, ExprKind::ColumnDefault)?;
    state.assign_collations(&mut value)?;
    let source = value.ty().oid;
    state.coerce_to_target_type(value, ty, Coercion::ASSIGNMENT)?.ok_or_else(|| {
        let (wanted, given) = (state.type_text(ty.oid), state.type_text(source));
        let message = format!("column \"{column}\" is of type {wanted} but default expression is of type {given}");
        Error::new(sqlstate::DATATYPE_MISMATCH, message).hint("You will need to rewrite or cast the expression.")
    })
}

/// An argument of EXECUTE, as a value of the type of the parameter that it is for (`EvaluateParams`).
pub fn analyze_argument(statement: &Statement<'_>, node: &Node, number: usize, ty: Oid) -> Result<Expr> {
    let mut state = ParseState::new(statement, None);
    let mut value = state.transform_expr(node, ExprKind::Execute)?;
    state.assign_collations(&mut value)?;
    let source = value.ty().oid;
    state.coerce_to_target_type(value, TypeRef::of(ty), Coercion::ASSIGNMENT)?.ok_or_else(|| {
        let (given, wanted) = (state.type_text(source), state.type_text(ty));
        let message = format!("parameter ${number} of type {given} cannot be coerced to the expected type {wanted}");
        Error::new(sqlstate::DATATYPE_MISMATCH, message).hint("You will need to rewrite or cast the expression.")
    })
}

/// The type that a name means (`typenameTypeIdAndMod`).
pub fn analyze_type_name(statement: &Statement<'_>, name: &raw::TypeName) -> Result<TypeRef> {
    ParseState::new(statement, None).type_name(name)
}

/// The collation that a definition names for values of a type.
pub fn analyze_collation(statement: &Statement<'_>, clause: &raw::CollateClause, ty: Oid) -> Result<Oid> {
    ParseState::new(statement, None).named_collation(clause, ty)
}

/// A parameter that was looked at before its type was found has it now (`check_variable_parameters`).
fn check_parameters(statement: &Statement<'_>, query: &mut Query) -> Result<()> {
    fn expr(statement: &Statement<'_>, e: &mut Expr, failed: &mut Option<Error>) {
        if let Expr::Param(param) = e
            && param.kind == ParamKind::External
            && let Some(decided) = statement.parameters.decided(param.number)
            && decided != param.ty.oid
        {
            let message = format!("could not determine data type of parameter ${}", param.number);
            failed.get_or_insert(error(sqlstate::AMBIGUOUS_PARAMETER, message, param.location.0));
        }
        let failed = std::cell::RefCell::new(failed);
        e.mutate(&mut |child| expr(statement, child, &mut failed.borrow_mut()), &mut |query| {
            all(statement, query, &mut failed.borrow_mut())
        });
    }
    fn all(statement: &Statement<'_>, query: &mut Query, failed: &mut Option<Error>) {
        let failed = std::cell::RefCell::new(failed);
        mutate_query(query, &mut |e| expr(statement, e, &mut failed.borrow_mut()), &mut |query| {
            all(statement, query, &mut failed.borrow_mut())
        });
    }
    if !statement.parameters.is_any() {
        return Ok(());
    }
    let mut failed = None;
    all(statement, query, &mut failed);
    failed.map_or(Ok(()), Err)
}

impl<'a> ParseState<'a> {
    /// A query within this one (`parse_sub_analyze`).
    pub fn analyze_subquery(&self, node: &Node) -> Result<Query> {
        ParseState::new(self.statement, Some(self)).transform_statement(node)
    }

    /// `transformStmt`.
    pub fn transform_statement(&mut self, node: &Node) -> Result<Query> {
        match node {
            Node::SelectStmt(select) => self.transform_select_statement(select),
            Node::InsertStmt(insert) => self.transform_insert(insert),
            Node::UpdateStmt(update) => self.transform_update(update),
            Node::DeleteStmt(delete) => self.transform_delete(delete),
            Node::MergeStmt(merge) => self.transform_merge(merge),
            _ => Err(Error::unsupported("this statement")),
        }
    }

    /// SELECT, VALUES or a set operation.
    pub(crate) fn transform_select_statement(&mut self, select: &raw::SelectStmt) -> Result<Query> {
        if !select.values_lists.is_empty() {
            self.transform_values(select)
        } else if select.op == raw::SetOperation::SETOP_NONE {
            self.transform_select(select)
        } else {
            self.transform_set_operations(select)
        }
    }

    /// `transformSelectStmt`.
    fn transform_select(&mut self, select: &raw::SelectStmt) -> Result<Query> {
        let recursive = self.transform_with(select.with_clause.as_deref())?;
        if let Some(into) = &select.into_clause {
            return Err(error(sqlstate::SYNTAX_ERROR, "SELECT ... INTO is not allowed here", location_of_into(into)));
        }
        self.define_windows(&select.window_clause)?;
        let from = self.transform_from(&select.from_clause)?;
        let mut targets = self.transform_target_list(&select.target_list, ExprKind::SelectTarget)?;
        self.mark_origins(&mut targets);
        let condition = self.transform_condition(select.where_clause.as_ref(), ExprKind::Where, "WHERE")?;
        let having = self.transform_condition(select.having_clause.as_ref(), ExprKind::Having, "HAVING")?;
        let sort_clause = self.transform_sort_clause(&select.sort_clause, &mut targets, ExprKind::OrderBy, false)?;
        let kind = ExprKind::GroupBy;
        let (group_clause, grouping_sets) =
            self.transform_group_clause(&select.group_clause, &mut targets, &sort_clause, kind)?;
        let distinct = self.transform_distinct_clause(&select.distinct_clause, &mut targets, &sort_clause)?;
        let (offset, limit, with_ties) = self.transform_limits(select)?;
        let windows = self.transform_windows(&mut targets)?;
        if self.resolve_unknowns {
            self.resolve_unknown_targets(&mut targets)?;
        }
        let mut query = Query {
            targets,
            join_tree: FromExpr { from, condition },
            having,
            sort_clause,
            group_clause,
            group_distinct: select.group_distinct,
            grouping_sets,
            distinct,
            offset,
            limit,
            with_ties,
            windows,
            recursive,
            ..self.query(CommandType::Select)
        };
        for clause in &select.locking_clause {
            let Node::LockingClause(clause) = clause else { return Err(unexpected()) };
            super::locking::transform_locking_clause(&mut query, clause, false)?;
        }
        self.assign_query_collations(&mut query)?;
        let grouped = !query.group_clause.is_empty() || !query.grouping_sets.is_empty() || query.having.is_some();
        if query.has_aggregates || grouped {
            grouping::check(self, &mut query)?;
        }
        Ok(query)
    }

    /// OFFSET, LIMIT, and whether it is WITH TIES.
    pub(crate) fn transform_limits(&mut self, select: &raw::SelectStmt) -> Result<(Option<Expr>, Option<Expr>, bool)> {
        let offset = self.transform_limit(select.limit_offset.as_ref(), ExprKind::Offset, "OFFSET", false)?;
        let with_ties = select.limit_option == raw::LimitOption::LIMIT_OPTION_WITH_TIES;
        let limit = self.transform_limit(select.limit_count.as_ref(), ExprKind::Limit, "LIMIT", with_ties)?;
        Ok((offset, limit, with_ties))
    }

    /// `resolveTargetListUnknowns`.
    pub(crate) fn resolve_unknown_targets(&mut self, targets: &mut [TargetEntry]) -> Result<()> {
        for target in targets.iter_mut().filter(|target| target.expr.ty().oid == oid::UNKNOWN) {
            self.resolve_unknown(&mut target.expr)?;
        }
        Ok(())
    }

    /// A query with what this state has gathered.
    pub(crate) fn query(&mut self, command: CommandType) -> Query {
        let mut ctes = std::mem::take(&mut self.ctes);
        for (cte, references) in ctes.iter_mut().zip(self.cte_references.borrow().iter()) {
            cte.references = *references;
        }
        Query {
            range_table: std::mem::take(&mut self.range_table),
            ctes,
            has_aggregates: self.has_aggregates.get(),
            has_window_functions: self.has_window_functions,
            has_target_sets: self.has_target_sets,
            has_sublinks: self.has_sublinks,
            has_modifying_cte: self.has_modifying_cte,
            ..Query::new(command)
        }
    }

    /// WHERE or HAVING.
    pub(crate) fn transform_condition(
        &mut self,
        node: Option<&Node>,
        kind: ExprKind,
        what: &str,
    ) -> Result<Option<Expr>> {
        node.map(|node| self.transform_boolean(node, kind, what)).transpose()
    }
}
