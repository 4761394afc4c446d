//! The order in which queries of WITH RECURSIVE are analyzed, and where one may refer to itself (`makeDependencyGraph` and
//! `checkWellFormedRecursion` of `parse_cte.c`).

use ::error::sqlstate;
use syntax::nodes as raw;
use syntax::nodes::Node;
use types::{Error, Result};

use super::raw::{location, location_of_list};
use super::{error, unexpected};

/// Calls `each` for the nodes right below one, as far as tables can be in them.
fn children<'n>(node: &'n Node, each: &mut dyn FnMut(&'n Node)) {
    fn all<'n>(nodes: &'n [Node], each: &mut dyn FnMut(&'n Node)) {
        nodes.iter().for_each(each);
    }
    match node {
        Node::List(list) => all(list, each),
        Node::RangeSubselect(e) => e.subquery.iter().for_each(each),
        Node::RangeFunction(e) => all(&e.functions, each),
        Node::RangeTableSample(e) => {
            e.relation.iter().for_each(&mut *each);
            all(&e.args, &mut *each);
            e.repeatable.iter().for_each(each);
        }
        Node::JoinExpr(e) => e.larg.iter().chain(&e.rarg).chain(&e.quals).for_each(each),
        Node::ResTarget(e) => {
            all(&e.indirection, &mut *each);
            e.val.iter().for_each(each);
        }
        Node::MultiAssignRef(e) => e.source.iter().for_each(each),
        Node::A_Expr(e) => e.lexpr.iter().chain(&e.rexpr).for_each(each),
        Node::BoolExpr(e) => all(&e.args, each),
        Node::FuncCall(e) => {
            all(&e.args, &mut *each);
            all(&e.agg_order, &mut *each);
            e.agg_filter.iter().for_each(&mut *each);
            if let Some(over) = &e.over {
                window(over, each);
            }
        }
        Node::WindowDef(e) => window(e, each),
        Node::NamedArgExpr(e) => e.arg.iter().for_each(each),
        Node::SubLink(e) => e.testexpr.iter().chain(&e.subselect).for_each(each),
        Node::CaseExpr(e) => {
            e.arg.iter().for_each(&mut *each);
            all(&e.args, &mut *each);
            e.defresult.iter().for_each(each);
        }
        Node::CaseWhen(e) => e.expr.iter().chain(&e.result).for_each(each),
        Node::A_ArrayExpr(e) => all(&e.elements, each),
        Node::A_Indirection(e) => {
            e.arg.iter().for_each(&mut *each);
            all(&e.indirection, each);
        }
        Node::A_Indices(e) => e.lidx.iter().chain(&e.uidx).for_each(each),
        Node::RowExpr(e) => all(&e.args, each),
        Node::CoalesceExpr(e) => all(&e.args, each),
        Node::MinMaxExpr(e) => all(&e.args, each),
        Node::TypeCast(e) => e.arg.iter().for_each(each),
        Node::CollateClause(e) => e.arg.iter().for_each(each),
        Node::NullTest(e) => e.arg.iter().for_each(each),
        Node::BooleanTest(e) => e.arg.iter().for_each(each),
        Node::SortBy(e) => e.node.iter().for_each(each),
        Node::GroupingSet(e) => all(&e.content, each),
        Node::GroupingFunc(e) => all(&e.args, each),
        Node::InsertStmt(e) => e.select_stmt.iter().for_each(each),
        Node::UpdateStmt(e) => {
            all(&e.target_list, &mut *each);
            all(&e.from_clause, &mut *each);
            e.where_clause.iter().for_each(each);
        }
        Node::DeleteStmt(e) => {
            all(&e.using_clause, &mut *each);
            e.where_clause.iter().for_each(each);
        }
        Node::MergeStmt(e) => e.source_relation.iter().chain(&e.join_condition).for_each(each),
        _ => {}
    }
}

fn window<'n>(e: &'n raw::WindowDef, each: &mut dyn FnMut(&'n Node)) {
    let all = e.partition_clause.iter().chain(&e.order_clause).chain(&e.start_offset).chain(&e.end_offset);
    all.for_each(each);
}

/// The parts of a SELECT but the arms of a set operation and its WITH.
fn parts(e: &raw::SelectStmt) -> impl Iterator<Item = &Node> {
    let lists = e.distinct_clause.iter().chain(&e.target_list).chain(&e.from_clause).chain(&e.where_clause);
    let lists = lists.chain(&e.group_clause).chain(&e.having_clause).chain(&e.window_clause).chain(&e.values_lists);
    lists.chain(&e.sort_clause).chain(&e.limit_offset).chain(&e.limit_count)
}

