//! MERGE (`parse_merge.c`).

use ::error::sqlstate;
use syntax::nodes as raw;
use syntax::nodes::Node;
use types::{Error, Result};

use super::state::{ExprKind, NamespaceItem, ParseState};
use super::{error, required, unexpected};
use crate::query::*;
use crate::relations::{Relation, RelationKind};

impl ParseState<'_> {
    /// `transformMergeStmt`. The query's FROM is the source alone; the condition joins it with the table.
    pub(crate) fn transform_merge(&mut self, merge: &raw::MergeStmt) -> Result<Query> {
        if merge.with_clause.as_ref().is_some_and(|with| with.recursive) {
            return Err(Error::new(sqlstate::SYNTAX_ERROR, "WITH RECURSIVE is not supported for MERGE statement"));
        }
        self.transform_with(merge.with_clause.as_deref())?;
        let clauses: Vec<&raw::MergeWhenClause> = merge
            .merge_when_clauses
            .iter()
            .map(|node| if let Node::MergeWhenClause(clause) = node { Ok(&**clause) } else { Err(unexpected()) })
            .collect::<Result<_>>()?;
        check_reachable(&clauses)?;
        let (relation, target) = self.open_target(required(&merge.relation)?)?;
        if !matches!(relation.kind, RelationKind::Table | RelationKind::View) {
            let message = format!("cannot execute MERGE on relation \"{}\"", relation.name);
            return Err(Error::new(sqlstate::FEATURE_NOT_SUPPORTED, message)
                .detail("This operation is not supported for sequences."));
        }
        let from = self.transform_from(std::slice::from_ref(required(&merge.source_relation)?))?;
        // The source is what came last.
        let source = RangeTableIndex(self.range_table.len() as u32);
        if self.entry(source).name == target.name {
            let message = format!("name \"{}\" specified more than once", target.name);
            let detail = "The name is used both as MERGE target table and data source.";
            return Err(Error::new(sqlstate::DUPLICATE_ALIAS, message).detail(detail));
        }
        let seen = |item: &NamespaceItem| NamespaceItem {
            relation_visible: true,
            columns_visible: true,
            lateral_only: false,
            lateral_ok: true,
            ..item.clone()
        };
        self.namespace.push(seen(&target));
        let condition = self.transform_boolean(required(&merge.join_condition)?, ExprKind::JoinOn, "JOIN/ON")?;
        let (returning, rows) =
            self.transform_returning(merge.returning_clause.as_deref(), &target, ExprKind::MergeReturning)?;
        let mut actions = Vec::with_capacity(clauses.len());
        for clause in clauses {
            let action = self.transform_merge_action(clause, &relation, target.relation, source)?;
            actions.push(action);
        }
        let mut query = Query {
            join_tree: FromExpr { from, condition: None },
            result_relation: Some(target.relation),
            merge_condition: Some(condition),
            merge_actions: actions,
            returning,
            returning_rows: rows,
            ..self.query(CommandType::Merge)
        };
        self.assign_query_collations(&mut query)?;
        Ok(query)
    }

    fn transform_merge_action(
        &mut self,
        clause: &raw::MergeWhenClause,
        relation: &std::sync::Arc<Relation>,
        target: RangeTableIndex,
        source: RangeTableIndex,
    ) -> Result<MergeAction> {
        let when = match clause.match_kind {
            raw::MergeMatchKind::MERGE_WHEN_MATCHED => MergeMatch::Matched,
            raw::MergeMatchKind::MERGE_WHEN_NOT_MATCHED_BY_SOURCE => MergeMatch::NotMatchedBySource,
            raw::MergeMatchKind::MERGE_WHEN_NOT_MATCHED_BY_TARGET => MergeMatch::NotMatchedByTarget,
        };
        // What there is no row of cannot be seen (`setNamespaceForMergeWhen`).
        for item in &mut self.namespace {
            let visible = match item.relation {
                relation if relation == target => when != MergeMatch::NotMatchedByTarget,
                relation if relation == source => when != MergeMatch::NotMatchedBySource,
                _ => continue,
            };
            (item.relation_visible, item.columns_visible) = (visible, visible);
        }
        let condition = self.transform_condition(clause.condition.as_ref(), ExprKind::MergeWhen, "WHEN")?;
        let action = match clause.command_type {
            raw::CmdType::CMD_INSERT => {
                let columns = self.insert_columns(relation, &clause.target_list)?;
                let targets = match &clause.values[..] {
                    // DEFAULT VALUES.
                    [] => vec![],
                    values => {
                        let row = self.transform_insert_values(values, ExprKind::ValuesSingle)?;
                        self.inserting = true;
                        let row = self.insert_row(relation, &columns, row);
                        self.inserting = false;
                        row?
                    }
                };
                MergeCommand::Insert { targets, overriding: super::insert::overriding(clause.r#override) }
            }
            raw::CmdType::CMD_UPDATE => {
                let name = self.entry(target).name.clone();
                MergeCommand::Update { targets: self.transform_update_targets(relation, &name, &clause.target_list)? }
            }
            raw::CmdType::CMD_DELETE => MergeCommand::Delete,
            raw::CmdType::CMD_NOTHING => MergeCommand::Nothing,
            _ => return Err(unexpected()),
        };
        Ok(MergeAction { when, condition, action })
    }

    /// `MERGE_ACTION()`, in RETURNING of MERGE and in subqueries there.
    pub(super) fn transform_merge_action_call(&self, place: i32) -> Result<Expr> {
        if self.levels().any(|(_, state)| state.expr_kind == ExprKind::MergeReturning) {
            return Ok(Expr::MergeAction);
        }
        let message = "MERGE_ACTION() can only be used in the RETURNING list of a MERGE command";
        Err(error(sqlstate::SYNTAX_ERROR, message, place))
    }
}

/// Behind a clause without a condition nothing of its kind is reached.
fn check_reachable(clauses: &[&raw::MergeWhenClause]) -> Result<()> {
    let mut unconditional = Vec::new();
    for clause in clauses {
        if unconditional.contains(&clause.match_kind) {
            let message = "unreachable WHEN clause specified after unconditional WHEN clause";
            return Err(Error::new(sqlstate::SYNTAX_ERROR, message));
        }
        if clause.condition.is_none() {
            unconditional.push(clause.match_kind);
        }
    }
    Ok(())
}
