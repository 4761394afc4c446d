//! The object of a kind and a name: PostgreSQL's `get_object_address`, with its errors.

use error::sqlstate;
use types::names::*;
use types::{Error, Oid, Result, oid};

use super::{ObjectAddress, ObjectKind};
use crate::catalogs::{PgClass, PgProc};
use crate::namespace::QualifiedName;
use crate::syscache::Catalog;

/// A name as a command has it. Which parts a kind's name has is what the grammar, or `pg_get_object_address`, gives: what a
/// kind does not have is empty.
#[derive(Clone, Debug, Default)]
pub struct ObjectName {
    /// Not quoted, from the schema (or the access method, or the relation) to the name.
    pub names: Vec<String>,
    /// Types that are named: arguments, operands, source and target, the type itself, the domain of a constraint. No operand is 0.
    pub types: Vec<NamedType>,
    /// A function by its name alone.
    pub arguments_unspecified: bool,
    /// What else belongs to it: a role's server, a publication's name.
    pub others: Vec<String>,
}

/// A type that was found, and as it is written (`TypeNameToString`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedType {
    pub oid: Oid,
    pub written: String,
}

impl ObjectName {
    /// The last name.
    pub fn last(&self) -> &str {
        self.names.last().map_or("", String::as_str)
    }

    /// As it is written, without quotes (`NameListToString`).
    pub fn written(&self) -> String {
        self.names.join(".")
    }

    fn ty(&self, place: usize) -> Result<&NamedType> {
        self.types.get(place).ok_or_else(|| Error::unsupported("this form of an object's name"))
    }

    fn other(&self) -> &str {
        self.others.first().map_or("", String::as_str)
    }
}

fn missing(message: String) -> Error {
    Error::new(sqlstate::UNDEFINED_OBJECT, message)
}

fn wrong(message: String) -> Error {
    Error::new(sqlstate::WRONG_OBJECT_TYPE, message)
}

/// Where names are looked up: the catalogs, and the database whose name may stand before a schema's.
#[derive(Clone, Copy, Debug)]
pub struct Lookup<'a> {
    pub catalog: Catalog<'a>,
    pub database: &'a str,
}

impl<'a> Lookup<'a> {
    /// Fails where there is no such object.
    pub fn address(self, kind: ObjectKind, name: &ObjectName) -> Result<ObjectAddress> {
        use ObjectKind::*;
        if kind == Column {
            return self.column(name);
        }
        let oid = match kind {
            Table | Index | Sequence | View | MaterializedView | ForeignTable => self.relation_of_kind(kind, name)?.oid,
            Default => self.default(name)?,
            TableConstraint | Rule | Trigger | Policy => self.of_relation(kind, name)?,
            DomainConstraint => self.domain_constraint(name)?,
            Type | Domain => self.ty(kind, name)?,
            Function | Procedure | Routine | Aggregate => self.function(kind, name)?.oid,
            Operator => self.operator(name)?,
            Cast => self.cast(name)?,
            Collation
            | Conversion
            | Statistics
            | TextSearchConfiguration
            | TextSearchDictionary
            | TextSearchParser
            | TextSearchTemplate => self.in_schema(kind, name)?,
            OperatorClass | OperatorFamily => self.of_method(kind, &name.names)?,
            AccessMethodOperator | AccessMethodFunction => self.member(kind, name)?,
            Transform | UserMapping | DefaultAcl | PublicationRelation | PublicationNamespace => {
                return Err(self.missing_member(kind, name));
            }
            LargeObject => {
                let oid = name.last();
                return Err(missing(format!("large object {oid} does not exist")));
            }
            _ => self.unqualified(kind, name.last())?,
        };
        debug_assert!(self.catalog.object(ObjectAddress { class: kind.class(), oid, column: 0 }).is_some());
        Ok(ObjectAddress { class: kind.class(), oid, column: 0 })
    }

