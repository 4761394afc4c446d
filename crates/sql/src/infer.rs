//! The types of parameters that the client has not declared, from where they stand (`parse_param.c` and the rules for
//! constants in quotes, which PostgreSQL treats alike): casts and LIMIT in the syntax tree; operators, CASE, functions and
//! so on in the plan, where the types of their neighbours are known.

use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, IntervalUnit};
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion, TreeNodeVisitor};
use datafusion::common::{DFSchema, Result as PlanResult, ScalarValue};
use datafusion::logical_expr::expr::{
    Between, Case, InList, InSubquery, Like, Placeholder, ScalarFunction, SetComparison,
};
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, LogicalPlan, Operator};
use datafusion::sql::sqlparser::ast::{
    self, DataType as SqlType, Expr as AstExpr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, LimitClause,
    Query, SelectItem, Statement, Visit, Visitor,
};
use engine::{ColumnDef, EngineError, PgType, Result};

use crate::ddl::{ident, pg_type};
use crate::errors::wrap;
use crate::operand_types::is_pattern;
use crate::output::{Column, type_oid};
use crate::parameters::{UNKNOWN, alone, array_of, column_type, element_number};
use crate::semantics::input_schema;

const BOOL: u32 = 16;
const BIGINT: u32 = 20;
const INTEGER: u32 = 23;
const TEXT: u32 = 25;
const OID: u32 = 26;
const FLOAT8: u32 = 701;
const BPCHAR: u32 = 1042;
const VARCHAR: u32 = 1043;
const DATE: u32 = 1082;
const TIMESTAMP: u32 = 1114;
const TIMESTAMPTZ: u32 = 1184;
const INTERVAL: u32 = 1186;
const NUMERIC: u32 = 1700;

/// Takes a type for a parameter that has none.
pub fn set(parameters: &mut [u32], number: usize, oid: u32) {
    if let Some(known) = number.checked_sub(1).and_then(|index| parameters.get_mut(index))
        && *known == 0
    {
        *known = oid;
    }
}

/// What the columns tell in which values are stored, one for each.
pub fn stored<'a>(
    columns: impl Iterator<Item = &'a ColumnDef>,
    values: impl Iterator<Item = &'a SelectItem>,
    parameters: &mut [u32],
) {
    for (column, value) in columns.zip(values) {
        if let SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } = value
            && let Some(number) = alone(expr)
        {
            set(parameters, number, column.ty.oid());
        }
    }
}

/// What casts and LIMIT tell.
pub fn from_syntax(statement: &Statement, parameters: &mut [u32]) {
    let _ = statement.visit(&mut Syntax { parameters });
}

struct Syntax<'a> {
    parameters: &'a mut [u32],
}

