//! Where conditions and columns are needed, and which joins may not be exchanged (PostgreSQL's `initsplan.c`). Outer joins
//! are treated as by PostgreSQL 15: a condition over columns that an outer join may make NULL waits for that join.

use std::rc::Rc;

use analyze::query::*;
use expression::clauses::function_is_strict;
use types::Result;

use crate::manip::{self, is_true};
use crate::path::clauses::*;
use crate::path::join::equivclass;
use crate::path::join::restrictinfo::{Place, make_restrictinfo};
use crate::path::relset::{Rels, rels_of};
use crate::path::state::*;
use crate::plan::JoinKind;
use crate::planner_info::{PlannerInfo, unsupported};

/// Which relations are joined first: as written, in groups that are small enough to look at all orders.
#[derive(Clone, Debug)]
pub enum JoinList {
    Relation(RangeTableIndex),
    List(Vec<JoinList>),
}

/// Makes the columns available up to where `wanted` is joined; bit 0 is the result (`add_vars_to_targetlist`).
pub fn add_vars_to_targets(root: &mut PlannerInfo, vars: &[Var], wanted: Rels) {
    for var in vars {
        let Some(rel) = root.paths.base.get(var.relation.0 as usize).copied().flatten() else { continue };
        let rel = &mut root.paths.rels[rel];
        if wanted.is_subset(rel.relids) {
            continue;
        }
        let at = (var.attribute + FIRST_ATTRIBUTE) as usize;
        if rel.needed.len() <= at {
            rel.needed.resize(at + 1, Rels::EMPTY);
        }
        if rel.needed[at].is_empty() {
            let target = Rc::make_mut(&mut rel.target);
            target.exprs.push(Expr::Var(Var { location: Location::NONE, ..*var }));
        }
        rel.needed[at] |= wanted;
    }
}

/// What the result needs (`build_base_rel_tlists`).
pub fn build_base_targets(root: &mut PlannerInfo) {
    let mut vars = Vec::new();
    for target in &root.query.targets {
        pull_vars(&target.expr, &mut vars, |_| false);
    }
    if let Some(having) = &root.query.having {
        pull_vars(having, &mut vars, |_| false);
    }
    let vars: Vec<Var> =
        vars.into_iter().filter_map(|e| if let Expr::Var(var) = e { Some(var) } else { None }).collect();
    add_vars_to_targets(root, &vars, Rels::RESULT);
}

/// Which entries take values of others beside them (`find_lateral_references`, `create_lateral_join_info`).
pub fn lateral_references(root: &mut PlannerInfo) {
    let bases: Vec<(RangeTableIndex, RelId)> = root
        .paths
        .base
        .iter()
        .enumerate()
        .filter_map(|(at, rel)| Some((RangeTableIndex(at as u32), (*rel)?)))
        .collect();
    let mut any = false;
    for &(relation, rel) in &bases {
        let entry = root.query.entry(relation);
        if !entry.lateral
            && !matches!(
                entry.kind,
                RangeTableKind::Function { .. }
                    | RangeTableKind::Values { .. }
                    | RangeTableKind::Relation { sample: Some(_), .. }
            )
        {
            continue;
        }
        let mut vars: Vec<Var> = Vec::new();
        let mut see = |expr: &Expr, level: u32| {
            manip::visit(
                &mut |e: &Expr, depth: u32| {
                    if let Expr::Var(var) = e
                        && var.levels_up == depth + level
                    {
                        vars.push(Var { levels_up: 0, location: Location::NONE, ..*var });
                    }
                    true
                },
                expr,
                0,
            );
        };
        match &entry.kind {
            RangeTableKind::Function { functions, .. } => functions.iter().for_each(|function| see(&function.call, 0)),
            RangeTableKind::Values { rows } => rows.iter().flatten().for_each(|value| see(value, 0)),
            RangeTableKind::Relation { sample: Some(sample), .. } => {
                sample.arguments.iter().chain(&sample.repeatable).for_each(|e| see(e, 0));
            }
            RangeTableKind::Subquery(query) => {
                manip::visit_query(
                    &mut |e: &Expr, depth: u32| {
                        if let Expr::Var(var) = e
                            && var.levels_up == depth + 1
                        {
                            vars.push(Var { levels_up: 0, location: Location::NONE, ..*var });
                        }
                        true
                    },
                    query,
                    0,
                );
            }
            _ => {}
        }
        vars.dedup();
        if vars.is_empty() {
            continue;
        }
        any = true;
        add_vars_to_targets(root, &vars, Rels::of(relation));
        let known = &mut root.paths.rels[rel];
        known.direct_lateral = vars.iter().fold(Rels::EMPTY, |all, var| all | Rels::of(var.relation));
        known.lateral = known.direct_lateral;
        known.lateral_vars = vars;
    }
    if !any {
        return;
    }
    // What takes of one that takes, takes of all.
    loop {
        let mut changed = false;
        for &(_, rel) in &bases {
            let all = root.paths.rels[rel].lateral.iter().fold(root.paths.rels[rel].lateral, |all, other| {
                root.paths.base[other.0 as usize].map_or(all, |other| all | root.paths.rels[other].lateral)
            });
            changed |= all != root.paths.rels[rel].lateral;
            root.paths.rels[rel].lateral = all;
        }
        if !changed {
            break;
        }
    }
    for &(relation, rel) in &bases {
        for other in root.paths.rels[rel].lateral.iter() {
            if let Some(other) = root.paths.base[other.0 as usize] {
                root.paths.rels[other].lateral_referencers |= Rels::of(relation);
            }
        }
    }
}

