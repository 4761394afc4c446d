//! What functions ask of the catalog: objects by their names, names of objects, what may be done with them and how they are
//! defined. The session that makes a [`crate::Context`] gives it the catalog as the statement sees it, with its search path.

use std::fmt::Debug;

use error::sqlstate;

pub use crate::acl::AclMode;
use crate::r#enum::Label;
use crate::error::{Error, Result};
use crate::made_of::MadeOf;
use crate::oid::Oid;

// The oids of catalogs: by them `pg_depend`, `pg_description` and the functions here say what kind of object an oid is of.
pub const PG_DEFAULT_ACL: Oid = 826;
pub const PG_TABLESPACE: Oid = 1213;
pub const PG_TYPE: Oid = 1247;
pub const PG_PROC: Oid = 1255;
pub const PG_CLASS: Oid = 1259;
pub const PG_AUTHID: Oid = 1260;
pub const PG_DATABASE: Oid = 1262;
pub const PG_AUTH_MEMBERS: Oid = 1261;
pub const PG_FOREIGN_SERVER: Oid = 1417;
pub const PG_USER_MAPPING: Oid = 1418;
pub const PG_FOREIGN_DATA_WRAPPER: Oid = 2328;
pub const PG_AMOP: Oid = 2602;
pub const PG_AMPROC: Oid = 2603;
pub const PG_ATTRDEF: Oid = 2604;
pub const PG_CAST: Oid = 2605;
pub const PG_CONSTRAINT: Oid = 2606;
pub const PG_CONVERSION: Oid = 2607;
pub const PG_LARGEOBJECT: Oid = 2613;
pub const PG_NAMESPACE: Oid = 2615;
pub const PG_TRIGGER: Oid = 2620;
pub const PG_EXTENSION: Oid = 3079;
pub const PG_OPCLASS: Oid = 2616;
pub const PG_OPERATOR: Oid = 2617;
pub const PG_OPFAMILY: Oid = 2753;
pub const PG_REWRITE: Oid = 2618;
pub const PG_POLICY: Oid = 3256;
pub const PG_STATISTIC_EXT: Oid = 3381;
pub const PG_COLLATION: Oid = 3456;
pub const PG_EVENT_TRIGGER: Oid = 3466;
pub const PG_TRANSFORM: Oid = 3576;
pub const PG_AM: Oid = 2601;
pub const PG_LANGUAGE: Oid = 2612;
pub const PG_TS_DICT: Oid = 3600;
pub const PG_TS_PARSER: Oid = 3601;
pub const PG_TS_CONFIG: Oid = 3602;
pub const PG_TS_TEMPLATE: Oid = 3764;
pub const PG_SUBSCRIPTION: Oid = 6100;
pub const PG_PUBLICATION: Oid = 6104;
pub const PG_PUBLICATION_REL: Oid = 6106;
pub const PG_PUBLICATION_NAMESPACE: Oid = 6237;
pub const PG_PARAMETER_ACL: Oid = 6243;

/// An object, as `pg_depend` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectAddress {
    /// The catalog that it is in.
    pub class: Oid,
    pub oid: Oid,
    /// The number of a column; 0 for all of it.
    pub column: i32,
}

/// What `pg_identify_object` and `pg_identify_object_as_address` say of an object; of one that does not exist the kind at most.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectIdentity {
    /// The kind of object, as `pg_get_object_address` reads it: `table column`.
    pub kind: Option<String>,
    pub schema: Option<String>,
    /// Where it is the only one of its kind in its schema.
    pub name: Option<String>,
    /// As SQL, always with the schema.
    pub identity: Option<String>,
    /// The identity in its parts, not quoted.
    pub names: Vec<String>,
    /// The types that are part of it, or what else is no name.
    pub arguments: Vec<String>,
}

/// What lies in schemas and is found by the search path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Named {
    Relation,
    Function,
    Operator,
    Collation,
}

/// What privileges are granted on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Securable {
    Table,
    Column,
    Sequence,
    Database,
    Function,
    Language,
    Schema,
    Tablespace,
    Type,
    ForeignDataWrapper,
    ForeignServer,
    LargeObject,
    Parameter,
}

/// Columns of a table, by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShownColumns {
    All,
    Some(Vec<i16>),
    None,
}

