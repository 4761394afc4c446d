//! Names that find the object again: with a schema where the search path needs it.

use catalog::{QualifiedName, quote_identifier};
use error::sqlstate;
use types::{Error, Oid, Result, oid};

use super::Writer;
use crate::Operand;
use crate::call_kind::Decoration;
use crate::parse_func::{FuncCall, FuncDetail, func_get_detail};
use crate::parse_oper::{left_oper, oper};

impl Writer<'_> {
    /// `generate_operator_name`; 0 on the left for a prefix operator.
    pub(super) fn operator_name(&self, operator: Oid, left: Oid, right: Oid) -> Result<String> {
        let row = self.catalog().operator(operator).ok_or_else(|| missing("operator", operator))?;
        let name = QualifiedName { schema: None, name: &row.oprname };
        let found = match left {
            oid::INVALID => left_oper(self.catalog(), name, right),
            left => oper(self.catalog(), name, left, right),
        };
        if found.is_ok_and(|found| found.oid == operator) {
            return Ok(row.oprname.to_string());
        }
        Ok(format!("OPERATOR({}.{})", self.schema(row.oprnamespace)?, row.oprname))
    }

    /// `generate_function_name`, for arguments of these types.
    pub(super) fn function_name(&self, function: Oid, arguments: &[Oid], variadic: bool) -> Result<String> {
        let row = self.catalog().function(function).ok_or_else(|| missing("function", function))?;
        let name = quote_identifier(&row.proname);
        // The grammar has them for its own there.
        if !(self.in_group_by && matches!(&*row.proname, "cube" | "rollup")) {
            let operands: Vec<Operand> = arguments.iter().map(|&ty| Operand::of(ty)).collect();
            let decoration = Decoration::default();
            let called = QualifiedName { schema: None, name: &row.proname };
            let call = FuncCall { name: called, arguments: &operands, names: &[], variadic, decoration };
            let found = match func_get_detail(self.catalog(), &call) {
                Ok(FuncDetail::Function(found, _)) => Some(found.oid),
                _ => None,
            };
            if found == Some(function) {
                return Ok(name.into_owned());
            }
        }
        Ok(format!("{}.{name}", self.schema(row.pronamespace)?))
    }

    /// `generate_relation_name`.
    pub(crate) fn relation_name(&self, relation: Oid) -> Result<String> {
        let row = self.catalog().relation(relation).ok_or_else(|| missing("relation", relation))?;
        let found = self.deparse.relations.relation(None, &row.relname)?;
        let name = quote_identifier(&row.relname);
        Ok(match found.is_some_and(|found| found.oid == relation) {
            true => name.into_owned(),
            false => self.qualified_relation_name(relation)?,
        })
    }

    /// `generate_collation_name`.
    pub(crate) fn collation_name(&self, collation: Oid) -> Result<String> {
        let row = self.catalog().collation(collation).ok_or_else(|| missing("collation", collation))?;
        Ok(quote_identifier(&row.collname).into_owned())
    }

    pub(crate) fn qualified_relation_name(&self, relation: Oid) -> Result<String> {
        let row = self.catalog().relation(relation).ok_or_else(|| missing("relation", relation))?;
        Ok(format!("{}.{}", self.schema(row.relnamespace)?, quote_identifier(&row.relname)))
    }

    fn schema(&self, namespace: Oid) -> Result<String> {
        let row = self.catalog().namespace(namespace).ok_or_else(|| missing("schema", namespace))?;
        Ok(quote_identifier(&row.nspname).into_owned())
    }
}

fn missing(what: &str, oid: Oid) -> Error {
    Error::new(sqlstate::INTERNAL_ERROR, format!("cache lookup failed for {what} {oid}"))
}
