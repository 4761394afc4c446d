//! Reads the facts about built-in objects: the rows of PostgreSQL's catalogs, as `record.sh` wrote them.
//!
//! A file's first line names the columns, each with its most frequent value (`typlen=-1`); a cell that is empty stands for
//! it. The rest is as in COPY's text format, but an empty text is `\E`. The files are part of the program, so what is wrong
//! with one is a bug, and a panic; a test reads them all.

use std::borrow::Cow;
use std::cmp::Ordering;

use types::acl::AclItem;
use types::array::{ArrayBuilder, element_repr, element_type};
use types::{ColumnBuilder, Datum, Oid, oid};

use crate::acl::BOOTSTRAP_SUPERUSER;
use crate::syscache::Catalog;

/// A `name` or a `text`. Facts are borrowed from the program.
pub type Name = Cow<'static, str>;

/// A `"char"`; 0 is the empty one.
pub type Char = u8;

/// A row of a catalog: a struct with a field for each column.
pub trait Row: Send + Sync + 'static {
    /// The catalog's name.
    const RELATION: &'static str;
    const COLUMNS: &'static [&'static str];
    const FACTS: &'static str;
    /// What this server has beyond PostgreSQL's (`own.sh`); it comes behind.
    const OWN: Option<&'static str>;

    /// The columns again, as [`crate::system_table`] asks for them.
    const FIELDS: &'static [Field<Self>];

    fn read(cells: &mut Cells<'_>) -> Self;

    /// The row `now` with the fields that this one has otherwise than `before`, which it was made from.
    fn onto(&self, before: &Self, now: &Self) -> Self
    where
        Self: Sized;

    /// Adds its bytes ([`crate::stored_row`]).
    fn encode(&self, out: &mut Vec<u8>);

    /// The row that has these bytes; `None`: they are none's.
    fn decode(bytes: &[u8]) -> Option<Self>
    where
        Self: Sized;
}

/// A column of a catalog.
pub struct Field<R: ?Sized> {
    /// Its value in a row, of the column's type; `None`: values of this type have no representation yet.
    pub datum: fn(&R, Oid) -> Option<Datum>,
    /// Appends that value to a column of its type; `None`: the same.
    pub put: fn(&R, Oid, &mut ColumnBuilder) -> Option<()>,
    /// Whether a row has a value of the column's type.
    pub is: fn(&R, Oid, &Datum) -> bool,
    /// How its value in a row compares with one of a type that it compares with; `None`: it is NULL, or of a type that is not
    /// compared here.
    pub compare: fn(&R, &Datum) -> Option<Ordering>,
}

/// The built-in rows of a catalog, in the order of its first column. They are kept for ever: read them once.
pub fn rows<R: Row>() -> &'static [R] {
    let mut rows = read(R::FACTS);
    rows.extend(R::OWN.into_iter().flat_map(read));
    rows.leak()
}

/// Rows from a text that `record.sh` wrote.
pub fn read<R: Row>(facts: &'static str) -> Vec<R> {
    let mut lines = facts.lines();
    let header = lines.next().expect("facts have a header");
    let (names, defaults): (Vec<_>, Vec<_>) =
        header.split('\t').map(|column| column.split_once('=').unwrap_or((column, ""))).unzip();
    assert_eq!(names, R::COLUMNS, "the columns of {}", R::RELATION);
    let row = |line: &'static str| {
        let mut cells = Cells { rest: Some(line), defaults: defaults.iter() };
        let row = R::read(&mut cells);
        assert!(cells.rest.is_none(), "{}: {line}", R::RELATION);
        row
    };
    lines.map(row).collect()
}

/// The cells of a row, from left to right.
pub struct Cells<'a> {
    /// What follows the cells that were taken.
    rest: Option<&'static str>,
    defaults: std::slice::Iter<'a, &'static str>,
}

impl Cells<'_> {
    pub fn take<T: Cell>(&mut self) -> T {
        let rest = self.rest.expect("a cell for each column");
        // Cells are short: looking at each byte takes half the time of a search.
        let end = rest.bytes().position(|byte| byte == b'\t');
        let cell = &rest[..end.unwrap_or(rest.len())];
        self.rest = end.map(|end| &rest[end + 1..]);
        let default = self.defaults.next().expect("a column for each cell");
        T::read(if cell.is_empty() { default } else { cell })
    }
}

