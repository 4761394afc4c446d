//! Who may do what: rights as the catalogs keep them (PostgreSQL's `acl.c` and the questions of `aclchk.c`). Statements, commands,
//! and functions of SQL ask here, and GRANT and REVOKE make their lists here.
//!
//! * [`Roles`]: which roles a role is a member of, and what that means (`membership`).
//! * [`Roles::mask`] and its sisters: what a role may do with an object (`check`).
//! * [`crate::Catalog::require_execute`]: whether the role of a statement may call a function (`execute`).
//! * [`Roles::row_security`]: whether policies count for a role (`row_security`).
//! * `list`: what GRANT and REVOKE make of a list of rights.
//!
//! # Invariants
//! * In a list no two items are between the same grantee and the same grantor, and none is empty.
//! * A superuser may do all; built-in tables are changed by superusers alone.

mod check;
mod execute;
mod list;
mod membership;
mod row_security;

pub use check::{ColumnsOf, default_of, denied, denied_column, securable};
pub use list::{Behavior, Change, Grantor, members, new_owner};
pub use membership::{Memberships, Recursion, Roles, Viewer};
pub use row_security::RowSecurity;

use types::Oid;

/// The superuser that a data directory is made with.
pub const BOOTSTRAP_SUPERUSER: Oid = 10;

/// PostgreSQL's own roles, of which others are members.
pub mod role {
    use types::Oid;

    pub const PG_MONITOR: Oid = 3373;
    pub const PG_READ_ALL_SETTINGS: Oid = 3374;
    pub const PG_READ_ALL_STATS: Oid = 3375;
    pub const PG_SIGNAL_BACKEND: Oid = 4200;
    pub const PG_CHECKPOINT: Oid = 4544;
    pub const PG_READ_SERVER_FILES: Oid = 4569;
    pub const PG_WRITE_SERVER_FILES: Oid = 4570;
    pub const PG_DATABASE_OWNER: Oid = 6171;
    pub const PG_READ_ALL_DATA: Oid = 6181;
    pub const PG_WRITE_ALL_DATA: Oid = 6182;
    pub const PG_MAINTAIN: Oid = 6337;
}

/// How much of what is asked for has to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    All,
    Any,
}
