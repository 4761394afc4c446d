//! The bytes of a value (PostgreSQL's `jsonb.h`).
//!
//! A container is a head, an entry for each thing in it, and the things' bytes one behind the other. Head and entries have four
//! bytes each, little-endian. The head has the number of elements or pairs, and whether it is an array or an object; a value
//! that is neither is an array of one element that is marked so. An object has the entries of its keys before those of its
//! values. Keys are ordered by their lengths and then their bytes, and are different.
//!
//! An entry has the kind of its thing, and the length of its bytes; each 32nd has where they end instead. So a member is found
//! by binary search, of which each step adds up 32 lengths at most, and nothing of the others is read.
//!
//! A string's bytes are its UTF-8, a number's those of [`crate::numeric::bytes`], a container's those of a container.

use crate::numeric::bytes;

const ARRAY: u32 = 0x4000_0000;
const OBJECT: u32 = 0x2000_0000;
const SCALAR: u32 = 0x1000_0000;
const COUNT: u32 = 0x0fff_ffff;

/// The entry has where its bytes end.
const IS_END: u32 = 0x8000_0000;
const KIND: u32 = 0x7000_0000;
/// What an entry has besides its kind: bytes in a container are not more.
pub const MOST_BYTES: u32 = 0x0fff_ffff;

const STRING: u32 = 0;
const NUMBER: u32 = 0x1000_0000;
const FALSE: u32 = 0x2000_0000;
const TRUE: u32 = 0x3000_0000;
const NULL: u32 = 0x4000_0000;
const CONTAINER: u32 = 0x5000_0000;

/// So many entries have one end among them.
const STRIDE: usize = 32;
const WIDTH: usize = 4;

/// What a container is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Array,
    Object,
    /// An array that stands for its one element.
    Scalar,
}

/// A thing in a container.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    Null,
    /// Its UTF-8.
    String(&'a [u8]),
    /// The bytes of a `numeric`.
    Number(&'a [u8]),
    Bool(bool),
    Container(View<'a>),
}

/// A container, read where it lies. Bytes that are none are an empty array.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    bytes: &'a [u8],
    head: u32,
    entries: &'a [[u8; WIDTH]],
    data: &'a [u8],
}

impl<'a> View<'a> {
    #[inline]
    pub fn new(bytes: &'a [u8]) -> View<'a> {
        let none = View { bytes, head: ARRAY, entries: &[], data: &[] };
        let Some((head, rest)) = bytes.split_first_chunk::<WIDTH>() else { return none };
        let head = u32::from_le_bytes(*head);
        let entries = (head & COUNT) as usize * if head & OBJECT != 0 { 2 } else { 1 };
        let Some((entries, data)) = rest.split_at_checked(entries * WIDTH) else { return none };
        View { bytes, head, entries: entries.as_chunks().0, data }
    }

    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    #[inline]
    pub fn shape(&self) -> Shape {
        match self.head {
            head if head & OBJECT != 0 => Shape::Object,
            head if head & SCALAR != 0 => Shape::Scalar,
            _ => Shape::Array,
        }
    }

    /// Elements, or pairs.
    #[inline]
    pub fn len(&self) -> usize {
        (self.head & COUNT) as usize
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline]
    fn entry(&self, slot: usize) -> u32 {
        self.entries.get(slot).map_or(NULL, |entry| u32::from_le_bytes(*entry))
    }

    /// Where the bytes of a thing begin.
    fn begin(&self, slot: usize) -> usize {
        let mut begin = 0;
        for before in (0..slot).rev() {
            let entry = self.entry(before);
            begin += (entry & MOST_BYTES) as usize;
            if entry & IS_END != 0 {
                break;
            }
        }
        begin
    }

    /// The thing of an entry whose bytes begin there, and where they end.
    #[inline]
    fn thing(&self, slot: usize, begin: usize) -> (Value<'a>, usize) {
        let entry = self.entry(slot);
        let field = (entry & MOST_BYTES) as usize;
        let end = if entry & IS_END != 0 { field } else { begin + field };
        let bytes = self.data.get(begin..end).unwrap_or_default();
        let value = match entry & KIND {
            STRING => Value::String(bytes),
            NUMBER => Value::Number(bytes),
            FALSE => Value::Bool(false),
            TRUE => Value::Bool(true),
            CONTAINER => Value::Container(View::new(bytes)),
            _ => Value::Null,
        };
        (value, end)
    }

    fn get(&self, slot: usize) -> Value<'a> {
        self.thing(slot, self.begin(slot)).0
    }

    /// An element of an array, from 0.
    pub fn element(&self, index: usize) -> Option<Value<'a>> {
        (self.shape() != Shape::Object && index < self.len()).then(|| self.get(index))
    }

    /// The element of an array at a number that counts from the end if it is negative.
    pub fn element_from(&self, index: i64) -> Option<Value<'a>> {
        let index = if index < 0 { index + self.len() as i64 } else { index };
        self.element(usize::try_from(index).ok()?)
    }

    fn key(&self, pair: usize) -> &'a [u8] {
        match self.get(pair) {
            Value::String(key) => key,
            _ => &[],
        }
    }

    /// The number of the pair of a key.
    pub fn find(&self, key: &[u8]) -> Option<usize> {
        if self.shape() != Shape::Object {
            return None;
        }
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match order_of_keys(self.key(middle), key) {
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// The value of a key in an object.
    pub fn field(&self, key: &[u8]) -> Option<Value<'a>> {
        self.find(key).map(|pair| self.get(self.len() + pair))
    }

    /// The value that stands for itself: a scalar, or the container.
    pub fn root(&self) -> Value<'a> {
        match self.shape() {
            Shape::Scalar => self.get(0),
            _ => Value::Container(*self),
        }
    }

    /// The elements of an array.
    pub fn elements(&self) -> Elements<'a> {
        self.elements_from(Place::default())
    }

    /// The elements from a place on.
    pub fn elements_from(&self, place: Place) -> Elements<'a> {
        let end = if self.shape() == Shape::Object { 0 } else { self.len() };
        Elements { view: *self, end, place }
    }

    /// The keys and the values of an object, in the order of its keys.
    pub fn pairs(&self) -> Pairs<'a> {
        let pairs = if self.shape() == Shape::Object { self.len() } else { 0 };
        self.pairs_from((Place::default(), Place { next: pairs, begin: self.begin(pairs) }))
    }

    /// The pairs from the places of a key and its value on.
    pub fn pairs_from(&self, (key, value): (Place, Place)) -> Pairs<'a> {
        let pairs = if self.shape() == Shape::Object { self.len() } else { 0 };
        Pairs {
            keys: Elements { view: *self, end: pairs, place: key },
            values: Elements { view: *self, end: 2 * pairs, place: value },
        }
    }
}

