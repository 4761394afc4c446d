//! Names of types (`parse_type.c`), and what is often asked about types.

use ::error::sqlstate;
use catalog::{Catalog, QualifiedName};
use syntax::Constant;
use syntax::nodes as raw;
use syntax::nodes::Node;
use types::{Oid, Result, oid};

use super::raw::strings;
use super::state::ParseState;
use super::{error, placed, unsupported};
use crate::query::TypeRef;

impl<'a> ParseState<'a> {
    /// The type that a name means (`typenameTypeIdAndMod`).
    pub fn type_name(&self, name: &raw::TypeName) -> Result<TypeRef> {
        let place = name.location;
        if name.pct_type {
            return Err(unsupported("%TYPE", place));
        }
        let parts = strings(&name.names);
        let qualified = self.qualified_name(&parts, place)?;
        let brackets = if name.array_bounds.is_empty() { "" } else { "[]" };
        let missing = || {
            let message = format!("type \"{}{brackets}\" does not exist", parts.join("."));
            error(sqlstate::UNDEFINED_OBJECT, message, place)
        };
        let found = self.catalog().type_by_name(qualified).map_err(|e| placed(e, place))?.ok_or_else(missing)?;
        let mut ty = found.oid;
        if !found.typisdefined {
            return Err(error(
                sqlstate::UNDEFINED_OBJECT,
                format!("type \"{}{brackets}\" is only a shell", parts.join(".")),
                place,
            ));
        }
        if !name.array_bounds.is_empty() {
            ty = self.array_type(ty).ok_or_else(missing)?;
        }
        let typmod = self.type_modifier(name, ty, &format!("{}{brackets}", parts.join(".")))?;
        Ok(TypeRef { oid: ty, typmod })
    }

    /// A schema and a name (`DeconstructQualifiedName`); a database in front is this one.
    pub(crate) fn qualified_name<'n>(&self, parts: &[&'n str], place: i32) -> Result<QualifiedName<'n>> {
        self.qualified_name_shown(parts, || parts.join("."), place)
    }

    /// As [`ParseState::qualified_name`]; messages show more than the parts.
    pub(crate) fn qualified_name_shown<'n>(
        &self,
        parts: &[&'n str],
        shown: impl FnOnce() -> String,
        place: i32,
    ) -> Result<QualifiedName<'n>> {
        match *parts {
            [name] => Ok(QualifiedName { schema: None, name }),
            [schema, name] => Ok(QualifiedName { schema: Some(schema), name }),
            [catalog, schema, name] if catalog == self.statement.database => {
                Ok(QualifiedName { schema: Some(schema), name })
            }
            [_, _, _] => {
                let message = format!("cross-database references are not implemented: {}", shown());
                Err(error(sqlstate::FEATURE_NOT_SUPPORTED, message, place))
            }
            _ => {
                let message = format!("improper qualified name (too many dotted names): {}", shown());
                Err(error(sqlstate::SYNTAX_ERROR, message, place))
            }
        }
    }

    /// `typenameTypeMod`.
    fn type_modifier(&self, name: &raw::TypeName, ty: Oid, shown: &str) -> Result<i32> {
        if name.typmods.is_empty() {
            return Ok(name.typemod);
        }
        let place = name.location;
        let mut modifiers = Vec::with_capacity(name.typmods.len());
        for node in &name.typmods {
            let modifier = match node {
                Node::A_Const(constant) => match &constant.val {
                    Constant::Integer(number) => Some(number.to_string()),
                    Constant::Float(text) | Constant::String(text) => Some(text.to_string()),
                    _ => None,
                },
                Node::ColumnRef(column) => match &column.fields[..] {
                    [Node::String(name)] => Some(name.to_string()),
                    _ => None,
                },
                _ => None,
            };
            let wrong =
                || error(sqlstate::SYNTAX_ERROR, "type modifiers must be simple constants or identifiers", place);
            modifiers.push(modifier.ok_or_else(wrong)?);
        }
        match super::typmod::input(ty, &modifiers) {
            Some(typmod) => typmod.map_err(|e| placed(e, place)),
            None => {
                Err(error(sqlstate::SYNTAX_ERROR, format!("type modifier is not allowed for type \"{shown}\""), place))
            }
        }
    }

    /// As messages name a type.
    pub fn type_text(&self, ty: Oid) -> String {
        self.catalog().format_type(ty)
    }

    pub fn catalog(&self) -> Catalog<'a> {
        self.statement.catalog
    }

    pub fn array_type(&self, element: Oid) -> Option<Oid> {
        self.catalog().array_type(element)
    }

    pub fn element_type(&self, array: Oid) -> Option<Oid> {
        self.catalog().element_type(array)
    }

    pub fn is_collatable(&self, ty: Oid) -> bool {
        self.catalog().type_collation(ty).is_some()
    }

    pub fn is_row_type(&self, ty: Oid) -> bool {
        ty == oid::RECORD || self.catalog().is_complex(ty)
    }
}
