//! `aclitem`: what a role may do with an object, as its text (`joe=arwd/ann`).

use crate::base_type::{BaseType, value};
use crate::error::Error;
use crate::oid;
use crate::sql::text;

pub const TYPES: &[BaseType] = &[BaseType {
    oid: oid::ACLITEM,
    input: |_, _, _| Err(Error::unsupported("a literal of type aclitem")),
    output: |_, array, index, out| {
        out.extend_from_slice(value::<text>(array, index).as_bytes());
        Ok(())
    },
    receive: |_, _, _| Err(Error::new("42883", "no binary input function available for type aclitem")),
    send: |_, _, _, _| Err(Error::new("42883", "no binary output function available for type aclitem")),
}];
