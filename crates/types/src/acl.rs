//! `aclitem`: what a role may do with an object, as its text (`joe=arw*d/ann`), and what lists of them say.

use error::sqlstate;

use crate::array::ArrayBuilder;
use crate::array::value::{aclitem_array, text_array};
use crate::base_type::{BaseType, value};
use crate::context::Context;
use crate::datum::Datum;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::oid::{self, Oid};
use crate::repr::Repr;
use crate::scalar::Scalar;
use crate::set_returning::{Given, Set, SetCall, SetFunction};
use crate::sql::*;

pub const TYPES: &[BaseType] = &[BaseType {
    oid: oid::ACLITEM,
    input: |_, _, _| Err(Error::unsupported("a literal of type aclitem")),
    output: |_, array, index, out| {
        out.extend_from_slice(value::<text>(array, index).as_bytes());
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

/// The letters of privileges, in the order in which lists have them, with their names.
const PRIVILEGES: &[(char, &str)] = &[
    ('a', "INSERT"),
    ('r', "SELECT"),
    ('w', "UPDATE"),
    ('d', "DELETE"),
    ('D', "TRUNCATE"),
    ('x', "REFERENCES"),
    ('t', "TRIGGER"),
    ('X', "EXECUTE"),
    ('U', "USAGE"),
    ('C', "CREATE"),
    ('T', "TEMPORARY"),
    ('c', "CONNECT"),
    ('s', "SET"),
    ('A', "ALTER SYSTEM"),
    ('m', "MAINTAIN"),
];

/// Which role has what, and from which. `grantee` is empty for PUBLIC.
struct Item {
    grantee: String,
    /// Each with its grant option.
    privileges: Vec<(char, bool)>,
    grantor: String,
}

impl Item {
    fn parse(text: &str) -> Option<Item> {
        let (grantee, rest) = role_name(text)?;
        let (letters, grantor) = rest.strip_prefix('=')?.split_once('/')?;
        let mut privileges: Vec<(char, bool)> = Vec::new();
        for letter in letters.chars() {
            match letter {
                '*' => privileges.last_mut()?.1 = true,
                letter => privileges.push((letter, false)),
            }
        }
        Some(Item { grantee, privileges, grantor: role_name(grantor)?.0 })
    }
}

/// A role's name at the start of a text, and what follows.
fn role_name(text: &str) -> Option<(String, &str)> {
    let Some(mut rest) = text.strip_prefix('"') else {
        let end = text.find(['=', '/']).unwrap_or(text.len());
        return Some((text[..end].to_string(), &text[end..]));
    };
    let mut name = String::new();
    loop {
        let end = rest.find('"')?;
        name.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix('"') {
            Some(more) => rest = more,
            None => return Some((name, rest)),
        }
        name.push('"');
    }
}

fn quoted(role: &str) -> String {
    match role.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        true => role.to_string(),
        false => format!("\"{}\"", role.replace('"', "\"\"")),
    }
}

/// What PUBLIC and the owner may do with an object of a kind on which nothing was granted.
fn default_privileges(context: &Context, kind: u8, owner: Oid) -> Result<Vec<u8>> {
    let (public, own) = match kind {
        b'c' => ("", ""),
        b'r' => ("", "arwdDxtm"),
        b's' => ("", "rwU"),
        b'd' => ("Tc", "CTc"),
        b'f' => ("X", "X"),
        b'l' | b'T' => ("U", "U"),
        b'L' => ("", "rw"),
        b'n' => ("", "UC"),
        b'p' => ("", "sA"),
        b't' => ("", "C"),
        b'F' | b'S' => ("", "U"),
        other => {
            let message = format!("unrecognized object type abbreviation: {}", other as char);
            return Err(Error::new(sqlstate::INTERNAL_ERROR, message));
        }
    };
    let owner = quoted(&context.names.role_name(owner).unwrap_or_else(|| owner.to_string()));
    let mut items = ArrayBuilder::new(oid::ACLITEM, Repr::Text);
    for (grantee, letters) in [("", public), (&*owner, own)] {
        if !letters.is_empty() {
            items.push(Some(Scalar::Bytes(format!("{grantee}={letters}/{owner}").as_bytes())))?;
        }
    }
    items.finish_list()
}

/// A row for each privilege in a list.
fn explode(call: &SetCall<'_>) -> Result<Box<dyn Set>> {
    let names = &call.context.names;
    let role = |name: &str| names.role(name).or_else(|| name.parse().ok()).unwrap_or(oid::INVALID);
    let mut rows = Vec::new();
    for item in call.get::<aclitem_array>(0).iter() {
        let null = || Error::new(sqlstate::NULL_VALUE_NOT_ALLOWED, "ACL arrays must not contain null values");
        let text = item.ok_or_else(null)?.text();
        let item = Item::parse(text).ok_or_else(|| Error::invalid_input("aclitem", text))?;
        let (grantor, grantee) = (role(&item.grantor), if item.grantee.is_empty() { 0 } else { role(&item.grantee) });
        for (letter, name) in PRIVILEGES {
            if let Some((_, grantable)) = item.privileges.iter().find(|(granted, _)| granted == letter) {
                rows.push(vec![grantor.into(), grantee.into(), Datum::from(*name), (*grantable).into()]);
            }
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
    fn items_are_read() {
        let item = Item::parse("\"a=\"\"b\"=ar*w/ann").unwrap();
        assert_eq!((&*item.grantee, &*item.grantor), ("a=\"b", "ann"));
        assert_eq!(item.privileges, [('a', false), ('r', true), ('w', false)]);
        assert_eq!(Item::parse("=X/postgres").unwrap().grantee, "");
        assert!(Item::parse("postgres").is_none() && Item::parse("a=*/b").is_none());
    }
}
