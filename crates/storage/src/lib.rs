//! Files of pages: page header and checksum, relation files, visibility and free-space maps, the buffer pool, the read stream and the write
//! stream. It knows nothing of rows or transactions; what a page holds behind its header is the access methods' business.
//!
//! # The way of a page
//! A reader *pins* a page ([`BufferPool::pin`], or a [`ReadStream`] that pins ahead of need), *latches* it for the moment
//! of looking or changing, and unpins it. Pinning may read and is awaited; a latch is never held across an await (its
//! guard is not `Send`, so the compiler sees to it in every spawned task). A frame that is being read owns no memory: the
//! buffer is inside the operation, and the shared completion puts it back after verifying the checksum.

mod ahead_pins;
mod condition_variable;
mod error;
mod free_space_map;
mod map_files;
mod page;
mod pool;
mod read_ahead;
mod read_stream;
mod smgr;
mod visibility_map;

pub use self::error::{Result, StorageError};
pub use free_space_map::FreeSpaceMap;
pub use map_files::{write_free_space_maps, write_visibility_maps};
pub use page::{BlockNumber, HEADER_LEN, Lsn, PAGE_SIZE, Page, PageKind, PageMut, seal, verify};
pub use pool::{
    BufferPool, BufferView, DirtyPage, LogGate, PinnedPage, PoolCounters, ScanRing, WritePriority, WriteStream, Written,
};
pub use read_ahead::ReadAhead;
pub use read_stream::{Concurrency, ReadStream};
pub use smgr::{
    DEFAULT_TABLESPACE, FileSet, KeptLength, RELATION_COUNTS, Relation, RelationCounters, RelationCounts, RelationId,
    SEGMENT_BLOCKS,
};
pub use visibility_map::{BlockChange, Staleness, VisibilityMap};