/// What a part of the join tree is.
struct Part {
    /// All relations in it, and those that are in it by inner joins only.
    scope: Rels,
    inner: Rels,
    list: Vec<JoinList>,
}

/// Conditions that name relations beside the part of the join tree that they are in (LATERAL).
type Postponed = Vec<Expr>;

/// Takes the join tree apart (`deconstruct_jointree`).
pub fn deconstruct_jointree(root: &mut PlannerInfo) -> Result<JoinList> {
    let levels = root.query.range_table.iter().map(|entry| entry.security_conditions.len());
    root.paths.security_level = levels.max().unwrap_or(0) as u32;
    let tree = std::mem::take(&mut root.query.join_tree);
    let mut postponed = Vec::new();
    let part = deconstruct_from(root, &tree, false, &mut postponed);
    root.query.join_tree = tree;
    let part = part?;
    if !postponed.is_empty() {
        return Err(unsupported("this lateral condition"));
    }
    Ok(JoinList::List(part.list))
}

fn deconstruct(root: &mut PlannerInfo, tree: &JoinTree, below_outer: bool, postponed: &mut Postponed) -> Result<Part> {
    match tree {
        JoinTree::Relation(relation) => {
            let scope = Rels::of(*relation);
            distribute_security_conditions(root, *relation, below_outer);
            Ok(Part { scope, inner: Rels::EMPTY, list: vec![JoinList::Relation(*relation)] })
        }
        JoinTree::From(from) => deconstruct_from(root, from, below_outer, postponed),
        JoinTree::Join(join) => deconstruct_join(root, join, below_outer, postponed),
    }
}

fn deconstruct_from(
    root: &mut PlannerInfo,
    from: &FromExpr,
    below_outer: bool,
    postponed: &mut Postponed,
) -> Result<Part> {
    let mut part = Part { scope: Rels::EMPTY, inner: Rels::EMPTY, list: Vec::new() };
    let mut waiting = Vec::new();
    let limit = root.planner.settings.from_collapse_limit;
    for (at, tree) in from.from.iter().enumerate() {
        let sub = deconstruct(root, tree, below_outer, &mut waiting)?;
        part.scope |= sub.scope;
        part.inner = sub.inner;
        let left = from.from.len() - at - 1;
        if sub.list.len() <= 1 || part.list.len() + sub.list.len() + left <= limit {
            part.list.extend(sub.list);
        } else {
            part.list.push(JoinList::List(sub.list));
        }
    }
    if from.from.len() > 1 {
        part.inner = part.scope;
    }
    let security_level = root.paths.security_level;
    let scope =
        Scope { rels: part.scope, below_outer, outer_scope: Rels::EMPTY, nonnullable: Rels::EMPTY, security_level };
    for clause in waiting {
        place_or_postpone(root, clause, scope, postponed);
    }
    if let Some(condition) = &from.condition {
        for clause in ands(condition) {
            place_or_postpone(root, clause, scope, postponed);
        }
    }
    Ok(part)
}

