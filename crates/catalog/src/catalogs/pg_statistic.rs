//! `pg_statistic`.

use types::array::{ArrayBuilder, element_repr};
use types::base_type::base_type;
use types::{Context, Datum, Oid, oid};

use crate::facts::{Cell, Name, catalog};

catalog! {
    /// What ANALYZE has found out about a column, or an expression of an index.
    pub struct PgStatistic in "pg_statistic" {
        pub starelid: Oid,
        pub staattnum: i16,
        pub stainherit: bool,
        /// The part of the rows that have NULL.
        pub stanullfrac: f32,
        /// Bytes of a value.
        pub stawidth: i32,
        /// How many different values; below 0: the part of the rows.
        pub stadistinct: f32,
        /// What each slot has, with which operator and collation.
        pub stakind1: i16,
        pub stakind2: i16,
        pub stakind3: i16,
        pub stakind4: i16,
        pub stakind5: i16,
        pub staop1: Oid,
        pub staop2: Oid,
        pub staop3: Oid,
        pub staop4: Oid,
        pub staop5: Oid,
        pub stacoll1: Oid,
        pub stacoll2: Oid,
        pub stacoll3: Oid,
        pub stacoll4: Oid,
        pub stacoll5: Oid,
        /// The slots' numbers, and values of the column.
        pub stanumbers1: Option<Box<[f32]>>,
        pub stanumbers2: Option<Box<[f32]>>,
        pub stanumbers3: Option<Box<[f32]>>,
        pub stanumbers4: Option<Box<[f32]>>,
        pub stanumbers5: Option<Box<[f32]>>,
        pub stavalues1: Option<AnyArray>,
        pub stavalues2: Option<AnyArray>,
        pub stavalues3: Option<AnyArray>,
        pub stavalues4: Option<AnyArray>,
        pub stavalues5: Option<AnyArray>,
    }
}

/// Values of a column's type, as their type reads them: an array of whatever type.
#[derive(Clone, Debug, PartialEq)]
pub struct AnyArray {
    pub element: Oid,
    pub values: Box<[Name]>,
}

impl Cell for AnyArray {
    fn read(text: &'static str) -> Self {
        unreachable!("no built-in catalog has an anyarray: {text}")
    }

    fn datum(&self, _: Oid) -> Option<Datum> {
        // Of a type of users' own there are the texts.
        let element = if base_type(self.element).is_some() { self.element } else { oid::TEXT };
        let (ty, context) = (base_type(element)?, Context::default());
        let mut builder = ArrayBuilder::new(element, element_repr(element).ok()?);
        for value in &self.values {
            builder.push_datum(&(ty.input)(&context, value, -1).ok()?).ok()?;
        }
        builder.finish_from(1).ok().map(Datum::bytes)
    }
}
