//! What has to wait: subqueries, init plans, sequences, functions that wait.

use analyze::query::*;
use catalog::strategy;
use error::sqlstate;
use types::asynchronous::WaitingFunction;
use types::{Error, Oid, Repr, Result, oid};

use super::{Compiler, representation};
use crate::node::{Kind, Node};
use crate::wait::hashed::Compared;
use crate::wait::{Gathered, SubPlanNode, TestColumns, Waiting};

impl Compiler<'_> {
    pub(super) fn init_plan(&mut self, number: usize, repr: Repr) -> Node {
        Node::leaf(Kind::Waiting(Waiting::InitPlan(number)), repr)
    }

    pub(super) fn next_value(&mut self, sequence: Oid, result: Oid) -> Result<Node> {
        let repr = super::representation(self.catalog, TypeRef::of(result))?;
        Ok(Node::leaf(Kind::Waiting(Waiting::NextValue { sequence }), repr))
    }

    /// A call of a function that waits.
    pub(super) fn waiting_call(
        &mut self,
        function: &'static WaitingFunction,
        arguments: &[Expr],
        result: TypeRef,
    ) -> Result<Node> {
        let types = arguments.iter().map(|argument| argument.ty().oid).collect();
        let children = self.functions_arguments(arguments)?;
        let repr = super::representation(self.catalog, TypeRef::of(result.oid))?;
        let call = Waiting::Call { function, arguments: types, result: result.oid };
        Ok(Node::new(Kind::Waiting(call), children, repr))
    }

    pub(super) fn sub_plan(&mut self, plan: &SubPlan) -> Result<Node> {
        let repr = match plan.kind {
            // The planner makes a join of it.
            SubLinkKind::MultiExpr => return Err(Error::unsupported("a subquery for several columns")),
            SubLinkKind::Cte => {
                return Err(Error::new(sqlstate::INTERNAL_ERROR, "unexpected CTE in an expression to run"));
            }
            SubLinkKind::Array => Repr::Array,
            SubLinkKind::Scalar => super::representation(self.catalog, TypeRef::of(plan.result.oid))?,
            _ => Repr::Bool,
        };
        // Parameters have the representation of their type.
        let mut children = Vec::new();
        for argument in &plan.arguments {
            let node = self.node(argument)?;
            let wanted = super::representation(self.catalog, TypeRef::of(argument.ty().oid))?;
            children.push(representation::convert(node, wanted)?);
        }
        let outer = self.columns.replace(TestColumns::new(&plan.columns));
        let test = plan.test.as_ref().map(|test| self.node(test)).transpose();
        let columns = std::mem::replace(&mut self.columns, outer);
        let test = test?;
        let columns = columns.ok_or_else(|| Error::new(sqlstate::INTERNAL_ERROR, "a test has no columns"))?;
        let hashed = match &test {
            Some(_) if plan.hashed && plan.kind == SubLinkKind::Any => self.hashed(plan, &columns.from_row)?,
            _ => None,
        };
        children.extend(columns.from_row);
        let array = match plan.kind {
            SubLinkKind::Array => Some(self.gathered(plan)?),
            _ => None,
        };
        let node = SubPlanNode { plan: plan.clone(), test, columns: columns.reprs, hashed, array };
        Ok(Node::new(Kind::Waiting(Waiting::SubPlan(Box::new(node))), children, repr))
    }

    /// In the test of a subquery: its columns, and what has none of them, which is computed once for a row.
    pub(super) fn test_column(&mut self, expr: &Expr) -> Result<Option<Node>> {
        let Some(test) = &self.columns else { return Ok(None) };
        let is_column =
            |e: &Expr| matches!(e, Expr::Param(p) if p.kind == ParamKind::Exec && test.columns.contains(&p.number));
        if is_column(expr) {
            let Expr::Param(param) = expr else { unreachable!("a parameter") };
            let column = test.columns.iter().position(|number| *number == param.number).unwrap_or_default();
            let repr = super::representation(self.catalog, TypeRef::of(param.ty.oid))?;
            if let Some(test) = &mut self.columns {
                test.reprs[column] = Some(repr);
            }
            return Ok(Some(Node::leaf(Kind::Local(column), repr)));
        }
        if matches!(expr, Expr::Const(_) | Expr::CaseTest(_)) || expr.contains(&mut |e| is_column(e)) {
            return Ok(None);
        }
        let Some(mut test) = self.columns.take() else { return Ok(None) };
        let node = self.node(expr);
        let local = node.map(|node| {
            let local = Node::leaf(Kind::Local(test.columns.len() + test.from_row.len()), node.repr);
            test.from_row.push(node);
            Some(local)
        });
        self.columns = Some(test);
        local
    }

    /// What `ARRAY(SELECT …)` is made of.
    fn gathered(&self, plan: &SubPlan) -> Result<Gathered> {
        let column = self.input.sub_plan_type(plan.plan)?.oid;
        let element = self.catalog.base_element_type(plan.result.oid).unwrap_or(column);
        let repr = super::representation(self.catalog, TypeRef::of(element))?;
        Ok(Gathered { element, repr, arrays: self.catalog.base_element_type(column).is_some() })
    }

    /// By what a hash table compares: the test is an AND of equalities, each of a value of the row and the column of its
    /// place. `None`: it is something else, or the types cannot be hashed together.
    fn hashed(&self, plan: &SubPlan, from_row: &[Node]) -> Result<Option<Vec<Compared>>> {
        let equalities = match plan.test.as_ref() {
            Some(Expr::BoolExpr(e)) if e.operator == BoolOperator::And => e.arguments.as_slice(),
            Some(e) => std::slice::from_ref(e),
            None => return Ok(None),
        };
        if equalities.len() != plan.columns.len() || from_row.len() != plan.columns.len() || !plan.arguments.is_empty()
        {
            return Ok(None);
        }
        let pairs = equalities.iter().zip(&plan.columns).zip(from_row);
        pairs.map(|((equality, number), value)| self.compared(equality, *number, value)).collect()
    }

    fn compared(&self, equality: &Expr, number: u32, value: &Node) -> Result<Option<Compared>> {
        let Expr::OpExpr(e) = equality else { return Ok(None) };
        let [left, right] = e.arguments.as_slice() else { return Ok(None) };
        let column = if let Expr::RelabelType(e) = right { &e.argument } else { right };
        if !matches!(column, Expr::Param(param) if param.number == number) {
            return Ok(None);
        }
        let (left, right) = (left.ty().oid, right.ty().oid);
        let integer = |ty| matches!(ty, oid::INT2 | oid::INT4 | oid::INT8);
        let float = |ty| matches!(ty, oid::FLOAT4 | oid::FLOAT8);
        let equal = || {
            let meanings = self.catalog.operator_interpretations(e.operator);
            meanings.iter().any(|meaning| meaning.strategy == Some(strategy::EQUAL))
        };
        if left == right && self.catalog.comparison(left).equal == Some(e.operator) {
            let repr = super::representation(self.catalog, TypeRef::of(left))?;
            return Ok(matches!(value.repr, found if found == repr).then_some(Compared::Alike(repr)));
        }
        Ok(match (integer(left) && integer(right), float(left) && float(right)) {
            (true, _) if equal() => Some(Compared::Integers),
            (_, true) if equal() => Some(Compared::Floats),
            _ => None,
        })
    }
}
