//! What types of users' own are made of, and how their values are read. The catalog knows it ([`crate::names`]).

use crate::array::{self, ArrayBuilder};
use crate::base_type::{BaseType, base_type};
use crate::context::Context;
use crate::datum::Datum;
use crate::r#enum;
use crate::error::{Error, Result};
use crate::oid::Oid;
use crate::record::{self, Column};
use crate::repr::Repr;
use crate::system::format_type;

/// What a type that is not built in is made of.
#[derive(Clone, Debug)]
pub enum MadeOf {
    /// Of labels.
    Enum,
    /// Of elements of a type.
    Array(Oid),
    /// Of the values of another type.
    Domain { base: Oid, typmod: i32 },
    /// Of columns; dropped ones have no type.
    Row(Vec<Column>),
}

/// How values of a type are read: by a built-in type's functions, or as what a user's type is made of.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    pub ty: Oid,
    built_in: Option<&'static BaseType>,
}

impl Reader {
    pub fn of(ty: Oid) -> Reader {
        Reader { ty, built_in: base_type(ty) }
    }

    /// The value that a text means, made to fit a type modifier. Fails with 0A000 for a type that has no values here.
    pub fn input(&self, context: &Context, text: &str, typmod: i32) -> Result<Datum> {
        match self.built_in {
            Some(base) => (base.input)(context, text, typmod),
            None => self.input_of_parts(context, text, typmod),
        }
    }

    /// The value that bytes mean. Fails with 22P03 when they are none.
    pub fn receive(&self, context: &Context, bytes: &[u8], typmod: i32) -> Result<Datum> {
        match self.built_in {
            Some(base) => (base.receive)(context, bytes, typmod),
            None => self.receive_parts(context, bytes, typmod),
        }
    }

    fn input_of_parts(&self, context: &Context, text: &str, typmod: i32) -> Result<Datum> {
        match made_of(context, self.ty)? {
            MadeOf::Enum => r#enum::input(context, self.ty, text),
            MadeOf::Array(element) => {
                array::input::read(context, Reader::of(element), elements(context, element)?, text, typmod)
            }
            MadeOf::Domain { base, typmod } => Reader::of(base).input(context, text, typmod),
            MadeOf::Row(columns) => record::text::input(context, self.ty, &columns, text),
        }
    }

    fn receive_parts(&self, context: &Context, bytes: &[u8], typmod: i32) -> Result<Datum> {
        match made_of(context, self.ty)? {
            MadeOf::Enum => r#enum::receive(context, self.ty, bytes),
            MadeOf::Array(element) => {
                array::wire::read(context, Reader::of(element), elements(context, element)?, bytes, typmod)
            }
            MadeOf::Domain { base, typmod } => Reader::of(base).receive(context, bytes, typmod),
            MadeOf::Row(columns) => record::wire::receive(context, self.ty, &columns, bytes),
        }
    }
}

fn unsupported(context: &Context, ty: Oid) -> Error {
    Error::unsupported(format_args!("type {}", format_type(context, ty, None)))
}

fn made_of(context: &Context, ty: Oid) -> Result<MadeOf> {
    context.names.made_of(ty).ok_or_else(|| unsupported(context, ty))
}

/// How values of a type lie. Fails with 0A000 for a type that has no values here.
pub fn repr(context: &Context, ty: Oid) -> Result<Repr> {
    let of_type = Repr::of(ty, -1).or_else(|| Repr::of(context.names.value_type(ty), -1));
    of_type.ok_or_else(|| unsupported(context, ty))
}

fn elements(context: &Context, element: Oid) -> Result<ArrayBuilder> {
    Ok(ArrayBuilder::new(element, repr(context, element)?))
}
