//! Functions that go by a collation where there is none for them: their arguments have several (`check_collation_set` and its
//! like). Such a call fails when it is made, with 42P22.

use std::collections::HashMap;
use std::sync::LazyLock;

use arrow_array::{Array, ArrayRef, new_null_array};
use error::sqlstate;
use foldhash::fast::FixedState;
use types::{Argument, Call, Error, Function, Oid, Repr, Result, oid};

use crate::catalogs::PgProc;
use crate::syscache::{Catalog, Scan};

/// A function for each purpose that functions have a collation for, which fails; its name is how messages call the purpose.
macro_rules! failing {
    ($($purpose:literal,)*) => {
        static FAILING: &[Function] = &[$(Function {
            name: $purpose,
            arguments: &[],
            result: oid::INVALID,
            strict: true,
            kernel: |call, arguments| undetermined($purpose, call, arguments),
        }),*];
    };
}

failing! {
    "string comparison",
    "string hashing",
    "LIKE",
    "ILIKE",
    "regular expression",
    "lower() function",
    "upper() function",
    "initcap() function",
}

fn undetermined(purpose: &str, call: &Call<'_>, arguments: &[Argument]) -> Result<ArrayRef> {
    let present = |row: usize| arguments.iter().all(|argument| argument.array().is_valid(argument.index(row)));
    if (0..call.rows).any(present) {
        let message = format!("could not determine which collation to use for {purpose}");
        return Err(Error::new(sqlstate::INDETERMINATE_COLLATION, message)
            .hint("Use the COLLATE clause to set the collation explicitly."));
    }
    let repr = Repr::of(call.result, -1).unwrap_or(Repr::Array);
    Ok(new_null_array(&repr.arrow(), call.rows))
}

/// What a function has a collation for.
fn purpose(row: &PgProc) -> Option<&'static str> {
    let collatable =
        |ty: &Oid| matches!(*ty, oid::TEXT | oid::BPCHAR | oid::NAME | oid::ANYARRAY | oid::ANYCOMPATIBLEARRAY);
    if !row.proargtypes.iter().any(collatable) {
        return None;
    }
    let name = &*row.proname;
    Some(match name {
        "lower" | "casefold" => "lower() function",
        "upper" => "upper() function",
        "initcap" => "initcap() function",
        "hash_array"
        | "hash_array_extended"
        | "hashbpchar"
        | "hashbpcharextended"
        | "hashtext"
        | "hashtextextended" => "string hashing",
        "like" | "notlike" => "LIKE",
        _ if name.ends_with("iclike") || name.ends_with("icnlike") => "ILIKE",
        "textlike" | "textnlike" | "bpcharlike" | "bpcharnlike" | "namelike" | "namenlike" => "LIKE",
        "substring" if *row.proargtypes == [oid::TEXT, oid::TEXT] => "regular expression",
        _ if name.starts_with("regexp_") || name.ends_with("regexeq") || name.ends_with("regexne") => {
            "regular expression"
        }
        "position" | "strpos" | "replace" | "split_part" | "starts_with" | "string_to_array" | "string_to_table" => {
            "string comparison"
        }
        "array_position" | "array_positions" | "array_remove" | "array_replace" | "array_sort" | "arraycontained"
        | "arraycontains" | "arrayoverlap" | "btarraycmp" | "width_bucket" | "min" | "max" => "string comparison",
        "bpcharcmp" | "btnamecmp" | "btnametextcmp" | "bttextcmp" | "bttextnamecmp" => "string comparison",
        _ if is_comparison(name) => "string comparison",
        _ => return None,
    })
}

/// Is it the name of what an operator of comparison calls: `texteq`, `array_lt`, `nameletext`? Or of what gives the larger one?
fn is_comparison(name: &str) -> bool {
    const TYPES: [&str; 5] = ["text_", "text", "bpchar", "name", "array_"];
    const OPERATORS: [&str; 6] = ["eq", "ne", "lt", "le", "gt", "ge"];
    let compares = |rest: &str| {
        let other = rest.strip_suffix("text").or_else(|| rest.strip_suffix("name")).unwrap_or(rest);
        OPERATORS.contains(&other) || matches!(rest.trim_start_matches('_'), "larger" | "smaller")
    };
    TYPES.iter().any(|ty| name.strip_prefix(ty).is_some_and(compares))
}

impl Catalog<'_> {
    /// What a function needs a collation for, as messages call it; `None`: it needs none.
    pub fn needs_collation(self, function: Oid) -> Option<&'static str> {
        failing(function).map(|failing| failing.name)
    }
}

/// A function's place is taken by this one where it could not be told which collation it goes by.
pub(crate) fn failing(function: Oid) -> Option<&'static Function> {
    static ALL: LazyLock<HashMap<Oid, &'static Function, FixedState>> = LazyLock::new(|| {
        let failing = |row: &PgProc| {
            let purpose = purpose(row)?;
            Some((row.oid, FAILING.iter().find(|failing| failing.name == purpose)?))
        };
        PgProc::all().iter().filter_map(failing).collect()
    });
    ALL.get(&function).copied()
}
