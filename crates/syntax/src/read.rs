//! Trees as `c/write.c` writes them become Rust's, in one pass over the bytes.

use std::fmt;

use crate::nodes::Node;
use crate::value::Constant;

/// The bytes are not what `c/write_nodes.c` writes, or a string in them is not UTF-8: an error of ours.
#[derive(Debug)]
pub(crate) struct Corrupt;

impl fmt::Display for Corrupt {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("the parser's tree cannot be read")
    }
}

pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes }
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], Corrupt> {
        let (first, rest) = self.bytes.split_first_chunk().ok_or(Corrupt)?;
        self.bytes = rest;
        Ok(*first)
    }

    pub(crate) fn byte(&mut self) -> Result<u8, Corrupt> {
        Ok(self.take::<1>()?[0])
    }

    fn string(&mut self) -> Result<Option<&'a [u8]>, Corrupt> {
        let length = i32::read(self)?;
        if length == -1 {
            return Ok(None);
        }
        let length = usize::try_from(length).map_err(|_| Corrupt)?;
        let (string, rest) = self.bytes.split_at_checked(length).ok_or(Corrupt)?;
        self.bytes = rest;
        Ok(Some(string))
    }

    /// What is said to people. An error within an escape cuts the text that it cites where the scanner stands, which may be
    /// within a character; PostgreSQL sends the half of it.
    pub(crate) fn words(&mut self) -> Result<Option<Box<str>>, Corrupt> {
        Ok(self.string()?.map(|s| String::from_utf8_lossy(s).into()))
    }

    /// An element takes at least a byte, so a list is never longer than what is left.
    pub(crate) fn length(&mut self) -> Result<usize, Corrupt> {
        let length = usize::try_from(i32::read(self)?).map_err(|_| Corrupt)?;
        if length > self.bytes.len() { Err(Corrupt) } else { Ok(length) }
    }
}

/// What trees are made of.
pub(crate) trait Read: Sized {
    fn read(r: &mut Reader) -> Result<Self, Corrupt>;
}

impl Read for i32 {
    fn read(r: &mut Reader) -> Result<i32, Corrupt> {
        r.take().map(i32::from_ne_bytes)
    }
}

impl Read for u32 {
    fn read(r: &mut Reader) -> Result<u32, Corrupt> {
        r.take().map(u32::from_ne_bytes)
    }
}

impl Read for i64 {
    fn read(r: &mut Reader) -> Result<i64, Corrupt> {
        r.take().map(i64::from_ne_bytes)
    }
}

impl Read for bool {
    fn read(r: &mut Reader) -> Result<bool, Corrupt> {
        Ok(r.byte()? != 0)
    }
}

impl Read for char {
    fn read(r: &mut Reader) -> Result<char, Corrupt> {
        Ok(char::from(r.byte()?))
    }
}

impl Read for Option<Box<str>> {
    fn read(r: &mut Reader) -> Result<Option<Box<str>>, Corrupt> {
        match r.string()? {
            Some(string) => Ok(Some(std::str::from_utf8(string).map_err(|_| Corrupt)?.into())),
            None => Ok(None),
        }
    }
}

impl Read for Box<str> {
    fn read(r: &mut Reader) -> Result<Box<str>, Corrupt> {
        Option::read(r)?.ok_or(Corrupt)
    }
}

impl Read for Vec<Node> {
    fn read(r: &mut Reader) -> Result<Vec<Node>, Corrupt> {
        let length = r.length()?;
        // The bytes are trusted for as much memory as they take themselves.
        let mut list = Vec::with_capacity(length.min(1 + r.bytes.len() / size_of::<Node>()));
        for _ in 0..length {
            // SELECT DISTINCT without ON has a list of no node.
            list.push(Option::read(r)?.unwrap_or(Node::Null));
        }
        Ok(list)
    }
}

impl<T: Read> Read for Option<Box<T>> {
    fn read(r: &mut Reader) -> Result<Option<Box<T>>, Corrupt> {
        if bool::read(r)? { boxed(r).map(Some) } else { Ok(None) }
    }
}

impl Read for Constant {
    fn read(r: &mut Reader) -> Result<Constant, Corrupt> {
        Ok(match r.byte()? {
            0 => Constant::Null,
            1 => Constant::Integer(Read::read(r)?),
            2 => Constant::Float(Read::read(r)?),
            3 => Constant::Boolean(Read::read(r)?),
            4 => Constant::String(Read::read(r)?),
            5 => Constant::BitString(Read::read(r)?),
            _ => return Err(Corrupt),
        })
    }
}

/// Not inlined: else the frame of what reads any node would have room for all of them at once.
#[inline(never)]
pub(crate) fn boxed<T: Read>(r: &mut Reader) -> Result<Box<T>, Corrupt> {
    T::read(r).map(Box::new)
}

/// A node: its fields are public and read in their order.
macro_rules! node {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name { $($(#[$field_doc])* pub $field: $type,)* }

        impl crate::read::Read for $name {
            #[allow(unused_variables)]
            fn read(r: &mut crate::read::Reader) -> Result<$name, crate::read::Corrupt> {
                Ok($name { $($field: crate::read::Read::read(r)?,)* })
            }
        }

        impl crate::places::Places for $name {
            fn forget_places(&mut self, _: &str) {
                $(crate::places::Places::forget_places(&mut self.$field, stringify!($field));)*
            }
        }
    };
}

macro_rules! enumeration {
    ($name:ident { $($value:ident = $number:literal,)* }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($value,)* }

        impl crate::read::Read for $name {
            fn read(r: &mut crate::read::Reader) -> Result<$name, crate::read::Corrupt> {
                Ok(match r.byte()? {
                    $($number => $name::$value,)*
                    _ => return Err(crate::read::Corrupt),
                })
            }
        }

        impl crate::places::Places for $name {
            fn forget_places(&mut self, _: &str) {}
        }
    };
}

/// `Node`, any one of them.
macro_rules! nodes {
    ($($name:ident = $number:literal,)*) => {
        /// Any node of a raw tree: a value, a list, or what the grammar makes.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Node {
            /// No node, in a list: the only element of `distinct_clause` where DISTINCT has no ON.
            Null,
            Integer(i32),
            /// A number that is no `int4`, as it was written.
            Float(Box<str>),
            Boolean(bool),
            String(Box<str>),
            /// `b` or `x`, then the digits.
            BitString(Box<str>),
            List(Box<[Node]>),
            $($name(Box<$name>),)*
        }

        impl crate::read::Read for Option<Node> {
            fn read(r: &mut crate::read::Reader) -> Result<Option<Node>, crate::read::Corrupt> {
                use crate::read::Read;
                Ok(Some(match r.byte()? {
                    0 => return Ok(None),
                    1 => Node::Integer(Read::read(r)?),
                    2 => Node::Float(Read::read(r)?),
                    3 => Node::Boolean(Read::read(r)?),
                    4 => Node::String(Read::read(r)?),
                    5 => Node::BitString(Read::read(r)?),
                    6 => Node::List(Vec::read(r)?.into()),
                    $($number => Node::$name(crate::read::boxed(r)?),)*
                    _ => return Err(crate::read::Corrupt),
                }))
            }
        }

        impl crate::places::Places for Node {
            fn forget_places(&mut self, field: &str) {
                match self {
                    Node::Null | Node::Integer(_) | Node::Float(_) | Node::Boolean(_) => {}
                    Node::String(_) | Node::BitString(_) => {}
                    Node::List(list) => list.forget_places(field),
                    $(Node::$name(node) => node.forget_places(field),)*
                }
            }
        }
    };
}

pub(crate) use {enumeration, node, nodes};
