//! Conditions of a sequential scan that are asked of rows where they lie on their page, before anything of them is copied
//! (PostgreSQL's scan keys). They are advice: a row that a key leaves out does not satisfy it, others may not either.

use crate::page::HeapPage;
use crate::page::row_set::RowSet;
use crate::shape::TableShape;
use crate::toast::stored::is_extended;

/// A condition on a column, by its position in the table.
#[derive(Clone, Debug, PartialEq)]
pub struct ScanKey {
    pub column: usize,
    pub accepts: Accepts,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Accepts {
    Null,
    NotNull,
    /// Integers of the column's width, little-endian, from the one to the other.
    Between(i128, i128),
    /// Values with the bytes of one of these. A value that is stored otherwise than it is passes.
    OneOf(Vec<Vec<u8>>),
}

impl ScanKey {
    /// Takes out of a page's rows those for which it does not hold. The reason if bytes make no sense.
    pub(crate) fn narrow(
        &self,
        page: &HeapPage<'_>,
        shape: &TableShape,
        rows: &mut RowSet,
    ) -> Result<(), &'static str> {
        let place = page.places.at(self.column);
        if !place.is_here() {
            return Ok(());
        }
        let nulls = match place.nulls() {
            Some(at) => RowSet::from_bits(0, &page.bytes[at..][..page.rows.div_ceil(8)]),
            None => RowSet::EMPTY,
        };
        match (&self.accepts, shape.columns[self.column].width) {
            (Accepts::Null, _) => rows.intersect(&nulls),
            (Accepts::NotNull, _) => rows.subtract(&nulls),
            (Accepts::Between(from, to), Some(width)) => {
                rows.subtract(&nulls);
                between(&page.bytes[place.values()..][..page.rows * width], width, (*from, *to), rows);
            }
            (Accepts::OneOf(values), _) => {
                rows.subtract(&nulls);
                let mut others = RowSet::EMPTY;
                for row in rows.iter() {
                    let value = page.value(shape, self.column, row)?.unwrap_or_default();
                    let is_elsewhere = shape.is_variable(self.column) && is_extended(value);
                    if !is_elsewhere && !values.iter().any(|one| one == value) {
                        others.insert(row);
                    }
                }
                rows.subtract(&others);
            }
            (Accepts::Between(..), None) => debug_assert!(false, "integers have a width"),
        }
        Ok(())
    }
}

fn between(values: &[u8], width: usize, range: (i128, i128), rows: &mut RowSet) {
    match width {
        1 => between_of(values, range, (i8::MIN, i8::MAX), i8::from_le_bytes, rows),
        2 => between_of(values, range, (i16::MIN, i16::MAX), i16::from_le_bytes, rows),
        4 => between_of(values, range, (i32::MIN, i32::MAX), i32::from_le_bytes, rows),
        8 => between_of(values, range, (i64::MIN, i64::MAX), i64::from_le_bytes, rows),
        16 => between_of(values, range, (i128::MIN, i128::MAX), i128::from_le_bytes, rows),
        _ => debug_assert!(false, "integers of {width} bytes"),
    }
}

fn between_of<const WIDTH: usize, T>(
    values: &[u8],
    (from, to): (i128, i128),
    (least, greatest): (T, T),
    value: impl Fn([u8; WIDTH]) -> T,
    rows: &mut RowSet,
) where
    T: Copy + PartialOrd + Into<i128> + TryFrom<i128>,
{
    let (from, to) = (from.max(least.into()), to.min(greatest.into()));
    let bounds = T::try_from(from).ok().zip(T::try_from(to).ok()).filter(|_| from <= to);
    let Some((from, to)) = bounds else {
        *rows = RowSet::EMPTY;
        return;
    };
    for (word, chunk) in values.chunks(64 * WIDTH).enumerate() {
        if rows.word(word) == 0 {
            continue;
        }
        let mut bits = 0;
        for (at, bytes) in chunk.chunks_exact(WIDTH).enumerate() {
            let value = value(bytes.try_into().expect("it is as wide"));
            bits |= u64::from(from <= value && value <= to) << at;
        }
        rows.intersect_word(word, bits);
    }
}
