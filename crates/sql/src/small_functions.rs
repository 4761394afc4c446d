//! Small functions that drivers and their tools ask: names of catalog objects, quoting, encodings, hashes.

use std::sync::Arc;

use datafusion::arrow::array::{Int32Array, Int64Array, StringArray};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::logical_expr::Volatility;

use crate::functions::{Registrar, bigint};
use crate::hash_bytes;
use crate::output::text_array;
use crate::session::Shared;
use crate::system;

/// Encodings by their numbers; those between that nobody asks for are left out.
const ENCODINGS: &[(i64, &str)] = &[
    (0, "SQL_ASCII"),
    (1, "EUC_JP"),
    (2, "EUC_CN"),
    (3, "EUC_KR"),
    (6, "UTF8"),
    (8, "LATIN1"),
    (9, "LATIN2"),
    (16, "LATIN9"),
    (22, "KOI8R"),
    (23, "WIN1251"),
    (24, "WIN1252"),
    (29, "WIN1250"),
    (35, "SJIS"),
    (36, "BIG5"),
    (37, "GBK"),
    (39, "GB18030"),
];

pub fn register(r: &mut Registrar, shared: &Arc<Shared>) -> Result<()> {
    names(r, shared)?;
    r.add("quote_literal", 1, DataType::Utf8, Volatility::Immutable, |args, _| {
        Ok(Arc::new(text_array(&args[0])?.iter().map(|text| text.map(quote)).collect::<StringArray>()))
    })?;
    r.add("quote_nullable", 1, DataType::Utf8, Volatility::Immutable, |args, _| {
        let quoted = |text: Option<&str>| Some(text.map_or_else(|| "NULL".to_string(), quote));
        Ok(Arc::new(text_array(&args[0])?.iter().map(quoted).collect::<StringArray>()))
    })?;
    r.add("hashtext", 1, DataType::Int32, Volatility::Immutable, |args, _| {
        Ok(Arc::new(text_array(&args[0])?.iter().map(|text| text.map(hash_bytes::text)).collect::<Int32Array>()))
    })?;
    r.add("hashtextextended", 2, DataType::Int64, Volatility::Immutable, |args, _| {
        let (texts, seeds) = (text_array(&args[0])?, bigint(&args[1])?);
        let hashes = texts.iter().zip(&seeds).map(|(text, seed)| Some(hash_bytes::text_extended(text?, seed?)));
        Ok(Arc::new(hashes.collect::<Int64Array>()))
    })?;
    r.add("pg_encoding_to_char", 1, DataType::Utf8, Volatility::Stable, |args, _| {
        let name = |number| ENCODINGS.iter().find(|(known, _)| *known == number).map_or("", |(_, name)| name);
        Ok(Arc::new(bigint(&args[0])?.iter().map(|number| number.map(name)).collect::<StringArray>()))
    })?;
    r.add("pg_char_to_encoding", 1, DataType::Int32, Volatility::Stable, |args, _| {
        let number = |name: &str| {
            let found = ENCODINGS.iter().find(|(_, known)| known.eq_ignore_ascii_case(name));
            found.map_or(-1, |(number, _)| *number as i32)
        };
        Ok(Arc::new(text_array(&args[0])?.iter().map(|name| name.map(number)).collect::<Int32Array>()))
    })?;
    r.name(&["getdatabaseencoding"], || "UTF8".into())?;
    let me = shared.clone();
    r.name(&["pg_client_encoding"], move || me.settings.read().get("client_encoding").to_string())?;
    // There are no temporary tables, and nothing is compiled.
    r.number("pg_my_temp_schema", || 0)?;
    r.always("pg_is_other_temp_schema", 1, false)?;
    r.always("pg_jit_available", 0, false)
}

/// What shows an OID as a name; a number that nothing has stays one.
fn names(r: &mut Registrar, shared: &Arc<Shared>) -> Result<()> {
    r.names_of("pg_schema_name", system::REGNAMESPACE, |oid| match oid.parse() {
        Ok(0) => "-".into(),
        Ok(number) => system::schema_name(number).map_or_else(|| oid.to_string(), str::to_string),
        Err(_) => oid.to_string(),
    })?;
    let me = shared.clone();
    r.names_of("pg_role_name", system::REGROLE, move |oid| {
        let catalog = me.catalog();
        match catalog.roles.values().find(|role| role.oid.to_string() == oid) {
            Some(role) => crate::definition::quote_ident(&role.name),
            None if oid == "0" => "-".into(),
            None => oid.to_string(),
        }
    })
}

/// A constant of SQL that means the text.
fn quote(text: &str) -> String {
    let doubled = text.replace('\'', "''");
    match text.contains('\\') {
        true => format!("E'{}'", doubled.replace('\\', "\\\\")),
        false => format!("'{doubled}'"),
    }
}
