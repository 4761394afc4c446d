//! Keys whose bytes compare as their values do.
//!
//! Each column begins with a byte that puts NULL first or last. The value's bytes are [`types::compare::append_key`]'s: equal
//! values have the same, and those of one are no beginning of another's. A descending column has all its value's bytes
//! inverted. (The encoding is MyRocks' and CockroachDB's.) Of a long text the first bytes are followed by a code for the others
//! ([`compress`](super::compress)), as if these were the text: PostgreSQL too compresses values that would be too long.
//!
//! An index tuple is the key and, where INCLUDE names columns, their values as pages have them, each behind a byte that says how
//! it is there, and how many bytes they take. Where that is too long, digests stand for the long values: an entry still fits its
//! row alone, and a scan that wants the value looks at the row. Tuples with one key are in some order. An entry is a tuple and the row's
//! identity.

use std::convert::Infallible;

use sha2::{Digest, Sha256};
use smallvec::SmallVec;
use types::scalar::Scalar;
use types::{Repr, compare};

use crate::index::compress::compress;
use crate::page::{PageRow, Tid};
use crate::{AccessError, Result};

/// The longest key: three entries must fit a page, as in PostgreSQL.
pub const MAX_KEY: usize = 2600;
/// So many bytes of a text are there as they are where others are compressed.
const LONG: usize = 1000;
/// Bytes of a row's identity at an entry's end.
pub const TID: usize = 6;
/// Bytes that say how many included columns take.
const INCLUDED_LEN: usize = 2;
/// How an included column is there.
const NULL: u8 = 0;
const WHOLE: u8 = 1;
const DIGEST: u8 = 2;
/// Bytes of a digest, which is shorter than what it stands for.
const DIGEST_LEN: usize = 16;

#[derive(Clone, Debug, PartialEq)]
pub struct KeyColumn {
    /// Position in the table.
    pub column: usize,
    pub repr: Repr,
    pub descending: bool,
    pub nulls_first: bool,
    /// Long texts are compressed from a place on.
    pub compressed: bool,
}

/// A column that INCLUDE names.
#[derive(Clone, Debug, PartialEq)]
pub struct IncludedColumn {
    /// Position in the table.
    pub column: usize,
    /// Bytes of its values; `None`: that varies.
    pub width: Option<usize>,
}

/// What an index's tuples are made of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeyShape {
    pub columns: Vec<KeyColumn>,
    pub included: Vec<IncludedColumn>,
}

impl KeyShape {
    /// The tuple of a row, given by the values of the table's columns as pages have them. Gives whether a column of the key is NULL.
    pub fn encode<'a>(&self, out: &mut Vec<u8>, value: impl Fn(usize) -> Option<&'a [u8]>) -> Result<bool> {
        out.clear();
        self.append(out, value)
    }

    /// The same behind what is there.
    pub(super) fn append<'a>(&self, out: &mut Vec<u8>, value: impl Fn(usize) -> Option<&'a [u8]>) -> Result<bool> {
        let start = out.len();
        let Ok(null) = self.try_append(out, |column| Ok::<_, Infallible>(value(column)));
        let size = out.len() - start - if self.includes() { INCLUDED_LEN } else { 0 };
        if size > MAX_KEY {
            return Err(AccessError::KeyTooLong { size, max: MAX_KEY });
        }
        Ok(null)
    }

    /// The same however long it is, of values that have to be fetched.
    fn try_append<'a, E>(
        &self,
        out: &mut Vec<u8>,
        value: impl Fn(usize) -> std::result::Result<Option<&'a [u8]>, E>,
    ) -> std::result::Result<bool, E> {
        let start = out.len();
        let mut null = false;
        for column in &self.columns {
            let value = value(column.column)?;
            null |= value.is_none();
            column.encode(out, value);
        }
        if !self.includes() {
            return Ok(null);
        }
        let key = out.len();
        for longest in [usize::MAX, DIGEST_LEN] {
            out.truncate(key);
            for column in &self.included {
                column.encode(out, value(column.column)?, longest);
            }
            if out.len() - start <= MAX_KEY {
                break;
            }
        }
        out.extend_from_slice(&((out.len() - key) as u16).to_be_bytes());
        Ok(null)
    }

    /// Is there more than the key in its tuples?
    pub fn includes(&self) -> bool {
        !self.included.is_empty()
    }

    /// Is that column in its tuples?
    pub fn has(&self, column: usize) -> bool {
        self.positions().any(|own| own == column)
    }

    /// The columns of its tuples, by their positions in the table.
    fn positions(&self) -> impl Iterator<Item = usize> {
        self.columns.iter().map(|key| key.column).chain(self.included.iter().map(|own| own.column))
    }
}

