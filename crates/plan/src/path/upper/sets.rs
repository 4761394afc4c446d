//! Functions that return sets among the targets of a step. Each is computed by a ProjectSet whose targets are such calls and
//! what needs no call; those within others' arguments have a ProjectSet of their own below (`split_pathtarget_at_srfs`).

use std::rc::Rc;

use analyze::query::*;

use crate::path::cost::costsize;
use crate::path::pathnode;
use crate::path::state::*;
use crate::planner_info::PlannerInfo;

/// The targets of one node of a step.
pub struct Level {
    pub target: Rc<PathTarget>,
    /// It computes sets.
    sets: bool,
}

/// An expression that a level gives, with its reference.
type Item = (Expr, u32);

/// What a level computes, and what it needs for that.
#[derive(Default)]
struct Parts {
    sets: Vec<Item>,
    columns: Vec<Item>,
    /// Sets of levels below.
    below: Vec<Item>,
}

struct Splitting<'i> {
    /// What is computed before.
    input: &'i [Expr],
    /// By how many calls are within each other.
    levels: Vec<Parts>,
    /// What the expression is made of that is looked at.
    columns: Vec<Item>,
    sets: Vec<Item>,
    depth: usize,
}

/// The nodes that compute targets out of `input` (without: out of columns), the first without sets.
pub fn split(root: &PlannerInfo, target: &Rc<PathTarget>, input: Option<&PathTarget>) -> Vec<Level> {
    let whole = |sets| Level { target: target.clone(), sets };
    if !root.query.has_target_sets || !target.exprs.iter().any(Expr::returns_set) {
        return vec![whole(false)];
    }
    let input = input.map_or(&[][..], |input| &input.exprs);
    let none = Vec::new;
    let mut state = Splitting { input, levels: vec![Parts::default()], columns: none(), sets: none(), depth: 0 };
    let (mut deepest, mut computes_more) = (0, false);
    for (at, expr) in target.exprs.iter().enumerate() {
        state.depth = 0;
        state.look(expr, target.reference(at));
        if state.depth > deepest {
            (deepest, computes_more) = (state.depth, false);
        }
        computes_more |= deepest > 0 && state.depth == deepest && !is_set(expr);
    }
    if deepest == 0 {
        return vec![whole(false)];
    }
    let Splitting { mut levels, columns, sets, .. } = state;
    if computes_more {
        levels.push(Parts::default());
    }
    if let Some(last) = levels.last_mut() {
        last.columns.extend(columns);
        last.below.extend(sets);
    }
    let mut made: Vec<Level> = Vec::new();
    for at in 0..levels.len() {
        let sets = !levels[at].sets.is_empty();
        if at + 1 == levels.len() {
            made.push(whole(sets));
            break;
        }
        let mut next = PathTarget::default();
        levels[at].sets.iter().for_each(|item| add(&mut next, item));
        for later in &levels[at + 1..] {
            later.columns.iter().for_each(|item| add(&mut next, item));
        }
        let before = made.last().map_or(&[][..], |level| &level.target.exprs);
        for later in &levels[at + 1..] {
            later.below.iter().filter(|(expr, _)| before.contains(expr)).for_each(|item| add(&mut next, item));
        }
        costsize::set_target_cost(root, &mut next);
        made.push(Level { target: Rc::new(next), sets });
    }
    made
}

impl Splitting<'_> {
    fn look(&mut self, expr: &Expr, reference: u32) {
        let column = matches!(expr, Expr::Var(_) | Expr::Aggref(_) | Expr::GroupingFunc(_) | Expr::WindowFunc(_));
        if column || self.input.contains(expr) {
            self.columns.push((expr.clone(), reference));
            return;
        }
        if !is_set(expr) {
            return self.look_inside(expr);
        }
        let (columns, sets) = (std::mem::take(&mut self.columns), std::mem::take(&mut self.sets));
        let depth = std::mem::take(&mut self.depth);
        self.look_inside(expr);
        let own = self.depth + 1;
        if self.levels.len() <= own {
            self.levels.resize_with(own + 1, Parts::default);
        }
        let level = &mut self.levels[own];
        level.sets.push((expr.clone(), reference));
        level.columns.append(&mut self.columns);
        level.below.append(&mut self.sets);
        (self.columns, self.sets, self.depth) = (columns, sets, depth.max(own));
        self.sets.push((expr.clone(), reference));
    }

    fn look_inside(&mut self, expr: &Expr) {
        expr.walk(
            &mut |child| {
                self.look(child, 0);
                Walk::On
            },
            &mut |_| Walk::On,
        );
    }
}

fn is_set(expr: &Expr) -> bool {
    matches!(expr, Expr::FuncExpr(call) if call.returns_set)
}

/// Unless it is there by this reference, or by none.
fn add(target: &mut PathTarget, (expr, reference): &Item) {
    let fits = |known: u32| known == *reference || known == 0 || *reference == 0;
    let known = (0..target.exprs.len()).find(|&at| target.exprs[at] == *expr && fits(target.reference(at)));
    match known {
        None => target.push(expr.clone(), *reference),
        Some(at) if *reference != 0 => {
            target.references.resize(target.exprs.len(), 0);
            target.references[at] = *reference;
        }
        Some(_) => {}
    }
}

/// A path that gives the last of a step's targets.
pub fn project(root: &PlannerInfo, path: &P, levels: &[Level]) -> P {
    levels.iter().fold(path.clone(), |path, level| match level.sets {
        true => pathnode::project_set(root, &path, &level.target),
        false => pathnode::project(root, &path, &level.target),
    })
}
