//! Access methods. The heap keeps rows column by column within each page (PAX: Ailamaki et al., VLDB 2001), so that a page
//! turns into Arrow arrays by copying runs, and `count(*)` touches no column at all. Rows are updated in place; what they
//! were before is in the undo log.
//!
//! * [`shape`]: how a table's columns are laid out; `array`: their values in Arrow arrays.
//! * [`edit`]: changing pages, with one log record for all that belongs together; [`redo`]: replaying it.
//! * [`page`]: one heap page, to the byte, and changes within it.
//! * [`undo`]: what rows were before, putting them back, and what a transaction has done to rows.
//! * [`heap`]: tables: finding rows and fetching them, putting them in and changing them, loading them, scans, vacuum.
//! * [`toast`]: values that are too long for their row.
//! * [`index`]: indexes, of whatever access method.

mod array;
pub mod edit;
mod error;
pub mod heap;
pub mod index;
pub mod page;
pub mod progress;
pub mod redo;
pub mod shape;
pub mod toast;
pub mod undo;

pub use self::error::{AccessError, Result};
pub use heap::bulk::BulkLoad;
pub use heap::change::{Outcome, RowChange};
pub use heap::pages::Pages;
pub use heap::scan::{BatchBuilder, HeapScan};
pub use heap::scan_key::{Accepts, ScanKey};
pub use heap::{Heap, Newest, Store, Writer};
pub use heap::{activity, bulk, rekeyed, row, scan, vacuum};
pub use page::{PageRow, Tid};
pub use shape::{ColumnShape, Lying, Since, Storage, TableShape};
pub use toast::batch::{Detoaster, StoredBatch};
pub use undo::rollback;
pub use undo::{UNDO, UndoLog, UndoWriter};