/// What a column's value is in Rust.
pub trait Cell: Sized {
    fn read(text: &'static str) -> Self;

    /// The value, of the column's type.
    fn datum(&self, ty: Oid) -> Option<Datum>;

    /// Appends the value to a column of its type.
    fn put(&self, ty: Oid, out: &mut ColumnBuilder) -> Option<()> {
        out.push(&self.datum(ty)?);
        Some(())
    }

    fn is(&self, ty: Oid, value: &Datum) -> bool {
        self.datum(ty).is_some_and(|datum| datum == *value)
    }

    /// How the value compares with one of a type that it compares with; `None`: it is NULL, or has no order here.
    fn compare(&self, _: &Datum) -> Option<Ordering> {
        None
    }
}

macro_rules! numbers {
    ($($ty:ty, $datum:ident $(as $wide:ident)?;)*) => {$(
        impl Cell for $ty {
            fn read(text: &'static str) -> Self {
                text.parse().unwrap_or_else(|_| panic!("a number: {text}"))
            }

            fn datum(&self, _: Oid) -> Option<Datum> {
                Some(Datum::$datum(*self))
            }

            fn compare(&self, value: &Datum) -> Option<Ordering> {
                numbers!(@compare *self, value, $datum $($wide)?)
            }
        }
    )*};
    (@compare $own:expr, $value:ident, $datum:ident) => {
        if let Datum::$datum(value) = $value { $own.partial_cmp(value) } else { None }
    };
    // Integers compare with those of other sizes.
    (@compare $own:expr, $value:ident, $datum:ident $wide:ident) => {
        Some($wide::from($own).cmp(&match *$value {
            Datum::I16(value) => $wide::from(value),
            Datum::I32(value) => $wide::from(value),
            Datum::I64(value) => value,
            _ => return None,
        }))
    };
}

numbers! {
    u32, U32;
    i16, I16 as i64;
    i32, I32 as i64;
    i64, I64 as i64;
    f32, F32;
    bool, Bool;
}

impl Cell for Char {
    fn read(text: &'static str) -> Self {
        if text == "\\E" { 0 } else { text.as_bytes()[0] }
    }

    fn datum(&self, _: Oid) -> Option<Datum> {
        Some(Datum::U8(*self))
    }

    fn compare(&self, value: &Datum) -> Option<Ordering> {
        if let Datum::U8(value) = value { Some(self.cmp(value)) } else { None }
    }
}

impl Cell for Name {
    fn read(text: &'static str) -> Self {
        if !text.as_bytes().contains(&b'\\') {
            return Cow::Borrowed(text);
        }
        let mut plain = String::with_capacity(text.len());
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            match (c, if c == '\\' { rest.next() } else { None }) {
                (_, Some('E')) => {}
                (_, Some('t')) => plain.push('\t'),
                (_, Some('n')) => plain.push('\n'),
                (_, Some('r')) => plain.push('\r'),
                (_, Some(other)) => plain.push(other),
                (c, None) => plain.push(c),
            }
        }
        Cow::Owned(plain)
    }

    fn datum(&self, _: Oid) -> Option<Datum> {
        Some(Datum::text(&**self))
    }

    fn put(&self, _: Oid, out: &mut ColumnBuilder) -> Option<()> {
        out.put_bytes(Some(self.as_bytes()));
        Some(())
    }

    fn is(&self, _: Oid, value: &Datum) -> bool {
        matches!(value, Datum::Text(text) if **text == **self)
    }

    fn compare(&self, value: &Datum) -> Option<Ordering> {
        if let Datum::Text(value) = value { Some(self.as_bytes().cmp(value.as_bytes())) } else { None }
    }
}

impl<T: Cell> Cell for Option<T> {
    fn read(text: &'static str) -> Self {
        (text != "\\N").then(|| T::read(text))
    }

    fn datum(&self, ty: Oid) -> Option<Datum> {
        self.as_ref().map_or(Some(Datum::Null), |known| known.datum(ty))
    }

    fn put(&self, ty: Oid, out: &mut ColumnBuilder) -> Option<()> {
        match self {
            Some(known) => known.put(ty, out),
            None => {
                out.push(&Datum::Null);
                Some(())
            }
        }
    }

    /// NULL is no value.
    fn is(&self, ty: Oid, value: &Datum) -> bool {
        self.as_ref().is_some_and(|known| known.is(ty, value))
    }

    fn compare(&self, value: &Datum) -> Option<Ordering> {
        self.as_ref()?.compare(value)
    }
}

/// The values of an `oidvector` (`1 2`) or of an array (`{1,2}`) of what needs no quotes.
fn values<T: Cell>(text: &'static str) -> Box<[T]> {
    let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text);
    inner.split([' ', ',']).filter(|value| !value.is_empty() && *value != "\\E").map(T::read).collect()
}

/// An array of a type, or an `int2vector` or `oidvector`.
fn array<T: Cell>(values: &[T], ty: Oid) -> Option<Datum> {
    let element = element_type(ty)?;
    let mut builder = ArrayBuilder::new(element, element_repr(element).ok()?);
    values.iter().try_for_each(|value| builder.push_datum(&value.datum(element)?).ok())?;
    let first = if matches!(ty, oid::INT2VECTOR | oid::OIDVECTOR) { 0 } else { 1 };
    builder.finish_from(first).ok().map(Datum::bytes)
}

