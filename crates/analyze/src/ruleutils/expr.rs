//! Expressions (`get_rule_expr`).

use error::sqlstate;
use syntax::with_stack_for;
use types::{Error, Result, oid};

use super::literal::Label;
use super::{Referent, VarNames, Writer};
use crate::funcapi::result_columns;
use crate::query::*;

impl Writer<'_> {
    pub(crate) fn expr(&mut self, expr: &Expr, names: &dyn VarNames, implicit: bool) -> Result<()> {
        /// More levels of stack than writing a node takes.
        const LEVELS: usize = 32;
        with_stack_for(LEVELS, || self.node(expr, names, implicit))
    }

    /// In parentheses, if they are needed under `parent` and it writes none itself (`get_rule_expr_paren`).
    pub(super) fn paren(&mut self, expr: &Expr, names: &dyn VarNames, implicit: bool, parent: &Expr) -> Result<()> {
        let needed = self.deparse.pretty && !is_simple(expr, parent, &|operator| self.simple_operator(operator));
        self.wrapped(needed, |writer| writer.expr(expr, names, implicit))
    }

    /// The parentheses of an operator, which precedence may make superfluous: then the expression around writes them.
    pub(super) fn own_parens(&mut self, write: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.wrapped(!self.deparse.pretty, write)
    }

    pub(super) fn wrapped(&mut self, needed: bool, write: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        if needed {
            self.push("(");
        }
        write(self)?;
        if needed {
            self.push(")");
        }
        Ok(())
    }

    /// A whole row alone has its type behind it (`get_rule_expr_toplevel`).
    pub(crate) fn top_level(&mut self, expr: &Expr, names: &dyn VarNames, implicit: bool) -> Result<()> {
        self.expr(expr, names, implicit)?;
        if let Expr::Var(var @ Var { attribute: 0, .. }) = expr
            && let Referent::Column { name: None, .. } = names.var(var)?
        {
            let shown = self.catalog().format_type_with_typmod(var.ty.oid, var.ty.typmod);
            self.push("::");
            self.push(&shown);
        }
        Ok(())
    }

    fn node(&mut self, expr: &Expr, names: &dyn VarNames, implicit: bool) -> Result<()> {
        match expr {
            Expr::Var(e) => {
                let referent = names.var(e)?;
                self.referent(referent)
            }
            Expr::Const(e) => self.constant(e, Label::Needed),
            Expr::Param(e) => self.param(e, names),
            Expr::Aggref(e) => self.aggregate(e, names),
            Expr::GroupingFunc(e) => self.call_of("GROUPING", &e.arguments, names),
            Expr::WindowFunc(e) => self.window_function(e, names),
            Expr::SubscriptingRef(e) => self.subscripts(e, names, implicit),
            Expr::FuncExpr(e) => self.function(expr, e, names, implicit),
            Expr::OpExpr(e) => self.operator(expr, e, names),
            Expr::DistinctExpr(e) => self.own_parens(|writer| {
                writer.paren(&e.arguments[0], names, true, expr)?;
                writer.push(" IS DISTINCT FROM ");
                writer.paren(&e.arguments[1], names, true, expr)
            }),
            Expr::NullIfExpr(e) => self.call_of("NULLIF", &e.arguments, names),
            Expr::ScalarArrayOpExpr(e) => self.scalar_array(expr, e, names),
            Expr::BoolExpr(e) => self.boolean(expr, e, names),
            Expr::SubLink(e) => self.sublink(e, names),
            Expr::SubPlan(e) => self.sub_plan(e, names, implicit),
            Expr::FieldSelect(e) => self.field(e, names),
            Expr::FieldStore(_) => Err(Error::unsupported("an assignment to a field as SQL")),
            Expr::RelabelType(e) => match e.collation {
                Some(collation) => self.own_parens(|writer| {
                    writer.paren(&e.argument, names, implicit, expr)?;
                    let name = writer.collation_name(collation)?;
                    writer.push(" COLLATE ");
                    writer.push(&name);
                    Ok(())
                }),
                // What is cast is a row of the type already.
                None if matches!(&e.argument, Expr::Row(row) if row.ty == e.result.oid) => {
                    self.expr(&e.argument, names, implicit)?;
                    let shown = self.catalog().format_type_with_typmod(e.result.oid, e.result.typmod);
                    self.push("::");
                    self.push(&shown);
                    Ok(())
                }
                None => self.cast(expr, &e.argument, e.result, e.form, names, implicit),
            },
            Expr::CoerceViaIo(e) => self.cast(expr, &e.argument, TypeRef::of(e.result), e.form, names, implicit),
            Expr::ArrayCoerce(e) => self.cast(expr, &e.argument, e.result, e.form, names, implicit),
            Expr::Case(e) => self.case(e, names),
            Expr::CaseTest(_) => {
                self.push("CASE_TEST_EXPR");
                Ok(())
            }
            Expr::Array(e) => self.array(e, names),
            Expr::Row(e) => self.row(e, names),
            Expr::RowCompare(e) => self.row_compare(e, names),
            Expr::Coalesce(e) => self.call_of("COALESCE", &e.arguments, names),
            Expr::MinMax(e) => self.call_of(if e.greatest { "GREATEST" } else { "LEAST" }, &e.arguments, names),
            Expr::SqlValue(e) => {
                self.sql_value(e);
                Ok(())
            }
            Expr::NullTest(e) => self.null_test(expr, e, names),
            Expr::BooleanTest(e) => self.boolean_test(expr, e, names),
            Expr::SetToDefault(_) => {
                self.push("DEFAULT");
                Ok(())
            }
            Expr::NextValue { sequence, .. } => {
                let name = self.relation_name(*sequence)?;
                self.push("nextval(");
                self.quoted(&name);
                self.push(")");
                Ok(())
            }
            Expr::MergeAction => {
                self.push("MERGE_ACTION()");
                Ok(())
            }
        }
    }

    pub(super) fn call_of(&mut self, name: &str, arguments: &[Expr], names: &dyn VarNames) -> Result<()> {
        self.push(name);
        self.push("(");
        self.list(arguments, names, true)?;
        self.push(")");
        Ok(())
    }

    pub(super) fn referent(&mut self, referent: Referent<'_>) -> Result<()> {
        match referent {
            Referent::Column { relation, qualified, name } => {
                if let (Some(relation), true) = (relation, qualified) {
                    self.identifier(&relation);
                    self.push(".");
                }
                match name {
                    Some(name) => self.identifier(&name),
                    None => self.push("*"),
                }
                Ok(())
            }
            // The caller takes it for something simple.
            Referent::Expression { expr, names } => {
                let simple = matches!(expr, Expr::Var(_));
                self.wrapped(!simple, |writer| writer.expr(expr, &*names, true))
            }
            Referent::Text(text) => {
                self.push(&text);
                Ok(())
            }
        }
    }

    /// `get_parameter`.
    fn param(&mut self, param: &Param, names: &dyn VarNames) -> Result<()> {
        if param.kind == ParamKind::Exec
            && let Some((_, name)) = self.sub_plan_columns.iter().rev().find(|(number, _)| *number == param.number)
        {
            let name = name.clone();
            self.push(&name);
            return Ok(());
        }
        match names.param(param)? {
            Some(Referent::Expression { expr, names }) => {
                let simple = matches!(expr, Expr::Var(_) | Expr::Aggref(_) | Expr::GroupingFunc(_) | Expr::Param(_));
                self.wrapped(!simple, |writer| writer.expr(expr, &*names, false))
            }
            Some(referent) => self.referent(referent),
            None => {
                self.push(&format!("${}", param.number));
                Ok(())
            }
        }
    }

    fn subscripts(&mut self, e: &SubscriptingRef, names: &dyn VarNames, implicit: bool) -> Result<()> {
        let simple = matches!(e.array, Expr::Var(_) | Expr::FieldSelect(_));
        self.wrapped(!simple, |writer| writer.expr(&e.array, names, implicit))?;
        for (place, upper) in e.upper.iter().enumerate() {
            self.push("[");
            if let Some(lower) = e.lower.get(place) {
                lower.iter().try_for_each(|bound| self.expr(bound, names, false))?;
                self.push(":");
            }
            upper.iter().try_for_each(|bound| self.expr(bound, names, false))?;
            self.push("]");
        }
        if let Some(assigned) = &e.assigned {
            self.push(" := ");
            self.expr(assigned, names, implicit)?;
        }
        Ok(())
    }

    /// `get_oper_expr`.
    fn operator(&mut self, expr: &Expr, e: &OpExpr, names: &dyn VarNames) -> Result<()> {
        self.own_parens(|writer| match &e.arguments[..] {
            [right] => {
                let name = writer.operator_name(e.operator, oid::INVALID, right.ty().oid)?;
                writer.push(&name);
                writer.push(" ");
                writer.paren(right, names, true, expr)
            }
            [left, right] => {
                let name = writer.operator_name(e.operator, left.ty().oid, right.ty().oid)?;
                writer.paren(left, names, true, expr)?;
                writer.push(&format!(" {name} "));
                writer.paren(right, names, true, expr)
            }
            _ => Err(Error::new(sqlstate::INTERNAL_ERROR, "an operator has one or two operands")),
        })
    }

    fn scalar_array(&mut self, expr: &Expr, e: &ScalarArrayOpExpr, names: &dyn VarNames) -> Result<()> {
        let array = e.array.ty();
        let element = self.catalog().base_element_type(array.oid).unwrap_or(oid::INVALID);
        let name = self.operator_name(e.operator, e.scalar.ty().oid, element)?;
        self.own_parens(|writer| {
            writer.paren(&e.scalar, names, true, expr)?;
            writer.push(&format!(" {name} {} (", if e.any { "ANY" } else { "ALL" }));
            writer.paren(&e.array, names, true, expr)?;
            // Otherwise it would be read as ANY of a query's rows.
            if matches!(&*e.array, Expr::SubLink(link) if link.kind == SubLinkKind::Scalar) {
                let shown = writer.catalog().format_type_with_typmod(array.oid, array.typmod);
                writer.push(&format!("::{shown}"));
            }
            writer.push(")");
            Ok(())
        })
    }

    fn boolean(&mut self, expr: &Expr, e: &BoolExpr, names: &dyn VarNames) -> Result<()> {
        self.own_parens(|writer| {
            let joint = match e.operator {
                BoolOperator::And => " AND ",
                BoolOperator::Or => " OR ",
                BoolOperator::Not => {
                    writer.push("NOT ");
                    ""
                }
            };
            for (place, argument) in e.arguments.iter().enumerate() {
                if place > 0 {
                    writer.push(joint);
                }
                writer.paren(argument, names, false, expr)?;
            }
            Ok(())
        })
    }

    /// A subquery with a plan, by the name that EXPLAIN gives it.
    fn sub_plan(&mut self, e: &SubPlan, names: &dyn VarNames, implicit: bool) -> Result<()> {
        self.push(match e.kind {
            SubLinkKind::Exists => "EXISTS(",
            SubLinkKind::All => "(ALL ",
            SubLinkKind::Any => "(ANY ",
            SubLinkKind::RowCompare | SubLinkKind::Scalar => "(",
            SubLinkKind::MultiExpr => "(rescan ",
            SubLinkKind::Array => "ARRAY(",
            SubLinkKind::Cte => "CTE(",
        });
        let hashed = if e.hashed { "hashed " } else { "" };
        match &e.test {
            Some(test) => {
                let before = self.sub_plan_columns.len();
                let column = |(number, place): (&u32, usize)| (*number, format!("({hashed}{}).col{place}", e.name));
                self.sub_plan_columns.extend(e.columns.iter().zip(1..).map(column));
                let written = self.expr(test, names, implicit);
                self.sub_plan_columns.truncate(before);
                written?;
            }
            None => self.push(&format!("{hashed}{}", e.name)),
        }
        self.push(")");
        Ok(())
    }

    fn field(&mut self, e: &FieldSelect, names: &dyn VarNames) -> Result<()> {
        let simple = matches!(e.row, Expr::SubscriptingRef(_) | Expr::FieldSelect(_));
        self.wrapped(!simple, |writer| writer.expr(&e.row, names, true))?;
        let name = self.field_name(e, names);
        self.push(".");
        self.identifier(&name);
        Ok(())
    }

    fn field_name(&self, e: &FieldSelect, names: &dyn VarNames) -> String {
        let index = e.field as usize - 1;
        let of_type = || {
            let relation = self.catalog().type_relation(e.row.ty().oid)?;
            let relation = self.deparse.relations.relation_by_oid(relation)?;
            Some(relation.columns.get(index)?.name.clone())
        };
        let row = match &e.row {
            Expr::Var(column) => names.computed(column).unwrap_or(&e.row),
            row => row,
        };
        let of_row = || match row {
            Expr::Row(row) => row.names.get(index).cloned(),
            // A function's declaration names the columns of its rows.
            Expr::FuncExpr(call) => Some(result_columns(self.catalog(), call)?.get(index)?.name.clone()),
            _ => None,
        };
        of_type().or_else(of_row).or_else(|| names.field(&e.row, e.field)).unwrap_or_else(|| format!("f{}", e.field))
    }

    fn case(&mut self, e: &CaseExpr, names: &dyn VarNames) -> Result<()> {
        const STEP: i32 = 4;
        let space = if self.indent.is_some() { "" } else { " " };
        self.keyword("CASE", 0, STEP, 0);
        if let Some(argument) = &e.argument {
            self.push(" ");
            self.expr(argument, names, true)?;
        }
        for when in &e.when {
            // `CASE x WHEN y` is a comparison with x.
            let condition = match &when.condition {
                Expr::OpExpr(test) if e.argument.is_some() && is_case_test(&test.arguments[0]) => &test.arguments[1],
                condition => condition,
            };
            self.push(space);
            self.keyword("WHEN ", 0, 0, 0);
            self.expr(condition, names, false)?;
            self.push(" THEN ");
            self.expr(&when.result, names, true)?;
        }
        if let Some(otherwise) = &e.otherwise {
            self.push(space);
            self.keyword("ELSE ", 0, 0, 0);
            self.expr(otherwise, names, true)?;
        }
        self.push(space);
        self.keyword("END", -STEP, 0, 0);
        Ok(())
    }

    fn array(&mut self, e: &ArrayExpr, names: &dyn VarNames) -> Result<()> {
        self.push("ARRAY[");
        self.list(&e.elements, names, true)?;
        self.push("]");
        if e.elements.is_empty() {
            let shown = self.catalog().format_type_with_typmod(e.array.oid, -1);
            self.push(&format!("::{shown}"));
        }
        Ok(())
    }

    fn row(&mut self, e: &RowExpr, names: &dyn VarNames) -> Result<()> {
        self.push("ROW(");
        self.top_level_list(&e.fields, names)?;
        self.push(")");
        Ok(())
    }

    fn top_level_list(&mut self, exprs: &[Expr], names: &dyn VarNames) -> Result<()> {
        for (place, expr) in exprs.iter().enumerate() {
            if place > 0 {
                self.push(", ");
            }
            self.top_level(expr, names, true)?;
        }
        Ok(())
    }

    fn row_compare(&mut self, e: &RowCompareExpr, names: &dyn VarNames) -> Result<()> {
        let name = self.operator_name(e.operators[0], e.left[0].ty().oid, e.right[0].ty().oid)?;
        self.push("(ROW(");
        self.top_level_list(&e.left, names)?;
        self.push(&format!(") {name} ROW("));
        self.top_level_list(&e.right, names)?;
        self.push("))");
        Ok(())
    }

    fn null_test(&mut self, expr: &Expr, e: &NullTest, names: &dyn VarNames) -> Result<()> {
        let row = self.catalog().is_complex(e.argument.ty().oid) || e.argument.ty().oid == oid::RECORD;
        self.own_parens(|writer| {
            writer.paren(&e.argument, names, true, expr)?;
            writer.push(match (e.row || !row, e.is_null) {
                (true, true) => " IS NULL",
                (true, false) => " IS NOT NULL",
                // The row as a whole is asked, not its fields.
                (false, true) => " IS NOT DISTINCT FROM NULL",
                (false, false) => " IS DISTINCT FROM NULL",
            });
            Ok(())
        })
    }

    fn boolean_test(&mut self, expr: &Expr, e: &BooleanTest, names: &dyn VarNames) -> Result<()> {
        self.own_parens(|writer| {
            writer.paren(&e.argument, names, false, expr)?;
            writer.push(match e.kind {
                BooleanTestKind::IsTrue => " IS TRUE",
                BooleanTestKind::IsNotTrue => " IS NOT TRUE",
                BooleanTestKind::IsFalse => " IS FALSE",
                BooleanTestKind::IsNotFalse => " IS NOT FALSE",
                BooleanTestKind::IsUnknown => " IS UNKNOWN",
                BooleanTestKind::IsNotUnknown => " IS NOT UNKNOWN",
            });
            Ok(())
        })
    }

    /// The name of an operator of arithmetic with two sides, for its precedence (`get_simple_binary_op_name`).
    fn simple_operator(&self, e: &OpExpr) -> Option<u8> {
        let row = self.catalog().operator(e.operator)?;
        match row.oprname.as_bytes() {
            [only] if e.arguments.len() == 2 => Some(*only),
            _ => None,
        }
    }
}

