//! Functions that a node compares rows with, beside those in its expressions. As in PostgreSQL sorting and merging call what belongs to
//! an operator class, which is not asked about.

use catalog::Catalog;
use plan::plan::{GroupKey, Node, Plan};
use types::{Oid, Result};

use crate::compile::Compiler;

/// Fails with 42501 where the role that the plan is for may not call what a node compares rows with (`execTuplesMatchPrepare`).
pub fn require_comparisons(compiler: &Compiler<'_>, plan: &Plan) -> Result<()> {
    let catalog = compiler.catalog;
    let keys = |keys: &[GroupKey]| keys.iter().try_for_each(|key| require_operator(catalog, key.equality));
    match &plan.node {
        Node::Agg(agg) => keys(&agg.keys),
        Node::WindowAgg(window) => keys(&window.partition).and_then(|()| keys(&window.peers)),
        Node::Unique { columns, .. } => keys(columns),
        Node::SetOp(operation) if operation.hashed => keys(&operation.columns),
        Node::RecursiveUnion(union) => keys(&union.distinct),
        Node::Limit { with_ties: Some(ties), .. } => keys(ties),
        Node::HashJoin(join) => join.clauses.iter().try_for_each(|clause| require_operator(catalog, clause.operator)),
        _ => Ok(()),
    }
}

/// The same for the function of an operator.
pub fn require_operator(catalog: Catalog<'_>, operator: Oid) -> Result<()> {
    catalog.operator(operator).map_or(Ok(()), |row| catalog.require_execute(row.oprcode))
}
