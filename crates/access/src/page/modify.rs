//! Changes within one heap page. They decide nothing about transactions and wait for none: the callers do.
//!
//! Every function either does all of what it says or, when there is no room, nothing ([`NoRoom`]); what to do then
//! (drop what no snapshot needs, move rows to a continuation) is the caller's choice as well.

use storage::{PAGE_SIZE, PageKind};
use txn::Xid;

use crate::edit::Edit;
use crate::page::entries::Entries;
use crate::page::row_set::RowSet;
use crate::page::*;
use crate::shape::{Layout, Lying, TableShape};

/// The page has no room for the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRoom;

pub type Fits<T> = std::result::Result<T, NoRoom>;

/// A page that the caller has checked before.
pub(crate) fn parse<'a>(edit: &'a Edit<'_>, shape: &'a TableShape) -> HeapPage<'a> {
    HeapPage::parse(edit, shape).ok().flatten().expect("the caller has checked the page")
}

/// The places of its columns, for as long as it is changed.
fn places<'s>(edit: &Edit<'_>, shape: &'s TableShape) -> Places<'s> {
    places_of(edit, shape).expect("the caller has checked the page").0
}

/// Makes an empty heap page.
pub fn init(edit: &mut Edit<'_>, shape: &TableShape, layout: &[Lying], capacity: usize) {
    edit.init(PageKind::Heap, FORMAT_VERSION);
    edit.put_u16(CAPACITY, capacity);
    edit.put_u16(COLUMNS, shape.first_columns);
    edit.put_u16(LOW, PAGE_SIZE);
    let differences = differences(shape, layout);
    edit.put_u16(FLAGS, differences_flag(&differences));
    edit.put(CONTENT + capacity.div_ceil(8), &differences);
}

/// An empty page that says of itself what another one does, which may be laid out otherwise.
fn init_as(edit: &mut Edit<'_>, shape: &TableShape, layout: &[Lying], capacity: usize, other: &HeapPage<'_>) {
    init(edit, shape, layout, capacity);
    if other.is_continuation() {
        edit.put_u16(FLAGS, get_u16(edit, FLAGS) | IS_CONTINUATION);
    }
    edit.put(HOME, &other.bytes[HOME..FIRST + 2]);
}

/// Bytes of variable length in a row.
pub fn variable_bytes(shape: &TableShape, values: &[Option<&[u8]>]) -> usize {
    let columns = shape.columns.iter().zip(values);
    columns.filter(|(c, _)| c.width.is_none()).map(|(_, v)| v.map_or(0, <[u8]>::len)).sum()
}

/// Puts a row into a free slot or behind the others, and says who made it. Gives its number.
pub fn insert(edit: &mut Edit<'_>, shape: &TableShape, values: &[Option<&[u8]>], version: Version) -> Fits<usize> {
    let page = parse(edit, shape);
    let (rows, free) = (page.rows, page.free);
    if values.iter().enumerate().any(|(column, value)| page.lacks_place_for(shape, column, *value)) {
        return Err(NoRoom);
    }
    let row = if free > 0 {
        page.free_slots().first().expect("a free slot is counted")
    } else if rows < page.capacity {
        rows
    } else {
        return Err(NoRoom);
    };
    let held = |(column, value): (usize, &Option<&[u8]>)| {
        let is_held = page.places.at(column).is_here() && shape.is_variable(column);
        value.filter(|_| is_held).map_or(0, <[u8]>::len)
    };
    if page.room() < values.iter().enumerate().map(held).sum::<usize>() + least_for_entries(page.capacity) {
        return Err(NoRoom);
    }
    if row == rows {
        edit.put_u16(ROWS, rows + 1);
    } else {
        set_free_bit(edit, row, false);
        edit.put_u16(FREE, free - 1);
    }
    let places = places(edit, shape);
    for (index, value) in values.iter().enumerate() {
        put_value(edit, shape, places.at(index), index, row, *value);
    }
    set_version(edit, shape, &RowSet::of(row), Some(&version)).expect("room for entries was checked");
    Ok(row)
}

fn set_free_bit(edit: &mut Edit<'_>, row: usize, free: bool) {
    let at = CONTENT + row / 8;
    let bit = 1 << (row % 8);
    let byte = if free { edit[at] | bit } else { edit[at] & !bit };
    edit.put(at, &[byte]);
}

