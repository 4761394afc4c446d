//! What system views tell of cursors.

use std::time::SystemTime;

/// What `pg_cursors` tells of a cursor.
#[derive(Clone, Debug)]
pub struct CursorFacts {
    /// The text of DECLARE.
    pub statement: String,
    pub is_holdable: bool,
    pub is_binary: bool,
    pub is_scrollable: bool,
    pub created: SystemTime,
}
