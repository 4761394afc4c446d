//! What a role may do with an object (`object_aclmask`, `pg_class_aclmask`, `pg_attribute_aclmask` and their sisters).

use error::sqlstate;
use types::acl::{AclItem, AclMode, all_privileges, default_acl, grant_options, mode::*};
use types::names::{
    ObjectAddress, PG_CLASS, PG_DATABASE, PG_LANGUAGE, PG_NAMESPACE, PG_PARAMETER_ACL, PG_PROC, PG_TABLESPACE, PG_TYPE,
    Securable,
};
use types::{Error, Oid};

use super::role::{PG_MAINTAIN, PG_READ_ALL_DATA, PG_WRITE_ALL_DATA};
use super::{How, Roles};
use crate::catalogs::{PgAttribute, PgClass};
use crate::object::{Object, ObjectKind};
use crate::syscache::Catalog;

/// Relations below are PostgreSQL's catalogs; the information schema's are above.
const FIRST_UNPINNED_OBJECT_ID: Oid = 12000;

/// The namespace of relations with long values.
const PG_TOAST: Oid = 99;

/// What of a relation's columns is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnsOf {
    One(i16),
    Any,
    All,
}

/// What may be granted on an object; `None`: nothing.
pub fn securable(catalog: Catalog<'_>, object: ObjectAddress) -> Option<Securable> {
    Some(match object.class {
        PG_CLASS if object.column != 0 => Securable::Column,
        PG_CLASS => match catalog.relation(object.oid)?.relkind {
            b'S' => Securable::Sequence,
            _ => Securable::Table,
        },
        PG_DATABASE => Securable::Database,
        PG_PROC => Securable::Function,
        PG_LANGUAGE => Securable::Language,
        PG_NAMESPACE => Securable::Schema,
        PG_PARAMETER_ACL => Securable::Parameter,
        PG_TABLESPACE => Securable::Tablespace,
        PG_TYPE => Securable::Type,
        _ => return None,
    })
}

/// The rights on an object that has none of its own yet.
pub fn default_of(catalog: Catalog<'_>, object: ObjectAddress, owner: Oid) -> Vec<AclItem> {
    securable(catalog, object).map_or_else(Vec::new, |kind| default_acl(kind, owner))
}

/// What a role is told that may not do something with an object (`aclcheck_error`).
pub fn denied(catalog: Catalog<'_>, object: ObjectAddress) -> Error {
    let name = || catalog.object(object).and_then(|found| found.name).unwrap_or_default().to_string();
    let (kind, name) = match object.class {
        PG_CLASS => {
            let relkind = catalog.relation(object.oid).map_or(b'r', |row| row.relkind);
            (ObjectKind::of_relation(relkind).map_or("relation", ObjectKind::name), name())
        }
        PG_PROC => (routine(catalog, object.oid), name()),
        PG_TYPE => ("type", catalog.format_type(catalog.element_type(object.oid).unwrap_or(object.oid))),
        PG_DATABASE => ("database", name()),
        PG_LANGUAGE => ("language", name()),
        PG_NAMESPACE => ("schema", name()),
        PG_TABLESPACE => ("tablespace", name()),
        _ => ("parameter", name()),
    };
    Error::new(sqlstate::INSUFFICIENT_PRIVILEGE, format!("permission denied for {kind} {name}"))
}

