//! The engine: a data directory opened, recovered and kept: catalog, transactions, checkpoints, settings, and who is
//! connected. It is a library; the server is one user of it. It knows nothing of the wire protocol or of SQL text.

mod activity;
mod catalog;
mod control;
mod database;
mod error;
pub mod settings;
mod table;
mod types;

pub use activity::{Activity, ActivityState, ActivityView, Backend};
pub use catalog::{Catalog, ColumnDef, DatabaseDef, FIRST_USER_OID, RoleDef, TableDef};
pub use database::{Database, OpenOptions};
pub use error::{EngineError, Result};
pub use settings::Settings;
pub use table::{Insertion, Table, TableScan};
pub use types::PgType;
