//! Equivalence classes (PostgreSQL's `equivclass.c`): expressions that conditions make equal. What is equal to a constant is
//! looked up by it, joins follow from other joins, and an order by one member is an order by all.

use std::rc::Rc;

use analyze::query::*;
use catalog::strategy;
use expression::clauses::{function_is_leakproof, function_is_strict};
use smallvec::SmallVec;
use types::{Oid, oid};

use crate::manip::is_true;
use crate::path::clauses::{make_opclause, vars_of};
use crate::path::join::initsplan;
use crate::path::join::initsplan::add_vars_to_targets;
use crate::path::join::restrictinfo::{Place, make_restrictinfo, sides};
use crate::path::relset::{Rels, rels_of};
use crate::path::state::*;
use crate::planner_info::PlannerInfo;

/// The operator's types to the left and to the right.
fn operand_types(root: &PlannerInfo, operator: Oid) -> (Oid, Oid) {
    root.planner.catalog.operator(operator).map_or((oid::INVALID, oid::INVALID), |row| (row.oprleft, row.oprright))
}

/// An expression of the type by which it is compared (`canonicalize_ec_expression`).
pub fn canonical_expr(expr: &Expr, ty: Oid) -> Expr {
    let own = expr.ty().oid;
    let open = matches!(
        ty,
        oid::ANYARRAY
            | oid::ANYENUM
            | oid::ANYRANGE
            | oid::ANYMULTIRANGE
            | oid::RECORD
            | oid::ANYELEMENT
            | oid::INVALID
    );
    if own == ty || open {
        return expr.clone();
    }
    let inner = crate::path::clauses::strip_relabel(expr);
    if inner.ty().oid == ty {
        return inner.clone();
    }
    Expr::RelabelType(Box::new(RelabelType {
        argument: inner.clone(),
        result: TypeRef::of(ty),
        collation: None,
        form: CoercionForm::ImplicitCast,
        location: Location::NONE,
    }))
}

fn find_member(
    root: &PlannerInfo,
    expr: &Expr,
    ty: Oid,
    families: &[Oid],
    below_outer: bool,
) -> Option<(ClassId, usize)> {
    for (id, class) in root.paths.classes.iter().enumerate() {
        if class.merged.is_some() || class.has_volatile || class.families.as_slice() != families {
            continue;
        }
        let found = class.members.iter().position(|member| {
            // Below an outer join constants are not as constant as they look.
            !(member.is_const && (below_outer || class.below_outer_join)) && member.ty == ty && member.expr == *expr
        });
        if let Some(at) = found {
            return Some((id, at));
        }
    }
    None
}

/// Makes `a = b` a part of a class. False: it is none's (`process_equivalence`).
pub fn process_equivalence(root: &mut PlannerInfo, clause: &R, nullable: Rels, below_outer: bool) -> bool {
    let Some((left, right)) = sides(clause) else { return false };
    let Expr::OpExpr(op) = &clause.clause else { return false };
    // What follows from a class may be asked before what has to come before this condition.
    if !clause.leakproof {
        return false;
    }
    let (left_ty, right_ty) = operand_types(root, op.operator);
    let (left, right) = (canonical_expr(left, left_ty), canonical_expr(right, right_ty));
    if left == right {
        return false;
    }
    // Below an outer join a class of constants alone says nothing above.
    if below_outer && (clause.left.is_empty() && clause.right.is_empty()) {
        return false;
    }
    let open = |own: Oid, expr: &Expr| {
        if matches!(own, oid::ANYARRAY | oid::ANYENUM | oid::RECORD | oid::ANYRANGE | oid::ANYMULTIRANGE) {
            expr.ty().oid
        } else {
            own
        }
    };
    let (left_ty, right_ty) = (open(left_ty, &left), open(right_ty, &right));
    let families = clause.merge_families.clone();
    let one = find_member(root, &left, left_ty, &families, below_outer).map(|(id, _)| id);
    let two = find_member(root, &right, right_ty, &families, below_outer).map(|(id, _)| id);
    let member = |expr: Expr, rels: Rels, ty: Oid| ClassMember {
        is_const: rels.is_empty(),
        nullable: nullable & rels,
        expr,
        rels,
        ty,
    };
    let class = match (one, two) {
        (Some(one), Some(two)) => {
            if one != two {
                merge(root, one, two);
            }
            one
        }
        (Some(one), None) => {
            add_member(&mut root.paths.classes[one], member(right, clause.right, right_ty));
            one
        }
        (None, Some(two)) => {
            add_member(&mut root.paths.classes[two], member(left, clause.left, left_ty));
            two
        }
        (None, None) => {
            let mut class = EquivalenceClass { families, ..Default::default() };
            add_member(&mut class, member(left, clause.left, left_ty));
            add_member(&mut class, member(right, clause.right, right_ty));
            root.paths.classes.push(class);
            root.paths.classes.len() - 1
        }
    };
    let known = &mut root.paths.classes[class];
    known.least_security = match known.sources.is_empty() {
        true => clause.security_level,
        false => known.least_security.min(clause.security_level),
    };
    known.most_security = known.most_security.max(clause.security_level);
    known.sources.push(clause.clone());
    known.below_outer_join |= below_outer;
    clause.left_class.set(Some(class));
    clause.right_class.set(Some(class));
    true
}

