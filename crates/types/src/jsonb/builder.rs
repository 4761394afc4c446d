//! Values are built from their parts, one after the other (`pushJsonbValue`).
//!
//! What comes is kept as a list of nodes, each container before what is in it, and is written once all is known: an object's
//! keys are ordered then. A builder can be used again, and needs no more memory for it.

use error::sqlstate;

use super::layout::{MOST_BYTES, Shape, Value, View, order_of_keys, write};
use crate::error::{Error, Result};
use crate::memory::reserve;
use crate::numeric::{Numeric, bytes};

/// Containers in each other at most, in what is built at once.
const MOST_LEVELS: usize = 6400;
/// PostgreSQL's limits: what has room in an allocation of 1 GiB.
const MOST_ELEMENTS: usize = 33_554_431;
const MOST_PAIRS: usize = 14_913_080;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Null,
    False,
    True,
    /// Its bytes are in `data`.
    String,
    Number,
    Container,
    /// `start` counts its elements and `end` is the node behind the last.
    Array,
    /// The same with its pairs, whose keys are nodes before their values.
    Object,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    kind: Kind,
    start: usize,
    end: usize,
}

/// What becomes of an object's pairs besides being ordered.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules {
    /// Two pairs of a key are an error, and not the last one.
    pub unique: bool,
    /// Pairs whose value is null are left out.
    pub skip_nulls: bool,
}

/// Gathers the parts of one value.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    nodes: Vec<Node>,
    data: Vec<u8>,
    /// The containers that are open.
    open: Vec<usize>,
}

