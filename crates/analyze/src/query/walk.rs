//! Going through expressions and queries: PostgreSQL's `expression_tree_walker` and `expression_tree_mutator`.
//!
//! One list of a node's children serves both. What happens at a node is the caller's: it descends by calling the same
//! function again for the children. Subqueries of a query are visited with [`walk_query`] and [`mutate_query`], whose callers
//! count the levels.

use super::*;

/// What a walk does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walk {
    On,
    /// It has found what it wanted.
    Stop,
}

/// `$each!` every child of an expression, in the order in which they are written.
macro_rules! children {
    ($expr:expr, $each:ident, $query:ident $(, $mutable:tt)?) => {
        match $expr {
            Expr::Var(_) | Expr::Const(_) | Expr::Param(_) | Expr::CaseTest(_) | Expr::SqlValue(_) => {}
            Expr::SetToDefault(_) | Expr::NextValue { .. } | Expr::MergeAction => {}
            Expr::Aggref(e) => {
                let e = & $($mutable)? **e;
                for child in & $($mutable)? e.direct_arguments { $each!(child) }
                for child in & $($mutable)? e.arguments { $each!(child) }
                if let Some(child) = & $($mutable)? e.filter { $each!(child) }
            }
            Expr::GroupingFunc(e) => for child in & $($mutable)? e.arguments { $each!(child) },
            Expr::WindowFunc(e) => {
                let e = & $($mutable)? **e;
                for child in & $($mutable)? e.arguments { $each!(child) }
                if let Some(child) = & $($mutable)? e.filter { $each!(child) }
            }
            Expr::SubscriptingRef(e) => {
                let e = & $($mutable)? **e;
                $each!(& $($mutable)? e.array);
                for child in & $($mutable)? e.lower { if let Some(child) = child { $each!(child) } }
                for child in & $($mutable)? e.upper { if let Some(child) = child { $each!(child) } }
                if let Some(child) = & $($mutable)? e.assigned { $each!(child) }
            }
            Expr::FuncExpr(e) => for child in & $($mutable)? e.arguments { $each!(child) },
            Expr::OpExpr(e) | Expr::DistinctExpr(e) | Expr::NullIfExpr(e) => {
                for child in & $($mutable)? e.arguments { $each!(child) }
            }
            Expr::ScalarArrayOpExpr(e) => {
                $each!(& $($mutable)? *e.scalar);
                $each!(& $($mutable)? *e.array);
            }
            Expr::BoolExpr(e) => for child in & $($mutable)? e.arguments { $each!(child) },
            Expr::SubLink(e) => {
                let e = & $($mutable)? **e;
                if let Some(child) = & $($mutable)? e.test { $each!(child) }
                $query!(& $($mutable)? e.query);
            }
            Expr::FieldSelect(e) => $each!(& $($mutable)? e.row),
            Expr::FieldStore(e) => {
                $each!(& $($mutable)? e.row);
                $each!(& $($mutable)? e.value);
            }
            Expr::RelabelType(e) => $each!(& $($mutable)? e.argument),
            Expr::CoerceViaIo(e) => $each!(& $($mutable)? e.argument),
            Expr::ArrayCoerce(e) => {
                let e = & $($mutable)? **e;
                $each!(& $($mutable)? e.argument);
                $each!(& $($mutable)? e.element);
            }
            Expr::Case(e) => {
                let e = & $($mutable)? **e;
                if let Some(child) = & $($mutable)? e.argument { $each!(child) }
                for when in & $($mutable)? e.when {
                    $each!(& $($mutable)? when.condition);
                    $each!(& $($mutable)? when.result);
                }
                if let Some(child) = & $($mutable)? e.otherwise { $each!(child) }
            }
            Expr::Array(e) => for child in & $($mutable)? e.elements { $each!(child) },
            Expr::Row(e) => for child in & $($mutable)? e.fields { $each!(child) },
            Expr::RowCompare(e) => {
                for child in & $($mutable)? e.left { $each!(child) }
                for child in & $($mutable)? e.right { $each!(child) }
            }
            Expr::Coalesce(e) => for child in & $($mutable)? e.arguments { $each!(child) },
            Expr::MinMax(e) => for child in & $($mutable)? e.arguments { $each!(child) },
            Expr::NullTest(e) => $each!(& $($mutable)? e.argument),
            Expr::BooleanTest(e) => $each!(& $($mutable)? e.argument),
            Expr::SubPlan(e) => {
                let e = & $($mutable)? **e;
                if let Some(child) = & $($mutable)? e.test { $each!(child) }
                for child in & $($mutable)? e.arguments { $each!(child) }
                if let Some(child) = & $($mutable)? e.alternative { $each!(child) }
            }
        }
    };
}

