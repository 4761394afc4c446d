//! Goes through a value, each container before what is in it (`JsonbIteratorNext`). However deep a value is, this needs a few
//! bytes a level and no stack.

use super::layout::{Elements, Pairs, Shape, Value, View};

/// What is met.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// With the number of its elements or pairs.
    Begin(Shape, usize),
    End(Shape),
    Key(&'a [u8]),
    /// An element or a pair's value that is no container.
    Scalar(Value<'a>),
}

/// A container that is being gone through.
enum Open<'a> {
    Array(Elements<'a>, Shape),
    /// With the value of the key that was met last.
    Object(Pairs<'a>, Option<Value<'a>>),
}

pub struct Walk<'a> {
    next: Option<View<'a>>,
    open: Vec<Open<'a>>,
}

impl<'a> Walk<'a> {
    pub fn new(view: View<'a>) -> Walk<'a> {
        Walk { next: Some(view), open: Vec::new() }
    }

    fn begin(&mut self, view: View<'a>) -> Step<'a> {
        let shape = view.shape();
        self.open.push(match shape {
            Shape::Object => Open::Object(view.pairs(), None),
            _ => Open::Array(view.elements(), shape),
        });
        Step::Begin(shape, view.len())
    }

    fn value(&mut self, value: Value<'a>) -> Step<'a> {
        match value {
            Value::Container(view) => self.begin(view),
            scalar => Step::Scalar(scalar),
        }
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = Step<'a>;

    #[inline]
    fn next(&mut self) -> Option<Step<'a>> {
        if let Some(view) = self.next.take() {
            return Some(self.begin(view));
        }
        let (value, shape) = match self.open.last_mut()? {
            Open::Array(elements, shape) => (elements.next(), *shape),
            Open::Object(pairs, value) => match value.take() {
                Some(value) => (Some(value), Shape::Object),
                None => match pairs.next() {
                    Some((key, next)) => {
                        *value = Some(next);
                        return Some(Step::Key(key));
                    }
                    None => (None, Shape::Object),
                },
            },
        };
        match value {
            Some(value) => Some(self.value(value)),
            None => {
                self.open.pop();
                Some(Step::End(shape))
            }
        }
    }
}