impl Builder {
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.data.clear();
        self.open.clear();
    }

    /// Bytes that it holds.
    pub fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.data.capacity()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    fn node(&mut self, node: Node) -> Result<()> {
        reserve(&mut self.nodes, 1)?;
        self.nodes.push(node);
        Ok(())
    }

    fn item(&mut self, node: Node) -> Result<()> {
        if let Some(&open) = self.open.last() {
            let container = &mut self.nodes[open];
            container.start += 1;
            let (most, what) = match container.kind {
                Kind::Array => (MOST_ELEMENTS, "array elements"),
                _ => (MOST_PAIRS, "object pairs"),
            };
            if container.start > most {
                return Err(too_large(format!("number of jsonb {what} exceeds the maximum allowed ({most})")));
            }
        }
        self.node(node)
    }

    fn begin(&mut self, kind: Kind) -> Result<()> {
        if self.open.len() >= MOST_LEVELS {
            return Err(Error::new(sqlstate::STATEMENT_TOO_COMPLEX, "stack depth limit exceeded"));
        }
        self.item(Node { kind, start: 0, end: 0 })?;
        self.open.push(self.nodes.len() - 1);
        Ok(())
    }

    pub fn begin_array(&mut self) -> Result<()> {
        self.begin(Kind::Array)
    }

    pub fn begin_object(&mut self) -> Result<()> {
        self.begin(Kind::Object)
    }

    /// Ends the array or the object that was begun last.
    pub fn end(&mut self) {
        if let Some(open) = self.open.pop() {
            self.nodes[open].end = self.nodes.len();
        }
    }

    /// A key, in an object; its value comes next.
    pub fn key(&mut self, key: &[u8]) -> Result<()> {
        let node = self.bytes(Kind::String, key)?;
        self.node(node)
    }

    fn bytes(&mut self, kind: Kind, bytes: &[u8]) -> Result<Node> {
        if kind == Kind::String && bytes.len() > MOST_BYTES as usize {
            let error = too_large("string too long to represent as jsonb string".into());
            let detail =
                format!("Due to an implementation restriction, jsonb strings cannot exceed {MOST_BYTES} bytes.");
            return Err(error.detail(detail));
        }
        reserve(&mut self.data, bytes.len())?;
        let start = self.data.len();
        self.data.extend_from_slice(bytes);
        Ok(Node { kind, start, end: self.data.len() })
    }

    pub fn string(&mut self, text: &[u8]) -> Result<()> {
        let node = self.bytes(Kind::String, text)?;
        self.item(node)
    }

    pub fn number(&mut self, value: &Numeric) -> Result<()> {
        let node = bytes::with_bytes(value, |bytes| self.bytes(Kind::Number, bytes))?;
        self.item(node)
    }

    pub fn null(&mut self) -> Result<()> {
        self.item(Node { kind: Kind::Null, start: 0, end: 0 })
    }

    pub fn bool(&mut self, value: bool) -> Result<()> {
        self.item(Node { kind: if value { Kind::True } else { Kind::False }, start: 0, end: 0 })
    }

    /// A value that there is already. A container is copied as it is.
    pub fn value(&mut self, value: Value<'_>) -> Result<()> {
        let node = match value {
            Value::Null => return self.null(),
            Value::Bool(value) => return self.bool(value),
            Value::String(text) => self.bytes(Kind::String, text)?,
            Value::Number(number) => self.bytes(Kind::Number, number)?,
            Value::Container(view) => self.bytes(Kind::Container, view.bytes())?,
        };
        self.item(node)
    }

    /// The bytes of the one value that was built, in `out`. An array or object that is still open has what came so far.
    pub fn finish(&self, out: &mut Vec<u8>) -> Result<()> {
        self.finish_with(Rules::default(), out)
    }

    /// The same, where the outermost value keeps rules if it is an object.
    pub fn finish_with(&self, rules: Rules, out: &mut Vec<u8>) -> Result<()> {
        out.clear();
        reserve(out, self.data.len() + self.nodes.len() * 4 + 8)?;
        match self.nodes.first() {
            Some(Node { kind: Kind::Array | Kind::Object, .. }) => {
                Writer { builder: self, out, rules, order: Vec::new() }.write()
            }
            Some(Node { kind: Kind::Container, start, end }) => {
                out.extend_from_slice(&self.data[*start..*end]);
                Ok(())
            }
            Some(node) => {
                write::alone(self.leaf(node), |bytes| out.extend_from_slice(bytes));
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// The value of a node that has no nodes in it.
    fn leaf(&self, node: &Node) -> Value<'_> {
        let bytes = || &self.data[node.start..node.end];
        match node.kind {
            Kind::Null | Kind::Array | Kind::Object => Value::Null,
            Kind::False => Value::Bool(false),
            Kind::True => Value::Bool(true),
            Kind::String => Value::String(bytes()),
            Kind::Number => Value::Number(bytes()),
            Kind::Container => Value::Container(View::new(bytes())),
        }
    }

    /// The node behind a node and what is in it.
    fn behind(&self, node: usize) -> usize {
        match self.nodes[node].kind {
            Kind::Array | Kind::Object => self.nodes[node].end,
            _ => node + 1,
        }
    }
}

fn too_large(message: String) -> Error {
    Error::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, message)
}

/// Writes what a builder has gathered.
struct Writer<'a> {
    builder: &'a Builder,
    out: &'a mut Vec<u8>,
    rules: Rules,
    /// The values of the objects that are being written, in the order of their keys, of each object behind those it is in.
    order: Vec<(usize, usize)>,
}

/// A container that is being written.
struct Frame {
    /// Where its entries begin, and its things.
    entries: usize,
    things: usize,
    /// Where what was written last ends, counted from `things`.
    end: usize,
    slot: usize,
    slots: usize,
    /// The next node of an array; of an object, the next place in `order`.
    next: usize,
    is_object: bool,
}

