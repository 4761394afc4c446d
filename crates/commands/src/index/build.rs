//! Indexes are built, and what they compute is looked at, as the table's owner: that role has to be allowed to call their functions
//! (`index_build`, `do_analyze_rel`).

use std::sync::Arc;

use analyze::query::Expr;
use analyze::rewrite::stored;
use catalog::Catalog;
use catalog::acl::Viewer;
use engine::{IndexDef, NodeTree, Result, Table};
use expression::clauses::require_execute;
use session::Session;
use session::errors::reported;
use storage::BlockNumber;

/// Builds an index of a table's rows; gives how many pages it has.
pub async fn build(session: &mut Session, table: &Arc<Table>, index: &IndexDef) -> Result<BlockNumber> {
    require_calls(session, table, index)?;
    let options = session.maintenance_options(table.def.tablespace);
    table.build_index(session.transaction(), index, &options).await
}

/// Fails where the table's owner may not call what an index computes. Keys are computed where there are rows.
pub fn require_calls(session: &mut Session, table: &Table, index: &IndexDef) -> Result<()> {
    let keys = index.expressions().filter(|_| table.blocks() > 0).map(|expression| &expression.computed);
    let computed: Vec<&NodeTree> = index.predicate.iter().chain(keys).map(|computed| &computed.tree).collect();
    if computed.is_empty() {
        return Ok(());
    }
    let environment = session.environment();
    let owner = Viewer { role: table.def.owner, database: table.database, ..Viewer::default() };
    let catalog = Catalog { viewer: Some(&owner), ..environment.catalog() };
    let relation = session.relation(table.def.oid)?;
    let ask = |tree: &NodeTree| -> types::Result<()> {
        let expr: Expr = stored::expression(&tree.text, Some(&relation))?;
        require_execute(catalog, &expr)
    };
    computed.into_iter().try_for_each(ask).map_err(|error| reported(error, ""))
}
