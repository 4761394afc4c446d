//! The relations of a query and their paths (PostgreSQL's `planmain.c`, `relnode.c`, `allpaths.c`).

use std::rc::Rc;

use analyze::query::*;
use error::sqlstate;
use types::Result;

use crate::path::base::{indxpath, subquery};
use crate::path::cost::costsize;
use crate::path::cost::costsize::Costs;
use crate::path::estimate::clausesel;
use crate::path::estimate::clausesel::For;
use crate::path::estimate::selfuncs;
use crate::path::estimate::selfuncs::clamp_rows;
use crate::path::join::initsplan;
use crate::path::join::initsplan::JoinList;
use crate::path::join::restrictinfo::is_promotable;
use crate::path::join::{equivclass, joinpath, joinrels, orclauses};
use crate::path::pathnode;
use crate::path::relset::Rels;
use crate::path::state::*;
use crate::plancat;
use crate::plancat::PageCosts;
use crate::planner_info::{PlannerGlobal, PlannerInfo, unsupported};

impl<'a> RelOptInfo<'a> {
    pub fn new(relids: Rels, relation: RangeTableIndex) -> RelOptInfo<'a> {
        RelOptInfo {
            least_security: u32::MAX,
            relids,
            relation,
            is_join: false,
            rows: 0.0,
            target: Rc::default(),
            conditions: Vec::new(),
            condition_cost: QualCost::default(),
            join_clauses: Vec::new(),
            has_eclass_joins: false,
            paths: Vec::new(),
            cheapest_startup: None,
            cheapest_total: None,
            cheapest_unique: None,
            cheapest_parameterized: Vec::new(),
            param_infos: Vec::new(),
            dummy: false,
            consider_startup: false,
            consider_param_startup: false,
            direct_lateral: Rels::EMPTY,
            lateral: Rels::EMPTY,
            lateral_referencers: Rels::EMPTY,
            lateral_vars: Vec::new(),
            needed: Vec::new(),
            table: None,
            pages: 0.0,
            tuples: 0.0,
            all_visible: 0.0,
            page_costs: PageCosts::default(),
            indexes: Vec::new(),
            subroot: None,
            sub_params: Vec::new(),
            cte: 0,
            unique_for: Vec::new(),
            non_unique_for: Vec::new(),
        }
    }
}

/// The paths of FROM and WHERE; `keys` finds the orders that are asked for, when equalities are known
/// (`query_planner`).
pub fn query_planner<'a>(
    global: &mut PlannerGlobal<'a>,
    root: &mut PlannerInfo<'a>,
    keys: &dyn Fn(&mut PlannerInfo<'a>),
) -> Result<RelId> {
    root.paths.base = vec![None; root.query.range_table.len() + 1];
    let relations = relations_of(&root.query.join_tree);
    if relations.is_empty() {
        return Ok(no_relations(root, keys));
    }
    if relations.iter().any(|relation| relation.0 > Rels::MOST) {
        return Err(unsupported("a query of more than 255 relations"));
    }
    for relation in relations {
        build_base_rel(root, relation)?;
    }
    initsplan::build_base_targets(root);
    initsplan::lateral_references(root);
    let list = initsplan::deconstruct_jointree(root)?;
    equivclass::reconsider_outer_join_clauses(root);
    equivclass::generate_base_implied_equalities(root);
    keys(root);
    let join_clauses: Vec<R> = root.paths.rels.iter().flat_map(|rel| rel.join_clauses.iter().cloned()).collect();
    join_clauses.iter().for_each(|clause| equivclass::update_classes(root, clause));
    orclauses::extract_restriction_or_clauses(root);
    indexes_usable(root);
    joinpath::reduce_unique_semijoins(root);
    make_one_rel(global, root, &list)
}

/// Which partial indexes may be used is known before it is asked what is unique.
fn indexes_usable(root: &mut PlannerInfo) {
    let bases: Vec<RelId> = root.paths.base.iter().flatten().copied().collect();
    bases.into_iter().for_each(|rel| indxpath::check_index_predicates(root, rel));
}

/// The entries of a join tree.
fn relations_of(from: &FromExpr) -> Vec<RangeTableIndex> {
    let mut found = Vec::new();
    let mut trees: Vec<&JoinTree> = from.from.iter().rev().collect();
    while let Some(tree) = trees.pop() {
        match tree {
            JoinTree::Relation(relation) => found.push(*relation),
            JoinTree::Join(join) => trees.extend([&join.right, &join.left]),
            JoinTree::From(from) => trees.extend(from.from.iter().rev()),
        }
    }
    found
}

