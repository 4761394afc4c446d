//! Which clients may connect, and how they show who they are: the rules of `pg_hba.conf` and `pg_ident.conf`, and passwords
//! as they are kept. It reads files and computes; connections, exchanges of messages and the catalog's roles are the
//! server's and the engine's.

pub mod hba;
pub mod password;
