//! A page's entries: who made the newest version of which of its rows ([`crate::page`]).
//!
//! There is one for all rows with the same version, or several where that takes less. They are in the order of the rows that they
//! begin with, and no two have a row in common.

use smallvec::SmallVec;

use crate::edit::Edit;
use crate::page::row_set::RowSet;
use crate::page::{ENTRIES, ENTRIES_LEN, ENTRY, HeapPage, MAX_ROWS, Version, get_u16, get_u32, get_u64, put_u16};

/// Rows of a page with the same version.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// They are among the rows from this one on, which is a multiple of 8 if there are bits.
    pub row: usize,
    pub span: usize,
    pub version: Version,
    /// A bit a row from the first on; none: it is all of them.
    bits: &'a [u8],
}

/// Flag of an entry whose rows do not lie side by side: behind it are their bits.
const SCATTERED: usize = 1 << 3;

impl<'a> Entry<'a> {
    /// Behind the last of its rows.
    #[inline]
    pub fn end(&self) -> usize {
        self.row + self.span
    }

    #[inline]
    pub fn contains(&self, row: usize) -> bool {
        let Some(at) = row.checked_sub(self.row).filter(|at| *at < self.span) else { return false };
        self.bits.is_empty() || self.bits[at / 8] >> (at % 8) & 1 != 0
    }

    pub fn rows(&self) -> RowSet {
        match self.bits.is_empty() {
            true => RowSet::range(self.row..self.end()),
            false => RowSet::from_bits(self.row, self.bits),
        }
    }

    /// May it have rows among these?
    fn overlaps(&self, rows: &std::ops::Range<usize>) -> bool {
        self.row < rows.end && rows.start < self.end()
    }

    /// How many rows it covers.
    pub fn count(&self) -> usize {
        match self.bits.is_empty() {
            true => self.span,
            false => self.bits.iter().map(|byte| byte.count_ones() as usize).sum(),
        }
    }

    /// Bytes that it takes.
    #[inline]
    pub(crate) fn size(&self) -> usize {
        ENTRY + self.bits.len()
    }

    /// The entry there; `None`: there is none to the end, or it makes no sense.
    #[inline]
    pub(crate) fn read(bytes: &'a [u8], at: usize) -> Option<Entry<'a>> {
        let head = bytes.get(at..at + ENTRY)?;
        let packed = get_u16(head, 2);
        let (row, span, flags) = (get_u16(head, 0), packed & 0x7ff, packed >> 11);
        if row + span > MAX_ROWS {
            return None;
        }
        let version = Version::from_parts(flags as u16, get_u32(head, 4), get_u64(head, 8), get_u64(head, 16));
        let bits = match flags & SCATTERED {
            0 => &[],
            _ => bytes.get(at + ENTRY..)?.get(..span.div_ceil(8))?,
        };
        Some(Entry { row, span, version, bits })
    }
}

/// All of an entry but its bits.
fn head(row: usize, span: usize, version: &Version, flags: usize) -> [u8; ENTRY] {
    let mut out = [0; ENTRY];
    put_u16(&mut out, 0, row);
    put_u16(&mut out, 2, span | (usize::from(version.flags()) | flags) << 11);
    out[4..8].copy_from_slice(&version.command.to_le_bytes());
    out[8..16].copy_from_slice(&version.xid.to_le_bytes());
    out[16..24].copy_from_slice(&version.undo.0.to_le_bytes());
    out
}

/// The entry of a page whose first `rows` all have this version.
pub(crate) fn of_all(rows: usize, version: &Version) -> [u8; ENTRY] {
    head(0, rows, version, 0)
}

/// Bytes of one entry with bits for rows between these two.
fn size_with_bits(base: usize, end: usize) -> usize {
    ENTRY + (end - base).div_ceil(8)
}

/// Bytes of the entries for rows with one version.
fn size_of(rows: &RowSet) -> usize {
    (rows.count_runs() * ENTRY).min(size_with_bits(rows.base(), rows.end()))
}

/// Bytes that a page's entries become longer by at most when these rows, or the first of them, get another version.
pub(crate) fn growth(page: &HeapPage<'_>, rows: &RowSet) -> usize {
    let reach = rows.base()..rows.end();
    let split = |entry: Entry<'_>| {
        if !entry.bits.is_empty() || !entry.overlaps(&reach) {
            // It loses bits at most.
            return 0;
        }
        let mut lost = *rows;
        lost.intersect(&entry.rows());
        (lost.count_runs() * ENTRY).min(size_with_bits(entry.row & !7, entry.end()) - ENTRY)
    };
    size_of(rows) + page.entries().map(split).sum::<usize>()
}

