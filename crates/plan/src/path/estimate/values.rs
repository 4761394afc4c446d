//! Values as estimates look at them: which of two is greater, and how far a value is between two others (PostgreSQL's
//! `convert_to_scalar`). `None`: it is not known.

use std::borrow::Cow;
use std::cmp::Ordering;

use analyze::query::{Expr, ParamKind};
use types::{Datum, Oid, oid};

use crate::planner_info::PlannerInfo;

/// A value that is known while the plan is made, with its type (`estimate_expression_value`). That of a stable function may be
/// another when the plan runs: only estimates ask for it.
pub fn known_value<'e>(root: &'e PlannerInfo, expr: &'e Expr) -> Option<(Oid, Cow<'e, Datum>)> {
    match expr {
        Expr::Const(constant) => Some((constant.ty.oid, Cow::Borrowed(&constant.value))),
        Expr::Param(param) if param.kind == ParamKind::External => {
            let value = root.planner.parameters?.get(param.number as usize - 1)?;
            Some((value.ty.oid, Cow::Borrowed(&value.value)))
        }
        Expr::RelabelType(relabel) => known_value(root, &relabel.argument),
        _ => root.planner.estimate(expr).map(|constant| (constant.ty.oid, Cow::Owned(constant.value))),
    }
}

const DAY: f64 = 86_400_000_000.0;

/// A number that is ordered as the values are.
pub fn scalar(ty: Oid, value: &Datum) -> Option<f64> {
    Some(match value {
        Datum::Bool(v) => f64::from(u8::from(*v)),
        Datum::U8(v) => f64::from(*v),
        Datum::I16(v) => f64::from(*v),
        Datum::I32(v) if ty == oid::DATE => f64::from(*v) * DAY,
        Datum::I32(v) => f64::from(*v),
        Datum::I64(v) => *v as f64,
        Datum::U32(v) => f64::from(*v),
        Datum::U64(v) => *v as f64,
        Datum::F32(v) => f64::from(*v),
        Datum::F64(v) => *v,
        Datum::Bytes(bytes) if ty == oid::NUMERIC => match types::numeric::bytes::from_bytes(bytes) {
            types::numeric::Numeric::Finite(decimal) => decimal.to_f64(),
            _ => return None,
        },
        Datum::Bytes(bytes) if ty == oid::INTERVAL => {
            types::datetime::Interval::from_bytes(bytes.as_ref().try_into().ok()?).span() as f64
        }
        _ => return None,
    })
}

/// How two values of types that compare are ordered.
pub fn compare((a_ty, a): (Oid, &Datum), (b_ty, b): (Oid, &Datum)) -> Option<Ordering> {
    match (a, b) {
        (Datum::I64(a), Datum::I64(b)) => Some(a.cmp(b)),
        (Datum::Text(a), Datum::Text(b)) if a_ty == oid::BPCHAR || b_ty == oid::BPCHAR => {
            Some(a.trim_end_matches(' ').cmp(b.trim_end_matches(' ')))
        }
        (Datum::Text(a), Datum::Text(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
        (Datum::Bytes(a), Datum::Bytes(b)) if a_ty == oid::NUMERIC && b_ty == oid::NUMERIC => {
            Some(types::numeric::bytes::key(a).cmp(types::numeric::bytes::key(b)))
        }
        (Datum::Bytes(a), Datum::Bytes(b)) if matches!(a_ty, oid::BYTEA | oid::UUID) => Some(a.cmp(b)),
        _ => scalar(a_ty, a)?.partial_cmp(&scalar(b_ty, b)?),
    }
}

/// Where a value is between a lower and an upper one, 0 to 1 (`convert_to_scalar`).
pub fn position(ty: Oid, value: (Oid, &Datum), low: &Datum, high: &Datum) -> Option<f64> {
    if let (Datum::Text(v), Datum::Text(l), Datum::Text(h)) = (value.1, low, high) {
        return text_position(v.as_bytes(), l.as_bytes(), h.as_bytes());
    }
    let (v, l, h) = (scalar(value.0, value.1)?, scalar(ty, low)?, scalar(ty, high)?);
    Some(if h <= l {
        0.5
    } else if v <= l {
        0.0
    } else if v >= h {
        1.0
    } else {
        (v - l) / (h - l)
    })
}

/// Texts as fractions in a base that is as large as what their bytes span (`convert_string_to_scalar`).
fn text_position(value: &[u8], low: &[u8], high: &[u8]) -> Option<f64> {
    let bytes = || low.iter().chain(high);
    let (mut least, mut most) = (*bytes().min()?, *bytes().max()?);
    for (first, last) in [(b'A', b'Z'), (b'a', b'z'), (b'0', b'9')] {
        if least <= last && most >= first {
            least = least.min(first);
            most = most.max(last);
        }
    }
    if i32::from(most) - i32::from(least) < 9 {
        (least, most) = (b' ', 127);
    }
    let common = low.iter().zip(high).zip(value).take_while(|((l, h), v)| l == h && h == v).count();
    let base = f64::from(most) - f64::from(least) + 1.0;
    let fraction = |text: &[u8]| {
        let mut fraction = 0.0;
        let mut denominator = base;
        for byte in text[common..].iter().take(12) {
            let byte = if *byte < least { i32::from(least) - 1 } else { i32::from((*byte).min(most)) };
            fraction += f64::from(byte - i32::from(least)) / denominator;
            denominator *= base;
        }
        fraction
    };
    let (v, l, h) = (fraction(value), fraction(low), fraction(high));
    Some(if h <= l {
        0.5
    } else if v <= l {
        0.0
    } else if v >= h {
        1.0
    } else {
        (v - l) / (h - l)
    })
}