impl Writer<'_> {
    fn write(&mut self) -> Result<()> {
        let mut frames = vec![self.begin(0, true)?];
        while let Some(frame) = frames.last_mut() {
            if frame.slot == frame.slots {
                let done = frames.pop().filter(|frame| frame.is_object);
                if let Some(done) = done {
                    self.order.truncate(self.order.len() - done.slots / 2);
                }
                if let Some(frame) = frames.last_mut() {
                    self.entry(frame, write::OF_CONTAINER)?;
                }
                continue;
            }
            let node = match frame.is_object {
                true => self.order[frame.next].1,
                false => frame.next,
            };
            frame.next = if frame.is_object { frame.next + 1 } else { self.builder.behind(node) };
            match &self.builder.nodes[node] {
                Node { kind: Kind::Array | Kind::Object, .. } => frames.push(self.begin(node, false)?),
                leaf => {
                    let (kind, bytes) = write::parts(self.builder.leaf(leaf));
                    self.out.extend_from_slice(bytes);
                    self.entry(frame, kind)?;
                }
            }
        }
        Ok(())
    }

    /// Writes the head of a container, and the keys of an object.
    fn begin(&mut self, node: usize, outermost: bool) -> Result<Frame> {
        let Node { kind, start: count, .. } = self.builder.nodes[node];
        if kind == Kind::Array {
            let entries = write::head(Shape::Array, count, self.out);
            let things = self.out.len();
            return Ok(Frame { entries, things, end: 0, slot: 0, slots: count, next: node + 1, is_object: false });
        }
        let first = self.order.len();
        self.sort(node, count, if outermost { self.rules } else { Rules::default() })?;
        let pairs = self.order.len() - first;
        let entries = write::head(Shape::Object, pairs, self.out);
        let things = self.out.len();
        let mut frame = Frame { entries, things, end: 0, slot: 0, slots: 2 * pairs, next: first, is_object: true };
        let builder = self.builder;
        for pair in first..first + pairs {
            let (kind, bytes) = write::parts(builder.leaf(&builder.nodes[self.order[pair].0]));
            self.out.extend_from_slice(bytes);
            self.entry(&mut frame, kind)?;
        }
        Ok(frame)
    }

    /// Appends the keys and values of an object to `order`, as they are to be written.
    fn sort(&mut self, node: usize, count: usize, rules: Rules) -> Result<()> {
        let (builder, first) = (self.builder, self.order.len());
        reserve(&mut self.order, count)?;
        let mut key = node + 1;
        for _ in 0..count {
            self.order.push((key, key + 1));
            key = builder.behind(key + 1);
        }
        let text = |node: usize| &builder.data[builder.nodes[node].start..builder.nodes[node].end];
        let order = |a: &(usize, usize), b: &(usize, usize)| order_of_keys(text(a.0), text(b.0));
        if self.order[first..].is_sorted_by(|a, b| order(a, b).is_lt()) && !rules.skip_nulls {
            return Ok(());
        }
        // Of equal keys the last one comes first.
        self.order[first..].sort_unstable_by(|a, b| order(a, b).then(b.0.cmp(&a.0)));
        let (mut kept, mut last) = (first, None);
        for pair in first..self.order.len() {
            let (key, value) = self.order[pair];
            let again = last.replace(key).is_some_and(|last| text(last) == text(key));
            if again && rules.unique {
                return Err(Error::new(sqlstate::DUPLICATE_JSON_OBJECT_KEY_VALUE, "duplicate JSON object key value"));
            }
            let skipped = rules.skip_nulls && builder.nodes[value].kind == Kind::Null;
            if !again && !skipped {
                self.order[kept] = (key, value);
                kept += 1;
            }
        }
        self.order.truncate(kept);
        Ok(())
    }

    /// Puts the entry of what was written last into its container.
    fn entry(&mut self, frame: &mut Frame, kind: u32) -> Result<()> {
        let end = self.out.len() - frame.things;
        if end > MOST_BYTES as usize {
            let what = if frame.is_object { "object" } else { "array" };
            return Err(too_large(format!(
                "total size of jsonb {what} elements exceeds the maximum of {MOST_BYTES} bytes"
            )));
        }
        write::entry(&mut self.out[frame.entries..], frame.slot, kind, frame.end..end);
        frame.end = end;
        frame.slot += 1;
        Ok(())
    }
}