/// Entries that a page is to have.
#[derive(Default)]
pub(crate) struct Entries {
    bytes: SmallVec<[u8; 256]>,
    /// The first row of each, and where it is.
    each: SmallVec<[(u16, std::ops::Range<u16>); 8]>,
}

impl Entries {
    /// Those of a page once these rows have this version; `None`: all snapshots see them.
    pub fn with_version(page: &HeapPage<'_>, rows: &RowSet, version: Option<&Version>) -> Entries {
        let mut entries = Entries::default();
        let reach = rows.base()..rows.end();
        // With what joins them of the rows that have this version already.
        let mut own = *rows;
        for entry in page.entries() {
            let is_same = Some(&entry.version) == version;
            if !is_same && !entry.overlaps(&reach) {
                entries.push(&entry);
                continue;
            }
            let mut left = entry.rows();
            left.subtract(rows);
            if is_same {
                let mut both = left;
                both.union(&own);
                if size_of(&both) <= size_of(&left) + size_of(&own) {
                    own = both;
                    continue;
                }
            }
            entries.put(&left, &entry.version);
        }
        if let Some(version) = version {
            entries.put(&own, version);
        }
        entries
    }

    /// If there is an entry for these rows, all of them side by side, and for no other, and none has their new version that it
    /// could join: where it is, and what is to be there. A page that is updated row by row need not have all its entries
    /// written for each.
    pub fn in_place(page: &HeapPage<'_>, rows: &RowSet, version: &Version) -> Option<(usize, [u8; ENTRY])> {
        let mut runs = rows.runs();
        let (run, None) = (runs.next()?, runs.next()) else { return None };
        let (mut at, mut place) = (page.entries_at(), None);
        for entry in page.entries() {
            if entry.version == *version {
                return None;
            }
            if entry.bits.is_empty() && (entry.row..entry.end()) == run {
                place = Some(at);
            }
            at += entry.size();
        }
        Some((place?, head(run.start, run.len(), version, 0)))
    }

    /// Those of a page for its rows in this range alone, which are to be numbered from 0.
    pub fn of_part(page: &HeapPage<'_>, part: std::ops::Range<usize>) -> Entries {
        let mut entries = Entries::default();
        for entry in page.entries() {
            let rows = entry.rows();
            let moved: RowSet = rows.iter().filter(|row| part.contains(row)).map(|row| row - part.start).collect();
            entries.put(&moved, &entry.version);
        }
        entries
    }

    /// Adds an entry as it is.
    pub fn push(&mut self, entry: &Entry<'_>) {
        let flags = if entry.bits.is_empty() { 0 } else { SCATTERED };
        self.add(entry.row, &head(entry.row, entry.span, &entry.version, flags), entry.bits.iter().copied());
    }

    /// Adds what there has to be for rows with this version.
    fn put(&mut self, rows: &RowSet, version: &Version) {
        let base = rows.base();
        if rows.count_runs() * ENTRY <= size_with_bits(base, rows.end()) {
            for run in rows.runs() {
                self.add(run.start, &head(run.start, run.len(), version, 0), std::iter::empty());
            }
        } else {
            self.add(base, &head(base, rows.end() - base, version, SCATTERED), rows.bits());
        }
    }

    fn add(&mut self, row: usize, head: &[u8; ENTRY], bits: impl Iterator<Item = u8>) {
        let at = self.bytes.len() as u16;
        self.bytes.extend_from_slice(head);
        self.bytes.extend(bits);
        self.each.push((row as u16, at..self.bytes.len() as u16));
    }

    /// Bytes that they take.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Writes them to a page, where those that it has begin at `at`. There must be room.
    pub fn write(mut self, edit: &mut Edit<'_>, at: usize) {
        if !self.each.is_sorted_by_key(|(row, _)| *row) {
            self.each.sort_by_key(|(row, _)| *row);
            let bytes = self.each.iter().flat_map(|(_, at)| &self.bytes[usize::from(at.start)..usize::from(at.end)]);
            self.bytes = bytes.copied().collect();
        }
        let before = get_u16(edit, ENTRIES_LEN);
        let (old, new) = (&edit[at..at + before], &self.bytes[..]);
        let most = old.len().min(new.len());
        let same = (0..most).take_while(|i| old[*i] == new[*i]).count();
        let same_end = (1..=most - same).take_while(|i| old[old.len() - i] == new[new.len() - i]).count();
        let changed = same..new.len() - same_end;
        edit.shift(at + before - same_end..at + before, at + changed.end);
        edit.put(at + changed.start, &new[changed]);
        if get_u16(edit, ENTRIES) != self.each.len() {
            edit.put_u16(ENTRIES, self.each.len());
        }
        if before != self.bytes.len() {
            edit.put_u16(ENTRIES_LEN, self.bytes.len());
        }
    }
}
