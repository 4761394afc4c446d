//! What queries and expressions are made of, and changes of all columns in them: PostgreSQL's `var.c` and `rewriteManip.c`.
//!
//! A *depth* counts the queries that something is inside of, seen from where a walk began: a column of the query at which it
//! began has [`Var::levels_up`] = depth.

use std::cell::RefCell;

use analyze::query::*;

use crate::relids::Relids;

/// Looks at expressions.
pub trait Visitor {
    /// False: enough.
    fn expr(&mut self, expr: &Expr, depth: u32) -> bool;
}

impl<F: FnMut(&Expr, u32) -> bool> Visitor for F {
    fn expr(&mut self, expr: &Expr, depth: u32) -> bool {
        self(expr, depth)
    }
}

/// An expression and all in it, subqueries too. False: the visitor had enough.
pub fn visit(visitor: &mut dyn Visitor, expr: &Expr, depth: u32) -> bool {
    if !visitor.expr(expr, depth) {
        return false;
    }
    let visitor = RefCell::new(visitor);
    let each = &mut |child: &Expr| go_on(visit(&mut **visitor.borrow_mut(), child, depth));
    let query = &mut |query: &Query| go_on(visit_query(&mut **visitor.borrow_mut(), query, depth + 1));
    expr.walk(each, query) == Walk::On
}

/// All of a query.
pub fn visit_query(visitor: &mut dyn Visitor, query: &Query, depth: u32) -> bool {
    let visitor = RefCell::new(visitor);
    let each = &mut |child: &Expr| go_on(visit(&mut **visitor.borrow_mut(), child, depth));
    let inner = &mut |query: &Query| go_on(visit_query(&mut **visitor.borrow_mut(), query, depth + 1));
    walk_query(query, each, inner) == Walk::On
}

fn go_on(on: bool) -> Walk {
    if on { Walk::On } else { Walk::Stop }
}

/// Changes expressions and queries.
pub trait Mutator {
    /// False: what is in it is left as it is.
    fn expr(&mut self, expr: &mut Expr, depth: u32) -> bool;

    /// A query, before what is in it; its own depth.
    fn query(&mut self, _query: &mut Query, _depth: u32) {}
}

impl<F: FnMut(&mut Expr, u32) -> bool> Mutator for F {
    fn expr(&mut self, expr: &mut Expr, depth: u32) -> bool {
        self(expr, depth)
    }
}

/// An expression and all in it, subqueries too.
pub fn mutate(mutator: &mut dyn Mutator, expr: &mut Expr, depth: u32) {
    if !mutator.expr(expr, depth) {
        return;
    }
    let mutator = RefCell::new(mutator);
    let each = &mut |child: &mut Expr| mutate(&mut **mutator.borrow_mut(), child, depth);
    let query = &mut |query: &mut Query| mutate_whole(&mut **mutator.borrow_mut(), query, depth + 1);
    expr.mutate(each, query);
}

/// All of a query.
pub fn mutate_whole(mutator: &mut dyn Mutator, query: &mut Query, depth: u32) {
    mutator.query(query, depth);
    let mutator = RefCell::new(mutator);
    let each = &mut |child: &mut Expr| mutate(&mut **mutator.borrow_mut(), child, depth);
    let inner = &mut |query: &mut Query| mutate_whole(&mut **mutator.borrow_mut(), query, depth + 1);
    mutate_query(query, each, inner);
}

/// The entries of the query `level` further out whose columns are in it (`pull_varnos_of_level`).
pub fn relations_of_level(expr: &Expr, level: u32) -> Relids {
    let mut found = Relids::new();
    visit(&mut gather(&mut found, level), expr, 0);
    found
}

/// The entries of its own query (`pull_varnos`).
pub fn relations_of(expr: &Expr) -> Relids {
    relations_of_level(expr, 0)
}

/// As [`relations_of_level`], of a whole query.
pub fn relations_in_query(query: &Query, level: u32) -> Relids {
    let mut found = Relids::new();
    visit_query(&mut gather(&mut found, level), query, 0);
    found
}

