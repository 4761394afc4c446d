//! Calls of functions and aggregates, casts, and what SQL writes in its own ways.

use types::{Datum, Oid, Result, oid};

use super::literal::Label;
use super::{Referent, VarNames, WindowReferent, Writer};
use crate::query::*;

impl Writer<'_> {
    /// `get_func_expr`.
    pub(super) fn function(&mut self, expr: &Expr, e: &FuncExpr, names: &dyn VarNames, implicit: bool) -> Result<()> {
        if matches!(e.form, CoercionForm::ImplicitCast | CoercionForm::ExplicitCast)
            && let Some(argument) = e.arguments.first()
        {
            let result = TypeRef { oid: e.result.oid, typmod: length_coercion(e) };
            return self.cast(expr, argument, result, e.form, names, implicit);
        }
        if e.form == CoercionForm::SqlSyntax && self.sql_syntax(expr, e, names)? {
            return Ok(());
        }
        let types: Vec<Oid> = e.arguments.iter().map(|argument| argument.ty().oid).collect();
        let name = self.function_name(e.function, &types, e.variadic)?;
        self.push(&name);
        self.push("(");
        self.arguments(&e.arguments, e.variadic, names)?;
        self.push(")");
        Ok(())
    }

    fn arguments(&mut self, arguments: &[Expr], variadic: bool, names: &dyn VarNames) -> Result<()> {
        for (place, argument) in arguments.iter().enumerate() {
            if place > 0 {
                self.push(", ");
            }
            if variadic && place + 1 == arguments.len() {
                self.push("VARIADIC ");
            }
            self.expr(argument, names, true)?;
        }
        Ok(())
    }

    /// A conversion: nothing to see, if it is not written and not asked for (`get_coercion_expr`).
    pub(super) fn cast(
        &mut self,
        expr: &Expr,
        argument: &Expr,
        result: TypeRef,
        form: CoercionForm,
        names: &dyn VarNames,
        implicit: bool,
    ) -> Result<()> {
        if form == CoercionForm::ImplicitCast && !implicit {
            return self.paren(argument, names, false, expr);
        }
        match argument {
            // A literal whose length is coerced: its type is written once.
            Expr::Const(constant) if constant.ty == TypeRef::of(result.oid) => self.constant(constant, Label::Never)?,
            argument => self.own_parens(|writer| writer.paren(argument, names, false, expr))?,
        }
        let shown = self.catalog().format_type_with_typmod(result.oid, result.typmod);
        self.push("::");
        self.push(&shown);
        Ok(())
    }

    /// `get_agg_expr`.
    pub(super) fn aggregate(&mut self, e: &Aggref, names: &dyn VarNames) -> Result<()> {
        let shown = &e.arguments[..e.arguments_shown];
        let types: Vec<Oid> = e.direct_arguments.iter().chain(shown).map(|argument| argument.ty().oid).collect();
        let name = self.function_name(e.function, &types, e.variadic)?;
        self.push(&name);
        self.push("(");
        if e.distinct {
            self.push("DISTINCT ");
        }
        let ordered_set = self.catalog().aggregate(e.function).is_some_and(|row| row.aggkind != b'n');
        if ordered_set {
            self.list(&e.direct_arguments, names, true)?;
            self.push(") WITHIN GROUP (ORDER BY ");
            self.aggregate_order(e, names)?;
        } else {
            match e.star {
                true => self.push("*"),
                false => self.arguments(shown, e.variadic, names)?,
            }
            // DISTINCT sorts by its arguments too, but that is not written.
            if e.order_written > 0 {
                self.push(" ORDER BY ");
                self.aggregate_order(e, names)?;
            }
        }
        self.filter(e.filter.as_ref(), names)?;
        self.push(")");
        Ok(())
    }

    fn aggregate_order(&mut self, e: &Aggref, names: &dyn VarNames) -> Result<()> {
        for (place, order) in e.order[..e.order_written].iter().enumerate() {
            if place > 0 {
                self.push(", ");
            }
            let argument = &e.arguments[order.argument];
            self.sort_key(argument, names)?;
            self.sort_direction(argument.ty().oid, &order.clause)?;
        }
        Ok(())
    }

    fn filter(&mut self, filter: Option<&Expr>, names: &dyn VarNames) -> Result<()> {
        if let Some(filter) = filter {
            self.push(") FILTER (WHERE ");
            self.expr(filter, names, false)?;
        }
        Ok(())
    }

    /// What is sorted or grouped by (`get_rule_sortgroupclause`).
    pub(crate) fn sort_key(&mut self, expr: &Expr, names: &dyn VarNames) -> Result<()> {
        match expr {
            // A bare number would be a column's.
            Expr::Const(constant) => self.constant(constant, Label::Always),
            Expr::Var(var) => {
                let mut referent = names.var(var)?;
                if let Referent::Column { qualified, name: Some(name), .. } = &mut referent
                    && !self.in_group_by
                {
                    *qualified |= self.sort_conflicts.iter().any(|(other, value)| other == name && value != expr);
                }
                self.referent(referent)
            }
            _ => {
                let call = matches!(expr, Expr::FuncExpr(_) | Expr::Aggref(_) | Expr::WindowFunc(_));
                self.wrapped(self.deparse.pretty || call, |writer| writer.expr(expr, names, true))
            }
        }
    }

    /// What follows a sort key (`get_rule_orderby`).
    pub(crate) fn sort_direction(&mut self, ty: Oid, clause: &SortGroupClause) -> Result<()> {
        let operators = self.catalog().sort_group_operators(ty, false, false).ok();
        let nulls_first = clause.nulls_first;
        if operators.as_ref().is_some_and(|operators| operators.less == Some(clause.sort)) {
            self.push(if nulls_first { " NULLS FIRST" } else { "" });
        } else if operators.is_some_and(|operators| operators.greater == Some(clause.sort)) {
            self.push(if nulls_first { " DESC" } else { " DESC NULLS LAST" });
        } else {
            let name = self.operator_name(clause.sort, ty, ty)?;
            self.push(&format!(" USING {name} NULLS {}", if nulls_first { "FIRST" } else { "LAST" }));
        }
        Ok(())
    }

    /// `get_windowfunc_expr`.
    pub(super) fn window_function(&mut self, e: &WindowFunc, names: &dyn VarNames) -> Result<()> {
        let types: Vec<Oid> = e.arguments.iter().map(|argument| argument.ty().oid).collect();
        let name = self.function_name(e.function, &types, false)?;
        self.push(&name);
        self.push("(");
        match e.star {
            true => self.push("*"),
            false => self.list(&e.arguments, names, true)?,
        }
        self.filter(e.filter.as_ref(), names)?;
        self.push(") OVER ");
        match names.window(e.window)? {
            WindowReferent::Name(name) => {
                self.identifier(&name);
                Ok(())
            }
            WindowReferent::Definition { window: WindowClause { name: Some(name), .. }, .. } => {
                self.identifier(name);
                Ok(())
            }
            WindowReferent::Definition { window, targets } => self.window_definition(window, targets, names),
        }
    }

    /// `get_rule_windowspec`.
    pub(crate) fn window_definition(
        &mut self,
        window: &WindowClause,
        targets: &[TargetEntry],
        names: &dyn VarNames,
    ) -> Result<()> {
        self.push("(");
        let mut space = "";
        if let Some(base) = &window.base {
            self.identifier(base);
            space = " ";
        } else if !window.partition.is_empty() {
            self.push("PARTITION BY ");
            self.sort_clauses(&window.partition, targets, names, false)?;
            space = " ";
        }
        if !window.order.is_empty() && !window.copied_order {
            self.push(space);
            self.push("ORDER BY ");
            self.sort_clauses(&window.order, targets, names, true)?;
            space = " ";
        }
        if window.frame.written {
            self.push(space);
            self.window_frame(&window.frame, names)?;
        }
        self.push(")");
        Ok(())
    }

    /// The targets that clauses name, with their directions if they sort.
    pub(crate) fn sort_clauses(
        &mut self,
        clauses: &[SortGroupClause],
        targets: &[TargetEntry],
        names: &dyn VarNames,
        sorted: bool,
    ) -> Result<()> {
        for (place, clause) in clauses.iter().enumerate() {
            if place > 0 {
                self.push(", ");
            }
            let Some(target) = targets.iter().find(|target| target.reference == clause.reference) else { continue };
            self.sort_key(&target.expr, names)?;
            if sorted {
                self.sort_direction(target.expr.ty().oid, clause)?;
            }
        }
        Ok(())
    }

    /// `get_window_frame_options`.
    pub fn window_frame(&mut self, frame: &WindowFrame, names: &dyn VarNames) -> Result<()> {
        self.push(match frame.mode {
            FrameMode::Range => "RANGE ",
            FrameMode::Rows => "ROWS ",
            FrameMode::Groups => "GROUPS ",
        });
        // `ROWS x PRECEDING` ends at the current row.
        let between = frame.between;
        if between {
            self.push("BETWEEN ");
        }
        self.frame_bound(&frame.start, names)?;
        if between {
            self.push(" AND ");
            self.frame_bound(&frame.end, names)?;
        }
        self.push(match frame.exclusion {
            FrameExclusion::NoOthers => "",
            FrameExclusion::CurrentRow => " EXCLUDE CURRENT ROW",
            FrameExclusion::Group => " EXCLUDE GROUP",
            FrameExclusion::Ties => " EXCLUDE TIES",
        });
        Ok(())
    }

    fn frame_bound(&mut self, bound: &FrameBound, names: &dyn VarNames) -> Result<()> {
        match bound {
            FrameBound::UnboundedPreceding => self.push("UNBOUNDED PRECEDING"),
            FrameBound::UnboundedFollowing => self.push("UNBOUNDED FOLLOWING"),
            FrameBound::CurrentRow => self.push("CURRENT ROW"),
            FrameBound::Preceding(offset) => {
                self.expr(offset, names, false)?;
                self.push(" PRECEDING");
            }
            FrameBound::Following(offset) => {
                self.expr(offset, names, false)?;
                self.push(" FOLLOWING");
            }
        }
        Ok(())
    }

    /// What SQL writes without parentheses.
    pub(super) fn sql_value(&mut self, e: &SqlValueFunction) {
        let name = match e.value {
            SqlValue::CurrentDate => "CURRENT_DATE",
            SqlValue::CurrentTime => "CURRENT_TIME",
            SqlValue::CurrentTimestamp => "CURRENT_TIMESTAMP",
            SqlValue::LocalTime => "LOCALTIME",
            SqlValue::LocalTimestamp => "LOCALTIMESTAMP",
            SqlValue::CurrentRole => "CURRENT_ROLE",
            SqlValue::CurrentUser => "CURRENT_USER",
            SqlValue::User => "USER",
            SqlValue::SessionUser => "SESSION_USER",
            SqlValue::CurrentCatalog => "CURRENT_CATALOG",
            SqlValue::CurrentSchema => "CURRENT_SCHEMA",
        };
        self.push(name);
        if e.ty.typmod >= 0 && e.ty.oid != oid::NAME {
            self.push(&format!("({})", e.ty.typmod));
        }
    }

    /// The ways in which SQL calls some functions (`get_func_sql_syntax`); false: it is a function like any other.
    fn sql_syntax(&mut self, expr: &Expr, e: &FuncExpr, names: &dyn VarNames) -> Result<bool> {
        let Some(row) = self.catalog().function(e.function) else { return Ok(false) };
        let number = |place: usize| e.arguments.get(place).is_some_and(|argument| argument.ty().oid == oid::INT4);
        match (&*row.proname, &e.arguments[..]) {
            ("timezone", [zone, time]) => {
                self.push("(");
                self.paren(time, names, false, expr)?;
                self.push(" AT TIME ZONE ");
                self.paren(zone, names, false, expr)?;
                self.push(")");
            }
            ("timezone", [time]) => {
                self.push("(");
                self.paren(time, names, false, expr)?;
                self.push(" AT LOCAL)");
            }
            ("overlaps", [a, b, c, d]) => {
                self.words(
                    &[Part::Word("(("), a.into(), Part::Word(", "), b.into(), Part::Word(") OVERLAPS (")],
                    names,
                )?;
                self.words(&[c.into(), Part::Word(", "), d.into(), Part::Word("))")], names)?;
            }
            ("extract", [Expr::Const(Const { value: Datum::Text(field), .. }), from]) => {
                self.push("EXTRACT(");
                self.identifier(field);
                self.words(&[Part::Word(" FROM "), from.into(), Part::Word(")")], names)?;
            }
            ("is_normalized", [text, form @ ..]) => {
                self.push("(");
                self.paren(text, names, false, expr)?;
                self.push(" IS");
                if let [Expr::Const(Const { value: Datum::Text(form), .. })] = form {
                    self.push(&format!(" {form}"));
                }
                self.push(" NORMALIZED)");
            }
            ("normalize", [text, form @ ..]) => {
                self.words(&[Part::Word("NORMALIZE("), text.into()], names)?;
                if let [Expr::Const(Const { value: Datum::Text(form), .. })] = form {
                    self.push(&format!(", {form}"));
                }
                self.push(")");
            }
            ("pg_collation_for", [value]) => {
                self.words(&[Part::Word("COLLATION FOR ("), value.into(), Part::Word(")")], names)?;
            }
            ("overlay", [text, new, from, count @ ..]) => {
                self.words(&[Part::Word("OVERLAY("), text.into(), Part::Word(" PLACING "), new.into()], names)?;
                self.position_and_length(from, count.first(), names)?;
            }
            ("position", [within, part]) => {
                self.words(&[Part::Word("POSITION(("), part.into(), Part::Word(") IN ("), within.into()], names)?;
                self.push("))");
            }
            ("substring", [text, from, count @ ..]) if number(1) => {
                self.words(&[Part::Word("SUBSTRING("), text.into()], names)?;
                self.position_and_length(from, count.first(), names)?;
            }
            ("substring", [text, pattern, escape]) => {
                self.words(&[Part::Word("SUBSTRING("), text.into(), Part::Word(" SIMILAR "), pattern.into()], names)?;
                self.words(&[Part::Word(" ESCAPE "), escape.into(), Part::Word(")")], names)?;
            }
            (name @ ("btrim" | "ltrim" | "rtrim"), [text, what @ ..]) => {
                self.push(match name {
                    "btrim" => "TRIM(BOTH",
                    "ltrim" => "TRIM(LEADING",
                    _ => "TRIM(TRAILING",
                });
                if let [what] = what {
                    self.words(&[Part::Word(" "), what.into()], names)?;
                }
                self.words(&[Part::Word(" FROM "), text.into(), Part::Word(")")], names)?;
            }
            ("system_user", []) => self.push("SYSTEM_USER"),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn position_and_length(&mut self, from: &Expr, count: Option<&Expr>, names: &dyn VarNames) -> Result<()> {
        self.words(&[Part::Word(" FROM "), from.into()], names)?;
        if let Some(count) = count {
            self.words(&[Part::Word(" FOR "), count.into()], names)?;
        }
        self.push(")");
        Ok(())
    }

    fn words(&mut self, parts: &[Part<'_>], names: &dyn VarNames) -> Result<()> {
        for part in parts {
            match part {
                Part::Word(word) => self.push(word),
                Part::Expr(expr) => self.expr(expr, names, false)?,
            }
        }
        Ok(())
    }
}

/// Of a call in SQL's own way.
enum Part<'e> {
    Word(&'static str),
    Expr(&'e Expr),
}

impl<'e> From<&'e Expr> for Part<'e> {
    fn from(expr: &'e Expr) -> Part<'e> {
        Part::Expr(expr)
    }
}

/// The modifier that a call makes a value fit; -1: it does not (`exprIsLengthCoercion`).
fn length_coercion(e: &FuncExpr) -> i32 {
    match &e.arguments[..] {
        [_, Expr::Const(Const { ty: TypeRef { oid: oid::INT4, .. }, value: Datum::I32(typmod), .. }), rest @ ..]
            if rest.len() <= 1 =>
        {
            *typmod
        }
        _ => -1,
    }
}
