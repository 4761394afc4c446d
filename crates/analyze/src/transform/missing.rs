//! Why a table or a column was not found, and what may have been meant (`errorMissingRTE` and `errorMissingColumn` of
//! `parse_relation.c`).

use ::error::sqlstate;
use types::Error;

use super::error;
use super::relation::SYSTEM_COLUMNS;
use super::state::{NamespaceItem, ParseState};
use crate::query::*;

/// Edits beyond which no name is suggested.
const MAX_FUZZY_DISTANCE: usize = 3;

/// An entry of this query or of one around, by the query's distance.
#[derive(Clone, Copy, PartialEq)]
struct Place {
    level: u32,
    relation: RangeTableIndex,
}

/// What a column's name is like.
struct Fuzzy {
    distance: usize,
    first: Option<(Place, usize)>,
    second: Option<(Place, usize)>,
    /// Entries that have a column of this very name.
    exact: Vec<Place>,
}

impl ParseState<'_> {
    /// The entry of each query, the nearest first.
    fn entries(&self) -> impl Iterator<Item = (Place, &RangeTableEntry)> {
        self.levels().flat_map(|(level, state)| {
            let numbered = state.range_table.iter().zip(1..);
            numbered.map(move |(entry, number)| (Place { level, relation: RangeTableIndex(number) }, entry))
        })
    }

    /// `findNSItemForRTE`.
    fn item_of(&self, place: Place) -> Option<&NamespaceItem> {
        self.at_level(place.level).namespace.iter().find(|item| item.relation == place.relation)
    }

    fn visible_if_lateral(&self, place: Place) -> bool {
        !self.lateral_active && self.item_of(place).is_some_and(|item| item.lateral_only && item.lateral_ok)
    }

    /// 42P01 for a name in front of a column.
    pub(crate) fn missing_table(&self, schema: Option<&str>, name: &str, location: i32) -> Error {
        let oid = match self.statement.relations.relation(schema, name) {
            Ok(relation) => relation.map(|relation| relation.oid),
            Err(error) => return error,
        };
        let is = |entry: &RangeTableEntry| {
            matches!(entry.kind, RangeTableKind::Relation { oid: of, .. } if Some(of) == oid) || entry.name == name
        };
        let Some((place, entry)) = self.entries().find(|(_, entry)| is(entry)) else {
            return error(
                sqlstate::UNDEFINED_TABLE,
                format!("missing FROM-clause entry for table \"{name}\""),
                location,
            );
        };
        let invalid = error(
            sqlstate::UNDEFINED_TABLE,
            format!("invalid reference to FROM-clause entry for table \"{name}\""),
            location,
        );
        if entry.aliased
            && entry.name != name
            && let Ok(Some((item, level))) = self.find_item(None, &entry.name, location)
            && (Place { level, relation: item.relation }) == place
        {
            return invalid.hint(format!("Perhaps you meant to reference the table alias \"{}\".", entry.name));
        }
        let invalid = invalid.detail(format!(
            "There is an entry for table \"{}\", but it cannot be referenced from this part of the query.",
            entry.name
        ));
        match self.visible_if_lateral(place) {
            true => invalid.hint("To reference that table, you must mark this subquery with LATERAL."),
            false => invalid,
        }
    }

    /// 42703 for a column.
    pub(crate) fn missing_column(&self, table: Option<&str>, name: &str, location: i32) -> Error {
        let message = match table {
            Some(table) => format!("column {table}.{name} does not exist"),
            None => format!("column \"{name}\" does not exist"),
        };
        let missing = error(sqlstate::UNDEFINED_COLUMN, message, location);
        let fuzzy = self.search_column(table, name);
        let entry_of = |place: Place| self.at_level(place.level).entry(place.relation);
        match fuzzy.exact[..] {
            [] => {}
            [only] => {
                let missing = missing.detail(format!(
                    "There is a column named \"{name}\" in table \"{}\", but it cannot be referenced from this part of the \
                     query.",
                    entry_of(only).name
                ));
                let qualified = self.item_of(only).is_some_and(|item| item.relation_visible && !item.columns_visible);
                return if self.visible_if_lateral(only) {
                    missing.hint("To reference that column, you must mark this subquery with LATERAL.")
                } else if table.is_none() && qualified {
                    missing.hint("To reference that column, you must use a table-qualified name.")
                } else {
                    missing
                };
            }
            _ => {
                let missing = missing.detail(format!(
                    "There are columns named \"{name}\", but they are in tables that cannot be referenced from this part of \
                     the query."
                ));
                return if table.is_none() { missing.hint("Try using a table-qualified name.") } else { missing };
            }
        }
        let shown = |(place, column): (Place, usize)| {
            let entry = entry_of(place);
            format!("\"{}.{}\"", entry.name, entry.columns[column].name)
        };
        match (fuzzy.first, fuzzy.second) {
            (Some(first), Some(second)) => missing.hint(format!(
                "Perhaps you meant to reference the column {} or the column {}.",
                shown(first),
                shown(second)
            )),
            (Some(first), None) => missing.hint(format!("Perhaps you meant to reference the column {}.", shown(first))),
            _ => missing,
        }
    }

    /// `searchRangeTableForCol`.
    fn search_column(&self, table: Option<&str>, name: &str) -> Fuzzy {
        let mut fuzzy = Fuzzy { distance: MAX_FUZZY_DISTANCE + 1, first: None, second: None, exact: Vec::new() };
        for (place, entry) in self.entries() {
            if matches!(entry.kind, RangeTableKind::Join { .. }) {
                continue;
            }
            let penalty = table.map_or(0, |table| levenshtein(table, &entry.name).min(MAX_FUZZY_DISTANCE + 1));
            let system = self.has_system_columns(entry) && SYSTEM_COLUMNS.iter().any(|(system, ..)| *system == name);
            let exact = entry.columns.iter().any(|column| column.name == name) || system;
            for (index, column) in entry.columns.iter().enumerate().filter(|(_, column)| column.name != name) {
                fuzzy.consider((place, index), penalty, &column.name, name);
            }
            if exact && penalty == 0 {
                fuzzy.exact.push(place);
            }
        }
        fuzzy
    }
}

impl Fuzzy {
    /// `updateFuzzyAttrMatchState`.
    fn consider(&mut self, found: (Place, usize), penalty: usize, actual: &str, wanted: &str) {
        if penalty > self.distance || actual.is_empty() {
            return;
        }
        let distance = levenshtein(actual, wanted).min(self.distance + 1 - penalty);
        if distance > wanted.len() / 2 {
            return;
        }
        let distance = distance + penalty;
        if distance < self.distance {
            self.distance = distance;
            (self.first, self.second) = (Some(found), None);
        } else if distance == self.distance {
            if self.second.is_some() {
                // Too many alike.
                (self.first, self.second) = (None, None);
                self.distance = distance.saturating_sub(1);
            } else if self.first.is_some() {
                self.second = Some(found);
            }
        }
    }
}

/// How many characters have to be added, removed or changed.
fn levenshtein(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::levenshtein;

    #[test]
    fn edits_are_counted() {
        assert_eq!(levenshtein("kitten", "sitting"), 3);
        assert_eq!(levenshtein("", "abc"), 3);
        assert_eq!(levenshtein("same", "same"), 0);
    }
}