/// One row, if WHERE lets it through.
fn no_relations<'a>(root: &mut PlannerInfo<'a>, keys: &dyn Fn(&mut PlannerInfo<'a>)) -> RelId {
    let rel = RelOptInfo::new(Rels::EMPTY, RangeTableIndex(0));
    root.paths.rels.push(rel);
    let id = root.paths.rels.len() - 1;
    let conditions: Vec<Expr> = root
        .query
        .join_tree
        .condition
        .iter()
        .flat_map(|condition| crate::manip::and_slice(condition).to_vec())
        .collect();
    keys(root);
    add_result_path(root, id, conditions);
    pathnode::set_cheapest(root, id);
    id
}

fn add_result_path(root: &mut PlannerInfo, rel: RelId, conditions: Vec<Expr>) {
    let cost = costsize::qual_cost(root, &conditions);
    let known = &mut root.paths.rels[rel];
    known.rows = 1.0;
    known.tuples = 1.0;
    let never = conditions.iter().any(crate::path::clauses::is_false);
    let target = known.target.clone();
    let startup = cost.startup + cost.per_tuple;
    let path = Path {
        node: PathNode::Result { child: None, one_time: conditions },
        rel,
        target,
        param: None,
        rows: if never { 0.0 } else { 1.0 },
        disabled: 0,
        startup,
        total: startup + root.planner.settings.cpu_tuple_cost,
        pathkeys: PathKeys::new(),
    };
    pathnode::add_to(root, rel, Rc::new(path));
}

/// `build_simple_rel`.
fn build_base_rel(root: &mut PlannerInfo, relation: RangeTableIndex) -> Result<()> {
    let mut rel = RelOptInfo::new(Rels::of(relation), relation);
    rel.consider_startup = root.paths.tuple_fraction > 0.0;
    if let RangeTableKind::Relation { oid, .. } = root.query.entry(relation).kind {
        let planner = root.planner;
        let info = plancat::relation_info(planner.catalog, planner.statistics, planner.relations, oid)?;
        rel.pages = info.pages;
        rel.tuples = info.rows;
        rel.all_visible = info.all_visible;
        rel.page_costs = planner.statistics.page_costs(oid, planner.settings.page_costs());
        let indexes = info.indexes.iter().map(|index| index_of(root, relation, index).map(Rc::new));
        rel.indexes = indexes.collect::<Result<_>>()?;
        root.paths.total_pages += info.pages;
        rel.table = Some(Rc::new(info));
    }
    root.paths.rels.push(rel);
    root.paths.base[relation.0 as usize] = Some(root.paths.rels.len() - 1);
    root.paths.all |= Rels::of(relation);
    Ok(())
}

/// An index over an entry of the query. Its expressions are made as simple as the query's, so that they are found in it.
fn index_of(
    root: &PlannerInfo,
    relation: RangeTableIndex,
    info: &std::sync::Arc<plancat::IndexInfo>,
) -> Result<IndexOptInfo> {
    let columns = &root.query.entry(relation).columns;
    let moved = |expr: &Expr| {
        let mut expr = expr.clone();
        root.planner.fold(&mut expr)?;
        crate::manip::mutate(&mut crate::manip::Renumber(|_| relation), &mut expr, 0);
        Ok(expr)
    };
    let exprs = info.columns.iter().map(|column| match &column.expr {
        Some(expr) => moved(expr),
        None => Ok(Expr::Var(Var {
            relation,
            attribute: column.attribute,
            ty: columns.get(column.attribute as usize - 1).map_or(TypeRef::of(column.class_type), |column| column.ty),
            collation: Collation::NONE,
            levels_up: 0,
            location: Location::NONE,
        })),
    });
    let columns = exprs.collect::<Result<_>>()?;
    let predicate = info.predicate.as_ref().map(|predicate| moved(predicate).map(crate::prep::qual::canonicalize));
    Ok(IndexOptInfo {
        columns,
        predicate: predicate.transpose()?.map_or_else(Vec::new, crate::manip::and_list),
        usable: info.predicate.is_none(),
        conditions: Vec::new(),
        random_page_cost: root.planner.statistics.page_costs(info.oid, root.planner.settings.page_costs()).random,
        info: info.clone(),
    })
}