fn routine(catalog: Catalog<'_>, function: Oid) -> &'static str {
    match catalog.function(function).map(|row| row.prokind) {
        Some(b'a') => "aggregate",
        Some(b'p') => "procedure",
        _ => "function",
    }
}

/// The same of one column (`aclcheck_error_col`).
pub fn denied_column(column: &str, relation: &str) -> Error {
    let message = format!("permission denied for column \"{column}\" of relation \"{relation}\"");
    Error::new(sqlstate::INSUFFICIENT_PRIVILEGE, message)
}

impl Roles<'_> {
    /// May a role do all of this with an object? `false`, too, where there is no such object.
    pub fn may(self, role: Oid, object: ObjectAddress, mode: AclMode) -> bool {
        self.mask(role, object, mode, How::Any).is_some_and(|found| found != 0)
    }

    /// Fails with 42501 where a role may not do any of this with an object.
    pub fn require(self, role: Oid, object: ObjectAddress, mode: AclMode) -> Result<(), Error> {
        if self.may(role, object, mode) { Ok(()) } else { Err(denied(self.catalog, object)) }
    }

    /// What of a mask a role may do with an object. `None`: there is no such object. A role that is not there may what PUBLIC may.
    pub fn mask(self, role: Oid, object: ObjectAddress, mask: AclMode, how: How) -> Option<AclMode> {
        match object.class {
            PG_CLASS if object.column != 0 => self.column_mask(role, (object.oid, object.column as i16), mask, how),
            PG_CLASS => self.relation_mask(role, self.catalog.relation(object.oid)?, mask, how),
            PG_NAMESPACE => self.schema_mask(role, object, mask, how),
            PG_TYPE => {
                // Rights on an array's type are those on its element's, a multirange's those on the range's.
                let element = self.catalog.element_type(object.oid);
                let range = self.catalog.ranges_of_multirange(object.oid).next().map(|row| row.rngtypid);
                let oid = element.or(range).unwrap_or(object.oid);
                self.object_mask(role, ObjectAddress { oid, ..object }, mask, how)
            }
            _ => self.object_mask(role, object, mask, how),
        }
    }

    fn object_mask(self, role: Oid, object: ObjectAddress, mask: AclMode, how: How) -> Option<AclMode> {
        let found = self.catalog.object(object)?;
        if self.is_superuser(role) {
            return Some(mask);
        }
        Some(self.mask_of(role, object, found, mask, how))
    }

    fn mask_of(self, role: Oid, object: ObjectAddress, found: Object<'_>, mask: AclMode, how: How) -> AclMode {
        let owner = found.owner.unwrap_or(super::BOOTSTRAP_SUPERUSER);
        match found.acl {
            Some(acl) => self.mask_of_list(acl, (role, owner), mask, how),
            None => self.mask_of_list(&default_of(self.catalog, object, owner), (role, owner), mask, how),
        }
    }

    fn relation_mask(self, role: Oid, row: &PgClass, mask: AclMode, how: How) -> Option<AclMode> {
        if self.is_superuser(role) {
            return Some(mask);
        }
        const WRITES: AclMode = INSERT | UPDATE | DELETE;
        let is_system = row.oid < FIRST_UNPINNED_OBJECT_ID || row.relnamespace == PG_TOAST;
        let mask = if is_system && row.relkind != b'v' { mask & !(WRITES | TRUNCATE | USAGE) } else { mask };
        let object = ObjectAddress { class: PG_CLASS, oid: row.oid, column: 0 };
        let mut found = self.mask_of(role, object, self.catalog.object(object)?, mask, how);
        for (privileges, all) in [(SELECT, PG_READ_ALL_DATA), (WRITES, PG_WRITE_ALL_DATA), (MAINTAIN, PG_MAINTAIN)] {
            if mask & privileges & !found != 0 && self.has_privileges_of(role, all) {
                found |= mask & privileges;
            }
        }
        Some(found)
    }

    /// What a role may do with a column because of the column's own rights (`pg_attribute_aclmask`).
    fn column_mask(self, role: Oid, (relation, number): (Oid, i16), mask: AclMode, how: How) -> Option<AclMode> {
        let row = self.catalog.attributes(relation).find(|row| row.attnum == number && !row.attisdropped)?;
        let owner = self.catalog.relation(relation)?.relowner;
        Some(self.mask_of_column(row, (role, owner), mask, how))
    }

    fn mask_of_column(self, row: &PgAttribute, roles: (Oid, Oid), mask: AclMode, how: How) -> AclMode {
        row.attacl.as_ref().map_or(0, |acl| self.mask_of_list(acl, roles, mask, how))
    }

    /// May a role do any of this with columns of a relation, because of rights on the relation or on the columns? `None`: there is no
    /// such relation or column.
    pub fn may_with_columns(self, role: Oid, relation: Oid, columns: ColumnsOf, mode: AclMode) -> Option<bool> {
        let object = ObjectAddress { class: PG_CLASS, oid: relation, column: 0 };
        if let ColumnsOf::One(number) = columns {
            let of_column = self.column_mask(role, (relation, number), mode, How::Any)?;
            return Some(of_column != 0 || self.may(role, object, mode));
        }
        let of_relation = self.mask(role, object, mode, How::Any)?;
        Some(of_relation != 0 || self.may_by_columns(role, relation, columns, mode))
    }

    /// The same because of rights on columns alone (`pg_attribute_aclcheck_all`).
    pub fn may_by_columns(self, role: Oid, relation: Oid, columns: ColumnsOf, mode: AclMode) -> bool {
        let Some(owner) = self.catalog.relation(relation).map(|row| row.relowner) else { return false };
        let may = |row: &PgAttribute| self.mask_of_column(row, (role, owner), mode, How::Any) != 0;
        let own = || self.catalog.attributes(relation).filter(|row| !row.attisdropped);
        match columns {
            ColumnsOf::One(number) => own().any(|row| row.attnum == number && may(row)),
            // System columns are asked for by their numbers alone.
            ColumnsOf::Any => own().any(|row| row.attnum > 0 && may(row)),
            ColumnsOf::All => {
                let mut shown = own().filter(|row| row.attnum > 0).peekable();
                shown.peek().is_some() && shown.all(may)
            }
        }
    }

    fn schema_mask(self, role: Oid, object: ObjectAddress, mask: AclMode, how: How) -> Option<AclMode> {
        let row = self.catalog.namespace(object.oid)?;
        if self.is_superuser(role) {
            return Some(mask);
        }
        if row.nspname.starts_with("pg_temp_") && self.catalog.search_path.contains(&row.oid) {
            // The session's own.
            let database = ObjectAddress { class: PG_DATABASE, oid: self.database, column: 0 };
            let all = if self.may(role, database, TEMPORARY) { all_privileges(Securable::Schema) } else { USAGE };
            return Some(mask & all);
        }
        let mut found = self.mask_of(role, object, self.catalog.object(object)?, mask, how);
        let sees_all =
            || [PG_READ_ALL_DATA, PG_WRITE_ALL_DATA].into_iter().any(|all| self.has_privileges_of(role, all));
        if mask & USAGE & !found != 0 && sees_all() {
            found |= USAGE;
        }
        Some(found)
    }

    /// Was this granted to a role on a parameter (`pg_parameter_aclcheck`)? Superusers need no grant.
    pub fn may_with_parameter(self, role: Oid, name: &str, mode: AclMode) -> bool {
        let row = self.catalog.parameter_acls_named(&name.to_ascii_lowercase()).next();
        let object = |oid| ObjectAddress { class: PG_PARAMETER_ACL, oid, column: 0 };
        self.is_superuser(role) || row.is_some_and(|row| self.may(role, object(row.oid), mode))
    }

    /// What privileges in a role another has: USAGE is to have its privileges, CREATE to be a member, SET to become it, and the grant
    /// option of CREATE to administer it (`pg_role_aclcheck`).
    pub fn may_with_role(self, member: Oid, role: Oid, mode: AclMode) -> bool {
        (mode & grant_options(CREATE) != 0 && self.is_admin(member, role))
            || (mode & CREATE != 0 && self.is_member(member, role))
            || (mode & USAGE != 0 && self.has_privileges_of(member, role))
            || (mode & SET != 0 && self.can_set_role(member, role))
    }
}

