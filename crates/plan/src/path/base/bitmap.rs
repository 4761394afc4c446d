//! Bitmaps: the rows that indexes lead to are gathered first, those of several indexes put together by AND and OR, and then read
//! in the order of the table (the bitmaps' part of PostgreSQL's `indxpath.c` and `costsize.c`).

use std::rc::Rc;

use analyze::query::{BoolOperator, Expr};

use crate::manip;
use crate::path::base::indxpath;
use crate::path::cost::costsize;
use crate::path::cost::costsize::Costs;
use crate::path::estimate::selfuncs::clamp_rows;
use crate::path::join::restrictinfo::{Place, make_restrictinfo, shared};
use crate::path::pathnode;
use crate::path::pathnode::FUZZ;
use crate::path::predtest;
use crate::path::state::*;
use crate::plancat::PageCosts;
use crate::planner_info::PlannerInfo;

impl BitmapPath {
    pub fn selectivity(&self) -> f64 {
        match self {
            BitmapPath::Index(path) => path.selectivity,
            BitmapPath::And(parts) | BitmapPath::Or(parts) => parts.selectivity,
        }
    }

    /// What it costs to have it (`cost_bitmap_tree_node`).
    fn cost(&self, root: &PlannerInfo, rel: RelId) -> f64 {
        match self {
            // A little for each row that is put into it.
            BitmapPath::Index(path) => {
                path.index_cost + 0.1 * root.planner.settings.cpu_operator_cost * root.paths.rels[rel].rows
            }
            BitmapPath::And(parts) | BitmapPath::Or(parts) => parts.cost,
        }
    }

    /// The conditions that its indexes look up and their predicates, each by itself (`find_indexpath_quals`).
    fn quals(&self) -> Vec<Expr> {
        match self {
            BitmapPath::Index(_) => self.conditions(),
            BitmapPath::And(parts) | BitmapPath::Or(parts) => {
                each_once(parts.parts.iter().flat_map(|part| part.quals()))
            }
        }
    }

    /// The conditions, as they were written, whose rows are in it, and indexes' predicates.
    pub fn conditions(&self) -> Vec<Expr> {
        self.exprs(&|clause| vec![clause.clause.clause.clone()])
    }

    /// What all rows in it satisfy: of a condition that indexes find too many rows for, what they are asked instead.
    pub fn found(&self) -> Vec<Expr> {
        self.exprs(&|clause| match clause.lossy {
            true => clause.quals.iter().map(|qual| qual.expr.clone()).collect(),
            false => vec![clause.clause.clause.clone()],
        })
    }

    fn exprs(&self, of_clause: &dyn Fn(&IndexClause) -> Vec<Expr>) -> Vec<Expr> {
        let all: Vec<Expr> = match self {
            BitmapPath::Index(path) => {
                path.clauses.iter().flat_map(of_clause).chain(path.index.predicate.iter().cloned()).collect()
            }
            BitmapPath::And(parts) => parts.parts.iter().flat_map(|part| part.exprs(of_clause)).collect(),
            BitmapPath::Or(parts) => {
                let each = parts.parts.iter().map(|part| manip::make_and(part.exprs(of_clause)));
                let each = each.collect::<Option<Vec<Expr>>>();
                return each.and_then(|each| manip::make_bool(BoolOperator::Or, each)).into_iter().collect();
            }
        };
        each_once(all)
    }
}

fn each_once(exprs: impl IntoIterator<Item = Expr>) -> Vec<Expr> {
    let mut found: Vec<Expr> = Vec::new();
    for expr in exprs {
        if !found.contains(&expr) {
            found.push(expr);
        }
    }
    found
}

/// The path by the best bitmap of those that single indexes give, and ORs (`create_index_paths`).
pub fn create_bitmap_path(root: &mut PlannerInfo, rel: RelId, indexes: Vec<IndexPath>) {
    let known = &root.paths.rels[rel];
    // Rows of catalogs are in no table.
    let of_catalog = known.indexes.iter().any(|index| index.info.table < catalog::FIRST_NORMAL_OBJECT_ID);
    if known.indexes.is_empty() || of_catalog || !known.lateral.is_empty() {
        return;
    }
    let mut bitmaps: Vec<Rc<BitmapPath>> = indexes.into_iter().map(|path| Rc::new(BitmapPath::Index(path))).collect();
    if cannot_pay(root, rel, &bitmaps) {
        return;
    }
    let conditions = root.paths.rels[rel].conditions.clone();
    bitmaps.extend(or_bitmaps(root, rel, &conditions, &[]));
    let Some(bitmap) = choose(root, rel, bitmaps) else { return };
    let costs = heap_cost(root, rel, &bitmap);
    let known = &root.paths.rels[rel];
    let path = Rc::new(Path {
        node: PathNode::BitmapHeap(bitmap),
        rel,
        target: known.target.clone(),
        param: None,
        rows: known.rows,
        disabled: costs.disabled,
        startup: costs.startup,
        total: costs.total,
        pathkeys: PathKeys::new(),
    });
    pathnode::add_to(root, rel, path);
}