impl Visitor for Syntax<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        let mut counts: Vec<&AstExpr> = Vec::new();
        if let Some(LimitClause::LimitOffset { limit, offset, .. }) = &query.limit_clause {
            counts.extend(limit);
            counts.extend(offset.as_ref().map(|offset| &offset.value));
        }
        counts.extend(query.fetch.as_ref().and_then(|fetch| fetch.quantity.as_ref()));
        for number in counts.into_iter().filter_map(alone) {
            set(self.parameters, number, BIGINT);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &AstExpr) -> ControlFlow<()> {
        match expr {
            AstExpr::Cast { expr, data_type, .. } => {
                if let (Some(number), Ok(oid)) = (alone(expr), type_of_cast(data_type)) {
                    set(self.parameters, number, oid);
                }
            }
            AstExpr::Function(function) => self.arguments(function),
            // What is compared has to say a type itself: without one it is text.
            AstExpr::Case { operand: Some(operand), .. } => {
                if let Some(number) = alone(operand) {
                    set(self.parameters, number, TEXT);
                }
            }
            AstExpr::Substring { expr, substring_from, substring_for, shorthand, .. } => {
                let positions = [substring_from.as_ref(), substring_for.as_ref()];
                let positions = positions.into_iter().flatten().map(|position| &**position);
                self.substring(expr, positions.collect(), !shorthand);
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

impl Syntax<'_> {
    /// Where nothing has a type, PostgreSQL takes what follows the text for a pattern; `substr` has none.
    fn substring(&mut self, text: &AstExpr, positions: Vec<&AstExpr>, patterns: bool) {
        let numbers: Vec<usize> = positions.iter().filter_map(|position| alone(position)).collect();
        let open = |number: &usize| self.parameters.get(number - 1) == Some(&0);
        let pattern = patterns && numbers.len() == positions.len() && numbers.iter().all(open);
        for number in numbers {
            set(self.parameters, number, if pattern { TEXT } else { INTEGER });
        }
        if let Some(number) = alone(text) {
            set(self.parameters, number, TEXT);
        }
    }

    fn arguments(&mut self, function: &Function) {
        let name = function.name.0.last().and_then(|p| p.as_ident()).map(ident).unwrap_or_default();
        let FunctionArguments::List(list) = &function.args else { return };
        if name == "substring" {
            let exprs = list.args.iter().filter_map(|argument| match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
                _ => None,
            });
            if let [text, positions @ ..] = exprs.collect::<Vec<_>>().as_slice() {
                self.substring(text, positions.to_vec(), true);
            }
            return;
        }
        for (argument, oid) in list.args.iter().zip(arguments_of(&name, list.args.len())) {
            if let FunctionArg::Unnamed(FunctionArgExpr::Expr(argument)) = argument
                && let Some(number) = alone(argument)
            {
                set(self.parameters, number, *oid);
            }
        }
    }
}

/// The type that a cast's name means, without its modifier.
pub fn type_of_cast(ty: &SqlType) -> Result<u32> {
    match ty {
        SqlType::Numeric(_) | SqlType::Decimal(_) | SqlType::Dec(_) => Ok(NUMERIC),
        SqlType::Interval { .. } => Ok(INTERVAL),
        SqlType::Array(ast::ArrayElemTypeDef::SquareBracket(element, _)) => array_of(type_of_cast(element)?)
            .ok_or_else(|| EngineError::unsupported(format!("type {}", ty.to_string().to_lowercase()))),
        SqlType::Custom(name, _) if name.0.last().and_then(|p| p.as_ident()).is_some_and(|n| ident(n) == "bpchar") => {
            Ok(BPCHAR)
        }
        ty if crate::semantics::is_oid(ty) => Ok(OID),
        ty => pg_type(ty).map(PgType::oid),
    }
}

/// What the places in a plan tell.
pub fn from_plan(plan: &LogicalPlan, parameters: &mut [u32]) {
    // A plan that cannot be looked at tells nothing.
    let _ = plan.apply_with_subqueries(|node| {
        let schema = input_schema(node)?;
        let mut places = Places { schema: &schema, parameters };
        node.apply_expressions(|expr| expr.visit(&mut places))?;
        match node {
            LogicalPlan::Filter(filter) => places.take(&filter.predicate, Some(BOOL)),
            LogicalPlan::Values(values) => {
                for column in 0..values.schema.fields().len() {
                    places.alike(values.values.iter().map(|row| &row[column]).collect(), false);
                }
            }
            LogicalPlan::Union(union) => union_columns(&union.inputs, parameters),
            _ => {}
        }
        Ok(TreeNodeRecursion::Continue)
    });
}

/// The branches of a UNION give their columns one type.
fn union_columns(inputs: &[std::sync::Arc<LogicalPlan>], parameters: &mut [u32]) {
    for input in inputs {
        let LogicalPlan::Projection(projection) = &**input else { continue };
        for (index, expr) in projection.expr.iter().enumerate() {
            let Some(number) = parameter(expr) else { continue };
            let other = inputs.iter().find_map(|other| {
                if let LogicalPlan::Projection(projection) = &**other {
                    let places = Places { schema: projection.input.schema(), parameters: &mut *parameters };
                    return places.type_of(&projection.expr[index]);
                }
                other.schema().fields().get(index).filter(|f| !f.data_type().is_null()).map(|f| oid_of(f))
            });
            if let Some(oid) = other {
                give(parameters, number, oid);
            }
        }
    }
}

/// The placeholder that stands alone here.
fn parameter(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Alias(alias) => parameter(&alias.expr),
        // The planner's own: those in the statement have told the type already.
        Expr::Cast(cast) => parameter(&cast.expr),
        Expr::Placeholder(placeholder) => Some(&placeholder.id),
        _ => None,
    }
}

fn open(expr: &Expr) -> bool {
    expr.exists(|e| Ok(matches!(e, Expr::Placeholder(_)))).unwrap_or(true)
}

fn give(parameters: &mut [u32], placeholder: &str, oid: u32) {
    if let Some(index) = element_number(placeholder) {
        if let Some(array) = array_of(oid) {
            set(parameters, index + 1, array);
        }
    } else if let Ok(number) = crate::parameters::number(placeholder) {
        set(parameters, number, oid);
    }
}

