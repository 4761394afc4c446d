//! Long values, as PostgreSQL's TOAST has them: what would make a row longer than about a quarter of a page is compressed, and
//! what is still too long goes out of line, in chunks that are rows of the table's fork ([`storage::RelationId::toast`]).
//!
//! * [`stored`]: how a value lies in a row: as it is, compressed, or as a pointer to its chunks.
//! * [`save`]: which values of a new row are compressed or moved out, and writing their chunks ([`chunk`]); `delete`: deleting them.
//! * [`detoast`]: fetching values, many at once through read-ahead; [`batch`]: in Arrow batches.
//! * [`check`]: whether rows and chunks belong together.
//!
//! # Invariants
//! * A transaction that changes a row writes the chunks of its new values before, and deletes those of the values that it replaced after,
//!   in the same transaction. So chunks come, go and come back with their row: by commit, rollback and recovery alike.
//! * Chunks are never changed. A chunk is there for as long as a snapshot may see a row that leads to it; which transactions see the
//!   chunk itself is not asked.
//! * A chunk says whose it is and which. A pointer that leads to another is an error, never another value.

pub mod batch;
pub mod check;
pub(crate) mod chunk;
mod delete;
pub(crate) mod detoast;
pub(crate) mod save;
pub mod stored;