impl KeyShape {
    /// Is it an entry of this row, as the row is there? `None`: a value is stored otherwise than it is. The reason if the row's
    /// bytes make no sense.
    #[inline]
    pub fn leads_to(
        &self,
        entry: &[u8],
        row: PageRow<'_>,
        scratch: &mut Vec<u8>,
    ) -> std::result::Result<Option<bool>, &'static str> {
        if self.positions().any(|column| row.is_extended(column)) {
            return Ok(None);
        }
        scratch.clear();
        self.try_append(scratch, |column| row.value(column))?;
        Ok(Some(tuple_of(entry) == &scratch[..]))
    }
}

/// An included column as a tuple has it.
enum Included<'a> {
    Null,
    Whole(&'a [u8]),
    /// Its digest alone.
    Digest,
}

impl IncludedColumn {
    /// `longest`: of a value that varies and is longer there is the digest alone.
    fn encode(&self, out: &mut Vec<u8>, value: Option<&[u8]>, longest: usize) {
        match (value, self.width) {
            (None, _) => out.push(NULL),
            (Some(value), None) if value.len() > longest => {
                out.push(DIGEST);
                out.extend_from_slice(&Sha256::digest(value)[..DIGEST_LEN]);
            }
            (Some(value), width) => {
                out.push(WHOLE);
                if width.is_none() {
                    // One whose length has no room here makes the tuple too long.
                    out.extend_from_slice(&(value.len() as u16).to_be_bytes());
                }
                out.extend_from_slice(value);
            }
        }
    }

    /// The first of `bytes`, of which it takes its own; `None`: they make no sense.
    fn decode<'a>(&self, bytes: &mut &'a [u8]) -> Option<Included<'a>> {
        match *bytes.split_off_first()? {
            NULL => Some(Included::Null),
            DIGEST => bytes.split_off(..DIGEST_LEN).map(|_| Included::Digest),
            _ => {
                let len = match self.width {
                    Some(width) => width,
                    None => usize::from(u16::from_be_bytes(bytes.split_off(..2)?.try_into().ok()?)),
                };
                bytes.split_off(..len).map(Included::Whole)
            }
        }
    }
}

impl KeyColumn {
    /// Appends one column's part of a key.
    pub fn encode(&self, out: &mut Vec<u8>, value: Option<&[u8]>) {
        let Some(value) = value else {
            out.push(if self.nulls_first { 0 } else { 2 });
            return;
        };
        out.push(1);
        let start = out.len();
        match self.repr {
            // All have the same scale.
            Repr::Decimal { .. } => {
                out.extend(value.iter().rev());
                out[start] ^= 0x80;
            }
            Repr::Text | Repr::Bpchar | Repr::Bytea if self.compressed && value.len() > LONG => {
                let value = if self.repr == Repr::Bpchar { compare::unpadded(value) } else { value };
                let (first, rest) = value.split_at(value.len().min(LONG));
                let mut shorter = first.to_vec();
                if !rest.is_empty() {
                    compress(rest, &mut shorter);
                }
                compare::append_key(Repr::Bytea, Scalar::Bytes(&shorter), out);
            }
            // [`compare::decode_key`] knows the other way.
            repr => compare::append_key(repr, Scalar::of_page(repr, value), out),
        }
        if self.descending {
            out[start..].iter_mut().for_each(|byte| *byte = !*byte);
        }
    }
}

/// A tuple's values as pages have them.
#[derive(Default)]
pub struct KeyValues {
    bytes: Vec<u8>,
    /// Where each column's value is; `None`: NULL.
    places: Vec<Option<std::ops::Range<usize>>>,
    /// The tuple has not all of them as they are.
    lacks: bool,
}