/// Where a thing is: its entry's number, and where its bytes begin.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    next: usize,
    begin: usize,
}

/// The pairs of an object, one after the other.
#[derive(Clone, Debug)]
pub struct Pairs<'a> {
    keys: Elements<'a>,
    values: Elements<'a>,
}

impl<'a> Iterator for Pairs<'a> {
    type Item = (&'a [u8], Value<'a>);

    #[inline]
    fn next(&mut self) -> Option<(&'a [u8], Value<'a>)> {
        match (self.keys.next()?, self.values.next()?) {
            (Value::String(key), value) => Some((key, value)),
            (_, value) => Some((&[], value)),
        }
    }
}

/// Things of a container, one after the other.
#[derive(Clone, Debug)]
pub struct Elements<'a> {
    view: View<'a>,
    end: usize,
    place: Place,
}

impl<'a> Iterator for Elements<'a> {
    type Item = Value<'a>;

    #[inline]
    fn next(&mut self) -> Option<Value<'a>> {
        if self.place.next >= self.end {
            return None;
        }
        let (value, end) = self.view.thing(self.place.next, self.place.begin);
        self.place = Place { next: self.place.next + 1, begin: end };
        Some(value)
    }
}

impl Elements<'_> {
    /// Where the next one is.
    pub fn place(&self) -> Place {
        self.place
    }
}

impl Pairs<'_> {
    /// Where the next key and its value are.
    pub fn places(&self) -> (Place, Place) {
        (self.keys.place, self.values.place)
    }
}

/// The order of an object's keys.
#[inline]
pub fn order_of_keys(a: &[u8], b: &[u8]) -> std::cmp::Ordering {
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

/// A number's value.
pub fn number(value: &[u8]) -> crate::numeric::Numeric {
    bytes::from_bytes(value)
}

/// Writes containers.
pub(super) mod write {
    use super::*;

    /// Appends the head of a container and room for its entries; gives where they begin.
    pub fn head(shape: Shape, count: usize, out: &mut Vec<u8>) -> usize {
        let (mark, entries) = match shape {
            Shape::Array => (ARRAY, count),
            Shape::Object => (OBJECT, 2 * count),
            Shape::Scalar => (ARRAY | SCALAR, count),
        };
        out.extend_from_slice(&(mark | count as u32).to_le_bytes());
        let begin = out.len();
        out.resize(begin + entries * WIDTH, 0);
        begin
    }

    /// Puts an entry into its room. Its bytes are these, counted from the first one of the container's things.
    pub fn entry(entries: &mut [u8], slot: usize, kind: u32, bytes: std::ops::Range<usize>) {
        let field = if slot.is_multiple_of(STRIDE) { IS_END | bytes.end as u32 } else { bytes.len() as u32 };
        entries[slot * WIDTH..(slot + 1) * WIDTH].copy_from_slice(&(kind | field).to_le_bytes());
    }

    /// The kind of a thing, and its bytes.
    pub fn parts(value: Value<'_>) -> (u32, &[u8]) {
        match value {
            Value::Null => (NULL, &[]),
            Value::String(text) => (STRING, text),
            Value::Number(number) => (NUMBER, number),
            Value::Bool(false) => (FALSE, &[]),
            Value::Bool(true) => (TRUE, &[]),
            Value::Container(view) => (CONTAINER, view.bytes),
        }
    }

    /// The kind of a container in another.
    pub const OF_CONTAINER: u32 = CONTAINER;

    /// Calls `put` with the pieces of a value that stands alone.
    pub fn alone(value: Value<'_>, mut put: impl FnMut(&[u8])) {
        if let Value::Container(view) = value {
            return put(view.bytes);
        }
        let (kind, bytes) = parts(value);
        put(&(ARRAY | SCALAR | 1).to_le_bytes());
        put(&(kind | IS_END | bytes.len() as u32).to_le_bytes());
        put(bytes);
    }
}