/// Writes one value; room was checked, and that there is a place for it, if there is one at all. A variable one takes new room unless
/// the old one's suffices.
fn put_value(
    edit: &mut Edit<'_>,
    shape: &TableShape,
    place: ColumnPlace,
    column: usize,
    row: usize,
    value: Option<&[u8]>,
) {
    if !place.is_here() {
        return;
    }
    let had_value = match place.nulls() {
        None => true,
        Some(nulls) => {
            let (at, bit) = (nulls + row / 8, 1 << (row % 8));
            let had = edit[at] & bit == 0;
            let byte = if value.is_none() { edit[at] | bit } else { edit[at] & !bit };
            if byte != edit[at] {
                edit.put(at, &[byte]);
            }
            had
        }
    };
    match (value, shape.columns[column].width) {
        (Some(value), Some(width)) => {
            debug_assert_eq!(value.len(), width);
            edit.put(place.values() + row * width, value);
        }
        (Some(value), None) => {
            let at = place.values() + row * 4;
            let (offset, len) = (get_u16(edit, at), get_u16(edit, at + 2));
            let low = get_u16(edit, LOW);
            let offset = if had_value && value.len() <= len && offset >= low {
                offset
            } else {
                edit.put_u16(LOW, low - value.len());
                low - value.len()
            };
            edit.put(offset, value);
            let mut place = [0; 4];
            put_u16(&mut place, 0, offset);
            put_u16(&mut place, 2, value.len());
            edit.put(at, &place);
        }
        // What is NULL keeps no bytes.
        (None, None) => edit.put(place.values() + row * 4, &[0; 4]),
        (None, Some(_)) => {}
    }
}

/// Replaces some of a row's values in place, if that leaves so many bytes for entries. Also without room: the page has no place for one
/// of them ([`widen`]).
pub fn update(
    edit: &mut Edit<'_>,
    shape: &TableShape,
    row: usize,
    changes: &[(usize, Option<&[u8]>)],
    entries: usize,
) -> Fits<()> {
    let page = parse(edit, shape);
    let mut needed = entries;
    for &(column, value) in changes {
        if page.lacks_place_for(shape, column, value) {
            return Err(NoRoom);
        }
        if shape.is_variable(column)
            && page.places.at(column).is_here()
            && let Some(value) = value
        {
            let old = page.held_bytes(shape, column, row);
            needed += if value.len() <= old { 0 } else { value.len() };
        }
    }
    if page.room() < needed {
        return Err(NoRoom);
    }
    let places = places(edit, shape);
    for &(column, value) in changes {
        put_value(edit, shape, places.at(column), column, row, value);
    }
    Ok(())
}

/// Forgets the bytes of a row's values, which are about to be replaced. Only [`compact`] gives their room back.
pub fn drop_values(edit: &mut Edit<'_>, shape: &TableShape, row: usize, columns: impl Iterator<Item = usize>) {
    let places = places(edit, shape);
    for column in columns.filter(|&c| shape.columns[c].width.is_none()) {
        put_value(edit, shape, places.at(column), column, row, None);
    }
}

/// Says who made the newest version of some rows; `None`: all snapshots see them. For rows that have one version
/// now it takes no more room than [`crate::page::entries::growth`] says, for a single row that of two entries.
pub fn set_version(edit: &mut Edit<'_>, shape: &TableShape, rows: &RowSet, version: Option<&Version>) -> Fits<()> {
    let page = parse(edit, shape);
    if let Some((place, entry)) = version.and_then(|version| Entries::in_place(&page, rows, version)) {
        edit.put(place, &entry);
        return Ok(());
    }
    let (at, most) = (page.entries_at(), page.entries_len + page.room());
    let entries = Entries::with_version(&page, rows, version);
    if entries.len() > most {
        return Err(NoRoom);
    }
    entries.write(edit, at);
    Ok(())
}

/// Frees slots: the rows are gone for all snapshots. May take room for an entry.
pub fn free(edit: &mut Edit<'_>, shape: &TableShape, rows: &RowSet) -> Fits<()> {
    set_version(edit, shape, rows, None)?;
    free_slots(edit, rows);
    Ok(())
}

fn free_slots(edit: &mut Edit<'_>, rows: &RowSet) {
    let mut count = get_u16(edit, FREE);
    for row in rows.iter() {
        if edit[CONTENT + row / 8] & (1 << (row % 8)) == 0 {
            set_free_bit(edit, row, true);
            count += 1;
        }
    }
    edit.put_u16(FREE, count);
}