fn with_of(node: &Node) -> Option<&raw::WithClause> {
    match node {
        Node::SelectStmt(e) => e.with_clause.as_deref(),
        Node::InsertStmt(e) => e.with_clause.as_deref(),
        Node::UpdateStmt(e) => e.with_clause.as_deref(),
        Node::DeleteStmt(e) => e.with_clause.as_deref(),
        Node::MergeStmt(e) => e.with_clause.as_deref(),
        _ => None,
    }
}

/// Where a reference to the query may stand, and where not.
#[derive(Clone, Copy, PartialEq)]
enum Context {
    Ok,
    NonRecursiveTerm,
    Sublink,
    OuterJoin,
    Intersect,
    Except,
}

impl Context {
    fn place(self) -> Option<&'static str> {
        Some(match self {
            Context::Ok => return None,
            Context::NonRecursiveTerm => "its non-recursive term",
            Context::Sublink => "a subquery",
            Context::OuterJoin => "an outer join",
            Context::Intersect => "INTERSECT",
            Context::Except => "EXCEPT",
        })
    }
}

/// Goes through a tree and sees the tables that a name without a schema finds.
struct Walker<'w> {
    /// What inner WITHs hide.
    hidden: Vec<String>,
    context: Context,
    seen: &'w mut dyn FnMut(&raw::RangeVar, Context) -> Result<()>,
}

impl Walker<'_> {
    fn within(&mut self, context: Context, node: &Option<Node>) -> Result<()> {
        let before = std::mem::replace(&mut self.context, context);
        let result = node.iter().try_for_each(|node| self.node(node));
        self.context = before;
        result
    }

    fn node(&mut self, node: &Node) -> Result<()> {
        let names = self.hidden.len();
        if let Some(with) = with_of(node) {
            self.with(with)?;
        }
        match node {
            Node::RangeVar(table) => {
                let name = table.relname.as_deref().unwrap_or_default();
                if table.schemaname.is_none() && !self.hidden.iter().any(|hidden| hidden == name) {
                    (self.seen)(table, self.context)?;
                }
            }
            Node::JoinExpr(join) if self.context == Context::Ok => {
                let (left, right) = match join.jointype {
                    raw::JoinType::JOIN_LEFT => (Context::Ok, Context::OuterJoin),
                    raw::JoinType::JOIN_RIGHT => (Context::OuterJoin, Context::Ok),
                    raw::JoinType::JOIN_FULL => (Context::OuterJoin, Context::OuterJoin),
                    _ => (Context::Ok, Context::Ok),
                };
                self.within(left, &join.larg)?;
                self.within(right, &join.rarg)?;
                self.within(Context::Ok, &join.quals)?;
            }
            Node::SubLink(link) if self.context == Context::Ok => {
                self.within(Context::Sublink, &link.subselect)?;
                self.within(Context::Ok, &link.testexpr)?;
            }
            Node::SelectStmt(select) => self.select(select)?,
            node => {
                let mut below = Vec::new();
                children(node, &mut |child| below.push(child));
                below.into_iter().try_for_each(|child| self.node(child))?;
            }
        }
        self.hidden.truncate(names);
        Ok(())
    }

    /// The queries of an inner WITH, whose names are hidden from there on.
    fn with(&mut self, with: &raw::WithClause) -> Result<()> {
        let names = with.ctes.iter().filter_map(|cte| match cte {
            Node::CommonTableExpr(cte) => cte.ctename.as_deref().map(str::to_string),
            _ => None,
        });
        if with.recursive {
            self.hidden.extend(names.collect::<Vec<_>>());
        }
        for cte in &with.ctes {
            let Node::CommonTableExpr(cte) = cte else { return Err(unexpected()) };
            cte.ctequery.iter().try_for_each(|query| self.node(query))?;
            if !with.recursive {
                self.hidden.extend(cte.ctename.as_deref().map(str::to_string));
            }
        }
        Ok(())
    }

    fn select(&mut self, select: &raw::SelectStmt) -> Result<()> {
        let before = self.context;
        let (left, right) = match (select.op, select.all) {
            _ if before != Context::Ok => (before, before),
            (raw::SetOperation::SETOP_INTERSECT, true) => (Context::Intersect, Context::Intersect),
            (raw::SetOperation::SETOP_EXCEPT, true) => (Context::Except, Context::Except),
            (raw::SetOperation::SETOP_EXCEPT, false) => (Context::Ok, Context::Except),
            _ => (Context::Ok, Context::Ok),
        };
        for (arm, context) in [(&select.larg, left), (&select.rarg, right)] {
            if let Some(arm) = arm {
                self.context = context;
                self.arm(arm)?;
            }
        }
        self.context = before;
        parts(select).try_for_each(|part| self.node(part))
    }

    fn arm(&mut self, arm: &raw::SelectStmt) -> Result<()> {
        let names = self.hidden.len();
        if let Some(with) = arm.with_clause.as_deref() {
            self.with(with)?;
        }
        self.select(arm)?;
        self.hidden.truncate(names);
        Ok(())
    }
}

