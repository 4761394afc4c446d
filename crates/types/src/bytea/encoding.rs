//! Texts in other encodings. The database's is UTF-8; those of one byte a character are converted, `encodings.txt` has what
//! PostgreSQL makes of their bytes. Others are known by name and refused.

use std::borrow::Cow;
use std::sync::LazyLock;

use error::sqlstate;

use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::sql::*;

pub const FUNCTIONS: &[Function] = functions! {
    convert_from(bytea, name) -> text = |bytes: &[u8], name| {
        let from = source(name)?;
        let bytes = convert(bytes, from, UTF8)?;
        String::from_utf8(bytes.into_owned()).map_err(|_| Error::new(sqlstate::INTERNAL_ERROR, "a conversion to UTF8 gave something else"))
    };
    convert_to(text, name) -> bytea =
        |text: &str, name| Result::Ok(convert(text.as_bytes(), UTF8, destination(name)?)?.into_owned());
    convert(bytea, name, name) -> bytea = |bytes: &[u8], from, to| {
        let (from, to) = (source(from)?, destination(to)?);
        Result::Ok(convert(bytes, from, to)?.into_owned())
    };
    length(bytea, name) -> int4 = |bytes: &[u8], name| {
        let encoding = find(name).ok_or_else(|| unknown("encoding", name))?;
        Result::Ok(length(bytes, encoding)? as i32)
    };
    pg_char_to_encoding(name) -> int4 = |name| Result::Ok(find(name).map_or(-1, |number| number as i32));
    pg_encoding_to_char(int4) -> name = |number| Result::Ok(known(number).map_or("", |(name, _)| name));
    pg_encoding_max_length(int4) -> Option<int4> = |number| Result::Ok(known(number).map(|(_, most)| most));
};

/// The encodings by their numbers, with the bytes of a character at most.
const ENCODINGS: &[(&str, i32)] = &[
    ("SQL_ASCII", 1),
    ("EUC_JP", 3),
    ("EUC_CN", 3),
    ("EUC_KR", 3),
    ("EUC_TW", 4),
    ("EUC_JIS_2004", 3),
    ("UTF8", 4),
    ("MULE_INTERNAL", 4),
    ("LATIN1", 1),
    ("LATIN2", 1),
    ("LATIN3", 1),
    ("LATIN4", 1),
    ("LATIN5", 1),
    ("LATIN6", 1),
    ("LATIN7", 1),
    ("LATIN8", 1),
    ("LATIN9", 1),
    ("LATIN10", 1),
    ("WIN1256", 1),
    ("WIN1258", 1),
    ("WIN866", 1),
    ("WIN874", 1),
    ("KOI8R", 1),
    ("WIN1251", 1),
    ("WIN1252", 1),
    ("ISO_8859_5", 1),
    ("ISO_8859_6", 1),
    ("ISO_8859_7", 1),
    ("ISO_8859_8", 1),
    ("WIN1250", 1),
    ("WIN1253", 1),
    ("WIN1254", 1),
    ("WIN1255", 1),
    ("WIN1257", 1),
    ("KOI8U", 1),
    ("SJIS", 2),
    ("BIG5", 2),
    ("GBK", 2),
    ("UHC", 2),
    ("GB18030", 4),
    ("JOHAB", 3),
    ("SHIFT_JIS_2004", 2),
];

const SQL_ASCII: usize = 0;
const UTF8: usize = 6;

/// Other spellings of the names, without anything but letters and digits (`encnames.c`).
const ALIASES: &[(&str, &str)] = &[
    ("abc", "win1258"),
    ("alt", "win866"),
    ("iso88591", "latin1"),
    ("iso885910", "latin6"),
    ("iso885913", "latin7"),
    ("iso885914", "latin8"),
    ("iso885915", "latin9"),
    ("iso885916", "latin10"),
    ("iso88592", "latin2"),
    ("iso88593", "latin3"),
    ("iso88594", "latin4"),
    ("iso88599", "latin5"),
    ("koi8", "koi8r"),
    ("mskanji", "sjis"),
    ("shiftjis", "sjis"),
    ("tcvn", "win1258"),
    ("tcvn5712", "win1258"),
    ("unicode", "utf8"),
    ("vscii", "win1258"),
    ("win", "win1251"),
    ("win932", "sjis"),
    ("win936", "gbk"),
    ("win949", "uhc"),
    ("win950", "big5"),
    ("windows932", "sjis"),
    ("windows936", "gbk"),
    ("windows949", "uhc"),
    ("windows950", "big5"),
];

fn clean(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// An encoding's number.
fn find(name: &str) -> Option<usize> {
    let wanted = clean(name);
    let alias = ALIASES.iter().find(|(alias, _)| *alias == wanted).map(|(_, name)| name.to_string());
    let wanted =
        alias.or_else(|| wanted.strip_prefix("windows").map(|number| format!("win{number}"))).unwrap_or(wanted);
    ENCODINGS.iter().position(|(name, _)| clean(name) == wanted)
}

fn known(number: i32) -> Option<(&'static str, i32)> {
    usize::try_from(number).ok().and_then(|number| ENCODINGS.get(number).copied())
}

fn unknown(what: &str, name: &str) -> Error {
    Error::new(sqlstate::INVALID_PARAMETER_VALUE, format!("invalid {what} name \"{name}\""))
}

fn source(name: &str) -> Result<usize> {
    find(name).ok_or_else(|| unknown("source encoding", name))
}

fn destination(name: &str) -> Result<usize> {
    find(name).ok_or_else(|| unknown("destination encoding", name))
}

/// An encoding's name and the characters of its bytes from 0x80 on.
type Table = (&'static str, [Option<char>; 128]);

/// The characters of an encoding's bytes from 0x80 on. Fails with 0A000 for an encoding that has none here.
fn table(encoding: usize) -> Result<&'static [Option<char>; 128]> {
    static TABLES: LazyLock<Vec<Table>> = LazyLock::new(|| {
        let lines = include_str!("encodings.txt").lines().filter(|line| !line.starts_with('#'));
        let read = |line: &'static str| {
            let (name, codes) = line.split_once(' ').expect("a name and codes");
            let mut characters = [None; 128];
            for (character, code) in characters.iter_mut().zip(codes.split(' ')) {
                *character = u32::from_str_radix(code, 16).ok().and_then(char::from_u32);
            }
            (name, characters)
        };
        lines.map(read).collect()
    });
    let name = ENCODINGS[encoding].0;
    let found = TABLES.iter().find(|(known, _)| *known == name).map(|(_, table)| table);
    found.ok_or_else(|| Error::unsupported(format_args!("conversion between {name} and UTF8")))
}

