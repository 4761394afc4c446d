//! Relation files: `base/<database>/<file>`, cut into segments of 1 GiB (`….1`, `….2`), as PostgreSQL lays them out. A table's
//! long values are in a fork of it, `<file>_toast`, which is a relation as any other but for its number: the table's, with
//! [`TOAST_FORK`]. It is made when the first such value comes, and goes with the table's files. So does `<file>_vm`, the fork with
//! the bits of its [`VisibilityMap`].
//!
//! The first segment of a relation in a tablespace is a symbolic link to the file there, and so is the fork's; further segments
//! are beside that file. So a relation is found by its number alone, recovery too. `tablespace.rs` has the rest.
//!
//! [`FileSet`] knows the data directory; a [`Relation`] knows its open segments and its length in blocks. Creating,
//! truncating and removing are rare and synchronous; reading and writing go through the engine.

mod counters;
mod directory;
mod files;
mod flush;
mod id;
mod open_files;
mod path;
mod relation;
mod segment;
mod tablespace;

pub use self::counters::{RELATION_COUNTS, RelationCounters, RelationCounts};
pub use self::files::FileSet;
pub use self::id::RelationId;
pub use self::path::DEFAULT_TABLESPACE;
pub use self::relation::{KeptLength, Relation};
pub use self::segment::SEGMENT_BLOCKS;
pub(crate) use self::segment::{blocks_of, describe};