/// What has to hold of an entry's rows before anything else is asked of them (`process_security_barrier_quals`).
fn distribute_security_conditions(root: &mut PlannerInfo, relation: RangeTableIndex, below_outer: bool) {
    let conditions = std::mem::take(&mut root.query.range_table[relation.index()].security_conditions);
    for (security_level, condition) in (0..).zip(&conditions) {
        let scope = Scope {
            rels: Rels::of(relation),
            below_outer,
            outer_scope: Rels::EMPTY,
            nonnullable: Rels::EMPTY,
            security_level,
        };
        ands(condition).into_iter().for_each(|clause| distribute_qual(root, clause, scope));
    }
    root.query.range_table[relation.index()].security_conditions = conditions;
}

/// All that have to hold, however deep their ANDs.
fn ands(condition: &Expr) -> Vec<Expr> {
    let mut list = Vec::new();
    fn add(expr: &Expr, list: &mut Vec<Expr>) {
        match expr {
            Expr::BoolExpr(BoolExpr { operator: BoolOperator::And, arguments, .. }) => {
                arguments.iter().for_each(|argument| add(argument, list));
            }
            other if is_true(other) => {}
            other => list.push(other.clone()),
        }
    }
    add(condition, &mut list);
    list
}

fn place_or_postpone(root: &mut PlannerInfo, clause: Expr, scope: Scope, postponed: &mut Postponed) {
    if rels_of(&clause).is_subset(scope.rels) {
        distribute_qual(root, clause, scope);
    } else {
        postponed.push(clause);
    }
}

fn deconstruct_join(
    root: &mut PlannerInfo,
    join: &JoinExpr,
    below_outer: bool,
    postponed: &mut Postponed,
) -> Result<Part> {
    let mut waiting = Vec::new();
    let kind = JoinKind::from(join.kind);
    let (left_below, right_below) = match kind {
        JoinKind::Left | JoinKind::Anti => (below_outer, true),
        JoinKind::Full => (true, true),
        JoinKind::Right => return Err(unsupported("RIGHT JOIN that is not turned round")),
        _ => (below_outer, below_outer),
    };
    let left = deconstruct(root, &join.left, left_below, &mut waiting)?;
    let right = deconstruct(root, &join.right, right_below, &mut waiting)?;
    let scope = left.scope | right.scope;
    let (inner, nonnullable) = match kind {
        JoinKind::Inner => (scope, Rels::EMPTY),
        JoinKind::Left | JoinKind::Anti => (left.inner | right.inner, left.scope),
        JoinKind::Semi => (left.inner | right.inner, Rels::EMPTY),
        _ => (left.inner | right.inner, scope),
    };
    let mut clauses = waiting;
    if let Some(condition) = &join.condition {
        clauses.extend(ands(condition));
    }
    let mut outer_scope = Rels::EMPTY;
    let mut special = None;
    if kind != JoinKind::Inner {
        let info = make_outerjoininfo(root, left.scope, right.scope, inner, kind, &clauses);
        if kind != JoinKind::Semi {
            outer_scope = info.min_left | info.min_right;
        }
        special = Some(info);
    }
    let security_level = root.paths.security_level;
    let place = Scope { rels: scope, below_outer, outer_scope, nonnullable, security_level };
    for clause in clauses {
        place_or_postpone(root, clause, place, postponed);
    }
    if let Some(info) = special {
        root.paths.join_info.push(info);
    }
    let limit = root.planner.settings.join_collapse_limit;
    let list = if kind == JoinKind::Full {
        vec![JoinList::List(vec![one_list(left.list), one_list(right.list)])]
    } else if left.list.len() + right.list.len() <= limit {
        left.list.into_iter().chain(right.list).collect()
    } else {
        vec![one_list(left.list), one_list(right.list)]
    };
    Ok(Part { scope, inner, list })
}

