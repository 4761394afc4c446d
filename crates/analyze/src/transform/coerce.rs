//! Conversions (`parse_coerce.c`): which there is between two types is the catalog's knowledge; here it becomes a node.

use ::error::sqlstate;
use types::{Datum, Error, Oid, Reader, Result, oid};

use super::state::ParseState;
use super::{error, placed, unsupported};
use crate::Operand;
use crate::parse_coerce::{self, CoercionContext, CoercionPath, can_coerce_type};
use crate::polymorphic::is_polymorphic;
use crate::query::*;

/// What asks for a conversion, and how it shows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coercion {
    pub context: CoercionContext,
    pub form: CoercionForm,
    pub location: Location,
}

impl Coercion {
    /// In an expression, where no cast is written.
    pub const IMPLICIT: Coercion = Coercion::unwritten(CoercionContext::Implicit);
    /// To store a value, or where one of this type is wanted.
    pub const ASSIGNMENT: Coercion = Coercion::unwritten(CoercionContext::Assignment);

    const fn unwritten(context: CoercionContext) -> Coercion {
        Coercion { context, form: CoercionForm::ImplicitCast, location: Location::NONE }
    }

    /// A cast, in this form.
    pub fn explicit(form: CoercionForm, location: Location) -> Coercion {
        Coercion { context: CoercionContext::Explicit, form, location }
    }
}

/// An expression as resolution sees it.
pub(crate) fn operand(expr: &Expr) -> Operand {
    let location = usize::try_from(expr.location().0).ok();
    Operand { ty: expr.ty().oid, constant: matches!(expr, Expr::Const(_)), location }
}

