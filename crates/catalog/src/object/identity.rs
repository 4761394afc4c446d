//! What identifies an object among all others, whatever the search path is: PostgreSQL's `getObjectIdentityParts` and
//! `getObjectTypeDescription`.

use types::names::*;
use types::quote::quote_identifier;
use types::{Oid, Result};

use super::ObjectAddress;
use super::property::ObjectProperty;
use crate::syscache::Catalog;

/// An identity, as SQL and in its parts.
struct Identity {
    text: String,
    names: Vec<String>,
    arguments: Vec<String>,
}

impl Identity {
    fn new(text: String, names: Vec<String>) -> Identity {
        Identity { text, names, arguments: Vec::new() }
    }

    fn with_arguments(self, arguments: Vec<String>) -> Identity {
        Identity { arguments, ..self }
    }

    /// Of what has a name in this: the text tells of the name, and of this behind it.
    fn named_in(mut self, name: &str) -> Identity {
        self.text = format!("{} on {}", quote_identifier(name), self.text);
        self.names.push(name.to_string());
        self
    }
}

impl Catalog<'_> {
    /// What `pg_identify_object` says of an object. Fails for a catalog that has no objects.
    pub fn identify(self, address: ObjectAddress) -> Result<ObjectIdentity> {
        let property = ObjectProperty::of(address.class).ok_or_else(|| super::kind::no_objects_in(address.class))?;
        let kind = Some(self.kind_description(address, property.kind));
        let Some(identity) = self.qualifying().identity(address) else {
            return Ok(ObjectIdentity { kind, ..ObjectIdentity::default() });
        };
        let object = property.object(self, address.oid).unwrap_or_default();
        let quoted = |name: &str| quote_identifier(name).into_owned();
        let schema = object.namespace.and_then(|namespace| self.namespace(namespace));
        Ok(ObjectIdentity {
            kind,
            schema: schema.map(|schema| quoted(&schema.nspname)),
            name: object.name.filter(|_| property.is_name_unique).map(quoted),
            identity: Some(identity.text),
            names: identity.names,
            arguments: identity.arguments,
        })
    }

    /// The kind of an object, as `pg_get_object_address` reads it; `otherwise` where there is no more to be said.
    fn kind_description(self, address: ObjectAddress, otherwise: &str) -> String {
        let ObjectAddress { class, oid, column } = address;
        let kind = match class {
            PG_CLASS => self.relation(oid).map(|row| super::kind::of_relation(row.relkind)),
            PG_PROC => self.function(oid).map(|row| match row.prokind {
                b'a' => "aggregate",
                b'p' => "procedure",
                _ => "function",
            }),
            PG_CONSTRAINT => self.constraint(oid).map(|row| match row.conrelid {
                types::oid::INVALID => "domain constraint",
                _ => "table constraint",
            }),
            _ => None,
        };
        let part = if class == PG_CLASS && column != 0 { " column" } else { "" };
        format!("{}{part}", kind.unwrap_or(otherwise))
    }

    /// Asked of a catalog in whose search path nothing is.
    fn identity(self, address: ObjectAddress) -> Option<Identity> {
        debug_assert!(self.search_path.is_empty(), "an identity does not depend on the search path");
        let ObjectAddress { class, oid, column } = address;
        match class {
            PG_CLASS if column != 0 => self.column_identity(oid, column),
            PG_ATTRDEF => {
                let row = self.attribute_default(oid)?;
                let column = self.column_identity(row.adrelid, row.adnum.into())?;
                Some(Identity { text: format!("for {}", column.text), ..column })
            }
            PG_CONSTRAINT => self.constraint_identity(oid),
            PG_REWRITE => {
                let row = self.rule(oid)?;
                Some(self.named_identity(PG_CLASS, row.ev_class)?.named_in(&row.rulename))
            }
            PG_POLICY => {
                let row = self.policy(oid)?;
                Some(self.named_identity(PG_CLASS, row.polrelid)?.named_in(&row.polname))
            }
            PG_AUTH_MEMBERS => self.describe(address).ok()?.map(|text| Identity::new(text, vec![])),
            PG_TYPE => self.pg_type(oid).map(|_| self.type_identity(oid)),
            PG_PROC => {
                let row = self.function(oid)?;
                let types = row.proargtypes.iter().map(|&ty| self.format_type(ty)).collect();
                let names = vec![self.schema_name(row.pronamespace)?, row.proname.to_string()];
                Some(Identity::new(self.function_signature(row), names).with_arguments(types))
            }
            PG_OPERATOR => {
                let row = self.operator(oid)?;
                let operands = [row.oprleft, row.oprright].into_iter().filter(|ty| *ty != types::oid::INVALID);
                let types = operands.map(|ty| self.format_type(ty)).collect();
                let names = vec![self.schema_name(row.oprnamespace)?, row.oprname.to_string()];
                Some(Identity::new(self.operator_signature(row), names).with_arguments(types))
            }
            PG_CAST => {
                let row = self.casts_of_oid(oid).next()?;
                let (source, target) = (self.format_type(row.castsource), self.format_type(row.casttarget));
                let text = format!("({source} AS {target})");
                Some(Identity::new(text, vec![source]).with_arguments(vec![target]))
            }
            PG_OPCLASS => self.of_method_identity(class, oid, self.opclass(oid)?.opcmethod),
            PG_OPFAMILY => self.of_method_identity(class, oid, self.opfamily(oid)?.opfmethod),
            PG_AMOP => {
                let row = self.amops_of_oid(oid).next()?;
                let types = [row.amoplefttype, row.amoprighttype];
                self.member_identity("operator", row.amopstrategy, types, row.amopfamily)
            }
            PG_AMPROC => {
                let row = self.amprocs_of_oid(oid).next()?;
                let types = [row.amproclefttype, row.amprocrighttype];
                self.member_identity("function", row.amprocnum, types, row.amprocfamily)
            }
            _ => self.named_identity(class, oid),
        }
    }

    fn schema_name(self, namespace: Oid) -> Option<String> {
        self.namespace(namespace).map(|row| row.nspname.to_string())
    }

    /// Of what its name identifies, with its schema if it is in one.
    fn named_identity(self, class: Oid, oid: Oid) -> Option<Identity> {
        let object = ObjectProperty::of(class)?.object(self, oid)?;
        let name = object.name?;
        Some(match object.namespace {
            Some(namespace) => {
                let schema = self.schema_name(namespace)?;
                Identity::new(self.shown(false, namespace, name), vec![schema, name.to_string()])
            }
            None => Identity::new(quote_identifier(name).into_owned(), vec![name.to_string()]),
        })
    }

    fn type_identity(self, ty: Oid) -> Identity {
        let name = self.format_type(ty);
        Identity::new(name.clone(), vec![name])
    }

    fn column_identity(self, relation: Oid, column: i32) -> Option<Identity> {
        let row = self.attributes(relation).find(|row| i32::from(row.attnum) == column)?;
        let mut identity = self.named_identity(PG_CLASS, relation)?;
        identity.text = format!("{}.{}", identity.text, quote_identifier(&row.attname));
        identity.names.push(row.attname.to_string());
        Some(identity)
    }

    fn constraint_identity(self, constraint: Oid) -> Option<Identity> {
        let row = self.constraint(constraint)?;
        if row.conrelid != types::oid::INVALID {
            return Some(self.named_identity(PG_CLASS, row.conrelid)?.named_in(&row.conname));
        }
        // The domain is a type, and the constraint's name no part of it.
        let domain = self.type_identity(row.contypid);
        let text = format!("{} on {}", quote_identifier(&row.conname), domain.text);
        Some(Identity { text, ..domain }.with_arguments(vec![row.conname.to_string()]))
    }

    fn of_method_identity(self, class: Oid, oid: Oid, method: Oid) -> Option<Identity> {
        let method = &self.access_method(method)?.amname;
        let mut identity = self.named_identity(class, oid)?;
        identity.text = format!("{} USING {}", identity.text, quote_identifier(method));
        identity.names.insert(0, method.to_string());
        Some(identity)
    }

    fn member_identity(self, what: &str, number: i16, types: [Oid; 2], family: Oid) -> Option<Identity> {
        let types = types.map(|ty| self.format_type(ty));
        let mut identity = self.of_method_identity(PG_OPFAMILY, family, self.opfamily(family)?.opfmethod)?;
        identity.text = format!("{what} {number} ({}) of {}", types.join(", "), identity.text);
        identity.names.push(number.to_string());
        Some(identity.with_arguments(types.into()))
    }
}