/// Does the query of a WITH item refer to a name?
fn refers_to(cte: &raw::CommonTableExpr, name: &str) -> bool {
    let mut found = false;
    let mut seen = |table: &raw::RangeVar, _| {
        found |= table.relname.as_deref() == Some(name);
        Ok(())
    };
    let mut walker = Walker { hidden: Vec::new(), context: Context::NonRecursiveTerm, seen: &mut seen };
    let walked = cte.ctequery.iter().try_for_each(|query| walker.node(query));
    walked.is_ok() && found
}

fn name_of(cte: &raw::CommonTableExpr) -> &str {
    cte.ctename.as_deref().unwrap_or_default()
}

/// The items of WITH RECURSIVE so that each comes behind those that it refers to, and whether it refers to itself.
pub(crate) fn dependency_order<'n>(all: &[&'n raw::CommonTableExpr]) -> Result<Vec<(&'n raw::CommonTableExpr, bool)>> {
    let mut left: Vec<(&raw::CommonTableExpr, Vec<&str>, bool)> = Vec::new();
    for &cte in all {
        let others = all.iter().map(|other| name_of(other)).filter(|other| *other != name_of(cte));
        left.push((cte, others.filter(|other| refers_to(cte, other)).collect(), refers_to(cte, name_of(cte))));
    }
    let mut ordered = Vec::with_capacity(all.len());
    while !left.is_empty() {
        let Some(next) = left.iter().position(|(_, needs, _)| needs.is_empty()) else {
            let message = "mutual recursion between WITH items is not implemented";
            return Err(error(sqlstate::FEATURE_NOT_SUPPORTED, message, left[0].0.location));
        };
        let (cte, _, recursive) = left.remove(next);
        for (_, needs, _) in &mut left {
            needs.retain(|need| *need != name_of(cte));
        }
        ordered.push((cte, recursive));
    }
    Ok(ordered)
}

/// A recursive query is `non-recursive-term UNION [ALL] recursive-term`, and refers to itself once.
pub(crate) fn check_well_formed(cte: &raw::CommonTableExpr) -> Result<()> {
    let name = name_of(cte);
    let Some(Node::SelectStmt(select)) = &cte.ctequery else {
        let message = format!("recursive query \"{name}\" must not contain data-modifying statements");
        return Err(error(sqlstate::INVALID_RECURSION, message, cte.location));
    };
    let (Some(left), Some(right), raw::SetOperation::SETOP_UNION) = (&select.larg, &select.rarg, select.op) else {
        let message =
            format!("recursive query \"{name}\" does not have the form non-recursive-term UNION [ALL] recursive-term");
        return Err(error(sqlstate::INVALID_RECURSION, message, cte.location));
    };
    let mut references = 0;
    let mut seen = |table: &raw::RangeVar, context: Context| {
        if table.relname.as_deref() != Some(name) {
            return Ok(());
        }
        if let Some(place) = context.place() {
            let message = format!("recursive reference to query \"{name}\" must not appear within {place}");
            return Err(error(sqlstate::INVALID_RECURSION, message, table.location));
        }
        references += 1;
        if references > 1 {
            let message = format!("recursive reference to query \"{name}\" must not appear more than once");
            return Err(error(sqlstate::INVALID_RECURSION, message, table.location));
        }
        Ok(())
    };
    let mut walker = Walker { hidden: Vec::new(), context: Context::NonRecursiveTerm, seen: &mut seen };
    if let Some(with) = select.with_clause.as_deref() {
        walker.context = Context::Sublink;
        walker.with(with)?;
        walker.context = Context::NonRecursiveTerm;
    }
    walker.arm(left)?;
    walker.context = Context::Ok;
    walker.arm(right)?;
    let unimplemented = |what: &str, place: i32| {
        Err(error(sqlstate::FEATURE_NOT_SUPPORTED, format!("{what} in a recursive query is not implemented"), place))
    };
    if !select.sort_clause.is_empty() {
        return unimplemented("ORDER BY", location_of_list(&select.sort_clause));
    }
    if let Some(offset) = &select.limit_offset {
        return unimplemented("OFFSET", location(offset));
    }
    if let Some(limit) = &select.limit_count {
        return unimplemented("LIMIT", location(limit));
    }
    if !select.locking_clause.is_empty() {
        return unimplemented("FOR UPDATE/SHARE", -1);
    }
    if references == 0 {
        return Err(Error::new(sqlstate::INTERNAL_ERROR, "missing recursive reference"));
    }
    Ok(())
}