impl KeyValues {
    /// Has the tuple not all of them as they are? Then the row has to be looked at.
    pub fn lacks_some(&self) -> bool {
        self.lacks
    }

    /// The value of a column, by position among those that were read.
    #[inline]
    pub fn get(&self, at: usize) -> Option<&[u8]> {
        Some(&self.bytes[self.places[at].clone()?])
    }
}

impl KeyShape {
    /// Do keys say where the values of their first `columns` columns end?
    pub fn can_decode(&self, columns: usize) -> bool {
        !self.columns[..columns].iter().any(|column| matches!(column.repr, Repr::Array | Repr::Record | Repr::Jsonb))
    }

    /// Reads the first `columns` columns of a tuple's key, and behind them the first `included` of the included ones. Values of the
    /// key are whole where [`compare::key_is_whole`]. The reason if it makes no sense.
    pub fn decode(
        &self,
        tuple: &[u8],
        (columns, included): (usize, usize),
        out: &mut KeyValues,
    ) -> std::result::Result<(), &'static str> {
        out.bytes.clear();
        out.places.clear();
        out.lacks = false;
        let mut rest = tuple;
        for column in &self.columns[..columns] {
            let (&mark, behind) = rest.split_first().ok_or(TRUNCATED)?;
            if mark != 1 {
                out.places.push(None);
                rest = behind;
                continue;
            }
            let start = out.bytes.len();
            let len = compare::decode_key(column.repr, behind, column.descending, &mut out.bytes).ok_or(TRUNCATED)?;
            out.lacks |= column.compressed && out.bytes.len() - start >= LONG;
            out.places.push(Some(start..out.bytes.len()));
            rest = &behind[len..];
        }
        if included == 0 {
            return Ok(());
        }
        let mut rest = included_of(tuple).ok_or(TRUNCATED)?;
        for column in &self.included[..included] {
            let value = match column.decode(&mut rest).ok_or(TRUNCATED)? {
                Included::Null => None,
                Included::Whole(value) => Some(value),
                Included::Digest => {
                    out.lacks = true;
                    None
                }
            };
            out.places.push(value.map(|value| {
                out.bytes.extend_from_slice(value);
                out.bytes.len() - value.len()..out.bytes.len()
            }));
        }
        Ok(())
    }
}

const TRUNCATED: &str = "an index entry is truncated";

/// What a tuple that has included columns has of them.
fn included_of(tuple: &[u8]) -> Option<&[u8]> {
    let (values, len) = tuple.split_last_chunk::<INCLUDED_LEN>()?;
    values.get(values.len().checked_sub(usize::from(u16::from_be_bytes(*len)))?..)
}

/// The entries of a row. Those whose key has a NULL are marked.
#[derive(Default)]
pub struct RowEntries {
    bytes: Vec<u8>,
    /// Where each ends, and whether it is marked.
    ends: SmallVec<[(usize, bool); 2]>,
}

impl RowEntries {
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Adds the entry that `put` appends, which says whether its key has a NULL.
    #[inline]
    pub(super) fn push(&mut self, put: impl FnOnce(&mut Vec<u8>) -> Result<bool>) -> Result<()> {
        let null = put(&mut self.bytes)?;
        self.ends.push((self.bytes.len(), null));
        Ok(())
    }

    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], bool)> {
        let mut from = 0;
        self.ends.iter().map(move |&(to, null)| (&self.bytes[std::mem::replace(&mut from, to)..to], null))
    }

    /// The entry of a row that has one.
    pub fn only(&self) -> Option<(&[u8], bool)> {
        let [(_, null)] = self.ends[..] else { return None };
        Some((&self.bytes, null))
    }
}

/// Entries to be put into an index together.
#[derive(Default)]
pub struct Entries {
    bytes: Vec<u8>,
    /// Where each ends.
    ends: Vec<usize>,
}

impl Entries {
    /// Bytes after which no more should be collected.
    const ENOUGH: usize = 256 << 10;

    pub fn push(&mut self, entry: &[u8]) {
        self.bytes.extend_from_slice(entry);
        self.ends.push(self.bytes.len());
    }

