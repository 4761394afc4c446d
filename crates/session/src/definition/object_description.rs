//! What functions ask of objects of any kind: the catalog knows, here are texts made names of
//! (`pg_get_object_address`, PostgreSQL's `objectaddress.c`).

use catalog::object::address::{Lookup, NamedType, ObjectName};
use catalog::object::{ObjectAddress, ObjectKind};
use error::sqlstate;
use types::names::Names;
use types::{Error, Oid, Result, oid};

use crate::definition::catalog_names::CatalogNames;

/// `pg_describe_object`; `None`: there is no such object.
pub fn object_description(names: &CatalogNames, object: ObjectAddress) -> Result<Option<String>> {
    // What pinned objects depend on.
    if object.class == oid::INVALID && object.oid == oid::INVALID {
        return Ok(None);
    }
    names.catalog().describe(object)
}

fn invalid(message: String) -> Error {
    Error::new(sqlstate::INVALID_PARAMETER_VALUE, message)
}

fn exactly(what: &str, given: usize, length: usize) -> Result<()> {
    match given == length {
        true => Ok(()),
        false => Err(invalid(format!("{what} list length must be exactly {length}"))),
    }
}

fn at_least(given: usize, length: usize) -> Result<()> {
    match given >= length {
        true => Ok(()),
        false => Err(invalid(format!("name list length must be at least {length}"))),
    }
}

fn without_nulls(texts: &[Option<String>]) -> Result<Vec<String>> {
    let null = || invalid("name or argument lists may not contain nulls".into());
    texts.iter().map(|text| text.clone().ok_or_else(null)).collect()
}

/// `pg_get_object_address`.
pub fn object_address(
    names: &CatalogNames,
    kind: &str,
    given: &[Option<String>],
    arguments: &[Option<String>],
) -> Result<ObjectAddress> {
    let kind = ObjectKind::parse(kind)?;
    let name = object_name(names, kind, given, arguments)?;
    Lookup { catalog: names.catalog(), database: &names.database.1 }.address(kind, &name)
}

/// The parts of a name, of which there are as many as the kind's names have.
fn object_name(
    names: &CatalogNames,
    kind: ObjectKind,
    given: &[Option<String>],
    arguments: &[Option<String>],
) -> Result<ObjectName> {
    use ObjectKind::*;
    let named = |text: String| -> Result<NamedType> {
        let (oid, _) = names.parse_type(&text)?;
        Ok(NamedType { oid, written: text })
    };
    let types = |texts: Vec<String>| texts.into_iter().map(named).collect::<Result<Vec<_>>>();
    let mut name = ObjectName::default();
    match kind {
        Type | Cast | Transform | DomainConstraint => {
            exactly("name", given.len(), 1)?;
            name.types = types(without_nulls(given)?)?;
        }
        LargeObject => name.names = vec![large_object(given)?.to_string()],
        _ => {
            name.names = without_nulls(given)?;
            at_least(name.names.len(), 1)?;
        }
    }
    match kind {
        Aggregate | Function | Procedure | Operator | Cast | AccessMethodOperator | AccessMethodFunction => {
            name.types.extend(types(without_nulls(arguments)?)?);
        }
        _ => name.others = without_nulls(arguments)?,
    }
    check_lengths(kind, &name, arguments.len())?;
    match kind {
        DomainConstraint => name.names = std::mem::take(&mut name.others),
        _ => debug_assert!(!name.names.is_empty() || !name.types.is_empty()),
    }
    Ok(name)
}

fn check_lengths(kind: ObjectKind, name: &ObjectName, arguments: usize) -> Result<()> {
    use ObjectKind::*;
    let names = name.names.len();
    match kind {
        PublicationNamespace | UserMapping => {
            exactly("name", names, 1)?;
            exactly("argument", arguments, 1)
        }
        DomainConstraint | Cast | PublicationRelation | DefaultAcl | Transform => exactly("argument", arguments, 1),
        OperatorFamily | OperatorClass => at_least(names, 2),
        AccessMethodOperator | AccessMethodFunction => {
            at_least(names, 3)?;
            exactly("argument", arguments, 2)
        }
        Operator => exactly("argument", arguments, 2),
        AccessMethod | Database | EventTrigger | Extension | ForeignDataWrapper | ForeignServer | Language
        | ParameterAcl | Publication | Role | Schema | Subscription | Tablespace => exactly("name", names, 1),
        _ => Ok(()),
    }
}

fn large_object(given: &[Option<String>]) -> Result<Oid> {
    exactly("name", given.len(), 1)?;
    let text = given[0].as_deref().ok_or_else(|| invalid("large object OID may not be null".into()))?;
    text.trim().parse().map_err(|_| Error::invalid_input("oid", text))
}
