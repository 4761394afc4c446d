//! Trees to text.

use serde::ser::{self, Serialize};
use syntax::with_stack_for;

use super::{Damage, LEVELS};

pub(super) struct Writer<'a> {
    pub out: &'a mut String,
}

/// A list or the fields of a structure that are being written.
pub(super) struct Parts<'a> {
    out: &'a mut String,
    first: bool,
    end: char,
}

impl<'a> Writer<'a> {
    fn parts(self, begin: char, end: char) -> Parts<'a> {
        self.out.push(begin);
        Parts { out: self.out, first: true, end }
    }

    fn display(self, value: impl std::fmt::Display) -> Result<(), Damage> {
        self.out.push_str(&value.to_string());
        Ok(())
    }

    fn refuse(self, what: &str) -> Result<(), Damage> {
        Err(ser::Error::custom(format_args!("{what} in a tree")))
    }
}

impl Parts<'_> {
    fn part<T: Serialize + ?Sized>(&mut self, name: Option<&str>, value: &T) -> Result<(), Damage> {
        if !std::mem::take(&mut self.first) {
            self.out.push(' ');
        }
        if let Some(name) = name {
            self.out.push_str(name);
            self.out.push(' ');
        }
        with_stack_for(LEVELS, || value.serialize(Writer { out: self.out }))
    }

    fn finish(self) -> Result<(), Damage> {
        self.out.push(self.end);
        Ok(())
    }
}

impl<'a> ser::Serializer for Writer<'a> {
    type Ok = ();
    type Error = Damage;
    type SerializeSeq = Parts<'a>;
    type SerializeTuple = Parts<'a>;
    type SerializeTupleStruct = Parts<'a>;
    type SerializeTupleVariant = Parts<'a>;
    type SerializeMap = ser::Impossible<(), Damage>;
    type SerializeStruct = Parts<'a>;
    type SerializeStructVariant = Parts<'a>;

    fn serialize_bool(self, v: bool) -> Result<(), Damage> {
        self.out.push(if v { 't' } else { 'f' });
        Ok(())
    }

    fn serialize_i8(self, v: i8) -> Result<(), Damage> {
        self.display(v)
    }

    fn serialize_i16(self, v: i16) -> Result<(), Damage> {
        self.display(v)
    }

    fn serialize_i32(self, v: i32) -> Result<(), Damage> {
        self.display(v)
    }

    fn serialize_i64(self, v: i64) -> Result<(), Damage> {
        self.display(v)
    }

    fn serialize_i128(self, v: i128) -> Result<(), Damage> {
        self.display(v)
    }

    fn serialize_u8(self, v: u8) -> Result<(), Damage> {
        self.display(v)
    }

    fn serialize_u16(self, v: u16) -> Result<(), Damage> {
        self.display(v)
    }

    fn serialize_u32(self, v: u32) -> Result<(), Damage> {
        self.display(v)
    }

    fn serialize_u64(self, v: u64) -> Result<(), Damage> {
        self.display(v)
    }

    /// Values are written by their bits.
    fn serialize_f32(self, _: f32) -> Result<(), Damage> {
        self.refuse("a float")
    }

    fn serialize_f64(self, _: f64) -> Result<(), Damage> {
        self.refuse("a float")
    }

    fn serialize_char(self, _: char) -> Result<(), Damage> {
        self.refuse("a character")
    }

    fn serialize_str(self, v: &str) -> Result<(), Damage> {
        self.out.push('"');
        for c in v.chars() {
            if matches!(c, '"' | '\\') {
                self.out.push('\\');
            }
            self.out.push(c);
        }
        self.out.push('"');
        Ok(())
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<(), Damage> {
        self.refuse("bytes")
    }

    fn serialize_none(self) -> Result<(), Damage> {
        self.out.push('-');
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Damage> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Damage> {
        self.serialize_none()
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Damage> {
        self.serialize_none()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Damage> {
        self.out.push_str(variant);
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Damage> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Damage> {
        self.out.push_str(variant);
        self.out.push(':');
        with_stack_for(LEVELS, || value.serialize(self))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Parts<'a>, Damage> {
        Ok(self.parts('(', ')'))
    }

    fn serialize_tuple(self, _: usize) -> Result<Parts<'a>, Damage> {
        Ok(self.parts('(', ')'))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Parts<'a>, Damage> {
        Ok(self.parts('(', ')'))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Parts<'a>, Damage> {
        self.out.push_str(variant);
        self.out.push(':');
        Ok(self.parts('(', ')'))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Damage> {
        Err(ser::Error::custom("a map in a tree"))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Parts<'a>, Damage> {
        Ok(self.parts('{', '}'))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Parts<'a>, Damage> {
        self.out.push_str(variant);
        self.out.push(':');
        Ok(self.parts('{', '}'))
    }
}

/// Serde's traits for what has parts, which differ in what they call adding one and whether it has a name.
macro_rules! parts {
    ($($of:ident: $add:ident($($name:ident)?) => $label:expr;)*) => {$(
        impl ser::$of for Parts<'_> {
            type Ok = ();
            type Error = Damage;

            fn $add<T: Serialize + ?Sized>(&mut self, $($name: &'static str,)? value: &T) -> Result<(), Damage> {
                self.part($label, value)
            }

            fn end(self) -> Result<(), Damage> {
                self.finish()
            }
        }
    )*};
}

parts! {
    SerializeSeq: serialize_element() => None;
    SerializeTuple: serialize_element() => None;
    SerializeTupleStruct: serialize_field() => None;
    SerializeTupleVariant: serialize_field() => None;
    SerializeStruct: serialize_field(name) => Some(name);
    SerializeStructVariant: serialize_field(name) => Some(name);
}
