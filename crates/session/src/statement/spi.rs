//! Queries that commands run for themselves: PostgreSQL writes them as SQL for its SPI, here they are trees.

use std::borrow::Cow;
use std::sync::Arc;

use analyze::Analyzed;
use analyze::query::*;
use analyze::relations::{Attribute, Relation};
use catalog::acl::BOOTSTRAP_SUPERUSER;
use engine::Result;
use types::{Datum, oid};

use crate::errors::reported;
use crate::plan_cache::CachedPlanSource;
use crate::session::Session;
use crate::statement::parameter::Parameter;
use crate::statement::query::Ready;

/// Levels that such a query has above the expressions in it.
const LEVELS: usize = 4;

/// The table that a query of [`over_table`] is over.
pub const TABLE: RangeTableIndex = RangeTableIndex(1);

/// A column of that table; NULL for a dropped one.
pub fn column(relation: &Relation, position: usize) -> Expr {
    if relation.columns[position].dropped {
        return Expr::Const(Const { ty: TypeRef::of(oid::INT4), value: Datum::Null, location: Location::NONE });
    }
    let (ty, attribute) = (relation.columns[position].ty, position as i16 + 1);
    Expr::Var(Var {
        relation: TABLE,
        attribute,
        ty,
        collation: Collation::NONE,
        levels_up: 0,
        location: Location::NONE,
    })
}

/// The table's entry. It is read and written for the command, whatever policies say to the session's role.
pub fn entry(relation: &Relation, in_from: bool) -> RangeTableEntry {
    RangeTableEntry {
        kind: RangeTableKind::Relation { oid: relation.oid, inherited: true, sample: None },
        name: relation.name.clone(),
        aliased: false,
        columns: relation.columns.iter().map(Attribute::column).collect(),
        aliased_columns: 0,
        lateral: false,
        in_from,
        check_as: Some(BOOTSTRAP_SUPERUSER),
        ..Default::default()
    }
}

/// These values for the rows of a table that satisfy a condition.
pub fn over_table(relation: &Relation, values: Vec<Expr>, condition: Option<Expr>) -> Query {
    let target = |(value, number)| TargetEntry::new(value, number, format!("column{number}"));
    Query {
        range_table: vec![entry(relation, true)],
        join_tree: FromExpr { from: vec![JoinTree::Relation(TABLE)], condition },
        targets: values.into_iter().zip(1..).map(target).collect(),
        ..Query::new(CommandType::Select)
    }
}

/// INSERT of a query's rows into all columns of a table.
pub fn insert(relation: &Relation, query: Query) -> Query {
    let source = RangeTableIndex(2);
    let columns = query.visible_columns();
    let target = |(shown, number): (&TargetEntry, i16)| {
        let (attribute, ty) = (shown.number, shown.expr.ty());
        let value = Expr::Var(Var {
            relation: source,
            attribute,
            ty,
            collation: Collation::NONE,
            levels_up: 0,
            location: Location::NONE,
        });
        TargetEntry::new(value, number, shown.name.clone())
    };
    let targets = query.visible_targets().zip(1..).map(target).collect();
    let subquery = RangeTableEntry {
        kind: RangeTableKind::Subquery(Box::new(query)),
        name: "unnamed_subquery".into(),
        aliased: false,
        columns: columns.into(),
        aliased_columns: 0,
        lateral: false,
        in_from: true,
        ..Default::default()
    };
    Query {
        range_table: vec![entry(relation, false), subquery],
        join_tree: FromExpr { from: vec![JoinTree::Relation(source)], condition: None },
        targets,
        result_relation: Some(TABLE),
        overriding: Overriding::SystemValue,
        ..Query::new(CommandType::Insert)
    }
}

/// What a query of a command's own sees.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sees {
    /// What the statement does.
    Statement,
    /// All that is there now: its table is made anew or checked, and no other session writes to it.
    Latest,
}

impl Session {
    /// Runs a query to its end; gives how many rows it had, or changed. `depth`: levels of the expressions in it.
    pub async fn run_tree(&mut self, query: Query, depth: usize, text: &Arc<str>, sees: Sees) -> Result<u64> {
        self.run_analyzed(Analyzed { query, parameters: vec![], depth }, &[], text, sees).await
    }

    /// The same for a query that has parameters, with their values.
    pub async fn run_analyzed(
        &mut self,
        mut analyzed: Analyzed,
        parameters: &[Parameter],
        text: &Arc<str>,
        sees: Sees,
    ) -> Result<u64> {
        self.new_command();
        let environment = self.environment();
        let context = Arc::new(self.context(&environment, text));
        analyzed.depth += LEVELS;
        let source = CachedPlanSource::of_tree(&environment, &context, analyzed);
        let source = Arc::new(source.map_err(|error| reported(error, text))?);
        let plan = source.generic_plan(self.db(), &context).map_err(|error| reported(error, text))?;
        self.lock_relations(&plan.planned).await?;
        let snapshot = match sees {
            Sees::Statement => self.snapshot(),
            Sees::Latest => self.transaction().latest_snapshot(),
        };
        let mut portal =
            self.start_with(&Ready { source, plan, parameters: Cow::Borrowed(parameters), context }, text, snapshot)?;
        let rows = portal.drain(self).await?;
        Ok(rows + portal.processed())
    }

    /// Has a table a row that satisfies a condition over [`TABLE`]?
    pub async fn has_row(
        &mut self,
        relation: &Relation,
        condition: Expr,
        depth: usize,
        text: &Arc<str>,
    ) -> Result<bool> {
        let number = |value: i64| {
            Expr::Const(Const { ty: TypeRef::of(oid::INT8), value: Datum::I64(value), location: Location::NONE })
        };
        let query = Query { limit: Some(number(1)), ..over_table(relation, vec![number(1)], Some(condition)) };
        Ok(self.run_tree(query, depth, text, Sees::Latest).await? > 0)
    }
}
