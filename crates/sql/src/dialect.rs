//! What sqlparser takes though PostgreSQL's grammar has no such thing: words of other databases, refused as syntax errors.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    AlterTableOperation, BinaryOperator, CastKind, ColumnDef, ColumnOption, CreateTable, Distinct, Expr, FunctionArg,
    FunctionArgExpr, FunctionArguments, GroupByExpr, Insert, JoinOperator, LimitClause, OrderByKind, Query, Select,
    SelectItem, SetExpr, Statement, TableFactor, UnaryOperator, Visit, Visitor,
};
use engine::{EngineError, Result};

pub fn check(statement: &Statement) -> Result<()> {
    match statement.visit(&mut Foreign::default()) {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(()),
    }
}

/// Counts the arrays around an expression: inner ones need no word.
#[derive(Default)]
struct Foreign {
    arrays: usize,
}

fn near<T>(word: &str) -> ControlFlow<EngineError, T> {
    ControlFlow::Break(EngineError::new("42601", format!("syntax error at or near \"{word}\"")))
}

/// The first of these that is there is an error.
fn none_of(given: &[(bool, &str)]) -> ControlFlow<EngineError> {
    match given.iter().find(|(given, _)| *given) {
        Some((_, word)) => near(word),
        None => ControlFlow::Continue(()),
    }
}

impl Visitor for Foreign {
    type Break = EngineError;

