//! Calls of functions (`parse_func.c`): plain ones, aggregates and window functions. What is called, and that it may be called
//! so, [`resolve_call`] decides; here it becomes a node.

use ::error::sqlstate;
use syntax::nodes as raw;
use syntax::nodes::Node;
use types::{Oid, Result, oid};

use super::coerce::{Coercion, operand};
use super::raw::strings;
use super::state::{ExprKind, ParseState, SetReturning};
use super::{error, required, unexpected, unsupported};
use crate::Operand;
use crate::call_kind::Decoration;
use crate::parse_func::{FuncCall, Resolved, ResolvedCall, resolve_call};
use crate::query::*;

/// What a call has, analyzed.
struct Call<'n> {
    node: &'n raw::FuncCall,
    arguments: Vec<Expr>,
    filter: Option<Expr>,
    /// Set-returning functions before its arguments.
    before: SetReturning,
}

impl ParseState<'_> {
    /// `transformFuncCall` and `ParseFuncOrColumn`.
    pub(crate) fn transform_func_call(&mut self, node: &raw::FuncCall) -> Result<Expr> {
        let place = node.location;
        let parts = strings(&node.funcname);
        let name = self.qualified_name(&parts, place)?;
        let before = self.set_returning;
        let (arguments, names) = self.transform_arguments(node)?;
        let filter = self.transform_condition(node.agg_filter.as_ref(), ExprKind::Filter, "FILTER")?;
        let operands: Vec<Operand> = arguments.iter().map(operand).collect();
        let decoration = Decoration {
            star: node.agg_star,
            distinct: node.agg_distinct,
            within_group: node.agg_within_group,
            filter: filter.is_some(),
            over: node.over.is_some(),
            order_by: node.agg_order.len(),
            procedure: false,
        };
        let variadic = node.func_variadic;
        let call = FuncCall { name, arguments: &operands, names: &names, variadic, decoration };
        let resolved = match resolve_call(self.catalog(), &call, usize::try_from(place).ok()) {
            Ok(resolved) => resolved,
            // `name(row)` may be a column of the row.
            Err(error)
                if error.0.code == sqlstate::UNDEFINED_FUNCTION
                    && name.schema.is_none()
                    && decoration == Decoration::default() =>
            {
                let [row] = &arguments[..] else { return Err(error) };
                let is_row = self.is_row_type(row.ty().oid);
                let field = if is_row { self.select_field(row, name.name)? } else { None };
                return field.ok_or(error);
            }
            Err(error) => return Err(error),
        };
        let call = Call { node, arguments, filter, before };
        match resolved {
            Resolved::Coercion(target) => {
                let argument = call.arguments.into_iter().next().ok_or_else(unexpected)?;
                let how = Coercion::explicit(CoercionForm::ExplicitCall, Location(place));
                self.coerce_type(argument, TypeRef::of(target), how)
            }
            Resolved::Call(found) => match (found.function.prokind, &node.over) {
                (b'a', None) => self.aggregate_call(call, found),
                (b'a' | b'w', Some(over)) => self.window_call(call, found, over),
                _ => self.plain_call(call, found),
            },
        }
    }

    /// The arguments, those of WITHIN GROUP behind the others, and the names of the last.
    fn transform_arguments<'n>(&mut self, node: &'n raw::FuncCall) -> Result<(Vec<Expr>, Vec<&'n str>)> {
        let mut arguments = Vec::with_capacity(node.args.len());
        let mut names: Vec<&str> = Vec::new();
        for argument in &node.args {
            let value = self.transform(argument)?;
            // Drivers declare the place of a call's result as a parameter of this type.
            let is_result = matches!(argument, Node::ParamRef(_)) && value.ty().oid == oid::VOID;
            if !is_result || node.agg_within_group {
                arguments.push(value);
            }
        }
        if node.agg_within_group {
            for by in &node.agg_order {
                let Node::SortBy(by) = by else { return Err(unexpected()) };
                arguments.push(self.transform_expr(required(&by.node)?, ExprKind::OrderBy)?);
            }
        }
        for argument in &node.args {
            if let Node::NamedArgExpr(named) = argument {
                let name = &**required(&named.name)?;
                if names.contains(&name) {
                    return Err(error(
                        sqlstate::SYNTAX_ERROR,
                        format!("argument name \"{name}\" used more than once"),
                        named.location,
                    ));
                }
                names.push(name);
            } else if !names.is_empty() {
                let place = super::raw::location(argument);
                return Err(error(sqlstate::SYNTAX_ERROR, "positional argument cannot follow named argument", place));
            }
        }
        Ok((arguments, names))
    }

    /// A function that is called otherwise than by a [`raw::FuncCall`].
    pub(crate) fn call_by_name(&mut self, name: &str, arguments: Vec<Expr>, place: i32) -> Result<Expr> {
        let operands: Vec<Operand> = arguments.iter().map(operand).collect();
        let decoration = Decoration::default();
        let call = FuncCall { name: name.into(), arguments: &operands, names: &[], variadic: false, decoration };
        let Resolved::Call(found) = resolve_call(self.catalog(), &call, usize::try_from(place).ok())? else {
            return Err(unexpected());
        };
        self.function_expr(found, arguments, CoercionForm::ExplicitCall, place)
    }

    fn plain_call(&mut self, call: Call<'_>, found: ResolvedCall<'_>) -> Result<Expr> {
        let form = match call.node.funcformat {
            raw::CoercionForm::COERCE_SQL_SYNTAX => CoercionForm::SqlSyntax,
            _ => CoercionForm::ExplicitCall,
        };
        if found.function.proretset {
            self.check_set_place(call.before, call.node.location)?;
        }
        self.function_expr(found, call.arguments, form, call.node.location)
    }

    fn function_expr(
        &mut self,
        found: ResolvedCall<'_>,
        arguments: Vec<Expr>,
        form: CoercionForm,
        place: i32,
    ) -> Result<Expr> {
        let arguments = self.complete_arguments(&found, arguments, place)?;
        let returns_set = found.function.proretset;
        let call = Expr::FuncExpr(FuncExpr {
            function: found.function.oid,
            result: TypeRef::of(found.result),
            returns_set,
            variadic: found.variadic,
            form,
            collation: oid::INVALID,
            arguments,
            location: Location(place),
        });
        if returns_set {
            self.set_returning = SetReturning { count: self.set_returning.count + 1, location: call.location().0 };
        }
        Ok(call)
    }

    /// Arguments as the function wants them: converted, those of a variadic one made an array, named ones and defaults in
    /// their places.
    fn complete_arguments(
        &mut self,
        found: &ResolvedCall<'_>,
        mut arguments: Vec<Expr>,
        place: i32,
    ) -> Result<Vec<Expr>> {
        for (argument, ty) in arguments.iter_mut().zip(&found.arguments) {
            self.coerce_argument(argument, *ty)?;
        }
        if let Some((count, array)) = found.into_array {
            let elements = arguments.split_off(arguments.len() - count);
            let element = elements.first().map_or(oid::UNKNOWN, |first| first.ty().oid);
            let (array, location) = (TypeRef::of(array), Location::NONE);
            arguments.push(Expr::Array(ArrayExpr { array, element, elements, multidimensional: false, location }));
        }
        if found.numbers.is_none() && found.defaults.is_empty() {
            return Ok(arguments);
        }
        let numbers: Vec<usize> = match &found.numbers {
            Some(numbers) => numbers.to_vec(),
            None => (0..arguments.len()).collect(),
        };
        let mut all: Vec<(usize, Expr)> = numbers.into_iter().zip(arguments).collect();
        for &number in &found.defaults {
            all.push((number, self.default_argument(found, number, place)?));
        }
        all.sort_by_key(|(number, _)| *number);
        Ok(all.into_iter().map(|(_, argument)| argument).collect())
    }

    /// A default, as a call that says it would have it.
    fn default_argument(&mut self, found: &ResolvedCall<'_>, number: usize, place: i32) -> Result<Expr> {
        let function = found.function;
        let missing = || unsupported(format!("the default of an argument of {}", function.proname), place);
        let defaults = &function.proargdefaults.as_ref().ok_or_else(missing)?.0;
        let declared = function.proargtypes.len();
        let index = (number + defaults.len()).checked_sub(declared).ok_or_else(missing)?;
        let text = defaults.get(index).ok_or_else(missing)?;
        let statements = syntax::parse(&format!("SELECT {text}")).map_err(|_| missing())?;
        let Some(Node::SelectStmt(select)) = statements.first().map(|statement| &statement.stmt) else {
            return Err(missing());
        };
        let Some(Node::ResTarget(target)) = select.target_list.first() else { return Err(missing()) };
        let mut state = ParseState::new(self.statement, None);
        // Its places are not the statement's.
        let unplaced = |mut error: types::Error| {
            error.0.location = None;
            error
        };
        let mut value = state.transform_expr(required(&target.val)?, ExprKind::Other).map_err(unplaced)?;
        state.coerce_argument(&mut value, function.proargtypes[number]).map_err(unplaced)?;
        Ok(value)
    }

    /// `transformAggregateCall`.
    fn aggregate_call(&mut self, call: Call<'_>, found: ResolvedCall<'_>) -> Result<Expr> {
        let node = call.node;
        let direct = if node.agg_within_group { node.args.len() } else { 0 };
        let variadic = found.variadic;
        let mut direct_arguments = self.complete_arguments(&found, call.arguments, node.location)?;
        let mut arguments = direct_arguments.split_off(direct.min(direct_arguments.len()));
        let shown = arguments.len();
        let (order, order_written) = self.aggregate_order(node, &mut arguments)?;
        let levels_up = self.aggregate_level(&direct_arguments, &arguments, call.filter.as_ref(), node.location)?;
        Ok(Expr::Aggref(Box::new(Aggref {
            function: found.function.oid,
            result: TypeRef::of(found.result),
            direct_arguments,
            arguments,
            arguments_shown: shown,
            order,
            order_written,
            distinct: node.agg_distinct,
            presorted: false,
            filter: call.filter,
            star: node.agg_star,
            variadic,
            levels_up,
            location: Location(node.location),
        })))
    }

    /// By what an aggregate's rows are sorted and made distinct, and how much of it was written. Expressions that are no
    /// arguments are added behind them.
    fn aggregate_order(
        &mut self,
        node: &raw::FuncCall,
        arguments: &mut Vec<Expr>,
    ) -> Result<(Vec<AggregateOrder>, usize)> {
        if node.agg_order.is_empty() && !node.agg_distinct {
            return Ok((vec![], 0));
        }
        let mut targets: Vec<TargetEntry> =
            arguments.drain(..).zip(1..).map(|(expr, number)| TargetEntry::new(expr, number, String::new())).collect();
        let mut clauses = match node.agg_within_group {
            // The arguments of WITHIN GROUP are what it is sorted by.
            true => self.sort_by_targets(&node.agg_order, &mut targets)?,
            false => self.transform_sort_clause(&node.agg_order, &mut targets, ExprKind::OrderBy, true)?,
        };
        let written = clauses.len();
        if node.agg_distinct {
            clauses = self.distinct_all(&mut targets, &clauses, true)?;
            for clause in &clauses {
                let target = targets.iter().find(|target| target.reference == clause.reference);
                if clause.sort == oid::INVALID
                    && let Some(target) = target
                {
                    let ty = self.type_text(target.expr.ty().oid);
                    let message = format!("could not identify an ordering operator for type {ty}");
                    return Err(error(sqlstate::UNDEFINED_FUNCTION, message, target.expr.location().0)
                        .detail("Aggregates with DISTINCT must be able to sort their inputs."));
                }
            }
        }
        let order = clauses.iter().filter_map(|clause| {
            let argument = targets.iter().position(|target| target.reference == clause.reference)?;
            Some(AggregateOrder { argument, clause: *clause })
        });
        let order = order.collect();
        arguments.extend(targets.into_iter().map(|target| target.expr));
        Ok((order, written))
    }

    /// `transformWindowFuncCall`: the window is analyzed later, when the query's targets are known.
    fn window_call(&mut self, call: Call<'_>, found: ResolvedCall<'_>, over: &raw::WindowDef) -> Result<Expr> {
        let node = call.node;
        self.no_sets_in_window(call.before)?;
        let arguments = self.complete_arguments(&found, call.arguments, node.location)?;
        if let Some(inner) = arguments.iter().find_map(super::level::window_function) {
            return Err(error(sqlstate::WINDOWING_ERROR, "window function calls cannot be nested", inner.0));
        }
        self.check_window_place(node.location)?;
        let window = self.window_index(over)?;
        self.has_window_functions = true;
        Ok(Expr::WindowFunc(Box::new(WindowFunc {
            function: found.function.oid,
            result: TypeRef::of(found.result),
            arguments,
            filter: call.filter,
            window,
            star: node.agg_star,
            aggregate: found.function.prokind == b'a',
            ignore_nulls: false,
            location: Location(node.location),
        })))
    }

    fn no_sets_in_window(&self, before: SetReturning) -> Result<()> {
        if self.set_returning.count == before.count {
            return Ok(());
        }
        let message = "window function calls cannot contain set-returning function calls";
        Err(error(sqlstate::FEATURE_NOT_SUPPORTED, message, self.set_returning.location)
            .hint("You might be able to move the set-returning function into a LATERAL FROM item."))
    }

    /// May there be a set-returning function in this part of the statement (`check_srf_call_placement`)?
    fn check_set_place(&mut self, before: SetReturning, place: i32) -> Result<()> {
        let what = match self.expr_kind {
            ExprKind::Other => return Ok(()),
            ExprKind::FromFunction => {
                if self.set_returning.count == before.count {
                    return Ok(());
                }
                let message = "set-returning functions must appear at top level of FROM";
                return Err(error(sqlstate::FEATURE_NOT_SUPPORTED, message, self.set_returning.location));
            }
            ExprKind::SelectTarget | ExprKind::InsertTarget | ExprKind::GroupBy | ExprKind::OrderBy => {
                self.has_target_sets = true;
                return Ok(());
            }
            ExprKind::DistinctOn | ExprKind::ValuesSingle | ExprKind::WindowPartition | ExprKind::WindowOrder => {
                self.has_target_sets = true;
                return Ok(());
            }
            ExprKind::JoinOn | ExprKind::JoinUsing => "JOIN conditions",
            ExprKind::WindowFrameRange | ExprKind::WindowFrameRows | ExprKind::WindowFrameGroups => {
                "window definitions"
            }
            ExprKind::MergeWhen => "MERGE WHEN conditions",
            ExprKind::CheckConstraint => "check constraints",
            ExprKind::ColumnDefault => "DEFAULT expressions",
            ExprKind::IndexExpression => "index expressions",
            ExprKind::IndexPredicate => "index predicates",
            ExprKind::Policy => "policy expressions",
            ExprKind::Execute => "EXECUTE parameters",
            ExprKind::GeneratedColumn => "column generation expressions",
            ExprKind::AlterColumnTransform => "transform expressions",
            ExprKind::CallArgument => "CALL arguments",
            ExprKind::CopyWhere => "COPY FROM WHERE conditions",
            other => other.name(),
        };
        Err(error(sqlstate::FEATURE_NOT_SUPPORTED, format!("set-returning functions are not allowed in {what}"), place))
    }

    /// The name that a function's only result has (`get_func_result_name`).
    pub(crate) fn result_name(&self, function: Oid) -> Option<String> {
        let row = self.catalog().function(function)?;
        let (names, modes) = (row.proargnames.as_ref()?, row.proargmodes.as_ref()?);
        let mut out = (0..modes.len()).filter(|&number| matches!(modes[number], b'o' | b'b' | b't'));
        match (out.next(), out.next()) {
            (Some(only), None) if !names[only].is_empty() => Some(names[only].to_string()),
            _ => None,
        }
    }
}
