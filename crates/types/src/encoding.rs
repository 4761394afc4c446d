//! Texts as clients send and read them. In the database they are UTF-8; a client may have its own encoding
//! (`client_encoding`), under PostgreSQL's names for it. What PostgreSQL knows and this does not is refused.

use std::borrow::Cow;
use std::sync::LazyLock;

use error::{Error, Result, sqlstate};

/// The bytes of an encoding whose characters are one byte each.
#[derive(Debug)]
struct Bytes {
    /// What 0x80 and so on mean.
    characters: [Option<char>; 128],
    /// The reverse, by character.
    bytes: Vec<(char, u8)>,
}

/// An encoding that clients may use.
#[derive(Debug)]
pub struct Encoding {
    /// As PostgreSQL shows it.
    pub name: &'static str,
    /// `None`: texts are sent as they are, in UTF-8.
    bytes: Option<Bytes>,
}

/// As PostgreSQL converts them; each line has a name and 128 code points.
const BYTES: &str = include_str!("encoding/bytes.txt");

/// The database's.
pub static UTF8: Encoding = Encoding { name: "UTF8", bytes: None };
/// Means that it is unknown what the client's bytes are: they must be the database's.
static SQL_ASCII: Encoding = Encoding { name: "SQL_ASCII", bytes: None };

static OF_BYTES: LazyLock<Vec<Encoding>> = LazyLock::new(|| {
    let lines = BYTES.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| Encoding::read(line).expect("the table is whole")).collect()
});

/// Other spellings of their names, without anything but letters and digits (`encnames.c`), and those that are not
/// converted here.
const ALIASES: &[(&str, &str)] = &[
    ("abc", "WIN1258"),
    ("alt", "WIN866"),
    ("big5", "BIG5"),
    ("euccn", "EUC_CN"),
    ("eucjis2004", "EUC_JIS_2004"),
    ("eucjp", "EUC_JP"),
    ("euckr", "EUC_KR"),
    ("euctw", "EUC_TW"),
    ("gb18030", "GB18030"),
    ("gbk", "GBK"),
    ("iso88591", "LATIN1"),
    ("iso885910", "LATIN6"),
    ("iso885913", "LATIN7"),
    ("iso885914", "LATIN8"),
    ("iso885915", "LATIN9"),
    ("iso885916", "LATIN10"),
    ("iso88592", "LATIN2"),
    ("iso88593", "LATIN3"),
    ("iso88594", "LATIN4"),
    ("iso88599", "LATIN5"),
    ("johab", "JOHAB"),
    ("koi8", "KOI8R"),
    ("mskanji", "SJIS"),
    ("muleinternal", "MULE_INTERNAL"),
    ("shiftjis", "SJIS"),
    ("shiftjis2004", "SHIFT_JIS_2004"),
    ("sjis", "SJIS"),
    ("tcvn", "WIN1258"),
    ("tcvn5712", "WIN1258"),
    ("uhc", "UHC"),
    ("unicode", "UTF8"),
    ("vscii", "WIN1258"),
    ("win", "WIN1251"),
    ("win932", "SJIS"),
    ("win936", "GBK"),
    ("win949", "UHC"),
    ("win950", "BIG5"),
    ("windows932", "SJIS"),
    ("windows936", "GBK"),
    ("windows949", "UHC"),
    ("windows950", "BIG5"),
];

fn all() -> impl Iterator<Item = &'static Encoding> {
    [&UTF8, &SQL_ASCII].into_iter().chain(OF_BYTES.iter())
}

