//! `pg_db_role_setting`.

use types::Oid;

use crate::facts::{Name, catalog};

catalog! {
    /// What ALTER ROLE and ALTER DATABASE have set for sessions that begin; 0 is any database, or any role.
    pub struct PgDbRoleSetting in "pg_db_role_setting" {
        pub setdatabase: Oid,
        pub setrole: Oid,
        pub setconfig: Option<Box<[Name]>>,
    }
}
