//! Plans that run: PostgreSQL's executor (`src/backend/executor`). It knows transactions, tables and memory, and nothing of
//! the wire.
//!
//! * [`ExecPlan`]: a plan made ready: its nodes, with everything looked up and compiled. [`Query`]: one that runs.
//! * [`estate`]: what a statement runs in; a [`estate::Run`] is a part of it that has its own parameters. Nothing in a node
//!   changes when it runs: to run something for each row is to start it with other parameters.
//! * `pace`: how far nodes go before they give what they have: whoever may leave says so.
//! * [`node`]: what a node is; `nodes` has them, under PostgreSQL's names. [`output`]: conditions and targets, which each has.
//! * [`batch`]: rows between nodes: columns whose representations each node knows since it was compiled.
//! * [`keys`]: by what rows are compared. [`memory`]: what a statement may hold; `temp_file`: what it has no memory for;
//!   `tuplestore`: rows that are kept.
//! * [`CopyFrom`]: what COPY does with the rows that it reads. [`IntoRel`]: rows that EXPLAIN ANALYZE puts into a new table.
//! * [`IndexFunctions`]: what indexes compute of rows.
//! * `verify`: in debug builds, whether a node that is ready gives what its plan says.
//! * [`subplan`]: the plans of expressions, and init plans; [`cte`]: rows that several read.
//!
//! Nodes are our own: they start in less than a microsecond, run small inputs without ado, wait wherever an expression waits,
//! and give way. What DataFusion does well for many rows they hand to it: its sort that writes to disk, its hashing, its
//! tables of groups, its memory pools.

mod agg;
pub mod batch;
mod compile;
pub mod convert;
mod copy_from;
mod counted_files;
mod cte;
mod deep;
pub mod error;
pub mod estate;
pub mod facts;
mod gather;
mod index_functions;
pub mod instrument;
mod into_rel;
pub mod keys;
mod lasting;
mod late_detoast;
mod lock_rows;
pub mod memory;
mod modify_table;
mod multi_expr;
pub mod node;
mod nodes;
pub mod output;
mod pace;
mod point;
mod prepared;
mod share;
mod subplan;
mod temp_file;
mod transaction;
mod tuplestore;
mod verify;
mod walk;
mod window;

pub use self::error::{Error, Result};
pub use batch::Batch;
pub use copy_from::{CopiedRows, CopyError, CopyFrom, CopyInto};
pub use estate::{Environment, Settings, Tables};
pub use facts::{EngineTables, Facts};
pub use index_functions::IndexFunctions;
pub use instrument::{HeapBlocks, Instrumentation};
pub use into_rel::IntoRel;
pub use point::{Point, PointColumn};
pub use prepared::{ExecPlan, Query};
pub use transaction::SharedTransaction;
pub use tuplestore::RowStore;
