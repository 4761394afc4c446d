//! From expressions to nodes (`ExecInitExprRec`): functions, representations and comparisons are looked up here, once.

mod any;
mod array;
mod call;
mod coerce;
mod decimal;
mod representation;
mod row;
mod sql_value;
mod waiting;

use analyze::query::*;
use catalog::Catalog;
use error::sqlstate;
use types::{Argument, Error, Repr, Result, oid};

use crate::clauses::called_function;
use crate::node::{Kind, Node};
use crate::state::ExprState;

pub use representation::{constant_repr, representation};

/// Where the values of an expression come from: the columns of the batches that it is evaluated for.
pub trait Input {
    /// The column that a variable is, and how its values lie there.
    fn variable(&self, var: &Var) -> Result<(usize, Repr)>;

    /// The column of what another node computes: aggregates, window functions, `merge_action()`.
    fn computed(&self, expr: &Expr) -> Result<(usize, Repr)> {
        Err(unexpected(expr))
    }

    /// Where a parameter's value is. External ones and, unless it says otherwise, all have the representation of their type.
    fn parameter(&self, param: &Param, repr: Repr) -> Result<Place> {
        let _ = param;
        Ok(Place::Value(repr))
    }

    /// The type of the first column of a subquery's plan, by its position in the planned statement.
    fn sub_plan_type(&self, plan: usize) -> Result<TypeRef> {
        Err(Error::new(sqlstate::INTERNAL_ERROR, format!("no plan {plan} here")))
    }
}

/// Where the value of a parameter is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// In the [`crate::Execution`].
    Value(Repr),
    /// There too, once [`crate::wait::Runner::init_plan`] has put it there.
    InitPlan(Repr),
    /// In a column: what a nested loop takes from many rows at once.
    Column(usize, Repr),
}

/// No columns at all.
pub struct NoInput;

impl Input for NoInput {
    fn variable(&self, var: &Var) -> Result<(usize, Repr)> {
        Err(unexpected(&Expr::Var(*var)))
    }
}

/// Makes an expression ready to run. Fails with 0A000 for what is not here, and with 42501 for a function that the role that sees the
/// catalog may not call.
pub fn compile(expr: &Expr, input: &dyn Input, catalog: Catalog<'_>) -> Result<ExprState> {
    let mut compiler = Compiler { input, catalog, case_test: None, locals: 0, columns: None };
    let node = compiler.node(expr)?;
    Ok(ExprState { node, ty: expr.ty() })
}

impl ExprState {
    /// The same values in another representation of their type, such as that of the column they are stored in.
    pub fn into_repr(mut self, repr: Repr) -> Result<ExprState> {
        let ty = self.ty;
        let nothing = Node::leaf(Kind::Constant(Argument::constant(types::Datum::Null.to_array(repr))), repr);
        let node = std::mem::replace(&mut self.node, nothing);
        Ok(ExprState { node: representation::convert(node, repr)?, ty })
    }
}

/// An expression that has no place where it stands: a mistake of the planner's.
fn unexpected(expr: &Expr) -> Error {
    let text = format!("{expr:?}");
    let name = text.split(['(', ' ', '{']).next().unwrap_or_default();
    Error::new(sqlstate::INTERNAL_ERROR, format!("unexpected {name} in an expression to run"))
}

pub(crate) struct Compiler<'a> {
    pub input: &'a dyn Input,
    pub catalog: Catalog<'a>,
    /// The local that the nearest [`Expr::CaseTest`] is.
    pub case_test: Option<(usize, Repr)>,
    /// How many locals there are.
    pub locals: usize,
    /// In the test of a subquery: what its columns are.
    pub columns: Option<crate::wait::TestColumns>,
}

/// Levels of [`syntax::with_stack_for`] that there must be room for.
pub(crate) const ROOM: usize = 24;

