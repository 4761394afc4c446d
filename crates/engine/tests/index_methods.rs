//! The engine knows what an index access method is (`access::index`), and none of them.

use std::path::Path;

/// Words that name a method, in lower case. Rust's own collections are other trees.
const METHODS: &[&str] = &["btree", "b-tree"];
const OTHERS: &[&str] = &["btreemap", "btreeset", "btree_map"];

fn sources(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // Words that PostgreSQL's settings take.
        if path.ends_with("src/settings") {
            continue;
        }
        match path.is_dir() {
            true => sources(&path, found),
            false => found.push(path),
        }
    }
}

#[test]
fn no_source_names_an_access_method() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    assert!(files.iter().any(|file| file.ends_with("index/mod.rs")), "{files:?}");
    let mut named = Vec::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "rs")) {
        let text = std::fs::read_to_string(file).unwrap().to_lowercase();
        let text = OTHERS.iter().fold(text, |text, other| text.replace(other, ""));
        let lines = text.lines().zip(1..).filter(|(line, _)| METHODS.iter().any(|method| line.contains(method)));
        named.extend(lines.map(|(line, number)| format!("{}:{number}: {line}", file.display())));
    }
    assert!(named.is_empty(), "{named:#?}");
}
