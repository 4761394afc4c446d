//! What functions ask of the catalog ([`types::names`]), as a statement sees it.

use analyze::{Parameters, Statement, parse_type_string};
use catalog::acl::{ColumnsOf, How, RowSecurity};
use catalog::catalogs::{PgAttribute, PgClass, PgEnum, PgOperator, PgProc};
use catalog::object::OBJECT_PROPERTIES;
use catalog::{Catalog, QualifiedName, quote_identifier};
use error::sqlstate;
use smallvec::SmallVec;
use types::acl::mode::SELECT;
use types::r#enum::Label;
use types::made_of::MadeOf;
use types::names::{
    AclMode, Definition, Named, Names, ObjectAddress, ObjectIdentity, PG_CLASS, PG_COLLATION, PG_DATABASE, PG_LANGUAGE,
    PG_NAMESPACE, PG_PARAMETER_ACL, PG_PROC, PG_TABLESPACE, PG_TYPE, PropertyOf, Securable, ShownColumns,
};
use types::record::Column;
use types::{Context, Error, Oid, Reader, Repr, Result, oid};

use crate::definition::catalog_names::CatalogNames;
use crate::definition::definitions;
use crate::definition::index_properties::index_property;
use crate::definition::object_description::{object_address, object_description};

impl CatalogNames {
    /// The schema and the name of a name of one to three parts. Fails for a schema that the role may not use.
    fn qualified<'n>(&self, parts: &'n [String]) -> Result<QualifiedName<'n>> {
        if let [.., schema, _] = parts
            && let Err(error) = self.catalog().namespace_oid(schema)
            && error.0.code == sqlstate::INSUFFICIENT_PRIVILEGE
        {
            return Err(error);
        }
        match parts {
            [name] => Ok(QualifiedName { schema: None, name }),
            [schema, name] => Ok(QualifiedName { schema: Some(schema), name }),
            [database, schema, name] if *database == self.database.1 => {
                Ok(QualifiedName { schema: Some(schema), name })
            }
            [_, _, _] => {
                let message = format!("cross-database references are not implemented: {}", parts.join("."));
                Err(Error::new(sqlstate::FEATURE_NOT_SUPPORTED, message))
            }
            _ => {
                let message = format!("improper qualified name (too many dotted names): {}", parts.join("."));
                Err(Error::new(sqlstate::SYNTAX_ERROR, message))
            }
        }
    }

    /// The schemas that a name is looked for in, in their order.
    fn schemas(&self, name: QualifiedName<'_>) -> Vec<Oid> {
        match name.schema {
            Some(schema) => self.catalog().namespace_oid(schema).into_iter().collect(),
            None => self.search_path.to_vec(),
        }
    }

    fn relation(&self, name: QualifiedName<'_>) -> Option<&PgClass> {
        let found = |schema| self.catalog().relations_named(name.name).find(|row| row.relnamespace == schema);
        self.schemas(name).into_iter().find_map(found)
    }

    fn functions<'a>(&'a self, name: QualifiedName<'a>) -> impl Iterator<Item = &'a PgProc> {
        let of = move |schema| self.catalog().functions_named(name.name).filter(move |row| row.pronamespace == schema);
        self.schemas(name).into_iter().flat_map(of)
    }

    fn operators<'a>(&'a self, name: QualifiedName<'a>) -> impl Iterator<Item = &'a PgOperator> {
        let of = move |schema| self.catalog().operators_named(name.name).filter(move |row| row.oprnamespace == schema);
        self.schemas(name).into_iter().flat_map(of)
    }
}

impl CatalogNames {
    /// The columns of a composite type; `None`: one has a type that has no values here.
    fn columns_of(&self, row_type: Oid) -> Option<Vec<Column>> {
        let catalog = self.catalog();
        let mut columns: Vec<_> = catalog.attributes(catalog.type_relation(row_type)?).collect();
        columns.retain(|column| column.attnum > 0);
        columns.sort_unstable_by_key(|column| column.attnum);
        let column = |column: &&PgAttribute| {
            if column.attisdropped {
                return Some(Column {
                    ty: oid::INVALID,
                    typmod: -1,
                    repr: Repr::Bool,
                    reader: Reader::of(oid::INVALID),
                });
            }
            let (ty, typmod) = (column.atttypid, column.atttypmod);
            Some(Column { ty, typmod, repr: catalog.repr(ty, -1)?, reader: Reader::of(ty) })
        };
        columns.iter().map(column).collect()
    }