impl ParseState<'_> {
    /// `expr` as a value of a type, by a conversion that `context` allows; `None`: there is none (`coerce_to_target_type`).
    pub fn coerce_to_target_type(&mut self, expr: Expr, target: TypeRef, how: Coercion) -> Result<Option<Expr>> {
        if !can_coerce_type(self.catalog(), &[expr.ty().oid], &[target.oid], how.context) {
            return Ok(None);
        }
        let converted = self.coerce_type(expr, target, how)?;
        self.coerce_typmod(converted, target, how).map(Some)
    }

    /// `coerce_type`: the caller knows that it can be done.
    pub fn coerce_type(&mut self, expr: Expr, target: TypeRef, how: Coercion) -> Result<Expr> {
        let source = expr.ty().oid;
        if source == target.oid {
            return Ok(expr);
        }
        match target.oid {
            // Whatever it is; an unknown literal stays one.
            oid::ANY | oid::ANYELEMENT | oid::ANYNONARRAY | oid::ANYCOMPATIBLE | oid::ANYCOMPATIBLENONARRAY => {
                return Ok(expr);
            }
            declared if is_polymorphic(declared) && source != oid::UNKNOWN => return Ok(expr),
            _ => {}
        }
        if self.catalog().base_type(target.oid) != target.oid && !matches!(expr, Expr::Param(_)) {
            return self.coerce_to_domain(expr, target, how);
        }
        match expr {
            Expr::RelabelType(label) if label.collation.is_some() => self.coerce_below_collate(*label, target, how),
            Expr::Const(constant) if source == oid::UNKNOWN => self.coerce_literal(constant, target, how.location),
            Expr::Param(param) if source == oid::UNKNOWN => self.coerce_parameter(param, target.oid, how.location),
            expr => self.coerce_by_path(expr, target, how),
        }
    }

    /// What COLLATE is about gets the type, and keeps the collation if values of the type have one.
    fn coerce_below_collate(&mut self, label: RelabelType, target: TypeRef, how: Coercion) -> Result<Expr> {
        let argument = self.coerce_type(label.argument, target, how)?;
        if !self.is_collatable(target.oid) {
            return Ok(argument);
        }
        let result = argument.ty();
        Ok(Expr::RelabelType(Box::new(RelabelType { argument, result, ..label })))
    }

    /// `coerce_to_domain`: a value of its type, made to fit its modifier. What would have to be checked is refused.
    fn coerce_to_domain(&mut self, expr: Expr, target: TypeRef, how: Coercion) -> Result<Expr> {
        let (base, typmod) = self.catalog().base_type_and_typmod(target.oid, -1);
        let mut domain = target.oid;
        while domain != base && !self.statement.trusted {
            let Some(row) = self.catalog().pg_type(domain) else { break };
            if row.typnotnull || self.catalog().constraints_of_type(domain).next().is_some() {
                return Err(unsupported("a domain with constraints", expr.location().0));
            }
            domain = row.typbasetype;
        }
        let base = TypeRef { oid: base, typmod };
        let hidden_how = Coercion { form: CoercionForm::ImplicitCast, ..how };
        let value = self.coerce_type(expr, TypeRef::of(base.oid), hidden_how)?;
        let value = self.coerce_typmod(value, base, hidden_how)?;
        let (result, Coercion { form, location, .. }) = (TypeRef::of(target.oid), how);
        Ok(Expr::RelabelType(Box::new(RelabelType { argument: value, result, collation: None, form, location })))
    }

    /// A literal is read as a value of the type. Its modifier is applied afterwards, but for interval, whose input needs it.
    fn coerce_literal(&mut self, constant: Const, target: TypeRef, location: Location) -> Result<Expr> {
        let place = constant.location.0;
        let typmod = if target.oid == oid::INTERVAL { target.typmod } else { -1 };
        let value = match &constant.value {
            Datum::Text(text) => {
                let value = Reader::of(target.oid).input(self.statement.context, text, typmod);
                value.map_err(|error| placed(error, place))?
            }
            _ => Datum::Null,
        };
        // The leftmost of the literal and the cast is where it stands.
        let location = constant.location.left(location);
        Ok(Expr::Const(Const { ty: TypeRef { oid: target.oid, typmod }, value, location }))
    }

    /// A parameter of no type yet gets this one (`variable_coerce_param_hook`).
    fn coerce_parameter(&mut self, param: Param, target: Oid, location: Location) -> Result<Expr> {
        let decided = self.statement.parameters.decide(param.number, target);
        if decided != target {
            let message = format!("inconsistent types deduced for parameter ${}", param.number);
            let detail = format!("{} versus {}", self.type_text(decided), self.type_text(target));
            return Err(error(sqlstate::AMBIGUOUS_PARAMETER, message, param.location.0).detail(detail));
        }
        Ok(Expr::Param(Param { ty: TypeRef::of(target), location: param.location.left(location), ..param }))
    }

    fn coerce_by_path(&mut self, expr: Expr, target: TypeRef, how: Coercion) -> Result<Expr> {
        let (source, Coercion { context, form, location }) = (expr.ty(), how);
        let path = parse_coerce::find_coercion_pathway(self.catalog(), target.oid, source.oid, context);
        Ok(match path {
            Some(CoercionPath::Function(function)) => self.coercion_call(expr, function, target, how),
            Some(CoercionPath::Relabel) => {
                let result = TypeRef::of(target.oid);
                Expr::RelabelType(Box::new(RelabelType { argument: expr, result, collation: None, form, location }))
            }
            Some(CoercionPath::Array) => self.coerce_array(expr, target, how)?,
            Some(CoercionPath::ViaIo) => {
                Expr::CoerceViaIo(Box::new(CoerceViaIo { argument: expr, result: target.oid, form, location }))
            }
            // A row of a known type is a record.
            None if target.oid == oid::RECORD && self.catalog().is_complex(source.oid) => expr,
            None if target.oid == oid::RECORDARRAY && self.catalog().is_complex_array(source.oid) => expr,
            None if source.oid == oid::RECORD => self.coerce_record_to_complex(expr, target, how)?,
            None => {
                let message = format!(
                    "failed to find conversion function from {} to {}",
                    self.type_text(source.oid),
                    self.type_text(target.oid)
                );
                return Err(Error::new(sqlstate::INTERNAL_ERROR, message));
            }
        })
    }

    /// A row whose columns are known as a value of a composite type: its fields are converted one by one
    /// (`coerce_record_to_complex`).
    fn coerce_record_to_complex(&mut self, expr: Expr, target: TypeRef, how: Coercion) -> Result<Expr> {
        let place = if how.location == Location::NONE { expr.location().0 } else { how.location.0 };
        let wrong = |state: &Self, detail: String, place: i32| {
            let message = format!("cannot cast type record to {}", state.type_text(target.oid));
            error(sqlstate::CANNOT_COERCE, message, place).detail(detail)
        };
        let fields = self.fields_of(expr)?;
        let Some(columns) = self.type_columns(target.oid) else { return Err(super::unexpected()) };
        let (mut given, mut made) = (fields.into_iter().enumerate(), Vec::with_capacity(columns.len()));
        for column in &columns {
            if column.name.is_empty() {
                made.push(literal(oid::INT4, Datum::Null));
                continue;
            }
            let Some((number, field)) = given.next() else {
                return Err(wrong(self, "Input has too few columns.".into(), place));
            };
            let source = field.ty().oid;
            let field_how = Coercion { form: CoercionForm::ImplicitCast, location: Location::NONE, ..how };
            made.push(self.coerce_to_target_type(field, column.ty, field_how)?.ok_or_else(|| {
                let (from, to) = (self.type_text(source), self.type_text(column.ty.oid));
                wrong(self, format!("Cannot cast type {from} to {to} in column {}.", number + 1), place)
            })?);
        }
        if given.next().is_some() {
            return Err(wrong(self, "Input has too many columns.".into(), place));
        }
        let names = columns.into_iter().map(|column| column.name).collect();
        let (ty, Coercion { form, location, .. }) = (self.catalog().base_type(target.oid), how);
        let argument = Expr::Row(RowExpr { fields: made, ty, names, location });
        if form == CoercionForm::ImplicitCast {
            return Ok(argument);
        }
        // So that the cast is shown as it is written.
        let result = TypeRef::of(ty);
        Ok(Expr::RelabelType(Box::new(RelabelType { argument, result, collation: None, form, location })))
    }

    /// The values of a record's columns.
    fn fields_of(&mut self, record: Expr) -> Result<Vec<Expr>> {
        match record {
            Expr::Row(row) => Ok(row.fields),
            Expr::Var(Var { attribute: 0, .. }) => {
                let (place, mut targets) = (record.location().0, Vec::new());
                self.expand_row(record, place, &mut targets)?;
                Ok(targets.into_iter().map(|target| target.expr).collect())
            }
            other => Err(unsupported("conversion of a row", other.location().0)),
        }
    }

    /// A call of a cast's function: with the modifier and whether the cast was written, where it wants them
    /// (`build_coercion_expression`).
    fn coercion_call(&mut self, expr: Expr, function: Oid, target: TypeRef, how: Coercion) -> Expr {
        let arguments = self.catalog().function(function).map_or(1, |proc| proc.proargtypes.len());
        let mut all = vec![expr];
        if arguments >= 2 {
            all.push(literal(oid::INT4, Datum::I32(target.typmod)));
        }
        if arguments >= 3 {
            all.push(literal(oid::BOOL, Datum::Bool(how.context == CoercionContext::Explicit)));
        }
        let typmod = if arguments >= 2 { target.typmod } else { -1 };
        Expr::FuncExpr(FuncExpr {
            function,
            result: TypeRef { oid: target.oid, typmod },
            returns_set: false,
            variadic: false,
            form: how.form,
            collation: oid::INVALID,
            arguments: all,
            location: how.location,
        })
    }

    fn coerce_array(&mut self, expr: Expr, target: TypeRef, how: Coercion) -> Result<Expr> {
        let source = expr.ty();
        let catalog = self.catalog();
        let (Some(from), Some(to)) = (catalog.base_element_type(source.oid), catalog.element_type(target.oid)) else {
            return Err(super::unexpected());
        };
        let element = Expr::CaseTest(TypeRef { oid: from, typmod: source.typmod });
        let to = TypeRef { oid: to, typmod: target.typmod };
        let element = self.coerce_type(element, to, how)?;
        let element = self.coerce_typmod(element, to, how)?;
        let Coercion { form, location, .. } = how;
        Ok(Expr::ArrayCoerce(Box::new(ArrayCoerce { argument: expr, element, result: target, form, location })))
    }

    /// Makes a value fit a type modifier (`coerce_type_typmod`).
    pub fn coerce_typmod(&mut self, expr: Expr, target: TypeRef, how: Coercion) -> Result<Expr> {
        if expr.ty().typmod == target.typmod {
            return Ok(expr);
        }
        let path = match target.typmod {
            ..0 => None,
            _ => parse_coerce::find_typmod_coercion_function(self.catalog(), target.oid),
        };
        match (path, expr) {
            (Some(CoercionPath::Function(function)), expr) => {
                Ok(self.coercion_call(hidden(expr), function, target, how))
            }
            (Some(CoercionPath::Array), expr) => self.coerce_array(hidden(expr), target, how),
            // Nothing is to be done, but the modifier shows.
            (_, Expr::Const(constant)) => Ok(Expr::Const(Const { ty: target, ..constant })),
            (_, expr) => {
                let Coercion { form, location, .. } = how;
                let relabel = RelabelType { argument: expr, result: target, collation: None, form, location };
                Ok(Expr::RelabelType(Box::new(relabel)))
            }
        }
    }

    /// `coerce_to_boolean`; `what` is the clause that wants it.
    pub fn coerce_to_boolean(&mut self, expr: Expr, what: &str) -> Result<Expr> {
        self.coerce_to_specific_type(expr, oid::BOOL, what)
    }

    /// `coerce_to_specific_type`.
    pub fn coerce_to_specific_type(&mut self, expr: Expr, target: Oid, what: &str) -> Result<Expr> {
        parse_coerce::coerce_to_specific_type(self.catalog(), operand(&expr), target, what)?;
        let place = expr.location().0;
        let converted = self.coerce_type(expr, TypeRef::of(target), Coercion::ASSIGNMENT)?;
        if converted.returns_set() {
            return Err(error(sqlstate::DATATYPE_MISMATCH, format!("argument of {what} must not return a set"), place));
        }
        Ok(converted)
    }

    /// The type that expressions have in common (`select_common_type`).
    pub fn common_type(&self, all: &[&Expr], what: &str) -> Result<TypeRef> {
        let operands: Vec<Operand> = all.iter().map(|expr| operand(expr)).collect();
        Ok(TypeRef::of(parse_coerce::select_common_type(self.catalog(), &operands, what)?.0))
    }

    /// As [`ParseState::common_type`], and `None` where there is none that will do.
    pub fn common_type_or_none(&self, all: &[&Expr]) -> Option<Oid> {
        let operands: Vec<Operand> = all.iter().map(|expr| operand(expr)).collect();
        let (common, _) = parse_coerce::select_common_type(self.catalog(), &operands, "").ok()?;
        let types: Vec<Oid> = operands.iter().map(|operand| operand.ty).collect();
        parse_coerce::verify_common_type(self.catalog(), common, &types).then_some(common)
    }

    /// The modifier that all of them have, if they are of the type (`select_common_typmod`).
    pub fn common_typmod<'e>(&self, all: impl IntoIterator<Item = &'e Expr>, ty: Oid) -> i32 {
        let all: Vec<(Oid, i32)> = all.into_iter().map(|expr| (expr.ty().oid, expr.ty().typmod)).collect();
        parse_coerce::select_common_typmod(ty, &all)
    }

    /// `coerce_to_common_type`.
    pub fn coerce_to_common(&mut self, expr: Expr, target: TypeRef, what: &str) -> Result<Expr> {
        if expr.ty().oid == target.oid {
            return Ok(expr);
        }
        parse_coerce::coerce_to_common_type(self.catalog(), operand(&expr), target.oid, what)?;
        self.coerce_type(expr, TypeRef::of(target.oid), Coercion::IMPLICIT)
    }

    /// All as values of the type that they have in common.
    pub fn coerce_all(&mut self, all: Vec<Expr>, what: &str) -> Result<(TypeRef, Vec<Expr>)> {
        let common = self.common_type(&all.iter().collect::<Vec<_>>(), what)?;
        let all = all.into_iter().map(|expr| self.coerce_to_common(expr, common, what)).collect::<Result<Vec<_>>>()?;
        let typmod = self.common_typmod(&all, common.oid);
        Ok((TypeRef { oid: common.oid, typmod }, all))
    }

    /// As [`ParseState::coerce_all`], for CASE: the first is its ELSE.
    pub(crate) fn coerce_case(&mut self, all: Vec<Expr>) -> Result<(TypeRef, Vec<Expr>)> {
        let common = self.common_type(&all.iter().collect::<Vec<_>>(), "CASE")?;
        let mut coerced = Vec::with_capacity(all.len());
        for (place, expr) in all.into_iter().enumerate() {
            coerced.push(self.coerce_to_common(expr, common, if place == 0 { "CASE/ELSE" } else { "CASE/WHEN" })?);
        }
        let typmod = self.common_typmod(&coerced, common.oid);
        Ok((TypeRef { oid: common.oid, typmod }, coerced))
    }

    /// A literal or a parameter that nothing else says the type of is a text (`resolveTargetListUnknowns`).
    pub fn resolve_unknown(&mut self, expr: &mut Expr) -> Result<()> {
        if expr.ty().oid != oid::UNKNOWN {
            return Ok(());
        }
        let unknown = std::mem::replace(expr, literal(oid::UNKNOWN, Datum::Null));
        *expr = self.coerce_type(unknown, TypeRef::of(oid::TEXT), Coercion::IMPLICIT)?;
        Ok(())
    }
}

/// A conversion under another one is not shown (`hide_coercion_node`).
fn hidden(mut expr: Expr) -> Expr {
    match &mut expr {
        Expr::FuncExpr(e) if e.form == CoercionForm::ExplicitCast => e.form = CoercionForm::ImplicitCast,
        Expr::RelabelType(e) => e.form = CoercionForm::ImplicitCast,
        Expr::CoerceViaIo(e) => e.form = CoercionForm::ImplicitCast,
        Expr::ArrayCoerce(e) => e.form = CoercionForm::ImplicitCast,
        _ => {}
    }
    expr
}

/// A constant that no text has.
pub fn literal(ty: Oid, value: Datum) -> Expr {
    Expr::Const(Const { ty: TypeRef::of(ty), value, location: Location::NONE })
}