/// Would [`prune`] change anything?
pub fn can_prune(page: &HeapPage<'_>, horizon: Xid) -> bool {
    page.entries().any(|e| e.version.xid < horizon)
}

/// Drops what no snapshot can tell from the present: entries of versions that all see, and deleted rows.
pub fn prune(edit: &mut Edit<'_>, shape: &TableShape, horizon: Xid) -> bool {
    let page = parse(edit, shape);
    if !can_prune(&page, horizon) {
        return false;
    }
    let at = page.entries_at();
    let (mut kept, mut gone) = (Entries::default(), RowSet::EMPTY);
    for entry in page.entries() {
        if entry.version.xid >= horizon {
            kept.push(&entry);
        } else if entry.version.deleted {
            gone.union(&entry.rows());
        }
    }
    kept.write(edit, at);
    if !gone.is_empty() {
        free_slots(edit, &gone);
    }
    true
}

/// Lays the page out anew for `capacity` rows, without the bytes of values that are no longer there.
pub fn compact(edit: &mut Edit<'_>, shape: &TableShape, capacity: usize) -> Fits<()> {
    let layout = parse(edit, shape).layout();
    lay_out(edit, shape, &layout, capacity)
}

/// The same in another layout, which has places for all values of columns that are not dropped.
pub fn lay_out(edit: &mut Edit<'_>, shape: &TableShape, layout: &[Lying], capacity: usize) -> Fits<()> {
    let mut bytes = [0u8; PAGE_SIZE];
    {
        let page = parse(edit, shape);
        debug_assert!(capacity >= page.rows);
        let tail = page.continuations * CONTINUATION + page.entries_len;
        let at = arrays_end(shape, layout, capacity);
        if at + tail + page.variable_bytes_of(shape, layout) > PAGE_SIZE {
            return Err(NoRoom);
        }
        let mut copy = Edit::detached(&mut bytes);
        init_as(&mut copy, shape, layout, capacity, &page);
        copy_rows(&mut copy, shape, layout, &page, 0..page.rows, 0);
        let from = page.continuations_at();
        copy.put(at, &page.bytes[from..from + tail]);
        copy.put_u16(CONTINUATIONS, page.continuations);
        copy.put_u16(ENTRIES, page.entries);
        copy.put_u16(ENTRIES_LEN, page.entries_len);
    }
    edit.replace(&bytes);
    Ok(())
}

/// Has the page no place for one of these values of a row?
pub fn lacks_place(edit: &Edit<'_>, shape: &TableShape, values: &[(usize, Option<&[u8]>)]) -> bool {
    let page = parse(edit, shape);
    values.iter().any(|(column, value)| page.lacks_place_for(shape, *column, *value))
}

/// Gives the page places for all values that the table's columns may have now. There is room for `capacity` rows then.
pub fn widen(edit: &mut Edit<'_>, shape: &TableShape, capacity: usize) -> Fits<()> {
    let layout = parse(edit, shape).widened(shape);
    lay_out(edit, shape, &layout, capacity)
}

/// Copies rows, without their versions, to a page without entries that has `at` rows already; sets the number of rows and of free
/// slots. That page is laid out like this.
fn copy_rows(
    to: &mut Edit<'_>,
    shape: &TableShape,
    layout: &[Lying],
    page: &HeapPage<'_>,
    rows: std::ops::Range<usize>,
    at: usize,
) {
    let (places, _) = crate::page::places(shape, layout, get_u16(to, CAPACITY));
    let mut free = get_u16(to, FREE);
    for (new, old) in (at..).zip(rows.clone()) {
        if page.is_free(old) {
            set_free_bit(to, new, true);
            free += 1;
            continue;
        }
        for (column, place) in places.iter().enumerate().filter(|(_, place)| place.is_here()) {
            let value = page.value(shape, column, old).expect("the caller has checked the page");
            if shape.is_variable(column) && !page.is_null(column, old) && page.is_missing(shape, column, old) {
                // All rows have one: the page need not.
                to.put(place.values() + new * 4, &MISSING_SLOT);
                continue;
            }
            put_value(to, shape, *place, column, new, value);
        }
    }
    to.put_u16(ROWS, at + rows.len());
    to.put_u16(FREE, free);
}