/// `make_one_rel`.
fn make_one_rel<'a>(global: &mut PlannerGlobal<'a>, root: &mut PlannerInfo<'a>, list: &JoinList) -> Result<RelId> {
    let bases: Vec<RelId> = root.paths.base.iter().flatten().copied().collect();
    for &rel in &bases {
        let joined_late = root.paths.join_info.iter().any(|join| {
            matches!(join.kind, crate::plan::JoinKind::Semi | crate::plan::JoinKind::Anti)
                && join.syn_right == root.paths.rels[rel].relids
        });
        root.paths.rels[rel].consider_param_startup = joined_late;
        set_size(global, root, rel)?;
    }
    for &rel in &bases {
        set_paths(root, rel)?;
        pathnode::set_cheapest(root, rel);
    }
    joinrels::make_rel(root, list)
}

/// Widths of a base relation's columns, and the rows that its conditions let through (`set_baserel_size_estimates`).
pub fn set_size_estimates(root: &mut PlannerInfo, rel: RelId) {
    let mut target = (*root.paths.rels[rel].target).clone();
    costsize::set_target_cost(root, &mut target);
    let conditions = root.paths.rels[rel].conditions.clone();
    let selectivity = clausesel::clauselist(root, &conditions, For::rel(RangeTableIndex(0)));
    let cost = costsize::restrict_cost(root, &conditions);
    let known = &mut root.paths.rels[rel];
    known.rows = clamp_rows(known.tuples * selectivity);
    known.condition_cost = cost;
    known.target = Rc::new(target);
}

/// `set_rel_size`.
fn set_size<'a>(global: &mut PlannerGlobal<'a>, root: &mut PlannerInfo<'a>, rel: RelId) -> Result<()> {
    let relation = root.paths.rels[rel].relation;
    if root.paths.rels[rel].conditions.iter().any(|clause| crate::path::clauses::is_false(&clause.clause)) {
        set_size_estimates(root, rel);
        pathnode::mark_dummy(root, rel);
        if matches!(root.query.entry(relation).kind, RangeTableKind::Subquery(_)) {
            return Ok(());
        }
        return Ok(());
    }
    match &root.query.entry(relation).kind {
        RangeTableKind::Relation { sample, .. } => {
            if sample.is_some() {
                return Err(unsupported("TABLESAMPLE"));
            }
            set_size_estimates(root, rel);
        }
        RangeTableKind::Subquery(_) => {
            subquery::plan_subquery(global, root, rel)?;
            set_size_estimates(root, rel);
        }
        RangeTableKind::Function { functions, .. } => {
            let rows = functions.iter().map(|f| selfuncs::function_rows(root, &f.call)).fold(0.0, f64::max);
            root.paths.rels[rel].tuples = rows;
            set_size_estimates(root, rel);
        }
        RangeTableKind::Values { rows } => {
            root.paths.rels[rel].tuples = rows.len() as f64;
            set_size_estimates(root, rel);
        }
        RangeTableKind::Cte { .. } => {
            subquery::cte_size(global, root, rel)?;
            set_size_estimates(root, rel);
        }
        RangeTableKind::Result => {
            root.paths.rels[rel].tuples = 1.0;
            set_size_estimates(root, rel);
        }
        RangeTableKind::Join { .. } => {
            return Err(types::Error::new(sqlstate::INTERNAL_ERROR, "a join's entry is no relation"));
        }
    }
    Ok(())
}

/// `set_rel_pathlist`.
fn set_paths(root: &mut PlannerInfo, rel: RelId) -> Result<()> {
    if root.paths.rels[rel].dummy {
        return Ok(());
    }
    let relation = root.paths.rels[rel].relation;
    match &root.query.entry(relation).kind {
        RangeTableKind::Relation { .. } => {
            plain_paths(root, rel);
            Ok(())
        }
        RangeTableKind::Subquery(_) => subquery::subquery_paths(root, rel),
        RangeTableKind::Function { ordinality, .. } => {
            let ordinality = *ordinality;
            function_path(root, rel, ordinality);
            Ok(())
        }
        RangeTableKind::Values { rows } => {
            let cost = root.planner.settings.cpu_operator_cost * rows.first().map_or(0, |_| 1) as f64;
            scan_path(root, rel, PathNode::Values, cost, 0.0);
            Ok(())
        }
        RangeTableKind::Cte { self_reference, .. } => {
            let node = if *self_reference { PathNode::WorkTable } else { PathNode::Cte };
            let cost = root.planner.settings.cpu_tuple_cost;
            scan_path(root, rel, node, cost, 0.0);
            Ok(())
        }
        _ => {
            let conditions = root.paths.rels[rel].conditions.iter().map(|clause| clause.clause.clone()).collect();
            add_result_path(root, rel, conditions);
            Ok(())
        }
    }
}

