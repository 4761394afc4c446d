//! A semijoin's right side without duplicates (PostgreSQL's `create_unique_path`).

use std::rc::Rc;

use crate::path::cost::costsize;
use crate::path::cost::costsize::{AggCosts, AggInput, Costs};
use crate::path::estimate::selfuncs;
use crate::path::state::*;
use crate::plan::AggStrategy;
use crate::planner_info::PlannerInfo;

/// The relation's rows, each combination of the join's columns once. `None`: that cannot be done.
pub fn unique_path(root: &mut PlannerInfo, rel: RelId, child: &P, join: &SpecialJoinInfo) -> Option<P> {
    if let Some(known) = &root.paths.rels[rel].cheapest_unique {
        return known.clone();
    }
    let made = make(root, rel, child, join);
    root.paths.rels[rel].cheapest_unique = Some(made.clone());
    made
}

fn make(root: &mut PlannerInfo, rel: RelId, child: &P, join: &SpecialJoinInfo) -> Option<P> {
    if !(join.can_btree || join.can_hash) || child.param.is_some() || join.syn_right != root.paths.rels[rel].relids {
        return None;
    }
    let rows = root.paths.rels[rel].rows;
    let groups = selfuncs::estimate_num_groups(root, &join.semi_exprs, rows);
    let settings = root.planner.settings;
    let keys = join.semi_exprs.len() as f64;
    let width = child.target.width;
    let hashed = join.can_hash && costsize::hash_entry_size(0.0, width, 0.0) * groups <= costsize::hash_mem(settings);
    let input = Costs::of(child);
    let sort = join.can_btree.then(|| {
        let mut sorted = costsize::cost_sort(settings, input, rows, width, -1.0);
        sorted.total += settings.cpu_operator_cost * rows * keys;
        sorted
    });
    let hash = hashed.then(|| {
        let agg =
            AggInput { strategy: AggStrategy::Hashed, costs: AggCosts::default(), keys, groups, input, rows, width };
        costsize::cost_agg(root, agg, &[]).0
    });
    let (costs, hashed) = match (sort, hash) {
        (Some(sort), Some(hash)) if hash.total < sort.total => (hash, true),
        (Some(sort), _) => (sort, false),
        (None, Some(hash)) => (hash, true),
        (None, None) => return None,
    };
    Some(Rc::new(Path {
        node: PathNode::Unique {
            child: child.clone(),
            hashed,
            exprs: join.semi_exprs.clone(),
            operators: join.semi_operators.clone(),
        },
        rel,
        target: child.target.clone(),
        param: None,
        rows: groups,
        disabled: costs.disabled,
        startup: costs.startup,
        total: costs.total,
        pathkeys: PathKeys::new(),
    }))
}
