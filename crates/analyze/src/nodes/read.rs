//! Text to trees.

use serde::de::{self, DeserializeOwned, DeserializeSeed, Error, IntoDeserializer, Visitor};
use syntax::with_stack_for;

use super::{Damage, LEVELS};

/// The only value of a text.
pub(super) fn whole<T: DeserializeOwned>(text: &str) -> Result<T, Damage> {
    let mut reader = Reader { text, at: 0 };
    reader.expect(b'{')?;
    let value = T::deserialize(&mut reader)?;
    reader.expect(b'}')?;
    match reader.peek() {
        None => Ok(value),
        Some(_) => Err(reader.wrong("the end")),
    }
}

struct Reader<'de> {
    text: &'de str,
    at: usize,
}

impl<'de> Reader<'de> {
    fn wrong(&self, expected: &str) -> Damage {
        Damage::custom(format_args!("{expected} was expected at byte {}", self.at))
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    /// What comes behind blanks.
    fn peek(&mut self) -> Option<u8> {
        while self.byte(0) == Some(b' ') {
            self.at += 1;
        }
        self.byte(0)
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8) -> Result<(), Damage> {
        if self.take(byte) { Ok(()) } else { Err(self.wrong(&format!("\"{}\"", char::from(byte)))) }
    }

    /// Letters, digits, underscores and a sign.
    fn word(&mut self) -> Result<&'de str, Damage> {
        self.peek();
        let start = self.at;
        while self.byte(0).is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')) {
            self.at += 1;
        }
        if start == self.at { Err(self.wrong("a word")) } else { Ok(&self.text[start..self.at]) }
    }

    fn number<T: std::str::FromStr>(&mut self) -> Result<T, Damage> {
        let word = self.word()?;
        word.parse().map_err(|_| self.wrong("a number"))
    }

    fn string(&mut self) -> Result<String, Damage> {
        self.expect(b'"')?;
        let mut out = String::new();
        loop {
            let rest = &self.text[self.at..];
            let Some(place) = rest.find(['"', '\\']) else { return Err(self.wrong("the end of a text")) };
            out.push_str(&rest[..place]);
            self.at += place + 1;
            if rest.as_bytes()[place] == b'"' {
                return Ok(out);
            }
            let Some(escaped) = self.text[self.at..].chars().next() else {
                return Err(self.wrong("the end of a text"));
            };
            out.push(escaped);
            self.at += escaped.len_utf8();
        }
    }

    /// Passes a value of any kind: that of a field that is not known.
    fn skip(&mut self) -> Result<(), Damage> {
        let mut open = 0usize;
        loop {
            match self.peek() {
                Some(b'"') => drop(self.string()?),
                Some(b'{' | b'(') => {
                    self.at += 1;
                    open += 1;
                    continue;
                }
                Some(b'}' | b')') if open > 0 => {
                    self.at += 1;
                    open -= 1;
                }
                _ => {
                    self.word()?;
                    // A variant's value follows.
                    if self.byte(0) == Some(b':') {
                        self.at += 1;
                        continue;
                    }
                }
            }
            if open == 0 {
                return Ok(());
            }
        }
    }

    fn list<V: Visitor<'de>>(&mut self, begin: u8, end: u8, visitor: V) -> Result<V::Value, Damage> {
        self.expect(begin)?;
        let value = with_stack_for(LEVELS, || match begin {
            b'{' => visitor.visit_map(Parts { reader: self, end }),
            _ => visitor.visit_seq(Parts { reader: self, end }),
        })?;
        self.expect(end)?;
        Ok(value)
    }
}

/// Numbers are what the reader asks for.
macro_rules! numbers {
    ($($method:ident $visit:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Damage> {
            visitor.$visit(self.number()?)
        })*
    };
}

/// What trees do not have.
macro_rules! refused {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Damage> {
            Err(self.wrong("something else"))
        })*
    };
}

impl<'de> de::Deserializer<'de> for &mut Reader<'de> {
    type Error = Damage;

    numbers! {
        deserialize_i8 visit_i8 deserialize_i16 visit_i16 deserialize_i32 visit_i32 deserialize_i64 visit_i64
        deserialize_i128 visit_i128
        deserialize_u8 visit_u8 deserialize_u16 visit_u16 deserialize_u32 visit_u32 deserialize_u64 visit_u64
    }
    refused! {
        deserialize_any deserialize_f32 deserialize_f64 deserialize_char deserialize_bytes deserialize_byte_buf
        deserialize_map
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Damage> {
        match self.word()? {
            "t" => visitor.visit_bool(true),
            "f" => visitor.visit_bool(false),
            _ => Err(self.wrong("t or f")),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Damage> {
        visitor.visit_string(self.string()?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Damage> {
        visitor.visit_string(self.string()?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Damage> {
        let negative = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_digit());
        if self.peek() == Some(b'-') && !negative(self.byte(1)) {
            self.at += 1;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Damage> {
        self.expect(b'-')?;
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Damage> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Damage> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Damage> {
        self.list(b'(', b')', visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Damage> {
        self.list(b'(', b')', visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Damage> {
        self.list(b'(', b')', visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Damage> {
        self.list(b'{', b'}', visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Damage> {
        with_stack_for(LEVELS, || visitor.visit_enum(self))
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Damage> {
        visitor.visit_borrowed_str(self.word()?)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Damage> {
        self.skip()?;
        visitor.visit_unit()
    }
}

/// What stands between two brackets.
struct Parts<'a, 'de> {
    reader: &'a mut Reader<'de>,
    end: u8,
}

impl<'de> de::SeqAccess<'de> for Parts<'_, 'de> {
    type Error = Damage;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Damage> {
        if self.reader.peek() == Some(self.end) {
            return Ok(None);
        }
        seed.deserialize(&mut *self.reader).map(Some)
    }
}

impl<'de> de::MapAccess<'de> for Parts<'_, 'de> {
    type Error = Damage;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Damage> {
        if self.reader.peek() == Some(self.end) {
            return Ok(None);
        }
        seed.deserialize(&mut *self.reader).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Damage> {
        seed.deserialize(&mut *self.reader)
    }
}

impl<'a, 'de> de::EnumAccess<'de> for &'a mut Reader<'de> {
    type Error = Damage;
    type Variant = &'a mut Reader<'de>;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self::Variant), Damage> {
        let name: de::value::BorrowedStrDeserializer<'de, Damage> =
            de::value::BorrowedStrDeserializer::new(self.word()?);
        Ok((seed.deserialize(name.into_deserializer())?, self))
    }
}

impl<'de> de::VariantAccess<'de> for &mut Reader<'de> {
    type Error = Damage;

    fn unit_variant(self) -> Result<(), Damage> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Damage> {
        self.expect(b':')?;
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Damage> {
        self.expect(b':')?;
        self.list(b'(', b')', visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, Damage> {
        self.expect(b':')?;
        self.list(b'{', b'}', visitor)
    }
}
