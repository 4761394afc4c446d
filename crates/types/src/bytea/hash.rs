//! PostgreSQL's hash of bytes (Bob Jenkins's lookup3), which programs use to make keys of advisory locks from names.

use crate::error::Result;
use crate::function::Function;
use crate::functions;
use crate::sql::*;
use crate::text::compare::trimmed;
use crate::uuid::uuid;

/// The three words of the hash: `(b, c)` are the result.
fn hash(bytes: &[u8], seed: u64) -> (u32, u32) {
    let start = 0x9e37_79b9u32.wrapping_add(bytes.len() as u32).wrapping_add(3_923_095);
    let mut words = [start; 3];
    if seed != 0 {
        words[0] = words[0].wrapping_add((seed >> 32) as u32);
        words[1] = words[1].wrapping_add(seed as u32);
        mix(&mut words);
    }
    let (blocks, rest) = bytes.as_chunks::<12>();
    for block in blocks {
        add(&mut words, block);
        mix(&mut words);
    }
    // The lowest byte of the last word is the length's.
    let (front, last) = rest.split_at(rest.len().min(8));
    add(&mut words, front);
    for (at, byte) in last.iter().enumerate() {
        words[2] = words[2].wrapping_add(u32::from(*byte) << (8 * (at + 1)));
    }
    last_mix(&mut words);
    (words[1], words[2])
}

fn add(words: &mut [u32; 3], bytes: &[u8]) {
    for (at, byte) in bytes.iter().enumerate() {
        let word = &mut words[at / 4];
        *word = word.wrapping_add(u32::from(*byte) << (8 * (at % 4)));
    }
}

fn mix([a, b, c]: &mut [u32; 3]) {
    for [first, second, third] in [[4, 6, 8], [16, 19, 4]] {
        *a = a.wrapping_sub(*c) ^ c.rotate_left(first);
        *c = c.wrapping_add(*b);
        *b = b.wrapping_sub(*a) ^ a.rotate_left(second);
        *a = a.wrapping_add(*c);
        *c = c.wrapping_sub(*b) ^ b.rotate_left(third);
        *b = b.wrapping_add(*a);
    }
}

fn last_mix([a, b, c]: &mut [u32; 3]) {
    *c = (*c ^ *b).wrapping_sub(b.rotate_left(14));
    *a = (*a ^ *c).wrapping_sub(c.rotate_left(11));
    *b = (*b ^ *a).wrapping_sub(a.rotate_left(25));
    *c = (*c ^ *b).wrapping_sub(b.rotate_left(16));
    *a = (*a ^ *c).wrapping_sub(c.rotate_left(4));
    *b = (*b ^ *a).wrapping_sub(a.rotate_left(14));
    *c = (*c ^ *b).wrapping_sub(b.rotate_left(24));
}

/// The hash of 32 bits.
pub fn hash_any(bytes: &[u8]) -> i32 {
    hash(bytes, 0).1 as i32
}

/// The hash of 64 bits.
pub fn hash_any_extended(bytes: &[u8], seed: i64) -> i64 {
    let (high, low) = hash(bytes, seed as u64);
    (u64::from(high) << 32 | u64::from(low)) as i64
}

pub const FUNCTIONS: &[Function] = functions! {
    hashtext(text) -> int4 = |a: &str| Result::Ok(hash_any(a.as_bytes()));
    hashtextextended(text, int8) -> int8 = |a: &str, seed| Result::Ok(hash_any_extended(a.as_bytes(), seed));
    hashname(name) -> int4 = |a: &str| Result::Ok(hash_any(a.as_bytes()));
    hashnameextended(name, int8) -> int8 = |a: &str, seed| Result::Ok(hash_any_extended(a.as_bytes(), seed));
    hashbpchar(bpchar) -> int4 = |a| Result::Ok(hash_any(trimmed(a).as_bytes()));
    hashbpcharextended(bpchar, int8) -> int8 = |a, seed| Result::Ok(hash_any_extended(trimmed(a).as_bytes(), seed));
    hashbytea(bytea) -> int4 = |a| Result::Ok(hash_any(a));
    hashbyteaextended(bytea, int8) -> int8 = |a, seed| Result::Ok(hash_any_extended(a, seed));
    uuid_hash(uuid) -> int4 = |a: [u8; 16]| Result::Ok(hash_any(&a));
    uuid_hash_extended(uuid, int8) -> int8 = |a: [u8; 16], seed| Result::Ok(hash_any_extended(&a, seed));
};