    /// A label, which others will know if they know its type already.
    fn label(&self, row: &PgEnum) -> Option<Label> {
        let place = self.catalog().enum_storage_of(row.oid)?.place();
        let others = self.committed.as_deref().map(|objects| Catalog { objects: Some(objects), ..Catalog::BUILT_IN });
        let usable =
            others.is_none_or(|others| others.enum_label(row.oid).is_some() || others.pg_type(row.enumtypid).is_none());
        Some(Label { oid: row.oid, name: row.enumlabel.to_string(), place, usable })
    }
}

impl Names for CatalogNames {
    fn find(&self, kind: Named, name: &[String]) -> Result<Vec<Oid>> {
        let name = self.qualified(name)?;
        Ok(match kind {
            Named::Relation => self.relation(name).into_iter().map(|row| row.oid).collect(),
            Named::Function => self.functions(name).map(|row| row.oid).collect(),
            Named::Operator => self.operators(name).map(|row| row.oid).collect(),
            Named::Collation => {
                let found = self.catalog().collation_by_name(name).ok().flatten();
                found.into_iter().map(|row| row.oid).collect()
            }
        })
    }

    fn function(&self, name: &[String], arguments: &[Oid]) -> Result<Option<Oid>> {
        let name = self.qualified(name)?;
        Ok(self.functions(name).find(|row| *row.proargtypes == *arguments).map(|row| row.oid))
    }

    fn operator(&self, name: &[String], left: Oid, right: Oid) -> Result<Option<Oid>> {
        let name = self.qualified(name)?;
        Ok(self.operators(name).find(|row| (row.oprleft, row.oprright) == (left, right)).map(|row| row.oid))
    }

    fn parse_type(&self, text: &str) -> Result<(Oid, i32)> {
        let (catalog, context) = (self.catalog(), Context::default());
        let statement = Statement::new(catalog, &catalog, &context, &self.database.1, Parameters::fixed(&[]));
        parse_type_string(&statement, text).map(|ty| (ty.oid, ty.typmod))
    }

    fn namespace(&self, name: &str) -> Option<Oid> {
        // `pg_temp` is no name of one, though names may begin with it.
        self.catalog().namespaces_named(name).next().map(|row| row.oid)
    }

    fn role(&self, name: &str) -> Option<Oid> {
        self.catalog().roles_named(name).next().map(|row| row.oid)
    }

    fn column(&self, relation: Oid, name: &str) -> Result<i16> {
        let Some(row) = self.catalog().relation(relation) else { return Ok(0) };
        let named = || self.catalog().attributes(relation).filter(|column| column.attname == name);
        // A dropped one has its number still, under which there is nothing to be found.
        let found = named().find(|column| !column.attisdropped).or_else(|| named().next());
        let missing = || {
            let message = format!("column \"{name}\" of relation \"{}\" does not exist", row.relname);
            Error::new(sqlstate::UNDEFINED_COLUMN, message)
        };
        found.map(|column| column.attnum).ok_or_else(missing)
    }

    fn securable(&self, kind: Securable, name: &str) -> Option<Oid> {
        let catalog = self.catalog();
        match kind {
            Securable::Database => catalog.databases_named(name).next().map(|row| row.oid),
            Securable::Language => catalog.languages_named(name).next().map(|row| row.oid),
            Securable::Tablespace => catalog.tablespaces_named(name).next().map(|row| row.oid),
            Securable::Parameter => catalog.parameter_acls_named(&name.to_ascii_lowercase()).next().map(|row| row.oid),
            _ => None,
        }
    }

