//! The rows of a new cluster and of a new database.

use catalog::catalogs::{PgAuthid, PgDatabase, PgShdescription};
use catalog::facts::Name;
use types::Oid;
use types::names::PG_DATABASE;

use super::{Catalog, DatabaseChange, FIRST_USER_OID, put_shared};
use storage::DEFAULT_TABLESPACE;

/// The role that owns what is built in, and its name.
pub(crate) const BOOTSTRAP_SUPERUSER: Oid = 10;

/// The encoding's number: UTF8.
const UTF8: i32 = 6;

/// A new cluster's: the databases and the role that PostgreSQL starts with, and the role of the user that made it.
pub(crate) fn new_cluster(system_user: &str) -> Catalog {
    let databases = [
        (1, "template1", "default template for new databases", true, true),
        (4, "template0", "unmodifiable empty database", true, false),
        (5, "postgres", "default administrative connection database", false, true),
    ];
    let mut changes: Vec<DatabaseChange> = vec![put_shared(superuser(BOOTSTRAP_SUPERUSER, "postgres"))];
    for (oid, name, comment, datistemplate, datallowconn) in databases {
        changes.push(put_shared(PgDatabase {
            datistemplate,
            datallowconn,
            ..new_database(oid, name, BOOTSTRAP_SUPERUSER)
        }));
        let description = Name::Owned(comment.into());
        changes.push(put_shared(PgShdescription { objoid: oid, classoid: PG_DATABASE, description }));
    }
    if system_user != "postgres" {
        changes.push(put_shared(superuser(FIRST_USER_OID, system_user)));
    }
    let mut catalog = Catalog { next_oid: FIRST_USER_OID, ..Catalog::default() };
    catalog.apply(&changes);
    catalog
}

pub(crate) fn new_database(oid: Oid, name: &str, owner: Oid) -> PgDatabase {
    PgDatabase {
        oid,
        datname: Name::Owned(name.into()),
        datdba: owner,
        encoding: UTF8,
        datlocprovider: b'c',
        datistemplate: false,
        datallowconn: true,
        dathasloginevt: false,
        datconnlimit: -1,
        datfrozenxid: 0,
        datminmxid: 1,
        dattablespace: DEFAULT_TABLESPACE,
        datcollate: Name::Borrowed("C.UTF-8"),
        datctype: Name::Borrowed("C.UTF-8"),
        datlocale: None,
        daticurules: None,
        datcollversion: None,
        datacl: None,
    }
}

/// A role that may do everything.
fn superuser(oid: Oid, name: &str) -> PgAuthid {
    PgAuthid {
        oid,
        rolname: Name::Owned(name.into()),
        rolsuper: true,
        rolinherit: true,
        rolcreaterole: true,
        rolcreatedb: true,
        rolcanlogin: true,
        rolreplication: true,
        rolbypassrls: true,
        rolconnlimit: -1,
        rolpassword: None,
        rolvaliduntil: None,
    }
}
