//! What all databases share: the databases themselves, and roles.

use catalog::catalogs::{PgAuthid, PgDatabase};
use engine::{DatabaseDef, RoleDef};
use types::Oid;

use super::Rows;
use super::rows::owned;

/// Rows of `pg_tablespace`.
const DEFAULT_TABLESPACE: Oid = 1663;

/// The encoding's number: UTF8.
const UTF8: i32 = 6;

impl Rows<'_> {
    pub fn database(&self, database: &DatabaseDef) -> PgDatabase {
        PgDatabase {
            oid: database.oid,
            datname: owned(&database.name),
            datdba: self.owner(&database.owner),
            encoding: UTF8,
            datlocprovider: b'c',
            datistemplate: database.is_template,
            datallowconn: database.allow_connections,
            dathasloginevt: false,
            datconnlimit: -1,
            datfrozenxid: 0,
            datminmxid: 1,
            dattablespace: DEFAULT_TABLESPACE,
            datcollate: owned("C.UTF-8"),
            datctype: owned("C.UTF-8"),
            datlocale: None,
            daticurules: None,
            datcollversion: None,
            datacl: None,
        }
    }
}

pub fn role(role: &RoleDef) -> PgAuthid {
    PgAuthid {
        oid: role.oid,
        rolname: owned(&role.name),
        rolsuper: role.superuser,
        rolinherit: role.inherit,
        rolcreaterole: role.create_role,
        rolcreatedb: role.create_db,
        rolcanlogin: role.login,
        rolreplication: role.replication,
        rolbypassrls: role.bypass_rls,
        rolconnlimit: role.connection_limit.map_or(-1, |limit| limit as i32),
        rolpassword: role.password.as_deref().map(owned),
        rolvaliduntil: role.valid_until,
    }
}

/// PostgreSQL's own roles.
const PREDEFINED_ROLES: [(Oid, &str); 16] = [
    (3373, "pg_monitor"),
    (3374, "pg_read_all_settings"),
    (3375, "pg_read_all_stats"),
    (3377, "pg_stat_scan_tables"),
    (4200, "pg_signal_backend"),
    (4544, "pg_checkpoint"),
    (4550, "pg_use_reserved_connections"),
    (4569, "pg_read_server_files"),
    (4570, "pg_write_server_files"),
    (4571, "pg_execute_server_program"),
    (6171, "pg_database_owner"),
    (6181, "pg_read_all_data"),
    (6182, "pg_write_all_data"),
    (6304, "pg_create_subscription"),
    (6337, "pg_maintain"),
    (6392, "pg_signal_autovacuum_worker"),
];

/// Nobody has them, but they own what PostgreSQL says they own.
pub fn predefined_roles() -> impl Iterator<Item = PgAuthid> {
    PREDEFINED_ROLES
        .iter()
        .map(|&(oid, name)| PgAuthid { oid, ..role(&RoleDef { inherit: true, ..RoleDef::new(oid, name) }) })
}