fn add_member(class: &mut EquivalenceClass, member: ClassMember) {
    class.has_const |= member.is_const;
    class.rels |= member.rels;
    class.members.push(member);
}

fn merge(root: &mut PlannerInfo, one: ClassId, two: ClassId) {
    let other = std::mem::take(&mut root.paths.classes[two]);
    root.paths.classes[two] = EquivalenceClass { merged: Some(one), ..Default::default() };
    let class = &mut root.paths.classes[one];
    class.least_security = match (class.sources.is_empty(), other.sources.is_empty()) {
        (true, _) => other.least_security,
        (false, true) => class.least_security,
        (false, false) => class.least_security.min(other.least_security),
    };
    class.most_security = class.most_security.max(other.most_security);
    class.members.extend(other.members);
    class.sources.extend(other.sources);
    class.rels |= other.rels;
    class.has_const |= other.has_const;
    class.below_outer_join |= other.below_outer_join;
}

/// The class of an expression that rows are sorted by (`get_eclass_for_sort_expr`). `above_sets`: the rows come from
/// grouping sets, which make NULL what was equal to something below.
pub fn class_for_sort(
    root: &mut PlannerInfo,
    expr: &Expr,
    families: &[Oid],
    ty: Oid,
    (reference, above_sets): (u32, bool),
    create: bool,
) -> Option<ClassId> {
    let expr = canonical_expr(expr, ty);
    let ty = if matches!(ty, oid::ANYARRAY | oid::ANYENUM | oid::RECORD | oid::ANYRANGE | oid::ANYMULTIRANGE) {
        expr.ty().oid
    } else {
        ty
    };
    for (id, class) in root.paths.classes.iter().enumerate() {
        if class.merged.is_some() || class.above_sets != above_sets || class.families.as_slice() != families {
            continue;
        }
        if class.has_volatile && (reference == 0 || reference != class.reference) {
            continue;
        }
        if class
            .members
            .iter()
            .any(|member| !(class.below_outer_join && member.is_const) && member.ty == ty && member.expr == expr)
        {
            return Some(id);
        }
    }
    if !create {
        return None;
    }
    let rels = rels_of(&expr);
    let has_volatile = crate::path::clauses::contains_volatile(root.planner.catalog, &expr)
        || above_sets && is_grouped_twice(root, &expr);
    let aggregate =
        |e: &Expr| expression::clauses::contain_agg_clause(e) || expression::clauses::contain_window_function(e);
    let is_const = rels.is_empty() && !has_volatile && !aggregate(&expr) && !expr.returns_set();
    let families = families.into();
    let mut class = EquivalenceClass { families, has_volatile, reference, above_sets, ..Default::default() };
    add_member(&mut class, ClassMember { expr, rels, nullable: Rels::EMPTY, is_const, ty });
    root.paths.classes.push(class);
    Some(root.paths.classes.len() - 1)
}

/// Are there several keys of this expression, each of which may be NULL where the others are not?
fn is_grouped_twice(root: &PlannerInfo, expr: &Expr) -> bool {
    let keys = root.query.group_clause.iter().filter_map(|clause| root.query.target_of(clause.reference));
    keys.filter(|target| canonical_expr(&target.expr, expr.ty().oid) == *expr).count() > 1
}