/// Where to cut a page in two halves of about the same size; `None` when it has one row.
pub fn middle(page: &HeapPage<'_>, shape: &TableShape) -> Option<usize> {
    if page.rows < 2 {
        return None;
    }
    let fixed = shape.fixed_row_bytes(&page.layout());
    let variable: Vec<usize> = shape.variable().collect();
    let sizes = (0..page.rows).map(|row| {
        let values = variable.iter().map(|&column| page.held_bytes(shape, column, row));
        fixed + values.sum::<usize>() + page.entry_of(row).map_or(0, |e| ENTRY.div_ceil(e.count()))
    });
    let sizes: Vec<usize> = sizes.collect();
    let half = sizes.iter().sum::<usize>() / 2;
    let mut sum = 0;
    let cut = sizes.iter().position(|size| {
        sum += size;
        sum > half
    });
    Some(cut.unwrap_or(page.rows / 2).clamp(1, page.rows - 1))
}

/// Moves the rows from `cut` on to an empty page, a continuation of `home` in which they are numbered from `first` on.
pub fn split(edit: &mut Edit<'_>, to: &mut Edit<'_>, shape: &TableShape, cut: usize, home: u32, first: usize) {
    let mut bytes = [0u8; PAGE_SIZE];
    {
        let page = parse(edit, shape);
        let layout = &page.layout()[..];
        let mut capacity = page.rows - cut;
        // Some room for entries is worth more than slots that nothing is inserted into.
        init(to, shape, layout, capacity);
        to.put_u16(FLAGS, get_u16(to, FLAGS) | IS_CONTINUATION);
        to.put_u32(HOME, home);
        to.put_u16(FIRST, first);
        copy_rows(to, shape, layout, &page, cut..page.rows, 0);
        Entries::of_part(&page, cut..page.rows).write(to, arrays_end(shape, layout, capacity));

        capacity = cut;
        let mut copy = Edit::detached(&mut bytes);
        init_as(&mut copy, shape, layout, capacity, &page);
        copy_rows(&mut copy, shape, layout, &page, 0..cut, 0);
        let at = arrays_end(shape, layout, capacity);
        let from = page.continuations_at();
        copy.put(at, &page.bytes[from..from + page.continuations * CONTINUATION]);
        copy.put_u16(CONTINUATIONS, page.continuations);
        Entries::of_part(&page, 0..cut).write(&mut copy, at + page.continuations * CONTINUATION);
    }
    edit.replace(&bytes);
}

/// Moves the rows of a page's first continuation, both without entries, back to it, and leaves an empty page there. The page gets
/// places for all that either has.
pub fn unsplit(edit: &mut Edit<'_>, from: &mut Edit<'_>, shape: &TableShape) -> Fits<()> {
    let mut bytes = [0u8; PAGE_SIZE];
    let emptied = {
        let (home, moved) = (parse(edit, shape), parse(from, shape));
        debug_assert!(home.entries == 0 && moved.entries == 0 && moved.continuations == 0);
        debug_assert_eq!((home.continuation(0).0, home.rows), (moved.first(), moved.first()));
        let (rows, others) = (home.rows + moved.rows, (home.continuations - 1) * CONTINUATION);
        let variable = home.variable_bytes(shape) + moved.variable_bytes(shape);
        let either = |(home, moved)| if home == Lying::Nowhere || moved == Lying::Nullable { moved } else { home };
        let layout: Layout = home.layout().into_iter().zip(moved.layout()).map(either).collect();
        let taken = |capacity| arrays_end(shape, &layout, capacity) + others + spare_for_entries(capacity) + variable;
        if taken(rows) > PAGE_SIZE {
            return Err(NoRoom);
        }
        let live = (rows - home.free - moved.free).max(1);
        let roomy = capacity_for(shape, &layout, variable.div_ceil(live), 0);
        let capacity = if roomy > rows && taken(roomy) <= PAGE_SIZE { roomy } else { rows };
        let mut copy = Edit::detached(&mut bytes);
        init_as(&mut copy, shape, &layout, capacity, &home);
        copy_rows(&mut copy, shape, &layout, &home, 0..home.rows, 0);
        copy_rows(&mut copy, shape, &layout, &moved, 0..moved.rows, home.rows);
        let at = arrays_end(shape, &layout, capacity);
        let left = home.continuations_at() + CONTINUATION;
        copy.put(at, &home.bytes[left..left + others]);
        copy.put_u16(CONTINUATIONS, home.continuations - 1);
        capacity_for(shape, shape.current(), variable.div_ceil(live), 0)
    };
    edit.replace(&bytes);
    init(from, shape, shape.current(), emptied);
    Ok(())
}

