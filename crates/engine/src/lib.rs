//! The engine: a data directory opened, recovered and kept: catalog, transactions, checkpoints, settings, and who is
//! connected. It is a library; the server is one user of it. It knows nothing of the wire protocol or of SQL text.

mod activity;
mod catalog;
mod checkpoint;
mod column_type;
pub mod data_directory;
mod database;
mod index;
pub mod memory;
mod prewarm;
mod recovery;
mod sequence;
mod sort;
mod statistics;
mod table;
mod transaction;

pub use crate::catalog::{
    Analyzed, AnalyzedColumn, AnalyzedIndex, Catalog, CheckDef, ColumnDef, CompositeColumn, CompositeDef, Computed,
    DatabaseDef, FIRST_USER_OID, Identity, IndexColumn, IndexDef, IndexExpression, IndexKey, Lies, MAX_COLUMNS,
    MissingValue, Named, NodeTree, ObjectAddress, SequenceDef, TableDef, ViewColumn, ViewDef, index_column_names,
    is_temporary, needs_toast_table, objects_of_index, owner_dependency, reloptions, toast_table, without_shared,
};
pub use activity::{Activity, ActivityState, ActivityView, Backend, Certificate, Client, ProgressReport, Tls};
pub use checkpoint::counters::{BackgroundWriterCounters, CheckpointCounters};
pub use column_type::ColumnType;
pub use data_directory::files::{replace_file, system_user};
pub use database::{Database, OpenOptions, database_in_use};
pub use error::{Error as EngineError, Result};
pub use index::keys::{IndexFunctions, IndexKeys, KeyCompiler, KeyedRows};
pub use index::rows::{IndexRows, IndexScanCounters, KeyRange, LookUp, LookedUp};
pub use index::{Found, Index, KeyPlaces, WriteOptions};
pub use prewarm::Prewarm;
pub use sequence::{Sequence, SequenceState};
pub use sort::temporary_files::{TemporaryFile, TemporaryFiles};
pub use statistics::database_counters::{DatabaseCount, DatabaseCounters, DatabaseCounts};
pub use statistics::sample::Sample;
pub use storage::DEFAULT_TABLESPACE;
pub use table::tid_bitmap::{BitmapRows, SharedBitmap, TidBitmap};
pub use table::vacuum::{VacuumOptions, Vacuumed};
pub use table::{Insertion, TID_COLUMN, Table, TableScan};
pub use transaction::{Committing, Durability, Savepoint, Transaction};
