//! `pg_type`: PostgreSQL 18's rows of the types that are here.

use std::sync::LazyLock;

use super::{Cell, Rows};

/// OID, name, length, by value, kind, category, preferred, delimiter, element, array, input, output, receive, send, modifier
/// in and out, alignment, storage, collation, subscripts.
static EACH: LazyLock<Vec<Vec<&str>>> =
    LazyLock::new(|| include_str!("types.tsv").lines().map(|line| line.split('\t').collect()).collect());

fn find(oid: u32) -> Option<&'static [&'static str]> {
    let oid = oid.to_string();
    EACH.iter().find(|ty| ty[0] == oid).map(Vec::as_slice)
}

/// Alignment and storage of a type's values.
pub fn layout(oid: u32) -> (&'static str, &'static str) {
    find(oid).map_or(("i", "x"), |ty| (ty[16], ty[17]))
}

pub fn by_value(oid: u32) -> bool {
    find(oid).is_some_and(|ty| ty[3] == "t")
}

pub fn pg_type() -> (&'static str, Rows) {
    let spec = "oid oid, typname name, typnamespace oid, typowner oid, typlen int2, typbyval bool, typtype char, \
                typcategory char, typispreferred bool, typisdefined bool, typdelim char, typrelid oid, typsubscript text, \
                typelem oid, typarray oid, typinput text, typoutput text, typreceive text, typsend text, typmodin text, \
                typmodout text, typanalyze text, typalign char, typstorage char, typnotnull bool, typbasetype oid, \
                typtypmod int4, typndims int4, typcollation oid, typdefaultbin text, typdefault text, typacl text[]";
    let row = |ty: &Vec<&str>| {
        let number = |at: usize| ty[at].parse::<i64>().ok();
        let array = ty[5] == "A" && ty[19] == "array_subscript_handler";
        row![
            number(0),
            ty[1],
            11,
            10,
            number(2),
            ty[3] == "t",
            ty[4],
            ty[5],
            ty[6] == "t",
            true,
            ty[7],
            0,
            ty[19],
            number(8),
            number(9),
            ty[10],
            ty[11],
            ty[12],
            ty[13],
            ty[14],
            ty[15],
            if array { "array_typanalyze" } else { "-" },
            ty[16],
            ty[17],
            false,
            0,
            -1,
            0,
            number(18),
            Cell::Null,
            Cell::Null,
            Cell::Null,
        ]
    };
    (spec, EACH.iter().map(row).collect())
}