/// Whether these bitmaps, and all that may be made of them, cost more than a path that there is. Most statements look one row
/// up, and are planned sooner for it.
fn cannot_pay(root: &PlannerInfo, rel: RelId, bitmaps: &[Rc<BitmapPath>]) -> bool {
    let known = &root.paths.rels[rel];
    if known.conditions.iter().any(|clause| manip::is_or(&clause.clause)) {
        return false;
    }
    let plain = known.paths.iter().filter(|path| path.param.is_none() && path.disabled == 0);
    let Some(best) = plain.map(|path| path.total).min_by(f64::total_cmp) else { return false };
    let mut costs: Vec<f64> = bitmaps.iter().map(|bitmap| bitmap.cost(root, rel)).collect();
    costs.sort_by(f64::total_cmp);
    // Two at least are put together.
    let together = costs.iter().take(2).sum::<f64>() + known.page_costs.sequential;
    (costs.len() < 2 || together * FUZZ >= best)
        && bitmaps.iter().all(|bitmap| heap_cost(root, rel, bitmap).total * FUZZ >= best)
}

/// For each OR whose parts all find a bitmap, the OR of these (`generate_bitmap_or_paths`). `others` hold as well.
fn or_bitmaps(root: &PlannerInfo, rel: RelId, clauses: &[R], others: &[R]) -> Vec<Rc<BitmapPath>> {
    let all: Vec<R> = clauses.iter().chain(others).cloned().collect();
    let ors = clauses.iter().filter(|clause| manip::is_or(&clause.clause) && !clause.pseudoconstant);
    ors.filter_map(|or| or_bitmap(root, rel, or, &all)).collect()
}

fn or_bitmap(root: &PlannerInfo, rel: RelId, clause: &R, all: &[R]) -> Option<Rc<BitmapPath>> {
    let Expr::BoolExpr(expr) = &clause.clause else { return None };
    let of_part = |part: &Expr| {
        let place = Place { pushed_down: true, security_level: clause.security_level, ..Place::default() };
        let conditions = manip::and_slice(part).iter();
        let conditions: Vec<R> =
            conditions.map(|condition| shared(make_restrictinfo(root, condition.clone(), place))).collect();
        let mut found: Vec<Rc<BitmapPath>> = Vec::new();
        for path in indxpath::paths_of_part(root, rel, &conditions, all) {
            found.push(Rc::new(BitmapPath::Index(path)));
        }
        found.extend(or_bitmaps(root, rel, &conditions, all));
        choose(root, rel, found)
    };
    let parts = expr.arguments.iter().map(of_part).collect::<Option<Vec<_>>>()?;
    Some(Rc::new(or(root, rel, parts)))
}

/// The rows that are in all parts (`cost_bitmap_and_node`).
fn and(root: &PlannerInfo, rel: RelId, parts: Vec<Rc<BitmapPath>>) -> BitmapPath {
    let selectivity = parts.iter().map(|part| part.selectivity()).product();
    let more = (parts.len() - 1) as f64;
    let cost = cost_of_parts(root, rel, &parts, more);
    BitmapPath::And(Parts { parts, cost, selectivity })
}

/// Those that are in one of them (`cost_bitmap_or_node`).
fn or(root: &PlannerInfo, rel: RelId, parts: Vec<Rc<BitmapPath>>) -> BitmapPath {
    let selectivity = parts.iter().map(|part| part.selectivity()).sum::<f64>().min(1.0);
    // An index adds its rows to what there is.
    let more = parts.iter().skip(1).filter(|part| !matches!(***part, BitmapPath::Index(_))).count();
    let cost = cost_of_parts(root, rel, &parts, more as f64);
    BitmapPath::Or(Parts { parts, cost, selectivity })
}

