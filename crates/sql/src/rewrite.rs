//! PostgreSQL's spelling to DataFusion's, on the syntax tree, before planning.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::LazyLock;

use datafusion::sql::sqlparser::ast::{
    self, BinaryOperator, CastKind, DataType, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident,
    ObjectName, ObjectNamePart, Query, SelectItem, SetExpr, Statement, TableAlias, TableAliasColumnDef, TableFactor,
    Value, VisitMut, VisitorMut,
};
use engine::{EngineError, Result};

use crate::ddl::{ident, object_name};
use crate::outside;
use crate::session::Shared;

/// Functions whose DataFusion namesakes take other arguments or mean something else.
const DIFFERENT: &[&str] = &[
    "to_char",
    "to_date",
    "to_timestamp",
    "to_number",
    "to_unixtime",
    "date_format",
    "date_bin",
    "make_date",
    "age",
    "justify_days",
    "justify_hours",
    "justify_interval",
    "to_local_time",
    "current_time",
    "format",
    "regexp_match",
    "regexp_matches",
    "width_bucket",
    "percentile_cont",
    "percentile_disc",
    "mode",
    "to_hex",
    "factorial",
    "encode",
    "decode",
    "random_normal",
    "extract_duration",
    "log2",
    "array_to_json",
    "row_to_json",
    "json_agg",
    "arrow_cast",
    "arrow_typeof",
    "named_struct",
    "struct",
    "row",
    "regexp_split_to_table",
    "regexp_split_to_array",
    "unnest",
    "pg_sleep",
];

/// PostgreSQL's names of functions that have another here. A rebuilt planner state registers DataFusion's own again, by
/// their aliases: what we replace needs a name of its own.
const RENAMED: &[(&str, &str)] = &[
    ("upper", "pg_upper"),
    ("lower", "pg_lower"),
    ("now", "pg_now"),
    ("current_timestamp", "pg_now"),
    ("array_to_string", "pg_array_to_string"),
    ("array_length", "pg_array_length"),
    ("array_upper", "pg_array_upper"),
    ("array_lower", "pg_array_lower"),
    ("array_ndims", "pg_array_ndims"),
    ("array_dims", "pg_array_dims"),
    ("cardinality", "pg_cardinality"),
    ("array_cat", "pg_array_cat"),
    ("array_append", "pg_array_append"),
    ("array_prepend", "pg_array_prepend"),
    ("array_position", "pg_array_position"),
    ("array_positions", "pg_array_positions"),
    ("array_remove", "pg_array_remove"),
    ("array_replace", "pg_array_replace"),
    ("trim_array", "pg_trim_array"),
    ("gcd", "pg_gcd"),
    ("lcm", "pg_lcm"),
    ("string_to_array", "pg_string_to_array"),
    ("date_trunc", "pg_date_trunc"),
    ("timezone", "pg_timezone"),
    ("exp", "pg_exp"),
    ("ln", "pg_ln"),
    ("log", "pg_log10"),
    ("log10", "pg_log10"),
    ("power", "pg_power"),
    ("pow", "pg_power"),
    ("sqrt", "pg_sqrt"),
    ("octet_length", "pg_octet_length"),
    ("acos", "pg_acos"),
    ("asin", "pg_asin"),
    ("acosh", "pg_acosh"),
    ("atanh", "pg_atanh"),
    ("sin", "pg_sin"),
    ("cos", "pg_cos"),
    ("tan", "pg_tan"),
    ("degrees", "pg_degrees"),
    ("radians", "pg_radians"),
    ("cbrt", "pg_cube_root"),
    ("asinh", "pg_asinh"),
    ("cot", "pg_cot"),
    ("lpad", "pg_lpad"),
    ("rpad", "pg_rpad"),
    ("repeat", "pg_repeat"),
    ("array_sort", "pg_array_sort"),
    ("ceiling", "ceil"),
    ("sign", "signum"),
    ("every", "bool_and"),
    ("variance", "var_samp"),
];

/// `insert` says that the query is the source of an INSERT.
pub fn statement(statement: &mut Statement, shared: &Shared, insert: bool) -> Result<()> {
    crate::functional_dependency::complete(statement, shared)?;
    crate::reg_types::resolve(statement, shared)?;
    match statement.visit(&mut Rewriter { shared, insert }) {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(()),
    }
}

struct Rewriter<'a> {
    shared: &'a Shared,
    insert: bool,
}

fn last(name: &ObjectName) -> Option<&Ident> {
    name.0.last().and_then(|p| p.as_ident())
}

fn is_catalog_qualified(name: &ObjectName) -> bool {
    name.0.len() == 2 && name.0[0].as_ident().is_some_and(|i| i.value.eq_ignore_ascii_case("pg_catalog"))
}

fn number(value: impl ToString) -> Expr {
    Expr::value(Value::Number(value.to_string(), false))
}

fn cast_to(expr: Expr, data_type: DataType) -> Expr {
    Expr::Cast { kind: CastKind::Cast, expr: Box::new(expr), data_type, array: false, format: None }
}

use BinaryOperator as B;

