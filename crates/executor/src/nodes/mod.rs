//! The nodes, one or a few a file, under PostgreSQL's names for them. [`init_node`] makes them ready and knows all of them.
//!
//! * [`scan`]: nodes that read; [`join`]: those that join. [`cte`]: rows that several read.
//! * [`around`]: what is put around a node and is none of the plan.

pub mod append;
pub mod around;
pub mod cte;
pub mod init_node;
pub mod join;
pub mod limit;
pub mod lock_rows;
pub mod merge_append;
pub mod project_set;
pub mod recursive_union;
pub mod result;
pub mod scan;
pub mod set_op;
pub mod sets;
pub mod sort;
pub mod unique;
