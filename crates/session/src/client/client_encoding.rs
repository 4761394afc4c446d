//! Values in the client's encoding. Texts are converted as a whole; in the binary form of an array each element that is a
//! text is.

use engine::{EngineError, Result};
use error::sqlstate;
use types::Repr;
use types::encoding::{Encoding, utf8};

/// A value that is sent: `value` is in UTF-8.
pub fn to_client(encoding: &Encoding, repr: Repr, text_format: bool, value: &mut Vec<u8>) -> Result<()> {
    if encoding.is_utf8() || value.is_ascii() {
        return Ok(());
    }
    let encode = |text: &[u8]| Ok(encoding.encode(utf8(text)?)?.into_owned());
    match repr {
        _ if text_format => *value = encode(value)?,
        Repr::Text | Repr::Bpchar => *value = encode(value)?,
        Repr::Array => *value = elements(value, encode)?,
        Repr::Record => return Err(rows()),
        // The version is before the text.
        Repr::Jsonb => *value = [&value[..1], &encode(&value[1..])?].concat(),
        _ => {}
    }
    Ok(())
}

/// A value in binary form that was received, in UTF-8.
pub fn from_client(encoding: &Encoding, repr: Repr, value: &[u8]) -> Result<Vec<u8>> {
    let decode = |text: &[u8]| Ok(encoding.decode(text)?.into_owned().into_bytes());
    match repr {
        Repr::Text | Repr::Bpchar => decode(value),
        Repr::Array => elements(value, decode),
        Repr::Record => Err(rows()),
        Repr::Jsonb if !value.is_empty() => Ok([&value[..1], &decode(&value[1..])?].concat()),
        _ => Ok(value.to_vec()),
    }
}

fn rows() -> EngineError {
    EngineError::unsupported("rows in binary in another encoding than UTF8")
}

/// The binary form of an array with other texts: dimensions, flags, the elements' type, a length and a lower bound for each
/// dimension, then each element behind its length, -1 for NULL.
fn elements(array: &[u8], convert: impl Fn(&[u8]) -> Result<Vec<u8>>) -> Result<Vec<u8>> {
    let short = || EngineError::new(sqlstate::PROTOCOL_VIOLATION, "insufficient data left in message");
    let number = |at: usize| {
        let bytes = array.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        bytes.map(i32::from_be_bytes).ok_or_else(short)
    };
    let element = Repr::of(number(8)? as u32, -1);
    if !matches!(element, Some(Repr::Text | Repr::Bpchar)) {
        return Ok(array.to_vec());
    }
    let dimensions = usize::try_from(number(0)?).map_err(|_| short())?;
    let mut at = dimensions.checked_mul(8).and_then(|bytes| bytes.checked_add(12)).ok_or_else(short)?;
    let mut out = array.get(..at).ok_or_else(short)?.to_vec();
    while at < array.len() {
        let length = number(at)?;
        at += 4;
        let Ok(length) = usize::try_from(length) else {
            out.extend_from_slice(&length.to_be_bytes());
            continue;
        };
        let text = at.checked_add(length).and_then(|end| array.get(at..end)).ok_or_else(short)?;
        let text = convert(text)?;
        out.extend_from_slice(&(text.len() as i32).to_be_bytes());
        out.extend_from_slice(&text);
        at += length;
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_within_arrays_are_converted() {
        let latin = Encoding::find("LATIN1").unwrap().unwrap();
        let array = |text: &[u8]| {
            let mut bytes = [1, 1, 25, 2, 1].map(i32::to_be_bytes).concat();
            bytes.extend_from_slice(&(text.len() as i32).to_be_bytes());
            bytes.extend_from_slice(text);
            bytes.extend_from_slice(&(-1i32).to_be_bytes());
            bytes
        };
        let mut value = array("é".as_bytes());
        to_client(latin, Repr::Array, false, &mut value).unwrap();
        assert_eq!(value, array(&[0xe9]));
        assert_eq!(from_client(latin, Repr::Array, &value).unwrap(), array("é".as_bytes()));
        for cut in 0..value.len() - 4 {
            let _ = from_client(latin, Repr::Array, &value[..cut]);
        }
    }
}