impl VisitorMut for Rewriter<'_> {
    type Break = EngineError;

    fn pre_visit_relation(&mut self, name: &mut ObjectName) -> ControlFlow<EngineError> {
        match object_name(name, &self.shared.database.1) {
            Err(error) if name.0.len() == 3 => ControlFlow::Break(error),
            _ => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<EngineError> {
        if !query.locks.is_empty() {
            return ControlFlow::Break(EngineError::unsupported("SELECT ... FOR UPDATE/SHARE"));
        }
        crate::unknown_columns::resolve(&mut query.body);
        if let Some(order) = &query.order_by
            && let ast::OrderByKind::Expressions(keys) = &order.kind
            && keys.iter().any(|k| matches!(&k.expr, Expr::Value(v) if matches!(v.value, Value::SingleQuotedString(_))))
        {
            return ControlFlow::Break(EngineError::new("42601", "non-integer constant in ORDER BY"));
        }
        if let (SetExpr::SetOperation { .. }, Some(order)) = (&*query.body, &query.order_by)
            && let ast::OrderByKind::Expressions(keys) = &order.kind
            && keys.iter().any(|key| !matches!(&key.expr, Expr::Identifier(_) | Expr::Value(_)))
        {
            let error = EngineError::new("0A000", "invalid UNION/INTERSECT/EXCEPT ORDER BY clause");
            return ControlFlow::Break(
                error.detail("Only result column names can be used, not expressions or functions."),
            );
        }
        if let Some(with) = query.with.as_mut().filter(|with| with.recursive) {
            for cte in &mut with.cte_tables {
                let itself = |name: &ObjectName| last(name).is_some_and(|name| ident(name) == ident(&cte.alias.name));
                let recursive = ast::visit_relations(&cte.query, |name| match itself(name) {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                });
                if recursive.is_break() {
                    crate::recursion::check_clauses(&ident(&cte.alias.name), &cte.query)?;
                    typed_start(&mut cte.query.body)?;
                }
            }
        }
        output_names_in_order(query)?;
        self.body(&mut query.body)?;
        self.insert = false;
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<EngineError> {
        if let Err(error) = crate::from_functions::replace(factor) {
            return ControlFlow::Break(error);
        }
        match factor {
            TableFactor::Table { name, args: Some(_), alias, with_ordinality, .. } => {
                if *with_ordinality {
                    return ControlFlow::Break(EngineError::unsupported("WITH ORDINALITY"));
                }
                // DataFusion looks the function up by the first part, as it is written.
                if let Some(function) = last(name).map(ident) {
                    if let Err(error) = crate::function_names::check(&function) {
                        return ControlFlow::Break(error);
                    }
                    *name = ObjectName(vec![ObjectNamePart::Identifier(Ident::new(function))]);
                }
                // An alias without columns names the function's only column too.
                if let Some(TableAlias { name, columns, .. }) = alias
                    && columns.is_empty()
                {
                    columns.push(TableAliasColumnDef::from_name(&name.value));
                    columns[0].name.quote_style = name.quote_style;
                }
            }
            TableFactor::UNNEST { alias, array_exprs, with_ordinality, .. } => {
                if *with_ordinality {
                    return ControlFlow::Break(EngineError::unsupported("WITH ORDINALITY"));
                }
                let unnest = || TableAlias { explicit: false, name: Ident::new("unnest"), columns: vec![], at: None };
                if array_exprs.len() > 1 {
                    let columns = &mut alias.get_or_insert_with(unnest).columns;
                    // All are called unnest.
                    let names = (columns.len()..array_exprs.len()).map(|at| hidden(at, "unnest"));
                    let names = names.map(|name| Ident::with_quote('"', name));
                    columns.extend(names.map(|name| TableAliasColumnDef { name, data_type: None }));
                }
                if let [_] = array_exprs.as_slice() {
                    let TableAlias { name, columns, .. } = alias.get_or_insert_with(unnest);
                    if columns.is_empty() {
                        columns.push(TableAliasColumnDef { name: name.clone(), data_type: None });
                    }
                }
                // The number tells those apart that look alike.
                for (index, array) in array_exprs.iter_mut().enumerate() {
                    *array = calls("pg_flat", vec![taken(array), number(index)]);
                }
            }
            TableFactor::Derived { lateral: true, .. } | TableFactor::Function { lateral: true, .. } => {
                return ControlFlow::Break(EngineError::unsupported("LATERAL"));
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<EngineError> {
        if let Some(array) = crate::element_queries::replacement(expr) {
            *expr = array;
        }
        // A sign binds closer than `^`, and `|/` looser than arithmetic; sqlparser has both the other way.
        if let Expr::UnaryOp { op: ast::UnaryOperator::Minus, expr: inner } = expr
            && let Expr::BinaryOp { op: BinaryOperator::PGExp, left, .. } = &mut **inner
        {
            let base = std::mem::replace(&mut **left, Expr::value(Value::Null));
            **left = Expr::UnaryOp { op: ast::UnaryOperator::Minus, expr: Box::new(base) };
            let power = std::mem::replace(&mut **inner, Expr::value(Value::Null));
            *expr = power;
        }
        if let Expr::BinaryOp { left, .. } = expr
            && let Expr::UnaryOp { op, .. } = &**left
            && matches!(
                op,
                ast::UnaryOperator::PGSquareRoot | ast::UnaryOperator::PGCubeRoot | ast::UnaryOperator::PGAbs
            )
        {
            let error = EngineError::unsupported(format!("{op} as an operand without parentheses"));
            return ControlFlow::Break(error.hint("Put it in parentheses."));
        }
        if let Expr::Tuple(_) = expr {
            return ControlFlow::Break(EngineError::unsupported("a row as a value"));
        }
        if let Expr::BinaryOp { left, op: op @ (B::Lt | B::LtEq | B::Gt | B::GtEq), right } = expr
            && [&**left, &**right].into_iter().all(|side| cast_type(side).as_deref() == Some("xid"))
        {
            return ControlFlow::Break(EngineError::new("42883", format!("operator does not exist: xid {op} xid")));
        }
        if let Some(name) = type_without_a_kind(expr) {
            *expr = call("pg_type_name", Expr::value(Value::SingleQuotedString(name)));
            return ControlFlow::Continue(());
        }
        if let Expr::Cast { expr: inner, data_type, .. } = expr {
            typed_elements(inner, data_type);
        }
        // The text of a regclass is the name.
        if let Expr::Cast { expr: inner, data_type, .. } = expr
            && type_name(data_type).as_deref() == Some("text")
            && let Some(function) = name_function(inner)
        {
            *expr = cast_to(call(function, taken(inner)), DataType::Text);
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<EngineError> {
        match expr {
            Expr::Function(_) => return self.function(expr),
            Expr::Identifier(name) if name.quote_style.is_none() => {
                let lower = name.value.to_lowercase();
                if lower == "current_date" {
                    *expr = cast_to(calls("pg_now", vec![]), DataType::Date);
                } else if matches!(lower.as_str(), "current_role" | "current_schema" | "current_catalog") {
                    *expr = calls(&lower, vec![]);
                }
            }
            // More digits than an Arrow decimal has.
            Expr::Value(value) => {
                if let Value::Number(text, _) = &value.value
                    && (text.contains(['e', 'E']) || text.bytes().filter(u8::is_ascii_digit).count() > 38)
                {
                    // DataFusion would make an exponent a negative scale, with which Arrow computes wrongly.
                    let plain = match crate::numeric::Numeric::parse(text) {
                        Ok(number) => number.to_string(),
                        Err(error) => return ControlFlow::Break(error),
                    };
                    let short = plain.bytes().filter(u8::is_ascii_digit).count() <= 38;
                    *expr = if short && plain.contains('.') {
                        Expr::value(Value::Number(plain, false))
                    } else {
                        call("pg_numeric", Expr::value(Value::SingleQuotedString(plain)))
                    };
                }
            }
            Expr::Substring { substring_from: Some(from), .. } if matches!(&**from, Expr::Value(v) if matches!(v.value, Value::SingleQuotedString(_))) =>
            {
                return ControlFlow::Break(EngineError::unsupported("substring(... from pattern)"));
            }
            Expr::Array(array) if array.elem.is_empty() => {
                let error = EngineError::new("42P18", "cannot determine type of empty array");
                return ControlFlow::Break(
                    error.hint("Explicitly cast to the desired type, for example ARRAY[]::integer[]."),
                );
            }
            Expr::BinaryOp { op: BinaryOperator::PGExp, left, right } => {
                let taken = |e: &mut Box<Expr>| std::mem::replace(&mut **e, Expr::value(Value::Null));
                *expr = calls("pg_power", vec![taken(left), taken(right)]);
            }
            Expr::UnaryOp { op, expr: inner } => {
                let name = match op {
                    ast::UnaryOperator::PGSquareRoot => "pg_square_root",
                    ast::UnaryOperator::PGCubeRoot => "pg_cube_root",
                    ast::UnaryOperator::Plus if !matches!(&**inner, Expr::Value(_)) => "pg_plus",
                    ast::UnaryOperator::PGAbs => "abs",
                    _ => return ControlFlow::Continue(()),
                };
                *expr = call(name, std::mem::replace(&mut **inner, Expr::value(Value::Null)));
            }
            Expr::BinaryOp { op, .. } => {
                if let BinaryOperator::PGCustomBinaryOperator(parts) = op {
                    let known = match parts.last().map(String::as_str) {
                        Some("~") => BinaryOperator::PGRegexMatch,
                        Some("!~") => BinaryOperator::PGRegexNotMatch,
                        Some("~*") => BinaryOperator::PGRegexIMatch,
                        Some("!~*") => BinaryOperator::PGRegexNotIMatch,
                        Some("=") => BinaryOperator::Eq,
                        Some("<>") => BinaryOperator::NotEq,
                        Some("~~") => BinaryOperator::PGLikeMatch,
                        Some("+") => BinaryOperator::Plus,
                        _ => return ControlFlow::Continue(()),
                    };
                    *op = known;
                }
                if let Expr::BinaryOp {
                    op: B::PGRegexMatch | B::PGRegexNotMatch | B::PGRegexIMatch | B::PGRegexNotIMatch,
                    right,
                    ..
                } = expr
                {
                    let pattern = std::mem::replace(&mut **right, Expr::value(Value::Null));
                    **right = call("pg_regex", pattern);
                }
            }
            Expr::Collate { collation, .. }
                if !last(collation).is_some_and(|c| {
                    ["default", "c", "posix", "ucs_basic"].contains(&c.value.to_lowercase().as_str())
                }) =>
            {
                return ControlFlow::Break(EngineError::unsupported(format!("COLLATE {collation}")));
            }
            Expr::Collate { expr: inner, .. } => *expr = std::mem::replace(&mut **inner, Expr::value(Value::Null)),
            Expr::Cast { .. } => return self.cast(expr),
            Expr::Subquery(query) => single_row(query),
            Expr::SimilarTo { negated, expr: text, pattern, escape_char } => {
                let taken = |e: &mut Box<Expr>| std::mem::replace(&mut **e, Expr::value(Value::Null));
                let arguments = std::iter::once(taken(pattern)).chain(escape_char.take().map(Expr::Value));
                let op = if *negated { BinaryOperator::PGRegexNotMatch } else { BinaryOperator::PGRegexMatch };
                let pattern = calls("pg_similar", arguments.collect());
                *expr = Expr::BinaryOp { left: Box::new(taken(text)), op, right: Box::new(pattern) };
            }
            Expr::Like { any: false, pattern, escape_char, .. }
            | Expr::ILike { any: false, pattern, escape_char, .. } => {
                if let Some(escape) = escape_char.take() {
                    let written = std::mem::replace(&mut **pattern, Expr::value(Value::Null));
                    **pattern = calls("like_escape", vec![written, Expr::Value(escape)]);
                }
            }
            Expr::Extract { field, expr: value, .. } => {
                let field = field.to_string().to_lowercase();
                let field = Expr::value(Value::SingleQuotedString(field.trim_matches(['"', '\'']).to_string()));
                *expr = calls("pg_extract", vec![field, taken(value)]);
            }
            Expr::Interval(interval) => {
                let precision = interval.leading_precision.or(interval.fractional_seconds_precision);
                let last = interval.last_field.as_ref().or(interval.leading_field.as_ref());
                let fields = match (&interval.leading_field, last) {
                    (Some(first), Some(last)) => format!("{first} TO {last}"),
                    _ => String::new(),
                };
                if !matches!(&*interval.value, Expr::Value(v) if matches!(v.value, Value::SingleQuotedString(_))) {
                    return ControlFlow::Break(EngineError::new("42601", "syntax error in an interval constant"));
                }
                *expr = interval_call(taken(&mut interval.value), &fields, precision);
            }
            Expr::TypedString(ast::TypedString {
                data_type: DataType::Interval { fields, precision }, value, ..
            }) => {
                let fields = fields.as_ref().map(ToString::to_string).unwrap_or_default();
                *expr = interval_call(Expr::Value(value.clone()), &fields, *precision);
            }
            Expr::AtTimeZone { timestamp, time_zone } => {
                *expr = calls("pg_timezone", vec![taken(time_zone), taken(timestamp)]);
            }
            Expr::AnyOp { left, compare_op, right, .. } if !matches!(**right, Expr::Subquery(_)) => {
                *expr = quantified("pg_any", left, compare_op, right);
            }
            Expr::AllOp { left, compare_op, right } if !matches!(**right, Expr::Subquery(_)) => {
                *expr = quantified("pg_all", left, compare_op, right);
            }
            Expr::Like { any: true, .. } | Expr::ILike { any: true, .. } => {
                return ControlFlow::Break(EngineError::unsupported("LIKE ANY"));
            }
            Expr::Array(array) => *expr = calls("pg_array", std::mem::take(&mut array.elem)),
            Expr::CompoundFieldAccess { root, access_chain } => {
                return subscripts(root, access_chain).map_or_else(ControlFlow::Break, |call| {
                    *expr = call;
                    ControlFlow::Continue(())
                });
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

impl Rewriter<'_> {
    /// A query without its ORDER BY and LIMIT.
    fn body(&mut self, body: &mut SetExpr) -> ControlFlow<EngineError> {
        match body {
            SetExpr::Select(select) => {
                if select.into.is_some() {
                    return ControlFlow::Break(EngineError::unsupported("SELECT INTO"));
                }
                series_in_list(select)?;
                crate::unnest_list::replace(select);
                show_names(&mut select.projection);
                unique_names(&mut select.projection);
            }
            SetExpr::Values(values) if has_subqueries(values) => {
                *body = rows_of_selects(values)?;
                self.body(body)?;
            }
            // The rows of an INSERT take their columns' types anyway.
            SetExpr::Values(values) if !self.insert => typed_values(values),
            SetExpr::SetOperation { op, set_quantifier, left, right } => {
                if *set_quantifier == ast::SetQuantifier::All && *op != ast::SetOperator::Union {
                    return ControlFlow::Break(EngineError::unsupported(format!("{op} ALL")));
                }
                self.body(left)?;
                self.body(right)?;
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn function(&mut self, expr: &mut Expr) -> ControlFlow<EngineError> {
        let Expr::Function(function) = expr else { return ControlFlow::Continue(()) };
        if is_catalog_qualified(&function.name) {
            function.name.0.remove(0);
        }
        if function.name.0.len() == 1
            && let Some(name) = last(&function.name).map(ident)
        {
            if crate::unnest_list::is_list(function) || crate::element_queries::is_lambda_call(function) {
                return ControlFlow::Continue(());
            }
            if let Err(error) = crate::function_names::check(&name) {
                return ControlFlow::Break(error);
            }
            if let ("mod", FunctionArguments::List(list)) = (name.as_str(), &mut function.args)
                && let [
                    FunctionArg::Unnamed(FunctionArgExpr::Expr(left)),
                    FunctionArg::Unnamed(FunctionArgExpr::Expr(right)),
                ] = list.args.as_mut_slice()
            {
                let (left, right) = (Box::new(taken(left)), Box::new(taken(right)));
                *expr = Expr::Nested(Box::new(Expr::BinaryOp { left, op: B::Modulo, right }));
                return ControlFlow::Continue(());
            }
            if matches!(name.as_str(), "position" | "similar_to_escape") {
                // What the grammar calls `position` takes IN; sqlparser leaves a call with commas a function.
                let error = match name.as_str() {
                    "position" => EngineError::new("42601", "syntax error at or near \",\""),
                    _ => EngineError::unsupported("function similar_to_escape"),
                };
                return ControlFlow::Break(error);
            }
            if name == "log" && matches!(&function.args, FunctionArguments::List(l) if l.args.len() > 1) {
                return ControlFlow::Break(EngineError::unsupported("log(base, x)"));
            }
            if let ("array", FunctionArguments::Subquery(query)) = (name.as_str(), &mut function.args) {
                *expr = array_of(query);
                return ControlFlow::Continue(());
            }
            if matches!(function.args, FunctionArguments::Subquery(_)) {
                return ControlFlow::Break(EngineError::unsupported("a subquery as a function's arguments"));
            }
            if name == "current_date" && matches!(function.args, FunctionArguments::None) {
                *expr = cast_to(calls("pg_now", vec![]), DataType::Date);
                return ControlFlow::Continue(());
            }
            if name == "date_part"
                && let FunctionArguments::List(list) = &mut function.args
                && list.args.len() == 2
            {
                function.name = ObjectName(vec![ObjectNamePart::Identifier(Ident::new("pg_extract"))]);
                *expr = cast_to(taken(expr), DataType::DoublePrecision);
                return ControlFlow::Continue(());
            }
            if DIFFERENT.contains(&name.as_str()) {
                return ControlFlow::Break(EngineError::unsupported(format!("function {name}")));
            }
            if name == "generate_series" {
                return ControlFlow::Break(EngineError::unsupported("a set-returning function in an expression"));
            }
            if matches!(name.as_str(), "string_agg" | "array_agg") {
                sorted_if_distinct(function);
            }
            if name == "array_agg" {
                *expr = call("pg_gathered", taken(expr));
                return ControlFlow::Continue(());
            }
            // A relation's name, where PostgreSQL casts it to regclass.
            if matches!(
                name.as_str(),
                "pg_table_size" | "pg_total_relation_size" | "pg_relation_size" | "pg_indexes_size"
            ) && let FunctionArguments::List(list) = &mut function.args
                && let Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(value)))) = list.args.first_mut()
                && let Value::SingleQuotedString(text) = &value.value
            {
                match crate::reg_types::oid_of(self.shared, "regclass", text) {
                    Ok(oid) => value.value = Value::Number(oid.to_string(), false),
                    Err(error) => return ControlFlow::Break(error),
                }
            }
            const OVER: &[&str] = &[
                "cume_dist",
                "dense_rank",
                "first_value",
                "lag",
                "last_value",
                "lead",
                "nth_value",
                "ntile",
                "percent_rank",
                "rank",
                "row_number",
            ];
            if OVER.contains(&name.as_str()) && function.over.is_none() && function.within_group.is_empty() {
                let message = format!("window function {name} requires an OVER clause");
                return ControlFlow::Break(EngineError::new("42809", message));
            }
            if name == "count" && matches!(&function.args, FunctionArguments::List(l) if l.args.len() > 1) {
                return ControlFlow::Break(EngineError::new(
                    "42883",
                    "function count of several arguments does not exist",
                ));
            }
            if name == "count" && matches!(&function.args, FunctionArguments::List(l) if l.args.is_empty()) {
                let error =
                    EngineError::new("42809", "count(*) must be used to call a parameterless aggregate function");
                return ControlFlow::Break(error);
            }
            if let Some(&(_, ours)) = RENAMED.iter().find(|(theirs, _)| *theirs == name) {
                function.name = ObjectName(vec![ObjectNamePart::Identifier(Ident::new(ours))]);
                if matches!(function.args, FunctionArguments::None) {
                    function.args = FunctionArguments::List(ast::FunctionArgumentList {
                        duplicate_treatment: None,
                        args: vec![],
                        clauses: vec![],
                    });
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn cast(&mut self, expr: &mut Expr) -> ControlFlow<EngineError> {
        let Expr::Cast { expr: inner, data_type, .. } = expr else { return ControlFlow::Continue(()) };
        let name = type_name(data_type).filter(|n| n != "text" || !matches!(data_type, DataType::Text));
        let inner = std::mem::replace(&mut **inner, Expr::value(Value::Null));
        let replaced = match name.as_deref() {
            Some(ty @ ("regclass" | "regtype" | "regnamespace" | "regrole")) => {
                match crate::reg_types::constant(&inner) {
                    Some(Some(text)) => match crate::reg_types::oid_of(self.shared, ty, &text) {
                        Ok(oid) => number(oid),
                        Err(error) => return ControlFlow::Break(error),
                    },
                    Some(None) => cast_to(Expr::value(Value::Null), DataType::BigInt(None)),
                    // A text that is no constant, or an OID already.
                    None => call(&format!("pg_{ty}"), inner),
                }
            }
            Some(ty @ "regproc") if matches!(crate::reg_types::constant(&inner), Some(Some(_))) => {
                let text = crate::reg_types::constant(&inner).flatten().unwrap_or_default();
                match crate::reg_types::oid_of(self.shared, ty, &text) {
                    Ok(oid) => number(oid),
                    // Columns of the type hold names.
                    Err(error) if error.code == "0A000" => cast_to(inner, DataType::Text),
                    Err(error) => return ControlFlow::Break(error),
                }
            }
            Some("oid") => match &inner {
                // Negative numbers wrap round.
                Expr::Value(value) => match &value.value {
                    Value::SingleQuotedString(text) => match text.trim().parse::<i64>() {
                        Ok(oid) if (-(1 << 31)..1 << 32).contains(&oid) => call("pg_oid", number(oid as u32)),
                        Ok(_) => {
                            let message = format!("value \"{text}\" is out of range for type oid");
                            return ControlFlow::Break(EngineError::new("22003", message));
                        }
                        Err(_) => {
                            let message = format!("invalid input syntax for type oid: \"{text}\"");
                            return ControlFlow::Break(EngineError::new("22P02", message));
                        }
                    },
                    _ => call("pg_oid", inner),
                },
                _ => call("pg_oid", inner),
            },
            Some("interval") => {
                let (fields, precision) = match data_type {
                    DataType::Interval { fields, precision } => (fields.as_ref().map(ToString::to_string), *precision),
                    _ => (None, None),
                };
                interval_call(inner, &fields.unwrap_or_default(), precision)
            }
            Some("xid") => call("pg_xid", inner),
            Some("xid8") => call("pg_xid8", inner),
            Some("cid") => call("pg_cid", inner),
            Some("char") if matches!(data_type, DataType::Custom(name, _) if is_quoted_char(name)) => {
                call("pg_char", inner)
            }
            Some("name") => call("pg_name", inner),
            Some("bpchar") => call("pg_bpchar", inner),
            Some("char" | "regproc" | "pg_node_tree" | "text" | "aclitem") => cast_to(inner, DataType::Text),
            _ => {
                if let Expr::Cast { expr: place, .. } = expr {
                    **place = inner;
                }
                return ControlFlow::Continue(());
            }
        };
        *expr = replaced;
        ControlFlow::Continue(())
    }
}

/// PostgreSQL finds distinct values by sorting them.
fn sorted_if_distinct(function: &mut Function) {
    let FunctionArguments::List(list) = &mut function.args else { return };
    let ordered = list.clauses.iter().any(|c| matches!(c, ast::FunctionArgumentClause::OrderBy(_)));
    if list.duplicate_treatment == Some(ast::DuplicateTreatment::Distinct)
        && !ordered
        && let Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))) = list.args.first()
    {
        list.clauses.push(ast::FunctionArgumentClause::OrderBy(vec![ast::OrderByExpr {
            expr: argument.clone(),
            options: ast::OrderByOptions { asc: None, nulls_first: None },
            with_fill: None,
        }]));
    }
}

/// Puts the column's table, if there is one for its name, before bare names outside of subqueries.
pub fn qualify(node: &mut impl VisitMut, tables: &HashMap<String, Ident>) {
    let _ = outside::visit_mut(node, |expr| {
        if let Expr::Identifier(name) = expr
            && let Some(table) = tables.get(&ident(name))
        {
            *expr = Expr::CompoundIdentifier(vec![table.clone(), name.clone()]);
        }
        ControlFlow::<()>::Continue(())
    });
}

/// `pg_typeof` of a cast to a type that is held as another: its name.
fn type_without_a_kind(expr: &Expr) -> Option<String> {
    let Expr::Function(function) = expr else { return None };
    let FunctionArguments::List(list) = &function.args else { return None };
    let ([FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Cast { data_type, .. }))], "pg_typeof") =
        (list.args.as_slice(), last(&function.name).map(ident)?.as_str())
    else {
        return None;
    };
    match type_name(data_type)?.as_str() {
        name @ ("regtype" | "regclass" | "regproc" | "regrole" | "regnamespace") => Some(name.into()),
        _ => None,
    }
}

/// `"char"`, a single byte, and not `char`.
fn is_quoted_char(name: &ObjectName) -> bool {
    last(name).is_some_and(|name| name.quote_style.is_some() && name.value == "char")
}

fn taken(expr: &mut Expr) -> Expr {
    std::mem::replace(expr, Expr::value(Value::Null))
}

/// An interval, of these fields (`YEAR TO MONTH`, or none) and so many digits of seconds.
fn interval_call(value: Expr, fields: &str, precision: Option<u64>) -> Expr {
    let mut arguments = vec![value];
    if !fields.is_empty() || precision.is_some() {
        arguments.push(Expr::value(Value::SingleQuotedString(fields.to_lowercase())));
    }
    arguments.extend(precision.map(number));
    calls("pg_interval", arguments)
}

fn quantified(function: &str, left: &mut Expr, op: &BinaryOperator, right: &mut Expr) -> Expr {
    let op = match op {
        BinaryOperator::PGCustomBinaryOperator(parts) => parts.last().cloned().unwrap_or_default(),
        op => op.to_string(),
    };
    let op = Expr::value(Value::SingleQuotedString(if op == "!=" { "<>".into() } else { op }));
    calls(function, vec![op, taken(left), taken(right)])
}

/// `ARRAY[a, b]::type[]`: the type is the elements', also where there are none.
fn typed_elements(expr: &mut Expr, data_type: &DataType) {
    let DataType::Array(ast::ArrayElemTypeDef::SquareBracket(element, _)) = data_type else { return };
    let Expr::Array(array) = expr else { return };
    let mut innermost = &**element;
    while let DataType::Array(ast::ArrayElemTypeDef::SquareBracket(inner, _)) = innermost {
        innermost = inner;
    }
    if array.elem.is_empty() {
        *expr = Expr::value(Value::SingleQuotedString("{}".into()));
        return;
    }
    for element in &mut array.elem {
        if matches!(element, Expr::Array(_)) {
            typed_elements(element, data_type);
        } else if matches!(element, Expr::Value(_)) {
            // What is no constant has a type already; it is converted with the whole.
            *element = cast_to(taken(element), innermost.clone());
        }
    }
}

/// `a[1]`, `a[1:2]`: one slice among the subscripts makes all of them slices.
fn subscripts(root: &mut Expr, chain: &mut Vec<ast::AccessExpr>) -> Result<Expr> {
    use ast::{AccessExpr, Subscript};
    // A column that a subquery has made of `_pg_expandarray`; there are no other composite values.
    if let (Expr::Nested(column), [AccessExpr::Dot(Expr::Identifier(field))]) = (&mut *root, chain.as_slice())
        && let Expr::CompoundIdentifier(_) = &**column
    {
        let field = Expr::value(Value::SingleQuotedString(ident(field)));
        return Ok(calls("pg_field", vec![taken(column), field]));
    }
    // `t.a[1]`: the parser takes the column for a field of the table.
    if let Expr::Identifier(table) = root {
        let mut column = vec![table.clone()];
        while let Some(AccessExpr::Dot(Expr::Identifier(name))) = chain.first() {
            column.push(name.clone());
            chain.remove(0);
        }
        if column.len() > 1 {
            *root = Expr::CompoundIdentifier(column);
        }
    }
    let mut subscripts = Vec::new();
    for access in std::mem::take(chain) {
        match access {
            AccessExpr::Subscript(Subscript::Slice { stride: Some(_), .. }) => {
                return Err(EngineError::new("42601", "syntax error at or near \":\""));
            }
            AccessExpr::Subscript(subscript) => subscripts.push(subscript),
            AccessExpr::Dot(_) => return Err(EngineError::unsupported("fields of composite types")),
        }
    }
    if matches!(root, Expr::Function(function) if last(&function.name).is_some_and(|name| name.value == "pg_array")) {
        return Err(EngineError::new("42601", "syntax error at or near \"[\""));
    }
    // As many as arrays have dimensions (MAXDIM).
    if subscripts.len() > 6 {
        let message = format!("number of array dimensions ({}) exceeds the maximum allowed (6)", subscripts.len());
        return Err(EngineError::new("54000", message));
    }
    let slices = subscripts.iter().any(|subscript| matches!(subscript, Subscript::Slice { .. }));
    let mut arguments = vec![taken(root)];
    for subscript in subscripts {
        match subscript {
            Subscript::Index { index } if slices => arguments.extend([number(1), index]),
            Subscript::Index { index } => arguments.push(index),
            Subscript::Slice { lower_bound, upper_bound, .. } => {
                arguments.push(lower_bound.unwrap_or_else(|| number(1)));
                arguments.push(upper_bound.unwrap_or_else(|| number(i32::MAX)));
            }
        }
    }
    Ok(calls(if slices { "pg_slice" } else { "pg_subscript" }, arguments))
}

pub fn call(name: &str, argument: Expr) -> Expr {
    calls(name, vec![argument])
}

pub fn calls(name: &str, arguments: Vec<Expr>) -> Expr {
    Expr::Function(Function {
        name: ObjectName(vec![ObjectNamePart::Identifier(Ident::new(name))]),
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(ast::FunctionArgumentList {
            duplicate_treatment: None,
            args: arguments.into_iter().map(|e| FunctionArg::Unnamed(FunctionArgExpr::Expr(e))).collect(),
            clauses: vec![],
        }),
        filter: None,
        null_treatment: None,
        over: None,
        within_group: vec![],
    })
}

/// psql looks a column's default and collation up in subqueries by key; DataFusion wants to see that they give one row.
fn single_row(query: &mut Query) {
    let SetExpr::Select(select) = &mut *query.body else { return };
    let [SelectItem::UnnamedExpr(item) | SelectItem::ExprWithAlias { expr: item, .. }] =
        select.projection.as_mut_slice()
    else {
        return;
    };
    let by_key = select.from.iter().any(|from| match &from.relation {
        TableFactor::Table { name, .. } => {
            matches!(last(name).map(ident).as_deref(), Some("pg_attrdef" | "pg_collation"))
        }
        _ => false,
    });
    if by_key {
        *item = call("max", std::mem::replace(item, Expr::value(Value::Null)));
        // `AND a.atthasdef` only saves PostgreSQL the look-up.
        if let Some(Expr::BinaryOp { left, op: BinaryOperator::And, right }) = &mut select.selection
            && matches!(**right, Expr::CompoundIdentifier(_))
        {
            let kept = std::mem::replace(&mut **left, Expr::value(Value::Null));
            select.selection = Some(kept);
        }
    }
}

/// `ARRAY(SELECT …)`: the values in their order; an empty array if there are none.
fn array_of(query: &mut Query) -> Expr {
    if !gather(query) {
        let mut gathered = crate::parse::query("SELECT array_agg(x) FROM (SELECT 1) AS r(x)").expect("it is a query");
        if let SetExpr::Select(select) = &mut *gathered.body
            && let TableFactor::Derived { subquery, .. } = &mut select.from[0].relation
        {
            std::mem::swap(&mut **subquery, query);
        }
        *query = gathered;
    }
    call("pg_array_or_empty", Expr::Subquery(Box::new(query.clone())))
}

/// Makes a plain SELECT of one column gather that: it may be correlated, which DataFusion does not take deeper inside.
fn gather(query: &mut Query) -> bool {
    let Query { with: None, body, order_by, limit_clause: None, fetch: None, .. } = query else { return false };
    let SetExpr::Select(select) = &mut **body else { return false };
    let grouped = !matches!(&select.group_by, ast::GroupByExpr::Expressions(keys, _) if keys.is_empty());
    let [SelectItem::UnnamedExpr(item) | SelectItem::ExprWithAlias { expr: item, .. }] = &mut select.projection[..]
    else {
        return false;
    };
    let aggregates = outside::visit(item, |expr| match expr {
        Expr::Function(function) if gives_no_row(function) => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    if grouped || select.distinct.is_some() || select.having.is_some() || aggregates.is_break() {
        return false;
    }
    let mut keys = match order_by.take().map(|order| order.kind) {
        Some(ast::OrderByKind::Expressions(keys)) => keys,
        _ => vec![],
    };
    for key in &mut keys {
        if matches!(&key.expr, Expr::Value(value) if matches!(value.value, Value::Number(..))) {
            key.expr = item.clone();
        }
    }
    let value = std::mem::replace(item, Expr::value(Value::Null));
    *item = call("array_agg", value);
    if let Expr::Function(Function { args: FunctionArguments::List(list), .. }) = item
        && !keys.is_empty()
    {
        list.clauses.push(ast::FunctionArgumentClause::OrderBy(keys));
    }
    true
}

/// Is it a function that does not give a value for each row: an aggregate, one over a window, or a set?
pub fn gives_no_row(function: &Function) -> bool {
    static AGGREGATES: LazyLock<HashSet<String>> = LazyLock::new(|| {
        let all = datafusion::functions_aggregate::all_default_aggregate_functions();
        all.iter().flat_map(|f| f.aliases().iter().cloned().chain([f.name().to_string()])).collect()
    });
    let name = last(&function.name).map(ident).unwrap_or_default();
    function.over.is_some() || AGGREGATES.contains(&name) || ["generate_series", "unnest"].contains(&name.as_str())
}

/// `SELECT generate_series(…)` alone is a scan of the function.
fn series_in_list(select: &mut ast::Select) -> ControlFlow<EngineError> {
    let [item] = select.projection.as_mut_slice() else { return ControlFlow::Continue(()) };
    let (SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) = item else {
        return ControlFlow::Continue(());
    };
    let Expr::Function(function) = expr else { return ControlFlow::Continue(()) };
    let is_series = last(&function.name).map(ident).as_deref() == Some("generate_series");
    if !is_series || !select.from.is_empty() {
        return ControlFlow::Continue(());
    }
    let FunctionArguments::List(list) = &function.args else { return ControlFlow::Continue(()) };
    let args = ast::TableFunctionArgs { args: list.args.clone(), settings: None };
    let relation = TableFactor::Table {
        name: ObjectName(vec![ObjectNamePart::Identifier(Ident::new("generate_series"))]),
        alias: None,
        args: Some(args),
        with_hints: vec![],
        version: None,
        with_ordinality: false,
        partitions: vec![],
        json_path: None,
        sample: None,
        index_hints: vec![],
    };
    *expr = Expr::Identifier(Ident::new("generate_series"));
    select.from = vec![ast::TableWithJoins { relation, joins: vec![] }];
    ControlFlow::Continue(())
}

/// In an expression of ORDER BY names mean input columns; DataFusion would take output columns of that name.
fn output_names_in_order(query: &Query) -> ControlFlow<EngineError> {
    let (Some(order), SetExpr::Select(select)) = (&query.order_by, &*query.body) else {
        return ControlFlow::Continue(());
    };
    let ast::OrderByKind::Expressions(keys) = &order.kind else { return ControlFlow::Continue(()) };
    let own: Vec<String> = select
        .projection
        .iter()
        .filter_map(|item| match item {
            SelectItem::ExprWithAlias { expr, alias } => {
                let same = matches!(expr, Expr::Identifier(name) if ident(name) == ident(alias));
                (!same).then(|| ident(alias))
            }
            _ => None,
        })
        .collect();
    for key in keys {
        let Expr::Identifier(name) = &key.expr else { continue };
        let meant = |item: &&SelectItem| match item {
            SelectItem::UnnamedExpr(expr) => crate::labels::label(expr).as_deref() == Some(&ident(name)),
            SelectItem::ExprWithAlias { alias, .. } => ident(alias) == ident(name),
            _ => false,
        };
        let columns: HashSet<String> = select
            .projection
            .iter()
            .filter(meant)
            .map(|item| match item {
                SelectItem::UnnamedExpr(Expr::Identifier(name)) => ident(name),
                SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts))
                | SelectItem::ExprWithAlias { expr: Expr::CompoundIdentifier(parts), .. } => {
                    parts.iter().map(ident).collect::<Vec<_>>().join(".")
                }
                SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => expr.to_string(),
                item => item.to_string(),
            })
            .collect();
        if columns.len() > 1 {
            let message = format!("ORDER BY \"{}\" is ambiguous", ident(name));
            return ControlFlow::Break(EngineError::new("42702", message));
        }
    }
    for key in keys.iter().filter(|k| !matches!(k.expr, Expr::Identifier(_))) {
        let mut found = None;
        let _ = ast::visit_expressions(&key.expr, |e| {
            if let Expr::Identifier(name) = e
                && own.contains(&ident(name))
            {
                found = Some(ident(name));
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        if let Some(name) = found {
            let error =
                EngineError::unsupported(format!("ORDER BY an expression with the output column's name \"{name}\""));
            return ControlFlow::Break(error.hint("Qualify the input column, or repeat the expression."));
        }
    }
    ControlFlow::Continue(())
}

/// Marks the names of equal columns: `?`, a number, `?`, the name. See [`visible`].
pub fn hidden(index: usize, name: &str) -> String {
    format!("?{index}?{name}")
}

/// The name that the user gave to a column of ours.
pub fn visible(name: &str) -> &str {
    let inner = name.strip_prefix('?').and_then(|n| n.split_once('?'));
    match inner {
        Some((number, name)) if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => name,
    }
}

/// Gives every item of a SELECT list PostgreSQL's label, so that an outer query finds it by that name. DataFusion wants
/// every name once: equal ones get names of ours, by which nobody can mean one of them.
fn unique_names(items: &mut [SelectItem]) {
    let label = |item: &SelectItem| match item {
        SelectItem::UnnamedExpr(expr) => Some(crate::labels::label(expr).unwrap_or("?column?".into())),
        SelectItem::ExprWithAlias { alias, .. } => Some(ident(alias)),
        _ => None,
    };
    let mut counts: HashMap<String, usize> = HashMap::new();
    items.iter().filter_map(label).for_each(|name| *counts.entry(name).or_default() += 1);
    for (index, item) in items.iter_mut().enumerate() {
        let Some(name) = label(item) else { continue };
        let once = counts[&name] == 1;
        let (SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) = item else { continue };
        let plain = matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_));
        if once && plain && matches!(item, SelectItem::UnnamedExpr(_)) {
            // A qualified column keeps its qualifier, and with it its own name.
            continue;
        }
        let (SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) = item else { continue };
        let expr = std::mem::replace(expr, Expr::value(Value::Null));
        let alias = if once { name } else { hidden(index, &name) };
        *item = SelectItem::ExprWithAlias { expr, alias: Ident::with_quote('"', alias) };
    }
}

/// `x::regclass` shows as a name, and is a number to everything but the user's eyes and `text`.
fn show_names(items: &mut [SelectItem]) {
    for item in items {
        if let SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } = item
            && let Some(function) = name_function(expr)
        {
            let label = crate::labels::label(expr).unwrap_or_else(|| "?column?".into());
            let named = call(function, std::mem::replace(expr, Expr::value(Value::Null)));
            let alias = match item {
                SelectItem::ExprWithAlias { alias, .. } => alias.clone(),
                _ => Ident::with_quote('"', label),
            };
            *item = SelectItem::ExprWithAlias { expr: named, alias };
        }
    }
}

/// The type of a cast.
fn cast_type(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Nested(inner) => cast_type(inner),
        Expr::Cast { data_type, .. } => type_name(data_type),
        Expr::TypedString(string) => type_name(&string.data_type),
        _ => None,
    }
}

/// The function that makes a name of this cast's OID.
fn name_function(expr: &Expr) -> Option<&'static str> {
    match expr {
        Expr::Nested(inner) => name_function(inner),
        Expr::Cast { data_type, .. } => match type_name(data_type).as_deref() {
            Some("regclass") => Some("pg_relation_name"),
            Some("regtype") => Some("pg_type_name"),
            Some("regnamespace") => Some("pg_schema_name"),
            Some("regrole") => Some("pg_role_name"),
            _ => None,
        },
        _ => None,
    }
}

fn type_name(data_type: &DataType) -> Option<String> {
    match data_type {
        DataType::Custom(name, arguments) if arguments.is_empty() => last(name).map(|i| i.value.to_lowercase()),
        DataType::Regclass => Some("regclass".into()),
        DataType::Text => Some("text".into()),
        DataType::Interval { .. } => Some("interval".into()),
        _ => None,
    }
}

fn has_subqueries(values: &ast::Values) -> bool {
    let found = ast::visit_expressions(values, |expr| match expr {
        Expr::Subquery(_) | Expr::Exists { .. } | Expr::InSubquery { .. } => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    found.is_break()
}

/// DataFusion does not run subqueries in VALUES: each row becomes a SELECT.
fn rows_of_selects(values: &mut ast::Values) -> ControlFlow<EngineError, SetExpr> {
    const MOST: usize = 500;
    if values.rows.len() > MOST {
        let error = EngineError::unsupported(format!("VALUES of more than {MOST} rows with subqueries"));
        return ControlFlow::Break(error);
    }
    let one = crate::parse::query("SELECT 1").expect("it is a query");
    let select = |row: ast::Parens<Vec<Expr>>| {
        let mut body = SetExpr::clone(&one.body);
        if let SetExpr::Select(select) = &mut body {
            let named = row.content.into_iter().enumerate().map(|(at, expr)| SelectItem::ExprWithAlias {
                expr,
                alias: Ident::with_quote('"', format!("column{}", at + 1)),
            });
            select.projection = named.collect();
        }
        body
    };
    let all = std::mem::take(&mut values.rows).into_iter().map(select).reduce(|left, right| SetExpr::SetOperation {
        op: ast::SetOperator::Union,
        set_quantifier: ast::SetQuantifier::All,
        left: Box::new(left),
        right: Box::new(right),
    });
    ControlFlow::Continue(all.expect("VALUES have rows"))
}

/// Gives the columns of VALUES PostgreSQL's types: small integers, and numbers that keep their digits behind the point.
fn typed_values(values: &mut ast::Values) {
    let width = values.rows.iter().map(|r| r.content.len()).max().unwrap_or(0);
    for column in 0..width {
        let (mut kinds, mut casts) = (HashSet::new(), HashSet::new());
        for row in &values.rows {
            kinds.insert(row.content.get(column).map_or("other", |expr| match expr {
                Expr::Cast { data_type: ty @ (DataType::Numeric(_) | DataType::Decimal(_)), .. } => {
                    casts.insert(ty.clone());
                    "cast"
                }
                expr => constant_kind(expr),
            }));
        }
        kinds.remove("null");
        // Casts to numeric types that are not all one, or not alone, are as decimals are.
        if kinds.len() + casts.len() > 2 && kinds.remove("cast") {
            kinds.insert("decimal");
        }
        let mut sorted: Vec<_> = kinds.into_iter().collect();
        sorted.sort_unstable();
        let (wrap, all): (fn(Expr) -> Expr, bool) = match sorted.as_slice() {
            ["integer"] | ["integer", "text"] => (|e| cast_to(e, DataType::Int(None)), true),
            ["decimal", "text"] | ["decimal", "integer", "text"] => (|e| call("pg_numeric", e), true),
            // Whatever stands beside them, which would have to become as wide as the planner takes constants to be.
            kinds if kinds.contains(&"integer") && !kinds.contains(&"decimal") => {
                (|e| cast_to(e, DataType::Int(None)), false)
            }
            // Numbers of decimals, or decimals and integers.
            ["decimal"] | ["decimal", "integer"] if values.rows.len() > 1 => (|e| call("pg_numeric", e), true),
            _ => continue,
        };
        for expr in values.rows.iter_mut().filter_map(|row| row.content.get_mut(column)) {
            if all || constant_kind(expr) == "integer" {
                *expr = wrap(std::mem::replace(expr, Expr::value(Value::Null)));
            }
        }
    }
}

/// What a recursive query starts with decides its table's types: small integers are integers, as in VALUES.
fn typed_start(body: &mut SetExpr) -> ControlFlow<EngineError> {
    let SetExpr::SetOperation { left, .. } = body else { return ControlFlow::Continue(()) };
    let SetExpr::Select(select) = &mut **left else { return ControlFlow::Continue(()) };
    for item in &mut select.projection {
        let (expr, alias) = match item {
            SelectItem::UnnamedExpr(expr) => (expr, Ident::with_quote('"', "?column?")),
            SelectItem::ExprWithAlias { expr, alias } => (expr, alias.clone()),
            _ => continue,
        };
        match constant_kind(expr) {
            "integer" => {
                let expr = cast_to(std::mem::replace(expr, Expr::value(Value::Null)), DataType::Int(None));
                *item = SelectItem::ExprWithAlias { expr, alias };
            }
            // Its table would have the digits behind the point that the start has, and no more.
            "decimal" => {
                let error = EngineError::unsupported("a recursive query that starts with a numeric constant");
                return ControlFlow::Break(error.hint("Cast it to double precision, or to numeric(p,s)."));
            }
            _ => {}
        }
    }
    ControlFlow::Continue(())
}

fn constant_kind(expr: &Expr) -> &'static str {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::Null => "null",
            Value::SingleQuotedString(_) => "text",
            Value::Number(text, _) if text.parse::<i32>().is_ok() => "integer",
            Value::Number(text, _) if text.parse::<i64>().is_err() => "decimal",
            _ => "other",
        },
        Expr::UnaryOp { op: ast::UnaryOperator::Minus, expr } => match constant_kind(expr) {
            kind @ ("integer" | "decimal") => kind,
            _ => "other",
        },
        Expr::Nested(inner) => constant_kind(inner),
        Expr::BinaryOp { left, op: B::Plus | B::Minus | B::Multiply | B::Divide | B::Modulo, right } => {
            match (constant_kind(left), constant_kind(right)) {
                ("integer", "integer") => "integer",
                ("integer" | "decimal", "integer" | "decimal") => "decimal",
                _ => "other",
            }
        }
        _ => "other",
    }
}
