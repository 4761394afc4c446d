//! How names of objects are made of others' (`makeObjectName`, `ChooseIndexColumnNames`).

/// Bytes of a name (`NAMEDATALEN`, without the byte that ends it).
pub const MAX_NAME: usize = 63;

/// The parts with `_` between them, the longer of the first two cut until it is no longer than a name may be
/// (`makeObjectName`). The second may be empty.
pub fn object_name(first: &str, second: &str, label: &str) -> String {
    let separators = if second.is_empty() { 1 } else { 2 };
    let room = MAX_NAME.saturating_sub(label.len() + separators);
    let (mut one, mut two) = (first.len(), second.len());
    while one + two > room {
        if one > two { one -= 1 } else { two -= 1 }
    }
    match second {
        "" => format!("{}_{label}", cut(first, one)),
        second => format!("{}_{}_{label}", cut(first, one), cut(second, two)),
    }
}

/// At most so many bytes of a text, whole characters.
pub fn cut(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    &text[..end]
}

/// The names of an index's columns: those that are alike get numbers (`ChooseIndexColumnNames`).
pub fn index_column_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut chosen: Vec<String> = Vec::new();
    for name in names {
        let with_number = |number: u32| {
            let number = number.to_string();
            format!("{}{number}", cut(name, MAX_NAME - number.len()))
        };
        let mut candidates = std::iter::once(name.to_string()).chain((1..).map(with_number));
        chosen.extend(candidates.find(|candidate| !chosen.contains(candidate)));
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_as_postgresql_cuts_them() {
        let (table, column) = ("t".repeat(60), "c".repeat(40));
        assert_eq!(object_name("t", "a", "key"), "t_a_key");
        assert_eq!(object_name("t", "", "pkey"), "t_pkey");
        let both = format!("{}_{}_seq", "t".repeat(29), "c".repeat(29));
        assert_eq!(object_name(&table, &column, "seq"), both);
        assert_eq!(object_name(&table, "", "pkey"), format!("{}_pkey", "t".repeat(58)));
        assert_eq!(object_name("t", &"ä".repeat(31), "key"), format!("t_{}_key", "ä".repeat(28)));
    }
}