fn gather(found: &mut Relids, level: u32) -> impl FnMut(&Expr, u32) -> bool {
    move |expr, depth| {
        if let Expr::Var(var) = expr
            && var.levels_up == depth + level
        {
            found.add(var.relation);
        }
        true
    }
}

/// To which query something belongs, if not to where it stands.
pub fn levels_up(expr: &Expr) -> Option<u32> {
    match expr {
        Expr::Var(var) => Some(var.levels_up),
        Expr::Aggref(aggregate) => Some(aggregate.levels_up),
        Expr::GroupingFunc(grouping) => Some(grouping.levels_up),
        _ => None,
    }
}

/// Has it columns of the query `level` further out (`contain_vars_of_level`)?
pub fn has_vars_of_level(expr: &Expr, level: u32) -> bool {
    !visit(&mut |e: &Expr, depth: u32| !matches!(e, Expr::Var(var) if var.levels_up == depth + level), expr, 0)
}

/// Has it columns, aggregates or GROUPING of the query `level` further out?
pub fn has_level(expr: &Expr, level: u32) -> bool {
    !visit(&mut |e: &Expr, depth: u32| levels_up(e) != Some(depth + level), expr, 0)
}

/// As [`has_level`], of a whole query. `level` is at least 1.
pub fn query_has_level(query: &Query, level: u32) -> bool {
    !visit_query(&mut |e: &Expr, depth: u32| levels_up(e) != Some(depth + level), query, 0)
}

/// Has it sublinks, outside of subqueries?
pub fn has_sublinks(expr: &Expr) -> bool {
    expr.contains(&mut |e| matches!(e, Expr::SubLink(_)))
}

/// Moves what belongs to queries at least `least` further out (`IncrementVarSublevelsUp`).
pub struct IncrementLevels {
    pub by: i32,
    pub least: u32,
}

impl IncrementLevels {
    fn moved(&self, levels_up: &mut u32, depth: u32) {
        if *levels_up >= self.least + depth {
            *levels_up = levels_up.saturating_add_signed(self.by);
        }
    }
}

impl Mutator for IncrementLevels {
    fn expr(&mut self, expr: &mut Expr, depth: u32) -> bool {
        match expr {
            Expr::Var(var) => self.moved(&mut var.levels_up, depth),
            Expr::Aggref(aggregate) => self.moved(&mut aggregate.levels_up, depth),
            Expr::GroupingFunc(grouping) => self.moved(&mut grouping.levels_up, depth),
            _ => {}
        }
        true
    }

    fn query(&mut self, query: &mut Query, depth: u32) {
        for entry in &mut query.range_table {
            if let RangeTableKind::Cte { levels_up, .. } = &mut entry.kind {
                self.moved(levels_up, depth);
            }
        }
    }
}

pub fn increment_levels(expr: &mut Expr, by: i32, least: u32) {
    mutate(&mut IncrementLevels { by, least }, expr, 0);
}

pub fn increment_levels_in_query(query: &mut Query, by: i32, least: u32) {
    mutate_whole(&mut IncrementLevels { by, least }, query, 0);
}

/// Changes which entries of the query where a walk begins are meant (`OffsetVarNodes`, `ChangeVarNodes`).
pub struct Renumber<F: FnMut(RangeTableIndex) -> RangeTableIndex>(pub F);

impl<F: FnMut(RangeTableIndex) -> RangeTableIndex> Mutator for Renumber<F> {
    fn expr(&mut self, expr: &mut Expr, depth: u32) -> bool {
        if let Expr::Var(var) = expr
            && var.levels_up == depth
        {
            var.relation = self.0(var.relation);
        }
        true
    }

    fn query(&mut self, query: &mut Query, depth: u32) {
        if depth == 0 {
            renumber_from(&mut query.join_tree, &mut self.0);
            query.row_marks.iter_mut().for_each(|mark| mark.relation = self.0(mark.relation));
        }
    }
}

