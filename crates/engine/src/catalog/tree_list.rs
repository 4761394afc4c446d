//! Lists of trees as text (`pg_index.indexprs`), made of the texts of their members and taken apart again. What a tree says is
//! for analysis to know: here only its brackets and texts count.

/// The text of a list of the trees of these texts.
pub fn join<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let texts: Vec<&str> = texts.into_iter().map(inner).collect();
    format!("{{({})}}", texts.join(" "))
}

/// The texts of the trees of a list.
pub fn split(list: &str) -> Vec<String> {
    let members = inner(list);
    let members = members.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(members);
    let (mut texts, mut from, mut level, mut in_text, mut escaped) = (Vec::new(), 0, 0usize, false, false);
    for (at, byte) in members.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'{' | b'(' if !in_text => level += 1,
            b'}' | b')' if !in_text => level = level.saturating_sub(1),
            b' ' if level == 0 && !in_text => {
                texts.push(&members[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    texts.push(&members[from..]);
    texts.into_iter().filter(|text| !text.is_empty()).map(|text| format!("{{{text}}}")).collect()
}

fn inner(text: &str) -> &str {
    text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    #[test]
    fn lists_come_apart() {
        let trees =
            [r#"{FuncExpr:{funcid 871 args (Var:{attno 1})}}"#, r#"{Const:{value "a ) \" b"}}"#, "{Var:{attno 2}}"];
        let list = super::join(trees);
        assert_eq!(super::split(&list), trees);
        assert_eq!(super::split("{()}"), Vec::<String>::new());
    }
}