/// The argument of CASE, whose conversions are not written.
fn is_case_test(expr: &Expr) -> bool {
    match expr {
        Expr::CaseTest(_) => true,
        Expr::FuncExpr(e) if e.form == CoercionForm::ImplicitCast => e.arguments.first().is_some_and(is_case_test),
        Expr::RelabelType(e) if e.form == CoercionForm::ImplicitCast => is_case_test(&e.argument),
        Expr::CoerceViaIo(e) if e.form == CoercionForm::ImplicitCast => is_case_test(&e.argument),
        Expr::ArrayCoerce(e) if e.form == CoercionForm::ImplicitCast => is_case_test(&e.argument),
        _ => false,
    }
}

/// Does an expression need no parentheses under another one (`isSimpleNode`)?
fn is_simple(expr: &Expr, parent: &Expr, operator: &dyn Fn(&OpExpr) -> Option<u8>) -> bool {
    match expr {
        Expr::FieldSelect(_) => !matches!(parent, Expr::FieldSelect(_)),
        Expr::RelabelType(e) if e.collation.is_some() => false,
        Expr::RelabelType(e) => is_simple(&e.argument, expr, operator),
        Expr::CoerceViaIo(e) => is_simple(&e.argument, expr, operator),
        Expr::ArrayCoerce(e) => is_simple(&e.argument, expr, operator),
        Expr::OpExpr(e) => match parent {
            Expr::OpExpr(around) => binds_tighter(e, around, expr, operator),
            _ => has_own_separators(parent),
        },
        Expr::SubLink(_) | Expr::NullTest(_) | Expr::BooleanTest(_) | Expr::DistinctExpr(_) => {
            has_own_separators(parent)
        }
        Expr::BoolExpr(e) => match parent {
            Expr::BoolExpr(around) => match e.operator {
                BoolOperator::Not | BoolOperator::And => around.operator != BoolOperator::Not,
                BoolOperator::Or => around.operator == BoolOperator::Or,
            },
            _ => has_own_separators(parent),
        },
        Expr::ScalarArrayOpExpr(_) | Expr::RowCompare(_) | Expr::SubPlan(_) | Expr::CaseTest(_) => false,
        _ => true,
    }
}

/// Whatever stands in it stands alone.
fn has_own_separators(parent: &Expr) -> bool {
    match parent {
        Expr::FuncExpr(e) => e.form == CoercionForm::ExplicitCall,
        Expr::BoolExpr(_) | Expr::SubscriptingRef(_) | Expr::Array(_) | Expr::Row(_) | Expr::Coalesce(_) => true,
        Expr::MinMax(_) | Expr::NullIfExpr(_) | Expr::Aggref(_) | Expr::GroupingFunc(_) => true,
        Expr::WindowFunc(_) | Expr::Case(_) => true,
        _ => false,
    }
}

/// Of `+ - * / %` alone it is known.
fn binds_tighter(e: &OpExpr, around: &OpExpr, expr: &Expr, operator: &dyn Fn(&OpExpr) -> Option<u8>) -> bool {
    let rank = |e: &OpExpr| match operator(e)? {
        b'+' | b'-' => Some(1),
        b'*' | b'/' | b'%' => Some(2),
        _ => None,
    };
    let (Some(inner), Some(outer)) = (rank(e), rank(around)) else { return false };
    inner > outer || (inner == outer && std::ptr::eq(expr, &around.arguments[0]))
}