    pub fn are_enough(&self) -> bool {
        self.bytes.len() >= Self::ENOUGH
    }

    /// In their order.
    pub fn sorted(&self) -> Vec<&[u8]> {
        let begins = [0].into_iter().chain(self.ends.iter().copied());
        let mut entries: Vec<&[u8]> = begins.zip(&self.ends).map(|(from, &to)| &self.bytes[from..to]).collect();
        entries.sort_unstable();
        entries
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }
}

/// A row's identity, to be put behind its tuple.
pub fn put_tid(out: &mut Vec<u8>, tid: Tid) {
    out.extend_from_slice(&tid.block.to_be_bytes());
    out.extend_from_slice(&tid.row.to_be_bytes());
}

/// An entry without the row's identity.
#[inline]
pub fn tuple_of(entry: &[u8]) -> &[u8] {
    &entry[..entry.len() - TID]
}

/// The key of a tuple that was made here; `includes`: of an index that includes columns.
#[inline]
pub fn key_of(tuple: &[u8], includes: bool) -> &[u8] {
    let included = match includes {
        true => INCLUDED_LEN + included_of(tuple).expect("it was made here").len(),
        false => 0,
    };
    &tuple[..tuple.len() - included]
}

/// The identity at an entry's end.
#[inline]
pub fn tid_of(entry: &[u8]) -> Tid {
    let at = entry.len() - TID;
    Tid {
        block: u32::from_be_bytes(entry[at..at + 4].try_into().expect("4 bytes")),
        row: u16::from_be_bytes(entry[at + 4..].try_into().expect("2 bytes")),
    }
}