/// The `=` of a class for two types (`select_equality_operator`).
fn equality_operator(root: &PlannerInfo, class: &EquivalenceClass, left: Oid, right: Oid) -> Option<Oid> {
    let catalog = root.planner.catalog;
    let found = class.families.iter().find_map(|&family| {
        let member = catalog.opfamily_member(family, left, right, strategy::EQUAL);
        member.or_else(|| {
            // Arrays and their like are compared by one operator for all types.
            let open = catalog.is_array(left) && catalog.is_array(right);
            open.then(|| catalog.opfamily_member(family, oid::ANYARRAY, oid::ANYARRAY, strategy::EQUAL)).flatten()
        })
    });
    let may_be_asked_first = |function| class.most_security == 0 || function_is_leakproof(catalog, function);
    found.filter(|operator| {
        let function = catalog.operator(*operator).map(|row| row.oprcode);
        function.is_some_and(|function| function_is_strict(catalog, function) && may_be_asked_first(function))
    })
}

/// What classes say of single relations, and what joins will need (`generate_base_implied_equalities`).
pub fn generate_base_implied_equalities(root: &mut PlannerInfo) {
    for id in 0..root.paths.classes.len() {
        let class = &root.paths.classes[id];
        if class.merged.is_some() || class.members.len() <= 1 {
            continue;
        }
        let multi = class.rels.len() > 1;
        if class.has_const {
            base_equalities_const(root, id);
        } else {
            base_equalities_no_const(root, id);
        }
        if root.paths.classes[id].broken {
            let sources = root.paths.classes[id].sources.clone();
            for source in sources.into_iter().filter(|source| source.required.len() == 1 || source.required.is_empty())
            {
                initsplan::distribute_restrictinfo(root, source);
            }
        }
        if multi && !root.paths.classes[id].has_const {
            root.paths.has_eclass_joins = true;
            for rel in root.paths.classes[id].rels.iter() {
                if let Some(rel) = root.paths.base.get(rel.0 as usize).copied().flatten() {
                    root.paths.rels[rel].has_eclass_joins = true;
                }
            }
        }
    }
}

fn base_equalities_const(root: &mut PlannerInfo, id: ClassId) {
    let class = root.paths.classes[id].clone();
    // What was written is best, where nothing else follows.
    if class.members.len() == 2 && class.sources.len() == 1 {
        initsplan::distribute_restrictinfo(root, class.sources[0].clone());
        return;
    }
    // A constant that was written is better than a parameter.
    let is_actual = |member: &&ClassMember| matches!(member.expr, Expr::Const(_));
    let constant = class.members.iter().find(is_actual).or_else(|| class.members.iter().find(|member| member.is_const));
    let Some(constant) = constant.cloned() else { return };
    for member in &class.members {
        if std::ptr::eq(member, &constant) || (member.expr == constant.expr && member.ty == constant.ty) {
            continue;
        }
        let Some(operator) = equality_operator(root, &class, member.ty, constant.ty) else {
            root.paths.classes[id].broken = true;
            return;
        };
        let mut clause = make_opclause(root.planner.catalog, operator, member.expr.clone(), constant.expr.clone());
        let mut required = member.rels;
        // Two values that have to be the same: no row is there if they are not.
        if member.is_const {
            let mut folded = clause.clone();
            if root.planner.fold(&mut folded).is_ok() {
                clause = folded;
            }
            if is_true(&clause) {
                continue;
            }
            required = class.rels;
        }
        let (pseudoconstant, security_level) = (member.is_const, class.least_security);
        let place = Place { pushed_down: true, pseudoconstant, required, security_level, ..Default::default() };
        let mut made = make_restrictinfo(root, clause, place);
        made.parent_class = None;
        let made = Rc::new(made);
        made.left_class.set(Some(id));
        made.right_class.set(Some(id));
        initsplan::distribute_restrictinfo(root, made);
    }
}