/// Notes in a page that its rows from `first` on are in `block`.
pub fn add_continuation(edit: &mut Edit<'_>, shape: &TableShape, first: usize, block: u32) -> Fits<()> {
    let page = parse(edit, shape);
    if page.room() < CONTINUATION {
        return Err(NoRoom);
    }
    let count = page.continuations;
    let index = (0..count).find(|&i| page.continuation(i).0 > first).unwrap_or(count);
    let at = page.continuations_at() + index * CONTINUATION;
    let end = page.entries_at() + page.entries_len;
    edit.shift(at..end, at + CONTINUATION);
    let mut bytes = [0; CONTINUATION];
    put_u16(&mut bytes, 0, first);
    bytes[4..8].copy_from_slice(&block.to_le_bytes());
    edit.put(at, &bytes);
    edit.put_u16(CONTINUATIONS, count + 1);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::entries;
    use crate::shape::{ColumnShape, Since, Storage};
    use arrow_schema::{DataType, Field, Schema};
    use proptest::prelude::*;
    use txn::UndoPtr;

    fn shape() -> TableShape {
        TableShape::new(&Schema::new(vec![
            Field::new("a", DataType::Int32, false),
            Field::new("b", DataType::Utf8, true),
        ]))
        .unwrap()
    }

    type Row = (i32, Option<Vec<u8>>);

    fn version(xid: Xid, deleted: bool) -> Version {
        Version { xid, command: 1, deleted, undo: UndoPtr(xid), ..Version::FROZEN }
    }

    fn check(bytes: &[u8], model: &[Option<(Row, Version)>]) {
        let shape = shape();
        let page = HeapPage::parse(bytes, &shape).unwrap().unwrap();
        assert_eq!(page.rows, model.len());
        assert_eq!(page.free, model.iter().filter(|r| r.is_none()).count());
        for (index, expected) in model.iter().enumerate() {
            assert_eq!(page.is_free(index), expected.is_none(), "slot {index}");
            let Some(((a, b), version)) = expected else { continue };
            assert_eq!(page.value(&shape, 0, index).unwrap(), Some(&a.to_le_bytes()[..]));
            assert_eq!(page.value(&shape, 1, index).unwrap(), b.as_deref());
            assert_eq!(page.version(index), *version, "row {index}");
        }
        assert_eq!(page.entries().count(), page.entries);
        assert!(page.entries().is_sorted_by_key(|entry| entry.row), "in the order of their first rows");
        let mut covered = RowSet::EMPTY;
        for entry in page.entries() {
            let rows = entry.rows();
            assert!(entry.count() > 0 && rows.iter().all(|row| entry.contains(row) && !covered.contains(row)));
            assert_eq!(entry.count(), rows.len());
            covered.union(&rows);
        }
    }

    #[derive(Clone, Debug)]
    enum Step {
        Insert(i32, Option<Vec<u8>>, Xid),
        Update(usize, i32, Option<Vec<u8>>, Xid),
        /// A row, how many, and how far apart.
        Delete(usize, usize, usize, Xid),
        Free(usize),
        Prune(Xid),
        Compact(usize),
        Split,
    }

    fn step() -> impl Strategy<Value = Step> {
        let text = proptest::option::of(proptest::collection::vec(any::<u8>(), 0..60));
        prop_oneof![
            6 => (any::<i32>(), text.clone(), 1u64..50).prop_map(|(a, b, x)| Step::Insert(a, b, x)),
            4 => (0usize..700, any::<i32>(), text, 1u64..50).prop_map(|(r, a, b, x)| Step::Update(r, a, b, x)),
            2 => (0usize..700, 1usize..9, 1usize..300, 1u64..50).prop_map(|(r, n, d, x)| Step::Delete(r, n, d, x)),
            2 => (0usize..700).prop_map(Step::Free),
            1 => (1u64..60).prop_map(Step::Prune),
            1 => (0usize..20).prop_map(Step::Compact),
            1 => Just(Step::Split),
        ]
    }

    proptest! {
        #[test]
        fn a_page_holds_what_was_put_there(
            rows in prop_oneof![0usize..100, 400usize..600],
            steps in proptest::collection::vec(step(), 1..200),
        ) {
            let shape = shape();
            let mut bytes = vec![0u8; PAGE_SIZE];
            let mut edit = Edit::detached(&mut bytes);
            init(&mut edit, &shape, shape.current(), 100 + rows);
            let mut model: Vec<Option<(Row, Version)>> = vec![];
            for number in 0..rows as i32 {
                insert(&mut edit, &shape, &[Some(&number.to_le_bytes()), None], Version::FROZEN).unwrap();
                model.push(Some(((number, None), Version::FROZEN)));
            }
            set_version(&mut edit, &shape, &RowSet::range(0..rows), None).unwrap();
            for step in steps {
                match step {
                    Step::Insert(a, b, xid) => {
                        let version = Version { inserted: true, ..version(xid, false) };
                        let a_bytes = a.to_le_bytes();
                        let before = HeapPage::parse(&edit, &shape).unwrap().unwrap().entries_len;
                        if let Ok(row) = insert(&mut edit, &shape, &[Some(&a_bytes), b.as_deref()], version) {
                            if row == model.len() {
                                model.push(None);
                            }
                            prop_assert!(model[row].is_none());
                            model[row] = Some(((a, b), version));
                            let page = HeapPage::parse(&edit, &shape).unwrap().unwrap();
                            prop_assert!(page.entries_len <= before + 2 * ENTRY, "more than was asked for");
                        }
                    }
                    Step::Update(row, a, b, xid) => {
                        if let Some(Some(slot)) = model.get_mut(row)
                            && update(&mut edit, &shape, row, &[(0, Some(&a.to_le_bytes())), (1, b.as_deref())], 0).is_ok()
                        {
                            slot.0 = (a, b);
                            let version = version(xid, false);
                            if set_version(&mut edit, &shape, &RowSet::of(row), Some(&version)).is_ok() {
                                slot.1 = version;
                            }
                        }
                    }
                    Step::Delete(row, count, apart, xid) => {
                        let there = |row: &usize| model.get(*row).is_some_and(Option::is_some);
                        let rows: RowSet = (row..).step_by(apart).take(count).filter(there).collect();
                        if !rows.is_empty() {
                            let version = version(xid, true);
                            let page = HeapPage::parse(&edit, &shape).unwrap().unwrap();
                            let (before, room) = (page.entries_len, page.room());
                            let growth = entries::growth(&page, &rows);
                            let done = set_version(&mut edit, &shape, &rows, Some(&version)).is_ok();
                            let page = HeapPage::parse(&edit, &shape).unwrap().unwrap();
                            prop_assert!(done || growth > room, "there was room");
                            prop_assert!(page.entries_len <= before + growth, "more than was asked for");
                            if done {
                                rows.iter().for_each(|row| model[row].as_mut().unwrap().1 = version);
                            }
                        }
                    }
                    Step::Free(row) => {
                        let there = model.get(row).is_some_and(Option::is_some);
                        if there && free(&mut edit, &shape, &RowSet::of(row)).is_ok() {
                            model[row] = None;
                        }
                    }
                    Step::Prune(horizon) => {
                        prune(&mut edit, &shape, horizon);
                        for slot in &mut model {
                            if let Some((_, v)) = slot
                                && v.xid < horizon
                            {
                                if v.deleted { *slot = None } else { *v = Version::FROZEN }
                            }
                        }
                    }
                    Step::Compact(more) => {
                        let _ = compact(&mut edit, &shape, model.len().max(1) + more);
                    }
                    Step::Split => {
                        let page = HeapPage::parse(&edit, &shape).unwrap().unwrap();
                        if let Some(cut) = middle(&page, &shape) {
                            let mut other = vec![0u8; PAGE_SIZE];
                            let mut to = Edit::detached(&mut other);
                            split(&mut edit, &mut to, &shape, cut, 7, cut);
                            check(&other, &model[cut..]);
                            let page = HeapPage::parse(&other, &shape).unwrap().unwrap();
                            prop_assert!(page.is_continuation() && page.home() == 7 && page.first() == cut);
                            model.truncate(cut);
                        }
                    }
                }
                check(&edit, &model);
            }
        }
    }

    /// Column `a` may not be NULL, `b` may, and both are first ones.
    fn with(change: impl FnOnce(&mut Vec<ColumnShape>)) -> TableShape {
        let mut columns = shape().columns;
        change(&mut columns);
        TableShape::of(columns)
    }

    fn added(data_type: DataType, width: Option<usize>, number: u32, missing: Option<&[u8]>) -> ColumnShape {
        let column = ColumnShape::first(data_type, true, width, Storage::Plain);
        ColumnShape { since: Since::Added(number), missing: missing.map(<[u8]>::to_vec), ..column }
    }

    /// A page of the first layout with so many rows `(number, "row")`.
    fn first_page(bytes: &mut [u8], rows: i32) {
        let mut edit = Edit::detached(bytes);
        init(&mut edit, &shape(), shape().current(), 400);
        for number in 0..rows {
            insert(&mut edit, &shape(), &[Some(&number.to_le_bytes()), Some(b"row")], Version::FROZEN).unwrap();
        }
        set_version(&mut edit, &shape(), &RowSet::range(0..rows as usize), None).unwrap();
    }

    fn values(bytes: &[u8], shape: &TableShape, row: usize) -> Vec<Option<Vec<u8>>> {
        let page = HeapPage::parse(bytes, shape).unwrap().unwrap();
        page.row(shape, row).unwrap().iter().map(|value| value.map(<[u8]>::to_vec)).collect()
    }

    fn some(bytes: &[u8]) -> Option<Vec<u8>> {
        Some(bytes.to_vec())
    }

    #[test]
    fn rows_from_before_have_missing_values_and_get_places_when_they_are_changed() {
        let shape = with(|columns| {
            columns.push(added(DataType::Int32, Some(4), 20_000, Some(&7i32.to_le_bytes())));
            columns.push(added(DataType::Utf8, None, 20_001, Some(b"missing")));
            columns.push(added(DataType::Int64, Some(8), 20_002, None));
        });
        let mut bytes = vec![0u8; PAGE_SIZE];
        first_page(&mut bytes, 100);
        let seven = some(&7i32.to_le_bytes());
        let old = |row: i32| vec![some(&row.to_le_bytes()), some(b"row"), seven.clone(), some(b"missing"), None];
        (0..100).for_each(|row| assert_eq!(values(&bytes, &shape, row as usize), old(row)));
        let mut edit = Edit::detached(&mut bytes);
        // What the row has anyway needs no place.
        update(&mut edit, &shape, 5, &[(2, Some(&7i32.to_le_bytes())), (4, None)], 0).unwrap();
        assert!(HeapPage::parse(&edit, &shape).unwrap().unwrap().layout()[2] == Lying::Nowhere);
        let new = [(2, Some(&8i32.to_le_bytes()[..])), (3, Some(&b"changed"[..])), (4, None)];
        assert!(lacks_place(&edit, &shape, &new));
        assert_eq!(update(&mut edit, &shape, 5, &new, 0), Err(NoRoom));
        widen(&mut edit, &shape, 150).unwrap();
        update(&mut edit, &shape, 5, &new, 0).unwrap();
        let row: &[Option<&[u8]>] = &[Some(&[1; 4]), None, None, None, Some(&[2; 8])];
        assert_eq!(insert(&mut edit, &shape, row, version(9, false)), Ok(100));
        // The missing value is not repeated.
        let used = HeapPage::parse(&edit, &shape).unwrap().unwrap().variable_bytes(&shape);
        assert_eq!(used, 100 * 3 + b"changed".len());
        compact(&mut edit, &shape, 110).unwrap();
        let changed = vec![some(&5i32.to_le_bytes()), some(b"row"), some(&8i32.to_le_bytes()), some(b"changed"), None];
        assert_eq!(values(&bytes, &shape, 5), changed);
        assert_eq!(values(&bytes, &shape, 99), old(99));
        assert_eq!(values(&bytes, &shape, 100), [some(&[1; 4]), None, None, None, some(&[2; 8])]);
        // As if the columns had been taken back, and others added under their positions.
        let first = |row: i32| vec![some(&row.to_le_bytes()), some(b"row")];
        assert_eq!(values(&bytes, &super::tests::shape(), 5), first(5));
        let other = with(|columns| columns.push(added(DataType::Int32, Some(4), 20_009, None)));
        assert_eq!(values(&bytes, &other, 5), [first(5), vec![None]].concat());
        let mut edit = Edit::detached(&mut bytes);
        widen(&mut edit, &other, 101).unwrap();
        update(&mut edit, &other, 5, &[(2, Some(&[3; 4]))], 0).unwrap();
        assert_eq!(values(&bytes, &other, 5), [first(5), vec![some(&[3; 4])]].concat());
        assert_eq!(values(&bytes, &other, 6), [first(6), vec![None]].concat());
    }

    #[test]
    fn a_dropped_column_is_on_old_pages_until_it_cannot_come_back() {
        let shape = with(|columns| {
            columns[1].dropped = Some(50);
            columns.push(added(DataType::Int32, Some(4), 20_000, None));
        });
        let mut bytes = vec![0u8; PAGE_SIZE];
        first_page(&mut bytes, 100);
        let mut edit = Edit::detached(&mut bytes);
        widen(&mut edit, &shape, 150).unwrap();
        insert(&mut edit, &shape, &[Some(&[1; 4]), None, Some(&[2; 4])], version(60, false)).unwrap();
        // The drop is taken back.
        let back = with(|columns| columns.push(added(DataType::Int32, Some(4), 20_000, None)));
        assert_eq!(values(&edit, &back, 99), [some(&99i32.to_le_bytes()), some(b"row"), None]);
        assert_eq!(values(&edit, &back, 100), [some(&[1; 4]), None, some(&[2; 4])]);
        let kept = parse(&edit, &shape).without_dropped(&shape, 50);
        assert_eq!(kept, parse(&edit, &shape).layout());
        let gone = parse(&edit, &shape).without_dropped(&shape, 51);
        assert_eq!(gone[1], Lying::Nowhere);
        lay_out(&mut edit, &shape, &gone, 150).unwrap();
        assert_eq!(values(&edit, &shape, 100), [some(&[1; 4]), None, some(&[2; 4])]);
        assert_eq!(values(&edit, &shape, 99), [some(&99i32.to_le_bytes()), None, None]);
        assert_eq!(parse(&edit, &shape).variable_bytes(&shape), 0);
        // Pages made now lack it from the beginning.
        let mut new = vec![0u8; PAGE_SIZE];
        init(&mut Edit::detached(&mut new), &shape, shape.current(), 100);
        assert_eq!(HeapPage::parse(&new, &shape).unwrap().unwrap().layout()[1], Lying::Nowhere);
    }

    #[test]
    fn a_column_that_may_be_null_now_gets_null_bits_where_it_needs_them() {
        let shape = with(|columns| columns[0].nullable = true);
        let mut bytes = vec![0u8; PAGE_SIZE];
        first_page(&mut bytes, 100);
        let mut edit = Edit::detached(&mut bytes);
        assert_eq!(update(&mut edit, &shape, 3, &[(0, None)], 0), Err(NoRoom));
        widen(&mut edit, &shape, 100).unwrap();
        update(&mut edit, &shape, 3, &[(0, None)], 0).unwrap();
        assert_eq!(values(&edit, &shape, 3), [None, some(b"row")]);
        // Two halves say the same of themselves.
        let mut other = vec![0u8; PAGE_SIZE];
        let mut to = Edit::detached(&mut other);
        split(&mut edit, &mut to, &shape, 2, 7, 2);
        assert_eq!(values(&to, &shape, 1), [None, some(b"row")]);
        assert!(HeapPage::parse(&to, &shape).unwrap().unwrap().is_continuation());
        add_continuation(&mut edit, &shape, 2, 8).unwrap();
        unsplit(&mut edit, &mut to, &shape).unwrap();
        assert_eq!(values(&edit, &shape, 3), [None, some(b"row")]);
        assert_eq!(values(&edit, &shape, 99), [some(&99i32.to_le_bytes()), some(b"row")]);
        // It may not be NULL any more: pages made now are as the first ones were.
        let again = super::tests::shape();
        assert_eq!(again.current(), again.first());
        assert_eq!(values(&edit, &again, 3), [None, some(b"row")]);
    }

    #[test]
    fn continuations_are_found_by_row() {
        let shape = shape();
        let mut bytes = vec![0u8; PAGE_SIZE];
        let mut edit = Edit::detached(&mut bytes);
        init(&mut edit, &shape, shape.current(), 50);
        set_version(&mut edit, &shape, &RowSet::of(3), Some(&version(9, false))).unwrap();
        for (first, block) in [(30, 300), (10, 100), (20, 200)] {
            add_continuation(&mut edit, &shape, first, block).unwrap();
        }
        let page = HeapPage::parse(&edit, &shape).unwrap().unwrap();
        let found: Vec<_> = [0, 9, 10, 19, 20, 31].iter().map(|&row| page.continuation_of(row)).collect();
        assert_eq!(found, [None, None, Some(100), Some(100), Some(200), Some(300)]);
        assert_eq!(page.version(3).xid, 9);
    }
}
