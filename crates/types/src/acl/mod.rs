//! `aclitem`: what a role may do with an object, and which role gave it (PostgreSQL's `acl.h`). `item` is the value and its text,
//! `defaults` what an object has on which nothing was granted; this file has the type and its functions. Lists of items as rights of
//! objects are the catalogs' (`catalog::acl`).

mod defaults;
mod item;

use error::sqlstate;

pub use defaults::{all_privileges, default_acl};
pub use item::{ALL_LETTERS, AclItem, AclMode, PRIVILEGES, grant_options, mode, of_grant_options, privilege_of_name};

use crate::array::ArrayBuilder;
use crate::array::value::{aclitem_array, text_array};
use crate::array::view::ArrayView;
use crate::base_type::{BaseType, value};
use crate::context::Context;
use crate::datum::Datum;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::names::Securable;
use crate::oid::{self, Oid};
use crate::quote::is_space;
use crate::repr::Repr;
use crate::scalar::Scalar;
use crate::set_returning::{Given, Set, SetCall, SetFunction};
use crate::sql::fixed;
use crate::sql::*;

fixed! {
    aclitem ACLITEM AclItem, 16,
        |bytes: &[u8; 16]| AclItem::of_bytes(bytes).expect("the representation's width"), AclItem::to_bytes;
}

pub const TYPES: &[BaseType] = &[BaseType {
    oid: oid::ACLITEM,
    input: |context, text, _| Ok(Datum::bytes(AclItem::parse(&*context.names, text)?.to_bytes())),
    output: |context, array, index, out| {
        value::<aclitem>(array, index).write(&*context.names, out);
        Ok(())
    },
    receive: |_, _, _| {
        Err(Error::new(sqlstate::UNDEFINED_FUNCTION, "no binary input function available for type aclitem"))
    },
    send: |_, _, _, _| {
        Err(Error::new(sqlstate::UNDEFINED_FUNCTION, "no binary output function available for type aclitem"))
    },
}];

pub const FUNCTIONS: &[Function] = functions! {
    acldefault[context](quoted_char, oid_) -> aclitem_array = default_privileges;
    aclcontains(aclitem_array, aclitem) -> boolean = contains;
    aclitemeq(aclitem, aclitem) -> boolean = |one, other| Result::Ok(one == other);
    hash_aclitem(aclitem) -> int4 = |item: AclItem| Result::Ok(item.sum() as i32);
    makeaclitem(oid_, oid_, text, boolean) -> aclitem = make;
};

pub const SET_FUNCTIONS: &[SetFunction] = &[
    SetFunction {
        name: "aclexplode",
        arguments: &[oid::ACLITEM_ARRAY],
        result: oid::RECORD,
        strict: true,
        start: explode,
    },
    SetFunction {
        name: "pg_options_to_table",
        arguments: &[oid::TEXT_ARRAY],
        result: oid::RECORD,
        strict: true,
        start: options,
    },
];

/// The array of items that `aclitem[]` is.
pub fn to_array(items: &[AclItem]) -> Result<Vec<u8>> {
    let mut array = ArrayBuilder::new(oid::ACLITEM, Repr::Uuid);
    for item in items {
        array.push(Some(Scalar::Bytes(&item.to_bytes())))?;
    }
    array.finish_list()
}

/// The items of an array. Fails where one is NULL.
fn items(array: ArrayView<'_>) -> Result<Vec<AclItem>> {
    let null = || Error::new(sqlstate::NULL_VALUE_NOT_ALLOWED, "ACL arrays must not contain null values");
    let item = |element: Option<Scalar<'_>>| match element.ok_or_else(null)? {
        Scalar::Bytes(bytes) => Ok(AclItem::of_bytes(bytes).expect("the representation's width")),
        other => unreachable!("an aclitem is no {other:?}"),
    };
    array.iter().map(item).collect()
}

fn default_privileges(_: &Context, kind: u8, owner: Oid) -> Result<Vec<u8>> {
    let kind = match kind {
        b'c' => Securable::Column,
        b'r' => Securable::Table,
        b's' => Securable::Sequence,
        b'd' => Securable::Database,
        b'f' => Securable::Function,
        b'l' => Securable::Language,
        b'L' => Securable::LargeObject,
        b'n' => Securable::Schema,
        b'p' => Securable::Parameter,
        b't' => Securable::Tablespace,
        b'F' => Securable::ForeignDataWrapper,
        b'S' => Securable::ForeignServer,
        b'T' => Securable::Type,
        other => {
            let message = format!("unrecognized object type abbreviation: {}", other as char);
            return Err(Error::new(sqlstate::INTERNAL_ERROR, message));
        }
    };
    to_array(&default_acl(kind, owner))
}

/// Is an item, or more of it, in a list?
fn contains(list: ArrayView<'_>, wanted: AclItem) -> Result<bool> {
    Ok(items(list)?
        .into_iter()
        .any(|item| item.is_between_those_of(&wanted) && item.privs & wanted.privs == wanted.privs))
}

fn make(grantee: Oid, grantor: Oid, privileges: &str, grantable: bool) -> Result<AclItem> {
    let mut privs = 0;
    for one in privileges.split(',') {
        let one = one.trim_matches(is_space);
        let unknown =
            || Error::new(sqlstate::INVALID_PARAMETER_VALUE, format!("unrecognized privilege type: \"{one}\""));
        privs |= privilege_of_name(&one.to_ascii_uppercase()).ok_or_else(unknown)?;
    }
    Ok(AclItem { grantee, grantor, privs: privs | if grantable { grant_options(privs) } else { 0 } })
}

/// A row for each privilege in a list.
fn explode(call: &SetCall<'_>) -> Result<Box<dyn Set>> {
    let mut rows = Vec::new();
    for item in items(call.get::<aclitem_array>(0))? {
        for (_, name, mode) in PRIVILEGES.iter().filter(|(.., mode)| item.privs & mode != 0) {
            let grantable = item.privs & grant_options(*mode) != 0;
            rows.push(vec![item.grantor.into(), item.grantee.into(), Datum::from(*name), grantable.into()]);
        }
    }
    Ok(Given::rows(rows))
}

/// A row for each option `name=value`.
fn options(call: &SetCall<'_>) -> Result<Box<dyn Set>> {
    let row = |option: Option<Scalar<'_>>| {
        let missing = || Error::new(sqlstate::NULL_VALUE_NOT_ALLOWED, "null array element not allowed in this context");
        let option = option.ok_or_else(missing)?.text();
        let (name, value) = option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
        Ok(vec![name.into(), value.into()])
    };
    Ok(Given::rows(call.get::<text_array>(0).iter().map(row).collect::<Result<_>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_made_of_names_of_privileges() {
        let item = make(5, 10, "select, Maintain", true).unwrap();
        assert_eq!(item.privs, (mode::SELECT | mode::MAINTAIN) | grant_options(mode::SELECT | mode::MAINTAIN));
        assert_eq!(make(5, 10, "select,", false).unwrap_err().0.message, "unrecognized privilege type: \"\"");
    }

    #[test]
    fn a_list_contains_what_is_less() {
        let list = to_array(&[AclItem { grantee: 1, grantor: 2, privs: mode::SELECT | mode::INSERT }]).unwrap();
        let has = |grantee, privs| contains(ArrayView::new(&list), AclItem { grantee, grantor: 2, privs }).unwrap();
        assert!(has(1, mode::SELECT) && has(1, 0));
        assert!(!has(2, mode::SELECT) && !has(1, mode::DELETE));
    }
}