/// `operations`: how often two bitmaps become one.
fn cost_of_parts(root: &PlannerInfo, rel: RelId, parts: &[Rc<BitmapPath>], operations: f64) -> f64 {
    let parts = parts.iter().map(|part| part.cost(root, rel)).sum::<f64>();
    parts + operations * 100.0 * root.planner.settings.cpu_operator_cost
}

/// The best one, or the best of them together (`choose_bitmap_and`).
fn choose(root: &PlannerInfo, rel: RelId, bitmaps: Vec<Rc<BitmapPath>>) -> Option<Rc<BitmapPath>> {
    struct Candidate {
        bitmap: Rc<BitmapPath>,
        quals: Vec<Expr>,
        cost: f64,
    }
    // The cheapest of those that look the same conditions up, whether by AND or by OR, as PostgreSQL counts.
    let mut candidates: Vec<Candidate> = Vec::new();
    for bitmap in bitmaps {
        let (quals, cost) = (bitmap.quals(), bitmap.cost(root, rel));
        let same = |other: &&mut Candidate| {
            other.quals.len() == quals.len() && quals.iter().all(|one| other.quals.contains(one))
        };
        match candidates.iter_mut().find(same) {
            Some(other) if cost < other.cost => *other = Candidate { bitmap, quals, cost },
            Some(_) => {}
            None => candidates.push(Candidate { bitmap, quals, cost }),
        }
    }
    let key = |candidate: &Candidate| (candidate.cost, candidate.bitmap.selectivity());
    candidates.sort_by(|a, b| key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal));
    let mut best: Option<(Rc<BitmapPath>, f64)> = None;
    for first in 0..candidates.len() {
        let mut parts = vec![candidates[first].bitmap.clone()];
        let mut known = candidates[first].quals.clone();
        let mut bitmap = parts[0].clone();
        let mut cost = heap_cost(root, rel, &bitmap).total;
        for other in &candidates[first + 1..] {
            // A condition counts once, and one that others imply not at all.
            let asked: Vec<&Expr> = known.iter().collect();
            if other.quals.iter().any(|qual| known.contains(qual)) || predtest::implied_by(root, &other.quals, &asked) {
                continue;
            }
            parts.push(other.bitmap.clone());
            let both = Rc::new(and(root, rel, parts.clone()));
            let new_cost = heap_cost(root, rel, &both).total;
            if new_cost < cost {
                known.extend(other.quals.iter().cloned());
                (bitmap, cost) = (both, new_cost);
            } else {
                parts.pop();
            }
        }
        if best.as_ref().is_none_or(|(_, least)| cost < *least) {
            best = Some((bitmap, cost));
        }
    }
    best.map(|(bitmap, _)| bitmap)
}

/// A bitmap's entries for blocks and what it takes in memory for one, as PostgreSQL counts them.
const ENTRY_BYTES: f64 = 64.0;

/// `cost_bitmap_heap_scan`, `compute_bitmap_pages`.
fn heap_cost(root: &PlannerInfo, rel: RelId, bitmap: &BitmapPath) -> Costs {
    let (settings, known) = (root.planner.settings, &root.paths.rels[rel]);
    let total = known.pages.max(1.0);
    let mut tuples = clamp_rows(bitmap.selectivity() * known.tuples);
    let fetched = (2.0 * total * tuples) / (2.0 * total + tuples);
    let (heap_pages, most) = (fetched.min(known.pages), (settings.work_mem * 1024.0 / ENTRY_BYTES).max(16.0).floor());
    let pages = if fetched >= total { total } else { fetched.ceil() };
    if most < heap_pages {
        // Of blocks that lose their rows all rows are looked at.
        let lossy = (heap_pages - most / 2.0).max(0.0);
        let exact = heap_pages - lossy;
        if lossy > 0.0 {
            let part = exact / heap_pages;
            tuples = clamp_rows(bitmap.selectivity() * part * known.tuples + lossy / heap_pages * known.tuples);
        }
    }
    let PageCosts { sequential, random } = known.page_costs;
    let per_page = if pages >= 2.0 { random - (random - sequential) * (pages / total).sqrt() } else { random };
    let quals = costsize::restrict_cost(root, &known.conditions);
    let startup = bitmap.cost(root, rel) + quals.startup + known.target.cost.startup;
    let cpu = (settings.cpu_tuple_cost + quals.per_tuple) * tuples + known.target.cost.per_tuple * known.rows;
    let disabled = u32::from(!settings.enable_bitmapscan);
    Costs { startup, total: startup + pages * per_page + cpu, disabled }
}