/// Every expression of a query that is not in a subquery of its range table, its WITH list or a [`SubLink`].
macro_rules! expressions {
    ($query:expr, $each:ident $(, $mutable:tt)?) => {
        let query = $query;
        for target in & $($mutable)? query.targets { $each!(& $($mutable)? target.expr); }
        for target in & $($mutable)? query.returning { $each!(& $($mutable)? target.expr); }
        expressions!(@from & $($mutable)? query.join_tree, $each $(, $mutable)?);
        if let Some(conflict) = & $($mutable)? query.on_conflict {
            if let Some(inference) = & $($mutable)? conflict.inference {
                for key in & $($mutable)? inference.keys { $each!(& $($mutable)? key.expr); }
                if let Some(predicate) = & $($mutable)? inference.predicate { $each!(predicate); }
            }
            if let ConflictAction::Update { targets, condition, .. } = & $($mutable)? conflict.action {
                for target in targets { $each!(& $($mutable)? target.expr); }
                if let Some(condition) = condition { $each!(condition); }
            }
        }
        if let Some(condition) = & $($mutable)? query.merge_condition { $each!(condition); }
        for action in & $($mutable)? query.merge_actions {
            if let Some(condition) = & $($mutable)? action.condition { $each!(condition); }
            if let MergeCommand::Insert { targets, .. } | MergeCommand::Update { targets } = & $($mutable)? action.action {
                for target in targets { $each!(& $($mutable)? target.expr); }
            }
        }
        for check in & $($mutable)? query.with_check_options { $each!(& $($mutable)? check.condition); }
        if let Some(having) = & $($mutable)? query.having { $each!(having); }
        for window in & $($mutable)? query.windows {
            for bound in [& $($mutable)? window.frame.start, & $($mutable)? window.frame.end] {
                if let FrameBound::Preceding(offset) | FrameBound::Following(offset) = bound { $each!(offset); }
            }
        }
        if let Some(limit) = & $($mutable)? query.limit { $each!(limit); }
        if let Some(offset) = & $($mutable)? query.offset { $each!(offset); }
        for entry in & $($mutable)? query.range_table {
            for condition in & $($mutable)? entry.security_conditions { $each!(condition); }
            match & $($mutable)? entry.kind {
                RangeTableKind::Relation { sample: Some(sample), .. } => {
                    for argument in & $($mutable)? sample.arguments { $each!(argument); }
                    if let Some(seed) = & $($mutable)? sample.repeatable { $each!(seed); }
                }
                RangeTableKind::Join { columns, .. } => for column in columns { $each!(column); },
                RangeTableKind::Function { functions, .. } => {
                    for function in functions { $each!(& $($mutable)? function.call); }
                }
                RangeTableKind::Values { rows } => for row in rows { for value in row { $each!(value); } },
                RangeTableKind::Relation { .. } | RangeTableKind::Subquery(_) => {}
                RangeTableKind::Cte { .. } | RangeTableKind::Result => {}
            }
        }
    };
    (@from $from:expr, $each:ident $(, $mutable:tt)?) => {
        // A join tree is as deep as the statement has joins: no recursion.
        let mut trees = Vec::new();
        let from = $from;
        if let Some(condition) = & $($mutable)? from.condition { $each!(condition); }
        trees.extend(& $($mutable)? from.from);
        while let Some(tree) = trees.pop() {
            match tree {
                JoinTree::Relation(_) => {}
                JoinTree::Join(join) => {
                    let join = & $($mutable)? **join;
                    if let Some(condition) = & $($mutable)? join.condition { $each!(condition); }
                    trees.push(& $($mutable)? join.right);
                    trees.push(& $($mutable)? join.left);
                }
                JoinTree::From(from) => {
                    if let Some(condition) = & $($mutable)? from.condition { $each!(condition); }
                    trees.extend(& $($mutable)? from.from);
                }
            }
        }
    };
}