/// The names, comments, privileges and definitions of objects. A catalog that knows nothing is the default of every method;
/// what a catalog does not answer is 0A000.
///
/// Names that are given are as `pg_class.relname` has them, one part or more. Names that are asked for are such as SQL
/// reads: quoted where it has to be, with the schema where the search path does not find them without.
pub trait Names: Debug + Send + Sync {
    /// The objects of a name: of relations and collations there is one at most, of functions and operators all that the
    /// search path shows. A schema that does not exist has none. Fails for names of too many parts.
    fn find(&self, _kind: Named, _name: &[String]) -> Result<Vec<Oid>> {
        Ok(Vec::new())
    }

    /// The function of a name with exactly these arguments.
    fn function(&self, _name: &[String], _arguments: &[Oid]) -> Result<Option<Oid>> {
        Ok(None)
    }

    /// The operator of a name with exactly these operands; 0 stands for none.
    fn operator(&self, _name: &[String], _left: Oid, _right: Oid) -> Result<Option<Oid>> {
        Ok(None)
    }

    /// A type as SQL writes it, with its modifier: `numeric(10,2)`, `s.t[]` (`parseTypeString`). Fails for what is no type.
    fn parse_type(&self, text: &str) -> Result<(Oid, i32)> {
        Err(Error::new(sqlstate::UNDEFINED_OBJECT, format!("type \"{text}\" does not exist")))
    }

    fn namespace(&self, _name: &str) -> Option<Oid> {
        None
    }

    fn role(&self, _name: &str) -> Option<Oid> {
        None
    }

    /// The column of a relation by its name; 0 for one that was dropped. Fails with 42703 where a relation that exists has
    /// none, and is 0 for a relation that does not exist.
    fn column(&self, _relation: Oid, _name: &str) -> Result<i16> {
        Ok(0)
    }

    /// Databases, languages, tablespaces, foreign-data wrappers and servers, which have names without schemas, and parameters on which
    /// something was granted.
    fn securable(&self, _kind: Securable, _name: &str) -> Option<Oid> {
        None
    }

    /// An object's name. Of a function and an operator without the types of its arguments, with the schema unless the name
    /// means this one alone.
    fn name_of(&self, _kind: Named, _object: Oid) -> Option<String> {
        None
    }

    /// A relation's name, always with its schema: `public.t`.
    fn qualified_relation(&self, _relation: Oid) -> Option<String> {
        None
    }

    /// A function or an operator with the types of its arguments: `lower(text)`, `+(integer,integer)`, `-(NONE,integer)`.
    fn signature(&self, _kind: Named, _object: Oid) -> Option<String> {
        None
    }

    /// A type (`format_type`), with its modifier if one is given, where -1 says that there is none.
    fn type_name(&self, _ty: Oid, _modifier: Option<i32>) -> Option<String> {
        None
    }

    /// Not quoted.
    fn namespace_name(&self, _namespace: Oid) -> Option<String> {
        None
    }

    /// Not quoted.
    fn role_name(&self, _role: Oid) -> Option<String> {
        None
    }

    /// `pg_class.relkind`.
    fn relation_kind(&self, _relation: Oid) -> Option<u8> {
        None
    }

    /// What a domain is made from, or the type itself.
    fn base_type(&self, ty: Oid) -> Option<Oid> {
        Some(ty)
    }

    /// The built-in type that values of a type are of: what a domain is made from, `record` for a composite type, `anyenum`
    /// for an enum, and arrays of these for theirs.
    fn value_type(&self, ty: Oid) -> Oid {
        ty
    }

    /// What a type of users' own is made of; `None` for all others.
    fn made_of(&self, _ty: Oid) -> Option<MadeOf> {
        None
    }

    /// The labels of an enum in their order.
    fn enum_labels(&self, _ty: Oid) -> Vec<Label> {
        Vec::new()
    }

    /// The label of an enum that is called so.
    fn enum_labelled(&self, _ty: Oid, _name: &str) -> Option<Label> {
        None
    }

    /// A label's name.
    fn enum_label(&self, _label: Oid) -> Option<String> {
        None
    }

    /// The names of a composite type's columns in their order, for `each`; a dropped one's is empty.
    fn column_names(&self, _row_type: Oid, _each: &mut dyn FnMut(&str)) {}

