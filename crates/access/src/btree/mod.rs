//! B-trees: a B-link tree (Lehman and Yao, TODS 1981) of keys that compare as bytes.
//!
//! An entry is a tuple ([`key`]: the key, and the included columns) with the row's identity behind it, so no two entries are the
//! same, and putting one in that is there already changes nothing. Entries say nothing about transactions: a row keeps its identity
//! and is updated in place, so whoever finds an entry looks at the row and asks whether the version it sees has this tuple. Entries
//! of tuples that rows have no more are therefore harmless; whoever meets them removes them, and so does vacuum.
//!
//! * [`page`]: one page, to the byte, [`layout`]: how much of its entries is there once; [`tree`]: descending, looking up;
//!   [`insert`]: inserting, splitting, [`merge`]: many entries at once, [`leaves_ahead`]: reading their leaves before; [`scan`]:
//!   reading along the leaves, [`filter`]: leaving out entries on the way; [`build`]: a tree from sorted entries; [`kill`]: removing what leads nowhere.

pub mod build;
mod compress;
pub mod filter;
pub mod insert;
pub mod key;
pub mod kill;
pub(crate) mod layout;
mod leaves_ahead;
mod merge;
pub mod page;
pub mod scan;
pub mod tree;

pub use build::Builder;
pub use key::{IncludedColumn, KeyColumn, KeyShape, MAX_KEY};
pub use kill::HasTuple;
pub use scan::{IndexScan, KeyRange};
pub use tree::BTree;