    fn name_of(&self, kind: Named, object: Oid) -> Option<String> {
        let catalog = self.catalog();
        match kind {
            Named::Relation => catalog.shown_relation(object),
            Named::Function => {
                let row = catalog.function(object)?;
                let unique = self.functions((&*row.proname).into()).map(|row| row.oid).eq([object]);
                Some(catalog.shown(unique, row.pronamespace, &row.proname))
            }
            Named::Operator => {
                let row = catalog.operator(object)?;
                let unique = self.operators((&*row.oprname).into()).map(|row| row.oid).eq([object]);
                let schema = catalog.namespace(row.oprnamespace).filter(|_| !unique);
                let schema = schema.map(|schema| format!("{}.", quote_identifier(&schema.nspname)));
                Some(format!("{}{}", schema.unwrap_or_default(), row.oprname))
            }
            Named::Collation => {
                let row = catalog.collation(object)?;
                Some(catalog.shown_as(PG_COLLATION, object, row.collnamespace, &row.collname))
            }
        }
    }

    fn qualified_relation(&self, relation: Oid) -> Option<String> {
        let row = self.catalog().relation(relation)?;
        Some(self.catalog().shown(false, row.relnamespace, &row.relname))
    }

    fn signature(&self, kind: Named, object: Oid) -> Option<String> {
        let catalog = self.catalog();
        match kind {
            Named::Function => catalog.function(object).map(|row| catalog.function_signature(row)),
            Named::Operator => catalog.operator(object).map(|row| catalog.operator_signature(row)),
            Named::Relation | Named::Collation => None,
        }
    }

    fn type_name(&self, ty: Oid, modifier: Option<i32>) -> Option<String> {
        let catalog = self.catalog();
        catalog.pg_type(ty)?;
        Some(match modifier {
            Some(modifier) => catalog.format_type_with_typmod(ty, modifier),
            None => catalog.format_type(ty),
        })
    }

    fn namespace_name(&self, namespace: Oid) -> Option<String> {
        self.catalog().namespace(namespace).map(|row| row.nspname.to_string())
    }

    fn role_name(&self, role: Oid) -> Option<String> {
        self.catalog().role(role).map(|row| row.rolname.to_string())
    }

    fn relation_kind(&self, relation: Oid) -> Option<u8> {
        self.catalog().relation(relation).map(|row| row.relkind)
    }

    fn base_type(&self, ty: Oid) -> Option<Oid> {
        let catalog = self.catalog();
        catalog.pg_type(ty).map(|_| catalog.base_type(ty))
    }

    fn made_of(&self, ty: Oid) -> Option<MadeOf> {
        let catalog = self.catalog();
        if let Some(element) = catalog.element_type(ty) {
            return Some(MadeOf::Array(element));
        }
        let row = catalog.pg_type(ty)?;
        match row.typtype {
            b'e' => Some(MadeOf::Enum),
            // What would have to be checked of a value is not known here.
            b'd' if row.typnotnull || catalog.constraints_of_type(ty).next().is_some() => None,
            b'd' => Some(MadeOf::Domain { base: row.typbasetype, typmod: row.typtypmod }),
            b'c' => self.columns_of(ty).map(MadeOf::Row),
            _ => None,
        }
    }

    fn enum_labels(&self, ty: Oid) -> Vec<Label> {
        let mut labels: Vec<Label> = self.catalog().enum_labels_of(ty).filter_map(|row| self.label(row)).collect();
        labels.sort_unstable_by_key(|label| label.place);
        labels
    }

    fn enum_labelled(&self, ty: Oid, name: &str) -> Option<Label> {
        let row = self.catalog().enum_labels_named(name).find(|row| row.enumtypid == ty)?;
        self.label(row)
    }

    fn enum_label(&self, label: Oid) -> Option<String> {
        self.catalog().enum_label(label).map(|row| row.enumlabel.to_string())
    }

    fn column_names(&self, row_type: Oid, each: &mut dyn FnMut(&str)) {
        let catalog = self.catalog();
        let Some(relation) = catalog.type_relation(row_type) else { return };
        let columns = catalog.attributes(relation).filter(|column| column.attnum > 0);
        let mut columns: SmallVec<[_; 32]> = columns.collect();
        columns.sort_unstable_by_key(|column| column.attnum);
        for column in columns {
            each(if column.attisdropped { "" } else { &column.attname });
        }
    }

