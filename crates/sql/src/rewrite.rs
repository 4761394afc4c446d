//! PostgreSQL's spelling to DataFusion's, on the syntax tree, before planning.

use std::collections::HashSet;
use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    self, BinaryOperator, CastKind, DataType, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident,
    ObjectName, ObjectNamePart, Query, SelectItem, SetExpr, Statement, TableAlias, TableAliasColumnDef, TableFactor,
    Value, VisitMut, VisitorMut,
};
use engine::{EngineError, Result};

use crate::ddl::{ident, object_name};
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
    "timezone",
    "trunc",
    "extract_duration",
    "date_part",
    "exp",
    "ln",
    "log",
    "log2",
    "log10",
    "power",
    "pow",
    "array_to_json",
    "row_to_json",
    "arrow_cast",
    "arrow_typeof",
    "named_struct",
    "struct",
];

pub fn statement(statement: &mut Statement, shared: &Shared) -> Result<()> {
    match statement.visit(&mut Rewriter { shared }) {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(()),
    }
}

struct Rewriter<'a> {
    shared: &'a Shared,
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

impl VisitorMut for Rewriter<'_> {
    type Break = EngineError;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<EngineError> {
        if !query.locks.is_empty() {
            return ControlFlow::Break(EngineError::unsupported("SELECT ... FOR UPDATE/SHARE"));
        }
        if let SetExpr::Select(select) = &mut *query.body {
            if select.into.is_some() {
                return ControlFlow::Break(EngineError::unsupported("SELECT INTO"));
            }
            series_in_list(select)?;
            unique_names(&mut select.projection);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<EngineError> {
        match factor {
            TableFactor::Table { name, args: Some(_), alias, with_ordinality, .. } => {
                if *with_ordinality {
                    return ControlFlow::Break(EngineError::unsupported("WITH ORDINALITY"));
                }
                // DataFusion looks the function up by the first part, as it is written.
                if let Some(function) = last(name).map(ident) {
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
            TableFactor::Derived { lateral: true, .. } | TableFactor::Function { lateral: true, .. } => {
                return ControlFlow::Break(EngineError::unsupported("LATERAL"));
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<EngineError> {
        match expr {
            Expr::Function(_) => return self.function(expr),
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
            }
            Expr::Collate { expr: inner, .. } => *expr = std::mem::replace(&mut **inner, Expr::value(Value::Null)),
            Expr::Cast { .. } => return self.cast(expr),
            Expr::Subquery(query) if crate::system::is_empty(query) => *expr = Expr::value(Value::Null),
            Expr::Subquery(query) => single_row(query),
            Expr::Extract { field, .. } => {
                // DataFusion gives integers, without the fraction.
                let field = field.to_string().to_lowercase();
                if [
                    "second",
                    "seconds",
                    "epoch",
                    "millisecond",
                    "milliseconds",
                    "microsecond",
                    "microseconds",
                    "julian",
                ]
                .contains(&field.as_str())
                {
                    return ControlFlow::Break(EngineError::unsupported(format!("EXTRACT({field})")));
                }
            }
            Expr::AtTimeZone { .. } => return ControlFlow::Break(EngineError::unsupported("AT TIME ZONE")),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

impl Rewriter<'_> {
    fn function(&mut self, expr: &mut Expr) -> ControlFlow<EngineError> {
        let Expr::Function(function) = expr else { return ControlFlow::Continue(()) };
        if is_catalog_qualified(&function.name) {
            function.name.0.remove(0);
        }
        if function.name.0.len() == 1
            && let Some(name) = last(&function.name).map(ident)
        {
            // ARRAY(SELECT …) over a catalog table without rows, or over storage options, which no table has.
            if let ("array", FunctionArguments::Subquery(query)) = (name.as_str(), &function.args)
                && (crate::system::is_empty(query) || query.to_string().contains("unnest(tc.reloptions)"))
            {
                *expr = Expr::value(Value::SingleQuotedString("{}".into()));
                return ControlFlow::Continue(());
            }
            if DIFFERENT.contains(&name.as_str()) {
                return ControlFlow::Break(EngineError::unsupported(format!("function {name}")));
            }
            if name == "generate_series" {
                return ControlFlow::Break(EngineError::unsupported("a set-returning function in an expression"));
            }
            // A rebuilt planner state registers DataFusion's own again, by their aliases: ours need other names.
            let ours = match name.as_str() {
                "mod" => Some("pg_mod"),
                "now" | "current_timestamp" => Some("pg_now"),
                "array_to_string" => Some("pg_array_to_string"),
                _ => None,
            };
            if let Some(ours) = ours {
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
        let name = match data_type {
            DataType::Custom(name, arguments) if arguments.is_empty() => last(name).map(|i| i.value.to_lowercase()),
            DataType::Regclass => Some("regclass".into()),
            _ => None,
        };
        let inner = std::mem::replace(&mut **inner, Expr::value(Value::Null));
        let replaced = match name.as_deref() {
            Some("regclass") => match &inner {
                Expr::Value(value) => match &value.value {
                    Value::SingleQuotedString(text) => match self.oid_of(text) {
                        Ok(oid) => number(oid),
                        Err(error) => return ControlFlow::Break(error),
                    },
                    Value::Number(_, _) => inner,
                    _ => return ControlFlow::Break(EngineError::unsupported("a cast to regclass")),
                },
                // From an OID: the name.
                _ => call("pg_relation_name", inner),
            },
            Some("oid" | "xid" | "xid8" | "cid") => cast_to(inner, DataType::BigInt(None)),
            Some(
                "name" | "char" | "regtype" | "regproc" | "regrole" | "regnamespace" | "pg_node_tree" | "text"
                | "aclitem",
            ) => {
                if name.as_deref() == Some("regtype") {
                    call("pg_type_name", inner)
                } else {
                    cast_to(inner, DataType::Text)
                }
            }
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

    fn oid_of(&self, text: &str) -> Result<u32> {
        if let Ok(oid) = text.parse() {
            return Ok(oid);
        }
        let name = ObjectName(
            text.split('.')
                .map(|p| match p.strip_prefix('"').and_then(|p| p.strip_suffix('"')) {
                    Some(quoted) => Ident::with_quote('"', quoted),
                    None => Ident::new(p),
                })
                .map(ObjectNamePart::Identifier)
                .collect(),
        );
        let (schema, name) = object_name(&name, &self.shared.database.1)?;
        if let Some(table) = self.shared.find_table(&schema, &name)? {
            return Ok(table.def.oid);
        }
        crate::system::relation_oid(&name)
            .ok_or_else(|| EngineError::new("42P01", format!("relation \"{text}\" does not exist")))
    }
}

fn call(name: &str, argument: Expr) -> Expr {
    Expr::Function(Function {
        name: ObjectName(vec![ObjectNamePart::Identifier(Ident::new(name))]),
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(ast::FunctionArgumentList {
            duplicate_treatment: None,
            args: vec![FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))],
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

/// Gives every item of a SELECT list PostgreSQL's label, so that an outer query finds it by that name. DataFusion wants
/// every name once; of equal ones the later get names of ours (what the user sees is kept elsewhere).
fn unique_names(items: &mut [SelectItem]) {
    let mut seen = HashSet::new();
    for (index, item) in items.iter_mut().enumerate() {
        let (name, plain, expr) = match item {
            SelectItem::UnnamedExpr(expr) => {
                // A qualified column keeps its qualifier, and with it its own name.
                let plain = matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_));
                let name =
                    if plain { expr.to_string() } else { crate::labels::label(expr).unwrap_or("?column?".into()) };
                (name, plain, expr)
            }
            SelectItem::ExprWithAlias { expr, alias } => (ident(alias), true, expr),
            _ => continue,
        };
        let fresh = seen.insert(name.clone());
        if plain && fresh {
            continue;
        }
        let alias = if fresh { name } else { format!("?{index}?") };
        let expr = std::mem::replace(expr, Expr::value(Value::Null));
        *item = SelectItem::ExprWithAlias { expr, alias: Ident::with_quote('"', alias) };
    }
}
