//! What all databases share: the databases themselves, roles, tablespaces.

use catalog::catalogs::{PgAuthid, PgDatabase, PgDbRoleSetting, PgShdescription, PgTablespace};
use engine::{DEFAULT_TABLESPACE, DatabaseDef, RoleDef, TablespaceDef};

use types::names::{PG_AUTHID, PG_DATABASE, PG_TABLESPACE};

use super::Rows;
use super::rows::owned;

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

    pub fn tablespace(&self, tablespace: &TablespaceDef) -> PgTablespace {
        let option = |(name, value): &(String, String)| owned(&format!("{name}={value}"));
        let options = &tablespace.options;
        PgTablespace {
            oid: tablespace.oid,
            spcname: owned(&tablespace.name),
            spcowner: self.owner(&tablespace.owner),
            spcacl: None,
            spcoptions: (!options.is_empty()).then(|| options.iter().map(option).collect()),
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

/// The comments on them.
pub fn descriptions(catalog: &engine::Catalog) -> Vec<PgShdescription> {
    let databases = catalog.databases.values().map(|database| (PG_DATABASE, database.oid, &database.comment));
    let roles = catalog.roles.values().map(|role| (PG_AUTHID, role.oid, &role.comment));
    let tablespaces =
        catalog.tablespaces.values().map(|tablespace| (PG_TABLESPACE, tablespace.oid, &tablespace.comment));
    let row = |(classoid, objoid, comment): (_, _, &Option<String>)| {
        Some(PgShdescription { objoid, classoid, description: owned(comment.as_ref()?) })
    };
    databases.chain(roles).chain(tablespaces).filter_map(row).collect()
}

pub fn role_settings(catalog: &engine::Catalog) -> Vec<PgDbRoleSetting> {
    let setting = |(name, value): &(String, String)| owned(&format!("{name}={value}"));
    let row = |known: &engine::RoleSettings| PgDbRoleSetting {
        setdatabase: known.database,
        setrole: known.role,
        setconfig: Some(known.settings.iter().map(setting).collect()),
    };
    catalog.role_settings.iter().map(row).collect()
}