fn base_equalities_no_const(root: &mut PlannerInfo, id: ClassId) {
    let class = root.paths.classes[id].clone();
    let mut last: Vec<(RangeTableIndex, usize)> = Vec::new();
    for (at, member) in class.members.iter().enumerate() {
        let Some(rel) = member.rels.singleton() else { continue };
        match last.iter_mut().find(|(other, _)| *other == rel) {
            Some((_, previous)) => {
                let before = &class.members[*previous];
                let Some(operator) = equality_operator(root, &class, before.ty, member.ty) else {
                    root.paths.classes[id].broken = true;
                    return;
                };
                let clause = make_opclause(root.planner.catalog, operator, before.expr.clone(), member.expr.clone());
                let security_level = class.least_security;
                let place = Place { pushed_down: true, security_level, ..Default::default() };
                let made = Rc::new(make_restrictinfo(root, clause, place));
                made.left_class.set(Some(id));
                made.right_class.set(Some(id));
                *previous = at;
                initsplan::distribute_restrictinfo(root, made);
            }
            None => last.push((rel, at)),
        }
    }
    // Any member may be joined by: its columns have to be there.
    if class.rels.len() > 1 {
        for member in &class.members {
            add_vars_to_targets(root, &vars_of(&member.expr), class.rels);
        }
    }
}

/// The condition `left = right` of two members, made once (`create_join_clause`).
fn join_clause(
    root: &mut PlannerInfo,
    id: ClassId,
    operator: Oid,
    left: usize,
    right: usize,
    parent: Option<ClassId>,
) -> R {
    let class = &root.paths.classes[id];
    if let Some((.., made)) = class.derived.iter().find(|(l, r, p, _)| *l == left && *r == right && *p == parent) {
        return made.clone();
    }
    // What was written.
    let (l, r) = (class.members[left].clone(), class.members[right].clone());
    let clause = make_opclause(root.planner.catalog, operator, l.expr, r.expr);
    let place = Place {
        pushed_down: true,
        required: l.rels | r.rels,
        nullable: l.nullable | r.nullable,
        security_level: class.least_security,
        ..Default::default()
    };
    let mut made = make_restrictinfo(root, clause, place);
    made.parent_class = parent;
    let made = Rc::new(made);
    made.left_class.set(Some(id));
    made.right_class.set(Some(id));
    root.paths.classes[id].derived.push((left, right, parent, made.clone()));
    made
}

/// The joins of two sets of relations that classes say (`generate_join_implied_equalities`).
pub fn join_implied_equalities(root: &mut PlannerInfo, join: Rels, outer: Rels, inner: Rels) -> Vec<R> {
    let classes = 0..root.paths.classes.len();
    implied_equalities_of(root, classes, join, outer, inner)
}

/// As [`join_implied_equalities`], of these classes (`generate_join_implied_equalities_for_ecs`).
pub fn implied_equalities_of(
    root: &mut PlannerInfo,
    classes: impl IntoIterator<Item = ClassId>,
    join: Rels,
    outer: Rels,
    inner: Rels,
) -> Vec<R> {
    let mut found = Vec::new();
    for id in classes {
        let class = &root.paths.classes[id];
        if class.merged.is_some()
            || class.has_const
            || class.members.len() <= 1
            || !class.rels.overlaps(outer)
            || !class.rels.overlaps(inner)
        {
            continue;
        }
        let made = if class.broken { None } else { join_equalities_normal(root, id, join, outer, inner) };
        match made {
            Some(made) => found.extend(made),
            None => {
                let class = &mut root.paths.classes[id];
                class.broken = true;
                let usable = |source: &&R| {
                    source.required.is_subset(join)
                        && !source.required.is_subset(outer)
                        && !source.required.is_subset(inner)
                };
                found.extend(class.sources.iter().filter(usable).cloned());
            }
        }
    }
    found
}

