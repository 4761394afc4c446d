//! Statements of one key are one statement: PostgreSQL's regression statements with other constants in their parameters'
//! places have the same key and, with parameters, the same trees.

#[path = "mutated/mutate.rs"]
#[allow(dead_code)]
mod mutate;

use syntax::shape::{Cut, Kind, Shape};
use syntax::{RawStmt, parse};

/// Another constant of the same kind and length, if there is one.
fn other(token: &str, kind: Kind) -> String {
    let changed = |c: char| match c {
        '0'..='8' if kind != Kind::Numeric || token.len() < 20 => char::from(c as u8 + 1),
        'a'..='y' | 'A'..='Y' if kind == Kind::String => char::from(c as u8 + 1),
        other => other,
    };
    token.chars().map(changed).collect()
}

fn parameterized(text: &str, cut: &Cut) -> Option<(Vec<RawStmt>, Shape)> {
    let mut statements = parse(text).ok()?;
    let shape = Shape::of(text, cut, &mut statements);
    Some((statements, shape))
}

#[test]
fn texts_of_one_key_are_one_statement() {
    let (mut cuts, mut parameters, mut changed) = (0, 0, 0);
    let mut cut = Cut::default();
    let mut second = Cut::default();
    for text in mutate::seeds() {
        if !cut.read(&text) {
            continue;
        }
        let Some((trees, shape)) = parameterized(&text, &cut) else { continue };
        cuts += 1;
        parameters += shape.parameters();
        let mut alike = String::new();
        let mut copied = 0;
        for (_, literal) in cut.literals().iter().enumerate().filter(|(at, _)| !shape.is_fixed(*at)) {
            alike += &text[copied..literal.range.start];
            alike += &other(&text[literal.range.clone()], literal.kind);
            copied = literal.range.end;
        }
        alike += &text[copied..];
        if alike == text || !second.read(&alike) || second.skeleton() != cut.skeleton() {
            continue;
        }
        changed += 1;
        let (alike_trees, alike_shape) = parameterized(&alike, &second).unwrap_or_else(|| panic!("{text}\n{alike}"));
        assert_eq!(alike_shape, shape, "{text}\n{alike}");
        assert_eq!(alike_shape.key(&alike, &second), shape.key(&text, &cut), "{text}\n{alike}");
        assert!(alike_trees == trees, "{text}\n{alike}\n{trees:?}\n{alike_trees:?}");
    }
    println!("{cuts} texts cut, {parameters} parameters, {changed} texts with other constants");
    assert!(cuts > 30_000 && parameters > 10_000 && changed > 5_000);
}