impl Compiler<'_> {
    pub fn node(&mut self, expr: &Expr) -> Result<Node> {
        syntax::with_stack_for(ROOM, || match self.test_column(expr)? {
            Some(node) => Ok(node),
            None => self.any_node(expr),
        })
    }

    pub fn nodes(&mut self, exprs: &[Expr]) -> Result<Vec<Node>> {
        exprs.iter().map(|expr| self.node(expr)).collect()
    }

    fn any_node(&mut self, expr: &Expr) -> Result<Node> {
        if let Some(function) = called_function(expr) {
            self.catalog.require_execute(function)?;
        }
        match expr {
            Expr::Var(var) => {
                let (column, repr) = self.input.variable(var)?;
                Ok(Node::leaf(Kind::Column(column), repr))
            }
            Expr::Const(constant) => self.constant(constant),
            Expr::Param(param) => self.parameter(param, expr),
            Expr::Aggref(_) | Expr::GroupingFunc(_) | Expr::WindowFunc(_) | Expr::MergeAction => {
                let (column, repr) = self.input.computed(expr)?;
                Ok(Node::leaf(Kind::Column(column), repr))
            }
            Expr::FuncExpr(call) if call.returns_set => Err(Error::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                "set-valued function called in context that cannot accept a set",
            )),
            Expr::FuncExpr(call) => {
                if let Some(node) = self.row_call(call)? {
                    return Ok(node);
                }
                let mut node = self.call(call.function, call.collation, &call.arguments, call.result)?;
                if let Kind::Call(node) = &mut node.kind {
                    node.variadic = call.variadic;
                }
                Ok(node)
            }
            Expr::OpExpr(call) => self.call(call.function, call.collation, &call.arguments, TypeRef::of(call.result)),
            Expr::DistinctExpr(call) => {
                let (equal, children) = self.equality(call)?;
                Ok(Node::new(Kind::Distinct(equal), children, Repr::Bool))
            }
            Expr::NullIfExpr(call) => {
                let (equal, children) = self.equality(call)?;
                let repr = children[0].repr;
                Ok(Node::new(Kind::NullIf(equal), children, repr))
            }
            Expr::ScalarArrayOpExpr(call) => self.scalar_array(call),
            Expr::BoolExpr(e) => {
                let children = self.nodes(&e.arguments)?;
                Ok(Node::new(junction(e.operator), children, Repr::Bool))
            }
            Expr::Case(case) => self.case(case),
            Expr::CaseTest(_) => {
                let (local, repr) = self.case_test.ok_or_else(|| unexpected(expr))?;
                Ok(Node::leaf(Kind::Local(local), repr))
            }
            Expr::Coalesce(e) => {
                let children = self.nodes(&e.arguments)?;
                let (children, repr) = representation::unify(children)?;
                Ok(Node::new(Kind::Coalesce, children, repr))
            }
            Expr::MinMax(e) => self.min_max(e),
            Expr::RelabelType(e) => self.relabel(e),
            Expr::CoerceViaIo(e) => self.through_text(e),
            Expr::NullTest(e) if e.row => self.row_test(e),
            Expr::NullTest(e) => {
                let children = vec![self.node(&e.argument)?];
                Ok(Node::new(Kind::NullTest { is_null: e.is_null }, children, Repr::Bool))
            }
            Expr::BooleanTest(e) => {
                let children = vec![self.node(&e.argument)?];
                Ok(Node::new(Kind::BooleanTest(e.kind), children, Repr::Bool))
            }
            Expr::RowCompare(e) => self.row_compare(e),
            Expr::SqlValue(e) => self.sql_value(e),
            Expr::NextValue { sequence, result } => self.next_value(*sequence, *result),
            Expr::SubPlan(plan) => self.sub_plan(plan),
            Expr::Array(e) => self.array(e),
            Expr::SubscriptingRef(e) => self.subscript(e),
            Expr::ArrayCoerce(e) => self.array_coerce(e),
            Expr::Row(e) => self.row(e),
            Expr::FieldSelect(e) => self.field(e),
            Expr::FieldStore(e) => {
                let row = self.stored_fields(e)?;
                self.row(&row)
            }
            Expr::SubLink(_) | Expr::SetToDefault(_) => Err(unexpected(expr)),
        }
    }

    fn parameter(&mut self, param: &Param, expr: &Expr) -> Result<Node> {
        let repr = representation(self.catalog, TypeRef::of(param.ty.oid))?;
        let place = match param.kind {
            ParamKind::External => Place::Value(repr),
            ParamKind::Exec => self.input.parameter(param, repr)?,
            ParamKind::SubLink | ParamKind::MultiExpr => return Err(unexpected(expr)),
        };
        let number = param.number as usize;
        Ok(match (place, param.kind) {
            (Place::Value(repr), ParamKind::External) => Node::leaf(Kind::External(number - 1), repr),
            (Place::Value(repr), _) => Node::leaf(Kind::Exec(number), repr),
            (Place::InitPlan(repr), _) => self.init_plan(number, repr),
            (Place::Column(column, repr), _) => Node::leaf(Kind::Column(column), repr),
        })
    }

    fn case(&mut self, case: &CaseExpr) -> Result<Node> {
        let Some(argument) = &case.argument else { return self.branches(case) };
        if self.columns.is_some() {
            // The test's locals are not counted before it is compiled.
            return Err(Error::unsupported("CASE in the comparison of a subquery"));
        }
        let argument = self.node(argument)?;
        let outer = self.case_test.replace((self.locals, argument.repr));
        self.locals += 1;
        let body = self.branches(case);
        self.locals -= 1;
        self.case_test = outer;
        let body = body?;
        let repr = body.repr;
        Ok(Node::new(Kind::Let, vec![argument, body], repr))
    }

    fn branches(&mut self, case: &CaseExpr) -> Result<Node> {
        let conditions = case.when.iter().map(|when| self.node(&when.condition)).collect::<Result<Vec<_>>>()?;
        let mut results = case.when.iter().map(|when| self.node(&when.result)).collect::<Result<Vec<_>>>()?;
        results.push(match &case.otherwise {
            Some(otherwise) => self.node(otherwise)?,
            None => {
                let repr = representation(self.catalog, case.result)?;
                Node::leaf(Kind::Constant(Argument::constant(types::Datum::Null.to_array(repr))), repr)
            }
        });
        let (results, repr) = representation::unify(results)?;
        let mut children = Vec::with_capacity(2 * results.len());
        let mut results = results.into_iter();
        for condition in conditions {
            children.push(condition);
            children.extend(results.next());
        }
        children.extend(results);
        Ok(Node::new(Kind::Case, children, repr))
    }

    fn min_max(&mut self, e: &MinMaxExpr) -> Result<Node> {
        let compare = self.catalog.comparison(e.ty.oid).compare;
        let missing = || {
            let name = self.catalog.format_type(e.ty.oid);
            Error::new(
                sqlstate::UNDEFINED_FUNCTION,
                format!("could not identify a comparison function for type {name}"),
            )
        };
        let (compare, types) = (compare.ok_or_else(missing)?, [e.ty.oid, e.ty.oid]);
        let compare = self.call_node_in(e.collation, compare, &types, TypeRef::of(oid::INT4))?;
        let children = self.functions_arguments(&e.arguments)?;
        let (children, repr) = representation::unify(children)?;
        Ok(Node::new(Kind::MinMax { greatest: e.greatest, compare }, children, repr))
    }
}

fn junction(operator: BoolOperator) -> Kind {
    match operator {
        BoolOperator::And => Kind::Junction { and: true },
        BoolOperator::Or => Kind::Junction { and: false },
        BoolOperator::Not => Kind::Not,
    }
}
