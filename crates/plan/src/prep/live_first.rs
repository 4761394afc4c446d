//! What FROM is left with gets the first places of the range table: subqueries that were pulled up leave entries behind, and sets of
//! relations have room for the first ones only.

use analyze::query::*;

use crate::manip::{Renumber, mutate_whole, relations_in_tree};
use crate::path::relset::Rels;

/// Of SELECT alone: what changes a table names entries elsewhere too.
pub fn put_live_entries_first(query: &mut Query) {
    let count = query.range_table.len();
    if count <= Rels::MOST as usize || query.command != CommandType::Select || query.set_operations.is_some() {
        return;
    }
    let mut live = vec![false; count];
    for tree in &query.join_tree.from {
        let relations = relations_in_tree(tree, false);
        let is_live = |at: usize| relations.contains(RangeTableIndex(at as u32 + 1));
        live.iter_mut().enumerate().for_each(|(at, live)| *live |= is_live(at));
    }
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&at| !live[at]);
    let mut places = vec![RangeTableIndex(0); count];
    for (number, &at) in (1..).zip(&order) {
        places[at] = RangeTableIndex(number);
    }
    mutate_whole(&mut Renumber(|relation: RangeTableIndex| places[relation.index()]), query, 0);
    let mut entries: Vec<Option<RangeTableEntry>> = query.range_table.drain(..).map(Some).collect();
    query.range_table = order.iter().filter_map(|&at| entries[at].take()).collect();
}
