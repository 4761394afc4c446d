//! The kinds of objects as commands, messages and `pg_get_object_address` name them: PostgreSQL's `ObjectType` and its
//! `ObjectTypeMap`. A catalog may have several (tables and views are relations), and a kind may be a part of another (a column).

use error::sqlstate;
use types::names::*;
use types::{Error, Oid};

/// Declares the kinds: `Kind in CLASS "as pg_get_object_address reads it" "whose owner is asked for in messages";`
macro_rules! kinds {
    ($($kind:ident in $class:ident $name:literal $owned:literal;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ObjectKind {
            $($kind,)*
        }

        impl ObjectKind {
            pub const ALL: &[ObjectKind] = &[$(ObjectKind::$kind,)*];

            /// The catalog of its objects.
            pub fn class(self) -> Oid {
                match self {
                    $(ObjectKind::$kind => $class,)*
                }
            }

            /// `table column`, `operator class`.
            pub fn name(self) -> &'static str {
                match self {
                    $(ObjectKind::$kind => $name,)*
                }
            }

            /// What the role is not the owner of, where it is refused (`aclcheck_error`).
            pub fn owned(self) -> &'static str {
                match self {
                    $(ObjectKind::$kind => $owned,)*
                }
            }
        }
    };
}

kinds! {
    AccessMethod in PG_AM "access method" "access method";
    AccessMethodOperator in PG_AMOP "operator of access method" "operator family";
    AccessMethodFunction in PG_AMPROC "function of access method" "operator family";
    Aggregate in PG_PROC "aggregate" "aggregate";
    Cast in PG_CAST "cast" "type";
    Collation in PG_COLLATION "collation" "collation";
    Column in PG_CLASS "table column" "relation";
    Conversion in PG_CONVERSION "conversion" "conversion";
    Database in PG_DATABASE "database" "database";
    Default in PG_ATTRDEF "default value" "relation";
    DefaultAcl in PG_DEFAULT_ACL "default acl" "default acl";
    Domain in PG_TYPE "domain" "type";
    DomainConstraint in PG_CONSTRAINT "domain constraint" "type";
    EventTrigger in PG_EVENT_TRIGGER "event trigger" "event trigger";
    Extension in PG_EXTENSION "extension" "extension";
    ForeignDataWrapper in PG_FOREIGN_DATA_WRAPPER "foreign-data wrapper" "foreign-data wrapper";
    ForeignServer in PG_FOREIGN_SERVER "server" "foreign server";
    ForeignTable in PG_CLASS "foreign table" "foreign table";
    Function in PG_PROC "function" "function";
    Index in PG_CLASS "index" "index";
    Language in PG_LANGUAGE "language" "language";
    LargeObject in PG_LARGEOBJECT "large object" "large object";
    MaterializedView in PG_CLASS "materialized view" "materialized view";
    OperatorClass in PG_OPCLASS "operator class" "operator class";
    Operator in PG_OPERATOR "operator" "operator";
    OperatorFamily in PG_OPFAMILY "operator family" "operator family";
    ParameterAcl in PG_PARAMETER_ACL "parameter ACL" "parameter ACL";
    Policy in PG_POLICY "policy" "relation";
    Procedure in PG_PROC "procedure" "procedure";
    Publication in PG_PUBLICATION "publication" "publication";
    PublicationNamespace in PG_PUBLICATION_NAMESPACE "publication namespace" "publication namespace";
    PublicationRelation in PG_PUBLICATION_REL "publication relation" "publication relation";
    Role in PG_AUTHID "role" "role";
    Routine in PG_PROC "routine" "routine";
    Rule in PG_REWRITE "rule" "relation";
    Schema in PG_NAMESPACE "schema" "schema";
    Sequence in PG_CLASS "sequence" "sequence";
    Statistics in PG_STATISTIC_EXT "statistics object" "statistics object";
    Subscription in PG_SUBSCRIPTION "subscription" "subscription";
    Table in PG_CLASS "table" "table";
    TableConstraint in PG_CONSTRAINT "table constraint" "relation";
    Tablespace in PG_TABLESPACE "tablespace" "tablespace";
    TextSearchConfiguration in PG_TS_CONFIG "text search configuration" "text search configuration";
    TextSearchDictionary in PG_TS_DICT "text search dictionary" "text search dictionary";
    TextSearchParser in PG_TS_PARSER "text search parser" "text search parser";
    TextSearchTemplate in PG_TS_TEMPLATE "text search template" "text search template";
    Transform in PG_TRANSFORM "transform" "transform";
    Trigger in PG_TRIGGER "trigger" "relation";
    Type in PG_TYPE "type" "type";
    UserMapping in PG_USER_MAPPING "user mapping" "user mapping";
    View in PG_CLASS "view" "view";
}

