//! `IN (SELECT …)`, `EXISTS` and `NOT EXISTS` that WHERE or ON demand become joins: PostgreSQL's `pull_up_sublinks`, with
//! `convert_ANY_sublink_to_join` and `convert_EXISTS_sublink_to_join`.

use analyze::query::*;
use expression::clauses::contain_volatile_functions;
use types::Result;

use crate::manip::*;
use crate::planner_info::Planner;
use crate::prep::sublink::decorrelate::decorrelate;
use crate::prep::sublink::simplify::{convert_test, simplify_exists};
use crate::prep::sublink::values::values_to_any;
use crate::relids::Relids;

/// Makes joins of the sublinks in a query's join tree, where that does not change its meaning.
pub fn pull_up_sublinks(planner: &Planner, query: &mut Query) -> Result<()> {
    let from = std::mem::take(&mut query.join_tree);
    let mut work = PullUp { planner, query };
    let (tree, _) = work.tree(JoinTree::From(from))?;
    query.join_tree = match tree {
        JoinTree::From(from) => from,
        other => FromExpr { from: vec![other], condition: None },
    };
    Ok(())
}

struct PullUp<'a, 'q> {
    planner: &'a Planner<'a>,
    query: &'q mut Query,
}

/// A part of the join tree on which joins may be stacked, and the entries that are below it.
struct Place {
    tree: JoinTree,
    relations: Relids,
}

impl PullUp<'_, '_> {
    /// The tree with its sublinks pulled up, and what is below it that others see.
    fn tree(&mut self, tree: JoinTree) -> Result<(JoinTree, Relids)> {
        match tree {
            JoinTree::Relation(relation) => Ok((tree, Relids::of(relation))),
            JoinTree::From(from) => {
                let mut relations = Relids::new();
                let mut parts = Vec::with_capacity(from.from.len());
                for part in from.from {
                    let (part, below) = self.tree(part)?;
                    relations.add_all(&below);
                    parts.push(part);
                }
                let Some(condition) = from.condition else {
                    return Ok((JoinTree::From(FromExpr { from: parts, condition: None }), relations));
                };
                let tree = match parts.len() {
                    1 => parts.remove(0),
                    _ => JoinTree::From(FromExpr { from: parts, condition: None }),
                };
                let mut place = Place { tree, relations: relations.clone() };
                let condition = self.decorrelate(condition, &mut place);
                let rest = self.condition(condition, std::slice::from_mut(&mut place))?;
                Ok((with_condition(place.tree, rest), relations))
            }
            JoinTree::Join(join) => self.join(*join),
        }
    }

    fn join(&mut self, join: JoinExpr) -> Result<(JoinTree, Relids)> {
        let JoinExpr { kind, left, right, condition, relation } = join;
        let (left, left_relations) = self.tree(left)?;
        let (right, right_relations) = self.tree(right)?;
        let mut all = left_relations.union(&right_relations);
        if relation.0 != 0 {
            all.add(relation);
        }
        let mut left = Place { tree: left, relations: left_relations };
        let mut right = Place { tree: right, relations: right_relations };
        let condition = match (kind, condition) {
            (_, None) => None,
            (JoinType::Inner, Some(condition)) => {
                let join = JoinExpr { kind, left: left.tree, right: right.tree, condition: None, relation };
                let mut place = Place { tree: JoinTree::Join(Box::new(join)), relations: all.clone() };
                let condition = self.decorrelate(condition, &mut place);
                let rest = self.condition(condition, std::slice::from_mut(&mut place))?;
                return Ok((with_condition(place.tree, rest), all));
            }
            // What is asked of the nullable side alone can be asked before the join.
            (JoinType::Left, Some(condition)) => self.condition(condition, std::slice::from_mut(&mut right))?,
            (JoinType::Right, Some(condition)) => self.condition(condition, std::slice::from_mut(&mut left))?,
            (_, condition) => condition,
        };
        Ok((JoinTree::Join(Box::new(JoinExpr { kind, left: left.tree, right: right.tree, condition, relation })), all))
    }