    fn value_type(&self, ty: Oid) -> Oid {
        self.catalog().value_type(ty)
    }

    fn is_visible(&self, of: Oid, object: Oid) -> Option<bool> {
        self.catalog().is_visible(of, object)
    }

    fn comment(&self, of: Oid, object: Oid, column: i32) -> Option<String> {
        let text = |of: Oid| self.catalog().description((object, of, column)).map(|row| row.description.to_string());
        match of {
            // Whatever the object is.
            oid::INVALID => OBJECT_PROPERTIES.iter().find_map(|property| text(property.class)),
            of => text(of),
        }
    }

    fn shared_comment(&self, of: Oid, object: Oid) -> Option<String> {
        self.catalog().shared_description((object, of)).map(|row| row.description.to_string())
    }

    fn shown_columns(&self, table: Oid) -> ShownColumns {
        let (roles, role) = (self.viewer.roles(self.catalog()), self.viewer.role);
        let Some(row) = self.catalog().relation(table) else { return ShownColumns::All };
        if roles.row_security(role, row) != RowSecurity::None {
            return ShownColumns::None;
        }
        if roles.may(role, ObjectAddress { class: PG_CLASS, oid: table, column: 0 }, SELECT) {
            return ShownColumns::All;
        }
        let is_shown = |number: &i16| roles.may_by_columns(role, table, ColumnsOf::One(*number), SELECT);
        ShownColumns::Some((1..=row.relnatts).filter(is_shown).collect())
    }

    fn has_privilege(&self, role: Oid, on: Securable, object: Oid, column: i16, any: AclMode) -> Option<bool> {
        let roles = self.viewer.roles(self.catalog());
        let class = match on {
            Securable::Column => {
                let columns = if column == 0 { ColumnsOf::Any } else { ColumnsOf::One(column) };
                return roles.may_with_columns(role, object, columns, any);
            }
            Securable::Table | Securable::Sequence => PG_CLASS,
            Securable::Database => PG_DATABASE,
            Securable::Function => PG_PROC,
            Securable::Language => PG_LANGUAGE,
            Securable::Schema => PG_NAMESPACE,
            Securable::Tablespace => PG_TABLESPACE,
            Securable::Type => PG_TYPE,
            Securable::Parameter if object == oid::INVALID => return Some(roles.is_superuser(role)),
            Securable::Parameter => PG_PARAMETER_ACL,
            Securable::ForeignDataWrapper | Securable::ForeignServer | Securable::LargeObject => return None,
        };
        let object = ObjectAddress { class, oid: object, column: 0 };
        roles.mask(role, object, any, How::Any).map(|found| found != 0)
    }

    fn has_role(&self, member: Oid, role: Oid, mode: AclMode) -> bool {
        self.viewer.roles(self.catalog()).may_with_role(member, role, mode)
    }

    fn definition(&self, what: Definition<'_>) -> Result<Option<String>> {
        match what {
            Definition::Object { catalog: class, object: oid, column } => {
                object_description(self, ObjectAddress { class, oid, column })
            }
            what => definitions::definition(self, what),
        }
    }

    fn identify_object(&self, object: ObjectAddress) -> Result<ObjectIdentity> {
        self.catalog().identify(object)
    }

    fn object_address(
        &self,
        kind: &str,
        names: &[Option<String>],
        arguments: &[Option<String>],
    ) -> Result<ObjectAddress> {
        object_address(self, kind, names, arguments)
    }

    fn index_property(&self, of: PropertyOf, property: &str) -> Option<bool> {
        index_property(self.catalog(), of, property)
    }

    fn owned_sequence(&self, relation: Oid, column: i16) -> Option<Oid> {
        let catalog = self.catalog();
        let needs = catalog.dependents((PG_CLASS, relation));
        let of_column = needs.filter(|row| row.refobjsubid == i32::from(column) && row.classid == PG_CLASS);
        let sequences = of_column.filter(|row| matches!(row.deptype, b'a' | b'i'));
        let mut sequences = sequences.map(|row| row.objid);
        sequences.find(|&object| catalog.relation(object).is_some_and(|row| row.relkind == b'S'))
    }
}