/// Kinds that `pg_identify_object` tells of, and that no name leads to.
const UNNAMED: [&str; 7] = [
    "toast table",
    "composite type",
    "index column",
    "sequence column",
    "toast table column",
    "composite type column",
    "role membership",
];

impl ObjectKind {
    /// As the tags of commands name it: `DROP …`, `ALTER …`.
    pub fn of_command(self) -> String {
        match self {
            ObjectKind::ForeignDataWrapper => "FOREIGN DATA WRAPPER".into(),
            ObjectKind::Statistics => "STATISTICS".into(),
            kind => kind.name().to_uppercase(),
        }
    }

    /// With its article: `an index`.
    pub fn with_article(self) -> String {
        let article = if self.name().starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
        format!("{article} {}", self.name())
    }

    /// The kind of a relation; `None`: no command names such relations.
    pub fn of_relation(relkind: u8) -> Option<ObjectKind> {
        Some(match relkind {
            b'r' | b'p' => ObjectKind::Table,
            b'i' | b'I' => ObjectKind::Index,
            b'S' => ObjectKind::Sequence,
            b'v' => ObjectKind::View,
            b'm' => ObjectKind::MaterializedView,
            b'f' => ObjectKind::ForeignTable,
            _ => return None,
        })
    }

    /// Is it a kind of relation?
    pub fn is_relation(self) -> bool {
        use ObjectKind::*;
        matches!(self, Table | Index | Sequence | View | MaterializedView | ForeignTable)
    }

    /// The kind that `pg_get_object_address` is given (`read_objtype_from_string`). Fails for one that it does not know, and for
    /// one whose objects have no names.
    pub fn parse(name: &str) -> Result<ObjectKind, Error> {
        let invalid = |what| Error::new(sqlstate::INVALID_PARAMETER_VALUE, format!("{what} object type \"{name}\""));
        match name {
            "view column" | "materialized view column" | "foreign table column" => return Ok(ObjectKind::Column),
            name if UNNAMED.contains(&name) => return Err(invalid("unsupported")),
            _ => {}
        }
        let readable = |kind: &&ObjectKind| !matches!(kind, ObjectKind::Domain | ObjectKind::Routine);
        let found = ObjectKind::ALL.iter().filter(readable).find(|kind| kind.name() == name);
        found.copied().ok_or_else(|| invalid("unrecognized"))
    }
}

/// How relations of a `relkind` are called.
pub fn of_relation(kind: u8) -> &'static str {
    match kind {
        b'r' | b'p' => "table",
        b'i' | b'I' => "index",
        b'S' => "sequence",
        b't' => "toast table",
        b'v' => "view",
        b'm' => "materialized view",
        b'c' => "composite type",
        b'f' => "foreign table",
        _ => "relation",
    }
}

/// The error of a catalog whose rows are no objects.
pub(super) fn no_objects_in(class: Oid) -> Error {
    Error::new(sqlstate::INTERNAL_ERROR, format!("unsupported object class: {class}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::ObjectProperty;

    #[test]
    fn relations_have_kinds() {
        assert_eq!(ObjectKind::of_relation(b'i').map(ObjectKind::with_article), Some("an index".into()));
        assert_eq!(ObjectKind::of_relation(b't'), None);
        for kind in ObjectKind::ALL {
            let is_of_relation = b"rpiISvmf".iter().any(|&relkind| ObjectKind::of_relation(relkind) == Some(*kind));
            assert_eq!(kind.is_relation(), is_of_relation, "{kind:?}");
        }
        assert_eq!(ObjectKind::ForeignDataWrapper.of_command(), "FOREIGN DATA WRAPPER");
    }

    #[test]
    fn each_kind_is_of_a_catalog_with_objects_and_is_read_again() {
        for &kind in ObjectKind::ALL {
            assert!(ObjectProperty::of(kind.class()).is_some(), "{kind:?}");
            match kind {
                ObjectKind::Domain | ObjectKind::Routine => assert!(ObjectKind::parse(kind.name()).is_err()),
                kind => assert_eq!(ObjectKind::parse(kind.name()), Ok(kind)),
            }
        }
        let code = |name| ObjectKind::parse(name).map_err(|error| error.0.message.clone());
        assert_eq!(code("stone"), Err("unrecognized object type \"stone\"".into()));
        assert_eq!(code("toast table"), Err("unsupported object type \"toast table\"".into()));
    }
}