/// A scan whose rows cost so much each, beside conditions.
fn scan_path(root: &mut PlannerInfo, rel: RelId, node: PathNode, per_row: f64, startup: f64) {
    let required = root.paths.rels[rel].lateral;
    let param = pathnode::base_param_info(root, rel, required);
    let known = &root.paths.rels[rel];
    let rows = param.as_ref().map_or(known.rows, |param| param.rows);
    let mut quals = known.condition_cost;
    if let Some(param) = &param {
        let more = costsize::restrict_cost(root, &param.clauses);
        quals.startup += more.startup;
        quals.per_tuple += more.per_tuple;
    }
    let target = known.target.clone();
    let startup = startup + quals.startup + target.cost.startup;
    let each = per_row + root.planner.settings.cpu_tuple_cost + quals.per_tuple;
    let total = startup + each * known.tuples + target.cost.per_tuple * rows;
    let path = Path { node, rel, target, param, rows, disabled: 0, startup, total, pathkeys: PathKeys::new() };
    pathnode::add_to(root, rel, Rc::new(path));
}

fn function_path(root: &mut PlannerInfo, rel: RelId, _ordinality: bool) {
    let relation = root.paths.rels[rel].relation;
    let cost = match &root.query.entry(relation).kind {
        RangeTableKind::Function { functions, .. } => costsize::qual_cost(root, functions.iter().map(|f| &f.call)),
        _ => QualCost::default(),
    };
    scan_path(root, rel, PathNode::Function, 0.0, cost.startup + cost.per_tuple);
}

/// A table's: in order, by row identity, by indexes (`set_plain_rel_pathlist`).
fn plain_paths(root: &mut PlannerInfo, rel: RelId) {
    let required = root.paths.rels[rel].lateral;
    let param = pathnode::base_param_info(root, rel, required);
    let known = &root.paths.rels[rel];
    let rows = param.as_ref().map_or(known.rows, |param| param.rows);
    let target = known.target.clone();
    let costs: Costs = costsize::cost_seqscan(root, known, known.condition_cost, &target, rows);
    let path = Path {
        node: PathNode::SeqScan,
        rel,
        target,
        param,
        rows,
        disabled: costs.disabled,
        startup: costs.startup,
        total: costs.total,
        pathkeys: PathKeys::new(),
    };
    pathnode::add_to(root, rel, Rc::new(path));
    indxpath::create_index_paths(root, rel);
    tid_path(root, rel);
}

/// `ctid = value` (`create_tidscan_paths`).
fn tid_path(root: &mut PlannerInfo, rel: RelId) {
    let known = &root.paths.rels[rel];
    let is_ctid = |expr: &Expr| matches!(expr, Expr::Var(var) if var.levels_up == 0 && var.relation == known.relation && var.attribute == crate::plan::CTID);
    const TID_EQUAL: types::Oid = 387;
    let relids = known.relids;
    let usable = |clause: &&R| match &clause.clause {
        Expr::OpExpr(op) if op.operator == TID_EQUAL => {
            (is_ctid(&op.arguments[0]) && !clause.right.overlaps(relids))
                || (is_ctid(&op.arguments[1]) && !clause.left.overlaps(relids))
        }
        Expr::ScalarArrayOpExpr(op) => {
            op.any
                && op.operator == TID_EQUAL
                && is_ctid(&op.scalar)
                && crate::path::relset::rels_of(&op.array).is_empty()
        }
        _ => false,
    };
    let promotable = |clause: &&R| is_promotable(clause, known);
    let Some(clause) = known.conditions.iter().filter(promotable).find(usable).cloned() else { return };
    let settings = root.planner.settings;
    let count = match &clause.clause {
        Expr::ScalarArrayOpExpr(op) => selfuncs::array_length(root, &op.array),
        _ => 1.0,
    };
    let target = known.target.clone();
    let quals = known.condition_cost;
    let startup = quals.startup + target.cost.startup;
    let total = startup + (known.page_costs.random + settings.cpu_tuple_cost + quals.per_tuple) * count;
    let path = Path {
        node: PathNode::Tid(vec![clause]),
        rel,
        target,
        param: None,
        rows: known.rows,
        disabled: u32::from(!settings.enable_tidscan),
        startup,
        total,
        pathkeys: PathKeys::new(),
    };
    pathnode::add_to(root, rel, Rc::new(path));
}