macro_rules! arrays {
    ($($ty:ty)*) => {$(
        impl Cell for Box<[$ty]> {
            fn read(text: &'static str) -> Self {
                values(text)
            }

            fn datum(&self, ty: Oid) -> Option<Datum> {
                array(self, ty)
            }
        }
    )*};
}

arrays! { u32 i16 f32 Char }

/// An array of texts, `{a,"b c"}`.
impl Cell for Box<[Name]> {
    fn read(text: &'static str) -> Self {
        let array = Name::read(text);
        let inner = array.strip_prefix('{').and_then(|text| text.strip_suffix('}')).expect("an array");
        let mut elements = Vec::new();
        let (mut element, mut quoted) = (String::new(), false);
        let mut rest = inner.chars();
        while let Some(c) = rest.next() {
            match c {
                '"' => quoted = !quoted,
                '\\' => element.extend(rest.next()),
                ',' if !quoted => elements.push(std::mem::take(&mut element).into()),
                c => element.push(c),
            }
        }
        if !inner.is_empty() {
            elements.push(element.into());
        }
        elements.into()
    }

    fn datum(&self, ty: Oid) -> Option<Datum> {
        array(self, ty)
    }
}

/// An array of `aclitem`. Built-in roles have their oids; the superuser is called `postgres` where facts were recorded.
impl Cell for Box<[AclItem]> {
    fn read(text: &'static str) -> Self {
        let role = |name: &str| match name {
            "postgres" => Some(BOOTSTRAP_SUPERUSER),
            name => Catalog::BUILT_IN.roles_named(name).next().map(|row| row.oid),
        };
        let item = |text: &Name| AclItem::parse_with(&role, text).unwrap_or_else(|error| panic!("{text}: {error}"));
        <Box<[Name]> as Cell>::read(text).iter().map(item).collect()
    }

    fn datum(&self, _: Oid) -> Option<Datum> {
        types::acl::to_array(self).ok().map(Datum::bytes)
    }
}

/// A `pg_node_tree` of several expressions, each as SQL.
#[derive(Clone, Debug, PartialEq)]
pub struct Expressions(pub Box<[Name]>);

impl Cell for Expressions {
    fn read(text: &'static str) -> Self {
        Expressions(Cell::read(text))
    }

    /// As `pg_get_expr` gives them.
    fn datum(&self, _: Oid) -> Option<Datum> {
        Some(Datum::text(self.0.join(", ")))
    }
}

/// Declares the row of a catalog: a field for each column, in the catalog's order.
macro_rules! catalog {
    (@own) => { None };
    (@own $own:literal) => { Some(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/builtin/", $own))) };
    (
        $(#[$doc:meta])*
        pub struct $row:ident in $relation:literal $(and $own:literal)? { $($(#[$field_doc:meta])* pub $field:ident: $ty:ty,)* }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $row { $($(#[$field_doc])* pub $field: $ty,)* }

        impl $crate::facts::Row for $row {
            const RELATION: &'static str = $relation;
            const COLUMNS: &'static [&'static str] = &[$(stringify!($field)),*];
            const FACTS: &'static str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/builtin/", $relation, ".tsv"));

            const OWN: Option<&'static str> = $crate::facts::catalog!(@own $($own)?);

            const FIELDS: &'static [$crate::facts::Field<Self>] = &[$($crate::facts::Field {
                datum: |row, ty| $crate::facts::Cell::datum(&row.$field, ty),
                put: |row, ty, out| $crate::facts::Cell::put(&row.$field, ty, out),
                is: |row, ty, value| $crate::facts::Cell::is(&row.$field, ty, value),
                compare: |row, value| $crate::facts::Cell::compare(&row.$field, value),
            }),*];

            fn read(cells: &mut $crate::facts::Cells<'_>) -> Self {
                // Fields are evaluated in this order.
                $row { $($field: cells.take(),)* }
            }

            fn onto(&self, before: &Self, now: &Self) -> Self {
                $row { $($field: if self.$field == before.$field { &now.$field } else { &self.$field }.clone(),)* }
            }

            fn encode(&self, out: &mut Vec<u8>) {
                let mut number = 0;
                $(
                    number += 1;
                    if !$crate::stored_row::Stored::is_zero(&self.$field) {
                        out.push(number);
                        $crate::stored_row::Stored::put(&self.$field, out);
                    }
                )*
                debug_assert!(number < 128);
            }

            fn decode(mut bytes: &[u8]) -> Option<Self> {
                let mut number = 0u8;
                // Fields are evaluated in this order.
                let row = $row { $($field: {
                    number += 1;
                    match bytes.split_first() {
                        Some((next, rest)) if *next == number => {
                            bytes = rest;
                            $crate::stored_row::Stored::take(&mut bytes)?
                        }
                        _ => $crate::stored_row::Stored::zero(),
                    }
                },)* };
                bytes.is_empty().then_some(row)
            }
        }
    };
}
pub(crate) use catalog;