impl Expr {
    /// Calls `each` for the expressions right below, and `query` for the query of a [`SubLink`], until one has enough.
    pub fn walk(&self, each: &mut dyn FnMut(&Expr) -> Walk, query: &mut dyn FnMut(&Query) -> Walk) -> Walk {
        macro_rules! each {
            ($child:expr) => {
                if each($child) == Walk::Stop {
                    return Walk::Stop;
                }
            };
        }
        macro_rules! query {
            ($query:expr) => {
                if query($query) == Walk::Stop {
                    return Walk::Stop;
                }
            };
        }
        children!(self, each, query);
        Walk::On
    }

    /// Calls `each` for the expressions right below, and `query` for the query of a [`SubLink`].
    pub fn mutate(&mut self, each: &mut dyn FnMut(&mut Expr), query: &mut dyn FnMut(&mut Query)) {
        macro_rules! each {
            ($child:expr) => {
                each($child)
            };
        }
        macro_rules! query {
            ($query:expr) => {
                query($query)
            };
        }
        children!(self, each, query, mut);
    }

    /// Does it, or anything in it that is no subquery, satisfy `is`?
    pub fn contains(&self, is: &mut dyn FnMut(&Expr) -> bool) -> bool {
        is(self)
            || self.walk(&mut |e| if e.contains(is) { Walk::Stop } else { Walk::On }, &mut |_| Walk::On) == Walk::Stop
    }
}

/// Calls `each` for every expression of a query itself, and `query` for its subqueries in FROM and WITH, until one has enough.
pub fn walk_query(
    query: &Query,
    each: &mut dyn FnMut(&Expr) -> Walk,
    subquery: &mut dyn FnMut(&Query) -> Walk,
) -> Walk {
    macro_rules! each {
        ($child:expr) => {
            if each($child) == Walk::Stop {
                return Walk::Stop;
            }
        };
    }
    expressions!(query, each);
    for inner in query.subqueries() {
        if subquery(inner) == Walk::Stop {
            return Walk::Stop;
        }
    }
    Walk::On
}

/// Calls `each` for every expression of a query itself, and `subquery` for its subqueries in FROM and WITH.
pub fn mutate_query(query: &mut Query, each: &mut dyn FnMut(&mut Expr), subquery: &mut dyn FnMut(&mut Query)) {
    macro_rules! each {
        ($child:expr) => {
            each($child)
        };
    }
    {
        expressions!(&mut *query, each, mut);
    }
    for entry in &mut query.range_table {
        if let RangeTableKind::Subquery(inner) = &mut entry.kind {
            subquery(inner);
        }
    }
    for cte in &mut query.ctes {
        subquery(&mut cte.query);
    }
}

impl Query {
    /// The queries in its FROM and in its WITH list.
    pub fn subqueries(&self) -> impl Iterator<Item = &Query> {
        let from = self.range_table.iter().filter_map(|entry| match &entry.kind {
            RangeTableKind::Subquery(query) => Some(&**query),
            _ => None,
        });
        from.chain(self.ctes.iter().map(|cte| &cte.query))
    }
}
