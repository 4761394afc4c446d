//! What is put around a node and is none of the plan: long values fetched ([`detoast`]), the row that was carried along ([`copied_row`]),
//! init plans ([`init_plan`]), what counts for EXPLAIN ANALYZE ([`instrumented`]).

pub mod copied_row;
pub mod detoast;
pub mod init_plan;
pub mod instrumented;