    /// Comparisons with aggregates of other rows become joins with these, one for each group.
    fn decorrelate(&mut self, condition: Expr, place: &mut Place) -> Expr {
        if !and_slice(&condition).iter().any(has_sublinks) {
            return condition;
        }
        let mut members = Vec::new();
        let mut parts = and_list(condition);
        for at in 0..parts.len() {
            if let Some(joined) = decorrelate(self.planner, self.query, &mut parts[at], &place.relations) {
                // A recheck asks it again for the new row, as it would the sublink.
                self.query.range_table[joined.relation.index()].in_from = false;
                members.push(JoinTree::Relation(joined.relation));
                parts.extend(joined.equalities);
            }
        }
        if !members.is_empty() {
            let tree = std::mem::replace(&mut place.tree, JoinTree::From(FromExpr::default()));
            let mut from = match tree {
                JoinTree::From(FromExpr { from, condition: None }) => from,
                other => vec![other],
            };
            from.append(&mut members);
            place.tree = JoinTree::From(FromExpr { from, condition: None });
        }
        make_and(parts).expect("it had parts")
    }

    /// What is left of a condition after sublinks became joins on one of the places.
    fn condition(&mut self, condition: Expr, places: &mut [Place]) -> Result<Option<Expr>> {
        match condition {
            Expr::SubLink(link) if link.kind == SubLinkKind::Any => match values_to_any(self.planner, &link)? {
                Some(comparison) => Ok(Some(comparison)),
                None => Ok(self.sublink(link, false, places)?.map(Expr::SubLink)),
            },
            Expr::SubLink(link) => Ok(self.sublink(link, false, places)?.map(Expr::SubLink)),
            Expr::BoolExpr(mut e) if e.operator == BoolOperator::Not => match e.arguments.pop() {
                Some(Expr::SubLink(link)) if link.kind == SubLinkKind::Exists => {
                    Ok(self.sublink(link, true, places)?.map(|link| make_not(Expr::SubLink(link))))
                }
                argument => {
                    e.arguments.extend(argument);
                    Ok(Some(Expr::BoolExpr(e)))
                }
            },
            Expr::BoolExpr(e) if e.operator == BoolOperator::And => {
                let mut rest = Vec::with_capacity(e.arguments.len());
                for argument in e.arguments {
                    rest.extend(self.condition(argument, places)?);
                }
                Ok(make_and(rest))
            }
            other => Ok(Some(other)),
        }
    }

    /// The sublink again, if it did not become a join.
    fn sublink(
        &mut self,
        mut link: Box<SubLink>,
        under_not: bool,
        places: &mut [Place],
    ) -> Result<Option<Box<SubLink>>> {
        for place in places.iter_mut() {
            let join = match link.kind {
                SubLinkKind::Any => self.any_to_join(link, &place.relations),
                SubLinkKind::Exists => self.exists_to_join(link, under_not, &place.relations)?,
                _ => return Ok(Some(link)),
            };
            match join {
                Ok(join) => {
                    self.attach(join, place)?;
                    return Ok(None);
                }
                Err(same) => link = same,
            }
        }
        Ok(Some(link))
    }

    /// Puts a new join on a place, and goes on with what is in it.
    fn attach(&mut self, mut join: JoinExpr, place: &mut Place) -> Result<()> {
        let (right, relations) = self.tree(join.right)?;
        let left = std::mem::replace(&mut place.tree, JoinTree::From(FromExpr::default()));
        let right = Place { tree: right, relations };
        let left = Place { tree: left, relations: place.relations.clone() };
        let (left, right) = match join.condition.take() {
            None => (left, right),
            // Below a NOT only what concerns the right side may become a join.
            Some(condition) if join.kind == JoinType::Anti => {
                let mut places = [right];
                join.condition = self.condition(condition, &mut places)?;
                let [right] = places;
                (left, right)
            }
            Some(condition) => {
                let mut places = [left, right];
                join.condition = self.condition(condition, &mut places)?;
                let [left, right] = places;
                (left, right)
            }
        };
        (join.left, join.right) = (left.tree, right.tree);
        place.tree = JoinTree::Join(Box::new(join));
        Ok(())
    }