fn join_equalities_normal(root: &mut PlannerInfo, id: ClassId, join: Rels, outer: Rels, inner: Rels) -> Option<Vec<R>> {
    let class = &root.paths.classes[id];
    let (mut outers, mut inners, mut both) = (Vec::new(), Vec::new(), Vec::new());
    for (at, member) in class.members.iter().enumerate() {
        if !member.rels.is_subset(join) {
            continue;
        }
        if member.rels.is_subset(outer) {
            outers.push(at);
        } else if member.rels.is_subset(inner) {
            inners.push(at);
        } else {
            both.push(at);
        }
    }
    let mut result = Vec::new();
    if !outers.is_empty() && !inners.is_empty() {
        let mut best: Option<(i32, Oid, usize, usize)> = None;
        'search: for &left in &outers {
            for &right in &inners {
                let (l, r) = (&class.members[left], &class.members[right]);
                let Some(operator) = equality_operator(root, class, l.ty, r.ty) else { continue };
                let simple = |e: &Expr| matches!(crate::path::clauses::strip_relabel(e), Expr::Var(_));
                let hashable = root.planner.catalog.is_hashjoinable(operator, l.ty);
                let score = i32::from(simple(&l.expr)) + i32::from(simple(&r.expr)) + i32::from(hashable);
                if best.is_none_or(|(other, ..)| score > other) {
                    best = Some((score, operator, left, right));
                    if score == 3 {
                        break 'search;
                    }
                }
            }
        }
        let (_, operator, left, right) = best?;
        result.push(join_clause(root, id, operator, left, right, Some(id)));
    }
    // Members over both sides have to be equal to the others too.
    if !both.is_empty() {
        let mut previous = outers.first().or(inners.first()).copied();
        for at in both {
            if let Some(before) = previous {
                let class = &root.paths.classes[id];
                let operator = equality_operator(root, class, class.members[before].ty, class.members[at].ty)?;
                result.push(join_clause(root, id, operator, before, at, None));
            }
            previous = Some(at);
        }
    }
    Some(result)
}

/// Joins by which an index column could be looked up: `matches` says whether a member is the column
/// (`generate_implied_equalities_for_column`).
pub fn implied_equalities_for_column(
    root: &mut PlannerInfo,
    rel: RelId,
    prohibited: Rels,
    matches: &dyn Fn(&PlannerInfo, &EquivalenceClass, &ClassMember) -> bool,
) -> Vec<R> {
    let mut found = Vec::new();
    let relids = root.paths.rels[rel].relids;
    for id in 0..root.paths.classes.len() {
        let class = &root.paths.classes[id];
        if class.merged.is_some() || class.has_const || class.members.len() <= 1 || !class.rels.overlaps(relids) {
            continue;
        }
        let current = class.members.iter().position(|member| member.rels == relids && matches(root, class, member));
        let Some(current) = current else { continue };
        for other in 0..root.paths.classes[id].members.len() {
            let class = &root.paths.classes[id];
            let (mine, theirs) = (&class.members[current], &class.members[other]);
            if other == current
                || theirs.rels.is_empty()
                || theirs.rels.overlaps(relids)
                || theirs.rels.overlaps(prohibited)
            {
                continue;
            }
            if let Some(operator) = equality_operator(root, class, mine.ty, theirs.ty) {
                found.push(join_clause(root, id, operator, current, other, Some(id)));
            }
        }
    }
    found
}

/// Does a class join these sets (`have_relevant_eclass_joinclause`)?
pub fn have_relevant_join(root: &PlannerInfo, one: Rels, two: Rels) -> bool {
    root.paths.has_eclass_joins
        && root.paths.classes.iter().any(|class| {
            class.merged.is_none()
                && !class.has_const
                && class.members.len() > 1
                && class.rels.overlaps(one)
                && class.rels.overlaps(two)
                && !class.rels.is_subset(one)
        })
}

/// Would an order by this class help joins of the relation (`eclass_useful_for_merging`)?
pub fn useful_for_merging(root: &PlannerInfo, id: ClassId, rel: &RelOptInfo) -> bool {
    let class = &root.paths.classes[root.paths.canonical(id)];
    !class.has_const
        && class.members.len() > 1
        && !class.rels.is_subset(rel.relids)
        && class.members.iter().any(|member| !member.rels.is_empty() && !member.rels.overlaps(rel.relids))
}

/// The classes of a merge clause's sides (`initialize_mergeclause_eclasses`).
pub fn initialize_classes(root: &mut PlannerInfo, clause: &R) {
    let Some((left, right)) = sides(clause) else { return };
    let Expr::OpExpr(op) = &clause.clause else { return };
    let (left, right, (left_ty, right_ty)) = (left.clone(), right.clone(), operand_types(root, op.operator));
    let families = clause.merge_families.clone();
    clause.left_class.set(class_for_sort(root, &left, &families, left_ty, (0, false), true));
    clause.right_class.set(class_for_sort(root, &right, &families, right_ty, (0, false), true));
}