fn shown(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("0x{byte:02x}")).collect::<Vec<_>>().join(" ")
}

fn invalid(encoding: usize, bytes: &[u8]) -> Error {
    let message = format!("invalid byte sequence for encoding \"{}\": {}", ENCODINGS[encoding].0, shown(bytes));
    Error::new(sqlstate::CHARACTER_NOT_IN_REPERTOIRE, message)
}

fn untranslatable(from: usize, bytes: &[u8], to: usize) -> Error {
    let (from, to) = (ENCODINGS[from].0, ENCODINGS[to].0);
    let bytes = shown(bytes);
    Error::new(
        sqlstate::UNTRANSLATABLE_CHARACTER,
        format!("character with byte sequence {bytes} in encoding \"{from}\" has no equivalent in encoding \"{to}\""),
    )
}

/// Bytes of the character that begins with this one (`pg_utf_mblen`).
fn utf8_length(first: u8) -> usize {
    match first {
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf7 => 4,
        _ => 1,
    }
}

/// The text that bytes are in UTF-8.
pub fn utf8(bytes: &[u8]) -> Result<&str> {
    match std::str::from_utf8(bytes) {
        Ok(text) if !bytes.contains(&0) => Ok(text),
        Err(error) if !bytes[..error.valid_up_to()].contains(&0) => {
            let rest = &bytes[error.valid_up_to()..];
            Err(invalid(UTF8, &rest[..utf8_length(rest[0]).min(rest.len())]))
        }
        _ => Err(invalid(UTF8, &[0])),
    }
}

/// The same of bytes that are the text's own.
pub fn utf8_owned(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).or_else(|error| utf8(error.as_bytes()).map(str::to_string))
}

/// Fails where bytes are no text of an encoding.
fn verify(bytes: &[u8], encoding: usize) -> Result<()> {
    match encoding {
        UTF8 => utf8(bytes).map(drop),
        _ if bytes.contains(&0) => Err(invalid(encoding, &[0])),
        _ if ENCODINGS[encoding].1 == 1 => Ok(()),
        _ => table(encoding).map(drop),
    }
}

/// Characters in an encoding.
fn length(bytes: &[u8], encoding: usize) -> Result<usize> {
    verify(bytes, encoding)?;
    Ok(if encoding == UTF8 { utf8(bytes)?.chars().count() } else { bytes.len() })
}

/// PostgreSQL converts among some encodings of one byte directly, and among others that are not here.
fn no_conversion((from, from_most): (&str, i32), (to, to_most): (&str, i32)) -> Error {
    const FAMILIES: [&[&str]; 2] = [&["KOI8R", "WIN1251", "WIN866", "ISO_8859_5"], &["LATIN2", "WIN1250"]];
    let related = FAMILIES.iter().any(|family| family.contains(&from) && family.contains(&to));
    if related || from_most > 1 || to_most > 1 {
        return Error::unsupported(format_args!("conversion between {from} and {to}"));
    }
    let message = format!("default conversion function for encoding \"{from}\" to \"{to}\" does not exist");
    Error::new(sqlstate::UNDEFINED_FUNCTION, message)
}

fn convert(bytes: &[u8], from: usize, to: usize) -> Result<Cow<'_, [u8]>> {
    verify(bytes, from)?;
    if from == to || to == SQL_ASCII || bytes.is_empty() {
        return Ok(Cow::Borrowed(bytes));
    }
    if from == SQL_ASCII {
        verify(bytes, to)?;
        return Ok(Cow::Borrowed(bytes));
    }
    match (from, to) {
        (UTF8, _) => {
            let table = table(to)?;
            let byte = |c: char| match u8::try_from(c) {
                Ok(byte @ ..0x80) => Ok(byte),
                _ => match table.iter().position(|known| *known == Some(c)) {
                    Some(at) => Ok(0x80 + at as u8),
                    None => Err(untranslatable(UTF8, c.encode_utf8(&mut [0; 4]).as_bytes(), to)),
                },
            };
            utf8(bytes)?.chars().map(byte).collect::<Result<Vec<u8>>>().map(Cow::Owned)
        }
        (_, UTF8) => {
            let table = table(from)?;
            let character = |&byte: &u8| match byte {
                ..0x80 => Ok(char::from(byte)),
                _ => table[usize::from(byte - 0x80)].ok_or_else(|| untranslatable(from, &[byte], UTF8)),
            };
            Ok(Cow::Owned(bytes.iter().map(character).collect::<Result<String>>()?.into_bytes()))
        }
        _ => Err(no_conversion(ENCODINGS[from], ENCODINGS[to])),
    }
}
