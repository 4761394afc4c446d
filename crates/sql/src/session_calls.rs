//! Functions that concern the session itself, which a running plan cannot reach: what they need is done before the
//! statement is planned.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{self, Expr as AstExpr, Statement, Value, VisitMut, VisitorMut};

use crate::ddl::ident;
use crate::session::{Session, typed};

/// `set_config` changes settings that the transaction's end may take back; `txid_current` and its sisters tell the
/// transaction's id, and give it one.
pub fn prepare(session: &mut Session, statement: &mut Statement) {
    let _ = statement.visit(&mut Calls { session });
}

struct Calls<'a> {
    session: &'a mut Session,
}

impl VisitorMut for Calls<'_> {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut AstExpr) -> ControlFlow<()> {
        let AstExpr::Function(function) = expr else { return ControlFlow::Continue(()) };
        let Some(name) = function.name.0.last().and_then(|p| p.as_ident()).map(ident) else {
            return ControlFlow::Continue(());
        };
        let none = matches!(&function.args, ast::FunctionArguments::List(list) if list.args.is_empty());
        match name.as_str() {
            "set_config" => self.session.remember_settings(),
            "txid_current" | "pg_current_xact_id" if none => {
                let xid = self.session.transaction().writer().transaction.xid;
                *expr = id(&name, Some(xid));
            }
            "txid_current_if_assigned" | "pg_current_xact_id_if_assigned" if none => {
                *expr = id(&name, self.session.transaction().xid());
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// The functions of the older names give bigint.
fn id(function: &str, value: Option<u64>) -> AstExpr {
    let (value, ty) = match value {
        Some(value) if function.starts_with("txid") => (Value::Number(value.to_string(), false), "bigint"),
        Some(value) => (Value::SingleQuotedString(value.to_string()), "xid8"),
        None => (Value::Null, if function.starts_with("txid") { "bigint" } else { "xid8" }),
    };
    typed(AstExpr::value(value), ty)
}
