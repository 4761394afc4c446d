//! What an object is called in messages, and by `pg_describe_object`: PostgreSQL's `getObjectDescription`.

use types::names::*;
use types::{Oid, Result};

use super::ObjectAddress;
use super::property::ObjectProperty;
use crate::catalogs::PgDefaultAcl;
use crate::syscache::Catalog;

impl Catalog<'_> {
    /// `None`: there is no such object. Fails for a catalog that has none.
    pub fn describe(self, address: ObjectAddress) -> Result<Option<String>> {
        let ObjectAddress { class, oid, column } = address;
        let property = ObjectProperty::of(class).ok_or_else(|| super::kind::no_objects_in(class))?;
        Ok(match class {
            PG_CLASS if column != 0 => self.column_description(oid, column),
            PG_CLASS => self.relation_description(oid),
            PG_ATTRDEF => self.attribute_default(oid).and_then(|row| {
                let column = self.column_description(row.adrelid, row.adnum.into())?;
                Some(format!("default value for {column}"))
            }),
            PG_CONSTRAINT => self.constraint(oid).map(|row| match self.relation_description(row.conrelid) {
                Some(relation) => format!("constraint {} on {relation}", row.conname),
                None => format!("constraint {}", row.conname),
            }),
            PG_REWRITE => self.rule(oid).and_then(|row| {
                let relation = self.relation_description(row.ev_class)?;
                Some(format!("rule {} on {relation}", row.rulename))
            }),
            PG_POLICY => self.policy(oid).and_then(|row| {
                let relation = self.relation_description(row.polrelid)?;
                Some(format!("policy {} on {relation}", row.polname))
            }),
            PG_TYPE => self.pg_type(oid).map(|_| format!("type {}", self.format_type(oid))),
            PG_PROC => self.function(oid).map(|row| format!("function {}", self.function_signature(row))),
            PG_OPERATOR => self.operator(oid).map(|row| format!("operator {}", self.operator_signature(row))),
            PG_CAST => self.casts_of_oid(oid).next().map(|row| {
                format!("cast from {} to {}", self.format_type(row.castsource), self.format_type(row.casttarget))
            }),
            PG_AUTH_MEMBERS => self.auth_members_of_oid(oid).next().map(|row| {
                let name = |role| self.role(role).map_or_else(String::new, |row| row.rolname.to_string());
                format!("membership of role {} in role {}", name(row.member), name(row.roleid))
            }),
            PG_DEFAULT_ACL => self.default_acl(oid).map(|row| self.default_acl_description(row)),
            PG_OPCLASS => self.opclass(oid).and_then(|row| {
                let name = self.shown_as(PG_OPCLASS, oid, row.opcnamespace, &row.opcname);
                self.of_access_method("operator class", &name, row.opcmethod)
            }),
            PG_OPFAMILY => self.family_description(oid),
            PG_AMOP => self.amops_of_oid(oid).next().and_then(|row| {
                let operator = self.operator_signature(self.operator(row.amopopr)?);
                let types = (row.amoplefttype, row.amoprighttype);
                self.member_description("operator", row.amopstrategy, types, row.amopfamily, &operator)
            }),
            PG_AMPROC => self.amprocs_of_oid(oid).next().and_then(|row| {
                let function = self.function_signature(self.function(row.amproc)?);
                let types = (row.amproclefttype, row.amprocrighttype);
                self.member_description("function", row.amprocnum, types, row.amprocfamily, &function)
            }),
            _ => property.object(self, oid).and_then(|object| {
                let name = object.name?;
                let name = match object.namespace {
                    Some(namespace) => self.shown_as(class, oid, namespace, name),
                    None => name.to_string(),
                };
                Some(format!("{} {name}", property.kind))
            }),
        })
    }

    fn default_acl_description(self, row: &PgDefaultAcl) -> String {
        let on = match row.defaclobjtype {
            b'r' => "relations",
            b'S' => "sequences",
            b'f' => "functions",
            b'T' => "types",
            b'n' => "schemas",
            _ => "large objects",
        };
        let role = self.role(row.defaclrole).map_or_else(String::new, |row| row.rolname.to_string());
        let schema = self.namespace(row.defaclnamespace).map(|row| format!(" in schema {}", row.nspname));
        format!("default privileges on new {on} belonging to role {role}{}", schema.unwrap_or_default())
    }

    fn of_access_method(self, what: &str, name: &str, method: Oid) -> Option<String> {
        Some(format!("{what} {name} for access method {}", self.access_method(method)?.amname))
    }

    fn family_description(self, family: Oid) -> Option<String> {
        let row = self.opfamily(family)?;
        let name = self.shown_as(PG_OPFAMILY, family, row.opfnamespace, &row.opfname);
        self.of_access_method("operator family", &name, row.opfmethod)
    }

    fn member_description(
        self,
        what: &str,
        number: i16,
        (left, right): (Oid, Oid),
        family: Oid,
        member: &str,
    ) -> Option<String> {
        let (left, right) = (self.format_type(left), self.format_type(right));
        Some(format!("{what} {number} ({left}, {right}) of {}: {member}", self.family_description(family)?))
    }

    fn relation_description(self, relation: Oid) -> Option<String> {
        let kind = super::kind::of_relation(self.relation(relation)?.relkind);
        Some(format!("{kind} {}", self.shown_relation(relation)?))
    }

    fn column_description(self, relation: Oid, column: i32) -> Option<String> {
        let row = self.attributes(relation).find(|row| i32::from(row.attnum) == column)?;
        Some(format!("column {} of {}", row.attname, self.relation_description(relation)?))
    }
}