fn oid_of(field: &Field) -> u32 {
    Column::new("", field).oid
}

/// Looks at expressions from the leaves up.
struct Places<'a> {
    schema: &'a DFSchema,
    parameters: &'a mut [u32],
}

impl<'n> TreeNodeVisitor<'n> for Places<'_> {
    type Node = Expr;

    fn f_up(&mut self, expr: &'n Expr) -> PlanResult<TreeNodeRecursion> {
        self.look(expr);
        Ok(TreeNodeRecursion::Continue)
    }
}

impl Places<'_> {
    /// The type of an expression, as far as parameters without one have no part in it. Constants in quotes have none.
    fn type_of(&self, expr: &Expr) -> Option<u32> {
        match expr {
            Expr::Alias(alias) => self.type_of(&alias.expr),
            Expr::Literal(ScalarValue::Int64(Some(value)), _) if i32::try_from(*value).is_ok() => Some(INTEGER),
            Expr::Literal(ScalarValue::Utf8(_), None) => None,
            Expr::Placeholder(placeholder) => {
                let number = crate::parameters::number(&placeholder.id).ok()?;
                self.parameters.get(number - 1).copied().filter(|oid| *oid != 0)
            }
            expr if open(expr) => None,
            expr => {
                let field = expr.to_field(self.schema).ok()?.1;
                (*field.data_type() != DataType::Null).then(|| oid_of(&field))
            }
        }
    }

    fn take(&mut self, expr: &Expr, oid: Option<u32>) {
        if let (Some(placeholder), Some(oid)) = (parameter(expr), oid) {
            give(self.parameters, placeholder, oid);
        }
    }

    /// They get one type: what the first that has one has. `compared`: by an operator, of which varchar has none.
    fn alike(&mut self, exprs: Vec<&Expr>, compared: bool) {
        let known: Vec<u32> = exprs.iter().filter_map(|e| self.type_of(e)).collect();
        // Among numbers the widest.
        let rank = |oid: &u32| [21, INTEGER, BIGINT, NUMERIC, 700, FLOAT8].iter().position(|o| o == oid);
        let common = match known.first() {
            Some(first) if rank(first).is_some() => {
                known.iter().filter(|oid| rank(oid).is_some()).max_by_key(|o| rank(o))
            }
            first => first,
        };
        let common = match common {
            Some(&VARCHAR) if compared => TEXT,
            Some(&oid) => oid,
            // Nothing but constants in quotes and parameters.
            None if compared || exprs.iter().any(|e| matches!(e, Expr::Literal(ScalarValue::Utf8(_), _))) => TEXT,
            None => return,
        };
        for expr in exprs {
            self.take(expr, Some(common));
        }
    }

    fn look(&mut self, expr: &Expr) {
        match expr {
            Expr::BinaryExpr(BinaryExpr { left, op, right }) => self.operator(left, *op, right),
            Expr::Like(Like { expr, pattern, .. }) | Expr::SimilarTo(Like { expr, pattern, .. }) => {
                self.take(expr, Some(TEXT));
                self.take(pattern, Some(TEXT));
            }
            Expr::Between(Between { expr, low, high, .. }) => self.alike(vec![expr, low, high], true),
            Expr::InList(InList { expr, list, .. }) => {
                // Several are made an array of one type first; a single one is compared by an operator.
                let compared = list.len() == 1 || self.type_of(expr).is_none();
                self.alike(std::iter::once(&**expr).chain(list).collect(), compared);
            }
            Expr::Not(inner)
            | Expr::IsTrue(inner)
            | Expr::IsFalse(inner)
            | Expr::IsUnknown(inner)
            | Expr::IsNotTrue(inner)
            | Expr::IsNotFalse(inner)
            | Expr::IsNotUnknown(inner) => self.take(inner, Some(BOOL)),
            Expr::Case(Case { expr, when_then_expr, else_expr }) => {
                let whens = when_then_expr.iter().map(|(when, _)| &**when);
                match expr {
                    Some(expr) => self.alike(std::iter::once(&**expr).chain(whens).collect(), true),
                    None => whens.for_each(|when| self.take(when, Some(BOOL))),
                }
                let results = when_then_expr.iter().map(|(_, then)| then).chain(else_expr);
                self.alike(results.map(|e| &**e).collect(), false);
            }
            Expr::InSubquery(InSubquery { expr, subquery, .. })
            | Expr::SetComparison(SetComparison { expr, subquery, .. }) => {
                let field = subquery.subquery.schema().fields().first().cloned();
                self.take(expr, field.filter(|f| !f.data_type().is_null()).map(|f| oid_of(&f)));
            }
            Expr::ScalarFunction(function) => self.function(function),
            Expr::Placeholder(Placeholder { id, field: Some(field) }) if field.metadata().contains_key(TOLD) => {
                give(self.parameters, id, type_oid(field.data_type()));
            }
            _ => {}
        }
    }

    fn operator(&mut self, left: &Expr, op: Operator, right: &Expr) {
        let arithmetic =
            matches!(op, Operator::Plus | Operator::Minus | Operator::Multiply | Operator::Divide | Operator::Modulo);
        if matches!(op, Operator::And | Operator::Or) {
            self.take(left, Some(BOOL));
            self.take(right, Some(BOOL));
        } else if op == Operator::StringConcat || is_pattern(op) {
            let text = |oid: Option<u32>| oid.is_none_or(|oid| crate::parameters::element_of(oid).is_none());
            if text(self.type_of(left)) && text(self.type_of(right)) {
                self.take(left, Some(TEXT));
                self.take(right, Some(TEXT));
            }
        } else if arithmetic {
            let (lt, rt) = (self.type_of(left), self.type_of(right));
            self.take(right, lt.and_then(|lt| beside(lt, op, true)));
            self.take(left, rt.and_then(|rt| beside(rt, op, false)));
        } else {
            self.alike(vec![left, right], true);
        }
    }

    fn function(&mut self, function: &ScalarFunction) {
        let arguments: Vec<&Expr> = function.args.iter().collect();
        match function.name() {
            "coalesce" | "greatest" | "least" | "pg_array" | "pg_mod" => self.alike(arguments, false),
            "pg_power" => {
                let numeric = arguments.iter().any(|argument| self.type_of(argument) == Some(NUMERIC));
                arguments
                    .into_iter()
                    .for_each(|argument| self.take(argument, Some(if numeric { NUMERIC } else { FLOAT8 })));
            }
            "nullif" => self.alike(arguments, true),
            _ => {}
        }
    }
}