#[cfg(test)]
mod tests {
    use super::super::membership::tests::{objects, with};
    use super::*;
    use crate::catalogs::PgNamespace;
    use crate::{PG_CATALOG, PUBLIC};
    use types::oid;

    const ALL: [bool; 3] = [false, true, true];

    fn of(class: Oid, oid: Oid) -> ObjectAddress {
        ObjectAddress { class, oid, column: 0 }
    }

    #[test]
    fn what_is_built_in_has_its_rights() {
        let nothing = objects(&[]);
        with(&nothing, |roles| {
            let (pg_class, pg_authid, pg_statistic) = (of(PG_CLASS, 1259), of(PG_CLASS, 1260), of(PG_CLASS, 2619));
            assert!(roles.may(1, pg_class, SELECT) && !roles.may(1, pg_class, INSERT));
            assert!(!roles.may(1, pg_authid, SELECT) && !roles.may(1, pg_statistic, SELECT));
            assert!(roles.may(10, pg_authid, SELECT | UPDATE));
            assert!(roles.may(1, of(PG_NAMESPACE, PUBLIC), USAGE) && !roles.may(1, of(PG_NAMESPACE, PUBLIC), CREATE));
            assert!(roles.may(1, of(PG_TYPE, oid::INT4), USAGE) && roles.may(1, of(PG_TYPE, oid::INT4_ARRAY), USAGE));
            assert_eq!(roles.mask(1, of(PG_CLASS, 99_999), SELECT, How::Any), None);
            assert_eq!(roles.may_with_columns(1, 1260, ColumnsOf::Any, SELECT), Some(false));
            let message = roles.require(1, pg_authid, SELECT).unwrap_err().0.message;
            assert_eq!(message, "permission denied for table pg_authid");
        });
    }

    #[test]
    fn predefined_roles_read_and_write_all() {
        let reads = objects(&[(PG_READ_ALL_DATA, 1, ALL), (PG_WRITE_ALL_DATA, 2, ALL), (PG_MAINTAIN, 3, ALL)]);
        let hidden = PgNamespace { oid: 20_000, nspname: "hidden".into(), nspowner: 10, nspacl: None };
        let objects = reads.with(vec![hidden]);
        with(&objects, |roles| {
            let pg_authid = of(PG_CLASS, 1260);
            assert!(roles.may(1, pg_authid, SELECT) && !roles.may(1, pg_authid, UPDATE));
            assert!(!roles.may(2, pg_authid, SELECT | UPDATE), "catalogs are written by superusers");
            assert!(roles.may(3, pg_authid, MAINTAIN));
            let hidden = of(PG_NAMESPACE, 20_000);
            assert!(roles.may(1, hidden, USAGE) && roles.may(2, hidden, USAGE) && !roles.may(3, hidden, USAGE));
            assert!(!roles.may(1, hidden, CREATE));
        });
    }

    #[test]
    fn messages_name_kinds() {
        let message = |object| denied(Catalog::BUILT_IN, object).0.message;
        assert_eq!(message(of(PG_NAMESPACE, PG_CATALOG)), "permission denied for schema pg_catalog");
        assert_eq!(message(of(PG_TYPE, oid::INT4_ARRAY)), "permission denied for type integer");
        assert_eq!(message(of(PG_PROC, 2147)), "permission denied for aggregate count");
        assert_eq!(denied_column("a", "t").0.message, "permission denied for column \"a\" of relation \"t\"");
    }
}
