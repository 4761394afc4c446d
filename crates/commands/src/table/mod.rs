//! Tables, their columns and constraints: PostgreSQL's `tablecmds.c` and `parse_utilcmd.c`, a file for each of their parts.

pub mod alter_column;
pub mod alter_table;
pub mod alter_type;
pub mod column;
pub mod constraint;
pub mod create_like;
pub mod create_table;
pub mod create_table_as;
pub mod lock;
pub mod missing_value;
pub mod not_null;
pub mod on_commit;
pub mod rewrite_table;
pub mod set_constraints;
pub mod truncate;