    /// `convert_ANY_sublink_to_join`; the sublink again where it cannot be.
    fn any_to_join(&mut self, link: Box<SubLink>, available: &Relids) -> std::result::Result<JoinExpr, Box<SubLink>> {
        let Some(test) = &link.test else {
            return Err(link);
        };
        let outer = relations_in_query(&link.query, 1);
        let tested = relations_of(test);
        let possible = outer.is_subset(available)
            && !tested.is_empty()
            && tested.is_subset(available)
            && !contain_volatile_functions(self.planner.catalog, test);
        if !possible {
            return Err(link);
        }
        let SubLink { test, query: subquery, .. } = *link;
        let relation = RangeTableIndex(self.query.range_table.len() as u32 + 1);
        let columns = subquery.visible_columns();
        let vars: Vec<Expr> = columns
            .iter()
            .enumerate()
            .map(|(index, column)| Expr::Var(make_var(relation, index as i16 + 1, column.ty)))
            .collect();
        self.query.range_table.push(RangeTableEntry {
            kind: RangeTableKind::Subquery(Box::new(subquery)),
            name: "ANY_subquery".to_string(),
            aliased: true,
            columns: columns.into(),
            aliased_columns: 0,
            lateral: !outer.is_empty(),
            in_from: true,
            ..Default::default()
        });
        let condition = test.map(|test| convert_test(test, &vars));
        Ok(semi_join(JoinType::Semi, JoinTree::Relation(relation), condition))
    }

    /// `convert_EXISTS_sublink_to_join`; the sublink again where it cannot be.
    fn exists_to_join(
        &mut self,
        mut link: Box<SubLink>,
        under_not: bool,
        available: &Relids,
    ) -> Result<std::result::Result<JoinExpr, Box<SubLink>>> {
        if !link.query.ctes.is_empty() || !simplify_exists(self.planner, &mut link.query)? {
            return Ok(Err(link));
        }
        // Only WHERE may have columns of the query around, and has to have some.
        let Some(mut condition) = link.query.join_tree.condition.take() else {
            return Ok(Err(link));
        };
        let outer = relations_of_level(&condition, 1);
        let possible = !outer.is_empty()
            && outer.is_subset(available)
            && !query_has_level(&link.query, 1)
            && !contain_volatile_functions(self.planner.catalog, &condition);
        if !possible {
            link.query.join_tree.condition = Some(condition);
            return Ok(Err(link));
        }
        let mut subquery = link.query;
        crate::prep::join::pull_up::replace_empty_join_tree(&mut subquery);
        let offset = self.query.range_table.len() as u32;
        let moved = |relation: RangeTableIndex| RangeTableIndex(relation.0 + offset);
        mutate_whole(&mut Renumber(moved), &mut subquery, 0);
        mutate(&mut Renumber(moved), &mut condition, 0);
        increment_levels_in_query(&mut subquery, -1, 1);
        increment_levels(&mut condition, -1, 1);
        self.query.range_table.append(&mut subquery.range_table);
        let mut from = subquery.join_tree;
        let right = if from.from.len() == 1 { from.from.remove(0) } else { JoinTree::From(from) };
        let kind = if under_not { JoinType::Anti } else { JoinType::Semi };
        Ok(Ok(semi_join(kind, right, Some(condition))))
    }
}

fn semi_join(kind: JoinType, right: JoinTree, condition: Option<Expr>) -> JoinExpr {
    let left = JoinTree::From(FromExpr::default());
    JoinExpr { kind, left, right, condition, relation: RangeTableIndex(0) }
}

/// Condition of what a tree gives.
fn with_condition(tree: JoinTree, condition: Option<Expr>) -> JoinTree {
    match (tree, condition) {
        (tree, None) => tree,
        (tree, Some(condition)) => JoinTree::From(FromExpr { from: vec![tree], condition: Some(condition) }),
    }
}
