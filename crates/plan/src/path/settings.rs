//! What sessions may set of the planner (PostgreSQL's "Query Planning" settings).

use crate::plancat::PageCosts;

/// With PostgreSQL's defaults. Costs are in units of a page read in order.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannerSettings {
    pub seq_page_cost: f64,
    pub random_page_cost: f64,
    pub cpu_tuple_cost: f64,
    pub cpu_index_tuple_cost: f64,
    pub cpu_operator_cost: f64,
    /// Pages of 8 kB.
    pub effective_cache_size: f64,
    /// Kilobytes.
    pub work_mem: f64,
    pub hash_mem_multiplier: f64,
    pub cursor_tuple_fraction: f64,
    pub enable_seqscan: bool,
    pub enable_indexscan: bool,
    pub enable_indexonlyscan: bool,
    pub enable_bitmapscan: bool,
    pub enable_tidscan: bool,
    pub enable_sort: bool,
    pub enable_incremental_sort: bool,
    pub enable_hashagg: bool,
    pub enable_nestloop: bool,
    pub enable_material: bool,
    pub enable_mergejoin: bool,
    pub enable_hashjoin: bool,
    pub enable_memoize: bool,
    pub enable_presorted_aggregate: bool,
    pub enable_group_by_reordering: bool,
    pub enable_distinct_reordering: bool,
    pub from_collapse_limit: usize,
    pub join_collapse_limit: usize,
    /// With so many tables joins are searched for greedily.
    pub geqo_threshold: usize,
    pub geqo: bool,
}

impl PlannerSettings {
    pub fn page_costs(&self) -> PageCosts {
        PageCosts { sequential: self.seq_page_cost, random: self.random_page_cost }
    }
}

impl Default for PlannerSettings {
    fn default() -> PlannerSettings {
        PlannerSettings {
            seq_page_cost: 1.0,
            random_page_cost: 4.0,
            cpu_tuple_cost: 0.01,
            cpu_index_tuple_cost: 0.005,
            cpu_operator_cost: 0.0025,
            effective_cache_size: 524_288.0,
            work_mem: 4096.0,
            hash_mem_multiplier: 2.0,
            cursor_tuple_fraction: 0.1,
            enable_seqscan: true,
            enable_indexscan: true,
            enable_indexonlyscan: true,
            enable_bitmapscan: true,
            enable_tidscan: true,
            enable_sort: true,
            enable_incremental_sort: true,
            enable_hashagg: true,
            enable_nestloop: true,
            enable_material: true,
            enable_mergejoin: true,
            enable_hashjoin: true,
            enable_memoize: true,
            enable_presorted_aggregate: true,
            enable_group_by_reordering: true,
            enable_distinct_reordering: true,
            from_collapse_limit: 8,
            join_collapse_limit: 8,
            geqo_threshold: 12,
            geqo: true,
        }
    }
}