/// The type that PostgreSQL gives an unknown operand of arithmetic beside one of type `other`, which is the `left` one or
/// not. `None`: it could be several.
fn beside(other: u32, op: Operator, left: bool) -> Option<u32> {
    match (other, op) {
        (DATE, Operator::Minus) if left => Some(DATE),
        (DATE, _) => None,
        (TIMESTAMP | TIMESTAMPTZ, Operator::Plus) => Some(INTERVAL),
        (TIMESTAMP | TIMESTAMPTZ, Operator::Minus) => Some(other),
        (INTERVAL, Operator::Multiply | Operator::Divide) => Some(FLOAT8),
        (INTERVAL, _) => left.then_some(INTERVAL),
        (VARCHAR | TEXT | BPCHAR, _) => None,
        _ => Some(other),
    }
}

/// Marks the field of a parameter whose type arithmetic has told the planner, which cannot wait for it.
const TOLD: &str = "pg.parameter";

/// Parameters without a type beside times and intervals, with the type that PostgreSQL gives them there.
pub fn in_arithmetic(left: Expr, lt: &DataType, op: Operator, right: Expr, rt: &DataType) -> PlanResult<(Expr, Expr)> {
    if matches!((lt, rt), (DataType::Date32, DataType::Null) | (DataType::Null, DataType::Date32))
        && op == Operator::Plus
        && [&left, &right].into_iter().any(|e| matches!(e, Expr::Placeholder(_)))
    {
        let name = |ty: &DataType| crate::output::type_name(ty);
        let message = format!("operator is not unique: {} + {}", name(lt), name(rt));
        return Err(wrap(EngineError::new("42725", message)));
    }
    Ok((told(left, rt, op, false), told(right, lt, op, true)))
}

/// Parameters without a type in `||` are texts, unless an array stands beside them.
pub fn in_concatenation(left: Expr, lt: &DataType, right: Expr, rt: &DataType) -> (Expr, Expr) {
    let array = |ty: &DataType| matches!(ty, DataType::List(_));
    if array(lt) || array(rt) {
        return (left, right);
    }
    (typed(left, DataType::Utf8), typed(right, DataType::Utf8))
}