fn one_list(mut list: Vec<JoinList>) -> JoinList {
    if list.len() == 1 { list.remove(0) } else { JoinList::List(list) }
}

/// Which relations a join that is not inner needs on its sides, whatever order the others are in (`make_outerjoininfo`).
fn make_outerjoininfo(
    root: &PlannerInfo,
    left: Rels,
    right: Rels,
    inner: Rels,
    kind: JoinKind,
    clauses: &[Expr],
) -> SpecialJoinInfo {
    let mut info = SpecialJoinInfo {
        min_left: left,
        min_right: right,
        syn_left: left,
        syn_right: right,
        kind,
        lhs_strict: false,
        delay_upper: false,
        can_btree: false,
        can_hash: false,
        semi_operators: Vec::new(),
        semi_exprs: Vec::new(),
    };
    if kind == JoinKind::Full {
        return info;
    }
    let catalog = root.planner.catalog;
    let clause_rels = clauses.iter().fold(Rels::EMPTY, |all, clause| all | rels_of(clause));
    let strict = clauses.iter().fold(Rels::EMPTY, |all, clause| all | nonnullable_rels(catalog, clause));
    info.lhs_strict = strict.overlaps(left);
    let mut min_left = clause_rels & left;
    let mut min_right = (clause_rels | inner) & right;
    let semi = |kind| matches!(kind, JoinKind::Semi | JoinKind::Anti);
    for other in &root.paths.join_info {
        let all = other.syn_left | other.syn_right;
        if other.kind == JoinKind::Full {
            if left.overlaps(all) {
                min_left |= all;
            }
            if right.overlaps(all) {
                min_right |= all;
            }
            continue;
        }
        if left.overlaps(other.syn_right)
            && clause_rels.overlaps(other.syn_right)
            && (semi(kind) || !strict.overlaps(other.min_right))
        {
            min_left |= all;
        }
        if right.overlaps(other.syn_right)
            && (clause_rels.overlaps(other.syn_right)
                || !clause_rels.overlaps(other.min_left)
                || semi(kind)
                || semi(other.kind)
                || !other.lhs_strict
                || other.delay_upper)
        {
            min_right |= all;
        }
    }
    info.min_left = if min_left.is_empty() { left } else { min_left };
    info.min_right = if min_right.is_empty() { right } else { min_right };
    if kind == JoinKind::Semi {
        semijoin_info(root, &mut info, clauses);
    }
    info
}

/// Could the right side of a semijoin be made unique, to be joined as any other (`compute_semijoin_info`)?
fn semijoin_info(root: &PlannerInfo, info: &mut SpecialJoinInfo, clauses: &[Expr]) {
    let catalog = root.planner.catalog;
    let (mut can_btree, mut can_hash) = (true, root.planner.settings.enable_hashagg);
    let (mut operators, mut exprs) = (Vec::new(), Vec::new());
    for clause in clauses {
        let rels = rels_of(clause);
        let Expr::OpExpr(op) = clause else {
            if rels.is_empty() || rels.is_subset(info.syn_left) || rels.is_subset(info.syn_right) {
                continue;
            }
            return;
        };
        if clause.is_indeterminate() {
            return;
        }
        let [left, right] = op.arguments.as_slice() else { continue };
        let (left_rels, right_rels) = (rels_of(left), rels_of(right));
        if rels.is_subset(info.syn_left) || rels.is_subset(info.syn_right) {
            if contains_volatile(catalog, clause) {
                return;
            }
            continue;
        }
        let (operator, expr) = if !right_rels.is_empty()
            && right_rels.is_subset(info.syn_right)
            && left_rels.is_subset(info.syn_left)
        {
            (op.operator, right)
        } else if !left_rels.is_empty() && left_rels.is_subset(info.syn_right) && right_rels.is_subset(info.syn_left) {
            let Some(commuted) = catalog.commutator(op.operator) else { return };
            (commuted, left)
        } else {
            return;
        };
        if contains_volatile(catalog, expr) {
            return;
        }
        let ty = expr.ty().oid;
        can_btree &= catalog.is_mergejoinable(operator, ty) && catalog.ordering_of_equality(operator, false).is_some();
        can_hash &= catalog.is_hashjoinable(operator, ty);
        if !can_btree && !can_hash {
            return;
        }
        // Rows of the right side are compared with each other.
        let own = catalog.comparison(ty).equal.unwrap_or(operator);
        operators.push(own);
        exprs.push(expr.clone());
    }
    if !exprs.is_empty() {
        (info.can_btree, info.can_hash, info.semi_operators, info.semi_exprs) = (can_btree, can_hash, operators, exprs);
    }
}

