//! Types as SQL writes them (PostgreSQL's `format_type.c`).

use types::repr::precision_and_scale;
use types::{Oid, oid};

use crate::catalogs::PgType;
use crate::syscache::Catalog;
use types::quote::quote_identifier;

/// What a name has of the type modifier.
#[derive(Clone, Copy, PartialEq)]
enum Modifier {
    /// It is not asked for: `character`, though that means `character(1)` when it is read.
    Unasked,
    /// There is none: `bpchar`.
    None,
    Of(i32),
}

impl Catalog<'_> {
    /// A type's name, as messages have it (`format_type_be`). `???` for a type that does not exist, `-` for none.
    pub fn format_type(self, ty: Oid) -> String {
        self.format(ty, Modifier::Unasked)
    }

    /// A type's name with its modifier, as a cast has to write it; -1: there is none.
    pub fn format_type_with_typmod(self, ty: Oid, typmod: i32) -> String {
        self.format(ty, if typmod < 0 { Modifier::None } else { Modifier::Of(typmod) })
    }

    fn format(self, ty: Oid, modifier: Modifier) -> String {
        let Some(row) = self.pg_type(ty) else {
            return if ty == oid::INVALID { "-" } else { "???" }.to_string();
        };
        // `oidvector` is an array and is not shown as one.
        if row.is_true_array() && row.typstorage != b'p' {
            return match self.pg_type(row.typelem) {
                Some(element) => self.format_scalar(element, modifier) + "[]",
                None => "???[]".to_string(),
            };
        }
        self.format_scalar(row, modifier)
    }

    fn format_scalar(self, row: &PgType, modifier: Modifier) -> String {
        let name = match row.oid {
            oid::BIT | oid::BPCHAR if modifier == Modifier::None => None,
            other => spelling(other),
        };
        let name = name.map_or_else(|| self.qualified(row), str::to_string);
        match modifier {
            Modifier::Of(typmod) => name + &typmod_out(row.oid, typmod),
            _ => name + zone(row.oid).unwrap_or_default(),
        }
    }

    fn qualified(self, row: &PgType) -> String {
        let name = quote_identifier(&row.typname);
        match self.namespace(row.typnamespace).filter(|_| !self.type_is_visible(row)) {
            Some(namespace) => format!("{}.{name}", quote_identifier(&namespace.nspname)),
            None => name.into_owned(),
        }
    }
}

/// Types that the grammar spells; those that have a zone are spelled up to where their precision goes.
fn spelling(ty: Oid) -> Option<&'static str> {
    Some(match ty {
        oid::BIT => "bit",
        oid::BOOL => "boolean",
        oid::BPCHAR => "character",
        oid::FLOAT4 => "real",
        oid::FLOAT8 => "double precision",
        oid::INT2 => "smallint",
        oid::INT4 => "integer",
        oid::INT8 => "bigint",
        oid::NUMERIC => "numeric",
        oid::INTERVAL => "interval",
        oid::TIME | oid::TIMETZ => "time",
        oid::TIMESTAMP | oid::TIMESTAMPTZ => "timestamp",
        oid::VARBIT => "bit varying",
        oid::VARCHAR => "character varying",
        oid::JSON => "json",
        _ => return None,
    })
}

fn zone(ty: Oid) -> Option<&'static str> {
    match ty {
        oid::TIME | oid::TIMESTAMP => Some(" without time zone"),
        oid::TIMETZ | oid::TIMESTAMPTZ => Some(" with time zone"),
        _ => None,
    }
}

/// A type modifier as it follows the type's name (`typmodout`).
fn typmod_out(ty: Oid, typmod: i32) -> String {
    match ty {
        oid::BPCHAR | oid::VARCHAR if typmod <= 4 => String::new(),
        oid::BPCHAR | oid::VARCHAR => format!("({})", typmod - 4),
        oid::NUMERIC => precision_and_scale(typmod).map_or(String::new(), |(p, s)| format!("({p},{s})")),
        oid::INTERVAL => interval_typmod_out(typmod),
        _ => format!("({typmod}){}", zone(ty).unwrap_or_default()),
    }
}

/// The fields of an interval and the digits of its seconds: 16 bits each.
fn interval_typmod_out(typmod: i32) -> String {
    const FIELDS: [(i32, &str); 6] = [
        (1 << 2, "year"),
        (1 << 1, "month"),
        (1 << 3, "day"),
        (1 << 10, "hour"),
        (1 << 11, "minute"),
        (1 << 12, "second"),
    ];
    const ALL_FIELDS: i32 = 0x7fff;
    const ALL_DIGITS: i32 = 0xffff;
    let (fields, digits) = ((typmod >> 16) & 0x7fff, typmod & 0xffff);
    let named = |(field, name): &(i32, &'static str)| (fields != ALL_FIELDS && fields & field != 0).then_some(*name);
    let named: Vec<&str> = FIELDS.iter().filter_map(named).collect();
    let fields = match named.as_slice() {
        [] => String::new(),
        [only] => format!(" {only}"),
        [first, .., last] => format!(" {first} to {last}"),
    };
    if digits == ALL_DIGITS { fields } else { format!("{fields}({digits})") }
}
