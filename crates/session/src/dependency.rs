//! What expressions and queries refer to: PostgreSQL's `dependency.c`, as far as users' objects go. What is built in is never
//! dropped.
//!
//! CREATE VIEW keeps [`of_query`] of the view's query in its definition ([`engine::ViewDef::references`]), from where it
//! becomes rows of `pg_depend`.

use std::cell::RefCell;
use std::collections::BTreeSet;

use analyze::query::{Expr, Query, RangeTableEntry, RangeTableKind, Var, Walk, walk_query};
use catalog::FIRST_NORMAL_OBJECT_ID;
use engine::ObjectAddress;
use types::names::{PG_CLASS, PG_NAMESPACE, PG_TYPE};
use types::{Datum, Oid, oid};

/// What a query refers to (`recordDependencyOnExpr`).
pub fn of_query(query: &Query) -> Vec<ObjectAddress> {
    let found = References::default();
    found.query(query, None);
    found.addresses()
}

/// What an expression over a relation refers to, whose columns are those of entry 1 (`recordDependencyOnSingleRelExpr`).
pub fn of_expression(expr: &Expr, relation: Oid) -> Vec<ObjectAddress> {
    let kind = RangeTableKind::Relation { oid: relation, inherited: false, sample: None };
    let entry = RangeTableEntry {
        kind,
        name: String::new(),
        aliased: false,
        columns: [].into(),
        lateral: false,
        in_from: false,
    };
    let found = References::default();
    found.expr(expr, &Level { range_table: &[entry], outer: None });
    found.addresses()
}

/// Where expressions stand: the range table of their query, and those of the queries around it.
struct Level<'a> {
    range_table: &'a [RangeTableEntry],
    outer: Option<&'a Level<'a>>,
}

impl Level<'_> {
    /// The table whose column it is.
    fn relation(&self, var: &Var) -> Option<Oid> {
        let mut level = self;
        for _ in 0..var.levels_up {
            level = level.outer?;
        }
        match level.range_table.get(var.relation.index())?.kind {
            RangeTableKind::Relation { oid, .. } => Some(oid),
            _ => None,
        }
    }
}

#[derive(Default)]
struct References(RefCell<BTreeSet<ObjectAddress>>);

impl References {
    /// A column of an object stands for the object, too.
    fn addresses(self) -> Vec<ObjectAddress> {
        let mut all: Vec<_> = self.0.into_inner().into_iter().collect();
        // The object comes before its columns.
        all.dedup_by(|next, before| {
            let same = (next.class, next.oid) == (before.class, before.oid) && before.column == 0;
            if same {
                *before = *next;
            }
            same
        });
        all
    }

    fn add(&self, class: Oid, oid: Oid, column: i16) {
        if oid >= FIRST_NORMAL_OBJECT_ID {
            self.0.borrow_mut().insert(ObjectAddress { class, oid, column: column.into() });
        }
    }

    fn query(&self, query: &Query, outer: Option<&Level<'_>>) {
        let mut query = query.clone();
        for entry in &mut query.range_table {
            match &mut entry.kind {
                RangeTableKind::Relation { oid, .. } => self.add(PG_CLASS, *oid, 0),
                // Others are columns of the sides, which are named by whoever asks for them.
                RangeTableKind::Join { merged, columns, .. } => columns.truncate(*merged),
                _ => {}
            }
        }
        let level = Level { range_table: &query.range_table, outer };
        let mut each = |expr: &Expr| {
            self.expr(expr, &level);
            Walk::On
        };
        let mut subquery = |inner: &Query| {
            self.query(inner, Some(&level));
            Walk::On
        };
        walk_query(&query, &mut each, &mut subquery);
    }

    fn expr(&self, expr: &Expr, level: &Level<'_>) {
        match expr {
            Expr::Var(var) => {
                // The whole row names no column.
                if let Some(relation) = level.relation(var).filter(|_| var.attribute != 0) {
                    self.add(PG_CLASS, relation, var.attribute);
                }
            }
            Expr::Const(constant) => {
                self.add(PG_TYPE, constant.ty.oid, 0);
                match (constant.ty.oid, &constant.value) {
                    (oid::REGCLASS, Datum::U32(relation)) => self.add(PG_CLASS, *relation, 0),
                    (oid::REGTYPE, Datum::U32(ty)) => self.add(PG_TYPE, *ty, 0),
                    (oid::REGNAMESPACE, Datum::U32(schema)) => self.add(PG_NAMESPACE, *schema, 0),
                    _ => {}
                }
            }
            Expr::NextValue { sequence, .. } => self.add(PG_CLASS, *sequence, 0),
            Expr::RelabelType(_) | Expr::CoerceViaIo(_) | Expr::ArrayCoerce(_) | Expr::Row(_) => {
                self.add(PG_TYPE, expr.ty().oid, 0);
            }
            _ => {}
        }
        let mut each = |child: &Expr| {
            self.expr(child, level);
            Walk::On
        };
        let mut subquery = |query: &Query| {
            self.query(query, Some(level));
            Walk::On
        };
        expr.walk(&mut each, &mut subquery);
    }
}