impl Encoding {
    /// The encoding that a client means, in any spelling that PostgreSQL takes. `None`: there is none of this name.
    pub fn find(name: &str) -> Option<Result<&'static Encoding>> {
        let clean = |name: &str| -> String {
            name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
        };
        let wanted = clean(name);
        let canonical = ALIASES.iter().find(|(alias, _)| *alias == wanted).map(|(_, canonical)| clean(canonical));
        let canonical = canonical.or_else(|| wanted.strip_prefix("windows").map(|number| format!("win{number}")));
        let canonical = canonical.unwrap_or(wanted);
        if let Some(found) = all().find(|encoding| clean(encoding.name) == canonical) {
            return Some(Ok(found));
        }
        let (_, known) = ALIASES.iter().find(|(_, name)| clean(name) == canonical)?;
        let text = format!("conversion between {known} and UTF8 is not supported");
        Some(Err(Error::new(sqlstate::FEATURE_NOT_SUPPORTED, text)))
    }

    fn read(line: &'static str) -> Option<Encoding> {
        let (name, codes) = line.split_once(' ')?;
        let mut characters = [None; 128];
        for (character, code) in characters.iter_mut().zip(codes.split(' ')) {
            *character = u32::from_str_radix(code, 16).ok().and_then(char::from_u32);
        }
        let pair = |(index, character): (usize, &Option<char>)| character.map(|c| (c, 0x80 + index as u8));
        let mut bytes: Vec<(char, u8)> = characters.iter().enumerate().filter_map(pair).collect();
        bytes.sort_unstable();
        Some(Encoding { name, bytes: Some(Bytes { characters, bytes }) })
    }

    /// Are texts sent as they are?
    pub fn is_utf8(&self) -> bool {
        self.bytes.is_none()
    }

    /// A text that the client has sent.
    #[inline]
    pub fn decode<'a>(&self, bytes: &'a [u8]) -> Result<Cow<'a, str>> {
        match &self.bytes {
            None => utf8(bytes).map(Cow::Borrowed),
            Some(table) => self.decode_with(table, bytes),
        }
    }

    fn decode_with<'a>(&self, table: &Bytes, bytes: &'a [u8]) -> Result<Cow<'a, str>> {
        if bytes.contains(&0) {
            return Err(invalid(self.name, &[0]));
        }
        if let (true, Ok(text)) = (bytes.is_ascii(), std::str::from_utf8(bytes)) {
            return Ok(Cow::Borrowed(text));
        }
        let character = |&byte: &u8| match byte {
            0..=0x7f => Ok(char::from(byte)),
            byte => {
                table.characters[usize::from(byte - 0x80)].ok_or_else(|| untranslatable(self.name, &[byte], "UTF8"))
            }
        };
        bytes.iter().map(character).collect::<Result<String>>().map(Cow::Owned)
    }

    /// A text for the client.
    pub fn encode<'a>(&self, text: &'a str) -> Result<Cow<'a, [u8]>> {
        self.encode_or(text, |character| {
            let mut bytes = [0; 4];
            Err(untranslatable("UTF8", character.encode_utf8(&mut bytes).as_bytes(), self.name))
        })
    }

    /// A text for the client that must be told in any case: what it cannot read becomes a question mark.
    pub fn encode_anyway<'a>(&self, text: &'a str) -> Cow<'a, [u8]> {
        self.encode_or(text, |_| Ok(b'?')).expect("every character has a byte")
    }

    fn encode_or<'a>(&self, text: &'a str, missing: impl Fn(char) -> Result<u8>) -> Result<Cow<'a, [u8]>> {
        let Some(table) = self.bytes.as_ref().filter(|_| !text.is_ascii()) else {
            return Ok(Cow::Borrowed(text.as_bytes()));
        };
        let byte = |character: char| match u8::try_from(character) {
            Ok(byte @ 0..=0x7f) => Ok(byte),
            _ => match table.bytes.binary_search_by_key(&character, |(c, _)| *c) {
                Ok(index) => Ok(table.bytes[index].1),
                Err(_) => missing(character),
            },
        };
        text.chars().map(byte).collect::<Result<Vec<u8>>>().map(Cow::Owned)
    }
}

