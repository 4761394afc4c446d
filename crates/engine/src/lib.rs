//! The engine: a data directory opened, recovered and kept: catalog, transactions, checkpoints, settings, and who is
//! connected. It is a library; the server is one user of it. It knows nothing of the wire protocol or of SQL text.

mod activity;
mod catalog;
mod checkpoint;
mod column_type;
mod conflicts_ahead;
mod control;
mod current_catalog;
pub mod data_directory;
mod database;
mod database_counters;
mod deferred;
pub mod encoding;
mod error;
mod exported_snapshots;
pub mod hba;
mod index;
mod index_build;
mod index_keys;
mod index_load;
mod index_rows;
pub mod memory;
mod merge;
mod new_directory;
pub mod password;
mod pool_size;
mod prewarm;
mod recovery;
mod row_text;
mod run;
mod sample;
mod seen_keys;
mod sequence;
pub mod settings;
mod sort;
mod statistics;
pub mod style;
mod table;
mod temporary;
mod temporary_files;
mod tid_bitmap;
mod transaction;
mod truncate;
mod undo_limit;
mod vacuum;
mod work_memory;
mod worker_places;

pub use activity::{Activity, ActivityState, ActivityView, Backend, Certificate, Client, Telling, Tls};
pub use catalog::{
    Analyzed, AnalyzedColumn, AnalyzedIndex, Catalog, Change, CheckDef, ColumnDef, CommentDef, Computed, DatabaseDef,
    ExtensionDef, FIRST_USER_OID, Identity, IndexColumn, IndexDef, IndexExpression, IndexKey, Named, NamespaceDef,
    NodeTree, ObjectAddress, RoleDef, RoleSettings, SequenceDef, TableDef, TablespaceDef, ViewColumn, ViewDef,
    is_temporary,
};
pub use checkpoint::CheckpointCounters;
pub use column_type::ColumnType;
pub use database::{Database, OpenOptions, replace_file, system_user};
pub use database_counters::{DatabaseCount, DatabaseCounters, DatabaseCounts};
pub use error::{EngineError, Result};
pub use index::{Found, Index, KeyPlaces, WriteOptions};
pub use index_keys::{IndexFunctions, IndexKeys, KeyCompiler, KeyedRows};
pub use index_rows::{Effort, IndexRows, KeyRange, LookUp, LookedUp};
pub use prewarm::Prewarm;
pub use sample::Sample;
pub use sequence::{Sequence, SequenceState};
pub use settings::Settings;
pub use storage::DEFAULT_TABLESPACE;
pub use style::Style;
pub use table::{Insertion, TID_COLUMN, Table, TableScan};
pub use temporary_files::{TemporaryFile, TemporaryFiles};
pub use tid_bitmap::{BitmapRows, SharedBitmap, TidBitmap};
pub use transaction::{Committing, Durability, Savepoint, Transaction};
pub use vacuum::{VacuumOptions, Vacuumed};
