//! The collations of expressions (`parse_collate.c`): found in a pass over what analysis has made.
//!
//! What is read (columns, constants, parameters) has a collation from the start. The pass says by which collation each function
//! goes, and what collations a query's columns have. All collations that there are have one order, that of bytes, so what goes
//! by one are letters: their cases, and which characters are some.

use ::error::sqlstate;
use catalog::{Catalog, DEFAULT_COLLATION, INDETERMINATE_COLLATION};
use types::{Error, Oid, Result, oid};

use super::error;
use super::state::ParseState;
use crate::query::*;

/// How much a collation is worth beside others (`CollateStrength`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    /// Values have none.
    None,
    /// It is that of a column or a type.
    Implicit,
    /// Those of two columns, neither of which is the default.
    Conflict,
    /// COLLATE says it.
    Explicit,
}

/// What is known of the collation of one expression, or of several together (`assign_collations_context`).
#[derive(Clone, Copy, Debug)]
struct Derivation {
    strength: Strength,
    collation: Oid,
    location: Location,
    /// The other one of a conflict.
    collation2: Oid,
    location2: Location,
}

impl Derivation {
    const NONE: Derivation = Derivation {
        strength: Strength::None,
        collation: oid::INVALID,
        location: Location::NONE,
        collation2: oid::INVALID,
        location2: Location::NONE,
    };

    /// That of an expression without children.
    fn leaf(Collation(collation): Collation, location: Location) -> Derivation {
        match collation {
            oid::INVALID => Derivation::NONE,
            collation => Derivation { strength: Strength::Implicit, collation, location, ..Derivation::NONE },
        }
    }

    /// The collation that values have.
    fn collation(self) -> Collation {
        match self.strength {
            Strength::Conflict => Collation::NONE,
            _ => Collation(self.collation),
        }
    }
}

impl ParseState<'_> {
    /// Assigns the collations of a query whose expressions are complete. Its subqueries have theirs, and so has what its range
    /// table has (`assign_query_collations`).
    pub(crate) fn assign_query_collations(&self, query: &mut Query) -> Result<()> {
        let mut pass = Pass::new(self.catalog());
        for target in query.targets.iter_mut().chain(&mut query.returning) {
            target.collation = pass.target(&mut target.expr, target.reference != 0)?.collation();
        }
        let range_table = std::mem::take(&mut query.range_table);
        let targets = (std::mem::take(&mut query.targets), std::mem::take(&mut query.returning));
        let mut failed = Ok(());
        let each = &mut |expr: &mut Expr| {
            if failed.is_ok() {
                failed = pass.derive(expr).map(|_| ());
            }
        };
        mutate_query(query, each, &mut |_| {});
        query.range_table = range_table;
        (query.targets, query.returning) = targets;
        failed
    }

    /// The same for an expression that stands alone. Gives the collation of its values (`assign_expr_collations`).
    pub(crate) fn assign_collations(&self, expr: &mut Expr) -> Result<Collation> {
        Ok(Pass::new(self.catalog()).derive(expr)?.collation())
    }

    /// The collation that expressions of one type have in common. Where two columns say different ones there is none, which is
    /// an error unless it `may_lack` (`select_common_collation`).
    pub(crate) fn common_collation<'e>(
        &self,
        exprs: impl IntoIterator<Item = &'e mut Expr>,
        may_lack: bool,
    ) -> Result<Collation> {
        let mut pass = Pass::new(self.catalog());
        let mut all = Derivation::NONE;
        for expr in exprs {
            pass.add(expr, &mut all)?;
        }
        match all.strength {
            Strength::Conflict if !may_lack => Err(pass.mismatch(&all)),
            _ => Ok(all.collation()),
        }
    }

    /// The collation of a type's values.
    pub(crate) fn collation_of_type(&self, ty: Oid) -> Collation {
        Collation(self.catalog().type_collation(ty).unwrap_or(oid::INVALID))
    }
}

/// The collation of an expression's values (`exprCollation`); 0: they have none, or it could not be told.
pub fn expr_collation(catalog: Catalog<'_>, expr: &Expr) -> Result<Oid> {
    let Collation(found) = Pass::new(catalog).derive(&mut expr.clone())?.collation();
    Ok(found)
}

fn undetermined(message: String) -> Error {
    Error::new(sqlstate::INDETERMINATE_COLLATION, message)
        .hint("Use the COLLATE clause to set the collation explicitly.")
}