    /// What is in no schema.
    fn unqualified(self, kind: ObjectKind, name: &str) -> Result<Oid> {
        let catalog = self.catalog;
        let found = match kind {
            ObjectKind::AccessMethod => catalog.access_methods_named(name).next().map(|row| row.oid),
            ObjectKind::Database => catalog.databases_named(name).next().map(|row| row.oid),
            ObjectKind::Extension => catalog.extensions_named(name).next().map(|row| row.oid),
            ObjectKind::Language => catalog.languages_named(name).next().map(|row| row.oid),
            ObjectKind::Role => catalog.roles_named(name).next().map(|row| row.oid),
            ObjectKind::Schema => return catalog.find_namespace(name),
            ObjectKind::Tablespace => catalog.tablespaces_named(name).next().map(|row| row.oid),
            // Kinds of which there are none.
            _ => None,
        };
        let code = match kind {
            ObjectKind::Database => sqlstate::UNDEFINED_DATABASE,
            _ => sqlstate::UNDEFINED_OBJECT,
        };
        found.ok_or_else(|| Error::new(code, format!("{} \"{name}\" does not exist", kind.name())))
    }

    /// The schema and the name of a name of one to three parts, of which the schema exists (`DeconstructQualifiedName`).
    fn qualified<'n>(self, parts: &'n [String]) -> Result<QualifiedName<'n>> {
        let (schema, name) = match parts {
            [name] => return Ok(QualifiedName { schema: None, name }),
            [schema, name] => (schema, name),
            [database, schema, name] if *database == self.database => (schema, name),
            [_, _, _] => {
                let message = format!("cross-database references are not implemented: {}", parts.join("."));
                return Err(Error::new(sqlstate::FEATURE_NOT_SUPPORTED, message));
            }
            _ => {
                let message = format!("improper qualified name (too many dotted names): {}", parts.join("."));
                return Err(Error::new(sqlstate::SYNTAX_ERROR, message));
            }
        };
        Ok(QualifiedName { schema: Some(schema), name })
    }

    /// The relation of a name, whatever its kind.
    pub fn relation(self, parts: &[String]) -> Result<&'a PgClass> {
        let name = match parts {
            [database, _, _] if *database != self.database => {
                let message = format!("cross-database references are not implemented: \"{}\"", parts.join("."));
                return Err(Error::new(sqlstate::FEATURE_NOT_SUPPORTED, message));
            }
            [_, _, _, _, ..] => {
                let message = format!("improper relation name (too many dotted names): {}", parts.join("."));
                return Err(Error::new(sqlstate::SYNTAX_ERROR, message));
            }
            parts => self.qualified(parts)?,
        };
        let found = self.catalog.relation_by_name(name)?;
        found.ok_or_else(|| Error::new(sqlstate::UNDEFINED_TABLE, format!("relation \"{name}\" does not exist")))
    }

    fn relation_of_kind(self, kind: ObjectKind, name: &ObjectName) -> Result<&'a PgClass> {
        let found = self.relation(&name.names)?;
        if super::kind::of_relation(found.relkind) != kind.name() {
            return Err(wrong(format!("\"{}\" is not {}", found.relname, kind.with_article())));
        }
        Ok(found)
    }

    /// The relation of a column, and the column's number if it has one of this name.
    fn attribute<'n>(self, name: &'n ObjectName) -> Result<(&'a PgClass, &'n str, Option<i16>)> {
        let Some((column, relation)) = name.names.split_last().filter(|(_, relation)| !relation.is_empty()) else {
            return Err(Error::new(sqlstate::SYNTAX_ERROR, "column name must be qualified"));
        };
        let relation = self.relation(relation)?;
        let mut columns = self.catalog.attributes(relation.oid);
        let found = columns.find(|row| row.attname == **column && !row.attisdropped);
        Ok((relation, column, found.map(|row| row.attnum)))
    }

    fn column(self, name: &ObjectName) -> Result<ObjectAddress> {
        let (relation, column, number) = self.attribute(name)?;
        let missing = || {
            let relation = name.names[..name.names.len() - 1].join(".");
            let message = format!("column \"{column}\" of relation \"{relation}\" does not exist");
            Error::new(sqlstate::UNDEFINED_COLUMN, message)
        };
        let number = number.ok_or_else(missing)?;
        Ok(ObjectAddress { class: PG_CLASS, oid: relation.oid, column: number.into() })
    }

    fn default(self, name: &ObjectName) -> Result<Oid> {
        let (relation, column, number) = self.attribute(name)?;
        let default = number.and_then(|number| self.catalog.defaults_of((relation.oid, number)).next());
        default.map(|row| row.oid).ok_or_else(|| {
            let relation = name.names[..name.names.len() - 1].join(".");
            let message = format!("default value for column \"{column}\" of relation \"{relation}\" does not exist");
            Error::new(sqlstate::UNDEFINED_COLUMN, message)
        })
    }

    /// What has a name in its relation.
    fn of_relation(self, kind: ObjectKind, name: &ObjectName) -> Result<Oid> {
        let Some((own, relation)) = name.names.split_last().filter(|(_, relation)| !relation.is_empty()) else {
            return Err(Error::new(sqlstate::SYNTAX_ERROR, "must specify relation and object name"));
        };
        let relation = self.relation(relation)?;
        let detail = match relation.relkind {
            b'i' | b'I' => Some("This operation is not supported for indexes."),
            b'c' => Some("This operation is not supported for composite types."),
            _ => None,
        };
        if let Some(detail) = detail {
            return Err(wrong(format!("cannot open relation \"{}\"", relation.relname)).detail(detail));
        }
        let (found, what, on) = match kind {
            ObjectKind::TableConstraint => {
                let mut all = self.catalog.constraints_of_relation(relation.oid);
                (all.find(|row| row.conname == **own).map(|row| row.oid), "constraint", "table")
            }
            ObjectKind::Rule => {
                let mut all = self.catalog.rules_of_relation(relation.oid);
                (all.find(|row| row.rulename == **own).map(|row| row.oid), "rule", "relation")
            }
            ObjectKind::Policy => {
                let mut all = self.catalog.policies_of_relation(relation.oid);
                (all.find(|row| row.polname == **own).map(|row| row.oid), "policy", "table")
            }
            // Triggers, of which there are none.
            other => (None, other.name(), "table"),
        };
        found.ok_or_else(|| missing(format!("{what} \"{own}\" for {on} \"{}\" does not exist", relation.relname)))
    }

    fn domain_constraint(self, name: &ObjectName) -> Result<Oid> {
        let domain = self.ty(ObjectKind::Domain, name)?;
        let found = self.catalog.constraints_of_type(domain).find(|row| row.conname == *name.last());
        found.map(|row| row.oid).ok_or_else(|| {
            let domain = self.catalog.format_type(domain);
            missing(format!("constraint \"{}\" for domain {domain} does not exist", name.last()))
        })
    }

    fn ty(self, kind: ObjectKind, name: &ObjectName) -> Result<Oid> {
        let ty = name.ty(0)?;
        let is_domain = self.catalog.pg_type(ty.oid).is_some_and(|row| row.typtype == b'd');
        match kind == ObjectKind::Domain && !is_domain {
            true => Err(wrong(format!("\"{}\" is not a domain", ty.written))),
            false => Ok(ty.oid),
        }
    }

    /// `LookupFuncWithArgs`.
    fn function(self, kind: ObjectKind, name: &ObjectName) -> Result<&'a PgProc> {
        let qualified = self.qualified(&name.names)?;
        let candidates = self.catalog.functions_of_name(qualified)?;
        let found = match name.arguments_unspecified {
            true => self.only_function(kind, name, &candidates)?,
            false => self.function_of_types(kind, name, &candidates)?,
        };
        let types: Vec<String> = found.proargtypes.iter().map(|&ty| self.catalog.format_type(ty)).collect();
        let (shown, types) = (name.written(), types.join(", "));
        match (kind, found.prokind) {
            (ObjectKind::Procedure, kind) if kind != b'p' => Err(wrong(format!("{shown}({types}) is not a procedure"))),
            (ObjectKind::Function, b'p') => Err(wrong(format!("{shown}({types}) is not a function"))),
            (ObjectKind::Aggregate, kind) if kind != b'a' => {
                Err(wrong(format!("function {shown}({types}) is not an aggregate")))
            }
            _ => Ok(found),
        }
    }

    fn only_function(self, kind: ObjectKind, name: &ObjectName, candidates: &[&'a PgProc]) -> Result<&'a PgProc> {
        let (noun, shown) = (kind.name(), name.written());
        match candidates {
            [one] => Ok(one),
            [] => {
                let article = if kind == ObjectKind::Aggregate { "an" } else { "a" };
                let called = if kind == ObjectKind::Routine { "function" } else { noun };
                let message = format!("could not find {article} {called} named \"{shown}\"");
                Err(Error::new(sqlstate::UNDEFINED_FUNCTION, message))
            }
            _ => {
                let message = format!("{noun} name \"{shown}\" is not unique");
                let hint = format!("Specify the argument list to select the {noun} unambiguously.");
                Err(Error::new(sqlstate::AMBIGUOUS_FUNCTION, message).hint(hint))
            }
        }
    }

    fn function_of_types(self, kind: ObjectKind, name: &ObjectName, candidates: &[&'a PgProc]) -> Result<&'a PgProc> {
        let same = |row: &&&PgProc| row.proargtypes.iter().copied().eq(name.types.iter().map(|ty| ty.oid));
        candidates.iter().find(same).copied().ok_or_else(|| {
            let types: Vec<String> = name.types.iter().map(|ty| self.catalog.format_type(ty.oid)).collect();
            let types = match kind {
                ObjectKind::Aggregate if types.is_empty() => "*".to_string(),
                _ => types.join(", "),
            };
            let noun = if kind == ObjectKind::Routine { "function" } else { kind.name() };
            let message = format!("{noun} {}({types}) does not exist", name.written());
            Error::new(sqlstate::UNDEFINED_FUNCTION, message)
        })
    }

    /// `LookupOperWithArgs`.
    fn operator(self, name: &ObjectName) -> Result<Oid> {
        let (left, right) = (name.ty(0)?.oid, name.ty(1)?.oid);
        if right == oid::INVALID {
            return Err(Error::new(sqlstate::SYNTAX_ERROR, "postfix operators are not supported"));
        }
        let qualified = self.qualified(&name.names)?;
        // A schema that does not exist has no operators.
        let found = match self.catalog.operator_exact(qualified, left, right) {
            Err(error) if error.0.code == sqlstate::UNDEFINED_SCHEMA => None,
            found => found?,
        };
        found.ok_or_else(|| {
            let shown = name.written();
            let right = self.catalog.format_type(right);
            let signature = match left {
                oid::INVALID => format!("{shown} {right}"),
                left => format!("{} {shown} {right}", self.catalog.format_type(left)),
            };
            Error::new(sqlstate::UNDEFINED_FUNCTION, format!("operator does not exist: {signature}"))
        })
    }

    fn cast(self, name: &ObjectName) -> Result<Oid> {
        let (source, target) = (name.ty(0)?.oid, name.ty(1)?.oid);
        self.catalog.cast((source, target)).map(|row| row.oid).ok_or_else(|| {
            let (source, target) = (self.catalog.format_type(source), self.catalog.format_type(target));
            missing(format!("cast from type {source} to type {target} does not exist"))
        })
    }

    /// What has its name in a schema and no more to it. Conversions, statistics objects and those of text search there are none.
    fn in_schema(self, kind: ObjectKind, name: &ObjectName) -> Result<Oid> {
        let qualified = self.qualified(&name.names)?;
        if let Some(schema) = qualified.schema {
            self.catalog.namespace_oid(schema)?;
        }
        let shown = name.written();
        if kind != ObjectKind::Collation {
            return Err(missing(format!("{} \"{shown}\" does not exist", kind.name())));
        }
        let found = self.catalog.collation_by_name(qualified)?.map(|row| row.oid);
        found.ok_or_else(|| missing(format!("collation \"{shown}\" for encoding \"UTF8\" does not exist")))
    }

    /// An operator class or family: its access method, and its name.
    fn of_method(self, kind: ObjectKind, parts: &[String]) -> Result<Oid> {
        let (method, name) = parts.split_first().ok_or_else(|| Error::unsupported("this form of an object's name"))?;
        let am = self.unqualified(ObjectKind::AccessMethod, method)?;
        let found = self.catalog.of_method(kind.class(), am, self.qualified(name)?)?;
        found.ok_or_else(|| {
            let (noun, name) = (kind.name(), name.join("."));
            missing(format!("{noun} \"{name}\" does not exist for access method \"{method}\""))
        })
    }

    /// An operator or a support function of an operator family, by its number and types.
    fn member(self, kind: ObjectKind, name: &ObjectName) -> Result<Oid> {
        let (number, family) =
            name.names.split_last().ok_or_else(|| Error::unsupported("a member without a number"))?;
        let family = self.of_method(ObjectKind::OperatorFamily, family)?;
        // As `atoi` has it: what is no number is 0.
        let digits = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
        let number: i16 = number[..digits].parse().unwrap_or(0);
        let (left, right) = (name.ty(0)?, name.ty(1)?);
        let key = (family, left.oid, right.oid, number);
        let (what, found) = match kind {
            ObjectKind::AccessMethodOperator => ("operator", self.catalog.amop(key).map(|row| row.oid)),
            _ => ("function", self.catalog.amproc(key).map(|row| row.oid)),
        };
        if let Some(found) = found {
            return Ok(found);
        }
        let family = self.catalog.describe(ObjectAddress { class: PG_OPFAMILY, oid: family, column: 0 })?;
        let (left, right, family) = (&left.written, &right.written, family.unwrap_or_default());
        Err(missing(format!("{what} {number} ({left}, {right}) of {family} does not exist")))
    }

    /// The error of kinds of which there are none, and whose names have other objects in them.
    fn missing_member(self, kind: ObjectKind, name: &ObjectName) -> Error {
        self.missing_message(kind, name).map_or_else(|error| error, missing)
    }

    fn missing_message(self, kind: ObjectKind, name: &ObjectName) -> Result<String> {
        let other = name.other();
        Ok(match kind {
            ObjectKind::Transform => {
                self.unqualified(ObjectKind::Language, other)?;
                let ty = self.catalog.format_type(name.ty(0)?.oid);
                format!("transform for type {ty} language \"{other}\" does not exist")
            }
            ObjectKind::UserMapping => {
                let user = name.last();
                if user == "public" || self.catalog.roles_named(user).next().is_some() {
                    self.unqualified(ObjectKind::ForeignServer, other)?;
                }
                format!("user mapping for user \"{user}\" on server \"{other}\" does not exist")
            }
            ObjectKind::PublicationRelation => {
                self.relation(&name.names)?;
                format!("publication \"{other}\" does not exist")
            }
            ObjectKind::PublicationNamespace => {
                self.unqualified(ObjectKind::Schema, name.last())?;
                format!("publication \"{other}\" does not exist")
            }
            _ => self.missing_default_acl(name)?,
        })
    }

    fn missing_default_acl(self, name: &ObjectName) -> Result<String> {
        let on = match name.other().chars().next() {
            Some('r') => "tables",
            Some('S') => "sequences",
            Some('f') => "functions",
            Some('T') => "types",
            Some('n') => "schemas",
            Some('L') => "large objects",
            letter => {
                let letter = letter.map_or_else(String::new, String::from);
                let message = format!("unrecognized default ACL object type \"{letter}\"");
                let hint = "Valid object types are \"r\", \"S\", \"f\", \"T\", \"n\", \"L\".";
                return Err(Error::new(sqlstate::INVALID_PARAMETER_VALUE, message).hint(hint));
            }
        };
        let user = name.names.first().map_or("", String::as_str);
        Ok(match name.names.get(1) {
            Some(schema) => format!("default ACL for user \"{user}\" in schema \"{schema}\" on {on} does not exist"),
            None => format!("default ACL for user \"{user}\" on {on} does not exist"),
        })
    }
}