/// Changes the entries that a join tree names, not its conditions.
pub fn renumber_from(from: &mut FromExpr, number: &mut dyn FnMut(RangeTableIndex) -> RangeTableIndex) {
    let mut trees: Vec<&mut JoinTree> = from.from.iter_mut().collect();
    while let Some(tree) = trees.pop() {
        match tree {
            JoinTree::Relation(relation) => *relation = number(*relation),
            JoinTree::Join(join) => {
                if join.relation.0 != 0 {
                    join.relation = number(join.relation);
                }
                let JoinExpr { left, right, .. } = &mut **join;
                trees.extend([left, right]);
            }
            JoinTree::From(from) => trees.extend(&mut from.from),
        }
    }
}

/// The entries below a join tree; with those of the joins themselves, if `joins` (`get_relids_in_jointree`).
pub fn relations_in_tree(tree: &JoinTree, joins: bool) -> Relids {
    let mut found = Relids::new();
    let mut trees = vec![tree];
    while let Some(tree) = trees.pop() {
        match tree {
            JoinTree::Relation(relation) => found.add(*relation),
            JoinTree::Join(join) => {
                if joins && join.relation.0 != 0 {
                    found.add(join.relation);
                }
                trees.extend([&join.left, &join.right]);
            }
            JoinTree::From(from) => trees.extend(&from.from),
        }
    }
    found
}

/// One condition of both: `a AND b`.
pub fn and(a: Option<Expr>, b: Option<Expr>) -> Option<Expr> {
    match (a, b) {
        (Some(a), Some(b)) => {
            let mut all = and_list(a);
            all.extend(and_list(b));
            make_and(all)
        }
        (a, None) => a,
        (None, b) => b,
    }
}

/// The conditions that all have to hold (`make_ands_implicit`).
pub fn and_list(expr: Expr) -> Vec<Expr> {
    match expr {
        Expr::BoolExpr(BoolExpr { operator: BoolOperator::And, arguments, .. }) => arguments,
        other => vec![other],
    }
}

/// As [`and_list`], to look at.
pub fn and_slice(expr: &Expr) -> &[Expr] {
    match expr {
        Expr::BoolExpr(BoolExpr { operator: BoolOperator::And, arguments, .. }) => arguments,
        other => std::slice::from_ref(other),
    }
}

pub fn is_or(expr: &Expr) -> bool {
    matches!(expr, Expr::BoolExpr(BoolExpr { operator: BoolOperator::Or, .. }))
}

/// `None`: there is nothing that has to hold.
pub fn make_and(list: Vec<Expr>) -> Option<Expr> {
    make_bool(BoolOperator::And, list)
}

/// One with at least two arguments; the only one; or none.
pub fn make_bool(operator: BoolOperator, mut list: Vec<Expr>) -> Option<Expr> {
    match list.len() {
        0 | 1 => list.pop(),
        _ => Some(Expr::BoolExpr(BoolExpr { operator, arguments: list, location: Location::NONE })),
    }
}

pub fn make_not(argument: Expr) -> Expr {
    Expr::BoolExpr(BoolExpr { operator: BoolOperator::Not, arguments: vec![argument], location: Location::NONE })
}

/// A column of the query's own.
pub fn make_var(relation: RangeTableIndex, attribute: i16, ty: TypeRef) -> Var {
    Var { relation, attribute, ty, collation: Collation::NONE, levels_up: 0, location: Location::NONE }
}

pub fn make_bool_const(value: bool) -> Expr {
    Expr::Const(Const { ty: TypeRef::of(types::oid::BOOL), value: types::Datum::Bool(value), location: Location::NONE })
}

pub fn is_true(expr: &Expr) -> bool {
    matches!(expr, Expr::Const(Const { value: types::Datum::Bool(true), .. }))
}

/// Takes an expression away, leaving something small.
pub fn take(expr: &mut Expr) -> Expr {
    std::mem::replace(expr, Expr::MergeAction)
}
