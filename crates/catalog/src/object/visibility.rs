//! Whether a name alone finds an object (`RelationIsVisible` and its sisters of PostgreSQL's `namespace.c`), and names as
//! messages show them: with the schema where they do not.

use types::names::*;
use types::{Oid, oid};

use crate::catalogs::{PgOperator, PgProc};
use crate::namespace::QualifiedName;
use crate::syscache::Catalog;
use types::quote::quote_identifier;

impl<'a> Catalog<'a> {
    /// Whether an object is the first of its name in the search path; `None`: there is no such object, or its kind has no
    /// schemas.
    pub fn is_visible(self, class: Oid, object: Oid) -> Option<bool> {
        let first = |found: Option<Oid>| Some(found == Some(object));
        match class {
            PG_CLASS => {
                let row = self.relation(object)?;
                let named = || self.relations_named(&row.relname).map(|row| (row.relnamespace, row.oid));
                Some(self.is_first_searched(row.relnamespace, || self.first_searched(named()) == Some(object)))
            }
            PG_TYPE => self.pg_type(object).map(|row| self.type_is_visible(row)),
            PG_PROC => {
                let row = self.function(object)?;
                let same = || self.functions_named(&row.proname).filter(|other| other.proargtypes == row.proargtypes);
                let found = || self.first_searched(same().map(|row| (row.pronamespace, row.oid)));
                Some(self.is_first_searched(row.pronamespace, || found() == Some(object)))
            }
            PG_OPERATOR => {
                let row = self.operator(object)?;
                first(self.operator_exact((&*row.oprname).into(), row.oprleft, row.oprright).ok().flatten())
            }
            PG_COLLATION => {
                let found = self.collation_by_name((&*self.collation(object)?.collname).into()).ok().flatten();
                first(found.map(|row| row.oid))
            }
            PG_OPCLASS => {
                let row = self.opclass(object)?;
                let same = self.opclasses_named(&row.opcname).filter(|other| other.opcmethod == row.opcmethod);
                first(self.first_searched(same.map(|row| (row.opcnamespace, row.oid))))
            }
            PG_OPFAMILY => {
                let row = self.opfamily(object)?;
                let same = self.opfamilies_named(&row.opfname).filter(|other| other.opfmethod == row.opfmethod);
                first(self.first_searched(same.map(|row| (row.opfnamespace, row.oid))))
            }
            _ => None,
        }
    }

    /// Of objects and their schemas the one whose schema is the first in the search path.
    fn first_searched(self, objects: impl Iterator<Item = (Oid, Oid)>) -> Option<Oid> {
        let placed = objects.filter_map(|(schema, object)| {
            Some((self.search_path.iter().position(|searched| *searched == schema)?, object))
        });
        placed.min_by_key(|(position, _)| *position).map(|(_, object)| object)
    }

    /// As this, but that no name is found without its schema: names are shown as they are everywhere.
    pub(super) fn qualifying(self) -> Catalog<'a> {
        Catalog { search_path: &[], ..self }
    }

    /// A name as SQL writes it, with its schema unless the name alone is enough.
    pub fn shown(self, visible: bool, namespace: Oid, name: &str) -> String {
        match self.namespace(namespace) {
            Some(schema) if !visible => format!("{}.{}", quote_identifier(&schema.nspname), quote_identifier(name)),
            _ => quote_identifier(name).into_owned(),
        }
    }

    /// The name of an object of a catalog, with its schema where that is needed.
    pub fn shown_as(self, class: Oid, object: Oid, namespace: Oid, name: &str) -> String {
        self.shown(self.is_visible(class, object) == Some(true), namespace, name)
    }

    pub fn shown_relation(self, relation: Oid) -> Option<String> {
        let row = self.relation(relation)?;
        Some(self.shown_as(PG_CLASS, relation, row.relnamespace, &row.relname))
    }

    /// With the types of its arguments: `lower(text)` (`format_procedure`).
    pub fn function_signature(self, row: &PgProc) -> String {
        let name = self.shown_as(PG_PROC, row.oid, row.pronamespace, &row.proname);
        let arguments: Vec<String> = row.proargtypes.iter().map(|&ty| self.format_type(ty)).collect();
        format!("{name}({})", arguments.join(","))
    }

    /// With the types of its operands: `-(NONE,integer)` (`format_operator`).
    pub fn operator_signature(self, row: &PgOperator) -> String {
        let operand = |ty: Oid| if ty == oid::INVALID { "NONE".into() } else { self.format_type(ty) };
        let schema = match self.namespace(row.oprnamespace) {
            Some(schema) if self.is_visible(PG_OPERATOR, row.oid) != Some(true) => {
                format!("{}.", quote_identifier(&schema.nspname))
            }
            _ => String::new(),
        };
        format!("{schema}{}({},{})", row.oprname, operand(row.oprleft), operand(row.oprright))
    }

    /// The operator class or family of a method and a name (`OpclassnameGetOpcid`, `OpfamilynameGetOpfid`). Fails for a schema
    /// that does not exist.
    pub(super) fn of_method(self, class: Oid, method: Oid, name: QualifiedName<'_>) -> types::Result<Option<Oid>> {
        let schema = name.schema.map(|schema| self.namespace_oid(schema)).transpose()?;
        let named: Vec<(Oid, Oid)> = match class {
            PG_OPCLASS => {
                let rows = self.opclasses_named(name.name).filter(|row| row.opcmethod == method);
                rows.map(|row| (row.opcnamespace, row.oid)).collect()
            }
            _ => {
                let rows = self.opfamilies_named(name.name).filter(|row| row.opfmethod == method);
                rows.map(|row| (row.opfnamespace, row.oid)).collect()
            }
        };
        Ok(match schema {
            Some(schema) => named.into_iter().find(|(namespace, _)| *namespace == schema).map(|(_, object)| object),
            None => self.first_searched(named.into_iter()),
        })
    }
}