/// The classes as they are when none becomes a part of another any more (`update_mergeclause_eclasses`).
pub fn update_classes(root: &PlannerInfo, clause: &R) {
    for class in [&clause.left_class, &clause.right_class] {
        class.set(class.get().map(|id| root.paths.canonical(id)));
    }
}

/// Passes constants over outer joins: `a = 1` and `a LEFT JOIN b ON a = b` say `b = 1` inside of the join
/// (`reconsider_outer_join_clauses`).
pub fn reconsider_outer_join_clauses(root: &mut PlannerInfo) {
    loop {
        let mut found = false;
        for left in [true, false] {
            let list = std::mem::take(if left { &mut root.paths.left_clauses } else { &mut root.paths.right_clauses });
            let mut kept = Vec::new();
            for clause in list {
                if reconsider_one(root, &clause, left) {
                    found = true;
                    give_back(root, &clause);
                } else {
                    kept.push(clause);
                }
            }
            *(if left { &mut root.paths.left_clauses } else { &mut root.paths.right_clauses }) = kept;
        }
        if !found {
            break;
        }
    }
    let rest: Vec<OuterJoinClause> = std::mem::take(&mut root.paths.left_clauses)
        .into_iter()
        .chain(std::mem::take(&mut root.paths.right_clauses))
        .chain(std::mem::take(&mut root.paths.full_clauses))
        .collect();
    for clause in rest {
        initsplan::distribute_restrictinfo(root, clause.clause);
    }
}

/// The clause holds for all rows that the join sees: what is left of it is that it joins these relations.
fn give_back(root: &mut PlannerInfo, clause: &OuterJoinClause) {
    let known = &clause.clause;
    let (pushed_down, security_level) = (known.pushed_down, known.security_level);
    let (required, outer) = (known.required, known.outer);
    let place = Place { pushed_down, required, outer, security_level, ..Default::default() };
    let made = make_restrictinfo(root, crate::manip::make_bool_const(true), place);
    initsplan::distribute_restrictinfo(root, Rc::new(made));
}

fn reconsider_one(root: &mut PlannerInfo, outer_clause: &OuterJoinClause, outer_on_left: bool) -> bool {
    let clause = &outer_clause.clause;
    let Expr::OpExpr(op) = &clause.clause else { return false };
    let Some((left, right)) = sides(clause) else { return false };
    let (left_ty, right_ty) = operand_types(root, op.operator);
    let ((outer, outer_ty), (inner, inner_ty), inner_rels) = if outer_on_left {
        ((canonical_expr(left, left_ty), left_ty), (canonical_expr(right, right_ty), right_ty), clause.right)
    } else {
        ((canonical_expr(right, right_ty), right_ty), (canonical_expr(left, left_ty), left_ty), clause.left)
    };
    let families: SmallVec<[Oid; 2]> = clause.merge_families.clone();
    let mut made = false;
    for id in 0..root.paths.classes.len() {
        let class = &root.paths.classes[id];
        if class.merged.is_some() || !class.has_const || class.has_volatile || class.families != families {
            continue;
        }
        // Above an outer join its members may be NULL instead.
        if class.below_outer_join {
            continue;
        }
        if !class.members.iter().any(|member| member.ty == outer_ty && member.expr == outer) {
            continue;
        }
        let constants: Vec<ClassMember> = class.members.iter().filter(|member| member.is_const).cloned().collect();
        for constant in constants {
            let class = &root.paths.classes[id];
            let Some(operator) = equality_operator(root, class, inner_ty, constant.ty) else { continue };
            let equality = make_opclause(root.planner.catalog, operator, inner.clone(), constant.expr.clone());
            let (required, nullable) = (outer_clause.inner, clause.nullable & inner_rels);
            let security_level = class.least_security;
            let place = Place { pushed_down: true, required, nullable, security_level, ..Default::default() };
            let equality = Rc::new(make_restrictinfo(root, equality, place));
            if required != inner_rels {
                // It holds above the outer joins within that side, where a class would have it below.
                initsplan::distribute_restrictinfo(root, equality);
                made = true;
            } else if process_equivalence(root, &equality, nullable, true) {
                made = true;
            }
        }
        break;
    }
    made
}