/// Where a condition stands in the join tree.
#[derive(Clone, Copy)]
struct Scope {
    rels: Rels,
    below_outer: bool,
    /// An outer join's own condition: what has to be joined where it is asked.
    outer_scope: Rels,
    nonnullable: Rels,
    security_level: u32,
}

/// `distribute_qual_to_rels`.
fn distribute_qual(root: &mut PlannerInfo, clause: Expr, scope: Scope) {
    let catalog = root.planner.catalog;
    let mut rels = rels_of(&clause);
    let mut pseudoconstant = false;
    if rels.is_empty() {
        if !scope.outer_scope.is_empty() {
            rels = scope.outer_scope;
            if !contains_volatile(catalog, &clause) {
                pseudoconstant = true;
            }
        } else if contains_volatile(catalog, &clause) {
            rels = scope.rels;
        } else {
            pseudoconstant = true;
            // At the top it is asked once for the whole query.
            rels = if scope.below_outer { scope.rels } else { root.paths.all };
        }
        root.paths.has_pseudoconstants |= pseudoconstant;
    }
    let (mut maybe_equivalence, mut maybe_outer) = (false, false);
    let mut below_outer = scope.below_outer;
    let (nullable, delayed, pushed_down);
    if rels.overlaps(scope.nonnullable) {
        pushed_down = false;
        maybe_outer = true;
        (delayed, nullable) = check_delay(root, &mut rels, false);
        rels = scope.outer_scope;
    } else {
        pushed_down = true;
        (delayed, nullable) = check_delay(root, &mut rels, true);
        if !delayed {
            maybe_equivalence = true;
            maybe_outer = !scope.nonnullable.is_empty();
            // A condition of an outer join on its nullable side alone: above the join it need not hold.
            below_outer |= maybe_outer;
        } else if redundant_nullability(root, &clause) {
            return;
        }
    }
    if pushed_down && !delayed && nullable.is_empty() && !scope.below_outer && is_said_by_column(root, &clause) {
        return;
    }
    let clause = strict_self_equality(root, clause);
    let place = Place {
        pushed_down,
        delayed,
        pseudoconstant,
        required: rels,
        outer: if pushed_down { Rels::EMPTY } else { scope.nonnullable },
        nullable,
        security_level: scope.security_level,
    };
    let made = Rc::new(make_restrictinfo(root, clause, place));
    if rels.len() > 1 {
        let vars = vars_of(&made.clause);
        add_vars_to_targets(root, &vars, rels);
    }
    if !made.merge_families.is_empty() {
        if maybe_equivalence {
            if !side_delayed(root, &made) && equivclass::process_equivalence(root, &made, nullable, below_outer) {
                return;
            }
            equivclass::initialize_classes(root, &made);
        } else if maybe_outer && made.can_join {
            equivclass::initialize_classes(root, &made);
            let mut inner = if made.left.is_subset(scope.nonnullable) { made.right } else { made.left };
            check_delay(root, &mut inner, false);
            let entry = OuterJoinClause { clause: made.clone(), inner };
            if made.left.is_subset(scope.nonnullable) && !made.right.overlaps(scope.nonnullable) {
                return root.paths.left_clauses.push(entry);
            }
            if made.right.is_subset(scope.nonnullable) && !made.left.overlaps(scope.nonnullable) {
                return root.paths.right_clauses.push(entry);
            }
            if scope.nonnullable == scope.rels {
                return root.paths.full_clauses.push(entry);
            }
        } else {
            equivclass::initialize_classes(root, &made);
        }
    }
    distribute_restrictinfo(root, made);
}

