//! Check sums and digests.

use md5::Md5;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};

use crate::error::Result;
use crate::function::Function;
use crate::functions;
use crate::sql::*;

pub const FUNCTIONS: &[Function] = functions! {
    md5(text) -> text = |a: &str| Result::Ok(md5(a.as_bytes()));
    md5(bytea) -> text = |a| Result::Ok(md5(a));
    sha224(bytea) -> bytea = |a: &[u8]| Result::Ok(Sha224::digest(a));
    sha256(bytea) -> bytea = |a: &[u8]| Result::Ok(Sha256::digest(a));
    sha384(bytea) -> bytea = |a: &[u8]| Result::Ok(Sha384::digest(a));
    sha512(bytea) -> bytea = |a: &[u8]| Result::Ok(Sha512::digest(a));
    crc32(bytea) -> int8 = |a| Result::Ok(i64::from(crc(a, &CRC32)));
    crc32c(bytea) -> int8 = |a| Result::Ok(i64::from(crc(a, &CRC32C)));
};

fn md5(bytes: &[u8]) -> String {
    Md5::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The remainders of bytes, for a polynomial with its bits turned round.
const fn table(polynomial: u32) -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut rest = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            rest = if rest & 1 == 1 { rest >> 1 ^ polynomial } else { rest >> 1 };
            bit += 1;
        }
        table[byte] = rest;
        byte += 1;
    }
    table
}

static CRC32: [u32; 256] = table(0xedb8_8320);
static CRC32C: [u32; 256] = table(0x82f6_3b78);

fn crc(bytes: &[u8], table: &[u32; 256]) -> u32 {
    !bytes.iter().fold(!0, |sum: u32, byte| table[usize::from(sum as u8 ^ byte)] ^ sum >> 8)
}