/// Bytes that must be UTF-8, as they all are in the database.
#[inline]
pub fn utf8(bytes: &[u8]) -> Result<&str> {
    match std::str::from_utf8(bytes) {
        Ok(text) if memchr::memchr(0, bytes).is_none() => Ok(text),
        Ok(_) => Err(invalid("UTF8", &[0])),
        // What comes first is told.
        Err(error) if bytes[..error.valid_up_to()].contains(&0) => Err(invalid("UTF8", &[0])),
        Err(error) => Err(not_utf8(bytes, error)),
    }
}

#[cold]
fn not_utf8(bytes: &[u8], error: std::str::Utf8Error) -> Error {
    let rest = &bytes[error.valid_up_to()..];
    invalid("UTF8", &rest[..length(rest[0]).min(rest.len())])
}

/// Bytes of the character that begins with this one (`pg_utf_mblen`).
fn length(first: u8) -> usize {
    match first {
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf7 => 4,
        _ => 1,
    }
}

fn shown(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("0x{byte:02x}")).collect::<Vec<_>>().join(" ")
}

fn invalid(encoding: &str, bytes: &[u8]) -> Error {
    Error::new(
        sqlstate::CHARACTER_NOT_IN_REPERTOIRE,
        format!("invalid byte sequence for encoding \"{encoding}\": {}", shown(bytes)),
    )
}

fn untranslatable(from: &str, bytes: &[u8], to: &str) -> Error {
    let text = format!(
        "character with byte sequence {} in encoding \"{from}\" has no equivalent in encoding \"{to}\"",
        shown(bytes)
    );
    Error::new(sqlstate::UNTRANSLATABLE_CHARACTER, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> &'static Encoding {
        Encoding::find(name).unwrap().unwrap()
    }

    #[test]
    fn names_are_found_in_any_spelling() {
        for (spelling, name) in [
            ("utf-8", "UTF8"),
            ("Unicode", "UTF8"),
            ("iso_8859_1", "LATIN1"),
            ("ISO-8859-15", "LATIN9"),
            ("windows-1252", "WIN1252"),
            ("cp1252", ""),
            ("iso88595", "ISO_8859_5"),
            ("koi8", "KOI8R"),
            ("sql_ascii", "SQL_ASCII"),
            ("klingon", ""),
        ] {
            assert_eq!(Encoding::find(spelling).map_or("", |found| found.unwrap().name), name, "{spelling}");
        }
        assert_eq!(Encoding::find("Shift_JIS").unwrap().unwrap_err().code, sqlstate::FEATURE_NOT_SUPPORTED);
        assert_eq!(OF_BYTES.len(), 27);
    }

    #[test]
    fn texts_are_converted_both_ways() {
        for encoding in OF_BYTES.iter() {
            for byte in 0x80..=0xff {
                let Ok(text) = encoding.decode(std::slice::from_ref(&byte)) else { continue };
                assert_eq!(*encoding.encode(&text).unwrap(), [byte], "{}", encoding.name);
            }
        }
        assert_eq!(named("latin1").decode(b"caf\xe9").unwrap(), "café");
        assert_eq!(*named("latin9").encode("10 €").unwrap(), *b"10 \xa4");
        assert_eq!(*named("latin1").encode_anyway("10 €"), *b"10 ?");
        let error = named("latin1").encode("10 €").unwrap_err();
        let text =
            "character with byte sequence 0xe2 0x82 0xac in encoding \"UTF8\" has no equivalent in encoding \"LATIN1\"";
        assert_eq!((error.code, error.message.as_str()), (sqlstate::UNTRANSLATABLE_CHARACTER, text));
        assert_eq!(named("win1252").decode(b"\x81").unwrap_err().code, sqlstate::UNTRANSLATABLE_CHARACTER);
        assert_eq!(utf8(b"a\xe2\x28").unwrap_err().message, "invalid byte sequence for encoding \"UTF8\": 0xe2 0x28");
    }
}
