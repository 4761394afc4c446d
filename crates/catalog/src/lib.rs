//! PostgreSQL's catalogs: what objects there are, and the look-ups that the analysis, the planner and `pg_catalog` itself
//! make in them (`src/backend/catalog`, `syscache.c`, `lsyscache.c`, `namespace.c`, `typcache.c`). It knows types and no
//! statement.
//!
//! * [`Catalog`]: what a statement sees, with its search path; every look-up is a method of it. `syscache` finds rows by their
//!   keys, `lsyscache` answers simple questions, `namespace` goes from names to objects, `typcache` says how values of a type
//!   are compared, `format_type` writes types as SQL does.
//! * [`catalogs`]: the row of each catalog, a struct whose fields are the catalog's columns. [`Scan::all`] gives the built-in
//!   rows: facts that `record.sh` read from PostgreSQL 18 into `builtin/*.tsv` (the licence is beside them). They are read
//!   when they are first needed.
//! * [`acl`]: who may do what: roles, their memberships, and lists of rights.
//! * [`object`]: what the catalogs say of any object, of whichever kind: its row of properties, its description, its identity, and
//!   the object that has a name.
//! * [`implemented`]: which of the functions are here. [`system_table`]: the catalogs as tables that show what is here.
//!
//! # Invariants
//! * Facts are PostgreSQL's. What is here is what the room of types declares; a declaration that is no fact fails a test.
//! * An answer depends on the catalogs and the search path only.
//!
//! # The objects of users
//! [`Objects`] is one version of the users' objects in a database: the same structs, found in the same ways. Look-ups ask the
//! built-in rows and then these. Versions are immutable and shared; engine keeps them, makes them durable, and derives its
//! definitions of relations from them. What changes them is a [`RowChange`].
//!
//! `pg_depend` has rows for users' objects only; what is built in is pinned, by its oid. DROP asks it, RESTRICT and CASCADE
//! alike.
//!
//! `pg_catalog`'s relations are [`system_table::SystemTable`]s: a scan gives them the conditions `column = value` that the
//! planner found and gets the columns it needs. Users' rows come after the built-in ones, through the same structs.
//! Relations of features that do not exist are tables without rows. Views stay views: the rewriter expands the recorded
//! definitions.

pub mod acl;
pub mod catalogs;
pub mod facts;
mod format_type;
pub mod implemented;
mod indeterminate;
mod index;
mod lsyscache;
mod namespace;
pub mod object;
pub mod object_name;
mod opfamily;
mod row_change;
mod stored_row;
mod syscache;
pub mod system_table;
mod typcache;
mod type_name;

pub use lsyscache::{ARRAY_SUBSCRIPT_HANDLER, DEFAULT_COLLATION, INDETERMINATE_COLLATION, TYPCATEGORY_STRING, is_c};
pub use namespace::{CallShape, Candidate, QualifiedName};
pub use opfamily::{Interpretation, Ordering};
pub use row_change::{Pending, RowChange};
pub use syscache::{
    Catalog, CatalogKey, CatalogRow, FIRST_NORMAL_OBJECT_ID, Gathered, Keyed, Objects, PG_CATALOG, PUBLIC, Scan,
};
pub use typcache::{BTREE, Comparison, HASH, SortGroupOperators, strategy};
pub use type_name::sql_type_name;
pub use types::quote::{Keyword, keyword, quote_identifier};
