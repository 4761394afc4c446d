//! `.keyvalue()`: the pairs of an object, as objects of a key, a value and the number of the object.
//!
//! That number is where PostgreSQL has the object in its bytes. Numbers lie otherwise there, so it is computed.

use super::execute::{Execution, Followed};
use super::item::Item;
use crate::error::Error;
use crate::jsonb::layout::{Shape, number};
use crate::jsonb::{Value, View};
use crate::numeric::Numeric;

/// A pair of an object as `.keyvalue()` gives it.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    pub id: i64,
    pub key: &'a [u8],
    pub value: Value<'a>,
}

impl<'a> Pair<'a> {
    pub fn field(&self, name: &[u8]) -> Option<Item<'a>> {
        Some(match name {
            b"id" => Item::Number(super::execute::whole(self.id)),
            b"key" => Item::Value(Value::String(self.key)),
            b"value" => Item::Value(self.value),
            _ => return None,
        })
    }

    pub fn fields(&self) -> impl Iterator<Item = Item<'a>> {
        [&b"id"[..], b"key", b"value"].into_iter().filter_map(|name| self.field(name))
    }
}

impl<'a> Execution<'a> {
    /// The pairs of an object of the document.
    pub fn pairs(&self, object: View<'a>) -> Followed<Vec<Item<'a>>> {
        let Some(id) = place(self.document(), object.bytes().as_ptr()) else {
            return Err(Error::unsupported("jsonpath method .keyvalue() of what is not in the document").into());
        };
        let id = id as i64;
        Ok(object.pairs().map(|(key, value)| Item::Pair(Pair { id, key, value })).collect())
    }
}

fn aligned(place: usize) -> usize {
    place.next_multiple_of(4)
}

/// Bytes of a number (`numeric.c`): a length, one or two words of head, and digits of base 10000.
fn number_size(bytes: &[u8]) -> usize {
    let Numeric::Finite(decimal) = number(bytes) else { return 6 };
    let (digits, weight) = decimal.base_10000();
    let first = digits.iter().position(|&digit| digit != 0);
    let last = digits.iter().rposition(|&digit| digit != 0);
    let (count, weight) = match (first, last) {
        (Some(first), Some(last)) => (last - first + 1, weight - first as i32),
        _ => (0, 0),
    };
    let short = decimal.scale <= 0x3f && (-64..=63).contains(&weight);
    4 + if short { 2 } else { 4 } + 2 * count
}

/// Where PostgreSQL has the container in a document whose bytes begin there.
fn place(document: View<'_>, wanted: *const u8) -> Option<usize> {
    let mut open = Vec::new();
    let mut place = 0;
    let mut next = Some(document);
    loop {
        if let Some(view) = next.take() {
            place = aligned(place);
            if view.bytes().as_ptr() == wanted {
                return Some(place);
            }
            let slots = if view.shape() == Shape::Object { 2 * view.len() } else { view.len() };
            place += 4 + 4 * slots;
            open.push(things(view));
        }
        match open.last_mut()?.next() {
            None => drop(open.pop()),
            Some(Value::String(text)) => place += text.len(),
            Some(Value::Number(bytes)) => place = aligned(place) + number_size(bytes),
            Some(Value::Container(view)) => next = Some(view),
            Some(_) => {}
        }
    }
}

/// What is in a container; the keys of an object before its values.
fn things<'a>(view: View<'a>) -> Box<dyn Iterator<Item = Value<'a>> + 'a> {
    match view.shape() {
        Shape::Object => {
            let keys = view.pairs().map(|(key, _)| Value::String(key));
            Box::new(keys.chain(view.pairs().map(|(_, value)| value)))
        }
        _ => Box::new(view.elements()),
    }
}
