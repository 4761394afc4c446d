//! Texts as clients send them.

use crate::{EngineError, Result};

/// Bytes in an error message, at most (`report_invalid_encoding`).
const SHOWN: usize = 8;

/// Bytes that must be UTF-8, as they all are in the database.
pub fn utf8(bytes: &[u8]) -> Result<&str> {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.as_bytes().contains(&0) => Ok(text),
        Ok(_) => Err(invalid(&[0])),
        Err(error) => {
            let rest = &bytes[error.valid_up_to()..];
            Err(invalid(&rest[..length(rest[0]).min(rest.len())]))
        }
    }
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

/// The error about bytes that are no text.
pub fn invalid(bytes: &[u8]) -> EngineError {
    let shown: Vec<String> = bytes.iter().take(SHOWN).map(|b| format!("0x{b:02x}")).collect();
    EngineError::new("22021", format!("invalid byte sequence for encoding \"UTF8\": {}", shown.join(" ")))
}
