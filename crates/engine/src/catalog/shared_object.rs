//! Changes of what all databases share: databases, roles, tablespaces.

use catalog::catalogs::{PgDbRoleSetting, PgShdepend};
use catalog::{CatalogKey, FIRST_NORMAL_OBJECT_ID, Keyed, RowChange, Scan};
use types::Oid;
use types::names::{ObjectAddress, PG_AUTH_MEMBERS, PG_AUTHID, PG_DATABASE, PG_TABLESPACE};

use super::{Catalog, DatabaseChange};

/// Puts a row that all databases share.
pub(crate) fn put_shared<R: Keyed>(row: R) -> DatabaseChange {
    assert!(R::SHARED, "all databases have it");
    (0, RowChange::Put(R::any(row.into())))
}

/// What says that a role owns an object in a database (0: which all share), so that the role is not dropped. Built-in roles stay
/// anyway.
pub fn owner_dependency(dbid: Oid, (class, oid): (Oid, Oid), owner: Oid) -> Option<PgShdepend> {
    let object = ObjectAddress { class, oid, column: 0 };
    (owner >= FIRST_NORMAL_OBJECT_ID).then(|| PgShdepend::on_role(dbid, object, owner, b'o'))
}

/// What deletes an object that all databases share, with what is said of it, and what it depends on.
pub fn without_shared(catalog: &Catalog, class: Oid, oid: Oid) -> Vec<CatalogKey> {
    let rows = catalog.shared();
    let mut gone = vec![match class {
        PG_DATABASE => CatalogKey::PgDatabase(oid),
        PG_TABLESPACE => CatalogKey::PgTablespace(oid),
        _ => CatalogKey::PgAuthid(oid),
    }];
    let is_set_of = |row: &&PgDbRoleSetting| match class {
        PG_DATABASE => row.setdatabase == oid,
        PG_AUTHID => row.setrole == oid,
        _ => false,
    };
    let settings = PgDbRoleSetting::visible(rows).filter(is_set_of);
    gone.extend(settings.map(|row| CatalogKey::PgDbRoleSetting(row.key())));
    let depends = PgShdepend::visible(rows).filter(|row| {
        (row.dbid, row.classid, row.objid) == (0, class, oid) || (class == PG_DATABASE && row.dbid == oid)
    });
    gone.extend(depends.map(|row| CatalogKey::PgShdepend(row.key())));
    let memberships = rows.members_of(oid).chain(rows.memberships_of(oid)).filter(|_| class == PG_AUTHID);
    for row in memberships {
        gone.push(CatalogKey::PgAuthMembers(row.key()));
        let depends = rows.shared_depends_on((0, PG_AUTH_MEMBERS, row.oid));
        gone.extend(depends.map(|row| CatalogKey::PgShdepend(row.key())));
    }
    let comments = rows.shared_descriptions_of(oid).filter(|row| row.classoid == class);
    gone.extend(comments.map(|row| CatalogKey::PgShdescription(row.key())));
    gone
}
