//! Plans that run: PostgreSQL's executor (`src/backend/executor`). It knows transactions, tables and memory, and nothing of
//! the wire.
//!
//! * [`ExecPlan`]: a plan made ready: its nodes, with everything looked up and compiled. [`Query`]: one that runs.
//! * [`run`]: what a statement runs in, what a node is, and the rows that it gives. A [`run::estate::Run`] is a part of a statement that
//!   has its own parameters. Nothing in a node changes when it runs: to run something for each row is to start it with other
//!   parameters.
//! * `compile`: from plans to nodes. `expr`: expressions in nodes: conditions, targets, what they wait for, and how far nodes go before
//!   they give what they have. `nodes` has the nodes, under PostgreSQL's names; `agg`, `window` and `modify_table` are some of them.
//! * [`batch`]: rows between nodes: columns whose representations each node knows since it was compiled.
//! * [`keys`]: by what rows are compared. [`memory`]: what a statement may hold, and files for what it has no memory for.
//! * [`CopyFrom`]: what COPY does with the rows that it reads. [`IntoRel`]: rows that EXPLAIN ANALYZE puts into a new table.
//! * [`IndexFunctions`]: what indexes compute of rows.
//! * `verify`: in debug builds, whether a node that is ready gives what its plan says.
//!
//! Nodes are our own: they start in less than a microsecond, run small inputs without ado, wait wherever an expression waits,
//! and give way. What DataFusion does well for many rows they hand to it: its sort that writes to disk, its hashing, its
//! tables of groups, its memory pools.

mod agg;
pub mod batch;
mod compile;
pub mod convert;
mod copy_from;
pub mod error;
mod expr;
mod index_functions;
mod into_rel;
pub mod keys;
pub mod memory;
mod modify_table;
mod nodes;
mod point;
mod prepared;
pub mod run;
mod verify;
mod window;

pub use self::error::{Error, Result};
pub use batch::Batch;
pub use compile::facts::{self, EngineTables, Facts};
pub use copy_from::{CopiedRows, CopyError, CopyFrom, CopyInto};
pub use index_functions::IndexFunctions;
pub use into_rel::IntoRel;
pub use memory::tuplestore::RowStore;
pub use point::Point;
pub use prepared::{ExecPlan, Query};
pub use run::estate::{Environment, Settings, Tables};
pub use run::instrument::{HeapBlocks, Instrumentation};
pub use run::transaction::SharedTransaction;
