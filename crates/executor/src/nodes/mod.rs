//! The nodes, one or a few a file, under PostgreSQL's names for them.

pub mod append;
pub mod function_scan;
pub mod hash_join;
pub mod index_look_up;
pub mod index_scan;
pub mod join;
pub mod limit;
pub mod look_up_key;
pub mod memoize;
pub mod merge_append;
pub mod nest_loop;
pub mod place;
pub mod project_set;
pub mod ranges;
pub mod recursive_union;
pub mod result;
pub mod scan;
pub mod seq_scan;
pub mod sequence_scan;
pub mod set_op;
pub mod sets;
pub mod sort;
pub mod system_scan;
pub mod tid_scan;
pub mod unique;
pub mod values_scan;
