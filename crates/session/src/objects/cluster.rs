//! What all databases share: the databases themselves, roles, tablespaces.

use catalog::Objects;
use catalog::catalogs::{PgAuthid, PgDatabase, PgDbRoleSetting, PgShdescription, PgTablespace};
use engine::{DEFAULT_TABLESPACE, DatabaseDef, RoleDef, TablespaceDef};
use types::Oid;
use types::names::{PG_AUTHID, PG_DATABASE, PG_TABLESPACE};

use super::rows::owned;
use super::{Version, each};

/// The encoding's number: UTF8.
const UTF8: i32 = 6;

/// Puts the rows of what is another one in a version in place of those of the version before.
pub fn replace(objects: &mut Objects, before: Version<'_>, now: Version<'_>) {
    each(&before.catalog.roles, &now.catalog.roles, |old, new| {
        objects.replace(&Vec::from_iter(old.map(role)), Vec::from_iter(new.map(role)));
        let comment = |role: &RoleDef| shared(PG_AUTHID, role.oid, &role.comment);
        objects.replace(&Vec::from_iter(old.and_then(comment)), Vec::from_iter(new.and_then(comment)));
    });
    let databases = |version: Version<'_>| -> Vec<PgDatabase> {
        version.catalog.databases.values().map(|database| version.pg_database(database)).collect()
    };
    objects.replace(&databases(before), databases(now));
    let tablespaces = |version: Version<'_>| -> Vec<PgTablespace> {
        version.catalog.tablespaces.values().map(|tablespace| version.tablespace(tablespace)).collect()
    };
    objects.replace(&tablespaces(before), tablespaces(now));
    objects.replace(&role_settings(before.catalog), role_settings(now.catalog));
    objects.replace(&descriptions(before.catalog), descriptions(now.catalog));
}

impl Version<'_> {
    fn pg_database(&self, database: &DatabaseDef) -> PgDatabase {
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

    fn tablespace(&self, tablespace: &TablespaceDef) -> PgTablespace {
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

fn role(role: &RoleDef) -> PgAuthid {
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

/// The comments on databases and tablespaces.
fn descriptions(catalog: &engine::Catalog) -> Vec<PgShdescription> {
    let databases = catalog.databases.values().map(|database| shared(PG_DATABASE, database.oid, &database.comment));
    let tablespaces = catalog.tablespaces.values();
    databases
        .chain(tablespaces.map(|tablespace| shared(PG_TABLESPACE, tablespace.oid, &tablespace.comment)))
        .flatten()
        .collect()
}

fn shared(classoid: Oid, objoid: Oid, comment: &Option<String>) -> Option<PgShdescription> {
    Some(PgShdescription { objoid, classoid, description: owned(comment.as_ref()?) })
}

fn role_settings(catalog: &engine::Catalog) -> Vec<PgDbRoleSetting> {
    let setting = |(name, value): &(String, String)| owned(&format!("{name}={value}"));
    let row = |known: &engine::RoleSettings| PgDbRoleSetting {
        setdatabase: known.database,
        setrole: known.role,
        setconfig: Some(known.settings.iter().map(setting).collect()),
    };
    catalog.role_settings.iter().map(row).collect()
}
