//! Names of objects in texts, with a catalog of a few objects.

use std::sync::Arc;

use types::names::{Named, Names};
use types::{Argument, BASE_TYPES, Call, Context, Datum, Oid, Repr, Result, oid};

#[derive(Debug)]
struct Few;

impl Names for Few {
    fn find(&self, kind: Named, name: &[String]) -> Result<Vec<Oid>> {
        Ok(match (kind, name.last().map(String::as_str)) {
            (Named::Relation, Some("pg_class")) => vec![1259],
            (Named::Function, Some("now")) => vec![1299],
            (Named::Function, Some("abs")) => vec![1, 2],
            _ => vec![],
        })
    }
    fn function(&self, name: &[String], arguments: &[Oid]) -> Result<Option<Oid>> {
        Ok((name == ["abs"] && arguments == [oid::INT4, oid::TEXT]).then_some(7))
    }
    fn operator(&self, name: &[String], left: Oid, right: Oid) -> Result<Option<Oid>> {
        Ok((name == ["-"] && (left, right) == (0, oid::INT4)).then_some(558))
    }
    fn parse_type(&self, text: &str) -> Result<(Oid, i32)> {
        match text {
            "integer" | "int4" => Ok((oid::INT4, -1)),
            "numeric(10,2)" => Ok((oid::TEXT, 7)),
            "" => Err(types::Error::new("42601", "invalid type name \"\"")),
            "int4(" => Err(types::Error::new("42601", "syntax error at end of input")),
            "numeric(5000)" => Err(types::Error::new("22023", "NUMERIC precision 5000 must be between 1 and 1000")),
            _ => Err(types::Error::new("42704", format!("type \"{text}\" does not exist"))),
        }
    }
    fn role(&self, name: &str) -> Option<Oid> {
        (name == "Al ice").then_some(10)
    }
    fn role_name(&self, role: Oid) -> Option<String> {
        (role == 10).then(|| "Al ice".to_string())
    }
    fn name_of(&self, kind: Named, object: Oid) -> Option<String> {
        (kind == Named::Relation && object == 1259).then(|| "pg_class".to_string())
    }
}

/// The value of a text, and what text it has; or the error.
fn round_trip(ty: Oid, text: &str) -> std::result::Result<(u32, String), (String, &'static str)> {
    let context = Context { names: Arc::new(Few), ..Context::default() };
    let base = BASE_TYPES.iter().copied().flatten().find(|t| t.oid == ty).unwrap();
    let datum = (base.input)(&context, text, -1).map_err(|e| (e.0.message.clone(), e.0.code))?;
    let Datum::U32(value) = datum else { panic!("{datum:?}") };
    let mut out = Vec::new();
    (base.output)(&context, &datum.to_array(Repr::Oid), 0, &mut out).unwrap();
    Ok((value, String::from_utf8(out).unwrap()))
}

#[test]
fn objects_are_read_and_written_by_name() {
    let ok = |value: u32, text: &str| Ok((value, text.to_string()));
    let fails = |message: &str, code| Err((message.to_string(), code));
    assert_eq!(round_trip(oid::REGCLASS, " Pg_Class "), ok(1259, "pg_class"));
    assert_eq!(round_trip(oid::REGCLASS, "-"), ok(0, "-"));
    assert_eq!(round_trip(oid::REGCLASS, "12"), ok(12, "12"));
    assert_eq!(round_trip(oid::REGCLASS, "A.\"B\""), fails("relation \"a.B\" does not exist", "42P01"));
    assert_eq!(round_trip(oid::REGCLASS, "a b"), fails("invalid name syntax", "42602"));
    assert_eq!(round_trip(oid::REGPROC, "now"), ok(1299, "1299"));
    assert_eq!(round_trip(oid::REGPROC, "abs"), fails("more than one function named \"abs\"", "42725"));
    assert_eq!(round_trip(oid::REGPROCEDURE, "abs( int4 ,numeric(10,2) ) "), ok(7, "7"));
    assert_eq!(round_trip(oid::REGPROCEDURE, "abs(int4,)"), fails("expected a type name", "22P02"));
    assert_eq!(round_trip(oid::REGPROCEDURE, "abs"), fails("expected a left parenthesis", "22P02"));
    assert_eq!(round_trip(oid::REGPROCEDURE, "abs(("), fails("expected a right parenthesis", "22P02"));
    assert_eq!(round_trip(oid::REGOPERATOR, "-(none,integer)"), ok(558, "558"));
    assert_eq!(round_trip(oid::REGOPERATOR, "-(integer)"), fails("missing argument", "42P02"));
    assert_eq!(round_trip(oid::REGOPER, "0"), ok(0, "0"));
    assert_eq!(round_trip(oid::REGTYPE, "nothing"), fails("type \"nothing\" does not exist", "42704"));
    assert_eq!(round_trip(oid::REGROLE, "\"Al ice\""), ok(10, "\"Al ice\""));
    assert_eq!(round_trip(oid::REGROLE, "bob"), fails("role \"bob\" does not exist", "42704"));
}

/// What of a type's text is an error for `to_regtype` and `to_regtypemod`, and what is NULL, as PostgreSQL 18 has it.
#[test]
fn texts_that_are_no_types_have_no_oid() {
    let context = Context { names: Arc::new(Few), ..Context::default() };
    for name in ["to_regtype", "to_regtypemod"] {
        let function = types::reg::FUNCTIONS.iter().find(|function| function.name == name).unwrap();
        let call =
            Call { context: &context, rows: 1, arguments: &[oid::TEXT], result: function.result, variadic: false };
        let given = |text: &str| {
            let argument = Argument::constant(Datum::text(text).to_array(Repr::Text));
            (function.kernel)(&call, &[argument]).map(|result| Datum::of(&result, 0)).map_err(|error| error.0.code)
        };
        assert_eq!(given(""), Ok(Datum::Null), "{name}");
        assert_eq!(given("nothing"), Ok(Datum::Null), "{name}");
        assert_eq!(given("int4("), Err("42601"), "{name}");
        assert_eq!(given("numeric(5000)"), Err("22023"), "{name}");
    }
}