/// The smallest bytes that are greater than everything that begins with `prefix`; `None` when there are none.
pub fn after_prefix(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|&byte| byte != 0xff)?;
    let mut end = prefix[..=last].to_vec();
    end[last] += 1;
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cmp::Ordering;

    fn key(repr: Repr, descending: bool, value: Option<&[u8]>) -> Vec<u8> {
        let mut out = vec![];
        KeyColumn { column: 0, repr, descending, nulls_first: false, compressed: false }.encode(&mut out, value);
        out
    }

    fn check(repr: Repr, a: &[u8], b: &[u8], expected: Ordering) {
        let order = |descending| key(repr, descending, Some(a)).cmp(&key(repr, descending, Some(b)));
        assert_eq!(order(false), expected, "{repr:?}");
        assert_eq!(order(true), expected.reverse(), "{repr:?}");
    }

    proptest! {
        #[test]
        fn keys_compare_as_their_values(
            a in any::<i64>(), b in any::<i64>(), x in any::<f64>(), y in any::<f64>(),
            s in proptest::collection::vec(0u8..3, 0..6), t in proptest::collection::vec(0u8..3, 0..6),
        ) {
            check(Repr::Int8, &a.to_le_bytes(), &b.to_le_bytes(), a.cmp(&b));
            check(Repr::Timestamp, &a.to_le_bytes(), &b.to_le_bytes(), a.cmp(&b));
            check(Repr::Int2, &(a as i16).to_le_bytes(), &(b as i16).to_le_bytes(), (a as i16).cmp(&(b as i16)));
            check(Repr::Oid, &(a as u32).to_le_bytes(), &(b as u32).to_le_bytes(), (a as u32).cmp(&(b as u32)));
            check(Repr::Xid8, &(a as u64).to_le_bytes(), &(b as u64).to_le_bytes(), (a as u64).cmp(&(b as u64)));
            check(Repr::Char, &[a as u8], &[b as u8], (a as u8).cmp(&(b as u8)));
            let (c, d) = (i128::from(a) << 40, i128::from(b) << 40);
            check(Repr::Decimal { precision: 38, scale: 0 }, &c.to_le_bytes(), &d.to_le_bytes(), c.cmp(&d));
            check(Repr::Text, &s, &t, s.cmp(&t));
            let order = |x: f64, y: f64| match (x.is_nan(), y.is_nan()) {
                (true, true) => Ordering::Equal,
                (true, false) => Ordering::Greater,
                (false, true) => Ordering::Less,
                _ => x.partial_cmp(&y).unwrap(),
            };
            check(Repr::Float8, &x.to_le_bytes(), &y.to_le_bytes(), order(x, y));
            let (v, w) = (x as f32, y as f32);
            check(Repr::Float4, &v.to_le_bytes(), &w.to_le_bytes(), order(v.into(), w.into()));
        }
    }

    proptest! {
        #[test]
        fn long_keys_compare_as_their_values(
            length in 900usize..1100, times in 0usize..4,
            s in proptest::collection::vec(0u8..3, 0..9), t in proptest::collection::vec(0u8..3, 0..9),
            cut in 0usize..1200, descending in any::<bool>(),
        ) {
            let same: Vec<u8> = (0..length).map(|at| (at % 7) as u8).collect();
            let long = |rest: &[u8], cut: usize| {
                let mut value = [&same[..], &same.repeat(times), rest].concat();
                value.truncate(value.len().max(cut + 1) - cut);
                value
            };
            let key = |repr: Repr, value: &[u8]| {
                let mut out = vec![];
                KeyColumn { column: 0, repr, descending, nulls_first: false, compressed: true }.encode(&mut out, Some(value));
                out.push(1);
                out
            };
            let (a, b) = (long(&s, 0), long(&t, cut));
            let order = key(Repr::Bytea, &a).cmp(&key(Repr::Bytea, &b));
            prop_assert_eq!(order, if descending { b.cmp(&a) } else { a.cmp(&b) });
            let blank = [&a[..], &b" ".repeat(cut)].concat();
            prop_assert_eq!(key(Repr::Bpchar, &blank), key(Repr::Bpchar, &a));
        }
    }

    #[test]
    fn equal_values_have_one_key() {
        let float = |x: f64| key(Repr::Float8, false, Some(&x.to_le_bytes()));
        assert_eq!(float(0.0), float(-0.0));
        assert_eq!(float(f64::NAN), float(-f64::NAN));
        assert!(float(f64::NAN) > float(f64::INFINITY));
        let interval = |days: i32, months: i32| {
            let bytes = [&[0; 8][..], &days.to_be_bytes(), &months.to_be_bytes()].concat();
            key(Repr::Interval, false, Some(&bytes))
        };
        assert_eq!(interval(30, 0), interval(0, 1));
        assert!(interval(-31, 1) < interval(0, 0) && interval(0, 0) < interval(1, 0));
        let numeric = |text: &str| {
            let value = types::numeric::text::parse(text).unwrap();
            types::numeric::bytes::with_bytes(&value, |bytes| key(Repr::Numeric, false, Some(bytes)))
        };
        assert_eq!(numeric("1.0"), numeric("1.000"));
        let sorted = ["-Infinity", "-1000", "-1.5", "-0.1", "0", "0.05", "0.1", "99", "100", "1e30", "Infinity", "NaN"];
        assert!(sorted.windows(2).all(|pair| numeric(pair[0]) < numeric(pair[1])));
        assert_eq!(key(Repr::Bpchar, false, Some(b"a  ")), key(Repr::Bpchar, false, Some(b"a")));
    }

    #[test]
    fn nulls_and_places() {
        assert!(key(Repr::Int4, true, None) > key(Repr::Int4, true, Some(&[0; 4])));
        assert_eq!(after_prefix(&[1, 0xff]), Some(vec![2]));
        assert_eq!(after_prefix(&[0xff]), None);
        let mut entry = vec![9, 9];
        put_tid(&mut entry, Tid { block: 70_000, row: 300 });
        assert_eq!(tid_of(&entry), Tid { block: 70_000, row: 300 });
    }

    proptest! {
        #[test]
        fn values_come_back(
            number in any::<i64>(), text in proptest::collection::vec(prop_oneof![Just(0u8), Just(255), any::<u8>()], 0..9),
            descending in any::<bool>(), uuid in any::<[u8; 16]>(), null in any::<bool>(),
        ) {
            let small = (number as i32).to_le_bytes();
            let wide = i128::from(number).to_le_bytes();
            let values: Vec<(Repr, Vec<u8>)> = vec![
                (Repr::Bool, vec![u8::from(number > 0)]),
                (Repr::Char, vec![number as u8]),
                (Repr::Int2, (number as i16).to_le_bytes().to_vec()),
                (Repr::Int4, small.to_vec()),
                (Repr::Date, small.to_vec()),
                (Repr::Float8, 1.5f64.to_le_bytes().to_vec()),
                (Repr::Int8, number.to_le_bytes().to_vec()),
                (Repr::TimestampTz, number.to_le_bytes().to_vec()),
                (Repr::Oid, small.to_vec()),
                (Repr::Xid8, number.to_le_bytes().to_vec()),
                (Repr::Decimal { precision: 30, scale: 2 }, wide.to_vec()),
                (Repr::Text, text.clone()),
                (Repr::Interval, uuid.to_vec()),
                (Repr::Bytea, text),
                (Repr::Uuid, uuid.to_vec()),
                (Repr::Tid, uuid[..6].to_vec()),
            ];
            let columns = values.iter().enumerate().map(|(column, (repr, _))| {
                KeyColumn { column, repr: *repr, descending, nulls_first: column % 2 == 0, compressed: true }
            });
            let mut shape = KeyShape { columns: columns.collect(), included: vec![] };
            let value = |at: usize| (!null || !at.is_multiple_of(3)).then_some(&values[at].1[..]);
            let mut entry = vec![];
            shape.encode(&mut entry, value).unwrap();
            let mut read = KeyValues::default();
            shape.decode(&entry, (values.len(), 0), &mut read).unwrap();
            let lossy = [Repr::Float8, Repr::Interval];
            for (at, (repr, _)) in values.iter().enumerate().filter(|(_, (repr, _))| !lossy.contains(repr)) {
                prop_assert_eq!(read.get(at), value(at), "{:?}", repr);
            }
            for end in 0..entry.len() {
                prop_assert!(shape.decode(&entry[..end], (values.len(), 0), &mut read).is_err());
            }
            // All of them once more, as they are.
            let key = entry.clone();
            let width = |value: &[u8], repr| (![Repr::Text, Repr::Bytea].contains(repr)).then_some(value.len());
            let included = values.iter().enumerate().map(|(column, (repr, value))| IncludedColumn { column, width: width(value, repr) });
            shape.included = included.collect();
            shape.encode(&mut entry, value).unwrap();
            prop_assert_eq!(key_of(&entry, true), &key[..]);
            shape.decode(&entry, (3, values.len()), &mut read).unwrap();
            for at in 0..values.len() {
                prop_assert_eq!(read.get(3 + at), value(at));
            }
            for end in 0..entry.len() {
                // Bytes at random: an answer or an error.
                let _ = shape.decode(&entry[..end], (0, values.len()), &mut read);
            }
        }

        #[test]
        fn long_included_values_leave_their_digests(
            lengths in proptest::collection::vec(0usize..70_000, 1..4), small in 0usize..40, which: usize,
        ) {
            let mut values: Vec<Vec<u8>> = lengths.iter().map(|&len| vec![7; len]).collect();
            values.push(vec![8; small]);
            let (column, repr) = (values.len() - 1, Repr::Bytea);
            let key = KeyColumn { column, repr, descending: false, nulls_first: false, compressed: false };
            let included = (0..values.len()).map(|column| IncludedColumn { column, width: None }).collect();
            let shape = KeyShape { columns: vec![key], included };
            let (mut tuple, mut other) = (vec![], vec![]);
            shape.encode(&mut tuple, |at| Some(&values[at])).unwrap();
            let mut read = KeyValues::default();
            shape.decode(&tuple, (1, values.len()), &mut read).unwrap();
            let fits = lengths.iter().sum::<usize>() + 2 * small + 3 * values.len() + 4 <= MAX_KEY - 100;
            prop_assert!(!fits || !read.lacks_some());
            for (at, value) in values.iter().enumerate().filter(|_| !read.lacks_some()) {
                prop_assert_eq!(read.get(1 + at), Some(&value[..]));
            }
            // It fits its row alone.
            let at = which % lengths.len();
            values[at].push(9);
            shape.encode(&mut other, |at| Some(&values[at])).unwrap();
            prop_assert_ne!(tuple, other);
        }
    }
}