    /// Whether its name alone finds an object; `catalog` is the oid of `pg_class`, `pg_type`, `pg_proc` … `None`: there is
    /// no such object.
    fn is_visible(&self, _catalog: Oid, _object: Oid) -> Option<bool> {
        None
    }

    /// COMMENT ON an object of a catalog, or on a column of it (from 1; 0: on the object).
    fn comment(&self, _catalog: Oid, _object: Oid, _column: i32) -> Option<String> {
        None
    }

    /// COMMENT ON an object that all databases share.
    fn shared_comment(&self, _catalog: Oid, _object: Oid) -> Option<String> {
        None
    }

    /// What the session's role may be told of the rows of a table.
    fn shown_columns(&self, _table: Oid) -> ShownColumns {
        ShownColumns::All
    }

    /// Whether a role (0: public) has any of the privileges on an object; for [`Securable::Column`] on a table or on a column
    /// of it (0: on any of them). `None`: there is no such object or role.
    fn has_privilege(&self, _role: Oid, _on: Securable, _object: Oid, _column: i16, _any: AclMode) -> Option<bool> {
        None
    }

    /// Whether a role is a member of another: PostgreSQL's `pg_role_aclcheck`, whose modes are USAGE, CREATE (member), SET
    /// and the grant option of CREATE (admin).
    fn has_role(&self, _member: Oid, _role: Oid, _mode: AclMode) -> bool {
        false
    }

    /// A definition as SQL (`ruleutils.c`); `None`: NULL.
    fn definition(&self, what: Definition<'_>) -> Result<Option<String>> {
        Err(Error::unsupported(format_args!("the definition of {what:?}")))
    }

    /// `pg_identify_object`: an object's kind, and what identifies it among all others.
    fn identify_object(&self, _object: ObjectAddress) -> Result<ObjectIdentity> {
        Err(Error::unsupported("pg_identify_object()"))
    }

    /// `pg_get_object_address`: the object of a kind, a name and types or other arguments.
    fn object_address(
        &self,
        _kind: &str,
        _names: &[Option<String>],
        _arguments: &[Option<String>],
    ) -> Result<ObjectAddress> {
        Err(Error::unsupported("pg_get_object_address()"))
    }

    /// What access methods, indexes and their columns can do (`amutils.c`); `None`: NULL.
    fn index_property(&self, _of: PropertyOf, _property: &str) -> Option<bool> {
        None
    }

    /// `pg_get_serial_sequence`: the sequence that a column owns.
    fn owned_sequence(&self, _relation: Oid, _column: i16) -> Option<Oid> {
        None
    }
}

/// Whose property is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyOf {
    AccessMethod(Oid),
    Index(Oid),
    /// A column of an index, from 1.
    Column(Oid, i32),
}

/// What is asked for as SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Definition<'a> {
    /// An expression that a catalog keeps, about the columns of a relation (0: about none).
    Expression {
        text: &'a str,
        relation: Oid,
        pretty: bool,
    },
    /// An index, or what its column has (from 1; 0: the index).
    Index {
        index: Oid,
        column: i32,
        pretty: bool,
    },
    Constraint {
        constraint: Oid,
        pretty: bool,
    },
    /// `wrap`: the column where lines are broken; 0 breaks after every column, -1 never breaks.
    View {
        view: Oid,
        pretty: bool,
        wrap: i32,
    },
    Rule {
        rule: Oid,
        pretty: bool,
    },
    Trigger {
        trigger: Oid,
        pretty: bool,
    },
    Function {
        function: Oid,
    },
    FunctionArguments {
        function: Oid,
    },
    FunctionIdentityArguments {
        function: Oid,
    },
    FunctionResult {
        function: Oid,
    },
    FunctionArgumentDefault {
        function: Oid,
        argument: i32,
    },
    FunctionBody {
        function: Oid,
    },
    PartitionKey {
        relation: Oid,
    },
    PartitionConstraint {
        relation: Oid,
    },
    Statistics {
        statistics: Oid,
    },
    /// `pg_describe_object`.
    Object {
        catalog: Oid,
        object: Oid,
        column: i32,
    },
}

/// A catalog without objects.
#[derive(Debug)]
pub struct NoNames;

impl Names for NoNames {}