/// The parameter with a type, if it has none.
fn typed(expr: Expr, ty: DataType) -> Expr {
    match expr {
        Expr::Placeholder(Placeholder { id, field: None }) => {
            let field = Field::new("", ty, true).with_metadata([(TOLD.to_string(), String::new())].into());
            Expr::Placeholder(Placeholder { id, field: Some(Arc::new(field)) })
        }
        expr => expr,
    }
}

/// `other` is to the left of the parameter or not.
fn told(expr: Expr, other: &DataType, op: Operator, left: bool) -> Expr {
    let oid = type_oid(other);
    let arrow = match beside(oid, op, left) {
        Some(INTERVAL) => DataType::Interval(IntervalUnit::MonthDayNano),
        Some(oid) => match column_type(oid) {
            Some(ty) => ty.arrow(),
            None => return expr,
        },
        None => return expr,
    };
    if matches!(oid, DATE | TIMESTAMP | TIMESTAMPTZ | INTERVAL) { typed(expr, arrow) } else { expr }
}

/// The types of the arguments of functions that have but one form, or one that PostgreSQL prefers.
fn arguments_of(name: &str, count: usize) -> &'static [u32] {
    match (name, count) {
        (
            "upper" | "lower" | "initcap" | "reverse" | "md5" | "ascii" | "length" | "char_length" | "character_length",
            1,
        ) => &[TEXT],
        ("btrim" | "ltrim" | "rtrim" | "trim" | "strpos" | "starts_with", _) => &[TEXT, TEXT],
        ("replace" | "translate", 3) => &[TEXT, TEXT, TEXT],
        ("substr" | "left" | "right" | "repeat", _) => &[TEXT, INTEGER, INTEGER],
        ("lpad" | "rpad", _) => &[TEXT, INTEGER, TEXT],
        ("split_part", 3) => &[TEXT, TEXT, INTEGER],
        ("chr", 1) => &[INTEGER],
        ("date_trunc", _) => &[TEXT],
        ("date_part", 2) => &[TEXT],
        ("round" | "trunc", 2) => &[NUMERIC, INTEGER],
        ("abs" | "round" | "trunc" | "ceil" | "floor" | "sqrt" | "exp" | "ln" | "sin" | "cos" | "tan", 1) => &[FLOAT8],
        ("set_config", 3) => &[TEXT, TEXT, BOOL],
        ("current_setting", _) => &[TEXT, BOOL],
        _ => &[],
    }
}

/// Nothing else tells any more: what stands where a type is needed and has none is an error, other parameters are taken as
/// constants in quotes are.
pub fn finish(statement: &Statement, used: &[bool], parameters: &mut [u32]) -> Result<()> {
    let mut aimless = Aimless { seen: vec![(0, 0); parameters.len()] };
    let _ = statement.visit(&mut aimless);
    for (index, oid) in parameters.iter_mut().enumerate().filter(|(_, oid)| **oid == 0) {
        let (all, aimless) = aimless.seen[index];
        if !used.get(index).is_some_and(|used| *used) || all == aimless {
            let text = format!("could not determine data type of parameter ${}", index + 1);
            return Err(EngineError::new("42P18", text));
        }
        *oid = UNKNOWN;
    }
    Ok(())
}

/// Counts where each parameter stands, and how often that is where any type would do.
struct Aimless {
    seen: Vec<(usize, usize)>,
}

impl Visitor for Aimless {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &AstExpr) -> ControlFlow<()> {
        let mut count = |expr: &AstExpr| {
            if let Some(seen) = alone(expr).and_then(|number| self.seen.get_mut(number - 1)) {
                seen.1 += 1;
            }
        };
        match expr {
            AstExpr::IsNull(inner) | AstExpr::IsNotNull(inner) => count(inner),
            AstExpr::Function(function) => {
                let name = function.name.0.last().and_then(|p| p.as_ident()).map(ident);
                if let FunctionArguments::List(list) = &function.args
                    && matches!(
                        name.as_deref(),
                        Some("pg_typeof" | "count" | "concat" | "num_nulls" | "json_build_object" | "json_build_array")
                    )
                {
                    for argument in &list.args {
                        if let FunctionArg::Unnamed(FunctionArgExpr::Expr(argument)) = argument {
                            count(argument);
                        }
                    }
                }
            }
            AstExpr::Value(_) => {
                if let Some(seen) = alone(expr).and_then(|number| self.seen.get_mut(number - 1)) {
                    seen.0 += 1;
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}
