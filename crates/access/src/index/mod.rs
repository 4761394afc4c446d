//! Indexes. [`method`] is what all others see of them; how an index lies and is changed is its method's.
//!
//! * [`method`]: what an access method can do and does, and an open index of any; [`scan`]: its entries page by page, [`scan_keys`]: what
//!   is asked for; [`kill`]: removing entries that lead nowhere.
//! * [`key`]: keys whose bytes compare as their values do, and entries, which are made of them; `compress`: long texts in them.
//! * `btree`: B-trees.

mod btree;
mod compress;
pub mod key;
pub mod kill;
pub mod method;
pub mod scan;
pub mod scan_keys;

pub use key::{Entries, IncludedColumn, KeyColumn, KeyShape, KeyValues, RowEntries};
pub use kill::HasTuple;
pub use method::{Builder, Capabilities, Index, Method, Parameter, ParameterValues};
pub use scan::IndexScan;
pub use scan_keys::{KeyFilter, KeyRange, PartCondition};