/// A pass over expressions.
struct Pass<'a> {
    catalog: Catalog<'a>,
    /// Those of what [`Expr::CaseTest`] stands for, the nearest one last.
    case_tests: Vec<Collation>,
    /// Those of the columns of the subqueries whose tests are gone through.
    sublinks: Vec<Vec<Collation>>,
}

impl<'a> Pass<'a> {
    fn new(catalog: Catalog<'a>) -> Pass<'a> {
        Pass { catalog, case_tests: Vec::new(), sublinks: Vec::new() }
    }

    /// What an expression adds to others beside it.
    fn add(&mut self, expr: &mut Expr, all: &mut Derivation) -> Result<()> {
        let one = self.derive(expr)?;
        self.merge(one, all)
    }

    /// `merge_collation_state`.
    fn merge(&self, one: Derivation, all: &mut Derivation) -> Result<()> {
        if one.strength > all.strength {
            *all = one;
            return Ok(());
        }
        if one.strength < all.strength || one.collation == all.collation {
            return Ok(());
        }
        match one.strength {
            Strength::None | Strength::Conflict => {}
            // Any other beats the default.
            Strength::Implicit if all.collation == DEFAULT_COLLATION => *all = one,
            Strength::Implicit if one.collation == DEFAULT_COLLATION => {}
            Strength::Implicit => {
                all.strength = Strength::Conflict;
                (all.collation2, all.location2) = (one.collation, one.location);
            }
            Strength::Explicit => {
                let (a, b) = (self.name(all.collation), self.name(one.collation));
                let message = format!("collation mismatch between explicit collations \"{a}\" and \"{b}\"");
                return Err(error(sqlstate::COLLATION_MISMATCH, message, one.location.0));
            }
        }
        Ok(())
    }

    fn name(&self, collation: Oid) -> String {
        self.catalog.collation(collation).map_or_else(|| "(null)".to_string(), |row| row.collname.to_string())
    }

    /// A conflict where there must be one collation.
    fn mismatch(&self, found: &Derivation) -> Error {
        let (a, b) = (self.name(found.collation), self.name(found.collation2));
        let message = format!("collation mismatch between implicit collations \"{a}\" and \"{b}\"");
        error(sqlstate::COLLATION_MISMATCH, message, found.location2.0)
            .hint("You can choose the collation by applying the COLLATE clause to one or both expressions.")
    }

    /// A target; one that is sorted or grouped by must have one collation. PostgreSQL finds out that a column has none when it
    /// sorts.
    fn target(&mut self, expr: &mut Expr, compared: bool) -> Result<Derivation> {
        let found = self.derive(expr)?;
        if compared && found.strength == Strength::Conflict {
            return Err(self.mismatch(&found));
        }
        if compared && found.collation == oid::INVALID && self.catalog.type_collation(expr.ty().oid).is_some() {
            return Err(undetermined("could not determine which collation to use for string comparison".to_string()));
        }
        Ok(found)
    }

    /// `assign_collations_walker`.
    fn derive(&mut self, expr: &mut Expr) -> Result<Derivation> {
        /// Levels of [`syntax::with_stack_for`] that there must be room for.
        const ROOM: usize = 16;
        match expr {
            Expr::Var(e) => Ok(Derivation::leaf(e.collation, e.location)),
            Expr::SetToDefault(e) => Ok(Derivation::leaf(e.collation, e.location)),
            Expr::Const(e) => Ok(self.of_type(e.ty.oid, e.location)),
            Expr::CaseTest(ty) => match self.case_tests.last() {
                Some(collation) => Ok(Derivation::leaf(*collation, Location::NONE)),
                None => Ok(self.of_type(ty.oid, Location::NONE)),
            },
            Expr::Param(Param { kind: ParamKind::SubLink, number, location, .. }) => {
                let column = self.sublinks.last().and_then(|columns| columns.get(*number as usize - 1));
                Ok(column.map_or(Derivation::NONE, |collation| Derivation::leaf(*collation, *location)))
            }
            Expr::Param(e) => Ok(self.of_type(e.ty.oid, e.location)),
            _ => syntax::with_stack_for(ROOM, || self.derive_parent(expr)),
        }
    }

    fn of_type(&self, ty: Oid, location: Location) -> Derivation {
        self.catalog.type_collation(ty).map_or(Derivation::NONE, |own| Derivation::leaf(Collation(own), location))
    }

    fn derive_parent(&mut self, expr: &mut Expr) -> Result<Derivation> {
        match expr {
            Expr::RelabelType(e) if e.collation.is_some() => {
                self.derive(&mut e.argument)?;
                let collation = e.collation.unwrap_or(oid::INVALID);
                Ok(Derivation { strength: Strength::Explicit, collation, location: e.location, ..Derivation::NONE })
            }
            Expr::FieldSelect(e) => {
                self.derive(&mut e.row)?;
                let collation = e.collation;
                Ok(Derivation::leaf(collation, expr.location()))
            }
            Expr::FieldStore(e) => {
                self.derive(&mut e.row)?;
                self.derive(&mut e.value)?;
                Ok(Derivation::NONE)
            }
            // The fields of a row are apart.
            Expr::Row(e) => {
                for field in &mut e.fields {
                    self.derive(field)?;
                }
                Ok(Derivation::NONE)
            }
            Expr::RowCompare(e) => self.row_compare(e),
            _ => {
                let input = self.input(expr)?;
                self.set_input_collation(expr, &input)?;
                Ok(self.output(expr, input))
            }
        }
    }

    fn row_compare(&mut self, e: &mut RowCompareExpr) -> Result<Derivation> {
        e.collations.clear();
        for ((operator, left), right) in e.operators.iter().zip(&mut e.left).zip(&mut e.right) {
            let mut pair = Derivation::NONE;
            self.add(left, &mut pair)?;
            self.add(right, &mut pair)?;
            let function = self.catalog.operator(*operator).map_or(oid::INVALID, |row| row.oprcode);
            e.collations.push(self.input_collation(function, &pair, [&*left, &*right]));
        }
        Ok(Derivation::NONE)
    }

    /// The collation of a node's values, given those of its children.
    fn output(&self, expr: &Expr, input: Derivation) -> Derivation {
        let ty = expr.ty().oid;
        let Some(own) = self.catalog.type_collation(ty) else { return Derivation::NONE };
        // A domain may have a collation of its own.
        let is_domain = || self.catalog.pg_type(ty).is_some_and(|row| row.typtype == b'd');
        let decides = own != DEFAULT_COLLATION && matches!(expr, Expr::RelabelType(_)) && is_domain();
        match input.strength == Strength::None || decides {
            true => Derivation::leaf(Collation(own), expr.location()),
            false => input,
        }
    }

    /// What a node's children say together.
    fn input(&mut self, expr: &mut Expr) -> Result<Derivation> {
        let mut all = Derivation::NONE;
        match expr {
            Expr::Aggref(e) => {
                self.aggregate(e, &mut all)?;
                e.filter.as_mut().map(|filter| self.derive(filter)).transpose()?;
            }
            Expr::WindowFunc(e) => {
                e.arguments.iter_mut().try_for_each(|argument| self.add(argument, &mut all))?;
                e.filter.as_mut().map(|filter| self.derive(filter)).transpose()?;
            }
            Expr::Case(e) => self.case(e, &mut all)?,
            Expr::SubscriptingRef(e) => {
                for bound in e.lower.iter_mut().chain(&mut e.upper).flatten() {
                    self.derive(bound)?;
                }
                self.add(&mut e.array, &mut all)?;
                e.assigned.as_mut().map(|value| self.add(value, &mut all)).transpose()?;
            }
            Expr::ArrayCoerce(e) => {
                self.add(&mut e.argument, &mut all)?;
                self.case_tests.push(all.collation());
                let element = self.derive(&mut e.element);
                self.case_tests.pop();
                element?;
            }
            Expr::SubLink(e) => self.sublink(e, &mut all)?,
            _ => {
                let mut failed = Ok(());
                let each = &mut |child: &mut Expr| {
                    if failed.is_ok() {
                        failed = self.add(child, &mut all);
                    }
                };
                expr.mutate(each, &mut |_| {});
                failed?;
            }
        }
        Ok(all)
    }

    /// Only what CASE gives counts.
    fn case(&mut self, e: &mut CaseExpr, all: &mut Derivation) -> Result<()> {
        let argument = e.argument.as_mut().map(|argument| self.derive(argument)).transpose()?;
        for when in &mut e.when {
            self.case_tests.extend(argument.map(Derivation::collation));
            let condition = self.derive(&mut when.condition);
            if argument.is_some() {
                self.case_tests.pop();
            }
            condition?;
            self.add(&mut when.result, all)?;
        }
        e.otherwise.as_mut().map_or(Ok(()), |otherwise| self.add(otherwise, all))
    }

    /// A subquery has the collation of its first column, which may be none.
    fn sublink(&mut self, e: &mut SubLink, all: &mut Derivation) -> Result<()> {
        if let Some(test) = &mut e.test {
            self.sublinks.push(e.query.visible_targets().map(|target| target.collation).collect());
            let found = self.derive(test);
            self.sublinks.pop();
            found?;
        }
        if let Some(first) = e.query.targets.first().filter(|target| !target.junk) {
            let (Collation(collation), location) = (first.collation, first.expr.location());
            let found = Derivation { strength: Strength::Implicit, collation, location, ..Derivation::NONE };
            self.merge(found, all)?;
        }
        Ok(())
    }

    /// `assign_aggregate_collations`, `assign_ordered_set_collations`, `assign_hypothetical_collations`.
    fn aggregate(&mut self, e: &mut Aggref, all: &mut Derivation) -> Result<()> {
        let kind = self.catalog.aggregate(e.function).map_or(b'n', |row| row.aggkind);
        let variadic = self.catalog.function(e.function).is_some_and(|row| row.provariadic != oid::INVALID);
        // Several columns that rows are sorted by have nothing to do with each other.
        let merges = kind == b'n' || (e.arguments.len() == 1 && !variadic);
        let sorted = |order: &[AggregateOrder], at: usize| order.iter().any(|by| by.argument == at);
        let pairs = if kind == b'h' { e.direct_arguments.len().min(e.arguments.len()) } else { 0 };
        let (direct, hypothetical) = {
            let at = e.direct_arguments.len() - pairs;
            e.direct_arguments.split_at_mut(at)
        };
        for argument in direct {
            self.add(argument, all)?;
        }
        for (given, argument) in hypothetical.iter_mut().zip(&mut e.arguments) {
            let mut pair = Derivation::NONE;
            self.add(given, &mut pair)?;
            self.add(argument, &mut pair)?;
            if pair.strength == Strength::Conflict {
                return Err(self.mismatch(&pair));
            }
            if merges {
                self.merge(pair, all)?;
            }
        }
        for (at, argument) in e.arguments.iter_mut().enumerate().skip(pairs) {
            let found = self.target(argument, sorted(&e.order, at))?;
            if merges && at < e.arguments_shown {
                self.merge(found, all)?;
            }
        }
        Ok(())
    }

    /// Says by which collation a node's function goes.
    fn set_input_collation(&self, expr: &mut Expr, input: &Derivation) -> Result<()> {
        match expr {
            Expr::FuncExpr(e) => {
                e.collation = self.input_collation(e.function, input, &e.arguments);
                if e.returns_set && e.collation == INDETERMINATE_COLLATION {
                    return Err(self.indeterminate(e.function));
                }
            }
            Expr::OpExpr(e) | Expr::DistinctExpr(e) | Expr::NullIfExpr(e) => {
                e.collation = self.input_collation(e.function, input, &e.arguments);
            }
            Expr::ScalarArrayOpExpr(e) => {
                e.collation = self.input_collation(e.function, input, [&*e.scalar, &*e.array]);
            }
            Expr::MinMax(e) => {
                let function = self.catalog.comparison(e.ty.oid).compare.unwrap_or(oid::INVALID);
                e.collation = self.input_collation(function, input, &e.arguments);
            }
            Expr::Aggref(e) => self.require_collation(e.function, input, &e.arguments)?,
            Expr::WindowFunc(e) => self.require_collation(e.function, input, &e.arguments)?,
            _ => {}
        }
        Ok(())
    }

    /// PostgreSQL finds out when an aggregate compares its second value.
    fn require_collation(&self, function: Oid, input: &Derivation, arguments: &[Expr]) -> Result<()> {
        match self.input_collation(function, input, arguments) {
            INDETERMINATE_COLLATION => Err(self.indeterminate(function)),
            _ => Ok(()),
        }
    }

    fn indeterminate(&self, function: Oid) -> Error {
        let what = self.catalog.needs_collation(function).unwrap_or_default();
        undetermined(format!("could not determine which collation to use for {what}"))
    }

    /// As [`FuncExpr::collation`] has it.
    fn input_collation<'e>(
        &self,
        function: Oid,
        input: &Derivation,
        arguments: impl IntoIterator<Item = &'e Expr>,
    ) -> Oid {
        let collatable = |argument: &Expr| self.catalog.type_collation(argument.ty().oid).is_some();
        match input.collation() {
            Collation(DEFAULT_COLLATION) => oid::INVALID,
            Collation(oid::INVALID) => {
                let needs = self.catalog.needs_collation(function).is_some();
                if needs && arguments.into_iter().any(collatable) { INDETERMINATE_COLLATION } else { oid::INVALID }
            }
            Collation(other) => {
                if self.catalog.follows_collation(function) {
                    other
                } else {
                    oid::INVALID
                }
            }
        }
    }
}