    fn pre_visit_statement(&mut self, statement: &Statement) -> ControlFlow<EngineError> {
        match statement {
            Statement::Insert(insert) => check_insert(insert),
            Statement::Update(update) => none_of(&[
                (update.or.is_some(), "or"),
                (!update.order_by.is_empty(), "order"),
                (update.output.is_some(), "output"),
                (update.limit.is_some(), "limit"),
            ]),
            Statement::Delete(delete) => none_of(&[
                (!delete.tables.is_empty(), "from"),
                (!delete.order_by.is_empty(), "order"),
                (delete.limit.is_some(), "limit"),
                (delete.output.is_some(), "output"),
            ]),
            Statement::CreateTable(create) => check_create_table(create),
            Statement::AlterTable(alter) => alter.operations.iter().try_for_each(|operation| match operation {
                AlterTableOperation::AddColumn { column_def, .. } => check_column(column_def),
                _ => ControlFlow::Continue(()),
            }),
            Statement::Drop { purge, temporary, .. } => none_of(&[(*purge, "purge"), (*temporary, "temporary")]),
            _ => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<EngineError> {
        let all = query.order_by.as_ref().is_some_and(|order| matches!(order.kind, OrderByKind::All(_)));
        let limit_by = match &query.limit_clause {
            Some(LimitClause::LimitOffset { limit_by, .. }) => !limit_by.is_empty(),
            _ => false,
        };
        none_of(&[
            (all, "all"),
            (limit_by, "by"),
            (matches!(query.limit_clause, Some(LimitClause::OffsetCommaLimit { .. })), ","),
            (query.settings.is_some(), "settings"),
            (query.format_clause.is_some(), "format"),
            (query.for_clause.is_some(), "for"),
            (!query.pipe_operators.is_empty(), "|>"),
        ])?;
        check_body(&query.body)
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<EngineError> {
        match factor {
            TableFactor::Table { sample: Some(_), .. } | TableFactor::Derived { sample: Some(_), .. } => {
                ControlFlow::Break(EngineError::unsupported("TABLESAMPLE"))
            }
            TableFactor::Table { with_hints, version, index_hints, partitions, json_path, .. } => none_of(&[
                (!with_hints.is_empty(), "with"),
                (version.is_some(), "for"),
                (!index_hints.is_empty(), "index"),
                (!partitions.is_empty(), "partition"),
                (json_path.is_some(), ":"),
            ]),
            TableFactor::UNNEST { with_offset: true, .. } => near("offset"),
            _ => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<EngineError> {
        match expr {
            Expr::Cast { kind: CastKind::TryCast | CastKind::SafeCast, .. } => near("as"),
            Expr::Cast { format: Some(_), .. } => near("format"),
            Expr::Array(array) if !array.named && self.arrays == 0 => near("["),
            Expr::Array(_) => {
                self.arrays += 1;
                ControlFlow::Continue(())
            }
            Expr::Dictionary(_) | Expr::Struct { .. } | Expr::Map(_) => near("{"),
            Expr::Lambda(_) => near("->"),
            Expr::Function(function) => match &function.args {
                FunctionArguments::List(list) => {
                    let distinct_star = list.duplicate_treatment.is_some()
                        && matches!(list.args.first(), Some(FunctionArg::Unnamed(FunctionArgExpr::Wildcard)));
                    let name = function.name.to_string().to_lowercase();
                    let word =
                        matches!(name.as_str(), "current_date" | "current_role" | "current_user" | "session_user")
                            || matches!(name.as_str(), "current_timestamp" | "localtimestamp") && list.args.is_empty();
                    none_of(&[(distinct_star, "*"), (word, "(")])
                }
                _ => ControlFlow::Continue(()),
            },
            _ => ControlFlow::Continue(()),
        }
    }

    fn post_visit_expr(&mut self, expr: &Expr) -> ControlFlow<EngineError> {
        if matches!(expr, Expr::Array(_)) {
            self.arrays -= 1;
        }
        ControlFlow::Continue(())
    }
}

fn check_insert(insert: &Insert) -> ControlFlow<EngineError> {
    none_of(&[
        (insert.or.is_some(), "or"),
        (insert.replace_into, "replace"),
        (insert.ignore, "ignore"),
        (insert.overwrite, "overwrite"),
        (!insert.into, "insert"),
        (insert.has_table_keyword, "table"),
        (!insert.assignments.is_empty(), "set"),
        (insert.partitioned.is_some(), "partition"),
        (insert.priority.is_some(), "into"),
        (insert.output.is_some(), "output"),
        (insert.format_clause.is_some(), "format"),
        (insert.insert_alias.is_some(), "as"),
        (insert.multi_table_insert_type.is_some(), "all"),
    ])
}

fn check_body(body: &SetExpr) -> ControlFlow<EngineError> {
    match body {
        SetExpr::Select(select) => check_select(select),
        SetExpr::SetOperation { left, right, .. } => {
            check_body(left)?;
            check_body(right)
        }
        SetExpr::Values(values) => none_of(&[(values.explicit_row, "row"), (values.value_keyword, "value")]),
        _ => ControlFlow::Continue(()),
    }
}

fn check_select(select: &Select) -> ControlFlow<EngineError> {
    none_of(&[
        (select.top.is_some(), "top"),
        (select.qualify.is_some(), "qualify"),
        (select.exclude.is_some(), "exclude"),
        (!select.lateral_views.is_empty(), "view"),
        (select.prewhere.is_some(), "prewhere"),
        (!select.connect_by.is_empty(), "connect"),
        (!select.cluster_by.is_empty(), "cluster"),
        (!select.distribute_by.is_empty(), "distribute"),
        (!select.sort_by.is_empty(), "sort"),
        (select.value_table_mode.is_some(), "as"),
        (select.select_modifiers.is_some(), "select"),
        (matches!(select.group_by, GroupByExpr::All(_)), "all"),
        (matches!(select.distinct, Some(Distinct::Distinct)) && select.projection.is_empty(), "from"),
    ])?;
    for item in &select.projection {
        if let SelectItem::Wildcard(options) | SelectItem::QualifiedWildcard(_, options) = item {
            none_of(&[
                (options.opt_ilike.is_some(), "ilike"),
                (options.opt_exclude.is_some(), "exclude"),
                (options.opt_except.is_some(), "("),
                (options.opt_replace.is_some(), "replace"),
                (options.opt_rename.is_some(), "rename"),
            ])?;
        }
    }
    for join in select.from.iter().flat_map(|from| &from.joins) {
        use JoinOperator as J;
        none_of(&[
            (join.global, "global"),
            (matches!(join.join_operator, J::Semi(_) | J::LeftSemi(_) | J::RightSemi(_)), "semi"),
            (matches!(join.join_operator, J::Anti(_) | J::LeftAnti(_) | J::RightAnti(_)), "anti"),
            (matches!(join.join_operator, J::CrossApply | J::OuterApply), "apply"),
            (matches!(join.join_operator, J::AsOf { .. }), "join"),
            (matches!(join.join_operator, J::StraightJoin(_)), "straight_join"),
            (matches!(join.join_operator, J::ArrayJoin | J::LeftArrayJoin | J::InnerArrayJoin), "array"),
        ])?;
    }
    ControlFlow::Continue(())
}

fn check_create_table(create: &CreateTable) -> ControlFlow<EngineError> {
    none_of(&[
        (create.or_replace, "table"),
        (create.external, "external"),
        (create.transient, "transient"),
        (create.volatile, "volatile"),
        (create.clone.is_some(), "clone"),
        (create.comment.is_some(), "comment"),
        (create.strict, "strict"),
        (create.without_rowid, "without"),
        (create.order_by.is_some(), "order"),
        (create.cluster_by.is_some(), "cluster"),
        (create.clustered_by.is_some(), "clustered"),
        (create.primary_key.is_some(), "primary"),
        (create.on_cluster.is_some(), "on"),
        (create.location.is_some(), "location"),
        (create.file_format.is_some(), "stored"),
    ])?;
    create.columns.iter().try_for_each(check_column)
}

fn check_column(column: &ColumnDef) -> ControlFlow<EngineError> {
    column.options.iter().try_for_each(|option| match &option.option {
        ColumnOption::DialectSpecific(tokens) => {
            near(&tokens.first().map(ToString::to_string).unwrap_or_default().to_lowercase())
        }
        ColumnOption::Comment(_) => near("comment"),
        ColumnOption::Default(expr) => beyond_default(expr).map_or(ControlFlow::Continue(()), near),
        _ => ControlFlow::Continue(()),
    })
}

/// What a column's DEFAULT may have in parentheses only (it is a `b_expr`: NOT NULL and the like may follow it).
fn beyond_default(expr: &Expr) -> Option<&'static str> {
    match expr {
        Expr::InList { .. } | Expr::InSubquery { .. } => Some("in"),
        Expr::Between { .. } => Some("between"),
        Expr::Like { .. } => Some("like"),
        Expr::ILike { .. } => Some("ilike"),
        Expr::SimilarTo { .. } => Some("similar"),
        Expr::IsNull(_) => Some("null"),
        Expr::IsNotNull(_) => Some("not"),
        Expr::IsTrue(_) | Expr::IsNotTrue(_) => Some("true"),
        Expr::IsFalse(_) | Expr::IsNotFalse(_) => Some("false"),
        Expr::IsUnknown(_) | Expr::IsNotUnknown(_) => Some("unknown"),
        Expr::AtTimeZone { .. } => Some("at"),
        Expr::AnyOp { .. } => Some("any"),
        Expr::AllOp { .. } => Some("all"),
        Expr::UnaryOp { op: UnaryOperator::Not, .. } => Some("not"),
        Expr::UnaryOp { expr, .. } | Expr::Cast { kind: CastKind::DoubleColon, expr, .. } => beyond_default(expr),
        Expr::BinaryOp { op: BinaryOperator::And, .. } => Some("and"),
        Expr::BinaryOp { op: BinaryOperator::Or, .. } => Some("or"),
        Expr::BinaryOp { left, right, .. }
        | Expr::IsDistinctFrom(left, right)
        | Expr::IsNotDistinctFrom(left, right) => beyond_default(left).or_else(|| beyond_default(right)),
        _ => None,
    }
}
