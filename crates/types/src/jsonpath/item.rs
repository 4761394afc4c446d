//! What steps of a path get and give: a value of the document, or one that was computed.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::execute::whole;
use super::keyvalue::Pair;
use crate::error::Result;
use crate::jsonb::access::type_name;
use crate::jsonb::layout::{Shape, number};
use crate::jsonb::{Builder, Value, View};
use crate::numeric::Numeric;

#[derive(Clone, Debug)]
pub enum Item<'a> {
    Value(Value<'a>),
    Number(Numeric),
    Text(String),
    Pair(Pair<'a>),
}

impl<'a> Item<'a> {
    pub fn bool(value: bool) -> Item<'a> {
        Item::Value(Value::Bool(value))
    }

    /// The array or the object that it is.
    pub fn container(&self, shape: Shape) -> Option<View<'a>> {
        match self {
            Item::Value(Value::Container(view)) if view.shape() == shape => Some(*view),
            _ => None,
        }
    }

    pub fn number(&self) -> Option<Cow<'_, Numeric>> {
        match self {
            Item::Number(value) => Some(Cow::Borrowed(value)),
            Item::Value(Value::Number(bytes)) => Some(Cow::Owned(number(bytes))),
            _ => None,
        }
    }

    pub fn text(&self) -> Option<&[u8]> {
        match self {
            Item::Text(text) => Some(text.as_bytes()),
            Item::Value(Value::String(text)) => Some(text),
            _ => None,
        }
    }

    pub fn truth(&self) -> Option<bool> {
        match self {
            Item::Value(Value::Bool(value)) => Some(*value),
            _ => None,
        }
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Item::Value(Value::Null))
    }

    pub fn type_name(&self) -> &'static str {
        match self {
            Item::Value(value) => type_name(*value),
            Item::Number(_) => "number",
            Item::Text(_) => "string",
            Item::Pair(_) => "object",
        }
    }

    /// The order of two scalars of one kind; `None` where they have none.
    pub fn compare(&self, other: &Item<'_>) -> Option<Ordering> {
        if let (Some(a), Some(b)) = (self.number(), other.number()) {
            return Some(a.as_ref().cmp(b.as_ref()));
        }
        match (self.text(), other.text()) {
            (Some(a), Some(b)) => return Some(a.cmp(b)),
            (None, None) => {}
            _ => return None,
        }
        match (self, other) {
            (Item::Value(Value::Null), Item::Value(Value::Null)) => Some(Ordering::Equal),
            _ => Some(self.truth()?.cmp(&other.truth()?)),
        }
    }

    pub fn add_to(&self, builder: &mut Builder) -> Result<()> {
        match self {
            Item::Value(value) => builder.value(*value),
            Item::Number(value) => builder.number(value),
            Item::Text(text) => builder.string(text.as_bytes()),
            Item::Pair(pair) => {
                builder.begin_object()?;
                builder.key(b"id")?;
                builder.number(&whole(pair.id))?;
                builder.key(b"key")?;
                builder.string(pair.key)?;
                builder.key(b"value")?;
                builder.value(pair.value)?;
                builder.end();
                Ok(())
            }
        }
    }
}