/// `x IS NOT NULL` of a column that is NOT NULL (`restriction_is_always_true`).
fn is_said_by_column(root: &PlannerInfo, clause: &Expr) -> bool {
    let Expr::NullTest(test) = clause else { return false };
    let Expr::Var(var) = &test.argument else { return false };
    if test.is_null || test.row {
        return false;
    }
    let rel = root.paths.base.get(var.relation.0 as usize).copied().flatten();
    let table = rel.and_then(|rel| root.paths.rels[rel].table.as_ref());
    var.levels_up == 0
        && var.attribute > 0
        && table.is_some_and(|table| table.not_null.get(var.attribute as usize - 1) == Some(&true))
}

/// `x = x` says that x is not NULL, where `=` is strict.
fn strict_self_equality(root: &PlannerInfo, clause: Expr) -> Expr {
    let catalog = root.planner.catalog;
    match clause {
        Expr::OpExpr(mut op)
            if op.arguments.len() == 2
                && op.arguments[0] == op.arguments[1]
                && catalog.operator(op.operator).is_some_and(|row| row.oprcanmerge)
                && function_is_strict(catalog, op.function)
                && !contains_volatile(catalog, &op.arguments[0]) =>
        {
            let argument = op.arguments.swap_remove(0);
            Expr::NullTest(Box::new(NullTest { argument, is_null: false, row: false, location: Location::NONE }))
        }
        other => other,
    }
}

/// Adds what outer joins have to be done before; whether there are any, and the relations that they make NULL
/// (`check_outerjoin_delay`).
fn check_delay(root: &mut PlannerInfo, rels: &mut Rels, pushed_down: bool) -> (bool, Rels) {
    let (mut delayed, mut nullable) = (false, Rels::EMPTY);
    loop {
        let mut found = false;
        for join in &mut root.paths.join_info {
            let full = join.kind == JoinKind::Full;
            if rels.overlaps(join.min_right) || (full && rels.overlaps(join.min_left)) {
                let all = join.min_left | join.min_right;
                if !all.is_subset(*rels) {
                    *rels |= all;
                    (delayed, found) = (true, true);
                }
                nullable |= join.min_right;
                if full {
                    nullable |= join.min_left;
                }
                if pushed_down && !full && rels.overlaps(join.min_left) {
                    join.delay_upper = true;
                }
            }
        }
        if !found {
            return (delayed, nullable & *rels);
        }
    }
}

/// `check_equivalence_delay`.
fn side_delayed(root: &mut PlannerInfo, clause: &R) -> bool {
    if root.paths.join_info.is_empty() {
        return false;
    }
    let (mut left, mut right) = (clause.left, clause.right);
    check_delay(root, &mut left, false).0 || check_delay(root, &mut right, false).0
}

/// `x IS NULL` above an antijoin that says so already (`check_redundant_nullability_qual`).
fn redundant_nullability(root: &PlannerInfo, clause: &Expr) -> bool {
    let Expr::NullTest(test) = clause else { return false };
    let Expr::Var(var) = &test.argument else { return false };
    test.is_null
        && !test.row
        && root.paths.join_info.iter().any(|join| join.kind == JoinKind::Anti && join.syn_right.contains(var.relation))
}

/// Hands a condition to its relation, or to all that it joins (`distribute_restrictinfo_to_rels`).
pub fn distribute_restrictinfo(root: &mut PlannerInfo, clause: R) {
    if let Some(one) = clause.required.singleton() {
        if let Some(rel) = root.paths.base.get(one.0 as usize).copied().flatten() {
            let rel = &mut root.paths.rels[rel];
            rel.least_security = rel.least_security.min(clause.security_level);
            rel.conditions.push(clause);
        }
        return;
    }
    for relation in clause.required.iter() {
        if let Some(rel) = root.paths.base.get(relation.0 as usize).copied().flatten() {
            root.paths.rels[rel].join_clauses.push(clause.clone());
        }
    }
}
