//! What access methods, indexes and their columns can do: PostgreSQL's `amutils.c`.

use access::index::{Capabilities, Method};
use catalog::Catalog;
use catalog::catalogs::PgIndex;
use types::Oid;
use types::names::PropertyOf;

/// The bits of `pg_index.indoption`.
const DESCENDING: i16 = 1;
const NULLS_FIRST: i16 = 2;

/// What an access method can do, whatever its indexes are of.
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
        match Method::of(access_method) {
            Some(method) => Some(Abilities::from(method.capabilities())),
            None => Abilities::of_absent(&catalog.access_method(access_method)?.amname),
        }
    }

    /// Those of PostgreSQL's methods that are not here yet.
    fn of_absent(name: &str) -> Option<Abilities> {
        let (several_columns, exclude, include) = match name {
            "hash" => (false, true, false),
            "gist" => (true, true, true),
            "gin" | "brin" => (true, false, false),
            "spgist" => (false, true, true),
            _ => return None,
        };
        Some(Abilities { order: false, unique: false, several_columns, exclude, include })
    }
}

impl From<&Capabilities> for Abilities {
    fn from(can: &Capabilities) -> Abilities {
        Abilities {
            order: can.can_order,
            unique: can.can_unique,
            several_columns: can.can_multi_col,
            // Rows that are in the way are looked for one by one.
            exclude: can.get_tuple,
            include: can.can_include,
        }
    }
}

/// What the method of an index can do.
fn of_index(catalog: Catalog<'_>, index: &PgIndex) -> Option<&'static Capabilities> {
    Some(Method::of(catalog.relation(index.indexrelid)?.relam)?.capabilities())
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
        PropertyOf::Index(index) => {
            let can = of_index(catalog, catalog.index(index)?)?;
            Some(match &*property {
                "clusterable" => can.clusterable,
                "index_scan" => can.get_tuple,
                "bitmap_scan" => can.get_bitmap,
                "backward_scan" => can.can_backward,
                _ => return None,
            })
        }
        PropertyOf::Column(index, column) => {
            let index = catalog.index(index)?;
            of_column(index, of_index(catalog, index)?, column, &property)
        }
    }
}

fn of_column(index: &PgIndex, can: &Capabilities, column: i32, property: &str) -> Option<bool> {
    if column < 1 || column > i32::from(index.indnatts) {
        return None;
    }
    let is_key = column <= i32::from(index.indnkeyatts);
    let options = index.indoption.get(column as usize - 1).copied().unwrap_or_default();
    // Of a method without an order neither of two is so.
    let in_order = |is_so: bool| is_key.then_some(can.can_order && is_so);
    match property {
        "asc" => in_order(options & DESCENDING == 0),
        "desc" => in_order(options & DESCENDING != 0),
        "nulls_first" => in_order(options & NULLS_FIRST != 0),
        "nulls_last" => in_order(options & NULLS_FIRST == 0),
        "orderable" => Some(is_key && can.can_order),
        "distance_orderable" => Some(is_key && can.can_order_by_op),
        "returnable" => Some(can.can_return),
        "search_array" => is_key.then_some(can.search_array),
        "search_nulls" => is_key.then_some(can.search_nulls),
        _ => None,
    }
}
