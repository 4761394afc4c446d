//! What SQL writes without parentheses: calls of functions, or names.

use analyze::query::*;
use types::{Datum, Oid, Repr, Result, oid};

use super::Compiler;
use crate::node::{Kind, Node};

/// PostgreSQL's oids of the functions.
const NOW: Oid = 1299;
const DATE_OF_TIMESTAMPTZ: Oid = 1178;
const TIMETZ_OF_TIMESTAMPTZ: Oid = 1388;
const TIMESTAMP_OF_TIMESTAMPTZ: Oid = 2027;
const TIME_OF_TIMESTAMPTZ: Oid = 2019;
const ROUND_TIMESTAMPTZ: Oid = 1967;
const ROUND_TIMESTAMP: Oid = 1961;
const ROUND_TIME: Oid = 1968;
const ROUND_TIMETZ: Oid = 1969;

impl Compiler<'_> {
    pub(super) fn sql_value(&mut self, e: &SqlValueFunction) -> Result<Node> {
        let (convert, round) = match e.value {
            SqlValue::CurrentDate => (Some(DATE_OF_TIMESTAMPTZ), None),
            SqlValue::CurrentTime => (Some(TIMETZ_OF_TIMESTAMPTZ), Some(ROUND_TIMETZ)),
            SqlValue::CurrentTimestamp => (None, Some(ROUND_TIMESTAMPTZ)),
            SqlValue::LocalTime => (Some(TIME_OF_TIMESTAMPTZ), Some(ROUND_TIME)),
            SqlValue::LocalTimestamp => (Some(TIMESTAMP_OF_TIMESTAMPTZ), Some(ROUND_TIMESTAMP)),
            _ => return Ok(Node::leaf(Kind::SessionName(e.value), Repr::Text)),
        };
        let mut value = call(NOW, Vec::new(), TypeRef::of(oid::TIMESTAMPTZ));
        if let Some(function) = convert {
            value = call(function, vec![value], TypeRef::of(e.ty.oid));
        }
        if let Some(function) = round.filter(|_| e.ty.typmod >= 0) {
            let typmod = Const { ty: TypeRef::of(oid::INT4), value: Datum::I32(e.ty.typmod), location: Location::NONE };
            value = call(function, vec![value, Expr::Const(typmod)], e.ty);
        }
        self.node(&value)
    }
}

fn call(function: Oid, arguments: Vec<Expr>, result: TypeRef) -> Expr {
    Expr::FuncExpr(FuncExpr {
        function,
        result,
        returns_set: false,
        variadic: false,
        form: CoercionForm::ImplicitCast,
        collation: oid::INVALID,
        arguments,
        location: Location::NONE,
    })
}
