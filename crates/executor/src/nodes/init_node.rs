//! From a plan to nodes that are ready to run: PostgreSQL's `ExecInitNode`.

use error::sqlstate;
use plan::plan::{Node, Plan};
use types::{Error, Result};

use crate::compile::{Compiler, Layout, rights};
use crate::nodes;
use crate::nodes::around::init_plan;
use crate::nodes::around::instrumented::Instrumented;
use crate::run::node::Compiled;
use crate::verify;

/// A node and those below it, with what is around it: long values fetched, its row as it was carried along, its init plans, what
/// counts for EXPLAIN ANALYZE.
pub fn init_node(compiler: &Compiler<'_>, plan: &Plan) -> Result<Compiled> {
    rights::require_comparisons(compiler, plan)?;
    let compiled = node(compiler, plan)?;
    verify::compiled(compiler, plan, &compiled);
    let compiled = nodes::around::detoast::over(compiled, compiler.late.ending_at(plan));
    let compiled = nodes::around::copied_row::around(compiler, plan, compiled)?;
    let compiled = init_plan::with_init_plans(plan, compiled);
    Ok(match compiler.number(plan) {
        Some(number) => {
            let reprs = compiled.reprs.clone();
            Compiled::new(Instrumented { child: compiled, number }, reprs)
        }
        None => compiled,
    })
}

fn node(compiler: &Compiler<'_>, plan: &Plan) -> Result<Compiled> {
    match &plan.node {
        Node::Result { child, one_time } => nodes::result::compile(compiler, plan, child.as_deref(), one_time),
        Node::ProjectSet { child } => nodes::project_set::compile(compiler, plan, child),
        Node::ModifyTable(modify) => crate::modify_table::compile(compiler, plan, modify),
        Node::Append { children } => nodes::append::compile(compiler, plan, children),
        Node::MergeAppend { children, keys } => nodes::merge_append::compile(compiler, plan, children, keys),
        Node::RecursiveUnion(union) => nodes::recursive_union::compile(compiler, plan, union),
        Node::SeqScan(scan) => nodes::scan::seq_scan::compile(compiler, plan, scan),
        Node::IndexScan(scan) | Node::IndexOnlyScan(scan) => nodes::scan::index_scan::compile(compiler, plan, scan),
        Node::BitmapHeapScan { scan, child, recheck } => {
            nodes::scan::bitmap_heap_scan::compile(compiler, plan, scan, child, recheck)
        }
        Node::BitmapIndexScan(_) | Node::BitmapAnd { .. } | Node::BitmapOr { .. } => {
            Err(Error::new(sqlstate::INTERNAL_ERROR, "a node that makes a bitmap gives no rows"))
        }
        Node::TidScan { scan, conditions } => nodes::scan::tid_scan::compile(compiler, plan, scan, conditions),
        Node::SubqueryScan { relation, child } => nodes::result::compile_subquery(compiler, plan, *relation, child),
        Node::FunctionScan { relation, functions, ordinality } => {
            nodes::scan::function_scan::compile(compiler, plan, *relation, functions, *ordinality)
        }
        Node::ValuesScan { relation, rows } => nodes::scan::values_scan::compile(compiler, plan, *relation, rows),
        Node::CteScan { relation, plan: sub } => crate::nodes::cte::compile_scan(compiler, plan, *relation, *sub),
        Node::WorkTableScan { relation, work_table } => {
            crate::nodes::cte::compile_work_table(compiler, plan, *relation, *work_table)
        }
        Node::NestLoop(join) => nodes::join::nest_loop::compile(compiler, plan, join),
        Node::MergeJoin(join) if join.clauses.is_empty() => {
            nodes::join::hash_join::compile_keyless(compiler, plan, &join.join)
        }
        Node::MergeJoin(join) => nodes::join::merge_join::compile(compiler, plan, join),
        Node::HashJoin(join) => nodes::join::hash_join::compile(compiler, plan, join),
        Node::Material { child } => passing(compiler, plan, child),
        Node::Memoize { child, keys } => nodes::join::memoize::compile(compiler, plan, child, keys),
        Node::Sort { child, keys } => nodes::sort::compile(compiler, plan, child, keys, 0),
        Node::IncrementalSort { child, keys, presorted } => {
            nodes::sort::compile(compiler, plan, child, keys, *presorted)
        }
        Node::Agg(agg) => crate::agg::compile(compiler, plan, agg),
        Node::WindowAgg(window) => crate::window::compile(compiler, plan, window),
        Node::Unique { child, columns } => nodes::unique::compile(compiler, plan, child, columns),
        Node::SetOp(operation) => nodes::set_op::compile(compiler, plan, operation),
        Node::LockRows { child, marks } => crate::nodes::lock_rows::compile(compiler, plan, child, marks),
        Node::Limit { child, offset, count, with_ties } => {
            nodes::limit::compile(compiler, plan, child, [offset.as_deref(), count.as_deref()], with_ties.as_deref())
        }
    }
}

/// A node that does nothing to its child's rows here: a node that reads rows twice keeps them.
fn passing(compiler: &Compiler<'_>, plan: &Plan, child: &Plan) -> Result<Compiled> {
    let child = compiler.plan_in_order_of_mine(child)?;
    let output = compiler.output(plan, &Layout::outer(&child.reprs))?;
    Ok(nodes::result::over(child, output))
}
