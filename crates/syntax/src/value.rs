//! Parts of nodes that are not nodes themselves.

/// Where a token starts: bytes from the beginning of the text; -1 where there is none.
pub type ParseLoc = i32;

/// A literal (`A_Const`). Its type is analysis' business.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    Null,
    /// A number that fits `int4`.
    Integer(i32),
    /// Any other number, as it was written.
    Float(Box<str>),
    Boolean(bool),
    String(Box<str>),
    /// `b` or `x`, then the digits.
    BitString(Box<str>),
}
