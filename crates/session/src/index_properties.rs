//! What access methods, indexes and their columns can do: PostgreSQL's `amutils.c`.

use catalog::Catalog;
use catalog::catalogs::PgIndex;
use types::Oid;
use types::names::PropertyOf;

/// The bits of `pg_index.indoption`.
const DESCENDING: i16 = 1;
const NULLS_FIRST: i16 = 2;

/// What an access method can do.
struct Abilities {
    order: bool,
    unique: bool,
    several_columns: bool,
    exclude: bool,
    include: bool,
}

impl Abilities {
    /// `None`: it is no access method of indexes.
    fn of(catalog: Catalog<'_>, access_method: Oid) -> Option<Abilities> {
        let row = catalog.access_method(access_method)?;
        let (order, unique, several_columns, exclude, include) = match &*row.amname {
            "btree" => (true, true, true, true, true),
            "hash" => (false, false, false, true, false),
            "gist" => (false, false, true, true, true),
            "gin" | "brin" => (false, false, true, false, false),
            "spgist" => (false, false, false, true, true),
            _ => return None,
        };
        Some(Abilities { order, unique, several_columns, exclude, include })
    }
}

/// `None`: NULL, for what is not there or not known.
pub fn index_property(catalog: Catalog<'_>, of: PropertyOf, property: &str) -> Option<bool> {
    let property = property.to_ascii_lowercase();
    match of {
        PropertyOf::AccessMethod(access_method) => {
            let can = Abilities::of(catalog, access_method)?;
            Some(match &*property {
                "can_order" => can.order,
                "can_unique" => can.unique,
                "can_multi_col" => can.several_columns,
                "can_exclude" => can.exclude,
                "can_include" => can.include,
                _ => return None,
            })
        }
        // All indexes here are B-trees.
        PropertyOf::Index(index) => {
            catalog.index(index)?;
            ["clusterable", "index_scan", "bitmap_scan", "backward_scan"].contains(&&*property).then_some(true)
        }
        PropertyOf::Column(index, column) => of_column(catalog.index(index)?, column, &property),
    }
}

fn of_column(index: &PgIndex, column: i32, property: &str) -> Option<bool> {
    if column < 1 || column > i32::from(index.indnatts) {
        return None;
    }
    let is_key = column <= i32::from(index.indnkeyatts);
    let options = is_key.then(|| index.indoption.get(column as usize - 1).copied().unwrap_or_default());
    match property {
        "asc" => options.map(|options| options & DESCENDING == 0),
        "desc" => options.map(|options| options & DESCENDING != 0),
        "nulls_first" => options.map(|options| options & NULLS_FIRST != 0),
        "nulls_last" => options.map(|options| options & NULLS_FIRST == 0),
        "orderable" => Some(is_key),
        "distance_orderable" => Some(false),
        "returnable" => Some(true),
        "search_array" | "search_nulls" => is_key.then_some(true),
        _ => None,
    }
}
