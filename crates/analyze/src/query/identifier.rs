//! A query's identifier (`queryjumblefuncs.c`): the same for queries that differ in their constants, in blanks and comments, and in
//! nothing else. Its numbers are not PostgreSQL's, which are those of one version on one kind of machine.

use std::fmt::{self, Write};

use syntax::with_stack_for;
use types::Datum;

use super::{Const, Expr, Location, ParamKind, Query, mutate_query};

/// The identifier of a query of so many levels, as analysis has left it. It is never 0.
pub fn query_identifier(query: &Query, depth: usize) -> i64 {
    /// Printing a level takes more stack than reading it.
    const FRAMES: usize = 8;
    with_stack_for(depth * FRAMES + FRAMES, || {
        let mut query = query.clone();
        forget_constants(&mut query);
        let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
        // The trees have all that counts, and where something was written is no part of it.
        write!(hash, "{query:?}").unwrap_or_default();
        // 0 is no identifier.
        hash.0.max(1) as i64
    })
}

/// FNV-1a.
struct Fnv(u64);

impl Write for Fnv {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Ok(())
    }
}

fn forget_constants(query: &mut Query) {
    mutate_query(query, &mut forget_constant, &mut forget_constants);
}

/// Constants that became parameters are as good as those that did not.
fn forget_constant(expr: &mut Expr) {
    let ty = match expr {
        Expr::Const(constant) => Some(constant.ty),
        Expr::Param(param) if param.kind == ParamKind::External => Some(param.ty),
        _ => None,
    };
    if let Some(ty) = ty {
        *expr = Expr::Const(Const { ty, value: Datum::Null, location: Location::NONE });
    }
    expr.mutate(&mut forget_constant, &mut forget_constants);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::{CommandType, TargetEntry, TypeRef};

    #[test]
    fn constants_do_not_count() {
        let query = |value: i32, name: &str| {
            let (ty, location) = (TypeRef::of(types::oid::INT4), Location(value));
            let constant = Expr::Const(Const { ty, value: Datum::I32(value), location });
            let targets = vec![TargetEntry::new(constant, 1, name.into())];
            query_identifier(&Query { targets, ..Query::new(CommandType::Select) }, 1)
        };
        assert_eq!(query(1, "a"), query(2, "a"));
        assert_ne!(query(1, "a"), query(1, "b"));
    }
}
