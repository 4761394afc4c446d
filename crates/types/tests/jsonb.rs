//! Values of `jsonb`: texts come back, keys compare as values do, members are found, and depth has a limit.

use proptest::prelude::*;
use types::jsonb::layout::Shape;
use types::jsonb::{Builder, Value, View, append_key, compare, parse, write};

fn text(bytes: &[u8]) -> String {
    let mut out = Vec::new();
    write(View::new(bytes), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn any_json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_string()),
        any::<bool>().prop_map(|value| value.to_string()),
        "-?[1-9][0-9]{0,3}(\\.[0-9]{1,3})?",
        "\"[a-cäß ]{0,4}\"",
    ];
    leaf.prop_recursive(4, 64, 40, |inner| {
        let pair = ("[a-d]{0,3}", inner.clone()).prop_map(|(key, value)| format!("\"{key}\":{value}"));
        prop_oneof![
            prop::collection::vec(inner, 0..40).prop_map(|all| format!("[{}]", all.join(","))),
            prop::collection::vec(pair, 0..70).prop_map(|all| format!("{{{}}}", all.join(" , "))),
        ]
    })
}

proptest! {
    #[test]
    fn texts_come_back(json in any_json()) {
        let bytes = parse(&json).unwrap();
        let shown = text(&bytes);
        prop_assert_eq!(&parse(&shown).unwrap(), &bytes);
        prop_assert_eq!(text(&parse(&shown).unwrap()), shown);
    }

    #[test]
    fn keys_compare_as_values(a in any_json(), b in any_json()) {
        let (a, b) = (parse(&a).unwrap(), parse(&b).unwrap());
        let key = |bytes: &[u8]| {
            let mut key = Vec::new();
            append_key(View::new(bytes), &mut key);
            key
        };
        prop_assert_eq!(key(&a).cmp(&key(&b)), compare(View::new(&a), View::new(&b)));
    }

    #[test]
    fn members_are_found(keys in prop::collection::btree_set("[a-zä]{0,6}", 0..200)) {
        let pairs: Vec<String> = keys.iter().map(|key| format!("\"{key}\":\"{key}!\"")).collect();
        let bytes = parse(&format!("{{{}}}", pairs.join(","))).unwrap();
        let view = View::new(&bytes);
        for key in &keys {
            let found = view.field(key.as_bytes());
            let expected = format!("{key}!");
            prop_assert!(matches!(found, Some(Value::String(text)) if text == expected.as_bytes()));
        }
        prop_assert!(view.field(b"not there").is_none());
        prop_assert_eq!(view.len(), keys.len());
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let view = View::new(&bytes);
        let _ = (view.shape(), view.field(b"a").is_some(), view.element_from(-1).is_some());
        let mut out = Vec::new();
        let _ = write(view, &mut out);
    }
}

#[test]
fn depth_has_a_limit() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert_eq!(text(&parse(&nested(6400)).unwrap()), nested(6400));
    for levels in [6401, 100_000] {
        assert_eq!(parse(&nested(levels)).unwrap_err().0.code, "54001");
    }
    assert_eq!(parse(&"{\"a\":".repeat(100_000)).unwrap_err().0.code, "54001");
}

#[test]
fn values_in_values_may_be_deeper() {
    let mut bytes = parse("[1]").unwrap();
    for _ in 0..20_000 {
        let mut builder = Builder::default();
        builder.begin_array().unwrap();
        builder.value(Value::Container(View::new(&bytes))).unwrap();
        builder.end();
        let mut out = Vec::new();
        builder.finish(&mut out).unwrap();
        bytes = out;
    }
    assert_eq!(text(&bytes).len(), 2 * 20_001 + 1);
    let other = bytes.clone();
    assert!(compare(View::new(&bytes), View::new(&other)).is_eq());
    assert_eq!(View::new(&bytes).shape(), Shape::Array);
}

#[test]
fn numbers_keep_their_digits() {
    let digits = "7".repeat(130_000);
    assert_eq!(text(&parse(&digits).unwrap()), digits);
    assert_eq!(text(&parse("[1.500, -0.0, 1e3, 1E-2]").unwrap()), "[1.500, 0.0, 1000, 0.01]");
    assert_eq!(parse(&format!("{digits}{digits}")).unwrap_err().0.code, "22003");
}
