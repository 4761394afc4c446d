use crate::nodes::{A_Expr_Kind, JoinType, Node, SelectStmt, SetOperation};
use crate::*;

fn error(text: &str) -> SyntaxError {
    parse(text).expect_err(text)
}

fn select(text: &str) -> SelectStmt {
    match parse(text).expect(text).remove(0).stmt.clone() {
        Node::SelectStmt(select) => *select,
        other => panic!("{other:?}"),
    }
}

/// The expression of the only column.
fn expression(text: &str) -> Node {
    match select(text).target_list.remove(0) {
        Node::ResTarget(target) => target.val.unwrap(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_tree_has_postgresqls_names() {
    let stmt = select("select v, count(*) from k join l using (id) where id = 77 and v <> 'é' limit 10");
    assert_eq!(stmt.target_list.len(), 2);
    let Node::JoinExpr(join) = &stmt.from_clause[0] else { panic!() };
    assert_eq!(join.jointype, JoinType::JOIN_INNER);
    let Some(Node::BoolExpr(and)) = &stmt.where_clause else { panic!() };
    let [Node::A_Expr(first), Node::A_Expr(second)] = and.args.as_slice() else { panic!() };
    assert_eq!((first.kind, &first.name[0]), (A_Expr_Kind::AEXPR_OP, &Node::String("=".into())));
    let Some(Node::A_Const(constant)) = &first.rexpr else { panic!() };
    assert_eq!((&constant.val, constant.location), (&Constant::Integer(77), 55));
    let Some(Node::A_Const(constant)) = &second.rexpr else { panic!() };
    assert_eq!(constant.val, Constant::String("é".into()));
    assert_eq!(stmt.op, SetOperation::SETOP_NONE);
}

#[test]
fn statements_have_their_places() {
    let text = "select 1; ;  /* é */  insert into t values (1) ;";
    let statements = parse(text).unwrap();
    let places: Vec<_> = statements.iter().map(|s| (s.stmt_location, s.stmt_len)).collect();
    assert_eq!(places, [(0, 8), (23, 25)]);
    assert_eq!(&text[23..48], "insert into t values (1) ");
    assert_eq!(parse("").unwrap(), []);
    assert_eq!(parse("-- nothing").unwrap(), []);
    assert_eq!(parse("select 1").unwrap()[0].stmt_len, 0);
}

#[test]
fn constants_keep_their_kinds() {
    for (text, value) in [
        ("2147483647", Constant::Integer(i32::MAX)),
        ("2147483648", Constant::Float("2147483648".into())),
        ("1_000.50", Constant::Float("1_000.50".into())),
        ("0x1F", Constant::Integer(31)),
        ("-5", Constant::Integer(-5)),
        ("'a''b'", Constant::String("a'b".into())),
        ("E'\\t'", Constant::String("\t".into())),
        ("$$x'y$$", Constant::String("x'y".into())),
        ("U&'\\00e9'", Constant::String("é".into())),
        ("b'101'", Constant::BitString("b101".into())),
        ("null", Constant::Null),
        ("true", Constant::Boolean(true)),
        // Comments may stand between the parts of a string where they end with a line.
        ("'a' -- x\n'b'", Constant::String("ab".into())),
    ] {
        let Node::A_Const(constant) = expression(&format!("select {text}")) else { panic!("{text}") };
        assert_eq!(constant.val, value, "{text}");
    }
}

#[test]
fn distinct_without_on_is_a_list_of_no_node() {
    assert_eq!(select("select distinct a from t").distinct_clause, [Node::Null]);
    assert_eq!(select("select distinct on (a) a from t").distinct_clause.len(), 1);
}

#[test]
fn a_source_of_several_columns_is_there_once() {
    let columns = |n| vec!["a"; n].join(", ");
    let text = format!("update t set ({}) = ({})", columns(3_000), columns(3_000));
    let statements = parse(&text).unwrap();
    let Node::UpdateStmt(update) = &statements[0].stmt else { panic!() };
    let sources = update.target_list.iter().filter(|t| {
        let Node::ResTarget(target) = t else { panic!() };
        let Some(Node::MultiAssignRef(reference)) = &target.val else { panic!() };
        assert_eq!(reference.ncolumns, 3_000);
        reference.source.is_some() == (reference.colno == 1) && reference.source.is_some()
    });
    assert_eq!(sources.count(), 1);
}

#[test]
fn errors_are_postgresqls() {
    let e = error("select é from 'x'");
    assert_eq!((e.sqlstate(), &*e.message, e.position), ("42601", "syntax error at or near \"'x'\"", Some(15)));
    let e = error("select 1 from");
    assert_eq!((&*e.message, e.position), ("syntax error at end of input", Some(14)));
    let e = error("select 'x");
    assert_eq!((&*e.message, e.position), ("unterminated quoted string at or near \"'x\"", Some(8)));
    let e = error("select * from t fetch first row with ties");
    assert_eq!((e.sqlstate(), &*e.message), ("42601", "WITH TIES cannot be specified without ORDER BY clause"));
    let e = error("create table t (a int) partition by circle (a)");
    assert_eq!((e.sqlstate(), &*e.message), ("22023", "unrecognized partitioning strategy \"circle\""));
    let e = error("select U&'\\zzzz'");
    assert_eq!(&*e.message, "invalid Unicode escape");
    assert_eq!(e.hint.as_deref(), Some("Unicode escapes must be \\XXXX or \\+XXXXXX."));
    let e = error("select E'\\xff'");
    assert_eq!((e.sqlstate(), &*e.message), ("22021", "invalid byte sequence for encoding \"UTF8\": 0xff"));
    // The scanner stands within a character.
    let e = error("select E'\\udb99é'");
    assert_eq!((&*e.message, e.position), ("invalid Unicode surrogate pair at or near \"\u{fffd}\"", Some(16)));
    let e = error("select $1abc");
    assert_eq!(&*e.message, "trailing junk after parameter at or near \"$1abc\"");
    let e = error("select interval $1");
    assert_eq!(&*e.message, "syntax error at or near \"$1\"");
    let e = error("create function f(a int) returns table (b int) aggregate f(x y");
    assert_eq!(e.sqlstate(), "42601");
    let e = error("drop operator +(int)");
    assert_eq!(
        (&*e.message, e.hint.as_deref()),
        ("missing argument", Some("Use NONE to denote the missing argument of a unary operator."))
    );
    assert_eq!(error("select 1\0").sqlstate(), "22021");
}

#[test]
fn notices_come_along() {
    let long = "x".repeat(70);
    let parsed = parse_with(&format!("select 1 as {long}"), RawParseMode::Default, Settings::default());
    let [notice] = parsed.notices.as_slice() else { panic!("{parsed:?}") };
    assert_eq!((notice.severity, notice.report.sqlstate()), (Severity::Notice, "42622"));
    assert_eq!(&*notice.report.message, format!("identifier \"{long}\" will be truncated to \"{}\"", &long[..63]));
    let settings = Settings { standard_conforming_strings: false, ..Settings::default() };
    let parsed = parse_with("select 'a\\'b'", RawParseMode::Default, settings);
    assert!(parsed.statements.is_ok());
    assert_eq!(&*parsed.notices[0].report.message, "nonstandard use of \\' in a string literal");
    assert_eq!(parsed.notices[0].severity, Severity::Warning);
    let settings = Settings { backslash_quote: BackslashQuote::Off, ..settings };
    let error = parse_with("select 'a\\'b'", RawParseMode::Default, settings).statements.unwrap_err();
    assert_eq!((error.sqlstate(), &*error.message), ("22P06", "unsafe use of \\' in a string literal"));
}

#[test]
fn type_names_and_plpgsql_have_modes_of_their_own() {
    let name = parse_type_name("numeric(10, 2)[]").unwrap();
    assert_eq!((name.typmods.len(), name.array_bounds.len()), (2, 1));
    assert_eq!(&*parse_type_name(" ").unwrap_err().message, "invalid type name \" \"");
    assert_eq!(&*parse_type_name("setof int").unwrap_err().message, "invalid type name \"setof int\"");
    assert!(parse_type_name(&format!("numeric(1{})", "+1".repeat(50))).is_ok());
    assert_eq!(parse_type_name(&format!("numeric(1{})", "+1".repeat(1_000))).unwrap_err().sqlstate(), "54001");
    assert_eq!(parse_type_name("int 4").unwrap_err().position, Some(5));
    let expression = parse_with("a + 1 from t", RawParseMode::PlpgsqlExpr, Settings::default());
    assert!(matches!(expression.statements.unwrap()[0].stmt, Node::SelectStmt(_)));
    let assignment = parse_with("a.b := 1", RawParseMode::PlpgsqlAssign2, Settings::default());
    assert!(matches!(assignment.statements.unwrap()[0].stmt, Node::PLAssignStmt(_)));
}

fn nested(n: usize, before: &str, within: &str, after: &str) -> String {
    format!("select {}{within}{}", before.repeat(n), after.repeat(n))
}

#[test]
fn deep_texts_are_answered_as_by_postgresql() {
    let parsed = |text: String| parse(&text).map(|s| s.len()).map_err(|e| (e.sqlstate, e.message));
    let exhausted = |token: &str| Err((*b"42601", format!("memory exhausted at or near \"{token}\"").into()));
    let too_deep = Err((*b"54001", "stack depth limit exceeded".into()));
    assert_eq!(parsed(nested(9_900, "(", "1", ")")), Ok(1));
    assert_eq!(parsed(nested(100_000, "(", "1", ")")), exhausted("("));
    assert_eq!(parsed(nested(4_000, "not ", "true", "")), Ok(1));
    assert_eq!(parsed(nested(100_000, "not ", "true", "")), exhausted("not"));
    assert_eq!(parsed(nested(2_000, "case when true then ", "1", " end")), exhausted("when"));
    assert_eq!(parsed(nested(4_000, "(select ", "1", ")")), exhausted("("));
    assert_eq!(parsed(nested(2_000, "(select ", "1", ")")), Ok(1));
    assert_eq!(parsed(nested(19_000, "", "1", "+1")), Ok(1));
    assert_eq!(parsed(nested(100_000, "", "1", "+1")), too_deep);
    assert_eq!(parsed(nested(100_000, "", "1", "::int")), too_deep);
    assert_eq!(parsed(nested(5_000, "", "1", " union select 1")), Ok(1));
    assert_eq!(parsed(nested(100_000, "", "1", " union select 1")), too_deep);
    // AND and OR are flat.
    assert_eq!(parsed(nested(100_000, "", "true", " and true")), Ok(1));
    assert_eq!(parsed(nested(100_000, "", "a", "[1]")), Ok(1));
    assert_eq!(parsed(nested(100_000, "", "a", ".a")), Ok(1));
    assert_eq!(parsed("-- x\n".repeat(100_000) + "select 1"), Ok(1));
    assert_eq!(parsed(";".repeat(1_000_000)), Ok(0));
    assert_eq!(parsed("select 1;".repeat(100_000)), Ok(100_000));
}

/// The scanner reads runs of operators' characters again and again.
#[test]
fn operators_do_not_keep_the_scanner_busy() {
    assert_eq!(error(&"/*".repeat(2_000)).message[..20], *"unterminated /* comm");
    for text in ["/*".repeat(100_000), "/**/".repeat(1 << 20), format!("select {}1", "+".repeat(8 << 20))] {
        let e = error(&text);
        assert_eq!((e.sqlstate(), &*e.message), ("54001", "statement is too complex"));
    }
    let settings = Settings { standard_conforming_strings: false, ..Settings::default() };
    let text = format!("select {}1", "'\\n',".repeat(1 << 20));
    assert_eq!(parse_with(&text, RawParseMode::Default, settings).statements.unwrap_err().sqlstate(), "54001");
}

/// Trees as deep as can be are read, copied, compared, printed and dropped on any thread.
#[test]
fn the_deepest_trees_fit_a_small_stack() {
    let on_small_stack = || {
        for (n, before, within, after) in [
            (19_000, "", "1", "+1"),
            (3_200, "(select ", "1", ")"),
            (9_000, "", "1", "::int"),
            (1_500, "case when true then ", "1", " end"),
            (4_500, "", "1", " union all select 1"),
        ] {
            let statements = parse(&nested(n, before, within, after)).unwrap();
            let copy = statements.clone();
            assert!(copy == statements);
            assert!(format!("{:?}", copy[0]).len() > n);
        }
    };
    std::thread::Builder::new().stack_size(192 << 10).spawn(on_small_stack).unwrap().join().unwrap();
}

#[test]
fn threads_do_not_disturb_each_other() {
    std::thread::scope(|scope| {
        for thread in 0..8 {
            scope.spawn(move || {
                for i in 0..500 {
                    let text = format!("select {i} as t{thread}");
                    let Node::A_Const(constant) = expression(&text) else { panic!() };
                    assert_eq!(constant.val, Constant::Integer(i));
                    let e = error(&format!("select '{i}' from {thread}"));
                    assert_eq!(&*e.message, format!("syntax error at or near \"{thread}\""));
                    let settings = Settings { standard_conforming_strings: thread % 2 == 0, ..Settings::default() };
                    let parsed = parse_with("select '\\'", RawParseMode::Default, settings);
                    assert_eq!(parsed.statements.is_ok(), thread % 2 == 0);
                }
            });
        }
    });
}

#[test]
fn large_texts_are_parsed_or_refused() {
    let string = format!("select '{}'", "é".repeat(16 << 20));
    let Node::A_Const(constant) = expression(&string) else { panic!() };
    assert_eq!(constant.val, Constant::String("é".repeat(16 << 20).into()));
    let e = error(&"(1),".repeat(8 << 20));
    assert_eq!(e.position, Some(2));
    let values = format!("insert into t values {}(1)", "(1),".repeat(8 << 20));
    let e = error(&values);
    assert_eq!((e.sqlstate(), &*e.message), ("53200", "out of memory"));
}
